/* sim/world_losses.c -- which reliable messages an Ack took from their sender too early.
 *
 * For:      the two ends, world_traffic.c and the invariants.
 *
 * No end can tell a forged Ack from a true one if its number is right, nor a forged message from
 * the first one under its number (spec 01 §10.8). So an Ack can take a message from its sender
 * before the receiver has that message: the message is never repeated, and lost if the copies on
 * their way are, or were dropped. Just these messages may be missing. A message whose number a
 * forged one used up first may come late, when its copy has shown the forgery. The world sees all
 * arrivals, so it knows these messages one by one.
 */
#include "sim/world_internal.h"

#include "transport/guard.h"
#include "transport/testing.h"

#include <starbase/cipher.h>

#include <string.h>

static void set_bit(uint8_t *bits, uint16_t at)
{
    bits[at / 8] |= (uint8_t)(1u << at % 8);
}

static bool has_bit(const uint8_t *bits, uint16_t at)
{
    return bits[at / 8] >> at % 8 & 1;
}

/* A key for one fragment, or for the whole number. Two keys may be equal by chance: then a message
 * counts as arrived, which excuses less. */
static uint16_t key_of(uint16_t seq, bool fragment, uint8_t index)
{
    return (uint16_t)(seq + (fragment ? (index + 1u) * 0x6C35u : 0));
}

bool sim_open_datagram(sb_span datagram, uint8_t *plain, sb_datagram *out)
{
    memcpy(plain, datagram.data, datagram.size);
    sb_decrypt_datagram(plain, datagram.size);
    return sb_decode_datagram((sb_span){ plain, datagram.size }, out, NULL) == SB_OK;
}

/* True: the host sent the message to an earlier seat of this client, which takes it for one of the
 * seat that it has now: the protocol has no session id. */
static bool is_stale(const sim_session *session, int way, const sb_transport_message *m)
{
    bool ahead = session->joined && session->id != session->host_id; /* of the host */
    return way == SIM_DOWN && (ahead || sim_is_of_earlier_seat(session, m->payload));
}

void sim_record_arrivals(sim_session *session, int way, const sb_datagram *datagram)
{
    sb_transport_message m;
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m);) {
        if (!m.reliable) continue;
        if (m.type != SB_TRANSPORT_DATA) session->control_arrived[way][m.seq & 0xFF] = true;
        if (m.type != SB_TRANSPORT_DATA) continue;
        if (is_stale(session, way, &m)) sim_record_usurped(session, way, m.seq);
        set_bit(session->arrived[way], m.seq);
        if (m.fragment) set_bit(session->arrived[way], key_of(m.seq, true, m.frag_index));
    }
}

static bool sender_expects(const sim_world *world, const sim_session *session, int way,
                           const sb_transport_message *ack)
{
    if (way == SIM_UP) return sb_transport_client_expects(session->client, ack);
    return session->host_present && sb_transport_host_expects(world->host, session->host_id, ack);
}

/* True: a copy has arrived, and the receiver has not dropped it, as it may during an attack. */
static bool receiver_has(const sim_world *world, const sim_session *session, int way,
                         const sb_transport_message *ack)
{
    bool fragment = ack->ack_flags & SB_ACK_FRAGMENT;
    if (ack->ack_flags & SB_ACK_LOW_CHANNEL) return session->control_arrived[way][ack->seq & 0xFF];
    if (!has_bit(session->arrived[way], key_of(ack->seq, fragment, ack->frag_index))) return false;
    if (way == SIM_DOWN) return sb_transport_client_has(session->client, ack);
    return session->host_present && sb_transport_host_has(world->host, session->host_id, ack);
}

void sim_watch_acks(const sim_world *world, const sim_session *session, int way,
                    const sb_datagram *datagram, sim_acks *out)
{
    sb_transport_message m;
    out->count = 0;
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m);) {
        if (m.type != SB_TRANSPORT_ACK) continue;
        if (receiver_has(world, session, way, &m) || !sender_expects(world, session, way, &m))
            continue;
        out->acks[out->count++] = m;
    }
}

bool sim_excuse_control(sim_world *world, sim_session *session, int way)
{
    if (!session->control_lost[way]) return false;
    if (!session->control_counted[way]) world->outcome->lost++;
    session->control_counted[way] = true;
    return true;
}

void sim_record_lost(const sim_world *world, sim_session *session, int way, const sim_acks *acks)
{
    for (uint32_t i = 0; i < acks->count; i++) {
        uint16_t seq = acks->acks[i].seq;
        if (sender_expects(world, session, way, &acks->acks[i])) continue;
        if (acks->acks[i].ack_flags & SB_ACK_LOW_CHANNEL) session->control_lost[way] = true;
        else set_bit(session->lost[way], seq);
        sim_trace_line(world->trace, world->now, "session %u %s: an Ack took number %u too early",
                       session->index, way == SIM_UP ? "up" : "down", seq);
    }
}

static bool has_message(const uint8_t *bits, const sim_ledger *ledger, uint32_t message)
{
    return message < ledger->sent && has_bit(bits, ledger->messages[message].seq);
}

bool sim_may_be_lost(const sim_session *session, int way, uint32_t message)
{
    return has_message(session->lost[way], &session->ledger[way], message);
}

bool sim_waits_for_lost(const sim_session *session, int way)
{
    const sim_ledger *ledger = &session->ledger[way];
    uint32_t          due = ledger->received;
    if (due == 0 || due >= ledger->sent) return sim_may_be_lost(session, way, due);
    uint16_t seq = ledger->messages[due - 1].seq;
    while (seq != ledger->messages[due].seq)
        if (has_bit(session->lost[way], ++seq)) return true;
    return false;
}

void sim_record_usurped(sim_session *session, int way, uint16_t seq)
{
    set_bit(session->usurped[way], seq);
}

void sim_record_question(sim_session *session, int way, uint16_t seq)
{
    set_bit(session->questions[way], seq);
}

bool sim_take_question(sim_session *session, int way, sb_span bytes)
{
    enum { WINDOW = 1024 };
    const sim_ledger *ledger = &session->ledger[way];
    bool              due = ledger->received < ledger->sent;
    uint16_t          seq = due ? ledger->messages[ledger->received].seq : ledger->next_seq, i = 0;
    if (bytes.size != 1 || bytes.data[0] != SB_QUESTION_PAYLOAD) return false;
    while (i < WINDOW && !has_bit(session->questions[way], seq)) i++, seq++;
    if (i == WINDOW) return false;
    session->questions[way][seq / 8] &= (uint8_t) ~(1u << seq % 8);
    sim_record_usurped(session, way, seq);
    return true;
}

bool sim_may_be_late(const sim_session *session, int way, uint32_t message)
{
    return has_message(session->usurped[way], &session->ledger[way], message);
}

void sim_record_skipped(sim_session *session, int way, uint32_t message)
{
    set_bit(session->skipped[way], session->ledger[way].messages[message].seq);
}

bool sim_take_skipped(sim_session *session, int way, uint32_t message)
{
    uint16_t seq = session->ledger[way].messages[message].seq;
    if (!has_bit(session->skipped[way], seq)) return false;
    session->skipped[way][seq / 8] &= (uint8_t) ~(1u << seq % 8);
    return true;
}
