/* sim/openbc_host.c -- a model of an OpenBC host, with its deviations from the stock game.
 *
 * For:      openbc_host.h.
 * Never:    uses the datagram decoder of src/wire, because this host parses datagrams differently.
 * Spec:     01 §6.9, §12 rows 5-8, 14, 17, 22.
 */
#include "sim/openbc_host.h"

#include <starbase/cipher.h>

#include "base/assert.h"
#include "base/time.h"

#include <stdlib.h>
#include <string.h>

enum { CONTROL, DATA };

void sim_openbc_defaults(sim_openbc_config *config)
{
    *config = (sim_openbc_config){
        .tick_us = 33000,
        .resend_us = 2 * SB_SECOND,
        .resends = 8,
        .timeout_us = 30 * SB_SECOND,
        .name_repeat_us = SB_SECOND,
        .message_limit = 32,
        .eight_bit_numbers = true,
        .plain_fragment_acks = true,
        .refuses_noop = true,
        .closes_with_their_id = true,
    };
}

void sim_openbc_init(sim_openbc_host *host, const sim_openbc_config *config, sb_time now)
{
    memset(host, 0, sizeof *host);
    host->config = *config;
    host->origin = host->next_tick = now;
    host->turn = SIM_OPENBC_CLIENTS;
}

static void report(sim_openbc_host *host, sb_time now, const sim_foreign_event *event)
{
    if (host->config.hook.call) host->config.hook.call(host->config.hook.context, now, event);
}

sim_openbc_client *sim_openbc_find(sim_openbc_host *host, uint8_t peer_id)
{
    for (size_t i = 0; i < SIM_OPENBC_CLIENTS; i++)
        if (host->clients[i].used && host->clients[i].id == peer_id) return &host->clients[i];
    return NULL;
}

static void free_fragments(sim_openbc_client *c)
{
    for (size_t i = 0; i < 256; i++) {
        free(c->fragments[i]);
        c->fragments[i] = NULL;
    }
    c->fragment_total = 0;
}

static void clear_client(sim_openbc_client *c)
{
    free_fragments(c);
    for (size_t i = 0; i < c->outbox_count; i++) free(c->outbox[i]);
    memset(c, 0, sizeof *c);
}

void sim_openbc_clear(sim_openbc_host *host)
{
    for (size_t i = 0; i < SIM_OPENBC_CLIENTS; i++) clear_client(&host->clients[i]);
}

static void drop_client(sim_openbc_host *host, sb_time now, sim_openbc_client *c)
{
    sim_foreign_event event = { .type = SIM_FOREIGN_LEFT, .peer_id = c->id, .address = c->address };
    clear_client(c);
    report(host, now, &event);
}

/* ---- Sending ------------------------------------------------------------------------------ */

static void queue(sim_openbc_host *host, sim_openbc_client *c, uint8_t type, bool reliable,
                  sb_span payload)
{
    size_t            channel = type == SB_TRANSPORT_DATA ? DATA : CONTROL;
    sim_openbc_entry *entry = calloc(1, sizeof *entry);
    SB_ASSERT(entry != NULL);
    SB_ASSERT(payload.size <= sizeof entry->bytes - 5);
    SB_ASSERT(c->outbox_count < SIM_OPENBC_OUTBOX);
    entry->type = type;
    entry->reliable = reliable;
    entry->size = payload.size;
    if (payload.size > 0) memcpy(entry->bytes, payload.data, payload.size);
    if (reliable) entry->number = c->next_number[channel]++;
    if (host->config.eight_bit_numbers) c->next_number[channel] &= 0xFF;
    c->outbox[c->outbox_count++] = entry;
}

static void queue_control(sim_openbc_host *host, sim_openbc_client *c, uint8_t type,
                          const sb_control *control)
{
    uint8_t   bytes[256];
    size_t    size;
    sb_result result = sb_encode_control(type, SB_SIDE_HOST, control, bytes, sizeof bytes, &size);
    SB_ASSERT(result == SB_OK);
    queue(host, c, type, true, (sb_span){ bytes, size });
}

void sim_openbc_send(sim_openbc_host *host, uint8_t peer_id, bool reliable, sb_span message)
{
    sim_openbc_client *c = sim_openbc_find(host, peer_id);
    if (c) queue(host, c, SB_TRANSPORT_DATA, reliable, message);
}

