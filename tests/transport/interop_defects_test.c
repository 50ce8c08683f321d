/* tests/transport/interop_defects_test.c -- our transport and the defects of stock peers, one by
 * one.
 *
 * For:      src/transport/ against the models of sim/stock_*.h; a section per row of spec 01 §6.7.
 */
#include "transport/interop_rig.h"

#include <string.h>

enum { SEEDS = 3 };

/* ---- D1: every Ack nine times ------------------------------------------------------------- */

TEST(the_nine_acks_of_a_stock_client_are_never_over_budget)
{
    interop        *w = interop_open_with_stock_clients(INTEROP_CLEAN, 101, 1, SB_RETRANSMIT_STOCK);
    interop_client *c = &w->clients[0];
    sim_stock_totals *totals = &c->theirs->totals;
    interop_stream(w, 300, 20000);
    interop_check_good_end(w);
    interop_run(w, 90 * SB_SECOND); /* until the last Acks have left with NoOps */
    EQUALS(w, totals->acks_out, 9 * (totals->reliable_delivered + totals->control_delivered));
    HOLDS(w, c->theirs->peer.acks == NULL);
    HOLDS(w, interop_counter(w, SB_TRANSPORT_COUNT_UNMATCHED_ACK) >= 8 * 300);
    EQUALS(w, interop_counter(w, SB_TRANSPORT_COUNT_OVER_BUDGET), 0);
    interop_check_all_there(w);
}

TEST(our_client_does_not_mind_the_nine_acks_of_a_stock_host)
{
    sim_stock_host_config host = interop_stock_host(true, 33000);
    interop              *w = interop_open_with_stock_host(INTEROP_CLEAN, 102, &host, NULL);
    sim_stock_totals     *totals = &w->stock_host->totals;
    interop_stream(w, 300, 20000);
    interop_check_good_end(w);
    interop_run(w, 90 * SB_SECOND);
    EQUALS(w, totals->acks_out, 9 * (totals->reliable_delivered + totals->control_delivered));
    interop_check_all_there(w);
}

/* Spec 01 §3: two StateUpdates of 23 and 34 bytes and 108 repeated Acks. */
TEST(a_datagram_of_110_messages_in_491_bytes_is_read_to_the_last)
{
    interop        *w = interop_open_with_stock_clients(INTEROP_CLEAN, 103, 1, SB_RETRANSMIT_STOCK);
    interop_client *c = &w->clients[0];
    interop_run(w, 40 * SB_SECOND); /* the Acks of the join are used up */
    for (int i = 0; i < 108; i++) HOLDS(w, interop_send_down(w, c, true, 8));
    interop_run(w, 2500000); /* three sends of each Ack; all are old now */
    EQUALS(w, c->down.received, 108);
    (void)interop_send_up(w, c, false, 20);
    (void)interop_send_up(w, c, false, 31);
    uint64_t in = interop_counter(w, SB_TRANSPORT_COUNT_MESSAGES_IN);
    c->theirs->totals.most_messages = c->theirs->totals.largest_datagram = 0;
    interop_run(w, 100000);
    EQUALS(w, c->theirs->totals.most_messages, 110);
    EQUALS(w, c->theirs->totals.largest_datagram, 491);
    EQUALS(w, interop_counter(w, SB_TRANSPORT_COUNT_MESSAGES_IN) - in, 110);
    EQUALS(w, c->up.loose_received, 2);
    interop_check_good_end(w);
}

TEST(an_hour_of_108_acks_per_datagram_changes_nothing)
{
    interop        *w = interop_open_with_stock_clients(INTEROP_CLEAN, 104, 1, SB_RETRANSMIT_STOCK);
    interop_client *c = &w->clients[0];
    char            crowded[3 * 512] = "02 6C";
    for (int i = 0; i < 108; i++) (void)strcat(crowded, " 01 07 00 00");
    uint64_t before = interop_counter(w, SB_TRANSPORT_COUNT_UNMATCHED_ACK);
    for (int i = 0; i < 3600; i++) {
        interop_forge(w, c->address, w->host_address, crowded);
        interop_run(w, SB_SECOND);
    }
    HOLDS(w, interop_counter(w, SB_TRANSPORT_COUNT_UNMATCHED_ACK) - before >= 108 * 3600);
    interop_stream(w, 20, 50000);
    interop_check_good_end(w);
}

