/* src/transport/inbox_rivals.c -- two different messages with one number: one of them is forged.
 *
 * For:      inbox.h. Knows which message had which number, finds what cannot be of the peer, and
 *           takes back what a forged datagram used up.
 * Tests:    tests/transport/inbox_rivals_test.c, inbox_settled_test.c, marks_test.c, guard_test.c
 * Spec:     01 §10.8.
 */
#include "transport/inbox_internal.h"

#include "base/assert.h"
#include "base/bytes.h"

#include <string.h>

/* ---- records: which message had which number (spec 01 §10.8) ---- */

static uint64_t load_eight(const uint8_t *p)
{
    return (uint64_t)sb_load_u32(p + 4) << 32 | sb_load_u32(p);
}

/* A record has the hash of a whole message, which is odd; for a message in fragments it has the
 * hash of fragment 0, which is even and at least 4, or IN_FRAGMENTS if another one came first. */
enum { IN_FRAGMENTS = 2, FRAGMENT_BIT = 4 };

/* 16 bits, odd. Eight bytes at a time, the last eight once more if the size is no multiple. */
uint16_t sb_inbox_hash(const sb_inbox *in, const sb_transport_message *m)
{
    const uint64_t factor = 0x9E3779B97F4A7C15u;
    uint64_t       x = in->record_seed ^ ((uint64_t)m->payload.size << 8 | m->type);
    const uint8_t *p = m->payload.data;
    size_t         size = m->payload.size, at = 0;
    for (; at + 8 <= size; at += 8) x = (x ^ load_eight(p + at)) * factor, x ^= x >> 32;
    if (size >= 8) x = (x ^ load_eight(p + size - 8)) * factor;
    else
        for (; at < size; at++) x = (x ^ p[at]) * factor;
    x ^= x >> 29;
    return (uint16_t)((x * 0xBF58476D1CE4E5B9u) >> 48 | 1);
}

static uint32_t make_record(const sb_inbox *in, const sb_transport_message *m)
{
    uint32_t number = (uint32_t)m->seq << 16;
    if (m->fragment && m->frag_index != 0) return number | IN_FRAGMENTS;
    uint32_t hash = sb_inbox_hash(in, m) ^ (m->fragment ? (uint32_t)m->frag_total << 8 : 0);
    return number | (m->fragment ? (hash & 0xFFFEu) | FRAGMENT_BIT : hash);
}

void sb_inbox_record_message(sb_inbox *in, sb_in_channel *c, const sb_transport_message *m)
{
    c->records[m->seq & c->record_mask] = make_record(in, m);
    c->batches[m->seq & c->record_mask] = in->batch;
}

static bool is_of_fragments(uint32_t record)
{
    return (record & 1) == 0 && (record & 0xFFFF) != 0;
}

/* Is the fragment none of the message that was delivered? Only fragment 0 shows it. While others
 * are stored, those that contradict each other are compared (sb_inbox_stores_rival). */
static bool is_of_other_message(const sb_inbox *in, const sb_transport_message *m)
{
    uint32_t record = sb_inbox_record(in, m);
    if (!is_of_fragments(record)) return true;
    bool comparable = m->frag_index == 0 && (record & FRAGMENT_BIT) != 0;
    return comparable && sb_inbox_ahead(in, m) < 0 && record != make_record(in, m);
}

/* The record of a settled number has 7 bits of the hash of the first message and 8 bits of that of
 * the last one, beside a bit that is always set: neither "unknown" nor IN_FRAGMENTS. */
static uint32_t make_settled_record(const sb_inbox *in, const sb_transport_message *m)
{
    uint32_t record = sb_inbox_record(in, m);
    bool     again = sb_inbox_batch(in, m) == SB_BATCH_SETTLED;
    uint32_t before = (again ? record >> 1 : record >> 9) & 0x7F;
    return (uint32_t)m->seq << 16 | 0x8000u | before << 8 | (uint32_t)sb_inbox_hash(in, m) >> 8;
}

/* Is the message none of the two that were delivered under its number? */
static bool differs_from_settled(const sb_inbox *in, const sb_transport_message *m)
{
    uint32_t record = sb_inbox_record(in, m), hash = sb_inbox_hash(in, m);
    if (m->fragment) return false;
    return record >> 16 != m->seq ||
           (hash >> 8 != (record & 0xFF) && hash >> 9 != (record >> 8 & 0x7F));
}

