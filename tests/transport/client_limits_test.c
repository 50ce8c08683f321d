/* tests/transport/client_limits_test.c -- a client at its limits: configuration, memory, malformed
 * messages, full queues, counters.
 *
 * For:      src/transport/client.c, client_connect.c. client_test.c has the rules of a session.
 * Spec:     01 §4, §5.3, §8.3, §9, §10.6.
 */
#include "marks_rig.h"
#include "transport/client_internal.h"

#include <string.h>

static rig *joined_client(const sb_transport_client_config *config)
{
    rig *r = rig_open_client(config);
    rig_join_client(r, 2);
    return r;
}

static uint64_t count(const rig *r, sb_transport_counter counter)
{
    return sb_transport_client_counter(r->client, counter);
}

/* ---- Configuration -------------------------------------------------------------------------- */

TEST(the_defaults_of_a_client_are_those_of_its_header)
{
    sb_transport_client_config config;
    sb_transport_client_defaults(&config);
    CHECK_EQ(config.retransmit, SB_RETRANSMIT_STOCK);
    CHECK_EQ(config.timeout_us, 45 * SB_SECOND);
    CHECK_EQ(config.connect_limit_us, 15 * SB_SECOND);
    CHECK_EQ(config.ack_delay_us, 0);
    CHECK_EQ(config.message_limit, 32);
    CHECK_EQ(config.cells, 4096);
    CHECK(config.plain_fragment_acks && config.cautious && !config.eight_bit_host);
    CHECK(sb_transport_client_bytes(&config) > 0);
}

#define CHECK_BOUND(member, value, valid)                                                          \
    do {                                                                                           \
        sb_transport_client_config config_;                                                        \
        rig_client_config(&config_);                                                               \
        config_.member = value;                                                                    \
        CHECK_EQ(sb_transport_client_bytes(&config_) > 0, valid);                                  \
    } while (0)

TEST(a_configuration_beyond_its_bounds_needs_0_bytes)
{
    CHECK_BOUND(ack_delay_us, -1, false);
    CHECK_BOUND(ack_delay_us, 0, true);
    CHECK_BOUND(ack_delay_us, 50000, true);
    CHECK_BOUND(ack_delay_us, 50001, false);
    CHECK_BOUND(timeout_us, 0, false);
    CHECK_BOUND(timeout_us, 1, true);
    CHECK_BOUND(connect_limit_us, 0, false);
    CHECK_BOUND(connect_limit_us, 1, true);
    CHECK_BOUND(message_limit, 0, false);
    CHECK_BOUND(message_limit, 1, true);
    CHECK_BOUND(message_limit, 255, true);
    CHECK_BOUND(message_limit, 256, false);
    CHECK_BOUND(cells, 191, false);
    CHECK_BOUND(cells, 192, true);
    CHECK_BOUND(cells, 1 << 20, true);
    CHECK_BOUND(cells, (1 << 20) + 1, false);
    CHECK_BOUND(password.size, 2 * SB_PASSWORD_UNITS, true);
    CHECK_BOUND(password.size, 2 * SB_PASSWORD_UNITS + 1, false);
}

