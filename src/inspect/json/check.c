/* src/inspect/json/check.c -- compares the built bytes with facts that the line states twice.
 *
 * Tests:    tests/inspect/json/error_test.c
 */
#include "inspect/json/check.h"

#include "inspect/kinds.h"

#include "base/assert.h"

#include <math.h>
#include <starbase/compressed.h>
#include <stdio.h>
#include <string.h>

enum { NUMBERS_MAX = 32 }; /* numbers of one value; no subsystem has as many children */

static sb_json_check_level *top(sb_json_check *c)
{
    SB_ASSERT(c->depth > 0);
    return &c->levels[c->depth - 1];
}

static const json_t *next_member(sb_json_check_level *level, const char *name)
{
    const json_t *json = level->list ? json_array_get(level->json, level->next++)
                                     : json_object_get(level->json, name);
    return json_is_null(json) ? NULL : json;
}

static void disagree(sb_json_check *c, const char *name, const char *reason)
{
    if (c->failed) return;
    c->failed = true;
    sb_json_path p = { .size = 0 };
    sb_json_path_append(&p, c->prefix);
    for (size_t i = 1; i < c->depth; i++)
        sb_json_path_step(&p, c->levels[i].name, c->levels[i].index);
    const sb_json_check_level *level = top(c);
    sb_json_path_step(&p, level->list ? NULL : name, level->list ? level->next - 1 : 0);
    snprintf(c->error->text, sizeof c->error->text, "%s: %s", p.text, reason);
}

/* ---- codes and values ---- */

typedef struct numbers {
    size_t count; /* 0: not numbers, or too many */
    double at[NUMBERS_MAX];
    bool   single; /* not in an array */
} numbers;

static numbers numbers_of(const json_t *json)
{
    numbers n = { .count = 0, .single = json_is_number(json) };
    size_t  count = n.single ? 1 : json_array_size(json);
    if (count > NUMBERS_MAX) return n;
    for (size_t i = 0; i < count; i++) {
        const json_t *item = n.single ? json : json_array_get(json, i);
        n.at[i] = json_is_number(item) ? json_number_value(item) : NAN; /* null: not finite */
    }
    n.count = count;
    return n;
}

static numbers shown_numbers(const sb_field *field, const sb_value *value)
{
    bool    vector = field->kind >= SB_KIND_CV3 && field->kind <= SB_KIND_CV4B;
    numbers n = { .count = vector ? 3 : 1, .single = !vector };
    if (field->kind == SB_KIND_RATIOS) {
        n.count = value->bytes.size <= NUMBERS_MAX ? value->bytes.size : 0;
        n.single = false;
    }
    for (size_t i = 0; i < n.count; i++)
        n.at[i] =
            field->kind == SB_KIND_RATIOS ? sb_decode_ratio(value->bytes.data[i]) : value->real[i];
    return n;
}

/* The tolerance is 1e-6 of the largest number, so that rounding by other programs is no change. A
 * decimal text of a subnormal float has fewer digits than that; the text is right if it gives the
 * same float. */
static bool agree(const numbers *a, const numbers *b)
{
    if (a->count != b->count || a->single != b->single) return false;
    double largest = 0;
    for (size_t i = 0; i < b->count; i++)
        if (isfinite(b->at[i])) largest = fmax(largest, fabs(b->at[i]));
    for (size_t i = 0; i < a->count; i++) {
        if (isnan(a->at[i]) && !isfinite(b->at[i])) continue;
        if ((float)a->at[i] == (float)b->at[i]) continue;
        if (!(fabs(a->at[i] - b->at[i]) <= 1e-6 * largest)) return false;
    }
    return true;
}

static void describe(const numbers *n, char *buffer, size_t capacity)
{
    size_t at = 0;
    buffer[0] = '\0';
    if (n->count == 0) snprintf(buffer, capacity, "that");
    for (size_t i = 0; i < n->count && at + 24 < capacity; i++)
        at += (size_t)snprintf(buffer + at, capacity - at, "%s%.6g",
                               n->single ? ""
                               : i       ? ","
                                         : "[",
                               n->at[i]);
    if (n->count > 0 && !n->single) snprintf(buffer + at, capacity - at, "]");
}

static bool is_lossy(sb_kind kind)
{
    return kind >= SB_KIND_CF16 && kind <= SB_KIND_SWITCH;
}

