/* src/base/windows1252.c -- see windows1252.h. Only bytes 0x80 to 0x9F differ from Latin-1.
 *
 * Tests:    tests/base/text_test.c
 */
#include "base/windows1252.h"

/* Code points of the bytes 0x80 to 0x9F. */
static const uint16_t upper[32] = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178,
};

uint32_t sb_windows1252_code_point(uint8_t byte)
{
    return byte >= 0x80 && byte < 0xA0 ? upper[byte - 0x80] : byte;
}

bool sb_windows1252_byte(uint32_t code_point, uint8_t *byte)
{
    if (code_point < 0x80 || (code_point >= 0xA0 && code_point <= 0xFF)) {
        *byte = (uint8_t)code_point;
        return true;
    }
    for (unsigned i = 0; i < 32; i++) {
        if (upper[i] != code_point) continue;
        *byte = (uint8_t)(0x80 + i);
        return true;
    }
    return false;
}
