/* tests/transport/interop_openbc_test.c -- our client at hosts with the quirks of OpenBC.
 *
 * For:      src/transport/ against sim/openbc_host.h: one scenario per note of spec 01 §6.9. Such a
 *           host neither orders messages nor drops duplicates, so only our side must
 *           deliver exactly once.
 */
#include "transport/interop_rig.h"

enum { SEEDS = 3 };

static interop *open_openbc(size_t weather, uint64_t seed, const sim_openbc_config *host,
                            bool eight_bit_host)
{
    interop                   *w = interop_open(weather, seed);
    sb_transport_client_config client;
    sb_transport_client_defaults(&client);
    client.eight_bit_host = eight_bit_host;
    interop_add_openbc_host(w, host);
    (void)interop_add_our_client(w, &client);
    interop_run_until_joined(w, 30 * SB_SECOND);
    return w;
}

static sim_openbc_config openbc(void)
{
    sim_openbc_config config;
    sim_openbc_defaults(&config);
    return config;
}

/* Our side got everything exactly once; the OpenBC host got everything at least once. */
static void check_openbc_end(interop *w)
{
    interop_client *c = &w->clients[0];
    HOLDS(w, interop_run_until_quiet(w, 60 * SB_SECOND));
    interop_check_down(w, c);
    EQUALS(w, c->up.received, c->up.sent);
    EQUALS(w, c->up.damaged, 0);
    interop_check_all_there(w);
    interop_check_refusals(w, NULL);
    EQUALS(w, w->openbc_host->totals.unread, 0);
    EQUALS(w, w->openbc_host->totals.refused, w->openbc_host->totals.refused_noop);
}

TEST(streams_of_less_than_256_messages_with_an_openbc_host_arrive)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            interop *w = open_openbc(weather, seed, NULL, false);
            interop_stream(w, 200, 50000);
            check_openbc_end(w);
            if (weather == INTEROP_CLEAN) EQUALS(w, w->clients[0].up.repeated, 0);
        }
    }
}

TEST(openbc_name_copies_do_not_disturb)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        interop *w = open_openbc(weather, 11, NULL, false);
        interop_run(w, 120 * SB_SECOND);
        HOLDS(w, w->openbc_host->totals.name_copies >= 110);
        HOLDS(w, interop_counter(w, SB_TRANSPORT_COUNT_DUPLICATE) >= 60);
        if (weather == INTEROP_CLEAN) EQUALS(w, w->clients[0].here.named, 1);
        interop_stream(w, 30, 50000);
        check_openbc_end(w);
    }
}

/* An OpenBC host ignores NoOps; only the Acks of its Name copies keep the session alive. */
TEST(acks_of_names_keep_an_idle_client_at_openbc_for_an_hour)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        interop *w = open_openbc(weather, 12, NULL, false);
        interop_run(w, 3600 * SB_SECOND);
        check_openbc_end(w);
    }
    sim_openbc_config quiet = openbc();
    quiet.name_repeat_us = 0;
    interop *w = open_openbc(INTEROP_CLEAN, 12, &quiet, false);
    interop_run(w, 40 * SB_SECOND);
    HOLDS(w, w->openbc_host->totals.refused_noop > 0);
    EQUALS(w, w->openbc_host->totals.timed_out, 1);
}

/* Acks without an index can only be counted, so copies made by the network can deceive the count.
 * These seeds make no such copies. */
TEST(openbc_acks_without_index_finish_a_fragmented_answer)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        for (uint64_t seed = 21; seed < 21 + SEEDS; seed++) {
            interop *w = open_openbc(weather, seed, NULL, false);
            (void)interop_send_up(w, &w->clients[0], true, 80);
            (void)interop_send_up(w, &w->clients[0], true, 832);
            (void)interop_send_up(w, &w->clients[0], true, 27);
            interop_run(w, 20 * SB_SECOND);
            check_openbc_end(w);
            EQUALS(w, interop_peer_info(w, &w->clients[0]).unacknowledged, 0);
        }
    }
}

/* More messages and Acks than one datagram of 32 messages holds. */
TEST(our_client_puts_at_most_32_messages_in_a_datagram)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        interop        *w = open_openbc(weather, 31, NULL, false);
        interop_client *c = &w->clients[0];
        for (int i = 0; i < 120; i++) {
            HOLDS(w, interop_send_up(w, c, true, 8));
            (void)interop_send_down(w, c, true, 8);
        }
        check_openbc_end(w); /* unread is 0 */
    }
}

TEST(openbc_shutdown_with_our_own_id_ends_the_session)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        interop *w = open_openbc(weather, 41, NULL, false);
        sim_openbc_stop(w->openbc_host);
        interop_run(w, 15 * SB_SECOND);
        EQUALS(w, w->clients[0].here.left, 1);
        EQUALS(w, w->clients[0].here.reason, SB_LEFT_HOST_CLOSED);
        HOLDS(w, sb_transport_client_is_over(w->clients[0].ours));
    }
}

