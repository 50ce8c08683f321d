/* src/combat/combat.c -- memory, adding and removing ships, and the steps of time.
 *
 * For:      the public functions that are not actions of owners (orders.c, collision.c, death.c).
 * Spec:     10 §2. Actions of owners take effect when the server passes them on, between two steps:
 *           that is the first point of the order in §2. The other points are run_step.
 * Tests:    tests/combat/combat_test.c, determinism_test.c, ship_constants_test.c
 */
#include "combat/combat_internal.h"

#include "base/assert.h"
#include "base/bytes.h"
#include "ship/codes.h"

#include <string.h>

/* ---- memory ---- */

void sb_combat_defaults(sb_combat_config *config)
{
    *config = (sb_combat_config){ .max_ships = 32,
                                  .fidelity = SB_FIDELITY_WEAPONS,
                                  .collision_damage = true };
    sb_combat_constants_default(&config->constants);
}

static bool are_valid_constants(const sb_combat_constants *k)
{
#define CHECK_ONE(name, value, tag, text)                                                          \
    if (!sb_bits_finite(sb_float_bits(k->name)) || k->name < 0.0f) return false;
    SB_COMBAT_CONSTANTS(CHECK_ONE)
#undef CHECK_ONE
    return true;
}

static bool is_valid_config(const sb_combat_config *config)
{
    return config->max_ships >= 1 && config->max_ships <= 1024 &&
           config->fidelity <= SB_FIDELITY_ENFORCE && config->power <= SB_POWER_STRICT &&
           are_valid_constants(&config->constants);
}

static uint32_t shot_capacity_for(const sb_combat_config *config)
{
    uint32_t all = config->max_ships * SB_COMBAT_PROJECTILES;
    uint32_t fair = config->max_ships * SB_SHOTS_PER_SHIP;
    if (fair < SB_SHOTS_MIN) fair = SB_SHOTS_MIN;
    return all < fair ? all : fair;
}

size_t sb_combat_bytes(const sb_combat_config *config)
{
    if (!is_valid_config(config)) return 0;
    return sizeof(sb_combat) +
           config->max_ships * (sizeof(sb_fighter) + sizeof(sb_body) + sizeof(uint32_t)) +
           shot_capacity_for(config) * sizeof(sb_shot);
}

/* The arrays with the strictest alignment come first, so that all are aligned without padding. */
sb_combat *sb_combat_init(void *memory, const sb_combat_config *config, sb_time now)
{
    SB_ASSERT(is_valid_config(config));
    sb_combat *c = memory;
    memset(c, 0, sizeof *c); /* fighters and shots are not touched before they are used */
    c->config = *config;
    if (!c->config.projectiles) c->config.projectiles = sb_stock_projectiles();
    c->shot_capacity = shot_capacity_for(config);
    c->fighters = (sb_fighter *)(void *)(c + 1);
    c->shots = (sb_shot *)(void *)(c->fighters + config->max_ships);
    c->bodies = (sb_body *)(void *)(c->shots + c->shot_capacity);
    c->ids = (uint32_t *)(void *)(c->bodies + config->max_ships);
    memset(c->ids, 0, config->max_ships * sizeof *c->ids);
    c->clock_start = now;
    return c;
}

void sb_combat_listen(sb_combat *c, void (*on_event)(void *context, const sb_combat_event *event),
                      void *context, bool trace_gains)
{
    c->on_event = on_event;
    c->context = context;
    c->trace_gains = trace_gains && on_event;
}

void sb_combat_filter_hits(sb_combat *c,
                           bool (*has_effect)(const void *context, uint8_t attacker, uint8_t owner),
                           const void *context)
{
    c->has_effect = has_effect;
    c->filter_context = context;
}

void sb_combat_report(const sb_combat *c, const sb_combat_event *event)
{
    if (c->on_event) c->on_event(c->context, event);
}

bool sb_combat_is_simulated(const sb_combat *c, sb_fidelity level)
{
    return c->config.fidelity >= level;
}

bool sb_combat_count_implausible(sb_combat *c, const sb_fighter *f, sb_implausible what,
                                 float claimed, float possible)
{
    SB_ASSERT((unsigned)what < SB_IMPLAUSIBLE_COUNT);
    c->implausible[what]++;
    sb_combat_report(c, &(sb_combat_event){ .type = SB_COMBAT_IMPLAUSIBLE,
                                            .object_id = f->object_id,
                                            .attacker_ship = f->object_id,
                                            .attacker = f->owner,
                                            .index = (uint8_t)what,
                                            .child = -1,
                                            .claimed = claimed,
                                            .possible = possible });
    return c->config.fidelity >= SB_FIDELITY_ENFORCE;
}

/* ---- ships ---- */

