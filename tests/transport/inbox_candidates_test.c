/* tests/transport/inbox_candidates_test.c -- messages that are kept until their copies end.
 *
 * For:      src/transport/inbox_candidates.c; separate_acks_test.c has whole sessions.
 * Spec:     01 §10.8 rule 8.
 */
#include "inbox_rig.h"

enum { GRACE = SB_SECOND / 2 };

static sb_transport_message text(uint16_t seq, char byte)
{
    return inbox_data(seq, rig_byte(byte));
}

/* Keeps the message at the time of its second copy. */
static bool keep(sb_inbox *in, sb_time at, uint16_t seq, char byte)
{
    sb_transport_message m = text(seq, byte);
    bool                 kept = sb_inbox_keep(in, at, &m, false);
    sb_inbox_check(in);
    return kept;
}

static sb_challenge challenge(sb_inbox *in, sb_time at, uint16_t seq, char byte, bool may_ack)
{
    sb_transport_message m = text(seq, byte);
    sb_challenge         step = sb_inbox_challenge(in, at, &m, may_ack, GRACE);
    sb_inbox_check(in);
    return step;
}

/* Keeps the message and acknowledges its number. */
static void keep_acknowledged(sb_inbox *in, sb_time at, uint16_t seq, char byte)
{
    CHECK(keep(in, at, seq, byte));
    CHECK_EQ(challenge(in, at, seq, byte, true), SB_CHALLENGE_ACK);
}

/* The next message that is to be delivered for this reason, as a character; 0: none. */
static char next_of(sb_inbox *in, sb_time at, bool has_numbers, sb_candidate_end end)
{
    static uint8_t       buffer[SB_PAYLOAD_MAX];
    sb_transport_message m;
    sb_candidate_end     found = sb_inbox_next_candidate(in, at, has_numbers, &m, buffer);
    if (found == SB_CANDIDATE_NONE) return 0;
    CHECK_EQ(found, end);
    sb_inbox_check(in);
    CHECK(m.reliable && !m.fragment);
    CHECK_EQ(m.payload.size, 1);
    return (char)m.payload.data[0];
}

/* The next message that has ended. */
static char next(sb_inbox *in, sb_time at)
{
    return next_of(in, at, false, SB_CANDIDATE_ENDED);
}

static bool is_kept(const sb_inbox *in, uint16_t seq, char byte)
{
    sb_transport_message m = text(seq, byte);
    return sb_inbox_is_kept(in, &m);
}

static bool is_repeated(const sb_inbox *in, sb_time at, uint16_t seq, char byte)
{
    sb_transport_message m = text(seq, byte);
    return sb_inbox_is_repeated(in, at, &m);
}

/* ---- One message ---- */

TEST(a_message_ends_two_seconds_after_its_ack)
{
    sb_inbox *in = inbox_open(NULL);
    keep_acknowledged(in, 0, 0, 'T');
    CHECK_EQ(next(in, 2 * SB_SECOND - 1), 0);
    CHECK_EQ(next(in, 2 * SB_SECOND), 'T');
    CHECK_EQ(next(in, 2 * SB_SECOND), 0);
    CHECK_EQ(in->candidate_count, 0);
    CHECK_EQ(in->account.used, 0);
}

TEST(a_message_without_an_ack_does_not_end)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK(keep(in, 0, 0, 'T'));
    CHECK_EQ(challenge(in, 0, 0, 'T', false), SB_CHALLENGE_WAITS);
    CHECK_EQ(next(in, 5 * SB_SECOND), 0);
}

TEST(a_copy_that_crosses_the_ack_says_nothing)
{
    sb_inbox *in = inbox_open(NULL);
    keep_acknowledged(in, 0, 0, 'T');
    CHECK_EQ(challenge(in, GRACE, 0, 'T', true), SB_CHALLENGE_WAITS);
    CHECK_EQ(next(in, 2 * SB_SECOND), 'T');
}

