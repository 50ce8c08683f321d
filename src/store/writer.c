/* src/store/writer.c -- the thread that stores entries: from the queue into the database, or into
 * the spool while the database cannot be written, and from the spool back.
 *
 * Entries keep their order: while the spool has lines, new entries are appended to it. A batch that
 * neither the database nor the spool takes stays in memory and is tried again.
 *
 * Tests:    tests/store/outage_test.c, tests/apps/store_test.py
 */
#include "store/store_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "platform/clock.h"
#include "store/query.h"

int64_t sb_writer_clock_ms(void)
{
    return sb_clock_now() / (SB_SECOND / 1000);
}

int64_t sb_writer_wall_ms(void)
{
    return sb_clock_wall_us() / 1000;
}

static void say(sb_store *s, sb_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void say(sb_store *s, sb_log_level level, const char *format, ...)
{
    char    text[SB_STORE_ERROR_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (s->log) sb_log_message(s->log, level, "store", SB_LOG_NO_ROOM, "%s", text);
}

/* ---- state ---- */

static void set_error(sb_store *s, const char *error)
{
    pthread_mutex_lock(&s->lock);
    snprintf(s->status.last_error, sizeof s->status.last_error, "%s", error);
    pthread_mutex_unlock(&s->lock);
}

/* The database cannot be used. */
static void note_failure(sb_store *s)
{
    s->retry_at = sb_writer_clock_ms() + STORE_RETRY_MS;
    set_error(s, s->database.error);
    if (s->has_failed) return;
    s->has_failed = true;
    s->is_failure_told = false;
    s->spooled_since_failure = 0;
}

/* The spool works: one line in the log until the database can be used again. */
static void tell_failure(sb_store *s)
{
    if (!s->has_failed || s->is_failure_told) return;
    s->is_failure_told = true;
    say(s, SB_LOG_WARNING,
        "the database cannot be written: %s; what happens is kept in %s until it can",
        s->database.error, s->spool.path);
}

/* The first success; after a failure, the line that it is over says the same. */
static void note_success(sb_store *s)
{
    if (!s->is_known_to_work && !s->has_failed)
        say(s, SB_LOG_INFO, "results are stored in %s", s->status.path);
    s->is_known_to_work = true;
}

static void note_commit(sb_store *s, uint64_t lines, bool caught_up)
{
    pthread_mutex_lock(&s->lock);
    s->status.written += lines;
    s->status.last_commit_ms = sb_writer_wall_ms();
    s->status.last_error[0] = '\0';
    pthread_mutex_unlock(&s->lock);
    note_success(s);
    if (!s->has_failed || !caught_up) return;
    s->has_failed = s->has_lost = false;
    say(s, SB_LOG_INFO, "the database is written again; %llu entries came late",
        (unsigned long long)s->spooled_since_failure);
}

static sb_store_state state_of(const sb_store *s)
{
    if (s->has_lost) return SB_STORE_FAILED;
    if (s->has_failed) return SB_STORE_SPOOLING;
    return sb_spool_has_lines(&s->spool) ? SB_STORE_BEHIND : SB_STORE_IS_OK;
}

/* The entries up to this number are committed or spooled; callers who wait for one go on. */
static void settle(sb_store *s, uint64_t *upto, uint64_t value)
{
    pthread_mutex_lock(&s->lock);
    if (*upto < value) *upto = value;
    s->status.spooled = s->spool.lines;
    s->status.state = state_of(s);
    pthread_cond_broadcast(&s->settled);
    pthread_mutex_unlock(&s->lock);
}

/* ---- the database ---- */

/* A file that was put in the place of another one may have bans with higher numbers. */
static void raise_last_ban(sb_store *s)
{
    int64_t last = 0;
    if (sb_query_last_ban(s->database.db, &last) != SB_OK) return;
    pthread_mutex_lock(&s->lock);
    if (s->last_ban < last) s->last_ban = last;
    pthread_mutex_unlock(&s->lock);
}

bool sb_writer_open_database(sb_store *s, int busy_ms)
{
    if (sb_database_is_in_place(&s->database, s->path)) return true;
    sb_database_abandon(&s->database);
    if (sb_database_open(&s->database, s->path, !s->has_been_open, busy_ms, sb_writer_wall_ms()) !=
        SB_OK)
        return false;
    sb_database_set_patience(&s->database, STORE_BUSY_MS);
    raise_last_ban(s);
    s->has_been_open = true;
    s->is_interrupt_done = false;
    s->chore_at = s->erase_at = 0;
    return true;
}

typedef struct writing {
    sb_store *store;
    bool      fine;
    uint64_t  lines, refused, damaged;
} writing;

static void write_line(void *context, const char *line, size_t size)
{
    writing       *w = context;
    sb_store_entry entry;
    w->lines++;
    if (!w->fine) return;
    if (sb_store_entry_decode(line, size, &entry) != SB_OK) {
        w->damaged++;
        return;
    }
    sb_result result = sb_database_write(&w->store->database, &entry);
    if (result == SB_BAD_VALUE) w->refused++;
    else if (result != SB_OK) w->fine = false;
}

static void count_losses(sb_store *s, const writing *w)
{
    if (w->refused + w->damaged == 0) return;
    pthread_mutex_lock(&s->lock);
    s->status.refused += w->refused;
    s->status.damaged += w->damaged;
    pthread_mutex_unlock(&s->lock);
    if (w->refused)
        say(s, SB_LOG_ERROR, "the database refused %llu entries: %s",
            (unsigned long long)w->refused, s->database.error);
    if (w->damaged)
        say(s, SB_LOG_WARNING,
            "%llu damaged lines in %s were skipped, as a crash in the middle of a write leaves "
            "them",
            (unsigned long long)w->damaged, s->spool.path);
}

/* Stores lines in one transaction. False: nothing was stored. *lines: how many there are. */
static bool store_lines(sb_store *s, const char *text, size_t size, uint64_t *lines)
{
    writing w = { s, true, 0, 0, 0 };
    if (!sb_writer_open_database(s, STORE_BUSY_MS) || sb_database_begin(&s->database) != SB_OK) {
        note_failure(s);
        return false;
    }
    size_t used = sb_spool_each_line(text, size, write_line, &w);
    if (used < size) { /* a broken last line of the spool */
        w.lines++;
        w.damaged++;
    }
    if (!w.fine) sb_database_rollback(&s->database);
    if (!w.fine || sb_database_commit(&s->database) != SB_OK) {
        note_failure(s);
        return false;
    }
    count_losses(s, &w);
    *lines = w.lines;
    return true;
}

/* ---- the queue ---- */

/* When the writer has something to do next, if no entry comes. */
static int64_t next_deadline(const sb_store *s)
{
    if (sb_spool_has_lines(&s->spool) || s->batch_size > 0) return s->retry_at;
    return s->chore_at < s->retry_at ? s->retry_at : s->chore_at;
}

static void wait_until_ms(sb_store *s, int64_t until_ms)
{
    struct timespec until = { .tv_sec = until_ms / 1000, .tv_nsec = until_ms % 1000 * 1000000 };
    (void)pthread_cond_timedwait(&s->wake, &s->lock, &until);
}

static bool has_reason_to_wait(const sb_store *s)
{
    if (s->give_up || (s->batch_size == 0 && (s->queue_size > 0 || s->stop))) return false;
    return sb_writer_clock_ms() < next_deadline(s);
}

/* Takes what is queued, unless an earlier batch is not settled. True: the store is to end. */
static bool take(sb_store *s)
{
    pthread_mutex_lock(&s->lock);
    while (has_reason_to_wait(s)) wait_until_ms(s, next_deadline(s));
    if (s->batch_size == 0 && s->queue_size > 0) {
        char *empty = s->batch;
        s->batch = s->queue;
        s->batch_size = s->queue_size;
        s->batch_lines = s->queue_lines;
        s->batch_upto = s->posted;
        s->queue = empty;
        s->queue_size = 0;
        s->queue_lines = 0;
    }
    bool stop = s->stop;
    pthread_mutex_unlock(&s->lock);
    return stop;
}

/* ---- the spool ---- */

typedef struct thinning {
    char    *out;
    size_t   size;
    uint64_t lines;
} thinning;

static void keep_line(void *context, const char *line, size_t size)
{
    thinning      *t = context;
    sb_store_entry entry;
    if (sb_store_entry_decode(line, size, &entry) == SB_OK && sb_store_entry_is_superseded(&entry))
        return;
    memmove(t->out + t->size, line, size + 1); /* with the newline; never ahead of the reading */
    t->size += size + 1;
    t->lines++;
}

/* A spool that fills up takes no more states that a later entry will supersede. */
static void thin_batch(sb_store *s)
{
    thinning t = { s->batch, 0, 0 };
    if (s->spool.size < s->spool.bytes_max / 4) return;
    (void)sb_spool_each_line(s->batch, s->batch_size, keep_line, &t);
    s->batch_size = t.size;
    s->batch_lines = t.lines;
}

static void note_spool_failure(sb_store *s, int why)
{
    char error[SB_DATABASE_ERROR_MAX];
    snprintf(error, sizeof error, "%.120s: %.100s", s->spool.path,
             why == EFBIG ? "the spool has reached its limit" : strerror(why));
    set_error(s, error);
    s->retry_at = sb_writer_clock_ms() + STORE_RETRY_MS;
    bool is_new = !s->has_lost;
    s->has_lost = true;
    settle(s, &s->spooled_upto, 0);
    if (!is_new) return;
    say(s, SB_LOG_ERROR,
        "neither the database nor its spool can be written (%s): results are kept in memory only, "
        "and lost when it is full; make space on the disk or repair it, the server goes on by "
        "itself",
        error);
}

/* True: nothing of the batch is left. */
static bool spool_batch(sb_store *s)
{
    thin_batch(s);
    if (s->batch_size > 0 && !sb_spool_append(&s->spool, s->batch, s->batch_size, s->batch_lines)) {
        note_spool_failure(s, errno);
        return false;
    }
    s->has_lost = false;
    tell_failure(s);
    s->spooled_since_failure += s->batch_lines;
    s->batch_size = 0;
    settle(s, &s->spooled_upto, s->batch_upto);
    return true;
}

static void store_batch(sb_store *s)
{
    uint64_t lines;
    if (s->batch_size == 0) return;
    bool direct = !sb_spool_has_lines(&s->spool) && sb_writer_clock_ms() >= s->retry_at;
    if (direct && store_lines(s, s->batch, s->batch_size, &lines)) {
        s->batch_size = 0;
        note_commit(s, lines, true);
        settle(s, &s->committed_upto, s->batch_upto);
        return;
    }
    (void)spool_batch(s);
}

/* Stores the next lines of the spool. False: it has none, or the database cannot be written. */
static bool replay(sb_store *s)
{
    uint64_t lines = 0;
    if (!sb_spool_has_lines(&s->spool) || sb_writer_clock_ms() < s->retry_at) return false;
    size_t size = sb_spool_read(&s->spool, s->chunk);
    if (size == 0 && sb_spool_has_lines(&s->spool)) {
        note_spool_failure(s, errno);
        return false;
    }
    if (size > 0 && !store_lines(s, s->chunk, size, &lines)) {
        tell_failure(s);
        return false;
    }
    sb_spool_advance(&s->spool, size, lines);
    bool caught_up = !sb_spool_has_lines(&s->spool);
    note_commit(s, lines, caught_up);
    if (caught_up) settle(s, &s->committed_upto, s->spooled_upto);
    else settle(s, &s->spooled_upto, 0);
    return true;
}

/* ---- chores ---- */

static bool interrupt_old_matches(sb_store *s)
{
    int count = s->is_interrupt_done ? 0 : sb_database_interrupt(&s->database, s->session);
    if (count < 0) return false;
    s->is_interrupt_done = true;
    if (count > 0)
        say(s, SB_LOG_INFO,
            "%d match%s of an earlier run did not end: stored as interrupted, with the last "
            "standings",
            count, count == 1 ? "" : "es");
    return true;
}

static bool erase_addresses(sb_store *s, int64_t now)
{
    if (s->keep_ms == 0 || now < s->erase_at) return true;
    if (!sb_database_erase_addresses(&s->database, sb_writer_wall_ms() - s->keep_ms)) return false;
    s->erase_at = now + STORE_ERASE_MS;
    return true;
}

/* Once all older entries are stored. */
static void do_chores(sb_store *s)
{
    int64_t now = sb_writer_clock_ms();
    if (now < s->chore_at || now < s->retry_at) return;
    if (sb_spool_has_lines(&s->spool) || s->batch_size > 0) return;
    s->chore_at = now + STORE_CHORE_MS;
    bool fine = sb_writer_open_database(s, STORE_BUSY_MS) && interrupt_old_matches(s) &&
                sb_database_touch(&s->database, s->session, sb_writer_wall_ms()) &&
                erase_addresses(s, now);
    if (!fine) {
        note_failure(s);
        tell_failure(s);
        s->chore_at = s->retry_at;
    } else if (s->has_failed) note_commit(s, 0, true);
    else note_success(s);
    settle(s, &s->spooled_upto, 0);
}

/* ---- the thread ---- */

/* At the end, what is queued is stored or spooled; if neither is possible, it is tried until
 * sb_store_close gives up. Lines in the spool wait for the next start. */
static bool finished(sb_store *s)
{
    pthread_mutex_lock(&s->lock);
    bool done = (s->queue_size == 0 && s->batch_size == 0) || s->give_up;
    pthread_mutex_unlock(&s->lock);
    return done;
}

void *sb_writer_run(void *store)
{
    sb_store *s = store;
    for (;;) {
        bool stop = take(s);
        store_batch(s);
        if (stop && finished(s)) break;
        if (!stop && !replay(s)) do_chores(s);
    }
    pthread_mutex_lock(&s->lock);
    s->has_ended = true;
    pthread_cond_broadcast(&s->settled);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}
