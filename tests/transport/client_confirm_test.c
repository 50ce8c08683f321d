/* tests/transport/client_confirm_test.c -- control messages that the host must be known to have
 * sent.
 *
 * For:      src/transport/link.c and client.c.
 * Spec:     01 §10.8 rule 6.
 */
#include "marks_rig.h"

enum { ID = 2 };

static rig *confirming_client(void)
{
    sb_transport_client_config config;
    rig_client_config(&config);
    config.seed = 77;
    rig *r = rig_open_client(&config);
    rig_join_client(r, ID);
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
    give_name(r, NULL); /* a copy is acknowledged */
    EXPECT_NO_EVENT(r);
    rig_wait(r, SB_SECOND);
    CHECK(rig_count_acks(r) > 0);
}

TEST(a_host_that_never_answers_is_believed_at_the_third_copy)
{
    rig     *r = confirming_client();
    unsigned copies = 0;
    for (; copies < 10; copies++) {
        give_name(r, NULL);
        if (rig_count(r, SB_TRANSPORT_COUNT_UNCONFIRMED) == copies) break;
        EXPECT_NO_EVENT(r);
        rig_wait(r, SB_SECOND);
    }
    EXPECT_NAMED(r, 3, "K");
    CHECK_EQ(copies, 5); /* 3 s of patience, then three copies */
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
