/* tests/inspect/dissector_test.c -- the records that the dissector makes of datagrams.
 *
 * Covers dissector.c, conversation.c, reassembly.c and sequence.h.
 */
#include "inspect/dissector.h"

#include <starbase/cipher.h>

#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "base/bytes.h"
#include "base/random.h"

enum { SEEN_MAX = 64 };

/* Copies of the members of a record, which itself is only lent. */
typedef struct seen {
    sb_record record;
    uint8_t   bytes[1024];
    uint8_t   first;
} seen;

static struct {
    void         *memory;
    sb_dissector *d;
    int64_t       now_us;
    size_t        count;
    seen          seen[SEEN_MAX];
} f;

static const sb_endpoint host = { 0x0A000001, 22101 };
static const sb_endpoint alice = { 0x0A000002, 4001 }, bob = { 0x0A000003, 4002 };

static void keep(void *self, const sb_record *r)
{
    (void)self;
    if (f.count >= SEEN_MAX) test_fail(__FILE__, __LINE__, "too many records");
    seen *s = &f.seen[f.count++];
    s->record = *r;
    s->first = r->bytes.size > 0 ? r->bytes.data[0] : 0;
    memcpy(s->bytes, r->bytes.data,
           r->bytes.size < sizeof s->bytes ? r->bytes.size : sizeof s->bytes);
}

static const sb_record_sink sink = { NULL, keep };

static void start(sb_dissector_options options)
{
    free(f.memory);
    options.port = 22101;
    f.memory = malloc(sb_dissector_bytes(&options));
    CHECK(f.memory != NULL);
    f.d = sb_dissector_init(f.memory, &options);
    f.now_us = 1000000;
    f.count = 0;
}

static void feed_raw(sb_endpoint from, sb_endpoint to, const uint8_t *bytes, size_t size)
{
    sb_packet packet = { f.now_us, from, to, { bytes, size } };
    f.now_us += 1000;
    f.count = 0;
    sb_dissector_feed(f.d, &packet, &sink);
    sb_dissector_check(f.d);
}

/* Feeds a decrypted datagram in hex; byte 0 is the sender. */
static void feed(sb_endpoint client, const char *hex)
{
    uint8_t bytes[1500];
    size_t  size = test_hex(hex, bytes, sizeof bytes);
    bool    from_host = size > 0 && bytes[0] == SB_PEER_HOST;
    sb_encrypt_datagram(bytes, size);
    feed_raw(from_host ? host : client, from_host ? client : host, bytes, size);
}

static const sb_record *only(void)
{
    CHECK_EQ(f.count, 1);
    return &f.seen[0].record;
}

/* Feeds one reliable Data message `2A 20` with this sequence number. */
static const sb_record *feed_number(unsigned seq)
{
    uint8_t bytes[] = { 2, 1, 0x32, 0x07, 0x80, (uint8_t)seq, (uint8_t)(seq >> 8), 0x2A, 0x20 };
    sb_encrypt_datagram(bytes, sizeof bytes);
    feed_raw(alice, host, bytes, sizeof bytes);
    return only();
}

static void feed_ack(unsigned seq)
{
    uint8_t bytes[] = { 2, 1, 0x01, (uint8_t)seq, (uint8_t)(seq >> 8), 0 };
    sb_encrypt_datagram(bytes, sizeof bytes);
    feed_raw(alice, host, bytes, sizeof bytes);
}

static const char connect[] = "FF 01 03 0F C0 00 00 0A 0A 0A EF F9 78 00 00 00 00";

/* ---- one datagram ---- */

