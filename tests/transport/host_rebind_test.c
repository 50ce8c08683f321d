/* tests/transport/host_rebind_test.c -- a peer whose port changes behind its NAT.
 *
 * For:      src/transport/host_connect.c.
 * Spec:     01 §10.5.
 */
#include "rig.h"

/* A host with Data `number` in flight to peer 2, from which it expects Data 5 and low 1. */
static rig *host_at_number(uint16_t number, bool rebind, sb_time silence)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.rebind = rebind;
    rig *r = rig_host_with(2, &config);
    sb_transport_host_set_numbers(r->host, 2, number, 5);
    CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, rig_pattern(9, 0)), SB_OK);
    rig_step(r);
    GIVE(r, rig_endpoint(1), "02 01 02");
    rig_wait(r, silence);
    rig_forget(r);
    return r;
}

static rig *host_of_wanderer(bool rebind, sb_time silence)
{
    return host_at_number(0, rebind, silence);
}

static const sb_endpoint moved = { 0x0A000001, RIG_PORT + 7 };

static uint16_t port_of_peer(const rig *r)
{
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    return info.address.port;
}

/* Gives a datagram that shows knowledge: the host asks at the new port, and the peer answers. */
static void move(rig *r, const char *knowing)
{
    REFUSE(r, moved, rig_hex(knowing), SB_TRANSPORT_COUNT_UNPROVEN);
    CHECK_EQ(port_of_peer(r), RIG_PORT); /* somebody may have guessed */
    CHECK(rig_prove(r, moved, 2));
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REBOUND), 1);
    CHECK_EQ(port_of_peer(r), moved.port);
}

TEST(a_silent_peer_that_hears_us_moves_to_another_port)
{
    static const char *const knowing[] = {
        "02 05 01 00 00 00 02 02 02 02",                   /* an Ack of a message in flight */
        "02 01 32 08 80 05 00 AA AA AA",                   /* the next number */
        "02 01 32 08 80 24 00 AA AA AA",                   /* 31 ahead */
        "02 02 02 32 08 A0 05 00 00 02 AA",                /* a fragment, behind a NoOp */
        "02 01 00 0E C0 01 00 02 0A 0A 0A EF 4B 00 00 00", /* the low channel */
    };
    for (size_t i = 0; i < sizeof knowing / sizeof *knowing; i++) {
        rig *r = host_of_wanderer(true, 6 * SB_SECOND + 1);
        move(r, knowing[i]);
        CHECK_EQ(sb_transport_host_send(r->host, 2, SB_UNRELIABLE, rig_pattern(1, 0)), SB_OK);
        rig_step(r);
        CHECK(rig_next_sent_to(r, moved) != NULL);
        CHECK_EQ(rig_give_hex(r, moved, "02 01 02"), SB_OK);
        REFUSE(r, rig_endpoint(1), rig_hex("02 01 02"),
               SB_TRANSPORT_COUNT_UNKNOWN_SOURCE); /* the old port is forgotten */
    }
}

/* A question has 38 bytes: nobody gets more than four times what they send. */
TEST(a_short_datagram_from_another_port_gets_no_question)
{
    static const char *const knowing[] = {
        "02 04 01 00 00 00 02 02 02",
        "02 05 01 00 00 00 02 02 02 02",
    };
    for (size_t i = 0; i < 2; i++) {
        rig *r = host_of_wanderer(true, 6 * SB_SECOND + 1);
        REFUSE(r, moved, rig_hex(knowing[i]), SB_TRANSPORT_COUNT_UNPROVEN);
        rig_step(r);
        const rig_sent *question = rig_next_sent_to(r, moved);
        CHECK_EQ(question != NULL, i == 1);
        if (question) CHECK_EQ(question->size, 38);
    }
}

/* The first number of the question to a peer that moves while Data `number` is in flight. */
static uint16_t ask_wanderer(uint16_t number)
{
    rig                 *r = host_at_number(number, true, 6 * SB_SECOND + 1);
    sb_transport_message m;
    REFUSE(r, moved, rig_hex("02 01 32 08 80 05 00 AA AA AA"), SB_TRANSPORT_COUNT_UNPROVEN);
    rig_step(r);
    const rig_sent *question = rig_next_sent_to(r, moved);
    CHECK(question != NULL && rig_message_count(question) == 6);
    for (size_t i = 0; i < 6; i++) { /* old enough to be dropped, not so old that they are new */
        CHECK(rig_message(question, i, &m));
        uint16_t behind = (uint16_t)(number - m.seq);
        CHECK(behind >= 0x0800 && behind < 0x4000);
    }
    CHECK(rig_message(question, 0, &m));
    return m.seq;
}

TEST(the_numbers_of_a_question_at_another_port_stay_old)
{
    uint16_t at_0 = ask_wanderer(0);
    CHECK_EQ(ask_wanderer(1024), at_0);
    CHECK_EQ(ask_wanderer(1025), (uint16_t)(at_0 + 1025));
    CHECK_EQ(ask_wanderer(0x9000), (uint16_t)(at_0 + 0x9000));
    rig *r = host_at_number(0x9000, true, 6 * SB_SECOND + 1);
    move(r, "02 01 32 08 80 05 00 AA AA AA");
}

