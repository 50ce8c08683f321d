/* starbase/combat.h -- the simulation that the host runs: power, shields, weapons, damage, repair,
 * cloak, collisions, death.
 *
 * For:      the server. It owns the ships (sb_ship), passes on the owners' actions, advances the
 *           time, and turns events into messages and scores.
 * Never:    sends, keeps score or moves ships: each owner decides the motion of its ship (spec 10
 *           §1).
 * Spec:     10.
 * Promise:  none; may change with any version.
 *
 * Deterministic: the same calls give the same states, bit for bit, on every platform. Arithmetic is
 * 32-bit float without contraction, and no libm function is used whose last bit may differ.
 */
#ifndef STARBASE_COMBAT_H
#define STARBASE_COMBAT_H

#include <starbase/compressed.h>
#include <starbase/protocol.h>
#include <starbase/ship_state.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The constants of spec 10 §14 and the defaults that its rules mark [I], one row each: X(name,
 * value, tag, text). The tag says what a value rests on: "T" traces, "E" measurements on the
 * running game, "R" published analyses of the game, "I" our own inference, to be replaced by a
 * measurement. `starbase serve --keys` prints the list.
 *
 * The names are keys of a server's `combat` table and of a ship's. A ship's value replaces the
 * server's for the shots of that ship, the damage to it and its death. health_interval and
 * score_divisor count for the whole server: a ship's value of these two has no effect.
 *
 * Not constants: the step (SB_COMBAT_STEPS_PER_S), which all ships share and recordings depend on;
 * the wire format (the range of power_wanted, the scales of bytes); bound_radius, a figure of each
 * ship in data/ships.
 */
