/* sim/world.c -- the time of the simulated world: the next step, and the phases of a run.
 *
 * For:      sim/world.h.
 */
#include "sim/world_internal.h"

#include "base/packet.h"
#include "base/time.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_AT_ONE_TIME_MAX = 200000, CHECK_EVERY = 24, NETWORK_CAPACITY = 16384 };
enum { PROBES = 24, PROBE_BYTES = 20 };

/* Long enough for a send queue that progresses and then stalls for 60 s, and for one end to time
 * out after 45 s and the other end to notice (spec 01 §6.2, §8.1). Cheap, because most runs carry
 * only NoOps in this phase. */
static const sb_time settle_us = 200 * SB_SECOND;
/* With little memory a receiver stores only about a dozen messages that arrive out of order. Each
 * of the others waits for its own retransmission: up to 5 s for a few messages (spec 01 §6.5). */
static const sb_time settle_poor_us = 900 * SB_SECOND;
/* Messages that find forged ones under their numbers need a few seconds (spec 01 §10.8), and both
 * ends suspect each other for 30 s then. */
static const sb_time probe_us = 60 * SB_SECOND;
/* Enough for three or four NoOps per direction (spec 01 §8.2). */
static const sb_time idle_us = 16 * SB_SECOND;
/* 2 RTT + slow loops + margin; also during an attack. */
static const sb_time newcomer_us = 3 * SB_SECOND;
static const sb_time seats_us = 2 * SB_SECOND;
static const sb_time ending_us = 8 * SB_SECOND;

void sim_violation(sim_world *world, const char *invariant, const char *format, ...)
{
    sim_outcome *outcome = world->outcome;
    va_list      list;
    if (outcome->failed) return;
    outcome->failed = true;
    outcome->invariant = invariant;
    outcome->failed_at = world->now;
    va_start(list, format);
    vsnprintf(outcome->detail, sizeof outcome->detail, format, list);
    va_end(list);
    sim_trace_line(world->trace, world->now, "BROKEN %s: %s", invariant, outcome->detail);
}

void sim_exempt(sim_world *world, sim_session *session, sim_exemption cause, const char *why)
{
    if (session->exempt) return;
    session->exempt = true;
    world->outcome->exempt[cause]++;
    sim_trace_line(world->trace, world->now, "session %u is exempt from checks: %s", session->index,
                   why);
}

sb_time sim_own_time(const sim_world *world, const sim_party *party)
{
    return world->now + party->offset_us;
}

/* The first tick at or after `time`. */
static sb_time next_tick(const sim_party *party, sb_time time)
{
    if (party->tick_us <= 0) return time;
    return (time + party->tick_us - 1) / party->tick_us * party->tick_us;
}

void sim_wake(sim_world *world, sim_party *party)
{
    sb_time tick = next_tick(party, world->now);
    if (tick < party->wake) party->wake = tick;
}

void sim_wake_at(sim_world *world, sim_party *party, sb_time deadline)
{
    if (deadline == SB_TIME_NEVER) {
        party->wake = SB_TIME_NEVER;
        return;
    }
    sb_time time = deadline - party->offset_us;
    party->wake = next_tick(party, time > world->now ? time : world->now);
}

void sim_record(sim_recording *recording, uint32_t tag, sb_endpoint from, sb_endpoint to,
                sb_span datagram)
{
    SB_ASSERT(datagram.size <= sizeof recording->bytes);
    recording->from = from;
    recording->to = to;
    recording->tag = tag;
    recording->size = datagram.size;
    memcpy(recording->bytes, datagram.data, datagram.size);
}

void sim_send(sim_world *world, uint32_t tag, sb_endpoint from, sb_endpoint to, sb_span datagram)
{
    bool needed =
        sim_plan_has(world->plan, SIM_HAS_REPLAY) || sim_plan_has(world->plan, SIM_HAS_HOSTILE);
    if (needed && datagram.size <= SB_DATAGRAM_MAX)
        sim_record(&world->recordings[world->recording_count++ % SIM_RECORDINGS], tag, from, to,
                   datagram);
    sim_network_set_tag(world->network, tag);
    sim_network_send(world->network, world->now, from, to, datagram);
}

/* ---- Delivery ------------------------------------------------------------------------------- */

sim_session *sim_session_at(sim_world *world, sb_endpoint endpoint)
{
    for (uint32_t i = 0; i < world->plan->client_count; i++) {
        sim_slot *slot = &world->slots[i];
        if (slot->session && slot->session->running && sb_endpoints_equal(slot->endpoint, endpoint))
            return slot->session;
    }
    return NULL;
}

