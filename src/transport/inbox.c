/* src/transport/inbox.c -- see inbox.h. */
#include "transport/inbox_internal.h"

#include "base/assert.h"

#include <string.h>

enum {
    DUPLICATE_MIN = -0x4000,
    STOCK_FRAGMENT_BYTES = 406, /* maximum of a stock sender (spec 01 §7.1) */
    /* Early messages keep this free until the first fragment of the expected message arrives. */
    EXPECTED_RESERVE_BYTES = 64 * 1024,
    /* Early messages keep this free for the expected message in case it gets no grant. */
    EXPECTED_RESERVE_CELLS = 32,
};

static void init_channel(sb_in_channel *c, uint32_t *slots, uint32_t numbers)
{
    *c = (sb_in_channel){ .mask = numbers - 1, .slots = slots };
    for (size_t i = 0; i < numbers; i++) slots[i] = SB_NO_CELL;
}

static void init_records(sb_in_channel *c, uint32_t *records, uint16_t *batches, uint32_t count)
{
    c->records = records;
    c->batches = batches;
    c->record_mask = count - 1;
    memset(records, 0, count * sizeof *records);
    memset(batches, 0, count * sizeof *batches);
}

void sb_inbox_init(sb_inbox *in, sb_cells *cells, uint32_t guaranteed,
                   const sb_store_bounds *bounds, uint32_t *tables)
{
    SB_ASSERT((bounds->numbers & (bounds->numbers - 1)) == 0);
    *in = (sb_inbox){ .cells = cells,
                      .account = { 0, guaranteed },
                      .bounds = *bounds,
                      .fragments_max = SB_FRAGMENTS_UNTRUSTED };
    for (size_t i = 0; i < SB_CANDIDATES; i++) in->candidates[i].entry = SB_NO_CELL;
    init_channel(&in->channels[SB_CHANNEL_DATA], tables, bounds->numbers);
    init_channel(&in->channels[SB_CHANNEL_LOW], tables + bounds->numbers, SB_LOW_WINDOW);
    uint32_t  count = sb_inbox_record_count(bounds);
    uint32_t *records = tables + bounds->numbers + SB_LOW_WINDOW;
    init_records(&in->channels[SB_CHANNEL_DATA], records, (uint16_t *)(records + count), count);
    init_records(&in->channels[SB_CHANNEL_LOW], in->low_records, in->low_batches, SB_LOW_RECORDS);
}

static sb_cell_account *payer_of(sb_inbox *in, uint32_t entry)
{
    return sb_inbox_entry(in, entry)->from_grant ? &in->assembly : &in->account;
}

void sb_inbox_release(sb_inbox *in, uint32_t entry)
{
    in->stored--;
    in->stored_bytes -= sb_inbox_entry(in, entry)->size;
    sb_cells_release(in->cells, payer_of(in, entry), entry);
}

void sb_inbox_release_slot(sb_inbox *in, uint32_t *slot)
{
    uint32_t  head = *slot;
    sb_entry *e = sb_inbox_entry(in, head);
    *slot = SB_NO_CELL;
    if (!e->is_assembly) {
        sb_inbox_release(in, head);
        return;
    }
    for (uint32_t i = e->assembly.first; i != SB_NO_CELL;) {
        uint32_t other = sb_inbox_entry(in, i)->next_fragment;
        sb_inbox_release(in, i);
        i = other;
    }
    sb_cells_release(in->cells, payer_of(in, head), head);
}

void sb_inbox_clear(sb_inbox *in)
{
    sb_inbox_clear_candidates(in);
    for (size_t c = 0; c < SB_CHANNELS; c++)
        for (size_t i = 0; i <= in->channels[c].mask; i++)
            if (in->channels[c].slots[i] != SB_NO_CELL)
                sb_inbox_release_slot(in, &in->channels[c].slots[i]);
    SB_ASSERT(in->stored == 0);
    SB_ASSERT(in->account.used == 0);
    sb_cells_revoke(in->cells, &in->assembly, 0);
}

/* ---- memory ---- */

/* Payload bytes of a fragment as its sender cuts them: fragment 0 is a byte shorter than the next
 * ones, because it holds the total (spec 01 §7.1). */
