/* tests/transport/host_peer_test.c -- established peers: ids and addresses, restarts, names.
 *
 * For:      src/transport/host_peer.c.
 * Spec:     01 §4.6, §5.2, §10.4.
 */
#include "marks_rig.h"
#include "transport/host_internal.h"

/* ---- Id and address (the table of spec 01 §5.2) -------------------------------------------- */

TEST(a_peer_may_send_under_no_id_until_it_has_used_its_own)
{
    rig        *r = rig_open_host(NULL);
    sb_endpoint at = rig_endpoint(1);
    GIVE(r, at, RIG_CONNECT);
    CHECK_TEXT(rig_answer(r, at), "Ack low 0, Connect 0");
    GIVE(r, at, RIG_CONNECT); /* the client has not got our response yet */
    EXPECT_NO_EVENT(r);
    CHECK_TEXT(rig_answer(r, at), "Ack low 0, Connect 0");
    GIVE(r, at, "FF 01 01 00 00 02"); /* an Ack sent before the client used its id */
    EXPECT_JOINED(r, 2);
    GIVE(r, at, "FF 01 32 06 80 00 00 AA");
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\xAA", 1 }));
    GIVE(r, at, "02 01 02");
    REFUSE(r, at, ((sb_span){ (const uint8_t *)"\xFF\x01\x02", 3 }),
           SB_TRANSPORT_COUNT_ID_MISMATCH);
}

TEST(a_connect_of_a_peer_heard_within_12_s_is_only_acknowledged)
{
    rig *r = rig_host_with(2, NULL);
    rig_show(r, rig_endpoint(1), 2);
    GIVE(r, rig_endpoint(1), "02 01 02");
    rig_wait(r, 12 * SB_SECOND);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    EXPECT_NO_EVENT(r);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack low 0");
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONNECTS), 2); /* the two of rig_join */
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 0E");    /* the session continues */
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\x0E", 1 }));
}

/* Stock ends the old session at once if the connection data differ (disconnect-flow). We do not:
 * one forged Connect could end any session (spec 01 §5.2). */
TEST(a_connect_with_other_data_ends_no_session_within_12_s)
{
    rig *r = rig_host_with(2, NULL);
    rig_show(r, rig_endpoint(1), 2);
    GIVE(r, rig_endpoint(1), "02 01 02");
    rig_wait(r, 12 * SB_SECOND);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), "FF 01 03 0F C0 00 00 0A 0A 0A EF 12 34 00 00 00 00");
    EXPECT_NO_EVENT(r);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack low 0");
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 0E"); /* the session continues */
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\x0E", 1 }));
}

/* A host whose peer 2 was silent for 12 s when a Connect came from its address; *id: what the
 * Connect was told. */
static rig *host_of_restarted(uint8_t *id)
{
    rig *r = rig_host_with(2, NULL);
    GIVE(r, rig_endpoint(1), "02 01 02");
    rig_wait(r, 12 * SB_SECOND + 1);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    EXPECT_NO_EVENT(r);
    rig_step(r);
    const rig_sent *answer = rig_next_sent_to(r, rig_endpoint(1));
    CHECK(answer != NULL);
    CHECK_TEXT(rig_describe(answer), "Ack low 0, Connect 0"); /* numbers start at 0 again */
    *id = answer->plain[answer->size - 1];
    return r;
}

TEST(a_client_silent_for_12_seconds_starts_a_new_session)
{
    uint8_t id;
    rig    *r = host_of_restarted(&id);
    rig_forget(r);
    rig_pack p;
    rig_pack_init(&p, id);
    rig_pack_ack(&p, true, 0);
    CHECK(rig_give(r, rig_endpoint(1), rig_packed(&p)) != SB_OK); /* it is asked for a proof */
    CHECK(rig_pack_proof(r, rig_endpoint(1), id, &p));
    rig_pack_data(&p, 0, rig_pattern(5, 1));
    GIVE_PACK(r, rig_endpoint(1), &p);
    EXPECT_LEFT(r, 2, SB_LEFT_RESTARTED);
    EXPECT_JOINED(r, id);
    EXPECT_DATA(r, id, rig_pattern(5, 1));
    CHECK_EQ(sb_transport_host_peer_count(r->host), 2);
    rig_step(r);
    /* The other peer gets the notice of a timeout (§8.3): Boot, reason 1, peer 2. */
    const rig_sent *told = rig_next_sent_to(r, rig_endpoint(2));
    CHECK(told != NULL);
    CHECK_BYTES(told->plain, told->size, "\x01\x01\x04\x07\xC0\x01\x00\x01\x02", 9);
}

