/* tests/transport/security_test.c -- what hostile, broken and greedy peers may try at a host, and
 * what it costs them. Spec 01 §4.11, §7.2 and §10, row by row; docs/evidence/conformance.md is the table.
 */
#include "rig.h"

#include <stdlib.h>
#include <string.h>

/* ---- §10.2: the order of checks ------------------------------------------------------------ */

TEST(lengths_outside_2_to_1500_are_dropped_unread)
{
    rig           *r = rig_host_with(1, NULL);
    static uint8_t bytes[1600] = { 2, 1, 2 };
    REFUSE(r, rig_endpoint(1), ((sb_span){ bytes, 0 }), SB_TRANSPORT_COUNT_TOO_SHORT);
    REFUSE(r, rig_endpoint(1), ((sb_span){ bytes, 1 }), SB_TRANSPORT_COUNT_TOO_SHORT);
    CHECK_EQ(rig_give(r, rig_endpoint(1), (sb_span){ bytes, 1500 }), SB_OK); /* a NoOp and rest */
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
        CHECK_EQ(rig_refusals(r), refusals + (id != 2)); /* one reason each */
    }
}

TEST(strangers_are_refused_by_address_length_and_rate_before_decryption)
{
    rig           *r = rig_host_with(1, NULL);
    static uint8_t garbage[200];
    memset(garbage, 0x32, sizeof garbage); /* 50 messages, each of 50 bytes beyond 0x1200 */
    garbage[0] = 9;                        /* no Connect: not even looked at, so never malformed */
    REFUSE(r, rig_endpoint(5), ((sb_span){ garbage, 40 }), SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
    garbage[0] = SB_PEER_NONE;
    REFUSE(r, rig_endpoint(5), ((sb_span){ garbage, 16 }), SB_TRANSPORT_COUNT_CONNECT_LENGTH);
    REFUSE(r, rig_endpoint(5), ((sb_span){ garbage, 151 }), SB_TRANSPORT_COUNT_CONNECT_LENGTH);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_MALFORMED), 0);
    for (int i = 0; i < 5; i++)
        REFUSE(r, rig_endpoint(5), ((sb_span){ garbage, i % 2 ? 17u : 150u }),
               SB_TRANSPORT_COUNT_MALFORMED);
    REFUSE(r, rig_endpoint(5), ((sb_span){ garbage, 17 }), SB_TRANSPORT_COUNT_CONNECT_RATE_SOURCE);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_MALFORMED), 5);
}

TEST(a_connect_may_have_17_to_150_bytes)
{
    for (size_t size = 17; size <= 150; size += 133) {
        rig    *r = rig_open_host(NULL);
        uint8_t bytes[150] = { 0xFF, 1, 3, (uint8_t)(size - 2), 0xC0, 0, 0 };
        CHECK_EQ(rig_give(r, rig_endpoint(1), (sb_span){ bytes, size }), SB_OK);
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONNECTS), 1);
    }
}

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

/* ---- §4.11 and the first rows of §10.3: structure ------------------------------------------ */

TEST(every_structural_error_is_refused_whole_and_changes_nothing)
{
    static const char *const bad[] = {
        "02 01",                                           /* msg_count larger than the content */
        "02 02 32 06 80 00 00 AA",                         /* likewise, behind a good message */
        "02 02 32 06 80 00 00 AA 32 04 80 01 00",          /* total_len smaller than the header */
        "02 02 32 06 80 00 00 AA 32 02 00",                /* smaller than any header */
        "02 02 32 06 80 00 00 AA 32 00 00",                /* 0 */
        "02 02 32 06 80 00 00 AA 00 04 C0 01 00",          /* control, likewise */
        "02 02 32 06 80 00 00 AA 32 08 00 01 02",          /* total_len beyond the datagram */
        "02 02 32 06 80 00 00 AA 05 FF FF 01 00",          /* by far */
        "02 02 32 06 80 00 00 AA 01 00 00",                /* truncated Ack */
        "02 02 32 06 80 00 00 AA 01 00 00 01",             /* truncated fragment Ack */
        "02 02 32 06 80 00 00 AA 32 05 A0 01 00",          /* fragment without index */
        "02 02 32 06 80 00 00 AA 32 06 A0 01 00 00",       /* first fragment without total */
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
    EXPECT_SAME(r, twin); /* no Ack, no sign of life, nothing later either */
}

TEST(bytes_behind_the_last_message_are_ignored_and_counted)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 AA 32 06 80 01 00 BB");
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\xAA", 1 }));
    EXPECT_NO_EVENT(r);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REST_IGNORED), 1);
}

TEST(a_message_ends_where_its_total_says_whatever_its_payload_holds)
{
    rig *r = rig_host_with(1, NULL);
    /* A Name with more behind its terminator, then Data that says it is a ChecksumRequest with a
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
    rig_turn(r);
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
            rig_turn(r); /* the rig looks at everything */
        }
    }
}

/* ---- §7.2: bad fragments ------------------------------------------------------------------- */

typedef struct fragment_step {
    const char *hex;
    const char *answer; /* "" : no Ack */
} fragment_step;

static void check_steps(const fragment_step *steps, size_t count, uint64_t bad)
{
    rig *r = rig_host_with(1, NULL);
    for (size_t i = 0; i < count; i++) {
        (void)!rig_give_hex(r, rig_endpoint(1), steps[i].hex);
        CHECK_TEXT(rig_answer(r, rig_endpoint(1)), steps[i].answer);
    }
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_BAD_FRAGMENT), bad);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
}

TEST(a_fragment_total_of_0_or_1_is_a_structural_error_without_ack)
{
    static const fragment_step steps[] = {
        { "02 01 32 08 A0 00 00 00 00 AA", "" },
        { "02 01 32 08 A0 00 00 00 01 AA", "" },
    };
    check_steps(steps, 2, 0);
}

TEST(an_index_at_or_beyond_the_known_total_gets_no_ack)
{
    static const fragment_step steps[] = {
        { "02 01 32 08 A0 00 00 00 03 AA", "Ack 0/0" },
        { "02 01 32 07 A0 00 00 03 AA", "" },
        { "02 01 32 07 A0 00 00 3F AA", "" },
        { "02 01 32 07 A0 00 00 02 AA", "Ack 0/2" },
    };
    check_steps(steps, 4, 2);
}

