/* src/transport/told_ids.c -- see told_ids.h. */
#include "transport/told_ids.h"

#include "base/assert.h"
#include "transport/guard.h"

#include <string.h>

/* Each id is asked every quarter of a second; all of them together at most 100 times a second. */
static const sb_time ask_interval = SB_SECOND / 4;
static const sb_time ask_interval_min = SB_SECOND / 100;

void sb_told_ids_init(sb_told_ids *t, uint64_t seed)
{
    *t = (sb_told_ids){ .seed = seed, .ask_at = SB_TIME_NEVER };
}

static bool is_told(const sb_told_ids *t, unsigned id)
{
    return t->told[id / 32] >> id % 32 & 1;
}

bool sb_told_ids_add(sb_told_ids *t, sb_time now, uint8_t id)
{
    SB_ASSERT(id >= 2 && id < 128);
    if (is_told(t, id)) return false;
    t->told[id / 32] |= 1u << id % 32;
    t->count++;
    if (t->first != 0) return true;
    t->first = id;
    t->ask_at = now;
    return true;
}

/* ---- questions of the host ---- */

static bool has_question(const sb_told_ids *t, const uint16_t *numbers)
{
    for (unsigned i = 0; i < t->question_count; i++)
        if (memcmp(t->questions[i], numbers, sizeof t->questions[i]) == 0) return true;
    return false;
}

void sb_told_ids_note_question(sb_told_ids *t, sb_time now, const sb_datagram *datagram)
{
    uint16_t             numbers[SB_QUESTION_NUMBERS];
    unsigned             count = 0;
    sb_transport_message m;
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m) && count < SB_QUESTION_NUMBERS;)
        if (sb_guard_is_question(&m)) numbers[count++] = m.seq;
    if (count < SB_QUESTION_NUMBERS || has_question(t, numbers)) return;
    memcpy(t->questions[t->next_question], numbers, sizeof numbers);
    t->next_question = (uint8_t)((t->next_question + 1) % SB_QUESTIONS_KEPT);
    if (t->question_count < SB_QUESTIONS_KEPT) t->question_count++;
    if (t->count > 0 && t->ask_at > now + ask_interval_min) t->ask_at = now + ask_interval_min;
}

const uint16_t *sb_told_ids_question(const sb_told_ids *t, unsigned age)
{
    if (age >= t->question_count) return NULL;
    return t->questions[(t->next_question + SB_QUESTIONS_KEPT - 1u - age) % SB_QUESTIONS_KEPT];
}

static void write_answers(const sb_told_ids *t, sb_datagram_writer *w)
{
    for (unsigned i = 0; i < t->question_count; i++)
        for (unsigned k = 0; k < SB_QUESTION_NUMBERS; k++)
            (void)!sb_datagram_writer_add(
                w, &(sb_transport_message){ .type = SB_TRANSPORT_ACK, .seq = t->questions[i][k] });
}

/* ---- proof ---- */

void sb_told_ids_marks(const sb_told_ids *t, uint8_t id, uint16_t marks[SB_MARKS_COUNT])
{
    sb_marks_draw(t->seed ^ (uint64_t)id << 56, 0, marks);
}

uint8_t sb_told_ids_find_proven(const sb_told_ids *t, const sb_datagram *datagram)
{
    uint8_t              acked[65536 / 8] = { 0 };
    uint16_t             marks[SB_MARKS_COUNT];
    sb_transport_message m;
    if (t->count == 0 || !(datagram->kinds & SB_HAS_ACK)) return 0;
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m);)
        if (m.type == SB_TRANSPORT_ACK && m.ack_flags == 0)
            acked[m.seq / 8] |= (uint8_t)(1u << m.seq % 8);
    for (uint8_t id = 2; id < 128; id++) {
        unsigned found = 0;
        if (!is_told(t, id)) continue;
        sb_told_ids_marks(t, id, marks);
        for (unsigned i = 0; i < SB_MARKS_COUNT; i++)
            found += acked[marks[i] / 8] >> marks[i] % 8 & 1;
        if (found == SB_MARKS_COUNT) return id;
    }
    return 0;
}

static uint8_t next_id(const sb_told_ids *t)
{
    unsigned id = t->last;
    do id = (id + 1) % 128;
    while (!is_told(t, id));
    return (uint8_t)id;
}

void sb_told_ids_write(sb_told_ids *t, sb_time now, sb_datagram_writer *w, uint8_t *out)
{
    uint16_t marks[SB_MARKS_COUNT];
    SB_ASSERT(t->count > 0);
    t->last = next_id(t);
    sb_datagram_writer_init(w, out, SB_DATAGRAM_MAX, t->last);
    sb_told_ids_marks(t, t->last, marks);
    for (unsigned i = 0; i < SB_MARKS_COUNT; i++)
        (void)!sb_datagram_writer_add(w, &(sb_transport_message){ .type = SB_TRANSPORT_DATA,
                                                                  .reliable = true,
                                                                  .seq = marks[i] });
    write_answers(t, w); /* at the end: some hosts read only 32 messages (spec 01 §6.9) */
    sb_time share = ask_interval / t->count;
    t->ask_at = now + (share > ask_interval_min ? share : ask_interval_min);
}
