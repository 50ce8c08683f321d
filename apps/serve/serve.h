/* apps/serve/serve.h -- types and functions that the files of `starbase serve` share.
 *
 * For:      serve.c        starts rooms and threads, waits for signals, stops
 *           options.c      the command line, --keys, --example
 *           start_error.c  what is wrong with the command line or the configuration
 *           events.c       log lines for the events of a room; learning manifests
 *           standings.c, integrity.c, file_events.c, trace.c
 *                          log lines for the end of a match, integrity hashes, files that are
 *                          sent to players, every point of damage (--trace-damage)
 *           masters.c      addresses of master servers
 *           waits.c        what the main thread waits for
 *           bots.c         the server's own players
 *           notices.c      what happened in rooms, for the main thread
 *           memory.c       notices become entries of the store
 *           reload.c       SIGHUP: reads the configuration again
 *           eyes.c         what systemd is told, and its watchdog
 *           web.c          values for the HTTP server (key http)
 *           status.c       SIGUSR1: the state of rooms and players as log lines
 *           commands.c     what commands do to this server
 *           console.c      the door on stdin; prompt.c: with history and completion
 *           control.c      the control socket, for `starbase ctl`; requests.c: its input as lines
 *           chat.c         commands that players type in chat
 *           admit.c        kept seats; no newcomers while the server drains
 *           rules.h        bans, votes, rotation, greetings, idle players
 *           view.c         the display (--view), drawn with frame.c
 */
#ifndef SB_APPS_SERVE_H
#define SB_APPS_SERVE_H

#include "common/options.h"

#include "config/bots_table.h"
#include "config/process_config.h"
#include "load/manifest_file.h"
#include "platform/log.h"
#include "run/house.h"
#include "run/notices.h"
#include "run/query_limits.h"
#include "run/room_loop.h"

/* ---- options.c ---- */

typedef struct serve_options {
    sb_config_sources sources;
    sb_setting        settings[SB_SETTINGS_MAX];
    char             *texts[SB_SETTINGS_MAX]; /* allocated texts that `settings` point at */
    size_t            text_count;
    bool              check, list_keys, print_example, print_metrics;
} serve_options;

/* SB_OPTIONS_END: go on. Else the exit status: help was printed, or an error. */
int  serve_read_options(serve_options *o, int argc, char **argv);
void serve_free_options(serve_options *o);
void serve_print_keys(void);
void serve_print_example(void);

/* ---- start_error.c ---- */

/* True if the arguments or the environment ask for JSON. */
bool serve_asks_for_json(int argc, char **argv);
/* Writes one object to stderr. */
void serve_report_json(const char *text);
void serve_report_config_error(const serve_options *o, const sb_process_config *config);

/* ---- a room ---- */

enum {
    SERVE_PEERS = 128,
    SERVE_NAME = 96,
    SERVE_SHIPS = 64,   /* ships whose owner is stored: more than a room has, wrecks included */
    SERVE_SOURCES = 64, /* sources of refusals with a rate limit each */
};

typedef struct serve_ship {
    uint32_t object_id;
    uint8_t  owner, species;
} serve_ship;

/* Rate limit of log lines about one address. */
typedef struct serve_source {
    sb_endpoint from;
    sb_time     quiet_until;
    uint64_t    skipped; /* refusals since the last line */
} serve_source;

/* Recent sources of refusals; a full table reuses the entry whose line is oldest. */
typedef struct serve_sources {
    serve_source entries[SERVE_SOURCES];
    size_t       count;
} serve_sources;

/* A chat line that players have not got yet. */
typedef struct serve_late_chat {
    sb_server_event event; /* its text is in `text`, its name in serve_room.names */
    char            text[3 * SB_CHAT_MAX + 1];
} serve_late_chat;

enum { SERVE_LATE_MAX = 2 };

