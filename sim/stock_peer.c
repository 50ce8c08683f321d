/* sim/stock_peer.c -- one end of a stock session: queues, Acks, windows, fragments.
 *
 * For:      stock_peer.h.
 * Never:    includes anything of src/transport; it shares only the framing and the cipher.
 * Spec:     01 §4.5, §6.2-§6.7, §7, §8.2.
 */
#include "sim/stock_peer.h"

#include <starbase/cipher.h>

#include "base/assert.h"
#include "base/time.h"

#include <stdlib.h>
#include <string.h>

enum {
    ACK_INTERVAL_US = 667000,     /* §6.5 */
    ACKS_ALONE = 3,               /* first sends of an Ack, which need no other message (D1, D2) */
    ACKS_IN_ALL = 9,              /* sends of an Ack (D1) */
    BACK_OFF_CAP = 5,             /* §6.5: 1, 2, 3, 4, 5, 5 ... s */
    FRAGMENT_REPEAT_US = 2000000, /* D3 */
    WINDOW = 0x4000,              /* §6.3 */
};

void sim_stock_defaults(sim_stock_options *options, sb_time tick_us)
{
    *options = (sim_stock_options){
        .tick_us = tick_us,
        .keepalive_us = 5 * SB_SECOND,
        .timeout_us = 45 * SB_SECOND,
        .lifetime_us = 360 * SB_SECOND,
        .leave_us = 4200000,
        .nine_acks = true,
        .acks_wait = true,
        .endless_fragments = true,
        .reversed_priority = true,
        .early_acks = true,
        .believes_anyone = true,
        .stops_at_unknown = true,
    };
}

/* ---- Lists -------------------------------------------------------------------------------- */

static sim_stock_entry *new_entry(const sb_transport_message *message)
{
    size_t           size = message->payload.size;
    sim_stock_entry *entry = calloc(1, sizeof *entry + size);
    SB_ASSERT(entry != NULL);
    entry->message = *message;
    if (size > 0) memcpy(entry->bytes, message->payload.data, size);
    entry->message.payload = (sb_span){ entry->bytes, size };
    return entry;
}

static void append(sim_stock_entry **list, sim_stock_entry *entry)
{
    while (*list) list = &(*list)->next;
    entry->next = NULL;
    *list = entry;
}

static sim_stock_entry *unlink_entry(sim_stock_entry **at)
{
    sim_stock_entry *entry = *at;
    *at = entry->next;
    entry->next = NULL;
    return entry;
}

static void free_list(sim_stock_entry **list)
{
    while (*list) free(unlink_entry(list));
}

void sim_stock_peer_init(sim_stock_peer *peer, const sim_stock_options *options,
                         sim_stock_totals *totals, sb_time now)
{
    *peer =
        (sim_stock_peer){ .options = options, .totals = totals, .heard_at = now, .sent_at = now };
}

void sim_stock_peer_clear(sim_stock_peer *peer)
{
    free_list(&peer->queue);
    free_list(&peer->resend);
    free_list(&peer->acks);
    free_list(&peer->stored[SIM_STOCK_LOW]);
    free_list(&peer->stored[SIM_STOCK_DATA]);
}

uint32_t sim_stock_peer_waiting(const sim_stock_peer *peer)
{
    uint32_t count = 0;
    for (const sim_stock_entry *e = peer->resend; e; e = e->next) count++;
    for (const sim_stock_entry *e = peer->queue; e; e = e->next) count += e->message.reliable;
    return count;
}

/* ---- Sending ------------------------------------------------------------------------------ */

/* Adds a priority message at the head of the queue, so that two priority messages of one tick are
 * sent in reverse order (D4). */
static void enqueue(sim_stock_peer *peer, const sb_transport_message *message)
{
    sim_stock_entry **at = &peer->queue;
    if (!message->priority) {
        append(at, new_entry(message));
        return;
    }
    if (!peer->options->reversed_priority)
        while (*at && (*at)->message.priority) at = &(*at)->next;
    sim_stock_entry *entry = new_entry(message);
    entry->next = *at;
    *at = entry;
}