/* ---- D2: old Acks wait for messages ------------------------------------------------------ */

static void lose_early_acks(interop *w, interop_client *c, bool up)
{
    sim_conditions down = interop_weathers[INTEROP_CLEAN].conditions;
    down.down = true;
    if (up) interop_set_up_link(w, c, &down);
    else interop_set_down_link(w, c, &down);
    interop_run(w, 1700000); /* the three sends without other messages: at 0, 0.667 and 1.333 s */
    if (up) interop_set_up_link(w, c, &interop_weathers[INTEROP_CLEAN].conditions);
    else interop_set_down_link(w, c, &interop_weathers[INTEROP_CLEAN].conditions);
}

TEST(old_acks_beside_noops_still_clear_messages)
{
    interop        *w = interop_open_with_stock_clients(INTEROP_CLEAN, 111, 1, SB_RETRANSMIT_STOCK);
    interop_client *c = &w->clients[0];
    interop_run(w, 40 * SB_SECOND); /* idle, as in a lobby */
    uint64_t noops = c->theirs->totals.noops_out;
    HOLDS(w, interop_send_down(w, c, true, 20));
    lose_early_acks(w, c, true);
    EQUALS(w, c->down.received, 1);
    EQUALS(w, interop_peer_info(w, c).unacknowledged, 1);
    interop_run(w, 3 * SB_SECOND); /* our retransmissions do not make the Ack leave */
    EQUALS(w, interop_peer_info(w, c).unacknowledged, 1);
    EQUALS(w, c->theirs->totals.noops_out, noops);
    interop_run(w, 2500000); /* the NoOp of the stock peer does */
    EQUALS(w, c->theirs->totals.noops_out, noops + 1);
    EQUALS(w, interop_peer_info(w, c).unacknowledged, 0);
    interop_check_good_end(w);
}

TEST(old_acks_of_a_stock_host_that_ride_on_noops_still_count)
{
    sim_stock_host_config host = interop_stock_host(true, 33000);
    interop              *w = interop_open_with_stock_host(INTEROP_CLEAN, 112, &host, NULL);
    interop_client       *c = &w->clients[0];
    interop_run(w, 40 * SB_SECOND);
    HOLDS(w, interop_send_up(w, c, true, 20));
    lose_early_acks(w, c, false);
    EQUALS(w, c->up.received, 1);
    EQUALS(w, interop_peer_info(w, c).unacknowledged, 1);
    interop_run(w, 5500000);
    EQUALS(w, interop_peer_info(w, c).unacknowledged, 0);
    interop_check_good_end(w);
}

/* Worst case of D2: only the ninth Ack arrives, 30 s later, within the 60 s of spec 01 §6.2. */
TEST(the_ninth_copy_of_an_ack_is_early_enough)
{
    interop        *w = interop_open_with_stock_clients(INTEROP_CLEAN, 113, 1, SB_RETRANSMIT_STOCK);
    interop_client *c = &w->clients[0];
    sim_conditions  down = { .down = true };
    interop_run(w, 40 * SB_SECOND);
    HOLDS(w, interop_send_down(w, c, true, 20));
    interop_set_up_link(w, c, &down);
    while (c->theirs->peer.acks == NULL || c->theirs->peer.acks->sends < 8) interop_run(w, 10000);
    interop_run(w, 3 * SB_SECOND);
    interop_set_up_link(w, c, &interop_weathers[INTEROP_CLEAN].conditions);
    interop_run(w, 3 * SB_SECOND);
    EQUALS(w, interop_peer_info(w, c).unacknowledged, 0);
    interop_check_good_end(w);
}

/* ---- D3: fragments for ever --------------------------------------------------------------- */

