/* src/inspect/show.c -- gives the fields of a record of any layer to a sink.
 *
 * Tests:    tests/inspect/render_test.c, tests/inspect/dissector_test.c
 */
#include "inspect/show.h"

#include <starbase/definition.h>
#include <starbase/gamespy.h>
#include <starbase/message.h>

#include "base/assert.h"

#include <string.h>

static bool is_datagram(const sb_record *r)
{
    return r->layer == SB_LAYER_DATAGRAM || r->layer == SB_LAYER_PLAIN;
}

sb_span sb_record_shown_bytes(const sb_record *r)
{
    return r->layer == SB_LAYER_DATAGRAM && r->plain.size > 0 ? r->plain : r->bytes;
}

/* ---- names ---- */

/* Finds the only message of a valid datagram. A refused datagram does not get the name of its first
 * message, because the fault may be elsewhere. */
static bool only_message(const sb_record *r, sb_transport_message *out)
{
    sb_datagram datagram;
    size_t      at = 0;
    if (r->result != SB_OK) return false;
    if (sb_decode_datagram(sb_record_shown_bytes(r), &datagram, NULL) != SB_OK) return false;
    return datagram.message_count == 1 && sb_datagram_next(&datagram, &at, out);
}

static bool carries_message(const sb_transport_message *m)
{
    return m->type == SB_TRANSPORT_DATA && !m->fragment && m->payload.size > 0;
}

bool sb_record_opcode(const sb_record *r, uint8_t *opcode)
{
    sb_span              payload = r->bytes;
    sb_transport_message only;
    if (r->layer != SB_LAYER_MESSAGE) {
        if (!is_datagram(r) || !only_message(r, &only) || !carries_message(&only)) return false;
        payload = only.payload;
    }
    if (payload.size == 0) return false;
    *opcode = payload.data[0];
    return true;
}

static const sb_name *name_of_type(uint8_t type)
{
    static const sb_name unknown = { 0, "(unknown)", NULL };
    for (const sb_name *n = sb_transport_type_names(); n->name; n++)
        if (n->value == type) return n;
    return &unknown;
}

static sb_name name_of(const sb_record *r)
{
    uint8_t              opcode;
    sb_transport_message only;
    if (sb_record_opcode(r, &opcode)) {
        const sb_message_type *type = sb_find_defined_type(r->context.definitions, opcode);
        return (sb_name){ opcode, type->name, type->published };
    }
    if (r->layer == SB_LAYER_MESSAGE) return (sb_name){ 0, "(empty)", NULL };
    if (r->layer == SB_LAYER_GAMESPY) return (sb_name){ 0, "GameSpy", NULL };
    if (r->layer == SB_LAYER_TRANSPORT) return *name_of_type(r->transport.type);
    if (only_message(r, &only)) return *name_of_type(only.type);
    return (sb_name){ 0, "Datagram", NULL };
}

const char *sb_record_name(const sb_record *r)
{
    if (r->layer == SB_LAYER_MESSAGE && r->bytes.size > 0) /* nearly always */
        return sb_find_defined_type(r->context.definitions, r->bytes.data[0])->name;
    return name_of(r).name;
}

const char *sb_record_published(const sb_record *r)
{
    return name_of(r).published;
}

/* ---- GameSpy ---- */

/* A key or value includes the backslash before it. A text may end with a key: its missing value has
 * no bytes, not even a backslash. */
static size_t show_part(const sb_sink *sink, const sb_field *f, sb_span part, sb_span text,
                        size_t at)
{
    sb_value value = { .bytes = part };
    size_t   size = part.size + (at < text.size);
    sink->value(sink->self, f, &value, at, size);
    return at + size;
}

static size_t show_pair(const sb_sink *sink, const sb_gamespy_pair *pair, sb_span text, size_t at)
{
    static const sb_field f_pair = { .name = "pair", .kind = SB_KIND_GROUP };
    static const sb_field f_key = { .name = "key", .kind = SB_KIND_TEXT8 };
    static const sb_field f_value = { .name = "value", .kind = SB_KIND_TEXT8 };
    sink->enter(sink->self, &f_pair);
    at = show_part(sink, &f_key, pair->key, text, at);
    at = show_part(sink, &f_value, pair->value, text, at);
    sink->leave(sink->self, &f_pair);
    return at;
}

