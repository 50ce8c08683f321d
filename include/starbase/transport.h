/* starbase/transport.h -- conversations with peers over datagrams that get lost. Spec 01 §5-§10.
 *
 * For:      a host with many peers on one socket, and a client of such a host. Messages are opaque
 *           bytes with a delivery class; what they mean is the business of starbase/message.h.
 * Never:    touches a socket, a clock or the heap: datagrams and time go in, datagrams, events and
 *           the next deadline come out. An endpoint lives in memory that the caller provides.
 *
 * How to turn the crank, for either side:
 *
 *     receive each datagram that arrived, and after each:
 *         while (next_event) act on it, which may queue messages
 *     while (next_event) act on it                       (timers that ran out)
 *     while (write_datagram) put it on the socket
 *     sleep until a datagram arrives or until next_deadline
 *
 * Times are microseconds of a clock that never goes back; an older time counts as the latest one.
 */
#ifndef STARBASE_TRANSPORT_H
#define STARBASE_TRANSPORT_H

#include <starbase/base.h>
#include <starbase/datagram.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SB_PEERS_LIMIT = 120,        /* ids 2..127 without 0x5C, and some for who is just leaving */
    SB_PAYLOAD_MAX = 103529,     /* 255 fragments (spec 01 §7.1) */
    SB_PAYLOAD_UNJOINED = 25983, /* 64 fragments, until the caller says that a peer is trusted */
    SB_NAME_UNITS = 31,          /* UTF-16 units of a name that are kept (spec 01 §9) */
    SB_PASSWORD_UNITS = 31,
};

/* How long to wait for an Ack before a reliable message is sent again (spec 01 §6.5). */
typedef enum sb_retransmit {
    SB_RETRANSMIT_STOCK,    /* 1, 2, 3, 4, 5, 5 ... s, as the game does */
    SB_RETRANSMIT_MEASURED, /* by measured round trips, and at once when later ones got through */
} sb_retransmit;

/* Why a conversation ended. */
typedef enum sb_leave_reason {
    SB_LEFT_QUIT,          /* the client said so */
    SB_LEFT_TIMED_OUT,     /* nothing valid came for `timeout_us` */
    SB_LEFT_BOOTED,        /* the host removed the client; `boot_reason` says why */
    SB_LEFT_STALLED,       /* reliable messages were not acknowledged, or too many are waiting */
    SB_LEFT_FLOODED,       /* over its budget for 10 s (spec 01 §10.6) */
    SB_LEFT_BAD_FRAGMENTS, /* three fragments that contradict others (spec 01 §7.2) */
    SB_LEFT_RESTARTED,   /* a new Connect came from the address of a silent peer (spec 01 §5.2) */
    SB_LEFT_HOST_CLOSED, /* the host stops */
    SB_LEFT_NO_ANSWER,   /* client: the host never answered the Connect */
    SB_LEFT_REASON_COUNT
} sb_leave_reason;

/* "timed out", "host closed" ...; for logs. Never NULL. */
SB_API const char *sb_leave_reason_text(sb_leave_reason reason);

typedef enum sb_transport_event_type {
    SB_EVENT_JOINED,  /* host: a peer is established; client: we are, and peer_id is ours */
    SB_EVENT_NAMED,   /* the player peer_id has (changed) its name: bytes, UTF-16LE, cleaned */
    SB_EVENT_MESSAGE, /* a Data message: bytes, delivery; empty ones are not told (§4.11) */
    SB_EVENT_LEFT,    /* host: the peer is gone; client: that player is gone (reason QUIT or
                         BOOTED), or, with our own id or SB_PEER_NONE, the conversation is over */
} sb_transport_event_type;

typedef struct sb_transport_event {
    sb_transport_event_type type;
    uint8_t                 peer_id;  /* whom it is about; for a client's messages SB_PEER_HOST */
    sb_delivery             delivery; /* MESSAGE: which way it came */
    sb_leave_reason         reason;   /* LEFT */
    uint8_t                 boot_reason; /* LEFT by BOOTED: an sb_boot_reason, or what came */
    sb_endpoint             address;     /* host: the peer's */
    sb_span                 bytes;       /* lent until the next call on the endpoint */
} sb_transport_event;

/* What is counted, always. The first part are refusals: each names one reason why something that
 * arrived had no effect (spec 01 §10.2, §10.3). X(name, what it means) */
