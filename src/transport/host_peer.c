/* src/transport/host_peer.c -- established peers: datagrams, budgets, names.
 *
 * For:      host.
 * Tests:    tests/transport/host_peer_test.c, budget_test.c.
 * Spec:     01 §4.6, §5.2, §10.6.
 */
#include "base/assert.h"
#include "base/bytes.h"
#include "base/compiler.h"
#include "transport/host_internal.h"

#include <string.h>

static const sb_time restart_silence = 12 * SB_SECOND; /* spec 01 §5.2 */
static const sb_time proof_time = 2 * SB_SECOND;
static const sb_time quiet_time = 2 * SB_SECOND; /* the answer to an id, and one retransmission */
static const sb_time quiet_after_leaving = SB_SECOND / 2; /* the Boot must not come late */
static const sb_time quiet_interval = 12 * SB_SECOND;
static const sb_time rename_interval = 5 * SB_SECOND; /* spec 01 §10.3 */
/* A forger of Names mostly has to try several ids and numbers: the others are evidence. */
static const sb_time rename_doubt = SB_SECOND;

/* ---- budgets ---- */

static void refill_budgets(const sb_transport_host *h, sb_peer *peer)
{
    const sb_peer_limits *c = &peer->limits;
    sb_budget_refill(&peer->datagrams, h->now, c->datagrams_per_s, 2 * c->datagrams_per_s);
    sb_budget_refill(&peer->messages, h->now, c->messages_per_s, 2 * c->messages_per_s);
    sb_budget_refill(&peer->bytes, h->now, c->bytes_per_s, 2 * c->bytes_per_s);
}

/* Charges a datagram that parses to its peer; false: the budget is exhausted. */
static bool spend_peer_budget(const sb_transport_host *h, sb_peer *peer, uint32_t bytes,
                              uint32_t messages)
{
    refill_budgets(h, peer);
    if (!sb_budget_has(&peer->datagrams, 1) || !sb_budget_has(&peer->bytes, bytes) ||
        !sb_budget_has(&peer->messages, messages))
        return false;
    sb_budget_spend(&peer->datagrams, 1);
    sb_budget_spend(&peer->bytes, bytes);
    sb_budget_spend(&peer->messages, messages);
    return true;
}

/* Charges a datagram that the peer is known to have sent while a forger exhausts its budget. */
static bool spend_marked(const sb_transport_host *h, sb_peer *peer, const sb_signs *signs)
{
    uint32_t per_s = peer->limits.datagrams_per_s;
    if (!sb_link_is_marked(&peer->link, h->now, signs)) return false;
    sb_budget_refill(&peer->marked, h->now, per_s, 2 * per_s);
    if (!sb_budget_has(&peer->marked, 1)) return false;
    sb_budget_spend(&peer->marked, 1);
    return true;
}

/* Charges the decryption, which comes before anything is known about the sender. The budget is
 * large: it bounds the work, and a flood of unreadable datagrams must not use it up. */
static bool spend_decryption(const sb_transport_host *h, sb_peer *peer, size_t bytes)
{
    uint32_t cost = bytes < SB_DECRYPTION_MIN ? SB_DECRYPTION_MIN : (uint32_t)bytes;
    if (!sb_budget_has(&peer->decryption, cost))
        sb_budget_refill(&peer->decryption, h->now, SB_DECRYPTION_PER_S, SB_DECRYPTION_BURST);
    if (!sb_budget_has(&peer->decryption, cost)) return false;
    sb_budget_spend(&peer->decryption, cost);
    return true;
}

