/* src/combat/combat_internal.h -- types and functions that the files of the simulation share.
 *
 * combat.c      memory, adding and removing ships, time and steps, public queries
 * orders.c      actions of owners: fire, switch, choose
 * ids.c         which subsystem an id means, known or learned (spec 08 §2.1)
 * power.c       budget and draw (spec 10 §4)
 * cloak.c       the four states of a cloak (§10)
 * shields.c     facings: choice, state, recharge, absorption (§5)
 * weapons.c     charge, reload, the conditions for firing (§6)
 * beams.c       phaser beams (§6.2)
 * tractors.c    tractor beams (§6.5)
 * projectiles.c bolts and torpedoes in flight (§6.3, §6.4)
 * impact.c      where a shot meets the shields and the hull (§5.1, §7)
 * damage.c      hits and the parts they damage (§7)
 * collision.c   reported collisions (§8)
 * repair.c      the repair queue and its events (§9)
 * death.c       deaths, wrecks, self-destruct, splash (§12)
 * hash.c        a hash of the whole state
 * constants.c   names and defaults of constants (§14)
 * check.c       the invariants (testing.h)
 *
 * Words: a fighter is a ship in the simulation. A part is an entry of the ship's subsystem list or
 * a child of an entry. A facing is one of the six shields. A shot is a bolt or torpedo in flight.
 */
#ifndef SB_COMBAT_INTERNAL_H
#define SB_COMBAT_INTERNAL_H

#include <starbase/combat.h>

#include "base/assert.h"
#include "combat/geometry.h"

enum {
    SB_COLLISION_PAIRS = 8, /* bodies a ship collided with recently */
    SB_CONTACTS = 32,       /* most contact points of a collision (spec 08 §10.1) */
    /* Memory for shots, with n = max_ships: the smaller of n * SB_COMBAT_PROJECTILES and
     * max(SB_SHOTS_MIN, n * SB_SHOTS_PER_SHIP). */
    SB_SHOTS_MIN = 512,
    SB_SHOTS_PER_SHIP = 16,
    /* Parts are numbered: first the entries of the list, then all children. */
    SB_CHILD_PART = SB_SUBSYSTEMS_MAX, /* the first child */
    SB_PARTS = SB_SUBSYSTEMS_MAX + SB_SHIP_CHILDREN_MAX,
    SB_NO_PART = 0xFF,
    SB_AMMO_SLOTS = 4, /* types of torpedoes whose number is counted */
    SB_AMMO_UNLIMITED = 0xFFFF,
};
_Static_assert(SB_PARTS == 128, "two words of bits hold all parts of a ship");

#define SB_STEP_SECONDS (1.0f / 30.0f)

typedef struct sb_part_set {
    uint64_t bits[2];
} sb_part_set;

static inline bool sb_part_set_has(const sb_part_set *set, unsigned part)
{
    SB_ASSERT(part < SB_PARTS);
    return set->bits[part / 64] >> part % 64 & 1;
}

static inline void sb_part_set_add(sb_part_set *set, unsigned part)
{
    SB_ASSERT(part < SB_PARTS);
    set->bits[part / 64] |= (uint64_t)1 << part % 64;
}

static inline void sb_part_set_add_all(sb_part_set *set, const sb_part_set *more,
                                       const sb_part_set *except)
{
    for (int i = 0; i < 2; i++) set->bits[i] |= more->bits[i] & ~except->bits[i];
}

static inline bool sb_part_set_is_empty(const sb_part_set *set)
{
    return !(set->bits[0] | set->bits[1]);
}

static inline void sb_part_set_remove(sb_part_set *set, unsigned part)
{
    SB_ASSERT(part < SB_PARTS);
    set->bits[part / 64] &= ~((uint64_t)1 << part % 64);
}

typedef struct sb_weapon {
    const sb_weapon_class *figures;
    uint8_t                type;   /* sb_subsystem_type of the child */
    uint8_t                system; /* entry it belongs to */
    uint8_t                child;  /* in model->children */
    /* The members below are the state; learning an id can move it to another tube or cannon. */
    bool     firing;         /* banks and projectors */
    bool     has_fired : 1;  /* tubes and cannons */
    bool     in_burst : 1;   /* cannons: have fired since the trigger was pulled */
    bool     fired_last;     /* banks: the last one of its single-fire system that fired */
    uint8_t  ready, loading; /* tubes: places with a torpedo, places without */
    uint32_t fired_at;       /* tubes and cannons: step of the last shot; after one that was early
                                for the sake of lag, the step at which it was due */
    float charge;            /* banks and cannons */
    union {
        uint32_t loaded_at[SB_TUBE_PLACES]; /* tubes: steps at which the `loading` places are ready,
                                               ascending */
        float owed;                         /* cannons: charge that was missing for bolts */
        struct {                            /* firing banks: since the start */
            uint32_t beam_age;              /* steps */
            uint32_t quanta;                /* strikes */
            uint8_t  level;                 /* lowest since the last strike */
        };
    };
} sb_weapon;

