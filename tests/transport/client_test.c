/* tests/transport/client_test.c -- a client, rule by rule: connecting, what it believes, what it
 * sends, and how it ends. Spec 01 §5.3, §6.9, §8; what both sides share is in host_test.c.
 */
#include "rig.h"

#include <string.h>

static rig *joined_client(const sb_transport_client_config *config)
{
    rig *r = rig_open_client(config);
    rig_join_client(r, 2);
    return r;
}

static sb_result send_up(rig *r, sb_delivery delivery, sb_span bytes)
{
    return sb_transport_client_send(r->client, delivery, bytes);
}

/* ---- Connecting ---------------------------------------------------------------------------- */

TEST(a_client_begins_with_the_captured_connect)
{
    rig *r = rig_open_client(NULL);
    CHECK_EQ(sb_transport_client_id(r->client), SB_PEER_NONE);
    CHECK_EQ(send_up(r, SB_RELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED);
    rig_step(r);
    EXPECT_SENT(r, rig_server(), RIG_CONNECT); /* spec 01 §11.1, byte for byte */
    EXPECT_SILENCE(r);
}

TEST(a_password_follows_the_port_with_its_terminator)
{
    sb_transport_client_config config;
    rig_client_config(&config);
    config.password = rig_wide("Nx");
    rig *r = rig_open_client(&config);
    rig_step(r);
    EXPECT_SENT(r, rig_server(), "FF 01 03 13 C0 00 00 0A 0A 0A EF F9 78 00 00 4E 00 78 00 00 00");
}

TEST(a_client_repeats_its_connect_and_gives_up_after_15_seconds)
{
    rig    *r = rig_open_client(NULL);
    sb_time start = r->now;
    rig_wait(r, 15 * SB_SECOND - 1);
    CHECK_TEXT(rig_times(r, rig_server(), SB_TRANSPORT_CONNECT, start), "0 1000 3000 6000 10000");
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, SB_PEER_NONE, SB_LEFT_NO_ANSWER);
    CHECK(sb_transport_client_is_over(r->client));
    rig_forget(r);
    rig_wait(r, 60 * SB_SECOND);
    EXPECT_SILENCE(r);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(sb_transport_client_next_deadline(r->client), SB_TIME_NEVER);
}

TEST(the_time_to_give_up_is_what_the_configuration_says)
{
    sb_transport_client_config config;
    rig_client_config(&config);
    config.connect_limit_us = 4 * SB_SECOND;
    rig *r = rig_open_client(&config);
    rig_wait(r, 4 * SB_SECOND);
    EXPECT_LEFT(r, SB_PEER_NONE, SB_LEFT_NO_ANSWER);
}

TEST(with_its_id_a_client_sends_an_ack_and_its_name)
{
    rig *r = rig_open_client(NULL);
    rig_step(r);
    EXPECT_SENT(r, rig_server(), RIG_CONNECT);
    GIVE(r, rig_server(), "01 02 01 00 00 02 03 06 C0 00 00 05");
    EXPECT_JOINED(r, 5);
    CHECK_EQ(sb_transport_client_id(r->client), 5);
    rig_step(r);
    EXPECT_SENT(r, rig_server(),
                "05 02 01 00 00 02 00 14 C0 01 00 05 0A 0A 0A EF"
                "4B 00 69 00 72 00 6B 00 00 00");
    EXPECT_SILENCE(r);
    EXPECT_NO_EVENT(r);
}

