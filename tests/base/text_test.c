/* tests/base/text_test.c -- conversions between UTF-8, UTF-16LE and Windows-1252. */
#include "base/text.h"
#include "base/utf8.h"
#include "base/windows1252.h"
#include "test.h"

/* "Kä€" and U+1F680, which needs a surrogate pair. */
static const char    mixed_utf8[] = "K\xC3\xA4\xE2\x82\xAC\xF0\x9F\x9A\x80";
static const uint8_t mixed_utf16[] = { 'K', 0, 0xE4, 0, 0xAC, 0x20, 0x3D, 0xD8, 0x80, 0xDE };

static sb_span bytes_of(const char *text, size_t size)
{
    return (sb_span){ (const uint8_t *)text, size };
}

TEST(utf8_becomes_utf16_cut_at_a_character)
{
    uint8_t out[64];
    size_t  size = sb_utf16_from_utf8(mixed_utf8, out, 31);
    CHECK_BYTES(out, size, mixed_utf16, sizeof mixed_utf16);
    CHECK_EQ(sb_utf16_from_utf8(mixed_utf8, out, 4), 6);
    CHECK_EQ(sb_utf16_from_utf8("", out, 31), 0);
}

TEST(malformed_utf8_becomes_question_marks)
{
    static const char *const bad[] = { "\x80",         "\xC3",     "\xE2\x82",
                                       "\xED\xA0\x80", "\xC0\xAF", "\xF4\x90\x80\x80",
                                       "\xFF" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint8_t out[64];
        size_t  size = sb_utf16_from_utf8(bad[i], out, 31);
        CHECK(size >= 2);
        for (size_t k = 0; k < size; k += 2) {
            CHECK_EQ(out[k], '?');
            CHECK_EQ(out[k + 1], 0);
        }
    }
}

TEST(utf16_becomes_utf8_cut_at_a_character)
{
    char    out[64];
    sb_span text = { mixed_utf16, sizeof mixed_utf16 };
    CHECK_EQ(sb_utf8_from_utf16(text, out, sizeof out), 10);
    CHECK_TEXT(out, mixed_utf8);
    CHECK_EQ(sb_utf8_from_utf16(text, out, 10), 6); /* four bytes and a NUL do not fit */
    CHECK_TEXT(out, "K\xC3\xA4\xE2\x82\xAC");
    CHECK_EQ(sb_utf8_from_utf16(text, out, 1), 0);
    CHECK_TEXT(out, "");
}

TEST(utf8_for_people_has_no_controls_and_no_surrogates)
{
    char out[64];
    CHECK_EQ(sb_utf8_from_utf16(bytes_of("a\0\n\0\x3D\xD8z\0", 8), out, sizeof out), 6);
    CHECK_TEXT(out, "a \xEF\xBF\xBDz");
    CHECK_EQ(sb_utf8_from_utf16(bytes_of("a\0\x3D\xD8", 4), out, sizeof out), 4);
    CHECK_TEXT(out, "a\xEF\xBF\xBD");
    CHECK_EQ(sb_utf8_from_windows1252(bytes_of("\x1B\x80\x9D\x7F", 4), out, sizeof out), 6);
    CHECK_TEXT(out, " \xE2\x82\xAC  ");
    /* The last surrogate; half a unit behind a first half. */
    CHECK_EQ(sb_utf8_from_utf16(bytes_of("\xFF\xDF", 2), out, sizeof out), 3);
    CHECK_TEXT(out, "\xEF\xBF\xBD");
    CHECK_EQ(sb_utf8_from_utf16(bytes_of("\x3D\xD8\x80\xDE", 3), out, sizeof out), 3);
    CHECK_TEXT(out, "\xEF\xBF\xBD");
}

TEST(windows_1252_has_a_question_mark_for_the_rest)
{
    uint8_t out[8];
    CHECK_EQ(sb_windows1252_from_utf16((sb_span){ mixed_utf16, sizeof mixed_utf16 }, out, 8), 4);
    CHECK_BYTES(out, 4, "K\xE4\x80?", 4);
    CHECK_EQ(sb_windows1252_from_utf8(mixed_utf8, out, 8), 4);
    CHECK_BYTES(out, 4, "K\xE4\x80?", 4);
    CHECK_EQ(sb_windows1252_from_utf8(mixed_utf8, out, 3), 3);
    CHECK_EQ(sb_windows1252_from_utf16(bytes_of("a", 1), out, 8), 0); /* half a unit */
}

/* ---- every character ---- */

static size_t utf16_of(uint32_t code, uint8_t out[4])
{
    char text[8] = { 0 };
    (void)sb_utf8_write(text, code);
    return sb_utf16_from_utf8(text, out, 2);
}

TEST(every_code_point_passes_through_utf16_and_back)
{
    for (uint32_t code = 0xA0; code <= 0x10FFFF; code++) {
        uint8_t  units[4];
        char     text[8];
        uint32_t back = 0;
        if (code >> 11 == 0x1B) continue;
        size_t size = utf16_of(code, units);
        if (size != (code > 0xFFFF ? 4 : 2)) FAIL("U+%04X has %zu bytes", code, size);
        size_t written = sb_utf8_from_utf16((sb_span){ units, size }, text, sizeof text);
        if (sb_utf8_read((const uint8_t *)text, written, &back) != written || back != code)
            FAIL("U+%04X comes back as U+%04X", code, back);
    }
}