bool sb_inbox_differs(const sb_inbox *in, const sb_transport_message *m)
{
    uint32_t record = sb_inbox_record(in, m);
    if (in->record_seed == 0 || in->eight_bit || (record & 0xFFFF) == 0) return false;
    if (sb_inbox_batch(in, m) == SB_BATCH_SETTLED) return differs_from_settled(in, m);
    return m->fragment ? is_of_other_message(in, m) : record != make_record(in, m);
}

/* ---- rivals (spec 01 §10.8) ---- */

/* The stored entry of the message's number, or SB_NO_CELL. */
static uint32_t find_stored(const sb_inbox *in, const sb_transport_message *m)
{
    const sb_in_channel *c = &in->channels[sb_inbox_channel_name(m)];
    int                  ahead = sb_inbox_ahead(in, m);
    if (ahead < 0 || ahead > (int)c->mask) return SB_NO_CELL;
    return *sb_inbox_slot(c, (uint16_t)(c->expected + ahead));
}

bool sb_inbox_has_payload(const sb_inbox *in, uint32_t entry, const sb_transport_message *m)
{
    uint8_t stored[SB_DATAGRAM_ACCEPTED];
    if (sb_inbox_entry(in, entry)->size != m->payload.size) return false;
    sb_cells_copy(in->cells, entry, stored);
    return m->payload.size == 0 || memcmp(stored, m->payload.data, m->payload.size) == 0;
}

/* Can the stored fragment not belong to the same message as the fragment `m`? */
static bool is_rival_fragment(const sb_inbox *in, const sb_assembly *a, uint32_t entry,
                              const sb_transport_message *m)
{
    uint8_t index = sb_inbox_entry(in, entry)->frag_index;
    if (index == m->frag_index)
        return (index == 0 && a->total != m->frag_total) || !sb_inbox_has_payload(in, entry, m);
    if (m->frag_index == 0) return index >= m->frag_total;
    return index == 0 && m->frag_index >= a->total;
}

static bool has_rival_fragment(const sb_inbox *in, const sb_assembly *a,
                               const sb_transport_message *m)
{
    if (!sb_assembly_has(a, m->frag_index)) return sb_assembly_contradicts(a, m);
    for (uint32_t i = a->first; i != SB_NO_CELL; i = sb_inbox_entry(in, i)->next_fragment)
        if (is_rival_fragment(in, a, i, m)) return true;
    return false;
}

bool sb_inbox_stores_rival(const sb_inbox *in, const sb_transport_message *m)
{
    uint32_t entry = find_stored(in, m);
    if (entry == SB_NO_CELL) return false;
    const sb_entry *e = sb_inbox_entry(in, entry);
    if (e->is_assembly && m->fragment) return has_rival_fragment(in, &e->assembly, m);
    if (e->is_assembly || m->fragment || e->type != m->type) return true;
    return !sb_inbox_has_payload(in, entry, m);
}

/* Takes all rivals of the fragment `m` out of the assembly. The others may be the peer's own, which
 * has their Acks and will not repeat them. */
static void release_rival_fragments(sb_inbox *in, sb_assembly *a, const sb_transport_message *m)
{
    sb_assembly kept = { .first = SB_NO_CELL };
    for (uint32_t i = a->first, next; i != SB_NO_CELL; i = next) {
        sb_entry *e = sb_inbox_entry(in, i);
        next = e->next_fragment;
        if (is_rival_fragment(in, a, i, m)) {
            sb_inbox_release(in, i);
            continue;
        }
        e->next_fragment = kept.first;
        kept.first = i;
        sb_assembly_note(&kept, e->frag_index, e->size);
        if (e->frag_index == 0) kept.total = a->total;
    }
    *a = kept;
}

