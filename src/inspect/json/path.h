/* src/inspect/json/path.h -- the path of a value in a line: "fields.entries[2].condition".
 *
 * For:      error messages of `starbase encode`.
 */
#ifndef SB_INSPECT_JSON_PATH_H
#define SB_INSPECT_JSON_PATH_H

#include <stddef.h>

/* { 0 } is the empty path. A path that is too long is cut. */
typedef struct sb_json_path {
    char   text[256];
    size_t size;
} sb_json_path;

void sb_json_path_append(sb_json_path *p, const char *text);
/* Appends ".name", or "[index]" if `name` is NULL. */
void sb_json_path_step(sb_json_path *p, const char *name, size_t index);

#endif
