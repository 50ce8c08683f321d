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
    for (int copy = 0; copy < 5; copy++) {
        GIVE(r, rig_endpoint(1), TRUE_0);
        rig_wait(r, SB_SECOND);
    }
    EXPECT_DATA(r, 2, true_0);
    EXPECT_NO_EVENT(r); /* once */
}

/* Several forgeries were delivered under its number after it. The peer gets no Ack and repeats it.
 */
TEST(a_true_message_comes_once_among_several_forgeries)
{
    rig *r = attacked_host();
    for (int copy = 0; copy < 30; copy++) {
        char hex[64];
        snprintf(hex, sizeof hex, "02 01 32 06 80 00 00 %02X", 0xE0 + copy / 3);
        GIVE(r, rig_endpoint(1), TRUE_0);
        if (copy >= 3) GIVE(r, rig_endpoint(1), hex);
        rig_wait(r, SB_SECOND);
    }
    EXPECT_DATA(r, 2, true_0);
    for (unsigned i = 1; i < 10; i++) EXPECT_DATA(r, 2, rig_byte((char)(0xE0 + i)));
    EXPECT_NO_EVENT(r);
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

/* An Ack would end its retransmission, but the forged one has its place. */
TEST(a_true_message_beside_a_forged_early_one_gets_no_ack)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), FORGED_1);
    for (int copy = 0; copy < 6; copy++) {
        rig_wait(r, SB_SECOND);
        rig_forget(r);
        GIVE(r, rig_endpoint(1), TRUE_1);
        rig_step(r);
        CHECK_EQ(rig_count_acks(r), 0);
    }
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

/* ---- The guard alone: which copies are of one message --------------------------------------- */

enum { TICK = 1 << 16 }; /* the guard's unit of time */

static sb_transport_message data(uint16_t seq, sb_span payload)
{
    return (sb_transport_message){
        .type = SB_TRANSPORT_DATA, .reliable = true, .seq = seq, .payload = payload
    };
}

static sb_guard *new_guard(void)
{
    static sb_guard g;
    sb_guard_init(&g, 0x0123456789ABCDEF);
    return &g;
}

/* Gives `count` copies, a second apart from `now` on; true: the last one is a third copy. */
static bool take_copies(sb_guard *g, sb_time now, const sb_transport_message *m, unsigned count)
{
    bool third = false;
    for (unsigned i = 0; i < count; i++) third = sb_guard_take_copy(g, now + i * SB_SECOND, m);
    return third;
}

/* Do two copies of the one message and one of the other make three? */
static bool is_taken_for(const sb_transport_message *m, const sb_transport_message *other)
{
    sb_guard *g = new_guard();
    CHECK(!take_copies(g, RIG_START, m, 2));
    return take_copies(g, RIG_START + 2 * SB_SECOND, other, 1);
}

/* Numbers and indices whose copies are kept in the same set. */
TEST(copies_of_other_messages_do_not_count)
{
    sb_transport_message whole = data(0, rig_pattern(3, 1)), name = whole, part = whole;
    CHECK(is_taken_for(&whole, &whole));
    for (uint16_t seq = 12; seq != 0; seq = (uint16_t)(seq << 1)) {
        sb_transport_message other = data(seq, whole.payload);
        CHECK(!is_taken_for(&whole, &other));
    }
    name.type = SB_TRANSPORT_NAME;
    sb_transport_message other = name;
    other.type = SB_TRANSPORT_DISCONNECT;
    CHECK(!is_taken_for(&name, &other));
    part.fragment = true, part.frag_total = 3;
    CHECK(is_taken_for(&part, &part));
    CHECK(!is_taken_for(&whole, &part));
    other = part, other.frag_total = 4;
    CHECK(!is_taken_for(&part, &other));
    other = part, other.frag_index = 12;
    CHECK(!is_taken_for(&part, &other));
    part = other, other.frag_index = 24;
    CHECK(!is_taken_for(&part, &other));
    other = part, other.frag_total = 9; /* only the first fragment has a total */
    CHECK(is_taken_for(&part, &other));
}

TEST(copies_with_another_byte_anywhere_do_not_count)
{
    uint8_t bytes[2][400] = { { 0 } };
    for (size_t i = 0; i < sizeof *bytes; i++) {
        sb_transport_message m = data(7, (sb_span){ bytes[0], sizeof *bytes }), other = m;
        other.payload.data = bytes[1];
        bytes[1][i] = 1;
        CHECK(!is_taken_for(&m, &other));
        bytes[1][i] = 0;
        other.payload.size--;
        CHECK(!is_taken_for(&m, &other));
    }
}

