/* sim/departures.c -- why sessions end: every end and every refusal has a cause that the world saw.
 *
 * For:      world_host.c, world_client.c.
 *
 * The attacker is no cause. In a true silence of the other end a forged farewell looks like a true
 * one: such ends are counted, and bounded over all seeds (main.c).
 *
 * Where the client is, from the narrowest to the widest:
 *   has_left_seat        not at the address of this seat; a session may have had several
 *   is_at_other_address  not at the address of its present seat
 *   was_cut_off          that, or its path is cut, or was within the last minute
 *   may_miss_question    has_left_seat or was_cut_off, or it is gone, or a forged seat is not its
 * yet
 */
#include "sim/world_internal.h"

#include "base/packet.h"

static const sb_time timeout_us = 45 * SB_SECOND;
static const sb_time connect_limit_us = 15 * SB_SECOND;
/* Acks that are missing for a minute end a session (spec 01 §6.2); they may be queued for a while
 * when the path is whole again. */
static const sb_time stall_us = 70 * SB_SECOND;
/* A client that was told an id is in the session after this time (spec 01 §10.8 rule 6). */
static const sb_time belief_us = 4 * SB_SECOND;

/* ---- Acks that do not come ------------------------------------------------------------------ */

/* True: an end of this session had no memory for a message, and the plan has a cause for that:
 * large messages with little memory. Peers never deadlock by waiting for each other's memory, and a
 * liar uses up only its own. */
static bool has_exhausted_memory(const sim_world *world, const sim_session *session)
{
    if (!sim_plan_has(world->plan, SIM_HAS_MEMORY) || !sim_plan_has(world->plan, SIM_HAS_LARGE))
        return false;
    return sb_transport_host_counter(world->host, SB_TRANSPORT_COUNT_NO_ROOM) > 0 ||
           sb_transport_client_counter(session->client, SB_TRANSPORT_COUNT_NO_ROOM) > 0;
}

/* True: the client is not where the host sends to. */
static bool is_at_other_address(const sim_world *world, const sim_session *session)
{
    const sim_peer *peer = &world->peers[session->host_id];
    return session->host_id != 0 &&
           !sb_endpoints_equal(peer->address, world->slots[session->slot].endpoint);
}

/* True: the path between this client and the host was cut within the last minute. */
static bool was_cut_off(const sim_world *world, const sim_session *session)
{
    const sim_slot *slot = &world->slots[session->slot];
    if (slot->partition != 0 || is_at_other_address(world, session)) return true;
    return slot->cut_until > 0 && world->now - slot->cut_until < stall_us;
}

/* SB_LEFT_STALLED means that Acks were missing for 60 s, although the other end was heard within
 * 45 s, or that the send queue overflowed (spec 01 §6.2). */
static bool has_stall_cause(const sim_world *world, const sim_session *session, int way)
{
    if (session->ledger[way].overfull || has_exhausted_memory(world, session)) return true;
    return was_cut_off(world, session) || !session->running;
}

/* True: there is a cause, or the receiver waits for a message that an Ack took from its sender too
 * early; counted, and bounded over all seeds (main.c). */
static bool excuse_stall(sim_world *world, const sim_session *session, int way)
{
    if (has_stall_cause(world, session, way)) return true;
    if (!sim_waits_for_lost(session, way)) return false;
    world->outcome->lost++;
    return true;
}

/* ---- On the host ---------------------------------------------------------------------------- */

static bool was_replaced(const sim_world *world, const sim_session *session)
{
    return world->slots[session->slot].session != session;
}

/* True: the client is not at the address of this seat of its session, which may have several. */
static bool has_left_seat(const sim_world *world, const sim_session *session, uint8_t peer_id)
{
    return !sb_endpoints_equal(world->peers[peer_id].address, world->slots[session->slot].endpoint);
}

/* True: somebody forged the join of this seat, and the client, which shows that it hears the host,
 * has another one (spec 01 §5.2). */
static bool is_forged_seat(const sim_session *session, uint8_t peer_id)
{
    return session->seat_forged && session->id != peer_id;
}

/* True: somebody forged the join of this seat, and nothing of the client has arrived under its id:
 * the client, if it is there, gets another seat (spec 01 §8.4 rule 5). */
static bool is_unused_seat(const sim_world *world, uint8_t peer_id)
{
    return world->peers[peer_id].forged && !world->peers[peer_id].used;
}

