/* sim/world.h -- a host, its clients and the network between them, in one simulated time.
 *
 * For:      the runner. Carries out a plan with the real endpoints of starbase/transport.h and
 *           stops at the first broken invariant (invariants.h).
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "sim/plan.h"
#include "sim/trace.h"

typedef struct sim_outcome {
    bool        failed;
    const char *invariant; /* what is broken; a constant, so that two runs can be compared */
    char        detail[400];
    sb_time     failed_at;
    sb_time     simulated_us;
    uint64_t    datagrams, bytes;            /* sent, by everybody */
    uint64_t    reliable, unreliable;        /* messages delivered */
    uint64_t    conversations;               /* that a client began */
    uint64_t    exempt;                      /* of them: not to be judged by content any more */
    uint64_t    resent;                      /* reliable messages and fragments */
    uint64_t    rebound;                     /* clients that the host followed to another port */
    uint64_t    ended[SB_LEFT_REASON_COUNT]; /* as the client sees it */
    uint64_t    host_ended[SB_LEFT_REASON_COUNT];
    uint64_t    vanished;
} sim_outcome;

void sim_world_run(const sim_plan *plan, sim_trace *trace, sim_outcome *outcome);

#endif