static uint32_t cut_bytes(const sb_transport_message *m)
{
    return (uint32_t)m->payload.size + (m->frag_index == 0);
}

/* Bytes that a missing fragment probably has at most: those of a stock sender, or of the largest
 * one seen. */
static uint32_t fragment_bytes(uint32_t largest)
{
    return largest > STOCK_FRAGMENT_BYTES ? largest : (uint32_t)STOCK_FRAGMENT_BYTES;
}

/* Cells that `count` missing fragments of a message need, which has `bytes` already. */
static uint32_t cells_of_fragments(uint32_t count, uint32_t largest, uint32_t bytes)
{
    uint32_t by_size = count * sb_cells_needed(fragment_bytes(largest));
    uint32_t by_rest = 2 * count + (SB_PAYLOAD_MAX - bytes) / SB_TAIL_BYTES;
    return by_size < by_rest ? by_size : by_rest;
}

/* Entries and bytes that the expected message may still need. Early messages must leave them free:
 * otherwise everything could wait for a fragment that does not fit. */
static void reserve_for_expected(const sb_inbox *in, uint32_t *entries, uint32_t *bytes)
{
    const sb_in_channel *c = &in->channels[SB_CHANNEL_DATA];
    uint32_t             slot = *sb_inbox_slot(c, c->expected);
    *entries = in->fragments_max;
    *bytes = EXPECTED_RESERVE_BYTES;
    if (slot == SB_NO_CELL || !sb_inbox_entry(in, slot)->is_assembly) return;
    const sb_assembly *a = &sb_inbox_entry(in, slot)->assembly;
    *entries = (a->total ? a->total : in->fragments_max) - (uint32_t)a->count;
    *bytes = *entries * fragment_bytes(a->largest);
    if (*bytes > SB_PAYLOAD_MAX - a->bytes) *bytes = SB_PAYLOAD_MAX - a->bytes;
}

static bool is_within_bounds(const sb_inbox *in, const sb_transport_message *m, bool early)
{
    uint32_t entries = 0, bytes = 0;
    if (early) reserve_for_expected(in, &entries, &bytes);
    return in->stored + 1 + entries <= in->bounds.entries &&
           in->stored_bytes + m->payload.size + bytes <= in->bounds.bytes;
}

/* Cells that the rest of the expected message may need; `m` is one of its fragments. */
static uint32_t cells_for_rest(const sb_inbox *in, const sb_transport_message *m)
{
    static const sb_assembly none = { .count = 0 };
    const sb_in_channel     *c = &in->channels[SB_CHANNEL_DATA];
    uint32_t                 slot = *sb_inbox_slot(c, c->expected);
    const sb_assembly       *a = slot != SB_NO_CELL ? &sb_inbox_entry(in, slot)->assembly : &none;
    uint32_t                 total = m->frag_index == 0 ? m->frag_total
                                     : a->total != 0    ? a->total
                                                        : in->fragments_max;
    uint32_t                 largest = cut_bytes(m) > a->largest ? cut_bytes(m) : a->largest;
    return cells_of_fragments(total - a->count, largest, a->bytes) + (slot == SB_NO_CELL);
}

/* Grants the cells for the rest of the expected message, or more of them if its fragments turn out
 * to be larger than the first one that arrived. */
static void grant_rest(sb_inbox *in, const sb_transport_message *m)
{
    uint32_t left = in->assembly.guaranteed - in->assembly.used, need = cells_for_rest(in, m);
    if (need > left) (void)sb_cells_grant(in->cells, &in->assembly, need - left);
}

/* Chooses the account that pays for `m`, and for the head of an assembly if `m` starts one; NULL:
 * no memory. Early messages are acknowledged and must be kept, so they may not use the memory the
 * expected message needs. Fragments of the expected message get a grant for the whole message or
 * none; without a grant they use the cells that early messages leave free
 * (docs/decisions/transport-memory.md). */
