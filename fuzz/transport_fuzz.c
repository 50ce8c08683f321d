/* fuzz/transport_fuzz.c -- whole sessions of one endpoint: time passes and any datagram may arrive.
 *
 * The input is a script. Byte 0 chooses the endpoint (bit 0: client instead of host) and options of
 * its configuration (bit 7: at the end all sources fall silent and every session must time out).
 * Then follow steps of one byte (low three bits: action, next three: source) with arguments:
 *
 *   0  time passes           1 byte n: n ms if n < 128, else (n - 127) / 2 s
 *   1  a datagram, unchanged length, bytes
 *   2  a datagram, encrypted length, bytes: byte 0 and the count come from the input
 *   3  messages              length, bytes: id and count are added, then encrypted
 *   4  short messages        count and flags, then for each 3 bytes: kind, number (relative),
 *                            size / 6. Flags: without an id (to a client: a question of the host);
 *                            with the Acks of all that the endpoint asked the source; forged: other
 *                            Data under numbers that the source uses
 *   5  the program sends     kind, size code
 *   6  the program calls     boot, trust, close, stop, rename, leave
 *   7  the last datagram arrives again, or datagrams are written
 *
 * Sources at a host: 0-2 are peers that have joined (bit 3 of byte 0: 2 is a house player), 3 and 4
 * are other ports of the addresses of 0 and 1, 5-7 are strangers. At a client: 0 is the host, 1
 * another port of it, the rest strangers.
 *
 * Checked: the endpoint's own invariants in every 16th step; in every step the limits of
 * sb_peer_info, the order of events, the form of datagrams that leave, that a stranger gets at most
 * four times the bytes it sent, that reliable messages arrive once and in order, and that the
 * endpoint comes to rest. The seeds in fuzz/corpus/transport are such scripts, named after their
 * content.
 */
#include <starbase/cipher.h>
#include <starbase/transport.h>

#include "base/assert.h"
#include "options.h"
#include "script.h"
#include "transport/guard.h"
#include "transport/testing.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    SOURCES = 8,
    PEERS = 3,
    HOUSE = 2, /* if the host has house players, this peer is one */
    IDS_USED = 32,
    STEPS_MAX = 20000,
    PAYLOAD_BYTES = 1480,
    HEARD = 16,
    CONFIRMING_MAX = 53, /* messages of a client without an id: five marks, eight answers of six */
    MARK = 0xC7
};

typedef struct source {
    sb_endpoint address;
    uint8_t     id; /* SB_PEER_NONE until the endpoint gave it one */
    bool        connected, ever_joined;
    uint64_t    in, out;      /* bytes */
    uint16_t    base[2];      /* next sequence numbers of short messages: Data, low */
    uint16_t    heard[HEARD]; /* the last numbers by which the endpoint asked for an answer */
    uint32_t    heard_count;
} source;

/* The harness's knowledge of the player with this id. */
typedef struct player {
    bool     joined;
    bool     tainted;  /* got bytes from the script, so that its numbers are unknown */
    bool     numbered; /* `last` is valid */
    uint16_t last;     /* number of the last marked message */
} player;

typedef struct world {
    sb_transport_host   *host;
    sb_transport_client *client;
    sb_time              now;
    uint32_t             message_limit;
    bool                 joined, over; /* client */
    source               sources[SOURCES];
    player               players[256];
    uint32_t             joined_count, step_count;
    uint8_t              last[SB_DATAGRAM_ACCEPTED + 600];
    size_t               last_size;
} world;

/* ---- Output -------------------------------------------------------------------------------- */

/* The source with this address; an endpoint sends to no other address. */
static source *find_source(world *w, sb_endpoint address)
{
    source *found = NULL;
    for (size_t i = 0; i < SOURCES; i++)
        if (w->sources[i].address.address == address.address &&
            w->sources[i].address.port == address.port)
            found = &w->sources[i];
    SB_ASSERT(found != NULL);
    return found;
}

