/* src/config/process_config.h -- what a server shall be: from server.lua, then the environment,
 * then the command line. The later one wins.
 *
 * For:      `starbase serve`. examples/server.lua shows every key; server_keys.h describes them.
 * May use:  files, the environment, malloc; Lua only as lua_table.h bounds it.
 * Never:    accepts a configuration in part: an unknown key or an impossible value refuses it, with
 *           file (or variable, or flag), key and reason.
 */
#ifndef SB_CONFIG_PROCESS_CONFIG_H
#define SB_CONFIG_PROCESS_CONFIG_H

#include <starbase/server.h>
#include <stdio.h>

#include "load/lua_table.h"

enum {
    SB_ROOMS_MAX = 1024,
    SB_TEXTS_MAX = 32,     /* entries of a list */
    SB_KEYS_MAX = 96,      /* of the table in server_keys.c */
    SB_SETTINGS_MAX = 128, /* of the command line */
};

#define SB_LEARNED_FILE                                                                            \
    "learned.csv" /* what checksums = "learn" writes if `learn` names no other */

typedef struct sb_texts {
    const char *items[SB_TEXTS_MAX];
    size_t      count;
} sb_texts;

typedef enum sb_layout_choice {
    SB_LAYOUT_BY_SHIP,
    SB_LAYOUT_ALL_STOCK,
    SB_LAYOUT_ALL_DOCUMENTED
} sb_layout_choice;

/* One room. Keys fill it; then `server` is completed from the rest. */
typedef struct sb_room_config {
    sb_server_config server;
    const char      *name, *mission, *system, *password; /* UTF-8 */
    uint32_t         port;
    uint8_t          shield_layout; /* sb_layout_choice */
    bool             stock_updates;
    uint8_t          mod_policy; /* of all types the stock game does not use ... */
    uint8_t          mods[256];  /* ... and of single types: sb_mod_policy; 0: as above */
    sb_texts         manifests, masters;
    const char      *masters_file;

    /* What `server` points at once it is complete. */
    char               shown_name[96]; /* UTF-8: with a number if several have the same */
    uint8_t            name_bytes[SB_SERVER_NAME_MAX + 1]; /* Windows-1252 */
    uint8_t            password_bytes[2 * SB_PASSWORD_UNITS];
    const sb_system   *place; /* NULL: a mod's */
    const sb_manifest *loaded[SB_TEXTS_MAX];
} sb_room_config;

typedef struct sb_process_config {
    sb_data         data;     /* owns what was loaded; data.error: why it was not */
    const char     *file;     /* NULL: none */
    const char     *bind;     /* "0.0.0.0" */
    uint32_t        threads;  /* 0: as many as there are processors */
    const char     *data_dir; /* "": the stock data */
    const char     *learn;    /* "": not; else the manifest to write */
    uint8_t         log_level;
    bool            log_json, console, view;
    sb_endpoint     bind_address; /* `bind`, understood */
    uint32_t        wanted_rooms; /* 0: as many as are listed, or one */
    sb_room_config  common;       /* what all rooms have unless they say otherwise */
    sb_room_config *rooms;        /* lent by `data` */
    size_t          room_count;
    /* By the index of the key: the variable or flag that had the last word in all rooms; NULL: the
     * file has it, or nobody. Lent by `data` and by the settings. */
    const char *set_by[SB_KEYS_MAX];
} sb_process_config;

/* KEY=VALUE of the command line, in order; `flag` is how it was written, for errors. */
typedef struct sb_setting {
    const char *flag, *key, *value;
} sb_setting;

typedef struct sb_config_sources {
    const char        *file;        /* NULL: none */
    const char *const *environment; /* as environ; NULL: none */
    const sb_setting  *settings;
    size_t             setting_count;
} sb_config_sources;

/* Reads all sources, in order, and completes every room. Starts *out anew; sb_process_config_free
 * ends it and everything it lent. SB_BAD_VALUE, SB_OS_ERROR: out->data.error says why. */
SB_MUST_USE sb_result sb_process_config_load(sb_process_config       *out,
                                             const sb_config_sources *sources);
void                  sb_process_config_free(sb_process_config *config);
/* Names each key (and table) whose value differs between the two and counts when `change` says, in
 * the order of the table of keys; `room`: the only one in which it differs, or 0. The first `rooms`
 * are compared, those that run: both have as many. */
typedef void (*sb_change_fn)(void *context, const char *key, unsigned room);
void sb_process_config_compare(const sb_process_config *before, const sb_process_config *after,
                               size_t rooms, unsigned change, sb_change_fn on_change,
                               void *context);
/* The effective configuration as a server.lua that would give the same. */
void sb_process_config_print(FILE *out, const sb_process_config *config);

#endif