void sb_inbox_discard(sb_inbox *in, const sb_transport_message *m)
{
    sb_in_channel *c = &in->channels[sb_inbox_channel_name(m)];
    int            ahead = sb_inbox_ahead(in, m);
    SB_ASSERT(find_stored(in, m) != SB_NO_CELL);
    uint32_t *slot = sb_inbox_slot(c, (uint16_t)(c->expected + ahead));
    sb_entry *e = sb_inbox_entry(in, *slot);
    if (e->is_assembly && m->fragment) release_rival_fragments(in, &e->assembly, m);
    if (e->is_assembly && m->fragment && e->assembly.count > 0) return;
    sb_inbox_release_slot(in, slot);
    if (ahead == 0 && sb_inbox_channel_name(m) == SB_CHANNEL_DATA)
        sb_cells_revoke(in->cells, &in->assembly, in->assembly.used);
}

void sb_inbox_drop_assembly(sb_inbox *in)
{
    sb_in_channel *c = &in->channels[SB_CHANNEL_DATA];
    uint32_t      *slot = sb_inbox_slot(c, c->expected);
    if (*slot != SB_NO_CELL && sb_inbox_entry(in, *slot)->is_assembly) {
        sb_inbox_release_slot(in, slot);
        c->records[c->expected & c->record_mask] = 0;
    }
    sb_cells_revoke(in->cells, &in->assembly, in->assembly.used);
}

/* ---- taking back (spec 01 §10.8 rule 4) ---- */

static uint32_t done_word(uint16_t seq)
{
    return seq % SB_REWIND_DONE / 32;
}

bool sb_inbox_is_done(const sb_in_channel *c, uint16_t seq)
{
    const sb_rewind *r = &c->rewind;
    return r->on && (uint16_t)(r->end - seq - 1) < SB_REWIND_DONE &&
           r->done[done_word(seq)] >> seq % 32 & 1;
}

void sb_inbox_advance(sb_in_channel *c)
{
    sb_rewind *r = &c->rewind;
    c->expected++;
    while (sb_inbox_is_done(c, c->expected)) c->expected++;
    if (c->expected == r->end) r->on = false;
}

static bool is_known(const sb_in_channel *c, uint16_t seq)
{
    uint32_t record = c->records[seq & c->record_mask];
    return record >> 16 == seq && (record & 0xFFFF) != 0;
}

/* Did the message with this number come with the batch? */
static bool is_of_batch(const sb_in_channel *c, uint16_t seq, uint16_t batch)
{
    return is_known(c, seq) && c->batches[seq & c->record_mask] == batch;
}

static void forget(sb_in_channel *c, uint16_t seq)
{
    c->records[seq & c->record_mask] = 0;
}

static void set_done(sb_rewind *r, uint16_t seq, bool done)
{
    uint32_t bit = 1u << seq % 32;
    if (done) r->done[done_word(seq)] |= bit;
    else r->done[done_word(seq)] &= ~bit;
}

bool sb_inbox_skip_delivered(sb_inbox *in, sb_in_channel *c, const sb_transport_message *m)
{
    sb_rewind *r = &c->rewind;
    uint16_t   left = (uint16_t)(r->end - m->seq - 1);
    bool       rewound = left < (uint16_t)(r->end - c->expected) && left < SB_REWIND_DONE;
    if (!rewound || m->fragment || !is_known(c, m->seq) || sb_inbox_differs(in, m)) return false;
    if (*sb_inbox_slot(c, m->seq) != SB_NO_CELL) return false; /* it has come again and waits */
    set_done(r, m->seq, true);
    if (m->seq == c->expected) sb_inbox_advance(c);
    return true;
}

/* Expects the number again? Not if it had the peer's own message; of fragments, nothing would show
 * that they came before. Other messages that are not of the forged datagram are remembered: if they
 * were the peer's, they must not be delivered twice. */
static void rewind_number(sb_in_channel *c, uint16_t seq, uint16_t forged)
{
    bool others = forged != SB_BATCH_PROVEN && is_known(c, seq) && !is_of_batch(c, seq, forged);
    bool fragments =
        is_of_fragments(c->records[seq & c->record_mask]) && !is_of_batch(c, seq, SB_BATCH_SETTLED);
    bool own = is_of_batch(c, seq, SB_BATCH_PROVEN) || (others && fragments);
    set_done(&c->rewind, seq, own);
    if (!own && !others) forget(c, seq);
}

/* Expects all numbers from `first` on again, but those that are known to have the peer's own
 * message. Stored messages at the far end of the window lose their slots. `forged`: the batch of
 * the forged datagram; SB_BATCH_PROVEN: all others are forged. */
