/* tests/transport/conformance_test.c -- the conformance checklist of spec 01 §14, item by item.
 *
 * For:      one test per item (a few have a second for the client's side), named by its number;
 *           docs/evidence/conformance.md is the table. Bytes come from vectors/01,
 *           behaviour is seen through the endpoints of starbase/transport.h.
 */
#include "rig.h"
#include "vector_file.h"

#include <stdio.h>
#include <string.h>

/* ---- Vectors ------------------------------------------------------------------------------- */

/* Reads vectors/01/NAME.vec; false: a decoder must refuse this vector. */
static bool read_vector(const char *name, uint8_t *out, size_t capacity, size_t *size)
{
    char        path[256], error[256];
    vector_file v;
    (void)snprintf(path, sizeof path, SB_SOURCE_DIR "/vectors/01/%s.vec", name);
    if (!vector_read(&v, path, error, sizeof error)) FAIL("%s", error);
    CHECK(v.bytes.size <= capacity);
    memcpy(out, v.bytes.data, v.bytes.size);
    *size = v.bytes.size;
    bool refused = v.refused;
    vector_free(&v);
    return !refused;
}

/* Every datagram of spec 01 §11 that parses, with its messages: number, flags_len where there is
 * one, fragment index and total. §11.1 and §11.3 are the vectors C5 and C6 of §2.6. */
static const struct worked_example {
    const char *vector;
    uint8_t     sender;
    const char *messages;
} examples[] = {
    { "2.6-c5", 0xFF, "Connect C00F 0" },
    { "11.2-host-answer", 1, "Ack low 0, Connect C006 0, Data 801B 0" },
    { "2.6-c6", 1, "Name C016 1" },
    { "11.4-ack-and-request", 1, "Ack 0, Data 8020 1" },
    { "11.5-first-fragment", 2, "Ack 2, Data A19C 2 0/3" },
    { "11.5-later-fragments", 2, "Data A19C 2 1, Data A01B 2 2" },
    { "11.6-three-messages", 1, "Data 8006 5, Data 8033 6, Data 8006 7" },
    { "11.7-client-message", 2, "Data 8007 5" },
    { "11.8-unreliable", 1, "Data 001C" },
    { "11.9-mixed", 1, "Ack 5, Data 800A 8, Data 8017 9" },
    { "11.10-seq-above-255", 2, "Data 8006 258" },
    { "11.10-its-ack", 1, "Ack 258" },
    { "11.10-fragment-acks", 1, "Ack 9/0, Ack 9/1" },
    { "11.10-boot", 1, "Boot C007 5" },
    { "11.10-refusal", 1, "Ack low 0, Boot C007 0" },
    { "11.10-noop-between", 2, "Ack 4, NoOp, Data 8007 5" },
    { "11.10-noop-first", 2, "NoOp, Ack 4" },
    { "11.10-noop-last", 2, "Ack 4, NoOp" },
    { "11.11-idle-three-acks", 1, "NoOp, Ack low 0, Ack low 1, Ack 4" },
    { "2.6-noop-host", 1, "NoOp" },
    { "2.6-noop-client", 2, "NoOp" },
    { "4.10-disconnect", 3, "Disconnect C00A 2" },
};

enum { EXAMPLES = sizeof examples / sizeof *examples };

static size_t print_message(const sb_transport_message *m, char *out, size_t room)
{
    static const char *const names[] = { "Name", "Ack", "NoOp", "Connect", "Boot", "Disconnect" };
    unsigned flags_len = (unsigned)sb_transport_message_bytes(m) | (m->reliable ? 0x8000u : 0u) |
                         (m->priority ? 0x4000u : 0u) | (m->fragment ? 0x2000u : 0u);
    int n = 0;
    if (m->type == SB_TRANSPORT_NOOP) n = snprintf(out, room, "NoOp");
    else if (m->type == SB_TRANSPORT_ACK && m->ack_flags & SB_ACK_FRAGMENT)
        n = snprintf(out, room, "Ack %u/%u", m->seq, m->frag_index);
    else if (m->type == SB_TRANSPORT_ACK)
        n = snprintf(out, room, "Ack %s%u", m->ack_flags ? "low " : "", m->seq);
    else n = snprintf(out, room, "%s %04X", m->type < 6 ? names[m->type] : "Data", flags_len);
    if (m->reliable) n += snprintf(out + n, room - (size_t)n, " %u", m->seq);
    if (m->fragment) n += snprintf(out + n, room - (size_t)n, " %u", m->frag_index);
    if (m->fragment && m->frag_index == 0)
        n += snprintf(out + n, room - (size_t)n, "/%u", m->frag_total);
    return (size_t)n;
}

/* Parses a datagram, prints its messages and writes it again. */
static void check_example(sb_span plain, uint8_t sender, const char *messages)
{
    char                 text[512] = "";
    size_t               length = 0, at = 0;
    uint8_t              again[SB_DATAGRAM_ACCEPTED];
    sb_datagram          datagram;
    sb_datagram_writer   writer;
    sb_transport_message m;
    CHECK_EQ(sb_decode_datagram(plain, &datagram, NULL), SB_OK);
    CHECK_EQ(datagram.peer_id, sender);
    CHECK_EQ(datagram.rest.size, 0);
    CHECK_EQ(datagram.message_count, datagram.msg_count);
    sb_datagram_writer_init(&writer, again, sizeof again, datagram.peer_id);
    while (sb_datagram_next(&datagram, &at, &m)) {
        if (length > 0) length += (size_t)snprintf(text + length, sizeof text - length, ", ");
        length += print_message(&m, text + length, sizeof text - length);
        CHECK_EQ(sb_datagram_writer_add(&writer, &m), SB_OK);
    }
    CHECK_TEXT(text, messages);
    CHECK_BYTES(again, writer.size, plain.data, plain.size);
}

/* ---- 1, 2: bytes --------------------------------------------------------------------------- */

