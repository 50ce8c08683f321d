/* src/transport/host_connect.c -- addresses without a session: Connect, half-open entries,
 * refusals, changed ports.
 *
 * For:      host.
 * Never:    gives a stranger more than a small table entry and a few bytes of answer before it has
 *           shown that it receives our datagrams.
 * Tests:    tests/transport/host_connect_test.c, host_half_open_test.c, host_rebind_test.c.
 * Spec:     01 §5.2, §5.3, §10.2-§10.6.
 */
#include <starbase/cipher.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "transport/host_internal.h"

#include <string.h>

enum {
    CONNECT_MIN = 17, /* bytes of a datagram with a Connect (spec 01 §10.2) */
    CONNECT_MAX = 150,
    RESPONSES_MAX = 4,
    HALF_OPEN_DATAGRAMS = 64, /* limit per half-open entry; no client needs more */
    REBIND_AHEAD = 31,        /* plausible distance of a sequence number (spec 01 §10.5) */
    REBINDS_PER_S = 20,       /* budget of attempts to move a peer to another port */
};

static const sb_time half_open_timeout = 10 * SB_SECOND;
static const sb_time half_open_min_age = 3 * SB_SECOND; /* a younger entry is not replaced */
static const sb_time rebind_silence = 6 * SB_SECOND;    /* an idle peer sends a NoOp every 5 s */
static const sb_time old_port_memory = 60 * SB_SECOND;
/* Pause after each of the four responses, which leave at 0, 1, 3 and 6 s (spec 01 §5.3). */
static const sb_time response_wait[RESPONSES_MAX] = { 1000000, 2000000, 3000000, SB_TIME_NEVER };

/* ---- replies to addresses without a session ---- */

static const uint8_t ack_of_connect[] = { SB_PEER_HOST,      1, SB_TRANSPORT_ACK, 0, 0,
                                          SB_ACK_LOW_CHANNEL };

static void queue_reply(sb_transport_host *h, sb_endpoint to, const uint8_t *plain, size_t size)
{
    if (h->reply_count == SB_REPLIES_MAX) { /* the sender retransmits */
        SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_DROPPED_ANSWER);
        return;
    }
    sb_reply *reply = &h->replies[(h->reply_first + h->reply_count++) % SB_REPLIES_MAX];
    reply->to = to;
    reply->size = (uint8_t)size;
    SB_ASSERT(size <= sizeof reply->plain);
    memcpy(reply->plain, plain, size);
}

static void note_refusal(sb_transport_host *h, sb_endpoint from, uint8_t boot_reason,
                         sb_transport_counter why)
{
    h->refusals++;
    h->last_refusal = (sb_connect_refusal){ from, boot_reason, why };
}

/* Queues an Ack of the Connect and a Boot: 13 bytes, no state kept (spec 01 §5.3). */
static void queue_refusal(sb_transport_host *h, sb_endpoint to, uint8_t reason,
                          sb_transport_counter why)
{
    note_refusal(h, to, reason, why);
    const uint8_t plain[] = { SB_PEER_HOST,
                              2,
                              SB_TRANSPORT_ACK,
                              0,
                              0,
                              SB_ACK_LOW_CHANNEL,
                              SB_TRANSPORT_BOOT,
                              7,
                              0xC0,
                              0,
                              0,
                              reason,
                              SB_PEER_NONE };
    _Static_assert(sizeof plain == SB_REPLY_BYTES, "the longest reply");
    queue_reply(h, to, plain, sizeof plain);
}

/* Queues a Boot with sequence number 1: the Connect response had number 0. */
static void queue_boot(sb_transport_host *h, const sb_half_open *half)
{
    const uint8_t plain[] = { SB_PEER_HOST, 1,       SB_TRANSPORT_BOOT, 7, 0xC0, 1, 0,
                              SB_BOOT_FULL, half->id };
    queue_reply(h, half->address, plain, sizeof plain);
}

size_t sb_transport_host_write_reply(sb_transport_host *h, sb_endpoint *to, uint8_t *out)
{
    if (h->reply_count == 0) return 0;
    const sb_reply *reply = &h->replies[h->reply_first];
    h->reply_first = (h->reply_first + 1) % SB_REPLIES_MAX;
    h->reply_count--;
    *to = reply->to;
    memcpy(out, reply->plain, reply->size);
    return reply->size;
}

