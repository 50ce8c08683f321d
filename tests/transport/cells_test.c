/* tests/transport/cells_test.c -- memory of messages: what one peer can take from others.
 *
 * For:      src/transport/cells.c.
 * Spec:     01 §9, §10.3; docs/decisions/transport-memory.md.
 */
#include "rig.h"

/* Sends fragments 1..3 of every number of the window; no message becomes complete. */
static void throw_bomb(rig *r, sb_endpoint from, uint8_t id, size_t payload, unsigned *acks)
{
    for (uint16_t seq = 0; seq < 256; seq++)
        for (uint8_t index = 1; index <= 3; index++) {
            rig_pack p;
            rig_pack_init(&p, id);
            rig_pack_fragment(&p, seq, index, 0, rig_pattern(payload, seq));
            (void)!rig_give(r, from, rig_packed(&p));
            rig_wait(r, 5 * RIG_MILLISECOND);
            r->now += 700 * RIG_MILLISECOND; /* so that no Ack is repeated */
            rig_step(r);
            *acks += rig_count_acks(r);
            rig_forget(r);
            if (seq % 50 == 0) GIVE(r, rig_endpoint(2), "03 01 02");
        }
}

TEST(a_fragment_bomb_gets_no_ack_beyond_512_entries_or_128_kib)
{
    static const size_t payloads[] = { 1, 400 };
    for (size_t i = 0; i < 2; i++) {
        sb_transport_host_config config;
        rig_host_config(&config);
        config.timeout_us = 100000 * SB_SECOND;
        config.shared_cells = 4096; /* enough: the other bounds decide */
        rig         *r = rig_host_with(2, &config);
        sb_peer_info info;
        unsigned     acks = 0;
        throw_bomb(r, rig_endpoint(1), 2, payloads[i], &acks);
        CHECK(rig_info(r, 2, &info));
        CHECK(info.stored <= 512);
        CHECK(info.stored_bytes <= 128 * 1024);
        CHECK(info.stored > 100); /* a good part was accepted */
        CHECK_EQ(acks, info.stored);
        CHECK(rig_count(r, SB_TRANSPORT_COUNT_NO_ROOM) > 0);
        /* No fragment was refused as contradicting: the peer could still complete its messages. */
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_BAD_FRAGMENT), 0);
    }
}

TEST(one_greedy_peer_leaves_every_other_its_guaranteed_memory)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.timeout_us = 100000 * SB_SECOND;
    rig     *r = rig_host_with(3, &config);
    unsigned acks = 0;
    throw_bomb(r, rig_endpoint(1), 2, 400, &acks);
    /* Queue messages for peer 4 until the shared cells are used up. */
    for (int i = 0; i < 400; i++)
        if (sb_transport_host_free_bytes(r->host, 4) > 600)
            CHECK_EQ(sb_transport_host_send(r->host, 4, SB_RELIABLE, rig_pattern(400, 1)), SB_OK);
    CHECK(sb_transport_host_free_bytes(r->host, 4) <= 600);
    /* Peer 3 may still use 160 cells to send and 96 to receive. */
    CHECK(sb_transport_host_free_bytes(r->host, 3) >= 160 / 4 * 406 - 406);
    CHECK_EQ(sb_transport_host_send(r->host, 3, SB_RELIABLE, rig_pattern(15000, 1)), SB_OK);
    for (uint8_t index = 0; index < 16; index++) {
        rig_pack p;
        rig_pack_init(&p, 3);
        rig_pack_fragment(&p, 0, (uint8_t)(15 - index), index == 15 ? 16 : 0, rig_pattern(400, 9));
        GIVE_PACK(r, rig_endpoint(2), &p);
    }
    const rig_event *e = rig_next_event(r);
    CHECK(e && e->event.type == SB_EVENT_MESSAGE);
    CHECK_EQ(e->event.peer_id, 3);
    CHECK_EQ(e->event.bytes.size, 16 * 400);
}

/* Control messages have reserved cells: a caller that respects free_bytes loses no peer. */
TEST(a_full_queue_leaves_cells_for_control_messages)
{
    rig *r = rig_host_with(2, NULL);
    for (size_t room; (room = sb_transport_host_free_bytes(r->host, 2)) > 0;)
        CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE,
                                        rig_pattern(room < 400 ? room : 400, 0)),
                 SB_OK);
    while (sb_transport_host_send(r->host, 2, SB_UNRELIABLE, rig_pattern(1, 0)) == SB_OK) {
    }
    GIVE(r, rig_endpoint(2), "03 01 00 0E C0 01 00 03 0A 0A 0A EF 4B 00 00 00");
    rig_step(r);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 2);
}
