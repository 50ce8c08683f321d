/* src/load/lua_table.c -- reads the table of a Lua file by description.
 *
 * For:      lua_table.h. In this order: refusing a value, fields. lua_sandbox.c runs the file; the
 *           memory and the errors of a load are in data_memory.c.
 * May use:  malloc, Lua 5.4.
 * Tests:    tests/load/data_file_test.c, lua_table_test.c
 */
#include "load/lua_internal.h"

#include "base/suggestion.h"

#include <lauxlib.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- refusing a value, from inside Lua ---- */

static _Noreturn void refuse_value(sb_lua *lua, const char *reason)
{
    (void)!sb_data_refuse(lua->data, lua->file, lua->path, reason);
    lua->failed = true;
    lua_settop(lua->state, 0);
    lua_pushnil(lua->state);
    lua_error(lua->state);
    abort(); /* not reached; lua_error is not declared _Noreturn */
}

void sb_lua_fail(sb_lua *lua, const char *format, ...)
{
    char    reason[SB_LUA_REASON_BYTES];
    va_list list;
    va_start(list, format);
    vsnprintf(reason, sizeof reason, format, list);
    va_end(list);
    refuse_value(lua, reason);
}

void *sb_lua_allocate(sb_lua *lua, size_t size)
{
    void *memory = sb_data_allocate(lua->data, size);
    if (!memory) {
        lua->out_of_memory = true;
        sb_lua_fail(lua, "out of memory");
    }
    return memory;
}

const void *sb_lua_copy(sb_lua *lua, const void *items, size_t count, size_t size)
{
    if (count == 0) return NULL;
    return memcpy(sb_lua_allocate(lua, count * size), items, count * size);
}

/* ---- reading a table by a list of fields ---- */

/* Extends lua->path by one key; pop_path(result) undoes it. */
static size_t push_key(sb_lua *lua, const char *key)
{
    size_t mark = lua->path_size, left = sizeof lua->path - mark;
    int    size = snprintf(lua->path + mark, left, "%s%s", mark && key[0] != '[' ? "." : "", key);
    lua->path_size += (size_t)size < left ? (size_t)size : left - 1;
    return mark;
}

static size_t push_index(sb_lua *lua, lua_Integer index)
{
    char key[32];
    snprintf(key, sizeof key, "[%lld]", (long long)index);
    return push_key(lua, key);
}

static void pop_path(sb_lua *lua, size_t mark)
{
    lua->path_size = mark;
    lua->path[mark] = '\0';
}

void sb_lua_fail_at(sb_lua *lua, const char *key, const char *format, ...)
{
    char    reason[SB_LUA_REASON_BYTES];
    va_list list;
    va_start(list, format);
    vsnprintf(reason, sizeof reason, format, list);
    va_end(list);
    (void)push_key(lua, key);
    refuse_value(lua, reason);
}

/* Describes the value on top of the stack, for errors. */
static const char *describe(sb_lua *lua, char out[64])
{
    switch (lua_type(lua->state, -1)) {
    case LUA_TNUMBER: snprintf(out, 64, "%.14g", lua_tonumber(lua->state, -1)); break;
    case LUA_TSTRING: snprintf(out, 64, "\"%.50s\"", lua_tostring(lua->state, -1)); break;
    case LUA_TBOOLEAN:
        snprintf(out, 64, "%s", lua_toboolean(lua->state, -1) ? "true" : "false");
        break;
    case LUA_TNIL: snprintf(out, 64, "nil"); break;
    default: snprintf(out, 64, "a %s", luaL_typename(lua->state, -1)); break;
    }
    return out;
}

/* A file that assigns its keys, and so returns nil, is a frequent mistake: the error shows how the
 * file must start. */
static void expect_table(sb_lua *lua)
{
    char is[64];
    bool is_whole_file = lua->path_size == 0;
    if (lua_type(lua->state, -1) != LUA_TTABLE)
        sb_lua_fail(lua,
                    is_whole_file ? "must return a table, `return { ... }`, but returns %s"
                                  : "must be a table, is %s",
                    describe(lua, is));
    luaL_checkstack(lua->state, 8, NULL);
}

/* Checks that the value on top of the stack is a list (numbered 1, 2, 3...) and
 * returns its length. */
static lua_Integer expect_list(sb_lua *lua, size_t max_count)
{
    expect_table(lua);
    size_t count = lua_rawlen(lua->state, -1);
    if (count > max_count)
        sb_lua_fail(lua, "has %zu entries, at most %zu are possible", count, max_count);
    for (lua_pushnil(lua->state); lua_next(lua->state, -2); lua_pop(lua->state, 1)) {
        if (lua_type(lua->state, -2) == LUA_TSTRING)
            sb_lua_fail_at(lua, lua_tostring(lua->state, -2), "does not belong in a list");
        lua_Integer index = lua_isinteger(lua->state, -2) ? lua_tointeger(lua->state, -2) : 0;
        if (index < 1 || index > (lua_Integer)count)
            sb_lua_fail(lua, "must be numbered 1, 2, 3...");
    }
    return (lua_Integer)count;
}

