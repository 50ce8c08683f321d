/* tests/base/utf8_test.c -- decoding one character of UTF-8. */
#include "base/utf8.h"
#include "test.h"

#include <string.h>

TEST(utf8_is_read_one_character_at_a_time)
{
    static const struct {
        const char *text;
        size_t      size;
        uint32_t    code;
    } cases[] = {
        { "a", 1, 'a' },
        { "\xC2\x80", 2, 0x80 },
        { "\xDF\xBF", 2, 0x7FF },
        { "\xE0\xA0\x80", 3, 0x800 },
        { "\xEF\xBF\xBD", 3, 0xFFFD },
        { "\xF0\x90\x80\x80", 4, 0x10000 },
        { "\xF4\x8F\xBF\xBF", 4, 0x10FFFF },
        { "\x80", 0, '?' },             /* a continuation byte */
        { "\xC1\xBF", 0, '?' },         /* overlong */
        { "\xE0\x9F\xBF", 0, '?' },     /* overlong */
        { "\xED\xA0\x80", 0, '?' },     /* a surrogate */
        { "\xF4\x90\x80\x80", 0, '?' }, /* beyond U+10FFFF */
        { "\xFF", 0, '?' },
        { "\xE2\x82", 0, '?' }, /* cut off */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t    code = 0;
        const char *at = cases[i].text;
        size_t      length = strlen(at);
        CHECK_EQ(sb_utf8_read((const uint8_t *)at, length, &code), cases[i].size);
        if (cases[i].size) CHECK_EQ(code, cases[i].code);
        for (size_t left = 0; left < cases[i].size; left++)
            CHECK_EQ(sb_utf8_read((const uint8_t *)at, left, &code), 0);
        CHECK_EQ(sb_utf8_next(&at), cases[i].code);
        CHECK_EQ(at - cases[i].text, cases[i].size ? cases[i].size : 1);
    }
}

/* The size of a character by its definition, and its bytes by another way than the code's. */
TEST(every_code_point_is_written_and_read_back)
{
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        uint8_t  text[8] = { 0 };
        uint32_t back = 0x123456;
        size_t   expected = code < 128 ? 1 : code < 2048 ? 2 : code < 65536 ? 3 : 4;
        bool     surrogate = code >> 11 == 0x1B;
        if (sb_utf8_write((char *)text, code) != expected) FAIL("size of U+%04X", code);
        if (sb_utf8_read(text, 4, &back) != (surrogate ? 0 : expected)) FAIL("U+%04X", code);
        if (!surrogate && back != code) FAIL("U+%04X reads as U+%04X", code, back);
    }
}

TEST(a_character_with_a_broken_tail_is_malformed)
{
    static const char *const bad[] = { "\xC3\x41",     "\xC3\xC3",         "\xE2\x82\x41",
                                       "\xE2\x41\x82", "\xF0\x9F\x9A\x41", "\xC0\x80",
                                       "\xBF\x80",     "\xF5\x80\x80\x80" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint32_t code = 7;
        CHECK_EQ(sb_utf8_read((const uint8_t *)bad[i], strlen(bad[i]), &code), 0);
        CHECK_EQ(code, 7);
    }
}

/* Written out once more, so that a slip in the table or in its search is seen. */
TEST(characters_that_mislead_are_not_visible)
{
    static const uint32_t hidden[] = {
        0,       0x1F,    0x7F,    0x9F,    0xAD,    0x600,   0x605,  0x61C,   0x6DD,   0x70F,
        0x890,   0x891,   0x8E2,   0x115F,  0x1160,  0x180E,  0x200B, 0x200F,  0x2028,  0x202E,
        0x2060,  0x206F,  0x3164,  0xFEFF,  0xFFA0,  0xFFF0,  0xFFFB, 0x110BD, 0x110CD, 0x13430,
        0x1343F, 0x1BCA0, 0x1BCA3, 0x1D173, 0x1D17A, 0xE0000, 0xE0FFF
    };
    static const uint32_t shown[] = { 0x20,    0x7E,    0xA0,    0xAC,   0xAE,   0x5FF,  0x606,
                                      0x115E,  0x1161,  0x200A,  0x2010, 0x2027, 0x202F, 0x205F,
                                      0x2070,  0x3163,  0x3165,  0xFEFE, 0xFF00, 0xFFEF, 0xFFFC,
                                      0x1D172, 0x1D17B, 0xDFFFF, 0xE1000 };
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (sb_is_visible(hidden[i])) FAIL("U+%04X is visible", hidden[i]);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (!sb_is_visible(shown[i])) FAIL("U+%04X is not visible", shown[i]);
}