static void check_stays(rig *r, sb_endpoint from, const char *hex)
{
    uint64_t refusals = rig_refusals(r);
    CHECK(rig_give_hex(r, from, hex) != SB_OK);
    CHECK_EQ(rig_refusals(r), refusals + 1);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REBOUND), 0);
    CHECK_EQ(port_of_peer(r), RIG_PORT);
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), "02 01 02"),
             SB_OK); /* the session continues unchanged */
}

/* The numbers of the question are secret: whoever hears nothing cannot move a peer. */
TEST(guesses_of_the_proof_do_not_move_a_peer)
{
    rig *r = host_of_wanderer(true, 6 * SB_SECOND + 1);
    for (unsigned i = 0; i < 30; i++) {
        rig_pack p;
        rig_pack_init(&p, 2);
        rig_pack_ack(&p, false, 0);        /* in flight */
        for (unsigned k = 0; k < 200; k++) /* of each of the six ranges */
            rig_pack_ack(&p, false, (uint16_t)(0xF7FF - k % 6 * 1600 - 33 * i - k / 6));
        CHECK(rig_give(r, moved, rig_packed(&p)) != SB_OK);
        rig_wait(r, SB_SECOND / 20);
    }
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REBOUND), 0);
    CHECK_EQ(port_of_peer(r), RIG_PORT);
}

TEST(without_proof_knowledge_is_enough_to_move)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.proof = false;
    rig *r = rig_host_with(1, &config);
    CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, rig_pattern(9, 0)), SB_OK);
    rig_step(r);
    rig_wait(r, 6 * SB_SECOND + 1);
    GIVE(r, moved, "02 01 01 00 00 00");
    CHECK_EQ(port_of_peer(r), moved.port);
}

TEST(a_peer_heard_from_6_seconds_ago_does_not_move)
{
    check_stays(host_of_wanderer(true, 6 * SB_SECOND), moved, "02 01 01 00 00 00");
}

TEST(no_peer_moves_to_another_address)
{
    sb_endpoint other = { rig_endpoint(1).address + 100, RIG_PORT };
    check_stays(host_of_wanderer(true, 6 * SB_SECOND + 1), other, "02 01 01 00 00 00");
}

TEST(no_peer_moves_under_another_id)
{
    check_stays(host_of_wanderer(true, 6 * SB_SECOND + 1), moved, "03 01 01 00 00 00");
    check_stays(host_of_wanderer(true, 6 * SB_SECOND + 1), moved, "09 01 01 00 00 00");
}

TEST(no_peer_moves_onto_the_place_of_another)
{
    check_stays(host_of_wanderer(true, 6 * SB_SECOND + 1), rig_endpoint(2), "02 01 01 00 00 00");
}

/* Joins a peer at the new port, as somebody who hears nothing can. */
static uint8_t forge_join(rig *r)
{
    uint8_t  id = rig_told_id(r, moved);
    rig_pack p;
    rig_pack_init(&p, id);
    rig_pack_ack(&p, true, 0);
    GIVE_PACK(r, moved, &p);
    EXPECT_JOINED(r, id);
    rig_forget(r);
    return id;
}