/* 405 bytes in the first fragment, 406 in the others (§7.1). */
static void enqueue_fragments(sim_stock_peer *peer, sb_transport_message message)
{
    enum { FIRST = SB_MESSAGE_MAX - 7, LATER = SB_MESSAGE_MAX - 6 };
    sb_span left = message.payload;
    size_t  total = 1 + (left.size - FIRST + LATER - 1) / LATER;
    SB_ASSERT(total <= 255);
    message.fragment = true;
    message.frag_total = (uint8_t)total;
    for (size_t i = 0; i < total; i++) {
        size_t max = i == 0 ? FIRST : LATER;
        message.frag_index = (uint8_t)i;
        message.payload = (sb_span){ left.data, left.size < max ? left.size : max };
        enqueue(peer, &message);
        left.data += message.payload.size;
        left.size -= message.payload.size;
    }
}

void sim_stock_peer_queue(sim_stock_peer *peer, uint8_t type, bool reliable, sb_span payload)
{
    bool                 data = type == SB_TRANSPORT_DATA;
    bool                 too_long = data && 5 + payload.size > SB_MESSAGE_MAX;
    sb_transport_message message = {
        .type = type, .reliable = reliable || too_long, .priority = !data, .payload = payload
    };
    if (message.reliable) message.seq = peer->next_seq[data ? SIM_STOCK_DATA : SIM_STOCK_LOW]++;
    if (too_long) enqueue_fragments(peer, message);
    else enqueue(peer, &message);
}

void sim_stock_peer_queue_control(sim_stock_peer *peer, uint8_t type, sb_side from,
                                  const sb_control *control)
{
    uint8_t   bytes[256];
    size_t    size;
    sb_result result = sb_encode_control(type, from, control, bytes, sizeof bytes, &size);
    SB_ASSERT(result == SB_OK);
    sim_stock_peer_queue(peer, type, true, (sb_span){ bytes, size });
}

/* A datagram that is being filled. After the first message that does not fit, no other is added
 * (§3).
 */
typedef struct outgoing {
    sb_datagram_writer writer;
    uint32_t           limit, count;
    bool               full;
} outgoing;

static bool add(outgoing *out, const sb_transport_message *message)
{
    if (out->full || out->count == out->limit ||
        sb_datagram_writer_add(&out->writer, message) != SB_OK) {
        out->full = true;
        return false;
    }
    out->count++;
    return true;
}

static bool is_fresh(const sim_stock_entry *ack)
{
    return ack->sends < ACKS_ALONE;
}

static bool is_ack_due(const sim_stock_entry *ack, sb_time now)
{
    return ack->sends == 0 || now >= ack->last_sent + ACK_INTERVAL_US;
}

/* D1: an Ack is removed after its 9th send, and for no other reason. */
static void add_acks(sim_stock_peer *peer, outgoing *out, sb_time now, bool fresh)
{
    uint32_t in_all = peer->options->nine_acks ? ACKS_IN_ALL : 1;
    for (sim_stock_entry **at = &peer->acks; *at;) {
        sim_stock_entry *ack = *at;
        if (is_fresh(ack) == fresh && is_ack_due(ack, now)) {
            if (!add(out, &ack->message)) return;
            ack->last_sent = now;
            ack->sends++;
            peer->totals->acks_out++;
        }
        if (ack->sends == in_all) free(unlink_entry(at));
        else at = &ack->next;
    }
}

static bool is_endless(const sim_stock_peer *peer, const sim_stock_entry *entry)
{
    return entry->message.fragment && peer->options->endless_fragments;
}

static sb_time resend_at(const sim_stock_peer *peer, const sim_stock_entry *entry)
{
    if (is_endless(peer, entry)) return entry->last_sent + FRAGMENT_REPEAT_US;
    uint32_t wait = entry->sends < BACK_OFF_CAP ? entry->sends : BACK_OFF_CAP;
    return entry->last_sent + wait * SB_SECOND;
}

