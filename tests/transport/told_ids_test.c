/* tests/transport/told_ids_test.c -- which of the ids that a connecting client was told is its own.
 *
 * For:      src/transport/told_ids.c. client_confirm_test.c has its use.
 * Spec:     01 §10.8 rule 6.
 */
#include "marks_rig.h"
#include "transport/guard.h"
#include "transport/told_ids.h"

#include <string.h>

static const sb_time start = RIG_START;

static sb_told_ids *new_ids(void)
{
    static sb_told_ids ids;
    sb_told_ids_init(&ids, 0x5EED);
    return &ids;
}

/* Parses a plain datagram. */
static sb_datagram opened(const rig_pack *p)
{
    sb_datagram d;
    CHECK_EQ(sb_decode_datagram(rig_packed(p), &d, NULL), SB_OK);
    return d;
}

/* Writes the next datagram; it is lent until the next call. */
static const rig_sent *written(sb_told_ids *ids, sb_time now)
{
    static rig_sent    sent;
    sb_datagram_writer w;
    sb_told_ids_write(ids, now, &w, sent.plain);
    sent.size = w.size;
    return &sent;
}

/* ---- Ids ------------------------------------------------------------------------------------ */

TEST(an_id_is_told_once_and_the_first_one_is_remembered)
{
    sb_told_ids *ids = new_ids();
    CHECK(ids->count == 0 && ids->first == 0);
    CHECK(ids->first_at == SB_TIME_NEVER && ids->ask_at == SB_TIME_NEVER);
    for (uint8_t i = 0; i < 126; i++) {
        uint8_t id = (uint8_t)(2 + i * 37 % 126); /* any order */
        CHECK(sb_told_ids_add(ids, start + i, id));
        CHECK(!sb_told_ids_add(ids, start + i, id));
        CHECK_EQ(ids->count, i + 1);
        CHECK_EQ(ids->first, 2);
        CHECK(ids->first_at == start && ids->ask_at == start);
    }
}

TEST(every_id_is_asked_in_turn_under_itself)
{
    static const uint8_t told[] = { 5, 2, 127, 64, 31, 32 };
    static const uint8_t turns[] = { 2, 5, 31, 32, 64, 127, 2, 5 };
    sb_told_ids         *ids = new_ids();
    for (unsigned i = 0; i < sizeof told; i++) CHECK(sb_told_ids_add(ids, start, told[i]));
    for (unsigned i = 0; i < sizeof turns; i++) {
        const rig_sent      *sent = written(ids, start);
        uint16_t             marks[SB_MARKS_COUNT];
        sb_transport_message m;
        CHECK_EQ(sent->plain[0], turns[i]);
        CHECK_EQ(rig_message_count(sent), SB_MARKS_COUNT);
        sb_told_ids_marks(ids, turns[i], marks);
        for (unsigned k = 0; k < SB_MARKS_COUNT; k++) {
            CHECK(rig_message(sent, k, &m));
            CHECK(m.type == SB_TRANSPORT_DATA && m.reliable && m.payload.size == 0);
            CHECK_EQ(m.seq, marks[k]);
        }
    }
}

/* Each id four times a second, all together at most 100 times. */
TEST(questions_share_the_time)
{
    static const struct {
        uint8_t count;
        sb_time interval;
    } cases[] = { { 1, 250000 }, { 2, 125000 }, { 24, 10416 },
                  { 25, 10000 }, { 26, 10000 }, { 126, 10000 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_told_ids *ids = new_ids();
        for (uint8_t id = 2; id < 2 + cases[i].count; id++) CHECK(sb_told_ids_add(ids, start, id));
        (void)written(ids, start + 7);
        CHECK_EQ(ids->ask_at, start + 7 + cases[i].interval);
    }
}

TEST(marks_of_each_id_and_seed_are_other_numbers)
{
    sb_told_ids *ids = new_ids(), other;
    uint16_t     marks[128][SB_MARKS_COUNT], marks_of_other[SB_MARKS_COUNT];
    unsigned     equal = 0;
    sb_told_ids_init(&other, 0x5EEE);
    for (uint8_t id = 2; id < 128; id++) {
        sb_told_ids_marks(ids, id, marks[id]);
        sb_told_ids_marks(&other, id, marks_of_other);
        for (unsigned k = 0; k < SB_MARKS_COUNT; k++) {
            equal += marks[id][k] == marks_of_other[k];
            equal += id > 2 && marks[id][k] == marks[id - 1][k];
            CHECK((uint16_t)-marks[id][k] >= SB_MARKS_NEAREST); /* older than number 0 */
        }
    }
    CHECK(equal < 5);
}

/* The session of the host begins at number 0. */
TEST(marks_are_at_least_1280_older_than_number_0)
{
    unsigned nearest = UINT16_MAX;
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        sb_told_ids ids;
        uint16_t    marks[SB_MARKS_COUNT];
        sb_told_ids_init(&ids, seed);
        sb_told_ids_marks(&ids, 9, marks);
        for (unsigned k = 0; k < SB_MARKS_COUNT; k++)
            if ((uint16_t)-marks[k] < nearest) nearest = (uint16_t)-marks[k];
    }
    CHECK_EQ(nearest, 1280);
}

/* ---- Proof ---------------------------------------------------------------------------------- */

static void pack_answers(rig_pack *p, const sb_told_ids *ids, uint8_t id, unsigned count)
{
    uint16_t marks[SB_MARKS_COUNT];
    sb_told_ids_marks(ids, id, marks);
    for (unsigned i = count; i-- > 0;) rig_pack_ack(p, false, marks[i]); /* any order */
}

