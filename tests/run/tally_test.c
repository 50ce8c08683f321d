/* tests/run/tally_test.c -- who is expected to hear a line, and which change of speed was seen. */
#include "run/tally.h"

#include <starbase/message.h>
#include <starbase/ship_state.h>

#include "test.h"

#include <stdio.h>
#include <string.h>

enum { PLAYERS = 4 };

static uint8_t   bytes[400];
static sb_tally *kept; /* a failed test frees nothing */

static sb_tally *create(size_t rooms)
{
    sb_tally_destroy(kept);
    kept = sb_tally_create(rooms, PLAYERS);
    CHECK(kept != NULL);
    sb_tally_set_open(kept, true);
    return kept;
}

/* Players 0 to count - 1 of the first room, under peer ids from 2 on. */
static void enter(sb_tally *t, size_t count)
{
    for (size_t i = 0; i < count; i++) sb_tally_enter(t, i, (uint8_t)(i + 2));
}

static sb_span encode(const sb_message *m)
{
    size_t size = 0;
    CHECK_EQ(sb_encode_message(m, NULL, bytes, sizeof bytes, &size), SB_OK);
    return (sb_span){ bytes, size };
}

static sb_span mark(size_t player, sb_time at)
{
    static char text[SB_TALLY_MARK_BYTES + 1];
    sb_message  m = { .opcode = SB_OP_CHAT };
    snprintf(text, sizeof text, "@%016llx", (unsigned long long)at);
    m.as.chat.sender = (int32_t)player + 2;
    m.as.chat.text = (sb_span){ (const uint8_t *)text, SB_TALLY_MARK_BYTES };
    return encode(&m);
}

static sb_span update(size_t slot, uint8_t flags, uint16_t code)
{
    sb_message m = { .opcode = SB_OP_STATE_UPDATE };
    m.as.state_update = (sb_state_update){ .object_id = sb_slot_first_id((unsigned)slot),
                                           .game_time = 7.0f,
                                           .flags = flags,
                                           .has_hash = (flags & SB_STATE_POS) != 0,
                                           .hash = 0x1234,
                                           .forward = { 1, 2, 3 },
                                           .up = { 4, 5, 6 },
                                           .speed_code = code };
    return encode(&m);
}

static void check_lines(const sb_tally *t, uint64_t sent, uint64_t expected, uint64_t heard)
{
    const sb_tally_sums *s = sb_tally_sums_of(t);
    CHECK_EQ(s->lines_sent, sent);
    CHECK_EQ(s->lines_expected, expected);
    CHECK_EQ(s->lines_heard, heard);
    CHECK_EQ(s->chat.count, heard);
}

static void check_changes(const sb_tally *t, uint64_t sent, uint64_t expected, uint64_t seen)
{
    const sb_tally_sums *s = sb_tally_sums_of(t);
    CHECK_EQ(s->changes_sent, sent);
    CHECK_EQ(s->changes_expected, expected);
    CHECK_EQ(s->state.count, seen);
}

/* ---- lines ---- */

TEST(everybody_else_in_the_game_is_expected_to_hear_a_line)
{
    sb_tally *t = create(2);
    enter(t, 3);
    sb_tally_enter(t, PLAYERS, 2); /* the same peer id, in another room */
    sb_tally_sent(t, 0, 1000, mark(0, 1000));
    check_lines(t, 1, 2, 0);
    for (size_t i = 0; i <= PLAYERS; i++) sb_tally_received(t, i, 1500, mark(0, 1000));
    check_lines(t, 1, 2, 2);
    CHECK_EQ(sb_tally_sums_of(t)->chat.max_us, 500);
}

TEST(a_line_that_comes_twice_is_heard_once)
{
    sb_tally *t = create(1);
    enter(t, 2);
    sb_tally_sent(t, 0, 1000, mark(0, 1000));
    for (unsigned i = 0; i < 3; i++) sb_tally_received(t, 1, 1500, mark(0, 1000));
    check_lines(t, 1, 1, 1);
}

TEST(who_joins_after_a_line_is_not_expected_to_hear_it)
{
    sb_tally *t = create(1);
    enter(t, 2);
    sb_tally_sent(t, 0, 1000, mark(0, 1000));
    sb_tally_enter(t, 2, 4);
    sb_tally_received(t, 2, 1500, mark(0, 1000)); /* the server knew of the player earlier */
    check_lines(t, 1, 1, 0);
    sb_tally_sent(t, 0, 2000, mark(0, 2000));
    check_lines(t, 2, 3, 0);
}

