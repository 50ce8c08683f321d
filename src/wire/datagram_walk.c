/* src/wire/datagram_walk.c -- shows datagrams to sinks and builds them from sources.
 *
 * For:      tools. flags_len packs a length and flags into one number, so a description, which is a
 *           list of fields, cannot express it; this file contains the two walks instead.
 * Spec:     01 §3, §4; datagram.c draws the layouts.
 * Tests:    tests/wire/datagram_test.c
 */
#include <starbase/datagram.h>

#include "wire/datagram_internal.h"
#include "wire/walk.h"

static const sb_name *ack_flag_names(void)
{
    static const sb_name names[] = { { SB_ACK_FRAGMENT, "fragment", NULL },
                                     { SB_ACK_LOW_CHANNEL, "control", NULL },
                                     { 0 } };
    return names;
}

static const sb_field f_peer_id = { SB_FIELD_NAME("peer_id"), .kind = SB_KIND_U8 };
static const sb_field f_msg_count = { SB_FIELD_NAME("msg_count"), .kind = SB_KIND_U8,
                                      .derived = true };
static const sb_field f_messages = { SB_FIELD_NAME("messages"), .kind = SB_KIND_LIST };
static const sb_field f_message = { SB_FIELD_NAME("message"), .kind = SB_KIND_GROUP };
static const sb_field f_rest = { SB_FIELD_NAME("rest"), .kind = SB_KIND_BYTES };
static const sb_field f_type = { SB_FIELD_NAME("type"), .kind = SB_KIND_U8,
                                 .names = sb_transport_type_names };
static const sb_field f_flags_len = { SB_FIELD_NAME("flags_len"), .kind = SB_KIND_U16,
                                      .derived = true };
static const sb_field f_reliable = { SB_FIELD_NAME("reliable"), .kind = SB_KIND_BIT };
static const sb_field f_priority = { SB_FIELD_NAME("priority"), .kind = SB_KIND_BIT };
static const sb_field f_fragment = { SB_FIELD_NAME("fragment"), .kind = SB_KIND_BIT };
static const sb_field f_seq = { SB_FIELD_NAME("seq"), .kind = SB_KIND_U16 };
static const sb_field f_ack_flags = { SB_FIELD_NAME("flags"), .kind = SB_KIND_FLAGS,
                                      .names = ack_flag_names };
static const sb_field f_frag_index = { SB_FIELD_NAME("frag_index"), .kind = SB_KIND_U8 };
static const sb_field f_frag_total = { SB_FIELD_NAME("frag_total"), .kind = SB_KIND_U8 };
static const sb_field f_payload = { SB_FIELD_NAME("payload"), .kind = SB_KIND_BYTES };
static const sb_field f_trailing = { SB_FIELD_NAME("trailing"), .kind = SB_KIND_BYTES };

/* ---- showing ---- */

static void show_flag(sb_walk *w, const sb_field *f, bool on, size_t at)
{
    sb_value value = { .number = on };
    w->sink->value(w->sink->self, f, &value, at, 2);
}

/* Shows a control payload by its description; a malformed one is shown as bytes. */
static void show_control(sb_walk *w, const sb_transport_message *m, sb_side from)
{
    const sb_control_row *row = sb_find_control(m->type, from);
    sb_control            control = { 0 };
    if (sb_decode_control(m->type, from, m->payload, &control) != SB_OK) {
        sb_span bytes;
        sb_walk_field(w, &f_payload, &bytes);
        return;
    }
    row->walk(w, &control);
    sb_span trailing;
    if (w->r.left > 0) sb_walk_field(w, &f_trailing, &trailing);
}

