/* tests/transport/client_confirm_test.c -- a cautious client: its id, control messages and
 * fragments count when the host is known to have sent them.
 *
 * For:      src/transport/client_connect.c, told_ids.c and link_trust.c.
 * Spec:     01 §10.8 rule 6.
 */
#include "marks_rig.h"
#include "transport/client_internal.h"
#include "transport/guard.h"

enum { ID = 2 };

static void tell_id(rig *r, uint8_t id)
{
    rig_pack p;
    rig_pack_init(&p, SB_PEER_HOST);
    rig_pack_ack(&p, true, 0);
    rig_pack_control(&p, SB_TRANSPORT_CONNECT, 0, (sb_span){ &id, 1 });
    GIVE_PACK(r, rig_server(), &p);
}

/* Reads the marks that the client sends under this id within half a second. */
static void read_marks_under(rig *r, uint8_t id, uint16_t marks[SB_MARKS_COUNT])
{
    unsigned count = 0;
    for (unsigned i = 0; i < 50 && count == 0; i++) {
        sb_transport_message m;
        rig_wait(r, SB_SECOND / 100);
        for (const rig_sent *sent; (sent = rig_next_sent(r)) != NULL;) {
            if (sent->plain[0] != id || count > 0) continue;
            for (size_t k = 0; rig_message(sent, k, &m); k++)
                if (m.type == SB_TRANSPORT_DATA && count < SB_MARKS_COUNT) marks[count++] = m.seq;
        }
    }
    CHECK_EQ(count, SB_MARKS_COUNT);
}

/* Joined, after the host has shown under which id it hears the client. */
static rig *confirming_client(void)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig_pack p;
    rig     *r = rig_cautious_client();
    tell_id(r, ID);
    read_marks_under(r, ID, marks);
    rig_pack_init_marked(&p, SB_PEER_HOST, marks);
    GIVE_PACK(r, rig_server(), &p);
    EXPECT_JOINED(r, ID);
    rig_step(r); /* its Name */
    rig_pack_init(&p, SB_PEER_HOST);
    rig_pack_ack(&p, true, 1);
    GIVE_PACK(r, rig_server(), &p);
    rig_wait(r, 31 * SB_SECOND); /* the marks of its join are forgotten */
    rig_forget(r);
    return r;
}

/* Low number 1: a Name of player 3, with the answers to the marks or without. */
static void give_name(rig *r, const uint16_t *marks)
{
    rig_pack p;
    rig_pack_init_marked(&p, SB_PEER_HOST, marks);
    rig_pack_control(&p, SB_TRANSPORT_NAME, 1, rig_hex("03 0A 0A 0A EF 4B 00 00 00"));
    GIVE_PACK(r, rig_server(), &p);
}

static void give_answers(rig *r, const uint16_t *marks)
{
    rig_pack p;
    rig_pack_init_marked(&p, SB_PEER_HOST, marks);
    GIVE_PACK(r, rig_server(), &p);
}

TEST(a_name_counts_when_the_host_is_known_to_have_sent_it)
{
    rig     *r = confirming_client();
    uint16_t marks[SB_MARKS_COUNT];
    give_name(r, NULL);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNCONFIRMED), 1);
    rig_read_marks(r, rig_server(), marks);
    CHECK_EQ(rig_count_acks(r), 0); /* the host repeats it */
    rig_wait(r, SB_SECOND);
    rig_forget(r);
    give_name(r, marks);
    EXPECT_NAMED(r, 3, "K");
    rig_step(r);
    CHECK_EQ(rig_count_acks(r), 1);
    rig_wait(r, 5 * SB_SECOND);
    rig_forget(r);
    give_name(r, NULL); /* a copy is acknowledged */
    EXPECT_NO_EVENT(r);
    rig_step(r);
    CHECK_EQ(rig_count_acks(r), 1);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNCONFIRMED), 1);
}

