/* starbase/compressed.h -- the compressed numbers and vectors inside game messages. Spec 02 §5-§8.
 *
 * For:      whoever needs the number behind a code, or the code of a number.
 * Never:    used to pass a received value on: decode followed by encode is not the identity
 *           (spec 02 §5.8). Keep the code.
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

/* A direction, 3 bytes (published name: CompressedVector3). */
typedef struct sb_cv3 {
    int8_t x, y, z;
} sb_cv3;

/* Direction and cf16 length, 5 bytes (published name: CompressedVector4, param4 = 1). */
typedef struct sb_cv4 {
    sb_cv3   direction;
    uint16_t magnitude_code;
} sb_cv4;

/* Direction and f32 length, 7 bytes (published name: CompressedVector4, param4 = 0). */
typedef struct sb_cv4f {
    sb_cv3 direction;
    float  magnitude;
} sb_cv4f;

/* Direction and length as a part of a radius that both ends know, 4 bytes. */
typedef struct sb_cv4b {
    sb_cv3  direction;
    uint8_t magnitude_code;
} sb_cv4b;

/* cf16 (published name: CompressedFloat16). NaN gives 0, infinities the clamp code. */
SB_API uint16_t sb_encode_cf16(float value);
SB_API float    sb_decode_cf16(uint16_t code);

/* Not finite or shorter than 1e-6: zero bytes. Components in -1..1, not renormalised. */
SB_API sb_cv3  sb_encode_cv3(sb_vec3 v);
SB_API sb_vec3 sb_decode_cv3(sb_cv3 code);

SB_API sb_cv4  sb_encode_cv4(sb_vec3 v);
SB_API sb_vec3 sb_decode_cv4(sb_cv4 code);

SB_API sb_cv4f sb_encode_cv4f(sb_vec3 v);
SB_API sb_vec3 sb_decode_cv4f(sb_cv4f code);

/* `radius` is the bounding radius of the object named in the same message; 0 counts as 0.01. */
SB_API sb_cv4b sb_encode_cv4b(sb_vec3 v, float radius);
SB_API sb_vec3 sb_decode_cv4b(sb_cv4b code, float radius);

/* Conditions, facings, batteries: trunc(ratio * 255); power: spec 03 §11. */
SB_API uint8_t sb_encode_ratio(float ratio);
SB_API float   sb_decode_ratio(uint8_t code);
SB_API uint8_t sb_encode_power_pct(float power_wanted); /* SUBSYS, x 100 */
SB_API float   sb_decode_power_pct(uint8_t code);
SB_API uint8_t sb_encode_power_level(float power_wanted); /* POWER, x 204 */
SB_API float   sb_decode_power_level(uint8_t code);
SB_API int8_t  sb_encode_power_switch(float power_wanted, bool on); /* snapshot, signed */
SB_API float   sb_decode_power_switch(int8_t code, bool *on);

#ifdef __cplusplus
}
#endif
#endif