#define SB_TRANSPORT_COUNTERS(X)                                                                   \
    X(SB_TRANSPORT_COUNT_TOO_SHORT, "too_short", "datagrams of less than 2 bytes")                 \
    X(SB_TRANSPORT_COUNT_TOO_LONG, "too_long", "datagrams above 1500 bytes")                       \
    X(SB_TRANSPORT_COUNT_NOT_GAME, "not_game", "queries, which are not the transport's business")  \
    X(SB_TRANSPORT_COUNT_WRONG_DIRECTION, "wrong_direction",                                       \
      "datagrams under the host's id at a host, under a client's at a client")                     \
    X(SB_TRANSPORT_COUNT_BAD_ID, "bad_id", "first bytes that are no peer id")                      \
    X(SB_TRANSPORT_COUNT_UNKNOWN_SOURCE, "unknown_source",                                         \
      "datagrams from addresses that never connected")                                             \
    X(SB_TRANSPORT_COUNT_ID_MISMATCH, "id_mismatch",                                               \
      "datagrams of a known address under an id that is not its own")                              \
    X(SB_TRANSPORT_COUNT_OVER_BUDGET, "over_budget",                                               \
      "datagrams beyond the budget of an established peer")                                        \
    X(SB_TRANSPORT_COUNT_CONNECT_LENGTH, "connect_length",                                         \
      "first datagrams of a length no Connect has")                                                \
    X(SB_TRANSPORT_COUNT_NOT_A_CONNECT, "not_a_connect", "first datagrams without a Connect")      \
    X(SB_TRANSPORT_COUNT_CONNECT_RATE_SOURCE, "connect_rate_source",                               \
      "Connects beyond the rate of one address")                                                   \
    X(SB_TRANSPORT_COUNT_CONNECT_RATE_TOTAL, "connect_rate_total",                                 \
      "Connects beyond the rate of all strangers together")                                        \
    X(SB_TRANSPORT_COUNT_HALF_OPEN_SOURCE, "half_open_source",                                     \
      "Connects beyond the half-open entries of one address")                                      \
    X(SB_TRANSPORT_COUNT_HALF_OPEN_TOTAL, "half_open_total",                                       \
      "Connects beyond all half-open entries or ids")                                              \
    X(SB_TRANSPORT_COUNT_REFUSED_FULL, "refused_full", "Connects refused: too many players")       \
    X(SB_TRANSPORT_COUNT_REFUSED_SOURCE, "refused_source",                                         \
      "Connects refused: too many peers behind one address")                                       \
    X(SB_TRANSPORT_COUNT_REFUSED_PASSWORD, "refused_password", "Connects refused: wrong password") \
    X(SB_TRANSPORT_COUNT_REFUSED_BANNED, "refused_banned",                                         \
      "Connects refused by the admission rule")                                                    \
    X(SB_TRANSPORT_COUNT_MALFORMED, "malformed", "datagrams with a structural error")              \
    X(SB_TRANSPORT_COUNT_UNKNOWN_TYPE, "unknown_type",                                             \
      "datagrams with a message type nobody knows")                                                \
    X(SB_TRANSPORT_COUNT_REST_IGNORED, "rest_ignored",                                             \
      "datagrams with bytes behind the last message")                                              \
    X(SB_TRANSPORT_COUNT_DUPLICATE, "duplicate", "reliable messages that had arrived before")      \
    X(SB_TRANSPORT_COUNT_BEYOND_BUFFER, "beyond_buffer",                                           \
      "reliable messages further ahead than the window")                                           \
    X(SB_TRANSPORT_COUNT_OUT_OF_WINDOW, "out_of_window",                                           \
      "reliable messages with a number from nowhere")                                              \
    X(SB_TRANSPORT_COUNT_NO_ROOM, "no_room",                                                       \
      "early messages and fragments for which the buffer had no room")                             \
    X(SB_TRANSPORT_COUNT_BAD_FRAGMENT, "bad_fragment", "fragments that contradict earlier ones")   \
    X(SB_TRANSPORT_COUNT_UNRELIABLE_CONTROL, "unreliable_control",                                 \
      "control messages that are not reliable")                                                    \
    X(SB_TRANSPORT_COUNT_BAD_CONTROL, "bad_control", "control messages that cannot be read")       \
    X(SB_TRANSPORT_COUNT_UNEXPECTED_CONTROL, "unexpected_control",                                 \
      "control messages that this side does not expect")                                           \
    X(SB_TRANSPORT_COUNT_FOREIGN_NAME, "foreign_name", "names for somebody else's id")             \
    X(SB_TRANSPORT_COUNT_FOREIGN_DISCONNECT, "foreign_disconnect",                                 \
      "disconnects for somebody else's id")                                                        \
    X(SB_TRANSPORT_COUNT_LATE, "late", "what belongs to a conversation that is over")              \
    X(SB_TRANSPORT_COUNT_UNMATCHED_ACK, "unmatched_ack",                                           \
      "acknowledgements of nothing; normal with stock peers")                                      \
    X(SB_TRANSPORT_COUNT_DROPPED_ACK, "dropped_ack",                                               \
      "acknowledgements not sent because too many were waiting")                                   \
    X(SB_TRANSPORT_COUNT_DROPPED_UNRELIABLE, "dropped_unreliable",                                 \
      "unreliable messages not sent because too many were waiting")                                \
    X(SB_TRANSPORT_COUNT_DROPPED_EVENT, "dropped_event",                                           \
      "names that were replaced before anybody was told")                                          \
    X(SB_TRANSPORT_COUNT_DROPPED_ANSWER, "dropped_answer",                                         \
      "answers to strangers not sent because too many were waiting")                               \
    /* From here on no refusals. */                                                                \
    X(SB_TRANSPORT_COUNT_DATAGRAMS_IN, "datagrams_in", "datagrams accepted")                       \
    X(SB_TRANSPORT_COUNT_HALF_OPEN_REPLACED, "half_open_replaced",                                 \
      "half-open entries that made way for a newer one")                                           \
    X(SB_TRANSPORT_COUNT_BYTES_IN, "bytes_in", "bytes in them")                                    \
    X(SB_TRANSPORT_COUNT_MESSAGES_IN, "messages_in", "transport messages in them")                 \
    X(SB_TRANSPORT_COUNT_DATAGRAMS_OUT, "datagrams_out", "datagrams written")                      \
    X(SB_TRANSPORT_COUNT_BYTES_OUT, "bytes_out", "bytes in them")                                  \
    X(SB_TRANSPORT_COUNT_MESSAGES_OUT, "messages_out", "transport messages in them")               \
    X(SB_TRANSPORT_COUNT_RETRANSMITTED, "retransmitted",                                           \
      "reliable messages and fragments sent again, by time")                                       \
    X(SB_TRANSPORT_COUNT_RETRANSMITTED_FAST, "retransmitted_fast",                                 \
      "the same, because later ones were acknowledged")                                            \
    X(SB_TRANSPORT_COUNT_CONNECTS, "connects", "Connects that got a half-open entry")              \
    X(SB_TRANSPORT_COUNT_JOINED, "joined", "peers that became established")                        \
    X(SB_TRANSPORT_COUNT_REBOUND, "rebound",                                                       \
      "peers that moved to another port of their address (spec 01 §10.5)")

