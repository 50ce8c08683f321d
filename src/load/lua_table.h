/* src/load/lua_table.h -- runs a Lua file in a sandbox and reads the table it returns by a list of
 * fields.
 *
 * For:      every file that people write in Lua: data files and server.lua.
 * May use:  files, malloc, Lua 5.4. A file is an untrusted program: it runs without io, os,
 *           package, load, string or table, as text only, with limits of instructions, time and
 *           memory (SB_DATA_..._MAX).
 * Never:    accepts a table in part: an unknown, missing or impossible value refuses it, and the
 *           error names file, key and reason. Never knows what a field means.
 */
#ifndef SB_LOAD_LUA_TABLE_H
#define SB_LOAD_LUA_TABLE_H

#include <starbase/base.h>

enum {
    SB_DATA_FILE_BYTES_MAX = 1 << 20,
    SB_DATA_MEMORY_BYTES_MAX = 16 << 20,
    SB_DATA_INSTRUCTIONS_MAX = 10 * 1000 * 1000,
    SB_DATA_SECONDS_MAX = 3, /* of the processor; a ship needs milliseconds */
    SB_DATA_ERROR_MAX = 512,
    SB_DATA_NAME_MAX = 63, /* bytes of a name or key in a table */
};

#define SB_DATA_FIGURE_MAX 1e9 /* the limit of a quantity without a limit of its own */

/* ---- memory and errors of a load ---- */

/* Owns everything that was loaded. Starts as { 0 }; sb_data_free frees it and
 * everything it lent. */
typedef struct sb_data {
    struct sb_data_block   *blocks;
    struct sb_data_warning *warnings;                 /* in the order of the loads; NULL: none */
    char                    error[SB_DATA_ERROR_MAX]; /* one line, after anything but SB_OK */
} sb_data;

/* Something that was accepted and has no effect. Lent until sb_data_free. */
typedef struct sb_data_warning {
    struct sb_data_warning *next;
    char                    text[SB_DATA_ERROR_MAX]; /* one line: "file: key: reason" */
} sb_data_warning;

/* The source of a table: `text` in memory, or the file `name` if `text` is NULL. */
typedef struct sb_data_source {
    const char *name; /* errors quote it */
    const char *text; /* borrowed until the load returns; need not end in NUL */
    size_t      size;
    /* The file may also consist of `key = value` lines: if it returns nothing, the table has the
     * names that it assigned. A file that assigns names and returns a table is refused. */
    bool accepts_lines;
} sb_data_source;

/* Lends zeroed memory until sb_data_free. NULL: out of memory. */
void *sb_data_allocate(sb_data *data, size_t size);
void  sb_data_free(sb_data *data);
/* Write "file: key: reason" to data->error, and return SB_BAD_VALUE or SB_OS_ERROR. `key` may be
 * "". */
SB_MUST_USE sb_result sb_data_refuse(sb_data *data, const char *file, const char *key,
                                     const char *reason);
/* The same for a line of the file, from 1: "file:12: reason". */
SB_MUST_USE sb_result sb_data_refuse_line(sb_data *data, const char *file, int line,
                                          const char *reason);
SB_MUST_USE sb_result sb_data_refuse_os_error(sb_data *data, const char *file, const char *reason);
/* Appends "file: key: reason" to data->warnings. Without memory the warning is lost. */
void sb_data_warn(sb_data *data, const char *file, const char *key, const char *reason);
/* Reads at most max_bytes + 1 bytes of a file; a larger *size than max_bytes means that the file is
 * too long. *text must be freed by the caller, also after an error. */
SB_MUST_USE sb_result sb_data_read_file(sb_data *data, const char *name, size_t max_bytes,
                                        char **text, size_t *size);

/* ---- running a file and reading its table ---- */

/* A file that has run. Readers work on one value at a time: the current value. */
typedef struct sb_lua sb_lua;
typedef void (*sb_lua_reader)(sb_lua *lua, void *record);

/* Runs `source` and calls read(lua, out) with its result as the current value. SB_BAD_VALUE: the
 * file is refused. SB_OS_ERROR: it could not be read, or memory ran out. In both cases data->error
 * says why. */
