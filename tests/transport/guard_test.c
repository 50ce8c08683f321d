/* tests/transport/guard_test.c -- reliable messages while somebody forges datagrams of their peer.
 *
 * For:      src/transport/guard.c.
 * Spec:     01 §10.8.
 */
#include "marks_rig.h"
#include "transport/guard.h"

#include <stdio.h>

#define TRUE_0   "02 01 32 06 80 00 00 AA"
#define FORGED_0 "02 01 32 06 80 00 00 EE"
#define TRUE_1   "02 01 32 06 80 01 00 AB"
#define FORGED_1 "02 01 32 06 80 01 00 EE"

static const sb_span true_0 = { (const uint8_t *)"\xAA", 1 };
static const sb_span true_1 = { (const uint8_t *)"\xAB", 1 };

/* A host with peer 2, of which two different messages came with one number; Data 0 is next. */
static rig *attacked_host(void)
{
    rig *r = rig_host_with(1, NULL);
    sb_transport_host_set_numbers(r->host, 2, 0, UINT16_MAX);
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 FF FF 01");
    rig_wait(r, SB_SECOND);
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 FF FF 02");
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONFLICT), 1);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNCONFIRMED), 1);
    rig_forget(r);
    return r;
}

/* A host with peer 2, from whose address a datagram under another id has come. */
static rig *suspicious_host(void)
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

/* The peer repeats a message until it gets an Ack, and then sends NoOps. */
static void repeat_until_acknowledged(rig *r, const char *message)
{
    for (int copy = 0; copy < 10; copy++) {
        rig_wait(r, SB_SECOND);
        while (rig_next_sent_to(r, rig_endpoint(1))) {
        } /* marks */
        GIVE(r, rig_endpoint(1), message);
        rig_step(r);
        if (rig_count_acks(r) > 0) break;
    }
    rig_wait(r, 2 * SB_SECOND);
    GIVE(r, rig_endpoint(1), "02 01 02");
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
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), ""); /* it may be the forger who repeats it */
    EXPECT_NO_EVENT(r);
    CHECK_EQ(unconfirmed(r), 3); /* the conflict, and two copies */
}

/* Anybody can cause such evidence, at any time: it must not delay the messages of the peer. */
TEST(a_message_counts_at_once_if_no_number_was_stolen)
{
    rig *r = suspicious_host();
    GIVE(r, rig_endpoint(1), TRUE_0);
    EXPECT_DATA(r, 2, true_0);
    GIVE(r, rig_endpoint(1), TRUE_1);
    EXPECT_DATA(r, 2, true_1);
    CHECK_EQ(unconfirmed(r), 0);
}

/* If it is forged, its Ack would end the retransmission of the peer's own one. */
TEST(under_suspicion_only_a_duplicate_gets_its_ack)
{
    rig *r = suspicious_host();
    GIVE(r, rig_endpoint(1), TRUE_0);
    GIVE(r, rig_endpoint(1), TRUE_1);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "");
    GIVE(r, rig_endpoint(1), TRUE_0);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack 0");
}

TEST(a_suspected_peer_gets_acks_for_its_marked_datagrams)
{
    rig     *r = suspicious_host();
    uint16_t marks[SB_MARKS_COUNT];
    rig_pack p;
    rig_read_marks(r, rig_endpoint(1), marks);
    rig_pack_init_marked(&p, 2, marks);
    GIVE_PACK(r, rig_endpoint(1), &p);
    GIVE(r, rig_endpoint(1), TRUE_0);
    EXPECT_DATA(r, 2, true_0); /* it counts, but ... */
    GIVE(r, rig_endpoint(1), TRUE_0);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "");
    rig_pack_data(&p, 0, true_0);
    GIVE_PACK(r, rig_endpoint(1), &p);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack 0");
    EXPECT_NO_EVENT(r);
}

