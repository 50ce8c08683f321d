/* src/config/show_config.c -- a configuration beside another one, and as the file that would give
 * it.
 *
 * For:      server_config.h: reloading tells what changed, --check-config prints what results.
 */
#include "config/process_config.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "config/keys.h"

/* ---- what has changed ---- */

/* Counts rooms in which something differs, and remembers the last. */
typedef struct differing {
    size_t rooms;
    size_t last; /* its number, from 1 */
} differing;

static void count_room(differing *d, size_t index, bool equal)
{
    if (equal) return;
    d->rooms++;
    d->last = index + 1;
}

static bool are_equal(const float *a, const float *b, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof *a; i++)
        if (a[i] != b[i]) return false;
    return true;
}

static bool is_table_equal(const char *table, const sb_room_config *a, const sb_room_config *b)
{
    const sb_server_config *s = &a->server, *t = &b->server;
    if (strcmp(table, "combat") == 0)
        return are_equal((const float *)&s->combat.constants, (const float *)&t->combat.constants,
                         sizeof s->combat.constants); /* nothing but floats */
    if (strcmp(table, "modifiers") == 0)
        return are_equal(&s->match.modifiers[0][0], &t->match.modifiers[0][0],
                         sizeof s->match.modifiers);
    return memcmp(a->mods, b->mods, sizeof a->mods) == 0;
}

static differing compare_key(const sb_process_config *before, const sb_process_config *after,
                             size_t rooms, const sb_key *key)
{
    differing d = { 0, 0 };
    bool      count = strcmp(key->name, "rooms") == 0; /* a number, or a list that long */
    if (count) d.rooms = before->room_count != after->room_count;
    else if (!key->of_room) d.rooms = !sb_key_is_equal(key, before, after);
    for (size_t i = 0; key->of_room && i < rooms; i++)
        count_room(&d, i, sb_key_is_equal(key, &before->rooms[i], &after->rooms[i]));
    return d;
}

static differing compare_table(const sb_process_config *before, const sb_process_config *after,
                               size_t rooms, const char *table)
{
    differing d = { 0, 0 };
    for (size_t i = 0; i < rooms; i++)
        count_room(&d, i, is_table_equal(table, &before->rooms[i], &after->rooms[i]));
    return d;
}

/* Of a single room nobody needs the number. */
static unsigned room_to_name(differing d, size_t rooms)
{
    return d.rooms == 1 && rooms > 1 ? (unsigned)d.last : 0;
}

void sb_process_config_compare(const sb_process_config *before, const sb_process_config *after,
                               size_t rooms, unsigned change, sb_change_fn on_change, void *context)
{
    SB_ASSERT(rooms <= before->room_count);
    SB_ASSERT(rooms <= after->room_count);
    for (const sb_key *key = sb_config_keys(); key->name; key++) {
        if (key->change != change) continue;
        differing d = compare_key(before, after, rooms, key);
        if (d.rooms > 0) on_change(context, key->name, room_to_name(d, rooms));
    }
    for (const sb_table_key *table = sb_config_tables; table->name; table++) {
        if (table->change != (sb_key_change)change) continue;
        differing d = compare_table(before, after, rooms, table->name);
        if (d.rooms > 0) on_change(context, table->name, room_to_name(d, rooms));
    }
}

/* ---- showing it ---- */

static void print_keys(FILE *out, const sb_process_config *config, const sb_room_config *room,
                       bool of_room, const char *indent)
{
    bool whole = room == &config->common;
    for (const sb_key *key = sb_config_keys(); key->name; key++) {
        if (key->of_room != of_room || strcmp(key->name, "rooms") == 0) continue;
        bool own = strcmp(key->name, "port") == 0 || strcmp(key->name, "name") == 0;
        if (!whole && !own && sb_key_is_equal(key, room, &config->common)) continue;
        fprintf(out, "%s%s = ", indent, key->name);
        sb_key_print_value(out, key, of_room ? (const void *)room : config);
        fprintf(out, ",\n");
    }
}

/* In as few digits as give the same number again. */
static void print_figure(FILE *out, float value)
{
    char text[32];
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value) break;
    }
    fprintf(out, "%s", text);
}

static void print_combat(FILE *out, const sb_room_config *room, const sb_room_config *other,
                         const char *indent)
{
    const char  *name, *tag, *text;
    float        value;
    const float *here = (const float *)&room->server.combat.constants;
    const float *there = other ? (const float *)&other->server.combat.constants : NULL;
    fprintf(out, "%scombat = {", indent);
    for (size_t i = 0; sb_combat_constant_at(i, &name, &value, &tag, &text); i++)
        if (here[i] != (there ? there[i] : value)) {
            fprintf(out, " %s = ", name);
            print_figure(out, here[i]);
            fprintf(out, ",");
        }
    fprintf(out, " },\n");
}

/* A room that takes back an exception of all rooms has to say so. */
static void print_mods(FILE *out, const sb_room_config *room, const sb_room_config *other,
                       const char *indent)
{
    fprintf(out, "%smods = {", indent);
    for (int i = 0; i < 256; i++)
        if (room->mods[i] || (other && other->mods[i]))
            fprintf(out, " { type = 0x%02X, policy = \"%s\" },", (unsigned)i,
                    sb_mod_policy_text((sb_mod_policy)room->mods[i]));
    fprintf(out, " },\n%smodifiers = {", indent);
    for (int i = 0; i < 3; i++) {
        const float *row = room->server.match.modifiers[i];
        for (int k = 0; k < 3; k++) {
            fprintf(out, k ? ", " : " { ");
            print_figure(out, row[k]);
        }
        fprintf(out, " },");
    }
    fprintf(out, " },\n");
}

void sb_process_config_print(FILE *out, const sb_process_config *config)
{
    fprintf(out, "-- effective configuration: %s%senvironment, command line\nreturn {\n",
            config->file ? config->file : "defaults", ", ");
    print_keys(out, config, &config->common, false, "    ");
    print_keys(out, config, &config->common, true, "    ");
    print_combat(out, &config->common, NULL, "    ");
    print_mods(out, &config->common, NULL, "    ");
    fprintf(out, "    rooms = {\n");
    for (size_t i = 0; i < config->room_count; i++) {
        const sb_room_config *room = &config->rooms[i];
        fprintf(out, "        {\n");
        print_keys(out, config, room, true, "            ");
        print_combat(out, room, &config->common, "            ");
        print_mods(out, room, &config->common, "            ");
        fprintf(out, "        },\n");
    }
    fprintf(out, "    },\n}\n");
}
