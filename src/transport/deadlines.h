/* src/transport/deadlines.h -- who must be looked at next: a heap of times.
 *
 * For:      host. A deadline that moves back is left where it is and looked at once too early,
 * which is cheaper than moving it with every datagram.
 */
#ifndef SB_TRANSPORT_DEADLINES_H
#define SB_TRANSPORT_DEADLINES_H

#include <starbase/transport.h>

typedef struct sb_deadline {
    sb_time  at;
    uint16_t heap;  /* which of the keys stands at this place of the heap */
    uint16_t place; /* where the key of this index stands; SB_NOT_IN_HEAP */
} sb_deadline;

#define SB_NOT_IN_HEAP UINT16_MAX

typedef struct sb_deadlines {
    sb_deadline *items; /* by key */
    uint16_t     count; /* keys in the heap */
} sb_deadlines;

void sb_deadlines_init(sb_deadlines *deadlines, sb_deadline *items, uint32_t capacity);
/* Makes sure that `key` comes up at `at` or before. */
void sb_deadlines_lower(sb_deadlines *deadlines, uint16_t key, sb_time at);
/* Sets the time of `key`; SB_TIME_NEVER takes it out. */
void sb_deadlines_set(sb_deadlines *deadlines, uint16_t key, sb_time at);
/* The earliest time; SB_TIME_NEVER. */
sb_time sb_deadlines_next(const sb_deadlines *deadlines);
/* Whose it is; only if there is one. */
uint16_t sb_deadlines_first(const sb_deadlines *deadlines);

#endif
