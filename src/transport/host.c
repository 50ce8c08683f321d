/* src/transport/host.c -- the host endpoint: timers, events, the public functions.
 *
 * For:      every program with a host.
 * Spec:     01 §5-§10.
 */
#include <starbase/cipher.h>
#include <starbase/transport.h>

#include "base/assert.h"
#include "base/time.h"
#include "transport/host_internal.h"
#include "transport/testing.h"

#include <string.h>

/* ---- queues of peers ---- */

static void push(sb_index_queue *q, uint16_t index)
{
    SB_ASSERT(q->count < q->capacity);
    q->items[(q->first + q->count++) % q->capacity] = index;
}

static uint16_t pop(sb_index_queue *q)
{
    SB_ASSERT(q->count > 0);
    uint16_t index = q->items[q->first];
    q->first = (q->first + 1) % q->capacity;
    q->count--;
    return index;
}

uint16_t sb_transport_host_peer_index(const sb_transport_host *h, const sb_peer *peer)
{
    return (uint16_t)(peer - h->peers);
}

void sb_transport_host_queue_ready(sb_transport_host *h, sb_peer *peer)
{
    if (peer->is_ready) return;
    peer->is_ready = true;
    push(&h->ready, sb_transport_host_peer_index(h, peer));
}

void sb_transport_host_queue_event(sb_transport_host *h, sb_peer *peer)
{
    if (peer->has_event) return;
    peer->has_event = true;
    push(&h->event_queue, sb_transport_host_peer_index(h, peer));
}

/* ---- datagrams in (spec 01 §10.2) ---- */

static sb_time advance_clock(sb_transport_host *h, sb_time now)
{
    if (now > h->now) h->now = sb_transport_clamp_time(now);
    return h->now;
}

/* Checks that need only the length and byte 0, before decryption (spec 01 §1.1). */
static sb_result check_first_byte(sb_transport_host *h, sb_span datagram)
{
    if (datagram.size < 2)
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_TOO_SHORT, SB_TRUNCATED);
    if (datagram.size > SB_DATAGRAM_ACCEPTED)
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_TOO_LONG, SB_BAD_VALUE);
    uint8_t id = datagram.data[0];
    if (id == SB_GAMESPY_BYTE)
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_NOT_GAME, SB_NOT_ALLOWED);
    if (id == SB_PEER_HOST)
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_WRONG_DIRECTION, SB_NOT_ALLOWED);
    if (id != SB_PEER_NONE && (id < SB_ID_FIRST || id >= SB_ID_LIMIT))
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_BAD_ID, SB_BAD_VALUE);
    return SB_OK;
}

sb_result sb_transport_host_receive(sb_transport_host *h, sb_time now, sb_endpoint from,
                                    sb_span datagram)
{
    SB_ASSERT(h->reading_index < 0 &&
              h->event_queue.count == 0); /* the caller drained all events */
    advance_clock(h, now);
    sb_result result = check_first_byte(h, datagram);
    if (result != SB_OK) return result;
    uint16_t place = sb_addresses_find(&h->addresses, from);
    if (place == SB_NO_PLACE) return sb_transport_host_receive_stranger(h, from, datagram);
    SB_ASSERT(place < h->peer_top);
    return sb_transport_host_receive_peer(h, &h->peers[place], datagram);
}

/* ---- timers ---- */

static sb_time times_out_at(const sb_peer *peer)
{
    return peer->link.heard_at + peer->limits.timeout_us;
}

/* When the peer next has a datagram to write or a timer to handle. */
static sb_time next_action_at(const sb_transport_host *h, const sb_peer *peer)
{
    sb_time at =
        sb_transport_host_is_quiet(h, peer) ? peer->quiet_until : sb_link_write_at(&peer->link);
    if (peer->state == SB_PEER_LINGERING) return sb_time_earlier(at, peer->linger_until);
    if (peer->queue_overflowed) return h->now;
    at = sb_time_earlier(at, times_out_at(peer));
    at = sb_time_earlier(at, sb_transport_host_departs_at(peer));
    at = sb_time_earlier(at, sb_link_stalls_at(&peer->link));
    at = sb_time_earlier(at, sb_link_assembly_expires_at(&peer->link));
    return sb_time_earlier(at, sb_transport_host_name_due_at(peer));
}

