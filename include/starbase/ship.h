/* starbase/ship.h -- data about ship classes: subsystem lists and figures; projectiles, systems.
 *
 * For:      the codecs, which need the lists to read SUBSYS blocks and creation snapshots, and the
 *           simulation, which needs the figures (spec 10, 11).
 * Never:    changes: a ship class is constant data, compiled in from data/ships or loaded once.
 * Spec:     03 §10 (lists), 08 §2.1 (creation index), 11 (figures).
 */
#ifndef STARBASE_SHIP_H
#define STARBASE_SHIP_H

#include <starbase/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SB_SUBSYSTEMS_MAX = 32, /* top-level entries of one ship; the longest stock list has 13 */
    SB_CHILDREN_MAX = 16,   /* children of one entry; stock: 7 */
    SB_WEAPONS_MAX = 48,    /* banks, cannons, tubes, projectors of a ship; stock: 18 */
    SB_TUBE_PLACES = 4,     /* loaded torpedoes in one tube; stock: 2 */
    SB_FACINGS = 6,         /* front, rear, top, bottom, left, right (spec 03 §4.1) */
    SB_SOLIDS_MAX = 16,     /* solids of one hull; stock: 7 */
};

/* The format of an entry in a SUBSYS block (spec 03 §4.1: B, P, S, R). */
typedef enum sb_subsystem_format {
    SB_FORMAT_BASE,
    SB_FORMAT_POWERED,
    SB_FORMAT_SHIELD,
    SB_FORMAT_REACTOR,
} sb_subsystem_format;

/* One entry of a SUBSYS block in wire codes; the ship's list decides which members are valid. */
typedef struct sb_subsystem_state {
    uint8_t index; /* in the ship's top-level list */
    uint8_t condition_code;
    uint8_t children[SB_CHILDREN_MAX];
    bool    has_power; /* false towards the owner (spec 03 §4.1) */
    uint8_t power_pct_code;
    uint8_t facings[SB_FACINGS];
    uint8_t main_battery_code, backup_battery_code;
} sb_subsystem_state;

/* How a sender writes the shield generator in a SUBSYS block (spec 03 §4.2, §15). */
typedef enum sb_shield_layout {
    SB_SHIELD_STOCK,      /* condition, power, six facings: the game */
    SB_SHIELD_DOCUMENTED, /* only the condition: published descriptions, OpenBC servers */
    SB_SHIELD_LAYOUTS
} sb_shield_layout;

/* Types of subsystems: first the top-level systems, then their children. */
typedef enum sb_subsystem_type {
    SB_SUBSYSTEM_HULL,
    SB_SUBSYSTEM_SHIELD,
    SB_SUBSYSTEM_SENSOR,
    SB_SUBSYSTEM_POWER,
    SB_SUBSYSTEM_IMPULSE,
    SB_SUBSYSTEM_WARP,
    SB_SUBSYSTEM_REPAIR,
    SB_SUBSYSTEM_CLOAK,
    SB_SUBSYSTEM_PHASER_SYSTEM,
    SB_SUBSYSTEM_PULSE_SYSTEM,
    SB_SUBSYSTEM_TORPEDO_SYSTEM,
    SB_SUBSYSTEM_TRACTOR_SYSTEM,
    SB_SUBSYSTEM_PHASER_BANK,
    SB_SUBSYSTEM_PULSE_WEAPON,
    SB_SUBSYSTEM_TORPEDO_TUBE,
    SB_SUBSYSTEM_TRACTOR_PROJECTOR,
    SB_SUBSYSTEM_ENGINE,
    SB_SUBSYSTEM_TYPE_COUNT
} sb_subsystem_type;

/* Source of a figure (spec 11 §1.2), and its word in data files and tables of facts. NONE: the
 * figure does not apply or is not known. */
