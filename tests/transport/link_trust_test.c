/* tests/transport/link_trust_test.c -- what a session believes, rule by rule.
 *
 * For:      src/transport/link_trust.c and link.c. marks_test.c, guard_test.c and
 *           client_confirm_test.c have whole attacks.
 * Spec:     01 §8.4, §10.8.
 */
#include "marks_rig.h"
#include "transport/client_internal.h"
#include "transport/host_internal.h"

enum { PEER = 2 };

/* A datagram of peer 2 with `count` Data from `first` on; NULL: without marks. */
static sb_result give_run(rig *r, uint16_t first, unsigned count, char byte, const uint16_t *marks)
{
    rig_pack p;
    rig_pack_init_marked(&p, PEER, marks);
    for (unsigned i = 0; i < count; i++) rig_pack_data(&p, (uint16_t)(first + i), rig_byte(byte));
    return rig_give(r, rig_endpoint(1), rig_packed(&p));
}

static void deliver_run(rig *r, uint16_t first, unsigned count, char byte, const uint16_t *marks)
{
    CHECK_EQ(give_run(r, first, count, byte, marks), SB_OK);
    for (unsigned i = 0; i < count; i++) EXPECT_DATA(r, PEER, rig_byte(byte));
    EXPECT_NO_EVENT(r);
}

/* A datagram from the address of peer 2 has another id. */
static void notice_forger(rig *r, uint16_t marks[SB_MARKS_COUNT])
{
    REFUSE(r, rig_endpoint(1), rig_hex("03 01 02"), SB_TRANSPORT_COUNT_ID_MISMATCH);
    rig_read_marks(r, rig_endpoint(1), marks);
    rig_forget(r);
}

/* Two different messages come with number 0: strong evidence. */
static void notice_conflict(rig *r, uint16_t marks[SB_MARKS_COUNT])
{
    CHECK_EQ(give_run(r, 0, 2, 'G', NULL), SB_NOT_ALLOWED);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONFLICT), 1);
    rig_read_marks(r, rig_endpoint(1), marks);
    rig_forget(r);
}

static void give_marks(rig *r, const uint16_t *marks)
{
    rig_pack p;
    rig_pack_init_marked(&p, PEER, marks);
    GIVE_PACK(r, rig_endpoint(1), &p);
}

/* How many marks leave within this time? */
static unsigned count_marks(rig *r, sb_time duration)
{
    sb_transport_message m;
    unsigned             count = 0;
    rig_forget(r);
    rig_wait(r, duration);
    for (const rig_sent *sent; (sent = rig_next_sent_to(r, rig_endpoint(1))) != NULL;)
        for (size_t i = 0; rig_message(sent, i, &m); i++)
            count += m.type == SB_TRANSPORT_DATA && m.payload.size == 0;
    return count;
}

/* ---- Disputes (spec 01 §10.8 rule 4) --------------------------------------------------------- */

/* Data 2 had been stored before the attack: it may be forged, so the peer's 3 waits for a copy. */
static rig *host_with_doubtful_data(uint16_t marks[SB_MARKS_COUNT])
{
    rig *r = rig_host_with_history();
    CHECK_EQ(give_run(r, 2, 1, 'F', NULL), SB_OK);
    notice_forger(r, marks);
    CHECK_EQ(give_run(r, 3, 1, 'V', marks), SB_OK);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(give_run(r, 1, 1, 'T', marks), SB_OK);
    EXPECT_DATA(r, PEER, rig_byte('T'));
    EXPECT_DATA(r, PEER, rig_byte('F'));
    EXPECT_NO_EVENT(r);
    return r;
}

TEST(data_behind_doubtful_data_waits_for_its_copy)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = host_with_doubtful_data(marks);
    CHECK_EQ(give_run(r, 2, 1, 'U', marks), SB_OK);
    EXPECT_DATA(r, PEER, rig_byte('U'));
    EXPECT_DATA(r, PEER, rig_byte('V'));
    EXPECT_NO_EVENT(r);
}

TEST(data_behind_doubtful_data_waits_4_s_at_most)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = host_with_doubtful_data(marks);
    rig_wait(r, 4 * SB_SECOND - 1);
    GIVE(r, rig_endpoint(1), "02 01 02");
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    GIVE(r, rig_endpoint(1), "02 01 02"); /* any datagram */
    EXPECT_DATA(r, PEER, rig_byte('V'));
}

