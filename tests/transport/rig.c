/* tests/transport/rig.c -- see rig.h. */

#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RIGS = 8, LENT = 8, LENT_BYTES = SB_PAYLOAD_MAX + 64 };

/* ---- Opening ------------------------------------------------------------------------------- */

/* A failed test ends without cleaning up, so rigs are reused in turn. */
static rig *reuse_rig(size_t bytes)
{
    static rig    rigs[RIGS];
    static size_t next;
    rig          *r = &rigs[next++ % RIGS];
    CHECK(bytes > 0);
    free(r->memory);
    rig_sent  *sent = r->sent ? r->sent : malloc(RIG_SENT_MAX * sizeof *sent);
    rig_event *events = r->events ? r->events : malloc(RIG_EVENTS_MAX * sizeof *events);
    uint8_t   *copies = r->bytes ? r->bytes : malloc(RIG_BYTES_MAX);
    *r = (rig){
        .now = RIG_START, .memory = malloc(bytes), .sent = sent, .events = events, .bytes = copies
    };
    CHECK(r->memory && sent && events && copies);
    memset(r->memory, 0xA5, bytes); /* init must not rely on zeros */
    return r;
}

void rig_host_config(sb_transport_host_config *config)
{
    sb_transport_host_defaults(config);
    config->seed = 0x5EED;
}

void rig_client_config(sb_transport_client_config *config)
{
    sb_transport_client_defaults(config);
    config->server = rig_server();
    config->local_address = 0x0A0A0AEF;
    config->local_port = 0xF978;
    config->name = rig_wide("Kirk");
}

rig *rig_open_host(const sb_transport_host_config *config)
{
    sb_transport_host_config defaults;
    rig_host_config(&defaults);
    if (!config) config = &defaults;
    rig *r = reuse_rig(sb_transport_host_bytes(config));
    r->host = sb_transport_host_init(r->memory, config, r->now);
    CHECK(r->host != NULL);
    return r;
}

rig *rig_open_client(const sb_transport_client_config *config)
{
    sb_transport_client_config defaults;
    rig_client_config(&defaults);
    if (!config) config = &defaults;
    rig *r = reuse_rig(sb_transport_client_bytes(config));
    r->client = sb_transport_client_init(r->memory, config, r->now);
    CHECK(r->client != NULL);
    return r;
}

sb_endpoint rig_endpoint(unsigned number)
{
    return (sb_endpoint){ 0x0A000000u + number, RIG_PORT };
}

sb_endpoint rig_server(void)
{
    return (sb_endpoint){ 0xC0A80001u, 22101 };
}

bool rig_same_endpoint(sb_endpoint a, sb_endpoint b)
{
    return a.address == b.address && a.port == b.port;
}

/* ---- Steps --------------------------------------------------------------------------------- */

static void store_event(rig *r, const sb_transport_event *event)
{
    if (r->event_count == RIG_EVENTS_MAX || r->byte_count + event->bytes.size > RIG_BYTES_MAX)
        FAIL("more events than the rig can store");
    rig_event *stored = &r->events[r->event_count++];
    *stored = (rig_event){ r->now, *event };
    stored->event.bytes.data = r->bytes + r->byte_count;
    if (event->bytes.size > 0)
        memcpy(r->bytes + r->byte_count, event->bytes.data, event->bytes.size);
    r->byte_count += event->bytes.size;
}

/* True: there was an event. */
static bool drain_events(rig *r)
{
    sb_transport_event event;
    int                steps = 0;
    for (;; steps++) {
        memset(&event, 0xA5, sizeof event);
        bool more = r->host ? sb_transport_host_next_event(r->host, r->now, &event)
                            : sb_transport_client_next_event(r->client, r->now, &event);
        if (!more) break;
        if (steps == RIG_STEPS_MAX) FAIL("events without end");
        store_event(r, &event);
    }
    if (r->host) sb_transport_host_check(r->host);
    if (r->client) sb_transport_client_check(r->client);
    return steps > 0;
}

/* Checks the form of a datagram that leaves (spec 01 §3, §4.11, §9). */
static void check_sent(const rig *r, const rig_sent *sent)
{
    sb_datagram datagram;
    CHECK(sent->size >= 3);
    CHECK_EQ(sb_decode_datagram((sb_span){ sent->plain, sent->size }, &datagram, NULL), SB_OK);
    CHECK_EQ(datagram.rest.size, 0);
    CHECK(datagram.message_count > 0);
    uint8_t sender = r->host ? SB_PEER_HOST : sb_transport_client_id(r->client);
    if (sender != SB_PEER_NONE) CHECK_EQ(datagram.peer_id, sender); /* else: also ids it was told */
    for (size_t i = 0; i < datagram.message_count; i++) {
        sb_transport_message m;
        CHECK(rig_message(sent, i, &m));
        CHECK(sb_transport_message_bytes(&m) <= SB_MESSAGE_MAX);
    }
}

