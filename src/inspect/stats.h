/* src/inspect/stats.h -- counts records by opcode, sender, size and refusal.
 *
 * For:      `starbase decode --stats`, an overview of a whole capture.
 * Never:    allocates. The struct has a fixed size (about 75 KB) and its lists are bounded; the
 *           totals also count the entries that a full list leaves out.
 */
#ifndef SB_INSPECT_STATS_H
#define SB_INSPECT_STATS_H

#include <starbase/definition.h>

#include "inspect/output.h"
#include "inspect/record.h"

enum {
    SB_STATS_PEERS_MAX = 64,       /* listed senders; later ones are counted together */
    SB_STATS_UNDECODED_MAX = 64,   /* listed places of undecoded bytes */
    SB_STATS_UNDECODED_BYTES = 16, /* bytes kept of each place */
    SB_STATS_SIZES = 16,           /* buckets of a histogram of sizes: powers of two */
    SB_STATS_SIDES = 3,            /* values of sb_side */
    SB_STATS_SKIPS_MAX = 8,        /* reasons why packets of a capture were skipped */
};

typedef struct sb_stats_count {
    uint64_t count, bytes;
    uint64_t copies, refused;           /* both included in `count` */
    uint64_t first_number, last_number; /* numbers of records; 0: none */
    int64_t  first_us, last_us;
    size_t   smallest, largest;
    uint64_t by_side[SB_STATS_SIDES];
} sb_stats_count;

typedef struct sb_stats_peer {
    sb_endpoint endpoint;
    sb_side     side;
    uint8_t     peer_id; /* the newest one; SB_PEER_NONE before */
    uint64_t    datagrams, datagram_bytes;
    uint64_t    messages, message_bytes; /* game messages */
    uint64_t    acks, repeated_acks;
    uint64_t    retransmissions, missing, late, refused;
    int64_t     first_us, last_us;

    uint64_t          shield_fits[SB_LAYOUT_FITS]; /* SUBSYS blocks by the layouts they fit */
    uint64_t          shields_documented;          /* blocks read in the documented layout */
    sb_layout_verdict shield_verdict;              /* the newest verdict */
} sb_stats_peer;

typedef enum sb_undecoded_kind {
    SB_UNDECODED_REFUSED,  /* bytes of a refused unit, from the offset of the refusal on */
    SB_UNDECODED_OPAQUE,   /* bytes without a known meaning, such as SUBSYS of an unknown ship */
    SB_UNDECODED_TRAILING, /* bytes after the last field of a message */
    SB_UNDECODED_KINDS
} sb_undecoded_kind;

/* One place of undecoded bytes. */
typedef struct sb_stats_undecoded {
    uint64_t          number, datagram; /* numbers of the record and its datagram */
    sb_layer          layer;
    sb_undecoded_kind kind;
    sb_result         result;
    const char       *field;      /* the refused field, or NULL */
    uint8_t           first_byte; /* first byte of the unit: opcode or type */
    size_t            offset, size;
    uint8_t           bytes[SB_STATS_UNDECODED_BYTES];
} sb_stats_undecoded;

typedef struct sb_stats {
    size_t                width; /* columns of the terminal; wider tables are cut. 0: never cut */
    const sb_definitions *definitions; /* names of mods' messages, or NULL */
    uint64_t              records;
    uint64_t              messages, message_bytes; /* game messages */
    bool                  has_time;
    int64_t               first_us, last_us;

    sb_stats_count opcodes[256];
    sb_stats_count transport[256]; /* by type; Data counts here only if fragmented or empty */
    sb_stats_count gamespy;

    sb_stats_peer peers[SB_STATS_PEERS_MAX + 1]; /* the last entry counts all further senders */
    size_t        peer_count;
    size_t        peer_index; /* sender of the datagram being counted */

    uint64_t datagrams, datagram_bytes, largest_datagram;
    uint64_t game_datagrams;             /* datagrams that are no queries */
    uint64_t messages_per_datagram[256]; /* datagrams by number of transport messages */
    uint64_t datagram_sizes[SB_STATS_SIZES], payload_sizes[SB_STATS_SIZES];
    uint64_t current_datagram; /* number of the datagram being counted; 0 before the first */
    uint32_t current_messages;

    uint64_t packets; /* packets of captures, including skipped ones; 0: no capture */
    struct {
        const char *reason;
        uint64_t    count;
    } skipped[SB_STATS_SKIPS_MAX];
    size_t skip_count;

    uint64_t state_flags[SB_STATS_SIDES][256]; /* StateUpdates by side and flags (spec 03 §7) */
    uint64_t reassembled, fragments;
    uint64_t retransmissions, missing, late, acks, repeated_acks;

    uint64_t           refused[SB_RESULT_COUNT];
    uint64_t           undecoded_records[SB_UNDECODED_KINDS], undecoded_bytes[SB_UNDECODED_KINDS];
    sb_stats_undecoded undecoded[SB_STATS_UNDECODED_MAX];
    size_t             undecoded_count;
} sb_stats;

void sb_stats_init(sb_stats *stats);
void sb_stats_add(sb_stats *stats, const sb_record *record);
/* Counts packets of a capture that gave no records. Borrows `reason` for the life of `stats`. */
void sb_stats_add_skipped(sb_stats *stats, const char *reason, uint64_t count);

/* Prints aligned tables for people. */
void sb_stats_print(const sb_stats *stats, sb_output *out);
/* Prints one JSON object and a newline. */
void sb_stats_print_json(const sb_stats *stats, sb_output *out);

/* True if no record was refused and none had opaque or trailing bytes. */
bool sb_stats_all_decoded(const sb_stats *stats);

/* The sender's SUBSYS blocks of known ships, which are evidence of its shield layout. */
uint64_t sb_stats_blocks(const sb_stats_peer *peer);

/* ---- shared by sb_stats_print and sb_stats_print_json ---- */

typedef struct sb_stats_bucket {
    uint32_t from, to; /* sizes in bytes, both included */
} sb_stats_bucket;
sb_stats_bucket sb_stats_size_bucket(size_t index);
const char     *sb_undecoded_kind_text(sb_undecoded_kind kind);
const char     *sb_side_text(sb_side side); /* "client", "host", "unknown" */
/* Seconds between the two times; at least one microsecond. */
double sb_stats_seconds(int64_t first_us, int64_t last_us);

#endif
