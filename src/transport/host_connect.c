/* src/transport/host_connect.c -- addresses without a session: Connect, ids, refusals, changed
 * ports.
 *
 * For:      host. host_seats.c goes on when a newcomer answers.
 * Never:    gives a stranger more than a small table entry and a few bytes of answer.
 * Tests:    tests/transport/host_connect_test.c, host_half_open_test.c, host_rebind_test.c.
 * Spec:     01 §5.1-§5.3, §10.2-§10.6.
 */
#include <starbase/cipher.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "transport/host_internal.h"

#include <string.h>

enum {
    CONNECT_MIN = 17, /* bytes of a datagram with a Connect (spec 01 §10.2) */
    CONNECT_MAX = 150,
    REBIND_AHEAD = 31, /* plausible distance of a sequence number (spec 01 §10.5) */
};

static const sb_time told_time = 10 * SB_SECOND;     /* the life of a half-open entry */
static const sb_time rebind_silence = 6 * SB_SECOND; /* an idle peer sends a NoOp every 5 s */

/* ---- replies to addresses without a session ---- */

void sb_transport_host_queue_reply(sb_transport_host *h, sb_endpoint to, const uint8_t *plain,
                                   size_t size)
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

void sb_transport_host_note_refusal(sb_transport_host *h, sb_endpoint from, uint8_t boot_reason,
                                    sb_transport_counter why)
{
    h->refusals++;
    h->last_refusal = (sb_connect_refusal){ from, boot_reason, why };
}

/* Queues an Ack of the Connect and a Boot: 13 bytes, no state kept (spec 01 §5.3). */
static void queue_refusal(sb_transport_host *h, sb_endpoint to, uint8_t reason,
                          sb_transport_counter why)
{
    sb_transport_host_note_refusal(h, to, reason, why);
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
    sb_transport_host_queue_reply(h, to, plain, sizeof plain);
}

/* Queues the Ack of the Connect and the Connect response: 12 bytes (spec 01 §5.3). */
static void queue_response(sb_transport_host *h, sb_endpoint to, uint8_t id)
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
                              id };
    sb_transport_host_queue_reply(h, to, plain, sizeof plain);
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

/* ---- ids (spec 01 §5.1) ---- */

/* The byte that starts a GameSpy query is never an id: byte 0 of a datagram tells them apart. */
static bool is_id_taken(const sb_transport_host *h, uint8_t id)
{
    return id == SB_GAMESPY_BYTE || h->peer_by_id[id] != SB_NO_PLACE ||
           h->id_lingers_until[id] > h->now;
}

/* Of two ids that other newcomers were told, or that were used before: better one that nobody used,
 * then the one that was told longer ago. */
static bool is_better_id(const sb_transport_host *h, uint8_t id, uint8_t other)
{
    bool quarantined = h->id_quarantined_until[id] > h->now;
    if (quarantined != (h->id_quarantined_until[other] > h->now)) return !quarantined;
    return h->id_told_at[id] < h->id_told_at[other];
}

/* Chooses the lowest free id, but if possible one that no newcomer was told in the last 10 s, and
 * no quarantined one: the last owner of such an id may still use it, and could be taken for a new
 * owner behind the same address (§10.5). SB_PEER_NONE: all ids are in use. */
static uint8_t choose_id(const sb_transport_host *h)
{
    uint8_t best = SB_PEER_NONE;
    for (unsigned i = SB_ID_FIRST; i < SB_ID_LIMIT; i++) {
        uint8_t id = (uint8_t)i;
        if (is_id_taken(h, id)) continue;
        if (h->id_quarantined_until[id] <= h->now && h->id_told_at[id] + told_time <= h->now)
            return id;
        if (best == SB_PEER_NONE || is_better_id(h, id, best)) best = id;
    }
    return best;
}

/* Tells the newcomer an id: the one it was told before, if that is still free. Nothing is reserved:
 * the first newcomer to answer under an id keeps it. */
static sb_result tell_id(sb_transport_host *h, sb_endpoint from)
{
    uint8_t id = sb_transport_host_id_told(h, from);
    if (id == SB_ID_NONE || is_id_taken(h, id)) id = choose_id(h);
    if (id == SB_PEER_NONE) return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_NO_ID, SB_FULL);
    sb_newcomer_key key = sb_newcomers_key(h->newcomers, h->config.seed, from);
    if (sb_newcomers_put(h->newcomers, h->now, key, id))
        SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_HALF_OPEN_REPLACED);
    h->id_told_at[id] = h->now;
    queue_response(h, from, id);
    SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_CONNECTS);
    return SB_OK;
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

static bool matches_password(const sb_transport_host *h, sb_span password)
{
    if (h->password_size == 0) return true;
    return password.size == h->password_size &&
           memcmp(password.data, h->password, password.size) == 0;
}

