/* sim/world_host.c -- the host in the simulated world: its loop, and the checks of its events.
 *
 * For:      sim/world.c.
 */
#include "sim/world_internal.h"

#include "base/packet.h"
#include "transport/testing.h"

#include <starbase/cipher.h>

#include <stdlib.h>
#include <string.h>

enum { ITERATIONS_MAX = 20000 };

static const uint8_t password[] = { 'o', 0, 'p', 0, 'e', 0, 'n', 0 };

static sb_transport_host_config make_config(const sim_plan *plan)
{
    sb_transport_host_config config;
    sb_transport_host_defaults(&config);
    config.seed = plan->request.seed;
    config.max_peers = plan->max_peers;
    config.peers_per_ip = plan->peers_per_ip;
    config.retransmit = plan->host_retransmit;
    config.ack_delay_us = plan->host_ack_delay_us;
    config.leave_notice = !sim_plan_has(plan, SIM_HAS_NO_NOTICE);
    config.rebind = !sim_plan_has(plan, SIM_HAS_NO_REBIND);
    if (sim_plan_has(plan, SIM_HAS_MEMORY)) {
        config.send_cells = plan->send_cells;
        config.receive_cells = plan->receive_cells;
        config.shared_cells = plan->shared_cells;
    }
    if (sim_plan_has(plan, SIM_HAS_PASSWORD)) config.password = (sb_span){ password, 8 };
    return config;
}

void sim_host_create(sim_world *world)
{
    sb_transport_host_config config = make_config(world->plan);
    size_t                   bytes = sb_transport_host_bytes(&config);
    SB_ASSERT(bytes > 0);
    world->host_memory = malloc(bytes);
    if (!world->host_memory) abort();
    memset(world->host_memory, 0xA5, bytes); /* the endpoint must not rely on zeroed memory */
    world->host_party = (sim_party){ .offset_us = (sb_time)(world->plan->request.seed % 1000003),
                                     .tick_us = world->plan->host_tick_us,
                                     .wake = 0 };
    world->host = sb_transport_host_init(world->host_memory, &config,
                                         sim_own_time(world, &world->host_party));
}

/* ---- Events --------------------------------------------------------------------------------- */

static sim_session *find_session(sim_world *world, uint32_t tag)
{
    return tag > 0 && tag <= world->session_count ? world->sessions[tag - 1] : NULL;
}

static sim_peer *find_peer(sim_world *world, sb_endpoint address)
{
    for (int id = 0; id < 256; id++) {
        sim_peer *peer = &world->peers[id];
        if (peer->present && sb_endpoints_equal(peer->address, address)) return peer;
    }
    return NULL;
}

/* True: the host was right to give this peer its id and its seat. */
static bool check_seat(sim_world *world, const sb_transport_event *event)
{
    uint8_t id = event->peer_id;
    if (id < 2 || id > 127 || id == SB_GAMESPY_BYTE) {
        sim_violation(world, "ids are legal", "a session became peer %u", id);
    } else if (world->peers[id].present || find_peer(world, event->address)) {
        sim_violation(world, "ids and addresses are unique", "peer %u joined a second time", id);
    } else if (world->peer_count >= world->plan->max_peers) {
        sim_violation(world, "the host is not overfull", "peer %u joined %u others", id,
                      world->peer_count);
    } else {
        return true;
    }
    return false;
}

/* True: the host was right to accept this peer. */
static bool check_joined(sim_world *world, sim_session *session, const sb_transport_event *event)
{
    uint8_t id = event->peer_id;
    if (!session) {
        sim_violation(world, "only clients join", "a stranger became peer %u", id);
    } else if (world->plan->clients[session->slot].wrong_password && !session->exempt) {
        sim_violation(world, "passwords are checked", "session %u joined with a wrong one",
                      session->index);
    } else if (session->joined && session->id != id && !session->follows && !session->exempt) {
        sim_violation(world, "both ends agree on the id", "session %u is %u here and %u there",
                      session->index, id, session->id);
    } else {
        return true;
    }
    return false;
}

static void seat(sim_world *world, sim_session *session, const sb_transport_event *event)
{
    sim_peer *peer = &world->peers[event->peer_id];
    peer->present = true;
    peer->session = session;
    peer->address = event->address;
    peer->name = 0;
    peer->heard = sim_own_time(world, &world->host_party);
    world->peer_count++;
    peer->seat = ++world->host_joins;
    peer->forged = sim_is_attack(world);
    peer->used = false;
}

