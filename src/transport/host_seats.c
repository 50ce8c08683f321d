/* src/transport/host_seats.c -- newcomers that answer: proof that they hear us, seats, who gives
 * way.
 *
 * For:      host. host_connect.c has told the newcomer its id.
 * Never:    removes a peer for a newcomer that has not shown that it hears us, nor a peer that has
 *           shown it and has joined the game.
 * Tests:    tests/transport/host_seats_test.c, host_questions_test.c, host_quiet_test.c,
 *           host_half_open_test.c.
 * Spec:     01 §5.3, §5.4.
 */
#include "base/assert.h"
#include "base/bytes.h"
#include "base/keyed_hash.h"
#include "transport/host_internal.h"

#include <string.h>

static const sb_time ask_interval = SB_SECOND / 4;
/* A datagram that is half as long as a question pays for one: less of them are lost in two seconds.
 */
static const sb_time ask_interval_paid = SB_SECOND / 10;
static const sb_time proof_time = 2 * SB_SECOND; /* a peer that sends is asked eight times */
static const sb_time patience = 5 * SB_SECOND; /* a newcomer waits so long for others to give way */

uint8_t sb_transport_host_id_told(const sb_transport_host *h, sb_endpoint from)
{
    sb_newcomer_key key = sb_newcomers_key(h->newcomers, h->config.seed, from);
    return sb_newcomers_find(h->newcomers, h->now, key);
}

/* ---- proof that a peer hears us (spec 01 §5.4) ----
 *
 * The host asks with Data messages under old sequence numbers that only the peer gets to know.
 * Every receiver takes them for late copies: it acknowledges and drops them. The Acks of all of
 * them are the proof. If they come in one datagram, other Acks in it do not matter: a forger can
 * make the peer send them. */

enum {
    PROOF_DISTANCE = 0x0800,                       /* repeated Acks of real messages are newer */
    PROOF_RANGE = 1600,                            /* of each number */
    PROOF_LENGTH = PROOF_RANGE * SB_PROOF_NUMBERS, /* all are less than 0x4000 behind (§6.3) */
    PROOF_DRIFT = 1024,                            /* so much our numbers may move on */
    PROOF_EPOCHS = 3, /* questions that count: of this second, and of the two before */
    QUESTION_BYTES = 2 + 6 * SB_PROOF_NUMBERS,
    PROOF_ALL = (1 << SB_PROOF_NUMBERS) - 1,
};
_Static_assert((int)QUESTION_BYTES <= (int)SB_REPLY_BYTES, "a question is a reply");

/* Which numbers a question has: those of one second are the same, so a host need not remember whom
 * it asked; the next second has others, which every receiver acknowledges at once. */
typedef struct question {
    sb_endpoint to;
    uint8_t     id;
    uint16_t    base; /* the numbers are older than this one */
} question;

static void draw_numbers(const sb_transport_host *h, const question *q, uint64_t epoch,
                         uint16_t numbers[SB_PROOF_NUMBERS])
{
    uint64_t who = (uint64_t)q->to.address << 32 | (uint64_t)q->to.port << 16 | q->id;
    uint64_t draw = sb_keyed_hash(h->config.seed, ~h->config.seed, who, epoch);
    for (unsigned i = 0; i < SB_PROOF_NUMBERS; i++) {
        unsigned distance = PROOF_DISTANCE + i * PROOF_RANGE + (unsigned)(draw % PROOF_RANGE);
        numbers[i] = (uint16_t)(q->base - distance);
        draw /= PROOF_RANGE;
    }
}

static uint64_t epoch_of(const sb_transport_host *h)
{
    return (uint64_t)h->now / SB_SECOND;
}

static void ask_for_proof(sb_transport_host *h, const question *q)
{
    uint16_t numbers[SB_PROOF_NUMBERS];
    uint8_t  plain[QUESTION_BYTES] = { SB_PEER_HOST, SB_PROOF_NUMBERS };
    draw_numbers(h, q, epoch_of(h), numbers);
    for (unsigned i = 0; i < SB_PROOF_NUMBERS; i++) {
        const uint8_t message[] = { SB_TRANSPORT_DATA, 6, 0x80, 0, 0, SB_QUESTION_PAYLOAD };
        uint8_t      *at = plain + 2 + i * sizeof message;
        memcpy(at, message, sizeof message);
        sb_store_u16(at + 3, numbers[i]);
    }
    sb_transport_host_queue_reply(h, q->to, plain, sizeof plain);
}