TEST(a_client_accepts_every_split_of_the_answer)
{
    static const char *const splits[][3] = {
        { "01 03 01 00 00 02 03 06 C0 00 00 02 32 06 80 00 00 AA" },
        { "01 01 01 00 00 02", "01 02 03 06 C0 00 00 02 32 06 80 00 00 AA" },
        { "01 01 01 00 00 02", "01 01 03 06 C0 00 00 02", "01 01 32 06 80 00 00 AA" },
        { "01 01 03 06 C0 00 00 02", "01 02 01 00 00 02 32 06 80 00 00 AA" },
        { "01 01 03 06 C0 00 00 02", "01 01 32 06 80 00 00 AA", "01 01 01 00 00 02" },
    };
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
        rig *r = rig_open_client(NULL);
        rig_step(r);
        for (size_t k = 0; k < 3 && splits[i][k]; k++) GIVE(r, rig_server(), splits[i][k]);
        EXPECT_JOINED(r, 2);
        EXPECT_DATA(r, SB_PEER_HOST, ((sb_span){ (const uint8_t *)"\xAA", 1 }));
        EXPECT_NO_EVENT(r);
        rig_forget(r);
        rig_wait(r, 900 * RIG_MILLISECOND);
        EXPECT_SAID(r, rig_server(), "Ack low 0, Ack 0, Name 1");
        GIVE(r, rig_server(), "01 01 01 01 00 02");
        rig_forget(r);
        rig_wait(r, 3 * SB_SECOND);
        EXPECT_SILENCE(r); /* the Connect is not repeated */
    }
}

TEST(data_that_overtakes_the_answer_is_delivered_after_it)
{
    rig *r = rig_open_client(NULL);
    rig_step(r);
    (void)!rig_give_hex(r, rig_server(), "01 01 32 06 80 00 00 AA");
    EXPECT_NO_EVENT(r);
    GIVE(r, rig_server(), "01 02 01 00 00 02 03 06 C0 00 00 02");
    EXPECT_JOINED(r, 2);
    rig_step(r);
    GIVE(r, rig_server(), "01 01 32 06 80 00 00 AA"); /* dropped: the host retransmits it */
    EXPECT_DATA(r, SB_PEER_HOST, ((sb_span){ (const uint8_t *)"\xAA", 1 }));
    EXPECT_NO_EVENT(r);
}

TEST(a_repeated_answer_is_acknowledged_again_and_changes_nothing)
{
    rig *r = joined_client(NULL);
    GIVE(r, rig_server(), "01 01 03 06 C0 00 00 02");
    EXPECT_NO_EVENT(r);
    CHECK_TEXT(rig_answer(r, rig_server()), "Ack low 0");
    CHECK_EQ(sb_transport_client_id(r->client), 2);
}

TEST(a_refusal_ends_a_client_that_has_no_id)
{
    for (uint8_t reason = 0; reason < 7; reason++) {
        rig *r = rig_open_client(NULL);
        rig_step(r);
        uint8_t refusal[] = { 1, 2, 1, 0, 0, 2, 4, 7, 0xC0, 0, 0, reason, 0xFF };
        CHECK_EQ(rig_give(r, rig_server(), (sb_span){ refusal, sizeof refusal }), SB_OK);
        EXPECT_NO_EVENT(r); /* it may be forged */
        rig_wait(r, 2 * SB_SECOND);
        const rig_event *e = rig_next_event(r);
        CHECK(e && e->event.type == SB_EVENT_LEFT);
        CHECK_EQ(e->event.peer_id, SB_PEER_NONE);
        CHECK_EQ(e->event.reason, SB_LEFT_BOOTED);
        CHECK_EQ(e->event.boot_reason, reason);
        rig_wait(r, 20 * SB_SECOND);
        CHECK_EQ(rig_count_sent(r, rig_server(), SB_TRANSPORT_NAME), 0);
        CHECK(sb_transport_client_is_over(r->client));
        EXPECT_NO_EVENT(r);
    }
}

/* ---- Accepted sources (spec 01 §5.2) ------------------------------------------------------- */

