/* sim/fight_report.c -- the results of a fight: distributions, traffic, sums over several fights.
 *
 * For:      sim/fight.h; the other files of the fight add values while it runs.
 */
#include "sim/fight_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Only the first failure is kept. */
void fight_fail(fight *f, const char *format, ...)
{
    if (f->report->failed) return;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(f->report->reason, sizeof f->report->reason, format, args);
    va_end(args);
    f->report->failed = true;
    f->report->failed_at = f->now;
}

/* ---- distributions ---- */

void fight_spread_add(fight_spread *spread, double value)
{
    double bin = value * FIGHT_PER_UNIT;
    spread->bins[bin < FIGHT_BINS - 1 ? (unsigned)bin : FIGHT_BINS - 1]++;
    spread->count++;
    spread->sum += value;
    if (value > spread->max) spread->max = value;
}

double fight_spread_mean(const fight_spread *spread)
{
    return spread->count ? spread->sum / (double)spread->count : 0;
}

double fight_spread_below(const fight_spread *spread, double share)
{
    double   wanted = share * (double)spread->count, seen = 0;
    unsigned bin = 0;
    while (bin < FIGHT_BINS && (seen += (double)spread->bins[bin]) < wanted) bin++;
    return (double)(bin + 1) / FIGHT_PER_UNIT;
}

static void merge_spread(fight_spread *total, const fight_spread *spread)
{
    for (unsigned i = 0; i < FIGHT_BINS; i++) total->bins[i] += spread->bins[i];
    total->count += spread->count;
    total->sum += spread->sum;
    if (spread->max > total->max) total->max = spread->max;
}

/* ---- traffic ---- */

void fight_count_message(fight_traffic *t, uint8_t flags, size_t size)
{
    t->count++;
    t->bytes += size;
    if (t->by_flags[flags]++ == 0 || size < t->min[flags]) t->min[flags] = (uint8_t)size;
    if (size > t->max[flags]) t->max[flags] = (uint8_t)size;
    t->bytes_by_flags[flags] += size;
    t->by_size[size < FIGHT_SIZES ? size : FIGHT_SIZES - 1]++;
}

static void merge_traffic(fight_traffic *total, const fight_traffic *t)
{
    for (unsigned i = 0; i < 256; i++) {
        bool first = total->by_flags[i] == 0;
        if (t->by_flags[i] == 0) continue;
        if (first || t->min[i] < total->min[i]) total->min[i] = t->min[i];
        if (t->max[i] > total->max[i]) total->max[i] = t->max[i];
        total->by_flags[i] += t->by_flags[i];
        total->bytes_by_flags[i] += t->bytes_by_flags[i];
    }
    for (unsigned i = 0; i < FIGHT_SIZES; i++) total->by_size[i] += t->by_size[i];
    total->count += t->count;
    total->bytes += t->bytes;
}

/* ---- sums ---- */

void fight_report_add(fight_report *total, const fight_report *r)
{
    if (r->failed && !total->failed) {
        total->failed = true;
        total->failed_at = r->failed_at;
        memcpy(total->reason, r->reason, sizeof total->reason);
    }
    merge_spread(&total->host_error, &r->host_error);
    for (unsigned i = 0; i < FIGHT_SHIPS_MAX; i++)
        merge_spread(&total->client_error[i], &r->client_error[i]);
    for (unsigned i = 0; i < 2; i++) merge_spread(&total->change_delay[i], &r->change_delay[i]);
    merge_spread(&total->age, &r->age);
    merge_traffic(&total->up, &r->up);
    merge_traffic(&total->down, &r->down);
    total->lost += r->lost;
    total->late += r->late;
    total->duplicated += r->duplicated;
    total->deaths += r->deaths;
    total->settings_lost += r->settings_lost;
    total->inferred += r->inferred;
    total->largest_error_ratio = fmax(total->largest_error_ratio, r->largest_error_ratio);
}
