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

/* Why and where a message cannot be read. */
typedef struct fault {
    sb_result why; /* SB_OK: the type is undefined */
    size_t    at;  /* from the type byte on */
} fault;

/* Messages have at least one byte: a size of 0 stands for one that cannot be read. */
static SB_ALWAYS_INLINE size_t refuse_at(fault *f, sb_result why, size_t at)
{
    *f = (fault){ why, at };
    return 0;
}

static SB_ALWAYS_INLINE void count_ack(sb_datagram *d, const sb_transport_message *m)
{
    bool later = (int16_t)(uint16_t)(m->seq - d->latest_ack) > 0;
    if (m->ack_flags & SB_ACK_LOW_CHANNEL) {
        d->kinds |= SB_HAS_LOW_ACK;
        return;
    }
    if (later || !(d->kinds & SB_HAS_ACK)) d->latest_ack = m->seq;
    d->kinds |= SB_HAS_ACK;
}

/* At least three bytes are left, as for the other readers but read_short. */
static SB_ALWAYS_INLINE size_t read_ack(const uint8_t *p, size_t left, sb_transport_message *m,
                                        sb_datagram *d, fault *f)
{
    if (SB_UNLIKELY(left < 4)) return refuse_at(f, SB_TRUNCATED, 3);
    bool fragment = p[3] & SB_ACK_FRAGMENT;
    if (SB_UNLIKELY(fragment && left < 5)) return refuse_at(f, SB_TRUNCATED, 4);
    m->seq = sb_load_u16(p + 1);
    m->ack_flags = p[3];
    if (fragment) m->frag_index = p[4];
    count_ack(d, m);
    return fragment ? 5 : 4;
}

/* Returns the size of the header. A first fragment announces at least two fragments: spec 01 §4.11
 * rule 4. */
static SB_ALWAYS_INLINE size_t read_fragment(const uint8_t *p, size_t total,
                                             sb_transport_message *m, fault *f)
{
    if (total < 6) return refuse_at(f, SB_TRUNCATED, 5);
    m->frag_index = p[5];
    if (m->frag_index != 0) return 6;
    if (total < 7) return refuse_at(f, SB_TRUNCATED, 6);
    m->frag_total = p[6];
    return m->frag_total < 2 ? refuse_at(f, SB_BAD_VALUE, 6) : 7;
}

static SB_ALWAYS_INLINE void set_flags(sb_transport_message *m, size_t flags)
{
    m->reliable = flags & SB_FLAG_RELIABLE;
    m->priority = flags & SB_FLAG_PRIORITY;
    m->fragment = flags & SB_FLAG_FRAGMENT;
}

/* Reads what the flags announce and returns the size of the header, which must lie inside total_len
 * (rule 2). */
static SB_ALWAYS_INLINE size_t read_flagged(const uint8_t *p, size_t total, size_t flags,
                                            sb_transport_message *m, sb_datagram *d, fault *f)
{
    set_flags(m, flags);
    if (!m->reliable) return m->fragment ? refuse_at(f, SB_BAD_VALUE, 1) : 3;
    if (total < 5) return refuse_at(f, SB_TRUNCATED, 3);
    m->seq = sb_load_u16(p + 3);
    d->reliable_count++;
    return m->fragment ? read_fragment(p, total, m, f) : 5;
}

/* Reads a message with flags_len; `length`: its bits of total_len. */
static SB_ALWAYS_INLINE size_t read_sized(const uint8_t *p, size_t left, const size_t length,
                                          sb_transport_message *m, sb_datagram *d, fault *f)
{
    const size_t flags_len = sb_load_u16(p + 1);
    const size_t total = flags_len & length, flags = flags_len & ~length;
    size_t       header = 3;
    if (SB_UNLIKELY(total > left || total < 3)) {
        set_flags(m, flags);
        return refuse_at(f, total < 3 ? SB_BAD_VALUE : SB_TRUNCATED, 1);
    }
    if (flags != 0) {
        header = read_flagged(p, total, flags, m, d, f);
        if (SB_UNLIKELY(header == 0)) return 0;
    }
    m->payload = (sb_span){ p + header, total - header };
    return total;
}

static SB_ALWAYS_INLINE uint8_t kind_of_control(uint8_t type)
{
    bool farewell = type == SB_TRANSPORT_BOOT || type == SB_TRANSPORT_DISCONNECT;
    return farewell ? SB_HAS_FAREWELL : SB_HAS_CONTROL;
}

static SB_ALWAYS_INLINE bool is_defined_type(uint8_t type)
{
    return type <= SB_TRANSPORT_DISCONNECT || type == SB_TRANSPORT_DATA;
}

/* Reads a message of which less than three bytes are left: only a NoOp is as short. */
static SB_ALWAYS_INLINE size_t read_short(const uint8_t *p, size_t left, sb_transport_message *m,
                                          sb_datagram *d, fault *f)
{
    if (left == 0) return refuse_at(f, SB_TRUNCATED, 0);
    m->type = p[0];
    if (!is_defined_type(p[0])) return refuse_at(f, SB_OK, 0);
    if (p[0] != SB_TRANSPORT_NOOP) return refuse_at(f, SB_TRUNCATED, 1);
    d->kinds |= SB_HAS_NOOP;
    return 1;
}

