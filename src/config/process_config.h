/* src/config/process_config.h -- the configuration of `starbase serve`.
 *
 * For:      `starbase serve`. `starbase serve --example` prints every key; keys.h describes them.
 * May use:  load/ and platform/ for files; Lua only as lua_table.h bounds it; malloc.
 * Never:    accepts a configuration in part: an unknown key or an impossible value refuses it, and
 *           the error names the file (or variable, or flag), the key and the reason.
 *
 * Three types nest in each other:
 *
 *     sb_process_config      the process: threads, log, console, and its rooms
 *       sb_room_config       one room: its keys as they were written ("Multi1", "vanilla")
 *         sb_server_config   what the core reads (starbase/server.h)
 *
 * The files of this folder, in the order in which they run:
 *
 *     keys.c            the table of keys; key_values.c parses and prints one value of it
 *     read_config.c     defaults, then server.lua (read_file.c), then the environment, then the
 *                       command line (read_settings.c)
 *     resolve_config.c  loads what the keys name and fills each room's sb_server_config
 *     print_config.c    the result as a server.lua (--check-config), and the example
 *     bots_table.c      the key `bots`: reads, prints and compares it
 *     reload_config.c   after SIGHUP: which keys changed, which fields a running room copies
 */
#ifndef SB_CONFIG_PROCESS_CONFIG_H
#define SB_CONFIG_PROCESS_CONFIG_H

#include <starbase/server.h>
#include <stdio.h>

#include "config/play_tables.h"
#include "load/client_files.h"
#include "load/lua_table.h"

enum {
    SB_ROOMS_MAX = 4096,
    SB_TEXTS_MAX = 32,             /* entries of a list */
    SB_KEYS_MAX = 160,             /* rows of the table in keys.c */
    SB_BOT_NAME_UNITS = 28,        /* UTF-16 units; a number may follow */
    SB_SETTINGS_MAX = 128,         /* settings on the command line */
    SB_FILES_BYTES_MAX = 64 << 20, /* of all folders of send_files */
    SB_RELOAD_FIELDS_MAX = 2 * SB_KEYS_MAX,
};

/* The manifest that checksums = "learn" writes if the key `learn` names no other. */
#define SB_LEARNED_FILE "learned.csv"

/* The default of the key `store`. */
#define SB_STORE_PATH "/var/lib/starbase/starbase.db"

typedef struct sb_texts {
    const char *items[SB_TEXTS_MAX];
    size_t      count;
} sb_texts;

/* The end of a player who has done nothing for too long. */
typedef enum sb_idle_action { SB_IDLE_KICK, SB_IDLE_LOBBY } sb_idle_action;

/* The key `bots`. */
typedef struct sb_bots_config {
    uint32_t fill;         /* people and bots together; 0: no bots */
    uint8_t  skill;        /* 0 easy, 1 normal, 2 hard: sb_skill */
    bool     with_players; /* only while people are there */
    bool     count;        /* status answers count and list them */
    sb_texts names;        /* none: the program's own */
} sb_bots_config;

typedef enum sb_layout_choice {
    SB_LAYOUT_BY_SHIP,
    SB_LAYOUT_ALL_STOCK,
    SB_LAYOUT_ALL_DOCUMENTED
} sb_layout_choice;

/* One room. read_file.c and read_settings.c store keys here; resolve_config.c then fills in the
 * rest. */
typedef struct sb_room_config {
    sb_server_config server;
    const char      *name, *mission, *system, *password; /* UTF-8 */
    uint32_t         port;
    uint8_t          shield_layout; /* sb_layout_choice */
    bool             stock_updates, stock_clock;
    uint8_t          mod_policy; /* sb_mod_policy of every type that the stock game does not use */
    uint8_t          mods[256];  /* sb_mod_policy of single types; 0: mod_policy decides */
    sb_bots_config   bots;
    sb_texts         manifests, masters;
    const char      *masters_file;
    const char      *send_files; /* a folder; "": none */
    uint32_t         slots;      /* seats kept for players with roles */
    /* For `starbase serve`, beside the core: greetings, kicks, idle players. */
    sb_texts            motd, rules;
    sb_time             kick_us;               /* how long a kick keeps out */
    sb_time             idle_warn, idle_limit; /* 0: never */
    uint8_t             idle_action;           /* sb_idle_action */
    uint8_t             rotate;                /* sb_rotate */
    bool                resend_settings;
    sb_vote_rows        votes;
    sb_rotation_entries rotation;

    /* Filled by resolve_config.c; `server` points at some of them. */
    char               shown_name[96]; /* UTF-8; ends with a number if several rooms share a name */
    uint8_t            name_bytes[SB_SERVER_NAME_MAX + 1]; /* Windows-1252 */
    uint8_t            password_bytes[2 * SB_PASSWORD_UNITS];
    const sb_system   *place; /* the star system */
    const sb_manifest *loaded[SB_TEXTS_MAX];
    sb_client_files    files; /* of send_files; rooms with the same folder and manifests share it */
} sb_room_config;