typedef enum sb_transport_counter {
#define SB_COUNTER_NAME(id, name, text) id,
    SB_TRANSPORT_COUNTERS(SB_COUNTER_NAME)
#undef SB_COUNTER_NAME
        SB_TRANSPORT_COUNTER_COUNT,
    SB_TRANSPORT_REFUSAL_COUNT = SB_TRANSPORT_COUNT_DATAGRAMS_IN, /* refusals come first */
} sb_transport_counter;

/* The identifier, such as "too_short", and the sentence. Never NULL. */
SB_API const char *sb_transport_counter_name(sb_transport_counter counter);
SB_API const char *sb_transport_counter_text(sb_transport_counter counter);

/* How it goes with one peer, for displays, tests and decisions of the caller. */
typedef struct sb_peer_info {
    uint8_t     peer_id;
    sb_endpoint address;
    sb_time     heard_at;       /* when something valid arrived last */
    sb_time     round_trip_us;  /* smoothed; 0: not measured yet */
    sb_time     resend_us;      /* how long a first send waits for its Ack now */
    uint32_t    unacknowledged; /* reliable messages and fragments on their way, both channels */
    uint32_t    queued;         /* messages and fragments not sent yet */
    uint32_t    stored;         /* early messages and fragments that wait for others */
    uint32_t    stored_bytes;
    uint32_t    cells; /* of memory, both directions (SB_CELL_BYTES each) */
    uint64_t    retransmitted;
} sb_peer_info;

enum { SB_CELL_BYTES = 128 }; /* unit of message memory */

/* ---- The host ----------------------------------------------------------------------------- */

typedef struct sb_transport_host sb_transport_host;

