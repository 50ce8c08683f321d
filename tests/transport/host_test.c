/* tests/transport/host_test.c -- a host as a whole: lengths and first bytes, configuration, time.
 *
 * For:      src/transport/host.c, host_memory.c.
 * Spec:     01 §1.1, §8.2, §8.6, §9, §10.2.
 */
#include "rig.h"
#include "transport/newcomers.h"

#include <string.h>

TEST(a_datagram_without_messages_is_a_sign_of_life)
{
    rig         *r = rig_host_with(1, NULL);
    sb_peer_info info;
    GIVE(r, rig_endpoint(1), "02 00");
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.heard_at, r->now);
    CHECK_TEXT(rig_answer(r, rig_endpoint(1)), "");
}

TEST(a_message_to_nobody_is_not_allowed)
{
    rig *r = rig_host_with(1, NULL);
    CHECK_EQ(rig_send(r, 3, SB_RELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED);
    CHECK_EQ(rig_send(r, 0, SB_RELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED);
    CHECK_EQ(rig_send(r, 0x7F, SB_RELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED);
    CHECK_EQ(rig_send(r, 0x80, SB_RELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED); /* no id */
    CHECK_EQ(rig_send(r, SB_PEER_NONE, SB_UNRELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED);
    CHECK_EQ(rig_send(r, SB_PEER_HOST, SB_UNRELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED);
    GIVE(r, rig_endpoint(2), RIG_CONNECT);
    rig_step(r);
    CHECK_EQ(rig_send(r, 3, SB_RELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED); /* half-open */
}

TEST(data_of_one_peer_is_never_passed_on_by_the_transport)
{
    rig *r = rig_host_with(2, NULL);
    GIVE(r, rig_endpoint(1), "02 02 32 06 80 00 00 AA 32 04 00 1C");
    rig_step(r);
    for (const rig_sent *sent = rig_next_sent(r); sent; sent = rig_next_sent(r))
        CHECK(rig_same_endpoint(sent->to, rig_endpoint(1)));
}

TEST(impossible_configurations_need_no_memory)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    CHECK(sb_transport_host_bytes(&config) > 0);
    config.max_peers = 0;
    CHECK_EQ(sb_transport_host_bytes(&config), 0);
    config.max_peers = SB_PEERS_LIMIT + 1;
    CHECK_EQ(sb_transport_host_bytes(&config), 0);
    config.max_peers = SB_PEERS_LIMIT;
    CHECK(sb_transport_host_bytes(&config) > 0);
    config.password = rig_wide("a password of thirty-two letters");
    CHECK_EQ(config.password.size, 64);
    CHECK_EQ(sb_transport_host_bytes(&config), 0);
    config.password.size -= 2;
    CHECK(sb_transport_host_bytes(&config) > 0);
}

TEST(time_that_goes_back_counts_as_the_latest_time)
{
    rig *r = rig_host_with(1, NULL);
    GIVE(r, rig_endpoint(1), "02 01 02");
    sb_time latest = r->now;
    r->now -= 100 * SB_SECOND;
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), "02 01 02"), SB_OK);
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    CHECK_EQ(info.heard_at, latest);
    r->now = latest;
    rig_wait(r, 45 * SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, 2, SB_LEFT_TIMED_OUT);
}

TEST(lengths_outside_2_to_1500_are_dropped_unread)
{
    rig           *r = rig_host_with(1, NULL);
    static uint8_t bytes[1600] = { 2, 1, 2 };
    REFUSE(r, rig_endpoint(1), ((sb_span){ bytes, 0 }), SB_TRANSPORT_COUNT_TOO_SHORT);
    REFUSE(r, rig_endpoint(1), ((sb_span){ bytes, 1 }), SB_TRANSPORT_COUNT_TOO_SHORT);
    CHECK_EQ(rig_give(r, rig_endpoint(1), (sb_span){ bytes, 1500 }),
             SB_OK); /* a NoOp and extra bytes */
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_REST_IGNORED), 1);
    REFUSE(r, rig_endpoint(1), ((sb_span){ bytes, 1501 }), SB_TRANSPORT_COUNT_TOO_LONG);
}

TEST(byte_0_decides_before_anything_is_decrypted)
{
    rig *r = rig_host_with(1, NULL);
    for (unsigned id = 0; id <= 0xFF; id++) {
        uint8_t  noop[] = { (uint8_t)id, 1, 2 };
        sb_span  plain = { noop, 3 };
        bool     client = id >= 2 && id <= 0x7F && id != SB_GAMESPY_BYTE;
        uint64_t refusals = rig_refusals(r);
        if (id == 2) CHECK_EQ(rig_give(r, rig_endpoint(1), plain), SB_OK);
        else if (id == SB_GAMESPY_BYTE)
            REFUSE(r, rig_endpoint(1), plain, SB_TRANSPORT_COUNT_NOT_GAME);
        else if (id == SB_PEER_HOST)
            REFUSE(r, rig_endpoint(1), plain, SB_TRANSPORT_COUNT_WRONG_DIRECTION);
        else if (id == SB_PEER_NONE || client)
            REFUSE(r, rig_endpoint(1), plain, SB_TRANSPORT_COUNT_ID_MISMATCH);
        else REFUSE(r, rig_endpoint(1), plain, SB_TRANSPORT_COUNT_BAD_ID);
        CHECK_EQ(rig_refusals(r), refusals + (id != 2)); /* exactly one reason */
    }
}

TEST(a_peer_costs_less_than_64_kib)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.max_peers = 64;
    size_t many = sb_transport_host_bytes(&config);
    config.max_peers = 8;
    size_t few = sb_transport_host_bytes(&config);
    CHECK(many > few && few > 0);
    CHECK((many - few) / 56 < 64 * 1024);
}

