/* tests/transport/link_trust_alone_test.c -- messages that anybody could have sent, message by
 * message.
 *
 * For:      src/transport/link_trust.c without a host: copies, kept messages, numbers far away.
 *           link_trust_signs_test.c has the rest, link_trust_test.c hosts and clients.
 * Spec:     01 §10.8.
 */
#include "link_rig.h"

static sb_transport_message text(uint16_t seq, char byte)
{
    return inbox_data(seq, rig_byte(byte));
}

/* Keeps `count` messages far behind the expected number. */
static void keep_many(link_rig *r, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        sb_transport_message m = text((uint16_t)(60000 + i), 'K');
        CHECK(sb_inbox_keep(&r->link.inbox, r->now, &m, false));
    }
}

/* Messages that came again. */
static unsigned kept(const link_rig *r)
{
    return r->link.inbox.candidate_count - r->link.inbox.unsure_count;
}

/* Gives another message each time, and then the text: somebody may wait for an Ack of the number.
 * Returns what the last copy delivers. */
static const char *repeat_in_a_crowd(link_rig *r, uint16_t seq, char byte, unsigned count)
{
    const char *delivered = "";
    for (unsigned i = 0; i < count; i++) {
        r->now += SB_SECOND - 1;
        CHECK_TEXT(link_give_text(r, seq, (char)('0' + i)), "");
        r->now += 1;
        delivered = link_give_text(r, seq, byte);
        CHECK(i + 1 == count || delivered[0] == '\0');
    }
    return delivered;
}

/* Gives copies faster than any sender repeats a message; returns how many are delivered. */
static unsigned count_hasty_deliveries(link_rig *r, sb_transport_message m, unsigned copies)
{
    unsigned count = 0;
    for (unsigned i = 0; i < copies; i++) {
        count += link_give_one(r, m)[0] != '\0';
        r->now += 3 * SB_SECOND / 10;
    }
    return count;
}

/* ---- The second copy (rule 8) ------------------------------------------------------------------
 */

TEST(the_third_copy_of_the_only_message_counts_without_an_ack)
{
    link_rig *r = link_open_attacked(0);
    CHECK_TEXT(link_repeat(r, text(0, 'T'), 3), "T");
    CHECK_EQ(link_take_acks(r), 0);
    CHECK_EQ(kept(r), 0);
}

TEST(the_second_copy_is_acknowledged_if_the_number_is_used_up)
{
    link_rig *r = link_open(0);
    CHECK_TEXT(link_give_text(r, 0, 'F'), "F");
    r->now += SB_SECOND;
    CHECK_TEXT(link_repeat(r, text(0, 'T'), 2), "");
    CHECK_EQ(link_take_acks(r), 1);
    r->now += 2 * SB_SECOND;
    CHECK_TEXT(link_give_nothing(r), "T");
}

TEST(the_second_copy_is_acknowledged_if_another_one_is_stored)
{
    link_rig *r = link_open(0);
    CHECK_TEXT(link_give_text(r, 1, 'F'), "");
    (void)link_take_acks(r);
    CHECK_TEXT(link_repeat(r, text(1, 'T'), 2), "");
    CHECK_EQ(link_take_acks(r), 1);
}

TEST(the_second_copy_is_acknowledged_if_another_one_is_kept)
{
    link_rig *r = link_open_attacked(0);
    CHECK_TEXT(link_repeat(r, text(0, 'X'), 2), "");
    CHECK_EQ(link_take_acks(r), 0);
    CHECK_TEXT(link_repeat(r, text(0, 'Y'), 2), "");
    CHECK_EQ(link_take_acks(r), 1);
}

TEST(the_second_copy_is_acknowledged_if_no_numbers_are_left)
{
    link_rig *r = link_open_attacked(0);
    CHECK_TEXT(link_repeat(r, text(0, 'T'), 1), "");
    sb_budget_init(&r->link.numbers, r->now, 0);
    CHECK_TEXT(link_repeat(r, text(0, 'T'), 1), "");
    CHECK_EQ(link_take_acks(r), 1);
}