TEST(conformance_01_the_cipher_matches_all_vectors_and_inverts)
{
    static const char *const names[] = { "c1", "c2", "c3", "c4",        "c5",         "c6",
                                         "c7", "c8", "c9", "noop-host", "noop-client" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char        path[256], error[256];
        vector_file v;
        uint8_t     bytes[SB_DATAGRAM_MAX];
        (void)snprintf(path, sizeof path, SB_SOURCE_DIR "/vectors/01/2.6-%s.vec", names[i]);
        if (!vector_read(&v, path, error, sizeof error)) FAIL("%s", error);
        CHECK(v.bytes.size > 0 && v.encrypted.size == v.bytes.size);
        memcpy(bytes, v.bytes.data, v.bytes.size);
        sb_encrypt_datagram(bytes, v.bytes.size);
        CHECK_BYTES(bytes, v.bytes.size, v.encrypted.data, v.encrypted.size);
        sb_decrypt_datagram(bytes, v.bytes.size);
        CHECK_BYTES(bytes, v.bytes.size, v.bytes.data, v.bytes.size);
        vector_free(&v);
    }
    sb_random random;
    sb_random_init(&random, 1);
    for (size_t size = 0; size <= SB_DATAGRAM_MAX; size++) {
        uint8_t plain[SB_DATAGRAM_MAX], bytes[SB_DATAGRAM_MAX];
        for (size_t i = 0; i < size; i++) plain[i] = (uint8_t)sb_random_next(&random);
        memcpy(bytes, plain, size);
        sb_encrypt_datagram(bytes, size);
        if (size > 0) CHECK_EQ(bytes[0], plain[0]);
        if (size > 8) CHECK(memcmp(bytes, plain, size) != 0);
        sb_decrypt_datagram(bytes, size);
        CHECK_BYTES(bytes, size, plain, size);
        sb_decrypt_datagram(bytes, size);
        if (size > 0) CHECK_EQ(bytes[0], plain[0]);
        sb_encrypt_datagram(bytes, size);
        CHECK_BYTES(bytes, size, plain, size);
    }
}

TEST(conformance_02_worked_examples_parse_and_are_written_back)
{
    uint8_t bytes[SB_DATAGRAM_ACCEPTED];
    size_t  size;
    for (size_t i = 0; i < EXAMPLES; i++) {
        CHECK(read_vector(examples[i].vector, bytes, sizeof bytes, &size));
        check_example((sb_span){ bytes, size }, examples[i].sender, examples[i].messages);
    }
    /* The long message of §11.10 is printed without a datagram around it. */
    CHECK(read_vector("11.10-long-message", bytes + 2, sizeof bytes - 2, &size));
    bytes[0] = 2, bytes[1] = 1;
    check_example((sb_span){ bytes, size + 2 }, 2, "Data 812C 7");
    static const char *const malformed[] = { "11.10-short-total", "11.10-message-missing" };
    for (size_t i = 0; i < 2; i++) {
        sb_datagram datagram;
        CHECK(!read_vector(malformed[i], bytes, sizeof bytes, &size));
        CHECK(sb_decode_datagram((sb_span){ bytes, size }, &datagram, NULL) != SB_OK);
    }
}

/* ---- 3: numbers that wrap ------------------------------------------------------------------ */

enum { CROSSING_MESSAGES = 700, CROSSING_BATCH = 10 };

/* Message i of one direction: its number and a varying length; every fiftieth needs three
 * fragments.
 */
static sb_span crossing_message(unsigned i, unsigned direction)
{
    static uint8_t bytes[1024];
    size_t         size = i % 50 == 49 ? 830 : 4 + i * 13 % 60;
    memset(bytes, (int)(direction * 16 + i % 7), size);
    bytes[0] = (uint8_t)direction;
    bytes[1] = (uint8_t)i;
    bytes[2] = (uint8_t)(i >> 8);
    return (sb_span){ bytes, size };
}

/* Checks that each received message is the next one of its direction. */
static void check_in_order(rig *r, uint8_t from, unsigned direction, unsigned *next)
{
    for (const rig_event *e = rig_next_event(r); e; e = rig_next_event(r)) {
        if (e->event.type == SB_EVENT_NAMED) continue;
        CHECK_EQ(e->event.type, SB_EVENT_MESSAGE);
        CHECK_EQ(e->event.peer_id, from);
        sb_span expected = crossing_message((*next)++, direction);
        CHECK_BYTES(e->event.bytes.data, e->event.bytes.size, expected.data, expected.size);
    }
    rig_forget(r);
}

/* Sends one message to find the next sequence number. */
static uint16_t next_number(rig *r)
{
    sb_transport_message m;
    sb_span              probe = { (const uint8_t *)"probe", 5 };
    rig_forget(r);
    CHECK_EQ(r->host ? sb_transport_host_send(r->host, 2, SB_RELIABLE, probe)
                     : sb_transport_client_send(r->client, SB_RELIABLE, probe),
             SB_OK);
    rig_step(r);
    for (const rig_sent *sent = rig_next_sent(r); sent; sent = rig_next_sent(r))
        for (size_t i = 0; rig_message(sent, i, &m); i++)
            if (m.type == SB_TRANSPORT_DATA && m.payload.size == 5) return m.seq;
    FAIL("the probe was not sent");
}

static rig_link *linked_pair(sb_retransmit retransmit, uint64_t seed, uint16_t down, uint16_t up)
{
    sb_transport_host_config   hc;
    sb_transport_client_config cc;
    rig_host_config(&hc);
    rig_client_config(&cc);
    hc.retransmit = cc.retransmit = retransmit;
    rig_link *link = rig_link_open(rig_open_host(&hc), seed);
    rig_link_add(link, rig_open_client(&cc));
    rig_link_run(link, SB_SECOND);
    CHECK_EQ(sb_transport_client_id(link->clients[0]->client), 2);
    sb_transport_host_set_numbers(link->host->host, 2, down, up);
    sb_transport_client_set_numbers(link->clients[0]->client, up, down);
    rig_forget(link->host);
    rig_forget(link->clients[0]);
    return link;
}

