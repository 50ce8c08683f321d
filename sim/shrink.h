/* sim/shrink.h -- runs requests, survives their asserts, and shrinks failing ones.
 *
 * For:      sim/main.c.
 */
#ifndef SIM_SHRINK_H
#define SIM_SHRINK_H

#include "sim/world.h"

/* Catches asserts: such a run counts as failed, with the invariant "assert". Other fatal signals,
 * and a run that takes minutes, end the process after printing the seed. */
void sim_catch_aborts(void);

/* Makes the plan and runs it. `trace` is filled; its hash identifies the run. */
void sim_run_request(const sim_request *request, sim_trace *trace, sim_outcome *outcome);

/* Removes features, clients and time as long as the same invariant breaks. Prints nothing. */
sim_request sim_shrink(const sim_request *request, const char *invariant);

#endif
