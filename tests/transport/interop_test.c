/* tests/transport/interop_test.c -- our transport with stock peers, from join to leave.
 *
 * For:      src/transport/ against the models of sim/stock_*.h: our host with stock clients, our
 *           client with a stock host, over networks from clean to rough. Defects of stock peers are
 * in interop_defects_test.c.
 */
#include "transport/interop_rig.h"

#include "transport/testing.h"

enum { SEEDS = 3 };

/* ---- Streams ------------------------------------------------------------------------------ */

TEST(streams_with_three_stock_clients_arrive_once_and_in_order)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            interop *w = interop_open_with_stock_clients(weather, seed, 3, SB_RETRANSMIT_STOCK);
            interop_stream(w, 100, 50000);
            interop_check_good_end(w);
        }
    }
}

TEST(streams_with_stock_clients_arrive_with_measured_timing)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        for (uint64_t seed = 11; seed < 11 + SEEDS; seed++) {
            interop *w = interop_open_with_stock_clients(weather, seed, 2, SB_RETRANSMIT_MEASURED);
            interop_stream(w, 150, 50000);
            interop_check_good_end(w);
        }
    }
}

TEST(streams_with_a_stock_host_arrive_once_and_in_order)
{
    static const sb_time ticks[] = { 16000, 33000, 95000 };
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            sim_stock_host_config      host = interop_stock_host(true, ticks[seed % 3]);
            sb_transport_client_config client;
            sb_transport_client_defaults(&client);
            client.retransmit = seed % 2 ? SB_RETRANSMIT_STOCK : SB_RETRANSMIT_MEASURED;
            interop *w = interop_open_with_stock_host(weather, seed, &host, &client);
            interop_stream(w, 200, 50000);
            interop_check_good_end(w);
        }
    }
}

/* Sequence numbers pass 0x00FF -> 0x0100 (spec 01 §6.1, §14.3). */
TEST(two_thousand_messages_each_way_with_a_stock_client_cross_255)
{
    for (int pace = 0; pace < 2; pace++) /* stock, measured */
        for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
            interop *w =
                interop_open_with_stock_clients(weather, 21 + weather, 1, (sb_retransmit)pace);
            interop_stream(w, 2000, 25000);
            interop_check_good_end(w);
            EQUALS(w, w->clients[0].theirs->peer.expected[SIM_STOCK_DATA], 2000);
        }
}

TEST(two_thousand_messages_each_way_with_a_stock_host_cross_255)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        sim_stock_host_config host = interop_stock_host(true, 33000);
        interop              *w = interop_open_with_stock_host(weather, 31 + weather, &host, NULL);
        interop_stream(w, 2000, 25000);
        interop_check_good_end(w);
        EQUALS(w, w->stock_host->peers[0].peer.expected[SIM_STOCK_DATA], 2000);
    }
}

TEST(numbers_of_a_stock_client_wrap_from_65535_to_0)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        interop        *w = interop_open_with_stock_clients(weather, 41, 1, SB_RETRANSMIT_STOCK);
        sim_stock_peer *peer = &w->clients[0].theirs->peer;
        sb_transport_host_set_numbers(w->our_host, w->clients[0].id, 0xFFA0, 0xFFD0);
        peer->expected[SIM_STOCK_DATA] = 0xFFA0;
        peer->next_seq[SIM_STOCK_DATA] = 0xFFD0;
        interop_stream(w, 200, 50000);
        interop_check_good_end(w);
        EQUALS(w, peer->expected[SIM_STOCK_DATA], (0xFFA0 + 200) & 0xFFFF);
    }
}

TEST(numbers_of_a_stock_host_wrap_from_65535_to_0)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        sim_stock_host_config host = interop_stock_host(true, 33000);
        interop              *w = interop_open_with_stock_host(weather, 42, &host, NULL);
        sim_stock_peer       *peer = &w->stock_host->peers[0].peer;
        sb_transport_client_set_numbers(w->clients[0].ours, 0xFFA0, 0xFFD0);
        peer->expected[SIM_STOCK_DATA] = 0xFFA0;
        peer->next_seq[SIM_STOCK_DATA] = 0xFFD0;
        interop_stream(w, 200, 50000);
        interop_check_good_end(w);
        EQUALS(w, peer->expected[SIM_STOCK_DATA], (0xFFA0 + 200) & 0xFFFF);
    }
}

