/* src/transport/deadlines.c -- see deadlines.h.
 *
 * Tests:    tests/transport/deadlines_test.c, tests/run/player_loop_test.c
 */
#include "transport/deadlines.h"

#include "base/assert.h"

void sb_deadlines_init(sb_deadlines *d, sb_deadline *items, uint32_t capacity)
{
    SB_ASSERT(capacity <= SB_NOT_IN_HEAP);
    *d = (sb_deadlines){ items, 0 };
    for (uint32_t i = 0; i < capacity; i++)
        items[i] = (sb_deadline){ SB_TIME_NEVER, 0, SB_NOT_IN_HEAP };
}

static sb_time time_at(const sb_deadlines *d, uint32_t place)
{
    return d->items[d->items[place].heap].at;
}

static void set_heap_key(sb_deadlines *d, uint32_t place, uint16_t key)
{
    d->items[place].heap = key;
    d->items[key].place = (uint16_t)place;
}

static void swap(sb_deadlines *d, uint32_t a, uint32_t b)
{
    uint16_t key = d->items[a].heap;
    set_heap_key(d, a, d->items[b].heap);
    set_heap_key(d, b, key);
}

static void rise(sb_deadlines *d, uint32_t place)
{
    while (place > 0 && time_at(d, place) < time_at(d, (place - 1) / 2)) {
        swap(d, place, (place - 1) / 2);
        place = (place - 1) / 2;
    }
}

static void sink(sb_deadlines *d, uint32_t place)
{
    for (;;) {
        uint32_t earliest = place, left = 2 * place + 1;
        if (left < d->count && time_at(d, left) < time_at(d, earliest)) earliest = left;
        if (left + 1 < d->count && time_at(d, left + 1) < time_at(d, earliest)) earliest = left + 1;
        if (earliest == place) return;
        swap(d, place, earliest);
        place = earliest;
    }
}

static void remove_key(sb_deadlines *d, uint16_t key)
{
    uint32_t place = d->items[key].place;
    if (place == SB_NOT_IN_HEAP) return;
    uint16_t last = d->items[--d->count].heap;
    d->items[key].place = SB_NOT_IN_HEAP;
    if (last == key) return;
    set_heap_key(d, place, last);
    rise(d, place);
    sink(d, d->items[last].place);
}

void sb_deadlines_set(sb_deadlines *d, uint16_t key, sb_time at)
{
    d->items[key].at = at;
    if (at == SB_TIME_NEVER) {
        remove_key(d, key);
        return;
    }
    if (d->items[key].place == SB_NOT_IN_HEAP) set_heap_key(d, d->count++, key);
    rise(d, d->items[key].place);
    sink(d, d->items[key].place);
}

void sb_deadlines_lower(sb_deadlines *d, uint16_t key, sb_time at)
{
    if (at < d->items[key].at) sb_deadlines_set(d, key, at);
}

sb_time sb_deadlines_next(const sb_deadlines *d)
{
    return d->count > 0 ? time_at(d, 0) : SB_TIME_NEVER;
}

uint16_t sb_deadlines_first(const sb_deadlines *d)
{
    SB_ASSERT(d->count > 0);
    return d->items[0].heap;
}
