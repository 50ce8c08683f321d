/* src/inspect/dissector.c -- decrypts and splits datagrams, follows sequence numbers, joins
 * fragments and decodes messages.
 */
#include "inspect/dissector.h"

#include <starbase/cipher.h>
#include <starbase/gamespy.h>
#include <starbase/message.h>
#include <starbase/ship_state.h>

#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/compiler.h"
#include "inspect/conversation.h"
#include "inspect/lru.h"
#include "inspect/reassembly.h"
#include "inspect/show.h"

typedef struct known_object {
    const sb_ship_class *ship; /* NULL: no subsystem list of its species is known */
} known_object;

struct sb_dissector {
    uint16_t            port;
    const sb_ship_set  *ships;
    sb_message_context  fallback; /* context of objects whose creation was not seen */
    bool                fixed_layout;
    sb_dissector_counts counts;
    uint64_t            first_record, first_datagram;
    uint64_t            session; /* number of the newest session */

    sb_lru           conversation_index;
    sb_conversation *conversations;
    sb_lru           object_index; /* key: host and object id, as the host relays all creations */
    known_object    *objects;
    sb_reassembly    reassembly;

    sb_record  record; /* members about the datagram are set once per datagram */
    sb_message message;
    uint8_t    plain[SB_DISSECTOR_BATCH_MAX][SB_DATAGRAM_ACCEPTED];
};

/* ---- memory ---- */

typedef struct memory_plan {
    sb_dissector_options options; /* with defaults filled in */
    size_t               conversation_index, conversations, object_index, objects, reassembly, end;
} memory_plan;

static size_t reserve(size_t *end, size_t bytes)
{
    size_t at = (*end + 15) / 16 * 16;
    *end = at + bytes;
    return at;
}

static memory_plan plan_memory(const sb_dissector_options *options)
{
    memory_plan           plan = { .options = *options, .end = sizeof(sb_dissector) };
    sb_dissector_options *o = &plan.options;
    if (o->conversations == 0) o->conversations = SB_DISSECTOR_CONVERSATIONS;
    if (o->objects == 0) o->objects = SB_DISSECTOR_OBJECTS;
    if (o->reassemblies == 0) o->reassemblies = SB_DISSECTOR_REASSEMBLIES;
    if (!o->ships) o->ships = sb_stock_ships();
    plan.conversation_index = reserve(&plan.end, sb_lru_bytes(o->conversations));
    plan.conversations = reserve(&plan.end, o->conversations * sizeof(sb_conversation));
    plan.object_index = reserve(&plan.end, sb_lru_bytes(o->objects));
    plan.objects = reserve(&plan.end, o->objects * sizeof(known_object));
    plan.reassembly = reserve(&plan.end, sb_reassembly_bytes(o->reassemblies));
    return plan;
}

size_t sb_dissector_bytes(const sb_dissector_options *options)
{
    return plan_memory(options).end;
}

sb_dissector *sb_dissector_init(void *memory, const sb_dissector_options *options)
{
    memory_plan   plan = plan_memory(options);
    uint8_t      *base = memory;
    sb_dissector *d = memory;
    d->port = plan.options.port;
    d->ships = plan.options.ships;
    d->fallback = plan.options.fallback;
    d->fixed_layout = plan.options.fixed_layout;
    d->counts = (sb_dissector_counts){ 0 };
    d->session = 0;
    d->first_record = plan.options.first_record;
    d->first_datagram = plan.options.first_datagram;
    d->record = (sb_record){ .has_time = true, .has_endpoints = true, .file = plan.options.file };
    sb_lru_init(&d->conversation_index, base + plan.conversation_index, plan.options.conversations);
    d->conversations = (sb_conversation *)(void *)(base + plan.conversations);
    sb_lru_init(&d->object_index, base + plan.object_index, plan.options.objects);
    d->objects = (known_object *)(void *)(base + plan.objects);
    sb_reassembly_init(&d->reassembly, base + plan.reassembly, plan.options.reassemblies);
    return d;
}

/* ---- conversations ---- */

