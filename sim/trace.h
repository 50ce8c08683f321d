/* sim/trace.h -- the record of a run: always as a hash, on demand as lines.
 *
 * For:      replays (the same seed gives the same hash), and for reading after a failure.
 */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H

#include <starbase/base.h>

#include <stdio.h>

enum { SIM_TRACE_LINES = 40, SIM_TRACE_WIDTH = 160 };

typedef struct sim_trace {
    uint64_t hash;
    bool     wanted; /* false: only the hash */
    FILE    *out;    /* each line is printed here at once; NULL: only the last lines are kept */
    uint64_t line_count;
    char     lines[SIM_TRACE_LINES][SIM_TRACE_WIDTH];
} sim_trace;

void sim_trace_init(sim_trace *trace, bool wanted, FILE *out);
/* Mixes a number or bytes into the hash. */
void sim_trace_mix(sim_trace *trace, uint64_t value);
void sim_trace_mix_bytes(sim_trace *trace, sb_span bytes);
/* Adds a line, printf-like, if lines are wanted. */
void sim_trace_line(sim_trace *trace, sb_time time, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints the kept lines, oldest first. */
void sim_trace_print(const sim_trace *trace, FILE *out);

#endif
