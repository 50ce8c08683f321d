/* tests/transport/marks_alone_test.c -- marks without a session: choice, times, recognition.
 *
 * For:      src/transport/marks.c. marks_test.c has their use.
 * Spec:     01 §10.8 rule 3.
 */
#include "marks_rig.h"
#include "transport/marks.h"

#include <string.h>

static const sb_time start = RIG_START;

static sb_marks *new_marks(void)
{
    static sb_marks marks;
    sb_marks_init(&marks, 7, start);
    return &marks;
}

static sb_marks *raised_marks(void)
{
    sb_marks *marks = new_marks();
    sb_marks_raise(marks, start);
    return marks;
}

static sb_transport_message ack_of(uint16_t seq, uint8_t flags)
{
    return (sb_transport_message){ .type = SB_TRANSPORT_ACK, .seq = seq, .ack_flags = flags };
}

static void write_marks_at(sb_marks *marks, sb_time now, uint16_t oldest)
{
    uint8_t            bytes[64];
    sb_datagram_writer w;
    sb_datagram_writer_init(&w, bytes, sizeof bytes, 2);
    CHECK_EQ(sb_marks_write(marks, now, oldest, &w), SB_MARKS_COUNT);
}

/* Writes the marks into an empty datagram; returns the time until they are due again. */
static sb_time write_marks(sb_marks *marks, sb_time now)
{
    write_marks_at(marks, now, 100);
    return marks->ask_at - now;
}

static const uint16_t *latest_set(const sb_marks *marks)
{
    return marks->sets[marks->latest];
}

/* Does a datagram with Acks of these numbers show that the peer sent it? */
static bool proves(const sb_marks *marks, const uint16_t numbers[SB_MARKS_COUNT])
{
    sb_marks_found found = { { 0 } };
    for (unsigned k = 0; k < SB_MARKS_COUNT; k++) {
        sb_transport_message ack = ack_of(numbers[k], 0);
        sb_marks_find(marks, &ack, &found);
    }
    return sb_marks_are_found(marks, &found);
}

/* ---- Choice --------------------------------------------------------------------------------- */

/* How far each mark lies behind the nearest number of its range. */
static void measure(const uint16_t *marks, uint16_t oldest, uint16_t *behind)
{
    for (unsigned k = 0; k < SB_MARKS_COUNT; k++)
        behind[k] = (uint16_t)(oldest - marks[k] - (int)(1280 + k * 2400));
}

TEST(each_mark_is_one_of_2400_numbers_from_1280_behind_on)
{
    unsigned nearest[SB_MARKS_COUNT] = { 0 }, furthest[SB_MARKS_COUNT] = { 0 };
    for (unsigned i = 0; i < 60000; i++) {
        uint16_t base = (uint16_t)(i * 3), set[SB_MARKS_COUNT], behind[SB_MARKS_COUNT];
        sb_marks_draw(i + 1, base, set);
        measure(set, base, behind);
        for (unsigned k = 0; k < SB_MARKS_COUNT; k++) {
            CHECK(behind[k] < 2400);
            nearest[k] += behind[k] == 0;
            furthest[k] += behind[k] == 2399;
        }
    }
    for (unsigned k = 0; k < SB_MARKS_COUNT; k++) CHECK(nearest[k] > 0 && furthest[k] > 0);
}

static bool are_equal(const uint16_t *marks, const uint16_t *others)
{
    return memcmp(marks, others, SB_MARKS_COUNT * sizeof *marks) == 0;
}

static void draw_first(uint64_t seed, sb_time now, uint16_t set[SB_MARKS_COUNT])
{
    sb_marks marks;
    sb_marks_init(&marks, seed, now);
    sb_marks_raise(&marks, now);
    write_marks_at(&marks, now, 100);
    memcpy(set, latest_set(&marks), SB_MARKS_COUNT * sizeof *set);
}

/* The next seed or the next microsecond has other marks; by chance, one of 2400 is the same. */
TEST(marks_depend_on_the_seed_and_the_time)
{
    unsigned same[2][SB_MARKS_COUNT] = { { 0 } };
    for (unsigned i = 0; i < 2400; i++) {
        uint16_t set[SB_MARKS_COUNT], others[2][SB_MARKS_COUNT];
        draw_first(7 + i, start + i, set);
        draw_first(8 + i, start + i, others[0]);
        draw_first(7 + i, start + i + 1, others[1]);
        for (unsigned k = 0; k < 2; k++) {
            CHECK(!are_equal(set, others[k]));
            for (unsigned m = 0; m < SB_MARKS_COUNT; m++) same[k][m] += set[m] == others[k][m];
        }
    }
    for (unsigned m = 0; m < SB_MARKS_COUNT; m++) CHECK(same[0][m] < 8 && same[1][m] < 8);
}

