/* tests/combat/ships_test.c -- the simulated ships have the figures in the tables of spec 11.
 *
 * The tables of facts are compared row by row in tests/ship/facts_test.c; here the chapter itself
 * is parsed, so that readers of the chapter find the figures that the simulation uses.
 */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 16, LINE = 2048 };

typedef struct table {
    FILE *file;
    char  line[LINE];
    char *cells[CELLS];
    int   count;
} table;

static char *trimmed(char *text)
{
    while (*text == ' ') text++;
    for (size_t n = strlen(text); n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\n'); n--)
        text[n - 1] = 0;
    return text;
}

/* Skips to the rows of the table whose heading starts with this text. */
static table open_table(const char *heading)
{
    table t = { .file = fopen(SB_SOURCE_DIR "/docs/spec/11-ships.md", "r") };
    if (!t.file) FAIL("cannot open docs/spec/11-ships.md");
    while (fgets(t.line, sizeof t.line, t.file))
        if (strncmp(t.line, heading, strlen(heading)) == 0) {
            CHECK(fgets(t.line, sizeof t.line, t.file)); /* |---| */
            return t;
        }
    FAIL("spec 11 has no table %s", heading);
}

/* False: the table is over. */
static bool next_row(table *t)
{
    if (!fgets(t->line, sizeof t->line, t->file) || t->line[0] != '|') {
        fclose(t->file);
        return false;
    }
    t->count = 0;
    for (char *at = t->line + 1, *end; (end = strchr(at, '|')); at = end + 1) {
        *end = 0;
        CHECK(t->count < CELLS);
        t->cells[t->count++] = trimmed(at);
    }
    return true;
}

static double number_in(const table *t, int cell)
{
    char  *end;
    double value = strtod(t->cells[cell], &end);
    if (end == t->cells[cell] || *end) FAIL("\"%s\" is no number", t->cells[cell]);
    return value;
}

/* "10000/5000/5000", "36 x 3" */
static void check_series(const table *t, int cell, const char *between, const float *figures,
                         unsigned count)
{
    const char *at = t->cells[cell];
    for (unsigned i = 0; i < count; i++) {
        char *end;
        CHECK_NEAR(strtod(at, &end), figures[i], 1e-6);
        CHECK(end != at);
        if (i + 1 == count) CHECK_EQ(*end, 0);
        else CHECK(strncmp(end, between, strlen(between)) == 0);
        at = end + strlen(between);
    }
}

static const sb_ship_class *ship_in(const table *t)
{
    const sb_ship_class *ship = sb_find_ship(sb_stock_ships(), (uint8_t)number_in(t, 0));
    CHECK(ship);
    CHECK_TEXT(t->cells[1], ship->name);
    return ship;
}

static unsigned count_children(const sb_ship_class *ship, sb_subsystem_type type)
{
    unsigned count = 0;
    for (unsigned i = 0; i < ship->child_count; i++) count += ship->children[i].type == type;
    return count;
}

/* ---- §2 ---- */

TEST(test_11_2_ships_at_a_glance)
{
    unsigned rows = 0;
    for (table t = open_table("| id | Ship | Hull |"); next_row(&t); rows++) {
        const sb_ship_class *s = ship_in(&t);
        float                repair[2] = { s->max_repair_points, (float)s->repair_teams };
        CHECK_NEAR(number_in(&t, 2), s->subsystems[0].max_condition, 0);
        check_series(&t, 3, "/", s->shield_max, SB_FACINGS);
        check_series(&t, 4, "/", s->shield_rate, SB_FACINGS);
        CHECK_NEAR(number_in(&t, 5), s->mass, 0);
        CHECK_NEAR(number_in(&t, 6), s->max_speed, 1e-6);
        CHECK_NEAR(number_in(&t, 7), s->max_accel, 1e-6);
        CHECK_NEAR(number_in(&t, 8), s->max_angular_velocity, 1e-6);
        CHECK_TEXT(t.cells[9], s->can_cloak ? "yes" : "-");
        CHECK_EQ(number_in(&t, 10), count_children(s, SB_SUBSYSTEM_PHASER_BANK));
        CHECK_EQ(number_in(&t, 11), count_children(s, SB_SUBSYSTEM_PULSE_WEAPON));
        CHECK_EQ(number_in(&t, 12), count_children(s, SB_SUBSYSTEM_TORPEDO_TUBE));
        CHECK_EQ(number_in(&t, 13), count_children(s, SB_SUBSYSTEM_TRACTOR_PROJECTOR));
        check_series(&t, 14, " x ", repair, 2);
    }
    CHECK_EQ(rows, 16);
}

static double draw_of(const sb_ship_class *ship, sb_subsystem_type type)
{
    double sum = 0;
    for (unsigned i = 0; i < ship->subsystem_count; i++)
        if (ship->subsystems[i].type == type) sum += (double)ship->subsystems[i].power_per_second;
    return sum;
}

TEST(test_11_2_power_of_all_ships)
{
    unsigned rows = 0;
    for (table t = open_table("| id | Ship | Output |"); next_row(&t); rows++) {
        const sb_ship_class *s = ship_in(&t);
        double               all = 0;
        for (unsigned type = 0; type < SB_SUBSYSTEM_TYPE_COUNT; type++)
            all += draw_of(s, (sb_subsystem_type)type);
        CHECK_NEAR(number_in(&t, 2), s->power_output, 0);
        CHECK_NEAR(number_in(&t, 3), s->main_battery, 0);
        CHECK_NEAR(number_in(&t, 4), s->backup_battery, 0);
        CHECK_NEAR(number_in(&t, 5), s->main_conduit, 0);
        CHECK_NEAR(number_in(&t, 6), s->backup_conduit, 0);
        CHECK_NEAR(number_in(&t, 7), all - draw_of(s, SB_SUBSYSTEM_CLOAK), 1e-3);
        CHECK_NEAR(number_in(&t, 8), draw_of(s, SB_SUBSYSTEM_CLOAK), 0);
        CHECK_NEAR(number_in(&t, 9), draw_of(s, SB_SUBSYSTEM_TRACTOR_SYSTEM), 0);
    }
    CHECK_EQ(rows, 16);
}

/* ---- §3 ---- */

/* "5 Phasers(8) p", "0 Hull b*" */
static void check_entry(char *text, unsigned index, const sb_subsystem_class *s)
{
    static const char letters[] = { [SB_FORMAT_BASE] = 'b',
                                    [SB_FORMAT_POWERED] = 'p',
                                    [SB_FORMAT_SHIELD] = 's',
                                    [SB_FORMAT_REACTOR] = 'r' };
    char              expected[96];
    char              children[8] = "";
    if (s->child_count) snprintf(children, sizeof children, "(%u)", s->child_count);
    snprintf(expected, sizeof expected, "%u %s%s %c%s", index, s->name, children,
             letters[s->format], s->critical ? "*" : "");
    CHECK_TEXT(text, expected);
}

/* Bytes of one cycle of flag 0x20 to the owner, and the extra bytes to others (10 §5.4). */
static unsigned health_bytes(const sb_subsystem_class *s, bool remote)
{
    unsigned bytes = 1u + s->child_count;
    if (s->format == SB_FORMAT_REACTOR) return bytes + 2;
    if (s->format == SB_FORMAT_SHIELD) bytes += SB_FACINGS;
    return bytes + (remote && s->format != SB_FORMAT_BASE);
}

TEST(test_11_3_lists_of_all_ships_in_wire_order)
{
    unsigned rows = 0;
    for (table t = open_table("| id | Ship | n |"); next_row(&t); rows++) {
        const sb_ship_class *ship = ship_in(&t);
        float                bytes[2] = { 0, 0 };
        unsigned             i = 0;
        for (char *at = t.cells[5]; at; i++) {
            char *end = strstr(at, ", ");
            if (end) *end = 0;
            CHECK(i < ship->subsystem_count);
            check_entry(at, i, &ship->subsystems[i]);
            for (unsigned k = 0; k < 2; k++)
                bytes[k] += (float)health_bytes(&ship->subsystems[i], k);
            at = end ? end + 2 : NULL;
        }
        CHECK_EQ(i, ship->subsystem_count);
        CHECK_EQ(number_in(&t, 2), i);
        CHECK_EQ(number_in(&t, 3), sb_ship_id_count(ship));
        check_series(&t, 4, "/", bytes, 2);
    }
    CHECK_EQ(rows, 16);
}

static const sb_subsystem_class *entry_named(const sb_ship_class *ship, const char *name)
{
    for (unsigned i = 0; i < ship->subsystem_count; i++)
        if (strcmp(ship->subsystems[i].name, name) == 0) return &ship->subsystems[i];
    FAIL("%s has no %s", ship->name, name);
}

TEST(test_11_3_children_in_order)
{
    unsigned rows = 0;
    for (table t = open_table("| Ship | System | Children |"); next_row(&t); rows++) {
        const sb_ship_class *ship = sb_find_ship_by_name(sb_stock_ships(), t.cells[0]);
        CHECK(ship);
        const sb_subsystem_class *s = entry_named(ship, t.cells[1]);
        unsigned                  i = 0;
        for (char *at = t.cells[2]; at; i++) {
            char *end = strstr(at, ", ");
            if (end) *end = 0;
            CHECK(i < s->child_count);
            CHECK_TEXT(ship->children[s->first_child + i].name, at);
            at = end ? end + 2 : NULL;
        }
        CHECK_EQ(i, s->child_count);
    }
    CHECK_EQ(rows, 33);
}

/* ---- §4, and 10 §3.3 ---- */

TEST(test_11_4_critical_parts_are_hull_reactor_and_six_bridges)
{
    unsigned rows = 0, bridges = 0;
    for (table t = open_table("| Ship | Hull | Reactor |"); next_row(&t); rows++) {
        const sb_ship_class *ship = sb_find_ship_by_name(sb_stock_ships(), t.cells[0]);
        unsigned             critical = 0;
        CHECK(ship);
        for (unsigned i = 0; i < ship->subsystem_count; i++) {
            const sb_subsystem_class *s = &ship->subsystems[i];
            if (!s->critical) continue;
            bool bridge = strcmp(s->name, "Bridge") == 0;
            int  cell = s->type == SB_SUBSYSTEM_POWER ? 2 : bridge ? 3 : 1;
            CHECK(bridge || s->type == SB_SUBSYSTEM_POWER || i == 0);
            CHECK_NEAR(number_in(&t, cell), s->max_condition, 0);
            critical++;
            bridges += bridge;
        }
        CHECK_EQ(critical, strcmp(t.cells[3], "-") ? 3 : 2);
    }
    CHECK_EQ(rows, 16);
    CHECK_EQ(bridges, 6);
}

/* "The weakest critical part decides how hard a ram a ship survives": its Warp Core. */
TEST(test_11_4_a_ram_on_every_part_kills_by_the_warp_core)
{
    static const struct {
        uint8_t species;
        float   weakest;
    } rows[] = { { SOVEREIGN, 7000 }, { AKIRA, 5000 } };
    for (unsigned i = 0; i < 2; i++)
        for (unsigned dies = 0; dies < 2; dies++) {
            rig *r = rig_new();
            r->config.constants.collision_search = 100;
            rig_start(r, false);
            sb_ship *ship = rig_add(r, 0, rows[i].species, (sb_vec3){ 0, 0, 0 });
            float    hp = rows[i].weakest + (dies ? 1.0f : -1.0f);
            float    force = (hp - 500) / 900 * ship->model->mass;
            sb_cv4b  at = { { 0, 127, 0 }, 200 };
            sb_combat_collision(r->combat, RIG_SHIP(0), 0, RIG_SHIP(0), &at, 1, force, r->now);
            CHECK_EQ(sb_combat_is_alive(r->combat, RIG_SHIP(0)), !dies);
            CHECK_EQ(ship->condition[rig_entry(ship, SB_SUBSYSTEM_POWER)] == 0, dies);
        }
}

/* ---- §5 ---- */

/* "beam Disruptor" names one weapon, "beam" all others with these figures. */
static bool is_meant(const sb_subsystem_class *s, const char *what, const char *kind)
{
    const char *name = what + strlen(kind);
    return strncmp(what, kind, strlen(kind)) == 0 &&
           (*name == 0 || strcmp(trimmed((char *)(uintptr_t)name), s->name) == 0);
}

static bool has_series(const char *text, float a, float b)
{
    char *end;
    return fabs(strtod(text, &end) - (double)a) < 1e-6 && *end == '/' &&
           fabs(strtod(end + 1, &end) - (double)b) < 1e-6;
}

static bool is_row_of(const table *t, const sb_subsystem_class *s)
{
    const sb_weapon_class *w = s->weapon;
    bool                   beam = s->type == SB_SUBSYSTEM_PHASER_BANK;
    if (!beam && s->type != SB_SUBSYSTEM_PULSE_WEAPON) return false;
    return is_meant(s, t->cells[1], beam ? "beam" : "cannon") &&
           fabs(number_in(t, 3) - (double)w->max_damage) < 1e-6 &&
           fabs(number_in(t, 4) - (double)w->max_damage_distance) < 1e-6 &&
           has_series(t->cells[5], w->max_charge, w->min_firing_charge) &&
           fabs(number_in(t, 6) - (double)w->recharge_rate) < 1e-6;
}

TEST(test_11_5_beams_and_cannons_at_a_glance)
{
    unsigned described = 0, all = 0;
    for (table t = open_table("| Ship | Weapon | Count |"); next_row(&t);) {
        const sb_ship_class *ship = sb_find_ship_by_name(sb_stock_ships(), t.cells[0]);
        unsigned             found = 0;
        CHECK(ship);
        for (unsigned i = 0; i < ship->child_count; i++) found += is_row_of(&t, &ship->children[i]);
        if (found != (unsigned)number_in(&t, 2))
            FAIL("%s, %s: %u of %s", ship->name, t.cells[1], found, t.cells[2]);
        described += found;
    }
    for (uint8_t species = 1; species <= 16; species++) {
        const sb_ship_class *ship = sb_find_ship(sb_stock_ships(), species);
        all += count_children(ship, SB_SUBSYSTEM_PHASER_BANK) +
               count_children(ship, SB_SUBSYSTEM_PULSE_WEAPON);
    }
    CHECK_EQ(described, all);
}

static bool is_tube_of(const table *t, const sb_subsystem_class *s)
{
    const sb_weapon_class *w = s->weapon;
    return s->type == SB_SUBSYSTEM_TORPEDO_TUBE &&
           fabs(number_in(t, 2) - (double)w->reload_delay) < 1e-6 &&
           number_in(t, 3) == w->max_ready &&
           fabs(number_in(t, 4) - (double)w->immediate_delay) < 1e-6;
}

TEST(test_11_5_tubes_at_a_glance_and_discharge_is_1_everywhere)
{
    unsigned described = 0, all = 0;
    for (table t = open_table("| Ship | Tubes | Reload s |"); next_row(&t);) {
        const sb_ship_class *ship = sb_find_ship_by_name(sb_stock_ships(), t.cells[0]);
        unsigned             found = 0;
        CHECK(ship);
        for (unsigned i = 0; i < ship->child_count; i++)
            found += is_tube_of(&t, &ship->children[i]);
        CHECK_EQ(found, number_in(&t, 1));
        described += found;
    }
    for (uint8_t species = 1; species <= 16; species++) {
        const sb_ship_class *ship = sb_find_ship(sb_stock_ships(), species);
        all += count_children(ship, SB_SUBSYSTEM_TORPEDO_TUBE);
        for (unsigned i = 0; i < ship->child_count; i++) {
            const sb_subsystem_class *s = &ship->children[i];
            if (s->weapon && s->type != SB_SUBSYSTEM_TORPEDO_TUBE)
                CHECK_NEAR(s->weapon->discharge_rate, 1, 0);
        }
    }
    CHECK_EQ(described, all);
}

/* ---- §6 ---- */

typedef struct gaps {
    unsigned rows, condition, properties, position, banks;
} gaps;

static void count_gaps(gaps *g, const sb_subsystem_class *s)
{
    g->rows++;
    g->condition += s->condition_source == SB_SOURCE_ESTIMATE;
    g->properties +=
        s->properties_source == SB_SOURCE_ESTIMATE || s->properties_source == SB_SOURCE_INHERITED;
    g->position += !s->has_position;
    g->banks += s->position_source == SB_SOURCE_ESTIMATE;
    if (s->position_source == SB_SOURCE_ESTIMATE) CHECK_EQ(s->type, SB_SUBSYSTEM_PHASER_BANK);
    CHECK(s->max_condition > 0 && s->disabled_below >= 0 && s->repair_complexity > 0);
}

TEST(test_11_6_as_many_figures_are_estimated_as_the_chapter_says)
{
    gaps g = { 0, 0, 0, 0, 0 };
    for (uint8_t species = 1; species <= 16; species++) {
        const sb_ship_class *ship = sb_find_ship(sb_stock_ships(), species);
        for (unsigned i = 0; i < ship->subsystem_count; i++) count_gaps(&g, &ship->subsystems[i]);
        for (unsigned i = 0; i < ship->child_count; i++) count_gaps(&g, &ship->children[i]);
    }
    CHECK_EQ(g.rows, 386);
    CHECK_EQ(g.condition, 69);
    CHECK_EQ(g.properties, 101);
    CHECK_EQ(g.position, 82);
    CHECK_EQ(g.banks, 51);
}
