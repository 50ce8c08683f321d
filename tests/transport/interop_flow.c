/* tests/transport/interop_flow.c -- numbered messages, common setups and final checks.
 *
 * For:      interop_rig.h.
 */
#include "transport/interop_rig.h"

#include <string.h>

enum { FLOW_HEADER = 8 };

/* ---- Numbered messages -------------------------------------------------------------------- */

static uint8_t filler(uint32_t number, size_t at)
{
    return (uint8_t)((number * 2654435761u >> 24) + at * 7);
}

/* Fills in client index, direction and delivery, number and size; then bytes that depend on them.
 */
static sb_span make_message(uint8_t *bytes, size_t index, bool up, bool reliable, uint32_t number,
                            size_t size)
{
    CHECK(size >= FLOW_HEADER);
    bytes[0] = (uint8_t)index;
    bytes[1] = (uint8_t)((up ? 1 : 0) | (reliable ? 2 : 0));
    for (size_t i = 0; i < 4; i++) bytes[2 + i] = (uint8_t)(number >> (8 * i));
    bytes[6] = (uint8_t)size;
    bytes[7] = (uint8_t)(size >> 8);
    for (size_t i = FLOW_HEADER; i < size; i++) bytes[i] = filler(number, i);
    return (sb_span){ bytes, size };
}

static uint32_t number_of(sb_span message)
{
    uint32_t number = 0;
    for (size_t i = 0; i < 4; i++) number |= (uint32_t)message.data[2 + i] << (8 * i);
    return number;
}

static bool is_whole(sb_span message, size_t index, bool up, bool reliable)
{
    static uint8_t expected[SB_PAYLOAD_MAX];
    if (message.size < FLOW_HEADER) return false;
    uint32_t number = number_of(message);
    if (number >= INTEROP_MESSAGES) return false;
    (void)make_message(expected, index, up, reliable, number, message.size);
    return memcmp(expected, message.data, message.size) == 0;
}

/* A long unreliable message would arrive as a reliable one (spec 01 §7.1); scenarios send short
 * ones.
 */
void interop_count_message(interop *w, interop_flow *flow, size_t index, bool up, bool reliable,
                           sb_span message)
{
    if (!is_whole(message, index, up, reliable)) {
        flow->damaged++;
        return;
    }
    uint32_t number = number_of(message);
    if (!reliable) {
        flow->loose_received++;
        return;
    }
    flow->last_at = w->now;
    if (flow->seen[number]) {
        flow->repeated++;
        return;
    }
    flow->seen[number] = 1;
    flow->arrived_at[number] = w->now;
    if (number != flow->received) flow->displaced++;
    flow->received++;
}

/* ---- Streams ------------------------------------------------------------------------------ */

bool interop_send_down(interop *w, interop_client *c, bool reliable, size_t size)
{
    static uint8_t bytes[SB_PAYLOAD_MAX];
    interop_flow  *flow = &c->down;
    uint32_t       number = reliable ? flow->sent : flow->loose_sent % INTEROP_MESSAGES;
    if (w->our_host && sb_transport_host_free_bytes(w->our_host, c->id) < size) return false;
    sb_span message = make_message(bytes, interop_index(w, c), false, reliable, number, size);
    if (reliable) flow->sent++;
    else flow->loose_sent++;
    if (w->stock_host) sim_stock_host_send(w->stock_host, c->id, reliable, message);
    if (w->openbc_host) sim_openbc_send(w->openbc_host, c->id, reliable, message);
    sb_delivery delivery = reliable ? SB_RELIABLE : SB_UNRELIABLE;
    if (w->our_host)
        EQUALS(w, sb_transport_host_send(w->our_host, c->id, delivery, message), SB_OK);
    return true;
}

bool interop_send_up(interop *w, interop_client *c, bool reliable, size_t size)
{
    static uint8_t bytes[SB_PAYLOAD_MAX];
    interop_flow  *flow = &c->up;
    uint32_t       number = reliable ? flow->sent : flow->loose_sent % INTEROP_MESSAGES;
    if (c->ours && sb_transport_client_free_bytes(c->ours) < size) return false;
    sb_span message = make_message(bytes, interop_index(w, c), true, reliable, number, size);
    if (reliable) flow->sent++;
    else flow->loose_sent++;
    sb_delivery delivery = reliable ? SB_RELIABLE : SB_UNRELIABLE;
    if (c->theirs) sim_stock_client_send(c->theirs, reliable, message);
    if (c->ours) EQUALS(w, sb_transport_client_send(c->ours, delivery, message), SB_OK);
    return true;
}

