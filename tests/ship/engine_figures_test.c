/* tests/ship/engine_figures_test.c -- every figure of docs/facts/engine-figures.csv is in the set.
 *
 * The table lists what public projects measured on the running game or read in its scripts, each
 * figure with its source. A measured figure must be marked as measured in the ship's data. Captures
 * print three decimals, scripts have more: figures agree within half of the last printed digit.
 */
#include <starbase/ship.h>

#include "facts.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 0.00051

typedef struct figure {
    const char *field;
    size_t      at;     /* the float in its struct */
    size_t      source; /* the sb_figure_source in the same struct */
} figure;

/* clang-format off */
#define SHIP(member, from) offsetof(sb_ship_class, member), offsetof(sb_ship_class, from)
static const figure ship_figures[] = {
    { "bounding_radius",         SHIP(bound_radius, radius_source) },
    { "mass",                    SHIP(mass, mass_source) },
    { "rotational_inertia",      SHIP(rotational_inertia, mass_source) },
    { "max_speed",               SHIP(max_speed, impulse_source) },
    { "max_accel",               SHIP(max_accel, impulse_source) },
    { "max_angular_accel",       SHIP(max_angular_accel, impulse_source) },
    { "max_angular_velocity",    SHIP(max_angular_velocity, impulse_source) },
    { "shield_max_front",        SHIP(shield_max[0], shield_source) },
    { "shield_max_rear",         SHIP(shield_max[1], shield_source) },
    { "shield_max_top",          SHIP(shield_max[2], shield_source) },
    { "shield_max_bottom",       SHIP(shield_max[3], shield_source) },
    { "shield_max_left",         SHIP(shield_max[4], shield_source) },
    { "shield_max_right",        SHIP(shield_max[5], shield_source) },
    { "shield_rate_front",       SHIP(shield_rate[0], rate_source) },
    { "shield_rate_rear",        SHIP(shield_rate[1], rate_source) },
    { "shield_rate_top",         SHIP(shield_rate[2], rate_source) },
    { "shield_rate_bottom",      SHIP(shield_rate[3], rate_source) },
    { "shield_rate_left",        SHIP(shield_rate[4], rate_source) },
    { "shield_rate_right",       SHIP(shield_rate[5], rate_source) },
    { "power_output",            SHIP(power_output, reactor_source) },
    { "main_battery_limit",      SHIP(main_battery, reactor_source) },
    { "backup_battery_limit",    SHIP(backup_battery, reactor_source) },
    { "main_conduit_capacity",   SHIP(main_conduit, reactor_source) },
    { "backup_conduit_capacity", SHIP(backup_conduit, reactor_source) },
    { "max_repair_points",       SHIP(max_repair_points, repair_source) },
    { "hull_half_extent_x",      SHIP(box_half[0], box_source) },
    { "hull_half_extent_y",      SHIP(box_half[1], box_source) },
    { "hull_half_extent_z",      SHIP(box_half[2], box_source) },
    { "hull_centre_y",           SHIP(box_centre[1], centre_source) },
    { "hull_centre_z",           SHIP(box_centre[2], centre_source) },
    { "sensor_range",            SHIP(sensor_range, sensor_source) },
    { NULL, 0, 0 },
};
#define PART(member, from) offsetof(sb_subsystem_class, member), offsetof(sb_subsystem_class, from)
static const figure part_figures[] = {
    { "max_condition",     PART(max_condition, condition_source) },
    { "disabled_pct",      PART(disabled_below, properties_source) },
    { "repair_complexity", PART(repair_complexity, properties_source) },
    { "power_per_second",  PART(power_per_second, power_source) },
    { "radius",            PART(radius, position_source) },
    { "pos_x",             PART(position[0], position_source) },
    { "pos_y",             PART(position[1], position_source) },
    { "pos_z",             PART(position[2], position_source) },
    { "mount_x",           PART(mount[0], position_source) },
    { "mount_y",           PART(mount[1], position_source) },
    { "mount_z",           PART(mount[2], position_source) },
    { NULL, 0, 0 },
};
#define WEAPON(member) offsetof(sb_weapon_class, member), offsetof(sb_weapon_class, source)
static const figure weapon_figures[] = {
    { "max_damage",           WEAPON(max_damage) },
    { "max_damage_distance",  WEAPON(max_damage_distance) },
    { "max_charge",           WEAPON(max_charge) },
    { "min_firing_charge",    WEAPON(min_firing_charge) },
    { "recharge_rate",        WEAPON(recharge_rate) },
    { "discharge_rate",       WEAPON(discharge_rate) },
    { "reload_delay",         WEAPON(reload_delay) },
    { "immediate_delay",      WEAPON(immediate_delay) },
    { "damage_radius_factor", WEAPON(damage_radius_factor) },
    { "cooldown",             WEAPON(cooldown_time) },
    { "strip_length",         WEAPON(strip_length) },
    { "strip_width",          WEAPON(strip_width) },
    { "arc_width_min",        WEAPON(arc_width[0]) },
    { "arc_width_max",        WEAPON(arc_width[1]) },
    { "arc_height_min",       WEAPON(arc_height[0]) },
    { "arc_height_max",       WEAPON(arc_height[1]) },
    { NULL, 0, 0 },
};
/* clang-format on */