static void check_name(sb_span name)
{
    SB_ASSERT(name.size > 0 && name.size <= 2 * SB_NAME_UNITS && name.size % 2 == 0);
    for (size_t i = 0; i < name.size; i += 2) {
        unsigned unit = name.data[i] | (unsigned)name.data[i + 1] << 8;
        SB_ASSERT(unit >= 0x20 && unit != 0x7F && unit != '\\');
    }
}

/* Marked messages hold their number: they must arrive once and in order. */
static void check_message(player *p, const sb_transport_event *e)
{
    SB_ASSERT(e->bytes.size > 0 && e->bytes.size <= SB_PAYLOAD_MAX);
    static volatile uint8_t sum;
    for (size_t i = 0; i < e->bytes.size; i++) sum = (uint8_t)(sum + e->bytes.data[i]);
    if (p->tainted || e->delivery != SB_RELIABLE || e->bytes.size != 3 || e->bytes.data[0] != MARK)
        return;
    uint16_t number = (uint16_t)(e->bytes.data[1] | e->bytes.data[2] << 8);
    if (p->numbered) SB_ASSERT((int16_t)(uint16_t)(number - p->last) > 0);
    p->numbered = true;
    p->last = number;
}

static void handle_host_event(world *w, const sb_transport_event *e)
{
    player *p = &w->players[e->peer_id];
    SB_ASSERT(e->peer_id >= 2 && e->peer_id < IDS_USED); /* ids are always the lowest free ones */
    SB_ASSERT(p->joined == (e->type != SB_EVENT_JOINED));
    if (e->type == SB_EVENT_JOINED) {
        *p = (player){ .joined = true };
        w->joined_count++;
        source *s = find_source(w, e->address);
        s->ever_joined = true;
        s->id = e->peer_id;
    } else if (e->type == SB_EVENT_LEFT) {
        SB_ASSERT(e->reason < SB_LEFT_REASON_COUNT);
        p->joined = false;
        w->joined_count--;
    } else if (e->type == SB_EVENT_MESSAGE) {
        check_message(p, e);
    } else {
        check_name(e->bytes);
    }
}

static void handle_client_event(world *w, const sb_transport_event *e)
{
    SB_ASSERT(!w->over);
    if (e->type == SB_EVENT_JOINED) {
        SB_ASSERT(!w->joined && e->peer_id == sb_transport_client_id(w->client));
        w->joined = true;
    } else if (e->type == SB_EVENT_MESSAGE) {
        SB_ASSERT(w->joined && e->peer_id == SB_PEER_HOST);
        check_message(&w->players[SB_PEER_HOST], e);
    } else if (e->type == SB_EVENT_NAMED) {
        check_name(e->bytes);
    } else {
        w->over = e->peer_id == sb_transport_client_id(w->client);
    }
}

/* True: there was an event. */
static bool drain_events(world *w)
{
    sb_transport_event e;
    int                steps = 0;
    for (;; steps++) {
        SB_ASSERT(steps < STEPS_MAX);
        if (w->host) {
            if (!sb_transport_host_next_event(w->host, w->now, &e)) break;
            handle_host_event(w, &e);
        } else {
            if (!sb_transport_client_next_event(w->client, w->now, &e)) break;
            handle_client_event(w, &e);
        }
    }
    return steps > 0;
}

/* Marks and questions (spec 01 §5.4, §10.8) are Data without payload or with one known byte. */
static void note_asked(source *to, const sb_transport_message *m)
{
    bool asks = m->type == SB_TRANSPORT_DATA && m->reliable && !m->fragment &&
                (m->payload.size == 0 || sb_guard_is_question(m));
    if (asks) to->heard[to->heard_count++ % HEARD] = m->seq;
}

/* A client that has no id yet asks under the ids that it was told. */
static bool is_own_id(const world *w, uint8_t id)
{
    if (w->host) return id == SB_PEER_HOST;
    return id == sb_transport_client_id(w->client) || (!w->joined && id >= 2 && id < 128);
}