static bool write_one(rig *r)
{
    uint8_t     out[SB_DATAGRAM_MAX + 8];
    sb_endpoint to = rig_server();
    memset(out, 0xA5, sizeof out);
    size_t size = r->host ? sb_transport_host_write(r->host, r->now, &to, out)
                          : sb_transport_client_write(r->client, r->now, out);
    if (size == 0) return false;
    CHECK(size <= SB_DATAGRAM_MAX);
    for (size_t i = size; i < sizeof out; i++)
        if (i >= SB_DATAGRAM_MAX) CHECK_EQ(out[i], 0xA5);
    if (r->sent_count == RIG_SENT_MAX) FAIL("more datagrams than the rig can store");
    rig_sent *sent = &r->sent[r->sent_count++];
    *sent = (rig_sent){ .at = r->now, .to = to, .size = size };
    sb_decrypt_datagram(out, size);
    memcpy(sent->plain, out, size);
    check_sent(r, sent);
    return true;
}

static sb_time next_deadline(const rig *r)
{
    return r->host ? sb_transport_host_next_deadline(r->host)
                   : sb_transport_client_next_deadline(r->client);
}

void rig_step(rig *r)
{
    int steps = 0;
    do {
        drain_events(r);
        while (write_one(r))
            if (++steps == RIG_STEPS_MAX) FAIL("datagrams without end");
        if (++steps == RIG_STEPS_MAX) FAIL("steps without end");
    } while (drain_events(r));
    if (next_deadline(r) <= r->now) FAIL("nothing left to do, but a deadline that has passed");
}

void rig_wait_until(rig *r, sb_time at)
{
    rig_step(r);
    for (sb_time due = next_deadline(r); due <= at; due = next_deadline(r)) {
        r->now = due;
        rig_step(r);
    }
    r->now = at;
    rig_step(r);
}

void rig_wait(rig *r, sb_time duration)
{
    rig_wait_until(r, r->now + duration);
}

sb_result rig_receive(rig *r, sb_endpoint from, sb_span datagram)
{
    uint8_t *copy = malloc(datagram.size + 1); /* exact size: ASan reports a read beyond it */
    CHECK(copy != NULL);
    if (datagram.size > 0) memcpy(copy, datagram.data, datagram.size);
    uint8_t  *tight = realloc(copy, datagram.size ? datagram.size : 1);
    sb_span   lent = { tight, datagram.size };
    sb_result result = r->host ? sb_transport_host_receive(r->host, r->now, from, lent)
                               : sb_transport_client_receive(r->client, r->now, from, lent);
    free(tight);
    drain_events(r);
    return result;
}

sb_result rig_give(rig *r, sb_endpoint from, sb_span plain)
{
    uint8_t bytes[4096];
    CHECK(plain.size <= sizeof bytes);
    if (plain.size > 0) memcpy(bytes, plain.data, plain.size);
    sb_encrypt_datagram(bytes, plain.size);
    return rig_receive(r, from, (sb_span){ bytes, plain.size });
}

sb_result rig_give_hex(rig *r, sb_endpoint from, const char *plain)
{
    uint8_t bytes[2048];
    size_t  size = test_hex(plain, bytes, sizeof bytes);
    return rig_give(r, from, (sb_span){ bytes, size });
}

sb_result rig_receive_unchecked(rig *r, sb_endpoint from, sb_span encrypted)
{
    sb_transport_event event;
    sb_result          result = sb_transport_host_receive(r->host, r->now, from, encrypted);
    while (sb_transport_host_next_event(r->host, r->now, &event))
        if (event.type == SB_EVENT_LEFT) rig_step(r);
    return result;
}

unsigned rig_give_until_refused(rig *r, sb_endpoint from, sb_span plain)
{
    uint8_t  bytes[SB_DATAGRAM_ACCEPTED];
    unsigned count = 0;
    memcpy(bytes, plain.data, plain.size);
    sb_encrypt_datagram(bytes, plain.size);
    while (rig_receive_unchecked(r, from, (sb_span){ bytes, plain.size }) == SB_OK)
        CHECK(++count < 100000);
    return count;
}

