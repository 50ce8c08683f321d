/* tests/server/gain_test.c -- every row of SB_IMPLAUSIBLE: what a modified client does, beside an
 * honest twin. At level 3 the modified client has no more than the twin; at every level it is
 * reported with evidence, and the twin is not. Spec 10 §15.1.
 */
#include "rig.h"

#include <starbase/message.h>

#include "base/bytes.h"
#include "player_messages.h"

#include <math.h>
#include <string.h>

enum { AKIRA = 1, SOVEREIGN = 5, BIRD_OF_PREY = 6, VORCHA = 7, KESSOK_HEAVY = 13 };
/* Creation indices of parts (spec 08 §2.1). */
enum { TUBES = 6, TORPEDOES = 5, HULL = 0, BIRD_CANNON = 4, BIRD_TUBE = 7, VORCHA_CANNON = 6 };
enum { PHOTON2 = 14, KLINGON = 6, POSITRON = 7 };
/* Types in PulseFire: what stock clients send, and two bolts of other ships. */
enum { STOCK_BOLT = 2, PULSE_DISRUPTOR = 8, KESSOK_BOLT = 11 };

static const sb_vec3 middle = { 0, 0, 0 }, forward = { 0, 1, 0 };

/* Alpha is the modified client or its twin, Beta the victim. */
typedef struct scene {
    room    *r;
    seat    *a, *b;
    uint32_t ship, victim;
} scene;

static scene open_scene_with(sb_server_config c, sb_fidelity level, uint8_t species, sb_vec3 victim)
{
    c.combat.fidelity = (uint8_t)level;
    c.trace_damage = true;
    c.system = 3;
    scene t = { .r = room_open(&c) };
    t.a = room_join(t.r, "Alpha");
    t.b = room_join(t.r, "Beta");
    t.ship = seat_spawn(t.r, t.a, species, middle);
    t.victim = seat_spawn(t.r, t.b, SOVEREIGN, victim);
    room_wait(t.r, 3 * SB_SECOND);
    return t;
}

static scene open_scene(sb_fidelity level, uint8_t species, sb_vec3 victim)
{
    sb_server_config c;
    sb_server_defaults(&c);
    return open_scene_with(c, level, species, victim);
}

/* ---- actions ---- */

static void pass(scene *t, unsigned ms)
{
    room_wait(t->r, (sb_time)ms * 1000);
}

static void fire_tube(scene *t, unsigned k, uint8_t type, sb_vec3 way)
{
    sb_message m = { .opcode = SB_OP_TORPEDO_FIRE };
    m.as.torpedo_fire = (sb_torpedo_fire){ .tube = t->ship + 1 + k,
                                           .projectile_type = type,
                                           .flags = 1,
                                           .direction = sb_encode_cv3(way),
                                           .target = t->victim };
    seat_say_message(t->r, t->a, &m);
}

static void fire_bolt(scene *t, unsigned k, uint8_t type, sb_vec3 way)
{
    sb_message m = { .opcode = SB_OP_PULSE_FIRE };
    m.as.pulse_fire = (sb_pulse_fire){ .weapon = t->ship + 1 + k,
                                       .projectile_type = type,
                                       .flags = 1,
                                       .direction = sb_encode_cv3(way) };
    seat_say_message(t->r, t->a, &m);
}

static void fire_cannon(scene *t, unsigned k, sb_vec3 way)
{
    fire_bolt(t, k, STOCK_BOLT, way);
}

static void say_event(scene *t, uint8_t opcode, uint32_t event_class, uint32_t code, unsigned k,
                      uint8_t value)
{
    sb_message m = event_message(opcode, event_class, code, t->ship + 1 + k);
    m.as.event.value = value;
    seat_say_message(t->r, t->a, &m);
}

/* Alpha says that `other` hit `damaged`. */
static void claim_collision(scene *t, uint32_t other, uint32_t damaged, float force)
{
    sb_message m = event_message(SB_OP_COLLISION, SB_EVENT_COLLISION, SB_CODE_COLLISION, damaged);
    m.as.event.source = other;
    m.as.event.contact_count = 1;
    m.as.event.contacts[0] = (sb_cv4b){ { 0, -127, 0 }, 100 };
    m.as.event.force = force;
    seat_say_message(t->r, t->a, &m);
}

