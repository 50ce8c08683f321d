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
    sb_marks_raise(marks, start, 100);
    return marks;
}

static sb_transport_message ack_of(uint16_t seq, uint8_t flags)
{
    return (sb_transport_message){ .type = SB_TRANSPORT_ACK, .seq = seq, .ack_flags = flags };
}

/* Writes the marks into an empty datagram; returns the time until they are due again. */
static sb_time write_marks(sb_marks *marks, sb_time now)
{
    uint8_t            bytes[64];
    sb_datagram_writer w;
    sb_datagram_writer_init(&w, bytes, sizeof bytes, 2);
    CHECK_EQ(sb_marks_write(marks, now, &w), SB_MARKS_COUNT);
    return marks->ask_at - now;
}

/* ---- Choice --------------------------------------------------------------------------------- */

static const unsigned range = 2048;

/* How far each mark lies behind the nearest number of its range. */
static void measure(const uint16_t *marks, uint16_t oldest, uint16_t *behind)
{
    for (unsigned k = 0; k < SB_MARKS_COUNT; k++)
        behind[k] = (uint16_t)(oldest - marks[k] - (int)(1280 + k * range));
}

TEST(each_mark_is_one_of_2048_numbers_from_1280_behind_on)
{
    unsigned nearest[SB_MARKS_COUNT] = { 0 }, furthest[SB_MARKS_COUNT] = { 0 };
    for (unsigned i = 0; i < 50000; i++) {
        sb_marks marks;
        uint16_t oldest = (uint16_t)(i * 3), behind[SB_MARKS_COUNT];
        sb_marks_init(&marks, i + 1, start);
        sb_marks_raise(&marks, start, oldest);
        measure(marks.marks, oldest, behind);
        for (unsigned k = 0; k < SB_MARKS_COUNT; k++) {
            CHECK(behind[k] < range);
            nearest[k] += behind[k] == 0;
            furthest[k] += behind[k] == range - 1;
        }
    }
    for (unsigned k = 0; k < SB_MARKS_COUNT; k++) CHECK(nearest[k] > 0 && furthest[k] > 0);
}

static bool are_equal(const uint16_t *marks, const uint16_t *others)
{
    return memcmp(marks, others, SB_MARKS_COUNT * sizeof *marks) == 0;
}

TEST(marks_depend_on_the_seed_and_the_time)
{
    sb_marks marks[3];
    for (unsigned i = 0; i < 3; i++) {
        sb_marks_init(&marks[i], i == 1 ? 8 : 7, start);
        sb_marks_raise(&marks[i], i == 2 ? start + 1 : start, 100);
    }
    for (unsigned k = 0; k < SB_MARKS_COUNT; k++)
        for (unsigned i = 1; i < 3; i++) CHECK(marks[0].marks[k] != marks[i].marks[k]);
}

/* Otherwise part of the seed could be guessed. */
TEST(every_bit_of_the_seed_changes_every_bit_of_a_mark)
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

/* The peer still takes all of them for duplicates then (spec 01 §6.3). */
TEST(other_marks_are_chosen_when_our_numbers_moved_by_4096)
{
    sb_marks *marks = raised_marks();
    sb_marks  first = *marks;
    uint16_t  behind[SB_MARKS_COUNT];
    sb_marks_follow(marks, start + 1, 100 + 4096);
    CHECK(are_equal(marks->marks, first.marks) && !marks->was_renewed);
    sb_marks_follow(marks, start + 1, 100 + 4097);
    CHECK(!are_equal(marks->marks, first.marks) && marks->was_renewed);
    CHECK(are_equal(marks->earlier, first.marks));
    measure(marks->marks, 100 + 4097, behind);
    for (unsigned k = 0; k < SB_MARKS_COUNT; k++) CHECK(behind[k] < range);
    first = *marks;
    sb_marks_follow(marks, start + 2, 100 + 2 * 4097 - 1);
    CHECK(are_equal(marks->marks, first.marks));
    sb_marks_follow(marks, start + 2, 100 + 2 * 4097);
    CHECK(!are_equal(marks->marks, first.marks));
}