void rig_give_name(rig *r, sb_endpoint from, uint8_t id, uint16_t seq, sb_span name)
{
    rig_pack p;
    rig_pack_init(&p, id);
    rig_pack_name(&p, seq, id, name);
    GIVE_PACK(r, from, &p);
}

sb_result rig_send(rig *r, uint8_t id, sb_delivery delivery, sb_span bytes)
{
    return sb_transport_host_send(r->host, id, delivery, bytes);
}

void rig_forget(rig *r)
{
    r->sent_count = r->sent_next = 0;
    r->event_count = r->event_next = 0;
    r->byte_count = 0;
}

/* ---- Reading ------------------------------------------------------------------------------- */

const rig_event *rig_next_event(rig *r)
{
    return r->event_next < r->event_count ? &r->events[r->event_next++] : NULL;
}

const rig_sent *rig_next_sent(rig *r)
{
    return r->sent_next < r->sent_count ? &r->sent[r->sent_next++] : NULL;
}

const rig_sent *rig_next_sent_to(rig *r, sb_endpoint to)
{
    const rig_sent *sent;
    do sent = rig_next_sent(r);
    while (sent && !rig_same_endpoint(sent->to, to));
    return sent;
}

bool rig_message(const rig_sent *sent, size_t index, sb_transport_message *out)
{
    sb_datagram datagram;
    size_t      at = 0;
    CHECK_EQ(sb_decode_datagram((sb_span){ sent->plain, sent->size }, &datagram, NULL), SB_OK);
    for (size_t i = 0; sb_datagram_next(&datagram, &at, out); i++)
        if (i == index) return true;
    return false;
}

unsigned rig_message_count(const rig_sent *sent)
{
    return sent->plain[1];
}

unsigned rig_count_sent(const rig *r, sb_endpoint to, uint8_t type)
{
    unsigned count = 0;
    for (size_t i = r->sent_next; i < r->sent_count; i++) {
        sb_transport_message m;
        bool                 found = false;
        if (!rig_same_endpoint(r->sent[i].to, to)) continue;
        for (size_t k = 0; rig_message(&r->sent[i], k, &m); k++) found |= m.type == type;
        count += found;
    }
    return count;
}

uint64_t rig_count(const rig *r, sb_transport_counter counter)
{
    return r->host ? sb_transport_host_counter(r->host, counter)
                   : sb_transport_client_counter(r->client, counter);
}

uint64_t rig_refusals(const rig *r)
{
    uint64_t sum = 0;
    for (int c = 0; c < SB_TRANSPORT_REFUSAL_COUNT; c++)
        sum += rig_count(r, (sb_transport_counter)c);
    return sum;
}

bool rig_info(const rig *r, uint8_t id, sb_peer_info *info)
{
    memset(info, 0, sizeof *info); /* so that two can be compared whole */
    return r->host ? sb_transport_host_peer(r->host, id, info)
                   : sb_transport_client_peer(r->client, info);
}

/* ---- Joining ------------------------------------------------------------------------------- */

/* A question (spec 01 §5.4) has six old Data messages and nothing else. */
static bool is_question(const rig_sent *sent)
{
    sb_transport_message m;
    size_t               old = 0;
    while (rig_message(sent, old, &m) && m.type == SB_TRANSPORT_DATA && m.reliable &&
           m.payload.size == 1 && m.payload.data[0] == 0x04)
        old++;
    return old == 6 && rig_message_count(sent) == 6;
}

bool rig_pack_proof(rig *r, sb_endpoint from, uint8_t id, rig_pack *p)
{
    const rig_sent *question = NULL;
    rig_step(r);
    for (size_t i = 0; i < r->sent_count; i++)
        if (rig_same_endpoint(r->sent[i].to, from) && is_question(&r->sent[i]))
            question = &r->sent[i];
    rig_pack_init(p, id);
    for (size_t i = 0; question && i < 6; i++) {
        sb_transport_message m;
        CHECK(rig_message(question, i, &m));
        rig_pack_ack(p, false, m.seq);
    }
    return question != NULL;
}

bool rig_prove(rig *r, sb_endpoint from, uint8_t id)
{
    rig_pack p;
    return rig_pack_proof(r, from, id, &p) && rig_give(r, from, rig_packed(&p)) == SB_OK;
}