/* ---- half-open entries ---- */

static sb_time next_action_at(const sb_half_open *half)
{
    sb_time end = half->opened_at + half_open_timeout;
    return half->send_at < end ? half->send_at : end;
}

static void update_half_open_due(sb_transport_host *h)
{
    h->half_open_due_at = SB_TIME_NEVER;
    for (size_t i = 0; i < SB_HALF_OPEN_MAX; i++)
        if (h->half_open[i].used && next_action_at(&h->half_open[i]) < h->half_open_due_at)
            h->half_open_due_at = next_action_at(&h->half_open[i]);
}

void sb_transport_host_free_half_open(sb_transport_host *h, sb_half_open *half)
{
    sb_addresses_remove(&h->addresses, half->address);
    half->used = false;
    h->half_open_count--;
    update_half_open_due(h);
}

void sb_transport_host_expire_half_open(sb_transport_host *h)
{
    for (size_t i = 0; i < SB_HALF_OPEN_MAX; i++) {
        sb_half_open *half = &h->half_open[i];
        if (half->used && h->now >= half->opened_at + half_open_timeout)
            sb_transport_host_free_half_open(h, half);
    }
}

/* Writes the Ack of the Connect and the Connect response: 12 bytes (spec 01 §5.3). */
static size_t write_response(const sb_half_open *half, uint8_t *out)
{
    const uint8_t plain[] = { SB_PEER_HOST,
                              2,
                              SB_TRANSPORT_ACK,
                              0,
                              0,
                              SB_ACK_LOW_CHANNEL,
                              SB_TRANSPORT_CONNECT,
                              6,
                              0xC0,
                              0,
                              0,
                              half->id };
    memcpy(out, plain, sizeof plain);
    return sizeof plain;
}

size_t sb_transport_host_write_half_open(sb_transport_host *h, sb_endpoint *to, uint8_t *out)
{
    if (h->half_open_due_at > h->now) return 0;
    for (size_t i = 0; i < SB_HALF_OPEN_MAX; i++) {
        sb_half_open *half = &h->half_open[i];
        if (!half->used || half->send_at > h->now) continue;
        SB_ASSERT(half->responses_sent < RESPONSES_MAX);
        sb_time wait = response_wait[half->responses_sent++];
        half->send_at = wait == SB_TIME_NEVER ? SB_TIME_NEVER : h->now + wait;
        update_half_open_due(h);
        *to = half->address;
        return write_response(half, out);
    }
    return 0;
}

/* The byte that starts a GameSpy query is never an id: byte 0 of a datagram tells them apart. */
static bool is_id_taken(const sb_transport_host *h, uint8_t id)
{
    if (id == SB_GAMESPY_BYTE || h->peer_by_id[id] != SB_NO_PLACE ||
        h->id_lingers_until[id] > h->now)
        return true;
    for (size_t i = 0; i < SB_HALF_OPEN_MAX; i++)
        if (h->half_open[i].used && h->half_open[i].id == id) return true;
    return false;
}

/* Chooses the lowest free id (spec 01 §5.1), but if possible not a quarantined one: the last owner
 * of such an id may still use it, and could be taken for a new owner behind the same address
 * (§10.5). SB_PEER_NONE: all ids are in use. */
static uint8_t choose_id(const sb_transport_host *h)
{
    uint8_t second_best = SB_PEER_NONE;
    for (unsigned i = SB_ID_FIRST; i < SB_ID_LIMIT; i++) {
        uint8_t id = (uint8_t)i;
        if (is_id_taken(h, id)) continue;
        if (h->id_quarantined_until[id] <= h->now) return id;
        if (second_best == SB_PEER_NONE) second_best = id;
    }
    return second_best;
}

static uint32_t count_half_open_from(const sb_transport_host *h, uint32_t address)
{
    uint32_t count = 0;
    for (size_t i = 0; i < SB_HALF_OPEN_MAX; i++)
        if (h->half_open[i].used && h->half_open[i].address.address == address) count++;
    return count;
}

static uint32_t count_peers_from(const sb_transport_host *h, uint32_t address)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < h->peer_count; i++)
        if (h->peers[i].state == SB_PEER_ESTABLISHED && h->peers[i].address.address == address)
            count++;
    return count;
}

enum { ADMITTED = SB_TRANSPORT_COUNTER_COUNT }; /* no reason to refuse */