static void rewind_channel(sb_inbox *in, sb_time now, sb_in_channel *c, uint16_t first,
                           uint16_t forged)
{
    sb_rewind *r = &c->rewind;
    uint16_t   end = r->on ? r->end : c->expected;
    for (uint16_t seq = first; seq != c->expected; seq++) {
        uint32_t *slot = sb_inbox_slot(c, seq);
        rewind_number(c, seq, forged);
        if (*slot != SB_NO_CELL) sb_inbox_release_slot(in, slot);
    }
    c->expected = first;
    r->end = end;
    for (unsigned i = 0; i < SB_REWIND_LOOKS; i++) r->waiting[i] = (uint16_t)(first - 1);
    r->check_at = now;
    r->on = true;
}

/* Releases what is stored of the batch. If its numbers were skipped after an earlier rewind, since
 * their messages might have been the peer's, they are expected again. */
static void release_batch(sb_inbox *in, sb_in_channel *c, uint16_t batch)
{
    for (uint32_t i = 0; i <= c->record_mask; i++) {
        uint16_t seq = (uint16_t)(c->records[i] >> 16);
        uint32_t ahead = (uint16_t)(seq - c->expected), *slot = sb_inbox_slot(c, seq);
        if (!is_of_batch(c, seq, batch) || ahead > c->mask) continue;
        if (*slot != SB_NO_CELL) sb_inbox_release_slot(in, slot);
        if (sb_inbox_is_done(c, seq)) set_done(&c->rewind, seq, false);
        forget(c, seq);
    }
}

/* The first number below the expected one that came with the batch; the expected one: none did. */
static uint16_t first_of_batch(const sb_in_channel *c, uint16_t batch)
{
    uint16_t first = c->expected;
    for (uint16_t i = 1; i <= c->record_mask && i <= c->mask; i++)
        if (is_of_batch(c, (uint16_t)(c->expected - i), batch)) first = (uint16_t)(c->expected - i);
    return first;
}

bool sb_inbox_follows(const sb_inbox *in, const sb_transport_message *m, uint16_t batch)
{
    const sb_in_channel *c = sb_inbox_channel(in, m);
    if (is_of_batch(c, m->seq, batch)) return false;
    for (uint16_t i = 1; i <= c->record_mask && i <= c->mask; i++)
        if (is_of_batch(c, (uint16_t)(m->seq - i), batch)) return true;
    return false;
}

bool sb_inbox_is_lost(const sb_inbox *in, const sb_transport_message *m)
{
    int ahead = sb_inbox_ahead(in, m);
    if (in->record_seed == 0 || in->eight_bit || m->type != SB_TRANSPORT_DATA) return false;
    return ahead < -(int)sb_inbox_channel(in, m)->record_mask || ahead >= AHEAD_LIMIT;
}

void sb_inbox_find_again(sb_inbox *in, sb_time now, const sb_transport_message *m)
{
    sb_in_channel *c = &in->channels[SB_CHANNEL_DATA];
    if (sb_inbox_ahead(in, m) < 0) {
        rewind_channel(in, now, c, m->seq, SB_BATCH_PROVEN);
        return;
    }
    for (uint32_t i = 0; i <= c->mask; i++)
        if (c->slots[i] != SB_NO_CELL) sb_inbox_release_slot(in, &c->slots[i]);
    c->rewind.on = false;
    c->expected = m->seq;
}

void sb_inbox_take_back(sb_inbox *in, sb_time now, const sb_transport_message *m)
{
    sb_in_channel *c = &in->channels[sb_inbox_channel_name(m)];
    uint16_t       batch = sb_inbox_batch(in, m);
    bool           settled = batch == SB_BATCH_SETTLED;
    if (batch == SB_BATCH_PROVEN) return; /* the peer's own was delivered */
    /* Two forgeries were delivered under this number; other settled numbers may be the peer's. */
    if (settled) batch = c->batches[m->seq & c->record_mask] = in->last_batch;
    release_batch(in, c, batch);
    bool     far = sb_inbox_ahead(in, m) < -(int)c->mask; /* many datagrams were forged */
    uint16_t first = far ? m->seq : first_of_batch(c, batch);
    if (first != c->expected) rewind_channel(in, now, c, first, batch);
}

