/* src/run/room_heap.h -- rooms by deadline: a binary heap, the earliest deadline first.
 *
 * For:      room_loop.c: idle rooms cost nothing, however many there are.
 * Tests:    tests/run/room_heap_test.c
 */
#ifndef SB_RUN_ROOM_HEAP_H
#define SB_RUN_ROOM_HEAP_H

#include <starbase/base.h>

typedef struct sb_room sb_room;

typedef struct sb_room_heap {
    sb_room **rooms; /* of `capacity` places; each room knows its place */
    size_t    count, capacity;
} sb_room_heap;

/* False: no memory. */
bool sb_room_heap_init(sb_room_heap *heap, size_t capacity);
void sb_room_heap_free(sb_room_heap *heap);
/* Adds a room, with any deadline. A room is in one heap at most. */
void sb_room_heap_add(sb_room_heap *heap, sb_room *room);
void sb_room_heap_set(sb_room_heap *heap, sb_room *room, sb_time deadline);
/* The room with the earliest deadline; NULL: the heap is empty. */
sb_room *sb_room_heap_first(const sb_room_heap *heap);
/* Asserts every invariant. */
void sb_room_heap_check(const sb_room_heap *heap);

#endif
