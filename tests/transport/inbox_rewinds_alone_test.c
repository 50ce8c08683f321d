/* tests/transport/inbox_rewinds_alone_test.c -- numbers that are expected again: an inbox without a
 * session.
 *
 * For:      src/transport/inbox_rivals.c. inbox_rivals_alone_test.c has hashes, records and rivals.
 * Spec:     01 §10.8 rule 4.
 */
#include "inbox_rig.h"

#include <string.h>

static const inbox_setup window_256 = { 256, PLENTY, PLENTY, 4096, 0 };
static const inbox_setup window_1024 = { 1024, PLENTY, PLENTY, 4096, 0 };

/* ---- Rewinds -------------------------------------------------------------------------------- */

/* Data from `first` on, of which `own` are known to be the peer's; the first one is not. */
static sb_inbox *rewound(const inbox_setup *setup, uint16_t first, const bool *own, unsigned count)
{
    sb_inbox *in = inbox_open(setup);
    in->channels[SB_CHANNEL_DATA].expected = first;
    begin(in, false);
    uint16_t forged = in->batch;
    for (unsigned i = 0; i < count; i++) {
        in->batch = own[i] ? (uint16_t)SB_BATCH_PROVEN : forged;
        CHECK_EQ(inbox_give(in, (uint16_t)(first + i), 'a'), SB_VERDICT_DELIVER);
    }
    take_back(in, first);
    CHECK_EQ(expected(in), first);
    CHECK(sb_inbox_is_rewound(in));
    return in;
}

/* Which numbers are expected again? `done`: the others were the peer's own. */
static void check_expected_again(sb_inbox *in, uint16_t first, const bool *done, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        CHECK(sb_inbox_is_rewound(in));
        CHECK_EQ(inbox_give(in, (uint16_t)(first + i), 'T'),
                 done[i] ? SB_VERDICT_DUPLICATE : SB_VERDICT_DELIVER);
        if (done[i]) continue;
        unsigned next = i + 1;
        while (next < count && done[next]) next++;
        CHECK_EQ(expected(in), (uint16_t)(first + next));
        if (next == count) break;
    }
    CHECK(!sb_inbox_is_rewound(in));
    CHECK_EQ(inbox_give(in, (uint16_t)(first + count), 'T'), SB_VERDICT_DELIVER);
}

TEST(a_rewind_expects_only_numbers_without_the_peers_own)
{
    static const uint16_t firsts[] = { 0, 1, 30, 200, 300, 65400, 65535 };
    sb_random             random;
    bool                  own[255];
    sb_random_init(&random, 5);
    for (unsigned round = 0; round < 28; round++) {
        unsigned count = round < 14 ? 255 : 1 + sb_random_below(&random, 255);
        uint16_t first = firsts[round % 7];
        for (unsigned i = 0; i < count; i++) own[i] = i > 0 && sb_random_below(&random, 2) != 0;
        check_expected_again(rewound(&window_256, first, own, count), first, own, count);
    }
}

TEST(a_done_number_is_a_duplicate_before_its_turn)
{
    static const bool own[] = { false, true, false, true };
    sb_inbox         *in = rewound(NULL, 10, own, 4);
    CHECK_EQ(inbox_give(in, 11, 'a'), SB_VERDICT_DUPLICATE);
    CHECK_EQ(inbox_give(in, 13, 'a'), SB_VERDICT_DUPLICATE);
    CHECK_EQ(inbox_give(in, 12, 'T'), SB_VERDICT_STORED);
    CHECK_EQ(inbox_give(in, 14, 'U'), SB_VERDICT_STORED);
    CHECK_EQ(inbox_give(in, 10, 'S'), SB_VERDICT_DELIVER);
    CHECK_TEXT(inbox_next(in, SB_CHANNEL_DATA), "T");
    CHECK_TEXT(inbox_next(in, SB_CHANNEL_DATA), "U");
    CHECK(!sb_inbox_is_rewound(in));
}

