/* starbase/transport.h -- sessions with peers over unreliable datagrams. Spec 01 §5-§10.
 *
 * For:      a host with many peers on one socket, and a client of such a host. Messages are opaque
 *           bytes with a delivery class; starbase/message.h gives them meaning.
 * Never:    touches a socket, a clock or the heap: datagrams and time go in; datagrams, events and
 *           the next deadline come out. An endpoint lives in memory that the caller provides.
 *
 * The main loop of either side:
 *
 *     receive each datagram that arrived, and after each:
 *         while (next_event) handle the event; handlers may queue messages
 *     while (next_event) handle the event                (timers that expired)
 *     while (write_datagram) send the datagram on the socket
 *     sleep until a datagram arrives or until next_deadline
 *
 * Times are microseconds of a monotonic clock; an earlier time than the latest one seen counts as
 * the latest one.
 */
#ifndef STARBASE_TRANSPORT_H
#define STARBASE_TRANSPORT_H

#include <starbase/base.h>
#include <starbase/datagram.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SB_PEERS_LIMIT = 120,        /* ids 2..127 without 0x5C, minus a few for leaving peers */
    SB_PAYLOAD_MAX = 103529,     /* 255 fragments (spec 01 §7.1) */
    SB_PAYLOAD_UNJOINED = 25983, /* 64 fragments: the limit before sb_transport_host_trust */
    SB_NAME_UNITS = 31,          /* a longer name is cut to this (UTF-16 units; spec 01 §9) */
    SB_PASSWORD_UNITS = 31,
};

/* When a reliable message without an Ack is retransmitted (spec 01 §6.5). */
typedef enum sb_retransmit {
    SB_RETRANSMIT_STOCK,    /* after 1, 2, 3, 4, 5, 5 ... s, as the game does */
    SB_RETRANSMIT_MEASURED, /* by measured round trip times, with fast retransmission */
} sb_retransmit;

/* Why a session ended. */
typedef enum sb_leave_reason {
    SB_LEFT_QUIT,        /* the client sent a Disconnect and fell silent (spec 01 §8.4) */
    SB_LEFT_TIMED_OUT,   /* no valid datagram arrived for `timeout_us` */
    SB_LEFT_BOOTED,      /* the host removed the peer; `boot_reason` says why */
    SB_LEFT_STALLED,     /* no Ack for 60 s, or the send queue overflowed */
    SB_LEFT_RESTARTED,   /* a new session began at the address of a silent peer (spec 01 §5.2) */
    SB_LEFT_GAVE_WAY,    /* a newcomer needed the seat of a peer that did not answer (§5.4) */
    SB_LEFT_HOST_CLOSED, /* the host stopped */
    SB_LEFT_NO_ANSWER,   /* client: the host never answered the Connect */
    SB_LEFT_MADE_ROOM,   /* a house peer: a newcomer needed its seat (sb_endpoint_is_house) */
    SB_LEFT_REASON_COUNT
} sb_leave_reason;

/* Text for logs: "timed out", "host closed" ... Never NULL. */
SB_API const char *sb_leave_reason_text(sb_leave_reason reason);

typedef enum sb_transport_event_type {
    SB_EVENT_JOINED,  /* host: a peer is established; client: connected, peer_id is its own id */
    SB_EVENT_NAMED,   /* the player peer_id has a new name: bytes, cleaned, UTF-16LE */
    SB_EVENT_MESSAGE, /* a Data message: bytes, delivery; empty ones are not reported (§4.11) */
    SB_EVENT_LEFT,    /* host: the peer is gone; client: that player is gone (reason QUIT or
                         BOOTED), or the session is over (own id or SB_PEER_NONE) */
} sb_transport_event_type;

typedef struct sb_transport_event {
    sb_transport_event_type type;
    uint8_t                 peer_id;     /* the subject; for a client's messages SB_PEER_HOST */
    sb_delivery             delivery;    /* MESSAGE: how it was sent */
    sb_leave_reason         reason;      /* LEFT */
    uint8_t                 boot_reason; /* LEFT by BOOTED: an sb_boot_reason or an unknown byte */
    sb_endpoint             address;     /* host: of the peer; client: of the server */
    sb_span                 bytes;       /* lent until the next call on the endpoint */
} sb_transport_event;

/* Counters, always on: X(id, stable name, text). The refusals come first: each names one reason why
 * something that arrived had no effect (spec 01 §10.2, §10.3). */
