/* src/inspect/path.h -- where in a record a field stands, and whether a dotted name means it.
 *
 * For:      filter and columns. A path is the names of the brackets around a field and its own,
 *           below `fields`; items of a list have no name: `fields.entries.condition`.
 *
 * A dotted name means every field whose path ends with it: `condition`, `entries.condition` and
 * `fields.entries.condition` all find it. `fields.index` is only an index at the top.
 * Behind the name of a field may stand a part of its value: code, value, magnitude, x, y, z, w.
 */
#ifndef SB_INSPECT_PATH_H
#define SB_INSPECT_PATH_H

#include <starbase/field.h>

enum { SB_PATH_DEPTH_MAX = 48, SB_PATH_NAMES_MAX = 8 };

/* Follows a walk: push on begin, pop on end. */
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

/* A dotted name, taken apart. The text is borrowed for the life of the name. */
typedef struct sb_dotted {
    sb_span names[SB_PATH_NAMES_MAX];
    size_t  count;
} sb_dotted;

/* False: empty, an empty part, or too many parts. */
bool sb_dotted_init(sb_dotted *dotted, const char *text, size_t size);

/* Does `dotted` mean `field`, which stands at `path`? And which part of it? */
bool sb_path_matches(const sb_path *path, const sb_field *field, const sb_dotted *dotted,
                     sb_part *part);

#endif
