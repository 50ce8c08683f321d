/* src/inspect/field_names.c -- a source that lists every field it is asked for.
 *
 * Tests:    tests/inspect/field_names_test.c
 */
#include "inspect/field_names.h"

#include <starbase/datagram.h>
#include <starbase/message.h>

#include <stdio.h>
#include <strings.h>

#include "base/suggestion.h"
#include "inspect/meta.h"
#include "inspect/value_numbers.h"
#include "message/table.h"

enum {
    CHOICES_MAX = 16,
    LIST_ITEMS = 16, /* of an outer list: covers the subsystem list of a ship */
    LIST_DEPTH = 2 * SB_PATH_NAMES_MAX + 2, /* deeper lists, such as folders, have no name */
    UNIT_BYTES = 1 << 16,
    META_MAX = 64, /* properties of records */
};

/* How the source answers; a set of bits. */
typedef enum mode {
    MODE_HAS = 1,   /* every optional field is there, except bytes that replace other fields */
    MODE_BYTES = 2, /* these bytes are there */
    MODE_ONES = 4,  /* flags and booleans are set */
    MODE_ZERO = 8,  /* plain numbers are 0 ... */
    MODE_ONE = 16,  /* ... or 1; without both, the defaults */
    MODE_COUNT = 32,
} mode;

typedef struct survey {
    sb_field_names *names;
    sb_path         path;
    unsigned        mode;
    /* Fields whose value decides which other fields follow. */
    sb_field choices[CHOICES_MAX];
    size_t   choice_count;
    /* The choice that is changed, or NULL; and its answer. */
    const sb_field *changed;
    uint32_t        number;
} survey;

/* ---- the table ---- */