static void check_crossing(sb_retransmit retransmit, uint64_t seed, uint16_t down, uint16_t up)
{
    rig_link *link = linked_pair(retransmit, seed, down, up);
    rig      *host = link->host, *client = link->clients[0];
    unsigned  sent = 0, got_down = 0, got_up = 0;
    link->loss = link->duplicate = 200;
    link->jitter = 300 * RIG_MILLISECOND;
    for (int rounds = 0; got_down < CROSSING_MESSAGES || got_up < CROSSING_MESSAGES; rounds++) {
        CHECK(rounds < 4000); /* 200 s */
        unsigned behind = got_down < got_up ? got_down : got_up;
        for (int i = 0; i < CROSSING_BATCH && sent < CROSSING_MESSAGES && sent < behind + 200;
             i++) {
            sb_span m = crossing_message(sent, 1);
            CHECK_EQ(sb_transport_host_send(host->host, 2, SB_RELIABLE, m), SB_OK);
            m = crossing_message(sent++, 2);
            CHECK_EQ(sb_transport_client_send(client->client, SB_RELIABLE, m), SB_OK);
        }
        rig_link_run(link, 50 * RIG_MILLISECOND);
        check_in_order(client, SB_PEER_HOST, 1, &got_down);
        check_in_order(host, 2, 2, &got_up);
    }
    link->loss = 0;
    rig_link_run(link, 20 * SB_SECOND); /* no late retransmission may arrive twice */
    check_in_order(client, SB_PEER_HOST, 1, &got_down);
    check_in_order(host, 2, 2, &got_up);
    CHECK_EQ(got_down, CROSSING_MESSAGES);
    CHECK_EQ(got_up, CROSSING_MESSAGES);
    CHECK(rig_count(host, SB_TRANSPORT_COUNT_DUPLICATE) > 0);
    CHECK(rig_count(host, SB_TRANSPORT_COUNT_RETRANSMITTED) > 0);
    CHECK_EQ(next_number(host), (uint16_t)(down + CROSSING_MESSAGES));
    CHECK_EQ(next_number(client), (uint16_t)(up + CROSSING_MESSAGES));
}

/* 700 messages from 0x00A0 on cross 0x00FF; from 0xFEE0 on they cross 0xFFFF and then 0x00FF. */
TEST(conformance_03_numbers_wrap_under_loss_copies_and_reordering)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        check_crossing(SB_RETRANSMIT_STOCK, seed, 0x00A0, 0xFEE0);
        check_crossing(SB_RETRANSMIT_MEASURED, seed, 0xFEE0, 0x00A0);
    }
}

/* ---- 4: two channels ----------------------------------------------------------------------- */

/* Waits for the next retransmissions; true: one of them has this type. */
static bool repeats(rig *r, sb_endpoint to, uint8_t type)
{
    rig_forget(r);
    rig_wait(r, 4900 * RIG_MILLISECOND);
    return rig_count_sent(r, to, type) > 0;
}

TEST(conformance_04_equal_numbers_of_two_channels_do_not_mix)
{
    rig        *r = rig_open_host(NULL);
    sb_endpoint at = rig_endpoint(1);
    sb_span     a = { (const uint8_t *)"a", 1 };
    CHECK_EQ(rig_join(r, at), 2);
    CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, a), SB_OK);
    CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, a), SB_OK);
    rig_pack p;
    rig_pack_init(&p, 2);
    rig_pack_name(&p, 1, 2, (sb_span){ (const uint8_t *)"K\0\0", 4 });
    rig_pack_data(&p, 0, a);
    rig_pack_data(&p, 1, a);
    GIVE_PACK(r, at, &p);
    rig_step(r); /* Data 0, Data 1 and Name 1 are in flight */
    EXPECT_SAID(r, at, "Ack low 1, Ack 0, Ack 1, Name 1, Data 0, Data 1");
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 3);
    GIVE(r, at, "02 02 01 00 00 02 01 00 00 00"); /* low 0 (again) and data 0 */
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 2);
    GIVE(r, at, "02 01 01 01 00 00"); /* data 1 */
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 1);
    CHECK(repeats(r, at, SB_TRANSPORT_NAME));
    CHECK(!repeats(r, at, SB_TRANSPORT_DATA));
    GIVE(r, at, "02 01 01 01 00 00"); /* data 1 again: the Name stays in flight */
    CHECK(repeats(r, at, SB_TRANSPORT_NAME));
    GIVE(r, at, "02 01 01 01 00 02"); /* low 1 */
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 0);
    CHECK(!repeats(r, at, SB_TRANSPORT_NAME));
}

TEST(conformance_04_at_a_client_a_low_ack_leaves_data_alone)
{
    rig    *r = rig_open_client(NULL);
    sb_span a = { (const uint8_t *)"a", 1 };
    rig_join_client(r, 2);
    CHECK_EQ(sb_transport_client_send(r->client, SB_RELIABLE, a), SB_OK);
    CHECK_EQ(sb_transport_client_send(r->client, SB_RELIABLE, a), SB_OK);
    CHECK_EQ(sb_transport_client_rename(r->client, rig_wide("Spock")), SB_OK); /* low 2 */
    CHECK_EQ(sb_transport_client_send(r->client, SB_RELIABLE, a), SB_OK);
    rig_step(r);
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 4);
    GIVE(r, rig_server(), "01 02 01 00 00 02 01 01 00 02"); /* low 0 and 1: acknowledged before */
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 4);
    GIVE(r, rig_server(), "01 03 01 00 00 00 01 01 00 00 01 02 00 00"); /* data 0, 1, 2 */
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 1);
    CHECK(repeats(r, rig_server(), SB_TRANSPORT_NAME));
    GIVE(r, rig_server(), "01 01 01 02 00 02"); /* low 2 */
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 0);
}