/* Somebody who repeats a forged one is no host. */
TEST(without_marks_a_name_never_counts)
{
    rig *r = confirming_client();
    for (unsigned copies = 1; copies <= 20; copies++) {
        give_name(r, NULL);
        rig_wait(r, SB_SECOND);
        EXPECT_NO_EVENT(r);
        CHECK_EQ(rig_count_acks(r), 0);
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNCONFIRMED), copies);
    }
    uint16_t marks[SB_MARKS_COUNT];
    give_name(r, NULL);
    rig_wait(r, SB_SECOND);
    rig_read_marks(r, rig_server(), marks);
    give_name(r, marks);
    EXPECT_NAMED(r, 3, "K");
}

TEST(a_host_that_answers_marks_refutes_its_boot)
{
    rig     *r = confirming_client();
    uint16_t marks[SB_MARKS_COUNT];
    GIVE(r, rig_server(), "01 01 04 07 C0 01 00 04 02"); /* kicked */
    rig_read_marks(r, rig_server(), marks);
    CHECK_EQ(rig_count_acks(r), 0);
    give_answers(r, marks);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_FORGED_DISCONNECT), 1);
    for (int i = 0; i < 30; i++) {
        rig_wait(r, SB_SECOND);
        give_answers(r, marks);
        EXPECT_NO_EVENT(r);
    }
}

TEST(a_boot_of_a_host_that_falls_silent_counts)
{
    rig *r = confirming_client();
    GIVE(r, rig_server(), "01 01 04 07 C0 01 00 04 02");
    rig_wait(r, 6 * SB_SECOND);
    EXPECT_LEFT(r, ID, SB_LEFT_BOOTED);
}

TEST(a_boot_counts_after_20_seconds_without_an_answer_to_marks)
{
    rig    *r = confirming_client();
    sb_time start = r->now;
    GIVE(r, rig_server(), "01 01 04 07 C0 01 00 04 02");
    for (int i = 0; i < 20; i++) { /* anybody can send these */
        rig_wait(r, SB_SECOND - 1000);
        GIVE(r, rig_server(), "01 01 02");
        EXPECT_NO_EVENT(r);
    }
    CHECK(rig_count(r, SB_TRANSPORT_COUNT_MARKS) > 20); /* the host is asked all the time */
    rig_wait_until(r, start + 20 * SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, ID, SB_LEFT_BOOTED);
}

/* Six seconds of complete silence are enough: an idle host sends a NoOp every 5 s. */
TEST(a_boot_counts_after_six_seconds_of_silence)
{
    rig *r = confirming_client();
    GIVE(r, rig_server(), "01 01 04 07 C0 01 00 04 02");
    rig_wait(r, 3 * SB_SECOND);
    GIVE(r, rig_server(), "01 01 02");
    rig_wait(r, 6 * SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, ID, SB_LEFT_BOOTED);
}

/* The answer of the host to a Connect that somebody forged from the address of this client. */
TEST(the_refusal_of_a_connect_does_not_end_a_session)
{
    rig *r = confirming_client();
    for (int i = 0; i < 10; i++) {
        GIVE(r, rig_server(), "01 02 01 00 00 02 04 07 C0 00 00 02 FF");
        rig_wait(r, SB_SECOND);
        EXPECT_NO_EVENT(r);
    }
}

TEST(a_client_that_leaves_asks_no_more)
{
    rig *r = confirming_client();
    give_name(r, NULL);
    rig_wait(r, SB_SECOND / 2);
    sb_transport_client_leave(r->client, r->now);
    rig_forget(r);
    rig_wait(r, 2 * SB_SECOND);
    sb_transport_message m;
    for (const rig_sent *sent; (sent = rig_next_sent(r)) != NULL;)
        for (size_t i = 0; rig_message(sent, i, &m); i++) CHECK(m.type != SB_TRANSPORT_DATA);
}

