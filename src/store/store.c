/* src/store/store.c -- opening, posting, bans and the state of a store; writer.c stores.
 *
 * Tests:    tests/store/store_test.c, tests/store/outage_test.c, tests/apps/store_test.py
 */
#include "store/store_internal.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "platform/clock.h"
#include "platform/file.h"
#include "store/query.h"

/* ---- bans at the start ---- */

static void add_loaded(void *context, const sb_store_ban *ban)
{
    ban_list *list = context;
    if (list->count == list->capacity) {
        size_t        capacity = list->capacity ? 2 * list->capacity : 16;
        sb_store_ban *more = realloc(list->bans, capacity * sizeof *more);
        if (!more) return;
        list->bans = more;
        list->capacity = capacity;
    }
    list->bans[list->count++] = *ban;
}

static void remove_loaded(ban_list *list, int64_t id)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->bans[i].id != id) list->bans[kept++] = list->bans[i];
    list->count = kept;
}

static void read_ban(const sb_ban_entry *from, sb_store_ban *out)
{
    *out = (sb_store_ban){ .id = from->id };
    out->created_ms = from->created_ms;
    out->expires_ms = from->expires_ms;
    out->exception = from->exception != 0;
    out->kind = from->kind[0];
    snprintf(out->range, sizeof out->range, "%s", from->range);
    snprintf(out->name, sizeof out->name, "%s", from->name);
    snprintf(out->reason, sizeof out->reason, "%s", from->reason);
    snprintf(out->by, sizeof out->by, "%s", from->by);
}

/* A line of the spool is younger than everything in the database. */
static void overlay_line(void *context, const char *line, size_t size)
{
    sb_store      *s = context;
    sb_store_entry entry;
    sb_store_ban   ban;
    if (sb_store_entry_decode(line, size, &entry) != SB_OK) return;
    if (entry.type == SB_STORE_ENTRY_UNBAN) remove_loaded(&s->loaded, entry.u.unban.id);
    if (entry.type != SB_STORE_ENTRY_BAN) return;
    read_ban(&entry.u.ban, &ban);
    if (s->last_ban < ban.id) s->last_ban = ban.id;
    remove_loaded(&s->loaded, ban.id);
    if (ban.expires_ms == 0 || ban.expires_ms > sb_writer_wall_ms()) add_loaded(&s->loaded, &ban);
}

static void load_bans(sb_store *s)
{
    char     error[SB_DATABASE_ERROR_MAX];
    sqlite3 *own = s->database.db, *db = own;
    if (!db) db = sb_database_open_to_read(s->path, STORE_START_BUSY_MS, error);
    bool fine = db && sb_query_last_ban(db, &s->last_ban) == SB_OK &&
                sb_query_bans(db, sb_writer_wall_ms(), add_loaded, &s->loaded) == SB_OK;
    /* Without the database nobody knows the last number: seconds since 1970 are above it. */
    if (!fine) s->last_ban = sb_writer_wall_ms() / 1000;
    s->are_bans_complete = fine;
    if (!own) (void)sqlite3_close(db);
    if (sb_spool_has_lines(&s->spool)) (void)sb_spool_each(s->spool.path, overlay_line, s);
}

bool sb_store_bans_load(sb_store *s, sb_store_ban_fn fn, void *context)
{
    if (!s) return true;
    for (size_t i = 0; i < s->loaded.count; i++) fn(context, &s->loaded.bans[i]);
    free(s->loaded.bans);
    s->loaded = (ban_list){ .count = 0 };
    return s->are_bans_complete;
}

/* ---- opening ---- */

static bool fail(char error[SB_STORE_ERROR_MAX], const char *path, const char *why)
{
    snprintf(error, SB_STORE_ERROR_MAX, "%.160s: %s", path, why);
    return false;
}

static bool open_spool(sb_store *s, uint64_t bytes_max, char error[SB_STORE_ERROR_MAX])
{
    char path[SB_SPOOL_PATH_MAX];
    snprintf(path, sizeof path, "%s.spool", s->path);
    sb_result result = sb_spool_open(&s->spool, path, bytes_max);
    if (result == SB_OK) return true;
    if (result == SB_NOT_ALLOWED)
        return fail(
            error, s->path,
            "another server uses this store; name another file for this one (--store PATH)");
    snprintf(error, SB_STORE_ERROR_MAX,
             "%.160s: %s; the server's user must be able to write files in this folder", path,
             strerror(errno));
    return false;
}

static void init_locks(sb_store *s)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->wake, &monotonic);
    pthread_cond_init(&s->settled, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static bool allocate(sb_store *s, const sb_store_options *options)
{
    size_t usual = STORE_QUEUE_BYTES + options->rooms * STORE_ROOM_BYTES;
    s->queue_shared = options->queue_bytes ? options->queue_bytes : usual;
    s->queue_capacity = s->queue_shared + options->rooms * STORE_RESULT_BYTES;
    s->queue = malloc(s->queue_capacity);
    s->batch = malloc(s->queue_capacity);
    s->chunk = malloc(SB_SPOOL_CHUNK);
    return s->queue && s->batch && s->chunk;
}

static void destroy(sb_store *s)
{
    sb_database_close(&s->database);
    sb_spool_close(&s->spool);
    free(s->loaded.bans);
    free(s->queue);
    free(s->batch);
    free(s->chunk);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->wake);
    pthread_cond_destroy(&s->settled);
    free(s);
}