/* A player whose line is down for 12 s is not to be removed by two forged datagrams. */
TEST(a_forged_restart_does_not_end_a_silent_session)
{
    uint8_t id;
    rig    *r = host_of_restarted(&id);
    for (unsigned i = 2; i < 128; i++) {
        uint8_t ack[] = { (uint8_t)i, 1, 1, 0, 0, 2 };
        if (i != 2 && i != SB_GAMESPY_BYTE)
            (void)!rig_give(r, rig_endpoint(1), (sb_span){ ack, sizeof ack });
    }
    EXPECT_NO_EVENT(r);
    for (int copy = 0; copy < 3; copy++) { /* of three, because of the forgeries (§10.8) */
        rig_wait(r, SB_SECOND);
        GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 0E"); /* the session continues */
    }
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\x0E", 1 }));
}

TEST(a_forged_connect_does_not_keep_a_boot_from_its_receiver)
{
    rig *r = rig_host_with(1, NULL);
    sb_transport_host_boot(r->host, r->now, 2, SB_BOOT_KICKED);
    rig_step(r); /* the first copy is lost */
    rig_forget(r);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    rig_wait(r, SB_SECOND);
    CHECK(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_BOOT) > 0);
    GIVE(r, rig_endpoint(1), "03 01 01 00 00 02"); /* unless it was no forgery */
    EXPECT_JOINED(r, 3);
    rig_forget(r);
    rig_wait(r, 4 * SB_SECOND);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_BOOT), 0);
}

TEST(a_known_address_under_any_other_id_is_an_id_mismatch)
{
    rig *r = rig_host_with(2, NULL);
    for (unsigned id = 2; id <= 0x7F; id++) {
        uint8_t noop[] = { (uint8_t)id, 1, 2 };
        if (id == 2 || id == SB_GAMESPY_BYTE) continue;
        REFUSE(r, rig_endpoint(1), ((sb_span){ noop, 3 }), SB_TRANSPORT_COUNT_ID_MISMATCH);
    }
}

/* A Connect had been answered when the peer was silent; then the peer speaks. */
TEST(the_offer_of_a_restart_ends_when_the_peer_is_heard)
{
    uint8_t  id;
    rig     *r = host_of_restarted(&id);
    rig_pack p;
    uint8_t  other = id == 127 ? 126 : (uint8_t)(id + 1);
    uint8_t  noop[] = { other, 1, 2 };
    REFUSE(r, rig_endpoint(1), ((sb_span){ noop, 3 }), SB_TRANSPORT_COUNT_ID_MISMATCH);
    GIVE(r, rig_endpoint(1), "02 01 02");
    rig_pack_init(&p, id);
    rig_pack_ack(&p, true, 0);
    REFUSE(r, rig_endpoint(1), rig_packed(&p), SB_TRANSPORT_COUNT_ID_MISMATCH);
    EXPECT_NO_EVENT(r);
}

TEST(a_connect_of_a_known_peer_is_a_duplicate)
{
    rig *r = rig_host_with(1, NULL);
    rig_show(r, rig_endpoint(1), 2);
    uint64_t before = rig_count(r, SB_TRANSPORT_COUNT_DUPLICATE);
    GIVE(r, rig_endpoint(1), "02 01 02");
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_DUPLICATE), before + 1);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_DROPPED_ACK), 0);
    rig_pack p;
    for (uint16_t seq = 0; seq < 1100;) { /* more Acks than are kept */
        rig_pack_init(&p, 2);
        for (int i = 0; i < 100; i++, seq++) rig_pack_data(&p, seq, rig_pattern(1, 0));
        GIVE_PACK(r, rig_endpoint(1), &p);
        r->now += 2 * SB_SECOND; /* so that nobody takes it for a sweep */
    }
    uint64_t dropped = rig_count(r, SB_TRANSPORT_COUNT_DROPPED_ACK);
    CHECK(dropped > 0);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_DROPPED_ACK), dropped + 1);
}

/* ---- Joins that somebody may have forged (spec 01 §5.2) -------------------------------------- */

