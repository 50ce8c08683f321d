/* src/transport/host_seats.c -- newcomers that answer: proof that they hear us, seats, who gives
 * way.
 *
 * For:      host. host_connect.c has told the newcomer its id.
 * Never:    removes a peer for a newcomer that has not shown that it hears us, nor a peer that has
 *           shown it and answers.
 * Tests:    tests/transport/host_seats_test.c, host_half_open_test.c.
 * Spec:     01 §5.3, §5.4.
 */
#include "base/assert.h"
#include "base/bytes.h"
#include "base/keyed_hash.h"
#include "transport/host_internal.h"

#include <string.h>

static const sb_time ask_interval = SB_SECOND / 4;
static const sb_time proof_time = 2 * SB_SECOND; /* a peer that sends is asked eight times */
static const sb_time patience = 5 * SB_SECOND; /* a newcomer waits so long for others to give way */

uint8_t sb_transport_host_id_told(const sb_transport_host *h, sb_endpoint from)
{
    sb_newcomer_key key = sb_newcomers_key(h->newcomers, h->config.seed, from);
    return sb_newcomers_find(h->newcomers, h->now, key);
}

/* ---- proof that a peer hears us (spec 01 §5.4) ----
 *
 * The host sends three Data messages with old sequence numbers that only the peer gets to know.
 * Every receiver takes them for late copies: it acknowledges and drops them. */

enum {
    PROOF_DISTANCE = 0x0800, /* repeated Acks of real messages are newer than this */
    PROOF_RANGE = 0x2800,    /* all numbers are old: less than 0x4000 behind (spec 01 §6.3) */
};

/* Number `i` of a peer, from a keyed hash: a host need not remember whom it asked. */
static uint16_t proof_number(const sb_transport_host *h, sb_endpoint to, uint8_t id, uint16_t base,
                             unsigned i)
{
    uint64_t who = (uint64_t)to.address << 32 | (uint64_t)to.port << 16 | id;
    uint64_t hash = sb_keyed_hash(h->config.seed, ~h->config.seed, who, i);
    return (uint16_t)(base - PROOF_DISTANCE - (hash >> 32) * PROOF_RANGE / UINT32_MAX);
}

/* Queues a datagram with the three messages: 20 bytes. */
static void ask_for_proof(sb_transport_host *h, sb_endpoint to, uint8_t id, uint16_t base)
{
    uint8_t plain[SB_REPLY_BYTES] = { SB_PEER_HOST, SB_PROOF_NUMBERS };
    for (unsigned i = 0; i < SB_PROOF_NUMBERS; i++) {
        const uint8_t message[] = { SB_TRANSPORT_DATA, 6, 0x80, 0, 0, SB_QUESTION_PAYLOAD };
        uint8_t      *at = plain + 2 + i * sizeof message;
        memcpy(at, message, sizeof message);
        sb_store_u16(at + 3, proof_number(h, to, id, base, i));
    }
    sb_transport_host_queue_reply(h, to, plain, sizeof plain);
}

enum { PROOF_ALL = (1 << SB_PROOF_NUMBERS) - 1 };

/* The bit of the number that an Ack is for; 0: of none. */
static uint8_t find_number(const uint16_t *numbers, uint16_t seq)
{
    unsigned found = 0;
    for (unsigned i = 0; i < SB_PROOF_NUMBERS; i++)
        if (seq == numbers[i]) found |= 1u << i; /* two numbers may be the same */
    return (uint8_t)found;
}

/* Is it an Ack of a number that we may have asked with, or a guess? All others are of real
 * messages. */
static bool is_proof_ack(const sb_transport_message *m, uint16_t base)
{
    uint16_t behind = (uint16_t)(base - m->seq);
    return m->type == SB_TRANSPORT_ACK && m->ack_flags == 0 && behind >= PROOF_DISTANCE &&
           behind <= PROOF_DISTANCE + PROOF_RANGE;
}

/* Is it an Ack of a mark that we sent to this peer (spec 01 §10.8)? `peer` may be NULL. */
static bool is_mark_of(const sb_peer *peer, const sb_transport_message *ack)
{
    return peer && sb_marks_has_sent(&peer->link.marks, ack);
}

/* Adds the Acks of a datagram to the bits that earlier datagrams showed. An Ack of a number that
 * was never sent takes all bits away and ends the reading: a datagram is one guess at most. */
