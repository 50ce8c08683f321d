/* src/combat/combat_internal.h -- the simulation from inside: what its files share.
 *
 * combat.c      memory, ships that come and go, time and steps, the public questions
 * orders.c      what owners do: fire, switch, choose
 * ids.c         which subsystem an id means, known or learned (spec 08 §2.1)
 * power.c       budget and draw (spec 10 §4)
 * cloak.c       the four states (§10)
 * shields.c     facings: which one, are they up, recharge, absorption (§5)
 * weapons.c     charge, reload, the gate (§6)
 * beams.c       beams and tractor beams (§6.2, §6.5)
 * projectiles.c bolts and torpedoes in flight (§6.3, §6.4)
 * damage.c      blows and what they hit (§7)
 * collision.c   0x15 (§8)
 * repair.c      the queue and its events (§9)
 * death.c       dying, wrecks, self-destruct, splash (§12)
 * hash.c        one number over everything
 * constants.c   names and defaults (§14)
 * check.c       the invariants (testing.h)
 */
#ifndef SB_COMBAT_INTERNAL_H
#define SB_COMBAT_INTERNAL_H

#include <starbase/combat.h>

#include "combat/geometry.h"

enum {
    SB_COLLISION_PAIRS = 8, /* things a ship collided with lately */
    SB_CONTACTS = 32,       /* at most; spec 08 §10.1 */
    SB_POOL_MIN = 512,      /* projectiles of a room: 64 a ship, but no more than this ... */
    SB_POOL_PER_SHIP = 16,  /* ... or this for each */
    /* A part is an entry of the list, or a child: */
    SB_CHILD_PART = SB_SUBSYSTEMS_MAX,
    SB_PARTS = SB_SUBSYSTEMS_MAX + SB_SHIP_CHILDREN_MAX,
    SB_NO_PART = 0xFF,
};
_Static_assert(SB_PARTS == 128, "two words of bits hold all parts of a ship");

#define SB_STEP_SECONDS (1.0f / 30.0f)

typedef struct sb_part_set {
    uint64_t bits[2];
} sb_part_set;

static inline bool sb_part_set_has(const sb_part_set *set, unsigned part)
{
    return set->bits[part / 64] >> part % 64 & 1;
}

static inline void sb_part_set_add(sb_part_set *set, unsigned part)
{
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
    set->bits[part / 64] &= ~((uint64_t)1 << part % 64);
}

typedef struct sb_weapon {
    const sb_weapon_class *figures;
    uint8_t                type;   /* sb_subsystem_type of the child */
    uint8_t                system; /* entry it belongs to */
    uint8_t                child;  /* in model->children */
    /* What changes; moves to another tube when ids are learned (ids.c). */
    bool     firing;                    /* banks and projectors */
    bool     has_fired;                 /* tubes */
    uint8_t  ready, loading;            /* tubes: places with a torpedo, and without */
    uint32_t fired_at;                  /* step */
    float    charge;                    /* banks and cannons */
    uint32_t loaded_at[SB_TUBE_PLACES]; /* steps; the first `loading`, ascending */
} sb_weapon;

typedef struct sb_collision_pair {
    uint32_t other;
    bool     used;
    sb_time  at;
} sb_collision_pair;

typedef enum sb_life {
    SB_LIFE_ALIVE,
    SB_LIFE_DYING, /* the killing hit has fallen in this step; the step goes on (spec 10 §2) */
    SB_LIFE_EXPLODING,
} sb_life;

/* Who did it. */
typedef struct sb_damage_source {
    uint8_t  cause;    /* sb_damage_cause */
    uint8_t  attacker; /* peer id */
    uint32_t ship;
} sb_damage_source;

/* One hit: what it was, and whom it hit so far. */
typedef struct sb_hit {
    sb_damage_source by;
    bool             fatal;
    sb_part_set      parts; /* to be announced, in list order (spec 08 §5.1) */
} sb_hit;

