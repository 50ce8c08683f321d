/* src/inspect/json/text.c -- reads texts and bytes from JSON strings.
 *
 * Tests:    tests/inspect/json/source_test.c, tests/inspect/json/error_test.c
 */
#include "inspect/json/value.h"

#include "base/windows1252.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

bool sb_json_read_hex(const json_t *json, sb_arena *arena, sb_span *bytes, sb_json_reason *reason)
{
    if (!json_is_string(json))
        return sb_json_refuse(reason, "%s is not a string of hex digits", SB_JSON_DESCRIBE(json));
    const char *text = json_string_value(json);
    size_t      size = json_string_length(json), count = 0;
    uint8_t    *out = sb_arena_allocate(arena, size / 2 + 1);
    for (size_t i = 0; i < size; i++) {
        if (text[i] == ' ') continue;
        int high = hex_digit(text[i]), low = i + 1 < size ? hex_digit(text[i + 1]) : -1;
        if (high < 0 || low < 0)
            return sb_json_refuse(reason, "no pair of hex digits at character %zu", i + 1);
        out[count++] = (uint8_t)(high * 16 + low);
        i++;
    }
    *bytes = (sb_span){ out, count };
    return true;
}

/* Reads one character. jansson accepts only valid UTF-8. */
static uint32_t next_code_point(const char *text, size_t size, size_t *at)
{
    unsigned char first = (unsigned char)text[(*at)++];
    if (first < 0x80) return first;
    uint32_t point = first >= 0xF0 ? first & 0x07u : first >= 0xE0 ? first & 0x0Fu : first & 0x1Fu;
    while (*at < size && ((unsigned char)text[*at] & 0xC0) == 0x80)
        point = point << 6 | ((unsigned char)text[(*at)++] & 0x3Fu);
    return point;
}

bool sb_json_read_text(const json_t *json, sb_arena *arena, sb_span *bytes, sb_json_reason *reason)
{
    if (json_is_object(json) && json_object_get(json, "hex"))
        return sb_json_read_hex(json_object_get(json, "hex"), arena, bytes, reason);
    if (!json_is_string(json))
        return sb_json_refuse(reason, "%s is not a string", SB_JSON_DESCRIBE(json));
    const char *text = json_string_value(json);
    size_t      size = json_string_length(json), count = 0;
    uint8_t    *out = sb_arena_allocate(arena, size);
    for (size_t at = 0; at < size;) {
        uint32_t point = next_code_point(text, size, &at);
        if (!sb_windows1252_byte(point, &out[count++]))
            return sb_json_refuse(reason, "U+%04X is not in Windows-1252", (unsigned)point);
    }
    *bytes = (sb_span){ out, count };
    return true;
}

static size_t append_utf16_unit(uint8_t *out, size_t at, uint32_t unit)
{
    out[at] = (uint8_t)unit;
    out[at + 1] = (uint8_t)(unit >> 8);
    return at + 2;
}

bool sb_json_read_utf16(const json_t *json, sb_arena *arena, sb_span *bytes, sb_json_reason *reason)
{
    if (json_is_object(json) && json_object_get(json, "hex"))
        return sb_json_read_hex(json_object_get(json, "hex"), arena, bytes, reason);
    if (!json_is_string(json))
        return sb_json_refuse(reason, "%s is not a string", SB_JSON_DESCRIBE(json));
    const char *text = json_string_value(json);
    size_t      size = json_string_length(json), count = 0;
    uint8_t    *out = sb_arena_allocate(arena, 2 * size + 2); /* a UTF-8 byte gives at most two */
    for (size_t at = 0; at < size;) {
        uint32_t point = next_code_point(text, size, &at);
        if (point == 0) return sb_json_refuse(reason, "U+0000 ends the text: leave it out");
        if (point >= 0x10000) {
            count = append_utf16_unit(out, count, 0xD800 + ((point - 0x10000) >> 10));
            point = 0xDC00 + ((point - 0x10000) & 0x3FF);
        }
        count = append_utf16_unit(out, count, point);
    }
    *bytes = (sb_span){ out, append_utf16_unit(out, count, 0) };
    return true;
}
