/* tests/transport/inbox_test.c -- reliable messages in: windows, order, fragments.
 *
 * For:      src/transport/inbox.c.
 * Spec:     01 §6.3, §6.4, §7.2, §10.3.
 */
#include "rig.h"

#include <stdio.h>
#include <string.h>

/* ---- Receiving (the table of spec 01 §6.3) -------------------------------------------------- */

typedef struct distance_case {
    int                  d;
    bool                 acknowledged, stored;
    sb_transport_counter counter; /* SB_TRANSPORT_COUNTER_COUNT: none */
} distance_case;

static const distance_case distances[] = {
    { 0, true, false, SB_TRANSPORT_COUNTER_COUNT }, /* delivered at once */
    { 1, true, true, SB_TRANSPORT_COUNTER_COUNT },
    { 255, true, true, SB_TRANSPORT_COUNTER_COUNT },
    { 256, false, false, SB_TRANSPORT_COUNT_BEYOND_BUFFER },
    { 0x3FFF, false, false, SB_TRANSPORT_COUNT_BEYOND_BUFFER },
    { 0x4000, false, false, SB_TRANSPORT_COUNT_OUT_OF_WINDOW },
    { 0x7FFF, false, false, SB_TRANSPORT_COUNT_OUT_OF_WINDOW },
    { -1, true, false, SB_TRANSPORT_COUNT_DUPLICATE },
    { -2, true, false, SB_TRANSPORT_COUNT_DUPLICATE },
    { -0x4000, true, false, SB_TRANSPORT_COUNT_DUPLICATE },
    { -0x4001, false, false, SB_TRANSPORT_COUNT_OUT_OF_WINDOW },
    { -0x8000, false, false, SB_TRANSPORT_COUNT_OUT_OF_WINDOW },
};

static void check_distance(rig *r, const distance_case *c, uint16_t expected)
{
    uint16_t     seq = (uint16_t)(expected + c->d);
    char         ack[32] = "";
    uint64_t     before = c->counter < SB_TRANSPORT_COUNTER_COUNT ? rig_count(r, c->counter) : 0;
    sb_peer_info info;
    rig_pack     p;
    sb_transport_host_set_numbers(r->host, 2, 0, expected);
    rig_pack_init(&p, 2);
    rig_pack_data(&p, seq, rig_pattern(6, seq));
    GIVE_PACK(r, rig_endpoint(1), &p);
    if (c->d == 0) EXPECT_DATA(r, 2, rig_pattern(6, seq));
    EXPECT_NO_EVENT(r);
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.stored, c->stored);
    if (c->acknowledged) (void)snprintf(ack, sizeof ack, "Ack %u", seq);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), ack);
    if (c->counter < SB_TRANSPORT_COUNTER_COUNT) CHECK_EQ(rig_count(r, c->counter), before + 1);
}

TEST(the_distance_of_a_number_decides_about_storing_and_acks)
{
    static const uint16_t expected[] = { 0, 5, 0x00FF, 0x0100, 0x7FFF, 0xC000, 0xFFF0, 0xFFFF };
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++)
        for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
            check_distance(rig_host_with(1, NULL), &distances[i], expected[e]);
}

TEST(a_stored_message_is_acknowledged_again)
{
    rig *r = rig_host_with(1, NULL);
    for (int i = 0; i < 3; i++) {
        GIVE(r, rig_endpoint(1), "02 01 32 06 80 03 00 AA");
        EXPECT_NO_EVENT(r);
        CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack 3");
    }
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_DUPLICATE), 2);
}

