/* tests/transport/outbox_test.c -- messages out: matching Acks, fragments, windows, full queues.
 *
 * For:      src/transport/outbox.c, outbox_queue.c.
 * Spec:     01 §6.2, §6.5, §6.6, §7.1, §10.3.
 */
#include "rig.h"

#include <stdio.h>

/* ---- Matching Acks (spec 01 §6.6) ---------------------------------------------------------- */

TEST(an_ack_matches_by_channel_number_kind_and_index)
{
    static const struct {
        const char *ack;
        unsigned    left;
    } steps[] = {
        { "02 01 01 00 00 02", 4 },    /* low 0 is not data 0 */
        { "02 01 01 00 00 01 00", 4 }, /* a fragment of 0, which is a whole message */
        { "02 01 01 01 00 00", 4 },    /* all of 1, which is in fragments */
        { "02 01 01 01 00 01 03", 4 }, /* a fragment of 1 that does not exist */
        { "02 01 01 02 00 00", 4 },    /* a number never sent */
        { "02 01 01 00 00 00", 3 },    { "02 01 01 00 00 00", 3 }, /* a second Ack of 0 */
        { "02 01 01 01 00 01 02", 2 }, { "02 01 01 01 00 01 00", 1 },
        { "02 01 01 01 00 FD 01", 0 }, /* bits 2-7 of the flags are ignored (§4.4) */
    };
    rig         *r = rig_host_with(1, NULL);
    sb_peer_info info;
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, 0)), SB_OK);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(832, 0)), SB_OK);
    rig_step(r);
    uint64_t unmatched = rig_count(r, SB_TRANSPORT_COUNT_UNMATCHED_ACK);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        GIVE(r, rig_endpoint(1), steps[i].ack);
        CHECK(rig_info(r, 2, &info));
        CHECK_EQ(info.unacknowledged, steps[i].left);
    }
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNMATCHED_ACK), unmatched + 6);
}

TEST(only_fragments_that_are_not_acknowledged_are_sent_again)
{
    rig *r = rig_stock_host_with(1);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(832, 0)), SB_OK);
    rig_step(r);
    GIVE(r, rig_endpoint(1), "02 02 01 00 00 01 00 01 00 00 01 02");
    rig_forget(r);
    rig_wait(r, SB_SECOND);
    EXPECT_SAID(r, rig_endpoint(1), "Data 0/1");
    EXPECT_SILENCE(r);
}

/* ---- Fragments (spec 01 §7.1) -------------------------------------------------------------- */

/* Sends a payload, acknowledges each message, and prints their total_len; returns their number. */
static size_t count_split(rig *r, size_t payload, char *out, size_t room)
{
    size_t               count = 0, at = 0;
    sb_transport_message m;
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(payload, 1)), SB_OK);
    rig_step(r);
    for (const rig_sent *sent = rig_next_sent(r); sent; sent = rig_next_sent(r)) {
        rig_pack p;
        rig_pack_init(&p, 2);
        for (size_t i = 0; rig_message(sent, i, &m); i++) {
            CHECK_EQ(m.type, SB_TRANSPORT_DATA);
            if (at + 8 < room)
                at += (size_t)snprintf(out + at, room - at, "%s%zu", count ? " " : "",
                                       sb_transport_message_bytes(&m));
            CHECK_EQ(m.fragment, payload > 407);
            if (m.fragment) CHECK_EQ(m.frag_index, count);
            if (m.fragment) rig_pack_fragment_ack(&p, m.seq, m.frag_index);
            else rig_pack_ack(&p, false, m.seq);
            count++;
        }
        GIVE_PACK(r, rig_endpoint(1), &p);
        rig_step(r); /* the Acks move the window */
    }
    return count;
}

TEST(payloads_are_split_as_the_table_says)
{
    static const struct {
        size_t      payload;
        const char *totals;
    } cases[] = {
        { 1, "6" },
        { 268, "273" },
        { 407, "412" },
        { 408, "412 9" },
        { 811, "412 412" },
        { 812, "412 412 7" },
        { 832, "412 412 27" },
        { 1217, "412 412 412" },
        { 1218, "412 412 412 7" },
    };
    rig *r = rig_host_with(1, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char totals[64];
        count_split(r, cases[i].payload, totals, sizeof totals);
        CHECK_TEXT(totals, cases[i].totals);
        rig_forget(r);
    }
}

TEST(the_largest_payload_has_255_fragments)
{
    rig *r = rig_host_with(1, NULL);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, (sb_span){ NULL, SB_PAYLOAD_MAX + 1 }), SB_BAD_VALUE);
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, (sb_span){ NULL, SB_PAYLOAD_MAX + 1 }), SB_BAD_VALUE);
    CHECK(sb_transport_host_free_bytes(r->host, 2) >= SB_PAYLOAD_MAX);
    char totals[32];
    CHECK_EQ(count_split(r, SB_PAYLOAD_MAX, totals, sizeof totals), 255);
    CHECK_EQ(sb_transport_host_free_bytes(r->host, 9), 0);
}

