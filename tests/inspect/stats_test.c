/* tests/inspect/stats_test.c -- counts over records, and how they are printed.
 *
 * Covers stats.c, stats_print.c, json/stats.c and undecoded.c.
 */
#include "inspect/stats.h"

#include <starbase/message.h>

#include <stdio.h>
#include <string.h>

#include "../test.h"

static sb_stats stats;
static char     printed[65536];
static size_t   printed_size;

static void keep_text(void *self, const char *data, size_t size)
{
    (void)self;
    CHECK(printed_size + size < sizeof printed);
    memcpy(printed + printed_size, data, size);
    printed_size += size;
    printed[printed_size] = '\0';
}

static const char *print_with(void (*print)(const sb_stats *, sb_output *))
{
    static char buffer[64]; /* the smallest capacity an sb_output allows */
    sb_output   out = { .data = buffer, .capacity = sizeof buffer, .flush = keep_text };
    printed_size = 0;
    printed[0] = '\0';
    print(&stats, &out);
    sb_output_flush(&out);
    return printed;
}

static sb_message message;

/* Makes a message of `size` bytes in the datagram with this number. */
static sb_record record_of(uint64_t datagram, const uint8_t *bytes, size_t size)
{
    static uint64_t number;
    message.opcode = bytes[0];
    message.trailing = (sb_span){ 0 };
    message.as.state_update.block = (sb_span){ 0 };
    return (sb_record){
        .number = ++number,
        .datagram = datagram,
        .layer = SB_LAYER_MESSAGE,
        .has_time = true,
        .time_us = (int64_t)datagram * 100000,
        .has_endpoints = true,
        .source = { 0x0A000002, 4001 },
        .destination = { 0x0A000001, 22101 },
        .from = SB_SIDE_CLIENT,
        .has_peer_id = true,
        .peer_id = 2,
        .has_transport = true,
        .transport = { .type = SB_TRANSPORT_DATA, .reliable = true },
        .bytes = { bytes, size },
        .plain = { bytes, size },
        .message = &message,
    };
}

static const uint8_t update[] = { 0x1C, 0xFF, 0xFF, 0xFF, 0x3F, 0, 0, 0, 0x42, 0x9E };

static sb_record record_of_update(uint64_t datagram, uint8_t flags)
{
    sb_record r = record_of(datagram, update, sizeof update);
    message.as.state_update.flags = flags;
    return r;
}

TEST(stats_count_messages_by_opcode_sender_and_flags)
{
    sb_stats_init(&stats);
    for (uint64_t i = 1; i <= 10; i++) {
        sb_record r = record_of_update(i, i == 1 ? 0x9D : 0x9E);
        sb_stats_add(&stats, &r);
    }
    const sb_stats_count *c = &stats.opcodes[0x1C];
    CHECK_EQ(stats.messages, 10);
    CHECK_EQ(c->count, 10);
    CHECK_EQ(c->bytes, 100);
    CHECK_EQ(c->by_side[SB_SIDE_CLIENT], 10);
    CHECK_EQ(c->last_number - c->first_number, 9);
    CHECK_EQ(stats.state_flags[SB_SIDE_CLIENT][0x9E], 9);
    CHECK_EQ(stats.state_flags[SB_SIDE_CLIENT][0x9D], 1);
    CHECK_EQ(stats.peer_count, 1);
    CHECK_EQ(stats.peers[0].datagrams, 10);
    CHECK_EQ(stats.peers[0].messages, 10);
    CHECK(sb_stats_all_decoded(&stats));
}

TEST(stats_count_messages_per_datagram_once_per_datagram)
{
    sb_stats_init(&stats);
    for (unsigned i = 0; i < 7; i++) {
        sb_record r = record_of_update(i < 3 ? 1 : i < 5 ? 2 : 3 + i, 0x9E);
        sb_stats_add(&stats, &r);
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < 256; i++) sum += stats.messages_per_datagram[i];
    CHECK_EQ(stats.messages_per_datagram[3], 1);
    CHECK_EQ(stats.messages_per_datagram[2], 1);
    CHECK_EQ(stats.messages_per_datagram[1], 2);
    CHECK_EQ(stats.datagrams, 4);
    CHECK_EQ(sum, 4);
}

