/* tests/transport/inbox_alone_test.c -- the inbox without a session: verdicts, memory, fragments.
 *
 * For:      src/transport/inbox.c. inbox_test.c has its use.
 * Spec:     01 §6.3, §6.4, §7.2, §9; docs/decisions/transport-memory.md.
 */
#include "inbox_rig.h"

#include <string.h>

static const sb_span nothing = { NULL, 0 };

/* ---- Verdicts ------------------------------------------------------------------------------- */

TEST(the_expected_message_is_delivered_and_not_stored)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK_EQ(inbox_give(in, 0, 'a'), SB_VERDICT_DELIVER);
    CHECK_EQ(in->stored, 0);
    CHECK_EQ(inbox_give(in, 0, 'a'), SB_VERDICT_DUPLICATE);
    CHECK_EQ(inbox_accept(in, inbox_control(0, rig_byte('c'))), SB_VERDICT_DELIVER);
    CHECK_EQ(inbox_give(in, 2, 'c'), SB_VERDICT_STORED);
    CHECK_EQ(inbox_give(in, 2, 'c'), SB_VERDICT_DUPLICATE);
    CHECK(inbox_next(in, SB_CHANNEL_DATA) == NULL);
    CHECK_EQ(inbox_give(in, 1, 'b'), SB_VERDICT_DELIVER);
    CHECK_TEXT(inbox_next(in, SB_CHANNEL_DATA), "c");
    CHECK_EQ(inbox_give(in, 3, 'd'), SB_VERDICT_DELIVER);
}

/* The message arrived early; then a copy comes. */
TEST(an_expected_message_that_is_stored_is_not_delivered_twice)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK_EQ(inbox_give(in, 1, 'a'), SB_VERDICT_STORED);
    CHECK_EQ(inbox_give(in, 0, 'z'), SB_VERDICT_DELIVER);
    CHECK_EQ(inbox_give(in, 1, 'a'), SB_VERDICT_DUPLICATE);
    CHECK_TEXT(inbox_next(in, SB_CHANNEL_DATA), "a");
    CHECK(inbox_next(in, SB_CHANNEL_DATA) == NULL);
}

TEST(whole_messages_and_fragments_do_not_replace_each_other)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 0, 2, rig_byte('a'))), SB_VERDICT_STORED);
    CHECK_EQ(inbox_give(in, 0, 'x'), SB_VERDICT_BAD_FRAGMENT);
    CHECK_EQ(inbox_give(in, 1, 'c'), SB_VERDICT_STORED);
    CHECK_EQ(inbox_accept(in, inbox_fragment(1, 0, 2, rig_byte('x'))), SB_VERDICT_BAD_FRAGMENT);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 1, 0, rig_byte('b'))), SB_VERDICT_STORED);
    CHECK_TEXT(inbox_next(in, SB_CHANNEL_DATA), "ab");
    CHECK_TEXT(inbox_next(in, SB_CHANNEL_DATA), "c");
}

TEST(fragments_get_exact_verdicts)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 64, 0, rig_byte('x'))), SB_VERDICT_NO_MEMORY);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 0, 65, rig_byte('x'))), SB_VERDICT_NO_MEMORY);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 3, 0, rig_byte('d'))), SB_VERDICT_STORED);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 3, 0, rig_byte('d'))), SB_VERDICT_DUPLICATE);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 0, 3, rig_byte('a'))), SB_VERDICT_BAD_FRAGMENT);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 0, 4, rig_byte('a'))), SB_VERDICT_STORED);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 0, 5, rig_byte('a'))), SB_VERDICT_BAD_FRAGMENT);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 0, 4, rig_byte('a'))), SB_VERDICT_DUPLICATE);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 4, 0, rig_byte('x'))), SB_VERDICT_BAD_FRAGMENT);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 2, 0, rig_byte('c'))), SB_VERDICT_STORED);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 1, 0, rig_byte('b'))), SB_VERDICT_STORED);
    CHECK_TEXT(inbox_next(in, SB_CHANNEL_DATA), "abcd");
}