void sim_openbc_stop(sim_openbc_host *host)
{
    for (size_t i = 0; i < SIM_OPENBC_CLIENTS; i++) {
        sim_openbc_client *c = &host->clients[i];
        uint8_t            named = host->config.closes_with_their_id ? c->id : SB_PEER_HOST;
        sb_control         control = { .disconnect = { .peer_id = named } };
        if (c->used) queue_control(host, c, SB_TRANSPORT_DISCONNECT, &control);
        c->name.sends = 0; /* the program ends: no more copies of the Name */
    }
}

static void remove_entry(sim_openbc_client *c, size_t at)
{
    free(c->outbox[at]);
    c->outbox_count--;
    memmove(&c->outbox[at], &c->outbox[at + 1], (c->outbox_count - at) * sizeof *c->outbox);
}

static bool add_entry(sb_datagram_writer *w, const sim_openbc_host *host,
                      const sim_openbc_entry *entry)
{
    sb_transport_message message = { .type = entry->type,
                                     .reliable = entry->reliable,
                                     .priority = entry->type != SB_TRANSPORT_DATA,
                                     .seq = entry->number,
                                     .payload = { entry->bytes, entry->size } };
    return w->data[1] < host->config.message_limit && sb_datagram_writer_add(w, &message) == SB_OK;
}

/* Sends every Ack once. With plain_fragment_acks, the Ack of a fragment has the form of all others:
 * `01 counter 00 flags` (§12 row 6). */
static void add_acks(sim_openbc_host *host, sim_openbc_client *c, sb_datagram_writer *w)
{
    size_t done = 0;
    while (done < c->ack_count && w->data[1] < host->config.message_limit) {
        const uint8_t *ack = c->acks[done];
        if (w->capacity - w->size < ack[4]) break;
        w->data[w->size] = SB_TRANSPORT_ACK;
        memcpy(w->data + w->size + 1, ack, (size_t)ack[4] - 1);
        w->size += ack[4];
        w->data[1]++;
        done++;
    }
    host->totals.acks_out += done;
    c->ack_count -= done;
    memmove(c->acks[0], c->acks[done], c->ack_count * sizeof *c->acks);
}

static bool is_due(const sim_openbc_host *host, const sim_openbc_entry *entry, sb_time now)
{
    return entry->sends == 0 || now >= entry->last_sent + host->config.resend_us;
}

static void add_entries(sim_openbc_host *host, sim_openbc_client *c, sb_time now,
                        sb_datagram_writer *w)
{
    for (size_t i = 0; i < c->outbox_count;) {
        sim_openbc_entry *entry = c->outbox[i];
        if (is_due(host, entry, now)) {
            if (!add_entry(w, host, entry)) return;
            if (entry->sends > 0) host->totals.retransmitted++;
            entry->last_sent = now;
            entry->sends++;
        }
        if (!entry->reliable && entry->sends > 0) remove_entry(c, i);
        else i++;
    }
}

/* Repeats the Name once a second under its first number, acknowledged or not (§12 row 7). */
static void add_name_copy(sim_openbc_host *host, sim_openbc_client *c, sb_time now,
                          sb_datagram_writer *w)
{
    if (c->name.sends == 0 || host->config.name_repeat_us == 0) return;
    if (now < c->name.last_sent + host->config.name_repeat_us) return;
    if (!add_entry(w, host, &c->name)) return;
    c->name.last_sent = now;
    host->totals.name_copies++;
}

static size_t write_client(sim_openbc_host *host, sim_openbc_client *c, sb_time now, uint8_t *out)
{
    sb_datagram_writer w;
    sb_datagram_writer_init(&w, out, SB_DATAGRAM_MAX, SB_PEER_HOST);
    add_acks(host, c, &w);
    add_entries(host, c, now, &w);
    add_name_copy(host, c, now, &w);
    if (out[1] == 0) return 0;
    host->totals.datagrams_out++;
    sb_encrypt_datagram(out, w.size);
    return w.size;
}

