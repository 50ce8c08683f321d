/* tests/transport/marks_test.c -- guessed sequence numbers: attacked peers lose no message.
 *
 * For:      src/transport/marks.c, and the records in src/transport/inbox.c.
 * Spec:     01 §10.8.
 */
#include "marks_rig.h"
#include "transport/interop_rig.h"
#include "transport/marks.h"

#include <string.h>

/* ---- one forged datagram -------------------------------------------------------------------- */

static rig_pack *pack_data(uint16_t seq, char text, const uint16_t *marks)
{
    static rig_pack p;
    rig_pack_init_marked(&p, 2, marks);
    rig_pack_data(&p, seq, rig_byte(text));
    return &p;
}

static void give_data(rig *r, uint16_t seq, char text, const uint16_t *marks)
{
    GIVE_PACK(r, rig_endpoint(1), pack_data(seq, text, marks));
}

/* Gives an answer to marks in a datagram of its own. */
static void give_answer(rig *r, const uint16_t *marks)
{
    rig_pack p;
    rig_pack_init_marked(&p, 2, marks);
    GIVE_PACK(r, rig_endpoint(1), &p);
}

/* Gives another message under a number that is taken. */
static void give_conflict(rig *r, uint16_t seq, char text)
{
    uint64_t before = rig_count(r, SB_TRANSPORT_COUNT_CONFLICT);
    give_data(r, seq, text, NULL);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONFLICT), before + 1);
}

TEST(a_message_under_a_stolen_number_is_delivered)
{
    rig     *r = rig_host_with_history();
    uint16_t marks[SB_MARKS_COUNT];
    give_data(r, 1, 'F', NULL); /* forged, with the right number */
    EXPECT_DATA(r, 2, rig_byte('F'));
    give_conflict(r, 1, 'T'); /* the peer's own: one of the two is forged */
    rig_read_marks(r, rig_endpoint(1), marks);
    rig_wait(r, SB_SECOND);
    give_data(r, 1, 'T', marks); /* repeated by the peer, which hears the marks */
    EXPECT_DATA(r, 2, rig_byte('T'));
    give_data(r, 1, 'T', marks);
    EXPECT_NO_EVENT(r); /* once */
    give_data(r, 2, 'U', marks);
    EXPECT_DATA(r, 2, rig_byte('U'));
}

/* Weak evidence lets the next message count without marks, a stolen number does not. */
TEST(a_stolen_number_in_a_marked_datagram_is_strong_evidence)
{
    rig     *r = rig_host_with_history();
    uint16_t marks[SB_MARKS_COUNT];
    (void)!rig_give_hex(r, rig_endpoint(1), "03 01 02"); /* another id */
    rig_read_marks(r, rig_endpoint(1), marks);
    give_data(r, 1, 'T', marks);
    EXPECT_DATA(r, 2, rig_byte('T'));
    give_data(r, 2, 'F', NULL);
    EXPECT_DATA(r, 2, rig_byte('F'));
    give_data(r, 2, 'U', marks);
    EXPECT_DATA(r, 2, rig_byte('U'));
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONFLICT), 1);
    give_data(r, 3, 'F', NULL);
    EXPECT_NO_EVENT(r);
    give_data(r, 3, 'V', marks);
    EXPECT_DATA(r, 2, rig_byte('V'));
}

/* A sweep: its first numbers are taken, the others are not. */
TEST(a_datagram_with_a_taken_number_has_no_effect_at_all)
{
    rig     *r = rig_host_with_history();
    rig_pack p;
    rig_pack_init(&p, 2);
    for (uint16_t seq = 3; seq-- > 0;) rig_pack_data(&p, seq, rig_byte('F'));
    REFUSE(r, rig_endpoint(1), rig_packed(&p), SB_TRANSPORT_COUNT_CONFLICT);
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.stored, 0);
    rig_step(r);
    CHECK_EQ(rig_count_acks(r), 0);
}

