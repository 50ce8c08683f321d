/* src/transport/marks.c -- see marks.h. */
#include "transport/marks.h"

#include "base/assert.h"

#include <string.h>

enum {
    /* Our numbers move on by this before the sets are forgotten. The furthest mark is then, with
     * all that may be in flight, less than 0x4000 behind the number that the peer expects: the peer
     * takes it for a duplicate (spec 01 §6.3). */
    DRIFT_MAX = 1700,
    IN_FLIGHT_MAX = 1280,
};
_Static_assert(SB_MARKS_NEAREST + SB_MARKS_COUNT * SB_MARKS_RANGE + DRIFT_MAX + IN_FLIGHT_MAX <
                   0x4000,
               "marks are old");
_Static_assert(2 + 4 * SB_MARK_ANSWERS * SB_MARK_ANSWER_SIZE + SB_MESSAGE_MAX <= SB_DATAGRAM_MAX,
               "answers leave space for a message");

static const sb_time attack_memory = 30 * SB_SECOND;
static const sb_time ask_time = 6 * SB_SECOND; /* retransmissions have at most 5 s between them */
/* A stock peer with frames of 16 ms has a set in five of six datagrams: those that came since its
 * last frame, and repeated ones. */
static const sb_time ask_interval = 35000;
static const sb_time request_interval = SB_SECOND / 4;
/* To a peer that does not answer: its address may be one where nobody hears us. */
static const sb_time ask_interval_max = SB_SECOND / 2;
static const sb_time dispute_limit = 4 * SB_SECOND;
static const sb_time answer_time = 6 * SB_SECOND; /* as long as the other end asks */
static const sb_time own_time = 2 * SB_SECOND;    /* the other end remembers its sets longer */

void sb_marks_init(sb_marks *g, uint64_t seed, sb_time now)
{
    *g = (sb_marks){ .seed = seed,
                     .until = now,
                     .chosen_until = now,
                     .messages_at = INT64_MIN,
                     .asks_until = now,
                     .ask_at = now,
                     .waits_until = now,
                     .awaits_from = INT64_MIN };
}

/* ---- sets ---- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

void sb_marks_draw(uint64_t secret, uint16_t base, uint16_t set[SB_MARKS_COUNT])
{
    uint64_t draw = mix(secret);
    for (unsigned i = 0; i < SB_MARKS_COUNT; i++) {
        unsigned distance =
            SB_MARKS_NEAREST + i * SB_MARKS_RANGE + (unsigned)(draw % SB_MARKS_RANGE);
        set[i] = (uint16_t)(base - distance);
        draw /= SB_MARKS_RANGE;
    }
}

static void add_set(sb_marks *g, const uint16_t set[SB_MARKS_COUNT])
{
    g->latest = (uint8_t)((g->latest + 1) % SB_MARKS_SETS);
    if (g->count < SB_MARKS_SETS) g->count++;
    memcpy(g->sets[g->latest], set, sizeof g->sets[g->latest]);
}

/* The sets that may still be answered are forgotten: the next one is drawn for this number. */
static void start_sets(sb_marks *g, uint16_t base)
{
    g->base = base;
    g->latest = g->count = 0;
}

void sb_marks_adopt(sb_marks *g, sb_time now, const uint16_t set[SB_MARKS_COUNT])
{
    start_sets(g, 0);
    add_set(g, set);
    g->drawn_at = now;
    g->chosen_until = now + attack_memory;
    g->answered_at = now;
}

/* Draws the next set, unless the latest is so young that the answers to it are all on their way. */
static void renew_set(sb_marks *g, sb_time now, uint16_t oldest)
{
    uint16_t set[SB_MARKS_COUNT];
    if (g->count == 0 || (uint16_t)(oldest - g->base) > DRIFT_MAX) start_sets(g, oldest);
    else if (now - g->drawn_at < ask_interval) return;
    sb_marks_draw(g->seed ^ (uint64_t)now * 0x9E3779B97F4A7C15u, g->base, set);
    add_set(g, set);
    g->drawn_at = now;
}

void sb_marks_find(const sb_marks *g, const sb_transport_message *ack, sb_marks_found *found)
{
    uint16_t distance = (uint16_t)(g->base - SB_MARKS_NEAREST - ack->seq);
    unsigned i = distance / SB_MARKS_RANGE;
    if (ack->ack_flags != 0 || i >= SB_MARKS_COUNT) return;
    for (unsigned s = 0; s < SB_MARKS_SETS; s++)
        found->bits[s] |= (uint8_t)((unsigned)(g->sets[s][i] == ack->seq) << i);
}

