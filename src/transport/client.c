/* src/transport/client.c -- the client endpoint: one session with one host.
 *
 * For:      headless players. Copes with the deviations of OpenBC servers (spec 01 §6.9).
 * Never:    accepts a datagram from another address than the one it connected to.
 * Spec:     01 §5.3, §8.
 */
#include <starbase/cipher.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/time.h"
#include "transport/bounds.h"
#include "transport/client_internal.h"
#include "transport/testing.h"

#include <string.h>

static const sb_time farewell_silence = 6 * SB_SECOND; /* an idle host sends a NoOp every 5 s */
static const sb_time farewell_time = 5 * SB_SECOND;    /* an end that leaves answers for less */
static const sb_time leave_limit = 3 * SB_SECOND;      /* spec 01 §8.4 */

void sb_transport_client_defaults(sb_transport_client_config *config)
{
    *config = (sb_transport_client_config){
        .retransmit = SB_RETRANSMIT_STOCK,
        .timeout_us = 45 * SB_SECOND,
        .connect_limit_us = 15 * SB_SECOND,
        .message_limit = 32,
        .cells = 4096,
        .plain_fragment_acks = true,
        .cautious = true,
    };
}

static bool is_valid(const sb_transport_client_config *c)
{
    return c->ack_delay_us >= 0 && c->ack_delay_us <= 50000 && c->timeout_us > 0 &&
           c->connect_limit_us > 0 && c->message_limit >= 1 && c->message_limit <= UINT8_MAX &&
           c->cells >= 4 * 48 && c->cells <= 1 << 20 &&
           c->password.size <= sizeof(uint16_t) * SB_PASSWORD_UNITS;
}

static size_t head_bytes(void)
{
    return (sizeof(sb_transport_client) + 15) / 16 * 16;
}

static size_t tables_bytes(void)
{
    return sizeof(uint32_t) * sb_link_table_size(&sb_bounds_send, &sb_bounds_store_client);
}

size_t sb_transport_client_bytes(const sb_transport_client_config *config)
{
    if (!is_valid(config)) return 0;
    return head_bytes() + (size_t)config->cells * sizeof(sb_cell) + tables_bytes() + SB_PAYLOAD_MAX;
}

/* ---- start and end ---- */

typedef struct cell_shares {
    uint32_t send, receive, assembly, shared;
} cell_shares;

/* A message of SB_PAYLOAD_MAX bytes needs 1021 cells for its fragments. */
static cell_shares divide_cells(uint32_t cells)
{
    cell_shares s = { .assembly = cells / 4 > 1024 ? 1024 : cells / 4 };
    s.send = cells / 4 < 512 ? cells / 4 : 512;
    s.receive = cells / 4;
    s.shared = cells - s.send - s.receive - s.assembly;
    return s;
}

/* Send rate, a little below the receive budget of a Starbase host (spec 01 §10.6): a faster client
 * would count as a flood. */
enum { DATAGRAMS_PER_S = 250, DATAGRAMS_BURST = 500 };
_Static_assert(DATAGRAMS_PER_S *SB_DATAGRAM_MAX <= 200 * 1024, "so their bytes need no limit");

static void init_link(sb_transport_client *c, uint32_t *tables)
{
    sb_link_init(&c->link,
                 &(sb_link_config){
                     .cells = &c->cells,
                     .counters = &c->counters,
                     .tables = tables,
                     .send = sb_bounds_send,
                     .store = sb_bounds_store_client,
                     .send_cells = divide_cells(c->config.cells).send,
                     .receive_cells = divide_cells(c->config.cells).receive,
                     .pace = (sb_resend_pace)c->config.retransmit,
                     .ack_delay_us = c->config.ack_delay_us,
                     .message_limit = c->config.message_limit,
                     .seed = c->config.seed,
                 },
                 c->now);
    c->link.waits_for_id = true;
    c->link.keeps_alive = false;
    c->link.farewell_id = SB_PEER_NONE;
    c->link.inbox.fragments_max = SB_FRAGMENTS_TRUSTED;
    c->link.inbox.eight_bit = c->link.outbox.eight_bit = c->config.eight_bit_host;
    c->link.outbox.plain_fragment_acks = c->config.plain_fragment_acks;
}