#define SB_FIGURE_SOURCES(X)                                                                       \
    X(SB_SOURCE_NONE, "none")                                                                      \
    X(SB_SOURCE_HARDPOINT, "hardpoint")   /* read in a hardpoint script of the game */             \
    X(SB_SOURCE_DOCUMENTED, "documented") /* stated by a public document */                        \
    X(SB_SOURCE_INHERITED, "inherited")   /* the value of the system or ship it belongs to */      \
    X(SB_SOURCE_ESTIMATE, "estimate")     /* ours */                                               \
    X(SB_SOURCE_TRACE, "trace")           /* seen on the wire */                                   \
    X(SB_SOURCE_RULE, "rule")             /* computed from known figures by a known law */         \
    X(SB_SOURCE_CATALOGUE, "catalogue")   /* a list that a stock server printed */                 \
    X(SB_SOURCE_ENGINE, "engine")         /* measured on the running game */

typedef enum sb_figure_source {
#define SB_ROW(id, word) id,
    SB_FIGURE_SOURCES(SB_ROW)
#undef SB_ROW
        SB_SOURCE_COUNT
} sb_figure_source;

/* Power source of a subsystem (spec 10 §4.4). */
typedef enum sb_power_mode {
    SB_POWER_MAIN_FIRST,
    SB_POWER_MAIN_BATTERY, /* not through a conduit */
    SB_POWER_BACKUP_ONLY,
    SB_POWER_MODE_COUNT
} sb_power_mode;

/* A property that may be unknown; missing data (0) counts as unknown. */
typedef enum sb_property_flag {
    SB_PROPERTY_UNKNOWN,
    SB_PROPERTY_NO,
    SB_PROPERTY_YES
} sb_property_flag;

/* Figures of a bank, cannon, tube or projector (spec 11 §1.3). NAN: does not apply. */
typedef struct sb_weapon_class {
    int   weapon_id; /* number in the hardpoint data, never on the wire */
    float max_damage, max_damage_distance;
    float max_charge, min_firing_charge, recharge_rate, discharge_rate;
    float reload_delay, immediate_delay;
    int   max_ready; /* -1: does not apply */
    bool  dumbfire;
    float forward[3], up[3];
    float arc_width[2], arc_height[2]; /* min, max; radians */
    /* NAN from here on: does not apply, or unknown. */
    float   damage_radius_factor;      /* reach of a hit, in units (spec 10 §7) */
    float   cooldown_time;             /* cannons: seconds between two bolts */
    float   strip_length, strip_width; /* banks: the strip around the mount (spec 11 §9.1) */
    uint8_t source;                    /* sb_figure_source of damage, range and charge, or reload */
    /* Used only by the integrity hash (spec 04 §9). NULL: unknown. */
    float       right[3];     /* not of banks */
    float       beam_size[2]; /* banks */
    const char *module;       /* cannons: name that enters the hash */
} sb_weapon_class;

typedef struct sb_subsystem_class {
    const char *name;
    uint8_t     type;        /* sb_subsystem_type */
    uint8_t     format;      /* sb_subsystem_format */
    uint8_t     child_count; /* 0 for a child: depth is one (spec 03 §4.1) */
    uint8_t     first_child; /* index of the first child in sb_ship_class.children */
    int16_t creation_index;  /* subsystem id = ship id + 1 + this; -1: not known (spec 08 §2.1) */
    uint8_t condition_source, properties_source, power_source; /* sb_figure_source */
    uint8_t position_source;                                   /* of position and radius */
    uint8_t fire_source;                                       /* of single_fire and aimed */
    uint8_t order_source, creation_source;
    uint8_t power_mode; /* sb_power_mode */
    bool    critical, targetable;
    bool    has_position; /* false: position is NAN, never hit by spatial damage (11 §1.2) */
    float   max_condition, disabled_below, repair_complexity;
    float   power_per_second; /* 0 and no power_source: not a powered subsystem */
    float   position[3], radius;
    float   mount[3];              /* the point in the ship's script; a bank stands elsewhere on its
                                      strip (spec 11 §9.1). Only the integrity hash uses it */
    const sb_weapon_class *weapon; /* NULL unless bank, cannon, tube or projector */
    /* sb_property_flag */
    uint8_t single_fire;    /* weapon systems: one weapon at a time (spec 10 §6) */
    uint8_t primary, aimed; /* used only by the integrity hash (spec 04 §9) */
} sb_subsystem_class;

