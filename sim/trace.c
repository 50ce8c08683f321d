/* sim/trace.c -- the record of a run: always as a hash, on demand as lines. */
#include "sim/trace.h"

#include <stdarg.h>
#include <string.h>

void sim_trace_init(sim_trace *trace, bool wanted, FILE *out)
{
    *trace = (sim_trace){ .hash = 0xCBF29CE484222325u, .wanted = wanted, .out = out };
}

void sim_trace_mix(sim_trace *trace, uint64_t value)
{
    uint64_t mixed = (trace->hash ^ value) * 0x9E3779B97F4A7C15u;
    trace->hash = mixed ^ mixed >> 29;
}

void sim_trace_mix_bytes(sim_trace *trace, sb_span bytes)
{
    size_t at = 0;
    sim_trace_mix(trace, bytes.size);
    for (; bytes.size - at >= 8; at += 8) {
        uint64_t word = 0;
        for (size_t i = 0; i < 8; i++) word |= (uint64_t)bytes.data[at + i] << 8 * i;
        sim_trace_mix(trace, word);
    }
    for (; at < bytes.size; at++) sim_trace_mix(trace, bytes.data[at]);
}

void sim_trace_line(sim_trace *trace, sb_time time, const char *format, ...)
{
    if (!trace->wanted) return;
    char   *line = trace->lines[trace->line_count++ % SIM_TRACE_LINES];
    va_list list;
    int     used = snprintf(line, SIM_TRACE_WIDTH, "%11.6f ", (double)time / 1e6);
    va_start(list, format);
    vsnprintf(line + used, SIM_TRACE_WIDTH - (size_t)used, format, list);
    va_end(list);
    if (trace->out) fprintf(trace->out, "%s\n", line);
}

void sim_trace_print(const sim_trace *trace, FILE *out)
{
    uint64_t kept = trace->line_count < SIM_TRACE_LINES ? trace->line_count : SIM_TRACE_LINES;
    for (uint64_t i = trace->line_count - kept; i < trace->line_count; i++)
        fprintf(out, "  %s\n", trace->lines[i % SIM_TRACE_LINES]);
}
