/* tests/transport/host_budget_test.c -- the budget of a new peer, and what our messages add to it.
 *
 * For:      src/transport/host.c, host_seats.c. budget_test.c has the rest.
 * Spec:     01 §10.6.
 */
#include "rig.h"
#include "transport/host_internal.h"

#include <string.h>

/* A host with peer 2, which has just joined. No time has passed, and the clock is young: nothing
 * was refilled. */
static rig *open_host(uint32_t datagrams, uint32_t messages, uint32_t bytes)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.datagrams_per_s = datagrams;
    config.messages_per_s = messages;
    config.bytes_per_s = bytes;
    config.shared_cells = 8192;
    rig *r = rig_open_host(&config);
    r->now = 0;
    r->host = sb_transport_host_init(r->memory, &config, r->now);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    rig_step(r);
    GIVE(r, rig_endpoint(1), "02 01 01 00 00 02");
    EXPECT_JOINED(r, 2);
    rig_step(r);
    return r;
}

/* A datagram of ten NoOps and 100 bytes. */
static sb_span ten_noops(void)
{
    static uint8_t plain[100] = { 2, 10, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 };
    return (sb_span){ plain, sizeof plain };
}

static unsigned burst(rig *r)
{
    return rig_give_until_refused(r, rig_endpoint(1), ten_noops());
}

enum { MANY = 1000000 };

TEST(a_new_peer_has_two_seconds_of_its_budget_at_once)
{
    CHECK_EQ(burst(open_host(50, MANY, MANY)), 100);
    CHECK_EQ(burst(open_host(MANY, 500, MANY)), 100);
    CHECK_EQ(burst(open_host(MANY, MANY, 5000)), 100);
}

TEST(a_new_peer_may_send_40_connects)
{
    rig *r = open_host(MANY, MANY, MANY);
    GIVE(r, rig_endpoint(1), "02 01 02");
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_hex(RIG_CONNECT)), 40);
}

/* Gives a datagram of a NoOp and zeros to a host that may decrypt `left` more bytes of the peer. */
static sb_result give_bytes(rig *r, uint32_t left, size_t size)
{
    static uint8_t plain[128] = { 2, 1, SB_TRANSPORT_NOOP };
    sb_budget_init(&r->host->peers[0].decryption, r->now, left);
    return rig_give(r, rig_endpoint(1), (sb_span){ plain, size });
}

TEST(a_decryption_costs_the_size_of_the_datagram_or_64_bytes)
{
    rig *r = open_host(MANY, MANY, MANY);
    CHECK_EQ(give_bytes(r, 64, 3), SB_OK);
    CHECK_EQ(r->host->peers[0].decryption.left, 0);
    CHECK_EQ(give_bytes(r, 63, 3), SB_FULL);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_OVER_BUDGET), 1);
    CHECK_EQ(give_bytes(r, 64, 64), SB_OK);
    CHECK_EQ(give_bytes(r, 64, 65), SB_FULL);
    CHECK_EQ(give_bytes(r, 66, 65), SB_OK);
    CHECK_EQ(r->host->peers[0].decryption.left, SB_SECOND);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_OVER_BUDGET), 2);
}

/* 16 MiB a second: 16.8 bytes in a microsecond. */
TEST(what_may_be_decrypted_comes_back_in_time)
{
    rig *r = open_host(MANY, MANY, MANY);
    CHECK_EQ(give_bytes(r, 0, 3), SB_FULL);
    r->now += 3;
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), "02 01 02"), SB_FULL);
    r->now += 1;
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), "02 01 02"), SB_OK);
    CHECK_EQ(r->host->peers[0].decryption.left, 4ll * (16 << 20) - 64ll * SB_SECOND);
    CHECK_EQ(give_bytes(r, 0, 3), SB_FULL);
    r->now += 10 * SB_SECOND;
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), "02 01 02"), SB_OK);
    CHECK_EQ(r->host->peers[0].decryption.left, ((16ll << 20) - 64) * SB_SECOND);
}

TEST(a_new_peer_may_send_16_mib_of_garbage)
{
    rig           *r = open_host(MANY, MANY, MANY);
    static uint8_t garbage[1025] = { 2, 2, 0x32, 0xFE, 0x03 };
    sb_encrypt_datagram(garbage, sizeof garbage);
    for (unsigned i = 0; i < 16386; i++) { /* the last KiB does not hold 1025 bytes */
        size_t size = i == 16383 ? 1025 : 1024;
        (void)!rig_receive_unchecked(r, rig_endpoint(1), (sb_span){ garbage, size });
    }
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_MALFORMED), 16384);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_OVER_BUDGET), 2);
}

/* Sends reliable messages and has each acknowledged at once, in datagrams of 50 Acks. */
static void send_many(rig *r, unsigned count)
{
    for (unsigned seq = 0; seq < count; seq++) {
        CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(1, seq)), SB_OK);
        if (seq % 50 != 49) continue;
        rig_pack p;
        rig_pack_init(&p, 2);
        for (unsigned i = seq - 49; i <= seq; i++) rig_pack_ack(&p, false, (uint16_t)i);
        rig_step(r);
        GIVE_PACK(r, rig_endpoint(1), &p);
        rig_forget(r);
    }
    rig_step(r);
}

/* Ten datagrams, ten messages and a hundred bytes more for each one. */
TEST(a_reliable_message_allows_ten_more_datagrams_of_its_peer)
{
    static const unsigned counts[] = { 0, 1, 10, 100 };
    for (size_t k = 0; k < 4; k++) {
        unsigned sent = counts[k];
        rig     *all[] = { open_host(50, MANY, MANY), open_host(MANY, 500, MANY),
                           open_host(MANY, MANY, 5000) };
        for (size_t i = 0; i < 3; i++) {
            (void)burst(all[i]);
            for (unsigned n = 0; n < sent; n++)
                CHECK_EQ(rig_send(all[i], 2, SB_RELIABLE, rig_pattern(1, n)), SB_OK);
            rig_step(all[i]);
            CHECK_EQ(burst(all[i]), i == 0 ? 10 * sent : sent);
        }
    }
}

TEST(what_our_messages_allow_is_limited_to_2048_of_them)
{
    rig *all[] = { open_host(50, MANY, MANY), open_host(MANY, 500, MANY),
                   open_host(MANY, MANY, 5000) };
    for (size_t i = 0; i < 3; i++) {
        send_many(all[i], 2520); /* the last 20 are not acknowledged */
        CHECK_EQ(burst(all[i]), 100 + (i == 0 ? 10 : 1) * 2048);
    }
}