/* A seat that the attacker got by forging a whole join: no client is at its address. */
static void seat_nobody(sim_world *world, const sb_transport_event *event)
{
    seat(world, NULL, event);
    world->outcome->seats++;
    world->forged_seats++;
    sim_find_or_add_source(world, event->address)->seated = true;
    if (world->forged_seats > world->plan->max_peers / 2)
        sim_violation(world, "forged joins get at most half of the seats", "%u of %u",
                      world->forged_seats, world->plan->max_peers);
}

/* The session that joins by the present datagram. A forged datagram may answer for a client that
 * asks to join from the same address: the seat is that client's. A client that the host has removed
 * does not ask any more. */
static sim_session *find_joining(sim_world *world, sb_endpoint address)
{
    sim_session *session = find_session(world, world->source_tag);
    if (session || !sim_is_attack(world)) return session;
    session = sim_session_at(world, address);
    bool waits = session && session->asked > 0 && !session->host_present && !session->host_left;
    return waits ? session : NULL;
}

static void handle_joined(sim_world *world, const sb_transport_event *event)
{
    sim_session *session = find_joining(world, event->address);
    if (!check_seat(world, event)) return;
    if (!session && sim_is_attack(world)) {
        seat_nobody(world, event);
        return;
    }
    if (!check_joined(world, session, event)) return;
    if (session->host_id != 0) sim_traffic_start_anew(session, event->peer_id);
    seat(world, session, event);
    session->host_id = event->peer_id;
    session->seat_forged = sim_is_attack(world);
    session->host_present = true;
    session->host_left = false;
    sim_find_or_add_source(world, event->address)->proven = true;
    if (sim_plan_has(world->plan, SIM_HAS_LARGE))
        sb_transport_host_trust(world->host, event->peer_id);
}

static void handle_left(sim_world *world, const sb_transport_event *event)
{
    sim_peer    *peer = &world->peers[event->peer_id];
    sim_session *session = peer->session;
    if (session) sim_check_host_left(world, session, event);
    else world->forged_seats--;
    peer->present = false;
    peer->leaves++;
    peer->left_at = world->now;
    world->peer_count--;
    world->host_leaves++;
    SB_ASSERT((unsigned)event->reason < SB_LEFT_REASON_COUNT);
    if (!session) return;
    world->outcome->host_ended[event->reason]++;
    if (session->host_id != event->peer_id)
        return; /* the session has joined again under another id */
    session->host_present = false;
    session->host_left = true;
    session->host_reason = event->reason;
    sim_source *source = sim_find_or_add_source(world, peer->address);
    source->last_session = session->index + 1;
    source->asked = false;
}

static void handle_event(sim_world *world, const sb_transport_event *event)
{
    sim_peer *peer = &world->peers[event->peer_id];
    sim_trace_mix(world->trace, (uint64_t)event->type << 8 | event->peer_id);
    if (event->type == SB_EVENT_JOINED) {
        handle_joined(world, event);
        return;
    }
    if (!peer->present) {
        sim_violation(world, "events are about present peers", "event %d about peer %u",
                      (int)event->type, event->peer_id);
        return;
    }
    switch (event->type) {
    case SB_EVENT_NAMED:
        peer->name = sim_hash_name(event->bytes);
        world->host_names++;
        break;
    case SB_EVENT_MESSAGE:
        if (!sim_attack_delivered(world, peer->session, SIM_UP, event) && peer->session)
            sim_traffic_receive(world, peer->session, SIM_UP, event);
        break;
    case SB_EVENT_LEFT: handle_left(world, event); break;
    default: sim_violation(world, "events have a type", "type %d", (int)event->type);
    }
}

static void trace_event(sim_world *world, const sb_transport_event *event)
{
    static const char *const names[] = { "joined", "named", "message", "left" };
    if (!world->trace->wanted) return;
    sim_trace_line(world->trace, world->now, "host: peer %u %s, %zu bytes%s%s", event->peer_id,
                   names[event->type & 3], event->bytes.size,
                   event->type == SB_EVENT_LEFT ? ", " : "",
                   event->type == SB_EVENT_LEFT ? sb_leave_reason_text(event->reason) : "");
}

void sim_host_drain_events(sim_world *world)
{
    sb_transport_event event;
    uint32_t           turns = 0;
    sb_time            now = sim_own_time(world, &world->host_party);
    while (!world->outcome->failed && sb_transport_host_next_event(world->host, now, &event)) {
        trace_event(world, &event);
        handle_event(world, &event);
        if (++turns > ITERATIONS_MAX)
            sim_violation(world, "time goes on", "the host's events never end");
    }
}