#define SB_TRANSPORT_COUNTERS(X)                                                                   \
    X(SB_TRANSPORT_COUNT_TOO_SHORT, "too_short", "datagrams dropped: shorter than 2 bytes")        \
    X(SB_TRANSPORT_COUNT_TOO_LONG, "too_long", "datagrams dropped: longer than 1500 bytes")        \
    X(SB_TRANSPORT_COUNT_NOT_GAME, "not_game",                                                     \
      "datagrams dropped: GameSpy queries, not game traffic")                                      \
    X(SB_TRANSPORT_COUNT_WRONG_DIRECTION, "wrong_direction",                                       \
      "datagrams dropped: sent to a host under the host's id, or to a client under a client's")    \
    X(SB_TRANSPORT_COUNT_BAD_ID, "bad_id", "datagrams dropped: the first byte is not a peer id")   \
    X(SB_TRANSPORT_COUNT_UNKNOWN_SOURCE, "unknown_source",                                         \
      "datagrams dropped: the address has no session")                                             \
    X(SB_TRANSPORT_COUNT_ID_MISMATCH, "id_mismatch",                                               \
      "datagrams dropped: a known address with a peer id that is not its own")                     \
    X(SB_TRANSPORT_COUNT_OVER_BUDGET, "over_budget",                                               \
      "datagrams dropped: the peer exceeded its budget")                                           \
    X(SB_TRANSPORT_COUNT_WITHOUT_ID_RATE, "without_id_rate",                                       \
      "datagrams dropped: too many without an id from the address of a peer")                      \
    X(SB_TRANSPORT_COUNT_CONNECT_LENGTH, "connect_length",                                         \
      "first datagrams dropped: no Connect has this length")                                       \
    X(SB_TRANSPORT_COUNT_NOT_A_CONNECT, "not_a_connect",                                           \
      "first datagrams dropped: they hold no Connect")                                             \
    X(SB_TRANSPORT_COUNT_CONNECT_RATE_SOURCE, "connect_rate_source",                               \
      "Connects and answers dropped: rate limit of the 256 addresses of a /24")                    \
    X(SB_TRANSPORT_COUNT_CONNECT_RATE_TOTAL, "connect_rate_total",                                 \
      "Connects and answers dropped: rate limit of all addresses without a session")               \
    X(SB_TRANSPORT_COUNT_NO_ID, "no_id", "Connects dropped: no peer id is free")                   \
    X(SB_TRANSPORT_COUNT_ID_COLLISION, "id_collision",                                             \
      "newcomers refused: another one was told the same id and answered first")                    \
    X(SB_TRANSPORT_COUNT_UNPROVEN, "unproven",                                                     \
      "answers of newcomers put off: the peer first has to show that it hears the host")           \
    X(SB_TRANSPORT_COUNT_NO_SEAT_YET, "no_seat_yet",                                               \
      "answers of newcomers put off: another peer may give way soon")                              \
    X(SB_TRANSPORT_COUNT_REFUSED_FULL, "refused_full", "Connects refused: too many players")       \
    X(SB_TRANSPORT_COUNT_REFUSED_SOURCE, "refused_source",                                         \
      "Connects refused: too many peers behind one address")                                       \
    X(SB_TRANSPORT_COUNT_REFUSED_OVERLOAD, "refused_overload",                                     \
      "Connects refused: the machine has too much to do")                                          \
    X(SB_TRANSPORT_COUNT_REFUSED_PASSWORD, "refused_password", "Connects refused: wrong password") \
    X(SB_TRANSPORT_COUNT_REFUSED_BANNED, "refused_banned",                                         \
      "Connects refused: by the admission rule")                                                   \
    X(SB_TRANSPORT_COUNT_MALFORMED, "malformed", "datagrams dropped: structural error")            \
    X(SB_TRANSPORT_COUNT_UNKNOWN_TYPE, "unknown_type",                                             \
      "datagrams cut off at a message of unknown type")                                            \
    X(SB_TRANSPORT_COUNT_REST_IGNORED, "rest_ignored",                                             \
      "datagrams with extra bytes after the last message")                                         \
    X(SB_TRANSPORT_COUNT_BEYOND_BUFFER, "beyond_buffer",                                           \
      "reliable messages dropped: number ahead of the receive window")                             \
    X(SB_TRANSPORT_COUNT_OUT_OF_WINDOW, "out_of_window",                                           \
      "reliable messages dropped: number far outside the receive window")                          \
    X(SB_TRANSPORT_COUNT_UNCONFIRMED, "unconfirmed",                                               \
      "reliable messages not taken: forgeries of their peer, or the first copy during an attack")  \
    X(SB_TRANSPORT_COUNT_NO_ROOM, "no_room",                                                       \
      "early messages and fragments dropped: no buffer memory was free")                           \
    X(SB_TRANSPORT_COUNT_BAD_FRAGMENT, "bad_fragment",                                             \
      "fragments dropped: they contradict earlier ones")                                           \
    X(SB_TRANSPORT_COUNT_UNRELIABLE_CONTROL, "unreliable_control",                                 \
      "control messages dropped: not reliable")                                                    \
    X(SB_TRANSPORT_COUNT_BAD_CONTROL, "bad_control", "control messages dropped: malformed")        \
    X(SB_TRANSPORT_COUNT_UNEXPECTED_CONTROL, "unexpected_control",                                 \
      "control messages dropped: of a type this side does not handle")                             \
    X(SB_TRANSPORT_COUNT_FOREIGN_NAME, "foreign_name",                                             \
      "names dropped: for the id or with the address of another peer")                             \
    X(SB_TRANSPORT_COUNT_FOREIGN_DISCONNECT, "foreign_disconnect",                                 \
      "Disconnects dropped: for the id or with the address of another peer")                       \
    X(SB_TRANSPORT_COUNT_EARLY_DISCONNECT, "early_disconnect",                                     \
      "Disconnects dropped: an earlier control message is missing")                                \
    X(SB_TRANSPORT_COUNT_FORGED_DISCONNECT, "forged_disconnect",                                   \
      "Disconnects without effect: their peer went on sending")                                    \
    X(SB_TRANSPORT_COUNT_FORGED_ACKS, "forged_acks",                                               \
      "datagrams dropped: Acks of messages in flight beside Acks of numbers never used")           \
    X(SB_TRANSPORT_COUNT_CONFLICT, "conflict",                                                     \
      "reliable messages dropped: another message came with their number")                         \
    X(SB_TRANSPORT_COUNT_UNMARKED, "unmarked",                                                     \
      "messages dropped: their datagram does not show that the peer sent it")                      \
    X(SB_TRANSPORT_COUNT_LATE, "late", "messages dropped: their session is over")                  \
    X(SB_TRANSPORT_COUNT_DROPPED_ACK, "dropped_ack", "Acks not sent: too many were waiting")       \
    X(SB_TRANSPORT_COUNT_DROPPED_UNRELIABLE, "dropped_unreliable",                                 \
      "unreliable messages not sent: the queue was full")                                          \
    X(SB_TRANSPORT_COUNT_DROPPED_EVENT, "dropped_event",                                           \
      "names replaced by a newer name before they were reported")                                  \
    X(SB_TRANSPORT_COUNT_DROPPED_ANSWER, "dropped_answer",                                         \
      "replies to addresses without a session not sent: too many were waiting")                    \
    /* SB_TRANSPORT_REFUSAL_COUNT: the counters below are not refusals. The first two have no      \
     * effect either, but are normal: stock peers repeat their messages and Acks. */               \
    X(SB_TRANSPORT_COUNT_DUPLICATE, "duplicate", "reliable messages that had arrived before")      \
    X(SB_TRANSPORT_COUNT_UNMATCHED_ACK, "unmatched_ack", "Acks that matched no message")           \
    X(SB_TRANSPORT_COUNT_DATAGRAMS_IN, "datagrams_in", "datagrams received and accepted")          \
    X(SB_TRANSPORT_COUNT_HALF_OPEN_REPLACED, "half_open_replaced",                                 \
      "half-open entries of all hosts of the process replaced by one of this host")                \
    X(SB_TRANSPORT_COUNT_BYTES_IN, "bytes_in", "bytes received in accepted datagrams")             \
    X(SB_TRANSPORT_COUNT_MESSAGES_IN, "messages_in",                                               \
      "transport messages received in accepted datagrams")                                         \
    X(SB_TRANSPORT_COUNT_DATAGRAMS_OUT, "datagrams_out", "datagrams sent")                         \
    X(SB_TRANSPORT_COUNT_BYTES_OUT, "bytes_out", "bytes sent")                                     \
    X(SB_TRANSPORT_COUNT_MESSAGES_OUT, "messages_out", "transport messages sent")                  \
    X(SB_TRANSPORT_COUNT_RETRANSMITTED, "retransmitted",                                           \
      "reliable messages and fragments retransmitted after a timeout")                             \
    X(SB_TRANSPORT_COUNT_RETRANSMITTED_FAST, "retransmitted_fast",                                 \
      "reliable messages and fragments retransmitted because later ones were acknowledged")        \
    X(SB_TRANSPORT_COUNT_MARKS, "marks",                                                           \
      "marks and answers to marks sent: somebody forges datagrams of a peer")                      \
    X(SB_TRANSPORT_COUNT_CONNECTS, "connects", "Connects that were answered with an id")           \
    X(SB_TRANSPORT_COUNT_JOINED, "joined", "peers that became established")                        \
    X(SB_TRANSPORT_COUNT_PROVEN, "proven", "peers that showed that they hear the host")            \
    X(SB_TRANSPORT_COUNT_GAVE_WAY, "gave_way", "peers removed because a newcomer needed a seat")   \
    X(SB_TRANSPORT_COUNT_REBOUND, "rebound", "peers that moved to another port of their address")