sb_transport_client *sb_transport_client_init(void                             *memory,
                                              const sb_transport_client_config *config, sb_time now)
{
    SB_ASSERT(is_valid(config));
    sb_transport_client *c = memory;
    uint8_t             *cells = (uint8_t *)memory + head_bytes();
    uint32_t             count = config->cells;
    memset(c, 0, sizeof *c);
    c->config = *config;
    c->now = c->started_at = sb_transport_clamp_time(now);
    c->id = SB_PEER_NONE;
    c->is_cautious = config->cautious && config->seed != 0 && !config->eight_bit_host;
    sb_told_ids_init(&c->ids, ~config->seed);
    c->assembly_buffer = cells + (size_t)count * sizeof(sb_cell) + tables_bytes();
    sb_cells_init(&c->cells, (sb_cell *)(void *)cells, count, divide_cells(count).shared,
                  divide_cells(count).assembly);
    sb_player_name_clean(&c->name, config->name, SB_PEER_NONE);
    sb_budget_init(&c->datagrams, c->now, DATAGRAMS_BURST);
    sb_departure_init(&c->departure, c->now);
    init_link(c, (uint32_t *)(void *)(cells + (size_t)count * sizeof(sb_cell)));
    sb_transport_client_queue_connect(c, config->password);
    c->config.name = c->config.password = (sb_span){ NULL, 0 }; /* borrowed: no longer valid */
    return c;
}

/* Ends the session. Acks that are due may still leave, so that the host knows that its last message
 * arrived. */
static bool end_session(sb_transport_client *c, sb_leave_reason reason, uint8_t boot_reason,
                        sb_transport_event *event)
{
    c->state = SB_CLIENT_OVER;
    c->link.only_control = true; /* asks for no marks */
    sb_link_clear(&c->link);
    if (c->link.waits_for_id) sb_acks_init(&c->link.acks); /* without an id no Ack can be sent */
    c->link.keeps_alive = false;
    *event = (sb_transport_event){ .type = SB_EVENT_LEFT,
                                   .peer_id = c->joined ? c->id : SB_PEER_NONE,
                                   .reason = reason,
                                   .boot_reason = boot_reason,
                                   .address = c->config.server };
    return true;
}

static void advance_clock(sb_transport_client *c, sb_time now)
{
    if (now > c->now) c->now = sb_transport_clamp_time(now);
}

void sb_transport_client_leave(sb_transport_client *c, sb_time now)
{
    advance_clock(c, now);
    if (c->state != SB_CLIENT_CONNECTING && c->state != SB_CLIENT_CONNECTED) return;
    if (sb_transport_client_is_confirming(c)) sb_transport_client_take_first_id(c);
    c->joined_pending = false;
    bool connected = c->state == SB_CLIENT_CONNECTED;
    c->state = SB_CLIENT_LEAVING;
    c->leaving_at = c->now;
    c->link.only_control = true;
    c->link.keeps_alive = false;
    c->link.outbox.pace = SB_PACE_LEAVING;
    sb_outbox_clear_data(&c->link.outbox);
    sb_inbox_clear(&c->link.inbox);
    if (connected) sb_transport_client_queue_disconnect(c);
    else sb_outbox_clear(&c->link.outbox); /* the host has no session to end */
}

/* ---- datagrams in ---- */

