/* src/inspect/json/render.c -- prints a record as one JSON object on one line.
 *
 * Tests:    tests/inspect/render_test.c, tests/inspect/json/line_test.c
 */
#include "inspect/render.h"

#include "base/assert.h"
#include "inspect/json/writing.h"
#include "inspect/number_text.h"
#include "inspect/show.h"
#include "inspect/text.h"

static SB_ALWAYS_INLINE char *put_number(char *p, const char *key, uint64_t number)
{
    p = sb_json_put(p, key);
    return p + sb_format_u64(p, number);
}

static SB_ALWAYS_INLINE char *put_flag(char *p, const char *key, bool flag)
{
    p = sb_json_put(p, key);
    return flag ? sb_json_put(p, "true") : sb_json_put(p, "false");
}

static SB_ALWAYS_INLINE char *put_endpoint(char *p, const char *key, sb_endpoint endpoint)
{
    p = sb_json_put(p, key);
    p += sb_format_endpoint(p, endpoint);
    *p++ = '"';
    return p;
}

/* Writes the key, which ends with a quote, and a name that needs no escapes. */
static SB_ALWAYS_INLINE void write_name_key(sb_output *o, const char *key, const char *name)
{
    size_t size = strlen(name);
    char  *p = sb_json_put(sb_output_reserve(o, 64), key);
    if (size <= SB_JSON_NAME_SHORT) {
        p = sb_json_put_name(p, name, size);
        *p++ = '"';
        sb_output_end_at(o, p);
        return;
    }
    sb_output_end_at(o, p);
    sb_output_write(o, name, size);
    sb_output_char(o, '"');
}

static SB_ALWAYS_INLINE void write_number_key(sb_output *o, const char *key, uint64_t number)
{
    sb_output_end_at(o, put_number(sb_output_reserve(o, 64), key, number));
}

/* The keys of an Ack after its name. */
static void write_ack(sb_output *o, const sb_record *r)
{
    const sb_transport_message *m = &r->transport;
    char                       *p = sb_output_reserve(o, 64);
    p = put_number(p, ",\"seq\":", m->seq);
    p = put_number(p, ",\"flags\":", m->ack_flags);
    if (m->ack_flags & SB_ACK_FRAGMENT) p = put_number(p, ",\"frag_index\":", m->frag_index);
    if (r->repeated) p = sb_json_put(p, ",\"repeated\":true");
    sb_output_end_at(o, p);
}

/* The keys after the name of a message that has the flags of the reliable layer. */
static void write_flags(sb_output *o, const sb_transport_message *m)
{
    char *p = sb_output_reserve(o, 64);
    p = put_flag(p, ",\"reliable\":", m->reliable);
    p = put_flag(p, ",\"priority\":", m->priority);
    if (m->reliable) p = put_number(p, ",\"seq\":", m->seq);
    sb_output_end_at(o, p);
    if (m->fragment) write_number_key(o, ",\"frag_index\":", m->frag_index);
    if (m->fragment && m->frag_index == 0) write_number_key(o, ",\"frag_total\":", m->frag_total);
}

static void write_transport(sb_output *o, const sb_record *r)
{
    const sb_transport_message *m = &r->transport;
    const char                 *name = sb_find_name(sb_transport_type_names(), m->type);
    write_number_key(o, ",\"transport\":{\"type\":", m->type);
    write_name_key(o, ",\"name\":\"", name ? name : "(unknown)");
    if (m->type == SB_TRANSPORT_ACK) write_ack(o, r);
    else if (m->type != SB_TRANSPORT_NOOP) write_flags(o, m);
    sb_output_char(o, '}');
}

/* The encoding of a file name is unknown, so bytes from 0x80 up are written as they are. */
static void write_file(sb_output *o, const char *name)
{
    sb_json_write_literal(o, ",\"file\":\"");
    for (; *name; name++) {
        bool plain = (unsigned char)*name >= 0x20 && *name != '"' && *name != '\\';
        if (plain) sb_output_char(o, *name);
        else sb_json_write_code_point(o, (unsigned char)*name);
    }
    sb_output_char(o, '"');
}

static bool has_origin(const sb_json_origin *a, const sb_record *r)
{
    return a->datagram == r->datagram && a->time_us == r->time_us && a->from == r->from &&
           a->peer_id == r->peer_id && a->has_time == r->has_time &&
           a->has_endpoints == r->has_endpoints && a->has_peer_id == r->has_peer_id &&
           sb_endpoints_equal(a->source, r->source) &&
           sb_endpoints_equal(a->destination, r->destination);
}

