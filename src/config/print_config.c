/* src/config/print_config.c -- prints configurations as Lua: the effective one, and the example.
 *
 * For:      `starbase serve --check-config` and `starbase serve --example`.
 * Tests:    tests/config/read_config_test.c
 */
#include "config/process_config.h"

#include <stdlib.h>
#include <string.h>

#include "config/bots_table.h"
#include "config/keys.h"

/* ---- the effective configuration ---- */

static void print_keys(FILE *out, const sb_process_config *config, const sb_room_config *room,
                       bool of_room, const char *indent)
{
    bool is_common = room == &config->common;
    for (const sb_key *key = sb_config_keys(); key->name; key++) {
        if (key->of_room != of_room || strcmp(key->name, "rooms") == 0) continue;
        bool own = strcmp(key->name, "port") == 0 || strcmp(key->name, "name") == 0;
        if (!is_common && !own && sb_key_is_equal(key, room, &config->common)) continue;
        fprintf(out, "%s%s = ", indent, key->name);
        sb_key_print_value(out, key, of_room ? (const void *)room : config);
        fprintf(out, ",\n");
    }
}

/* Prints the fewest digits that parse to the same float. */
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
    const float *values = (const float *)&room->server.combat.constants;
    const float *common = other ? (const float *)&other->server.combat.constants : NULL;
    fprintf(out, "%scombat = {", indent);
    for (size_t i = 0; sb_combat_constant_at(i, &name, &value, &tag, &text); i++)
        if (values[i] != (common ? common[i] : value)) {
            fprintf(out, " %s = ", name);
            print_figure(out, values[i]);
            fprintf(out, ",");
        }
    fprintf(out, " },\n");
}

/* Also prints the exceptions of `other` (the common values) that the room sets back to default. */
static void print_mods(FILE *out, const sb_room_config *room, const sb_room_config *other,
                       const char *indent)
{
    fprintf(out, "%smods = {", indent);
    for (int i = 0; i < 256; i++)
        if (room->mods[i] || (other && other->mods[i]))
            fprintf(out, " { type = 0x%02X, policy = \"%s\" },", (unsigned)i,
                    sb_mod_policy_text((sb_mod_policy)room->mods[i]));
    fprintf(out, " },\n");
}

static void print_modifiers(FILE *out, const sb_room_config *room)
{
    fprintf(out, "modifiers = {");
    for (int i = 0; i < 3; i++) {
        const float *row = room->server.match.modifiers[i];
        for (int k = 0; k < 3; k++) {
            fprintf(out, k ? ", " : " { ");
            print_figure(out, row[k]);
        }
        fprintf(out, i < 2 ? " }," : " } }");
    }
}

static void print_tables(FILE *out, const sb_room_config *room, const sb_room_config *other,
                         const char *indent)
{
    print_combat(out, room, other, indent);
    print_mods(out, room, other, indent);
    fputs(indent, out);
    sb_bots_print(out, &room->bots);
    fprintf(out, ",\n%s", indent);
    print_modifiers(out, room);
    fputs(",\n", out);
    fprintf(out, "%svotes = ", indent);
    sb_vote_rows_print(out, &room->votes);
    fprintf(out, ",\n%srotation = ", indent);
    sb_rotation_entries_print(out, &room->rotation);
    fputs(",\n", out);
}

void sb_process_config_print(FILE *out, const sb_process_config *config)
{
    fprintf(out, "-- effective configuration: %s%senvironment, command line\nreturn {\n",
            config->file ? config->file : "defaults", ", ");
    print_keys(out, config, &config->common, false, "    ");
    print_keys(out, config, &config->common, true, "    ");
    print_tables(out, &config->common, NULL, "    ");
    fprintf(out, "    rooms = {\n");
    for (size_t i = 0; i < config->room_count; i++) {
        const sb_room_config *room = &config->rooms[i];
        fprintf(out, "        {\n");
        print_keys(out, config, room, true, "            ");
        print_tables(out, room, &config->common, "            ");
        fprintf(out, "        },\n");
    }
    fprintf(out, "    },\n}\n");
}

/* ---- the example ---- */

