/* tests/replica/doubt_test.c -- which game times contradict each other.
 *
 * For:      src/replica/doubt.h; forged_times_test.c has whole attacks.
 * Spec:     03 §9.
 */
#include "replica/doubt.h"

#include "test.h"

static int slot_of(float time)
{
    return (int)(time / spacing_min_s);
}

static float *recent_near(sb_receiver *r, float time)
{
    return &r->recent[slot_of(time) & (SB_RECENT_TIMES - 1)];
}

/* Whatever was in its memory. */
TEST(a_new_receiver_has_heard_no_times)
{
    sb_receiver r = { .newest_time = 100.0f, .contradicted_at = 95 * SB_SECOND };
    sb_doubt_init(&r, 100 * SB_SECOND);
    for (int i = 0; i < SB_RECENT_TIMES; i++)
        CHECK(!sb_doubt_contradicts(&r, i, 0.01f)); /* 0 would contradict it */
    CHECK(r.newest_time == -INFINITY);
    sb_doubt_note_contradiction(&r, 100 * SB_SECOND);
    CHECK_EQ(r.doubt_until, 0); /* the first one is no doubt */
}

TEST(times_exactly_a_twentieth_of_a_second_apart_are_honest)
{
    sb_receiver r = { .recent = { 0 } };
    CHECK(!sb_doubt_contradicts(&r, 0, spacing_min_s));
    CHECK(sb_doubt_contradicts(&r, 0, nextafterf(spacing_min_s, 0)));
    CHECK(!sb_doubt_contradicts(&r, 0, 0));
}

TEST(a_slot_keeps_its_newest_time_unless_the_clock_restarts)
{
    const float time = 1.0f;
    for (int fell = 0; fell < 2; fell++) {
        sb_receiver r = { .newest_time = 0 };
        float       newest = fell ? nextafterf(6, 7) : 6.0f; /* 5 s ahead */
        sb_doubt_init(&r, 0);
        r.newest_time = *recent_near(&r, time) = newest;
        sb_doubt_note_time(&r, 0, time, 5.0f);
        CHECK(*recent_near(&r, time) == (fell ? time : newest));
    }
}