/* Most forged messages are early. A peer that never sends marks beside its messages is spared. */
TEST(early_messages_and_fragments_need_marks_of_who_sends_them)
{
    static const char *const early[] = { TRUE_1, "02 01 32 08 A0 00 00 00 02 AA" };
    for (size_t i = 0; i < 4; i++) {
        rig     *r = suspicious_host();
        uint16_t marks[SB_MARKS_COUNT];
        rig_pack p;
        bool     beside = i % 2 != 0;
        rig_read_marks(r, rig_endpoint(1), marks);
        rig_pack_init_marked(&p, 2, marks);
        if (beside) rig_pack_data(&p, UINT16_MAX, true_0); /* a late copy */
        GIVE_PACK(r, rig_endpoint(1), &p);
        GIVE(r, rig_endpoint(1), early[i / 2]);
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNMARKED), beside);
        sb_peer_info info;
        CHECK(rig_info(r, 2, &info));
        CHECK_EQ(info.stored, !beside);
    }
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
    repeat_until_acknowledged(r, TRUE_0);
    EXPECT_DATA(r, 2, true_0);
    EXPECT_NO_EVENT(r); /* once */
}

/* Forgeries come under its number after it. The peer gets no Ack and repeats it. */
TEST(a_true_message_comes_once_among_several_forgeries)
{
    rig     *r = attacked_host();
    unsigned came = 0;
    for (int copy = 0; copy < 30; copy++) {
        char hex[64];
        snprintf(hex, sizeof hex, "02 01 32 06 80 00 00 %02X", 0xE0 + copy / 3);
        GIVE(r, rig_endpoint(1), TRUE_0);
        if (copy >= 3) GIVE(r, rig_endpoint(1), hex);
        rig_wait(r, SB_SECOND);
    }
    for (const rig_event *e; (e = rig_next_event(r));)
        came += e->event.type == SB_EVENT_MESSAGE && e->event.bytes.data[0] == 0xAA;
    CHECK_EQ(came, 1);
}

/* Its Ack is lost, and it comes again while nothing else does; then another one comes. */
TEST(a_true_message_comes_once_although_it_is_repeated_alone)
{
    rig     *r = attacked_host();
    unsigned came = 0;
    for (int copy = 0; copy < 2; copy++) {
        GIVE(r, rig_endpoint(1), FORGED_0);
        GIVE(r, rig_endpoint(1), TRUE_0);
        rig_wait(r, SB_SECOND);
    }
    for (int copy = 0; copy < 12; copy++) {
        rig_wait(r, 2 * SB_SECOND);
        if (copy == 6) GIVE(r, rig_endpoint(1), TRUE_1);
        if (copy < 10) GIVE(r, rig_endpoint(1), TRUE_0);
        GIVE(r, rig_endpoint(1), "02 01 02");
    }
    for (const rig_event *e; (e = rig_next_event(r));)
        came += e->event.type == SB_EVENT_MESSAGE && e->event.bytes.data[0] == 0xAA;
    CHECK_EQ(came, 1);
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

/* It was stored before there was evidence, and comes again while it waits. Then the true one uses
 * its number, too: afterwards the record does not tell them from others. */
TEST(a_stored_message_does_not_count_again_by_its_copies)
{
    rig     *r = rig_host_with(1, NULL);
    unsigned came[2] = { 0 };
    GIVE(r, rig_endpoint(1), FORGED_1);
    GIVE(r, rig_endpoint(1), TRUE_1);
    for (int second = 1; second <= 12; second++) {
        rig_wait(r, SB_SECOND);
        if (second <= 3) GIVE(r, rig_endpoint(1), TRUE_0);
        if (second == 3) GIVE(r, rig_endpoint(1), TRUE_1); /* it gets its Ack now */
        if (second == 6) GIVE(r, rig_endpoint(1), "02 01 02");
        if (second == 1 || second == 7 || second == 8) GIVE(r, rig_endpoint(1), FORGED_1);
    }
    rig_wait(r, 3 * SB_SECOND);
    GIVE(r, rig_endpoint(1), "02 01 02");
    for (const rig_event *e; (e = rig_next_event(r));)
        if (e->event.type == SB_EVENT_MESSAGE) came[e->event.bytes.data[0] == 0xEE]++;
    CHECK_EQ(came[0], 2); /* the true ones */
    CHECK_EQ(came[1], 1);
}

/* Before it is kept, an Ack would end its retransmission: the forged one has its place. */
TEST(beside_a_forged_early_message_the_true_one_gets_a_late_ack)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), FORGED_1);
    for (int copy = 0; copy < 2; copy++) {
        rig_wait(r, SB_SECOND);
        rig_forget(r);
        GIVE(r, rig_endpoint(1), TRUE_1);
        rig_step(r);
        CHECK_EQ(rig_count_acks(r), copy);
    }
    EXPECT_NO_EVENT(r);
}