/* A ship in the simulation. */
typedef struct sb_fighter {
    sb_ship *ship; /* borrowed; NULL: free */
    uint32_t object_id, set;
    uint8_t  owner;
    uint8_t  life;     /* sb_life */
    uint32_t added_at; /* step */
    uint32_t gone_at;  /* step; exploding */
    sb_time  moved_at;
    sb_vec3  position; /* by dead reckoning, as of the last step or update */
    /* The server's, with those of the ship's class in place of some. */
    sb_combat_constants constants;

    /* First entry of a type; SB_NO_PART. */
    uint8_t hull, shields, reactor, cloak, repair;

    /* Power, spec 10 §4. */
    float main_conduit, backup_conduit;   /* left of this second */
    float efficiency[SB_SUBSYSTEMS_MAX];  /* received of wanted */
    float performance[SB_SUBSYSTEMS_MAX]; /* ratio_p */

    /* Cloak, §10. Times in steps. */
    uint8_t  cloak_state;                     /* sb_cloak_state */
    bool     cloak_wanted, cloak_bit_seen;    /* seen: ship->cloaked when last looked at */
    bool     shields_lowered, shields_change; /* change: at shields_change_at */
    uint32_t cloak_timer, shields_change_at;

    /* Weapons, §6. */
    uint32_t  target;                      /* last known; 0: none */
    uint32_t  ordered;                     /* bit per entry: told to fire */
    uint32_t  aimed_at[SB_SUBSYSTEMS_MAX]; /* by the order; 0: `target` */
    sb_cv4b   aim[SB_SUBSYSTEMS_MAX];      /* where on it; all 0: nowhere in particular */
    bool      tractor_fires;
    float     drag; /* §6.5 */
    uint8_t   weapon_count;
    sb_weapon weapons[SB_WEAPONS_MAX];

    /* Repair, §9: parts, head first. */
    uint8_t     queue_size;
    uint8_t     queue[SB_PARTS];
    sb_part_set queued;

    /* Ids, spec 08 §2.1. */
    uint8_t part_of_k[SB_PARTS], k_of_part[SB_PARTS]; /* SB_NO_PART */

    sb_damage_source killer;    /* dying */
    sb_part_set      hit_parts; /* in this step, to be announced at its end */

    uint8_t           pair_next;
    sb_collision_pair pairs[SB_COLLISION_PAIRS];
    uint8_t           volume_count, volume_next;
    sb_volume         volumes[SB_COMBAT_VOLUMES];
} sb_fighter;

typedef struct sb_shot {
    const sb_projectile_class *figures;
    sb_vec3                    position, direction;
    sb_vec3                    aim;                   /* local to the target */
    uint32_t                   launcher, set, target; /* target 0: none */
    uint32_t                   age;                   /* steps */
    float                      life;                  /* seconds */
    uint8_t                    owner;
    bool                       spent;
} sb_shot;

/* What projectiles can run into, gathered once per step. */
typedef struct sb_body {
    sb_vec3  position;
    float    radius;
    uint32_t object_id, set, fighter;
} sb_body;

struct sb_combat {
    sb_combat_config config;
    void (*on_event)(void *context, const sb_combat_event *event);
    void       *context;
    bool        trace_gains;
    uint32_t    step;        /* steps run since the beginning: game time */
    sb_time     clock_start; /* step n of the clock is due at clock_start + n / 30 s */
    uint64_t    clock_steps;
    uint32_t    ship_count, top; /* fighters[top..] are free */
    uint32_t    shot_count, shot_capacity;
    uint64_t    implausible[SB_IMPLAUSIBLE_COUNT];
    sb_fighter *fighters;
    uint32_t   *ids; /* object ids of the fighters, close together; 0: free */
    sb_body    *bodies;
    sb_shot    *shots; /* oldest first */
};

/* ---- combat.c ---- */
sb_fighter *sb_combat_find_fighter(const sb_combat *c, uint32_t object_id); /* NULL: none */
bool        sb_combat_is_simulated(const sb_combat *c, sb_fidelity level);
/* Smallest number of whole steps that is not less than this many seconds. */
uint32_t sb_combat_steps_from_seconds(float seconds);
/* False: not enforced, it was only counted. */
bool sb_combat_count_implausible(sb_combat *c, const sb_fighter *f, sb_implausible what);
void sb_combat_report(const sb_combat *c, const sb_combat_event *event);
/* Forgets the ship. */
void sb_combat_remove_fighter(sb_combat *c, sb_fighter *f);

/* ---- parts (ids.c) ---- */
const sb_subsystem_class *sb_combat_part_class(const sb_ship_class *model, unsigned part);
float                    *sb_combat_part_condition(sb_ship *ship, unsigned part);
/* As in events: top-level entry, and child of it or -1. */
void sb_combat_locate_part(const sb_ship_class *model, unsigned part, uint8_t *index,
                           int8_t *child);
/* The part behind `part` in list order: each entry, then its children. SB_NO_PART: the end. */
unsigned sb_combat_next_part(const sb_ship_class *model, unsigned part);
void     sb_combat_init_ids(sb_fighter *f);
uint32_t sb_combat_part_id(const sb_fighter *f, unsigned part);  /* 0: not known for certain */
unsigned sb_combat_part_of_id(const sb_fighter *f, uint32_t id); /* SB_NO_PART */
/* The entry of this type, which the id must mean; learned if need be. SB_NO_PART: it cannot. */
unsigned sb_combat_learn_entry(sb_combat *c, sb_fighter *f, uint32_t id, sb_subsystem_type type);
/* The weapon system that the destination of 0x07 to 0x09 means, by the best guess. */
unsigned   sb_combat_learn_weapon_system(sb_combat *c, sb_fighter *f, uint32_t id);
sb_weapon *sb_combat_learn_weapon(sb_combat *c, sb_fighter *f, uint32_t id, sb_subsystem_type type);