TEST(a_total_too_small_for_an_index_already_here_gets_no_ack)
{
    static const fragment_step steps[] = {
        { "02 01 32 07 A0 00 00 05 AA", "Ack 0/5" },
        { "02 01 32 08 A0 00 00 00 05 AA", "" },
        { "02 01 32 08 A0 00 00 00 06 AA", "Ack 0/0" },
    };
    check_steps(steps, 3, 1);
}

TEST(a_repeated_fragment_with_other_content_is_acknowledged_and_the_first_one_kept)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 32 08 A0 00 00 00 02 AA");
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack 0/0");
    GIVE(r, rig_endpoint(1), "02 01 32 09 A0 00 00 00 02 BB BB"); /* other length and content */
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack 0/0");
    GIVE(r, rig_endpoint(1), "02 01 32 07 A0 00 00 01 CC");
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\xAA\xCC", 2 }));
}

TEST(the_first_fragment_again_with_another_total_gets_no_ack)
{
    static const fragment_step steps[] = {
        { "02 01 32 08 A0 00 00 00 03 AA", "Ack 0/0" },
        { "02 01 32 08 A0 00 00 00 04 AA", "" },
        { "02 01 32 08 A0 00 00 00 03 AA", "Ack 0/0" },
    };
    check_steps(steps, 3, 1);
}

TEST(a_fragment_and_a_whole_message_of_one_number_the_first_is_kept)
{
    static const fragment_step whole_first[] = {
        { "02 01 32 06 80 05 00 AA", "Ack 5" },
        { "02 01 32 08 A0 05 00 00 02 BB", "" },
    };
    static const fragment_step fragment_first[] = {
        { "02 01 32 08 A0 00 00 00 02 BB", "Ack 0/0" },
        { "02 01 32 06 80 00 00 AA", "" },
    };
    check_steps(whole_first, 2, 1);
    check_steps(fragment_first, 2, 1);
}

TEST(a_partial_message_waits_until_it_is_complete_however_long_it_takes)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 32 07 A0 00 00 01 BB");
    for (int i = 0; i < 360; i++) {
        rig_wait(r, 10 * SB_SECOND);
        GIVE(r, rig_endpoint(1), "02 01 02");
        EXPECT_NO_EVENT(r);
        rig_forget(r);
    }
    GIVE(r, rig_endpoint(1), "02 01 32 08 A0 00 00 00 02 AA");
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\xAA\xBB", 2 }));
}

TEST(three_fragments_that_contradict_others_end_the_conversation)
{
    rig *r = rig_host_with(2, NULL);
    GIVE(r, rig_endpoint(1), "02 01 32 08 A0 00 00 00 03 AA");
    GIVE(r, rig_endpoint(1), "02 01 32 07 A0 00 00 03 AA");
    GIVE(r, rig_endpoint(1), "02 01 32 07 A0 00 00 04 AA");
    rig_turn(r);
    EXPECT_NO_EVENT(r);
    (void)!rig_give_hex(r, rig_endpoint(1), "02 01 32 07 A0 00 00 05 AA");
    rig_turn(r);
    EXPECT_LEFT(r, 2, SB_LEFT_BAD_FRAGMENTS);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
}

/* ---- §10.3, §9: memory --------------------------------------------------------------------- */

/* Sends fragments 1..3 of every number of the window, never the others. */
static void throw_bomb(rig *r, sb_endpoint from, uint8_t id, size_t payload, unsigned *acks)
{
    for (uint16_t seq = 0; seq < 256; seq++)
        for (uint8_t index = 1; index <= 3; index++) {
            rig_pack p;
            rig_pack_init(&p, id);
            rig_pack_fragment(&p, seq, index, 0, rig_pattern(payload, seq));
            (void)!rig_give(r, from, rig_packed(&p));
            rig_wait(r, 5 * RIG_MILLISECOND);
            r->now += 700 * RIG_MILLISECOND; /* no repeated Acks in the count */
            rig_turn(r);
            *acks += rig_count_acks(r);
            rig_forget(r);
            if (seq % 50 == 0) GIVE(r, rig_endpoint(2), "03 01 02");
        }
}

TEST(a_fragment_bomb_fills_512_entries_or_128_kib_and_gets_no_ack_beyond)
{
    static const size_t payloads[] = { 1, 400 };
    for (size_t i = 0; i < 2; i++) {
        sb_transport_host_config config;
        rig_host_config(&config);
        config.timeout_us = 100000 * SB_SECOND;
        config.shared_cells = 4096; /* enough: the other bounds decide */
        rig         *r = rig_host_with(2, &config);
        sb_peer_info info;
        unsigned     acks = 0;
        throw_bomb(r, rig_endpoint(1), 2, payloads[i], &acks);
        CHECK(rig_info(r, 2, &info));
        CHECK(info.stored <= 512);
        CHECK(info.stored_bytes <= 128 * 1024);
        CHECK(info.stored > 100); /* the bound, not a refusal of everything */
        CHECK_EQ(acks, info.stored);
        CHECK(rig_count(r, SB_TRANSPORT_COUNT_NO_ROOM) > 0);
        /* What the bomb blocks is only its own channel: it can still be defused. */
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_BAD_FRAGMENT), 0);
    }
}