TEST(marks_that_were_drawn_before_the_session_are_adopted)
{
    sb_marks *marks = new_marks();
    uint16_t  numbers[SB_MARKS_COUNT];
    marks->base = 20000;
    sb_marks_draw(99, 0, numbers);
    sb_marks_adopt(marks, start, numbers);
    CHECK(are_equal(marks->marks, numbers));
    CHECK(sb_marks_are_chosen(marks, start + 30 * SB_SECOND - 1));
    CHECK(!sb_marks_are_chosen(marks, start + 30 * SB_SECOND));
    CHECK(!sb_marks_is_on(marks, start));
    CHECK(sb_marks_are_ignored(marks, start + 3 * SB_SECOND));
    CHECK(!sb_marks_are_ignored(marks, start + 3 * SB_SECOND - 1));
    CHECK_EQ(write_marks(marks, start + 8), 250000);
    sb_marks_follow(marks, start, 4096);
    CHECK(are_equal(marks->marks, numbers));
    sb_marks_follow(marks, start, 4097);
    CHECK(!are_equal(marks->marks, numbers));
}

TEST(marks_stay_the_same_while_the_attack_goes_on)
{
    sb_marks *marks = raised_marks();
    sb_marks  first = *marks;
    for (int i = 1; i <= 4; i++) {
        sb_marks_raise(marks, start + i * 29 * SB_SECOND, 100);
        CHECK(are_equal(marks->marks, first.marks));
    }
    sb_marks_raise(marks, start + (4 * 29 + 30) * SB_SECOND, 100);
    CHECK(!are_equal(marks->marks, first.marks));
}

TEST(evidence_chooses_other_marks_than_a_request_before)
{
    sb_marks *marks = new_marks();
    uint16_t  behind[SB_MARKS_COUNT];
    sb_marks_request(marks, start, 100);
    sb_marks first = *marks;
    measure(first.marks, 100, behind);
    for (unsigned k = 0; k < SB_MARKS_COUNT; k++) CHECK(behind[k] < range);
    sb_marks_request(marks, start + 29 * SB_SECOND, 100);
    CHECK_EQ(marks->marks[0], first.marks[0]);
    sb_marks_raise(marks, start + 29 * SB_SECOND, 100);
    CHECK(!are_equal(marks->marks, first.marks));
}

TEST(an_end_without_a_seed_asks_for_no_marks)
{
    sb_marks marks;
    sb_marks_init(&marks, 0, start);
    sb_marks_raise(&marks, start, 100);
    CHECK(!sb_marks_is_on(&marks, start) && !sb_marks_are_chosen(&marks, start));
    sb_marks_request(&marks, start, 100);
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
    CHECK(!sb_marks_disputes(marks, start) && !sb_marks_are_ignored(marks, start));
    CHECK(!sb_marks_are_needed(marks, start) && !sb_marks_are_awaited(marks, start));
    CHECK_EQ(sb_marks_ask_at(marks), SB_TIME_NEVER);
    sb_marks_ask(marks, start);
    CHECK_EQ(sb_marks_ask_at(marks), SB_TIME_NEVER); /* there are no marks */
}

TEST(an_attack_lasts_half_a_minute_after_the_last_evidence)
{
    sb_marks *marks = raised_marks();
    sb_marks_raise(marks, start + 10 * SB_SECOND, 100);
    CHECK(sb_marks_is_on(marks, start + 40 * SB_SECOND - 1));
    CHECK(sb_marks_are_chosen(marks, start + 40 * SB_SECOND - 1));
    CHECK(!sb_marks_is_on(marks, start + 40 * SB_SECOND));
    CHECK(!sb_marks_are_chosen(marks, start + 40 * SB_SECOND));
}

TEST(the_marks_of_a_request_are_known_for_half_a_minute)
{
    sb_marks *marks = new_marks();
    sb_marks_request(marks, start, 100);
    CHECK(!sb_marks_is_on(marks, start));
    CHECK(sb_marks_are_chosen(marks, start + 30 * SB_SECOND - 1));
    CHECK(!sb_marks_are_chosen(marks, start + 30 * SB_SECOND));
    CHECK(sb_marks_accept(marks, start + SB_SECOND, SB_MARKS_ALL));
    CHECK(!sb_marks_are_needed(marks, start + SB_SECOND));
}

