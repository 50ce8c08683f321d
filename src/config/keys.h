/* src/config/keys.h -- every key of a server's configuration, described once.
 *
 * For:      read_file.c and read_settings.c, which read Lua, environment and command line by this
 *           table; the help, --keys, --check-config and --example of `starbase serve`; reloading.
 * May use:  server.h, whose configuration the keys fill; lua_table.h for the values.
 * Never:    knows where a value came from: these functions say what is wrong with a value, and the
 *           caller says where it was written.
 *
 * A key `max_players` is `max_players = 8` in server.lua, STARBASE_MAX_PLAYERS in the environment
 * and --max-players on the command line. A key that has no flag of
 * its own is set with --set KEY=VALUE.
 */
#ifndef SB_CONFIG_KEYS_H
#define SB_CONFIG_KEYS_H

#include "config/process_config.h"

typedef enum sb_key_kind {
    SB_KEY_FLAG,    /* true or false */
    SB_KEY_WHOLE,   /* a whole number from low to high */
    SB_KEY_SECONDS, /* a number from low to high, stored as sb_time */
    SB_KEY_TEXT,    /* UTF-8 of at most `high` bytes; may be empty */
    SB_KEY_WORD,    /* one of `words`; its index is stored */
    SB_KEY_NAME,    /* a text, or a whole number whose digits are stored */
    SB_KEY_TEXTS,   /* a list of texts; separated by commas in environment and command line, where
                       an entry in quotes may have commas */
} sb_key_kind;

/* The C type at the key's offset. */
typedef enum sb_key_store {
    SB_STORE_BOOL,
    SB_STORE_U8,
    SB_STORE_U32,
    SB_STORE_I32, /* also enums */
    SB_STORE_TIME,
    SB_STORE_TEXT,
    SB_STORE_TEXTS,
} sb_key_store;

/* When a changed value takes effect after the configuration was read again (SIGHUP). */
typedef enum sb_key_change {
    SB_CHANGE_RESTART,    /* with the next start of the program */
    SB_CHANGE_AT_ONCE,    /* in the running match, too */
    SB_CHANGE_WHEN_EMPTY, /* when the room is empty: players have loaded the old value */
    SB_CHANGE_NEWCOMERS,  /* at once, for players who join later */
    /* At once up to the value at the start, beyond it when the room is empty: it needs more memory
     * then. Present players stay. */
    SB_CHANGE_GROWS,
} sb_key_change;

typedef struct sb_key {
    const char *name;
    bool        of_room; /* rooms may differ; false: a key of the process */
    uint8_t     change;  /* sb_key_change */
    uint8_t     kind, store;
    size_t      offset; /* in sb_room_config or sb_process_config */
    /* The fields of sb_server_config that resolve_config.c computes from this key; ends with size
     * 0, NULL: none. A key stored in sb_room_config.server is its own field and needs none. */
    const sb_config_field *resolved;
    double                 low, high; /* a word with high > 0 may be given as its index */
    const char *const     *words;     /* ends with NULL */
    const char            *argument;  /* of the flag, in the help; "": no argument; NULL: no flag */
    /* Returns the fault of a text; NULL: it is valid. NULL instead of a function: no check. */
    const char *(*check)(const char *text);
    const char *help; /* '\n' starts another line */
} sb_key;

/* All keys in the order in which they are shown; the array ends with a NULL name. */
const sb_key *sb_config_keys(void);
size_t        sb_config_key_count(void);
const sb_key *sb_config_find_key(const char *name); /* NULL: none */
/* The heading of the section that starts with this key; NULL: the section goes on. */
const char *sb_key_section(const sb_key *key);
const char *sb_key_change_text(sb_key_change change); /* "at once" ... */
/* True if the key is stored in sb_room_config.server. */
bool sb_key_is_server_field(const sb_key *key);

/* Keys whose value is a table with a form of its own; no variable and no flag sets a whole table.
 * Rooms may differ. */
typedef struct sb_table_key {
    const char            *name;
    sb_key_change          change;
    const sb_config_field *resolved; /* as in sb_key */
    const char            *form;     /* "{ { type = 0xCD, policy = "drop" }, ... }" */
    const char            *where;    /* the places that can set it */
    const char            *help;
} sb_table_key;

extern const sb_table_key sb_config_tables[];                     /* ends with a NULL name */
const sb_table_key       *sb_config_find_table(const char *name); /* NULL: none */
/* The name of the key, or of the simulation's constant, nearest to a misspelt one; NULL: none is
 * near. */
const char *sb_config_suggest_key(const char *name);
const char *sb_config_suggest_constant(const char *name);

/* Parses the key `http`: PORT, which means 127.0.0.1, or ADDRESS:PORT. */
bool sb_config_parse_http(const char *text, sb_endpoint *out);

/* ---- key_values.c ---- */

enum { SB_KEY_REASON = 240, SB_KEY_VARIABLE = 64 };

/* Stores a value in `record`. False: `reason` says what is wrong, and nothing changed. Texts are
 * borrowed as long as the record. */
bool sb_key_set(const sb_key *key, void *record, const sb_lua_value *value,
                char reason[SB_KEY_REASON]);
/* The same from a text: "yes", "12", "a,b". `data` owns the entries of lists. */
bool sb_key_set_text(const sb_key *key, void *record, const char *text, sb_data *data,
                     char reason[SB_KEY_REASON]);
/* Prints the value in Lua: `"text"`, `12`, `true`, `{ "a", "b" }`. */
void sb_key_print_value(FILE *out, const sb_key *key, const void *record);
/* Prints a list of texts: `{ "a", "b" }`. */
void sb_key_print_texts(FILE *out, const sb_texts *texts);
/* Prints the value of the key in `defaults`, a configuration without any source. */
void sb_key_print_default(FILE *out, const sb_key *key, const sb_process_config *defaults);
/* Accepts yes, no, true, false, on, off, 1 and 0. False: another word; *out is unchanged. */
bool sb_key_parse_flag(const char *text, bool *out);
/* Accepts a finite number, also in hexadecimal, and nothing after it. */
bool sb_key_parse_number(const char *text, double *out);
/* True if both records hold the same value of the key. */
bool sb_key_is_equal(const sb_key *key, const void *record, const void *other);
/* Describes the values that the key accepts: "a whole number from 1 to 16", "one of off, log,
 * strict, learn". */
void sb_key_range_text(const sb_key *key, char *out, size_t capacity);
/* "STARBASE_MAX_PLAYERS", "max-players". */
void sb_key_variable(const sb_key *key, char out[SB_KEY_VARIABLE]);
void sb_key_flag(const sb_key *key, char out[SB_KEY_VARIABLE]);

#endif
