/* sim/invariants.c -- the invariants of a run: at any time, after settling, while idle, at the end.
 *
 * For:      sim/world.c.
 *
 * world_traffic.c checks content and order of messages where they arrive; world_host.c and
 * world_client.c check events where they handle them.
 */
#include "sim/world_internal.h"

#include "transport/testing.h"

/* Limits of spec 01 §6.2 (both channels) and §9. A host with measured retransmission may send more
 * at once, and a client stores more. */
typedef struct bounds {
    uint32_t unacknowledged, queued, stored, stored_bytes;
} bounds;

static const bounds host_bounds = { 2 * 256, 2 * 1024, 512, 128 * 1024 };
static const bounds measured_host_bounds = { 1024 + 256, 2 * 1024, 512, 128 * 1024 };
static const bounds client_bounds = { 2 * 256, 2 * 1024, 1280, 256 * 1024 };

enum { SEAT_BYTES_MAX = 4096 };

static const sb_time timeout_us = 45 * SB_SECOND;
static const sb_time leave_limit_us = 3 * SB_SECOND; /* spec 01 §8.4 */
static const sb_time age_limit_us =
    10 * SB_SECOND; /* of a message on a good path, attacked or not */

/* ---- Bounds --------------------------------------------------------------------------------- */

static void check_memory(sim_world *world, const sb_peer_info *info, uint32_t index,
                         const bounds *max, uint32_t cells)
{
    if (info->unacknowledged > max->unacknowledged || info->queued > max->queued ||
        info->stored > max->stored || info->stored_bytes > max->stored_bytes || info->cells > cells)
        sim_violation(world, "memory is bounded",
                      "%u: %u unacknowledged, %u queued, %u stored, %u bytes, %u cells", index,
                      info->unacknowledged, info->queued, info->stored, info->stored_bytes,
                      info->cells);
}

/* A message is retransmitted at most once per shortest interval (spec 01 §6.5: 1 s, or 0.25 s when
 * measured), and once more by fast retransmission, when later ones were acknowledged. */
static void check_resends(sim_world *world, sim_session *session, int way, sb_time now,
                          sb_retransmit mode, const sb_peer_info *info)
{
    enum { CONTROL_MAX = 256 }; /* the ledger does not count control messages; they are few */
    sim_ledger *ledger = &session->ledger[way];
    sb_time     passed = now - ledger->seen_at;
    if (passed < SB_SECOND) return;
    uint64_t sent = ledger->fragments - ledger->seen_fragments;
    uint64_t rounds =
        (uint64_t)(passed / (mode == SB_RETRANSMIT_STOCK ? SB_SECOND : SB_SECOND / 4)) + 2;
    uint64_t max = (ledger->seen_unacknowledged + sent + CONTROL_MAX) * rounds;
    if (ledger->seen_at > 0 && info->retransmitted - ledger->seen_resent > max)
        sim_violation(
            world, "resending is bounded", "session %u: %llu times in %lld us", session->index,
            (unsigned long long)(info->retransmitted - ledger->seen_resent), (long long)passed);
    ledger->seen_at = now;
    ledger->seen_resent = info->retransmitted;
    ledger->seen_fragments = ledger->fragments;
    ledger->seen_unacknowledged = info->unacknowledged + info->queued;
}

/* True: more messages arrived before the next write than the Ack queue holds, so some are
 * retransmitted. */
static bool has_dropped_acks(const sim_world *world)
{
    if (sb_transport_host_counter(world->host, SB_TRANSPORT_COUNT_DROPPED_ACK) > 0) return true;
    for (uint32_t i = 0; i < world->session_count; i++)
        if (sb_transport_client_counter(world->sessions[i]->client,
                                        SB_TRANSPORT_COUNT_DROPPED_ACK) > 0)
            return true;
    return false;
}

/* A leaving client retransmits without waiting for a round trip (spec 01 §8.4), and a client that
 * the host has removed gets no Acks until it believes its Boot: both are exempt. */
static void check_clean(sim_world *world, const sim_session *session, const sb_peer_info *info)
{
    if (session->leaving || session->host_left) return;
    if (info->retransmitted > 0 && sim_plan_is_clean(world->plan) && !has_dropped_acks(world))
        sim_violation(world, "a good network needs no resending", "session %u: %llu times",
                      session->index, (unsigned long long)info->retransmitted);
}

