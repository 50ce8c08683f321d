/* src/load/hardpoint_properties.h -- the classes of properties in hardpoint scripts and the calls
 * that set their figures.
 *
 * For:      hardpoint_script.c, which finds a row for each call; hardpoint_table.c, which writes
 *           the figures.
 * Never:    holds a value of a ship.
 * Spec:     03 §10 (classes), 04 §5 and 11 (figures).
 */
#ifndef SB_LOAD_HARDPOINT_PROPERTIES_H
#define SB_LOAD_HARDPOINT_PROPERTIES_H

#include <starbase/base.h>

/* A class of properties: App.HullProperty_Create is in the row "Hull". */
typedef struct sb_property_class {
    const char *name;
    int         type;    /* sb_subsystem_type, or one of the following */
    uint16_t    setters; /* SB_SETS_...: groups of calls that it understands */
} sb_property_class;

enum {
    SB_PROPERTY_OF_SHIP = -1,      /* figures of the ship itself; no part */
    SB_PROPERTY_WEAPON_TYPE = -2,  /* SetWeaponSystemType decides */
    SB_PROPERTY_WITHOUT_PART = -3, /* emitters, cameras: never in the list (spec 03 §10) */
};

enum {
    SB_SETS_PART = 1 << 0,
    SB_SETS_POWERED = 1 << 1,
    SB_SETS_IMPULSE = 1 << 2,
    SB_SETS_REACTOR = 1 << 3,
    SB_SETS_REPAIR = 1 << 4,
    SB_SETS_SENSOR = 1 << 5,
    SB_SETS_SHIELD = 1 << 6,
    SB_SETS_CLOAK = 1 << 7,
    SB_SETS_SYSTEM = 1 << 8, /* weapon systems */
    SB_SETS_ENGINE = 1 << 9,
    SB_SETS_WEAPON = 1 << 10,
    SB_SETS_ENERGY = 1 << 11, /* banks, cannons, projectors */
    SB_SETS_BANK = 1 << 12,
    SB_SETS_CANNON = 1 << 13,
    SB_SETS_TUBE = 1 << 14,
    SB_SETS_SHIP = 1 << 15,
};

/* Figures of a property, as places in an array. */
typedef enum sb_script_figure {
    SB_SCRIPT_MAX_CONDITION,
    SB_SCRIPT_CRITICAL,
    SB_SCRIPT_TARGETABLE,
    SB_SCRIPT_PRIMARY,
    SB_SCRIPT_POSITION, /* three places */
    SB_SCRIPT_REPAIR_COMPLEXITY = SB_SCRIPT_POSITION + 3,
    SB_SCRIPT_DISABLED_BELOW,
    SB_SCRIPT_RADIUS,
    SB_SCRIPT_POWER_PER_SECOND,
    SB_SCRIPT_MAX_ACCEL,
    SB_SCRIPT_MAX_ANGULAR_ACCEL,
    SB_SCRIPT_MAX_ANGULAR_VELOCITY,
    SB_SCRIPT_MAX_SPEED,
    SB_SCRIPT_MAIN_BATTERY,
    SB_SCRIPT_BACKUP_BATTERY,
    SB_SCRIPT_MAIN_CONDUIT,
    SB_SCRIPT_BACKUP_CONDUIT,
    SB_SCRIPT_OUTPUT,
    SB_SCRIPT_REPAIR_POINTS,
    SB_SCRIPT_REPAIR_TEAMS,
    SB_SCRIPT_SENSOR_RANGE,
    SB_SCRIPT_SHIELD_MAX,                             /* six places */
    SB_SCRIPT_SHIELD_RATE = SB_SCRIPT_SHIELD_MAX + 6, /* six places */
    SB_SCRIPT_CLOAK_STRENGTH = SB_SCRIPT_SHIELD_RATE + 6,
    SB_SCRIPT_SYSTEM_TYPE,
    SB_SCRIPT_SINGLE_FIRE,
    SB_SCRIPT_AIMED,
    SB_SCRIPT_AMMO_TYPES,
    SB_SCRIPT_ENGINE_TYPE,
    SB_SCRIPT_DUMBFIRE,
    SB_SCRIPT_WEAPON_ID,
    SB_SCRIPT_DAMAGE_RADIUS_FACTOR,
    SB_SCRIPT_MAX_CHARGE,
    SB_SCRIPT_MAX_DAMAGE,
    SB_SCRIPT_MAX_DAMAGE_DISTANCE,
    SB_SCRIPT_MIN_FIRING_CHARGE,
    SB_SCRIPT_DISCHARGE_RATE,
    SB_SCRIPT_RECHARGE_RATE,
    SB_SCRIPT_FORWARD,                    /* three places */
    SB_SCRIPT_UP = SB_SCRIPT_FORWARD + 3, /* three places */
    SB_SCRIPT_RIGHT = SB_SCRIPT_UP + 3,   /* three places */
    SB_SCRIPT_STRIP_WIDTH = SB_SCRIPT_RIGHT + 3,
    SB_SCRIPT_STRIP_LENGTH,
    SB_SCRIPT_ARC_WIDTH,                            /* two places */
    SB_SCRIPT_ARC_HEIGHT = SB_SCRIPT_ARC_WIDTH + 2, /* two places */
    SB_SCRIPT_COOLDOWN = SB_SCRIPT_ARC_HEIGHT + 2,
    SB_SCRIPT_IMMEDIATE_DELAY,
    SB_SCRIPT_RELOAD_DELAY,
    SB_SCRIPT_MAX_READY,
    SB_SCRIPT_MASS,
    SB_SCRIPT_INERTIA,
    SB_SCRIPT_FIGURE_COUNT
} sb_script_figure;

typedef enum sb_setter_kind {
    SB_SETTER_NUMBERS,        /* `count` numbers */
    SB_SETTER_POINT,          /* three numbers or a point */
    SB_SETTER_FACING,         /* a facing and a number */
    SB_SETTER_ORIENTATION,    /* two or three points: forward, up, right */
    SB_SETTER_NAME,           /* a text: the ship's name */
    SB_SETTER_MODULE,         /* a text: the script of a bolt */
    SB_SETTER_TORPEDO_COUNT,  /* a slot and a number */
    SB_SETTER_TORPEDO_SCRIPT, /* a slot and a text */
    SB_SETTER_WITHOUT_EFFECT, /* looks, sounds, names: a server does not need it */
} sb_setter_kind;

typedef struct sb_property_setter {
    const char *name;
    uint8_t     kind; /* sb_setter_kind */
    uint8_t     figure, count;
    uint16_t    groups; /* SB_SETS_...: understood by classes with one of them; 0: by all */
} sb_property_setter;

/* `name` is what stands before "Property_Create". NULL: no such class. */
const sb_property_class *sb_property_class_find(sb_span name);
/* NULL: the class does not understand the call. */
const sb_property_setter *sb_property_setter_find(const sb_property_class *property, sb_span name);
/* The name of the call that sets a figure of a property of this class, or if NULL of any class. */
const char *sb_property_figure_name(const sb_property_class *property, sb_script_figure figure);
/* The number of a constant such as EP_WARP or FRONT_SHIELDS. False: no such constant. */
bool sb_property_constant_find(sb_span name, double *out);

#endif
