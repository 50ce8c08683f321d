/* src/config/reload_config.c -- what a reload changes: names of keys for people, fields of
 * sb_server_config for running rooms.
 *
 * For:      SIGHUP and the console command `reload` (apps/serve/reload.c).
 * Never:    knows a key by name to decide when it changes: the column `change` in keys.c decides.
 */
#include "config/process_config.h"

#include <string.h>

#include "base/assert.h"
#include "config/bots_table.h"
#include "config/keys.h"

/* ---- changed keys ---- */

/* The rooms in which a value differs. */
typedef struct difference {
    size_t rooms;
    size_t last_room; /* number of the last one, from 1 */
} difference;

static void count_room(difference *d, size_t index, bool equal)
{
    if (equal) return;
    d->rooms++;
    d->last_room = index + 1;
}

static bool are_floats_equal(const float *a, const float *b, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof *a; i++)
        if (a[i] != b[i]) return false;
    return true;
}

static bool is_table_equal(const char *table, const sb_room_config *a, const sb_room_config *b)
{
    const sb_server_config *s = &a->server, *t = &b->server;
    if (strcmp(table, "combat") == 0)
        return are_floats_equal((const float *)&s->combat.constants,
                                (const float *)&t->combat.constants,
                                sizeof s->combat.constants); /* a struct of floats only */
    if (strcmp(table, "modifiers") == 0)
        return are_floats_equal(&s->match.modifiers[0][0], &t->match.modifiers[0][0],
                                sizeof s->match.modifiers);
    if (strcmp(table, "votes") == 0) return sb_vote_rows_are_equal(&a->votes, &b->votes);
    if (strcmp(table, "rotation") == 0)
        return sb_rotation_entries_are_equal(&a->rotation, &b->rotation);
    if (strcmp(table, "bots") == 0) return sb_bots_are_equal(&a->bots, &b->bots);
    return memcmp(a->mods, b->mods, sizeof a->mods) == 0;
}

static difference compare_key(const sb_process_config *before, const sb_process_config *after,
                              size_t rooms, const sb_key *key)
{
    difference d = { 0, 0 };
    bool       is_room_count = strcmp(key->name, "rooms") == 0; /* also set by a list of rooms */
    if (is_room_count) d.rooms = before->room_count != after->room_count;
    else if (!key->of_room) d.rooms = !sb_key_is_equal(key, before, after);
    for (size_t i = 0; key->of_room && i < rooms; i++)
        count_room(&d, i, sb_key_is_equal(key, &before->rooms[i], &after->rooms[i]));
    return d;
}

static difference compare_table(const sb_process_config *before, const sb_process_config *after,
                                size_t rooms, const char *table)
{
    difference d = { 0, 0 };
    for (size_t i = 0; i < rooms; i++)
        count_room(&d, i, is_table_equal(table, &before->rooms[i], &after->rooms[i]));
    return d;
}

/* The number of the only room that differs; 0: several differ, or the process has one room. */
static unsigned room_to_name(difference d, size_t rooms)
{
    return d.rooms == 1 && rooms > 1 ? (unsigned)d.last_room : 0;
}

void sb_process_config_compare(const sb_process_config *before, const sb_process_config *after,
                               size_t rooms, unsigned change, sb_change_fn on_change, void *context)
{
    SB_ASSERT(rooms <= before->room_count);
    SB_ASSERT(rooms <= after->room_count);
    for (const sb_key *key = sb_config_keys(); key->name; key++) {
        if (key->change != change) continue;
        difference d = compare_key(before, after, rooms, key);
        if (d.rooms > 0) on_change(context, key->name, room_to_name(d, rooms));
    }
    for (const sb_table_key *table = sb_config_tables; table->name; table++) {
        if (table->change != (sb_key_change)change) continue;
        difference d = compare_table(before, after, rooms, table->name);
        if (d.rooms > 0) on_change(context, table->name, room_to_name(d, rooms));
    }
}

/* ---- fields that a running room copies ---- */

static size_t store_size(const sb_key *key)
{
    SB_ASSERT(key->store < SB_STORE_TEXT); /* no field of the core is a C string */
    switch ((sb_key_store)key->store) {
    case SB_STORE_BOOL: return sizeof(bool);
    case SB_STORE_U8: return sizeof(uint8_t);
    case SB_STORE_U32: return sizeof(uint32_t);
    case SB_STORE_I32: return sizeof(int32_t);
    case SB_STORE_TIME: return sizeof(sb_time);
    case SB_STORE_TEXT:
    case SB_STORE_TEXTS: break;
    }
    return 0;
}

static void add_field(sb_reload_fields *f, sb_key_change change, sb_config_field field)
{
    bool    later = change == SB_CHANGE_WHEN_EMPTY;
    size_t *count = later ? &f->lists.when_empty_count : &f->lists.now_count;
    SB_ASSERT(*count < SB_RELOAD_FIELDS_MAX);
    if (later) f->when_empty[(*count)++] = field;
    else f->now[(*count)++] = field;
}

static void add_resolved(sb_reload_fields *f, sb_key_change change, const sb_config_field *resolved)
{
    for (; resolved && resolved->size > 0; resolved++) add_field(f, change, *resolved);
}

static void add_key(sb_reload_fields *f, const sb_key *key)
{
    sb_key_change   change = (sb_key_change)key->change;
    sb_config_field own = { key->offset - offsetof(sb_room_config, server), 0 };
    if (change == SB_CHANGE_RESTART) return;
    SB_ASSERT(sb_key_is_server_field(key) || key->resolved);
    if (sb_key_is_server_field(key)) {
        own.size = store_size(key);
        add_field(f, change, own);
    }
    add_resolved(f, change, key->resolved);
}

void sb_reload_fields_init(sb_reload_fields *out)
{
    out->lists = (sb_config_fields){ .now = out->now, .when_empty = out->when_empty };
    for (const sb_key *key = sb_config_keys(); key->name; key++) add_key(out, key);
    for (const sb_table_key *table = sb_config_tables; table->name; table++)
        if (table->change != SB_CHANGE_RESTART) add_resolved(out, table->change, table->resolved);
}