/* Time, addresses and sender; the longest text has 151 characters. */
static void put_origin(sb_json_origin *a, const sb_record *r)
{
    char *p = a->text;
    if (r->has_time) {
        p = sb_json_put(p, ",\"time\":");
        p += sb_format_micros(p, r->time_us);
    }
    if (r->has_endpoints) {
        p = put_endpoint(p, ",\"from\":\"", r->source);
        p = put_endpoint(p, ",\"to\":\"", r->destination);
    }
    if (r->from == SB_SIDE_HOST) p = sb_json_put(p, ",\"side\":\"host\"");
    else if (r->from != SB_SIDE_UNKNOWN) p = sb_json_put(p, ",\"side\":\"client\"");
    if (r->has_peer_id) p = put_number(p, ",\"peer_id\":", r->peer_id);
    if (r->has_time) p = put_number(p, ",\"datagram\":", r->datagram);
    a->size = (size_t)(p - a->text);
    SB_ASSERT(a->size <= sizeof a->text);
}

static void write_origin(sb_render *render, const sb_record *r)
{
    sb_json_origin *a = &render->origin;
    if (a->size == 0 || !has_origin(a, r)) {
        *a = (sb_json_origin){ .has_time = r->has_time,
                               .has_endpoints = r->has_endpoints,
                               .has_peer_id = r->has_peer_id,
                               .peer_id = r->peer_id,
                               .from = r->from,
                               .datagram = r->datagram,
                               .time_us = r->time_us,
                               .source = r->source,
                               .destination = r->destination };
        put_origin(a, r);
    }
    sb_output_write(render->out, a->text, a->size);
}

static void write_where(sb_render *render, const sb_record *r)
{
    sb_output *o = render->out;
    if (r->file) write_file(o, r->file);
    write_origin(render, r);
    if (r->has_transport) write_transport(o, r);
    if (r->retransmission) sb_json_write_literal(o, ",\"retransmission\":true");
    if (r->gap > 0) write_number_key(o, ",\"gap\":", r->gap);
    if (r->late) sb_json_write_literal(o, ",\"late\":true");
    if (r->fragment_count > 0) write_number_key(o, ",\"fragments\":", r->fragment_count);
}

static void write_name(sb_output *o, const sb_record *r)
{
    uint8_t opcode;
    if (sb_record_opcode(r, &opcode)) write_number_key(o, ",\"opcode\":", opcode);
    else sb_json_write_literal(o, ",\"opcode\":null");
    write_name_key(o, ",\"name\":\"", sb_record_name(r));
}

/* Writes the ship and layout by which the fields were read; encoding the line needs both. */
static void write_context(sb_output *o, const sb_record *r)
{
    if (r->context.ship) write_number_key(o, ",\"species\":", r->context.ship->species);
    if (r->context.own) sb_json_write_literal(o, ",\"own\":true");
    if (r->context.ship && r->context.layout != SB_SHIELD_STOCK)
        write_name_key(o, ",\"shields\":\"",
                       sb_shield_layout_text((sb_shield_layout)r->context.layout));
}

static void write_error(sb_output *o, const sb_record *r)
{
    sb_span bytes = sb_record_shown_bytes(r);
    size_t  offset = r->refusal.offset < bytes.size ? r->refusal.offset : bytes.size;
    sb_json_write_literal(o, ",\"error\":\"");
    sb_output_text(o, sb_result_name(r->result));
    sb_output_text(o, ": ");
    sb_output_text(o, sb_record_reason(r));
    if (r->refusal.field) {
        sb_output_text(o, ", in ");
        sb_output_text(o, r->refusal.field);
    }
    write_number_key(o, "\",\"offset\":", offset);
    sb_json_write_literal(o, ",\"undecoded\":");
    sb_json_write_hex(o, (sb_span){ bytes.data + offset, bytes.size - offset });
}

void sb_render_json(sb_render *render, const sb_record *r)
{
    sb_output *o = render->out;
    sb_json_write_literal(o, "{\"schema\":\"" SB_JSON_SCHEMA "\"");
    write_name_key(o,
                   r->result == SB_OK ? ",\"ok\":true,\"layer\":\"" : ",\"ok\":false,\"layer\":\"",
                   sb_layer_name(r->layer));
    write_where(render, r);
    write_name(o, r);
    write_context(o, r);
    sb_json_write_fields(render, r);
    sb_json_write_literal(o, ",\"raw\":");
    sb_json_write_hex(o, r->bytes);
    if (r->result != SB_OK) write_error(o, r);
    sb_json_write_literal(o, "}\n");
}
