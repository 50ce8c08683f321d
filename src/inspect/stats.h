/* src/inspect/stats.h -- counts over records: `starbase decode --stats`.
 *
 * For:      one look at a whole capture: what was said, by whom, how often, and what was not
 *           understood.
 * Never:    allocates. The struct is fixed in size (some 75 KB) and caps what it lists; what is
 *           beyond a cap is still counted in the totals.
 */
#ifndef SB_INSPECT_STATS_H
#define SB_INSPECT_STATS_H

#include "inspect/output.h"
#include "inspect/record.h"

enum {
    SB_STATS_PEERS_MAX = 64,       /* listed senders; later ones are counted together */
    SB_STATS_UNDECODED_MAX = 64,   /* listed places of bytes that were not understood */
    SB_STATS_UNDECODED_BYTES = 16, /* bytes shown of each */
    SB_STATS_SIZES = 16,           /* buckets of a histogram of sizes: powers of two */
    SB_STATS_SIDES = 3,            /* by sb_side */
    SB_STATS_SKIPS_MAX = 8,        /* reasons why packets of a capture were passed over */
};

typedef struct sb_stats_count {
    uint64_t count, bytes;
    uint64_t copies, refused;           /* of them */
    uint64_t first_number, last_number; /* of records; 0: none */
    int64_t  first_us, last_us;
    size_t   smallest, largest;
    uint64_t by_side[SB_STATS_SIDES];
} sb_stats_count;

typedef struct sb_stats_peer {
    sb_endpoint endpoint;
    sb_side     side;
    uint8_t     peer_id; /* the last one seen, SB_PEER_NONE at first */
    uint64_t    datagrams, datagram_bytes;
    uint64_t    messages, message_bytes; /* game messages */
    uint64_t    acks, repeated_acks;
    uint64_t    retransmissions, missing, late, refused;
    int64_t     first_us, last_us;

    uint64_t          shield_fits[SB_LAYOUT_FITS]; /* SUBSYS blocks by what they fit */
    uint64_t          shields_documented;          /* blocks read in that layout */
    sb_layout_verdict shield_verdict;              /* the last there was */
} sb_stats_peer;

typedef enum sb_undecoded_kind {
    SB_UNDECODED_REFUSED,  /* the unit was refused; bytes from the offset of the refusal */
    SB_UNDECODED_OPAQUE,   /* kept as bytes: SUBSYS of an unknown ship, mod types ... */
    SB_UNDECODED_TRAILING, /* behind the last field of a message */
    SB_UNDECODED_KINDS
} sb_undecoded_kind;

/* A place of bytes that were not understood. */
typedef struct sb_stats_undecoded {
    uint64_t          number, datagram; /* of the record and its datagram */
    sb_layer          layer;
    sb_undecoded_kind kind;
    sb_result         result;
    const char       *field;      /* of the refusal, or NULL */
    uint8_t           first_byte; /* of the unit: opcode or type */
    size_t            offset, size;
    uint8_t           bytes[SB_STATS_UNDECODED_BYTES];
} sb_stats_undecoded;

typedef struct sb_stats {
    size_t   width; /* of the terminal; tables are cut to it. 0: never */
    uint64_t records;
    uint64_t messages, message_bytes; /* game messages */
    bool     has_time;
    int64_t  first_us, last_us;

    sb_stats_count opcodes[256];
    sb_stats_count transport[256]; /* by type; of Data only fragments and empty ones */
    sb_stats_count gamespy;

    sb_stats_peer peers[SB_STATS_PEERS_MAX + 1]; /* the last: all that found no buffer */
    size_t        peer_count;
    size_t        peer_index; /* sender of the datagram being counted */

    uint64_t datagrams, datagram_bytes, largest_datagram;
    uint64_t game_datagrams;             /* without queries */
    uint64_t messages_per_datagram[256]; /* transport messages; sums up to game_datagrams */
    uint64_t datagram_sizes[SB_STATS_SIZES], payload_sizes[SB_STATS_SIZES];
    uint64_t current_datagram; /* number of the datagram being counted, 0 at first */
    uint32_t current_messages;

    uint64_t packets; /* of captures, those that were passed over included; 0: no capture */
    struct {
        const char *reason;
        uint64_t    count;
    } skipped[SB_STATS_SKIPS_MAX];
    size_t skip_count;

    uint64_t state_flags[SB_STATS_SIDES][256]; /* 0x1C by sender (spec 03 §7) */
    uint64_t reassembled, fragments;
    uint64_t retransmissions, missing, late, acks, repeated_acks;

    uint64_t           refused[SB_RESULT_COUNT];
    uint64_t           undecoded_records[SB_UNDECODED_KINDS], undecoded_bytes[SB_UNDECODED_KINDS];
    sb_stats_undecoded undecoded[SB_STATS_UNDECODED_MAX];
    size_t             undecoded_count;
} sb_stats;

void sb_stats_init(sb_stats *stats);
void sb_stats_add(sb_stats *stats, const sb_record *record);
/* Packets of a capture that gave no records. `reason` is borrowed for the life of `stats`. */
void sb_stats_add_skipped(sb_stats *stats, const char *reason, uint64_t count);

/* Aligned tables for people. */
void sb_stats_print(const sb_stats *stats, sb_output *out);
/* One JSON object and a newline. */
void sb_stats_print_json(const sb_stats *stats, sb_output *out);

/* True if all was understood: nothing refused, opaque or left over, as --strict asks. */
bool sb_stats_all_decoded(const sb_stats *stats);

/* SUBSYS blocks of known ships the sender sent: those that say something about its layout. */
uint64_t sb_stats_blocks(const sb_stats_peer *peer);

/* What both kinds of print need. */
typedef struct sb_stats_bucket {
    uint32_t from, to; /* sizes in bytes, both included */
} sb_stats_bucket;
sb_stats_bucket sb_stats_size_bucket(size_t index);
const char     *sb_undecoded_kind_text(sb_undecoded_kind kind);
const char     *sb_side_text(sb_side side); /* "client", "host", "unknown" */
/* Whole seconds and parts between first and last; at least one microsecond. */
double sb_stats_seconds(int64_t first_us, int64_t last_us);

#endif