/* Charges a datagram under 0xFF: anybody can send it, so the peer does not pay for it. */
static bool spend_without_id(const sb_transport_host *h, sb_peer *peer)
{
    sb_budget_refill(&peer->without_id, h->now, SB_WITHOUT_ID_PER_S, SB_WITHOUT_ID_BURST);
    if (!sb_budget_has(&peer->without_id, 1)) return false;
    sb_budget_spend(&peer->without_id, 1);
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

/* ---- control messages that the peer itself would not send (spec 01 §10.3) ---- */

static uint32_t read_address(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* A Name and a Disconnect start with the id of the peer and the address that it claims to have. The
 * first Name tells this address; a later one that comes before it has to come again. */
static bool is_of_peer(const sb_peer *peer, const sb_transport_message *m, bool proven)
{
    const uint8_t *p = m->payload.data;
    bool           named = peer->name.size > 0 || peer->name_pending;
    if (p[0] != peer->id) return false;
    if (proven) return true; /* an earlier Name, with another address, may have been forged */
    if (named) return read_address(p + 1) == peer->own_address;
    return m->type == SB_TRANSPORT_DISCONNECT || sb_inbox_ahead(&peer->link.inbox, m) <= 0;
}

enum { TRUE_TO_FORM = SB_TRANSPORT_COUNTER_COUNT }; /* no reason to drop */

/* Why no peer sends this control message; TRUE_TO_FORM: it may. */
static sb_transport_counter check_control(const sb_peer *peer, const sb_transport_message *m,
                                          bool proven)
{
    bool name = m->type == SB_TRANSPORT_NAME;
    /* An Ack, a NoOp, or a control message that the link drops. */
    if (!m->reliable) return (sb_transport_counter)TRUE_TO_FORM;
    if (!name && m->type != SB_TRANSPORT_DISCONNECT) /* but a copy of the Connect */
        return m->type == SB_TRANSPORT_CONNECT && m->seq == 0
                   ? (sb_transport_counter)TRUE_TO_FORM
                   : SB_TRANSPORT_COUNT_UNEXPECTED_CONTROL;
    if (m->payload.size < 5) return SB_TRANSPORT_COUNT_BAD_CONTROL;
    if (is_of_peer(peer, m, proven)) return (sb_transport_counter)TRUE_TO_FORM;
    return name ? SB_TRANSPORT_COUNT_FOREIGN_NAME : SB_TRANSPORT_COUNT_FOREIGN_DISCONNECT;
}

/* Anything but SB_OK: the datagram has a control message that no peer sends, so somebody else sent
 * it. It is dropped as a whole, and its numbers stay free for the messages of the peer. */
static sb_result check_controls(sb_transport_host *h, sb_peer *peer, const sb_datagram *datagram,
                                bool proven)
{
    sb_transport_message m;
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m);) {
        if (m.type == SB_TRANSPORT_DATA) continue;
        sb_transport_counter why = check_control(peer, &m, proven);
        if (why == (sb_transport_counter)TRUE_TO_FORM) continue;
        /* It may be the peer's own, after a forgery. */
        if (sb_inbox_conflicts(&peer->link.inbox, &m)) sb_link_notice_forger(&peer->link, h->now);
        else sb_link_request_proof(&peer->link, h->now);
        return sb_link_refuse(&h->counters, why, SB_NOT_ALLOWED);
    }
    return SB_OK;
}

static SB_COLD sb_result inspect_messages(sb_transport_host *h, sb_peer *peer,
                                          const sb_datagram *datagram, sb_signs *signs)
{
    sb_result result = SB_OK;
    sb_link_find_signs(&peer->link, h->now, datagram, signs);
    if (peer->state != SB_PEER_ESTABLISHED) return SB_OK; /* it has no say any more */
    if (datagram->kinds & (SB_HAS_CONTROL | SB_HAS_FAREWELL))
        result = check_controls(h, peer, datagram, sb_link_is_marked(&peer->link, h->now, signs));
    if (result == SB_OK) result = sb_link_check_signs(&peer->link, h->now, datagram, signs);
    if (result != SB_OK) sb_transport_host_queue_ready(h, peer); /* it may have to send marks */
    return result;
}

/* Anything but SB_OK: somebody else sent the datagram. Most datagrams need no look at each of their
 * messages. */
static sb_result inspect_datagram(sb_transport_host *h, sb_peer *peer, const sb_datagram *datagram,
                                  sb_signs *signs)
{
    bool controls = datagram->kinds & (SB_HAS_CONTROL | SB_HAS_FAREWELL);
    *signs = (sb_signs){ 0 };
    if (!controls && !sb_link_may_have_signs(&peer->link, h->now, datagram)) return SB_OK;
    return inspect_messages(h, peer, datagram, signs);
}

/* ---- datagrams ---- */

/* Begins to read the datagram in h->incoming. */
static void begin_reading(sb_transport_host *h, sb_peer *peer, const sb_signs *signs)
{
    const sb_datagram *datagram = &h->incoming.datagram;
    if (peer->state == SB_PEER_ESTABLISHED && sb_departure_is_open(&peer->departure))
        sb_transport_host_note_signs_of_life(h, peer, datagram, signs->mark_acks);
    peer->link.heard_at = h->now;
    if (datagram->peer_id == peer->id) peer->heard_under_id = true;
    if (peer->is_asked) sb_transport_host_read_proof(h, peer, datagram);
    h->reading_index = sb_transport_host_peer_index(h, peer);
    sb_link_start_reading(&peer->link, h->now, signs, &h->incoming);
    sb_transport_host_count_received(h, datagram);
}

