/* tests/transport/link_test.c -- datagrams of one session: structure of those that arrive,
 * content of those that leave, NoOps, stalls.
 *
 * For:      src/transport/link.c.
 * Spec:     01 §3, §4.11, §6.2, §8.2, §10.3.
 */
#include "rig.h"

#include <string.h>

/* ---- Keepalive (spec 01 §8.2) -------------------------------------------------------------- */

TEST(noops_are_not_acknowledged_and_carry_no_old_acks)
{
    rig        *r = rig_host_with(1, NULL);
    sb_endpoint at = rig_endpoint(1);
    GIVE(r, at, "02 01 02");
    rig_step(r);
    rig_forget(r);
    GIVE(r, at, "02 02 32 06 80 00 00 AA 02");
    CHECK_TEXT(rig_answer(r, at), "Ack 0");
    rig_wait(r, 5 * SB_SECOND);
    EXPECT_SAID(r, at, "NoOp");
}

/* ---- Content of a datagram (spec 01 §3, §6.2) ---------------------------------------------- */

TEST(a_datagram_has_acks_repeats_control_reliable_unreliable)
{
    rig        *r = rig_host_with(2, NULL);
    sb_endpoint at = rig_endpoint(1);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, 0)), SB_OK);
    rig_step(r);
    rig_forget(r);
    r->now += SB_SECOND; /* Data 0 is due again */
    CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(3, 0)), SB_OK);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(10, 1)), SB_OK);
    rig_give_name(r, rig_endpoint(2), 3, 1, rig_wide("Kirk"));
    GIVE(r, at, "02 02 32 06 80 00 00 AA 32 06 80 01 00 AA");
    rig_step(r);
    EXPECT_SAID(r, at, "Ack 0, Ack 1, Data 0, Name 1, Data 1, Data");
}

TEST(datagrams_are_filled_but_never_beyond_512_bytes)
{
    rig     *r = rig_host_with(1, NULL);
    unsigned left = 0;
    for (unsigned i = 0; i < 200; i++)
        CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(1 + i % 90, i)), SB_OK);
    rig_step(r);
    for (const rig_sent *sent = rig_next_sent(r); sent; sent = rig_next_sent(r)) {
        left += rig_message_count(sent);
        if (left < 200) CHECK(sent->size > 512 - 93); /* the next message did not fit */
    }
    CHECK_EQ(left, 200);
    for (size_t size = 380; size <= 407; size++) { /* two messages around the limit */
        rig_forget(r);
        CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(size, 0)), SB_OK);
        CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(512 - 2 - 3 - 3 - 394, 0)), SB_OK);
        rig_step(r);
        CHECK_EQ(r->sent_count, size <= 394 ? 1 : 2);
        if (size == 394) CHECK_EQ(r->sent[0].size, 512);
    }
}

TEST(datagrams_are_full_before_they_hold_255_messages)
{
    rig *r = rig_host_with(1, NULL);
    for (int i = 0; i < 300; i++) CHECK_EQ(rig_send(r, 2, SB_UNRELIABLE, rig_pattern(0, 0)), SB_OK);
    rig_step(r);
    unsigned most = 0, sum = 0;
    for (const rig_sent *sent = rig_next_sent(r); sent; sent = rig_next_sent(r)) {
        if (rig_message_count(sent) > most) most = rig_message_count(sent);
        sum += rig_message_count(sent);
    }
    CHECK_EQ(sum, 300); /* 3 bytes each: 170 fill the 510 bytes before the count does */
    CHECK_EQ(most, 170);
}

/* ---- Stalls (spec 01 §6.2) ------------------------------------------------------------------ */

TEST(sixty_seconds_without_a_matching_ack_end_the_session)
{
    rig    *r = rig_host_with(2, NULL);
    sb_time start = r->now;
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(2, 0)), SB_OK);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(2, 1)), SB_OK);
    rig_step(r);
    for (int i = 0; i < 4; i++) { /* the peer is alive, but its Acks match nothing */
        rig_wait(r, 10 * SB_SECOND);
        GIVE(r, rig_endpoint(1), "02 02 02 01 07 00 00");
        GIVE(r, rig_endpoint(2), "03 01 02");
    }
    GIVE(r, rig_endpoint(1), "02 01 01 00 00 00"); /* a matching Ack, at 40 s */
    sb_time progress = r->now;
    CHECK_EQ(progress, start + 40 * SB_SECOND);
    for (int i = 0; i < 5; i++) {
        rig_wait(r, 10 * SB_SECOND);
        GIVE(r, rig_endpoint(1), "02 01 02");
        GIVE(r, rig_endpoint(2), "03 01 02");
    }
    rig_wait_until(r, progress + 60 * SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, 2, SB_LEFT_STALLED);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
}

/* ---- Structure (spec 01 §4.11, §10.3) ------------------------------------------------------ */

