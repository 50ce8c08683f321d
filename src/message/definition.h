/* src/message/definition.h -- shows and builds messages of mods by their definitions.
 *
 * For:      message.c and scripts.c; starbase/definition.h has the structs.
 */
#ifndef SB_MESSAGE_DEFINITION_H
#define SB_MESSAGE_DEFINITION_H

#include <starbase/definition.h>
#include <starbase/ship.h>

#include "wire/walk.h"

/* The definition of the opcode, or NULL. */
const sb_definition *sb_definition_of(const sb_message_context *context, uint8_t opcode);
/* True if the fields of the definition can be read from the payload; bytes may follow them. False:
 * `why` names the field. */
bool sb_definition_fits(const sb_definition *definition, sb_span payload, sb_refusal *why);
/* True if the source gives the content of a message as bytes instead of its fields. */
bool sb_definition_is_bypassed(const sb_source *source);
/* Walks the fields, with a sink or a source. */
void sb_walk_definition(sb_walk *w, const sb_definition *definition);

/* Notes for sinks: why a message was not read by its definition; the readable texts in bytes. */
void sb_show_definition_misfit(sb_walk *w, const sb_definition *definition, const sb_refusal *why);
void sb_show_text_runs(sb_walk *w, sb_span bytes);

#endif