/* Its sender would take the Ack for its own. */
TEST(the_second_copy_gets_no_ack_beside_a_message_that_came_once)
{
    link_rig *r = link_open(0);
    CHECK_TEXT(link_give_text(r, 0, 'F'), "F");
    r->now += SB_SECOND;
    (void)link_take_acks(r);
    CHECK_TEXT(repeat_in_a_crowd(r, 0, 'T', 2), "");
    CHECK_EQ(link_take_acks(r), 0);
}

/* Nothing counts by copies while a peer that answers marks does not: the next copy decides. */
TEST(copies_that_came_while_a_peer_was_silent_do_not_count)
{
    link_rig *r = link_open_attacked(0);
    r->link.marks.ever_answered = true;
    r->now += SB_MARKS_PATIENCE_US;
    CHECK_TEXT(link_repeat(r, text(0, 'F'), 4), "");
    r->link.marks.answered_at = r->now;
    CHECK_TEXT(link_give_nothing(r), "");
    CHECK_TEXT(link_repeat(r, text(0, 'F'), 1), "F");
}

TEST(a_fragment_counts_with_its_third_copy)
{
    link_rig *r = link_open_attacked(0);
    for (unsigned copy = 1; copy <= 3; copy++) {
        CHECK_TEXT(link_repeat(r, inbox_fragment(0, 0, 2, rig_byte('A')), 1), "");
        CHECK_EQ(r->link.inbox.stored, copy == 3);
    }
    CHECK_EQ(link_take_acks(r), 0);
    CHECK_EQ(kept(r), 0);
}

/* ---- Messages that last ------------------------------------------------------------------------
 */

TEST(what_comes_in_haste_for_8_s_counts_if_it_is_the_next)
{
    link_rig *r = link_open_attacked(0);
    CHECK_EQ(count_hasty_deliveries(r, text(0, 'T'), 60), 1);
}

TEST(what_comes_in_haste_for_8_s_waits_if_it_is_early)
{
    link_rig *r = link_open_attacked(0);
    CHECK_EQ(count_hasty_deliveries(r, text(1, 'T'), 60), 0);
    CHECK_EQ(r->link.inbox.stored, 0);
}

/* Once: it is known from then on. */
TEST(what_comes_in_haste_for_8_s_is_late_if_its_number_is_used_up)
{
    link_rig *r = link_open(0);
    CHECK_TEXT(link_give_text(r, 0, 'F'), "F");
    CHECK_EQ(count_hasty_deliveries(r, text(0, 'T'), 80), 1);
    CHECK_EQ(link_batch(r, 0), SB_BATCH_SETTLED);
}

/* No sender repeats a message so fast. */
TEST(a_kept_message_that_comes_in_haste_is_forged)
{
    link_rig *r = link_open_attacked(0);
    CHECK_TEXT(link_repeat(r, text(0, 'F'), 2), "");
    CHECK_EQ(kept(r), 1);
    r->now += 3 * SB_SECOND / 10;
    CHECK_TEXT(link_give_text(r, 0, 'F'), "");
    CHECK_EQ(kept(r), 0);
}

/* ---- Late messages -----------------------------------------------------------------------------
 */

TEST(a_third_copy_that_is_late_is_kept_no_longer)
{
    link_rig *r = link_open(0);
    CHECK_TEXT(link_give_text(r, 0, 'F'), "F");
    r->now += SB_SECOND;
    CHECK_TEXT(repeat_in_a_crowd(r, 0, 'T', 3), "T");
    CHECK_EQ(kept(r), 0);
    CHECK_EQ(link_batch(r, 0), SB_BATCH_SETTLED);
}

/* The record of two messages has a few bits of each: another message may have the same. */
TEST(a_copy_for_a_settled_number_is_doubtful_during_an_attack)
{
    for (int attacked = 0; attacked < 2; attacked++) {
        link_rig *r = link_open(0);
        CHECK_TEXT(link_give_text(r, 0, 'F'), "F");
        CHECK_TEXT(link_repeat(r, text(0, 'T'), 2), "");
        r->now += 2 * SB_SECOND;
        CHECK_TEXT(link_give_nothing(r), "T");
        r->now += 40 * SB_SECOND; /* copies are forgotten, and the attack is over */
        if (attacked) sb_guard_suspect(&r->link.guard, r->now);
        uint64_t before = link_count(r, SB_TRANSPORT_COUNT_UNCONFIRMED);
        CHECK_TEXT(link_give_text(r, 0, 'T'), "");
        CHECK_EQ(link_count(r, SB_TRANSPORT_COUNT_UNCONFIRMED) - before, attacked);
        CHECK_EQ(link_is_attacked(r), attacked);
    }
}