/* Does the host answer a Connect from the address of peer 2 as that of a newcomer? */
static bool offers_restart(rig *r)
{
    rig_forget(r);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    EXPECT_NO_EVENT(r);
    rig_step(r);
    return rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_CONNECT) > 0;
}

TEST(a_peer_that_was_asked_2_s_ago_may_be_forged)
{
    for (int proof = 0; proof < 2; proof++) {
        sb_transport_host_config config;
        rig_host_config(&config);
        config.max_peers = 2;
        rig *r = rig_open_host(&config);
        CHECK_EQ(rig_told_id(r, rig_endpoint(1)), 2);
        GIVE(r, rig_endpoint(1), "02 01 01 00 00 02"); /* seats are short: it is asked */
        EXPECT_JOINED(r, 2);
        sb_time asked = r->now;
        if (proof) CHECK(rig_prove(r, rig_endpoint(1), 2));
        for (int i = 0; i < 4; i++) {
            rig_wait(r, SB_SECOND / 2);
            GIVE(r, rig_endpoint(1), "02 01 02"); /* the session is kept alive */
        }
        CHECK_EQ(r->now, asked + 2 * SB_SECOND);
        CHECK(!offers_restart(r));
        rig_wait(r, 1);
        CHECK_EQ(offers_restart(r), !proof);
    }
}

/* A client for which somebody has forged a join connects: an Ack alone would make it wait for ever.
 * The first Connect asks, the next ones ask again, and one that comes 2 s later gets an id. */
TEST(a_connect_of_a_peer_that_may_be_forged_gets_no_ack)
{
    static const int after[] = { 0, 1, 3 }; /* seconds: as a stock client repeats it */
    for (int proof = 0; proof < 2; proof++) {
        rig     *r = rig_host_with(1, NULL);
        uint64_t before = rig_count(r, SB_TRANSPORT_COUNT_DUPLICATE);
        sb_time  began = r->now;
        for (int i = 0; i < 3; i++) {
            rig_wait_until(r, began + after[i] * SB_SECOND);
            GIVE(r, rig_endpoint(1), "02 01 02"); /* the session is kept alive */
            CHECK_EQ(offers_restart(r), !proof && i == 2);
            r->sent_next = 0;
            CHECK_EQ(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_ACK) > 0,
                     proof ? i > 0 : i > 1);
            r->sent_next = 0;
            if (proof && i == 0) CHECK(rig_prove(r, rig_endpoint(1), 2));
        }
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_DUPLICATE) - before, proof ? 3 : 2);
    }
}

TEST(without_proof_every_connect_of_a_peer_is_acknowledged)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.proof = false;
    rig *r = rig_host_with(1, &config);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack low 0");
}

typedef enum forged_case { FORGED, PROVEN, ANSWERED, WITHOUT_PROOF, FORGED_CASES } forged_case;

/* Somebody has used the address under another id 3 s ago; marks have no answer. */
TEST(a_peer_that_ignores_marks_for_3_s_may_be_forged)
{
    for (unsigned i = 0; i < FORGED_CASES; i++) {
        sb_transport_host_config config;
        uint16_t                 marks[SB_MARKS_COUNT];
        rig_pack                 p;
        rig_host_config(&config);
        if (i == PROVEN) config.max_peers = 1; /* then a seat needs proof */
        if (i == WITHOUT_PROOF) config.proof = false;
        rig *r = rig_host_with(1, &config);
        REFUSE(r, rig_endpoint(1), rig_hex("03 01 02"), SB_TRANSPORT_COUNT_ID_MISMATCH);
        sb_time noticed = r->now;
        rig_read_marks(r, rig_endpoint(1), marks);
        rig_pack_init_marked(&p, 2, i == ANSWERED ? marks : NULL);
        rig_pack_noop(&p);
        GIVE_PACK(r, rig_endpoint(1), &p);
        rig_wait_until(r, noticed + 3 * SB_SECOND - 1);
        CHECK(!offers_restart(r));
        rig_wait(r, 1);
        CHECK_EQ(offers_restart(r), i == FORGED);
    }
}

