/* apps/store/store.c -- `starbase store`: examines, migrates and exports the database of a server.
 *
 * Tests:    tests/apps/store_test.py
 */
#include "common/commands.h"
#include "common/options.h"
#include "common/stored.h"

#include "base/suggestion.h"
#include "platform/clock.h"
#include "store/database.h"
#include "store/schema.h"
#include "store/spool.h"

#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY_STORE = 256, KEY_JSON };
enum { BUSY_MS = 5000 };

static const sb_option options[] = {
    { KEY_STORE, "store", "PATH",
      "the database of the server; also STARBASE_STORE\n(/var/lib/starbase/starbase.db)" },
    { KEY_JSON, "json", NULL, "print JSON (export always does)" },
    { 0, NULL, NULL, NULL },
};

static const char *task_word(size_t index)
{
    static const char *const words[] = { "check", "migrate", "export" };
    return index < sizeof words / sizeof *words ? words[index] : NULL;
}

static const sb_usage usage = {
    .command = "store",
    .synopsis = "[options] check | migrate | export",
    .about =
        "check     examines the database and the spool file beside it. Exit status 1: something "
        "is\n"
        "          wrong.\n"
        "migrate   brings the tables of an earlier version up to date, or makes a new database. A\n"
        "          server does the same when it starts.\n"
        "export    prints all rows of all tables as JSON, one object per line; `table` says "
        "which.\n"
        "\n"
        "All three may run beside a server.",
    .options = options,
    .footer = "Examples:\n"
              "  starbase store check\n"
              "  starbase store export --store backup.db > backup.jsonl\n",
    .word = task_word,
};

typedef struct job {
    const char *path;
    bool        json;
    const char *table; /* of the rows that are printed */
} job;

static int complain(const char *text)
{
    fprintf(stderr, "starbase store: %s\n", text);
    return SB_EXIT_NEGATIVE;
}

/* ---- check ---- */

typedef struct findings {
    int64_t  bytes;
    int      version, latest;
    char     integrity[200]; /* "ok", or the first complaint */
    int64_t  rows[16];
    uint64_t spooled, damaged;
} findings;

static void check_line(void *context, const char *line, size_t size)
{
    findings      *f = context;
    sb_store_entry entry;
    if (sb_store_entry_decode(line, size, &entry) == SB_OK) f->spooled++;
    else f->damaged++;
}

