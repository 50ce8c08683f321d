/* src/host/data_file.c -- runs a data file in a sandbox and reads its table by description.
 *
 * Five parts: memory, errors, the sandbox, reading a table by a list of fields, and the fields of
 * each kind of file. A new figure is a new row in one of the lists of fields.
 *
 * Everything that touches Lua runs inside one lua_pcall and leaves by lua_error, because Lua itself
 * does so when memory ends; so the readers need no checks between them, and own nothing: what they
 * keep belongs to sb_data from the moment it is allocated.
 */
#include "host/data_file.h"

#include <dirent.h>
#include <errno.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- memory: blocks that live until sb_data_free ---- */

struct sb_data_block {
    struct sb_data_block *next;
    max_align_t           bytes[];
};

static void *keep(sb_data *data, size_t size)
{
    struct sb_data_block *block = calloc(1, sizeof *block + size);
    if (!block) return NULL;
    block->next = data->blocks;
    data->blocks = block;
    return block->bytes;
}

void sb_data_free(sb_data *data)
{
    while (data->blocks) {
        struct sb_data_block *next = data->blocks->next;
        free(data->blocks);
        data->blocks = next;
    }
}

/* ---- errors: "file: key: reason", one line ---- */

static void end_error(sb_data *data)
{
    for (char *c = data->error; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F) *c = '?';
}

static sb_result refuse(sb_data *data, const char *file, const char *key, const char *reason)
{
    snprintf(data->error, sizeof data->error, "%s: %s%s%s", file, key, key[0] ? ": " : "", reason);
    end_error(data);
    return SB_BAD_VALUE;
}

static sb_result refuse_for_host(sb_data *data, const char *file, const char *reason)
{
    (void)refuse(data, file, "", reason);
    return SB_HOST;
}

/* ---- the sandbox ---- */

typedef struct reader {
    sb_data    *data;
    lua_State  *lua;
    const char *file;
    const char *text;
    size_t      size;
    size_t      used;      /* bytes Lua holds */
    char        path[200]; /* of the value being read: subsystems[5].children[2].radius */
    size_t      path_size;
    bool        failed; /* data->error is written */
    bool        out_of_memory;
    void (*read)(struct reader *r, void *out);
    void *out;
} reader;

/* Refuses the value at r->path and leaves. */
__attribute__((format(printf, 2, 3))) static _Noreturn void fail(reader *r, const char *format, ...)
{
    char    reason[240];
    va_list list;
    va_start(list, format);
    vsnprintf(reason, sizeof reason, format, list);
    va_end(list);
    (void)refuse(r->data, r->file, r->path, reason);
    r->failed = true;
    lua_settop(r->lua, 0);
    lua_pushnil(r->lua);
    lua_error(r->lua);
    abort(); /* lua_error does not return, but is not declared so */
}

static void *keep_or_fail(reader *r, size_t size)
{
    void *memory = keep(r->data, size);
    if (!memory) {
        r->out_of_memory = true;
        fail(r, "out of memory");
    }
    return memory;
}

static void *limited_alloc(void *context, void *old, size_t old_size, size_t size)
{
    reader *r = context;
    if (!old) old_size = 0; /* then Lua passes the kind of object, not a size */
    if (size == 0) {
        free(old);
        r->used -= old_size;
        return NULL;
    }
    if (size > old_size && size - old_size > SB_DATA_MEMORY_BYTES_MAX - r->used) return NULL;
    void *grown = realloc(old, size);
    if (grown) r->used = r->used - old_size + size;
    return grown;
}

static void stop_long_run(lua_State *lua, lua_Debug *at)
{
    lua_getinfo(lua, "l", at);
    lua_pushfstring(lua, "line:%d: runs for more than %d instructions", at->currentline,
                    (int)SB_DATA_INSTRUCTIONS_MAX);
    lua_error(lua);
}

/* What a file may call. Nothing that loops inside C without counting (string, table), catches the
 * error that stops a long run (pcall, coroutine), or gives another result tomorrow (random). */
static void push_environment(lua_State *lua)
{
    static const char *const basic[] = { "assert", "error", "ipairs",   "next",
                                         "pairs",  "type",  "tonumber", "tostring" };
    static const char *const maths[] = { "abs", "cos", "floor", "max", "min",
                                         "pi",  "rad", "sin",   "sqrt" };
    lua_newtable(lua);
    luaL_requiref(lua, LUA_GNAME, luaopen_base, 0);
    for (size_t i = 0; i < COUNT_OF(basic); i++) {
        lua_getfield(lua, -1, basic[i]);
        lua_setfield(lua, -3, basic[i]);
    }
    lua_pop(lua, 1);
    lua_newtable(lua);
    luaL_requiref(lua, LUA_MATHLIBNAME, luaopen_math, 0);
    for (size_t i = 0; i < COUNT_OF(maths); i++) {
        lua_getfield(lua, -1, maths[i]);
        lua_setfield(lua, -3, maths[i]);
    }
    lua_pop(lua, 1);
    lua_setfield(lua, -2, "math");
}

/* The chunk is called "line" so that Lua's messages start "line:12:"; the file's name, which Lua
 * would cut to 60 bytes, is put in front of the number afterwards. */
static int run_protected(lua_State *lua)
{
    reader *r = lua_touserdata(lua, 1);
    lua_settop(lua, 0);
    if (r->size > 0 && r->text[0] == LUA_SIGNATURE[0]) fail(r, "is compiled Lua, must be text");
    if (luaL_loadbufferx(lua, r->text, r->size, "=line", "t") != LUA_OK) return lua_error(lua);
    push_environment(lua);
    lua_setupvalue(lua, 1, 1); /* _ENV, the one upvalue of a chunk */
    lua_sethook(lua, stop_long_run, LUA_MASKCOUNT, SB_DATA_INSTRUCTIONS_MAX);
    lua_call(lua, 0, 1);
    lua_sethook(lua, NULL, 0, 0);
    r->read(r, r->out);
    return 0;
}

static sb_result refuse_for_lua(reader *r, int status)
{
    if (r->out_of_memory) return SB_HOST;
    if (r->failed) return SB_BAD_VALUE;
    if (status == LUA_ERRMEM) {
        char reason[64];
        snprintf(reason, sizeof reason, "needs more than %d MiB of memory",
                 SB_DATA_MEMORY_BYTES_MAX >> 20);
        return refuse(r->data, r->file, "", reason);
    }
    const char *why = lua_type(r->lua, -1) == LUA_TSTRING ? lua_tostring(r->lua, -1)
                                                          : "raised an error that is no text";
    if (strncmp(why, "line:", 5) != 0) return refuse(r->data, r->file, "", why);
    snprintf(r->data->error, sizeof r->data->error, "%s:%s", r->file, why + 5);
    end_error(r->data);
    return SB_BAD_VALUE;
}

