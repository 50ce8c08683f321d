/* src/run/notices.c -- a ring of notices with one writer and one reader, without locks.
 *
 * Tests:    tests/run/notices_test.c
 */
#include "run/notices.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"

struct sb_notices {
    int              wake;
    _Atomic uint64_t written, read; /* positions; each is stored by one side only */
    _Atomic uint64_t dropped;
    sb_notice        ring[SB_NOTICES_MAX];
};

sb_notices *sb_notices_create(int wake)
{
    sb_notices *n = calloc(1, sizeof *n);
    if (n) n->wake = wake;
    return n;
}

void sb_notices_destroy(sb_notices *notices)
{
    free(notices);
}

sb_notice *sb_notices_begin(sb_notices *n)
{
    uint64_t written = atomic_load_explicit(&n->written, memory_order_relaxed);
    uint64_t read = atomic_load_explicit(&n->read, memory_order_acquire);
    SB_ASSERT(written - read <= SB_NOTICES_MAX);
    if (written - read == SB_NOTICES_MAX) {
        atomic_fetch_add_explicit(&n->dropped, 1, memory_order_relaxed);
        return NULL;
    }
    sb_notice *next = &n->ring[written % SB_NOTICES_MAX];
    memset(next, 0, sizeof *next);
    return next;
}

/* The reader clears its eventfd before it reads the rings, so a wake-up is never missed: a notice
 * that it does not see yet finds the ring empty here. Both sides need a total order for that. */
void sb_notices_publish(sb_notices *n)
{
    const uint64_t one = 1;
    uint64_t       written = atomic_load_explicit(&n->written, memory_order_relaxed);
    atomic_store(&n->written, written + 1);
    if (atomic_load(&n->read) == written) (void)!write(n->wake, &one, sizeof one);
}

const sb_notice *sb_notices_next(sb_notices *n)
{
    uint64_t read = atomic_load_explicit(&n->read, memory_order_relaxed);
    if (atomic_load(&n->written) == read) return NULL;
    return &n->ring[read % SB_NOTICES_MAX];
}

void sb_notices_release(sb_notices *n)
{
    uint64_t read = atomic_load_explicit(&n->read, memory_order_relaxed);
    SB_ASSERT(atomic_load_explicit(&n->written, memory_order_relaxed) != read);
    atomic_store(&n->read, read + 1);
}

size_t sb_notices_waiting(const sb_notices *n)
{
    uint64_t read = atomic_load_explicit(&n->read, memory_order_relaxed);
    uint64_t written = atomic_load_explicit(&n->written, memory_order_relaxed);
    return written > read ? (size_t)(written - read) : 0;
}

uint64_t sb_notices_dropped(const sb_notices *n)
{
    return atomic_load_explicit(&n->dropped, memory_order_relaxed);
}