/* True: the host's question whether somebody is in the seat (spec 01 §5.4) does not reach the
 * client, or the client has no part in the join yet: somebody forged it. */
static bool may_miss_question(const sim_world *world, const sim_session *session, uint8_t peer_id)
{
    return has_left_seat(world, session, peer_id) || !session->running ||
           was_cut_off(world, session) || (session->seat_forged && !session->joined);
}

/* True: the path lost all questions of two seconds, or all answers to them; counted, and bounded
 * over all seeds (main.c). */
static bool excuse_giving_way(sim_world *world, const sim_session *session, uint8_t peer_id)
{
    if (may_miss_question(world, session, peer_id)) return true;
    if (!sim_lost_answers(world, session, world->peers[peer_id].seat)) return false;
    world->outcome->unheard++;
    return true;
}

static bool has_timed_out(const sim_world *world, const sim_session *session, uint8_t peer_id)
{
    sb_time now = sim_own_time(world, &world->host_party);
    return now - world->peers[peer_id].heard >= timeout_us ||
           has_left_seat(world, session, peer_id);
}

static bool excuse_host(sim_world *world, const sim_session *session,
                        const sb_transport_event *event)
{
    switch (event->reason) {
    case SB_LEFT_QUIT: return session->leaving || is_unused_seat(world, event->peer_id);
    case SB_LEFT_TIMED_OUT:
        return has_timed_out(world, session, event->peer_id) ||
               is_unused_seat(world, event->peer_id);
    case SB_LEFT_BOOTED: return session->booted;
    case SB_LEFT_STALLED: return excuse_stall(world, session, SIM_DOWN);
    case SB_LEFT_RESTARTED:
        return was_replaced(world, session) || is_forged_seat(session, event->peer_id);
    case SB_LEFT_GAVE_WAY: return excuse_giving_way(world, session, event->peer_id);
    case SB_LEFT_HOST_CLOSED: return world->host_stopping;
    default: return false; /* floods and bad fragments need damage */
    }
}

void sim_check_host_left(sim_world *world, sim_session *session, const sb_transport_event *event)
{
    if (session->exempt || excuse_host(world, session, event)) return;
    sim_violation(world, "departures have their cause", "the host says session %u: %s",
                  session->index, sb_leave_reason_text(event->reason));
}

static uint32_t count_peers_at(const sim_world *world, uint32_t address)
{
    uint32_t count = 0;
    for (int id = 0; id < 256; id++)
        count += world->peers[id].present && world->peers[id].address.address == address;
    return count;
}

/* True: clients have all seats of this address, so it gets none although forged joins give way
 * (spec 01 §5.4 rule 4). */
static bool is_address_full(const sim_world *world, uint32_t address)
{
    uint32_t clients = 0;
    for (int id = 0; id < 256; id++) {
        const sim_peer *peer = &world->peers[id];
        clients += peer->present && peer->session && peer->address.address == address;
    }
    return clients >= world->plan->peers_per_ip;
}

static bool may_refuse(const sim_world *world, const sim_session *session,
                       const sb_connect_refusal *refusal)
{
    const sim_plan *plan = world->plan;
    switch (refusal->why) {
    case SB_TRANSPORT_COUNT_REFUSED_PASSWORD: return plan->clients[session->slot].wrong_password;
    /* Forged joins give way, so whoever comes waits for that. */
    case SB_TRANSPORT_COUNT_REFUSED_FULL:
        return world->peer_count >= plan->max_peers &&
               (world->forged_seats == 0 || is_address_full(world, refusal->address.address));
    case SB_TRANSPORT_COUNT_REFUSED_SOURCE:
        return count_peers_at(world, refusal->address.address) >= plan->peers_per_ip;
    default: return false;
    }
}

void sim_check_refusal(sim_world *world, const sim_session *session,
                       const sb_connect_refusal *refusal)
{
    if (session->exempt || world->host_stopping || may_refuse(world, session, refusal)) return;
    sim_violation(world, "refusals have their cause", "session %u: %s, %u peers, %u of them forged",
                  session->index, sb_transport_counter_name(refusal->why), world->peer_count,
                  world->forged_seats);
}

/* ---- On a client ---------------------------------------------------------------------------- */

/* True: nothing of this client has reached the host for as long as a cautious client asks the host
 * whose farewell it has heard. */
