/* src/store/reader.c -- the thread that answers questions about totals, so that a caller never
 * waits for a disk. Answers are kept and used again for a while.
 *
 * Tests:    tests/store/reader_test.c
 */
#include "store/store_internal.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "store/query.h"

enum {
    MINUTE_MS = 60000,
    PLAYER_FRESH_MS = 2000,
    TOP_FRESH_MS = MINUTE_MS,
    READ_BUSY_MS = 250,
};

/* ---- the thread ---- */

static void keep_totals(void *context, const sb_query_row *row)
{
    question *q = context;
    if (q->count < SB_STORE_TOP_MAX) sb_query_read_totals(row, &q->answer[q->count++]);
}

/* A connection per question: the file may be moved or replaced at any time. */
static void answer(const char *path, question *q)
{
    char     error[SB_DATABASE_ERROR_MAX];
    sqlite3 *db = sb_database_open_to_read(path, READ_BUSY_MS, error);
    q->count = 0;
    q->failed = true;
    if (!db) return;
    q->failed = sb_query_players(db, q->name[0] ? q->name : NULL, q->since_minute * MINUTE_MS,
                                 q->name[0] ? 1 : SB_STORE_TOP_MAX, keep_totals, q) != SB_OK;
    (void)sqlite3_close(db);
}

static question *find_asked(reader *r)
{
    question *oldest = NULL;
    for (size_t i = 0; i < STORE_QUESTIONS; i++) {
        question *q = &r->questions[i];
        if (q->state == QUESTION_ASKED && (!oldest || q->asked_ms < oldest->asked_ms)) oldest = q;
    }
    return oldest;
}

static void *run(void *context)
{
    reader *r = context;
    pthread_mutex_lock(&r->lock);
    while (!r->stop) {
        question *q = find_asked(r);
        if (!q) {
            pthread_cond_wait(&r->asked, &r->lock);
            continue;
        }
        question mine = *q; /* a question that is asked stays where it is */
        pthread_mutex_unlock(&r->lock);
        answer(r->path, &mine);
        pthread_mutex_lock(&r->lock);
        mine.state = QUESTION_ANSWERED;
        mine.has_answer = true;
        mine.answered_ms = sb_writer_clock_ms();
        *q = mine;
        pthread_cond_broadcast(&r->answered);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

bool sb_reader_start(reader *r, const char *path)
{
    pthread_condattr_t monotonic;
    snprintf(r->path, sizeof r->path, "%s", path);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->asked, NULL);
    pthread_cond_init(&r->answered, &monotonic);
    pthread_condattr_destroy(&monotonic);
    r->is_running = pthread_create(&r->thread, NULL, run, r) == 0;
    return r->is_running;
}

bool sb_reader_stop(reader *r)
{
    struct timespec until = { .tv_sec = sb_writer_clock_ms() / 1000 + 2 };
    if (!r->is_running) return true;
    pthread_mutex_lock(&r->lock);
    r->stop = true;
    pthread_cond_signal(&r->asked);
    pthread_mutex_unlock(&r->lock);
    if (pthread_clockjoin_np(r->thread, NULL, CLOCK_MONOTONIC, &until) != 0) return false;
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->asked);
    pthread_cond_destroy(&r->answered);
    return true;
}

/* ---- the caller ---- */

/* The same question, else the place of the one that was answered longest ago. NULL: all are being
 * asked. */
static question *find_place(reader *r, const char *name, int64_t since_minute)
{
    question *place = NULL;
    for (size_t i = 0; i < STORE_QUESTIONS; i++) {
        question *q = &r->questions[i];
        bool      is_same = q->since_minute == since_minute && strcasecmp(q->name, name) == 0;
        if (q->state != QUESTION_FREE && is_same) return q;
        if (q->state == QUESTION_ASKED) continue;
        if (!place || q->answered_ms < place->answered_ms) place = q;
    }
    if (place) {
        *place = (question){ .since_minute = since_minute };
        snprintf(place->name, sizeof place->name, "%s", name);
    }
    return place;
}

static bool is_fresh(const question *q, int64_t now)
{
    int64_t limit = q->name[0] && !q->failed ? PLAYER_FRESH_MS : q->failed ? 0 : TOP_FRESH_MS;
    return q->state == QUESTION_ANSWERED && now - q->answered_ms < limit;
}

/* Waits for the answer, at most STORE_ANSWER_WAIT_MS. */
static void ask_reader(reader *r, question *q, int64_t now)
{
    int64_t         until = now + STORE_ANSWER_WAIT_MS;
    struct timespec moment = { .tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000 };
    if (q->state != QUESTION_ASKED) {
        q->state = QUESTION_ASKED;
        q->asked_ms = now;
        pthread_cond_signal(&r->asked);
    }
    while (q->state == QUESTION_ASKED)
        if (pthread_cond_timedwait(&r->answered, &r->lock, &moment) != 0) break;
}

static sb_result ask(reader *r, const char *name, int64_t since_ms, sb_store_totals *out,
                     size_t max, size_t *count)
{
    int64_t   now = sb_writer_clock_ms();
    sb_result result = SB_FULL;
    pthread_mutex_lock(&r->lock);
    question *q = find_place(r, name, since_ms / MINUTE_MS);
    if (q && !is_fresh(q, now)) ask_reader(r, q, now);
    if (q && q->has_answer) { /* also an old one: better than none */
        *count = q->count < max ? q->count : max;
        memcpy(out, q->answer, *count * sizeof *out);
        result = q->failed ? SB_OS_ERROR : SB_OK;
    }
    pthread_mutex_unlock(&r->lock);
    return result;
}

sb_result sb_store_player_totals(sb_store *s, const char *name, int64_t since_ms,
                                 sb_store_totals *out)
{
    size_t count = 0;
    memset(out, 0, sizeof *out);
    if (!s) return SB_NOT_ALLOWED;
    if (name[0] == '\0' || strlen(name) >= sizeof out->name)
        return SB_OK; /* nobody has that name */
    return ask(&s->reader, name, since_ms, out, 1, &count);
}

sb_result sb_store_top(sb_store *s, int64_t since_ms, sb_store_totals out[SB_STORE_TOP_MAX],
                       size_t *count)
{
    *count = 0;
    if (!s) return SB_NOT_ALLOWED;
    return ask(&s->reader, "", since_ms, out, SB_STORE_TOP_MAX, count);
}