/* The conflict is seen before the first message is handled. */
TEST(a_conflict_among_several_messages_begins_a_dispute)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = rig_host_with_history();
    CHECK_EQ(give_run(r, 0, 2, 'G', NULL), SB_NOT_ALLOWED);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONFLICT), 1);
    rig_read_marks(r, rig_endpoint(1), marks);
    uint64_t before = rig_count(r, SB_TRANSPORT_COUNT_UNMARKED);
    CHECK_EQ(give_run(r, 1, 1, 'T', marks), SB_OK);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNMARKED), before + 1);
    rig_wait(r, 4 * SB_SECOND);
    deliver_run(r, 1, 1, 'T', marks);
}

/* The dispute is about the first message that conflicts. */
TEST(a_copy_of_the_disputed_message_ends_the_dispute)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = rig_host_with_history();
    rig_pack p;
    deliver_run(r, 1, 1, 'T', NULL);
    rig_wait(r, SB_SECOND);
    rig_forget(r);
    rig_pack_init(&p, PEER);
    rig_pack_data(&p, 1, rig_byte('G'));
    rig_pack_data(&p, 0, rig_byte('G'));
    CHECK_EQ(rig_give(r, rig_endpoint(1), rig_packed(&p)), SB_NOT_ALLOWED);
    rig_read_marks(r, rig_endpoint(1), marks);
    CHECK_EQ(give_run(r, 2, 1, 'U', marks), SB_OK);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(give_run(r, 1, 1, 'T', marks), SB_OK);
    EXPECT_NO_EVENT(r);
    deliver_run(r, 2, 1, 'U', marks);
}

TEST(forged_acks_make_the_host_ask)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = rig_host_with_history();
    CHECK_EQ(rig_send(r, PEER, SB_RELIABLE, rig_pattern(3, 0)), SB_OK);
    rig_step(r);
    rig_forget(r);
    REFUSE(r, rig_endpoint(1), rig_hex("02 02 01 00 00 00 01 01 00 00"),
           SB_TRANSPORT_COUNT_FORGED_ACKS);
    rig_read_marks(r, rig_endpoint(1), marks);
}

TEST(a_conflict_of_control_messages_begins_no_dispute)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = rig_host_with_history();
    rig_pack p;
    rig_give_name(r, rig_endpoint(1), PEER, 1, rig_wide("Kirk"));
    EXPECT_NAMED(r, PEER, "Kirk");
    rig_wait(r, SB_SECOND);
    rig_forget(r);
    rig_pack_init(&p, PEER);
    rig_pack_name(&p, 1, PEER, rig_wide("Spock"));
    rig_pack_data(&p, 1, rig_byte('F'));
    CHECK_EQ(rig_give(r, rig_endpoint(1), rig_packed(&p)), SB_NOT_ALLOWED);
    rig_read_marks(r, rig_endpoint(1), marks);
    deliver_run(r, 1, 1, 'T', marks);
}

/* A copy shows that the peer sent 2 to 4; only 1 was forged. */
TEST(what_a_copy_confirms_is_not_expected_again)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = rig_host_with_history();
    deliver_run(r, 1, 1, 'F', NULL);
    deliver_run(r, 2, 3, 'P', NULL);
    notice_forger(r, marks);
    CHECK_EQ(give_run(r, 3, 1, 'P', marks), SB_OK);
    EXPECT_NO_EVENT(r);
    deliver_run(r, 1, 1, 'T', marks);
    deliver_run(r, 5, 1, 'W', marks);
}

/* ---- How long an attack lasts -----------------------------------------------------------------
 */

TEST(a_conflict_during_an_attack_prolongs_it)
{
    for (int answered = 0; answered < 2; answered++) {
        uint16_t marks[SB_MARKS_COUNT];
        rig     *r = rig_host_with_history();
        notice_conflict(r, marks);
        if (answered) give_marks(r, marks);
        rig_wait(r, 20 * SB_SECOND);
        CHECK_EQ(give_run(r, 0, 2, 'G', NULL), SB_OK); /* judged message by message */
        rig_wait(r, 29 * SB_SECOND);
        CHECK(sb_guard_is_attacked(&r->host->peers[0].link.guard, r->now));
        CHECK(sb_marks_is_on(&r->host->peers[0].link.marks, r->now));
        rig_forget(r);
        CHECK_EQ(give_run(r, 1, 1, 'T', NULL), SB_OK);
        EXPECT_NO_EVENT(r);
        rig_wait(r, 30 * SB_SECOND);
        deliver_run(r, 1, 1, 'T', NULL);
    }
}

TEST(an_attack_ends_although_the_peer_is_heard)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = rig_host_with_history();
    notice_conflict(r, marks);
    for (int i = 0; i < 31; i++) {
        GIVE(r, rig_endpoint(1), "02 01 02");
        rig_wait(r, SB_SECOND);
    }
    CHECK(!sb_guard_is_attacked(&r->host->peers[0].link.guard, r->now));
    CHECK(!sb_marks_is_on(&r->host->peers[0].link.marks, r->now));
    deliver_run(r, 1, 1, 'T', NULL);
}