#define SB_COMBAT_CONSTANTS(X)                                                                     \
    X(collision_dead_zone, 0.01f, "R",                                                             \
      "a collision with no more force / mass / contacts than this does no damage")                 \
    X(collision_slope, 900.0f, "E", "HP of collision damage per unit of force / mass / contacts")  \
    X(collision_base, 500.0f, "E",                                                                 \
      "HP of damage that every collision beyond the dead zone does in addition")                   \
    X(collision_search, 1.5f, "R",                                                                 \
      "a contact point damages subsystems whose surface is this near to it")                       \
    X(collision_gap, 26.0f, "R", "largest gap between two ships whose collision is accepted")      \
    X(collision_interval, 0.25f, "I",                                                              \
      "seconds that must pass between two collisions of the same pair")                            \
    X(force_margin, 2.5f, "I",                                                                     \
      "largest accepted force / mass, per unit of the sum of both top speeds")                     \
    X(force_slack, 1.0f, "I", "force / mass that is accepted in addition to force_margin")         \
    X(volume_slope, 0.1f, "R", "radius of a damage volume per unit of force / mass / contacts")    \
    X(volume_base, 0.1f, "R", "smallest radius of a damage volume")                                \
    X(volume_limit, 0.5f, "R", "largest radius of a damage volume")                                \
    X(volume_strength, 6000.0f, "R", "strength of a damage volume")                                \
    X(volume_scale, 100.0f, "T", "model units per game unit in DamageVolume messages")             \
    X(cloak_time, 5.0f, "R", "seconds to cloak, and seconds to decloak")                           \
    X(shield_delay, 1.0f, "R", "seconds after which the shields follow a change of the cloak")     \
    X(decloak_facing, 1.0f, "R", "HP that an empty facing gets after decloaking")                  \
    X(cloak_efficiency, 0.8f, "R", "a cloak that gets less than this share of its power fails")    \
    X(explosion_lifetime, 9.5f, "T",                                                               \
      "seconds from the death of a ship until its wreck is removed")                               \
    X(beam_low, 0.25f, "E", "share of max_damage per second that a beam does at level 0")          \
    X(beam_medium, 0.5f, "E", "share of max_damage per second that a beam does at level 1")        \
    X(beam_high, 0.5f, "E", "share of max_damage per second that a beam does at level 2")          \
    X(discharge_low, 0.35f, "E", "factor on the discharge of a firing bank at level 0")            \
    X(discharge_medium, 1.0f, "E", "factor on the discharge of a firing bank at level 1")          \
    X(discharge_high, 1.0f, "E", "factor on the discharge of a firing bank at level 2")            \
    X(discharge_delay, 0.5f, "E", "seconds that a bank fires before it discharges")                \
    X(beam_delay, 0.625f, "E", "seconds that a bank fires before it does damage")                  \
    X(beam_quantum, 0.53125f, "E", "seconds between two strikes of a beam")                        \
    X(beam_stagger, 0.0625f, "E", "seconds by which each further bank of a system starts later")   \
    X(beam_radius, 0.15f, "I", "reach of a beam's damage if its bank gives none")                  \
    X(beam_recharge_others, 1.25f, "R", "factor on the recharge of banks and cannons on a host")   \
    X(arc_tolerance, 0.09f, "I", "radians by which firing arcs are widened to tolerate lag")       \
    X(pulse_low, 0.2f, "E", "share of its script damage that a bolt does at level 0")              \
    X(pulse_medium, 0.5f, "E", "share of its script damage that a bolt does at level 1")           \
    X(pulse_high, 1.0f, "E", "share of its script damage that a bolt does at level 2")             \
    X(pulse_cost_low, 0.5f, "E", "charge that a bolt costs at level 0")                            \
    X(pulse_cost_medium, 1.0f, "E", "charge that a bolt costs at level 1")                         \
    X(pulse_cost_high, 2.0f, "E", "charge that a bolt costs at level 2")                           \
    X(cooldown_tolerance, 0.35f, "I",                                                              \
      "seconds by which a cannon may fire too early, to tolerate lag")                             \
    X(pulse_tolerance, 0.25f, "I",                                                                 \
      "charge that may be missing when a bolt is fired, to tolerate lag")                          \
    X(torpedo_tolerance, 0.1f, "I", "seconds by which a tube may fire too early, to tolerate lag") \
    X(torpedo_life, 30.0f, "I",                                                                    \
      "shortest flight time, in seconds, of a torpedo type without a lifetime")                    \
    X(splash, 0.0f, "I", "HP of damage that an exploding ship does to ships nearby")               \
    X(splash_radius, 0.0f, "I", "distance up to which an exploding ship does damage")              \
    X(health_interval, 0.1f, "T", "seconds between two health updates of one ship to one player")  \
    X(power_interval, 1.0f, "R", "seconds that one power budget lasts")                            \
    X(tractor_shed, 0.01f, "E", "share of the main battery at which tractors are switched off")    \
    X(tractor_return, 0.056f, "E", "share of the main battery above which tractors work again")    \
    X(score_divisor, 10.0f, "R", "points of damage that make one point of score")                  \
    X(battery_frozen, 0.0f, "I", "1: batteries never drain (spec 10 §4.5)")                        \
    X(shield_interval, 0.65625f, "E", "seconds between two recharges of the facings")              \
    X(shield_recharge, 0.85f, "E", "share of its rate at which a facing recharges")                \
    X(shield_gate, 0.1f, "E", "a facing at or below this share of its maximum stops nothing")      \
    X(shield_tight, 0.6f, "E",                                                                     \
      "a facing at or above this share of its maximum lets nothing through")                       \
    X(shield_leak, 0.6f, "E", "share of a hit that a facing just above shield_gate lets through")  \
    X(facing_default, 1000.0f, "R", "maximum HP of a facing for which the ship's data give none")

typedef struct sb_combat_constants {
#define SB_CONSTANT_MEMBER(name, value, tag, text) float name;
    SB_COMBAT_CONSTANTS(SB_CONSTANT_MEMBER)
#undef SB_CONSTANT_MEMBER
} sb_combat_constants;

SB_API void sb_combat_constants_default(sb_combat_constants *constants);
/* Sets one constant by its name. SB_NOT_ALLOWED: no constant has this name; SB_BAD_VALUE: the
 * value is negative or not finite. */
SB_API SB_MUST_USE sb_result sb_combat_constant_set(sb_combat_constants *constants,
                                                    const char *name, float value);
/* A sentence about a constant that only earlier versions had; NULL: none had it. Files that still
 * name the constant get the sentence as a warning. */
SB_API const char *sb_combat_constant_removed(const char *name);
/* Name, default value, tag ("T", "E", "R", "I") and text of the constant at `index`; NULL: not
 * wanted. False: there are not that many constants. */
SB_API bool sb_combat_constant_at(size_t index, const char **name, float *value, const char **tag,
                                  const char **text);