/* ---- Datagrams ------------------------------------------------------------------------------ */

static uint64_t count_refusals(const sb_transport_host *host)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < SB_TRANSPORT_COUNT_DATAGRAMS_IN; i++)
        sum += sb_transport_host_counter(host, (sb_transport_counter)i);
    return sum;
}

static uint64_t count_beyond_window(const sb_transport_host *host)
{
    return sb_transport_host_counter(host, SB_TRANSPORT_COUNT_BEYOND_BUFFER) +
           sb_transport_host_counter(host, SB_TRANSPORT_COUNT_OUT_OF_WINDOW);
}

/* True: the datagram proves that its sender takes part in the session, because it contains a
 * reliable message or an Ack (spec 01 §10.5). Only such a datagram may move a peer to another port.
 */
static bool proves_session(sb_span datagram)
{
    uint8_t              plain[SIM_DATAGRAM_MAX];
    sb_datagram          parts;
    sb_transport_message m;
    memcpy(plain, datagram.data, datagram.size);
    sb_decrypt_datagram(plain, datagram.size);
    if (sb_decode_datagram((sb_span){ plain, datagram.size }, &parts, NULL) != SB_OK) return false;
    for (size_t at = 0; sb_datagram_next(&parts, &at, &m);)
        if (m.type == SB_TRANSPORT_ACK || (m.type != SB_TRANSPORT_NOOP && m.reliable)) return true;
    return false;
}

static void check_move(sim_world *world, uint8_t id, sb_endpoint to, sb_span datagram)
{
    const sim_peer *peer = &world->peers[id];
    sb_time         silent = sim_own_time(world, &world->host_party) - peer->heard;
    if (to.address != peer->address.address)
        sim_violation(world, "peers keep their address", "peer %u moved to another one", id);
    if (sim_plan_has(world->plan, SIM_HAS_NO_REBIND))
        sim_violation(world, "peers keep their port", "peer %u moved to port %u", id, to.port);
    if (peer->session->exempt) return;
    if (silent < 6 * SB_SECOND)
        sim_violation(world, "only silent peers move", "peer %u was silent for %lld us", id,
                      (long long)silent);
    if (!proves_session(datagram))
        sim_violation(world, "a peer that moves proves itself", "peer %u did not", id);
}

/* Records that the host followed a peer to another port of the same address, and checks that the
 * host was allowed to. */
static void update_address(sim_world *world, uint8_t id, sb_endpoint from, sb_span datagram)
{
    sim_peer    *peer = &world->peers[id];
    sb_peer_info info;
    if (peer->address.address == from.address && peer->address.port == from.port) return;
    if (!sb_transport_host_peer(world->host, id, &info)) return;
    check_move(world, id, info.address, datagram);
    peer->address = info.address;
    sim_find_or_add_source(world, info.address)->proven = true;
}

/* The same for a datagram of another session: the protocol has no session id. */
static void follow_address(sim_world *world, uint8_t id)
{
    sb_peer_info info;
    if (sb_transport_host_peer(world->host, id, &info)) world->peers[id].address = info.address;
}

static void check_forged_move(sim_world *world, uint8_t id)
{
    sb_peer_info info;
    if (!world->peers[id].present || !sb_transport_host_peer(world->host, id, &info)) return;
    if (!sb_endpoints_equal(info.address, world->peers[id].address))
        sim_violation(world, "forgeries move nobody", "peer %u moved to port %u", id,
                      info.address.port);
}

/* Even a damaged Connect that is refused may end the session, with a Boot for a wrong password. */
static void check_damaged_connect(sim_world *world, sb_span datagram)
{
    sim_session *session = find_session(world, world->source_tag);
    if (!session || !sim_network_was_damaged(world->network)) return;
    if (datagram.size > 0 && datagram.data[0] == SB_PEER_NONE)
        sim_exempt(world, session, SIM_EXEMPT_DAMAGED, "its Connect was damaged");
}

/* True: the seat is nobody's, and the client that uses it has none, or one at a port that it has
 * left. */
static bool is_taken_over(const sim_world *world, const sim_session *session, const sim_peer *peer,
                          sb_endpoint from)
{
    if (peer->session || !session->host_present) return !peer->session;
    return sb_endpoints_equal(peer->address, from) &&
           !sb_endpoints_equal(world->peers[session->host_id].address, from);
}