/* Of all numbers that a client can store. */
TEST(a_rewind_remembers_all_numbers_of_a_window)
{
    static bool own[1023];
    for (unsigned i = 0; i < 1023; i++) own[i] = i > 0 && i % 5 != 0;
    check_expected_again(rewound(&window_1024, 1000, own, 1023), 1000, own, 1023);
    CHECK(SB_REWIND_DONE >= 1024);
}

/* ---- Rewinds: numbers of other datagrams ---- */

/* Data 0 'F', forged; 1 'a' and 2 'b' of other datagrams; 3 'F' of the forged one. Then the peer's
 * own Data 0 shows the theft. */
static sb_inbox *rewound_among_others(void)
{
    sb_inbox *in = inbox_open(NULL);
    begin(in, false);
    uint16_t forged = in->batch;
    CHECK_EQ(inbox_give(in, 0, 'F'), SB_VERDICT_DELIVER);
    for (uint16_t seq = 1; seq <= 2; seq++) {
        begin(in, false);
        CHECK_EQ(inbox_give(in, seq, (char)('a' + seq - 1)), SB_VERDICT_DELIVER);
    }
    in->batch = forged;
    CHECK_EQ(inbox_give(in, 3, 'F'), SB_VERDICT_DELIVER);
    begin(in, true);
    take_back(in, 0);
    CHECK_EQ(expected(in), 0);
    CHECK(sb_inbox_is_rewound(in));
    return in;
}

/* They were the peer's own, but nothing has shown it. */
TEST(a_message_of_another_datagram_is_not_delivered_twice)
{
    sb_inbox *in = rewound_among_others();
    CHECK_EQ(inbox_give(in, 0, 'S'), SB_VERDICT_DELIVER);
    CHECK_EQ(inbox_give(in, 1, 'a'), SB_VERDICT_DUPLICATE);
    CHECK_EQ(expected(in), 2);
    CHECK_EQ(inbox_give(in, 2, 'b'), SB_VERDICT_DUPLICATE);
    CHECK_EQ(expected(in), 3);
    CHECK_EQ(inbox_give(in, 3, 'F'), SB_VERDICT_DELIVER); /* the forged one was forgotten */
    CHECK(!sb_inbox_is_rewound(in));
    CHECK_EQ(inbox_give(in, 4, 'U'), SB_VERDICT_DELIVER);
}

TEST(such_a_message_may_come_before_its_turn)
{
    sb_inbox *in = rewound_among_others();
    CHECK_EQ(inbox_give(in, 2, 'b'), SB_VERDICT_DUPLICATE);
    CHECK_EQ(inbox_give(in, 2, 'b'), SB_VERDICT_DUPLICATE);
    CHECK_EQ(inbox_give(in, 1, 'a'), SB_VERDICT_DUPLICATE);
    CHECK_EQ(expected(in), 0);
    CHECK_EQ(inbox_give(in, 0, 'S'), SB_VERDICT_DELIVER);
    CHECK_EQ(expected(in), 3);
}

/* They were forged, too. */
TEST(another_message_under_such_a_number_is_delivered)
{
    sb_inbox *in = rewound_among_others();
    CHECK_EQ(inbox_give(in, 0, 'S'), SB_VERDICT_DELIVER);
    CHECK_EQ(inbox_give(in, 1, 'T'), SB_VERDICT_DELIVER);
    CHECK_EQ(inbox_give(in, 1, 'a'), SB_VERDICT_DUPLICATE);
    CHECK_EQ(inbox_give(in, 2, 'b'), SB_VERDICT_DUPLICATE);
    CHECK_EQ(inbox_give(in, 3, 'V'), SB_VERDICT_DELIVER);
    CHECK(!sb_inbox_is_rewound(in));
}