/* Checks a datagram; a Connect response gives the source its id, which short messages use. */
static void check_datagram(world *w, source *to, sb_span plain)
{
    sb_datagram          datagram;
    sb_transport_message m;
    size_t               at = 0;
    sb_result            decoded = sb_decode_datagram(plain, &datagram, NULL);
    SB_ASSERT(decoded == SB_OK);
    SB_ASSERT(datagram.rest.size == 0 && datagram.message_count > 0);
    SB_ASSERT(datagram.message_count <=
              (w->client && !w->joined ? CONFIRMING_MAX : w->message_limit));
    SB_ASSERT(is_own_id(w, datagram.peer_id));
    while (sb_datagram_next(&datagram, &at, &m)) {
        SB_ASSERT(sb_transport_message_bytes(&m) <= SB_MESSAGE_MAX);
        if (w->host && m.type == SB_TRANSPORT_CONNECT) to->id = m.payload.data[0];
        note_asked(to, &m);
    }
}

static void write_all(world *w)
{
    uint8_t     out[SB_DATAGRAM_MAX];
    sb_endpoint address = w->sources[0].address;
    for (int steps = 0;; steps++) {
        SB_ASSERT(steps < STEPS_MAX);
        size_t size = w->host ? sb_transport_host_write(w->host, w->now, &address, out)
                              : sb_transport_client_write(w->client, w->now, out);
        if (size == 0) break;
        SB_ASSERT(size <= SB_DATAGRAM_MAX);
        sb_decrypt_datagram(out, size);
        source *to = find_source(w, address);
        check_datagram(w, to, (sb_span){ out, size });
        to->out += size;
        SB_ASSERT(w->client || to->ever_joined || to->out <= 4 * to->in);
    }
}

static void check_info(const sb_peer_info *info, bool client)
{
    SB_ASSERT(info->unacknowledged <= 2 * 1024 && info->queued <= 3 * 1024);
    SB_ASSERT(info->stored <= (client ? 1280 : 512));
    SB_ASSERT(info->stored_bytes <= (client ? 256 : 128) * 1024);
    SB_ASSERT(info->resend_us >= SB_SECOND / 4 && info->resend_us <= 5 * SB_SECOND);
    SB_ASSERT(info->round_trip_us >= 0);
}

static void check_peers(world *w)
{
    sb_peer_info info;
    if (w->client) {
        if (sb_transport_client_peer(w->client, &info)) check_info(&info, true);
        return;
    }
    SB_ASSERT(sb_transport_host_peer_count(w->host) == w->joined_count);
    for (unsigned id = 2; id < IDS_USED; id++) {
        bool known = sb_transport_host_peer(w->host, (uint8_t)id, &info);
        SB_ASSERT(known == w->players[id].joined);
        if (known) check_info(&info, false);
    }
}

/* Slow: not called in every step. */
static void check_invariants(const world *w)
{
    if (w->host) sb_transport_host_check(w->host);
    else sb_transport_client_check(w->client);
}

/* Drains events and writes datagrams until the endpoint comes to rest. */
static void run_until_idle(world *w)
{
    int steps = 0;
    do {
        drain_events(w);
        write_all(w);
        steps++;
        SB_ASSERT(steps < STEPS_MAX);
    } while (drain_events(w));
    sb_time next = w->host ? sb_transport_host_next_deadline(w->host)
                           : sb_transport_client_next_deadline(w->client);
    SB_ASSERT(next > w->now);
    check_peers(w);
    if (w->step_count++ % 16 == 15) check_invariants(w);
}

/* ---- Input --------------------------------------------------------------------------------- */

static void receive(world *w, source *from, sb_span datagram)
{
    from->in += datagram.size;
    if (w->client) {
        (void)!sb_transport_client_receive(w->client, w->now, from->address, datagram);
    } else {
        uint64_t moved = sb_transport_host_counter(w->host, SB_TRANSPORT_COUNT_REBOUND);
        (void)!sb_transport_host_receive(w->host, w->now, from->address, datagram);
        /* A peer moved to this address: its messages follow. */
        if (sb_transport_host_counter(w->host, SB_TRANSPORT_COUNT_REBOUND) > moved)
            from->ever_joined = true;
    }
    drain_events(w);
}