typedef enum sb_transport_counter {
#define SB_COUNTER_NAME(id, name, text) id,
    SB_TRANSPORT_COUNTERS(SB_COUNTER_NAME)
#undef SB_COUNTER_NAME
        SB_TRANSPORT_COUNTER_COUNT,
    SB_TRANSPORT_REFUSAL_COUNT = SB_TRANSPORT_COUNT_DUPLICATE, /* ids below it are refusals */
} sb_transport_counter;

/* The stable name, such as "too_short", and the text for people. Never NULL. */
SB_API const char *sb_transport_counter_name(sb_transport_counter counter);
SB_API const char *sb_transport_counter_text(sb_transport_counter counter);

/* State of one session, for displays, tests and decisions of the caller. */
typedef struct sb_peer_info {
    uint8_t     peer_id;
    sb_endpoint address;
    sb_time     heard_at;       /* when the last valid datagram arrived */
    sb_time     round_trip_us;  /* smoothed; 0: not measured yet */
    sb_time     resend_us;      /* current timeout of a message that was sent once */
    uint32_t    unacknowledged; /* reliable messages and fragments in flight, both channels */
    uint32_t    queued;         /* messages and fragments not sent yet */
    uint32_t    stored;         /* received messages and fragments that wait for earlier ones */
    uint32_t    stored_bytes;
    uint32_t    cells; /* memory in use, both directions, in cells of SB_CELL_BYTES */
    uint64_t    retransmitted;
    bool        attacked; /* somebody has used sequence numbers of the peer (spec 01 §10.8) */
    bool        proven;   /* the peer has shown that it hears the host (spec 01 §5.4) */
} sb_peer_info;

