/* src/server/files.c -- sends files to a client whose mission scripts differ, as the stock host
 * does: one FileTransfer per file, the next one after the client's acknowledgement.
 *
 * For:      joining.c, after checksum round FF; server.c, as time passes; reconfigure.c.
 * May use:  the list of files in the configuration, which is complete in memory; file_memory.c.
 * Never:    decides which files are fit to be sent (src/load/client_files.c), and never lets a file
 *           use more of a client's queue than FILE_FRAGMENTS_IN_FLIGHT.
 * Spec:     06 §5.4.
 * Tests:    tests/server/files_test.c, files_rate_test.c, files_reload_test.c
 */
#include "server/server_internal.h"

#include <starbase/protocol.h>

#include "base/time.h"

#include <string.h>

_Static_assert((int)SB_CLIENT_FILE_MESSAGE_MAX == (int)SB_PAYLOAD_MAX,
               "a file is one message of the transport");

bool sb_server_are_files_valid(const sb_server_config *c)
{
    if (c->file_count > SB_CLIENT_FILES_MAX) return false;
    if (c->file_count > 0 && (!c->files || c->file_bytes_per_s == 0)) return false;
    for (size_t i = 0; i < c->file_count; i++) {
        sb_span message = c->files[i].message;
        if (message.size == 0 || message.size > SB_PAYLOAD_MAX) return false;
        if (message.data[0] != SB_OP_FILE_TRANSFER) return false;
    }
    return true;
}

/* ---- which files ---- */

/* True if `path` is `directory` or lies below it. */
static bool is_within(const char *path, const char *directory)
{
    size_t size = strlen(directory);
    return strncmp(path, directory, size) == 0 && (path[size] == '\0' || path[size] == '/');
}

/* The path of a missing directory: that of the first entry whose directory it is. NULL: none. */
static const char *find_directory(const sb_manifest *m, const sb_difference *d)
{
    size_t parent = strlen(d->directory);
    for (const sb_manifest_file *f = m->files; f < m->files + m->count; f++) {
        if (f->position != d->position || f->directory_hash != d->name_hash) continue;
        const char *slash = strrchr(f->directory, '/');
        size_t      size = slash ? (size_t)(slash - f->directory) : 0;
        if (size == parent && memcmp(f->directory, d->directory, size) == 0) return f->directory;
    }
    return NULL;
}

static bool is_wanted(const sb_client_file *f, const sb_difference *d, const char *directory)
{
    switch (d->kind) {
    case SB_NO_SUCH_FILES: return true;
    case SB_DIRECTORY_MISSING: return directory && is_within(f->directory, directory);
    case SB_FILE_MISSING:
    case SB_FILE_CHANGED:
        return f->name_hash == d->name_hash && f->content_hash == d->expected &&
               strcmp(f->directory, d->directory) == 0;
    default: return false; /* nothing that a file could mend */
    }
}

void sb_server_want_files(const sb_server *s, sb_player *p, size_t manifest, const sb_difference *d)
{
    if (d->position != SB_CHECKSUM_FF || s->config.checksums == SB_CHECKSUM_LEARN) return;
    const sb_manifest *m =
        s->config.manifest_count ? s->config.manifests[manifest] : sb_vanilla_manifest();
    const char *directory = d->kind == SB_DIRECTORY_MISSING ? find_directory(m, d) : NULL;
    for (size_t i = 0; i < s->config.file_count; i++) {
        const sb_client_file *f = &s->config.files[i];
        if (f->manifests >> manifest & 1 && is_wanted(f, d, directory))
            sb_file_set_add(&p->files.wanted, i);
    }
}

/* ---- reports ---- */

static void report(const sb_server *s, const sb_player *p, sb_server_event_type type)
{
    const sb_file_progress *f = &p->files;
    sb_server_event         event = sb_server_event_about(s, type, p);
    event.done = f->done;
    event.total = f->total;
    event.value = (int64_t)f->bytes;
    if (f->index < s->config.file_count) event.text = sb_text_span(s->config.files[f->index].path);
    sb_server_report(s, &event, p);
}

static void report_progress(const sb_server *s, sb_player *p)
{
    if (s->now - p->files.reported_at < FILE_PROGRESS_SECONDS * SB_SECOND) return;
    p->files.reported_at = s->now;
    report(s, p, SB_SERVER_FILES_PROGRESS);
}

void sb_server_report_stopped_files(const sb_server *s, const sb_player *p)
{
    if (p->phase == SB_PLAYER_UPDATING) report(s, p, SB_SERVER_FILES_STOPPED);
}

/* ---- one file after the other ---- */

/* The client asks its user once per session (spec 06 §5.4): each file gets as long as loading. */
static void restart_limit(const sb_server *s, sb_player *p)
{
    sb_player_set_phase(p, SB_PLAYER_UPDATING, s->now + s->config.loading_limit_us);
}