static void collide(scene *t, uint32_t other, float force)
{
    claim_collision(t, other, t->ship, force);
}

static void say_state_late(scene *t, const sb_state_update *fields, float late)
{
    uint8_t    bytes[64];
    size_t     size;
    sb_message m = { .opcode = SB_OP_STATE_UPDATE };
    m.as.state_update = *fields;
    m.as.state_update.object_id = t->ship;
    m.as.state_update.game_time = (float)(t->r->now - 1000 * SB_SECOND) / 1e6f - late;
    CHECK_EQ(sb_encode_message(&m, NULL, bytes, sizeof bytes, &size), SB_OK);
    seat_say(t->r, t->a, SB_UNRELIABLE, (sb_span){ bytes, size });
}

static void say_state(scene *t, const sb_state_update *fields)
{
    say_state_late(t, fields, 0);
}

/* Sends a creation whose last bytes the caller changes. */
static size_t build_creation(scene *t, uint8_t species, uint8_t *bytes, size_t capacity)
{
    t->ship += 1000;
    return player_creation(species, t->ship, t->a->id, middle, "Multi3", bytes, capacity);
}

/* ---- measures ---- */

static double hits(const scene *t)
{
    return room_count_hits(t->r, t->victim);
}

/* What the victim's shields have lost. */
static double shields_lost(const scene *t)
{
    const sb_ship *ship = seat_view(t->r, t->b).ship;
    double         lost = 0;
    for (unsigned i = 0; i < SB_FACINGS; i++)
        lost += (double)(ship->model->shield_max[i] - ship->facing[i]);
    return lost;
}

/* The hull that a seat's ship has left. */
static double hull_of(const scene *t, const seat *s)
{
    return (double)seat_view(t->r, s).ship->condition[0];
}

static double way_flown(const scene *t)
{
    sb_vec3 at = seat_view(t->r, t->a).position;
    return sqrt((double)(at.x * at.x + at.y * at.y + at.z * at.z));
}

/* ---- one function per row: plays the scene, returns what the player has of it ---- */

typedef double play(scene *t, bool cheats);

/* Reports of a collision damage the reporter's own ship and excuse its turns and changes of speed.
 * An impossible force or a stream of reports could do more to a victim that touches the ship, less
 * to the ship itself, or excuse more; the twin reports the hardest collision that there is, once.
 */
static const float hardest = 19.75f; /* force / mass of a Sovereign and a body at rest (§8) */
static const float mass = 100.0f, kessok_mass = 500.0f, kessok_hardest = 10.25f;

static double play_force_on_victim(scene *t, bool cheats)
{
    double before = hull_of(t, t->b);
    if (cheats) claim_collision(t, t->ship, t->victim, 1e9f);
    collide(t, t->victim, cheats ? 1e9f : hardest * mass);
    return before - hull_of(t, t->b);
}

/* A Kessok Heavy survives its hardest collision, 9725 of 18,000 points. */
static double play_force_on_oneself(scene *t, bool cheats)
{
    collide(t, 0, cheats ? 1e9f : kessok_hardest * kessok_mass);
    return hull_of(t, t->a);
}

enum { COLLISIONS = 20 }; /* more than lag explains */

static double play_rate_on_victim(scene *t, bool cheats)
{
    double before = hull_of(t, t->b);
    for (unsigned i = 0; i < (cheats ? COLLISIONS : 1); i++) {
        if (cheats) claim_collision(t, t->ship, t->victim, 10.0f);
        collide(t, t->victim, 10.0f);
    }
    return before - hull_of(t, t->b);
}

static double play_rate_on_oneself(scene *t, bool cheats)
{
    for (unsigned i = 0; i < (cheats ? COLLISIONS : 1); i++) collide(t, 0, 20.0f);
    return hull_of(t, t->a);
}

static double play_collision_far(scene *t, bool cheats)
{
    if (cheats) collide(t, t->victim, 500.0f);
    return hits(t);
}

static double play_torpedo_rate(scene *t, bool cheats)
{
    for (unsigned i = 0; i < (cheats ? 8 : 1); i++) {
        fire_tube(t, TUBES, PHOTON2, forward);
        pass(t, 100);
    }
    pass(t, 3000);
    return hits(t);
}

