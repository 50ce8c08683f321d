/* src/combat/hash.c -- a hash of the whole state: 64-bit FNV-1a, field by field.
 *
 * For:      comparing simulations across machines: no padding, no pointers, fixed byte order.
 * Tests:    tests/combat/hash_test.c, determinism_test.c
 */
#include "combat/combat_internal.h"

#include "base/bytes.h"

static void add_u32(uint64_t *h, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++) *h = (*h ^ (v >> 8 * i & 0xFFu)) * 0x100000001B3u;
}

static void add_u64(uint64_t *h, uint64_t v)
{
    add_u32(h, (uint32_t)v);
    add_u32(h, (uint32_t)(v >> 32));
}

static void add_float(uint64_t *h, float v)
{
    add_u32(h, sb_float_bits(v));
}

static void add_vector(uint64_t *h, sb_vec3 v)
{
    add_float(h, v.x);
    add_float(h, v.y);
    add_float(h, v.z);
}

static void add_bytes(uint64_t *h, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) *h = (*h ^ bytes[i]) * 0x100000001B3u;
}

static void add_parts(uint64_t *h, const sb_part_set *set)
{
    add_u64(h, set->bits[0]);
    add_u64(h, set->bits[1]);
}

static void add_motion(uint64_t *h, const sb_motion *m)
{
    add_vector(h, m->position);
    add_vector(h, m->forward);
    add_vector(h, m->up);
    add_float(h, m->speed);
}

static void add_ship(uint64_t *h, const sb_ship *ship)
{
    const sb_ship_class *m = ship->model;
    add_u32(h, ship->object_id);
    add_u32(h, (uint32_t)ship->species << 8 | ship->cloaked);
    add_motion(h, &ship->motion);
    if (!m) return;
    for (unsigned i = 0; i < m->subsystem_count; i++) {
        add_float(h, ship->condition[i]);
        add_float(h, ship->power_wanted[i]);
        add_u32(h, (uint32_t)ship->setting[i] << 8 | ship->on[i]);
    }
    for (unsigned i = 0; i < m->child_count; i++) add_float(h, ship->child_condition[i]);
    for (unsigned i = 0; i < SB_FACINGS; i++) add_float(h, ship->facing[i]);
    add_float(h, ship->main_battery);
    add_float(h, ship->backup_battery);
}

static void add_shields(uint64_t *h, const sb_fighter *f)
{
    for (unsigned i = 0; i < SB_FACINGS; i++) add_float(h, f->facing_fraction[i]);
    add_u32(h, f->recharge_count);
    add_u32(h, f->recharge_at);
}

static void add_power(uint64_t *h, const sb_fighter *f)
{
    add_u32(h, f->budget_ends_at);
    add_float(h, f->main_conduit);
    add_float(h, f->backup_conduit);
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) {
        add_float(h, f->efficiency[i]);
        add_float(h, f->performance[i]);
    }
}

static void add_cloak(uint64_t *h, const sb_fighter *f)
{
    add_u32(h, (uint32_t)f->cloak_state << 4 | (uint32_t)f->cloak_wanted << 3 |
                   (uint32_t)f->cloak_bit_seen << 2 | (uint32_t)f->shields_lowered << 1 |
                   f->shields_change);
    add_u32(h, f->cloak_timer);
    add_u32(h, f->shields_change ? f->shields_change_at : 0);
}

static void add_weapon(uint64_t *h, const sb_weapon *w)
{
    add_u32(h, (uint32_t)w->firing | (uint32_t)w->has_fired << 1 | (uint32_t)w->fired_last << 2 |
                   (uint32_t)w->in_burst << 3 | (uint32_t)w->ready << 8 |
                   (uint32_t)w->loading << 16);
    add_u32(h, w->fired_at);
    add_float(h, w->charge);
    if (w->type == SB_SUBSYSTEM_PULSE_WEAPON) add_float(h, w->owed);
    for (unsigned i = 0; i < w->loading; i++) add_u32(h, w->loaded_at[i]);
    if (!w->firing) return;
    add_u32(h, w->beam_age);
    add_u32(h, w->quanta);
    add_u32(h, w->level);
}

