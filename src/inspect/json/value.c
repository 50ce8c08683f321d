/* src/inspect/json/value.c -- reads field values from JSON, one function per family of kinds.
 *
 * Tests:    tests/inspect/json/source_test.c, tests/inspect/json/error_test.c
 */
#include "inspect/json/value.h"

#include "base/assert.h"
#include "inspect/kinds.h"

#include <float.h>
#include <math.h>
#include <starbase/compressed.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool sb_json_refuse(sb_json_reason *reason, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(reason->text, sizeof reason->text, format, list);
    va_end(list);
    return false;
}

/* Cuts the text after 40 bytes, between two characters; control characters become dots. */
static const char *quote(const json_t *json, char *buffer, size_t capacity)
{
    const char *text = json_string_value(json);
    size_t      size = json_string_length(json), max = capacity - 6 < 40 ? capacity - 6 : 40;
    size_t      cut = size;
    if (size > max)
        for (cut = max; cut > 0 && ((unsigned char)text[cut] & 0xC0) == 0x80;) cut--;
    size_t at = 0;
    buffer[at++] = '"';
    for (size_t i = 0; i < cut; i++)
        buffer[at++] = (unsigned char)text[i] < 0x20 || text[i] == 0x7F ? '.' : text[i];
    snprintf(buffer + at, capacity - at, "%s", cut < size ? "...\"" : "\"");
    return buffer;
}

const char *sb_json_describe(const json_t *json, char *buffer, size_t capacity)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "an array";
    case JSON_STRING: return quote(json, buffer, capacity);
    case JSON_TRUE: return "true";
    case JSON_FALSE: return "false";
    case JSON_NULL: return "null";
    default: break;
    }
    snprintf(buffer, capacity, "%.10g", json_number_value(json));
    return buffer;
}

/* ---- whole numbers ---- */

/* Parses "28" or "0x1C", without blanks around it. */
static bool parse_number(const char *text, double *number)
{
    bool        hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = text + (hex ? 2 : text[0] == '-');
    size_t      count = strspn(digits, hex ? "0123456789ABCDEFabcdef" : "0123456789");
    if (count == 0 || count > 10 || digits[count] != '\0') return false;
    *number = (double)strtoll(text, NULL, hex ? 16 : 10);
    return true;
}

/* `list` is a name, or several separated by ", ". */
static bool is_among(const char *list, const char *text, size_t size)
{
    while (list) {
        const char *comma = strstr(list, ", ");
        size_t      length = comma ? (size_t)(comma - list) : strlen(list);
        if (length == size && strncasecmp(list, text, size) == 0) return true;
        list = comma ? comma + 2 : NULL;
    }
    return false;
}

bool sb_json_find_name(const sb_name *names, const char *text, size_t size, double *number)
{
    for (; names && names->name; names++) {
        bool same = strlen(names->name) == size && strncasecmp(names->name, text, size) == 0;
        if (!same && !is_among(names->published, text, size)) continue;
        *number = names->value;
        return true;
    }
    return false;
}

static bool in_range(double number, double low, double high, uint32_t *out, sb_json_reason *reason)
{
    if (!(number >= low && number <= high))
        return sb_json_refuse(reason, "%.10g is not in %.10g..%.10g", number, low, high);
    if (number != trunc(number))
        return sb_json_refuse(reason, "%.10g is not a whole number", number);
    *out = (uint32_t)(int64_t)number;
    return true;
}

bool sb_json_read_integer(const json_t *json, double low, double high, const sb_name *names,
                          uint32_t *number, sb_json_reason *reason)
{
    if (json_is_number(json)) return in_range(json_number_value(json), low, high, number, reason);
    if (!json_is_string(json))
        return sb_json_refuse(reason, "%s is not a number%s", SB_JSON_DESCRIBE(json),
                              names ? " or a name" : "");
    const char *text = json_string_value(json);
    double      found = 0;
    if (!sb_json_find_name(names, text, json_string_length(json), &found) &&
        !parse_number(text, &found))
        return sb_json_refuse(reason, "%s is not %s", SB_JSON_DESCRIBE(json),
                              names ? "a known name or a number" : "a number");
    return in_range(found, low, high, number, reason);
}

/* The member "code" if there is one, else the value itself. */
static const json_t *code_of(const json_t *json)
{
    const json_t *code = json_is_object(json) ? json_object_get(json, "code") : NULL;
    return code ? code : json;
}

typedef struct integer_range {
    double low, high;
} integer_range;