/* ---- Joining ------------------------------------------------------------------------------ */

TEST(stock_host_answer_in_one_two_or_three_datagrams_is_accepted)
{
    static uint8_t first[22] = { 0, 2, 0, 0, 0, 0, 22, 0 }; /* the rig's message 0 */
    for (size_t i = 8; i < sizeof first; i++) first[i] = (uint8_t)(i * 7);
    for (uint32_t lone = 0; lone < 3; lone++) {
        for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
            sim_stock_host_config host = interop_stock_host(true, 33000);
            host.stock.lone_messages = lone;
            host.first_message = (sb_span){ first, sizeof first };
            interop *w = interop_open_with_stock_host(weather, 51 + lone, &host, NULL);
            w->clients[0].down.sent = 1;
            interop_stream(w, 10, 50000);
            interop_check_good_end(w);
            CHECK_TEXT(w->clients[0].here.name, "Kirk");
            CHECK_TEXT(w->clients[0].at_host.name, "Kirk");
        }
    }
}

static void check_capture_split(const interop *w, const interop_fragments *record)
{
    EQUALS(w, record->count, 3);
    EQUALS(w, record->sizes[0], 412);
    EQUALS(w, record->sizes[1], 412);
    EQUALS(w, record->sizes[2], 27);
    HOLDS(w, record->indexed_acks >= 3);
}

/* A ChecksumResponse (spec 01 §7.1), after a join in which both sides have sent. */
TEST(a_stock_client_joins_with_an_answer_of_832_bytes)
{
    for (int pace = 0; pace < 2; pace++) /* stock, measured */
        for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
            for (uint64_t seed = 61; seed < 61 + SEEDS; seed++) {
                interop *w = interop_open_with_stock_clients(weather, seed, 1, (sb_retransmit)pace);
                interop_client   *c = &w->clients[0];
                interop_fragments record = { .from = c->address.address };
                w->watch = interop_watch_fragments;
                w->watch_context = &record;
                for (int round = 0; round < 3; round++) {
                    (void)interop_send_down(w, c, true, 27);
                    interop_run(w, 100000);
                    (void)interop_send_up(w, c, true, round == 2 ? 832 : 80);
                }
                interop_check_good_end(w);
                if (weather == INTEROP_CLEAN) check_capture_split(w, &record);
            }
        }
}

TEST(our_client_joins_a_stock_host_with_an_answer_of_832_bytes)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        for (uint64_t seed = 71; seed < 71 + SEEDS; seed++) {
            sim_stock_host_config host = interop_stock_host(true, 33000);
            interop              *w = interop_open_with_stock_host(weather, seed, &host, NULL);
            interop_client       *c = &w->clients[0];
            interop_fragments     record = { .from = c->address.address };
            w->watch = interop_watch_fragments;
            w->watch_context = &record;
            for (int round = 0; round < 3; round++) {
                (void)interop_send_down(w, c, true, 27);
                interop_run(w, 100000);
                HOLDS(w, interop_send_up(w, c, true, round == 2 ? 832 : 80));
            }
            interop_check_good_end(w);
            if (weather == INTEROP_CLEAN) check_capture_split(w, &record);
        }
    }
}

TEST(fragmented_and_whole_messages_of_all_sizes_keep_their_order)
{
    static const size_t sizes[] = { 407, 408, 20, 811, 812, 5000, 8, 832, 1217, 406 };
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        interop        *w = interop_open_with_stock_clients(weather, 81, 1, SB_RETRANSMIT_STOCK);
        interop_client *c = &w->clients[0];
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            HOLDS(w, interop_send_down(w, c, true, sizes[i]));
            HOLDS(w, interop_send_up(w, c, true, sizes[i]));
        }
        interop_check_good_end(w);
    }
}