/* An Ack of a number that was never used is evidence only beside one of a message in flight. */
TEST(a_stray_ack_during_an_attack_does_not_prolong_it)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = rig_host_with_history();
    notice_forger(r, marks);
    rig_wait(r, 20 * SB_SECOND);
    GIVE(r, rig_endpoint(1), "02 01 01 50 00 00");
    rig_wait(r, 11 * SB_SECOND);
    deliver_run(r, 1, 1, 'T', NULL);
}

/* The peer has sent a message beside marks, so the others have marks, too. */
TEST(copies_without_marks_do_not_count_if_others_had_them)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = rig_host_with_history();
    notice_conflict(r, marks);
    CHECK_EQ(give_run(r, 0, 1, '\xAA', marks), SB_OK);
    for (int copy = 0; copy < 4; copy++) {
        CHECK_EQ(give_run(r, 1, 1, 'F', NULL), SB_OK);
        rig_wait(r, SB_SECOND);
    }
    EXPECT_NO_EVENT(r);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNMARKED), 4);
    rig_renew_marks(r, rig_endpoint(1), marks);
    deliver_run(r, 1, 1, 'T', marks);
}

/* Weak evidence: the next message counts without marks, only early ones and fragments wait. */
TEST(without_a_conflict_only_early_messages_need_marks)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = rig_host_with_history();
    notice_forger(r, marks);
    CHECK_EQ(give_run(r, 0, 1, '\xAA', marks), SB_OK);
    CHECK_EQ(give_run(r, 2, 1, 'F', NULL), SB_OK);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNMARKED), 1);
    GIVE(r, rig_endpoint(1), "02 01 32 08 A0 01 00 00 02 AA"); /* the first of two fragments */
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNMARKED), 2);
    deliver_run(r, 1, 1, 'T', NULL);
    deliver_run(r, 2, 1, 'U', NULL); /* its number is still free */
}

/* An Ack of a forgery would take the peer's own message from it. Copies get one of a peer that has
 * not answered: it may be one that never does. So does a rival of what is stored, when it is kept,
 * too. */
TEST(during_an_attack_what_is_stored_gets_no_ack)
{
    for (int i = 0; i < 4; i++) {
        bool         rival = i % 2, answered = i / 2;
        uint16_t     marks[SB_MARKS_COUNT];
        rig         *r = rig_host_with_history();
        sb_peer_info info;
        if (rival) CHECK_EQ(give_run(r, 2, 1, 'F', NULL), SB_OK); /* early, before the attack */
        rig_wait(r, SB_SECOND);
        notice_forger(r, marks);
        if (answered) give_marks(r, marks);
        for (int copy = 0; copy < 3; copy++) {
            sb_result expected = rival && copy == 0 ? SB_NOT_ALLOWED : SB_OK; /* the conflict */
            CHECK_EQ(give_run(r, 2, 1, 'T', NULL), expected);
            rig_wait(r, SB_SECOND);
            CHECK_EQ(rig_count_acks(r) > 0, copy > 0 && (rival || !answered));
        }
        CHECK(rig_info(r, PEER, &info) && info.stored == 1);
    }
}

/* Behind all records no copy is late; still older numbers get the Ack that stock sends. */
TEST(data_up_to_2048_behind_the_records_is_not_acknowledged)
{
    for (uint16_t behind = 2047; behind <= 2050; behind++) {
        rig     *r = rig_host_with(1, NULL);
        rig_pack p;
        sb_transport_host_set_numbers(r->host, PEER, 0, 5000);
        rig_pack_init(&p, PEER);
        rig_pack_data(&p, (uint16_t)(5000 - behind), rig_byte('x'));
        GIVE_PACK(r, rig_endpoint(1), &p);
        rig_wait(r, SB_SECOND);
        CHECK_EQ(rig_count_acks(r) > 0, behind > 2048);
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNCONFIRMED), behind <= 2048);
    }
}

/* Our oldest number in flight is 6000. */
TEST(marks_lie_behind_our_numbers_of_data)
{
    for (int request = 0; request < 2; request++) {
        uint16_t marks[SB_MARKS_COUNT];
        rig     *r = rig_host_with(1, NULL);
        sb_transport_host_set_numbers(r->host, PEER, 6000, 0);
        if (request)
            REFUSE(r, rig_endpoint(1), rig_hex("02 01 05 0A C0 01 00 03 0A 0A 0A EF"),
                   SB_TRANSPORT_COUNT_FOREIGN_DISCONNECT);
        else REFUSE(r, rig_endpoint(1), rig_hex("03 01 02"), SB_TRANSPORT_COUNT_ID_MISMATCH);
        rig_read_marks(r, rig_endpoint(1), marks);
        for (unsigned k = 0; k < SB_MARKS_COUNT; k++)
            CHECK((uint16_t)(6000 - marks[k]) >= 1280 && (uint16_t)(6000 - marks[k]) < 13280);
    }
}