bool sb_lua_has_names(const sb_lua *lua)
{
    bool found = false;
    if (lua_type(lua->state, -1) != LUA_TTABLE) return false;
    for (lua_pushnil(lua->state); lua_next(lua->state, -2); lua_pop(lua->state, 1))
        found = found || lua_type(lua->state, -2) == LUA_TSTRING;
    return found;
}

void sb_lua_read_list(sb_lua *lua, size_t max_count, sb_lua_reader read, void *record)
{
    lua_Integer count = expect_list(lua, max_count);
    for (lua_Integer i = 1; i <= count; i++) {
        size_t mark = push_index(lua, i);
        lua_rawgeti(lua->state, -1, i);
        read(lua, record);
        lua_pop(lua->state, 1);
        pop_path(lua, mark);
    }
}

static float read_figure(sb_lua *lua, const sb_lua_field *f)
{
    char   is[64];
    bool   number = lua_type(lua->state, -1) == LUA_TNUMBER;
    double value = number ? lua_tonumber(lua->state, -1) : 0;
    if (!number || !(value >= f->low && value <= f->high)) /* written so that NaN fails, too */
        sb_lua_fail(lua, "must be a number from %g to %g, is %s", f->low, f->high,
                    describe(lua, is));
    return (float)value;
}

static int read_whole_number(sb_lua *lua, const sb_lua_field *f)
{
    char   is[64];
    bool   number = lua_type(lua->state, -1) == LUA_TNUMBER;
    double value = number ? lua_tonumber(lua->state, -1) : 0.5;
    if (!(value >= f->low && value <= f->high) || value != floor(value))
        sb_lua_fail(lua, "must be a whole number from %g to %g, is %s", f->low, f->high,
                    describe(lua, is));
    return (int)value;
}

static void read_figures(sb_lua *lua, const sb_lua_field *f, float *out)
{
    size_t count = (size_t)expect_list(lua, f->count);
    if (count != f->count) sb_lua_fail(lua, "must have %zu numbers, has %zu", f->count, count);
    for (size_t i = 0; i < f->count; i++) {
        size_t mark = push_index(lua, (lua_Integer)i + 1);
        lua_rawgeti(lua->state, -1, (lua_Integer)i + 1);
        out[i] = read_figure(lua, f);
        lua_pop(lua->state, 1);
        pop_path(lua, mark);
    }
}

static bool read_flag(sb_lua *lua)
{
    char is[64];
    if (lua_type(lua->state, -1) != LUA_TBOOLEAN)
        sb_lua_fail(lua, "must be true or false, is %s", describe(lua, is));
    return lua_toboolean(lua->state, -1);
}

const char *sb_lua_read_text(sb_lua *lua, size_t max_bytes)
{
    char        is[64];
    size_t      size = 0;
    const char *text =
        lua_type(lua->state, -1) == LUA_TSTRING ? lua_tolstring(lua->state, -1, &size) : "";
    if (size < 1 || size > max_bytes)
        sb_lua_fail(lua, "must be a text of 1 to %zu bytes, is %s", max_bytes, describe(lua, is));
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7F)
            sb_lua_fail(lua, "must be without control characters");
    return memcpy(sb_lua_allocate(lua, size + 1), text, size);
}

sb_lua_value sb_lua_read_value(sb_lua *lua)
{
    sb_lua_value value = { .kind = SB_LUA_IS_OTHER };
    size_t       size;
    char         is[64];
    switch (lua_type(lua->state, -1)) {
    case LUA_TNUMBER:
        value.kind = SB_LUA_IS_NUMBER;
        value.number = lua_tonumber(lua->state, -1);
        break;
    case LUA_TBOOLEAN:
        value.kind = SB_LUA_IS_FLAG;
        value.flag = lua_toboolean(lua->state, -1);
        break;
    case LUA_TSTRING: {
        const char *text = lua_tolstring(lua->state, -1, &size);
        if (strlen(text) != size) sb_lua_fail(lua, "must be without control characters");
        value.kind = SB_LUA_IS_TEXT;
        value.text = memcpy(sb_lua_allocate(lua, size + 1), text, size);
        break;
    }
    default: value.text = sb_lua_copy(lua, describe(lua, is), sizeof is, 1); break;
    }
    return value;
}

static uint8_t read_word(sb_lua *lua, const char *const *words)
{
    char        is[64], all[160] = "";
    const char *word = lua_type(lua->state, -1) == LUA_TSTRING ? lua_tostring(lua->state, -1) : "";
    for (size_t i = 0; words[i]; i++) {
        if (strcmp(word, words[i]) == 0) return (uint8_t)i;
        size_t at = strlen(all);
        snprintf(all + at, sizeof all - at, "%s%s", i ? ", " : "", words[i]);
    }
    sb_lua_fail(lua, "must be one of %s; is %s", all, describe(lua, is));
}