/* How much is simulated (spec 10 §15). Each level includes those above it in this list. */
typedef enum sb_fidelity {
    SB_FIDELITY_RELAY = 0,      /* cloaks; charge and tubes are watched; no ship takes damage */
    SB_FIDELITY_COLLISIONS = 1, /* collisions, self-destruct, repair and power */
    SB_FIDELITY_WEAPONS = 2,    /* shields, beams, bolts and torpedoes */
    SB_FIDELITY_ENFORCE = 3,    /* more implausible actions have no effect (spec 10 §15) */
} sb_fidelity;

/* The effect of a shortage of power on players' ships (spec 10 §4.4). */
typedef enum sb_power_rule {
    SB_POWER_STOCK = 0,  /* its batteries drain; its systems work as if they had all they want */
    SB_POWER_STRICT = 1, /* its systems work with the share of power that they get */
} sb_power_rule;

enum {
    SB_COMBAT_STEPS_PER_S = 30,
    SB_COMBAT_STEPS_AT_ONCE = 5, /* per call; further steps that are due are skipped (spec 10 §2) */
    SB_COMBAT_PROJECTILES = 64,  /* in flight per ship */
    SB_COMBAT_VOLUMES = 32,      /* damage volumes stored per ship, for late joiners */
};

typedef struct sb_combat_config {
    uint32_t                 max_ships;        /* wrecks included; default 32 */
    uint8_t                  fidelity;         /* sb_fidelity; default SB_FIDELITY_WEAPONS */
    uint8_t                  power;            /* sb_power_rule; default SB_POWER_STOCK */
    bool                     collision_damage; /* default true */
    bool                     no_damage; /* true: ships take no damage (spec 10 §3.3, 08 §8) */
    sb_combat_constants      constants;
    const sb_projectile_set *projectiles; /* NULL: the stock set */
} sb_combat_config;

/* Everything that a modified client could gain from, one row each: X(ID, name, text, unit, lag).
 * `unit` is that of the two numbers of evidence, what was claimed and what is possible. `lag` is
 * how many within 10 s a link that stalls or loses datagrams can explain, with messages that arrive
 * late and together: so many are counted, but not reported. The simulation counts what needs its
 * state; the server counts motion, health, power, warps and creations. Each is reported at every
 * fidelity level; spec 10 §15.1 says what becomes of it; tests/server/gain_test.c shows that there
 * is no gain. */
/* clang-format off */
#define SB_IMPLAUSIBLE(X)                                                                          \
    X(SB_IMPLAUSIBLE_FORCE, "force",                                                               \
      "collisions with more force than the ships can have", "units/s", 0)                          \
    X(SB_IMPLAUSIBLE_COLLISION_RATE, "collision_rate",                                             \
      "collisions of the same pair in too quick succession", "s", 16)                              \
    X(SB_IMPLAUSIBLE_COLLISION_FAR, "collision_far",                                               \
      "collisions of ships that are far apart", "units", 0)                                        \
    X(SB_IMPLAUSIBLE_TORPEDO_RATE, "torpedo_rate", "torpedoes from an unready tube", "s", 4)       \
    X(SB_IMPLAUSIBLE_AMMUNITION, "ammunition", "torpedoes that the ship has not left",             \
      "torpedoes", 4)                                                                              \
    X(SB_IMPLAUSIBLE_TORPEDO_TYPE, "torpedo_type",                                                 \
      "torpedoes of a type that the ship does not carry or has not loaded", "type", 0)             \
    X(SB_IMPLAUSIBLE_BOLT_TYPE, "bolt_type", "bolts that another ship fires", "type", 0)           \
    X(SB_IMPLAUSIBLE_PULSE_RATE, "pulse_rate", "bolts from a cannon that cools down", "s", 8)      \
    X(SB_IMPLAUSIBLE_PULSE_CHARGE, "pulse_charge", "bolts from a cannon without charge",           \
      "charge", 8)                                                                                 \
    X(SB_IMPLAUSIBLE_CLOAKED_FIRE, "cloaked_fire", "shots of cloaked ships", "cloak state", 4)     \
    X(SB_IMPLAUSIBLE_WEAPON_GATE, "weapon_gate",                                                   \
      "shots of weapons that are switched off or disabled", "condition", 4)                        \
    X(SB_IMPLAUSIBLE_UNARMED, "unarmed",                                                           \
      "shots of ships that may not fire yet: too early after a death, or in a warp", "s", 4)       \
    X(SB_IMPLAUSIBLE_ARC, "arc", "shots outside the arc of their weapon", "rad", 40)               \
    X(SB_IMPLAUSIBLE_BEHIND, "behind",                                                             \
      "shots so far outside the arc that no late message explains it", "rad", 1)                   \
    X(SB_IMPLAUSIBLE_NOT_ITS_WEAPON, "not_its_weapon",                                             \
      "shots from weapons that the ship does not have", "part", 0)                                 \
    X(SB_IMPLAUSIBLE_NO_SHIP, "no_ship", "shots without a living ship", "shots", 200)              \
    X(SB_IMPLAUSIBLE_SPEED, "speed", "speeds above the limit of the engines", "units/s", 0)        \
    X(SB_IMPLAUSIBLE_POSITION, "position",                                                         \
      "positions farther from the last one than the engines can reach", "units", 0)                \
    X(SB_IMPLAUSIBLE_TURN, "turn",                                                                 \
      "turns that neither engines nor a collision explain", "rad", 0)                              \
    X(SB_IMPLAUSIBLE_ACCELERATION, "acceleration",                                                 \
      "changes of speed that neither engines nor a collision explain", "units/s", 0)               \
    X(SB_IMPLAUSIBLE_HEALTH, "health", "conditions claimed by a client", "blocks", 0)              \
    X(SB_IMPLAUSIBLE_POWER, "power",                                                               \
      "power settings above 125 %, or of parts without power", "%", 0)                             \
    X(SB_IMPLAUSIBLE_CLOAK, "cloak", "cloaking by a ship that cannot cloak", "cloaks", 0)          \
    X(SB_IMPLAUSIBLE_WARP, "warp", "warps without a warp engine or to nowhere", "warps", 0)        \
    X(SB_IMPLAUSIBLE_SUBSYSTEMS, "subsystems",                                                     \
      "ships of a known species with other subsystems", "bytes", 0)                                \
    X(SB_IMPLAUSIBLE_RECREATION, "recreation",                                                     \
      "new ships while the old one lives or explodes", "s", 0)
