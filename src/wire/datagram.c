/* src/wire/datagram.c -- datagram framing: splits, checks and assembles transport messages.
 *
 * For:      both directions of every game datagram.
 * Never:    looks into a payload; the control payloads are in control.c.
 * Spec:     01 §3, §4.2 to §4.4, §4.7, §4.11.
 *
 * A datagram, decrypted:
 *
 *      0         1           2
 *     +---------+-----------+---------+---------+--
 *     | peer_id | msg_count | message | message | ...    back to back, msg_count of them
 *     +---------+-----------+---------+---------+--
 *
 * A Data message (type 0x32). An absent field takes no space, so the payload starts at 3
 * (unreliable), 5 (reliable), 7 (first fragment) or 6 (later fragment):
 *
 *      0        1      2      3      4      5            6            7
 *     +--------+------+------+------+------+------------+------------+-----------
 *     | 0x32   |  flags_len  |     seq     | frag_index | frag_total | payload
 *     +--------+------+------+------+------+------------+------------+-----------
 *                             only if        only if      only if frag_index
 *                             reliable       fragment     is present and 0
 *
 * A control message (types 0x00 Name, 0x03 Connect, 0x04 Boot, 0x05 Disconnect) is never a
 * fragment. Stock peers send every control message as reliable:
 *
 *     +--------+------+------+------+------+-----------
 *     | type   |  flags_len  |     seq     | payload
 *     +--------+------+------+------+------+-----------
 *                             only if reliable
 *
 * Ack and NoOp have a layout of their own:
 *
 *     +--------+------+------+--------+------------+
 *     | 0x01   |     seq     | flags  | frag_index |    Ack; frag_index only with flags bit 0
 *     +--------+------+------+--------+------------+
 *     | 0x02   |                                       NoOp
 *     +--------+
 *
 * The bits of flags_len, a u16 (low byte first). total_len counts all bytes of the message, from
 * the type on:
 *
 *       15         14         13         12 .. 0
 *     +----------+----------+----------+----------------------+
 *     | reliable | priority | fragment | total_len            |      Data
 *     +----------+----------+----------+----------------------+
 *     | reliable | priority | total_len (14 bits)             |      control messages
 *     +----------+----------+---------------------------------+
 */
#include <starbase/datagram.h>

#include "wire/datagram_internal.h"
#include "wire/walk.h"

bool sb_transport_type_is_control(uint8_t type)
{
    return type <= SB_TRANSPORT_DISCONNECT && type != SB_TRANSPORT_ACK && type != SB_TRANSPORT_NOOP;
}

static void parse_ack(sb_reader *r, sb_transport_message *m)
{
    m->seq = sb_reader_read_u16(r);
    m->ack_flags = sb_reader_read_u8(r);
    if (m->ack_flags & SB_ACK_FRAGMENT) m->frag_index = sb_reader_read_u8(r);
}

/* Fails at the field of `bytes` bytes that was read last, so that the refusal points to it. */
static void refuse_field(sb_reader *r, size_t bytes, sb_result why)
{
    if (r->status == SB_OK) r->next -= bytes;
    sb_reader_fail(r, why);
}

/* A first fragment announces at least two fragments: spec 01 §4.11 rule 4. */
static void parse_fragment(sb_reader *r, sb_transport_message *m)
{
    m->frag_index = sb_reader_read_u8(r);
    if (m->frag_index != 0 || r->status != SB_OK) return;
    m->frag_total = sb_reader_read_u8(r);
    if (m->frag_total < 2) refuse_field(r, 1, SB_BAD_VALUE);
}