static sb_result run(reader *r)
{
    r->lua = lua_newstate(limited_alloc, r);
    if (!r->lua) return refuse_for_host(r->data, r->file, "out of memory");
    lua_pushcfunction(r->lua, run_protected);
    lua_pushlightuserdata(r->lua, r);
    int       status = lua_pcall(r->lua, 1, 0, 0);
    sb_result result = status == LUA_OK ? SB_OK : refuse_for_lua(r, status);
    lua_close(r->lua);
    return result;
}

/* Reads the whole file into malloc'ed memory; *text is given. */
static sb_result read_file(sb_data *data, const char *name, char **text, size_t *size)
{
    FILE *file = fopen(name, "rb");
    if (!file) return refuse_for_host(data, name, strerror(errno));
    char *bytes = malloc(SB_DATA_FILE_BYTES_MAX + 1);
    errno = 0;
    *size = bytes ? fread(bytes, 1, SB_DATA_FILE_BYTES_MAX + 1, file) : 0;
    bool bad = !bytes || ferror(file);
    int  why = errno;
    fclose(file);
    *text = bytes;
    if (bad) return refuse_for_host(data, name, bytes ? strerror(why) : "out of memory");
    return SB_OK;
}

/* Runs `source` and hands its table, on top of the stack, to `read`. */
static sb_result load(sb_data *data, sb_data_source source, void (*read)(reader *r, void *out),
                      void *out)
{
    char  *text = NULL;
    reader r = { .data = data, .file = source.name, .text = source.text, .size = source.size };
    r.read = read;
    r.out = out;
    data->error[0] = '\0';
    sb_result result = SB_OK;
    if (!source.text) {
        result = read_file(data, source.name, &text, &r.size);
        r.text = text;
    }
    if (result == SB_OK && r.size > SB_DATA_FILE_BYTES_MAX)
        result = refuse(data, source.name, "", "is longer than a data file can be");
    if (result == SB_OK) result = run(&r);
    free(text);
    return result;
}

/* ---- reading a table by a list of fields ---- */

typedef enum field_kind {
    FIGURE,     /* float */
    FIGURES,    /* float[count] */
    NUMBER_U8,  /* whole numbers */
    NUMBER_I16, /* ... */
    NUMBER_INT, /* ... */
    FLAG,       /* bool */
    TEXT,       /* const char *, kept */
    WORD,       /* uint8_t: index in `words` */
    GROUP,      /* a table inside the table, read by `fields` into the record at `offset` */
    PART,       /* a table that `read` takes from the top of the stack */
    LIST,       /* 1, 2, 3...: `read` takes each entry from the top of the stack */
} field_kind;

typedef struct field {
    const char         *key;
    field_kind          kind;
    bool                optional; /* then the record holds the value for "absent" beforehand */
    size_t              offset;   /* in the record */
    double              low, high;
    size_t              count; /* FIGURES: how many; TEXT: bytes at most; LIST: entries at most */
    const char *const  *words; /* ends with NULL */
    const struct field *fields;
    void (*read)(reader *r, void *record);
} field;

static size_t enter_key(reader *r, const char *key)
{
    size_t mark = r->path_size, room = sizeof r->path - mark;
    int    size = snprintf(r->path + mark, room, "%s%s", mark && key[0] != '[' ? "." : "", key);
    r->path_size += (size_t)size < room ? (size_t)size : room - 1;
    return mark;
}

static size_t enter_index(reader *r, lua_Integer index)
{
    char key[32];
    snprintf(key, sizeof key, "[%lld]", (long long)index);
    return enter_key(r, key);
}

static void leave(reader *r, size_t mark)
{
    r->path_size = mark;
    r->path[mark] = '\0';
}

#define FAIL_AT(r, key, ...) (enter_key(r, key), fail(r, __VA_ARGS__))

/* The value on top of the stack, for people. */
static const char *describe(reader *r, char out[64])
{
    switch (lua_type(r->lua, -1)) {
    case LUA_TNUMBER: snprintf(out, 64, "%.14g", lua_tonumber(r->lua, -1)); break;
    case LUA_TSTRING: snprintf(out, 64, "\"%.50s\"", lua_tostring(r->lua, -1)); break;
    case LUA_TBOOLEAN: snprintf(out, 64, "%s", lua_toboolean(r->lua, -1) ? "true" : "false"); break;
    case LUA_TNIL: snprintf(out, 64, "nil"); break;
    default: snprintf(out, 64, "a %s", luaL_typename(r->lua, -1)); break;
    }
    return out;
}

static void expect_table(reader *r)
{
    char is[64];
    if (lua_type(r->lua, -1) != LUA_TTABLE) fail(r, "must be a table, is %s", describe(r, is));
    luaL_checkstack(r->lua, 8, NULL);
}

/* The entries of a list must be numbered 1, 2, 3...; the list is on top of the stack. */
static lua_Integer expect_list(reader *r, size_t most)
{
    expect_table(r);
    size_t count = lua_rawlen(r->lua, -1);
    if (count > most) fail(r, "has %zu entries, at most %zu are possible", count, most);
    for (lua_pushnil(r->lua); lua_next(r->lua, -2); lua_pop(r->lua, 1)) {
        if (lua_type(r->lua, -2) == LUA_TSTRING)
            FAIL_AT(r, lua_tostring(r->lua, -2), "does not belong in a list");
        lua_Integer index = lua_isinteger(r->lua, -2) ? lua_tointeger(r->lua, -2) : 0;
        if (index < 1 || index > (lua_Integer)count) fail(r, "must be numbered 1, 2, 3...");
    }
    return (lua_Integer)count;
}

static void read_list(reader *r, size_t most, void (*read)(reader *r, void *record), void *record)
{
    lua_Integer count = expect_list(r, most);
    for (lua_Integer i = 1; i <= count; i++) {
        size_t mark = enter_index(r, i);
        lua_rawgeti(r->lua, -1, i);
        read(r, record);
        lua_pop(r->lua, 1);
        leave(r, mark);
    }
}

static float take_figure(reader *r, const field *f)
{
    char   is[64];
    bool   number = lua_type(r->lua, -1) == LUA_TNUMBER;
    double value = number ? lua_tonumber(r->lua, -1) : 0;
    if (!number || !(value >= f->low && value <= f->high)) /* this way round: NaN fails too */
        fail(r, "must be a number from %g to %g, is %s", f->low, f->high, describe(r, is));
    return (float)value;
}