void rig_prove_all(rig *r)
{
    sb_peer_info info;
    rig_wait(r, SB_SECOND); /* the host asks once a second */
    (void)!rig_give_hex(r, rig_endpoint(999), RIG_CONNECT);
    for (unsigned id = 2; id < 128; id++)
        if (rig_info(r, (uint8_t)id, &info)) (void)rig_prove(r, info.address, (uint8_t)id);
    rig_wait(r, SB_SECOND);
    rig_forget(r);
}

void rig_show(rig *r, sb_endpoint from, uint8_t id)
{
    GIVE(r, from, RIG_CONNECT);
    CHECK(rig_prove(r, from, id));
    rig_wait(r, SB_SECOND);
    rig_forget(r);
}

uint8_t rig_told_id(rig *r, sb_endpoint from)
{
    rig_forget(r);
    GIVE(r, from, RIG_CONNECT);
    rig_step(r);
    for (const rig_sent *sent = rig_next_sent_to(r, from); sent; sent = rig_next_sent_to(r, from))
        if (sent->size == 12) return sent->plain[11];
    FAIL("no answer to the Connect");
    return 0;
}

uint8_t rig_join(rig *r, sb_endpoint from)
{
    GIVE(r, from, "FF 01 03 0F C0 00 00 0A 0A 0A EF F9 78 00 00 00 00");
    rig_step(r);
    const rig_sent      *answer = rig_next_sent_to(r, from);
    sb_transport_message m;
    CHECK(answer && rig_message(answer, 1, &m));
    CHECK_EQ(m.type, SB_TRANSPORT_CONNECT);
    uint8_t  id = m.payload.data[0];
    rig_pack p;
    rig_pack_init(&p, id);
    rig_pack_ack(&p, true, 0);
    (void)!rig_give(r, from, rig_packed(&p));
    (void)rig_prove(r, from, id);
    EXPECT_JOINED(r, id);
    rig_wait(r, SB_SECOND);
    rig_forget(r);
    return id;
}

uint8_t rig_join_blindly(rig *r, sb_endpoint from)
{
    uint8_t id = rig_told_id(r, from);
    uint8_t ack[] = { id, 1, 1, 0, 0, 2 };
    CHECK_EQ(rig_give(r, from, (sb_span){ ack, sizeof ack }), SB_OK);
    EXPECT_JOINED(r, id);
    return id;
}

rig *rig_host_with(unsigned peers, const sb_transport_host_config *config)
{
    rig *r = rig_open_host(config);
    for (unsigned i = 1; i <= peers; i++) CHECK_EQ(rig_join(r, rig_endpoint(i)), i + 1);
    return r;
}

rig *rig_stock_host_with(unsigned peers)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.retransmit = SB_RETRANSMIT_STOCK;
    return rig_host_with(peers, &config);
}

void rig_join_client(rig *r, uint8_t id)
{
    rig_step(r);
    rig_pack p;
    rig_pack_init(&p, SB_PEER_HOST);
    rig_pack_ack(&p, true, 0);
    rig_pack_control(&p, SB_TRANSPORT_CONNECT, 0, (sb_span){ &id, 1 });
    GIVE_PACK(r, rig_server(), &p);
    EXPECT_JOINED(r, id);
    rig_step(r); /* its Name */
    rig_pack_init(&p, SB_PEER_HOST);
    rig_pack_ack(&p, true, 1);
    GIVE_PACK(r, rig_server(), &p);
    rig_wait(r, SB_SECOND);
    rig_forget(r);
}

/* ---- Texts and bytes ----------------------------------------------------------------------- */

static uint8_t *lend(void)
{
    static uint8_t  lent[LENT][LENT_BYTES];
    static unsigned next;
    return lent[next++ % LENT];
}

sb_span rig_hex(const char *hex)
{
    static uint8_t  bytes[4][2048];
    static unsigned next;
    uint8_t        *out = bytes[next++ % 4];
    return (sb_span){ out, test_hex(hex, out, sizeof bytes[0]) };
}

sb_span rig_wide(const char *text)
{
    uint8_t *out = lend();
    size_t   size = 0;
    for (; *text; text++) {
        out[size++] = (uint8_t)*text;
        out[size++] = 0;
    }
    return (sb_span){ out, size };
}

sb_span rig_pattern(size_t size, unsigned mark)
{
    uint8_t *out = lend();
    CHECK(size <= LENT_BYTES);
    for (size_t i = 0; i < size; i++) out[i] = (uint8_t)(mark + i * 7 + (i >> 8) * 31);
    return (sb_span){ out, size };
}