TEST(later_messages_wait_for_the_disputed_one)
{
    rig     *r = rig_host_with_history();
    uint16_t marks[SB_MARKS_COUNT];
    give_data(r, 1, 'F', NULL);
    EXPECT_DATA(r, 2, rig_byte('F'));
    give_conflict(r, 1, 'T');
    rig_read_marks(r, rig_endpoint(1), marks);
    rig_forget(r);
    give_data(r, 2, 'U', marks);
    EXPECT_NO_EVENT(r);
    give_data(r, 1, 'T', marks);
    EXPECT_DATA(r, 2, rig_byte('T'));
    give_data(r, 2, 'U', marks);
    EXPECT_DATA(r, 2, rig_byte('U'));
}

TEST(the_wait_for_a_disputed_message_has_an_end)
{
    rig     *r = rig_host_with_history();
    uint16_t marks[SB_MARKS_COUNT];
    give_conflict(r, 0, 'G'); /* forged; the peer has nothing to repeat */
    rig_read_marks(r, rig_endpoint(1), marks);
    rig_forget(r);
    give_data(r, 1, 'T', marks);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 4 * SB_SECOND);
    give_data(r, 1, 'T', marks);
    EXPECT_DATA(r, 2, rig_byte('T'));
}

TEST(a_forged_message_that_waits_gives_way_to_the_peers_own)
{
    rig     *r = rig_host_with_history();
    uint16_t marks[SB_MARKS_COUNT];
    give_data(r, 2, 'F', NULL); /* early, stored */
    EXPECT_NO_EVENT(r);
    give_conflict(r, 2, 'T');
    rig_read_marks(r, rig_endpoint(1), marks);
    give_data(r, 2, 'T', marks);
    rig_wait(r, 3 * SB_SECOND);
    rig_forget(r);
    give_data(r, 1, 'S', marks);
    EXPECT_DATA(r, 2, rig_byte('S'));
    EXPECT_DATA(r, 2, rig_byte('T'));
}

TEST(in_an_attack_only_marked_datagrams_count)
{
    rig     *r = rig_host_with_history();
    uint16_t marks[SB_MARKS_COUNT];
    give_conflict(r, 0, 'G');
    rig_read_marks(r, rig_endpoint(1), marks);
    rig_wait(r, 5 * SB_SECOND / 2);
    rig_forget(r);
    give_data(r, 2, 'X', marks); /* the peer has answered */
    give_data(r, 1, 'F', NULL);
    for (unsigned i = 0; i < SB_MARKS_COUNT; i++) { /* all but one, and a wrong guess of that one */
        uint16_t guessed[SB_MARKS_COUNT];
        memcpy(guessed, marks, sizeof guessed);
        guessed[i] = marks[(i + 1) % SB_MARKS_COUNT];
        give_data(r, 1, 'F', guessed);
        guessed[i] = (uint16_t)(marks[i] + 1);
        give_data(r, 1, 'F', guessed);
    }
    EXPECT_NO_EVENT(r);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNMARKED) > 0, true);
    GIVE(r, rig_endpoint(1), "02 01 32 05 00 1C 00"); /* unreliable Data passes */
    EXPECT_UNRELIABLE(r, 2, ((sb_span){ (const uint8_t *)"\x1C\x00", 2 }));
    rig_wait(r, 31 * SB_SECOND); /* half a minute after the last sign of the attack */
    rig_forget(r);
    give_data(r, 1, 'T', NULL);
    EXPECT_DATA(r, 2, rig_byte('T'));
}

TEST(a_datagram_under_a_wrong_id_makes_the_host_ask)
{
    rig     *r = rig_host_with_history();
    uint16_t marks[SB_MARKS_COUNT];
    REFUSE(r, rig_endpoint(1), rig_hex("03 01 02"), SB_TRANSPORT_COUNT_ID_MISMATCH);
    rig_read_marks(r, rig_endpoint(1), marks);
    give_data(r, 1, 'T', NULL); /* sent before the peer heard the marks: it counts ... */
    EXPECT_DATA(r, 2, rig_byte('T'));
    rig_step(r);
    CHECK_EQ(rig_count_acks(r), 0); /* ... but somebody else may have sent it */
    give_data(r, 1, 'T', marks);
    EXPECT_NO_EVENT(r);
    rig_step(r);
    CHECK_EQ(rig_count_acks(r), 1);
}