/* `after`: bytes of the datagram that follow this message. */
static void show_sized(sb_walk *w, sb_transport_message *m, size_t after, sb_side from)
{
    size_t   at = sb_reader_at(&w->r);
    uint16_t flags_len;
    w->r.left -= after;
    sb_walk_field(w, &f_flags_len, &flags_len);
    show_flag(w, &f_reliable, m->reliable, at);
    show_flag(w, &f_priority, m->priority, at);
    if (m->type == SB_TRANSPORT_DATA) show_flag(w, &f_fragment, m->fragment, at);
    if (m->reliable) sb_walk_field(w, &f_seq, &m->seq);
    if (m->fragment) sb_walk_field(w, &f_frag_index, &m->frag_index);
    if (m->fragment && m->frag_index == 0) sb_walk_field(w, &f_frag_total, &m->frag_total);
    if (m->type == SB_TRANSPORT_DATA) sb_walk_field(w, &f_payload, &m->payload);
    else show_control(w, m, from);
    if (w->r.status == SB_OK) w->r.left = after;
}

/* Refuses a field that was read but holds a bad value. It is part of the last field walked. */
static void refuse_field(sb_walk *w, const sb_field *f, sb_result why)
{
    if (w->r.status != SB_OK) return;
    w->field = f;
    sb_reader_fail(&w->r, why);
}

/* Shows a malformed message with flags_len, up to the bad field. */
static void show_broken_sized(sb_walk *w, sb_transport_message *m, sb_result why)
{
    size_t   at = sb_reader_at(&w->r), available = w->r.left + 1;
    bool     data = m->type == SB_TRANSPORT_DATA;
    uint16_t flags_len = 0;
    sb_walk_field(w, &f_flags_len, &flags_len);
    if (w->r.status != SB_OK) return;
    show_flag(w, &f_reliable, m->reliable, at);
    show_flag(w, &f_priority, m->priority, at);
    if (data) show_flag(w, &f_fragment, m->fragment, at);
    size_t total = flags_len & (data ? SB_DATA_LENGTH : SB_CONTROL_LENGTH);
    if (total < 3 || total > available) {
        refuse_field(w, &f_flags_len, why);
        return;
    }
    w->r.left = total - 3;
    if (m->reliable) sb_walk_field(w, &f_seq, &m->seq);
    else refuse_field(w, &f_fragment, why);
    sb_walk_field(w, &f_frag_index, &m->frag_index);
    sb_walk_field(w, &f_frag_total, &m->frag_total);
    refuse_field(w, &f_frag_total, why); /* only the total of a first fragment is left */
}

/* Shows a malformed message, up to the bad field. */
static void show_broken(sb_walk *w, sb_transport_message *m, sb_result why)
{
    sb_walk_field(w, &f_type, &m->type);
    if (m->type == SB_TRANSPORT_ACK) {
        sb_walk_field(w, &f_seq, &m->seq);
        sb_walk_field(w, &f_ack_flags, &m->ack_flags);
        sb_walk_field(w, &f_frag_index, &m->frag_index);
    } else if (w->r.status == SB_OK) {
        show_broken_sized(w, m, why);
    }
    SB_ASSERT(w->r.status != SB_OK); /* the walk stops where the parser stopped */
}

static void show_message(sb_walk *w, sb_side from)
{
    sb_reader            ahead = w->r;
    sb_transport_message m;
    sb_parsed            parsed = sb_parse_transport_message(&ahead, &m);
    if (parsed == SB_PARSED_UNKNOWN) {
        refuse_field(w, &f_type, SB_UNKNOWN_OPCODE);
        return;
    }
    if (parsed == SB_PARSED_BAD) {
        show_broken(w, &m, ahead.status);
        return;
    }
    sb_walk_field(w, &f_type, &m.type);
    if (m.type == SB_TRANSPORT_ACK) {
        sb_walk_field(w, &f_seq, &m.seq);
        sb_walk_field(w, &f_ack_flags, &m.ack_flags);
        if (m.ack_flags & SB_ACK_FRAGMENT) sb_walk_field(w, &f_frag_index, &m.frag_index);
    } else if (m.type != SB_TRANSPORT_NOOP) {
        show_sized(w, &m, ahead.left, from);
    }
}

static sb_result fill_refusal(const sb_walk *w, sb_result result, sb_refusal *refusal)
{
    if (result != SB_OK && refusal)
        *refusal = (sb_refusal){ result, w->field_at, w->field ? w->field->name : NULL };
    return result;
}