typedef struct sb_collision_pair {
    uint32_t other;
    bool     used;
    sb_time  at;
} sb_collision_pair;

/* A damage volume, whose strength is a constant of the ship. */
typedef struct sb_dent {
    sb_vec3 centre;
    float   radius;
} sb_dent;

typedef enum sb_life {
    SB_LIFE_ALIVE,
    SB_LIFE_DYING, /* was killed in this step; explodes at the end of the step (spec 10 §2) */
    SB_LIFE_EXPLODING,
} sb_life;

/* Cause of damage, and the attacker. */
typedef struct sb_damage_source {
    uint8_t  cause;    /* sb_damage_cause */
    uint8_t  attacker; /* peer id; 0: nobody */
    uint32_t ship;     /* object id of the attacker's ship; 0: none */
} sb_damage_source;

/* One hit on a ship, while it is being computed. */
typedef struct sb_hit {
    sb_damage_source by;
    bool             fatal; /* a critical part is destroyed */
    sb_part_set      parts; /* damaged parts */
} sb_hit;

/* A shot that meets a ship. Points are in the axes of that ship. */
typedef struct sb_strike {
    sb_damage_source by;
    sb_vec3          start;  /* a point on the path, before the shields */
    sb_vec3          at;     /* point of impact on the hull */
    float            search; /* parts are damaged whose surface is this near to `at` */
    float            damage;
    bool             spares_hull;
} sb_strike;

/* A ship in the simulation, alive or a wreck. */
typedef struct sb_fighter {
    sb_ship *ship; /* borrowed; NULL: this place in the array is free */
    uint32_t object_id, set;
    uint8_t  owner;
    uint8_t  life; /* sb_life */
    /* First entry of each type; SB_NO_PART: the ship has none. */
    uint8_t  hull, shields, reactor, cloak, repair;
    uint32_t added_at; /* step */
    uint32_t armed_at; /* before this step the ship does no damage (sb_combat_disarm) */
    uint32_t gone_at;  /* exploding: step at which the wreck is removed */
    sb_time  moved_at; /* time of the owner's last update */
    sb_vec3  position; /* by dead reckoning, as of the last step or update */
    /* The server's constants; values of the ship's class replace some. */
    sb_combat_constants constants;

    /* Shields and shape, §5, §7. */
    sb_solid ellipsoid;                   /* the shields */
    float    shape_radius;                /* of a sphere around the origin that holds all solids */
    float    facing_fraction[SB_FACINGS]; /* of its maximum, at the last recharge */
    uint32_t recharge_count;              /* recharges scheduled since the ship was added */
    uint32_t recharge_at;                 /* step of the next recharge */

    /* Power, spec 10 §4. */
    uint32_t budget_ends_at;                 /* step at which the next budget starts */
    float    main_conduit, backup_conduit;   /* power left in this budget interval */
    float    efficiency[SB_SUBSYSTEMS_MAX];  /* power received / power wanted */
    float    performance[SB_SUBSYSTEMS_MAX]; /* power received / full power (ratio_p) */

    /* Cloak, §10. Times in steps. */
    uint8_t  cloak_state;       /* sb_cloak_state */
    bool     cloak_wanted;      /* by the owner */
    bool     cloak_bit_seen;    /* ship->cloaked in the last step */
    bool     shields_lowered;   /* by the cloak */
    bool     shields_change;    /* shields_lowered changes at shields_change_at */
    uint32_t shields_change_at; /* step */
    uint32_t cloak_timer;       /* 0: visible; cloak_time: cloaked */

    /* Weapons, §6. */
    uint32_t  target;                      /* the owner's last known target; 0: none */
    uint32_t  ordered;                     /* one bit per entry: the owner ordered it to fire */
    uint32_t  aimed_at[SB_SUBSYSTEMS_MAX]; /* target of the order; 0: `target` */
    sb_cv4b   aim[SB_SUBSYSTEMS_MAX];      /* point on that target; all 0: not given */
    bool      tractor_fires;               /* at least one projector fires */
    bool      tractors_shed;               /* the main battery is too low for them (§4.4) */
    float     drag;                        /* share of tractor force in use (§6.5) */
    uint16_t  ammo[SB_AMMO_SLOTS];         /* torpedoes left by type, loaded ones included */
    uint8_t   weapon_count;
    sb_weapon weapons[SB_WEAPONS_MAX];

    /* Repair queue, §9. */
    uint8_t     queue_size;
    uint8_t     queue[SB_PARTS]; /* parts, head first */
    sb_part_set queued;          /* the parts in `queue`, for fast search */

    /* Subsystem ids, spec 08 §2.1: id = object_id + 1 + k. SB_NO_PART: not known. */
    uint8_t k_of_part[SB_PARTS];

    sb_damage_source killer;    /* unless alive */
    sb_part_set      hit_parts; /* damaged parts, to be announced at the end of the step */

    /* Two rings; pair_next and volume_next are the places that are written next. */
    uint8_t           pair_next;
    sb_collision_pair pairs[SB_COLLISION_PAIRS];
    uint8_t           volume_count, volume_next;
    sb_dent           volumes[SB_COMBAT_VOLUMES];
} sb_fighter;