static void add_aim(uint64_t *h, sb_cv4b aim)
{
    add_u32(h, (uint32_t)(uint8_t)aim.direction.x | (uint32_t)(uint8_t)aim.direction.y << 8 |
                   (uint32_t)(uint8_t)aim.direction.z << 16 | (uint32_t)aim.magnitude_code << 24);
}

static void add_weapons(uint64_t *h, const sb_fighter *f)
{
    add_u32(h, f->target);
    add_u32(h, f->ordered);
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) {
        add_u32(h, f->aimed_at[i]);
        add_aim(h, f->aim[i]);
    }
    add_u32(h, (uint32_t)f->tractors_shed << 1 | f->tractor_fires);
    add_float(h, f->drag);
    for (unsigned i = 0; i < SB_AMMO_SLOTS; i++) add_u32(h, f->ammo[i]);
    for (unsigned i = 0; i < f->weapon_count; i++) add_weapon(h, SB_WEAPON(f, i));
}

static void add_collisions(uint64_t *h, const sb_fighter *f)
{
    add_u32(h, f->pair_next);
    for (unsigned i = 0; i < SB_COLLISION_PAIRS; i++) {
        add_u32(h, f->pairs[i].other);
        add_u64(h, (uint64_t)f->pairs[i].at);
    }
    add_u32(h, (uint32_t)f->volume_count << 8 | f->volume_next);
    for (unsigned i = 0; i < f->volume_count; i++) {
        add_vector(h, f->volumes[i].centre);
        add_float(h, f->volumes[i].radius);
    }
}

static void add_fighter(uint64_t *h, const sb_fighter *f)
{
    add_u32(h, f->object_id);
    add_u32(h, f->set);
    add_u32(h, (uint32_t)f->owner << 8 | f->life);
    add_u32(h, f->added_at);
    add_u32(h, f->gone_at);
    add_u32(h, f->armed_at);
    add_u64(h, (uint64_t)f->moved_at);
    add_vector(h, f->position);
    add_ship(h, f->ship);
    add_shields(h, f);
    add_power(h, f);
    add_cloak(h, f);
    add_weapons(h, f);
    add_bytes(h, f->queue, f->queue_size);
    add_parts(h, &f->queued);
    add_bytes(h, f->k_of_part, sizeof f->k_of_part);
    add_parts(h, &f->hit_parts);
    add_u32(h, f->killer.ship);
    add_u32(h, (uint32_t)f->killer.attacker << 8 | f->killer.cause);
    add_collisions(h, f);
}

static void add_shot(uint64_t *h, const sb_shot *s)
{
    add_u32(h, s->figures->type);
    add_vector(h, s->position);
    add_vector(h, s->direction);
    add_vector(h, s->aim);
    add_u32(h, s->launcher);
    add_u32(h, s->set);
    add_u32(h, s->target);
    add_u32(h, s->age);
    add_float(h, s->damage);
    add_float(h, s->life);
    add_u32(h, s->owner);
}

uint64_t sb_combat_state_hash(const sb_combat *c)
{
    uint64_t h = 0xCBF29CE484222325u;
    add_u32(&h, c->step);
    add_u64(&h, (uint64_t)c->clock_start);
    add_u64(&h, c->clock_steps);
    for (uint32_t i = 0; i < c->top; i++)
        if (sb_combat_fighter_at(c, i)->ship) add_fighter(&h, sb_combat_fighter_at(c, i));
    for (uint32_t i = 0; i < c->shot_count; i++) add_shot(&h, &c->shots[i]);
    for (unsigned i = 0; i < SB_IMPLAUSIBLE_COUNT; i++) add_u64(&h, c->implausible[i]);
    return h;
}
