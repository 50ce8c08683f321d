/* src/client/pilot_internal.h -- declarations that the files of the pilot share.
 *
 * pilot.c          the public calls: life from lobby to wreck, and when to decide
 * pilot_look.c     the view: contacts, teams, own health, probable attacker
 * pilot_fly.c      motion within the limits of the engines; courses; collision avoidance
 * pilot_fight.c    choice of target and attitude; retreat, cloak, power levels
 * pilot_weapons.c  mounts, arcs, charges and reloads; firepower
 * pilot_shoot.c    beams, bolts and torpedoes
 *
 * Tests:    tests/client/pilot_test.c, and one file for each of these; pilot_shoot_test.c for both
 *           of the last
 *
 * Decisions use f32 arithmetic without contraction, sqrtf and the pilot's own random numbers: the
 * same seed and the same view give the same actions on every platform.
 */
#ifndef SB_CLIENT_PILOT_INTERNAL_H
#define SB_CLIENT_PILOT_INTERNAL_H

#include <starbase/pilot.h>

#include "base/random.h"
#include "ship/vectors.h"

#include <math.h>

enum {
    SB_PILOT_STEP_US = 50000,  /* motion at 20 Hz */
    SB_PILOT_IDLE_US = 250000, /* between decisions without a ship */
    SB_PILOT_STEPS_AT_ONCE =
        5, /* further missed steps are skipped, so that the ship does not jump */
};
#define SB_PILOT_STEP_S 0.05f

/* True: the client accepted the action. A refused action (no ship any more, send queue full) needs
 * no handling, because the next decision tries again. */
static inline bool sb_pilot_attempt(sb_result result)
{
    return result == SB_OK;
}

/* ---- vectors ---- */

/* `v` with length 1; `otherwise` if v is too short to have a direction. */
static inline sb_vec3 sb_v_unit(sb_vec3 v, sb_vec3 otherwise)
{
    float length = sb_v_length(v);
    return length > 1e-4f ? sb_v_scale(v, 1.0f / length) : otherwise;
}

static inline float sb_f_clamp(float v, float min, float max)
{
    return v < min ? min : v > max ? max : v;
}

/* ---- orientation: right, forward, up are the ship-local x, y, z (spec 10) ---- */

typedef struct sb_pilot_axes {
    sb_vec3 forward, up;
} sb_pilot_axes;

static inline sb_vec3 sb_pilot_right(sb_pilot_axes f)
{
    return sb_v_cross(f.forward, f.up);
}

static inline sb_vec3 sb_pilot_to_world(sb_pilot_axes f, sb_vec3 v)
{
    return sb_v_along(sb_v_along(sb_v_scale(sb_pilot_right(f), v.x), f.forward, v.y), f.up, v.z);
}

static inline sb_vec3 sb_pilot_to_local(sb_pilot_axes f, sb_vec3 v)
{
    return (sb_vec3){ sb_v_dot(sb_pilot_right(f), v), sb_v_dot(f.forward, v), sb_v_dot(f.up, v) };
}

static inline sb_pilot_axes sb_pilot_axes_of(const sb_pilot *pilot)
{
    return (sb_pilot_axes){ pilot->forward, pilot->up };
}

/* The axes after the shortest turn that brings `from` to `to`, both unit vectors in world axes. */
sb_pilot_axes sb_pilot_turn_axes(sb_pilot_axes axes, sb_vec3 from, sb_vec3 to);

/* ---- random numbers ---- */

static inline uint64_t sb_pilot_random_u64(sb_pilot *pilot)
{
    sb_random random = { pilot->random };
    uint64_t  value = sb_random_next(&random);
    pilot->random = random.state;
    return value;
}

/* 0 to 1; 24 bits, which f32 holds exactly. */
static inline float sb_pilot_random_unit(sb_pilot *pilot)
{
    return (float)(sb_pilot_random_u64(pilot) >> 40) * (1.0f / 16777216.0f);
}

/* min to max - 1 */
static inline sb_time sb_pilot_random_delay(sb_pilot *pilot, sb_time min, sb_time max)
{
    return min + (sb_time)(sb_pilot_random_u64(pilot) % (uint64_t)(max - min));
}

sb_vec3 sb_pilot_random_direction(sb_pilot *pilot);

/* ---- the view ---- */

/* Another ship or object. */
typedef struct sb_contact {
    const sb_seen_ship *seen;
    sb_vec3             position, velocity;
    sb_vec3             offset; /* from us */
    float               distance, radius;
    bool                foe, mate, visible;
} sb_contact;

/* The situation at the moment of a decision. */
typedef struct sb_view {
    const sb_client     *client;
    const sb_seen_ship  *own;
    const sb_ship       *ship;
    const sb_ship_class *model;
    sb_time              now;
    float                efficiency;  /* share of the wanted power that is available */
    float                speed_limit; /* spec 10 §11.3 */
    float                hull;        /* the worst critical subsystem, 0..1 */
    float                shields;     /* all facings together, 0..1 */
    float                range;       /* preferred distance to a target */
    bool                 teams;
    const sb_contact    *target, *threat; /* NULL: none */
    unsigned             count;
    sb_contact           contacts[SB_CLIENT_SHIPS];
} sb_view;