TEST(a_pair_is_laid_out_high_then_low)
{
    uint8_t out[4];
    CHECK_EQ(utf16_of(0x10000, out), 4);
    CHECK_BYTES(out, 4, "\x00\xD8\x00\xDC", 4);
    CHECK_EQ(utf16_of(0x10FFFF, out), 4);
    CHECK_BYTES(out, 4, "\xFF\xDB\xFF\xDF", 4);
    CHECK_EQ(utf16_of(0xFFFF, out), 2);
    CHECK_BYTES(out, 2, "\xFF\xFF", 2);
}

/* Only a high surrogate followed by a low one is a pair; each other one stands for itself. */
TEST(surrogates_without_a_partner_are_replaced)
{
    static const uint16_t second[] = { 0x0041, 0xD7FF, 0xD800, 0xDBFF, 0xE000 };
    for (size_t i = 0; i < sizeof second / sizeof *second; i++) {
        uint8_t text[] = { 0x00, 0xD8, (uint8_t)second[i], (uint8_t)(second[i] >> 8) };
        char    out[16];
        size_t  size = sb_utf8_from_utf16((sb_span){ text, 4 }, out, sizeof out);
        CHECK_BYTES(out, 3, "\xEF\xBF\xBD", 3);
        CHECK(size > 3);
    }
    static const uint8_t low_first[] = { 0x00, 0xDC, 0x00, 0xDC, 'a', 0 };
    static const uint8_t before_the_first[] = { 0xFF, 0xD7, 0x00, 0xDC };
    char                 out[16];
    CHECK_EQ(sb_utf8_from_utf16((sb_span){ before_the_first, 4 }, out, sizeof out), 6);
    CHECK_TEXT(out, "\xED\x9F\xBF\xEF\xBF\xBD");
    CHECK_EQ(sb_utf8_from_utf16((sb_span){ low_first, 6 }, out, sizeof out), 7);
    CHECK_TEXT(out, "\xEF\xBF\xBD\xEF\xBF\xBD"
                    "a");
}

TEST(the_character_behind_a_pair_is_the_next_one)
{
    static const uint8_t text[] = { 0x3D, 0xD8, 0x80, 0xDE, 'z', 0, 'y', 0 };
    char                 out[16];
    CHECK_EQ(sb_utf8_from_utf16((sb_span){ text, sizeof text }, out, sizeof out), 6);
    CHECK_TEXT(out, "\xF0\x9F\x9A\x80zy");
}

TEST(controls_become_blanks_and_their_neighbours_stay)
{
    for (unsigned byte = 0; byte < 256; byte++) {
        uint8_t text[] = { (uint8_t)byte, 0, 'z', 0 };
        char    out[8];
        bool    control = byte < 0x20 || byte == 0x7F || (byte >= 0x80 && byte <= 0x9F);
        size_t  size = sb_utf8_from_utf16((sb_span){ text, 4 }, out, sizeof out);
        CHECK_EQ(size, control || byte < 0x80 ? 2 : 3);
        CHECK_EQ(out[size - 1], 'z');
        if (control || byte < 0x80) CHECK_EQ(out[0], control ? ' ' : (int)byte);
    }
}

TEST(every_byte_of_windows_1252_comes_back)
{
    for (unsigned byte = 0; byte < 256; byte++) {
        uint32_t code = sb_windows1252_code_point((uint8_t)byte);
        uint8_t  back = (uint8_t)~byte;
        CHECK(sb_windows1252_byte(code, &back));
        CHECK_EQ(back, byte);
        if (byte < 0x80 || byte >= 0xA0) CHECK_EQ(code, byte);
    }
    uint8_t byte = 7;
    CHECK(!sb_windows1252_byte(0x100, &byte));
    CHECK(!sb_windows1252_byte(0x80, &byte)); /* the byte 0x80 is the euro sign */
    CHECK(!sb_windows1252_byte(0x9F, &byte));
    CHECK_EQ(byte, 7);
}

TEST(utf16_fills_its_buffer_and_not_a_unit_more)
{
    uint8_t out[6] = { 7, 7, 7, 7, 7, 7 };
    CHECK_EQ(sb_utf16_from_utf8("abc", out, 2), 4);
    CHECK_BYTES(out, sizeof out, "a\0b\0\7\7", 6);
    CHECK_EQ(sb_utf16_from_utf8("abc", out, 0), 0);
    CHECK_EQ(out[0], 'a');
}

TEST(converted_text_is_cut_where_the_buffer_ends)
{
    char    text[5] = "....";
    uint8_t bytes[3] = { 0, 0, 9 };
    CHECK_EQ(sb_utf8_from_windows1252(bytes_of("abcdef", 6), text, 4), 3);
    CHECK_TEXT(text, "abc");
    CHECK_EQ(sb_utf8_from_windows1252(bytes_of("a\xE4", 2), text, 3), 1); /* no half character */
    CHECK_TEXT(text, "a");
    CHECK_EQ(sb_utf8_from_windows1252(bytes_of("a\xE4z", 3), text, 3), 1); /* nor a later one */
    CHECK_EQ(sb_utf8_from_utf16(bytes_of("a\0\xE4\0z\0", 6), text, 3), 1);
    CHECK_EQ(sb_utf8_from_utf16(bytes_of("a\0b\0c", 5), text, 5), 2);
    CHECK_TEXT(text, "ab");
    CHECK_EQ(sb_windows1252_from_utf16(bytes_of("a\0b\0c\0", 6), bytes, 2), 2);
    CHECK_BYTES(bytes, 3, "ab\x09", 3);
    CHECK_EQ(sb_windows1252_from_utf16(bytes_of("a\0b\0", 4), bytes, 3), 2);
    CHECK_EQ(sb_windows1252_from_utf8("abc", bytes, 2), 2);
    CHECK_EQ(bytes[2], 9);
}
