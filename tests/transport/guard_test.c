/* tests/transport/guard_test.c -- reliable messages while somebody forges datagrams of their peer.
 *
 * For:      src/transport/guard.c.
 * Spec:     01 §10.8.
 */
#include "rig.h"

#include <stdio.h>

#define TRUE_0   "02 01 32 06 80 00 00 AA"
#define FORGED_0 "02 01 32 06 80 00 00 EE"
#define TRUE_1   "02 01 32 06 80 01 00 AB"
#define FORGED_1 "02 01 32 06 80 01 00 EE"

static const sb_span true_0 = { (const uint8_t *)"\xAA", 1 };
static const sb_span true_1 = { (const uint8_t *)"\xAB", 1 };

/* A host with peer 2, from whose address a datagram under another id has come. */
static rig *attacked_host(void)
{
    rig *r = rig_host_with(1, NULL);
    (void)!rig_give_hex(r, rig_endpoint(1), "03 01 02");
    rig_forget(r);
    return r;
}

static uint64_t unconfirmed(const rig *r)
{
    return rig_count(r, SB_TRANSPORT_COUNT_UNCONFIRMED);
}

TEST(a_message_counts_at_once_without_evidence_of_forgery)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), TRUE_0);
    EXPECT_DATA(r, 2, true_0);
    CHECK_EQ(unconfirmed(r), 0);
}

TEST(during_an_attack_the_third_copy_of_a_message_counts)
{
    rig *r = attacked_host();
    GIVE(r, rig_endpoint(1), TRUE_0);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "");
    EXPECT_NO_EVENT(r);
    rig_wait(r, SB_SECOND);
    GIVE(r, rig_endpoint(1), TRUE_0);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 2 * SB_SECOND);
    GIVE(r, rig_endpoint(1), TRUE_0);
    EXPECT_DATA(r, 2, true_0);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "");
    rig_wait(r, 2 * SB_SECOND);
    GIVE(r, rig_endpoint(1), TRUE_0);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack 0"); /* a duplicate */
    EXPECT_NO_EVENT(r);
    CHECK_EQ(unconfirmed(r), 2);
}

/* Numbers 0 to 31, each after its predecessor, as a player sends them. */
static void give_all(rig *r)
{
    for (unsigned seq = 0; seq < 32; seq++) {
        char hex[64];
        snprintf(hex, sizeof hex, "02 01 32 06 80 %02X 00 AA", seq);
        GIVE(r, rig_endpoint(1), hex);
    }
}

TEST(messages_in_flight_do_not_replace_copies_of_each_other)
{
    rig *r = attacked_host();
    give_all(r);
    rig_wait(r, SB_SECOND);
    give_all(r);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 2 * SB_SECOND);
    give_all(r);
    for (unsigned i = 0; i < 32; i++) EXPECT_DATA(r, 2, true_0);
}

TEST(two_copies_at_once_are_only_one)
{
    rig *r = attacked_host();
    GIVE(r, rig_endpoint(1), TRUE_0);
    rig_wait(r, SB_SECOND / 10);
    GIVE(r, rig_endpoint(1), TRUE_0);
    EXPECT_NO_EVENT(r);
}

TEST(guessed_numbers_during_an_attack_have_no_effect)
{
    rig *r = attacked_host();
    for (unsigned seq = 0; seq < 200; seq++) {
        rig_pack p;
        rig_pack_init(&p, 2);
        rig_pack_data(&p, (uint16_t)seq, rig_pattern(20, seq));
        rig_pack_fragment(&p, (uint16_t)(seq + 7), 9, 0, rig_pattern(20, seq));
        GIVE_PACK(r, rig_endpoint(1), &p);
        rig_wait(r, SB_SECOND / 100);
    }
    EXPECT_NO_EVENT(r);
    for (int copy = 0; copy < 3; copy++) {
        GIVE(r, rig_endpoint(1), TRUE_0);
        rig_wait(r, SB_SECOND);
    }
    EXPECT_DATA(r, 2, true_0);
    EXPECT_NO_EVENT(r);
}