static int describe_message(const sb_transport_message *m, char *out, size_t room)
{
    static const char *const names[] = { "Name", "Ack", "NoOp", "Connect", "Boot", "Disconnect" };
    const char              *name = m->type < 6 ? names[m->type] : "Data";
    if (m->type == SB_TRANSPORT_NOOP) return snprintf(out, room, "NoOp");
    if (m->type == SB_TRANSPORT_ACK && m->ack_flags & SB_ACK_FRAGMENT)
        return snprintf(out, room, "Ack %u/%u", m->seq, m->frag_index);
    if (m->type == SB_TRANSPORT_ACK)
        return snprintf(out, room, "Ack %s%u", m->ack_flags ? "low " : "", m->seq);
    if (!m->reliable) return snprintf(out, room, "%s", name);
    if (m->fragment) return snprintf(out, room, "%s %u/%u", name, m->seq, m->frag_index);
    return snprintf(out, room, "%s %u", name, m->seq);
}

const char *rig_describe(const rig_sent *sent)
{
    char                *out = (char *)lend();
    size_t               at = 0;
    sb_transport_message m;
    out[0] = 0;
    for (size_t i = 0; rig_message(sent, i, &m); i++) {
        if (i > 0) at += (size_t)snprintf(out + at, LENT_BYTES - at, ", ");
        at += (size_t)describe_message(&m, out + at, LENT_BYTES - at);
    }
    return out;
}

unsigned rig_count_acks(rig *r)
{
    unsigned             count = 0;
    sb_transport_message m;
    for (const rig_sent *sent = rig_next_sent(r); sent; sent = rig_next_sent(r))
        for (size_t i = 0; rig_message(sent, i, &m); i++) count += m.type == SB_TRANSPORT_ACK;
    return count;
}

const char *rig_times(const rig *r, sb_endpoint to, uint8_t type, sb_time start)
{
    char  *out = (char *)lend();
    size_t at = 0;
    out[0] = 0;
    for (size_t i = r->sent_next; i < r->sent_count; i++) {
        const rig_sent      *sent = &r->sent[i];
        sb_transport_message m;
        bool                 found = false;
        for (size_t k = 0; rig_message(sent, k, &m); k++) found |= m.type == type;
        if (!found || !rig_same_endpoint(sent->to, to)) continue;
        sb_time past = sent->at - start;
        at += (size_t)snprintf(out + at, LENT_BYTES - at, "%s%lld", at ? " " : "",
                               (long long)past / 1000);
        if (past % 1000)
            at += (size_t)snprintf(out + at, LENT_BYTES - at, ".%03lld", (long long)past % 1000);
    }
    return out;
}

/* Cuts off the marks, which come last (marks_test.c). */
static void cut_marks(const rig_sent *sent, char *text)
{
    sb_transport_message m;
    unsigned             marks = 0;
    for (size_t i = 0; rig_message(sent, i, &m); i++)
        marks += m.type == SB_TRANSPORT_DATA && m.reliable && m.payload.size == 0;
    for (; marks > 0; marks--) {
        char *comma = strrchr(text, ',');
        *(comma ? comma : text) = 0;
    }
}

const char *rig_answer(rig *r, sb_endpoint to)
{
    char *out = (char *)lend();
    out[0] = 0;
    r->sent_next = r->sent_count;
    rig_step(r);
    const rig_sent *sent = rig_next_sent_to(r, to);
    if (sent) (void)snprintf(out, LENT_BYTES, "%s", rig_describe(sent));
    if (sent) cut_marks(sent, out);
    CHECK(rig_next_sent_to(r, to) == NULL);
    rig_wait(r, 800 * RIG_MILLISECOND);
    rig_forget(r);
    return out;
}

void rig_pack_init(rig_pack *p, uint8_t peer_id)
{
    sb_datagram_writer_init(&p->writer, p->bytes, sizeof p->bytes, peer_id);
}

void rig_pack_add(rig_pack *p, const sb_transport_message *m)
{
    CHECK_EQ(sb_datagram_writer_add(&p->writer, m), SB_OK);
}

void rig_pack_ack(rig_pack *p, bool low, uint16_t seq)
{
    rig_pack_add(p, &(sb_transport_message){ .type = SB_TRANSPORT_ACK,
                                             .seq = seq,
                                             .ack_flags = low ? SB_ACK_LOW_CHANNEL : 0 });
}

