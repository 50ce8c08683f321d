/* tests/transport/acks_test.c -- acknowledgements that are sent: when, how often, with what.
 *
 * For:      src/transport/acks.c.
 * Spec:     01 §6.3, §6.8.
 */
#include "rig.h"
#include "transport/acks.h"

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

/* ---- the ring alone ---- */

static sb_acks *open_acks(void)
{
    static sb_acks acks;
    sb_acks_init(&acks);
    return &acks;
}

static bool add(sb_acks *acks, uint16_t seq, uint8_t flags, uint8_t index)
{
    sb_ack_record ack = { .seq = seq, .flags = flags, .frag_index = index };
    return sb_acks_add(acks, &ack, RIG_START);
}

/* Writes one datagram at `now`, fresh Acks first; returns how many Acks it has. */
static unsigned write_acks(sb_acks *acks, sb_time now, unsigned limit, rig_sent *out)
{
    sb_datagram_writer w;
    uint32_t           before = acks->fresh;
    sb_datagram_writer_init(&w, out->plain, sizeof out->plain, SB_PEER_HOST);
    sb_acks_write_fresh(acks, now, &w, limit);
    sb_acks_write_repeats(acks, now, before, &w, limit);
    out->size = w.size;
    return rig_message_count(out);
}

/* Messages whose numbers, channels and fragments differ in one place only. */
TEST(copies_of_many_messages_get_one_ack_each)
{
    static const uint8_t kinds[] = { 0, SB_ACK_LOW_CHANNEL, SB_ACK_FRAGMENT };
    sb_acks             *acks = open_acks();
    for (int copy = 0; copy < 3; copy++)
        for (size_t kind = 0; kind < 3; kind++)
            for (uint16_t i = 0; i < 16; i++)
                CHECK(add(acks, kind == 2 ? 40 : i, kinds[kind], kind == 2 ? (uint8_t)i : 0));
    CHECK_EQ(acks->end - acks->fresh, 3 * 16);
}

/* Numbers that differ by 1024, or by channel and 512, share a place in the table of recent Acks. */
TEST(messages_that_share_a_place_are_not_taken_for_copies)
{
    sb_acks *acks = open_acks();
    rig_sent sent;
    CHECK(add(acks, 7, 0, 0));
    CHECK(add(acks, 7 + 1024, 0, 0));
    CHECK(add(acks, 512, 0, 0));
    CHECK(add(acks, 0, SB_ACK_LOW_CHANNEL, 0));
    CHECK(add(acks, 67, SB_ACK_FRAGMENT, 0));
    CHECK(add(acks, 0, SB_ACK_FRAGMENT, 1));
    CHECK_EQ(write_acks(acks, RIG_START, 255, &sent), 6);
    CHECK_TEXT(rig_describe(&sent), "Ack 7, Ack 1031, Ack 512, Ack low 0, Ack 67/0, Ack 0/1");
    CHECK_EQ(write_acks(acks, RIG_START, 255, &sent), 6); /* each is repeated once */
    CHECK_EQ(write_acks(acks, RIG_START, 255, &sent), 0);
    for (uint32_t seq = 0; seq <= UINT16_MAX; seq += 31)
        CHECK(add(open_acks(), (uint16_t)seq, 0, 0));
}

TEST(of_1024_acks_the_oldest_goes_and_an_unsent_one_is_a_loss)
{
    sb_acks *acks = open_acks();
    rig_sent sent;
    for (uint16_t i = 0; i < SB_ACKS_KEPT; i++) CHECK(add(acks, i, 0, 0));
    CHECK(!add(acks, 5000, 0, 0)); /* Ack 0 was never sent */
    CHECK_EQ(write_acks(acks, RIG_START, 3, &sent), 3);
    CHECK_TEXT(rig_describe(&sent), "Ack 1, Ack 2, Ack 3");
    CHECK(add(acks, 5001, 0, 0)); /* Acks 1 to 3 were */
    CHECK(add(acks, 5002, 0, 0));
    CHECK(add(acks, 5003, 0, 0));
    CHECK(!add(acks, 5004, 0, 0)); /* Ack 4 */
    CHECK_EQ(write_acks(acks, RIG_START, 2, &sent), 2);
    CHECK_TEXT(rig_describe(&sent), "Ack 5, Ack 6");
}

/* The ring grows from 64 places; `at` Acks came and went before. */
TEST(acks_and_copies_are_kept_when_the_ring_grows)
{
    for (uint16_t at = 0; at <= 130; at++) {
        sb_acks *acks = open_acks();
        rig_sent sent;
        for (uint16_t i = 0; i < at; i++) CHECK(add(acks, i, 0, 0));
        while (write_acks(acks, RIG_START, 255, &sent) > 0) continue;
        for (uint16_t i = 0; i < 70; i++) {
            CHECK(add(acks, (uint16_t)(1000 + i), 0, 0));
            CHECK(add(acks, (uint16_t)(1000 + i / 2), 0, 0)); /* a copy */
        }
        CHECK_EQ(acks->end - acks->fresh, 70);
        CHECK_EQ(write_acks(acks, RIG_START, 70, &sent), 70);
        for (uint16_t i = 0; i < 70; i++) /* later copies replace repeats */
            CHECK(add(acks, (uint16_t)(1000 + i), 0, 0));
        CHECK_EQ(write_acks(acks, RIG_START, 255, &sent), 70);
    }
}

/* The datagram that is full leaves the rest for the next one, which is due at once. */
TEST(acks_that_do_not_fit_stay_due)
{
    sb_acks *acks = open_acks();
    rig_sent sent;
    CHECK_EQ(acks->due_at, SB_TIME_NEVER);
    for (uint16_t i = 0; i < 200; i++) CHECK(add(acks, i, 0, 0));
    sb_ack_record later = { .seq = 200 };
    CHECK(sb_acks_add(acks, &later, RIG_START + 5));        /* the first one decides when */
    CHECK_EQ(write_acks(acks, RIG_START, 255, &sent), 127); /* 510 bytes, four an Ack */
    CHECK_EQ(acks->due_at, RIG_START);
    CHECK_EQ(write_acks(acks, RIG_START, 255, &sent), 127); /* 74 fresh ones and repeats */
    CHECK_EQ(acks->due_at, SB_TIME_NEVER);
    CHECK_EQ(write_acks(acks, RIG_START, 255, &sent), 127); /* the rest of 127 and 74, once more */
    CHECK_EQ(write_acks(acks, RIG_START, 255, &sent), 21);
    CHECK_EQ(write_acks(acks, RIG_START, 255, &sent), 0);
    CHECK(sb_acks_add(acks, &later, RIG_START + 9));
    CHECK_EQ(acks->due_at, RIG_START + 9);
}

/* Low 32 bits of the time are kept: they wrap after 71 minutes. */
TEST(an_ack_is_repeated_within_700_ms_when_the_clock_wraps)
{
    sb_time  wrap = (sb_time)1 << 32;
    rig_sent sent;
    for (int late = 0; late < 2; late++) {
        sb_acks *acks = open_acks();
        CHECK(add(acks, 9, 0, 0));
        CHECK_EQ(write_acks(acks, wrap - 350000, 255, &sent), 1);
        CHECK_EQ(write_acks(acks, wrap + 350000 + late, 255, &sent), late ? 0 : 1);
    }
}