TEST(the_first_name_is_taken_during_an_attack)
{
    uint16_t marks[SB_MARKS_COUNT];
    for (int conflict = 0; conflict < 2; conflict++) {
        rig *r = rig_host_with_history();
        if (conflict) notice_conflict(r, marks);
        else notice_forger(r, marks);
        for (int copy = 0; copy < (conflict ? 3 : 1); copy++) {
            EXPECT_NO_EVENT(r);
            rig_give_name(r, rig_endpoint(1), PEER, 1, rig_wide("Kirk"));
            rig_wait(r, SB_SECOND);
        }
        EXPECT_NAMED(r, PEER, "Kirk");
    }
}

/* ---- The budget of new numbers -----------------------------------------------------------------
 */

static int64_t numbers_left(const rig *r)
{
    return r->host->peers[0].link.numbers.left / SB_SECOND;
}

/* Has the host asked for marks since the last call? */
static bool has_asked(rig *r)
{
    static uint64_t before;
    uint64_t        count;
    rig_step(r);
    count = rig_count(r, SB_TRANSPORT_COUNT_MARKS);
    bool asked = count > before;
    before = count;
    return asked;
}

TEST(up_to_384_numbers_at_once_are_taken_without_marks)
{
    rig *r = rig_host_with(1, NULL);
    (void)has_asked(r);
    for (uint16_t seq = 0; seq < 384; seq++) {
        CHECK_EQ(numbers_left(r), 384 - seq);
        deliver_run(r, seq, 1, 'T', NULL);
        if (seq <= 128) CHECK_EQ(has_asked(r), seq == 128);
        rig_forget(r);
    }
    CHECK_EQ(numbers_left(r), 0);
    CHECK(!sb_guard_is_attacked(&r->host->peers[0].link.guard, r->now));
    CHECK_EQ(give_run(r, 384, 1, 'T', NULL), SB_OK);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNCONFIRMED), 1);
    CHECK(sb_guard_is_attacked(&r->host->peers[0].link.guard, r->now));
    CHECK(sb_marks_is_on(&r->host->peers[0].link.marks, r->now));
}

/* Only the next number is used up, and a message in parts uses one. */
TEST(only_the_next_data_number_is_charged)
{
    rig *r = rig_host_with(1, NULL);
    CHECK_EQ(give_run(r, 1, 1, 'T', NULL), SB_OK); /* early */
    rig_give_name(r, rig_endpoint(1), PEER, 1, rig_wide("Kirk"));
    CHECK_EQ(numbers_left(r), 384);
    for (uint8_t i = 0; i < 2; i++) {
        rig_pack p;
        rig_pack_init(&p, PEER);
        rig_pack_fragment(&p, 0, i, i == 0 ? 2 : 0, rig_pattern(20, i));
        GIVE_PACK(r, rig_endpoint(1), &p);
        CHECK_EQ(numbers_left(r), 383);
    }
}

TEST(numbers_come_back_64_a_second_and_8_during_an_attack)
{
    for (int attacked = 0; attacked < 2; attacked++) {
        uint16_t marks[SB_MARKS_COUNT];
        rig     *r = rig_host_with_history();
        if (attacked) notice_conflict(r, marks);
        sb_budget_init(&r->host->peers[0].link.numbers, r->now, 0);
        rig_wait(r, SB_SECOND);
        CHECK_EQ(give_run(r, 2, 1, 'T', NULL), SB_OK);
        CHECK_EQ(numbers_left(r), attacked ? 8 : 64);
    }
}

TEST(a_number_costs_12_during_an_attack)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = rig_host_with_history();
    notice_conflict(r, marks);
    rig_wait(r, 2 * SB_SECOND);
    for (int copy = 0; copy < 3; copy++) {
        rig_wait(r, SB_SECOND);
        CHECK_EQ(give_run(r, 1, 1, 'T', NULL), SB_OK);
        CHECK_EQ(numbers_left(r), copy < 2 ? 384 : 384 - 12);
    }
    EXPECT_DATA(r, PEER, rig_byte('T'));
}