TEST(a_plausible_number_is_new_and_near)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK_EQ(inbox_give(in, 0, 'a'), SB_VERDICT_DELIVER);
    for (int ahead = -2; ahead <= 33; ahead++) {
        sb_transport_message m = inbox_data((uint16_t)(1 + ahead), nothing);
        CHECK_EQ(sb_inbox_is_plausible(in, &m, 31), ahead >= 0 && ahead <= 31);
    }
}

TEST(eight_bit_numbers_are_compared_by_their_low_byte)
{
    sb_inbox *in = inbox_open(NULL);
    in->eight_bit = true;
    for (unsigned i = 0; i < 600; i++) {
        CHECK_EQ(inbox_give(in, (uint8_t)i, 'a'), SB_VERDICT_DELIVER);
        CHECK_EQ(inbox_give(in, (uint8_t)i, 'a'), SB_VERDICT_DUPLICATE);
        CHECK_EQ(inbox_give(in, (uint8_t)(i + 20), 'a'), SB_VERDICT_BEYOND_BUFFER);
    }
}

TEST(an_inbox_that_is_cleared_holds_nothing_in_any_slot)
{
    sb_inbox *in = inbox_open(NULL);
    uint32_t  grants = inbox_cells()->grants_left;
    for (uint16_t seq = 1; seq < NUMBERS; seq++)
        CHECK_EQ(inbox_give(in, seq, 'x'), SB_VERDICT_STORED);
    for (uint16_t seq = 1; seq < SB_LOW_WINDOW; seq++)
        CHECK_EQ(inbox_accept(in, inbox_control(seq, rig_byte('y'))), SB_VERDICT_STORED);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 3, 0, rig_byte('z'))), SB_VERDICT_STORED);
    sb_inbox_clear(in);
    CHECK_EQ(in->stored, 0);
    CHECK_EQ(in->stored_bytes, 0);
    CHECK_EQ(in->account.used + in->assembly.used + in->assembly.guaranteed, 0);
    CHECK_EQ(inbox_cells()->grants_left, grants);
    sb_inbox_check(in);
}

/* ---- Bounds of entries and bytes (spec 01 §6.3, §9) ------------------------------------------ */

/* Gives early messages of `size` bytes until one is refused; returns how many are stored. */
static unsigned count_early(sb_inbox *in, size_t size)
{
    for (uint16_t seq = 1;; seq++) {
        sb_verdict verdict =
            inbox_accept(in, inbox_data((uint16_t)(in->channels[SB_CHANNEL_DATA].expected + seq),
                                        rig_pattern(size, seq)));
        if (verdict == SB_VERDICT_STORED) continue;
        CHECK_EQ(verdict, SB_VERDICT_NO_MEMORY);
        return seq - 1u;
    }
}

TEST(early_messages_leave_64_entries_and_64_kib)
{
    CHECK_EQ(count_early(inbox_open(&(inbox_setup){ NUMBERS, PLENTY, 64 + 5, 4096, 0 }), 1), 5);
    CHECK_EQ(count_early(inbox_open(&(inbox_setup){ NUMBERS, 65536 + 70, PLENTY, 4096, 0 }), 10),
             7);
    CHECK_EQ(count_early(inbox_open(&(inbox_setup){ NUMBERS, 65536 + 69, PLENTY, 4096, 0 }), 10),
             6);
    sb_inbox *in = inbox_open(&(inbox_setup){ NUMBERS, PLENTY, 255 + 5, 4096, 0 });
    in->fragments_max = SB_FRAGMENTS_TRUSTED;
    CHECK_EQ(count_early(in, 1), 5);
}

TEST(the_expected_message_needs_no_reserve)
{
    sb_inbox *in = inbox_open(&(inbox_setup){ NUMBERS, PLENTY, 3, 99, 0 });
    for (uint8_t i = 0; i < 5; i++)
        CHECK_EQ(inbox_accept(in, inbox_fragment(0, i, 5, rig_byte('a'))),
                 i < 3 ? SB_VERDICT_STORED : SB_VERDICT_NO_MEMORY);
}

