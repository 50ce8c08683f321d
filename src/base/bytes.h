/* src/base/bytes.h -- little-endian numbers in byte buffers, on any machine.
 *
 * For:      the reader, the writer and the few codecs that work without them.
 * Never:    checks bounds: the caller has done that.
 * Spec:     02 §1.
 */
#ifndef SB_BASE_BYTES_H
#define SB_BASE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t sb_load_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t sb_load_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline void sb_store_u16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static inline void sb_store_u32(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
    p[2] = (uint8_t)(v >> 16);
    p[3] = (uint8_t)(v >> 24);
}

static inline uint32_t sb_float_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline float sb_bits_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* False for infinities and NaN, whose exponent bits are all set. Testing the bits gives the same
 * answer on every platform and under every compiler option. */
static inline int sb_bits_finite(uint32_t bits)
{
    return (bits & 0x7F800000u) != 0x7F800000u;
}

static inline bool sb_float_is_finite(float f)
{
    return sb_bits_finite(sb_float_bits(f));
}

#endif