TEST(names_of_stock_clients_reach_everybody_at_our_host)
{
    for (int pace = 0; pace < 2; pace++) /* stock, measured */
        for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
            interop *w = interop_open_with_stock_clients(weather, 91, 3, (sb_retransmit)pace);
            HOLDS(w, interop_run_until_quiet(w, 60 * SB_SECOND));
            for (size_t i = 0; i < 3; i++) {
                CHECK_TEXT(w->clients[i].at_host.name, "Cady2");
                CHECK_TEXT(w->clients[i].here.name, "Cady2");
                for (size_t j = 0; j < 3; j++)
                    if (i != j) CHECK_TEXT(w->clients[i].others[j].name, "Cady2");
            }
        }
}

/* ---- Silence ------------------------------------------------------------------------------ */

TEST(idle_stock_peer_that_sends_only_noops_stays_for_an_hour)
{
    for (int pace = 0; pace < 2; pace++) /* stock, measured */
        for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
            interop *w = interop_open_with_stock_clients(weather, 181, 1, (sb_retransmit)pace);
            interop_client *c = &w->clients[0];
            interop_run(w, 3600 * SB_SECOND);
            HOLDS(w, c->theirs->totals.noops_out >= 700);
            if (weather == INTEROP_CLEAN) HOLDS(w, c->theirs->totals.noops_in >= 700);
            EQUALS(w, c->theirs->totals.reliable_delivered, 0);
            interop_check_good_end(w);
        }
}

TEST(our_idle_client_stays_with_a_stock_host_for_an_hour)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        sim_stock_host_config host = interop_stock_host(true, 95000);
        interop              *w = interop_open_with_stock_host(weather, 182, &host, NULL);
        interop_run(w, 3600 * SB_SECOND);
        HOLDS(w, w->stock_host->totals.noops_out >= 700);
        if (weather == INTEROP_CLEAN) HOLDS(w, w->stock_host->totals.noops_in >= 700);
        interop_check_good_end(w);
    }
}

TEST(silent_stock_client_leaves_at_45_s_and_others_get_a_boot)
{
    interop *w = interop_open_with_stock_clients(INTEROP_CLEAN, 183, 3, SB_RETRANSMIT_STOCK);
    HOLDS(w, interop_run_until_quiet(w, 10 * SB_SECOND));
    interop_run(w, 40 * SB_SECOND);
    sb_time heard = interop_peer_info(w, &w->clients[0]).heard_at;
    w->clients[0].theirs->unplugged = true;
    interop_run(w, heard + 44900000 - w->now);
    EQUALS(w, w->clients[0].at_host.left, 0);
    interop_run(w, 200000);
    EQUALS(w, w->clients[0].at_host.left, 1);
    EQUALS(w, w->clients[0].at_host.reason, SB_LEFT_TIMED_OUT);
    for (size_t i = 1; i < 3; i++) {
        EQUALS(w, w->clients[i].others[0].left, 1);
        HOLDS(w, w->clients[i].others[0].by_boot);
        EQUALS(w, w->clients[i].others[0].boot_reason, SB_BOOT_TIMED_OUT);
        EQUALS(w, w->clients[i].at_host.left, 0);
    }
}

TEST(our_client_leaves_a_silent_stock_host_after_45_seconds)
{
    sim_stock_host_config host = interop_stock_host(true, 33000);
    interop              *w = interop_open_with_stock_host(INTEROP_CLEAN, 184, &host, NULL);
    sim_conditions        down = { .down = true };
    interop_set_down_link(w, &w->clients[0], &down);
    interop_run(w, 44 * SB_SECOND);
    EQUALS(w, w->clients[0].here.left, 0);
    interop_run(w, 2 * SB_SECOND);
    EQUALS(w, w->clients[0].here.left, 1);
    EQUALS(w, w->clients[0].here.reason, SB_LEFT_TIMED_OUT);
}

static void cut_for_30_seconds(interop *w, const interop_client *c)
{
    sim_conditions down = { .down = true };
    interop_set_up_link(w, c, &down);
    interop_set_down_link(w, c, &down);
    interop_run(w, 30 * SB_SECOND);
    interop_set_up_link(w, c, &interop_weathers[INTEROP_MILD].conditions);
    interop_set_down_link(w, c, &interop_weathers[INTEROP_MILD].conditions);
}