static uint8_t read_acks(const sb_transport_host *h, sb_endpoint from, uint8_t id, uint16_t base,
                         uint8_t proof, const sb_peer *peer, const sb_datagram *datagram)
{
    uint16_t             numbers[SB_PROOF_NUMBERS];
    sb_transport_message m;
    for (unsigned i = 0; i < SB_PROOF_NUMBERS; i++) numbers[i] = proof_number(h, from, id, base, i);
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m) && proof != PROOF_ALL;) {
        if (!is_proof_ack(&m, base) || is_mark_of(peer, &m)) continue;
        uint8_t found = find_number(numbers, m.seq);
        if (found == 0) return 0;
        proof |= found;
    }
    return proof;
}

/* Asks the peer to show that it hears us, at most four times a second. */
static void ask_peer(sb_transport_host *h, sb_peer *peer)
{
    if (peer->is_asked && h->now - peer->asked_again_at < ask_interval) return;
    if (!peer->is_asked) {
        peer->is_asked = true;
        peer->asked_at = h->now;
        peer->proof_base = peer->link.outbox.channels[SB_CHANNEL_DATA].oldest;
    }
    peer->asked_again_at = h->now;
    ask_for_proof(h, peer->address, peer->id, peer->proof_base);
}

void sb_transport_host_read_proof(sb_transport_host *h, sb_peer *peer, const sb_datagram *datagram)
{
    SB_ASSERT(peer->is_asked && !peer->is_proven);
    if (peer->state != SB_PEER_ESTABLISHED) return;
    peer->proof =
        read_acks(h, peer->address, peer->id, peer->proof_base, peer->proof, peer, datagram);
    if (peer->proof != PROOF_ALL) {
        ask_peer(h, peer); /* the question or its answer may be lost */
        return;
    }
    peer->is_proven = true;
    peer->is_asked = false;
    h->unproven--;
    SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_PROVEN);
}

/* Has the newcomer shown that it hears us, with this datagram and those before? */
static bool read_newcomer_proof(sb_transport_host *h, sb_endpoint from, uint8_t id,
                                const sb_peer *known, const sb_datagram *datagram)
{
    if (!h->config.proof) return true;
    sb_newcomer_key key = sb_newcomers_key(h->newcomers, h->config.seed, from);
    uint8_t         before = sb_newcomers_proof(h->newcomers, h->now, key);
    uint8_t         proof = read_acks(h, from, id, 0, before, known, datagram);
    if (proof != before) sb_newcomers_set_proof(h->newcomers, h->now, key, proof);
    return proof == PROOF_ALL;
}

static void ask_unproven(sb_transport_host *h)
{
    for (uint32_t i = 0; h->unproven > 0 && i < h->peer_count; i++)
        if (h->peers[i].state == SB_PEER_ESTABLISHED && !h->peers[i].is_proven)
            ask_peer(h, &h->peers[i]);
}

/* Peers that have not shown that they hear us hold at most half of the seats. */
static uint32_t unproven_max(const sb_transport_host *h)
{
    return h->config.max_peers / 2;
}

/* ---- seats ---- */

static uint32_t count_peers_from(const sb_transport_host *h, uint32_t address)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < h->peer_count; i++)
        if (h->peers[i].state == SB_PEER_ESTABLISHED && h->peers[i].address.address == address)
            count++;
    return count;
}

static bool is_source_full(const sb_transport_host *h, uint32_t address, uint32_t leaving)
{
    uint32_t most = h->config.peers_per_ip;
    return most > 0 && count_peers_from(h, address) - leaving >= most;
}

/* SB_SEAT_GRANTED: a seat is free for one more peer of this address after `known` leaves. */
static sb_transport_counter check_capacity(const sb_transport_host *h, uint32_t address,
                                           const sb_peer *known)
{
    uint32_t leaving = known && known->state == SB_PEER_ESTABLISHED;
    if (h->established - leaving >= h->config.max_peers) return SB_TRANSPORT_COUNT_REFUSED_FULL;
    if (is_source_full(h, address, leaving)) return SB_TRANSPORT_COUNT_REFUSED_SOURCE;
    return (sb_transport_counter)SB_SEAT_GRANTED;
}

static sb_time gives_way_at(const sb_transport_host *h, const sb_peer *peer)
{
    const sb_transport_host_config *c = &h->config;
    if (!peer->is_proven) return (peer->is_asked ? peer->asked_at : h->now) + proof_time;
    return c->gives_way_at ? c->gives_way_at(c->gives_way_context, peer->id) : SB_TIME_NEVER;
}

/* The peer that gives way to a newcomer of this address not later than `by`: first those that have
 * not shown that they hear us. If the address has too many peers, one of them. NULL: none. */