TEST(the_low_channel_uses_the_same_window)
{
    rig                     *r = rig_host_with(1, NULL); /* low 1 is expected */
    static const char *const numbers[] = { "01", "02", "00" };
    static const char *const acks[] = { "Ack low 1", "Ack low 2", "Ack low 0" };
    for (size_t i = 0; i < 3; i++) {
        char hex[128];
        (void)snprintf(hex, sizeof hex, "02 01 00 0E C0 %s 00 02 0A 0A 0A EF 4B 00 00 00",
                       numbers[i]);
        GIVE(r, rig_endpoint(1), hex);
        rig_step(r);
        const rig_sent      *sent = rig_next_sent_to(r, rig_endpoint(1));
        sb_transport_message m;
        CHECK(sent && rig_message(sent, 0, &m));
        CHECK(strncmp(rig_describe(sent), acks[i], strlen(acks[i])) == 0);
        rig_wait(r, 800 * RIG_MILLISECOND);
        rig_forget(r);
    }
    GIVE(r, rig_endpoint(1), "02 01 00 0E C0 03 01 02 0A 0A 0A EF 4B 00 00 00"); /* 3 + 256 */
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_BEYOND_BUFFER), 1);
}

TEST(reliable_messages_come_in_order_and_unreliable_ones_at_once)
{
    rig     *r = rig_host_with(1, NULL);
    rig_pack p;
    rig_pack_init(&p, 2);
    rig_pack_data(&p, 2, rig_pattern(3, 2));
    rig_pack_data(&p, 1, rig_pattern(3, 1)); /* reversed, as the priority messages of stock (D4) */
    rig_pack_unreliable(&p, rig_pattern(3, 77));
    GIVE_PACK(r, rig_endpoint(1), &p);
    EXPECT_UNRELIABLE(r, 2, rig_pattern(3, 77));
    EXPECT_NO_EVENT(r); /* 0 is missing */
    rig_pack_init(&p, 2);
    rig_pack_data(&p, 0, rig_pattern(3, 0));
    rig_pack_data(&p, 3, rig_pattern(3, 3));
    GIVE_PACK(r, rig_endpoint(1), &p);
    for (unsigned i = 0; i < 4; i++) EXPECT_DATA(r, 2, rig_pattern(3, i));
    EXPECT_NO_EVENT(r);
}

TEST(an_empty_reliable_message_only_uses_up_its_number)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 03 32 05 80 00 00 32 03 00 32 06 80 01 00 BB");
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\xBB", 1 }));
    EXPECT_NO_EVENT(r);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack 0, Ack 1");
}

/* ---- Fragments (spec 01 §7.2) -------------------------------------------------------------- */

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
        { "02 01 32 07 A0 00 00 02 AA", "" }, /* one of them is forged: copies decide (§10.8) */
    };
    check_steps(steps, 4, 2);
}

TEST(a_total_too_small_for_an_index_already_here_gets_no_ack)
{
    static const fragment_step steps[] = {
        { "02 01 32 07 A0 00 00 05 AA", "Ack 0/5" },
        { "02 01 32 08 A0 00 00 00 05 AA", "" },
        { "02 01 32 08 A0 00 00 00 06 AA", "" },
    };
    check_steps(steps, 3, 1);
}

TEST(a_repeated_fragment_with_other_content_does_not_replace_it)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 32 08 A0 00 00 00 02 AA");
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "Ack 0/0");
    GIVE(r, rig_endpoint(1), "02 01 32 09 A0 00 00 00 02 BB BB"); /* other length and content */
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "");
    rig_wait(r, 30 * SB_SECOND); /* the evidence is forgotten */
    rig_forget(r);
    GIVE(r, rig_endpoint(1), "02 01 32 07 A0 00 00 01 CC");
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\xAA\xCC", 2 }));
}

TEST(the_first_fragment_again_with_another_total_gets_no_ack)
{
    static const fragment_step steps[] = {
        { "02 01 32 08 A0 00 00 00 03 AA", "Ack 0/0" },
        { "02 01 32 08 A0 00 00 00 04 AA", "" },
        { "02 01 32 08 A0 00 00 00 03 AA", "" },
    };
    check_steps(steps, 3, 1);
}

TEST(of_fragment_and_whole_message_the_first_one_is_kept)
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
    check_steps(fragment_first, 2, 0); /* counted as unconfirmed */
}

TEST(a_partial_message_waits_without_limit_until_it_is_complete)
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

