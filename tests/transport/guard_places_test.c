/* tests/transport/guard_places_test.c -- where copies are remembered, and which ones give way.
 *
 * For:      src/transport/guard.c without a session; guard_alone_test.c has what copies count.
 * Spec:     01 §10.8 rule 8.
 */
#include "marks_rig.h"
#include "transport/guard.h"

#include <string.h>

enum {
    TICK = 1 << 16, /* the guard's unit of time */
    TICK_NOW = 200,
    DELIVERED = 4,
    FORGED = 5,
    KEPT = 6,
    NONE = SB_GUARD_WAYS,
};

static const sb_time now = (sb_time)TICK_NOW * TICK;

static sb_transport_message data(uint16_t seq, sb_span payload)
{
    return (sb_transport_message){
        .type = SB_TRANSPORT_DATA, .reliable = true, .seq = seq, .payload = payload
    };
}

/* A guard that was used just now, in memory that had been used. */
static sb_guard *new_guard(void)
{
    static sb_guard g;
    memset(&g, 0xA5, sizeof g);
    sb_guard_init(&g, 0x0123456789ABCDEF);
    g.used_at = g.swept_at = now;
    return &g;
}

/* A message that came `age` ticks ago, `first` half seconds after its first copy. */
static sb_copy copy_of(unsigned count, unsigned age, unsigned first)
{
    static uint16_t digest;
    uint8_t         last = (uint8_t)(TICK_NOW - age);
    return (sb_copy){ ++digest, last, count & 7, (last / 8u - first) & 31 };
}

/* All places of the first set are taken by messages that came twice, those of the next one by
 * messages that would give way. */
static sb_guard *full_guard(void)
{
    sb_guard *g = new_guard();
    for (unsigned i = 0; i < SB_GUARD_WAYS; i++) {
        g->copies[0][i] = copy_of(2, 20, 3);
        g->copies[1][i] = copy_of(1, 100, 0);
    }
    return g;
}

/* The place that a new message of the first set takes. */
static unsigned take_place(sb_guard *g)
{
    sb_guard             before = *g;
    sb_transport_message m = data(0, rig_pattern(9, 1));
    CHECK_EQ(sb_guard_take_copy(g, now, &m), SB_COPY_FIRST);
    for (unsigned i = 0; i < SB_GUARD_WAYS; i++)
        if (memcmp(&g->copies[0][i], &before.copies[0][i], sizeof before.copies[0][i]) != 0)
            return i;
    return NONE;
}

/* ---- Which message gives way ---- */