/* ---- power.c ---- */
void sb_combat_init_power(sb_fighter *f);
void sb_combat_step_power(sb_combat *c, sb_fighter *f);

/* ---- cloak.c ---- */
void sb_combat_step_cloak(sb_combat *c, sb_fighter *f);
void sb_combat_drop_cloak(sb_combat *c, sb_fighter *f); /* at once: death */

/* ---- shields.c ---- */
unsigned sb_combat_facing_of(sb_vec3 outward); /* ship-local; spec 10 §5.1 */
float    sb_combat_facing_max(const sb_fighter *f, unsigned facing);
bool     sb_combat_has_shields_up(const sb_fighter *f);
void     sb_combat_step_shields(sb_combat *c, sb_fighter *f);
/* Takes up to `damage` off a facing. */
void sb_combat_absorb(sb_combat *c, sb_fighter *f, const sb_damage_source *by, unsigned facing,
                      float damage);
/* What is left of area damage behind the facings (spec 10 §5.2). */
float sb_combat_absorb_area(sb_combat *c, sb_fighter *f, const sb_damage_source *by, float damage);
/* Facings at 0 after decloaking. */
void sb_combat_raise_shields_to_floor(sb_combat *c, sb_fighter *f);

/* ---- weapons.c ---- */
void sb_combat_init_weapons(sb_fighter *f);
void sb_combat_step_weapons(sb_combat *c, sb_fighter *f); /* charge and reload */
/* The parts of the gate of spec 10 §6.1. */
bool    sb_combat_may_fire_system(const sb_fighter *f, unsigned system);
bool    sb_combat_may_fire_weapon(const sb_fighter *f, const sb_weapon *weapon);
bool    sb_combat_may_fire_at(const sb_fighter *f, const sb_fighter *target);
void    sb_combat_stop_system(sb_fighter *f, unsigned system);
uint8_t sb_combat_tube_places(const sb_weapon *weapon); /* torpedoes it holds */
/* A tube got the state of another one, which may have more or fewer places. */
void sb_combat_fit_tube(sb_weapon *weapon);
void sb_combat_empty_tubes(sb_combat *c, sb_fighter *f, unsigned system);

/* ---- beams.c ---- */
void sb_combat_step_beams(sb_combat *c, sb_fighter *f);
void sb_combat_step_tractors(sb_combat *c, sb_fighter *f);
/* The farthest a beam of the system does damage at. */
float sb_combat_beam_reach(const sb_fighter *f, unsigned system);

/* ---- projectiles.c ---- */
void sb_combat_launch(sb_combat *c, const sb_fighter *f, const sb_weapon *weapon,
                      const sb_projectile_class *figures, sb_vec3 direction,
                      const sb_fighter *target, sb_cv4b aim);
void sb_combat_step_shots(sb_combat *c);

/* ---- damage.c ---- */
bool sb_combat_is_vulnerable(const sb_combat *c, const sb_fighter *f);
/* Where on the ship a hit from the direction `outward` lies, if nothing better is known. */
sb_vec3 sb_combat_point_of_impact(const sb_fighter *f, sb_vec3 outward);
/* A beam, bolt or torpedo from the direction `outward` (ship-local, of unit length); the second: at
 * a point of its own. */
void sb_combat_hit_with_weapon(sb_combat *c, sb_fighter *f, sb_damage_source by, sb_vec3 outward,
                               float search, float damage);
void sb_combat_hit_at(sb_combat *c, sb_fighter *f, sb_damage_source by, sb_vec3 outward, sb_vec3 at,
                      float search, float damage);
void sb_combat_report_hit(const sb_combat *c, const sb_fighter *f, const sb_damage_source *by,
                          float damage, unsigned facing, bool shields);
/* The walk of spec 10 §7. */
void sb_combat_damage_at(sb_combat *c, sb_fighter *f, sb_hit *hit, sb_vec3 p, float search,
                         float damage, bool is_weapon);
void sb_combat_damage_part(sb_combat *c, sb_fighter *f, sb_hit *hit, unsigned part, float damage);
/* The hit is complete. */
void sb_combat_finish_hit(sb_fighter *f, const sb_hit *hit);

/* ---- repair.c ---- */
/* Announces what was hit in list order and queues it (spec 10 §9.2). */
void sb_combat_announce_hits(const sb_combat *c, sb_fighter *f);
void sb_combat_step_repair(sb_combat *c, sb_fighter *f);
void sb_combat_toggle_repair_priority(sb_fighter *f, unsigned part);

/* ---- death.c ---- */
/* Those that are dying die now, and whom that kills. */
void sb_combat_step_deaths(sb_combat *c);
/* Wrecks that end with this step. */
void sb_combat_step_wrecks(sb_combat *c);
/* Beams at this ship stop. */
void sb_combat_stop_beams_at(sb_combat *c, uint32_t object_id);

#endif