static bool is_expired(const sim_stock_peer *peer, const sim_stock_entry *entry, sb_time now)
{
    return now >= entry->first_sent + peer->options->lifetime_us && !is_endless(peer, entry);
}

static void add_resends(sim_stock_peer *peer, outgoing *out, sb_time now)
{
    for (sim_stock_entry **at = &peer->resend; *at;) {
        sim_stock_entry *entry = *at;
        if (is_expired(peer, entry, now)) {
            free(unlink_entry(at));
            peer->totals->expired++;
            continue;
        }
        if (now >= resend_at(peer, entry)) {
            if (!add(out, &entry->message)) return;
            entry->last_sent = now;
            entry->sends++;
            peer->totals->retransmitted++;
        }
        at = &entry->next;
    }
}

static void add_new(sim_stock_peer *peer, outgoing *out, sb_time now)
{
    while (peer->queue && add(out, &peer->queue->message)) {
        sim_stock_entry *entry = unlink_entry(&peer->queue);
        if (!entry->message.reliable) {
            free(entry);
            continue;
        }
        entry->first_sent = entry->last_sent = now;
        entry->sends = 1;
        append(&peer->resend, entry);
    }
}

static void add_noop(sim_stock_peer *peer, outgoing *out)
{
    static const sb_transport_message noop = { .type = SB_TRANSPORT_NOOP };
    if (add(out, &noop)) peer->totals->noops_out++;
}

static void count_datagram(sim_stock_peer *peer, const outgoing *out)
{
    sim_stock_totals *totals = peer->totals;
    peer->datagrams_out++;
    totals->datagrams_out++;
    totals->bytes_out += out->writer.size;
    if (out->writer.size > totals->largest_datagram)
        totals->largest_datagram = (uint32_t)out->writer.size;
    if (out->count > totals->most_messages) totals->most_messages = out->count;
}

/* The order of §6.2: fresh Acks, retransmissions, new messages or a NoOp, old Acks. */
size_t sim_stock_peer_write(sim_stock_peer *peer, sb_time now, uint8_t own_id, uint8_t *bytes)
{
    bool     lone = peer->datagrams_out < peer->options->lone_messages;
    outgoing out = { .limit = lone ? 1 : 255 };
    sb_datagram_writer_init(&out.writer, bytes, SB_DATAGRAM_MAX, own_id);
    add_acks(peer, &out, now, true);
    add_resends(peer, &out, now);
    add_new(peer, &out, now);
    if (out.count == 0 && now >= peer->sent_at + peer->options->keepalive_us && !peer->leaving)
        add_noop(peer, &out);
    if (out.count > 0 || peer->leaving || !peer->options->acks_wait)
        add_acks(peer, &out, now, false);
    if (out.count == 0) return 0;
    peer->sent_at = now;
    count_datagram(peer, &out);
    sb_encrypt_datagram(bytes, out.writer.size);
    return out.writer.size;
}

sb_time sim_stock_peer_due(const sim_stock_peer *peer)
{
    if (peer->queue) return 0;
    sb_time due = peer->leaving ? SB_TIME_NEVER : peer->sent_at + peer->options->keepalive_us;
    bool    alone = peer->leaving || !peer->options->acks_wait;
    for (const sim_stock_entry *e = peer->acks; e; e = e->next) {
        if (e->sends == 0) return 0;
        if (is_fresh(e) || alone) due = sb_time_earlier(due, e->last_sent + ACK_INTERVAL_US);
    }
    for (const sim_stock_entry *e = peer->resend; e; e = e->next)
        due = sb_time_earlier(due, resend_at(peer, e));
    return due;
}

/* ---- Receiving ---------------------------------------------------------------------------- */

