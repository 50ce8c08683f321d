/* sim/world_liars.c -- clients that have joined and lie: about ids, numbers, fragments and Acks.
 *
 * For:      sim/world_actions.c.
 *
 * A liar's own session is judged like any other, unless it sends random messages, which can take
 * the numbers of its own ones. All other sessions, and the host's bounds, must hold.
 */
#include "sim/world_internal.h"

#include <starbase/cipher.h>

#include <string.h>

enum { ACKS = 255, LIE_BYTES = SIM_LIE_BYTES };

typedef struct lie {
    sim_session       *liar;
    sb_random         *random;
    uint16_t           next_seq; /* about the next number of its Data */
    sb_datagram_writer writer;
    uint8_t            payload[64];
} lie;

static void add(lie *l, const sb_transport_message *m)
{
    (void)!sb_datagram_writer_add(&l->writer, m); /* full: the rest is left out */
}

/* Mostly near the number that the host expects, which only the host knows exactly. */
static uint16_t draw_seq(lie *l)
{
    uint32_t draw = sb_random_below(l->random, 4);
    uint32_t near = l->next_seq + sb_random_below(l->random, 600) - 300;
    return (uint16_t)(draw == 0 ? sb_random_next(l->random) : near);
}

static void add_random(lie *l)
{
    static const uint8_t types[] = { SB_TRANSPORT_NAME, SB_TRANSPORT_ACK,  SB_TRANSPORT_NOOP,
                                     SB_TRANSPORT_BOOT, SB_TRANSPORT_DATA, SB_TRANSPORT_DATA,
                                     SB_TRANSPORT_DATA, SB_TRANSPORT_DATA };
    sb_random           *random = l->random;
    sb_transport_message m = { .type = types[sb_random_below(random, sizeof types)] };
    m.reliable = sb_random_below(random, 8) > 0;
    m.seq = draw_seq(l);
    m.ack_flags = (uint8_t)sb_random_below(random, 4);
    m.frag_index = (uint8_t)sb_random_below(random, 6);
    m.frag_total = (uint8_t)(2 + sb_random_below(random, 8));
    m.payload = (sb_span){ l->payload, sb_random_below(random, LIE_BYTES) };
    m.fragment = m.type == SB_TRANSPORT_DATA && m.reliable && sb_random_below(random, 2) > 0;
    add(l, &m);
}

static void add_fragments(lie *l)
{
    sb_transport_message m = { .type = SB_TRANSPORT_DATA,
                               .reliable = true,
                               .fragment = true,
                               .seq = (uint16_t)(l->next_seq + sb_random_below(l->random, 4)),
                               .payload = { l->payload, LIE_BYTES } };
    for (uint32_t i = 0; i < 6; i++) {
        m.frag_index = (uint8_t)(sb_random_below(l->random, 4) * sb_random_below(l->random, 4));
        m.frag_total = (uint8_t)(2 + sb_random_below(l->random, 8));
        add(l, &m);
    }
}

/* From the number that the host sends next: nothing that the Acks name is in flight. Or from a
 * hundred before it: they name all that is. */
static void add_acks(lie *l, bool never_sent)
{
    uint32_t sent = l->liar->ledger[SIM_DOWN].sent;
    uint8_t  flags = (uint8_t)sb_random_below(l->random, 4);
    for (uint32_t i = 0; i < ACKS; i++)
        add(l, &(sb_transport_message){ .type = SB_TRANSPORT_ACK,
                                        .seq = (uint16_t)(sent + i + (never_sent ? 300 : -100u)),
                                        .ack_flags = flags,
                                        .frag_index = (uint8_t)(i & 3) });
}

static void add_beyond_window(lie *l)
{
    uint32_t ahead = 256 + sb_random_below(l->random, 0x8000);
    for (uint32_t i = 0; i < 8; i++)
        add(l, &(sb_transport_message){ .type = SB_TRANSPORT_DATA,
                                        .reliable = true,
                                        .seq = (uint16_t)(l->next_seq + ahead + i),
                                        .payload = { l->payload, 20 } });
}

/* Names, Disconnects and Boots that name another player. */
static void add_about_others(lie *l)
{
    static const uint8_t types[] = { SB_TRANSPORT_NAME, SB_TRANSPORT_DISCONNECT,
                                     SB_TRANSPORT_BOOT };
    for (uint16_t seq = 1; seq < 12; seq++) {
        uint32_t type = types[sb_random_below(l->random, sizeof types)];
        l->payload[type == SB_TRANSPORT_BOOT] = (uint8_t)(2 + sb_random_below(l->random, 16));
        add(l, &(sb_transport_message){ .type = (uint8_t)type,
                                        .reliable = true,
                                        .priority = true,
                                        .seq = seq,
                                        .payload = { l->payload, 17 } });
    }
}

static void write_lie(lie *l, sim_lie_kind kind)
{
    uint32_t count = 1 + sb_random_below(l->random, 6);
    switch (kind) {
    case SIM_LIE_FRAGMENTS: add_fragments(l); break;
    case SIM_LIE_ACKS_NEVER_SENT: add_acks(l, true); break;
    case SIM_LIE_ACKS_OF_ALL: add_acks(l, false); break;
    case SIM_LIE_WINDOW: add_beyond_window(l); break;
    case SIM_LIE_OTHERS: add_about_others(l); break;
    default:
        for (; count > 0; count--) add_random(l);
    }
}

static void send_lie(sim_world *world, sim_session *liar, sim_lie_kind kind)
{
    uint8_t                bytes[SIM_DATAGRAM_MAX];
    const sim_client_plan *plan = &world->plan->clients[liar->slot];
    lie                    l = { .liar = liar, .random = &world->strangers };
    uint8_t                other = (uint8_t)(2 + sb_random_below(&world->strangers, 16));
    if (other == liar->id) other++;
    l.next_seq =
        (uint16_t)(liar->ledger[SIM_UP].sent + (plan->numbers ? plan->first_number[SIM_UP] : 0));
    for (size_t k = 0; k < sizeof l.payload; k++)
        l.payload[k] = (uint8_t)sb_random_next(&world->strangers);
    sb_datagram_writer_init(&l.writer, bytes, sizeof bytes, kind == SIM_LIE_ID ? other : liar->id);
    write_lie(&l, kind);
    sb_encrypt_datagram(bytes, l.writer.size);
    sim_send(world, SIM_TAG_LIE + liar->index, world->slots[liar->slot].endpoint, world->plan->host,
             (sb_span){ bytes, l.writer.size });
    world->outcome->lies[kind]++;
}

void sim_send_lies(sim_world *world, const sim_action *action)
{
    sim_session *session = world->slots[action->client].session;
    if (!sim_session_is_live(session)) return;
    sim_lie_kind kind = (sim_lie_kind)sb_random_below(&world->strangers, SIM_LIE_COUNT);
    if (kind == SIM_LIE_RANDOM)
        sim_exempt(world, session, SIM_EXEMPT_RANDOM_LIAR, "its messages are random");
    session->has_lied = true;
    if (kind == SIM_LIE_FRAGMENTS) session->has_lied_in_fragments = true;
    for (int64_t i = 0; i < action->amount; i++) send_lie(world, session, kind);
}
