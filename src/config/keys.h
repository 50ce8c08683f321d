/* src/config/keys.h -- every key of a server's configuration, described once.
 *
 * For:      server_config.c, which reads Lua, environment and command line by it, the help and
 *           --check-config of `starbase serve`, and the test of examples/server.lua.
 * May use:  server.h, whose configuration the keys fill; lua_table.h for the values.
 * Never:    knows where a value came from: it says what is wrong with it, the caller where it was.
 *
 * A key `max_players` is `max_players = 8` in server.lua, STARBASE_MAX_PLAYERS in the environment
 * and, if it has a flag of its own, --max-players on the command line; else --set max_players=8.
 */
#ifndef SB_CONFIG_KEYS_H
#define SB_CONFIG_KEYS_H

#include "config/process_config.h"

typedef enum sb_key_kind {
    SB_KEY_FLAG,    /* true or false */
    SB_KEY_WHOLE,   /* a whole number from low to high */
    SB_KEY_SECONDS, /* a number from low to high, kept as sb_time */
    SB_KEY_TEXT,    /* UTF-8 of at most `high` bytes; may be empty */
    SB_KEY_WORD,    /* one of `words`; its index is kept */
    SB_KEY_NAME,    /* a text, or a whole number that is kept as its digits */
    SB_KEY_TEXTS,   /* a list of texts; from environment and command line with commas between */
} sb_key_kind;

/* How a number, flag or word is kept at its offset. */
typedef enum sb_key_store {
    SB_STORE_BOOL,
    SB_STORE_U8,
    SB_STORE_U32,
    SB_STORE_I32, /* also enums */
    SB_STORE_TIME,
    SB_STORE_TEXT,
    SB_STORE_TEXTS,
} sb_key_store;

/* When a changed value counts after the configuration was read again (SIGHUP). */
typedef enum sb_key_change {
    SB_CHANGE_RESTART,    /* with the next start of the program */
    SB_CHANGE_AT_ONCE,    /* also for the match that runs */
    SB_CHANGE_WHEN_EMPTY, /* when nobody is in the room: players have loaded the old one */
} sb_key_change;

typedef struct sb_key {
    const char        *name;
    bool               of_room; /* may differ between rooms; else of the whole process */
    uint8_t            change;  /* sb_key_change */
    uint8_t            kind, store;
    size_t             offset;    /* in sb_room_config or sb_process_config */
    double             low, high; /* of a word: high above 0, and it may be given by its number */
    const char *const *words;     /* ends with NULL */
    const char        *argument;  /* how the help calls it; "": a flag without; NULL: no flag */
    /* What is wrong with a text; NULL: nothing, or no such check. */
    const char *(*check)(const char *text);
    const char *help; /* '\n' starts another line */
} sb_key;

/* All keys in the order in which they are shown; the array ends with a NULL name. */
const sb_key *sb_config_keys(void);
size_t        sb_config_key_count(void);
const sb_key *sb_config_find_key(const char *name);     /* NULL: none */
const char   *sb_key_change_text(sb_key_change change); /* "at once" ... */

/* Keys whose value is a table of its own form: no variable and no flag sets them. Rooms may have
 * their own. */
typedef struct sb_table_key {
    const char   *name;
    sb_key_change change;
    const char   *form;  /* "{ { type = 0xCD, policy = "drop" }, ... }" */
    const char   *where; /* it can be set */
    const char   *help;
} sb_table_key;

extern const sb_table_key sb_config_tables[];                     /* ends with a NULL name */
const sb_table_key       *sb_config_find_table(const char *name); /* NULL: none */
/* The key, or the constant of the simulation, that was probably meant; NULL: none is near. */
const char *sb_config_suggest_key(const char *name);
const char *sb_config_suggest_constant(const char *name);

enum { SB_KEY_REASON = 240, SB_KEY_VARIABLE = 64 };

/* Keep a value in `record`; false: `reason` says what is wrong, and nothing was changed. What the
 * value points at is borrowed as long as the record. */
bool sb_key_set(const sb_key *key, void *record, const sb_lua_value *value,
                char reason[SB_KEY_REASON]);
/* The same from a text: "yes", "12", "a,b". `data` keeps the parts of lists. */
bool sb_key_set_text(const sb_key *key, void *record, const char *text, sb_data *data,
                     char reason[SB_KEY_REASON]);
/* The value as server.lua would have it: `"text"`, `12`, `true`, `{ "a", "b" }`; however long. */
void sb_key_print_value(FILE *out, const sb_key *key, const void *record);
/* A finite number and nothing else; 0x64F is one. */
bool sb_key_parse_number(const char *text, double *out);
/* Two records say the same. */
bool sb_key_is_equal(const sb_key *key, const void *record, const void *other);
/* "1 to 16", "off, log, strict, learn" ... what a value must be. */
void sb_key_range_text(const sb_key *key, char *out, size_t capacity);
/* "STARBASE_MAX_PLAYERS", "max-players". */
void sb_key_variable(const sb_key *key, char out[SB_KEY_VARIABLE]);
void sb_key_flag(const sb_key *key, char out[SB_KEY_VARIABLE]);

#endif