/* ADMITTED: the host can accept one more peer from this address after `replaced` (may be NULL)
 * leaves. */
static sb_transport_counter check_capacity(const sb_transport_host *h, uint32_t address,
                                           const sb_peer *replaced)
{
    uint32_t                        leaving = replaced && replaced->state == SB_PEER_ESTABLISHED;
    const sb_transport_host_config *c = &h->config;
    if (h->established - leaving >= c->max_peers) return SB_TRANSPORT_COUNT_REFUSED_FULL;
    if (c->peers_per_ip > 0 && count_peers_from(h, address) - leaving >= c->peers_per_ip)
        return SB_TRANSPORT_COUNT_REFUSED_SOURCE;
    return (sb_transport_counter)ADMITTED;
}

/* Frees the oldest half-open entry of a full table if it is at least 3 s old, so that clients
 * that never answer cannot lock out all others. */
static void drop_oldest_half_open(sb_transport_host *h)
{
    sb_half_open *oldest = NULL;
    for (size_t i = 0; i < SB_HALF_OPEN_MAX; i++)
        if (h->half_open[i].used && (!oldest || h->half_open[i].opened_at < oldest->opened_at))
            oldest = &h->half_open[i];
    if (!oldest || h->now - oldest->opened_at < half_open_min_age) return;
    SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_HALF_OPEN_REPLACED);
    sb_transport_host_free_half_open(h, oldest);
}

/* Makes sure that a half-open entry is free, and chooses an id for the new client. */
static sb_result prepare_half_open(sb_transport_host *h, uint32_t address, uint8_t *id)
{
    if (count_half_open_from(h, address) >= SB_HALF_OPEN_PER_IP)
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_HALF_OPEN_SOURCE, SB_FULL);
    if (h->half_open_count == SB_HALF_OPEN_MAX) drop_oldest_half_open(h);
    *id = choose_id(h);
    if (h->half_open_count == SB_HALF_OPEN_MAX || *id == SB_PEER_NONE)
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_HALF_OPEN_TOTAL, SB_FULL);
    return SB_OK;
}

static void add_half_open(sb_transport_host *h, sb_endpoint from, uint8_t id)
{
    size_t i = 0;
    SB_ASSERT(h->half_open_count < SB_HALF_OPEN_MAX);
    while (h->half_open[i].used) i++;
    h->half_open[i] = (sb_half_open){
        .used = true, .id = id, .address = from, .opened_at = h->now, .send_at = h->now
    };
    h->half_open_count++;
    h->half_open_due_at = h->now;
    sb_addresses_add(&h->addresses, from, (uint16_t)(SB_HALF_OPEN | i));
    SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_CONNECTS);
}

/* ---- admission ---- */

/* Parses by hand: a password without terminator ends with the payload (spec 01 §13 Q3). */
static bool parse_request(sb_span payload, sb_connect_request *out)
{
    if (payload.size < 8) return false;
    const uint8_t *p = payload.data;
    size_t         end = 8;
    while (end + 2 <= payload.size && sb_load_u16(p + end) != 0) end += 2;
    out->address = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    out->opaque = sb_load_u32(p + 4);
    out->password = (sb_span){ p + 8, end - 8 };
    return true;
}

static bool is_password_right(const sb_transport_host *h, sb_span password)
{
    if (h->password_size == 0) return true;
    return password.size == h->password_size &&
           memcmp(password.data, h->password, password.size) == 0;
}

/* Checks password, admission rule and capacity. ADMITTED, or the reason to refuse and the reason
 * that the Boot names. */
static sb_transport_counter check_admission(const sb_transport_host *h, sb_endpoint from,
                                            const sb_connect_request *request,
                                            const sb_peer *replaced, uint8_t *boot_reason)
{
    const sb_transport_host_config *c = &h->config;
    *boot_reason = SB_BOOT_PASSWORD;
    if (!is_password_right(h, request->password)) return SB_TRANSPORT_COUNT_REFUSED_PASSWORD;
    *boot_reason = SB_BOOT_BANNED;
    if (c->admit && !c->admit(c->admit_context, from, request, boot_reason))
        return SB_TRANSPORT_COUNT_REFUSED_BANNED;
    *boot_reason = SB_BOOT_FULL;
    return check_capacity(h, from.address, replaced);
}