TEST(stats_count_copies_gaps_and_acks_by_sender)
{
    sb_stats_init(&stats);
    sb_record r = record_of_update(1, 0x9E);
    r.retransmission = true;
    sb_stats_add(&stats, &r);
    r = record_of_update(2, 0x9E);
    r.gap = 3;
    sb_stats_add(&stats, &r);
    r = record_of_update(3, 0x9E);
    r.late = true;
    sb_stats_add(&stats, &r);
    r.layer = SB_LAYER_TRANSPORT;
    r.late = false;
    r.transport.type = SB_TRANSPORT_ACK;
    r.repeated = true;
    sb_stats_add(&stats, &r);
    CHECK_EQ(stats.peers[0].retransmissions, 1);
    CHECK_EQ(stats.peers[0].missing, 3);
    CHECK_EQ(stats.peers[0].late, 1);
    CHECK_EQ(stats.peers[0].repeated_acks, 1);
    CHECK_EQ(stats.retransmissions, 1);
    CHECK_EQ(stats.transport[SB_TRANSPORT_ACK].count, 1);
}

TEST(stats_list_the_places_of_undecoded_bytes)
{
    sb_stats_init(&stats);
    sb_record r = record_of_update(1, 0x20);
    message.as.state_update.block = (sb_span){ update + 8, 2 };
    sb_stats_add(&stats, &r);
    r = record_of_update(2, 0x20);
    message.trailing = (sb_span){ update + 9, 1 };
    sb_stats_add(&stats, &r);
    r = record_of_update(3, 0x20);
    r.message = NULL;
    r.result = SB_TRUNCATED;
    r.refusal = (sb_refusal){ SB_TRUNCATED, 4, "object_id" };
    sb_stats_add(&stats, &r);
    CHECK_EQ(stats.undecoded_count, 3);
    CHECK_EQ(stats.undecoded[0].kind, SB_UNDECODED_OPAQUE);
    CHECK_EQ(stats.undecoded[0].offset, 8);
    CHECK_EQ(stats.undecoded[0].size, 2);
    CHECK_EQ(stats.undecoded[0].bytes[1], 0x9E);
    CHECK_EQ(stats.undecoded[1].kind, SB_UNDECODED_TRAILING);
    CHECK_EQ(stats.undecoded[1].offset, 9);
    CHECK_EQ(stats.undecoded[2].kind, SB_UNDECODED_REFUSED);
    CHECK_EQ(stats.undecoded[2].size, 6);
    CHECK_EQ(stats.refused[SB_TRUNCATED], 1);
    CHECK(!sb_stats_all_decoded(&stats));
}

TEST(stats_keep_counting_beyond_what_they_list)
{
    sb_stats_init(&stats);
    for (unsigned i = 1; i <= 200; i++) {
        sb_record r = record_of_update(i, 0x20);
        r.source.port = (uint16_t)i;
        message.trailing = (sb_span){ update, 1 };
        sb_stats_add(&stats, &r);
    }
    CHECK_EQ(stats.peer_count, SB_STATS_PEERS_MAX);
    CHECK_EQ(stats.peers[SB_STATS_PEERS_MAX].datagrams, 200 - SB_STATS_PEERS_MAX);
    CHECK_EQ(stats.undecoded_count, SB_STATS_UNDECODED_MAX);
    CHECK_EQ(stats.undecoded_records[SB_UNDECODED_TRAILING], 200);
    CHECK_EQ(stats.datagrams, 200);
    CHECK(strstr(print_with(sb_stats_print), "and 136 more") != NULL);
    CHECK(strstr(printed, "all others") != NULL);
}

TEST(stats_accept_records_without_datagram_time_or_address)
{
    sb_stats_init(&stats);
    sb_record r = { .number = 1, .datagram = 1, .layer = SB_LAYER_MESSAGE, .result = SB_TRUNCATED };
    sb_stats_add(&stats, &r);
    CHECK_EQ(stats.messages, 1);
    CHECK_EQ(stats.undecoded_records[SB_UNDECODED_REFUSED], 1);
    CHECK(strstr(print_with(sb_stats_print), "1 game message with") != NULL);
    CHECK(strstr(print_with(sb_stats_print_json), "\"messages\":1") != NULL);
}

TEST(stats_print_rates_shares_and_flag_names)
{
    sb_stats_init(&stats);
    for (uint64_t i = 1; i <= 11; i++) {
        sb_record r = record_of_update(i, 0x9E);
        sb_stats_add(&stats, &r);
    }
    const char *text = print_with(sb_stats_print);
    CHECK(strstr(text, "1.000 s: 11.0 datagrams/s, 11.0 messages/s") != NULL);
    CHECK(strstr(text, "0x1C StateUpdate") != NULL);
    CHECK(strstr(text, "100.00") != NULL);
    CHECK(strstr(text, "10.0.0.2:4001") != NULL);
    CHECK(strstr(text, "DELTA FWD UP SPEED POWER") != NULL);
    CHECK(strstr(text, "Everything decoded") != NULL);
}

