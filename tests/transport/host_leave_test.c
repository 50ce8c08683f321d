/* tests/transport/host_leave_test.c -- leaving a host: timeouts, Disconnects, Boots, a host that
 * stops.
 *
 * For:      src/transport/host_leave.c.
 * Spec:     01 §4.10, §5.1, §8.2-§8.4.
 */
#include "rig.h"

/* ---- Liveness and leaving (spec 01 §8) ----------------------------------------------------- */

TEST(only_an_accepted_datagram_keeps_a_peer)
{
    static const struct {
        const char *hex;
        bool        keeps;
    } cases[] = {
        { "02 01 02", true },
        { "02 00", true },
        { "02 01 01 63 00 00", true }, /* an Ack that matches nothing */
        { "02 01 32 06 80 00 90 AA",
          true }, /* a valid datagram with a number far outside the window */
        { "02 01 32 04 80 00 00", false }, /* malformed */
        { "02 02 01 00 00 00", false },    /* malformed */
        { "03 01 02", false },             /* under another id */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig *r = rig_host_with(1, NULL);
        GIVE(r, rig_endpoint(1), "02 01 02");
        rig_wait(r, 40 * SB_SECOND);
        sb_result result = rig_give_hex(r, rig_endpoint(1), cases[i].hex);
        CHECK_EQ(result == SB_OK, cases[i].keeps);
        rig_wait(r, 5 * SB_SECOND);
        CHECK_EQ(sb_transport_host_peer_count(r->host), cases[i].keeps);
    }
}

TEST(a_timeout_is_told_to_the_others_as_boot_with_reason_1)
{
    rig *r = rig_host_with(3, NULL);
    GIVE(r, rig_endpoint(1), "02 01 02");
    sb_time heard = r->now;
    for (int i = 0; i < 4; i++) {
        rig_wait(r, 10 * SB_SECOND);
        GIVE(r, rig_endpoint(2), "03 01 02");
        GIVE(r, rig_endpoint(3), "04 01 02");
    }
    rig_wait_until(r, heard + 45 * SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    rig_forget(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, 2, SB_LEFT_TIMED_OUT);
    EXPECT_NO_EVENT(r);
    for (unsigned i = 2; i <= 3; i++) {
        r->sent_next = 0;
        const rig_sent *told = rig_next_sent_to(r, rig_endpoint(i));
        CHECK(told != NULL);
        CHECK_BYTES(told->plain, told->size, "\x01\x01\x04\x07\xC0\x01\x00\x01\x02", 9);
    }
}

TEST(the_timeout_is_what_the_configuration_says)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.timeout_us = 30 * SB_SECOND;
    rig *r = rig_host_with(1, &config);
    GIVE(r, rig_endpoint(1), "02 01 02");
    rig_wait(r, 30 * SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, 2, SB_LEFT_TIMED_OUT);
}

TEST(a_disconnect_is_acknowledged_and_passed_on_to_the_others)
{
    rig *r = rig_host_with(3, NULL);
    GIVE(r, rig_endpoint(2), "03 01 05 0A C0 01 00 03 C0 A8 00 C4");
    rig_step(r);
    EXPECT_SAID(r, rig_endpoint(2), "Ack low 1");
    rig_wait(r, 4 * SB_SECOND);
    EXPECT_NO_EVENT(r);
    rig_forget(r);
    rig_wait(r, 2 * SB_SECOND);
    EXPECT_LEFT(r, 3, SB_LEFT_QUIT);
    EXPECT_NO_EVENT(r);
    const rig_sent *told = rig_next_sent_to(r, rig_endpoint(1));
    CHECK(told != NULL);
    CHECK_BYTES(told->plain, told->size, "\x01\x01\x05\x0A\xC0\x01\x00\x03\xC0\xA8\x00\xC4", 12);
    r->sent_next = 0;
    told = rig_next_sent_to(r, rig_endpoint(3));
    CHECK(told != NULL);
    CHECK_BYTES(told->plain, told->size, "\x01\x01\x05\x0A\xC0\x01\x00\x03\xC0\xA8\x00\xC4", 12);
}