/* ---- 5: fragments -------------------------------------------------------------------------- */

static void expect_832(rig *r)
{
    sb_span              whole = rig_pattern(832, 3);
    size_t               totals[3] = { 0 }, count = 0, at = 0;
    sb_transport_message m;
    for (const rig_sent *sent = rig_next_sent(r); sent; sent = rig_next_sent(r))
        for (size_t i = 0; rig_message(sent, i, &m); i++) {
            CHECK(count < 3);
            CHECK(m.reliable && m.fragment);
            CHECK_EQ(m.seq, 0);
            CHECK_EQ(m.frag_index, count);
            if (count == 0) CHECK_EQ(m.frag_total, 3);
            CHECK_BYTES(m.payload.data, m.payload.size, whole.data + at, m.payload.size);
            at += m.payload.size;
            totals[count++] = sb_transport_message_bytes(&m);
        }
    CHECK_EQ(count, 3);
    CHECK_EQ(totals[0], 412);
    CHECK_EQ(totals[1], 412);
    CHECK_EQ(totals[2], 27);
    CHECK_EQ(at, 832);
}

/* Gives fragment `index` of the 832 bytes and expects its Ack. */
static void give_fragment(rig *r, sb_endpoint at, uint16_t seq, uint8_t index)
{
    static const size_t from[3] = { 0, 405, 811 }, size[3] = { 405, 406, 21 };
    sb_span             whole = rig_pattern(832, 3);
    rig_pack            p;
    char                ack[32];
    rig_pack_init(&p, 2);
    rig_pack_fragment(&p, seq, index, index == 0 ? 3 : 0,
                      (sb_span){ whole.data + from[index], size[index] });
    GIVE_PACK(r, at, &p);
    rig_step(r);
    (void)snprintf(ack, sizeof ack, "01 01 01 %02X %02X 01 %02X", seq & 0xFF, seq >> 8, index);
    EXPECT_SENT(r, at, ack);
    EXPECT_SILENCE(r);
    rig_wait(r, 800 * RIG_MILLISECOND); /* so that no Ack is repeated */
    EXPECT_SILENCE(r);
}

TEST(conformance_05_832_bytes_are_412_412_and_27_in_any_order)
{
    rig    *r = rig_open_host(NULL), *c = rig_open_client(NULL);
    sb_span whole = rig_pattern(832, 3);
    CHECK_EQ(rig_join(r, rig_endpoint(1)), 2);
    rig_join_client(c, 2);
    CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, whole), SB_OK);
    rig_step(r);
    expect_832(r);
    GIVE(r, rig_endpoint(1), "02 03 01 00 00 01 00 01 00 00 01 01 01 00 00 01 02");
    CHECK_EQ(sb_transport_client_send(c->client, SB_RELIABLE, whole), SB_OK);
    rig_step(c);
    expect_832(c);
    rig_forget(r);
    /* All orders of three fragments; each fragment comes twice. */
    static const uint8_t orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                          { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    for (uint16_t seq = 0; seq < 6; seq++) {
        for (int i = 0; i < 3; i++) {
            give_fragment(r, rig_endpoint(1), seq, orders[seq][i]);
            if (i == 2) EXPECT_DATA(r, 2, rig_pattern(832, 3));
            EXPECT_NO_EVENT(r);
            give_fragment(r, rig_endpoint(1), seq, orders[seq][i]); /* acknowledged again */
            EXPECT_NO_EVENT(r);
            give_fragment(r, rig_endpoint(1), seq, orders[seq][0]);
            EXPECT_NO_EVENT(r);
        }
        rig_forget(r);
    }
}

/* ---- 6: crowded datagrams ------------------------------------------------------------------ */

TEST(conformance_06_255_acks_and_110_messages_are_all_processed)
{
    rig        *r = rig_open_host(NULL), *c = rig_open_client(NULL);
    sb_endpoint at = rig_endpoint(1);
    uint8_t     bytes[SB_DATAGRAM_ACCEPTED];
    size_t      size;
    CHECK_EQ(rig_join(r, at), 2);
    for (int i = 0; i < 255; i++) /* the messages that the vector acknowledges */
        CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, rig_pattern(1, 0)), SB_OK);
    rig_step(r);
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 255);
    uint64_t unmatched = rig_count(r, SB_TRANSPORT_COUNT_UNMATCHED_ACK);
    CHECK(read_vector("3-255-acks", bytes, sizeof bytes, &size));
    CHECK_EQ(rig_give(r, at, (sb_span){ bytes, size }), SB_OK);
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 0);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNMATCHED_ACK), unmatched);
    /* The crowded datagram of the captured battle, at a client: two messages and 108 unmatched
     * Acks. */
    rig_join_client(c, 2);
    unmatched = rig_count(c, SB_TRANSPORT_COUNT_UNMATCHED_ACK);
    CHECK(read_vector("3-110-messages", bytes, sizeof bytes, &size));
    CHECK_EQ(size, 491);
    CHECK_EQ(rig_give(c, rig_server(), (sb_span){ bytes, size }), SB_OK);
    EXPECT_UNRELIABLE(c, SB_PEER_HOST, ((sb_span){ bytes + 5, 20 }));
    EXPECT_UNRELIABLE(c, SB_PEER_HOST, ((sb_span){ bytes + 28, 31 }));
    EXPECT_NO_EVENT(c);
    CHECK_EQ(rig_count(c, SB_TRANSPORT_COUNT_UNMATCHED_ACK), unmatched + 108);
    /* The same at a host with Data last: all 108 Acks before it were processed. */
    rig_pack p;
    rig_pack_init(&p, 2);
    for (uint16_t i = 0; i < 108; i++) rig_pack_ack(&p, i % 2, (uint16_t)(1000 + i));
    rig_pack_unreliable(&p, rig_pattern(20, 1));
    rig_pack_unreliable(&p, rig_pattern(31, 2));
    CHECK_EQ(rig_packed(&p).size, 491);
    unmatched = rig_count(r, SB_TRANSPORT_COUNT_UNMATCHED_ACK);
    GIVE_PACK(r, at, &p);
    EXPECT_UNRELIABLE(r, 2, rig_pattern(20, 1));
    EXPECT_UNRELIABLE(r, 2, rig_pattern(31, 2));
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNMATCHED_ACK), unmatched + 108);
}

