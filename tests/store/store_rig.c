/* tests/store/store_rig.c -- see store_rig.h. */
#include "store_rig.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

enum { WAIT_MS = 60000 };

/* ---- folders ---- */

static char folder[64], paths[128][160];

static void remove_folder(void)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    (void)!system(command);
}

const char *rig_path(const char *name)
{
    static unsigned count;
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "/tmp/starbase-store-XXXXXX");
        CHECK(mkdtemp(folder) != NULL);
        atexit(remove_folder);
    }
    CHECK(count < sizeof paths / sizeof *paths);
    char *path = paths[count++];
    snprintf(path, sizeof paths[0], "%s/%u-%s", folder, count, name);
    return path;
}

int rig_fork(void)
{
    int child = fork();
    CHECK(child >= 0);
    if (child == 0) (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    return child;
}

/* ---- entries ---- */

static void copy(char *out, size_t capacity, const char *text)
{
    snprintf(out, capacity, "%s", text);
}

static sb_match_key key_of(const char *uid)
{
    sb_match_key key = { .room = 1, .started_ms = 1000000 };
    copy(key.uid, sizeof key.uid, uid);
    return key;
}

sb_store_entry rig_match(const char *uid, const char *state, int64_t revision, int64_t now_ms)
{
    sb_store_entry  entry = { .type = SB_STORE_ENTRY_MATCH };
    sb_match_entry *m = &entry.u.match;
    m->key = key_of(uid);
    copy(m->server, sizeof m->server, "Friday night");
    copy(m->mission, sizeof m->mission, "ffa");
    copy(m->system, sizeof m->system, "Multi1");
    copy(m->state, sizeof m->state, state);
    m->revision = revision;
    m->updated_ms = now_ms;
    m->ended_ms = strcmp(state, "running") == 0 ? 0 : now_ms;
    return entry;
}

sb_store_entry rig_player(const char *uid, int64_t player, const char *name, int64_t kills,
                          int64_t revision)
{
    sb_store_entry   entry = { .type = SB_STORE_ENTRY_PLAYER };
    sb_player_entry *p = &entry.u.player;
    p->key = key_of(uid);
    p->player = player;
    copy(p->name, sizeof p->name, name);
    copy(p->address, sizeof p->address, "192.0.2.7");
    p->kills = kills;
    p->score = 100 * kills;
    p->joined_ms = 1000000;
    p->updated_ms = 1000000 + 1000 * revision;
    p->seconds = revision;
    p->revision = revision;
    return entry;
}

sb_store_entry rig_kill(const char *uid, int64_t number)
{
    sb_store_entry entry = { .type = SB_STORE_ENTRY_KILL };
    entry.u.kill.key = key_of(uid);
    entry.u.kill.number = number;
    entry.u.kill.at_ms = 1000000 + number;
    entry.u.kill.killer = 1;
    entry.u.kill.victim = 2;
    copy(entry.u.kill.cause, sizeof entry.u.kill.cause, "beam");
    return entry;
}

sb_store_entry rig_audit(const char *who, const char *command)
{
    sb_store_entry entry = { .type = SB_STORE_ENTRY_AUDIT };
    copy(entry.u.audit.who, sizeof entry.u.audit.who, who);
    copy(entry.u.audit.command, sizeof entry.u.audit.command, command);
    return entry;
}

sb_store_ban rig_ban(const char *range)
{
    sb_store_ban ban = { .created_ms = 5, .kind = 'b' };
    copy(ban.range, sizeof ban.range, range);
    copy(ban.reason, sizeof ban.reason, "ramming");
    copy(ban.by, sizeof ban.by, "console");
    return ban;
}

sb_store_entry rig_full_entry(sb_store_entry_type type, char fill)
{
    sb_store_entry              entry = { .type = type };
    const sb_store_entry_shape *shape = sb_store_entry_shape_of(type);
    char                       *values = (char *)&entry.u;
    for (size_t i = 0; i < shape->count; i++) {
        const sb_store_entry_field *f = &shape->fields[i];
        int64_t                     number = INT64_MIN + (int64_t)i;
        if (f->is_text) memset(values + f->offset, fill, f->capacity - 1u);
        else memcpy(values + f->offset, &number, sizeof number);
    }
    return entry;
}

/* ---- stores ---- */

sb_store *rig_open(const char *path)
{
    char             error[SB_STORE_ERROR_MAX] = "";
    sb_store_options options = { .path = path, .keep_days = 90 };
    sb_store        *store = sb_store_open(&options, error);
    CHECK_TEXT(error, "");
    CHECK(store != NULL);
    return store;
}

static void pause_briefly(void)
{
    struct timespec pause = { .tv_nsec = 5000000 };
    (void)nanosleep(&pause, NULL);
}

bool rig_wait_state(sb_store *store, sb_store_state state, bool drained)
{
    sb_store_status seen;
    for (int i = 0; i < WAIT_MS / 5; i++) {
        sb_store_get_status(store, &seen);
        if (seen.state == state && (!drained || (seen.queued == 0 && seen.spooled == 0)))
            return true;
        pause_briefly();
    }
    return false;
}

/* ---- questions ---- */

static sqlite3 *open_database(const char *path, int flags)
{
    sqlite3 *db;
    CHECK_EQ(sqlite3_open_v2(path, &db, flags, NULL), SQLITE_OK);
    sqlite3_busy_timeout(db, WAIT_MS);
    return db;
}

static const char *ask(const char *path, const char *sql, int64_t *number)
{
    static char   text[512];
    sqlite3      *db = open_database(path, SQLITE_OPEN_READONLY);
    sqlite3_stmt *statement;
    text[0] = '\0';
    *number = INT64_MIN;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK) {
        if (sqlite3_step(statement) == SQLITE_ROW) {
            *number = sqlite3_column_int64(statement, 0);
            snprintf(text, sizeof text, "%s", (const char *)sqlite3_column_text(statement, 0));
        }
        sqlite3_finalize(statement);
    }
    sqlite3_close(db);
    return text;
}

int64_t rig_number(const char *path, const char *sql)
{
    int64_t number;
    (void)ask(path, sql, &number);
    return number;
}

const char *rig_text(const char *path, const char *sql)
{
    int64_t number;
    return ask(path, sql, &number);
}

void rig_run(const char *path, const char *sql)
{
    char    *error = NULL;
    sqlite3 *db = open_database(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    sqlite3_exec(db, sql, NULL, NULL, &error);
    CHECK_TEXT(error ? error : "", "");
    sqlite3_close(db);
}

bool rig_wait_number(const char *path, const char *sql, int64_t expected)
{
    for (int i = 0; i < WAIT_MS / 5; i++) {
        if (rig_number(path, sql) == expected) return true;
        pause_briefly();
    }
    return false;
}