static void read_value(sb_lua *lua, const sb_lua_field *f, void *record)
{
    void *at = (char *)record + f->offset;
    switch (f->kind) {
    case SB_LUA_FIGURE: *(float *)at = read_figure(lua, f); break;
    case SB_LUA_FIGURES: read_figures(lua, f, at); break;
    case SB_LUA_U8: *(uint8_t *)at = (uint8_t)read_whole_number(lua, f); break;
    case SB_LUA_I16: *(int16_t *)at = (int16_t)read_whole_number(lua, f); break;
    case SB_LUA_INT: *(int *)at = read_whole_number(lua, f); break;
    case SB_LUA_FLAG: *(bool *)at = read_flag(lua); break;
    case SB_LUA_TEXT: *(const char **)at = sb_lua_read_text(lua, f->count); break;
    case SB_LUA_WORD: *(uint8_t *)at = read_word(lua, f->words); break;
    case SB_LUA_ANY: *(sb_lua_value *)at = sb_lua_read_value(lua); break;
    case SB_LUA_GROUP: sb_lua_read_fields(lua, f->fields, at); break;
    case SB_LUA_PART: f->read(lua, record); break;
    case SB_LUA_LIST: sb_lua_read_list(lua, f->count, f->read, record); break;
    }
}

void sb_lua_warn_at(sb_lua *lua, const char *key, const char *reason)
{
    size_t mark = push_key(lua, key);
    sb_data_warn(lua->data, lua->file, lua->path, reason);
    pop_path(lua, mark);
}

static void warn_removed_key(sb_lua *lua, const char *key, const char *sentence)
{
    char reason[SB_LUA_REASON_BYTES];
    snprintf(reason, sizeof reason, "has no effect any more: %s", sentence);
    sb_lua_warn_at(lua, key, reason);
}

static void fail_unknown_key(sb_lua *lua, const sb_lua_field *fields, const char *key)
{
    sb_suggestion found = sb_suggestion_start(key);
    for (const sb_lua_field *f = fields; f->key; f++) sb_suggestion_try(&found, f->key);
    if (found.best) sb_lua_fail_at(lua, key, "unknown key; did you mean `%s`?", found.best);
    sb_lua_fail_at(lua, key, "unknown key");
}

/* Runs before the fields are read, so that a misspelt key is not reported as a missing one. */
static void refuse_unknown_keys(sb_lua *lua, const sb_lua_field *fields,
                                const char *(*removed)(const char *key))
{
    for (lua_pushnil(lua->state); lua_next(lua->state, -2); lua_pop(lua->state, 1)) {
        if (lua_type(lua->state, -2) != LUA_TSTRING)
            sb_lua_fail(lua, "must have names as keys: write `key = value`");
        const char         *key = lua_tostring(lua->state, -2);
        const sb_lua_field *f = fields;
        while (f->key && strcmp(f->key, key) != 0) f++;
        if (f->key) continue;
        const char *sentence = removed ? removed(key) : NULL;
        if (!sentence) fail_unknown_key(lua, fields, key);
        warn_removed_key(lua, key, sentence);
    }
}

void sb_lua_name_positions(sb_lua *lua, const char *const *keys)
{
    expect_table(lua);
    for (int i = 0; keys[i]; i++) {
        if (lua_rawgeti(lua->state, -1, i + 1) == LUA_TNIL) {
            lua_pop(lua->state, 1);
            return;
        }
        lua_pushstring(lua->state, keys[i]);
        if (lua_rawget(lua->state, -3) != LUA_TNIL)
            sb_lua_fail_at(lua, keys[i], "is given twice: by its position and by its name");
        lua_pop(lua->state, 1);
        lua_pushstring(lua->state, keys[i]);
        lua_insert(lua->state, -2);
        lua_rawset(lua->state, -3);
        lua_pushnil(lua->state);
        lua_rawseti(lua->state, -2, i + 1);
    }
}

void sb_lua_read_fields(sb_lua *lua, const sb_lua_field *fields, void *record)
{
    sb_lua_read_fields_warning(lua, fields, record, NULL);
}

void sb_lua_read_fields_warning(sb_lua *lua, const sb_lua_field *fields, void *record,
                                const char *(*removed)(const char *key))
{
    expect_table(lua);
    refuse_unknown_keys(lua, fields, removed);
    for (const sb_lua_field *f = fields; f->key; f++) {
        size_t mark = push_key(lua, f->key);
        lua_pushstring(lua->state, f->key);
        if (lua_rawget(lua->state, -2) != LUA_TNIL) read_value(lua, f, record);
        else if (!f->optional) sb_lua_fail(lua, "is missing");
        lua_pop(lua->state, 1);
        pop_path(lua, mark);
    }
}