/* One kind of ammunition a weapon system of the ship can fire (spec 11 §5). */
typedef struct sb_ordnance {
    uint8_t     system_type;     /* SB_SUBSYSTEM_TORPEDO_SYSTEM or ..._PULSE_SYSTEM */
    uint8_t     slot;            /* index in the ship's own ammunition list */
    uint8_t     projectile_type; /* spec 08 §14.3 */
    uint8_t     source;          /* sb_figure_source */
    const char *ground;          /* evidence, for people */
    /* Of torpedoes. NAN, NULL: unknown. */
    float       max_torpedoes;      /* how many the ship carries */
    const char *script, *type_name; /* used only by the integrity hash (spec 04 §5.3), with ... */
    float       integers[2];        /* ... these two, whose product is folded */
} sb_ordnance;

/* A simulation constant with another value for one ship; `name` is that of SB_COMBAT_CONSTANTS
 * (starbase/combat.h, spec 10 §14). */
typedef struct sb_ship_constant {
    const char *name;
    float       value;
} sb_ship_constant;

/* One solid of a ship's hull, in the ship's axes. The union of a ship's solids is the surface that
 * shots hit (spec 10 §7). */
typedef enum sb_solid_kind { SB_SOLID_BOX, SB_SOLID_ELLIPSOID, SB_SOLID_KIND_COUNT } sb_solid_kind;

typedef struct sb_solid {
    uint8_t kind; /* sb_solid_kind */
    float   centre[3], half[3];
} sb_solid;

typedef struct sb_ship_class {
    uint8_t     species;
    const char *key, *name, *faction;
    uint8_t     modifier_class; /* spec 09 §11 */
    bool        selectable;     /* a player can choose it */
    bool        can_cloak;
    float       cloak_strength;
    float       mass, rotational_inertia;
    float       max_speed, max_accel, max_angular_accel, max_angular_velocity;
    float       bound_radius;  /* spec 11 §1.1 */
    float       box_centre[3]; /* the box around the model; the shield ellipsoid */
    float       box_half[3];   /* has the half axes sqrt(3) * box_half (spec 10 §5.1) */
    uint8_t     radius_source; /* sb_figure_source of bound_radius */
    uint8_t     box_source;    /* sb_figure_source of box_half */
    uint8_t     centre_source; /* sb_figure_source of box_centre */
    /* sb_figure_source of mass and inertia; the four impulse figures; shield_max; shield_rate;
     * repair; output, batteries and conduits; sensor_range */
    uint8_t mass_source, impulse_source, shield_source, rate_source, repair_source, reactor_source,
        sensor_source;
    float   shield_max[SB_FACINGS], shield_rate[SB_FACINGS];
    float   power_output, main_battery, backup_battery, main_conduit, backup_conduit;
    float   max_repair_points;
    uint8_t repair_teams;
    uint8_t shield_layout;  /* sb_shield_layout to send; stock for every stock ship */
    uint8_t figures_source; /* sb_figure_source of the power that subsystems draw */
    uint8_t class_source;   /* the default of the sources above */
    float   sensor_range;   /* at full power and condition (spec 11 §2); NAN: unknown */
    int     captured_hash;  /* integrity hash in a captured update of a stock client (spec 04 §9):
                               the 16 bits on the wire; 0: none was captured */

    const sb_subsystem_class *subsystems; /* top-level list, wire order */
    const sb_subsystem_class *children;   /* all children, list order */
    const sb_ordnance        *ordnance;
    const sb_ship_constant   *constants; /* override those of the server */
    const sb_solid           *solids;    /* the hull; none: the ellipsoid in the box */
    uint8_t                   subsystem_count, child_count, ordnance_count, constant_count;
    uint8_t                   solid_count;
} sb_ship_class;

/* A constant set of ship classes. */
typedef struct sb_ship_set {
    const sb_ship_class *ships;
    size_t               count;
    const sb_ship_class *by_species[256]; /* NULL: no list known */
} sb_ship_set;

