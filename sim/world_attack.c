/* sim/world_attack.c -- the off-path attacker in the simulated world: its bursts, and what reaches
 * an endpoint.
 *
 * For:      sim/world_actions.c and the two ends.
 * Never:    tells the attacker anything but addresses and ports. No session is exempt from a check
 *           because the attacker chose it.
 */
#include "sim/world_internal.h"

#include "base/packet.h"
#include "base/time.h"

#include "transport/guard.h"

#include <stdlib.h>
#include <string.h>

enum { FLOOD_PER_SECOND = 1000 };

/* Trickles end so long before the network must be idle that nobody is suspected any more. */
static const sb_time trickle_settling_us = 150 * SB_SECOND;

/* A little less than the 30 s for which evidence counts. */
static const sb_time exposed_us = 28 * SB_SECOND;

/* The first numbers of sessions are constants of the simulated protocol. */
void sim_attack_start(sim_world *world)
{
    const sim_plan *plan = world->plan;
    sim_attacker_init(&world->attacker, plan->request.seed ^ 0x61747461636Bu, plan->host);
    for (uint32_t i = 0; i < plan->client_count; i++)
        for (int way = 0; way < SIM_DIRECTIONS && plan->clients[i].numbers; way++)
            sim_attacker_add_first_number(&world->attacker, plan->clients[i].first_number[way]);
    world->outcome->attacked = sim_plan_has(plan, SIM_HAS_ATTACKER);
}

/* ---- Sending -------------------------------------------------------------------------------- */

static void begin_burst(sim_world *world, const sim_burst *burst)
{
    SB_ASSERT(world->burst_count < SIM_BURSTS_MAX);
    world->bursts[world->burst_count++] = *burst;
}

/* The addresses of one client, or of all: also of clients that have not come yet, or are gone. */
static void list_victims(const sim_world *world, const sim_action *action, sim_burst *burst)
{
    const sim_slot *slots = world->slots;
    bool            all = action->amount % 2 != 0;
    burst->victim_count = all ? world->plan->client_count : 1;
    for (uint32_t i = 0; i < burst->victim_count; i++)
        burst->victims[i] = slots[all ? i : action->client].endpoint;
}

/* Between 20 and 2,000 datagrams a second; the same twenty again after 0.3 to 1 s. */
static sb_time draw_gap(sim_world *world, sim_forgery kind)
{
    sb_random *random = &world->attacker.random;
    sb_time    gap = 500 + (sb_time)sb_random_below(random, 50000 - 500);
    bool       fast = sb_random_below(random, 3) > 0;
    if (kind == SIM_FORGE_COPIES || kind == SIM_FORGE_HOST_COPIES) return 15000 + gap * 7 / 10;
    return fast ? 500 + gap / 16 : gap;
}

void sim_attack(sim_world *world, const sim_action *action)
{
    sim_burst burst = { .kind = action->forgery, .next = world->now, .until = SB_TIME_NEVER };
    burst.left = action->amount;
    burst.gap_min = burst.gap_max = draw_gap(world, action->forgery);
    list_victims(world, action, &burst);
    begin_burst(world, &burst);
}

void sim_attack_slowly(sim_world *world, const sim_action *action)
{
    sim_burst burst = { .kind = action->forgery, .next = world->now, .left = INT64_MAX };
    burst.until = world->plan->length_us + trickle_settling_us;
    burst.gap_min = 5 * SB_SECOND;
    burst.gap_max = 20 * SB_SECOND;
    list_victims(world, action, &burst);
    begin_burst(world, &burst);
}

static void begin_flood(sim_world *world, sim_forgery kind, sb_endpoint newcomer, sb_time duration)
{
    sim_burst burst = { .kind = kind, .next = world->now, .left = INT64_MAX };
    if (!sim_request_has_forgery(&world->plan->request, kind)) return;
    burst.until = world->now + duration;
    burst.gap_min = burst.gap_max = SB_SECOND / FLOOD_PER_SECOND;
    burst.victim_count = 1;
    burst.victims[0] = newcomer;
    begin_burst(world, &burst);
}

void sim_attack_newcomers(sim_world *world, sb_endpoint newcomer, sb_time duration)
{
    begin_flood(world, SIM_FORGE_FLOOD, newcomer, duration);
}

void sim_attack_seats(sim_world *world, sb_endpoint newcomer, sb_time duration)
{
    begin_flood(world, SIM_FORGE_JOIN, newcomer, duration);
}

static void send_forged(sim_world *world, const sim_burst *burst)
{
    sim_forged forged;
    sim_attacker_forge(&world->attacker, burst->kind, burst->victims, burst->victim_count, &forged);
    world->outcome->forged[burst->kind]++;
    sim_network_set_tag(world->network, SIM_TAG_FORGED + (uint32_t)burst->kind);
    sim_network_inject(world->network, world->now, forged.from, forged.to,
                       (sb_span){ forged.bytes, forged.size });
}

/* False: the burst is over. */
static bool advance_burst(sim_world *world, sim_burst *burst)
{
    while (burst->left > 0 && burst->next < burst->until && burst->next <= world->now) {
        uint32_t range = (uint32_t)(burst->gap_max - burst->gap_min) + 1;
        send_forged(world, burst);
        burst->left--;
        burst->next += burst->gap_min + (sb_time)sb_random_below(&world->attacker.random, range);
    }
    return burst->left > 0 && burst->next < burst->until;
}

void sim_attack_advance(sim_world *world)
{
    for (uint32_t i = 0; i < world->burst_count;) {
        if (advance_burst(world, &world->bursts[i])) i++;
        else world->bursts[i] = world->bursts[--world->burst_count];
    }
}