static bool is_unheard(const sim_world *world, const sim_session *session)
{
    const sim_peer *peer = &world->peers[session->host_id];
    sb_time         now = sim_own_time(world, &world->host_party);
    return session->host_id == 0 || now - peer->heard >= 19 * SB_SECOND;
}

/* No refusal or farewell that anybody can forge counts before such a silence of the host: one
 * second if the host sends Data all the time, or has sent nothing but Acks for six, as one that
 * leaves does for some seconds; else six. A client that is connecting waits for a
 * response only, and less if it is not cautious (spec 01 §5.3, §8.4). A response that arrived is
 * none if the client cannot ask the host whether it is true. */
static bool was_host_silent(const sim_world *world, const sim_session *session)
{
    sb_time now = sim_own_time(world, &session->party);
    sb_time last = session->answered > 0 ? session->answered_last : session->begun;
    if (!session->joined && session->answered > 0 && !was_cut_off(world, session)) return false;
    if (!session->joined) return now - last >= (session->cautious ? 6 : 2) * SB_SECOND;
    if (session->cautious)
        return now - session->heard >= 6 * SB_SECOND || is_unheard(world, session);
    bool busy = session->heard - session->heard_data < SB_SECOND;
    bool only_acks = now - session->heard_life >= 6 * SB_SECOND;
    return now - session->heard >= (busy || only_acks ? 1 : 6) * SB_SECOND;
}

/* True: the host has removed this client, or refused it: before it had a seat, or while it was
 * connecting from another port than that of its seat (the answers to its join were lost), or before
 * it had heard of its seat (the refusal was on its way when the host got its answer). */
static bool was_booted(const sim_session *session)
{
    bool elsewhere = session->refused_elsewhere && !session->joined;
    bool unaware = session->refused && session->heard_refusal && !session->joined;
    return session->host_left || session->booted || elsewhere || unaware ||
           (session->refused && session->host_id == 0);
}

/* True: the client got no answer over the network. A client that was answered, or whose third
 * Connect reached the host, would have been in. */
static bool may_get_no_answer(const sim_world *world, const sim_session *session)
{
    sb_time now = sim_own_time(world, &session->party);
    if (session->joined || now - session->begun < connect_limit_us) return false;
    if (session->answered > 0 && now - session->answered >= belief_us) return false;
    return session->answers > 0 || session->asked < 3;
}

static bool excuse_client(sim_world *world, const sim_session *session, sb_leave_reason reason)
{
    sb_time now = sim_own_time(world, &session->party);
    switch (reason) {
    case SB_LEFT_QUIT: return session->leaving;
    case SB_LEFT_TIMED_OUT: return session->joined && now - session->heard >= timeout_us;
    case SB_LEFT_BOOTED: return was_booted(session);
    /* A host that has refused or removed the client acknowledges nothing. */
    case SB_LEFT_STALLED:
        return session->host_left || (session->refused && session->host_id == 0) ||
               excuse_stall(world, session, SIM_UP);
    case SB_LEFT_HOST_CLOSED: return world->host_stopping;
    case SB_LEFT_NO_ANSWER: return may_get_no_answer(world, session);
    default: return false;
    }
}

/* True: the client believed a forged refusal or farewell because nothing of the host arrived for
 * as long as the rule asks: because the path was cut, or by losses. If the host has refused the
 * client, too, the forgery changes only the reason that the client reports. */
static bool was_misled(sim_world *world, const sim_session *session, sb_leave_reason reason)
{
    bool told = reason == SB_LEFT_BOOTED || reason == SB_LEFT_HOST_CLOSED;
    if (!told || !sim_plan_has(world->plan, SIM_HAS_ATTACKER)) return false;
    if (!session->joined && session->attacked && was_booted(session)) return true;
    if (!was_host_silent(world, session)) return false;
    if (session->host_left) return true; /* the session was over on the host: nothing is lost */
    if (!session->joined && !session->cautious) world->outcome->taken_in++;
    else if (was_cut_off(world, session)) world->outcome->misled_cut_off++;
    else world->outcome->misled++;
    return true;
}

void sim_check_client_left(sim_world *world, sim_session *session, const sb_transport_event *event)
{
    if (session->exempt || excuse_client(world, session, event->reason)) return;
    if (was_misled(world, session, event->reason)) return;
    sim_violation(world, "departures have their cause", "session %u says: %s, boot reason %u",
                  session->index, sb_leave_reason_text(event->reason), event->boot_reason);
}