/* A message of the greatest size needs 1021 cells for its fragments. */
TEST(a_quarter_of_the_cells_is_for_each_use_up_to_its_limit)
{
    static const struct {
        uint32_t cells, send, receive, assembly;
    } cases[] = {
        { 192, 48, 48, 48 },       { 4100, 512, 1025, 1024 }, { 2044, 511, 511, 511 },
        { 2052, 512, 513, 513 },   { 4092, 512, 1023, 1023 }, { 4096, 512, 1024, 1024 },
        { 8192, 512, 2048, 1024 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_transport_client_config config;
        rig_client_config(&config);
        config.cells = cases[i].cells;
        rig *r = rig_open_client(&config);
        CHECK_EQ(r->client->link.outbox.account.guaranteed, cases[i].send);
        CHECK_EQ(r->client->link.inbox.account.guaranteed, cases[i].receive);
        CHECK_EQ(r->client->cells.grants_left, cases[i].assembly);
        CHECK_EQ(r->client->cells.shared_left,
                 cases[i].cells - cases[i].send - cases[i].receive - cases[i].assembly);
    }
}

/* The number is that of the id: the first player has id 2. */
TEST(a_name_without_visible_characters_becomes_player_n)
{
    sb_transport_client_config config;
    rig_client_config(&config);
    config.name = rig_wide("\x01\x02");
    rig *r = rig_open_client(&config);
    rig_step(r);
    rig_forget(r);
    GIVE(r, rig_server(), "01 02 01 00 00 02 03 06 C0 00 00 05");
    EXPECT_JOINED(r, 5);
    rig_step(r);
    sb_transport_message m;
    CHECK(rig_message(rig_next_sent(r), 1, &m));
    sb_span name = rig_wide("Player 4");
    CHECK_BYTES(m.payload.data + 5, m.payload.size - 7, name.data, name.size);
}

TEST(a_client_without_a_name_is_called_after_its_id)
{
    sb_transport_client_config config;
    rig_client_config(&config);
    config.name = (sb_span){ NULL, 0 };
    rig *r = rig_open_client(&config);
    rig_step(r);
    rig_forget(r);
    GIVE(r, rig_server(), "01 02 01 00 00 02 03 06 C0 00 00 05");
    rig_step(r);
    sb_transport_message m;
    CHECK(rig_message(rig_next_sent(r), 1, &m));
    sb_span name = rig_wide("Player 4");
    CHECK_BYTES(m.payload.data + 5, m.payload.size - 7, name.data, name.size);
}

/* ---- Datagrams that are refused ---------------------------------------------------------------
 */

TEST(refused_datagrams_have_results)
{
    static uint8_t bytes[SB_DATAGRAM_ACCEPTED + 1] = { SB_PEER_HOST };
    rig           *r = joined_client(NULL);
    CHECK_EQ(rig_receive(r, rig_server(), (sb_span){ bytes, 1 }), SB_TRUNCATED);
    CHECK_EQ(count(r, SB_TRANSPORT_COUNT_TOO_SHORT), 1);
    CHECK_EQ(rig_give_hex(r, rig_server(), "01 00"), SB_OK);
    CHECK_EQ(rig_receive(r, rig_server(), (sb_span){ bytes, sizeof bytes }), SB_BAD_VALUE);
    CHECK_EQ(count(r, SB_TRANSPORT_COUNT_TOO_LONG), 1);
    (void)!rig_receive(r, rig_server(), (sb_span){ bytes, sizeof bytes - 1 });
    CHECK_EQ(count(r, SB_TRANSPORT_COUNT_TOO_LONG), 1); /* the longest is not too long */
    CHECK_EQ(rig_give_hex(r, rig_server(), "5C 01 02"), SB_NOT_ALLOWED);
    CHECK_EQ(rig_give_hex(r, rig_endpoint(1), "01 01 02"), SB_NOT_ALLOWED);
    CHECK_EQ(rig_give_hex(r, rig_server(), "00 01 02"), SB_BAD_VALUE);
    CHECK_EQ(rig_give_hex(r, rig_server(), "80 01 02"), SB_BAD_VALUE);
    CHECK_EQ(rig_give_hex(r, rig_server(), "02 01 02"), SB_NOT_ALLOWED);
    CHECK_EQ(rig_give_hex(r, rig_server(), "7F 01 02"), SB_NOT_ALLOWED);
    CHECK_EQ(rig_give_hex(r, rig_server(), "FF 01 02"), SB_NOT_ALLOWED);
    CHECK_EQ(count(r, SB_TRANSPORT_COUNT_NOT_GAME), 1);
    CHECK_EQ(count(r, SB_TRANSPORT_COUNT_UNKNOWN_SOURCE), 1);
    CHECK_EQ(count(r, SB_TRANSPORT_COUNT_BAD_ID), 2);
    CHECK_EQ(count(r, SB_TRANSPORT_COUNT_WRONG_DIRECTION), 3);
    rig_wait(r, 45 * SB_SECOND);
    CHECK_EQ(rig_give_hex(r, rig_server(), "01 01 02"), SB_NOT_ALLOWED);
    CHECK_EQ(count(r, SB_TRANSPORT_COUNT_LATE), 1);
}

/* Somebody forges datagrams of the host (spec 01 §10.8). */
TEST(a_client_drops_datagrams_that_the_host_cannot_have_sent)
{
    sb_transport_client_config config;
    rig_client_config(&config);
    config.seed = 77;
    config.cautious = false;
    rig *r = joined_client(&config);
    GIVE(r, rig_server(), "01 01 32 06 80 00 00 AA");
    EXPECT_DATA(r, SB_PEER_HOST, ((sb_span){ (const uint8_t *)"\xAA", 1 }));
    rig_wait(r, SB_SECOND);
    CHECK_EQ(rig_give_hex(r, rig_server(), "01 02 32 06 80 00 00 BB 32 06 80 01 00 BB"),
             SB_NOT_ALLOWED);
    CHECK_EQ(count(r, SB_TRANSPORT_COUNT_CONFLICT), 1);
    EXPECT_NO_EVENT(r);
    r = joined_client(&config);
    CHECK_EQ(sb_transport_client_send(r->client, SB_RELIABLE, rig_pattern(3, 0)), SB_OK);
    rig_step(r);
    CHECK_EQ(rig_give_hex(r, rig_server(), "01 02 01 00 00 00 01 01 00 00"), SB_NOT_ALLOWED);
    CHECK_EQ(count(r, SB_TRANSPORT_COUNT_FORGED_ACKS), 1);
}

/* ---- Control messages of the host ------------------------------------------------------------ */

/* Gives low number 1; it has no effect. */
static void check_bad_control(const char *hex)
{
    rig *r = joined_client(NULL);
    GIVE(r, rig_server(), hex);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(count(r, SB_TRANSPORT_COUNT_BAD_CONTROL), 1);
    rig_wait(r, 30 * SB_SECOND);
    EXPECT_NO_EVENT(r);
}

TEST(control_messages_that_are_too_short_have_no_effect)
{
    check_bad_control("01 01 00 09 C0 01 00 03 0A 0A 0A"); /* a Name without its address */
    check_bad_control("01 01 04 06 C0 01 00 04");
    check_bad_control("01 01 05 05 C0 01 00");
    check_bad_control("01 01 03 05 C0 01 00");
    check_bad_control("01 01 03 06 C0 01 00 01"); /* the id of the host */
}

TEST(the_shortest_control_messages_count)
{
    rig *r = joined_client(NULL);
    GIVE(r, rig_server(), "01 01 00 0A C0 01 00 03 0A 0A 0A EF");
    EXPECT_NAMED(r, 3, "Player 2");
    GIVE(r, rig_server(), "01 01 05 06 C0 02 00 03");
    const rig_event *e = rig_next_event(r);
    CHECK(e && e->event.type == SB_EVENT_LEFT && e->event.peer_id == 3);
    CHECK(e->event.reason == SB_LEFT_QUIT && e->event.boot_reason == 0);
    GIVE(r, rig_server(), "01 01 04 07 C0 03 00 04 03");
    e = rig_next_event(r);
    CHECK(e && e->event.type == SB_EVENT_LEFT && e->event.peer_id == 3);
    CHECK(e->event.reason == SB_LEFT_BOOTED && e->event.boot_reason == 4);
}

TEST(half_a_character_at_the_end_of_a_name_does_not_count)
{
    rig *r = joined_client(NULL);
    GIVE(r, rig_server(), "01 02 00 0D C0 01 00 03 0A 0A 0A EF 4B 00 4C 02");
    EXPECT_NAMED(r, 3, "K");
}

TEST(another_id_in_a_session_is_unexpected)
{
    rig *r = joined_client(NULL);
    GIVE(r, rig_server(), "01 01 03 06 C0 01 00 05");
    EXPECT_NO_EVENT(r);
    CHECK_EQ(count(r, SB_TRANSPORT_COUNT_BAD_CONTROL), 0);
    CHECK_EQ(count(r, SB_TRANSPORT_COUNT_UNEXPECTED_CONTROL), 1);
    CHECK_EQ(sb_transport_client_id(r->client), 2);
}

TEST(an_answer_without_a_valid_id_begins_no_session)
{
    static const char *const answers[] = {
        "01 01 03 05 C0 00 00",    "01 01 03 06 C0 00 00 00", "01 01 03 06 C0 00 00 01",
        "01 01 03 06 C0 00 00 5C", "01 01 03 06 C0 00 00 80", "01 01 03 06 C0 00 00 FF",
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        for (int cautious = 0; cautious < 2; cautious++) {
            rig *r = cautious ? rig_cautious_client() : rig_open_client(NULL);
            GIVE(r, rig_server(), answers[i]);
            EXPECT_NO_EVENT(r);
            CHECK_EQ(count(r, cautious ? SB_TRANSPORT_COUNT_LATE : SB_TRANSPORT_COUNT_BAD_CONTROL),
                     1);
            rig_wait(r, 4 * SB_SECOND);
            CHECK_EQ(sb_transport_client_id(r->client), SB_PEER_NONE);
        }
}

/* ---- A cautious client before it has its id ---------------------------------------------------
 */

TEST(before_the_proof_other_messages_are_late)
{
    rig *r = rig_cautious_client();
    GIVE(r, rig_server(), "01 01 32 06 80 00 00 AA");
    GIVE(r, rig_server(), "01 02 02 01 00 00 02");
    CHECK_EQ(count(r, SB_TRANSPORT_COUNT_LATE), 0);
    GIVE(r, rig_server(), "01 01 00 0E C0 01 00 03 0A 0A 0A EF 4B 00 00 00");
    CHECK_EQ(count(r, SB_TRANSPORT_COUNT_LATE), 1);
    GIVE(r, rig_server(), "01 01 03 06 C0 01 00 05"); /* not number 0 */
    CHECK_EQ(count(r, SB_TRANSPORT_COUNT_LATE), 2);
    GIVE(r, rig_server(), "01 01 04 06 C0 00 00 02"); /* a Boot that names nobody */
    CHECK_EQ(count(r, SB_TRANSPORT_COUNT_LATE), 3);
    rig_wait(r, 7 * SB_SECOND);
    EXPECT_NO_EVENT(r);
}

TEST(a_host_that_closes_while_a_client_connects_ends_it)
{
    rig *r = rig_cautious_client();
    GIVE(r, rig_server(), "01 01 05 06 C0 00 00 01");
    rig_wait(r, 6 * SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    const rig_event *e = rig_next_event(r);
    CHECK(e && e->event.type == SB_EVENT_LEFT && e->event.reason == SB_LEFT_HOST_CLOSED);
    CHECK_EQ(e->event.boot_reason, 0);
}

TEST(a_refusal_has_its_reason)
{
    rig *r = rig_cautious_client();
    GIVE(r, rig_server(), "01 02 01 00 00 02 04 07 C0 00 00 03 FF");
    rig_wait(r, 6 * SB_SECOND);
    const rig_event *e = rig_next_event(r);
    CHECK(e && e->event.type == SB_EVENT_LEFT && e->event.reason == SB_LEFT_BOOTED);
    CHECK_EQ(e->event.boot_reason, 3);
}

/* Otherwise anybody could answer for the host. */
TEST(the_marks_of_a_connecting_client_depend_on_its_seed)
{
    uint16_t marks[3][SB_MARKS_COUNT];
    for (unsigned i = 0; i < 3; i++) {
        sb_transport_client_config config;
        rig_client_config(&config);
        config.seed = i == 2 ? UINT64_MAX : 77 + i;
        rig *r = rig_open_client(&config);
        rig_step(r);
        GIVE(r, rig_server(), "01 02 01 00 00 02 03 06 C0 00 00 05");
        rig_read_marks(r, rig_server(), marks[i]);
    }
    CHECK(memcmp(marks[0], marks[1], sizeof *marks) != 0);
    sb_told_ids zero;
    sb_told_ids_init(&zero, 0); /* as ~UINT64_MAX, and as a client that was not given a seed */
    uint16_t guessed[SB_MARKS_COUNT];
    sb_told_ids_marks(&zero, 5, guessed);
    CHECK(memcmp(marks[0], guessed, sizeof guessed) != 0);
    CHECK(memcmp(marks[2], guessed, sizeof guessed) == 0);
}

/* A cautious client that has joined with these marks. */
static rig *proven_client(uint16_t marks[SB_MARKS_COUNT])
{
    rig     *r = rig_cautious_client();
    rig_pack p;
    GIVE(r, rig_server(), "01 02 01 00 00 02 03 06 C0 00 00 05");
    rig_read_marks(r, rig_server(), marks);
    rig_pack_init_marked(&p, SB_PEER_HOST, marks);
    GIVE_PACK(r, rig_server(), &p);
    EXPECT_JOINED(r, 5);
    rig_forget(r);
    rig_step(r);
    EXPECT_SAID(r, rig_server(), "Ack low 0, Name 1"); /* the response did not need it before */
    return r;
}

TEST(the_marks_of_the_join_are_proof_in_the_session)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = proven_client(marks);
    rig_pack p;
    rig_wait(r, 10 * SB_SECOND);
    rig_pack_init_marked(&p, SB_PEER_HOST, marks);
    rig_pack_control(&p, SB_TRANSPORT_NAME, 1, rig_hex("03 0A 0A 0A EF 4B 00 00 00"));
    GIVE_PACK(r, rig_server(), &p);
    EXPECT_NAMED(r, 3, "K");
}

TEST(a_client_wakes_up_to_give_up)
{
    sb_transport_client_config config;
    rig_client_config(&config);
    config.seed = 77;
    config.connect_limit_us = 9 * SB_SECOND / 2;
    rig *r = rig_open_client(&config);
    rig_wait(r, SB_SECOND / 10);
    GIVE(r, rig_server(), "01 02 01 00 00 02 03 06 C0 00 00 05");
    rig_wait_until(r, RIG_START + 44 * SB_SECOND / 10); /* questions leave at 4.35, 4.6 s */
    CHECK(r->client->ids.ask_at > RIG_START + 9 * SB_SECOND / 2);
    CHECK_EQ(sb_transport_client_next_deadline(r->client), RIG_START + 9 * SB_SECOND / 2);
}

TEST(the_first_id_is_never_believed_without_an_answer)
{
    rig *r = rig_cautious_client();
    GIVE(r, rig_server(), "01 02 01 00 00 02 03 06 C0 00 00 05");
    rig_wait_until(r, RIG_START + 15 * SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(rig_count_sent(r, rig_server(), SB_TRANSPORT_NAME), 0);
    rig_wait(r, 1);
    EXPECT_LEFT(r, SB_PEER_NONE, SB_LEFT_NO_ANSWER);
}

/* ---- Departures -------------------------------------------------------------------------------
 */

TEST(copies_of_a_boot_do_not_refute_it)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = proven_client(marks);
    rig_pack p;
    for (int i = 0; i < 3; i++) {
        rig_pack_init_marked(&p, SB_PEER_HOST, marks);
        rig_pack_control(&p, SB_TRANSPORT_BOOT, 1, rig_hex("04 05"));
        GIVE_PACK(r, rig_server(), &p);
        rig_wait(r, SB_SECOND);
    }
    CHECK_EQ(count(r, SB_TRANSPORT_COUNT_FORGED_DISCONNECT), 0);
    CHECK_EQ(r->client->link.outbox.pace, SB_PACE_STOCK); /* only a connecting client hurries */
    rig_wait(r, 5 * SB_SECOND - 1);                       /* the last one came a second ago */
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, 5, SB_LEFT_BOOTED);
}

TEST(a_refused_client_that_is_not_cautious_keeps_its_pace)
{
    rig    *r = rig_open_client(NULL);
    sb_time start = r->now;
    rig_step(r);
    GIVE(r, rig_server(), "01 02 01 00 00 02 04 07 C0 00 00 03 FF");
    rig_wait(r, 2 * SB_SECOND);
    CHECK_TEXT(rig_times(r, rig_server(), SB_TRANSPORT_CONNECT, start), "0 1000");
    EXPECT_LEFT(r, SB_PEER_NONE, SB_LEFT_BOOTED);
}

TEST(a_refusal_at_the_last_moment_is_the_reason)
{
    sb_transport_client_config config;
    rig_client_config(&config);
    config.connect_limit_us = 2 * SB_SECOND;
    rig *r = rig_open_client(&config);
    GIVE(r, rig_server(), "01 02 01 00 00 02 04 07 C0 00 00 03 FF");
    rig_wait(r, 2 * SB_SECOND);
    EXPECT_LEFT(r, SB_PEER_NONE, SB_LEFT_BOOTED);
}

TEST(silence_is_the_reason_if_acks_are_missing_as_long)
{
    rig *r = joined_client(NULL);
    CHECK_EQ(sb_transport_client_send(r->client, SB_RELIABLE, rig_pattern(3, 0)), SB_OK);
    sb_time start = r->now;
    rig_step(r);
    rig_wait(r, 15 * SB_SECOND);
    GIVE(r, rig_server(), "01 01 02");
    rig_wait_until(r, start + 60 * SB_SECOND);
    EXPECT_LEFT(r, 2, SB_LEFT_TIMED_OUT);
}

TEST(a_client_that_leaves_sends_no_more_data)
{
    rig *r = joined_client(NULL);
    CHECK_EQ(sb_transport_client_send(r->client, SB_RELIABLE, rig_pattern(3, 0)), SB_OK);
    sb_transport_client_leave(r->client, r->now);
    rig_step(r);
    EXPECT_SAID(r, rig_server(), "Disconnect 2");
    rig_wait(r, SB_SECOND);
    CHECK_EQ(rig_count_sent(r, rig_server(), SB_TRANSPORT_DATA), 0);
}

TEST(a_client_without_an_id_leaves_at_once)
{
    rig               *r = rig_open_client(NULL);
    sb_transport_event event;
    rig_step(r);
    rig_forget(r);
    sb_transport_client_leave(r->client, r->now);
    CHECK(sb_transport_client_next_event(r->client, r->now, &event));
    CHECK(event.type == SB_EVENT_LEFT && event.reason == SB_LEFT_QUIT && event.boot_reason == 0);
    rig_wait(r, 10 * SB_SECOND);
    EXPECT_SILENCE(r);
}

TEST(a_client_leaves_once)
{
    rig *r = joined_client(NULL);
    r->now += SB_SECOND; /* the client has not seen this time yet */
    sb_time began = r->now;
    sb_transport_client_leave(r->client, r->now);
    rig_wait(r, SB_SECOND / 4);
    sb_transport_client_leave(r->client, r->now);
    rig_wait_until(r, began + 3 * SB_SECOND - 1);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, 2, SB_LEFT_QUIT);
    sb_transport_message m;
    for (const rig_sent *sent; (sent = rig_next_sent(r)) != NULL;) {
        CHECK(rig_message(sent, 0, &m));
        CHECK(m.type == SB_TRANSPORT_DISCONNECT && m.seq == 2 && rig_message_count(sent) == 1);
    }
    sb_transport_client_leave(r->client, r->now);
    rig_wait(r, 10 * SB_SECOND);
    EXPECT_SILENCE(r);
    EXPECT_NO_EVENT(r);
}

