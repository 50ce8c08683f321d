/* src/transport/host_peer.c -- established peers: datagrams, budgets, names.
 *
 * For:      host.
 * Tests:    tests/transport/host_peer_test.c, budget_test.c.
 * Spec:     01 §4.6, §5.2, §10.6.
 */
#include "base/assert.h"
#include "base/bytes.h"
#include "transport/host_internal.h"

#include <string.h>

static const sb_time restart_silence = 12 * SB_SECOND; /* spec 01 §5.2 */
static const sb_time rename_interval = 5 * SB_SECOND;  /* spec 01 §10.3 */
static const sb_time flood_limit = 10 * SB_SECOND;     /* spec 01 §10.6 */
static const sb_time flood_pause = SB_SECOND;          /* a pause this long ends a flood */

/* ---- budgets ---- */

/* Counts a datagram over the budget; removes a peer that floods for 10 s. */
static sb_result handle_excess(sb_transport_host *h, sb_peer *peer)
{
    SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_OVER_BUDGET);
    if (h->now - peer->flood_last_at > flood_pause) peer->flood_started_at = h->now;
    peer->flood_last_at = h->now;
    if (h->now - peer->flood_started_at >= flood_limit && peer->state == SB_PEER_ESTABLISHED)
        sb_transport_host_remove(h, peer, SB_LEFT_FLOODED, SB_BOOT_KICKED);
    return SB_FULL;
}

static void refill_budgets(const sb_transport_host *h, sb_peer *peer)
{
    const sb_peer_limits *c = &peer->limits;
    sb_budget_refill(&peer->datagrams, h->now, c->datagrams_per_s, 2 * c->datagrams_per_s);
    sb_budget_refill(&peer->messages, h->now, c->messages_per_s, 2 * c->messages_per_s);
    sb_budget_refill(&peer->bytes, h->now, c->bytes_per_s, 2 * c->bytes_per_s);
}

/* Charges one datagram, before decryption; false: the budget is exhausted. */
static bool spend_datagram_budget(const sb_transport_host *h, sb_peer *peer, size_t bytes)
{
    refill_budgets(h, peer);
    if (!sb_budget_has(&peer->datagrams, 1) || !sb_budget_has(&peer->bytes, (uint32_t)bytes))
        return false;
    sb_budget_spend(&peer->datagrams, 1);
    sb_budget_spend(&peer->bytes, (uint32_t)bytes);
    return true;
}

/* ---- datagrams ---- */

void sb_transport_host_count_received(sb_transport_host *h, const sb_datagram *datagram)
{
    SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_DATAGRAMS_IN);
    h->counters.values[SB_TRANSPORT_COUNT_BYTES_IN] +=
        datagram->messages.size + 2 + datagram->rest.size;
    h->counters.values[SB_TRANSPORT_COUNT_MESSAGES_IN] += datagram->message_count;
}

void sb_transport_host_start_reading(sb_transport_host *h, sb_peer *peer,
                                     const sb_datagram *datagram)
{
    peer->link.heard_at = h->now;
    if (datagram->peer_id == peer->id) peer->heard_under_id = true;
    h->reading_index = sb_transport_host_peer_index(h, peer);
    h->incoming = (sb_incoming){ .datagram = *datagram };
    sb_transport_host_count_received(h, datagram);
}

static sb_result acknowledge_connect_again(sb_transport_host *h, sb_peer *peer)
{
    sb_ack_record ack = { .seq = 0, .flags = SB_ACK_LOW_CHANNEL };
    if (!sb_acks_add(&peer->link.acks, &ack, h->now))
        SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_DROPPED_ACK);
    SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_DUPLICATE);
    sb_transport_host_queue_ready(h, peer);
    return SB_OK;
}

/* Handles a Connect from a known address (spec 01 §5.2). A late copy is acknowledged. If the peer
 * lingers, or was silent for 12 s, the client has restarted: the old session ends if the Connect
 * passes the checks for a new client. */
static sb_result handle_known_connect(sb_transport_host *h, sb_peer *peer, sb_span bytes)
{
    bool established = peer->state == SB_PEER_ESTABLISHED;
    if (!established || h->now - peer->link.heard_at > restart_silence)
        return sb_transport_host_receive_connect(h, peer->address, bytes, peer);
    sb_datagram          datagram;
    sb_transport_message m;
    sb_result            result = sb_link_open_datagram(&h->counters, h->plain, bytes, &datagram);
    if (result != SB_OK) return result;
    if (sb_link_find_message(&datagram, SB_TRANSPORT_CONNECT, &m))
        return acknowledge_connect_again(h, peer);
    return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_ID_MISMATCH, SB_NOT_ALLOWED);
}

sb_result sb_transport_host_receive_peer(sb_transport_host *h, sb_peer *peer, sb_span bytes)
{
    sb_datagram datagram;
    uint8_t     id = bytes.data[0];
    if (id != peer->id && id != SB_PEER_NONE)
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_ID_MISMATCH, SB_NOT_ALLOWED);
    if (!spend_datagram_budget(h, peer, bytes.size)) return handle_excess(h, peer);
    if (id == SB_PEER_NONE && (peer->heard_under_id || peer->state != SB_PEER_ESTABLISHED))
        return handle_known_connect(h, peer, bytes);
    sb_result result = sb_link_open_datagram(&h->counters, h->plain, bytes, &datagram);
    if (result != SB_OK) return result;
    if (!sb_budget_has(&peer->messages, datagram.message_count)) return handle_excess(h, peer);
    sb_budget_spend(&peer->messages, datagram.message_count);
    sb_transport_host_start_reading(h, peer, &datagram);
    return SB_OK;
}