/* A forged datagram that is refused has taken the seat. */
TEST(a_refused_first_datagram_locks_nobody_out)
{
    rig *r = rig_open_host(NULL);
    CHECK_EQ(rig_told_id(r, rig_endpoint(1)), 2);
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), "02 01 00 0E C0 01 00 03 0A 0A 0A EF 4B 00 00 00"),
             SB_NOT_ALLOWED);
    EXPECT_JOINED(r, 2);
    CHECK(!offers_restart(r));
    rig_wait(r, 12 * SB_SECOND + 1);
    CHECK(offers_restart(r));
}

/* ---- Control messages that no peer sends (spec 01 §10.3) ------------------------------------- */

/* Its number stays free, and the host asks for marks at once. */
static void check_refused_control(const char *hex, sb_transport_counter why)
{
    rig     *r = rig_host_with(1, NULL);
    uint16_t marks[SB_MARKS_COUNT];
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), hex), SB_NOT_ALLOWED);
    CHECK_EQ(rig_count(r, why), 1);
    EXPECT_NO_EVENT(r);
    rig_read_marks(r, rig_endpoint(1), marks);
    CHECK_EQ(rig_count_acks(r), 0);
    rig_give_name(r, rig_endpoint(1), 2, 1, rig_wide("Kirk"));
    EXPECT_NAMED(r, 2, "Kirk");
}

TEST(a_control_message_that_no_peer_sends_makes_the_host_ask)
{
    check_refused_control("02 01 00 0E C0 01 00 03 0A 0A 0A EF 4B 00 00 00",
                          SB_TRANSPORT_COUNT_FOREIGN_NAME);
    check_refused_control("02 01 05 0A C0 01 00 03 0A 0A 0A EF",
                          SB_TRANSPORT_COUNT_FOREIGN_DISCONNECT);
    check_refused_control("02 01 00 09 C0 01 00 02 0A 0A 0A", SB_TRANSPORT_COUNT_BAD_CONTROL);
    check_refused_control("02 01 05 09 C0 01 00 02 0A 0A 0A", SB_TRANSPORT_COUNT_BAD_CONTROL);
    check_refused_control("02 01 03 0F C0 01 00 0A 0A 0A EF F9 78 00 00 00 00",
                          SB_TRANSPORT_COUNT_UNEXPECTED_CONTROL);
    check_refused_control("02 01 04 07 C0 01 00 04 02", SB_TRANSPORT_COUNT_UNEXPECTED_CONTROL);
    /* Among others, too. */
    check_refused_control("02 04 02 01 00 00 00 32 06 80 00 00 AA 04 07 C0 01 00 04 02",
                          SB_TRANSPORT_COUNT_UNEXPECTED_CONTROL);
}

TEST(an_old_connect_under_the_id_is_a_duplicate)
{
    rig *r = rig_host_with(1, NULL); /* low 1 is expected */
    GIVE(r, rig_endpoint(1), "02 01 03 0F C0 00 00 0A 0A 0A EF F9 78 00 00 00 00");
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack low 0");
    EXPECT_NO_EVENT(r);
    CHECK_EQ(rig_refusals(r), 0);
}

/* Not by copies either, which count under the number of a Name that may be forged. */
TEST(copies_of_control_messages_that_no_peer_sends_do_nothing)
{
    static const char *const messages[] = { "02 01 04 07 C0 01 00 04 02", "02 01 04 06 C0 01 00 04",
                                            "02 01 03 06 C0 01 00 02", "02 01 06 05 C0 01 00",
                                            "02 01 04 0A C0 01 00 02 09 09 09 09" };
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        rig *r = rig_host_with(1, NULL);
        rig_give_name(r, rig_endpoint(1), 2, 1, rig_wide("Kirk"));
        EXPECT_NAMED(r, 2, "Kirk");
        for (int copy = 0; copy < 12; copy++) {
            rig_wait(r, SB_SECOND);
            (void)!rig_give_hex(r, rig_endpoint(1), messages[i]);
        }
        GIVE(r, rig_endpoint(1), "02 01 02");
        rig_wait(r, 30 * SB_SECOND);
        EXPECT_NO_EVENT(r);
    }
}