TEST(a_session_that_timed_out_is_silent)
{
    rig *r = joined_client(NULL);
    rig_wait(r, 45 * SB_SECOND);
    const rig_event *e = rig_next_event(r);
    CHECK(e && e->event.type == SB_EVENT_LEFT && e->event.reason == SB_LEFT_TIMED_OUT);
    CHECK_EQ(e->event.boot_reason, 0);
    rig_forget(r);
    rig_wait(r, 60 * SB_SECOND);
    EXPECT_SILENCE(r);
    CHECK_EQ(sb_transport_client_next_deadline(r->client), SB_TIME_NEVER);
}

/* ---- Queues -----------------------------------------------------------------------------------
 */

static sb_result send_until_full(rig *r, sb_delivery delivery)
{
    for (int i = 0; i < 10000; i++) {
        sb_result result = sb_transport_client_send(r->client, delivery, rig_pattern(300, 0));
        if (result != SB_OK) return result;
    }
    return SB_OK;
}

TEST(unreliable_data_that_does_not_fit_is_dropped)
{
    sb_transport_client_config config;
    rig_client_config(&config);
    config.cells = 192;
    rig *r = joined_client(&config);
    CHECK_EQ(send_until_full(r, SB_UNRELIABLE), SB_FULL);
    CHECK_EQ(count(r, SB_TRANSPORT_COUNT_DROPPED_UNRELIABLE), 1);
    rig_step(r);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(sb_transport_client_send(r->client, SB_RELIABLE, rig_pattern(3, 0)), SB_OK);
}

