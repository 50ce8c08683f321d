/* src/inspect/path.c -- matches dotted names with the path of a walk.
 *
 * Tests:    tests/inspect/filter_test.c
 */
#include "inspect/path.h"

#include "base/assert.h"

#include <string.h>
#include <strings.h>

static const char *const parts[SB_PART_COUNT] = {
    [SB_PART_ALL] = "",        [SB_PART_CODE] = "code",
    [SB_PART_VALUE] = "value", [SB_PART_MAGNITUDE] = "magnitude",
    [SB_PART_X] = "x",         [SB_PART_Y] = "y",
    [SB_PART_Z] = "z",         [SB_PART_W] = "w",
};

void sb_path_init(sb_path *path)
{
    path->names[0] = "fields";
    path->lists[0] = false;
    path->depth = 1;
}

void sb_path_push(sb_path *path, const sb_field *field)
{
    SB_ASSERT(path->depth < SB_PATH_DEPTH_MAX);
    bool item = path->lists[path->depth - 1];
    path->names[path->depth] = item ? NULL : field->name;
    path->lists[path->depth] = field->kind == SB_KIND_LIST;
    path->depth++;
}

void sb_path_pop(sb_path *path)
{
    if (path->depth > 1) path->depth--;
}

bool sb_dotted_init(sb_dotted *dotted, const char *text, size_t size)
{
    size_t start = 0;
    dotted->count = 0;
    for (size_t i = 0; i <= size; i++) {
        if (i < size && text[i] != '.') continue;
        if (i == start || dotted->count == SB_PATH_NAMES_MAX) return false;
        dotted->names[dotted->count++] = (sb_span){ (const uint8_t *)text + start, i - start };
        start = i + 1;
    }
    return dotted->count > 0;
}

static bool is_called(const char *name, sb_span word)
{
    return strncasecmp(name, (const char *)word.data, word.size) == 0 && name[word.size] == '\0';
}

/* True if the path of `field` ends with the first `count` names of `dotted`. */
static bool ends_with(const sb_path *path, const sb_field *field, const sb_dotted *dotted,
                      size_t count)
{
    size_t left = count, depth = path->depth;
    bool   item = path->lists[depth - 1]; /* a plain value in a list has the list's name */
    if (!item) {
        bool published = field->published && is_called(field->published, dotted->names[left - 1]);
        if (!published && !is_called(field->name, dotted->names[left - 1])) return false;
        left--;
    }
    while (left > 0) {
        if (depth == 0) return false;
        const char *name = path->names[--depth];
        if (!name) continue;
        if (!is_called(name, dotted->names[left - 1])) return false;
        left--;
    }
    return true;
}

bool sb_path_matches(const sb_path *path, const sb_field *field, const sb_dotted *dotted,
                     sb_part *part)
{
    *part = SB_PART_ALL;
    if (ends_with(path, field, dotted, dotted->count)) return true;
    if (dotted->count < 2) return false;
    for (int i = SB_PART_CODE; i < SB_PART_COUNT; i++)
        if (is_called(parts[i], dotted->names[dotted->count - 1])) *part = (sb_part)i;
    return *part != SB_PART_ALL && ends_with(path, field, dotted, dotted->count - 1);
}
