/* sim/world_internal.h -- the state of the simulated world, shared by world*.c and invariants.c.
 *
 * For:      world.c (time and phases), world_host.c and world_client.c (the two ends),
 *           world_traffic.c (messages), world_actions.c, world_strangers.c, world_liars.c and
 *           world_attack.c (the plan's actions), world_losses.c, world_questions.c,
 *           departures.c and invariants.c.
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
    SIM_QUESTION_NUMBERS = 6, /* of a question whether a client hears the host (spec 01 §5.4) */
    SIM_QUESTIONS_KEPT = 32,  /* of a seat: all of the last three seconds */
    SIM_LIE_BYTES = 60,       /* of a fragment of a liar */
    SIM_SHORT_BYTES = 3,      /* longer test messages name the seat of their receiver */
    /* Tag of a stranger's datagrams. A session's tag is its index + 1; the host uses the tag of the
     * receiving session, or 0 for an unknown address. */
    SIM_TAG_LIE = 0x8000, /* + index of the session that lies */
    SIM_TAG_STRANGER = 0xFFFF,
    SIM_TAG_FORGED = 0x10000, /* + sim_forgery: a datagram of the attacker */
};

/* An endpoint with its own clock and main loop: the host, or a client. */
typedef struct sim_party {
    sb_time offset_us; /* its clock minus the world's; never decreases */
    sb_time tick_us;
    sb_time wake; /* when to run its loop next, in the world's time */
} sim_party;

typedef struct sim_sent {
    uint32_t size;
    uint16_t seq;  /* its sequence number */
    sb_time  time; /* in the world's time */
} sim_sent;

/* One direction of a session: messages sent and messages arrived. */
typedef struct sim_ledger {
    sim_sent *messages; /* the reliable ones */
    uint16_t  next_seq;
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
    /* A forged reliable message was delivered since the last true one; and when a true one showed
     * that, in the world's time. */
    bool    usurped;
    bool    forged_data; /* a forged reliable message has arrived */
    sb_time exposed_at;
    /* Datagrams in the idle phase. */
    uint32_t idle_datagrams;
} sim_ledger;

typedef struct sim_recording {
    sb_endpoint from, to;
    uint32_t    tag;
    size_t      size;
    uint8_t     bytes[SB_DATAGRAM_MAX];
} sim_recording;

typedef struct sim_question {
    uint16_t numbers[SIM_QUESTION_NUMBERS];
} sim_question;

