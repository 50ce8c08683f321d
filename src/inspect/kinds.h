/* src/inspect/kinds.h -- how tools show and read each kind of field: one row per kind.
 *
 * For:      value_text.c, value_numbers.c, json/write_fields.c and json/value.c; each of them
 *           expands one column to its table of functions. src/wire/kinds.c has the wire form of
 *           each kind.
 * Tests:    tests/inspect/kinds_test.c
 *
 * To add a kind, add its row; the compiler then names every function that is missing. Kinds
 * without a value (GROUP, LIST) have NULL instead of functions.
 *
 *   name      as `starbase messages` prints it
 *   long      a line of `starbase decode` shows the field after all short ones
 *   text      value_text.c: adds the value to a text for people
 *   numbers   value_numbers.c: copies the value as numbers, for filters and columns
 *   write     json/write_fields.c: writes the value as JSON
 *   read      json/value.c: reads the value from JSON; NULL: the kind is only written
 */
#ifndef SB_INSPECT_KINDS_H
#define SB_INSPECT_KINDS_H

#include <starbase/field.h>

/* clang-format off */
#define SB_KIND_TABLE(X)                                                                              \
/*    kind      name                 long   text         numbers        write          read        */ \
    X(U8,       "u8",                false, add_integer, copy_unsigned, write_number,  read_number)   \
    X(I8,       "s8",                false, add_integer, copy_signed,   write_signed,  read_number)   \
    X(U16,      "u16",               false, add_integer, copy_unsigned, write_number,  read_number)   \
    X(U32,      "u32",               false, add_integer, copy_unsigned, write_number,  read_number)   \
    X(I32,      "i32",               false, add_integer, copy_signed,   write_signed,  read_number)   \
    X(ID,       "object id",         false, add_integer, copy_unsigned, write_number,  read_number)   \
    X(FLAGS,    "flags",             false, add_flags,   copy_unsigned, write_number,  read_flags)    \
    X(BIT,      "bit",               false, add_bit,     copy_unsigned, write_bit,     read_bit)      \
    X(F32,      "f32",               false, add_f32,     copy_f32,      write_f32,     read_f32)      \
    X(VEC3,     "3 x f32",           true,  add_vec3,    copy_vec3,     write_vec3,    read_reals)    \
    X(POSITION, "3 x f32",           true,  add_vec3,    copy_vec3,     write_vec3,    read_reals)    \
    X(QUAT,     "4 x f32",           true,  add_quat,    copy_quat,     write_quat,    read_reals)    \
    X(CF16,     "cf16",              false, add_cf16,    copy_coded,    write_coded,   read_cf16)     \
    X(CV3,      "cv3",               true,  add_vector,  copy_vector,   write_vector,  read_vector)   \
    X(CV4,      "cv4",               true,  add_vector,  copy_vector,   write_vector,  read_vector)   \
    X(CV4F,     "cv4f",              true,  add_vector,  copy_vector,   write_vector,  read_vector)   \
    X(CV4B,     "cv4b",              true,  add_vector,  copy_vector,   write_vector,  read_vector)   \
    X(RATIO,    "u8 / 255",          false, add_ratio,   copy_coded,    write_coded,   read_ratio)    \
    X(RATIOS,   "u8 / 255, several", true,  add_ratios,  copy_ratios,   write_ratios,  read_ratios)   \
    X(PERCENT,  "u8 / 100",          false, add_ratio,   copy_coded,    write_coded,   read_power)    \
    X(LEVEL,    "u8 / 204",          false, add_ratio,   copy_coded,    write_coded,   read_power)    \
    X(SWITCH,   "s8 / 100",          false, add_switch,  copy_switch,   write_switch,  read_switch)   \
    X(TEXT8,    "lstr8",             true,  add_text,    copy_nothing,  write_text,    read_text)     \
    X(TEXT16,   "lstr16",            true,  add_text,    copy_nothing,  write_text,    read_text)     \
    X(TEXT32,   "lstr32",            true,  add_text,    copy_nothing,  write_text,    read_text)     \
    X(TEXT32Z,  "lstr32, NUL",       true,  add_text,    copy_nothing,  write_text,    read_text)     \
    X(UTF16,    "UTF-16",            true,  add_utf16,   copy_nothing,  write_utf16,   read_utf16)    \
    X(ADDRESS,  "IPv4",              false, add_address, copy_unsigned, write_address, read_address)  \
    X(BYTES,    "bytes",             true,  add_bytes,   copy_nothing,  write_bytes,   read_bytes)    \
    X(NOTE,     "",                  false, add_note,    copy_nothing,  write_text,    NULL)          \
    X(GROUP,    "object",            false, NULL,        NULL,          NULL,          NULL)          \
    X(LIST,     "list",              false, NULL,        NULL,          NULL,          NULL)
/* clang-format on */

/* "" for a NOTE, which is not on the wire. */
const char *sb_kind_name(sb_kind kind);
/* The kind's name in the published descriptions, such as "CompressedFloat16"; NULL: the same. */
const char *sb_kind_published(sb_kind kind);
bool        sb_kind_is_long(sb_kind kind);

/* True for the name of the number before it, which text views print beside the number. */
static inline bool sb_is_name_note(const sb_field *field)
{
    return field->kind == SB_KIND_NOTE && field->implied;
}

#endif