static const integer_range ranges[SB_KIND_COUNT] = {
    [SB_KIND_U8] = { 0, UINT8_MAX },    [SB_KIND_I8] = { INT8_MIN, INT8_MAX },
    [SB_KIND_U16] = { 0, UINT16_MAX },  [SB_KIND_U32] = { 0, UINT32_MAX },
    [SB_KIND_ID] = { 0, UINT32_MAX },   [SB_KIND_I32] = { INT32_MIN, INT32_MAX },
    [SB_KIND_FLAGS] = { 0, UINT8_MAX }, [SB_KIND_CF16] = { 0, UINT16_MAX },
    [SB_KIND_RATIO] = { 0, UINT8_MAX }, [SB_KIND_PERCENT] = { 0, UINT8_MAX },
    [SB_KIND_LEVEL] = { 0, UINT8_MAX }, [SB_KIND_SWITCH] = { INT8_MIN, INT8_MAX },
};

typedef struct reading {
    const sb_field *field;
    size_t          count;
    sb_arena       *arena;
    sb_value       *value;
    sb_json_reason *reason;
} reading;

static bool read_code(const reading *r, const json_t *json)
{
    const sb_name *names = r->field->names ? r->field->names() : NULL;
    integer_range  range = ranges[r->field->kind];
    return sb_json_read_integer(json, range.low, range.high, names, &r->value->number, r->reason);
}

static bool read_number(const reading *r, const json_t *json)
{
    return read_code(r, code_of(json));
}

/* Reads "POS|FWD": names and numbers separated by bars. */
static bool read_flag_text(const reading *r, const json_t *json, uint32_t *flags)
{
    const sb_name *names = r->field->names ? r->field->names() : NULL;
    const char    *text = json_string_value(json);
    for (const char *at = text; *at != '\0';) {
        size_t size = strcspn(at, "|");
        char   part[32];
        double number = 0;
        if (size >= sizeof part)
            return sb_json_refuse(r->reason, "%s is not a flag", SB_JSON_DESCRIBE(json));
        memcpy(part, at, size);
        part[size] = '\0';
        if (!sb_json_find_name(names, part, size, &number) && !parse_number(part, &number))
            return sb_json_refuse(r->reason, "\"%s\" is not the name of a flag", part);
        uint32_t flag = 0;
        if (!in_range(number, 0, UINT8_MAX, &flag, r->reason)) return false;
        *flags |= flag;
        at += size + (at[size] == '|');
    }
    return true;
}

static bool read_flags(const reading *r, const json_t *json)
{
    json = code_of(json);
    uint32_t flags = 0;
    size_t   count = json_is_array(json) ? json_array_size(json) : 1;
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_is_array(json) ? json_array_get(json, i) : json;
        if (json_is_string(item)) {
            if (!read_flag_text(r, item, &flags)) return false;
            continue;
        }
        uint32_t flag = 0;
        if (!sb_json_read_integer(item, 0, UINT8_MAX, NULL, &flag, r->reason)) return false;
        flags |= flag;
    }
    r->value->number = flags;
    return true;
}

static bool read_bit(const reading *r, const json_t *json)
{
    double number = json_is_true(json) ? 1 : json_is_false(json) ? 0 : json_number_value(json);
    bool   fits = json_is_boolean(json) || json_is_number(json);
    if (!fits || (number != 0 && number != 1))
        return sb_json_refuse(r->reason, "%s is not true or false", SB_JSON_DESCRIBE(json));
    r->value->number = number != 0;
    return true;
}

/* ---- real numbers ---- */

/* The shortest text of FLT_MAX is slightly larger than FLT_MAX, so such numbers are clamped. */
static double as_float_range(double number)
{
    return fabs(number) > FLT_MAX && fabs(number) < 0x1.ffffffp127 ? copysign(FLT_MAX, number)
                                                                   : number;
}

static bool read_float(const json_t *json, double low, double high, float *out,
                       sb_json_reason *reason)
{
    if (!json_is_number(json))
        return sb_json_refuse(reason, "%s is not a number", SB_JSON_DESCRIBE(json));
    double number = as_float_range(json_number_value(json));
    if (!(number >= low && number <= high))
        return sb_json_refuse(reason, "%.9g is not in %.9g..%.9g", number, low, high);
    *out = (float)number;
    return true;
}

static bool read_floats(const json_t *json, size_t count, double limit, float *out,
                        sb_json_reason *reason)
{
    if (!json_is_array(json))
        return sb_json_refuse(reason, "%s is not an array of %zu numbers", SB_JSON_DESCRIBE(json),
                              count);
    if (json_array_size(json) != count)
        return sb_json_refuse(reason, "%zu numbers, expected %zu", json_array_size(json), count);
    for (size_t i = 0; i < count; i++)
        if (!read_float(json_array_get(json, i), -limit, limit, &out[i], reason)) return false;
    return true;
}

/* The member "value" if there is one, else the value itself. */
static const json_t *value_of(const json_t *json)
{
    const json_t *value = json_is_object(json) ? json_object_get(json, "value") : NULL;
    return value ? value : json;
}