/* A timeout has 1 to 5 s, of simple programs perhaps less; a copy of the network comes at once. */
TEST(copies_count_half_a_second_to_ten_seconds_after_the_last_one)
{
    static const struct {
        sb_time after;
        bool    counts;
    } cases[] = {
        { 0, false },        { 3 * TICK, false },  { 6 * TICK, false },   { 7 * TICK, true },
        { SB_SECOND, true }, { 152 * TICK, true }, { 153 * TICK, false }, { 15 * SB_SECOND, false },
    };
    sb_transport_message m = data(3, rig_pattern(5, 1));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_guard *g = new_guard();
        CHECK(!take_copies(g, RIG_START / TICK * TICK, &m, 2));
        sb_time last = RIG_START / TICK * TICK + SB_SECOND;
        CHECK_EQ(sb_guard_take_copy(g, last / TICK * TICK + cases[i].after, &m), cases[i].counts);
    }
}

/* No sender repeats a message so fast: the copies that came before do not count any more. */
TEST(a_hasty_copy_begins_the_count_anew)
{
    static const struct {
        sb_time after;
        bool    anew;
    } cases[] = {
        { 3 * TICK, false }, { 4 * TICK, true }, { 6 * TICK, true }, { 7 * TICK, false }
    };
    sb_transport_message m = data(3, rig_pattern(5, 1));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_guard *g = new_guard();
        sb_time   last = RIG_START / TICK * TICK + TICK;
        CHECK(!sb_guard_take_copy(g, last, &m));
        CHECK(!sb_guard_take_copy(g, last + 16 * TICK, &m));
        (void)sb_guard_take_copy(g, last + 16 * TICK + cases[i].after, &m);
        CHECK_EQ(sb_guard_take_copy(g, last + 32 * TICK, &m), !cases[i].anew);
        CHECK(sb_guard_take_copy(g, last + 48 * TICK, &m));
    }
}

/* Gives a copy of `count` messages every 0.3 s and returns when the first one counts. */
static sb_time give_hastily(sb_guard *g, sb_time now, unsigned count, unsigned rounds,
                            unsigned *counted)
{
    sb_time first = 0;
    for (unsigned i = 0; i < rounds; i++, now += 300 * RIG_MILLISECOND)
        for (unsigned k = 0; k < count; k++) {
            sb_transport_message m = data((uint16_t)k, rig_pattern(5, k));
            if (!sb_guard_take_copy(g, now, &m)) continue;
            if ((*counted)++ == 0) first = now;
        }
    return first;
}

/* Somebody may repeat the very message of the peer, so it must count at last. */
TEST(a_message_that_comes_hastily_counts_after_six_seconds)
{
    unsigned counted = 0;
    sb_time  start = RIG_START / TICK * TICK;
    sb_time  at = give_hastily(new_guard(), start, 1, 21, &counted);
    CHECK_EQ(counted, 0);
    at = give_hastily(new_guard(), start, 1, 22, &counted);
    CHECK_EQ(at - start, 6300 * RIG_MILLISECOND);
    CHECK_EQ(counted, 1);
}

/* Otherwise a sweep through all numbers would use up many at once. */
TEST(of_the_messages_that_come_hastily_one_counts_in_a_second)
{
    unsigned  counted = 0;
    sb_guard *g = new_guard();
    sb_time   start = RIG_START / TICK * TICK;
    give_hastily(g, start, 20, 22, &counted);
    CHECK_EQ(counted, 1);
    /* Those that counted before count again. */
    sb_transport_message m = data(0, rig_pattern(5, 0));
    CHECK(sb_guard_take_copy(g, start + 6600 * RIG_MILLISECOND, &m));
    m = data(1, rig_pattern(5, 1));
    CHECK(!sb_guard_take_copy(g, start + 6600 * RIG_MILLISECOND, &m));
    CHECK(!sb_guard_take_copy(g, start + 6900 * RIG_MILLISECOND, &m));
    CHECK(!sb_guard_take_copy(g, start + 7200 * RIG_MILLISECOND, &m));
    CHECK(sb_guard_take_copy(g, start + 7500 * RIG_MILLISECOND, &m));
}

TEST(every_copy_after_the_third_counts)
{
    sb_guard            *g = new_guard();
    sb_transport_message m = data(3, rig_pattern(5, 1));
    for (unsigned i = 1; i <= 9; i++)
        CHECK_EQ(sb_guard_take_copy(g, RIG_START + i * SB_SECOND, &m), i >= 3);
}

/* Copies of this message are kept in the same set as those of number 0. */
static sb_transport_message neighbour(unsigned number)
{
    return data((uint16_t)(SB_GUARD_WHOLE_SETS * number), rig_pattern(5, number));
}

