/* tests/transport/timing_test.c -- when a reliable message is retransmitted.
 *
 * For:      src/transport/timing.c and its use in outbox.c.
 * Spec:     01 §6.5.
 */
#include "rig.h"
#include "transport/timing.h"

TEST(stock_repeats_come_after_1_3_6_10_15_and_20_seconds)
{
    rig    *r = rig_stock_host_with(1);
    sb_time start = r->now;
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, 0)), SB_OK);
    rig_wait(r, 26 * SB_SECOND);
    CHECK_TEXT(rig_times(r, rig_endpoint(1), SB_TRANSPORT_DATA, start),
               "0 1000 3000 6000 10000 15000 20000 25000");
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.retransmitted, 7);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_RETRANSMITTED), 7);
    CHECK_EQ(info.resend_us, SB_SECOND);
}

/* Sends one message and acknowledges it after `round_trip`. */
static void sample(rig *r, uint16_t seq, sb_time round_trip)
{
    rig_pack p;
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, seq)), SB_OK);
    rig_step(r);
    r->now += round_trip;
    rig_pack_init(&p, 2);
    rig_pack_ack(&p, false, seq);
    GIVE_PACK(r, rig_endpoint(1), &p);
    rig_step(r);
    rig_forget(r);
}

/* A measuring host with one peer and one sample: Data 0 took 100 ms. */
static rig *measured_host(void)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.retransmit = SB_RETRANSMIT_MEASURED;
    rig *r = rig_host_with(1, &config);
    sample(r, 0, 100 * RIG_MILLISECOND);
    return r;
}

TEST(measured_waits_follow_the_round_trips_within_their_bounds)
{
    rig         *r = measured_host();
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.round_trip_us, 100 * RIG_MILLISECOND);
    /* srtt 100, rttvar 50 after the first sample: 100 + 4 * 50 + 100 ms. */
    CHECK_EQ(info.resend_us, 400 * RIG_MILLISECOND);
    uint16_t seq = 1;
    while (seq < 60) sample(r, seq++, 10 * RIG_MILLISECOND);
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.resend_us, 250 * RIG_MILLISECOND); /* the minimum */
    CHECK(info.round_trip_us < 12 * RIG_MILLISECOND);
    while (seq < 120)
        sample(r, seq++, 240 * RIG_MILLISECOND); /* shorter than the timeout: no retransmission */
    CHECK(rig_info(r, 2, &info));
    CHECK(info.round_trip_us > 235 * RIG_MILLISECOND &&
          info.round_trip_us <= 240 * RIG_MILLISECOND);
    CHECK(info.resend_us >= 340 * RIG_MILLISECOND && info.resend_us < 400 * RIG_MILLISECOND);
}

TEST(without_a_sample_measured_waits_grow_from_1_to_5_seconds)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.retransmit = SB_RETRANSMIT_MEASURED;
    rig *r = rig_open_host(&config);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    rig_step(r);
    GIVE(r, rig_endpoint(1), "02 01 02"); /* established without an Ack: no sample */
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.round_trip_us, 0);
    CHECK_EQ(info.resend_us, SB_SECOND);
    sb_time start = r->now;
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, 0)), SB_OK);
    rig_wait(r, 26 * SB_SECOND);
    CHECK_TEXT(rig_times(r, rig_endpoint(1), SB_TRANSPORT_DATA, start),
               "0 1000 2500 4750 8125 13125 18125 23125");
}

TEST(repeated_messages_give_no_samples)
{
    rig         *r = measured_host();
    sb_peer_info before, after;
    CHECK(rig_info(r, 2, &before));
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, 0)), SB_OK);
    rig_wait(r, 500 * RIG_MILLISECOND); /* retransmitted at 400 ms */
    CHECK_EQ(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_DATA), 2);
    GIVE(r, rig_endpoint(1), "02 01 01 01 00 00");
    CHECK(rig_info(r, 2, &after));
    CHECK_EQ(after.unacknowledged, 0);
    CHECK_EQ(after.round_trip_us, before.round_trip_us);
    CHECK_EQ(after.resend_us, before.resend_us);
}

