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