/* The spool, whose lock keeps a second server out, lies beside the database itself, not beside a
 * symbolic link to it. */
static bool copy_path(sb_store *s, const char *path)
{
    char *real = realpath(path, NULL); /* NULL: there is no file yet */
    if (real) path = real;
    bool fits = strlen(path) < sizeof s->path;
    if (fits) snprintf(s->path, sizeof s->path, "%s", path);
    free(real);
    return fits;
}

/* A database that cannot be used now is reported by the writer, which goes on trying. */
static bool start(sb_store *s, const sb_store_options *options, char error[SB_STORE_ERROR_MAX])
{
    if (!copy_path(s, options->path)) return fail(error, options->path, "is too long");
    const char *wrong_kind = sb_file_kind_error(options->path);
    if (wrong_kind) return fail(error, options->path, wrong_kind);
    snprintf(s->status.path, sizeof s->status.path, "%s", options->path);
    snprintf(s->session, sizeof s->session, "%016llx", (unsigned long long)sb_clock_seed());
    if (!allocate(s, options)) return fail(error, options->path, "out of memory");
    if (!open_spool(s, options->spool_bytes ? options->spool_bytes : STORE_SPOOL_BYTES, error))
        return false;
    (void)sb_writer_open_database(s, STORE_START_BUSY_MS);
    load_bans(s);
    s->status.spooled = s->spool.lines;
    s->status.state = s->database.db ? SB_STORE_IS_OK : SB_STORE_SPOOLING;
    if (!sb_reader_start(&s->reader, s->path)) return fail(error, options->path, "no thread");
    if (pthread_create(&s->thread, NULL, sb_writer_run, s) == 0) return true;
    (void)sb_reader_stop(&s->reader);
    return fail(error, options->path, "no thread");
}

sb_store *sb_store_open(const sb_store_options *options, char error[SB_STORE_ERROR_MAX])
{
    sb_store *s = calloc(1, sizeof *s);
    if (!s) {
        (void)fail(error, options->path, "out of memory");
        return NULL;
    }
    s->spool.descriptor = -1;
    s->log = options->log;
    s->keep_ms = (int64_t)options->keep_days * STORE_ERASE_MS;
    init_locks(s);
    if (start(s, options, error)) return s;
    destroy(s);
    return NULL;
}

static struct timespec after_ms(int64_t wait_ms)
{
    int64_t until = sb_writer_clock_ms() + wait_ms;
    return (struct timespec){ .tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000 };
}

/* Waits for the writer. False: it has not ended in time. */
static bool wait_for_end(sb_store *s, int64_t wait_ms)
{
    struct timespec until = after_ms(wait_ms);
    pthread_cond_signal(&s->wake);
    while (!s->has_ended)
        if (pthread_cond_timedwait(&s->settled, &s->lock, &until) != 0) break;
    return s->has_ended;
}

void sb_store_close(sb_store *s)
{
    if (!s) return;
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    bool ended = wait_for_end(s, STORE_CLOSE_WAIT_MS);
    s->give_up = true; /* one more attempt, then it ends, unless the disk itself hangs */
    if (!ended) ended = wait_for_end(s, STORE_RETRY_MS);
    pthread_mutex_unlock(&s->lock);
    if (ended) pthread_join(s->thread, NULL);
    /* The memory of a thread that a disk holds up stays: the process ends soon. */
    if (sb_reader_stop(&s->reader) && ended) destroy(s);
}

/* ---- posting ---- */

/* The number of the entry among the posted ones; 0: dropped. With the lock. */
static uint64_t append(sb_store *s, const char *line, size_t size, const sb_store_entry *entry)
{
    bool   is_superseded = sb_store_entry_is_superseded(entry);
    size_t limit = is_superseded                     ? s->queue_shared / 2
                   : sb_store_entry_is_result(entry) ? s->queue_capacity
                                                     : s->queue_shared;
    if (s->queue_size + size > limit) {
        s->status.dropped += !is_superseded;
        return 0;
    }
    memcpy(s->queue + s->queue_size, line, size);
    s->queue_size += size;
    s->queue_lines++;
    pthread_cond_signal(&s->wake);
    return ++s->posted;
}

static uint64_t post(sb_store *s, const sb_store_entry *entry)
{
    char   line[SB_STORE_ENTRY_LINE_MAX];
    size_t size = sb_store_entry_encode(entry, line);
    pthread_mutex_lock(&s->lock);
    uint64_t number = append(s, line, size, entry);
    pthread_mutex_unlock(&s->lock);
    return number;
}