static uint64_t endpoint_key(sb_endpoint e)
{
    return (uint64_t)e.address << 16 | e.port;
}

static sb_conversation *conversation_of(sb_dissector *d, sb_endpoint host, sb_endpoint client)
{
    sb_lru_key key = { endpoint_key(host), endpoint_key(client) };
    uint32_t   at = sb_lru_find(&d->conversation_index, key);
    if (SB_UNLIKELY(at == SB_LRU_NONE)) {
        bool evicted;
        at = sb_lru_add(&d->conversation_index, key, &evicted);
        if (evicted) d->counts.conversations_evicted++;
        sb_conversation_init(&d->conversations[at], host, client, ++d->session);
        d->counts.sessions++;
    }
    return &d->conversations[at];
}

/* Byte 0 shows which side sent the datagram (spec 01 §1.1). If it is no valid peer id, the host's
 * port decides. */
static sb_side side_of(const sb_dissector *d, uint8_t peer_id, const sb_packet *packet)
{
    if (peer_id == SB_PEER_HOST) return SB_SIDE_HOST;
    if (peer_id == SB_PEER_NONE || (peer_id > SB_PEER_HOST && peer_id <= 0x7F))
        return SB_SIDE_CLIENT;
    if (d->port == 0 || packet->source.port == packet->destination.port) return SB_SIDE_UNKNOWN;
    return packet->source.port == d->port ? SB_SIDE_HOST : SB_SIDE_CLIENT;
}

/* ---- learning from messages ---- */

static void learn_object(sb_dissector *d, const sb_conversation *c, const sb_object_create *object)
{
    if (object->class_id != SB_CLASS_SHIP) return;
    sb_lru_key key = { endpoint_key(c->host), object->object_id };
    uint32_t   at = sb_lru_find(&d->object_index, key);
    if (at == SB_LRU_NONE) {
        bool evicted;
        at = sb_lru_add(&d->object_index, key, &evicted);
        if (evicted) d->counts.objects_evicted++;
    }
    d->objects[at].ship = sb_find_ship(d->ships, object->species);
}

/* A client's slot is in the Settings that it gets from the host. If no Settings were seen, the id
 * of the client's own ship gives the slot. */
static void learn_from_message(sb_dissector *d, sb_conversation *c, sb_side from,
                               const sb_message *m)
{
    if (m->opcode == SB_OP_SETTINGS && from == SB_SIDE_HOST && m->as.settings.slot < SB_SLOTS)
        c->slot = m->as.settings.slot;
    if (m->opcode != SB_OP_OBJECT_CREATE && m->opcode != SB_OP_PLAYER_OBJECT_CREATE) return;
    learn_object(d, c, &m->as.object_create);
    if (m->opcode == SB_OP_PLAYER_OBJECT_CREATE && from == SB_SIDE_CLIENT && c->slot == SB_NO_SLOT)
        c->slot = sb_slot_of_id(m->as.object_create.object_id);
}

/* Finds the context of a StateUpdate. The decoder needs the context, and the context depends on
 * the object id, so the id is read here first. */
static void find_context(sb_dissector *d, const sb_conversation *c, sb_span payload,
                         sb_message_context *context)
{
    context->ship = NULL;
    context->own = false;
    if (payload.size < 5 || payload.data[0] != SB_OP_STATE_UPDATE) return;
    uint32_t object_id = sb_load_u32(payload.data + 1);
    uint32_t at = sb_lru_find(&d->object_index, (sb_lru_key){ endpoint_key(c->host), object_id });
    if (at == SB_LRU_NONE) context->ship = d->fallback.ship;
    else context->ship = d->objects[at].ship;
    if (c->slot == SB_NO_SLOT && at == SB_LRU_NONE) context->own = d->fallback.own;
    else context->own = d->record.from == SB_SIDE_HOST && sb_slot_of_id(object_id) == c->slot;
}

