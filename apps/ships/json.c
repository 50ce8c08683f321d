/* apps/ships/json.c -- ships as JSON, one object per line.
 *
 * For:      print.h. Numbers are those of the data; a figure that nobody knows is null.
 * Tests:    tests/apps/ships_test.py
 */
#include "ships/print.h"

#include "ships/figures.h"

#include <math.h>
#include <stdio.h>

static void print_text(const char *text)
{
    putchar('"');
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c == '"' || *c == '\\' || *c < 0x20 || *c > 0x7E) printf("\\u%04x", *c);
        else putchar(*c);
    putchar('"');
}

static void print_member(const char *key, const char *text)
{
    printf(",\"%s\":", key);
    print_text(text);
}

static void print_number(const char *key, float value)
{
    if (isnan(value)) printf(",\"%s\":null", key);
    else printf(",\"%s\":%.9g", key, (double)value);
}

static void print_numbers(const char *key, const float *values, size_t count)
{
    printf(",\"%s\":[", key);
    for (size_t i = 0; i < count; i++) printf("%s%.9g", i ? "," : "", (double)values[i]);
    putchar(']');
}

static void print_source(const char *key, uint8_t source)
{
    if (source) print_member(key, sb_figure_source_name(source));
    else printf(",\"%s\":null", key);
}

static void print_flag(const char *key, uint8_t flag)
{
    if (flag == SB_PROPERTY_UNKNOWN) printf(",\"%s\":null", key);
    else printf(",\"%s\":%s", key, flag == SB_PROPERTY_YES ? "true" : "false");
}

static void print_weapon(const sb_weapon_class *w)
{
    printf(",\"weapon\":{\"id\":%d", w->weapon_id);
    print_number("max_damage", w->max_damage);
    print_number("max_damage_distance", w->max_damage_distance);
    print_number("max_charge", w->max_charge);
    print_number("min_firing_charge", w->min_firing_charge);
    print_number("recharge_rate", w->recharge_rate);
    print_number("reload_delay", w->reload_delay);
    print_number("immediate_delay", w->immediate_delay);
    if (w->max_ready > 0) printf(",\"max_ready\":%d", w->max_ready);
    print_number("damage_radius_factor", w->damage_radius_factor);
    print_number("cooldown_time", w->cooldown_time);
    print_numbers("forward", w->forward, 3);
    print_source("source", w->source);
    putchar('}');
}

static void print_part(const sb_ship_class *ship, const sb_subsystem_class *p)
{
    printf("{\"name\":");
    print_text(p->name);
    print_number("max_condition", p->max_condition);
    print_source("condition_source", p->condition_source);
    print_number("disabled_below", p->disabled_below);
    print_number("repair_complexity", p->repair_complexity);
    print_source("properties_source", p->properties_source);
    printf(",\"critical\":%s,\"targetable\":%s", p->critical ? "true" : "false",
           p->targetable ? "true" : "false");
    if (p->power_source) print_number("power_per_second", p->power_per_second);
    if (p->has_position) print_numbers("position", p->position, 3);
    else printf(",\"position\":null");
    print_number("radius", p->radius);
    print_source("position_source", p->position_source);
    if (p->creation_index < 0) printf(",\"creation_index\":null");
    else printf(",\"creation_index\":%d", p->creation_index);
    if (p->type >= SB_SUBSYSTEM_PHASER_SYSTEM && p->type <= SB_SUBSYSTEM_TRACTOR_SYSTEM)
        print_flag("single_fire", p->single_fire);
    if (p->weapon) print_weapon(p->weapon);
    if (p->child_count) printf(",\"children\":[");
    for (size_t i = 0; i < p->child_count; i++) {
        if (i) putchar(',');
        print_part(ship, &ship->children[p->first_child + i]);
    }
    printf(p->child_count ? "]}" : "}");
}

static void print_ordnance(const sb_ship_class *ship)
{
    printf(",\"ordnance\":[");
    for (size_t i = 0; i < ship->ordnance_count; i++) {
        const sb_ordnance *o = &ship->ordnance[i];
        printf("%s{\"system\":\"%s\",\"slot\":%u,\"projectile\":%u", i ? "," : "",
               o->system_type == SB_SUBSYSTEM_TORPEDO_SYSTEM ? "torpedo" : "pulse", o->slot,
               o->projectile_type);
        print_number("max_torpedoes", o->max_torpedoes);
        print_source("source", o->source);
        print_member("ground", o->ground);
        putchar('}');
    }
    putchar(']');
}

static void print_shape(const sb_ship_class *ship)
{
    print_number("radius", ship->bound_radius);
    print_numbers("box_centre", ship->box_centre, 3);
    print_numbers("box_half", ship->box_half, 3);
    printf(",\"solids\":[");
    for (size_t i = 0; i < ship->solid_count; i++) {
        const sb_solid *s = &ship->solids[i];
        printf("%s{\"kind\":\"%s\"", i ? "," : "", s->kind == SB_SOLID_BOX ? "box" : "ellipsoid");
        print_numbers("centre", s->centre, 3);
        print_numbers("half", s->half, 3);
        putchar('}');
    }
    putchar(']');
}

static void print_figure(void *context, const sb_ship_figure *f)
{
    size_t *count = context;
    printf("%s{\"part\":", (*count)++ ? "," : "");
    print_text(f->part);
    print_member("figure", f->name);
    if (f->source) print_member("value", f->value);
    else printf(",\"value\":null");
    print_source("source", f->source);
    putchar('}');
}

void sb_ships_print_json(const sb_ship_class *ship, bool evidence)
{
    size_t count = 0;
    printf("{\"ship\":");
    print_text(ship->key);
    print_member("name", ship->name);
    print_member("faction", ship->faction);
    printf(",\"species\":%u,\"selectable\":%s,\"can_cloak\":%s", ship->species,
           ship->selectable ? "true" : "false", ship->can_cloak ? "true" : "false");
    print_number("mass", ship->mass);
    print_number("rotational_inertia", ship->rotational_inertia);
    print_number("max_speed", ship->max_speed);
    print_number("max_accel", ship->max_accel);
    print_number("max_angular_velocity", ship->max_angular_velocity);
    print_number("max_angular_accel", ship->max_angular_accel);
    print_numbers("shield_max", ship->shield_max, SB_FACINGS);
    print_numbers("shield_rate", ship->shield_rate, SB_FACINGS);
    print_number("sensor_range", ship->sensor_range);
    print_shape(ship);
    printf(",\"parts\":[");
    for (size_t i = 0; i < ship->subsystem_count; i++) {
        if (i) putchar(',');
        print_part(ship, &ship->subsystems[i]);
    }
    putchar(']');
    print_ordnance(ship);
    if (evidence) printf(",\"figures\":[");
    if (evidence) sb_ships_walk_figures(ship, print_figure, &count);
    printf(evidence ? "]}\n" : "}\n");
}