static void receive_plain(world *w, source *from, size_t size)
{
    w->last_size = size;
    sb_encrypt_datagram(w->last, size);
    receive(w, from, (sb_span){ w->last, size });
}

static uint8_t sender_id(const world *w, const source *from)
{
    return w->client ? SB_PEER_HOST : from->id;
}

/* The script chooses the bytes: numbers and order of this player are unknown from now on. */
static void taint(world *w, const source *from)
{
    w->players[sender_id(w, from)].tainted = true;
    for (size_t i = 0; i < SOURCES; i++) /* an id may also be used from another port */
        w->players[w->sources[i].id].tainted = true;
    if (w->client) w->players[SB_PEER_HOST].tainted = true;
}

/* Length of the first message; 0: none. */
static size_t message_length(sb_span bytes)
{
    if (bytes.size == 0) return 0;
    if (bytes.data[0] == SB_TRANSPORT_NOOP) return 1;
    if (bytes.size < 4) return 0;
    if (bytes.data[0] == SB_TRANSPORT_ACK) return bytes.data[3] & 1 ? 5 : 4;
    unsigned flags_len = bytes.data[1] | (unsigned)bytes.data[2] << 8;
    return flags_len & (bytes.data[0] == SB_TRANSPORT_DATA ? 0x1FFF : 0x3FFF);
}

static uint8_t count_messages(sb_span bytes)
{
    unsigned count = 0;
    while (count < 255) {
        size_t length = message_length(bytes);
        if (length == 0 || length > bytes.size) break;
        bytes.data += length;
        bytes.size -= length;
        count++;
    }
    return (uint8_t)count;
}

static void give_messages(world *w, source *from, sb_span bytes)
{
    taint(w, from);
    w->last[0] = sender_id(w, from);
    w->last[1] = count_messages(bytes);
    if (bytes.size > 0) memcpy(w->last + 2, bytes.data, bytes.size);
    receive_plain(w, from, 2 + bytes.size);
}

/* Kinds of short messages; from NAME on they are control messages. */
enum { ACK, LOW_ACK, FRAGMENT_ACK, NOOP, DATA, LOSE, FRAGMENT, NAME, LEAVE, CONNECT, BOOT, KINDS };

static void make_ack(sb_transport_message *m, uint8_t kind, uint8_t number, uint8_t index)
{
    *m = (sb_transport_message){ .type = SB_TRANSPORT_ACK, .seq = number, .frag_index = index };
    m->ack_flags = kind == LOW_ACK ? SB_ACK_LOW_CHANNEL : kind == ACK ? 0 : SB_ACK_FRAGMENT;
}

/* A fragment of the expected message; a total of 15 modulo 16 moves on to the next message. */
static void make_fragment(sb_transport_message *m, source *from, uint8_t index, uint8_t total)
{
    m->fragment = true;
    m->seq = from->base[0];
    m->frag_index = index;
    m->frag_total = index == 0 && total < 2 ? 2 : total;
    if (total % 16 == 15) from->base[0]++;
}

static void make_control(sb_transport_message *m, const world *w, uint8_t kind, uint8_t id,
                         uint8_t size, uint8_t *payload)
{
    static const uint8_t types[] = { SB_TRANSPORT_NAME, SB_TRANSPORT_DISCONNECT,
                                     SB_TRANSPORT_CONNECT, SB_TRANSPORT_BOOT };
    m->type = types[kind - NAME];
    m->priority = true;
    if (m->payload.size > 64) m->payload.size = 64;
    payload[0] = kind == BOOT ? size : id;
    payload[1] = id;
    if (kind != CONNECT) return;
    m->seq = 0;
    m->payload.size = w->client ? 1 : 10;
    if (w->client) payload[0] = (uint8_t)(2 + size % 8);
}

/* Numbers of a forger: nearby, or up to 4,096 away. */
static int forged_distance(uint8_t number)
{
    int distance = (int8_t)number;
    return distance < -64 || distance > 63 ? distance * 32 : distance;
}

/* Builds one short message. Its number is relative to a base that follows it, so that a script with
 * only zeros sends in order. */