/* The third slot of a Sovereign is empty. */
static double play_ammunition(scene *t, bool cheats)
{
    say_event(t, SB_OP_TORPEDO_TYPE, SB_EVENT_CHAR, SB_CODE_TORPEDO_TYPE_CHANGE_NOTIFY, TORPEDOES,
              2);
    pass(t, 41000);
    for (unsigned i = 0; cheats && i < 6; i++) fire_tube(t, TUBES + i % 4, 12, forward);
    pass(t, 4000);
    return hits(t);
}

static double play_torpedo_type(scene *t, bool cheats)
{
    fire_tube(t, BIRD_TUBE, cheats ? POSITRON : KLINGON, forward);
    pass(t, 8000);
    return hits(t);
}

/* A Kessok bolt does nine times the damage of the ship's own. */
static double play_bolt_type(scene *t, bool cheats)
{
    fire_bolt(t, BIRD_CANNON, cheats ? KESSOK_BOLT : STOCK_BOLT, forward);
    pass(t, 2000);
    return shields_lost(t);
}

/* Bolts. The allowance for lag lets a cannon fire up to 0.35 s early, and that time is owed: for
 * this moment it is one bolt ahead of the twin's, and never two, however long it fires (the minute
 * below). So these scenes count bolts in a given time, and the modified client has no more. */

/* The charge limits both to the same number. */
static double play_pulse_rate(scene *t, bool cheats)
{
    for (unsigned i = 0; i < (cheats ? 80 : 10); i++) {
        fire_cannon(t, VORCHA_CANNON, forward);
        pass(t, cheats ? 100 : 800);
    }
    pass(t, 2000);
    return hits(t);
}

/* The cooldown limits both: three bolts in the first two seconds. */
static double play_pulse_burst(scene *t, bool cheats)
{
    for (unsigned i = 0; i < (cheats ? 20 : 3); i++) {
        fire_cannon(t, VORCHA_CANNON, forward);
        pass(t, cheats ? 100 : 800);
    }
    pass(t, 2000);
    return hits(t);
}

/* Nine seconds: four bolts use up the charge, then one comes every 2 s. */
static double play_pulse_charge(scene *t, bool cheats)
{
    static const uint16_t wait[] = { 330, 330, 330, 1510, 2000, 2000, 2000, 500 };
    for (unsigned i = 0; i < (cheats ? 90 : 8); i++) {
        fire_cannon(t, BIRD_CANNON, forward);
        pass(t, cheats ? 100 : wait[i]);
    }
    pass(t, 2000);
    return hits(t);
}

static double play_cloaked_fire(scene *t, bool cheats)
{
    say_event(t, SB_OP_START_CLOAKING, SB_EVENT_PLAIN, SB_CODE_START_CLOAKING_NOTIFY, 13, 0);
    pass(t, 6000);
    for (unsigned i = 0; cheats && i < 6; i++) fire_cannon(t, BIRD_CANNON, forward);
    pass(t, 2000);
    return hits(t);
}

static double play_weapon_gate(scene *t, bool cheats)
{
    say_event(t, SB_OP_SUBSYSTEM_STATUS, SB_EVENT_BOOL, SB_CODE_SUBSYSTEM_STATUS_NOTIFY, TORPEDOES,
              0);
    for (unsigned i = 0; cheats && i < 6; i++) fire_tube(t, TUBES + i % 4, PHOTON2, forward);
    pass(t, 3000);
    return hits(t);
}

static double play_unarmed(scene *t, bool cheats)
{
    t->ship = seat_replace(t->r, t->a, SOVEREIGN, middle);
    for (unsigned i = 0; cheats && i < 6; i++) fire_tube(t, TUBES + i % 4, PHOTON2, forward);
    pass(t, 3000);
    return hits(t);
}

/* The arc ends at 0.44 rad; a turn of 3 s explains 1.5 rad more. */
static double play_arc(scene *t, bool cheats)
{
    for (unsigned i = 0; cheats && i < 45; i++)
        fire_cannon(t, BIRD_CANNON + i % 2, (sb_vec3){ 0.9f, 0.43f, 0 });
    pass(t, 3000);
    return hits(t);
}

static double play_behind(scene *t, bool cheats)
{
    for (unsigned i = 0; cheats && i < 4; i++) {
        fire_cannon(t, BIRD_CANNON + i % 2, (sb_vec3){ 0, -1, 0 });
        pass(t, 500);
    }
    pass(t, 3000);
    return hits(t);
}