TEST(every_structural_error_is_refused_whole_and_changes_nothing)
{
    static const char *const bad[] = {
        "02 01",                                     /* msg_count larger than the content */
        "02 02 32 06 80 00 00 AA",                   /* msg_count too large, after a good message */
        "02 02 32 06 80 00 00 AA 32 04 80 01 00",    /* total_len smaller than the header */
        "02 02 32 06 80 00 00 AA 32 02 00",          /* total_len smaller than any header */
        "02 02 32 06 80 00 00 AA 32 00 00",          /* total_len 0 */
        "02 02 32 06 80 00 00 AA 00 04 C0 01 00",    /* total_len of a control message too small */
        "02 02 32 06 80 00 00 AA 32 08 00 01 02",    /* total_len beyond the datagram */
        "02 02 32 06 80 00 00 AA 05 FF FF 01 00",    /* total_len far beyond the datagram */
        "02 02 32 06 80 00 00 AA 01 00 00",          /* truncated Ack */
        "02 02 32 06 80 00 00 AA 01 00 00 01",       /* truncated fragment Ack */
        "02 02 32 06 80 00 00 AA 32 05 A0 01 00",    /* fragment without index */
        "02 02 32 06 80 00 00 AA 32 06 A0 01 00 00", /* first fragment without total */
        "02 02 32 06 80 00 00 AA 32 08 A0 01 00 00 00 11", /* frag_total 0 */
        "02 02 32 06 80 00 00 AA 32 08 A0 01 00 00 01 11", /* frag_total 1 */
        "02 02 32 06 80 00 00 AA 32 05 20 01 11",          /* fragment without reliable */
    };
    rig *r = rig_host_with(2, NULL), *twin = rig_host_with(2, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        REFUSE(r, rig_endpoint(1), rig_hex(bad[i]), SB_TRANSPORT_COUNT_MALFORMED);
        EXPECT_SAME(r, twin);
    }
    rig_wait(r, 20 * SB_SECOND);
    rig_wait(twin, 20 * SB_SECOND);
    EXPECT_SAME(r, twin); /* no Ack, no effect on timers */
}

TEST(bytes_behind_the_last_message_are_ignored_and_counted)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 AA 32 06 80 01 00 BB");
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\xAA", 1 }));
    EXPECT_NO_EVENT(r);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REST_IGNORED), 1);
}

TEST(a_message_ends_where_its_total_says)
{
    rig *r = rig_host_with(1, NULL);
    /* A Name with bytes after its terminator, then Data that looks like a ChecksumRequest with a
     * long text, then Data. */
    GIVE(r, rig_endpoint(1),
         "02 03 00 12 C0 01 00 02 0A 0A 0A EF 4B 00 00 00 32 06 80 00"
         "32 09 80 00 00 20 00 FF FF 32 06 80 01 00 BB");
    EXPECT_NAMED(r, 2, "K");
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\x20\x00\xFF\xFF", 4 }));
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\xBB", 1 }));
    EXPECT_NO_EVENT(r);
}

TEST(a_datagram_of_255_tiny_messages_is_processed_whole)
{
    rig     *r = rig_host_with(1, NULL);
    rig_pack p;
    rig_pack_init(&p, 2);
    for (uint16_t i = 0; i < 255; i++)
        if (i % 2) rig_pack_data(&p, i / 2, rig_pattern(0, 0));
        else rig_pack_unreliable(&p, rig_pattern(1, i));
    GIVE_PACK(r, rig_endpoint(1), &p);
    for (unsigned i = 0; i < 255; i += 2) EXPECT_UNRELIABLE(r, 2, rig_pattern(1, i));
    EXPECT_NO_EVENT(r);
    rig_step(r);
    unsigned acks = 0;
    for (const rig_sent *sent = rig_next_sent(r); sent; sent = rig_next_sent(r))
        acks += rig_message_count(sent);
    CHECK(acks >= 127);
}

TEST(no_bit_flip_in_a_datagram_stops_a_host)
{
    static const char *const plain[] = {
        "02 03 01 00 00 00 32 06 80 00 00 AA 00 0E C0 01 00 02 0A 0A 0A EF 4B 00 00 00",
        "02 01 32 0F A0 00 00 00 03 11 22 33 44 55 66 77",
        "02 02 05 0A C0 01 00 02 0A 0A 0A EF 01 00 00 01 02",
    };
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++) {
        sb_span whole = rig_hex(plain[k]);
        for (size_t bit = 0; bit < whole.size * 8; bit++) {
            rig    *r = rig_host_with(1, NULL);
            uint8_t bytes[64];
            memcpy(bytes, whole.data, whole.size);
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            (void)!rig_give(r, rig_endpoint(1), (sb_span){ bytes, whole.size });
            rig_step(r); /* the rig checks all invariants */
        }
    }
}
