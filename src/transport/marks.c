/* src/transport/marks.c -- see marks.h. */
#include "transport/marks.h"

#include <string.h>

enum {
    MARK_RANGE = 2048, /* numbers that a mark is chosen from; each mark has its own */
    /* Our numbers move on by this before other marks are chosen: so the furthest is less than
     * 0x4000 behind, and the peer takes it for a duplicate (spec 01 §6.3). */
    DRIFT_MAX = 4096,
    MARK_BYTES = 5, /* of a message without payload */
};
_Static_assert(SB_MARKS_NEAREST + SB_MARKS_COUNT * MARK_RANGE + DRIFT_MAX < 0x4000,
               "marks are old");

static const sb_time attack_memory = 30 * SB_SECOND;
static const sb_time ask_time = 6 * SB_SECOND; /* retransmissions have at most 5 s between them */
static const sb_time ask_interval = 70000;     /* more often than a player sends */
static const sb_time request_interval = SB_SECOND / 4;
/* To a peer that does not answer: its address may be one where nobody hears us. */
static const sb_time ask_interval_max = SB_SECOND / 2;
static const sb_time dispute_limit = 4 * SB_SECOND;
static const sb_time answer_time = 6 * SB_SECOND; /* as long as the other end asks */

void sb_marks_init(sb_marks *g, uint64_t seed, sb_time now)
{
    *g = (sb_marks){ .seed = seed,
                     .until = now,
                     .chosen_until = now,
                     .requested_at = SB_TIME_NEVER,
                     .asks_until = now,
                     .ask_at = now,
                     .waits_until = now };
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

void sb_marks_draw(uint64_t secret, uint16_t oldest, uint16_t marks[SB_MARKS_COUNT])
{
    uint64_t draw = mix(secret);
    for (unsigned i = 0; i < SB_MARKS_COUNT; i++) {
        unsigned distance = SB_MARKS_NEAREST + i * MARK_RANGE + (draw >> 16 * i) % MARK_RANGE;
        marks[i] = (uint16_t)(oldest - distance);
    }
}

static void choose_marks(sb_marks *g, sb_time now, uint16_t oldest)
{
    memcpy(g->earlier, g->marks, sizeof g->earlier);
    g->base = oldest;
    g->was_renewed = false;
    sb_marks_draw(g->seed ^ (uint64_t)now * 0x9E3779B97F4A7C15u, oldest, g->marks);
}

void sb_marks_adopt(sb_marks *g, sb_time now, const uint16_t numbers[SB_MARKS_COUNT])
{
    memcpy(g->marks, numbers, sizeof g->marks);
    g->base = 0;
    g->chosen_until = now + attack_memory;
    g->requested_at = g->answered_at = now;
}

void sb_marks_follow(sb_marks *g, sb_time now, uint16_t oldest)
{
    if ((uint16_t)(oldest - g->base) <= DRIFT_MAX) return;
    choose_marks(g, now, oldest);
    g->was_renewed = true;
}

void sb_marks_raise(sb_marks *g, sb_time now, uint16_t oldest)
{
    if (g->seed == 0) return;
    if (!sb_marks_is_on(g, now)) {
        g->began_at = g->answered_at = now;
        g->answered = false;
        choose_marks(g, now, oldest);
    }
    g->until = g->chosen_until = now + attack_memory;
    sb_marks_ask(g, now);
}

void sb_marks_request(sb_marks *g, sb_time now, uint16_t oldest)
{
    if (g->seed == 0) return;
    if (!sb_marks_are_chosen(g, now)) {
        g->answered_at = now;
        choose_marks(g, now, oldest);
        g->chosen_until = now + attack_memory;
    }
    if (g->requested_at == SB_TIME_NEVER) g->requested_at = now;
    sb_marks_ask(g, now);
}

void sb_marks_dispute(sb_marks *g, sb_time now, uint16_t disputed)
{
    if (g->seed == 0 || sb_marks_is_on(g, now)) return;
    sb_marks_await(g, now, disputed);
}

void sb_marks_await(sb_marks *g, sb_time now, uint16_t disputed)
{
    if (sb_marks_disputes(g, now)) return;
    g->disputed = disputed;
    g->waits_until = now + dispute_limit;
}

/* Bits of the numbers that are `seq`. */
static unsigned find_number(const uint16_t *numbers, uint16_t seq)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < SB_MARKS_COUNT; i++) bits |= (unsigned)(numbers[i] == seq) << i;
    return bits;
}