TEST(fragments_that_contradict_others_never_end_a_session)
{
    rig *r = rig_host_with(2, NULL);
    GIVE(r, rig_endpoint(1), "02 01 32 08 A0 00 00 00 03 AA");
    for (int i = 0; i < 20; i++)
        (void)!rig_give_hex(r, rig_endpoint(1), "02 01 32 07 A0 00 00 03 AA");
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_BAD_FRAGMENT), 20);
    rig_wait(r, 30 * SB_SECOND); /* the evidence is forgotten */
    rig_forget(r);
    GIVE(r, rig_endpoint(1), "02 02 32 07 A0 00 00 01 BB 32 07 A0 00 00 02 CC");
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\xAA\xBB\xCC", 3 }));
    CHECK_EQ(sb_transport_host_peer_count(r->host), 2);
}

/* ---- Memory (spec 01 §9, §10.3) ------------------------------------------------------------ */

/* Otherwise everything could wait for a fragment that does not fit (spec 01 §6.3). */
TEST(early_messages_leave_memory_for_the_expected_one)
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

/* Sends a message in fragments, last one first; returns the number of Acks. */
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
        rig_step(r);
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

TEST(messages_of_an_untrusted_peer_have_64_fragments_at_most)
{
    rig *r = patient_host();
    CHECK_EQ(send_large(r, 65, 406),
             63); /* index 64 and fragment 0, which has the total 65, are refused */
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

/* No stock sender makes fragments longer than 406 bytes; a datagram can hold more. A receiver that
 * refused them would keep their sender waiting for the Ack for ever. */
TEST(fragments_as_long_as_a_datagram_are_put_together)
{
    static const struct {
        unsigned fragments;
        size_t   payload;
    } cases[] = { { 2, 407 }, { 64, 407 }, { 3, 1000 }, { 64, 1480 }, { 2, 1488 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig *r = patient_host();
        CHECK_EQ(send_large(r, cases[i].fragments, cases[i].payload), cases[i].fragments);
        const rig_event *e = rig_next_event(r);
        CHECK(e && e->event.type == SB_EVENT_MESSAGE);
        CHECK_EQ(e->event.bytes.size, cases[i].fragments * cases[i].payload);
        sb_span first = rig_pattern(cases[i].payload, 0);
        CHECK_BYTES(e->event.bytes.data, first.size, first.data, first.size);
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_BAD_FRAGMENT), 0);
    }
}

/* The last fragment arrives first and is short, so the first grant is too small for the others. */
TEST(a_grant_grows_with_the_fragments_of_the_message)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.timeout_us = 100000 * SB_SECOND;
    config.shared_cells = 0;
    config.receive_cells = 64; /* far fewer than the message needs */
    rig *r = rig_host_with(1, &config);
    for (unsigned i = 60; i-- > 0;) {
        rig_pack p;
        rig_pack_init(&p, 2);
        rig_pack_fragment(&p, 0, (uint8_t)i, i == 0 ? 60 : 0, rig_pattern(i == 59 ? 9 : 1480, i));
        GIVE_PACK(r, rig_endpoint(1), &p);
        rig_wait(r, 10 * RIG_MILLISECOND);
        r->now += 700 * RIG_MILLISECOND;
        rig_step(r);
    }
    const rig_event *e = rig_next_event(r);
    CHECK(e && e->event.type == SB_EVENT_MESSAGE);
    CHECK_EQ(e->event.bytes.size, 59 * 1480 + 9);
}

TEST(fragments_beyond_the_longest_message_are_dropped)
{
    rig *r = patient_host();
    sb_transport_host_trust(r->host, 2);
    unsigned acks = send_large(r, 80, 1480);
    CHECK(acks > 0 && acks <= SB_PAYLOAD_MAX / 1480);
    CHECK(rig_count(r, SB_TRANSPORT_COUNT_BAD_FRAGMENT) > 3);
    EXPECT_NO_EVENT(r);
}

TEST(oversized_fragments_make_no_oversized_message_at_a_client)
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

TEST(a_replayed_datagram_repeats_only_its_unreliable_messages)
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
