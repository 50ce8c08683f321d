/* starbase/compressed.h -- the compressed numbers and vectors inside game messages.
 *
 * For:      code that converts between numbers and their wire codes.
 * Never:    used to relay a received value: decode followed by encode is not the identity (spec 02
 *           §5.8). Keep the code.
 * Spec:     02 §5 to §8; ratios and power: 03 §11.
 *
 * cf16, a number in a u16 (low byte first on the wire):
 *
 *      15     14..12    11..0
 *     +------+---------+-----------------------+   |value| = low + m / 4095 * (high - low)
 *     | sign | scale s | position m in range s |   range s: s = 0: 0 .. 0.001
 *     +------+---------+-----------------------+            s > 0: 10^(s-4) .. 10^(s-3)
 *
 * cv3, cv4, cv4f and cv4b, a vector:
 *
 *      0     1     2     3
 *     +-----+-----+-----+---------------           cv3:  no length
 *     |  x  |  y  |  z  | length                   cv4:  cf16, 2 bytes
 *     +-----+-----+-----+---------------           cv4f: f32, 4 bytes
 *      s8: unit direction                          cv4b: u8; 255 stands for a radius
 *      times 127, truncated                              that both ends know
 */
#ifndef STARBASE_COMPRESSED_H
#define STARBASE_COMPRESSED_H

#include <starbase/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sb_vec3 {
    float x, y, z;
} sb_vec3;

typedef struct sb_quat {
    float w, x, y, z;
} sb_quat;

/* cv3: a direction, 3 bytes (published name: CompressedVector3). */
typedef struct sb_cv3 {
    int8_t x, y, z;
} sb_cv3;

/* cv4: direction and cf16 length, 5 bytes (published name: CompressedVector4, param4 = 1). */
typedef struct sb_cv4 {
    sb_cv3   direction;
    uint16_t magnitude_code;
} sb_cv4;

/* cv4f: direction and f32 length, 7 bytes (published name: CompressedVector4, param4 = 0). */
typedef struct sb_cv4f {
    sb_cv3 direction;
    float  magnitude;
} sb_cv4f;

/* cv4b: direction and length as a fraction of a radius that both ends know, 4 bytes. */
typedef struct sb_cv4b {
    sb_cv3  direction;
    uint8_t magnitude_code;
} sb_cv4b;

/* cf16 (published name: CompressedFloat16). NaN encodes as 0; numbers beyond 10000 and infinities
 * encode as 0x7FFF or 0xFFFF. */
SB_API uint16_t sb_encode_cf16(float value);
SB_API float    sb_decode_cf16(uint16_t code);

/* A vector that is shorter than 1e-6 or not finite encodes as zeros. Decoding gives components in
 * -1..1; truncation makes the vector slightly shorter than 1. */
SB_API sb_cv3  sb_encode_cv3(sb_vec3 v);
SB_API sb_vec3 sb_decode_cv3(sb_cv3 code);

SB_API sb_cv4  sb_encode_cv4(sb_vec3 v);
SB_API sb_vec3 sb_decode_cv4(sb_cv4 code);

SB_API sb_cv4f sb_encode_cv4f(sb_vec3 v);
SB_API sb_vec3 sb_decode_cv4f(sb_cv4f code);

/* `radius`: bounding radius of the object that the same message names; 0 counts as 0.01. */
SB_API sb_cv4b sb_encode_cv4b(sb_vec3 v, float radius);
SB_API sb_vec3 sb_decode_cv4b(sb_cv4b code, float radius);

/* Conditions, shield facings and batteries: trunc(ratio * 255). Power settings have three codes,
 * one per message (spec 03 §11). */
SB_API uint8_t sb_encode_ratio(float ratio);
SB_API float   sb_decode_ratio(uint8_t code);
SB_API uint8_t sb_encode_power_pct(float power_wanted); /* SUBSYS block: x 100 */
SB_API float   sb_decode_power_pct(uint8_t code);
SB_API uint8_t sb_encode_power_level(float power_wanted); /* POWER block: x 204 */
SB_API float   sb_decode_power_level(uint8_t code);
/* Creation snapshot: x 100, negative when off. */
SB_API int8_t sb_encode_power_switch(float power_wanted, bool on);
SB_API float  sb_decode_power_switch(int8_t code, bool *on);

#ifdef __cplusplus
}
#endif
#endif