TEST(dissector_splits_the_answer_of_spec_01_section_11_2)
{
    start((sb_dissector_options){ 0 });
    uint8_t bytes[64];
    size_t  size = test_hex("01 D5 3B DE 6B 28 F7 D1 7F 1A 5A B8 B7 48 A7 78 73 C0 DE 8E 6F 68 0D "
                             "6F 01 3D 2A 33 DF 7B B1 F5 8D 15 2A 91 73 8D 4E",
                            bytes, sizeof bytes);
    feed_raw(host, alice, bytes, size);
    CHECK_EQ(f.count, 3);
    CHECK_EQ(f.seen[0].record.layer, SB_LAYER_TRANSPORT);
    CHECK_EQ(f.seen[0].record.transport.type, SB_TRANSPORT_ACK);
    CHECK_EQ(f.seen[1].record.transport.type, SB_TRANSPORT_CONNECT);
    CHECK_EQ(f.seen[1].record.bytes.size, 6);
    CHECK_EQ(f.seen[2].record.layer, SB_LAYER_MESSAGE);
    CHECK_EQ(f.seen[2].record.result, SB_OK);
    CHECK_EQ(f.seen[2].first, 0x20);
    CHECK_EQ(f.seen[2].record.bytes.size, 22);
    for (size_t i = 0; i < 3; i++) {
        CHECK_EQ(f.seen[i].record.number, i + 1);
        CHECK_EQ(f.seen[i].record.datagram, 1);
        CHECK_EQ(f.seen[i].record.from, SB_SIDE_HOST);
        CHECK_EQ(f.seen[i].record.peer_id, 1);
        CHECK_EQ(f.seen[i].record.plain.size, 39);
    }
}

TEST(dissector_leaves_query_texts_alone_and_knows_their_sides)
{
    static const char answer[] = "\\gamename\\bcommander\\final\\\\queryid\\2.1";
    start((sb_dissector_options){ 0 });
    feed_raw(alice, host, (const uint8_t *)"\\status\\", 8);
    CHECK_EQ(only()->layer, SB_LAYER_GAMESPY);
    CHECK_EQ(only()->from, SB_SIDE_CLIENT);
    CHECK_BYTES(f.seen[0].bytes, 8, "\\status\\", 8);
    feed_raw(host, alice, (const uint8_t *)answer, sizeof answer - 1);
    CHECK_EQ(only()->from, SB_SIDE_HOST);
    CHECK_EQ(only()->result, SB_OK);
    feed_raw(alice, host, (const uint8_t *)"\\\\x", 3);
    CHECK_EQ(only()->result, SB_BAD_VALUE);
}

TEST(dissector_refuses_datagrams_beyond_1500_bytes)
{
    static uint8_t bytes[1501] = { 2 };
    start((sb_dissector_options){ 0 });
    feed_raw(alice, host, bytes, sizeof bytes);
    CHECK_EQ(only()->layer, SB_LAYER_DATAGRAM);
    CHECK_EQ(only()->result, SB_FULL);
    CHECK_EQ(only()->refusal.offset, 1500);
}

TEST(dissector_shows_a_malformed_datagram_as_one_refused_record)
{
    start((sb_dissector_options){ 0 });
    feed(alice, "02 02 01 00 00 00");
    CHECK_EQ(only()->layer, SB_LAYER_PLAIN);
    CHECK_EQ(only()->result, SB_TRUNCATED);
    CHECK_EQ(only()->refusal.offset, 6);
    feed(alice, "");
    CHECK_EQ(only()->result, SB_TRUNCATED);
    feed(alice, "02");
    CHECK_EQ(only()->result, SB_TRUNCATED);
}

TEST(dissector_keeps_the_messages_before_an_unknown_type)
{
    start((sb_dissector_options){ 0 });
    feed(alice, "02 02 02 77 01 02");
    CHECK_EQ(f.count, 2);
    CHECK_EQ(f.seen[0].record.transport.type, SB_TRANSPORT_NOOP);
    CHECK_EQ(f.seen[1].record.layer, SB_LAYER_PLAIN);
    CHECK_EQ(f.seen[1].record.result, SB_UNKNOWN_OPCODE);
    CHECK_EQ(f.seen[1].record.refusal.offset, 3);
}

TEST(dissector_reports_trailing_bytes_and_empty_datagrams)
{
    start((sb_dissector_options){ 0 });
    feed(alice, "02 01 02 AA BB");
    CHECK_EQ(f.count, 2);
    CHECK_EQ(f.seen[1].record.result, SB_TRAILING);
    CHECK_EQ(f.seen[1].record.refusal.offset, 3);
    feed(alice, "02 00");
    CHECK_EQ(only()->layer, SB_LAYER_PLAIN);
    CHECK_EQ(only()->result, SB_OK);
}

TEST(dissector_shows_an_empty_data_message_as_transport)
{
    start((sb_dissector_options){ 0 });
    feed(alice, "02 01 32 05 80 07 00");
    CHECK_EQ(only()->layer, SB_LAYER_TRANSPORT);
    CHECK_EQ(only()->result, SB_OK);
}

/* ---- sequence numbers ---- */