TEST(a_whole_message_replaces_a_forged_fragment)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 32 07 A0 00 00 09 EE");
    repeat_until_acknowledged(r, TRUE_0);
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

/* Does the host ask for marks because of this message? */
static bool is_suspicious(sb_transport_message m, int ahead)
{
    enum { NEXT = 10000 };
    rig     *r = rig_host_with(1, NULL);
    rig_pack p;
    sb_transport_host_set_numbers(r->host, 2, 0, NEXT);
    rig_pack_init(&p, 2);
    m.seq = (uint16_t)(ahead + (m.type == SB_TRANSPORT_DATA ? NEXT : 1));
    m.reliable = true;
    rig_pack_add(&p, &m);
    rig_wait(r, SB_SECOND);
    rig_forget(r);
    uint64_t before = rig_count(r, SB_TRANSPORT_COUNT_MARKS);
    (void)!rig_give(r, rig_endpoint(1), rig_packed(&p));
    rig_wait(r, SB_SECOND);
    bool asks = rig_count(r, SB_TRANSPORT_COUNT_MARKS) >= before + SB_MARKS_COUNT &&
                rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_DATA) > 0;
    rig_pack_init(&p, 2); /* and the next message counts all the same */
    rig_forget(r);
    rig_pack_data(&p, NEXT, true_0);
    if (ahead != 0 || m.type != SB_TRANSPORT_DATA) {
        GIVE_PACK(r, rig_endpoint(1), &p);
        EXPECT_DATA(r, 2, true_0);
    }
    return asks;
}

TEST(a_number_far_from_the_expected_one_only_makes_the_host_ask)
{
    sb_transport_message m = { .type = SB_TRANSPORT_DATA, .payload = true_0 };
    CHECK(!is_suspicious(m, 0));
    CHECK(!is_suspicious(m, 1));
    CHECK(!is_suspicious(m, 2048));
    CHECK(is_suspicious(m, 2049));
    CHECK(is_suspicious(m, 0x3000));
    CHECK(!is_suspicious(m, -1));
    CHECK(is_suspicious(m, -2048)); /* older than all records */
    CHECK(is_suspicious(m, -2049));
    m.payload.size = 0; /* a mark */
    CHECK(!is_suspicious(m, -2049));
    m.payload = rig_byte(SB_QUESTION_PAYLOAD);
    CHECK(!is_suspicious(m, -2048));
    CHECK(!is_suspicious(m, -2049));
    CHECK(is_suspicious(m, 2049));
    m.fragment = true, m.frag_index = 1;
    CHECK(is_suspicious(m, -2049));
    m.fragment = false, m.payload = rig_hex("04 04");
    CHECK(is_suspicious(m, -2049));
    m.type = SB_TRANSPORT_NAME, m.payload = rig_hex("02 0A 0A 0A EF 4B 00 00 00");
    CHECK(!is_suspicious(m, -1));
    CHECK(!is_suspicious(m, -2048));
    CHECK(is_suspicious(m, -2049));
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
    rig_wait(r, SB_SECOND);
    const rig_event *e = rig_next_event(r);
    CHECK(e && e->event.type == SB_EVENT_NAMED);
}