size_t sim_openbc_write(sim_openbc_host *host, sb_time now, sb_endpoint *to, uint8_t *out)
{
    while (host->turn < SIM_OPENBC_CLIENTS) {
        sim_openbc_client *c = &host->clients[host->turn++];
        size_t             size = c->used ? write_client(host, c, now, out) : 0;
        if (size == 0) continue;
        *to = c->address;
        return size;
    }
    return 0;
}

/* ---- Reading a datagram ------------------------------------------------------------------- */

/* One message as this host parses it: numbers have one byte. */
typedef struct parsed_message {
    uint8_t type, number;
    uint8_t high; /* second byte of the number, ignored with eight_bit_numbers */
    uint8_t ack_flags, index, total;
    bool    reliable, fragment;
    sb_span payload;
} parsed_message;

static bool parse_sized(const uint8_t *at, size_t left, parsed_message *m, size_t *size)
{
    if (left < 3) return false;
    uint16_t flags_len = (uint16_t)(at[1] | at[2] << 8);
    bool     data = m->type == SB_TRANSPORT_DATA;
    *size = flags_len & (data ? 0x1FFF : 0x3FFF);
    m->reliable = (flags_len & 0x8000) != 0;
    m->fragment = data && (flags_len & 0x2000) != 0;
    size_t header = (m->reliable ? 5u : 3u) + (m->fragment ? 1u : 0u);
    if (*size < header || *size > left) return false;
    if (m->reliable) {
        m->number = at[3];
        m->high = at[4];
    }
    if (m->fragment) m->index = at[header - 1];
    if (m->fragment && m->index == 0) {
        if (*size < header + 1) return false;
        m->total = at[header++];
    }
    m->payload = (sb_span){ at + header, *size - header };
    return true;
}

/* False: this host cannot parse the datagram. */
static bool parse_message(sim_openbc_host *host, const uint8_t *at, size_t left, parsed_message *m,
                          size_t *size)
{
    *m = (parsed_message){ 0 };
    if (left == 0) return false;
    m->type = at[0];
    if (m->type == SB_TRANSPORT_ACK) {
        *size = 4;
        if (left < 4) return false;
        m->number = at[1];
        m->ack_flags = at[3];
        return true;
    }
    if (m->type == SB_TRANSPORT_NOOP) {
        *size = 1;
        if (host->config.refuses_noop) host->totals.refused_noop++;
        return !host->config.refuses_noop;
    }
    if (m->type > SB_TRANSPORT_DISCONNECT && m->type != SB_TRANSPORT_DATA) return false;
    return parse_sized(at, left, m, size);
}

/* Returns how many messages were parsed; -1: the whole datagram is refused. */
static int parse_datagram(sim_openbc_host *host, sb_span plain, parsed_message *messages)
{
    uint32_t count = plain.data[1];
    size_t   at = 2;
    if (count > host->config.message_limit) {
        host->totals.unread += count - host->config.message_limit;
        count = host->config.message_limit;
    }
    for (uint32_t i = 0; i < count; i++) {
        size_t size = 0;
        if (!parse_message(host, plain.data + at, plain.size - at, &messages[i], &size)) return -1;
        at += size;
    }
    return (int)count;
}

/* ---- Receiving ---------------------------------------------------------------------------- */

static void queue_ack(const sim_openbc_host *host, sim_openbc_client *c, const parsed_message *m)
{
    if (c->ack_count == SIM_OPENBC_ACKS) return;
    bool     indexed = m->fragment && !host->config.plain_fragment_acks;
    uint8_t  flags = m->type == SB_TRANSPORT_DATA ? 0 : SB_ACK_LOW_CHANNEL;
    uint8_t *ack = c->acks[c->ack_count++];
    ack[0] = m->number;
    ack[1] = host->config.eight_bit_numbers ? 0 : m->high;
    ack[2] = indexed ? SB_ACK_FRAGMENT : flags;
    ack[3] = m->index;
    ack[4] = indexed ? 5 : 4;
}

static void handle_ack(sim_openbc_host *host, sim_openbc_client *c, const parsed_message *m)
{
    bool low = (m->ack_flags & SB_ACK_LOW_CHANNEL) != 0;
    host->totals.acks_in++;
    for (size_t i = 0; i < c->outbox_count; i++) {
        const sim_openbc_entry *entry = c->outbox[i];
        if (!entry->reliable || entry->sends == 0 || (entry->number & 0xFF) != m->number) continue;
        if ((entry->type != SB_TRANSPORT_DATA) != low) continue;
        remove_entry(c, i);
        return;
    }
    host->totals.acks_unmatched++;
}