/* Without an Ack the messages of the peer fill its window, and none of them is dropped: only the
 * copies show that it misses Acks. */
TEST(a_copy_that_gets_no_ack_makes_the_host_ask_again)
{
    rig     *r = rig_host_with_history();
    uint16_t marks[SB_MARKS_COUNT];
    REFUSE(r, rig_endpoint(1), rig_hex("03 01 02"), SB_TRANSPORT_COUNT_ID_MISMATCH);
    rig_read_marks(r, rig_endpoint(1), marks);
    give_data(r, 1, 'T', marks);
    EXPECT_DATA(r, 2, rig_byte('T'));
    rig_wait(r, 14 * SB_SECOND); /* the host has stopped to ask, and the peer to answer */
    uint64_t before = rig_count(r, SB_TRANSPORT_COUNT_MARKS);
    for (int copy = 0; copy < 2; copy++) {
        rig_forget(r);
        give_data(r, 2, 'U', NULL);
        rig_wait(r, SB_SECOND);
        CHECK_EQ(rig_count_acks(r), 0);
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_MARKS) > before, copy > 0);
    }
    rig_wait(r, SB_SECOND);
    rig_renew_marks(r, rig_endpoint(1), marks);
    give_data(r, 2, 'U', marks);
    rig_step(r);
    CHECK_EQ(rig_count_acks(r), 1);
}

/* A name that is seen in the list can be written by anybody. */
TEST(during_an_attack_a_rename_needs_marks)
{
    rig     *r = rig_host_with(1, NULL);
    uint16_t marks[SB_MARKS_COUNT];
    rig_pack p;
    rig_give_name(r, rig_endpoint(1), 2, 1, rig_wide("K"));
    rig_wait(r, 6 * SB_SECOND);
    rig_forget(r);
    REFUSE(r, rig_endpoint(1), rig_hex("03 01 02"), SB_TRANSPORT_COUNT_ID_MISMATCH);
    for (int copy = 0; copy < 5; copy++) {
        rig_give_name(r, rig_endpoint(1), 2, 2, rig_wide("X"));
        EXPECT_NO_EVENT(r);
        rig_wait(r, SB_SECOND);
    }
    rig_renew_marks(r, rig_endpoint(1), marks);
    rig_pack_init_marked(&p, 2, marks);
    rig_pack_name(&p, 2, 2, rig_wide("X"));
    GIVE_PACK(r, rig_endpoint(1), &p);
    EXPECT_NAMED(r, 2, "X");
}

/* A forged Ack would end the retransmission of a message that never arrived. */
TEST(during_an_attack_acks_need_marks_if_the_peer_answers)
{
    rig         *r = rig_host_with_history();
    uint16_t     marks[SB_MARKS_COUNT];
    rig_pack     p;
    sb_peer_info info;
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(5, 0)), SB_OK);
    REFUSE(r, rig_endpoint(1), rig_hex("03 01 02"), SB_TRANSPORT_COUNT_ID_MISMATCH);
    rig_read_marks(r, rig_endpoint(1), marks);
    rig_pack_init_marked(&p, 2, marks);
    GIVE_PACK(r, rig_endpoint(1), &p);
    rig_wait(r, 10 * SB_SECOND); /* longer than a first answer is awaited */
    GIVE(r, rig_endpoint(1), "02 01 01 00 00 00");
    CHECK(rig_info(r, 2, &info) && info.unacknowledged == 1);
    rig_renew_marks(r, rig_endpoint(1), marks);
    rig_pack_init_marked(&p, 2, marks);
    rig_pack_ack(&p, false, 0);
    GIVE_PACK(r, rig_endpoint(1), &p);
    CHECK(rig_info(r, 2, &info) && info.unacknowledged == 0);
}