TEST(an_outage_of_30_seconds_ends_no_stock_session)
{
    for (int ours = 0; ours < 2; ours++) {
        sim_stock_host_config host = interop_stock_host(true, 33000);
        interop              *w =
            ours ? interop_open_with_stock_clients(INTEROP_MILD, 185, 1, SB_RETRANSMIT_MEASURED)
                              : interop_open_with_stock_host(INTEROP_MILD, 185, &host, NULL);
        interop_stream(w, 50, 50000);
        for (int i = 0; i < 50; i++) {
            HOLDS(w, interop_send_down(w, &w->clients[0], true, 30));
            HOLDS(w, interop_send_up(w, &w->clients[0], true, 30));
        }
        cut_for_30_seconds(w, &w->clients[0]);
        interop_stream(w, 150, 50000);
        interop_check_good_end(w);
    }
}

/* ---- Leaving ------------------------------------------------------------------------------ */

typedef struct leave_record {
    const interop *w;
    uint32_t       leaver;
    uint16_t       seq;
    size_t         disconnects, acks; /* from the leaving client; from the host, for that number */
    sb_time        first_disconnect, first_ack, last_ack;
} leave_record;

static void record_leave(void *context, const interop_sight *sight)
{
    leave_record        *record = context;
    bool                 from_leaver = sight->from.address == record->leaver;
    bool                 to_leaver = sight->to.address == record->leaver;
    sb_transport_message m;
    for (size_t at = 0; sb_datagram_next(sight->datagram, &at, &m);) {
        if (from_leaver && m.type == SB_TRANSPORT_DISCONNECT) {
            if (record->disconnects++ == 0) record->first_disconnect = sight->at;
            record->seq = m.seq;
        } else if (to_leaver && m.type == SB_TRANSPORT_ACK && record->disconnects > 0 &&
                   m.ack_flags == SB_ACK_LOW_CHANNEL && m.seq == record->seq) {
            if (record->acks++ == 0) record->first_ack = sight->at;
            record->last_ack = sight->at;
        }
    }
}

/* Spec 01 §8.4, stock client and our host: one Ack at once and one per retransmission. */
TEST(stock_client_that_quits_is_announced_to_the_others_once)
{
    for (int pace = 0; pace < 2; pace++) /* stock, measured */
        for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
            interop *w = interop_open_with_stock_clients(weather, 191, 3, (sb_retransmit)pace);
            interop_client *c = &w->clients[0];
            leave_record    record = { .w = w, .leaver = c->address.address };
            interop_stream(w, 20, 50000);
            HOLDS(w, interop_run_until_quiet(w, 60 * SB_SECOND));
            w->watch = record_leave;
            w->watch_context = &record;
            sim_stock_client_leave(c->theirs, w->now);
            interop_run(w, 12 * SB_SECOND);
            EQUALS(w, c->theirs->state, SIM_STOCK_OVER);
            EQUALS(w, c->at_host.left, 1);
            EQUALS(w, c->at_host.reason, SB_LEFT_QUIT);
            for (size_t i = 1; i < 3; i++) {
                EQUALS(w, w->clients[i].others[0].left, 1);
                HOLDS(w, !w->clients[i].others[0].by_boot);
                EQUALS(w, w->clients[i].at_host.left, 0);
            }
            if (weather != INTEROP_CLEAN) continue;
            EQUALS(w, record.disconnects, 1);
            EQUALS(w, record.acks, 1);
            HOLDS(w, record.first_ack - record.first_disconnect < 100000);
            interop_check_refusals(w, NULL);
        }
}