static sb_peer *find_giving_way(const sb_transport_host *h, uint32_t address, sb_time by)
{
    bool     same_source = is_source_full(h, address, 0);
    sb_peer *best = NULL;
    sb_time  best_at = SB_TIME_NEVER;
    for (uint32_t i = 0; i < h->peer_count; i++) {
        sb_peer *peer = &h->peers[i];
        if (peer->state != SB_PEER_ESTABLISHED) continue;
        if (same_source && peer->address.address != address) continue;
        sb_time at = gives_way_at(h, peer);
        if (at > by || (best && peer->is_proven > best->is_proven)) continue;
        if (best && peer->is_proven == best->is_proven && at >= best_at) continue;
        best = peer;
        best_at = at;
    }
    return best;
}

/* Asks in time: before the next newcomer needs to know who hears us. */
static void ask_if_short_of_seats(sb_transport_host *h, bool admitted)
{
    if (!admitted || h->unproven + 1 >= unproven_max(h)) ask_unproven(h);
}

sb_transport_counter sb_transport_host_seek_seat(sb_transport_host *h, uint32_t address,
                                                 const sb_peer *known)
{
    sb_transport_counter why = check_capacity(h, address, known);
    bool                 admitted = why == (sb_transport_counter)SB_SEAT_GRANTED;
    ask_if_short_of_seats(h, admitted);
    if (!admitted && find_giving_way(h, address, h->now + patience))
        return (sb_transport_counter)SB_SEAT_GRANTED;
    return why;
}

/* ---- from newcomer to established peer ---- */

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
    sb_budget_init(&peer->marked, h->now, 2 * c->datagrams_per_s);
    sb_budget_init(&peer->messages, h->now, 2 * c->messages_per_s);
    sb_budget_init(&peer->bytes, h->now, 2 * c->bytes_per_s);
    sb_budget_init(&peer->decryption, h->now, SB_DECRYPTION_BURST);
    sb_budget_init(&peer->without_id, h->now, SB_WITHOUT_ID_BURST);
    sb_budget_init(&peer->rebinds, h->now, 2 * SB_REBINDS_PER_S);
}

/* Of the marks of this session: nobody can guess it without the seed of the host. */
static uint64_t draw_seed(const sb_transport_host *h, const sb_peer *peer)
{
    uint64_t place = (uint64_t)peer->address.address << 16 | peer->address.port;
    uint64_t seed =
        h->config.seed ^ place * 0x9E3779B97F4A7C15u ^ (uint64_t)h->now * 0xD6E8FEB86659FD93u;
    return seed | 1;
}

static void init_peer(sb_transport_host *h, sb_peer *peer, sb_endpoint from, uint8_t id)
{
    bool     ready = peer->is_ready;
    uint32_t tables = sb_link_table_size(&h->send_bounds, &sb_bounds_store_host);
    memset(peer, 0, offsetof(sb_peer, link));
    peer->is_ready = ready;
    peer->state = SB_PEER_ESTABLISHED;
    peer->id = id;
    peer->address = from;
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
                     .message_limit = UINT8_MAX,
                     .seed = draw_seed(h, peer) },
                 h->now);
    /* The Connect and its response have used sequence number 0 of the low channel, one each way. */
    peer->link.outbox.channels[SB_CHANNEL_LOW].next_seq = 1;
    peer->link.outbox.channels[SB_CHANNEL_LOW].oldest = 1;
    peer->link.inbox.channels[SB_CHANNEL_LOW].expected = 1;
    peer->link.keeps_disconnect_number = true;
}

static void remove_known(sb_transport_host *h, sb_peer *peer)
{
    if (peer->state == SB_PEER_ESTABLISHED)
        sb_transport_host_remove(h, peer, SB_LEFT_RESTARTED, SB_BOOT_TIMED_OUT);
    else sb_transport_host_free_peer(h, peer);
}

static sb_result establish(sb_transport_host *h, sb_endpoint from, uint8_t id, bool proven,
                           const sb_datagram *datagram)
{
    sb_peer *peer = allocate_peer(h);
    init_peer(h, peer, from, id);
    peer->is_proven = proven;
    h->unproven += !proven;
    h->peer_by_id[id] = sb_transport_host_peer_index(h, peer);
    h->established++;
    sb_addresses_add(&h->addresses, from, sb_transport_host_peer_index(h, peer));
    sb_newcomers_remove(h->newcomers, sb_newcomers_key(h->newcomers, h->config.seed, from));
    SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_JOINED);
    if (proven && h->config.proof) SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_PROVEN);
    ask_if_short_of_seats(h, check_capacity(h, from.address, NULL) ==
                                 (sb_transport_counter)SB_SEAT_GRANTED);
    sb_transport_host_queue_event(h, peer);
    return sb_transport_host_start_reading(h, peer, datagram);
}