/* A species of the game: ship, station or scenery (spec 07 §2.2). Some have no ship class. */
typedef struct sb_species {
    uint8_t     species;
    const char *name, *faction;
} sb_species;

typedef struct sb_species_set {
    const sb_species *species; /* ascending */
    size_t            count;
} sb_species_set;

typedef enum sb_projectile_kind {
    SB_PROJECTILE_TORPEDO, /* guided */
    SB_PROJECTILE_BOLT,
    SB_PROJECTILE_KIND_COUNT
} sb_projectile_kind;

/* A torpedo of a tube or a bolt of a cannon (spec 11 §1.4, 10 §6). */
typedef struct sb_projectile_class {
    uint8_t     type;         /* the byte in 0x19 and 0x1A (spec 08 §14.3) */
    uint8_t     kind;         /* sb_projectile_kind */
    const char *name, *label; /* spec 08 §14.3; name that the game shows to players */
    float       damage, launch_speed;
    float       power_cost; /* no known use */
    float       guidance_lifetime, max_angular_accel;
    float       lifetime; /* 0: not set (spec 10 §6.4) */
    float       damage_radius_factor;
    uint8_t     source; /* sb_figure_source of damage and speed */
} sb_projectile_class;

typedef struct sb_projectile_set {
    const sb_projectile_class *projectiles; /* ascending by type */
    size_t                     count;
    const sb_projectile_class *by_type[256]; /* NULL: unknown, such as the types of mods */
} sb_projectile_set;

/* A star system in which a match can take place (spec 07 §10). */
typedef struct sb_system {
    uint8_t            index; /* byte 2 of MissionInit */
    const char        *name;
    const char        *start_set; /* set in which ships start: the set name of 0x03 and 0x1F */
    const char        *script;
    const char        *label; /* name in the game's menu; only that of Multi1 is certain */
    bool               campaign;
    uint8_t            other_set_count;
    const char *const *other_sets;
} sb_system;

typedef struct sb_system_set {
    const sb_system *systems; /* ascending by index */
    size_t           count;
} sb_system_set;

/* Data about ships that the codecs of three messages need (starbase/message.h). All zero is
 * valid: the stock ships, and a StateUpdate whose SUBSYS block stays opaque bytes. */
typedef struct sb_message_context {
    const sb_ship_set   *ships;  /* for 0x02 and 0x03; NULL: the stock set */
    const sb_ship_class *ship;   /* for 0x1C: class of the ship; NULL: unknown */
    bool                 own;    /* for 0x1C: the receiver owns the ship */
    uint8_t              layout; /* for 0x1C: the sender's sb_shield_layout; 0: the stock game's */
    const struct sb_definitions *definitions; /* of messages of mods, or NULL (definition.h) */
} sb_message_context;

/* The stock set, compiled in from data/ships. Lent for the life of the program. */
SB_API const sb_ship_set *sb_stock_ships(void);
/* The stock sets of the other files of data/. */
SB_API const sb_species_set    *sb_stock_species(void);
SB_API const sb_projectile_set *sb_stock_projectiles(void);
SB_API const sb_system_set     *sb_stock_systems(void);

/* The class with this species in `set`, or NULL. */
SB_API const sb_ship_class *sb_find_ship(const sb_ship_set *set, uint8_t species);
/* By key ("akira") or name ("Akira"), ASCII case ignored; NULL: none. */
SB_API const sb_ship_class *sb_find_ship_by_name(const sb_ship_set *set, const char *name);
/* The figures of a projectile type, or NULL. */
SB_API const sb_projectile_class *sb_find_projectile(const sb_projectile_set *set, uint8_t type);
/* The system with this index, or NULL. */
SB_API const sb_system *sb_find_system(const sb_system_set *set, uint8_t index);

/* The word of an sb_figure_source ("engine"), or "unknown" for a number that is none. */
SB_API const char *sb_figure_source_name(uint8_t source);

/* Names of all species, projectile types and systems of the stock game, for people and JSON. */
SB_API const sb_name *sb_species_names(void);
SB_API const sb_name *sb_projectile_names(void);
SB_API const sb_name *sb_system_names(void);

#ifdef __cplusplus
}
#endif
#endif
