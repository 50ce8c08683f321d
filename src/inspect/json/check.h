/* src/inspect/json/check.h -- checks that a line agrees with the bytes built from it.
 *
 * For:      `starbase encode`.
 *
 * A line may state a fact twice: a code and its value, a list and its count, an index and the name
 * of the subsystem. The bytes are built from one of the two, and an edit of the other must not be
 * lost silently. So the bytes are shown to this sink, which compares each field with the line.
 */
#ifndef SB_INSPECT_JSON_CHECK_H
#define SB_INSPECT_JSON_CHECK_H

#include "inspect/json/source.h"

typedef struct sb_json_check_level {
    const json_t *json; /* NULL: the line lacks this group or list */
    const char   *name; /* NULL: an item of the list one level up */
    size_t        index;
    bool          list;
    size_t        next;
} sb_json_check_level;

typedef struct sb_json_check {
    sb_sink             sink; /* pass this to sb_show_* */
    const char         *prefix;
    sb_json_error      *error;
    bool                failed; /* `error` has the first disagreement */
    size_t              depth;
    sb_json_check_level levels[SB_JSON_DEPTH_MAX];
} sb_json_check;

/* Borrows all arguments until the bytes are shown. */
void sb_json_check_init(sb_json_check *c, const json_t *object, const char *prefix,
                        sb_json_error *error);

#endif