/* Nothing of it is checked any more. */
TEST(control_messages_of_a_peer_that_has_left_have_no_effect)
{
    static const char *const controls[] = {
        "02 01 00 0E C0 01 00 02 0A 0A 0A EF 4B 00 00 00",
        "02 01 00 05 C0 01 00",
        "02 01 05 0A C0 01 00 02 0A 0A 0A EF",
    };
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) {
        rig *r = rig_host_with(2, NULL);
        sb_transport_host_boot(r->host, r->now, 2, SB_BOOT_KICKED);
        rig_step(r);
        EXPECT_LEFT(r, 2, SB_LEFT_BOOTED);
        rig_forget(r);
        GIVE(r, rig_endpoint(1), controls[i]);
        EXPECT_NO_EVENT(r);
        rig_wait(r, SB_SECOND);
        CHECK_EQ(rig_count_sent(r, rig_endpoint(2), SB_TRANSPORT_NAME), 0);
        uint64_t before = rig_count(r, SB_TRANSPORT_COUNT_MARKS);
        REFUSE(r, rig_endpoint(1), rig_hex("03 01 02"), SB_TRANSPORT_COUNT_ID_MISMATCH);
        rig_wait(r, SB_SECOND);
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_MARKS), before); /* it is asked nothing */
    }
}

TEST(a_late_datagram_of_a_peer_that_has_left_refutes_nothing)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 01 00 02 0A 0A 0A EF");
    rig_wait(r, 6 * SB_SECOND);
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
    GIVE(r, rig_endpoint(1), "02 01 02");
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_FORGED_DISCONNECT), 0);
}

/* Nobody forges a peer that has left: its repeats are acknowledged as before. */
TEST(a_wrong_id_is_no_evidence_against_a_peer_that_has_left)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 01 00 02 0A 0A 0A EF");
    rig_wait(r, 6 * SB_SECOND);
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
    REFUSE(r, rig_endpoint(1), rig_hex("03 01 02"), SB_TRANSPORT_COUNT_ID_MISMATCH);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 01 00 02 0A 0A 0A EF");
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack low 1");
}

/* Its first datagram is dropped, but it has a seat. */
TEST(a_peer_whose_first_datagram_is_refused_times_out)
{
    rig *r = rig_open_host(NULL);
    CHECK_EQ(rig_told_id(r, rig_endpoint(1)), 2);
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1),
                          "02 02 01 00 00 02 00 0E C0 01 00 03 0A 0A 0A EF 4B 00 00 00"),
             SB_NOT_ALLOWED);
    EXPECT_JOINED(r, 2);
    CHECK(sb_transport_host_next_deadline(r->host) <= r->now + 45 * SB_SECOND);
    rig_wait(r, 45 * SB_SECOND);
    EXPECT_LEFT(r, 2, SB_LEFT_TIMED_OUT);
}

TEST(refusals_have_results)
{
    rig *r = rig_host_with(1, NULL);
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), "03 01 02"), SB_NOT_ALLOWED);
    GIVE(r, rig_endpoint(1), "02 01 02");
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), "FF 01 02"), SB_NOT_ALLOWED);
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 01 00 02 0A 0A 0A EF");
    GIVE(r, rig_endpoint(1), RIG_CONNECT); /* the client may return */
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), "03 01 02"), SB_NOT_ALLOWED); /* no proof */
    for (int i = 0; i < 60; i++) (void)!rig_give_hex(r, rig_endpoint(1), RIG_CONNECT);
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), RIG_CONNECT), SB_FULL);
    (void)rig_give_until_refused(r, rig_endpoint(1), rig_hex("02 01 02"));
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), "02 01 02"), SB_FULL);
}

/* ---- Names (spec 01 §4.6) ------------------------------------------------------------------ */

/* Checks owner and text of the next Name that goes to `to`. */
static void expect_name_copy(rig *r, sb_endpoint to, uint8_t owner, const char *name)
{
    sb_transport_message m;
    for (const rig_sent *sent = rig_next_sent_to(r, to); sent; sent = rig_next_sent_to(r, to))
        for (size_t i = 0; rig_message(sent, i, &m); i++) {
            if (m.type != SB_TRANSPORT_NAME) continue;
            sb_control control;
            CHECK_EQ(sb_decode_control(m.type, SB_SIDE_HOST, m.payload, &control), SB_OK);
            CHECK_EQ(control.name.peer_id, owner);
            sb_span wide = rig_wide(name);
            CHECK(control.name.name.size >= 2);
            CHECK_BYTES(control.name.name.data, control.name.name.size - 2, wide.data, wide.size);
            return;
        }
    FAIL("no Name \"%s\"", name);
}