/* Evidence is collected even if the layout is fixed, because --stats reports it. */
static void find_layout(const sb_dissector *d, sb_conversation *c, sb_record *r)
{
    sb_layout_evidence *shields = &c->flows[r->from == SB_SIDE_HOST].shields;
    sb_shield_layout    before = sb_layout_evidence_layout(shields);
    r->shield_fit = sb_layout_evidence_add(shields, r->context.ship, r->bytes);
    r->context.layout = SB_SHIELD_STOCK;
    if (r->shield_fit == SB_FIT_NO_BLOCK) return;
    r->shield_verdict = sb_layout_evidence_verdict(shields);
    sb_shield_layout learned = sb_layout_evidence_layout(shields);
    r->context.layout = d->fixed_layout ? d->fallback.layout : (uint8_t)learned;
    r->shield_layout_changed = !d->fixed_layout && learned != before;
}

/* ---- records ---- */

static void emit(sb_dissector *d, const sb_record_sink *sink)
{
    d->record.number = d->first_record + ++d->counts.records;
    sink->record(sink->self, &d->record);
}

static void start_record(sb_record *r, sb_layer layer, sb_span bytes)
{
    r->layer = layer;
    r->has_transport = false;
    r->fragment_count = 0;
    r->retransmission = false;
    r->repeated = false;
    r->gap = 0;
    r->late = false;
    r->bytes = bytes;
    r->context = (sb_message_context){ 0 };
    r->shield_fit = SB_FIT_NO_BLOCK;
    r->shield_verdict = SB_LAYOUT_UNKNOWN;
    r->shield_layout_changed = false;
    r->result = SB_OK;
    r->message = NULL;
}

static void set_refusal(sb_record *r, sb_result why, size_t offset, const char *field)
{
    r->result = why;
    r->refusal = (sb_refusal){ why, offset, field };
}

static void emit_message(sb_dissector *d, sb_conversation *c, sb_span payload,
                         const sb_record_sink *sink)
{
    sb_record *r = &d->record;
    r->layer = SB_LAYER_MESSAGE;
    r->bytes = payload;
    r->context.ships = d->ships;
    r->context.definitions = d->fallback.definitions;
    find_context(d, c, payload, &r->context);
    find_layout(d, c, r);
    r->result = sb_decode_message(payload, &r->context, &d->message, &r->refusal);
    if (SB_LIKELY(r->result == SB_OK)) {
        r->message = &d->message;
        learn_from_message(d, c, r->from, &d->message);
    }
    emit(d, sink);
}

static void mark_record(sb_record *r, sb_sighting seen)
{
    bool ack = r->transport.type == SB_TRANSPORT_ACK;
    r->retransmission = seen.copy && !ack;
    r->repeated = seen.copy && ack;
    r->late = seen.late;
    r->gap = seen.gap;
}

/* All fragments of a message share one sequence number, so only the first fragment seen counts as
 * a sighting of that number. */
static void handle_fragment(sb_dissector *d, sb_conversation *c, sb_flow *flow,
                            const sb_record_sink *sink)
{
    sb_record *r = &d->record;
    uint64_t   stream = c->session * 2 + (r->from == SB_SIDE_HOST);
    if (!sb_reassembly_find(&d->reassembly, stream, r->transport.seq))
        mark_record(r, sb_flow_add(flow, &r->transport));
    if (r->retransmission) { /* the whole message was seen before */
        emit(d, sink);
        return;
    }
    sb_span  whole;
    unsigned count;
    switch (sb_reassembly_add(&d->reassembly, stream, &r->transport, &whole, &count)) {
    case SB_FRAGMENT_COMPLETE:
        r->fragment_count = count;
        emit_message(d, c, whole, sink);
        return;
    case SB_FRAGMENT_COPY: r->retransmission = true; break;
    case SB_FRAGMENT_REFUSED: set_refusal(r, SB_BAD_VALUE, 5, "frag_index"); break;
    case SB_FRAGMENT_STORED: break;
    }
    emit(d, sink);
}

static bool is_numbered(const sb_transport_message *m)
{
    return m->reliable || m->type == SB_TRANSPORT_ACK;
}

/* Refuses the record if the receiver could not read the payload of a control message. Data is
 * checked when it is decoded as a message. */