typedef struct sb_process_config {
    sb_data             data;     /* owns what was loaded; data.error says why a load failed */
    const char         *file;     /* NULL: none */
    const char         *bind;     /* "0.0.0.0" */
    uint32_t            threads;  /* 0: one per processor */
    const char         *data_dir; /* "": the stock data */
    const char         *learn;    /* the manifest to write; "": none */
    uint32_t            send_files_rate; /* KiB per second, of all rooms together */
    sb_responder_config queries; /* only its rates: the budget of answers that all rooms share */
    const char         *http;    /* "127.0.0.1:9600"; "": no HTTP server */
    uint8_t             log_level;
    bool                log_json, console, view;
    const char         *instance;  /* of the control socket; "": none */
    const char         *slots_for; /* addresses */
    const char     *helper_commands, *moderator_commands, *admin_commands; /* "": the defaults */
    sb_endpoint     bind_address;                                          /* `bind`, parsed */
    sb_endpoint     http_address;                                          /* `http`, parsed */
    uint32_t        wanted_rooms; /* 0: as many as are listed, or one */
    sb_room_config  common;       /* the values of a room that does not set its own */
    sb_room_config *rooms;        /* lent by `data` */
    size_t          room_count;
    size_t          file_bytes; /* loaded from all folders of send_files */
    /* Indexed by key: the variable or flag that set the key last, in all rooms. NULL: the key has
     * its value from the file, or its default. Lent by `data` and by the settings. */
    const char *set_by[SB_KEYS_MAX];

    /* The store. */
    const char *store;     /* path of the database; "": off */
    uint32_t    keep_days; /* how long addresses are kept; 0: for ever */
    bool        store_chat;
} sb_process_config;

/* One KEY=VALUE of the command line. `flag`: "--set" or the key's own flag, for errors. */
typedef struct sb_setting {
    const char *flag, *key, *value;
} sb_setting;

typedef struct sb_config_sources {
    const char        *file;        /* NULL: none */
    const char *const *environment; /* as environ; NULL: none */
    const sb_setting  *settings;    /* in the order of the command line */
    size_t             setting_count;
} sb_config_sources;

/* Reads all sources in order and resolves every room. Overwrites *out; sb_process_config_free frees
 * it and everything it lent. SB_BAD_VALUE, SB_OS_ERROR: out->data.error says why. */
SB_MUST_USE sb_result sb_process_config_load(sb_process_config       *out,
                                             const sb_config_sources *sources);
void                  sb_process_config_free(sb_process_config *config);

/* ---- resolve_config.c ---- */

/* By number or name; NULL: none. */
const sb_system *sb_config_find_system(const sb_system_set *set, const char *text);
/* Sets system, mission and limits of *out as if the room's keys said so; "" or NULL, and -1: as the
 * room has them. False: there is no such system or mission. */
bool sb_room_config_choose(const sb_room_config *room, const char *system, const char *mission,
                           int time_limit, int frag_limit, sb_server_config *out);

/* How many files a server with this configuration has open at most. */
size_t sb_process_config_descriptors(const sb_process_config *config);

/* ---- print_config.c ---- */

/* Prints the effective configuration as a server.lua that gives the same configuration. */
void sb_process_config_print(FILE *out, const sb_process_config *config);
/* Prints a server.lua with every key, its explanation and the value it has in `defaults`. */
void sb_process_config_print_example(FILE *out, const sb_process_config *defaults);

/* ---- reload_config.c ---- */

/* `room`: the number of the only room whose value changed; 0: several rooms changed, or there is
 * only one room. */
typedef void (*sb_change_fn)(void *context, const char *key, unsigned room);
/* Reports every key and table whose value differs and whose row in the table says `change` (an
 * sb_key_change), in the order of the table. Compares the first `rooms` rooms, which both
 * configurations must have. */
void sb_process_config_compare(const sb_process_config *before, const sb_process_config *after,
                               size_t rooms, unsigned change, sb_change_fn on_change,
                               void *context);

/* The fields of sb_server_config that a running room copies after a reload. */
typedef struct sb_reload_fields {
    sb_config_field  now[SB_RELOAD_FIELDS_MAX];
    sb_config_field  when_empty[SB_RELOAD_FIELDS_MAX];
    sb_config_fields lists; /* points at the two arrays: the struct must not be copied */
} sb_reload_fields;

/* Lists the fields as the column `change` of the table of keys says. */
void sb_reload_fields_init(sb_reload_fields *out);

#endif
