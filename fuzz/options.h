/* fuzz/options.h -- options of libFuzzer that a harness sets for itself.
 *
 * For:      harnesses whose executions reach thousands of places each. Include it once, in the file
 *           of the harness.
 */
#ifndef SB_FUZZ_OPTIONS_H
#define SB_FUZZ_OPTIONS_H

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Puts -entropic=0 in front of the arguments, which may say otherwise. The entropic schedule
 * searches a list of all rare features for each feature of an execution: with these harnesses, four
 * fifths of the time. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static char  option[] = "-entropic=0";
    static char *all[256];
    SB_ASSERT((size_t)*argc + 2 <= sizeof all / sizeof *all);
    all[0] = (*argv)[0];
    all[1] = option;
    memcpy(all + 2, *argv + 1, (size_t)*argc * sizeof **argv); /* with the NULL at the end */
    *argv = all;
    ++*argc;
    return 0;
}

#endif
