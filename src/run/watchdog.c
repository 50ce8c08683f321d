/* src/run/watchdog.c -- see watchdog.h. */
#include "run/watchdog.h"

#include <stdlib.h>

struct sb_watchdog {
    sb_room_loop *const *loops;
    size_t               count;
    struct asked {
        bool        is_open; /* asked, and the answer is not known yet */
        atomic_bool answered;
    } asked[]; /* by loop */
};

sb_watchdog *sb_watchdog_create(sb_room_loop *const *loops, size_t count)
{
    sb_watchdog *w = calloc(1, sizeof *w + count * sizeof w->asked[0]);
    if (!w) return NULL;
    w->loops = loops;
    w->count = count;
    return w;
}

void sb_watchdog_destroy(sb_watchdog *watchdog)
{
    free(watchdog);
}

/* False: the queue of the thread is full, which is no answer either. */
static bool ask(sb_watchdog *w, size_t i)
{
    sb_room_command ping = { .type = SB_ROOM_PING, .room = SB_ROOM_NONE };
    ping.done = &w->asked[i].answered;
    atomic_store(&w->asked[i].answered, false);
    return w->asked[i].is_open = sb_room_loop_post(w->loops[i], &ping);
}

bool sb_watchdog_check(sb_watchdog *w)
{
    bool all = true;
    for (size_t i = 0; i < w->count; i++) {
        bool is_silent = w->asked[i].is_open && !atomic_load(&w->asked[i].answered);
        /* A question without an answer is not asked twice: the queue would fill up. */
        if (is_silent || !ask(w, i)) all = false;
    }
    return all;
}