sb_result sb_show_datagram(sb_span plain, const sb_sink *sink, sb_refusal *refusal)
{
    sb_datagram datagram;
    sb_result   result = sb_decode_datagram(plain, &datagram, NULL);
    sb_walk     w = { .sink = sink };
    sb_reader_init(&w.r, plain, NULL);
    sb_walk_field(&w, &f_peer_id, &datagram.peer_id);
    sb_walk_field(&w, &f_msg_count, &datagram.msg_count);
    size_t  count = datagram.message_count + (size_t)(result != SB_OK); /* and the malformed one */
    sb_side from = datagram.peer_id == SB_PEER_HOST ? SB_SIDE_HOST : SB_SIDE_CLIENT;
    sb_walk_enter_list(&w, &f_messages, &count, count);
    for (size_t i = 0; i < count && w.r.status == SB_OK; i++) {
        sb_walk_enter_group(&w, &f_message);
        show_message(&w, from);
        sb_walk_leave(&w, &f_message);
    }
    sb_walk_leave(&w, &f_messages);
    sb_span rest;
    if (w.r.status == SB_OK && w.r.left > 0) sb_walk_field(&w, &f_rest, &rest);
    return fill_refusal(&w, w.r.status, refusal);
}

sb_result sb_show_transport_message(sb_span message, sb_side from, const sb_sink *sink,
                                    sb_refusal *refusal)
{
    sb_walk w = { .sink = sink };
    sb_reader_init(&w.r, message, NULL);
    show_message(&w, from);
    bool      whole = w.r.status == SB_OK; /* then only trailing bytes can be wrong */
    sb_result result = sb_reader_finish(&w.r);
    if (!whole || result == SB_OK) return fill_refusal(&w, result, refusal);
    if (refusal) *refusal = (sb_refusal){ result, sb_reader_at(&w.r), NULL };
    return result;
}

/* ---- building ---- */

/* Asks the source for a number; `*number` is the default and stays if the source has none. */
static void ask(sb_walk *w, const sb_field *f, uint32_t *number)
{
    if (w->w.status != SB_OK) return;
    w->field = f;
    sb_value  value = { .number = *number };
    sb_answer answer = w->source->value(w->source->self, f, &value, 0);
    if (answer == SB_REFUSED) sb_writer_fail(&w->w, SB_BAD_VALUE);
    if (answer == SB_GIVEN) *number = value.number;
}

static uint8_t ask_u8(sb_walk *w, const sb_field *f, uint8_t by_default)
{
    uint32_t number = by_default;
    ask(w, f, &number);
    return (uint8_t)number;
}

static bool ask_flag(sb_walk *w, const sb_field *f, bool by_default)
{
    uint32_t number = by_default;
    ask(w, f, &number);
    return number != 0;
}

static uint16_t ask_seq(sb_walk *w)
{
    uint32_t number = 0;
    ask(w, &f_seq, &number);
    return (uint16_t)number;
}

/* Builds the payload of a control message from its fields, or from "payload" if the
 * source has that. */
static void build_control(sb_walk *w, sb_transport_message *m, sb_side from, uint8_t *buffer,
                          size_t capacity)
{
    const sb_control_row *row = sb_find_control(m->type, from);
    sb_walk               inner = { .source = w->source };
    sb_writer_init(&inner.w, buffer, capacity);
    static const uint8_t terminator[2] = { 0, 0 };
    sb_control           control = { 0 };
    if (m->type == SB_TRANSPORT_NAME) control.name.name = (sb_span){ terminator, 2 };
    if (m->type == SB_TRANSPORT_CONNECT)
        control.connect_request.password = (sb_span){ terminator, 2 };
    sb_span bytes = { NULL, 0 };
    if (!row || w->source->has(w->source->self, &f_payload))
        sb_walk_field(&inner, &f_payload, &bytes);
    else row->walk(&inner, &control);
    if (w->source->has(w->source->self, &f_trailing)) sb_walk_field(&inner, &f_trailing, &bytes);
    if (inner.w.status != SB_OK) {
        w->field = inner.field;
        sb_writer_fail(&w->w, inner.w.status);
    }
    m->payload = (sb_span){ buffer, sb_writer_at(&inner.w) };
}