static const char example_head[] =
    "-- examples/server.lua -- a configuration of `starbase serve` with every key and its "
    "default.\n"
    "-- Printed by `starbase serve --example` from the table of keys (src/config/keys.c).\n"
    "--\n"
    "--     starbase serve --config server.lua --check-config     prints the effective "
    "configuration\n"
    "--     starbase serve --config server.lua                    starts the server\n"
    "--\n"
    "-- All keys are optional. Each one can also be set in the environment (max_players:\n"
    "-- STARBASE_MAX_PLAYERS) or on the command line (--max-players 8, or --set max_players=8). "
    "The\n"
    "-- environment overrides this file, and the command line overrides both. Relative paths "
    "start\n"
    "-- at the directory in which the server is started.\n"
    "--\n"
    "-- SIGHUP or the console command `reload` makes a running server read the file again. The "
    "last\n"
    "-- line above each key says when a change takes effect: at once, for players who join later, "
    "when\n"
    "-- the room is empty, or after a restart. The log names every change.\n"
    "--\n"
    "-- Each line is `key = value`. Texts stand in quotes, lists in braces, and `--` starts a "
    "comment.\n"
    "-- The file is Lua: `local` names avoid repetition, and a file may also return one table, "
    "`return\n"
    "-- { key = value, ... }`. It cannot access files, the clock or the network.\n"
    "--\n"
    "-- Rooms are matches, each on a port of its own. `rooms` is a number, or a list of rooms. A "
    "room\n"
    "-- of the list overrides the values that all rooms share:\n"
    "--\n"
    "--     rooms = {\n"
    "--         { name = \"Beginners\", collision_damage = false },\n"
    "--         { name = \"Teams\", mission = \"team\", system = \"Multi3\", port = 22150 },\n"
    "--     }\n\n";

static void print_comment(FILE *out, const char *text)
{
    fprintf(out, "-- ");
    for (; *text; text++) {
        fputc(*text, out);
        if (*text == '\n') fprintf(out, "-- ");
    }
    fputc('\n', out);
}

static void print_section(FILE *out, const char *heading)
{
    enum { COLUMNS = 96 };
    int used = fprintf(out, "---- %s ", heading);
    for (; used < COLUMNS; used++) fputc('-', out);
    fprintf(out, "\n\n");
}

/* 0 rooms means as many as are listed, or one. */
void sb_key_print_default(FILE *out, const sb_key *key, const sb_process_config *defaults)
{
    if (strcmp(key->name, "rooms") == 0) fprintf(out, "1");
    else sb_key_print_value(out, key, key->of_room ? (const void *)&defaults->common : defaults);
}

static void print_example_key(FILE *out, const sb_process_config *defaults, const sb_key *key)
{
    char        range[160];
    const char *heading = sb_key_section(key);
    if (heading) print_section(out, heading);
    print_comment(out, key->help);
    sb_key_range_text(key, range, sizeof range);
    fprintf(out, "-- %s; changes %s\n%s = ", range, sb_key_change_text((sb_key_change)key->change),
            key->name);
    sb_key_print_default(out, key, defaults);
    fprintf(out, "\n\n");
}

static void print_example_table(FILE *out, const sb_process_config *defaults,
                                const sb_table_key *table)
{
    print_comment(out, table->help);
    fprintf(out, "-- %s\n-- set %s; changes %s\n", table->form, table->where,
            sb_key_change_text(table->change));
    if (strcmp(table->name, "modifiers") == 0) {
        print_modifiers(out, &defaults->common);
        fputc('\n', out);
    } else if (strcmp(table->name, "votes") == 0) {
        fprintf(out, "votes = ");
        sb_vote_rows_print(out, &defaults->common.votes);
        fputc('\n', out);
    } else if (strcmp(table->name, "bots") == 0) {
        sb_bots_print(out, &defaults->common.bots);
        fputc('\n', out);
    } else fprintf(out, "%s = {}\n", table->name);
    fputc('\n', out);
}

void sb_process_config_print_example(FILE *out, const sb_process_config *defaults)
{
    fputs(example_head, out);
    for (const sb_key *key = sb_config_keys(); key->name; key++)
        print_example_key(out, defaults, key);
    print_section(out, "Tables");
    for (const sb_table_key *table = sb_config_tables; table->name; table++)
        print_example_table(out, defaults, table);
}