/* Nothing shows whether fragments came before: the message counts as delivered. */
TEST(fragments_of_another_datagram_are_not_expected_again)
{
    sb_inbox *in = inbox_open(NULL);
    begin(in, false);
    CHECK_EQ(inbox_give(in, 0, 'F'), SB_VERDICT_DELIVER);
    begin(in, false);
    for (uint8_t i = 0; i < 2; i++)
        (void)!inbox_accept(in, inbox_fragment(1, i, 2, rig_byte((char)('a' + i))));
    CHECK_TEXT(inbox_next(in, SB_CHANNEL_DATA), "ab");
    begin(in, true);
    take_back(in, 0);
    CHECK_EQ(expected(in), 0);
    CHECK_EQ(inbox_give(in, 0, 'S'), SB_VERDICT_DELIVER);
    CHECK_EQ(expected(in), 2);
    CHECK(!sb_inbox_is_rewound(in));
}

TEST(a_second_rewind_ends_where_the_first_one_did)
{
    static const bool own[] = { false, false, true, false, true, true };
    sb_inbox         *in = rewound(NULL, 10, own, 6);
    begin(in, false);
    CHECK_EQ(inbox_give(in, 10, 'G'), SB_VERDICT_DELIVER); /* forged again */
    CHECK_EQ(inbox_give(in, 11, 'G'), SB_VERDICT_DELIVER);
    CHECK_EQ(expected(in), 13);
    take_back(in, 11);
    CHECK_EQ(expected(in), 10);
    static const bool done[] = { false, false, true, false, true, true };
    check_expected_again(in, 10, done, 6);
}

TEST(a_later_rewind_knows_nothing_of_an_earlier_one)
{
    static const bool own[] = { false, true, true };
    sb_inbox         *in = rewound(NULL, 10, own, 3);
    check_expected_again(in, 10, own, 3);
    CHECK_EQ(expected(in), 14);
    uint16_t same = SB_REWIND_DONE + 11; /* has the bit of Data 11 */
    deliver_run(in, same - 14u, 'a', true);
    CHECK_EQ(expected(in), same);
    deliver_run(in, 4, 'F', false);
    take_back(in, (uint16_t)(expected(in) - 1));
    CHECK_EQ(expected(in), same);
    static const bool none[4];
    check_expected_again(in, same, none, 4);
}

/* What is at the far end lies beyond the window now: its slot belongs to an earlier number. */
TEST(a_rewind_releases_what_is_beyond_the_window)
{
    sb_inbox *in = inbox_open(NULL);
    deliver_run(in, 10, 'a', true);
    deliver_run(in, 4, 'F', false);
    begin(in, true);
    for (uint16_t seq = 15; seq < 14 + NUMBERS; seq++)
        CHECK_EQ(inbox_give(in, seq, 'a'), SB_VERDICT_STORED);
    take_back(in, 10);
    CHECK_EQ(expected(in), 10);
    CHECK_EQ(in->stored, NUMBERS - 1 - 4);
    for (uint16_t seq = 10; seq < 15; seq++) CHECK_EQ(inbox_give(in, seq, 'T'), SB_VERDICT_DELIVER);
    for (uint16_t seq = 15; seq < 10 + NUMBERS; seq++)
        CHECK_TEXT(inbox_next(in, SB_CHANNEL_DATA), "a");
    CHECK(inbox_next(in, SB_CHANNEL_DATA) == NULL);
    CHECK_EQ(expected(in), 10 + NUMBERS);
}

/* ---- Numbers that forgeries have carried away ------------------------------------------------ */

static bool is_lost(const sb_inbox *in, int ahead)
{
    sb_transport_message m = inbox_data((uint16_t)(expected(in) + ahead), rig_byte('T'));
    return sb_inbox_is_lost(in, &m);
}

TEST(a_number_behind_all_records_or_far_ahead_is_lost)
{
    sb_inbox *in = inbox_open(NULL);
    deliver_run(in, 100, 'F', false);
    CHECK(!is_lost(in, 0) && !is_lost(in, 1) && !is_lost(in, -1));
    CHECK(!is_lost(in, -(2 * NUMBERS - 1)));
    CHECK(is_lost(in, -2 * NUMBERS));
    CHECK(!is_lost(in, 0x3FFF));
    CHECK(is_lost(in, 0x4000));
    sb_transport_message m = inbox_control(60000, rig_byte('T'));
    CHECK(!sb_inbox_is_lost(in, &m));
}

