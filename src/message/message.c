/* src/message/message.c -- decode, encode, show and build any message by its row of the table.
 *
 * For:      everybody above; no other function in the project knows all opcodes.
 * Never:    switches over opcodes.
 */
#include "message/describe.h"
#include "message/table.h"

static const sb_message_context no_context = { 0 };

_Static_assert(sizeof(((sb_message *)0)->groups) == SB_GROUPS_MAX, "the reader's groups fit");

/* The fast reading leaves out names; on a refusal the same description is walked once more to find
 * the field it happened in. */
static SB_COLD const char *name_of_failing_field(sb_span payload, const sb_message_context *context);

static void start_reading(sb_walk *w, sb_span payload, const sb_message_context *context)
{
    w->sink = NULL;
    w->source = NULL;
    w->field = NULL;
    w->context = context ? context : &no_context;
    sb_reader_init(&w->r, payload.data, payload.size);
}

/* What is behind the last field, and how the sender grouped its booleans, if oddly. */
static sb_result take_leftovers(sb_walk *w, const sb_message_row *row, sb_message *out)
{
    if (w->r.status != SB_OK) return w->r.status;
    if (row->exact && sb_reader_left(&w->r) > 0) return SB_TRAILING;
    out->group_count = 0;
    if (SB_UNLIKELY(!sb_reader_groups_are_plain(&w->r))) {
        out->group_count = w->r.group_count;
        memcpy(out->groups, w->r.groups, w->r.group_count);
    }
    out->trailing = sb_reader_read_rest(&w->r);
    return SB_OK;
}

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
    if (!row->read) return refuse(refusal, SB_UNKNOWN_OPCODE, 0, "opcode");
    sb_walk w;
    start_reading(&w, payload, context);
    w.r.at = 1;
    out->opcode = payload.data[0];
    row->read(&w, &out->as);
    sb_result result = take_leftovers(&w, row, out);
    if (SB_LIKELY(result == SB_OK)) return SB_OK;
    const char *field = result == SB_TRAILING || !refusal ? NULL
                                                          : name_of_failing_field(payload, w.context);
    return refuse(refusal, result, w.r.at, field);
}

sb_result sb_encode_message(const sb_message *message, const sb_message_context *context,
                            uint8_t *out, size_t capacity, size_t *size)
{
    const sb_message_row *row = sb_find_row(message->opcode);
    *size = 0;
    if (!row->write) return SB_UNKNOWN_OPCODE;
    sb_walk w;
    w.sink = NULL;
    w.source = NULL;
    w.context = context ? context : &no_context;
    sb_writer_init(&w.w, out, capacity);
    if (message->group_count > 0) {
        w.w.plan = message->groups;
        w.w.plan_count = message->group_count;
    }
    sb_writer_write_u8(&w.w, message->opcode);
    row->write(&w, (void *)(uintptr_t)&message->as); /* a write only reads it */
    sb_writer_write_bytes(&w.w, message->trailing.data, message->trailing.size);
    *size = w.w.at;
    return sb_writer_finish(&w.w);
}

/* ---- sinks ---- */

static const sb_field f_trailing = { .name = "trailing", .kind = SB_KIND_BYTES };
static const sb_field f_groups = { .name = "groups", .kind = SB_KIND_BYTES };

static void show_leftovers(sb_walk *w, const sb_message *leftovers)
{
    const sb_sink *sink = w->sink;
    sb_value       value = { .bytes = leftovers->trailing };
    if (value.bytes.size > 0)
        sink->value(sink->self, &f_trailing, &value, w->r.at - value.bytes.size, value.bytes.size);
    value.bytes = (sb_span){ leftovers->groups, leftovers->group_count };
    if (value.bytes.size > 0) sink->value(sink->self, &f_groups, &value, w->r.at, 0);
}

sb_result sb_show_message(sb_span payload, const sb_message_context *context, const sb_sink *sink,
                          sb_refusal *refusal)
{
    if (payload.size == 0) return refuse(refusal, SB_TRUNCATED, 0, "opcode");
    const sb_message_row *row = sb_find_row(payload.data[0]);
    if (!row->walk) return refuse(refusal, SB_UNKNOWN_OPCODE, 0, "opcode");
    sb_message message;
    sb_walk    w;
    start_reading(&w, payload, context);
    w.sink = sink;
    w.r.at = 1;
    row->walk(&w, &message.as);
    sb_result result = take_leftovers(&w, row, &message);
    if (result != SB_OK)
        return refuse(refusal, result, w.r.at, w.field && result != SB_TRAILING ? w.field->name : NULL);
    show_leftovers(&w, &message);
    return SB_OK;
}

static void see_nothing(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    (void)self, (void)f, (void)v, (void)at, (void)size;
}

static void bracket_nothing(void *self, const sb_field *f)
{
    (void)self, (void)f;
}

static const char *name_of_failing_field(sb_span payload, const sb_message_context *context)
{
    static const sb_sink blind = { NULL, see_nothing, bracket_nothing, bracket_nothing };
    sb_refusal           again = { SB_OK, 0, NULL };
    (void)!sb_show_message(payload, context, &blind, &again);
    return again.field;
}

/* ---- sources ---- */

static void set_defaults(const sb_message_row *row, sb_message *m)
{
    memset(m, 0, sizeof *m);
    m->opcode = row->type.opcode;
    if (row->event_class) {
        m->as.event.event_class = row->event_class;
        m->as.event.event_code = row->event_code;
        return;
    }
    static const sb_mission_init no_limits = { 8, 1, 0xFF, 0xFF, 0 };
    if (row->walk == sb_walk_mission_init) m->as.mission_init = no_limits;
    if (row->walk == sb_walk_score_init) m->as.score.team = 0xFF;
    if (row->walk == sb_walk_torpedo_fire || row->walk == sb_walk_pulse_fire)
        m->as.torpedo_fire.projectile_type = 2; /* same place in both: photon, spec 08 §14.3 */
    if (row->walk == sb_walk_object_create || row->walk == sb_walk_player_object_create) {
        m->as.object_create.class_id = SB_CLASS_SHIP;
        m->as.object_create.orientation.w = 1;
    }
}

/* The sender's odd group bytes, when the source has them. */
static sb_result take_groups(const sb_source *source, sb_message *m, sb_writer *w)
{
    if (!source->has(source->self, &f_groups)) return SB_OK;
    sb_value value = { 0 };
    if (source->value(source->self, &f_groups, &value, 0) != SB_GIVEN) return SB_BAD_VALUE;
    if (value.bytes.size > sizeof m->groups || value.bytes.size == 0) return SB_BAD_VALUE;
    for (size_t i = 0; i < value.bytes.size; i++)
        if (value.bytes.data[i] >> 5 > 5) return SB_BAD_VALUE;
    memcpy(m->groups, value.bytes.data, value.bytes.size);
    w->plan = m->groups;
    w->plan_count = (uint8_t)value.bytes.size;
    return SB_OK;
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
    if (take_groups(source, &message, &w.w) != SB_OK)
        return refuse(refusal, SB_BAD_VALUE, 0, f_groups.name);
    row->walk(&w, &message.as);
    if (source->has(source->self, &f_trailing))
        sb_walk_field(&w, &f_trailing, &message.trailing, 0);
    *size = w.w.at;
    if (w.w.status != SB_OK) return refuse(refusal, w.w.status, w.w.at, w.field ? w.field->name : NULL);
    return SB_OK;
}