TEST(a_message_that_goes_on_gets_a_second_ack_and_is_then_forged)
{
    sb_inbox *in = inbox_open(NULL);
    keep_acknowledged(in, 0, 0, 'F');
    CHECK_EQ(challenge(in, GRACE + 1, 0, 'F', true), SB_CHALLENGE_ACK);
    CHECK_EQ(next(in, 2 * SB_SECOND), 0); /* two seconds after the second Ack */
    CHECK_EQ(challenge(in, 2 * SB_SECOND, 0, 'F', true), SB_CHALLENGE_FAILED);
    CHECK(!is_kept(in, 0, 'F'));
    CHECK_EQ(next(in, 9 * SB_SECOND), 0);
}

TEST(a_message_whose_first_ack_was_lost_ends_after_the_second)
{
    sb_inbox *in = inbox_open(NULL);
    keep_acknowledged(in, 0, 0, 'T');
    CHECK_EQ(challenge(in, SB_SECOND, 0, 'T', true), SB_CHALLENGE_ACK);
    CHECK_EQ(next(in, 3 * SB_SECOND - 1), 0);
    CHECK_EQ(next(in, 3 * SB_SECOND), 'T');
}

/* It came again, but an Ack would take another one from the peer. */
TEST(a_message_that_goes_on_may_have_to_wait_for_its_second_ack)
{
    sb_inbox *in = inbox_open(NULL);
    keep_acknowledged(in, 0, 0, 'T');
    CHECK_EQ(challenge(in, SB_SECOND, 0, 'T', false), SB_CHALLENGE_WAITS);
    CHECK_EQ(next(in, 4 * SB_SECOND), 0);
    CHECK_EQ(challenge(in, 4 * SB_SECOND, 0, 'T', true), SB_CHALLENGE_ACK);
    CHECK_EQ(next(in, 6 * SB_SECOND), 'T');
}

TEST(a_message_that_is_not_kept_is_not_challenged)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK_EQ(challenge(in, 0, 0, 'T', true), SB_CHALLENGE_WAITS);
    CHECK(keep(in, 0, 0, 'T'));
    CHECK_EQ(challenge(in, 0, 1, 'T', true), SB_CHALLENGE_WAITS);
    CHECK_EQ(challenge(in, 0, 0, 'U', true), SB_CHALLENGE_WAITS);
    sb_transport_message name = inbox_control(0, rig_byte('T'));
    CHECK(!sb_inbox_is_kept(in, &name));
}

TEST(a_message_that_was_delivered_is_dropped)
{
    sb_inbox            *in = inbox_open(NULL);
    sb_transport_message m = text(0, 'T'), other = text(0, 'U');
    keep_acknowledged(in, 0, 0, 'T');
    sb_inbox_drop_candidate(in, &other);
    CHECK(is_kept(in, 0, 'T'));
    sb_inbox_drop_candidate(in, &m);
    CHECK(!is_kept(in, 0, 'T'));
    CHECK_EQ(in->account.used, 0);
}

/* ---- Several messages ---- */

/* Both may be the peer's: both are delivered. */
TEST(an_ack_is_for_all_messages_of_the_number)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK(keep(in, 0, 0, 'F'));
    CHECK(keep(in, SB_SECOND, 0, 'T'));
    CHECK_EQ(challenge(in, 2 * SB_SECOND, 0, 'F', true), SB_CHALLENGE_ACK);
    CHECK_EQ(challenge(in, 3 * SB_SECOND, 0, 'F', true), SB_CHALLENGE_ACK);
    CHECK_EQ(next(in, 4 * SB_SECOND), 'T');
    CHECK_EQ(challenge(in, 4 * SB_SECOND, 0, 'F', true), SB_CHALLENGE_FAILED);
    keep_acknowledged(in, 9 * SB_SECOND, 1, 'G');
    keep_acknowledged(in, 9 * SB_SECOND, 2, 'H');
    CHECK_EQ(challenge(in, 10 * SB_SECOND, 2, 'H', true), SB_CHALLENGE_ACK);
    CHECK_EQ(next(in, 11 * SB_SECOND), 0); /* not yet due: number 0 is expected */
}