/* 8 to 71 bytes; every 64th message has about 300. */
static size_t size_of_next(uint32_t number)
{
    size_t size = FLOW_HEADER + (number * 2654435761u >> 26);
    return number % 64 == 63 ? size + 250 : size;
}

static bool stream_once(interop *w, uint32_t count)
{
    bool done = true;
    for (size_t i = 0; i < w->client_count; i++) {
        interop_client *c = &w->clients[i];
        if (c->down.sent < count) (void)interop_send_down(w, c, true, size_of_next(c->down.sent));
        if (c->up.sent < count) (void)interop_send_up(w, c, true, size_of_next(c->up.sent));
        if (c->up.sent % 2) (void)interop_send_up(w, c, false, 30);
        if (c->down.sent % 2) (void)interop_send_down(w, c, false, 30);
        done &= c->down.sent >= count && c->up.sent >= count;
    }
    return done;
}

void interop_stream(interop *w, uint32_t count, sb_time interval)
{
    sb_time end = w->now + 600 * SB_SECOND;
    while (!stream_once(w, count)) {
        interop_run(w, interval);
        HOLDS(w, w->now < end);
    }
}

sb_peer_info interop_peer_info(const interop *w, const interop_client *c)
{
    sb_peer_info info = { 0 };
    if (c->ours) (void)sb_transport_client_peer(c->ours, &info);
    else if (w->our_host) (void)sb_transport_host_peer(w->our_host, c->id, &info);
    return info;
}

static bool is_empty(const sb_peer_info *info)
{
    return info->unacknowledged == 0 && info->queued == 0 && info->stored == 0;
}

/* Fragments that a stock peer repeats for ever (D3) do not count as waiting after they arrived. */
static uint32_t stock_waiting(const sim_stock_peer *peer)
{
    uint32_t endless = 0;
    for (const sim_stock_entry *e = peer->resend; e; e = e->next)
        endless += e->message.fragment && peer->options->endless_fragments;
    return sim_stock_peer_waiting(peer) - endless;
}

static bool is_quiet(interop *w, const interop_client *c)
{
    sb_peer_info info = { 0 };
    if (c->ours && sb_transport_client_peer(c->ours, &info) && !is_empty(&info)) return false;
    if (w->our_host && sb_transport_host_peer(w->our_host, c->id, &info) && !is_empty(&info))
        return false;
    if (c->theirs && stock_waiting(&c->theirs->peer) > 0) return false;
    if (w->stock_host) {
        const sim_stock_host_peer *p = sim_stock_host_find(w->stock_host, c->id);
        if (p && stock_waiting(&p->peer) > 0) return false;
    }
    const sim_openbc_client *b = w->openbc_host ? sim_openbc_find(w->openbc_host, c->id) : NULL;
    return !b || b->outbox_count == 0;
}

bool interop_run_until_quiet(interop *w, sb_time limit)
{
    for (sb_time end = w->now + limit; w->now < end; interop_run(w, SB_SECOND / 5)) {
        bool quiet = true;
        for (size_t i = 0; i < w->client_count; i++) quiet &= is_quiet(w, &w->clients[i]);
        if (quiet) return true;
    }
    return false;
}

/* ---- Checks ------------------------------------------------------------------------------- */

static void check_flow(const interop *w, const interop_flow *flow)
{
    EQUALS(w, flow->received, flow->sent);
    EQUALS(w, flow->repeated, 0);
    EQUALS(w, flow->displaced, 0);
    EQUALS(w, flow->damaged, 0);
}

void interop_check_down(interop *w, const interop_client *c)
{
    check_flow(w, &c->down);
}

void interop_check_streams(interop *w)
{
    for (size_t i = 0; i < w->client_count; i++) {
        const interop_client *c = &w->clients[i];
        check_flow(w, &c->down);
        check_flow(w, &c->up);
        HOLDS(w, is_quiet(w, c));
    }
}

void interop_check_all_there(interop *w)
{
    for (size_t i = 0; i < w->client_count; i++) {
        const interop_client *c = &w->clients[i];
        EQUALS(w, c->here.left, 0);
        EQUALS(w, c->at_host.left, 0);
        EQUALS(w, c->here.joined, 1);
        EQUALS(w, c->at_host.joined, 1);
        HOLDS(w, !c->theirs || c->theirs->state == SIM_STOCK_PLAYING);
        HOLDS(w, !c->ours || !sb_transport_client_is_over(c->ours));
    }
}

