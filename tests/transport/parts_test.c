/* tests/transport/parts_test.c -- a long message whose fragments are queued one by one.
 *
 * For:      sb_transport_host_send_part (src/transport/outbox_queue.c, host.c).
 * Spec:     01 §6.2, §7.1.
 */
#include "rig.h"

#include <string.h>

enum { IN_FLIGHT_MAX = 16 };

/* A host with one peer and no shared cells: what a peer uses is its own. */
static rig *open_small_host(unsigned peers)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.shared_cells = 0;
    return rig_host_with(peers, &config);
}

static uint32_t in_flight(const rig *r)
{
    sb_peer_info info;
    CHECK(rig_info(r, 2, &info));
    return info.unacknowledged + info.queued;
}

/* Queues fragments while less than `limit` are in flight. */
static void send_parts(rig *r, sb_span message, size_t *at, uint32_t limit)
{
    while (*at < message.size && in_flight(r) < limit)
        CHECK_EQ(sb_transport_host_send_part(r->host, 2, message, at), SB_OK);
}

/* Acknowledges every fragment that was sent since the last call. */
static void acknowledge_fragments(rig *r)
{
    sb_transport_message m;
    rig_pack             p;
    rig_pack_init(&p, 2);
    for (const rig_sent *sent = rig_next_sent(r); sent; sent = rig_next_sent(r))
        for (size_t i = 0; rig_message(sent, i, &m); i++)
            if (m.fragment) rig_pack_fragment_ack(&p, m.seq, m.frag_index);
    GIVE_PACK(r, rig_endpoint(1), &p);
}

TEST(parts_are_on_the_wire_what_a_whole_message_is)
{
    sb_span message = rig_pattern(832, 3);
    size_t  at = 0;
    rig    *whole = rig_host_with(1, NULL), *parts = rig_host_with(1, NULL);
    CHECK_EQ(rig_send(whole, 2, SB_RELIABLE, message), SB_OK);
    rig_step(whole);
    send_parts(parts, message, &at, IN_FLIGHT_MAX);
    CHECK_EQ(at, 832);
    rig_step(parts);
    EXPECT_SAME(whole, parts);
}

TEST(a_short_message_in_parts_is_one_message)
{
    rig   *r = rig_host_with(1, NULL);
    size_t at = 0;
    CHECK_EQ(sb_transport_host_send_part(r->host, 2, rig_pattern(407, 0), &at), SB_OK);
    CHECK_EQ(at, 407);
    rig_step(r);
    EXPECT_SAID(r, rig_endpoint(1), "Data 0");
}

TEST(the_longest_message_in_parts_is_in_order_and_uses_few_cells)
{
    static uint8_t bytes[SB_PAYLOAD_MAX];
    memcpy(bytes, rig_pattern(50000, 1).data, 50000);
    memcpy(bytes + 50000, rig_pattern(50000, 2).data, 50000);
    sb_span                    message = { bytes, sizeof bytes };
    size_t                     at = 0;
    sb_peer_info               info;
    sb_transport_host_config   host;
    sb_transport_client_config client;
    rig_host_config(&host);
    rig_client_config(&client);
    host.shared_cells = 0;
    rig_link *link = rig_link_open(rig_open_host(&host), 7);
    rig      *r = link->host;
    link->loss = 100;
    link->delay = 20000;
    link->jitter = 30000;
    rig_link_add(link, rig_open_client(&client));
    rig_link_run(link, 5 * SB_SECOND);
    rig_forget(link->clients[0]);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(5, 9)), SB_OK);
    while (at < message.size) {
        size_t before = at;
        send_parts(r, message, &at, IN_FLIGHT_MAX);
        if (before < 50000 && at >= 50000) /* a message in between is delivered afterwards */
            CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(6, 8)), SB_OK);
        rig_link_run(link, 20000);
        CHECK(rig_info(r, 2, &info));
        CHECK(info.cells <= 4 * (IN_FLIGHT_MAX + 1));
    }
    rig_link_run(link, 60 * SB_SECOND);
    EXPECT_DATA(link->clients[0], SB_PEER_HOST, rig_pattern(5, 9));
    EXPECT_DATA(link->clients[0], SB_PEER_HOST, message);
    EXPECT_DATA(link->clients[0], SB_PEER_HOST, rig_pattern(6, 8));
    EXPECT_NO_EVENT(link->clients[0]);
    CHECK_EQ(in_flight(r), 0);
}