TEST(each_refusal_by_length_or_first_byte_has_its_result)
{
    static const struct {
        uint8_t   id;
        size_t    size;
        sb_result result;
    } cases[] = {
        { 2, 0, SB_TRUNCATED },
        { 2, 1, SB_TRUNCATED },
        { 2, 1501, SB_BAD_VALUE },
        { SB_GAMESPY_BYTE, 8, SB_NOT_ALLOWED },
        { SB_PEER_HOST, 3, SB_NOT_ALLOWED },
        { 0, 3, SB_BAD_VALUE },
        { 0x80, 3, SB_BAD_VALUE },
        { 0xFE, 3, SB_BAD_VALUE },
        { 2, 3, SB_OK },
    };
    rig *r = rig_host_with(1, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t bytes[1501] = { cases[i].id, 1, 2 };
        CHECK_EQ(rig_give(r, rig_endpoint(1), (sb_span){ bytes, cases[i].size }), cases[i].result);
    }
}

/* ---- Configuration (spec 01 §9, §10.6) ------------------------------------------------------ */

TEST(the_defaults_of_a_host_are_those_of_its_header)
{
    sb_transport_host_config c;
    memset(&c, 0xA5, sizeof c);
    sb_transport_host_defaults(&c);
    CHECK_EQ(c.seed, 0);
    CHECK_EQ(c.max_peers, 16);
    CHECK_EQ(c.peers_per_ip, 4);
    CHECK_EQ(c.retransmit, SB_RETRANSMIT_MEASURED);
    CHECK_EQ(c.ack_delay_us, 0);
    CHECK_EQ(c.timeout_us, 45 * SB_SECOND);
    CHECK_EQ(c.local_address, 0);
    CHECK(c.leave_notice && !c.hide_addresses && c.rebind && c.proof);
    CHECK_EQ(c.send_cells, 160);
    CHECK_EQ(c.receive_cells, 96);
    CHECK_EQ(c.shared_cells, 1024);
    CHECK_EQ(c.assembly_cells, 1024);
    CHECK_EQ(c.datagrams_per_s, 300);
    CHECK_EQ(c.messages_per_s, 10000);
    CHECK_EQ(c.bytes_per_s, 262144);
    CHECK_EQ(c.password.size, 0);
    CHECK(!c.admit && !c.newcomers && !c.gives_way_at);
}

#define FIELD(name)                                                                                \
    offsetof(sb_transport_host_config, name), sizeof(((sb_transport_host_config *)0)->name)

static const struct limit {
    size_t  at, size;
    int64_t least, most;
} limits[] = {
    { FIELD(max_peers), 1, SB_PEERS_LIMIT }, { FIELD(ack_delay_us), 0, 50000 },
    { FIELD(timeout_us), 1, INT64_MAX },     { FIELD(send_cells), 64, 1 << 20 },
    { FIELD(receive_cells), 48, 1 << 20 },   { FIELD(shared_cells), 0, 1 << 20 },
    { FIELD(assembly_cells), 0, 1 << 20 },   { FIELD(datagrams_per_s), 0, 1000000 },
    { FIELD(messages_per_s), 0, 100000000 }, { FIELD(bytes_per_s), 0, 1000000000 },
};

static bool is_accepted(const struct limit *l, int64_t value)
{
    sb_transport_host_config c;
    uint32_t                 narrow = (uint32_t)value;
    rig_host_config(&c);
    if (l->size == sizeof narrow) memcpy((uint8_t *)&c + l->at, &narrow, sizeof narrow);
    else memcpy((uint8_t *)&c + l->at, &value, sizeof value);
    return sb_transport_host_bytes(&c) > 0;
}

TEST(a_configuration_is_valid_up_to_its_limits)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const struct limit *l = &limits[i];
        CHECK(is_accepted(l, l->least));
        CHECK(is_accepted(l, l->most));
        if (l->least > 0 || l->size > sizeof(uint32_t)) CHECK(!is_accepted(l, l->least - 1));
        if (l->most < INT64_MAX) CHECK(!is_accepted(l, l->most + 1));
    }
}