TEST(dissector_marks_copies_gaps_and_late_messages)
{
    start((sb_dissector_options){ 0 });
    CHECK_EQ(feed_number(10)->gap, 0); /* the first number seen starts the sequence */
    CHECK(!feed_number(11)->retransmission);
    CHECK(feed_number(11)->retransmission);
    CHECK_EQ(feed_number(14)->gap, 2);
    const sb_record *r = feed_number(12);
    CHECK(r->late);
    CHECK(!r->retransmission);
    CHECK(feed_number(12)->retransmission);
    CHECK(feed_number(13)->late);
    CHECK_EQ(feed_number(15)->gap, 0);
    CHECK(!feed_number(9)->late); /* older than the first number seen: unknown */
}

TEST(dissector_counts_numbers_across_the_wrap)
{
    start((sb_dissector_options){ 0 });
    (void)feed_number(0xFFFD);
    CHECK_EQ(feed_number(0xFFFE)->gap, 0);
    CHECK_EQ(feed_number(1)->gap, 2);
    CHECK(feed_number(0xFFFF)->late);
    CHECK(feed_number(0)->late);
    CHECK(feed_number(0xFFFE)->retransmission);
    CHECK_EQ(feed_number(2)->gap, 0);
}

TEST(dissector_never_marks_a_number_of_65536_messages_in_a_row)
{
    start((sb_dissector_options){ 0 });
    for (unsigned i = 0; i < 70000; i++) {
        const sb_record *r = feed_number(i & 0xFFFF);
        if (r->retransmission || r->late || r->gap > 0) FAIL("message %u is marked", i);
    }
}

TEST(dissector_expects_number_0_after_a_connect)
{
    start((sb_dissector_options){ 0 });
    feed(alice, connect);
    CHECK_EQ(only()->gap, 0);
    CHECK_EQ(feed_number(1)->gap, 1);
    CHECK(feed_number(0)->late);
}

TEST(dissector_knows_a_repeated_connect_from_a_new_session)
{
    start((sb_dissector_options){ 0 });
    feed(alice, connect);
    CHECK(!only()->retransmission);
    (void)feed_number(0);
    feed(alice, connect);
    CHECK(only()->retransmission);
    CHECK(feed_number(0)->retransmission);
    feed(alice, "FF 01 03 0F C0 00 00 0A 0A 0A EF FA 78 00 00 00 00");
    CHECK(!only()->retransmission);
    CHECK(!feed_number(0)->retransmission);
    f.now_us += 13 * 1000 * 1000;
    feed(alice, "FF 01 03 0F C0 00 00 0A 0A 0A EF FA 78 00 00 00 00");
    CHECK(!only()->retransmission);
    CHECK_EQ(sb_dissector_counted(f.d).sessions, 3);
}

TEST(dissector_starts_a_session_with_a_connect_after_a_disconnect)
{
    start((sb_dissector_options){ 0 });
    feed(alice, connect);
    feed(alice, "02 01 05 0A C0 01 00 02 0A 0A 0A EF");
    feed(alice, connect);
    CHECK(!only()->retransmission);
    CHECK_EQ(sb_dissector_counted(f.d).sessions, 2);
}

TEST(dissector_keeps_channels_directions_and_clients_apart)
{
    start((sb_dissector_options){ 0 });
    (void)feed_number(5);
    feed(alice, "01 01 32 07 80 05 00 2A 20");
    CHECK(!only()->retransmission);
    feed(bob, "03 01 32 07 80 05 00 2A 20");
    CHECK(!only()->retransmission);
    feed(alice, "02 01 05 0A C0 05 00 02 0A 0A 0A EF");
    CHECK(!only()->retransmission);
    CHECK(feed_number(5)->retransmission);
}

TEST(dissector_marks_repeated_acks_but_no_gaps_between_them)
{
    start((sb_dissector_options){ 0 });
    feed_ack(4);
    CHECK(!only()->repeated);
    feed_ack(9);
    CHECK_EQ(only()->gap, 0);
    feed_ack(4);
    CHECK(only()->repeated);
    CHECK(!only()->retransmission);
    feed(alice, "02 02 01 07 00 01 00 01 07 00 01 01");
    CHECK(!f.seen[1].record.repeated);
    feed(alice, "02 01 01 07 00 01 01");
    CHECK(only()->repeated);
}

/* ---- fragments ---- */