TEST(reliable_data_that_does_not_fit_ends_the_session)
{
    sb_transport_client_config config;
    rig_client_config(&config);
    config.cells = 192;
    rig *r = joined_client(&config);
    CHECK(sb_transport_client_free_bytes(r->client) > 0);
    CHECK_EQ(send_until_full(r, SB_RELIABLE), SB_FULL);
    CHECK_EQ(count(r, SB_TRANSPORT_COUNT_DROPPED_UNRELIABLE), 0);
    CHECK_EQ(sb_transport_client_free_bytes(r->client), 0);
    CHECK_EQ(sb_transport_client_send(r->client, SB_RELIABLE, rig_pattern(3, 0)), SB_NOT_ALLOWED);
    rig_step(r);
    EXPECT_LEFT(r, 2, SB_LEFT_STALLED);
}

TEST(a_rename_that_does_not_fit_ends_the_session)
{
    sb_transport_client_config config;
    rig_client_config(&config);
    config.cells = 192;
    rig      *r = joined_client(&config);
    sb_result result = SB_OK;
    for (int i = 0; i < 1000 && result == SB_OK; i++)
        result = sb_transport_client_rename(r->client, rig_wide("Spock"));
    CHECK_EQ(result, SB_FULL);
    rig_step(r);
    EXPECT_LEFT(r, 2, SB_LEFT_STALLED);
}