void rig_pack_fragment_ack(rig_pack *p, uint16_t seq, uint8_t index)
{
    rig_pack_add(p, &(sb_transport_message){ .type = SB_TRANSPORT_ACK,
                                             .seq = seq,
                                             .ack_flags = SB_ACK_FRAGMENT,
                                             .frag_index = index });
}

void rig_pack_noop(rig_pack *p)
{
    rig_pack_add(p, &(sb_transport_message){ .type = SB_TRANSPORT_NOOP });
}

void rig_pack_data(rig_pack *p, uint16_t seq, sb_span payload)
{
    rig_pack_add(p,
                 &(sb_transport_message){
                     .type = SB_TRANSPORT_DATA, .reliable = true, .seq = seq, .payload = payload });
}

void rig_pack_unreliable(rig_pack *p, sb_span payload)
{
    rig_pack_add(p, &(sb_transport_message){ .type = SB_TRANSPORT_DATA, .payload = payload });
}

void rig_pack_fragment(rig_pack *p, uint16_t seq, uint8_t index, uint8_t total, sb_span payload)
{
    rig_pack_add(p, &(sb_transport_message){ .type = SB_TRANSPORT_DATA,
                                             .reliable = true,
                                             .fragment = true,
                                             .seq = seq,
                                             .frag_index = index,
                                             .frag_total = total,
                                             .payload = payload });
}

void rig_pack_control(rig_pack *p, uint8_t type, uint16_t seq, sb_span payload)
{
    rig_pack_add(
        p, &(sb_transport_message){
               .type = type, .reliable = true, .priority = true, .seq = seq, .payload = payload });
}

void rig_pack_name(rig_pack *p, uint16_t seq, uint8_t id, sb_span name)
{
    uint8_t payload[512] = { id, 10, 10, 10, 239 };
    CHECK(name.size <= sizeof payload - 5);
    if (name.size > 0) memcpy(payload + 5, name.data, name.size);
    rig_pack_control(p, SB_TRANSPORT_NAME, seq, (sb_span){ payload, 5 + name.size });
}

void rig_pack_disconnect(rig_pack *p, uint16_t seq, uint8_t id)
{
    uint8_t payload[5] = { id, 10, 10, 10, 239 };
    rig_pack_control(p, SB_TRANSPORT_DISCONNECT, seq, (sb_span){ payload, 5 });
}

sb_span rig_packed(const rig_pack *p)
{
    return (sb_span){ p->bytes, p->writer.size };
}

/* ---- The network --------------------------------------------------------------------------- */

rig_link *rig_link_open(rig *host, uint64_t seed)
{
    static rig_link link;
    memset(&link, 0, sizeof link);
    link.host = host;
    link.delay = 5 * RIG_MILLISECOND;
    sb_random_init(&link.random, seed);
    return &link;
}

void rig_link_add(rig_link *link, rig *client)
{
    CHECK(link->client_count < RIG_CLIENTS_MAX);
    link->clients[link->client_count++] = client;
}

static bool chance(rig_link *link, uint32_t per_thousand)
{
    return sb_random_below(&link->random, 1000) < per_thousand;
}

static void fly(rig_link *link, const rig_sent *sent, int from, int to)
{
    int copies = chance(link, link->loss) ? 0 : chance(link, link->duplicate) ? 2 : 1;
    for (; copies > 0; copies--) {
        CHECK(link->count < RIG_FLIGHTS_MAX);
        rig_flight *f = &link->flights[link->count++];
        sb_time more = link->jitter ? sb_random_below(&link->random, (uint32_t)link->jitter) : 0;
        *f = (rig_flight){
            sent->at + link->delay + more, link->order++, to, from, sent->size, { 0 }
        };
        memcpy(f->bytes, sent->plain, sent->size);
        sb_encrypt_datagram(f->bytes, sent->size);
    }
}

static void collect(rig_link *link)
{
    const rig_sent *sent;
    while ((sent = rig_next_sent(link->host)) != NULL)
        for (size_t i = 0; i < link->client_count; i++)
            if (rig_same_endpoint(sent->to, rig_endpoint((unsigned)i + 1)))
                fly(link, sent, -1, (int)i);
    for (size_t i = 0; i < link->client_count; i++)
        while ((sent = rig_next_sent(link->clients[i])) != NULL) fly(link, sent, (int)i, -1);
    link->host->sent_count = link->host->sent_next = 0;
    for (size_t i = 0; i < link->client_count; i++)
        link->clients[i]->sent_count = link->clients[i]->sent_next = 0;
}