/* A client whose whole join was forged before it came uses that seat, under the same id. */
static void take_over_seat(sim_world *world, sim_session *session, uint8_t id)
{
    if (session->host_id != 0) sim_traffic_start_anew(session, id);
    world->peers[id].session = session;
    world->forged_seats--;
    session->host_id = id;
    session->seat_forged = session->host_present = true;
    session->host_left = false;
    sim_inherit_usurped(world, session, world->peers[id].seat);
    sim_find_or_add_source(world, world->peers[id].address)->proven = true;
}

/* Records an accepted datagram for the session that really sent it. */
static void record_accepted(sim_world *world, sb_endpoint from, sb_span datagram)
{
    sim_session *session = find_session(world, world->source_tag);
    bool         damaged = sim_network_was_damaged(world->network);
    uint8_t      id = datagram.size > 0 ? datagram.data[0] : 0;
    sim_peer    *peer = &world->peers[id];
    if (id == SB_PEER_NONE)
        sim_find_or_add_source(world, from)->asked = true; /* a Connect: a new session */
    if (session && id == SB_PEER_NONE) session->asked++;
    if (sim_is_attack(world)) check_forged_move(world, id);
    if (!session) return; /* a stranger or the attacker */
    if (damaged)
        sim_exempt(world, session, SIM_EXEMPT_DAMAGED, "the host accepted a damaged datagram");
    if (id == SB_PEER_NONE || !peer->present) return;
    if (is_taken_over(world, session, peer, from)) take_over_seat(world, session, id);
    if (peer->session != session) {
        follow_address(world, id);
        sim_exempt(world, session, SIM_EXEMPT_OTHER_SESSION,
                   "the host took its datagram for another session's");
        if (peer->session)
            sim_exempt(world, peer->session, SIM_EXEMPT_OTHER_SESSION,
                       "the host accepted a datagram of another session");
        return;
    }
    update_address(world, id, from, datagram);
    peer->heard = sim_own_time(world, &world->host_party);
}

/* Records that a datagram arrived from the address of its sender's seat, whatever the host makes of
 * it. */
static void record_arrival(sim_world *world, sim_session *sender, sb_endpoint from,
                           const sb_datagram *datagram)
{
    sim_peer *peer = find_peer(world, from);
    if (!peer || peer->session != sender) return;
    peer->heard = sim_own_time(world, &world->host_party);
    if (&world->peers[datagram->peer_id] == peer) peer->used = true;
    sim_record_arrivals(sender, SIM_UP, datagram);
    sim_hear_answer(sender, datagram);
}

static void check_refusals(sim_world *world, sim_session *sender, uint64_t before)
{
    sb_connect_refusal refusal;
    if (!sender || sb_transport_host_refusals(world->host, &refusal) == before) return;
    sender->refused = true;
    if (sender->host_present)
        sender->refused_elsewhere =
            !sb_endpoints_equal(refusal.address, world->peers[sender->host_id].address);
    if (!sim_network_was_damaged(world->network)) sim_check_refusal(world, sender, &refusal);
}

/* The session whose messages a datagram from this address can acknowledge. */
static sim_session *find_acker(sim_world *world, sb_endpoint from)
{
    const sim_peer *peer = find_peer(world, from);
    if (!sim_is_attack(world)) return find_session(world, world->source_tag);
    return peer ? peer->session : NULL;
}

static sb_result receive(sim_world *world, sb_endpoint from, sb_span datagram)
{
    uint8_t      plain[SIM_DATAGRAM_MAX];
    sb_datagram  opened;
    sim_acks     acks = { 0 };
    sim_session *sender = find_session(world, world->source_tag);
    sim_session *acker = find_acker(world, from);
    uint64_t     refusals = sb_transport_host_refusals(world->host, &(sb_connect_refusal){ 0 });
    bool         readable =
        !sim_network_was_damaged(world->network) && sim_open_datagram(datagram, plain, &opened);
    if (readable && sender) record_arrival(world, sender, from, &opened);
    if (readable && acker) sim_watch_acks(world, acker, SIM_DOWN, &opened, &acks);
    sb_time   now = sim_own_time(world, &world->host_party);
    sb_result result = sb_transport_host_receive(world->host, now, from, datagram);
    sim_trace_line(world->trace, world->now, "host <- %08X:%u %zu bytes, tag %u%s: %s",
                   from.address, from.port, datagram.size, world->source_tag,
                   sim_network_was_damaged(world->network) ? ", damaged" : "",
                   sb_result_name(result));
    if (result == SB_OK) record_accepted(world, from, datagram);
    check_damaged_connect(world, datagram);
    check_refusals(world, sender, refusals);
    sim_host_drain_events(world);
    if (readable && sender)
        record_arrival(world, sender, from, &opened); /* it may have a seat now */
    if (acker) sim_record_lost(world, acker, SIM_DOWN, &acks);
    return result;
}

