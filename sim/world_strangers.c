/* sim/world_strangers.c -- unwanted datagrams from strangers, and replayed ones.
 *
 * For:      sim/world_actions.c.
 *
 * Strangers here have addresses of their own; world_attack.c forges those of others. A replay is an
 * exact copy of a datagram of the same session.
 */
#include "sim/world_internal.h"

#include <starbase/cipher.h>

#include "base/packet.h"

#include <string.h>

/* Uses one port per kind of action, so that a sender of Connects sends nothing else. Otherwise a
 * random message with the right id would establish the sender as a peer (spec 01 §5.3). */
static sb_endpoint draw_stranger(sim_world *world, sim_action_kind kind)
{
    uint32_t draw = sb_random_below(&world->strangers, SIM_ADDRESSES_OF_STRANGERS);
    return (sb_endpoint){ 0xC6336400u + draw, (uint16_t)(1000 + (int)kind) };
}

/* The host, or one of the clients. */
static sb_endpoint draw_target(sim_world *world, uint32_t client)
{
    bool host = sb_random_below(&world->strangers, 3) > 0;
    return host ? world->plan->host : world->slots[client].endpoint;
}

/* Sends from a random stranger, within a second. */
static void send_later(sim_world *world, sim_action_kind kind, sb_endpoint to, sb_span datagram)
{
    sb_endpoint from = draw_stranger(world, kind);
    sb_time     delay = (sb_time)sb_random_below(&world->strangers, 1000000);
    sim_network_set_tag(world->network, SIM_TAG_STRANGER);
    sim_network_send(world->network, world->now + delay, from, to, datagram);
}

/* Half of the draws are first bytes that the receiver knows. */
static uint8_t draw_first_byte(sb_random *random)
{
    static const uint8_t likely[] = { 0x01, 0x02, 0x03, 0x04, 0x5C, 0x7F, 0x80, 0xFF };
    uint32_t             draw = sb_random_below(random, 16);
    uint8_t              any = (uint8_t)sb_random_next(random);
    return draw < sizeof likely ? likely[draw] : any;
}

void sim_send_rubbish(sim_world *world, const sim_action *action)
{
    sb_random *random = &world->strangers;
    for (int64_t i = 0; i < action->amount; i++) {
        uint8_t bytes[SIM_DATAGRAM_MAX];
        bool    is_long = sb_random_below(random, 8) == 0;
        size_t  size = sb_random_below(random, is_long ? SIM_DATAGRAM_MAX + 1 : 200);
        for (size_t k = 0; k < size; k++) bytes[k] = (uint8_t)sb_random_next(random);
        if (size > 0) bytes[0] = draw_first_byte(random);
        send_later(world, action->kind, draw_target(world, action->client),
                   (sb_span){ bytes, size });
    }
}

static const sim_recording *draw_recording(sim_world *world)
{
    uint64_t kept =
        world->recording_count < SIM_RECORDINGS ? world->recording_count : SIM_RECORDINGS;
    if (kept == 0) return NULL;
    return &world->recordings[sb_random_below(&world->strangers, (uint32_t)kept)];
}

/* Sends genuine datagrams from an address that they do not belong to. */
void sim_send_stolen(sim_world *world, const sim_action *action)
{
    for (int64_t i = 0; i < action->amount; i++) {
        const sim_recording *stolen = draw_recording(world);
        if (!stolen) return;
        if (stolen->bytes[0] == SB_PEER_NONE) continue;
        send_later(world, action->kind, stolen->to, (sb_span){ stolen->bytes, stolen->size });
    }
}

/* A Connect with a forged address in it (spec 01 §11.1). */
static size_t write_connect(sim_world *world, uint8_t *out)
{
    uint8_t    payload[64];
    size_t     size;
    sb_control control = { .connect_request = { .password = { (const uint8_t *)"\0", 2 } } };
    control.connect_request.address = (uint32_t)sb_random_next(&world->strangers);
    control.connect_request.opaque = (uint32_t)sb_random_next(&world->strangers);
    if (sb_encode_control(SB_TRANSPORT_CONNECT, SB_SIDE_CLIENT, &control, payload, sizeof payload,
                          &size) != SB_OK)
        return 0;
    sb_datagram_writer   writer;
    sb_transport_message message = { .type = SB_TRANSPORT_CONNECT,
                                     .reliable = true,
                                     .priority = true,
                                     .payload = { payload, size } };
    sb_datagram_writer_init(&writer, out, SB_DATAGRAM_MAX, SB_PEER_NONE);
    if (sb_datagram_writer_add(&writer, &message) != SB_OK) return 0;
    sb_encrypt_datagram(out, writer.size);
    return writer.size;
}

void sim_send_flood(sim_world *world, const sim_action *action)
{
    for (int64_t i = 0; i < action->amount; i++) {
        uint8_t bytes[SB_DATAGRAM_MAX];
        size_t  size = write_connect(world, bytes);
        SB_ASSERT(size > 0);
        send_later(world, action->kind, world->plan->host, (sb_span){ bytes, size });
    }
}

/* True: the recorded session is live, at the same addresses. A Connect starts another session if
 * the peer has been silent for 12 s (spec 01 §5.2), so a Connect is replayed only within 5 s. */
static bool can_be_replayed(const sim_world *world, const sim_recording *old)
{
    if (old->tag == 0 || old->tag > world->session_count) return false;
    const sim_session *session = world->sessions[old->tag - 1];
    if (!sim_session_is_live(session)) return false;
    sb_time silent = sim_own_time(world, &world->host_party) - world->peers[session->host_id].heard;
    if (old->bytes[0] == SB_PEER_NONE &&
        (silent > 5 * SB_SECOND || sim_plan_has(world->plan, SIM_HAS_JUMPS)))
        return false;
    sb_endpoint here = world->slots[session->slot].endpoint;
    if (!sb_endpoints_equal(here, world->peers[session->host_id].address)) return false;
    return sb_endpoints_equal(old->from, here) || sb_endpoints_equal(old->to, here);
}

void sim_send_replay(sim_world *world, const sim_action *action)
{
    for (int64_t i = 0; i < action->amount; i++) {
        const sim_session   *session = world->slots[action->client].session;
        bool                 replay_connect = sb_random_below(&world->strangers, 8) == 0;
        const sim_recording *old =
            replay_connect && session ? &session->connect : draw_recording(world);
        if (!old || !can_be_replayed(world, old)) continue;
        sim_network_set_tag(world->network, old->tag);
        sim_network_send(world->network, world->now, old->from, old->to,
                         (sb_span){ old->bytes, old->size });
    }
}