/* ---- one row ---- */

static size_t row;

static bool is_field(const char *name)
{
    return strcmp(facts_cell(row, "field"), name) == 0;
}

static double value(void)
{
    return strtod(facts_cell(row, "value"), NULL);
}

static void complain(const char *what)
{
    FAIL("engine-figures.csv:%zu: %s, %s: %s", row + 1, facts_cell(row, "class"),
         facts_cell(row, "part"), what);
}

static void check_value(double actual)
{
    if (!(fabs(actual - value()) <= MARGIN)) {
        char what[96];
        snprintf(what, sizeof what, "%s is %.9g in the set", facts_cell(row, "field"), actual);
        complain(what);
    }
}

/* A measured figure is marked as measured, whatever else says it too. A group of figures of which
 * only some were measured may keep the word of the script in which all of them were read. */
static void check_marked(uint8_t source)
{
    bool measured = strcmp(facts_cell(row, "src"), "engine") == 0;
    bool group = !is_field("max_condition") && !is_field("hull") && !is_field("pos_x");
    bool stated = source == SB_SOURCE_ENGINE || (group && source == SB_SOURCE_HARDPOINT);
    if (source == SB_SOURCE_NONE || (measured && !stated))
        complain("the source in the set is another");
}

/* False: the list has no such field. */
static bool check_figure_of(const figure *list, const void *record)
{
    for (; list->field; list++) {
        if (!is_field(list->field)) continue;
        float actual;
        memcpy(&actual, (const char *)record + list->at, sizeof actual);
        check_value((double)actual);
        check_marked(*((const uint8_t *)record + list->source));
        return true;
    }
    return false;
}

static const sb_subsystem_class *find_entry(const sb_ship_class *ship, const char *name)
{
    for (size_t i = 0; i < ship->subsystem_count; i++)
        if (strcmp(ship->subsystems[i].name, name) == 0) return &ship->subsystems[i];
    complain("no such entry");
    return NULL;
}

/* The part of the row; `order` is its place in the list or among the children. */
static const sb_subsystem_class *find_part(const sb_ship_class *ship)
{
    const char               *name = facts_cell(row, "part");
    bool                      child = !facts_is_empty(row, "child_of");
    const sb_subsystem_class *found = find_entry(ship, child ? facts_cell(row, "child_of") : name);
    if (facts_is_empty(row, "order")) return found;
    int order = facts_number(row, "order");
    if (!child) {
        CHECK_EQ(found - ship->subsystems, order);
        return found;
    }
    CHECK(order < found->child_count);
    found = &ship->children[found->first_child + order];
    if (strcmp(found->name, name) != 0) complain("the set has another child there");
    return found;
}

/* "KlingonTorpedo (type 6)", or the number of torpedoes. */
static void check_ammunition(const sb_ship_class *ship, const sb_subsystem_class *part)
{
    const char *field = facts_cell(row, "field"),
               *type = strstr(facts_cell(row, "value"), "(type ");
    unsigned slot = (unsigned)(field[strlen(field) - 1] - '0');
    for (size_t i = 0; i < ship->ordnance_count; i++) {
        const sb_ordnance *o = &ship->ordnance[i];
        if (o->slot != slot || o->system_type != part->type) continue;
        if (type) CHECK_EQ(o->projectile_type, strtoul(type + 6, NULL, 10));
        else check_value((double)o->max_torpedoes);
        CHECK(o->source != SB_SOURCE_ESTIMATE);
        return;
    }
    complain("no ammunition in this slot");
}

static void check_flag(const sb_subsystem_class *part, uint8_t actual, bool expected)
{
    CHECK_EQ(actual, expected ? SB_PROPERTY_YES : SB_PROPERTY_NO);
    check_marked(part->fire_source);
}

/* Counts, flags and names: what is not a float. False: no such field. */
static bool check_rest_of_part(const sb_ship_class *ship, const sb_subsystem_class *part)
{
    if (is_field("n_children")) check_value(part->child_count);
    else if (is_field("critical")) CHECK_EQ(part->critical, value() != 0);
    else if (is_field("targetable")) CHECK_EQ(part->targetable, value() != 0);
    else if (is_field("single_fire")) check_flag(part, part->single_fire, value() != 0);
    else if (is_field("fires_together")) check_flag(part, part->single_fire, value() == 0);
    else if (is_field("aimed")) check_flag(part, part->aimed, value() != 0);
    else if (is_field("max_ready")) check_value(part->weapon->max_ready);
    else if (strstr(facts_cell(row, "field"), "_slot_")) check_ammunition(ship, part);
    else return is_field("present"); /* find_part has found it */
    return true;
}

