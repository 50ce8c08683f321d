/* tests/combat/rig.c -- see rig.h. */
#include "rig.h"

#include "combat/testing.h"

#include <math.h>
#include <stdalign.h>
#include <string.h>

const sb_vec3 rig_origin = { 0, 0, 0 };
const sb_cv3  rig_ahead = { 0, 127, 0 };
const sb_cv4b rig_no_aim = { { 0, 0, 0 }, 0 };

static rig the_rig;
static alignas(16) unsigned char memory[1 << 20];

static void record(void *context, const sb_combat_event *event)
{
    rig *r = context;
    if (r->event_count < RIG_EVENTS) r->events[r->event_count] = *event;
    r->event_count++;
}

rig *rig_new(void)
{
    memset(&the_rig, 0, sizeof the_rig);
    sb_combat_defaults(&the_rig.config);
    return &the_rig;
}

void rig_start(rig *r, bool trace_gains)
{
    size_t bytes = sb_combat_bytes(&r->config);
    CHECK(bytes > 0);
    CHECK(bytes <= sizeof memory);
    r->combat = sb_combat_init(memory, &r->config, r->now);
    sb_combat_listen(r->combat, record, r, trace_gains);
}

rig *rig_default(void)
{
    rig *r = rig_new();
    rig_start(r, false);
    return r;
}

rig *rig_strict(void)
{
    rig *r = rig_new();
    r->config.power = SB_POWER_STRICT;
    rig_start(r, false);
    return r;
}

static sb_ship *add(rig *r, unsigned n, const sb_ship_class *model, uint8_t species, sb_vec3 place)
{
    sb_ship *ship = &r->ships[n];
    sb_ship_init(ship, model, species, RIG_SHIP(n));
    ship->motion.position = place;
    CHECK_EQ(sb_combat_add_ship(r->combat, ship, RIG_OWNER(n), RIG_SET, r->now), SB_OK);
    return ship;
}

sb_ship *rig_add(rig *r, unsigned n, uint8_t species, sb_vec3 place)
{
    return add(r, n, sb_find_ship(sb_stock_ships(), species), species, place);
}

sb_ship *rig_add_class(rig *r, unsigned n, const sb_ship_class *model, sb_vec3 place)
{
    return add(r, n, model, model->species, place);
}

/* ---- classes ---- */

static rig_class the_class;

static void own_lists(rig_class *k)
{
    sb_ship_class *m = &k->model;
    m->subsystems = k->entries;
    m->children = k->children;
    m->ordnance = k->ordnance;
    for (unsigned i = 0; i < m->child_count; i++) {
        if (!k->children[i].weapon) continue;
        k->figures[i] = *k->children[i].weapon;
        k->children[i].weapon = &k->figures[i];
    }
}

rig_class *rig_copy_class(uint8_t species)
{
    rig_class           *k = &the_class;
    const sb_ship_class *stock = sb_find_ship(sb_stock_ships(), species);
    memset(k, 0, sizeof *k);
    k->model = *stock;
    CHECK(stock->ordnance_count <= 8);
    memcpy(k->entries, stock->subsystems, stock->subsystem_count * sizeof k->entries[0]);
    memcpy(k->children, stock->children, stock->child_count * sizeof k->children[0]);
    memcpy(k->ordnance, stock->ordnance, stock->ordnance_count * sizeof k->ordnance[0]);
    own_lists(k);
    return k;
}

/* A part like `like`, with a place in the ship. */
static sb_subsystem_class part_like(const sb_subsystem_class *like, int16_t creation_index)
{
    sb_subsystem_class s = *like;
    s.creation_index = creation_index;
    if (s.has_position) return s;
    s.has_position = true;
    s.radius = 0.1f;
    memset(s.position, 0, sizeof s.position);
    return s;
}

/* Appends an entry with so many children like `child`. */
static void append_entry(rig_class *k, const sb_subsystem_class *like,
                         const sb_subsystem_class *child, unsigned count)
{
    sb_subsystem_class *s = &k->entries[k->model.subsystem_count];
    int16_t             next = (int16_t)(k->model.subsystem_count + k->model.child_count);
    *s = part_like(like, next++);
    s->first_child = k->model.child_count;
    s->child_count = (uint8_t)count;
    for (unsigned i = 0; i < count; i++)
        k->children[k->model.child_count++] = part_like(child, next++);
    k->model.subsystem_count++;
}