static double play_not_its_weapon(scene *t, bool cheats)
{
    if (cheats) fire_tube(t, HULL, PHOTON2, forward);
    pass(t, 3000);
    return hits(t);
}

static double play_no_ship(scene *t, bool cheats)
{
    room_wait(t->r, SB_SECOND);
    sb_server_restart_match(t->r->server, t->r->now); /* nobody has a ship */
    t->victim = seat_spawn(t->r, t->b, SOVEREIGN, (sb_vec3){ 0, 20, 0 });
    for (unsigned i = 0; cheats && i < 240; i++) {
        fire_tube(t, TUBES, PHOTON2, forward);
        if (i % 4 == 0) pass(t, 50);
    }
    pass(t, 3000);
    return hits(t);
}

static double play_speed(scene *t, bool cheats)
{
    for (unsigned i = 0; i < 5; i++) {
        sb_state_update u = { .flags = SB_STATE_SPEED,
                              .speed_code = sb_encode_cf16(cheats ? 5000.0f : 0.0f) };
        say_state(t, &u);
        pass(t, 100);
    }
    return way_flown(t);
}

static double play_position(scene *t, bool cheats)
{
    sb_state_update u = { .flags = SB_STATE_POS, .position = { cheats ? 500.0f : 0.0f, 0, 0 } };
    say_state(t, &u);
    pass(t, 500);
    return way_flown(t);
}

/* Angle between the ship's nose and the course it had at first, forward, in degrees. */
static double turned_by(const scene *t)
{
    sb_vec3 nose = seat_view(t->r, t->a).ship->motion.forward;
    return acos((double)nose.y) * 57.29578;
}

static sb_state_update facing(double angle)
{
    return (sb_state_update){
        .flags = SB_STATE_FWD | SB_STATE_UP,
        .forward = sb_encode_cv3((sb_vec3){ (float)sin(angle), (float)cos(angle), 0 }),
        .up = sb_encode_cv3((sb_vec3){ 0, 0, 1 }),
    };
}

/* A whole half turn at once; the twin turns for two seconds as fast as engines with all their power
 * turn a ship about all three axes, 0.65 rad/s. Both say it ten times a second. */
static double play_turn(scene *t, bool cheats)
{
    sb_state_update straight = facing(0);
    say_state(t, &straight);
    for (unsigned i = 1; i <= 20; i++) {
        sb_state_update u = facing(cheats ? 3.14159 : 0.065 * i);
        pass(t, 100);
        say_state(t, &u);
    }
    double result = turned_by(t);
    for (unsigned i = 0; i < 20; i++) {
        sb_state_update u = facing(cheats ? 3.14159 : 1.3);
        pass(t, 100);
        say_state(t, &u);
    }
    return result;
}

/* Full speed at once; the twin's engines reach 1.6 units/s in a second. */
static double play_acceleration(scene *t, bool cheats)
{
    double          result = 0;
    sb_state_update rest = { .flags = SB_STATE_SPEED };
    say_state(t, &rest);
    for (unsigned i = 1; i <= 40; i++) {
        float           speed = cheats ? 7.5f : fminf(0.16f * (float)i, 6.0f);
        sb_state_update u = { .flags = SB_STATE_SPEED, .speed_code = sb_encode_cf16(speed) };
        pass(t, 100);
        say_state(t, &u);
        if (i == 10) result = (double)seat_view(t->r, t->a).ship->motion.speed;
    }
    return result;
}

/* Says ten times a second for 2 s that the ship has turned by this angle, after these reports of a
 * collision. Returns for how many of these updates others see it so. */
static double turn_after(scene *t, double angle, unsigned reports, float force)
{
    double          seen = 0;
    sb_state_update u = facing(0);
    say_state(t, &u);
    for (unsigned i = 0; i < reports; i++) collide(t, 0, force);
    u = facing(angle);
    for (unsigned i = 0; i < 20; i++) {
        pass(t, 100);
        say_state(t, &u);
        seen += turned_by(t) > 57 * angle;
    }
    return seen;
}

