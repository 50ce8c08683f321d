/* apps/ships/figures.c -- walks over the figures of a ship.
 *
 * For:      figures.h.
 * Tests:    tests/apps/ships_test.py
 */
#include "ships/figures.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct walk {
    sb_figure_visitor visit;
    void             *context;
    const char       *part;
    bool              child;
} walk;

static void visit_unknown(const walk *w, const char *name)
{
    sb_ship_figure f = { .part = w->part, .child = w->child, .name = name };
    w->visit(w->context, &f);
}

static void visit(const walk *w, const char *name, uint8_t source, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void visit(const walk *w, const char *name, uint8_t source, const char *format, ...)
{
    sb_ship_figure f = { .part = w->part, .child = w->child, .name = name, .source = source };
    va_list        list;
    va_start(list, format);
    vsnprintf(f.value, sizeof f.value, format, list);
    va_end(list);
    w->visit(w->context, &f);
}

/* A figure that is NAN if nobody knows it. */
static void visit_number(const walk *w, const char *name, uint8_t source, float value)
{
    if (isnan(value)) visit_unknown(w, name);
    else visit(w, name, source, "%g", (double)value);
}

static void visit_axes(const walk *w, const char *name, uint8_t source, const float v[3])
{
    visit(w, name, source, "%g %g %g", (double)v[0], (double)v[1], (double)v[2]);
}

static void visit_facings(const walk *w, const char *name, uint8_t source,
                          const float v[SB_FACINGS])
{
    visit(w, name, source, "%g %g %g %g %g %g", (double)v[0], (double)v[1], (double)v[2],
          (double)v[3], (double)v[4], (double)v[5]);
}

static void walk_class(const walk *w, const sb_ship_class *s)
{
    visit(w, "mass", s->mass_source, "%g, inertia %g", (double)s->mass,
          (double)s->rotational_inertia);
    visit(w, "impulse", s->impulse_source,
          "speed %g, acceleration %g, turn %g, turn acceleration %g", (double)s->max_speed,
          (double)s->max_accel, (double)s->max_angular_velocity, (double)s->max_angular_accel);
    visit_facings(w, "shields", s->shield_source, s->shield_max);
    visit_facings(w, "shield_rates", s->rate_source, s->shield_rate);
    visit(w, "reactor", s->reactor_source, "%g, batteries %g %g, conduits %g %g",
          (double)s->power_output, (double)s->main_battery, (double)s->backup_battery,
          (double)s->main_conduit, (double)s->backup_conduit);
    visit(w, "repair", s->repair_source, "%g points, %u team%s", (double)s->max_repair_points,
          s->repair_teams, s->repair_teams == 1 ? "" : "s");
    visit_number(w, "sensor_range", s->sensor_source, s->sensor_range);
    visit_number(w, "radius", s->radius_source, s->bound_radius);
    visit_axes(w, "box_centre", s->centre_source, s->box_centre);
    visit_axes(w, "box_half", s->box_source, s->box_half);
    if (s->solid_count > 0) visit(w, "solids", SB_SOURCE_ESTIMATE, "%u", s->solid_count);
    else visit_unknown(w, "solids");
}

static bool has_children_that_shoot(const sb_subsystem_class *p)
{
    return p->type >= SB_SUBSYSTEM_PHASER_SYSTEM && p->type <= SB_SUBSYSTEM_TRACTOR_SYSTEM;
}

static void walk_weapon(const walk *w, const sb_subsystem_class *p)
{
    const sb_weapon_class *g = p->weapon;
    if (p->type == SB_SUBSYSTEM_TORPEDO_TUBE) {
        visit(w, "weapon", g->source, "reload %g, ready %d, interval %g", (double)g->reload_delay,
              g->max_ready, (double)g->immediate_delay);
        return;
    }
    visit(w, "weapon", g->source, "damage %g, range %g, charge %g from %g, recharge %g",
          (double)g->max_damage, (double)g->max_damage_distance, (double)g->max_charge,
          (double)g->min_firing_charge, (double)g->recharge_rate);
    if (p->type != SB_SUBSYSTEM_TRACTOR_PROJECTOR)
        visit_number(w, "damage_radius_factor", g->source, g->damage_radius_factor);
    if (p->type == SB_SUBSYSTEM_PULSE_WEAPON)
        visit_number(w, "cooldown_time", g->source, g->cooldown_time);
}

static void walk_part(walk *w, const sb_subsystem_class *p)
{
    w->part = p->name;
    visit(w, "condition", p->condition_source, "%g", (double)p->max_condition);
    visit(w, "properties", p->properties_source, "disabled below %g, complexity %g%s%s",
          (double)p->disabled_below, (double)p->repair_complexity, p->critical ? ", critical" : "",
          p->targetable ? "" : ", no target");
    if (p->power_source)
        visit(w, "power", p->power_source, "%g per second", (double)p->power_per_second);
    if (!p->has_position) visit_unknown(w, "position");
    else
        visit(w, "position", p->position_source, "%g %g %g, radius %g", (double)p->position[0],
              (double)p->position[1], (double)p->position[2], (double)p->radius);
    visit(w, "order", p->order_source, "as listed");
    if (p->creation_index < 0) visit_unknown(w, "creation_index");
    else visit(w, "creation_index", p->creation_source, "%d", p->creation_index);
    if (has_children_that_shoot(p)) {
        if (p->single_fire == SB_PROPERTY_UNKNOWN) visit_unknown(w, "single_fire");
        else
            visit(w, "single_fire", p->fire_source, "%s",
                  p->single_fire == SB_PROPERTY_YES ? "yes" : "no");
    }
    if (p->weapon) walk_weapon(w, p);
}

static void walk_ordnance(walk *w, const sb_ordnance *o)
{
    const sb_projectile_class *p = sb_find_projectile(sb_stock_projectiles(), o->projectile_type);
    bool                       torpedo = o->system_type == SB_SUBSYSTEM_TORPEDO_SYSTEM;
    w->part = torpedo ? "torpedo type" : "bolt";
    visit(w, "projectile", o->source, "%u: %s (%u)", o->slot, p ? p->name : "unknown",
          o->projectile_type);
    if (torpedo) visit_number(w, "max_torpedoes", o->source, o->max_torpedoes);
}

void sb_ships_walk_figures(const sb_ship_class *ship, sb_figure_visitor visitor, void *context)
{
    walk w = { visitor, context, "ship", false };
    walk_class(&w, ship);
    for (size_t i = 0; i < ship->subsystem_count; i++) {
        const sb_subsystem_class *p = &ship->subsystems[i];
        walk_part(&w, p);
        w.child = true;
        for (size_t k = 0; k < p->child_count; k++)
            walk_part(&w, &ship->children[p->first_child + k]);
        w.child = false;
    }
    for (size_t i = 0; i < ship->ordnance_count; i++) walk_ordnance(&w, &ship->ordnance[i]);
}
