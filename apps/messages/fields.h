/* apps/messages/fields.h -- prints the fields of a message.
 *
 * For:      `starbase messages NAME`, for people who write JSON lines by hand, and --json, for
 *           programs that generate decoders.
 */
#ifndef SB_APPS_MESSAGES_FIELDS_H
#define SB_APPS_MESSAGES_FIELDS_H

#include <starbase/definition.h>

/* Prints one line per field: name, kind, remarks. */
void sb_messages_print_fields(uint8_t opcode, const sb_definitions *definitions);
/* Prints `,"exact":...,"fields":[...]`, the end of an object of --json (docs/message-schema.md). */
void sb_messages_print_json_fields(uint8_t opcode, const sb_definitions *definitions);

#endif