/* Otherwise everything could wait for a fragment that finds no room (spec 01 §6.3). */
TEST(early_messages_leave_room_for_the_one_they_wait_for)
{
    rig         *r = rig_host_with(1, NULL);
    sb_peer_info info;
    for (uint16_t seq = 1; seq < 256; seq++) {
        rig_pack p;
        rig_pack_init(&p, 2);
        rig_pack_data(&p, seq, rig_pattern(400, seq));
        GIVE_PACK(r, rig_endpoint(1), &p);
    }
    CHECK(rig_info(r, 2, &info));
    CHECK(info.stored_bytes <= 64 * 1024);
    CHECK(info.stored_bytes > 60 * 1024);
    for (uint8_t i = 0; i < 64; i++) { /* 25,984 bytes for number 0 */
        rig_pack p;
        rig_pack_init(&p, 2);
        rig_pack_fragment(&p, 0, i, i == 0 ? 64 : 0, rig_pattern(406, i));
        GIVE_PACK(r, rig_endpoint(1), &p);
        if (i < 63) EXPECT_NO_EVENT(r);
    }
    const rig_event *e = rig_next_event(r);
    CHECK(e && e->event.bytes.size == 64 * 406);
    for (uint16_t seq = 1; seq <= info.stored; seq++) EXPECT_DATA(r, 2, rig_pattern(400, seq));
    EXPECT_NO_EVENT(r);
}

TEST(one_greedy_peer_leaves_every_other_its_guaranteed_memory)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.timeout_us = 100000 * SB_SECOND;
    rig     *r = rig_host_with(3, &config);
    unsigned acks = 0;
    throw_bomb(r, rig_endpoint(1), 2, 400, &acks);
    /* Messages to a third peer, until the shared part is used up as well. */
    for (int i = 0; i < 400; i++)
        if (sb_transport_host_free_bytes(r->host, 4) > 600)
            CHECK_EQ(sb_transport_host_send(r->host, 4, SB_RELIABLE, rig_pattern(400, 1)), SB_OK);
    CHECK(sb_transport_host_free_bytes(r->host, 4) <= 600);
    /* Peer 3 may still use 160 cells to send and 96 to receive. */
    CHECK(sb_transport_host_free_bytes(r->host, 3) >= 160 / 4 * 406 - 406);
    CHECK_EQ(sb_transport_host_send(r->host, 3, SB_RELIABLE, rig_pattern(15000, 1)), SB_OK);
    for (uint8_t index = 0; index < 16; index++) {
        rig_pack p;
        rig_pack_init(&p, 3);
        rig_pack_fragment(&p, 0, (uint8_t)(15 - index), index == 15 ? 16 : 0, rig_pattern(400, 9));
        GIVE_PACK(r, rig_endpoint(2), &p);
    }
    const rig_event *e = rig_next_event(r);
    CHECK(e && e->event.type == SB_EVENT_MESSAGE);
    CHECK_EQ(e->event.peer_id, 3);
    CHECK_EQ(e->event.bytes.size, 16 * 400);
}

/* Sends a message of so many fragments, last one first, and returns how many were acknowledged. */
static unsigned send_large(rig *r, unsigned fragments, size_t payload)
{
    unsigned acks = 0;
    for (unsigned i = fragments; i-- > 0;) {
        rig_pack p;
        rig_pack_init(&p, 2);
        rig_pack_fragment(&p, 0, (uint8_t)i, i == 0 ? (uint8_t)fragments : 0,
                          rig_pattern(i == 0 && payload == 406 ? 405 : payload, i));
        (void)!rig_give(r, rig_endpoint(1), rig_packed(&p));
        rig_wait(r, 10 * RIG_MILLISECOND);
        r->now += 700 * RIG_MILLISECOND;
        rig_turn(r);
        acks += rig_count_acks(r);
    }
    return acks;
}

static rig *patient_host(void)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.timeout_us = 100000 * SB_SECOND;
    return rig_host_with(1, &config);
}

TEST(before_a_peer_is_trusted_its_messages_have_64_fragments_at_most)
{
    rig *r = patient_host();
    CHECK_EQ(send_large(r, 65, 406), 63); /* not index 64, and not fragment 0, which says 65 */
    EXPECT_NO_EVENT(r);
}

TEST(sixty_four_fragments_of_an_untrusted_peer_are_put_together)
{
    rig *r = patient_host();
    CHECK_EQ(send_large(r, 64, 406), 64);
    const rig_event *e = rig_next_event(r);
    CHECK(e && e->event.type == SB_EVENT_MESSAGE);
    CHECK_EQ(e->event.bytes.size, SB_PAYLOAD_UNJOINED);
}

TEST(a_trusted_peer_may_send_255_fragments)
{
    rig *r = patient_host();
    sb_transport_host_trust(r->host, 2);
    CHECK_EQ(send_large(r, 255, 406), 255);
    const rig_event *e = rig_next_event(r);
    CHECK(e && e->event.type == SB_EVENT_MESSAGE);
    CHECK_EQ(e->event.bytes.size, SB_PAYLOAD_MAX);
}

/* No stock sender makes fragments longer than 406 bytes; a datagram has room for 1,494. */
TEST(oversized_fragments_never_make_a_message_above_the_largest_payload)
{
    rig *r = patient_host();
    sb_transport_host_trust(r->host, 2);
    (void)send_large(r, 80, 1480);
    for (const rig_event *e = rig_next_event(r); e; e = rig_next_event(r))
        if (e->event.type == SB_EVENT_MESSAGE) CHECK(e->event.bytes.size <= SB_PAYLOAD_MAX);
}

TEST(at_a_client_too_oversized_fragments_make_no_message_above_the_largest_payload)
{
    rig *r = rig_open_client(NULL);
    rig_join_client(r, 2);
    for (unsigned i = 72; i-- > 0;) {
        rig_pack p;
        rig_pack_init(&p, SB_PEER_HOST);
        rig_pack_fragment(&p, 0, (uint8_t)i, i == 0 ? 72 : 0, rig_pattern(1480, i));
        (void)!rig_give(r, rig_server(), rig_packed(&p));
    }
    for (const rig_event *e = rig_next_event(r); e; e = rig_next_event(r))
        if (e->event.type == SB_EVENT_MESSAGE) CHECK(e->event.bytes.size <= SB_PAYLOAD_MAX);
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

/* ---- §10.3: replay, forgery, theft --------------------------------------------------------- */

TEST(a_replayed_datagram_brings_reliable_messages_once_and_unreliable_ones_again)
{
    rig *r = rig_host_with(1, NULL);
    for (int i = 0; i < 3; i++) {
        GIVE(r, rig_endpoint(1), "02 02 32 06 80 00 00 AA 32 04 00 BB");
        if (i == 0) EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\xAA", 1 }));
        EXPECT_UNRELIABLE(r, 2, ((sb_span){ (const uint8_t *)"\xBB", 1 }));
        EXPECT_NO_EVENT(r);
    }
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_DUPLICATE), 2);
}