static sb_cell_account *choose_payer(sb_inbox *in, const sb_transport_message *m, bool early,
                                     bool starts)
{
    uint32_t cells = sb_cells_needed(m->payload.size) + (starts ? 1 : 0);
    if (!is_within_bounds(in, m, early)) return NULL;
    if (!early && m->fragment) {
        grant_rest(in, m);
        if (in->assembly.guaranteed - in->assembly.used >= cells) return &in->assembly;
    }
    if (early) cells += EXPECTED_RESERVE_CELLS;
    return sb_cells_can_allocate(in->cells, &in->account, cells) ? &in->account : NULL;
}

static uint32_t allocate_entry(sb_inbox *in, sb_cell_account *payer, const sb_transport_message *m,
                               sb_span bytes)
{
    uint32_t  entry = sb_cells_allocate(in->cells, payer, bytes);
    sb_entry *e = sb_inbox_entry(in, entry);
    e->type = m->type;
    e->seq = m->seq;
    e->from_grant = payer == &in->assembly;
    return entry;
}

static uint32_t store_message(sb_inbox *in, sb_cell_account *payer, const sb_transport_message *m)
{
    uint32_t  entry = allocate_entry(in, payer, m, m->payload);
    sb_entry *e = sb_inbox_entry(in, entry);
    e->frag_index = m->frag_index;
    in->stored++;
    in->stored_bytes += e->size;
    return entry;
}

/* ---- fragments (spec 01 §7.2) ---- */

static uint32_t start_assembly(sb_inbox *in, sb_cell_account *payer, const sb_transport_message *m)
{
    uint32_t  head = allocate_entry(in, payer, m, (sb_span){ NULL, 0 });
    sb_entry *e = sb_inbox_entry(in, head);
    e->is_assembly = true;
    e->assembly = (sb_assembly){ .first = SB_NO_CELL };
    return head;
}

/* The total is known now: returns granted cells that the message does not need. */
static void trim_grant(sb_inbox *in, const sb_assembly *a)
{
    uint32_t missing = a->total - (uint32_t)a->count;
    uint32_t need = in->assembly.used + cells_of_fragments(missing, a->largest, a->bytes);
    if (need < in->assembly.guaranteed) sb_cells_revoke(in->cells, &in->assembly, need);
}

void sb_assembly_note(sb_assembly *a, uint8_t index, uint32_t size)
{
    uint32_t cut = size + (index == 0);
    a->count++;
    a->bytes += size;
    a->present[index / 8] |= (uint8_t)(1u << index % 8);
    if (index > a->highest) a->highest = index;
    if (cut > a->largest) a->largest = (uint16_t)cut;
}

static void add_fragment(sb_inbox *in, sb_cell_account *payer, sb_assembly *a,
                         const sb_transport_message *m)
{
    uint32_t entry = store_message(in, payer, m);
    sb_inbox_entry(in, entry)->next_fragment = a->first;
    a->first = entry;
    sb_assembly_note(a, m->frag_index, (uint32_t)m->payload.size);
    if (m->frag_index != 0) return;
    a->total = m->frag_total;
    if (payer == &in->assembly) trim_grant(in, a);
}

bool sb_assembly_contradicts(const sb_assembly *a, const sb_transport_message *m)
{
    if (!sb_assembly_has(a, m->frag_index) && a->bytes + m->payload.size > SB_PAYLOAD_MAX)
        return true;
    if (a->total != 0) return m->frag_index >= a->total;
    return m->frag_index == 0 && a->highest >= m->frag_total;
}

static sb_verdict store_first_fragment(sb_inbox *in, uint32_t *slot, const sb_transport_message *m,
                                       bool early)
{
    sb_cell_account *payer = choose_payer(in, m, early, true);
    if (!payer) return SB_VERDICT_NO_MEMORY;
    *slot = start_assembly(in, payer, m);
    sb_inbox_record_message(in, &in->channels[SB_CHANNEL_DATA], m);
    add_fragment(in, payer, &sb_inbox_entry(in, *slot)->assembly, m);
    return SB_VERDICT_STORED;
}