void sim_host_receive(sim_world *world, sb_endpoint from, sb_span datagram)
{
    bool     check_counted = world->host_arrivals++ % 8 == 0;
    uint64_t before = check_counted ? count_refusals(world->host) : 0;
    uint64_t beyond = count_beyond_window(world->host);
    sim_find_or_add_source(world, from)->in += datagram.size;
    if (sim_is_attack(world))
        sim_record_forged(world, sim_session_at(world, from), SIM_UP, datagram);
    sb_result          result = receive(world, from, datagram);
    const sim_session *session = find_session(world, world->source_tag);
    if (session) sim_check_window(world, session, SIM_UP, beyond, count_beyond_window(world->host));
    if (check_counted && result != SB_OK && count_refusals(world->host) <= before)
        sim_violation(world, "refusals are counted", "%s was not", sb_result_name(result));
    sim_wake(world, &world->host_party);
}

/* The tag of the session at that address, or else of the session that left it last: the host may
 * still send a Boot there (spec 01 §8.4), also after a Connect, which may be forged. The answer to
 * the Connect is of neither. */
static uint32_t find_tag(sim_world *world, sb_endpoint to, bool is_reply)
{
    const sim_peer *peer = find_peer(world, to);
    if (peer) return peer->session ? peer->session->index + 1 : 0;
    const sim_source *source = sim_find_or_add_source(world, to);
    return is_reply && source->asked ? 0 : source->last_session;
}

static void send_datagram(sim_world *world, sb_endpoint to, sb_span datagram, bool is_reply)
{
    uint32_t    tag = find_tag(world, to, is_reply);
    sim_source *source = sim_find_or_add_source(world, to);
    source->out += datagram.size;
    sim_session *session = sim_session_at(world, to);
    sim_peer    *peer = find_peer(world, to);
    if (peer && peer->session) sim_watch_question(world, peer->session, peer->seat, datagram);
    if (session && !session->joined) session->answers++;
    sim_check_amplification(world, source);
    if (datagram.size > SB_DATAGRAM_MAX)
        sim_violation(world, "datagrams fit", "the host wrote %zu bytes", datagram.size);
    if (tag > 0 && world->phase == SIM_IDLE) {
        world->sessions[tag - 1]->ledger[SIM_DOWN].idle_datagrams++;
        if (datagram.size != 3 && !world->sessions[tag - 1]->exempt)
            sim_violation(world, "an idle network carries only NoOps",
                          "the host wrote %zu bytes for session %u", datagram.size, tag - 1);
    }
    sim_trace_line(world->trace, world->now, "host -> %08X:%u %zu bytes, tag %u", to.address,
                   to.port, datagram.size, tag);
    sim_send(world, tag, world->plan->host, to, datagram);
}

/* Sends all datagrams that are due and returns their number. */
static uint32_t write_all(sim_world *world, sb_time now)
{
    uint8_t     bytes[SB_DATAGRAM_MAX];
    sb_endpoint to;
    uint32_t    count = 0;
    for (size_t size; !world->outcome->failed; count++) {
        bool is_reply = sb_transport_host_is_replying(world->host);
        size = sb_transport_host_write(world->host, now, &to, bytes);
        if (size == 0) break;
        send_datagram(world, to, (sb_span){ bytes, size }, is_reply);
        if (count > ITERATIONS_MAX)
            sim_violation(world, "time goes on", "the host never stops writing");
    }
    return count;
}

void sim_host_step(sim_world *world)
{
    sb_time  now = sim_own_time(world, &world->host_party);
    uint32_t turns = 0;
    do {
        sim_host_drain_events(world);
        if (turns++ > ITERATIONS_MAX)
            sim_violation(world, "time goes on", "the host never stops writing");
    } while (write_all(world, now) > 0 && !world->outcome->failed);
    sb_time deadline = sb_transport_host_next_deadline(world->host);
    if (deadline <= now)
        sim_violation(world, "deadlines lie ahead", "the host's deadline was %lld us ago",
                      (long long)(now - deadline));
    sim_wake_at(world, &world->host_party, deadline);
}