void sb_inbox_settle(sb_inbox *in, const sb_transport_message *m)
{
    sb_in_channel *c = &in->channels[sb_inbox_channel_name(m)];
    c->records[m->seq & c->record_mask] = make_settled_record(in, m);
    c->batches[m->seq & c->record_mask] = SB_BATCH_SETTLED;
}

bool sb_inbox_shows(const sb_inbox *in, const sb_transport_message *m)
{
    if (sb_inbox_batch(in, m) == SB_BATCH_PROVEN) return false;
    return !m->fragment || sb_inbox_record(in, m) == make_record(in, m);
}

void sb_inbox_confirm(sb_inbox *in, const sb_transport_message *m)
{
    sb_in_channel *c = &in->channels[sb_inbox_channel_name(m)];
    uint16_t       batch = sb_inbox_batch(in, m);
    if (batch == SB_BATCH_SETTLED) {
        sb_inbox_record_message(in, c, m);
        return;
    }
    for (uint32_t i = 0; i <= c->record_mask; i++)
        if (c->batches[i] == batch) c->batches[i] = SB_BATCH_PROVEN;
}

uint16_t sb_inbox_next_batch(const sb_inbox *in, sb_channel_name channel)
{
    const sb_in_channel *c = &in->channels[channel];
    bool                 stored = *sb_inbox_slot(c, c->expected) != SB_NO_CELL;
    return stored && is_known(c, c->expected) ? c->batches[c->expected & c->record_mask]
                                              : (uint16_t)SB_BATCH_PROVEN;
}

/* The last number of which the peer's own message is stored; the one before the expected: none is.
 */
static uint16_t last_waiting(const sb_inbox *in, const sb_in_channel *c)
{
    uint16_t last = (uint16_t)(c->expected - 1);
    for (uint32_t i = 0; i <= c->mask; i++) {
        if (c->slots[i] == SB_NO_CELL) continue;
        uint16_t seq = sb_inbox_entry(in, c->slots[i])->seq;
        if (is_of_batch(c, seq, SB_BATCH_PROVEN) && (int16_t)(seq - last) > 0) last = seq;
    }
    return last;
}

bool sb_inbox_has_waiting(const sb_inbox *in, const sb_in_channel *c)
{
    return last_waiting(in, c) != (uint16_t)(c->expected - 1);
}

/* Nothing was received since the last call, so what waits now has waited since then. */
static void note_waiting(sb_rewind *r, sb_time now, uint16_t last)
{
    sb_time  seconds = (now - r->check_at) / SB_SECOND + 1;
    unsigned count = seconds < SB_REWIND_LOOKS ? (unsigned)seconds : SB_REWIND_LOOKS;
    unsigned kept = SB_REWIND_LOOKS - count;
    memmove(r->waiting, r->waiting + count, kept * sizeof r->waiting[0]);
    for (unsigned i = kept; i < SB_REWIND_LOOKS; i++) r->waiting[i] = last;
    r->check_at += seconds * SB_SECOND;
}

/* Gives missing numbers up if a later message of the peer has waited for 10 s: then it is ready, or
 * what is stored before it. A message whose number was stolen comes with a retransmission, after 1,
 * 3 or 6 s (§6.5), unless an Ack of the forgery has reached its sender. Looks at all slots, once a
 * second. */
static bool end_rewind_in_time(const sb_inbox *in, sb_in_channel *c, sb_time now)
{
    sb_rewind *r = &c->rewind;
    if (!r->on || now < r->check_at) return false;
    note_waiting(r, now, last_waiting(in, c));
    uint16_t waited = r->waiting[0];
    if ((int16_t)(waited - c->expected) <= 0) return false;
    while (r->on && (int16_t)(waited - c->expected) > 0 &&
           *sb_inbox_slot(c, c->expected) == SB_NO_CELL)
        sb_inbox_advance(c);
    return true;
}

unsigned sb_inbox_end_rewinds(sb_inbox *in, sb_time now)
{
    unsigned ended = 0;
    for (unsigned i = 0; i < SB_CHANNELS; i++)
        if (end_rewind_in_time(in, &in->channels[i], now)) ended |= 1u << i;
    return ended;
}