TEST(a_request_is_ignored_if_no_answer_ever_came_within_3_s)
{
    sb_marks *marks = new_marks();
    sb_marks_request(marks, start, 100);
    sb_marks_request(marks, start + SB_SECOND, 100); /* the first one counts */
    CHECK(!sb_marks_are_ignored(marks, start + 3 * SB_SECOND - 1));
    CHECK(sb_marks_are_ignored(marks, start + 3 * SB_SECOND));
    CHECK(!sb_marks_accept(marks, start + 4 * SB_SECOND, 1));
    CHECK(sb_marks_are_ignored(marks, start + 4 * SB_SECOND));
    CHECK(sb_marks_accept(marks, start + 4 * SB_SECOND, SB_MARKS_ALL));
    CHECK(!sb_marks_are_ignored(marks, start + 90 * SB_SECOND));
}

TEST(the_first_answer_is_awaited_for_3_s_of_each_attack)
{
    sb_marks *marks = raised_marks();
    sb_marks_raise(marks, start + SB_SECOND, 100);
    CHECK(sb_marks_are_awaited(marks, start + 3 * SB_SECOND - 1));
    CHECK(!sb_marks_are_awaited(marks, start + 3 * SB_SECOND));
    CHECK(sb_marks_accept(marks, start + 2 * SB_SECOND, SB_MARKS_ALL));
    CHECK(!sb_marks_are_awaited(marks, start + 2 * SB_SECOND));
    CHECK(sb_marks_are_needed(marks, start + 31 * SB_SECOND - 1));
    CHECK(!sb_marks_are_needed(marks, start + 31 * SB_SECOND));
    sb_marks_raise(marks, start + 60 * SB_SECOND, 100); /* the next one */
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

/* ---- Recognition ---------------------------------------------------------------------------- */

TEST(only_acks_of_data_name_marks)
{
    sb_marks *marks = raised_marks();
    for (unsigned k = 0; k < SB_MARKS_COUNT; k++)
        for (int off = -1; off <= 1; off++)
            for (uint8_t flags = 0; flags < 4; flags++) {
                sb_transport_message ack = ack_of((uint16_t)(marks->marks[k] + off), flags);
                bool                 is_mark = off == 0 && flags == 0;
                CHECK_EQ(sb_marks_find_mark(marks, &ack), is_mark ? 1u << k : 0);
                CHECK_EQ(sb_marks_has_sent(marks, &ack), is_mark);
            }
}

/* Of an earlier attack they prove nothing; of this one they do. */
TEST(the_marks_before_the_last_ones_are_still_known)
{
    for (int renewed = 0; renewed < 2; renewed++) {
        sb_marks *marks = raised_marks();
        sb_marks  before = *marks;
        if (renewed) sb_marks_follow(marks, start + SB_SECOND, 5000);
        else sb_marks_raise(marks, start + 60 * SB_SECOND, 100);
        for (unsigned k = 0; k < SB_MARKS_COUNT; k++)
            for (uint8_t flags = 0; flags < 4; flags++) {
                sb_transport_message ack = ack_of(before.marks[k], flags);
                CHECK_EQ(sb_marks_find_mark(marks, &ack),
                         renewed && flags == 0 ? 1u << (SB_MARKS_COUNT + k) : 0);
                CHECK_EQ(sb_marks_has_sent(marks, &ack), flags == 0);
                ack.seq++;
                CHECK(!sb_marks_has_sent(marks, &ack));
            }
        sb_transport_message ack = ack_of(marks->marks[0], 0);
        sb_marks_raise(marks, start + 120 * SB_SECOND, 100); /* another attack */
        CHECK_EQ(sb_marks_find_mark(marks, &ack), 0);
    }
}

TEST(all_marks_are_needed_or_all_earlier_ones)
{
    for (unsigned bits = 0; bits < 256; bits++)
        CHECK_EQ(sb_marks_are_all(bits), (bits & 15) == 15 || (bits & 0xF0) == 0xF0);
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
    CHECK_EQ(write_marks(marks, start), 70000);
    CHECK_EQ(write_marks(marks, start + 560000), 70000);
    CHECK_EQ(write_marks(marks, start + 560008), 70001);
    CHECK_EQ(write_marks(marks, start + 4 * SB_SECOND - 8), 499999);
    CHECK_EQ(write_marks(marks, start + 5 * SB_SECOND), 500000);
    CHECK(sb_marks_accept(marks, start + 5 * SB_SECOND, SB_MARKS_ALL));
    CHECK_EQ(write_marks(marks, start + 5 * SB_SECOND), 70000);
}

TEST(a_request_asks_every_quarter_of_a_second)
{
    sb_marks *marks = new_marks();
    sb_marks_request(marks, start, 100);
    CHECK_EQ(sb_marks_ask_at(marks), start);
    CHECK_EQ(write_marks(marks, start), 250000);
    CHECK_EQ(write_marks(marks, start + 2 * SB_SECOND), 250000);
    CHECK_EQ(write_marks(marks, start + 2 * SB_SECOND + 8), 250001);
    CHECK_EQ(write_marks(marks, start + 5 * SB_SECOND), 500000);
    sb_marks_request(marks, start + 60 * SB_SECOND, 100); /* asked anew */
    CHECK_EQ(write_marks(marks, start + 60 * SB_SECOND), 250000);
}

TEST(marks_are_written_whole_or_not_at_all)
{
    sb_marks          *marks = raised_marks();
    uint8_t            bytes[300];
    sb_datagram_writer w;
    for (size_t left = 18; left <= 22; left++) {
        sb_datagram_writer_init(&w, bytes, 2 + left, 2);
        CHECK_EQ(sb_marks_write(marks, start, &w), left >= 20 ? 4 : 0);
        CHECK_EQ(w.size, left >= 20 ? 22 : 2);
    }
    for (unsigned count = 250; count <= 253; count++) {
        sb_datagram_writer_init(&w, bytes, sizeof bytes, 2);
        for (unsigned i = 0; i < count; i++)
            CHECK_EQ(
                sb_datagram_writer_add(&w, &(sb_transport_message){ .type = SB_TRANSPORT_NOOP }),
                SB_OK);
        CHECK_EQ(sb_marks_write(marks, start, &w), count <= 251 ? 4 : 0);
        CHECK_EQ(w.size, 2 + count + (count <= 251 ? 20 : 0));
    }
}

TEST(marks_are_old_data_without_payload)
{
    sb_marks            *marks = raised_marks();
    rig_sent             sent;
    sb_datagram_writer   w;
    sb_transport_message m;
    sb_datagram_writer_init(&w, sent.plain, sizeof sent.plain, 2);
    CHECK_EQ(sb_marks_write(marks, start, &w), SB_MARKS_COUNT);
    sent.size = w.size;
    CHECK_EQ(w.size, 2 + 4 * 5);
    for (unsigned k = 0; k < SB_MARKS_COUNT; k++) {
        CHECK(rig_message(&sent, k, &m));
        CHECK(m.type == SB_TRANSPORT_DATA && m.reliable && m.payload.size == 0);
        CHECK_EQ(m.seq, marks->marks[k]);
    }
}

/* ---- Answers to the marks of the other end --------------------------------------------------- */

static uint32_t write_answers(sb_mark_answers *answers, sb_time now)
{
    uint8_t            bytes[64];
    sb_datagram_writer w;
    sb_datagram_writer_init(&w, bytes, sizeof bytes, 2);
    uint32_t count = sb_mark_answers_write(answers, now, &w);
    CHECK_EQ(w.data[1], count);
    return count;
}

TEST(answers_are_written_for_6_s_after_the_last_mark)
{
    sb_mark_answers answers;
    sb_mark_answers_init(&answers);
    CHECK_EQ(write_answers(&answers, start), 0);
    sb_mark_answers_note(&answers, start, 1, start + 50);
    sb_mark_answers_note(&answers, start + SB_SECOND, 2, start + SB_SECOND + 50);
    CHECK_EQ(answers.due_at, start + 50);
    CHECK_EQ(write_answers(&answers, start + 7 * SB_SECOND - 1), 2);
    CHECK_EQ(write_answers(&answers, start + 7 * SB_SECOND), 0);
    sb_mark_answers_note(&answers, start + 7 * SB_SECOND - 1, 3, start);
    CHECK_EQ(write_answers(&answers, start + 7 * SB_SECOND), 3);
    CHECK_EQ(answers.due_at, SB_TIME_NEVER);
}