TEST(a_client_is_renamed_only_while_it_has_or_seeks_a_session)
{
    rig *r = rig_open_client(NULL);
    CHECK_EQ(sb_transport_client_rename(r->client, rig_wide("Spock")), SB_OK);
    rig_step(r);
    GIVE(r, rig_server(), "01 02 01 00 00 02 03 06 C0 00 00 02");
    EXPECT_JOINED(r, 2);
    rig_forget(r);
    rig_step(r);
    EXPECT_SENT(r, rig_server(),
                "02 02 01 00 00 02 00 16 C0 01 00 02 0A 0A 0A EF"
                "53 00 70 00 6F 00 63 00 6B 00 00 00");
    CHECK_EQ(sb_transport_client_rename(r->client, rig_wide("Bones")), SB_OK);
    sb_transport_client_leave(r->client, r->now);
    CHECK_EQ(sb_transport_client_rename(r->client, rig_wide("Kirk")), SB_NOT_ALLOWED);
    rig_wait(r, 4 * SB_SECOND);
    CHECK_EQ(sb_transport_client_rename(r->client, rig_wide("Kirk")), SB_NOT_ALLOWED);
}

/* ---- Pace (spec 01 §10.6) ----------------------------------------------------------------------
 */

/* A client that puts one message into each datagram, on a clock that begins at 0. */
static rig *slow_client(void)
{
    sb_transport_client_config config;
    rig_client_config(&config);
    config.message_limit = 1;
    rig *r = rig_open_client(&config);
    r->now = 0;
    r->client = sb_transport_client_init(r->memory, &config, r->now);
    return r;
}