/* A message in fragments may take any time (spec 01 §7.2), unless memory for fragments is short:
 * after 30 s without a fragment the others are dropped. Its sender repeats what it misses; if it
 * sends no more of them, somebody else has. */
static void handle_assembly_timeout(sb_transport_host *h, sb_peer *peer)
{
    enum { SHORT_OF_CELLS = 64 * 4 + 1 }; /* the largest message of an untrusted peer needs these */
    peer->link.fragment_stored_at = h->now; /* the wait starts again */
    if (h->cells.grants_left >= SHORT_OF_CELLS) return;
    sb_inbox_drop_assembly(&peer->link.inbox);
    SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_NO_ROOM);
}

static void handle_peer_timers(sb_transport_host *h, sb_peer *peer)
{
    if (peer->state == SB_PEER_LINGERING && h->now >= peer->linger_until)
        sb_transport_host_free_peer(h, peer);
    else if (peer->state == SB_PEER_ESTABLISHED && h->now >= sb_transport_host_departs_at(peer))
        sb_transport_host_remove(h, peer, SB_LEFT_QUIT, SB_BOOT_DEFAULT);
    else if (peer->state == SB_PEER_ESTABLISHED && h->now >= times_out_at(peer))
        sb_transport_host_remove(h, peer, SB_LEFT_TIMED_OUT, SB_BOOT_TIMED_OUT);
    else if (peer->state == SB_PEER_ESTABLISHED &&
             (peer->queue_overflowed || h->now >= sb_link_stalls_at(&peer->link)))
        sb_transport_host_remove(h, peer, SB_LEFT_STALLED, SB_BOOT_TIMED_OUT);
    else if (peer->state == SB_PEER_ESTABLISHED &&
             h->now >= sb_link_assembly_expires_at(&peer->link))
        handle_assembly_timeout(h, peer);
    else if (peer->state == SB_PEER_ESTABLISHED && h->now >= sb_transport_host_name_due_at(peer))
        sb_transport_host_publish_name(h, peer);
}

/* Has the peer acknowledged the Disconnect of a stopping host? */
static bool has_acknowledged_stop(const sb_transport_host *h, const sb_peer *peer)
{
    const sb_outbox *o = &peer->link.outbox;
    return h->stopping && peer->state == SB_PEER_LINGERING && !peer->has_event &&
           peer->reason == SB_LEFT_HOST_CLOSED && sb_outbox_unacknowledged(o) == 0 &&
           sb_outbox_queued(o) == 0;
}

static void handle_due_timers(sb_transport_host *h)
{
    while (sb_deadlines_next(&h->deadlines) <= h->now) {
        uint16_t key = sb_deadlines_first(&h->deadlines);
        sb_peer *peer = &h->peers[key];
        handle_peer_timers(h, peer);
        if (peer->state == SB_PEER_FREE) continue;
        /* A datagram that is due is written by write_ready, which sets the next deadline. */
        sb_time at = next_action_at(h, peer);
        sb_deadlines_set(&h->deadlines, key, at > h->now ? at : SB_TIME_NEVER);
        if (at <= h->now) sb_transport_host_queue_ready(h, peer);
    }
}

/* ---- events ---- */

static bool next_event_of(sb_peer *peer, sb_transport_event *event)
{
    *event = (sb_transport_event){ .peer_id = peer->id, .address = peer->address };
    if (peer->joined_pending) {
        peer->joined_pending = false;
        event->type = SB_EVENT_JOINED;
    } else if (peer->named_pending) {
        peer->named_pending = false;
        event->type = SB_EVENT_NAMED;
        event->bytes = sb_player_name_text(&peer->name);
    } else if (peer->left_pending) {
        peer->left_pending = false;
        event->type = SB_EVENT_LEFT;
        event->reason = peer->reason;
        event->boot_reason = peer->boot_reason;
    } else {
        return false;
    }
    return true;
}