rig_class *rig_full_class(void)
{
    static const struct {
        uint8_t     type, count;
        const char *child;
    } rows[SB_SUBSYSTEMS_MAX] = {
        [FULL_PHASERS] = { SB_SUBSYSTEM_PHASER_SYSTEM, FULL_SYSTEM, "Disruptor" },
        [FULL_CANNONS] = { SB_SUBSYSTEM_PULSE_SYSTEM, FULL_SYSTEM, "Port Cannon" },
        [FULL_TUBES] = { SB_SUBSYSTEM_TORPEDO_SYSTEM, FULL_SYSTEM, "Fwd Torpedo 1" },
        [FULL_TRACTORS] = { SB_SUBSYSTEM_TRACTOR_SYSTEM, FULL_SYSTEM, "Forward Tractor" },
        [4] = { SB_SUBSYSTEM_HULL, 0, NULL },
        [5] = { SB_SUBSYSTEM_SHIELD, 0, NULL },
        [6] = { SB_SUBSYSTEM_POWER, 0, NULL },
        [7] = { SB_SUBSYSTEM_REPAIR, 0, NULL },
        [8] = { SB_SUBSYSTEM_CLOAK, 0, NULL },
        [9] = { SB_SUBSYSTEM_IMPULSE, SB_CHILDREN_MAX, "Port Impulse" },
        [10] = { SB_SUBSYSTEM_WARP, SB_CHILDREN_MAX, "Port Warp" },
        [11] = { SB_SUBSYSTEM_WARP, SB_CHILDREN_MAX, "Port Warp" },
        [FULL_MORE_TRACTORS] = { SB_SUBSYSTEM_TRACTOR_SYSTEM, FULL_SYSTEM, "Forward Tractor" },
        [FULL_MORE_PHASERS] = { SB_SUBSYSTEM_PHASER_SYSTEM, FULL_SYSTEM, "Disruptor" },
    };
    rig_class    *k = rig_copy_class(VORCHA);
    const sb_ship stock = { .model = sb_find_ship(sb_stock_ships(), VORCHA) };
    k->model.subsystem_count = k->model.child_count = 0;
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) {
        uint8_t type = i > 11 && i < FULL_MORE_TRACTORS ? SB_SUBSYSTEM_SENSOR : rows[i].type;
        const sb_subsystem_class *child =
            rows[i].child ? &stock.model->children[rig_child(&stock, rows[i].child)] : NULL;
        append_entry(k, &stock.model->subsystems[rig_entry(&stock, type)], child, rows[i].count);
    }
    CHECK_EQ(k->model.child_count, SB_SHIP_CHILDREN_MAX);
    own_lists(k);
    return k;
}

void rig_move(rig *r, unsigned n, sb_vec3 place, sb_vec3 forward, sb_vec3 up, float speed)
{
    sb_motion *m = &r->ships[n].motion;
    m->position = place;
    sb_motion_set_axes(m, forward, up);
    sb_motion_set_speed(m, speed);
    sb_combat_moved(r->combat, RIG_SHIP(n), r->now);
}

void rig_steps(rig *r, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        sb_time due = sb_combat_next_deadline(r->combat);
        CHECK(due != SB_TIME_NEVER);
        r->now = due;
        sb_combat_advance(r->combat, due);
        sb_combat_check(r->combat);
    }
}

void rig_seconds(rig *r, float seconds)
{
    rig_steps(r, sb_combat_steps_from_seconds(seconds));
}

void rig_forget(rig *r)
{
    r->event_count = 0;
}

const sb_combat_event *rig_event(const rig *r, sb_combat_event_type type, unsigned n)
{
    for (size_t i = 0; i < r->event_count && i < RIG_EVENTS; i++)
        if (r->events[i].type == type && n-- == 0) return &r->events[i];
    return NULL;
}

unsigned rig_count(const rig *r, sb_combat_event_type type)
{
    unsigned count = 0;
    CHECK(r->event_count <= RIG_EVENTS);
    for (size_t i = 0; i < r->event_count; i++) count += r->events[i].type == type;
    return count;
}

double rig_sum(const rig *r, sb_combat_event_type type)
{
    double sum = 0;
    CHECK(r->event_count <= RIG_EVENTS);
    for (size_t i = 0; i < r->event_count; i++)
        if (r->events[i].type == type) sum += (double)r->events[i].amount;
    return sum;
}

sb_fighter *rig_fighter(rig *r, unsigned n)
{
    sb_fighter *f = sb_combat_find_fighter(r->combat, RIG_SHIP(n));
    CHECK(f);
    return f;
}

unsigned rig_entry(const sb_ship *ship, sb_subsystem_type type)
{
    for (unsigned i = 0; i < ship->model->subsystem_count; i++)
        if (ship->model->subsystems[i].type == type) return i;
    FAIL("%s has no such entry", ship->model->name);
}

unsigned rig_child(const sb_ship *ship, const char *name)
{
    for (unsigned i = 0; i < ship->model->child_count; i++)
        if (strcmp(ship->model->children[i].name, name) == 0) return i;
    FAIL("%s has no %s", ship->model->name, name);
}

