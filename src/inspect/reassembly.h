/* src/inspect/reassembly.h -- fragments in, whole messages out.
 *
 * For:      the dissector. Spec 01 §7.2: any order, complete when 0 .. total-1 are there.
 * May use:  the memory it was given: `capacity` messages in the making, the oldest goes first.
 */
#ifndef SB_INSPECT_REASSEMBLY_H
#define SB_INSPECT_REASSEMBLY_H

#include <starbase/datagram.h>

#include "inspect/lru.h"

enum {
    SB_FRAGMENTS_MAX = 255,
    SB_REASSEMBLED_MAX = 103529, /* spec 01 §7.1 */
};

/* A message in the making. Payloads stand in `bytes` in the order they came. */
typedef struct sb_partial {
    unsigned total, count; /* total 0: fragment 0 is still missing */
    size_t   size;
    struct {
        uint32_t at;
        uint16_t size;
        bool     there;
    } fragments[SB_FRAGMENTS_MAX + 1];
    uint8_t bytes[SB_REASSEMBLED_MAX];
} sb_partial;

typedef struct sb_reassembly {
    sb_lru      index;
    sb_partial *partials;
    uint8_t    *whole; /* SB_REASSEMBLED_MAX bytes: the message completed last */
    uint64_t    evicted, refused;
} sb_reassembly;

size_t sb_reassembly_bytes(size_t capacity);
/* `memory`: sb_reassembly_bytes() bytes, aligned as malloc does. */
void sb_reassembly_init(sb_reassembly *r, void *memory, size_t capacity);

/* True if a message of this number is in the making. */
bool sb_reassembly_find(sb_reassembly *r, uint64_t stream, uint16_t seq);

typedef enum sb_fragment_fate {
    SB_FRAGMENT_STORED,
    SB_FRAGMENT_COPY,     /* it is there already */
    SB_FRAGMENT_REFUSED,  /* contradicts what is known, or makes the message too long */
    SB_FRAGMENT_COMPLETE, /* it was the last one */
} sb_fragment_fate;

/* Adds one fragment of `stream` (any number that tells senders apart). On COMPLETE `*whole` is the
 * message, lent until the next call, and `*count` how many fragments it had. */
sb_fragment_fate sb_reassembly_add(sb_reassembly *r, uint64_t stream,
                                   const sb_transport_message *fragment, sb_span *whole,
                                   unsigned *count);
void             sb_reassembly_check(const sb_reassembly *r);

#endif