TEST(lines_not_heard_by_a_player_who_is_gone_are_not_expected)
{
    sb_tally *t = create(1);
    enter(t, 3);
    sb_tally_sent(t, 0, 1000, mark(0, 1000));
    sb_tally_sent(t, 0, 2000, mark(0, 2000));
    sb_tally_sent(t, 2, 2000, mark(2, 2000));
    sb_tally_received(t, 2, 1500, mark(0, 1000));
    sb_tally_received(t, 1, 2500, mark(2, 2000));
    check_lines(t, 3, 6, 2);
    sb_tally_leave(t, 2); /* without the second line; the player's own was heard by one of two */
    sb_tally_leave(t, 2);
    check_lines(t, 3, 4, 2);
    sb_tally_received(t, 0, 2500, mark(2, 2000));
    check_lines(t, 3, 4, 2);
    sb_tally_received(t, 1, 2600, mark(0, 1000));
    sb_tally_received(t, 1, 2600, mark(0, 2000));
    check_lines(t, 3, 4, 4);
}

TEST(only_lines_sent_while_the_tally_is_open_count_even_if_late)
{
    sb_tally *t = create(1);
    enter(t, 2);
    sb_tally_set_open(t, false);
    sb_tally_sent(t, 0, 1000, mark(0, 1000));
    sb_tally_set_open(t, true);
    sb_tally_sent(t, 0, 2000, mark(0, 2000));
    sb_tally_set_open(t, false);
    sb_tally_sent(t, 0, 3000, mark(0, 3000));
    for (sb_time at = 1000; at <= 3000; at += 1000) sb_tally_received(t, 1, 9000, mark(0, at));
    check_lines(t, 1, 1, 1);
    CHECK_EQ(sb_tally_sums_of(t)->chat.max_us, 7000);
}

TEST(lines_that_are_no_marks_and_broken_ones_do_not_count)
{
    sb_message m = { .opcode = SB_OP_CHAT };
    sb_tally  *t = create(1);
    enter(t, 2);
    m.as.chat.sender = 2;
    m.as.chat.text = (sb_span){ (const uint8_t *)"Well fought.", 12 };
    sb_tally_sent(t, 0, 1000, encode(&m));
    m.as.chat.text = (sb_span){ (const uint8_t *)"@000000000000000G", 17 };
    sb_tally_sent(t, 0, 1000, encode(&m));
    sb_span line = mark(0, 1000);
    line.size--;
    sb_tally_sent(t, 0, 1000, line);
    sb_tally_sent(t, 0, 1000, (sb_span){ bytes, 0 });
    sb_tally_received(t, 1, 1000, (sb_span){ bytes, 0 });
    check_lines(t, 0, 0, 0);
}

/* ---- changes of speed ---- */

TEST(a_change_of_speed_is_seen_once_by_each_receiver)
{
    sb_tally *t = create(1);
    enter(t, 3);
    sb_tally_sent(t, 0, 1000, update(0, SB_STATE_SPEED, 100)); /* the first code: no change */
    sb_tally_sent(t, 0, 2000, update(0, SB_STATE_POS | SB_STATE_SPEED, 101));
    check_changes(t, 1, 2, 0);
    sb_tally_received(t, 1, 2100, update(0, SB_STATE_FWD | SB_STATE_SPEED, 100));
    check_changes(t, 1, 2, 0);
    for (sb_time at = 2300; at < 2600; at += 100)
        sb_tally_received(t, 1, at, update(0, SB_STATE_DELTA | SB_STATE_SPEED, 101));
    sb_tally_received(t, 2, 2400,
                      update(0, SB_STATE_POS | SB_STATE_FWD | SB_STATE_UP | SB_STATE_SPEED, 101));
    sb_tally_received(t, 0, 2400, update(0, SB_STATE_SPEED, 101)); /* its own */
    check_changes(t, 1, 2, 2);
    CHECK_EQ(sb_tally_sums_of(t)->state.min_us, 300);
    CHECK_EQ(sb_tally_sums_of(t)->state.max_us, 400);
}

TEST(a_change_that_the_server_left_out_is_not_seen)
{
    sb_tally *t = create(1);
    enter(t, 2);
    for (uint16_t i = 0; i < 4; i++)
        sb_tally_sent(t, 0, 1000 * i, update(0, SB_STATE_SPEED, (uint16_t)(100 + i)));
    sb_tally_received(t, 1, 3500, update(0, SB_STATE_SPEED, 103));
    sb_tally_received(t, 1, 3600, update(0, SB_STATE_SPEED, 102)); /* out of order: too late */
    check_changes(t, 3, 3, 1);
    CHECK_EQ(sb_tally_sums_of(t)->state.max_us, 500);
}

/* The speed goes up and down again. The old code is still in force when the first copy of it
 * comes, so this copy does not show the later change. */