static bool has_code(const json_t *json)
{
    return json_is_object(json) && json_object_get(json, "code");
}

static bool read_f32(const reading *r, const json_t *json)
{
    return read_float(value_of(json), -FLT_MAX, FLT_MAX, &r->value->real[0], r->reason);
}

static bool read_reals(const reading *r, const json_t *json)
{
    size_t count = r->field->kind == SB_KIND_QUAT ? 4 : 3;
    double limit = r->field->kind == SB_KIND_POSITION ? 1e7 : FLT_MAX; /* spec 12 #4 */
    return read_floats(value_of(json), count, limit, r->value->real, r->reason);
}

/* ---- lossy numbers ---- */

static bool read_cf16(const reading *r, const json_t *json)
{
    if (has_code(json)) return read_number(r, json);
    float number = 0;
    if (!read_float(value_of(json), -FLT_MAX, FLT_MAX, &number, r->reason)) return false;
    r->value->number = sb_encode_cf16(number);
    return true;
}

/* Reads a ratio. A whole number from 2 to 255 is refused with a hint, as it is probably a code. */
static bool read_part(const json_t *json, double low, double high, float *out,
                      sb_json_reason *reason)
{
    if (json_is_object(json)) return sb_json_refuse(reason, "has neither \"code\" nor \"value\"");
    if (read_float(json, low, high, out, reason)) return true;
    double number = json_number_value(json);
    if (json_is_number(json) && number >= 0 && number <= UINT8_MAX && number == trunc(number))
        return sb_json_refuse(reason, "%.9g is not in %.9g..%.9g; a wire code is {\"code\": %.9g}",
                              number, low, high, number);
    return false;
}

static bool read_ratio(const reading *r, const json_t *json)
{
    if (has_code(json)) return read_number(r, json);
    float number = 0;
    if (!read_part(value_of(json), 0, 1, &number, r->reason)) return false;
    r->value->number = sb_encode_ratio(number);
    return true;
}

static bool read_power(const reading *r, const json_t *json)
{
    if (has_code(json)) return read_number(r, json);
    float number = 0;
    if (!read_part(value_of(json), 0, 1.25, &number, r->reason)) return false;
    bool percent = r->field->kind == SB_KIND_PERCENT;
    r->value->number = percent ? sb_encode_power_pct(number) : sb_encode_power_level(number);
    return true;
}

static bool read_switch(const reading *r, const json_t *json)
{
    if (has_code(json)) return read_number(r, json);
    float number = 0;
    if (!read_part(value_of(json), -1.25, 1.25, &number, r->reason)) return false;
    bool          on = number > 0;
    const json_t *stated = json_is_object(json) ? json_object_get(json, "on") : NULL;
    if (stated && !json_is_boolean(stated))
        return sb_json_refuse(r->reason, "on: %s is not true or false", SB_JSON_DESCRIBE(stated));
    if (stated) on = json_is_true(stated);
    r->value->number = (uint32_t)(int32_t)sb_encode_power_switch(fabsf(number), on);
    return true;
}

static bool read_ratios(const reading *r, const json_t *json)
{
    bool          codes = has_code(json);
    const json_t *list = codes ? code_of(json) : value_of(json);
    if (!json_is_array(list))
        return sb_json_refuse(r->reason, "%s is not an array of %zu", SB_JSON_DESCRIBE(list),
                              r->count);
    if (json_array_size(list) != r->count)
        return sb_json_refuse(r->reason, "%zu items, but the ship has %zu", json_array_size(list),
                              r->count);
    uint8_t *bytes = sb_arena_allocate(r->arena, r->count);
    for (size_t i = 0; i < r->count; i++) {
        const json_t *item = json_array_get(list, i);
        uint32_t      code = 0;
        float         ratio = 0;
        bool fine = codes ? sb_json_read_integer(item, 0, UINT8_MAX, NULL, &code, r->reason)
                          : read_part(item, 0, 1, &ratio, r->reason);
        if (!fine) return false;
        bytes[i] = codes ? (uint8_t)code : sb_encode_ratio(ratio);
    }
    r->value->bytes = (sb_span){ bytes, r->count };
    return true;
}

/* ---- compressed vectors ---- */

static void set_direction(sb_value *value, sb_cv3 v)
{
    value->direction[0] = v.x;
    value->direction[1] = v.y;
    value->direction[2] = v.z;
}

