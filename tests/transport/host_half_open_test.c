/* tests/transport/host_half_open_test.c -- peers that sent a Connect and have not answered yet.
 *
 * For:      src/transport/host_connect.c.
 * Spec:     01 §5.3, §10.3, §10.6.
 */
#include "rig.h"

/* ---- Responses (spec 01 §5.3) -------------------------------------------------------------- */

TEST(an_unanswered_response_is_sent_4_times_and_expires_at_10_s)
{
    rig    *r = rig_open_host(NULL);
    sb_time start = r->now;
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    rig_wait(r, 10 * SB_SECOND);
    CHECK_TEXT(rig_times(r, rig_endpoint(1), SB_TRANSPORT_CONNECT, start), "0 1000 3000 6000");
    size_t bytes = 0;
    for (size_t i = 0; i < r->sent_count; i++) bytes += r->sent[i].size;
    CHECK_EQ(bytes, 48);
    rig_forget(r);
    rig_wait(r, 60 * SB_SECOND);
    EXPECT_SILENCE(r);
    EXPECT_NO_EVENT(r);
    uint8_t ack[] = { 2, 1, 1, 0, 0, 2 };
    REFUSE(r, rig_endpoint(1), ((sb_span){ ack, sizeof ack }), SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
    CHECK_EQ(rig_join(r, rig_endpoint(2)), 2); /* the id is free again */
}

TEST(a_half_open_peer_may_answer_until_ten_seconds_have_passed)
{
    rig *r = rig_open_host(NULL);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    rig_wait(r, 10 * SB_SECOND - 1);
    GIVE(r, rig_endpoint(1), "02 01 01 00 00 02");
    EXPECT_JOINED(r, 2);
}

/* ---- Amplification (spec 01 §10.3) --------------------------------------------------------- */

TEST(a_spoofed_connect_gets_48_bytes_for_17_and_no_game_message)
{
    rig *r = rig_open_host(NULL);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, rig_pattern(9, 0)), SB_NOT_ALLOWED);
    rig_wait(r, 60 * SB_SECOND);
    size_t bytes = 0;
    for (const rig_sent *sent = rig_next_sent(r); sent; sent = rig_next_sent(r))
        bytes += sent->size;
    CHECK_EQ(bytes, 48);
}

/* Until a stranger is established, it gets at most four times the bytes it sends. */
TEST(repeated_connects_of_a_half_open_peer_are_no_amplifier)
{
    rig   *r = rig_open_host(NULL);
    size_t in = 0, out = 0;
    for (int i = 0; i < 500; i++) {
        sb_span connect = rig_hex(i % 2 ? RIG_CONNECT : "FF 01 03 05 C0 00 00");
        in += connect.size;
        (void)!rig_give(r, rig_endpoint(1), connect);
        rig_wait(r, 30 * RIG_MILLISECOND);
        for (const rig_sent *s = rig_next_sent(r); s; s = rig_next_sent(r)) out += s->size;
        CHECK(out <= 4 * in);
        rig_forget(r);
    }
}

/* ---- Limits (spec 01 §10.6) ---------------------------------------------------------------- */

TEST(at_most_32_entries_are_half_open_and_4_of_one_address)
{
    rig *r = rig_open_host(NULL);
    for (uint16_t i = 0; i < 5; i++)
        (void)!rig_give_hex(r, (sb_endpoint){ 0x0A000001, (uint16_t)(1000 + i) }, RIG_CONNECT);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONNECTS), 4);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_HALF_OPEN_SOURCE), 1);
    for (unsigned i = 2; i < 37; i++) (void)!rig_give_hex(r, rig_endpoint(i), RIG_CONNECT);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONNECTS), 32);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_HALF_OPEN_TOTAL), 7);
    rig_wait(r, 10 * SB_SECOND); /* all entries expire */
    rig_forget(r);
    CHECK_EQ(rig_join(r, rig_endpoint(50)), 2);
}

/* Otherwise eight addresses could lock out everybody with a few datagrams a second. */
TEST(a_full_table_replaces_entries_silent_for_three_seconds)
{
    rig *r = rig_open_host(NULL);
    for (unsigned i = 2; i < 34; i++) (void)!rig_give_hex(r, rig_endpoint(i), RIG_CONNECT);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONNECTS), 32);
    rig_wait(r, 3 * SB_SECOND - 1);
    (void)!rig_give_hex(r, rig_endpoint(50), RIG_CONNECT);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_HALF_OPEN_TOTAL), 1);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_HALF_OPEN_REPLACED), 0);
    rig_wait(r, 1);
    rig_forget(r);
    CHECK(rig_join(r, rig_endpoint(50)) >= 2);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_HALF_OPEN_REPLACED), 1);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_HALF_OPEN_TOTAL), 1);
}

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
        rig_step(r);
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
    size_t in = 17, out = 4 * 12; /* the Connect, and the responses at 0, 1, 3 and 6 s */
    for (int i = 0; i < 100; i++) {
        sb_span plain = rig_hex(i == 0 ? "02 01 02" : "02 00");
        in += plain.size;
        (void)!rig_give(r, rig_endpoint(1), plain);
        rig_step(r);
        for (const rig_sent *s = rig_next_sent_to(r, rig_endpoint(1)); s;
             s = rig_next_sent_to(r, rig_endpoint(1)))
            out += s->size;
        CHECK(out <= 4 * in);
    }
}
