/* tests/transport/host_test.c -- a host as a whole: lengths and first bytes, configuration, time.
 *
 * For:      src/transport/host.c.
 * Spec:     01 §1.1, §8.2, §8.6, §9, §10.2.
 */
#include "rig.h"

TEST(a_datagram_without_messages_is_a_sign_of_life)
{
    rig         *r = rig_host_with(1, NULL);
    sb_peer_info info;
    GIVE(r, rig_endpoint(1), "02 00");
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.heard_at, r->now);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "");
}

TEST(a_message_to_nobody_is_not_allowed)
{
    rig *r = rig_host_with(1, NULL);
    CHECK_EQ(rig_send(r, 3, SB_RELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED);
    CHECK_EQ(rig_send(r, 0, SB_RELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED);
    CHECK_EQ(rig_send(r, SB_PEER_NONE, SB_UNRELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED);
    CHECK_EQ(rig_send(r, SB_PEER_HOST, SB_UNRELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED);
    GIVE(r, rig_endpoint(2), RIG_CONNECT);
    rig_step(r);
    CHECK_EQ(rig_send(r, 3, SB_RELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED); /* half-open */
}

TEST(data_of_one_peer_is_never_passed_on_by_the_transport)
{
    rig *r = rig_host_with(2, NULL);
    GIVE(r, rig_endpoint(1), "02 02 32 06 80 00 00 AA 32 04 00 1C");
    rig_step(r);
    for (const rig_sent *sent = rig_next_sent(r); sent; sent = rig_next_sent(r))
        CHECK(rig_same_endpoint(sent->to, rig_endpoint(1)));
}

TEST(impossible_configurations_need_no_memory)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    CHECK(sb_transport_host_bytes(&config) > 0);
    config.max_peers = 0;
    CHECK_EQ(sb_transport_host_bytes(&config), 0);
    config.max_peers = SB_PEERS_LIMIT + 1;
    CHECK_EQ(sb_transport_host_bytes(&config), 0);
    config.max_peers = SB_PEERS_LIMIT;
    CHECK(sb_transport_host_bytes(&config) > 0);
    config.password = rig_wide("a password of thirty-two letters");
    CHECK_EQ(config.password.size, 64);
    CHECK_EQ(sb_transport_host_bytes(&config), 0);
    config.password.size -= 2;
    CHECK(sb_transport_host_bytes(&config) > 0);
}

TEST(time_that_goes_back_counts_as_the_latest_time)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 02");
    sb_time latest = r->now;
    r->now -= 100 * SB_SECOND;
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), "02 01 02"), SB_OK);
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.heard_at, latest);
    r->now = latest;
    rig_wait(r, 45 * SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, 2, SB_LEFT_TIMED_OUT);
}

TEST(lengths_outside_2_to_1500_are_dropped_unread)
{
    rig           *r = rig_host_with(1, NULL);
    static uint8_t bytes[1600] = { 2, 1, 2 };
    REFUSE(r, rig_endpoint(1), ((sb_span){ bytes, 0 }), SB_TRANSPORT_COUNT_TOO_SHORT);
    REFUSE(r, rig_endpoint(1), ((sb_span){ bytes, 1 }), SB_TRANSPORT_COUNT_TOO_SHORT);
    CHECK_EQ(rig_give(r, rig_endpoint(1), (sb_span){ bytes, 1500 }),
             SB_OK); /* a NoOp and extra bytes */
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REST_IGNORED), 1);
    REFUSE(r, rig_endpoint(1), ((sb_span){ bytes, 1501 }), SB_TRANSPORT_COUNT_TOO_LONG);
}

TEST(byte_0_decides_before_anything_is_decrypted)
{
    rig *r = rig_host_with(1, NULL);
    for (unsigned id = 0; id <= 0xFF; id++) {
        uint8_t  noop[] = { (uint8_t)id, 1, 2 };
        sb_span  plain = { noop, 3 };
        bool     client = id >= 2 && id <= 0x7F && id != SB_GAMESPY_BYTE;
        uint64_t refusals = rig_refusals(r);
        if (id == 2) CHECK_EQ(rig_give(r, rig_endpoint(1), plain), SB_OK);
        else if (id == SB_GAMESPY_BYTE)
            REFUSE(r, rig_endpoint(1), plain, SB_TRANSPORT_COUNT_NOT_GAME);
        else if (id == SB_PEER_HOST)
            REFUSE(r, rig_endpoint(1), plain, SB_TRANSPORT_COUNT_WRONG_DIRECTION);
        else if (id == SB_PEER_NONE || client)
            REFUSE(r, rig_endpoint(1), plain, SB_TRANSPORT_COUNT_ID_MISMATCH);
        else REFUSE(r, rig_endpoint(1), plain, SB_TRANSPORT_COUNT_BAD_ID);
        CHECK_EQ(rig_refusals(r), refusals + (id != 2)); /* exactly one reason */
    }
}

TEST(a_peer_costs_less_than_64_kib)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = 64;
    size_t many = sb_transport_host_bytes(&config);
    config.max_peers = 8;
    size_t few = sb_transport_host_bytes(&config);
    CHECK(many > few && few > 0);
    CHECK((many - few) / 56 < 64 * 1024);
}
