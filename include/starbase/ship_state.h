/* starbase/ship_state.h -- one ship of a running match: where it is and how it is. Spec 03, 07, 10
 * §3, §11.
 *
 * For:      replication, the server's rules, the simulation and headless players.
 * Never:    decides who may change what (replica, game), or computes damage and power (combat).
 */
#ifndef STARBASE_SHIP_STATE_H
#define STARBASE_SHIP_STATE_H

#include <starbase/compressed.h>
#include <starbase/ship.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SB_SHIP_CHILDREN_MAX = 96 }; /* children of all entries of one ship together; stock: 23 */

/* Motion, with the codes it has on the wire: what was received is passed on as it came
 * (spec 02 §5.8, 03 §8). */
typedef struct sb_motion {
    sb_vec3  position;
    sb_vec3  forward, up; /* unit length, at right angles */
    float    speed;       /* negative: in reverse */
    sb_cv3   forward_code, up_code;
    uint16_t speed_code;
} sb_motion;

/* At rest in the origin, nose along +Y (spec 03 §3). */
SB_API void sb_motion_init(sb_motion *motion);
/* From our own numbers; the codes follow. */
SB_API void sb_motion_set_axes(sb_motion *motion, sb_vec3 forward, sb_vec3 up);
SB_API void sb_motion_set_speed(sb_motion *motion, float speed);
/* From received codes, which are kept. False: zero or parallel axes; the orientation stays as it
 * was (spec 03 §9). NULL: that axis was not in the message. */
SB_API bool sb_motion_read_axes(sb_motion *motion, const sb_cv3 *forward, const sb_cv3 *up);
SB_API void sb_motion_read_speed(sb_motion *motion, uint16_t code);
/* From and to the quaternion of a creation message (spec 07 §2.2). */
SB_API void    sb_motion_set_quaternion(sb_motion *motion, sb_quat q);
SB_API sb_quat sb_motion_quaternion(const sb_motion *motion);
/* Where the ship probably is `elapsed` seconds later (spec 10 §11.2); nothing known after 1 s. */
SB_API sb_vec3 sb_motion_estimate(const sb_motion *motion, float elapsed);

/* One ship. `model` NULL: a species without a list; it has motion and nothing else (07 §2.6). */
typedef struct sb_ship {
    const sb_ship_class *model;
    uint32_t             object_id;
    uint8_t              species;
    bool                 cloaked; /* the device is on */
    sb_motion            motion;
    float                condition[SB_SUBSYSTEMS_MAX];          /* top-level list; HP */
    float                child_condition[SB_SHIP_CHILDREN_MAX]; /* model->children order; HP */
    float                power_wanted[SB_SUBSYSTEMS_MAX];       /* 0..1.25 */
    bool                 on[SB_SUBSYSTEMS_MAX];
    uint8_t              setting[SB_SUBSYSTEMS_MAX];    /* ammo, level, mode (spec 07 §2.3) */
    bool                 weapon_bit[SB_SUBSYSTEMS_MAX]; /* of weapon systems; meaning unknown */
    float                facing[SB_FACINGS];            /* shield strength; HP */
    float                main_battery, backup_battery;
} sb_ship;

/* Intact, everything on at 100 %, batteries full, at rest. */
SB_API void sb_ship_init(sb_ship *ship, const sb_ship_class *model, uint8_t species,
                         uint32_t object_id);
/* Spec 10 §3.2. */
SB_API float sb_ship_ratio(const sb_ship *ship, unsigned index);
SB_API float sb_ship_child_ratio(const sb_ship *ship, unsigned child);
SB_API bool  sb_ship_is_disabled(const sb_ship *ship, unsigned index);
SB_API bool  sb_ship_is_child_disabled(const sb_ship *ship, unsigned child);
/* The speed the engines allow now (spec 10 §11.3), with the share of power they get and the drag of
 * what is towed (0..1). */
SB_API float sb_ship_speed_limit(const sb_ship *ship, float efficiency, float drag);

/* Object ids (spec 07 §1). */
enum { SB_SLOTS = 16, SB_NO_SLOT = -1 };
SB_API uint32_t sb_slot_first_id(unsigned slot);
/* 0..15, or SB_NO_SLOT: not a player's object. */
SB_API int sb_slot_of_id(uint32_t object_id);
/* Ids a ship of the class takes, itself included; 0: not known. */
SB_API uint32_t sb_ship_id_count(const sb_ship_class *model);
/* The id of a subsystem (`child` -1: the entry itself; else among its children) by spec 08 §2.1; 0:
 * its place in the creation order is not known. */
SB_API uint32_t sb_subsystem_id(const sb_ship_class *model, uint32_t ship_id, unsigned index,
                                int child);
/* The reverse. False: not one of the ship's, or not known. */
SB_API bool sb_find_subsystem(const sb_ship_class *model, uint32_t ship_id, uint32_t id,
                              unsigned *index, int *child);

#ifdef __cplusplus
}
#endif
#endif