static void read_integrity(sqlite3 *db, findings *f)
{
    sqlite3_stmt *statement;
    snprintf(f->integrity, sizeof f->integrity, "%s", "cannot be checked");
    if (sqlite3_prepare_v2(db, "PRAGMA integrity_check(1)", -1, &statement, NULL) != SQLITE_OK)
        return;
    if (sqlite3_step(statement) == SQLITE_ROW)
        snprintf(f->integrity, sizeof f->integrity, "%s",
                 (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
}

static sb_result examine(const job *j, sqlite3 *db, findings *f)
{
    struct stat status;
    size_t      latest;
    char        path[SB_SPOOL_PATH_MAX], sql[64];
    if (stat(j->path, &status) == 0) f->bytes = status.st_size;
    (void)sb_schema_steps(&latest);
    f->latest = (int)latest;
    (void)sb_schema_check(db, &f->version);
    read_integrity(db, f);
    for (size_t i = 0; sb_query_tables[i]; i++) {
        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", sb_query_tables[i]);
        if (sb_query_number(db, sql, &f->rows[i]) != SB_OK) return SB_OS_ERROR;
    }
    snprintf(path, sizeof path, "%.240s.spool", j->path);
    (void)sb_spool_each(path, check_line, f);
    return SB_OK;
}

static void print_findings(const job *j, const findings *f)
{
    printf("file       %s, %lld bytes\n", j->path, (long long)f->bytes);
    printf("schema     version %d\n", f->version);
    printf("integrity  %s\n", f->integrity);
    for (size_t i = 0; sb_query_tables[i]; i++)
        printf("%s%-12s  %lld\n", i == 0 ? "rows       " : "           ", sb_query_tables[i],
               (long long)f->rows[i]);
    printf("spool      %llu entries wait for the database", (unsigned long long)f->spooled);
    if (f->damaged) printf(", %llu damaged lines", (unsigned long long)f->damaged);
    putchar('\n');
}

static void print_findings_json(const job *j, const findings *f)
{
    printf("{\"path\":");
    sb_stored_print_text(stdout, j->path);
    printf(",\"bytes\":%lld,\"version\":%d,\"integrity\":", (long long)f->bytes, f->version);
    sb_stored_print_text(stdout, f->integrity);
    printf(",\"rows\":{");
    for (size_t i = 0; sb_query_tables[i]; i++)
        printf("%s\"%s\":%lld", i ? "," : "", sb_query_tables[i], (long long)f->rows[i]);
    printf("},\"spooled\":%llu,\"damaged\":%llu}\n", (unsigned long long)f->spooled,
           (unsigned long long)f->damaged);
}

static int run_check(job *j)
{
    findings f = { 0 };
    sqlite3 *db = sb_stored_open("store", j->path);
    if (!db) return SB_EXIT_NEGATIVE;
    sb_result result = examine(j, db, &f);
    int       status = result == SB_OK ? SB_EXIT_FINE : sb_stored_fail("store", db);
    (void)sqlite3_close(db);
    if (status != SB_EXIT_FINE) return status;
    if (j->json) print_findings_json(j, &f);
    else print_findings(j, &f);
    if (strcmp(f.integrity, "ok") == 0) return SB_EXIT_FINE;
    return complain("the database is damaged: restore a backup, or save what is readable with "
                    "`sqlite3 FILE .recover`");
}

/* ---- migrate ---- */

/* The version before; 0: no tables yet. */
static int version_before(const char *path)
{
    sqlite3 *db = NULL;
    int      version = 0;
    if (access(path, F_OK) == 0 &&
        sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK)
        (void)sb_schema_check(db, &version);
    (void)sqlite3_close(db);
    return version;
}

static int run_migrate(job *j)
{
    sb_database database;
    int         before = version_before(j->path);
    size_t      latest;
    (void)sb_schema_steps(&latest);
    if (sb_database_open(&database, j->path, true, BUSY_MS, sb_clock_wall_us() / 1000) != SB_OK)
        return complain(database.error);
    sb_database_close(&database);
    if (j->json) printf("{\"version\":%zu,\"before\":%d}\n", latest, before);
    else if (before == (int)latest) printf("%s has version %zu already\n", j->path, latest);
    else printf("%s has version %zu now, it had %d\n", j->path, latest, before);
    return SB_EXIT_FINE;
}

/* ---- export ---- */

static void print_row(void *context, const sb_query_row *row)
{
    const job *j = context;
    printf("{\"table\":\"%s\"", j->table);
    sb_stored_print_members(stdout, row, 0, false);
    puts("}");
}

/* One transaction: the rows of all tables are those of one moment. */
static int run_export(job *j)
{
    sqlite3 *db = sb_stored_open("store", j->path);
    if (!db) return SB_EXIT_NEGATIVE;
    sb_result result =
        sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK ? SB_OK : SB_OS_ERROR;
    for (size_t i = 0; result == SB_OK && sb_query_tables[i]; i++) {
        j->table = sb_query_tables[i];
        result = sb_query_table(db, j->table, print_row, j);
    }
    int status = result == SB_OK ? SB_EXIT_FINE : sb_stored_fail("store", db);
    (void)sqlite3_close(db);
    return status;
}

/* ---- the command ---- */

static const struct {
    const char *name;
    int (*run)(job *j);
} actions[] = { { "check", run_check }, { "migrate", run_migrate }, { "export", run_export } };

static int run(job *j, const char *name)
{
    sb_suggestion found = sb_suggestion_start(name);
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(actions[i].name, name) == 0) return actions[i].run(j);
        sb_suggestion_try(&found, actions[i].name);
    }
    return sb_usage_error(&usage, "unknown action `%s`; %s%s%s", name,
                          found.best ? "did you mean `" : "there are check, migrate and export",
                          found.best ? found.best : "", found.best ? "`?" : "");
}

int sb_run_store(int argc, char **argv)
{
    job        j = { .json = false };
    sb_options o;
    sb_options_init(&o, &usage, argc, argv);
    for (int key; (key = sb_options_next(&o)) != SB_OPTIONS_END;) {
        if (key == SB_OPTIONS_BAD) return SB_EXIT_USAGE;
        if (key == SB_OPTIONS_DONE) return SB_EXIT_FINE;
        if (key == KEY_STORE) j.path = o.argument;
        else if (key == KEY_JSON) j.json = true;
    }
    if (argc - o.operand != 1)
        return sb_usage_error(&usage, "name one of check, migrate and export");
    j.path = sb_stored_path(j.path);
    return run(&j, argv[o.operand]);
}