/* Ten datagrams a second, each with 108 unmatched Acks; without the slow checks of the rig. */
TEST(conformance_06_an_hour_of_108_unmatched_acks_changes_nothing)
{
    rig        *r = rig_open_host(NULL);
    sb_endpoint at = rig_endpoint(1), to;
    CHECK_EQ(rig_join(r, at), 2);
    rig_pack p;
    rig_pack_init(&p, 2);
    for (uint16_t i = 0; i < 108; i++) rig_pack_ack(&p, i % 2, (uint16_t)(40000 + i));
    sb_encrypt_datagram(p.bytes, p.writer.size);
    sb_peer_info       before, after;
    sb_transport_event event;
    uint8_t            out[SB_DATAGRAM_MAX];
    unsigned           noops = 0;
    uint64_t           unmatched = rig_count(r, SB_TRANSPORT_COUNT_UNMATCHED_ACK);
    CHECK(rig_info(r, 2, &before));
    for (int i = 0; i < 36000; i++) {
        r->now += SB_SECOND / 10;
        CHECK_EQ(sb_transport_host_receive(r->host, r->now, at, rig_packed(&p)), SB_OK);
        CHECK(!sb_transport_host_next_event(r->host, r->now, &event));
        size_t size = sb_transport_host_write(r->host, r->now, &to, out);
        if (size > 0) CHECK_BYTES(out, size, "\x01\xD7\x32", 3);
        noops += size > 0;
    }
    sb_transport_host_check(r->host);
    CHECK(rig_info(r, 2, &after));
    CHECK_EQ(after.heard_at, r->now);
    CHECK_EQ(after.round_trip_us, before.round_trip_us);
    CHECK_EQ(after.resend_us, before.resend_us);
    CHECK_EQ(after.unacknowledged + after.queued + after.stored + after.cells, before.cells);
    CHECK_EQ(after.retransmitted, before.retransmitted);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_OVER_BUDGET), 0);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNMATCHED_ACK), unmatched + 36000 * 108);
    CHECK(noops >= 3600 / 5 - 1 && noops <= 3600 / 5 + 1);
}

/* ---- 7: truncations ------------------------------------------------------------------------ */

/* A host on which the examples of §11 have an effect: it expects Data 5, 258 or fragments of 2 from
 * peer 2, and Data 2, 4 and 5 are in flight to it. */
static rig *host_of_examples(uint16_t expect)
{
    rig *r = rig_open_host(NULL);
    CHECK_EQ(rig_join(r, rig_endpoint(1)), 2);
    CHECK_EQ(rig_join(r, rig_endpoint(2)), 3);
    sb_transport_host_set_numbers(r->host, 2, 2, expect);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, rig_pattern(9, 1)), SB_OK);
    rig_step(r);
    return r;
}

/* Gives every truncation of one example to `r`; its twin gets nothing. */
static void give_truncations(rig *r, rig *twin, sb_endpoint from, sb_span plain)
{
    for (size_t size = 0; size < plain.size; size++) {
        uint64_t refusals = rig_refusals(r);
        CHECK(rig_give(r, from, (sb_span){ plain.data, size }) != SB_OK);
        CHECK_EQ(rig_refusals(r), refusals + 1);
        rig_wait(r, 5 * RIG_MILLISECOND); /* below the budget of a peer */
        rig_wait(twin, 5 * RIG_MILLISECOND);
    }
    EXPECT_SAME(r, twin);
    rig_forget(r);
    rig_forget(twin);
}

/* The whole example must have an effect on this host, or the comparison would prove nothing. */
static void check_effect(rig *r, sb_endpoint from, sb_span plain)
{
    uint64_t in = rig_count(r, SB_TRANSPORT_COUNT_DATAGRAMS_IN);
    CHECK_EQ(rig_give(r, from, plain), SB_OK);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_DATAGRAMS_IN), in + 1);
    size_t sent = r->sent_count, events = r->event_count;
    rig_step(r);
    bool answered = r->sent_count > sent || events > 0;
    bool silent = plain.size <= 15 && plain.data[1] != 0; /* Acks and NoOps get no answer */
    CHECK(answered || silent);
}

TEST(conformance_07_a_host_refuses_every_truncated_example)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        uint8_t bytes[SB_DATAGRAM_ACCEPTED];
        size_t  size;
        CHECK(read_vector(examples[i].vector, bytes, sizeof bytes, &size));
        uint8_t sender = examples[i].sender;
        if (sender == SB_PEER_HOST) continue;
        sb_span     plain = { bytes, size };
        sb_endpoint from = rig_endpoint(sender == SB_PEER_NONE ? 9 : sender - 1u);
        uint16_t    expect = strstr(examples[i].messages, "258")    ? 258
                             : strstr(examples[i].messages, "A19C") ? 2
                                                                    : 5;
        rig        *r = host_of_examples(expect), *twin = host_of_examples(expect);
        give_truncations(r, twin, from, plain);
        rig_wait(r, 2 * SB_SECOND); /* the Connect rate limit has refilled */
        check_effect(r, from, plain);
    }
}

static rig *client_of_examples(uint16_t send, uint16_t expect)
{
    rig *r = rig_open_client(NULL);
    rig_join_client(r, 2);
    sb_transport_client_set_numbers(r->client, send, expect);
    for (int i = 0; i < 6; i++)
        CHECK_EQ(sb_transport_client_send(r->client, SB_RELIABLE, rig_pattern(9, 1)), SB_OK);
    rig_step(r);
    return r;
}