sb_weapon *rig_weapon(rig *r, unsigned n, const char *name)
{
    sb_fighter *f = rig_fighter(r, n);
    unsigned    child = rig_child(f->ship, name);
    for (unsigned i = 0; i < f->weapon_count; i++)
        if (f->weapons[i].child == child) return &f->weapons[i];
    FAIL("%s is no weapon", name);
}

uint32_t rig_id(rig *r, unsigned n, sb_subsystem_type type, int child)
{
    uint32_t id =
        sb_combat_subsystem_id(r->combat, RIG_SHIP(n), rig_entry(&r->ships[n], type), child);
    CHECK(id != 0);
    return id;
}

rig *rig_duel(uint8_t species, uint8_t target_species, float distance)
{
    rig *r = rig_default();
    rig_add(r, 0, species, rig_origin);
    rig_add(r, 1, target_species, (sb_vec3){ 0, distance, 0 });
    return r;
}

rig *rig_full_duel(void)
{
    rig *r = rig_default();
    rig_add_class(r, 0, &rig_full_class()->model, rig_origin);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
    return r;
}

uint32_t rig_entry_id(rig *r, unsigned entry, int child)
{
    return sb_combat_subsystem_id(r->combat, RIG_SHIP(0), entry, child);
}

unsigned rig_firing_of(rig *r, unsigned entry)
{
    unsigned count = 0;
    for (unsigned i = 0; i < FULL_SYSTEM; i++) {
        sb_weapon_state state;
        CHECK(sb_combat_weapon(r->combat, RIG_SHIP(0), entry, i, &state));
        count += state.firing;
    }
    return count;
}

void rig_fire_entry(rig *r, unsigned n, unsigned entry, uint32_t target)
{
    uint32_t id = sb_combat_subsystem_id(r->combat, RIG_SHIP(n), entry, -1);
    CHECK(id != 0);
    sb_combat_start_firing(r->combat, RIG_SHIP(n), id, target, rig_no_aim);
}

void rig_start_firing(rig *r, unsigned n, sb_subsystem_type type, uint32_t target)
{
    sb_combat_start_firing(r->combat, RIG_SHIP(n), rig_id(r, n, type, -1), target, rig_no_aim);
}

void rig_hold(rig *r)
{
    unsigned system = rig_entry(&r->ships[0], SB_SUBSYSTEM_TRACTOR_SYSTEM);
    rig_fighter(r, 0)->ordered |= 1u << system;
    rig_fighter(r, 0)->aimed_at[system] = RIG_SHIP(1);
}

void rig_fire_tube(rig *r, int tube, uint8_t type, sb_cv3 way, uint32_t target)
{
    sb_combat_torpedo(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, tube), type,
                      way, target, rig_no_aim);
}

void rig_fire_cannon(rig *r, int cannon, uint8_t type, sb_cv3 way, uint32_t target)
{
    sb_combat_pulse(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PULSE_SYSTEM, cannon), type,
                    way, target);
}

unsigned rig_firing_banks(rig *r, unsigned n)
{
    const sb_fighter *f = rig_fighter(r, n);
    unsigned          count = 0;
    for (unsigned i = 0; i < f->weapon_count; i++)
        count += f->weapons[i].type == SB_SUBSYSTEM_PHASER_BANK && f->weapons[i].firing;
    return count;
}

rig *rig_ambush(void)
{
    rig *r = rig_default();
    rig_add(r, 0, VORCHA, rig_origin);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
    rig_add(r, 2, GALAXY, (sb_vec3){ 3, 45, 0 });
    return r;
}

uint32_t rig_beam_victim(rig *r)
{
    rig_forget(r);
    const sb_combat_event *hit = NULL;
    for (unsigned i = 0; i < 40 && !hit; i++) { /* the wind-up takes 35 steps */
        rig_steps(r, 1);
        for (unsigned n = 0; (hit = rig_event(r, SB_COMBAT_HIT, n)); n++)
            if (hit->cause == SB_DAMAGE_BEAM) break;
    }
    return hit ? hit->object_id : 0;
}

void rig_facings(sb_ship *ship, float hp)
{
    for (unsigned i = 0; i < SB_FACINGS; i++) ship->facing[i] = hp;
}

void rig_strike(rig *r, unsigned n, sb_vec3 outward, float search, float damage)
{
    sb_fighter *f = rig_fighter(r, n);
    sb_vec3     start = sb_v_scale(outward, 100);
    sb_combat_strike(
        r->combat, f,
        &(sb_strike){ .by = { SB_DAMAGE_TORPEDO, 0, 0 },
                      .start = start,
                      .at = sb_combat_point_of_impact(f, start, sb_combat_default_aim(f)),
                      .search = search,
                      .damage = damage });
}

void rig_near(const char *file, int line, const char *text, double actual, double expected,
              double margin)
{
    if (!(fabs(actual - expected) <= margin))
        test_fail(file, line, "%s is %.9g, expected %.9g +- %g", text, actual, expected, margin);
}