/* It delivers nothing, so it costs nothing to take it for a copy. */
TEST(a_fragment_for_a_settled_number_is_a_duplicate)
{
    link_rig *r = link_open(0);
    CHECK_TEXT(link_give_text(r, 0, 'F'), "F");
    CHECK_TEXT(link_repeat(r, text(0, 'T'), 2), "");
    r->now += 2 * SB_SECOND;
    CHECK_TEXT(link_give_nothing(r), "T");
    CHECK(link_is_attacked(r));
    uint64_t before = link_count(r, SB_TRANSPORT_COUNT_UNCONFIRMED);
    CHECK_TEXT(link_give_one(r, inbox_fragment(0, 0, 2, rig_byte('A'))), "");
    CHECK_EQ(link_count(r, SB_TRANSPORT_COUNT_UNCONFIRMED), before);
    CHECK_EQ(link_count(r, SB_TRANSPORT_COUNT_DUPLICATE), 1);
}

/* ---- Messages that cross an Ack ----------------------------------------------------------------
 */

/* X is kept under number 0, which is used up, and acknowledged now. */
static link_rig *open_with_ack(void)
{
    link_rig *r = link_open(0);
    CHECK_TEXT(link_give_text(r, 0, 'F'), "F");
    r->now += SB_SECOND;
    CHECK_TEXT(link_repeat(r, text(0, 'X'), 2), "");
    CHECK_EQ(link_take_acks(r), 1);
    return r;
}

/* Its sender takes the Ack for its own, and will not repeat it. */
TEST(a_message_that_comes_at_once_after_an_ack_is_kept)
{
    for (sb_time late = 0; late < 2; late++) {
        link_rig *r = open_with_ack();
        r->now += SB_SECOND / 2 + late;
        CHECK_TEXT(link_give_text(r, 0, 'Y'), "");
        CHECK_EQ(kept(r), late ? 1 : 2);
        r->now += 2 * SB_SECOND;
        CHECK_TEXT(link_give_nothing(r), late ? "X" : "XY");
    }
}

TEST(the_time_after_an_ack_includes_a_round_trip)
{
    link_rig *r = open_with_ack();
    r->link.outbox.round_trip.smoothed_us = SB_SECOND / 4;
    r->now += 3 * SB_SECOND / 4;
    CHECK_TEXT(link_give_text(r, 0, 'Y'), "");
    CHECK_EQ(kept(r), 2);
}

TEST(a_fragment_that_comes_at_once_after_an_ack_is_not_kept)
{
    link_rig            *r = open_with_ack();
    sb_transport_message m = inbox_fragment(0, 0, 2, rig_byte('A'));
    sb_link_keep_crossed(&r->link, r->now, &m);
    CHECK_EQ(kept(r), 1);
}

/* Copies of one that came before the Ack begin to count as usual. */
TEST(a_second_copy_at_once_after_an_ack_is_kept_without_an_ack)
{
    link_rig *r = open_with_ack();
    r->now += SB_SECOND / 4;
    CHECK_TEXT(link_give_text(r, 1, 'N'), "");
    r->now += SB_SECOND / 20;
    CHECK_TEXT(link_give_text(r, 1, 'N'), ""); /* a copy of the network */
    CHECK_EQ(kept(r), 1);
}

/* ---- Space for kept messages -------------------------------------------------------------------
 */

TEST(of_many_kept_messages_half_are_of_the_next_8_numbers)
{
    static const struct {
        unsigned others;
        uint16_t ahead;
        bool     kept;
    } cases[] = { { 31, 8, true }, { 32, 8, false }, { 32, 7, true }, { 31, 9, true } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        link_rig *r = link_open_attacked(0);
        r->now += SB_SECOND;
        CHECK_TEXT(link_give_text(r, cases[i].ahead, 'T'), "");
        keep_many(r, cases[i].others);
        CHECK_TEXT(link_repeat(r, text(cases[i].ahead, 'T'), 1), "");
        CHECK_EQ(kept(r), cases[i].others + cases[i].kept);
    }
}