SB_MUST_USE sb_result sb_data_load_table(sb_data *data, sb_data_source source, sb_lua_reader read,
                                         void *out);

typedef enum sb_lua_kind {
    SB_LUA_FIGURE,  /* float */
    SB_LUA_FIGURES, /* float[count] */
    SB_LUA_U8,      /* uint8_t: a whole number */
    SB_LUA_I16,     /* int16_t: a whole number */
    SB_LUA_INT,     /* int: a whole number */
    SB_LUA_FLAG,    /* bool */
    SB_LUA_TEXT,    /* const char *, lent until sb_data_free */
    SB_LUA_WORD,    /* uint8_t: the index in `words` */
    SB_LUA_ANY,     /* sb_lua_value: a value of any type, for the caller to check */
    SB_LUA_GROUP,   /* a table inside the table: `fields` fill the record at `offset` */
    SB_LUA_PART,    /* calls `read` with the field as the current value */
    SB_LUA_LIST,    /* a list: calls `read` with each entry as the current value */
} sb_lua_kind;

/* A value of any type. An optional key that is missing leaves zeros, which mean SB_LUA_ABSENT. */
typedef struct sb_lua_value {
    enum { SB_LUA_ABSENT, SB_LUA_IS_NUMBER, SB_LUA_IS_TEXT, SB_LUA_IS_FLAG, SB_LUA_IS_OTHER } kind;
    double      number;
    bool        flag;
    const char *text; /* lent until sb_data_free; for SB_LUA_IS_OTHER the type: "a table" */
} sb_lua_value;

typedef struct sb_lua_field {
    const char                *key;
    sb_lua_kind                kind;
    bool                       optional; /* a missing key leaves the record as it is */
    size_t                     offset;   /* in the record */
    double                     low, high;
    size_t                     count; /* FIGURES: numbers; TEXT: max bytes; LIST: max entries */
    const char *const         *words; /* ends with NULL */
    const struct sb_lua_field *fields;
    sb_lua_reader              read; /* receives the whole record, not the field at `offset` */
} sb_lua_field;

/* Only readers may call the following functions, while sb_data_load_table runs. A function that
 * fails does not return: it ends the load. So a reader needs no checks between calls, and must not
 * own memory. */

/* Fills `record` from the current value, a table. `fields` ends with a NULL key. */
void sb_lua_read_fields(sb_lua *lua, const sb_lua_field *fields, void *record);
/* The same for a table whose keys can become obsolete: removed(key) says what became of a key that
 * is not in `fields`, and NULL means that the key is unknown. An obsolete key is not read; its
 * sentence becomes a warning. */
void sb_lua_read_fields_warning(sb_lua *lua, const sb_lua_field *fields, void *record,
                                const char *(*removed)(const char *key));
/* Gives the entries 1, 2, ... of the current value, a table, these keys, so that { "text", "u8" }
 * can be read like { name = "text", kind = "u8" }. `keys` ends with NULL. */
void sb_lua_name_positions(sb_lua *lua, const char *const *keys);
/* True if the current value is a table with a name as a key: one record, not a list of records. */
bool sb_lua_has_names(const sb_lua *lua);
/* Calls `read` with each entry of the current value, a list of at most `max_count` entries. */
void sb_lua_read_list(sb_lua *lua, size_t max_count, sb_lua_reader read, void *record);
/* The current value as a text of 1 to `max_bytes` bytes; lent until sb_data_free. */
const char *sb_lua_read_text(sb_lua *lua, size_t max_bytes);
/* The current value, of any type. Refuses a text with a zero byte inside. */
sb_lua_value sb_lua_read_value(sb_lua *lua);
/* Lend zeroed memory, or a copy of `count` items (NULL if 0), until sb_data_free. */
void       *sb_lua_allocate(sb_lua *lua, size_t size);
const void *sb_lua_copy(sb_lua *lua, const void *items, size_t count, size_t size);
/* Refuse the current value, or the value called `key` inside it. */
_Noreturn void sb_lua_fail(sb_lua *lua, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
_Noreturn void sb_lua_fail_at(sb_lua *lua, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Accepts the value called `key` inside the current one, and warns of it. */
void sb_lua_warn_at(sb_lua *lua, const char *key, const char *reason);

#endif