/* Parses a message with flags_len. total_len must cover the message's own header (rule 2). */
static void parse_sized(sb_reader *r, sb_transport_message *m)
{
    size_t   available = r->left + 1; /* bytes of the datagram from the type byte on */
    uint16_t flags_len = sb_reader_read_u16(r);
    bool     data = m->type == SB_TRANSPORT_DATA;
    size_t   total = flags_len & (data ? SB_DATA_LENGTH : SB_CONTROL_LENGTH);
    m->reliable = flags_len & SB_FLAG_RELIABLE;
    m->priority = flags_len & SB_FLAG_PRIORITY;
    m->fragment = data && flags_len & SB_FLAG_FRAGMENT;
    if (r->status != SB_OK) return;
    if (total < 3 || total > available) {
        refuse_field(r, 2, total < 3 ? SB_BAD_VALUE : SB_TRUNCATED);
        return;
    }
    if (m->fragment && !m->reliable) {
        refuse_field(r, 2, SB_BAD_VALUE);
        return;
    }
    r->left = total - 3; /* the header must lie inside total_len */
    if (m->reliable) m->seq = sb_reader_read_u16(r);
    if (m->fragment) parse_fragment(r, m);
    m->payload = sb_reader_read_rest(r);
    if (r->status == SB_OK) r->left = available - total;
}

sb_parsed sb_parse_transport_message(sb_reader *r, sb_transport_message *m)
{
    sb_reader_mark start = sb_reader_marked(r);
    *m = (sb_transport_message){ .type = sb_reader_read_u8(r) };
    if (r->status != SB_OK) return SB_PARSED_BAD;
    if (m->type == SB_TRANSPORT_ACK) {
        parse_ack(r, m);
    } else if (sb_transport_type_is_control(m->type) || m->type == SB_TRANSPORT_DATA) {
        parse_sized(r, m);
    } else if (m->type != SB_TRANSPORT_NOOP) {
        sb_reader_return(r, &start);
        return SB_PARSED_UNKNOWN;
    }
    return r->status == SB_OK ? SB_PARSED_OK : SB_PARSED_BAD;
}

static void count_ack(sb_datagram *d, const sb_transport_message *m)
{
    bool later = (int16_t)(uint16_t)(m->seq - d->latest_ack) > 0;
    if (m->ack_flags & SB_ACK_LOW_CHANNEL) {
        d->kinds |= SB_HAS_LOW_ACK;
        return;
    }
    if (later || !(d->kinds & SB_HAS_ACK)) d->latest_ack = m->seq;
    d->kinds |= SB_HAS_ACK;
}

static unsigned kind_of(const sb_transport_message *m)
{
    if (m->type == SB_TRANSPORT_DATA) return SB_HAS_DATA;
    if (m->type == SB_TRANSPORT_NOOP) return SB_HAS_NOOP;
    bool farewell = m->type == SB_TRANSPORT_BOOT || m->type == SB_TRANSPORT_DISCONNECT;
    return farewell ? SB_HAS_FAREWELL : SB_HAS_CONTROL;
}

static void count_message(sb_datagram *d, const sb_transport_message *m)
{
    d->message_count++;
    if (m->type == SB_TRANSPORT_ACK) {
        count_ack(d, m);
        return;
    }
    d->kinds |= (uint8_t)kind_of(m);
    d->reliable_count = (uint8_t)(d->reliable_count + m->reliable);
}

sb_result sb_decode_datagram(sb_span plain, sb_datagram *out, sb_refusal *refusal)
{
    sb_reader r;
    sb_reader_init(&r, plain, NULL);
    *out = (sb_datagram){ 0 };
    out->peer_id = sb_reader_read_u8(&r);
    out->msg_count = sb_reader_read_u8(&r);
    const uint8_t *first = r.next;
    sb_parsed      parsed = SB_PARSED_OK;
    for (unsigned i = 0; i < out->msg_count && parsed == SB_PARSED_OK; i++) {
        sb_transport_message message;
        parsed = sb_parse_transport_message(&r, &message);
        if (parsed != SB_PARSED_OK) break;
        count_message(out, &message);
    }
    if (r.status != SB_OK) {
        if (refusal) *refusal = (sb_refusal){ r.status, sb_reader_at(&r), NULL };
        return r.status;
    }
    out->unknown_type = parsed == SB_PARSED_UNKNOWN;
    out->messages = (sb_span){ first, (size_t)(r.next - first) };
    out->rest = sb_reader_read_rest(&r);
    return SB_OK;
}