static sb_result check_datagram(sb_transport_client *c, sb_endpoint from, sb_span datagram)
{
    const sb_endpoint *server = &c->config.server;
    if (datagram.size < 2)
        return sb_link_refuse(&c->counters, SB_TRANSPORT_COUNT_TOO_SHORT, SB_TRUNCATED);
    if (datagram.size > SB_DATAGRAM_ACCEPTED)
        return sb_link_refuse(&c->counters, SB_TRANSPORT_COUNT_TOO_LONG, SB_BAD_VALUE);
    uint8_t id = datagram.data[0];
    if (id == SB_GAMESPY_BYTE)
        return sb_link_refuse(&c->counters, SB_TRANSPORT_COUNT_NOT_GAME, SB_NOT_ALLOWED);
    if (from.address != server->address || from.port != server->port)
        return sb_link_refuse(&c->counters, SB_TRANSPORT_COUNT_UNKNOWN_SOURCE, SB_NOT_ALLOWED);
    if (id != SB_PEER_HOST && id != SB_PEER_NONE && !sb_transport_client_is_id(id))
        return sb_link_refuse(&c->counters, SB_TRANSPORT_COUNT_BAD_ID, SB_BAD_VALUE);
    if (id != SB_PEER_HOST)
        return sb_link_refuse(&c->counters, SB_TRANSPORT_COUNT_WRONG_DIRECTION, SB_NOT_ALLOWED);
    if (c->state == SB_CLIENT_OVER)
        return sb_link_refuse(&c->counters, SB_TRANSPORT_COUNT_LATE, SB_NOT_ALLOWED);
    return SB_OK;
}

/* Shows the datagram that the host goes on, although it has said goodbye? A host that has removed
 * the client does not answer marks, one that stops does so for a short time. To a cautious client
 * nothing else is a sign of life. */
static bool refutes_departure(sb_transport_client *c)
{
    const sb_datagram *datagram = &c->incoming.datagram;
    bool               answers = c->incoming.proven && !(datagram->kinds & SB_HAS_FAREWELL);
    bool               late = c->now - c->departure.received_at >= farewell_time;
    if (answers && (late || c->is_cautious)) return sb_departure_refute(&c->departure, c->now);
    return !c->is_cautious && sb_departure_note(&c->departure, c->now, datagram);
}

static void count_received(sb_transport_client *c, size_t size)
{
    SB_COUNT(c->counters.values, SB_TRANSPORT_COUNT_DATAGRAMS_IN);
    c->counters.values[SB_TRANSPORT_COUNT_BYTES_IN] += size;
    c->counters.values[SB_TRANSPORT_COUNT_MESSAGES_IN] += c->incoming.datagram.message_count;
}

/* Reads a datagram that came before a cautious client knows its id; true: that was all of it. */
static bool read_unproven_answer(sb_transport_client *c, const sb_datagram *datagram)
{
    if (c->state != SB_CLIENT_CONNECTING || !c->is_cautious) return false;
    return !sb_transport_client_read_connecting(c, datagram);
}

sb_result sb_transport_client_receive(sb_transport_client *c, sb_time now, sb_endpoint from,
                                      sb_span datagram)
{
    SB_ASSERT(!c->reading); /* the caller drained all events */
    advance_clock(c, now);
    sb_result result = check_datagram(c, from, datagram);
    if (result != SB_OK) return result;
    const sb_datagram *opened = &c->incoming.datagram;
    sb_signs           signs;
    result = sb_link_open_incoming(&c->counters, c->plain, datagram, &c->incoming);
    if (result != SB_OK) return result;
    if (read_unproven_answer(c, opened)) {
        count_received(c, datagram.size);
        return SB_OK;
    }
    sb_link_find_signs(&c->link, c->now, opened, &signs);
    result = sb_link_check_signs(&c->link, c->now, opened, &signs);
    if (result != SB_OK) return result;
    sb_link_start_reading(&c->link, c->now, &signs, &c->incoming);
    c->reading = true;
    c->link.heard_at = c->now;
    if (c->state == SB_CLIENT_CONNECTED && refutes_departure(c))
        SB_COUNT(c->counters.values, SB_TRANSPORT_COUNT_FORGED_DISCONNECT);
    count_received(c, datagram.size);
    return SB_OK;
}