static int take_number(reader *r, const field *f)
{
    char   is[64];
    bool   number = lua_type(r->lua, -1) == LUA_TNUMBER;
    double value = number ? lua_tonumber(r->lua, -1) : 0.5;
    if (!(value >= f->low && value <= f->high) || value != floor(value))
        fail(r, "must be a whole number from %g to %g, is %s", f->low, f->high, describe(r, is));
    return (int)value;
}

static void take_figures(reader *r, const field *f, float *out)
{
    size_t count = (size_t)expect_list(r, f->count);
    if (count != f->count) fail(r, "must have %zu numbers, has %zu", f->count, count);
    for (size_t i = 0; i < f->count; i++) {
        size_t mark = enter_index(r, (lua_Integer)i + 1);
        lua_rawgeti(r->lua, -1, (lua_Integer)i + 1);
        out[i] = take_figure(r, f);
        lua_pop(r->lua, 1);
        leave(r, mark);
    }
}

static bool take_flag(reader *r)
{
    char is[64];
    if (lua_type(r->lua, -1) != LUA_TBOOLEAN)
        fail(r, "must be true or false, is %s", describe(r, is));
    return lua_toboolean(r->lua, -1);
}

static const char *take_text(reader *r, size_t most)
{
    char        is[64];
    size_t      size = 0;
    const char *text = lua_type(r->lua, -1) == LUA_TSTRING ? lua_tolstring(r->lua, -1, &size) : "";
    if (size < 1 || size > most)
        fail(r, "must be a text of 1 to %zu bytes, is %s", most, describe(r, is));
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7F)
            fail(r, "must be without control characters");
    return memcpy(keep_or_fail(r, size + 1), text, size);
}

static uint8_t take_word(reader *r, const char *const *words)
{
    char        is[64], all[160] = "";
    const char *word = lua_type(r->lua, -1) == LUA_TSTRING ? lua_tostring(r->lua, -1) : "";
    for (size_t i = 0; words[i]; i++) {
        if (strcmp(word, words[i]) == 0) return (uint8_t)i;
        size_t at = strlen(all);
        snprintf(all + at, sizeof all - at, "%s%s", i ? ", " : "", words[i]);
    }
    fail(r, "must be one of %s; is %s", all, describe(r, is));
}

static void read_fields(reader *r, const field *fields, void *record);

static void read_value(reader *r, const field *f, void *record)
{
    void *at = (char *)record + f->offset;
    switch (f->kind) {
    case FIGURE: *(float *)at = take_figure(r, f); break;
    case FIGURES: take_figures(r, f, at); break;
    case NUMBER_U8: *(uint8_t *)at = (uint8_t)take_number(r, f); break;
    case NUMBER_I16: *(int16_t *)at = (int16_t)take_number(r, f); break;
    case NUMBER_INT: *(int *)at = take_number(r, f); break;
    case FLAG: *(bool *)at = take_flag(r); break;
    case TEXT: *(const char **)at = take_text(r, f->count); break;
    case WORD: *(uint8_t *)at = take_word(r, f->words); break;
    case GROUP: read_fields(r, f->fields, at); break;
    case PART: f->read(r, record); break;
    case LIST: read_list(r, f->count, f->read, record); break;
    }
}

/* Asked first, so that a misspelt key is named as such and not as the absence of the right one. */
static void refuse_unknown_keys(reader *r, const field *fields)
{
    for (lua_pushnil(r->lua); lua_next(r->lua, -2); lua_pop(r->lua, 1)) {
        if (lua_type(r->lua, -2) != LUA_TSTRING) fail(r, "must have names as keys");
        const char  *key = lua_tostring(r->lua, -2);
        const field *f = fields;
        while (f->key && strcmp(f->key, key) != 0) f++;
        if (!f->key) FAIL_AT(r, key, "unknown key");
    }
}

/* Fills `record` from the table on top of the stack. `fields` ends with a NULL key. */
static void read_fields(reader *r, const field *fields, void *record)
{
    expect_table(r);
    refuse_unknown_keys(r, fields);
    for (const field *f = fields; f->key; f++) {
        size_t mark = enter_key(r, f->key);
        lua_pushstring(r->lua, f->key);
        if (lua_rawget(r->lua, -2) != LUA_TNIL) read_value(r, f, record);
        else if (!f->optional) fail(r, "is missing");
        lua_pop(r->lua, 1);
        leave(r, mark);
    }
}

/* ---- the fields of a ship ---- */

enum {
    NAME_BYTES_MAX = 63,
    GROUND_BYTES_MAX = 127,
    SHIP_CHILDREN_MAX = 255, /* first_child and child_count are bytes */
    SHIP_ORDNANCE_MAX = 32,
};

/* A divisor must not be 0; every other quantity may be. */
#define LEAST_DIVISOR 0.001
#define MOST          1e9
#define FARTHEST      1e6
#define HALF_TURN     3.1416 /* radians; the facts round pi to 3.141593 */

typedef struct ship_draft {
    sb_ship_class      ship;          /* first: the fields of a ship are offsets in it */
    const char        *subsystems_of; /* NULL: it has its own list */
    sb_subsystem_class defaults;      /* only its sources are used */
    sb_subsystem_class subsystems[SB_SUBSYSTEMS_MAX];
    sb_subsystem_class children[SHIP_CHILDREN_MAX];
    sb_ordnance        ordnance[SHIP_ORDNANCE_MAX];
} ship_draft;

typedef struct entry_draft {
    sb_subsystem_class entry; /* first: as above */
    ship_draft        *ship;
} entry_draft;

static const char *const source_words[] = { "none",      "hardpoint", "documented",
                                            "inherited", "estimate",  "trace",
                                            "rule",      "catalogue", NULL };
static const char *const mode_words[] = { "main_first", "backup_first", "backup_only", NULL };
static const char *const type_words[] = {
    "hull",  "shield",        "sensor",       "power",          "impulse",        "warp", "repair",
    "cloak", "phaser_system", "pulse_system", "torpedo_system", "tractor_system", NULL,
};

/* What follows from the type of a system: how its entry looks on the wire (spec 03 §4.1) and what
 * its children are (spec 03 §10). 0, a hull, is nobody's child: no children. */
