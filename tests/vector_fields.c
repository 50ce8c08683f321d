/* tests/vector_fields.c -- see vector_fields.h. */
#include "vector_fields.h"

#include <starbase/compressed.h>

#include "vector_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- paths ---- */

static void push(field_place *p, const char *base, bool list, size_t field)
{
    if (p->depth == sizeof p->levels / sizeof *p->levels) abort();
    field_level *level = &p->levels[p->depth++];
    *level = (field_level){ .list = list, .field = field };
    snprintf(level->base, sizeof level->base, "%s", base);
}

/* The path of a field at this place; inside a list it is the current item. */
static void path_of(const field_place *p, const char *name, char out[256])
{
    const field_level *level = &p->levels[p->depth - 1];
    if (level->list) snprintf(out, 256, "%s[%zu]", level->base, level->item);
    else snprintf(out, 256, "%s%s%s", level->base, *level->base ? "." : "", name);
}

const shown_field *shown_fields_find(const shown_fields *s, const char *path)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->fields[i].path, path) == 0) return &s->fields[i];
    return NULL;
}

/* ---- recording ---- */

void shown_fields_init(shown_fields *s)
{
    *s = (shown_fields){ 0 };
    push(&s->place, "", false, 0);
}

void shown_fields_free(shown_fields *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->fields[i].path);
        free((void *)(uintptr_t)s->fields[i].value.bytes.data);
    }
    free(s->fields);
    *s = (shown_fields){ 0 };
}

void shown_fields_enter(shown_fields *s, const char *base)
{
    s->place.depth = 0;
    push(&s->place, base, false, 0);
}

static sb_span copy_of(sb_span bytes)
{
    uint8_t *copy = malloc(bytes.size + 1);
    if (!copy) abort();
    if (bytes.size > 0) memcpy(copy, bytes.data, bytes.size);
    return (sb_span){ copy, bytes.size };
}

static shown_field *add(shown_fields *s, const char *path, sb_kind kind, const sb_value *value)
{
    if (s->count % 64 == 0) {
        shown_field *more = realloc(s->fields, (s->count + 64) * sizeof *more);
        if (!more) abort();
        s->fields = more;
    }
    shown_field *f = &s->fields[s->count++];
    *f = (shown_field){ .path = strdup(path), .kind = kind, .value = *value };
    f->value.bytes = copy_of(value->bytes);
    return f;
}

static shown_field *add_here(shown_fields *s, const sb_field *field, const sb_value *value)
{
    char         path[256];
    field_level *level = &s->place.levels[s->place.depth - 1];
    path_of(&s->place, field->name, path);
    if (level->list) {
        level->item++;
        s->fields[level->field].items++;
    }
    return add(s, path, field->kind, value);
}

static void record_value(void *self, const sb_field *field, const sb_value *value, size_t offset,
                         size_t size)
{
    shown_field *f = add_here(self, field, value);
    f->offset = offset;
    f->size = size;
}

static void record_enter(void *self, const sb_field *field)
{
    static const sb_value nothing = { 0 };
    shown_fields         *s = self;
    const shown_field    *f = add_here(s, field, &nothing);
    push(&s->place, f->path, field->kind == SB_KIND_LIST, s->count - 1);
}

static void record_leave(void *self, const sb_field *field)
{
    shown_fields *s = self;
    (void)field;
    s->place.depth--;
}

sb_sink shown_fields_sink(shown_fields *s)
{
    return (sb_sink){ s, record_value, record_enter, record_leave };
}

void shown_fields_add_number(shown_fields *s, const char *path, sb_kind kind, uint32_t number)
{
    sb_value value = { .number = number };
    (void)add(s, path, kind, &value);
}

void shown_fields_add_text(shown_fields *s, const char *path, sb_kind kind, sb_span text)
{
    sb_value value = { .bytes = text };
    (void)add(s, path, kind, &value);
}

/* ---- replaying ---- */

static const shown_field *find_here(const field_replay *r, const sb_field *field)
{
    char path[256];
    path_of(&r->place, field->name, path);
    return shown_fields_find(r->fields, path);
}

static void pass_item(field_replay *r)
{
    field_level *level = &r->place.levels[r->place.depth - 1];
    if (level->list) level->item++;
}

static bool replay_has(void *self, const sb_field *field)
{
    return find_here(self, field) != NULL;
}

static sb_answer replay_value(void *self, const sb_field *field, sb_value *value, size_t count)
{
    const shown_field *f = find_here(self, field);
    if (!f) return SB_ABSENT;
    if (f->kind != field->kind) return SB_REFUSED;
    if (count != (field->kind == SB_KIND_RATIOS ? f->value.bytes.size : 0)) return SB_REFUSED;
    *value = f->value;
    pass_item(self);
    return SB_GIVEN;
}