TEST(a_message_one_ahead_is_early)
{
    inbox_setup small = { NUMBERS, PLENTY, 64, 4096, 4096 };
    CHECK_EQ(inbox_give(inbox_open(&small), 1, 'a'), SB_VERDICT_NO_MEMORY);
    CHECK_EQ(inbox_accept(inbox_open(&small), inbox_fragment(1, 0, 2, rig_byte('a'))),
             SB_VERDICT_NO_MEMORY);
    small.entries = 65;
    sb_inbox *in = inbox_open(&small);
    CHECK_EQ(inbox_accept(in, inbox_fragment(1, 0, 2, rig_byte('a'))), SB_VERDICT_STORED);
    CHECK_EQ(in->assembly.guaranteed, 0); /* only the expected one gets a grant */
    CHECK_EQ(in->account.used, 2);
}

/* A stored whole message at the expected number needs nothing more, but no rule depends on it. */
TEST(the_reserve_is_full_behind_a_whole_message)
{
    sb_inbox *in = inbox_open(&(inbox_setup){ NUMBERS, PLENTY, 64 + 1 + 5, 4096, 0 });
    CHECK_EQ(inbox_accept(in, inbox_data(1, rig_pattern(40, 3))), SB_VERDICT_STORED);
    CHECK_EQ(inbox_give(in, 0, 'a'), SB_VERDICT_DELIVER);
    CHECK_EQ(count_early(in, 2), 5);
}

typedef struct reserve_case {
    uint8_t  fragments_max, index, total;
    uint32_t size;
    uint32_t entries, bytes; /* that early messages leave free */
} reserve_case;

/* A fragment of the expected message is here: the others have 406 bytes, or as many as it has. */
static const reserve_case reserves[] = {
    { 64, 0, 3, 5, 2, 2 * 406 },
    { 64, 0, 3, 405, 2, 2 * 406 },
    { 64, 0, 3, 406, 2, 2 * 407 }, /* the first one is a byte shorter than the others */
    { 64, 1, 0, 5, 63, 63 * 406 },
    { 64, 1, 0, 407, 63, 63 * 407 },
    { 64, 1, 0, 500, 63, 63 * 500 },
    { 255, 1, 0, 5, 254, 254 * 406 },
    { 255, 0, 255, 1480, 254, 103529 - 1480 }, /* no message is longer */
    { 255, 0, 69, 1480, 68, 68 * 1481 },
    { 255, 1, 0, 406, 254, 103529 - 406 }, /* 254 * 406 would be one more */
};

static sb_inbox *inbox_with_fragment(const reserve_case *c, uint32_t entries, uint32_t bytes)
{
    sb_inbox *in = inbox_open(&(inbox_setup){ NUMBERS, bytes, entries, 4096, 4096 });
    in->fragments_max = c->fragments_max;
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, c->index, c->total, rig_pattern(c->size, 0))),
             SB_VERDICT_STORED);
    return in;
}

TEST(early_messages_leave_the_rest_of_the_expected_one)
{
    for (size_t i = 0; i < sizeof reserves / sizeof *reserves; i++) {
        const reserve_case *c = &reserves[i];
        CHECK_EQ(count_early(inbox_with_fragment(c, 1 + c->entries + 4, PLENTY), 1), 4);
        CHECK_EQ(count_early(inbox_with_fragment(c, PLENTY, c->size + c->bytes + 30), 10), 3);
        CHECK_EQ(count_early(inbox_with_fragment(c, PLENTY, c->size + c->bytes + 29), 10), 2);
    }
}

/* ---- Cells (docs/decisions/transport-memory.md) ---------------------------------------------- */