/* The same for a speed: the ship is at rest before. */
static double speed_after(scene *t, float speed, unsigned reports, float force)
{
    double          seen = 0;
    sb_state_update u = { .flags = SB_STATE_SPEED };
    say_state(t, &u);
    for (unsigned i = 0; i < reports; i++) collide(t, 0, force);
    u.speed_code = sb_encode_cf16(speed);
    for (unsigned i = 0; i < 20; i++) {
        pass(t, 100);
        say_state(t, &u);
        seen += (double)seat_view(t->r, t->a).ship->motion.speed > 0.9 * (double)speed;
    }
    return seen;
}

static double play_force_turn(scene *t, bool cheats)
{
    return turn_after(t, 3.1, 1, cheats ? 1e9f : hardest * mass);
}

/* A Sovereign has 9.4 units/s at most: its hardest collision explains that already. */
static double play_force_speed(scene *t, bool cheats)
{
    return speed_after(t, 9.3f, 1, cheats ? 1e9f : hardest * mass);
}

static double play_rate_turn(scene *t, bool cheats)
{
    return turn_after(t, 1.4, cheats ? COLLISIONS : 1, 300.0f);
}

static double play_rate_speed(scene *t, bool cheats)
{
    return speed_after(t, 7.5f, cheats ? COLLISIONS : 1, 200.0f);
}

/* The server's copy of the ship is damaged; its owner claims an intact hull. */
static double play_health(scene *t, bool cheats)
{
    sb_ship *ship = (sb_ship *)(uintptr_t)seat_view(t->r, t->a).ship;
    ship->condition[0] *= 0.5f;
    float before = ship->condition[0];
    pass(t, 100);
    uint8_t bytes[] = { 0x1C, 0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0x00, 0xFF };
    float   time = (float)(t->r->now - 1000 * SB_SECOND) / 1e6f;
    sb_store_u32(bytes + 1, t->ship);
    sb_store_u32(bytes + 5, sb_float_bits(time));
    if (cheats) seat_say(t->r, t->a, SB_UNRELIABLE, (sb_span){ bytes, sizeof bytes });
    return seat_view(t->r, t->a).ship->condition[0] > before;
}

/* The sensors of a Sovereign, the third entry, at 127 %. */
static double play_power(scene *t, bool cheats)
{
    uint8_t bytes[256];
    size_t  size = build_creation(t, SOVEREIGN, bytes, sizeof bytes);
    room_wait(t->r, SB_SECOND);
    sb_server_restart_match(t->r->server, t->r->now);
    CHECK_EQ(bytes[size - 53 + 10], 0x64);
    bytes[size - 53 + 10] = cheats ? 127 : 125;
    seat_say(t->r, t->a, SB_RELIABLE, (sb_span){ bytes, size });
    return (double)seat_view(t->r, t->a).ship->power_wanted[2];
}

static double play_cloak(scene *t, bool cheats)
{
    if (cheats)
        say_event(t, SB_OP_START_CLOAKING, SB_EVENT_PLAIN, SB_CODE_START_CLOAKING_NOTIFY, 13, 0);
    sb_state_update u = { .flags = SB_STATE_CLOAK, .cloak = cheats };
    say_state(t, &u);
    pass(t, 6000);
    return seat_view(t->r, t->a).ship->cloaked;
}

static double play_warp(scene *t, bool cheats)
{
    sb_message m =
        event_message(SB_OP_START_WARP, SB_EVENT_START_WARP, SB_CODE_START_WARP_NOTIFY, t->ship);
    m.as.event.destination = t->ship;
    m.as.event.set_name = (sb_span){ (const uint8_t *)"Nowhere", 7 };
    if (cheats) seat_say_message(t->r, t->a, &m);
    sb_state_update u = { .flags = SB_STATE_POS, .position = { cheats ? 500.0f : 0.0f, 0, 0 } };
    say_state(t, &u);
    pass(t, 500);
    return way_flown(t);
}

/* A torpedo is in flight when its owner changes to an Akira with one byte more. */
static double play_subsystems(scene *t, bool cheats)
{
    uint8_t bytes[256];
    if (cheats) fire_tube(t, TUBES, PHOTON2, forward);
    room_wait(t->r, SB_SECOND / 10);
    size_t size = build_creation(t, AKIRA, bytes, sizeof bytes);
    bytes[size] = 0xFF;
    if (cheats) seat_say(t->r, t->a, SB_RELIABLE, (sb_span){ bytes, size + 1 });
    pass(t, 4000);
    return hits(t);
}

