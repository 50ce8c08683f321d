/* src/wire/compressed.c -- codes of numbers and vectors, in the arithmetic that spec 02 prescribes.
 *
 * For:      starbase/compressed.h, which draws the layouts.
 * Never:    uses an operation whose result depends on the platform. cf16 and vectors are computed
 *           in double, ratios and power in float32; both are truncated toward zero, and the build
 *           uses -ffp-contract=off.
 * Spec:     02 §5 to §8, 03 §11.
 */
#include <starbase/compressed.h>

#include "base/bytes.h"

#include <float.h>
#include <math.h>

/* float32 of 0.001 and of 1/4095 (spec 02 §5.1). The limits below are exact in double: a float
 * has 24 bits, and seven multiplications by ten add 3.3 bits each. */
#define BASE       0.001000000047497451305389404296875
#define DECFACTOR  0.00024420025874860584735870361328125
#define ENCODE_MAX 4095.0

/* Range s goes from limits[s] to limits[s + 1]. */
static const double limits[9] = {
    0,
    BASE,
    BASE * 10,
    BASE * 10 * 10,
    BASE * 10 * 10 * 10,
    BASE * 10 * 10 * 10 * 10,
    BASE * 10 * 10 * 10 * 10 * 10,
    BASE * 10 * 10 * 10 * 10 * 10 * 10,
    BASE * 10 * 10 * 10 * 10 * 10 * 10 * 10,
};

uint16_t sb_encode_cf16(float value)
{
    if (isnan(value)) return 0; /* spec 02 §5.4: policy */
    uint16_t sign = value < 0 ? 0x8000 : 0;
    double   a = fabs((double)value);
    if (!(a < limits[8])) return sign | 0x7FFF;
    unsigned s = 0;
    while (!(a < limits[s + 1])) s++;
    unsigned m = (unsigned)((a - limits[s]) / (limits[s + 1] - limits[s]) * ENCODE_MAX);
    if (m > 4095) m = 4095;
    return (uint16_t)(sign | s << 12 | m);
}

float sb_decode_cf16(uint16_t code)
{
    unsigned m = code & 0xFFFu, s = code >> 12 & 7u;
    double   r = (limits[s + 1] - limits[s]) * m * DECFACTOR + limits[s];
    return (float)(code & 0x8000 ? -r : r);
}

static double length_of(sb_vec3 v)
{
    double x = v.x, y = v.y, z = v.z;
    return sqrt(x * x + y * y + z * z);
}

/* Shorter vectors have no direction; our choice (spec 02 §6). */
static const double min_length = 1e-6;

static sb_cv3 direction_of(sb_vec3 v, double length)
{
    /* The length may be NaN or infinite; both encode as zeros. */
    if (!(length > min_length) || isinf(length)) return (sb_cv3){ 0, 0, 0 };
    double k = 127 / length;
    return (sb_cv3){ (int8_t)(v.x * k), (int8_t)(v.y * k), (int8_t)(v.z * k) };
}

/* No sender writes 0x80; it decodes as -1.0 (spec 02 §6). */
static double decode_component(int8_t code)
{
    return code == -128 ? -1.0 : code / 127.0;
}

static sb_vec3 scaled(sb_cv3 d, double magnitude)
{
    return (sb_vec3){ (float)(decode_component(d.x) * magnitude),
                      (float)(decode_component(d.y) * magnitude),
                      (float)(decode_component(d.z) * magnitude) };
}

sb_cv3 sb_encode_cv3(sb_vec3 v)
{
    return direction_of(v, length_of(v));
}

sb_vec3 sb_decode_cv3(sb_cv3 code)
{
    return scaled(code, 1.0);
}

/* A vector without a direction gets the length 0, since the zero vector is all zero bytes (spec 02
 * §7). */
static double sent_length(sb_vec3 v)
{
    double length = length_of(v);
    return length > min_length && length <= (double)FLT_MAX ? length : 0;
}

sb_cv4 sb_encode_cv4(sb_vec3 v)
{
    double length = sent_length(v);
    return (sb_cv4){ direction_of(v, length), sb_encode_cf16((float)length) };
}

sb_vec3 sb_decode_cv4(sb_cv4 code)
{
    return scaled(code.direction, sb_decode_cf16(code.magnitude_code));
}

sb_cv4f sb_encode_cv4f(sb_vec3 v)
{
    double length = sent_length(v);
    return (sb_cv4f){ direction_of(v, length), (float)length };
}

sb_vec3 sb_decode_cv4f(sb_cv4f code)
{
    return scaled(code.direction, code.magnitude);
}

static double usable_radius(float radius)
{
    return radius > 0 ? radius : 0.01; /* spec 02 §8 */
}

sb_cv4b sb_encode_cv4b(sb_vec3 v, float radius)
{
    double length = sent_length(v);
    double magnitude = length / usable_radius(radius) * 255;
    return (sb_cv4b){ direction_of(v, length), magnitude < 255 ? (uint8_t)magnitude : 255 };
}

sb_vec3 sb_decode_cv4b(sb_cv4b code, float radius)
{
    return scaled(code.direction, code.magnitude_code / 255.0 * usable_radius(radius));
}

/* A float32 product, truncated (spec 03 §11) and clamped to 0..max_code; NaN gives 0. */
static uint8_t truncated(float value, float factor, uint8_t max_code)
{
    float product = value * factor;
    if (!(product > 0)) return 0;
    return product < (float)max_code ? (uint8_t)product : max_code;
}

uint8_t sb_encode_ratio(float ratio)
{
    return truncated(ratio, 255.0f, 255);
}

float sb_decode_ratio(uint8_t code)
{
    return (float)code / 255.0f;
}

uint8_t sb_encode_power_pct(float power_wanted)
{
    return truncated(power_wanted, 100.0f, 125);
}

float sb_decode_power_pct(uint8_t code)
{
    return (float)code / 100.0f;
}

uint8_t sb_encode_power_level(float power_wanted)
{
    return truncated(power_wanted, 204.0f, 255);
}

float sb_decode_power_level(uint8_t code)
{
    return (float)code / 204.0f;
}

int8_t sb_encode_power_switch(float power_wanted, bool on)
{
    int code = sb_encode_power_pct(power_wanted);
    return (int8_t)(on ? code : -code);
}

float sb_decode_power_switch(int8_t code, bool *on)
{
    *on = code >= 1;
    return (float)(code < 0 ? -code : code) / 100.0f;
}
