/* src/inspect/reassembly.c -- joins fragments to whole messages.
 *
 * Tests:    tests/inspect/dissector_test.c
 */
#include "inspect/reassembly.h"

#include <string.h>

#include "base/assert.h"

static size_t rounded(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

size_t sb_reassembly_bytes(size_t capacity)
{
    return rounded(sb_lru_bytes(capacity)) + rounded(capacity * sizeof(sb_partial)) +
           SB_REASSEMBLED_MAX;
}

void sb_reassembly_init(sb_reassembly *r, void *memory, size_t capacity)
{
    uint8_t *at = memory;
    *r = (sb_reassembly){ 0 };
    sb_lru_init(&r->index, at, capacity);
    at += rounded(sb_lru_bytes(capacity));
    r->partials = (sb_partial *)(void *)at;
    r->whole = at + rounded(capacity * sizeof(sb_partial));
}

static sb_lru_key key_of(uint64_t stream, uint16_t seq)
{
    return (sb_lru_key){ stream, seq };
}

bool sb_reassembly_find(sb_reassembly *r, uint64_t stream, uint16_t seq)
{
    return sb_lru_find(&r->index, key_of(stream, seq)) != SB_LRU_NONE;
}

/* Does not clear `bytes`: `store` writes them before `join` reads them. */
static void clear_partial(sb_partial *p)
{
    memset(p, 0, offsetof(sb_partial, bytes));
}

static uint32_t place_of(sb_reassembly *r, uint64_t stream, uint16_t seq)
{
    uint32_t place = sb_lru_find(&r->index, key_of(stream, seq));
    if (place != SB_LRU_NONE) return place;
    bool evicted;
    place = sb_lru_add(&r->index, key_of(stream, seq), &evicted);
    if (evicted) r->evicted++;
    clear_partial(&r->partials[place]);
    return place;
}

/* True if the index of this fragment, or of a fragment stored earlier, is not below the total. */
static bool contradicts(const sb_partial *p, const sb_transport_message *m)
{
    unsigned total = m->frag_index == 0 ? m->frag_total : p->total;
    if (total == 0) return m->frag_index >= SB_FRAGMENTS_MAX;
    if (m->frag_index >= total) return true;
    for (unsigned i = total; m->frag_index == 0 && i <= SB_FRAGMENTS_MAX; i++)
        if (p->fragments[i].there) return true;
    return false;
}

static void store(sb_partial *p, const sb_transport_message *m)
{
    if (m->frag_index == 0) p->total = m->frag_total;
    p->fragments[m->frag_index].at = (uint32_t)p->size;
    p->fragments[m->frag_index].size = (uint16_t)m->payload.size;
    p->fragments[m->frag_index].there = true;
    if (m->payload.size > 0) memcpy(p->bytes + p->size, m->payload.data, m->payload.size);
    p->size += m->payload.size;
    p->count++;
}

static sb_span join(const sb_partial *p, uint8_t *out)
{
    size_t at = 0;
    for (unsigned i = 0; i < p->total; i++) {
        memcpy(out + at, p->bytes + p->fragments[i].at, p->fragments[i].size);
        at += p->fragments[i].size;
    }
    SB_ASSERT(at == p->size);
    return (sb_span){ out, at };
}

sb_fragment_fate sb_reassembly_add(sb_reassembly *r, uint64_t stream,
                                   const sb_transport_message *fragment, sb_span *whole,
                                   unsigned *count)
{
    uint32_t    place = place_of(r, stream, fragment->seq);
    sb_partial *p = &r->partials[place];
    if (p->fragments[fragment->frag_index].there) return SB_FRAGMENT_COPY;
    if (contradicts(p, fragment) || fragment->payload.size > SB_REASSEMBLED_MAX - p->size) {
        r->refused++;
        return SB_FRAGMENT_REFUSED;
    }
    store(p, fragment);
    if (p->total == 0 || p->count < p->total) return SB_FRAGMENT_STORED;
    SB_ASSERT(p->count == p->total);
    *whole = join(p, r->whole);
    *count = p->total;
    sb_lru_remove(&r->index, place);
    return SB_FRAGMENT_COMPLETE;
}

void sb_reassembly_check(const sb_reassembly *r)
{
    sb_lru_check(&r->index);
    for (uint32_t i = r->index.newest; i != SB_LRU_NONE; i = r->index.entries[i].older) {
        const sb_partial *p = &r->partials[i];
        SB_ASSERT(p->size <= SB_REASSEMBLED_MAX);
        SB_ASSERT(p->total == 0 || p->count < p->total);
    }
}
