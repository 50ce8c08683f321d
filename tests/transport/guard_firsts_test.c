/* tests/transport/guard_firsts_test.c -- messages that came once, in a flood of others under their
 * number.
 *
 * For:      src/transport/guard.c without a session; separate_acks_test.c has whole hosts.
 * Spec:     01 §10.8 rule 8.
 */
#include "marks_rig.h"
#include "transport/guard.h"

#include <string.h>

static const sb_time start = 1000 * SB_SECOND;

static sb_transport_message data(uint16_t seq, unsigned text)
{
    static uint8_t bytes[2][4];
    uint8_t       *b = bytes[text == 0];
    b[0] = (uint8_t)text, b[1] = (uint8_t)(text >> 8), b[2] = (uint8_t)(text >> 16);
    return (sb_transport_message){
        .type = SB_TRANSPORT_DATA, .reliable = true, .seq = seq, .payload = { b, 4 }
    };
}

/* In memory that had been used. */
static sb_guard *new_guard(bool remembers)
{
    static sb_guard g;
    static uint32_t firsts[SB_GUARD_FIRSTS + 1];
    memset(&g, 0xA5, sizeof g);
    memset(firsts, 0xA5, sizeof firsts);
    sb_guard_init(&g, 0x0123456789ABCDEF);
    if (remembers) sb_guard_remember_firsts(&g, firsts);
    CHECK_EQ(firsts[SB_GUARD_FIRSTS], 0xA5A5A5A5);
    return &g;
}

/* `count` others under number 7, evenly from `from` to `until`; returns how many seemed to come
 * again. */
static unsigned flood(sb_guard *g, sb_time from, sb_time until, unsigned count)
{
    static unsigned text;
    unsigned        again = 0;
    for (unsigned i = 0; i < count; i++) {
        sb_transport_message m = data(7, ++text & 0xFFFFFF);
        again += sb_guard_take_copy(g, from + (until - from) * i / count, &m) != SB_COPY_FIRST;
    }
    return again;
}

/* What the message counts as after a second in which `others` came, of 50 tries. */
static unsigned count_seconds(bool remembers, unsigned others)
{
    unsigned found = 0;
    for (unsigned i = 0; i < 50; i++) {
        sb_guard            *g = new_guard(remembers);
        sb_time              now = start + i * 70001;
        sb_transport_message m = data(7, 0);
        (void)flood(g, now - 2 * SB_SECOND, now, 2 * others);
        CHECK_EQ(sb_guard_take_copy(g, now, &m), SB_COPY_FIRST);
        (void)flood(g, now, now + SB_SECOND, others);
        found += sb_guard_take_copy(g, now + SB_SECOND, &m) == SB_COPY_SECOND;
    }
    return found;
}

TEST(a_first_copy_outlasts_hundreds_of_others_of_its_number)
{
    CHECK_EQ(count_seconds(true, 20), 50);
    CHECK_EQ(count_seconds(true, 167), 50);
    CHECK_EQ(count_seconds(true, 300), 50);
    CHECK(count_seconds(true, 1000) >= 3); /* any of them gives way, not the oldest */
    CHECK(count_seconds(false, 167) <= 2);
}

/* The third copy, too: what came twice does not give way to what came once. */
TEST(a_message_counts_by_its_third_copy_in_a_flood)
{
    sb_guard            *g = new_guard(true);
    sb_transport_message m = data(7, 0);
    CHECK_EQ(sb_guard_take_copy(g, start, &m), SB_COPY_FIRST);
    (void)flood(g, start, start + SB_SECOND, 167);
    CHECK_EQ(sb_guard_take_copy(g, start + SB_SECOND, &m), SB_COPY_SECOND);
    (void)flood(g, start + SB_SECOND, start + 3 * SB_SECOND, 334);
    CHECK_EQ(sb_guard_take_copy(g, start + 3 * SB_SECOND, &m), SB_COPY_THIRD);
}

/* Those that are remembered apart are copies like all others. */
TEST(a_first_copy_that_gave_way_counts_by_its_time)
{
    static const struct {
        sb_time      after;
        sb_copy_kind kind;
    } cases[] = { { SB_SECOND / 10, SB_COPY_IGNORED },
                  { 2 * SB_SECOND / 5, SB_COPY_IGNORED },
                  { SB_SECOND / 2, SB_COPY_SECOND },
                  { 19 * SB_SECOND / 2, SB_COPY_SECOND },
                  { 21 * SB_SECOND / 2, SB_COPY_FIRST } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_guard            *g = new_guard(true);
        sb_transport_message m = data(7, 0);
        CHECK(!sb_guard_knows(g, start, &m));
        CHECK_EQ(sb_guard_take_copy(g, start, &m), SB_COPY_FIRST);
        (void)flood(g, start, start + cases[i].after, 100);
        CHECK_EQ(sb_guard_knows(g, start + cases[i].after, &m), cases[i].kind != SB_COPY_FIRST);
        CHECK_EQ(sb_guard_take_copy(g, start + cases[i].after, &m), cases[i].kind);
    }
}