/* The index of the number that the Ack may name; SB_PROOF_NUMBERS: of none. */
static unsigned find_index(const question *q, const sb_transport_message *m)
{
    uint16_t distance = (uint16_t)(q->base - PROOF_DISTANCE - m->seq);
    if (m->type != SB_TRANSPORT_ACK || m->ack_flags != 0 || distance >= PROOF_LENGTH)
        return SB_PROOF_NUMBERS;
    return distance / PROOF_RANGE;
}

/* Has the datagram an Ack for each index? Most have none. */
static bool may_be_proof(const question *q, const sb_datagram *datagram)
{
    sb_transport_message m;
    unsigned             found = 0;
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m);) found |= 1u << find_index(q, &m);
    return (found & PROOF_ALL) == PROOF_ALL;
}

static bool answers_epoch(const sb_transport_host *h, const question *q, uint64_t epoch,
                          const sb_datagram *datagram)
{
    uint16_t             numbers[SB_PROOF_NUMBERS];
    sb_transport_message m;
    unsigned             found = 0;
    draw_numbers(h, q, epoch, numbers);
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m);) {
        unsigned i = find_index(q, &m);
        if (i < SB_PROOF_NUMBERS && numbers[i] == m.seq) found |= 1u << i;
    }
    return found == PROOF_ALL;
}

static bool is_proof(const sb_transport_host *h, const question *q, const sb_datagram *datagram)
{
    if (!(datagram->kinds & SB_HAS_ACK) || !may_be_proof(q, datagram)) return false;
    for (uint64_t age = 0; age < PROOF_EPOCHS; age++)
        if (answers_epoch(h, q, epoch_of(h) - age, datagram)) return true;
    return false;
}

/* Is it an Ack of a mark that we sent to this peer (spec 01 §10.8)? `peer` may be NULL. */
static bool is_mark_of(const sb_peer *peer, const sb_transport_message *ack)
{
    sb_marks_found found = { { 0 } };
    if (!peer) return false;
    sb_marks_find(&peer->link.marks, ack, &found);
    for (unsigned i = 0; i < SB_MARKS_SETS; i++)
        if (found.bits[i] != 0) return true;
    return false;
}

/* The bit of the number that the Ack names; 0: of none that we asked with in the last seconds. */
static uint8_t find_bit(const sb_transport_host *h, const question *q,
                        const sb_transport_message *ack)
{
    uint16_t numbers[SB_PROOF_NUMBERS];
    unsigned i = find_index(q, ack);
    for (uint64_t age = 0; age < PROOF_EPOCHS; age++) {
        draw_numbers(h, q, epoch_of(h) - age, numbers);
        if (numbers[i] == ack->seq) return (uint8_t)(1u << i);
    }
    return 0;
}

/* Adds the Acks of a datagram to the bits that earlier ones showed; PROOF_ALL: that is the proof.
 * An Ack of a number that we never asked with takes all bits away and ends the reading: so a
 * datagram is one guess. */
static uint8_t read_proof(const sb_transport_host *h, const question *q, uint8_t bits,
                          const sb_peer *peer, const sb_datagram *datagram)
{
    sb_transport_message m;
    if (!(datagram->kinds & SB_HAS_ACK)) return bits;
    if (is_proof(h, q, datagram)) return PROOF_ALL;
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m) && bits != PROOF_ALL;) {
        if (find_index(q, &m) == SB_PROOF_NUMBERS || is_mark_of(peer, &m)) continue;
        uint8_t found = find_bit(h, q, &m);
        if (found == 0) return 0;
        bits |= found;
    }
    return bits;
}

static uint16_t oldest_number(const sb_peer *peer)
{
    return peer->link.outbox.channels[SB_CHANNEL_DATA].oldest;
}

static question question_to(const sb_peer *peer)
{
    return (question){ peer->address, peer->id, peer->proof_base };
}

static void ask_peer_after(sb_transport_host *h, sb_peer *peer, sb_time interval)
{
    if (peer->is_asked && h->now - peer->asked_again_at < interval) return;
    if (!peer->is_asked) peer->asked_at = h->now;
    if (!peer->is_asked) peer->proof = 0;
    if (!peer->is_asked || (uint16_t)(oldest_number(peer) - peer->proof_base) > PROOF_DRIFT)
        peer->proof_base = oldest_number(peer);
    peer->is_asked = true;
    peer->asked_again_at = h->now;
    question q = question_to(peer);
    ask_for_proof(h, &q);
}

void sb_transport_host_ask_peer(sb_transport_host *h, sb_peer *peer)
{
    ask_peer_after(h, peer, ask_interval);
}