/* Some stock clients acknowledge in datagrams of their own. */
/* Otherwise a peer that acknowledges every datagram by itself could not show that it sent the Acks
 * of full ones. */
TEST(full_datagrams_leave_space_for_marks)
{
    for (unsigned size = 20; size <= 400; size += 380) {
        rig *r = rig_host_with_history();
        give_conflict(r, 0, 'G');
        rig_step(r);
        rig_forget(r);
        uint64_t before = rig_count(r, SB_TRANSPORT_COUNT_MARKS), datagrams = 0;
        for (unsigned i = 0; i < 40; i++)
            CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(size, (uint8_t)i)), SB_OK);
        rig_step(r);
        while (rig_next_sent_to(r, rig_endpoint(1))) datagrams++;
        CHECK(datagrams >= 40 * size / SB_DATAGRAM_MAX);
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_MARKS) - before, SB_MARKS_COUNT * datagrams);
    }
}

TEST(messages_need_no_marks_of_a_peer_that_sends_none_beside_them)
{
    rig     *r = rig_host_with_history();
    uint16_t marks[SB_MARKS_COUNT];
    give_conflict(r, 0, 'G');
    rig_read_marks(r, rig_endpoint(1), marks);
    for (int copy = 0; copy < 3; copy++) {
        EXPECT_NO_EVENT(r);
        give_answer(r, marks);
        rig_wait(r, SB_SECOND);
        give_data(r, 1, 'T', NULL);
    }
    EXPECT_DATA(r, 2, rig_byte('T'));
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNMARKED), 0);
}

TEST(copies_wait_while_a_peer_that_has_answered_does_not)
{
    for (int late = 0; late < 2; late++) {
        rig     *r = rig_host_with_history();
        uint16_t marks[SB_MARKS_COUNT];
        give_conflict(r, 0, 'G');
        rig_read_marks(r, rig_endpoint(1), marks);
        give_answer(r, marks);
        for (int copy = 0; copy < 2; copy++) {
            give_data(r, 1, 'T', NULL);
            rig_wait(r, 3 * SB_SECOND / 2 - (copy == 0 && !late));
        }
        give_data(r, 1, 'T', NULL); /* the third copy, 3 s after the answer */
        if (!late) EXPECT_DATA(r, 2, rig_byte('T'));
        EXPECT_NO_EVENT(r);
        give_answer(r, marks);
        rig_wait(r, SB_SECOND);
        give_data(r, 1, 'T', NULL);
        if (late) EXPECT_DATA(r, 2, rig_byte('T'));
        EXPECT_NO_EVENT(r);
    }
}

/* Nor do copies of a message whose number another one has. */
TEST(late_copies_wait_while_a_peer_that_has_answered_does_not)
{
    for (int answers = 0; answers < 2; answers++) {
        rig     *r = rig_host_with_history();
        uint16_t marks[SB_MARKS_COUNT];
        give_conflict(r, 0, 'T');
        rig_read_marks(r, rig_endpoint(1), marks);
        give_answer(r, marks);
        bool acknowledged = false;
        for (int copy = 0; copy < 4; copy++) {
            rig_wait(r, 3 * SB_SECOND / 2);
            if (answers) give_answer(r, marks);
            if (!acknowledged) give_data(r, 0, 'T', NULL);
            rig_step(r);
            acknowledged = acknowledged || rig_count_acks(r) > 0;
        }
        if (answers) EXPECT_DATA(r, 2, rig_byte('T'));
        EXPECT_NO_EVENT(r);
    }
}

