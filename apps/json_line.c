/* apps/json_line.c -- reads the head of a line, then lets the layer's builder ask for the fields.
 */
#include "json_line.h"

#include "inspect/record.h"

#include <starbase/cipher.h>
#include <starbase/datagram.h>
#include <starbase/gamespy.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* One line on its way. `object` is the line, or a message inside it. */
typedef struct line {
    const json_t           *object;
    const char             *prefix; /* "" or the path of `object` and a point */
    const sb_json_defaults *defaults;
    sb_arena               *arena;
    uint8_t                *out;
    size_t                  capacity, size;
    sb_json_error          *error;
    sb_reason               reason;
} line;

static bool fail_at(line *l, const char *key, const char *reason)
{
    snprintf(l->error->text, sizeof l->error->text, "%s%s: %s", l->prefix, key, reason);
    return false;
}

static const json_t *member(const line *l, const char *key)
{
    const json_t *json = json_object_get(l->object, key);
    return json_is_null(json) ? NULL : json;
}

/* ---- keys of the head ---- */

static bool check_keys(line *l)
{
    static const char *const known[] = {
        "layer",
        "opcode",
        "name",
        "fields",
        "raw",
        "species",
        "own",
        "side",
        "ok",
        /* what decode adds, of no use here */
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
        const char *nearest = sb_nearest_word(key, known, count);
        if (!nearest) return fail_at(l, key, "no such key");
        sb_refuse(&l->reason, "no such key, did you mean \"%s\"?", nearest);
        return fail_at(l, key, l->reason.text);
    }
    return true;
}

static bool read_layer(line *l, sb_layer *layer)
{
    *layer = SB_LAYER_MESSAGE;
    const json_t *json = member(l, "layer");
    if (!json) return true;
    const char *name = json_string_value(json);
    if (name && sb_find_layer(name, layer)) return true;
    return fail_at(l, "layer", "not one of message, transport, plain, datagram, gamespy");
}

/* ---- which message ---- */

static bool is_called(const sb_message_type *type, const char *name)
{
    return strcasecmp(type->name, name) == 0 ||
           (type->published && strcasecmp(type->published, name) == 0);
}

static bool find_by_name(line *l, const char *key, const json_t *json, uint8_t *opcode)
{
    const sb_message_type *type =
        json_is_string(json) ? sb_find_message_type_by_name(json_string_value(json)) : NULL;
    if (!type) {
        sb_refuse(&l->reason, "%s is not a message", SB_JSON_DESCRIBE(json));
        return fail_at(l, key, l->reason.text);
    }
    *opcode = type->opcode;
    return true;
}

static bool read_opcode(line *l, uint8_t *opcode)
{
    const json_t *json = member(l, "opcode"), *name = member(l, "name");
    if (!json && !name) return fail_at(l, "opcode", "missing, and so is \"name\"");
    if (!json) return find_by_name(l, "name", name, opcode);
    uint32_t number;
    if (sb_json_read_integer(json, 0, 255, NULL, &number, &l->reason)) *opcode = (uint8_t)number;
    else if (!json_is_string(json)) return fail_at(l, "opcode", l->reason.text);
    else if (!find_by_name(l, "opcode", json, opcode)) return false;
    if (!name) return true;
    const sb_message_type *type = sb_find_message_type(*opcode);
    if (json_is_string(name) && is_called(type, json_string_value(name))) return true;
    sb_refuse(&l->reason, "opcode %u is called \"%s\"", *opcode, type->name);
    return fail_at(l, "name", l->reason.text);
}

const sb_ship_class *sb_json_find_ship(const sb_ship_set *ships, const char *text,
                                       sb_reason *reason)
{
    const sb_ship_set   *set = ships ? ships : sb_stock_ships();
    const sb_ship_class *ship = sb_find_ship_by_name(set, text);
    uint32_t             species = 0;
    if (ship) return ship;
    json_t *json = json_string(text); /* NULL: not UTF-8, so not a name either */
    bool known = json && sb_json_read_integer(json, 0, 255, sb_species_names(), &species, reason);
    if (known) ship = sb_find_ship(set, (uint8_t)species);
    if (known && !ship) sb_refuse(reason, "no subsystem list is known for species %u", species);
    if (!json) sb_refuse(reason, "not a name");
    json_decref(json);
    return ship;
}

