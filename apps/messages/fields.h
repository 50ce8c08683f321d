/* apps/messages/fields.h -- lists the fields of a message.
 *
 * For:      `starbase messages NAME`, for people who write JSON lines by hand.
 */
#ifndef SB_APPS_MESSAGES_FIELDS_H
#define SB_APPS_MESSAGES_FIELDS_H

#include <stdint.h>

/* Prints one line per field: name, kind, remarks. */
void sb_messages_print_fields(uint8_t opcode);

#endif