TEST(a_forged_ack_clears_only_what_is_on_its_way_and_nothing_queued)
{
    rig         *r = rig_host_with(1, NULL);
    sb_peer_info info;
    for (int i = 0; i < 300; i++)
        CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, rig_pattern(1, 0)), SB_OK);
    rig_turn(r); /* 256 are on their way, 44 wait */
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

TEST(a_disconnect_counts_only_as_the_next_of_its_channel_and_for_its_sender)
{
    rig *r = rig_host_with(1, NULL);                                 /* low 1 is next */
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 02 00 02 0A 0A 0A EF"); /* 2: early */
    EXPECT_NO_EVENT(r);
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 00 00 02 0A 0A 0A EF"); /* 0: long gone */
    EXPECT_NO_EVENT(r);
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 00 20 02 0A 0A 0A EF"); /* from nowhere */
    EXPECT_NO_EVENT(r);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    GIVE(r, rig_endpoint(1), "02 01 05 0A C0 01 00 02 0A 0A 0A EF"); /* the next */
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
    EXPECT_NO_EVENT(r);
}

/* Spec 01 §4.10: every message of the datagram is processed, then the Disconnect is acted on. */
TEST(data_in_the_datagram_of_a_disconnect_is_delivered_before_the_goodbye)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 02 05 0A C0 01 00 02 0A 0A 0A EF 32 06 80 00 00 AA");
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\xAA", 1 }));
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
    EXPECT_NO_EVENT(r);
    rig_turn(r);
    EXPECT_SAID(r, rig_endpoint(1), "Ack low 1, Ack 0");
}

/* What cannot begin a session may not end one: spec 01 §10.4. */
TEST(a_connect_that_is_refused_does_not_end_the_session_of_a_silent_peer)
{
    static const char *const connects[] = {
        "FF 01 03 05 C0 00 00",                               /* shorter than any Connect */
        "FF 01 03 0F C0 01 00 0A 0A 0A EF F9 78 00 00 00 00", /* not number 0 */
        "FF 01 03 0F 40 0A 0A 0A EF F9 78 00 00 00 00 00 00", /* not reliable */
    };
    for (size_t i = 0; i < sizeof connects / sizeof *connects; i++) {
        rig *r = rig_host_with(1, NULL);
        rig_wait(r, 13 * SB_SECOND);
        rig_forget(r);
        CHECK(rig_give_hex(r, rig_endpoint(1), connects[i]) != SB_OK);
        EXPECT_NO_EVENT(r);
        CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    }
}

TEST(a_spoofed_connect_gets_at_most_48_bytes_for_17_and_no_game_message)
{
    rig *r = rig_open_host(NULL);
    GIVE(r, rig_endpoint(1), RIG_CONNECT);
    CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, rig_pattern(9, 0)), SB_NOT_ALLOWED);
    rig_wait(r, 60 * SB_SECOND);
    size_t bytes = 0;
    for (const rig_sent *sent = rig_next_sent(r); sent; sent = rig_next_sent(r))
        bytes += sent->size;
    CHECK_EQ(bytes, 48);
}

/* Whatever a stranger sends until it is established, it gets at most four times as much. */
TEST(repeated_connects_of_a_half_open_peer_are_no_amplifier)
{
    rig   *r = rig_open_host(NULL);
    size_t in = 0, out = 0;
    for (int i = 0; i < 500; i++) {
        sb_span connect = rig_hex(i % 2 ? RIG_CONNECT : "FF 01 03 05 C0 00 00");
        in += connect.size;
        (void)!rig_give(r, rig_endpoint(1), connect);
        rig_wait(r, 30 * RIG_MILLISECOND);
        for (const rig_sent *s = rig_next_sent(r); s; s = rig_next_sent(r)) out += s->size;
        CHECK(out <= 4 * in);
        rig_forget(r);
    }
}

/* ---- §10.5: another port ------------------------------------------------------------------- */

/* Peer 2 with Data 0 on its way to it; Data 5 and low 1 are expected from it. */
static rig *host_of_wanderer(bool rebind, sb_time silence)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.rebind = rebind;
    rig *r = rig_host_with(2, &config);
    sb_transport_host_set_numbers(r->host, 2, 0, 5);
    CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, rig_pattern(9, 0)), SB_OK);
    rig_turn(r);
    GIVE(r, rig_endpoint(1), "02 01 02");
    rig_wait(r, silence);
    rig_forget(r);
    return r;
}

static const sb_endpoint moved = { 0x0A000001, RIG_PORT + 7 };

static uint16_t port_of_peer(const rig *r)
{
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    return info.address.port;
}

TEST(a_silent_peer_that_shows_knowledge_moves_to_another_port_of_its_address)
{
    static const char *const knowing[] = {
        "02 01 01 00 00 00",                   /* an Ack we wait for */
        "02 01 32 06 80 05 00 AA",             /* the next number */
        "02 01 32 06 80 24 00 AA",             /* 31 ahead */
        "02 02 02 32 08 A0 05 00 00 02 AA",    /* a fragment, behind a NoOp */
        "02 01 05 0A C0 01 00 02 0A 0A 0A EF", /* the low channel */
    };
    for (size_t i = 0; i < sizeof knowing / sizeof *knowing; i++) {
        rig *r = host_of_wanderer(true, 3 * SB_SECOND);
        GIVE(r, moved, knowing[i]);
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REBOUND), 1);
        if (i == 4) continue; /* it left at once */
        CHECK_EQ(port_of_peer(r), moved.port);
        CHECK_EQ(sb_transport_host_send(r->host, 2, SB_UNRELIABLE, rig_pattern(1, 0)), SB_OK);
        rig_turn(r);
        CHECK(rig_next_sent_to(r, moved) != NULL);
        REFUSE(r, rig_endpoint(1), rig_hex("02 01 02"),
               SB_TRANSPORT_COUNT_UNKNOWN_SOURCE); /* the old port is nobody */
        CHECK_EQ(rig_give_hex(r, moved, "02 01 02"), SB_OK);
    }
}

