/* tests/transport/acks_test.c -- acknowledgements that are sent: when, how often, with what.
 *
 * For:      src/transport/acks.c.
 * Spec:     01 §6.3, §6.8.
 */
#include "rig.h"

TEST(a_burst_of_copies_gets_one_ack_and_each_later_copy_another)
{
    rig *r = rig_host_with(1, NULL);
    for (int i = 0; i < 5; i++) GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 AA");
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack 0");
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 AA");
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack 0");
}

TEST(an_ack_is_repeated_once_in_a_datagram_within_700_ms)
{
    rig        *r = rig_host_with(1, NULL);
    sb_endpoint at = rig_endpoint(1);
    GIVE(r, at, "02 01 32 06 80 00 00 AA");
    rig_step(r);
    EXPECT_SENT(r, at, "01 01 01 00 00 00");
    rig_wait(r, 700 * RIG_MILLISECOND);
    EXPECT_SILENCE(r); /* a repeat alone is no reason for a datagram */
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(1, 0)), SB_OK);
    rig_step(r);
    EXPECT_SAID(r, at, "Data, Ack 0");
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(1, 0)), SB_OK);
    rig_step(r);
    EXPECT_SAID(r, at, "Data"); /* an Ack is repeated only once */
    GIVE(r, at, "02 01 32 06 80 01 00 AA");
    rig_step(r);
    EXPECT_SAID(r, at, "Ack 1");
    rig_wait(r, 700 * RIG_MILLISECOND + 1);
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(1, 0)), SB_OK);
    rig_step(r);
    EXPECT_SAID(r, at, "Data"); /* later than 700 ms */
}

TEST(the_ack_of_a_later_copy_replaces_the_repeat_of_the_first)
{
    rig *r = rig_host_with(1, NULL);
    for (int i = 0; i < 4;
         i++) { /* copies in quick succession: one Ack in each datagram, not two */
        GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 AA");
        rig_step(r);
        EXPECT_SAID(r, rig_endpoint(1), "Ack 0");
        rig_wait(r, 100 * RIG_MILLISECOND);
    }
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(1, 0)), SB_OK);
    rig_step(r);
    EXPECT_SAID(r, rig_endpoint(1), "Data, Ack 0");
}

TEST(acks_wait_for_other_messages_as_long_as_configured)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.ack_delay_us = 50 * RIG_MILLISECOND;
    rig        *r = rig_host_with(1, &config);
    sb_endpoint at = rig_endpoint(1);
    GIVE(r, at, "02 01 32 06 80 00 00 AA");
    rig_wait(r, 50 * RIG_MILLISECOND - 1);
    EXPECT_SILENCE(r);
    rig_wait(r, 1);
    EXPECT_SAID(r, at, "Ack 0");
    rig_wait(r, SB_SECOND);
    GIVE(r, at, "02 01 32 06 80 01 00 AA");
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(1, 0)), SB_OK);
    rig_step(r);
    EXPECT_SAID(r, at, "Ack 1, Data"); /* a datagram left before the delay was over */
    config.ack_delay_us = 50 * RIG_MILLISECOND + 1;
    CHECK_EQ(sb_transport_host_bytes(&config), 0); /* more than §6.3 allows */
}
