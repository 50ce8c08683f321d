/* src/load/definition_table.c -- see definition_table.h.
 *
 * Tests:    tests/load/definition_table_test.c
 */
#include "load/definition_table.h"

#include "base/suggestion.h"
#include "message/when.h"
#include "wire/kind_words.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MESSAGES_MAX = 202, WHEN_BYTES_MAX = 200 };

/* A field as the file has it. */
typedef struct field_row {
    const char       *name, *kind, *when, *unit, *count;
    sb_defined_field *items;
    size_t            item_count;
    unsigned          depth;
} field_row;

/* The fields of a message or item, while they are read. */
typedef struct field_list {
    sb_defined_field fields[SB_DEFINED_FIELDS_MAX];
    size_t           count;
    unsigned         depth;
} field_list;

/* ---- one field ---- */

static bool is_name(const char *text)
{
    bool letter = (text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z');
    for (const char *c = text; *c; c++) {
        bool fine = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                    (*c >= '0' && *c <= '9') || *c == '_';
        if (!fine) return false;
    }
    return letter;
}

/* These keys of a JSON line mean something else. */
static bool is_reserved(const char *name)
{
    static const char *const words[] = { "content", "trailing", "groups", "misfit" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], name) == 0) return true;
    return false;
}

static void check_name(sb_lua *lua, const field_list *list, const char *name)
{
    if (!is_name(name))
        sb_lua_fail_at(lua, "name", "`%s` must be letters, digits and _, a letter first", name);
    if (is_reserved(name)) sb_lua_fail_at(lua, "name", "`%s` is reserved; use another name", name);
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->fields[i].field.name, name) == 0)
            sb_lua_fail_at(lua, "name", "`%s` is the name of an earlier field, too", name);
}

static const char *nearest_kind(const char *word)
{
    const char *words[SB_KIND_COUNT];
    for (unsigned i = 0; i < SB_KIND_COUNT; i++)
        words[i] = sb_kind_is_definable((sb_kind)i) ? sb_kind_word((sb_kind)i) : NULL;
    return sb_suggestion_find(word, words, SB_KIND_COUNT);
}

static sb_kind read_kind(sb_lua *lua, const char *word)
{
    sb_kind kind;
    if (sb_find_kind(word, &kind) && sb_kind_is_definable(kind)) return kind;
    const char *near = nearest_kind(word);
    if (near) sb_lua_fail_at(lua, "kind", "`%s` is not a kind; did you mean `%s`?", word, near);
    sb_lua_fail_at(lua, "kind",
                   "`%s` is not a kind; kinds are u8 s8 u16 u32 i32 id flags bit f32 vec3 position "
                   "quat cf16 cv3 cv4 cv4f cv4b ratio percent level switch lstr8 lstr16 lstr32 "
                   "lstr32z ipv4 bytes list",
                   word);
}

/* A condition compares whole numbers of earlier fields of the same level. */
static void check_when(sb_lua *lua, const field_list *list, const char *when)
{
    sb_when_clause clause;
    if (!when) return;
    if (!sb_when_is_numeric(when))
        sb_lua_fail_at(lua, "when",
                       "`%s` is not a condition; write `mode is 1,2`, `mode is not 3..9`, `flags "
                       "has 0x04` or `flags lacks 1`, joined by `and`, `or`",
                       when);
    for (const char *at = when; at;) {
        if (!sb_when_next_clause(&at, &clause)) return;
        size_t i = 0;
        while (i < list->count) {
            const char *name = list->fields[i].field.name;
            if (strlen(name) == clause.name.size &&
                memcmp(name, clause.name.data, clause.name.size) == 0)
                break;
            i++;
        }
        if (i == list->count || list->fields[i].field.kind > SB_KIND_BIT)
            sb_lua_fail_at(lua, "when", "`%.*s` is not an earlier field with a whole number",
                           (int)clause.name.size, (const char *)clause.name.data);
    }
}

static void read_item_fields(sb_lua *lua, void *record);

static const char *const positions[] = { "name", "kind", NULL };
#define ROW(member) offsetof(field_row, member)
static const sb_lua_field row_fields[] = {
    { "name", SB_LUA_TEXT, false, ROW(name), .count = SB_DATA_NAME_MAX },
    { "kind", SB_LUA_TEXT, false, ROW(kind), .count = SB_DATA_NAME_MAX },
    { "when", SB_LUA_TEXT, true, ROW(when), .count = WHEN_BYTES_MAX },
    { "unit", SB_LUA_TEXT, true, ROW(unit), .count = SB_DATA_NAME_MAX },
    { "count", SB_LUA_TEXT, true, ROW(count), .count = SB_DATA_NAME_MAX },
    { "fields", SB_LUA_PART, true, 0, .read = read_item_fields },
    { NULL },
};

/* "crew" has the count "crew_count". */
static const char *count_name(sb_lua *lua, const char *list)
{
    size_t size = strlen(list) + sizeof "_count";
    char  *name = sb_lua_allocate(lua, size);
    snprintf(name, size, "%s_count", list);
    return name;
}

/* True if each item has bytes of its own, so that the items to the end can be counted. */
static bool has_bytes(const field_row *row)
{
    for (size_t i = 0; i < row->item_count; i++)
        if (row->items[i].field.kind != SB_KIND_BIT && !row->items[i].field.when) return true;
    return false;
}