typedef struct sim_session {
    uint32_t             index, slot;
    sb_transport_client *client;
    void                *memory;
    sim_party            party;
    bool                 follows;         /* the slot had an earlier session */
    bool                 exempt;          /* see sim_exempt */
    bool                 attacked;        /* a forged datagram of it or for it has arrived */
    bool                 numbers_pending; /* the first sequence numbers are still to be set */
    /* The client's end. */
    bool            running; /* false: over, or vanished */
    bool            joined, leaving, left, vanished;
    bool            has_lied;              /* it has sent datagrams that no honest client sends */
    bool            has_lied_in_fragments; /* with fragments that contradict each other */
    bool            cautious;              /* as configured (starbase/transport.h) */
    uint8_t         id;
    sb_leave_reason reason;
    sb_time         begun, leaving_since; /* in the client's time, as all times here */
    sb_time         heard, heard_data;    /* the last datagram of the host arrived, with Data */
    sb_time         heard_life;           /* one with more than Acks, and no farewell */
    sb_time         answered;             /* the first Connect response arrived; 0: none */
    sb_time         answered_last;        /* the last one */
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
    uint32_t        asked;             /* Connects of it that reached the host */
    uint32_t        answers;           /* datagrams that the host sent it before it joined */
    bool            refused;           /* the host has refused its Connect */
    bool            refused_elsewhere; /* ... from another port than that of its seat */
    bool            heard_refusal;     /* a Boot of the host arrived before it had joined */
    uint32_t        seats;             /* seats that it had, one after the other */
    /* Bits of reliable messages that the host sent to these seats and that do not name their seat:
     * by size, and by the low byte of their number. */
    uint8_t short_before[SIM_SHORT_BYTES][256 / 8];

    /* Questions of the host (world_questions.c): to which seat, since when, in the host's time; has
     * an answer reached the host; has the client heard one and not answered it yet. */
    uint64_t     asked_seat;
    sb_time      asked_at, owes_since;
    uint32_t     asked_count;
    bool         has_shown, owes_answer, answers_late;
    sim_question questions_asked[SIM_QUESTIONS_KEPT], heard_question;

    sb_random     random;  /* for its traffic */
    sim_recording connect; /* its first datagram */
    sim_ledger    ledger[SIM_DIRECTIONS];
    /* Bits of Data numbers and fragments of which a copy has arrived, and of numbers that an Ack
     * took from their sender before that (world_losses.c). */
    uint8_t arrived[SIM_DIRECTIONS][65536 / 8];
    bool    control_arrived[SIM_DIRECTIONS][256]; /* by the low byte of the number */
    /* An Ack took a control message too early; the excuse of it was used, and counted. */
    bool    control_lost[SIM_DIRECTIONS], control_counted[SIM_DIRECTIONS];
    uint8_t lost[SIM_DIRECTIONS][65536 / 8];
    /* Bits of Data numbers under which a forged message was delivered, and of messages that were
     * missing when later ones came. */
    uint8_t usurped[SIM_DIRECTIONS][65536 / 8];
    uint8_t skipped[SIM_DIRECTIONS][65536 / 8];
    uint8_t questions[SIM_DIRECTIONS][65536 / 8]; /* under which a forged question has arrived */
    bool    seat_forged; /* a forged answer got it its seat: the client may have to ask again */
    sb_time next_reliable[SIM_DIRECTIONS], next_unreliable[SIM_DIRECTIONS];
} sim_session;

typedef struct sim_slot {
    sb_endpoint  endpoint;  /* as the host sees it */
    sim_session *session;   /* the last session; NULL: none yet */
    sb_time      start_at;  /* when the next session starts */
    uint32_t     partition; /* one bit per direction that is cut */
    sb_time      cut_until; /* the end of the last partition, or the last change of its address */
} sim_slot;

/* One peer id, according to the events of the host. */
typedef struct sim_peer {
    sim_session *session; /* NULL: the attacker forged the whole join */
    bool         present;
    sb_endpoint  address;
    uint64_t     name;
    uint32_t     leaves;
    sb_time      left_at; /* in the world's time */
    sb_time      heard;   /* a datagram of its session arrived, in the host's time */
    uint64_t     seat;    /* counts joins: no other has this number */
    bool         forged;  /* it joined by a forged datagram */
    bool         used;    /* a datagram of its session arrived under its id */
} sim_peer;