TEST(a_client_believes_only_the_address_it_connected_to)
{
    rig         *r = joined_client(NULL);
    uint8_t      boot[] = { 1, 1, 4, 7, 0xC0, 1, 0, 4, 2 };
    sb_span      plain = { boot, sizeof boot };
    sb_endpoint  port = { rig_server().address, 22102 }, address = { 0xC0A80002, 22101 };
    sb_peer_info before, after;
    CHECK(rig_info(r, 2, &before));
    r->now += SB_SECOND;
    REFUSE(r, port, plain, SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
    REFUSE(r, address, plain, SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
    CHECK(rig_info(r, 2, &after));
    CHECK_EQ(after.heard_at, before.heard_at);
    CHECK(!sb_transport_client_is_over(r->client));
}

TEST(a_client_believes_only_datagrams_under_the_hosts_id)
{
    rig    *r = joined_client(NULL);
    uint8_t noop[] = { 2, 1, 2 };
    REFUSE(r, rig_server(), ((sb_span){ noop, 3 }), SB_TRANSPORT_COUNT_WRONG_DIRECTION);
    noop[0] = SB_PEER_NONE;
    REFUSE(r, rig_server(), ((sb_span){ noop, 3 }), SB_TRANSPORT_COUNT_WRONG_DIRECTION);
    noop[0] = SB_GAMESPY_BYTE;
    REFUSE(r, rig_server(), ((sb_span){ noop, 3 }), SB_TRANSPORT_COUNT_NOT_GAME);
    noop[0] = 0;
    REFUSE(r, rig_server(), ((sb_span){ noop, 3 }), SB_TRANSPORT_COUNT_BAD_ID);
    noop[0] = 0x80;
    REFUSE(r, rig_server(), ((sb_span){ noop, 3 }), SB_TRANSPORT_COUNT_BAD_ID);
    noop[0] = SB_PEER_HOST;
    CHECK_EQ(rig_give(r, rig_server(), (sb_span){ noop, 3 }), SB_OK);
}

/* ---- Names --------------------------------------------------------------------------------- */

TEST(name_copies_tell_a_client_about_itself_and_others)
{
    rig *r = joined_client(NULL);
    GIVE(r, rig_server(),
         "01 02 00 0E C0 01 00 02 0A 0A 0A EF 4B 00 00 00"
         "00 10 C0 02 00 03 0A 0A 0A EF 53 00 70 00 00 00");
    EXPECT_NAMED(r, 2, "K");
    EXPECT_NAMED(r, 3, "Sp");
    EXPECT_NO_EVENT(r);
    CHECK_TEXT(rig_answer(r, rig_server()), "Ack low 1, Ack low 2");
}

TEST(names_from_a_host_are_cleaned_too)
{
    rig *r = joined_client(NULL);
    GIVE(r, rig_server(), "01 01 00 10 C0 01 00 03 0A 0A 0A EF 5C 00 41 00 0A 00");
    EXPECT_NAMED(r, 3, "/A");
}

TEST(a_rename_is_a_name_with_the_next_low_number)
{
    rig *r = joined_client(NULL);
    CHECK_EQ(sb_transport_client_rename(r->client, rig_wide("Q")), SB_OK);
    rig_step(r);
    EXPECT_SENT(r, rig_server(), "02 01 00 0E C0 02 00 02 0A 0A 0A EF 51 00 00 00");
}

/* Without a name, with blanks from the start, and with blanks before the host has answered. */
TEST(a_client_with_a_blank_name_is_called_by_the_id_it_gets)
{
    for (int how = 0; how < 3; how++) {
        sb_transport_client_config config;
        uint8_t                    id = 4;
        rig_pack                   p;
        rig_client_config(&config);
        if (how < 2) config.name = rig_wide(how == 0 ? "" : "  ");
        rig *r = rig_open_client(&config);
        if (how == 2) CHECK_EQ(sb_transport_client_rename(r->client, rig_wide(" ")), SB_OK);
        rig_step(r);
        rig_forget(r);
        rig_pack_init(&p, SB_PEER_HOST);
        rig_pack_ack(&p, true, 0);
        rig_pack_control(&p, SB_TRANSPORT_CONNECT, 0, (sb_span){ &id, 1 });
        GIVE_PACK(r, rig_server(), &p);
        rig_step(r);
        const rig_sent      *sent = rig_next_sent_to(r, rig_server());
        sb_transport_message m = { 0 };
        for (unsigned i = 0; sent && rig_message(sent, i, &m) && m.type != SB_TRANSPORT_NAME; i++) {
        }
        CHECK_EQ(m.type, SB_TRANSPORT_NAME);
        sb_span expected = rig_wide("Player 3");
        CHECK_BYTES(m.payload.data + 5, m.payload.size - 7, expected.data, expected.size);
    }
}

/* ---- Sending ------------------------------------------------------------------------------- */

TEST(a_client_puts_at_most_32_messages_into_a_datagram)
{
    rig *r = joined_client(NULL);
    for (unsigned i = 0; i < 100; i++)
        CHECK_EQ(send_up(r, i % 2 ? SB_RELIABLE : SB_UNRELIABLE, rig_pattern(1, i)), SB_OK);
    rig_step(r);
    unsigned sum = 0;
    for (const rig_sent *sent = rig_next_sent(r); sent; sent = rig_next_sent(r)) {
        CHECK_EQ(rig_message_count(sent), sum < 96 ? 32 : 4);
        sum += rig_message_count(sent);
    }
    CHECK_EQ(sum, 100);
}

TEST(the_limit_of_messages_is_1_to_255)
{
    sb_transport_client_config config;
    rig_client_config(&config);
    config.message_limit = 0;
    CHECK_EQ(sb_transport_client_bytes(&config), 0);
    config.message_limit = 256;
    CHECK_EQ(sb_transport_client_bytes(&config), 0);
    config.message_limit = 255;
    CHECK(sb_transport_client_bytes(&config) > 0);
    config.message_limit = 1;
    rig *r = joined_client(&config);
    for (unsigned i = 0; i < 3; i++) CHECK_EQ(send_up(r, SB_RELIABLE, rig_pattern(1, i)), SB_OK);
    rig_step(r);
    for (unsigned i = 0; i < 3; i++) CHECK_EQ(rig_message_count(rig_next_sent(r)), 1);
    EXPECT_SILENCE(r);
}

TEST(acks_count_against_the_32_messages_too)
{
    rig     *r = joined_client(NULL);
    rig_pack p;
    rig_pack_init(&p, SB_PEER_HOST);
    for (uint16_t i = 0; i < 100; i++) rig_pack_data(&p, i, rig_pattern(1, i));
    GIVE_PACK(r, rig_server(), &p);
    rig_step(r);
    unsigned sum = 0;
    for (const rig_sent *sent = rig_next_sent(r); sent; sent = rig_next_sent(r)) {
        CHECK(rig_message_count(sent) <= 32);
        for (size_t i = 0; i < rig_message_count(sent); i++) {
            sb_transport_message m;
            CHECK(rig_message(sent, i, &m));
            sum += m.type == SB_TRANSPORT_ACK && m.seq == sum; /* ignores repeated Acks */
        }
    }
    CHECK_EQ(sum, 100);
}

TEST(a_client_accepts_255_messages_in_a_datagram)
{
    rig     *r = joined_client(NULL);
    rig_pack p;
    rig_pack_init(&p, SB_PEER_HOST);
    for (unsigned i = 0; i < 255; i++) rig_pack_unreliable(&p, rig_pattern(1, i));
    GIVE_PACK(r, rig_server(), &p);
    for (unsigned i = 0; i < 255; i++) EXPECT_UNRELIABLE(r, SB_PEER_HOST, rig_pattern(1, i));
}

TEST(a_client_repeats_as_stock_does)
{
    rig    *r = joined_client(NULL);
    sb_time start = r->now;
    CHECK_EQ(send_up(r, SB_RELIABLE, rig_pattern(5, 0)), SB_OK);
    rig_wait(r, 21 * SB_SECOND);
    CHECK_TEXT(rig_times(r, rig_server(), SB_TRANSPORT_DATA, start),
               "0 1000 3000 6000 10000 15000 20000");
}

TEST(fragment_acks_without_index_count_if_configured)
{
    for (int lives = 0; lives < 2; lives++) {
        sb_transport_client_config config;
        rig_client_config(&config);
        config.plain_fragment_acks = lives;
        rig         *r = joined_client(&config);
        sb_peer_info info;
        CHECK_EQ(send_up(r, SB_RELIABLE, rig_pattern(832, 0)), SB_OK);
        rig_step(r);
        GIVE(r, rig_server(), "01 01 01 00 00 00");
        GIVE(r, rig_server(), "01 01 01 00 00 00");
        CHECK(rig_info(r, 2, &info));
        CHECK_EQ(info.unacknowledged, 3); /* two of three Acks: all fragments stay in flight */
        GIVE(r, rig_server(), "01 01 01 00 00 00");
        CHECK(rig_info(r, 2, &info));
        CHECK_EQ(info.unacknowledged, lives ? 0 : 3);
    }
}

TEST(a_host_with_8_bit_numbers_is_understood_only_if_configured)
{
    for (int eight = 0; eight < 2; eight++) {
        sb_transport_client_config config;
        rig_client_config(&config);
        config.eight_bit_host = eight;
        rig *r = joined_client(&config);
        for (unsigned i = 0; i < 300; i++) {
            rig_pack p;
            rig_pack_init(&p, SB_PEER_HOST);
            rig_pack_data(&p, (uint8_t)i, rig_pattern(3, i));
            GIVE_PACK(r, rig_server(), &p);
            if (i < 256 || eight) EXPECT_DATA(r, SB_PEER_HOST, rig_pattern(3, i));
            EXPECT_NO_EVENT(r);
        }
    }
}

/* ---- The end ------------------------------------------------------------------------------- */

TEST(a_silent_host_is_given_up_at_45_seconds)
{
    rig *r = joined_client(NULL);
    GIVE(r, rig_server(), "01 01 02");
    rig_wait(r, 45 * SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, 2, SB_LEFT_TIMED_OUT);
    rig_wait(r, 60 * SB_SECOND);
    EXPECT_NO_EVENT(r);
    CHECK(sb_transport_client_is_over(r->client));
}

TEST(a_client_leaves_a_host_without_acks_after_60_seconds)
{
    rig *r = joined_client(NULL);
    CHECK_EQ(send_up(r, SB_RELIABLE, rig_pattern(1, 0)), SB_OK);
    rig_step(r);
    sb_time start = r->now;
    for (int i = 0; i < 5; i++) {
        rig_wait(r, 10 * SB_SECOND);
        GIVE(r, rig_server(), "01 01 02");
    }
    rig_wait_until(r, start + 60 * SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, 2, SB_LEFT_STALLED);
}

TEST(a_client_stays_with_a_host_whose_fragments_contradict)
{
    rig *r = joined_client(NULL);
    GIVE(r, rig_server(), "01 01 32 08 A0 00 00 00 03 AA");
    for (int i = 0; i < 9; i++) (void)!rig_give_hex(r, rig_server(), "01 01 32 07 A0 00 00 07 AA");
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_BAD_FRAGMENT), 9);
    EXPECT_NO_EVENT(r);
}