TEST(a_marked_message_makes_others_need_marks_in_this_attack)
{
    for (int over = 0; over < 2; over++) {
        rig     *r = rig_host_with_history();
        uint16_t marks[SB_MARKS_COUNT];
        give_conflict(r, 0, 'G');
        rig_read_marks(r, rig_endpoint(1), marks);
        give_data(r, 0, '\xAA', marks); /* a late copy */
        rig_wait(r, 30 * SB_SECOND - 1 + over);
        give_data(r, 1, 'T', NULL);
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNMARKED), !over);
        if (over) EXPECT_DATA(r, 2, rig_byte('T'));
        EXPECT_NO_EVENT(r);
        rig_wait(r, SB_SECOND);
        give_conflict(r, 0, 'G'); /* the next attack: the peer has not shown its habit */
        for (int copy = 0; over && copy < 3; copy++) {
            EXPECT_NO_EVENT(r);
            rig_wait(r, SB_SECOND);
            rig_renew_marks(r, rig_endpoint(1), marks);
            give_answer(r, marks);
            give_data(r, 2, 'U', NULL);
        }
        if (over) EXPECT_DATA(r, 2, rig_byte('U'));
    }
}

TEST(a_number_far_away_makes_the_host_ask)
{
    rig     *r = rig_host_with_history();
    uint16_t marks[SB_MARKS_COUNT];
    give_data(r, 5000, 'F', NULL);
    rig_read_marks(r, rig_endpoint(1), marks);
    give_data(r, 1, 'T', marks);
    EXPECT_DATA(r, 2, rig_byte('T'));
}

/* Gives NoOps until the budget of peer 2 is exhausted. */
static void exhaust_budget(rig *r)
{
    for (int i = 0; i < 2000; i++) (void)!rig_give_hex(r, rig_endpoint(1), "02 01 02");
    CHECK(rig_count(r, SB_TRANSPORT_COUNT_OVER_BUDGET) > 0);
}

static unsigned count_marked(rig *r, const uint16_t *marks)
{
    unsigned passed = 0;
    while (rig_give(r, rig_endpoint(1), rig_packed(pack_data(1, 'T', marks))) == SB_OK) passed++;
    return passed;
}

TEST(forged_datagrams_do_not_exhaust_the_budget_of_marked_ones)
{
    rig     *r = rig_host_with_history();
    uint16_t marks[SB_MARKS_COUNT];
    give_conflict(r, 0, 'G');
    rig_read_marks(r, rig_endpoint(1), marks);
    rig_wait(r, 4 * SB_SECOND);
    exhaust_budget(r);
    rig_forget(r);
    give_data(r, 1, 'T', marks);
    EXPECT_DATA(r, 2, rig_byte('T'));
    CHECK_EQ(rig_give(r, rig_endpoint(1), rig_packed(pack_data(2, 'U', NULL))), SB_FULL);
    CHECK_EQ(count_marked(r, marks), 599); /* it has an end, too */
    static const unsigned seconds[] = { 1, 9 }, budgets[] = { 300, 600 };
    for (unsigned i = 0; i < 2; i++) {
        rig_wait(r, seconds[i] * SB_SECOND);
        exhaust_budget(r);
        rig_renew_marks(r, rig_endpoint(1), marks);
        CHECK_EQ(count_marked(r, marks), budgets[i]);
    }
}

/* Otherwise two attacked ends would wait for each other. */
TEST(marks_of_the_other_end_get_acks_in_any_datagram)
{
    rig     *r = rig_host_with_history();
    uint16_t marks[SB_MARKS_COUNT];
    give_conflict(r, 0, 'G');
    rig_read_marks(r, rig_endpoint(1), marks);
    give_data(r, 1, 'T', marks); /* the peer has answered: now only marked datagrams count */
    rig_wait(r, SB_SECOND);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), "02 01 32 05 80 00 F0"); /* a mark of the peer */
    rig_step(r);
    CHECK_EQ(rig_count_acks(r), 1);
    rig_wait(r, SB_SECOND);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), "02 01 32 05 80 00 00"); /* no mark: near numbers may be stolen */
    rig_step(r);
    CHECK_EQ(rig_count_acks(r), 0);
}

/* Does the datagram begin with Acks of these two numbers? */
static bool begins_with_answers(const rig_sent *sent, uint16_t first, uint16_t second)
{
    sb_transport_message m[2];
    if (!rig_message(sent, 0, &m[0]) || !rig_message(sent, 1, &m[1])) return false;
    return m[0].type == SB_TRANSPORT_ACK && m[0].seq == first && m[1].type == SB_TRANSPORT_ACK &&
           m[1].seq == second;
}

