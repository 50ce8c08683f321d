/* src/web/values.c -- see values.h.
 *
 * Tests:    tests/web/metrics_test.c
 */
#include "web/values.h"

#include <stdio.h>

size_t sb_web_shown_rooms(size_t room_count)
{
    return room_count < SB_WEB_ROOMS_MAX ? room_count : SB_WEB_ROOMS_MAX;
}

size_t sb_web_values_bytes(size_t room_count)
{
    return sizeof(sb_web_values) + sb_web_shown_rooms(room_count) * sizeof(sb_web_room);
}

bool sb_web_is_healthy(const sb_web_values *v, char reason[SB_WEB_REASON_MAX])
{
    for (size_t i = 0; i < v->thread_count; i++) {
        if (v->threads[i].late_us < SB_WEB_LATE_US) continue;
        snprintf(reason, SB_WEB_REASON_MAX, "room thread %zu has not answered for %.1f s", i + 1,
                 (double)v->threads[i].late_us / (double)SB_SECOND);
        return false;
    }
    if (v->store.has_failed) {
        snprintf(reason, SB_WEB_REASON_MAX, "the store has failed: %.150s", v->store.reason);
        return false;
    }
    reason[0] = '\0';
    return true;
}
