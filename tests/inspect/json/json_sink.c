/* tests/inspect/json/json_sink.c -- makes a JSON object of fields, in the first form of each row of
 * json/value.h.
 */
#include "json_sink.h"

#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

static json_t *hex_of(sb_span bytes)
{
    char *text = malloc(2 * bytes.size + 1);
    for (size_t i = 0; i < bytes.size; i++) sprintf(text + 2 * i, "%02X", bytes.data[i]);
    json_t *json = json_stringn(text, 2 * bytes.size);
    free(text);
    return json;
}

static json_t *reals_of(const sb_value *v, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, json_real((double)v->real[i]));
    return list;
}

static json_t *vector_of(const sb_field *f, const sb_value *v)
{
    json_t *list = json_array(), *object = json_object();
    for (int i = 0; i < 3; i++) json_array_append_new(list, json_integer(v->direction[i]));
    if (f->kind == SB_KIND_CV4 || f->kind == SB_KIND_CV4B)
        json_array_append_new(list, json_integer(v->number));
    json_object_set_new(object, "code", list);
    if (f->kind == SB_KIND_CV4F)
        json_object_set_new(object, "magnitude", json_real((double)v->real[3]));
    return object;
}

static json_t *code_of(json_t *code)
{
    json_t *object = json_object();
    json_object_set_new(object, "code", code);
    return object;
}

static json_t *ratios_of(sb_span bytes)
{
    json_t *list = json_array();
    for (size_t i = 0; i < bytes.size; i++)
        json_array_append_new(list, json_integer(bytes.data[i]));
    return code_of(list);
}

static json_t *address_of(uint32_t a)
{
    return json_sprintf("%u.%u.%u.%u", a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255);
}

static json_t *value_of(const sb_field *f, const sb_value *v)
{
    switch (f->kind) {
    case SB_KIND_I8:
    case SB_KIND_I32: return json_integer((int32_t)v->number);
    case SB_KIND_BIT: return json_boolean(v->number);
    case SB_KIND_F32: return json_real((double)v->real[0]);
    case SB_KIND_VEC3:
    case SB_KIND_POSITION: return reals_of(v, 3);
    case SB_KIND_QUAT: return reals_of(v, 4);
    case SB_KIND_CV3:
    case SB_KIND_CV4:
    case SB_KIND_CV4F:
    case SB_KIND_CV4B: return vector_of(f, v);
    case SB_KIND_CF16:
    case SB_KIND_RATIO:
    case SB_KIND_PERCENT:
    case SB_KIND_LEVEL: return code_of(json_integer(v->number));
    case SB_KIND_SWITCH: return code_of(json_integer((int32_t)v->number));
    case SB_KIND_RATIOS: return ratios_of(v->bytes);
    case SB_KIND_TEXT8:
    case SB_KIND_TEXT16:
    case SB_KIND_TEXT32:
    case SB_KIND_TEXT32Z:
    case SB_KIND_UTF16: {
        json_t *object = json_object();
        json_object_set_new(object, "hex", hex_of(v->bytes));
        return object;
    }
    case SB_KIND_ADDRESS: return address_of(v->number);
    case SB_KIND_BYTES: return hex_of(v->bytes);
    case SB_KIND_NOTE: return json_stringn((const char *)v->bytes.data, v->bytes.size);
    default: return json_integer(v->number);
    }
}

static void add(json_sink *s, const char *name, json_t *json)
{
    json_t *level = s->levels[s->depth];
    SB_ASSERT(json);
    if (json_is_array(level)) {
        json_array_append_new(level, json);
        return;
    }
    SB_ASSERT(!json_object_get(level, name)); /* a name must be unique in its group */
    json_object_set_new(level, name, json);
}

static void value(void *self, const sb_field *f, const sb_value *v, size_t offset, size_t size)
{
    (void)offset, (void)size;
    add(self, f->name, value_of(f, v));
}

static void enter(void *self, const sb_field *f)
{
    json_sink *s = self;
    json_t    *level = f->kind == SB_KIND_LIST ? json_array() : json_object();
    add(s, f->name, level);
    SB_ASSERT(s->depth + 1 < JSON_SINK_DEPTH);
    s->levels[++s->depth] = level;
}

static void leave(void *self, const sb_field *f)
{
    (void)f;
    ((json_sink *)self)->depth--;
}

void json_sink_init(json_sink *s)
{
    s->sink = (sb_sink){ s, value, enter, leave };
    s->depth = 0;
    s->levels[0] = json_object();
}

char *json_sink_line(json_sink *s, json_t *head)
{
    json_object_set_new(head, "fields", s->levels[0]);
    char *line = json_dumps(head, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(head);
    return line;
}
