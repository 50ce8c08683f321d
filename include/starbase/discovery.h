/* starbase/discovery.h -- server discovery: queries, answers, heartbeats.
 *
 * For:      servers (sb_responder) and browsers (sb_found).
 * Never:    opens a socket or resolves a name. Queries go in, answers and heartbeats come out, on
 *           the game's own socket. The packets sent to each source are limited (spec 05 §8).
 * Spec:     05.
 * Promise:  none; may change with any version.
 */
#ifndef STARBASE_DISCOVERY_H
#define STARBASE_DISCOVERY_H

#include <starbase/base.h>
#include <starbase/gamespy.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SB_QUERY_MAX = 255,           /* bytes; longer queries are refused (spec 05 §1) */
    SB_ANSWER_PAYLOAD_MAX = 1349, /* bytes of one packet before its queryid (spec 05 §3.3) */
    SB_ANSWER_MAX = 1400,         /* size of a buffer for one packet */
    SB_STATUS_PLAYERS_MAX = 32,
    SB_MASTERS_MAX = 16,
    SB_MASTER_PORT = 27900,
    SB_LAN_FIRST_PORT = 22101, /* first and last port of a client's LAN sweep (spec 05 §4) */
    SB_LAN_LAST_PORT = 22201,
};

/* The contents of a server's answers (spec 05 §3.1). Texts are Windows-1252 and borrowed; control
 * characters and backslashes are removed when an answer is written. */
typedef struct sb_server_status {
    sb_span  host_name;
    sb_span  mission_script;             /* "Multiplayer.Episode.Mission1.Mission1" */
    sb_span  mode_name;                  /* mapname: "DM" */
    sb_span  system;                     /* "Multi1" */
    uint32_t player_count, player_limit; /* without the host */
    int32_t  time_limit;                 /* minutes; -1: none */
    int32_t  frag_limit;                 /* kills; -2: none */
    int32_t  location;
    bool     password;
    bool     open;       /* gamemode is openplaying, otherwise settings */
    uint32_t name_count; /* player_0 .. */
    sb_span  names[SB_STATUS_PLAYERS_MAX];
} sb_server_status;

/* ---- servers ---- */

typedef enum sb_query_policy { SB_QUERY_NEVER, SB_QUERY_LAN, SB_QUERY_ALWAYS } sb_query_policy;

/* A charge to the budgets of answers (spec 05 §8): `packets` that go to `address`. */
typedef struct sb_query_charge {
    sb_time  now;
    uint32_t address;
    uint32_t packets;
    bool     is_master; /* the address of a configured master: it has a budget of its own */
    bool     owed;      /* already promised: charged even if the budget is exhausted */
} sb_query_charge;

typedef enum sb_budget_result {
    SB_BUDGET_GRANTED,
    SB_BUDGET_OVER_SOURCE, /* the budget of the address, or of the master, is exhausted */
    SB_BUDGET_OVER_NETWORK,
    SB_BUDGET_OVER_TOTAL,
} sb_budget_result;

typedef struct sb_responder_config {
    uint64_t        seed;
    bool            basic_includes_info; /* false (spec 05 §9) */
    sb_query_policy echo, packets;       /* default: LAN sources only (spec 05 §8) */
    sb_endpoint     own;                 /* queries from here are refused; port 0: not known */
    int32_t         heartbeat_port;      /* port to announce; -1: own.port */
    sb_time         heartbeat_us;        /* interval between heartbeats: 60 s */
    /* Rate limits in packets. */
    uint32_t source_per_s, source_burst;   /* per address: 5, 15 */
    uint32_t network_per_s, network_burst; /* per /24: 20, 60 */
    uint32_t total_per_s;                  /* all addresses together: 200 */
    uint32_t master_per_s, master_burst;   /* each configured master: 50, 50 */
    /* Budgets that several rooms share: asked for every charge, and must take an owed one. They
     * replace the responder's own, whose rates then mean nothing. NULL: the responder's own. */
    sb_budget_result (*charge)(void *context, const sb_query_charge *charge);
    void *charge_context;
} sb_responder_config;

