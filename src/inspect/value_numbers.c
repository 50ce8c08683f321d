/* src/inspect/value_numbers.c -- copies the numbers of a value, one function per family of kinds.
 *
 * Tests:    tests/inspect/filter_test.c, tests/inspect/kinds_test.c
 */
#include "inspect/value_numbers.h"

#include <starbase/compressed.h>

#include "base/assert.h"
#include "inspect/kinds.h"

#define COPY(name_)                                                                                \
    static size_t name_(const sb_field *f, const sb_value *v, bool codes, double *out)

COPY(copy_nothing)
{
    (void)f, (void)v, (void)codes, (void)out;
    return 0;
}

COPY(copy_unsigned)
{
    (void)f, (void)codes;
    out[0] = v->number;
    return 1;
}

COPY(copy_signed)
{
    (void)f, (void)codes;
    out[0] = (int32_t)v->number;
    return 1;
}

static size_t copy_reals(const sb_value *v, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++) out[i] = (double)v->real[i];
    return count;
}

COPY(copy_f32)
{
    (void)f, (void)codes;
    return copy_reals(v, 1, out);
}

COPY(copy_vec3)
{
    (void)f, (void)codes;
    return copy_reals(v, 3, out);
}

COPY(copy_quat)
{
    (void)f, (void)codes;
    return copy_reals(v, 4, out);
}

COPY(copy_coded)
{
    return codes ? copy_unsigned(f, v, codes, out) : copy_reals(v, 1, out);
}

COPY(copy_switch)
{
    return codes ? copy_signed(f, v, codes, out) : copy_reals(v, 1, out);
}

/* The code of a vector is its direction and, if the magnitude has a code too, that code. */
COPY(copy_vector)
{
    if (!codes) return copy_reals(v, 3, out);
    for (size_t i = 0; i < 3; i++) out[i] = v->direction[i];
    if (f->kind == SB_KIND_CV3 || f->kind == SB_KIND_CV4F) return 3;
    out[3] = v->number;
    return 4;
}

COPY(copy_ratios)
{
    size_t count = v->bytes.size < SB_VALUE_NUMBERS_MAX ? v->bytes.size : SB_VALUE_NUMBERS_MAX;
    (void)f;
    for (size_t i = 0; i < count; i++)
        out[i] = codes ? v->bytes.data[i] : (double)sb_decode_ratio(v->bytes.data[i]);
    return count;
}

#define ROW(kind, name, is_long, text, numbers, write, read) [SB_KIND_##kind] = numbers,
static size_t (*const copiers[SB_KIND_COUNT])(const sb_field *, const sb_value *, bool,
                                              double *) = { SB_KIND_TABLE(ROW) };

static size_t copy_all(const sb_field *f, const sb_value *v, bool codes, double *out)
{
    SB_ASSERT((unsigned)f->kind < SB_KIND_COUNT);
    SB_ASSERT(copiers[f->kind]); /* a group or list has no value */
    return copiers[f->kind](f, v, codes, out);
}

/* A quaternion is w, x, y, z; other vectors begin with x. */
static size_t copy_coordinate(const sb_field *f, const sb_value *v, sb_part part, double *out)
{
    double all[SB_VALUE_NUMBERS_MAX];
    bool   quat = f->kind == SB_KIND_QUAT;
    size_t count = copy_all(f, v, false, all);
    size_t index = (size_t)(part - SB_PART_X) + quat;
    if (part == SB_PART_W) index = 0;
    if (count < 3 || f->kind == SB_KIND_RATIOS || (part == SB_PART_W && !quat)) return 0;
    out[0] = all[index];
    return 1;
}

static size_t copy_magnitude(const sb_field *f, const sb_value *v, double *out)
{
    switch (f->kind) {
    case SB_KIND_CV4: out[0] = (double)sb_decode_cf16((uint16_t)v->number); return 1;
    case SB_KIND_CV4B: out[0] = (double)sb_decode_ratio((uint8_t)v->number); return 1;
    case SB_KIND_CV4F: out[0] = (double)v->real[3]; return 1;
    default: return 0;
    }
}

size_t sb_value_numbers(const sb_field *f, const sb_value *v, sb_part part, double *out)
{
    if (part == SB_PART_MAGNITUDE) return copy_magnitude(f, v, out);
    if (part >= SB_PART_X) return copy_coordinate(f, v, part, out);
    return copy_all(f, v, part == SB_PART_CODE, out);
}
