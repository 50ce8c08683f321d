/* src/inspect/conversation.c -- sessions, sequence numbers and Acks of one client.
 *
 * Tests:    tests/inspect/dissector_test.c
 */
#include "inspect/conversation.h"

static uint32_t hash_bytes(sb_span bytes)
{
    uint32_t hash = 0x811C9DC5u; /* FNV-1a */
    for (size_t i = 0; i < bytes.size; i++) hash = (hash ^ bytes.data[i]) * 0x01000193u;
    return hash;
}

static void reset_flow(sb_flow *flow, void (*reset)(sb_sequence *))
{
    for (size_t i = 0; i < 2; i++) {
        reset(&flow->sent[i]);
        sb_sequence_init(&flow->acked[i]); /* gaps between Acks are not reported */
    }
    memset(flow->fragment_acks, 0, sizeof flow->fragment_acks);
    flow->next_fragment_ack = 0;
}

void sb_conversation_init(sb_conversation *c, sb_endpoint host, sb_endpoint client,
                          uint64_t session)
{
    c->host = host;
    c->client = client;
    c->session = session;
    c->ended = false;
    c->has_traffic = false;
    c->has_connect = false;
    c->client_last_us = 0;
    c->slot = SB_NO_SLOT;
    for (size_t i = 0; i < 2; i++) {
        reset_flow(&c->flows[i], sb_sequence_init);
        c->flows[i].shields = (sb_layout_evidence){ 0 };
    }
}

bool sb_conversation_starts_session(const sb_conversation *c, const sb_transport_message *m,
                                    int64_t time_us)
{
    if (m->type != SB_TRANSPORT_CONNECT) return false;
    if (!c->has_connect || c->ended || c->connect_hash != hash_bytes(m->payload)) return true;
    return time_us - c->client_last_us > SB_SESSION_SILENCE_US;
}

void sb_conversation_restart(sb_conversation *c, const sb_transport_message *m, uint64_t session)
{
    c->session = session;
    c->ended = false;
    c->has_connect = true;
    c->connect_hash = hash_bytes(m->payload);
    c->slot = SB_NO_SLOT;
    reset_flow(&c->flows[0], sb_sequence_start);
    reset_flow(&c->flows[1], sb_sequence_start);
}

/* The Ack of a fragment names a sequence number and an index. Such Acks are rare, so the newest
 * SB_FRAGMENT_ACKS are enough to recognise a copy. */
static sb_sighting add_fragment_ack(sb_flow *flow, const sb_transport_message *m)
{
    uint32_t key = 0x80000000u | (uint32_t)m->seq << 8 | m->frag_index;
    for (size_t i = 0; i < SB_FRAGMENT_ACKS; i++)
        if (flow->fragment_acks[i] == key) return (sb_sighting){ .copy = true };
    flow->fragment_acks[flow->next_fragment_ack++ % SB_FRAGMENT_ACKS] = key;
    return (sb_sighting){ 0 };
}

sb_sighting sb_flow_add(sb_flow *flow, const sb_transport_message *m)
{
    if (m->type != SB_TRANSPORT_ACK)
        return sb_sequence_add(&flow->sent[m->type != SB_TRANSPORT_DATA], m->seq);
    if (m->ack_flags & SB_ACK_FRAGMENT) return add_fragment_ack(flow, m);
    bool        low = m->ack_flags & SB_ACK_LOW_CHANNEL;
    sb_sighting seen = sb_sequence_add(&flow->acked[low], m->seq);
    return (sb_sighting){ .copy = seen.copy };
}
