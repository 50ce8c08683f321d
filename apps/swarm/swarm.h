/* apps/swarm/swarm.h -- what the files of `starbase swarm` share.
 *
 * For:      swarm.c (the command line and the run), swarm_server.c (the rooms it runs against) and
 *           swarm_verdict.c (what it says about it).
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
    sb_endpoint first;          /* of the rooms; the others have the ports that follow */
    double      seconds;        /* of playing */
    size_t      joined, failed, lost;
    char        failure[200]; /* of the first join that failed; "": none */
    char        loss[200];    /* of the first player who was lost */
    double      join_seconds; /* until all were there */
    bool        cut_short;    /* by a signal: the last marks may be missing */

    /* While they played: */
    uint64_t     marks_sent, marks_heard; /* heard by others than the sender */
    sb_latency   relay, echo;
    swarm_totals totals;
    int64_t      own_cpu_us;

    bool             has_server; /* the two below */
    sb_process_usage before, after;
    bool             served, died; /* --serve; it ended before it was told to */
    int              exit_status;

    sb_time p99_limit_us; /* 0: none */
} swarm_result;

/* ---- the run ---- */

enum { SWARM_ROOMS_MAX = 1024 };

typedef enum swarm_stage {
    STAGE_JOINING,
    STAGE_SETTLING,
    STAGE_PLAYING,
    STAGE_LISTENING, /* what was said while they played may still arrive */
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
    sb_time         began_at, last_start_us, stage_ends_at, marks_from, marks_until;
    sb_time         play_began_at;
    swarm_totals    totals_before;
    int64_t         own_before_us;
    swarm_result    result;
} swarm_job;

/* SIGINT or SIGTERM has come, for the first time; the next one ends the program at once. */
bool swarm_poll_stop(swarm_job *j);
/* The line on the terminal that says how far it is. */
void swarm_clear_progress(void);

/* Says why on stderr; returns the exit status. */
int swarm_fail(const char *text);

/* ---- swarm_server.c ---- */

/* As many free ports in a row as there are rooms. Somebody else may take them before the server
 * does: then it says so. */
bool swarm_find_free_ports(swarm_job *j);
bool swarm_start_server(swarm_job *j);
/* Every room answers a query before anybody joins. False: told why. */
bool swarm_wait_for_rooms(swarm_job *j);
/* What a server that ended badly said at last. */
void swarm_print_server_output(const swarm_job *j);

/* ---- swarm_verdict.c ---- */

/* Every mark must reach every other player of the room. */
uint64_t swarm_marks_expected(const swarm_result *r);
bool     swarm_is_fine(const swarm_result *r);
void     swarm_print_table(const swarm_result *r);
void     swarm_print_json(const swarm_result *r);

#endif
