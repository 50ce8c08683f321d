/* starbase/ship_state.h -- the state of one ship in a running match: motion, conditions, power.
 *
 * For:      replication, the server, the simulation and headless players.
 * Never:    decides who may change a ship (replica, game), or computes damage and power (combat).
 * Spec:     03, 07, 10 §3, §11.
 * Promise:  none; may change with any version.
 */
#ifndef STARBASE_SHIP_STATE_H
#define STARBASE_SHIP_STATE_H

#include <starbase/compressed.h>
#include <starbase/ship.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SB_SHIP_CHILDREN_MAX = 96 }; /* children of all entries of one ship together; stock: 23 */

/* Motion with its wire codes, so that received values are relayed unchanged (spec 02 §5.8, 03 §8).
 */
typedef struct sb_motion {
    sb_vec3  position;
    sb_vec3  forward, up; /* unit length, at right angles */
    float    speed;       /* negative: in reverse */
    sb_cv3   forward_code, up_code;
    uint16_t speed_code;
} sb_motion;

/* At rest in the origin, nose along +Y (spec 03 §3). */
SB_API void sb_motion_init(sb_motion *motion);
/* Set a value and compute its wire code. */
SB_API void sb_motion_set_axes(sb_motion *motion, sb_vec3 forward, sb_vec3 up);
SB_API void sb_motion_set_speed(sb_motion *motion, float speed);
/* Set values from received codes and keep the codes. NULL: that axis was not in the message. False:
 * an axis is zero or both are parallel, and the orientation is unchanged (spec 03 §9). */
SB_API bool sb_motion_read_axes(sb_motion *motion, const sb_cv3 *forward, const sb_cv3 *up);
SB_API void sb_motion_read_speed(sb_motion *motion, uint16_t code);
/* The quaternion of a creation message (spec 07 §2.2). A quaternion of nearly zero length,
 * or that is not finite, is ignored. */
SB_API void    sb_motion_set_quaternion(sb_motion *motion, sb_quat q);
SB_API sb_quat sb_motion_quaternion(const sb_motion *motion);
/* Dead reckoning: the position `elapsed` seconds later, for at most 1 s (spec 10 §11.2). */
SB_API sb_vec3 sb_motion_estimate(const sb_motion *motion, float elapsed);
/* The law of motion (spec 10 §11.3): a speed or a turn rate after `dt` seconds of
 *
 *     d(value)/dt = clamp(target - value, -limit, +limit)     per second
 *
 * that is, a constant acceleration until the rest is `limit`, then an exponential approach with a
 * time constant of 1 s. Solved exactly, so the length of the steps does not matter, and without
 * libm, so the bits are the same on every platform. All arguments are finite; a `dt` or a `limit`
 * that is not positive changes nothing. */
SB_API float sb_motion_approach(float value, float target, float limit, float dt);

/* One ship. `model` is NULL for a species without a list: only its motion is valid (spec 07 §2.6).
 */
typedef struct sb_ship {
    const sb_ship_class *model;
    uint32_t             object_id;
    uint8_t              species;
    bool                 cloaked; /* the cloaking device is on */
    sb_motion            motion;
    float                condition[SB_SUBSYSTEMS_MAX]; /* of the top-level list; hit points */
    float   child_condition[SB_SHIP_CHILDREN_MAX];     /* in the order of model->children */
    float   power_wanted[SB_SUBSYSTEMS_MAX];           /* 0..1.25 */
    bool    on[SB_SUBSYSTEMS_MAX];
    uint8_t setting[SB_SUBSYSTEMS_MAX];    /* ammo, level, mode (spec 07 §2.3) */
    bool    weapon_bit[SB_SUBSYSTEMS_MAX]; /* of weapon systems; meaning unknown */
    float   facing[SB_FACINGS];            /* shield strength; hit points */
    float   main_battery, backup_battery;
} sb_ship;

/* An intact ship at rest: every subsystem at 100 % power and on (the cloak off), batteries full. */
SB_API void sb_ship_init(sb_ship *ship, const sb_ship_class *model, uint8_t species,
                         uint32_t object_id);