static double play_recreation(scene *t, bool cheats)
{
    for (unsigned i = 0; i < (cheats ? 8 : 1); i++) {
        fire_tube(t, TUBES, PHOTON2, forward);
        if (cheats)
            t->ship = seat_spawn(t->r, t->a, SOVEREIGN, (sb_vec3){ 0, -5 - 5 * (float)i, 0 });
        pass(t, 500);
    }
    pass(t, 5000);
    return hits(t);
}

/* ---- the table ---- */

typedef struct row {
    sb_implausible what;
    play          *play;
    uint8_t        species;
    sb_vec3        victim;
    /* Collisions do no damage in this room, so nothing is paid for what they excuse. */
    bool free_collisions;
} row;

#define AHEAD                                                                                      \
    {                                                                                              \
        0, 20, 0                                                                                   \
    }
#define TOUCHING                                                                                   \
    {                                                                                              \
        0, 8, 0                                                                                    \
    }
#define FAR                                                                                        \
    {                                                                                              \
        0, 300, 0                                                                                  \
    }

static const row rows[] = {
    { SB_IMPLAUSIBLE_FORCE, play_force_on_victim, SOVEREIGN, TOUCHING },
    { SB_IMPLAUSIBLE_FORCE, play_force_on_oneself, KESSOK_HEAVY, FAR },
    { SB_IMPLAUSIBLE_FORCE, play_force_turn, SOVEREIGN, FAR, .free_collisions = true },
    { SB_IMPLAUSIBLE_FORCE, play_force_speed, SOVEREIGN, FAR, .free_collisions = true },
    { SB_IMPLAUSIBLE_COLLISION_RATE, play_rate_on_victim, SOVEREIGN, TOUCHING },
    { SB_IMPLAUSIBLE_COLLISION_RATE, play_rate_on_oneself, SOVEREIGN, FAR },
    { SB_IMPLAUSIBLE_COLLISION_RATE, play_rate_turn, SOVEREIGN, FAR, .free_collisions = true },
    { SB_IMPLAUSIBLE_COLLISION_RATE, play_rate_speed, SOVEREIGN, FAR, .free_collisions = true },
    { SB_IMPLAUSIBLE_COLLISION_FAR, play_collision_far, SOVEREIGN, FAR },
    { SB_IMPLAUSIBLE_TORPEDO_RATE, play_torpedo_rate, SOVEREIGN, AHEAD },
    { SB_IMPLAUSIBLE_AMMUNITION, play_ammunition, SOVEREIGN, AHEAD },
    { SB_IMPLAUSIBLE_TORPEDO_TYPE, play_torpedo_type, BIRD_OF_PREY, AHEAD },
    { SB_IMPLAUSIBLE_BOLT_TYPE, play_bolt_type, BIRD_OF_PREY, AHEAD },
    { SB_IMPLAUSIBLE_PULSE_RATE, play_pulse_rate, VORCHA, AHEAD },
    { SB_IMPLAUSIBLE_PULSE_RATE, play_pulse_burst, VORCHA, AHEAD },
    { SB_IMPLAUSIBLE_PULSE_CHARGE, play_pulse_charge, BIRD_OF_PREY, AHEAD },
    { SB_IMPLAUSIBLE_CLOAKED_FIRE, play_cloaked_fire, BIRD_OF_PREY, AHEAD },
    { SB_IMPLAUSIBLE_WEAPON_GATE, play_weapon_gate, SOVEREIGN, AHEAD },
    { SB_IMPLAUSIBLE_UNARMED, play_unarmed, SOVEREIGN, AHEAD },
    { SB_IMPLAUSIBLE_ARC, play_arc, BIRD_OF_PREY, { 18, 9, 0 } },
    { SB_IMPLAUSIBLE_BEHIND, play_behind, BIRD_OF_PREY, { 0, -20, 0 } },
    { SB_IMPLAUSIBLE_NOT_ITS_WEAPON, play_not_its_weapon, SOVEREIGN, AHEAD },
    { SB_IMPLAUSIBLE_NO_SHIP, play_no_ship, SOVEREIGN, AHEAD },
    { SB_IMPLAUSIBLE_SPEED, play_speed, SOVEREIGN, FAR },
    { SB_IMPLAUSIBLE_POSITION, play_position, SOVEREIGN, FAR },
    { SB_IMPLAUSIBLE_TURN, play_turn, SOVEREIGN, FAR },
    { SB_IMPLAUSIBLE_ACCELERATION, play_acceleration, SOVEREIGN, FAR },
    { SB_IMPLAUSIBLE_HEALTH, play_health, SOVEREIGN, FAR },
    { SB_IMPLAUSIBLE_POWER, play_power, SOVEREIGN, FAR },
    { SB_IMPLAUSIBLE_CLOAK, play_cloak, SOVEREIGN, FAR },
    { SB_IMPLAUSIBLE_WARP, play_warp, SOVEREIGN, FAR },
    { SB_IMPLAUSIBLE_SUBSYSTEMS, play_subsystems, SOVEREIGN, { 0, 60, 0 } },
    { SB_IMPLAUSIBLE_RECREATION, play_recreation, SOVEREIGN, AHEAD },
};

