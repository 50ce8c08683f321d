/* src/message/definition.c -- shows and builds messages of mods by their definitions.
 *
 * For:      message.c, scripts.c.
 * Spec:     09 §9.1.
 * Tests:    tests/message/definition_test.c, tests/apps/define_test.py
 */
#include "message/definition.h"

#include "base/text.h"
#include "message/when.h"

#include <strings.h>

const sb_message_type *sb_find_defined_type(const sb_definitions *definitions, uint8_t opcode)
{
    const sb_definition *d = definitions ? definitions->of[opcode] : NULL;
    return d ? &d->type : sb_find_message_type(opcode);
}

const sb_message_type *sb_find_defined_type_by_name(const sb_definitions *definitions,
                                                    const char           *name)
{
    for (unsigned i = 0; definitions && i <= UINT8_MAX; i++)
        if (definitions->of[i] && strcasecmp(definitions->of[i]->type.name, name) == 0)
            return &definitions->of[i]->type;
    return sb_find_message_type_by_name(name);
}

const sb_definition *sb_definition_of(const sb_message_context *context, uint8_t opcode)
{
    return context->definitions ? context->definitions->of[opcode] : NULL;
}

/* ---- walking ---- */

/* The struct member of one field of any kind. */
typedef union member {
    uint8_t  byte;
    int8_t   small;
    uint16_t half;
    uint32_t word;
    bool     flag;
    sb_quat  quat; /* the largest of the vectors */
    sb_cv4f  vector;
    sb_span  span;
} member;

/* The fields of one level that were walked so far, for conditions. */
typedef struct scope {
    const sb_defined_field *fields;
    size_t                  count; /* walked */
    uint32_t                numbers[SB_DEFINED_FIELDS_MAX];
    bool                    present[SB_DEFINED_FIELDS_MAX];
} scope;

static bool find_number(const void *self, sb_span name, uint32_t *number)
{
    const scope *s = self;
    for (size_t i = 0; i < s->count; i++) {
        if (!sb_text_equals(name, s->fields[i].field.name)) continue;
        *number = s->numbers[i];
        return s->present[i];
    }
    return false;
}

static uint32_t number_of(sb_kind kind, const member *m)
{
    switch (kind) {
    case SB_KIND_BIT: return m->flag;
    case SB_KIND_U8:
    case SB_KIND_FLAGS: return m->byte;
    case SB_KIND_I8: return (uint32_t)m->small;
    case SB_KIND_U16: return m->half;
    default: return m->word;
    }
}

static void walk_fields(sb_walk *w, const sb_defined_field *fields, size_t count);

static void walk_item(sb_walk *w, const sb_defined_field *f)
{
    static const sb_field item = { SB_FIELD_NAME("item"), .kind = SB_KIND_GROUP };
    sb_walk_enter_group(w, &item);
    walk_fields(w, f->items, f->item_count);
    sb_walk_leave(w, &item);
}

/* An item without bytes would repeat for ever. */
static void read_items_to_the_end(sb_walk *w, const sb_defined_field *f)
{
    while (w->r.left > 0) { /* 0 after a failure */
        size_t before = w->r.left;
        walk_item(w, f);
        if (w->r.left == before) sb_reader_fail(&w->r, SB_BAD_VALUE);
    }
}

static void walk_list(sb_walk *w, const sb_defined_field *f)
{
    size_t count = 0;
    if (f->to_the_end) sb_walk_enter_list(w, &f->field, &count, UINT16_MAX);
    else
        sb_walk_count_slow(w, &f->count, &f->field, &count,
                           f->count.kind == SB_KIND_U16 ? UINT16_MAX : UINT8_MAX);
    if (f->to_the_end && !sb_walk_builds(w)) read_items_to_the_end(w, f);
    for (size_t i = 0; i < count && !sb_walk_has_failed(w); i++) walk_item(w, f);
    sb_walk_leave(w, &f->field);
}

