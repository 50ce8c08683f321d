/* apps/swarm.h -- what the files of `starbase swarm` share.
 *
 * For:      swarm.c (the run) and swarm_verdict.c (what it says about it).
 */
#ifndef SB_APPS_SWARM_H
#define SB_APPS_SWARM_H

#include "host/latency.h"
#include "host/process.h"

#include <starbase/transport.h>

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

/* Every mark must reach every other player of the room. */
uint64_t swarm_marks_expected(const swarm_result *r);
bool     swarm_is_fine(const swarm_result *r);
void     swarm_print_table(const swarm_result *r);
void     swarm_print_json(const swarm_result *r);

#endif
