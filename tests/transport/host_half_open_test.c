/* tests/transport/host_half_open_test.c -- peers that sent a Connect and have not answered yet.
 *
 * For:      src/transport/host_connect.c, host_seats.c.
 * Spec:     01 §5.1, §5.3, §10.3, §10.6.
 */
#include "rig.h"

/* ---- Responses (spec 01 §5.3) -------------------------------------------------------------- */

TEST(the_host_never_repeats_its_response_by_itself)
{
    rig *r = rig_open_host(NULL);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    rig_step(r);
    EXPECT_SENT(r, rig_endpoint(1), "01 02 01 00 00 02 03 06 C0 00 00 02");
    rig_wait(r, 60 * SB_SECOND);
    EXPECT_SILENCE(r);
    EXPECT_NO_EVENT(r);
}

/* A stock client asks at 0, 1, 3 and 6 s; any of the answers may be lost. */
TEST(each_connect_of_one_client_is_answered_with_the_same_id)
{
    static const sb_time asks[] = { 0, 1000, 2000, 3000 };
    rig                 *r = rig_open_host(NULL);
    GIVE(r, rig_endpoint(7), RIG_CONNECT);
    rig_step(r);
    rig_forget(r);
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        rig_wait(r, asks[i] * RIG_MILLISECOND);
        GIVE(r, rig_endpoint(1), RIG_CONNECT);
        rig_step(r);
        EXPECT_SENT(r, rig_endpoint(1), "01 02 01 00 00 02 03 06 C0 00 00 03");
    }
    GIVE(r, rig_endpoint(1), "03 01 01 00 00 02");
    EXPECT_JOINED(r, 3);
}

TEST(a_half_open_peer_may_answer_until_ten_seconds_have_passed)
{
    for (int late = 0; late < 2; late++) {
        rig *r = rig_open_host(NULL);
        GIVE(r, rig_endpoint(1), RIG_CONNECT);
        rig_wait(r, 10 * SB_SECOND + late * 20 * RIG_MILLISECOND); /* times have 8 ms */
        uint8_t ack[] = { 2, 1, 1, 0, 0, 2 };
        if (late) {
            REFUSE(r, rig_endpoint(1), ((sb_span){ ack, 6 }), SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
            CHECK_EQ(rig_join(r, rig_endpoint(2)), 2); /* the id is free again */
        } else {
            CHECK_EQ(rig_give(r, rig_endpoint(1), (sb_span){ ack, 6 }), SB_OK);
            EXPECT_JOINED(r, 2);
        }
    }
}

TEST(a_newcomer_has_to_answer_under_the_id_it_was_told)
{
    rig *r = rig_open_host(NULL);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    GIVE(r, rig_endpoint(2), RIG_CONNECT);
    rig_step(r);
    for (unsigned id = 2; id < 128; id++) {
        uint8_t ack[] = { (uint8_t)id, 1, 1, 0, 0, 2 };
        if (id == 3 || id == SB_GAMESPY_BYTE) continue;
        REFUSE(r, rig_endpoint(2), ((sb_span){ ack, 6 }), SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
    }
    GIVE(r, rig_endpoint(2), "03 01 01 00 00 02"); /* wrong guesses did not spoil the entry */
    EXPECT_JOINED(r, 3);
}

TEST(a_client_may_acknowledge_before_it_uses_its_id)
{
    rig *r = rig_open_host(NULL);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    rig_step(r);
    uint8_t noop[] = { 0xFF, 1, 2 };
    REFUSE(r, rig_endpoint(1), ((sb_span){ noop, 3 }), SB_TRANSPORT_COUNT_NOT_A_CONNECT);
    GIVE(r, rig_endpoint(1), "FF 01 01 00 00 02");
    EXPECT_JOINED(r, 2);
}

TEST(without_its_id_a_newcomer_answers_by_an_ack_of_low_0)
{
    static const struct {
        const char *hex;
        sb_result   result;
    } cases[] = {
        { "FF 01 02", SB_NOT_ALLOWED },             /* a NoOp */
        { "FF 01 01 01 00 02", SB_NOT_ALLOWED },    /* low 1 */
        { "FF 01 01 00 00 00", SB_NOT_ALLOWED },    /* Data 0 */
        { "FF 01 01 00 00 03 00", SB_NOT_ALLOWED }, /* a fragment */
        { "FF 00", SB_OK },                         /* nothing: no answer, and no mistake */
        { "02 00", SB_OK },
    };
    rig *r = rig_open_host(NULL);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    rig_step(r);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_EQ(rig_give_hex(r, rig_endpoint(1), cases[i].hex), cases[i].result);
        EXPECT_NO_EVENT(r);
    }
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_NOT_A_CONNECT), 4);
    /* 16 bytes are too few for a Connect, but not for Acks; and 17 may be Acks too. */
    GIVE(r, rig_endpoint(1), "FF 05 01 00 00 02 01 00 00 02 01 00 00 02 02 02");
    EXPECT_JOINED(r, 2);
    r = rig_open_host(NULL);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    rig_step(r);
    GIVE(r, rig_endpoint(1), "FF 06 01 00 00 02 01 00 00 02 01 00 00 02 02 02 02");
    EXPECT_JOINED(r, 2);
}