/* Otherwise host and client would ask each other without end. */
TEST(the_question_of_a_host_gets_its_ack_in_any_datagram)
{
    rig     *r = confirming_client();
    uint16_t marks[SB_MARKS_COUNT];
    GIVE(r, rig_server(), "01 01 32 06 80 00 00 AA");
    EXPECT_DATA(r, SB_PEER_HOST, ((sb_span){ (const uint8_t *)"\xAA", 1 }));
    rig_wait(r, SB_SECOND);
    rig_forget(r);
    GIVE(r, rig_server(), "01 01 32 06 80 00 00 BB"); /* evidence of a forger */
    rig_read_marks(r, rig_server(), marks);
    give_answers(r, marks); /* now only marked datagrams count */
    rig_wait(r, SB_SECOND);
    rig_forget(r);
    GIVE(r, rig_server(), "01 03 32 06 80 00 E8 04 32 06 80 00 E9 04 32 06 80 00 EA 04");
    rig_step(r);
    CHECK_EQ(rig_count_acks(r), 3);
}

/* ---- the id of a cautious client ---- */

static void prove(rig *r, const uint16_t *marks)
{
    rig_pack p;
    rig_pack_init_marked(&p, SB_PEER_HOST, marks);
    rig_pack_data(&p, 0, rig_byte('D'));
    GIVE_PACK(r, rig_server(), &p);
}

TEST(the_id_is_the_one_under_which_the_host_answers)
{
    rig     *r = rig_cautious_client();
    uint16_t wrong[SB_MARKS_COUNT], right[SB_MARKS_COUNT];
    tell_id(r, 7); /* forged */
    tell_id(r, ID);
    read_marks_under(r, 7, wrong);
    read_marks_under(r, ID, right);
    for (unsigned i = 0; i < SB_MARKS_COUNT; i++) CHECK(wrong[i] != right[i]);
    EXPECT_NO_EVENT(r);
    prove(r, right);
    EXPECT_JOINED(r, ID);
    EXPECT_DATA(r, SB_PEER_HOST, rig_byte('D')); /* it came with the proof */
    CHECK_EQ(sb_transport_client_id(r->client), ID);
    rig_forget(r);
    tell_id(r, 9);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(sb_transport_client_id(r->client), ID);
}

TEST(guessed_marks_prove_no_id)
{
    rig     *r = rig_cautious_client();
    uint16_t marks[SB_MARKS_COUNT];
    tell_id(r, ID);
    read_marks_under(r, ID, marks);
    for (unsigned i = 0; i < SB_MARKS_COUNT; i++) {
        marks[i]++;
        prove(r, marks);
        EXPECT_NO_EVENT(r);
        marks[i]--;
    }
    prove(r, marks);
    EXPECT_JOINED(r, ID);
}

/* On a stock host, an id that was told by a forger may be the id of another player. */
TEST(only_marks_are_sent_under_an_id_that_is_not_proven)
{
    rig *r = rig_cautious_client();
    for (uint8_t id = 2; id < 100; id++)
        if (id != SB_GAMESPY_BYTE) tell_id(r, id);
    rig_wait(r, 2 * SB_SECOND);
    unsigned             asked[128] = { 0 }, connects = 0;
    sb_transport_message m;
    for (const rig_sent *sent; (sent = rig_next_sent(r)) != NULL;)
        for (size_t i = 0; rig_message(sent, i, &m); i++) {
            if (sent->plain[0] == SB_PEER_NONE) {
                CHECK_EQ(m.type, SB_TRANSPORT_CONNECT);
                connects++;
                continue;
            }
            CHECK(m.type == SB_TRANSPORT_DATA && m.reliable && m.payload.size == 0);
            asked[sent->plain[0]]++;
        }
    CHECK_EQ(connects, 1); /* it goes on to ask for an id: all answers may be forged */
    for (unsigned id = 2; id < 100; id++)
        CHECK_EQ(asked[id] >= SB_MARKS_COUNT, id != SB_GAMESPY_BYTE);
}

