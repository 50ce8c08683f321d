/* src/run/datagram_ring.c -- a ring of bytes with one writer and one reader, without locks.
 *
 * A datagram stands in one piece behind its header. If it does not fit before the end of the
 * buffer, a header without a datagram fills the rest, and it stands at the start.
 *
 * Tests:    tests/run/datagram_ring_test.c
 */
#include "run/datagram_ring.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

typedef struct header {
    uint32_t    size; /* of the datagram; SKIP: go on at the start of the buffer */
    sb_endpoint peer;
} header;

#define SKIP UINT32_MAX

enum { ALIGNMENT = 16 };
_Static_assert(sizeof(header) <= ALIGNMENT, "the rest of the buffer always has space for a header");
_Static_assert(SB_RING_BYTES % ALIGNMENT == 0, "records are aligned in every turn");

struct sb_datagram_ring {
    _Atomic uint64_t written, read; /* positions in bytes; each is stored by one side only */
    _Atomic uint64_t pushed, dropped;
    uint8_t          bytes[SB_RING_BYTES];
};

sb_datagram_ring *sb_datagram_ring_create(void)
{
    return calloc(1, sizeof(sb_datagram_ring));
}

void sb_datagram_ring_destroy(sb_datagram_ring *ring)
{
    free(ring);
}

static size_t record_size(size_t datagram)
{
    return (ALIGNMENT + datagram + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void count(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static void write_header(sb_datagram_ring *ring, uint64_t position, const header *h)
{
    memcpy(ring->bytes + position % SB_RING_BYTES, h, sizeof *h);
}

bool sb_datagram_ring_push(sb_datagram_ring *ring, sb_endpoint peer, sb_span datagram)
{
    uint64_t at = atomic_load_explicit(&ring->written, memory_order_relaxed);
    uint64_t read = atomic_load_explicit(&ring->read, memory_order_acquire);
    size_t   size = record_size(datagram.size), rest = SB_RING_BYTES - at % SB_RING_BYTES;
    size_t   skipped = size > rest ? rest : 0;
    if (datagram.size > SB_RING_DATAGRAM_MAX || at - read + skipped + size > SB_RING_BYTES) {
        count(&ring->dropped);
        return false;
    }
    if (skipped) write_header(ring, at, &(header){ .size = SKIP });
    at += skipped;
    write_header(ring, at, &(header){ (uint32_t)datagram.size, peer });
    if (datagram.size > 0)
        memcpy(ring->bytes + at % SB_RING_BYTES + ALIGNMENT, datagram.data, datagram.size);
    atomic_store_explicit(&ring->written, at + size, memory_order_release);
    count(&ring->pushed);
    return true;
}

/* The position of the oldest datagram and its header; false: the ring is empty. */
static bool find_oldest(const sb_datagram_ring *ring, uint64_t *at, header *out)
{
    *at = atomic_load_explicit(&ring->read, memory_order_relaxed);
    if (atomic_load_explicit(&ring->written, memory_order_acquire) == *at) return false;
    memcpy(out, ring->bytes + *at % SB_RING_BYTES, sizeof *out);
    if (out->size == SKIP) {
        *at += SB_RING_BYTES - *at % SB_RING_BYTES;
        memcpy(out, ring->bytes, sizeof *out);
    }
    SB_ASSERT(out->size <= SB_RING_DATAGRAM_MAX);
    return true;
}

bool sb_datagram_ring_next(sb_datagram_ring *ring, sb_endpoint *peer, sb_span *datagram)
{
    uint64_t at;
    header   h;
    if (!find_oldest(ring, &at, &h)) return false;
    *peer = h.peer;
    *datagram = (sb_span){ ring->bytes + at % SB_RING_BYTES + ALIGNMENT, h.size };
    return true;
}

void sb_datagram_ring_pop(sb_datagram_ring *ring)
{
    uint64_t at;
    header   h;
    bool     found = find_oldest(ring, &at, &h);
    SB_ASSERT(found);
    atomic_store_explicit(&ring->read, at + record_size(h.size), memory_order_release);
}

uint64_t sb_datagram_ring_pushed(const sb_datagram_ring *ring)
{
    return atomic_load_explicit(&ring->pushed, memory_order_relaxed);
}

uint64_t sb_datagram_ring_dropped(const sb_datagram_ring *ring)
{
    return atomic_load_explicit(&ring->dropped, memory_order_relaxed);
}