static void check_stays(rig *r, sb_endpoint from, const char *hex)
{
    uint64_t refusals = rig_refusals(r);
    CHECK(rig_give_hex(r, from, hex) != SB_OK);
    CHECK_EQ(rig_refusals(r), refusals + 1);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REBOUND), 0);
    CHECK_EQ(port_of_peer(r), RIG_PORT);
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), "02 01 02"), SB_OK); /* all is as before */
}

TEST(a_peer_heard_from_less_than_3_seconds_ago_does_not_move)
{
    check_stays(host_of_wanderer(true, 3 * SB_SECOND - 1), moved, "02 01 01 00 00 00");
}

TEST(no_peer_moves_to_another_address)
{
    sb_endpoint other = { rig_endpoint(1).address + 100, RIG_PORT };
    check_stays(host_of_wanderer(true, 3 * SB_SECOND), other, "02 01 01 00 00 00");
}

TEST(no_peer_moves_under_another_id)
{
    check_stays(host_of_wanderer(true, 3 * SB_SECOND), moved, "03 01 01 00 00 00");
    check_stays(host_of_wanderer(true, 3 * SB_SECOND), moved, "09 01 01 00 00 00");
}

TEST(no_peer_moves_onto_the_place_of_another)
{
    check_stays(host_of_wanderer(true, 3 * SB_SECOND), rig_endpoint(2), "02 01 01 00 00 00");
}

TEST(no_peer_moves_by_a_datagram_that_does_not_parse)
{
    check_stays(host_of_wanderer(true, 3 * SB_SECOND), moved, "02 02 01 00 00 00");
}

TEST(no_peer_moves_without_showing_knowledge)
{
    static const char *const ignorant[] = {
        "02 01 02",                /* NoOp */
        "02 00",                   /* nothing */
        "02 01 32 04 00 1C",       /* unreliable */
        "02 01 01 00 00 02",       /* an Ack that matches nothing */
        "02 01 01 00 00 01 00",    /* nor does this one */
        "02 01 32 06 80 25 00 AA", /* 32 ahead */
        "02 01 32 06 80 04 00 AA", /* a duplicate */
        "02 01 32 06 80 05 80 AA", /* from nowhere */
    };
    for (size_t i = 0; i < sizeof ignorant / sizeof *ignorant; i++)
        check_stays(host_of_wanderer(true, 3 * SB_SECOND), moved, ignorant[i]);
}

TEST(attempts_to_move_have_a_budget_of_40_at_once_and_20_a_second)
{
    rig *r = host_of_wanderer(true, 3 * SB_SECOND);
    for (int i = 0; i < 40; i++)
        REFUSE(r, moved, rig_hex("02 01 02"), SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
    REFUSE(r, moved, rig_hex("02 01 01 00 00 00"), SB_TRANSPORT_COUNT_OVER_BUDGET);
    rig_wait(r, SB_SECOND / 20);
    GIVE(r, moved, "02 01 01 00 00 00");
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REBOUND), 1);
}

TEST(attempts_to_move_take_nothing_from_strangers_behind_the_same_address)
{
    rig *r = host_of_wanderer(true, 3 * SB_SECOND);
    for (int i = 0; i < 40; i++)
        REFUSE(r, moved, rig_hex("02 01 02"), SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
    sb_endpoint neighbour = { moved.address, 40001 };
    GIVE(r, neighbour, "FF 01 03 0F C0 00 00 0A 0A 0A EF F9 78 00 00 00 00");
}

TEST(no_peer_moves_if_the_configuration_says_so)
{
    check_stays(host_of_wanderer(false, 3 * SB_SECOND), moved, "02 01 01 00 00 00");
}

/* ---- §10.6: budgets ------------------------------------------------------------------------ */

TEST(an_established_peer_has_600_datagrams_at_once_and_300_more_each_second)
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
    rig_turn(r); /* 9 in all, fragments included */
    CHECK_EQ(rig_give_until_refused(r, rig_endpoint(1), rig_hex("02 01 02")), 690);
}

TEST(the_nine_acks_of_a_stock_peer_each_in_its_own_datagram_are_within_the_budget)
{
    rig *r = rig_host_with(1, NULL);
    for (unsigned i = 0; i < 200; i++)
        CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, rig_pattern(3, i)), SB_OK);
    rig_turn(r);
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

/* 1,000 datagrams a second from peer 2 while peer 3 goes on; returns when peer 2 was gone. */
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

TEST(ten_seconds_over_budget_end_the_conversation_and_nobody_elses)
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
    rig_turn(r);
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

TEST(one_address_may_connect_five_times_at_once_and_twice_a_second)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.password = rig_wide("no"); /* so that no half-open entries are in the way */
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

TEST(all_strangers_together_may_connect_forty_times_at_once_and_twenty_times_a_second)
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

TEST(at_most_32_entries_are_half_open_and_4_of_one_address)
{
    rig *r = rig_open_host(NULL);
    for (uint16_t i = 0; i < 5; i++)
        (void)!rig_give_hex(r, (sb_endpoint){ 0x0A000001, (uint16_t)(1000 + i) }, RIG_CONNECT);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONNECTS), 4);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_HALF_OPEN_SOURCE), 1);
    for (unsigned i = 2; i < 37; i++) (void)!rig_give_hex(r, rig_endpoint(i), RIG_CONNECT);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONNECTS), 32);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_HALF_OPEN_TOTAL), 7);
    rig_wait(r, 10 * SB_SECOND); /* they are gone by themselves */
    rig_forget(r);
    CHECK_EQ(rig_join(r, rig_endpoint(50)), 2);
}