static void remove_replaced(sb_transport_host *h, sb_peer *peer)
{
    if (peer->state == SB_PEER_ESTABLISHED)
        sb_transport_host_remove(h, peer, SB_LEFT_RESTARTED, SB_BOOT_TIMED_OUT);
    else sb_transport_host_free_peer(h, peer);
}

static sb_result handle_connect(sb_transport_host *h, sb_endpoint from, const sb_datagram *datagram,
                                sb_peer *replaced)
{
    sb_transport_message m;
    sb_connect_request   request;
    uint8_t              reason;
    if (!sb_link_find_message(datagram, SB_TRANSPORT_CONNECT, &m) || !m.reliable || m.seq != 0)
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_NOT_A_CONNECT, SB_NOT_ALLOWED);
    if (!parse_request(m.payload, &request))
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_BAD_CONTROL, SB_BAD_VALUE);
    sb_transport_counter why = check_admission(h, from, &request, replaced, &reason);
    if (why != (sb_transport_counter)ADMITTED) {
        queue_refusal(h, from, reason, why);
        return sb_link_refuse(&h->counters, why, SB_NOT_ALLOWED);
    }
    uint8_t   id = SB_PEER_NONE;
    sb_result result = prepare_half_open(h, from.address, &id);
    if (result != SB_OK) return result;
    if (replaced) remove_replaced(h, replaced);
    add_half_open(h, from, id);
    sb_transport_host_count_received(h, datagram);
    return SB_OK;
}

/* ---- a peer whose NAT changed its port (spec 01 §10.5) ---- */

static bool may_rebind(const sb_transport_host *h, const sb_peer *peer, sb_endpoint from)
{
    return h->config.rebind && peer->address.address == from.address &&
           h->now - peer->link.heard_at > rebind_silence;
}

/* Was this the peer's port until it moved? Then the move may have been somebody's forgery. */
static bool is_old_port(const sb_transport_host *h, const sb_peer *peer, sb_endpoint from)
{
    return peer->address.address == from.address && peer->old_port == from.port &&
           h->now - peer->moved_at < old_port_memory;
}

/* Does the datagram hold something a stranger could hardly know: a sequence number near the
 * expected one, or an Ack of a message in flight? The number of a Disconnect is no secret. */
static bool shows_knowledge(const sb_peer *peer, const sb_datagram *datagram)
{
    sb_transport_message m;
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m);) {
        if (m.type == SB_TRANSPORT_ACK && sb_outbox_expects(&peer->link.outbox, &m)) return true;
        if (m.type != SB_TRANSPORT_ACK && m.type != SB_TRANSPORT_NOOP &&
            m.type != SB_TRANSPORT_DISCONNECT && m.reliable &&
            sb_inbox_is_plausible(&peer->link.inbox, &m, REBIND_AHEAD))
            return true;
    }
    return false;
}

static void move_peer(sb_transport_host *h, sb_peer *peer, sb_endpoint to)
{
    sb_addresses_remove(&h->addresses, peer->address);
    peer->old_port = peer->address.port;
    peer->moved_at = h->now;
    peer->address = to;
    sb_addresses_add(&h->addresses, to, sb_transport_host_peer_index(h, peer));
    SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_REBOUND);
}

static sb_result try_rebind(sb_transport_host *h, sb_peer *peer, sb_endpoint from, sb_span bytes)
{
    sb_datagram datagram;
    sb_budget_refill(&peer->rebinds, h->now, REBINDS_PER_S, 2 * REBINDS_PER_S);
    if (!sb_budget_has(&peer->rebinds, 1))
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_OVER_BUDGET, SB_FULL);
    sb_budget_spend(&peer->rebinds, 1);
    sb_result result = sb_link_open_datagram(&h->counters, h->plain, bytes, &datagram);
    if (result != SB_OK) return result;
    if (!shows_knowledge(peer, &datagram))
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_UNKNOWN_SOURCE, SB_NOT_ALLOWED);
    result = sb_transport_host_start_reading(h, peer, &datagram);
    if (result == SB_OK) move_peer(h, peer, from);
    return result;
}

/* Any valid datagram from the old port moves the peer back at once. */
static sb_result return_to_old_port(sb_transport_host *h, sb_peer *peer, sb_endpoint from,
                                    sb_span bytes)
{
    sb_result result = sb_transport_host_receive_peer(h, peer, bytes);
    if (result == SB_OK && peer->state == SB_PEER_ESTABLISHED) move_peer(h, peer, from);
    return result;
}

