/* src/inspect/json/line.c -- parses a line and calls the builder of its layer.
 *
 * Tests:    tests/inspect/json/line_test.c, tests/inspect/json/error_test.c
 */
#include "inspect/json/internal.h"
#include "inspect/render.h"

#include "base/suggestion.h"

#include <stdio.h>
#include <string.h>

bool sb_json_fail_at(sb_json_line *l, const char *key, const char *reason)
{
    snprintf(l->error->text, sizeof l->error->text, "%s%s: %s", l->prefix, key, reason);
    return false;
}

/* ---- keys of the head ---- */

bool sb_json_check_keys(sb_json_line *l)
{
    static const char *const known[] = {
        "schema",
        "layer",
        "opcode",
        "name",
        "fields",
        "raw",
        "species",
        "own",
        "shields",
        "side",
        "ok",
        /* written by decode, ignored here */
        "error",
        "offset",
        "undecoded",
        "time",
        "from",
        "to",
        "source",
        "destination",
        "peer_id",
        "datagram",
        "transport",
        "retransmission",
        "gap",
        "late",
        "repeated",
        "file",
        "fragments",
        "number",
    };
    const size_t count = sizeof known / sizeof *known;
    const char  *key;
    json_t      *value;
    json_object_foreach((json_t *)(uintptr_t)l->object, key, value)
    {
        size_t i = 0;
        while (i < count && strcmp(known[i], key) != 0) i++;
        if (i < count) continue;
        const char *nearest = sb_suggestion_find(key, known, count);
        if (!nearest) return sb_json_fail_at(l, key, "no such key");
        sb_json_refuse(&l->reason, "no such key, did you mean \"%s\"?", nearest);
        return sb_json_fail_at(l, key, l->reason.text);
    }
    return true;
}

static bool read_layer(sb_json_line *l, sb_layer *layer)
{
    *layer = SB_LAYER_MESSAGE;
    const json_t *json = sb_json_member(l, "layer");
    if (!json) return true;
    const char *name = json_string_value(json);
    if (name && sb_find_layer(name, layer)) return true;
    return sb_json_fail_at(l, "layer", "not one of message, transport, plain, datagram, gamespy");
}

/* ---- the line ---- */

static bool copy_raw(sb_json_line *l, const json_t *raw)
{
    sb_span bytes;
    if (!sb_json_read_hex(raw, l->arena, &bytes, &l->reason))
        return sb_json_fail_at(l, "raw", l->reason.text);
    if (bytes.size > l->capacity) return sb_json_fail_at(l, "raw", "too many bytes");
    memcpy(l->out, bytes.data, bytes.size);
    l->size = bytes.size;
    return true;
}

bool sb_json_read_raw(sb_json_line *l, bool *taken)
{
    const json_t *raw = sb_json_member(l, "raw");
    bool          refused = json_is_false(sb_json_member(l, "ok"));
    *taken = raw && (refused || !sb_json_member(l, "fields"));
    if (*taken) return copy_raw(l, raw);
    return !refused || sb_json_fail_at(l, "raw", "missing; a refused line needs its raw bytes");
}

/* A line without a schema is one that a person wrote. */
static bool check_schema(sb_json_line *l)
{
    const json_t *json = sb_json_member(l, "schema");
    if (!json) return true;
    if (json_is_string(json) && strcmp(json_string_value(json), SB_JSON_SCHEMA) == 0) return true;
    return sb_json_fail_at(l, "schema", "not \"" SB_JSON_SCHEMA "\", the only one encode reads");
}

static bool encode_object(sb_json_line *l)
{
    sb_layer layer;
    bool     raw;
    if (!sb_json_check_keys(l) || !check_schema(l) || !read_layer(l, &layer) ||
        !sb_json_read_raw(l, &raw))
        return false;
    if (raw) return true;
    if (layer == SB_LAYER_MESSAGE) return sb_json_build_message(l);
    if (layer == SB_LAYER_GAMESPY) return sb_json_build_gamespy(l);
    if (layer == SB_LAYER_TRANSPORT) return sb_json_build_transport(l);
    return sb_json_build_datagram(l, layer == SB_LAYER_DATAGRAM);
}

sb_result sb_json_encode_line(const char *text, size_t size, const sb_json_defaults *defaults,
                              sb_arena *arena, uint8_t *out, size_t capacity, size_t *out_size,
                              sb_json_error *error)
{
    *out_size = 0;
    error->text[0] = '\0';
    sb_arena_reset(arena);
    if (size > SB_JSON_LINE_MAX) {
        snprintf(error->text, sizeof error->text, "longer than %d bytes", SB_JSON_LINE_MAX);
        return SB_FULL;
    }
    /* Reals keep the sign of -0, and represent all our whole numbers exactly. */
    const size_t flags =
        JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY;
    json_error_t where;
    json_t      *object = json_loadb(text, size, flags, &where);
    if (!object) {
        snprintf(error->text, sizeof error->text, "column %d: %s", where.column, where.text);
        return SB_BAD_VALUE;
    }
    sb_json_line l = { object, "", defaults, arena, out, capacity, 0, error, { "" } };
    bool         fine = json_is_object(object) && encode_object(&l);
    if (!json_is_object(object)) snprintf(error->text, sizeof error->text, "not an object");
    json_decref(object);
    if (fine) *out_size = l.size;
    return fine ? SB_OK : SB_BAD_VALUE;
}
