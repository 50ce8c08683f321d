/* sim/world_internal.h -- the state of the simulated world, shared by world*.c and invariants.c.
 *
 * For:      world.c (time and phases), world_host.c and world_client.c (the two ends),
 *           world_traffic.c (messages), world_actions.c, world_strangers.c, world_liars.c and
 *           world_attack.c (the plan's actions), invariants.c.
 *
 * A *slot* is an entry of the plan: one player on one machine. A *session* lasts from a slot's
 * Connect to its end; a slot that restarts has several sessions, one after the other. The world
 * sees both ends of a session, and knows by a tag which session really sent a datagram.
 */
#ifndef SIM_WORLD_INTERNAL_H
#define SIM_WORLD_INTERNAL_H

#include "sim/network.h"
#include "sim/world.h"

#include "base/assert.h"

enum {
    SIM_SESSIONS_MAX = 256,
    SIM_RECORDINGS = 256,
    SIM_SOURCES = 32768, /* a power of two, more than there are sources */
    SIM_ADDRESSES_OF_STRANGERS = 256,
    SIM_BURSTS_MAX = 64,
    /* Tag of a stranger's datagrams. A session's tag is its index + 1; the host uses the tag of the
     * receiving session, or 0 for an unknown address. */
    SIM_TAG_STRANGER = 0xFFFF,
    SIM_TAG_FORGED = 0x10000, /* + sim_forgery: a datagram of the attacker */
};

/* An endpoint with its own clock and main loop: the host, or a client. */
typedef struct sim_party {
    sb_time offset_us; /* its clock minus the world's; never decreases */
    sb_time tick_us;
    sb_time wake; /* when to run its loop next, in the world's time */
    bool    jumped;
} sim_party;

/* One direction of a session: messages sent and messages arrived. */
typedef struct sim_ledger {
    uint32_t *sizes;    /* bytes of each reliable message */
    uint32_t  sent;     /* number of reliable messages sent */
    uint32_t  received; /* number of reliable messages arrived */
    uint32_t *unreliable_sizes;
    uint8_t  *unreliable_seen;
    uint32_t  unreliable_sent, unreliable_next, unreliable_empty;
    uint64_t  fragments; /* reliable messages and fragments, without retransmissions */
    bool      overfull;  /* a reliable message did not fit, so the sender had to disconnect */
    /* State at the last check of the bound on retransmissions. */
    sb_time  seen_at;
    uint64_t seen_resent, seen_fragments;
    uint32_t seen_unacknowledged;
    /* Datagrams in the idle phase. */
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
    bool                 follows;         /* the slot had an earlier session */
    bool                 exempt;          /* see sim_exempt */
    bool                 numbers_pending; /* the first sequence numbers are still to be set */
    bool                 moved;           /* its port or address changed */
    /* The client's end. */
    bool            running; /* false: over, or vanished */
    bool            joined, leaving, left, vanished;
    bool            asked; /* a Connect of it has reached the host */
    uint8_t         id;
    sb_leave_reason reason;
    sb_time         begun, heard, leaving_since; /* in the client's time */
    sb_time         left_at;
    uint64_t        name;         /* hash of its own name */
    uint64_t        players[256]; /* hashes of names, by id; 0: no such player */
    uint32_t        notices[256]; /* departures that it learned of, by id */
    uint32_t        renames;
    /* The host's end. */
    uint8_t         host_id; /* 0: never joined */
    bool            host_present, booted;
    sb_leave_reason host_reason;
    bool            host_left;
    sb_time         host_heard; /* in the host's time */

    sb_random     random;  /* for its traffic */
    sim_recording connect; /* its first datagram */
    sim_ledger    ledger[SIM_DIRECTIONS];
    /* Messages of this direction that an Ack took from their sender although they may be lost: a
     * forged Ack that guessed a number in flight, or an Ack of the receiver for a forged message
     * with that number. They are never repeated (spec 01 §10.3). */
    uint32_t acks_guessed[SIM_DIRECTIONS];
    /* Bits of numbers that forged messages of this direction had: Data, then control. */
    uint8_t forged_numbers[SIM_DIRECTIONS][2 * 65536 / 8];
    bool    seat_forged; /* a forged answer got it its seat: the client may have to ask again */
    sb_time next_reliable[SIM_DIRECTIONS], next_unreliable[SIM_DIRECTIONS];
} sim_session;

typedef struct sim_slot {
    sb_endpoint  endpoint;  /* as the host sees it */
    sim_session *session;   /* the last session; NULL: none yet */
    sb_time      start_at;  /* when the next session starts */
    uint32_t     partition; /* one bit per direction that is cut */
} sim_slot;

/* One peer id, according to the events of the host. */
typedef struct sim_peer {
    sim_session *session; /* NULL: the attacker forged the whole join */
    bool         present;
    sb_endpoint  address;
    uint64_t     name;
    uint32_t     leaves;
    sb_time      left_at; /* in the world's time */
} sim_peer;

/* A source of datagrams, for the bound on what the host sends to a stranger. */
typedef struct sim_source {
    sb_endpoint endpoint;
    uint64_t    in, out;
    bool        proven;       /* a client joined from here, or was followed to here */
    bool        seated;       /* a join from here was forged as a whole */
    uint32_t    last_session; /* tag of the session that left there, until the next Connect */
} sim_source;

/* Forged datagrams of one kind that are still to be sent. */
typedef struct sim_burst {
    sim_forgery kind;
    sb_time     next, until;
    sb_time     gap_min, gap_max;
    int64_t     left; /* datagrams */
    uint32_t    victim_count;
    sb_endpoint victims[SIM_CLIENTS_MAX];
} sim_burst;