sb_time sim_attack_next(const sim_world *world)
{
    sb_time next = SB_TIME_NEVER;
    for (uint32_t i = 0; i < world->burst_count; i++)
        next = sb_time_earlier(next, world->bursts[i].next);
    return next;
}

/* ---- Receiving ------------------------------------------------------------------------------ */

bool sim_is_attack(const sim_world *world)
{
    return world->source_tag >= SIM_TAG_FORGED;
}

static uint32_t serial_of(sb_span payload)
{
    uint32_t serial;
    memcpy(&serial, payload.data + 8, sizeof serial);
    return serial;
}

static sim_forged_message *get_forged(sim_world *world, uint32_t serial)
{
    if (serial >= world->forged_capacity) {
        uint32_t old = world->forged_capacity, capacity = (serial + 1) * 2;
        world->forged = realloc(world->forged, capacity * sizeof *world->forged);
        if (!world->forged) abort();
        memset(world->forged + old, 0, (capacity - old) * sizeof *world->forged);
        world->forged_capacity = capacity;
    }
    return &world->forged[serial];
}

/* True: the true message under a number that a forged one had used up has arrived within the last
 * half minute. */
static bool is_exposed(const sim_world *world, const sim_session *victim, int way)
{
    sb_time exposed_at = victim ? victim->ledger[way].exposed_at : 0;
    return exposed_at > 0 && world->now - exposed_at < exposed_us;
}

/* Data without payload uses up its number, and no event tells it (spec 01 §4.11 rule 5); a question
 * has no mark of the attacker. */
static void record_unmarked(const sim_world *world, sim_session *victim, int way,
                            const sb_transport_message *m)
{
    bool empty = m->type == SB_TRANSPORT_DATA && m->reliable && !m->fragment && !m->payload.size;
    if (!victim || is_exposed(world, victim, way)) return;
    if (empty) sim_record_usurped(victim, way, m->seq);
    if (m->reliable && sb_guard_is_question(m)) sim_record_question(victim, way, m->seq);
}

void sim_record_forged(sim_world *world, sim_session *victim, int way, sb_span datagram)
{
    uint8_t              plain[SIM_DATAGRAM_MAX];
    sb_datagram          opened;
    sb_transport_message m;
    world->outcome->reached[world->source_tag - SIM_TAG_FORGED]++;
    if (victim) victim->attacked = true;
    if (!sim_open_datagram(datagram, plain, &opened)) return;
    for (size_t at = 0; sb_datagram_next(&opened, &at, &m);) {
        record_unmarked(world, victim, way, &m);
        if (victim && m.type == SB_TRANSPORT_DATA && m.reliable)
            victim->ledger[way].forged_data = true;
        if (!sim_is_forged(m.payload)) continue;
        sim_forged_message *forged = get_forged(world, serial_of(m.payload));
        if (!is_exposed(world, victim, way)) forged->believable = true;
        forged->seq = m.seq;
    }
}

/* The first forged message under a number looks like a true one. The true one shows the forgery,
 * and none that comes in the next half minute is obeyed (spec 01 §10.8). */
static void check_obeyed(sim_world *world, sim_session *session, int way,
                         const sim_forged_message *forged)
{
    session->ledger[way].usurped = true;
    sim_record_usurped(session, way, forged->seq);
    if (!forged->believable && !session->exempt)
        sim_violation(world, "forgeries are obeyed until one shows", "session %u %s",
                      session->index, way == SIM_UP ? "up" : "down");
}

/* Random bytes can be an unreliable message by chance, without the attacker's mark. */
static bool is_by_chance(const sim_world *world, const sb_transport_event *event)
{
    return sim_is_attack(world) && event->delivery == SB_UNRELIABLE && !sim_is_forged(event->bytes);
}

bool sim_attack_delivered(sim_world *world, sim_session *session, int way,
                          const sb_transport_event *event)
{
    if (is_by_chance(world, event)) {
        world->outcome->injected[SB_UNRELIABLE]++;
        return true;
    }
    if (!sim_is_forged(event->bytes)) return false;
    uint32_t            serial = serial_of(event->bytes);
    sim_forged_message *forged = get_forged(world, serial);
    sim_trace_line(world->trace, world->now, "forged message %u counts", serial);
    world->outcome->injected[event->delivery]++;
    if (session && event->delivery == SB_RELIABLE) check_obeyed(world, session, way, forged);
    /* The attacker sends copies for as long as it likes: a later session knows no earlier one. */
    uint64_t receiver = way == SIM_UP ? world->peers[event->peer_id].seat : session->index + 1;
    if (forged->delivered && forged->way == way && forged->receiver == receiver)
        sim_violation(world, "forged messages come once at most", "number %u of the attacker",
                      serial);
    forged->delivered = true;
    forged->receiver = receiver;
    forged->seat = session ? 0 : world->peers[event->peer_id].seat;
    forged->session = session ? session->index + 1 : 0;
    forged->way = way;
    return true;
}

void sim_inherit_usurped(const sim_world *world, sim_session *session, uint64_t seat)
{
    for (uint32_t i = 0; i < world->forged_capacity; i++) {
        const sim_forged_message *forged = &world->forged[i];
        if (!forged->delivered || forged->seat != seat) continue;
        session->ledger[SIM_UP].usurped = true;
        sim_record_usurped(session, SIM_UP, forged->seq);
    }
}

void sim_forget_forged(sim_world *world, const sim_session *session, int way)
{
    for (uint32_t i = 0; i < world->forged_capacity; i++) {
        sim_forged_message *forged = &world->forged[i];
        if (forged->session == session->index + 1 && forged->way == way) forged->delivered = false;
    }
}