static sb_result show_gamespy(sb_span bytes, const sb_sink *sink, sb_refusal *refusal)
{
    static const sb_field    f_pairs = { .name = "pairs", .kind = SB_KIND_LIST };
    static const sb_field    f_end = { .name = "end", .kind = SB_KIND_NOTE };
    static const char *const ends[] = { "value", "key", "backslash" };
    sb_gamespy_text          text;
    sb_result                result = sb_decode_gamespy(bytes, &text);
    sink->enter(sink->self, &f_pairs);
    size_t at = 0;
    for (size_t i = 0; i < text.count; i++) at = show_pair(sink, &text.pairs[i], bytes, at);
    sink->leave(sink->self, &f_pairs);
    if (result != SB_OK) {
        if (refusal) *refusal = (sb_refusal){ result, text.fault_offset, NULL };
        return result;
    }
    SB_ASSERT((unsigned)text.end < sizeof ends / sizeof *ends);
    sb_value value = { .bytes = { (const uint8_t *)ends[text.end], strlen(ends[text.end]) } };
    sink->value(sink->self, &f_end, &value, at, bytes.size - at);
    return SB_OK;
}

/* ---- datagrams, with the fields of the messages in their payloads ---- */

typedef struct view {
    const sb_record *record;
    const sb_sink   *outer;
    int              depth; /* 2: inside a transport message */
    bool             data, fragment;
    sb_span          payload;
    size_t           payload_at;
} view;

/* Moves the offsets of a payload's fields to their offsets in the datagram. */
typedef struct shifted {
    const sb_sink *outer;
    size_t         by;
} shifted;

static void shifted_value(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    const shifted *s = self;
    s->outer->value(s->outer->self, f, v, at + s->by, size);
}

static void shifted_enter(void *self, const sb_field *f)
{
    const shifted *s = self;
    s->outer->enter(s->outer->self, f);
}

static void shifted_leave(void *self, const sb_field *f)
{
    const shifted *s = self;
    s->outer->leave(s->outer->self, f);
}

static void show_name(const view *v, const sb_message_type *type)
{
    static const sb_field f_opcode = { SB_FIELD_NAME("opcode"), .kind = SB_KIND_U8 };
    static const sb_field f_name = { SB_FIELD_NAME("name"), .kind = SB_KIND_NOTE };
    const sb_sink        *to = v->outer;
    sb_value              value = { .number = type->opcode };
    to->value(to->self, &f_opcode, &value, v->payload_at, 1);
    value.bytes = (sb_span){ (const uint8_t *)type->name, strlen(type->name) };
    to->value(to->self, &f_name, &value, v->payload_at, 0);
}

static void show_payload(const view *v)
{
    static const sb_field f_message = { SB_FIELD_NAME("message"), .kind = SB_KIND_GROUP };
    static const sb_field f_fields = { SB_FIELD_NAME("fields"), .kind = SB_KIND_GROUP };
    const sb_sink        *to = v->outer;
    sb_message            message;
    if (sb_decode_message(v->payload, &v->record->context, &message, NULL) != SB_OK) return;
    shifted       by = { to, v->payload_at };
    const sb_sink sink = { &by, shifted_value, shifted_enter, shifted_leave };
    to->enter(to->self, &f_message);
    show_name(v, sb_find_defined_type(v->record->context.definitions, message.opcode));
    to->enter(to->self, &f_fields);
    sb_result again = sb_show_message(v->payload, &v->record->context, &sink, NULL);
    SB_ASSERT(again == SB_OK);
    to->leave(to->self, &f_fields);
    to->leave(to->self, &f_message);
}

static void view_value(void *self, const sb_field *f, const sb_value *value, size_t at, size_t size)
{
    view *v = self;
    if (v->depth == 2) {
        if (strcmp(f->name, "type") == 0) v->data = value->number == SB_TRANSPORT_DATA;
        if (strcmp(f->name, "fragment") == 0) v->fragment = value->number != 0;
        if (strcmp(f->name, "payload") == 0) {
            v->payload = value->bytes;
            v->payload_at = at;
        }
    }
    v->outer->value(v->outer->self, f, value, at, size);
}

