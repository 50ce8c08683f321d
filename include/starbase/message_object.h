/* starbase/message_object.h -- contents of the messages about ships and other objects: StateUpdate,
 * creation, removal, change of set.
 *
 * For:      code that needs these structs but no codec. starbase/message.h includes them.
 * Spec:     03 (StateUpdate), 07 (objects).
 */
#ifndef STARBASE_MESSAGE_OBJECT_H
#define STARBASE_MESSAGE_OBJECT_H

#include <starbase/base.h>
#include <starbase/compressed.h>
#include <starbase/protocol.h>
#include <starbase/ship.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sb_power_pair {
    uint8_t index;
    uint8_t level_code;
} sb_power_pair;

typedef struct sb_state_update {
    uint32_t object_id;
    float    game_time;
    uint8_t  flags;
    bool     has_hash, cloak;
    uint8_t  start_index, entry_count, pair_count;
    uint16_t hash, speed_code;
    sb_vec3  position;
    sb_cv4   delta;
    sb_cv3   forward, up;
    sb_span block; /* SUBSYS as bytes, if the ship is unknown or start_index lies beyond its list */
    sb_power_pair      pairs[SB_SUBSYSTEMS_MAX]; /* further pairs stay in `trailing` */
    sb_subsystem_state entries[SB_SUBSYSTEMS_MAX];
} sb_state_update;

/* One entry of a creation snapshot (spec 07 §2.3). */
typedef struct sb_subsystem_snapshot {
    uint8_t condition_code;
    uint8_t children[SB_CHILDREN_MAX];
    int8_t  power_code; /* percentage; positive: on; 0 or negative: off with that setting */
    uint8_t facings[SB_FACINGS];
    uint8_t main_battery_code, backup_battery_code;
    bool    weapon_bit;
    uint8_t setting; /* ammo, phaser level or tractor mode, by type of the weapon system */
} sb_subsystem_snapshot;

typedef struct sb_object_create { /* 0x02, 0x03 */
    int8_t   owner_slot;
    uint8_t  peer_id; /* 0x03 only */
    uint32_t class_id, object_id;
    uint8_t  species; /* ship, or torpedo species */
    /* class SB_CLASS_SHIP */
    sb_vec3 position;
    sb_quat orientation;
    sb_cv4f velocity;
    sb_span name, set_name;
    bool    snapshot_known; /* true: `snapshot` has one entry per subsystem of the ship's list */
    sb_span opaque;         /* a snapshot that is not known; a torpedo's body after `species` */
    sb_subsystem_snapshot snapshot[SB_SUBSYSTEMS_MAX];
} sb_object_create;

typedef struct sb_object_ref { /* 0x14, 0x1D, 0x1E */
    uint32_t object_id;
} sb_object_ref;

typedef struct sb_enter_set { /* 0x1F */
    uint32_t object_id;
    sb_span  set_name;     /* without its NUL */
    bool     unterminated; /* the name has no NUL; stock peers never send this */
} sb_enter_set;

typedef struct sb_player_left { /* 0x18 */
    sb_span name;
} sb_player_left;

#ifdef __cplusplus
}
#endif
#endif