/* The peer would have heard one of them. */
TEST(a_message_whose_copies_go_on_after_two_acks_is_forged)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = rig_host_with_history();
    notice_conflict(r, marks);
    rig_wait(r, 2 * SB_SECOND);
    for (int copy = 0; copy < 7; copy++) {
        rig_wait(r, SB_SECOND);
        rig_forget(r);
        CHECK_EQ(give_run(r, 0, 1, 'F', NULL), SB_OK);
        rig_step(r);
        CHECK_EQ(rig_count_acks(r), copy == 1 || copy == 2);
        EXPECT_NO_EVENT(r);
    }
}

/* Unmarked messages are dropped without a look at them. */
TEST(a_conflict_prolongs_an_attack_on_a_peer_with_marks)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = rig_host_with_history();
    notice_conflict(r, marks);
    CHECK_EQ(give_run(r, 0, 1, '\xAA', marks), SB_OK);
    rig_wait(r, 20 * SB_SECOND);
    CHECK_EQ(give_run(r, 0, 2, 'G', NULL), SB_OK);
    rig_wait(r, 29 * SB_SECOND);
    CHECK(sb_guard_is_attacked(&r->host->peers[0].link.guard, r->now));
    CHECK(sb_marks_is_on(&r->host->peers[0].link.marks, r->now));
}

/* ---- Asking for marks (rule 3) -----------------------------------------------------------------
 */

TEST(a_message_that_waits_for_copies_makes_the_host_ask_again)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = rig_host_with_history();
    notice_conflict(r, marks);
    rig_wait(r, 10 * SB_SECOND);
    CHECK_EQ(count_marks(r, SB_SECOND), 0); /* nothing was dropped for 6 s */
    CHECK_EQ(give_run(r, 1, 1, 'T', NULL), SB_OK);
    CHECK(count_marks(r, SB_SECOND) > 0);
}

TEST(what_is_dropped_without_marks_makes_the_host_ask_again)
{
    static const struct {
        const char *hex;
        bool        asks;
    } cases[] = {
        { "02 01 32 06 80 02 00 AA", true },  /* early Data */
        { "02 01 32 06 80 01 00 AA", false }, /* the next Data counts */
        { "02 01 01 00 00 00", true },        /* an Ack of a message in flight */
        { "02 01 01 07 00 00", false },       /* an Ack of none */
        { "02 01 02", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint16_t marks[SB_MARKS_COUNT];
        rig     *r = rig_stock_host_with_history();
        notice_forger(r, marks);
        CHECK_EQ(give_run(r, 0, 1, '\xAA', marks), SB_OK); /* a message beside marks */
        CHECK_EQ(rig_send(r, PEER, SB_RELIABLE, rig_pattern(3, 0)), SB_OK);
        rig_wait(r, 7 * SB_SECOND);
        CHECK_EQ(count_marks(r, SB_SECOND), 0);
        GIVE(r, rig_endpoint(1), cases[i].hex);
        CHECK_EQ(count_marks(r, SB_SECOND) > 0, cases[i].asks);
    }
}

TEST(marks_go_beside_reliable_messages_of_an_attacked_session)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = rig_host_with_history();
    CHECK_EQ(rig_send(r, PEER, SB_RELIABLE, rig_pattern(3, 0)), SB_OK);
    rig_step(r);
    EXPECT_SAID(r, rig_endpoint(1), "Data 0");
    GIVE(r, rig_endpoint(1), "02 01 01 00 00 00");
    notice_forger(r, marks);
    give_marks(r, marks);
    rig_wait(r, 7 * SB_SECOND);
    CHECK_EQ(count_marks(r, SB_SECOND), 0);
    uint64_t before = rig_count(r, SB_TRANSPORT_COUNT_MARKS);
    CHECK_EQ(rig_send(r, PEER, SB_UNRELIABLE, rig_pattern(3, 0)), SB_OK);
    CHECK_EQ(count_marks(r, 1), 0);
    CHECK_EQ(rig_send(r, PEER, SB_RELIABLE, rig_pattern(3, 0)), SB_OK);
    CHECK_EQ(count_marks(r, 1), SB_MARKS_COUNT);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_MARKS), before + SB_MARKS_COUNT);
    rig_wait(r, 30 * SB_SECOND); /* the attack is over */
    give_marks(r, marks);
    CHECK_EQ(rig_send(r, PEER, SB_RELIABLE, rig_pattern(3, 0)), SB_OK);
    CHECK_EQ(count_marks(r, 1), 0);
}