/* A source of datagrams, for the bound on what the host sends to a stranger. */
typedef struct sim_source {
    sb_endpoint endpoint;
    uint64_t    in, out;
    bool        seated;       /* a join from here was forged as a whole */
    bool        proven;       /* a client joined from here, or was followed to here */
    uint32_t    last_session; /* tag of the session that left there last */
    bool        asked;        /* a Connect has come from there since then */
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

/* A message of the attacker. */
typedef struct sim_forged_message {
    uint16_t seq;
    bool     believable; /* a copy arrived when nothing had shown that somebody forges messages */
    bool     delivered;
    uint64_t seat;     /* it was delivered to this seat, which nobody had; 0: to a session */
    uint32_t session;  /* its index + 1 */
    uint64_t receiver; /* the seat on the host, or the session of the client */
    int      way;
} sim_forged_message;

typedef enum sim_phase {
    SIM_ACTIVE,   /* the plan is carried out */
    SIM_SETTLING, /* the network is good, and no party sends new messages */
    SIM_IDLE,     /* only NoOps are allowed */
    SIM_NEWCOMER, /* a new client must be able to join */
    SIM_ENDING,   /* host or clients disconnect */
} sim_phase;

typedef struct sim_world {
    const sim_plan     *plan;
    sim_trace          *trace;
    sim_outcome        *outcome;
    sim_network        *network;
    sb_time             now;
    sim_phase           phase;
    sb_time             phase_started;
    uint64_t            steps;
    uint32_t            next_action;
    sb_random           strangers;
    sim_attacker        attacker;
    sim_burst           bursts[SIM_BURSTS_MAX];
    uint32_t            burst_count;
    sim_forged_message *forged; /* by serial number */
    uint32_t            forged_capacity;
    sb_transport_host  *host;
    void               *host_memory;
    sim_party           host_party;
    sim_peer            peers[256];
    uint32_t            peer_count;
    uint64_t            host_arrivals, host_joins, host_names, host_leaves;
    bool                host_stopping;
    uint32_t            forged_seats; /* peers that nobody is */
    uint32_t            source_tag;   /* of the datagram that is being received */
    sb_endpoint         source;
    sim_slot            slots[SIM_CLIENTS_MAX];
    sim_session        *sessions[SIM_SESSIONS_MAX];
    uint32_t            session_count;
    sim_source          sources[SIM_SOURCES];
    sim_recording       recordings[SIM_RECORDINGS];
    uint64_t            recording_count;
    uint8_t             scratch[SB_PAYLOAD_MAX + 8];
} sim_world;

/* ---- world.c: time and phases --------------------------------------------------------------- */

/* Records the first broken invariant; the run ends. printf-like. */
void sim_violation(sim_world *world, const char *invariant, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Exempts a session from the checks of content and of how it ends. The protocol has neither a
 * checksum nor a session id: once a damaged datagram that still parses, or one of an earlier
 * session on the same port, was ACCEPTED, the receiver cannot detect it. Memory bounds,
 * deadlines, the endpoints' own checks and agreement on who is connected are still checked. */
void    sim_exempt(sim_world *world, sim_session *session, sim_exemption cause, const char *why);
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
/* True: the client learns names and departures of other players from the host only: it believes
 * forged ones if it is not cautious. */
bool sim_session_knows_others(const sim_world *world, const sim_session *session);
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
/* The session has another seat: its messages are counted anew. */
void sim_traffic_start_anew(sim_session *session, uint8_t id);
/* True: the host sent the message for an earlier seat of this client. */
bool sim_is_of_earlier_seat(const sim_session *session, sb_span bytes);
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
/* Begin to send Connects, or whole joins, from random addresses, 1,000 a second, for `duration`. */
void sim_attack_newcomers(sim_world *world, sb_endpoint newcomer, sb_time duration);
void sim_attack_seats(sim_world *world, sb_endpoint newcomer, sb_time duration);
/* Sends the forged datagrams that are due, and says when the next one is. */
void    sim_attack_advance(sim_world *world);
sb_time sim_attack_next(const sim_world *world);
/* True: the datagram that is being received is a forged one. */
bool sim_is_attack(const sim_world *world);
/* Records the forged datagram that is being received; `victim`: at its source or target, or NULL.
 */
void sim_record_forged(sim_world *world, sim_session *victim, int way, sb_span datagram);
/* The peer that has a seat at this address; NULL: none. */
sim_peer *sim_peer_at(sim_world *world, sb_endpoint address);
/* Counts a delivered message if the attacker has forged it; false: it is not forged. A forged
 * message must not be delivered twice, either. */
bool sim_attack_delivered(sim_world *world, sim_session *session, int way,
                          const sb_transport_event *event);
/* The session has taken over a forged seat, with the numbers that forged messages have used up. */
void sim_inherit_usurped(const sim_world *world, sim_session *session, uint64_t seat);
/* The numbers of this direction now belong to other messages: copies of forged ones are new. */
void sim_forget_forged(sim_world *world, const sim_session *session, int way);

/* ---- world_questions.c: does the client hear the host? ----------------------------------------
 */

/* The host sends a datagram to this seat of the session: it may be a question. */
void sim_watch_question(const sim_world *world, sim_session *session, uint64_t seat,
                        sb_span datagram);
/* A datagram of the host has reached the client. */
void sim_hear_question(const sim_world *world, sim_session *session, const sb_datagram *datagram);
/* The client sends a datagram: it may be the answer. */
void sim_watch_answer(const sim_world *world, sim_session *session, sb_span datagram);
/* It has reached the host. */
void sim_hear_answer(sim_session *session, const sb_datagram *datagram);
/* True: the host has asked this seat for two seconds and got no answer, although the client has
 * answered every question that reached it. */
bool sim_lost_answers(const sim_world *world, const sim_session *session, uint64_t seat);

/* ---- world_losses.c: messages that an Ack took from their sender too early
 * -----------------------
 */

/* Acks of messages in flight of which no copy has arrived. */
typedef struct sim_acks {
    uint32_t             count;
    sb_transport_message acks[255];
} sim_acks;

/* Decrypts and parses a copy in `plain` (SIM_DATAGRAM_MAX bytes); false: it is malformed. */
bool sim_open_datagram(sb_span datagram, uint8_t *plain, sb_datagram *out);
/* A datagram of the session arrives at the receiver of the direction. */
void sim_record_arrivals(sim_session *session, int way, const sb_datagram *datagram);
/* Any datagram arrives at the sender of the direction: before and after it is received. */
void sim_watch_acks(const sim_world *world, const sim_session *session, int way,
                    const sb_datagram *datagram, sim_acks *out);
/* True: a control message may be missing; counted, and bounded over all seeds (main.c). */
bool sim_excuse_control(sim_world *world, sim_session *session, int way);
void sim_record_lost(const sim_world *world, sim_session *session, int way, const sim_acks *acks);
/* True: an Ack took this message of the ledger from its sender before a copy of it had arrived. */
bool sim_may_be_lost(const sim_session *session, int way, uint32_t message);
/* True: it did so with the next message that is due, or an empty one before it, of which no event
 * tells. */
bool sim_waits_for_lost(const sim_session *session, int way);
/* A forged message was delivered under this number: the true one may come late. */
void sim_record_usurped(sim_session *session, int way, uint16_t seq);
/* A forged question (spec 01 §5.4) has arrived under this number. If the number is not old, it is
 * Data of one byte, and looks like any other. */
void sim_record_question(sim_session *session, int way, uint16_t seq);
/* True: the delivered message is such a question, under the number that is due or a later one. */
bool sim_take_question(sim_session *session, int way, sb_span bytes);
bool sim_may_be_late(const sim_session *session, int way, uint32_t message);
/* The message is missing, and a later one has come; true from take: it was missing, and comes now.
 */
void sim_record_skipped(sim_session *session, int way, uint32_t message);
bool sim_take_skipped(sim_session *session, int way, uint32_t message);

/* ---- departures.c: why sessions end ------------------------------------------------------------
 */

/* Check that the end of a session, or the refusal of its Connect, has a cause. */
void sim_check_client_left(sim_world *world, sim_session *session, const sb_transport_event *event);
void sim_check_host_left(sim_world *world, sim_session *session, const sb_transport_event *event);
void sim_check_refusal(sim_world *world, const sim_session *session,
                       const sb_connect_refusal *refusal);

/* ---- invariants.c -----------------------------------------------------------------------------
 */

/* Checks memory, retransmissions and lists; called every few steps. */
void sim_check_bounds(sim_world *world);
/* `before`, `after`: messages beyond the window that the receiver counted, around one datagram. */
void sim_check_window(sim_world *world, const sim_session *session, int way, uint64_t before,
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
