/* tests/transport/inbox_rivals_alone_test.c -- records, rivals and rewinds without a session.
 *
 * For:      src/transport/inbox_rivals.c. inbox_rivals_test.c and marks_test.c have their use.
 * Spec:     01 §10.8 rules 1 and 4.
 */
#include "inbox_rig.h"

#include "base/random.h"

#include <string.h>

/* ---- Hashes --------------------------------------------------------------------------------- */

static uint16_t hash_of(const sb_inbox *in, const uint8_t *bytes, size_t size)
{
    sb_transport_message m = inbox_data(0, (sb_span){ bytes, size });
    return sb_inbox_hash(in, &m);
}

static void fill(uint8_t *bytes, size_t size, sb_random *random)
{
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)sb_random_below(random, 256);
}

/* 15 bits decide: of 17,000 changes about one goes unnoticed by chance. */
TEST(a_hash_changes_with_every_bit_of_the_payload)
{
    sb_inbox *in = inbox_open(NULL);
    sb_random random;
    uint8_t   bytes[64];
    unsigned  unnoticed = 0;
    sb_random_init(&random, 1);
    for (size_t size = 1; size <= sizeof bytes; size++)
        for (size_t bit = 0; bit < 8 * size; bit++) {
            fill(bytes, size, &random);
            uint16_t hash = hash_of(in, bytes, size);
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            unnoticed += hash_of(in, bytes, size) == hash;
        }
    CHECK(unnoticed < 8);
}

/* Any two or three bits of the last seven bytes: without the seed nobody knows such a pair. */
TEST(no_change_of_a_payload_keeps_its_hash_often)
{
    enum { PAYLOADS = 16, SIZE = 15, BITS = 56 };
    sb_inbox *in = inbox_open(NULL);
    sb_random random;
    uint8_t   bytes[PAYLOADS][SIZE];
    uint16_t  hashes[PAYLOADS];
    sb_random_init(&random, 2);
    for (unsigned i = 0; i < PAYLOADS; i++) {
        fill(bytes[i], SIZE, &random);
        hashes[i] = hash_of(in, bytes[i], SIZE);
    }
    for (unsigned a = 0; a < BITS; a++)
        for (unsigned b = 0; b < a; b++)
            for (unsigned c = 0; c <= b; c++) {
                unsigned equal = 0;
                for (unsigned i = 0; i < PAYLOADS; i++) {
                    uint8_t other[SIZE], *last = other + SIZE - BITS / 8;
                    memcpy(other, bytes[i], SIZE);
                    last[a / 8] ^= (uint8_t)(1u << a % 8);
                    last[b / 8] ^= (uint8_t)(1u << b % 8);
                    if (c < b) last[c / 8] ^= (uint8_t)(1u << c % 8);
                    equal += hash_of(in, other, SIZE) == hashes[i];
                }
                CHECK(equal < 3);
            }
}

TEST(hashes_are_odd_and_use_16_bits)
{
    sb_inbox *in = inbox_open(NULL);
    unsigned  any = 0, all = 0xFFFF;
    for (unsigned i = 0; i < 200; i++) {
        uint8_t  byte = (uint8_t)i;
        uint16_t hash = hash_of(in, &byte, 1);
        any |= hash;
        all &= hash;
    }
    CHECK_EQ(any, 0xFFFF);
    CHECK_EQ(all, 1);
}

TEST(a_hash_depends_on_seed_size_and_type_and_nothing_else)
{
    static const uint8_t zeros[40];
    sb_inbox            *in = inbox_open(NULL);
    for (size_t size = 0; size < 20; size++) {
        uint8_t bytes[40] = { 0 };
        bytes[9] = 1;
        bytes[10 + size] = 1;
        CHECK_EQ(hash_of(in, bytes + 10, size), hash_of(in, zeros + 10, size));
        CHECK(hash_of(in, zeros, size) != hash_of(in, zeros, size + 1));
        sb_transport_message m = inbox_data(0, (sb_span){ zeros, size }), other = m;
        other.type = SB_TRANSPORT_NAME;
        uint16_t hash = sb_inbox_hash(in, &m);
        CHECK(sb_inbox_hash(in, &other) != hash);
        in->record_seed++;
        CHECK(sb_inbox_hash(in, &m) != hash);
        in->record_seed--;
    }
}

/* ---- Records -------------------------------------------------------------------------------- */