static void deliver(sim_openbc_host *host, sim_openbc_client *c, sb_time now, bool reliable,
                    sb_span bytes)
{
    host->totals.delivered++;
    report(host, now,
           &(sim_foreign_event){ .type = SIM_FOREIGN_MESSAGE,
                                 .peer_id = c->id,
                                 .address = c->address,
                                 .reliable = reliable,
                                 .bytes = bytes });
}

static void deliver_if_complete(sim_openbc_host *host, sim_openbc_client *c, sb_time now)
{
    static uint8_t joined[255 * SB_MESSAGE_MAX];
    size_t         size = 0;
    if (c->fragment_total == 0) return;
    for (size_t i = 0; i < c->fragment_total; i++)
        if (!c->fragments[i]) return;
    for (size_t i = 0; i < c->fragment_total; i++) {
        memcpy(joined + size, c->fragments[i], c->fragment_size[i]);
        size += c->fragment_size[i];
    }
    free_fragments(c);
    deliver(host, c, now, true, (sb_span){ joined, size });
}

/* Stores a fragment by its index. A fragment with another number starts a new message. */
static void handle_fragment(sim_openbc_host *host, sim_openbc_client *c, sb_time now,
                            const parsed_message *m)
{
    uint16_t number = (uint16_t)(m->number | m->high << 8);
    if (number != c->fragment_number) free_fragments(c);
    c->fragment_number = number;
    if (m->index == 0) c->fragment_total = m->total;
    free(c->fragments[m->index]);
    c->fragments[m->index] = malloc(m->payload.size + 1);
    SB_ASSERT(c->fragments[m->index] != NULL);
    memcpy(c->fragments[m->index], m->payload.data, m->payload.size);
    c->fragment_size[m->index] = m->payload.size;
    deliver_if_complete(host, c, now);
}

static void handle_name(sim_openbc_host *host, sim_openbc_client *c, sb_time now,
                        const sb_control *control)
{
    for (size_t i = 0; i < SIM_OPENBC_CLIENTS; i++)
        if (host->clients[i].used)
            queue_control(host, &host->clients[i], SB_TRANSPORT_NAME, control);
    c->name = *c->outbox[c->outbox_count - 1]; /* a copy, with its number */
    c->name.sends = 1;
    c->name.last_sent = now;
    report(host, now,
           &(sim_foreign_event){ .type = SIM_FOREIGN_NAMED,
                                 .peer_id = control->name.peer_id,
                                 .address = c->address,
                                 .bytes = control->name.name });
}

static void handle_control(sim_openbc_host *host, sim_openbc_client *c, sb_time now,
                           const parsed_message *m)
{
    sb_control control;
    if (sb_decode_control(m->type, SB_SIDE_CLIENT, m->payload, &control) != SB_OK) return;
    if (m->type == SB_TRANSPORT_NAME) handle_name(host, c, now, &control);
    else if (m->type == SB_TRANSPORT_DISCONNECT && host->config.knows_disconnect)
        drop_client(host, now, c);
}

static void handle_message(sim_openbc_host *host, sim_openbc_client *c, sb_time now,
                           const parsed_message *m)
{
    if (!c->used) return;
    if (m->type == SB_TRANSPORT_ACK) {
        handle_ack(host, c, m);
        return;
    }
    if (m->reliable) queue_ack(host, c, m);
    if (m->type != SB_TRANSPORT_DATA) handle_control(host, c, now, m);
    else if (m->fragment) handle_fragment(host, c, now, m);
    else deliver(host, c, now, m->reliable, m->payload);
}

static sim_openbc_client *find_address(sim_openbc_host *host, sb_endpoint from)
{
    for (size_t i = 0; i < SIM_OPENBC_CLIENTS; i++) {
        sim_openbc_client *c = &host->clients[i];
        if (c->used && c->address.address == from.address && c->address.port == from.port) return c;
    }
    return NULL;
}