static bool read_context(line *l, sb_message_context *context)
{
    *context = l->defaults->context;
    const json_t *species = member(l, "species"), *own = member(l, "own");
    if (own && !json_is_boolean(own)) return fail_at(l, "own", "not true or false");
    if (own) context->own = json_is_true(own);
    if (!species) return true;
    char room[64];
    if (json_is_number(species)) snprintf(room, sizeof room, "%.0f", json_number_value(species));
    const char *text = json_is_number(species) ? room : json_string_value(species);
    if (!text) return fail_at(l, "species", "not a number or a name");
    context->ship = sb_json_find_ship(context->ships, text, &l->reason);
    return context->ship || fail_at(l, "species", l->reason.text);
}

/* ---- layers ---- */

/* NULL: there are none, which is fine. False: they are no object. */
static bool read_fields(line *l, const json_t **fields)
{
    *fields = member(l, "fields");
    return !*fields || json_is_object(*fields) || fail_at(l, "fields", "not an object");
}

static const char *fields_path(const line *l)
{
    size_t size = strlen(l->prefix) + sizeof "fields";
    char  *text = sb_arena_take(l->arena, size);
    snprintf(text, size, "%sfields", l->prefix);
    return text;
}

/* Entries mean nothing without the list they follow. */
static bool check_ship(line *l, uint8_t opcode, const json_t *fields,
                       const sb_message_context *context)
{
    if (opcode != 0x1C || context->ship || !json_object_get(fields, "entries")) return true;
    return fail_at(l, "fields.entries", "which ship? Give \"species\" beside \"fields\"");
}

static bool build_message(line *l)
{
    uint8_t            opcode;
    sb_message_context context;
    const json_t      *fields;
    if (!read_opcode(l, &opcode) || !read_context(l, &context) || !read_fields(l, &fields) ||
        !check_ship(l, opcode, fields, &context))
        return false;
    sb_json_source source;
    sb_json_source_init(&source, fields, fields_path(l), l->arena, l->error);
    sb_refusal refusal = { 0 };
    sb_result  result =
        sb_build_message(opcode, &context, &source.source, l->out, l->capacity, &l->size, &refusal);
    if (result == SB_UNKNOWN_OPCODE) return fail_at(l, "opcode", sb_result_text(result));
    return sb_json_source_finish(&source, result, &refusal);
}

enum { NESTED_BYTES_MAX = 0x1FFF }; /* total_len of Data: spec 01 §4.3 */

static bool build_nested(void *self, const json_t *message, const char *path, sb_span *bytes)
{
    line  *outer = self;
    size_t prefix_bytes = strlen(path) + 2;
    char  *prefix = sb_arena_take(outer->arena, prefix_bytes);
    snprintf(prefix, prefix_bytes, "%s.", path);
    line l = *outer;
    l.object = message;
    l.prefix = prefix;
    l.out = sb_arena_take(l.arena, NESTED_BYTES_MAX);
    l.capacity = NESTED_BYTES_MAX;
    if (!json_is_object(message)) {
        snprintf(l.error->text, sizeof l.error->text, "%s: not an object", path);
        return false;
    }
    if (!check_keys(&l) || !build_message(&l)) return false;
    *bytes = (sb_span){ l.out, l.size };
    return true;
}

static bool read_side(line *l, sb_side *from)
{
    const json_t *json = member(l, "side");
    *from = l->defaults->from;
    if (!json) return true;
    const char *text = json_string_value(json);
    if (!text || (strcmp(text, "host") != 0 && strcmp(text, "client") != 0))
        return fail_at(l, "side", "not \"client\" or \"host\"");
    *from = strcmp(text, "host") == 0 ? SB_SIDE_HOST : SB_SIDE_CLIENT;
    return true;
}

static bool build_datagram_or_part(line *l, sb_layer layer)
{
    const json_t *fields;
    sb_side       from;
    if (!read_fields(l, &fields) || !read_side(l, &from)) return false;
    if (!fields) return fail_at(l, "fields", "missing, and so is \"raw\"");
    sb_json_source source;
    sb_json_source_init(&source, fields, fields_path(l), l->arena, l->error);
    source.build_message = build_nested;
    source.self = l;
    sb_refusal refusal = { 0 };
    sb_result  result =
        layer == SB_LAYER_TRANSPORT
             ? sb_build_transport_message(&source.source, from, l->out, l->capacity, &l->size,
                                          &refusal)
             : sb_build_datagram(&source.source, l->out, l->capacity, &l->size, &refusal);
    if (!sb_json_source_finish(&source, result, &refusal)) return false;
    if (layer == SB_LAYER_DATAGRAM) sb_encrypt_datagram(l->out, l->size);
    return true;
}

/* ---- query texts ---- */

