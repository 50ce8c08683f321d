/* src/inspect/number_text.c -- formats numbers with tables and integer arithmetic.
 *
 * Floats: the Schubfach algorithm (R. Giulietti, "The Schubfach way to render doubles", 2020) for
 * binary32. It finds the shortest decimal that rounds to the float, for every finite float.
 */
#include "inspect/number_text.h"

#include "base/assert.h"
#include "base/bytes.h"

#include <string.h>

static const char pairs[201] = "00010203040506070809101112131415161718192021222324"
                               "25262728293031323334353637383940414243444546474849"
                               "50515253545556575859606162636465666768697071727374"
                               "75767778798081828384858687888990919293949596979899";

/* Most numbers of a capture have one to three digits: codes, ids, octets of addresses. */
static inline size_t format_below_1000(char *out, uint32_t value)
{
    if (value < 10) {
        out[0] = (char)('0' + value);
        return 1;
    }
    if (value < 100) {
        memcpy(out, pairs + (size_t)value * 2, 2);
        return 2;
    }
    out[0] = (char)('0' + value / 100);
    memcpy(out + 1, pairs + (size_t)(value % 100) * 2, 2);
    return 3;
}

static size_t digits_of(uint32_t value)
{
    static const uint32_t powers_of_ten[] = { 10,      100,      1000,      10000,     100000,
                                              1000000, 10000000, 100000000, 1000000000 };
    size_t                digits = 1;
    for (size_t i = 0; i < sizeof powers_of_ten / sizeof *powers_of_ten; i++)
        digits += value >= powers_of_ten[i];
    return digits;
}

/* Writes exactly `size` digits, with zeros in front of shorter numbers. */
static void write_digits(char *out, size_t size, uint32_t value)
{
    for (; size > 1; value /= 100) {
        size -= 2;
        memcpy(out + size, pairs + (size_t)(value % 100) * 2, 2);
    }
    if (size == 1) out[0] = (char)('0' + value % 10);
}

static inline void write_four_digits(char *out, uint32_t value)
{
    memcpy(out, pairs + (size_t)(value / 100) * 2, 2);
    memcpy(out + 2, pairs + (size_t)(value % 100) * 2, 2);
}

static size_t format_from_1000(char *out, uint64_t value)
{
    uint64_t high = value / 10000;
    uint32_t low = (uint32_t)(value % 10000);
    if (high == 0) {
        write_four_digits(out, low);
        return 4;
    }
    size_t size =
        high < 1000 ? format_below_1000(out, (uint32_t)high) : format_from_1000(out, high);
    write_four_digits(out + size, low);
    return size + 4;
}

size_t sb_format_u64(char *out, uint64_t value)
{
    if (value < 1000) return format_below_1000(out, (uint32_t)value);
    return format_from_1000(out, value);
}

size_t sb_format_i64(char *out, int64_t value)
{
    if (value >= 0) return sb_format_u64(out, (uint64_t)value);
    *out = '-';
    return 1 + sb_format_u64(out + 1, 0 - (uint64_t)value);
}

size_t sb_format_micros(char *out, int64_t micros)
{
    size_t   size = 0;
    uint64_t whole = micros < 0 ? 0 - (uint64_t)micros : (uint64_t)micros;
    if (micros < 0) out[size++] = '-';
    size += sb_format_u64(out + size, whole / 1000000);
    out[size++] = '.';
    write_digits(out + size, 6, (uint32_t)(whole % 1000000));
    return size + 6;
}

#define HEX_ROW(high)                                                                              \
    high "0" high "1" high "2" high "3" high "4" high "5" high "6" high "7" high "8" high "9" high \
         "A" high "B" high "C" high "D" high "E" high "F"
static const char hex_pairs[513] = HEX_ROW("0") HEX_ROW("1") HEX_ROW("2") HEX_ROW("3") HEX_ROW("4")
    HEX_ROW("5") HEX_ROW("6") HEX_ROW("7") HEX_ROW("8") HEX_ROW("9") HEX_ROW("A") HEX_ROW("B")
        HEX_ROW("C") HEX_ROW("D") HEX_ROW("E") HEX_ROW("F");

size_t sb_format_hex(char *out, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) memcpy(out + 2 * i, hex_pairs + (size_t)bytes[i] * 2, 2);
    return 2 * count;
}

size_t sb_format_hex_number(char *out, uint32_t value, size_t digit_count)
{
    static const char digits[] = "0123456789ABCDEF";
    SB_ASSERT(digit_count >= 1 && digit_count <= 8);
    out[0] = '0';
    out[1] = 'x';
    for (size_t i = 0; i < digit_count; i++)
        out[2 + i] = digits[value >> (4 * (digit_count - 1 - i)) & 15];
    return 2 + digit_count;
}

size_t sb_format_address(char *out, uint32_t address)
{
    size_t size = 0;
    for (int shift = 24; shift >= 0; shift -= 8) {
        size += format_below_1000(out + size, address >> shift & 0xFF);
        if (shift > 0) out[size++] = '.';
    }
    return size;
}

/* ---- floats ---- */

