/* src/ship/codes.h -- numbers behind codes that give the same codes again.
 *
 * For:      whoever stores what came as a code and may send it again. code / 255 * max, encoded
 * again, is one step lower in some cases (spec 02 §5.8): then the next larger number is taken.
 */
#ifndef SB_SHIP_CODES_H
#define SB_SHIP_CODES_H

#include <starbase/compressed.h>
#include <starbase/ship.h>

#include <math.h>

/* Has a power setting (spec 03 §4.1: formats P and S). */
static inline bool sb_is_powered(const sb_subsystem_class *s)
{
    return s->format == SB_FORMAT_POWERED || s->format == SB_FORMAT_SHIELD;
}

/* Code of a condition, facing or battery; nothing of nothing is 0. */
static inline uint8_t sb_code_of_ratio(float value, float most)
{
    return most > 0.0f ? sb_encode_ratio(value / most) : 0;
}

/* HP of such a code. */
static inline float sb_value_of_ratio(uint8_t code, float most)
{
    float value = sb_decode_ratio(code) * most;
    while (value < most && sb_encode_ratio(value / most) < code) value = nextafterf(value, most);
    return value;
}

enum { SB_POWER_PCT_MAX = 125 }; /* the sliders end there; receivers clamp (spec 03 §9) */

/* Power wanted of a percentage in a SUBSYS block or a snapshot. */
static inline float sb_power_of_percent(unsigned code)
{
    if (code > SB_POWER_PCT_MAX) code = SB_POWER_PCT_MAX; /* encoders write no more */
    float wanted = sb_decode_power_pct((uint8_t)code);
    while (sb_encode_power_pct(wanted) < code) wanted = nextafterf(wanted, 2.0f);
    return wanted;
}

/* Positions beyond this are absurd to every receiver (spec 12 #4); deltas and estimates can lead
 * there from one that was not. */
static inline float sb_within_universe(float v)
{
    const float edge = 1e7f;
    if (!(v >= -edge)) return -edge;
    return v <= edge ? v : edge;
}

static inline sb_vec3 sb_position_within_universe(sb_vec3 v)
{
    return (sb_vec3){ sb_within_universe(v.x), sb_within_universe(v.y), sb_within_universe(v.z) };
}

#endif