static size_t send_many(rig *r)
{
    rig_forget(r);
    for (int i = 0; i < 900; i++)
        (void)!sb_transport_client_send(r->client, SB_UNRELIABLE, rig_pattern(1, 0));
    rig_step(r);
    return r->sent_count;
}

TEST(a_new_client_may_send_500_datagrams_at_once)
{
    rig *r = slow_client();
    rig_step(r);
    size_t connect = r->sent_count;
    CHECK_EQ(connect, 1);
    GIVE(r, rig_server(), "01 02 01 00 00 02 03 06 C0 00 00 02");
    CHECK_EQ(connect + send_many(r), 500);
}

TEST(a_client_with_nothing_to_send_spends_nothing)
{
    rig    *r = slow_client();
    uint8_t bytes[SB_DATAGRAM_MAX];
    rig_join_client(r, 2);
    rig_wait(r, 3 * SB_SECOND);
    for (int i = 0; i < 400; i++) CHECK_EQ(sb_transport_client_write(r->client, r->now, bytes), 0);
    CHECK_EQ(send_many(r), 500);
}

TEST(later_it_may_send_500_at_once_and_250_a_second)
{
    rig *r = slow_client();
    rig_join_client(r, 2);
    rig_wait(r, 3 * SB_SECOND); /* no NoOp is due */
    CHECK_EQ(send_many(r), 500);
    rig_forget(r);
    rig_wait(r, SB_SECOND);
    CHECK_EQ(r->sent_count, 250);
}

