/* tests/transport/strangers_test.c -- how often addresses without a session may send a Connect.
 *
 * For:      src/transport/strangers.c.
 * Spec:     01 §10.6.
 */
#include "rig.h"

TEST(one_address_may_connect_5_times_at_once_and_2_a_second)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.password = rig_wide("no"); /* so that no half-open entry limits the Connects */
    rig     *r = rig_open_host(&config);
    uint64_t rate = 0;
    for (uint16_t i = 0; i < 10; i++) {
        sb_endpoint from = { 0x0A000001, (uint16_t)(1000 + i) };
        (void)!rig_give_hex(r, from, RIG_CONNECT);
        rate = rig_count(r, SB_TRANSPORT_COUNT_CONNECT_RATE_SOURCE);
        CHECK_EQ(rate, i < 5 ? 0 : i - 4);
    }
    rig_wait(r, SB_SECOND);
    for (uint16_t i = 0; i < 4; i++)
        (void)!rig_give_hex(r, (sb_endpoint){ 0x0A000001, (uint16_t)(2000 + i) }, RIG_CONNECT);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONNECT_RATE_SOURCE), rate + 2);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_PASSWORD), 7);
}

TEST(all_strangers_may_connect_40_times_at_once_and_20_a_second)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.password = rig_wide("no");
    rig *r = rig_open_host(&config);
    for (unsigned i = 0; i < 60; i++) (void)!rig_give_hex(r, rig_endpoint(i), RIG_CONNECT);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_PASSWORD), 40);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONNECT_RATE_TOTAL), 20);
    rig_wait(r, SB_SECOND);
    for (unsigned i = 100; i < 160; i++) (void)!rig_give_hex(r, rig_endpoint(i), RIG_CONNECT);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_PASSWORD), 60);
}