TEST(conformance_07_a_client_refuses_every_truncated_example)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        uint8_t bytes[SB_DATAGRAM_ACCEPTED];
        size_t  size;
        CHECK(read_vector(examples[i].vector, bytes, sizeof bytes, &size));
        if (examples[i].sender != SB_PEER_HOST) continue;
        uint16_t send = strstr(examples[i].messages, "258") ? 258 : 0;
        uint16_t expect = strstr(examples[i].messages, " 8006 5") ? 5 : 0;
        rig     *r = client_of_examples(send, expect), *twin = client_of_examples(send, expect);
        give_truncations(r, twin, rig_server(), (sb_span){ bytes, size });
        check_effect(r, rig_server(), (sb_span){ bytes, size });
    }
}

/* ---- 8, 9 ---------------------------------------------------------------------------------- */

TEST(conformance_08_only_messages_before_an_unknown_type_count)
{
    rig        *r = rig_open_host(NULL), *c = rig_open_client(NULL);
    sb_endpoint at = rig_endpoint(1);
    CHECK_EQ(rig_join(r, at), 2);
    rig_join_client(c, 2);
    /* Data 0, then a type 0x06, then Data 1: once from a client, once from a host. */
    GIVE(r, at, "02 03 32 06 80 00 00 AA 06 06 80 32 06 80 01 00 BB");
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\xAA", 1 }));
    EXPECT_NO_EVENT(r);
    rig_step(r);
    EXPECT_SENT(r, at, "01 01 01 00 00 00");
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNKNOWN_TYPE), 1);
    GIVE(r, at, "02 01 32 06 80 01 00 BB"); /* 1 is still expected */
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\xBB", 1 }));
    GIVE(c, rig_server(), "01 03 32 06 80 00 00 AA 33 06 80 32 06 80 01 00 BB");
    EXPECT_DATA(c, SB_PEER_HOST, ((sb_span){ (const uint8_t *)"\xAA", 1 }));
    EXPECT_NO_EVENT(c);
    rig_step(c);
    EXPECT_SENT(c, rig_server(), "02 01 01 00 00 00");
    CHECK_EQ(rig_count(c, SB_TRANSPORT_COUNT_UNKNOWN_TYPE), 1);
}

TEST(conformance_09_a_peers_id_from_another_address_has_no_effect)
{
    static const char *const stolen[] = {
        "02 01 05 0A C0 01 00 02 0A 0A 0A EF", /* Disconnect, expected on its channel */
        "02 01 32 06 80 05 00 0E",             /* Data, expected */
        "02 04 01 02 00 00 01 03 00 00 01 04 00 00 01 05 00 00", /* Acks of all messages in flight
                                                                  */
        "02 01 00 0C C0 01 00 02 0A 0A 0A EF 4B 00",             /* Name */
        "02 01 02",                                              /* NoOp */
        "02 01 03 0F C0 00 00 0A 0A 0A EF F9 78 00 00 00 00",
    };
    rig        *r = host_of_examples(5), *twin = host_of_examples(5);
    sb_endpoint other_port = { rig_endpoint(1).address, RIG_PORT + 1 };
    for (size_t i = 0; i < sizeof stolen / sizeof *stolen; i++) {
        uint8_t bytes[64];
        sb_span plain = { bytes, test_hex(stolen[i], bytes, sizeof bytes) };
        REFUSE(r, rig_endpoint(9), plain, SB_TRANSPORT_COUNT_UNKNOWN_SOURCE); /* a stranger */
        /* The peer is not silent, so its port cannot change. Peer 3 is asked for marks (§10.8). */
        REFUSE(r, other_port, plain, SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
        REFUSE(r, rig_endpoint(2), plain, SB_TRANSPORT_COUNT_ID_MISMATCH);
        REFUSE(twin, rig_endpoint(2), rig_hex("04 01 02"), SB_TRANSPORT_COUNT_ID_MISMATCH);
        EXPECT_SAME(r, twin);
    }
    rig_wait(r, 10 * SB_SECOND);
    rig_wait(twin, 10 * SB_SECOND);
    EXPECT_SAME(r, twin);
}

/* ---- 10: spoofed Connects ------------------------------------------------------------------ */

enum { FLOOD = 10000, FLOOD_SOURCES = 2500, FLOOD_PLAYERS = 3 };

/* Three players exchange numbered messages with the host. */
static void play(rig *r, uint16_t round)
{
    for (uint8_t id = 2; id < 2 + FLOOD_PLAYERS; id++) {
        rig_pack p;
        rig_pack_init(&p, id);
        if (round > 0) rig_pack_ack(&p, false, (uint16_t)(round - 1));
        rig_pack_data(&p, round, rig_pattern(12, round));
        GIVE_PACK(r, rig_endpoint(id - 1u), &p);
        EXPECT_DATA(r, id, rig_pattern(12, round));
        CHECK_EQ(sb_transport_host_send(r->host, id, SB_RELIABLE, rig_pattern(7, round)), SB_OK);
    }
}

/* Adds up the new bytes that went to each spoofed source. */
static void add_answers(rig *r, uint32_t answered[FLOOD_SOURCES])
{
    for (const rig_sent *sent = rig_next_sent(r); sent; sent = rig_next_sent(r)) {
        uint32_t source = sent->to.address - 0x0B000000u;
        if (source < FLOOD_SOURCES) answered[source] += (uint32_t)sent->size;
    }
    rig_forget(r);
}

TEST(conformance_10_10000_spoofed_connects_cost_nothing)
{
    static uint32_t asked[FLOOD_SOURCES], answered[FLOOD_SOURCES];
    memset(asked, 0, sizeof asked);
    memset(answered, 0, sizeof answered);
    rig                     *r = rig_open_host(NULL);
    sb_transport_host_config config;
    sb_random                random;
    rig_host_config(&config);
    size_t memory = sb_transport_host_bytes(&config);
    for (unsigned i = 1; i <= FLOOD_PLAYERS; i++) CHECK_EQ(rig_join(r, rig_endpoint(i)), i + 1);
    sb_random_init(&random, 10);
    uint64_t in = 0, out = 0;
    for (int i = 0; i < FLOOD; i++) {
        uint32_t source = i % 3 == 0 ? 7 : sb_random_below(&random, FLOOD_SOURCES);
        asked[source] += 17;
        in += 17;
        sb_endpoint from = { 0x0B000000u + source,
                             (uint16_t)(1024 + sb_random_below(&random, 50)) };
        (void)!rig_give_hex(r, from, "FF 01 03 0F C0 00 00 0A 0A 0A EF F9 78 00 00 00 00");
        if (i % 100 == 0) play(r, (uint16_t)(i / 100));
        rig_wait(r, 2 * RIG_MILLISECOND);
        add_answers(r, answered);
    }
    rig_wait(r, 12 * SB_SECOND);
    add_answers(r, answered);
    for (size_t i = 0; i < FLOOD_SOURCES; i++) {
        CHECK(answered[i] <= asked[i]);
        out += answered[i];
    }
    CHECK(out > 0 && out <= in);
    CHECK_EQ(sb_transport_host_bytes(&config), memory);
    CHECK_EQ(sb_transport_host_peer_count(r->host), FLOOD_PLAYERS);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_JOINED), FLOOD_PLAYERS);
    /* 500 a second, of ten /24s: all were answered, and none was repeated. */
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_CONNECTS), FLOOD_PLAYERS + FLOOD);
    CHECK_EQ(out, 12 * FLOOD);
    play(r, FLOOD / 100);                                       /* all three players lost nothing */
    CHECK_EQ(rig_join(r, rig_endpoint(50)), 2 + FLOOD_PLAYERS); /* a real client can still join */
}