static sb_transport_message make_short_message(const world *w, source *from, script *s, bool forged,
                                               uint8_t *payload)
{
    uint8_t   kind = next_byte(s) % KINDS, number = next_byte(s), size = next_byte(s);
    uint16_t *base = &from->base[kind >= NAME];
    uint16_t  seq = (uint16_t)(*base + (forged ? forged_distance(number) : (int8_t)number));
    size_t    bytes = size * 6u < PAYLOAD_BYTES ? size * 6u : PAYLOAD_BYTES;

    sb_transport_message m = { .type = SB_TRANSPORT_DATA,
                               .reliable = kind != LOSE,
                               .seq = seq,
                               .payload = { payload, bytes } };
    memset(payload, size, bytes);
    if (kind == NOOP) return (sb_transport_message){ .type = SB_TRANSPORT_NOOP };
    if (kind <= FRAGMENT_ACK) make_ack(&m, kind, number, size);
    if (kind == FRAGMENT) make_fragment(&m, from, number, size);
    if (kind >= NAME) make_control(&m, w, kind, sender_id(w, from), size, payload);
    if (kind == DATA) {
        payload[0] = MARK;
        payload[1] = (uint8_t)seq;
        payload[2] = (uint8_t)(seq >> 8);
        m.payload.size = size == 255 ? 0 : 3; /* without payload: a mark (spec 01 §10.8) */
    }
    if (forged && m.type == SB_TRANSPORT_DATA) payload[0] = 0;
    bool numbered = kind == DATA || (kind >= NAME && kind != CONNECT);
    if (numbered && !forged && (int8_t)number >= 0) *base = (uint16_t)(seq + 1);
    return m;
}

/* Writes the Acks of all that the endpoint asked this source. */
static void write_answers(const source *from, sb_datagram_writer *writer)
{
    unsigned count = from->heard_count < HEARD ? from->heard_count : HEARD;
    for (unsigned i = 0; i < count; i++)
        (void)!sb_datagram_writer_add(
            writer, &(sb_transport_message){ .type = SB_TRANSPORT_ACK, .seq = from->heard[i] });
}

/* A host asks whether it is heard (spec 01 §5.4). */
static void write_question(const source *from, uint8_t which, sb_datagram_writer *writer)
{
    enum { NUMBERS = 6 };
    static const uint8_t payload[] = { SB_QUESTION_PAYLOAD };
    uint16_t             number = (uint16_t)(from->base[0] - 3000 - 8 * which);
    for (unsigned i = 0; i < NUMBERS; i++)
        (void)!sb_datagram_writer_add(writer,
                                      &(sb_transport_message){ .type = SB_TRANSPORT_DATA,
                                                               .reliable = true,
                                                               .seq = (uint16_t)(number + i),
                                                               .payload = { payload, 1 } });
}

static void give_short(world *w, source *from, script *s)
{
    static uint8_t     payload[PAYLOAD_BYTES + 8];
    sb_datagram_writer writer;
    uint8_t            head = next_byte(s);
    uint8_t            id = head & 0x80 && w->host ? SB_PEER_NONE : sender_id(w, from);
    sb_datagram_writer_init(&writer, w->last, SB_DATAGRAM_ACCEPTED, id);
    if (head & 0x40) write_answers(from, &writer);
    if (head & 0x80 && w->client) write_question(from, head, &writer);
    if (head & 0x20) taint(w, from);
    for (unsigned count = head & 0x1F; count > 0; count--) {
        sb_transport_message m = make_short_message(w, from, s, head & 0x20, payload);
        if (sb_datagram_writer_add(&writer, &m) != SB_OK) break;
    }
    receive_plain(w, from, writer.size);
}

/* ---- Calls of the program ------------------------------------------------------------------ */