/* X(ID, "name", "text") */
#define SB_RESPONDER_COUNTERS(X)                                                                   \
    X(SB_QUERY_QUERIES, "queries", "queries received")                                             \
    X(SB_QUERY_ANSWERS, "answers", "answer packets sent")                                          \
    X(SB_QUERY_ANSWER_BYTES, "answer_bytes", "bytes of answer packets sent")                       \
    X(SB_QUERY_HEARTBEATS, "heartbeats", "heartbeats sent")                                        \
    /* The rest are refusals: the status of `starbase serve` lists them from too_long on. */       \
    X(SB_QUERY_TOO_LONG, "too_long", "queries refused: longer than 255 bytes")                     \
    X(SB_QUERY_MALFORMED, "malformed", "queries refused: cannot be parsed")                        \
    X(SB_QUERY_IS_ANSWER, "is_answer", "queries refused: an answer or a heartbeat")                \
    X(SB_QUERY_UNKNOWN_QUERY, "unknown_query", "queries refused: no known key")                    \
    X(SB_QUERY_BAD_SOURCE, "bad_source",                                                           \
      "queries refused: source port below 1024, or our own address")                               \
    X(SB_QUERY_OVER_SOURCE, "over_source", "queries refused: budget of the address exhausted")     \
    X(SB_QUERY_OVER_NETWORK, "over_network", "queries refused: budget of the /24 exhausted")       \
    X(SB_QUERY_OVER_TOTAL, "over_total", "queries refused: budget of all addresses exhausted")     \
    X(SB_QUERY_NOT_ALLOWED, "not_allowed", "echo and packets queries refused by policy")           \
    X(SB_QUERY_QUEUE_FULL, "queue_full", "queries dropped: 64 are waiting")

typedef enum sb_responder_counter {
#define SB_COUNTER_NAME(id, name, text) id,
    SB_RESPONDER_COUNTERS(SB_COUNTER_NAME)
#undef SB_COUNTER_NAME
        SB_RESPONDER_COUNTER_COUNT
} sb_responder_counter;

SB_API const char *sb_responder_counter_name(sb_responder_counter counter);
SB_API const char *sb_responder_counter_text(sb_responder_counter counter);

typedef struct sb_responder sb_responder;

SB_API void sb_responder_defaults(sb_responder_config *config);
/* About 50 KiB less if the budgets are shared (config->charge). */
SB_API size_t        sb_responder_bytes(const sb_responder_config *config);
SB_API sb_responder *sb_responder_init(void *memory, const sb_responder_config *config,
                                       sb_time now);
/* Copies the rates and bursts of the responder's own limits: source, network, total, master. */
SB_API void sb_responder_set_rates(sb_responder *responder, const sb_responder_config *config);
/* Makes a new responder the successor of another one: copies everything. */
SB_API void sb_responder_succeed(sb_responder *responder, const sb_responder *old);
/* Sets the master at `index`, which is below SB_MASTERS_MAX. Port 0 or address 0: none (not
 * resolved yet). The first heartbeat is due at once. */
SB_API void sb_responder_set_master(sb_responder *responder, unsigned index, sb_endpoint master,
                                    sb_time now);
/* Feeds one datagram that starts with a backslash; borrowed. Anything but SB_OK: dropped and
 * counted. */
SB_API SB_MUST_USE sb_result sb_responder_receive(sb_responder *responder, sb_time now,
                                                  sb_endpoint from, sb_span query);
/* A player joined or left, or the match started or ended: announces `statechanged\1`, at most every
 * 5 s. */
SB_API void sb_responder_state_changed(sb_responder *responder, sb_time now);
/* The server stops: announces `statechanged\2` to each master once. */
SB_API void sb_responder_stop(sb_responder *responder, sb_time now);
/* Writes the next packet that is due, an answer or a heartbeat, and returns its size; 0: nothing is
 * due. `out` holds SB_ANSWER_MAX bytes. `status` may be NULL: queries then keep waiting. */
