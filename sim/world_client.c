/* sim/world_client.c -- the clients in the simulated world: their loops, and the checks of their
 * events.
 *
 * For:      sim/world.c.
 */
#include "sim/world_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS_MAX = 20000, NAME_BYTES_MAX = 40 };

static const uint8_t right_password[] = { 'o', 0, 'p', 0, 'e', 0, 'n', 0 };
static const uint8_t wrong_password[] = { 's', 0, 'h', 0, 'u', 0, 't', 0 };

uint64_t sim_hash_name(sb_span name)
{
    uint64_t hash = 0xCBF29CE484222325u;
    while (name.size >= 2 && name.data[name.size - 1] == 0 && name.data[name.size - 2] == 0)
        name.size -= 2;
    for (size_t i = 0; i < name.size; i++) hash = (hash ^ name.data[i]) * 0x100000001B3u;
    return hash | 1;
}

/* A name such as "P3-7-1": slot, session, number of renames. */
static size_t make_name(const sim_session *session, uint8_t *out)
{
    char ascii[NAME_BYTES_MAX / 2];
    int  count =
        snprintf(ascii, sizeof ascii, "P%u-%u-%u", session->slot, session->index, session->renames);
    for (int i = 0; i < count; i++) {
        out[2 * i] = (uint8_t)ascii[i];
        out[2 * i + 1] = 0;
    }
    return (size_t)count * 2;
}

bool sim_session_knows_others(const sim_world *world, const sim_session *session)
{
    return session->cautious || !sim_plan_has(world->plan, SIM_HAS_ATTACKER);
}

bool sim_session_is_live(const sim_session *session)
{
    return session && session->running && session->joined && !session->left &&
           session->host_present;
}

/* ---- Starting -------------------------------------------------------------------------------- */

static sb_transport_client_config make_config(const sim_world *world, uint32_t slot)
{
    const sim_client_plan     *plan = &world->plan->clients[slot];
    sb_transport_client_config config;
    sb_transport_client_defaults(&config);
    config.server = world->plan->host;
    config.local_address = 0xC0A80000u + slot;
    config.local_port = plan->endpoint.port;
    config.retransmit = plan->retransmit;
    config.ack_delay_us = plan->ack_delay_us;
    config.message_limit = plan->message_limit;
    config.plain_fragment_acks = plan->plain_fragment_acks;
    /* It costs a retransmission of every control message, and marks. */
    config.cautious = plan->cautious && !sim_plan_is_clean(world->plan);
    config.seed = (world->plan->request.seed << 8 ^ slot ^ (uint64_t)world->now << 16) | 1;
    if (sim_plan_has(world->plan, SIM_HAS_MEMORY)) config.cells = world->plan->client_cells;
    if (sim_plan_has(world->plan, SIM_HAS_PASSWORD))
        config.password = (sb_span){ plan->wrong_password ? wrong_password : right_password, 8 };
    return config;
}

static bool was_used_before(const sim_world *world, uint32_t slot)
{
    for (uint32_t i = 0; i < world->session_count; i++)
        if (world->sessions[i]->slot == slot) return true;
    return false;
}

static sim_session *create(sim_world *world, uint32_t slot)
{
    sim_session *session = calloc(1, sizeof *session);
    if (!session) abort();
    session->index = world->session_count;
    session->slot = slot;
    session->follows = was_used_before(world, slot);
    session->numbers_pending = world->plan->clients[slot].numbers && !session->follows;
    session->id = SB_PEER_NONE;
    session->running = true;
    session->party = (sim_party){ .offset_us = (sb_time)session->index * 7777777,
                                  .tick_us = world->plan->clients[slot].tick_us };
    session->party.wake = world->now;
    sb_random_init(&session->random,
                   world->plan->request.seed * 1000003 + slot * 101 + session->follows);
    return session;
}

void sim_session_start(sim_world *world, uint32_t slot)
{
    world->slots[slot].start_at = SB_TIME_NEVER;
    if (world->session_count == SIM_SESSIONS_MAX) return;
    uint8_t                    name[NAME_BYTES_MAX];
    sim_session               *session = create(world, slot);
    sb_transport_client_config config = make_config(world, slot);
    config.name = (sb_span){ name, make_name(session, name) };
    session->name = sim_hash_name(config.name);
    session->cautious = config.cautious;
    size_t bytes = sb_transport_client_bytes(&config);
    SB_ASSERT(bytes > 0);
    session->memory = malloc(bytes);
    if (!session->memory) abort();
    memset(session->memory, 0x5A, bytes); /* the endpoint must not rely on zeroed memory */
    session->begun = session->heard = sim_own_time(world, &session->party);
    session->client = sb_transport_client_init(session->memory, &config, session->begun);
    world->sessions[world->session_count++] = session;
    world->slots[slot].session = session;
    sim_traffic_start(world, session);
    sim_trace_line(world->trace, world->now, "session %u begins on slot %u", session->index, slot);
}