bool sb_marks_are_found(const sb_marks *g, const sb_marks_found *found)
{
    for (unsigned age = 0; age < g->count; age++)
        if (found->bits[(g->latest + SB_MARKS_SETS - age) % SB_MARKS_SETS] == SB_MARKS_ALL)
            return true;
    return false;
}

uint8_t sb_marks_count_found(const sb_marks *g, const sb_marks_found *found)
{
    unsigned count = 0;
    for (unsigned age = 0; age < g->count; age++) {
        unsigned bits = found->bits[(g->latest + SB_MARKS_SETS - age) % SB_MARKS_SETS];
        for (; bits != 0; bits &= bits - 1) count++;
    }
    return count < UINT8_MAX ? (uint8_t)count : UINT8_MAX;
}

/* ---- when to ask ---- */

void sb_marks_raise(sb_marks *g, sb_time now)
{
    if (g->seed == 0) return;
    if (!sb_marks_is_on(g, now)) {
        g->began_at = g->answered_at = now;
        g->answered = false;
    }
    g->until = g->chosen_until = now + attack_memory;
    sb_marks_ask(g, now);
}

void sb_marks_request(sb_marks *g, sb_time now)
{
    if (g->seed == 0) return;
    if (!sb_marks_are_chosen(g, now)) g->answered_at = now;
    g->chosen_until = now + attack_memory;
    sb_marks_ask(g, now);
}

void sb_marks_request_later(sb_marks *g, sb_time now, sb_time at)
{
    sb_time ask_at = now < g->asks_until ? g->ask_at : at;
    if (g->seed == 0) return;
    sb_marks_request(g, now);
    g->ask_at = ask_at;
    if (g->asks_until < at + ask_time) g->asks_until = at + ask_time;
}

void sb_marks_stop_asking(sb_marks *g, sb_time now)
{
    if (now < g->asks_until) g->asks_until = now;
}

static void start_dispute(sb_marks *g, sb_time now, uint16_t disputed)
{
    if (sb_marks_disputes(g, now)) return;
    g->disputed = disputed;
    g->waits_until = now + dispute_limit;
}

void sb_marks_dispute(sb_marks *g, sb_time now, uint16_t disputed)
{
    if (g->seed == 0 || sb_marks_is_on(g, now)) return;
    start_dispute(g, now, disputed);
}

/* A message of the peer that was stored and acknowledged does not come again. If the wait for one
 * was in vain, those stored behind it do not cause a wait each: the channel would stand still. */
void sb_marks_await(sb_marks *g, sb_time now, uint16_t disputed)
{
    if (sb_marks_disputes(g, now) || now < g->awaits_from) return;
    start_dispute(g, now, disputed);
    g->awaits_from = g->waits_until + SB_MARKS_MEMORY_US;
}

void sb_marks_note_answer(sb_marks *g, sb_time now)
{
    g->answered = g->ever_answered = true;
    g->answered_at = now;
}

void sb_marks_ask(sb_marks *g, sb_time now)
{
    if (!sb_marks_are_chosen(g, now)) return;
    /* A later time is that of a request that begins later. */
    if (now >= g->asks_until || g->ask_at > now + ask_interval_max) g->ask_at = now;
    if (g->asks_until < now + ask_time) g->asks_until = now + ask_time;
}

void sb_marks_settle(sb_marks *g, uint16_t batch)
{
    if (batch == g->disputed) g->waits_until = g->awaits_from = INT64_MIN;
}

static sb_time next_ask_after(const sb_marks *g, sb_time now)
{
    sb_time silent = (now - g->answered_at) / 8;
    sb_time shortest = sb_marks_is_on(g, now) ? ask_interval : request_interval;
    if (silent < shortest) return shortest;
    return silent < ask_interval_max ? silent : ask_interval_max;
}

uint32_t sb_marks_write(sb_marks *g, sb_time now, uint16_t oldest, sb_datagram_writer *w)
{
    const uint8_t most = UINT8_MAX - SB_MARKS_COUNT;
    if (w->data[1] > most || w->capacity - w->size < SB_MARKS_BYTES) return 0;
    renew_set(g, now, oldest);
    for (unsigned i = 0; i < SB_MARKS_COUNT; i++)
        (void)!sb_datagram_writer_add(w, &(sb_transport_message){ .type = SB_TRANSPORT_DATA,
                                                                  .reliable = true,
                                                                  .seq = g->sets[g->latest][i] });
    g->ask_at = now + next_ask_after(g, now);
    return SB_MARKS_COUNT;
}