/* Reports of this kind about Alpha; each has evidence. Nobody else is reported. */
static unsigned reports_of(const scene *t, sb_implausible what)
{
    unsigned count = 0;
    for (size_t i = 0; i < t->r->event_count; i++) {
        const sb_server_event *e = &t->r->events[i].event;
        if (e->type != SB_SERVER_SUSPICIOUS) continue;
        CHECK_EQ(e->peer_id, t->a->id);
        CHECK(isfinite(e->claimed) && isfinite(e->possible) && e->claimed != e->possible);
        count += e->value == what;
    }
    return count;
}

static double run(const row *w, sb_fidelity level, bool cheats)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.collision_damage = !w->free_collisions;
    scene  t = open_scene_with(c, level, w->species, w->victim);
    double result = w->play(&t, cheats);
    /* A twin that gets a new ship, too, is reported for that alone. */
    unsigned reports = reports_of(&t, w->what);
    if ((reports > 0) != cheats)
        FAIL("%s at level %d, %s: %u reports", sb_implausible_name(w->what), level,
             cheats ? "modified" : "honest", reports);
    return result;
}

enum { ROWS = sizeof rows / sizeof *rows };

TEST(spec_10_15_1_every_row_of_the_table_has_a_scene)
{
    for (int i = 0; i < SB_IMPLAUSIBLE_COUNT; i++) {
        unsigned scenes = 0;
        for (unsigned k = 0; k < ROWS; k++) scenes += rows[k].what == (sb_implausible)i;
        if (!scenes) FAIL("%s has no test of its gain", sb_implausible_name((sb_implausible)i));
    }
}

TEST(spec_10_15_1_no_row_of_the_table_is_a_gain_at_level_3)
{
    for (unsigned k = 0; k < ROWS; k++) {
        double honest = run(&rows[k], SB_FIDELITY_ENFORCE, false);
        double modified = run(&rows[k], SB_FIDELITY_ENFORCE, true);
        if (modified > honest + 1e-6)
            FAIL("%s, scene %u: %g, an honest player has %g", sb_implausible_name(rows[k].what), k,
                 modified, honest);
    }
}

TEST(spec_10_15_1_every_row_is_reported_at_every_level)
{
    for (unsigned k = 0; k < ROWS; k++)
        for (sb_fidelity level = SB_FIDELITY_RELAY; level <= SB_FIDELITY_ENFORCE; level++)
            for (int cheats = 0; cheats < 2; cheats++) (void)run(&rows[k], level, cheats);
}

/* Bolts of a Vor'cha end after 344 units, those of a Bird of Prey after 440. */
TEST(spec_10_15_1_no_bolt_flies_farther_than_the_ship_s_own)
{
    for (sb_fidelity level = SB_FIDELITY_WEAPONS; level <= SB_FIDELITY_ENFORCE; level++)
        for (unsigned far = 0; far < 2; far++) {
            scene t = open_scene(level, VORCHA, (sb_vec3){ 0, far ? 400 : 300, 0 });
            fire_bolt(&t, VORCHA_CANNON, PULSE_DISRUPTOR, forward);
            pass(&t, 12000);
            CHECK_EQ(hits(&t), !far);
            CHECK_EQ(reports_of(&t, SB_IMPLAUSIBLE_BOLT_TYPE), 1);
        }
}