/* Reads one message, counts it in `d` and returns its size; 0: it is malformed or of an undefined
 * type, as `f` says. `m` then has its type and its flags, if they could be read. */
static SB_ALWAYS_INLINE size_t read_message(const uint8_t *p, size_t left, sb_transport_message *m,
                                            sb_datagram *d, fault *f)
{
    *m = (sb_transport_message){ 0 };
    if (SB_UNLIKELY(left < 3)) return read_short(p, left, m, d, f);
    const uint8_t type = m->type = p[0];
    if (SB_LIKELY(type == SB_TRANSPORT_DATA)) {
        d->kinds |= SB_HAS_DATA;
        return read_sized(p, left, SB_DATA_LENGTH, m, d, f);
    }
    if (type == SB_TRANSPORT_ACK) return read_ack(p, left, m, d, f);
    if (!is_defined_type(type) || type == SB_TRANSPORT_NOOP) return read_short(p, left, m, d, f);
    d->kinds |= kind_of_control(type);
    return read_sized(p, left, SB_CONTROL_LENGTH, m, d, f);
}

sb_parsed sb_parse_transport_message(sb_reader *r, sb_transport_message *m)
{
    sb_datagram unused = { 0 };
    fault       f;
    size_t      size = read_message(r->next, r->left, m, &unused, &f);
    if (size > 0) {
        sb_reader_skip(r, size);
        return SB_PARSED_OK;
    }
    if (f.why == SB_OK) return SB_PARSED_UNKNOWN;
    r->next += f.at;
    sb_reader_fail(r, f.why);
    return SB_PARSED_BAD;
}

static SB_COLD sb_result refuse_datagram(sb_datagram *out, sb_refusal *refusal, sb_result why,
                                         size_t at)
{
    out->messages = out->rest = (sb_span){ NULL, 0 };
    if (refusal) *refusal = (sb_refusal){ why, at, NULL };
    return why;
}

static SB_COLD sb_result refuse_header(sb_span plain, sb_datagram *out, sb_refusal *refusal)
{
    *out = (sb_datagram){ .peer_id = plain.size > 0 ? plain.data[0] : 0,
                          .msg_count = plain.size > 1 ? plain.data[1] : 0 };
    return plain.size < 2 ? refuse_datagram(out, refusal, SB_TRUNCATED, plain.size)
                          : refuse_datagram(out, refusal, SB_FULL, 1);
}

/* Sets what is known before the first message is read. */
static SB_ALWAYS_INLINE void start_datagram(const uint8_t *data, sb_datagram *out)
{
    out->peer_id = data[0];
    out->msg_count = data[1];
    out->kinds = out->reliable_count = 0;
    out->latest_ack = 0;
    out->messages.data = data + 2;
}

/* Reads the messages into the array `m`; all of them into its first element if `step` is 0. */
static SB_ALWAYS_INLINE sb_result parse_datagram(sb_span plain, sb_transport_message *m,
                                                 const size_t step, size_t capacity,
                                                 sb_datagram *out, sb_refusal *refusal)
{
    if (SB_UNLIKELY(plain.size < 2 || plain.data[1] > capacity))
        return refuse_header(plain, out, refusal);
    const uint8_t *next = plain.data + 2;
    const unsigned wanted = plain.data[1];
    size_t         left = plain.size - 2;
    unsigned       count = 0;
    fault          f = { SB_OK, 0 };
    start_datagram(plain.data, out);
    for (; count < wanted; count++, m += step) {
        size_t size = read_message(next, left, m, out, &f);
        if (SB_UNLIKELY(size == 0)) break;
        next += size;
        left -= size;
    }
    out->message_count = (uint8_t)count;
    out->unknown_type = count < wanted;
    out->messages.size = (size_t)(next - out->messages.data);
    out->rest = (sb_span){ next, left };
    if (SB_LIKELY(f.why == SB_OK)) return SB_OK;
    return refuse_datagram(out, refusal, f.why, 2 + out->messages.size + f.at);
}

sb_result sb_decode_datagram(sb_span plain, sb_datagram *out, sb_refusal *refusal)
{
    sb_transport_message unused;
    return parse_datagram(plain, &unused, 0, SB_DATAGRAM_MESSAGES_MAX, out, refusal);
}

sb_result sb_parse_datagram(sb_span plain, sb_transport_message *messages, size_t capacity,
                            sb_datagram *out, sb_refusal *refusal)
{
    return parse_datagram(plain, messages, 1, capacity, out, refusal);
}

bool sb_datagram_next(const sb_datagram *datagram, size_t *at, sb_transport_message *out)
{
    sb_datagram unused = { 0 };
    fault       f;
    if (*at >= datagram->messages.size) return false;
    size_t size = read_message(datagram->messages.data + *at, datagram->messages.size - *at, out,
                               &unused, &f);
    *at += size;
    return size > 0;
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