TEST(a_true_message_arrives_although_a_forgery_used_its_number)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), FORGED_0); /* before there is any evidence */
    rig_forget(r);
    for (int copy = 0; copy < 5; copy++) {
        GIVE(r, rig_endpoint(1), TRUE_0);
        rig_wait(r, SB_SECOND);
    }
    EXPECT_DATA(r, 2, true_0);
    EXPECT_NO_EVENT(r); /* once */
}

TEST(the_true_message_comes_after_a_forged_one_that_came_early)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), FORGED_1); /* before there is any evidence */
    rig_wait(r, SB_SECOND);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), TRUE_1);
    rig_step(r);
    CHECK_EQ(rig_count_acks(r), 0); /* only marks (marks_test.c) */
    rig_wait(r, 800 * RIG_MILLISECOND);
    rig_forget(r);
    for (int copy = 0; copy < 8; copy++) {
        rig_wait(r, SB_SECOND);
        GIVE(r, rig_endpoint(1), TRUE_0);
        GIVE(r, rig_endpoint(1), TRUE_1);
    }
    EXPECT_DATA(r, 2, true_0);
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\xEE", 1 })); /* the forged one, once */
    EXPECT_DATA(r, 2, true_1);
    EXPECT_NO_EVENT(r);
}

TEST(a_whole_message_replaces_a_forged_fragment)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 32 07 A0 00 00 09 EE");
    for (int copy = 0; copy < 3; copy++) {
        GIVE(r, rig_endpoint(1), TRUE_0);
        rig_wait(r, SB_SECOND);
    }
    EXPECT_DATA(r, 2, true_0);
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.stored, 0);
}

TEST(other_content_under_a_used_number_is_evidence)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), TRUE_0);
    GIVE(r, rig_endpoint(1), TRUE_0);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), FORGED_0);
    GIVE(r, rig_endpoint(1), FORGED_1);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(unconfirmed(r), 2);
}

TEST(a_number_far_from_the_expected_one_is_evidence)
{
    static const char *const far[] = { "02 01 32 06 80 01 08 EE", "02 01 32 06 80 00 F0 EE" };
    for (size_t i = 0; i < 2; i++) {
        rig *r = rig_host_with(1, NULL);
        (void)!rig_give_hex(r, rig_endpoint(1), far[i]);
        GIVE(r, rig_endpoint(1), TRUE_0);
        EXPECT_NO_EVENT(r);
    }
}

TEST(nobody_is_renamed_during_an_attack)
{
    static const char rename[] = "02 01 00 0E C0 02 00 02 0A 0A 0A EF 58 00 00 00";
    rig              *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 00 0E C0 01 00 02 0A 0A 0A EF 4B 00 00 00");
    rig_wait(r, 6 * SB_SECOND);
    rig_forget(r);
    (void)!rig_give_hex(r, rig_endpoint(1), "03 01 02");
    for (int copy = 0; copy < 3; copy++) {
        GIVE(r, rig_endpoint(1), rename);
        rig_wait(r, SB_SECOND);
    }
    EXPECT_NO_EVENT(r);
    rig_wait(r, 30 * SB_SECOND);
    GIVE(r, rig_endpoint(1), rename);
    const rig_event *e = rig_next_event(r);
    CHECK(e && e->event.type == SB_EVENT_NAMED);
}

TEST(evidence_is_forgotten_after_half_a_minute)
{
    rig *r = attacked_host();
    rig_wait(r, 30 * SB_SECOND - 1);
    GIVE(r, rig_endpoint(1), TRUE_0);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    GIVE(r, rig_endpoint(1), TRUE_0);
    EXPECT_DATA(r, 2, true_0);
}

/* A host asks a client whether it hears the host with old messages of this form (§5.4). */
TEST(a_question_of_the_host_is_no_evidence_of_forgery)
{
    rig *r = rig_open_client(NULL);
    rig_join_client(r, 2);
    GIVE(r, rig_server(), "01 03 32 06 80 00 E0 04 32 06 80 01 E1 04 32 06 80 02 E2 04");
    GIVE(r, rig_server(), "01 01 32 06 80 00 00 AA");
    EXPECT_DATA(r, SB_PEER_HOST, true_0);
}