/* Weapon `i` of the fighter `f`, which must exist; const if `f` is. */
#define SB_WEAPON(f, i) (&(f)->weapons[sb_weapon_index(f, i)])

static inline unsigned sb_weapon_index(const sb_fighter *f, unsigned index)
{
    SB_ASSERT(index < f->weapon_count);
    return index;
}

/* A bolt or torpedo in flight. */
typedef struct sb_shot {
    const sb_projectile_class *figures;
    sb_vec3                    position, direction;
    sb_vec3                    aim;              /* point on the target, in the target's axes */
    uint32_t                   launcher, target; /* object ids; target 0: none */
    uint32_t                   set;
    uint32_t                   age; /* steps */
    float                      damage;
    float                      life;  /* seconds */
    uint8_t                    owner; /* peer id; 0: nobody */
    bool                       spent; /* hit something or is too old: removed in this step */
} sb_shot;

/* A ship that shots can hit. The list of bodies is built once per step. */
typedef struct sb_body {
    sb_vec3  position;
    float    radius;
    uint32_t object_id, set;
    uint32_t fighter; /* index in fighters */
} sb_body;

struct sb_combat {
    sb_combat_config config;
    void (*on_event)(void *context, const sb_combat_event *event);
    void *context;
    bool (*has_effect)(const void *context, uint8_t attacker, uint8_t owner); /* NULL: always */
    const void *filter_context;
    bool        trace_gains;
    uint32_t    step;        /* steps run since sb_combat_init: game time */
    sb_time     clock_start; /* start of the clock; its step n is due n / 30 s later */
    uint64_t    clock_steps; /* steps run since clock_start */
    uint32_t    ship_count;
    uint32_t    top; /* fighters[top] and all behind it are free */
    uint32_t    shot_count, shot_capacity;
    uint64_t    implausible[SB_IMPLAUSIBLE_COUNT];
    sb_fighter *fighters;
    uint32_t   *ids; /* object ids of the fighters, packed for fast search; 0: free */
    sb_body    *bodies;
    sb_shot    *shots; /* oldest first */
};

/* The place `index` of the array, in use or not; it must be below `top`. */
static inline sb_fighter *sb_combat_fighter_at(const sb_combat *c, uint32_t index)
{
    SB_ASSERT(index < c->top);
    return &c->fighters[index];
}

/* ---- combat.c ---- */
sb_fighter *sb_combat_find_fighter(const sb_combat *c, uint32_t object_id); /* NULL: none */
bool        sb_combat_is_simulated(const sb_combat *c, sb_fidelity level);
/* Rounds up to whole steps; 0 if `seconds` is negative or NaN. */
uint32_t sb_combat_steps_from_seconds(float seconds);
/* Rounds to the nearest step; `seconds` is not negative. */
uint32_t sb_combat_nearest_step(double seconds);
/* Counts and reports an implausible action of `f`, with the evidence in the unit of the row. True:
 * SB_FIDELITY_ENFORCE is on, so the caller must not carry out the action. */
bool sb_combat_count_implausible(sb_combat *c, const sb_fighter *f, sb_implausible what,
                                 float claimed, float possible);
void sb_combat_report(const sb_combat *c, const sb_combat_event *event);
/* Frees the place of `f`, alive or a wreck, and stops beams that fire at `f`. Reports nothing. */
void sb_combat_remove_fighter(sb_combat *c, sb_fighter *f);