typedef struct serve_room {
    sb_room               room;        /* must be first: serve_log_refused_connects casts it back */
    unsigned              number;      /* from 1 */
    size_t                loop, index; /* the room's loop, and its index there */
    const sb_room_config *config;      /* used by the main thread only */
    atomic_bool           is_configured; /* set by the loop after a reload */
    bool                  match_over;    /* used by the main thread only: since `drain` */
    /* Written by the main thread, except `seated`, and read by the loop: */
    atomic_uint                slots, limit; /* seats kept for roles; max_players */
    atomic_uint                seated;       /* connected players; written by the loop */
    const struct serve_access *access;
    struct serve_bans         *bans;      /* NULL: nobody is banned */
    atomic_bool                is_closed; /* newcomers are refused until the room is empty */

    /* Used only on the thread of the room's loop, by events.c, notices.c and trace.c: */
    sb_notices        *notices; /* of the room's loop */
    sb_log            *log;
    const char        *learn;                    /* the manifest to write; NULL: not learning */
    atomic_flag       *learned;                  /* set when a room has written the manifest */
    sb_learned        *learning;                 /* by peer id; NULL: not learning */
    unsigned           differences[SERVE_PEERS]; /* of this round, by peer id */
    sb_log_limit       files[SERVE_PEERS];       /* lines about differing files, by peer id */
    serve_sources      players, strangers;       /* sources of refused messages and Connects */
    uint64_t           connects_logged;          /* refused Connects in the last line about them */
    sb_time            connects_quiet_until;
    sb_log_limit       events[SB_SERVER_EVENT_TYPES];
    char               names[SERVE_PEERS][SERVE_NAME];
    serve_ship         ships[SERVE_SHIPS]; /* ring of the latest */
    unsigned           next_ship;
    const sb_ship_set *ship_set; /* NULL: stock */
    unsigned           late_count;
    serve_late_chat    late[SERVE_LATE_MAX]; /* of this step, not logged yet */
} serve_room;

/* The on_event callback of a room's server; context is the serve_room. */
void serve_log_event(void *context, const sb_server_event *event);
/* Logs the chat of the step that has just ended: players get their lines before anybody else. */
void serve_log_late(serve_room *r);
/* Warns if Connects exceed the limits for all strangers together. */
void serve_log_refused_connects(sb_room *room, sb_time now);
/* Starts a line with the name of the player. False: the line is not to be written. */
bool serve_start_line(serve_room *r, sb_log_line *line, const sb_server_event *e,
                      sb_log_level level, const char *subsystem);
void serve_append_player(const serve_room *r, sb_log_line *line, uint8_t peer_id);

/* The on_step callback of a room: serve_log_late, serve_log_refused_connects, and a line when the
 * room has grown (reload.c). */
void serve_log_step(sb_room *room, sb_time now);

/* ---- trace.c ---- */

const sb_ship_class *serve_ship_class(const serve_room *r, uint8_t species); /* NULL: unknown */
/* For SB_SERVER_SPAWNED: stores the owner of the ship for later lines. */
void serve_store_ship(serve_room *r, const sb_server_event *e);
/* For SB_SERVER_COMBAT: logs attacker, target, damage and remaining condition. */
void serve_log_combat(serve_room *r, const sb_server_event *e);

/* ---- standings.c ---- */

/* For SB_SERVER_MATCH_OVER. */
void serve_log_match_over(serve_room *r, const sb_server_event *e);

/* ---- integrity.c ---- */

/* For SB_SERVER_HASH_CHANGED and SB_SERVER_HASH_DIFFERS. */
void serve_log_hash_changed(serve_room *r, const sb_server_event *e);
void serve_log_hash_differs(serve_room *r, const sb_server_event *e);

/* ---- file_events.c ---- */

/* For SB_SERVER_FILES_STARTED, PROGRESS, SENT, STOPPED and WITHHELD. */
void serve_log_files(serve_room *r, const sb_server_event *e);

/* ---- the process ---- */

