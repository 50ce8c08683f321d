/* sim/shrink.h -- runs a request safely, and makes a failing one as small as it still fails.
 *
 * For:      the runner.
 */
#ifndef SIM_SHRINK_H
#define SIM_SHRINK_H

#include "sim/world.h"

/* Prepares for runs that end in an assert: they count as failed, with the invariant "assert". What
 * else stops the process, or a run that takes minutes, at least says which seed it was. */
void sim_catch_aborts(void);

/* Makes the plan and runs it. `trace` is filled; its hash identifies the run. */
void sim_run_request(const sim_request *request, sim_trace *trace, sim_outcome *outcome);

/* Tries to leave out features, clients and time as long as the same invariant breaks. Quiet. */
sim_request sim_shrink(const sim_request *request, const char *invariant);

#endif
