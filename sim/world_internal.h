/* sim/world_internal.h -- what the files of the world share.
 *
 * For:      world*.c and invariants.c only.
 *
 * A *slot* is a place in the plan: one player on one machine. A *session* is one conversation that
 * a slot began, from Connect to the end; a slot that restarts has several, one after the other. The
 * world sees both ends of a session and knows who really sent a datagram, by its tag.
 */
#ifndef SIM_WORLD_INTERNAL_H
#define SIM_WORLD_INTERNAL_H

#include "sim/network.h"
#include "sim/world.h"

#include "base/assert.h"

enum {
    SIM_SESSIONS_MAX = 256,
    SIM_RECORDINGS = 256,
    SIM_SOURCES = 8192, /* a power of two */
    SIM_ADDRESSES_OF_STRANGERS = 256,
    SIM_TAG_STRANGER = 0xFFFF, /* else: index of a session + 1, or 0: the host, to nobody known */
};

/* Whoever has a clock and turns a crank. */
typedef struct sim_party {
    sb_time offset_us; /* its clock minus the world's; only grows */
    sb_time tick_us;
    sb_time wake; /* when to turn the crank next, in the world's time */
    bool    jumped;
} sim_party;

/* One direction of a session: what was sent and what has arrived. */
typedef struct sim_ledger {
    uint32_t *sizes;    /* of the reliable messages */
    uint32_t  sent;     /* how many: the next number to send ... */
    uint32_t  received; /* ... and the next to arrive */
    uint32_t *lossy_sizes;
    uint8_t  *lossy_seen;
    uint32_t  lossy_sent, lossy_next, lossy_empty;
    uint64_t  fragments; /* reliable messages and fragments, each counted once */
    bool      overfull;  /* a reliable message did not fit: the sender had to give up */
    /* For the bound on sending again: how it was at the last look. */
    sb_time  seen_at;
    uint64_t seen_resent, seen_fragments;
    uint32_t seen_unacknowledged;
    /* While the network must be idle. */
    uint32_t idle_datagrams;
} sim_ledger;

typedef struct sim_recording {
    sb_endpoint from, to;
    uint32_t    tag;
    size_t      size;
    uint8_t     bytes[SB_DATAGRAM_MAX];
} sim_recording;

typedef struct sim_session {
    uint32_t             index, slot;
    sb_transport_client *client;
    void                *memory;
    sim_party            party;
    bool                 follows; /* an earlier one used the same address and port */
    bool                 exempt;  /* see sim_exempt */
    bool                 numbers_wait, moved;
    /* As the client sees it. */
    bool            running; /* it lives; false: over, or vanished */
    bool            joined, leaving, left, vanished;
    uint8_t         id;
    sb_leave_reason reason;
    sb_time         begun, heard, leaving_since; /* in its own time */
    sb_time         left_at;
    uint64_t        name;         /* hash of what it calls itself */
    uint64_t        players[256]; /* hashes of names by id; 0: no such player */
    uint32_t        notices[256]; /* departures it was told of */
    uint32_t        renames;
    /* As the host sees it. */
    uint8_t         host_id; /* 0: never joined */
    bool            host_present, booted;
    sb_leave_reason host_reason;
    bool            host_left;
    sb_time         host_heard; /* in the host's time */

    sb_random     random;  /* of its traffic */
    sim_recording connect; /* its first datagram */
    sim_ledger    ledger[SIM_DIRECTIONS];
    sb_time       next_reliable[SIM_DIRECTIONS], next_unreliable[SIM_DIRECTIONS];
} sim_session;

typedef struct sim_slot {
    sb_endpoint  endpoint; /* as the host sees it */
    sim_session *session;  /* the last one; NULL: none yet */
    sb_time      start_at; /* the next one */
    uint32_t     partition;
} sim_slot;

/* What the host says about one peer id. */
typedef struct sim_peer {
    sim_session *session;
    bool         present;
    sb_endpoint  address;
    uint64_t     name;
    uint32_t     leaves;
} sim_peer;

/* Where datagrams came from; for the bound on what a stranger can make the host send. */
typedef struct sim_source {
    sb_endpoint endpoint;
    uint64_t    in, out;
    bool        proven;
    uint32_t    last_session; /* tag of the one that left there, until somebody connects again */
} sim_source;

typedef enum sim_phase {
    SIM_ACTIVE,   /* the plan is carried out */
    SIM_SETTLING, /* the network is good, nobody sends anything new */
    SIM_IDLE,     /* nothing but NoOps may be seen */
    SIM_NEWCOMER, /* somebody joins, who must succeed */
    SIM_ENDING,   /* host or clients say goodbye */
} sim_phase;