void sim_session_destroy(sim_session *session)
{
    for (int way = 0; way < SIM_DIRECTIONS; way++) {
        free(session->ledger[way].messages);
        free(session->ledger[way].unreliable_sizes);
        free(session->ledger[way].unreliable_seen);
    }
    free(session->memory);
    free(session);
}

void sim_session_leave(sim_world *world, sim_session *session)
{
    if (!session || !session->running || session->left || session->leaving) return;
    session->leaving = true;
    session->leaving_since = sim_own_time(world, &session->party);
    sb_transport_client_leave(session->client, session->leaving_since);
    sim_session_drain_events(world, session);
    sim_wake(world, &session->party);
}

void sim_session_rename(sim_world *world, sim_session *session)
{
    uint8_t name[NAME_BYTES_MAX];
    session->renames++;
    sb_span span = { name, make_name(session, name) };
    if (sb_transport_client_rename(session->client, span) == SB_OK)
        session->name = sim_hash_name(span);
    sim_wake(world, &session->party);
}

/* ---- Events --------------------------------------------------------------------------------- */

static void handle_joined(sim_world *world, sim_session *session, const sb_transport_event *event)
{
    if (session->joined) {
        sim_violation(world, "a client joins once", "session %u joined again", session->index);
        return;
    }
    if (sim_is_attack(world) && !session->cautious) {
        world->outcome->taken_in++;
        sim_exempt(world, session, SIM_EXEMPT_FORGED_ID, "it is not cautious and took a forged id");
    }
    if (world->plan->clients[session->slot].wrong_password && !session->exempt)
        sim_violation(world, "passwords are checked", "session %u joined with a wrong one",
                      session->index);
    if (event->peer_id != sb_transport_client_id(session->client))
        sim_violation(world, "a client knows its id",
                      "session %u: %u in the event, %u in the client", session->index,
                      event->peer_id, sb_transport_client_id(session->client));
    session->joined = true;
    session->id = event->peer_id;
    session->heard = session->heard_data = sim_own_time(world, &session->party);
    session->heard_life = session->heard;
}

/* Another player left: the host must have removed that player before. */
static void handle_notice(sim_world *world, sim_session *session, const sb_transport_event *event)
{
    uint8_t id = event->peer_id;
    if (!session->joined && !session->exempt)
        sim_violation(world, "JOINED comes first", "session %u: %u left", session->index, id);
    session->players[id] = 0;
    session->notices[id]++;
    if (session->exempt || !sim_session_knows_others(world, session)) return;
    if (session->notices[id] > world->peers[id].leaves)
        sim_violation(world, "departures are real", "session %u got %u notices that peer %u left",
                      session->index, session->notices[id], id);
    if (sim_plan_has(world->plan, SIM_HAS_NO_NOTICE))
        sim_violation(world, "departures are not passed on",
                      "session %u got a notice that peer %u left", session->index, id);
}

static void handle_left(sim_world *world, sim_session *session, const sb_transport_event *event)
{
    if (event->peer_id != session->id && event->peer_id != SB_PEER_NONE) {
        handle_notice(world, session, event);
        return;
    }
    sim_check_client_left(world, session, event);
    session->left = true;
    session->left_at = world->now;
    session->reason = event->reason;
    SB_ASSERT((unsigned)event->reason < SB_LEFT_REASON_COUNT);
    world->outcome->ended[event->reason]++;
}

static void handle_event(sim_world *world, sim_session *session, const sb_transport_event *event)
{
    sim_trace_mix(world->trace, (uint64_t)event->type << 16 | event->peer_id);
    if (session->left) {
        sim_violation(world, "nothing comes after LEFT", "session %u: event %d", session->index,
                      (int)event->type);
        return;
    }
    if (!session->joined && (event->type == SB_EVENT_NAMED || event->type == SB_EVENT_MESSAGE)) {
        sim_violation(world, "JOINED comes first", "session %u: event %d", session->index,
                      (int)event->type);
        return;
    }
    switch (event->type) {
    case SB_EVENT_JOINED: handle_joined(world, session, event); break;
    case SB_EVENT_NAMED: session->players[event->peer_id] = sim_hash_name(event->bytes); break;
    case SB_EVENT_MESSAGE:
        if (!sim_attack_delivered(world, session, SIM_DOWN, event))
            sim_traffic_receive(world, session, SIM_DOWN, event);
        break;
    case SB_EVENT_LEFT: handle_left(world, session, event); break;
    }
}

