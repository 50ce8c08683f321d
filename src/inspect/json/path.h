/* src/inspect/json/path.h -- the place of a value in a line, such as "fields.entries[2].condition".
 *
 * For:      whoever walks a JSON object and has to say where something is wrong.
 */
#ifndef SB_INSPECT_JSON_PATH_H
#define SB_INSPECT_JSON_PATH_H

#include <stddef.h>

/* { 0 } is the empty one. Paths that are too long are cut. */
typedef struct sb_json_path {
    char   text[256];
    size_t size;
} sb_json_path;

void sb_json_path_append(sb_json_path *p, const char *text);
/* ".name", or "[index]" where there is no name. */
void sb_json_path_step(sb_json_path *p, const char *name, size_t index);

#endif
