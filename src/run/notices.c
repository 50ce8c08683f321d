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
    size_t           capacity, shared; /* notices; how many of them any type may take */
    _Atomic uint64_t written, read;    /* positions; each is stored by one side only */
    uint64_t front; /* the position at ring[0]; the writer moves it while the ring is empty */
    _Atomic uint64_t dropped;
    sb_notice        ring[];
};

sb_notices *sb_notices_create(int wake, size_t rooms)
{
    size_t      shared = SB_NOTICES_OF_LOOP + rooms * SB_NOTICES_OF_ROOM;
    size_t      capacity = shared + rooms * SB_NOTICES_OF_RESULT;
    sb_notices *n = calloc(1, sizeof *n + capacity * sizeof n->ring[0]);
    if (!n) return NULL;
    n->wake = wake;
    n->capacity = capacity;
    n->shared = shared;
    return n;
}

void sb_notices_destroy(sb_notices *notices)
{
    free(notices);
}

/* Without these notices a result would be wrong or missing: who was in the match, as whom, and how
 * it ended. Players cause only a few of them; the others they can cause at will. */
static bool belongs_to_result(sb_notice_type type)
{
    switch (type) {
    case SB_NOTICE_CONNECTED:
    case SB_NOTICE_JOINED:
    case SB_NOTICE_LEFT:
    case SB_NOTICE_MATCH_STARTED:
    case SB_NOTICE_STANDING:
    case SB_NOTICE_MATCH_OVER: return true;
    default: return false;
    }
}

static sb_notice *place_of(sb_notices *n, uint64_t position)
{
    return &n->ring[(position - n->front) % n->capacity];
}

/* The reader looks at `front` only while the ring has a notice for it, so an empty ring may start
 * again at its front: the places at its end are used only when the reader is late. */
sb_notice *sb_notices_begin(sb_notices *n, sb_notice_type type)
{
    uint64_t written = atomic_load_explicit(&n->written, memory_order_relaxed);
    uint64_t read = atomic_load_explicit(&n->read, memory_order_acquire);
    SB_ASSERT(written - read <= n->capacity);
    if (written - read >= (belongs_to_result(type) ? n->capacity : n->shared)) {
        atomic_fetch_add_explicit(&n->dropped, 1, memory_order_relaxed);
        return NULL;
    }
    if (written == read) n->front = written;
    sb_notice *next = place_of(n, written);
    memset(next, 0, sizeof *next);
    next->type = (uint8_t)type;
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
    return place_of(n, read);
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
