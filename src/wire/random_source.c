/* src/wire/random_source.c -- random values by kind; a quarter of them at the ends of their range.
 *
 * For:      random_source.h. A kind without a case in fill() fails to compile.
 * Tests:    tests/message/table_test.c
 */
#include "wire/random_source.h"

#include "base/bytes.h"

#include <starbase/compressed.h>

#include <string.h>

static uint32_t below(sb_random_source *s, uint32_t bound)
{
    return sb_random_below(&s->random, bound);
}

/* Every fourth number is at an end of the range or next to one, where decoders tend to be wrong. */
static uint32_t random_bits(sb_random_source *s, unsigned bits)
{
    uint32_t max = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    uint32_t ends[] = { 0, 1, max, max - 1, max / 2, max / 2 + 1 };
    if (below(s, 4) == 0) return ends[below(s, 6)];
    return (uint32_t)sb_random_next(&s->random) & max;
}

/* Three times out of four a named value, so that conditional fields occur. */
static uint32_t random_number(sb_random_source *s, const sb_field *f, unsigned bits)
{
    const sb_name *names = f->names && f->kind != SB_KIND_FLAGS ? f->names() : NULL;
    uint32_t       count = 0;
    while (names && names[count].name) count++;
    if (count > 0 && below(s, 4) != 0) return names[below(s, count)].value;
    return random_bits(s, bits);
}

/* `limit` 0: any finite number. */
static float random_float(sb_random_source *s, float limit)
{
    static const float ends[] = { 0.0f, -0.0f, 1.0f, -1.0f, 1e-38f, 0.1f, 33.25f };
    if (below(s, 4) == 0) return ends[below(s, 7)];
    if (limit == 0) {
        uint32_t bits = (uint32_t)sb_random_next(&s->random);
        return sb_bits_finite(bits) ? sb_bits_float(bits) : 1.5f;
    }
    return ((float)below(s, 2000001) - 1000000.0f) / 1000000.0f * limit;
}

static sb_span random_bytes(sb_random_source *s, size_t max_size)
{
    size_t left = s->capacity - s->used;
    size_t size = below(s, 8) == 0 ? 0 : below(s, (uint32_t)(max_size < 40 ? max_size : 40) + 1);
    if (size > left) size = left;
    sb_span span = { s->buffer + s->used, size };
    for (size_t i = 0; i < size; i++) s->buffer[s->used + i] = (uint8_t)sb_random_next(&s->random);
    s->used += size;
    return span;
}

/* 1 to 64 bytes; the last one is not NUL, which would make another form of the message (spec 07
 * §7). */
static sb_span random_set_name(sb_random_source *s)
{
    sb_span text;
    do text = random_bytes(s, 64);
    while (text.size == 0 && s->used < s->capacity);
    if (text.size > 0 && s->buffer[s->used - 1] == 0) s->buffer[s->used - 1] = 'x';
    return text;
}

/* Up to 11 units, none of them 0, and a terminator. */
static sb_span random_utf16(sb_random_source *s)
{
    size_t left = s->capacity - s->used;
    size_t count = below(s, 12);
    if (left < 2 * count + 2) return (sb_span){ NULL, 0 };
    uint8_t *p = s->buffer + s->used;
    for (size_t i = 0; i < count; i++) sb_store_u16(p + 2 * i, (uint16_t)(1 + below(s, 0xFFFF)));
    sb_store_u16(p + 2 * count, 0);
    s->used += 2 * count + 2;
    return (sb_span){ p, 2 * count + 2 };
}

static void set_random_direction(sb_random_source *s, sb_value *v)
{
    for (int i = 0; i < 3; i++) v->direction[i] = (int8_t)random_bits(s, 8);
}

static void set_random_ratios(sb_random_source *s, sb_value *v, size_t count)
{
    uint8_t *p = s->buffer + s->used;
    if (count > s->capacity - s->used) return; /* the default stays */
    for (size_t i = 0; i < count; i++) p[i] = (uint8_t)random_bits(s, 8);
    s->used += count;
    v->bytes = (sb_span){ p, count };
}