TEST(a_leaving_client_repeats_its_disconnect_for_3_seconds)
{
    rig    *r = joined_client(NULL);
    sb_time start = r->now;
    sb_transport_client_leave(r->client, r->now);
    rig_step(r);
    EXPECT_SENT(r, rig_server(), "02 01 05 0A C0 02 00 02 0A 0A 0A EF");
    r->sent_next = 0;
    rig_wait(r, 3 * SB_SECOND - 1);
    CHECK_TEXT(rig_times(r, rig_server(), SB_TRANSPORT_DISCONNECT, start), "0 500 1000 2000");
    EXPECT_NO_EVENT(r);
    CHECK(!sb_transport_client_is_over(r->client));
    rig_wait(r, 1);
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
    CHECK(sb_transport_client_is_over(r->client));
    rig_forget(r);
    rig_wait(r, 60 * SB_SECOND);
    EXPECT_SILENCE(r);
    EXPECT_NO_EVENT(r);
}

TEST(a_leaving_client_is_over_with_the_ack_of_its_disconnect)
{
    rig *r = joined_client(NULL);
    sb_transport_client_leave(r->client, r->now);
    rig_step(r);
    rig_forget(r);
    GIVE(r, rig_server(), "01 01 01 02 00 02");
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
    rig_step(r);
    CHECK(sb_transport_client_is_over(r->client));
    EXPECT_SILENCE(r);
    CHECK_EQ(send_up(r, SB_RELIABLE, rig_pattern(1, 0)), SB_NOT_ALLOWED);
}