TEST(a_code_still_in_force_is_not_taken_for_a_later_change)
{
    sb_tally *t = create(1);
    enter(t, 2);
    sb_tally_sent(t, 0, 1000, update(0, SB_STATE_SPEED, 100));
    sb_tally_sent(t, 0, 2000, update(0, SB_STATE_SPEED, 101));
    sb_tally_received(t, 1, 2100, update(0, SB_STATE_SPEED, 101));
    sb_tally_sent(t, 0, 3000, update(0, SB_STATE_SPEED, 102));
    sb_tally_sent(t, 0, 4000, update(0, SB_STATE_SPEED, 101));
    sb_tally_received(t, 1, 4050, update(0, SB_STATE_SPEED, 101));
    check_changes(t, 3, 3, 1);
    sb_tally_received(t, 1, 4100, update(0, SB_STATE_SPEED, 102));
    sb_tally_received(t, 1, 4150, update(0, SB_STATE_SPEED, 101));
    check_changes(t, 3, 3, 3);
}

TEST(a_new_ship_and_a_change_while_closed_are_no_changes)
{
    sb_tally *t = create(1);
    sb_span   other;
    enter(t, 2);
    sb_tally_sent(t, 0, 1000, update(0, SB_STATE_SPEED, 100));
    other = update(0, SB_STATE_SPEED, 101);
    bytes[1]++; /* another object id */
    sb_tally_sent(t, 0, 2000, other);
    sb_tally_set_open(t, false);
    sb_tally_sent(t, 0, 3000, update(0, SB_STATE_SPEED, 102));
    sb_tally_set_open(t, true);
    sb_tally_sent(t, 0, 4000, update(0, SB_STATE_SPEED, 102));
    sb_tally_received(t, 1, 4000, update(0, SB_STATE_SPEED, 102));
    sb_tally_received(t, 1, 4000, update(3, SB_STATE_SPEED, 102)); /* nobody's ship */
    check_changes(t, 0, 0, 0);
}

TEST(hundreds_of_changes_leave_the_newest_to_be_seen)
{
    sb_tally *t = create(1);
    enter(t, 2);
    for (uint16_t i = 0; i <= 500; i++) sb_tally_sent(t, 0, 10 * i, update(0, SB_STATE_SPEED, i));
    sb_tally_received(t, 1, 5000, update(0, SB_STATE_SPEED, 1));
    check_changes(t, 500, 500, 0); /* the oldest are forgotten */
    sb_tally_received(t, 1, 5000, update(0, SB_STATE_SPEED, 480));
    sb_tally_received(t, 1, 5000, update(0, SB_STATE_SPEED, 500));
    check_changes(t, 500, 500, 2);
    CHECK_EQ(sb_tally_sums_of(t)->state.min_us, 0);
    CHECK_EQ(sb_tally_sums_of(t)->state.max_us, 200);
}

TEST(updates_cut_short_and_without_a_speed_do_not_count)
{
    sb_tally *t = create(1);
    enter(t, 2);
    sb_tally_sent(t, 0, 1000, update(0, SB_STATE_SPEED, 100));
    sb_span whole = update(0, SB_STATE_POS | SB_STATE_FWD | SB_STATE_SPEED, 101);
    for (size_t size = 0; size < whole.size; size++)
        sb_tally_sent(t, 0, 2000, (sb_span){ whole.data, size });
    sb_tally_sent(t, 0, 2000, update(0, SB_STATE_FWD, 101));
    check_changes(t, 0, 0, 0);
}

/* ---- sums ---- */

TEST(sums_of_two_tallies_are_added)
{
    static sb_tally_sums sums;
    memset(&sums, 0, sizeof sums);
    for (unsigned i = 0; i < 2; i++) {
        sb_tally *t = create(1);
        enter(t, 3);
        sb_tally_sent(t, 0, 1000, mark(0, 1000));
        sb_tally_received(t, 1, 1100 + 50 * i, mark(0, 1000));
        sb_tally_sent(t, 0, 1000, update(0, SB_STATE_SPEED, 100));
        sb_tally_sent(t, 0, 1000, update(0, SB_STATE_SPEED, 101));
        sb_tally_received(t, 1, 1900 - 10 * i, update(0, SB_STATE_SPEED, 101));
        sb_tally_add(&sums, sb_tally_sums_of(t));
    }
    CHECK_EQ(sums.lines_sent, 2);
    CHECK_EQ(sums.lines_expected, 4);
    CHECK_EQ(sums.lines_heard, 2);
    CHECK_EQ(sums.changes_sent, 2);
    CHECK_EQ(sums.changes_expected, 4);
    CHECK_EQ(sums.chat.min_us, 100);
    CHECK_EQ(sums.chat.max_us, 150);
    CHECK_EQ(sums.chat.sum_us, 250);
    CHECK_EQ(sums.state.count, 2);
    CHECK_EQ(sums.state.min_us, 890);
    CHECK_EQ(sb_latency_percentile(&sums.chat, 50), 100);
    CHECK_EQ(sb_latency_percentile(&sums.chat, 100), 150);
}
