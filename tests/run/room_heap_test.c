/* tests/run/room_heap_test.c -- rooms by deadline. */
#include "run/room_heap.h"

#include <stdlib.h>

#include "run/room_loop.h"
#include "test.h"

enum { ROOMS = 200 };

static sb_room rooms[ROOMS];

static sb_time earliest(void)
{
    sb_time first = SB_TIME_NEVER;
    for (int i = 0; i < ROOMS; i++)
        if (rooms[i].deadline < first) first = rooms[i].deadline;
    return first;
}

TEST(the_first_room_of_a_heap_has_the_earliest_deadline)
{
    sb_room_heap heap;
    CHECK(sb_room_heap_init(&heap, ROOMS));
    CHECK(sb_room_heap_first(&heap) == NULL);
    srand(1);
    for (int i = 0; i < ROOMS; i++) {
        rooms[i].deadline = rand() % 1000;
        sb_room_heap_add(&heap, &rooms[i]);
        sb_room_heap_check(&heap);
    }
    for (int i = 0; i < 5000; i++) {
        CHECK_EQ(sb_room_heap_first(&heap)->deadline, earliest());
        sb_time at = rand() % 10 == 0 ? SB_TIME_NEVER : rand() % 1000;
        sb_room_heap_set(&heap, rand() % 2 ? sb_room_heap_first(&heap) : &rooms[rand() % ROOMS],
                         at);
        sb_room_heap_check(&heap);
    }
    sb_room_heap_free(&heap);
}
