/* tests/combat/melee.c -- see melee.h. */
#include "melee.h"

#include "combat/testing.h"
#include "test.h"

#include <stdalign.h>
#include <string.h>

static melee the_melee;
static alignas(16) unsigned char memory[MELEE_BYTES];

static uint32_t below(melee *m, uint32_t bound)
{
    return sb_random_below(&m->random, bound);
}

static bool one_in(melee *m, uint32_t n)
{
    return below(m, n) == 0;
}

/* -1 .. 1 */
static float random_part(melee *m)
{
    return (float)below(m, 2001) / 1000.0f - 1.0f;
}

static sb_vec3 random_vector(melee *m, float scale)
{
    sb_vec3 v = { random_part(m) * scale, 0, 0 };
    v.y = random_part(m) * scale;
    v.z = random_part(m) * scale;
    return v;
}

static melee_player *player_of(melee *m, uint32_t object_id)
{
    for (unsigned i = 0; i < MELEE_PLAYERS; i++)
        if (m->players[i].ship && m->players[i].ship->object_id == object_id) return &m->players[i];
    return NULL;
}

static void hear(void *context, const sb_combat_event *event)
{
    melee *m = context;
    if (event->type == SB_COMBAT_HIT) m->hits++;
    if (event->type == SB_COMBAT_EXPLODING) {
        melee_player *player = player_of(m, event->object_id);
        CHECK(player);
        player->ship = NULL;
        player->wait = 90;
        m->deaths++;
    }
    if (m->on_event) m->on_event(m->context, event);
}

melee *melee_new(uint64_t seed)
{
    memset(&the_melee, 0, sizeof the_melee);
    sb_random_init(&the_melee.random, seed);
    the_melee.memory = memory;
    return &the_melee;
}

static void spawn(melee *m, unsigned n)
{
    melee_player *player = &m->players[n];
    uint8_t       species = (uint8_t)(1 + below(m, 15));
    sb_ship      *ship = &player->hulls[player->generation % MELEE_HULLS];
    uint32_t      id = sb_slot_first_id(n) + player->generation * 64;
    player->generation++;
    sb_ship_init(ship, sb_find_ship(sb_stock_ships(), species), species, id);
    ship->motion.position = random_vector(m, 40);
    sb_vec3 forward = random_vector(m, 1);
    sb_motion_set_axes(&ship->motion, forward, random_vector(m, 1));
    sb_motion_set_speed(&ship->motion, ship->model->max_speed * random_part(m));
    CHECK_EQ(sb_combat_add_ship(m->combat, ship, (uint8_t)(n + 2), 1, m->now), SB_OK);
    player->ship = ship;
    if (m->appears) m->appears(m->context, ship);
}

void melee_start(melee *m, const sb_combat_config *config, bool trace_gains)
{
    CHECK(sb_combat_bytes(config) <= MELEE_BYTES);
    m->combat = sb_combat_init(memory, config, m->now);
    sb_combat_listen(m->combat, hear, m, trace_gains);
    for (unsigned n = 0; n < MELEE_PLAYERS; n++) spawn(m, n);
}

/* ---- what a player does ---- */

static uint32_t random_target(melee *m)
{
    const sb_ship *ship = m->players[below(m, MELEE_PLAYERS)].ship;
    return ship ? ship->object_id : 0;
}

/* Any id of the ship; the simulation resolves it to a part. */
static uint32_t random_part_id(melee *m, const sb_ship *ship)
{
    return ship->object_id + 1 + below(m, sb_ship_id_count(ship->model));
}

static uint32_t known_id(melee *m, const sb_ship *ship, sb_subsystem_type type, bool child)
{
    for (unsigned i = 0; i < ship->model->subsystem_count; i++) {
        const sb_subsystem_class *s = &ship->model->subsystems[i];
        if (s->type != type) continue;
        int      which = child && s->child_count ? (int)below(m, s->child_count) : -1;
        uint32_t id = sb_combat_subsystem_id(m->combat, ship->object_id, i, which);
        return id ? id : random_part_id(m, ship);
    }
    return random_part_id(m, ship);
}

static sb_cv3 toward(melee *m, const sb_ship *ship, uint32_t target)
{
    const melee_player *other = player_of(m, target);
    if (!other) return sb_encode_cv3(ship->motion.forward);
    sb_vec3 a = ship->motion.position, b = other->ship->motion.position;
    return sb_encode_cv3((sb_vec3){ b.x - a.x, b.y - a.y, b.z - a.z });
}

