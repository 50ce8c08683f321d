/* src/inspect/undecoded.c -- finds bytes that were accepted but have no known meaning.
 *
 * Tests:    tests/inspect/stats_test.c, tests/apps/decode_test.py
 */
#include "inspect/undecoded.h"

#include "inspect/show.h"
#include "message/describe.h"
#include "message/table.h"

sb_span sb_message_opaque_bytes(const sb_message *m)
{
    const sb_message_row *row = sb_find_row(m->opcode);
    const sb_span         none = { NULL, 0 };
    if (row->type.relay == SB_RELAY_STATE) return m->as.state_update.block;
    if (row->type.relay == SB_RELAY_CONFIGURABLE)
        return none; /* the content of mod messages is never decoded */
    if (row->event_class != 0) {
        bool known = sb_find_name(sb_event_class_names(), m->as.event.event_class) != NULL;
        return known ? none : m->as.event.extension;
    }
    if (m->opcode != SB_OP_OBJECT_CREATE && m->opcode != SB_OP_PLAYER_OBJECT_CREATE) return none;
    return m->as.object_create.snapshot_known ? none : m->as.object_create.opaque;
}

static bool is_message_understood(const sb_message *m)
{
    return sb_message_opaque_bytes(m).size == 0 && m->trailing.size == 0;
}

static bool is_payload_understood(const sb_transport_message *m, const sb_message_context *context)
{
    sb_message message;
    if (m->type != SB_TRANSPORT_DATA || m->fragment || m->payload.size == 0) return true;
    if (sb_decode_message(m->payload, context, &message, NULL) != SB_OK) return false;
    return is_message_understood(&message);
}

bool sb_record_is_understood(const sb_record *r)
{
    sb_datagram          datagram;
    sb_transport_message m;
    if (r->result != SB_OK) return false;
    if (r->layer == SB_LAYER_MESSAGE) return !r->message || is_message_understood(r->message);
    if (r->layer != SB_LAYER_DATAGRAM && r->layer != SB_LAYER_PLAIN) return true;
    if (sb_decode_datagram(sb_record_shown_bytes(r), &datagram, NULL) != SB_OK) return false;
    for (size_t at = 0; sb_datagram_next(&datagram, &at, &m);)
        if (!is_payload_understood(&m, &r->context)) return false;
    return true;
}
