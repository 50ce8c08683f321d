/* src/inspect/path.c -- dotted names against the brackets of a walk. */
#include "inspect/path.h"

#include <starbase/compressed.h>

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

/* The first `count` names, against the end of the path. */
static bool ends_with(const sb_path *path, const sb_field *field, const sb_dotted *dotted,
                      size_t count)
{
    size_t left = count, depth = path->depth;
    bool   item = path->lists[depth - 1]; /* a bare value in a list goes by the list's name */
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

/* ---- numbers ---- */

static size_t copy_reals(const sb_value *v, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++) out[i] = (double)v->real[i];
    return count;
}

static size_t copy_codes(const sb_field *f, const sb_value *v, double *out)
{
    size_t count = 0;
    bool   vector = f->kind >= SB_KIND_CV3 && f->kind <= SB_KIND_CV4B;
    if (vector)
        for (; count < 3; count++) out[count] = v->direction[count];
    if (f->kind == SB_KIND_CV3 || f->kind == SB_KIND_CV4F) return count;
    out[count++] = f->kind == SB_KIND_SWITCH ? (int32_t)v->number : (double)v->number;
    return count;
}

static size_t copy_ratios(const sb_value *v, bool codes, double *out)
{
    size_t count = v->bytes.size < SB_VALUE_NUMBERS_MAX ? v->bytes.size : SB_VALUE_NUMBERS_MAX;
    for (size_t i = 0; i < count; i++)
        out[i] = codes ? v->bytes.data[i] : (double)sb_decode_ratio(v->bytes.data[i]);
    return count;
}

static size_t copy_numbers(const sb_field *f, const sb_value *v, bool codes, double *out)
{
    switch (f->kind) {
    case SB_KIND_U8:
    case SB_KIND_U16:
    case SB_KIND_U32:
    case SB_KIND_ID:
    case SB_KIND_FLAGS:
    case SB_KIND_BIT:
    case SB_KIND_ADDRESS: out[0] = v->number; return 1;
    case SB_KIND_I8:
    case SB_KIND_I32: out[0] = (int32_t)v->number; return 1;
    case SB_KIND_F32: return copy_reals(v, 1, out);
    case SB_KIND_VEC3:
    case SB_KIND_POSITION: return copy_reals(v, 3, out);
    case SB_KIND_QUAT: return copy_reals(v, 4, out);
    case SB_KIND_CF16:
    case SB_KIND_RATIO:
    case SB_KIND_PERCENT:
    case SB_KIND_LEVEL:
    case SB_KIND_SWITCH: return codes ? copy_codes(f, v, out) : copy_reals(v, 1, out);
    case SB_KIND_CV3:
    case SB_KIND_CV4:
    case SB_KIND_CV4F:
    case SB_KIND_CV4B: return codes ? copy_codes(f, v, out) : copy_reals(v, 3, out);
    case SB_KIND_RATIOS: return copy_ratios(v, codes, out);
    default: return 0;
    }
}

/* One coordinate: quaternions begin with w. */
static size_t copy_coordinate(const sb_field *f, const sb_value *v, sb_part part, double *out)
{
    double all[SB_VALUE_NUMBERS_MAX];
    bool   quat = f->kind == SB_KIND_QUAT;
    size_t count = copy_numbers(f, v, false, all);
    size_t index = (size_t)(part - SB_PART_X) + quat;
    if (part == SB_PART_W) index = 0;
    if (count < 3 || f->kind == SB_KIND_RATIOS || (part == SB_PART_W && !quat)) return 0;
    out[0] = all[index];
    return 1;
}

size_t sb_value_numbers(const sb_field *f, const sb_value *v, sb_part part, double *out)
{
    switch (part) {
    case SB_PART_X:
    case SB_PART_Y:
    case SB_PART_Z:
    case SB_PART_W: return copy_coordinate(f, v, part, out);
    case SB_PART_MAGNITUDE:
        if (f->kind != SB_KIND_CV4F && f->kind != SB_KIND_CV4 && f->kind != SB_KIND_CV4B) return 0;
        out[0] = f->kind == SB_KIND_CV4F  ? (double)v->real[3]
                 : f->kind == SB_KIND_CV4 ? (double)sb_decode_cf16((uint16_t)v->number)
                                          : (double)sb_decode_ratio((uint8_t)v->number);
        return 1;
    default: return copy_numbers(f, v, part == SB_PART_CODE, out);
    }
}