/* The question or its answer may be lost. */
static void ask_again(sb_transport_host *h, sb_peer *peer, const sb_datagram *datagram)
{
    bool pays = 2 * (2 + datagram->messages.size) >= QUESTION_BYTES;
    ask_peer_after(h, peer, pays ? ask_interval_paid : ask_interval);
}

void sb_transport_host_read_proof(sb_transport_host *h, sb_peer *peer, const sb_datagram *datagram)
{
    SB_ASSERT(peer->is_asked && !peer->is_proven);
    if (peer->state != SB_PEER_ESTABLISHED) return;
    question q = question_to(peer);
    peer->proof = read_proof(h, &q, peer->proof, peer, datagram);
    if (peer->proof != PROOF_ALL) {
        ask_again(h, peer, datagram);
        return;
    }
    peer->is_proven = true;
    peer->is_asked = false;
    h->unproven--;
    SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_PROVEN);
}

/* Has the newcomer shown that it hears us, with this datagram and those before? */
static bool read_newcomer_proof(sb_transport_host *h, const question *q, const sb_peer *known,
                                const sb_datagram *datagram)
{
    sb_newcomer_key key = sb_newcomers_key(h->newcomers, h->config.seed, q->to);
    uint8_t         before = sb_newcomers_proof(h->newcomers, h->now, key);
    uint8_t         proof = read_proof(h, q, before, known, datagram);
    if (proof != before) sb_newcomers_set_proof(h->newcomers, h->now, key, proof);
    return proof == PROOF_ALL;
}

static void ask_unproven(sb_transport_host *h)
{
    for (uint32_t i = 0; h->unproven > 0 && i < h->peer_top; i++)
        if (h->peers[i].state == SB_PEER_ESTABLISHED && !h->peers[i].is_proven)
            sb_transport_host_ask_peer(h, &h->peers[i]);
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
    for (uint32_t i = 0; i < h->peer_top; i++)
        if (h->peers[i].state == SB_PEER_ESTABLISHED && h->peers[i].address.address == address)
            count++;
    return count;
}

static bool is_source_full(const sb_transport_host *h, uint32_t address, uint32_t leaving)
{
    uint32_t most = h->config.peers_per_ip;
    if (sb_transport_host_is_house(h, (sb_endpoint){ address, 0 })) return false;
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

/* Joins of an address that are not finished, of peers that hear us: a stranger cannot add to them
 * in the name of somebody else. */
static uint32_t count_unfinished(const sb_transport_host *h, uint32_t address)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < h->peer_top; i++) {
        const sb_peer *peer = &h->peers[i];
        if (peer->state == SB_PEER_ESTABLISHED && peer->is_proven &&
            peer->address.address == address && gives_way_at(h, peer) != SB_TIME_NEVER)
            count++;
    }
    return count;
}

/* A peer that may have to give way. */
typedef struct candidate {
    sb_peer *peer;
    bool     house; /* it goes before all others, at any time */
    uint32_t joins; /* unfinished ones of its address; 0: it has not shown that it hears us */
    sb_time  at;    /* when its time is up */
} candidate;

static candidate consider(const sb_transport_host *h, sb_peer *peer)
{
    candidate c = { peer, peer->is_house, 0, gives_way_at(h, peer) };
    if (!c.house && peer->is_proven && c.at != SB_TIME_NEVER)
        c.joins = count_unfinished(h, peer->address.address);
    return c;
}

/* Does the peer give way not later than `by` to an address that has `own` unfinished joins? One of
 * an address with more: so no address can keep a room full, nor take the seat of a client that
 * loads for long. If it has two more, at once: afterwards both shares are nearer to each other. */
static bool has_to_go(const candidate *c, uint32_t own, sb_time by)
{
    if (c->house) return true;
    if (c->peer->is_proven && c->joins <= own) return false;
    return c->at <= by || c->joins >= own + 2;
}

/* First house peers, then those that have not shown that they hear us, then those of the address
 * with most unfinished joins, then the one that has waited longest. */
static bool goes_before(const candidate *c, const candidate *other)
{
    if (!other->peer || c->house != other->house) return !other->peer || c->house;
    if (c->peer->is_proven != other->peer->is_proven) return !c->peer->is_proven;
    return c->joins != other->joins ? c->joins > other->joins : c->at < other->at;
}

/* The peer that gives way to a newcomer of this address not later than `by`. If the address has too
 * many peers, one of them: by its time alone. NULL: none, as for every newcomer of the house. */