/* In this order; each row has the message that gives way and one of the next rows. */
TEST(a_place_is_taken_from_the_message_that_needs_it_least)
{
    const struct {
        sb_copy least, other;
    } rows[] = {
        { { 0, 0, 0, 0 }, copy_of(1, 4, 1) },                     /* none */
        { copy_of(2, 153, 0), copy_of(1, 4, 1) },                 /* too old */
        { copy_of(1, 4, 1), copy_of(1, 40, 0) },                  /* hasty */
        { copy_of(1, 24, 0), copy_of(DELIVERED, 84, 0) },         /* came once, not again */
        { copy_of(1, 25, 0), copy_of(1, 24, 0) },                 /* the older one */
        { copy_of(DELIVERED, 84, 0), copy_of(1, 23, 0) },         /* delivered long ago */
        { copy_of(DELIVERED, 84, 0), copy_of(FORGED, 100, 0) },   /* ... */
        { copy_of(DELIVERED, 85, 0), copy_of(DELIVERED, 84, 0) }, /* the older one */
        { copy_of(FORGED, 3, 0), copy_of(DELIVERED, 83, 0) },     /* forged */
        { copy_of(FORGED, 3, 0), copy_of(1, 23, 0) },             /* ... */
        { copy_of(1, 23, 0), copy_of(FORGED, 2, 0) },             /* any that came once */
        { copy_of(1, 23, 0), copy_of(DELIVERED, 83, 0) },         /* ... */
        { copy_of(1, 1, 0), copy_of(KEPT, 150, 0) },              /* ... */
        { copy_of(1, 1, 0), copy_of(3, 150, 0) },                 /* ... */
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
        for (unsigned i = 0; i < SB_GUARD_WAYS; i++)
            for (unsigned turn = 0; turn < 16; turn++) {
                sb_guard *g = full_guard();
                g->turn = (uint16_t)turn;
                g->copies[0][i] = rows[row].least;
                if (turn % 2) g->copies[1][0] = copy_of(1, 1, 1);
                g->copies[0][(i + 1 + turn % 7) % SB_GUARD_WAYS] = rows[row].other;
                CHECK_EQ(take_place(g), i);
            }
}

/* A forger cannot know which one, and each is as likely. */
TEST(among_equal_messages_any_one_gives_way)
{
    for (unsigned count = 1; count < 8; count++) {
        unsigned taken[SB_GUARD_WAYS + 1] = { 0 };
        if (count == DELIVERED || count == FORGED) continue; /* the oldest one does */
        for (unsigned turn = 0; turn < 256; turn++) {
            sb_guard *g = full_guard();
            g->turn = (uint16_t)turn;
            for (unsigned i = 0; i < SB_GUARD_WAYS; i++) g->copies[0][i] = copy_of(count, 5, 0);
            taken[take_place(g)]++;
            CHECK_EQ(g->turn, turn + 1);
        }
        for (unsigned i = 0; i < SB_GUARD_WAYS; i++) CHECK(taken[i] >= 16 && taken[i] <= 64);
    }
}

TEST(of_messages_that_came_at_once_the_last_place_is_taken)
{
    sb_guard *g = full_guard();
    for (unsigned i = 2; i < 5; i++) g->copies[0][i] = copy_of(1, 30, 0);
    CHECK_EQ(take_place(g), 4);
}

/* ---- Sets ---- */

/* The set in which the message is remembered by a guard that expects number `next`. */
static unsigned set_of(const sb_transport_message *m, uint16_t next)
{
    sb_guard *g = new_guard();
    unsigned  found = SB_GUARD_SETS;
    g->next = next;
    (void)sb_guard_take_copy(g, now, m);
    for (unsigned i = 0; i < SB_GUARD_SETS; i++)
        for (unsigned k = 0; k < SB_GUARD_WAYS; k++)
            if (g->copies[i][k].count > 0) found = i;
    return found;
}

/* Whole messages, fragments, control messages and old numbers. */
TEST(each_kind_of_message_has_sets_of_its_own)
{
    static const unsigned ends[] = { 0, 64, 64 + 12, 64 + 12 + 2, 64 + 12 + 2 + 8 };
    bool                  used[SB_GUARD_SETS + 1] = { false };
    CHECK_EQ(ends[4], SB_GUARD_SETS);
    for (uint16_t seq = 0; seq < 300; seq++)
        for (unsigned kind = 0; kind < 4; kind++) {
            sb_transport_message m = data(seq, rig_pattern(5, 1));
            if (kind == 1)
                m.fragment = true, m.frag_index = (uint8_t)(seq / 12 % 5), m.frag_total = 5;
            if (kind == 2) m.type = SB_TRANSPORT_NAME;
            unsigned set = set_of(&m, (uint16_t)(kind == 3 ? seq + 501 : seq));
            CHECK(set >= ends[kind] && set < ends[kind + 1]);
            used[set] = true;
        }
    for (unsigned i = 0; i < SB_GUARD_SETS; i++) CHECK(used[i]);
}

TEST(numbers_are_old_from_501_to_32767_behind)
{
    static const struct {
        unsigned behind;
        bool     old;
    } cases[] = { { 0, false },     { 500, false },    { 501, true },
                  { 0x7FFF, true }, { 0x8000, false }, { 0xFFFF, false } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_transport_message m = data(7, rig_pattern(5, 1));
        CHECK_EQ(set_of(&m, (uint16_t)(7 + cases[i].behind)) >= 64, cases[i].old);
    }
}

/* ---- Messages that are alone ---- */

TEST(a_message_waits_for_its_ack_for_as_long_as_senders_take)
{
    static const struct {
        unsigned count, age;
        bool     waits;
    } cases[] = {
        { 0, 0, false },         { 1, 24, true },      { 1, 25, false },   { 2, 84, true },
        { 2, 85, false },        { 3, 84, true },      { 3, 85, false },   { 2, 0, true },
        { DELIVERED, 0, false }, { FORGED, 0, false }, { KEPT, 0, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned k = 0; k < SB_GUARD_WAYS; k++) {
            sb_guard            *g = new_guard();
            sb_transport_message m = data(0, rig_pattern(9, 1));
            g->copies[1][0] = copy_of(2, 1, 0); /* of another number */
            g->copies[0][k] = copy_of(cases[i].count, cases[i].age, 0);
            CHECK_EQ(sb_guard_is_alone(g, now, &m), !cases[i].waits);
        }
}

/* Fills a set and gives one more. Is another message alone after that? */
static bool is_alone_after_nine(sb_transport_message m, uint16_t next)
{
    sb_guard            *g = new_guard();
    sb_transport_message other = data((uint16_t)(next + 1), rig_pattern(3, 3));
    g->next = next;
    for (unsigned i = 0; i <= SB_GUARD_WAYS; i++) {
        m.payload = rig_pattern(9, i);
        CHECK_EQ(sb_guard_take_copy(g, now, &m), SB_COPY_FIRST);
    }
    return sb_guard_is_alone(g, now, &other);
}

/* A sweep through old numbers fills their sets: that must not stop all Acks. */
TEST(only_a_recent_message_that_gives_way_may_miss_an_ack)
{
    sb_transport_message m = data(0, rig_pattern(9, 0));
    CHECK(!is_alone_after_nine(m, 0));
    CHECK(!is_alone_after_nine(m, 500));
    for (uint16_t seq = 0; seq < 8; seq++) {
        m.seq = seq;
        CHECK(is_alone_after_nine(m, 600));
    }
    m.type = SB_TRANSPORT_NAME;
    CHECK(!is_alone_after_nine(m, 0));
    m.seq = 2;
    CHECK(!is_alone_after_nine(m, 0));
}

TEST(every_message_of_a_full_set_is_known)
{
    sb_guard *g = new_guard();
    for (unsigned i = 0; i < SB_GUARD_WAYS; i++) {
        sb_transport_message m = data(0, rig_pattern(9, i));
        CHECK(!sb_guard_knows(g, now, &m));
        CHECK_EQ(sb_guard_take_copy(g, now, &m), SB_COPY_FIRST);
        CHECK(sb_guard_knows(g, now + 152 * TICK, &m));
        CHECK(!sb_guard_knows(g, now + 153 * TICK, &m));
    }
}

/* ---- Kinds of copies ---- */

TEST(copies_that_come_at_once_or_hastily_are_ignored)
{
    sb_guard            *g = new_guard();
    sb_transport_message m = data(0, rig_pattern(9, 1));
    CHECK_EQ(sb_guard_take_copy(g, now, &m), SB_COPY_FIRST);
    CHECK_EQ(sb_guard_take_copy(g, now + 3 * TICK, &m), SB_COPY_IGNORED);
    CHECK_EQ(sb_guard_take_copy(g, now + 7 * TICK, &m), SB_COPY_SECOND);
    CHECK_EQ(sb_guard_take_copy(g, now + 13 * TICK, &m), SB_COPY_IGNORED);
    CHECK_EQ(sb_guard_take_copy(g, now + 20 * TICK, &m), SB_COPY_SECOND); /* begins anew */
    CHECK_EQ(sb_guard_take_copy(g, now + 27 * TICK, &m), SB_COPY_THIRD);
    CHECK_EQ(sb_guard_take_copy(g, now + 34 * TICK, &m), SB_COPY_THIRD);
}

TEST(a_delivered_message_is_remembered_for_as_long_as_it_comes)
{
    sb_guard            *g = new_guard();
    sb_transport_message m = data(0, rig_pattern(9, 1));
    CHECK_EQ(sb_guard_take_copy(g, now, &m), SB_COPY_FIRST);
    sb_guard_note_delivered(g, now, &m);
    for (int i = 1; i < 6; i++)
        CHECK_EQ(sb_guard_take_copy(g, now + i * 9 * SB_SECOND, &m), SB_COPY_DELIVERED);
    CHECK_EQ(sb_guard_take_copy(g, now + 57 * SB_SECOND, &m), SB_COPY_FIRST);
}

/* Senders repeat a message every 5 s at last: one copy may be lost. */
TEST(a_delivered_message_is_remembered_if_a_copy_is_lost)
{
    sb_guard            *g = new_guard();
    sb_transport_message m = data(0, rig_pattern(9, 1));
    CHECK_EQ(sb_guard_take_copy(g, now, &m), SB_COPY_FIRST);
    sb_guard_note_delivered(g, now, &m);
    for (int i = 1; i < 6; i++)
        CHECK(sb_guard_refresh_delivered(g, now + i * 21 * SB_SECOND / 2, &m));
}

/* While it comes, no copy of another message may. */
TEST(a_delivered_message_is_remembered_after_a_pause_of_others)
{
    sb_guard            *g = new_guard();
    sb_transport_message m = data(0, rig_pattern(9, 1)), other = data(1, rig_pattern(9, 2));
    CHECK_EQ(sb_guard_take_copy(g, now, &m), SB_COPY_FIRST);
    sb_guard_note_delivered(g, now, &m);
    for (int i = 1; i <= 30; i++) CHECK(sb_guard_refresh_delivered(g, now + i * SB_SECOND, &m));
    CHECK_EQ(sb_guard_take_copy(g, now + 61 * SB_SECOND / 2, &other), SB_COPY_FIRST);
    CHECK(sb_guard_refresh_delivered(g, now + 31 * SB_SECOND, &m));
    CHECK(!sb_guard_refresh_delivered(g, now + 31 * SB_SECOND, &other));
}

TEST(a_message_that_could_not_be_kept_has_come_twice)
{
    sb_guard            *g = new_guard();
    sb_transport_message m = data(0, rig_pattern(9, 1));
    CHECK_EQ(sb_guard_take_copy(g, now, &m), SB_COPY_FIRST);
    sb_guard_note_kept(g, now, &m, false);
    CHECK_EQ(sb_guard_take_copy(g, now + SB_SECOND, &m), SB_COPY_THIRD);
}

/* For a minute, also after the clock of half seconds has wrapped. */
TEST(a_message_that_lasts_counts_every_four_seconds)
{
    for (int phase = 0; phase < 8; phase++) {
        sb_guard            *g = new_guard();
        sb_transport_message m = data(0, rig_pattern(9, 1));
        sb_time              last = 0, start = now + phase * TICK;
        unsigned             counted = 0;
        for (sb_time at = 0; at < 60 * SB_SECOND; at += 300 * RIG_MILLISECOND) {
            if (sb_guard_take_copy(g, start + at, &m) != SB_COPY_LASTING) continue;
            if (counted++ > 0) CHECK_EQ(at - last, 4200 * RIG_MILLISECOND);
            last = at;
        }
        CHECK_EQ(counted, 13);
    }
}

TEST(a_forged_message_that_lasts_counts_every_four_seconds)
{
    sb_guard            *g = new_guard();
    sb_transport_message m = data(0, rig_pattern(9, 1));
    CHECK_EQ(sb_guard_take_copy(g, now, &m), SB_COPY_FIRST);
    sb_guard_note_forged(g, now, &m);
    for (int i = 1; i < 20; i++)
        CHECK_EQ(sb_guard_take_copy(g, now + i * SB_SECOND, &m),
                 i == 9 || i == 13 || i == 17 ? SB_COPY_LASTING : SB_COPY_FORGED);
}

/* ---- A new guard, and one that was not used for a while ---- */

TEST(a_new_guard_knows_nothing_at_any_time)
{
    for (int tick = -300; tick < 300; tick += 10) {
        static sb_guard      g;
        sb_transport_message m = data(0, rig_pattern(9, 1));
        sb_time              start = (sb_time)tick * TICK;
        memset(&g, 0xA5, sizeof g);
        sb_guard_init(&g, 1);
        CHECK_EQ(g.next, 0);
        CHECK_EQ(g.turn, 0);
        CHECK(sb_guard_is_alone(&g, start, &m));
        CHECK_EQ(sb_guard_take_copy(&g, start, &m), SB_COPY_FIRST);
        sb_guard_note_forged(&g, start, &m);
        for (int i = 1; i < 7; i++)
            CHECK_EQ(sb_guard_take_copy(&g, start + i * 18 * TICK, &m), SB_COPY_FORGED);
        CHECK_EQ(sb_guard_take_copy(&g, start + 8 * 18 * TICK, &m), SB_COPY_LASTING);
    }
}

/* Others come every second until `busy` seconds after the message, and then `pause` seconds later
 * the message itself. The clock of the copies wraps after 16.8 s. */
static void check_forgotten(sb_time before, sb_time busy, sb_time pause, uint16_t seq)
{
    sb_guard            *g = new_guard();
    sb_transport_message m = data(seq, rig_pattern(5, 1)), other = data(4, rig_pattern(5, 2));
    sb_time              start = now + before * SB_SECOND;
    for (sb_time at = 0; at < before; at++)
        (void)sb_guard_take_copy(g, now + at * SB_SECOND, &other);
    CHECK_EQ(sb_guard_take_copy(g, start, &m), SB_COPY_FIRST);
    for (sb_time at = 1; at <= busy; at++)
        (void)sb_guard_take_copy(g, start + at * SB_SECOND, &other);
    if (busy + pause >= 11)
        CHECK_EQ(sb_guard_take_copy(g, start + (busy + pause) * SB_SECOND, &m), SB_COPY_FIRST);
}

TEST(a_copy_of_long_ago_is_forgotten_whatever_came_since)
{
    for (sb_time before = 0; before < 4; before++)
        for (sb_time busy = 0; busy < 20; busy++)
            for (sb_time pause = 1; pause < 40; pause++) check_forgotten(before, busy, pause, 3);
    for (sb_time busy = 0; busy < 40; busy++)
        for (sb_time pause = 1; pause < 20; pause++) check_forgotten(8, busy, pause, 3);
}

/* The last place of the last set, too. */
TEST(all_copies_of_long_ago_are_forgotten)
{
    sb_guard            *g = new_guard();
    sb_transport_message other = data(4, rig_pattern(5, 2));
    unsigned             left = 0;
    for (unsigned i = 0; i < SB_GUARD_SETS; i++)
        for (unsigned k = 0; k < SB_GUARD_WAYS; k++) g->copies[i][k] = copy_of(2, 0, 0);
    for (sb_time at = 1; at < 16; at++) (void)sb_guard_take_copy(g, now + at * SB_SECOND, &other);
    for (unsigned i = 0; i < SB_GUARD_SETS; i++)
        for (unsigned k = 0; k < SB_GUARD_WAYS; k++) left += g->copies[i][k].count > 0;
    CHECK_EQ(left, 1); /* the other one */
}

/* A pause alone makes no copy old. */
TEST(a_copy_before_a_pause_of_up_to_ten_seconds_counts)
{
    for (int tenths = 10; tenths < 99; tenths++)
        for (unsigned part = 0; part < 4; part++) {
            sb_guard            *g = new_guard();
            sb_transport_message m = data(3, rig_pattern(5, 1));
            sb_time              start = now + part * TICK / 4;
            CHECK_EQ(sb_guard_take_copy(g, start, &m), SB_COPY_FIRST);
            CHECK_EQ(sb_guard_take_copy(g, start + tenths * SB_SECOND / 10, &m), SB_COPY_SECOND);
        }
}
