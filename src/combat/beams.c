/* src/combat/beams.c -- phaser beams.
 *
 * For:      combat.c, once per step: systems with an order (StartFiring until StopFiring).
 * Spec:     10 §6.2. A bank that starts to fire does no damage for beam_delay seconds. Then it
 *           collects damage and strikes the target every beam_quantum seconds with what it has
 *           collected. A bank that runs empty strikes with the rest at once. Each bank strikes for
 *           itself.
 */
#include "combat/combat_internal.h"

#include "base/assert.h"
#include "ship/arcs.h"

/* One system's order to fire, while its banks are stepped. */
typedef struct salvo {
    unsigned    system;
    sb_fighter *target;
    sb_vec3     aim;  /* in the target's axes */
    sb_vec3     mark; /* the same point in the shooter's axes */
} salvo;

static float by_level(uint8_t level, float low, float medium, float high)
{
    return level == 0 ? low : level == 1 ? medium : high;
}

/* A strike collects at the lowest level since the last one: a bank that discharges at low level and
 * is set to high for the moment of the strike must not gain by it. */
static float damage_factor(const sb_fighter *f, const sb_weapon *w)
{
    const sb_combat_constants *k = &f->constants;
    return by_level(w->level, k->beam_low, k->beam_medium, k->beam_high);
}

static float discharge_factor(const sb_fighter *f, unsigned system)
{
    const sb_combat_constants *k = &f->constants;
    return by_level(f->ship->setting[system], k->discharge_low, k->discharge_medium,
                    k->discharge_high);
}

static sb_vec3 muzzle_of(const sb_fighter *f, const sb_weapon *w)
{
    const sb_subsystem_class *s = &f->ship->model->children[w->child];
    return s->has_position ? sb_v_from(s->position) : (sb_vec3){ 0, 0, 0 };
}

/* ---- strikes ---- */

/* Seconds that the bank has fired. */
static float age_of(const sb_weapon *w)
{
    return (float)w->beam_age * SB_STEP_SECONDS;
}

/* The age at which the bank had collected nothing: at its start, or after its last strike. */
static float collected_from(const sb_fighter *f, const sb_weapon *w)
{
    return f->constants.beam_delay + (float)w->quanta * f->constants.beam_quantum;
}

/* The age, in steps, that is nearest to the next strike. */
static uint32_t next_strike(const sb_fighter *f, const sb_weapon *w)
{
    return sb_combat_nearest_step((double)(collected_from(f, w) + f->constants.beam_quantum));
}

/* Factor on damage: 1 up to max_damage_distance, then inversely proportional to the distance. */
static float falloff(const sb_weapon *w, float distance)
{
    float full = w->figures->max_damage_distance;
    return distance > full ? full / distance : 1.0f;
}

static float radius_of(const sb_fighter *f, const sb_weapon *w)
{
    float radius = w->figures->damage_radius_factor;
    return radius >= 0.0f ? radius : f->constants.beam_radius; /* NaN: unknown */
}

/* The range that counts for the damage: up to the shield that stops a part of the beam, otherwise
 * up to the hull. Measured: a Warbird's beam at range 57 does 57.75 of 66.41, which is its distance
 * of 46.0 to the Galaxy's shield ellipsoid (stbc-oracle beam_warbird_front_57). */
static float range_to(const sb_fighter *t, sb_vec3 start, sb_vec3 at)
{
    float    fraction;
    unsigned facing;
    sb_vec3  way = sb_v_sub(at, start);
    bool     stops = sb_combat_enters_shields(t, start, way, &fraction, &facing) &&
                 sb_combat_does_facing_stop(t, facing);
    return sb_v_length(way) * (stops ? fraction : 1.0f);
}

/* The damage that the bank collects in `seconds` goes to the target. */
static void strike(sb_combat *c, const sb_fighter *f, const sb_weapon *w, const salvo *s,
                   float seconds)
{
    sb_fighter *t = s->target;
    if (!t->ship->model) return;
    sb_vec3 muzzle = sb_v_add(f->position, sb_v_to_world(&f->ship->motion, muzzle_of(f, w)));
    sb_vec3 start = sb_v_to_local(&t->ship->motion, sb_v_sub(muzzle, t->position));
    sb_vec3 at = sb_combat_point_of_impact(t, start, s->aim);
    float   damage = w->figures->max_damage * damage_factor(f, w) * seconds *
                   sb_ship_child_ratio(f->ship, w->child) * sb_ship_ratio(f->ship, w->system) *
                   falloff(w, range_to(t, start, at));
    if (!(damage > 0.0f)) return;
    sb_combat_strike(c, t,
                     &(sb_strike){ .by = { SB_DAMAGE_BEAM, f->owner, f->object_id },
                                   .start = start,
                                   .at = at,
                                   .search = radius_of(f, w),
                                   .damage = damage,
                                   .spares_hull = w->level == 0 });
}

static void start_bank(const sb_fighter *f, sb_weapon *w)
{
    w->level = f->ship->setting[w->system];
    w->firing = true;
    w->beam_age = 0;
    w->quanta = 0;
}

/* One step of a firing bank. */
static void advance_bank(sb_combat *c, const sb_fighter *f, sb_weapon *w, const salvo *s)
{
    const sb_combat_constants *k = &f->constants;
    uint8_t                    level = f->ship->setting[s->system];
    w->beam_age++;
    if (level < w->level) w->level = level;
    if (w->beam_age >= next_strike(f, w)) {
        strike(c, f, w, s, k->beam_quantum);
        w->quanta++;
        w->level = level;
    }
    if (!(age_of(w) > k->discharge_delay)) return;
    w->charge -= w->figures->discharge_rate * discharge_factor(f, s->system) * SB_STEP_SECONDS;
    if (w->charge > 1e-4f) return; /* less is the rounding of many small steps */
    w->charge = 0.0f;
    strike(c, f, w, s, age_of(w) - collected_from(f, w));
    w->firing = false;
}

