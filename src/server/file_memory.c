/* src/server/file_memory.c -- what a room remembers about the files it sent: which player has
 * acknowledged which files, and how many bytes each address has got.
 *
 * For:      files.c. After a reconnect a player continues with the first file that was not
 *           acknowledged; an address that pretends to need files gets a bounded number of bytes.
 * Never:    grows: the record that was used longest ago is replaced.
 * Spec:     06 §5.4.
 * Tests:    tests/server/file_memory_test.c, files_test.c
 */
#include "server/server_internal.h"

#include <string.h>

static bool is_fresh(const sb_server *s, sb_time at)
{
    return at != 0 && s->now - at < FILE_MEMORY_SECONDS * SB_SECOND;
}

/* ---- players ---- */

/* As for scores, address and name together recognise a player (spec 06 §5.11): players behind one
 * router have different names, and a restarted client has another port. */
static bool is_same_player(const sb_file_record *record, const sb_player *p)
{
    return record->address == p->address.address && record->name_size == p->name_size &&
           memcmp(record->name, p->name, p->name_size) == 0;
}

/* The index of the player's record; FILE_RECORDS_MAX: none. */
static size_t find_record(const sb_server *s, const sb_player *p)
{
    size_t i = 0;
    while (i < FILE_RECORDS_MAX &&
           !(is_fresh(s, s->file_records[i].used_at) && is_same_player(&s->file_records[i], p)))
        i++;
    return i;
}

const sb_file_set *sb_server_recall_files(const sb_server *s, const sb_player *p)
{
    size_t i = find_record(s, p);
    return i < FILE_RECORDS_MAX ? &s->file_records[i].acknowledged : NULL;
}

static sb_file_record *replace_oldest_record(sb_server *s, const sb_player *p)
{
    sb_file_record *oldest = &s->file_records[0];
    for (size_t i = 1; i < FILE_RECORDS_MAX; i++)
        if (s->file_records[i].used_at < oldest->used_at) oldest = &s->file_records[i];
    *oldest = (sb_file_record){ .address = p->address.address, .name_size = p->name_size };
    memcpy(oldest->name, p->name, p->name_size);
    return oldest;
}

void sb_server_remember_file(sb_server *s, const sb_player *p, size_t file)
{
    size_t          i = find_record(s, p);
    sb_file_record *r = i < FILE_RECORDS_MAX ? &s->file_records[i] : replace_oldest_record(s, p);
    r->used_at = s->now;
    sb_file_set_add(&r->acknowledged, file);
}

/* ---- addresses ---- */

/* Each player behind the address can get every file once. */
static uint64_t allowance(const sb_server *s)
{
    uint32_t players = s->config.transport.peers_per_ip;
    uint64_t bytes = 0;
    for (size_t i = 0; i < s->config.file_count; i++) bytes += s->config.files[i].message.size;
    return bytes * (players ? players : s->config.max_players);
}

static size_t find_source(const sb_server *s, const sb_player *p)
{
    size_t i = 0;
    while (i < FILE_SOURCES_MAX && !(is_fresh(s, s->file_sources[i].since) &&
                                     s->file_sources[i].address == p->address.address))
        i++;
    return i;
}

bool sb_server_may_send_bytes(const sb_server *s, const sb_player *p, uint64_t bytes)
{
    size_t i = find_source(s, p);
    return (i < FILE_SOURCES_MAX ? s->file_sources[i].bytes : 0) + bytes <= allowance(s);
}

static sb_file_source *replace_oldest_source(sb_server *s, const sb_player *p)
{
    sb_file_source *oldest = &s->file_sources[0];
    for (size_t i = 1; i < FILE_SOURCES_MAX; i++)
        if (s->file_sources[i].since < oldest->since) oldest = &s->file_sources[i];
    *oldest = (sb_file_source){ .since = s->now, .address = p->address.address };
    return oldest;
}

void sb_server_count_file_bytes(sb_server *s, const sb_player *p, uint64_t bytes)
{
    size_t          i = find_source(s, p);
    sb_file_source *source =
        i < FILE_SOURCES_MAX ? &s->file_sources[i] : replace_oldest_source(s, p);
    source->bytes += bytes;
}
