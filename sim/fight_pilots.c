/* sim/fight_pilots.c -- what players and their ships do: spawn, fly, change settings, take damage,
 * die.
 *
 * For:      sim/fight.c, at every step.
 */
#include "sim/fight_internal.h"

#include "ship/vectors.h"

enum {
    WRECK_STEPS = 200,  /* updates of a wreck continue for two seconds */
    ABSENT_STEPS = 100, /* after the wreck the player is without a ship for one second */
};

static const uint8_t fleet[FIGHT_SHIPS_MAX] = { 5, 1, 6, 7, 3, 12, 10, 15 };

/* ---- random numbers ---- */

static float uniform(sb_random *random, float from, float to)
{
    return from + (to - from) * ((float)sb_random_below(random, 1u << 24) / (float)(1u << 24));
}

static bool chance(sb_random *random, double per_second)
{
    return sb_random_below(random, 1u << 30) < per_second * FIGHT_STEP_US / 1e6 * (1u << 30);
}

/* ---- spawning ---- */

static uint8_t choose_species(const fight *f, unsigned index)
{
    static const sb_time cloaked_from = 150 * SB_SECOND, cloaked_to = 344 * SB_SECOND;
    if (!f->config.session) return fleet[index];
    bool cloak = index == 1 && f->now >= cloaked_from && f->now < cloaked_to;
    return cloak ? 6 : index == 1 ? 1 : 5; /* 194 s of a cloak ship, as in trace B (spec 03 §6) */
}

void fight_create_ship(fight *f, unsigned index)
{
    fight_player        *p = &f->players[index];
    fight_view          *own = &p->views[index];
    uint8_t              species = choose_species(f, index);
    const sb_ship_class *model = sb_find_ship(sb_stock_ships(), species);
    sb_ship_init(&own->ship, model, species, p->next_id);
    p->next_id += sb_ship_id_count(model);
    p->species = species;
    own->ship.motion.position =
        (sb_vec3){ uniform(&f->random, -80, 80), uniform(&f->random, -80, 80),
                   uniform(&f->random, -80, 80) };
    sb_motion_set_axes(&own->ship.motion, (sb_vec3){ uniform(&f->random, -1, 1), 1, 0.3f },
                       (sb_vec3){ 0, uniform(&f->random, -1, 1), 1 });
    fight_init_view(f, own, SB_RECEIVE_OWN, 0);
    p->alive = true;
    p->pilot = (fight_pilot){ .until = f->now };
    sb_frame_init(&p->frame, &own->ship);
    sb_lane_init(&p->lane, SB_LANE_TO_HOST, &p->frame, &f->config.lanes);
    p->next_send = f->now;
    fight_send_creation(f, index, FIGHT_HOST, &own->ship, fight_creation_delay(f));
}

/* ---- flying ---- */

/* A manoeuvre of a battle: hard turns, full speed, reversals. */
static void choose_battle_manoeuvre(fight *f, fight_pilot *p, const sb_ship_class *m)
{
    float max = m->max_angular_velocity;
    bool  straight = sb_random_below(&f->random, 4) == 0;
    p->until = f->now + (sb_time)sb_random_below(&f->random, 4 * SB_SECOND) + SB_SECOND / 4;
    p->speed_wanted = m->max_speed * uniform(&f->random, -0.3f, 1.25f);
    if (sb_random_below(&f->random, 6) == 0) p->speed_wanted = 0;
    p->turn = straight
                  ? (sb_vec3){ 0, 0, 0 }
                  : (sb_vec3){ uniform(&f->random, -max, max), uniform(&f->random, -max, max) / 2,
                               uniform(&f->random, -max, max) };
    p->wobble = 0.002f;
}

/* A manoeuvre of a session, in shares of time chosen so that upstream flags come out as in trace B:
 * mostly turns about two axes, some flat turns, little straight flight, hardly any rest. The speed
 * of a stock ship is the length of its velocity and varies slightly in every turn; without that,
 * SPEED would not be in nearly every update (docs/evidence/fidelity.md). */
static void choose_session_manoeuvre(fight *f, fight_pilot *p, const sb_ship_class *m)
{
    uint32_t dice = sb_random_below(&f->random, 1000);
    float    max = m->max_angular_velocity;
    p->until = f->now + (sb_time)sb_random_below(&f->random, 3 * SB_SECOND) + SB_SECOND;
    p->speed_wanted = m->max_speed * uniform(&f->random, 0.5f, 1.0f);
    p->turn = (sb_vec3){ 0, 0, 0 };
    p->wobble = 0.012f;
    if (dice < 700) {
        p->turn =
            (sb_vec3){ uniform(&f->random, 0.4f, 1) * max, uniform(&f->random, -0.5f, 0.5f) * max,
                       uniform(&f->random, -1, 1) * max };
    } else if (dice < 885) {
        p->turn = (sb_vec3){ 0, 0, uniform(&f->random, 0.4f, 1) * max };
    } else if (dice >= 975) {
        p->until += 7 * SB_SECOND;
        p->speed_wanted = 0;
        p->wobble = 0;
    }
}