static sb_verdict store_further_fragment(sb_inbox *in, sb_assembly *a,
                                         const sb_transport_message *m, bool early)
{
    if (sb_assembly_contradicts(a, m)) return SB_VERDICT_BAD_FRAGMENT;
    if (sb_assembly_has(a, m->frag_index)) {
        bool other_total = m->frag_index == 0 && m->frag_total != a->total;
        return other_total ? SB_VERDICT_BAD_FRAGMENT : SB_VERDICT_DUPLICATE;
    }
    sb_cell_account *payer = choose_payer(in, m, early, false);
    if (!payer) return SB_VERDICT_NO_MEMORY;
    if (m->frag_index == 0) sb_inbox_record_message(in, &in->channels[SB_CHANNEL_DATA], m);
    add_fragment(in, payer, a, m);
    return SB_VERDICT_STORED;
}

static sb_verdict store_fragment(sb_inbox *in, uint32_t *slot, const sb_transport_message *m,
                                 bool early)
{
    if (m->frag_index >= in->fragments_max || m->frag_total > in->fragments_max)
        return SB_VERDICT_NO_MEMORY;
    if (*slot == SB_NO_CELL) return store_first_fragment(in, slot, m, early);
    if (!sb_inbox_entry(in, *slot)->is_assembly) return SB_VERDICT_BAD_FRAGMENT;
    return store_further_fragment(in, &sb_inbox_entry(in, *slot)->assembly, m, early);
}

static bool is_complete(const sb_assembly *a)
{
    return a->count == a->total; /* an assembly has a fragment; an unknown total is 0 */
}

/* ---- receiving (spec 01 §6.3) ---- */

static sb_verdict store_whole(sb_inbox *in, uint32_t *slot, const sb_transport_message *m,
                              bool early)
{
    if (*slot != SB_NO_CELL)
        return sb_inbox_entry(in, *slot)->is_assembly ? SB_VERDICT_BAD_FRAGMENT
                                                      : SB_VERDICT_DUPLICATE;
    sb_cell_account *payer = choose_payer(in, m, early, false);
    if (!payer) return SB_VERDICT_NO_MEMORY;
    *slot = store_message(in, payer, m);
    sb_inbox_record_message(in, &in->channels[sb_inbox_channel_name(m)], m);
    return SB_VERDICT_STORED;
}

sb_verdict sb_inbox_accept(sb_inbox *in, const sb_transport_message *m)
{
    sb_in_channel *c = &in->channels[sb_inbox_channel_name(m)];
    int            ahead = sb_inbox_ahead(in, m);
    if (ahead < DUPLICATE_MIN) return SB_VERDICT_OUT_OF_WINDOW;
    if (ahead < 0) return SB_VERDICT_DUPLICATE;
    if (ahead >= AHEAD_LIMIT) return SB_VERDICT_OUT_OF_WINDOW;
    if (ahead > (int)c->mask) return SB_VERDICT_BEYOND_BUFFER;
    if (c->rewind.on && (sb_inbox_is_done(c, m->seq) || sb_inbox_skip_delivered(in, c, m)))
        return SB_VERDICT_DUPLICATE;
    uint32_t *slot = sb_inbox_slot(c, (uint16_t)(c->expected + ahead));
    if (m->fragment) return store_fragment(in, slot, m, ahead > 0);
    if (ahead > 0 || *slot != SB_NO_CELL) return store_whole(in, slot, m, ahead > 0);
    sb_inbox_record_message(in, c, m);
    sb_inbox_advance(c);
    return SB_VERDICT_DELIVER;
}

bool sb_inbox_is_plausible(const sb_inbox *in, const sb_transport_message *m, int ahead)
{
    int d = sb_inbox_ahead(in, m);
    return d >= 0 && d <= ahead;
}

/* ---- delivery (spec 01 §6.4) ---- */

/* Copies a complete message to `buffer`; returns its size. */
static size_t join_fragments(const sb_inbox *in, const sb_assembly *a, uint8_t *buffer)
{
    uint32_t order[SB_FRAGMENTS_TRUSTED + 1];
    size_t   size = 0;
    for (unsigned k = 0; k < a->total; k++) order[k] = SB_NO_CELL;
    for (uint32_t i = a->first; i != SB_NO_CELL; i = sb_inbox_entry(in, i)->next_fragment)
        order[sb_inbox_entry(in, i)->frag_index] = i;
    for (unsigned k = 0; k < a->total; k++) {
        SB_ASSERT(order[k] != SB_NO_CELL); /* a complete assembly has each index once */
        sb_cells_copy(in->cells, order[k], buffer + size);
        size += sb_inbox_entry(in, order[k])->size;
    }
    return size;
}