static void send_something(world *w, uint8_t source_index, script *s)
{
    static const uint8_t bytes[SB_PAYLOAD_MAX + 1];
    uint8_t              kind = next_byte(s), code = next_byte(s);
    size_t               size = code < 240 ? code : (size_t)(code - 239) * (code - 239) * 405;
    sb_span              message = { bytes, size <= SB_PAYLOAD_MAX ? size : SB_PAYLOAD_MAX + 1 };
    sb_delivery          delivery = kind & 1 ? SB_RELIABLE : SB_UNRELIABLE;
    unsigned             times = size < 16 ? 1u + (kind >> 1) : size < 240 ? 1u + (kind >> 5) : 1;
    for (unsigned i = 0; i < times; i++) {
        sb_result result = w->host ? sb_transport_host_send(w->host, w->sources[source_index].id,
                                                            delivery, message)
                                   : sb_transport_client_send(w->client, delivery, message);
        if (result != SB_OK) break;
    }
}

static void call_program(world *w, uint8_t source_index, script *s)
{
    uint8_t action = next_byte(s), id = w->sources[source_index].id;
    if (w->client) {
        if (action % 2) sb_transport_client_leave(w->client, w->now);
        else (void)!sb_transport_client_rename(w->client, next_bytes(s, next_byte(s)));
    } else if (action % 8 == 7) {
        sb_transport_host_stop(w->host, w->now);
    } else if (action % 8 < 3) {
        sb_transport_host_boot(w->host, w->now, id, action);
    } else if (action % 8 == 6) {
        sb_transport_host_set_closed(w->host, action & 8);
    } else {
        sb_transport_host_trust(w->host, id);
    }
    drain_events(w);
}

static void pass_time(world *w, uint8_t code)
{
    w->now += code < 128 ? code * SB_SECOND / 1000 : (code - 127) * SB_SECOND / 2;
    run_until_idle(w);
}

/* A peer joins when a script first uses it: most scripts use one or two. */
static void join_peer(world *w, size_t source_index)
{
    static const uint8_t connect[] = { 0xFF, 1,    3,    0x0F, 0xC0, 0, 0, 10, 10,
                                       10,   0xEF, 0xF9, 0x78, 0,    0, 0, 0 };
    source              *s = &w->sources[source_index];
    if (w->client || s->connected) return;
    s->connected = true;
    memcpy(w->last, connect, sizeof connect);
    receive_plain(w, s, sizeof connect);
    write_all(w);
    uint8_t ack[] = { s->id, 1, SB_TRANSPORT_ACK, 0, 0, SB_ACK_LOW_CHANNEL };
    memcpy(w->last, ack, sizeof ack);
    receive_plain(w, s, sizeof ack);
    s->base[1] = 1;
    if (source_index + PEERS < PEERS + 2)
        w->sources[source_index + PEERS].id = s->id; /* the other port uses the same id */
}

static void step(world *w, script *s)
{
    uint8_t action = next_byte(s), source_index = action >> 3 & 7;
    source *from = &w->sources[source_index];
    sb_span bytes;
    if (source_index < PEERS + 2) join_peer(w, source_index % PEERS);
    switch (action & 7) {
    case 0: pass_time(w, next_byte(s)); break;
    case 1:
        taint(w, from);
        receive(w, from, next_bytes(s, next_byte(s)));
        break;
    case 2:
        taint(w, from);
        bytes = next_bytes(s, next_byte(s));
        if (bytes.size > 0) memcpy(w->last, bytes.data, bytes.size);
        receive_plain(w, from, bytes.size);
        break;
    case 3: give_messages(w, from, next_bytes(s, next_byte(s))); break;
    case 4: give_short(w, from, s); break;
    case 5: send_something(w, source_index, s); break;
    case 6: call_program(w, source_index, s); break;
    default:
        if (action & 0x40) run_until_idle(w);
        else receive(w, from, (sb_span){ w->last, w->last_size });
        break;
    }
}

/* ---- Setup --------------------------------------------------------------------------------- */

static void init_sources(world *w)
{
    static const sb_endpoint addresses[SOURCES] = {
        { 0x0A000001, 1000 }, { 0x0A000002, 1000 }, { 0x0A000003, 1000 }, { 0x0A000001, 1001 },
        { 0x0A000002, 1001 }, { 0x0B000001, 1000 }, { 0x0C000001, 1000 }, { 0x0C000001, 1001 },
    };
    for (size_t i = 0; i < SOURCES; i++)
        w->sources[i] = (source){ .address = addresses[i], .id = SB_PEER_NONE };
}