TEST(fragments_repeated_for_ever_are_delivered_once)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        interop                *w = interop_open(weather, 121);
        sim_stock_client_config client = interop_stock_client(false);
        interop_add_our_host(w, NULL);
        interop_client *c = interop_add_stock_client(w, &client);
        interop_run_until_joined(w, 60 * SB_SECOND);
        interop_fragments record = { .from = c->address.address };
        w->watch = interop_watch_fragments;
        w->watch_context = &record;
        (void)interop_send_up(w, c, true, 832);
        interop_run(w, 300 * SB_SECOND);
        HOLDS(w, c->theirs->totals.retransmitted >= 3 * 140);
        if (weather == INTEROP_CLEAN)
            HOLDS(w, record.indexed_acks >= c->theirs->totals.retransmitted);
        interop_stream(w, 50, 50000);
        interop_check_good_end(w);
    }
}

TEST(fragments_a_stock_host_repeats_for_ever_are_delivered_once)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        sim_stock_host_config host = interop_stock_host(false, 33000);
        interop              *w = interop_open_with_stock_host(weather, 122, &host, NULL);
        (void)interop_send_down(w, &w->clients[0], true, 5000);
        interop_run(w, 120 * SB_SECOND);
        HOLDS(w, w->stock_host->totals.retransmitted >= 13 * 50);
        interop_stream(w, 50, 50000);
        interop_check_good_end(w);
    }
}

/* ---- D4: priority messages in reverse order ----------------------------------------------- */

TEST(priority_messages_in_reverse_order_are_put_right)
{
    static const int replaced[] = { SB_TRANSPORT_COUNT_DROPPED_EVENT,
                                    -1 }; /* the name "first" was not reported yet */
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        for (uint64_t seed = 131; seed < 131 + SEEDS; seed++) {
            interop *w = interop_open_with_stock_clients(weather, seed, 1, SB_RETRANSMIT_STOCK);
            interop_client *c = &w->clients[0];
            sim_stock_client_rename(c->theirs, "first");
            sim_stock_client_rename(c->theirs, "second");
            HOLDS(w, c->theirs->peer.queue->message.seq > c->theirs->peer.queue->next->message.seq);
            HOLDS(w, interop_run_until_quiet(w, 60 * SB_SECOND));
            interop_run(w, 15 * SB_SECOND); /* names are passed on every 5 s at most (§10.3) */
            CHECK_TEXT(c->at_host.name, "second");
            CHECK_TEXT(c->here.name, "second");
            interop_check_streams(w);
            interop_check_all_there(w);
            interop_check_refusals(w, replaced);
        }
    }
}

TEST(a_disconnect_before_a_name_in_one_datagram_comes_after_it)
{
    interop        *w = interop_open_with_stock_clients(INTEROP_CLEAN, 132, 2, SB_RETRANSMIT_STOCK);
    interop_client *c = &w->clients[0];
    interop_run(w, 6 * SB_SECOND); /* a second name within 5 s would wait (§10.3) */
    sim_stock_client_rename(c->theirs, "leaver");
    sim_stock_client_leave(c->theirs, w->now);
    EQUALS(w, c->theirs->peer.queue->message.type, SB_TRANSPORT_DISCONNECT);
    interop_run(w, 2 * SB_SECOND); /* a Name waits for a second (§10.8) */
    CHECK_TEXT(c->at_host.name, "leaver");
    interop_run(w, 6 * SB_SECOND); /* the client repeats the Disconnect; then silence (§8.4) */
    EQUALS(w, c->at_host.left, 1);
    EQUALS(w, c->at_host.reason, SB_LEFT_QUIT);
    EQUALS(w, w->clients[1].others[0].left, 1);
}

TEST(two_boots_of_one_tick_arrive_reversed_and_both_count)
{
    sim_stock_host_config host = interop_stock_host(true, 33000);
    interop              *w = interop_open(INTEROP_CLEAN, 133);
    interop_add_stock_host(w, &host);
    (void)interop_add_our_client(w, NULL);
    (void)interop_add_stock_client(w, NULL);
    (void)interop_add_stock_client(w, NULL);
    interop_run_until_joined(w, 10 * SB_SECOND);
    sim_stock_host_kick(w->stock_host, w->now, w->clients[1].id, 4);
    sim_stock_host_kick(w->stock_host, w->now, w->clients[2].id, 5);
    interop_run(w, SB_SECOND);
    for (size_t i = 1; i < 3; i++) {
        EQUALS(w, w->clients[0].others[i].left, 1);
        EQUALS(w, w->clients[0].others[i].reason, SB_LEFT_BOOTED);
        EQUALS(w, w->clients[0].others[i].boot_reason, i == 1 ? 4 : 5);
    }
    EQUALS(w, w->clients[0].here.left, 0);
}

