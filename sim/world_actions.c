/* sim/world_actions.c -- carries out the actions of a plan.
 *
 * For:      sim/world.c.
 */
#include "sim/world_internal.h"

/* The conditions without faults: only a constant delay remains. */
static sim_conditions heal(const sim_conditions *conditions)
{
    return (sim_conditions){ .delay_us = conditions->delay_us };
}

static sim_conditions conditions_of(const sim_world *world, uint32_t slot, int way)
{
    const sim_conditions *planned = &world->plan->clients[slot].conditions[way];
    sim_conditions        now = world->phase == SIM_ACTIVE ? *planned : heal(planned);
    now.down = world->slots[slot].partition >> way & 1;
    return now;
}

void sim_set_links(sim_world *world, uint32_t slot)
{
    uint32_t       here = world->slots[slot].endpoint.address, host = world->plan->host.address;
    sim_conditions up = conditions_of(world, slot, SIM_UP);
    sim_conditions down = conditions_of(world, slot, SIM_DOWN);
    sim_network_set_link(world->network, here, host, &up);
    sim_network_set_link(world->network, host, here, &down);
}

/* The client appears at another port, because a NAT lost its mapping, or at another address,
 * because its link changed. The host must not follow to another address (spec 01 §10.5). */
static void move(sim_world *world, uint32_t slot, sb_endpoint to)
{
    world->slots[slot].endpoint = to;
    world->slots[slot].cut_until = world->now;
    sim_set_links(world, slot);
}

static void rebind(sim_world *world, const sim_action *action)
{
    sb_endpoint to = world->slots[action->client].endpoint;
    to.port = (uint16_t)action->amount;
    move(world, action->client, to);
}

static void change_address(sim_world *world, const sim_action *action)
{
    sb_endpoint to = world->slots[action->client].endpoint;
    to.address = (uint32_t)action->amount;
    move(world, action->client, to);
}

static void vanish(sim_world *world, sim_session *session)
{
    if (!session || !session->running) return;
    session->running = false;
    session->vanished = true;
    world->outcome->vanished++;
}

static void boot(sim_world *world, sim_session *session, uint8_t reason)
{
    if (!session || !session->host_present) return;
    session->booted = true;
    sb_transport_host_boot(world->host, sim_own_time(world, &world->host_party), session->host_id,
                           reason);
    sim_host_drain_events(world); /* LEFT comes at once; the datagrams may wait for a tick */
    sim_wake(world, &world->host_party);
}

static void jump_host(sim_world *world, sb_time amount)
{
    world->host_party.offset_us += amount;
    sim_wake_at(world, &world->host_party, sb_transport_host_next_deadline(world->host));
}

static void jump_client(sim_world *world, sim_session *session, sb_time amount)
{
    if (!session || !session->running) return;
    session->party.offset_us += amount;
    sim_wake_at(world, &session->party, sb_transport_client_next_deadline(session->client));
}

static void change_link(sim_world *world, const sim_action *action)
{
    sim_session *session = world->slots[action->client].session;
    switch (action->kind) {
    case SIM_ACT_PARTITION:
        world->slots[action->client].partition = (uint32_t)action->amount;
        sim_set_links(world, action->client);
        break;
    case SIM_ACT_HEAL:
        world->slots[action->client].partition = 0;
        world->slots[action->client].cut_until = world->now;
        sim_set_links(world, action->client);
        break;
    case SIM_ACT_REBIND: rebind(world, action); break;
    case SIM_ACT_MOVE: change_address(world, action); break;
    case SIM_ACT_JUMP_HOST: jump_host(world, action->amount); break;
    case SIM_ACT_JUMP_CLIENT: jump_client(world, session, action->amount); break;
    default: break;
    }
}

static void change_player(sim_world *world, const sim_action *action)
{
    sim_session *session = world->slots[action->client].session;
    switch (action->kind) {
    case SIM_ACT_VANISH: vanish(world, session); break;
    case SIM_ACT_RESTART:
        if (session && session->vanished) world->slots[action->client].start_at = world->now;
        break;
    case SIM_ACT_LEAVE: sim_session_leave(world, session); break;
    case SIM_ACT_BOOT: boot(world, session, (uint8_t)action->amount); break;
    case SIM_ACT_RENAME:
        if (sim_session_is_live(session) && !session->leaving) sim_session_rename(world, session);
        break;
    default: break;
    }
}

static void send_bulk(sim_world *world, const sim_action *action)
{
    sim_session *session = world->slots[action->client].session;
    if (!sim_session_is_live(session)) return;
    switch (action->kind) {
    case SIM_ACT_LARGE_UP:
        sim_traffic_send_large(world, session, SIM_UP, (size_t)action->amount);
        break;
    case SIM_ACT_LARGE_DOWN:
        sim_traffic_send_large(world, session, SIM_DOWN, (size_t)action->amount);
        break;
    case SIM_ACT_BULK_UP: sim_traffic_bulk(world, session, SIM_UP, action->amount); break;
    case SIM_ACT_BULK_DOWN: sim_traffic_bulk(world, session, SIM_DOWN, action->amount); break;
    default: break;
    }
}

static void send_unwanted(sim_world *world, const sim_action *action)
{
    switch (action->kind) {
    case SIM_ACT_RUBBISH: sim_send_rubbish(world, action); break;
    case SIM_ACT_STOLEN_ID: sim_send_stolen(world, action); break;
    case SIM_ACT_FLOOD: sim_send_flood(world, action); break;
    case SIM_ACT_REPLAY: sim_send_replay(world, action); break;
    case SIM_ACT_ABUSE: sim_send_lies(world, action); break;
    case SIM_ACT_ATTACK: sim_attack(world, action); break;
    case SIM_ACT_TRICKLE: sim_attack_slowly(world, action); break;
    default: break;
    }
}

/* Each of the four functions ignores kinds that are not its own. */
void sim_run_action(sim_world *world, const sim_action *action)
{
    if (action->client >= world->plan->client_count) return;
    sim_trace_line(world->trace, world->now, "client %u: %s, %lld", action->client,
                   sim_action_name(action->kind), (long long)action->amount);
    change_link(world, action);
    change_player(world, action);
    send_bulk(world, action);
    send_unwanted(world, action);
}