static const struct {
    uint8_t format, child_type;
} systems[] = {
    [SB_SUBSYSTEM_HULL] = { SB_FORMAT_BASE, 0 },
    [SB_SUBSYSTEM_SHIELD] = { SB_FORMAT_SHIELD, 0 },
    [SB_SUBSYSTEM_SENSOR] = { SB_FORMAT_POWERED, 0 },
    [SB_SUBSYSTEM_POWER] = { SB_FORMAT_REACTOR, 0 },
    [SB_SUBSYSTEM_IMPULSE] = { SB_FORMAT_POWERED, SB_SUBSYSTEM_ENGINE },
    [SB_SUBSYSTEM_WARP] = { SB_FORMAT_POWERED, SB_SUBSYSTEM_ENGINE },
    [SB_SUBSYSTEM_REPAIR] = { SB_FORMAT_POWERED, 0 },
    [SB_SUBSYSTEM_CLOAK] = { SB_FORMAT_POWERED, 0 },
    [SB_SUBSYSTEM_PHASER_SYSTEM] = { SB_FORMAT_POWERED, SB_SUBSYSTEM_PHASER_BANK },
    [SB_SUBSYSTEM_PULSE_SYSTEM] = { SB_FORMAT_POWERED, SB_SUBSYSTEM_PULSE_WEAPON },
    [SB_SUBSYSTEM_TORPEDO_SYSTEM] = { SB_FORMAT_POWERED, SB_SUBSYSTEM_TORPEDO_TUBE },
    [SB_SUBSYSTEM_TRACTOR_SYSTEM] = { SB_FORMAT_POWERED, SB_SUBSYSTEM_TRACTOR_PROJECTOR },
};
_Static_assert(COUNT_OF(type_words) == COUNT_OF(systems) + 1, "a word for every type of system");
_Static_assert(COUNT_OF(mode_words) == SB_POWER_MODE_COUNT + 1, "a word for every mode");
_Static_assert(COUNT_OF(source_words) == SB_SOURCE_CATALOGUE + 2, "a word for every source");

static void read_weapon(reader *r, void *record);
static void read_child(reader *r, void *record);
static void read_subsystem(reader *r, void *record);
static void read_ordnance(reader *r, void *record);

/* clang-format off */
#define WEAPON(member) offsetof(sb_weapon_class, member)
#define WEAPON_ID      { "id",      NUMBER_INT, false, WEAPON(weapon_id), 0, 255 }
#define WEAPON_FORWARD { "forward", FIGURES,    false, WEAPON(forward),   -1, 1, 3 }
static const field beam_fields[] = {
    WEAPON_ID,
    { "max_damage",          FIGURE,  false, WEAPON(max_damage),          0, MOST },
    { "max_damage_distance", FIGURE,  false, WEAPON(max_damage_distance), 0, MOST },
    { "max_charge",          FIGURE,  false, WEAPON(max_charge),          LEAST_DIVISOR, MOST },
    { "min_firing_charge",   FIGURE,  false, WEAPON(min_firing_charge),   0, MOST },
    { "recharge_rate",       FIGURE,  false, WEAPON(recharge_rate),       0, MOST },
    { "discharge_rate",      FIGURE,  false, WEAPON(discharge_rate),      0, MOST },
    WEAPON_FORWARD,
    { "up",                  FIGURES, false, WEAPON(up),                  -1, 1, 3 },
    { "arc_width",           FIGURES, false, WEAPON(arc_width),  -HALF_TURN, HALF_TURN, 2 },
    { "arc_height",          FIGURES, false, WEAPON(arc_height), -HALF_TURN, HALF_TURN, 2 },
    { NULL },
};
static const field tube_fields[] = {
    WEAPON_ID,
    { "reload_delay",    FIGURE,     false, WEAPON(reload_delay),    0, MOST },
    { "immediate_delay", FIGURE,     false, WEAPON(immediate_delay), 0, MOST },
    { "max_ready",       NUMBER_INT, false, WEAPON(max_ready),       1, 255 },
    { "dumbfire",        FLAG,       false, WEAPON(dumbfire) },
    WEAPON_FORWARD,
    { NULL },
};

#define ENTRY(member) offsetof(sb_subsystem_class, member)
static const field source_fields[] = {
    { "condition",  WORD, true, ENTRY(condition_source),  .words = source_words },
    { "properties", WORD, true, ENTRY(properties_source), .words = source_words },
    { "power",      WORD, true, ENTRY(power_source),      .words = source_words },
    { "order",      WORD, true, ENTRY(order_source),      .words = source_words },
    { "creation",   WORD, true, ENTRY(creation_source),   .words = source_words },
    { NULL },
};
#define ENTRY_FIELDS                                                                            \
    { "name",              TEXT,       false, ENTRY(name), .count = NAME_BYTES_MAX },           \
    { "creation_index",    NUMBER_I16, true,  ENTRY(creation_index), 0, 1000 },                 \
    { "critical",          FLAG,       true,  ENTRY(critical) },                                \
    { "targetable",        FLAG,       true,  ENTRY(targetable) },                              \
    { "max_condition",     FIGURE,     false, ENTRY(max_condition), LEAST_DIVISOR, MOST },      \
    { "disabled_below",    FIGURE,     false, ENTRY(disabled_below), 0, 1 },                    \
    { "repair_complexity", FIGURE,     false, ENTRY(repair_complexity), LEAST_DIVISOR, MOST },  \
    { "position",          FIGURES,    true,  ENTRY(position), -FARTHEST, FARTHEST, 3 },        \
    { "radius",            FIGURE,     true,  ENTRY(radius), 0, FARTHEST },                     \
    { "hit",               FIGURES,    true,  ENTRY(hit), -FARTHEST, FARTHEST, 3 },             \
    { "source",            GROUP,      true,  0, .fields = source_fields }
static const field child_fields[] = {
    ENTRY_FIELDS,
    { "weapon", PART, true, 0, .read = read_weapon },
    { NULL },
};
static const field subsystem_fields[] = {
    { "type",             WORD,   false, ENTRY(type), .words = type_words },
    ENTRY_FIELDS,
    { "power_per_second", FIGURE, true,  ENTRY(power_per_second), 0, MOST },
    { "power_mode",       WORD,   true,  ENTRY(power_mode), .words = mode_words },
    { "children",         LIST,   true,  0, .count = SB_CHILDREN_MAX, .read = read_child },
    { NULL },
};

#define ORDNANCE(member) offsetof(sb_ordnance, member)
static const field ordnance_fields[] = {
    { "system",     WORD,      false, ORDNANCE(system_type), .words = type_words },
    { "slot",       NUMBER_U8, false, ORDNANCE(slot), 0, 255 },
    { "projectile", NUMBER_U8, false, ORDNANCE(projectile_type), 0, 255 },
    { "ground",     TEXT,      false, ORDNANCE(ground), .count = GROUND_BYTES_MAX },
    { NULL },
};