TEST(an_unreliable_message_too_long_for_one_becomes_reliable)
{
    rig *r = rig_host_with(1, NULL);
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(409, 0)), SB_OK);
    rig_step(r);
    EXPECT_SAID(r, rig_endpoint(1), "Data 0/0, Data 0/1");
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(407, 0)), SB_OK);
    rig_step(r);
    EXPECT_SAID(r, rig_endpoint(1), "Data"); /* 410 bytes with the header */
}

/* ---- Limits of sending (spec 01 §6.2) ------------------------------------------------------ */

TEST(at_most_256_messages_are_in_flight_and_the_rest_wait)
{
    rig         *r = rig_stock_host_with(1);
    sb_peer_info info;
    for (unsigned i = 0; i < 300; i++)
        CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(2, i)), SB_OK);
    rig_step(r);
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 256);
    CHECK_EQ(info.queued, 44);
    GIVE(r, rig_endpoint(1), "02 01 01 05 00 00"); /* not the oldest: the window does not move */
    rig_step(r);
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.queued, 44);
    GIVE(r, rig_endpoint(1), "02 01 01 00 00 00");
    rig_step(r);
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 255);
    CHECK_EQ(info.queued, 43);
}

/* The limit counts from the oldest unacknowledged message: the receiver may have to store the rest.
 */
TEST(at_most_64_kib_are_in_flight_and_the_rest_wait)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.shared_cells = 8192;
    config.retransmit = SB_RETRANSMIT_STOCK;
    rig         *r = rig_host_with(1, &config);
    sb_peer_info info;
    for (unsigned i = 0; i < 200; i++)
        CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(400, i)), SB_OK);
    rig_step(r);
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 65536 / 400);
    CHECK_EQ(info.queued, 200 - 65536 / 400);
    GIVE(r, rig_endpoint(1), "02 01 01 09 00 00"); /* not the oldest */
    rig_step(r);
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.queued, 200 - 65536 / 400);
    GIVE(r, rig_endpoint(1), "02 01 01 00 00 00");
    rig_step(r);
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.queued, 199 - 65536 / 400);
}

TEST(with_measured_timing_1024_messages_and_100_kib_are_in_flight)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.shared_cells = 8192;
    config.retransmit = SB_RETRANSMIT_MEASURED;
    rig         *small = rig_host_with(1, &config), *large = rig_host_with(1, &config);
    sb_peer_info info;
    for (unsigned i = 0; i < 2000; i++) {
        CHECK_EQ(rig_send(small, 2, SB_RELIABLE, rig_pattern(2, i)), SB_OK);
        if (i % 500 == 499) rig_step(small);
    }
    CHECK(rig_info(small, 2, &info));
    CHECK_EQ(info.unacknowledged, 1024);
    for (unsigned i = 0; i < 400; i++)
        CHECK_EQ(rig_send(large, 2, SB_RELIABLE, rig_pattern(400, i)), SB_OK);
    rig_step(large);
    CHECK(rig_info(large, 2, &info));
    CHECK_EQ(info.unacknowledged, 102400 / 400);
}

TEST(more_than_1024_queued_messages_end_the_session)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.shared_cells = 8192;
    config.retransmit = SB_RETRANSMIT_STOCK;
    rig *r = rig_host_with(1, &config);
    for (unsigned i = 0; i < 256; i++)
        CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(2, i)), SB_OK);
    rig_step(r);
    for (unsigned i = 0; i < 1024; i++)
        CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(2, i)), SB_OK);
    rig_step(r);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(2, 0)), SB_FULL);
    rig_step(r);
    EXPECT_LEFT(r, 2, SB_LEFT_STALLED);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 0);
}

TEST(unreliable_messages_beyond_the_queue_are_lost_and_counted)
{
    rig      *r = rig_host_with(1, NULL);
    sb_result result = SB_OK;
    for (unsigned i = 0; i < 5000 && result == SB_OK; i++)
        result = rig_send(r, 2, SB_UNRELIABLE, rig_pattern(100, i));
    CHECK_EQ(result, SB_FULL);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_DROPPED_UNRELIABLE), 1);
    rig_step(r);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(100, 0)), SB_OK);
}

TEST(a_forged_ack_clears_only_messages_in_flight)
{
    rig         *r = rig_stock_host_with(1);
    sb_peer_info info;
    for (int i = 0; i < 300; i++)
        CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, rig_pattern(1, 0)), SB_OK);
    rig_step(r); /* 256 are in flight, 44 are queued */
    for (uint16_t seq = 256; seq < 600; seq += 100) {
        rig_pack p;
        rig_pack_init(&p, 2);
        for (uint16_t i = 0; i < 100; i++) rig_pack_ack(&p, false, (uint16_t)(seq + i));
        GIVE_PACK(r, rig_endpoint(1), &p);
    }
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 256);
    CHECK_EQ(info.queued, 44);
}
