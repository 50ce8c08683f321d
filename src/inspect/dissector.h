/* src/inspect/dissector.h -- a stream of datagrams in, records of everything in them out.
 *
 * For:      `starbase decode` on captures, and whoever watches live traffic.
 * May use:  the memory it was given at the start. Every table has a bound; when one is full the
 *           oldest entry goes and is counted, so that no input makes it grow.
 * Never:    does I/O, reads a clock, or decides what is a fault: it tells what is there.
 * Spec:     01 §3-§7 (datagrams, numbers, fragments), 03 §4, 07 §2 (what a 0x1C needs).
 *
 * Which layout of the shield generator a sender uses is learned from its blocks, too
 * (starbase/layout.h). Input may be live, so there is no way back: until that is settled, and that
 * takes about a second, blocks are read as stock.
 *
 * What comes out for one datagram, in this order:
 *   byte 0 is 0x5C            one GAMESPY record;
 *   more than 1500 bytes      one DATAGRAM record, refused with SB_FULL (spec 01 §3);
 *   structurally wrong        one PLAIN record with the refusal;
 *   else, per message of it   Data: a MESSAGE record, decoded or refused; when it is a fragment, a
 *                             TRANSPORT record until the last one came, which becomes a MESSAGE
 *                             record with `fragment_count`; empty Data and all others: TRANSPORT;
 *   and at the end            a PLAIN record if there was no message at all (SB_OK), bytes behind
 *                             the last one (SB_TRAILING) or a type nobody knows
 *                             (SB_UNKNOWN_OPCODE); the refusal's offset says where.
 *
 * `plain` of every record but GAMESPY and DATAGRAM is the whole decrypted datagram.
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

/* All zero is a fine start: 0 takes the default above. */
typedef struct sb_dissector_options {
    uint16_t           port;     /* of the host, as with --port: tells the sides of a query apart */
    const sb_ship_set *ships;    /* NULL: the stock set; borrowed for the dissector's life */
    sb_message_context fallback; /* ship and own of objects whose species was not learned */
    bool               fixed_layout; /* fallback.layout is that of all senders; false: learn it */
    const char        *file;         /* for the records; borrowed, or NULL */
    uint64_t           first_record, first_datagram; /* numbers go on from these */
    size_t             conversations;                /* (host, client) pairs remembered at a time */
    size_t             objects;                      /* objects whose species is remembered */
    size_t             reassemblies; /* fragmented messages in the making, about 100 KB each */
} sb_dissector_options;

/* Receives records. A record and all it lends is valid until the function returns. */
typedef struct sb_record_sink {
    void *self;
    void (*record)(void *self, const sb_record *record);
} sb_record_sink;

/* What the bounds have cost, and what was learned. */
typedef struct sb_dissector_counts {
    uint64_t datagrams, records;
    uint64_t sessions;              /* conversations begun */
    uint64_t conversations_evicted; /* forgotten because the table was full */
    uint64_t objects_evicted;
    uint64_t reassemblies_evicted;
    uint64_t fragments_refused; /* spec 01 §7.2: index or total contradicts what is known */
} sb_dissector_counts;

typedef struct sb_dissector sb_dissector;

size_t sb_dissector_bytes(const sb_dissector_options *options);
/* Builds one in `memory`: sb_dissector_bytes() bytes, aligned as malloc does. */
sb_dissector *sb_dissector_init(void *memory, const sb_dissector_options *options);

void sb_dissector_feed(sb_dissector *d, const sb_packet *packet, const sb_record_sink *sink);
/* The same records as one call each, faster: decrypts up to SB_DISSECTOR_BATCH_MAX together. */
void sb_dissector_feed_batch(sb_dissector *d, const sb_packet *packets, size_t count,
                             const sb_record_sink *sink);

sb_dissector_counts sb_dissector_counted(const sb_dissector *d);
/* Stops if the bookkeeping contradicts itself; for tests and fuzzing. */
void sb_dissector_check(const sb_dissector *d);

#endif