TEST(a_client_that_leaves_before_it_has_an_id_just_ends)
{
    rig *r = rig_open_client(NULL);
    rig_step(r);
    rig_forget(r);
    sb_transport_client_leave(r->client, r->now);
    rig_wait(r, 3 * SB_SECOND);
    EXPECT_LEFT(r, SB_PEER_NONE, SB_LEFT_QUIT);
    EXPECT_NO_EVENT(r);
    CHECK(sb_transport_client_is_over(r->client));
    CHECK_EQ(rig_count_sent(r, rig_server(), SB_TRANSPORT_NAME), 0);
}

/* Spec 01 §6.9, last row, and §4.10. */
TEST(a_disconnect_for_host_client_or_nobody_closes_the_session)
{
    static const uint8_t ids[] = { SB_PEER_HOST, 2, SB_PEER_NONE, 3 };
    for (size_t i = 0; i < 4; i++) {
        rig     *r = joined_client(NULL);
        rig_pack p;
        rig_pack_init(&p, SB_PEER_HOST);
        rig_pack_disconnect(&p, 1, ids[i]);
        GIVE_PACK(r, rig_server(), &p);
        rig_step(r);
        EXPECT_SAID(r, rig_server(), "Ack low 1");
        if (ids[i] != 3) rig_wait(r, 6 * SB_SECOND);      /* silence proves it */
        if (ids[i] == 3) EXPECT_LEFT(r, 3, SB_LEFT_QUIT); /* another player left */
        else EXPECT_LEFT(r, 2, SB_LEFT_HOST_CLOSED);
        EXPECT_NO_EVENT(r);
        CHECK_EQ(sb_transport_client_is_over(r->client), ids[i] != 3);
    }
}

