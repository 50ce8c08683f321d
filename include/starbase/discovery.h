/* starbase/discovery.h -- being found: answering queries, heartbeats to masters, and the other side
 * of it, understanding answers. Spec 05.
 *
 * For:      a server (sb_responder) and whoever browses (sb_found).
 * Never:    opens a socket or resolves a name. Queries go in, answers and heartbeats come out, on
 *           the game's own socket; how much leaves is bounded per source (spec 05 §8).
 */
#ifndef STARBASE_DISCOVERY_H
#define STARBASE_DISCOVERY_H

#include <starbase/base.h>
#include <starbase/gamespy.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SB_QUERY_MAX = 255,           /* bytes of a query that is read at all (spec 05 §1) */
    SB_ANSWER_PAYLOAD_MAX = 1349, /* of one packet, before its queryid (spec 05 §3.3) */
    SB_ANSWER_MAX = 1400,         /* a buffer for one packet */
    SB_STATUS_PLAYERS_MAX = 32,
    SB_MASTERS_MAX = 16,
    SB_MASTER_PORT = 27900,
    SB_LAN_FIRST_PORT = 22101, /* a client's LAN sweep (spec 05 §4) */
    SB_LAN_LAST_PORT = 22201,
};

/* What a server tells about itself (spec 05 §3.1). Texts are Windows-1252 and borrowed; they are
 * cleaned when they are written. */
typedef struct sb_server_status {
    sb_span  host_name;
    sb_span  mission_script;             /* "Multiplayer.Episode.Mission1.Mission1" */
    sb_span  mode_name;                  /* mapname: "DM" */
    sb_span  system;                     /* "Multi1" */
    uint32_t player_count, player_limit; /* people, without the host */
    int32_t  time_limit;                 /* minutes; -1: none */
    int32_t  frag_limit;                 /* kills; -2: none */
    int32_t  location;
    bool     password;
    bool     open;       /* gamemode openplaying; else settings */
    uint32_t name_count; /* player_0 .. */
    sb_span  names[SB_STATUS_PLAYERS_MAX];
} sb_server_status;

/* ---- the server's side ---- */

typedef enum sb_query_policy { SB_QUERY_NEVER, SB_QUERY_LAN, SB_QUERY_ALWAYS } sb_query_policy;

typedef struct sb_responder_config {
    uint64_t        seed;
    bool            basic_includes_info; /* false (spec 05 §9) */
    sb_query_policy echo, packets;       /* LAN sources only (spec 05 §8) */
    sb_endpoint     own;                 /* datagrams from here are our own; port 0: not known */
    int32_t         heartbeat_port;      /* -1: the real one (own.port); else what is announced */
    sb_time         heartbeat_us;        /* 60 s */
    uint32_t        source_per_s, source_burst;   /* 5, 15 answers */
    uint32_t        network_per_s, network_burst; /* 20, 60: a /24 */
    uint32_t        total_per_s;                  /* 200 */
    uint32_t        master_per_s;                 /* 50: each configured master's own */
} sb_responder_config;

/* X(name, what it counts) */
#define SB_RESPONDER_COUNTERS(X)                                                                   \
    X(SB_QUERY_QUERIES, "queries", "queries received")                                             \
    X(SB_QUERY_ANSWERS, "answers", "packets answered")                                             \
    X(SB_QUERY_ANSWER_BYTES, "answer_bytes", "bytes in them")                                      \
    X(SB_QUERY_HEARTBEATS, "heartbeats", "heartbeats sent")                                        \
    X(SB_QUERY_TOO_LONG, "too_long", "queries above 255 bytes")                                    \
    X(SB_QUERY_MALFORMED, "malformed", "queries that cannot be read")                              \
    X(SB_QUERY_IS_ANSWER, "is_answer", "answers sent as if they were queries")                     \
    X(SB_QUERY_UNKNOWN_QUERY, "unknown_query", "texts without a known query")                      \
    X(SB_QUERY_BAD_SOURCE, "bad_source", "sources with a forbidden port, or ourselves")            \
    X(SB_QUERY_OVER_SOURCE, "over_source", "queries beyond the budget of an address")              \
    X(SB_QUERY_OVER_NETWORK, "over_network", "queries beyond the budget of a /24")                 \
    X(SB_QUERY_OVER_TOTAL, "over_total", "queries beyond the budget of all")                       \
    X(SB_QUERY_NOT_ALLOWED, "not_allowed", "echo and packets queries that the policy refuses")     \
    X(SB_QUERY_QUEUE_FULL, "queue_full", "queries beyond those that one turn takes")

