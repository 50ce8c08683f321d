/* src/web/values.h -- what the pages of the HTTP server show: the figures of one moment.
 *
 * For:      metrics.c and status.c, which print them; apps/serve, which collects them.
 * Never:    holds the address of a player.
 */
#ifndef SB_WEB_VALUES_H
#define SB_WEB_VALUES_H

#include "platform/process.h"
#include "run/room_slice.h"

enum {
    SB_WEB_ROOMS_MAX = 256,   /* rooms with rows of their own; sums count all rooms */
    SB_WEB_THREADS_MAX = 64,  /* the largest value of the key `threads` */
    SB_WEB_MASTERS_MAX = 32,  /* names of masters */
    SB_WEB_NAME_MAX = 256,    /* bytes of the name of a master, with its NUL */
    SB_WEB_REASON_MAX = 200,  /* bytes of a sentence, with its NUL */
    SB_WEB_LATE_US = 1000000, /* a thread without an answer for so long is late */
    SB_WEB_LOADS = SB_LOAD_CLOSED + 1,
};

typedef struct sb_web_traffic {
    uint64_t datagrams_in, bytes_in, datagrams_out, bytes_out, not_sent, turns;
    uint64_t forged_house; /* datagrams from 0.0.0.0/8, dropped (run/room_loop.h) */
} sb_web_traffic;

typedef struct sb_web_room {
    unsigned        number;   /* from 1 */
    char            name[96]; /* UTF-8 */
    sb_web_traffic  traffic;
    sb_room_figures figures;
} sb_web_room;

/* A thread that runs rooms. */
typedef struct sb_web_thread {
    sb_time           cpu_us;
    sb_time           late_us; /* how long it has not answered; 0: it has */
    uint64_t          wakeups;
    uint64_t          notices_waiting, notices_dropped;
    sb_histogram_view turns;
} sb_web_thread;

/* The latest of all rooms. */
typedef struct sb_web_master {
    char    name[SB_WEB_NAME_MAX];
    bool    resolved;
    sb_time sent_at, heard_at; /* as in sb_master_view */
} sb_web_master;

/* The database (key `store`). */
typedef struct sb_web_store {
    bool        is_open;    /* false: there is none, and all below is empty */
    bool        is_up;      /* the database takes entries */
    bool        has_failed; /* entries are lost */
    const char *state;      /* a word; NULL: "off" */
    uint64_t    queued, spooled, written, dropped, refused; /* entries */
    char        reason[SB_WEB_REASON_MAX];                  /* the last error; "": none */
} sb_web_store;

typedef enum sb_web_answer {
    SB_WEB_ANSWER_OK,
    SB_WEB_ANSWER_NOT_FOUND,
    SB_WEB_ANSWER_BAD_METHOD,
    SB_WEB_ANSWER_LONG_TARGET,
    SB_WEB_ANSWER_LONG_HEADERS,
    SB_WEB_ANSWER_UNAVAILABLE,
    SB_WEB_ANSWERS
} sb_web_answer;

/* Counts of the HTTP server itself. */
typedef struct sb_web_http {
    uint64_t connections, accepted; /* now; since the start */
    uint64_t answers[SB_WEB_ANSWERS];
    uint64_t timed_out, displaced, without_request, refused_upgrades;
} sb_web_http;

typedef struct sb_web_values {
    sb_time taken_at;   /* now */
    int64_t started_us; /* wall clock */
    sb_time uptime_us;
    size_t  room_count; /* of all rooms, also those without rows */
    /* Sums over all rooms, by counter. */
    uint64_t       messages[SB_SERVER_COUNTER_COUNT];
    uint64_t       datagrams[SB_TRANSPORT_COUNTER_COUNT];
    uint64_t       queries[SB_RESPONDER_COUNTER_COUNT];
    uint64_t       implausible[SB_IMPLAUSIBLE_COUNT];
    sb_web_traffic traffic;
    uint64_t       rooms_started, rooms_with_players, rooms_by_load[SB_WEB_LOADS];
    uint64_t       players, bots, connected, places; /* in the game; all sessions; the limits */
    uint64_t       queued, unacknowledged, early, cells, backlog_bytes;

    sb_histogram_view round_trips; /* since the start: a value per player and collection */
    sb_process_usage  process;
    uint64_t          log_lines_lost;
    sb_web_store      store;
    size_t            thread_count, master_count, shown_rooms;
    sb_web_thread     threads[SB_WEB_THREADS_MAX];
    sb_web_master     masters[SB_WEB_MASTERS_MAX];
    sb_web_room       rooms[]; /* `shown_rooms`, by number */
} sb_web_values;

/* The size of values with rows for so many rooms of `room_count` as are shown. */
size_t sb_web_values_bytes(size_t room_count);
size_t sb_web_shown_rooms(size_t room_count);
/* True: all is well. False: `reason` says what is not. */
bool sb_web_is_healthy(const sb_web_values *values, char reason[SB_WEB_REASON_MAX]);

#endif