static void finish_list(sb_lua *lua, const field_row *row, sb_defined_field *out)
{
    const char *count = row->count ? row->count : "u8";
    if (row->item_count == 0) sb_lua_fail_at(lua, "fields", "is missing: the fields of an item");
    out->items = row->items;
    out->item_count = row->item_count;
    out->to_the_end = strcmp(count, "rest") == 0;
    if (out->to_the_end && !has_bytes(row))
        sb_lua_fail_at(lua, "fields", "needs a field without `when` that is not a bit");
    bool wide = strcmp(count, "u16") == 0;
    if (!out->to_the_end && !wide && strcmp(count, "u8") != 0)
        sb_lua_fail_at(lua, "count", "must be `u8`, `u16` or `rest`, is `%s`", count);
    out->count = (sb_field){ .name = count_name(lua, row->name),
                             .kind = wide ? SB_KIND_U16 : SB_KIND_U8,
                             .when = row->when,
                             .derived = true };
    out->field.count = out->to_the_end ? "@rest" : out->count.name;
}

static void check_text(sb_lua *lua, const char *key, const char *text)
{
    for (; text && *text; text++)
        if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ')
            sb_lua_fail_at(lua, key, "must not have quotes, backslashes or control characters");
}

static void read_field(sb_lua *lua, void *record)
{
    field_list *list = record;
    field_row   row = { .depth = list->depth };
    sb_lua_name_positions(lua, positions);
    sb_lua_read_fields(lua, row_fields, &row);
    if (list->count > 0) {
        const sb_defined_field *last = &list->fields[list->count - 1];
        if (last->field.kind == SB_KIND_BYTES || last->to_the_end)
            sb_lua_fail(lua, "follows `%s`, which takes all bytes to the end", last->field.name);
    }
    check_name(lua, list, row.name);
    check_when(lua, list, row.when);
    check_text(lua, "unit", row.unit);
    sb_defined_field *out = &list->fields[list->count];
    *out = (sb_defined_field){ .field = { .name = row.name, .when = row.when, .unit = row.unit } };
    out->field.kind = read_kind(lua, row.kind);
    if (out->field.kind == SB_KIND_LIST) finish_list(lua, &row, out);
    else if (row.count || row.items)
        sb_lua_fail(lua, "has `%s`, which only a list has", row.count ? "count" : "fields");
    if (list->depth > 0 && (out->field.kind == SB_KIND_BYTES || out->to_the_end))
        sb_lua_fail(lua, "takes all bytes to the end, so it cannot be in an item of a list");
    list->count++;
}

static void read_list(sb_lua *lua, unsigned depth, const sb_defined_field **out, size_t *count)
{
    field_list *list = sb_lua_allocate(lua, sizeof *list);
    list->depth = depth;
    sb_lua_read_list(lua, SB_DEFINED_FIELDS_MAX, read_field, list);
    *out = sb_lua_copy(lua, list->fields, list->count, sizeof *list->fields);
    *count = list->count;
}

static void read_item_fields(sb_lua *lua, void *record)
{
    field_row              *row = record;
    const sb_defined_field *items;
    if (row->depth == SB_DEFINED_DEPTH_MAX)
        sb_lua_fail(lua, "is nested too deep: at most %d lists in lists", SB_DEFINED_DEPTH_MAX);
    read_list(lua, row->depth + 1, &items, &row->item_count);
    row->items = (sb_defined_field *)(uintptr_t)items;
}

/* ---- one message ---- */

typedef struct message_row {
    int                     type;
    const char             *name;
    const sb_defined_field *fields;
    size_t                  field_count;
} message_row;

static void read_message_fields(sb_lua *lua, void *record)
{
    message_row *row = record;
    read_list(lua, 0, &row->fields, &row->field_count);
}

#define MESSAGE(member) offsetof(message_row, member)
static const sb_lua_field message_fields[] = {
    { "type", SB_LUA_INT, false, MESSAGE(type), 0, 255 },
    { "name", SB_LUA_TEXT, false, MESSAGE(name), .count = SB_DATA_NAME_MAX },
    { "fields", SB_LUA_PART, false, 0, .read = read_message_fields },
    { NULL },
};

static void check_message(sb_lua *lua, const message_row *row, const sb_definitions *all)
{
    const sb_message_type *stock = sb_find_message_type((uint8_t)row->type);
    if (stock->relay != SB_RELAY_CONFIGURABLE)
        sb_lua_fail_at(lua, "type",
                       "0x%02X is %s of the game; free for mods are 0x2B, 0x2E-0x34, 0x3A-0x3E and "
                       "0x42-0xFF",
                       (unsigned)row->type, stock->name);
    if (all->of[row->type])
        sb_lua_fail_at(lua, "type", "0x%02X is defined already, as %s", (unsigned)row->type,
                       all->of[row->type]->type.name);
    if (!is_name(row->name))
        sb_lua_fail_at(lua, "name", "`%s` must be letters, digits and _, a letter first",
                       row->name);
    if (strcasecmp(row->name, "ModMessage") == 0 || sb_find_defined_type_by_name(all, row->name))
        sb_lua_fail_at(lua, "name", "`%s` is the name of another message", row->name);
}

static void read_message(sb_lua *lua, void *record)
{
    sb_definitions *all = record;
    message_row     row = { 0 };
    sb_lua_read_fields(lua, message_fields, &row);
    check_message(lua, &row, all);
    sb_definition *d = sb_lua_allocate(lua, sizeof *d);
    d->type = *sb_find_message_type((uint8_t)row.type);
    d->type.name = row.name;
    d->fields = row.fields;
    d->field_count = row.field_count;
    all->of[row.type] = d;
}

/* A file with one message may return it without a list around it. */
static void read_messages(sb_lua *lua, void *record)
{
    if (sb_lua_has_names(lua)) {
        read_message(lua, record);
        return;
    }
    sb_lua_read_list(lua, MESSAGES_MAX, read_message, record);
}

sb_result sb_data_load_definitions(sb_data *data, sb_data_source source, sb_definitions *out)
{
    return sb_data_load_table(data, source, read_messages, out);
}
