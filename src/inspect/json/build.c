/* src/inspect/json/build.c -- builds messages and datagrams from the fields of a JSON line.
 *
 * Tests:    tests/inspect/json/line_test.c, tests/inspect/json/error_test.c
 */
#include "inspect/json/internal.h"

#include "inspect/json/check.h"
#include "inspect/json/probe.h"

#include <starbase/cipher.h>
#include <starbase/datagram.h>
#include <starbase/message.h>
#include <stdio.h>
#include <string.h>

static const char *fields_path(const sb_json_line *l)
{
    size_t size = strlen(l->prefix) + sizeof "fields";
    char  *text = sb_arena_allocate(l->arena, size);
    snprintf(text, size, "%sfields", l->prefix);
    return text;
}

static bool build_nested(void *self, const json_t *message, const char *path, sb_span *bytes);

/* A StateUpdate with entries needs the ship whose subsystem list they follow. */
static bool check_ship(sb_json_line *l, uint8_t opcode, const json_t *fields,
                       const sb_message_context *context)
{
    if (opcode != SB_OP_STATE_UPDATE || context->ship || !json_object_get(fields, "entries"))
        return true;
    return sb_json_fail_at(l, "fields.entries", "needs a ship: add \"species\" beside \"fields\"");
}

/* ---- one unit of any layer, from any source ---- */

typedef struct unit {
    sb_layer           layer;
    uint8_t            opcode;  /* layer message */
    sb_message_context context; /* layer message */
    sb_side            from;    /* layer transport */
    uint8_t           *out;
    size_t             capacity, size;
    sb_refusal         refusal;
} unit;

static sb_result build(unit *u, const sb_source *source)
{
    if (u->layer == SB_LAYER_MESSAGE)
        return sb_build_message(u->opcode, &u->context, source, u->out, u->capacity, &u->size,
                                &u->refusal);
    if (u->layer == SB_LAYER_TRANSPORT)
        return sb_build_transport_message(source, u->from, u->out, u->capacity, &u->size,
                                          &u->refusal);
    return sb_build_datagram(source, u->out, u->capacity, &u->size, &u->refusal);
}

/* A hand-written line may give bytes that do not decode; they are shown up to the fault. */
static void show(const unit *u, const sb_sink *sink)
{
    sb_span bytes = { u->out, u->size };
    if (u->layer == SB_LAYER_MESSAGE) (void)!sb_show_message(bytes, &u->context, sink, NULL);
    else if (u->layer == SB_LAYER_TRANSPORT)
        (void)!sb_show_transport_message(bytes, u->from, sink, NULL);
    else (void)!sb_show_datagram(bytes, sink, NULL);
}

enum {
    SCRATCH_BYTES = 1 << 16,
    EXPLAINED_BYTES_MAX = 1 << 13, /* an explanation builds the unit hundreds of times: only short
                                      units get one */
};

static void rebuild(void *self, const sb_source *source)
{
    (void)!build(self, source);
}

/* Replaces the error about an unused key by an explanation, if there is one. */
static void explain(sb_json_line *l, const sb_json_source *source, const unit *built)
{
    if (built->size > EXPLAINED_BYTES_MAX) return;
    unit u = *built;
    u.out = sb_arena_allocate(l->arena, SCRATCH_BYTES);
    u.capacity = SCRATCH_BYTES;
    if (!sb_json_explain_stray(source, rebuild, &u, &l->reason)) return;
    snprintf(l->error->text, sizeof l->error->text, "%s: %s", source->stray_path.text,
             l->reason.text);
}

/* Builds the bytes from the fields, then checks that the line agrees with the bytes. */
static bool build_fields(sb_json_line *l, const json_t *fields, unit *u)
{
    sb_json_source source;
    const char    *path = fields_path(l);
    sb_json_source_init(&source, fields, path, l->arena, l->error);
    if (u->layer != SB_LAYER_MESSAGE) source.build_message = build_nested;
    source.self = l;
    u->out = l->out;
    u->capacity = l->capacity;
    sb_result result = build(u, &source.source);
    if (result == SB_UNKNOWN_OPCODE && u->layer == SB_LAYER_MESSAGE)
        return sb_json_fail_at(l, "opcode", sb_result_text(result));
    if (!sb_json_source_finish(&source, result, &u->refusal)) {
        if (source.stray_depth > 0) explain(l, &source, u);
        return false;
    }
    l->size = u->size;
    sb_json_check check;
    sb_json_check_init(&check, fields, path, l->error);
    show(u, &check.sink);
    return !check.failed;
}

