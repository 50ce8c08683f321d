/* tests/admin/rotation_test.c -- which entry comes next, and the steps by which it comes. */
#include "admin/rotation.h"

#include "test.h"

static const sb_rotation_entry entries[] = {
    { "Multi1", "ffa", 15, 10 },
    { "Multi3", NULL, -1, -1 },
    { NULL, "team", 20, 0 },
};

static sb_rotation rotation;

static void start(size_t count)
{
    rotation = (sb_rotation){ .step = SB_ROTATION_IDLE };
    sb_rotation_set_entries(&rotation, entries, count);
}

TEST(entries_come_in_turn_and_begin_again)
{
    start(3);
    CHECK_TEXT(rotation.choice.system, "Multi1");
    CHECK_TEXT(sb_rotation_peek(&rotation)->system, "Multi3");
    CHECK(sb_rotation_next(&rotation));
    CHECK_TEXT(rotation.choice.system, "Multi3");
    CHECK_TEXT(rotation.choice.mission, "");
    CHECK_EQ(rotation.choice.time_limit, -1);
    CHECK(sb_rotation_next(&rotation));
    CHECK_TEXT(rotation.choice.mission, "team");
    CHECK(sb_rotation_next(&rotation));
    CHECK_TEXT(rotation.choice.system, "Multi1");
}

TEST(without_entries_there_is_nothing_next)
{
    start(0);
    CHECK(!sb_rotation_next(&rotation));
    CHECK(sb_rotation_peek(&rotation) == NULL);
    CHECK_EQ(sb_rotation_match_over(&rotation, SB_ROTATE_REJOIN, 0), SB_ROTATION_NOTHING);
    sb_rotation_choose(&rotation, "Multi5", NULL);
    CHECK(rotation.has_choice);
    CHECK_TEXT(rotation.choice.system, "Multi5");
    CHECK_EQ(rotation.choice.frag_limit, -1);
    sb_rotation_choose(&rotation, NULL, "team");
    CHECK_TEXT(rotation.choice.system, "Multi5"); /* the earlier choice stays */
    CHECK_TEXT(rotation.choice.mission, "team");
}

TEST(a_choice_counts_at_once_in_an_empty_room)
{
    start(3);
    CHECK_EQ(sb_rotation_begin(&rotation, SB_ROTATE_REJOIN, true, 0), SB_ROTATION_CONFIGURE);
    CHECK_EQ(rotation.step, SB_ROTATION_IDLE);
    CHECK_EQ(sb_rotation_deadline(&rotation), SB_TIME_NEVER);
}

TEST(with_players_a_choice_waits_and_does_not_skip_entries)
{
    start(3);
    CHECK_EQ(sb_rotation_match_over(&rotation, SB_ROTATE_EMPTY, 0), SB_ROTATION_CONFIGURE);
    CHECK_EQ(rotation.position, 1);
    CHECK_EQ(sb_rotation_match_over(&rotation, SB_ROTATE_EMPTY, 9), SB_ROTATION_NOTHING);
    CHECK_EQ(rotation.position, 1);
    sb_rotation_emptied(&rotation);
    CHECK_EQ(sb_rotation_match_over(&rotation, SB_ROTATE_EMPTY, 99), SB_ROTATION_CONFIGURE);
    CHECK_EQ(rotation.position, 2);
}

TEST(players_are_warned_then_removed_until_the_room_is_empty)
{
    start(3);
    CHECK_EQ(sb_rotation_match_over(&rotation, SB_ROTATE_REJOIN, 0), SB_ROTATION_WARN);
    CHECK_EQ(sb_rotation_deadline(&rotation), 15 * SB_SECOND);
    CHECK(!sb_rotation_is_closed(&rotation));
    CHECK_EQ(sb_rotation_advance(&rotation, 15 * SB_SECOND - 1), SB_ROTATION_NOTHING);
    CHECK_EQ(sb_rotation_advance(&rotation, 15 * SB_SECOND), SB_ROTATION_REMOVE);
    CHECK(sb_rotation_is_closed(&rotation));
    CHECK_EQ(sb_rotation_deadline(&rotation), 16 * SB_SECOND);
    CHECK_EQ(sb_rotation_advance(&rotation, 16 * SB_SECOND), SB_ROTATION_REMOVE);
    sb_rotation_emptied(&rotation);
    CHECK(!sb_rotation_is_closed(&rotation));
    CHECK_EQ(sb_rotation_advance(&rotation, 99 * SB_SECOND), SB_ROTATION_NOTHING);
}

