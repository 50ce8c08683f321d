/* src/load/lua_sandbox.c -- runs a Lua file in a sandbox.
 *
 * For:      sb_data_load_table of lua_table.h. Errors of Lua get the file's name and a hint.
 * May use:  files, malloc, Lua 5.4.
 * Never:    lets a file use io, os, package, load, string or table, or runs compiled Lua.
 * Tests:    tests/load/data_file_test.c, lua_table_test.c
 */
#include "load/lua_internal.h"

#include "load/lua_shape.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void *limited_alloc(void *context, void *old, size_t old_size, size_t size)
{
    sb_lua *lua = context;
    if (!old) old_size = 0; /* for a new block Lua passes the type of the object here */
    if (size == 0) {
        free(old);
        lua->used -= old_size;
        return NULL;
    }
    if (size > old_size && size - old_size > SB_DATA_MEMORY_BYTES_MAX - lua->used) return NULL;
    void *grown = realloc(old, size);
    if (grown) lua->used = lua->used - old_size + size;
    return grown;
}

enum { INSTRUCTIONS_AT_ONCE = 1000 }; /* between two calls of stop_long_run */

/* Time that this thread has used of the processor: another busy program does not count. */
static double cpu_seconds(void)
{
    struct timespec t = { 0 };
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* An instruction may be long: it can copy or compare texts of megabytes, so their number alone is
 * no limit of time. */
static void stop_long_run(lua_State *state, lua_Debug *at)
{
    void *context;
    (void)lua_getallocf(state, &context);
    sb_lua *lua = context;
    lua->instructions += INSTRUCTIONS_AT_ONCE;
    bool many = lua->instructions >= SB_DATA_INSTRUCTIONS_MAX;
    if (!many && cpu_seconds() - lua->started_s < SB_DATA_SECONDS_MAX) return;
    lua_getinfo(state, "l", at);
    if (many)
        lua_pushfstring(state, "line:%d: runs for more than %d instructions", at->currentline,
                        (int)SB_DATA_INSTRUCTIONS_MAX);
    else
        lua_pushfstring(state, "line:%d: runs for more than %d s", at->currentline,
                        (int)SB_DATA_SECONDS_MAX);
    lua_error(state);
}

/* Pushes the functions that a file may call. Excluded are functions that loop in C, where
 * instructions are not counted (string, table), functions that catch the error of a long run
 * (pcall, coroutine), and functions whose results differ between runs (random). */
static void push_environment(lua_State *state)
{
    static const char *const basic[] = { "assert", "error", "ipairs",   "next",
                                         "pairs",  "type",  "tonumber", "tostring" };
    static const char *const maths[] = { "abs", "cos", "floor", "max", "min",
                                         "pi",  "rad", "sin",   "sqrt" };
    lua_newtable(state);
    luaL_requiref(state, LUA_GNAME, luaopen_base, 0);
    for (size_t i = 0; i < COUNT_OF(basic); i++) {
        lua_getfield(state, -1, basic[i]);
        lua_setfield(state, -3, basic[i]);
    }
    lua_pop(state, 1);
    lua_newtable(state);
    luaL_requiref(state, LUA_MATHLIBNAME, luaopen_math, 0);
    for (size_t i = 0; i < COUNT_OF(maths); i++) {
        lua_getfield(state, -1, maths[i]);
        lua_setfield(state, -3, maths[i]);
    }
    lua_pop(state, 1);
    lua_setfield(state, -2, "math");
}

/* __index of the names that a file assigns: finds a function of the sandbox. Any other name is
 * mostly a text without quotes, which would otherwise count as no value. */
static int find_name(lua_State *state)
{
    lua_settop(state, 2); /* the table and the name */
    lua_pushvalue(state, 2);
    if (lua_rawget(state, lua_upvalueindex(1)) != LUA_TNIL) return 1;
    return luaL_error(state, "`%s` is not defined: a text needs quotes, a name of your own `local`",
                      luaL_tolstring(state, 2, NULL));
}

/* Replaces the functions on top of the stack by an empty table that inherits them. */
static void push_assigned_names(lua_State *state)
{
    lua_newtable(state);
    lua_newtable(state);
    lua_rotate(state, -3, -1);
    lua_pushcclosure(state, find_name, 1);
    lua_setfield(state, -2, "__index");
    lua_setmetatable(state, -2);
}

/* A file that returns a table must not assign names: they would have no effect. */
static void refuse_assigned_names(sb_lua *lua)
{
    lua_pushnil(lua->state);
    if (!lua_next(lua->state, 1)) return;
    bool is_text = lua_type(lua->state, -2) == LUA_TSTRING;
    sb_lua_fail_at(lua, is_text ? lua_tostring(lua->state, -2) : "a name",
                   "is set outside of the table that the file returns: write it inside the braces, "
                   "or `local` before it");
}

/* The stack holds the assigned names, then the results of the file. Leaves the table to read. */
static void choose_table(sb_lua *lua)
{
    lua_State *state = lua->state;
    bool       has_result = lua_gettop(state) > 1;
    lua_settop(state, 2);
    if (lua->accepts_lines && has_result) refuse_assigned_names(lua);
    else if (lua->accepts_lines) lua_insert(state, 1); /* to remove the missing result instead */
    lua_remove(state, 1);
}

static void check_text(sb_lua *lua)
{
    sb_shape shape;
    if (lua->size > 0 && lua->text[0] == LUA_SIGNATURE[0])
        sb_lua_fail(lua, "is compiled Lua, must be text");
    if (lua->size > 1 &&
        (memcmp(lua->text, "\xFF\xFE", 2) == 0 || !memcmp(lua->text, "\xFE\xFF", 2)))
        sb_lua_fail(lua, "is UTF-16: save it as UTF-8");
    if (!lua->accepts_lines || !sb_shape_find_silent(lua->text, lua->size, &shape)) return;
    (void)!sb_data_refuse_line(lua->data, lua->file, shape.line, shape.hint);
    lua->failed = true;
    lua_error(lua->state);
}

/* The chunk is named "line", so that Lua's messages start with "line:12:". refuse_for_lua replaces
 * "line" by the file name, which Lua would cut to 60 bytes. */
static int run_protected(lua_State *state)
{
    sb_lua *lua = lua_touserdata(state, 1);
    lua_settop(state, 0);
    check_text(lua);
    push_environment(state);
    if (lua->accepts_lines) push_assigned_names(state);
    if (luaL_loadbufferx(state, lua->text, lua->size, "=line", "t") != LUA_OK)
        return lua_error(state);
    lua_pushvalue(state, 1);
    lua_setupvalue(state, 2, 1); /* _ENV, the one upvalue of a chunk */
    lua->started_s = cpu_seconds();
    lua_sethook(state, stop_long_run, LUA_MASKCOUNT, INSTRUCTIONS_AT_ONCE);
    lua_call(state, 0, LUA_MULTRET);
    lua_sethook(state, NULL, 0, 0);
    choose_table(lua);
    lua->read(lua, lua->out);
    return 0;
}

/* The end of a refusal that gives Lua's own words. */
static const char *advice_for(const sb_lua *lua, const char *why)
{
    if (strstr(why, "'}' expected")) return "; is a comma missing at the end of the line before?";
    if (strstr(why, "unfinished string")) return "; is a quote missing?";
    if (!lua->accepts_lines && strstr(why, "unexpected symbol near '{'"))
        return "; write `return {` instead of `{`";
    if (lua->accepts_lines && strstr(why, " near "))
        return "; write `key = value` lines, or `return { key = value, ... }`";
    return "";
}

/* `why` is "line:12: ...". */
static sb_result refuse_line(sb_lua *lua, const char *why)
{
    char     reason[SB_LUA_REASON_BYTES], *text;
    sb_shape shape;
    int      line = (int)strtol(why + 5, &text, 10);
    if (lua->accepts_lines && sb_shape_explain(lua->text, lua->size, line, &shape))
        return sb_data_refuse_line(lua->data, lua->file, shape.line, shape.hint);
    snprintf(reason, sizeof reason, "%s%s", text + strspn(text, ": "), advice_for(lua, why));
    return sb_data_refuse_line(lua->data, lua->file, line, reason);
}

static sb_result refuse_for_lua(sb_lua *lua, int status)
{
    if (lua->out_of_memory) return SB_OS_ERROR;
    if (lua->failed) return SB_BAD_VALUE;
    if (status == LUA_ERRMEM) {
        char reason[64];
        snprintf(reason, sizeof reason, "needs more than %d MiB of memory",
                 SB_DATA_MEMORY_BYTES_MAX >> 20);
        return sb_data_refuse(lua->data, lua->file, "", reason);
    }
    const char *why = lua_type(lua->state, -1) == LUA_TSTRING ? lua_tostring(lua->state, -1)
                                                              : "raised an error that is no text";
    if (strncmp(why, "line:", 5) != 0) return sb_data_refuse(lua->data, lua->file, "", why);
    return refuse_line(lua, why);
}

static sb_result run(sb_lua *lua)
{
    lua->state = lua_newstate(limited_alloc, lua);
    if (!lua->state) return sb_data_refuse_os_error(lua->data, lua->file, "out of memory");
    lua_pushcfunction(lua->state, run_protected);
    lua_pushlightuserdata(lua->state, lua);
    int       status = lua_pcall(lua->state, 1, 0, 0);
    sb_result result = status == LUA_OK ? SB_OK : refuse_for_lua(lua, status);
    lua_close(lua->state);
    return result;
}

sb_result sb_data_load_table(sb_data *data, sb_data_source source, sb_lua_reader read, void *out)
{
    char  *text = NULL;
    sb_lua lua = { .data = data, .file = source.name, .text = source.text, .size = source.size };
    lua.read = read;
    lua.out = out;
    lua.accepts_lines = source.accepts_lines;
    data->error[0] = '\0';
    sb_result result = SB_OK;
    if (!source.text) {
        result = sb_data_read_file(data, source.name, SB_DATA_FILE_BYTES_MAX, &text, &lua.size);
        lua.text = text;
    }
    if (result == SB_OK && lua.size > SB_DATA_FILE_BYTES_MAX)
        result = sb_data_refuse(data, source.name, "", "is longer than a data file can be");
    if (lua.size >= 3 && memcmp(lua.text, "\xEF\xBB\xBF", 3) == 0) { /* Windows editors write it */
        lua.text += 3;
        lua.size -= 3;
    }
    if (result == SB_OK) result = run(&lua);
    free(text);
    return result;
}
