/* src/inspect/kinds.c -- the columns of the table of kinds that are not functions. */
#include "inspect/kinds.h"

#include "base/assert.h"

typedef struct kind_row {
    const char *name;
    bool        is_long;
} kind_row;

#define ROW(kind, name, is_long, text, numbers, write, read) [SB_KIND_##kind] = { name, is_long },
static const kind_row rows[SB_KIND_COUNT] = { SB_KIND_TABLE(ROW) };

#define COUNT_ROW(kind, name, is_long, text, numbers, write, read) +1
_Static_assert(0 SB_KIND_TABLE(COUNT_ROW) == SB_KIND_COUNT, "every kind needs a row in kinds.h");

static const char *const published[SB_KIND_COUNT] = {
    [SB_KIND_CF16] = "CompressedFloat16",       [SB_KIND_CV3] = "CompressedVector3",
    [SB_KIND_CV4] = "CompressedVector4, cf16",  [SB_KIND_CV4F] = "CompressedVector4, f32",
    [SB_KIND_CV4B] = "CompressedVector4, byte",
};

const char *sb_kind_name(sb_kind kind)
{
    SB_ASSERT((unsigned)kind < SB_KIND_COUNT);
    return rows[kind].name;
}

const char *sb_kind_published(sb_kind kind)
{
    SB_ASSERT((unsigned)kind < SB_KIND_COUNT);
    return published[kind];
}

bool sb_kind_is_long(sb_kind kind)
{
    SB_ASSERT((unsigned)kind < SB_KIND_COUNT);
    return rows[kind].is_long;
}
