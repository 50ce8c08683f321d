/* tests/transport/told_ids_test.c -- which of the ids that a client was told is its own.
 *
 * For:      src/transport/told_ids.c. client_confirm_test.c has its use.
 * Spec:     01 §10.8 rule 6.
 */
#include "marks_rig.h"
#include "transport/told_ids.h"

#include <string.h>

static const sb_time start = RIG_START;

static sb_told_ids *new_ids(void)
{
    static sb_told_ids ids;
    memset(&ids, 0xA5, sizeof ids);
    sb_told_ids_init(&ids, 7);
    return &ids;
}

/* Writes the next datagram and returns what a receiver reads. */
static sb_datagram write_next(sb_told_ids *ids, sb_time now)
{
    static uint8_t     bytes[SB_DATAGRAM_MAX];
    sb_datagram_writer w;
    sb_datagram        d;
    sb_told_ids_write(ids, now, &w, bytes);
    CHECK_EQ(sb_decode_datagram((sb_span){ bytes, w.size }, &d, NULL), SB_OK);
    CHECK_EQ(d.rest.size, 0);
    return d;
}

/* The datagram of the host that is in the pack. */
static sb_datagram read_pack(const rig_pack *p)
{
    sb_datagram d;
    CHECK_EQ(sb_decode_datagram(rig_packed(p), &d, NULL), SB_OK);
    return d;
}

static bool are_equal(const uint16_t *one, const uint16_t *other)
{
    return memcmp(one, other, SB_MARKS_COUNT * sizeof *one) == 0;
}

/* ---- Which ids are asked, and how often ---- */

/* The session counts from 0 on: its marks are older than that. */
TEST(told_ids_draw_marks_for_number_0)
{
    uint16_t marks[SB_MARKS_COUNT], nearest = UINT16_MAX, furthest = 0;
    for (uint64_t seed = 1; seed <= 200; seed++)
        for (unsigned id = 2; id < 128; id++) {
            sb_told_ids ids;
            sb_told_ids_init(&ids, seed);
            sb_told_ids_marks(&ids, (uint8_t)id, marks);
            uint16_t behind = (uint16_t)-marks[0];
            if (behind < nearest) nearest = behind;
            if (behind > furthest) furthest = behind;
        }
    CHECK_EQ(nearest, SB_MARKS_NEAREST);
    CHECK_EQ(furthest, SB_MARKS_NEAREST + SB_MARKS_RANGE - 1);
}

TEST(nobody_is_asked_before_an_id_was_told)
{
    sb_told_ids *ids = new_ids();
    CHECK_EQ(ids->ask_at, SB_TIME_NEVER);
    CHECK_EQ(ids->count, 0);
    CHECK_EQ(ids->first, 0);
}

TEST(the_first_id_that_was_told_is_asked_at_once)
{
    sb_told_ids *ids = new_ids();
    CHECK(sb_told_ids_add(ids, start, 127));
    CHECK_EQ(ids->ask_at, start);
    (void)write_next(ids, start);
    CHECK_EQ(ids->ask_at, start + 250000);
    CHECK(!sb_told_ids_add(ids, start + 1, 127)); /* known: it is not asked sooner */
    CHECK(sb_told_ids_add(ids, start + 1, 2));
    CHECK_EQ(ids->ask_at, start + 250000);
    CHECK_EQ(ids->first, 127);
    CHECK_EQ(ids->count, 2);
}

TEST(every_id_is_asked_in_turn)
{
    static const uint8_t told[] = { 32, 2, 127, 31, 64, 96 }, order[] = { 2, 31, 32, 64, 96, 127 };
    sb_told_ids         *ids = new_ids();
    for (size_t i = 0; i < sizeof told; i++) CHECK(sb_told_ids_add(ids, start, told[i]));
    for (size_t i = 0; i < 3 * sizeof order; i++)
        CHECK_EQ(write_next(ids, start).peer_id, order[i % sizeof order]);
}