TEST(a_name_goes_to_all_peers_the_sender_included)
{
    rig *r = rig_host_with(3, NULL);
    rig_give_name(r, rig_endpoint(1), 2, 1,
                  (sb_span){ (const uint8_t *)"C\0a\0d\0y\0"
                                              "2\0\0",
                             12 });
    EXPECT_NAMED(r, 2, "Cady2");
    rig_step(r); /* byte for byte as in §11.3, with each peer's own number */
    EXPECT_SENT(r, rig_endpoint(1),
                "01 02 01 01 00 02 00 16 C0 01 00 02 0A 0A 0A EF"
                "43 00 61 00 64 00 79 00 32 00 00 00");
    EXPECT_SENT(r, rig_endpoint(2),
                "01 01 00 16 C0 01 00 02 0A 0A 0A EF"
                "43 00 61 00 64 00 79 00 32 00 00 00");
    EXPECT_SENT(r, rig_endpoint(3),
                "01 01 00 16 C0 01 00 02 0A 0A 0A EF"
                "43 00 61 00 64 00 79 00 32 00 00 00");
    EXPECT_SILENCE(r);
}

TEST(a_newcomer_gets_its_own_name_and_then_those_of_the_others)
{
    rig *r = rig_host_with(3, NULL);
    rig_give_name(r, rig_endpoint(1), 2, 1, rig_wide("Kirk"));
    rig_give_name(r, rig_endpoint(2), 3, 1, rig_wide("Spock")); /* peer 4 has no name */
    rig_wait(r, SB_SECOND);
    rig_forget(r);
    CHECK_EQ(rig_join(r, rig_endpoint(4)), 5);
    rig_give_name(r, rig_endpoint(4), 5, 1, rig_wide("Bones"));
    EXPECT_NAMED(r, 5, "Bones");
    rig_step(r);
    const rig_sent *sent = rig_next_sent_to(r, rig_endpoint(4));
    CHECK(sent != NULL);
    CHECK_TEXT(rig_describe(sent), "Ack low 1, Name 1, Name 2, Name 3");
    static const uint8_t owners[] = { 5, 2, 3 };
    for (size_t i = 0; i < 3; i++) {
        sb_transport_message m;
        CHECK(rig_message(sent, i + 1, &m));
        CHECK_EQ(m.payload.data[0], owners[i]);
    }
    r->sent_next = 0;
    expect_name_copy(r, rig_endpoint(4), 5, "Bones");
}

/* The clock is young: a rename would have to wait. */
TEST(the_first_name_is_passed_on_at_once_on_any_clock)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    rig *r = rig_open_host(&config);
    r->now = -10 * SB_SECOND;
    r->host = sb_transport_host_init(r->memory, &config, r->now);
    CHECK_EQ(rig_join(r, rig_endpoint(1)), 2);
    rig_give_name(r, rig_endpoint(1), 2, 1, rig_wide("Kirk"));
    EXPECT_NAMED(r, 2, "Kirk");
}

/* It never acknowledges the names of the others. */
TEST(a_peer_that_cannot_be_told_more_names_is_removed)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = 32;
    config.send_cells = 64;
    config.shared_cells = 0;
    rig *r = rig_host_with(16, &config);
    for (uint16_t round = 0; round < 6; round++) {
        for (unsigned i = 2; i <= 16; i++) {
            rig_give_name(r, rig_endpoint(i), (uint8_t)(i + 1), (uint16_t)(1 + round),
                          rig_wide("Name"));
            uint16_t place = r->host->peer_by_id[i + 1];
            uint16_t next = r->host->peers[place].link.outbox.channels[SB_CHANNEL_LOW].next_seq;
            rig_pack p;
            rig_pack_init(&p, (uint8_t)(i + 1));
            for (uint16_t low = 0; low < next; low++) rig_pack_ack(&p, true, low);
            GIVE_PACK(r, rig_endpoint(i), &p);
        }
        (void)!rig_give_hex(r, rig_endpoint(1), "02 01 02"); /* it is not silent */
        rig_wait(r, 5 * SB_SECOND);
    }
    const rig_event *e = rig_next_event(r);
    while (e && e->event.type != SB_EVENT_LEFT) e = rig_next_event(r);
    CHECK(e && e->event.peer_id == 2 && e->event.reason == SB_LEFT_STALLED);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 15);
}