/* Constants of every cannon: spec 10 has them, not the ships. */
static bool is_law(void)
{
    return is_field("damage_scale_medium") || is_field("power_setting_default");
}

static void check_part(const sb_ship_class *ship)
{
    const sb_subsystem_class *part = find_part(ship);
    if (is_field("sensor_range")) {
        check_figure_of(ship_figures, ship);
        return;
    }
    bool known = check_figure_of(part_figures, part) ||
                 (part->weapon && check_figure_of(weapon_figures, part->weapon)) ||
                 check_rest_of_part(ship, part) || is_law();
    if (!known) complain("unknown field");
}

static void check_ship(const sb_ship_class *ship)
{
    if (is_field("hull")) {
        check_value((double)ship->subsystems[0].max_condition);
        check_marked(ship->subsystems[0].condition_source);
    } else if (is_field("num_repair_teams")) check_value(ship->repair_teams);
    else if (is_field("n_top_level")) check_value(ship->subsystem_count);
    else if (is_field("n_subsystems")) check_value(ship->subsystem_count + ship->child_count);
    else if (!check_figure_of(ship_figures, ship)) complain("unknown field");
}

/* A row that names all tubes of a ship at once. */
static void check_tubes(const sb_ship_class *ship)
{
    for (size_t i = 0; i < ship->child_count; i++)
        if (ship->children[i].type == SB_SUBSYSTEM_TORPEDO_TUBE)
            CHECK(check_figure_of(weapon_figures, ship->children[i].weapon));
}

TEST(every_measured_figure_is_in_the_ships_with_its_source)
{
    facts_open("engine-figures.csv");
    CHECK(facts_rows() >= 1334);
    for (row = 1; row <= facts_rows(); row++) {
        const sb_ship_class *ship =
            sb_find_ship_by_name(sb_stock_ships(), facts_cell(row, "class"));
        const char *part = facts_cell(row, "part");
        CHECK(ship);
        CHECK(!facts_is_empty(row, "source"));
        if (strcmp(part, "ship") == 0) check_ship(ship);
        else if (strcmp(part, "torpedo tubes") == 0) check_tubes(ship);
        else check_part(ship);
    }
}

/* ---- the law of spec 11 §9.1 ---- */

/* Where a bank with this mount and strip stands on one axis. */
static double place_on_strip(const sb_subsystem_class *bank, size_t axis)
{
    const sb_weapon_class *w = bank->weapon;
    size_t                 k = (axis + 1) % 3, m = (axis + 2) % 3;
    double                 right =
        (double)w->forward[k] * (double)w->up[m] - (double)w->forward[m] * (double)w->up[k];
    double middle = ((double)w->arc_width[0] + (double)w->arc_width[1]) / 2;
    return (double)bank->mount[axis] +
           (double)w->forward[axis] * (double)w->strip_length * cos(middle) +
           right * (double)w->strip_width * sin(middle);
}

TEST(banks_with_a_known_strip_stand_where_the_law_puts_them)
{
    unsigned banks = 0;
    for (size_t i = 0; i < sb_stock_ships()->count; i++) {
        const sb_ship_class *ship = &sb_stock_ships()->ships[i];
        for (size_t k = 0; k < ship->child_count; k++) {
            const sb_subsystem_class *bank = &ship->children[k];
            if (!bank->weapon || isnan(bank->weapon->strip_length)) continue;
            for (size_t axis = 0; axis < 3; axis++)
                if (fabs(place_on_strip(bank, axis) - (double)bank->position[axis]) > MARGIN)
                    FAIL("%s, %s: axis %zu", ship->key, bank->name, axis);
            banks++;
        }
    }
    CHECK_EQ(banks, 16); /* Sovereign and Enterprise */
}

/* The Galaxy's measured positions follow from one strip below and one above the saucer: length and
 * width change places between the banks at the side and those ahead. */
TEST(the_measured_banks_of_the_galaxy_lie_on_two_strips)
{
    const sb_ship_class *galaxy = sb_find_ship(sb_stock_ships(), 3);
    for (size_t k = 0; k < galaxy->child_count; k++) {
        sb_subsystem_class bank = galaxy->children[k];
        if (bank.type != SB_SUBSYSTEM_PHASER_BANK) continue;
        bool            above = bank.mount[2] > 0.3f, side = bank.weapon->forward[1] == 0;
        float           wide = above ? 1.69f : 1.33f, deep = above ? 1.35f : 1.01f;
        sb_weapon_class weapon = *bank.weapon;
        weapon.strip_length = side ? wide : deep;
        weapon.strip_width = side ? deep : wide;
        bank.weapon = &weapon;
        for (size_t axis = 0; axis < 3; axis++)
            CHECK(fabs(place_on_strip(&bank, axis) - (double)bank.position[axis]) < MARGIN);
    }
}