static void check_code(sb_json_check *c, const json_t *json, const sb_field *field,
                       const sb_value *shown)
{
    const json_t *code = json_object_get(json, "code"), *stated = json_object_get(json, "value");
    if (!code || !stated || json_is_null(stated)) return;
    numbers is = shown_numbers(field, shown), said = numbers_of(stated);
    if (agree(&said, &is)) return;
    char           means[96], not [96];
    sb_json_reason reason = { "" };
    describe(&is, means, sizeof means);
    describe(&said, not, sizeof not );
    if (json_is_number(code))
        sb_json_refuse(&reason, "code %.0f means %s, not %s; remove one of them",
                       json_number_value(code), means, not );
    else sb_json_refuse(&reason, "the code means %s, not %s; remove one of them", means, not );
    disagree(c, field->name, reason.text);
}

/* Checks `on` of a switch and `magnitude` of a vector. */
static void check_extras(sb_json_check *c, const json_t *json, const sb_field *field,
                         const sb_value *shown)
{
    const json_t *on = json_object_get(json, "on"), *length = json_object_get(json, "magnitude");
    bool          is_on = (int32_t)shown->number > 0;
    if (field->kind == SB_KIND_SWITCH && json_is_boolean(on) && json_is_true(on) != is_on &&
        shown->number != 0)
        disagree(c, field->name, "code and on differ; remove one of them");
    if (field->kind != SB_KIND_CV4F || !json_is_number(length)) return;
    numbers said = numbers_of(length), is = { 1, { shown->real[3] }, true };
    if (!agree(&said, &is))
        disagree(c, field->name, "value and magnitude differ; remove one of them");
}

/* ---- facts that follow from other fields ---- */

static void check_derived(sb_json_check *c, const json_t *json, const sb_field *field,
                          const sb_value *shown)
{
    uint32_t       number = 0;
    sb_json_reason reason = { "" };
    if (!sb_json_read_integer(json, 0, UINT16_MAX, NULL, &number, &reason)) {
        disagree(c, field->name, reason.text);
    } else if (number != shown->number) {
        sb_json_refuse(&reason, "%u, but the other fields make it %u; remove it, it is computed",
                       number, shown->number);
        disagree(c, field->name, reason.text);
    }
}

static void check_note(sb_json_check *c, const json_t *json, const sb_field *field,
                       const sb_value *shown)
{
    sb_span        text = shown->bytes;
    sb_json_reason reason = { "" };
    bool           is_name = sb_is_name_note(field);
    if (strcmp(field->name, "subsystem") != 0 && !is_name) return; /* others are not checked */
    if (json_is_string(json) && json_string_length(json) == text.size &&
        memcmp(json_string_value(json), text.data, text.size) == 0)
        return;
    if (is_name)
        sb_json_refuse(&reason, "%s, but the number is called \"%.*s\"; remove it, it is implied",
                       SB_JSON_DESCRIBE(json), (int)text.size, (const char *)text.data);
    else
        sb_json_refuse(&reason,
                       "%s, but the ship's list has \"%.*s\" here; remove it, or put the entry "
                       "where it belongs",
                       SB_JSON_DESCRIBE(json), (int)text.size, (const char *)text.data);
    disagree(c, field->name, reason.text);
}

/* ---- the sink ---- */

static void value(void *self, const sb_field *field, const sb_value *shown, size_t offset,
                  size_t size)
{
    sb_json_check *c = self;
    const json_t  *json = next_member(top(c), field->name);
    (void)offset;
    (void)size;
    if (!json) return;
    if (field->derived) check_derived(c, json, field, shown);
    if (field->kind == SB_KIND_NOTE) check_note(c, json, field, shown);
    if (!is_lossy(field->kind) || !json_is_object(json)) return;
    check_code(c, json, field, shown);
    check_extras(c, json, field, shown);
}

static void enter(void *self, const sb_field *field)
{
    sb_json_check *c = self;
    SB_ASSERT(c->depth < SB_JSON_DEPTH_MAX);
    sb_json_check_level *level = top(c);
    sb_json_check_level *inner = &c->levels[c->depth++];
    inner->name = level->list ? NULL : field->name;
    inner->index = level->next;
    inner->json = next_member(level, field->name);
    inner->list = field->kind == SB_KIND_LIST;
    inner->next = 0;
}

static void leave(void *self, const sb_field *field)
{
    sb_json_check *c = self;
    (void)field;
    SB_ASSERT(c->depth > 1);
    c->depth--;
}

void sb_json_check_init(sb_json_check *c, const json_t *object, const char *prefix,
                        sb_json_error *error)
{
    c->sink = (sb_sink){ c, value, enter, leave };
    c->prefix = prefix;
    c->error = error;
    c->failed = false;
    c->depth = 1;
    c->levels[0] = (sb_json_check_level){ .json = object };
}