TEST(a_lingering_peer_gets_acks_for_5_seconds_and_nothing_else)
{
    static const char disconnect[] = "02 01 05 0A C0 01 00 02 0A 0A 0A EF";
    rig              *r = rig_host_with(1, NULL);
    sb_endpoint       at = rig_endpoint(1);
    GIVE(r, at, disconnect);
    CHECK_TEXT(rig_answer(r, at), "Ack low 1");
    rig_wait(r, 6 * SB_SECOND - 800 * RIG_MILLISECOND);
    sb_time left = r->now;
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
    for (int i = 0; i < 4; i++) {
        (void)!rig_give_hex(r, at, disconnect);
        CHECK_TEXT(rig_answer(r, at), "Ack low 1");
    }
    (void)!rig_give_hex(r, at,
                        "02 02 32 06 80 00 00 AA 32 04 00 1C"); /* Data after the Disconnect */
    EXPECT_NO_EVENT(r);
    CHECK_TEXT(rig_answer(r, at), "");
    CHECK(rig_count(r, SB_TRANSPORT_COUNT_LATE) > 0);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED);
    rig_wait_until(r, left + 5 * SB_SECOND);
    EXPECT_SILENCE(r);
    uint8_t bytes[16];
    sb_span plain = { bytes, test_hex(disconnect, bytes, sizeof bytes) };
    REFUSE(r, at, plain, SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
    EXPECT_NO_EVENT(r);
}

TEST(a_disconnect_for_somebody_else_is_dropped)
{
    rig *r = rig_host_with(2, NULL);
    REFUSE(r, rig_endpoint(1), rig_hex("02 01 05 0A C0 01 00 03 0A 0A 0A EF"),
           SB_TRANSPORT_COUNT_FOREIGN_DISCONNECT);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "");
    rig_wait(r, 10 * SB_SECOND);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 2);
}

TEST(a_kick_sends_a_boot_to_all_peers_until_acknowledged)
{
    rig *r = rig_host_with(3, NULL);
    sb_transport_host_boot(r->host, r->now, 3, SB_BOOT_KICKED);
    rig_step(r);
    const rig_event *e = rig_next_event(r);
    CHECK(e != NULL);
    CHECK_EQ(e->event.type, SB_EVENT_LEFT);
    CHECK_EQ(e->event.peer_id, 3);
    CHECK_EQ(e->event.reason, SB_LEFT_BOOTED);
    CHECK_EQ(e->event.boot_reason, SB_BOOT_KICKED);
    EXPECT_NO_EVENT(r);
    for (unsigned i = 1; i <= 3; i++) {
        r->sent_next = 0;
        const rig_sent *boot = rig_next_sent_to(r, rig_endpoint(i));
        CHECK(boot != NULL);
        CHECK_BYTES(boot->plain, boot->size, "\x01\x01\x04\x07\xC0\x01\x00\x04\x03", 9);
    }
    GIVE(r, rig_endpoint(1), "02 01 01 01 00 02");
    rig_forget(r);
    rig_wait(r, 2 * SB_SECOND);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_BOOT), 0);
    CHECK(rig_count_sent(r, rig_endpoint(3), SB_TRANSPORT_BOOT) >
          0); /* peer 4 did not acknowledge */
    CHECK_EQ(sb_transport_host_peer_count(r->host), 2);
    sb_transport_host_boot(r->host, r->now, 3, SB_BOOT_KICKED); /* no such peer: no effect */
    rig_step(r);
    EXPECT_NO_EVENT(r);
}

TEST(a_boot_is_repeated_with_the_control_messages_before_it)
{
    rig    *r = rig_host_with(2, NULL);
    sb_time start = r->now;
    rig_give_name(r, rig_endpoint(2), 3, 1,
                  rig_wide("Kirk")); /* peer 2 does not acknowledge its copy */
    rig_step(r);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(9, 0)), SB_OK);
    rig_step(r);
    rig_forget(r);
    sb_transport_host_boot(r->host, r->now, 2, SB_BOOT_KICKED);
    rig_wait(r, 60 * SB_SECOND);
    CHECK_TEXT(rig_times(r, rig_endpoint(1), SB_TRANSPORT_BOOT, start),
               "0 500 1000 2000 3000 4000");
    CHECK(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_NAME) > 0);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_DATA), 0);
}

TEST(without_leave_notices_the_others_are_told_nothing)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.leave_notice = false;
    rig *r = rig_host_with(3, &config);
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 01 00 02 0A 0A 0A EF");
    sb_transport_host_boot(r->host, r->now, 3, SB_BOOT_KICKED);
    rig_wait(r, SB_SECOND);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(2), SB_TRANSPORT_BOOT) > 0, true); /* the kicked peer */
    CHECK_EQ(rig_count_sent(r, rig_endpoint(3), SB_TRANSPORT_BOOT), 0);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(3), SB_TRANSPORT_DISCONNECT), 0);
}