/* Otherwise part of the seed could be guessed. */
TEST(every_bit_of_the_secret_changes_half_of_all_bits)
{
    enum { SEEDS = 400, BITS = 11 };
    for (unsigned bit = 0; bit < 64; bit++) {
        unsigned changed[SB_MARKS_COUNT][BITS] = { { 0 } };
        for (uint64_t i = 1; i <= SEEDS; i++) {
            uint16_t one[SB_MARKS_COUNT], other[SB_MARKS_COUNT];
            uint64_t secret = i * 0x0123456789ABCDEFu;
            sb_marks_draw(secret, 0, one);
            sb_marks_draw(secret ^ (uint64_t)1 << bit, 0, other);
            measure(one, 0, one);
            measure(other, 0, other);
            for (unsigned k = 0; k < SB_MARKS_COUNT * BITS; k++)
                changed[k / BITS][k % BITS] += (one[k / BITS] ^ other[k / BITS]) >> k % BITS & 1;
        }
        for (unsigned k = 0; k < SB_MARKS_COUNT * BITS; k++)
            CHECK(changed[k / BITS][k % BITS] > SEEDS / 3 &&
                  changed[k / BITS][k % BITS] < SEEDS * 2 / 3);
    }
}

/* A stock peer acknowledges a new number at once, a known one by its timers. */
TEST(every_question_has_a_new_set_but_within_35_ms)
{
    sb_marks *marks = raised_marks();
    uint16_t  first[SB_MARKS_COUNT];
    (void)write_marks(marks, start);
    memcpy(first, latest_set(marks), sizeof first);
    (void)write_marks(marks, start + 34999);
    CHECK(are_equal(latest_set(marks), first));
    (void)write_marks(marks, start + 35000);
    CHECK(!are_equal(latest_set(marks), first));
    CHECK_EQ(marks->count, 2);
}

TEST(the_latest_64_sets_count)
{
    enum { SETS = 80 };
    sb_marks *marks = raised_marks();
    uint16_t  sets[SETS][SB_MARKS_COUNT];
    for (unsigned i = 0; i < SETS; i++) {
        (void)write_marks(marks, start + i * 35000);
        memcpy(sets[i], latest_set(marks), sizeof sets[i]);
        for (unsigned k = 0; k <= i; k++) CHECK_EQ(proves(marks, sets[k]), k + 64 > i);
    }
    uint16_t mixed[SB_MARKS_COUNT];
    memcpy(mixed, sets[70], sizeof mixed);
    mixed[2] = sets[71][2];
    CHECK(!proves(marks, mixed)); /* of one set */
}

/* The peer still takes all of them for duplicates then (spec 01 §6.3). */
TEST(the_sets_are_forgotten_when_our_numbers_moved_by_1700)
{
    sb_marks *marks = raised_marks();
    uint16_t  first[SB_MARKS_COUNT], behind[SB_MARKS_COUNT];
    write_marks_at(marks, start, 100);
    memcpy(first, latest_set(marks), sizeof first);
    write_marks_at(marks, start + SB_SECOND, 100 + 1700);
    CHECK(proves(marks, first));
    write_marks_at(marks, start + SB_SECOND + 1, 100 + 1701);
    CHECK(!proves(marks, first));
    CHECK(proves(marks, latest_set(marks)));
    measure(latest_set(marks), 100 + 1701, behind);
    for (unsigned k = 0; k < SB_MARKS_COUNT; k++) CHECK(behind[k] < 2400);
}

/* Numbers `offset` behind the nearest ones of their ranges. */
static void make_set(uint16_t set[SB_MARKS_COUNT], uint16_t base, unsigned offset)
{
    for (unsigned k = 0; k < SB_MARKS_COUNT; k++)
        set[k] = (uint16_t)(base - SB_MARKS_NEAREST - k * SB_MARKS_RANGE - offset);
}

TEST(the_first_and_the_last_number_of_each_range_are_recognised)
{
    static const unsigned offsets[] = { 0, 1, SB_MARKS_RANGE - 2, SB_MARKS_RANGE - 1 };
    for (unsigned i = 0; i < 4; i++) {
        sb_marks *marks = raised_marks();
        uint16_t  set[SB_MARKS_COUNT];
        write_marks_at(marks, start, 100);
        make_set(set, 100, offsets[i]);
        memcpy(marks->sets[marks->latest], set, sizeof set);
        CHECK(proves(marks, set));
    }
}