/* True: nothing but an attacker keeps the messages of this session from arriving soon. */
static bool has_good_path(const sim_world *world, const sim_session *session)
{
    static const sim_feature causes[] = { SIM_HAS_MEMORY, SIM_HAS_RECKLESS, SIM_HAS_ABUSE };
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (sim_plan_has(world->plan, causes[i])) return false;
    return sim_plan_answers(world->plan) && sim_session_is_live(session) && !session->exempt;
}

static void check_age(sim_world *world, const sim_session *session, int way)
{
    const sim_ledger *ledger = &session->ledger[way];
    uint32_t          next = ledger->received;
    if (next == ledger->sent || !has_good_path(world, session)) return;
    sb_time age = world->now - ledger->messages[next].time;
    if (age < age_limit_us || session->leaving || sim_may_be_lost(session, way, next)) return;
    sim_violation(world, "messages arrive soon", "session %u %s: message %u waits for %lld us",
                  session->index, way == SIM_UP ? "up" : "down", next, (long long)age);
}

static void check_peer(sim_world *world, uint8_t id, uint32_t cells)
{
    sim_session *session = world->peers[id].session;
    sb_time      now = sim_own_time(world, &world->host_party);
    sb_peer_info info;
    if (!sb_transport_host_peer(world->host, id, &info)) {
        sim_violation(world, "present peers are known", "the host does not know %u", id);
        return;
    }
    bool measured = world->plan->host_retransmit == SB_RETRANSMIT_MEASURED;
    check_memory(world, &info, id, measured ? &measured_host_bounds : &host_bounds, cells);
    if (!session) return;
    check_clean(world, session, &info);
    check_age(world, session, SIM_DOWN);
    if (session->host_id == id)
        check_resends(world, session, SIM_DOWN, now, world->plan->host_retransmit, &info);
    if (!session->exempt && (info.address.address != world->peers[id].address.address ||
                             info.address.port != world->peers[id].address.port))
        sim_violation(world, "peers keep their address",
                      "peer %u changed its address without a datagram", id);
    if (world->host_party.tick_us == 0 && world->host_party.wake > world->now &&
        now - info.heard_at >= timeout_us)
        sim_violation(world, "silent peers are removed", "peer %u, silent for %lld us", id,
                      (long long)(now - info.heard_at));
}

/* Two Starbase endpoints never exceed each other's window (spec 01 §6.2, §6.3). The window of a
 * receiver that stores forged messages, or takes them back, is behind that of its sender for a
 * while, and marks on their way may be beyond a window whose first number was changed. */
void sim_check_window(sim_world *world, const sim_session *session, int way, uint64_t before,
                      uint64_t after)
{
    bool numbers = world->plan->clients[session->slot].numbers;
    if (after > before && !session->exempt && !numbers && !session->ledger[way].forged_data)
        sim_violation(world, "windows agree", "a datagram of session %u has numbers beyond it",
                      session->index);
}

static void check_host(sim_world *world)
{
    bool     small = sim_plan_has(world->plan, SIM_HAS_MEMORY);
    uint32_t own = small ? world->plan->send_cells + world->plan->receive_cells : 160 + 96;
    uint32_t shared = (small ? world->plan->shared_cells : 1024) + 1024;
    sb_transport_host_check(world->host);
    if (sb_transport_host_peer_count(world->host) != world->peer_count)
        sim_violation(world, "the host counts its peers", "%u, but %u have joined and not left",
                      sb_transport_host_peer_count(world->host), world->peer_count);
    for (int id = 0; id < 256; id++)
        if (world->peers[id].present) check_peer(world, (uint8_t)id, own + shared);
}