static void trace_event(sim_world *world, sim_session *session, const sb_transport_event *event)
{
    static const char *const names[] = { "joined", "named", "message", "left" };
    if (!world->trace->wanted) return;
    sim_trace_line(world->trace, world->now, "session %u: %u %s, %zu bytes%s%s", session->index,
                   event->peer_id, names[event->type & 3], event->bytes.size,
                   event->type == SB_EVENT_LEFT ? ", " : "",
                   event->type == SB_EVENT_LEFT ? sb_leave_reason_text(event->reason) : "");
}

void sim_session_drain_events(sim_world *world, sim_session *session)
{
    sb_transport_event event;
    uint32_t           turns = 0;
    sb_time            now = sim_own_time(world, &session->party);
    while (!world->outcome->failed &&
           sb_transport_client_next_event(session->client, now, &event)) {
        trace_event(world, session, &event);
        handle_event(world, session, &event);
        if (++turns > ITERATIONS_MAX)
            sim_violation(world, "time goes on", "the events of session %u never end",
                          session->index);
    }
}

/* ---- Datagrams ------------------------------------------------------------------------------ */

static uint64_t count_refusals(const sb_transport_client *client)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < SB_TRANSPORT_COUNT_DATAGRAMS_IN; i++)
        sum += sb_transport_client_counter(client, (sb_transport_counter)i);
    return sum;
}

static uint64_t count_beyond_window(const sb_transport_client *client)
{
    return sb_transport_client_counter(client, SB_TRANSPORT_COUNT_BEYOND_BUFFER) +
           sb_transport_client_counter(client, SB_TRANSPORT_COUNT_OUT_OF_WINDOW);
}

static void record_accepted(sim_world *world, sim_session *session)
{
    uint32_t tag = world->source_tag;
    if (sim_is_attack(world)) return; /* the host's address and id: nothing shows the forgery */
    if (sim_network_was_damaged(world->network))
        sim_exempt(world, session, SIM_EXEMPT_DAMAGED, "it accepted a damaged datagram");
    if (tag == SIM_TAG_STRANGER)
        sim_violation(world, "strangers are ignored", "session %u accepted a stranger's datagram",
                      session->index);
    if (tag != 0 && tag != session->index + 1)
        sim_exempt(world, session, SIM_EXEMPT_OTHER_SESSION,
                   "it accepted a datagram of an earlier session");
}

static bool has_type(const sb_datagram *datagram, uint8_t type)
{
    sb_transport_message m;
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m);)
        if (m.type == type) return true;
    return false;
}

/* True: an end that has left sends no such datagram, though it may still acknowledge. */
static bool is_sign_of_life(const sb_datagram *datagram)
{
    if (datagram->kinds & SB_HAS_FAREWELL) return false;
    return (datagram->kinds & (SB_HAS_DATA | SB_HAS_NOOP | SB_HAS_CONTROL)) != 0;
}

/* Records a datagram of the host that arrives, whatever the client makes of it. */
static void record_arrival(sim_world *world, sim_session *session, const sb_datagram *datagram)
{
    uint32_t tag = world->source_tag;
    sb_time  now = sim_own_time(world, &session->party);
    if (tag != 0 && tag != session->index + 1) return;
    session->heard = now;
    if (datagram->kinds & SB_HAS_DATA) session->heard_data = now;
    if (is_sign_of_life(datagram)) session->heard_life = now;
    if (has_type(datagram, SB_TRANSPORT_CONNECT)) session->answered_last = now;
    if (has_type(datagram, SB_TRANSPORT_BOOT) && !session->joined) session->heard_refusal = true;
    if (session->answered == 0) session->answered = session->answered_last;
    if (tag > 0) sim_record_arrivals(session, SIM_DOWN, datagram);
    sim_hear_question(world, session, datagram);
}