bool sb_inbox_next(sb_inbox *in, sb_channel_name channel, uint8_t *type, sb_span *payload,
                   uint8_t *buffer)
{
    sb_in_channel *c = &in->channels[channel];
    uint32_t      *slot = sb_inbox_slot(c, c->expected);
    if (*slot == SB_NO_CELL) return false;
    const sb_entry *e = sb_inbox_entry(in, *slot);
    if (e->is_assembly && !is_complete(&e->assembly)) return false;
    *type = e->type;
    *payload = (sb_span){ buffer, e->size };
    if (e->is_assembly) payload->size = join_fragments(in, &e->assembly, buffer);
    else sb_cells_copy(in->cells, *slot, buffer);
    sb_inbox_release_slot(in, slot);
    /* After a rewind, fragments of a later message may hold a part of the grant. */
    if (channel == SB_CHANNEL_DATA) sb_cells_revoke(in->cells, &in->assembly, in->assembly.used);
    sb_inbox_advance(c);
    return true;
}

/* ---- invariants ---- */

bool sb_inbox_has(const sb_inbox *in, const sb_transport_message *ack)
{
    const sb_in_channel *c = &in->channels[SB_CHANNEL_DATA];
    int                  ahead = (int16_t)(uint16_t)(ack->seq - c->expected);
    if (ahead < 0 || sb_inbox_is_done(c, ack->seq)) return true;
    uint32_t slot = ahead <= (int)c->mask ? *sb_inbox_slot(c, ack->seq) : SB_NO_CELL;
    if (slot == SB_NO_CELL) return false;
    const sb_entry *e = sb_inbox_entry(in, slot);
    return !e->is_assembly || sb_assembly_has(&e->assembly, ack->frag_index);
}

static void check_slot(const sb_inbox *in, const sb_in_channel *c, uint32_t slot, uint32_t *entries,
                       uint32_t *bytes, uint32_t *cells)
{
    const sb_entry *e = sb_inbox_entry(in, slot);
    SB_ASSERT((uint16_t)(e->seq - c->expected) <= c->mask || in->eight_bit);
    *cells += sb_cells_needed(e->size);
    if (!e->is_assembly) {
        *entries += 1;
        *bytes += e->size;
        return;
    }
    uint32_t count = 0, size = 0;
    for (uint32_t i = e->assembly.first; i != SB_NO_CELL;
         i = sb_inbox_entry(in, i)->next_fragment, count++) {
        SB_ASSERT(sb_assembly_has(&e->assembly, sb_inbox_entry(in, i)->frag_index));
        size += sb_inbox_entry(in, i)->size;
        *cells += sb_cells_needed(sb_inbox_entry(in, i)->size);
    }
    SB_ASSERT(count == e->assembly.count && count > 0);
    SB_ASSERT(size == e->assembly.bytes && size <= SB_PAYLOAD_MAX);
    SB_ASSERT(e->assembly.total == 0 || e->assembly.highest < e->assembly.total);
    *entries += count;
    *bytes += size;
}

void sb_inbox_check(const sb_inbox *in)
{
    uint32_t entries = 0, bytes = 0, cells = 0;
    for (size_t c = 0; c < SB_CHANNELS; c++)
        for (size_t i = 0; i <= in->channels[c].mask; i++)
            if (in->channels[c].slots[i] != SB_NO_CELL)
                check_slot(in, &in->channels[c], in->channels[c].slots[i], &entries, &bytes,
                           &cells);
    SB_ASSERT(entries == in->stored && entries <= in->bounds.entries);
    SB_ASSERT(bytes == in->stored_bytes && bytes <= in->bounds.bytes);
    SB_ASSERT(cells + in->candidate_cells == in->account.used + in->assembly.used);
    SB_ASSERT(in->assembly.used <= in->assembly.guaranteed);
}
