/* src/inspect/json/probe.h -- why a key has no place in a unit: never heard of, or ruled out?
 *
 * For:      the error message about a key nobody asked for. The description of a unit is code, not
 *           a table, so the only way to know its fields is to have it ask for them: it is walked
 *           again and again, with one flag or choice more each time, until it asks for the key.
 */
#ifndef SB_INSPECT_JSON_PROBE_H
#define SB_INSPECT_JSON_PROBE_H

#include "inspect/json/source.h"

/* Builds the unit once more from another source; what becomes of the bytes does not matter. */
typedef void (*sb_json_rebuild)(void *self, const sb_source *source);

/* True: `reason` says what the stray key of `failed` would need, or which key may have been meant.
 * False: no unit of this type has anything like it. */
bool sb_json_explain_stray(const sb_json_source *failed, sb_json_rebuild rebuild, void *self,
                           sb_json_reason *reason);

#endif