enum { SERVE_LINE = 512, SERVE_OVERRIDES_MAX = 32 };

/* The input of commands. */
typedef struct serve_console {
    int    descriptor; /* -1: none */
    bool   terminal;
    bool   editing;                    /* raw input: the view shows the line that is being typed */
    bool   too_long;                   /* the line exceeded SERVE_LINE */
    int    escape;                     /* position inside an escape sequence; 0: outside */
    char   escape_parameter;           /* its last digit */
    int    scroll_lines, scroll_pages; /* keys for the view that it has not obeyed yet */
    char   line[SERVE_LINE];
    size_t size;
} serve_console;

typedef struct serve        serve;
typedef struct serve_memory serve_memory; /* memory.h */

/* `events`: what poll reports. */
typedef void (*serve_ready_fn)(serve *s, void *context, short events);
typedef void (*serve_due_fn)(serve *s, void *context);
typedef void (*serve_notice_fn)(serve *s, const sb_notice *notice);

enum { SERVE_WATCHES_MAX = 48, SERVE_DEADLINES_MAX = 16, SERVE_NOTICE_FNS_MAX = 8 };

typedef struct serve_watch_entry {
    int            descriptor;
    short          events; /* 0: paused */
    unsigned       uses;   /* of this entry so far */
    serve_ready_fn ready;  /* NULL: free */
    void          *context;
} serve_watch_entry;

enum { SERVE_KNOWN_MAX = 320, SERVE_CHAT_LIMITS = 512 };

/* The rules of admission of all rooms. Written by the main thread, read by the rooms' threads. */
typedef struct serve_access {
    atomic_bool      draining;               /* no newcomers */
    _Atomic uint32_t known[SERVE_KNOWN_MAX]; /* addresses that may take kept seats; 0: none */
} serve_access;

typedef struct serve_deadline {
    sb_time      at;
    serve_due_fn due; /* NULL: free */
    void        *context;
} serve_deadline;

struct serve {
    const serve_options  *options;
    sb_process_config    *first;   /* read at the start; owns the ships of all rooms */
    sb_process_config    *current; /* read last; owns the names and manifests in use */
    sb_log                log;
    serve_room           *rooms;
    size_t                room_count;
    sb_query_limits      *query_limits; /* shared by all rooms */
    sb_newcomers         *newcomers;    /* shared by all rooms */
    sb_room             **order;        /* rooms by loop */
    sb_room_loop        **loops;
    size_t                loop_count;
    sb_notices          **notices;     /* by loop */
    int                   notice_wake; /* an eventfd: notices have arrived */
    sb_house             *house;       /* the server's own players */
    struct sb_resolver   *resolver;    /* NULL: no masters */
    serve_memory         *memory;      /* NULL: the store is off */
    atomic_flag           learned;
    sb_time               started_at;
    serve_console         console;
    sb_room_snapshot     *snapshot; /* filled by serve_snapshot_room */
    bool                  stop;     /* leave the loop of the main thread */
    struct sb_admin      *admin;
    sb_log               *answers; /* of the running command: the log, or a door's */
    sb_setting            overrides[SERVE_OVERRIDES_MAX]; /* by `set`; allocated keys and values */
    size_t                override_count;
    serve_access          access;
    sb_log_limit          chat_limits[SERVE_CHAT_LIMITS];
    struct serve_rules   *rules;
    struct serve_prompt  *prompt;  /* NULL: none */
    struct serve_control *control; /* NULL: no control socket */
    struct serve_eyes    *eyes;    /* eyes.c */
    /* Keeps a row of the audit table; NULL: there is no store. */
    void (*audit)(struct serve *s, const char *who, const char *command, const char *result);
    serve_watch_entry watches[SERVE_WATCHES_MAX];
    serve_deadline    deadlines[SERVE_DEADLINES_MAX];
    serve_notice_fn   notice_fns[SERVE_NOTICE_FNS_MAX]; /* called in this order; NULL ends */
};