/* Eight addresses could otherwise keep everybody out, with a few datagrams a second. */
TEST(in_a_full_table_who_did_not_answer_for_three_seconds_makes_way)
{
    rig *r = rig_open_host(NULL);
    for (unsigned i = 2; i < 34; i++) (void)!rig_give_hex(r, rig_endpoint(i), RIG_CONNECT);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONNECTS), 32);
    rig_wait(r, 3 * SB_SECOND - 1);
    (void)!rig_give_hex(r, rig_endpoint(50), RIG_CONNECT);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_HALF_OPEN_TOTAL), 1);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_HALF_OPEN_REPLACED), 0);
    rig_wait(r, 1);
    rig_forget(r);
    CHECK(rig_join(r, rig_endpoint(50)) >= 2);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_HALF_OPEN_REPLACED), 1);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_HALF_OPEN_TOTAL), 1);
}

TEST(half_open_entries_do_not_get_around_the_peers_allowed_per_address)
{
    rig *r = rig_open_host(NULL);
    for (uint16_t i = 0; i < 3; i++)
        CHECK_EQ(rig_join(r, (sb_endpoint){ 0x0A000001, (uint16_t)(1000 + i) }), i + 2);
    rig_wait(r, 5 * SB_SECOND);
    for (uint16_t i = 0; i < 4; i++) { /* four Connects before any of them answers */
        (void)!rig_give_hex(r, (sb_endpoint){ 0x0A000001, (uint16_t)(2000 + i) }, RIG_CONNECT);
        rig_turn(r);
    }
    for (uint16_t i = 0; i < 4; i++) {
        uint8_t ack[] = { (uint8_t)(5 + i), 1, 1, 0, 0, 2 };
        (void)!rig_give(r, (sb_endpoint){ 0x0A000001, (uint16_t)(2000 + i) }, (sb_span){ ack, 6 });
    }
    CHECK_EQ(sb_transport_host_peer_count(r->host), 4);
}

TEST(more_half_open_peers_than_places_do_not_get_around_the_limit_of_peers)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = 2;
    rig *r = rig_open_host(&config);
    for (unsigned i = 1; i <= 4; i++) GIVE(r, rig_endpoint(i), RIG_CONNECT);
    rig_turn(r);
    for (unsigned i = 1; i <= 4; i++) {
        uint8_t ack[] = { (uint8_t)(1 + i), 1, 1, 0, 0, 2 };
        (void)!rig_give(r, rig_endpoint(i), (sb_span){ ack, 6 });
        rig_turn(r);
    }
    CHECK_EQ(sb_transport_host_peer_count(r->host), 2);
    CHECK(rig_count(r, SB_TRANSPORT_COUNT_REFUSED_FULL) >= 2);
}

/* A host whose only place is taken while another, half-open, has not answered yet. */
static rig *host_of_latecomer(void)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = 1;
    rig *r = rig_open_host(&config);
    GIVE(r, rig_endpoint(1), RIG_CONNECT); /* id 2 */
    rig_turn(r);
    CHECK_EQ(rig_join(r, rig_endpoint(2)), 3);
    rig_wait(r, 6 * SB_SECOND);
    rig_forget(r);
    return r;
}

TEST(who_answers_when_no_place_is_left_gets_a_boot_for_each_datagram)
{
    rig *r = host_of_latecomer();
    for (int i = 0; i < 3; i++) {
        CHECK(rig_give_hex(r, rig_endpoint(1), "02 01 01 00 00 02") != SB_OK);
        rig_turn(r);
        EXPECT_SENT(r, rig_endpoint(1), "01 01 04 07 C0 01 00 03 02");
    }
    EXPECT_NO_EVENT(r);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
}

TEST(who_answers_when_no_place_is_left_is_no_amplifier)
{
    rig   *r = host_of_latecomer();
    size_t in = 17, out = 4 * 12; /* the Connect, and the answers at 0, 1, 3 and 6 s */
    for (int i = 0; i < 100; i++) {
        sb_span plain = rig_hex(i == 0 ? "02 01 02" : "02 00");
        in += plain.size;
        (void)!rig_give(r, rig_endpoint(1), plain);
        rig_turn(r);
        for (const rig_sent *s = rig_next_sent_to(r, rig_endpoint(1)); s;
             s = rig_next_sent_to(r, rig_endpoint(1)))
            out += s->size;
        CHECK(out <= 4 * in);
    }
}

TEST(peers_per_address_can_be_raised_or_unlimited)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.peers_per_ip = 0;
    rig *r = rig_open_host(&config);
    for (uint16_t i = 0; i < 10; i++)
        CHECK_EQ(rig_join(r, (sb_endpoint){ 0x0A000001, (uint16_t)(1000 + i) }), i + 2);
}

/* ---- Every refusal counts ------------------------------------------------------------------ */

static void give(rig *r, unsigned from, const char *hex)
{
    (void)!rig_give_hex(r, rig_endpoint(from), hex);
}

static void give_too_long(rig *r)
{
    static const uint8_t bytes[1501] = { 2, 1, 2 };
    (void)!rig_give(r, rig_endpoint(1), (sb_span){ bytes, sizeof bytes });
}

static void give_budget(rig *r)
{
    (void)rig_give_until_refused(r, rig_endpoint(1), rig_hex("02 01 02"));
}

static void give_connects(rig *r, unsigned sources, unsigned ports)
{
    for (unsigned i = 0; i < sources; i++)
        for (unsigned k = 0; k < ports; k++) {
            sb_endpoint from = { 0x0A001000u + i, (uint16_t)(1000 + k) };
            (void)!rig_give_hex(r, from, RIG_CONNECT);
        }
}

static void give_many_sources(rig *r)
{
    give_connects(r, 50, 1);
}

static void give_many_ports(rig *r)
{
    give_connects(r, 1, 6);
}

static void join_until_full(rig *r)
{
    for (unsigned i = 10; i < 24; i++) (void)rig_join(r, rig_endpoint(i));
    (void)!rig_give_hex(r, rig_endpoint(30), RIG_CONNECT);
}

static void join_one_address(rig *r)
{
    for (uint16_t i = 0; i < 4; i++)
        (void)rig_join(r, (sb_endpoint){ 0x0A000050, (uint16_t)(1000 + i) });
    (void)!rig_give_hex(r, (sb_endpoint){ 0x0A000050, 2000 }, RIG_CONNECT);
}

static void give_bomb(rig *r)
{
    give(r, 1, "02 01 32 07 A0 00 00 40 AA"); /* the 65th fragment of an untrusted peer */
}

