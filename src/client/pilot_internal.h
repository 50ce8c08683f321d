/* src/client/pilot_internal.h -- the pilot from inside: what its files share.
 *
 * pilot.c        the public calls: life from lobby to wreck, and when to think
 * pilot_look.c   what is around: contacts, teams, health, who shot
 * pilot_fly.c    motion within the engines' limits; where to, and out of whose way
 * pilot_fight.c  whom, from which side, when to run, to hide, and where power goes
 * pilot_shoot.c  arcs, charges and reloads; beams, bolts and torpedoes
 *
 * Decisions are f32 arithmetic without contraction, sqrtf and the pilot's own random numbers: the
 * same seed and the same sights give the same deeds on every platform.
 */
#ifndef SB_CLIENT_PILOT_INTERNAL_H
#define SB_CLIENT_PILOT_INTERNAL_H

#include <starbase/pilot.h>

#include "base/random.h"
#include "ship/vectors.h"

#include <math.h>

enum {
    SB_PILOT_STEP_US = 50000,   /* motion at 20 Hz */
    SB_PILOT_IDLE_US = 250000,  /* nothing to fly */
    SB_PILOT_STEPS_AT_ONCE = 5, /* then time is dropped: a late caller does not make ships jump */
};
#define SB_PILOT_STEP_S 0.05f

/* What the client refuses now (no ship any more, a full window) the next thought asks for again. */
static inline bool sb_pilot_is_accepted(sb_result result)
{
    return result == SB_OK;
}

/* ---- vectors ---- */

/* Unit length; `otherwise` if v is too short to have a direction. */
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

/* The frame after the shortest turn that brings its direction `from` to `to`, both unit, world. */
sb_pilot_axes sb_pilot_turn_axes(sb_pilot_axes frame, sb_vec3 from, sb_vec3 to);

/* ---- chance ---- */

static inline uint64_t sb_pilot_random_u64(sb_pilot *pilot)
{
    sb_random random = { pilot->random };
    uint64_t  value = sb_random_next(&random);
    pilot->random = random.state;
    return value;
}

/* 0 .. 1, 24 bits: exact in f32. */
static inline float sb_pilot_random_unit(sb_pilot *pilot)
{
    return (float)(sb_pilot_random_u64(pilot) >> 40) * (1.0f / 16777216.0f);
}

/* min .. max - 1 */
static inline sb_time sb_pilot_random_delay(sb_pilot *pilot, sb_time min, sb_time max)
{
    return min + (sb_time)(sb_pilot_random_u64(pilot) % (uint64_t)(max - min));
}

sb_vec3 sb_pilot_random_direction(sb_pilot *pilot);

/* ---- what is around ---- */

typedef struct sb_contact {
    const sb_seen_ship *seen;
    sb_vec3             position, velocity;
    sb_vec3             offset; /* from us */
    float               distance, radius;
    bool                foe, mate, visible;
} sb_contact;

/* What the pilot sees at one moment. */
typedef struct sb_view {
    const sb_client     *client;
    const sb_seen_ship  *own;
    const sb_ship       *ship;
    const sb_ship_class *model;
    sb_time              now;
    float                efficiency;  /* share of the wanted power that is there */
    float                speed_limit; /* spec 10 §11.3 */
    float                hull;        /* the worst critical part, 0..1 */
    float                shields;     /* all facings together, 0..1 */
    float                range;       /* at which our weapons like to fight */
    bool                 teams;
    const sb_contact    *target, *threat; /* NULL: none */
    unsigned             count;
    sb_contact           contacts[SB_CLIENT_SHIPS];
} sb_view;

void sb_pilot_build_view(sb_pilot *pilot, const sb_client *client, const sb_seen_ship *own,
                         sb_time now, sb_view *out);
/* Notes whether facings or hull have fallen since the last look, and who it may have been. */
void sb_pilot_detect_hits(sb_pilot *pilot, const sb_view *view);
/* The match is played in teams. */
bool    sb_pilot_plays_in_teams(const sb_client *client);
uint8_t sb_pilot_own_team(const sb_pilot *pilot, const sb_client *client);
/* Spec 10 §5.1. */
unsigned sb_pilot_facing_of(sb_vec3 local);
/* The share of the wanted power that reactor and batteries can give (spec 10 §4). */
float             sb_pilot_efficiency(const sb_ship *ship);
float             sb_pilot_radius(const sb_ship *ship);
const sb_contact *sb_pilot_find_contact(const sb_view *view, uint32_t object_id);

/* ---- flying ---- */

/* One step of motion towards heading and speed_wanted. */
void sb_pilot_move(sb_pilot *pilot, const sb_ship *ship);
/* A wreck: on, without engines. */
void sb_pilot_drift(sb_pilot *pilot);
void sb_pilot_steer(sb_pilot *pilot, sb_vec3 axis, sb_vec3 heading, float speed);
void sb_pilot_cruise(sb_pilot *pilot, const sb_view *view);
/* Somebody is in the way: overrides where to fly, and says so. */
bool sb_pilot_evade(sb_pilot *pilot, const sb_view *view);
/* The edge of the arena is near: the same. */
bool sb_pilot_stay_in_arena(sb_pilot *pilot, const sb_view *view);
/* Overlaps another ship: reports it (spec 10 §8) and bounces. */
void sb_pilot_check_collision(sb_pilot *pilot, sb_client *client, const sb_view *view);

/* ---- fighting ---- */

void sb_pilot_load_weapons(sb_pilot      *pilot,
                           const sb_ship *ship); /* a fresh ship: everything loaded */
/* Charges and reloads of one step (spec 10 §6.2 to §6.4), rather slower than faster than the
 * host's. */
void              sb_pilot_charge_weapons(sb_pilot *pilot, const sb_ship *ship);
const sb_contact *sb_pilot_choose_target(sb_pilot *pilot, const sb_view *view);
/* Turns towards the target, or away from the threat, with the side that serves best. */
void sb_pilot_attack(sb_pilot *pilot, const sb_view *view);
void sb_pilot_retreat(sb_pilot *pilot, const sb_view *view);
void sb_pilot_shoot(sb_pilot *pilot, sb_client *client, const sb_view *view);
void sb_pilot_cease_fire(sb_pilot *pilot, sb_client *client, sb_time now);
void sb_pilot_update_cloak(sb_pilot *pilot, sb_client *client, const sb_view *view); /* cloak */
void sb_pilot_set_power(sb_pilot *pilot, sb_client *client, const sb_view *view);
/* Where the class likes to fight: by the range of its weapons, and not so near that it cannot turn
 * as fast as others fly around it. */
float sb_pilot_fighting_range(const sb_ship_class *model);
/* Damage that could be done now or soon to somebody in the direction `local`; `all`: in any. */
float sb_pilot_firepower(const sb_pilot *pilot, const sb_ship *ship, sb_vec3 local, bool all);
/* `local` (from the weapon, any length) lies in the arc, narrowed by `margin` radians. */
bool sb_pilot_in_arc(const sb_weapon_class *weapon, sb_vec3 local, float margin);

#endif
