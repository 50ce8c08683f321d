/* src/inspect/json/source.h -- a JSON object that answers for the fields of a unit.
 *
 * For:      `starbase encode`: sb_build_* ask, the object answers (starbase/field.h). The forms of
 *           values are listed in json_value.h.
 * Never:    lets a key pass that nobody asked for: a misspelt field is an error, not a default.
 *
 * Groups are objects, lists are arrays. A key with the value null is as good as none. Keys that
 * follow from others (counts, names of subsystems) may stand there: json_check.h looks at them.
 */
#ifndef SB_INSPECT_JSON_SOURCE_H
#define SB_INSPECT_JSON_SOURCE_H

#include "inspect/json/path.h"
#include "inspect/json/value.h"

enum {
    SB_JSON_DEPTH_MAX = 32, /* of groups and lists; a checksum tree needs 21 */
    SB_JSON_KEYS_MAX = 48,  /* different fields of one group */
};

/* The place of something in a JSON line and what is wrong with it: "fields.flags: 300 is ..." */
typedef struct sb_json_error {
    char text[512];
} sb_json_error;

typedef struct sb_json_level {
    const json_t *json; /* object or array; NULL: the line has nothing here */
    const char   *name; /* NULL: an item of the list above */
    size_t        index;
    bool          list;
    size_t        next; /* list: the item that is asked for next */
    /* Objects: the keys that were asked for so far, and whether they were also used. */
    size_t      key_count;
    const char *keys[SB_JSON_KEYS_MAX];
    bool        used[SB_JSON_KEYS_MAX];
} sb_json_level;

typedef struct sb_json_source {
    sb_source      source; /* give this to sb_build_* */
    sb_arena      *arena;  /* lends the bytes of values */
    sb_json_error *error;
    bool           failed; /* `error` is filled */
    const char    *prefix; /* path of the object itself */
    /* Builds the bytes that stand under "message" where a "payload" is asked for; NULL: nobody. */
    bool (*build_message)(void *self, const json_t *message, const char *path, sb_span *bytes);
    void *self;
    /* The key nobody asked for that `error` is about, behind the groups it is in (NULL: an item).
     */
    size_t        stray_depth; /* 0: it is about something else */
    const char   *stray[SB_JSON_DEPTH_MAX];
    sb_json_path  stray_path;
    size_t        depth;
    sb_json_level levels[SB_JSON_DEPTH_MAX];
} sb_json_source;

/* Borrows everything until the unit is built. `object` may be NULL: it then has no fields. */
void sb_json_source_init(sb_json_source *s, const json_t *object, const char *prefix,
                         sb_arena *arena, sb_json_error *error);

/* Ends a build. False: the build failed, or a key of the object was of no use; `error` has it. */
bool sb_json_source_finish(sb_json_source *s, sb_result result, const sb_refusal *refusal);

/* The likely word among `count` (NULLs are skipped), or NULL if none is near. */
const char *sb_json_nearest_word(const char *word, const char *const *words, size_t count);

#endif