/* These numbers are in their ranges after the move, too. */
TEST(sets_that_are_forgotten_prove_nothing)
{
    sb_marks *marks = raised_marks();
    uint16_t  set[SB_MARKS_COUNT];
    make_set(set, 100, 0);
    for (unsigned i = 0; i < SB_MARKS_SETS; i++) {
        write_marks_at(marks, start + i * 35000, 100);
        memcpy(marks->sets[marks->latest], set, sizeof set);
    }
    CHECK_EQ(marks->count, SB_MARKS_SETS);
    CHECK(proves(marks, set));
    write_marks_at(marks, start + 3 * SB_SECOND, 100 + 1701);
    CHECK_EQ(marks->count, 1);
    CHECK(!proves(marks, set));
    sb_marks_found found = { { 0 } };
    for (unsigned k = 0; k < SB_MARKS_COUNT; k++) {
        sb_transport_message ack = ack_of(set[k], 0);
        sb_marks_find(marks, &ack, &found);
    }
    CHECK_EQ(sb_marks_count_found(marks, &found), 0);
}

TEST(a_ring_of_sets_holds_64)
{
    sb_marks *marks = raised_marks();
    for (unsigned i = 0; i < 2 * SB_MARKS_SETS; i++) {
        write_marks_at(marks, start + i * 35000, 100);
        CHECK_EQ(marks->count, i < SB_MARKS_SETS ? i + 1 : SB_MARKS_SETS);
    }
}

TEST(found_marks_are_counted_up_to_255)
{
    sb_marks      *marks = raised_marks();
    sb_marks_found found = { { 0 } };
    write_marks_at(marks, start, 100);
    found.bits[marks->latest] = SB_MARKS_ALL;
    CHECK_EQ(sb_marks_count_found(marks, &found), SB_MARKS_COUNT);
    for (unsigned i = 1; i < SB_MARKS_SETS; i++) write_marks_at(marks, start + i * 35000, 100);
    memset(&found, 0, sizeof found);
    for (unsigned i = 0; i < 50; i++) found.bits[i] = SB_MARKS_ALL;
    CHECK_EQ(sb_marks_count_found(marks, &found), 250);
    found.bits[63] = 0x0F;
    CHECK_EQ(sb_marks_count_found(marks, &found), 254);
    found.bits[63] = SB_MARKS_ALL;
    CHECK_EQ(sb_marks_count_found(marks, &found), 255);
    memset(&found, SB_MARKS_ALL, sizeof found);
    CHECK_EQ(sb_marks_count_found(marks, &found), 255);
}

TEST(no_message_was_beside_marks_when_a_session_begins)
{
    sb_marks *marks = raised_marks();
    sb_marks_note_answer(marks, start);
    CHECK(sb_marks_are_needed(marks, start));
    CHECK(!sb_marks_are_beside_messages(marks, start));
}

TEST(adopted_marks_take_the_place_of_all_others)
{
    sb_marks *marks = raised_marks();
    uint16_t  before[SB_MARKS_COUNT], adopted[SB_MARKS_COUNT];
    write_marks_at(marks, start, 500);
    make_set(before, 0, 5);
    memcpy(marks->sets[marks->latest], before, sizeof before);
    write_marks_at(marks, start + 35000, 500);
    make_set(adopted, 0, SB_MARKS_RANGE - 1);
    sb_marks_adopt(marks, start + 70000, adopted);
    CHECK(proves(marks, adopted));
    CHECK_EQ(marks->count, 1);
}

TEST(marks_that_were_drawn_before_the_session_are_adopted)
{
    sb_marks *marks = new_marks();
    uint16_t  numbers[SB_MARKS_COUNT];
    sb_marks_draw(99, 0, numbers);
    CHECK(!proves(marks, numbers));
    sb_marks_adopt(marks, start, numbers);
    CHECK(proves(marks, numbers));
    CHECK(sb_marks_are_chosen(marks, start + 30 * SB_SECOND - 1));
    CHECK(!sb_marks_are_chosen(marks, start + 30 * SB_SECOND));
    CHECK(!sb_marks_is_on(marks, start));
    write_marks_at(marks, start + 8, 0);
    CHECK(are_equal(latest_set(marks), numbers));
    CHECK_EQ(marks->ask_at - start - 8, 250000);
    write_marks_at(marks, start + 70000, 1700);
    CHECK(proves(marks, numbers));
    write_marks_at(marks, start + 140000, 1701);
    CHECK(!proves(marks, numbers));
}

TEST(an_end_without_a_seed_asks_for_no_marks)
{
    sb_marks marks;
    sb_marks_init(&marks, 0, start);
    sb_marks_raise(&marks, start);
    CHECK(!sb_marks_is_on(&marks, start) && !sb_marks_are_chosen(&marks, start));
    sb_marks_request(&marks, start);
    CHECK(!sb_marks_are_chosen(&marks, start));
    sb_marks_dispute(&marks, start, 5);
    CHECK(!sb_marks_disputes(&marks, start));
    CHECK_EQ(sb_marks_ask_at(&marks), SB_TIME_NEVER);
}

/* ---- How long ------------------------------------------------------------------------------- */