/* ---- control messages in ---- */

static bool refuse_control(sb_transport_client *c)
{
    SB_COUNT(c->counters.values, SB_TRANSPORT_COUNT_BAD_CONTROL);
    return false;
}

static bool report_joined(sb_transport_client *c, sb_transport_event *event)
{
    if (!c->joined_pending) return false;
    c->joined_pending = false;
    c->joined = true;
    *event = (sb_transport_event){ .type = SB_EVENT_JOINED,
                                   .peer_id = c->id,
                                   .address = c->config.server };
    return true;
}

static bool handle_response(sb_transport_client *c, sb_span payload, sb_transport_event *event)
{
    if (!sb_transport_client_handle_response(c, payload)) return refuse_control(c);
    return report_joined(c, event);
}

static bool handle_name(sb_transport_client *c, sb_span payload, sb_transport_event *event)
{
    if (payload.size < 5) return refuse_control(c);
    uint8_t id = payload.data[0];
    sb_player_name_clean(&c->announced_name, (sb_span){ payload.data + 5, payload.size - 5 }, id);
    *event = (sb_transport_event){ .type = SB_EVENT_NAMED,
                                   .peer_id = id,
                                   .address = c->config.server,
                                   .bytes = sb_player_name_text(&c->announced_name) };
    return true;
}

static bool report_departure(const sb_transport_client *c, uint8_t id, sb_leave_reason reason,
                             uint8_t boot_reason, sb_transport_event *event)
{
    *event = (sb_transport_event){ .type = SB_EVENT_LEFT,
                                   .peer_id = id,
                                   .reason = reason,
                                   .boot_reason = boot_reason,
                                   .address = c->config.server };
    return true;
}

static bool handle_boot(sb_transport_client *c, sb_span payload, sb_transport_event *event)
{
    if (payload.size < 2) return refuse_control(c);
    uint8_t reason = payload.data[0], id = payload.data[1];
    if (id != c->id && id != SB_PEER_NONE)
        return report_departure(c, id, SB_LEFT_BOOTED, reason, event);
    sb_transport_client_start_departure(c, SB_LEFT_BOOTED, reason);
    return false;
}

/* A Disconnect for the host or for this client means that the host stops (spec 01 §6.9). */
static bool handle_disconnect(sb_transport_client *c, sb_span payload, sb_transport_event *event)
{
    if (payload.size < 1) return refuse_control(c);
    uint8_t id = payload.data[0];
    if (id != c->id && id != SB_PEER_HOST && id != SB_PEER_NONE)
        return report_departure(c, id, SB_LEFT_QUIT, 0, event);
    sb_transport_client_start_departure(c, SB_LEFT_HOST_CLOSED, 0);
    return false;
}

static bool handle_control(sb_transport_client *c, const sb_delivered *m, sb_transport_event *event)
{
    if (c->state == SB_CLIENT_LEAVING) return false; /* others do not matter any more */
    switch (m->type) {
    case SB_TRANSPORT_CONNECT: return handle_response(c, m->payload, event);
    case SB_TRANSPORT_NAME: return handle_name(c, m->payload, event);
    case SB_TRANSPORT_BOOT: return handle_boot(c, m->payload, event);
    case SB_TRANSPORT_DISCONNECT: return handle_disconnect(c, m->payload, event);
    default: return false;
    }
}

/* ---- events ---- */

static bool next_message(sb_transport_client *c, sb_transport_event *event)
{
    sb_delivered m;
    while (c->reading) {
        if (!sb_link_next_message(&c->link, c->now, &c->incoming, c->assembly_buffer, &m)) {
            c->reading = false;
            return false;
        }
        if (m.type != SB_TRANSPORT_DATA) {
            if (handle_control(c, &m, event)) return true;
            continue;
        }
        *event = (sb_transport_event){ .type = SB_EVENT_MESSAGE,
                                       .peer_id = SB_PEER_HOST,
                                       .delivery = m.delivery,
                                       .address = c->config.server,
                                       .bytes = m.payload };
        return true;
    }
    return false;
}

