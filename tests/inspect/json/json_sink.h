/* tests/inspect/json/json_sink.h -- the fields of a unit as a jansson object, codes only.
 *
 * For:      round trips that do not depend on the renderer: bytes -> sink -> JSON -> source ->
 *           bytes. A byte lost on the way was either not shown or not asked for.
 */
#ifndef SB_TESTS_JSON_SINK_H
#define SB_TESTS_JSON_SINK_H

#include <starbase/field.h>

#include <jansson.h>

enum { JSON_SINK_DEPTH = 40 };

typedef struct json_sink {
    sb_sink sink;
    int     depth;
    json_t *levels[JSON_SINK_DEPTH]; /* [0]: the object of all fields */
} json_sink;

void json_sink_init(json_sink *s);
/* Returns `head` with the fields added as "fields", on one line. The caller frees the text; the
 * sink's object is freed. */
char *json_sink_line(json_sink *s, json_t *head);

#endif