TEST(nothing_is_asked_or_disputed_at_first)
{
    sb_marks *marks = new_marks();
    CHECK(!sb_marks_is_on(marks, start) && !sb_marks_are_chosen(marks, start));
    CHECK(!sb_marks_disputes(marks, start));
    CHECK(!sb_marks_are_needed(marks, start) && !sb_marks_are_awaited(marks, start));
    CHECK_EQ(sb_marks_ask_at(marks), SB_TIME_NEVER);
    sb_marks_ask(marks, start);
    CHECK_EQ(sb_marks_ask_at(marks), SB_TIME_NEVER); /* there are no marks */
}

TEST(an_attack_lasts_half_a_minute_after_the_last_evidence)
{
    sb_marks *marks = raised_marks();
    sb_marks_raise(marks, start + 10 * SB_SECOND);
    CHECK(sb_marks_is_on(marks, start + 40 * SB_SECOND - 1));
    CHECK(sb_marks_are_chosen(marks, start + 40 * SB_SECOND - 1));
    CHECK(!sb_marks_is_on(marks, start + 40 * SB_SECOND));
    CHECK(!sb_marks_are_chosen(marks, start + 40 * SB_SECOND));
}

TEST(the_marks_of_a_request_are_known_for_half_a_minute)
{
    sb_marks *marks = new_marks();
    sb_marks_request(marks, start);
    CHECK(!sb_marks_is_on(marks, start));
    CHECK(sb_marks_are_chosen(marks, start + 30 * SB_SECOND - 1));
    CHECK(!sb_marks_are_chosen(marks, start + 30 * SB_SECOND));
    sb_marks_note_answer(marks, start + SB_SECOND);
    CHECK(!sb_marks_are_needed(marks, start + SB_SECOND));
}

TEST(the_first_answer_is_awaited_for_3_s_of_each_attack)
{
    sb_marks *marks = raised_marks();
    sb_marks_raise(marks, start + SB_SECOND);
    CHECK(sb_marks_are_awaited(marks, start + 3 * SB_SECOND - 1));
    CHECK(!sb_marks_are_awaited(marks, start + 3 * SB_SECOND));
    sb_marks_note_answer(marks, start + 2 * SB_SECOND);
    CHECK(!sb_marks_are_awaited(marks, start + 2 * SB_SECOND));
    CHECK(sb_marks_are_needed(marks, start + 31 * SB_SECOND - 1));
    CHECK(!sb_marks_are_needed(marks, start + 31 * SB_SECOND));
    sb_marks_raise(marks, start + 60 * SB_SECOND); /* the next one */
    CHECK(sb_marks_are_awaited(marks, start + 63 * SB_SECOND - 1));
    CHECK(!sb_marks_are_needed(marks, start + 60 * SB_SECOND));
}

TEST(a_dispute_lasts_4_s_or_until_a_copy_of_its_datagram)
{
    sb_marks *marks = new_marks();
    sb_marks_dispute(marks, start, 5);
    sb_marks_dispute(marks, start + SB_SECOND, 6); /* one at a time */
    CHECK(sb_marks_disputes(marks, start + 4 * SB_SECOND - 1));
    CHECK(!sb_marks_disputes(marks, start + 4 * SB_SECOND));
    sb_marks_settle(marks, 6);
    CHECK(sb_marks_disputes(marks, start + SB_SECOND));
    sb_marks_settle(marks, 5);
    CHECK(!sb_marks_disputes(marks, start + SB_SECOND));
}

/* Otherwise a forger could hold all Data back by one conflict after the other. */
TEST(a_known_attack_begins_no_dispute)
{
    sb_marks *marks = raised_marks();
    sb_marks_dispute(marks, start, 5);
    CHECK(!sb_marks_disputes(marks, start));
    sb_marks_await(marks, start, 5); /* but stored Data may be awaited */
    CHECK(sb_marks_disputes(marks, start));
}

/* Otherwise many early messages of the peer, stored before an attack, would wait 4 s each. */
TEST(after_a_wait_in_vain_none_begins_for_12_s)
{
    sb_marks *marks = raised_marks();
    sb_marks_await(marks, start, 5);
    sb_marks_await(marks, start + 4 * SB_SECOND, 6);
    CHECK(!sb_marks_disputes(marks, start + 4 * SB_SECOND));
    sb_marks_await(marks, start + 16 * SB_SECOND - 1, 7);
    CHECK(!sb_marks_disputes(marks, start + 16 * SB_SECOND - 1));
    sb_marks_await(marks, start + 16 * SB_SECOND, 8);
    CHECK(sb_marks_disputes(marks, start + 16 * SB_SECOND));
    sb_marks_settle(marks, 8); /* a copy came: not in vain */
    sb_marks_await(marks, start + 17 * SB_SECOND, 9);
    CHECK(sb_marks_disputes(marks, start + 17 * SB_SECOND));
}