enum { SB_CELL_BYTES = 128 }; /* unit of message memory */

/* ---- House peers --------------------------------------------------------------------------- */

/* True for 0.0.0.1 to 0.255.255.255. No network delivers datagrams from these addresses, so a
 * program may use them for players of its own, whose datagrams stay in its memory: house peers. */
SB_API bool sb_endpoint_is_house(sb_endpoint endpoint);

/* ---- The host ----------------------------------------------------------------------------- */

typedef struct sb_transport_host sb_transport_host;

/* Addresses that sent a Connect and have not answered yet, and the limits of datagrams of
 * strangers: one object for all hosts of a process, on any threads (spec 01 §10.6). Memory like
 * that of a host.
 */
typedef struct sb_newcomers sb_newcomers;
SB_API size_t               sb_newcomers_bytes(void);
SB_API sb_newcomers        *sb_newcomers_init(void *memory, uint64_t seed);

/* The comments give what sb_transport_host_defaults sets; spec 01 §9 and §10.6 give the reasons. */
typedef struct sb_transport_host_config {
    uint64_t seed;           /* secret, and another one for each host: of the address hash, and of
                                the numbers by which a peer shows that it hears the host */
    uint32_t      max_peers; /* 16; at most SB_PEERS_LIMIT */
    uint32_t      peers_per_ip;   /* 4; 0: no limit */
    sb_retransmit retransmit;     /* measured */
    sb_time       ack_delay_us;   /* 0: Acks leave with the next write; at most 50 ms (§6.3) */
    sb_time       timeout_us;     /* 45 s */
    uint32_t      local_address;  /* 0; the host's own, sent in its Disconnect (§4.10) */
    bool          leave_notice;   /* true: other peers get Disconnect and Boot too (§8.3) */
    bool          hide_addresses; /* false: players' own addresses are passed on (§10.3) */
    bool          rebind;         /* true: a peer may change its port (§10.5) */
    /* Memory in cells of SB_CELL_BYTES (docs/decisions/transport-memory.md). */
    uint32_t send_cells;     /* 160 per peer, guaranteed, for its send queue */
    uint32_t receive_cells;  /* 96 per peer, guaranteed, for messages that arrive early */
    uint32_t shared_cells;   /* 1024 for all peers that need more than their guarantee */
    uint32_t assembly_cells; /* 1024 for all peers, for fragments of their next message in order */
    /* Receive budget of an established peer; the burst is twice the rate (§10.6). */
    uint32_t datagrams_per_s; /* 300 */
    uint32_t messages_per_s;  /* 10,000 */
    uint32_t bytes_per_s;     /* 262,144 */
    sb_span  password;        /* UTF-16LE without terminator; borrowed until init returns */
    /* Admission rule, called for a Connect with the right password; NULL admits all. Returns
     * true, or false with the sb_boot_reason of the refusal. */
    bool (*admit)(void *context, sb_endpoint from, const sb_connect_request *request,
                  uint8_t *boot_reason);
    void *admit_context;
    /* NULL: the host has a table of its own. Borrowed for the life of the host. */
    sb_newcomers *newcomers;
    /* true: half of the seats are only for peers that have shown that they hear us (§5.4) */
    bool proof;
    /* From when on a newcomer may have the seat of this peer, which has not finished its join;
     * SB_TIME_NEVER: the peer keeps it. If its address has two such peers more than that of the
     * newcomer, one of them gives way at once (§5.4). Called when no seat is free; NULL: every peer
     * that hears us keeps its seat. */
    sb_time (*gives_way_at)(void *context, uint8_t peer_id);
    void *gives_way_context;
    /* false. true: peers for whom sb_endpoint_is_house holds are house peers. They need no
     * password, no admission and no proof, and limits of strangers do not apply to them. When no
     * seat is free, one of them gives its seat to a newcomer that has shown that it hears us,
     * before any other peer: the one with the lowest gives_way_at. They take no seat from anybody.
     * The caller must drop datagrams from a network that name such a source. */
    bool house;
} sb_transport_host_config;