typedef enum sim_phase {
    SIM_ACTIVE,   /* the plan is carried out */
    SIM_SETTLING, /* the network is good, and no party sends new messages */
    SIM_IDLE,     /* only NoOps are allowed */
    SIM_NEWCOMER, /* a new client must be able to join */
    SIM_ENDING,   /* host or clients disconnect */
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
    sim_attacker       attacker;
    sim_burst          bursts[SIM_BURSTS_MAX];
    uint32_t           burst_count;
    uint8_t           *forged_seen; /* by serial number of the forged message: it was delivered */
    uint32_t           forged_capacity;
    sb_transport_host *host;
    void              *host_memory;
    sim_party          host_party;
    sim_peer           peers[256];
    uint32_t           peer_count;
    uint64_t           host_arrivals, host_joins, host_names, host_leaves;
    bool               host_stopping;
    bool               damage_accepted; /* by any endpoint */
    uint32_t           source_tag;      /* of the datagram that is being received */
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

/* Records the first broken invariant; the run ends. printf-like. */
void sim_violation(sim_world *world, const char *invariant, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Exempts a session from the checks of content and of how it ends. The protocol has neither a
 * checksum nor a session id: once a damaged datagram that still parses, or one of an earlier
 * session on the same port, was ACCEPTED, the receiver cannot detect it. Memory bounds,
 * deadlines, the endpoints' own checks and agreement on who is connected are still checked. */
void    sim_exempt(sim_world *world, sim_session *session, const char *why);
sb_time sim_own_time(const sim_world *world, const sim_party *party);
/* The session that runs at this address; NULL: none. */
sim_session *sim_session_at(sim_world *world, sb_endpoint endpoint);
/* Schedules the party's loop as soon as its ticks allow. */
void sim_wake(sim_world *world, sim_party *party);
/* Schedules the party's loop at a deadline in the party's own time. */
void sim_wake_at(sim_world *world, sim_party *party, sb_time deadline);
void sim_record(sim_recording *recording, uint32_t tag, sb_endpoint from, sb_endpoint to,
                sb_span datagram);
/* Sends a datagram over the network, and records it if the plan replays datagrams. */
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
/* True: both ends have joined and not left, and the client runs. */
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
/* Sends one message, if the session can send now. */
void sim_traffic_send(sim_world *world, sim_session *session, int way, sb_delivery delivery,
                      size_t size);
/* Sends one message, cut to the bytes that are free in the send queue. */
void sim_traffic_send_large(sim_world *world, sim_session *session, int way, size_t size);
void sim_traffic_bulk(sim_world *world, sim_session *session, int way, int64_t count);
/* Checks a received message. */
void sim_traffic_receive(sim_world *world, sim_session *session, int way,
                         const sb_transport_event *event);

/* ---- world_actions.c, world_strangers.c -------------------------------------------------------
 */

void sim_run_action(sim_world *world, const sim_action *action);
void sim_set_links(sim_world *world, uint32_t slot);
void sim_send_rubbish(sim_world *world, const sim_action *action);
void sim_send_stolen(sim_world *world, const sim_action *action);
void sim_send_flood(sim_world *world, const sim_action *action);
void sim_send_replay(sim_world *world, const sim_action *action);
void sim_send_lies(sim_world *world, const sim_action *action);

/* ---- world_attack.c: the off-path attacker -----------------------------------------------------
 */

void sim_attack_start(sim_world *world);
/* Begin a burst of forged datagrams of one kind, or a trickle. */
void sim_attack(sim_world *world, const sim_action *action);
void sim_attack_slowly(sim_world *world, const sim_action *action);
/* Begins to send Connects from random addresses, 1,000 a second, for `duration`. */
void sim_attack_newcomers(sim_world *world, sb_endpoint newcomer, sb_time duration);
/* Sends the forged datagrams that are due, and says when the next one is. */
void    sim_attack_advance(sim_world *world);
sb_time sim_attack_next(const sim_world *world);
/* True: the datagram that is being received is a forged one. */
bool sim_is_attack(const sim_world *world);
/* Deliver a forged datagram, and record what it could do. */
void sim_attack_host(sim_world *world, sb_endpoint from, sb_span datagram);
void sim_attack_client(sim_world *world, sim_session *session, sb_endpoint from, sb_span datagram);
/* Looks for Acks that take messages in flight from a sender because forged ones had their numbers:
 * before a genuine datagram arrives at the end that sends in the direction `way`. */
void sim_attack_check_acks(const sim_world *world, sim_session *session, int way, sb_span datagram);
/* Counts a delivered message if the attacker has forged it; false: it is not forged. A forged
 * message must not be delivered twice, either. */
bool sim_attack_delivered(sim_world *world, const sb_transport_event *event);

/* ---- invariants.c -----------------------------------------------------------------------------
 */

/* Check that the end of a session has a cause. */
void sim_check_client_left(sim_world *world, sim_session *session, const sb_transport_event *event);
void sim_check_host_left(sim_world *world, sim_session *session, const sb_transport_event *event);
/* Checks memory, retransmissions and lists; called every few steps. */
void sim_check_bounds(sim_world *world);
/* `before`, `after`: messages beyond the window that the receiver counted, around one datagram. */
void sim_check_window(sim_world *world, const sim_session *session, uint64_t before,
                      uint64_t after);
/* Adds the source if it is new. */
sim_source *sim_find_or_add_source(sim_world *world, sb_endpoint endpoint);
/* Checks how many bytes the host sent to a stranger. */
void sim_check_amplification(sim_world *world, const sim_source *source);
/* After settling: all ends agree, and everything has arrived. */
void sim_check_settled(sim_world *world);
void sim_check_idle(sim_world *world);
void sim_check_newcomer(sim_world *world, const sim_session *session);
void sim_check_end(sim_world *world);

#endif