TEST(a_boot_too_short_is_ignored_and_extra_bytes_do_not_matter)
{
    rig *r = joined_client(NULL);
    GIVE(r, rig_server(), "01 01 04 06 C0 01 00 04");
    EXPECT_NO_EVENT(r);
    CHECK_TEXT(rig_answer(r, rig_server()), "Ack low 1");
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_BAD_CONTROL), 1);
    GIVE(r, rig_server(), "01 01 04 09 C0 02 00 04 02 AA BB");
    rig_wait(r, 6 * SB_SECOND);
    EXPECT_LEFT(r, 2, SB_LEFT_BOOTED);
}

TEST(events_of_the_end_come_once_whatever_arrives_behind_it)
{
    rig *r = joined_client(NULL);
    GIVE(r, rig_server(), "01 02 04 07 C0 01 00 04 02 05 0A C0 01 00 01 0A 0A 0A EF");
    rig_wait(r, 6 * SB_SECOND);
    EXPECT_LEFT(r, 2, SB_LEFT_HOST_CLOSED);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 60 * SB_SECOND);
    EXPECT_NO_EVENT(r);
}

/* ---- Host and client together -------------------------------------------------------------- */

TEST(a_host_and_its_clients_talk_over_a_clean_network)
{
    rig_link *link = rig_link_open(rig_open_host(NULL), 7);
    for (int i = 0; i < 3; i++) rig_link_add(link, rig_open_client(NULL));
    rig_link_run(link, SB_SECOND);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_EQ(sb_transport_client_id(link->clients[i]->client), i + 2);
        EXPECT_JOINED(link->clients[i], (uint8_t)(i + 2));
        rig_forget(link->clients[i]);
        CHECK_EQ(send_up(link->clients[i], SB_RELIABLE, rig_pattern(2000, i)), SB_OK);
        CHECK_EQ(sb_transport_host_send(link->host->host, (uint8_t)(i + 2), SB_RELIABLE,
                                        rig_pattern(3000, i)),
                 SB_OK);
    }
    rig_forget(link->host);
    rig_link_run(link, SB_SECOND);
    for (unsigned i = 0; i < 3; i++) {
        EXPECT_DATA(link->clients[i], SB_PEER_HOST, rig_pattern(3000, i));
        EXPECT_NO_EVENT(link->clients[i]);
    }
    CHECK_EQ(link->host->event_count, 3);
    CHECK_EQ(rig_count(link->host, SB_TRANSPORT_COUNT_RETRANSMITTED), 0);
    CHECK_EQ(rig_count(link->host, SB_TRANSPORT_COUNT_DUPLICATE), 0);
    rig_forget(link->host);
    sb_transport_client_leave(link->clients[1]->client, link->host->now);
    rig_link_run(link, 7 * SB_SECOND);
    EXPECT_LEFT(link->host, 3, SB_LEFT_QUIT);
    EXPECT_LEFT(link->clients[0], 3, SB_LEFT_QUIT);
    EXPECT_LEFT(link->clients[1], 3, SB_LEFT_QUIT);
    EXPECT_LEFT(link->clients[2], 3, SB_LEFT_QUIT);
    CHECK(sb_transport_client_is_over(link->clients[1]->client));
    sb_transport_host_stop(link->host->host, link->host->now);
    rig_link_run(link, SB_SECOND);
    CHECK(sb_transport_host_is_stopped(link->host->host));
    rig_link_run(link, 6 * SB_SECOND);
    EXPECT_LEFT(link->clients[0], 2, SB_LEFT_HOST_CLOSED);
    EXPECT_LEFT(link->clients[2], 4, SB_LEFT_HOST_CLOSED);
}