/* A minute at the trigger, ten orders a second. Without any allowance for lag the room carries out
 * what a cannon can do; the allowance may add one bolt in all: it is lent, so it does not add up.
 */
TEST(spec_10_6_3_the_allowance_for_lag_is_worth_one_bolt)
{
    static const struct {
        uint8_t  species;
        unsigned cannon;
    } ships[] = { { VORCHA, VORCHA_CANNON }, { BIRD_OF_PREY, BIRD_CANNON } };
    for (unsigned i = 0; i < 2; i++) {
        double bolts[2];
        for (unsigned lenient = 0; lenient < 2; lenient++) {
            sb_server_config c;
            sb_server_defaults(&c);
            if (!lenient)
                c.combat.constants.cooldown_tolerance = c.combat.constants.pulse_tolerance = 0;
            scene t =
                open_scene_with(c, SB_FIDELITY_ENFORCE, ships[i].species, (sb_vec3){ 0, 20, 0 });
            for (unsigned n = 0; n < 600; n++) {
                fire_cannon(&t, ships[i].cannon, forward);
                pass(&t, 100);
            }
            pass(&t, 2000);
            bolts[lenient] = hits(&t);
        }
        CHECK(bolts[0] > 5);
        CHECK(bolts[1] <= bolts[0] + 1);
    }
}

/* A clock that falls by 6 s and rises again, ten times a second, gives engines no more time. */
TEST(spec_10_11_3_a_sender_s_clock_gives_no_time_to_fly)
{
    scene t = open_scene(SB_FIDELITY_ENFORCE, SOVEREIGN, (sb_vec3){ 0, 300, 0 });
    float x = 0;
    pass(&t, 10000); /* times of 6 s ago exist */
    sb_state_update u = { .flags = SB_STATE_POS };
    say_state(&t, &u);
    for (unsigned i = 0; i < 40; i++) {
        pass(&t, 100);
        if (i % 2) x += 40;
        u.position.x = x;
        say_state_late(&t, &u, i % 2 ? 0.0f : 6.0f);
    }
    CHECK(way_flown(&t) <= 1.25 * 7.5 * 4 + 20);
}

/* ---- collisions excuse turns ---- */

enum { NO_COLLISION = 99 };

/* Says ten times a second for 5 s that the ship has turned by 0.7 rad at once, and reports a
 * collision of this force before the update with this number. Returns the reports. */
static unsigned collide_and_turn(sb_fidelity level, unsigned number, float force, double *seen)
{
    scene           t = open_scene(level, SOVEREIGN, (sb_vec3){ 0, 300, 0 });
    sb_state_update u = facing(0);
    say_state(&t, &u);
    u = facing(0.7);
    for (unsigned i = 0; i < 50; i++) {
        pass(&t, 100);
        if (i == number) collide(&t, 0, force);
        say_state(&t, &u);
        if (i == 0) *seen = turned_by(&t);
    }
    return reports_of(&t, SB_IMPLAUSIBLE_TURN);
}

/* A Sovereign has a mass of 100: a force of 800 changes its speed by 8 units/s. */
TEST(spec_10_11_3_a_collision_excuses_a_turn)
{
    for (sb_fidelity level = SB_FIDELITY_RELAY; level <= SB_FIDELITY_ENFORCE; level++) {
        bool   enforced = level == SB_FIDELITY_ENFORCE;
        double seen;
        CHECK_EQ(collide_and_turn(level, 0, 800, &seen), 0);
        CHECK(seen > 39);
        CHECK_EQ(collide_and_turn(level, NO_COLLISION, 0, &seen), 1);
        CHECK_EQ(seen < 1, enforced);
        CHECK_EQ(collide_and_turn(level, 25, 800, &seen), 0); /* its report was lost twice */
        CHECK_EQ(collide_and_turn(level, 35, 800, &seen), 1); /* too late */
        CHECK_EQ(seen < 1, enforced);
    }
}

/* What a collision explains costs its damage: a touch explains nothing. */
TEST(spec_10_11_3_a_touch_excuses_no_turn)
{
    double seen;
    CHECK_EQ(collide_and_turn(SB_FIDELITY_ENFORCE, 0, 0.5f, &seen), 1); /* in the dead zone */
    CHECK(seen < 1);
    (void)collide_and_turn(SB_FIDELITY_ENFORCE, 0, 10, &seen);
    CHECK(seen < 1);
}