/* ---- 11: liveness -------------------------------------------------------------------------- */

TEST(conformance_11_a_silent_peer_is_removed_at_45_seconds)
{
    rig *r = rig_open_host(NULL);
    CHECK_EQ(rig_join(r, rig_endpoint(1)), 2);
    GIVE(r, rig_endpoint(1), "02 01 02");
    sb_time heard = r->now;
    rig_wait_until(r, heard + 45 * SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    rig_wait(r, 1);
    EXPECT_LEFT(r, 2, SB_LEFT_TIMED_OUT);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 0);
    rig_wait(r, 60 * SB_SECOND);
    EXPECT_NO_EVENT(r);
}

/* Runs an hour; the other side sends `idle`, this side must send `ours`. */
static void idle_hour(rig *r, sb_endpoint other, const char *idle, const char *ours)
{
    uint64_t refused = rig_refusals(r);
    GIVE(r, other, idle);
    rig_step(r);
    rig_wait(r, 5 * SB_SECOND);
    rig_forget(r);
    sb_time last = r->now;
    while (r->now < last + 5 * SB_SECOND && r->sent_count == 0) rig_wait(r, 1000);
    CHECK_EQ(r->sent_count, 1);
    last = r->sent[0].at;
    for (int i = 0; i < 3600 / 5; i++) {
        rig_forget(r);
        GIVE(r, other, idle);
        rig_wait_until(r, last + 5 * SB_SECOND - 1);
        EXPECT_SILENCE(r);
        rig_wait(r, 1);
        EXPECT_SENT(r, other, ours);
        EXPECT_SILENCE(r);
        EXPECT_NO_EVENT(r);
        last = r->now;
    }
    CHECK_EQ(rig_refusals(r), refused);
}

TEST(conformance_11_noops_keep_a_peer_and_come_every_5_seconds)
{
    rig *r = rig_open_host(NULL), *c = rig_open_client(NULL);
    CHECK_EQ(rig_join(r, rig_endpoint(1)), 2);
    rig_join_client(c, 2);
    idle_hour(r, rig_endpoint(1), "02 01 02", "01 01 02");
    idle_hour(c, rig_server(), "01 01 02", "02 01 02");
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    CHECK_EQ(sb_transport_client_id(c->client), 2);
    uint8_t     out[SB_DATAGRAM_MAX]; /* encrypted, as in spec 01 §8.2 */
    sb_endpoint to;
    r->now += 5 * SB_SECOND, c->now += 5 * SB_SECOND;
    CHECK_EQ(sb_transport_host_write(r->host, r->now, &to, out), 3);
    CHECK_BYTES(out, 3, "\x01\xD7\x32", 3);
    CHECK_EQ(sb_transport_client_write(c->client, c->now, out), 3);
    CHECK_BYTES(out, 3, "\x02\xD7\x32", 3);
}

/* ---- 12, 13, 14 ---------------------------------------------------------------------------- */

/* The only datagram to `to`. */
static void expect_only(rig *r, sb_endpoint to, const char *hex)
{
    uint8_t bytes[SB_DATAGRAM_MAX];
    size_t  size = test_hex(hex, bytes, sizeof bytes);
    r->sent_next = 0;
    const rig_sent *sent = rig_next_sent_to(r, to);
    CHECK(sent != NULL);
    CHECK_BYTES(sent->plain, sent->size, bytes, size);
    CHECK(rig_next_sent_to(r, to) == NULL);
}