static void give_contradiction(rig *r)
{
    give(r, 1, "02 02 32 08 A0 00 00 00 02 AA 32 07 A0 00 00 02 AA");
}

static void leave_and_talk(rig *r)
{
    give(r, 1, "02 01 05 0A C0 01 00 02 0A 0A 0A EF");
    give(r, 1, "02 01 32 06 80 00 00 AA");
}

static void owe_many_acks(rig *r)
{
    for (uint16_t i = 0; i < 1200; i = (uint16_t)(i + 100)) {
        rig_pack p;
        rig_pack_init(&p, 2);
        for (uint16_t k = 0; k < 100; k++) rig_pack_data(&p, (uint16_t)(i + k), rig_pattern(1, 0));
        GIVE_PACK(r, rig_endpoint(1), &p);
    }
}

static void send_without_room(rig *r)
{
    for (int i = 0; i < 5000; i++)
        if (sb_transport_host_send(r->host, 2, SB_UNRELIABLE, rig_pattern(300, 0)) != SB_OK) return;
}

/* Copies of a Connect, each of which is answered, and nobody writes the answers. */
static void ask_without_waiting(rig *r)
{
    uint8_t     bytes[64];
    size_t      size = test_hex("FF 01 03 0F C0 00 00 0A 0A 0A EF F9 78 00 00 00 00", bytes, 64);
    sb_endpoint from[2] = { { 0x0B000001, 7001 }, { 0x0B000001, 7002 } };
    sb_encrypt_datagram(bytes, size);
    for (int i = 0; i < 100; i++)
        (void)!rig_receive_unchecked(r, from[i % 2], (sb_span){ bytes, size });
}

static void rename_twice(rig *r)
{
    give(r, 1, "02 01 00 0E C0 01 00 02 0A 0A 0A EF 4B 00 00 00");
    give(r, 1, "02 01 00 0E C0 02 00 02 0A 0A 0A EF 4C 00 00 00");
    give(r, 1, "02 01 00 0E C0 03 00 02 0A 0A 0A EF 4D 00 00 00");
}

static bool admit_nobody(void *context, sb_endpoint from, const sb_connect_request *request,
                         uint8_t *boot_reason)
{
    const bool *closed = context;
    (void)from, (void)request, (void)boot_reason;
    return !*closed;
}

static bool closed_now;

static void close_the_door(rig *r)
{
    closed_now = true;
    give(r, 9, RIG_CONNECT);
}

static const struct stimulus {
    sb_transport_counter counter;
    unsigned             from; /* with `hex` */
    const char          *hex;
    void (*run)(rig *r);
} stimuli[] = {
    { SB_TRANSPORT_COUNT_TOO_SHORT, 1, "02", NULL },
    { SB_TRANSPORT_COUNT_TOO_LONG, 0, NULL, give_too_long },
    { SB_TRANSPORT_COUNT_NOT_GAME, 1, "5C 73 74 61 74 75 73 5C", NULL },
    { SB_TRANSPORT_COUNT_WRONG_DIRECTION, 1, "01 01 02", NULL },
    { SB_TRANSPORT_COUNT_BAD_ID, 1, "80 01 02", NULL },
    { SB_TRANSPORT_COUNT_UNKNOWN_SOURCE, 9, "02 01 02", NULL },
    { SB_TRANSPORT_COUNT_ID_MISMATCH, 1, "03 01 02", NULL },
    { SB_TRANSPORT_COUNT_OVER_BUDGET, 0, NULL, give_budget },
    { SB_TRANSPORT_COUNT_CONNECT_LENGTH, 9, "FF 01 02", NULL },
    { SB_TRANSPORT_COUNT_NOT_A_CONNECT, 9, "FF 01 32 0F 80 00 00 0A 0A 0A EF F9 78 00 00 00 00",
      NULL },
    { SB_TRANSPORT_COUNT_CONNECT_RATE_SOURCE, 0, NULL, give_many_ports },
    { SB_TRANSPORT_COUNT_CONNECT_RATE_TOTAL, 0, NULL, give_many_sources },
    { SB_TRANSPORT_COUNT_HALF_OPEN_SOURCE, 0, NULL, give_many_ports },
    { SB_TRANSPORT_COUNT_HALF_OPEN_TOTAL, 0, NULL, give_many_sources },
    { SB_TRANSPORT_COUNT_REFUSED_FULL, 0, NULL, join_until_full },
    { SB_TRANSPORT_COUNT_REFUSED_SOURCE, 0, NULL, join_one_address },
    { SB_TRANSPORT_COUNT_REFUSED_BANNED, 0, NULL, close_the_door },
    { SB_TRANSPORT_COUNT_MALFORMED, 1, "02 02 02", NULL },
    { SB_TRANSPORT_COUNT_UNKNOWN_TYPE, 1, "02 01 06", NULL },
    { SB_TRANSPORT_COUNT_REST_IGNORED, 1, "02 01 02 AA", NULL },
    { SB_TRANSPORT_COUNT_DUPLICATE, 1, "02 01 32 06 80 FF FF AA", NULL },
    { SB_TRANSPORT_COUNT_BEYOND_BUFFER, 1, "02 01 32 06 80 00 01 AA", NULL },
    { SB_TRANSPORT_COUNT_OUT_OF_WINDOW, 1, "02 01 32 06 80 00 40 AA", NULL },
    { SB_TRANSPORT_COUNT_NO_ROOM, 0, NULL, give_bomb },
    { SB_TRANSPORT_COUNT_BAD_FRAGMENT, 0, NULL, give_contradiction },
    { SB_TRANSPORT_COUNT_UNRELIABLE_CONTROL, 1, "02 01 00 0C 40 02 0A 0A 0A EF 4B 00 00 00", NULL },
    { SB_TRANSPORT_COUNT_BAD_CONTROL, 1, "02 01 05 07 C0 01 00 02 0A", NULL },
    { SB_TRANSPORT_COUNT_UNEXPECTED_CONTROL, 1, "02 01 04 07 C0 01 00 04 03", NULL },
    { SB_TRANSPORT_COUNT_FOREIGN_NAME, 1, "02 01 00 0E C0 01 00 03 0A 0A 0A EF 4B 00 00 00", NULL },
    { SB_TRANSPORT_COUNT_FOREIGN_DISCONNECT, 1, "02 01 05 0A C0 01 00 03 0A 0A 0A EF", NULL },
    { SB_TRANSPORT_COUNT_LATE, 0, NULL, leave_and_talk },
    { SB_TRANSPORT_COUNT_UNMATCHED_ACK, 1, "02 01 01 07 00 00", NULL },
    { SB_TRANSPORT_COUNT_DROPPED_ACK, 0, NULL, owe_many_acks },
    { SB_TRANSPORT_COUNT_DROPPED_UNRELIABLE, 0, NULL, send_without_room },
    { SB_TRANSPORT_COUNT_DROPPED_EVENT, 0, NULL, rename_twice },
    { SB_TRANSPORT_COUNT_DROPPED_ANSWER, 0, NULL, ask_without_waiting },
};