/* The first wanted file; file_count: none is left. */
static size_t first_wanted(const sb_server *s, const sb_player *p)
{
    size_t i = 0;
    while (i < s->config.file_count && !sb_file_set_has(&p->files.wanted, i)) i++;
    return i;
}

static bool may_start(const sb_server *s, const sb_player *p, size_t file)
{
    if (sb_server_may_send_bytes(s, p, s->config.files[file].message.size)) return true;
    sb_server_report_text(s, SB_SERVER_FILES_WITHHELD, p,
                          "the address has got its share of bytes; try again in 10 minutes");
    return false;
}

/* Starts the next file, or goes on with the join if none is left. */
static void start_next_file(sb_server *s, sb_player *p)
{
    size_t next = first_wanted(s, p);
    if (next == s->config.file_count) report(s, p, SB_SERVER_FILES_SENT);
    if (next == s->config.file_count || !may_start(s, p, next)) {
        sb_server_send_bundle(s, p);
        return;
    }
    p->files.index = (uint16_t)next;
    p->files.at = 0;
    restart_limit(s, p);
}

/* Leaves out files that this player acknowledged before a reconnect. */
static void forget_known_files(const sb_server *s, sb_player *p)
{
    const sb_file_set *known = sb_server_recall_files(s, p);
    for (size_t i = 0; known && i < s->config.file_count; i++)
        if (sb_file_set_has(known, i)) sb_file_set_remove(&p->files.wanted, i);
}

static void count_wanted(const sb_server *s, sb_player *p, uint64_t *bytes)
{
    *bytes = 0;
    for (size_t i = 0; i < s->config.file_count; i++) {
        if (!sb_file_set_has(&p->files.wanted, i)) continue;
        p->files.total++;
        *bytes += s->config.files[i].message.size;
    }
}

bool sb_server_start_files(sb_server *s, sb_player *p)
{
    sb_file_progress *f = &p->files;
    uint64_t          bytes;
    size_t            first = first_wanted(s, p);
    if (p->round != SB_CHECKSUM_FF || first == s->config.file_count) return false;
    forget_known_files(s, p);
    first = first_wanted(s, p);
    if (first == s->config.file_count) {
        sb_server_report_text(s, SB_SERVER_FILES_WITHHELD, p,
                              "the client acknowledged them within the last 10 minutes");
        return false;
    }
    if (!may_start(s, p, first)) return false;
    count_wanted(s, p, &bytes);
    f->index = (uint16_t)first;
    f->reported_at = s->now;
    sb_budget_init(&f->budget, s->now, FILE_CLIENT_BURST);
    restart_limit(s, p);
    sb_server_event event = sb_server_event_about(s, SB_SERVER_FILES_STARTED, p);
    event.total = f->total;
    event.value = (int64_t)bytes;
    sb_server_report(s, &event, p);
    return true;
}

/* True if the client can have received the whole current file. */
static bool is_sent(const sb_server *s, const sb_player *p)
{
    return p->files.at == s->config.files[p->files.index].message.size;
}

/* An acknowledgement that comes before the whole file was sent is no answer to it: it is counted
 * and dropped, and the file goes on. */
void sb_server_handle_file_ack(sb_server *s, sb_player *p, sb_span bytes)
{
    if (bytes.size != 1) {
        sb_server_refuse(s, p, SB_SERVER_COUNT_MALFORMED, bytes);
        return;
    }
    if (p->phase != SB_PLAYER_UPDATING || !is_sent(s, p)) {
        sb_server_refuse(s, p, SB_SERVER_COUNT_FILE_ACK, bytes);
        return;
    }
    sb_file_set_remove(&p->files.wanted, p->files.index);
    sb_server_remember_file(s, p, p->files.index);
    p->files.done++;
    SB_COUNT(s->counters, SB_SERVER_COUNT_FILES_SENT);
    report_progress(s, p);
    start_next_file(s, p);
}

/* ---- fragments ---- */

enum { PIECE_BYTES = 406 }; /* the most that one fragment holds (spec 01 §7.1) */

static uint32_t room_burst(const sb_server *s)
{
    uint32_t quarter = s->config.file_bytes_per_s / 4;
    return quarter > PIECE_BYTES ? quarter : PIECE_BYTES;
}

static bool has_space(const sb_server *s, const sb_player *p)
{
    sb_peer_info info;
    return sb_transport_host_peer(s->transport, p->peer_id, &info) &&
           info.unacknowledged + info.queued < FILE_FRAGMENTS_IN_FLIGHT;
}

static void refill_budgets(sb_server *s, sb_player *p)
{
    sb_budget_refill(&p->files.budget, s->now, FILE_CLIENT_BYTES_PER_SECOND, FILE_CLIENT_BURST);
    sb_budget_cap(&s->file_budget, room_burst(s)); /* the operator may have lowered the rate */
    sb_budget_refill(&s->file_budget, s->now, s->config.file_bytes_per_s, room_burst(s));
}

static bool has_budget(const sb_server *s, const sb_player *p)
{
    return sb_budget_has(&p->files.budget, PIECE_BYTES) &&
           sb_budget_has(&s->file_budget, PIECE_BYTES);
}