TEST(an_ack_three_datagrams_later_resends_a_measured_message)
{
    rig *r = measured_host();
    for (unsigned i = 1; i <= 6; i++) { /* each in a datagram of its own, 5 ms apart */
        CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, i)), SB_OK);
        rig_step(r);
        rig_wait(r, 5 * RIG_MILLISECOND);
    }
    rig_wait(r, 60 * RIG_MILLISECOND);
    rig_forget(r);
    GIVE(r, rig_endpoint(1),
         "02 02 01 02 00 00 01 03 00 00"); /* 2 and 3: 1 may only be reordered */
    rig_step(r);
    EXPECT_SILENCE(r);
    GIVE(r, rig_endpoint(1), "02 01 01 04 00 00");
    rig_step(r);
    EXPECT_SAID(r, rig_endpoint(1), "Data 1");
    GIVE(r, rig_endpoint(1), "02 02 01 05 00 00 01 06 00 00");
    rig_step(r);
    EXPECT_SILENCE(r); /* 5 and 6 left before the retransmission of 1 */
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_RETRANSMITTED_FAST), 1);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_RETRANSMITTED), 0);
    GIVE(r, rig_endpoint(1), "02 01 01 01 00 00");
    rig_wait(r, 4 * SB_SECOND);
    CHECK_EQ(rig_count_sent(r, rig_endpoint(1), SB_TRANSPORT_DATA), 0);
}

TEST(one_later_ack_resends_a_measured_message_after_a_round_trip)
{
    rig    *r = measured_host(); /* srtt 100 ms, rttvar 50 ms: 100 + 2 * 50 ms */
    sb_time start = r->now;
    for (unsigned i = 1; i <= 2; i++) {
        CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, i)), SB_OK);
        rig_step(r);
    }
    rig_wait(r, 100 * RIG_MILLISECOND);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), "02 01 01 02 00 00");
    rig_wait(r, 300 * RIG_MILLISECOND);
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    /* The Ack was a sample of 100 ms too: rttvar is 37.5 ms now, so 100 + 2 * 37.5. */
    CHECK_TEXT(rig_times(r, rig_endpoint(1), SB_TRANSPORT_DATA, start), "175");
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_RETRANSMITTED_FAST), 1);
}

TEST(messages_of_one_datagram_do_not_overtake_each_other)
{
    rig    *r = measured_host();
    sb_time start = r->now;
    for (unsigned i = 1; i <= 5; i++)
        CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, i)), SB_OK);
    rig_step(r);
    rig_wait(r, 50 * RIG_MILLISECOND);
    rig_forget(r);
    GIVE(r, rig_endpoint(1), "02 04 01 02 00 00 01 03 00 00 01 04 00 00 01 05 00 00");
    rig_step(r);
    EXPECT_SILENCE(r); /* 1 was in the same datagram: only its Ack is missing */
    rig_wait(r, SB_SECOND);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_RETRANSMITTED_FAST), 0);
    CHECK(r->sent_count > 0);
    CHECK(r->sent[0].at - start >= 250 * RIG_MILLISECOND);
}

TEST(stock_repeats_do_not_come_early_whatever_is_acknowledged)
{
    rig    *r = rig_stock_host_with(1);
    sb_time start = r->now;
    for (unsigned i = 0; i < 6; i++) {
        CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, i)), SB_OK);
        rig_step(r);
    }
    rig_forget(r);
    GIVE(r, rig_endpoint(1), "02 05 01 01 00 00 01 02 00 00 01 03 00 00 01 04 00 00 01 05 00 00");
    rig_wait(r, 1500 * RIG_MILLISECOND);
    CHECK_TEXT(rig_times(r, rig_endpoint(1), SB_TRANSPORT_DATA, start), "1000");
}

/* ---- the arithmetic ---- */

TEST(a_sample_moves_the_mean_by_an_eighth_of_the_difference)
{
    sb_round_trip trip = { 0 };
    sb_timing_add_sample(&trip, 800);
    CHECK_EQ(trip.smoothed_us, 800);
    CHECK_EQ(trip.variation_us, 400);
    sb_timing_add_sample(&trip, 1600);
    CHECK_EQ(trip.smoothed_us, 900);
    CHECK_EQ(trip.variation_us, 500); /* by a quarter */
    sb_timing_add_sample(&trip, 100);
    CHECK_EQ(trip.smoothed_us, 800);
    CHECK_EQ(trip.variation_us, 575);
    trip = (sb_round_trip){ 0 };
    sb_timing_add_sample(&trip, 0);
    CHECK_EQ(trip.smoothed_us, 1); /* 0 would mean that nothing was measured */
}

static sb_time wait_of(sb_resend_pace pace, sb_time smoothed, sb_time variation, unsigned sends)
{
    sb_round_trip trip = { .smoothed_us = smoothed, .variation_us = variation };
    return sb_timing_resend_after(pace, &trip, sends);
}