TEST(early_messages_leave_32_cells)
{
    CHECK_EQ(count_early(inbox_open(&(inbox_setup){ NUMBERS, PLENTY, PLENTY, 32 + 5, 0 }), 84), 5);
    CHECK_EQ(count_early(inbox_open(&(inbox_setup){ NUMBERS, PLENTY, PLENTY, 32 + 5, 0 }), 85), 2);
}

TEST(fragments_without_a_grant_use_the_guaranteed_cells)
{
    for (uint32_t cells = 1; cells <= 5; cells++) {
        sb_inbox *in = inbox_open(&(inbox_setup){ NUMBERS, PLENTY, PLENTY, cells, 0 });
        for (uint8_t i = 0; i < 5; i++) /* one cell each, and one for the list of them */
            CHECK_EQ(inbox_accept(in, inbox_fragment(0, i, 5, rig_byte('a'))),
                     i + 2u <= cells ? SB_VERDICT_STORED : SB_VERDICT_NO_MEMORY);
        CHECK_EQ(in->assembly.guaranteed, 0);
    }
}

typedef struct grant_case {
    uint8_t  fragments_max, index, total;
    uint32_t size;
    uint32_t granted; /* before the total is known, or behind the fragment 0 */
} grant_case;

/* 406 bytes take 4 cells, 456 the same, 457 one more. */
static const grant_case grants[] = {
    { 64, 1, 0, 5, 1 + 64 * 4 },
    { 64, 1, 0, 456, 1 + 64 * 4 },
    { 64, 1, 0, 457, 1 + 64 * 5 },
    { 64, 1, 0, 1480, 1 + 64 * 13 },
    { 64, 0, 3, 5, 1 + 1 + 2 * 4 },
    { 64, 0, 3, 455, 1 + 4 + 2 * 4 },
    { 64, 0, 3, 456, 1 + 4 + 2 * 5 },
    { 255, 1, 0, 1480, 1 + 2 * 255 + 103529 / 124 },
    { 255, 0, 255, 1480, 1 + 13 + 2 * 254 + (103529 - 1480) / 124 },
    { 255, 0, 255, 1477, 1 + 13 + 2 * 254 + 823 }, /* 102,052 bytes are left: 823 cells of 124 */
    { 255, 0, 255, 1478, 1 + 13 + 2 * 254 + 822 },
};

TEST(a_grant_is_for_the_whole_message)
{
    for (size_t i = 0; i < sizeof grants / sizeof *grants; i++) {
        const grant_case *c = &grants[i];
        sb_inbox         *in = inbox_open(&(inbox_setup){ NUMBERS, PLENTY, PLENTY, 32, 4096 });
        in->fragments_max = c->fragments_max;
        CHECK_EQ(inbox_accept(in, inbox_fragment(0, c->index, c->total, rig_pattern(c->size, 0))),
                 SB_VERDICT_STORED);
        CHECK_EQ(in->assembly.guaranteed, c->granted);
        CHECK_EQ(inbox_cells()->grants_left, 4096 - c->granted);
        CHECK_EQ(in->assembly.used, 1 + sb_cells_needed(c->size));
        CHECK_EQ(in->account.used, 0);
    }
}

TEST(a_grant_that_is_exactly_large_enough_is_given)
{
    for (uint32_t reserve = 12; reserve <= 14; reserve++) {
        sb_inbox *in = inbox_open(&(inbox_setup){ NUMBERS, PLENTY, PLENTY, 9, reserve });
        CHECK_EQ(inbox_accept(in, inbox_fragment(0, 0, 3, rig_byte('a'))), SB_VERDICT_STORED);
        CHECK_EQ(in->assembly.used, reserve >= 13 ? 2 : 0);
        CHECK_EQ(in->account.used, reserve >= 13 ? 0 : 2);
    }
}

