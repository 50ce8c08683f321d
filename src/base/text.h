/* src/base/text.h -- texts as spans; conversions between UTF-8, UTF-16LE and Windows-1252.
 *
 * For:      every folder that shows a text of the game to people or sends a text of people to the
 *           game. Player names are UTF-16LE on the wire; chat and ship names are Windows-1252.
 * Never:    allocates, fails, or writes more than `capacity` bytes. A text that does not fit is cut
 *           between two characters.
 * Tests:    tests/base/text_test.c
 */
#ifndef SB_BASE_TEXT_H
#define SB_BASE_TEXT_H

#include <starbase/base.h>

#include <string.h>

/* The bytes of a C string without its NUL. */
static inline sb_span sb_text_span(const char *text)
{
    return (sb_span){ (const uint8_t *)text, strlen(text) };
}

/* True if `span` holds exactly the bytes of the C string. */
static inline bool sb_text_equals(sb_span span, const char *text)
{
    size_t size = strlen(text);
    return span.size == size && (size == 0 || memcmp(span.data, text, size) == 0);
}

/* UTF-8 with a NUL, for logs and displays: a control character becomes a blank, an unpaired
 * surrogate U+FFFD. `capacity` counts the NUL and is at least 1. Returns the number of bytes before
 * the NUL. */
size_t sb_utf8_from_utf16(sb_span text, char *out, size_t capacity);
size_t sb_utf8_from_windows1252(sb_span text, char *out, size_t capacity);

/* Windows-1252 without a NUL; a character that Windows-1252 lacks becomes '?'. Returns the number
 * of bytes. */
size_t sb_windows1252_from_utf16(sb_span text, uint8_t *out, size_t capacity);
size_t sb_windows1252_from_utf8(const char *text, uint8_t *out, size_t capacity);

/* UTF-16LE without a terminator, at most `units` units of two bytes; a malformed byte of `text`
 * becomes '?'. Returns the number of bytes. */
size_t sb_utf16_from_utf8(const char *text, uint8_t *out, size_t units);

#endif
