/* src/inspect/json/gamespy.c -- builds GameSpy texts from a list of pairs or from plain keys.
 *
 * Tests:    tests/inspect/json/line_test.c, tests/inspect/json/error_test.c
 */
#include "inspect/json/internal.h"

#include <starbase/gamespy.h>
#include <stdio.h>
#include <string.h>

static bool read_piece(sb_json_line *l, const json_t *json, const char *where, sb_span *out)
{
    if (!json) return sb_json_fail_at(l, where, "key or value is missing");
    if (json_is_number(json)) { /* {"numplayers": 3} */
        char *text = sb_arena_allocate(l->arena, 32);
        int   size = snprintf(text, 32, "%.10g", json_number_value(json));
        *out = (sb_span){ (const uint8_t *)text, (size_t)size };
        return true;
    }
    return sb_json_read_text(json, l->arena, out, &l->reason) ||
           sb_json_fail_at(l, where, l->reason.text);
}

static bool add_pair(sb_json_line *l, sb_gamespy_text *text, const json_t *key, const json_t *value,
                     const char *where)
{
    sb_gamespy_pair pair;
    if (text->count == SB_GAMESPY_PAIRS_MAX)
        return sb_json_fail_at(l, where, sb_gamespy_fault_text(SB_GAMESPY_TOO_MANY_PAIRS));
    if (!read_piece(l, key, where, &pair.key) || !read_piece(l, value, where, &pair.value))
        return false;
    text->pairs[text->count++] = pair;
    return true;
}

static bool read_pairs(sb_json_line *l, const json_t *list, sb_gamespy_text *text)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        char where[48];
        snprintf(where, sizeof where, "fields.pairs[%zu]", i);
        const json_t *item = json_array_get(list, i);
        const json_t *key = json_is_array(item) ? json_array_get(item, 0) : NULL;
        const json_t *value = json_is_array(item) ? json_array_get(item, 1) : NULL;
        if (json_is_object(item)) {
            key = json_object_get(item, "key");
            value = json_object_get(item, "value");
        }
        if (!add_pair(l, text, key, value, where)) return false;
    }
    return true;
}

static bool read_end(sb_json_line *l, const json_t *json, sb_gamespy_text *text)
{
    static const char *const ends[] = { "value", "key", "backslash" };
    if (!json) return true;
    for (unsigned i = 0; json_is_string(json) && i < 3; i++) {
        if (strcmp(json_string_value(json), ends[i]) != 0) continue;
        text->end = (sb_gamespy_end)i;
        return true;
    }
    return sb_json_fail_at(l, "fields.end", "not one of value, key, backslash");
}

/* Reads {"hostname": "x"}; the pairs keep the order of the line. */
static bool read_plain_pairs(sb_json_line *l, const json_t *fields, sb_gamespy_text *text)
{
    const char *name;
    json_t     *value;
    json_object_foreach((json_t *)(uintptr_t)fields, name, value)
    {
        char where[80];
        snprintf(where, sizeof where, "fields.%.64s", name);
        json_t *key = json_string(name);
        bool    added = add_pair(l, text, key, value, where);
        json_decref(key); /* the arena has a copy of its bytes */
        if (!added) return false;
    }
    return true;
}

/* With a list of pairs, `end` is the only other key that is allowed. */
static bool check_keys_beside_list(sb_json_line *l, const json_t *fields)
{
    const char *name;
    json_t     *ignored;
    json_object_foreach((json_t *)(uintptr_t)fields, name, ignored)
    {
        if (strcmp(name, "pairs") == 0 || strcmp(name, "end") == 0) continue;
        char where[80];
        snprintf(where, sizeof where, "fields.%.64s", name);
        return sb_json_fail_at(l, where, "not allowed beside \"pairs\"; add it to that list");
    }
    return true;
}

bool sb_json_build_gamespy(sb_json_line *l)
{
    const json_t   *fields;
    sb_gamespy_text text = { .count = 0 };
    if (!sb_json_read_fields(l, &fields)) return false;
    const json_t *pairs = json_object_get(fields, "pairs");
    bool          listed = json_is_array(pairs);
    if (json_is_object(pairs)) return sb_json_fail_at(l, "fields.pairs", "must be an array");
    if (listed && !check_keys_beside_list(l, fields)) return false;
    if (listed ? !read_pairs(l, pairs, &text) || !read_end(l, json_object_get(fields, "end"), &text)
               : !read_plain_pairs(l, fields, &text))
        return false;
    if (text.count == 0) return sb_json_fail_at(l, "fields", "a query needs at least one pair");
    sb_gamespy_writer w;
    sb_gamespy_writer_init(&w, l->out, l->capacity);
    sb_result result = sb_encode_gamespy(&w, &text);
    l->size = w.size;
    if (result == SB_OK) return true;
    return sb_json_fail_at(l, "fields",
                           result == SB_FULL ? "too many bytes"
                                             : "a key or value is empty, too long, or has a "
                                               "backslash or control character");
}
