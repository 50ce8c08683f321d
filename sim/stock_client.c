/* sim/stock_client.c -- connecting, playing and leaving as a stock client does it.
 *
 * For:      stock_client.h.
 * Spec:     01 §4.6-§4.10, §5.3, §8.3.
 */
#include "sim/stock_client.h"

void sim_stock_client_defaults(sim_stock_client_config *config)
{
    *config = (sim_stock_client_config){
        .local_address = 0x0A0A0AEF, .opaque = 0x78F9, .name = "Cady2", .password = ""
    };
    sim_stock_defaults(&config->stock, 16000);
}

static void report(sim_stock_client *client, sb_time now, const sim_foreign_event *event)
{
    if (client->config.hook.call) client->config.hook.call(client->config.hook.context, now, event);
}

static void queue_name(sim_stock_client *client, const char *name)
{
    uint8_t    bytes[64];
    sb_control control = { .name = { .peer_id = client->id,
                                     .address = client->config.local_address,
                                     .name = sim_utf16(name, bytes, sizeof bytes) } };
    sim_stock_peer_queue_control(&client->peer, SB_TRANSPORT_NAME, SB_SIDE_CLIENT, &control);
}

static void start_leaving(sim_stock_client *client, sb_time now, bool by_boot, uint8_t reason)
{
    if (client->state >= SIM_STOCK_LEAVING) return;
    client->state = SIM_STOCK_LEAVING;
    client->over_at = now + client->config.stock.leave_us;
    client->peer.leaving = true;
    report(client, now,
           &(sim_foreign_event){ .type = SIM_FOREIGN_OVER,
                                 .peer_id = client->id,
                                 .by_boot = by_boot,
                                 .boot_reason = reason });
}

/* Sends the Name once, as soon as the id is known (§4.6). */
static void handle_id(sim_stock_client *client, sb_time now, uint8_t id)
{
    if (client->state != SIM_STOCK_CONNECTING) return;
    client->state = SIM_STOCK_PLAYING;
    client->id = id;
    queue_name(client, client->config.name);
    report(client, now, &(sim_foreign_event){ .type = SIM_FOREIGN_JOINED, .peer_id = id });
}

/* The session of this client ends with a Boot of its own id or of 0xFF (a refusal), and with a
 * Disconnect of its own id or of the host. Any other id is another player who left (spec 01 §4.9,
 * §4.10). */
static void handle_departure(sim_stock_client *client, sb_time now, uint8_t id, bool by_boot,
                             uint8_t reason)
{
    bool ends_session = id == client->id || (by_boot ? id == SB_PEER_NONE : id == SB_PEER_HOST);
    if (ends_session) {
        start_leaving(client, now, by_boot, reason);
        return;
    }
    report(
        client, now,
        &(sim_foreign_event){
            .type = SIM_FOREIGN_LEFT, .peer_id = id, .by_boot = by_boot, .boot_reason = reason });
}

static void handle_control(sim_stock_client *client, sb_time now,
                           const sb_transport_message *message)
{
    sb_control control;
    if (sb_decode_control(message->type, SB_SIDE_HOST, message->payload, &control) != SB_OK) return;
    if (message->type == SB_TRANSPORT_CONNECT)
        handle_id(client, now, control.connect_response.peer_id);
    else if (message->type == SB_TRANSPORT_NAME)
        report(client, now,
               &(sim_foreign_event){ .type = SIM_FOREIGN_NAMED,
                                     .peer_id = control.name.peer_id,
                                     .bytes = control.name.name });
    else if (message->type == SB_TRANSPORT_BOOT)
        handle_departure(client, now, control.boot.peer_id, true, control.boot.reason);
    else handle_departure(client, now, control.disconnect.peer_id, false, 0);
}

static void handle_message(void *context, sb_time now, const sb_transport_message *message)
{
    sim_stock_client *client = context;
    if (message->type != SB_TRANSPORT_DATA) {
        handle_control(client, now, message);
        return;
    }
    report(client, now,
           &(sim_foreign_event){ .type = SIM_FOREIGN_MESSAGE,
                                 .peer_id = SB_PEER_HOST,
                                 .reliable = message->reliable,
                                 .bytes = message->payload });
}