static void turn_ship(sb_motion *m, sb_vec3 turn, float dt)
{
    sb_vec3 right = sb_v_cross(m->forward, m->up);
    sb_vec3 spin =
        sb_v_along(sb_v_along(sb_v_along((sb_vec3){ 0, 0, 0 }, right, turn.x), m->forward, turn.y),
                   m->up, turn.z);
    if (turn.x == 0 && turn.y == 0 && turn.z == 0) return;
    sb_motion_set_axes(m, sb_v_along(m->forward, sb_v_cross(spin, m->forward), dt),
                       sb_v_along(m->up, sb_v_cross(spin, m->up), dt));
}

void fight_fly(fight *f, unsigned index)
{
    fight_player        *p = &f->players[index];
    fight_pilot         *pilot = &p->pilot;
    sb_motion           *m = &p->views[index].ship.motion;
    const sb_ship_class *model = p->views[index].ship.model;
    const float          dt = FIGHT_STEP_US / 1e6f;
    if (f->now >= pilot->until) {
        if (f->config.session) choose_session_manoeuvre(f, pilot, model);
        else choose_battle_manoeuvre(f, pilot, model);
    }
    float change = model->max_accel * dt, missing = pilot->speed_wanted - pilot->speed;
    pilot->speed += missing > change ? change : missing < -change ? -change : missing;
    float speed = pilot->speed;
    if (pilot->wobble > 0) speed *= 1 + uniform(&f->random, -pilot->wobble, 0);
    turn_ship(m, pilot->turn, dt);
    sb_motion_set_speed(m, speed);
    m->position = sb_v_along(m->position, m->forward, speed * dt);
}

/* Power sliders and the cloak: often in a battle, rarely in a session. */
void fight_change_settings(fight *f, unsigned index)
{
    sb_ship *ship = &f->players[index].views[index].ship;
    if (!chance(&f->random, f->config.session ? 0.03 : 0.3)) return;
    if (ship->model->can_cloak && sb_random_below(&f->random, 3) == 0) {
        ship->cloaked = !ship->cloaked;
        return;
    }
    unsigned i = sb_random_below(&f->random, ship->model->subsystem_count);
    ship->power_wanted[i] = (float)sb_random_below(&f->random, 6) * 0.25f;
}

/* ---- damage, which the host decides ---- */

static void lower_by_share(float *value, float max, float share)
{
    *value -= max * share;
    if (*value < 0) *value = 0;
}

static void hit_ship(fight *f, sb_ship *ship)
{
    const sb_ship_class *m = ship->model;
    uint32_t             kind = sb_random_below(&f->random, 10);
    float                share = uniform(&f->random, 0.01f, 0.15f);
    if (kind < 6) {
        unsigned i = sb_random_below(&f->random, SB_FACINGS);
        lower_by_share(&ship->facing[i], m->shield_max[i], share * 3);
    } else if (kind < 8 && m->child_count > 0) {
        unsigned i = sb_random_below(&f->random, m->child_count);
        lower_by_share(&ship->child_condition[i], m->children[i].max_condition, share * 2);
    } else {
        unsigned i = sb_random_below(&f->random, m->subsystem_count);
        lower_by_share(&ship->condition[i], m->subsystems[i].max_condition, share);
    }
}

static void raise_up_to(float *value, float max, float by)
{
    *value = *value + by < max ? *value + by : max;
}

static void recover(sb_ship *ship, float dt)
{
    const sb_ship_class *m = ship->model;
    for (unsigned i = 0; i < SB_FACINGS; i++)
        raise_up_to(&ship->facing[i], m->shield_max[i], m->shield_rate[i] * dt);
    if (m->main_battery > 0)
        raise_up_to(&ship->main_battery, m->main_battery, m->power_output * dt);
}

void fight_damage_ship(fight *f, unsigned index)
{
    sb_ship *ship = &f->host[index].view.ship;
    if (chance(&f->random, 0.8)) hit_ship(f, ship);
    if (chance(&f->random, 1.0))
        lower_by_share(&ship->main_battery, ship->model->main_battery, 0.01f);
    if (chance(&f->random, 0.05))
        lower_by_share(&ship->backup_battery, ship->model->backup_battery, 0.05f);
    recover(ship, FIGHT_STEP_US / 1e6f);
}

/* ---- death ---- */

static void destroy_ship(sb_ship *ship)
{
    for (unsigned i = 0; i < ship->model->subsystem_count; i++) ship->condition[i] = 0;
    for (unsigned i = 0; i < ship->model->child_count; i++) ship->child_condition[i] = 0;
    for (unsigned i = 0; i < SB_FACINGS; i++) ship->facing[i] = 0;
}

/* A ship dies, is a wreck for a while, disappears, and the player spawns a new one. */
void fight_update_life(fight *f, unsigned index)
{
    fight_player *p = &f->players[index];
    fight_hosted *h = &f->host[index];
    bool replaced = f->config.session && p->alive && choose_species(f, index) != p->species;
    bool dies = f->config.deaths && p->steps_to_spawn == 0 && chance(&f->random, 0.02);
    if (h->listed && (dies || replaced) && p->steps_to_spawn == 0) {
        if (dies) destroy_ship(&h->view.ship);
        f->report->deaths++;
        p->steps_to_spawn = WRECK_STEPS + ABSENT_STEPS;
    }
    if (p->steps_to_spawn == 0) return;
    p->steps_to_spawn--;
    if (p->steps_to_spawn == ABSENT_STEPS) {
        p->alive = false;
        sb_replica_remove_ship(f->replica, h->view.ship.object_id);
        h->listed = false;
    }
    if (p->steps_to_spawn == 0) fight_create_ship(f, index);
}