/* Otherwise a forger could push out what is still needed. */
static void check_useless(unsigned useless, uint32_t turn)
{
    sb_guard            *g = new_guard();
    sb_transport_message m = neighbour(useless);
    g->turn = turn;
    CHECK(!sb_guard_take_copy(g, RIG_START - 9 * SB_SECOND, &m));
    for (unsigned i = 0; i < 2 * SB_GUARD_WAYS; i++) { /* two copies of each */
        m = neighbour(i % SB_GUARD_WAYS);
        sb_time at = i < SB_GUARD_WAYS ? RIG_START : RIG_START + SB_SECOND;
        if (i % SB_GUARD_WAYS != useless) (void)sb_guard_take_copy(g, at, &m);
    }
    m = neighbour(99);
    CHECK(!sb_guard_take_copy(g, RIG_START + 3 * SB_SECOND, &m));
    for (unsigned i = 0; i < SB_GUARD_WAYS; i++) {
        m = neighbour(i);
        if (i != useless) CHECK(take_copies(g, RIG_START + 4 * SB_SECOND, &m, 1));
    }
}

TEST(a_copy_takes_the_place_of_one_that_is_of_no_use)
{
    for (unsigned useless = 0; useless < SB_GUARD_WAYS; useless++)
        for (uint32_t turn = 0; turn < 8; turn++) check_useless(useless, turn);
}

/* The digests do not depend on the content alone: nobody can construct equal ones. */
TEST(the_digests_of_guards_differ)
{
    sb_transport_message m = data(7, rig_pattern(9, 1));
    sb_guard            *g = new_guard(), other;
    sb_guard_init(&other, 2);
    (void)sb_guard_take_copy(g, RIG_START, &m);
    (void)sb_guard_take_copy(&other, RIG_START, &m);
    CHECK(g->copies[7][0].digest != other.copies[7][0].digest);
}

TEST(a_new_guard_has_places_for_four_of_a_set_at_any_time)
{
    for (unsigned tick = 0; tick < 256; tick += 5) {
        sb_guard *g = new_guard();
        for (unsigned i = 0; i < 3 * SB_GUARD_WAYS; i++) {
            sb_transport_message m = neighbour(i % SB_GUARD_WAYS);
            sb_time              at = (sb_time)tick * TICK + i / SB_GUARD_WAYS * SB_SECOND;
            CHECK_EQ(sb_guard_take_copy(g, at, &m), i / SB_GUARD_WAYS == 2);
        }
    }
}

/* One of the others loses its place, and nothing else does. */
TEST(a_full_set_has_a_place_for_one_more_and_takes_none_of_others)
{
    for (uint16_t set = 0; set < SB_GUARD_WHOLE_SETS; set++)
        for (unsigned turn = 0; turn < 8; turn++) {
            sb_guard *g = new_guard();
            g->turn = turn;
            for (unsigned i = 0; i < SB_GUARD_WAYS; i++) {
                sb_transport_message m = neighbour(i);
                m.seq = (uint16_t)(m.seq + set);
                CHECK(!sb_guard_take_copy(g, RIG_START, &m));
            }
            sb_guard             before = *g;
            sb_transport_message m =
                data((uint16_t)(40 * SB_GUARD_WHOLE_SETS + set), rig_pattern(9, 9));
            CHECK(take_copies(g, RIG_START + SB_SECOND, &m, 3));
            for (uint16_t i = 0; i < SB_GUARD_SETS; i++)
                if (i != set)
                    CHECK_BYTES((const uint8_t *)g->copies[i], sizeof g->copies[i],
                                (const uint8_t *)before.copies[i], sizeof g->copies[i]);
        }
}

/* The sets are full of guesses: a true copy has to survive the next guess. */
TEST(a_guess_seldom_replaces_the_copy_before_it)
{
    sb_guard *g = new_guard();
    unsigned  survived = 0;
    for (unsigned i = 0; i < SB_GUARD_WAYS; i++) {
        sb_transport_message guess = neighbour(1000 + i);
        (void)sb_guard_take_copy(g, RIG_START, &guess);
    }
    for (unsigned i = 0; i < 64; i++) {
        sb_transport_message m = neighbour(i), guess = neighbour(2000 + i);
        sb_time              now = RIG_START + i * 5;
        CHECK(!sb_guard_take_copy(g, now, &m));
        CHECK(!sb_guard_take_copy(g, now, &guess));
        sb_guard copy = *g;
        survived += take_copies(&copy, now + SB_SECOND, &m, 2);
    }
    CHECK(survived >= 32);
}