TEST(without_an_answer_to_its_marks_a_client_does_not_join)
{
    rig *r = rig_cautious_client();
    tell_id(r, ID);
    tell_id(r, 3);
    for (int i = 0; i < 15; i++) {
        CHECK_EQ(rig_count_sent(r, rig_server(), SB_TRANSPORT_NAME), 0);
        EXPECT_NO_EVENT(r);
        rig_wait_until(r, RIG_START + (i + 1) * SB_SECOND - 1);
        tell_id(r, ID);
        GIVE(r, rig_server(), "01 01 32 06 80 00 00 AA");
    }
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, SB_PEER_NONE, SB_LEFT_NO_ANSWER);
}

/* The byte behind it, of the next message, is no id. */
TEST(an_answer_without_an_id_tells_none)
{
    rig *r = rig_cautious_client();
    rig_forget(r);
    GIVE(r, rig_server(), "01 03 01 00 00 02 03 05 C0 00 00 02");
    rig_wait(r, SB_SECOND - 10000);
    CHECK_EQ(rig_count_sent(r, rig_server(), SB_TRANSPORT_DATA), 0);
}

TEST(messages_before_the_proof_have_no_effect)
{
    rig     *r = rig_cautious_client();
    uint16_t marks[SB_MARKS_COUNT];
    tell_id(r, ID);
    GIVE(r, rig_server(), "01 01 32 06 80 00 00 AA");
    GIVE(r, rig_server(), "01 01 32 05 00 1C 00");
    read_marks_under(r, ID, marks);
    EXPECT_NO_EVENT(r);
    prove(r, marks);
    EXPECT_JOINED(r, ID);
    EXPECT_DATA(r, SB_PEER_HOST, rig_byte('D'));
    EXPECT_NO_EVENT(r);
}

/* A host short of seats gives one with the proof that it is heard (spec 01 §5.4). */
TEST(questions_of_the_host_are_answered_under_each_id)
{
    rig     *r = rig_cautious_client();
    unsigned answers[4] = { 0 };
    tell_id(r, ID);
    tell_id(r, 3);
    for (uint16_t k = 0; k < 2; k++) { /* one of them may be forged */
        rig_pack p;
        rig_pack_init(&p, SB_PEER_HOST);
        for (uint16_t i = 0; i < 6; i++)
            rig_pack_data(&p, (uint16_t)(0xE800 + 256 * i + k), rig_byte(4));
        GIVE_PACK(r, rig_server(), &p);
    }
    rig_wait(r, SB_SECOND / 2);
    for (const rig_sent *sent; (sent = rig_next_sent(r)) != NULL;) {
        sb_transport_message m;
        if (sent->plain[0] == SB_PEER_NONE) continue;
        if (!rig_message(sent, SB_MARKS_COUNT, &m)) continue; /* before the questions came */
        for (unsigned i = 0; i < 12; i++) {
            CHECK(rig_message(sent, SB_MARKS_COUNT + i, &m));
            CHECK_EQ(m.type, SB_TRANSPORT_ACK);
            CHECK_EQ(m.seq, 0xE800 + 256 * (i % 6) + i / 6);
        }
        answers[sent->plain[0]]++;
    }
    CHECK(answers[ID] > 0 && answers[3] > 0);
    EXPECT_NO_EVENT(r);
}

/* Most hosts ask in the moment in which they give the seat. */
TEST(a_question_just_before_the_proof_is_answered_after_it)
{
    rig     *r = rig_cautious_client();
    uint16_t marks[SB_MARKS_COUNT];
    rig_pack p;
    unsigned found = 0;
    tell_id(r, ID);
    read_marks_under(r, ID, marks);
    rig_pack_init(&p, SB_PEER_HOST);
    for (uint16_t i = 0; i < 6; i++)
        rig_pack_data(&p, (uint16_t)(0xE800 + 256 * i), rig_byte(SB_QUESTION_PAYLOAD));
    GIVE_PACK(r, rig_server(), &p);
    prove(r, marks);
    EXPECT_JOINED(r, ID);
    rig_forget(r);
    rig_step(r);
    const rig_sent      *sent = rig_next_sent(r);
    sb_transport_message m;
    CHECK(sent != NULL);
    CHECK_EQ(sent->plain[0], ID);
    for (unsigned i = 0; rig_message(sent, i, &m); i++)
        found += m.type == SB_TRANSPORT_ACK && m.ack_flags == 0 && m.seq >= 0xE800;
    CHECK_EQ(found, 6);
}