static size_t channel_of(const sb_transport_message *message)
{
    return message->type == SB_TRANSPORT_DATA ? SIM_STOCK_DATA : SIM_STOCK_LOW;
}

static bool is_same(const sb_transport_message *a, const sb_transport_message *b)
{
    return a->seq == b->seq && a->fragment == b->fragment &&
           (!a->fragment || a->frag_index == b->frag_index);
}

/* Removes the first entry with equal channel, number, fragment bit and index (§6.6). */
static void match_ack(sim_stock_peer *peer, const sb_transport_message *ack)
{
    sb_transport_message wanted = { .seq = ack->seq,
                                    .fragment = (ack->ack_flags & SB_ACK_FRAGMENT) != 0,
                                    .frag_index = ack->frag_index };
    size_t channel = ack->ack_flags & SB_ACK_LOW_CHANNEL ? SIM_STOCK_LOW : SIM_STOCK_DATA;
    peer->totals->acks_in++;
    for (sim_stock_entry **at = &peer->resend; *at; at = &(*at)->next) {
        const sb_transport_message *sent = &(*at)->message;
        if (channel_of(sent) != channel || !is_same(sent, &wanted)) continue;
        if (!is_endless(peer, *at)) free(unlink_entry(at)); /* D3: the Ack has no effect */
        return;
    }
    peer->totals->acks_unmatched++;
}

/* D8: searches the whole outbox, so that a repeated message does not queue a second Ack. */
static void queue_ack(sim_stock_peer *peer, const sb_transport_message *message)
{
    uint8_t              flags = (uint8_t)((message->fragment ? SB_ACK_FRAGMENT : 0) |
                              (channel_of(message) == SIM_STOCK_LOW ? SB_ACK_LOW_CHANNEL : 0));
    sb_transport_message ack = { .type = SB_TRANSPORT_ACK,
                                 .seq = message->seq,
                                 .ack_flags = flags,
                                 .frag_index = message->fragment ? message->frag_index : 0 };
    for (sim_stock_entry *e = peer->acks; e; e = e->next) {
        peer->totals->ack_scan_steps++;
        if (e->message.seq != ack.seq || e->message.ack_flags != ack.ack_flags ||
            e->message.frag_index != ack.frag_index)
            continue;
        if (peer->options->duplicate_restarts_ack) e->sends = 0;
        return;
    }
    append(&peer->acks, new_entry(&ack));
}

static void deliver(sim_stock_peer *peer, sb_time now, const sb_transport_message *message)
{
    sim_stock_totals *totals = peer->totals;
    if (message->type != SB_TRANSPORT_DATA) totals->control_delivered++;
    else if (message->reliable) totals->reliable_delivered++;
    else totals->unreliable_delivered++;
    if (peer->deliver) peer->deliver(peer->context, now, message);
}

static sim_stock_entry **find_part(sim_stock_entry **list, uint16_t seq, bool fragment,
                                   size_t index)
{
    sb_transport_message wanted = { .seq = seq,
                                    .fragment = fragment,
                                    .frag_index = (uint8_t)index };
    while (*list && !is_same(&(*list)->message, &wanted)) list = &(*list)->next;
    return list;
}

/* True: all fragments of `seq` had arrived and were delivered as one message. */
static bool deliver_joined(sim_stock_peer *peer, sb_time now, uint16_t seq)
{
    static uint8_t    joined[255 * SB_MESSAGE_MAX];
    sim_stock_entry **list = &peer->stored[SIM_STOCK_DATA];
    sim_stock_entry  *first = *find_part(list, seq, true, 0);
    size_t            size = 0, total = first ? first->message.frag_total : 0;
    for (size_t i = 0; i < total; i++)
        if (!*find_part(list, seq, true, i)) return false;
    for (size_t i = 0; i < total; i++) {
        sim_stock_entry *part = unlink_entry(find_part(list, seq, true, i));
        memcpy(joined + size, part->bytes, part->message.payload.size);
        size += part->message.payload.size;
        free(part);
    }
    sb_transport_message whole = {
        .type = SB_TRANSPORT_DATA, .reliable = true, .seq = seq, .payload = { joined, size }
    };
    if (total > 0) deliver(peer, now, &whole);
    return total > 0;
}

