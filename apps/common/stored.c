/* apps/common/stored.c -- see stored.h.
 *
 * Tests:    tests/apps/store_test.py
 */
#include "common/stored.h"

#include "common/arguments.h"
#include "common/clean_text.h"
#include "common/commands.h"

#include "admin/words.h"
#include "config/process_config.h"
#include "platform/clock.h"
#include "store/database.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BUSY_MS = 3000, TEXT_BYTES = 1024, LIMIT_MAX = 100000 };

const char *sb_stored_path(const char *argument)
{
    const char *variable = getenv("STARBASE_STORE");
    if (argument) return argument;
    return variable && variable[0] ? variable : SB_STORE_PATH;
}

int sb_stored_read_options(sb_stored_choice *c, sb_options *o, const sb_usage *usage,
                           void (*own)(void *context, int key, const char *argument), void *context)
{
    *c = (sb_stored_choice){ .limit = SB_STORED_LIMIT };
    for (int key; (key = sb_options_next(o)) != SB_OPTIONS_END;) {
        if (key == SB_OPTIONS_BAD) return SB_EXIT_USAGE;
        if (key == SB_OPTIONS_DONE) return SB_EXIT_FINE;
        if (key == SB_STORED_KEY_STORE) c->path = o->argument;
        else if (key == SB_STORED_KEY_SINCE) c->since = o->argument;
        else if (key == SB_STORED_KEY_JSON) c->json = true;
        else if (key >= SB_STORED_KEY_OWN) own(context, key, o->argument);
        else if (!sb_argument_parse_count(o->argument, 1, LIMIT_MAX, &c->limit))
            return sb_usage_error(usage, "--limit needs a number from 1 to %d, is `%s`", LIMIT_MAX,
                                  o->argument);
    }
    if (c->since && !sb_stored_parse_since(c->since, sb_clock_wall_us() / 1000, &c->since_ms))
        return sb_usage_error(usage, "--since needs a time such as 30d, 12h or 2026-11-01, is `%s`",
                              c->since);
    c->path = sb_stored_path(c->path);
    return SB_OPTIONS_END;
}

sqlite3 *sb_stored_open(const char *command, const char *path)
{
    char     error[SB_DATABASE_ERROR_MAX];
    sqlite3 *db = sb_database_open_to_read(path, BUSY_MS, error);
    if (!db) fprintf(stderr, "starbase %s: %s\n", command, error);
    return db;
}

int sb_stored_fail(const char *command, sqlite3 *db)
{
    fprintf(stderr, "starbase %s: the database cannot be read: %s\n", command, sqlite3_errmsg(db));
    return SB_EXIT_NEGATIVE;
}

/* ---- times ---- */

static bool parse_day(const char *text, int64_t *ms)
{
    struct tm   day = { 0 };
    const char *end = strptime(text, "%Y-%m-%d", &day);
    if (!end || *end) return false;
    *ms = (int64_t)timegm(&day) * 1000;
    return true;
}

bool sb_stored_parse_since(const char *text, int64_t now_ms, int64_t *since_ms)
{
    sb_time duration;
    if (!sb_words_parse_duration(text, &duration) || duration == SB_FOREVER)
        return parse_day(text, since_ms);
    *since_ms = now_ms - duration / 1000;
    return true;
}

const char *sb_stored_time(int64_t ms, char out[SB_STORED_TIME])
{
    time_t    seconds = (time_t)(ms / 1000);
    struct tm parts;
    if (ms == 0 || !gmtime_r(&seconds, &parts)) snprintf(out, SB_STORED_TIME, "-");
    else strftime(out, SB_STORED_TIME, "%Y-%m-%d %H:%M", &parts);
    return out;
}

const char *sb_stored_duration(int64_t seconds, char out[SB_STORED_TIME])
{
    long long s = seconds > 0 ? (long long)seconds : 0;
    if (s >= 3600) snprintf(out, SB_STORED_TIME, "%lld h %02lld min", s / 3600, s / 60 % 60);
    else if (s >= 60) snprintf(out, SB_STORED_TIME, "%lld min %02lld s", s / 60, s % 60);
    else snprintf(out, SB_STORED_TIME, "%lld s", s);
    return out;
}

/* ---- JSON ---- */

void sb_stored_print_text(FILE *out, const char *text)
{
    char clean[TEXT_BYTES];
    (void)sb_clean_utf8(text, clean, sizeof clean);
    sb_clean_print_json(out, clean);
}

void sb_stored_print_members(FILE *out, const sb_query_row *row, int skip, bool is_first)
{
    for (int i = skip; i < row->count; i++) {
        if (i > skip || !is_first) fputc(',', out);
        fprintf(out, "\"%s\":", sb_query_row_name(row, i));
        if (sb_query_row_is_number(row, i))
            fprintf(out, "%lld", (long long)sb_query_row_number(row, i));
        else sb_stored_print_text(out, sb_query_row_text(row, i));
    }
}
