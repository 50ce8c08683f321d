/* src/load/lua_table.h -- the table that a Lua file returns, read by a list of its fields.
 *
 * For:      every file that people write for us in Lua: data_file.h, later server.lua.
 * May use:  files, malloc, Lua 5.4. Such a file is a program from a stranger: it runs without io,
 *           os, package, load, string or table, as text only, for a bounded number of
 *           instructions in bounded memory. See SB_DATA_..._MAX.
 * Never:    accepts a table in part: an unknown, missing or impossible value refuses it, with
 *           file, key and reason. Knows what a field means.
 */
#ifndef SB_LOAD_LUA_TABLE_H
#define SB_LOAD_LUA_TABLE_H

#include <starbase/base.h>

enum {
    SB_DATA_FILE_BYTES_MAX = 1 << 20,
    SB_DATA_MEMORY_BYTES_MAX = 16 << 20,
    SB_DATA_INSTRUCTIONS_MAX = 10 * 1000 * 1000,
    SB_DATA_ERROR_MAX = 512,
    SB_DATA_NAME_MAX = 63, /* bytes of a name or key in a table */
};

#define SB_DATA_FIGURE_MAX 1e9 /* of a quantity that has no nearer bound */

/* ---- what was loaded, and why it was not ---- */

/* Owns what was loaded. Starts as { 0 }; sb_data_free ends it and everything it lent. */
typedef struct sb_data {
    struct sb_data_block *blocks;
    char                  error[SB_DATA_ERROR_MAX]; /* one line, after anything but SB_OK */
} sb_data;

/* Where a table comes from: `text` in memory, or the file called `name` when `text` is NULL. */
typedef struct sb_data_source {
    const char *name; /* as it shall appear in errors */
    const char *text; /* borrowed until the load returns; need not end in NUL */
    size_t      size;
} sb_data_source;

/* Lends zeroed memory until sb_data_free. NULL: out of memory. */
void *sb_data_allocate(sb_data *data, size_t size);
void  sb_data_free(sb_data *data);
/* Write "file: key: reason" to data->error, and return SB_BAD_VALUE or SB_OS_ERROR. `key` may be
 * "". */
SB_MUST_USE sb_result sb_data_refuse(sb_data *data, const char *file, const char *key,
                                     const char *reason);
SB_MUST_USE sb_result sb_data_refuse_os_error(sb_data *data, const char *file, const char *reason);
/* Reads a file into memory that the caller frees, even if it failed. A *size above `most`: the file
 * is longer. */
SB_MUST_USE sb_result sb_data_read_file(sb_data *data, const char *name, size_t most, char **text,
                                        size_t *size);

/* ---- running a file and reading its table ---- */

/* A file that has run. Its readers work on one value at a time, the one "at hand". */
typedef struct sb_lua sb_lua;
typedef void (*sb_lua_reader)(sb_lua *lua, void *record);

/* Runs `source` and calls read(lua, out) with what it returned at hand. SB_BAD_VALUE: refused;
 * SB_OS_ERROR: it could not be read or memory ran out; either way data->error says why. */
SB_MUST_USE sb_result sb_data_load_table(sb_data *data, sb_data_source source, sb_lua_reader read,
                                         void *out);

typedef enum sb_lua_kind {
    SB_LUA_FIGURE,  /* float */
    SB_LUA_FIGURES, /* float[count] */
    SB_LUA_U8,      /* whole numbers */
    SB_LUA_I16,     /* ... */
    SB_LUA_INT,     /* ... */
    SB_LUA_FLAG,    /* bool */
    SB_LUA_TEXT,    /* const char *, kept */
    SB_LUA_WORD,    /* uint8_t: index in `words` */
    SB_LUA_ANY,     /* sb_lua_value: whatever is there; the caller decides */
    SB_LUA_GROUP,   /* a table inside the table, read by `fields` into the record at `offset` */
    SB_LUA_PART,    /* `read` is called with the value at hand */
    SB_LUA_LIST,    /* 1, 2, 3...: `read` is called with each entry at hand */
} sb_lua_kind;

/* A value of any kind; absent when the record starts as zeros and the key is optional. */
typedef struct sb_lua_value {
    enum { SB_LUA_ABSENT, SB_LUA_IS_NUMBER, SB_LUA_IS_TEXT, SB_LUA_IS_FLAG, SB_LUA_IS_OTHER } kind;
    double      number;
    bool        flag;
    const char *text; /* kept; of IS_OTHER: what it is, "a table" */
} sb_lua_value;

typedef struct sb_lua_field {
    const char                *key;
    sb_lua_kind                kind;
    bool                       optional; /* then the record holds the value for "absent" before */
    size_t                     offset;   /* in the record */
    double                     low, high;
    size_t                     count; /* FIGURES: how many; TEXT: bytes at most; LIST: entries */
    const char *const         *words; /* ends with NULL */
    const struct sb_lua_field *fields;
    sb_lua_reader              read; /* gets the record, not the place at `offset` */
} sb_lua_field;

/* What follows is for readers, inside sb_data_load_table. None returns if it fails: the load ends
 * there. So a reader checks nothing between calls, and owns nothing that must be given back. */

/* Fills `record` from the table at hand. `fields` ends with a NULL key. */
void sb_lua_read_fields(sb_lua *lua, const sb_lua_field *fields, void *record);
/* Calls `read` with each entry of the list at hand, which has `most` entries at most. */
void sb_lua_read_list(sb_lua *lua, size_t most, sb_lua_reader read, void *record);
/* The text at hand, of 1 to `most` bytes; lent until sb_data_free. */
const char *sb_lua_read_text(sb_lua *lua, size_t most);
/* Whatever is at hand. A text with a zero byte inside is refused. */
sb_lua_value sb_lua_read_value(sb_lua *lua);
/* Lend zeroed memory, or a copy of `count` items (NULL if 0), until sb_data_free. */
void       *sb_lua_allocate(sb_lua *lua, size_t size);
const void *sb_lua_copy(sb_lua *lua, const void *items, size_t count, size_t size);
/* Refuse the value at hand, or the value called `key` inside it. */
_Noreturn void sb_lua_fail(sb_lua *lua, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
_Noreturn void sb_lua_fail_at(sb_lua *lua, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