typedef enum sb_responder_counter {
#define SB_COUNTER_NAME(id, name, text) id,
    SB_RESPONDER_COUNTERS(SB_COUNTER_NAME)
#undef SB_COUNTER_NAME
        SB_RESPONDER_COUNTER_COUNT
} sb_responder_counter;

SB_API const char *sb_responder_counter_name(sb_responder_counter counter);
SB_API const char *sb_responder_counter_text(sb_responder_counter counter);

typedef struct sb_responder sb_responder;

SB_API void          sb_responder_defaults(sb_responder_config *config);
SB_API size_t        sb_responder_bytes(void);
SB_API sb_responder *sb_responder_init(void *memory, const sb_responder_config *config,
                                       sb_time now);
/* Masters, by index below SB_MASTERS_MAX; port 0 or address 0: none there (not resolved yet). The
 * first heartbeat leaves at once. */
SB_API void sb_responder_set_master(sb_responder *responder, unsigned index, sb_endpoint master,
                                    sb_time now);
/* Takes one datagram that begins with a backslash (borrowed, copied if it is to be answered).
 * Anything but SB_OK: dropped and counted. */
SB_API SB_MUST_USE sb_result sb_responder_receive(sb_responder *responder, sb_time now,
                                                  sb_endpoint from, sb_span query);
/* Somebody joined or left, or the match began or ended: `statechanged\1`, at most every 5 s. */
SB_API void sb_responder_state_changed(sb_responder *responder, sb_time now);
/* Shutting down: `statechanged\2` once to each master. */
SB_API void sb_responder_stop(sb_responder *responder, sb_time now);
/* Writes the next packet that is due: an answer or a heartbeat; 0: nothing is due. `out` has room
 * for SB_ANSWER_MAX bytes. At most 64 queries wait for their answers at any time. */
SB_API size_t sb_responder_write(sb_responder *responder, sb_time now,
                                 const sb_server_status *status, sb_endpoint *to, uint8_t *out);
/* Whether a query waits for its answer: the caller then prepares a status and writes. */
SB_API bool    sb_responder_is_waiting(const sb_responder *responder);
SB_API sb_time sb_responder_next_deadline(const sb_responder *responder); /* heartbeats */
/* A query came from this master after a heartbeat (spec 05 §5.3). */
SB_API bool     sb_responder_is_registered(const sb_responder *responder, unsigned index);
SB_API uint64_t sb_responder_counter_value(const sb_responder  *responder,
                                           sb_responder_counter counter);

/* ---- the other side: what servers answered ---- */

enum { SB_FOUND_TEXT_MAX = 4096 };

/* The answer of one server, packet by packet (spec 05 §4 step 4). All zero is the start. */
typedef struct sb_found {
    uint32_t query_number; /* N of queryid */
    uint32_t packets_seen; /* a bit per M - 1 */
    uint32_t packet_count; /* M of the one with `final`; 0: not seen */
    bool     complete;
    uint32_t size; /* of `text`: all pairs without queryid and final, packets in order */
    uint16_t part_size[8];
    uint8_t  text[SB_FOUND_TEXT_MAX];
} sb_found;

/* Takes one packet of the server's answer. SB_NOT_ALLOWED: no answer to a query; SB_FULL: too
 * large; anything but SB_OK: nothing changed. Packets may come in any order and twice. */
SB_API SB_MUST_USE sb_result sb_found_add(sb_found *found, sb_span packet);
/* The value of a key; false: not there. */
SB_API bool sb_found_value(const sb_found *found, const char *key, sb_span *value);
/* The i-th pair in order; false: no more. */
SB_API bool sb_found_pair(const sb_found *found, size_t index, sb_span *key, sb_span *value);

#ifdef __cplusplus
}
#endif
#endif