/* clang-format on */

typedef enum sb_implausible {
#define SB_IMPLAUSIBLE_NAME(id, name, text, unit, lag) id,
    SB_IMPLAUSIBLE(SB_IMPLAUSIBLE_NAME)
#undef SB_IMPLAUSIBLE_NAME
        SB_IMPLAUSIBLE_COUNT
} sb_implausible;

SB_API const char *sb_implausible_name(sb_implausible what);
SB_API const char *sb_implausible_text(sb_implausible what);
SB_API const char *sb_implausible_unit(sb_implausible what);
SB_API uint32_t    sb_implausible_lag(sb_implausible what);

typedef enum sb_damage_cause {
    SB_DAMAGE_BEAM,
    SB_DAMAGE_BOLT,
    SB_DAMAGE_TORPEDO,
    SB_DAMAGE_COLLISION,
    SB_DAMAGE_SPLASH,
    SB_DAMAGE_SELF_DESTRUCT,
    SB_DAMAGE_CAUSES
} sb_damage_cause;

SB_API const char *sb_damage_cause_text(sb_damage_cause cause);

typedef enum sb_combat_event_type {
    SB_COMBAT_HIT,          /* a hit of `amount` HP, before shields and parts take it; scores count
                               this amount. The ABSORBED and DAMAGED events of a hit follow it; a
                               part that also takes the surplus of others has a second one */
    SB_COMBAT_ABSORBED,     /* facing `index` lost `amount` */
    SB_COMBAT_DAMAGED,      /* subsystem (index, child) lost `amount` */
    SB_COMBAT_SHIELD_LOST,  /* facing `index` lost `amount`: the generator is disabled */
    SB_COMBAT_RECHARGED,    /* facing `index` gained `amount`; only with `trace_gains` */
    SB_COMBAT_REPAIRED,     /* subsystem (index, child) gained `amount`; only with `trace_gains` */
    SB_COMBAT_REPAIR_ADDED, /* to be sent as SB_CODE_ADD_TO_REPAIR_LIST (spec 08 §5.1) */
    SB_COMBAT_REPAIR_COMPLETED,  /* spec 08 §5.2 */
    SB_COMBAT_REPAIR_IMPOSSIBLE, /* spec 08 §5.2 */
    SB_COMBAT_EXPLODING,         /* the ship dies; attacker: its killer */
    SB_COMBAT_GONE,              /* the wreck is removed */
    SB_COMBAT_CLOAK,             /* `index`: the new sb_cloak_state */
    SB_COMBAT_IMPLAUSIBLE, /* `index`: sb_implausible; `object_id`: the ship that did it; `claimed`,
                              `possible` */
} sb_combat_event_type;

