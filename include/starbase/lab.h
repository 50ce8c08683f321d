/* starbase/lab.h -- experiments: two ships, one action, a series of samples.
 *
 * For:      people who want to know what a weapon does to a ship, and the test that plays the
 *           scenarios measured on the original game (docs/facts/engine-contract.csv).
 * Never:    sends, reads files or allocates memory. The simulation is the host's
 *           (starbase/combat.h), and the attacker fires as a ship of the game does. The ships stand
 *           still unless the action is one of the helm.
 * Spec:     10.
 * Promise:  none; may change with any version.
 *
 * Deterministic: the same scenario gives the same samples, bit for bit, on every platform.
 */
#ifndef STARBASE_LAB_H
#define STARBASE_LAB_H

#include <starbase/combat.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The attacker does this from time 0 on. */
typedef enum sb_lab_action {
    SB_LAB_NOTHING,
    SB_LAB_PHASERS,
    SB_LAB_PULSES,
    SB_LAB_TORPEDOES,
    SB_LAB_EVERYTHING, /* phasers, pulses and torpedoes */
    SB_LAB_TRACTOR,
    SB_LAB_RAM,      /* one collision at time 0, with the impulse of an elastic one */
    SB_LAB_THROTTLE, /* the attacker speeds up from `speed`, toward the target */
    SB_LAB_TURN,     /* the attacker yaws */
    SB_LAB_ACTION_COUNT
} sb_lab_action;

SB_API const char *sb_lab_action_name(sb_lab_action action);
/* False: no action has this name. */
SB_API bool sb_lab_find_action(const char *name, sb_lab_action *out);

typedef struct sb_lab_scenario {
    const sb_ship_class *attacker, *target;
    /* Where the attacker stands, seen from the target: distance of the centres, degrees to
     * starboard of the bow, degrees above the deck. The bow of the attacker points at the target.
     */
    float   range, bearing, elevation;
    uint8_t action;      /* sb_lab_action */
    uint8_t level;       /* of beams: 0 low, 1 medium, 2 high */
    uint8_t pulse_level; /* of cannons; no message sets it, so ships of the game use medium */
    float   seconds;     /* length of the run, from time 0 */
    float   shields;     /* share of the target's facings at time 0 */
    int8_t  facing;      /* the only facing that `shields` sets; -1: all six */
    bool    until_death; /* the run ends when the target explodes */

    /* The state of the ships at time 0. */
    float  wait;         /* seconds that pass before: sets the phase of periodic steps */
    bool   disarmed;     /* phaser, pulse and torpedo systems of the target are destroyed */
    float  generator;    /* condition of the target's shield generator, as a share */
    float  shield_power; /* power wanted of the target's shield generator */
    float  charge;       /* charge that the attacker's banks are brought down to; negative: full */
    float  weapon_power; /* power wanted of the attacker's weapon systems */
    float  sliders;      /* power wanted of all systems of the attacker; weapon_power goes first */
    float  main_battery; /* of the attacker, as a share */
    bool   green;        /* shields, phasers, pulses and torpedoes of the attacker are off */
    int8_t slot;         /* torpedo type that the attacker changes to at time 0; -1: none */
    float  speed;        /* of the ram; of the attacker at time 0; of a target in a tractor beam */
    float  throttle;     /* of the attacker, -1..1 */
    float  turn_rate;    /* that is ordered, in radians per second; negative: the class's maximum */

    sb_combat_constants      constants;
    const sb_projectile_set *projectiles; /* NULL: the stock set */
} sb_lab_scenario;

/* The state after a step of the simulation. Everything is lent until the callback returns. The
 * classes of the ships are copies with the names and figures of the scenario's classes. */
typedef struct sb_lab_sample {
    float                  time; /* seconds since the action began */
    const sb_ship         *attacker, *target;
    float                  turn_rate; /* of the attacker, in radians per second */
    sb_pull                pull;      /* of the attacker's tractor beams on the target */
    const sb_weapon_state *weapons; /* of the attacker, in the order of model->children; zero for a
                                       child that is no weapon */
    bool target_alive;
} sb_lab_sample;

/* Callbacks; NULL: not wanted. */
typedef struct sb_lab_observer {
    void *context;
    /* Once at time 0, before the action, then after every step. False ends the run. */
    bool (*on_sample)(void *context, const sb_lab_sample *sample);
    void (*on_event)(void *context, float time, const sb_combat_event *event);
    /* The attacker fired a bolt or a torpedo; `child`: the weapon in model->children. */
    void (*on_shot)(void *context, float time, unsigned child);
} sb_lab_observer;

enum { SB_LAB_ATTACKER_ID = 0x3FFFFFFF, SB_LAB_TARGET_ID = 0x4003FFFF }; /* object ids */

/* A run of 12 s at range 57, dead ahead, with beams at high level, both ships intact and with the
 * default constants; but tolerances for lag are 0. The ships are NULL. */
SB_API void   sb_lab_defaults(sb_lab_scenario *scenario);
SB_API size_t sb_lab_bytes(void);
/* Plays the scenario. `memory` has sb_lab_bytes, aligned as by malloc, and is not used after the
 * call. SB_BAD_VALUE: a value of the scenario is impossible; SB_NOT_ALLOWED: the attacker has no
 * such weapon. */
SB_API SB_MUST_USE sb_result sb_lab_run(void *memory, const sb_lab_scenario *scenario,
                                        const sb_lab_observer *observer);

#ifdef __cplusplus
}
#endif
#endif
