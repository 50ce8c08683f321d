/* src/message/message.c -- decodes, encodes, shows and builds any message by its row of the table.
 *
 * For:      starbase/message.h.
 * Never:    switches over opcodes.
 */
#include "message/definition.h"
#include "message/describe.h"
#include "message/table.h"

static const sb_message_context no_context = { 0 };

_Static_assert(sizeof(((sb_message *)0)->groups) == SB_GROUPS_MAX,
               "sb_message keeps all group bytes of the reader");

static sb_result refuse(sb_refusal *refusal, sb_result why, size_t at, const char *field)
{
    if (refusal) *refusal = (sb_refusal){ why, at, field };
    return why;
}

sb_result sb_decode_message(sb_span payload, const sb_message_context *context, sb_message *out,
                            sb_refusal *refusal)
{
    if (payload.size == 0) return refuse(refusal, SB_TRUNCATED, 0, "opcode");
    const sb_message_row *row = sb_find_row(payload.data[0]);
    if (!row->decode) return refuse(refusal, SB_UNKNOWN_OPCODE, 0, "opcode");
    out->opcode = payload.data[0];
    return row->decode(payload, context ? context : &no_context, out, refusal);
}

sb_result sb_encode_message(const sb_message *message, const sb_message_context *context,
                            uint8_t *out, size_t capacity, size_t *size)
{
    const sb_message_row *row = sb_find_row(message->opcode);
    *size = 0;
    if (!row->encode) return SB_UNKNOWN_OPCODE;
    return row->encode(message, context ? context : &no_context, out, capacity, size);
}

/* ---- sinks ---- */

static const sb_field f_trailing = { SB_FIELD_NAME("trailing"), .kind = SB_KIND_BYTES };
static const sb_field f_groups = { SB_FIELD_NAME("groups"), .kind = SB_KIND_BYTES };

static void show_leftovers(const sb_sink *sink, const sb_message *leftovers, size_t size)
{
    sb_value value = { .bytes = leftovers->trailing };
    if (value.bytes.size > 0)
        sink->value(sink->self, &f_trailing, &value, size - value.bytes.size, value.bytes.size);
    value.bytes = (sb_span){ leftovers->groups, leftovers->group_count };
    if (value.bytes.size > 0) sink->value(sink->self, &f_groups, &value, size, 0);
}

/* Walks the message by its definition if it has one that fits, else by its description. */
static void show_walk(sb_walk *w, const sb_message_row *row, sb_span payload, sb_message *message)
{
    const sb_message_context *context = w->context;
    const sb_definition      *d = sb_definition_of(context, row->type.opcode);
    sb_refusal                why = { SB_OK, 0, NULL };
    if (d && sb_definition_fits(d, payload, &why)) {
        sb_walk_definition(w, d);
        return;
    }
    row->walk(w, &message->as);
    if (d && w->r.status == SB_OK) sb_show_definition_misfit(w, d, &why);
}

sb_result sb_show_message(sb_span payload, const sb_message_context *context, const sb_sink *sink,
                          sb_refusal *refusal)
{
    if (payload.size == 0) return refuse(refusal, SB_TRUNCATED, 0, "opcode");
    const sb_message_row *row = sb_find_row(payload.data[0]);
    if (!row->walk) return refuse(refusal, SB_UNKNOWN_OPCODE, 0, "opcode");
    sb_message message;
    memset(&message, 0, sizeof message); /* fields that are not reached are zero */
    sb_walk w = { .sink = sink, .context = context ? context : &no_context };
    sb_reader_init(&w.r, payload, message.groups);
    sb_reader_skip(&w.r, 1);
    show_walk(&w, row, payload, &message);
    if (w.r.status != SB_OK)
        return refuse(refusal, w.r.status, w.field_at, w.field ? w.field->name : NULL);
    sb_keep_leftovers(&w.r, &message);
    show_leftovers(sink, &message, payload.size);
    return SB_OK;
}

static void ignore_value(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    (void)self, (void)f, (void)v, (void)at, (void)size;
}

static void ignore_bracket(void *self, const sb_field *f)
{
    (void)self, (void)f;
}

sb_result sb_explain_refusal(sb_span payload, const sb_message_context *context,
                             sb_refusal *refusal)
{
    static const sb_sink no_sink = { NULL, ignore_value, ignore_bracket, ignore_bracket };
    sb_refusal           unused;
    sb_result again = sb_show_message(payload, context, &no_sink, refusal ? refusal : &unused);
    SB_ASSERT(again != SB_OK);
    return again;
}

/* ---- sources ---- */

static void set_defaults(const sb_message_row *row, sb_message *m)
{
    memset(m, 0, sizeof *m);
    if (row->event_class) {
        m->as.event.event_class = row->event_class;
        m->as.event.event_code = row->event_code;
    }
    static const sb_mission_init no_limits = { 8, 1, 0xFF, 0xFF, 0 };
    if (row->walk == sb_walk_mission_init) m->as.mission_init = no_limits;
    if (row->walk == sb_walk_score_init) m->as.score.team = 0xFF;
    if (row->walk == sb_walk_torpedo_fire || row->walk == sb_walk_pulse_fire)
        m->as.torpedo_fire.projectile_type = 2; /* photon (spec 08 §14.3); same offset in both */
    if (row->walk == sb_walk_object_create || row->walk == sb_walk_player_object_create) {
        m->as.object_create.class_id = SB_CLASS_SHIP;
        m->as.object_create.orientation.w = 1;
    }
}

/* Makes the writer reproduce the group bytes that the source gives, if any. False: they are no
 * group bytes. */
static bool read_groups(const sb_source *source, sb_message *m, sb_writer *w)
{
    if (!source->has(source->self, &f_groups)) return true;
    sb_value value = { 0 };
    if (source->value(source->self, &f_groups, &value, 0) != SB_GIVEN) return false;
    if (value.bytes.size > sizeof m->groups || value.bytes.size == 0) return false;
    for (size_t i = 0; i < value.bytes.size; i++)
        if (value.bytes.data[i] >> 5 > 5) return false;
    memcpy(m->groups, value.bytes.data, value.bytes.size);
    w->plan = m->groups;
    w->plan_count = (uint8_t)value.bytes.size;
    return true;
}

sb_result sb_build_message(uint8_t opcode, const sb_message_context *context,
                           const sb_source *source, uint8_t *out, size_t capacity, size_t *size,
                           sb_refusal *refusal)
{
    const sb_message_row *row = sb_find_row(opcode);
    *size = 0;
    if (!row->walk) return refuse(refusal, SB_UNKNOWN_OPCODE, 0, "opcode");
    sb_message message;
    set_defaults(row, &message);
    sb_walk w = { .source = source, .context = context ? context : &no_context };
    sb_writer_init(&w.w, out, capacity);
    sb_writer_write_u8(&w.w, opcode);
    if (!read_groups(source, &message, &w.w))
        return refuse(refusal, SB_BAD_VALUE, 0, f_groups.name);
    const sb_definition *d = sb_definition_of(w.context, opcode);
    if (d && !sb_definition_is_bypassed(source)) sb_walk_definition(&w, d);
    else row->walk(&w, &message.as);
    if (source->has(source->self, &f_trailing)) {
        sb_walk_field(&w, &f_trailing, &message.trailing);
        if (w.exact && message.trailing.size > 0) sb_writer_fail(&w.w, SB_BAD_VALUE);
    }
    *size = sb_writer_at(&w.w);
    if (w.w.status != SB_OK)
        return refuse(refusal, w.w.status, w.field_at, w.field ? w.field->name : NULL);
    return SB_OK;
}