static void check_session(sim_world *world, sim_session *session)
{
    bool         small = sim_plan_has(world->plan, SIM_HAS_MEMORY);
    sb_time      now = sim_own_time(world, &session->party);
    sb_peer_info info;
    sb_transport_client_check(session->client);
    if (!session->joined || session->left) return;
    if (!sb_transport_client_peer(session->client, &info)) return;
    check_memory(world, &info, session->index, &client_bounds,
                 small ? world->plan->client_cells : 4096);
    check_clean(world, session, &info);
    check_age(world, session, SIM_UP);
    check_resends(world, session, SIM_UP, now, world->plan->clients[session->slot].retransmit,
                  &info);
    if (session->party.tick_us > 0 || session->party.wake <= world->now) return;
    if (session->leaving && now - session->leaving_since >= leave_limit_us)
        sim_violation(world, "leaving ends", "session %u, after %lld us", session->index,
                      (long long)(now - session->leaving_since));
    if (!session->leaving && now - info.heard_at >= timeout_us)
        sim_violation(world, "a silent host is given up", "session %u, silent for %lld us",
                      session->index, (long long)(now - info.heard_at));
}

void sim_check_bounds(sim_world *world)
{
    if (world->outcome->failed) return;
    if (sim_network_totals_of(world->network)->overflowed > 0)
        sim_violation(world, "losses are planned", "the simulated network was full");
    check_host(world);
    for (uint32_t i = 0; i < world->plan->client_count; i++) {
        sim_session *session = world->slots[i].session;
        if (session && session->running) check_session(world, session);
    }
}

/* ---- Strangers ------------------------------------------------------------------------------ */

sim_source *sim_find_or_add_source(sim_world *world, sb_endpoint endpoint)
{
    uint64_t key = ((uint64_t)endpoint.address << 16 | endpoint.port) * 0x9E3779B97F4A7C15u;
    for (uint32_t at = (uint32_t)(key >> 40) % SIM_SOURCES;; at = (at + 1) % SIM_SOURCES) {
        sim_source *source = &world->sources[at];
        if (source->endpoint.address == 0) source->endpoint = endpoint;
        if (source->endpoint.address == endpoint.address && source->endpoint.port == endpoint.port)
            return source;
    }
}

/* Spec 01 §14.10. A seat whose whole join was forged gets names, NoOps and a few control messages
 * again and again until it has been silent for 45 s. */
void sim_check_amplification(sim_world *world, const sim_source *source)
{
    uint64_t max = 4 * source->in + (source->seated ? SEAT_BYTES_MAX : 0);
    if (source->proven || source->out <= max) return;
    sim_violation(world, "strangers get little", "%08X:%u sent %llu bytes and got %llu",
                  source->endpoint.address, source->endpoint.port, (unsigned long long)source->in,
                  (unsigned long long)source->out);
}

/* ---- After settling ------------------------------------------------------------------------- */

/* True: the client has joined, runs and has not left: from its view it is connected. */
static bool is_client_connected(const sim_session *session)
{
    return session && session->running && session->joined && !session->left;
}

/* True: the host takes a client that started again within 12 s, from the same port, for the session
 * before: the protocol has no session id. */
static bool is_same_client(const sim_session *session, const sim_session *other)
{
    return other == session || (other && session->exempt && other->slot == session->slot);
}

static void check_agreement(sim_world *world, const sim_session *session)
{
    const sim_peer *peer = &world->peers[session->id];
    sb_endpoint     here = world->slots[session->slot].endpoint;
    if (!peer->present || !is_same_client(session, peer->session))
        sim_violation(world, "both ends agree who is connected",
                      "session %u says it is peer %u, the host does not", session->index,
                      session->id);
    else if (peer->address.address != here.address || peer->address.port != here.port)
        sim_violation(world, "both ends agree who is connected",
                      "peer %u is at port %u, the host sends to %u", session->id, here.port,
                      peer->address.port);
}

static void check_arrived(sim_world *world, const sim_session *session, int way,
                          const sb_peer_info *info)
{
    const sim_ledger *ledger = &session->ledger[way];
    uint32_t          next = ledger->received;
    if (session->exempt) return;
    if (sim_may_be_lost(session, way, next)) {
        world->outcome->lost++; /* the receiver waits for it; bounded over all seeds (main.c) */
        return;
    }
    if (next != ledger->sent)
        sim_violation(world, "reliable messages arrive", "session %u %s: %u of %u", session->index,
                      way == SIM_UP ? "up" : "down", ledger->received, ledger->sent);
    /* All that was sent has come, so only forged messages and lies can be stored: they wait until
     * the channel reaches their numbers. */
    bool     dishonest = sim_plan_has(world->plan, SIM_HAS_ATTACKER) || session->has_lied;
    uint32_t stored = dishonest ? 0 : info->stored;
    if (info->unacknowledged + info->queued + stored > 0)
        sim_violation(world, "nothing is left over",
                      "session %u: %u unacknowledged, %u queued, "
                      "%u stored",
                      session->index, info->unacknowledged, info->queued, info->stored);
}