SB_API size_t sb_responder_write(sb_responder *responder, sb_time now,
                                 const sb_server_status *status, sb_endpoint *to, uint8_t *out);
/* True: a query waits for its answer; the caller prepares a status and calls sb_responder_write. */
SB_API bool    sb_responder_is_waiting(const sb_responder *responder);
SB_API sb_time sb_responder_next_deadline(const sb_responder *responder); /* heartbeats */

/* The state of a master. A query from its own address after a heartbeat shows that it knows the
 * server (spec 05 §5.3); a master that asks from another address is never heard. */
typedef struct sb_master_view {
    sb_endpoint address;
    sb_time     sent_at;  /* of the last heartbeat; SB_TIME_NEVER: none yet */
    sb_time     heard_at; /* of the last query from its address; SB_TIME_NEVER: none yet */
} sb_master_view;

/* False: there is no master at this index. */
SB_API bool sb_responder_master(const sb_responder *responder, unsigned index, sb_master_view *out);
SB_API uint64_t sb_responder_counter_value(const sb_responder  *responder,
                                           sb_responder_counter counter);

/* ---- browsers ---- */

enum { SB_FOUND_TEXT_MAX = 4096 };

/* Collects the packets of one server's answer (spec 05 §4 step 4). Starts as all zeros. */
typedef struct sb_found {
    uint32_t query_number; /* N of queryid */
    uint32_t packets_seen; /* bit M - 1 for packet M */
    uint32_t packet_count; /* M of the packet with `final`; 0: not received yet */
    bool     complete;
    uint32_t size;         /* bytes of `text`: all pairs without queryid and final, in order */
    uint16_t part_size[8]; /* bytes of each packet in `text` */
    uint8_t  text[SB_FOUND_TEXT_MAX];
} sb_found;

/* Adds one packet of the server's answer. SB_NOT_ALLOWED: not an answer; SB_FULL: too large.
 * Anything but SB_OK leaves `found` unchanged. Packets may arrive in any order and twice. */
SB_API SB_MUST_USE sb_result sb_found_add(sb_found *found, sb_span packet);
/* The value of a key; false: no such key. */
SB_API bool sb_found_value(const sb_found *found, const char *key, sb_span *value);
/* The i-th pair in order; false: no more. */
SB_API bool sb_found_pair(const sb_found *found, size_t index, sb_span *key, sb_span *value);

/* ---- the list of a master ---- */

enum {
    SB_BROWSE_MAX = 4096,          /* servers of a list (spec 05 §7) */
    SB_BROWSE_CHALLENGE_BYTES = 6, /* length of every captured challenge */
    SB_BROWSE_GREETING_MAX = 256,  /* bytes before the challenge must have come */
    SB_BROWSE_BYTES_MAX = SB_BROWSE_MAX * SB_GAMESPY_ENTRY_BYTES + 16,
};

typedef enum sb_browse_state {
    SB_BROWSE_GREETING, /* waits for the challenge */
    SB_BROWSE_LISTING,  /* the request can be sent; waits for the list */
    SB_BROWSE_DONE,
    SB_BROWSE_FAILED, /* `error` says why */
} sb_browse_state;

/* A TCP session with a master: received bytes go in, a request and a list come out. */
typedef struct sb_browse {
    sb_browse_state state;
    const char     *error;
    size_t          count; /* servers */
    sb_endpoint     servers[SB_BROWSE_MAX];
    uint8_t         request[256];
    size_t          request_size;
    uint8_t         bytes[SB_BROWSE_BYTES_MAX]; /* received in this state */
    size_t          size;
} sb_browse;

SB_API void sb_browse_init(sb_browse *browse);
/* Takes received bytes; `closed`: no more will come. A list that seems complete can go on if more
 * bytes come (spec 05 §7), so wait a moment after DONE unless the master has closed. */
SB_API void sb_browse_receive(sb_browse *browse, sb_span bytes, bool closed);
/* The bytes to send once the state is SB_BROWSE_LISTING. Lent by `browse`. */
SB_API sb_span sb_browse_request(const sb_browse *browse);

#ifdef __cplusplus
}
#endif
#endif