static rig_flight *first_flight(rig_link *link)
{
    rig_flight *first = NULL;
    for (size_t i = 0; i < link->count; i++) {
        rig_flight *f = &link->flights[i];
        if (!first || f->at < first->at || (f->at == first->at && f->order < first->order))
            first = f;
    }
    return first;
}

static void set_time(rig_link *link, sb_time now)
{
    link->host->now = now;
    for (size_t i = 0; i < link->client_count; i++) link->clients[i]->now = now;
}

static void step_all(rig_link *link)
{
    rig_step(link->host);
    for (size_t i = 0; i < link->client_count; i++) rig_step(link->clients[i]);
    collect(link);
}

/* Delivers a datagram; the endpoint may refuse it if the session is over. */
static void land(rig_link *link, rig_flight *f)
{
    rig_flight landing = *f;
    *f = link->flights[--link->count];
    sb_span datagram = { landing.bytes, landing.size };
    if (landing.to < 0)
        (void)!rig_receive(link->host, rig_endpoint((unsigned)landing.from + 1), datagram);
    else (void)!rig_receive(link->clients[landing.to], rig_server(), datagram);
}

static sb_time next_moment(rig_link *link)
{
    const rig_flight *f = first_flight(link);
    sb_time           at = f ? f->at : SB_TIME_NEVER;
    if (next_deadline(link->host) < at) at = next_deadline(link->host);
    for (size_t i = 0; i < link->client_count; i++)
        if (next_deadline(link->clients[i]) < at) at = next_deadline(link->clients[i]);
    return at;
}

void rig_link_run(rig_link *link, sb_time duration)
{
    sb_time end = link->host->now + duration;
    step_all(link);
    for (sb_time at = next_moment(link); at <= end; at = next_moment(link)) {
        set_time(link, at);
        for (rig_flight *f = first_flight(link); f && f->at <= at; f = first_flight(link))
            land(link, f);
        step_all(link);
    }
    set_time(link, end);
    step_all(link);
}

/* ---- Expectations -------------------------------------------------------------------------- */

void rig_expect_sent(const char *file, int line, rig *r, sb_endpoint to, const char *hex)
{
    uint8_t         bytes[SB_DATAGRAM_MAX];
    size_t          size = test_hex(hex, bytes, sizeof bytes);
    const rig_sent *sent = rig_next_sent(r);
    if (!sent) test_fail(file, line, "nothing was sent; expected %s", hex);
    test_check_bytes(file, line, "datagram", sent->plain, sent->size, bytes, size);
    test_check_int(file, line, "to address", sent->to.address, to.address);
    test_check_int(file, line, "to port", sent->to.port, to.port);
}

void rig_expect_said(const char *file, int line, rig *r, sb_endpoint to, const char *described)
{
    const rig_sent *sent = rig_next_sent_to(r, to);
    if (!sent) test_fail(file, line, "nothing was sent; expected %s", described);
    test_check_text(file, line, "datagram", rig_describe(sent), described);
}

void rig_expect_silence(const char *file, int line, rig *r)
{
    const rig_sent *sent = rig_next_sent(r);
    if (sent) test_fail(file, line, "sent without being asked: %s", rig_describe(sent));
}

void rig_expect_no_event(const char *file, int line, rig *r)
{
    const rig_event *e = rig_next_event(r);
    if (e) test_fail(file, line, "event %d of peer %u", (int)e->event.type, e->event.peer_id);
}

static const rig_event *expect_event(const char *file, int line, rig *r,
                                     sb_transport_event_type type, uint8_t id)
{
    const rig_event *e = rig_next_event(r);
    if (!e) test_fail(file, line, "no event; expected type %d of peer %u", (int)type, id);
    test_check_int(file, line, "event type", e->event.type, type);
    test_check_int(file, line, "event peer", e->event.peer_id, id);
    return e;
}

void rig_expect_event(const char *file, int line, rig *r, sb_transport_event_type type, uint8_t id)
{
    (void)expect_event(file, line, r, type, id);
}

void rig_expect_left(const char *file, int line, rig *r, uint8_t id, sb_leave_reason reason)
{
    const rig_event *e = expect_event(file, line, r, SB_EVENT_LEFT, id);
    test_check_text(file, line, "reason", sb_leave_reason_text(e->event.reason),
                    sb_leave_reason_text(reason));
}