/* ---- game messages ---- */

bool sb_json_build_message(sb_json_line *l)
{
    unit          u = { .layer = SB_LAYER_MESSAGE };
    const json_t *fields;
    if (!sb_json_read_opcode(l, &u.opcode) || !sb_json_read_context(l, &u.context) ||
        !sb_json_read_fields(l, &fields) || !check_ship(l, u.opcode, fields, &u.context))
        return false;
    return build_fields(l, fields, &u);
}

enum { NESTED_BYTES_MAX = 0x1FFF }; /* maximum of Data's total_len (spec 01 §4.3) */

static bool build_nested(void *self, const json_t *message, const char *path, sb_span *bytes)
{
    sb_json_line *outer = self;
    size_t        prefix_bytes = strlen(path) + 2;
    char         *prefix = sb_arena_allocate(outer->arena, prefix_bytes);
    snprintf(prefix, prefix_bytes, "%s.", path);
    sb_json_line     l = *outer;
    sb_json_defaults defaults = *outer->defaults; /* messages inherit the line's ship */
    if (!sb_json_read_context(outer, &defaults.context)) return false;
    l.defaults = &defaults;
    l.object = message;
    l.prefix = prefix;
    l.out = sb_arena_allocate(l.arena, NESTED_BYTES_MAX);
    l.capacity = NESTED_BYTES_MAX;
    if (!json_is_object(message)) {
        snprintf(l.error->text, sizeof l.error->text, "%s: not an object", path);
        return false;
    }
    bool raw;
    if (!sb_json_check_keys(&l) || !sb_json_read_raw(&l, &raw)) return false;
    if (!raw && !sb_json_build_message(&l)) return false;
    *bytes = (sb_span){ l.out, l.size };
    return true;
}

/* ---- datagrams and their parts ---- */

/* msg_count may be larger than the number of messages only if `rest` has further bytes (spec 01
 * §3). */
static bool check_count(sb_json_line *l, const json_t *fields)
{
    const json_t *rest = json_object_get(fields, "rest");
    size_t        there = json_array_size(json_object_get(fields, "messages"));
    unsigned      stated = l->out[1];
    if (stated == there || (stated > there && rest && !json_is_null(rest))) return true;
    sb_json_refuse(&l->reason, "%u, but messages has %zu; remove it, it is computed", stated,
                   there);
    return sb_json_fail_at(l, "fields.msg_count", l->reason.text);
}

bool sb_json_build_datagram(sb_json_line *l, bool encrypted)
{
    unit          u = { .layer = SB_LAYER_PLAIN };
    const json_t *fields;
    if (!sb_json_read_fields(l, &fields)) return false;
    if (!fields) return sb_json_fail_at(l, "fields", "missing, and so is \"raw\"");
    if (!build_fields(l, fields, &u) || !check_count(l, fields)) return false;
    if (encrypted) sb_encrypt_datagram(l->out, l->size);
    return true;
}

/* The host answers a Connect with a Connect that has only the new peer's id (spec 01 §4.8). */
static bool is_connect_answer(const json_t *fields)
{
    static const char *const request[] = { "address", "opaque", "password" };
    for (size_t i = 0; i < sizeof request / sizeof *request; i++)
        if (json_object_get(fields, request[i])) return false;
    return json_object_get(fields, "peer_id");
}

bool sb_json_build_transport(sb_json_line *l)
{
    unit          u = { .layer = SB_LAYER_TRANSPORT };
    const json_t *fields;
    uint8_t       type;
    bool          known, named;
    if (!sb_json_read_fields(l, &fields) || !sb_json_read_side(l, &u.from) ||
        !sb_json_read_transport_type(l, fields, &type, &known, &named))
        return false;
    if (!fields && !named) return sb_json_fail_at(l, "fields", "missing, and so is \"raw\"");
    if (u.from == SB_SIDE_UNKNOWN && known && type == SB_TRANSPORT_CONNECT &&
        is_connect_answer(fields))
        u.from = SB_SIDE_HOST;
    if (u.from == SB_SIDE_CLIENT && known && type == SB_TRANSPORT_CONNECT &&
        is_connect_answer(fields))
        return sb_json_fail_at(l, "fields.peer_id", "only with side host");
    json_t *complete = fields ? json_copy((json_t *)(uintptr_t)fields) : json_object();
    if (known) json_object_set_new(complete, "type", json_real(type));
    bool built = build_fields(l, complete, &u);
    json_decref(complete);
    return built;
}