/* Random numbers are drawn in separate statements: C leaves the order of arguments open. */
static void shoot(melee *m, sb_ship *ship)
{
    static const sb_subsystem_type systems[5] = {
        SB_SUBSYSTEM_TORPEDO_SYSTEM, SB_SUBSYSTEM_PULSE_SYSTEM,  SB_SUBSYSTEM_PHASER_SYSTEM,
        SB_SUBSYSTEM_TRACTOR_SYSTEM, SB_SUBSYSTEM_PHASER_SYSTEM,
    };
    uint32_t what = below(m, 5), target = random_target(m), id = ship->object_id;
    uint32_t part = known_id(m, ship, systems[what], what < 2);
    uint8_t  type = (uint8_t)below(m, 18), far = (uint8_t)below(m, 256);
    sb_cv3   way = toward(m, ship, target);
    sb_cv4b  aim = { { (int8_t)below(m, 127), 0, 0 }, far };
    switch (what) {
    case 0: sb_combat_torpedo(m->combat, id, part, type, way, target, aim); break;
    case 1: sb_combat_pulse(m->combat, id, part, type, way, target); break;
    case 2: sb_combat_stop_firing(m->combat, id, part, 0); break;
    default: sb_combat_start_firing(m->combat, id, part, target, type < 9 ? aim : (sb_cv4b){ 0 });
    }
}

static void tinker(melee *m, sb_ship *ship)
{
    uint32_t what = below(m, 6), id = ship->object_id, any = random_part_id(m, ship);
    uint32_t number = below(m, 6), part;
    switch (what) {
    case 0: sb_combat_switch(m->combat, id, any, number > 0); break;
    case 1: ship->power_wanted[any % ship->model->subsystem_count] = (float)number * 0.25f; break;
    case 2:
        part = known_id(m, ship, SB_SUBSYSTEM_PHASER_SYSTEM, false);
        sb_combat_phaser_level(m->combat, id, part, (uint8_t)(number % 3));
        break;
    case 3:
        part = known_id(m, ship, SB_SUBSYSTEM_TORPEDO_SYSTEM, false);
        sb_combat_torpedo_type(m->combat, id, part, (uint8_t)(number % 2));
        break;
    case 4:
        part = known_id(m, ship, SB_SUBSYSTEM_REPAIR, false);
        sb_combat_repair_first(m->combat, id, part, any);
        break;
    default: ship->cloaked = ship->model->can_cloak && !ship->cloaked;
    }
}

static void ram(melee *m, const sb_ship *ship)
{
    sb_cv4b  contacts[2];
    unsigned count = 1 + below(m, 2);
    for (unsigned i = 0; i < 2; i++)
        contacts[i] = sb_encode_cv4b(random_vector(m, 2), ship->model->bound_radius);
    uint32_t other = random_target(m);
    float    force = ship->model->mass * (float)below(m, 400) / 100.0f;
    if (one_in(m, 2)) other = 0;
    sb_combat_collision(m->combat, ship->object_id, other, ship->object_id, contacts, count, force,
                        m->now);
}

static void fly(melee *m, sb_ship *ship)
{
    sb_motion *motion = &ship->motion;
    sb_vec3    p = motion->position, f = motion->forward;
    float      way = motion->speed * 0.1f;
    motion->position = (sb_vec3){ p.x + f.x * way, p.y + f.y * way, p.z + f.z * way };
    if (p.x * p.x + p.y * p.y + p.z * p.z > 60.0f * 60.0f) {
        sb_motion_set_axes(motion, (sb_vec3){ -p.x, -p.y, -p.z }, motion->up);
        sb_motion_set_speed(motion, ship->model->max_speed);
    } else if (one_in(m, 20)) {
        sb_motion_set_axes(motion, random_vector(m, 1), motion->up);
        sb_motion_set_speed(motion, ship->model->max_speed * random_part(m));
    }
    sb_combat_moved(m->combat, ship->object_id, m->now);
}

static void act(melee *m, sb_ship *ship)
{
    uint32_t id = ship->object_id;
    if (one_in(m, 4)) shoot(m, ship);
    if (one_in(m, 60)) tinker(m, ship);
    if (one_in(m, 150)) ram(m, ship);
    if (one_in(m, 50)) sb_combat_target(m->combat, id, random_target(m));
    if (one_in(m, 9000)) sb_combat_self_destruct(m->combat, id);
}

void melee_step(melee *m)
{
    m->now = sb_combat_next_deadline(m->combat);
    bool update = m->now / 100000 != (m->now - 33334) / 100000; /* ten a second */
    for (unsigned n = 0; n < MELEE_PLAYERS; n++) {
        melee_player *player = &m->players[n];
        if (player->ship && update) fly(m, player->ship);
        if (player->ship) act(m, player->ship);
        else if (player->wait > 0 && --player->wait == 0) spawn(m, n);
    }
    sb_combat_check(m->combat);
    sb_combat_advance(m->combat, m->now);
    sb_combat_check(m->combat);
}