/* A forger may tell all of them. */
TEST(an_id_is_asked_4_times_a_second_and_all_at_most_100_times)
{
    static const struct {
        uint8_t count;
        sb_time after;
    } cases[] = { { 1, 250000 }, { 2, 125000 }, { 25, 10000 }, { 26, 10000 }, { 126, 10000 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_told_ids *ids = new_ids();
        for (unsigned id = 2; id < 2u + cases[i].count; id++)
            CHECK(sb_told_ids_add(ids, start, (uint8_t)id));
        (void)write_next(ids, start + 5);
        CHECK_EQ(ids->ask_at, start + 5 + cases[i].after);
    }
}

TEST(an_id_is_asked_with_its_marks_and_nothing_else)
{
    sb_told_ids         *ids = new_ids();
    uint16_t             marks[SB_MARKS_COUNT];
    sb_transport_message m;
    CHECK(sb_told_ids_add(ids, start, 9));
    sb_datagram d = write_next(ids, start);
    size_t      at = 0;
    CHECK_EQ(d.message_count, SB_MARKS_COUNT);
    sb_told_ids_marks(ids, 9, marks);
    for (unsigned i = 0; i < SB_MARKS_COUNT; i++) {
        CHECK(sb_datagram_next(&d, &at, &m));
        CHECK(m.type == SB_TRANSPORT_DATA && m.reliable && !m.fragment && m.payload.size == 0);
        CHECK_EQ(m.seq, marks[i]);
        CHECK(sb_marks_is_mark(&m, (int16_t)m.seq)); /* the host expects Data 0 */
    }
    CHECK_BYTES(d.messages.data, d.messages.size, write_next(ids, start + SB_SECOND).messages.data,
                d.messages.size); /* the same each time: any answer counts */
}

TEST(each_id_and_each_client_has_marks_of_its_own)
{
    uint16_t    marks[128][SB_MARKS_COUNT], others[SB_MARKS_COUNT];
    sb_told_ids other;
    sb_told_ids_init(&other, 8);
    for (uint8_t id = 2; id < 128; id++) {
        sb_told_ids_marks(new_ids(), id, marks[id]);
        sb_told_ids_marks(&other, id, others);
        CHECK(!are_equal(marks[id], others));
        for (uint8_t k = 2; k < id; k++) CHECK(!are_equal(marks[id], marks[k]));
    }
}

/* ---- Proof ---- */

static uint8_t find_proven(const sb_told_ids *ids, const rig_pack *p)
{
    sb_datagram d = read_pack(p);
    return sb_told_ids_find_proven(ids, &d);
}

TEST(the_id_whose_marks_are_acknowledged_is_proven)
{
    sb_told_ids *ids = new_ids();
    uint16_t     marks[SB_MARKS_COUNT];
    rig_pack     p;
    for (unsigned id = 2; id < 128; id += 5) CHECK(sb_told_ids_add(ids, start, (uint8_t)id));
    for (unsigned id = 2; id < 128; id++) {
        sb_told_ids_marks(ids, (uint8_t)id, marks);
        rig_pack_init_marked(&p, SB_PEER_HOST, marks);
        CHECK_EQ(find_proven(ids, &p), id % 5 == 2 ? id : 0); /* not those that were not told */
    }
    rig_pack_init(&p, SB_PEER_HOST);
    CHECK_EQ(find_proven(ids, &p), 0);
}

TEST(all_marks_of_an_id_must_be_acknowledged_in_any_order)
{
    sb_told_ids *ids = new_ids();
    uint16_t     marks[SB_MARKS_COUNT], others[SB_MARKS_COUNT];
    rig_pack     p;
    CHECK(sb_told_ids_add(ids, start, 2));
    CHECK(sb_told_ids_add(ids, start, 3));
    sb_told_ids_marks(ids, 2, marks);
    sb_told_ids_marks(ids, 3, others);
    for (unsigned missing = 0; missing <= SB_MARKS_COUNT; missing++) {
        rig_pack_init(&p, SB_PEER_HOST);
        rig_pack_noop(&p);
        for (unsigned i = SB_MARKS_COUNT; i-- > 0;) {
            if (i == missing) rig_pack_ack(&p, true, marks[i]); /* of the low channel */
            rig_pack_ack(&p, false, i == missing ? others[i] : marks[i]);
        }
        CHECK_EQ(find_proven(ids, &p), missing == SB_MARKS_COUNT ? 2 : 0);
    }
}

TEST(nothing_is_proven_before_an_id_was_told)
{
    sb_told_ids *ids = new_ids();
    uint16_t     marks[SB_MARKS_COUNT];
    rig_pack     p;
    sb_told_ids_marks(ids, 2, marks);
    rig_pack_init_marked(&p, SB_PEER_HOST, marks);
    CHECK_EQ(find_proven(ids, &p), 0);
}

/* ---- Questions of the host ---- */

enum { NUMBERS = SB_QUESTION_NUMBERS, KEPT = SB_QUESTIONS_KEPT };

/* Question number `k` has six numbers; `count`: of them. */
static void give_question(sb_told_ids *ids, sb_time now, unsigned k, unsigned count)
{
    rig_pack p;
    rig_pack_init(&p, SB_PEER_HOST);
    for (unsigned i = 0; i < count; i++)
        rig_pack_data(&p, (uint16_t)(0xE000 + 16 * k + i), rig_byte(4));
    sb_datagram d = read_pack(&p);
    sb_told_ids_note_question(ids, now, &d);
}

/* The questions that the next datagram answers, a bit for each: it has all of their numbers. */
static unsigned answered(sb_told_ids *ids)
{
    sb_datagram          d = write_next(ids, start);
    sb_transport_message m;
    unsigned             counts[16] = { 0 }, bits = 0;
    for (size_t at = 0; sb_datagram_next(&d, &at, &m);)
        if (m.type == SB_TRANSPORT_ACK && m.ack_flags == 0) counts[(m.seq - 0xE000) / 16 % 16]++;
    for (unsigned k = 0; k < 16; k++) {
        CHECK(counts[k] == 0 || counts[k] == NUMBERS); /* each once */
        bits |= (unsigned)(counts[k] > 0) << k;
    }
    CHECK_EQ(d.message_count, SB_MARKS_COUNT + NUMBERS * (unsigned)__builtin_popcount(bits));
    return bits;
}

TEST(the_latest_eight_questions_are_answered)
{
    sb_told_ids *ids = new_ids();
    CHECK(sb_told_ids_add(ids, start, 2));
    CHECK_EQ(answered(ids), 0);
    for (unsigned k = 0; k < 12; k++) {
        give_question(ids, start, k, NUMBERS);
        give_question(ids, start, k, NUMBERS); /* repeated: kept once */
        unsigned first = k < KEPT ? 0 : k - KEPT + 1;
        CHECK_EQ(answered(ids), (2u << k) - (1u << first));
    }
}

/* A host that reads 32 messages of a datagram reads the marks, whatever a forger asks. */
TEST(marks_come_before_the_answers)
{
    sb_told_ids *ids = new_ids();
    CHECK(sb_told_ids_add(ids, start, 2));
    for (unsigned k = 0; k < KEPT; k++) give_question(ids, start, k, NUMBERS);
    sb_datagram          d = write_next(ids, start);
    sb_transport_message m;
    size_t               at = 0;
    for (unsigned i = 0; i < SB_MARKS_COUNT; i++)
        CHECK(sb_datagram_next(&d, &at, &m) && m.type == SB_TRANSPORT_DATA);
    CHECK(sb_datagram_next(&d, &at, &m) && m.type == SB_TRANSPORT_ACK);
}

TEST(questions_are_kept_before_an_id_was_told)
{
    sb_told_ids *ids = new_ids();
    give_question(ids, start, 3, NUMBERS);
    CHECK_EQ(ids->ask_at, SB_TIME_NEVER);
    CHECK(sb_told_ids_add(ids, start, 2));
    CHECK_EQ(answered(ids), 1u << 3);
}

TEST(a_question_has_six_numbers)
{
    sb_told_ids *ids = new_ids();
    CHECK(sb_told_ids_add(ids, start, 2));
    give_question(ids, start, 0, NUMBERS - 1);
    CHECK_EQ(answered(ids), 0);
    give_question(ids, start, 1, NUMBERS + 1); /* what follows is not of it */
    CHECK_EQ(answered(ids), 2);
    rig_pack p; /* six messages that ask nothing */
    rig_pack_init(&p, SB_PEER_HOST);
    for (uint16_t i = 0; i < NUMBERS; i++) rig_pack_data(&p, i, rig_byte(5));
    sb_datagram d = read_pack(&p);
    sb_told_ids_note_question(ids, start, &d);
    CHECK_EQ(answered(ids), 2);
}

/* A host short of seats gives one with the answer. */
TEST(a_new_question_is_answered_after_10_ms)
{
    sb_told_ids *ids = new_ids();
    CHECK(sb_told_ids_add(ids, start, 2));
    (void)write_next(ids, start);
    give_question(ids, start + 100, 0, NUMBERS);
    CHECK_EQ(ids->ask_at, start + 100 + 10000);
    give_question(ids, start + 200, 1, NUMBERS); /* not later because of another one */
    CHECK_EQ(ids->ask_at, start + 100 + 10000);
    (void)write_next(ids, start + 10100);
    give_question(ids, start + 10200, 1, NUMBERS); /* known */
    CHECK_EQ(ids->ask_at, start + 10100 + 250000);
}