static void build_sized(sb_walk *w, sb_transport_message *m, sb_side from, uint8_t *buffer,
                        size_t capacity)
{
    bool data = m->type == SB_TRANSPORT_DATA;
    /* flags_len follows from other fields; asking lets the source accept the key. */
    (void)w->source->has(w->source->self, &f_flags_len);
    m->reliable = ask_flag(w, &f_reliable, true);
    m->priority = ask_flag(w, &f_priority, !data);
    if (data) m->fragment = ask_flag(w, &f_fragment, false);
    if (m->reliable) m->seq = ask_seq(w);
    if (m->fragment) m->frag_index = ask_u8(w, &f_frag_index, 0);
    if (m->fragment && m->frag_index == 0) m->frag_total = ask_u8(w, &f_frag_total, 2);
    if (w->w.status != SB_OK) return; /* the refusal names the first bad field */
    if (!data) {
        build_control(w, m, from, buffer, capacity);
        return;
    }
    sb_value value = { 0 };
    w->field = &f_payload;
    if (w->source->value(w->source->self, &f_payload, &value, 0) == SB_REFUSED)
        sb_writer_fail(&w->w, SB_BAD_VALUE);
    m->payload = value.bytes;
}

static void build_message(sb_walk *w, sb_side from)
{
    uint8_t              buffer[SB_CONTROL_LENGTH + 1]; /* larger than any total_len */
    sb_transport_message m = { .type = ask_u8(w, &f_type, SB_TRANSPORT_DATA) };
    if (m.type == SB_TRANSPORT_ACK) {
        m.seq = ask_seq(w);
        m.ack_flags = ask_u8(w, &f_ack_flags, 0);
        if (m.ack_flags & SB_ACK_FRAGMENT) m.frag_index = ask_u8(w, &f_frag_index, 0);
    } else if (m.type != SB_TRANSPORT_NOOP) {
        build_sized(w, &m, from, buffer, sizeof buffer);
    }
    if (w->w.status == SB_OK) sb_write_transport_message(&w->w, &m);
}

static sb_result finish(sb_walk *w, size_t *size, sb_refusal *refusal)
{
    *size = sb_writer_at(&w->w);
    if (w->w.status != SB_OK && refusal)
        *refusal =
            (sb_refusal){ w->w.status, sb_writer_at(&w->w), w->field ? w->field->name : NULL };
    return w->w.status;
}

sb_result sb_build_datagram(const sb_source *source, uint8_t *out, size_t capacity, size_t *size,
                            sb_refusal *refusal)
{
    sb_walk w = { .source = source };
    sb_writer_init(&w.w, out, capacity);
    sb_writer_write_u8(&w.w, ask_u8(&w, &f_peer_id, SB_PEER_HOST));
    size_t at_count = sb_writer_at(&w.w), count = 0;
    /* A source may give a count that differs from the number of messages. */
    bool has_count = source->has(source->self, &f_msg_count);
    sb_writer_write_u8(&w.w, has_count ? ask_u8(&w, &f_msg_count, 0) : 0);
    sb_side from = capacity > 0 && out[0] == SB_PEER_HOST ? SB_SIDE_HOST : SB_SIDE_CLIENT;
    sb_walk_enter_list(&w, &f_messages, &count, 255);
    for (size_t i = 0; i < count && w.w.status == SB_OK; i++) {
        sb_walk_enter_group(&w, &f_message);
        build_message(&w, from);
        sb_walk_leave(&w, &f_message);
    }
    sb_walk_leave(&w, &f_messages);
    if (w.w.status == SB_OK && !has_count) out[at_count] = (uint8_t)count;
    sb_span rest = { NULL, 0 };
    if (source->has(source->self, &f_rest)) sb_walk_field(&w, &f_rest, &rest);
    return finish(&w, size, refusal);
}

sb_result sb_build_transport_message(const sb_source *source, sb_side from, uint8_t *out,
                                     size_t capacity, size_t *size, sb_refusal *refusal)
{
    sb_walk w = { .source = source };
    sb_writer_init(&w.w, out, capacity);
    build_message(&w, from);
    return finish(&w, size, refusal);
}