static sb_peer *find_giving_way(const sb_transport_host *h, sb_endpoint from, sb_time by)
{
    uint32_t  address = from.address;
    bool      same_source = is_source_full(h, address, 0);
    uint32_t  own = count_unfinished(h, address);
    candidate best = { .peer = NULL };
    if (sb_transport_host_is_house(h, from)) return NULL;
    for (uint32_t i = 0; i < h->peer_top; i++) {
        sb_peer *peer = &h->peers[i];
        if (peer->state != SB_PEER_ESTABLISHED) continue;
        if (same_source && peer->address.address != address) continue;
        candidate c = consider(h, peer);
        if (same_source ? c.at > by : !has_to_go(&c, own, by)) continue;
        if (goes_before(&c, &best)) best = c;
    }
    return best.peer;
}

/* Asks in time: before the next newcomer needs to know who hears us. */
static void ask_if_short_of_seats(sb_transport_host *h, bool admitted)
{
    if (!admitted || h->unproven + 1 >= unproven_max(h)) ask_unproven(h);
}

sb_transport_counter sb_transport_host_seek_seat(sb_transport_host *h, sb_endpoint from,
                                                 const sb_peer *known)
{
    sb_transport_counter why = check_capacity(h, from.address, known);
    bool                 admitted = why == (sb_transport_counter)SB_SEAT_GRANTED;
    ask_if_short_of_seats(h, admitted);
    if (!admitted && find_giving_way(h, from, h->now + patience))
        return (sb_transport_counter)SB_SEAT_GRANTED;
    return why;
}

/* ---- from newcomer to established peer ---- */

/* The first entry that was never used. */
static sb_peer *add_peer(sb_transport_host *h)
{
    sb_peer *peer = &h->peers[h->peer_top++];
    peer->state = SB_PEER_FREE;
    peer->is_ready = peer->has_event = false;
    return peer;
}

/* Returns a free entry; if there is none, frees the lingering peer that would leave first. */
static sb_peer *allocate_peer(sb_transport_host *h)
{
    sb_peer *best = NULL;
    for (uint32_t i = 0; i < h->peer_top; i++) {
        sb_peer *peer = &h->peers[i];
        if (peer->state == SB_PEER_FREE) return peer;
        if (peer->state == SB_PEER_LINGERING && (!best || peer->linger_until < best->linger_until))
            best = peer;
    }
    if (h->peer_top < h->peer_count) return add_peer(h);
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
    return sb_keyed_hash(h->config.seed, 3, place, (uint64_t)h->now) | 1;
}