static bool read_piece(line *l, const json_t *json, const char *where, sb_span *out)
{
    if (!json) return fail_at(l, where, "key or value is missing");
    if (json_is_number(json)) { /* {"numplayers": 3} */
        char *text = sb_arena_take(l->arena, 32);
        int   size = snprintf(text, 32, "%.10g", json_number_value(json));
        *out = (sb_span){ (const uint8_t *)text, (size_t)size };
        return true;
    }
    return sb_json_read_text(json, l->arena, out, &l->reason) || fail_at(l, where, l->reason.text);
}

static bool add_pair(line *l, sb_gamespy_text *text, const json_t *key, const json_t *value,
                     const char *where)
{
    sb_gamespy_pair pair;
    if (text->count == SB_GAMESPY_PAIRS_MAX)
        return fail_at(l, where, sb_gamespy_fault_text(SB_GAMESPY_TOO_MANY_PAIRS));
    if (!read_piece(l, key, where, &pair.key) || !read_piece(l, value, where, &pair.value))
        return false;
    text->pairs[text->count++] = pair;
    return true;
}

static bool read_pairs(line *l, const json_t *list, sb_gamespy_text *text)
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

static bool read_end(line *l, const json_t *json, sb_gamespy_text *text)
{
    static const char *const ends[] = { "value", "key", "backslash" };
    if (!json) return true;
    for (unsigned i = 0; json_is_string(json) && i < 3; i++) {
        if (strcmp(json_string_value(json), ends[i]) != 0) continue;
        text->end = (sb_gamespy_end)i;
        return true;
    }
    return fail_at(l, "fields.end", "not one of value, key, backslash");
}

/* {"hostname": "x"}: keys in the order of the line. */
static bool read_plain_pairs(line *l, const json_t *fields, sb_gamespy_text *text)
{
    const char *name;
    json_t     *value;
    json_object_foreach((json_t *)(uintptr_t)fields, name, value)
    {
        char where[80];
        snprintf(where, sizeof where, "fields.%.64s", name);
        json_t *key = json_string(name);
        bool    added = add_pair(l, text, key, value, where);
        json_decref(key); /* the bytes are in the arena */
        if (!added) return false;
    }
    return true;
}

static bool build_gamespy(line *l)
{
    const json_t   *fields;
    sb_gamespy_text text = { .count = 0 };
    if (!read_fields(l, &fields)) return false;
    const json_t *pairs = json_object_get(fields, "pairs");
    bool          listed = json_is_array(pairs);
    if (listed ? !read_pairs(l, pairs, &text) || !read_end(l, json_object_get(fields, "end"), &text)
               : !read_plain_pairs(l, fields, &text))
        return false;
    if (text.count == 0) return fail_at(l, "fields", "a query needs at least one pair");
    sb_gamespy_writer w;
    sb_gamespy_writer_init(&w, l->out, l->capacity);
    sb_result result = sb_encode_gamespy(&w, &text);
    l->size = w.size;
    if (result == SB_OK) return true;
    return fail_at(l, "fields",
                   result == SB_FULL ? "the bytes become too many"
                                     : "a key or value is empty, too long, or has a "
                                       "backslash or control character");
}

/* ---- the line ---- */

static bool copy_raw(line *l, const json_t *raw)
{
    sb_span bytes;
    if (!sb_json_read_hex(raw, l->arena, &bytes, &l->reason))
        return fail_at(l, "raw", l->reason.text);
    if (bytes.size > l->capacity) return fail_at(l, "raw", "the bytes become too many");
    memcpy(l->out, bytes.data, bytes.size);
    l->size = bytes.size;
    return true;
}

static bool encode_object(line *l)
{
    sb_layer layer;
    if (!check_keys(l) || !read_layer(l, &layer)) return false;
    const json_t *raw = member(l, "raw");
    bool          refused = json_is_false(member(l, "ok"));
    if (raw && (refused || !member(l, "fields"))) return copy_raw(l, raw);
    if (layer == SB_LAYER_MESSAGE) return build_message(l);
    if (layer == SB_LAYER_GAMESPY) return build_gamespy(l);
    return build_datagram_or_part(l, layer);
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
    /* As reals, -0 keeps its sign, and all our whole numbers are exact. */
    const size_t flags =
        JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY;
    json_error_t where;
    json_t      *object = json_loadb(text, size, flags, &where);
    if (!object) {
        snprintf(error->text, sizeof error->text, "column %d: %s", where.column, where.text);
        return SB_BAD_VALUE;
    }
    line l = { object, "", defaults, arena, out, capacity, 0, error, { "" } };
    bool fine = json_is_object(object) && encode_object(&l);
    if (!json_is_object(object)) snprintf(error->text, sizeof error->text, "not an object");
    json_decref(object);
    if (fine) *out_size = l.size;
    return fine ? SB_OK : SB_BAD_VALUE;
}