TEST(another_choice_does_not_prolong_the_warning)
{
    start(3);
    CHECK_EQ(sb_rotation_begin(&rotation, SB_ROTATE_REJOIN, false, 0), SB_ROTATION_WARN);
    CHECK_EQ(sb_rotation_begin(&rotation, SB_ROTATE_REJOIN, false, 9 * SB_SECOND),
             SB_ROTATION_WARN);
    CHECK_EQ(sb_rotation_deadline(&rotation), 15 * SB_SECOND);
    CHECK_EQ(sb_rotation_advance(&rotation, 15 * SB_SECOND), SB_ROTATION_REMOVE);
    CHECK_EQ(sb_rotation_begin(&rotation, SB_ROTATE_REJOIN, false, 15 * SB_SECOND),
             SB_ROTATION_CONFIGURE);
    CHECK(sb_rotation_is_closed(&rotation));
}

TEST(bots_make_room_for_a_choice_that_waits)
{
    start(3);
    sb_rotation_clear(&rotation, 5);
    CHECK_EQ(rotation.step, SB_ROTATION_IDLE); /* nothing waits: they may stay */
    CHECK_EQ(sb_rotation_match_over(&rotation, SB_ROTATE_EMPTY, 6), SB_ROTATION_CONFIGURE);
    sb_rotation_clear(&rotation, 7);
    CHECK(sb_rotation_is_closed(&rotation));
    CHECK_EQ(sb_rotation_deadline(&rotation), 7);
    CHECK_EQ(sb_rotation_advance(&rotation, 7), SB_ROTATION_REMOVE);
}

TEST(settings_that_are_sent_again_remove_nobody)
{
    start(3);
    CHECK_EQ(sb_rotation_begin(&rotation, SB_ROTATE_RESEND, false, 0), SB_ROTATION_RESEND);
    CHECK_EQ(rotation.step, SB_ROTATION_IDLE);
}

TEST(a_reload_keeps_what_was_chosen_by_hand)
{
    sb_rotation r = { .count = 0 };
    sb_rotation_choose(&r, "Multi5", NULL);
    sb_rotation_set_entries(&r, NULL, 0);
    CHECK(r.has_choice);
    CHECK_TEXT(r.choice.system, "Multi5");
    sb_rotation_set_entries(&r, entries, 3);
    CHECK_TEXT(r.choice.system, "Multi5");
    CHECK_EQ(r.choice.time_limit, entries[0].time_limit);
    (void)sb_rotation_next(&r); /* what comes by itself is not kept against the list */
    sb_rotation_set_entries(&r, entries, 2);
    CHECK_TEXT(r.choice.system, entries[0].system);
    sb_rotation_choose(&r, "Multi5", NULL);
    sb_rotation_forget_choice(&r);
    sb_rotation_set_entries(&r, entries, 2);
    CHECK_TEXT(r.choice.system, entries[0].system);
    sb_rotation_set_entries(&r, NULL, 0);
    CHECK(!r.has_choice);
}

TEST(a_reload_keeps_the_place_in_a_list_of_the_same_length)
{
    start(3);
    CHECK(sb_rotation_next(&rotation));
    sb_rotation_set_entries(&rotation, entries, 3);
    CHECK_TEXT(rotation.choice.system, "Multi3");
    sb_rotation_set_entries(&rotation, entries, 2);
    CHECK_TEXT(rotation.choice.system, "Multi1");
    sb_rotation_set_entries(&rotation, NULL, 0);
    CHECK(!rotation.has_choice);
}