#define SHIP(member) offsetof(sb_ship_class, member)
static const field impulse_fields[] = {
    { "max_speed",            FIGURE, false, SHIP(max_speed), 0, MOST },
    { "max_accel",            FIGURE, false, SHIP(max_accel), 0, MOST },
    { "max_angular_accel",    FIGURE, false, SHIP(max_angular_accel), 0, MOST },
    { "max_angular_velocity", FIGURE, false, SHIP(max_angular_velocity), 0, MOST },
    { NULL },
};
static const field shield_fields[] = {
    { "max",  FIGURES, false, SHIP(shield_max), 0, MOST, SB_FACINGS },
    { "rate", FIGURES, false, SHIP(shield_rate), 0, MOST, SB_FACINGS },
    { NULL },
};
static const field power_fields[] = {
    { "output",         FIGURE, false, SHIP(power_output), 0, MOST },
    { "main_battery",   FIGURE, false, SHIP(main_battery), 0, MOST },
    { "backup_battery", FIGURE, false, SHIP(backup_battery), 0, MOST },
    { "main_conduit",   FIGURE, false, SHIP(main_conduit), 0, MOST },
    { "backup_conduit", FIGURE, false, SHIP(backup_conduit), 0, MOST },
    { "draw_source",    WORD,   false, SHIP(figures_source), .words = source_words },
    { NULL },
};
static const field repair_fields[] = {
    { "max_points", FIGURE,    false, SHIP(max_repair_points), 0, MOST },
    { "teams",      NUMBER_U8, false, SHIP(repair_teams), 0, 255 },
    { NULL },
};
static const field ship_fields[] = { /* `source` before `subsystems`, which start from it */
    { "species",            NUMBER_U8, false, SHIP(species), 1, 255 },
    { "key",                TEXT,      false, SHIP(key), .count = NAME_BYTES_MAX },
    { "name",               TEXT,      false, SHIP(name), .count = NAME_BYTES_MAX },
    { "faction",            TEXT,      false, SHIP(faction), .count = NAME_BYTES_MAX },
    { "modifier_class",     NUMBER_U8, false, SHIP(modifier_class), 0, 255 },
    { "selectable",         FLAG,      false, SHIP(selectable) },
    { "mass",               FIGURE,    false, SHIP(mass), LEAST_DIVISOR, MOST },
    { "rotational_inertia", FIGURE,    false, SHIP(rotational_inertia), 0, MOST },
    { "bound_radius",       FIGURE,    false, SHIP(bound_radius), LEAST_DIVISOR, FARTHEST },
    { "cloak_strength",     FIGURE,    true,  SHIP(cloak_strength), 0, MOST },
    { "impulse",            GROUP,     false, 0, .fields = impulse_fields },
    { "shields",            GROUP,     false, 0, .fields = shield_fields },
    { "power",              GROUP,     false, 0, .fields = power_fields },
    { "repair",             GROUP,     false, 0, .fields = repair_fields },
    { "ordnance",           LIST,      true,  0, .count = SHIP_ORDNANCE_MAX,
                                                 .read = read_ordnance },
    { "source",             GROUP,     true,  offsetof(ship_draft, defaults),
                                                 .fields = source_fields },
    { "subsystems",         LIST,      true,  0, .count = SB_SUBSYSTEMS_MAX,
                                                 .read = read_subsystem },
    { "subsystems_of",      TEXT,      true,  offsetof(ship_draft, subsystems_of),
                                                 .count = NAME_BYTES_MAX },
    { NULL },
};
/* clang-format on */

static void check_axis(reader *r, const char *key, const float axis[3])
{
    double length =
        sqrt((double)axis[0] * axis[0] + (double)axis[1] * axis[1] + (double)axis[2] * axis[2]);
    if (length < 0.999 || length > 1.001)
        FAIL_AT(r, key, "must be a direction of length 1, has %g", length);
}

static void check_beam(reader *r, const sb_weapon_class *weapon)
{
    check_axis(r, "up", weapon->up);
    if (weapon->arc_width[0] > weapon->arc_width[1])
        FAIL_AT(r, "arc_width", "must be the smaller angle, then the larger");
    if (weapon->arc_height[0] > weapon->arc_height[1])
        FAIL_AT(r, "arc_height", "must be the smaller angle, then the larger");
    if (weapon->min_firing_charge > weapon->max_charge)
        FAIL_AT(r, "min_firing_charge", "must not exceed max_charge");
}

static void read_weapon(reader *r, void *record)
{
    static const float absent[3] = { NAN, NAN, NAN };
    entry_draft       *draft = record;
    bool               tube = draft->entry.type == SB_SUBSYSTEM_TORPEDO_TUBE;
    if (draft->entry.type == SB_SUBSYSTEM_ENGINE) fail(r, "an engine is no weapon");
    sb_weapon_class *weapon = keep_or_fail(r, sizeof *weapon);
    weapon->max_damage = weapon->max_damage_distance = NAN;
    weapon->max_charge = weapon->min_firing_charge = NAN;
    weapon->recharge_rate = weapon->discharge_rate = NAN;
    weapon->reload_delay = weapon->immediate_delay = NAN;
    weapon->max_ready = -1;
    memcpy(weapon->up, absent, sizeof weapon->up);
    memcpy(weapon->arc_width, absent, sizeof weapon->arc_width);
    memcpy(weapon->arc_height, absent, sizeof weapon->arc_height);
    read_fields(r, tube ? tube_fields : beam_fields, weapon);
    check_axis(r, "forward", weapon->forward);
    if (!tube) check_beam(r, weapon);
    draft->entry.weapon = weapon;
}

/* An entry before its table is read: what "absent" means for each optional field. */
static entry_draft start_entry(ship_draft *ship)
{
    entry_draft draft = { .entry = ship->defaults, .ship = ship };
    draft.entry.creation_index = -1;
    draft.entry.targetable = true;
    draft.entry.power_per_second = NAN;
    draft.entry.radius = NAN;
    for (size_t i = 0; i < 3; i++) draft.entry.position[i] = draft.entry.hit[i] = NAN;
    return draft;
}

static void finish_position(reader *r, sb_subsystem_class *entry)
{
    entry->has_position = !isnan(entry->position[0]);
    if (!entry->has_position) {
        if (!isnan(entry->radius)) FAIL_AT(r, "radius", "is of no use without position");
        if (!isnan(entry->hit[0])) FAIL_AT(r, "hit", "is of no use without position");
        return;
    }
    if (isnan(entry->radius)) FAIL_AT(r, "radius", "is missing, but position is given");
    if (isnan(entry->hit[0])) memcpy(entry->hit, entry->position, sizeof entry->hit);
}