/* Also true for a client that left before it was connected: no Disconnect was queued. */
static bool is_disconnect_acknowledged(const sb_transport_client *c)
{
    return c->state == SB_CLIENT_LEAVING && sb_outbox_unacknowledged(&c->link.outbox) == 0 &&
           sb_outbox_queued(&c->link.outbox) == 0;
}

/* When an established session ends if nothing arrives, and why. */
static sb_time connection_ends_at(const sb_transport_client *c, sb_leave_reason *reason)
{
    sb_time silent = c->link.heard_at + c->config.timeout_us;
    sb_time stalled = c->queue_overflowed ? c->now : sb_link_stalls_at(&c->link);
    *reason = stalled < silent ? SB_LEFT_STALLED : SB_LEFT_TIMED_OUT;
    return sb_time_earlier(silent, stalled);
}

/* When the end that the host has told takes effect. A cautious client asks the host, but not longer
 * than the host may be silent. To others, Acks do not show whether a host goes on: as long as they
 * come, one second without Data is not enough. */
static sb_time departs_at(const sb_transport_client *c)
{
    const sb_departure *d = &c->departure;
    sb_time             heard_at = c->link.heard_at, at = sb_departure_ends_at(d, heard_at);
    if (at == SB_TIME_NEVER) return at;
    if (c->link.cautious) return sb_time_earlier(at, heard_at + farewell_silence);
    if (c->state != SB_CLIENT_CONNECTED) return at;
    sb_time quiet = sb_time_earlier(heard_at + SB_SECOND, d->received_at + farewell_silence);
    return quiet > at ? quiet : at;
}

/* The earlier one of `ends_at` and of the end that the host has told. */
static sb_time or_departure(const sb_transport_client *c, sb_time ends_at, sb_leave_reason *reason)
{
    sb_time departs = departs_at(c);
    if (departs > ends_at) return ends_at;
    *reason = c->departure_reason;
    return departs;
}

static sb_time ends_at(const sb_transport_client *c, sb_leave_reason *reason)
{
    *reason = SB_LEFT_QUIT;
    switch (c->state) {
    case SB_CLIENT_CONNECTING:
        *reason = SB_LEFT_NO_ANSWER;
        return or_departure(c, c->started_at + c->config.connect_limit_us, reason);
    case SB_CLIENT_CONNECTED: return or_departure(c, connection_ends_at(c, reason), reason);
    case SB_CLIENT_LEAVING:
        return is_disconnect_acknowledged(c) ? c->now : c->leaving_at + leave_limit;
    case SB_CLIENT_OVER: break;
    }
    return SB_TIME_NEVER;
}

bool sb_transport_client_next_event(sb_transport_client *c, sb_time now, sb_transport_event *event)
{
    sb_leave_reason reason;
    advance_clock(c, now);
    if (report_joined(c, event) || next_message(c, event)) return true;
    if (ends_at(c, &reason) > c->now) return false;
    return end_session(c, reason, reason == SB_LEFT_BOOTED ? c->departure_boot_reason : 0, event);
}

/* ---- out ---- */

size_t sb_transport_client_write(sb_transport_client *c, sb_time now, uint8_t *out)
{
    uint32_t reliable;
    advance_clock(c, now);
    sb_budget_refill(&c->datagrams, c->now, DATAGRAMS_PER_S, DATAGRAMS_BURST);
    if (!sb_budget_has(&c->datagrams, 1)) return 0;
    size_t size = sb_transport_client_write_question(c, out);
    if (size == 0) size = sb_link_write_datagram(&c->link, c->now, c->id, out, &reliable);
    if (size == 0) return 0;
    sb_budget_spend(&c->datagrams, 1);
    sb_encrypt_datagram(out, size);
    return size;
}