/* The entry of the address; for an address without wrong passwords, the one to reuse. */
static sb_password_source *find_password_source(sb_transport_host *h, uint32_t address)
{
    sb_password_source *best = &h->password_sources[0];
    for (size_t i = 0; i < SB_PASSWORD_SOURCES; i++) {
        sb_password_source *s = &h->password_sources[i];
        if (s->until <= h->now) s->wrong = 0;
        if (s->wrong > 0 && s->address == address) return s;
        if (best->wrong > 0 && (s->wrong == 0 || s->until < best->until)) best = s;
    }
    return best;
}

/* Counts a wrong password. False: the address has had its answers for now. The right password is
 * never refused, because anybody can forge wrong ones in the name of an address. */
static bool spend_wrong_password_answer(sb_transport_host *h, uint32_t address)
{
    sb_password_source *s = find_password_source(h, address);
    if (s->wrong == 0 || s->address != address)
        *s = (sb_password_source){ address, 0, h->now + SB_PASSWORD_TRY_SECONDS * SB_SECOND };
    if (s->wrong == SB_PASSWORD_TRIES) return false;
    s->wrong++;
    return true;
}

/* Checks password, admission rule and seats. SB_SEAT_GRANTED, or the reason to refuse and the
 * reason that the Boot names. */
static sb_transport_counter check_admission(sb_transport_host *h, sb_endpoint from,
                                            const sb_connect_request *request, const sb_peer *known,
                                            uint8_t *boot_reason)
{
    const sb_transport_host_config *c = &h->config;
    bool                            house = sb_transport_host_is_house(h, from);
    *boot_reason = SB_BOOT_PASSWORD;
    if (!house && !matches_password(h, request->password))
        return SB_TRANSPORT_COUNT_REFUSED_PASSWORD;
    *boot_reason = SB_BOOT_BANNED;
    if (!house && c->admit && !c->admit(c->admit_context, from, request, boot_reason))
        return *boot_reason == SB_BOOT_FULL ? SB_TRANSPORT_COUNT_REFUSED_FULL
                                            : SB_TRANSPORT_COUNT_REFUSED_BANNED;
    *boot_reason = SB_BOOT_FULL;
    if (h->closed && !known) return SB_TRANSPORT_COUNT_REFUSED_OVERLOAD;
    return sb_transport_host_seek_seat(h, from, known);
}

/* True: the peer has left and knows it. */
static bool is_farewell_over(const sb_peer *peer)
{
    return peer->state == SB_PEER_LINGERING && sb_outbox_unacknowledged(&peer->link.outbox) == 0 &&
           sb_outbox_queued(&peer->link.outbox) == 0;
}

/* A peer that has left and knows it is forgotten at once. Others stay until the newcomer answers: a
 * forged Connect must not keep a Boot from its receiver, nor end a session. */
static sb_result handle_connect(sb_transport_host *h, sb_endpoint from, const sb_datagram *datagram,
                                const sb_transport_message *connect, sb_peer *known)
{
    sb_connect_request request;
    uint8_t            reason;
    if (!connect->reliable || connect->seq != 0)
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_NOT_A_CONNECT, SB_NOT_ALLOWED);
    if (!parse_request(connect->payload, &request))
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_BAD_CONTROL, SB_BAD_VALUE);
    sb_transport_counter why = check_admission(h, from, &request, known, &reason);
    if (why != (sb_transport_counter)SB_SEAT_GRANTED) {
        if (why != SB_TRANSPORT_COUNT_REFUSED_PASSWORD ||
            spend_wrong_password_answer(h, from.address))
            queue_refusal(h, from, reason, why);
        return sb_link_refuse(&h->counters, why, SB_NOT_ALLOWED);
    }
    sb_result result = tell_id(h, from);
    if (result != SB_OK) return result;
    if (known && is_farewell_over(known)) sb_transport_host_free_peer(h, known);
    else if (known) sb_transport_host_quiet(h, known);
    sb_transport_host_count_received(h, datagram);
    return SB_OK;
}

/* ---- a peer whose NAT changed its port (spec 01 §10.5) ---- */

static bool may_rebind(const sb_transport_host *h, const sb_peer *peer, sb_endpoint from)
{
    return h->config.rebind && peer->address.address == from.address &&
           h->now - peer->link.heard_at > rebind_silence;
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
    peer->address = to;
    sb_addresses_add(&h->addresses, to, sb_transport_host_peer_index(h, peer));
    SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_REBOUND);
}

/* Does the sender ask for marks? A cautious client that connects does so under every id that it was
 * told, perhaps by a forger, and answers our questions under each of them (spec 01 §10.8 rule 6).
 */