static void finish_power(reader *r, sb_subsystem_class *entry)
{
    bool powered = entry->format == SB_FORMAT_POWERED || entry->format == SB_FORMAT_SHIELD;
    bool given = !isnan(entry->power_per_second);
    if (powered && !given) FAIL_AT(r, "power_per_second", "is missing");
    if (!powered && given) FAIL_AT(r, "power_per_second", "this type of subsystem draws none");
    if (!powered && entry->power_mode)
        FAIL_AT(r, "power_mode", "this type of subsystem draws no power");
    if (powered) return;
    entry->power_per_second = 0;
    entry->power_source = SB_SOURCE_NONE;
}

static void finish_sources(reader *r, sb_subsystem_class *entry)
{
    bool powered = entry->format == SB_FORMAT_POWERED || entry->format == SB_FORMAT_SHIELD;
    if (entry->creation_index < 0) entry->creation_source = SB_SOURCE_NONE;
    else if (!entry->creation_source) FAIL_AT(r, "source.creation", "is missing");
    if (!entry->condition_source) FAIL_AT(r, "source.condition", "is missing");
    if (!entry->properties_source) FAIL_AT(r, "source.properties", "is missing");
    if (!entry->order_source) FAIL_AT(r, "source.order", "is missing");
    if (powered && !entry->power_source) FAIL_AT(r, "source.power", "is missing");
}

static void finish_entry(reader *r, sb_subsystem_class *entry)
{
    finish_position(r, entry);
    finish_power(r, entry);
    finish_sources(r, entry);
}

static void read_child(reader *r, void *record)
{
    entry_draft *parent = record;
    ship_draft  *ship = parent->ship;
    entry_draft  child = start_entry(ship);
    child.entry.type = systems[parent->entry.type].child_type;
    child.entry.format = SB_FORMAT_BASE;
    if (!child.entry.type) fail(r, "a %s has no children", type_words[parent->entry.type]);
    if (ship->ship.child_count == SHIP_CHILDREN_MAX)
        fail(r, "a ship has at most %d children in all", SHIP_CHILDREN_MAX);
    read_fields(r, child_fields, &child);
    finish_entry(r, &child.entry);
    if (child.entry.type != SB_SUBSYSTEM_ENGINE && !child.entry.weapon)
        FAIL_AT(r, "weapon", "is missing");
    ship->children[ship->ship.child_count++] = child.entry;
    parent->entry.child_count++;
}

static void read_subsystem(reader *r, void *record)
{
    ship_draft *ship = record;
    entry_draft draft = start_entry(ship);
    draft.entry.first_child = ship->ship.child_count;
    read_fields(r, subsystem_fields, &draft);
    draft.entry.format = systems[draft.entry.type].format;
    if (draft.entry.child_count == 0) draft.entry.first_child = 0;
    finish_entry(r, &draft.entry);
    ship->subsystems[ship->ship.subsystem_count++] = draft.entry;
}

static void read_ordnance(reader *r, void *record)
{
    ship_draft  *ship = record;
    sb_ordnance *ordnance = &ship->ordnance[ship->ship.ordnance_count];
    read_fields(r, ordnance_fields, ordnance);
    if (ordnance->system_type != SB_SUBSYSTEM_TORPEDO_SYSTEM &&
        ordnance->system_type != SB_SUBSYSTEM_PULSE_SYSTEM)
        FAIL_AT(r, "system", "must be torpedo_system or pulse_system");
    for (size_t i = 0; i < ship->ship.ordnance_count; i++)
        if (ship->ordnance[i].system_type == ordnance->system_type &&
            ship->ordnance[i].slot == ordnance->slot)
            FAIL_AT(r, "slot", "is the same as in ordnance[%zu]", i + 1);
    ship->ship.ordnance_count++;
}

/* Creation indices number the N subsystems of a ship 0..N-1, each once (spec 07 §1.1). */
static void check_creation_index(reader *r, const ship_draft *ship, bool *taken, size_t top,
                                 const sb_subsystem_class *child)
{
    const sb_subsystem_class *entry = child ? child : &ship->subsystems[top];
    int                       total = ship->ship.subsystem_count + ship->ship.child_count;
    char                      key[64], below[32] = "";
    if (entry->creation_index < 0) return;
    bool fits = entry->creation_index < total;
    if (fits && !taken[entry->creation_index]) {
        taken[entry->creation_index] = true;
        return;
    }
    if (child) {
        long index = child - &ship->children[ship->subsystems[top].first_child];
        snprintf(below, sizeof below, ".children[%ld]", index + 1);
    }
    snprintf(key, sizeof key, "subsystems[%zu]%s.creation_index", top + 1, below);
    if (fits) FAIL_AT(r, key, "%d is taken by an earlier entry", entry->creation_index);
    FAIL_AT(r, key, "must be less than %d, the number of subsystems", total);
}

static void check_creation(reader *r, const ship_draft *ship)
{
    bool taken[SB_SUBSYSTEMS_MAX + SHIP_CHILDREN_MAX] = { false };
    for (size_t i = 0; i < ship->ship.subsystem_count; i++) {
        const sb_subsystem_class *entry = &ship->subsystems[i];
        check_creation_index(r, ship, taken, i, NULL);
        for (size_t k = 0; k < entry->child_count; k++)
            check_creation_index(r, ship, taken, i, &ship->children[entry->first_child + k]);
    }
}

static const void *keep_copy(reader *r, const void *items, size_t count, size_t size)
{
    if (count == 0) return NULL;
    return memcpy(keep_or_fail(r, count * size), items, count * size);
}

static void read_ship(reader *r, void *record)
{
    ship_draft    *draft = record;
    sb_ship_class *ship = &draft->ship;
    read_fields(r, ship_fields, draft);
    bool own = ship->subsystem_count > 0;
    if (own && draft->subsystems_of) FAIL_AT(r, "subsystems_of", "subsystems is given as well");
    if (!own && !draft->subsystems_of) FAIL_AT(r, "subsystems", "is missing or empty");
    check_creation(r, draft);
    ship->subsystems =
        keep_copy(r, draft->subsystems, ship->subsystem_count, sizeof draft->subsystems[0]);
    ship->children = keep_copy(r, draft->children, ship->child_count, sizeof draft->children[0]);
    ship->ordnance = keep_copy(r, draft->ordnance, ship->ordnance_count, sizeof draft->ordnance[0]);
}

/* ---- what a ship needs once its list is known, its own or a borrowed one ---- */

typedef struct loaded_ship {
    sb_ship_class ship;
    const char   *file;
    const char   *subsystems_of;
} loaded_ship;

