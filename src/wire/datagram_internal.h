/* src/wire/datagram_internal.h -- shared by datagram.c, datagram_walk.c and control.c.
 *
 * For:      these three files.
 * Spec:     01 §4.2 to §4.4; datagram.c draws the layouts.
 */
#ifndef SB_WIRE_DATAGRAM_INTERNAL_H
#define SB_WIRE_DATAGRAM_INTERNAL_H

#include <starbase/datagram.h>

#include "wire/walk.h"

/* Bits of flags_len, which is one little-endian u16, not a length byte and a flag byte. */
enum {
    SB_FLAG_RELIABLE = 0x8000,
    SB_FLAG_PRIORITY = 0x4000,
    SB_FLAG_FRAGMENT = 0x2000, /* Data only */
    SB_DATA_LENGTH = 0x1FFF,
    SB_CONTROL_LENGTH = 0x3FFF,
};

typedef enum sb_parsed {
    SB_PARSED_OK,
    SB_PARSED_BAD,     /* structural error; the reader holds the reason */
    SB_PARSED_UNKNOWN, /* undefined type; the reader has not moved */
} sb_parsed;

/* True for Name, Connect, Boot and Disconnect, which have the control header. */
bool      sb_transport_type_is_control(uint8_t type);
sb_parsed sb_parse_transport_message(sb_reader *r, sb_transport_message *m);
void      sb_write_transport_message(sb_writer *w, const sb_transport_message *m);

/* The codecs of one control payload. */
typedef struct sb_control_row {
    uint8_t type;
    sb_side from; /* the only sender; SB_SIDE_UNKNOWN: any */
    void (*read)(sb_walk *w, void *m);
    void (*write)(sb_walk *w, void *m);
    void (*walk)(sb_walk *w, void *m);
} sb_control_row;

/* NULL: not a control type. `from` distinguishes the request of a Connect from its response. */
const sb_control_row *sb_find_control(uint8_t type, sb_side from);

#endif