static void feed_fragment(unsigned seq, unsigned index, unsigned total, const char *payload)
{
    uint8_t bytes[64] = { 2, 1, 0x32, 0, 0xA0, (uint8_t)seq, 0, (uint8_t)index };
    size_t  size = 8;
    if (index == 0) bytes[size++] = (uint8_t)total;
    size += test_hex(payload, bytes + size, sizeof bytes - size);
    bytes[3] = (uint8_t)(size - 2);
    sb_encrypt_datagram(bytes, size);
    feed_raw(alice, host, bytes, size);
}

TEST(dissector_joins_fragments_in_any_order)
{
    static const uint8_t whole[] = { 0x2C, 2, 0, 0, 0, 5, 0, 'h', 'e', 'l', 'l', 'o' };
    start((sb_dissector_options){ 0 });
    feed_fragment(3, 2, 3, "6C 6C 6F");
    CHECK_EQ(only()->layer, SB_LAYER_TRANSPORT);
    feed_fragment(3, 0, 3, "2C 02 00 00 00");
    CHECK_EQ(only()->layer, SB_LAYER_TRANSPORT);
    CHECK(!only()->retransmission);
    feed_fragment(3, 2, 3, "6C 6C 6F");
    CHECK(only()->retransmission);
    feed_fragment(3, 1, 3, "05 00 68 65");
    CHECK_EQ(only()->layer, SB_LAYER_MESSAGE);
    CHECK_EQ(only()->fragment_count, 3);
    CHECK_EQ(only()->result, SB_OK);
    CHECK_BYTES(f.seen[0].bytes, only()->bytes.size, whole, sizeof whole);
    feed_fragment(3, 1, 3, "05 00 68 65");
    CHECK_EQ(only()->layer, SB_LAYER_TRANSPORT);
    CHECK(only()->retransmission);
    CHECK_EQ(feed_number(4)->gap, 0); /* all fragments share one number */
}

TEST(dissector_refuses_fragments_that_contradict_each_other)
{
    start((sb_dissector_options){ 0 });
    feed_fragment(3, 0, 2, "2C 02");
    feed_fragment(3, 2, 0, "00");
    CHECK_EQ(only()->result, SB_BAD_VALUE);
    feed_fragment(4, 5, 0, "00");
    CHECK_EQ(only()->result, SB_OK);
    feed_fragment(4, 0, 3, "2C");
    CHECK_EQ(only()->result, SB_BAD_VALUE);
    CHECK_EQ(sb_dissector_counted(f.d).fragments_refused, 2);
}

TEST(dissector_evicts_the_oldest_incomplete_message)
{
    start((sb_dissector_options){ .reassemblies = 2 });
    feed_fragment(1, 0, 2, "2A");
    feed_fragment(2, 0, 2, "2A");
    feed_fragment(3, 0, 2, "2A");
    CHECK_EQ(sb_dissector_counted(f.d).reassemblies_evicted, 1);
    feed_fragment(2, 1, 2, "20");
    CHECK_EQ(only()->layer, SB_LAYER_MESSAGE);
    feed_fragment(1, 1, 2, "20");
    CHECK_EQ(only()->layer, SB_LAYER_TRANSPORT);
}

TEST(dissector_bounds_a_message_made_of_huge_fragments)
{
    static uint8_t bytes[1500];
    start((sb_dissector_options){ .reassemblies = 1 });
    for (unsigned i = 0; i < 255; i++) {
        memset(bytes, 0, sizeof bytes);
        bytes[0] = 2, bytes[1] = 1, bytes[2] = 0x32;
        sb_store_u16(bytes + 3, (uint16_t)(0xA000 | (sizeof bytes - 2)));
        bytes[7] = (uint8_t)i;
        bytes[8] = 255;
        sb_encrypt_datagram(bytes, sizeof bytes);
        feed_raw(alice, host, bytes, sizeof bytes);
        CHECK_EQ(only()->layer, SB_LAYER_TRANSPORT);
    }
    CHECK(sb_dissector_counted(f.d).fragments_refused > 100);
}

/* ---- ships ---- */