/* The host knows the name that each player chose, and all other players know it, too. */
static void check_players(sim_world *world, const sim_session *session)
{
    bool notice = !sim_plan_has(world->plan, SIM_HAS_NO_NOTICE);
    for (int id = 2; id < 128; id++) {
        const sim_peer *peer = &world->peers[id];
        if (!peer->present && session->players[id] != 0 && notice)
            sim_violation(world, "departures are passed on", "session %u still lists %d",
                          session->index, id);
        if (!peer->present || peer->session->exempt) continue;
        if (peer->name != peer->session->name && !sim_excuse_control(world, peer->session, SIM_UP))
            sim_violation(world, "the host knows the names", "a wrong name for peer %d", id);
        if (session->players[id] != peer->name)
            sim_violation(world, "players know each other",
                          "session %u does not know the name of "
                          "peer %d",
                          session->index, id);
    }
}

static void check_settled_session(sim_world *world, const sim_session *session)
{
    sb_peer_info there, here;
    check_agreement(world, session);
    if (world->outcome->failed) return;
    if (!sb_transport_client_peer(session->client, &here) ||
        !sb_transport_host_peer(world->host, session->id, &there)) {
        sim_violation(world, "present peers are known", "session %u", session->index);
        return;
    }
    check_arrived(world, session, SIM_UP, &here);
    check_arrived(world, session, SIM_DOWN, &there);
    if (!session->exempt && sim_session_knows_others(world, session)) check_players(world, session);
}

static bool is_peer_connected(const sim_world *world, int id)
{
    const sim_session *session = world->peers[id].session;
    if (!session || is_client_connected(session)) return session != NULL;
    const sim_session *next = world->slots[session->slot].session;
    return is_client_connected(next) && next->id == id && is_same_client(next, session);
}

void sim_check_settled(sim_world *world)
{
    sim_check_bounds(world);
    for (uint32_t i = 0; i < world->plan->client_count; i++) {
        const sim_session *session = world->slots[i].session;
        if (is_client_connected(session)) check_settled_session(world, session);
        else if (session && session->running)
            sim_violation(world, "sessions end", "session %u neither joined nor ended",
                          session->index);
    }
    for (int id = 0; id < 256; id++)
        if (world->peers[id].present && !is_peer_connected(world, id))
            sim_violation(world, "both ends agree who is connected",
                          "the host keeps peer %d, whose session is over", id);
}

/* ---- Idle ----------------------------------------------------------------------------------- */

/* One NoOp per 5 s and direction (spec 01 §8.2). */
static void check_silence(sim_world *world, const sim_session *session, int way)
{
    uint32_t count = session->ledger[way].idle_datagrams;
    if (count < 3 || count > 4)
        sim_violation(world, "an idle network carries NoOps", "session %u %s: %u in 16 s",
                      session->index, way == SIM_UP ? "up" : "down", count);
}

void sim_check_idle(sim_world *world)
{
    sim_check_bounds(world);
    for (uint32_t i = 0; i < world->plan->client_count; i++) {
        const sim_session *session = world->slots[i].session;
        if (!is_client_connected(session)) continue;
        if (world->peers[session->id].session != session) continue; /* is_same_client */
        check_silence(world, session, SIM_UP);
        check_silence(world, session, SIM_DOWN);
    }
}

void sim_check_newcomer(sim_world *world, const sim_session *session)
{
    if (sim_session_is_live(session)) return;
    sim_violation(world, "newcomers get in", "session %u did not join over a good network",
                  session->index);
}

/* ---- The end -------------------------------------------------------------------------------- */

/* True: the client cannot hear the farewell of the host. An Ack took an earlier control message
 * from the host too early, so the farewell never has the next number. */