static void check_control(sb_record *r)
{
    sb_control control;
    uint8_t    type = r->transport.type;
    if (type == SB_TRANSPORT_ACK || type == SB_TRANSPORT_NOOP || type == SB_TRANSPORT_DATA) return;
    sb_result result = sb_decode_control(type, r->from, r->transport.payload, &control);
    if (result != SB_OK) set_refusal(r, result, r->transport.reliable ? 5 : 3, "payload");
}

static void handle_transport_message(sb_dissector *d, sb_conversation *c,
                                     const sb_record_sink *sink)
{
    sb_record                  *r = &d->record;
    const sb_transport_message *m = &r->transport;
    sb_flow                    *flow = &c->flows[r->from == SB_SIDE_HOST];
    if (SB_UNLIKELY(r->from == SB_SIDE_CLIENT &&
                    sb_conversation_starts_session(c, m, r->time_us))) {
        if (c->has_traffic) d->counts.sessions++;
        sb_conversation_restart(c, m, ++d->session);
    }
    c->has_traffic = true;
    if (m->type == SB_TRANSPORT_DISCONNECT && r->from == SB_SIDE_CLIENT) c->ended = true;
    if (m->fragment) {
        handle_fragment(d, c, flow, sink);
        return;
    }
    if (is_numbered(m)) mark_record(r, sb_flow_add(flow, m));
    if (m->type == SB_TRANSPORT_DATA && m->payload.size > 0) {
        emit_message(d, c, m->payload, sink);
        return;
    }
    check_control(r);
    emit(d, sink);
}

/* ---- datagrams ---- */

/* Emits the PLAIN record for bytes after the last message, or for a datagram without messages. */
static void finish_datagram(sb_dissector *d, const sb_datagram *datagram,
                            const sb_record_sink *sink)
{
    sb_record *r = &d->record;
    size_t     offset = r->plain.size - datagram->rest.size;
    if (datagram->rest.size == 0 && datagram->message_count > 0) return;
    start_record(r, SB_LAYER_PLAIN, r->plain);
    if (datagram->unknown_type) set_refusal(r, SB_UNKNOWN_OPCODE, offset, "type");
    else if (datagram->rest.size > 0) set_refusal(r, SB_TRAILING, offset, "rest");
    emit(d, sink);
}

static void handle_plain(sb_dissector *d, const sb_packet *packet, sb_span plain,
                         const sb_record_sink *sink)
{
    sb_record  *r = &d->record;
    sb_datagram datagram;
    r->plain = plain;
    r->has_peer_id = plain.size > 0;
    r->peer_id = plain.size > 0 ? plain.data[0] : 0;
    r->from = plain.size > 0 ? side_of(d, r->peer_id, packet) : SB_SIDE_UNKNOWN;
    sb_result result = sb_decode_datagram(plain, &datagram, &r->refusal);
    if (SB_UNLIKELY(result != SB_OK)) {
        start_record(r, SB_LAYER_PLAIN, plain);
        r->result = sb_inspect_datagram(plain, &datagram, &r->refusal);
        emit(d, sink);
        return;
    }
    bool             host = r->from == SB_SIDE_HOST;
    sb_conversation *c = conversation_of(d, host ? packet->source : packet->destination,
                                         host ? packet->destination : packet->source);
    start_record(r, SB_LAYER_TRANSPORT, plain);
    for (size_t at = 0, start = 0; sb_datagram_next(&datagram, &at, &r->transport); start = at) {
        start_record(r, SB_LAYER_TRANSPORT,
                     (sb_span){ datagram.messages.data + start, at - start });
        r->has_transport = true;
        handle_transport_message(d, c, sink);
    }
    if (!host) c->client_last_us = packet->time_us;
    finish_datagram(d, &datagram, sink);
}

/* The first key of a query is one of these words, and a query has no `queryid` (spec 05). All other
 * texts come from a server. */