TEST(nothing_is_known_of_numbers_that_were_never_used)
{
    sb_inbox *in = inbox_open(NULL);
    for (unsigned seq = 0; seq <= UINT16_MAX; seq++) {
        sb_transport_message m = inbox_data((uint16_t)seq, rig_byte('a'));
        CHECK(!sb_inbox_conflicts(in, &m) && !sb_inbox_has_rival(in, &m));
        CHECK_EQ(sb_inbox_batch(in, &m), SB_BATCH_PROVEN);
        m = inbox_control((uint16_t)seq, rig_byte('a'));
        CHECK(!sb_inbox_conflicts(in, &m) && !sb_inbox_has_rival(in, &m));
        CHECK_EQ(sb_inbox_batch(in, &m), SB_BATCH_PROVEN);
    }
    CHECK(!sb_inbox_is_rewound(in));
    CHECK_EQ(sb_inbox_next_batch(in, SB_CHANNEL_DATA), SB_BATCH_PROVEN);
}

/* As many numbers behind the expected one as the window has. */
TEST(other_content_is_noticed_in_the_window_and_as_far_behind)
{
    sb_inbox *in = inbox_open(NULL);
    for (unsigned i = 0; i < 40; i++)
        CHECK_EQ(inbox_give(in, (uint16_t)i, 'a'), SB_VERDICT_DELIVER);
    for (unsigned i = 41; i < 40 + NUMBERS; i++)
        CHECK_EQ(inbox_give(in, (uint16_t)i, 'a'), SB_VERDICT_STORED);
    for (unsigned i = 40 - NUMBERS; i < 40 + NUMBERS; i++) {
        CHECK(!conflicts(in, (uint16_t)i, 'a'));
        CHECK_EQ(conflicts(in, (uint16_t)i, 'b'), i != 40);
    }
    CHECK(!conflicts(in, 40 - NUMBERS - 1, 'b'));
}

TEST(sixteen_control_messages_are_remembered)
{
    sb_inbox *in = inbox_open(NULL);
    for (uint16_t i = 0; i < 20; i++)
        CHECK_EQ(inbox_accept(in, inbox_control(i, rig_byte('a'))), SB_VERDICT_DELIVER);
    for (uint16_t i = 0; i < 21; i++) {
        sb_transport_message same = inbox_control(i, rig_byte('a'));
        sb_transport_message other = inbox_control(i, rig_byte('b'));
        CHECK(!sb_inbox_conflicts(in, &same));
        CHECK_EQ(sb_inbox_conflicts(in, &other), i >= 4 && i < 20);
    }
}

/* Also if the bytes are the same, or the hash looks like the sign of fragments. */
TEST(a_fragment_and_a_whole_message_conflict)
{
    sb_inbox            *in = inbox_open(NULL);
    sb_transport_message whole = inbox_data(3, rig_byte('a'));
    sb_transport_message part = inbox_fragment(3, 0, 2, rig_byte('a'));
    sb_transport_message other = inbox_fragment(3, 1, 0, rig_byte('b'));
    CHECK_EQ(inbox_accept(in, whole), SB_VERDICT_STORED);
    CHECK(sb_inbox_conflicts(in, &part) && !sb_inbox_conflicts(in, &whole));
    in = inbox_open(NULL);
    CHECK_EQ(inbox_accept(in, part), SB_VERDICT_STORED);
    CHECK(sb_inbox_conflicts(in, &whole));
    CHECK(!sb_inbox_conflicts(in, &part) && !sb_inbox_conflicts(in, &other));
    for (uint16_t wanted = 1; wanted <= 3; wanted += 2) {
        uint8_t  bytes[4] = { 0 };
        uint32_t i = 0;
        while (hash_of(in, bytes, 4) != wanted) i++, memcpy(bytes, &i, 4);
        in = inbox_open(NULL);
        CHECK_EQ(inbox_accept(in, inbox_data(3, (sb_span){ bytes, 4 })), SB_VERDICT_STORED);
        CHECK(sb_inbox_conflicts(in, &part) && sb_inbox_conflicts(in, &whole));
    }
}