static bool next_pending_event(sb_transport_host *h, sb_transport_event *event)
{
    while (h->event_queue.count > 0) {
        sb_peer *peer = &h->peers[h->event_queue.items[h->event_queue.first]];
        if (next_event_of(peer, event)) return true;
        peer->has_event = false;
        pop(&h->event_queue);
    }
    return false;
}

bool sb_transport_host_next_event(sb_transport_host *h, sb_time now, sb_transport_event *event)
{
    advance_clock(h, now);
    for (;;) {
        if (next_pending_event(h, event)) return true;
        if (h->reading_index >= 0) {
            if (sb_transport_host_next_message(h, event)) return true;
            continue; /* the datagram may have more messages, or caused an event */
        }
        handle_due_timers(h);
        if (h->event_queue.count == 0) return false;
    }
}

/* ---- datagrams out ---- */

static size_t encrypt(uint8_t *out, size_t size)
{
    sb_encrypt_datagram(out, size);
    return size;
}

/* A stock peer acknowledges each reliable message nine times, at worst in as many datagrams (spec
 * 01 §10.6): its receive budget grows with each one sent, up to a limit for all in flight. */
static void add_budget_for_acks(sb_peer *peer, uint32_t reliable)
{
    enum { DATAGRAMS = 10, MESSAGES = 10, BYTES = 100, IN_FLIGHT_MAX = 2 * SB_QUEUE_MAX };
    const sb_peer_limits *limits = &peer->limits;
    sb_budget_add(&peer->datagrams, DATAGRAMS * reliable,
                  2 * limits->datagrams_per_s + DATAGRAMS * IN_FLIGHT_MAX);
    sb_budget_add(&peer->messages, MESSAGES * reliable,
                  2 * limits->messages_per_s + MESSAGES * IN_FLIGHT_MAX);
    sb_budget_add(&peer->bytes, BYTES * reliable, 2 * limits->bytes_per_s + BYTES * IN_FLIGHT_MAX);
}

static size_t write_peer(sb_transport_host *h, sb_peer *peer, sb_endpoint *to, uint8_t *out)
{
    uint32_t reliable;
    if (sb_transport_host_is_quiet(h, peer)) return 0;
    size_t size = sb_link_write_datagram(&peer->link, h->now, SB_PEER_HOST, out, &reliable);
    if (size == 0) return 0;
    if (reliable > 0) add_budget_for_acks(peer, reliable);
    *to = peer->address;
    return encrypt(out, size);
}

static size_t write_ready(sb_transport_host *h, sb_endpoint *to, uint8_t *out)
{
    while (h->ready.count > 0) {
        sb_peer *peer = &h->peers[pop(&h->ready)];
        peer->is_ready = false;
        if (peer->state == SB_PEER_FREE || !peer->in_address_table) continue;
        size_t size = write_peer(h, peer, to, out);
        if (size > 0) {
            sb_transport_host_queue_ready(h, peer); /* at the end: round robin among peers */
            return size;
        }
        if (has_acknowledged_stop(h, peer)) sb_transport_host_free_peer(h, peer);
        else
            sb_deadlines_lower(&h->deadlines, sb_transport_host_peer_index(h, peer),
                               next_action_at(h, peer));
    }
    return 0;
}

size_t sb_transport_host_write(sb_transport_host *h, sb_time now, sb_endpoint *to, uint8_t *out)
{
    advance_clock(h, now);
    handle_due_timers(h);
    size_t size = sb_transport_host_write_reply(h, to, out);
    if (size > 0) {
        SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_DATAGRAMS_OUT);
        h->counters.values[SB_TRANSPORT_COUNT_BYTES_OUT] += size;
        h->counters.values[SB_TRANSPORT_COUNT_MESSAGES_OUT] += out[1];
        return encrypt(out, size);
    }
    return write_ready(h, to, out);
}

sb_time sb_transport_host_next_deadline(const sb_transport_host *h)
{
    if (h->reading_index >= 0 || h->event_queue.count > 0 || h->ready.count > 0 ||
        h->reply_count > 0)
        return h->now;
    return sb_deadlines_next(&h->deadlines);
}