static sb_answer replay_enter(void *self, const sb_field *field, size_t *count)
{
    field_replay      *r = self;
    const shown_field *f = find_here(r, field);
    if (!f) {
        push(&r->place, "(nothing)", field->kind == SB_KIND_LIST, 0);
        return SB_ABSENT;
    }
    *count = field->kind == SB_KIND_LIST ? f->items : 1;
    pass_item(r);
    push(&r->place, f->path, field->kind == SB_KIND_LIST, 0);
    return SB_GIVEN;
}

static void replay_leave(void *self, const sb_field *field)
{
    field_replay *r = self;
    (void)field;
    r->place.depth--;
}

sb_source field_replay_source(field_replay *r, const shown_fields *fields)
{
    *r = (field_replay){ .fields = fields };
    push(&r->place, "", false, 0);
    return (sb_source){ r, replay_has, replay_value, replay_enter, replay_leave };
}

/* ---- comparing ---- */

bool number_agrees(double value, const char *text)
{
    char  *end;
    double stated = strtod(text, &end);
    if (end == text || *end) return false;
    if (isinf(stated) || isinf(value)) return stated == value;
    const char *point = strchr(text, '.'), *power = strpbrk(text, "eE");
    if (!point && !power) return (float)stated == (float)value;
    int decimals = point ? (int)strspn(point + 1, "0123456789") : 0;
    int exponent = power ? (int)strtol(power + 1, NULL, 10) : 0;
    return fabs(value - stated) <= 0.5000001 * pow(10, exponent - decimals);
}

bool numbers_agree(const float *values, size_t count, const char *text)
{
    char copy[256], *rest = copy;
    snprintf(copy, sizeof copy, "%s", text);
    for (size_t i = 0; i < count; i++) {
        char *comma = strchr(rest, ',');
        if ((comma == NULL) != (i + 1 == count)) return false;
        if (comma) *comma = '\0';
        if (!number_agrees((double)values[i], rest)) return false;
        rest = comma ? comma + 1 : rest;
    }
    return true;
}

typedef struct comparison {
    char  *why;
    size_t capacity;
} comparison;