TEST(renames_are_passed_on_every_5_seconds_and_the_last_wins)
{
    rig *r = rig_host_with(2, NULL);
    rig_give_name(r, rig_endpoint(1), 2, 1, rig_wide("One"));
    rig_step(r);
    sb_time first = r->now;
    expect_name_copy(r, rig_endpoint(2), 2, "One");
    GIVE(r, rig_endpoint(2), "03 01 01 01 00 02");
    GIVE(r, rig_endpoint(1), "02 01 01 01 00 02");
    for (uint16_t i = 0; i < 10; i++) {
        rig_wait(r, 100 * RIG_MILLISECOND);
        rig_give_name(r, rig_endpoint(1), 2, (uint16_t)(2 + i), rig_wide(i < 9 ? "Other" : "Last"));
    }
    rig_forget(r);
    rig_wait_until(r, first + 5 * SB_SECOND - 1);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(2), SB_TRANSPORT_NAME), 0);
    rig_wait(r, 1);
    CHECK_TEXT(rig_times(r, rig_endpoint(2), SB_TRANSPORT_NAME, first), "5000");
    expect_name_copy(r, rig_endpoint(2), 2, "Last");
    GIVE(r, rig_endpoint(2), "03 01 01 02 00 02");
    GIVE(r, rig_endpoint(1), "02 01 01 02 00 02");
    rig_forget(r);
    rig_wait(r, 10 * SB_SECOND);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(2), SB_TRANSPORT_NAME), 0);
    first = r->now;
    rig_give_name(r, rig_endpoint(1), 2, 12,
                  rig_wide("Soon")); /* more than five seconds after the last rename */
    rig_wait(r, SB_SECOND);
    CHECK_TEXT(rig_times(r, rig_endpoint(2), SB_TRANSPORT_NAME, first), "1000");
    expect_name_copy(r, rig_endpoint(2), 2, "Soon");
}

TEST(a_name_for_another_player_uses_up_no_number)
{
    rig     *r = rig_host_with(2, NULL);
    rig_pack p;
    rig_pack_init(&p, 2);
    rig_pack_name(&p, 1, 3, rig_wide("Mine"));
    REFUSE(r, rig_endpoint(1), rig_packed(&p), SB_TRANSPORT_COUNT_FOREIGN_NAME);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "");
    rig_give_name(r, rig_endpoint(1), 2, 1, rig_wide("Kirk"));
    EXPECT_NAMED(r, 2, "Kirk");
}

TEST(a_rename_with_another_address_uses_up_no_number)
{
    rig *r = rig_host_with(1, NULL);
    rig_give_name(r, rig_endpoint(1), 2, 1, rig_wide("Kirk"));
    EXPECT_NAMED(r, 2, "Kirk");
    rig_wait(r, 6 * SB_SECOND);
    REFUSE(r, rig_endpoint(1), rig_hex("02 01 00 0E C0 02 00 02 09 09 09 09 4C 00 00 00"),
           SB_TRANSPORT_COUNT_FOREIGN_NAME);
    GIVE(r, rig_endpoint(1), "02 01 00 0E C0 02 00 02 0A 0A 0A EF 4D 00 00 00");
    rig_wait(r, SB_SECOND);
    EXPECT_NAMED(r, 2, "M");
}

/* An Ack of the forged one would make the player give up its own Name. */
TEST(a_first_name_with_another_address_ends_the_acks_of_the_first)
{
    rig     *r = rig_open_host(NULL);
    uint8_t  id = rig_told_id(r, rig_endpoint(1));
    uint16_t marks[SB_MARKS_COUNT];
    rig_pack p;
    rig_pack_init(&p, id);
    rig_pack_ack(&p, true, 0);
    rig_pack_control(&p, SB_TRANSPORT_NAME, 1, rig_hex("02 09 09 09 09 42 00 00 00"));
    GIVE_PACK(r, rig_endpoint(1), &p); /* forged: the player has yet to connect */
    EXPECT_JOINED(r, id);
    EXPECT_NAMED(r, id, "B");
    rig_step(r);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_ACK), 1);
    rig_forget(r);
    rig_pack_init(&p, id);
    rig_pack_name(&p, 1, id, rig_wide("Kirk"));
    REFUSE(r, rig_endpoint(1), rig_packed(&p), SB_TRANSPORT_COUNT_FOREIGN_NAME);
    CHECK_EQ(rig_send(r, id, SB_RELIABLE, rig_pattern(1, 0)), SB_OK); /* it could repeat the Ack */
    rig_read_marks(r, rig_endpoint(1), marks);
    rig_wait(r, 700 * RIG_MILLISECOND);
    r->sent_next = 0;
    CHECK_EQ(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_ACK), 0);
    rig_pack_init_marked(&p, id, marks);
    rig_pack_name(&p, 1, id, rig_wide("Kirk"));
    GIVE_PACK(r, rig_endpoint(1), &p);
    rig_wait(r, 5 * SB_SECOND);
    EXPECT_NAMED(r, id, "Kirk");
}