static void fill(sb_random_source *s, const sb_field *f, sb_value *v, size_t count)
{
    switch (f->kind) {
    case SB_KIND_U8:
    case SB_KIND_FLAGS: v->number = random_number(s, f, 8); break;
    case SB_KIND_RATIO:
    case SB_KIND_PERCENT:
    case SB_KIND_LEVEL: v->number = random_bits(s, 8); break;
    case SB_KIND_I8:
    case SB_KIND_SWITCH: v->number = (uint32_t)(int32_t)(int8_t)random_bits(s, 8); break;
    case SB_KIND_U16: v->number = random_number(s, f, 16); break;
    case SB_KIND_CF16: v->number = random_bits(s, 16); break;
    case SB_KIND_U32:
    case SB_KIND_I32:
    case SB_KIND_ID:
    case SB_KIND_ADDRESS: v->number = random_number(s, f, 32); break;
    case SB_KIND_BIT: v->number = f->rare ? 1 : below(s, 2); break;
    case SB_KIND_F32: v->real[0] = random_float(s, 0); break;
    case SB_KIND_VEC3:
    case SB_KIND_QUAT:
        for (int i = 0; i < 4; i++) v->real[i] = random_float(s, 0);
        break;
    case SB_KIND_POSITION:
        for (int i = 0; i < 3; i++) v->real[i] = random_float(s, 1e7f);
        break;
    case SB_KIND_CV3: set_random_direction(s, v); break;
    case SB_KIND_CV4:
        set_random_direction(s, v);
        v->number = random_bits(s, 16);
        break;
    case SB_KIND_CV4F:
        set_random_direction(s, v);
        v->real[3] = random_float(s, 0);
        break;
    case SB_KIND_CV4B:
        set_random_direction(s, v);
        v->number = random_bits(s, 8);
        break;
    case SB_KIND_RATIOS: set_random_ratios(s, v, count); break;
    case SB_KIND_TEXT8: v->bytes = random_bytes(s, 255); break;
    case SB_KIND_TEXT16:
    case SB_KIND_BYTES: v->bytes = random_bytes(s, 2000); break;
    case SB_KIND_TEXT32:
    case SB_KIND_TEXT32Z: v->bytes = random_set_name(s); break;
    case SB_KIND_UTF16: v->bytes = random_utf16(s); break;
    case SB_KIND_NOTE: /* these four have no value of their own */
    case SB_KIND_GROUP:
    case SB_KIND_LIST:
    case SB_KIND_COUNT: break;
    }
}

/* False for leftovers and opaque bytes, which the fuzzers cover. A rare form occurs half the time;
 * every other field is there. */
static bool has(void *self, const sb_field *f)
{
    if (f->rare) return below(self, 2) != 0;
    static const char *const never[] = { "trailing", "groups",    "opaque",    "block",  "rest",
                                         "payload",  "msg_count", "extension", "numbers" };
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (strcmp(f->name, never[i]) == 0) return false;
    return true;
}

static sb_answer value(void *self, const sb_field *f, sb_value *v, size_t count)
{
    sb_random_source *s = self;
    fill(s, f, v, count);
    if (s->log) s->log(s->log_self, f, v);
    return SB_GIVEN;
}

static sb_answer enter(void *self, const sb_field *f, size_t *count)
{
    sb_random_source *s = self;
    s->depth++;
    if (f->kind == SB_KIND_GROUP || f->fixed) return SB_GIVEN; /* `*count` is already right */
    uint32_t max_count = s->depth > 4 ? 1 : 12;                /* so that recursion ends */
    if (*count < max_count) max_count = (uint32_t)*count;
    *count = below(s, max_count + 1);
    return SB_GIVEN;
}

static void leave(void *self, const sb_field *f)
{
    sb_random_source *s = self;
    (void)f;
    s->depth--;
}

void sb_random_source_init(sb_random_source *s, uint64_t seed, uint8_t *buffer, size_t capacity)
{
    *s = (sb_random_source){ .buffer = buffer, .capacity = capacity };
    sb_random_init(&s->random, seed);
}

sb_source sb_random_source_of(sb_random_source *s)
{
    return (sb_source){ s, has, value, enter, leave };
}