/* Sends Data `seq` to the peer, and gives its Ack beside these marks. Is it acknowledged then? */
static bool send_and_acknowledge(rig *r, uint16_t seq, const uint16_t *marks)
{
    rig_pack     p;
    sb_peer_info info;
    CHECK_EQ(rig_send(r, PEER, SB_RELIABLE, rig_pattern(1, seq)), SB_OK);
    rig_step(r);
    rig_pack_init_marked(&p, PEER, marks);
    rig_pack_ack(&p, false, seq);
    GIVE_PACK(r, rig_endpoint(1), &p);
    return rig_info(r, PEER, &info) && info.unacknowledged == 0;
}

/* The distance to old marks grows: they are forgotten before the peer takes them for new Data. */
TEST(marks_follow_the_numbers_of_data)
{
    uint16_t marks[SB_MARKS_COUNT], later[SB_MARKS_COUNT];
    rig     *r = rig_host_with_history();
    notice_forger(r, marks);
    for (uint16_t seq = 0; seq <= 1700; seq++) {
        CHECK(send_and_acknowledge(r, seq, marks));
        rig_forget(r);
    }
    CHECK(!send_and_acknowledge(r, 1701, marks));
    rig_read_marks(r, rig_endpoint(1), later);
    for (unsigned k = 0; k < SB_MARKS_COUNT; k++)
        CHECK(later[k] != marks[k] && (uint16_t)(1701 - later[k]) >= 1280);
}

/* ---- Messages that count nowhere ---------------------------------------------------------------
 */

TEST(an_unreliable_name_has_no_effect)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 00 0C 40 02 0A 0A 0A EF 4B 00 00 00");
    EXPECT_NO_EVENT(r);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNRELIABLE_CONTROL), 1);
}

TEST(a_mark_of_the_other_end_counts_as_a_duplicate)
{
    rig     *r = rig_host_with_history();
    uint64_t before = rig_count(r, SB_TRANSPORT_COUNT_DUPLICATE);
    GIVE(r, rig_endpoint(1), "02 01 32 05 80 00 F0");
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_DUPLICATE), before + 1);
    rig_step(r);
    CHECK_EQ(rig_count_acks(r), 1);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_MARKS), 1);
}

/* During an attack too, and without marks. */
TEST(a_question_1280_behind_gets_its_ack)
{
    for (uint16_t behind = 1279; behind <= 1281; behind++) {
        uint16_t marks[SB_MARKS_COUNT];
        rig     *r = rig_host_with(1, NULL);
        rig_pack p;
        sb_transport_host_set_numbers(r->host, PEER, 0, 5000);
        notice_forger(r, marks);
        give_marks(r, marks);
        rig_wait(r, SB_SECOND);
        rig_forget(r);
        rig_pack_init(&p, PEER);
        rig_pack_data(&p, (uint16_t)(5000 - behind), rig_byte(4));
        GIVE_PACK(r, rig_endpoint(1), &p);
        rig_step(r);
        CHECK_EQ(rig_count_acks(r), behind >= 1280);
    }
}

TEST(a_single_byte_behind_the_messages_is_counted)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 02 02");
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REST_IGNORED), 1);
}

TEST(the_memory_of_a_peer_that_leaves_is_used_again)
{
    rig     *r = rig_open_host(NULL);
    uint32_t cells = 0;
    for (int i = 0; i < 3; i++) {
        uint8_t  id = rig_join(r, rig_endpoint(1));
        rig_pack p;
        rig_pack_init(&p, id);
        rig_pack_data(&p, 3, rig_pattern(400, 0)); /* early: stored */
        GIVE_PACK(r, rig_endpoint(1), &p);
        if (i == 0) cells = r->host->cells.fresh;
        CHECK(cells > 0 && r->host->cells.fresh == cells);
        rig_wait(r, 60 * SB_SECOND);
        rig_forget(r);
    }
}

TEST(the_cells_of_a_peer_are_those_of_all_its_messages)
{
    rig         *r = rig_host_with(1, NULL);
    sb_peer_info info;
    CHECK(rig_info(r, PEER, &info) && info.cells == 0);
    CHECK_EQ(rig_send(r, PEER, SB_RELIABLE, rig_pattern(3, 0)), SB_OK); /* 1 */
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 03 00 AA");                /* 1 */
    GIVE(r, rig_endpoint(1), "02 01 32 08 A0 00 00 00 02 AA");          /* 1, and its list */
    CHECK(rig_info(r, PEER, &info));
    CHECK_EQ(info.cells, 4);
}

/* ---- Clients ------------------------------------------------------------------------------------
 */

/* A client that remembers numbers, but takes control messages without proof. */
static rig *seeded_client(void)
{
    sb_transport_client_config config;
    rig_client_config(&config);
    config.seed = 77;
    config.cautious = false;
    rig *r = rig_open_client(&config);
    rig_step(r);
    return r;
}

