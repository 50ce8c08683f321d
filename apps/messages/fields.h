/* apps/messages/fields.h -- the fields of a message, for people who write JSON by hand. */
#ifndef SB_APPS_MESSAGES_FIELDS_H
#define SB_APPS_MESSAGES_FIELDS_H

#include <stdint.h>

/* Prints one line a field: name, kind, what is to know about it. */
void sb_messages_print_fields(uint8_t opcode);

#endif
