/* src/inspect/meta.h -- what is known about a record besides its fields, by name.
 *
 * For:      filter and columns: opcode, name, layer, time, elapsed, number, datagram, size, ok,
 *           error, from, to, side, peer_id, type, seq, reliable, retransmission, repeated,
 *           late, gap, fragments, raw, file.
 */
#ifndef SB_INSPECT_META_H
#define SB_INSPECT_META_H

#include "inspect/record.h"
#include "inspect/text.h"

typedef enum sb_meta_kind {
    SB_META_NUMBER,  /* number */
    SB_META_SECONDS, /* number; as text with six decimals */
    SB_META_FLAG,    /* number 0 or 1 */
    SB_META_TEXT,    /* text */
    SB_META_BYTES,   /* bytes, as hex */
} sb_meta_kind;

typedef struct sb_meta_value {
    sb_meta_kind   kind;
    double         number;
    int64_t        integer; /* NUMBER, SECONDS in microseconds, FLAG */
    const sb_name *names;   /* of the number, or NULL */
    sb_text        text;    /* TEXT; its buffer is below */
    sb_span        bytes;   /* BYTES; lent by the record */
    char           buffer[256];
} sb_meta_value;

typedef struct sb_meta sb_meta;

/* NULL: no such name. The text need not end in NUL. */
const sb_meta *sb_find_meta(const char *name, size_t size);
/* False: the record does not have it. `start_us`: what `elapsed` counts from. */
bool         sb_meta_read(const sb_meta *meta, const sb_record *record, int64_t start_us,
                          sb_meta_value *out);
sb_meta_kind sb_meta_kind_of(const sb_meta *meta);
/* Is it the opcode? Words compared with that are names of messages. */
bool sb_meta_is_opcode(const sb_meta *meta);
/* Is it the name? Published names count for it, too. */
bool sb_meta_is_name(const sb_meta *meta);
/* A number whose values have no names: a word compared with it is a mistake. */
bool sb_meta_is_plain_number(const sb_meta *meta);
/* All names, for help texts; NULL ends the list. */
const char *sb_meta_name(size_t index);

#endif