static sb_result receive(sim_world *world, sim_session *session, sb_endpoint from, sb_span datagram)
{
    uint8_t     plain[SIM_DATAGRAM_MAX];
    sb_datagram opened;
    sim_acks    acks = { 0 };
    sb_time     now = sim_own_time(world, &session->party);
    bool        known = sim_is_attack(world) || world->source_tag == session->index + 1;
    bool        readable =
        !sim_network_was_damaged(world->network) && sim_open_datagram(datagram, plain, &opened);
    if (readable) record_arrival(world, session, &opened);
    if (readable && known) sim_watch_acks(world, session, SIM_UP, &opened, &acks);
    sb_result result = sb_transport_client_receive(session->client, now, from, datagram);
    sim_trace_line(world->trace, world->now, "session %u <- %zu bytes, tag %u%s: %s",
                   session->index, datagram.size, world->source_tag,
                   sim_network_was_damaged(world->network) ? ", damaged" : "",
                   sb_result_name(result));
    if (result == SB_OK) record_accepted(world, session);
    sim_session_drain_events(world, session);
    sim_record_lost(world, session, SIM_UP, &acks);
    return result;
}

void sim_session_receive(sim_world *world, sim_session *session, sb_endpoint from, sb_span datagram)
{
    bool     check_counted = world->steps % 8 == 0;
    uint64_t before = check_counted ? count_refusals(session->client) : 0;
    uint64_t beyond = count_beyond_window(session->client);
    if (sim_is_attack(world)) sim_record_forged(world, session, SIM_DOWN, datagram);
    sb_result result = receive(world, session, from, datagram);
    if (world->source_tag == session->index + 1)
        sim_check_window(world, session, SIM_DOWN, beyond, count_beyond_window(session->client));
    if (check_counted && result != SB_OK && count_refusals(session->client) <= before)
        sim_violation(world, "refusals are counted", "%s was not", sb_result_name(result));
    sim_wake(world, &session->party);
}

static void send_datagram(sim_world *world, sim_session *session, sb_span datagram)
{
    if (datagram.size > SB_DATAGRAM_MAX)
        sim_violation(world, "datagrams fit", "session %u wrote %zu bytes", session->index,
                      datagram.size);
    if (world->phase == SIM_IDLE) {
        session->ledger[SIM_UP].idle_datagrams++;
        if (datagram.size != 3 && !session->exempt)
            sim_violation(world, "an idle network carries only NoOps", "session %u wrote %zu bytes",
                          session->index, datagram.size);
    }
    if (datagram.data[0] == SB_PEER_NONE && datagram.size <= SB_DATAGRAM_MAX)
        sim_record(&session->connect, session->index + 1, world->slots[session->slot].endpoint,
                   world->plan->host, datagram);
    sim_watch_answer(world, session, datagram);
    sim_trace_line(world->trace, world->now, "session %u -> %zu bytes", session->index,
                   datagram.size);
    sim_send(world, session->index + 1, world->slots[session->slot].endpoint, world->plan->host,
             datagram);
}

/* The session is over: the slot may start another one. */
static void finish(sim_world *world, sim_session *session)
{
    const sim_client_plan *plan = &world->plan->clients[session->slot];
    session->running = false;
    if (!session->left)
        sim_violation(world, "LEFT comes before the end", "session %u is over without LEFT",
                      session->index);
    if (world->phase != SIM_ACTIVE || plan->again_us == 0) return;
    sb_time pause = session->joined ? 0 : 3 * SB_SECOND; /* a refused client waits longer */
    world->slots[session->slot].start_at = world->now + plan->again_us + pause;
}

/* Sends all datagrams that are due and returns their number. */
static uint32_t write_all(sim_world *world, sim_session *session, sb_time now)
{
    uint8_t  bytes[SB_DATAGRAM_MAX];
    uint32_t count = 0;
    for (size_t size; !world->outcome->failed; count++) {
        size = sb_transport_client_write(session->client, now, bytes);
        if (size == 0) break;
        send_datagram(world, session, (sb_span){ bytes, size });
        if (count > ITERATIONS_MAX)
            sim_violation(world, "time goes on", "session %u never stops writing", session->index);
    }
    return count;
}

void sim_session_step(sim_world *world, sim_session *session)
{
    sb_time  now = sim_own_time(world, &session->party);
    uint32_t turns = 0;
    do {
        sim_session_drain_events(world, session);
        if (turns++ > ITERATIONS_MAX)
            sim_violation(world, "time goes on", "session %u never stops writing", session->index);
    } while (write_all(world, session, now) > 0 && !world->outcome->failed);
    if (sb_transport_client_is_over(session->client)) {
        finish(world, session);
        return;
    }
    sb_time deadline = sb_transport_client_next_deadline(session->client);
    if (deadline <= now)
        sim_violation(world, "deadlines lie ahead", "the deadline of session %u was %lld us ago",
                      session->index, (long long)(now - deadline));
    sim_wake_at(world, &session->party, deadline);
}