sb_time sb_transport_client_next_deadline(const sb_transport_client *c)
{
    sb_leave_reason reason;
    sb_time         write = sb_link_write_at(&c->link);
    sb_time         paced = sb_budget_ready_at(&c->datagrams, 1, DATAGRAMS_PER_S);
    if (sb_transport_client_is_confirming(c)) write = sb_time_earlier(write, c->ids.ask_at);
    if (write != SB_TIME_NEVER && write < paced) write = paced;
    sb_time at = sb_time_earlier(write, ends_at(c, &reason));
    return c->reading || c->joined_pending || at < c->now ? c->now : at;
}

sb_result sb_transport_client_send(sb_transport_client *c, sb_delivery delivery, sb_span message)
{
    if (c->state != SB_CLIENT_CONNECTED || c->queue_overflowed) return SB_NOT_ALLOWED;
    sb_result result = sb_outbox_queue_data(&c->link.outbox, delivery, message);
    if (result == SB_FULL && delivery == SB_UNRELIABLE)
        SB_COUNT(c->counters.values, SB_TRANSPORT_COUNT_DROPPED_UNRELIABLE);
    else if (result == SB_FULL) c->queue_overflowed = true;
    return result;
}

size_t sb_transport_client_free_bytes(const sb_transport_client *c)
{
    return c->state == SB_CLIENT_CONNECTED && !c->queue_overflowed
               ? sb_outbox_free_bytes(&c->link.outbox)
               : 0;
}

sb_result sb_transport_client_rename(sb_transport_client *c, sb_span name)
{
    if (c->state == SB_CLIENT_OVER || c->state == SB_CLIENT_LEAVING) return SB_NOT_ALLOWED;
    sb_player_name_clean(&c->name, name, c->id);
    if (c->state == SB_CLIENT_CONNECTED) sb_transport_client_queue_name(c);
    return c->queue_overflowed ? SB_FULL : SB_OK;
}

bool sb_transport_client_is_over(const sb_transport_client *c)
{
    return c->state == SB_CLIENT_OVER && c->link.acks.fresh == c->link.acks.end;
}

uint8_t sb_transport_client_id(const sb_transport_client *c)
{
    return c->id;
}

bool sb_transport_client_peer(const sb_transport_client *c, sb_peer_info *info)
{
    *info = (sb_peer_info){ .peer_id = SB_PEER_HOST, .address = c->config.server };
    sb_link_info(&c->link, c->now, info);
    return c->state == SB_CLIENT_CONNECTED || c->state == SB_CLIENT_LEAVING;
}

uint64_t sb_transport_client_counter(const sb_transport_client *c, sb_transport_counter counter)
{
    return counter < SB_TRANSPORT_COUNTER_COUNT ? c->counters.values[counter] : 0;
}

/* ---- for tests (testing.h) ---- */

void sb_transport_client_check(const sb_transport_client *c)
{
    sb_link_check(&c->link);
    SB_ASSERT((c->id == SB_PEER_NONE) || c->state != SB_CLIENT_CONNECTING);
    SB_ASSERT(c->link.inbox.assembly.guaranteed + c->cells.grants_left ==
              divide_cells(c->config.cells).assembly);
    SB_ASSERT(c->link.outbox.account.used + c->link.inbox.account.used +
                  c->link.inbox.assembly.used <=
              c->config.cells);
}

void sb_transport_client_set_numbers(sb_transport_client *c, uint16_t send, uint16_t expect)
{
    sb_link_set_numbers(&c->link, send, expect);
}

bool sb_transport_client_expects(const sb_transport_client *c, const sb_transport_message *ack)
{
    return sb_outbox_expects(&c->link.outbox, ack);
}

bool sb_transport_client_has(const sb_transport_client *c, const sb_transport_message *ack)
{
    return sb_inbox_has(&c->link.inbox, ack);
}
