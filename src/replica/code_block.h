/* src/replica/code_block.h -- codes of 16 conditions, facings or batteries at once.
 *
 * For:      frame.c. One instruction works on 4 numbers, so a block costs about as much as two
 *           calls of sb_code_of_ratio.
 * Never:    gives another code than sb_code_of_ratio, whatever the number.
 * Spec:     03 §11.
 * Tests:    tests/replica/code_block_test.c
 */
#ifndef SB_REPLICA_CODE_BLOCK_H
#define SB_REPLICA_CODE_BLOCK_H

#include "base/bytes.h"
#include "base/compiler.h"

#include <stddef.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { SB_CODE_BLOCK = 16 };

#if defined(__SSE2__)

/* Products above 255 become 255; NaN stays NaN, as the second operand of the minimum. The
 * conversion turns NaN, and what is too low for an integer, into the lowest integer; packing then
 * turns all negative integers into 0. */
static SB_ALWAYS_INLINE __m128i sb_truncate_codes(const float *values, const float *max)
{
    __m128 scale = _mm_set1_ps(255.0f);
    __m128 ratio = _mm_div_ps(_mm_loadu_ps(values), _mm_loadu_ps(max));
    return _mm_cvttps_epi32(_mm_min_ps(scale, _mm_mul_ps(ratio, scale)));
}

/* Replaces a block of codes by those of values / max. Returns a bit for each that is lower now.
 * Where a code is always 0, `max` is infinite. */
static SB_ALWAYS_INLINE uint32_t sb_encode_code_block(uint8_t *codes, const float *values,
                                                      const float *max)
{
    __m128i low =
        _mm_packs_epi32(sb_truncate_codes(values, max), sb_truncate_codes(values + 4, max + 4));
    __m128i high = _mm_packs_epi32(sb_truncate_codes(values + 8, max + 8),
                                   sb_truncate_codes(values + 12, max + 12));
    __m128i now = _mm_packus_epi16(low, high), before = _mm_loadu_si128((const __m128i *)codes);
    __m128i kept = _mm_cmpeq_epi8(_mm_max_epu8(before, now), now);
    _mm_storeu_si128((__m128i *)codes, now);
    return (uint32_t)_mm_movemask_epi8(kept) ^ 0xFFFF;
}

#else

/* A number truncated to a code; NaN gives 0. The clamps compare bits: floats of one sign are
 * ordered like their bits, NaN lies above infinity, and negative numbers have the highest bit.
 * Compilers make vector code of integers only. */
static SB_ALWAYS_INLINE uint8_t sb_truncate_code(float number)
{
    int32_t infinity = 0x7F800000, highest = 0x437F0000; /* 255.0f */
    int32_t bits = (int32_t)sb_float_bits(number);
    bits = bits > infinity ? 0 : bits;
    bits = bits < 0 ? 0 : bits;
    bits = bits > highest ? highest : bits;
    return (uint8_t)(int)sb_bits_float((uint32_t)bits);
}

/* Not inlined: compilers make vector code only of a loop that stands alone. */
static SB_NOINLINE uint32_t sb_encode_code_block(uint8_t *restrict codes,
                                                 const float *restrict values,
                                                 const float *restrict max)
{
    uint8_t  lower[SB_CODE_BLOCK];
    uint32_t bits = 0;
    for (size_t i = 0; i < SB_CODE_BLOCK; i++) {
        uint8_t now = sb_truncate_code(values[i] / max[i] * 255.0f);
        lower[i] = now < codes[i];
        codes[i] = now;
    }
    for (size_t i = 0; i < SB_CODE_BLOCK; i++) bits |= (uint32_t)lower[i] << i;
    return bits;
}

#endif
#endif