static bool waits_for_control(sim_world *world, sim_session *session)
{
    return world->host_stopping && !session->left && sim_excuse_control(world, session, SIM_DOWN);
}

static void check_ended(sim_world *world, sim_session *session)
{
    bool            farewell = sim_plan_has(world->plan, SIM_HAS_FAREWELL);
    sb_leave_reason expected = farewell ? SB_LEFT_QUIT : SB_LEFT_HOST_CLOSED;
    if (session->left_at < world->phase_started && session->left) return;
    if (waits_for_control(world, session)) return;
    if (!session->left || session->running)
        sim_violation(world, "sessions end", "session %u has not ended", session->index);
    else if (session->reason != expected)
        sim_violation(world, "sessions end", "session %u: %s", session->index,
                      sb_leave_reason_text(session->reason));
    else if (!session->host_left || session->host_reason != expected)
        sim_violation(world, "sessions end", "session %u ended, but not on the host",
                      session->index);
}

/* No mark is sent (spec 01 §10.8) if nothing looks like a forgery, and nobody has left. Hundreds of
 * messages at once look like a sweep. */
static void check_marks(sim_world *world, uint64_t marks)
{
    bool bulk = sim_plan_has(world->plan, SIM_HAS_BULK);
    if (marks > 0 && sim_plan_is_clean(world->plan) && world->host_leaves == 0 && !bulk)
        sim_violation(world, "marks have a cause", "%llu were sent", (unsigned long long)marks);
}

/* Every message that a client wrote has a cause: a mark or an answer to one, a first send, a
 * retransmission, an Ack (each at most twice, spec 01 §6.8), a NoOp, or one of a few control
 * messages. */
static void check_written(sim_world *world, const sim_session *session)
{
    const sb_transport_client *client = session->client;
    const sim_ledger          *up = &session->ledger[SIM_UP];
    sb_time                    lived = sim_own_time(world, &session->party) - session->begun;
    uint64_t                   reliable = up->fragments +
                        sb_transport_client_counter(client, SB_TRANSPORT_COUNT_RETRANSMITTED) +
                        sb_transport_client_counter(client, SB_TRANSPORT_COUNT_RETRANSMITTED_FAST);
    uint64_t marks = sb_transport_client_counter(client, SB_TRANSPORT_COUNT_MARKS);
    uint64_t max = reliable + marks + up->unreliable_sent + up->unreliable_empty +
                   session->renames + 16 + (uint64_t)(lived / (5 * SB_SECOND)) +
                   2 * sb_transport_client_counter(client, SB_TRANSPORT_COUNT_MESSAGES_IN);
    uint64_t written = sb_transport_client_counter(client, SB_TRANSPORT_COUNT_MESSAGES_OUT);
    if (written > max)
        sim_violation(world, "written messages have a cause",
                      "session %u wrote %llu messages, at most "
                      "%llu have a cause",
                      session->index, (unsigned long long)written, (unsigned long long)max);
    check_marks(world, marks);
    /* A client asks a host that has said goodbye. */
    bool told = session->reason == SB_LEFT_HOST_CLOSED || session->reason == SB_LEFT_BOOTED;
    if (marks > 0 && !sim_plan_has(world->plan, SIM_HAS_BULK) && !session->attacked &&
        !session->cautious && !(session->left && told) &&
        sim_plan_is_clean_but_attacked(world->plan))
        sim_violation(world, "marks have a cause", "session %u was not attacked and sent %llu",
                      session->index, (unsigned long long)marks);
}

void sim_check_end(sim_world *world)
{
    sim_check_bounds(world);
    check_marks(world, sb_transport_host_counter(world->host, SB_TRANSPORT_COUNT_MARKS));
    for (uint32_t i = 0; i < world->session_count; i++) {
        sim_session *session = world->sessions[i];
        check_written(world, session);
        if (!session->vanished && !session->exempt) check_ended(world, session);
    }
    if (world->host_stopping && !sb_transport_host_is_stopped(world->host))
        sim_violation(world, "the host stops", "it has not stopped");
    for (int id = 0; id < 256; id++)
        if (world->peers[id].present && world->peers[id].session &&
            !world->peers[id].session->exempt)
            sim_violation(world, "the host stops", "it still has peer %d", id);
}