typedef struct sb_combat_event {
    sb_combat_event_type type;
    uint32_t             object_id;     /* the ship that the event is about */
    uint32_t             attacker_ship; /* 0: none */
    uint8_t              attacker;      /* peer id; 0: none */
    uint8_t              cause;         /* sb_damage_cause */
    bool                 shields;       /* HIT: a facing absorbs it, or a part of it */
    uint8_t              index;         /* facing, top-level entry or state: see the types */
    int8_t               child;         /* child of the entry; -1: the entry itself */
    uint32_t             subsystem_id;  /* REPAIR_*: 0: not known, send nothing */
    uint32_t             repair_id; /* REPAIR_*: the repair system; 0: not known, send nothing */
    float                amount;    /* HP */
    float                left;      /* HP of the facing or subsystem after the event */
    float                lifetime;  /* EXPLODING: seconds until the wreck is removed */
    float                claimed, possible; /* IMPLAUSIBLE: in the unit of the row */
} sb_combat_event;

typedef struct sb_combat sb_combat;

SB_API void       sb_combat_defaults(sb_combat_config *config);
SB_API size_t     sb_combat_bytes(const sb_combat_config *config); /* 0: invalid config */
SB_API sb_combat *sb_combat_init(void *memory, const sb_combat_config *config, sb_time now);
/* The functions below call `on_event` for every event, in the order in which messages must be sent
 * (spec 10 §12.2). `on_event` must not call functions that change `combat`. `trace_gains`: report
 * RECHARGED and REPAIRED too. */
SB_API void sb_combat_listen(sb_combat *combat,
                             void (*on_event)(void *context, const sb_combat_event *event),
                             void *context, bool trace_gains);
/* Asks `has_effect` about each hit of a beam, torpedo or bolt, with the peer ids of the attacker
 * and of the owner of the ship that is hit; a hit without effect does no damage and is not
 * reported. NULL: every hit has an effect. */
SB_API void sb_combat_filter_hits(sb_combat *combat,
                                  bool (*has_effect)(const void *context, uint8_t attacker,
                                                     uint8_t owner),
                                  const void *context);

/* Adds a ship. Borrows `ship` until the ship is removed or GONE is reported: the simulation changes
 * its conditions, facings and batteries, and reads what the owner decides (motion, cloaked,
 * power_wanted). The actions below change on[] and setting[]; a caller may set them before. A
 * change of a condition by the caller is no hit: it queues no repair. A cloak starts when `cloaked`
 * becomes true. `set` identifies the set that the ship is in: ships in different sets cannot hit
 * each other. SB_FULL: max_ships reached; SB_NOT_ALLOWED: the object id is 0 or in use.
 */
SB_API SB_MUST_USE sb_result sb_combat_add_ship(sb_combat *combat, sb_ship *ship, uint8_t owner,
                                                uint32_t set, sb_time now);
/* Removes a ship without a death: the owner left or changed ships. Its projectiles fly on. */
SB_API void sb_combat_remove_ship(sb_combat *combat, uint32_t object_id);
/* Removes the credit of peer id `owner` from its projectiles and from deaths. To be called before
 * another player gets this peer id. */
SB_API void sb_combat_disown(sb_combat *combat, uint8_t owner);
/* The ship's motion has been updated by its owner. */
SB_API void sb_combat_moved(sb_combat *combat, uint32_t object_id, sb_time now);
/* The ship does no damage for `seconds` from now on: no weapon fires, and no collision with it
 * hurts others. Never shortens an earlier call. */
SB_API void sb_combat_disarm(sb_combat *combat, uint32_t object_id, float seconds);
/* The ship has changed to another set. */
SB_API void sb_combat_entered(sb_combat *combat, uint32_t object_id, uint32_t set, sb_time now);

/* Actions of owners. `object_id` is the sender's current ship; subsystem ids are those of the
 * message: object id + 1 + creation index. Where the index of a class is not known
 * (sb_combat_subsystem_id gives 0), any other id of the ship will do for a weapon: it is learned if
 * the message implies its subsystem (spec 08 §2.1), weapons of a kind in ascending order; otherwise
 * the action is ignored. Directions are in the axes of the world. Points (`aim`, contacts) are in
 * the axes of the ship that they lie on, compressed with its bound_radius.
 */