/* ---- names (spec 01 §4.6) ---- */

void sb_transport_host_send_control(sb_transport_host *h, sb_peer *peer, uint8_t type,
                                    const sb_control *control)
{
    uint8_t   payload[SB_MESSAGE_MAX];
    size_t    size;
    sb_result encoded =
        sb_encode_control(type, SB_SIDE_HOST, control, payload, sizeof payload, &size);
    SB_ASSERT(encoded == SB_OK); /* every control message of a host fits into one message */
    if (sb_outbox_queue_control(&peer->link.outbox, type, (sb_span){ payload, size }) != SB_OK) {
        peer->queue_overflowed = true;
        sb_deadlines_lower(&h->deadlines, sb_transport_host_peer_index(h, peer), h->now);
    }
    sb_transport_host_queue_ready(h, peer);
}

static void send_name(sb_transport_host *h, sb_peer *to, const sb_peer *owner)
{
    bool       hide = h->config.hide_addresses && to != owner;
    sb_control control = { .name = { .peer_id = owner->id,
                                     .address = hide ? 0 : owner->own_address,
                                     .name = { owner->name.bytes, owner->name.size } } };
    sb_transport_host_send_control(h, to, SB_TRANSPORT_NAME, &control);
}

/* Sends the name to all peers, its owner included; a newcomer also gets the names of all others
 * (spec 01 §13 Q5). */
void sb_transport_host_publish_name(sb_transport_host *h, sb_peer *peer)
{
    bool newcomer = peer->name.size == 0;
    peer->name = peer->next_name;
    peer->name_pending = false;
    peer->named_at = h->now;
    send_name(h, peer, peer);
    for (uint32_t i = 0; i < h->peer_count; i++) {
        sb_peer *other = &h->peers[i];
        if (other == peer || other->state != SB_PEER_ESTABLISHED) continue;
        send_name(h, other, peer);
        if (newcomer && other->name.size > 0) send_name(h, peer, other);
    }
    peer->named_pending = true;
    sb_transport_host_queue_event(h, peer);
}

sb_time sb_transport_host_name_due_at(const sb_peer *peer)
{
    if (!peer->name_pending) return SB_TIME_NEVER;
    return peer->name.size == 0 ? INT64_MIN : peer->named_at + rename_interval;
}

/* Parses by hand: a name without terminator ends with the payload (spec 01 §10.3). */
static void handle_name(sb_transport_host *h, sb_peer *peer, sb_span payload)
{
    if (payload.size < 5) {
        SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_BAD_CONTROL);
        return;
    }
    const uint8_t *p = payload.data;
    if (p[0] != peer->id) {
        SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_FOREIGN_NAME);
        return;
    }
    if (peer->name_pending) SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_DROPPED_EVENT);
    peer->own_address = (uint32_t)p[1] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 8 | p[4];
    sb_player_name_clean(&peer->next_name, (sb_span){ p + 5, payload.size - 5 }, peer->id);
    peer->name_pending = true;
    if (sb_transport_host_name_due_at(peer) <= h->now) sb_transport_host_publish_name(h, peer);
}

/* A peer can only disconnect itself (spec 01 §8.4). */
static void handle_disconnect(sb_transport_host *h, sb_peer *peer, sb_span payload)
{
    sb_control control;
    if (sb_decode_control(SB_TRANSPORT_DISCONNECT, SB_SIDE_CLIENT, payload, &control) != SB_OK) {
        SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_BAD_CONTROL);
        return;
    }
    if (control.disconnect.peer_id != peer->id) {
        SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_FOREIGN_DISCONNECT);
        return;
    }
    peer->own_address = control.disconnect.address; /* passed on unchanged */
    peer->quit_received = true; /* finish_datagram removes the peer (spec 01 §4.10) */
}

static void handle_control(sb_transport_host *h, sb_peer *peer, const sb_delivered *message)
{
    if (peer->state != SB_PEER_ESTABLISHED) return; /* a lingering peer gets only the Ack */
    if (message->type == SB_TRANSPORT_NAME) handle_name(h, peer, message->payload);
    else if (message->type == SB_TRANSPORT_DISCONNECT) handle_disconnect(h, peer, message->payload);
    else SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_UNEXPECTED_CONTROL);
}

/* ---- messages ---- */

static void finish_datagram(sb_transport_host *h, sb_peer *peer)
{
    h->reading_index = -1;
    if (peer->state == SB_PEER_ESTABLISHED && peer->quit_received)
        sb_transport_host_remove(h, peer, SB_LEFT_QUIT, SB_BOOT_DEFAULT);
    if (peer->state == SB_PEER_ESTABLISHED &&
        peer->link.inbox.bad_fragments >= SB_BAD_FRAGMENTS_MAX)
        sb_transport_host_remove(h, peer, SB_LEFT_BAD_FRAGMENTS, SB_BOOT_KICKED);
    sb_transport_host_queue_ready(h, peer);
}

bool sb_transport_host_next_message(sb_transport_host *h, sb_transport_event *event)
{
    sb_peer     *peer = &h->peers[h->reading_index];
    sb_delivered message;
    if (!sb_link_next_message(&peer->link, h->now, &h->incoming, h->assembly_buffer, &message)) {
        finish_datagram(h, peer);
        return false;
    }
    if (message.type != SB_TRANSPORT_DATA) {
        handle_control(h, peer, &message);
        return false;
    }
    *event = (sb_transport_event){ .type = SB_EVENT_MESSAGE,
                                   .peer_id = peer->id,
                                   .delivery = message.delivery,
                                   .address = peer->address,
                                   .bytes = message.payload };
    return true;
}