static sb_result load_ship(sb_data *data, sb_data_source source, loaded_ship *out)
{
    ship_draft draft;
    memset(&draft, 0, sizeof draft);
    sb_result result = load(data, source, read_ship, &draft);
    if (result != SB_OK) return result;
    *out = (loaded_ship){ draft.ship, source.name, draft.subsystems_of };
    return SB_OK;
}

static bool has_system(const sb_ship_class *ship, uint8_t type)
{
    for (size_t i = 0; i < ship->subsystem_count; i++)
        if (ship->subsystems[i].type == type) return true;
    return false;
}

static sb_result borrow_list(sb_data *data, loaded_ship *loaded, const sb_ship_class *lender)
{
    char reason[160];
    snprintf(reason, sizeof reason, "no ship called %s has a list of its own",
             loaded->subsystems_of);
    if (!lender || lender->subsystem_count == 0)
        return refuse(data, loaded->file, "subsystems_of", reason);
    loaded->ship.subsystems = lender->subsystems;
    loaded->ship.subsystem_count = lender->subsystem_count;
    loaded->ship.children = lender->children;
    loaded->ship.child_count = lender->child_count;
    return SB_OK;
}

static sb_result finish_ship(sb_data *data, loaded_ship *loaded)
{
    sb_ship_class *ship = &loaded->ship;
    char           key[48];
    if (!has_system(ship, SB_SUBSYSTEM_HULL))
        return refuse(data, loaded->file, "subsystems", "must have a hull");
    ship->can_cloak = has_system(ship, SB_SUBSYSTEM_CLOAK);
    if (!ship->can_cloak && ship->cloak_strength > 0)
        return refuse(data, loaded->file, "cloak_strength", "no subsystem is a cloak");
    for (size_t i = 0; i < ship->ordnance_count; i++) {
        if (has_system(ship, ship->ordnance[i].system_type)) continue;
        snprintf(key, sizeof key, "ordnance[%zu].system", i + 1);
        return refuse(data, loaded->file, key, "the ship has no such system");
    }
    return SB_OK;
}

sb_result sb_data_load_ship(sb_data *data, sb_data_source source, const sb_ship_set *lenders,
                            const sb_ship_class **out)
{
    loaded_ship loaded;
    sb_result   result = load_ship(data, source, &loaded);
    if (result == SB_OK && loaded.subsystems_of) {
        const char *name = loaded.subsystems_of;
        result = borrow_list(data, &loaded, lenders ? sb_find_ship_by_name(lenders, name) : NULL);
    }
    if (result == SB_OK) result = finish_ship(data, &loaded);
    if (result != SB_OK) return result;
    sb_ship_class *ship = keep(data, sizeof *ship);
    if (!ship) return refuse_for_host(data, source.name, "out of memory");
    *ship = loaded.ship;
    *out = ship;
    return SB_OK;
}

/* ---- a directory of ships ---- */

enum { SHIPS_MAX = 255 }; /* species 1..255 */