/* ---- D5: Acks before the window test ------------------------------------------------------ */

TEST(our_host_never_sends_so_far_ahead_that_an_ack_lies)
{
    sim_conditions bad = interop_weathers[INTEROP_ROUGH].conditions;
    interop *w = interop_open_with_stock_clients(INTEROP_MILD, 141, 1, SB_RETRANSMIT_MEASURED);
    interop_client *c = &w->clients[0];
    bad.loss = 500000;
    interop_set_down_link(w, c, &bad);
    uint32_t most = 0;
    while (c->down.sent < 1500) {
        while (c->down.sent < 1500 && interop_send_down(w, c, true, 12)) {
        }
        interop_run(w, 50000);
        uint32_t on_the_way = interop_peer_info(w, c).unacknowledged;
        if (on_the_way > most) most = on_the_way;
    }
    HOLDS(w, most > 100);
    HOLDS(w, most <= 1024); /* spec 01 §6.2, measured retransmission; stock drops from 0x4000 on */
    interop_set_down_link(w, c, &interop_weathers[INTEROP_MILD].conditions);
    interop_check_good_end(w); /* acked_and_dropped is 0 */
}

typedef struct far_acks {
    const interop *w;
    uint32_t       of[INTEROP_CLIENTS]; /* by client: Acks of number 0x5000 */
} far_acks;

static void count_far_acks(void *context, const interop_sight *sight)
{
    far_acks            *acks = context;
    sb_transport_message m;
    for (size_t at = 0; sb_datagram_next(sight->datagram, &at, &m);)
        for (size_t i = 0; i < acks->w->client_count; i++)
            acks->of[i] += m.type == SB_TRANSPORT_ACK && m.seq == 0x5000 &&
                           sight->from.address == acks->w->clients[i].address.address;
}

/* The model acknowledges a number far outside its window and loses the message; ours does not. */
TEST(a_message_that_stock_acks_and_drops_we_do_not_ack)
{
    static const char     far[] = "01 01 32 06 80 00 50 00"; /* 0x5000 ahead */
    sim_stock_host_config host = interop_stock_host(true, 33000);
    interop              *w = interop_open_with_stock_host(INTEROP_CLEAN, 142, &host, NULL);
    interop_client       *stock = interop_add_stock_client(w, NULL);
    far_acks              acks = { .w = w };
    interop_run_until_joined(w, 10 * SB_SECOND);
    w->watch = count_far_acks;
    w->watch_context = &acks;
    interop_forge(w, w->host_address, w->clients[0].address, far);
    interop_forge(w, w->host_address, stock->address, far);
    interop_run(w, 3 * SB_SECOND);
    EQUALS(w, stock->theirs->totals.acked_and_dropped, 1);
    EQUALS(w, acks.of[1], 3);
    EQUALS(w, acks.of[0], 0);
    EQUALS(w, interop_counter(w, SB_TRANSPORT_COUNT_OUT_OF_WINDOW), 1);
    EQUALS(w, interop_peer_info(w, &w->clients[0]).stored, 0);
}

/* ---- D6: byte 0 alone --------------------------------------------------------------------- */

TEST(a_forged_disconnect_ends_a_session_only_at_a_stock_host)
{
    static const char forged[] = "02 01 05 0A C0 02 00 02 0A 0A 0A EF";
    const sb_endpoint stranger = { 0xC0000201, 4444 };
    interop          *w = interop_open(INTEROP_CLEAN, 151);
    interop_add_stock_host(w, NULL);
    interop_client *c = interop_add_stock_client(w, NULL);
    interop_run_until_joined(w, 10 * SB_SECOND);
    interop_forge(w, stranger, w->host_address, forged);
    interop_run(w, SB_SECOND);
    EQUALS(w, c->at_host.left, 1);

    w = interop_open_with_stock_clients(INTEROP_CLEAN, 151, 1, SB_RETRANSMIT_STOCK);
    interop_forge(w, stranger, w->host_address, forged);
    interop_run(w, SB_SECOND);
    EQUALS(w, interop_counter(w, SB_TRANSPORT_COUNT_UNKNOWN_SOURCE), 1);
    interop_check_all_there(w);
}