TEST(the_expected_number_is_found_again_behind)
{
    sb_inbox            *in = inbox_open(NULL);
    sb_transport_message m = inbox_data(5, rig_byte('T'));
    deliver_run(in, 100, 'F', false);
    begin(in, true);
    for (uint16_t seq = 101; seq < 100 + NUMBERS; seq++)
        CHECK_EQ(inbox_give(in, seq, 'x'), SB_VERDICT_STORED);
    sb_inbox_find_again(in, RIG_START, &m);
    sb_inbox_check(in);
    CHECK_EQ(expected(in), 5);
    CHECK_EQ(in->stored, 0);
    CHECK(sb_inbox_is_rewound(in));
    for (uint16_t seq = 5; seq < 100; seq++) CHECK_EQ(inbox_give(in, seq, 'T'), SB_VERDICT_DELIVER);
    CHECK(!sb_inbox_is_rewound(in));
}

TEST(what_was_under_numbers_that_are_found_again_is_forgotten)
{
    sb_inbox            *in = inbox_open(&window_256);
    sb_transport_message m = inbox_data(5, rig_byte('F'));
    deliver_run(in, 100, 'F', false);
    begin(in, true);
    sb_inbox_find_again(in, RIG_START, &m);
    for (uint16_t seq = 5; seq < 100; seq++) CHECK_EQ(inbox_give(in, seq, 'F'), SB_VERDICT_DELIVER);
    CHECK(!sb_inbox_is_rewound(in));
}

/* There are bits for 1,024 numbers; older ones are all expected again. */
TEST(a_long_rewind_remembers_the_last_1024_numbers)
{
    sb_inbox            *in = inbox_open(&window_1024);
    sb_transport_message m = inbox_data(970, rig_byte('T'));
    deliver_run(in, 2000, 'a', true);
    begin(in, true);
    sb_inbox_find_again(in, RIG_START, &m);
    for (uint16_t seq = 970; seq < 2000 - SB_REWIND_DONE; seq++) {
        CHECK_EQ(expected(in), seq);
        CHECK_EQ(inbox_give(in, seq, 'T'), SB_VERDICT_DELIVER);
    }
    CHECK_EQ(expected(in), 2000);
    CHECK(!sb_inbox_is_rewound(in));
}

TEST(a_long_rewind_knows_messages_among_the_last_1024_numbers)
{
    sb_inbox            *in = inbox_open(&window_1024);
    uint16_t             first = 2000 - SB_REWIND_DONE - 2;
    sb_transport_message m = inbox_data(first, rig_byte('T'));
    deliver_run(in, 2000, 'F', false);
    begin(in, true);
    sb_inbox_find_again(in, RIG_START, &m);
    deliver_run(in, 1, 'F', false);
    deliver_run(in, 2, 'a', false); /* of another datagram */
    take_back(in, first);
    CHECK_EQ(expected(in), first);
    CHECK_EQ(inbox_give(in, (uint16_t)(first + 2), 'a'), SB_VERDICT_DUPLICATE);
    CHECK_EQ(inbox_give(in, (uint16_t)(first + 1), 'a'), SB_VERDICT_STORED);
}

TEST(the_expected_number_is_found_again_ahead)
{
    sb_inbox            *in = inbox_open(NULL);
    sb_transport_message m = inbox_data(0x7000, rig_byte('T'));
    deliver_run(in, 3, 'a', true);
    deliver_run(in, 2, 'F', false);
    take_back(in, 4); /* a rewind is over as well */
    for (uint16_t seq = 4; seq < 3 + NUMBERS; seq++)
        CHECK_EQ(inbox_give(in, seq, 'x'), SB_VERDICT_STORED);
    sb_inbox_find_again(in, RIG_START, &m);
    sb_inbox_check(in);
    CHECK_EQ(in->stored, 0);
    CHECK(!sb_inbox_is_rewound(in));
    CHECK_EQ(inbox_accept(in, m), SB_VERDICT_DELIVER);
    CHECK_EQ(expected(in), 0x7001);
}