TEST(our_client_leaves_an_openbc_host_that_does_not_know_the_word)
{
    for (int knows = 0; knows < 2; knows++) {
        sim_openbc_config config = openbc();
        config.knows_disconnect = knows;
        interop *w = open_openbc(INTEROP_MILD, 42, &config, false);
        sb_transport_client_leave(w->clients[0].ours, w->now);
        interop_run(w, 4 * SB_SECOND);
        EQUALS(w, w->clients[0].here.left, 1);
        EQUALS(w, w->clients[0].here.reason, SB_LEFT_QUIT);
        HOLDS(w, sb_transport_client_is_over(w->clients[0].ours));
        interop_run(w, 40 * SB_SECOND);
        EQUALS(w, w->clients[0].at_host.left, 1);
    }
}

/* Spec 01 §6.9: number 0 again is a duplicate for a correct receiver. */
TEST(after_256_messages_an_openbc_stream_ends_the_session_lives)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        interop        *w = open_openbc(weather, 51, NULL, false);
        interop_client *c = &w->clients[0];
        for (int i = 0; i < 300; i++) {
            (void)interop_send_down(w, c, true, 20);
            interop_run(w, 50000);
        }
        HOLDS(w, interop_run_until_quiet(w, 60 * SB_SECOND));
        EQUALS(w, c->down.sent, 300);
        EQUALS(w, c->down.received, 256);
        EQUALS(w, c->down.repeated + c->down.displaced + c->down.damaged, 0);
        interop_run(w, 120 * SB_SECOND);
        interop_check_all_there(w);
        EQUALS(w, w->openbc_host->totals.gave_up, 0);
    }
}

/* 8-bit numbers distinguish 127 ahead from 127 behind, and this host has no window: on a rough
 * network it must not send more than it can retransmit in time. */
TEST(eight_bit_host_option_reads_on_after_255)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        for (uint64_t seed = 61; seed < 61 + SEEDS; seed++) {
            interop        *w = open_openbc(weather, seed, NULL, true);
            interop_client *c = &w->clients[0];
            sb_time         interval = weather == INTEROP_ROUGH ? 200000 : 50000;
            for (int i = 0; i < 1000; i++) {
                (void)interop_send_down(w, c, true, 20);
                interop_run(w, interval);
            }
            HOLDS(w, interop_run_until_quiet(w, 60 * SB_SECOND));
            EQUALS(w, c->down.sent, 1000);
            interop_check_down(w, c);
            interop_check_all_there(w);
        }
    }
}

/* An OpenBC Ack has one byte of our number (§12 row 6): none matches the 257th message. */
TEST(after_256_messages_no_openbc_ack_matches_and_we_stall)
{
    interop        *w = open_openbc(INTEROP_CLEAN, 71, NULL, false);
    interop_client *c = &w->clients[0];
    while (c->up.sent < 256) {
        HOLDS(w, interop_send_up(w, c, true, 20));
        interop_run(w, 50000);
    }
    check_openbc_end(w);
    HOLDS(w, interop_send_up(w, c, true, 20));
    interop_run(w, 58 * SB_SECOND);
    HOLDS(w, c->up.received == 257);
    EQUALS(w, c->here.left, 0);
    interop_run(w, 4 * SB_SECOND);
    EQUALS(w, c->here.left, 1);
    EQUALS(w, c->here.reason, SB_LEFT_STALLED);
}

/* An OpenBC host retransmits 8 times, 2 s apart: only a path dead for 16 s makes it give up. */
TEST(an_outage_of_ten_seconds_does_not_end_an_openbc_session)
{
    interop       *w = open_openbc(INTEROP_CLEAN, 81, NULL, false);
    sim_conditions down = { .down = true };
    interop_set_up_link(w, &w->clients[0], &down);
    interop_set_down_link(w, &w->clients[0], &down);
    (void)interop_send_down(w, &w->clients[0], true, 20);
    (void)interop_send_up(w, &w->clients[0], true, 20);
    interop_run(w, 10 * SB_SECOND);
    interop_set_up_link(w, &w->clients[0], &interop_weathers[INTEROP_CLEAN].conditions);
    interop_set_down_link(w, &w->clients[0], &interop_weathers[INTEROP_CLEAN].conditions);
    interop_run(w, 10 * SB_SECOND);
    check_openbc_end(w);
}

TEST(eight_bit_host_option_sends_on_after_255)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        for (uint64_t seed = 71; seed < 73; seed++) {
            interop                   *w = interop_open(weather, seed);
            sb_transport_client_config client;
            sb_transport_client_defaults(&client);
            client.eight_bit_host = true;
            interop_add_openbc_host(w, NULL);
            (void)interop_add_our_client(w, &client);
            interop_run_until_joined(w, 30 * SB_SECOND);
            interop_client *c = &w->clients[0];
            interop_stream(w, 700, weather == INTEROP_ROUGH ? 200000 : 50000);
            HOLDS(w, interop_run_until_quiet(w, 60 * SB_SECOND));
            interop_check_down(w, c);
            EQUALS(w, c->up.received, c->up.sent);
            interop_check_all_there(w);
        }
    }
}
