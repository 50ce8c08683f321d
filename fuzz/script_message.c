/* fuzz/script_message.c -- a source (starbase/field.h) that takes every field from a script.
 *
 * For:      script_message.h. A field costs the script one to four bytes; answers of yes or no cost
 *           one bit.
 */
#include "script_message.h"

#include "base/bytes.h"

#include <string.h>

typedef struct field_source {
    const script_scene *scene;
    script             *s;
    uint8_t             bits;
    unsigned            bits_left, depth;
} field_source;

/* ---- values ---- */

static bool next_bit(field_source *f)
{
    if (f->bits_left == 0) {
        f->bits = next_byte(f->s);
        f->bits_left = 8;
    }
    f->bits_left--;
    return f->bits >> f->bits_left & 1;
}

static uint32_t next_bytes_as_number(field_source *f, unsigned count)
{
    uint32_t number = 0;
    for (unsigned i = 0; i < count; i++) number |= (uint32_t)next_byte(f->s) << 8 * i;
    return number;
}

/* Most numbers are small. */
static uint32_t next_number(field_source *f, unsigned bytes)
{
    uint8_t first = next_byte(f->s);
    if (bytes == 1 || first < 0xC0) return first;
    return next_bytes_as_number(f, bytes);
}

/* Mostly one of the values that have names. */
static uint32_t next_named(field_source *f, const sb_field *field, unsigned bytes)
{
    const sb_name *names = field->names && field->kind != SB_KIND_FLAGS ? field->names() : NULL;
    uint32_t       count = 0;
    while (names && names[count].name) count++;
    if (count == 0) return next_number(f, bytes);
    uint8_t which = next_byte(f->s);
    return which < 0xF0 ? names[which % count].value : next_number(f, bytes);
}

/* An object, or one of the parts whose ids follow that of a ship. */
static uint32_t next_id(field_source *f)
{
    uint32_t id = f->scene->object_of(f->scene->self, next_byte(f->s));
    return next_bit(f) ? id + next_byte(f->s) : id;
}

static float next_real(field_source *f)
{
    static const float scales[] = { 1.0f / 64, 1.0f, 64.0f, 100000.0f };
    unsigned           scale = 2u * next_bit(f) + next_bit(f);
    return (float)(int8_t)next_byte(f->s) * scales[scale];
}

static void set_reals(field_source *f, const sb_field *field, sb_value *v)
{
    for (int i = 0; i < 4; i++) v->real[i] = next_real(f);
    if (strcmp(field->name, "game_time") == 0) v->real[0] = f->scene->game_time + v->real[0];
}

static void set_direction(field_source *f, sb_value *v)
{
    for (int i = 0; i < 3; i++) v->direction[i] = (int8_t)next_byte(f->s);
}

static sb_answer set_ratios(field_source *f, sb_value *v, size_t count)
{
    if (f->s->left < count) return SB_ABSENT;
    v->bytes = next_bytes(f->s, count);
    return SB_GIVEN;
}

static sb_answer value(void *self, const sb_field *field, sb_value *v, size_t count)
{
    field_source *f = self;
    if (field->derived) return SB_ABSENT;
    switch (field->kind) {
    case SB_KIND_U8:
    case SB_KIND_FLAGS:
    case SB_KIND_RATIO:
    case SB_KIND_PERCENT:
    case SB_KIND_LEVEL: v->number = next_named(f, field, 1); break;
    case SB_KIND_I8:
    case SB_KIND_SWITCH: v->number = (uint32_t)(int8_t)next_named(f, field, 1); break;
    case SB_KIND_U16: v->number = next_named(f, field, 2); break;
    case SB_KIND_CF16: v->number = next_bytes_as_number(f, 2); break;
    case SB_KIND_U32:
    case SB_KIND_I32:
    case SB_KIND_ADDRESS: v->number = next_named(f, field, 4); break;
    case SB_KIND_ID: v->number = next_id(f); break;
    case SB_KIND_BIT: v->number = next_bit(f); break;
    case SB_KIND_F32:
    case SB_KIND_VEC3:
    case SB_KIND_QUAT:
    case SB_KIND_POSITION: set_reals(f, field, v); break;
    case SB_KIND_CV4: v->number = next_bytes_as_number(f, 2); /* fall through */
    case SB_KIND_CV3: set_direction(f, v); break;
    case SB_KIND_CV4F:
        set_direction(f, v);
        v->real[3] = next_real(f);
        break;
    case SB_KIND_CV4B:
        set_direction(f, v);
        v->number = next_byte(f->s);
        break;
    case SB_KIND_RATIOS: return set_ratios(f, v, count);
    case SB_KIND_TEXT8:
    case SB_KIND_TEXT16:
    case SB_KIND_TEXT32:
    case SB_KIND_TEXT32Z:
    case SB_KIND_BYTES: v->bytes = next_bytes(f->s, next_byte(f->s) & 63); break;
    case SB_KIND_UTF16:
    case SB_KIND_NOTE:
    case SB_KIND_GROUP:
    case SB_KIND_LIST:
    case SB_KIND_COUNT: return SB_ABSENT;
    }
    return SB_GIVEN;
}

/* ---- structure ---- */

/* Fields that make a message opaque or malformed occur too, but less often. */
static bool has(void *self, const sb_field *field)
{
    static const char *const seldom[] = { "trailing", "groups", "opaque", "block", "rest" };
    bool                     wanted = next_bit(self);
    for (size_t i = 0; i < sizeof seldom / sizeof *seldom; i++)
        if (strcmp(field->name, seldom[i]) == 0)
            wanted = wanted && next_bit(self) && next_bit(self);
    return wanted;
}

static sb_answer enter(void *self, const sb_field *field, size_t *count)
{
    field_source *f = self;
    f->depth++;
    if (field->kind == SB_KIND_GROUP || field->fixed) return SB_GIVEN; /* `*count` is right */
    size_t wanted = next_byte(f->s) % (f->depth > 4 ? 2u : 20u);       /* so that recursion ends */
    if (wanted < *count) *count = wanted;
    return SB_GIVEN;
}

static void leave(void *self, const sb_field *field)
{
    (void)field;
    ((field_source *)self)->depth--;
}

/* ---- messages ---- */

/* Every message of the table, and one of a mod. */
static uint8_t next_opcode(script *s)
{
#define OPCODE(code, id, name, published, description, sender, delivery, relay, spec, event_class, \
               event_code)                                                                         \
    id,
    static const uint8_t opcodes[] = { SB_MESSAGE_TABLE(OPCODE) SB_OP_SCRIPT_FIRST };
#undef OPCODE
    return opcodes[next_byte(s) % sizeof opcodes];
}

size_t build_script_message(const script_scene *scene, script *s, uint8_t *out, size_t capacity)
{
    field_source       fields = { .scene = scene, .s = s };
    sb_source          source = { &fields, has, value, enter, leave };
    sb_message_context context = { .ship = scene->ship };
    size_t             size = 0;
    sb_result          built =
        sb_build_message(next_opcode(s), &context, &source, out, capacity, &size, NULL);
    return built == SB_OK ? size : 0;
}

size_t change_script_message(script *s, uint8_t *bytes, size_t size)
{
    uint8_t how = next_byte(s);
    for (unsigned i = how & 3; i > 0; i--) {
        size_t at = next_byte(s) % size;
        bytes[at] = next_byte(s);
    }
    if (how & 4) size = 1 + next_byte(s) % size;
    return size;
}