static bool deliver_whole(sim_stock_peer *peer, sb_time now, size_t channel, uint16_t seq)
{
    sim_stock_entry **at = find_part(&peer->stored[channel], seq, false, 0);
    if (!*at) return false;
    sim_stock_entry *entry = unlink_entry(at);
    deliver(peer, now, &entry->message);
    free(entry);
    return true;
}

static void deliver_ready(sim_stock_peer *peer, sb_time now, size_t channel)
{
    uint16_t *expected = &peer->expected[channel];
    while (deliver_whole(peer, now, channel, *expected) ||
           (channel == SIM_STOCK_DATA && deliver_joined(peer, now, *expected)))
        (*expected)++;
}

/* The window test of the stock game is a plain integer difference (§6.3). The Ack is queued even if
 * the test drops the message (D5). */
static void handle_reliable(sim_stock_peer *peer, sb_time now, const sb_transport_message *message)
{
    size_t channel = channel_of(message);
    int    difference = (int)message->seq - (int)peer->expected[channel];
    bool   is_old = difference >= -WINDOW && difference < 0;
    bool   is_far = difference >= WINDOW;
    if (peer->options->early_acks || !is_far) queue_ack(peer, message);
    if (is_far) {
        peer->totals->acked_and_dropped++;
        return;
    }
    if (is_old ||
        *find_part(&peer->stored[channel], message->seq, message->fragment, message->frag_index)) {
        peer->totals->duplicates++;
        return;
    }
    append(&peer->stored[channel], new_entry(message));
    deliver_ready(peer, now, channel);
}

static void handle_message(sim_stock_peer *peer, sb_time now, const sb_transport_message *message)
{
    if (message->type == SB_TRANSPORT_ACK) match_ack(peer, message);
    else if (message->type == SB_TRANSPORT_NOOP) peer->totals->noops_in++;
    else if (message->reliable) handle_reliable(peer, now, message);
    else deliver(peer, now, message);
}

void sim_stock_peer_receive(sim_stock_peer *peer, sb_time now, const sb_datagram *datagram)
{
    sb_transport_message message;
    size_t               at = 0;
    peer->heard_at = now;
    peer->totals->datagrams_in++;
    while (sb_datagram_next(datagram, &at, &message)) handle_message(peer, now, &message);
}

bool sim_stock_open(const sim_stock_options *options, sim_stock_totals *totals, sb_span datagram,
                    uint8_t *plain, sb_datagram *out)
{
    if (datagram.size > SB_DATAGRAM_ACCEPTED) return false;
    if (datagram.size > 0) memcpy(plain, datagram.data, datagram.size);
    sb_decrypt_datagram(plain, datagram.size);
    if (sb_decode_datagram((sb_span){ plain, datagram.size }, out, NULL) != SB_OK) {
        totals->malformed++;
        return false;
    }
    if (out->unknown_type) totals->unknown_types++;
    return !out->unknown_type || options->stops_at_unknown;
}

/* ---- Helpers of client and host ----------------------------------------------------------- */

sb_time sim_stock_tick_after(sb_time origin, sb_time tick_us, sb_time next, sb_time at)
{
    if (at == SB_TIME_NEVER) return SB_TIME_NEVER;
    if (at <= next) return next;
    return origin + (at - origin + tick_us - 1) / tick_us * tick_us;
}

sb_span sim_utf16(const char *text, uint8_t *out, size_t capacity)
{
    size_t size = 2 * (strlen(text) + 1);
    SB_ASSERT(size <= capacity);
    for (size_t i = 0; i < size / 2; i++) {
        out[2 * i] = (uint8_t)text[i];
        out[2 * i + 1] = 0;
    }
    return (sb_span){ out, size };
}