TEST(conformance_12_a_disconnect_among_acks_is_passed_on_once)
{
    rig *r = rig_open_host(NULL);
    for (unsigned i = 1; i <= 3; i++) CHECK_EQ(rig_join(r, rig_endpoint(i)), i + 1);
    CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, rig_pattern(4, 1)), SB_OK);
    CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, rig_pattern(4, 2)), SB_OK);
    rig_step(r);
    rig_forget(r);
    uint64_t          unmatched = rig_count(r, SB_TRANSPORT_COUNT_UNMATCHED_ACK);
    static const char leaving[] = "02 03 01 00 00 00 05 0A C0 01 00 02 0A 0A 0A EF 01 01 00 00";
    GIVE(r, rig_endpoint(1), leaving);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNMATCHED_ACK), unmatched); /* both Acks matched */
    rig_step(r);
    expect_only(r, rig_endpoint(1), "01 01 01 01 00 02");
    rig_wait(r, 4 * SB_SECOND);
    rig_forget(r);
    rig_wait(r, 2 * SB_SECOND); /* silence proves the Disconnect (§8.4) */
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
    expect_only(r, rig_endpoint(2), "01 01 05 0A C0 01 00 02 0A 0A 0A EF");
    expect_only(r, rig_endpoint(3), "01 01 05 0A C0 01 00 02 0A 0A 0A EF");
    rig_forget(r);
    GIVE(r, rig_endpoint(2), "03 01 01 01 00 02");
    GIVE(r, rig_endpoint(3), "04 01 01 01 00 02");
    rig_wait(r, 2 * SB_SECOND);
    (void)!rig_give_hex(r, rig_endpoint(1), leaving); /* the Ack was lost: the client retransmits */
    rig_step(r);
    EXPECT_SENT(r, rig_endpoint(1), "01 01 01 01 00 02");
    rig_wait(r, 2 * SB_SECOND);
    EXPECT_SILENCE(r);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 2);
}

TEST(conformance_13_noops_anywhere_leave_other_messages_alone)
{
    rig         *r = host_of_examples(5), *c = rig_open_client(NULL);
    sb_endpoint  at = rig_endpoint(1);
    sb_peer_info info;
    uint8_t      bytes[SB_DATAGRAM_ACCEPTED];
    size_t       size;
    rig_forget(r);
    CHECK(read_vector("11.10-noop-between", bytes, sizeof bytes, &size));
    CHECK_EQ(rig_give(r, at, (sb_span){ bytes, size }), SB_OK);
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\x2A\x20", 2 }));
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 3); /* Data 2, 3 and 5: the Ack of 4 matched */
    GIVE(r, at, "02 03 02 01 02 00 00 32 06 80 06 00 0E"); /* first */
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\x0E", 1 }));
    GIVE(r, at, "02 03 01 03 00 00 32 06 80 07 00 0F 02"); /* last */
    EXPECT_DATA(r, 2, ((sb_span){ (const uint8_t *)"\x0F", 1 }));
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 1);
    GIVE(r, at, "02 04 02 02 01 05 00 00 02"); /* several */
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.unacknowledged, 0);
    rig_step(r);
    EXPECT_SAID(r, at, "Ack 5, Ack 6, Ack 7"); /* no Ack of a NoOp */
    EXPECT_SILENCE(r);
    /* The 15-byte idle datagram: all three Acks are processed. */
    rig_join_client(c, 2);
    uint64_t unmatched = rig_count(c, SB_TRANSPORT_COUNT_UNMATCHED_ACK);
    CHECK(read_vector("11.11-idle-three-acks", bytes, sizeof bytes, &size));
    CHECK_EQ(size, 15);
    CHECK_EQ(rig_give(c, rig_server(), (sb_span){ bytes, size }), SB_OK);
    CHECK_EQ(rig_count(c, SB_TRANSPORT_COUNT_UNMATCHED_ACK), unmatched + 3);
    bytes[0] = 2;
    unmatched = rig_count(r, SB_TRANSPORT_COUNT_UNMATCHED_ACK);
    CHECK_EQ(rig_give(r, at, (sb_span){ bytes, size }), SB_OK);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_UNMATCHED_ACK), unmatched + 3);
}

TEST(conformance_14_a_host_writes_a_boot_as_reason_then_peer_id)
{
    rig *r = rig_open_host(NULL);
    CHECK_EQ(rig_join(r, rig_endpoint(1)), 2);
    CHECK_EQ(rig_join(r, rig_endpoint(2)), 3);
    sb_transport_host_boot(r->host, r->now, 2, SB_BOOT_KICKED);
    rig_step(r);
    for (unsigned i = 1; i <= 2; i++) {
        r->sent_next = 0;
        const rig_sent *boot = rig_next_sent_to(r, rig_endpoint(i));
        CHECK(boot != NULL);
        CHECK_BYTES(boot->plain, boot->size, "\x01\x01\x04\x07\xC0\x01\x00\x04\x02", 9);
    }
    EXPECT_LEFT(r, 2, SB_LEFT_BOOTED);
}

TEST(conformance_14_a_boot_ends_a_client_or_removes_a_player)
{
    static const struct {
        const char *boot;
        uint8_t     left, reason;
        bool        over;
    } cases[] = {
        { "01 01 04 07 C0 01 00 04 02", 2, 4, true },
        { "01 01 04 07 C0 01 00 03 FF", 2, 3, true },
        { "01 01 04 07 C0 01 00 01 03", 3, 1, false },
    };
    for (size_t i = 0; i < 3; i++) {
        rig *c = rig_open_client(NULL);
        rig_join_client(c, 2);
        GIVE(c, rig_server(), cases[i].boot);
        rig_step(c);
        EXPECT_SAID(c, rig_server(), "Ack low 1");
        if (cases[i].over) rig_wait(c, 6 * SB_SECOND); /* the host's silence proves it (§8.4) */
        const rig_event *e = rig_next_event(c);
        CHECK(e != NULL);
        CHECK_EQ(e->event.type, SB_EVENT_LEFT);
        CHECK_EQ(e->event.reason, SB_LEFT_BOOTED);
        CHECK_EQ(e->event.boot_reason, cases[i].reason);
        CHECK_EQ(e->event.peer_id, cases[i].left);
        CHECK_EQ(sb_transport_client_is_over(c->client), cases[i].over);
        sb_result sent = sb_transport_client_send(c->client, SB_RELIABLE, rig_pattern(1, 1));
        CHECK_EQ(sent, cases[i].over ? SB_NOT_ALLOWED : SB_OK);
    }
}
