/* src/combat/constants.c -- names and defaults of the constants, names of counters and causes.
 *
 * Spec:     10 §14.
 */
#include <starbase/combat.h>

#include "base/bytes.h"

#include <string.h>

static const struct {
    const char *name, *tag, *text;
    float       value;
    size_t      offset;
} constants[] = {
#define ROW(name, value, tag, text)                                                                \
    { #name, tag, text, value, offsetof(sb_combat_constants, name) },
    SB_COMBAT_CONSTANTS(ROW)
#undef ROW
};

enum { CONSTANT_COUNT = sizeof constants / sizeof constants[0] };

static float *member(sb_combat_constants *c, size_t index)
{
    return (float *)(void *)((char *)c + constants[index].offset);
}

void sb_combat_constants_default(sb_combat_constants *c)
{
    for (size_t i = 0; i < CONSTANT_COUNT; i++) *member(c, i) = constants[i].value;
}

sb_result sb_combat_constant_set(sb_combat_constants *c, const char *name, float value)
{
    for (size_t i = 0; i < CONSTANT_COUNT; i++) {
        if (strcmp(constants[i].name, name) != 0) continue;
        if (!sb_bits_finite(sb_float_bits(value)) || value < 0.0f) return SB_BAD_VALUE;
        *member(c, i) = value;
        return SB_OK;
    }
    return SB_NOT_ALLOWED;
}

/* Constants of earlier versions. The rules behind them were measured on the running engine, and the
 * measurements left nothing to set. */
static const struct {
    const char *name, *sentence;
} removed[] = {
    { "beam_cutoff",
      "beams have no maximum range: their damage falls with max_damage_distance / range" },
    { "beam_search", "the damage radius factor of each weapon is its reach, in units" },
    { "facing_stops",
      "the share of a hit that passes a facing follows from the facing's charge, and at or below a "
      "tenth of its maximum it stops nothing" },
    { "impact_depth", "hits lie on the hull shape of each class, and on the shield ellipsoid" },
    { "spawn_grace", "the game has no grace after a spawn" },
    { "pulse_cost",
      "a bolt costs pulse_cost_low, pulse_cost_medium or pulse_cost_high of charge, by "
      "the power setting of its cannon" },
    { "collision_shields", "collisions pass shields" },
    { "lag_seconds", "it widened the maximum range of beams, and beams have none" },
    { "lag_distance", "it widened the maximum range of beams, and beams have none" },
};

const char *sb_combat_constant_removed(const char *name)
{
    for (size_t i = 0; i < sizeof removed / sizeof removed[0]; i++)
        if (strcmp(removed[i].name, name) == 0) return removed[i].sentence;
    return NULL;
}

bool sb_combat_constant_at(size_t index, const char **name, float *value, const char **tag,
                           const char **text)
{
    if (index >= CONSTANT_COUNT) return false;
    if (name) *name = constants[index].name;
    if (value) *value = constants[index].value;
    if (tag) *tag = constants[index].tag;
    if (text) *text = constants[index].text;
    return true;
}

typedef struct implausible_row {
    const char *name, *text, *unit;
    uint32_t    lag;
} implausible_row;

static const implausible_row implausible[] = {
#define IMPLAUSIBLE_ROW(id, name, text, unit, lag) [id] = { name, text, unit, lag },
    SB_IMPLAUSIBLE(IMPLAUSIBLE_ROW)
#undef IMPLAUSIBLE_ROW
};

const char *sb_implausible_name(sb_implausible what)
{
    return (unsigned)what < SB_IMPLAUSIBLE_COUNT ? implausible[what].name : "unknown";
}

const char *sb_implausible_text(sb_implausible what)
{
    return (unsigned)what < SB_IMPLAUSIBLE_COUNT ? implausible[what].text : "unknown counter";
}

const char *sb_implausible_unit(sb_implausible what)
{
    return (unsigned)what < SB_IMPLAUSIBLE_COUNT ? implausible[what].unit : "unknown unit";
}

uint32_t sb_implausible_lag(sb_implausible what)
{
    return (unsigned)what < SB_IMPLAUSIBLE_COUNT ? implausible[what].lag : 0;
}

const char *sb_damage_cause_text(sb_damage_cause cause)
{
    static const char *const texts[SB_DAMAGE_CAUSES] = {
        [SB_DAMAGE_BEAM] = "beam",
        [SB_DAMAGE_BOLT] = "bolt",
        [SB_DAMAGE_TORPEDO] = "torpedo",
        [SB_DAMAGE_COLLISION] = "collision",
        [SB_DAMAGE_SPLASH] = "explosion nearby",
        [SB_DAMAGE_SELF_DESTRUCT] = "self-destruct",
    };
    return (unsigned)cause < SB_DAMAGE_CAUSES ? texts[cause] : "unknown cause";
}
