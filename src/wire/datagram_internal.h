/* src/wire/datagram_internal.h -- what the three files about datagrams share. Spec 01 §4.2-§4.4. */
#ifndef SB_WIRE_DATAGRAM_INTERNAL_H
#define SB_WIRE_DATAGRAM_INTERNAL_H

#include <starbase/datagram.h>

#include "wire/walk.h"

/* flags_len: one little-endian u16, not a length byte and a flag byte. */
enum {
    SB_FLAG_RELIABLE = 0x8000,
    SB_FLAG_PRIORITY = 0x4000,
    SB_FLAG_FRAGMENT = 0x2000, /* Data only */
    SB_DATA_LENGTH = 0x1FFF,
    SB_CONTROL_LENGTH = 0x3FFF,
};

typedef enum sb_parsed {
    SB_PARSED_OK,
    SB_PARSED_BAD,     /* structural error: the reader has the reason */
    SB_PARSED_UNKNOWN, /* a type nobody knows; the reader stands before it */
} sb_parsed;

/* Types with a control header: 0x00 and 0x03-0x05. */
bool      sb_is_control_type(uint8_t type);
sb_parsed sb_parse_transport_message(sb_reader *r, sb_transport_message *m);
void      sb_write_transport_message(sb_writer *w, const sb_transport_message *m);

/* The description of a control payload, or NULL. `from` tells a Connect from its response. */
typedef struct sb_control_row {
    uint8_t type;
    sb_side from; /* SB_SIDE_UNKNOWN: either */
    void (*read)(sb_walk *w, void *m);
    void (*write)(sb_walk *w, void *m);
    void (*walk)(sb_walk *w, void *m);
} sb_control_row;

const sb_control_row *sb_find_control(uint8_t type, sb_side from);

#endif