enum { POWER_MIN = -31, POWER_MAX = 45, HIDDEN_BIT = 1 << 23 };

/* 10^k for k = POWER_MIN to POWER_MAX: the highest 64 bits, rounded up. */
static const uint64_t powers[POWER_MAX - POWER_MIN + 1] = {
    /* clang-format off */
    0x81CEB32C4B43FCF5, 0xA2425FF75E14FC32, 0xCAD2F7F5359A3B3F, 0xFD87B5F28300CA0E,
    0x9E74D1B791E07E49, 0xC612062576589DDB, 0xF79687AED3EEC552, 0x9ABE14CD44753B53,
    0xC16D9A0095928A28, 0xF1C90080BAF72CB2, 0x971DA05074DA7BEF, 0xBCE5086492111AEB,
    0xEC1E4A7DB69561A6, 0x9392EE8E921D5D08, 0xB877AA3236A4B44A, 0xE69594BEC44DE15C,
    0x901D7CF73AB0ACDA, 0xB424DC35095CD810, 0xE12E13424BB40E14, 0x8CBCCC096F5088CC,
    0xAFEBFF0BCB24AAFF, 0xDBE6FECEBDEDD5BF, 0x89705F4136B4A598, 0xABCC77118461CEFD,
    0xD6BF94D5E57A42BD, 0x8637BD05AF6C69B6, 0xA7C5AC471B478424, 0xD1B71758E219652C,
    0x83126E978D4FDF3C, 0xA3D70A3D70A3D70B, 0xCCCCCCCCCCCCCCCD, 0x8000000000000000,
    0xA000000000000000, 0xC800000000000000, 0xFA00000000000000, 0x9C40000000000000,
    0xC350000000000000, 0xF424000000000000, 0x9896800000000000, 0xBEBC200000000000,
    0xEE6B280000000000, 0x9502F90000000000, 0xBA43B74000000000, 0xE8D4A51000000000,
    0x9184E72A00000000, 0xB5E620F480000000, 0xE35FA931A0000000, 0x8E1BC9BF04000000,
    0xB1A2BC2EC5000000, 0xDE0B6B3A76400000, 0x8AC7230489E80000, 0xAD78EBC5AC620000,
    0xD8D726B7177A8000, 0x878678326EAC9000, 0xA968163F0A57B400, 0xD3C21BCECCEDA100,
    0x84595161401484A0, 0xA56FA5B99019A5C8, 0xCECB8F27F4200F3A, 0x813F3978F8940985,
    0xA18F07D736B90BE6, 0xC9F2C9CD04674EDF, 0xFC6F7C4045812297, 0x9DC5ADA82B70B59E,
    0xC5371912364CE306, 0xF684DF56C3E01BC7, 0x9A130B963A6C115D, 0xC097CE7BC90715B4,
    0xF0BDC21ABB48DB21, 0x96769950B50D88F5, 0xBC143FA4E250EB32, 0xEB194F8E1AE525FE,
    0x92EFD1B8D0CF37BF, 0xB7ABC627050305AE, 0xE596B7B0C643C71A, 0x8F7E32CE7BEA5C70,
    0xB35DBF821AE4F38C,
    /* clang-format on */
};

typedef struct decimal {
    uint32_t digits;
    int32_t  exponent; /* value = digits * 10^exponent */
} decimal;

static int32_t floor_log2_of_power(int32_t k)
{
    return (k * 1741647) >> 19;
}

/* The upper bits of g * cp; the lowest bit is set if the bits cut off are not all zero. */
static uint32_t round_to_odd(uint64_t g, uint32_t cp)
{
    uint64_t low = (g & 0xFFFFFFFFu) * cp;
    uint64_t high = (g >> 32) * cp + (low >> 32);
    return (uint32_t)(high >> 32) | ((uint32_t)high > 1);
}

/* Finds the decimal with the fewest digits that rounds to the float c * 2^q: it lies between the
 * midpoints to the two neighbouring floats. `lower_is_closer`: the lower one is nearer. */
static decimal shortest(uint32_t c, int32_t q, bool lower_is_closer)
{
    uint32_t odd = c & 1; /* a midpoint itself rounds to the float whose c is even */
    int32_t  k = (q * 1262611 - (lower_is_closer ? 524031 : 0)) >> 22;
    int32_t  h = q + floor_log2_of_power(-k) + 1;
    SB_ASSERT(-k >= POWER_MIN && -k <= POWER_MAX);
    uint64_t g = powers[-k - POWER_MIN];
    uint32_t lower = round_to_odd(g, (4 * c - 2 + lower_is_closer) << h) + odd;
    uint32_t middle = round_to_odd(g, (4 * c) << h);
    uint32_t upper = round_to_odd(g, (4 * c + 2) << h) - odd;
    uint32_t s = middle / 4;
    if (s >= 10) {
        uint32_t tens = s / 10;
        bool     down = lower <= 40 * tens, up = 40 * tens + 40 <= upper;
        if (down != up) return (decimal){ tens + up, k + 1 };
    }
    bool down = lower <= 4 * s, up = 4 * s + 4 <= upper;
    if (down != up) return (decimal){ s + up, k };
    uint32_t half = 4 * s + 2;
    bool     rounds_up = middle > half || (middle == half && (s & 1));
    return (decimal){ s + rounds_up, k };
}