bool sb_datagram_next(const sb_datagram *datagram, size_t *at, sb_transport_message *out)
{
    if (*at >= datagram->messages.size) return false;
    sb_reader r;
    sb_reader_init(&r, datagram->messages, NULL);
    sb_reader_skip(&r, *at);
    if (sb_parse_transport_message(&r, out) != SB_PARSED_OK) return false;
    *at = sb_reader_at(&r);
    return true;
}

static size_t header_bytes(const sb_transport_message *m)
{
    if (m->type == SB_TRANSPORT_NOOP) return 1;
    if (m->type == SB_TRANSPORT_ACK) return m->ack_flags & SB_ACK_FRAGMENT ? 5 : 4;
    size_t bytes = m->reliable ? 5 : 3;
    if (m->fragment) bytes += m->frag_index == 0 ? 2 : 1;
    return bytes;
}

static bool has_payload(const sb_transport_message *m)
{
    return m->type != SB_TRANSPORT_NOOP && m->type != SB_TRANSPORT_ACK;
}

size_t sb_transport_message_bytes(const sb_transport_message *m)
{
    return header_bytes(m) + (has_payload(m) ? m->payload.size : 0);
}

static bool is_sendable(const sb_transport_message *m)
{
    bool data = m->type == SB_TRANSPORT_DATA;
    if (!has_payload(m)) return true;
    if (!data && !sb_transport_type_is_control(m->type)) return false;
    if (m->fragment && (!data || !m->reliable)) return false;
    if (m->fragment && m->frag_index == 0 && m->frag_total < 2) return false;
    return m->payload.size <= SB_CONTROL_LENGTH &&
           sb_transport_message_bytes(m) <= (data ? SB_DATA_LENGTH : SB_CONTROL_LENGTH);
}

static void write_sized(sb_writer *w, const sb_transport_message *m)
{
    unsigned flags_len = (unsigned)sb_transport_message_bytes(m);
    if (m->reliable) flags_len |= SB_FLAG_RELIABLE;
    if (m->priority) flags_len |= SB_FLAG_PRIORITY;
    if (m->fragment) flags_len |= SB_FLAG_FRAGMENT;
    sb_writer_write_u16(w, (uint16_t)flags_len);
    if (m->reliable) sb_writer_write_u16(w, m->seq);
    if (m->fragment) sb_writer_write_u8(w, m->frag_index);
    if (m->fragment && m->frag_index == 0) sb_writer_write_u8(w, m->frag_total);
    sb_writer_write_bytes(w, m->payload.data, m->payload.size);
}

void sb_write_transport_message(sb_writer *w, const sb_transport_message *m)
{
    if (!is_sendable(m)) sb_writer_fail(w, SB_BAD_VALUE);
    sb_writer_write_u8(w, m->type);
    if (m->type == SB_TRANSPORT_ACK) {
        sb_writer_write_u16(w, m->seq);
        sb_writer_write_u8(w, m->ack_flags);
        if (m->ack_flags & SB_ACK_FRAGMENT) sb_writer_write_u8(w, m->frag_index);
    } else if (has_payload(m)) {
        write_sized(w, m);
    }
}

void sb_datagram_writer_init(sb_datagram_writer *w, uint8_t *data, size_t capacity, uint8_t peer_id)
{
    SB_ASSERT(capacity >= 2);
    *w = (sb_datagram_writer){ data, capacity, 2 };
    data[0] = peer_id;
    data[1] = 0;
}

sb_result sb_datagram_writer_add(sb_datagram_writer *w, const sb_transport_message *message)
{
    SB_ASSERT(w->size <= w->capacity);
    if (w->data[1] == 0xFF) return SB_FULL;
    sb_writer out;
    sb_writer_init(&out, w->data + w->size, w->capacity - w->size);
    sb_write_transport_message(&out, message);
    if (out.status != SB_OK) return out.status;
    w->size += sb_writer_at(&out);
    w->data[1]++;
    return SB_OK;
}
