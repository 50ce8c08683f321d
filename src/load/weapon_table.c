/* src/load/weapon_table.c -- the fields of banks, cannons, projectors and tubes.
 *
 * For:      weapon_table.h. A new figure of a weapon is a new row in one of the lists of fields.
 * May use:  lua_table.h; the words of ship_table.h.
 * Never:    knows more than the type of the part that carries the weapon.
 * Spec:     11 §1.3 (figures), 04 §9 (values that only the integrity hash uses).
 * Tests:    tests/load/ship_table_test.c, tests/load/data_file_test.c
 */
#include "load/weapon_table.h"

#include "load/ship_table.h"
#include "load/table_limits.h"

#include <math.h>

/* clang-format off */
#define WEAPON(member) offsetof(sb_weapon_class, member)
#define WEAPON_ID      { "id",      SB_LUA_INT,     false, WEAPON(weapon_id), 0, 255 }
#define WEAPON_FORWARD { "forward", SB_LUA_FIGURES, false, WEAPON(forward),   -1, 1, 3 }
#define WEAPON_RIGHT   { "right",   SB_LUA_FIGURES, true,  WEAPON(right),     -1, 1, 3 }
#define WEAPON_REACH                                                                               \
    { "damage_radius_factor", SB_LUA_FIGURE, true, WEAPON(damage_radius_factor), 0, LIMIT }
#define WEAPON_SOURCE { "source", SB_LUA_WORD, true, WEAPON(source), .words = sb_source_words }
#define ENERGY_FIELDS                                                                              \
    WEAPON_ID,                                                                                     \
    { "max_damage",          SB_LUA_FIGURE,  false, WEAPON(max_damage),          0, LIMIT },       \
    { "max_damage_distance", SB_LUA_FIGURE,  false, WEAPON(max_damage_distance), 0, LIMIT },       \
    { "max_charge",          SB_LUA_FIGURE,  false, WEAPON(max_charge), MIN_DIVISOR, LIMIT },      \
    { "min_firing_charge",   SB_LUA_FIGURE,  false, WEAPON(min_firing_charge),   0, LIMIT },       \
    { "recharge_rate",       SB_LUA_FIGURE,  false, WEAPON(recharge_rate),       0, LIMIT },       \
    { "discharge_rate",      SB_LUA_FIGURE,  false, WEAPON(discharge_rate),      0, LIMIT },       \
    WEAPON_FORWARD,                                                                                \
    { "up",                  SB_LUA_FIGURES, false, WEAPON(up),                  -1, 1, 3 },       \
    { "arc_width",           SB_LUA_FIGURES, false, WEAPON(arc_width),  -HALF_TURN, HALF_TURN, 2 },\
    { "arc_height",          SB_LUA_FIGURES, false, WEAPON(arc_height), -HALF_TURN, HALF_TURN, 2 },\
    WEAPON_REACH,                                                                                  \
    WEAPON_SOURCE
static const sb_lua_field bank_fields[] = {
    ENERGY_FIELDS,
    { "strip_length", SB_LUA_FIGURE,  true, WEAPON(strip_length), 0, MAX_DISTANCE },
    { "strip_width",  SB_LUA_FIGURE,  true, WEAPON(strip_width), 0, MAX_DISTANCE },
    { "beam_size",    SB_LUA_FIGURES, true, WEAPON(beam_size), 0, MAX_DISTANCE, 2 },
    { NULL },
};
static const sb_lua_field cannon_fields[] = {
    ENERGY_FIELDS,
    WEAPON_RIGHT,
    { "cooldown_time", SB_LUA_FIGURE, true, WEAPON(cooldown_time), 0, LIMIT },
    { "module",        SB_LUA_TEXT,   true, WEAPON(module), .count = SCRIPT_BYTES_MAX },
    { NULL },
};
static const sb_lua_field projector_fields[] = { ENERGY_FIELDS, WEAPON_RIGHT, { NULL } };
static const sb_lua_field tube_fields[] = {
    WEAPON_ID,
    { "reload_delay",    SB_LUA_FIGURE, false, WEAPON(reload_delay),    0, LIMIT },
    { "immediate_delay", SB_LUA_FIGURE, false, WEAPON(immediate_delay), 0, LIMIT },
    { "max_ready",       SB_LUA_INT,    false, WEAPON(max_ready),       1, SB_TUBE_PLACES },
    { "dumbfire",        SB_LUA_FLAG,   false, WEAPON(dumbfire) },
    WEAPON_FORWARD,
    WEAPON_RIGHT,
    WEAPON_REACH,
    WEAPON_SOURCE,
    { NULL },
};
/* clang-format on */

