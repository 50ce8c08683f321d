/* src/inspect/path.h -- the path of a field in its record, and matching it with a dotted name.
 *
 * For:      filters and columns.
 *
 * The path of a field is `fields`, the names of the groups and lists around the field, and its own
 * name: `fields.entries.condition`. Items of a list add no name.
 *
 * A dotted name matches every field whose path ends with it: `condition`, `entries.condition` and
 * `fields.entries.condition` match the field above. `fields.index` matches only an `index` at the
 * top level. The last name may be a part of the value: code, value, magnitude, x, y, z, w.
 */
#ifndef SB_INSPECT_PATH_H
#define SB_INSPECT_PATH_H

#include <starbase/field.h>

enum { SB_PATH_DEPTH_MAX = 48, SB_PATH_NAMES_MAX = 8 };

/* Follows a walk over fields: push on `enter`, pop on `leave`. */
typedef struct sb_path {
    const char *names[SB_PATH_DEPTH_MAX]; /* NULL: an item of a list */
    bool        lists[SB_PATH_DEPTH_MAX];
    size_t      depth;
} sb_path;

void sb_path_init(sb_path *path);
void sb_path_push(sb_path *path, const sb_field *field);
void sb_path_pop(sb_path *path);

typedef enum sb_part {
    SB_PART_ALL,
    SB_PART_CODE,
    SB_PART_VALUE,
    SB_PART_MAGNITUDE,
    SB_PART_X,
    SB_PART_Y,
    SB_PART_Z,
    SB_PART_W,
    SB_PART_COUNT
} sb_part;

/* A dotted name, split at its dots. Borrows the text for its life. */
typedef struct sb_dotted {
    sb_span names[SB_PATH_NAMES_MAX];
    size_t  count;
} sb_dotted;

/* False: a name is empty, or there are more than SB_PATH_NAMES_MAX. */
bool sb_dotted_init(sb_dotted *dotted, const char *text, size_t size);

/* True if `dotted` matches `field`, whose groups and lists are in `path`; `*part` is the part of
 * the value it names. */
bool sb_path_matches(const sb_path *path, const sb_field *field, const sb_dotted *dotted,
                     sb_part *part);

#endif