/* What sb_transport_host_defaults sets; every number of spec 01 §9 and §10.6 that can be chosen. */
typedef struct sb_transport_host_config {
    uint64_t      seed;           /* of the address table, against chosen collisions */
    uint32_t      max_peers;      /* 16; at most SB_PEERS_LIMIT */
    uint32_t      peers_per_ip;   /* 4; 0: no limit */
    sb_retransmit retransmit;     /* stock */
    sb_time       ack_delay_us;   /* 0: with the next write; at most 50 ms (spec 01 §6.3) */
    sb_time       timeout_us;     /* 45 s */
    uint32_t      local_address;  /* 0; the host's own, in its Disconnect when it stops (§4.10) */
    bool          leave_notice;   /* true: Disconnect and Boot go to the others too (§8.3) */
    bool          hide_addresses; /* false: players' own addresses are passed on (§10.3) */
    bool          rebind;         /* true: a peer may change its port (§10.5) */
    uint32_t      send_cells;     /* 160: memory of one peer nobody else can take ... */
    uint32_t      receive_cells;  /* 96 */
    uint32_t      shared_cells; /* 1024: ... what all share beyond that, for queues and early ... */
    uint32_t      assembly_cells;  /* 1024: ... and for messages in fragments, whose turn it is */
    uint32_t      datagrams_per_s; /* 300, burst twice that; of an established peer (§10.6) */
    uint32_t      messages_per_s;  /* 10,000 */
    uint32_t      bytes_per_s;     /* 262,144 */
    sb_span       password;        /* UTF-16LE without terminator; borrowed until init returns */
    /* Decides about a Connect, after password and limits; NULL: all are welcome. Returns true, or
     * false with the sb_boot_reason to refuse with. */
    bool (*admit)(void *context, sb_endpoint from, const sb_connect_request *request,
                  uint8_t *boot_reason);
    void *admit_context;
} sb_transport_host_config;

SB_API void sb_transport_host_defaults(sb_transport_host_config *config);

/* Memory the host needs, all of it: nothing is allocated later. 0: the configuration is not
 * possible (max_peers 0 or above the limit, ack_delay_us above 50 ms, password too long ...). */
SB_API size_t sb_transport_host_bytes(const sb_transport_host_config *config);

/* Makes a host in `memory` (borrowed as long as it is used, aligned like malloc's, at least
 * sb_transport_host_bytes). Nothing is to be released later. */
SB_API sb_transport_host *
sb_transport_host_init(void *memory, const sb_transport_host_config *config, sb_time now);

/* Takes one datagram as it came off the socket (borrowed). Anything but SB_OK: it was dropped and
 * counted, and nothing else changed, except that a peer over its budget for too long is removed.
 * Take all events after each datagram, also after a refused one. */
SB_API SB_MUST_USE sb_result sb_transport_host_receive(sb_transport_host *host, sb_time now,
                                                       sb_endpoint from, sb_span datagram);
/* Gives what happened up to `now`; false: nothing more. */
SB_API bool sb_transport_host_next_event(sb_transport_host *host, sb_time now,
                                         sb_transport_event *event);
/* Queues a Data message for one peer; copies it. What is too long for one message becomes reliable
 * (spec 01 §7.1). SB_NOT_ALLOWED: no such peer. SB_BAD_VALUE: longer than SB_PAYLOAD_MAX. SB_FULL:
 * not queued; an unreliable message is simply lost, a reliable one ends the conversation (LEFT,
 * STALLED), because it may not be missing: ask sb_transport_host_free_bytes before great amounts.
 */
SB_API SB_MUST_USE sb_result sb_transport_host_send(sb_transport_host *host, uint8_t peer_id,
                                                    sb_delivery delivery, sb_span message);
/* How many bytes of one more reliable message surely fit; 0 for an unknown peer. */
SB_API size_t sb_transport_host_free_bytes(const sb_transport_host *host, uint8_t peer_id);
/* Writes one datagram that is due at `now`, encrypted, and to whom; returns its size, 0 when
 * nothing is due. `out` has room for SB_DATAGRAM_MAX bytes. */
SB_API size_t sb_transport_host_write(sb_transport_host *host, sb_time now, sb_endpoint *to,
                                      uint8_t *out);
/* When to turn the crank again even if nothing arrives; SB_TIME_NEVER: only input matters. Once
 * next_event and write have nothing more at `now`, it lies after `now`. */
SB_API sb_time sb_transport_host_next_deadline(const sb_transport_host *host);

/* Removes a peer: Boot to it and, by leave_notice, to the others; a LEFT event follows. */
SB_API void sb_transport_host_boot(sb_transport_host *host, sb_time now, uint8_t peer_id,
                                   uint8_t boot_reason);
