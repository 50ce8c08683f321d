/* tests/base/text_test.c -- conversions between UTF-8, UTF-16LE and Windows-1252. */
#include "base/text.h"
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