static void check_stimulus(const struct stimulus *s)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.admit = admit_nobody;
    config.admit_context = &closed_now;
    closed_now = false;
    rig     *r = rig_host_with(2, &config);
    uint64_t before = rig_count(r, s->counter);
    if (s->run) s->run(r);
    else give(r, s->from, s->hex);
    if (rig_count(r, s->counter) == before)
        FAIL("%s did not count", sb_transport_counter_name(s->counter));
}

TEST(every_reason_to_refuse_has_a_counter_that_counts)
{
    unsigned seen = 0;
    for (size_t i = 0; i < sizeof stimuli / sizeof *stimuli; i++, seen++)
        check_stimulus(&stimuli[i]);
    /* refused_password needs a host with a password: host_test.c. */
    CHECK_EQ(seen + 1, SB_TRANSPORT_COUNT_DATAGRAMS_IN);
    for (int c = 0; c < SB_TRANSPORT_COUNTER_COUNT; c++) {
        CHECK(strlen(sb_transport_counter_name((sb_transport_counter)c)) > 2);
        CHECK(strlen(sb_transport_counter_text((sb_transport_counter)c)) > 8);
    }
    CHECK_TEXT(sb_transport_counter_name(SB_TRANSPORT_COUNT_TOO_SHORT), "too_short");
    for (int c = 0; c < SB_LEFT_REASON_COUNT; c++)
        CHECK(strlen(sb_leave_reason_text((sb_leave_reason)c)) > 2);
}

TEST(what_is_accepted_and_sent_is_counted)
{
    rig     *r = rig_host_with(1, NULL);
    uint64_t in = rig_count(r, SB_TRANSPORT_COUNT_DATAGRAMS_IN),
             bytes = rig_count(r, SB_TRANSPORT_COUNT_BYTES_IN);
    uint64_t messages = rig_count(r, SB_TRANSPORT_COUNT_MESSAGES_IN);
    GIVE(r, rig_endpoint(1), "02 03 02 02 32 06 80 00 00 AA");
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_DATAGRAMS_IN), in + 1);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_BYTES_IN), bytes + 10);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_MESSAGES_IN), messages + 3);
    uint64_t out = rig_count(r, SB_TRANSPORT_COUNT_DATAGRAMS_OUT);
    bytes = rig_count(r, SB_TRANSPORT_COUNT_BYTES_OUT);
    messages = rig_count(r, SB_TRANSPORT_COUNT_MESSAGES_OUT);
    CHECK_EQ(sb_transport_host_send(r->host, 2, SB_UNRELIABLE, rig_pattern(5, 0)), SB_OK);
    rig_turn(r);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_DATAGRAMS_OUT), out + 1);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_BYTES_OUT), bytes + 2 + 4 + 8);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_MESSAGES_OUT), messages + 2);
}

/* ---- What only showed in simulations at first ---------------------------------------------- */

/* Whoever does not know that he is gone could be taken for the next owner (spec 01 §5.1, §10.5). */
TEST(an_id_rests_until_nobody_can_believe_to_own_it)
{
    rig *r = rig_host_with(2, NULL);
    sb_transport_host_boot(r->host, r->now, 3, SB_BOOT_KICKED);
    rig_wait(r, 6 * SB_SECOND);
    rig_forget(r);
    CHECK_EQ(rig_join(r, rig_endpoint(5)), 4);
    rig_wait(r, 46 * SB_SECOND);
    rig_forget(r);
    CHECK_EQ(rig_join(r, rig_endpoint(6)), 3);
}

/* Spec 01 §8.3: a Boot comes behind the names that are not acknowledged, and they must fit. */
TEST(a_newcomer_among_many_is_told_that_it_is_booted)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = 32;
    rig *r = rig_host_with(0, &config);
    for (unsigned i = 1; i <= 20; i++) {
        rig_pack p;
        rig_forget(r);
        uint8_t id = rig_join(r, rig_endpoint(i));
        rig_pack_init(&p, id);
        rig_pack_name(&p, 1, id, rig_wide("K"));
        GIVE_PACK(r, rig_endpoint(i), &p);
        rig_wait(r, SB_SECOND);
    }
    rig_forget(r);
    sb_transport_host_boot(r->host, r->now, 21, SB_BOOT_KICKED);
    rig_turn(r);
    CHECK(rig_count_sent(r, rig_endpoint(20), SB_TRANSPORT_BOOT) > 0);
}

/* A caller that keeps to `room` loses nobody: names and notices have memory of their own. */
TEST(a_full_queue_leaves_room_for_control_messages)
{
    rig *r = rig_host_with(2, NULL);
    for (size_t room; (room = sb_transport_host_free_bytes(r->host, 2)) > 0;)
        CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE,
                                        rig_pattern(room < 400 ? room : 400, 0)),
                 SB_OK);
    while (sb_transport_host_send(r->host, 2, SB_UNRELIABLE, rig_pattern(1, 0)) == SB_OK) {
    }
    give(r, 2, "03 01 00 0E C0 01 00 03 0A 0A 0A EF 4B 00 00 00");
    rig_turn(r);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 2);
}
