/* apps/swarm/swarm.h -- types and functions that the files of `starbase swarm` share.
 *
 * For:      swarm.c    the command line, and the run from the first check to the report
 *           stages.c   the main thread: stages, progress, signals
 *           crew.c     a thread that runs the players of some rooms
 *           server.c   starts a server, or waits for one
 *           verdict.c  checks and prints the result
 */
#ifndef SB_APPS_SWARM_H
#define SB_APPS_SWARM_H

#include <pthread.h>
#include <stdatomic.h>

#include "platform/process.h"
#include "run/player_loop.h"
#include "run/raw_echo.h"
#include "run/tally.h"

/* Sums over all players. */
typedef struct swarm_totals {
    uint64_t messages_out, messages_in, datagrams_out, datagrams_in, bytes_out, bytes_in;
    uint64_t retransmitted, not_sent;
} swarm_totals;

typedef struct swarm_result {
    size_t      rooms, players; /* players in each room */
    size_t      threads;        /* that run them */
    bool        cheap;          /* the players are drones */
    sb_endpoint first;          /* address of the first room; others have the following ports */
    double      seconds;        /* length of the playing stage */
    size_t      joined, failed, lost;
    char        failure[200]; /* reason of the first failed join; "": none */
    char        loss[200];    /* reason of the first lost player; "": none */
    double      join_seconds; /* until all had joined or failed */
    bool        cut_short;    /* a signal ended the run: the last marks may be missing */

    /* Measured in the playing stage: */
    sb_tally_sums sums; /* chat lines and changes of state */
    sb_latency    echo;
    swarm_totals  totals;
    int64_t       own_cpu_us;

    bool             has_server;    /* `before` and `after` are valid */
    sb_process_usage before, after; /* of the server */
    bool             served, died;  /* --serve was given; the server ended before SIGTERM */
    int              exit_status;

    sb_time p99_limit_us; /* 0: none */
} swarm_result;

/* ---- the run ---- */

enum { SWARM_ROOMS_MAX = 4096 }; /* as many as a server runs */

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

/* A thread and the players of its rooms. */
typedef struct swarm_crew {
    struct swarm_job *job;
    pthread_t         thread;
    bool              running;
    size_t            first_room, rooms, count; /* count: of players */
    sb_player_loop   *loop;
    sb_raw_echo      *echo;
    sb_tally         *tally;
    swarm_seat       *seats;
    swarm_stage       stage; /* the last one that the thread has entered */
    sb_time           leave_by;

    /* Results, for the main thread when this one has ended. `totals` are those before the playing
     * stage until the stage ends. */
    sb_tally_sums sums;
    sb_latency    echo_latency;
    swarm_totals  totals;
    char          failure[200], loss[200];

    /* Progress, for the main thread at any time. */
    atomic_size_t joined, failed, lost;
    atomic_bool   gone;      /* all players have left */
    atomic_bool   heard_all; /* no expected chat line is missing */
    atomic_bool   done;      /* the thread is about to end */
} swarm_crew;

enum { SWARM_THREADS_MAX = 64 };

typedef struct swarm_job {
    const char     *host;
    unsigned long   port, rooms, players, pid, threads; /* threads 0: not given */
    bool            port_given, skill_given, serve, json, cheap;
    sb_time         time_us, chat_every_us; /* chat_every_us 0: not given */
    sb_pilot_config pilot;
    uint64_t seed; /* 0: pilots play the same in every run; drones have other phases each time */

    swarm_crew  *crews;
    size_t       crew_count;
    atomic_int   stage; /* swarm_stage; the main thread sets it */
    sb_process   server;
    int          signals;
    bool         interrupted;
    sb_time      started_at, last_start_us, stage_ends_at, play_started_at, check_at;
    int64_t      own_before_us;
    swarm_result result;
} swarm_job;

/* True once, after the first SIGINT, SIGTERM or SIGHUP. After that, SIGINT and SIGTERM end the
 * program at once. */
bool swarm_poll_stop(swarm_job *j);
/* Erases the progress line on the terminal. */
void swarm_clear_progress(void);

/* Prints an error and returns the exit status. */
int swarm_fail(const char *text);

/* ---- stages.c ---- */

/* Leads all crews through the stages, until their players have left. */
void swarm_run_stages(swarm_job *j);

/* ---- crew.c ---- */

/* Creates the crews with the sockets of all players. False: an error was printed. */
bool swarm_create_crews(swarm_job *j);
/* Starts a thread per crew. False: an error was printed; the threads that run have been ended. */
bool swarm_start_crews(swarm_job *j);
/* Waits for the end of the threads and adds up their results. */
void swarm_join_crews(swarm_job *j);
void swarm_destroy_crews(swarm_job *j);

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

bool swarm_is_fine(const swarm_result *r);
void swarm_print_table(const swarm_result *r);
void swarm_print_json(const swarm_result *r);

#endif