/* ---- Recognition ---------------------------------------------------------------------------- */

TEST(only_acks_of_data_name_marks)
{
    sb_marks *marks = raised_marks();
    (void)write_marks(marks, start);
    for (unsigned k = 0; k < SB_MARKS_COUNT; k++)
        for (int off = -1; off <= 1; off++)
            for (uint8_t flags = 0; flags < 4; flags++) {
                sb_marks_found       found = { { 0 } };
                sb_transport_message ack = ack_of((uint16_t)(latest_set(marks)[k] + off), flags);
                bool                 is_mark = off == 0 && flags == 0;
                sb_marks_find(marks, &ack, &found);
                CHECK_EQ(found.bits[marks->latest], is_mark ? 1u << k : 0);
            }
}

TEST(all_marks_of_a_set_are_needed)
{
    sb_marks *marks = raised_marks();
    (void)write_marks(marks, start);
    for (unsigned k = 0; k < SB_MARKS_COUNT; k++) {
        uint16_t numbers[SB_MARKS_COUNT];
        memcpy(numbers, latest_set(marks), sizeof numbers);
        numbers[k] = numbers[(k + 1) % SB_MARKS_COUNT];
        CHECK(!proves(marks, numbers));
    }
    CHECK(proves(marks, latest_set(marks)));
}

TEST(nothing_is_proven_before_a_set_was_sent)
{
    const uint16_t zeros[SB_MARKS_COUNT] = { 0 };
    sb_marks      *marks = raised_marks();
    marks->base = 1280; /* number 0 would be of the first range */
    CHECK(!proves(marks, zeros));
}

TEST(a_mark_of_the_other_end_is_empty_data_1280_behind)
{
    sb_transport_message mark = { .type = SB_TRANSPORT_DATA, .reliable = true }, m = mark;
    CHECK(sb_marks_is_mark(&mark, -1280));
    CHECK(!sb_marks_is_mark(&mark, -1279));
    m.type = SB_TRANSPORT_NAME;
    CHECK(!sb_marks_is_mark(&m, -1280));
    m = mark, m.reliable = false;
    CHECK(!sb_marks_is_mark(&m, -1280));
    m = mark, m.fragment = true;
    CHECK(!sb_marks_is_mark(&m, -1280));
    m = mark, m.payload = rig_byte('x');
    CHECK(!sb_marks_is_mark(&m, -1280));
}

/* ---- Sending -------------------------------------------------------------------------------- */

TEST(marks_are_sent_at_once_and_for_6_s)
{
    sb_marks *marks = raised_marks();
    CHECK_EQ(sb_marks_ask_at(marks), start);
    (void)write_marks(marks, start + 5 * SB_SECOND);
    CHECK_EQ(sb_marks_ask_at(marks), start + 5500000);
    sb_marks_ask(marks, start + 5 * SB_SECOND); /* no sooner than that */
    CHECK_EQ(sb_marks_ask_at(marks), start + 5500000);
    (void)write_marks(marks, start + 11 * SB_SECOND - 500001);
    CHECK_EQ(sb_marks_ask_at(marks), start + 11 * SB_SECOND - 1);
    (void)write_marks(marks, start + 11 * SB_SECOND - 500000);
    CHECK_EQ(sb_marks_ask_at(marks), SB_TIME_NEVER);
    (void)write_marks(marks, start + 11 * SB_SECOND - 1);
    sb_marks_ask(marks, start + 11 * SB_SECOND);
    CHECK_EQ(sb_marks_ask_at(marks), start + 11 * SB_SECOND);
    sb_marks_ask(marks, start + 30 * SB_SECOND); /* the attack is over */
    CHECK_EQ(marks->asks_until, start + 17 * SB_SECOND);
}

TEST(a_peer_that_does_not_answer_is_asked_less_often)
{
    sb_marks *marks = raised_marks();
    CHECK_EQ(write_marks(marks, start), 35000);
    CHECK_EQ(write_marks(marks, start + 280000), 35000);
    CHECK_EQ(write_marks(marks, start + 280008), 35001);
    CHECK_EQ(write_marks(marks, start + 4 * SB_SECOND - 8), 499999);
    CHECK_EQ(write_marks(marks, start + 5 * SB_SECOND), 500000);
    sb_marks_note_answer(marks, start + 5 * SB_SECOND);
    CHECK_EQ(write_marks(marks, start + 5 * SB_SECOND), 35000);
}

