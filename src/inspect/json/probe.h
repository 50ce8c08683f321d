/* src/inspect/json/probe.h -- explains why a key was not used: unknown, or excluded by another
 * field.
 *
 * For:      the error message about an unused key.
 *
 * The description of a unit is code and not a table, so its fields are only known from the fields
 * it asks for. The unit is therefore built many times, each time with another flag or choice, until
 * it asks for the key.
 */
#ifndef SB_INSPECT_JSON_PROBE_H
#define SB_INSPECT_JSON_PROBE_H

#include "inspect/json/source.h"

/* Builds the unit from `source`; the bytes are discarded. */
typedef void (*sb_json_rebuild)(void *self, const sb_source *source);

/* True: `reason` says what the unused key of `failed` needs, or which key was probably meant.
 * False: no unit of this type has a similar key. */
bool sb_json_explain_stray(const sb_json_source *failed, sb_json_rebuild rebuild, void *self,
                           sb_json_reason *reason);

#endif