/* `aim`: a point on the target; all 0: none, the shots go for its Hull entry. */
SB_API void sb_combat_start_firing(sb_combat *combat, uint32_t object_id, uint32_t system_id,
                                   uint32_t target, sb_cv4b aim);
SB_API void sb_combat_stop_firing(sb_combat *combat, uint32_t object_id, uint32_t system_id,
                                  uint32_t target); /* 0: any target */
SB_API void sb_combat_target(sb_combat *combat, uint32_t object_id, uint32_t target);
SB_API void sb_combat_torpedo(sb_combat *combat, uint32_t object_id, uint32_t tube_id,
                              uint8_t projectile_type, sb_cv3 direction, uint32_t target,
                              sb_cv4b aim);
SB_API void sb_combat_pulse(sb_combat *combat, uint32_t object_id, uint32_t weapon_id,
                            uint8_t projectile_type, sb_cv3 direction, uint32_t target);
SB_API void sb_combat_switch(sb_combat *combat, uint32_t object_id, uint32_t subsystem_id, bool on);
/* Starts or stops cloaking; no effect on a ship without a cloaking device. */
SB_API void sb_combat_cloak(sb_combat *combat, uint32_t object_id, bool on);
SB_API void sb_combat_repair_first(sb_combat *combat, uint32_t object_id, uint32_t repair_id,
                                   uint32_t subsystem_id); /* RepairListPriority */
SB_API void sb_combat_phaser_level(sb_combat *combat, uint32_t object_id, uint32_t system_id,
                                   uint8_t level);
SB_API void sb_combat_torpedo_type(sb_combat *combat, uint32_t object_id, uint32_t system_id,
                                   uint8_t type);
SB_API void sb_combat_self_destruct(sb_combat *combat, uint32_t object_id);
/* A CollisionEffect from the owner of the ship `reporter`. Contacts lie on the ship `damaged`.
 * `other` 0: the other body is not a networked object. Returns by how many units/s the collision
 * changed the speed of the reporter's own ship; 0: the report has no effect. */
SB_API float sb_combat_collision(sb_combat *combat, uint32_t reporter, uint32_t other,
                                 uint32_t damaged, const sb_cv4b *contacts, unsigned contact_count,
                                 float force, sb_time now);

/* May change while a match runs. */
SB_API void sb_combat_set_collision_damage(sb_combat *combat, bool on);

/* Runs the steps that are due at `now`, at most SB_COMBAT_STEPS_AT_ONCE: call it at least six times
 * a second. */
SB_API void sb_combat_advance(sb_combat *combat, sb_time now);
/* When the next step is due; SB_TIME_NEVER: no ships. */
SB_API sb_time sb_combat_next_deadline(const sb_combat *combat);

/* The position of a ship at `now`, by dead reckoning; false: no such ship. */
SB_API bool sb_combat_position(const sb_combat *combat, uint32_t object_id, sb_time now,
                               sb_vec3 *position);
SB_API bool sb_combat_is_alive(const sb_combat *combat, uint32_t object_id); /* false for wrecks */
SB_API sb_cloak_state sb_combat_cloak_state(const sb_combat *combat, uint32_t object_id);
/* The id of a subsystem, known from data or learned; 0: not known. */
SB_API uint32_t sb_combat_subsystem_id(const sb_combat *combat, uint32_t object_id, unsigned index,
                                       int child);
/* The state of one bank, cannon, tube or projector. */
typedef struct sb_weapon_state {
    float   charge; /* banks and cannons */
    bool    firing; /* banks and projectors */
    uint8_t ready;  /* tubes: torpedoes that lie ready */
} sb_weapon_state;
/* False: `object_id`, `index` and `child` name no weapon. */
SB_API bool sb_combat_weapon(const sb_combat *combat, uint32_t object_id, unsigned index,
                             unsigned child, sb_weapon_state *out);
/* Visible hull damage, sent to newcomers as DamageVolume (spec 08 §15). */
typedef struct sb_volume {
    sb_vec3 centre; /* ship-local, model units */
    float   radius, strength;
} sb_volume;
/* The volume at `index`, oldest first; false: there are no more. */
SB_API bool     sb_combat_volume(const sb_combat *combat, uint32_t object_id, size_t index,
                                 sb_volume *out);
SB_API uint64_t sb_combat_implausible(const sb_combat *combat, sb_implausible what);
/* A hash of the whole state: simulations in equal states give the same hash. */
SB_API uint64_t sb_combat_state_hash(const sb_combat *combat);

#ifdef __cplusplus
}
#endif
#endif
