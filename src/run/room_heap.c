/* src/run/room_heap.c -- see room_heap.h. */
#include "run/room_heap.h"

#include <stdlib.h>

#include "base/assert.h"
#include "run/room_loop.h"

bool sb_room_heap_init(sb_room_heap *h, size_t capacity)
{
    *h = (sb_room_heap){ .rooms = calloc(capacity, sizeof *h->rooms), .capacity = capacity };
    return h->rooms != NULL;
}

void sb_room_heap_free(sb_room_heap *h)
{
    free(h->rooms);
    *h = (sb_room_heap){ 0 };
}

static void put(sb_room_heap *h, size_t place, sb_room *room)
{
    h->rooms[place] = room;
    room->heap_place = place;
}

/* Moves the room toward the top until no room below it is earlier. */
static void move_up(sb_room_heap *h, sb_room *room)
{
    size_t place = room->heap_place;
    while (place > 0 && h->rooms[(place - 1) / 2]->deadline > room->deadline) {
        put(h, place, h->rooms[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(h, place, room);
}

static void move_down(sb_room_heap *h, sb_room *room)
{
    size_t place = room->heap_place;
    for (size_t below; (below = 2 * place + 1) < h->count; place = below) {
        if (below + 1 < h->count && h->rooms[below + 1]->deadline < h->rooms[below]->deadline)
            below++;
        if (h->rooms[below]->deadline >= room->deadline) break;
        put(h, place, h->rooms[below]);
    }
    put(h, place, room);
}

void sb_room_heap_add(sb_room_heap *h, sb_room *room)
{
    SB_ASSERT(h->count < h->capacity);
    put(h, h->count++, room);
    move_up(h, room);
}

void sb_room_heap_set(sb_room_heap *h, sb_room *room, sb_time deadline)
{
    SB_ASSERT(room->heap_place < h->count);
    SB_ASSERT(h->rooms[room->heap_place] == room);
    bool earlier = deadline < room->deadline;
    room->deadline = deadline;
    if (earlier) move_up(h, room);
    else move_down(h, room);
}

sb_room *sb_room_heap_first(const sb_room_heap *h)
{
    return h->count > 0 ? h->rooms[0] : NULL;
}

void sb_room_heap_check(const sb_room_heap *h)
{
    SB_ASSERT(h->count <= h->capacity);
    for (size_t i = 0; i < h->count; i++) {
        SB_ASSERT(h->rooms[i]->heap_place == i);
        SB_ASSERT(i == 0 || h->rooms[(i - 1) / 2]->deadline <= h->rooms[i]->deadline);
    }
}