static bool is_data_file(const char *name)
{
    size_t size = strlen(name);
    return name[0] != '.' && size > 4 && strcmp(name + size - 4, ".lua") == 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Fills names[] with the kept paths of the data files, sorted, so that the first complaint does not
 * depend on the file system. */
static sb_result list_files(sb_data *data, const char *directory, char *names[], size_t *count)
{
    DIR *open = opendir(directory);
    if (!open) return refuse_for_host(data, directory, strerror(errno));
    sb_result result = SB_OK;
    *count = 0;
    for (struct dirent *file; result == SB_OK && (file = readdir(open));) {
        if (!is_data_file(file->d_name)) continue;
        size_t size = strlen(directory) + strlen(file->d_name) + 2;
        char  *name = keep(data, size);
        if (*count == SHIPS_MAX) result = refuse(data, directory, "", "holds more than 255 ships");
        else if (!name) result = refuse_for_host(data, directory, "out of memory");
        else {
            snprintf(name, size, "%s/%s", directory, file->d_name);
            names[(*count)++] = name;
        }
    }
    closedir(open);
    if (result == SB_OK) qsort(names, *count, sizeof names[0], compare_names);
    return result;
}

static sb_result refuse_duplicates(sb_data *data, const loaded_ship *ships, size_t count)
{
    const loaded_ship *last = &ships[count - 1];
    char               reason[320];
    for (const loaded_ship *s = ships; s < last; s++) {
        bool species = s->ship.species == last->ship.species;
        if (!species && strcmp(s->ship.key, last->ship.key) != 0) continue;
        snprintf(reason, sizeof reason, "is the same as in %s", s->file);
        return refuse(data, last->file, species ? "species" : "key", reason);
    }
    return SB_OK;
}

static const sb_ship_class *find_lender(const loaded_ship *ships, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (!ships[i].subsystems_of && strcmp(ships[i].ship.key, key) == 0) return &ships[i].ship;
    return NULL;
}

static sb_result load_directory(sb_data *data, char *names[], size_t count, loaded_ship *ships)
{
    sb_result result = SB_OK;
    for (size_t i = 0; i < count && result == SB_OK; i++) {
        result = load_ship(data, (sb_data_source){ .name = names[i] }, &ships[i]);
        if (result == SB_OK) result = refuse_duplicates(data, ships, i + 1);
    }
    for (size_t i = 0; i < count && result == SB_OK; i++) {
        const char *key = ships[i].subsystems_of;
        if (key) result = borrow_list(data, &ships[i], find_lender(ships, count, key));
        if (result == SB_OK) result = finish_ship(data, &ships[i]);
    }
    return result;
}

static int compare_species(const void *a, const void *b)
{
    const loaded_ship *x = a, *y = b;
    return x->ship.species - y->ship.species;
}

sb_result sb_data_load_ships(sb_data *data, const char *directory, const sb_ship_set **out)
{
    char       *names[SHIPS_MAX];
    loaded_ship ships[SHIPS_MAX];
    size_t      count = 0;
    data->error[0] = '\0';
    sb_result result = list_files(data, directory, names, &count);
    if (result == SB_OK && count == 0)
        return refuse(data, directory, "", "holds no data file (*.lua)");
    if (result == SB_OK) result = load_directory(data, names, count, ships);
    if (result != SB_OK) return result;
    qsort(ships, count, sizeof ships[0], compare_species);

    sb_ship_set   *set = keep(data, sizeof *set);
    sb_ship_class *kept = keep(data, count * sizeof *kept);
    if (!set || !kept) return refuse_for_host(data, directory, "out of memory");
    for (size_t i = 0; i < count; i++) {
        kept[i] = ships[i].ship;
        set->by_species[kept[i].species] = &kept[i];
    }
    set->ships = kept;
    set->count = count;
    *out = set;
    return SB_OK;
}

/* ---- species, projectiles, systems: one list each, ascending by its number ---- */

enum { ROWS_MAX = 255, OTHER_SETS_MAX = 16 };

static void check_ascending(reader *r, const char *key, unsigned before, unsigned now)
{
    if (now <= before) FAIL_AT(r, key, "must be more than that of the entry before, %u", before);
}

/* clang-format off */
#define SPECIES(member) offsetof(sb_species, member)
static const field species_fields[] = {
    { "species", NUMBER_U8, false, SPECIES(species), 1, 255 },
    { "name",    TEXT,      false, SPECIES(name), .count = NAME_BYTES_MAX },
    { "faction", TEXT,      false, SPECIES(faction), .count = NAME_BYTES_MAX },
    { NULL },
};

static const char *const kind_words[] = { "torpedo", "bolt", NULL };
_Static_assert(COUNT_OF(kind_words) == SB_PROJECTILE_KIND_COUNT + 1, "a word for every kind");

#define PROJECTILE(member) offsetof(sb_projectile_class, member)
static const field projectile_fields[] = {
    { "type",                 NUMBER_U8, false, PROJECTILE(type), 1, 255 },
    { "name",                 TEXT,      false, PROJECTILE(name), .count = NAME_BYTES_MAX },
    { "label",                TEXT,      false, PROJECTILE(label), .count = NAME_BYTES_MAX },
    { "kind",                 WORD,      false, PROJECTILE(kind), .words = kind_words },
    { "damage",               FIGURE,    false, PROJECTILE(damage), 0, MOST },
    { "launch_speed",         FIGURE,    false, PROJECTILE(launch_speed), 0, MOST },
    { "power_cost",           FIGURE,    false, PROJECTILE(power_cost), 0, MOST },
    { "guidance_lifetime",    FIGURE,    false, PROJECTILE(guidance_lifetime), 0, MOST },
    { "max_angular_accel",    FIGURE,    false, PROJECTILE(max_angular_accel), 0, MOST },
    { "lifetime",             FIGURE,    false, PROJECTILE(lifetime), 0, MOST },
    { "damage_radius_factor", FIGURE,    false, PROJECTILE(damage_radius_factor), 0, MOST },
    { NULL },
};

static void read_other_set(reader *r, void *record);
#define SYSTEM(member) offsetof(sb_system, member)
static const field system_fields[] = {
    { "index",      NUMBER_U8, false, SYSTEM(index), 1, 255 },
    { "name",       TEXT,      false, SYSTEM(name), .count = NAME_BYTES_MAX },
    { "start_set",  TEXT,      false, SYSTEM(start_set), .count = NAME_BYTES_MAX },
    { "script",     TEXT,      false, SYSTEM(script), .count = NAME_BYTES_MAX },
    { "label",      TEXT,      false, SYSTEM(label), .count = NAME_BYTES_MAX },
    { "campaign",   FLAG,      true,  SYSTEM(campaign) },
    { "other_sets", LIST,      true,  0, .count = OTHER_SETS_MAX, .read = read_other_set },
    { NULL },
};
/* clang-format on */

typedef struct species_draft {
    sb_species rows[ROWS_MAX];
    size_t     count;
} species_draft;

static void read_species(reader *r, void *record)
{
    species_draft *draft = record;
    sb_species    *row = &draft->rows[draft->count++];
    read_fields(r, species_fields, row);
    check_ascending(r, "species", draft->count > 1 ? row[-1].species : 0, row->species);
}

static void read_species_list(reader *r, void *out)
{
    species_draft draft = { .count = 0 };
    read_list(r, ROWS_MAX, read_species, &draft);
    sb_species_set *set = keep_or_fail(r, sizeof *set);
    set->species = keep_copy(r, draft.rows, draft.count, sizeof draft.rows[0]);
    set->count = draft.count;
    *(const sb_species_set **)out = set;
}

sb_result sb_data_load_species(sb_data *data, sb_data_source source, const sb_species_set **out)
{
    return load(data, source, read_species_list, out);
}

typedef struct projectile_draft {
    sb_projectile_class rows[ROWS_MAX];
    size_t              count;
} projectile_draft;

static void read_projectile(reader *r, void *record)
{
    projectile_draft    *draft = record;
    sb_projectile_class *row = &draft->rows[draft->count++];
    read_fields(r, projectile_fields, row);
    check_ascending(r, "type", draft->count > 1 ? row[-1].type : 0, row->type);
}

static void read_projectile_list(reader *r, void *out)
{
    projectile_draft draft = { .count = 0 };
    read_list(r, ROWS_MAX, read_projectile, &draft);
    sb_projectile_set *set = keep_or_fail(r, sizeof *set);
    set->projectiles = keep_copy(r, draft.rows, draft.count, sizeof draft.rows[0]);
    set->count = draft.count;
    for (size_t i = 0; i < set->count; i++)
        set->by_type[set->projectiles[i].type] = &set->projectiles[i];
    *(const sb_projectile_set **)out = set;
}

sb_result sb_data_load_projectiles(sb_data *data, sb_data_source source,
                                   const sb_projectile_set **out)
{
    return load(data, source, read_projectile_list, out);
}

typedef struct system_draft {
    sb_system rows[ROWS_MAX];
    size_t    count;
} system_draft;

typedef struct other_sets_draft {
    sb_system   row; /* first: the fields of a system are offsets in it */
    const char *other_sets[OTHER_SETS_MAX];
} other_sets_draft;

static void read_other_set(reader *r, void *record)
{
    other_sets_draft *draft = record;
    draft->other_sets[draft->row.other_set_count++] = take_text(r, NAME_BYTES_MAX);
}

static void read_system(reader *r, void *record)
{
    system_draft    *draft = record;
    other_sets_draft one = { .row = { 0 } };
    read_fields(r, system_fields, &one);
    one.row.other_sets =
        keep_copy(r, one.other_sets, one.row.other_set_count, sizeof one.other_sets[0]);
    check_ascending(r, "index", draft->count ? draft->rows[draft->count - 1].index : 0,
                    one.row.index);
    draft->rows[draft->count++] = one.row;
}

static void read_system_list(reader *r, void *out)
{
    system_draft draft = { .count = 0 };
    read_list(r, ROWS_MAX, read_system, &draft);
    sb_system_set *set = keep_or_fail(r, sizeof *set);
    set->systems = keep_copy(r, draft.rows, draft.count, sizeof draft.rows[0]);
    set->count = draft.count;
    *(const sb_system_set **)out = set;
}

sb_result sb_data_load_systems(sb_data *data, sb_data_source source, const sb_system_set **out)
{
    return load(data, source, read_system_list, out);
}