static bool differ(const comparison *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool differ(const comparison *c, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(c->why, c->capacity, format, list);
    va_end(list);
    return false;
}

static bool is_signed(sb_kind kind)
{
    return kind == SB_KIND_I8 || kind == SB_KIND_I32 || kind == SB_KIND_SWITCH;
}

static bool same_integer(const comparison *c, sb_kind kind, uint32_t number, const char *text)
{
    char     *end;
    long long stated = strtoll(text, &end, 0);
    long long there = is_signed(kind) ? (long long)(int32_t)number : (long long)number;
    if (kind == SB_KIND_BIT && strcmp(text, "true") == 0) stated = 1, end = "";
    if (kind == SB_KIND_BIT && strcmp(text, "false") == 0) stated = 0, end = "";
    if (*end || end == text) return differ(c, "'%s' is not a number", text);
    return stated == there || differ(c, "is %lld (0x%llX)", there, (unsigned long long)there);
}

static bool same_reals(const comparison *c, const float *values, size_t count, const char *text)
{
    if (numbers_agree(values, count, text)) return true;
    char   all[128] = "";
    size_t at = 0;
    for (size_t i = 0; i < count && at < sizeof all; i++)
        at +=
            (size_t)snprintf(all + at, sizeof all - at, "%s%.9g", i ? ", " : "", (double)values[i]);
    return differ(c, "is %s", all);
}

static bool same_direction(const comparison *c, const int8_t direction[3], const char *text)
{
    float values[3] = { direction[0], direction[1], direction[2] };
    return same_reals(c, values, 3, text);
}

static bool same_bytes(const comparison *c, sb_span there, const uint8_t *stated, size_t size)
{
    if (size == SIZE_MAX) return differ(c, "the value is not of the field's form");
    if (there.size == size && (size == 0 || memcmp(there.data, stated, size) == 0)) return true;
    char   hex[200] = "";
    size_t at = 0;
    for (size_t i = 0; i < there.size && at + 4 < sizeof hex; i++)
        at += (size_t)snprintf(hex + at, sizeof hex - at, " %02X", there.data[i]);
    return differ(c, "is %zu bytes:%s", there.size, hex);
}

static uint8_t buffer[70000];

static bool same_hex(const comparison *c, sb_span there, const char *text)
{
    return same_bytes(c, there, buffer, vector_hex(text, buffer, sizeof buffer));
}

static bool same_text(const comparison *c, sb_span there, const char *text)
{
    return same_bytes(c, there, buffer, vector_unquote(text, buffer, sizeof buffer));
}

/* "Cady2" stands for UTF-16LE with a terminator. */
static bool same_utf16(const comparison *c, sb_span there, const char *text)
{
    static uint8_t wide[1024];
    size_t         size = vector_unquote(text, buffer, sizeof wide / 2 - 1);
    if (size == SIZE_MAX) return same_hex(c, there, text);
    for (size_t i = 0; i < size; i++) {
        wide[2 * i] = buffer[i];
        wide[2 * i + 1] = 0;
    }
    wide[2 * size] = wide[2 * size + 1] = 0;
    return same_bytes(c, there, wide, 2 * size + 2);
}

static bool same_address(const comparison *c, uint32_t address, const char *text)
{
    char dotted[32];
    snprintf(dotted, sizeof dotted, "%u.%u.%u.%u", address >> 24, address >> 16 & 255,
             address >> 8 & 255, address & 255);
    return strcmp(dotted, text) == 0 || differ(c, "is %s", dotted);
}

static bool same_value(const comparison *c, const shown_field *f, const char *text)
{
    switch (f->kind) {
    case SB_KIND_F32:
    case SB_KIND_CF16:
    case SB_KIND_RATIO:
    case SB_KIND_PERCENT:
    case SB_KIND_LEVEL:
    case SB_KIND_SWITCH: return same_reals(c, f->value.real, 1, text);
    case SB_KIND_VEC3:
    case SB_KIND_POSITION:
    case SB_KIND_CV3:
    case SB_KIND_CV4:
    case SB_KIND_CV4F:
    case SB_KIND_CV4B: return same_reals(c, f->value.real, 3, text);
    case SB_KIND_QUAT: return same_reals(c, f->value.real, 4, text);
    case SB_KIND_TEXT8:
    case SB_KIND_TEXT16:
    case SB_KIND_TEXT32:
    case SB_KIND_TEXT32Z:
    case SB_KIND_NOTE: return same_text(c, f->value.bytes, text);
    case SB_KIND_UTF16: return same_utf16(c, f->value.bytes, text);
    case SB_KIND_ADDRESS: return same_address(c, f->value.number, text);
    case SB_KIND_BYTES: return same_hex(c, f->value.bytes, text);
    case SB_KIND_RATIOS:
    case SB_KIND_GROUP:
    case SB_KIND_LIST: return differ(c, "has no value of its own");
    default: return same_integer(c, f->kind, f->value.number, text);
    }
}

static bool same_code(const comparison *c, const shown_field *f, const char *text)
{
    switch (f->kind) {
    case SB_KIND_CV3:
    case SB_KIND_CV4:
    case SB_KIND_CV4F:
    case SB_KIND_CV4B: return same_direction(c, f->value.direction, text);
    case SB_KIND_RATIOS: return same_hex(c, f->value.bytes, text);
    case SB_KIND_CF16:
    case SB_KIND_RATIO:
    case SB_KIND_PERCENT:
    case SB_KIND_LEVEL:
    case SB_KIND_SWITCH: return same_integer(c, f->kind, f->value.number, text);
    default: return differ(c, "has no code");
    }
}

static bool same_magnitude(const comparison *c, const shown_field *f, const char *text)
{
    float magnitude = f->value.real[3];
    if (f->kind == SB_KIND_CV4) magnitude = sb_decode_cf16((uint16_t)f->value.number);
    if (f->kind == SB_KIND_CV4B) magnitude = sb_decode_ratio((uint8_t)f->value.number);
    if (f->kind < SB_KIND_CV4 || f->kind > SB_KIND_CV4B) return differ(c, "has no magnitude");
    return same_reals(c, &magnitude, 1, text);
}

static bool same_magnitude_code(const comparison *c, const shown_field *f, const char *text)
{
    if (f->kind != SB_KIND_CV4 && f->kind != SB_KIND_CV4B) return differ(c, "has no such code");
    return same_integer(c, SB_KIND_U16, f->value.number, text);
}

static bool same_offset(const comparison *c, const shown_field *f, const char *text)
{
    return same_integer(c, SB_KIND_U32, (uint32_t)f->offset, text);
}

static bool same_count(const comparison *c, const shown_field *f, const char *text)
{
    if (f->kind != SB_KIND_LIST) return differ(c, "is not a list");
    return same_integer(c, SB_KIND_U32, (uint32_t)f->items, text);
}

/* Longer endings first. */
static const struct {
    const char *ending;
    bool (*same)(const comparison *c, const shown_field *f, const char *text);
} aspects[] = {
    { ".magnitude.code", same_magnitude_code },
    { ".magnitude", same_magnitude },
    { ".code", same_code },
    { ".offset", same_offset },
    { ".count", same_count },
};

bool shown_fields_agree(const shown_fields *s, size_t size, const char *path, const char *value,
                        char *why, size_t capacity)
{
    comparison         c = { why, capacity };
    const shown_field *f = shown_fields_find(s, path);
    if (strcmp(path, "bytes") == 0) return same_integer(&c, SB_KIND_U32, (uint32_t)size, value);
    if (strcmp(value, "none") == 0) return !f || differ(&c, "is there");
    if (f) return same_value(&c, f, value);
    for (size_t i = 0; i < sizeof aspects / sizeof *aspects; i++) {
        char   base[256];
        size_t length = strlen(path), tail = strlen(aspects[i].ending);
        if (length <= tail || strcmp(path + length - tail, aspects[i].ending) != 0) continue;
        snprintf(base, sizeof base, "%.*s", (int)(length - tail), path);
        f = shown_fields_find(s, base);
        if (f) return aspects[i].same(&c, f, value);
    }
    return differ(&c, "there is no such field");
}