/* It is not kept, so an Ack for another one could take it from us. */
TEST(a_message_without_space_waits_for_its_ack)
{
    link_rig *r = link_open_attacked(0);
    r->now += SB_SECOND;
    keep_many(r, 32);
    CHECK_TEXT(link_repeat(r, text(8, 'X'), 2), "");
    sb_inbox_clear_candidates(&r->link.inbox);
    CHECK_TEXT(link_repeat(r, text(8, 'Y'), 1), "");
    sb_budget_init(&r->link.numbers, r->now, 0);
    CHECK_TEXT(link_repeat(r, text(8, 'Y'), 1), "");
    CHECK_EQ(kept(r), 1);
    CHECK_EQ(link_take_acks(r), 0);
}

TEST(a_message_without_space_is_kept_with_its_third_copy)
{
    link_rig *r = link_open_attacked(0);
    r->now += SB_SECOND;
    keep_many(r, 32);
    CHECK_TEXT(link_repeat(r, text(8, 'T'), 2), "");
    sb_inbox_clear_candidates(&r->link.inbox);
    CHECK_TEXT(link_repeat(r, text(8, 'T'), 1), "");
    CHECK_EQ(kept(r), 1);
}

/* ---- Messages whose copies have ended ----------------------------------------------------------
 */

/* Other messages of the datagram are still known to be the peer's. */
TEST(what_has_ended_is_not_of_the_datagram_that_comes_then)
{
    link_rig *r = link_open_attacked(0);
    CHECK_TEXT(link_repeat(r, text(0, 'X'), 2), "");
    CHECK_TEXT(link_repeat(r, text(0, 'Y'), 2), "");
    r->now += 2 * SB_SECOND;
    CHECK_TEXT(link_prove_text(r, 1, 'P'), "XYP");
    CHECK_EQ(link_batch(r, 0), SB_BATCH_SETTLED);
    CHECK_EQ(link_batch(r, 1), SB_BATCH_PROVEN);
}

TEST(what_was_stored_meanwhile_is_not_delivered_twice)
{
    link_rig *r = link_open_attacked(0);
    CHECK_TEXT(link_repeat(r, text(1, 'X'), 2), "");
    CHECK_TEXT(link_repeat(r, text(1, 'Y'), 2), "");
    CHECK_EQ(link_take_acks(r), 1);
    r->now += 40 * SB_SECOND; /* the attack is over */
    CHECK_TEXT(link_give_text(r, 1, 'X'), "");
    CHECK_EQ(r->link.inbox.stored, 1);
    CHECK_TEXT(link_give_text(r, 0, 'A'), "AXY");
    CHECK_EQ(kept(r), 0);
}

/* ---- Rivals of what is stored ------------------------------------------------------------------
 */

TEST(a_whole_message_replaces_fragments_that_block_the_channel)
{
    link_rig *r = link_open(0);
    CHECK_TEXT(link_give_one(r, inbox_fragment(0, 0, 2, rig_byte('F'))), "");
    CHECK_TEXT(repeat_in_a_crowd(r, 0, 'T', 3), "T");
    CHECK_EQ(r->link.inbox.stored, 0);
}

/* It is delivered after that one. */
TEST(a_whole_message_does_not_replace_an_early_one)
{
    link_rig *r = link_open(0);
    CHECK_TEXT(link_give_text(r, 1, 'F'), "");
    CHECK_TEXT(repeat_in_a_crowd(r, 1, 'T', 3), "");
    CHECK_EQ(link_count(r, SB_TRANSPORT_COUNT_UNCONFIRMED), 6);
    CHECK_TEXT(link_repeat(r, text(0, 'A'), 3), "AFT");
}

TEST(a_fragment_does_not_replace_another_one)
{
    link_rig *r = link_open(0);
    CHECK_TEXT(link_give_one(r, inbox_fragment(0, 0, 2, rig_byte('A'))), "");
    CHECK_TEXT(link_repeat(r, inbox_fragment(0, 0, 2, rig_byte('F')), 3), "");
    CHECK_EQ(r->link.inbox.stored, 1);
    CHECK_EQ(link_count(r, SB_TRANSPORT_COUNT_BAD_FRAGMENT), 3);
    CHECK_EQ(link_count(r, SB_TRANSPORT_COUNT_UNCONFIRMED), 3);
    CHECK_TEXT(link_repeat(r, inbox_fragment(0, 1, 0, rig_byte('B')), 3), "A");
}

