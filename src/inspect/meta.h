/* src/inspect/meta.h -- properties of a record by name, such as opcode, time or size.
 *
 * For:      filters and columns. The properties are opcode, name, layer, time, elapsed, number,
 *           datagram, size, ok, error, from, to, side, peer_id, type, seq, reliable,
 *           retransmission, repeated, late, gap, fragments, raw and file.
 */
#ifndef SB_INSPECT_META_H
#define SB_INSPECT_META_H

#include "inspect/record.h"
#include "inspect/text.h"

typedef enum sb_meta_kind {
    SB_META_NUMBER,  /* number */
    SB_META_SECONDS, /* number; printed with six decimals */
    SB_META_FLAG,    /* number 0 or 1 */
    SB_META_TEXT,    /* text */
    SB_META_BYTES,   /* bytes; printed as hex */
} sb_meta_kind;

typedef struct sb_meta_value {
    sb_meta_kind   kind;
    double         number;
    int64_t        integer; /* NUMBER, SECONDS in microseconds, FLAG */
    const sb_name *names;   /* names of the number's values, or NULL */
    sb_text        text;    /* TEXT; uses `buffer` */
    sb_span        bytes;   /* BYTES; lent by the record */
    char           buffer[256];
} sb_meta_value;

typedef struct sb_meta sb_meta;

/* NULL: no property has this name. `name` need not end in NUL. */
const sb_meta *sb_find_meta(const char *name, size_t size);
/* False: the record lacks the property. `elapsed` is the time since `start_us`. */
bool         sb_meta_read(const sb_meta *meta, const sb_record *record, int64_t start_us,
                          sb_meta_value *out);
sb_meta_kind sb_meta_kind_of(const sb_meta *meta);
/* True for `opcode`: a word compared with it is the name of a message. */
bool sb_meta_is_opcode(const sb_meta *meta);
/* True for `name`: a published name equals it, too. */
bool sb_meta_is_name(const sb_meta *meta);
/* True for a number whose values have no names: comparing it with a word is a mistake. */
bool sb_meta_is_plain_number(const sb_meta *meta);
/* The names of all properties, by index from 0; NULL after the last. */
const char *sb_meta_name(size_t index);

#endif