/* The first Name tells the address: a Name that waited for it would have been checked too early. */
TEST(a_rename_before_the_first_name_has_to_come_again)
{
    rig *r = rig_host_with(1, NULL);
    REFUSE(r, rig_endpoint(1), rig_hex("02 01 00 0E C0 02 00 02 09 09 09 09 4C 00 00 00"),
           SB_TRANSPORT_COUNT_FOREIGN_NAME);
    rig_give_name(r, rig_endpoint(1), 2, 1, rig_wide("Kirk"));
    EXPECT_NAMED(r, 2, "Kirk");
    rig_wait(r, 6 * SB_SECOND);
    EXPECT_NO_EVENT(r);
    GIVE(r, rig_endpoint(1), "02 01 00 0E C0 02 00 02 0A 0A 0A EF 4D 00 00 00");
    rig_wait(r, SB_SECOND);
    EXPECT_NAMED(r, 2, "M");
}

TEST(addresses_of_players_are_passed_on_or_hidden)
{
    for (int hide = 0; hide < 2; hide++) {
        sb_transport_host_config config;
        rig_host_config(&config);
        config.hide_addresses = hide;
        rig *r = rig_host_with(2, &config);
        rig_give_name(r, rig_endpoint(1), 2, 1, rig_wide("K"));
        rig_step(r);
        const char *other = hide ? "01 01 00 0E C0 01 00 02 00 00 00 00 4B 00 00 00"
                                 : "01 01 00 0E C0 01 00 02 0A 0A 0A EF 4B 00 00 00";
        EXPECT_SENT(r, rig_endpoint(1),
                    "01 02 01 01 00 02 00 0E C0 01 00 02 0A 0A 0A EF 4B 00 00 00");
        EXPECT_SENT(r, rig_endpoint(2), other);
        GIVE(r, rig_endpoint(2), "03 01 01 01 00 02");
        rig_forget(r);
        GIVE(r, rig_endpoint(1), "02 01 05 0A C0 02 00 02 0A 0A 0A EF");
        rig_wait(r, 4 * SB_SECOND);
        rig_forget(r);
        rig_wait(r, 2 * SB_SECOND);
        const rig_sent *passed = rig_next_sent_to(r, rig_endpoint(2));
        while (passed && passed->plain[2] == SB_TRANSPORT_NOOP)
            passed = rig_next_sent_to(r, rig_endpoint(2));
        CHECK(passed != NULL);
        CHECK_BYTES(passed->plain + 8, 4, hide ? "\0\0\0\0" : "\x0A\x0A\x0A\xEF", 4);
    }
}

/* ---- Forged Connects (spec 01 §10.4) ------------------------------------------------------- */

/* Spec 01 §10.4: a Connect that cannot start a session must not end one. */
TEST(a_refused_connect_does_not_end_a_silent_peers_session)
{
    static const char *const connects[] = {
        "FF 01 03 05 C0 00 00",                               /* shorter than any Connect */
        "FF 01 03 0F C0 01 00 0A 0A 0A EF F9 78 00 00 00 00", /* not number 0 */
        "FF 01 03 0F 40 0A 0A 0A EF F9 78 00 00 00 00 00 00", /* not reliable */
    };
    for (size_t i = 0; i < sizeof connects / sizeof *connects; i++) {
        rig *r = rig_host_with(1, NULL);
        rig_wait(r, 13 * SB_SECOND);
        rig_forget(r);
        CHECK(rig_give_hex(r, rig_endpoint(1), connects[i]) != SB_OK);
        EXPECT_NO_EVENT(r);
        CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    }
}