sb_result sb_transport_host_start_reading(sb_transport_host *h, sb_peer *peer,
                                          const sb_datagram *datagram)
{
    sb_signs  signs;
    sb_result result = inspect_datagram(h, peer, datagram, &signs);
    /* Also if the datagram is refused: a Connect that follows may be of the owner of the address,
     * in whose name somebody has forged a join. */
    if (datagram->peer_id == peer->id) peer->heard_under_id = true;
    sb_link_set_incoming(datagram, &h->incoming);
    if (result == SB_OK) begin_reading(h, peer, &signs);
    else sb_transport_host_queue_ready(h, peer); /* a new peer has no deadline yet */
    return result;
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

/* Has the peer shown that it hears us? */
static bool is_shown(const sb_transport_host *h, const sb_peer *peer)
{
    return !h->config.proof || peer->is_proven || peer->link.marks.ever_answered;
}

/* A client has been told an id at the address of a peer that has left, or whose join somebody may
 * have forged. The client takes all that comes for its own, so nothing of the peer's session is
 * sent until it has answered. Seldom, since the Connect may be forged instead: the peer may miss
 * its Boot. */
void sb_transport_host_quiet(sb_transport_host *h, sb_peer *peer)
{
    bool has_left = peer->state != SB_PEER_ESTABLISHED;
    if ((!has_left && is_shown(h, peer)) || h->stopping || h->now < peer->quiet_from) return;
    peer->quiet_until = h->now + (has_left ? quiet_after_leaving : quiet_time);
    peer->quiet_from = h->now + quiet_interval;
}

/* Was the peer asked to show that it hears us, and has not? Somebody may have forged its whole join
 * and keeps it alive. */
static bool may_be_forged(const sb_transport_host *h, const sb_peer *peer)
{
    const sb_marks *marks = &peer->link.marks;
    if (is_shown(h, peer)) return false;
    return (peer->is_asked && h->now - peer->asked_at > proof_time) ||
           (sb_marks_is_on(marks, h->now) && !sb_marks_are_awaited(marks, h->now));
}

/* A new session may begin at the peer's address: the peer lingers, has said goodbye, was silent for
 * 12 s, or may be a forgery. A newcomer must show that it hears us to replace it. */
static bool may_restart(const sb_transport_host *h, const sb_peer *peer)
{
    return peer->state != SB_PEER_ESTABLISHED || sb_transport_host_said_goodbye(h, peer) ||
           h->now - peer->link.heard_at > restart_silence || may_be_forged(h, peer);
}

/* The Connect of a client for which somebody has forged a join must not get an Ack alone: a stock
 * client would not repeat it, and never get an id. The peer is asked instead, and has proof_time to
 * show that the Connect is a late copy. */
static sb_result doubt_join(sb_transport_host *h, sb_peer *peer)
{
    sb_transport_host_ask_peer(h, peer);
    SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_DUPLICATE);
    return SB_OK;
}

/* Handles a Connect from a known address (spec 01 §5.2). A late copy is acknowledged. If the client
 * may have restarted, the Connect is handled like that of any newcomer. */
static sb_result handle_known_connect(sb_transport_host *h, sb_peer *peer, sb_span bytes)
{
    if (may_restart(h, peer))
        return sb_transport_host_receive_connect(h, peer->address, bytes, peer);
    sb_datagram          datagram;
    sb_transport_message m;
    sb_result            result = sb_link_open_datagram(&h->counters, h->plain, bytes, &datagram);
    if (result != SB_OK) return result;
    if (!sb_link_find_message(&datagram, SB_TRANSPORT_CONNECT, &m))
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_ID_MISMATCH, SB_NOT_ALLOWED);
    return is_shown(h, peer) ? acknowledge_connect_again(h, peer) : doubt_join(h, peer);
}

/* Handles a datagram under 0xFF from the address of a peer. A peer that has not used its id may
 * send anything in this way, others only a Connect. */
static sb_result receive_without_id(sb_transport_host *h, sb_peer *peer, sb_span bytes)
{
    sb_datagram datagram;
    if (!spend_without_id(h, peer))
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_WITHOUT_ID_RATE, SB_FULL);
    if (peer->heard_under_id || peer->state != SB_PEER_ESTABLISHED)
        return handle_known_connect(h, peer, bytes);
    sb_result result = sb_link_open_datagram(&h->counters, h->plain, bytes, &datagram);
    return result == SB_OK ? sb_transport_host_start_reading(h, peer, &datagram) : result;
}

/* Random bytes after a right id often begin with an unknown type: no peer sends that. */
static bool is_empty_garbage(const sb_datagram *datagram)
{
    return datagram->unknown_type && datagram->message_count == 0;
}

/* Not all datagrams from the address of the peer are its own: it is asked to show which are. */
static void notice_forger(sb_transport_host *h, sb_peer *peer)
{
    bool asks = sb_marks_ask_at(&peer->link.marks) != SB_TIME_NEVER;
    if (peer->state != SB_PEER_ESTABLISHED) return;
    sb_link_notice_forger(&peer->link, h->now);
    if (!asks) sb_transport_host_queue_ready(h, peer);
}