SB_API void sb_transport_host_defaults(sb_transport_host_config *config);

/* All memory the host will ever need. 0: the configuration is invalid (max_peers is 0 or above the
 * limit, ack_delay_us above 50 ms, password too long ...). */
SB_API size_t sb_transport_host_bytes(const sb_transport_host_config *config);

/* Makes a host in `memory`: at least sb_transport_host_bytes, aligned like malloc's, borrowed for
 * the life of the host. There is no function to release a host. */
SB_API sb_transport_host *
sb_transport_host_init(void *memory, const sb_transport_host_config *config, sb_time now);

/* Receives one datagram from the socket (borrowed). Anything but SB_OK: the datagram was dropped
 * and counted; its only other effect is that a refused client gets a Boot as reply. After each
 * datagram, dropped or not, call next_event until it returns false. */
SB_API SB_MUST_USE sb_result sb_transport_host_receive(sb_transport_host *host, sb_time now,
                                                       sb_endpoint from, sb_span datagram);
/* Returns the next event up to `now`; false: there are no more. */
SB_API bool sb_transport_host_next_event(sb_transport_host *host, sb_time now,
                                         sb_transport_event *event);
/* Queues a copy of a Data message for one peer. A message too long for one datagram becomes
 * reliable (spec 01 §7.1). SB_NOT_ALLOWED: no such peer. SB_BAD_VALUE: longer than SB_PAYLOAD_MAX.
 * SB_FULL: not queued. An unreliable message is then lost. A reliable one must not be missing, so
 * SB_FULL ends the session (LEFT, STALLED): call sb_transport_host_free_bytes before sending much.
 */
SB_API SB_MUST_USE sb_result sb_transport_host_send(sb_transport_host *host, uint8_t peer_id,
                                                    sb_delivery delivery, sb_span message);