#define SOVEREIGN                                                                                  \
    "03 00 02 08 80 00 00 FF FF FF 3F 05 00 00 18 42 00 00 44 C2 00 00 0C C2 52 93 45 3F "         \
    "BB C9 22 BF E2 58 10 B3 25 8D 6C B2 00 00 00 00 00 00 00 05 43 61 64 79 32 06 4D 75 6C "      \
    "74 69 31 FF FF 64 FF FF FF FF FF FF FF 64 FF FF FF FF FF FF 64 FF FF FF FF FF FF FF 64 "      \
    "60 00 FF 64 FF FF FF FF FF FF FF FF FF 64 01 FF FF FF FF FF 64 01 FF FF FF 64 FF"
/* A SUBSYS block from entry 2 of a Sovereign on, sent to its owner (spec 03 §4.4). */
#define UPDATE                                                                                     \
    "32 1D 00 1C FF FF FF 3F 00 00 00 42 20 02 FF 60 FF FF FF FF FF FF FF FF FF FF FF FF FF"
#define SETTINGS_SLOT_0                                                                            \
    "01 01 32 33 80 06 00 00 00 00 05 42 61 00 25 00 4D 75 6C 74 69 70 6C 61 79 65 72 2E 45 70 "   \
    "69 73 6F 64 65 2E 4D 69 73 73 69 6F 6E 31 2E 4D 69 73 73 69 6F 6E 31"

static const char *ship_name(void)
{
    return only()->context.ship ? only()->context.ship->name : "none";
}

TEST(dissector_learns_a_ship_for_all_clients_of_its_host)
{
    start((sb_dissector_options){ 0 });
    feed(alice, "01 01 " UPDATE);
    CHECK_TEXT(ship_name(), "none");
    CHECK_EQ(only()->result, SB_OK);
    feed(alice, "02 01 32 76 80 00 00 " SOVEREIGN);
    CHECK_EQ(only()->result, SB_OK);
    feed(alice, "01 01 " UPDATE);
    CHECK_TEXT(ship_name(), "Sovereign");
    feed(bob, "01 01 " UPDATE);
    CHECK_TEXT(ship_name(), "Sovereign");
    uint8_t     bytes[64];
    size_t      size = test_hex("01 01 " UPDATE, bytes, sizeof bytes);
    sb_endpoint other = { 0x0A000009, 22101 };
    sb_encrypt_datagram(bytes, size);
    feed_raw(other, alice, bytes, size);
    CHECK_TEXT(ship_name(), "none");
}

TEST(dissector_knows_whose_ship_a_message_is_about)
{
    start((sb_dissector_options){ 0 });
    feed(alice, SETTINGS_SLOT_0);
    feed(alice, "01 01 " UPDATE);
    CHECK(only()->context.own);
    feed(bob, "01 01 " UPDATE);
    CHECK(!only()->context.own);
    feed(bob, "03 01 32 76 80 00 00 " SOVEREIGN); /* no Settings seen: the slot comes from the
                                                     ship's id */
    feed(bob, "01 01 " UPDATE);
    CHECK(only()->context.own);
    feed(alice, "02 01 " UPDATE); /* the owner sends to the host, which does not own the ship */
    CHECK(!only()->context.own);
}

/* ---- the layout of the shield generator ---- */

/* Blocks a host of either layout sends to the owner of an intact Sovereign: spec 03 §4.3, §4.4. */
static const char *const documented_blocks[] = {
    "00 FF FF FF 40 FF FF FF FF FF FF",    "05 FF FF FF FF FF FF FF 40 FF",
    "07 FF FF FF FF FF FF FF FF FF 20",    "08 FF FF FF FF FF 40 FF FF FF",
    "0A FF FF FF FF 40 FF FF FF FF FF FF",
};
static const char *const stock_blocks[] = {
    "00 FF FF 20 FF FF FF FF FF FF",       "02 FF 60 FF FF FF FF FF FF FF FF FF FF FF FF FF",
    "06 FF 40 FF FF FF FF FF FF FF FF FF", "08 FF FF FF FF FF 40 FF FF FF",
    "0A FF FF FF 20 FF FF FF FF FF FF",
};
enum { BLOCKS = 5 };