static sb_result receive_under_id(sb_transport_host *h, sb_peer *peer, sb_span bytes)
{
    const sb_datagram *datagram = &h->incoming.datagram;
    sb_signs           signs;
    if (!spend_decryption(h, peer, bytes.size))
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_OVER_BUDGET, SB_FULL);
    sb_result result = sb_link_open_incoming(&h->counters, h->plain, bytes, &h->incoming);
    if (result == SB_OK) result = inspect_datagram(h, peer, datagram, &signs);
    if (result != SB_OK) return result;
    if (is_empty_garbage(datagram))
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_MALFORMED, SB_BAD_VALUE);
    if (!spend_peer_budget(h, peer, (uint32_t)bytes.size, datagram->message_count) &&
        !spend_marked(h, peer, &signs)) {
        notice_forger(h, peer); /* somebody may flood in its name: its own datagrams show marks */
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_OVER_BUDGET, SB_FULL);
    }
    begin_reading(h, peer, &signs);
    return SB_OK;
}

/* The old session ends when the restarted client uses its new id and shows that it hears us, or
 * when another peer shows that it has moved to this port. */
static sb_result receive_other_id(sb_transport_host *h, sb_peer *peer, sb_span bytes)
{
    uint8_t id = bytes.data[0];
    if (may_restart(h, peer) && sb_transport_host_id_told(h, peer->address) == id)
        return sb_transport_host_receive_newcomer(h, peer->address, id, bytes, peer);
    notice_forger(h, peer);
    if (!is_shown(h, peer) && sb_transport_host_may_move(h, peer->address, id))
        return sb_transport_host_receive_moved(h, peer->address, bytes, peer);
    return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_ID_MISMATCH, SB_NOT_ALLOWED);
}

sb_result sb_transport_host_receive_peer(sb_transport_host *h, sb_peer *peer, sb_span bytes)
{
    uint8_t id = bytes.data[0];
    if (id != peer->id && id != SB_PEER_NONE) return receive_other_id(h, peer, bytes);
    if (peer->state == SB_PEER_ESTABLISHED && h->now >= sb_transport_host_departs_at(peer))
        sb_transport_host_remove(h, peer, SB_LEFT_QUIT, SB_BOOT_DEFAULT);
    return id == SB_PEER_NONE ? receive_without_id(h, peer, bytes)
                              : receive_under_id(h, peer, bytes);
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
    peer->name_pending = false;
    if (!newcomer && peer->name_doubted && sb_guard_is_attacked(&peer->link.guard, h->now)) {
        SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_UNCONFIRMED);
        return;
    }
    peer->name = peer->next_name;
    peer->named_at = h->now;
    send_name(h, peer, peer);
    for (uint32_t i = 0; i < h->peer_top; i++) {
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
    if (peer->name.size == 0) return INT64_MIN;
    sb_time at = peer->named_at + rename_interval;
    return at > peer->name_from ? at : peer->name_from;
}

/* Parses by hand: a name without terminator ends with the payload (spec 01 §10.3). */
void sb_transport_host_handle_name(sb_transport_host *h, sb_peer *peer, sb_span payload)
{
    const uint8_t *p = payload.data;
    if (peer->name_pending) SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_DROPPED_EVENT);
    peer->own_address = read_address(p + 1);
    sb_player_name_clean(&peer->next_name, (sb_span){ p + 5, payload.size - 5 }, peer->id);
    peer->name_pending = true;
    /* During an attack, only a Name that the peer has shown to be its own comes so far. */
    peer->name_doubted = !h->incoming.proven && !sb_marks_is_on(&peer->link.marks, h->now);
    peer->name_from = peer->name_doubted ? h->now + rename_doubt : h->now;
    if (sb_transport_host_name_due_at(peer) <= h->now) sb_transport_host_publish_name(h, peer);
}

static void handle_disconnect(sb_transport_host *h, sb_peer *peer, sb_span payload)
{
    peer->own_address = read_address(payload.data + 1); /* passed on unchanged */
    sb_transport_host_start_departure(h, peer);
}

/* inspect_datagram has let through only well formed Names and Disconnects of the peer. */
static void handle_control(sb_transport_host *h, sb_peer *peer, const sb_delivered *message)
{
    if (peer->state != SB_PEER_ESTABLISHED) return; /* a lingering peer gets only the Ack */
    if (message->payload.size < 5) SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_BAD_CONTROL);
    else if (message->type == SB_TRANSPORT_NAME)
        sb_transport_host_handle_name(h, peer, message->payload);
    else if (message->type == SB_TRANSPORT_DISCONNECT) handle_disconnect(h, peer, message->payload);
}

/* ---- messages ---- */

static void finish_datagram(sb_transport_host *h, sb_peer *peer)
{
    h->reading_index = -1;
    sb_transport_host_queue_ready(h, peer); /* a Disconnect waits for silence at the earliest */
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