/* Queues one fragment of a long reliable message: the one that starts at byte `*at`. Start with 0,
 * call with the same message until `*at` is its size, and wait between calls for Acks
 * (sb_peer_info.unacknowledged): so a message of SB_PAYLOAD_MAX needs little memory. Messages that
 * are sent in between are delivered after this one. SB_FULL: nothing was queued and the session
 * goes on; try again later. SB_NOT_ALLOWED: no such peer, or `*at` does not continue the message
 * that was begun. */
SB_API SB_MUST_USE sb_result sb_transport_host_send_part(sb_transport_host *host, uint8_t peer_id,
                                                         sb_span message, size_t *at);
/* Size of the longest reliable message that is certain to fit; 0 for an unknown peer. */
SB_API size_t sb_transport_host_free_bytes(const sb_transport_host *host, uint8_t peer_id);
/* Writes one encrypted datagram that is due at `now`, and its destination. Returns its size; 0:
 * nothing is due. `out` has a capacity of SB_DATAGRAM_MAX bytes. */
SB_API size_t sb_transport_host_write(sb_transport_host *host, sb_time now, sb_endpoint *to,
                                      uint8_t *out);
/* When to call next_event and write again even if nothing arrives; SB_TIME_NEVER: only when a
 * datagram arrives. Later than `now` as soon as next_event returned false and write returned 0. */
SB_API sb_time sb_transport_host_next_deadline(const sb_transport_host *host);

/* Removes a peer: sends a Boot to it and, with leave_notice, to the others; a LEFT event follows.
 */
SB_API void sb_transport_host_boot(sb_transport_host *host, sb_time now, uint8_t peer_id,
                                   uint8_t boot_reason);
/* Sends a Disconnect to all peers and accepts no new ones. Keep running the loop until
 * sb_transport_host_is_stopped: all peers have acknowledged, or a second has passed. */
SB_API void sb_transport_host_stop(sb_transport_host *host, sb_time now);
SB_API bool sb_transport_host_is_stopped(const sb_transport_host *host);

/* Copies max_peers (at most its value at init), peers_per_ip, timeout_us, datagrams_per_s,
 * messages_per_s and bytes_per_s: they hold for peers that connect from now on. Present peers keep
 * their timeout and receive budget, and none is removed, even if there are more than max_peers. */
SB_API void sb_transport_host_set_limits(sb_transport_host              *host,
                                         const sb_transport_host_config *config);
/* A closed host refuses newcomers as if it were full; peers stay. Open at first. */
SB_API void sb_transport_host_set_closed(sb_transport_host *host, bool closed);
/* Copies the password of later Connects, UTF-16LE without terminator; empty: none is needed. */
SB_API void    sb_transport_host_set_password(sb_transport_host *host, sb_span password);
SB_API sb_span sb_transport_host_password(const sb_transport_host *host); /* lent until changed */
/* True: no peer has a session, and none is leaving. */
SB_API bool sb_transport_host_is_idle(const sb_transport_host *host);
/* Makes a new host the successor of an idle one: copies counters, rate limits of strangers and the
 * times before which ids are not reused. */
SB_API void sb_transport_host_succeed(sb_transport_host *host, const sb_transport_host *old);

/* Call when a peer has passed the checksum exchange: its messages may then have 255 fragments
 * instead of 64 (spec 01 §9). */
SB_API void sb_transport_host_trust(sb_transport_host *host, uint8_t peer_id);
/* Call when an update of the peer's living ship was applied: such a peer sends ten of them for each
 * second, so a Disconnect takes effect after a second of silence instead of six (spec 01 §8.4). */
SB_API void sb_transport_host_note_update(sb_transport_host *host, uint8_t peer_id);
/* Asks a peer to show that it hears the host (sb_peer_info.proven), again and again while it sends
 * (spec 01 §5.4). A host asks by itself only when seats are short. False: no such peer. */
SB_API bool sb_transport_host_ask(sb_transport_host *host, uint8_t peer_id);
/* Fills `info`; false: no such peer. */
SB_API bool     sb_transport_host_peer(const sb_transport_host *host, uint8_t peer_id,
                                       sb_peer_info *info);
SB_API uint32_t sb_transport_host_peer_count(const sb_transport_host *host);
/* A Connect that was refused with a Boot. */
typedef struct sb_connect_refusal {
    sb_endpoint          address;
    uint8_t              boot_reason; /* sb_boot_reason */
    sb_transport_counter why; /* which of the refusals behind one boot reason: REFUSED_FULL ... */
} sb_connect_refusal;