/* ---- The end of a rewind --------------------------------------------------------------------- */

/* Data 10 to 13 are expected again; Data `waiting` of the peer waits for them, from `now` on. */
static sb_inbox *waiting_inbox(uint16_t waiting)
{
    static const bool own[] = { false, false, true, false };
    sb_inbox         *in = rewound(NULL, 10, own, 4);
    begin(in, true);
    CHECK_EQ(inbox_give(in, waiting, 'w'), SB_VERDICT_STORED);
    return in;
}

/* Looks every 0.1 s; returns after how many of them a rewind ended, 0: not within 30 s. */
static unsigned tenths_until_end(sb_inbox *in, unsigned *ended)
{
    for (unsigned i = 0; i < 300; i++) {
        *ended = sb_inbox_end_rewinds(in, RIG_START + i * SB_SECOND / 10);
        sb_inbox_check(in);
        if (*ended) return i;
    }
    return 0;
}

TEST(numbers_are_given_up_after_a_message_has_waited_10_s)
{
    for (uint16_t waiting = 11; waiting < 10 + NUMBERS; waiting++) { /* every slot */
        if (waiting == 12) continue;                                 /* the peer's own came */
        sb_inbox *in = waiting_inbox(waiting);
        unsigned  ended = 0;
        CHECK_EQ(tenths_until_end(in, &ended), 100);
        CHECK_EQ(ended, 1u << SB_CHANNEL_DATA);
        if (waiting <= 14) CHECK_TEXT(inbox_next(in, SB_CHANNEL_DATA), "w");
        else CHECK_EQ(expected(in), 14); /* numbers from here on were never used up */
        CHECK_EQ(sb_inbox_is_rewound(in), waiting < 13);
    }
}

/* Its sender repeats it after 1, 3 or 6 s, whatever happened to earlier ones. */
TEST(each_number_is_given_up_after_10_s_of_its_own)
{
    static const bool own[] = { false, false, false, false, false, false };
    sb_inbox         *in = rewound(NULL, 10, own, 6);
    begin(in, true);
    CHECK_EQ(inbox_give(in, 11, 'w'), SB_VERDICT_STORED);
    for (unsigned s = 0; s < 10; s++) {
        CHECK_EQ(sb_inbox_end_rewinds(in, RIG_START + s * SB_SECOND), 0);
        if (s == 8) CHECK_EQ(inbox_give(in, 13, 'x'), SB_VERDICT_STORED);
    }
    CHECK(sb_inbox_end_rewinds(in, RIG_START + 10 * SB_SECOND) != 0); /* Data 10 */
    CHECK_TEXT(inbox_next(in, SB_CHANNEL_DATA), "w");
    for (unsigned s = 11; s < 19; s++)
        CHECK_EQ(sb_inbox_end_rewinds(in, RIG_START + s * SB_SECOND), 0);
    CHECK_EQ(expected(in), 12);
    CHECK(sb_inbox_end_rewinds(in, RIG_START + 19 * SB_SECOND) != 0); /* Data 12 */
    CHECK_TEXT(inbox_next(in, SB_CHANNEL_DATA), "x");
    CHECK_EQ(expected(in), 14);
}

TEST(nothing_is_given_up_while_no_message_of_the_peer_waits)
{
    static const bool own[] = { false, false, true, false };
    sb_inbox         *in = rewound(NULL, 10, own, 4);
    unsigned          ended = 0;
    begin(in, false);
    CHECK_EQ(inbox_give(in, 13, 'F'), SB_VERDICT_STORED); /* anybody's */
    CHECK_EQ(tenths_until_end(in, &ended), 0);
    CHECK_EQ(ended, 0);
    CHECK_EQ(expected(in), 10);
    begin(in, true);
    CHECK_EQ(inbox_give(in, 14, 'w'), SB_VERDICT_STORED);
    CHECK_EQ(sb_inbox_end_rewinds(in, RIG_START + 39 * SB_SECOND - 1), 0);
    CHECK(sb_inbox_end_rewinds(in, RIG_START + 40 * SB_SECOND) != 0);
}

