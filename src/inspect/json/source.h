/* src/inspect/json/source.h -- a source of field values (starbase/field.h) that reads a JSON
 * object.
 *
 * For:      `starbase encode`: sb_build_* ask this source for each field. json/value.h lists the
 *           forms of values.
 * Never:    accepts a key that no field asked for: a misspelt field is an error, not a default.
 *
 * Groups are objects, lists are arrays. A key whose value is null counts as missing. Keys that
 * follow from others (counts, names of subsystems) are allowed; json/check.h compares them.
 */
#ifndef SB_INSPECT_JSON_SOURCE_H
#define SB_INSPECT_JSON_SOURCE_H

#include "inspect/json/path.h"
#include "inspect/json/value.h"

enum {
    SB_JSON_DEPTH_MAX = 32, /* nesting of groups and lists; a checksum tree needs 21 */
    SB_JSON_KEYS_MAX = 48,  /* different fields of one group */
};

/* The path of a value and what is wrong with it: "fields.flags: 300 is ..." */
typedef struct sb_json_error {
    char text[512];
} sb_json_error;

typedef struct sb_json_level {
    const json_t *json; /* object or array; NULL: the line lacks this group or list */
    const char   *name; /* NULL: an item of the list one level up */
    size_t        index;
    bool          list;
    size_t        next; /* list: index of the item to be asked for next */
    /* Objects: the keys asked for so far, and which of them were used. */
    size_t      key_count;
    const char *keys[SB_JSON_KEYS_MAX];
    bool        used[SB_JSON_KEYS_MAX];
} sb_json_level;

typedef struct sb_json_source {
    sb_source      source; /* pass this to sb_build_* */
    sb_arena      *arena;  /* lends the bytes of values */
    sb_json_error *error;
    bool           failed; /* `error` is set */
    const char    *prefix; /* path of the object itself */
    /* Callback that builds a payload from its "message"; NULL: "message" is not supported. */
    bool (*build_message)(void *self, const json_t *message, const char *path, sb_span *bytes);
    void *self;
    /* The unused key that `error` is about. */
    size_t        stray_depth;              /* 0: `error` is about something else */
    const char   *stray[SB_JSON_DEPTH_MAX]; /* groups around the key (NULL: an item), and the key */
    sb_json_path  stray_path;
    size_t        depth;
    sb_json_level levels[SB_JSON_DEPTH_MAX];
} sb_json_source;

/* Borrows all arguments until the unit is built. If `object` is NULL, every field is missing. */
void sb_json_source_init(sb_json_source *s, const json_t *object, const char *prefix,
                         sb_arena *arena, sb_json_error *error);

/* Ends a build. False: the build failed or a key was not used; `error` says which. */
bool sb_json_source_finish(sb_json_source *s, sb_result result, const sb_refusal *refusal);

#endif