/* Refuses a newcomer that was told an id: each of its datagrams gets a Boot. It has sequence number
 * 1, as the Connect response had number 0. */
static sb_result refuse_newcomer(sb_transport_host *h, sb_endpoint from, uint8_t id,
                                 sb_transport_counter why)
{
    const uint8_t boot[] = { SB_PEER_HOST, 1, SB_TRANSPORT_BOOT, 7, 0xC0, 1, 0, SB_BOOT_FULL, id };
    sb_transport_host_note_refusal(h, from, SB_BOOT_FULL, why);
    sb_transport_host_queue_reply(h, from, boot, sizeof boot);
    return sb_link_refuse(&h->counters, why, SB_NOT_ALLOWED);
}

bool sb_transport_host_is_proof(const sb_transport_host *h, const sb_peer *peer, sb_endpoint from,
                                const sb_datagram *datagram)
{
    uint16_t base = peer->link.outbox.channels[SB_CHANNEL_DATA].oldest;
    return read_acks(h, from, peer->id, base, 0, peer, datagram) == PROOF_ALL;
}

sb_result sb_transport_host_ask_at(sb_transport_host *h, const sb_peer *peer, sb_endpoint at)
{
    ask_for_proof(h, at, peer->id, peer->link.outbox.channels[SB_CHANNEL_DATA].oldest);
    return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_UNPROVEN, SB_NOT_ALLOWED);
}

/* Asks the newcomer to show that it hears us. */
static sb_result put_off(sb_transport_host *h, sb_endpoint from, uint8_t id)
{
    ask_for_proof(h, from, id, 0);
    return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_UNPROVEN, SB_NOT_ALLOWED);
}

/* Removes the peer that has to give way. False: none has to, yet. */
static bool make_room(sb_transport_host *h, uint32_t address)
{
    sb_peer *peer = find_giving_way(h, address, h->now);
    if (!peer) return false;
    SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_GAVE_WAY);
    sb_transport_host_remove(h, peer, SB_LEFT_GAVE_WAY, SB_BOOT_TIMED_OUT);
    return true;
}

sb_result sb_transport_host_seat_newcomer(sb_transport_host *h, sb_endpoint from, uint8_t id,
                                          const sb_datagram *datagram, sb_peer *known)
{
    if (h->peer_by_id[id] != SB_NO_PLACE || h->id_lingers_until[id] > h->now)
        return refuse_newcomer(h, from, id, SB_TRANSPORT_COUNT_ID_COLLISION);
    sb_transport_counter why = check_capacity(h, from.address, known);
    bool                 admitted = why == (sb_transport_counter)SB_SEAT_GRANTED;
    if (!admitted && !find_giving_way(h, from.address, h->now + patience))
        return refuse_newcomer(h, from, id, why);
    bool restarts = known && known->state == SB_PEER_ESTABLISHED;
    bool crowded = !admitted || h->unproven >= unproven_max(h);
    bool proven = read_newcomer_proof(h, from, id, known, datagram);
    if (crowded) ask_unproven(h);
    if (!proven && (crowded || restarts)) return put_off(h, from, id);
    if (!admitted && !make_room(h, from.address))
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_NO_SEAT_YET, SB_NOT_ALLOWED);
    if (known) remove_known(h, known);
    return establish(h, from, id, proven, datagram);
}

/* Under 0xFF, a client may acknowledge our response before it uses its id. */
static bool is_answer(const sb_datagram *datagram)
{
    sb_transport_message m;
    if (datagram->peer_id != SB_PEER_NONE) return true;
    return sb_link_find_message(datagram, SB_TRANSPORT_ACK, &m) && m.seq == 0 &&
           m.ack_flags == SB_ACK_LOW_CHANNEL;
}

sb_result sb_transport_host_receive_newcomer(sb_transport_host *h, sb_endpoint from, uint8_t id,
                                             sb_span bytes, sb_peer *known)
{
    sb_datagram datagram;
    if (h->stopping) return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_LATE, SB_NOT_ALLOWED);
    sb_result result = sb_transport_host_charge_stranger(h, from);
    if (result == SB_OK) result = sb_link_open_datagram(&h->counters, h->plain, bytes, &datagram);
    if (result != SB_OK) return result;
    if (datagram.message_count == 0) return SB_OK; /* no proof that the client got our response */
    if (!is_answer(&datagram))
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_NOT_A_CONNECT, SB_NOT_ALLOWED);
    return sb_transport_host_seat_newcomer(h, from, id, &datagram, known);
}