TEST(no_conflict_is_seen_without_a_seed_or_with_eight_bits)
{
    for (int i = 0; i < 3; i++) {
        sb_inbox *in = inbox_open(NULL);
        in->record_seed = i == 0 ? 0 : 1;
        in->eight_bit = i == 1;
        CHECK_EQ(inbox_give(in, 0, 'a'), SB_VERDICT_DELIVER);
        CHECK_EQ(conflicts(in, 0, 'b'), i == 2);
        sb_transport_message far = inbox_data(0x4001, rig_byte('x'));
        if (i == 1) far.seq = (uint16_t)(1 - 2 * NUMBERS);
        CHECK_EQ(sb_inbox_is_lost(in, &far), i == 2);
    }
}

TEST(every_datagram_has_a_batch_of_its_own)
{
    sb_inbox *in = inbox_open(NULL);
    uint16_t  last = in->batch;
    CHECK(last > SB_BATCH_SETTLED);
    for (unsigned i = 0; i < 3 * 65536; i++) {
        begin(in, false);
        CHECK(in->batch > SB_BATCH_SETTLED && in->batch != last);
        last = in->batch;
        if (i % 1000) continue;
        begin(in, true);
        CHECK_EQ(in->batch, SB_BATCH_PROVEN);
    }
}

TEST(the_batch_of_the_next_message_is_known_if_it_is_there)
{
    sb_inbox *in = inbox_open(NULL);
    begin(in, false);
    for (unsigned i = 0; i < 4 * NUMBERS; i++) {
        CHECK_EQ(inbox_give(in, expected(in), 'a'), SB_VERDICT_DELIVER);
        CHECK_EQ(sb_inbox_next_batch(in, SB_CHANNEL_DATA), SB_BATCH_PROVEN); /* nothing is there */
    }
    begin(in, false);
    CHECK_EQ(inbox_give(in, (uint16_t)(expected(in) + 1), 'a'), SB_VERDICT_STORED);
    CHECK_EQ(inbox_give(in, expected(in), 'a'), SB_VERDICT_DELIVER);
    CHECK_EQ(sb_inbox_next_batch(in, SB_CHANNEL_DATA), in->batch);
}

/* ---- Rivals --------------------------------------------------------------------------------- */

static bool has_rival(const sb_inbox *in, sb_transport_message m)
{
    return sb_inbox_has_rival(in, &m);
}

static void discard(sb_inbox *in, sb_transport_message m)
{
    sb_inbox_discard(in, &m);
    sb_inbox_check(in);
}

TEST(another_form_type_or_content_is_a_rival)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK_EQ(inbox_give(in, 1, 'a'), SB_VERDICT_STORED);
    CHECK(!has_rival(in, inbox_data(1, rig_byte('a'))));
    CHECK(has_rival(in, inbox_data(1, rig_byte('b'))));
    CHECK(has_rival(in, inbox_data(1, rig_pattern(2, 'a'))));
    CHECK(has_rival(in, inbox_fragment(1, 0, 2, rig_byte('a'))));
    CHECK(!has_rival(in, inbox_data(2, rig_byte('b'))));
    CHECK(!has_rival(in, inbox_data(1 + NUMBERS, rig_byte('b')))); /* the same slot */
    CHECK(!has_rival(in, inbox_data((uint16_t)(1 - NUMBERS), rig_byte('b'))));
    CHECK(!has_rival(in, inbox_control(1, rig_byte('b'))));
    CHECK_EQ(inbox_give(in, NUMBERS - 1, 'a'), SB_VERDICT_STORED); /* the last slot */
    CHECK(has_rival(in, inbox_data(NUMBERS - 1, rig_byte('b'))));
    CHECK_EQ(inbox_accept(in, inbox_control(1, rig_byte('a'))), SB_VERDICT_STORED);
    sb_transport_message other = inbox_control(1, rig_byte('a'));
    CHECK(!has_rival(in, other));
    other.type = SB_TRANSPORT_DISCONNECT;
    CHECK(has_rival(in, other));
    CHECK_EQ(inbox_accept(in, inbox_fragment(2, 0, 2, rig_byte('a'))), SB_VERDICT_STORED);
    CHECK(has_rival(in, inbox_data(2, rig_byte('a'))));
}