TEST(a_new_message_that_crosses_an_ack_of_its_number_is_known)
{
    sb_inbox            *in = inbox_open(NULL);
    sb_transport_message m = text(0, 'T'), other = text(1, 'T');
    CHECK(keep(in, 0, 0, 'F'));
    CHECK(!sb_inbox_has_crossed(in, 0, &m, GRACE));
    CHECK_EQ(challenge(in, 0, 0, 'F', true), SB_CHALLENGE_ACK);
    CHECK(sb_inbox_has_crossed(in, GRACE, &m, GRACE));
    CHECK(!sb_inbox_has_crossed(in, GRACE + 1, &m, GRACE));
    CHECK(!sb_inbox_has_crossed(in, GRACE, &other, GRACE));
    CHECK(sb_inbox_keep(in, GRACE, &m, true)); /* needs no Ack of its own */
    CHECK_EQ(challenge(in, SB_SECOND, 0, 'F', true), SB_CHALLENGE_ACK);
    CHECK_EQ(next(in, GRACE + 2 * SB_SECOND), 'T');
}

/* The peer may have sent it after it had heard the Ack. */
TEST(a_copy_of_a_message_that_came_after_an_ack_is_no_failure)
{
    sb_inbox            *in = inbox_open(NULL);
    sb_transport_message m = text(0, 'T');
    CHECK(sb_inbox_keep(in, 0, &m, true));
    CHECK_EQ(challenge(in, SB_SECOND, 0, 'T', true), SB_CHALLENGE_ACK);
    CHECK_EQ(challenge(in, 2 * SB_SECOND, 0, 'T', true), SB_CHALLENGE_ACK);
    CHECK_EQ(challenge(in, 3 * SB_SECOND, 0, 'T', true), SB_CHALLENGE_FAILED);
}

TEST(ended_messages_come_in_order_when_they_are_due)
{
    sb_inbox *in = inbox_open(NULL);
    for (char i = 0; i < 4; i++) CHECK_EQ(inbox_give(in, (uint16_t)i, 'F'), SB_VERDICT_DELIVER);
    keep_acknowledged(in, 0, 5, 'f');
    keep_acknowledged(in, 1, 2, 'c');
    keep_acknowledged(in, 2, 4, 'e');
    keep_acknowledged(in, 3, 1, 'b');
    CHECK_EQ(next(in, 3 * SB_SECOND), 'b');
    CHECK_EQ(next(in, 3 * SB_SECOND), 'c');
    CHECK_EQ(next(in, 3 * SB_SECOND), 'e'); /* the expected one */
    CHECK_EQ(next(in, 3 * SB_SECOND), 0);
    CHECK_EQ(inbox_give(in, 4, 'e'), SB_VERDICT_DELIVER);
    CHECK_EQ(next(in, 3 * SB_SECOND), 'f');
}

TEST(of_two_with_one_number_the_first_comes_first)
{
    sb_inbox *in = inbox_open(NULL);
    keep_acknowledged(in, 1, 0, 'b');
    keep_acknowledged(in, 0, 0, 'a');
    CHECK_EQ(next(in, 3 * SB_SECOND), 'a');
    CHECK_EQ(next(in, 3 * SB_SECOND), 'b');
}

/* The one in the window is delivered first, then the other one is late. */
TEST(a_message_waits_for_another_one_in_its_place)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK_EQ(inbox_give(in, 1, 'F'), SB_VERDICT_STORED);
    keep_acknowledged(in, 0, 1, 'T');
    CHECK_EQ(inbox_give(in, 0, 'a'), SB_VERDICT_DELIVER);
    CHECK_EQ(next(in, 3 * SB_SECOND), 0);
    CHECK_TEXT(inbox_next(in, SB_CHANNEL_DATA), "F");
    CHECK_EQ(next(in, 3 * SB_SECOND), 'T');
}

TEST(a_message_does_not_wait_for_fragments_in_its_place)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 0, 2, rig_byte('F'))), SB_VERDICT_STORED);
    keep_acknowledged(in, 0, 0, 'T');
    CHECK_EQ(next(in, 3 * SB_SECOND), 'T');
}