static sim_openbc_client *accept_client(sim_openbc_host *host, sb_time now, sb_endpoint from)
{
    for (size_t i = 0; i < SIM_OPENBC_CLIENTS; i++) {
        sim_openbc_client *c = &host->clients[i];
        if (c->used) continue;
        c->used = true;
        c->id = (uint8_t)(i + 2);
        c->address = from;
        sb_control control = { .connect_response = { c->id } };
        queue_control(host, c, SB_TRANSPORT_CONNECT, &control);
        if (host->config.first_message.size > 0)
            queue(host, c, SB_TRANSPORT_DATA, true, host->config.first_message);
        report(
            host, now,
            &(sim_foreign_event){ .type = SIM_FOREIGN_JOINED, .peer_id = c->id, .address = from });
        return c;
    }
    return NULL;
}

void sim_openbc_receive(sim_openbc_host *host, sb_time now, sb_endpoint from, sb_span datagram)
{
    uint8_t        plain[SB_DATAGRAM_ACCEPTED];
    parsed_message messages[255];
    if (datagram.size < 2 || datagram.size > sizeof plain || datagram.data[0] == SB_GAMESPY_BYTE)
        return;
    memcpy(plain, datagram.data, datagram.size);
    sb_decrypt_datagram(plain, datagram.size);
    int count = parse_datagram(host, (sb_span){ plain, datagram.size }, messages);
    host->totals.refused += count < 0;
    if (count < 0) return;
    sim_openbc_client *c = find_address(host, from);
    if (!c && count > 0 && messages[0].type == SB_TRANSPORT_CONNECT)
        c = accept_client(host, now, from);
    if (!c) return;
    c->heard_at = now;
    host->totals.datagrams_in++;
    for (int i = 0; i < count; i++) handle_message(host, c, now, &messages[i]);
}

/* ---- Time --------------------------------------------------------------------------------- */

static bool has_exhausted_resends(const sim_openbc_host *host, const sim_openbc_client *c,
                                  sb_time now)
{
    for (size_t i = 0; i < c->outbox_count; i++) {
        const sim_openbc_entry *entry = c->outbox[i];
        if (entry->sends > host->config.resends && is_due(host, entry, now)) return true;
    }
    return false;
}

static void expire_client(sim_openbc_host *host, sim_openbc_client *c, sb_time now)
{
    bool silent = now >= c->heard_at + host->config.timeout_us;
    bool unacknowledged = has_exhausted_resends(host, c, now);
    if (!silent && !unacknowledged) return;
    host->totals.timed_out += silent;
    host->totals.gave_up += unacknowledged;
    drop_client(host, now, c);
}

void sim_openbc_tick(sim_openbc_host *host, sb_time now)
{
    for (size_t i = 0; i < SIM_OPENBC_CLIENTS; i++)
        if (host->clients[i].used) expire_client(host, &host->clients[i], now);
    if (now < host->next_tick) return;
    host->turn = 0;
    sb_time ticks = (now - host->origin) / host->config.tick_us;
    host->next_tick = host->origin + (ticks + 1) * host->config.tick_us;
}

static sb_time client_deadline(const sim_openbc_host *host, const sim_openbc_client *c)
{
    sb_time due = c->heard_at + host->config.timeout_us;
    if (c->ack_count > 0) return 0;
    if (c->name.sends > 0 && host->config.name_repeat_us > 0)
        due = sb_time_earlier(due, c->name.last_sent + host->config.name_repeat_us);
    for (size_t i = 0; i < c->outbox_count; i++) {
        if (c->outbox[i]->sends == 0) return 0;
        due = sb_time_earlier(due, c->outbox[i]->last_sent + host->config.resend_us);
    }
    return due;
}

sb_time sim_openbc_next_deadline(const sim_openbc_host *host)
{
    sb_time first = SB_TIME_NEVER;
    for (size_t i = 0; i < SIM_OPENBC_CLIENTS; i++)
        if (host->clients[i].used)
            first = sb_time_earlier(first, client_deadline(host, &host->clients[i]));
    if (first == SB_TIME_NEVER) return first;
    if (first <= host->next_tick) return host->next_tick;
    sb_time ticks = (first - host->origin + host->config.tick_us - 1) / host->config.tick_us;
    return host->origin + ticks * host->config.tick_us;
}