TEST(a_client_that_leaves_before_the_proof_tells_the_host)
{
    rig *r = rig_cautious_client();
    tell_id(r, ID);
    rig_step(r);
    rig_forget(r);
    sb_transport_client_leave(r->client, r->now);
    rig_step(r);
    CHECK(rig_count_sent(r, rig_server(), SB_TRANSPORT_DISCONNECT) > 0);
    CHECK_EQ(rig_count_acks(r), 1); /* of the response */
    rig_wait(r, 3 * SB_SECOND);
    EXPECT_LEFT(r, SB_PEER_NONE, SB_LEFT_QUIT); /* JOINED was not told */
}

/* ---- refusals ---- */

static void refuse(rig *r)
{
    GIVE(r, rig_server(), "01 02 01 00 00 02 04 07 C0 00 00 03 FF");
}

TEST(a_refused_client_asks_again_for_six_seconds)
{
    rig *r = rig_cautious_client();
    refuse(r);
    rig_wait(r, 6 * SB_SECOND - 10000);
    EXPECT_NO_EVENT(r);
    CHECK(rig_count_sent(r, rig_server(), SB_TRANSPORT_CONNECT) >= 5);
    rig_wait(r, 10000);
    EXPECT_LEFT(r, SB_PEER_NONE, SB_LEFT_BOOTED);
}

TEST(an_answer_refutes_a_refusal_of_a_cautious_client)
{
    rig     *r = rig_cautious_client();
    uint16_t marks[SB_MARKS_COUNT];
    refuse(r);
    rig_wait(r, 5 * SB_SECOND);
    rig_forget(r);
    tell_id(r, ID);
    rig_wait(r, 2 * SB_SECOND);
    EXPECT_NO_EVENT(r);
    rig_forget(r);
    read_marks_under(r, ID, marks);
    prove(r, marks);
    EXPECT_JOINED(r, ID);
    EXPECT_DATA(r, SB_PEER_HOST, rig_byte('D'));
    CHECK_EQ(r->client->link.outbox.pace,
             (sb_resend_pace)SB_RETRANSMIT_STOCK); /* asked more often before */
    rig_wait(r, 10 * SB_SECOND);
    EXPECT_NO_EVENT(r);
}

/* ---- fragments ---- */

static void give_fragment(rig *r, uint8_t index, char text, const uint16_t *marks)
{
    rig_pack p;
    rig_pack_init_marked(&p, SB_PEER_HOST, marks);
    rig_pack_fragment(&p, 0, index, 2, rig_byte(text));
    GIVE_PACK(r, rig_server(), &p);
}

TEST(forged_fragments_spoil_no_message_to_a_cautious_client)
{
    rig     *r = confirming_client();
    uint16_t marks[SB_MARKS_COUNT];
    give_fragment(r, 1, 'F', NULL); /* forged */
    give_fragment(r, 0, 'A', NULL);
    give_fragment(r, 1, 'B', NULL);
    EXPECT_NO_EVENT(r);
    rig_read_marks(r, rig_server(), marks);
    CHECK_EQ(rig_count_acks(r), 0); /* the host repeats them */
    rig_wait(r, SB_SECOND);
    give_fragment(r, 0, 'A', marks);
    give_fragment(r, 1, 'B', marks);
    EXPECT_DATA(r, SB_PEER_HOST, ((sb_span){ (const uint8_t *)"AB", 2 }));
    EXPECT_NO_EVENT(r);
}
