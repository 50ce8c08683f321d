/* src/store/store.h -- the memory of a server: matches, players, kills, bans, chat, audit.
 *
 * For:      `starbase serve`, which posts entries and asks for bans and totals.
 * May use:  SQLite, files and threads of its own.
 * Never:    lets a caller wait for a disk. Posting copies an entry into a bounded queue; a writer
 *           thread stores it. Functions that wait say for how long at most.
 * Tests:    tests/store, tests/apps/store_test.py
 *
 * The path of an entry: queue -> database; while the database is locked, full or away: queue ->
 * spool file (PATH.spool) -> database. Entries are idempotent, so an entry that is stored twice
 * leaves the same rows as one that is stored once. docs/store.md says what survives which failure.
 *
 * All times are milliseconds since 1970, UTC. All texts are UTF-8 with a NUL.
 */
#ifndef SB_STORE_STORE_H
#define SB_STORE_STORE_H

#include <starbase/base.h>

#include "platform/log.h"
#include "store/entry.h"

enum {
    SB_STORE_ERROR_MAX = 512,
};

typedef struct sb_store sb_store;

typedef struct sb_store_options {
    const char *path;
    uint32_t    keep_days;   /* addresses older than this are erased daily; 0: never */
    sb_log     *log;         /* NULL: no log */
    size_t      rooms;       /* whose matches may all end at once: the queue grows with them */
    size_t      queue_bytes; /* for all entries; 0: the default. Results have more */
    uint64_t    spool_bytes; /* the spool never grows beyond; 0: the default */
} sb_store_options;

/* Opens the store and starts the writer. A database that cannot be used now is no failure: entries
 * wait in the spool file. NULL: the folder cannot be written, or another server uses this store;
 * `error` says what is wrong and what to do. */
sb_store *sb_store_open(const sb_store_options *options, char error[SB_STORE_ERROR_MAX]);
/* Stores what is queued (waits at most 5 s; what is left then is lost unless it reached the spool)
 * and ends the threads. Also NULL. */
void sb_store_close(sb_store *store);

/* ---- posting: never waits ---- */

/* NULL as the store is fine everywhere below: the store is off, and nothing happens. */

/* Copies the entry into the queue. A full queue drops the entry and counts it. */
void sb_store_post(sb_store *store, const sb_store_entry *entry);
/* A command that acted: who ("console", "ctl:USER", "chat:NAME"), the command as it was given, and
 * the result as it was answered. */
void sb_store_audit(sb_store *store, int64_t when_ms, const char *who, const char *command,
                    const char *result);

/* A random text that is the same until the store is closed, for the keys of matches; "" if the
 * store is off. */
const char *sb_store_session(const sb_store *store);

/* ---- bans ---- */

typedef struct sb_store_ban {
    int64_t id;
    int64_t created_ms, expires_ms; /* expires_ms 0: never */
    bool    exception;              /* lets in what another ban keeps out */
    char    range[64];              /* "", ADDRESS or CIDR */
    char    name[96];               /* "" or a pattern with * */
    char    reason[256];
    char    by[96];
    char    kind; /* 'b' ban, 'k' kick */
} sb_store_ban;

/* Stores a ban; ban->id is ignored, *id (may be NULL) is the number that it gets. Waits at most 2 s
 * for the commit. SB_OK: it is on disk in the database. SB_FULL: it is queued or spooled, and will
 * be stored when the database can be written. SB_OS_ERROR: it is not stored, because the queue is
 * full. SB_NOT_ALLOWED: the store is off; *id is 0. */
sb_result sb_store_ban_add(sb_store *store, const sb_store_ban *ban, int64_t *id);
/* The same without waiting, for long lists: SB_FULL, or SB_OS_ERROR if the queue is full. */
sb_result sb_store_ban_queue(sb_store *store, const sb_store_ban *ban, int64_t *id);
/* Removes a ban from those that sb_store_bans_load reports; the row stays, with the time of the
 * removal. The same results as sb_store_ban_add; an unknown id is no error. */
sb_result sb_store_ban_remove(sb_store *store, int64_t id);

typedef void (*sb_store_ban_fn)(void *context, const sb_store_ban *ban);
/* Reports every ban that holds now, in the order of their ids; those in the spool included. Only at
 * the start: it reads the disk. False: the database could not be read; only those in the spool were
 * reported. */
bool sb_store_bans_load(sb_store *store, sb_store_ban_fn fn, void *context);

/* ---- state, for `status` and /metrics ---- */

typedef enum sb_store_state {
    SB_STORE_OFF,
    SB_STORE_IS_OK,
    SB_STORE_BEHIND,   /* entries wait, and are being stored */
    SB_STORE_SPOOLING, /* the database cannot be used; entries go to the spool file */
    SB_STORE_FAILED,   /* neither database nor spool can be written: entries are lost */
} sb_store_state;

/* "off", "ok", "behind", "spooling", "failed" */
const char *sb_store_state_name(sb_store_state state);

typedef struct sb_store_status {
    sb_store_state state;
    uint64_t       queued;          /* entries in memory */
    uint64_t       spooled;         /* entries in the spool file that wait for the database */
    uint64_t       written;         /* entries committed since the start */
    uint64_t       dropped;         /* entries lost since the start: queue or spool full */
    uint64_t       refused;         /* entries that the database refused for their content */
    uint64_t       damaged;         /* lines of the spool with a wrong checksum, skipped */
    int64_t        last_commit_ms;  /* 0: none yet */
    char           last_error[256]; /* "": none; stays until the next commit */
    char           path[256];
} sb_store_status;

/* Any thread; waits for nothing but a short lock. NULL store: SB_STORE_OFF. */
void sb_store_get_status(sb_store *store, sb_store_status *out);

/* ---- questions: answered by a reader thread; the caller waits at most 10 ms ---- */

/* All matches of a name, bots of the server itself left out. Names are not checked by anybody: two
 * people with one name are one row. */
typedef struct sb_store_totals {
    char    name[96];
    int64_t matches, wins, kills, deaths, score, seconds;
    int64_t last_ms; /* when the name was last in a match */
} sb_store_totals;

enum { SB_STORE_TOP_MAX = 10 };

/* SB_OK: *out is filled (matches 0: the name is unknown). SB_FULL: no answer within 10 ms; it will
 * be ready if the same is asked again a little later. SB_OS_ERROR: the database cannot be read now.
 * SB_NOT_ALLOWED: the store is off. `since_ms`:
 * only matches that started later; 0: all. Upper and lower case are the same. */
sb_result sb_store_player_totals(sb_store *store, const char *name, int64_t since_ms,
                                 sb_store_totals *out);
/* The names with most kills, the best first. Same results; *count: how many. An answer may be up to
 * a minute old. */
sb_result sb_store_top(sb_store *store, int64_t since_ms, sb_store_totals out[SB_STORE_TOP_MAX],
                       size_t *count);

#endif
