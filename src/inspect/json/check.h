/* src/inspect/json/check.h -- does a line agree with the bytes it became?
 *
 * For:      `starbase encode`. Some things stand in a line twice: a code and its value, a list and
 *           its count, an index and the name of the subsystem. The bytes come from one of them; an
 *           edit of the other must not get lost. So the bytes are shown to this sink, which looks
 *           up in the line what else it says about them.
 */
#ifndef SB_INSPECT_JSON_CHECK_H
#define SB_INSPECT_JSON_CHECK_H

#include "inspect/json/source.h"

typedef struct sb_json_check_level {
    const json_t *json; /* NULL: the line says nothing here */
    const char   *name; /* NULL: an item of the list above */
    size_t        index;
    bool          list;
    size_t        next;
} sb_json_check_level;

typedef struct sb_json_check {
    sb_sink             sink; /* give this to sb_show_* */
    const char         *prefix;
    sb_json_error      *error;
    bool                failed; /* `error` has the first disagreement */
    size_t              depth;
    sb_json_check_level levels[SB_JSON_DEPTH_MAX];
} sb_json_check;

/* Borrows everything until the bytes are shown. */
void sb_json_check_init(sb_json_check *c, const json_t *object, const char *prefix,
                        sb_json_error *error);

#endif