TEST(a_request_asks_every_quarter_of_a_second)
{
    sb_marks *marks = new_marks();
    sb_marks_request(marks, start);
    CHECK_EQ(sb_marks_ask_at(marks), start);
    CHECK_EQ(write_marks(marks, start), 250000);
    CHECK_EQ(write_marks(marks, start + 2 * SB_SECOND), 250000);
    CHECK_EQ(write_marks(marks, start + 2 * SB_SECOND + 8), 250001);
    CHECK_EQ(write_marks(marks, start + 5 * SB_SECOND), 500000);
    sb_marks_request(marks, start + 60 * SB_SECOND); /* asked anew */
    CHECK_EQ(write_marks(marks, start + 60 * SB_SECOND), 250000);
}

/* An answer that is awaited is recognised, whenever the request before was. */
TEST(a_request_prolongs_the_one_before)
{
    sb_marks *marks = new_marks();
    sb_marks_request(marks, start);
    sb_marks_request(marks, start + 29 * SB_SECOND);
    CHECK(sb_marks_are_chosen(marks, start + 59 * SB_SECOND - 1));
    CHECK(!sb_marks_are_chosen(marks, start + 59 * SB_SECOND));
    CHECK(!sb_marks_is_on(marks, start + 29 * SB_SECOND));
    sb_marks_raise(marks, start + 60 * SB_SECOND);
    sb_marks_request(marks, start + 70 * SB_SECOND); /* no longer attack */
    CHECK(!sb_marks_is_on(marks, start + 90 * SB_SECOND));
    CHECK(sb_marks_are_chosen(marks, start + 90 * SB_SECOND));
}

TEST(a_later_request_begins_to_ask_at_its_time)
{
    sb_marks *marks = new_marks();
    sb_marks_request_later(marks, start, start + 4500000);
    CHECK_EQ(sb_marks_ask_at(marks), start + 4500000);
    CHECK_EQ(marks->asks_until, start + 10500000); /* for 6 s from then on */
    CHECK(!sb_marks_is_on(marks, start));
    CHECK_EQ(write_marks(marks, start + 4500000), 500000); /* nobody has answered for 4 s */
    sb_marks_request_later(marks, start + 5 * SB_SECOND, start + 8 * SB_SECOND);
    CHECK_EQ(sb_marks_ask_at(marks), start + 5 * SB_SECOND); /* it is asked already */
    CHECK_EQ(marks->asks_until, start + 14 * SB_SECOND);
    sb_marks_request_later(marks, start + 6 * SB_SECOND, start + 7 * SB_SECOND);
    CHECK_EQ(marks->asks_until, start + 14 * SB_SECOND); /* not shorter */
    sb_marks without_seed;
    sb_marks_init(&without_seed, 0, start);
    sb_marks_request_later(&without_seed, start, start + 1);
    CHECK_EQ(sb_marks_ask_at(&without_seed), SB_TIME_NEVER);
}

/* A forged Disconnect must not put off what an attack needs at once. */
TEST(an_attack_does_not_wait_for_a_later_request)
{
    sb_marks *marks = new_marks();
    sb_marks_request_later(marks, start, start + 4500000);
    sb_marks_request_later(marks, start + 100, start + 4500100); /* repeated */
    CHECK_EQ(sb_marks_ask_at(marks), start + 4500000);
    sb_marks_raise(marks, start + 200);
    CHECK_EQ(sb_marks_ask_at(marks), start + 200);
    CHECK_EQ(marks->asks_until, start + 10500100); /* the request is not forgotten */
    CHECK_EQ(write_marks(marks, start + 200), 35000);
}

TEST(marks_are_written_whole_or_not_at_all)
{
    sb_marks          *marks = raised_marks();
    uint8_t            bytes[300];
    sb_datagram_writer w;
    for (size_t left = 23; left <= 27; left++) {
        sb_datagram_writer_init(&w, bytes, 2 + left, 2);
        CHECK_EQ(sb_marks_write(marks, start, 100, &w), left >= 25 ? 5 : 0);
        CHECK_EQ(w.size, left >= 25 ? 27 : 2);
    }
    for (unsigned count = 249; count <= 252; count++) {
        sb_datagram_writer_init(&w, bytes, sizeof bytes, 2);
        for (unsigned i = 0; i < count; i++)
            CHECK_EQ(
                sb_datagram_writer_add(&w, &(sb_transport_message){ .type = SB_TRANSPORT_NOOP }),
                SB_OK);
        CHECK_EQ(sb_marks_write(marks, start, 100, &w), count <= 250 ? 5 : 0);
        CHECK_EQ(w.size, 2 + count + (count <= 250 ? 25 : 0));
    }
}

TEST(marks_are_old_data_without_payload)
{
    sb_marks            *marks = raised_marks();
    rig_sent             sent;
    sb_datagram_writer   w;
    sb_transport_message m;
    sb_datagram_writer_init(&w, sent.plain, sizeof sent.plain, 2);
    CHECK_EQ(sb_marks_write(marks, start, 100, &w), SB_MARKS_COUNT);
    sent.size = w.size;
    CHECK_EQ(w.size, 2 + 5 * 5);
    for (unsigned k = 0; k < SB_MARKS_COUNT; k++) {
        CHECK(rig_message(&sent, k, &m));
        CHECK(m.type == SB_TRANSPORT_DATA && m.reliable && m.payload.size == 0);
        CHECK_EQ(m.seq, latest_set(marks)[k]);
    }
}