/* ---- other public functions ---- */

bool sb_endpoint_is_house(sb_endpoint endpoint)
{
    return endpoint.address != 0 && endpoint.address >> 24 == 0;
}

static sb_peer *find_peer(const sb_transport_host *h, uint8_t id)
{
    if (id >= SB_ID_LIMIT || h->peer_by_id[id] == SB_NO_PLACE) return NULL;
    return &h->peers[h->peer_by_id[id]];
}

sb_result sb_transport_host_send(sb_transport_host *h, uint8_t peer_id, sb_delivery delivery,
                                 sb_span message)
{
    sb_peer *peer = find_peer(h, peer_id);
    if (!peer || peer->queue_overflowed) return SB_NOT_ALLOWED;
    sb_result result = sb_outbox_queue_data(&peer->link.outbox, delivery, message);
    if (result == SB_FULL && delivery == SB_UNRELIABLE) {
        SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_DROPPED_UNRELIABLE);
    } else if (result == SB_FULL) {
        peer->queue_overflowed = true;
        sb_deadlines_lower(&h->deadlines, sb_transport_host_peer_index(h, peer), h->now);
    }
    sb_transport_host_queue_ready(h, peer);
    return result;
}

sb_result sb_transport_host_send_part(sb_transport_host *h, uint8_t peer_id, sb_span message,
                                      size_t *at)
{
    sb_peer *peer = find_peer(h, peer_id);
    if (!peer || peer->queue_overflowed) return SB_NOT_ALLOWED;
    sb_result result = sb_outbox_queue_part(&peer->link.outbox, message, at);
    sb_transport_host_queue_ready(h, peer);
    return result;
}

size_t sb_transport_host_free_bytes(const sb_transport_host *h, uint8_t peer_id)
{
    const sb_peer *peer = find_peer(h, peer_id);
    return peer && !peer->queue_overflowed ? sb_outbox_free_bytes(&peer->link.outbox) : 0;
}

void sb_transport_host_boot(sb_transport_host *h, sb_time now, uint8_t peer_id, uint8_t boot_reason)
{
    advance_clock(h, now);
    sb_peer *peer = find_peer(h, peer_id);
    if (peer) sb_transport_host_remove(h, peer, SB_LEFT_BOOTED, boot_reason);
}

void sb_transport_host_stop(sb_transport_host *h, sb_time now)
{
    advance_clock(h, now);
    h->stopping = true;
    for (uint32_t i = 0; i < h->peer_top; i++)
        if (h->peers[i].state == SB_PEER_ESTABLISHED)
            sb_transport_host_remove(h, &h->peers[i], SB_LEFT_HOST_CLOSED, SB_BOOT_DEFAULT);
}

bool sb_transport_host_is_stopped(const sb_transport_host *h)
{
    if (!h->stopping) return false;
    for (uint32_t i = 0; i < h->peer_top; i++)
        if (h->peers[i].state != SB_PEER_FREE && h->peers[i].reason == SB_LEFT_HOST_CLOSED)
            return false;
    return true;
}

void sb_transport_host_trust(sb_transport_host *h, uint8_t peer_id)
{
    sb_peer *peer = find_peer(h, peer_id);
    if (peer) peer->link.inbox.fragments_max = SB_FRAGMENTS_TRUSTED;
}

void sb_transport_host_note_update(sb_transport_host *h, uint8_t peer_id)
{
    sb_peer *peer = find_peer(h, peer_id);
    if (peer) sb_departure_note_busy(&peer->departure, h->now);
}

bool sb_transport_host_ask(sb_transport_host *h, uint8_t peer_id)
{
    sb_peer *peer = find_peer(h, peer_id);
    if (!peer || peer->state != SB_PEER_ESTABLISHED) return false;
    if (!peer->is_proven) sb_transport_host_ask_peer(h, peer);
    return true;
}

bool sb_transport_host_peer(const sb_transport_host *h, uint8_t peer_id, sb_peer_info *info)
{
    const sb_peer *peer = find_peer(h, peer_id);
    *info = (sb_peer_info){ 0 };
    if (!peer) return false;
    info->peer_id = peer->id;
    info->address = peer->address;
    info->proven = peer->is_proven;
    sb_link_info(&peer->link, h->now, info);
    return true;
}

