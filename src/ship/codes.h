/* src/ship/codes.h -- decodes conditions and power so that encoding gives the same code again.
 *
 * For:      code that stores a received value as a number and sends it again later. Encoding
 *           code / 255 * max can give a code that is one lower (spec 02 §5.8); these functions then
 *           return the next larger number.
 */
#ifndef SB_SHIP_CODES_H
#define SB_SHIP_CODES_H

#include <starbase/compressed.h>
#include <starbase/ship.h>

#include <math.h>

/* True for subsystems with a power setting (spec 03 §4.1: formats P and S). */
static inline bool sb_is_powered(const sb_subsystem_class *s)
{
    return s->format == SB_FORMAT_POWERED || s->format == SB_FORMAT_SHIELD;
}

/* True for sb_subsystem_type values of systems whose children are weapons. */
static inline bool sb_is_weapon_system(unsigned type)
{
    return type >= SB_SUBSYSTEM_PHASER_SYSTEM && type <= SB_SUBSYSTEM_TRACTOR_SYSTEM;
}

/* The code of a condition, facing or battery; 0 if its maximum is 0. */
static inline uint8_t sb_code_of_ratio(float value, float max)
{
    return max > 0.0f ? sb_encode_ratio(value / max) : 0;
}

/* The value of the code of a condition, facing or battery. */
static inline float sb_value_of_ratio(uint8_t code, float max)
{
    float value = sb_decode_ratio(code) * max;
    while (value < max && sb_encode_ratio(value / max) < code) value = nextafterf(value, max);
    return value;
}

enum { SB_POWER_PCT_MAX = 125 }; /* end of the sliders; receivers clamp to it (spec 03 §9) */

/* The wanted power of a percentage in a SUBSYS block or a snapshot. */
static inline float sb_power_of_percent(unsigned code)
{
    if (code > SB_POWER_PCT_MAX) code = SB_POWER_PCT_MAX;
    float wanted = sb_decode_power_pct((uint8_t)code);
    while (sb_encode_power_pct(wanted) < code) wanted = nextafterf(wanted, 2.0f);
    return wanted;
}

/* Clamps a coordinate to +-1e7: receivers refuse larger ones (spec 12 #4), but deltas and dead
 * reckoning can lead there from a valid position. */
static inline float sb_clamp_coordinate(float v)
{
    const float limit = 1e7f;
    float       above = v > -limit ? v : -limit; /* NaN gives the limit */
    return above < limit ? above : limit;
}

static inline sb_vec3 sb_clamp_position(sb_vec3 v)
{
    return (sb_vec3){ sb_clamp_coordinate(v.x), sb_clamp_coordinate(v.y),
                      sb_clamp_coordinate(v.z) };
}

#endif
