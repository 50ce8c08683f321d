/* src/message/table.h -- a row of the opcode table with what only the codecs need. */
#ifndef SB_MESSAGE_TABLE_H
#define SB_MESSAGE_TABLE_H

#include <starbase/message.h>

#include "wire/walk.h"

typedef struct sb_message_row {
    sb_message_type type;
    /* One description, walked three ways (wire/walk.h); NULL: the opcode has no message. */
    void (*read)(sb_walk *w, void *m);
    void (*write)(sb_walk *w, void *m);
    void (*walk)(sb_walk *w, void *m);
    bool exact; /* bytes behind the last field make it malformed (spec 02 §9) */
    /* What a hand-written message gets where it says nothing; 0: nothing special. */
    uint32_t event_class, event_code;
} sb_message_row;

const sb_message_row *sb_find_row(uint8_t opcode);

#endif