static bool same_names(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_same(const sb_known_field *known, const sb_path *path, const sb_field *field)
{
    if (known->field.kind != field->kind || known->path.depth != path->depth) return false;
    if (!same_names(known->field.name, field->name)) return false;
    if (!same_names(known->field.published, field->published)) return false;
    for (size_t i = 0; i < path->depth; i++)
        if (!same_names(known->path.names[i], path->names[i])) return false;
    return true;
}

void sb_field_names_add(sb_field_names *names, const sb_path *path, const sb_field *field)
{
    for (size_t i = 0; i < names->count; i++)
        if (is_same(&names->fields[i], path, field)) return;
    if (names->count == SB_FIELD_NAMES_MAX) return;
    names->fields[names->count++] = (sb_known_field){ *path, *field };
}

/* ---- the source ---- */

static void store_choice(survey *s, const sb_field *f)
{
    bool choice = f->kind == SB_KIND_BIT || (f->names && f->kind <= SB_KIND_FLAGS);
    if (!choice || s->choice_count == CHOICES_MAX) return;
    for (size_t i = 0; i < s->choice_count; i++)
        if (strcmp(s->choices[i].name, f->name) == 0) return;
    s->choices[s->choice_count++] = *f;
}

static bool survey_has(void *self, const sb_field *f)
{
    survey *s = self;
    sb_field_names_add(s->names, &s->path, f);
    return (s->mode & (f->kind == SB_KIND_BYTES ? MODE_BYTES : MODE_HAS)) != 0;
}

static sb_answer survey_value(void *self, const sb_field *f, sb_value *out, size_t count)
{
    survey *s = self;
    (void)count;
    sb_field_names_add(s->names, &s->path, f);
    store_choice(s, f);
    if (s->changed && strcmp(s->changed->name, f->name) == 0) {
        out->number = s->number;
        return SB_GIVEN;
    }
    bool bits = f->kind == SB_KIND_BIT || f->kind == SB_KIND_FLAGS;
    if (bits) out->number = !(s->mode & MODE_ONES) ? 0 : f->kind == SB_KIND_BIT ? 1 : UINT8_MAX;
    if (!bits && (f->kind > SB_KIND_ID || !(s->mode & (MODE_ZERO | MODE_ONE)))) return SB_ABSENT;
    if (!bits) out->number = (s->mode & MODE_ONE) != 0;
    return SB_GIVEN;
}

static sb_answer survey_enter(void *self, const sb_field *f, size_t *count)
{
    survey *s = self;
    size_t  max = s->path.depth < 3 ? LIST_ITEMS : s->path.depth < LIST_DEPTH ? 1 : 0;
    sb_field_names_add(s->names, &s->path, f);
    if (f->kind != SB_KIND_LIST) max = 1;
    if (*count > max) *count = max;
    sb_path_push(&s->path, f);
    return SB_GIVEN;
}

static void survey_leave(void *self, const sb_field *f)
{
    survey *s = self;
    (void)f;
    sb_path_pop(&s->path);
}

/* ---- building ---- */

/* A unit that can be built from a source. */
typedef struct unit {
    sb_layer layer;
    uint8_t  opcode; /* MESSAGE */
    sb_side  from;   /* TRANSPORT */
} unit;

static void build(survey *s, const unit *u)
{
    sb_message_context context = { .ship = sb_find_ship(sb_stock_ships(), 1), .own = true };
    const sb_source    source = { s, survey_has, survey_value, survey_enter, survey_leave };
    uint8_t            out[UNIT_BYTES];
    size_t             size;
    sb_path_init(&s->path);
    if (u->layer == SB_LAYER_MESSAGE)
        (void)!sb_build_message(u->opcode, &context, &source, out, sizeof out, &size, NULL);
    else if (u->layer == SB_LAYER_TRANSPORT)
        (void)!sb_build_transport_message(&source, u->from, out, sizeof out, &size, NULL);
    else (void)!sb_build_datagram(&source, out, sizeof out, &size, NULL);
}

/* Builds the unit in every mode; then again with each value of each choice. */
static void survey_unit(sb_field_names *names, const unit *u)
{
    survey s = { .names = names };
    for (s.mode = 0; s.mode < MODE_COUNT; s.mode++) build(&s, u);
    for (size_t i = 0; i < s.choice_count; i++) {
        const sb_field choice = s.choices[i];
        s.changed = &choice;
        for (const sb_name *n = choice.names ? choice.names() : NULL; n && n->name; n++) {
            s.number = n->value;
            for (s.mode = 0; s.mode < MODE_COUNT; s.mode++) build(&s, u);
        }
        s.changed = NULL;
    }
}

/* Opcodes that share a description are surveyed once. */
static bool is_new_description(unsigned opcode)
{
    for (unsigned i = 0; i < opcode; i++)
        if (sb_find_row((uint8_t)i)->walk == sb_find_row((uint8_t)opcode)->walk) return false;
    return sb_find_row((uint8_t)opcode)->walk != NULL;
}

/* Fields that show.c adds, each row from the outside to the inside. */
static void add_shown(sb_field_names *names)
{
#define LIST(name_)                                                                                \
    {                                                                                              \
        .name = name_, .kind = SB_KIND_LIST                                                        \
    }
#define GROUP(name_)                                                                               \
    {                                                                                              \
        .name = name_, .kind = SB_KIND_GROUP                                                       \
    }
#define PAYLOAD LIST("messages"), GROUP(""), GROUP("message")
    static const sb_field rows[][4] = {
        { LIST("pairs"), GROUP(""), { .name = "key", .kind = SB_KIND_TEXT8 } },
        { LIST("pairs"), GROUP(""), { .name = "value", .kind = SB_KIND_TEXT8 } },
        { { .name = "end", .kind = SB_KIND_NOTE } },
        { PAYLOAD, { .name = "opcode", .kind = SB_KIND_U8 } },
        { PAYLOAD, { .name = "name", .kind = SB_KIND_NOTE } },
        { PAYLOAD, GROUP("fields") },
    };
#undef LIST
#undef GROUP
#undef PAYLOAD
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_path path;
        sb_path_init(&path);
        for (size_t k = 0; k < 4 && rows[i][k].name; k++) {
            sb_field_names_add(names, &path, &rows[i][k]);
            sb_path_push(&path, &rows[i][k]);
        }
    }
}

void sb_field_names_init(sb_field_names *names)
{
    names->count = 0;
    for (unsigned opcode = 0; opcode < 256; opcode++)
        if (is_new_description(opcode))
            survey_unit(names, &(unit){ .layer = SB_LAYER_MESSAGE, .opcode = (uint8_t)opcode });
    for (sb_side from = SB_SIDE_UNKNOWN; from <= SB_SIDE_HOST; from++)
        survey_unit(names, &(unit){ .layer = SB_LAYER_TRANSPORT, .from = from });
    survey_unit(names, &(unit){ .layer = SB_LAYER_PLAIN });
    add_shown(names);
}

static void add_defined(sb_field_names *names, sb_path *path, const sb_defined_field *fields,
                        size_t count)
{
    static const sb_field item = { .name = "item", .kind = SB_KIND_GROUP };
    for (size_t i = 0; i < count; i++) {
        const sb_defined_field *f = &fields[i];
        sb_field_names_add(names, path, &f->field);
        if (f->field.kind != SB_KIND_LIST) continue;
        if (!f->to_the_end) sb_field_names_add(names, path, &f->count);
        sb_path_push(path, &f->field);
        sb_path_push(path, &item);
        add_defined(names, path, f->items, f->item_count);
        sb_path_pop(path);
        sb_path_pop(path);
    }
}