static void check_axis(sb_lua *lua, const char *key, const float axis[3])
{
    double length =
        sqrt((double)axis[0] * axis[0] + (double)axis[1] * axis[1] + (double)axis[2] * axis[2]);
    if (length < 0.999 || length > 1.001)
        sb_lua_fail_at(lua, key, "must be a direction of length 1, has %g", length);
}

static void check_beam(sb_lua *lua, const sb_weapon_class *weapon)
{
    check_axis(lua, "up", weapon->up);
    if (weapon->arc_width[0] > weapon->arc_width[1])
        sb_lua_fail_at(lua, "arc_width", "must be the smaller angle, then the larger");
    if (weapon->arc_height[0] > weapon->arc_height[1])
        sb_lua_fail_at(lua, "arc_height", "must be the smaller angle, then the larger");
    if (weapon->min_firing_charge > weapon->max_charge)
        sb_lua_fail_at(lua, "min_firing_charge", "must not exceed max_charge");
}

/* The fields of a weapon by the type of the child that carries it. NULL: no weapon. */
static const sb_lua_field *weapon_fields(uint8_t type)
{
    switch (type) {
    case SB_SUBSYSTEM_PHASER_BANK: return bank_fields;
    case SB_SUBSYSTEM_PULSE_WEAPON: return cannon_fields;
    case SB_SUBSYSTEM_TRACTOR_PROJECTOR: return projector_fields;
    case SB_SUBSYSTEM_TORPEDO_TUBE: return tube_fields;
    default: return NULL;
    }
}

/* A weapon before its table is read: NAN and -1 mean that a value does not apply. */
static const sb_weapon_class no_weapon = {
    .max_damage = NAN,
    .max_damage_distance = NAN,
    .max_charge = NAN,
    .min_firing_charge = NAN,
    .recharge_rate = NAN,
    .discharge_rate = NAN,
    .reload_delay = NAN,
    .immediate_delay = NAN,
    .max_ready = -1,
    .up = { NAN, NAN, NAN },
    .arc_width = { NAN, NAN },
    .arc_height = { NAN, NAN },
    .damage_radius_factor = NAN,
    .cooldown_time = NAN,
    .strip_length = NAN,
    .strip_width = NAN,
    .right = { NAN, NAN, NAN },
    .beam_size = { NAN, NAN },
};

const sb_weapon_class *sb_ship_read_weapon(sb_lua *lua, uint8_t type, uint8_t source)
{
    const sb_lua_field *fields = weapon_fields(type);
    if (!fields && type == SB_SUBSYSTEM_ENGINE) sb_lua_fail(lua, "an engine is no weapon");
    if (!fields) sb_lua_fail(lua, "a system is no weapon");
    sb_weapon_class *weapon = sb_lua_allocate(lua, sizeof *weapon);
    *weapon = no_weapon;
    weapon->source = source;
    sb_lua_read_fields(lua, fields, weapon);
    check_axis(lua, "forward", weapon->forward);
    if (!isnan(weapon->right[0])) check_axis(lua, "right", weapon->right);
    if (fields != tube_fields) check_beam(lua, weapon);
    return weapon;
}