TEST(the_slots_are_looked_at_once_a_second)
{
    sb_inbox  *in = waiting_inbox(14);
    sb_rewind *r = &in->channels[SB_CHANNEL_DATA].rewind;
    CHECK_EQ(sb_inbox_end_rewinds(in, RIG_START), 0);
    r->waiting[1] = 14; /* would end at the next look */
    CHECK_EQ(sb_inbox_end_rewinds(in, RIG_START + SB_SECOND - 1), 0);
    CHECK_EQ(sb_inbox_end_rewinds(in, RIG_START + SB_SECOND), 1u << SB_CHANNEL_DATA);
    CHECK_EQ(sb_inbox_end_rewinds(in, RIG_START + 2 * SB_SECOND), 0);
}

TEST(a_look_after_a_long_silence_gives_up_at_once)
{
    for (sb_time silence = 9 * SB_SECOND; silence <= 1000 * SB_SECOND; silence += SB_SECOND) {
        sb_inbox *in = waiting_inbox(14);
        CHECK_EQ(sb_inbox_end_rewinds(in, RIG_START), 0);
        bool ended = sb_inbox_end_rewinds(in, RIG_START + silence) != 0;
        CHECK_EQ(ended, silence >= 10 * SB_SECOND);
        sb_inbox_check(in);
    }
}

TEST(control_numbers_are_given_up_like_data)
{
    sb_inbox            *in = inbox_open(NULL);
    sb_transport_message m = inbox_control(1, rig_byte('T'));
    unsigned             ended = 0;
    begin(in, false);
    for (uint16_t i = 0; i < 3; i++)
        CHECK_EQ(inbox_accept(in, inbox_control(i, rig_byte('F'))), SB_VERDICT_DELIVER);
    begin(in, true);
    sb_inbox_take_back(in, RIG_START, &m);
    CHECK(sb_inbox_is_rewound(in));
    CHECK_EQ(inbox_accept(in, m), SB_VERDICT_STORED);
    CHECK_EQ(tenths_until_end(in, &ended), 100);
    CHECK_EQ(ended, 1u << SB_CHANNEL_LOW);
    CHECK_TEXT(inbox_next(in, SB_CHANNEL_LOW), "T");
}

TEST(an_inbox_that_is_not_rewound_gives_nothing_up)
{
    sb_inbox *in = inbox_open(NULL);
    begin(in, true);
    for (uint16_t i = 0; i < SB_LOW_RECORDS; i++)
        CHECK_EQ(inbox_accept(in, inbox_control(i, rig_byte('c'))), SB_VERDICT_DELIVER);
    CHECK_EQ(inbox_give(in, 3, 'w'), SB_VERDICT_STORED);
    CHECK_EQ(sb_inbox_end_rewinds(in, RIG_START), 0);
    CHECK_EQ(sb_inbox_end_rewinds(in, RIG_START + 100 * SB_SECOND), 0);
    CHECK_EQ(expected(in), 0);
}

/* Its zero is anywhere. */
TEST(a_rewind_ends_on_a_clock_that_shows_negative_times)
{
    sb_inbox            *in = inbox_open(NULL);
    sb_transport_message m = inbox_data(0, rig_byte('T'));
    deliver_run(in, 2, 'F', false);
    begin(in, true);
    sb_inbox_take_back(in, -100 * SB_SECOND, &m);
    CHECK_EQ(inbox_give(in, 1, 'T'), SB_VERDICT_STORED);
    CHECK_EQ(sb_inbox_end_rewinds(in, -91 * SB_SECOND), 0);
    CHECK_EQ(sb_inbox_end_rewinds(in, -90 * SB_SECOND), 1u << SB_CHANNEL_DATA);
}