void sb_field_names_add_definitions(sb_field_names *names, const sb_definitions *definitions)
{
    static const sb_field misfit = { .name = "misfit", .kind = SB_KIND_NOTE };
    sb_path               path;
    sb_path_init(&path);
    sb_field_names_add(names, &path, &misfit);
    for (unsigned i = 0; definitions && i <= UINT8_MAX; i++)
        if (definitions->of[i])
            add_defined(names, &path, definitions->of[i]->fields, definitions->of[i]->field_count);
}

/* ---- asking ---- */

/* True if values of this kind have the part: an object id has no x. */
static bool has_part(const sb_field *f, sb_part part)
{
    double   numbers[SB_VALUE_NUMBERS_MAX];
    sb_value zero = { 0 };
    if (part == SB_PART_ALL) return true;
    if (f->kind == SB_KIND_GROUP || f->kind == SB_KIND_LIST) return false;
    if (f->kind == SB_KIND_RATIOS) return part == SB_PART_CODE || part == SB_PART_VALUE;
    return sb_value_numbers(f, &zero, part, numbers) > 0;
}

/* The messages in a datagram have their fields under `message.fields`. */
static size_t skip_payload_prefix(const sb_dotted *name)
{
    for (size_t i = 0; i + 2 < name->count; i++)
        if (strncasecmp((const char *)name->names[i].data, "message", name->names[i].size) == 0 &&
            name->names[i].size == 7)
            return i + 1;
    return 0;
}

static bool matches_some(const sb_field_names *names, const sb_dotted *name)
{
    sb_part part;
    for (size_t i = 0; i < names->count; i++) {
        const sb_known_field *known = &names->fields[i];
        if (sb_path_matches(&known->path, &known->field, name, &part) &&
            has_part(&known->field, part))
            return true;
    }
    return false;
}

bool sb_field_names_has(const sb_field_names *names, const sb_dotted *name)
{
    if (matches_some(names, name)) return true;
    size_t    skipped = skip_payload_prefix(name);
    sb_dotted rest = { .count = name->count - skipped };
    memcpy(rest.names, name->names + skipped, rest.count * sizeof *rest.names);
    return skipped > 0 && matches_some(names, &rest);
}

/* Writes "entries.condition", the path without `fields` and without items of lists. */
static void write_path(const sb_known_field *known, char out[SB_FIELD_HINT_MAX])
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 1; i < known->path.depth && at < SB_FIELD_HINT_MAX; i++)
        if (known->path.names[i])
            at += (size_t)snprintf(out + at, SB_FIELD_HINT_MAX - at, "%s.", known->path.names[i]);
    if (at < SB_FIELD_HINT_MAX) snprintf(out + at, SB_FIELD_HINT_MAX - at, "%s", known->field.name);
}

bool sb_field_names_suggest(const sb_field_names *names, sb_span name, char out[SB_FIELD_HINT_MAX])
{
    char        word[SB_FIELD_HINT_MAX], paths[SB_FIELD_NAMES_MAX][SB_FIELD_HINT_MAX];
    const char *words[META_MAX + SB_FIELD_NAMES_MAX];
    size_t      count = 0;
    if (name.size >= sizeof word) return false;
    memcpy(word, name.data, name.size);
    word[name.size] = '\0';
    bool dotted = memchr(word, '.', name.size) != NULL;
    while (count < META_MAX && sb_meta_name(count)) {
        words[count] = sb_meta_name(count);
        count++;
    }
    for (size_t i = 0; i < names->count; i++) {
        if (dotted) write_path(&names->fields[i], paths[i]);
        words[count++] = dotted ? paths[i] : names->fields[i].field.name;
    }
    const char *nearest = sb_suggestion_find(word, words, count);
    if (nearest) snprintf(out, SB_FIELD_HINT_MAX, "%s", nearest);
    return nearest != NULL;
}

void sb_field_names_explain(const sb_field_names *names, sb_span name, char *out, size_t capacity)
{
    char hint[SB_FIELD_HINT_MAX];
    int  size = name.size < 60 ? (int)name.size : 60;
    if (sb_field_names_suggest(names, name, hint))
        snprintf(out, capacity, "no message has a field `%.*s`; did you mean `%s`?", size,
                 (const char *)name.data, hint);
    else
        snprintf(out, capacity,
                 "no message has a field `%.*s`; `starbase messages NAME` lists the fields", size,
                 (const char *)name.data);
}
