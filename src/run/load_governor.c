/* src/run/load_governor.c -- see load_governor.h. */
#include "run/load_governor.h"

enum {
    WINDOW_US = 500000,
    FULL_WINDOWS = 3,   /* that long before more gives way: a stall is no overload */
    SPARE_WINDOWS = 20, /* ten seconds before less does, so that the rate does not go up and down */
};

/* A step ends when the loop is busier than `full` percent, for the next one, or less busy than
 * `spare` percent, for the one before. Sharing saves a quarter of the time, half of the states half
 * of it: a step back must not lead to the next step again. */
static const struct {
    sb_time full, spare;
} steps[] = {
    [SB_LOAD_NORMAL] = { 20, 0 }, [SB_LOAD_SHARED] = { 90, 10 },  [SB_LOAD_HALF] = { 90, 45 },
    [SB_LOAD_THIRD] = { 90, 45 }, [SB_LOAD_CLOSED] = { 100, 45 },
};

void sb_load_governor_init(sb_load_governor *g, sb_time now)
{
    *g = (sb_load_governor){ .load = SB_LOAD_NORMAL, .since = now };
}

static bool change(sb_load_governor *g)
{
    sb_server_load before = g->load;
    if (g->full >= FULL_WINDOWS && g->load < SB_LOAD_CLOSED) g->load++;
    else if (g->spare >= SPARE_WINDOWS && g->load > SB_LOAD_NORMAL) g->load--;
    if (g->load == before) return false;
    g->full = g->spare = 0;
    return true;
}

bool sb_load_governor_add(sb_load_governor *g, sb_time now, sb_time busy_us)
{
    g->busy_us += busy_us;
    sb_time length = now - g->since;
    if (length < WINDOW_US) return false;
    sb_time percent = g->busy_us * 100 / length;
    g->full = percent > steps[g->load].full ? g->full + 1 : 0;
    g->spare = percent < steps[g->load].spare ? g->spare + 1 : 0;
    g->since = now;
    g->busy_us = 0;
    return change(g);
}