/* ---- Messages far away -------------------------------------------------------------------------
 */

TEST(more_than_2048_numbers_ahead_make_the_host_ask)
{
    for (uint16_t ahead = 2047; ahead <= 2049; ahead++) {
        link_rig *r = link_open(100);
        CHECK_TEXT(link_give_text(r, (uint16_t)(100 + ahead), 'F'), "");
        CHECK_EQ(sb_marks_is_on(&r->link.marks, r->now), ahead > 2048);
        CHECK(!link_is_attacked(r));
    }
}

/* It may be a mark of the other end. */
TEST(no_message_without_payload_makes_the_host_ask)
{
    for (size_t size = 0; size < 2; size++) {
        link_rig            *r = link_open(5000);
        bool                 late;
        sb_transport_message m = inbox_data(5000 - 2049, rig_pattern(size, 0));
        (void)sb_link_take_unproven(&r->link, r->now, &m, &late);
        CHECK_EQ(sb_marks_is_on(&r->link.marks, r->now), size > 0);
    }
}

/* One copy may have been held back by the network. */
TEST(what_is_behind_all_records_is_evidence_when_it_comes_twice)
{
    link_rig *r = link_open(5000);
    CHECK_TEXT(link_give_text(r, 4400, 'T'), "");
    r->now += SB_SECOND / 10;
    CHECK_TEXT(link_give_text(r, 4400, 'T'), ""); /* a copy of the network */
    CHECK(!link_is_attacked(r));
    CHECK_TEXT(link_repeat(r, text(4400, 'T'), 1), "");
    CHECK(link_is_attacked(r));
    CHECK_EQ(link_take_acks(r), 0);
    CHECK_EQ(link_count(r, SB_TRANSPORT_COUNT_UNCONFIRMED), 3);
}

TEST(a_fragment_behind_all_records_has_no_effect)
{
    for (int attacked = 0; attacked < 2; attacked++) {
        link_rig *r = attacked ? link_open_attacked(5000) : link_open(5000);
        sb_time   until = r->link.guard.attacked_until;
        CHECK_TEXT(link_repeat(r, inbox_fragment(4400, 0, 2, rig_byte('F')), 4), "");
        CHECK_EQ(r->link.guard.attacked_until, until);
    }
}

/* Its number is used up by forgeries, however many came. */
TEST(what_is_behind_all_records_counts_late_during_an_attack)
{
    link_rig *r = link_open_attacked(5000);
    CHECK_TEXT(link_repeat(r, text(4400, 'T'), 2), "");
    CHECK_EQ(link_take_acks(r), 1);
    r->now += 2 * SB_SECOND;
    CHECK_TEXT(link_give_nothing(r), "T");
    CHECK(link_batch(r, 4400) != SB_BATCH_SETTLED);
    CHECK(link_is_attacked(r));
}

/* The record in its place is that of another number. */
TEST(what_is_behind_all_records_changes_no_record)
{
    link_rig *r = link_open_attacked(5000);
    CHECK_TEXT(repeat_in_a_crowd(r, 4400, 'T', 3), "T");
    CHECK_EQ(kept(r), 0);
    CHECK(link_batch(r, 4400) != SB_BATCH_SETTLED);
    CHECK_EQ(r->link.inbox.channels[SB_CHANNEL_DATA].expected, 5000);
}

TEST(what_is_behind_all_records_prolongs_an_attack)
{
    link_rig *r = link_open_attacked(5000);
    r->now += 20 * SB_SECOND;
    CHECK_TEXT(link_give_text(r, 4400, 'T'), "");
    r->now += 29 * SB_SECOND;
    CHECK(link_is_attacked(r));
}

TEST(copies_of_old_numbers_are_told_from_those_that_are_due)
{
    link_rig *r = link_open(5000);
    CHECK_TEXT(link_give_text(r, 5000, 'T'), "T");
    CHECK_TEXT(link_give_text(r, 5001, 'T'), "T");
    CHECK_TEXT(link_give_text(r, 4400, 'T'), "");
    CHECK_EQ(r->link.guard.next, 5002);
}