TEST(a_client_under_the_id_of_another_has_no_effect_at_our_host)
{
    interop *w = interop_open_with_stock_clients(INTEROP_CLEAN, 152, 2, SB_RETRANSMIT_STOCK);
    interop_forge(w, w->clients[1].address, w->host_address, "02 01 05 0A C0 02 00 02 0A 0A 0A EF");
    interop_run(w, SB_SECOND);
    EQUALS(w, interop_counter(w, SB_TRANSPORT_COUNT_ID_MISMATCH), 1);
    interop_check_all_there(w);
}

TEST(a_boot_from_a_stranger_ends_a_stock_client_and_not_ours)
{
    static const char     forged[] = "01 01 04 07 C0 02 00 04 FF";
    const sb_endpoint     stranger = { 0xC0000201, 4444 };
    sim_stock_host_config host = interop_stock_host(true, 33000);
    interop              *w = interop_open(INTEROP_CLEAN, 153);
    interop_add_stock_host(w, &host);
    (void)interop_add_our_client(w, NULL);
    interop_run_until_joined(w, 10 * SB_SECOND);
    (void)interop_add_stock_client(w, NULL);
    interop_run_until_joined(w, 10 * SB_SECOND);
    interop_forge(w, stranger, w->clients[0].address, forged);
    interop_forge(w, stranger, w->clients[1].address, forged);
    interop_run(w, SB_SECOND);
    EQUALS(w, w->clients[0].here.left, 0);
    EQUALS(w, interop_counter(w, SB_TRANSPORT_COUNT_UNKNOWN_SOURCE), 1);
    EQUALS(w, w->clients[1].here.left, 1);
}

/* ---- D7: unknown types -------------------------------------------------------------------- */

/* Data 0, type 0x06, Data 1: the first is delivered, the second is lost. The bytes are messages 0
 * and 1 of client 0. */
TEST(an_unknown_type_cuts_a_datagram_at_both_hosts)
{
    static const char cut[] = "02 03 32 0D 80 00 00 00 03 00 00 00 00 08 00 06 "
                              "32 0D 80 01 00 00 03 01 00 00 00 08 00";
    static const char rest[] = "02 01 32 0D 80 01 00 00 03 01 00 00 00 08 00";
    for (int ours = 0; ours < 2; ours++) {
        interop *w = interop_open(INTEROP_CLEAN, 161);
        if (ours) interop_add_our_host(w, NULL);
        else interop_add_stock_host(w, NULL);
        interop_client *c = interop_add_stock_client(w, NULL);
        interop_run_until_joined(w, 10 * SB_SECOND);
        c->up.sent = 2;
        interop_forge(w, c->address, w->host_address, cut);
        interop_run(w, SB_SECOND);
        EQUALS(w, c->up.received, 1);
        interop_forge(w, c->address, w->host_address, rest);
        interop_run(w, SB_SECOND);
        EQUALS(w, c->up.received, 2);
        EQUALS(w, c->up.repeated + c->up.displaced + c->up.damaged, 0);
        if (ours) EQUALS(w, interop_counter(w, SB_TRANSPORT_COUNT_UNKNOWN_TYPE), 1);
        else EQUALS(w, w->stock_host->totals.unknown_types, 1);
        interop_check_all_there(w);
    }
}

/* ---- D8: a long Ack outbox ---------------------------------------------------------------- */

TEST(a_burst_that_fills_the_ack_outbox_of_a_stock_client_arrives)
{
    for (int pace = 0; pace < 2; pace++) /* stock, measured */
        for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
            interop *w = interop_open_with_stock_clients(weather, 171, 1, (sb_retransmit)pace);
            interop_client *c = &w->clients[0];
            while (c->down.sent < 600) {
                while (c->down.sent < 600 && interop_send_down(w, c, true, 10)) {
                }
                interop_run(w, 20000);
            }
            interop_check_good_end(w);
            HOLDS(w, c->theirs->totals.ack_scan_steps > 50000);
        }
}