/* Says goodbye to all peers and accepts nobody any more. Keep turning the crank until
 * sb_transport_host_is_stopped: all have acknowledged, or a second has passed. */
SB_API void sb_transport_host_stop(sb_transport_host *host, sb_time now);
SB_API bool sb_transport_host_is_stopped(const sb_transport_host *host);

/* The peer has shown that it is a player (checksums done): its messages may have 255 fragments
 * instead of 64 (spec 01 §9). */
SB_API void     sb_transport_host_trust(sb_transport_host *host, uint8_t peer_id);
SB_API bool     sb_transport_host_peer(const sb_transport_host *host, uint8_t peer_id,
                                       sb_peer_info *info);
SB_API uint32_t sb_transport_host_peer_count(const sb_transport_host *host);
/* How many Connects were refused with a Boot so far, and the last of them: for logs. */
SB_API uint64_t sb_transport_host_refusals(const sb_transport_host *host, sb_endpoint *last,
                                           uint8_t *boot_reason);
SB_API uint64_t sb_transport_host_counter(const sb_transport_host *host,
                                          sb_transport_counter     counter);

/* ---- The client --------------------------------------------------------------------------- */

typedef struct sb_transport_client sb_transport_client;

typedef struct sb_transport_client_config {
    sb_endpoint   server;
    uint32_t      local_address;    /* announced in Connect, Name and Disconnect (spec 01 §4.6) */
    uint16_t      local_port;       /* announced in Connect (spec 01 §13 Q3) */
    sb_span       name;             /* UTF-16LE without terminator; borrowed until init returns */
    sb_span       password;         /* likewise */
    sb_retransmit retransmit;       /* stock */
    sb_time       ack_delay_us;     /* 0 */
    sb_time       timeout_us;       /* 45 s */
    sb_time       connect_limit_us; /* 15 s: then NO_ANSWER */
    uint32_t      message_limit;    /* 32 per datagram (spec 01 §6.9); at most 255 */
    uint32_t      cells;            /* 4096 */
    bool          plain_fragment_acks; /* true: live with hosts that acknowledge fragments without
                                          their index, as OpenBC does (spec 01 §12 row 9) */
    bool eight_bit_host;               /* false: the host counts its messages to 255 only, as OpenBC
                                          does (spec 01 §6.9); never for a stock host */
} sb_transport_client_config;

SB_API void sb_transport_client_defaults(sb_transport_client_config *config);
/* As for the host. */
SB_API size_t sb_transport_client_bytes(const sb_transport_client_config *config);
/* Starts to connect at once. */
SB_API sb_transport_client *
sb_transport_client_init(void *memory, const sb_transport_client_config *config, sb_time now);
SB_API SB_MUST_USE sb_result sb_transport_client_receive(sb_transport_client *client, sb_time now,
                                                         sb_endpoint from, sb_span datagram);
SB_API bool sb_transport_client_next_event(sb_transport_client *client, sb_time now,
                                           sb_transport_event *event);
/* As for the host; SB_NOT_ALLOWED: not (or no longer) connected. */
SB_API SB_MUST_USE sb_result sb_transport_client_send(sb_transport_client *client,
                                                      sb_delivery delivery, sb_span message);
SB_API size_t                sb_transport_client_free_bytes(const sb_transport_client *client);
/* Everything goes to the server. */
SB_API size_t  sb_transport_client_write(sb_transport_client *client, sb_time now, uint8_t *out);
SB_API sb_time sb_transport_client_next_deadline(const sb_transport_client *client);
/* A new name for ourselves (UTF-16LE without terminator; copied). */
SB_API SB_MUST_USE sb_result sb_transport_client_rename(sb_transport_client *client, sb_span name);
/* Says goodbye; LEFT with QUIT comes when the host has acknowledged it, or after 3 s. */
SB_API void sb_transport_client_leave(sb_transport_client *client, sb_time now);
/* After LEFT about ourselves and the last write: nothing will happen any more. */
SB_API bool sb_transport_client_is_over(const sb_transport_client *client);
/* Our id; SB_PEER_NONE before JOINED. */
SB_API uint8_t  sb_transport_client_id(const sb_transport_client *client);
SB_API bool     sb_transport_client_peer(const sb_transport_client *client, sb_peer_info *info);
SB_API uint64_t sb_transport_client_counter(const sb_transport_client *client,
                                            sb_transport_counter       counter);

#ifdef __cplusplus
}
#endif
#endif
