/* tests/server/report_test.c -- events of a room: names, fields, and how often a player is
 * reported. */
#include "rig.h"

#include "server/server_internal.h"

#include <string.h>

static const sb_vec3 middle = { 0, 0, 0 };

/* ---- names ---- */

TEST(every_event_and_counter_has_a_name)
{
    CHECK_TEXT(sb_server_event_name(SB_SERVER_CONNECTED), "connected");
    CHECK_TEXT(sb_server_event_name(SB_SERVER_STOPPED), "stopped");
    CHECK_TEXT(sb_server_event_name(SB_SERVER_EVENT_TYPES), "unknown");
    CHECK_TEXT(sb_server_counter_name(SB_SERVER_COUNT_MALFORMED), "malformed");
    CHECK_TEXT(sb_server_counter_name(SB_SERVER_COUNT_HASH_BOOTS), "hash_boots");
    CHECK_TEXT(sb_server_counter_name(SB_SERVER_COUNTER_COUNT), "unknown");
    CHECK_TEXT(sb_server_counter_text(SB_SERVER_COUNT_MALFORMED),
               "messages that cannot be decoded");
    CHECK_TEXT(sb_server_counter_text(SB_SERVER_COUNT_HASH_BOOTS),
               "players removed because of their integrity hash");
    CHECK_TEXT(sb_server_counter_text(SB_SERVER_COUNTER_COUNT), "unknown counter");
    for (unsigned i = 0; i < SB_SERVER_EVENT_TYPES; i++)
        CHECK(sb_server_event_name((sb_server_event_type)i) != NULL);
}

/* ---- refused messages ---- */

TEST(a_refused_message_is_reported_with_sender_reason_and_bytes)
{
    room *r = room_open(NULL);
    (void)room_join(r, "Alpha");
    seat *b = room_join(r, "Beta");
    seat_say_hex(r, b, "41 {id} 01"); /* a team in a mode without teams */
    const room_event *e = room_expect(r, SB_SERVER_REFUSED);
    CHECK_EQ(e->event.value, SB_SERVER_COUNT_NO_TEAM_MODE);
    CHECK_EQ(e->event.peer_id, b->id);
    CHECK_EQ(e->event.slot, 1);
    CHECK_EQ(e->event.address.address, b->address.address);
    CHECK_EQ(e->event.address.port, b->address.port);
    CHECK_EQ(e->event.now, r->now);
    CHECK_EQ(e->event.bytes.size, 6);
    CHECK_TEXT(e->name, "Beta");
    CHECK_TEXT(e->text, "team choices in a mode without teams");
}

TEST(a_room_without_a_listener_runs_silently)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha");
    r->server->config.on_event = NULL;
    size_t before = r->event_count;
    seat_say_hex(r, a, "41 {id} 01");
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_NO_TEAM_MODE), 1);
    CHECK_EQ(r->event_count, before);
}

/* ---- implausible messages ---- */

static void report(room *r)
{
    sb_server_report_implausible(r->server, &r->server->players[0], SB_IMPLAUSIBLE_TORPEDO_RATE,
                                 3.0, 2.0);
}

static unsigned count_reports(const room *r)
{
    unsigned count = 0;
    for (size_t i = 0; i < r->event_count; i++)
        count += r->events[i].event.type == SB_SERVER_SUSPICIOUS;
    return count;
}

/* Lag explains four torpedoes from an unready tube within 10 s. */
TEST(the_fifth_implausible_message_is_reported)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha");
    for (unsigned i = 0; i < 4; i++) report(r);
    CHECK_EQ(count_reports(r), 0);
    report(r);
    const room_event *e = room_expect(r, SB_SERVER_SUSPICIOUS);
    CHECK_EQ(e->event.value, SB_IMPLAUSIBLE_TORPEDO_RATE);
    CHECK_EQ(e->event.peer_id, a->id);
    CHECK_EQ(e->event.object_id, 0);
    CHECK(e->event.claimed == 3.0 && e->event.possible == 2.0);
    CHECK_TEXT(e->text, "torpedoes from an unready tube");
    CHECK_EQ(sb_server_implausible(r->server, SB_IMPLAUSIBLE_TORPEDO_RATE), 5);
}

TEST(a_player_is_reported_once_a_second_with_the_current_ship)
{
    room    *r = room_open(NULL);
    seat    *a = room_join(r, "Alpha");
    uint32_t ship = seat_spawn(r, a, 1, middle);
    for (unsigned i = 0; i < 6; i++) report(r);
    CHECK_EQ(count_reports(r), 1);
    CHECK_EQ(room_expect(r, SB_SERVER_SUSPICIOUS)->event.object_id, ship);
    room_wait(r, SB_SECOND - 1);
    report(r);
    CHECK_EQ(count_reports(r), 1);
    room_wait(r, 1);
    report(r);
    CHECK_EQ(count_reports(r), 2);
}

TEST(implausible_messages_are_counted_within_ten_seconds)
{
    static const struct {
        sb_time  after; /* between the fourth and the fifth message */
        unsigned reports;
    } rows[] = { { 10 * SB_SECOND - 1, 1 }, { 10 * SB_SECOND, 0 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        room *r = room_open(NULL);
        (void)room_join(r, "Alpha");
        room_wait(r, 60 * SB_SECOND); /* the first message starts the window */
        for (unsigned n = 0; n < 4; n++) report(r);
        room_wait(r, rows[i].after);
        report(r);
        CHECK_EQ(count_reports(r), rows[i].reports);
        for (unsigned n = 0; n < 3; n++) report(r);
        CHECK_EQ(count_reports(r), rows[i].reports); /* a new window starts with 1 */
    }
}

TEST(messages_of_players_who_left_are_only_counted)
{
    room *r = room_open(NULL);
    sb_server_report_implausible(r->server, NULL, SB_IMPLAUSIBLE_FORCE, 1.0, 0.0);
    CHECK_EQ(sb_server_implausible(r->server, SB_IMPLAUSIBLE_FORCE), 1);
    CHECK_EQ(count_reports(r), 0);
}