static void deliver(sim_world *world, sb_endpoint from, sb_endpoint to, sb_span datagram)
{
    sim_trace_mix(world->trace, (uint64_t)world->now ^ (uint64_t)to.address << 32 ^ to.port);
    sim_trace_mix_bytes(world->trace, datagram);
    world->source_tag = sim_network_tag(world->network);
    world->source = from;
    if (sb_endpoints_equal(to, world->plan->host)) {
        sim_host_receive(world, from, datagram);
    } else {
        sim_session *session = sim_session_at(world, to);
        if (session) sim_session_receive(world, session, from, datagram);
    }
    world->source_tag = 0;
    world->source = (sb_endpoint){ 0 };
}

static void deliver_all(sim_world *world)
{
    sb_endpoint from, to;
    sb_span     datagram;
    while (!world->outcome->failed &&
           sim_network_receive(world->network, world->now, &from, &to, &datagram))
        deliver(world, from, to, datagram);
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static sb_time next_of_slot(const sim_world *world, const sim_slot *slot)
{
    sb_time next = world->phase == SIM_ACTIVE ? slot->start_at : SB_TIME_NEVER;
    if (!slot->session || !slot->session->running) return next;
    if (world->phase == SIM_ACTIVE) next = sb_time_earlier(next, sim_traffic_next(slot->session));
    return sb_time_earlier(next, slot->session->party.wake);
}

static sb_time next_time(const sim_world *world)
{
    const sim_plan *plan = world->plan;
    sb_time next = sb_time_earlier(sim_network_next_time(world->network), world->host_party.wake);
    next = sb_time_earlier(next, sim_attack_next(world));
    if (world->phase == SIM_ACTIVE && world->next_action < plan->action_count)
        next = sb_time_earlier(next, plan->actions[world->next_action].time);
    for (uint32_t i = 0; i < plan->client_count; i++)
        next = sb_time_earlier(next, next_of_slot(world, &world->slots[i]));
    return next;
}

static void run_actions(sim_world *world)
{
    const sim_plan *plan = world->plan;
    while (world->next_action < plan->action_count &&
           plan->actions[world->next_action].time <= world->now)
        sim_run_action(world, &plan->actions[world->next_action++]);
    for (uint32_t i = 0; i < plan->client_count; i++) {
        sim_slot *slot = &world->slots[i];
        if (slot->start_at <= world->now) sim_session_start(world, i);
        if (slot->session && slot->session->running) sim_traffic_advance(world, slot->session);
    }
}

static void step_parties(sim_world *world)
{
    if (world->host_party.wake <= world->now) sim_host_step(world);
    for (uint32_t i = 0; i < world->plan->client_count; i++) {
        sim_session *session = world->slots[i].session;
        if (session && session->running && session->party.wake <= world->now)
            sim_session_step(world, session);
    }
}

static void step(sim_world *world)
{
    if (world->phase == SIM_ACTIVE) run_actions(world);
    sim_attack_advance(world);
    deliver_all(world);
    step_parties(world);
    if (world->steps++ % CHECK_EVERY == 0) sim_check_bounds(world);
}

static void run_until(sim_world *world, sb_time end)
{
    uint32_t at_one_time = 0;
    while (!world->outcome->failed) {
        sb_time next = next_time(world);
        if (next >= end) break;
        at_one_time = next > world->now ? 0 : at_one_time + 1;
        if (at_one_time > STEPS_AT_ONE_TIME_MAX)
            sim_violation(world, "time goes on", "too many steps at one moment");
        if (next > world->now) world->now = next;
        world->outcome->failed_at = world->now; /* for the report, in case an endpoint asserts */
        step(world);
    }
    if (!world->outcome->failed) world->now = end;
}

/* ---- Phases --------------------------------------------------------------------------------- */

static void start_phase(sim_world *world, sim_phase phase)
{
    world->phase = phase;
    world->phase_started = world->now;
    sim_trace_line(world->trace, world->now, "phase %d begins", (int)phase);
}

static void heal_network(sim_world *world)
{
    start_phase(world, SIM_SETTLING);
    for (uint32_t i = 0; i < world->plan->client_count; i++) {
        if (world->slots[i].partition != 0) world->slots[i].cut_until = world->now;
        world->slots[i].partition = 0;
        sim_set_links(world, i);
    }
}

static void send_probes(sim_world *world, sim_session *session, int way)
{
    for (int i = 0; i < PROBES && sim_session_is_live(session); i++)
        sim_traffic_send(world, session, way, SB_RELIABLE, PROBE_BYTES);
}

/* After an attack both directions of every session still work: also where forged messages wait in
 * the window of a receiver for their number. A direction that waits for a lost message is counted
 * already. */
static void run_probes(sim_world *world)
{
    for (uint32_t i = 0; i < world->plan->client_count; i++)
        for (int way = 0; way < SIM_DIRECTIONS; way++) {
            sim_session *session = world->slots[i].session;
            if (session && !sim_may_be_lost(session, way, session->ledger[way].received))
                send_probes(world, session, way);
        }
    run_until(world, world->now + probe_us);
}

/* A slot for one more client; NULL: none is free. */
static sim_slot *find_newcomer(sim_world *world)
{
    for (uint32_t i = 0; i < world->plan->client_count; i++) {
        sim_slot *slot = &world->slots[i];
        if (!(slot->session && slot->session->running) && !world->plan->clients[i].wrong_password)
            return slot;
    }
    return NULL;
}

/* Checks that the host still accepts a new client after all that happened: no half-open entry, id
 * or slot may have leaked. In attacked plans it comes when forged joins have taken all the seats
 * that they can get, and during a flood of Connects. */
static void run_newcomer(sim_world *world)
{
    sim_slot *slot = find_newcomer(world);
    bool      attacked = sim_plan_has(world->plan, SIM_HAS_ATTACKER);
    start_phase(world, SIM_NEWCOMER);
    if (!slot || world->peer_count >= world->plan->max_peers) return;
    slot->endpoint = (sb_endpoint){ 0x0A030001, 22101 };
    sim_set_links(world, (uint32_t)(slot - world->slots));
    if (attacked) sim_attack_seats(world, slot->endpoint, seats_us);
    if (attacked) run_until(world, world->now + seats_us);
    if (world->outcome->failed) return;
    sim_session_start(world, (uint32_t)(slot - world->slots));
    if (attacked) sim_attack_newcomers(world, slot->endpoint, newcomer_us);
    run_until(world, world->now + newcomer_us);
    if (!world->outcome->failed) sim_check_newcomer(world, slot->session);
}

static void start_ending(sim_world *world)
{
    start_phase(world, SIM_ENDING);
    sb_time now = sim_own_time(world, &world->host_party);
    if (!sim_plan_has(world->plan, SIM_HAS_FAREWELL)) {
        sb_transport_host_stop(world->host, now);
        world->host_stopping = true;
        sim_host_drain_events(world);
        sim_wake(world, &world->host_party);
        return;
    }
    for (uint32_t i = 0; i < world->plan->client_count; i++)
        sim_session_leave(world, world->slots[i].session);
}

static void run_phases(sim_world *world)
{
    run_until(world, world->plan->length_us);
    heal_network(world);
    bool poor = sim_plan_has(world->plan, SIM_HAS_MEMORY);
    run_until(world, world->now + (poor ? settle_poor_us : settle_us));
    if (sim_plan_has(world->plan, SIM_HAS_ATTACKER)) run_probes(world);
    if (!world->outcome->failed) sim_check_settled(world);
    start_phase(world, SIM_IDLE);
    run_until(world, world->now + idle_us);
    if (!world->outcome->failed) sim_check_idle(world);
    if (!world->outcome->failed) run_newcomer(world);
    if (!world->outcome->failed) start_ending(world);
    run_until(world, world->now + ending_us);
    if (!world->outcome->failed) sim_check_end(world);
}

static void count_totals(sim_world *world)
{
    sim_outcome              *outcome = world->outcome;
    const sim_network_totals *totals = sim_network_totals_of(world->network);
    outcome->datagrams = totals->sent;
    outcome->bytes = totals->bytes;
    outcome->simulated_us = world->now;
    outcome->sessions = world->session_count;
    outcome->rebound = sb_transport_host_counter(world->host, SB_TRANSPORT_COUNT_REBOUND);
    outcome->resent = sb_transport_host_counter(world->host, SB_TRANSPORT_COUNT_RETRANSMITTED) +
                      sb_transport_host_counter(world->host, SB_TRANSPORT_COUNT_RETRANSMITTED_FAST);
    for (uint32_t i = 0; i < world->session_count; i++) {
        sim_session *session = world->sessions[i];
        outcome->resent +=
            sb_transport_client_counter(session->client, SB_TRANSPORT_COUNT_RETRANSMITTED) +
            sb_transport_client_counter(session->client, SB_TRANSPORT_COUNT_RETRANSMITTED_FAST);
    }
}

static void destroy(sim_world *world)
{
    for (uint32_t i = 0; i < world->session_count; i++) sim_session_destroy(world->sessions[i]);
    sim_network_destroy(world->network);
    free(world->host_memory);
    free(world->forged);
    free(world);
}

void sim_world_run(const sim_plan *plan, sim_trace *trace, sim_outcome *outcome)
{
    sim_world *world = calloc(1, sizeof *world);
    if (!world) abort();
    *outcome = (sim_outcome){ 0 };
    world->plan = plan;
    world->trace = trace;
    world->outcome = outcome;
    world->network = sim_network_create(plan->request.seed, NETWORK_CAPACITY);
    sb_random_init(&world->strangers, plan->request.seed ^ 0x6E67657273u);
    sim_attack_start(world);
    sim_host_create(world);
    for (uint32_t i = 0; i < plan->client_count; i++) {
        world->slots[i].endpoint = plan->clients[i].endpoint;
        world->slots[i].start_at = plan->clients[i].start_us;
        sim_set_links(world, i);
    }
    if (!outcome->failed) run_phases(world);
    count_totals(world);
    sim_trace_mix(trace, outcome->failed);
    destroy(world);
}
