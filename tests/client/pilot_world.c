/* tests/client/pilot_world.c -- see pilot_world.h. Figures and rules: spec 10 §6, §8, §10, §11. */
#include "pilot_world.h"

#include <math.h>
#include <string.h>

#define TICK_S     ((float)WORLD_TICK_US / 1e6f)
#define TOLERANCE  0.09f /* of arcs (spec 10 §6.2) */
#define CLOAK_TIME 5.0f
#define DELAY      0.625f   /* seconds before a beam collects damage (spec 10 §6.2) */
#define QUANTUM    0.53125f /* seconds between the strikes of a beam */
#define BURST_US                                                                                   \
    3000000 /* a cannon that paused longer starts a new burst (stricter than a host)               \
             */

static sb_vec3 sub(sb_vec3 a, sb_vec3 b)
{
    return (sb_vec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static sb_vec3 along(sb_vec3 a, sb_vec3 b, float k)
{
    return (sb_vec3){ a.x + b.x * k, a.y + b.y * k, a.z + b.z * k };
}

static float dot(sb_vec3 a, sb_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static float length(sb_vec3 a)
{
    return sqrtf(dot(a, a));
}

static sb_vec3 cross(sb_vec3 a, sb_vec3 b)
{
    return (sb_vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static sb_vec3 to_local(const sb_motion *m, sb_vec3 v)
{
    return (sb_vec3){ dot(cross(m->forward, m->up), v), dot(m->forward, v), dot(m->up, v) };
}

static sb_vec3 vec_of(const float v[3])
{
    return (sb_vec3){ v[0], v[1], v[2] };
}

const char *complaint_name(complaint c)
{
    static const char *const names[COMPLAINTS] = { "speed", "acceleration", "turn", "jump",
                                                   "arc",   "range",        "rate", "gate",
                                                   "force", "collisions",   "mates" };
    return names[c];
}

static void complain(const sb_client *c, complaint what)
{
    c->world->complaints[what]++;
}

unsigned world_complaints(const world *w)
{
    unsigned sum = 0;
    for (int i = 0; i < COMPLAINTS; i++) sum += w->complaints[i];
    return sum;
}

static void note(const sb_client *c, const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    uint64_t       h = c->world->digest ^ (uint64_t)c->world->now ^ ((uint64_t)c->id << 56);
    for (size_t i = 0; i < size; i++) h = (h ^ b[i]) * 0x100000001B3u;
    c->world->digest = h;
}

/* ---- the table of ships ---- */

static sb_client *owner_of(world *w, uint32_t object_id)
{
    for (unsigned i = 0; object_id && i < w->count; i++)
        if (w->clients[i].ship.used && w->clients[i].ship.ship.object_id == object_id)
            return &w->clients[i];
    return NULL;
}

float world_distance(const sb_client *a, const sb_client *b)
{
    return length(sub(a->ship.ship.motion.position, b->ship.ship.motion.position));
}

void world_init(world *w)
{
    memset(w, 0, sizeof *w);
    w->now = 5 * SB_SECOND;
    w->next_id = 0x40000000;
    world_set_map(w, "Multiplayer.Episode.Mission1.Mission1");
}

void world_set_map(world *w, const char *script)
{
    w->settings.map = (sb_span){ (const uint8_t *)script, strlen(script) };
}

static sb_client *add_client(world *w)
{
    sb_client *c = &w->clients[w->count];
    c->world = w;
    c->index = w->count;
    c->id = (uint8_t)(2 + w->count);
    c->phase = SB_CLIENT_LOBBY;
    c->nearest = 1e9f;
    w->players[w->count] =
        (sb_seen_player){ .used = true, .in_list = true, .peer_id = c->id, .team = SB_NO_TEAM };
    w->count++;
    return c;
}

sb_client *world_add_pilot(world *w, const sb_pilot_config *config)
{
    sb_client *c = add_client(w);
    c->flown = true;
    sb_pilot_init(&c->pilot, config, w->now);
    return c;
}

static void load_books(sb_client *c)
{
    const sb_ship_class *m = c->ship.ship.model;
    for (unsigned i = 0; m && i < m->child_count; i++) {
        c->books[i] = (book){ .fired_at = -3600 * SB_SECOND };
        if (!m->children[i].weapon) continue;
        c->books[i].charge = m->children[i].weapon->max_charge;
        c->books[i].ready = m->children[i].weapon->max_ready;
    }
    memset(c->beams_at, 0, sizeof c->beams_at);
    c->cloak_timer = 0;
}

void world_put(sb_client *c, uint8_t species, sb_vec3 position, sb_vec3 forward)
{
    const sb_ship_class *model = sb_find_ship(sb_stock_ships(), species);
    sb_vec3              up = { 0, 0, 1 };
    if (fabsf(forward.z) > 0.9f) up = (sb_vec3){ 1, 0, 0 };
    c->ship = (sb_seen_ship){ .used = true, .own = true, .peer_id = c->id };
    sb_ship_init(&c->ship.ship, model, species, c->world->next_id);
    c->world->next_id += 64;
    strcpy(c->ship.set_name, "Multi1");
    sb_motion_set_axes(&c->ship.ship.motion, forward, up);
    c->ship.ship.motion.position = position;
    c->placed_at = c->world->now;
    c->phase = SB_CLIENT_FLYING;
    load_books(c);
}

sb_client *world_add_dummy(world *w, uint8_t species, sb_vec3 position, sb_vec3 forward,
                           float speed)
{
    sb_client *c = add_client(w);
    world_put(c, species, position, forward);
    sb_motion_set_speed(&c->ship.ship.motion, speed);
    return c;
}

void world_kill(sb_client *victim, sb_client *killer)
{
    if (!victim->ship.used || victim->ship.exploding) return;
    victim->ship.exploding = true;
    victim->ship.gone_at = victim->world->now + 9500000;
    victim->world->deaths++;
    victim->world->players[victim->index].deaths++;
    memset(victim->beams_at, 0, sizeof victim->beams_at);
    if (killer) victim->world->players[killer->index].kills++;
}

/* ---- a host's view of weapons ---- */

static bool in_arc(const sb_weapon_class *w, sb_vec3 to)
{
    sb_vec3 f = vec_of(w->forward), u = vec_of(w->up), r = cross(f, u);
    float   a = dot(to, f), s = dot(to, r), width = atan2f(s, a);
    float   height = atan2f(dot(to, u), sqrtf(a * a + s * s));
    return width >= w->arc_width[0] - TOLERANCE && width <= w->arc_width[1] + TOLERANCE &&
           height >= w->arc_height[0] - TOLERANCE && height <= w->arc_height[1] + TOLERANCE;
}

static void hurt(sb_client *by, sb_client *victim, float damage)
{
    sb_ship *s = &victim->ship.ship;
    if (by->world->harmless || victim->ship.exploding) return;
    sb_vec3     from = sub(by->ship.ship.motion.position, s->motion.position);
    sb_vec3     v = to_local(&s->motion, from);
    const float sides[6] = { v.y, -v.y, v.z, -v.z, -v.x, v.x };
    unsigned    facing = 0;
    for (unsigned i = 1; i < 6; i++)
        if (sides[i] > sides[facing]) facing = i;
    by->damage_done += damage;
    float fraction = s->facing[facing] / s->model->shield_max[facing]; /* spec 10 §5.2 */
    float stopped = fraction <= 0.1f ? 0 : fminf(1, 0.4f + 1.2f * (fraction - 0.1f)) * damage;
    stopped = fminf(stopped, s->facing[facing]);
    s->facing[facing] -= stopped;
    s->condition[0] -= damage - stopped;
    if (s->condition[0] > 0) return;
    s->condition[0] = 0;
    world_kill(victim, by);
}

static void reload(sb_client *c, book *b, const sb_weapon_class *w)
{
    int loaded = 0;
    for (int k = 0; k < w->max_ready && k < 4; k++) {
        if (b->loaded_at[k] == 0 || c->world->now < b->loaded_at[k]) continue;
        b->loaded_at[k] = 0;
        loaded++;
    }
    b->ready += loaded;
}

/* One tick of a bank: in arc it fires until it is empty, and strikes after the delay, once in each
 * QUANTUM. */
static void fire_bank(sb_client *c, unsigned system, unsigned child, sb_client *target)
{
    static const float        damage[] = { 0.25f, 0.5f, 0.5f }, drain[] = { 0.35f, 1, 1 };
    const sb_subsystem_class *s = &c->ship.ship.model->children[child];
    book                     *b = &c->books[child];
    unsigned                  level = c->ship.ship.setting[system];
    sb_vec3                   to = to_local(&c->ship.ship.motion,
                                            sub(target->ship.ship.motion.position, c->ship.ship.motion.position));
    to = sub(to, vec_of(s->position));
    float far = length(to), full = s->weapon->max_damage_distance;
    bool  started = b->firing;
    b->firing = (b->firing || b->charge >= s->weapon->min_firing_charge) && b->charge > 0 &&
                in_arc(s->weapon, to) && !sb_ship_is_child_disabled(&c->ship.ship, child);
    if (!started) b->age = 0;
    if (!started) b->strikes = 0;
    if (!b->firing) return;
    b->age += TICK_S;
    b->charge -= drain[level] * TICK_S;
    if (b->age < DELAY + QUANTUM * (float)(b->strikes + 1)) return;
    b->strikes++;
    c->strikes++;
    hurt(c, target, s->weapon->max_damage * damage[level] * QUANTUM * fminf(1, full / far));
}

/* The bank of a single-fire system that fires, or the first that can. */
static unsigned single_bank(const sb_client *c, const sb_subsystem_class *s)
{
    for (unsigned k = s->first_child; k < (unsigned)s->first_child + s->child_count; k++)
        if (c->books[k].firing) return k;
    return SB_SHIP_CHILDREN_MAX;
}

static void tick_weapons(sb_client *c)
{
    const sb_ship_class *m = c->ship.ship.model;
    for (unsigned i = 0; i < m->subsystem_count; i++) {
        const sb_subsystem_class *s = &m->subsystems[i];
        sb_client                *target = owner_of(c->world, c->beams_at[i]);
        for (unsigned k = s->first_child; k < (unsigned)s->first_child + s->child_count; k++) {
            const sb_weapon_class *w = m->children[k].weapon;
            book                  *b = &c->books[k];
            if (!w) continue;
            if (m->children[k].type == SB_SUBSYSTEM_TORPEDO_TUBE) {
                reload(c, b, w);
                continue;
            }
            b->firing = b->firing && target;
            if (!b->firing)
                b->charge =
                    fminf(w->max_charge,
                          b->charge + w->recharge_rate * c->ship.ship.power_wanted[i] * TICK_S);
            unsigned only =
                s->single_fire == SB_PROPERTY_YES ? single_bank(c, s) : SB_SHIP_CHILDREN_MAX;
            if (only != SB_SHIP_CHILDREN_MAX && only != k) continue;
            if (target && !target->ship.exploding && s->type == SB_SUBSYSTEM_PHASER_SYSTEM)
                fire_bank(c, i, k, target);
        }
    }
}

static void tick_cloak(sb_client *c)
{
    float change = c->ship.ship.cloaked ? TICK_S : -TICK_S;
    c->cloak_timer = fminf(CLOAK_TIME, fmaxf(0, c->cloak_timer + change));
    if (!c->ship.ship.cloaked) return;
    for (unsigned i = 0; i < c->ship.ship.model->subsystem_count; i++)
        if (c->ship.ship.model->subsystems[i].type == SB_SUBSYSTEM_CLOAK)
            c->ship.ship.backup_battery -=
                c->ship.ship.model->subsystems[i].power_per_second * TICK_S;
}

/* ---- time ---- */

void world_refresh(sb_client *c)
{
    for (unsigned i = 0; i < c->world->count; i++) {
        sb_client *other = &c->world->clients[i];
        c->views[i] = other->ship;
        c->views[i].own = other == c;
        for (unsigned k = 0; k < SB_SUBSYSTEMS_MAX; k++)
            c->views[i].firing[k] = other->beams_at[k] != 0;
    }
}

static void measure(sb_client *c)
{
    for (unsigned i = 0; i < c->world->count; i++) {
        const sb_client *other = &c->world->clients[i];
        if (other == c || !other->ship.used || !c->ship.used) continue;
        float gap = world_distance(c, other) - 0.5f * (c->ship.ship.model->bound_radius +
                                                       other->ship.ship.model->bound_radius);
        if (gap < c->nearest) c->nearest = gap;
    }
}

static void tick(sb_client *c)
{
    sb_motion *m = &c->ship.ship.motion;
    if (c->ship.used && c->ship.exploding && c->world->now >= c->ship.gone_at) c->ship.used = false;
    if (c->ship.used && !c->flown) m->position = along(m->position, m->forward, m->speed * TICK_S);
    if (c->ship.used && !c->ship.exploding) {
        tick_weapons(c);
        tick_cloak(c);
        measure(c);
    }
    world_refresh(c);
    if (c->flown && c->world->now >= sb_pilot_next_deadline(&c->pilot))
        sb_pilot_step(&c->pilot, c, c->world->now);
}

void world_run(world *w, float seconds)
{
    unsigned ticks = (unsigned)(seconds / TICK_S + 0.5f);
    for (unsigned n = 0; n < ticks; n++) {
        w->now += WORLD_TICK_US;
        for (unsigned i = 0; i < w->count; i++) tick(&w->clients[i]);
    }
}

/* ---- what a pilot sees ---- */

sb_client_phase sb_client_phase_of(const sb_client *c)
{
    return c->phase;
}

bool sb_client_is_over(const sb_client *c)
{
    return c->phase == SB_CLIENT_OVER;
}

uint8_t sb_client_id(const sb_client *c)
{
    return c->id;
}

const sb_settings *sb_client_settings(const sb_client *c)
{
    return &c->world->settings;
}

bool sb_client_is_game_over(const sb_client *c)
{
    return c->game_over;
}

const sb_seen_ship *sb_client_ship(const sb_client *c, unsigned index)
{
    index -= c->world->first_row;
    if (index >= c->world->count) return NULL;
    const sb_seen_ship *s = index == c->index ? &c->ship : &c->views[index];
    return s->used ? s : NULL;
}

const sb_seen_player *sb_client_player(const sb_client *c, unsigned index)
{
    index -= c->world->first_row;
    return index < c->world->count ? &c->world->players[index] : NULL;
}

const sb_seen_player *sb_client_find_player(const sb_client *c, uint8_t peer_id)
{
    for (unsigned i = 0; i < c->world->count; i++)
        if (c->world->players[i].peer_id == peer_id) return &c->world->players[i];
    return NULL;
}

const sb_seen_ship *sb_client_own_ship(const sb_client *c)
{
    return c->ship.used ? &c->ship : NULL;
}

sb_vec3 sb_client_position(const sb_client *c, const sb_seen_ship *ship, sb_time now)
{
    (void)c;
    (void)now;
    return ship->ship.motion.position;
}

sb_pull sb_client_pull(const sb_client *c, sb_time now)
{
    (void)now;
    return c->pull;
}

/* ---- what a pilot does ---- */

sb_result sb_client_spawn(sb_client *c, sb_time now, uint8_t species, sb_vec3 position,
                          sb_vec3 forward, sb_vec3 up)
{
    c->last_spawn.orders++;
    c->last_spawn.species = species;
    c->last_spawn.position = position;
    c->last_spawn.forward = forward;
    c->last_spawn.up = up;
    if (c->refuses) return SB_FULL;
    if (c->game_over || !sb_find_ship(sb_stock_ships(), species)) return SB_NOT_ALLOWED;
    world_put(c, species, position, forward);
    note(c, &now, sizeof now);
    note(c, &position, sizeof position);
    return SB_OK;
}

/* The angle between two unit vectors, also when it is small. */
static float angle(sb_vec3 a, sb_vec3 b)
{
    return atan2f(length(cross(a, b)), dot(a, b));
}

static void check_motion(sb_client *c, sb_vec3 position, sb_vec3 forward, sb_vec3 up, float speed)
{
    const sb_ship_class *m = c->ship.ship.model;
    const sb_motion     *was = &c->ship.ship.motion;
    float                dt = (float)(c->world->now - c->placed_at) / 1e6f + 0.011f;
    float                most = sb_ship_speed_limit(&c->ship.ship, 1, 0);
    float                allowed = fmaxf(most, fabsf(was->speed)) + 1e-3f;
    if (fabsf(speed) > allowed || fabsf(speed) > m->max_speed * 1.25f + 1e-3f)
        complain(c, BAD_SPEED);
    float top = fmaxf(most, fabsf(was->speed));
    float more = c->push + 1e-3f;
    if (speed > sb_motion_approach(was->speed, top, m->max_accel, dt) + more ||
        speed < sb_motion_approach(was->speed, -top, m->max_accel, dt) - more)
        complain(c, BAD_ACCELERATION);
    if (angle(forward, was->forward) > m->max_angular_velocity * dt ||
        angle(up, was->up) > m->max_angular_velocity * dt)
        complain(c, BAD_TURN);
    if (length(sub(position, was->position)) > m->max_speed * 1.25f * dt) complain(c, BAD_JUMP);
    if (fabsf(dot(forward, up)) > 1e-3f || fabsf(length(forward) - 1) > 1e-3f)
        complain(c, BAD_TURN);
    c->push = 0;
}

sb_result sb_client_place(sb_client *c, sb_time now, sb_vec3 position, sb_vec3 forward, sb_vec3 up,
                          float speed)
{
    if (c->refuses) return SB_FULL;
    if (!c->ship.used) return SB_NOT_ALLOWED;
    check_motion(c, position, forward, up, speed);
    sb_motion *m = &c->ship.ship.motion;
    m->position = position;
    m->forward = forward;
    m->up = up;
    m->speed = speed;
    c->placed_at = now;
    c->places++;
    note(c, &position, sizeof position);
    note(c, &forward, sizeof forward);
    return SB_OK;
}

sb_result sb_client_cloak(sb_client *c, sb_time now, bool on)
{
    if (c->refuses) return SB_FULL;
    (void)now;
    if (!c->ship.used || c->ship.exploding) return SB_NOT_ALLOWED;
    for (unsigned i = 0; on && i < SB_SUBSYSTEMS_MAX; i++)
        if (c->beams_at[i]) complain(c, BAD_GATE);
    c->ship.ship.cloaked = on;
    c->cloaks += on;
    note(c, &on, sizeof on);
    return SB_OK;
}

sb_result sb_client_power(sb_client *c, sb_time now, unsigned index, float wanted)
{
    if (c->refuses) return SB_FULL;
    (void)now;
    if (!c->ship.used || c->ship.exploding) return SB_NOT_ALLOWED;
    if (!(wanted > 0 && wanted <= 1.25f)) return SB_BAD_VALUE;
    c->ship.ship.power_wanted[index] = wanted;
    c->powers++;
    note(c, &wanted, sizeof wanted);
    return SB_OK;
}

/* Spec 10 §6.1; the shooter's part and the target's. */
static sb_client *gate(sb_client *c, unsigned index, uint32_t target)
{
    sb_client *at = owner_of(c->world, target);
    uint8_t    own = c->world->players[c->index].team;
    bool       works = c->ship.ship.on[index] && !sb_ship_is_disabled(&c->ship.ship, index);
    /* What it could see: a spread's first torpedo may kill before the second one leaves. */
    const sb_seen_ship *seen = at ? &c->views[at->index] : NULL;
    if (!seen || seen->exploding || seen->ship.cloaked || c->ship.ship.cloaked ||
        c->cloak_timer > 0 || !works)
        complain(c, BAD_GATE);
    if (at && own != SB_NO_TEAM && c->world->players[at->index].team == own) complain(c, BAD_MATE);
    return at;
}

sb_result sb_client_start_firing(sb_client *c, sb_time now, unsigned index, uint32_t target)
{
    if (c->refuses) return SB_FULL;
    (void)now;
    if (!c->ship.used || c->ship.exploding) return SB_NOT_ALLOWED;
    const sb_ship_class *m = c->ship.ship.model;
    sb_client           *at = gate(c, index, target);
    bool                 any = false, near = false;
    for (unsigned i = 0; at && i < m->subsystems[index].child_count; i++) {
        const sb_subsystem_class *s = &m->children[m->subsystems[index].first_child + i];
        sb_vec3 to = sub(at->ship.ship.motion.position, c->ship.ship.motion.position);
        to = sub(to_local(&c->ship.ship.motion, to), vec_of(s->position));
        any |= in_arc(s->weapon, to);
        near |= length(to) <= s->weapon->max_damage_distance + 1; /* beyond, damage falls */
    }
    if (!any) complain(c, BAD_ARC);
    if (!near) complain(c, BAD_RANGE);
    c->beams_at[index] = target;
    c->beams++;
    note(c, &target, sizeof target);
    return SB_OK;
}

sb_result sb_client_stop_firing(sb_client *c, sb_time now, unsigned index)
{
    if (c->refuses) return SB_FULL;
    (void)now;
    c->beams_at[index] = 0;
    c->stops++;
    note(c, &index, sizeof index);
    return c->ship.used ? SB_OK : SB_NOT_ALLOWED;
}

/* A shot that flies straight hits if it meets where the target will be. */
static void let_fly(sb_client *c, sb_client *at, uint8_t type, sb_vec3 direction)
{
    c->last_shot.type = type;
    c->last_shot.direction = direction;
    c->last_shot.target = at ? at->ship.ship.object_id : 0;
    const sb_projectile_class *shot = sb_find_projectile(sb_stock_projectiles(), type);
    if (!shot || !at) return;
    const sb_motion *m = &at->ship.ship.motion;
    float            seconds = world_distance(c, at) / shot->launch_speed;
    sb_vec3          then = along(m->position, m->forward, m->speed * seconds);
    sb_vec3          to = sub(then, c->ship.ship.motion.position);
    sb_vec3          beside = along(to, direction, -dot(to, direction));
    float            factor = shot->kind == SB_PROJECTILE_BOLT ? 0.5f : 1; /* spec 10 §6.3 */
    if (length(beside) < at->ship.ship.model->bound_radius) hurt(c, at, shot->damage * factor);
}

sb_result sb_client_torpedo(sb_client *c, sb_time now, unsigned index, unsigned child,
                            uint8_t projectile_type, sb_vec3 direction, uint32_t target)
{
    if (c->refuses) return SB_FULL;
    if (!c->ship.used || c->ship.exploding) return SB_NOT_ALLOWED;
    const sb_ship_class *m = c->ship.ship.model;
    unsigned             k = m->subsystems[index].first_child + child;
    book                *b = &c->books[k];
    sb_client           *at = gate(c, index, target);
    sb_vec3              local = to_local(&c->ship.ship.motion, direction);
    float                since = (float)(now - b->fired_at) / 1e6f;
    if (sb_ship_is_child_disabled(&c->ship.ship, k)) complain(c, BAD_GATE);
    if (dot(local, vec_of(m->children[k].weapon->forward)) < 0.9f) complain(c, BAD_ARC);
    if (b->ready < 1 || since < m->children[k].weapon->immediate_delay) complain(c, BAD_RATE);
    if (c->torpedo_at && now - c->torpedo_at < 656000) complain(c, BAD_RATE);
    c->torpedo_at = now;
    b->ready--;
    b->fired_at = now;
    for (int i = 0; i < 4; i++)
        if (b->loaded_at[i] == 0) {
            b->loaded_at[i] = now + (sb_time)(m->children[k].weapon->reload_delay * 1e6f);
            break;
        }
    c->torpedoes++;
    c->last_shot.index = index;
    c->last_shot.child = child;
    note(c, &direction, sizeof direction);
    let_fly(c, at, projectile_type, direction);
    return SB_OK;
}

sb_result sb_client_pulse(sb_client *c, sb_time now, unsigned index, unsigned child,
                          uint8_t projectile_type, sb_vec3 direction, uint32_t target)
{
    if (c->refuses) return SB_FULL;
    if (!c->ship.used || c->ship.exploding) return SB_NOT_ALLOWED;
    const sb_ship_class *m = c->ship.ship.model;
    unsigned             k = m->subsystems[index].first_child + child;
    book                *b = &c->books[k];
    sb_client           *at = gate(c, index, target);
    sb_vec3              local = to_local(&c->ship.ship.motion, direction);
    if (sb_ship_is_child_disabled(&c->ship.ship, k)) complain(c, BAD_GATE);
    if (!in_arc(m->children[k].weapon, local)) complain(c, BAD_ARC);
    bool  burst = now - b->fired_at < BURST_US;
    float needed = burst ? 1 : m->children[k].weapon->min_firing_charge;
    if (b->charge < needed - 0.01f || now - b->fired_at < 330000) complain(c, BAD_RATE);
    float cooldown = m->children[k].weapon->cooldown_time; /* NaN: unknown */
    if (cooldown > 0 && now - b->fired_at < (sb_time)(cooldown * 1e6f)) complain(c, BAD_RATE);
    b->charge -= 1;
    b->fired_at = now;
    c->pulses++;
    c->last_shot.index = index;
    c->last_shot.child = child;
    note(c, &direction, sizeof direction);
    let_fly(c, at, projectile_type, direction);
    return SB_OK;
}

sb_result sb_client_phaser_level(sb_client *c, sb_time now, unsigned index, uint8_t level)
{
    if (c->refuses) return SB_FULL;
    (void)now;
    c->ship.ship.setting[index] = level;
    return SB_OK;
}

sb_result sb_client_repair_first(sb_client *c, sb_time now, unsigned index, int child)
{
    if (c->refuses) return SB_FULL;
    (void)now;
    c->last_repair.orders++;
    c->last_repair.index = index;
    c->last_repair.child = child;
    note(c, &index, sizeof index);
    return SB_OK;
}

sb_result sb_client_target_changed(sb_client *c, sb_time now, uint32_t previous)
{
    if (c->refuses) return SB_FULL;
    (void)now;
    c->target_changes++;
    c->previous_target = previous;
    note(c, &previous, sizeof previous);
    return SB_OK;
}

sb_result sb_client_collision(sb_client *c, sb_time now, uint32_t other, sb_vec3 contact,
                              float force)
{
    if (c->refuses) return SB_FULL;
    const sb_ship_class *m = c->ship.ship.model;
    sb_client           *with = owner_of(c->world, other);
    float                fastest = m->max_speed + (with ? with->ship.ship.model->max_speed : 0);
    if (!with || force < 0 || force / m->mass > 2.5f * fastest + 1) complain(c, BAD_FORCE);
    if (length(contact) > m->bound_radius + 1e-3f) complain(c, BAD_FORCE);
    if (c->collided_at && now - c->collided_at < 250000) complain(c, BAD_COLLISION_RATE);
    c->collided_at = now;
    c->collisions++;
    c->last_force = force;
    c->last_other = other;
    c->last_contact = contact;
    c->push = force / m->mass;
    note(c, &force, sizeof force);
    return SB_OK;
}

sb_result sb_client_chat(sb_client *c, sb_time now, bool team, sb_span text)
{
    if (c->refuses) return SB_FULL;
    c->chat_to_team = team;
    size_t size = text.size < WORLD_CHAT_BYTES - 1 ? text.size : WORLD_CHAT_BYTES - 1;
    memcpy(c->last_chat, text.data, size);
    c->last_chat[size] = '\0';
    c->chat_times[c->chats++ % 8] = now;
    note(c, c->last_chat, size);
    return SB_OK;
}

sb_result sb_client_team(sb_client *c, sb_time now, uint8_t team)
{
    if (c->refuses) return SB_FULL;
    (void)now;
    c->world->players[c->index].team = team;
    c->teams++;
    note(c, &team, sizeof team);
    return SB_OK;
}