sb_fighter *sb_combat_find_fighter(const sb_combat *c, uint32_t object_id)
{
    if (object_id == 0) return NULL;
    for (uint32_t i = 0; i < c->top; i++)
        if (c->ids[i] == object_id) return sb_combat_fighter_at(c, i);
    return NULL;
}

static uint8_t first_entry_of_type(const sb_ship_class *model, sb_subsystem_type type)
{
    for (unsigned i = 0; model && i < model->subsystem_count; i++)
        if (model->subsystems[i].type == type) return (uint8_t)i;
    return SB_NO_PART;
}

static float clamp_from_0(float value, float limit)
{
    if (!(value > 0.0f)) return 0.0f; /* also NaN */
    return sb_smaller(value, limit);
}

/* A destroyed part takes no hits, so a ship that is created with a destroyed critical part could
 * never die from the loss of that part: the part gets 1 HP. */
static float clamp_condition(const sb_subsystem_class *s, float condition)
{
    float value = clamp_from_0(condition, s->max_condition);
    return s->critical && !(value > 0.0f) ? sb_smaller(1.0f, s->max_condition) : value;
}

/* The numbers come from a client's creation message: limits them to 0..maximum. */
static void clamp_ship(sb_fighter *f)
{
    sb_ship             *ship = f->ship;
    const sb_ship_class *m = ship->model;
    for (unsigned i = 0; i < m->subsystem_count; i++)
        ship->condition[i] = clamp_condition(&m->subsystems[i], ship->condition[i]);
    for (unsigned i = 0; i < m->child_count; i++)
        ship->child_condition[i] =
            clamp_from_0(ship->child_condition[i], m->children[i].max_condition);
    for (unsigned i = 0; i < SB_FACINGS; i++)
        ship->facing[i] = clamp_from_0(ship->facing[i], sb_combat_facing_max(f, i));
    bool frozen = f->constants.battery_frozen > 0.0f; /* then batteries are always full (§4.5) */
    ship->main_battery =
        frozen ? m->main_battery : clamp_from_0(ship->main_battery, m->main_battery);
    ship->backup_battery =
        frozen ? m->backup_battery : clamp_from_0(ship->backup_battery, m->backup_battery);
}

/* Unknown names are ignored; the reader of data files has refused them already. */
static void set_constants(const sb_combat *c, sb_fighter *f)
{
    const sb_ship_class *m = f->ship->model;
    f->constants = c->config.constants;
    for (unsigned i = 0; m && i < m->constant_count; i++)
        (void)!sb_combat_constant_set(&f->constants, m->constants[i].name, m->constants[i].value);
}

static void init_fighter(sb_combat *c, sb_fighter *f)
{
    const sb_ship_class *m = f->ship->model;
    set_constants(c, f);
    f->hull = first_entry_of_type(m, SB_SUBSYSTEM_HULL);
    f->shields = first_entry_of_type(m, SB_SUBSYSTEM_SHIELD);
    f->reactor = first_entry_of_type(m, SB_SUBSYSTEM_POWER);
    f->cloak = first_entry_of_type(m, SB_SUBSYSTEM_CLOAK);
    f->repair = first_entry_of_type(m, SB_SUBSYSTEM_REPAIR);
    sb_combat_init_ids(f);
    sb_combat_init_power(f);
    if (!m) return;
    SB_ASSERT(m->subsystem_count <= SB_SUBSYSTEMS_MAX);
    SB_ASSERT(m->child_count <= SB_SHIP_CHILDREN_MAX);
    clamp_ship(f);
    sb_combat_init_shape(f);
    sb_combat_init_shields(f);
    sb_combat_init_weapons(f);
}

static void update_position(sb_fighter *f, sb_time now)
{
    f->moved_at = now;
    f->position = sb_clamp_position(f->ship->motion.position);
}

/* The first ship of an empty room starts a new clock; shots of removed ships are dropped. */
static void restart_clock(sb_combat *c, sb_time now)
{
    c->clock_start = now;
    c->clock_steps = 0;
    c->shot_count = 0;
}

sb_result sb_combat_add_ship(sb_combat *c, sb_ship *ship, uint8_t owner, uint32_t set, sb_time now)
{
    if (ship->object_id == 0 || sb_combat_find_fighter(c, ship->object_id)) return SB_NOT_ALLOWED;
    uint32_t at = 0;
    while (at < c->top && c->fighters[at].ship) at++;
    if (at == c->config.max_ships) return SB_FULL;
    if (c->ship_count == 0) restart_clock(c, now);
    if (at == c->top) c->top++;
    c->ship_count++;
    sb_fighter *f = &c->fighters[at];
    memset(f, 0, sizeof *f);
    f->ship = ship;
    f->object_id = c->ids[at] = ship->object_id;
    f->owner = owner;
    f->set = set;
    f->added_at = c->step;
    update_position(f, now);
    init_fighter(c, f);
    return SB_OK;
}