TEST(fragments_that_cannot_be_of_one_message_are_rivals)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK_EQ(inbox_accept(in, inbox_fragment(1, 4, 0, rig_byte('e'))), SB_VERDICT_STORED);
    CHECK(!has_rival(in, inbox_fragment(1, 4, 0, rig_byte('e'))));
    CHECK(has_rival(in, inbox_fragment(1, 4, 0, rig_byte('x'))));
    CHECK(has_rival(in, inbox_fragment(1, 4, 0, rig_pattern(0, 0))));
    CHECK(has_rival(in, inbox_fragment(1, 0, 4, rig_byte('a'))));
    CHECK(!has_rival(in, inbox_fragment(1, 0, 5, rig_byte('a'))));
    CHECK(!has_rival(in, inbox_fragment(1, 9, 0, rig_byte('j')))); /* there is no total yet */
    CHECK_EQ(inbox_accept(in, inbox_fragment(1, 0, 5, rig_byte('a'))), SB_VERDICT_STORED);
    CHECK(!has_rival(in, inbox_fragment(1, 0, 5, rig_byte('a'))));
    CHECK(has_rival(in, inbox_fragment(1, 0, 6, rig_byte('a'))));
    CHECK(has_rival(in, inbox_fragment(1, 5, 0, rig_byte('f'))));
    CHECK(!has_rival(in, inbox_fragment(1, 1, 0, rig_byte('b'))));
}

/* Delivers Data 0, so that Data 1 is the expected message. */
static void expect_text(sb_inbox *in, const char *text)
{
    CHECK_EQ(inbox_give(in, 0, '0'), SB_VERDICT_DELIVER);
    CHECK_TEXT(inbox_next(in, SB_CHANNEL_DATA), text);
}

TEST(a_fragment_discards_its_rivals_and_keeps_the_others)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK_EQ(inbox_accept(in, inbox_fragment(1, 0, 3, rig_byte('a'))), SB_VERDICT_STORED);
    CHECK_EQ(inbox_accept(in, inbox_fragment(1, 1, 0, rig_byte('F'))), SB_VERDICT_STORED);
    discard(in, inbox_fragment(1, 1, 0, rig_byte('b')));
    CHECK_EQ(in->stored, 1); /* the total of fragment 0 still counts */
    CHECK_EQ(inbox_accept(in, inbox_fragment(1, 3, 0, rig_byte('x'))), SB_VERDICT_BAD_FRAGMENT);
    CHECK_EQ(inbox_accept(in, inbox_fragment(1, 1, 0, rig_byte('b'))), SB_VERDICT_STORED);
    CHECK_EQ(inbox_accept(in, inbox_fragment(1, 2, 0, rig_byte('c'))), SB_VERDICT_STORED);
    expect_text(in, "abc");
}

TEST(a_discarded_first_fragment_takes_its_total_along)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK_EQ(inbox_accept(in, inbox_fragment(1, 0, 2, rig_byte('F'))), SB_VERDICT_STORED);
    CHECK_EQ(inbox_accept(in, inbox_fragment(1, 1, 0, rig_byte('b'))), SB_VERDICT_STORED);
    discard(in, inbox_fragment(1, 2, 0, rig_byte('c')));
    CHECK_EQ(inbox_accept(in, inbox_fragment(1, 2, 0, rig_byte('c'))), SB_VERDICT_STORED);
    CHECK_EQ(inbox_accept(in, inbox_fragment(1, 0, 3, rig_byte('a'))), SB_VERDICT_STORED);
    expect_text(in, "abc");
}

TEST(a_first_fragment_discards_indices_that_it_excludes)
{
    sb_inbox *in = inbox_open(NULL);
    for (uint8_t i = 1; i <= 5; i++)
        CHECK_EQ(inbox_accept(in, inbox_fragment(1, i, 0, rig_byte((char)('a' + i)))),
                 SB_VERDICT_STORED);
    discard(in, inbox_fragment(1, 0, 3, rig_byte('a')));
    CHECK_EQ(in->stored, 2);
    CHECK_EQ(inbox_accept(in, inbox_fragment(1, 0, 3, rig_byte('a'))), SB_VERDICT_STORED);
    expect_text(in, "abc");
}

TEST(whole_messages_and_fragments_discard_each_other)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK_EQ(inbox_accept(in, inbox_data(1, rig_pattern(80, 0x91))), SB_VERDICT_STORED);
    discard(in, inbox_fragment(1, 0, 2, rig_byte('a')));
    CHECK_EQ(in->stored, 0);
    for (uint8_t i = 0; i < 3; i++)
        CHECK_EQ(inbox_accept(in, inbox_fragment(1, i, 3, rig_byte('F'))), SB_VERDICT_STORED);
    discard(in, inbox_data(1, rig_byte('T')));
    CHECK_EQ(in->stored, 0);
    CHECK_EQ(inbox_give(in, 1, 'T'), SB_VERDICT_STORED);
    expect_text(in, "T");
}