static void open_host(world *w, uint8_t flags)
{
    static void             *memory[2]; /* one per sb_retransmit: the windows differ */
    sb_transport_host_config config;
    sb_transport_host_defaults(&config);
    config.max_peers = 4;
    config.retransmit = flags & 2 ? SB_RETRANSMIT_MEASURED : SB_RETRANSMIT_STOCK;
    config.ack_delay_us = flags & 4 ? 50000 : 0;
    config.hide_addresses = flags & 8;
    config.house = flags & 8;
    if (config.house) w->sources[HOUSE].address.address = 3;
    config.rebind = !(flags & 16);
    config.peers_per_ip = flags & 32 ? 1 : 4;
    if (flags & 64) config.datagrams_per_s = 4;
    /* On the heap with the exact size, so that ASan reports an access beyond it. */
    bool measured = config.retransmit == SB_RETRANSMIT_MEASURED;
    if (!memory[measured]) memory[measured] = malloc(sb_transport_host_bytes(&config));
    SB_ASSERT(memory[measured] != NULL);
    w->host = sb_transport_host_init(memory[measured], &config, w->now);
    w->message_limit = 255;
}

/* The host hears a cautious client under the id that it has given. */
static void confirm_id(world *w)
{
    sb_datagram_writer writer;
    write_all(w);
    sb_datagram_writer_init(&writer, w->last, SB_DATAGRAM_ACCEPTED, SB_PEER_HOST);
    write_answers(&w->sources[0], &writer);
    receive_plain(w, &w->sources[0], writer.size);
}

static void open_client(world *w, uint8_t flags)
{
    static const uint8_t       answer[] = { 1, 2, 1, 0, 0, 2, 3, 6, 0xC0, 0, 0, 2 };
    static void               *memory;
    sb_transport_client_config config;
    sb_transport_client_defaults(&config);
    config.server = w->sources[0].address;
    config.name = (sb_span){ (const uint8_t *)"K\0i\0r\0k", 8 };
    config.retransmit = flags & 2 ? SB_RETRANSMIT_MEASURED : SB_RETRANSMIT_STOCK;
    config.ack_delay_us = flags & 4 ? 50000 : 0;
    config.plain_fragment_acks = !(flags & 8);
    config.eight_bit_host = flags & 16;
    config.seed = 1;
    config.cautious = flags & 64 && !config.eight_bit_host;
    if (!memory) memory = malloc(sb_transport_client_bytes(&config));
    SB_ASSERT(memory != NULL);
    w->client = sb_transport_client_init(memory, &config, w->now);
    w->message_limit = config.message_limit;
    if (config.eight_bit_host) w->players[SB_PEER_HOST].tainted = true; /* numbers wrap at 256 */
    run_until_idle(w);
    if (flags & 32) return; /* stay unconnected */
    memcpy(w->last, answer, sizeof answer);
    receive_plain(w, &w->sources[0], sizeof answer);
    w->sources[0].base[1] = 1;
    if (config.cautious) confirm_id(w);
    SB_ASSERT(w->joined);
}

/* Nothing arrives any more: every session must time out. */
static void check_timeouts(world *w)
{
    check_invariants(w);
    w->now += 100 * SB_SECOND;
    run_until_idle(w);
    check_invariants(w);
    SB_ASSERT(!w->host || w->joined_count == 0);
    SB_ASSERT(!w->client || sb_transport_client_is_over(w->client));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static world w;
    script       s = { data, size };
    if (size > 640) s.left = 640; /* enough to reach every limit, short enough for many runs */
    memset(&w, 0, offsetof(world, last));
    w.now = 1000 * SB_SECOND;
    init_sources(&w);
    uint8_t flags = next_byte(&s);
    if (flags & 1) open_client(&w, flags);
    else open_host(&w, flags);
    run_until_idle(&w);
    while (s.left > 0) step(&w, &s);
    run_until_idle(&w);
    if (flags & 0x80) check_timeouts(&w);
    return 0;
}