typedef struct sim_world {
    const sim_plan    *plan;
    sim_trace         *trace;
    sim_outcome       *outcome;
    sim_network       *network;
    sb_time            now;
    sim_phase          phase;
    sb_time            phase_started;
    uint64_t           steps;
    uint32_t           next_action;
    sb_random          strangers;
    sb_transport_host *host;
    void              *host_memory;
    sim_party          host_party;
    sim_peer           peers[256];
    uint32_t           peer_count;
    uint64_t           host_arrivals, host_joins, host_names, host_leaves;
    bool               host_stopping;
    bool               damage_accepted; /* anywhere */
    uint32_t           source_tag;      /* who sent what is being received now */
    sb_endpoint        source;
    sim_slot           slots[SIM_CLIENTS_MAX];
    sim_session       *sessions[SIM_SESSIONS_MAX];
    uint32_t           session_count;
    sim_source         sources[SIM_SOURCES];
    sim_recording      recordings[SIM_RECORDINGS];
    uint64_t           recording_count;
    uint8_t            scratch[SB_PAYLOAD_MAX + 8];
} sim_world;

/* ---- world.c: time and phases --------------------------------------------------------------- */

/* Reports the first broken invariant; the run ends. printf-like. */
void sim_violation(sim_world *world, const char *invariant, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* From now on the content and the end of this session are not judged: the protocol has neither a
 * checksum nor a session id, so that a damaged datagram which still parses, or one of an earlier
 * session on the same port, is as good as a genuine one once it was ACCEPTED. Memory bounds,
 * deadlines, the endpoints' own checks and agreement on who is connected stay. */
void    sim_exempt(sim_world *world, sim_session *session, const char *why);
sb_time sim_own_time(const sim_world *world, const sim_party *party);
/* The crank is to be turned as soon as the party's ticks allow. */
void sim_wake(sim_world *world, sim_party *party);
/* The same, at a deadline in the party's own time. */
void sim_wake_at(sim_world *world, sim_party *party, sb_time deadline);
void sim_record(sim_recording *to, uint32_t tag, sb_endpoint from, sb_endpoint to_whom,
                sb_span datagram);
/* Puts a datagram on the network, and on record. */
void sim_send(sim_world *world, uint32_t tag, sb_endpoint from, sb_endpoint to, sb_span datagram);

/* ---- world_host.c, world_client.c: the two ends ---------------------------------------------- */

void sim_host_create(sim_world *world);
void sim_host_receive(sim_world *world, sb_endpoint from, sb_span datagram);
void sim_host_drain_events(sim_world *world);
void sim_host_step(sim_world *world);

void sim_session_start(sim_world *world, uint32_t slot);
void sim_session_destroy(sim_session *session);
void sim_session_receive(sim_world *world, sim_session *session, sb_endpoint from,
                         sb_span datagram);
void sim_session_drain_events(sim_world *world, sim_session *session);
void sim_session_step(sim_world *world, sim_session *session);
/* Both ends have it: joined, not left, and turned. */
bool sim_session_is_live(const sim_session *session);
void sim_session_leave(sim_world *world, sim_session *session);
void sim_session_rename(sim_world *world, sim_session *session);
/* Hash of a name in UTF-16LE, a terminator ignored; never 0. */
uint64_t sim_hash_name(sb_span name);

/* ---- world_traffic.c: messages ----------------------------------------------------------------
 */

void    sim_traffic_start(sim_world *world, sim_session *session);
sb_time sim_traffic_next(const sim_session *session);
void    sim_traffic_advance(sim_world *world, sim_session *session);
/* Sends one message if the sender can. */
void sim_traffic_send(sim_world *world, sim_session *session, int way, sb_delivery delivery,
                      size_t size);
/* The same, at most as large as there is room for at this moment. */
void sim_traffic_send_large(sim_world *world, sim_session *session, int way, size_t size);
void sim_traffic_bulk(sim_world *world, sim_session *session, int way, int64_t count);
/* Judges a MESSAGE event. */
void sim_traffic_receive(sim_world *world, sim_session *session, int way,
                         const sb_transport_event *event);

/* ---- world_actions.c, world_strangers.c -------------------------------------------------------
 */

void sim_run_action(sim_world *world, const sim_action *action);
void sim_set_links(sim_world *world, uint32_t slot);
void sim_send_rubbish(sim_world *world, const sim_action *action);
void sim_send_stolen(sim_world *world, const sim_action *action);
void sim_send_flood(sim_world *world, const sim_action *action);
void sim_send_again(sim_world *world, const sim_action *action);
void sim_send_abuse(sim_world *world, const sim_action *action);

/* ---- invariants.c -----------------------------------------------------------------------------
 */

/* Why a conversation ended: every reason needs its cause. */
void sim_check_client_left(sim_world *world, sim_session *session, const sb_transport_event *event);
void sim_check_host_left(sim_world *world, sim_session *session, const sb_transport_event *event);
/* Memory, sending again, lists: after every so many steps. */
void sim_check_bounds(sim_world *world);
/* What a source that never proved itself got. */
sim_source *sim_find_source(sim_world *world, sb_endpoint endpoint);
void        sim_check_amplification(sim_world *world, const sim_source *source);
/* After settling: all agree, everything has arrived. */
void sim_check_settled(sim_world *world);
void sim_check_idle(sim_world *world);
void sim_check_newcomer(sim_world *world, const sim_session *session);
void sim_check_end(sim_world *world);

#endif
