/* sim/stock_host.c -- accepting, naming, passing on and removing players as a stock host does it.
 *
 * For:      stock_host.h.
 * Spec:     01 §4.6, §4.9, §4.10, §5.3, §8.3, §8.4.
 */
#include "sim/stock_host.h"

#include "base/packet.h"

void sim_stock_host_defaults(sim_stock_host_config *config)
{
    *config = (sim_stock_host_config){ .max_players = 8, .local_address = 0xC0A80001 };
    sim_stock_defaults(&config->stock, 33000);
}

void sim_stock_host_init(sim_stock_host *host, const sim_stock_host_config *config, sb_time now)
{
    *host = (sim_stock_host){
        .config = *config, .origin = now, .next_tick = now, .turn = SIM_STOCK_PEERS
    };
}

void sim_stock_host_clear(sim_stock_host *host)
{
    for (size_t i = 0; i < SIM_STOCK_PEERS; i++) sim_stock_peer_clear(&host->peers[i].peer);
}

static void report(sim_stock_host *host, sb_time now, const sim_foreign_event *event)
{
    if (host->config.hook.call) host->config.hook.call(host->config.hook.context, now, event);
}

sim_stock_host_peer *sim_stock_host_find(sim_stock_host *host, uint8_t peer_id)
{
    for (size_t i = 0; i < SIM_STOCK_PEERS; i++)
        if (host->peers[i].player && host->peers[i].id == peer_id) return &host->peers[i];
    return NULL;
}

uint32_t sim_stock_host_players(const sim_stock_host *host)
{
    uint32_t count = 0;
    for (size_t i = 0; i < SIM_STOCK_PEERS; i++) count += host->peers[i].player;
    return count;
}

static void queue_for_players(sim_stock_host *host, const sim_stock_host_peer *except, uint8_t type,
                              const sb_control *control)
{
    for (size_t i = 0; i < SIM_STOCK_PEERS; i++) {
        sim_stock_host_peer *p = &host->peers[i];
        if (p->player && p != except)
            sim_stock_peer_queue_control(&p->peer, type, SB_SIDE_HOST, control);
    }
}

/* ---- Leaving (§8.3, §8.4) ----------------------------------------------------------------- */

/* Keeps a leaving peer for its Acks, which are now sent without other messages (D2). */
static void set_leaving(sim_stock_host_peer *p, sb_time now)
{
    p->player = false;
    p->peer.leaving = true;
    p->gone_at = now + p->host->config.stock.leave_us;
}

static void remove_player(sim_stock_host_peer *p, sb_time now, bool by_boot, uint8_t reason)
{
    set_leaving(p, now);
    report(p->host, now,
           &(sim_foreign_event){ .type = SIM_FOREIGN_LEFT,
                                 .peer_id = p->id,
                                 .address = p->address,
                                 .by_boot = by_boot,
                                 .boot_reason = reason });
}

void sim_stock_host_kick(sim_stock_host *host, sb_time now, uint8_t peer_id, uint8_t reason)
{
    sim_stock_host_peer *p = sim_stock_host_find(host, peer_id);
    sb_control           control = { .boot = { .reason = reason, .peer_id = peer_id } };
    if (!p) return;
    queue_for_players(host, NULL, SB_TRANSPORT_BOOT, &control);
    remove_player(p, now, true, reason);
}

void sim_stock_host_stop(sim_stock_host *host, sb_time now)
{
    sb_control control = { .disconnect = { SB_PEER_HOST, host->config.local_address } };
    queue_for_players(host, NULL, SB_TRANSPORT_DISCONNECT, &control);
    for (size_t i = 0; i < SIM_STOCK_PEERS; i++)
        if (host->peers[i].player) remove_player(&host->peers[i], now, false, 0);
    host->stopped = true;
}