/* ---- Order ---- */

static sb_inbox *inbox_behind_five(void)
{
    sb_inbox *in = inbox_open(NULL);
    for (uint16_t i = 0; i < 5; i++) CHECK_EQ(inbox_give(in, i, 'F'), SB_VERDICT_DELIVER);
    return in;
}

TEST(a_message_waits_for_an_earlier_one_that_came_before_it)
{
    sb_inbox *in = inbox_behind_five();
    CHECK(keep(in, 3 * SB_SECOND / 2, 1, 'a')); /* up to 1.5 s later */
    keep_acknowledged(in, 0, 2, 'b');
    CHECK_EQ(next(in, 2 * SB_SECOND), 0);
    CHECK_EQ(challenge(in, 3 * SB_SECOND, 1, 'a', true), SB_CHALLENGE_ACK);
    CHECK_EQ(next(in, 5 * SB_SECOND), 'a');
    CHECK_EQ(next(in, 5 * SB_SECOND), 'b');
}

TEST(a_message_does_not_wait_for_others)
{
    sb_inbox *in = inbox_behind_five();
    CHECK(keep(in, 3 * SB_SECOND / 2 + 1, 1, 'a')); /* came later */
    CHECK(keep(in, 0, 3, 'd'));                     /* a later number */
    keep_acknowledged(in, 0, 2, 'b');
    CHECK_EQ(next(in, 2 * SB_SECOND), 'b');
    in = inbox_behind_five();
    CHECK(keep(in, 0, 1, 'a')); /* stopped coming: 2.5 s after its only copy */
    keep_acknowledged(in, SB_SECOND / 2, 2, 'b');
    CHECK_EQ(next(in, 5 * SB_SECOND / 2), 0);
    CHECK_EQ(next(in, 5 * SB_SECOND / 2 + 1), 'b');
    in = inbox_behind_five();
    keep_acknowledged(in, 0, 1, 'F'); /* went on after its Ack */
    CHECK_EQ(challenge(in, SB_SECOND, 1, 'F', true), SB_CHALLENGE_ACK);
    keep_acknowledged(in, 0, 2, 'b');
    CHECK_EQ(next(in, 2 * SB_SECOND), 'b');
    in = inbox_behind_five();
    sb_transport_message name = inbox_control(0, rig_byte('n')); /* another channel */
    CHECK(sb_inbox_keep(in, 0, &name, false));
    keep_acknowledged(in, 0, 2, 'b');
    CHECK_EQ(next(in, 2 * SB_SECOND), 'b');
}

/* A sender repeats a message more and more slowly. */
TEST(a_message_that_comes_slowly_is_waited_for_longer)
{
    sb_inbox *in = inbox_behind_five();
    CHECK(keep(in, 0, 1, 'a'));
    CHECK_EQ(challenge(in, 3 * SB_SECOND, 1, 'a', false), SB_CHALLENGE_WAITS);
    keep_acknowledged(in, SB_SECOND, 2, 'b');
    CHECK_EQ(next(in, 19 * SB_SECOND / 2), 0);
    CHECK_EQ(next(in, 19 * SB_SECOND / 2 + 1), 'b');
}

/* ---- Messages that cannot be acknowledged ---- */

TEST(the_third_copy_of_a_message_counts)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK(!is_repeated(in, 0, 0, 'T'));
    CHECK(keep(in, 0, 0, 'T')); /* its second copy */
    CHECK_EQ(challenge(in, 0, 0, 'T', false), SB_CHALLENGE_WAITS);
    CHECK(!is_repeated(in, 0, 0, 'T'));
    CHECK_EQ(challenge(in, SB_SECOND, 0, 'T', false), SB_CHALLENGE_WAITS);
    CHECK(is_repeated(in, SB_SECOND, 0, 'T'));
}