/* Spec 01 §8.4, our client and a stock host, which repeats the Ack for four seconds. */
TEST(our_client_quits_on_the_first_of_seven_stock_acks)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        for (uint64_t seed = 192; seed < 192 + SEEDS; seed++) {
            sim_stock_host_config host = interop_stock_host(true, 33000);
            interop              *w = interop_open_with_stock_host(weather, seed, &host, NULL);
            interop_client       *c = &w->clients[0];
            leave_record          record = { .w = w, .leaver = c->address.address };
            w->watch = record_leave;
            w->watch_context = &record;
            sb_time asked = w->now;
            sb_transport_client_leave(c->ours, w->now);
            interop_run(w, 10 * SB_SECOND);
            EQUALS(w, c->here.left, 1);
            EQUALS(w, c->here.reason, SB_LEFT_QUIT);
            HOLDS(w, c->here.left_at - asked <= 3 * SB_SECOND);
            HOLDS(w, sb_transport_client_is_over(c->ours));
            EQUALS(w, c->at_host.left, 1);
            if (weather != INTEROP_CLEAN) continue;
            EQUALS(w, record.disconnects, 1);
            EQUALS(w, record.acks, 7);
            HOLDS(w, c->here.left_at - asked < 200000);
            HOLDS(w, record.last_ack - record.first_ack >= 4 * SB_SECOND);
        }
    }
}

TEST(a_player_who_quits_a_stock_host_is_gone_for_our_client)
{
    sim_stock_host_config host = interop_stock_host(true, 33000);
    interop              *w = interop_open(INTEROP_MILD, 193);
    interop_add_stock_host(w, &host);
    (void)interop_add_our_client(w, NULL);
    (void)interop_add_stock_client(w, NULL);
    interop_run_until_joined(w, 30 * SB_SECOND);
    sim_stock_client_leave(w->clients[1].theirs, w->now);
    interop_run(w, 20 * SB_SECOND);
    EQUALS(w, w->clients[0].others[1].left, 1);
    EQUALS(w, w->clients[0].others[1].reason, SB_LEFT_QUIT);
    EQUALS(w, w->clients[0].here.left, 0);
}

TEST(kicked_by_a_stock_host_our_client_knows_why)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        sim_stock_host_config host = interop_stock_host(true, 33000);
        interop              *w = interop_open_with_stock_host(weather, 194, &host, NULL);
        sim_stock_host_kick(w->stock_host, w->now, w->clients[0].id, SB_BOOT_KICKED);
        interop_run(w, 10 * SB_SECOND);
        EQUALS(w, w->clients[0].here.left, 1);
        EQUALS(w, w->clients[0].here.reason, SB_LEFT_BOOTED);
        EQUALS(w, w->clients[0].here.boot_reason, SB_BOOT_KICKED);
        HOLDS(w, sb_transport_client_is_over(w->clients[0].ours));
    }
}

TEST(a_kick_by_our_host_reaches_the_stock_client_and_the_others)
{
    for (int pace = 0; pace < 2; pace++) /* stock, measured */
        for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
            interop *w = interop_open_with_stock_clients(weather, 195, 3, (sb_retransmit)pace);
            sb_transport_host_boot(w->our_host, w->now, w->clients[1].id, SB_BOOT_KICKED);
            interop_run(w, 10 * SB_SECOND);
            EQUALS(w, w->clients[1].at_host.left, 1);
            EQUALS(w, w->clients[1].at_host.reason, SB_LEFT_BOOTED);
            EQUALS(w, w->clients[1].here.left, 1);
            HOLDS(w, w->clients[1].here.by_boot);
            EQUALS(w, w->clients[1].here.boot_reason, SB_BOOT_KICKED);
            EQUALS(w, w->clients[0].others[1].left, 1);
            EQUALS(w, w->clients[2].others[1].boot_reason, SB_BOOT_KICKED);
            EQUALS(w, w->clients[0].here.left + w->clients[2].here.left, 0);
        }
}

TEST(a_stock_host_that_stops_ends_our_session)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        sim_stock_host_config host = interop_stock_host(true, 33000);
        interop              *w = interop_open_with_stock_host(weather, 196, &host, NULL);
        sim_stock_host_stop(w->stock_host, w->now);
        interop_run(w, 10 * SB_SECOND);
        EQUALS(w, w->clients[0].here.left, 1);
        EQUALS(w, w->clients[0].here.reason, SB_LEFT_HOST_CLOSED);
    }
}