/* ---- Answers to the marks of the other end --------------------------------------------------- */

static void note_mark(sb_mark_answers *answers, sb_time now, uint16_t batch, uint16_t seq,
                      sb_time due_at)
{
    sb_transport_message mark = { .type = SB_TRANSPORT_DATA, .reliable = true, .seq = seq };
    sb_mark_answers_note(answers, now, batch, &mark, due_at, false);
}

static uint32_t write_answers(sb_mark_answers *answers, sb_time now)
{
    uint8_t            bytes[128];
    sb_datagram_writer w;
    sb_datagram_writer_init(&w, bytes, sizeof bytes, 2);
    CHECK(sb_mark_answers_write(answers, now, &w) <= w.data[1]); /* questions are no marks */
    return w.data[1];
}

TEST(answers_are_written_for_6_s_after_the_last_mark)
{
    sb_mark_answers answers;
    sb_mark_answers_init(&answers);
    CHECK_EQ(answers.due_at, SB_TIME_NEVER);
    CHECK_EQ(write_answers(&answers, start), 0);
    note_mark(&answers, start, 1, 1, start + 50);
    note_mark(&answers, start + SB_SECOND, 2, 2, start + SB_SECOND + 50);
    CHECK_EQ(answers.due_at, start + 50);
    CHECK_EQ(write_answers(&answers, start + 7 * SB_SECOND - 1), 2);
    CHECK_EQ(write_answers(&answers, start + 7 * SB_SECOND), 0);
    note_mark(&answers, start + 7 * SB_SECOND - 1, 3, 3, start);
    CHECK_EQ(write_answers(&answers, start + 7 * SB_SECOND), 3);
    CHECK_EQ(answers.due_at, SB_TIME_NEVER);
    note_mark(&answers, start + 13 * SB_SECOND, 4, 4, 0); /* the others are too old */
    CHECK_EQ(write_answers(&answers, start + 13 * SB_SECOND), 1);
}

/* Notes a set that begins with `first`, as one datagram brings it. */
static void note_set(sb_mark_answers *answers, uint16_t batch, uint16_t first, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        note_mark(answers, start, batch, (uint16_t)(first + i), start);
}

static bool is_answered(const sb_mark_answers *answers, uint16_t seq)
{
    for (unsigned i = 0; i < answers->count; i++)
        for (unsigned k = 0; k < answers->sizes[i]; k++)
            if (answers->sets[i][k] == seq) return true;
    return false;
}

/* Notes a set of five marks at this time, in a datagram that the other end is known to have sent.
 */
static void note_own_set(sb_mark_answers *answers, sb_time now, uint16_t batch, uint16_t first)
{
    sb_transport_message mark = { .type = SB_TRANSPORT_DATA, .reliable = true, .seq = first };
    for (unsigned i = 0; i < SB_MARKS_COUNT; i++, mark.seq++)
        sb_mark_answers_note(answers, now, batch, &mark, now, true);
}

/* The other end's set, then `forged` ones of a stranger, each of them answered or not. */
static bool survives(unsigned attempt, unsigned forged)
{
    sb_mark_answers answers;
    sb_mark_answers_init(&answers);
    for (uint16_t i = 0; i < SB_MARK_ANSWERS; i++)
        note_set(&answers, i, (uint16_t)(900 + 9 * i), 5);
    for (unsigned i = 0; i <= forged; i++)
        for (unsigned k = 0; k < SB_MARKS_COUNT; k++)
            note_mark(&answers, start + 719 * attempt + 11000 * i, (uint16_t)(10 + i),
                      (uint16_t)(10 + 10 * i + k), start);
    CHECK(is_answered(&answers, (uint16_t)(10 + 10 * forged + 4))); /* the latest one */
    CHECK_EQ(write_answers(&answers, start), 20);
    return is_answered(&answers, 10);
}

/* Of 1,000 sets, the quarter that is replaced by each further one differs. */
TEST(of_four_sets_any_one_gives_way_to_a_new_one)
{
    for (unsigned forged = 1; forged <= 8; forged *= 2) {
        unsigned survivors = 0, percent = forged == 1   ? 75
                                          : forged == 2 ? 56
                                          : forged == 4 ? 32
                                                        : 10;
        for (unsigned i = 0; i < 1000; i++) survivors += survives(i, forged);
        CHECK(survivors > 10 * percent - 50 && survivors < 10 * percent + 50);
    }
}