static void walk_fields(sb_walk *w, const sb_defined_field *fields, size_t count)
{
    scope s = { .fields = fields };
    for (; s.count < count && !sb_walk_has_failed(w); s.count++) {
        const sb_defined_field *f = &fields[s.count];
        member                  m;
        memset(&m, 0, sizeof m);
        s.present[s.count] = sb_when_holds(f->field.when, find_number, &s);
        if (!s.present[s.count]) continue;
        if (f->field.kind == SB_KIND_LIST) walk_list(w, f);
        else sb_walk_field(w, &f->field, &m);
        s.numbers[s.count] = number_of(f->field.kind, &m);
    }
}

void sb_walk_definition(sb_walk *w, const sb_definition *definition)
{
    walk_fields(w, definition->fields, definition->field_count);
}

static void ignore_value(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    (void)self, (void)f, (void)v, (void)at, (void)size;
}

static void ignore_bracket(void *self, const sb_field *f)
{
    (void)self, (void)f;
}

bool sb_definition_fits(const sb_definition *definition, sb_span payload, sb_refusal *why)
{
    static const sb_sink no_sink = { NULL, ignore_value, ignore_bracket, ignore_bracket };
    uint8_t              groups[SB_GROUPS_MAX];
    sb_walk              w = { .sink = &no_sink };
    sb_reader_init(&w.r, payload, groups);
    sb_reader_skip(&w.r, 1);
    sb_walk_definition(&w, definition);
    *why = (sb_refusal){ w.r.status, w.field_at, w.field ? w.field->name : NULL };
    return w.r.status == SB_OK;
}

static const sb_field f_misfit = { SB_FIELD_NAME("misfit"), .kind = SB_KIND_NOTE, .brief = true };

bool sb_definition_is_bypassed(const sb_source *source)
{
    static const sb_field content = { SB_FIELD_NAME("content"), .kind = SB_KIND_BYTES };
    if (!source->has(source->self, &content)) return false;
    (void)source->has(source->self, &f_misfit); /* lets the source accept the key */
    return true;
}

/* ---- notes ---- */

enum { NOTE_BYTES_MAX = 200 };

/* Appends as much of `more` as fits. */
static void append(char text[NOTE_BYTES_MAX], const char *more)
{
    size_t size = strlen(text), added = strlen(more);
    if (added > NOTE_BYTES_MAX - 1 - size) added = NOTE_BYTES_MAX - 1 - size;
    memcpy(text + size, more, added);
    text[size + added] = '\0';
}

static void append_number(char text[NOTE_BYTES_MAX], size_t number)
{
    char  digits[24];
    char *at = digits + sizeof digits - 1;
    *at = '\0';
    do *--at = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    append(text, at);
}

void sb_show_definition_misfit(sb_walk *w, const sb_definition *definition, const sb_refusal *why)
{
    char text[NOTE_BYTES_MAX] = "not as ";
    append(text, definition->type.name);
    append(text, " is defined: ");
    append(text, why->field ? why->field : "a field");
    append(text, " at offset ");
    append_number(text, why->offset);
    append(text, ": ");
    append(text, sb_result_text(why->result));
    sb_walk_show_note(w, &f_misfit, text);
}

enum { RUN_BYTES_MIN = 4, RUNS_BYTES_MAX = 120 };

static bool is_printable(uint8_t byte)
{
    return byte >= 0x20 && byte < 0x7F;
}

void sb_show_text_runs(sb_walk *w, sb_span bytes)
{
    static const sb_field f_text = { SB_FIELD_NAME("text"), .kind = SB_KIND_NOTE, .brief = true };
    char                  text[RUNS_BYTES_MAX + 1];
    size_t                size = 0;
    for (size_t at = 0; at < bytes.size;) {
        size_t end = at;
        while (end < bytes.size && is_printable(bytes.data[end])) end++;
        size_t run = end - at, blank = size > 0, room = RUNS_BYTES_MAX - size;
        if (run >= RUN_BYTES_MIN && room > blank) {
            if (blank) text[size++] = ' ';
            if (run > room - blank) run = room - blank;
            memcpy(text + size, bytes.data + at, run);
            size += run;
        }
        at = end + 1;
    }
    text[size] = '\0';
    if (size > 0) sb_walk_show_note(w, &f_text, text);
    else if (sb_walk_builds(w)) (void)w->source->has(w->source->self, &f_text);
}