/* ---- parts (ids.c) ---- */
const sb_subsystem_class *sb_combat_part_class(const sb_ship_class *model, unsigned part);
float                    *sb_combat_part_condition(sb_ship *ship, unsigned part);
/* Index of the entry, and index of the child in that entry or -1, as events report a part. */
void sb_combat_locate_part(const sb_ship_class *model, unsigned part, uint8_t *index,
                           int8_t *child);
/* The part after `part` in list order: each entry, then its children. SB_NO_PART: `part` is the
 * last.
 */
unsigned sb_combat_next_part(const sb_ship_class *model, unsigned part);
void     sb_combat_init_ids(sb_fighter *f);
uint32_t sb_combat_part_id(const sb_fighter *f, unsigned part);  /* 0: not known for certain */
unsigned sb_combat_part_of_id(const sb_fighter *f, uint32_t id); /* SB_NO_PART: not known */
/* Resolves `id` to the entry of `type`, and learns an unknown id. SB_NO_PART: `id` contradicts
 * known ids (counted), or belongs to another ship. */
unsigned sb_combat_learn_entry(sb_combat *c, sb_fighter *f, uint32_t id, sb_subsystem_type type);
/* Resolves the destination of StartFiring, StopFiring or StopFiringAtTarget to a weapon system, by
 * the rules in ids.c. SB_NO_PART: none fits. */
unsigned sb_combat_learn_weapon_system(sb_combat *c, sb_fighter *f, uint32_t id);
/* Resolves `id` to a weapon of `type`, and learns an unknown id. NULL: `id` contradicts known ids
 * (counted), or belongs to another ship. */
sb_weapon *sb_combat_learn_weapon(sb_combat *c, sb_fighter *f, uint32_t id, sb_subsystem_type type);

/* ---- power.c ---- */
void sb_combat_init_power(sb_fighter *f);
void sb_combat_step_power(sb_combat *c, sb_fighter *f);
/* Instead of it, below SB_FIDELITY_COLLISIONS: batteries stay full. Cannons still charge by the
 * sliders, because the charge shows which bolts are too many (spec 10 §15.1). */
void sb_combat_step_sliders(sb_combat *c, sb_fighter *f);

/* ---- cloak.c ---- */
void sb_combat_step_cloak(sb_combat *c, sb_fighter *f);
void sb_combat_decloak_dying(sb_combat *c, sb_fighter *f); /* a death starts decloaking */
void sb_combat_step_wreck_cloak(sb_combat *c, sb_fighter *f);

/* ---- shields.c ---- */
unsigned sb_combat_facing_of(sb_vec3 outward); /* in the axes of the ellipsoid; spec 10 §5.1 */
float    sb_combat_facing_max(const sb_fighter *f, unsigned facing);
bool     sb_combat_has_shields_up(const sb_fighter *f);
/* The facing stops at least a part of a hit. */
bool sb_combat_does_facing_stop(const sb_fighter *f, unsigned facing);
void sb_combat_init_shields(sb_fighter *f);
void sb_combat_step_shields(sb_combat *c, sb_fighter *f);
/* The facing takes its share of the damage. Returns the rest. */
float sb_combat_absorb(sb_combat *c, sb_fighter *f, const sb_damage_source *by, unsigned facing,
                       float damage);
/* Sets empty facings to the constant decloak_facing. */
void sb_combat_raise_shields_to_floor(sb_combat *c, sb_fighter *f);

/* ---- impact.c: all points are in the axes of the ship that is hit ---- */
void    sb_combat_init_shape(sb_fighter *f);
sb_vec3 sb_combat_default_aim(const sb_fighter *f); /* where shots without an aim go */
/* The point that an aim of a message means; no aim: the default. */
sb_vec3 sb_combat_decode_aim(const sb_fighter *target, sb_cv4b aim);
/* Finds where the ray enters the shield ellipsoid. False: it does not, or it starts inside. */
bool sb_combat_enters_shields(const sb_fighter *f, sb_vec3 start, sb_vec3 way, float *fraction,
                              unsigned *facing);
bool sb_combat_enters_hull(const sb_fighter *f, sb_vec3 start, sb_vec3 way, float *fraction);
/* The point of the hull that a shot from `start` toward `aim` hits. */
sb_vec3 sb_combat_point_of_impact(const sb_fighter *f, sb_vec3 start, sb_vec3 aim);