TEST(our_host_that_stops_ends_the_sessions_of_stock_clients)
{
    interop *w = interop_open_with_stock_clients(INTEROP_CLEAN, 197, 3, SB_RETRANSMIT_STOCK);
    sb_transport_host_stop(w->our_host, w->now);
    interop_run(w, 1100000);
    HOLDS(w, sb_transport_host_is_stopped(w->our_host));
    for (size_t i = 0; i < 3; i++) {
        EQUALS(w, w->clients[i].here.left, 1);
        HOLDS(w, !w->clients[i].here.by_boot);
    }
}

TEST(a_stock_client_comes_back_from_the_same_port_at_once)
{
    for (int pace = 0; pace < 2; pace++) /* stock, measured */
        for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
            interop *w = interop_open_with_stock_clients(weather, 198, 2, (sb_retransmit)pace);
            interop_client         *c = &w->clients[0];
            sim_stock_client_config config = c->theirs->config;
            sim_stock_client_leave(c->theirs, w->now);
            interop_run(w, 5 * SB_SECOND);
            EQUALS(w, c->theirs->state, SIM_STOCK_OVER);
            sim_stock_client_clear(c->theirs);
            sim_stock_client_init(c->theirs, &config, w->now);
            interop_run(w, 15 * SB_SECOND);
            EQUALS(w, c->theirs->state, SIM_STOCK_PLAYING);
            EQUALS(w, c->at_host.joined, 2);
            EQUALS(w, c->at_host.left, 1);
            EQUALS(w, sb_transport_host_peer_count(w->our_host), 2);
        }
}

/* ---- Refusals ----------------------------------------------------------------------------- */

TEST(a_full_host_of_ours_refuses_a_stock_client_with_reason_3)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        interop                 *w = interop_open(weather, 201);
        sb_transport_host_config config;
        sb_transport_host_defaults(&config);
        config.max_peers = 1;
        interop_add_our_host(w, &config);
        (void)interop_add_stock_client(w, NULL);
        interop_run_until_joined(w, 60 * SB_SECOND);
        interop_client *second = interop_add_stock_client(w, NULL);
        interop_run(w, 15 * SB_SECOND);
        EQUALS(w, second->here.left, 1);
        HOLDS(w, second->here.by_boot);
        EQUALS(w, second->here.boot_reason, SB_BOOT_FULL);
        EQUALS(w, second->at_host.joined, 0);
        EQUALS(w, w->clients[0].here.left, 0);
    }
}

TEST(a_full_stock_host_refuses_our_client_and_we_know_why)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        sim_stock_host_config host = interop_stock_host(true, 33000);
        interop              *w = interop_open(weather, 202);
        host.max_players = 1;
        interop_add_stock_host(w, &host);
        (void)interop_add_stock_client(w, NULL);
        interop_run_until_joined(w, 60 * SB_SECOND);
        interop_client *second = interop_add_our_client(w, NULL);
        interop_run(w, 15 * SB_SECOND);
        EQUALS(w, second->here.left, 1);
        EQUALS(w, second->here.reason, SB_LEFT_BOOTED);
        EQUALS(w, second->here.boot_reason, SB_BOOT_FULL);
        EQUALS(w, second->here.joined, 0);
    }
}

TEST(stock_clients_need_the_password_of_our_host)
{
    static const uint8_t     password[] = { 'N', 0, 'X', 0 };
    interop                 *w = interop_open(INTEROP_MILD, 203);
    sb_transport_host_config config;
    sim_stock_client_config  right = interop_stock_client(true), wrong = interop_stock_client(true);
    sb_transport_host_defaults(&config);
    config.password = (sb_span){ password, sizeof password };
    right.password = "NX";
    wrong.password = "NCC";
    interop_add_our_host(w, &config);
    (void)interop_add_stock_client(w, &right);
    interop_client *second = interop_add_stock_client(w, &wrong);
    interop_run(w, 30 * SB_SECOND);
    EQUALS(w, w->clients[0].here.joined, 1);
    EQUALS(w, second->here.joined, 0);
    HOLDS(w, second->here.by_boot);
    EQUALS(w, second->here.boot_reason, SB_BOOT_PASSWORD);
}