/* A later message that the window holds back must not stand before the fragments it waits for. */
TEST(fragments_pass_a_later_message_that_waits_for_them)
{
    rig    *r = open_small_host(1);
    sb_span message = { rig_pattern(100000, 1).data, 100000 };
    size_t  at = 0;
    send_parts(r, message, &at, 1);
    CHECK_EQ(rig_send(r, 2, SB_RELIABLE, rig_pattern(6, 8)), SB_OK); /* beyond 64 KiB */
    rig_step(r);
    acknowledge_fragments(r);
    rig_step(r);
    EXPECT_SILENCE(r); /* the later message waits, also when no fragment is in flight */
    for (unsigned i = 0; at < message.size; i++) {
        CHECK(i < 1000);
        rig_step(r);
        acknowledge_fragments(r);
        send_parts(r, message, &at, 4);
    }
    rig_step(r);
    acknowledge_fragments(r);
    rig_step(r);
    CHECK_EQ(in_flight(r), 1); /* the later message, sent and not acknowledged here */
}

TEST(an_acknowledged_part_does_not_end_the_message)
{
    rig   *r = rig_host_with(1, NULL);
    size_t at = 0;
    send_parts(r, rig_pattern(832, 0), &at, 1);
    rig_step(r);
    acknowledge_fragments(r);
    CHECK_EQ(in_flight(r), 0);
    rig_wait(r, 30 * SB_SECOND); /* nothing is in flight: nothing stalls */
    rig_forget(r);
    send_parts(r, rig_pattern(832, 0), &at, 1);
    rig_step(r);
    EXPECT_SAID(r, rig_endpoint(1), "Data 0/1");
}

TEST(a_full_queue_refuses_a_part_and_the_session_goes_on)
{
    rig      *r = open_small_host(1);
    sb_span   message = { rig_pattern(60000, 1).data, 60000 };
    size_t    at = 0;
    sb_result result;
    while ((result = sb_transport_host_send_part(r->host, 2, message, &at)) == SB_OK) continue;
    CHECK_EQ(result, SB_FULL);
    CHECK_EQ(at, 405 + 31 * 406); /* 160 cells less 32 for control messages, four a fragment */
    rig_step(r);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 1);
    acknowledge_fragments(r);
    CHECK_EQ(sb_transport_host_send_part(r->host, 2, message, &at), SB_OK);
}

TEST(parts_out_of_place_are_not_allowed)
{
    rig    *r = rig_host_with(1, NULL);
    sb_span message = { rig_pattern(2000, 1).data, 2000 };
    size_t  at = 405;
    CHECK_EQ(sb_transport_host_send_part(r->host, 2, message, &at), SB_NOT_ALLOWED);
    at = 0;
    CHECK_EQ(sb_transport_host_send_part(r->host, 9, message, &at), SB_NOT_ALLOWED);
    CHECK_EQ(sb_transport_host_send_part(r->host, 2, message, &at), SB_OK);
    at = 0; /* a second message while the first is open */
    CHECK_EQ(sb_transport_host_send_part(r->host, 2, message, &at), SB_NOT_ALLOWED);
    at = 2000;
    CHECK_EQ(sb_transport_host_send_part(r->host, 2, message, &at), SB_NOT_ALLOWED);
    at = 0;
    sb_span endless = { message.data, SB_PAYLOAD_MAX + 1 };
    CHECK_EQ(sb_transport_host_send_part(r->host, 2, endless, &at), SB_BAD_VALUE);
}