/* ---- serve.c ---- */

/* Queues a command for a loop; waits while the queue is full. */
void serve_post(serve *s, size_t loop, const sb_room_command *command);
void serve_wait_done(atomic_bool *done);
/* Sets the fields of the configuration that no key sets: callbacks, the shared budgets of query
 * answers, and the room's own address. */
void serve_set_callbacks(serve *s, serve_room *r, sb_server_config *config);
/* Logs what the configuration names without effect: constants that earlier versions had. */
void serve_log_config_warnings(serve *s, const sb_process_config *config);
/* Warns about each room whose mission lacks a feature, unless the room had the same mission in
 * `before` (NULL: at the start). */
void serve_warn_missions(serve *s, const sb_process_config *config,
                         const sb_process_config *before);

/* ---- masters.c ---- */

void serve_start_resolving(serve *s);
void serve_stop_resolving(serve *s);
/* Removes all masters from all rooms. */
void serve_clear_masters(serve *s);
/* The state of each master of a room, from s->snapshot. */
void serve_log_masters(serve *s, size_t room);

/* ---- waits.c ---- */

/* Calls `ready` when poll reports one of `events` for the descriptor. False: the table is full. */
bool serve_watch(serve *s, int descriptor, short events, serve_ready_fn ready, void *context);
void serve_watch_events(serve *s, int descriptor, short events);
void serve_unwatch(serve *s, int descriptor);
/* Calls `due` once at that time. A later call with the same `due` and `context` replaces this one;
 * SB_TIME_NEVER ends it. */
void serve_call_at(serve *s, sb_time at, serve_due_fn due, void *context);
/* Waits at most max_ms (-1: no limit) and calls what is ready or due. */
void serve_wait(serve *s, int max_ms);

/* ---- notices.c ---- */

/* False: no memory, or no descriptor. Call it when rooms are assigned to loops. */
bool serve_open_notices(serve *s);
void serve_close_notices(serve *s);
/* On the thread of the room's loop: passes the event on to the main thread. */
void serve_notify(serve_room *r, const sb_server_event *e);
/* On the main thread: passes each notice that has arrived to all of s->notice_fns. */
void serve_read_notices(serve *s);
/* Adds a function to s->notice_fns. */
void serve_on_notice(serve *s, serve_notice_fn fn);

/* ---- memory.c ---- */

struct sb_store; /* store/store.h */

/* Opens the store. False: the configuration names one that cannot be opened; the log says why. */
bool serve_open_memory(serve *s);
/* NULL: the store is off; its functions take that. */
struct sb_store *serve_store(const serve *s);
/* On the main thread: posts what the notice says. */
void serve_remember(serve *s, const sb_notice *notice);
/* Before the rooms stop: running matches are stored as stopped. */
void serve_finish_matches(serve *s);
void serve_close_memory(serve *s);
/* A status line about the store. */
void serve_log_store(serve *s);

/* ---- bots.c ---- */

/* False: no memory. Call it when the loops exist. */
bool serve_open_house(serve *s);
/* Gives the rooms the bots of the current configuration; `before` (NULL: none): only the rooms
 * whose key `bots` has changed since. */
void serve_fill_rooms(serve *s, const sb_process_config *before);
/* Fills a room up to `fill` players, people and bots together; 0: no bots. It holds until `bots` of
 * the room changes with a reload. False: the system refused, which is logged. */
bool serve_fill_room(serve *s, size_t room, uint32_t fill);
/* Appends the bots of a room to its line of the status. */
void serve_append_bots(serve *s, size_t room, sb_log_line *line);

/* ---- eyes.c ---- */

/* False: out of memory, or the HTTP server cannot listen; the log says why. Call it when the loops
 * are created. */