static sb_result receive_unknown_id(sb_transport_host *h, sb_endpoint from, sb_span datagram)
{
    SB_ASSERT(datagram.data[0] < SB_ID_LIMIT); /* sb_transport_host_receive checked byte 0 */
    uint16_t place = h->peer_by_id[datagram.data[0]];
    if (place != SB_NO_PLACE && is_old_port(h, &h->peers[place], from))
        return return_to_old_port(h, &h->peers[place], from, datagram);
    if (place != SB_NO_PLACE && may_rebind(h, &h->peers[place], from))
        return try_rebind(h, &h->peers[place], from, datagram);
    return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_UNKNOWN_SOURCE, SB_NOT_ALLOWED);
}

sb_result sb_transport_host_receive_connect(sb_transport_host *h, sb_endpoint from, sb_span bytes,
                                            sb_peer *replaced)
{
    sb_datagram datagram;
    if (h->stopping) return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_LATE, SB_NOT_ALLOWED);
    if (bytes.size < CONNECT_MIN || bytes.size > CONNECT_MAX)
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_CONNECT_LENGTH, SB_BAD_VALUE);
    if (!sb_strangers_spend_source(&h->strangers, h->now, from.address))
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_CONNECT_RATE_SOURCE, SB_FULL);
    if (!sb_strangers_spend_total(&h->strangers, h->now))
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_CONNECT_RATE_TOTAL, SB_FULL);
    sb_result result = sb_link_open_datagram(&h->counters, h->plain, bytes, &datagram);
    return result == SB_OK ? handle_connect(h, from, &datagram, replaced) : result;
}

sb_result sb_transport_host_receive_stranger(sb_transport_host *h, sb_endpoint from, sb_span bytes)
{
    if (bytes.data[0] != SB_PEER_NONE) return receive_unknown_id(h, from, bytes);
    return sb_transport_host_receive_connect(h, from, bytes, NULL);
}

/* ---- from half-open to established ---- */

/* Returns a free entry; if there is none, frees the lingering peer that would leave first. */
static sb_peer *allocate_peer(sb_transport_host *h)
{
    sb_peer *best = NULL;
    for (uint32_t i = 0; i < h->peer_count; i++) {
        sb_peer *peer = &h->peers[i];
        if (peer->state == SB_PEER_FREE) return peer;
        if (peer->state == SB_PEER_LINGERING && (!best || peer->linger_until < best->linger_until))
            best = peer;
    }
    SB_ASSERT(best != NULL && !best->has_event); /* there are more entries than established peers */
    sb_transport_host_free_peer(h, best);
    return best;
}

static void init_budgets(const sb_transport_host *h, sb_peer *peer)
{
    const sb_transport_host_config *c = &h->config;
    peer->limits =
        (sb_peer_limits){ c->timeout_us, c->datagrams_per_s, c->messages_per_s, c->bytes_per_s };
    sb_budget_init(&peer->datagrams, h->now, 2 * c->datagrams_per_s);
    sb_budget_init(&peer->messages, h->now, 2 * c->messages_per_s);
    sb_budget_init(&peer->bytes, h->now, 2 * c->bytes_per_s);
    sb_budget_init(&peer->decryption, h->now, SB_DECRYPTION_BURST);
    sb_budget_init(&peer->without_id, h->now, SB_WITHOUT_ID_BURST);
    sb_budget_init(&peer->rebinds, h->now, 2 * REBINDS_PER_S);
}