/* Of the expected message only: others have none. */
TEST(a_grant_goes_back_with_what_is_discarded)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 0, 3, rig_byte('F'))), SB_VERDICT_STORED);
    uint32_t granted = in->assembly.guaranteed;
    CHECK(granted > 0);
    CHECK_EQ(inbox_give(in, 1, 'F'), SB_VERDICT_STORED);
    discard(in, inbox_data(1, rig_byte('T')));
    CHECK_EQ(in->assembly.guaranteed, granted);
    CHECK_EQ(inbox_accept(in, inbox_control(1, rig_byte('F'))), SB_VERDICT_STORED);
    discard(in, inbox_control(1, rig_byte('T')));
    CHECK_EQ(in->assembly.guaranteed, granted);
    CHECK_EQ(inbox_accept(in, inbox_fragment(0, 2, 0, rig_byte('c'))), SB_VERDICT_STORED);
    discard(in, inbox_fragment(0, 0, 3, rig_byte('a')));
    CHECK(in->assembly.guaranteed > 0); /* fragment 2 is still there */
    discard(in, inbox_fragment(0, 2, 0, rig_byte('x')));
    CHECK_EQ(in->assembly.guaranteed, 0);
}

/* ---- Taking back ---------------------------------------------------------------------------- */

/* There are records of twice as many numbers as the window has. */
TEST(a_stolen_number_is_taken_back_while_it_has_a_record)
{
    for (unsigned behind = 1; behind < 2 * NUMBERS; behind++) {
        sb_inbox *in = inbox_open(NULL);
        deliver_run(in, 100, 'a', true);
        deliver_run(in, 1, 'F', false);
        deliver_run(in, behind - 1, 'a', true);
        take_back(in, 100);
        CHECK_EQ(expected(in), 100);
        CHECK(sb_inbox_is_rewound(in));
        deliver_run(in, 1, 'T', true);
        CHECK_EQ(expected(in), 100 + behind);
    }
}

TEST(a_stolen_control_number_is_taken_back_while_it_is_remembered)
{
    for (uint16_t behind = 1; behind <= 16; behind++) {
        sb_inbox            *in = inbox_open(NULL);
        sb_transport_message m = inbox_control(20, rig_byte('T'));
        for (uint16_t i = 0; i < 20 + behind; i++) {
            begin(in, i != 20);
            CHECK_EQ(inbox_accept(in, inbox_control(i, rig_byte('a'))), SB_VERDICT_DELIVER);
        }
        begin(in, true);
        sb_inbox_take_back(in, RIG_START, &m);
        CHECK_EQ(in->channels[SB_CHANNEL_LOW].expected, behind < 16 ? 20 : 20 + behind);
        CHECK_EQ(sb_inbox_is_rewound(in), behind < 16);
        if (behind == 16) continue;
        CHECK_EQ(inbox_accept(in, m), SB_VERDICT_DELIVER);
        CHECK_EQ(in->channels[SB_CHANNEL_LOW].expected, 20 + behind); /* the others were proven */
        CHECK(!sb_inbox_is_rewound(in));
    }
}

TEST(a_forged_datagram_is_taken_back_from_its_first_number_on)
{
    sb_inbox *in = inbox_open(NULL);
    deliver_run(in, 2, 'a', true);
    deliver_run(in, 3, 'F', false);
    begin(in, false);
    CHECK_EQ(inbox_give(in, 7, 'x'), SB_VERDICT_STORED); /* of another datagram */
    take_back(in, 4);
    CHECK_EQ(expected(in), 2);
    for (uint16_t seq = 2; seq < 5; seq++) {
        CHECK(!conflicts(in, seq, 'T')); /* nothing is known of it any more */
        CHECK_EQ(inbox_give(in, seq, 'T'), SB_VERDICT_DELIVER);
    }
    CHECK(!sb_inbox_is_rewound(in));
    CHECK_EQ(in->stored, 1);
}