/* Condition as a fraction of its maximum, and whether that disables the subsystem (spec 10 §3.2).
 */
SB_API float sb_ship_ratio(const sb_ship *ship, unsigned index);
SB_API float sb_ship_child_ratio(const sb_ship *ship, unsigned child);
SB_API bool  sb_ship_is_disabled(const sb_ship *ship, unsigned index);
SB_API bool  sb_ship_is_child_disabled(const sb_ship *ship, unsigned child);
/* The speed limit of the engines in their present condition (spec 10 §11.3). `efficiency`: share of
 * the wanted power that they get; `drag`: share of the speed lost to the ship's own tractor beams,
 * 0..1. */
SB_API float sb_ship_speed_limit(const sb_ship *ship, float efficiency, float drag);
/* The speed that the engines approach at `throttle`, -1..1; throttles beyond count as 1. */
SB_API float sb_ship_target_speed(const sb_ship *ship, float throttle, float efficiency,
                                  float drag);

/* Damage, power and drag change all four figures of the engines alike (spec 10 §11.3). */
typedef struct sb_engine_limits {
    float speed, accel;          /* units per second, per second^2 */
    float turn_rate, turn_accel; /* radians per second, per second^2 */
} sb_engine_limits;

SB_API sb_engine_limits sb_ship_engine_limits(const sb_ship *ship, float efficiency, float drag);

/* ---- the pull of tractor beams (spec 10 §6.5) ---- */

/* Settings of a tractor system. */
typedef enum sb_tractor_mode {
    SB_TRACTOR_HOLD,
    SB_TRACTOR_TOW,
    SB_TRACTOR_PULL,
    SB_TRACTOR_PUSH,
    SB_TRACTOR_DOCK_1,
    SB_TRACTOR_DOCK_2,
} sb_tractor_mode;

/* The effect of tractor beams on their target; all zero: none holds it. */
typedef struct sb_pull {
    float   force; /* of the projectors that hold the target */
    float   loss;  /* speed that a moving target loses: force / mass of the target */
    sb_vec3 drift; /* velocity of a target at rest, in world axes: towards the projector */
} sb_pull;

/* The pull of tractor system `system` (a top-level entry) of `holder` on a target. `to_target`:
 * from the holder's centre to the target's, in world axes. The first projector of the list that
 * works, reaches the target and has it in its arc holds it; if the class says that the system is
 * not single fire, all such projectors do. */
SB_API sb_pull sb_ship_pull(const sb_ship *holder, unsigned system, sb_vec3 to_target,
                            float target_mass);
/* The sum of the pulls of two holders. */
SB_API sb_pull sb_pull_add(sb_pull a, sb_pull b);
/* The speed that a target reaches when its engines are set to `speed`, in the same direction; 0:
 * the pull stops it, and it drifts. */
SB_API float sb_pull_speed(const sb_pull *pull, float speed);

/* Object ids (spec 07 §1). */
enum { SB_SLOTS = 16, SB_NO_SLOT = -1 };
SB_API uint32_t sb_slot_first_id(unsigned slot);
/* The player slot 0..15 of an object; SB_NO_SLOT: not an object of a player. */
SB_API int sb_slot_of_id(uint32_t object_id);
/* Number of ids that a ship of the class uses, its own included; 0: unknown. */
SB_API uint32_t sb_ship_id_count(const sb_ship_class *model);
/* The id of a subsystem (spec 08 §2.1). `child`: index among the children of the entry; -1: the
 * entry itself. 0: its position in the creation order is unknown. */
SB_API uint32_t sb_subsystem_id(const sb_ship_class *model, uint32_t ship_id, unsigned index,
                                int child);
/* Finds the subsystem of an id. False: not an id of this ship, or unknown; `*index` and `*child`
 * are then undefined. */
SB_API bool sb_find_subsystem(const sb_ship_class *model, uint32_t ship_id, uint32_t id,
                              unsigned *index, int *child);

#ifdef __cplusplus
}
#endif
#endif