TEST(control_messages_and_data_with_one_number_have_other_places)
{
    sb_guard *g = new_guard();
    for (unsigned i = 0; i < 2 * SB_GUARD_WAYS; i++) {
        sb_transport_message m = neighbour(i / 2);
        if (i % 2) m.type = SB_TRANSPORT_NAME;
        CHECK(!sb_guard_take_copy(g, RIG_START, &m));
    }
    for (unsigned i = 0; i < 2 * SB_GUARD_WAYS; i++) {
        sb_transport_message m = neighbour(i / 2);
        if (i % 2) m.type = SB_TRANSPORT_NAME;
        CHECK(take_copies(g, RIG_START + SB_SECOND, &m, 2));
    }
}

TEST(fragments_of_a_message_have_other_places)
{
    sb_guard            *g = new_guard();
    sb_transport_message m = data(5, rig_pattern(5, 1));
    m.fragment = true;
    for (int round = 0; round < 3; round++)
        for (uint8_t i = 0; i < 48; i++) {
            m.frag_index = i, m.frag_total = 48;
            CHECK_EQ(sb_guard_take_copy(g, RIG_START + round * SB_SECOND, &m), round == 2);
        }
}

/* ---- The guard alone: evidence and admission ------------------------------------------------- */

/* Numbers that nobody uses are for marks: two messages with one number are the only evidence. */
TEST(no_number_alone_is_evidence)
{
    static const int aheads[] = { 0, 1, 2048, 2049, 16000, -1, -2048, -2049, -16000 };
    for (size_t i = 0; i < sizeof aheads / sizeof *aheads; i++) {
        sb_guard            *g = new_guard();
        sb_transport_message m = data(0, rig_pattern(1, 1));
        CHECK_EQ(sb_guard_admit(g, RIG_START, &m, aheads[i], false), SB_ADMITTED);
        CHECK(!sb_guard_is_attacked(g, RIG_START));
    }
}

TEST(evidence_lasts_half_a_minute_from_its_last_sign)
{
    sb_guard *g = new_guard();
    sb_guard_suspect(g, RIG_START);
    CHECK(sb_guard_is_attacked(g, RIG_START + 30 * SB_SECOND - 1));
    CHECK(!sb_guard_is_attacked(g, RIG_START + 30 * SB_SECOND));
    sb_guard_suspect(g, RIG_START + SB_SECOND);
    CHECK(sb_guard_is_attacked(g, RIG_START + 31 * SB_SECOND - 1));
    CHECK(!sb_guard_is_attacked(g, RIG_START + 31 * SB_SECOND));
}

TEST(a_new_guard_sees_no_attack_at_any_time)
{
    CHECK(!sb_guard_is_attacked(new_guard(), -100 * SB_SECOND));
    CHECK(!sb_guard_is_attacked(new_guard(), 0));
    sb_transport_message m = data(0, rig_pattern(1, 1));
    CHECK_EQ(sb_guard_judge(new_guard(), RIG_START, &m, 0, false), SB_ADMITTED);
}

/* Numbers beyond 2048 are refused anyway (spec 01 §6.3). */
TEST(during_an_attack_numbers_32_to_2048_ahead_wait)
{
    sb_transport_message m = data(0, rig_pattern(1, 1));
    sb_guard            *g = new_guard();
    sb_guard_suspect(g, RIG_START);
    CHECK_EQ(sb_guard_admit(g, RIG_START, &m, 2048, false), SB_WAITS);
    CHECK_EQ(sb_guard_admit(g, RIG_START, &m, 2049, false), SB_ADMITTED);
}

TEST(during_an_attack_a_third_copy_counts_up_to_31_ahead)
{
    for (int ahead = 0; ahead <= 32; ahead++) {
        sb_guard            *g = new_guard();
        sb_transport_message m = data((uint16_t)ahead, rig_pattern(1, 1));
        sb_guard_suspect(g, RIG_START);
        for (unsigned copy = 1; copy <= 3; copy++) {
            bool counts = copy == 3 && ahead < 32;
            CHECK_EQ(sb_guard_admit(g, RIG_START + copy * SB_SECOND, &m, ahead, false),
                     counts ? SB_ADMITTED : SB_WAITS);
        }
    }
}

TEST(the_third_copy_of_a_rival_is_late)
{
    sb_guard            *g = new_guard();
    sb_transport_message m = data(3, rig_pattern(1, 1));
    for (unsigned copy = 1; copy <= 4; copy++) {
        CHECK_EQ(sb_guard_admit(g, RIG_START + copy * SB_SECOND, &m, -1, true),
                 copy < 3    ? SB_WAITS
                 : copy == 3 ? SB_LATE
                             : SB_ADMITTED); /* it is a duplicate now */
        sb_time evidence = RIG_START + (copy <= 3 ? copy : 3) * SB_SECOND;
        CHECK(sb_guard_is_attacked(g, evidence + 30 * SB_SECOND - 1));
    }
    CHECK_EQ(sb_guard_admit(g, RIG_START, &m, -1, false), SB_ADMITTED); /* a duplicate */
}