/* Fills the fields that only the store knows. */
static void complete(sb_store *s, sb_store_entry *entry)
{
    pthread_mutex_lock(&s->lock);
    int64_t number = entry->type == SB_STORE_ENTRY_CHAT || entry->type == SB_STORE_ENTRY_AUDIT
                         ? ++s->last_number
                         : 0;
    pthread_mutex_unlock(&s->lock);
    if (entry->type == SB_STORE_ENTRY_CHAT) {
        memcpy(entry->u.chat.session, s->session, sizeof s->session);
        entry->u.chat.number = number;
    } else if (entry->type == SB_STORE_ENTRY_AUDIT) {
        memcpy(entry->u.audit.session, s->session, sizeof s->session);
        entry->u.audit.number = number;
    } else if (entry->type == SB_STORE_ENTRY_MATCH) {
        memcpy(entry->u.match.session, s->session, sizeof s->session);
    }
}

void sb_store_post(sb_store *s, const sb_store_entry *entry)
{
    if (!s) return;
    sb_store_entry copy = *entry;
    complete(s, &copy);
    (void)post(s, &copy);
}

void sb_store_audit(sb_store *s, int64_t when_ms, const char *who, const char *command,
                    const char *result)
{
    sb_store_entry entry = { .type = SB_STORE_ENTRY_AUDIT };
    if (!s) return;
    entry.u.audit.at_ms = when_ms;
    snprintf(entry.u.audit.who, sizeof entry.u.audit.who, "%s", who);
    snprintf(entry.u.audit.command, sizeof entry.u.audit.command, "%s", command);
    snprintf(entry.u.audit.result, sizeof entry.u.audit.result, "%s", result);
    sb_store_post(s, &entry);
}

const char *sb_store_session(const sb_store *s)
{
    return s ? s->session : "";
}

/* ---- bans ---- */

/* Waits until the entry is committed or spooled. */
static sb_result wait_for(sb_store *s, uint64_t number)
{
    struct timespec until = after_ms(STORE_BAN_WAIT_MS);
    if (number == 0) return SB_OS_ERROR;
    pthread_mutex_lock(&s->lock);
    while (s->committed_upto < number && s->spooled_upto < number)
        if (pthread_cond_timedwait(&s->settled, &s->lock, &until) != 0) break;
    bool committed = s->committed_upto >= number;
    pthread_mutex_unlock(&s->lock);
    return committed ? SB_OK : SB_FULL;
}

/* Returns the number of the entry; 0: the queue is full. */
static uint64_t post_ban(sb_store *s, const sb_store_ban *ban, int64_t *id)
{
    sb_store_entry entry = { .type = SB_STORE_ENTRY_BAN };
    sb_ban_entry  *to = &entry.u.ban;
    pthread_mutex_lock(&s->lock);
    to->id = ++s->last_ban;
    pthread_mutex_unlock(&s->lock);
    to->created_ms = ban->created_ms;
    to->expires_ms = ban->expires_ms;
    to->exception = ban->exception;
    snprintf(to->kind, sizeof to->kind, "%s", ban->kind == 'k' ? "kick" : "ban");
    snprintf(to->range, sizeof to->range, "%s", ban->range);
    snprintf(to->name, sizeof to->name, "%s", ban->name);
    snprintf(to->reason, sizeof to->reason, "%s", ban->reason);
    snprintf(to->by, sizeof to->by, "%s", ban->by);
    if (id) *id = to->id;
    return post(s, &entry);
}

sb_result sb_store_ban_add(sb_store *s, const sb_store_ban *ban, int64_t *id)
{
    if (id) *id = 0;
    return s ? wait_for(s, post_ban(s, ban, id)) : SB_NOT_ALLOWED;
}

sb_result sb_store_ban_queue(sb_store *s, const sb_store_ban *ban, int64_t *id)
{
    if (id) *id = 0;
    if (!s) return SB_NOT_ALLOWED;
    return post_ban(s, ban, id) ? SB_FULL : SB_OS_ERROR;
}

sb_result sb_store_ban_remove(sb_store *s, int64_t id)
{
    sb_store_entry entry = { .type = SB_STORE_ENTRY_UNBAN };
    if (!s) return SB_NOT_ALLOWED;
    entry.u.unban = (sb_unban_entry){ id, sb_writer_wall_ms() };
    return wait_for(s, post(s, &entry));
}

/* ---- state ---- */

const char *sb_store_state_name(sb_store_state state)
{
    static const char *const names[] = { "off", "ok", "behind", "spooling", "failed" };
    SB_ASSERT((size_t)state < sizeof names / sizeof *names);
    return names[state];
}

void sb_store_get_status(sb_store *s, sb_store_status *out)
{
    *out = (sb_store_status){ .state = SB_STORE_OFF };
    if (!s) return;
    pthread_mutex_lock(&s->lock);
    *out = s->status;
    uint64_t settled = s->committed_upto > s->spooled_upto ? s->committed_upto : s->spooled_upto;
    out->queued = s->posted - settled;
    pthread_mutex_unlock(&s->lock);
}