bool serve_open_eyes(serve *s);
void serve_close_eyes(serve *s); /* after the loops have ended */
/* A line on stdout with the address of the HTTP server. */
void serve_print_eyes(serve *s);
/* The rooms run: tells systemd, and starts its watchdog. */
void serve_eyes_ready(serve *s);
void serve_eyes_reloading(serve *s);
void serve_eyes_reloaded(serve *s, bool accepted);
void serve_eyes_stopping(serve *s);

/* ---- web.c ---- */

typedef struct serve_web serve_web;

/* Starts the HTTP server. Given; NULL: as serve_open_eyes. Only with the key http. */
serve_web *serve_open_web(serve *s);
void       serve_close_web(serve_web *web); /* may be NULL */
/* The address that the HTTP server listens on. */
sb_endpoint serve_web_local(const serve_web *web);

/* ---- reload.c ---- */

/* Reads the configuration again, without what `set` changed. False: it is wrong, and nothing
 * changed; the log says why. */
bool serve_reload(serve *s);
/* Sets a key until the next reload or start. False: `error` says why. */
bool serve_set(serve *s, const char *key, const char *value, char error[SB_DATA_ERROR_MAX]);
void serve_free_overrides(serve *s);

/* ---- status.c ---- */

/* Fills s->snapshot; waits for the room's loop. */
void serve_snapshot_room(serve *s, size_t index);
/* Logs `count` rooms from index `first` on, and their players. */
void serve_log_status(serve *s, size_t first, size_t count);
/* The name of the ship of a player who has one; "unknown ship": of a species without a name. */
const char *serve_name_of_ship(const sb_player_view *p);
/* Logs how many hashes of a room changed or differed, if any; s->snapshot is of that room. */
void serve_log_hash_counts(serve *s, unsigned room);

/* ---- console.c ---- */

/* Reads commands from stdin if it is a terminal or a pipe and `console` is set. */
void serve_console_open(serve *s);
/* Watches the input, and pauses while the process is in the background. */
void serve_console_watch(serve *s);
void serve_console_update(serve *s);
/* True if stdin is a terminal and the process is in its background. */
bool serve_console_is_in_background(const serve *s);

/* ---- commands.c ---- */

struct sb_admin;
/* False: no memory. Call it when the rooms are open. */
bool serve_open_commands(serve *s);
void serve_close_commands(serve *s);
/* Sets the commands of each role. False: `error` names a word that is none. */
bool serve_apply_roles(struct sb_admin *admin, const sb_process_config *config, char *error,
                       size_t capacity);
bool serve_check_commands(const sb_process_config *config, char *error, size_t capacity);

/* ---- prompt.c ---- */

/* Shows a prompt on the terminal. Returns a descriptor that gives the lines; -1: none. */
int  serve_open_prompt(serve *s);
void serve_close_prompt(serve *s);

/* ---- control.c ---- */

/* Opens the socket, or logs why there is none. */
void serve_open_control(serve *s);
void serve_close_control(serve *s);

/* ---- chat.c ---- */

/* A function of s->notice_fns. */
void serve_read_chat(serve *s, const sb_notice *notice);

/* ---- admit.c ---- */

/* The admission rule of a room's transport; context is the serve_room. */
bool serve_admit(void *context, sb_endpoint from, const sb_connect_request *request,
                 uint8_t *boot_reason);
/* Publishes the addresses that may take kept seats. */
void serve_update_access(serve *s);
/* Admits no newcomers, and stops when all matches are over. */
void serve_drain(serve *s, bool on);
/* A function of s->notice_fns. */
void serve_note_match(serve *s, const sb_notice *notice);

/* ---- view.c ---- */

typedef struct serve_view serve_view;

/* Switches the terminal to the display. Given: serve_view_close ends it. NULL: no terminal, or no
 * memory. */
serve_view *serve_view_open(serve *s);
/* Draws the latest snapshots and requests new ones. */
void serve_view_draw(serve_view *view);
/* Draws only the line that is being typed. */
void serve_view_prompt(serve_view *view);
void serve_view_close(serve_view *view);

#endif