static void init_peer(sb_transport_host *h, sb_peer *peer, const sb_half_open *half)
{
    bool     ready = peer->is_ready;
    uint32_t tables = sb_link_table_size(&h->send_bounds, &sb_bounds_store_host);
    memset(peer, 0, offsetof(sb_peer, link));
    peer->is_ready = ready;
    peer->state = SB_PEER_ESTABLISHED;
    peer->id = half->id;
    peer->address = half->address;
    peer->moved_at = h->now - old_port_memory; /* it has no old port */
    peer->in_address_table = true;
    peer->joined_pending = true;
    sb_transport_host_init_departure(&peer->departure, h->now);
    init_budgets(h, peer);
    sb_link_init(&peer->link,
                 &(sb_link_config){
                     .cells = &h->cells,
                     .counters = &h->counters,
                     .tables = h->tables + (size_t)sb_transport_host_peer_index(h, peer) * tables,
                     .send = h->send_bounds,
                     .store = sb_bounds_store_host,
                     .send_cells = h->config.send_cells,
                     .receive_cells = h->config.receive_cells,
                     .pace = (sb_pace)h->config.retransmit,
                     .ack_delay_us = h->config.ack_delay_us,
                     .message_limit = UINT8_MAX },
                 h->now);
    /* The Connect and its response have used sequence number 0 of the low channel, one each way. */
    peer->link.outbox.channels[SB_CHANNEL_LOW].next_seq = 1;
    peer->link.outbox.channels[SB_CHANNEL_LOW].oldest = 1;
    peer->link.inbox.channels[SB_CHANNEL_LOW].expected = 1;
    peer->link.keeps_disconnect_number = true;
}

/* Refuses a half-open client because other clients have filled the host since its Connect. The
 * entry stays, so that each further datagram of the client gets a Boot. */
static sb_result refuse_half_open(sb_transport_host *h, sb_half_open *half,
                                  sb_transport_counter why)
{
    half->refused = true;
    half->refused_why = why;
    half->send_at = SB_TIME_NEVER;
    update_half_open_due(h);
    note_refusal(h, half->address, SB_BOOT_FULL, why);
    queue_boot(h, half);
    return sb_link_refuse(&h->counters, why, SB_NOT_ALLOWED);
}

static sb_result establish(sb_transport_host *h, sb_half_open *half, const sb_datagram *datagram)
{
    sb_transport_counter why = check_capacity(h, half->address.address, NULL);
    if (why != (sb_transport_counter)ADMITTED) return refuse_half_open(h, half, why);
    sb_peer *peer = allocate_peer(h);
    init_peer(h, peer, half);
    sb_transport_host_free_half_open(h, half);
    h->peer_by_id[peer->id] = sb_transport_host_peer_index(h, peer);
    h->established++;
    sb_addresses_add(&h->addresses, peer->address, sb_transport_host_peer_index(h, peer));
    SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_JOINED);
    sb_transport_host_queue_event(h, peer);
    return sb_transport_host_start_reading(h, peer, datagram);
}

/* Handles a datagram under 0xFF: the client has not got our response, or it acknowledged the
 * response before it used its id. */
static sb_result receive_without_id(sb_transport_host *h, sb_half_open *half,
                                    const sb_datagram *datagram)
{
    sb_transport_message m;
    if (sb_link_find_message(datagram, SB_TRANSPORT_CONNECT, &m)) {
        SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_DUPLICATE);
        /* The client may have missed the response: the Boot has sequence number 0, not 1. */
        if (half->refused) queue_refusal(h, half->address, SB_BOOT_FULL, half->refused_why);
        else queue_reply(h, half->address, ack_of_connect, sizeof ack_of_connect);
        return SB_OK;
    }
    if (sb_link_find_message(datagram, SB_TRANSPORT_ACK, &m) && m.seq == 0 &&
        m.ack_flags == SB_ACK_LOW_CHANNEL)
        return establish(h, half, datagram);
    return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_NOT_A_CONNECT, SB_NOT_ALLOWED);
}

sb_result sb_transport_host_receive_half_open(sb_transport_host *h, sb_half_open *half,
                                              sb_span bytes)
{
    sb_datagram datagram;
    uint8_t     id = bytes.data[0];
    if (id != half->id && id != SB_PEER_NONE)
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_ID_MISMATCH, SB_NOT_ALLOWED);
    if (half->datagram_count >= HALF_OPEN_DATAGRAMS)
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_OVER_BUDGET, SB_FULL);
    half->datagram_count++;
    sb_result result = sb_link_open_datagram(&h->counters, h->plain, bytes, &datagram);
    if (result != SB_OK) return result;
    if (id == SB_PEER_NONE) return receive_without_id(h, half, &datagram);
    if (datagram.message_count == 0) return SB_OK; /* no proof that the client got our response */
    if (!half->refused) return establish(h, half, &datagram);
    queue_boot(h, half);
    return sb_link_refuse(&h->counters, half->refused_why, SB_NOT_ALLOWED);
}