TEST(a_set_in_a_marked_datagram_stays_for_2_s)
{
    for (unsigned late = 0; late < 2; late++) {
        sb_mark_answers answers;
        sb_time         now = start + 2 * SB_SECOND - 1 + late;
        sb_mark_answers_init(&answers);
        for (uint16_t i = 0; i < 3; i++) note_own_set(&answers, start, i, (uint16_t)(10 + 10 * i));
        note_set(&answers, 3, 100, 5);
        for (uint16_t i = 0; i < 200; i++)
            note_mark(&answers, now, (uint16_t)(4 + i), (uint16_t)(200 + i), now);
        CHECK_EQ(is_answered(&answers, 10) && is_answered(&answers, 20), !late);
        CHECK_EQ(is_answered(&answers, 30), !late);
        CHECK(!is_answered(&answers, 100) && is_answered(&answers, 399));
    }
}

TEST(sets_in_marked_datagrams_leave_a_place_for_questions)
{
    sb_mark_answers answers;
    sb_mark_answers_init(&answers);
    for (uint16_t i = 0; i < SB_MARK_ANSWERS; i++)
        note_own_set(&answers, start, i, (uint16_t)(10 + 10 * i));
    note_set(&answers, 10, 100, 5);
    CHECK(is_answered(&answers, 100));
    for (uint16_t i = 0; i < 99; i++)
        note_own_set(&answers, start, (uint16_t)(20 + i), (uint16_t)(200 + 9 * i));
    CHECK(is_answered(&answers, 100));
    CHECK(is_answered(&answers, 200 + 9 * 98));
    CHECK_EQ(answers.count, SB_MARK_ANSWERS);
}

TEST(sets_that_give_way_without_an_answer_are_noticed)
{
    sb_mark_answers answers;
    sb_mark_answers_init(&answers);
    for (uint16_t i = 0; i < SB_MARK_ANSWERS; i++)
        note_set(&answers, i, (uint16_t)(10 * i + 10), 5);
    CHECK(!answers.is_flooded);
    (void)write_answers(&answers, start);
    note_set(&answers, 8, 80, 5);
    CHECK(!answers.is_flooded); /* it replaced one that was answered */
    for (uint16_t i = 0; i < 60; i++)
        note_set(&answers, (uint16_t)(9 + i), (uint16_t)(90 + 9 * i), 5);
    CHECK(answers.is_flooded);
}

TEST(all_sets_are_forgotten_6_s_after_the_last_mark)
{
    for (sb_time late = 0; late < 2; late++) {
        sb_mark_answers answers;
        sb_mark_answers_init(&answers);
        for (uint16_t i = 1; i <= SB_MARK_ANSWERS; i++)
            note_set(&answers, i, (uint16_t)(10 * i), 5);
        note_mark(&answers, start + 6 * SB_SECOND + late, 9, 90, start);
        CHECK_EQ(write_answers(&answers, start + 6 * SB_SECOND + late), 1);
    }
}

/* A forger could push out the set of the other end with many numbers in one datagram. */
TEST(one_datagram_brings_one_set_of_at_most_six)
{
    sb_mark_answers answers;
    sb_mark_answers_init(&answers);
    note_set(&answers, 1, 10, 5);
    note_set(&answers, 2, 100, 24);
    CHECK_EQ(write_answers(&answers, start), 5 + 6);
    CHECK(is_answered(&answers, 10) && is_answered(&answers, 105) && !is_answered(&answers, 106));
}

TEST(a_repeated_set_is_answered_once)
{
    sb_mark_answers answers;
    sb_mark_answers_init(&answers);
    for (uint16_t batch = 1; batch <= 9; batch++) note_set(&answers, batch, 10, 5);
    CHECK_EQ(write_answers(&answers, start), 5);
    note_set(&answers, 10, 20, 5);
    note_set(&answers, 11, 10, 5); /* the first one again, and marks twice in a datagram */
    note_set(&answers, 11, 10, 5);
    CHECK_EQ(write_answers(&answers, start), 10);
}

TEST(a_question_is_answered_once)
{
    sb_mark_answers      answers;
    sb_transport_message question = { .type = SB_TRANSPORT_DATA,
                                      .reliable = true,
                                      .payload = rig_byte(4) };
    sb_mark_answers_init(&answers);
    note_set(&answers, 1, 10, 5);
    for (question.seq = 100; question.seq < 106; question.seq++)
        sb_mark_answers_note(&answers, start, 2, &question, start, false);
    CHECK_EQ(write_answers(&answers, start), 5 + 6);
    CHECK_EQ(write_answers(&answers, start), 5);
    question.seq = 100;
    sb_mark_answers_note(&answers, start, 3, &question, start, false); /* asked again */
    CHECK_EQ(write_answers(&answers, start), 5 + 1);
}