void sb_combat_remove_fighter(sb_combat *c, sb_fighter *f)
{
    SB_ASSERT(f->ship);
    SB_ASSERT(c->ship_count > 0);
    sb_combat_stop_beams_at(c, f->object_id);
    c->ids[f - c->fighters] = 0;
    f->ship = NULL;
    c->ship_count--;
    while (c->top > 0 && !c->fighters[c->top - 1].ship) c->top--;
}

void sb_combat_remove_ship(sb_combat *c, uint32_t object_id)
{
    sb_fighter *f = sb_combat_find_fighter(c, object_id);
    if (f) sb_combat_remove_fighter(c, f);
}

void sb_combat_disown(sb_combat *c, uint8_t owner)
{
    for (uint32_t i = 0; i < c->shot_count; i++)
        if (c->shots[i].owner == owner) c->shots[i].owner = 0;
    for (uint32_t i = 0; i < c->top; i++)
        if (sb_combat_fighter_at(c, i)->killer.attacker == owner)
            sb_combat_fighter_at(c, i)->killer.attacker = 0;
}

void sb_combat_moved(sb_combat *c, uint32_t object_id, sb_time now)
{
    sb_fighter *f = sb_combat_find_fighter(c, object_id);
    if (f) update_position(f, now);
}

void sb_combat_disarm(sb_combat *c, uint32_t object_id, float seconds)
{
    sb_fighter *f = sb_combat_find_fighter(c, object_id);
    uint32_t    until = c->step + sb_combat_steps_from_seconds(seconds);
    if (f && until > f->armed_at) f->armed_at = until;
}

void sb_combat_entered(sb_combat *c, uint32_t object_id, uint32_t set, sb_time now)
{
    sb_fighter *f = sb_combat_find_fighter(c, object_id);
    if (!f) return;
    f->set = set;
    update_position(f, now);
}

/* ---- time ---- */

uint32_t sb_combat_steps_from_seconds(float seconds)
{
    double steps = (double)seconds * SB_COMBAT_STEPS_PER_S - 1e-3; /* 0.1f s is 3 steps, not 4 */
    if (!(steps > 0.0)) return 0;
    if (steps >= 1e9) return 1000000000u;
    uint32_t whole = (uint32_t)steps;
    return (double)whole < steps ? whole + 1 : whole;
}

uint32_t sb_combat_nearest_step(double seconds)
{
    double steps = seconds * SB_COMBAT_STEPS_PER_S + 0.5;
    return steps < 1e9 ? (uint32_t)steps : 1000000000u;
}

/* The time at which step `n` of the clock is due. */
static sb_time due_at(const sb_combat *c, uint64_t n)
{
    return c->clock_start + (sb_time)(n * 1000000u / SB_COMBAT_STEPS_PER_S);
}

static bool is_live(const sb_fighter *f)
{
    return f->ship && f->ship->model && f->life == SB_LIFE_ALIVE;
}

/* §11.2. Wrecks keep drifting. */
static void dead_reckon(sb_combat *c, sb_time at)
{
    for (uint32_t i = 0; i < c->top; i++) {
        sb_fighter *f = sb_combat_fighter_at(c, i);
        if (!f->ship || at <= f->moved_at) continue;
        float elapsed = (float)(at - f->moved_at) * 1e-6f;
        f->position = sb_clamp_position(sb_motion_estimate(&f->ship->motion, elapsed));
    }
}

/* Applies a rule to every ship that is alive, if the configured level includes the rule. */
static void apply_rule(sb_combat *c, sb_fidelity level, void (*rule)(sb_combat *c, sb_fighter *f))
{
    if (!sb_combat_is_simulated(c, level)) return;
    for (uint32_t i = 0; i < c->top; i++)
        if (is_live(sb_combat_fighter_at(c, i))) rule(c, sb_combat_fighter_at(c, i));
}

/* Ships that are dying still fire in this step, so both sides of a duel can kill each other. Wrecks
 * have no orders. */
static void fire_beams(sb_combat *c)
{
    for (uint32_t i = 0; i < c->top; i++) {
        sb_fighter *f = sb_combat_fighter_at(c, i);
        if (f->ship && f->ship->model && f->ordered) sb_combat_step_beams(c, f);
    }
}

/* Queues damaged parts for repair and reports them; kill_fighter (death.c) has done that already
 * for ships that died in this step. */
static void announce_hits(sb_combat *c)
{
    for (uint32_t i = 0; i < c->top; i++) {
        sb_fighter *f = sb_combat_fighter_at(c, i);
        if (f->ship) sb_combat_announce_hits(c, f);
    }
}