/* Trusts the id in the payload, without comparing it with the sender. */
static void handle_disconnect(sim_stock_host *host, sb_time now, const sb_control *control)
{
    sim_stock_host_peer *p = sim_stock_host_find(host, control->disconnect.peer_id);
    if (!p) return;
    remove_player(p, now, false, 0);
    queue_for_players(host, p, SB_TRANSPORT_DISCONNECT, control);
}

/* ---- Receiving ---------------------------------------------------------------------------- */

static uint8_t lowest_free_id(const sim_stock_host *host)
{
    for (uint8_t id = 2;; id++) {
        bool taken = false;
        for (size_t i = 0; i < SIM_STOCK_PEERS; i++)
            taken |= host->peers[i].used && host->peers[i].id == id;
        if (!taken) return id;
    }
}

static void refuse(sim_stock_host_peer *p, sb_time now, uint8_t reason)
{
    sb_control control = { .boot = { .reason = reason, .peer_id = SB_PEER_NONE } };
    p->id = SB_PEER_NONE;
    sim_stock_peer_queue_control(&p->peer, SB_TRANSPORT_BOOT, SB_SIDE_HOST, &control);
    set_leaving(p, now);
}

/* Queues the response and the first game message together; the tick decides how many datagrams they
 * become (§5.3). */
static void handle_connect(sim_stock_host_peer *p, sb_time now)
{
    sim_stock_host *host = p->host;
    if (p->player || p->peer.leaving) return;
    if (sim_stock_host_players(host) >= host->config.max_players) {
        refuse(p, now, SB_BOOT_FULL);
        return;
    }
    p->id = lowest_free_id(host);
    p->player = true;
    sb_control control = { .connect_response = { p->id } };
    sim_stock_peer_queue_control(&p->peer, SB_TRANSPORT_CONNECT, SB_SIDE_HOST, &control);
    if (host->config.first_message.size > 0)
        sim_stock_peer_queue(&p->peer, SB_TRANSPORT_DATA, true, host->config.first_message);
    report(host, now,
           &(sim_foreign_event){
               .type = SIM_FOREIGN_JOINED, .peer_id = p->id, .address = p->address });
}

/* Relays the Name to all players, the sender included (§4.6). */
static void handle_name(sim_stock_host_peer *p, sb_time now, const sb_control *control)
{
    queue_for_players(p->host, NULL, SB_TRANSPORT_NAME, control);
    report(p->host, now,
           &(sim_foreign_event){ .type = SIM_FOREIGN_NAMED,
                                 .peer_id = control->name.peer_id,
                                 .address = p->address,
                                 .bytes = control->name.name });
}

static void handle_message(void *context, sb_time now, const sb_transport_message *message)
{
    sim_stock_host_peer *p = context;
    sb_control           control;
    if (message->type == SB_TRANSPORT_DATA) {
        report(p->host, now,
               &(sim_foreign_event){ .type = SIM_FOREIGN_MESSAGE,
                                     .peer_id = p->id,
                                     .address = p->address,
                                     .reliable = message->reliable,
                                     .bytes = message->payload });
        return;
    }
    if (sb_decode_control(message->type, SB_SIDE_CLIENT, message->payload, &control) != SB_OK)
        return;
    if (message->type == SB_TRANSPORT_CONNECT) handle_connect(p, now);
    else if (message->type == SB_TRANSPORT_NAME) handle_name(p, now, &control);
    else if (message->type == SB_TRANSPORT_DISCONNECT) handle_disconnect(p->host, now, &control);
}

/* D6: byte 0 alone identifies the sender; only a client without an id is found by its address. */
static sim_stock_host_peer *find_sender(sim_stock_host *host, sb_endpoint from, uint8_t id)
{
    for (size_t i = 0; i < SIM_STOCK_PEERS; i++) {
        sim_stock_host_peer *p = &host->peers[i];
        bool                 address_matches = sb_endpoints_equal(p->address, from);
        if (!p->used) continue;
        if (id == SB_PEER_NONE ? address_matches : p->id == id && p->id != SB_PEER_NONE)
            return address_matches || host->config.stock.believes_anyone ? p : NULL;
    }
    return NULL;
}