/* Otherwise one forged join at the new port of a player would end the player's session. */
TEST(a_peer_that_hears_us_moves_onto_the_place_of_a_forged_join)
{
    rig    *r = host_of_wanderer(true, 6 * SB_SECOND + 1);
    uint8_t forged = forge_join(r);
    move(r, "02 01 32 08 80 05 00 AA AA AA");
    EXPECT_LEFT(r, forged, SB_LEFT_RESTARTED);
    CHECK_EQ(rig_give_hex(r, moved, "02 01 02"), SB_OK);
    REFUSE(r, rig_endpoint(1), rig_hex("02 01 02"), SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
}

TEST(no_peer_moves_onto_the_place_of_one_that_hears_us)
{
    rig    *r = host_of_wanderer(true, 6 * SB_SECOND + 1);
    uint8_t neighbour = forge_join(r);
    rig_show(r, moved, neighbour);
    REFUSE(r, moved, rig_hex("02 01 32 08 80 05 00 AA AA AA"), SB_TRANSPORT_COUNT_ID_MISMATCH);
    CHECK(!rig_prove(r, moved, 2));
    CHECK_EQ(port_of_peer(r), RIG_PORT);
}

/* A neighbour that connects tries every id that somebody tells it, and answers questions under each
 * (spec 01 §10.8 rule 6). */
TEST(a_cautious_client_that_connects_moves_no_peer)
{
    rig     *r = host_of_wanderer(true, 6 * SB_SECOND + 1);
    rig_pack p;
    REFUSE(r, moved, rig_hex("02 01 32 08 80 05 00 AA AA AA"), SB_TRANSPORT_COUNT_UNPROVEN);
    CHECK(rig_pack_proof(r, moved, 2, &p));
    for (unsigned i = 0; i < 5; i++)
        rig_pack_data(&p, (uint16_t)(0xF000 - 2400 * i), (sb_span){ NULL, 0 });
    REFUSE(r, moved, rig_packed(&p), SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
    CHECK_EQ(port_of_peer(r), RIG_PORT);
    CHECK(rig_prove(r, moved, 2)); /* the peer itself answers without them, too */
    CHECK_EQ(port_of_peer(r), moved.port);
}

TEST(no_peer_moves_by_a_datagram_that_does_not_parse)
{
    check_stays(host_of_wanderer(true, 6 * SB_SECOND + 1), moved, "02 02 01 00 00 00");
}

TEST(no_peer_moves_without_showing_knowledge)
{
    static const char *const ignorant[] = {
        "02 01 02",                            /* NoOp */
        "02 00",                               /* nothing */
        "02 01 32 04 00 1C",                   /* unreliable */
        "02 01 01 00 00 02",                   /* an Ack that matches nothing */
        "02 01 01 00 00 01 00",                /* an Ack of a fragment that matches nothing */
        "02 01 32 06 80 25 00 AA",             /* 32 ahead */
        "02 01 32 06 80 04 00 AA",             /* a duplicate */
        "02 01 32 06 80 05 80 AA",             /* far outside the window */
        "02 01 05 0A C0 01 00 02 0A 0A 0A EF", /* a Disconnect */
    };
    for (size_t i = 0; i < sizeof ignorant / sizeof *ignorant; i++)
        check_stays(host_of_wanderer(true, 6 * SB_SECOND + 1), moved, ignorant[i]);
}

TEST(attempts_to_move_have_a_budget_of_40_at_once_and_20_a_second)
{
    rig *r = host_of_wanderer(true, 6 * SB_SECOND + 1);
    for (int i = 0; i < 40; i++)
        REFUSE(r, moved, rig_hex("02 01 02"), SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
    REFUSE(r, moved, rig_hex("02 01 01 00 00 00"), SB_TRANSPORT_COUNT_OVER_BUDGET);
    rig_wait(r, SB_SECOND / 20);
    REFUSE(r, moved, rig_hex("02 05 01 00 00 00 02 02 02 02"), SB_TRANSPORT_COUNT_UNPROVEN);
    rig_wait(r, SB_SECOND / 20);
    CHECK(rig_prove(r, moved, 2));
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REBOUND), 1);
}

TEST(attempts_to_move_cost_nothing_to_strangers_at_that_address)
{
    rig *r = host_of_wanderer(true, 6 * SB_SECOND + 1);
    for (int i = 0; i < 40; i++)
        REFUSE(r, moved, rig_hex("02 01 02"), SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
    sb_endpoint neighbour = { moved.address, 40001 };
    GIVE(r, neighbour, "FF 01 03 0F C0 00 00 0A 0A 0A EF F9 78 00 00 00 00");
}

TEST(no_peer_moves_if_the_configuration_says_so)
{
    check_stays(host_of_wanderer(false, 6 * SB_SECOND + 1), moved, "02 01 01 00 00 00");
}

TEST(attempts_to_move_come_back_at_20_a_second_up_to_40)
{
    static const unsigned seconds[] = { 1, 2, 3 };
    rig                  *r = host_of_wanderer(true, 6 * SB_SECOND + 1);
    for (size_t i = 0; i < 3; i++) {
        unsigned tries = 0;
        while (rig_give_hex(r, moved, "02 01 02") == SB_NOT_ALLOWED) CHECK(++tries <= 40);
        CHECK_EQ(rig_give_hex(r, moved, "02 01 02"), SB_FULL);
        CHECK_EQ(tries, i == 0 ? 40 : seconds[i - 1] < 2 ? 20 : 40);
        rig_wait(r, seconds[i] * SB_SECOND);
    }
}

TEST(the_datagram_that_moves_a_peer_is_read)
{
    rig     *r = host_of_wanderer(true, 6 * SB_SECOND + 1);
    rig_pack p;
    REFUSE(r, moved, rig_hex("02 01 32 08 80 05 00 AA AA AA"), SB_TRANSPORT_COUNT_UNPROVEN);
    CHECK(rig_pack_proof(r, moved, 2, &p));
    rig_pack_data(&p, 5, (sb_span){ (const uint8_t *)"\xAA", 1 });
    rig_forget(r);
    GIVE_PACK(r, moved, &p);
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\xAA", 1 }));
    rig_step(r);
    EXPECT_SAID(r, moved, "Ack 5");
}

/* Not even 0, and not when the clock is young. */
TEST(a_new_peer_has_no_old_port)
{
    static const sb_time starts[] = { 0, RIG_START };
    for (size_t i = 0; i < 2; i++) {
        sb_transport_host_config config;
        rig_host_config(&config);
        rig *r = rig_open_host(&config);
        r->now = starts[i];
        r->host = sb_transport_host_init(r->memory, &config, r->now);
        GIVE(r, rig_endpoint(1), RIG_CONNECT);
        rig_step(r);
        GIVE(r, rig_endpoint(1), "02 01 01 00 00 02");
        sb_endpoint zero = { rig_endpoint(1).address, 0 };
        REFUSE(r, zero, rig_hex("02 01 02"), SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
    }
}