/* ---- Hosts that behave oddly --------------------------------------------------------------- */

/* A host that mistakes the client for a known peer only acknowledges (spec 01 §5.2, §5.3). */
TEST(an_ack_alone_does_not_end_the_repeats_of_a_connect)
{
    rig    *r = rig_open_client(NULL);
    sb_time start = r->now;
    rig_step(r);
    GIVE(r, rig_server(), "01 01 01 00 00 02");
    rig_wait(r, 7 * SB_SECOND);
    CHECK_TEXT(rig_times(r, rig_server(), SB_TRANSPORT_CONNECT, start), "0 1000 3000 6000");
}

/* The port had an earlier session (spec 01 §5.3). */
TEST(without_an_id_a_client_keeps_only_number_0_of_each_channel)
{
    rig *r = rig_open_client(NULL);
    rig_step(r);
    GIVE(r, rig_server(), "01 01 04 07 C0 01 00 04 08"); /* a Boot of the earlier session */
    GIVE(r, rig_server(), "01 01 32 06 80 05 00 2A");
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_LATE), 2);
    GIVE(r, rig_server(), "01 02 01 00 00 02 03 06 C0 00 00 02");
    const rig_event *e = rig_next_event(r);
    CHECK(e && e->event.type == SB_EVENT_JOINED);
    EXPECT_NO_EVENT(r);
}

/* The limits are a little below the receive budget of a Starbase host (spec 01 §10.6). */
TEST(a_client_sends_500_datagrams_at_once_and_250_a_second)
{
    rig     *r = joined_client(NULL);
    unsigned before, burst, second;
    rig_wait(r, 4 * SB_SECOND);
    before = (unsigned)sb_transport_client_counter(r->client, SB_TRANSPORT_COUNT_DATAGRAMS_OUT);
    for (int i = 0; i < 900; i++) {
        (void)!send_up(r, SB_UNRELIABLE, rig_pattern(400, 0));
        if (i % 100 == 99) rig_step(r);
    }
    burst =
        (unsigned)sb_transport_client_counter(r->client, SB_TRANSPORT_COUNT_DATAGRAMS_OUT) - before;
    CHECK(burst > 490 && burst <= 500);
    rig_wait(r, SB_SECOND);
    second =
        (unsigned)sb_transport_client_counter(r->client, SB_TRANSPORT_COUNT_DATAGRAMS_OUT) - before;
    CHECK(second > burst + 240 && second <= burst + 250);
}