static bool has_marks(const sb_datagram *datagram)
{
    sb_transport_message m;
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m);)
        if (m.type == SB_TRANSPORT_DATA && m.reliable && !m.fragment && m.payload.size == 0)
            return true;
    return false;
}

/* `known`: the peer at that address, which gives way to proof; or NULL. */
static sb_result try_rebind(sb_transport_host *h, sb_peer *peer, sb_endpoint from, sb_span bytes,
                            sb_peer *known)
{
    sb_datagram datagram;
    sb_budget_refill(&peer->rebinds, h->now, SB_REBINDS_PER_S, 2 * SB_REBINDS_PER_S);
    if (!sb_budget_has(&peer->rebinds, 1))
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_OVER_BUDGET, SB_FULL);
    sb_budget_spend(&peer->rebinds, 1);
    sb_result result = sb_link_open_datagram(&h->counters, h->plain, bytes, &datagram);
    if (result != SB_OK) return result;
    bool proven = h->config.proof && sb_transport_host_is_proof(h, peer, from, &datagram) &&
                  !has_marks(&datagram);
    if (!proven && !shows_knowledge(peer, &datagram))
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_UNKNOWN_SOURCE, SB_NOT_ALLOWED);
    if (!proven && h->config.proof) return sb_transport_host_ask_at(h, peer, from, &datagram);
    result = sb_transport_host_start_reading(h, peer, &datagram);
    if (result != SB_OK) return result;
    if (known) sb_transport_host_remove_known(h, known);
    move_peer(h, peer, from);
    return SB_OK;
}

bool sb_transport_host_may_move(const sb_transport_host *h, sb_endpoint from, uint8_t id)
{
    SB_ASSERT(id < SB_ID_LIMIT); /* sb_transport_host_receive checked byte 0 */
    uint16_t place = h->peer_by_id[id];
    return place != SB_NO_PLACE && may_rebind(h, &h->peers[place], from);
}

sb_result sb_transport_host_receive_moved(sb_transport_host *h, sb_endpoint from, sb_span bytes,
                                          sb_peer *known)
{
    return try_rebind(h, &h->peers[h->peer_by_id[bytes.data[0]]], from, bytes, known);
}

/* ---- datagrams of strangers ---- */

sb_result sb_transport_host_charge_stranger(sb_transport_host *h, sb_endpoint from)
{
    if (sb_transport_host_is_house(h, from)) return SB_OK;
    if (!sb_newcomers_spend_network(h->newcomers, h->now, from.address))
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_CONNECT_RATE_SOURCE, SB_FULL);
    if (!sb_newcomers_spend_total(h->newcomers, h->now))
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_CONNECT_RATE_TOTAL, SB_FULL);
    return SB_OK;
}

sb_result sb_transport_host_receive_connect(sb_transport_host *h, sb_endpoint from, sb_span bytes,
                                            sb_peer *known)
{
    sb_datagram          datagram;
    sb_transport_message m;
    uint8_t              told = sb_transport_host_id_told(h, from);
    if (h->stopping) return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_LATE, SB_NOT_ALLOWED);
    if (bytes.size < CONNECT_MIN && told != SB_ID_NONE) /* it may hold the Ack of our response */
        return sb_transport_host_receive_newcomer(h, from, told, bytes, known);
    if (bytes.size < CONNECT_MIN || bytes.size > CONNECT_MAX)
        return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_CONNECT_LENGTH, SB_BAD_VALUE);
    sb_result result = sb_transport_host_charge_stranger(h, from);
    if (result == SB_OK) result = sb_link_open_datagram(&h->counters, h->plain, bytes, &datagram);
    if (result != SB_OK) return result;
    if (sb_link_find_message(&datagram, SB_TRANSPORT_CONNECT, &m))
        return handle_connect(h, from, &datagram, &m, known);
    if (told != SB_ID_NONE) return sb_transport_host_seat_newcomer(h, from, told, &datagram, known);
    return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_NOT_A_CONNECT, SB_NOT_ALLOWED);
}

sb_result sb_transport_host_receive_stranger(sb_transport_host *h, sb_endpoint from, sb_span bytes)
{
    uint8_t id = bytes.data[0];
    if (id == SB_PEER_NONE) return sb_transport_host_receive_connect(h, from, bytes, NULL);
    if (sb_transport_host_id_told(h, from) == id)
        return sb_transport_host_receive_newcomer(h, from, id, bytes, NULL);
    if (sb_transport_host_may_move(h, from, id))
        return sb_transport_host_receive_moved(h, from, bytes, NULL);
    return sb_link_refuse(&h->counters, SB_TRANSPORT_COUNT_UNKNOWN_SOURCE, SB_NOT_ALLOWED);
}