void sb_pilot_build_view(sb_pilot *pilot, const sb_client *client, const sb_seen_ship *own,
                         sb_time now, sb_view *out);
/* Detects losses of shields or hull since the last decision, and guesses the attacker. */
void    sb_pilot_detect_hits(sb_pilot *pilot, const sb_view *view);
bool    sb_pilot_plays_in_teams(const sb_client *client);
uint8_t sb_pilot_own_team(const sb_pilot *pilot, const sb_client *client);
/* The shield facing that a ship-local direction hits (spec 10 §5.1). */
unsigned sb_pilot_facing_of(sb_vec3 local);
/* The share of the wanted power that reactor and batteries can deliver (spec 10 §4). */
float             sb_pilot_efficiency(const sb_ship *ship);
float             sb_pilot_radius(const sb_ship *ship);
const sb_contact *sb_pilot_find_contact(const sb_view *view, uint32_t object_id);

/* ---- flying ---- */

/* One step of motion towards `heading` and `speed_wanted`; `pull`: the tractor beams of others. */
void sb_pilot_move(sb_pilot *pilot, const sb_ship *ship, const sb_pull *pull);
/* One step of motion without engines. */
void sb_pilot_drift(sb_pilot *pilot);
void sb_pilot_steer(sb_pilot *pilot, sb_vec3 axis, sb_vec3 heading, float speed);
void sb_pilot_cruise(sb_pilot *pilot, const sb_view *view);
/* If a collision is near: changes the course to avoid it and returns true. */
bool sb_pilot_evade(sb_pilot *pilot, const sb_view *view);
/* If the edge of the arena is near: changes the course inwards and returns true. */
bool sb_pilot_stay_in_arena(sb_pilot *pilot, const sb_view *view);
/* If our hull overlaps another: reports the collision (spec 10 §8) and bounces off. */
void sb_pilot_check_collision(sb_pilot *pilot, sb_client *client, const sb_view *view);

/* ---- weapons ---- */

#define SB_PILOT_BOLT_CHARGE 1.0f /* charge that a bolt costs; enough for the next of a burst */

typedef struct sb_mount {
    const sb_subsystem_class *class;
    const sb_weapon_class *weapon;
    unsigned               index; /* top-level entry */
    unsigned               nth;   /* child of the entry */
    unsigned               child; /* index in the ship's list of children */
} sb_mount;

/* The nth weapon of a top-level entry; false: none. */
bool sb_pilot_find_mount(const sb_ship_class *model, unsigned index, unsigned nth, sb_mount *out);
/* The projectile that a system fires next; NULL: unknown. */
const sb_projectile_class *sb_pilot_loaded_projectile(const sb_ship *ship, unsigned index);
bool                       sb_pilot_is_system_working(const sb_ship *ship, unsigned index);
/* True if a shot in the ship-local direction is allowed by the weapon's arc, or the tube's cone. */
bool sb_pilot_is_bearing(const sb_mount *m, sb_vec3 local);
bool sb_pilot_is_in_cone(const sb_weapon_class *tube, sb_vec3 local);

static inline bool sb_pilot_is_single_fire(const sb_subsystem_class *s)
{
    return s->single_fire == SB_PROPERTY_YES;
}

/* ---- fighting ---- */

/* For a fresh ship: charges and loads all weapons. */
void sb_pilot_load_weapons(sb_pilot *pilot, const sb_ship *ship);
/* Recharges and reloads for one step (spec 10 §6.2 to §6.4), slightly slower than the host does, so
 * that no shot comes too early. */
void              sb_pilot_charge_weapons(sb_pilot *pilot, const sb_ship *ship);
const sb_contact *sb_pilot_choose_target(sb_pilot *pilot, const sb_view *view);
/* Set course and attitude: towards the target; away from the threat. */
void sb_pilot_attack(sb_pilot *pilot, const sb_view *view);
void sb_pilot_retreat(sb_pilot *pilot, const sb_view *view);
void sb_pilot_shoot(sb_pilot *pilot, sb_client *client, const sb_view *view);
void sb_pilot_cease_fire(sb_pilot *pilot, sb_client *client, sb_time now);
/* Cloaks to retreat or to approach unseen; decloaks to fight, or when the battery is low. */
void sb_pilot_update_cloak(sb_pilot *pilot, sb_client *client, const sb_view *view);
void sb_pilot_set_power(sb_pilot *pilot, sb_client *client, const sb_view *view);
/* The preferred distance to a target: by the range of the weapons, and far enough that the ship
 * can turn as fast as others circle around it. */
float sb_pilot_fighting_range(const sb_ship_class *model);
/* Damage that weapons can do now or soon in ship-local direction `local`; `all`: in any direction.
 */
float sb_pilot_firepower(const sb_pilot *pilot, const sb_ship *ship, sb_vec3 local, bool all);

#endif
