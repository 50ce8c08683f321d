/* src/inspect/reassembly.h -- joins fragments to whole messages.
 *
 * For:      the dissector.
 * May use:  the memory it was given: `capacity` incomplete messages, of which the least recently
 *           used is evicted when all are in use.
 * Spec:     01 §7.2: fragments come in any order; a message is complete with 0 to total - 1.
 */
#ifndef SB_INSPECT_REASSEMBLY_H
#define SB_INSPECT_REASSEMBLY_H

#include <starbase/datagram.h>

#include "inspect/lru.h"

enum {
    SB_FRAGMENTS_MAX = 255,
    SB_REASSEMBLED_MAX = 103529, /* spec 01 §7.1 */
};

/* An incomplete message. `bytes` has the payloads in the order they arrived. */
typedef struct sb_partial {
    unsigned total, count; /* total 0: fragment 0, which has the total, is still missing */
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
    uint8_t    *whole; /* SB_REASSEMBLED_MAX bytes: the newest complete message */
    uint64_t    evicted, refused;
} sb_reassembly;

size_t sb_reassembly_bytes(size_t capacity);
/* `memory`: sb_reassembly_bytes() bytes, aligned as malloc does. */
void sb_reassembly_init(sb_reassembly *r, void *memory, size_t capacity);

/* True if an incomplete message has this number; makes it the most recently used. */
bool sb_reassembly_find(sb_reassembly *r, uint64_t stream, uint16_t seq);

typedef enum sb_fragment_fate {
    SB_FRAGMENT_STORED,
    SB_FRAGMENT_COPY,     /* the same fragment arrived before */
    SB_FRAGMENT_REFUSED,  /* contradicts earlier fragments, or makes the message too long */
    SB_FRAGMENT_COMPLETE, /* the message is complete */
} sb_fragment_fate;

/* Adds one fragment of `stream`, a number that is unique per sender and session. On COMPLETE,
 * `*whole` is the message, lent until the next call, and `*count` is its number of fragments. */
sb_fragment_fate sb_reassembly_add(sb_reassembly *r, uint64_t stream,
                                   const sb_transport_message *fragment, sb_span *whole,
                                   unsigned *count);
void             sb_reassembly_check(const sb_reassembly *r);

#endif