static bool read_vector_code(const reading *r, const json_t *json)
{
    const json_t *code = json_object_get(json, "code");
    sb_kind       kind = r->field->kind;
    bool          longer = kind == SB_KIND_CV4 || kind == SB_KIND_CV4B;
    size_t        count = longer ? 4 : 3;
    if (!json_is_array(code) || json_array_size(code) != count)
        return sb_json_refuse(r->reason, "the code must be an array of %zu", count);
    for (size_t i = 0; i < 3; i++) {
        uint32_t number = 0;
        if (!sb_json_read_integer(json_array_get(code, i), INT8_MIN, INT8_MAX, NULL, &number,
                                  r->reason))
            return false;
        r->value->direction[i] = (int8_t)(int32_t)number;
    }
    if (longer)
        return sb_json_read_integer(json_array_get(code, 3), 0,
                                    kind == SB_KIND_CV4 ? UINT16_MAX : UINT8_MAX, NULL,
                                    &r->value->number, r->reason);
    if (kind == SB_KIND_CV3) return true;
    const json_t *magnitude = json_object_get(json, "magnitude");
    if (!magnitude) return sb_json_refuse(r->reason, "\"code\" needs a \"magnitude\" beside it");
    return read_float(magnitude, -FLT_MAX, FLT_MAX, &r->value->real[3], r->reason);
}

static bool read_vector(const reading *r, const json_t *json)
{
    if (has_code(json)) return read_vector_code(r, json);
    float v[3] = { 0 };
    if (!read_floats(value_of(json), 3, FLT_MAX, v, r->reason)) return false;
    sb_vec3 vector = { v[0], v[1], v[2] };
    if (r->field->kind == SB_KIND_CV3) {
        set_direction(r->value, sb_encode_cv3(vector));
    } else if (r->field->kind == SB_KIND_CV4) {
        sb_cv4 code = sb_encode_cv4(vector);
        set_direction(r->value, code.direction);
        r->value->number = code.magnitude_code;
    } else if (r->field->kind == SB_KIND_CV4B) {
        sb_cv4b code = sb_encode_cv4b(vector, 1.0f);
        set_direction(r->value, code.direction);
        r->value->number = code.magnitude_code;
    } else {
        sb_cv4f code = sb_encode_cv4f(vector);
        if (!isfinite(code.magnitude)) return sb_json_refuse(r->reason, "the vector is too long");
        set_direction(r->value, code.direction);
        r->value->real[3] = code.magnitude;
    }
    return true;
}

/* ---- texts and bytes ---- */

static bool read_text(const reading *r, const json_t *json)
{
    if (!sb_json_read_text(json, r->arena, &r->value->bytes, r->reason)) return false;
    sb_kind kind = r->field->kind;
    size_t  max = kind == SB_KIND_TEXT8    ? UINT8_MAX
                  : kind == SB_KIND_TEXT16 ? UINT16_MAX
                                           : INT32_MAX;
    if (r->value->bytes.size > max)
        return sb_json_refuse(r->reason, "%zu bytes are too long, at most %zu",
                              r->value->bytes.size, max);
    return true;
}

static bool read_utf16(const reading *r, const json_t *json)
{
    return sb_json_read_utf16(json, r->arena, &r->value->bytes, r->reason);
}

static bool read_address(const reading *r, const json_t *json)
{
    if (!json_is_string(json))
        return sb_json_refuse(r->reason, "%s is not an address", SB_JSON_DESCRIBE(json));
    const char *text = json_string_value(json);
    uint32_t    address = 0;
    for (int i = 0; i < 4; i++) {
        size_t        digits = strspn(text, "0123456789");
        unsigned long octet = strtoul(text, NULL, 10);
        bool          fine =
            digits > 0 && digits <= 3 && octet <= 255 && text[digits] == (i < 3 ? '.' : '\0');
        if (!fine)
            return sb_json_refuse(r->reason, "%s is not like \"10.0.0.1\"", SB_JSON_DESCRIBE(json));
        address = address << 8 | (uint32_t)octet;
        text += digits + 1;
    }
    r->value->number = address;
    return true;
}

static bool read_bytes(const reading *r, const json_t *json)
{
    const json_t *hex = json_is_object(json) ? json_object_get(json, "hex") : NULL;
    return sb_json_read_hex(hex ? hex : json, r->arena, &r->value->bytes, r->reason);
}

#define ROW(kind, name, is_long, text, numbers, write, read) [SB_KIND_##kind] = read,
static bool (*const readers[SB_KIND_COUNT])(const reading *r,
                                            const json_t  *json) = { SB_KIND_TABLE(ROW) };

bool sb_json_read_value(const json_t *json, const sb_field *field, size_t count, sb_arena *arena,
                        sb_value *value, sb_json_reason *reason)
{
    reading r = { field, count, arena, value, reason };
    SB_ASSERT((unsigned)field->kind < SB_KIND_COUNT);
    if (!readers[field->kind]) return sb_json_refuse(reason, "not a value");
    return readers[field->kind](&r, json);
}