TEST(a_measured_wait_is_mean_four_variations_and_a_host_tick)
{
    CHECK_EQ(wait_of(SB_PACE_MEASURED, 0, 0, 1), SB_SECOND);
    CHECK_EQ(wait_of(SB_PACE_MEASURED, 1, 0, 1), SB_SECOND / 4);
    CHECK_EQ(wait_of(SB_PACE_MEASURED, 200000, 1000, 1), 304000);
    CHECK_EQ(wait_of(SB_PACE_MEASURED, 5 * SB_SECOND, 0, 1), 3 * SB_SECOND);
    CHECK_EQ(wait_of(SB_PACE_MEASURED, 200000, 1000, 2), 456000); /* half as long again */
    CHECK_EQ(wait_of(SB_PACE_MEASURED, 200000, 1000, 3), 684000);
    CHECK_EQ(wait_of(SB_PACE_MEASURED, 200000, 1000, 99), 5 * SB_SECOND);
}

TEST(without_a_sample_an_ambiguous_ack_lengthens_the_wait)
{
    sb_round_trip trip = { 0 };
    sb_timing_add_ambiguous(&trip, SB_SECOND, 2); /* 2 s after the first copy, plus a quarter */
    CHECK_EQ(sb_timing_resend_after(SB_PACE_MEASURED, &trip, 1), 2500 * RIG_MILLISECOND);
    sb_timing_add_ambiguous(&trip, 60 * SB_SECOND, 2);
    CHECK_EQ(sb_timing_resend_after(SB_PACE_MEASURED, &trip, 1), 3 * SB_SECOND);
    CHECK_EQ(sb_timing_resend_after(SB_PACE_STOCK, &trip, 1), SB_SECOND);
    sb_timing_add_sample(&trip, 10 * RIG_MILLISECOND);
    CHECK_EQ(sb_timing_resend_after(SB_PACE_MEASURED, &trip, 1), SB_SECOND / 4);
}

TEST(with_samples_the_second_ambiguous_ack_lengthens_the_wait)
{
    sb_round_trip trip = { 0 };
    for (int i = 0; i < 40; i++) sb_timing_add_sample(&trip, 10 * RIG_MILLISECOND);
    sb_timing_add_ambiguous(&trip, 50 * RIG_MILLISECOND, 2);
    CHECK_EQ(sb_timing_resend_after(SB_PACE_MEASURED, &trip, 1), 250 * RIG_MILLISECOND);
    sb_timing_add_ambiguous(&trip, 50 * RIG_MILLISECOND, 2);
    CHECK_EQ(sb_timing_resend_after(SB_PACE_MEASURED, &trip, 1), 375 * RIG_MILLISECOND);
    sb_timing_add_ambiguous(&trip, 50 * RIG_MILLISECOND, 2); /* does not count the longer wait */
    CHECK_EQ(sb_timing_resend_after(SB_PACE_MEASURED, &trip, 1), 375 * RIG_MILLISECOND);
    sb_timing_add_sample(&trip, 10 * RIG_MILLISECOND);
    CHECK_EQ(sb_timing_resend_after(SB_PACE_MEASURED, &trip, 1), 250 * RIG_MILLISECOND);
}

TEST(leaving_peers_repeat_twice_fast_then_every_second)
{
    CHECK_EQ(wait_of(SB_PACE_LEAVING, 0, 0, 1), SB_SECOND / 2);
    CHECK_EQ(wait_of(SB_PACE_LEAVING, 0, 0, 2), SB_SECOND / 2);
    CHECK_EQ(wait_of(SB_PACE_LEAVING, 0, 0, 3), SB_SECOND);
    CHECK_EQ(wait_of(SB_PACE_LEAVING, 0, 0, 30), SB_SECOND);
    CHECK_EQ(wait_of(SB_PACE_STOCK, 0, 0, 4), 4 * SB_SECOND);
    CHECK_EQ(wait_of(SB_PACE_STOCK, 0, 0, 6), 5 * SB_SECOND);
}

TEST(reordering_has_a_quarter_of_the_mean_or_two_variations)
{
    CHECK_EQ(sb_timing_reorder_time(&(sb_round_trip){ .smoothed_us = 400, .variation_us = 10 }),
             500);
    CHECK_EQ(sb_timing_reorder_time(&(sb_round_trip){ .smoothed_us = 400, .variation_us = 40 }),
             500);
    CHECK_EQ(sb_timing_reorder_time(&(sb_round_trip){ .smoothed_us = 400, .variation_us = 60 }),
             520);
    CHECK_EQ(sb_timing_reorder_time(&(sb_round_trip){ .smoothed_us = 400, .variation_us = 100 }),
             600);
    CHECK_EQ(sb_timing_reorder_time(&(sb_round_trip){ .smoothed_us = 0, .variation_us = 0 }), 0);
}