TEST(the_third_copy_waits_for_earlier_messages_and_acks)
{
    sb_inbox *in = inbox_behind_five();
    CHECK(keep(in, 0, 1, 'a'));
    CHECK(keep(in, 0, 2, 'b'));
    for (int copy = 2; copy <= 3; copy++)
        CHECK_EQ(challenge(in, SB_SECOND, 2, 'b', false), SB_CHALLENGE_WAITS);
    CHECK(!is_repeated(in, SB_SECOND, 2, 'b'));
    sb_transport_message a = text(1, 'a');
    sb_inbox_drop_candidate(in, &a);
    CHECK(is_repeated(in, SB_SECOND, 2, 'b'));
    CHECK_EQ(challenge(in, SB_SECOND, 2, 'b', true), SB_CHALLENGE_ACK);
    CHECK(!is_repeated(in, SB_SECOND, 2, 'b'));
}

TEST(the_third_copy_counts_although_others_have_its_number)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK(keep(in, 0, 0, 'F'));
    CHECK(keep(in, 0, 0, 'T'));
    for (unsigned copy = 2; copy <= 12; copy++) {
        CHECK_EQ(challenge(in, copy * SB_SECOND, 0, 'T', false), SB_CHALLENGE_WAITS);
        CHECK_EQ(is_repeated(in, copy * SB_SECOND, 0, 'T'), copy >= 3);
    }
}

/* It does not need one more copy. */
TEST(a_repeated_message_that_had_to_wait_comes_in_its_turn)
{
    sb_inbox *in = inbox_behind_five();
    CHECK(keep(in, 0, 1, 'a'));
    CHECK(keep(in, 0, 2, 'b'));
    for (int copy = 2; copy <= 3; copy++)
        CHECK_EQ(challenge(in, SB_SECOND, 2, 'b', false), SB_CHALLENGE_WAITS);
    CHECK_EQ(next_of(in, SB_SECOND, true, SB_CANDIDATE_REPEATED), 0);
    sb_transport_message a = text(1, 'a');
    sb_inbox_drop_candidate(in, &a);
    CHECK_EQ(next_of(in, SB_SECOND, true, SB_CANDIDATE_REPEATED), 'b');
    CHECK_EQ(in->candidate_count, 0);
}

/* It came often enough before its number could be acknowledged. */
TEST(an_ack_does_not_delay_a_repeated_message)
{
    sb_inbox *in = inbox_behind_five();
    CHECK(keep(in, 0, 2, 'b'));
    for (int copy = 2; copy <= 3; copy++)
        CHECK_EQ(challenge(in, SB_SECOND, 2, 'b', false), SB_CHALLENGE_WAITS);
    CHECK_EQ(challenge(in, 2 * SB_SECOND, 2, 'b', true), SB_CHALLENGE_ACK);
    CHECK_EQ(next_of(in, 2 * SB_SECOND, true, SB_CANDIDATE_REPEATED), 'b');
}

/* A sweep must not use up all numbers. */
TEST(a_repeated_message_under_the_next_number_needs_a_budget)
{
    sb_inbox *in = inbox_behind_five();
    for (uint16_t seq = 4; seq <= 5; seq++) {
        CHECK(keep(in, 0, seq, 'T'));
        for (int copy = 2; copy <= 3; copy++)
            CHECK_EQ(challenge(in, SB_SECOND, seq, 'T', false), SB_CHALLENGE_WAITS);
    }
    CHECK_EQ(next_of(in, SB_SECOND, false, SB_CANDIDATE_REPEATED), 'T');
    CHECK_EQ(next_of(in, SB_SECOND, false, SB_CANDIDATE_REPEATED), 0);
    CHECK(is_kept(in, 5, 'T'));
    CHECK_EQ(next_of(in, SB_SECOND, true, SB_CANDIDATE_REPEATED), 'T');
}

TEST(copies_after_an_ack_in_vain_are_counted_anew)
{
    sb_inbox *in = inbox_open(NULL);
    keep_acknowledged(in, 0, 0, 'T');
    for (unsigned copy = 1; copy <= 4; copy++) {
        CHECK_EQ(challenge(in, copy * SB_SECOND, 0, 'T', false), SB_CHALLENGE_WAITS);
        CHECK_EQ(is_repeated(in, copy * SB_SECOND, 0, 'T'), copy >= 3);
    }
}

