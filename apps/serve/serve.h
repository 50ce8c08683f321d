/* apps/serve/serve.h -- what the files of `starbase serve` share.
 *
 * For:      serve.c (start, signals, end), serve_options.c (the command line), serve_events.c
 *           (what happens becomes log lines), serve_trace.c (--trace-damage), serve_masters.c,
 *           serve_reload.c (SIGHUP), serve_status.c (SIGUSR1), serve_console.c (commands),
 *           serve_view.c (the display).
 */
#ifndef SB_APPS_SERVE_H
#define SB_APPS_SERVE_H

#include "common/options.h"

#include "config/process_config.h"
#include "load/manifest_file.h"
#include "platform/log.h"
#include "run/room_loop.h"

/* ---- serve_options.c ---- */

typedef struct serve_options {
    sb_config_sources sources;
    sb_setting        settings[SB_SETTINGS_MAX];
    char             *joined[SB_SETTINGS_MAX]; /* made here; freed at the end */
    size_t            joined_count;
    bool              check, list_keys, print_example;
} serve_options;

/* SB_OPTIONS_END: go on; else the exit status: help was printed, or a mistake explained. */
int  serve_read_options(serve_options *o, int argc, char **argv);
void serve_free_options(serve_options *o);
void serve_print_keys(void);
void serve_print_example(void);

/* ---- a room, and what its thread needs to log about it ---- */

enum {
    SERVE_PEERS = 128,
    SERVE_NAME = 96,
    SERVE_SHIPS = 64,   /* remembered by name: more than a room has at once, wrecks included */
    SERVE_SOURCES = 64, /* of refusals, remembered so that each has its own limit */
};

typedef struct serve_ship {
    uint32_t object_id;
    uint8_t  owner, species;
} serve_ship;

/* Who was refused something lately. When it is full, the one whose line is oldest makes way. */
typedef struct serve_source {
    sb_endpoint from;
    sb_time     quiet_until;
    uint64_t    skipped; /* since the last line */
} serve_source;

typedef struct serve_sources {
    serve_source entries[SERVE_SOURCES];
    size_t       count;
} serve_sources;

typedef struct serve_room {
    sb_room               room; /* first: serve_log_refused_connects gets no more */
    void                 *memory;
    unsigned              number;      /* from 1 */
    size_t                loop, index; /* whose it is, and where there */
    const sb_room_config *config;      /* main thread only */

    /* Only the room's own thread, in serve_log_event: */
    sb_log            *log;
    const char        *learn; /* NULL: not learning */
    atomic_flag       *learned;
    sb_learned        *learning;                 /* by peer id; NULL: not learning */
    unsigned           differences[SERVE_PEERS]; /* in this round of the player */
    sb_log_limit       files[SERVE_PEERS];       /* of lines about them */
    serve_sources      players, strangers;       /* who was refused something */
    uint64_t           connects_logged;          /* serve_log_refused_connects */
    sb_time            connects_quiet_until;
    sb_log_limit       events[SB_SERVER_EVENT_TYPES];
    char               names[SERVE_PEERS][SERVE_NAME];
    serve_ship         ships[SERVE_SHIPS]; /* the latest, in a ring */
    unsigned           next_ship;
    const sb_ship_set *ship_set; /* NULL: stock; as long as the room lives */
} serve_room;

/* The `tell` of a room's server; context is the serve_room. */
void serve_log_event(void *context, const sb_server_event *event);
/* The `turned` of a room: warns when Connects are turned away whoever they come from. */
void serve_log_refused_connects(sb_room *room, sb_time now);
/* A line about a player, who is its first word; false: it is not wanted. */
bool serve_start_line(serve_room *r, sb_log_line *line, const sb_server_event *e,
                      sb_log_level level, const char *subsystem);
void serve_append_player(const serve_room *r, sb_log_line *line, uint8_t peer_id);

/* ---- serve_trace.c ---- */

const sb_ship_class *serve_ship_class(const serve_room *r, uint8_t species); /* NULL: unknown */
/* SB_SERVER_SPAWNED: whose ship it is, for later lines. */
void serve_store_ship(serve_room *r, const sb_server_event *e);
/* SB_SERVER_COMBAT: who did what to which part of whom, and what is left of it. */
void serve_log_combat(serve_room *r, const sb_server_event *e);

/* ---- the whole ---- */

enum { SERVE_LINE = 512 };

/* Where commands come from. */
typedef struct serve_console {
    int    descriptor; /* -1: from nowhere */
    bool   terminal;
    bool   editing;  /* characters come one by one, and are shown by the view */
    bool   too_long; /* the rest of this line is left out */
    int    escape;   /* inside the sequence of a key that means nothing here */
    char   line[SERVE_LINE];
    size_t size;
} serve_console;

typedef struct serve {
    const serve_options *options;
    sb_process_config   *first;   /* ships live as long as the servers ... */
    sb_process_config   *current; /* ... names and manifests until the next reload */
    sb_log               log;
    serve_room          *rooms;
    size_t               room_count;
    sb_room            **order; /* rooms by loop */
    sb_room_loop       **loops;
    size_t               loop_count;
    struct sb_resolver  *resolver; /* NULL: no masters */
    atomic_flag          learned;
    sb_time              started_at;
    serve_console        console;
    sb_room_snapshot    *snapshot; /* the last one that was asked for */
} serve;

/* ---- serve.c ---- */

/* Hands a command to a room's loop, sooner or later. Loops run until the end. */
void serve_post(serve *s, size_t loop, const sb_room_command *command);
void serve_wait_done(atomic_bool *done);
/* What the server object must know from us, besides its configuration. */
void serve_set_callbacks(serve_room *r, sb_server_config *config);
/* What a mission lacks, for rooms that have it and did not `before` (NULL: the start). */
void serve_warn_missions(serve *s, const sb_process_config *config,
                         const sb_process_config *before);

/* ---- serve_masters.c ---- */

void serve_start_resolving(serve *s);
void serve_stop_resolving(serve *s);
/* Rooms announce themselves nowhere any more. */
void serve_clear_masters(serve *s);

/* ---- serve_reload.c ---- */

void serve_reload(serve *s);

/* ---- serve_status.c ---- */

/* Fills s->snapshot. */
void serve_snapshot_room(serve *s, size_t index);
/* Lines about `count` rooms and everybody there. */
void serve_log_status(serve *s, size_t first, size_t count);

/* ---- serve_console.c ---- */

/* Takes stdin if it is a terminal or a pipe, and commands are wanted. */
void serve_console_open(serve *s);
/* To wait for; -1: nothing can come, or not now. */
int serve_console_descriptor(const serve *s);
/* It is a terminal, but somebody else's at the moment. */
bool serve_console_is_in_background(const serve *s);
/* Takes what is there and carries it out. True: the server shall end. */
bool serve_console_read(serve *s);

/* ---- serve_view.c ---- */

typedef struct serve_view serve_view;

/* Takes the terminal; NULL: there is none, or no memory. Given; ends with serve_view_close. */
serve_view *serve_view_open(serve *s);
/* Asks the rooms for what is shown and draws what they answered last time. */
void serve_view_draw(serve_view *view);
/* Only the line that is being typed. */
void serve_view_prompt(serve_view *view);
void serve_view_close(serve_view *view);

#endif