uint32_t sb_transport_host_peer_count(const sb_transport_host *h)
{
    return h->established;
}

uint64_t sb_transport_host_refusals(const sb_transport_host *h, sb_connect_refusal *last)
{
    *last = h->last_refusal;
    return h->refusals;
}

uint64_t sb_transport_host_counter(const sb_transport_host *h, sb_transport_counter counter)
{
    return counter < SB_TRANSPORT_COUNTER_COUNT ? h->counters.values[counter] : 0;
}

/* ---- for tests (testing.h) ---- */

typedef struct cell_totals {
    uint32_t used, shared, granted;
} cell_totals;

static void check_peer(const sb_transport_host *h, const sb_peer *peer, cell_totals *all)
{
    const sb_cell_account *accounts[] = { &peer->link.outbox.account, &peer->link.inbox.account };
    uint16_t               index = sb_transport_host_peer_index(h, peer);
    sb_link_check(&peer->link);
    for (size_t i = 0; i < 2; i++) {
        all->used += accounts[i]->used;
        if (accounts[i]->used > accounts[i]->guaranteed)
            all->shared += accounts[i]->used - accounts[i]->guaranteed;
    }
    all->used += peer->link.inbox.assembly.used;
    all->granted += peer->link.inbox.assembly.guaranteed;
    SB_ASSERT(!peer->in_address_table || sb_addresses_find(&h->addresses, peer->address) == index);
    SB_ASSERT((peer->state == SB_PEER_ESTABLISHED) == (h->peer_by_id[peer->id] == index));
    SB_ASSERT(peer->is_ready || h->deadlines.items[index].place != SB_NOT_IN_HEAP ||
              h->reading_index == index);
}

void sb_transport_host_check(const sb_transport_host *h)
{
    cell_totals all = { 0 };
    uint32_t    established = 0, unproven = 0, in_address_table = 0;
    for (uint32_t i = 0; i < h->peer_top; i++) {
        const sb_peer *peer = &h->peers[i];
        if (peer->state == SB_PEER_FREE) continue;
        check_peer(h, peer, &all);
        established += peer->state == SB_PEER_ESTABLISHED;
        unproven += peer->state == SB_PEER_ESTABLISHED && !peer->is_proven;
        SB_ASSERT(!peer->is_asked || !peer->is_proven);
        in_address_table += peer->in_address_table;
    }
    SB_ASSERT(unproven == h->unproven && unproven <= h->capacity / 2);
    SB_ASSERT(established == h->established && established <= h->capacity);
    SB_ASSERT(h->config.max_peers >= 1 && h->config.max_peers <= h->capacity);
    SB_ASSERT(in_address_table == h->addresses.count);
    SB_ASSERT(all.shared + h->cells.shared_left == h->config.shared_cells);
    SB_ASSERT(all.granted + h->cells.grants_left == h->config.assembly_cells);
    SB_ASSERT(all.used <= h->cells.count);
}

void sb_transport_host_set_numbers(sb_transport_host *h, uint8_t peer_id, uint16_t send,
                                   uint16_t expect)
{
    sb_peer *peer = find_peer(h, peer_id);
    SB_ASSERT(peer != NULL);
    sb_link_set_numbers(&peer->link, send, expect);
    peer->is_asked = false; /* with numbers that are not old any more */
}

bool sb_transport_host_expects(const sb_transport_host *h, uint8_t peer_id,
                               const sb_transport_message *ack)
{
    const sb_peer *peer = find_peer(h, peer_id);
    return peer && sb_outbox_expects(&peer->link.outbox, ack);
}

bool sb_transport_host_is_replying(const sb_transport_host *h)
{
    return h->reply_count > 0;
}

bool sb_transport_host_has(const sb_transport_host *h, uint8_t peer_id,
                           const sb_transport_message *ack)
{
    const sb_peer *peer = find_peer(h, peer_id);
    return peer && sb_inbox_has(&peer->link.inbox, ack);
}