/* ---- weapons.c ---- */
void sb_combat_init_weapons(sb_fighter *f);
void sb_combat_step_weapons(sb_combat *c, sb_fighter *f); /* charges and reloads */
/* The conditions for firing, spec 10 §6.1. */
bool    sb_combat_is_armed(const sb_combat *c, const sb_fighter *f);
bool    sb_combat_may_fire_system(const sb_combat *c, const sb_fighter *f, unsigned system);
bool    sb_combat_may_fire_weapon(const sb_fighter *f, const sb_weapon *weapon);
bool    sb_combat_may_fire_at(const sb_fighter *f, const sb_fighter *target);
void    sb_combat_stop_system(sb_fighter *f, unsigned system);
uint8_t sb_combat_tube_places(const sb_weapon *weapon); /* torpedoes a tube holds */
/* A torpedo of this type is left, loaded or not. */
bool sb_combat_has_torpedo(const sb_fighter *f, unsigned system, uint8_t projectile_type);
void sb_combat_spend_torpedo(sb_fighter *f, unsigned system, uint8_t projectile_type);
/* The ammunition in the tubes of the system; NULL: not known, the class lists no torpedoes. */
const sb_ordnance *sb_combat_loaded_torpedo(const sb_fighter *f, unsigned system);
bool               sb_combat_carries_torpedo(const sb_fighter *f, uint8_t projectile_type);
/* Corrects the number of torpedoes of a tube after it got the state of a tube of another size. */
void sb_combat_fit_tube(sb_weapon *weapon);
/* All tubes of the system start to reload. */
void sb_combat_empty_tubes(sb_combat *c, sb_fighter *f, unsigned system);
/* The target of a system's order; NULL: none, or it cannot be fired at. */
sb_fighter *sb_combat_target_of(const sb_combat *c, const sb_fighter *f, unsigned system);
/* From a weapon to `centre`, in the ship's axes. */
sb_vec3 sb_combat_vector_to(const sb_fighter *f, const sb_weapon *weapon, sb_vec3 centre);

/* ---- orders.c ---- */
bool sb_combat_is_cannon_cooling(const sb_combat *c, const sb_fighter *f, const sb_weapon *weapon);

/* ---- beams.c ---- */
void sb_combat_step_beams(sb_combat *c, sb_fighter *f);

/* ---- tractors.c ---- */
void sb_combat_step_tractors(sb_combat *c, sb_fighter *f);

/* ---- projectiles.c ---- */
void sb_combat_launch(sb_combat *c, const sb_fighter *f, const sb_weapon *weapon,
                      const sb_projectile_class *figures, float damage, sb_vec3 direction,
                      const sb_fighter *target, sb_cv4b aim);
void sb_combat_step_shots(sb_combat *c);

/* ---- damage.c ---- */
bool sb_combat_is_vulnerable(const sb_combat *c, const sb_fighter *f);
/* A beam, bolt or torpedo meets the ship. */
void sb_combat_strike(sb_combat *c, sb_fighter *f, const sb_strike *strike);
void sb_combat_report_hit(const sb_combat *c, const sb_fighter *f, const sb_damage_source *by,
                          float damage, unsigned facing, bool shields);
/* Damage the hull and all parts within `search` of `p` (spec 10 §7). */
void sb_combat_damage_by_weapon(sb_combat *c, sb_fighter *f, sb_hit *hit, sb_vec3 p, float search,
                                float damage, bool spares_hull);
void sb_combat_damage_by_collision(sb_combat *c, sb_fighter *f, sb_hit *hit, sb_vec3 p,
                                   float search, float damage);
/* Returns the damage that the part cannot take. */
float sb_combat_damage_part(sb_combat *c, sb_fighter *f, sb_hit *hit, unsigned part, float damage);
/* Stores the damaged parts of the hit; a fatal hit makes the ship dying. */
void sb_combat_finish_hit(sb_fighter *f, const sb_hit *hit);

/* ---- repair.c ---- */
/* Announces and queues the damaged parts, in list order (spec 10 §9.2). */
void sb_combat_announce_hits(const sb_combat *c, sb_fighter *f);
void sb_combat_step_repair(sb_combat *c, sb_fighter *f);
/* Moves a part to the head of the queue, or to the tail if a team works on it; a part that is not
 * queued, or SB_NO_PART: no effect. */
void sb_combat_toggle_repair_priority(sb_fighter *f, unsigned part);

/* ---- death.c ---- */
/* Dying ships explode, and so do ships that these explosions kill. */
void sb_combat_step_deaths(sb_combat *c);
/* Decloaks wrecks, and removes those whose lifetime ends with this step. */
void sb_combat_step_wrecks(sb_combat *c);
/* Cancels all orders to fire at this ship. */
void sb_combat_stop_beams_at(sb_combat *c, uint32_t object_id);

#endif
