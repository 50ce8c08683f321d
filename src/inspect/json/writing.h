/* src/inspect/json/writing.h -- writes the pieces of a JSON line.
 *
 * For:      json/render.c, which writes the keys of a record, and json/write_fields.c. A line has
 *           about 80 pieces, so keys and numbers that belong together are written to one reserved
 *           space: constant keys are copied without counting their characters.
 * Tests:    tests/inspect/render_test.c
 */
#ifndef SB_INSPECT_JSON_WRITING_H
#define SB_INSPECT_JSON_WRITING_H

#include "base/compiler.h"
#include "inspect/render.h"
#include "wire/walk.h"

enum { SB_JSON_NAME_SHORT = 16 };

/* Copies a string literal, whose length the compiler knows, and returns the end of the copy. */
static SB_ALWAYS_INLINE char *sb_json_put(char *p, const char *literal)
{
    size_t size = strlen(literal);
    memcpy(p, literal, size);
    return p + size;
}

/* Copies a text of at most SB_JSON_NAME_SHORT characters, and returns the end of the copy. */
static SB_ALWAYS_INLINE char *sb_json_put_name(char *p, const char *text, size_t size)
{
    sb_copy_few((uint8_t *)p, (const uint8_t *)text, size);
    return p + size;
}

/* Writes a string literal of at most 64 characters. */
static SB_ALWAYS_INLINE void sb_json_write_literal(sb_output *o, const char *literal)
{
    char *p = sb_output_reserve(o, 64);
    sb_output_end_at(o, sb_json_put(p, literal));
}

/* Writes the character, escaped if it must be. */
void sb_json_write_code_point(sb_output *o, uint32_t code_point);
/* Writes the bytes as a string of hex digits. */
void sb_json_write_hex(sb_output *o, sb_span bytes);
/* Writes the key `fields` and the fields of the record. */
void sb_json_write_fields(sb_render *render, const sb_record *record);

#endif