TEST(each_cell_that_is_promised_has_its_memory)
{
    sb_transport_host_config c;
    rig_host_config(&c);
    c.max_peers = 3;
    size_t before = sb_transport_host_bytes(&c);
    c.send_cells++;
    CHECK_EQ(sb_transport_host_bytes(&c), before + 3 * SB_CELL_BYTES);
    c.receive_cells++;
    CHECK_EQ(sb_transport_host_bytes(&c), before + 6 * SB_CELL_BYTES);
    c.shared_cells++;
    CHECK_EQ(sb_transport_host_bytes(&c), before + 7 * SB_CELL_BYTES);
    c.assembly_cells++;
    CHECK_EQ(sb_transport_host_bytes(&c), before + 8 * SB_CELL_BYTES);
}

TEST(a_lent_table_of_newcomers_saves_its_memory)
{
    sb_transport_host_config own, lent;
    static uint8_t           table; /* only its address matters here */
    rig_host_config(&own);
    lent = own;
    lent.newcomers = (sb_newcomers *)(void *)&table;
    size_t saved = sb_transport_host_bytes(&own) - sb_transport_host_bytes(&lent);
    size_t needed = sb_newcomers_bytes_of(SB_NEWCOMER_SETS_OWN);
    CHECK(saved >= needed && saved < needed + 16);
}

TEST(a_host_that_measures_has_more_messages_in_flight)
{
    for (int measured = 0; measured < 2; measured++) {
        sb_transport_host_config c;
        sb_peer_info             info;
        rig_host_config(&c);
        c.retransmit = measured ? SB_RETRANSMIT_MEASURED : SB_RETRANSMIT_STOCK;
        rig *r = rig_host_with(1, &c);
        for (unsigned i = 0; i < 300; i++)
            CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(1, i)), SB_OK);
        rig_step(r);
        CHECK(rig_info(r, 2, &info));
        CHECK_EQ(info.unacknowledged, measured ? 300 : 256);
    }
}

/* The longest message is joined in memory of its own: a newcomer is still known afterwards. */
TEST(the_longest_message_of_a_peer_leaves_all_else_as_it_was)
{
    rig    *r = rig_host_with(1, NULL);
    sb_span message = rig_pattern(SB_PAYLOAD_MAX, 5);
    sb_transport_host_trust(r->host, 2);
    GIVE(r, rig_endpoint(5), RIG_CONNECT);
    rig_step(r);
    rig_forget(r);
    for (unsigned i = 0; i < 255; i++) {
        rig_pack p;
        size_t   at = i ? 405 + (i - 1) * 406 : 0;
        rig_pack_init(&p, 2);
        rig_pack_fragment(&p, 0, (uint8_t)i, i ? 0 : 255,
                          (sb_span){ message.data + at, i ? 406 : 405 });
        GIVE_PACK(r, rig_endpoint(1), &p);
    }
    EXPECT_DATA(r, 2, message);
    GIVE(r, rig_endpoint(5), "03 01 01 00 00 02");
    EXPECT_JOINED(r, 3);
}

/* ---- What is known about a peer -------------------------------------------------------------- */

TEST(an_unknown_peer_has_an_empty_record)
{
    rig         *r = rig_host_with(1, NULL);
    sb_peer_info info;
    memset(&info, 0xA5, sizeof info);
    CHECK(!sb_transport_host_peer(r->host, 3, &info));
    CHECK_EQ(info.peer_id, 0);
    CHECK_EQ(info.address.address, 0);
    CHECK_EQ(info.cells, 0);
    CHECK_EQ(info.retransmitted, 0);
    CHECK(sb_transport_host_peer(r->host, 2, &info));
    CHECK_EQ(info.peer_id, 2);
    CHECK(rig_same_endpoint(info.address, rig_endpoint(1)));
}

TEST(an_answer_to_a_stranger_is_counted_like_other_datagrams)
{
    rig     *r = rig_host_with(1, NULL);
    uint64_t before[SB_TRANSPORT_COUNTER_COUNT];
    for (int c = 0; c < SB_TRANSPORT_COUNTER_COUNT; c++)
        before[c] = rig_count(r, (sb_transport_counter)c);
    before[SB_TRANSPORT_COUNT_DATAGRAMS_IN] += 1;
    before[SB_TRANSPORT_COUNT_BYTES_IN] += 17;
    before[SB_TRANSPORT_COUNT_MESSAGES_IN] += 1;
    before[SB_TRANSPORT_COUNT_CONNECTS] += 1;
    before[SB_TRANSPORT_COUNT_DATAGRAMS_OUT] += 1;
    before[SB_TRANSPORT_COUNT_BYTES_OUT] += 12;
    before[SB_TRANSPORT_COUNT_MESSAGES_OUT] += 2;
    GIVE(r, rig_endpoint(5), RIG_CONNECT);
    rig_step(r);
    for (int c = 0; c < SB_TRANSPORT_COUNTER_COUNT; c++)
        if (rig_count(r, (sb_transport_counter)c) != before[c])
            FAIL("%s", sb_transport_counter_name((sb_transport_counter)c));
}