void sim_stock_client_init(sim_stock_client *client, const sim_stock_client_config *config,
                           sb_time now)
{
    *client = (sim_stock_client){
        .config = *config, .id = SB_PEER_NONE, .origin = now, .next_tick = now
    };
    sim_stock_peer_init(&client->peer, &client->config.stock, &client->totals, now);
    client->peer.deliver = handle_message;
    client->peer.context = client;
    uint8_t    bytes[64];
    sb_control control = { .connect_request = {
                               .address = config->local_address,
                               .opaque = config->opaque,
                               .password = sim_utf16(config->password, bytes, sizeof bytes) } };
    sim_stock_peer_queue_control(&client->peer, SB_TRANSPORT_CONNECT, SB_SIDE_CLIENT, &control);
}

void sim_stock_client_clear(sim_stock_client *client)
{
    sim_stock_peer_clear(&client->peer);
}

/* D6: any sender with byte 0 = 1 is taken for the host. */
static bool is_host(const sim_stock_client *client, sb_endpoint from, uint8_t id)
{
    if (id != SB_PEER_HOST) return false;
    if (client->config.stock.believes_anyone) return true;
    return from.address == client->config.server.address && from.port == client->config.server.port;
}

void sim_stock_client_receive(sim_stock_client *client, sb_time now, sb_endpoint from,
                              sb_span datagram)
{
    uint8_t     plain[SB_DATAGRAM_ACCEPTED];
    sb_datagram opened;
    if (client->state == SIM_STOCK_OVER || client->unplugged) return;
    if (datagram.size < 2 || !is_host(client, from, datagram.data[0])) {
        client->totals.foreign++;
        return;
    }
    if (sim_stock_open(&client->config.stock, &client->totals, datagram, plain, &opened))
        sim_stock_peer_receive(&client->peer, now, &opened);
}

/* True: the Disconnect is acknowledged, or the Ack of a Boot has been sent. */
static bool has_finished_leaving(const sim_stock_client *client)
{
    for (const sim_stock_entry *ack = client->peer.acks; ack; ack = ack->next)
        if (ack->sends == 0) return false;
    return sim_stock_peer_waiting(&client->peer) == 0;
}

void sim_stock_client_tick(sim_stock_client *client, sb_time now)
{
    if (client->state == SIM_STOCK_OVER || client->unplugged) return;
    if (client->state < SIM_STOCK_LEAVING &&
        now >= client->peer.heard_at + client->config.stock.timeout_us)
        start_leaving(client, now, false, 0);
    if (client->state == SIM_STOCK_LEAVING &&
        (now >= client->over_at || has_finished_leaving(client)))
        client->state = SIM_STOCK_OVER;
    if (now < client->next_tick) return;
    client->turn = true;
    client->next_tick = sim_stock_tick_after(client->origin, client->config.stock.tick_us,
                                             client->next_tick, now + 1);
}

size_t sim_stock_client_write(sim_stock_client *client, sb_time now, uint8_t *out)
{
    if (!client->turn || client->state == SIM_STOCK_OVER || client->unplugged) return 0;
    client->turn = false;
    return sim_stock_peer_write(&client->peer, now, client->id, out);
}

sb_time sim_stock_client_next_deadline(const sim_stock_client *client)
{
    if (client->state == SIM_STOCK_OVER || client->unplugged) return SB_TIME_NEVER;
    sb_time due = sim_stock_peer_due(&client->peer);
    sb_time end_at = client->state == SIM_STOCK_LEAVING
                         ? client->over_at
                         : client->peer.heard_at + client->config.stock.timeout_us;
    if (client->state == SIM_STOCK_LEAVING && has_finished_leaving(client)) due = 0;
    return sim_stock_tick_after(client->origin, client->config.stock.tick_us, client->next_tick,
                                due < end_at ? due : end_at);
}

void sim_stock_client_send(sim_stock_client *client, bool reliable, sb_span message)
{
    if (client->state == SIM_STOCK_PLAYING)
        sim_stock_peer_queue(&client->peer, SB_TRANSPORT_DATA, reliable, message);
}

void sim_stock_client_rename(sim_stock_client *client, const char *name)
{
    if (client->state == SIM_STOCK_PLAYING) queue_name(client, name);
}

void sim_stock_client_leave(sim_stock_client *client, sb_time now)
{
    if (client->state >= SIM_STOCK_LEAVING) return;
    sb_control control = { .disconnect = { .peer_id = client->id,
                                           .address = client->config.local_address } };
    sim_stock_peer_queue_control(&client->peer, SB_TRANSPORT_DISCONNECT, SB_SIDE_CLIENT, &control);
    start_leaving(client, now, false, 0);
}