void rig_expect_message(const char *file, int line, rig *r, uint8_t id, sb_delivery delivery,
                        sb_span bytes)
{
    const rig_event *e = expect_event(file, line, r, SB_EVENT_MESSAGE, id);
    test_check_int(file, line, "delivery", e->event.delivery, delivery);
    test_check_bytes(file, line, "message", e->event.bytes.data, e->event.bytes.size, bytes.data,
                     bytes.size);
}

void rig_expect_named(const char *file, int line, rig *r, uint8_t id, const char *name)
{
    const rig_event *e = expect_event(file, line, r, SB_EVENT_NAMED, id);
    sb_span          wide = rig_wide(name);
    test_check_bytes(file, line, "name", e->event.bytes.data, e->event.bytes.size, wide.data,
                     wide.size);
}

void rig_expect_refusal(const char *file, int line, rig *r, sb_endpoint from, sb_span plain,
                        sb_transport_counter counter)
{
    uint64_t before = rig_count(r, counter);
    size_t   events = r->event_count;
    if (rig_give(r, from, plain) == SB_OK) test_fail(file, line, "accepted");
    test_check_int(file, line, sb_transport_counter_name(counter), (long long)rig_count(r, counter),
                   (long long)before + 1);
    test_check_int(file, line, "events", (long long)r->event_count, (long long)events);
}

static void expect_same_infos(const char *file, int line, const rig *a, const rig *b, uint8_t id)
{
    sb_peer_info x, y;
    bool         known = rig_info(a, id, &x);
    test_check_int(file, line, "peer is known", known, rig_info(b, id, &y));
    if (!known) return;
    test_check_int(file, line, "peer_id", x.peer_id, y.peer_id);
    test_check_int(file, line, "address", x.address.address, y.address.address);
    test_check_int(file, line, "port", x.address.port, y.address.port);
    test_check_int(file, line, "heard_at", x.heard_at, y.heard_at);
    test_check_int(file, line, "round_trip_us", x.round_trip_us, y.round_trip_us);
    test_check_int(file, line, "resend_us", x.resend_us, y.resend_us);
    test_check_int(file, line, "unacknowledged", x.unacknowledged, y.unacknowledged);
    test_check_int(file, line, "queued", x.queued, y.queued);
    test_check_int(file, line, "stored", x.stored, y.stored);
    test_check_int(file, line, "stored_bytes", x.stored_bytes, y.stored_bytes);
    test_check_int(file, line, "cells", x.cells, y.cells);
    test_check_int(file, line, "retransmitted", (long long)x.retransmitted,
                   (long long)y.retransmitted);
}

static void expect_same_doings(const char *file, int line, const rig *a, const rig *b)
{
    test_check_int(file, line, "events", (long long)a->event_count, (long long)b->event_count);
    test_check_int(file, line, "datagrams", (long long)a->sent_count, (long long)b->sent_count);
    for (size_t i = 0; i < a->sent_count; i++) {
        const rig_sent *x = &a->sent[i], *y = &b->sent[i];
        test_check_int(file, line, "sent at", x->at, y->at);
        test_check_int(file, line, "sent to", x->to.address, y->to.address);
        test_check_bytes(file, line, "sent", x->plain, x->size, y->plain, y->size);
    }
    for (size_t i = 0; i < a->event_count; i++) {
        const sb_transport_event *x = &a->events[i].event, *y = &b->events[i].event;
        test_check_int(file, line, "event type", x->type, y->type);
        test_check_int(file, line, "event peer", x->peer_id, y->peer_id);
        test_check_bytes(file, line, "event bytes", x->bytes.data, x->bytes.size, y->bytes.data,
                         y->bytes.size);
    }
}

void rig_expect_same(const char *file, int line, const rig *a, const rig *b)
{
    test_check_int(file, line, "now", a->now, b->now);
    for (int c = SB_TRANSPORT_REFUSAL_COUNT; c < SB_TRANSPORT_COUNTER_COUNT; c++)
        test_check_int(file, line, sb_transport_counter_name((sb_transport_counter)c),
                       (long long)rig_count(a, (sb_transport_counter)c),
                       (long long)rig_count(b, (sb_transport_counter)c));
    if (a->client) expect_same_infos(file, line, a, b, 0);
    for (uint8_t id = 2; a->host && id <= 0x7F; id++) expect_same_infos(file, line, a, b, id);
    expect_same_doings(file, line, a, b);
    test_check_int(file, line, "next deadline", next_deadline(a), next_deadline(b));
}
