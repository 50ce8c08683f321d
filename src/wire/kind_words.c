/* src/wire/kind_words.c -- see kind_words.h.
 *
 * Tests:    tests/wire/kind_words_test.c
 */
#include "wire/kind_words.h"

#include "base/assert.h"

#include <string.h>

typedef struct kind_row {
    const char *word;
    uint8_t     bytes;
    bool        definable, bounded;
    double      low, high;
} kind_row;

/* clang-format off */
static const kind_row rows[SB_KIND_COUNT] = {
    /*                     word        bytes definable bounded low          high */
    [SB_KIND_U8]       = { "u8",       1,    true,     true,   0,           255 },
    [SB_KIND_I8]       = { "s8",       1,    true,     true,   -128,        127 },
    [SB_KIND_U16]      = { "u16",      2,    true,     true,   0,           65535 },
    [SB_KIND_U32]      = { "u32",      4,    true,     true,   0,           4294967295.0 },
    [SB_KIND_I32]      = { "i32",      4,    true,     true,   -2147483648.0, 2147483647 },
    [SB_KIND_ID]       = { "id",       4,    true,     true,   0,           4294967295.0 },
    [SB_KIND_FLAGS]    = { "flags",    1,    true,     true,   0,           255 },
    [SB_KIND_BIT]      = { "bit",      0,    true,     true,   0,           1 },
    [SB_KIND_F32]      = { "f32",      4,    true,     false,  0,           0 },
    [SB_KIND_VEC3]     = { "vec3",     12,   true,     false,  0,           0 },
    [SB_KIND_POSITION] = { "position", 12,   true,     true,   -1e7,        1e7 },
    [SB_KIND_QUAT]     = { "quat",     16,   true,     false,  0,           0 },
    [SB_KIND_CF16]     = { "cf16",     2,    true,     false,  0,           0 },
    [SB_KIND_CV3]      = { "cv3",      3,    true,     false,  0,           0 },
    [SB_KIND_CV4]      = { "cv4",      5,    true,     false,  0,           0 },
    [SB_KIND_CV4F]     = { "cv4f",     7,    true,     false,  0,           0 },
    [SB_KIND_CV4B]     = { "cv4b",     4,    true,     false,  0,           0 },
    [SB_KIND_RATIO]    = { "ratio",    1,    true,     true,   0,           1 },
    [SB_KIND_RATIOS]   = { "ratios",   0,    false,    true,   0,           1 },
    [SB_KIND_PERCENT]  = { "percent",  1,    true,     true,   0,           2.55 },
    [SB_KIND_LEVEL]    = { "level",    1,    true,     true,   0,           1.25 },
    [SB_KIND_SWITCH]   = { "switch",   1,    true,     true,   0,           1.28 },
    [SB_KIND_TEXT8]    = { "lstr8",    0,    true,     true,   0,           255 },
    [SB_KIND_TEXT16]   = { "lstr16",   0,    true,     true,   0,           65535 },
    [SB_KIND_TEXT32]   = { "lstr32",   0,    true,     true,   0,           4294967295.0 },
    [SB_KIND_TEXT32Z]  = { "lstr32z",  0,    true,     true,   0,           4294967294.0 },
    [SB_KIND_UTF16]    = { "utf16",    0,    false,    false,  0,           0 },
    [SB_KIND_ADDRESS]  = { "ipv4",     4,    true,     true,   0,           4294967295.0 },
    [SB_KIND_BYTES]    = { "bytes",    0,    true,     false,  0,           0 },
    [SB_KIND_NOTE]     = { "note",     0,    false,    false,  0,           0 },
    [SB_KIND_GROUP]    = { "group",    0,    false,    false,  0,           0 },
    [SB_KIND_LIST]     = { "list",     0,    true,     false,  0,           0 },
};
/* clang-format on */

static const kind_row *row_of(sb_kind kind)
{
    SB_ASSERT((unsigned)kind < SB_KIND_COUNT);
    return &rows[kind];
}

const char *sb_kind_word(sb_kind kind)
{
    return row_of(kind)->word;
}

bool sb_find_kind(const char *word, sb_kind *kind)
{
    for (unsigned i = 0; i < SB_KIND_COUNT; i++) {
        if (strcmp(rows[i].word, word) != 0) continue;
        *kind = (sb_kind)i;
        return true;
    }
    return false;
}

size_t sb_kind_bytes(sb_kind kind)
{
    return row_of(kind)->bytes;
}

bool sb_kind_bounds(sb_kind kind, double *low, double *high)
{
    *low = row_of(kind)->low;
    *high = row_of(kind)->high;
    return row_of(kind)->bounded;
}

bool sb_kind_is_definable(sb_kind kind)
{
    return row_of(kind)->definable;
}
