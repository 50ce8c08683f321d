/* bench/lab_bench.c -- the cost of a simulated minute of two ships.
 *
 *     lab_minute   a Galaxy fires everything at a Warbird for 60 s, with a sample after every step
 *     steps_minute the floor: the same 1,800 steps without an action and without samples
 */
#include "bench.h"

#include <starbase/lab.h>

#include <stdlib.h>

static bool use_sample(void *context, const sb_lab_sample *sample)
{
    (void)context;
    bench_use(sample);
    return true;
}

static void play(void *memory, uint8_t action, const sb_lab_observer *observer)
{
    sb_lab_scenario s;
    sb_lab_defaults(&s);
    s.attacker = sb_find_ship_by_name(sb_stock_ships(), "galaxy");
    s.target = sb_find_ship_by_name(sb_stock_ships(), "warbird");
    s.action = action;
    s.seconds = 60;
    if (sb_lab_run(memory, &s, observer) != SB_OK) __builtin_trap();
}

static void *allocate(void)
{
    void *memory = malloc(sb_lab_bytes());
    if (!memory) __builtin_trap();
    return memory;
}

BENCH(steps_minute)
{
    void *memory = allocate();
    BENCH_LOOP
    {
        play(memory, SB_LAB_NOTHING, NULL);
    }
    free(memory);
}

BENCH(lab_minute, .floor = "steps_minute")
{
    void           *memory = allocate();
    sb_lab_observer observer = { NULL, use_sample, NULL, NULL };
    BENCH_LOOP
    {
        play(memory, SB_LAB_EVERYTHING, &observer);
    }
    free(memory);
}