static void view_enter(void *self, const sb_field *f)
{
    view *v = self;
    if (++v->depth == 2) {
        v->data = v->fragment = false;
        v->payload = (sb_span){ NULL, 0 };
    }
    v->outer->enter(v->outer->self, f);
}

static void view_leave(void *self, const sb_field *f)
{
    view *v = self;
    if (v->depth-- == 2 && v->data && !v->fragment && v->payload.size > 0) show_payload(v);
    v->outer->leave(v->outer->self, f);
}

static sb_result show_datagram(const sb_record *r, const sb_sink *sink, sb_refusal *refusal)
{
    view          v = { .record = r, .outer = sink };
    const sb_sink through = { &v, view_value, view_enter, view_leave };
    return sb_show_datagram(sb_record_shown_bytes(r), &through, refusal);
}

sb_result sb_show_record(const sb_record *r, const sb_sink *sink, sb_refusal *refusal)
{
    if (r->layer == SB_LAYER_MESSAGE) return sb_show_message(r->bytes, &r->context, sink, refusal);
    if (r->layer == SB_LAYER_TRANSPORT)
        return sb_show_transport_message(r->bytes, r->from, sink, refusal);
    if (r->layer == SB_LAYER_GAMESPY) return show_gamespy(r->bytes, sink, refusal);
    return show_datagram(r, sink, refusal);
}

/* ---- records of single units ---- */

static void ignore_value(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    (void)self, (void)f, (void)v, (void)at, (void)size;
}

static void ignore_bracket(void *self, const sb_field *f)
{
    (void)self, (void)f;
}

static const sb_sink discard_sink = { NULL, ignore_value, ignore_bracket, ignore_bracket };

sb_result sb_inspect_datagram(sb_span plain, sb_datagram *out, sb_refusal *refusal)
{
    sb_result result = sb_decode_datagram(plain, out, refusal);
    if (result != SB_OK)
        return sb_show_datagram(plain, &discard_sink, refusal); /* it also names the field */
    if (out->rest.size == 0) return SB_OK;
    result = out->unknown_type ? SB_UNKNOWN_OPCODE : SB_TRAILING;
    *refusal =
        (sb_refusal){ result, plain.size - out->rest.size, out->unknown_type ? "type" : "rest" };
    return result;
}

static void decode_transport(sb_record *r)
{
    const sb_datagram alone = { .messages = r->bytes };
    size_t            at = 0;
    r->has_transport = sb_datagram_next(&alone, &at, &r->transport);
    if (!r->has_transport) r->transport.type = r->bytes.size > 0 ? r->bytes.data[0] : 0xFF;
    r->result = sb_show_transport_message(r->bytes, r->from, &discard_sink, &r->refusal);
}

void sb_record_decode(sb_record *r, sb_message *message)
{
    r->refusal = (sb_refusal){ SB_OK, 0, NULL };
    if (r->layer == SB_LAYER_MESSAGE) {
        r->result = sb_decode_message(r->bytes, &r->context, message, &r->refusal);
        r->message = r->result == SB_OK ? message : NULL;
        return;
    }
    if (is_datagram(r)) {
        sb_datagram datagram;
        r->result = sb_inspect_datagram(sb_record_shown_bytes(r), &datagram, &r->refusal);
        return;
    }
    if (r->layer == SB_LAYER_TRANSPORT) {
        decode_transport(r);
        return;
    }
    sb_gamespy_text text;
    r->result = sb_decode_gamespy(r->bytes, &text);
    r->refusal = (sb_refusal){ r->result, text.fault_offset, NULL };
}

const char *sb_record_reason(const sb_record *r)
{
    sb_gamespy_text text;
    bool            in_datagram = is_datagram(r) || r->layer == SB_LAYER_TRANSPORT;
    if (in_datagram && r->result == SB_UNKNOWN_OPCODE) return "no transport message has this type";
    if (r->layer != SB_LAYER_GAMESPY) return sb_result_text(r->result);
    if (sb_decode_gamespy(r->bytes, &text) == SB_OK) return sb_result_text(r->result);
    return sb_gamespy_fault_text(text.fault);
}