/* ---- What callers may ask ------------------------------------------------------------------- */

TEST(counters_add_up_what_came_and_went)
{
    for (int cautious = 0; cautious < 2; cautious++) {
        rig     *r = cautious ? rig_cautious_client() : rig_open_client(NULL);
        uint64_t bytes = count(r, SB_TRANSPORT_COUNT_BYTES_OUT);
        uint64_t messages = count(r, SB_TRANSPORT_COUNT_MESSAGES_OUT);
        uint64_t datagrams = count(r, SB_TRANSPORT_COUNT_DATAGRAMS_OUT);
        GIVE(r, rig_server(), "01 02 01 00 00 02 03 06 C0 00 00 02");
        GIVE(r, rig_server(), "01 03 02 02 02");
        CHECK_EQ(count(r, SB_TRANSPORT_COUNT_DATAGRAMS_IN), 2);
        CHECK_EQ(count(r, SB_TRANSPORT_COUNT_MESSAGES_IN), 5);
        CHECK_EQ(count(r, SB_TRANSPORT_COUNT_BYTES_IN), 12 + 5);
        rig_forget(r);
        rig_step(r);
        unsigned marks = 0;
        for (size_t i = 0; i < r->sent_count; i++) {
            sb_transport_message m;
            bytes += r->sent[i].size;
            messages += rig_message_count(&r->sent[i]);
            for (size_t k = 0; rig_message(&r->sent[i], k, &m); k++)
                marks += m.type == SB_TRANSPORT_DATA;
        }
        CHECK(r->sent_count > 0);
        CHECK_EQ(count(r, SB_TRANSPORT_COUNT_DATAGRAMS_OUT), datagrams + r->sent_count);
        CHECK_EQ(count(r, SB_TRANSPORT_COUNT_BYTES_OUT), bytes);
        CHECK_EQ(count(r, SB_TRANSPORT_COUNT_MESSAGES_OUT), messages);
        CHECK_EQ(count(r, SB_TRANSPORT_COUNT_MARKS), marks);
        CHECK_EQ(marks, cautious ? SB_MARKS_COUNT : 0);
        CHECK_EQ(sb_transport_client_counter(r->client, SB_TRANSPORT_COUNTER_COUNT), 0);
    }
}

