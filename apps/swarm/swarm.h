/* apps/swarm/swarm.h -- types and functions that the files of `starbase swarm` share.
 *
 * For:      swarm.c    the command line and the run
 *           server.c   starts a server, or waits for one
 *           verdict.c  checks and prints the result
 */
#ifndef SB_APPS_SWARM_H
#define SB_APPS_SWARM_H

#include "platform/process.h"
#include "run/latency.h"
#include "run/player_loop.h"
#include "run/raw_echo.h"

/* Sums over all players. */
typedef struct swarm_totals {
    uint64_t messages_out, messages_in, datagrams_out, datagrams_in, bytes_out, bytes_in;
    uint64_t retransmitted, not_sent;
} swarm_totals;

typedef struct swarm_result {
    size_t      rooms, players; /* players in each room */
    sb_endpoint first;          /* address of the first room; others have the following ports */
    double      seconds;        /* length of the playing stage */
    size_t      joined, failed, lost;
    char        failure[200]; /* reason of the first failed join; "": none */
    char        loss[200];    /* reason of the first lost player; "": none */
    double      join_seconds; /* until all had joined or failed */
    bool        cut_short;    /* a signal ended the run: the last marks may be missing */

    /* Measured in the playing stage: */
    uint64_t     marks_sent, marks_heard; /* chat lines with a time; heard by other players */
    sb_latency   relay, echo;
    swarm_totals totals;
    int64_t      own_cpu_us;

    bool             has_server;    /* `before` and `after` are valid */
    sb_process_usage before, after; /* of the server */
    bool             served, died;  /* --serve was given; the server ended before SIGTERM */
    int              exit_status;

    sb_time p99_limit_us; /* 0: none */
} swarm_result;

/* ---- the run ---- */

enum { SWARM_ROOMS_MAX = 1024 };

typedef enum swarm_stage {
    STAGE_JOINING,
    STAGE_SETTLING,
    STAGE_PLAYING,
    STAGE_LISTENING, /* marks sent while playing may still arrive */
    STAGE_LEAVING
} swarm_stage;

typedef struct swarm_seat {
    char name[48];
    bool joined, over;
} swarm_seat;

typedef struct swarm_job {
    const char     *host;
    unsigned long   port, rooms, players, pid;
    bool            port_given, serve, json;
    sb_time         time_us;
    sb_pilot_config pilot;

    sb_player_loop *loop;
    swarm_seat     *seats;
    size_t          count;
    sb_raw_echo    *echo;
    sb_process      server;
    int             signals;
    swarm_stage     stage;
    bool            interrupted;
    sb_time         started_at, last_start_us, stage_ends_at, marks_from, marks_until;
    sb_time         play_started_at;
    swarm_totals    totals_before;
    int64_t         own_before_us;
    swarm_result    result;
} swarm_job;

/* True once, after the first SIGINT, SIGTERM or SIGHUP. After that, SIGINT and SIGTERM end the
 * program at once. */
bool swarm_poll_stop(swarm_job *j);
/* Erases the progress line on the terminal. */
void swarm_clear_progress(void);

/* Prints an error and returns the exit status. */
int swarm_fail(const char *text);

/* ---- server.c ---- */

/* Finds as many consecutive free ports as there are rooms. If another program takes one before the
 * server does, the server reports it. */
bool swarm_find_free_ports(swarm_job *j);
bool swarm_start_server(swarm_job *j);
/* Waits until every room answers a query. False: an error was printed. */
bool swarm_wait_for_rooms(swarm_job *j);
/* Prints the exit status and the last output of the server. */
void swarm_print_server_output(const swarm_job *j);

/* ---- verdict.c ---- */

/* The expected marks_heard: every mark reaches every other player of its room. */
uint64_t swarm_marks_expected(const swarm_result *r);
bool     swarm_is_fine(const swarm_result *r);
void     swarm_print_table(const swarm_result *r);
void     swarm_print_json(const swarm_result *r);

#endif