unsigned sb_marks_find_mark(const sb_marks *g, const sb_transport_message *ack)
{
    if (ack->ack_flags != 0) return 0;
    unsigned bits = find_number(g->marks, ack->seq);
    if (g->was_renewed) bits |= find_number(g->earlier, ack->seq) << SB_MARKS_COUNT;
    return bits;
}

bool sb_marks_has_sent(const sb_marks *g, const sb_transport_message *ack)
{
    if (sb_marks_find_mark(g, ack) != 0) return true;
    return ack->ack_flags == 0 && find_number(g->earlier, ack->seq) != 0;
}

bool sb_marks_accept(sb_marks *g, sb_time now, unsigned bits)
{
    if (!sb_marks_are_all(bits)) return false;
    g->answered = g->ever_answered = true;
    g->answered_at = now;
    return true;
}

void sb_marks_ask(sb_marks *g, sb_time now)
{
    if (!sb_marks_are_chosen(g, now)) return;
    if (now >= g->asks_until) g->ask_at = now;
    g->asks_until = now + ask_time;
}

void sb_marks_settle(sb_marks *g, uint16_t batch)
{
    if (batch == g->disputed) g->waits_until = INT64_MIN;
}

static sb_time next_ask_after(const sb_marks *g, sb_time now)
{
    sb_time silent = (now - g->answered_at) / 8;
    sb_time shortest = sb_marks_is_on(g, now) ? ask_interval : request_interval;
    if (silent < shortest) return shortest;
    return silent < ask_interval_max ? silent : ask_interval_max;
}

uint32_t sb_marks_write(sb_marks *g, sb_time now, sb_datagram_writer *w)
{
    const uint8_t most = UINT8_MAX - SB_MARKS_COUNT;
    if (w->data[1] > most || w->capacity - w->size < SB_MARKS_COUNT * MARK_BYTES) return 0;
    for (unsigned i = 0; i < SB_MARKS_COUNT; i++)
        (void)!sb_datagram_writer_add(w, &(sb_transport_message){ .type = SB_TRANSPORT_DATA,
                                                                  .reliable = true,
                                                                  .seq = g->marks[i] });
    g->ask_at = now + next_ask_after(g, now);
    return SB_MARKS_COUNT;
}

/* ---- answers ---- */

void sb_mark_answers_init(sb_mark_answers *a)
{
    *a = (sb_mark_answers){ .until = INT64_MIN, .due_at = SB_TIME_NEVER };
}

static bool has_answer(const sb_mark_answers *a, uint16_t seq)
{
    for (unsigned i = 0; i < a->count; i++)
        if (a->seqs[i] == seq) return true;
    return false;
}

void sb_mark_answers_note(sb_mark_answers *a, sb_time now, uint16_t seq, sb_time due_at)
{
    if (now >= a->until) a->count = a->next = 0;
    if (!has_answer(a, seq)) {
        a->seqs[a->next] = seq;
        a->next = (uint8_t)((a->next + 1) % SB_MARK_ANSWERS);
        if (a->count < SB_MARK_ANSWERS) a->count++;
    }
    a->until = now + answer_time;
    if (due_at < a->due_at) a->due_at = due_at;
}

uint32_t sb_mark_answers_write(sb_mark_answers *a, sb_time now, sb_datagram_writer *w)
{
    a->due_at = SB_TIME_NEVER;
    if (now >= a->until) return 0;
    for (unsigned i = 0; i < a->count; i++)
        (void)!sb_datagram_writer_add(
            w, &(sb_transport_message){ .type = SB_TRANSPORT_ACK, .seq = a->seqs[i] });
    return a->count;
}