static sb_side side_of_query(const sb_gamespy_text *text)
{
    static const char *const queries[] = { "status",  "info",    "basic", "rules",
                                           "players", "packets", "echo",  "secure" };
    if (text->count == 0 || sb_gamespy_find(text, "queryid")) return SB_SIDE_HOST;
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        sb_span key = text->pairs[0].key;
        if (key.size == strlen(queries[i]) && memcmp(key.data, queries[i], key.size) == 0)
            return SB_SIDE_CLIENT;
    }
    return SB_SIDE_HOST;
}

static void handle_gamespy(sb_dissector *d, const sb_packet *packet, const sb_record_sink *sink)
{
    sb_record      *r = &d->record;
    sb_gamespy_text text;
    start_record(r, SB_LAYER_GAMESPY, packet->payload);
    r->plain = (sb_span){ 0 };
    r->has_peer_id = false;
    sb_result result = sb_decode_gamespy(packet->payload, &text);
    r->from = side_of_query(&text);
    if (result != SB_OK) set_refusal(r, result, text.fault_offset, NULL);
    emit(d, sink);
}

static void refuse_size(sb_dissector *d, const sb_packet *packet, const sb_record_sink *sink)
{
    sb_record *r = &d->record;
    start_record(r, SB_LAYER_DATAGRAM, packet->payload);
    r->plain = (sb_span){ 0 };
    r->has_peer_id = true;
    r->peer_id = packet->payload.data[0];
    r->from = side_of(d, r->peer_id, packet);
    set_refusal(r, SB_FULL, SB_DATAGRAM_ACCEPTED, "datagram");
    emit(d, sink);
}

static bool is_gamespy(const sb_packet *packet)
{
    return packet->payload.size > 0 && packet->payload.data[0] == SB_GAMESPY_BYTE;
}

/* Decrypts copies of all game datagrams of a batch in one call, which is faster. */
static void decrypt_batch(sb_dissector *d, const sb_packet *packets, size_t count)
{
    sb_cipher_item items[SB_DISSECTOR_BATCH_MAX];
    size_t         item_count = 0;
    for (size_t i = 0; i < count; i++) {
        sb_span payload = packets[i].payload;
        if (payload.size == 0 || payload.size > SB_DATAGRAM_ACCEPTED || is_gamespy(&packets[i]))
            continue;
        memcpy(d->plain[i], payload.data, payload.size);
        items[item_count++] = (sb_cipher_item){ d->plain[i], payload.size };
    }
    sb_decrypt_datagrams(items, item_count);
}

static void handle_packet(sb_dissector *d, const sb_packet *packet, const uint8_t *plain,
                          const sb_record_sink *sink)
{
    sb_record *r = &d->record;
    r->datagram = d->first_datagram + ++d->counts.datagrams;
    r->time_us = packet->time_us;
    r->source = packet->source;
    r->destination = packet->destination;
    if (is_gamespy(packet)) handle_gamespy(d, packet, sink);
    else if (packet->payload.size > SB_DATAGRAM_ACCEPTED) refuse_size(d, packet, sink);
    else handle_plain(d, packet, (sb_span){ plain, packet->payload.size }, sink);
}

void sb_dissector_feed_batch(sb_dissector *d, const sb_packet *packets, size_t count,
                             const sb_record_sink *sink)
{
    while (count > 0) {
        size_t part = count < SB_DISSECTOR_BATCH_MAX ? count : (size_t)SB_DISSECTOR_BATCH_MAX;
        decrypt_batch(d, packets, part);
        for (size_t i = 0; i < part; i++) handle_packet(d, &packets[i], d->plain[i], sink);
        packets += part;
        count -= part;
    }
}

void sb_dissector_feed(sb_dissector *d, const sb_packet *packet, const sb_record_sink *sink)
{
    sb_dissector_feed_batch(d, packet, 1, sink);
}

sb_dissector_counts sb_dissector_counted(const sb_dissector *d)
{
    sb_dissector_counts counts = d->counts;
    counts.reassemblies_evicted = d->reassembly.evicted;
    counts.fragments_refused = d->reassembly.refused;
    return counts;
}

void sb_dissector_check(const sb_dissector *d)
{
    sb_lru_check(&d->conversation_index);
    sb_lru_check(&d->object_index);
    sb_reassembly_check(&d->reassembly);
}