static bool has_connect(const sb_datagram *datagram)
{
    sb_transport_message message;
    size_t               at = 0;
    while (sb_datagram_next(datagram, &at, &message))
        if (message.type == SB_TRANSPORT_CONNECT) return true;
    return false;
}

static sim_stock_host_peer *add_peer(sim_stock_host *host, sb_time now, sb_endpoint from)
{
    for (size_t i = 0; i < SIM_STOCK_PEERS && !host->stopped; i++) {
        sim_stock_host_peer *p = &host->peers[i];
        if (p->used) continue;
        *p = (sim_stock_host_peer){
            .host = host, .used = true, .id = SB_PEER_NONE, .address = from
        };
        sim_stock_peer_init(&p->peer, &host->config.stock, &host->totals, now);
        p->peer.deliver = handle_message;
        p->peer.context = p;
        return p;
    }
    return NULL;
}

void sim_stock_host_receive(sim_stock_host *host, sb_time now, sb_endpoint from, sb_span datagram)
{
    uint8_t     plain[SB_DATAGRAM_ACCEPTED];
    sb_datagram opened;
    if (datagram.size < 2 || datagram.data[0] == SB_GAMESPY_BYTE) return;
    if (!sim_stock_open(&host->config.stock, &host->totals, datagram, plain, &opened)) return;
    sim_stock_host_peer *p = find_sender(host, from, opened.peer_id);
    if (!p && opened.peer_id == SB_PEER_NONE && has_connect(&opened)) p = add_peer(host, now, from);
    if (p) sim_stock_peer_receive(&p->peer, now, &opened);
    else host->totals.foreign++;
}

/* ---- Time --------------------------------------------------------------------------------- */

static void expire_peer(sim_stock_host_peer *p, sb_time now)
{
    sim_stock_host *host = p->host;
    if (p->player && now >= p->peer.heard_at + host->config.stock.timeout_us)
        sim_stock_host_kick(host, now, p->id, SB_BOOT_TIMED_OUT);
    if (!p->player && now >= p->gone_at) {
        sim_stock_peer_clear(&p->peer);
        p->used = false;
    }
}

void sim_stock_host_tick(sim_stock_host *host, sb_time now)
{
    for (size_t i = 0; i < SIM_STOCK_PEERS; i++)
        if (host->peers[i].used) expire_peer(&host->peers[i], now);
    if (now < host->next_tick) return;
    host->turn = 0;
    host->next_tick =
        sim_stock_tick_after(host->origin, host->config.stock.tick_us, host->next_tick, now + 1);
}

size_t sim_stock_host_write(sim_stock_host *host, sb_time now, sb_endpoint *to, uint8_t *out)
{
    while (host->turn < SIM_STOCK_PEERS) {
        sim_stock_host_peer *p = &host->peers[host->turn++];
        size_t size = p->used ? sim_stock_peer_write(&p->peer, now, SB_PEER_HOST, out) : 0;
        if (size == 0) continue;
        *to = p->address;
        return size;
    }
    return 0;
}

sb_time sim_stock_host_next_deadline(const sim_stock_host *host)
{
    sb_time first = SB_TIME_NEVER;
    for (size_t i = 0; i < SIM_STOCK_PEERS; i++) {
        const sim_stock_host_peer *p = &host->peers[i];
        if (!p->used) continue;
        sb_time due = sim_stock_peer_due(&p->peer);
        sb_time end = p->player ? p->peer.heard_at + host->config.stock.timeout_us : p->gone_at;
        if (end < due) due = end;
        if (due < first) first = due;
    }
    return sim_stock_tick_after(host->origin, host->config.stock.tick_us, host->next_tick, first);
}

void sim_stock_host_send(sim_stock_host *host, uint8_t peer_id, bool reliable, sb_span message)
{
    sim_stock_host_peer *p = sim_stock_host_find(host, peer_id);
    if (p) sim_stock_peer_queue(&p->peer, SB_TRANSPORT_DATA, reliable, message);
}
