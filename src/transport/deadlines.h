/* src/transport/deadlines.h -- a binary heap of deadlines, one per key.
 *
 * For:      host and player loop. A caller whose deadline becomes later may leave the earlier time
 *           in the heap, and set the new one when that time comes: cheaper than a change per
 *           datagram.
 */
#ifndef SB_TRANSPORT_DEADLINES_H
#define SB_TRANSPORT_DEADLINES_H

#include <starbase/transport.h>

/* Element i of the array describes key i (`at`, `place`) and position i of the heap (`heap`). */
typedef struct sb_deadline {
    sb_time  at;    /* deadline of key i */
    uint16_t heap;  /* the key at position i of the heap */
    uint16_t place; /* position of key i in the heap; SB_NOT_IN_HEAP */
} sb_deadline;

#define SB_NOT_IN_HEAP UINT16_MAX

typedef struct sb_deadlines {
    sb_deadline *items;
    uint16_t     count; /* keys in the heap */
} sb_deadlines;

void sb_deadlines_init(sb_deadlines *deadlines, sb_deadline *items, uint32_t capacity);
/* Lowers the deadline of `key` to `at` unless it is earlier already. */
void sb_deadlines_lower(sb_deadlines *deadlines, uint16_t key, sb_time at);
/* Sets the deadline of `key`; SB_TIME_NEVER removes it. */
void sb_deadlines_set(sb_deadlines *deadlines, uint16_t key, sb_time at);
/* The earliest deadline; SB_TIME_NEVER: there is none. */
sb_time sb_deadlines_next(const sb_deadlines *deadlines);
/* The key with the earliest deadline; there must be one. */
uint16_t sb_deadlines_first(const sb_deadlines *deadlines);

#endif
