/* tests/transport/budget_test.c -- what an established peer may send, and what a flood costs.
 *
 * For:      src/transport/budget.h and its use in host_peer.c.
 * Spec:     01 §10.2, §10.6.
 */
#include "rig.h"

#include <string.h>

TEST(a_peer_over_its_budget_is_dropped_before_decryption)
{
    rig           *r = rig_host_with(1, NULL);
    static uint8_t garbage[40];
    memset(garbage, 0x32, sizeof garbage);
    garbage[0] = 2;
    for (int i = 0; i < 600; i++)
        (void)!rig_receive_unchecked(r, rig_endpoint(1), (sb_span){ garbage, 40 });
    uint64_t malformed = rig_count(r, SB_TRANSPORT_COUNT_MALFORMED);
    REFUSE(r, rig_endpoint(1), ((sb_span){ garbage, 40 }), SB_TRANSPORT_COUNT_OVER_BUDGET);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_MALFORMED), malformed);
}

TEST(a_peer_has_600_datagrams_at_once_and_300_more_each_second)
{
    rig *r = rig_host_with(1, NULL);
    rig_wait(r, 3 * SB_SECOND);
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_hex("02 01 02")), 600);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_OVER_BUDGET), 1);
    rig_wait(r, SB_SECOND);
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_hex("02 01 02")), 300);
    rig_wait(r, 10 * SB_SECOND);
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_hex("02 01 02")), 600);
}

TEST(every_reliable_message_we_send_allows_ten_more_datagrams)
{
    rig *r = rig_host_with(1, NULL);
    rig_wait(r, 3 * SB_SECOND);
    for (int i = 0; i < 6; i++)
        CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, rig_pattern(3, 0)), SB_OK);
    CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, rig_pattern(832, 0)), SB_OK);
    rig_step(r); /* 9 messages, counting fragments */
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_hex("02 01 02")), 690);
}

TEST(the_nine_acks_of_a_stock_peer_are_within_its_budget)
{
    rig *r = rig_host_with(1, NULL);
    for (unsigned i = 0; i < 200; i++)
        CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, rig_pattern(3, i)), SB_OK);
    rig_step(r);
    for (int copy = 0; copy < 9; copy++)
        for (uint16_t seq = 0; seq < 200; seq++) {
            rig_pack p;
            rig_pack_init(&p, 2);
            rig_pack_ack(&p, false, seq);
            GIVE_PACK(r, rig_endpoint(1), &p);
        }
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_OVER_BUDGET), 0);
}

TEST(messages_and_bytes_have_budgets_of_their_own)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.messages_per_s = 1000;
    rig     *r = rig_host_with(1, &config);
    rig_pack p;
    rig_pack_init(&p, 2);
    for (int i = 0; i < 100; i++) rig_pack_noop(&p);
    rig_wait(r, 3 * SB_SECOND);
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_packed(&p)), 20);
    rig_wait(r, SB_SECOND);
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_packed(&p)), 10);
    rig_host_config(&config);
    config.bytes_per_s = 10000;
    r = rig_host_with(1, &config);
    rig_pack_init(&p, 2);
    rig_pack_unreliable(&p, rig_pattern(995, 0));
    CHECK_EQ(rig_packed(&p).size, 1000);
    rig_wait(r, 3 * SB_SECOND);
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_packed(&p)), 20);
    rig_wait(r, SB_SECOND);
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_packed(&p)), 10);
}

/* Peer 2 sends 1,000 datagrams a second while peer 3 sends NoOps; returns when peer 2 is removed.
 */
static sb_time flood(rig *r, sb_time duration)
{
    uint8_t noop[] = { 2, 1, 2 }, other[] = { 3, 1, 2 };
    sb_time end = r->now + duration;
    sb_encrypt_datagram(noop, 3);
    sb_encrypt_datagram(other, 3);
    for (; r->now < end; r->now += RIG_MILLISECOND) {
        (void)!rig_receive_unchecked(r, rig_endpoint(1), (sb_span){ noop, 3 });
        if (r->now % SB_SECOND == 0)
            CHECK_EQ(rig_receive_unchecked(r, rig_endpoint(2), (sb_span){ other, 3 }), SB_OK);
        if (sb_transport_host_peer_count(r->host) < 2) break;
    }
    return r->now;
}

TEST(ten_seconds_over_budget_end_only_that_session)
{
    rig    *r = rig_host_with(2, NULL);
    sb_time start = r->now, gone = flood(r, 20 * SB_SECOND);
    /* The burst of 600 lasts 600 / (1000 - 300) s, then the ten seconds run. */
    CHECK(gone - start >= 10 * SB_SECOND + 800 * RIG_MILLISECOND);
    CHECK(gone - start <= 11 * SB_SECOND);
    sb_peer_info info;
    CHECK(!rig_info(r, 2, &info));
    CHECK(rig_info(r, 3, &info));
}

TEST(a_flooding_peer_is_told_and_so_are_the_others)
{
    rig *r = rig_host_with(2, NULL);
    (void)flood(r, 20 * SB_SECOND);
    rig_step(r);
    CHECK(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_BOOT) > 0);
    CHECK(rig_count_sent(r, rig_endpoint(2), SB_TRANSPORT_BOOT) > 0);
}

TEST(a_flood_that_ends_in_time_has_no_consequences)
{
    rig *r = rig_host_with(2, NULL);
    for (int i = 0; i < 3; i++) {
        (void)flood(r, 9 * SB_SECOND);
        CHECK_EQ(sb_transport_host_peer_count(r->host), 2);
        rig_wait(r, 5 * SB_SECOND);
    }
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), "02 01 02"), SB_OK);
}