/* Full ones too: a peer that sends much must be known in all its datagrams. */
TEST(every_datagram_begins_with_the_answers_for_six_seconds)
{
    rig *r = rig_host_with_history();
    GIVE(r, rig_endpoint(1), "02 02 32 05 80 00 F0 32 05 80 00 F1");
    for (unsigned i = 0; i < 5; i++)
        CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(400, i)), SB_OK);
    rig_step(r);
    unsigned count = 0;
    for (const rig_sent *sent; (sent = rig_next_sent_to(r, rig_endpoint(1))) != NULL; count++)
        CHECK(begins_with_answers(sent, 0xF000, 0xF100));
    CHECK_EQ(count, 5);
    rig_wait(r, 5900000);
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(1, 0)), SB_OK);
    rig_forget(r);
    rig_step(r);
    CHECK(begins_with_answers(rig_next_sent_to(r, rig_endpoint(1)), 0xF000, 0xF100));
    rig_wait(r, 200000);
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(1, 0)), SB_OK);
    rig_forget(r);
    rig_step(r);
    CHECK(!begins_with_answers(rig_next_sent_to(r, rig_endpoint(1)), 0xF000, 0xF100));
}

/* Both are questions whose answers only the true client can know. */
TEST(a_question_of_the_host_is_answered_in_one_datagram)
{
    rig *r = rig_open_client(NULL);
    rig_join_client(r, 2);
    GIVE(r, rig_server(),
         "01 06 32 06 80 00 F0 04 32 06 80 00 EF 04 32 06 80 00 EE 04 32 06 80 00 ED 04 "
         "32 06 80 00 EC 04 32 06 80 00 EB 04");
    EXPECT_NO_EVENT(r);
    rig_step(r);
    CHECK(begins_with_answers(rig_next_sent(r), 0xF000, 0xEF00));
    rig_forget(r);
    CHECK_EQ(sb_transport_client_send(r->client, SB_UNRELIABLE, rig_pattern(1, 0)), SB_OK);
    rig_step(r);
    CHECK_EQ(rig_message_count(rig_next_sent(r)), 1); /* once: the host asks again if it must */
}

/* ---- forged fragments ----------------------------------------------------------------------- */

static void give_fragment(rig *r, uint16_t seq, uint8_t index, uint8_t total, char text,
                          const uint16_t *marks)
{
    rig_pack p;
    rig_pack_init_marked(&p, 2, marks);
    rig_pack_fragment(&p, seq, index, total, rig_byte(text));
    GIVE_PACK(r, rig_endpoint(1), &p);
}

TEST(a_whole_message_of_the_peer_replaces_forged_fragments)
{
    rig         *r = rig_host_with_history();
    uint16_t     marks[SB_MARKS_COUNT];
    sb_peer_info info;
    for (uint16_t seq = 1; seq < 20; seq++) give_fragment(r, seq, 0, 9, 'F', NULL);
    rig_wait(r, SB_SECOND);
    rig_forget(r);
    give_data(r, 1, 'T', NULL); /* one of the two is forged */
    EXPECT_NO_EVENT(r);
    rig_read_marks(r, rig_endpoint(1), marks);
    CHECK_EQ(rig_count_acks(r), 0);
    for (uint16_t seq = 19; seq > 0; seq--) give_data(r, seq, 'T', marks); /* early ones, too */
    for (uint16_t seq = 1; seq < 20; seq++) EXPECT_DATA(r, 2, rig_byte('T'));
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.stored, 0);
    CHECK_EQ(info.cells, 0);
}

