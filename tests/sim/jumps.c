/* tests/sim/jumps.c -- collects jumps and computes their percentiles. */
#include "tests/sim/jumps.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define ROUNDING 0.001f /* of a value that came from a code, in codes */

void jumps_clear(jumps *j)
{
    for (unsigned u = 0; u < JUMPS_UNITS; u++)
        for (unsigned i = 0; i < JUMPS_CLASSES; i++) free(j->series[u][i].values);
    *j = (jumps){ .beams_at_once = j->beams_at_once, .outliers = j->outliers };
}

static void add_value(jumps_series *s, float value)
{
    if (s->count == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 1024;
        s->values = realloc(s->values, s->capacity * sizeof *s->values);
        assert(s->values);
    }
    s->values[s->count++] = value;
}

static float jump_of(const stock_engine_byte *b)
{
    return fabsf(b->computed - b->host);
}

static void print_outlier(FILE *out, const stock_engine_update *u, const stock_engine_byte *b)
{
    static const char *const kinds[] = { "condition", "facing", "battery" };
    fprintf(out, "%9.3f %08x %-12s %s %-9s %2u %2d computed %7.3f host %7.3f\n",
            (double)u->at / 1e6, u->object_id, u->ship, u->own ? "own  " : "other", kinds[b->kind],
            b->index, b->child, (double)b->computed, (double)b->host);
}

static bool belongs_to(const stock_engine_byte *b, jumps_class class_)
{
    if (class_ == JUMPS_HOST_ONLY) return b->host_only;
    if (class_ == JUMPS_STRUCK || class_ == JUMPS_ALL) return b->kind != STOCK_ENGINE_BATTERY;
    return !b->host_only;
}

static void add_class(jumps *j, jumps_class class_, const stock_engine_update *u)
{
    float largest = -1.0f;
    for (unsigned i = 0; i < u->count; i++) {
        float jump = jump_of(&u->bytes[i]);
        if (!belongs_to(&u->bytes[i], class_)) continue;
        add_value(&j->series[JUMPS_VALUE][class_], jump);
        largest = fmaxf(largest, jump);
        if (class_ == JUMPS_QUIET && j->outliers && jump >= 1.0f)
            print_outlier(j->outliers, u, &u->bytes[i]);
    }
    if (largest >= 0.0f) add_value(&j->series[JUMPS_UPDATE][class_], largest);
}

static void on_update(void *context, const stock_engine_update *u)
{
    add_class(context, JUMPS_ALL, u);
    add_class(context, JUMPS_HOST_ONLY, u);
    add_class(context, u->quiet ? JUMPS_QUIET : JUMPS_STRUCK, u);
}

static void on_unrounded_update(void *context, const stock_engine_update *u)
{
    if (u->quiet) add_class(context, JUMPS_UNROUNDED, u);
}

void jumps_add_recording(jumps *j, const recording *r, uint64_t seed)
{
    stock_engine_config config = {
        .seed = seed, .beams_at_once = j->beams_at_once, .on_update = on_update, .context = j
    };
    stock_engine_totals t = stock_engine_play(r, &config);
    j->totals.ships += t.ships;
    j->totals.hits_here += t.hits_here;
    j->totals.hits_at_host += t.hits_at_host;
    j->totals.deaths += t.deaths;
    j->totals.shots += t.shots;
    j->totals.orders += t.orders;
    config.exact = true;
    config.on_update = on_unrounded_update;
    (void)stock_engine_play(r, &config);
}

void jumps_add_session(jumps *j, const session_config *config)
{
    recording r;
    session_play(config, &r);
    jumps_add_recording(j, &r, config->seed);
    recording_clear(&r);
}

/* ---- percentiles ---- */

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double percentile(const jumps_series *s, double share)
{
    size_t at = (size_t)ceil(share * (double)s->count);
    return (double)s->values[at > 0 ? at - 1 : 0];
}

static size_t count_below(const jumps_series *s, float limit)
{
    size_t count = 0;
    while (count < s->count && s->values[count] < limit) count++;
    return count;
}

jumps_figures jumps_figures_of(jumps *j, jumps_unit unit, jumps_class class_)
{
    jumps_series *s = &j->series[unit][class_];
    jumps_figures f = { .count = s->count };
    if (s->count == 0) return f;
    qsort(s->values, s->count, sizeof *s->values, compare);
    f.p50 = percentile(s, 0.5);
    f.p90 = percentile(s, 0.9);
    f.p99 = percentile(s, 0.99);
    f.largest = (double)s->values[s->count - 1];
    size_t below = count_below(s, 1.0f - ROUNDING), not_above = count_below(s, 1.0f + ROUNDING);
    f.one = (double)(not_above - below) / (double)s->count;
    f.above = (double)(s->count - not_above) / (double)s->count;
    return f;
}