/* ---- Tentative ids (spec 01 §5.1) ----------------------------------------------------------- */

TEST(newcomers_are_told_different_ids_while_there_are_any)
{
    bool told[128] = { false };
    rig *r = rig_host_with(3, NULL);
    for (unsigned i = 0; i < 122; i++) { /* ids 5..127 without 0x5C */
        uint8_t id = rig_told_id(r, rig_endpoint(100 + i));
        CHECK(id >= 5 && id < 128 && id != SB_GAMESPY_BYTE && !told[id]);
        told[id] = true;
        rig_wait(r, 10 * RIG_MILLISECOND);
    }
    /* The next ones are told what was told longest ago. */
    CHECK_EQ(rig_told_id(r, rig_endpoint(300)), 5);
    CHECK_EQ(rig_told_id(r, rig_endpoint(301)), 6);
}

TEST(the_first_to_answer_keeps_the_id_and_the_other_gets_a_boot)
{
    rig *r = rig_open_host(NULL);
    CHECK_EQ(rig_told_id(r, rig_endpoint(1)), 2);
    for (unsigned i = 0; i < 124; i++) (void)rig_told_id(r, rig_endpoint(100 + i));
    CHECK_EQ(rig_told_id(r, rig_endpoint(2)), 2);
    GIVE(r, rig_endpoint(2), "02 01 01 00 00 02");
    EXPECT_JOINED(r, 2);
    rig_forget(r);
    CHECK(rig_give_hex(r, rig_endpoint(1), "02 01 01 00 00 02") != SB_OK);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_ID_COLLISION), 1);
    rig_step(r);
    EXPECT_SENT(r, rig_endpoint(1), "01 01 04 07 C0 01 00 03 02");
    EXPECT_NO_EVENT(r);
}

TEST(a_late_datagram_of_a_departed_session_begins_no_new_one)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 01 00 02 0A 0A 0A EF");
    rig_wait(r, 6 * SB_SECOND);
    rig_forget(r);
    CHECK_EQ(rig_told_id(r, rig_endpoint(1)), 3); /* the client is back, from the same port */
    REFUSE(r, rig_endpoint(1), rig_hex("02 01 32 04 00 1C"), SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
    REFUSE(r, rig_endpoint(1), rig_hex("02 01 01 00 00 02"), SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
    GIVE(r, rig_endpoint(1), "03 01 01 00 00 02");
    EXPECT_JOINED(r, 3);
}

/* ---- Amplification (spec 01 §10.3) --------------------------------------------------------- */

/* The bytes that the host has sent and the rig has not forgotten. */
static size_t bytes_sent(rig *r)
{
    size_t bytes = 0;
    rig_step(r);
    for (size_t i = 0; i < r->sent_count; i++) bytes += r->sent[i].size;
    rig_forget(r);
    return bytes;
}

TEST(a_spoofed_connect_gets_12_bytes_for_17_and_no_game_message)
{
    rig *r = rig_open_host(NULL);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, rig_pattern(9, 0)), SB_NOT_ALLOWED);
    rig_wait(r, 60 * SB_SECOND);
    CHECK_EQ(bytes_sent(r), 12);
}

TEST(strangers_get_fewer_bytes_than_they_send)
{
    rig   *r = rig_open_host(NULL);
    size_t in = 0, out = 0;
    for (unsigned i = 0; i < 3000; i++) {
        sb_span connect = rig_hex(i % 2 ? RIG_CONNECT : "FF 01 03 05 C0 00 00");
        in += connect.size;
        (void)!rig_give(r, rig_endpoint(i % 7), connect);
        out += bytes_sent(r);
        CHECK(out <= in);
    }
}

/* ---- Limits (spec 01 §10.6) ---------------------------------------------------------------- */