/* Feeds the first five blocks once, then repeats the last four. */
static const sb_record *feed_block(sb_endpoint client, const char *const blocks[BLOCKS],
                                   unsigned number)
{
    uint8_t bytes[64] = { 1, 1, 0x32, 0, 0, 0x1C, 0xFF, 0xFF, 0xFF, 0x3F };
    sb_store_u32(bytes + 10, sb_float_bits(20 + 0.1f * (float)number));
    bytes[14] = SB_STATE_SUBSYS;
    size_t size = 15 + test_hex(blocks[number < BLOCKS ? number : 1 + (number - 1) % (BLOCKS - 1)],
                                bytes + 15, sizeof bytes - 15);
    bytes[3] = (uint8_t)(size - 2);
    sb_encrypt_datagram(bytes, size);
    feed_raw(host, client, bytes, size);
    CHECK_EQ(only()->result, SB_OK);
    return only();
}

TEST(dissector_learns_the_shield_layout_from_a_hosts_blocks)
{
    start((sb_dissector_options){ 0 });
    feed(alice, "02 01 32 76 80 00 00 " SOVEREIGN);
    for (unsigned i = 0; i < 12; i++) {
        const sb_record *r = feed_block(alice, documented_blocks, i);
        CHECK_EQ(r->shield_fit, i % 4 == 0 ? SB_FIT_DOCUMENTED : SB_FIT_BOTH);
        CHECK_EQ(r->context.layout, i < 4 ? SB_SHIELD_STOCK : SB_SHIELD_DOCUMENTED);
        CHECK_EQ(r->shield_verdict, i < 4 ? SB_LAYOUT_UNKNOWN : SB_LAYOUT_DOCUMENTED);
        CHECK_EQ(r->shield_layout_changed, i == 4);
    }
    CHECK_EQ(feed_block(bob, documented_blocks, 0)->context.layout, SB_SHIELD_STOCK);
    feed(alice, "01 01 32 05 00 2A 20"); /* no StateUpdate */
    CHECK_EQ(only()->context.layout, SB_SHIELD_STOCK);
    CHECK_EQ(only()->shield_fit, SB_FIT_NO_BLOCK);
    CHECK_EQ(only()->shield_verdict, SB_LAYOUT_UNKNOWN);
    feed(alice, connect); /* a new session with the same host */
    CHECK_EQ(feed_block(alice, documented_blocks, 0)->context.layout, SB_SHIELD_DOCUMENTED);
}

TEST(dissector_reports_no_layout_change_for_a_stock_host)
{
    start((sb_dissector_options){ 0 });
    feed(alice, "02 01 32 76 80 00 00 " SOVEREIGN);
    for (unsigned i = 0; i < 12; i++) {
        CHECK(!feed_block(alice, stock_blocks, i)->shield_layout_changed);
        CHECK_EQ(only()->context.layout, SB_SHIELD_STOCK);
    }
    CHECK_EQ(only()->shield_verdict, SB_LAYOUT_STOCK);
    unsigned changed = 0;
    while (!feed_block(alice, documented_blocks, changed)->shield_layout_changed)
        CHECK(++changed < 20);
    CHECK_EQ(only()->shield_verdict, SB_LAYOUT_DOCUMENTED);
}

TEST(dissector_uses_a_fixed_layout_but_still_reports_the_evidence)
{
    sb_message_context fallback = { .layout = SB_SHIELD_STOCK };
    start((sb_dissector_options){ .fallback = fallback, .fixed_layout = true });
    feed(alice, "02 01 32 76 80 00 00 " SOVEREIGN);
    for (unsigned i = 0; i < 12; i++) {
        CHECK_EQ(feed_block(alice, documented_blocks, i)->context.layout, SB_SHIELD_STOCK);
        CHECK(!only()->shield_layout_changed);
    }
    CHECK_EQ(only()->shield_verdict, SB_LAYOUT_DOCUMENTED);
    fallback.layout = SB_SHIELD_DOCUMENTED;
    start((sb_dissector_options){ .fallback = fallback, .fixed_layout = true });
    feed(alice, "02 01 32 76 80 00 00 " SOVEREIGN);
    CHECK_EQ(feed_block(alice, documented_blocks, 0)->context.layout, SB_SHIELD_DOCUMENTED);
}

/* ---- bounds ---- */

TEST(dissector_uses_the_fallback_for_ships_it_saw_no_creation_of)
{
    sb_message_context fallback = { .ship = sb_find_ship(sb_stock_ships(), 1), .own = true };
    start((sb_dissector_options){ .fallback = fallback });
    feed(alice, "01 01 " UPDATE);
    CHECK_TEXT(ship_name(), fallback.ship->name);
    CHECK(only()->context.own);
    feed(alice, "01 01 32 76 80 00 00 " SOVEREIGN);
    feed(alice, "01 01 " UPDATE);
    CHECK(only()->context.ship != fallback.ship);
}

