/* tests/transport/deadlines_test.c -- the heap of deadlines against a plain array. */
#include "transport/deadlines.h"

#include "base/random.h"
#include "test.h"

enum { KEYS = 40, STEPS = 20000 };

static sb_time earliest(const sb_time *plain)
{
    sb_time least = SB_TIME_NEVER;
    for (size_t i = 0; i < KEYS; i++)
        if (plain[i] < least) least = plain[i];
    return least;
}

/* Every place has a key, every key its place, and no key is due before the one above it. */
static void check_heap(const sb_deadlines *d, const sb_time *plain)
{
    unsigned inside = 0;
    for (size_t key = 0; key < KEYS; key++) {
        CHECK_EQ(d->items[key].at, plain[key]);
        if (d->items[key].place == SB_NOT_IN_HEAP) {
            CHECK_EQ(plain[key], SB_TIME_NEVER);
            continue;
        }
        inside++;
        CHECK(d->items[key].place < d->count);
        CHECK_EQ(d->items[d->items[key].place].heap, key);
    }
    CHECK_EQ(inside, d->count);
    for (size_t i = 1; i < d->count; i++)
        CHECK(d->items[d->items[i].heap].at >= d->items[d->items[(i - 1) / 2].heap].at);
}

TEST(the_earliest_deadline_is_first_whatever_is_set_and_removed)
{
    sb_deadline  items[KEYS];
    sb_deadlines d;
    sb_time      plain[KEYS];
    sb_random    random;
    sb_random_init(&random, 3);
    sb_deadlines_init(&d, items, KEYS);
    for (size_t i = 0; i < KEYS; i++) plain[i] = SB_TIME_NEVER;
    for (unsigned step = 0; step < STEPS; step++) {
        uint16_t key = (uint16_t)sb_random_below(&random, KEYS);
        sb_time  at = sb_random_below(&random, 4) == 0 ? SB_TIME_NEVER
                                                       : (sb_time)sb_random_below(&random, 100);
        if (sb_random_below(&random, 2)) {
            sb_deadlines_set(&d, key, at);
            plain[key] = at;
        } else {
            sb_deadlines_lower(&d, key, at);
            if (at < plain[key]) plain[key] = at;
        }
        check_heap(&d, plain);
        CHECK_EQ(sb_deadlines_next(&d), earliest(plain));
        if (d.count > 0) CHECK_EQ(plain[sb_deadlines_first(&d)], earliest(plain));
    }
}

TEST(without_deadlines_the_next_one_never_comes)
{
    sb_deadline  items[2];
    sb_deadlines d;
    sb_deadlines_init(&d, items, 2);
    CHECK_EQ(sb_deadlines_next(&d), SB_TIME_NEVER);
    sb_deadlines_set(&d, 1, SB_TIME_NEVER); /* was not there */
    CHECK_EQ(d.count, 0);
    sb_deadlines_set(&d, 1, 5);
    sb_deadlines_lower(&d, 1, 6);
    CHECK_EQ(sb_deadlines_next(&d), 5);
    CHECK_EQ(sb_deadlines_first(&d), 1);
    sb_deadlines_set(&d, 1, SB_TIME_NEVER);
    CHECK_EQ(sb_deadlines_next(&d), SB_TIME_NEVER);
}