TEST(half_open_entries_do_not_get_around_the_peers_per_address)
{
    rig *r = rig_open_host(NULL);
    for (uint16_t i = 0; i < 3; i++)
        CHECK_EQ(rig_join(r, (sb_endpoint){ 0x0A000001, (uint16_t)(1000 + i) }), i + 2);
    rig_wait(r, 5 * SB_SECOND);
    for (uint16_t i = 0; i < 4; i++) { /* four Connects before any Ack */
        (void)!rig_give_hex(r, (sb_endpoint){ 0x0A000001, (uint16_t)(2000 + i) }, RIG_CONNECT);
        rig_step(r);
    }
    for (uint16_t i = 0; i < 4; i++) {
        uint8_t ack[] = { (uint8_t)(5 + i), 1, 1, 0, 0, 2 };
        (void)!rig_give(r, (sb_endpoint){ 0x0A000001, (uint16_t)(2000 + i) }, (sb_span){ ack, 6 });
    }
    CHECK_EQ(sb_transport_host_peer_count(r->host), 4);
}

TEST(half_open_peers_do_not_get_around_the_limit_of_peers)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = 2;
    rig *r = rig_open_host(&config);
    for (unsigned i = 1; i <= 4; i++) GIVE(r, rig_endpoint(i), RIG_CONNECT);
    rig_step(r);
    for (unsigned i = 1; i <= 4; i++) {
        uint8_t ack[] = { (uint8_t)(1 + i), 1, 1, 0, 0, 2 };
        (void)!rig_give(r, rig_endpoint(i), (sb_span){ ack, 6 });
        (void)rig_prove(r, rig_endpoint(i), (uint8_t)(1 + i));
        if (i == 1) rig_prove_all(r);
    }
    CHECK_EQ(sb_transport_host_peer_count(r->host), 2);
    CHECK(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_FULL) >= 2);
}

/* A host whose only place is taken while another peer is still half-open. */
static rig *host_of_latecomer(void)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = 1;
    rig *r = rig_open_host(&config);
    GIVE(r, rig_endpoint(1), RIG_CONNECT); /* id 2 */
    rig_step(r);
    CHECK_EQ(rig_join(r, rig_endpoint(2)), 3);
    rig_wait(r, 6 * SB_SECOND);
    rig_forget(r);
    return r;
}

TEST(an_answer_to_a_full_host_gets_a_boot_for_each_datagram)
{
    rig *r = host_of_latecomer();
    for (int i = 0; i < 3; i++) {
        CHECK(rig_give_hex(r, rig_endpoint(1), "02 01 01 00 00 02") != SB_OK);
        rig_step(r);
        EXPECT_SENT(r, rig_endpoint(1), "01 01 04 07 C0 01 00 03 02");
    }
    EXPECT_NO_EVENT(r);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
}

TEST(boots_of_a_full_host_are_no_amplifier)
{
    rig   *r = host_of_latecomer();
    size_t in = 17, out = 12; /* the Connect and its answer */
    for (int i = 0; i < 100; i++) {
        sb_span plain = rig_hex(i == 0 ? "02 01 02" : "02 00");
        in += plain.size;
        (void)!rig_give(r, rig_endpoint(1), plain);
        out += bytes_sent(r);
        CHECK(out <= 4 * in);
    }
}

/* Otherwise the client would never learn its id: its Connect gets only an Ack from then on. */
TEST(a_client_that_lost_our_response_gets_no_seat_by_other_acks)
{
    rig     *r = rig_open_host(NULL);
    rig_pack p;
    uint8_t  id = rig_told_id(r, rig_endpoint(1));
    rig_pack_init(&p, SB_PEER_NONE); /* Acks of questions to the last client of that port */
    for (uint16_t i = 0; i < 6; i++) rig_pack_ack(&p, false, (uint16_t)(0xF000 + i));
    REFUSE(r, rig_endpoint(1), rig_packed(&p), SB_TRANSPORT_COUNT_NOT_A_CONNECT);
    rig_pack_init(&p, SB_PEER_NONE); /* shorter than a Connect */
    rig_pack_ack(&p, false, 0);
    REFUSE(r, rig_endpoint(1), rig_packed(&p), SB_TRANSPORT_COUNT_NOT_A_CONNECT);
    CHECK_EQ(rig_told_id(r, rig_endpoint(1)), id); /* the response is repeated */
    rig_pack_init(&p, SB_PEER_NONE);
    rig_pack_ack(&p, true, 0);
    for (uint16_t i = 0; i < 6; i++) rig_pack_ack(&p, false, (uint16_t)(0xF000 + i));
    GIVE_PACK(r, rig_endpoint(1), &p);
    EXPECT_JOINED(r, id);
}