TEST(copies_are_counted_up_to_255)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK(keep(in, 0, 0, 'T'));
    for (unsigned copy = 2; copy <= 300; copy++)
        CHECK_EQ(challenge(in, copy * SB_SECOND, 0, 'T', false), SB_CHALLENGE_WAITS);
    CHECK(is_repeated(in, 300 * SB_SECOND, 0, 'T'));
}

TEST(a_message_that_keeps_coming_counts_each_time)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK(keep(in, 0, 0, 'F'));
    CHECK(keep(in, 0, 0, 'T'));
    for (unsigned copy = 2; copy <= 600; copy++) {
        CHECK_EQ(challenge(in, copy * SB_SECOND, 0, 'T', false), SB_CHALLENGE_WAITS);
        CHECK_EQ(is_repeated(in, copy * SB_SECOND, 0, 'T'), copy >= 3);
    }
}

/* ---- Memory ---- */

static void keep_unsure(sb_inbox *in, sb_time at, uint16_t seq, char byte)
{
    sb_transport_message m = text(seq, byte);
    sb_inbox_keep_unsure(in, at, &m);
    sb_inbox_check(in);
}

TEST(an_unsure_message_is_kept_for_12_s)
{
    sb_inbox *in = inbox_open(NULL);
    keep_unsure(in, 0, 0, 'T');
    CHECK_EQ(next(in, 12 * SB_SECOND), 0); /* no later message waits for it */
    CHECK(is_kept(in, 0, 'T'));
    CHECK_EQ(next(in, 12 * SB_SECOND + 1), 0);
    CHECK(!is_kept(in, 0, 'T'));
    CHECK_EQ(in->candidate_count, 0);
}

TEST(unsure_messages_get_half_of_the_places)
{
    sb_inbox *in = inbox_open(NULL);
    for (uint16_t i = 0; i < SB_CANDIDATES / 2; i++) {
        keep_unsure(in, 0, i, 'T');
        CHECK(is_kept(in, i, 'T'));
    }
    keep_unsure(in, 0, SB_CANDIDATES / 2, 'T');
    CHECK(!is_kept(in, SB_CANDIDATES / 2, 'T'));
    CHECK_EQ(in->unsure_count, SB_CANDIDATES / 2);
}

/* Its sender has not heard the Ack, however soon the copy comes. */
TEST(a_copy_of_an_unsure_message_has_met_no_ack)
{
    sb_inbox *in = inbox_open(NULL);
    keep_unsure(in, 0, 0, 'T');
    CHECK_EQ(challenge(in, GRACE, 0, 'T', true), SB_CHALLENGE_ACK);
    CHECK_EQ(in->unsure_count, 0);
}

TEST(so_many_messages_are_kept)
{
    sb_inbox *in = inbox_open(NULL);
    for (uint16_t i = 0; i < SB_CANDIDATES; i++) CHECK(keep(in, 0, i, 'T'));
    CHECK(!keep(in, 0, SB_CANDIDATES, 'T'));
    CHECK(!keep(in, 8 * SB_SECOND, SB_CANDIDATES, 'T'));
    /* Those that have not come for 8 s give way, unless they were acknowledged. */
    CHECK_EQ(challenge(in, 0, 7, 'T', true), SB_CHALLENGE_ACK);
    CHECK_EQ(challenge(in, SB_SECOND, 8, 'T', false), SB_CHALLENGE_WAITS);
    CHECK(keep(in, 8 * SB_SECOND + 1, SB_CANDIDATES, 'T'));
    CHECK_EQ(in->candidate_count, 3);
    CHECK(is_kept(in, 7, 'T') && is_kept(in, 8, 'T') && is_kept(in, SB_CANDIDATES, 'T'));
    sb_inbox_clear(in);
    CHECK_EQ(in->candidate_count, 0);
    CHECK_EQ(in->candidate_cells, 0);
    CHECK_EQ(in->account.used, 0);
}