static void init_peer(sb_transport_host *h, sb_peer *peer, sb_endpoint from, uint8_t id)
{
    bool     ready = peer->is_ready;
    uint32_t out = sb_link_out_table_size(&h->send_bounds);
    uint32_t in = sb_inbox_table_size(&sb_bounds_store_host);
    size_t   index = sb_transport_host_peer_index(h, peer);
    memset(peer, 0, offsetof(sb_peer, link));
    peer->is_ready = ready;
    peer->state = SB_PEER_ESTABLISHED;
    peer->id = id;
    peer->address = from;
    peer->in_address_table = true;
    peer->is_house = sb_transport_host_is_house(h, from);
    peer->joined_pending = true;
    peer->quiet_until = peer->quiet_from = h->now;
    sb_departure_init(&peer->departure, h->now);
    init_budgets(h, peer);
    sb_link_init(&peer->link,
                 &(sb_link_config){ .cells = &h->cells,
                                    .counters = &h->counters,
                                    .tables = h->out_tables + index * out,
                                    .few = h->few + index * SB_FEW_WINDOWS,
                                    .in_tables = h->in_tables + index * in,
                                    .firsts = h->firsts + index * SB_GUARD_FIRSTS,
                                    .send = h->send_bounds,
                                    .store = sb_bounds_store_host,
                                    .send_cells = h->config.send_cells,
                                    .receive_cells = h->config.receive_cells,
                                    .pace = (sb_resend_pace)h->config.retransmit,
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

void sb_transport_host_remove_known(sb_transport_host *h, sb_peer *peer)
{
    if (peer->state != SB_PEER_ESTABLISHED) {
        sb_transport_host_free_peer(h, peer);
        return;
    }
    bool said_goodbye = sb_transport_host_said_goodbye(h, peer);
    sb_transport_host_remove(h, peer, said_goodbye ? SB_LEFT_QUIT : SB_LEFT_RESTARTED,
                             SB_BOOT_TIMED_OUT);
    sb_transport_host_unmap_address(h, peer); /* it is the newcomer's now */
}

/* The Name that the client sent before its proof counts as if it came now. It may be of a stranger,
 * so it gets no Ack: the client repeats its own, which replaces it. */
static void take_early_name(sb_transport_host *h, sb_peer *peer)
{
    sb_transport_message name;
    if (!sb_early_names_take(&h->early_names, h->now, peer->address, peer->id, &name)) return;
    sb_inbox_begin_batch(&peer->link.inbox, false);
    if (sb_inbox_accept(&peer->link.inbox, &name) != SB_VERDICT_DELIVER) return;
    sb_transport_host_handle_name(h, peer, name.payload);
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
    take_early_name(h, peer);
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

/* A stranger gets at most four times the bytes that it sends: a longer answer is charged. */
static bool spend_answer(sb_transport_host *h, sb_endpoint to, const sb_datagram *datagram)
{
    if (4 * (2 + datagram->messages.size) >= QUESTION_BYTES) return true;
    sb_newcomer_key key = sb_newcomers_key(h->newcomers, h->config.seed, to);
    return sb_newcomers_spend_question(h->newcomers, h->now, key);
}

static sb_result put_off(sb_transport_host *h, const question *q, const sb_datagram *datagram)
{
    if (spend_answer(h, q->to, datagram)) ask_for_proof(h, q);
    return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_UNPROVEN, SB_NOT_ALLOWED);
}

bool sb_transport_host_is_proof(const sb_transport_host *h, const sb_peer *peer, sb_endpoint from,
                                const sb_datagram *datagram)
{
    return is_proof(h, &(question){ from, peer->id, peer->move_base }, datagram);
}

sb_result sb_transport_host_ask_at(sb_transport_host *h, sb_peer *peer, sb_endpoint at,
                                   const sb_datagram *datagram)
{
    if ((uint16_t)(oldest_number(peer) - peer->move_base) > PROOF_DRIFT)
        peer->move_base = oldest_number(peer);
    return put_off(h, &(question){ at, peer->id, peer->move_base }, datagram);
}

/* Removes the peer that has to give way. False: none has to, yet. */
static bool make_room(sb_transport_host *h, sb_endpoint from)
{
    sb_peer *peer = find_giving_way(h, from, h->now);
    if (!peer) return false;
    SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_GAVE_WAY);
    sb_transport_host_remove(h, peer, peer->is_house ? SB_LEFT_MADE_ROOM : SB_LEFT_GAVE_WAY,
                             SB_BOOT_TIMED_OUT);
    return true;
}

/* Under 0xFF, a client may acknowledge our response before it uses its id. Other Acks under 0xFF
 * may be of a client that has not got the response: it would never learn the id of its seat. */
static bool is_answer(const sb_datagram *datagram)
{
    sb_transport_message m;
    if (datagram->peer_id != SB_PEER_NONE) return true;
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m);)
        if (m.type == SB_TRANSPORT_ACK && m.seq == 0 && m.ack_flags == SB_ACK_LOW_CHANNEL)
            return true;
    return false;
}

sb_result sb_transport_host_seat_newcomer(sb_transport_host *h, sb_endpoint from, uint8_t id,
                                          const sb_datagram *datagram, sb_peer *known)
{
    if (!is_answer(datagram))
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_NOT_A_CONNECT, SB_NOT_ALLOWED);
    if (h->peer_by_id[id] != SB_NO_PLACE || h->id_lingers_until[id] > h->now)
        return refuse_newcomer(h, from, id, SB_TRANSPORT_COUNT_ID_COLLISION);
    sb_transport_counter why = check_capacity(h, from.address, known);
    bool                 admitted = why == (sb_transport_counter)SB_SEAT_GRANTED;
    if (!admitted && !find_giving_way(h, from, h->now + patience))
        return refuse_newcomer(h, from, id, why);
    bool     restarts = known && known->state == SB_PEER_ESTABLISHED;
    bool     crowded = !admitted || h->unproven >= unproven_max(h);
    question newcomer = { from, id, 0 };
    bool     proven = !h->config.proof || sb_transport_host_is_house(h, from) ||
                  read_newcomer_proof(h, &newcomer, known, datagram);
    if (crowded) ask_unproven(h);
    if (!proven && (crowded || restarts)) {
        sb_early_names_note(&h->early_names, h->now, from, id, datagram);
        return put_off(h, &newcomer, datagram);
    }
    if (!admitted && !make_room(h, from))
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_NO_SEAT_YET, SB_NOT_ALLOWED);
    if (known) sb_transport_host_remove_known(h, known);
    return establish(h, from, id, proven, datagram);
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
    return sb_transport_host_seat_newcomer(h, from, id, &datagram, known);
}