/* Checks that brackets outside of strings match and no comma precedes a closing one. */
static void check_json(const char *text)
{
    char   open[64];
    size_t depth = 0;
    char   before = 0;
    for (; *text && *text != '\n'; text++) {
        if (*text == '"') {
            text = strchr(text + 1, '"');
            CHECK(text != NULL);
        } else if (*text == '{' || *text == '[') {
            CHECK(depth < sizeof open);
            open[depth++] = *text;
        } else if (*text == '}' || *text == ']') {
            CHECK(before != ',');
            CHECK(depth > 0);
            CHECK_EQ(open[--depth], *text == '}' ? '{' : '[');
        }
        before = *text;
    }
    CHECK_EQ(depth, 0);
    CHECK_EQ(*text, '\n');
    CHECK_EQ(text[1], '\0');
}

TEST(stats_print_one_json_object)
{
    sb_stats_init(&stats);
    check_json(print_with(sb_stats_print_json));
    for (uint64_t i = 1; i <= 5; i++) {
        sb_record r = record_of_update(i, (uint8_t)i);
        r.source.port = (uint16_t)(4000 + i % 2);
        message.trailing = (sb_span){ update, 3 };
        sb_stats_add(&stats, &r);
    }
    check_json(print_with(sb_stats_print_json));
    CHECK(strstr(printed, "\"opcodes\":[{\"opcode\":28,\"name\":\"StateUpdate\"") != NULL);
    CHECK(strstr(printed, "\"kind\":\"trailing\"") != NULL);
    CHECK(strstr(printed, "\"bytes\":\"1CFFFF\"") != NULL);
}

TEST(stats_sort_sizes_into_powers_of_two)
{
    CHECK_EQ(sb_stats_size_bucket(0).to, 0);
    CHECK_EQ(sb_stats_size_bucket(1).from, 1);
    CHECK_EQ(sb_stats_size_bucket(5).from, 16);
    CHECK_EQ(sb_stats_size_bucket(5).to, 31);
    CHECK_EQ(sb_stats_size_bucket(15).to, UINT32_MAX);
    sb_stats_init(&stats);
    sb_record r = record_of_update(1, 0);
    sb_stats_add(&stats, &r);
    CHECK_EQ(stats.payload_sizes[4], 1);
}

static sb_record record_of_block(uint64_t datagram, sb_layout_fit fit, sb_layout_verdict verdict)
{
    sb_record r = record_of_update(datagram, 0x20);
    r.from = SB_SIDE_HOST;
    r.shield_fit = fit;
    r.shield_verdict = verdict;
    if (verdict == SB_LAYOUT_DOCUMENTED) r.context.layout = SB_SHIELD_DOCUMENTED;
    return r;
}

TEST(stats_report_the_shield_layout_of_each_sender)
{
    static const struct {
        sb_layout_fit     fit;
        sb_layout_verdict verdict;
    } blocks[] = {
        { SB_FIT_DOCUMENTED, SB_LAYOUT_UNKNOWN }, { SB_FIT_NEITHER, SB_LAYOUT_UNKNOWN },
        { SB_FIT_STOCK, SB_LAYOUT_UNKNOWN },      { SB_FIT_DOCUMENTED, SB_LAYOUT_DOCUMENTED },
        { SB_FIT_BOTH, SB_LAYOUT_DOCUMENTED },    { SB_FIT_BOTH, SB_LAYOUT_UNKNOWN },
    };
    sb_stats_init(&stats);
    sb_record r = record_of_update(1, 0x9E);
    sb_stats_add(&stats, &r);
    CHECK(strstr(print_with(sb_stats_print), "shield generator") == NULL);
    CHECK(strstr(print_with(sb_stats_print_json), "shields") == NULL);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        r = record_of_block(i + 2, blocks[i].fit, blocks[i].verdict);
        sb_stats_add(&stats, &r);
    }
    CHECK_EQ(sb_stats_blocks(&stats.peers[0]), 6);
    CHECK(strstr(print_with(sb_stats_print),
                 "  10.0.0.2:4001          documented         1          2         2         1"
                 "                  2\n") != NULL);
    check_json(print_with(sb_stats_print_json));
    CHECK(strstr(printed, ",\"shields\":{\"layout\":\"documented\",\"fit_stock\":1,"
                          "\"fit_documented\":2,\"fit_both\":2,\"fit_neither\":1,"
                          "\"read_documented\":2}") != NULL);
}