static rig *joined_client(void)
{
    rig *r = seeded_client();
    rig_join_client(r, PEER);
    return r;
}

static uint64_t count_late(const rig *r)
{
    return sb_transport_client_counter(r->client, SB_TRANSPORT_COUNT_LATE);
}

TEST(without_an_id_only_number_0_of_the_answer_counts)
{
    rig *r = seeded_client();
    GIVE(r, rig_server(), "01 01 03 06 C0 01 00 05");
    CHECK_EQ(count_late(r), 1);
    GIVE(r, rig_server(), "01 01 00 0E C0 00 00 03 0A 0A 0A EF 4B 00 00 00");
    CHECK_EQ(count_late(r), 2);
    GIVE(r, rig_server(), "01 01 32 06 80 01 00 AA");
    CHECK_EQ(count_late(r), 3);
    GIVE(r, rig_server(), "01 01 32 04 00 AA"); /* unreliable */
    CHECK_EQ(count_late(r), 4);
    GIVE(r, rig_server(), "01 01 32 05 80 00 F0"); /* a mark */
    CHECK_EQ(count_late(r), 5);
    EXPECT_NO_EVENT(r);
    GIVE(r, rig_server(), "01 01 03 06 C0 00 00 05");
    EXPECT_JOINED(r, 5);
}

/* It may be of an earlier session; a host repeats its first message. */
TEST(data_before_the_id_has_to_come_again)
{
    rig *r = seeded_client();
    GIVE(r, rig_server(), "01 01 32 06 80 00 00 AA");
    GIVE(r, rig_server(), "01 02 32 06 80 00 00 BB 32 06 80 01 00 BB");
    CHECK_EQ(count_late(r), 3);
    GIVE(r, rig_server(), "01 01 03 06 C0 00 00 05");
    EXPECT_JOINED(r, 5);
    EXPECT_NO_EVENT(r);
    GIVE(r, rig_server(), "01 01 32 06 80 00 00 CC");
    EXPECT_DATA(r, SB_PEER_HOST, rig_byte('\xCC'));
}

TEST(data_to_a_leaving_client_is_late)
{
    rig *r = joined_client();
    sb_transport_client_leave(r->client, r->now);
    GIVE(r, rig_server(), "01 01 32 04 00 AA");
    CHECK_EQ(count_late(r), 1);
    GIVE(r, rig_server(), "01 01 32 06 80 00 00 AA");
    CHECK_EQ(count_late(r), 2);
    GIVE(r, rig_server(), "01 01 32 05 80 00 F0"); /* a mark */
    CHECK_EQ(count_late(r), 3);
    EXPECT_NO_EVENT(r);
}

/* Low number 0 was that of the Connect response, so the refusal contradicts it. */
TEST(the_refusal_of_a_forged_connect_is_late)
{
    rig *r = joined_client();
    GIVE(r, rig_server(), "01 02 01 00 00 02 04 07 C0 00 00 03 FF");
    CHECK_EQ(count_late(r), 1);
    for (int i = 0; i < 8; i++) {
        rig_wait(r, SB_SECOND);
        EXPECT_NO_EVENT(r);
    }
    CHECK_EQ(sb_transport_client_counter(r->client, SB_TRANSPORT_COUNT_CONFLICT), 0);
    GIVE(r, rig_server(), "01 02 04 06 C0 00 00 03 FF"); /* too short: the FF is the next type */
    CHECK_EQ(count_late(r), 1);
}

TEST(a_disconnect_of_the_host_uses_up_no_number)
{
    static const char *const farewells[] = { "01 01 05 06 C0 01 00 01", "01 01 05 06 C0 01 00 02",
                                             "01 01 05 06 C0 01 00 FF",
                                             "01 01 04 07 C0 01 00 04 02",
                                             "01 01 04 07 C0 01 00 04 FF" };
    for (size_t i = 0; i < sizeof farewells / sizeof *farewells; i++) {
        rig *r = joined_client();
        GIVE(r, rig_server(), farewells[i]);
        GIVE(r, rig_server(), "01 01 02"); /* the host goes on */
        EXPECT_NO_EVENT(r);
        GIVE(r, rig_server(), "01 01 00 0E C0 01 00 03 0A 0A 0A EF 4B 00 00 00");
        EXPECT_NAMED(r, 3, "K");
    }
}

TEST(a_boot_of_player_1_is_about_another_player)
{
    rig *r = joined_client();
    GIVE(r, rig_server(), "01 01 04 07 C0 01 00 04 01");
    EXPECT_LEFT(r, 1, SB_LEFT_BOOTED);
}