TEST(a_fragment_of_the_peer_replaces_its_forged_rivals_only)
{
    rig     *r = rig_host_with_history();
    uint16_t marks[SB_MARKS_COUNT];
    give_fragment(r, 1, 2, 0, 'c', NULL); /* the peer's own, acknowledged */
    give_fragment(r, 1, 1, 0, 'F', NULL); /* forged */
    give_fragment(r, 1, 9, 0, 'F', NULL); /* forged, with an index that the message does not have */
    rig_wait(r, SB_SECOND);
    rig_forget(r);
    give_fragment(r, 1, 0, 3, 'a', NULL);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_BAD_FRAGMENT), 1);
    rig_read_marks(r, rig_endpoint(1), marks);
    CHECK_EQ(rig_count_acks(r), 0);
    give_fragment(r, 1, 1, 0, 'b', marks);
    EXPECT_NO_EVENT(r);
    give_fragment(r, 1, 0, 3, 'a', marks);
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"abc", 3 }));
}

TEST(the_peers_own_total_counts)
{
    rig     *r = rig_host_with_history();
    uint16_t marks[SB_MARKS_COUNT];
    give_fragment(r, 1, 0, 2, 'F', NULL); /* forged: the first fragment of two */
    give_fragment(r, 1, 2, 0, 'c', NULL);
    rig_read_marks(r, rig_endpoint(1), marks);
    give_fragment(r, 1, 2, 0, 'c', marks);
    give_fragment(r, 1, 1, 0, 'b', marks);
    EXPECT_NO_EVENT(r);
    give_fragment(r, 1, 0, 3, 'a', marks);
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"abc", 3 }));
}

/* ---- peers that do not answer --------------------------------------------------------------- */

/* Acks of such a peer wait for 3 s. */
TEST(a_peer_that_never_answers_is_heard_when_it_repeats)
{
    rig *r = rig_host_with_history();
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(5, 0)), SB_OK);
    rig_step(r);
    give_conflict(r, 0, 'G');
    rig_wait(r, 3 * SB_SECOND - 1);
    sb_peer_info info;
    GIVE(r, rig_endpoint(1), "02 01 01 00 00 00");
    CHECK(rig_info(r, 2, &info) && info.unacknowledged == 1);
    for (int copy = 0; copy < 3; copy++) {
        EXPECT_NO_EVENT(r);
        give_data(r, 1, 'T', NULL);
        rig_wait(r, SB_SECOND);
    }
    EXPECT_DATA(r, 2, rig_byte('T'));
    GIVE(r, rig_endpoint(1), "02 01 01 00 00 00");
    CHECK(rig_info(r, 2, &info) && info.unacknowledged == 0);
}

TEST(a_peer_that_is_not_attacked_is_asked_nothing)
{
    rig *r = rig_host_with_history();
    give_data(r, 0, '\xAA', NULL); /* a true repeat */
    rig_wait(r, 4 * SB_SECOND);
    sb_transport_message m;
    for (const rig_sent *sent; (sent = rig_next_sent_to(r, rig_endpoint(1))) != NULL;)
        for (size_t i = 0; rig_message(sent, i, &m); i++) CHECK(m.type != SB_TRANSPORT_DATA);
}

/* F11b: the message is lost on its way, and an attacker acknowledges all numbers. */
TEST(acks_of_used_and_unused_numbers_are_forged)
{
    rig     *r = rig_host_with(1, NULL);
    rig_pack p;
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(5, 0)), SB_OK);
    rig_step(r);
    rig_forget(r);
    rig_pack_init(&p, 2);
    for (uint16_t seq = 0; seq < 255; seq++) rig_pack_ack(&p, false, seq);
    REFUSE(r, rig_endpoint(1), rig_packed(&p), SB_TRANSPORT_COUNT_FORGED_ACKS);
    rig_wait(r, SB_SECOND);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_DATA) > 0, true);
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 1);
}

/* The same with control messages: the answer to the Name of the peer is on its way. */
TEST(acks_of_used_and_unused_control_numbers_are_forged)
{
    rig         *r = rig_host_with(1, NULL);
    rig_pack     p;
    sb_peer_info info;
    rig_give_name(r, rig_endpoint(1), 2, 1, rig_wide("Kirk"));
    EXPECT_NAMED(r, 2, "Kirk");
    rig_step(r);
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 1);
    rig_pack_init(&p, 2);
    for (uint16_t seq = 0; seq < 255; seq++) rig_pack_ack(&p, true, seq);
    REFUSE(r, rig_endpoint(1), rig_packed(&p), SB_TRANSPORT_COUNT_FORGED_ACKS);
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 1);
}