/* A message that was delivered or found to be forged, or came hastily, is none that came once. */
TEST(only_messages_that_came_once_are_remembered_apart)
{
    for (unsigned kind = 0; kind < 3; kind++) {
        sb_guard            *g = new_guard(true);
        sb_transport_message m = data(7, 0);
        CHECK_EQ(sb_guard_take_copy(g, start, &m), SB_COPY_FIRST);
        if (kind == 0) sb_guard_note_delivered(g, start, &m);
        if (kind == 1) sb_guard_note_forged(g, start, &m);
        if (kind == 2)
            CHECK_EQ(sb_guard_take_copy(g, start + 2 * SB_SECOND / 5, &m), SB_COPY_IGNORED);
        (void)flood(g, start + SB_SECOND / 2, start + 8 * SB_SECOND, 300);
        CHECK_EQ(sb_guard_take_copy(g, start + 8 * SB_SECOND, &m), SB_COPY_FIRST);
    }
}

/* Copies of other kinds have their own sets: old numbers, fragments and control messages. */
TEST(only_whole_messages_that_are_due_are_remembered_apart)
{
    for (unsigned kind = 0; kind < 4; kind++) {
        sb_guard *g = new_guard(true);
        unsigned  used = 0;
        for (unsigned i = 0; i < 100; i++) {
            sb_transport_message m = data(7, 1 + i);
            if (kind == 0) m.fragment = true, m.frag_total = 2;
            if (kind == 1) m.type = SB_TRANSPORT_NAME;
            g->next = kind == 2 ? 7 + SB_GUARD_OLD + 1 : 7;
            CHECK_EQ(sb_guard_take_copy(g, start, &m), SB_COPY_FIRST);
        }
        for (unsigned i = 0; i < SB_GUARD_FIRSTS; i++) used += g->firsts[i] != 0;
        CHECK_EQ(used, kind == 3 ? 100 : 0);
    }
}

/* Two different messages that seem to be one would be kept in vain. */
TEST(other_messages_hardly_ever_seem_to_come_again)
{
    sb_guard *g = new_guard(true);
    CHECK(flood(g, start, start + 60 * SB_SECOND, 10000) <= 6); /* 16 bits, eight places */
}

/* The clock of the copies wraps after 16.8 s. */
TEST(a_first_copy_of_long_ago_is_forgotten)
{
    for (sb_time after = 11; after < 40; after++)
        for (unsigned others = 0; others < 2; others++) {
            sb_guard            *g = new_guard(true);
            sb_transport_message m = data(7, 0);
            CHECK_EQ(sb_guard_take_copy(g, start, &m), SB_COPY_FIRST);
            if (others) (void)flood(g, start, start + after * SB_SECOND, 60);
            CHECK_EQ(sb_guard_take_copy(g, start + after * SB_SECOND, &m), SB_COPY_FIRST);
        }
}

/* ---- Messages that were delivered without an Ack ---- */

TEST(a_delivered_message_is_repeated_as_late_as_senders_do)
{
    enum { TICK = 1 << 16 };
    for (unsigned ticks = 0; ticks < 20; ticks++) {
        sb_guard            *g = new_guard(false);
        sb_transport_message m = data(7, 0), other = data(7, 1);
        sb_guard_add_delivered(g, start, &m);
        CHECK_EQ(sb_guard_take_repeat(g, start + ticks * TICK, &m), ticks >= 7);
        CHECK(!sb_guard_take_repeat(g, start + ticks * TICK, &other)); /* came for the first time */
        CHECK_EQ(sb_guard_take_repeat(g, start + 7 * TICK, &m), ticks < 7);
        CHECK(sb_guard_take_repeat(g, start + 30 * TICK, &m));
        CHECK(sb_guard_take_repeat(g, start + 30 * TICK, &other)); /* again */
        CHECK_EQ(sb_guard_take_copy(g, start + 31 * TICK, &m), SB_COPY_DELIVERED);
    }
}

TEST(a_message_that_is_contested_is_no_repeat)
{
    sb_guard            *g = new_guard(false);
    sb_transport_message m = data(7, 0);
    CHECK_EQ(sb_guard_take_copy(g, start, &m), SB_COPY_FIRST);
    CHECK(!sb_guard_take_repeat(g, start + SB_SECOND, &m));
    sb_guard_add_delivered(g, start + SB_SECOND, &m);
    CHECK(sb_guard_take_repeat(g, start + 2 * SB_SECOND, &m));
}

TEST(a_delivered_message_of_long_ago_is_no_repeat)
{
    sb_guard            *g = new_guard(false);
    sb_transport_message m = data(7, 0);
    sb_guard_add_delivered(g, start, &m);
    CHECK(!sb_guard_take_repeat(g, start + 17 * SB_SECOND, &m)); /* the clock has wrapped */
    CHECK(sb_guard_take_repeat(g, start + 18 * SB_SECOND, &m));
}
