/* src/inspect/split.c -- splits a datagram into a record per message.
 *
 * Tests:    tests/inspect/render_test.c
 */
#include "inspect/split.h"

#include "inspect/show.h"

/* Makes the record of one message, whose transport header and payload are `bytes`. */
static sb_record part_of(const sb_record *whole, const sb_transport_message *m, sb_span bytes,
                         sb_message *buffer)
{
    sb_record r = *whole;
    r.has_transport = true;
    r.transport = *m;
    r.layer = SB_LAYER_TRANSPORT;
    r.bytes = bytes;
    r.result = SB_OK;
    if (m->type != SB_TRANSPORT_DATA || m->fragment || m->payload.size == 0) return r;
    r.layer = SB_LAYER_MESSAGE;
    r.bytes = m->payload;
    sb_record_decode(&r, buffer);
    return r;
}

/* Reports `whole` if bytes follow its last message or it has no message; its refusal says which. */
static void report_rest(const sb_record *whole, const sb_datagram *datagram, uint64_t number,
                        const sb_record_sink *sink)
{
    sb_record r = *whole;
    if (datagram->rest.size == 0 && datagram->message_count > 0) return;
    r.number = number;
    sink->record(sink->self, &r);
}

void sb_record_split(const sb_record *whole, sb_message *buffer, const sb_record_sink *sink)
{
    sb_datagram          datagram;
    sb_transport_message m;
    uint64_t             number = whole->number;
    if (sb_decode_datagram(sb_record_shown_bytes(whole), &datagram, NULL) != SB_OK) {
        sink->record(sink->self, whole);
        return;
    }
    size_t at = 0;
    for (size_t start = 0; sb_datagram_next(&datagram, &at, &m); start = at) {
        sb_record r =
            part_of(whole, &m, (sb_span){ datagram.messages.data + start, at - start }, buffer);
        r.number = number++;
        sink->record(sink->self, &r);
    }
    report_rest(whole, &datagram, number, sink);
}