/* ---- which banks fire ---- */

static bool is_bank_of(const sb_weapon *w, unsigned system)
{
    return w->system == system && w->type == SB_SUBSYSTEM_PHASER_BANK;
}

/* A bank needs min_firing_charge to start and any charge to continue. */
static bool can_fire_bank(const sb_fighter *f, const sb_weapon *w, const salvo *s)
{
    if (!w->firing && !(w->charge >= w->figures->min_firing_charge)) return false;
    if (!(w->charge > 0.0f) || !sb_combat_may_fire_weapon(f, w)) return false;
    return sb_ship_arc_contains(w->figures, sb_combat_vector_to(f, w, s->mark),
                                f->constants.arc_tolerance);
}

static void stop_banks(sb_fighter *f, unsigned system)
{
    for (unsigned i = 0; i < f->weapon_count; i++)
        if (is_bank_of(SB_WEAPON(f, i), system)) SB_WEAPON(f, i)->firing = false;
}

/* Banks of one system start one after the other. */
static bool may_start_bank(const sb_fighter *f, unsigned system)
{
    uint32_t stagger = sb_combat_nearest_step((double)f->constants.beam_stagger);
    for (unsigned i = 0; i < f->weapon_count; i++) {
        const sb_weapon *w = SB_WEAPON(f, i);
        if (w->firing && is_bank_of(w, system) && w->beam_age <= stagger) return false;
    }
    return true;
}

static void fire_all_banks(sb_combat *c, sb_fighter *f, const salvo *s)
{
    for (unsigned i = 0; i < f->weapon_count; i++) {
        sb_weapon *w = SB_WEAPON(f, i);
        if (!is_bank_of(w, s->system)) continue;
        if (!can_fire_bank(f, w, s)) w->firing = false;
        else if (!w->firing && may_start_bank(f, s->system)) start_bank(f, w);
        if (w->firing) advance_bank(c, f, w, s);
    }
}

static sb_weapon *firing_bank(sb_fighter *f, unsigned system)
{
    for (unsigned i = 0; i < f->weapon_count; i++)
        if (SB_WEAPON(f, i)->firing && is_bank_of(SB_WEAPON(f, i), system)) return SB_WEAPON(f, i);
    return NULL;
}

/* The place in the list after the bank that fired last. */
static unsigned place_after_last(const sb_fighter *f, unsigned system)
{
    for (unsigned i = 0; i < f->weapon_count; i++)
        if (SB_WEAPON(f, i)->fired_last && is_bank_of(SB_WEAPON(f, i), system)) return i + 1;
    return 0;
}

static void set_fired_last(sb_fighter *f, sb_weapon *bank)
{
    for (unsigned i = 0; i < f->weapon_count; i++)
        if (is_bank_of(SB_WEAPON(f, i), bank->system)) SB_WEAPON(f, i)->fired_last = false;
    bank->fired_last = true;
}

/* The next bank in list order that can fire, after the bank that fired last. NULL: none. */
static sb_weapon *next_bank(sb_fighter *f, const salvo *s)
{
    unsigned first = place_after_last(f, s->system);
    for (unsigned i = 0; i < f->weapon_count; i++) {
        sb_weapon *w = SB_WEAPON(f, (first + i) % f->weapon_count);
        if (is_bank_of(w, s->system) && can_fire_bank(f, w, s)) return w;
    }
    return NULL;
}

/* A single-fire system: one bank at a time, until it is empty or cannot fire. */
static void fire_one_bank(sb_combat *c, sb_fighter *f, const salvo *s)
{
    sb_weapon *w = firing_bank(f, s->system);
    if (w && !can_fire_bank(f, w, s)) {
        w->firing = false;
        w = NULL;
    }
    if (!w) {
        w = next_bank(f, s);
        if (!w) return;
        set_fired_last(f, w);
        start_bank(f, w);
    }
    advance_bank(c, f, w, s);
}

/* ---- orders ---- */

static bool has_aim(sb_cv4b aim)
{
    return aim.magnitude_code != 0 && (aim.direction.x | aim.direction.y | aim.direction.z) != 0;
}

sb_vec3 sb_combat_decode_aim(const sb_fighter *target, sb_cv4b aim)
{
    if (!target->ship->model) return (sb_vec3){ 0, 0, 0 };
    if (!has_aim(aim)) return sb_combat_default_aim(target);
    return sb_decode_cv4b(aim, target->ship->model->bound_radius);
}

static void fire_system(sb_combat *c, sb_fighter *f, unsigned system)
{
    sb_fighter *target = sb_combat_target_of(c, f, system);
    if (!target || !sb_combat_may_fire_system(c, f, system)) {
        stop_banks(f, system);
        return;
    }
    salvo   s = { .system = system, .target = target };
    sb_vec3 away = sb_v_sub(target->position, f->position);
    s.aim = sb_combat_decode_aim(target, f->aim[system]);
    s.mark = sb_v_to_local(&f->ship->motion,
                           sb_v_add(away, sb_v_to_world(&target->ship->motion, s.aim)));
    if (f->ship->model->subsystems[system].single_fire == SB_PROPERTY_YES) fire_one_bank(c, f, &s);
    else fire_all_banks(c, f, &s);
}

void sb_combat_step_beams(sb_combat *c, sb_fighter *f)
{
    for (unsigned i = 0; i < f->ship->model->subsystem_count; i++)
        if (f->ordered >> i & 1 && f->ship->model->subsystems[i].type == SB_SUBSYSTEM_PHASER_SYSTEM)
            fire_system(c, f, i);
}