/* ---- answers ---- */

void sb_mark_answers_init(sb_mark_answers *a)
{
    *a = (sb_mark_answers){ .until = INT64_MIN, .due_at = SB_TIME_NEVER };
}

/* The set that begins with this number; SB_MARK_ANSWERS: none. */
static uint8_t find_set(const sb_mark_answers *a, uint16_t seq)
{
    uint8_t i = 0;
    while (i < a->count && a->sets[i][0] != seq) i++;
    return i < a->count ? i : SB_MARK_ANSWERS;
}

/* The place of a new set. Forged sets come as fast as the line allows, and we write only at our
 * ticks: if the oldest set gave way, the one that the other end has sent could never be answered.
 * So any set gives way (no forger knows our clock to the microsecond), but one that is known to be
 * the other end's only to another such set. These leave a place to questions, which come without
 * proof. */
static uint8_t find_place(const sb_mark_answers *a, sb_time now, uint16_t seq, bool proven)
{
    uint8_t  other = SB_MARK_ANSWERS, own = SB_MARK_ANSWERS;
    unsigned first = (unsigned)(mix((uint64_t)now << 16 | seq) % SB_MARK_ANSWERS), owned = 0;
    if (a->count < SB_MARK_ANSWERS) return a->count;
    for (unsigned k = 0; k < SB_MARK_ANSWERS; k++) {
        uint8_t i = (uint8_t)((first + k) % SB_MARK_ANSWERS);
        bool    is_own = now < a->own_until && a->own >> i & 1;
        owned += is_own;
        if (is_own) own = i;
        else other = i;
    }
    if (owned == SB_MARK_ANSWERS) return own;
    return proven && owned == SB_MARK_ANSWERS - 1 ? own : other;
}

/* The other end repeats a set for a while: it is kept once. */
static void begin_set(sb_mark_answers *a, sb_time now, uint16_t batch, uint16_t seq, bool proven)
{
    uint8_t known = find_set(a, seq);
    if (now >= a->own_until) a->own = 0;
    a->batch = batch;
    if (known == SB_MARK_ANSWERS) {
        known = find_place(a, now, seq, proven);
        SB_ASSERT(known < SB_MARK_ANSWERS);
        if (known == a->count) a->count++;
        else if (!(a->written >> known & 1)) a->is_flooded = true;
        a->sizes[known] = 0;
        a->written &= (uint8_t) ~(1u << known);
        a->own &= (uint8_t) ~(1u << known);
    }
    if (proven) a->own_until = now + own_time;
    if (proven) a->own |= (uint8_t)(1u << known);
    a->latest = known;
}

static bool has_number(const sb_mark_answers *a, uint16_t seq)
{
    for (unsigned i = 0; i < a->sizes[a->latest]; i++)
        if (a->sets[a->latest][i] == seq) return true;
    return false;
}

void sb_mark_answers_note(sb_mark_answers *a, sb_time now, uint16_t batch,
                          const sb_transport_message *m, sb_time due_at, bool proven)
{
    if (now >= a->until) a->count = 0;
    if (a->count == 0 || batch != a->batch) begin_set(a, now, batch, m->seq, proven);
    uint8_t *size = &a->sizes[a->latest];
    /* The other end sends one set in a datagram: more of them are of a forger. */
    if (*size < SB_MARK_ANSWER_SIZE && !has_number(a, m->seq))
        a->sets[a->latest][(*size)++] = m->seq;
    a->is_question[a->latest] = m->payload.size > 0;
    a->until = now + answer_time;
    if (due_at < a->due_at) a->due_at = due_at;
}

uint32_t sb_mark_answers_write(sb_mark_answers *a, sb_time now, sb_datagram_writer *w)
{
    uint32_t written = 0;
    a->due_at = SB_TIME_NEVER;
    if (now >= a->until) return 0;
    for (unsigned i = 0; i < a->count; i++) {
        for (unsigned k = 0; k < a->sizes[i]; k++)
            (void)!sb_datagram_writer_add(
                w, &(sb_transport_message){ .type = SB_TRANSPORT_ACK, .seq = a->sets[i][k] });
        a->written |= (uint8_t)(1u << i);
        if (a->is_question[i]) a->sizes[i] = 0;
        else written += a->sizes[i];
    }
    return written;
}