TEST(long_messages_are_kept_in_64_cells)
{
    sb_inbox *in = inbox_open(NULL);
    uint32_t  each = sb_cells_needed(400);
    for (uint16_t i = 0; i < 64; i++) {
        sb_transport_message m = inbox_data(i, rig_pattern(400, i));
        CHECK_EQ(sb_inbox_keep(in, 0, &m, false), (i + 1u) * each <= 64);
    }
    CHECK_EQ(in->candidate_cells, 64 / each * each);
    sb_inbox_check(in);
}

TEST(a_65th_cell_is_refused)
{
    sb_inbox *in = inbox_open(NULL);
    for (uint16_t i = 0; in->candidate_cells < 64; i++) {
        sb_transport_message m = inbox_data(i, rig_pattern(400, i));
        if (in->candidate_cells + sb_cells_needed(400) > 64) m.payload = rig_byte('x');
        CHECK(sb_inbox_keep(in, 0, &m, false));
    }
    CHECK(in->candidate_count < SB_CANDIDATES);
    CHECK(!keep(in, 0, 99, 'T'));
}

/* ---- A full table ---- */

/* As many messages as are kept; the last two have number 1. */
static sb_inbox *full_inbox(void)
{
    sb_inbox *in = inbox_behind_five();
    for (unsigned i = 0; i < SB_CANDIDATES - 2; i++) CHECK(keep(in, 0, (uint16_t)(20 + i), 'x'));
    CHECK(keep(in, 0, 1, 'F'));
    CHECK(keep(in, 0, 1, 'T'));
    CHECK(!keep(in, 0, 2, 'U'));
    return in;
}

TEST(the_last_message_that_is_kept_is_found)
{
    sb_inbox            *in = full_inbox();
    sb_transport_message m = text(1, 'T'), forged = text(1, 'F'), third = text(1, 'U');
    CHECK(is_kept(in, 1, 'T'));
    CHECK(sb_inbox_has_other(in, &m) && sb_inbox_has_other(in, &forged));
    CHECK_EQ(challenge(in, 0, 1, 'F', true), SB_CHALLENGE_ACK); /* of both */
    sb_inbox_drop_candidate(in, &forged);
    CHECK(sb_inbox_has_crossed(in, GRACE, &third, GRACE));
    CHECK(!sb_inbox_has_other(in, &m) && sb_inbox_has_other(in, &third));
    CHECK_EQ(next(in, 2 * SB_SECOND), 'T');
}

TEST(the_last_message_that_is_kept_is_waited_for)
{
    sb_inbox            *in = full_inbox();
    sb_transport_message forged = text(1, 'F');
    sb_inbox_drop_candidate(in, &forged);
    keep_acknowledged(in, 0, 2, 'U');
    CHECK_EQ(next(in, 2 * SB_SECOND), 0); /* waits for number 1 */
    sb_inbox_clear(in);
    CHECK_EQ(in->candidate_count, 0);
    CHECK_EQ(in->account.used, 0);
}

/* Whether or not it is kept itself. */
TEST(a_single_message_is_another_one_of_its_number)
{
    sb_inbox            *in = inbox_open(NULL);
    sb_transport_message m = text(0, 'T'), forged = text(0, 'F');
    CHECK(keep(in, 0, 0, 'F'));
    CHECK(sb_inbox_has_other(in, &m));
    CHECK(!sb_inbox_has_other(in, &forged));
}

TEST(nothing_is_kept_without_memory)
{
    sb_inbox            *in = inbox_open(&(inbox_setup){ NUMBERS, PLENTY, PLENTY, 2, 0 });
    sb_transport_message m = inbox_data(0, rig_pattern(400, 1));
    CHECK(!sb_inbox_keep(in, 0, &m, false));
    CHECK(keep(in, 0, 1, 'T'));
    CHECK(keep(in, 0, 2, 'T'));
    CHECK(!keep(in, 0, 3, 'T'));
}
