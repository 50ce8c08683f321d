/* src/inspect/dissector.h -- turns a stream of datagrams into records of everything in them.
 *
 * For:      `starbase decode` on captures, and tools that watch live traffic.
 * May use:  the memory it was given at the start. Every table has a bound: a full table evicts its
 *           least recently used entry and counts the eviction, so no input makes it grow.
 * Never:    does I/O, reads a clock, or leaves out a datagram: everything gives a record.
 * Spec:     01 §3-§7 (datagrams, sequence numbers, fragments), 03 §4 and 07 §2 (the context that
 *           a StateUpdate needs).
 *
 * The dissector also learns from a sender's SUBSYS blocks which layout of the shield generator the
 * sender uses (starbase/layout.h). That takes about a second. Blocks before then are read as stock
 * and are not read again, because the input may be live.
 *
 * One datagram gives these records, in this order:
 *   byte 0 is 0x5C          one GAMESPY record;
 *   more than 1500 bytes    one DATAGRAM record, refused with SB_FULL (spec 01 §3);
 *   malformed               one PLAIN record with the refusal;
 *   otherwise, per message  Data: a MESSAGE record, decoded or refused;
 *                           fragment of Data: a TRANSPORT record, but the fragment that completes
 *                           the message gives a MESSAGE record with `fragment_count`;
 *                           empty Data and all other types: a TRANSPORT record;
 *   and at the end          a PLAIN record if the datagram had no message (SB_OK), bytes after its
 *                           last message (SB_TRAILING) or an unknown type (SB_UNKNOWN_OPCODE); the
 *                           refusal's offset says where.
 *
 * In all records but GAMESPY and DATAGRAM, `plain` is the whole decrypted datagram.
 */
#ifndef SB_INSPECT_DISSECTOR_H
#define SB_INSPECT_DISSECTOR_H

#include "base/packet.h"
#include "inspect/record.h"

enum {
    SB_DISSECTOR_BATCH_MAX = 16,
    /* Defaults of sb_dissector_options. */
    SB_DISSECTOR_CONVERSATIONS = 256,
    SB_DISSECTOR_OBJECTS = 8192,
    SB_DISSECTOR_REASSEMBLIES = 32,
};

/* All zeros are valid: a count of 0 means the default above. */
typedef struct sb_dissector_options {
    uint16_t           port;         /* the host's port: decides the side if byte 0 is no peer id */
    const sb_ship_set *ships;        /* NULL: the stock set; borrowed for the dissector's life */
    sb_message_context fallback;     /* ship and own of objects whose creation was not seen */
    bool               fixed_layout; /* all senders use fallback.layout; false: learn it */
    const char        *file;         /* copied to the records' `file`; borrowed, or NULL */
    uint64_t           first_record, first_datagram; /* numbers continue after these */
    size_t             conversations;                /* capacity: (host, client) pairs */
    size_t             objects;                      /* capacity: objects of known species */
    size_t             reassemblies; /* capacity: incomplete messages, about 100 KB each */
} sb_dissector_options;

/* Receives records. A record and all it lends is valid until the function returns. */
typedef struct sb_record_sink {
    void *self;
    void (*record)(void *self, const sb_record *record);
} sb_record_sink;

typedef struct sb_dissector_counts {
    uint64_t datagrams, records;
    uint64_t sessions;              /* sessions started */
    uint64_t conversations_evicted; /* dropped because the table was full */
    uint64_t objects_evicted;
    uint64_t reassemblies_evicted;
    uint64_t fragments_refused; /* index or total contradicts earlier fragments (spec 01 §7.2) */
} sb_dissector_counts;

typedef struct sb_dissector sb_dissector;

size_t sb_dissector_bytes(const sb_dissector_options *options);
/* Builds a dissector in `memory`: sb_dissector_bytes() bytes, aligned as malloc does. */
sb_dissector *sb_dissector_init(void *memory, const sb_dissector_options *options);

void sb_dissector_feed(sb_dissector *d, const sb_packet *packet, const sb_record_sink *sink);
/* Gives the same records as one call per packet, but faster: up to SB_DISSECTOR_BATCH_MAX
 * datagrams are decrypted together. */
void sb_dissector_feed_batch(sb_dissector *d, const sb_packet *packets, size_t count,
                             const sb_record_sink *sink);

sb_dissector_counts sb_dissector_counted(const sb_dissector *d);
/* Asserts that the tables are consistent; for tests and fuzzing. */
void sb_dissector_check(const sb_dissector *d);

#endif