static void run_step(sb_combat *c)
{
    c->step++;
    c->clock_steps++;
    dead_reckon(c, due_at(c, c->clock_steps));
    apply_rule(c, SB_FIDELITY_COLLISIONS, sb_combat_step_power);
    if (!sb_combat_is_simulated(c, SB_FIDELITY_COLLISIONS))
        apply_rule(c, SB_FIDELITY_RELAY, sb_combat_step_sliders);
    apply_rule(c, SB_FIDELITY_RELAY, sb_combat_step_cloak);
    apply_rule(c, SB_FIDELITY_WEAPONS, sb_combat_step_shields);
    apply_rule(c, SB_FIDELITY_RELAY, sb_combat_step_weapons);
    apply_rule(c, SB_FIDELITY_WEAPONS, sb_combat_step_tractors);
    if (sb_combat_is_simulated(c, SB_FIDELITY_WEAPONS)) fire_beams(c);
    sb_combat_step_shots(c);
    apply_rule(c, SB_FIDELITY_COLLISIONS, sb_combat_step_repair);
    sb_combat_step_deaths(c);
    announce_hits(c);
    sb_combat_step_wrecks(c);
}

void sb_combat_advance(sb_combat *c, sb_time now)
{
    for (unsigned n = 0; n < SB_COMBAT_STEPS_AT_ONCE && c->ship_count > 0; n++) {
        if (due_at(c, c->clock_steps + 1) > now) return;
        run_step(c);
    }
    if (c->ship_count == 0 || due_at(c, c->clock_steps + 1) > now) return;
    c->clock_start = now; /* too far behind: skip the missed steps */
    c->clock_steps = 0;
}

sb_time sb_combat_next_deadline(const sb_combat *c)
{
    return c->ship_count > 0 ? due_at(c, c->clock_steps + 1) : SB_TIME_NEVER;
}

/* ---- queries ---- */

bool sb_combat_position(const sb_combat *c, uint32_t object_id, sb_time now, sb_vec3 *position)
{
    const sb_fighter *f = sb_combat_find_fighter(c, object_id);
    if (!f) return false;
    float elapsed = (float)(now - f->moved_at) * 1e-6f;
    *position = sb_clamp_position(sb_motion_estimate(&f->ship->motion, elapsed));
    return true;
}

bool sb_combat_is_alive(const sb_combat *c, uint32_t object_id)
{
    const sb_fighter *f = sb_combat_find_fighter(c, object_id);
    return f && f->life == SB_LIFE_ALIVE;
}

sb_cloak_state sb_combat_cloak_state(const sb_combat *c, uint32_t object_id)
{
    const sb_fighter *f = sb_combat_find_fighter(c, object_id);
    return f ? (sb_cloak_state)f->cloak_state : SB_CLOAK_OFF;
}

uint32_t sb_combat_subsystem_id(const sb_combat *c, uint32_t object_id, unsigned index, int child)
{
    const sb_fighter    *f = sb_combat_find_fighter(c, object_id);
    const sb_ship_class *m = f ? f->ship->model : NULL;
    if (!m || index >= m->subsystem_count || child >= m->subsystems[index].child_count) return 0;
    if (child < 0) return sb_combat_part_id(f, index);
    return sb_combat_part_id(f, SB_CHILD_PART + m->subsystems[index].first_child + (unsigned)child);
}

bool sb_combat_weapon(const sb_combat *c, uint32_t object_id, unsigned index, unsigned child,
                      sb_weapon_state *out)
{
    const sb_fighter    *f = sb_combat_find_fighter(c, object_id);
    const sb_ship_class *m = f ? f->ship->model : NULL;
    if (!m || index >= m->subsystem_count || child >= m->subsystems[index].child_count)
        return false;
    for (unsigned i = 0; i < f->weapon_count; i++) {
        const sb_weapon *w = SB_WEAPON(f, i);
        if (w->child != m->subsystems[index].first_child + child) continue;
        *out = (sb_weapon_state){ .charge = w->charge, .firing = w->firing, .ready = w->ready };
        return true;
    }
    return false;
}

bool sb_combat_volume(const sb_combat *c, uint32_t object_id, size_t index, sb_volume *out)
{
    const sb_fighter *f = sb_combat_find_fighter(c, object_id);
    if (!f || index >= f->volume_count) return false;
    unsigned       first = f->volume_count == SB_COMBAT_VOLUMES ? f->volume_next : 0;
    const sb_dent *d = &f->volumes[(first + index) % SB_COMBAT_VOLUMES];
    *out = (sb_volume){ d->centre, d->radius, f->constants.volume_strength };
    return true;
}

uint64_t sb_combat_implausible(const sb_combat *c, sb_implausible what)
{
    return (unsigned)what < SB_IMPLAUSIBLE_COUNT ? c->implausible[what] : 0;
}