TEST(a_message_of_a_forged_datagram_that_waits_is_released)
{
    for (uint16_t own = 25; own < 24 + NUMBERS; own++) { /* every slot, the end of the records */
        sb_inbox *in = inbox_open(NULL);
        deliver_run(in, 24, 'a', true);
        begin(in, false);
        for (uint16_t seq = 25; seq < 24 + NUMBERS; seq++)
            if (seq != own) CHECK_EQ(inbox_give(in, seq, 'F'), SB_VERDICT_STORED);
        begin(in, true);
        CHECK_EQ(inbox_give(in, own, 'T'), SB_VERDICT_STORED);
        take_back(in, own == 25 ? 26 : 25);
        CHECK_EQ(in->stored, 1);
        CHECK_EQ(expected(in), 24);
        CHECK(!sb_inbox_is_rewound(in)); /* nothing of it was delivered */
        for (uint16_t seq = 25; seq < 24 + NUMBERS; seq++)
            CHECK_EQ(conflicts(in, seq, 'x'), seq == own);
    }
}

TEST(number_0_of_the_first_datagram_is_taken_back)
{
    sb_inbox *in = inbox_open(NULL);
    CHECK_EQ(inbox_give(in, 0, 'F'), SB_VERDICT_DELIVER);
    take_back(in, 0);
    CHECK_EQ(expected(in), 0);
    CHECK_EQ(in->channels[SB_CHANNEL_DATA].records[0], 0);
    CHECK_EQ(sb_inbox_next_batch(in, SB_CHANNEL_DATA), SB_BATCH_PROVEN);
}

TEST(a_message_with_the_smallest_hash_is_taken_back)
{
    sb_inbox *in = inbox_open(NULL);
    uint8_t   bytes[4] = { 0 };
    for (uint32_t i = 0; hash_of(in, bytes, 4) != 1; i++) memcpy(bytes, &i, 4);
    CHECK_EQ(inbox_accept(in, inbox_data(0, (sb_span){ bytes, 4 })), SB_VERDICT_DELIVER);
    take_back(in, 0);
    CHECK_EQ(expected(in), 0);
}

/* Its slot is empty, but its record is there. */
TEST(a_discarded_message_of_a_forged_datagram_is_taken_back_too)
{
    sb_inbox *in = inbox_open(NULL);
    begin(in, false);
    CHECK_EQ(inbox_give(in, 1, 'F'), SB_VERDICT_STORED);
    CHECK_EQ(inbox_give(in, 2, 'F'), SB_VERDICT_STORED);
    discard(in, inbox_data(1, rig_byte('T')));
    take_back(in, 2);
    CHECK_EQ(in->stored, 0);
    CHECK(!conflicts(in, 1, 'T'));
}

TEST(what_the_peer_sent_is_never_taken_back)
{
    sb_inbox *in = inbox_open(NULL);
    deliver_run(in, 4, 'a', true);
    CHECK_EQ(inbox_give(in, 6, 'a'), SB_VERDICT_STORED);
    take_back(in, 2);
    CHECK_EQ(expected(in), 4);
    CHECK_EQ(in->stored, 1);
}

/* The bits of a settled record are few: the caller knows whether this is one of its messages. */
TEST(a_number_with_two_messages_is_taken_back_alone)
{
    sb_inbox            *in = inbox_open(NULL);
    sb_transport_message m = inbox_data(2, rig_byte('T'));
    deliver_run(in, 4, 'F', false);
    CHECK(sb_inbox_lacks(in, &m));
    sb_inbox_settle(in, &m);
    CHECK(!sb_inbox_lacks(in, &m));
    take_back(in, 2);
    CHECK_EQ(expected(in), 2);
}

TEST(a_copy_of_the_peer_confirms_all_of_its_datagram)
{
    for (unsigned first = 0; first < 2 * NUMBERS; first++) { /* every record once */
        sb_inbox *in = inbox_open(NULL);
        deliver_run(in, first, 'a', true);
        deliver_run(in, 3, 'b', false);
        uint16_t other = (uint16_t)(first + 3);
        deliver_run(in, 1, 'F', false);
        sb_transport_message m = inbox_data((uint16_t)(first + 1), rig_byte('b'));
        sb_inbox_confirm(in, &m);
        for (unsigned i = 0; i < 3; i++) {
            m.seq = (uint16_t)(first + i);
            CHECK_EQ(sb_inbox_batch(in, &m), SB_BATCH_PROVEN);
            take_back(in, m.seq);
            CHECK_EQ(expected(in), first + 4);
        }
        take_back(in, other);
        CHECK_EQ(expected(in), other);
    }
}
