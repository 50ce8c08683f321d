/* apps/lab/duel.c -- the time that one ship needs to kill another, over bearings and ranges.
 *
 * The target stands still and does not fire back.
 *
 * Tests:    tests/apps/lab_test.py
 */
#include "lab.h"

#include "common/commands.h"

/* Seconds until the target explodes; negative: it survives. */
typedef struct duel_result {
    float time;
    bool  alive;
} duel_result;

static bool on_sample(void *context, const sb_lab_sample *sample)
{
    duel_result *r = context;
    r->time = sample->time;
    r->alive = sample->target_alive;
    return true;
}

static int measure(lab_job *job, float bearing, float range, double *seconds)
{
    duel_result     r = { 0 };
    sb_lab_observer observer = { &r, on_sample, NULL, NULL };
    job->scenario.bearing = bearing;
    job->scenario.range = range;
    job->scenario.until_death = true;
    int status = lab_play(job, &observer);
    *seconds = r.alive ? -1.0 : (double)r.time;
    return status;
}

static void print_one(const lab_job *job, double seconds)
{
    const sb_lab_scenario *s = &job->scenario;
    const char            *a = s->attacker->key, *t = s->target->key;
    double                 bearing = (double)s->bearing, range = (double)s->range;
    bool                   killed = seconds >= 0.0;
    if (job->format == LAB_TABLE && killed) printf(" %9.1f", seconds);
    if (job->format == LAB_TABLE && !killed) printf(" %9s", "-");
    if (job->format == LAB_CSV && killed)
        printf("%s,%s,%g,%g,%.2f\n", a, t, bearing, range, seconds);
    if (job->format == LAB_CSV && !killed) printf("%s,%s,%g,%g,\n", a, t, bearing, range);
    if (job->format != LAB_JSON) return;
    printf("{\"attacker\":\"%s\",\"target\":\"%s\",\"bearing\":%g,\"range\":%g,\"seconds\":", a, t,
           bearing, range);
    if (killed) printf("%.2f}\n", seconds);
    else printf("null}\n");
}

static void print_head(const lab_job *job)
{
    if (job->format != LAB_TABLE) return;
    printf("%s (%s) kills %s, in seconds; -: not within %g s\n%10s", job->scenario.attacker->name,
           sb_lab_action_name((sb_lab_action)job->scenario.action), job->scenario.target->name,
           (double)job->scenario.seconds, "bearing");
    for (unsigned i = 0; i < job->range_count; i++) printf(" %9g", (double)job->ranges[i]);
    printf("\n");
}

static int print_side(lab_job *job)
{
    print_head(job);
    for (unsigned b = 0; b < job->bearing_count; b++) {
        if (job->format == LAB_TABLE) printf("%10g", (double)job->bearings[b]);
        for (unsigned r = 0; r < job->range_count; r++) {
            double seconds;
            int    status = measure(job, job->bearings[b], job->ranges[r], &seconds);
            if (status != SB_EXIT_FINE) return status;
            print_one(job, seconds);
        }
        if (job->format == LAB_TABLE) printf("\n");
    }
    return SB_EXIT_FINE;
}

int lab_print_duel(lab_job *job, const sb_ship_class *first, const sb_ship_class *second)
{
    if (job->format == LAB_CSV) printf("attacker,target,bearing,range,seconds\n");
    job->scenario.attacker = first;
    job->scenario.target = second;
    int status = print_side(job);
    if (status != SB_EXIT_FINE || first == second) return status;
    if (job->format == LAB_TABLE) printf("\n");
    job->scenario.attacker = second;
    job->scenario.target = first;
    return print_side(job);
}