static uint8_t proven(const sb_told_ids *ids, const rig_pack *p)
{
    sb_datagram d = opened(p);
    return sb_told_ids_find_proven(ids, &d);
}

TEST(the_id_whose_marks_are_all_acknowledged_is_proven)
{
    sb_told_ids *ids = new_ids();
    for (uint8_t id = 2; id < 128; id++) {
        rig_pack p;
        rig_pack_init(&p, SB_PEER_HOST);
        pack_answers(&p, ids, id, SB_MARKS_COUNT);
        CHECK_EQ(proven(ids, &p), 0); /* it was not told */
        CHECK(sb_told_ids_add(ids, start, id));
        CHECK_EQ(proven(ids, &p), id);
        for (unsigned count = 0; count < SB_MARKS_COUNT; count++) {
            rig_pack_init(&p, SB_PEER_HOST);
            pack_answers(&p, ids, id, count);
            pack_answers(&p, ids, id == 127 ? 126 : (uint8_t)(id + 1), 3);
            CHECK_EQ(proven(ids, &p), 0);
        }
    }
}

TEST(a_mark_counts_once_and_only_as_an_ack_of_data)
{
    sb_told_ids *ids = new_ids();
    uint16_t     marks[SB_MARKS_COUNT];
    rig_pack     p;
    CHECK(sb_told_ids_add(ids, start, 9));
    sb_told_ids_marks(ids, 9, marks);
    rig_pack_init(&p, SB_PEER_HOST);
    for (unsigned i = 0; i < SB_MARKS_COUNT; i++) rig_pack_ack(&p, false, marks[0]);
    CHECK_EQ(proven(ids, &p), 0);
    rig_pack_init(&p, SB_PEER_HOST);
    for (unsigned i = 0; i < SB_MARKS_COUNT; i++) rig_pack_ack(&p, i == 3, marks[i]); /* low */
    CHECK_EQ(proven(ids, &p), 0);
    rig_pack_fragment_ack(&p, marks[3], 0);
    CHECK_EQ(proven(ids, &p), 0);
    rig_pack_data(&p, marks[3], rig_byte('x'));
    CHECK_EQ(proven(ids, &p), 0);
    rig_pack_ack(&p, false, marks[3]);
    CHECK_EQ(proven(ids, &p), 9);
}

/* ---- Questions of the host (spec 01 §5.4) ---------------------------------------------------- */

static void note_question(sb_told_ids *ids, uint16_t first, unsigned numbers)
{
    rig_pack p;
    rig_pack_init(&p, SB_PEER_HOST);
    rig_pack_noop(&p);
    for (unsigned i = 0; i < numbers; i++)
        rig_pack_data(&p, (uint16_t)(first + i), rig_byte(SB_QUESTION_PAYLOAD));
    sb_datagram d = opened(&p);
    sb_told_ids_note_question(ids, &d);
}

/* The first number that the next datagram acknowledges; 0: none. The marks follow. */
static uint16_t answered(sb_told_ids *ids)
{
    const rig_sent      *sent = written(ids, start);
    sb_transport_message m, next;
    CHECK(rig_message(sent, 0, &m));
    if (m.type != SB_TRANSPORT_ACK) return 0;
    CHECK_EQ(rig_message_count(sent), SB_QUESTION_NUMBERS + SB_MARKS_COUNT);
    for (unsigned i = 0; i < SB_QUESTION_NUMBERS; i++) {
        CHECK(rig_message(sent, i, &next));
        CHECK(next.type == SB_TRANSPORT_ACK && next.ack_flags == 0);
        CHECK_EQ(next.seq, m.seq + i);
    }
    return m.seq;
}

static sb_told_ids *ids_with_one(void)
{
    sb_told_ids *ids = new_ids();
    CHECK(sb_told_ids_add(ids, start, 9));
    return ids;
}

TEST(a_question_of_three_numbers_is_answered)
{
    sb_told_ids *ids = ids_with_one();
    CHECK_EQ(answered(ids), 0);
    note_question(ids, 5000, 2);
    CHECK_EQ(answered(ids), 0);
    note_question(ids, 5000, 3);
    for (int i = 0; i < 3; i++) CHECK_EQ(answered(ids), 5000);
}

/* One of them may be a forger's: each gets datagrams of its own. */
TEST(the_latest_four_questions_are_answered_in_turn)
{
    sb_told_ids *ids = ids_with_one();
    bool         seen[7] = { false };
    for (uint16_t i = 1; i <= 6; i++) {
        note_question(ids, (uint16_t)(1000 * i), 3);
        note_question(ids, (uint16_t)(1000 * i), 3); /* repeated: known */
    }
    CHECK_EQ(ids->question_count, 4);
    for (int i = 0; i < 4; i++) seen[answered(ids) / 1000] = true;
    for (int i = 1; i <= 6; i++) CHECK_EQ(seen[i], i >= 3);
    note_question(ids, 3000, 3); /* of the oldest that is kept: nothing is replaced */
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < 4; i++) seen[answered(ids) / 1000] = true;
    for (int i = 1; i <= 6; i++) CHECK_EQ(seen[i], i >= 3);
}

TEST(more_than_three_numbers_are_one_question)
{
    sb_told_ids *ids = ids_with_one();
    note_question(ids, 7000, 9);
    CHECK_EQ(ids->question_count, 1);
    CHECK_EQ(answered(ids), 7000);
}
