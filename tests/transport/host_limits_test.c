/* tests/transport/host_limits_test.c -- limits of a running host, and a host that succeeds another.
 *
 * For:      src/transport/host_limits.c.
 * Spec:     01 §9, §10.6.
 */
#include "rig.h"

#include <stdlib.h>
#include <string.h>

static sb_transport_host_config limits(void)
{
    sb_transport_host_config c;
    rig_host_config(&c);
    return c;
}

/* How many datagrams at once the host accepts from a peer. */
static unsigned burst(rig *r, unsigned number, uint8_t id)
{
    uint8_t noop[] = { id, 0x01, 0x02 };
    return rig_give_until_refused(r, rig_endpoint(number), (sb_span){ noop, sizeof noop });
}

TEST(a_peer_keeps_the_rates_with_which_it_connected)
{
    rig                     *r = rig_host_with(1, NULL);
    sb_transport_host_config c = limits();
    c.datagrams_per_s = 10;
    sb_transport_host_set_limits(r->host, &c);
    uint8_t second = rig_join(r, rig_endpoint(2));
    rig_wait(r, 10 * SB_SECOND);
    CHECK_EQ(burst(r, 1, 2), 600); /* twice the rate at its connection */
    CHECK_EQ(burst(r, 2, second), 20);
    rig_wait(r, SB_SECOND);
    CHECK_EQ(burst(r, 1, 2), 300); /* refilled at the old rate */
    CHECK_EQ(burst(r, 2, second), 10);
}

TEST(a_peer_keeps_the_bytes_per_second_with_which_it_connected)
{
    rig                     *r = rig_host_with(1, NULL);
    sb_transport_host_config c = limits();
    c.bytes_per_s = 300;
    sb_transport_host_set_limits(r->host, &c);
    uint8_t second = rig_join(r, rig_endpoint(2));
    rig_wait(r, 10 * SB_SECOND);
    CHECK_EQ(burst(r, 1, 2), 600);
    CHECK_EQ(burst(r, 2, second), 200); /* datagrams of 3 bytes */
}

TEST(a_peer_keeps_the_timeout_with_which_it_connected)
{
    rig                     *r = rig_host_with(1, NULL);
    sb_transport_host_config c = limits();
    c.timeout_us = 12 * SB_SECOND;
    sb_transport_host_set_limits(r->host, &c);
    uint8_t second = rig_join(r, rig_endpoint(2));
    GIVE(r, rig_endpoint(1), "02 01 02");
    GIVE(r, rig_endpoint(2), "03 01 02");
    rig_forget(r);
    rig_wait(r, 12 * SB_SECOND);
    EXPECT_LEFT(r, second, SB_LEFT_TIMED_OUT);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 33 * SB_SECOND);
    EXPECT_LEFT(r, 2, SB_LEFT_TIMED_OUT);
}

TEST(a_lower_limit_of_peers_removes_none)
{
    rig                     *r = rig_host_with(3, NULL);
    sb_transport_host_config c = limits();
    c.max_peers = 2;
    sb_transport_host_set_limits(r->host, &c);
    rig_step(r);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 3);
    rig_prove_all(r);
    CHECK_EQ(rig_give_hex(r, rig_endpoint(4), RIG_CONNECT), SB_NOT_ALLOWED);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_FULL), 1);
}

TEST(a_password_can_be_set_to_itself)
{
    rig *r = rig_host_with(1, NULL);
    sb_transport_host_set_password(r->host, rig_wide("abc"));
    sb_transport_host_set_password(r->host, sb_transport_host_password(r->host));
    sb_span password = sb_transport_host_password(r->host);
    CHECK_BYTES(password.data, password.size, "a\0b\0c\0", 6);
    CHECK_EQ(rig_give_hex(r, rig_endpoint(2), RIG_CONNECT), SB_NOT_ALLOWED);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_PASSWORD), 1);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
}

TEST(a_host_is_idle_when_departures_are_complete)
{
    rig *r = rig_host_with(1, NULL);
    CHECK(!sb_transport_host_is_idle(r->host));
    sb_transport_host_boot(r->host, r->now, 2, SB_BOOT_KICKED);
    rig_step(r);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 0);
    CHECK(!sb_transport_host_is_idle(r->host));
    rig_wait(r, 6 * SB_SECOND);
    CHECK(sb_transport_host_is_idle(r->host));
}

/* The id of the peer that was removed stays unused, and the counters go on. */
TEST(a_successor_continues_counters_and_quarantines)
{
    rig                     *r = rig_host_with(1, NULL);
    sb_transport_host_config c = limits();
    sb_transport_host_boot(r->host, r->now, 2, SB_BOOT_KICKED);
    rig_wait(r, 6 * SB_SECOND);
    rig_forget(r);
    c.max_peers = SB_PEERS_LIMIT;
    void *memory = malloc(sb_transport_host_bytes(&c));
    CHECK(memory);
    sb_transport_host *next = sb_transport_host_init(memory, &c, r->now), *old = r->host;
    sb_transport_host_succeed(next, old);
    r->host = next;
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_JOINED), 1);
    CHECK_EQ(rig_join(r, rig_endpoint(2)), 3);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_JOINED), 2);
    r->host = old;
    free(memory);
}