/* One channel has messages in flight, the forger guesses numbers of the other, too. */
TEST(data_acks_beside_unused_control_numbers_are_forged)
{
    rig     *r = rig_host_with(1, NULL);
    rig_pack p;
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(5, 0)), SB_OK);
    rig_step(r);
    rig_pack_init(&p, 2);
    rig_pack_ack(&p, false, 0);
    rig_pack_ack(&p, true, 100);
    REFUSE(r, rig_endpoint(1), rig_packed(&p), SB_TRANSPORT_COUNT_FORGED_ACKS);
}

/* F11c: a Disconnect whose number a forged Name has used up. */
TEST(a_disconnect_under_a_stolen_number_is_obeyed)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 00 0E C0 01 00 02 0A 0A 0A EF 4B 00 00 00");
    GIVE(r, rig_endpoint(1), "02 01 00 0E C0 02 00 02 0A 0A 0A EF 4C 00 00 00"); /* forged */
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 02 00 02 0A 0A 0A EF");
    rig_wait(r, 6 * SB_SECOND);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 0);
}

/* ---- ten thousand of them ------------------------------------------------------------------- */

/* Forges datagram number `i` in the name of the client: sweeps, guesses, Acks, garbage. */
static void forge(interop *w, const interop_client *c, uint32_t i, sb_random *random)
{
    uint8_t            bytes[SB_DATAGRAM_MAX], id = (uint8_t)(2 + i % 4);
    sb_datagram_writer writer;
    sb_datagram_writer_init(&writer, bytes, sizeof bytes, id);
    for (uint32_t k = 0; k < (i % 3 == 0 ? 40u : 1u); k++) {
        bool                 ack = i % 5 == 4;
        sb_transport_message m = { .type = ack ? SB_TRANSPORT_ACK : SB_TRANSPORT_DATA,
                                   .reliable = !ack,
                                   .seq = (uint16_t)(i % 2 ? sb_random_below(random, 600)
                                                           : i / 4 % 600 + k),
                                   .payload = { (const uint8_t *)"?", ack ? 0 : 1 } };
        if (sb_datagram_writer_add(&writer, &m) != SB_OK) break;
    }
    sb_encrypt_datagram(bytes, writer.size);
    sim_network_inject(w->network, w->now, c->address, w->host_address,
                       (sb_span){ bytes, writer.size });
}

/* A stock client sends 300 reliable messages in a minute and gets as many. */
TEST(ten_thousand_forged_datagrams_cost_a_stock_client_nothing)
{
    for (int pace = 0; pace < 2; pace++) /* stock, measured */
        for (uint64_t seed = 1; seed <= 4; seed++) {
            interop *w =
                interop_open_with_stock_clients(INTEROP_MILD, seed, 1, (sb_retransmit)pace);
            interop_client *c = &w->clients[0];
            sb_random       random;
            sb_random_init(&random, seed);
            interop_stream(w, 20, 50000);
            for (uint32_t i = 0; i < 10000; i++) {
                forge(w, c, i, &random);
                if (i % 33 == 0) {
                    HOLDS(w, interop_send_up(w, c, true, 40));
                    HOLDS(w, interop_send_down(w, c, true, 40));
                }
                if (i % 17 == 0) (void)interop_send_up(w, c, false, 30);
                interop_run(w, 6 * RIG_MILLISECOND);
            }
            HOLDS(w, interop_run_until_quiet(w, 120 * SB_SECOND));
            interop_run(w, 10 * SB_SECOND);
            EQUALS(w, c->at_host.left, 0);
            EQUALS(w, c->up.received, c->up.sent);
            EQUALS(w, c->up.repeated, 0);
            EQUALS(w, c->up.displaced, 0);
            EQUALS(w, c->down.received, c->down.sent);
            EQUALS(w, c->down.displaced, 0);
        }
}