/* Its second byte would be the type of the next message. */
TEST(a_boot_that_is_too_short_uses_up_its_number)
{
    rig *r = joined_client();
    GIVE(r, rig_server(), "01 02 04 06 C0 01 00 04 02");
    CHECK_EQ(sb_transport_client_counter(r->client, SB_TRANSPORT_COUNT_BAD_CONTROL), 1);
    GIVE(r, rig_server(), "01 01 02");
    rig_wait(r, SB_SECOND);
    GIVE(r, rig_server(), "01 01 00 0E C0 02 00 03 0A 0A 0A EF 4B 00 00 00");
    EXPECT_NAMED(r, 3, "K");
}

TEST(an_old_boot_is_a_duplicate)
{
    rig *r = rig_open_client(NULL);
    rig_join_client(r, PEER);
    uint64_t before = sb_transport_client_counter(r->client, SB_TRANSPORT_COUNT_DUPLICATE);
    GIVE(r, rig_server(), "01 01 04 07 C0 00 00 04 02");
    CHECK_EQ(sb_transport_client_counter(r->client, SB_TRANSPORT_COUNT_DUPLICATE), before + 1);
    rig_wait(r, 7 * SB_SECOND);
    EXPECT_NO_EVENT(r);
}

/* Somebody asks for four sets of marks, and the client asks for its own. */
TEST(answers_and_marks_count_against_the_32_messages)
{
    rig     *r = joined_client();
    unsigned data = 0;
    for (uint16_t set = 0; set < SB_MARK_ANSWERS; set++) {
        rig_pack p;
        rig_pack_init(&p, SB_PEER_HOST);
        for (uint16_t i = 0; i < SB_MARK_ANSWER_SIZE; i++)
            rig_pack_data(&p, (uint16_t)(0xF000 + 16 * set + i), (sb_span){ NULL, 0 });
        GIVE_PACK(r, rig_server(), &p);
    }
    sb_marks_raise(&r->client->link.marks, r->now);
    rig_forget(r);
    for (unsigned i = 0; i < 40; i++)
        CHECK_EQ(sb_transport_client_send(r->client, SB_RELIABLE, rig_pattern(3, i)), SB_OK);
    rig_step(r);
    for (const rig_sent *sent = rig_next_sent(r); sent; sent = rig_next_sent(r)) {
        CHECK(rig_message_count(sent) <= 32);
        for (size_t i = 0; i < rig_message_count(sent); i++) {
            sb_transport_message m;
            CHECK(rig_message(sent, i, &m));
            data += m.type == SB_TRANSPORT_DATA && m.payload.size == 3;
        }
    }
    CHECK_EQ(data, 40);
}

/* Whoever forges marks faster than the client writes: the client asks which ones are the host's. */
TEST(more_sets_than_can_be_answered_make_the_client_ask)
{
    rig *r = joined_client();
    for (uint16_t set = 0; set < 60; set++) {
        rig_pack p;
        rig_pack_init(&p, SB_PEER_HOST);
        rig_pack_data(&p, (uint16_t)(0xE000 + 16 * set), (sb_span){ NULL, 0 });
        if (set == SB_MARK_ANSWERS) CHECK(!sb_marks_are_chosen(&r->client->link.marks, r->now));
        GIVE_PACK(r, rig_server(), &p);
    }
    CHECK(sb_marks_are_chosen(&r->client->link.marks, r->now));
    CHECK(!sb_marks_is_on(&r->client->link.marks, r->now));
}

/* Answers are sent for 6 s, but the program was stopped for longer. */
TEST(an_answer_that_is_too_late_leaves_no_empty_datagram)
{
    rig *r = joined_client();
    rig_forget(r);
    GIVE(r, rig_server(), "01 01 32 05 80 00 F0");
    r->now += 7 * SB_SECOND;
    rig_step(r);
    EXPECT_SAID(r, rig_server(), "NoOp");
    EXPECT_SILENCE(r);
    CHECK(sb_transport_client_next_deadline(r->client) > r->now);
}

/* They leave room for one other message. */
TEST(answers_to_marks_may_exceed_the_limit_of_messages)
{
    sb_transport_client_config config;
    rig_client_config(&config);
    config.message_limit = 1;
    rig *r = rig_open_client(&config);
    rig_join_client(r, PEER);
    GIVE(r, rig_server(), "01 02 32 05 80 00 F0 32 05 80 00 F1");
    CHECK_EQ(sb_transport_client_send(r->client, SB_UNRELIABLE, rig_pattern(3, 0)), SB_OK);
    rig_step(r);
    EXPECT_SAID(r, rig_server(), "Ack 61440, Ack 61696, Data");
    CHECK_EQ(sb_transport_client_counter(r->client, SB_TRANSPORT_COUNT_MARKS), 2);
}