TEST(a_stopping_host_says_goodbye_to_each_peer_and_waits_for_acks)
{
    rig *r = rig_host_with(2, NULL);
    CHECK(!sb_transport_host_is_stopped(r->host));
    sb_transport_host_stop(r->host, r->now);
    rig_step(r);
    for (unsigned i = 1; i <= 2; i++) {
        r->sent_next = 0;
        const rig_sent *bye = rig_next_sent_to(r, rig_endpoint(i));
        CHECK(bye != NULL);
        CHECK_BYTES(bye->plain, 8, "\x01\x01\x05\x0A\xC0\x01\x00\x01", 8);
        CHECK_EQ(bye->size, 12);
    }
    CHECK(!sb_transport_host_is_stopped(r->host));
    (void)!rig_give_hex(r, rig_endpoint(1), "02 01 01 01 00 02");
    rig_step(r);
    CHECK(!sb_transport_host_is_stopped(r->host));
    (void)!rig_give_hex(r, rig_endpoint(2), "03 01 01 01 00 02");
    rig_step(r);
    CHECK(sb_transport_host_is_stopped(r->host));
}

TEST(a_stopping_host_waits_one_second_at_most_and_accepts_nobody)
{
    rig *r = rig_host_with(1, NULL);
    sb_transport_host_stop(r->host, r->now);
    rig_step(r);
    rig_forget(r);
    CHECK(rig_give_hex(r, rig_endpoint(5), RIG_CONNECT) != SB_OK);
    rig_wait(r, SB_SECOND - 1);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(5), SB_TRANSPORT_CONNECT), 0);
    CHECK(!sb_transport_host_is_stopped(r->host));
    rig_wait(r, 1);
    CHECK(sb_transport_host_is_stopped(r->host));
    rig_forget(r);
    rig_wait(r, 60 * SB_SECOND);
    EXPECT_SILENCE(r);
}

TEST(a_host_without_peers_is_stopped_at_once)
{
    rig *r = rig_open_host(NULL);
    sb_transport_host_stop(r->host, r->now);
    rig_step(r);
    CHECK(sb_transport_host_is_stopped(r->host));
}

/* ---- Forged and late Disconnects (spec 01 §10.3) -------------------------------------------- */

TEST(a_disconnect_counts_only_in_order_and_for_its_sender)
{
    rig *r = rig_host_with(1, NULL);                                 /* low 1 is expected */
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 02 00 02 0A 0A 0A EF"); /* 2: early */
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 00 00 02 0A 0A 0A EF"); /* 0: a duplicate */
    (void)!rig_give_hex(r, rig_endpoint(1),
                        "02 01 05 0A C0 00 20 02 0A 0A 0A EF"); /* far outside the window */
    rig_wait(r, 10 * SB_SECOND);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 01 00 02 0A 0A 0A EF"); /* 1: the expected one */
    rig_wait(r, 6 * SB_SECOND);
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
    EXPECT_NO_EVENT(r);
}

/* Spec 01 §4.10: the Disconnect takes effect after all messages of the datagram. */
TEST(data_beside_a_disconnect_is_delivered_before_the_goodbye)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 02 05 0A C0 01 00 02 0A 0A 0A EF 32 06 80 00 00 AA");
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\xAA", 1 }));
    rig_step(r);
    EXPECT_SAID(r, rig_endpoint(1), "Ack low 1, Ack 0");
    rig_wait(r, 6 * SB_SECOND);
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
    EXPECT_NO_EVENT(r);
}

/* ---- Found by simulation ------------------------------------------------------------------- */

/* A peer that missed its Boot could be mistaken for the next owner (spec 01 §5.1, §10.5). */
TEST(an_id_is_not_reused_until_its_last_owner_has_timed_out)
{
    rig *r = rig_host_with(2, NULL);
    sb_transport_host_boot(r->host, r->now, 3, SB_BOOT_KICKED);
    rig_wait(r, 6 * SB_SECOND);
    rig_forget(r);
    CHECK_EQ(rig_join(r, rig_endpoint(5)), 4);
    rig_wait(r, 46 * SB_SECOND);
    rig_forget(r);
    CHECK_EQ(rig_join(r, rig_endpoint(6)), 3);
}

/* Spec 01 §8.3: a Boot queues behind unacknowledged Names; all of them need cells. */
TEST(a_newcomer_among_many_gets_its_boot)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = 32;
    rig *r = rig_host_with(0, &config);
    for (unsigned i = 1; i <= 20; i++) {
        rig_pack p;
        rig_forget(r);
        uint8_t id = rig_join(r, rig_endpoint(i));
        rig_pack_init(&p, id);
        rig_pack_name(&p, 1, id, rig_wide("K"));
        GIVE_PACK(r, rig_endpoint(i), &p);
        rig_wait(r, SB_SECOND);
    }
    rig_forget(r);
    sb_transport_host_boot(r->host, r->now, 21, SB_BOOT_KICKED);
    rig_step(r);
    CHECK(rig_count_sent(r, rig_endpoint(20), SB_TRANSPORT_BOOT) > 0);
}