uint64_t interop_counter(const interop *w, sb_transport_counter counter)
{
    uint64_t sum = w->our_host ? sb_transport_host_counter(w->our_host, counter) : 0;
    for (size_t i = 0; i < w->client_count; i++)
        if (w->clients[i].ours) sum += sb_transport_client_counter(w->clients[i].ours, counter);
    return sum;
}

static bool is_allowed(int counter, const int *allowed)
{
    for (; allowed && *allowed >= 0; allowed++)
        if (*allowed == counter) return true;
    return false;
}

void interop_check_refusals(interop *w, const int *allowed)
{
    for (int i = 0; i < SB_TRANSPORT_REFUSAL_COUNT; i++) {
        uint64_t count = interop_counter(w, (sb_transport_counter)i);
        if (count == 0 || is_allowed(i, allowed)) continue;
        interop_fail(w, __FILE__, __LINE__, sb_transport_counter_name((sb_transport_counter)i),
                     (long long)count, 0);
    }
}

/* ---- Common setups and the final check ---------------------------------------------------- */

sim_stock_client_config interop_stock_client(bool instrumented)
{
    sim_stock_client_config config;
    sim_stock_client_defaults(&config);
    config.stock.endless_fragments = !instrumented;
    return config;
}

sim_stock_host_config interop_stock_host(bool instrumented, sb_time tick_us)
{
    sim_stock_host_config config;
    sim_stock_host_defaults(&config);
    config.stock.endless_fragments = !instrumented;
    config.stock.tick_us = tick_us;
    return config;
}

interop *interop_open_with_stock_clients(size_t weather, uint64_t seed, size_t count,
                                         sb_retransmit retransmit)
{
    interop                 *w = interop_open(weather, seed);
    sb_transport_host_config config;
    sim_stock_client_config  client = interop_stock_client(true);
    sb_transport_host_defaults(&config);
    config.retransmit = retransmit;
    config.ack_delay_us = seed % 2 ? 0 : 50000;
    config.seed = seed;
    interop_add_our_host(w, &config);
    for (size_t i = 0; i < count; i++) (void)interop_add_stock_client(w, &client);
    interop_run_until_joined(w, 60 * SB_SECOND);
    return w;
}

interop *interop_open_with_stock_host(size_t weather, uint64_t seed,
                                      const sim_stock_host_config      *host,
                                      const sb_transport_client_config *client)
{
    interop *w = interop_open(weather, seed);
    interop_add_stock_host(w, host);
    (void)interop_add_our_client(w, client);
    interop_run_until_joined(w, 60 * SB_SECOND);
    return w;
}

/* On a rough network messages arrive ahead of our window; they are retransmitted. */
static const int far_ahead[] = { SB_TRANSPORT_COUNT_BEYOND_BUFFER, SB_TRANSPORT_COUNT_NO_ROOM, -1 };

/* We send stock peers no message that they cannot read or would lose (D5, D7). */
static void check_understood(const interop *w, const sim_stock_totals *totals)
{
    EQUALS(w, totals->malformed, 0);
    EQUALS(w, totals->unknown_types, 0);
    EQUALS(w, totals->acked_and_dropped, 0);
    EQUALS(w, totals->expired, 0);
}

void interop_check_good_end(interop *w)
{
    HOLDS(w, interop_run_until_quiet(w, 120 * SB_SECOND));
    interop_check_streams(w);
    interop_check_all_there(w);
    interop_check_refusals(w, far_ahead);
    for (size_t i = 0; i < w->client_count; i++)
        if (w->clients[i].theirs) check_understood(w, &w->clients[i].theirs->totals);
    if (w->stock_host) check_understood(w, &w->stock_host->totals);
}

void interop_watch_fragments(void *context, const interop_sight *sight)
{
    interop_fragments   *record = context;
    sb_transport_message m;
    for (size_t at = 0; sb_datagram_next(sight->datagram, &at, &m);) {
        if (m.type == SB_TRANSPORT_ACK && m.ack_flags & SB_ACK_FRAGMENT &&
            sight->from.address != record->from)
            record->indexed_acks++;
        if (!m.fragment || sight->from.address != record->from || record->count == 64) continue;
        record->sizes[record->count++] = sb_transport_message_bytes(&m);
    }
}