/* The grant of the first fragment is for fragments of 406 bytes. */
TEST(a_grant_grows_only_by_what_is_missing)
{
    sb_inbox *in = inbox_open(&(inbox_setup){ NUMBERS, PLENTY, PLENTY, 32, 1 + 1 + 13 + 13 });
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 0, 3, rig_byte('a'))), SB_VERDICT_STORED);
    CHECK_EQ(in->assembly.guaranteed, 1 + 1 + 4 + 4);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 1, 0, rig_pattern(1480, 1))), SB_VERDICT_STORED);
    CHECK_EQ(in->assembly.guaranteed, 1 + 1 + 13 + 13);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 2, 0, rig_pattern(1480, 2))), SB_VERDICT_STORED);
    CHECK_EQ(in->assembly.used, 1 + 1 + 13 + 13);
    CHECK(inbox_next(in, SB_CHANNEL_DATA) != NULL);
    CHECK_EQ(in->assembly.guaranteed, 0);
    CHECK_EQ(inbox_cells()->grants_left, 1 + 1 + 13 + 13);
}

/* Fragment 0 comes last of all: cells for fragments that the message does not have go back. */
TEST(cells_of_a_grant_go_back_when_the_total_is_known)
{
    sb_inbox *in = inbox_open(&(inbox_setup){ NUMBERS, PLENTY, PLENTY, 32, 4096 });
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 1, 0, rig_byte('b'))), SB_VERDICT_STORED);
    CHECK_EQ(in->assembly.guaranteed, 1 + 64 * 4);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 0, 3, rig_byte('a'))), SB_VERDICT_STORED);
    CHECK_EQ(in->assembly.guaranteed, 1 + 1 + 1 + 4);
    CHECK_EQ(inbox_cells()->grants_left, 4096 - 7);
}

/* Otherwise its message could never be completed. */
TEST(a_message_on_the_low_channel_leaves_a_grant_alone)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 0, 3, rig_byte('a'))), SB_VERDICT_STORED);
    uint32_t granted = in->assembly.guaranteed;
    CHECK_EQ(inbox_accept(in, inbox_control(1, rig_byte('x'))), SB_VERDICT_STORED);
    CHECK_EQ(inbox_accept(in, inbox_control(0, rig_byte('w'))), SB_VERDICT_DELIVER);
    CHECK_TEXT(inbox_next(in, SB_CHANNEL_LOW), "x");
    CHECK_EQ(in->assembly.guaranteed, granted);
}

/* ---- Fragments ------------------------------------------------------------------------------ */

TEST(a_message_has_at_most_103529_bytes)
{
    for (int beyond = 0; beyond < 2; beyond++) {
        sb_inbox *in = inbox_open(&(inbox_setup){ NUMBERS, PLENTY, PLENTY, 32, 4096 });
        in->fragments_max = SB_FRAGMENTS_TRUSTED;
        size_t left = 103529 + (size_t)beyond;
        for (uint8_t i = 0; left > 0; i++) {
            size_t size = left > 1400 ? 1400 : left;
            left -= size;
            CHECK_EQ(inbox_accept(in, inbox_fragment(0, i, 74, rig_pattern(size, i))),
                     left == 0 && beyond ? SB_VERDICT_BAD_FRAGMENT : SB_VERDICT_STORED);
        }
        CHECK_EQ(inbox_next(in, SB_CHANNEL_DATA) != NULL, !beyond);
    }
}

TEST(two_hundred_and_fifty_five_fragments_are_joined_in_order)
{
    sb_inbox *in = inbox_open(NULL);
    in->fragments_max = SB_FRAGMENTS_TRUSTED;
    for (unsigned i = 0; i < 255; i++) {
        uint8_t index = (uint8_t)(i * 101 % 255); /* any order */
        CHECK(inbox_next(in, SB_CHANNEL_DATA) == NULL);
        CHECK_EQ(
            inbox_accept(in, inbox_fragment(0, index, 255, rig_byte((char)('A' + index % 57)))),
            SB_VERDICT_STORED);
    }
    const char *text = inbox_next(in, SB_CHANNEL_DATA);
    CHECK(text && strlen(text) == 255);
    for (unsigned i = 0; i < 255; i++) CHECK_EQ(text[i], 'A' + (int)(i % 57));
}