TEST(dissector_evicts_the_least_recently_active_client)
{
    start((sb_dissector_options){ .conversations = 2 });
    sb_endpoint carol = { 0x0A000004, 4003 };
    (void)feed_number(7);
    feed(bob, "03 01 32 07 80 07 00 2A 20");
    CHECK(feed_number(7)->retransmission);
    feed(carol, "04 01 32 07 80 07 00 2A 20");
    CHECK_EQ(sb_dissector_counted(f.d).conversations_evicted, 1);
    CHECK(feed_number(7)->retransmission);
    feed(bob, "03 01 32 07 80 07 00 2A 20");
    CHECK(!only()->retransmission);
}

TEST(dissector_evicts_the_least_recently_used_object)
{
    uint8_t bytes[128];
    start((sb_dissector_options){ .objects = 3 });
    for (unsigned i = 0; i < 10; i++) {
        size_t size = test_hex("02 01 32 76 80 00 00 " SOVEREIGN, bytes, sizeof bytes);
        bytes[14] = (uint8_t)i;
        sb_encrypt_datagram(bytes, size);
        feed_raw(alice, host, bytes, size);
    }
    CHECK_EQ(sb_dissector_counted(f.d).objects_evicted, 7);
}

/* ---- random input ---- */

static void count_record(void *self, const sb_record *r)
{
    uint64_t *sum = self;
    *sum = (*sum ^ (uint64_t)r->result ^ (uint64_t)r->layer << 4 ^ r->bytes.size << 8 ^ r->gap) *
           UINT64_C(0x100000001B3);
    if (r->bytes.size > 0) *sum += r->bytes.data[0] + r->bytes.data[r->bytes.size - 1];
}

/* Makes a datagram that is usually valid, sometimes with a random byte. */
static size_t make_datagram(sb_random *random, uint8_t *out)
{
    static const char *const parts[] = {
        UPDATE,
        "32 76 80 00 00 " SOVEREIGN,
        "02",
        "01 07 00 01 01",
        "32 0A A0 05 00 00 02 2C 02 00",
        "32 09 A0 05 00 01 00 00 00",
        "03 0F C0 00 00 0A 0A 0A EF F9 78 00 00 00 00",
        "32 07 80 05 00 2A 20",
    };
    unsigned count = sb_random_below(random, 4);
    size_t   size = 2;
    out[0] = (uint8_t)(1 + sb_random_below(random, 3));
    out[1] = (uint8_t)count;
    for (unsigned i = 0; i < count; i++)
        size += test_hex(parts[sb_random_below(random, 8)], out + size, 600 - size);
    for (unsigned i = sb_random_below(random, 3); i > 0; i--)
        out[sb_random_below(random, (uint32_t)size)] = (uint8_t)sb_random_next(random);
    sb_encrypt_datagram(out, size);
    return size;
}

TEST(dissector_gives_the_same_records_for_a_batch_as_one_by_one)
{
    static uint8_t bytes[37][600];
    sb_packet      packets[37];
    sb_random      random;
    uint64_t       sums[2] = { 0, 0 };
    sb_random_init(&random, 1);
    for (size_t round = 0; round < 2; round++) {
        sb_record_sink sum = { &sums[round], count_record };
        start((sb_dissector_options){ .conversations = 4, .objects = 4, .reassemblies = 2 });
        sb_random_init(&random, 7);
        for (size_t pass = 0; pass < 200; pass++) {
            for (size_t i = 0; i < 37; i++) {
                size_t      size = make_datagram(&random, bytes[i]);
                sb_endpoint client = { 0x0A000002, (uint16_t)(4000 + i % 7) };
                bool        from_host = bytes[i][0] == 1;
                packets[i] = (sb_packet){ (int64_t)(pass * 37 + i),
                                          from_host ? host : client,
                                          from_host ? client : host,
                                          { bytes[i], size } };
            }
            if (round == 0) sb_dissector_feed_batch(f.d, packets, 37, &sum);
            else
                for (size_t i = 0; i < 37; i++) sb_dissector_feed(f.d, &packets[i], &sum);
            sb_dissector_check(f.d);
        }
    }
    CHECK_EQ(sums[0], sums[1]);
    CHECK(sb_dissector_counted(f.d).records > 5000);
}