/* Number of Connects refused with a Boot, and the last one of them: for logs. */
SB_API uint64_t sb_transport_host_refusals(const sb_transport_host *host, sb_connect_refusal *last);
SB_API uint64_t sb_transport_host_counter(const sb_transport_host *host,
                                          sb_transport_counter     counter);

/* ---- The client --------------------------------------------------------------------------- */

typedef struct sb_transport_client sb_transport_client;

/* The comments give what sb_transport_client_defaults sets. */
typedef struct sb_transport_client_config {
    sb_endpoint   server;
    uint32_t      local_address;    /* sent in Connect, Name and Disconnect (spec 01 §4.6) */
    uint16_t      local_port;       /* sent in Connect (spec 01 §13 Q3) */
    sb_span       name;             /* UTF-16LE without terminator; borrowed until init returns */
    sb_span       password;         /* UTF-16LE without terminator; borrowed until init returns */
    sb_retransmit retransmit;       /* stock */
    sb_time       ack_delay_us;     /* 0; at most 50 ms */
    sb_time       timeout_us;       /* 45 s */
    sb_time       connect_limit_us; /* 15 s without an answer: LEFT, NO_ANSWER */
    uint32_t      message_limit;    /* 32 per datagram (spec 01 §6.9); at most 255 */
    uint32_t      cells;            /* 4096: message memory in cells of SB_CELL_BYTES */
    /* 0; a random number that nobody can guess, of the marks that an attacked host is asked for
     * (spec 01 §10.8). 0: none. */
    uint64_t seed;
    /* true: accept Acks of fragments without the fragment's index, as OpenBC hosts send them (spec
     * 01 §12 row 9). */
    bool plain_fragment_acks;
    /* true, if there is a seed: the id, messages in fragments, names and departures of players
     * count when the host has shown that it sent them (spec 01 §10.8): about a second later, and
     * forged ones never. sb_client: false. */
    bool cautious;
    /* false. true: the host's sequence numbers have 8 bits, as those of OpenBC hosts (spec 01
     * §6.9); never for a stock host. */
    bool eight_bit_host;
} sb_transport_client_config;

SB_API void sb_transport_client_defaults(sb_transport_client_config *config);
/* Like sb_transport_host_bytes. */
SB_API size_t sb_transport_client_bytes(const sb_transport_client_config *config);
/* Like sb_transport_host_init; starts to connect at once. */
SB_API sb_transport_client *
sb_transport_client_init(void *memory, const sb_transport_client_config *config, sb_time now);
/* Receive, next_event, free_bytes, write and next_deadline work like those of the host. */
SB_API SB_MUST_USE sb_result sb_transport_client_receive(sb_transport_client *client, sb_time now,
                                                         sb_endpoint from, sb_span datagram);
SB_API bool sb_transport_client_next_event(sb_transport_client *client, sb_time now,
                                           sb_transport_event *event);
/* Like sb_transport_host_send; SB_NOT_ALLOWED: not connected. */
SB_API SB_MUST_USE sb_result sb_transport_client_send(sb_transport_client *client,
                                                      sb_delivery delivery, sb_span message);
SB_API size_t                sb_transport_client_free_bytes(const sb_transport_client *client);
/* The destination is always the server. */
SB_API size_t  sb_transport_client_write(sb_transport_client *client, sb_time now, uint8_t *out);
SB_API sb_time sb_transport_client_next_deadline(const sb_transport_client *client);
/* Changes the client's own name (UTF-16LE without terminator; copied). */
SB_API SB_MUST_USE sb_result sb_transport_client_rename(sb_transport_client *client, sb_span name);
/* Sends a Disconnect; LEFT with QUIT follows when the host has acknowledged it, or after 3 s. */
SB_API void sb_transport_client_leave(sb_transport_client *client, sb_time now);
/* True after the session ended and the last datagram was written: the client will do nothing more.
 */
SB_API bool sb_transport_client_is_over(const sb_transport_client *client);
/* The id the host gave; SB_PEER_NONE before JOINED. */
SB_API uint8_t sb_transport_client_id(const sb_transport_client *client);
/* Fills `info` about the host; false: not connected. */
SB_API bool     sb_transport_client_peer(const sb_transport_client *client, sb_peer_info *info);
SB_API uint64_t sb_transport_client_counter(const sb_transport_client *client,
                                            sb_transport_counter       counter);

#ifdef __cplusplus
}
#endif
#endif
