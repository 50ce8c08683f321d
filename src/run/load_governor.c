/* src/run/load_governor.c -- see load_governor.h. */
#include "run/load_governor.h"

enum {
    WINDOW_US = 500000,
    FULL_PERCENT = 90,  /* busier than this: there is no time left */
    FULL_WINDOWS = 3,   /* ... and what gives way changes after so many: a stall is no overload */
    SPARE_PERCENT = 45, /* less busy than this: twice the states would fit */
    SPARE_WINDOWS = 20, /* ... for ten seconds, so that the rate does not go up and down */
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
    g->full = percent > FULL_PERCENT ? g->full + 1 : 0;
    g->spare = percent < SPARE_PERCENT ? g->spare + 1 : 0;
    g->since = now;
    g->busy_us = 0;
    return change(g);
}