/* For one float the shortest text, 7.038531e-26, lies so close to the midpoint of two floats that
 * parsing it as a double first rounds twice and gives the wrong float. It gets one more digit. */
static decimal to_decimal(uint32_t bits)
{
    uint32_t fraction = bits & 0x7FFFFF, exponent = bits >> 23 & 0xFF;
    if (bits == 0x15AE43FD) return (decimal){ 70385307, -33 };
    if (exponent == 0) return shortest(fraction, -149, false);
    uint32_t c = fraction | HIDDEN_BIT;
    int32_t  q = (int32_t)exponent - 150;
    if (q <= 0 && q > -24 && (c & ((1u << -q) - 1)) == 0) return (decimal){ c >> -q, 0 };
    return shortest(c, q, fraction == 0 && exponent > 1);
}

static size_t write_zeros(char *out, int count)
{
    memset(out, '0', (size_t)count);
    return (size_t)count;
}

/* 1.2345e-8 */
static size_t write_scientific(char *out, uint32_t digits, size_t count, int exponent)
{
    write_digits(out + 1, count, digits);
    out[0] = out[1];
    out[1] = '.';
    size_t size = count > 1 ? count + 1 : 1;
    out[size++] = 'e';
    return size + sb_format_i64(out + size, exponent);
}

/* `point`: how many digits stand before the decimal point; may be negative, or above `count`. */
static size_t write_plain(char *out, uint32_t digits, size_t count, int point)
{
    if (point <= 0) {
        memcpy(out, "0.", 2);
        size_t size = 2 + write_zeros(out + 2, -point);
        write_digits(out + size, count, digits);
        return size + count;
    }
    write_digits(out, count, digits);
    if ((size_t)point >= count) return count + write_zeros(out + count, point - (int)count);
    memmove(out + point + 1, out + point, count - (size_t)point);
    out[point] = '.';
    return count + 1;
}

/* False: not a whole number, or too large to be surely written without an exponent. */
static bool find_small_integer(float value, int32_t *integer)
{
    if (!(value > -1e6f && value < 1e6f)) return false;
    *integer = (int32_t)value;
    return (float)*integer == value && sb_float_bits(value) != 0x80000000;
}

size_t sb_format_float(char *out, float value)
{
    uint32_t bits = sb_float_bits(value);
    size_t   size = 0;
    int32_t  integer;
    if (find_small_integer(value, &integer)) return sb_format_i64(out, integer);
    if (!sb_bits_finite(bits)) {
        memcpy(out, "null", 4);
        return 4;
    }
    if (bits == 0x80000000) { /* JSON readers take "-0" for an integer and lose its sign */
        memcpy(out, "-0.0", 4);
        return 4;
    }
    if (bits >> 31) out[size++] = '-';
    decimal d = to_decimal(bits & 0x7FFFFFFF);
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    size_t count = digits_of(d.digits);
    int    point = (int)count + d.exponent;
    if (point > 10 || point < -4)
        return size + write_scientific(out + size, d.digits, count, point - 1);
    return size + write_plain(out + size, d.digits, count, point);
}

/* The upper bits of a product depend on all bits of the float. */
static size_t row_of(uint32_t bits)
{
    _Static_assert(SB_FLOAT_TEXTS == 1 << 9, "the shift leaves 9 bits");
    return bits * 2654435769u >> (32 - 9);
}

size_t sb_format_known_float(sb_float_text rows[SB_FLOAT_TEXTS], char *out, float value)
{
    uint32_t       bits = sb_float_bits(value);
    sb_float_text *row = &rows[row_of(bits)];
    if (row->bits != bits || row->size == 0) {
        row->bits = bits;
        row->size = (uint32_t)sb_format_float(row->text, value);
        SB_ASSERT(row->size <= SB_FLOAT_TEXT_MAX);
    }
    memcpy(out, row->text, SB_FLOAT_TEXT_MAX);
    return row->size;
}

size_t sb_format_rounded(char *out, float value, unsigned decimals)
{
    static const uint32_t scales[] = { 1, 10, 100, 1000, 10000 };
    SB_ASSERT(decimals < sizeof scales / sizeof *scales);
    double magnitude = value < 0 ? -(double)value : (double)value;
    if (!(magnitude < 1e9)) return sb_format_float(out, value);
    uint64_t scaled = (uint64_t)(magnitude * scales[decimals] + 0.5);
    if (scaled == 0 && magnitude != 0) return sb_format_float(out, value);
    size_t size = 0;
    if (value < 0) out[size++] = '-';
    size += sb_format_u64(out + size, scaled / scales[decimals]);
    uint32_t part = (uint32_t)(scaled % scales[decimals]);
    if (part == 0) return size;
    out[size++] = '.';
    for (uint32_t scale = scales[decimals] / 10; part > 0; scale /= 10) {
        out[size++] = (char)('0' + part / scale);
        part %= scale;
    }
    return size;
}