static void account_for(sb_server *s, sb_player *p, size_t bytes)
{
    sb_budget_spend(&p->files.budget, (uint32_t)bytes);
    sb_budget_spend(&s->file_budget, (uint32_t)bytes);
    sb_server_count_file_bytes(s, p, bytes);
    s->counters[SB_SERVER_COUNT_FILE_BYTES] += bytes;
    p->files.bytes += bytes;
}

/* Sends the next fragment of the current file; false: the player must wait. */
static bool send_piece(sb_server *s, sb_player *p)
{
    sb_file_progress *f = &p->files;
    if (p->phase != SB_PLAYER_UPDATING || is_sent(s, p)) return false;
    refill_budgets(s, p);
    if (s->now < f->retry_at || !has_space(s, p) || !has_budget(s, p)) return false;
    size_t    before = f->at;
    sb_result result = sb_transport_host_send_part(s->transport, p->peer_id,
                                                   s->config.files[f->index].message, &f->at);
    if (result != SB_OK) {
        f->retry_at = s->now + FILE_RETRY_US;
        return false;
    }
    account_for(s, p, f->at - before);
    restart_limit(s, p);
    report_progress(s, p);
    return true;
}

/* One fragment for the next player who can take one; false: all must wait. Turns give all the same
 * share of the room's budget. */
static bool send_next_piece(sb_server *s)
{
    for (size_t i = 0; i < s->capacity; i++) {
        size_t slot = s->file_turn + i;
        if (slot >= s->capacity) slot -= s->capacity;
        if (!send_piece(s, &s->players[slot])) continue;
        s->file_turn = (uint8_t)(slot + 1 < s->capacity ? slot + 1 : 0);
        return true;
    }
    return false;
}

void sb_server_advance_files(sb_server *s)
{
    while (send_next_piece(s)) continue;
}

/* When a budget allows the next fragment. A player who waits for Acks has no deadline: their
 * datagrams wake the room. */
static sb_time piece_deadline(const sb_server *s, const sb_player *p)
{
    if (p->phase != SB_PLAYER_UPDATING || is_sent(s, p) || !has_space(s, p)) return SB_TIME_NEVER;
    sb_time own = sb_budget_ready_at(&p->files.budget, PIECE_BYTES, FILE_CLIENT_BYTES_PER_SECOND);
    sb_time all = sb_budget_ready_at(&s->file_budget, PIECE_BYTES, s->config.file_bytes_per_s);
    sb_time at = own > all ? own : all;
    return p->files.retry_at > at ? p->files.retry_at : at;
}

sb_time sb_server_files_deadline(const sb_server *s)
{
    sb_time next = SB_TIME_NEVER;
    for (size_t i = 0; i < s->capacity; i++)
        next = sb_time_earlier(next, piece_deadline(s, &s->players[i]));
    return next;
}

/* ---- another list ---- */

/* The same file with the same content in the present list; file_count: none. */
static size_t find_same(const sb_server *s, const sb_client_file *file)
{
    size_t i = 0;
    for (; i < s->config.file_count; i++) {
        const sb_client_file *f = &s->config.files[i];
        if (f->message.size == file->message.size && strcmp(f->directory, file->directory) == 0 &&
            f->content_hash == file->content_hash && f->name_hash == file->name_hash &&
            memcmp(f->message.data, file->message.data, f->message.size) == 0)
            break;
    }
    return i;
}

static void renumber(sb_file_set *set, const uint16_t *numbers, size_t count, size_t limit)
{
    sb_file_set old = *set;
    *set = (sb_file_set){ { 0 } };
    for (size_t i = 0; i < count; i++)
        if (sb_file_set_has(&old, i) && numbers[i] < limit) sb_file_set_add(set, numbers[i]);
}

/* A player who has a part of a file that is gone cannot get the rest. */
static void renumber_player(sb_server *s, sb_player *p, const uint16_t *numbers, size_t count)
{
    size_t limit = s->config.file_count, index = numbers[p->files.index];
    renumber(&p->files.wanted, numbers, count, limit);
    p->files.index = (uint16_t)index;
    if (index == limit) sb_server_refuse_join(s, p, "the server's files have changed; join again");
}

void sb_server_replace_files(sb_server *s, const sb_client_file *before, size_t count)
{
    uint16_t numbers[SB_CLIENT_FILES_MAX];
    if (before == s->config.files && count == s->config.file_count) return;
    for (size_t i = 0; i < count; i++) numbers[i] = (uint16_t)find_same(s, &before[i]);
    for (size_t i = 0; i < FILE_RECORDS_MAX; i++)
        renumber(&s->file_records[i].acknowledged, numbers, count, s->config.file_count);
    for (size_t i = 0; i < s->capacity; i++)
        if (s->players[i].phase == SB_PLAYER_UPDATING)
            renumber_player(s, &s->players[i], numbers, count);
}