TEST(the_peer_of_a_client_is_the_host_while_there_is_a_session)
{
    rig         *r = rig_open_client(NULL);
    sb_peer_info info;
    CHECK(!sb_transport_client_peer(r->client, &info));
    CHECK_EQ(sb_transport_client_free_bytes(r->client), 0);
    rig_join_client(r, 2);
    sb_transport_message ack = { .type = SB_TRANSPORT_ACK };
    CHECK(!sb_transport_client_expects(r->client, &ack));
    CHECK_EQ(sb_transport_client_send(r->client, SB_RELIABLE, rig_pattern(3, 0)), SB_OK);
    rig_step(r);
    CHECK(sb_transport_client_expects(r->client, &ack));
    CHECK(sb_transport_client_peer(r->client, &info));
    CHECK_EQ(info.peer_id, SB_PEER_HOST);
    CHECK(rig_same_endpoint(info.address, rig_server()));
    sb_transport_client_leave(r->client, r->now);
    CHECK(sb_transport_client_peer(r->client, &info));
    rig_wait(r, 4 * SB_SECOND);
    CHECK(!sb_transport_client_peer(r->client, &info));
    CHECK(sb_transport_client_is_over(r->client));
}

TEST(a_client_with_unread_messages_is_due_at_once)
{
    rig               *r = joined_client(NULL);
    uint8_t            bytes[] = { 1, 1, 0x32, 6, 0x80, 0, 0, 0xAA };
    sb_transport_event event;
    CHECK(sb_transport_client_next_deadline(r->client) > r->now);
    sb_encrypt_datagram(bytes, sizeof bytes);
    CHECK_EQ(sb_transport_client_receive(r->client, r->now, rig_server(),
                                         (sb_span){ bytes, sizeof bytes }),
             SB_OK);
    CHECK_EQ(sb_transport_client_next_deadline(r->client), r->now);
    CHECK(sb_transport_client_next_event(r->client, r->now, &event));
    CHECK(!sb_transport_client_next_event(r->client, r->now, &event));
}

/* The budget allows the next one 4 ms after it is empty. */
TEST(a_client_that_waits_for_its_budget_is_due_when_it_has_one)
{
    rig *r = slow_client();
    rig_join_client(r, 2);
    rig_wait(r, 3 * SB_SECOND);
    CHECK_EQ(send_many(r), 500);
    CHECK_EQ(sb_transport_client_next_deadline(r->client), r->now + SB_SECOND / 250);
}

/* A client that has only received for a long time. */
TEST(a_datagram_moves_the_clock_of_a_client)
{
    rig    *r = joined_client(NULL);
    uint8_t noop[] = { 1, 1, 2 };
    sb_encrypt_datagram(noop, sizeof noop);
    r->now += 40 * SB_SECOND;
    CHECK_EQ(sb_transport_client_receive(r->client, r->now, rig_server(),
                                         (sb_span){ noop, sizeof noop }),
             SB_OK);
    sb_peer_info info;
    CHECK(sb_transport_client_peer(r->client, &info));
    CHECK_EQ(info.heard_at, r->now);
}

TEST(a_client_that_leaves_forgets_what_is_stored)
{
    rig         *r = joined_client(NULL);
    sb_peer_info info;
    GIVE(r, rig_server(), "01 01 32 06 80 03 00 AA");
    CHECK(sb_transport_client_peer(r->client, &info) && info.stored == 1);
    sb_transport_client_leave(r->client, r->now);
    CHECK(sb_transport_client_peer(r->client, &info) && info.stored == 0);
}

/* The last counter has a value. */
TEST(every_counter_of_a_client_can_be_read)
{
    rig *r = rig_open_client(NULL);
    for (unsigned i = 0; i < SB_TRANSPORT_COUNTER_COUNT; i++) {
        r->client->counters.values[i] = i + 1;
        CHECK_EQ(count(r, (sb_transport_counter)i), i + 1);
    }
}