static void give_other_first_name(rig *r)
{
    rig_pack p;
    rig_pack_init(&p, 2);
    rig_pack_name(&p, 1, 2, rig_wide("Q"));
    (void)!rig_give(r, rig_endpoint(1), rig_packed(&p));
}

/* Whoever forges a Name has to try several numbers: the others follow within a second. */
TEST(a_rename_counts_after_a_second_without_evidence)
{
    for (int forged = 0; forged < 2; forged++) {
        rig *r = rig_host_with(1, NULL);
        rig_give_name(r, rig_endpoint(1), 2, 1, rig_wide("Kirk"));
        EXPECT_NAMED(r, 2, "Kirk");
        rig_wait(r, 6 * SB_SECOND);
        rig_give_name(r, rig_endpoint(1), 2, 2, rig_wide("Q"));
        rig_wait(r, SB_SECOND - 1);
        (void)!rig_give_hex(r, rig_endpoint(1), "03 01 02"); /* touches no number */
        if (forged) give_other_first_name(r);
        EXPECT_NO_EVENT(r);
        uint64_t before = unconfirmed(r);
        rig_wait(r, 1);
        if (!forged) EXPECT_NAMED(r, 2, "Q");
        rig_wait(r, 40 * SB_SECOND);
        EXPECT_NO_EVENT(r);
        CHECK_EQ(unconfirmed(r) - before, forged);
    }
}

/* Not by its third copy either: the first Name comes with the first datagram of a session. */
TEST(another_first_name_needs_marks)
{
    rig *r = rig_host_with(1, NULL);
    rig_give_name(r, rig_endpoint(1), 2, 1, rig_wide("Kirk"));
    EXPECT_NAMED(r, 2, "Kirk");
    for (int copy = 0; copy < 9; copy++) {
        rig_wait(r, SB_SECOND);
        give_other_first_name(r);
    }
    EXPECT_NO_EVENT(r);
}

/* A second does not matter to a datagram that only the peer can have sent. */
TEST(a_marked_rename_counts_at_once)
{
    rig     *r = rig_host_with(1, NULL);
    uint16_t marks[SB_MARKS_COUNT];
    rig_pack p;
    rig_give_name(r, rig_endpoint(1), 2, 1, rig_wide("Kirk"));
    EXPECT_NAMED(r, 2, "Kirk");
    rig_wait(r, 6 * SB_SECOND);
    (void)!rig_give_hex(r, rig_endpoint(1), "03 01 02");
    rig_forget(r);
    rig_read_marks(r, rig_endpoint(1), marks);
    rig_pack_init_marked(&p, 2, marks);
    rig_pack_name(&p, 2, 2, rig_wide("Q"));
    GIVE_PACK(r, rig_endpoint(1), &p);
    EXPECT_NAMED(r, 2, "Q");
}

/* They cannot be delivered one by one. */
TEST(fragments_under_a_used_number_are_no_messages)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), TRUE_0);
    EXPECT_DATA(r, 2, true_0);
    for (int copy = 0; copy < 5; copy++) {
        (void)!rig_give_hex(r, rig_endpoint(1), "02 01 32 08 A0 00 00 00 02 AA");
        rig_wait(r, SB_SECOND);
    }
    EXPECT_NO_EVENT(r);
}

/* As many as there are: they have places of their own. */
TEST(forged_fragments_do_not_keep_whole_messages_out)
{
    rig *r = attacked_host();
    for (unsigned i = 0; i < 300; i++) {
        rig_pack p;
        rig_pack_init(&p, 2);
        for (uint16_t k = 0; k < 30; k++)
            rig_pack_fragment(&p, (uint16_t)(k / 3), (uint8_t)(k % 3), 9, rig_pattern(4, i));
        (void)!rig_give(r, rig_endpoint(1), rig_packed(&p));
        if (i % 100 == 0) GIVE(r, rig_endpoint(1), TRUE_0);
        rig_wait(r, SB_SECOND / 100);
    }
    EXPECT_DATA(r, 2, true_0);
    EXPECT_NO_EVENT(r);
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
