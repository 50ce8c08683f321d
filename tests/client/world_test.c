/* tests/client/world_test.c -- what a player sees: ships, deaths, players, scores, the end
 * of a match. Spec 03 §9, 07, 08 §5, 09. */
#include "client_rig.h"

#include <starbase/message.h>

#include "client/client_internal.h"
#include "message/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const sb_vec3 nose = { 0, 1, 0 }, top = { 0, 0, 1 };

enum { OTHER = CLIENT_RIG_OTHER, THIRD = 0x4007FFFF };

static const char own_dies[] = "06 29 81 00 00 4E 00 80 00 FF FF 03 40 FF FF FF 3F 03 00 00 00"
                               "00 00 18 41";

/* A state update of another's ship, by a host's lane. */
static void say_update(client_rig *r, sb_lane *lane, sb_ship_frame *frame, const sb_ship *ship,
                       float time, const sb_lane_options *options)
{
    sb_message m = { .opcode = SB_OP_STATE_UPDATE };
    uint8_t    bytes[256];
    size_t     size;
    sb_frame_update(frame, ship, ship->motion.position);
    CHECK(sb_lane_build(lane, frame, options, false, r->now, time, &m.as.state_update));
    sb_message_context context = sb_lane_context(lane, frame, options);
    CHECK_EQ(sb_encode_message(&m, &context, bytes, sizeof bytes, &size), SB_OK);
    client_rig_say(r, SB_UNRELIABLE, (sb_span){ bytes, size });
}

/* ---- ships ---- */

TEST(a_ship_is_seen_once_however_often_it_is_announced)
{
    client_rig *r = client_rig_in_lobby(NULL);
    client_rig_say_ship(r, 0x03, 3, OTHER, 6, (sb_vec3){ 10, 20, 30 });
    client_rig_say_ship(r, 0x03, 3, OTHER, 1, (sb_vec3){ 0, 0, 0 });
    const client_reported *told = EXPECT_EVENT(r, SB_CLIENT_SPAWNED);
    CHECK_EQ(told->event.object_id, OTHER);
    CHECK_EQ(told->event.peer_id, 3);
    EXPECT_NOTHING(r);
    const sb_seen_ship *ship = sb_client_find_ship(r->client, OTHER);
    CHECK_EQ(ship->ship.species, 6);
    CHECK_TEXT(ship->name, "Other");
    CHECK_TEXT(ship->set_name, "Multi1");
    CHECK(!ship->own);
    CHECK(sb_client_position(r->client, ship, r->now).y == 20);
    CHECK(sb_client_find_player(r->client, 3)->in_list);
}

TEST(the_echo_of_our_own_ship_is_ignored)
{
    client_rig *r = client_rig_flying(NULL, 5);
    client_rig_say_ship(r, 0x03, 2, 0x3FFFFFFF, 1, (sb_vec3){ 0 });
    client_rig_say_ship(r, 0x03, 2, 0x40000021, 1, (sb_vec3){ 0 }); /* one we never had */
    EXPECT_NOTHING(r);
    CHECK_EQ(sb_client_own_ship(r->client)->ship.species, 5);
    CHECK(sb_client_find_ship(r->client, 0x40000021) == NULL);
}

TEST(a_peer_byte_that_is_a_team_hides_nobody)
{
    client_rig *r = client_rig_flying(NULL, 5);
    client_rig_say_ship(r, 0x03, 2, OTHER, 1, (sb_vec3){ 0 });
    client_rig_say_ship(r, 0x03, 2, THIRD, 1, (sb_vec3){ 0 });
    CHECK(sb_client_find_ship(r->client, OTHER) != NULL);
    CHECK(sb_client_find_ship(r->client, THIRD) != NULL);
    CHECK(sb_client_own_ship(r->client) != NULL);
}

TEST(a_players_next_ship_replaces_the_former_one)
{
    client_rig *r = client_rig_with_other(6);
    client_rig_say_ship(r, 0x03, 3, OTHER + 17, 1, (sb_vec3){ 0 });
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_GONE)->event.object_id, OTHER);
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_SPAWNED)->event.object_id, OTHER + 17);
    CHECK(sb_client_find_ship(r->client, OTHER) == NULL);
}

TEST(a_destroyed_object_is_gone_and_an_unknown_one_is_nothing)
{
    client_rig *r = client_rig_with_other(1);
    SAY(r, "14 FF FF 03 40");
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_GONE)->event.object_id, OTHER);
    SAY(r, "14 FF FF 03 40");
    EXPECT_NOTHING(r);
    SAY(r, "14 FF FF FF 3F");
    EXPECT_EVENT(r, SB_CLIENT_GONE);
    EXPECT_PHASE(r, SB_CLIENT_LOBBY);
    CHECK(sb_client_own_ship(r->client) == NULL);
}

TEST(the_oldest_scenery_makes_room_and_players_do_not)
{
    client_rig *r = client_rig_in_lobby(NULL);
    r->may_refuse = true;
    client_rig_say_ship(r, 0x03, 3, OTHER, 1, (sb_vec3){ 0 });
    for (uint32_t i = 0; i < SB_CLIENT_SHIPS + 5; i++)
        client_rig_say_ship(r, 0x02, 0, 100 + i, 40, (sb_vec3){ 0 });
    CHECK(sb_client_find_ship(r->client, OTHER) != NULL);
    for (uint32_t i = 0; i < SB_CLIENT_SHIPS + 5; i++)
        CHECK_EQ(sb_client_find_ship(r->client, 100 + i) != NULL, i >= 6);
    CHECK_EQ(client_rig_count_events(r, SB_CLIENT_GONE), 6);
    for (uint8_t id = 4; id < 4 + SB_CLIENT_SHIPS; id++)
        client_rig_say_ship(r, 0x03, id, 0x4007FFFF + 40u * id, 1, (sb_vec3){ 0 });
    CHECK_EQ(client_rig_count_events(r, SB_CLIENT_BAD_MESSAGE), 1);
    CHECK_EQ(sb_client_spawn(r->client, r->now, 5, nose, nose, top), SB_OK); /* ours always fits */
    CHECK(sb_client_own_ship(r->client) != NULL);
    CHECK(sb_client_find_ship(r->client, OTHER) == NULL);
}

TEST(a_creation_with_an_absurd_velocity_is_a_ship_at_rest)
{
    client_rig *r = client_rig_in_lobby(NULL);
    SAY(r, "03 01 03 08 80 00 00 FF FF 03 40 01 00 00 18 42 00 00 44 C2 00 00 0C C2"
           "00 00 80 3F 00 00 00 00 00 00 00 00 00 00 00 00 00 7F 00 FF FF 7F 7F 00 06 4D 75 6C 74"
           "69 31");
    const sb_seen_ship *ship = sb_client_find_ship(r->client, OTHER);
    CHECK(ship != NULL);
    CHECK(ship->ship.motion.speed == 0.0f);
    CHECK(isfinite(sb_client_position(r->client, ship, r->now + SB_SECOND).y));
}

TEST(a_torpedo_object_is_not_kept)
{
    client_rig *r = client_rig_in_lobby(NULL);
    SAY(r, "02 00 09 80 00 00 10 00 00 00 02 AA BB");
    EXPECT_NOTHING(r);
    CHECK(sb_client_ship(r->client, 0) == NULL);
}

/* ---- asking (spec 07 §5, §6) ---- */

TEST(an_object_we_do_not_know_is_asked_for_once_a_second)
{
    client_rig *r = client_rig_in_lobby(NULL);
    SAY(r, "1D FF FF 03 40");
    SAY(r, "1D FF FF 03 40");
    EXPECT_SENT(r, "1E FF FF 03 40");
    EXPECT_SILENCE(r);
    client_rig_wait(r, SB_SECOND);
    SAY(r, "1D FF FF 03 40");
    EXPECT_SENT(r, "1E FF FF 03 40");
    client_rig_say_ship(r, 0x03, 3, OTHER, 1, (sb_vec3){ 0 });
    client_rig_wait(r, SB_SECOND);
    SAY(r, "1D FF FF 03 40");
    EXPECT_SILENCE(r);
}

TEST(questions_are_bounded_and_never_about_our_own_or_nothing)
{
    client_rig *r = client_rig_flying(NULL, 5);
    SAY(r, "1D FF FF FF 3F");
    SAY(r, "1D 21 00 00 40"); /* our block */
    SAY(r, "1D 00 00 00 00");
    EXPECT_SILENCE(r);
    for (uint32_t i = 0; i < 100; i++) {
        uint8_t notice[5] = { 0x1D, (uint8_t)i, 0, 8, 0x40 };
        client_rig_say(r, SB_RELIABLE, (sb_span){ notice, 5 });
    }
    CHECK_EQ(client_rig_count_sent(r, 0x1E), 16);
}

TEST(an_update_of_an_unknown_ship_is_answered_with_1D)
{
    client_rig *r = client_rig_in_lobby(NULL);
    SAY(r, "1C FF FF 03 40 00 00 48 41 00");
    SAY(r, "1C FF FF 03 40 00 00 48 41 00");
    EXPECT_SENT(r, "1D FF FF 03 40"); /* spec 03 §9 */
    EXPECT_SILENCE(r);
}

TEST(a_ship_moves_to_the_set_it_enters)
{
    client_rig *r = client_rig_with_other(1);
    SAY(r, "1F FF FF 03 40 07 00 00 00 4D 75 6C 74 69 32 00");
    CHECK_TEXT(sb_client_find_ship(r->client, OTHER)->set_name, "Multi2");
    SAY(r, "1F FF FF 03 40 06 00 00 00 4D 75 6C 74 69 33"); /* without NUL: accepted */
    CHECK_TEXT(sb_client_find_ship(r->client, OTHER)->set_name, "Multi3");
    SAY(r, "1F FF FF 07 40 07 00 00 00 4D 75 6C 74 69 32 00");
    EXPECT_SENT(r, "1D FF FF 07 40");
}

/* ---- updates ---- */

TEST(updates_move_others_and_damage_us_in_either_layout)
{
    for (int layout = SB_SHIELD_STOCK; layout < SB_SHIELD_LAYOUTS; layout++) {
        client_rig     *r = client_rig_with_other(1);
        sb_ship         other, own;
        sb_ship_frame   frame[2];
        sb_lane         lane[2];
        sb_lane_options options;
        sb_lane_options_stock(&options);
        options.layout_forced = true;
        options.layout = (uint8_t)layout;
        sb_ship_init(&other, sb_find_ship(sb_stock_ships(), 1), 1, OTHER);
        sb_ship_init(&own, sb_find_ship(sb_stock_ships(), 5), 5, 0x3FFFFFFF);
        own.condition[0] *= 0.5f;
        sb_frame_init(&frame[0], &other);
        sb_frame_init(&frame[1], &own);
        sb_lane_init(&lane[0], SB_LANE_TO_OTHERS, &frame[0], &options);
        sb_lane_init(&lane[1], SB_LANE_TO_OWNER, &frame[1], &options);
        for (int i = 0; i < 40; i++) {
            r->now += SB_SECOND / 10;
            other.motion.position.x = (float)i;
            sb_motion_set_speed(&other.motion, 10);
            say_update(r, &lane[0], &frame[0], &other, 40.0f + (float)i / 10, &options);
            say_update(r, &lane[1], &frame[1], &own, 40.0f + (float)i / 10, &options);
        }
        const sb_seen_ship *seen = sb_client_find_ship(r->client, OTHER);
        CHECK(fabsf(sb_client_position(r->client, seen, r->now).x - 39) < 0.1f);
        CHECK(sb_client_position(r->client, seen, r->now + SB_SECOND / 2).y > 4.9f);
        CHECK(fabsf(sb_ship_ratio(&sb_client_own_ship(r->client)->ship, 0) - 0.5f) < 0.01f);
        CHECK_EQ(sb_client_own_ship(r->client)->ship.motion.position.x, 38);
        CHECK_EQ(sb_client_layout(r->client),
                 layout == SB_SHIELD_STOCK ? SB_LAYOUT_STOCK : SB_LAYOUT_DOCUMENTED);
        CHECK_EQ(client_rig_count_events(r, SB_CLIENT_BAD_MESSAGE), 0);
    }
}

TEST(an_update_that_comes_too_late_is_no_fault)
{
    client_rig *r = client_rig_with_other(1);
    SAY(r, "1C FF FF 03 40 00 00 20 42 10 F3 49");
    SAY(r, "1C FF FF 03 40 00 00 1C 42 10 00 00");
    EXPECT_NOTHING(r);
    CHECK(sb_client_find_ship(r->client, OTHER)->ship.motion.speed > 5);
}

/* ---- death and respawn (spec 08 §16, 10 §12.1) ---- */

TEST(a_death_is_a_wreck_with_updates_then_the_lobby_then_a_new_id)
{
    client_rig *r = client_rig_flying(NULL, 5);
    CHECK_EQ(sb_client_start_firing(r->client, r->now, 7, 0), SB_OK);
    client_rig_run(r);
    client_rig_forget(r);
    SAY(r, own_dies);
    const client_reported *told = EXPECT_EVENT(r, SB_CLIENT_EXPLODING);
    CHECK_EQ(told->event.object_id, 0x3FFFFFFF);
    CHECK_EQ(told->event.peer_id, 3);
    EXPECT_PHASE(r, SB_CLIENT_FLYING);
    CHECK(sb_client_own_ship(r->client)->exploding);
    CHECK(!sb_client_own_ship(r->client)->firing[7]);
    CHECK_EQ(sb_client_start_firing(r->client, r->now, 7, 0), SB_NOT_ALLOWED);
    CHECK_EQ(sb_client_self_destruct(r->client, r->now), SB_NOT_ALLOWED);
    SAY(r, own_dies);
    SAY(r, "1E FF FF FF 3F");
    EXPECT_SILENCE(r); /* the dying are not announced */
    EXPECT_NOTHING(r);
    client_rig_wait(r, 9500 * CLIENT_RIG_MILLISECOND - 1);
    EXPECT_NOTHING(r);
    CHECK(client_rig_count_sent(r, 0x1C) >= 94);
    client_rig_wait(r, 1);
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_GONE)->event.object_id, 0x3FFFFFFF);
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_PHASE)->event.value, SB_CLIENT_LOBBY);
    client_rig_forget(r);
    client_rig_wait(r, SB_SECOND);
    CHECK_EQ(r->sent_count, 0);
    CHECK_EQ(sb_client_spawn(r->client, r->now, 5, nose, nose, top), SB_OK);
    CHECK_EQ(sb_client_own_ship(r->client)->ship.object_id, 0x40000021);
    EXPECT_PHASE(r, SB_CLIENT_FLYING);
}

TEST(a_new_ship_may_come_while_the_wreck_still_burns)
{
    client_rig *r = client_rig_flying(NULL, 5);
    SAY(r, own_dies);
    CHECK_EQ(sb_client_spawn(r->client, r->now, 3, nose, nose, top), SB_OK);
    EXPECT_PHASE(r, SB_CLIENT_FLYING);
    client_rig_wait(r, 20 * SB_SECOND);
    EXPECT_PHASE(r, SB_CLIENT_FLYING);
    CHECK(!sb_client_own_ship(r->client)->exploding);
}

TEST(the_life_of_a_wreck_is_bounded)
{
    static const struct {
        const char *lifetime;
        sb_time     seconds;
    } rows[] = { { "00 00 80 BF", 0 }, { "FF FF 7F 7F", 60 }, { "00 00 18 41", 9 } };
    for (size_t i = 0; i < 3; i++) {
        client_rig *r = client_rig_with_other(1);
        char        hex[120] = "06 29 81 00 00 4E 00 80 00 00 00 00 00 FF FF 03 40 00 00 00 00";
        strcat(hex, rows[i].lifetime);
        SAY(r, hex);
        CHECK_EQ(client_rig_count_events(r, SB_CLIENT_GONE), rows[i].seconds == 0);
        client_rig_wait(r, rows[i].seconds * SB_SECOND);
        if (rows[i].seconds == 9) CHECK(sb_client_find_ship(r->client, OTHER) != NULL);
        client_rig_wait(r, SB_SECOND);
        CHECK(sb_client_find_ship(r->client, OTHER) == NULL);
    }
}

/* ---- what others do ---- */

static void fill_event(sb_message *m, uint32_t destination, uint32_t target, uint32_t third)
{
    const sb_message_row *row = sb_find_row(m->opcode);
    m->as.event.event_class = row->event_class;
    m->as.event.event_code = row->event_code;
    m->as.event.destination = destination;
    m->as.event.target = target;
    m->as.event.third = third;
}

static void say_message(client_rig *r, const sb_message *m)
{
    uint8_t bytes[64];
    size_t  size;
    CHECK_EQ(sb_encode_message(m, NULL, bytes, sizeof bytes, &size), SB_OK);
    client_rig_say(r, SB_RELIABLE, (sb_span){ bytes, size });
}

TEST(the_shots_of_others_are_told_and_beams_burn_until_they_stop)
{
    client_rig *r = client_rig_with_other(1); /* Akira: phasers k 5, tubes k 13 */
    SAY(r, "07 28 81 00 00 D8 00 80 00 00 00 00 00 05 00 04 40 FF FF FF 3F 00 00 00 00");
    const client_reported *told = EXPECT_EVENT(r, SB_CLIENT_FIRED);
    CHECK_EQ(told->event.object_id, OTHER);
    CHECK_EQ(told->event.value, 0x07);
    CHECK_EQ(told->event.target, 0x3FFFFFFF);
    CHECK(sb_client_find_ship(r->client, OTHER)->firing[5]);
    SAY(r, "08 01 01 00 00 DA 00 80 00 00 00 00 00 05 00 04 40");
    CHECK(!sb_client_find_ship(r->client, OTHER)->firing[5]);
    SAY(r, "19 0D 00 04 40 03 01 00 7F 00 FF FF FF 3F 00 85 1E 83");
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_FIRED)->event.value, 0x19);
    SAY(r, "1A 0D 00 04 40 02 75 0E D2 01");
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_FIRED)->event.target, 0);
    SAY(r, "19 0D 00 08 40 02 05 4C 65 00"); /* of a ship nobody knows */
    SAY(r, "19 06 00 00 40 02 05 4C 65 00"); /* our own, echoed */
    EXPECT_NOTHING(r);
}

/* Spec 10 §6.5. The ships' data say which id a tractor system has, if any. */
TEST(a_tractor_of_another_pulls_our_ship_until_it_lets_go)
{
    client_rig          *r = client_rig_with_other(3); /* a Galaxy at (10, 20, 30), nose along +y */
    const sb_ship_class *m = sb_find_ship(sb_stock_ships(), 3);
    unsigned             i = 0;
    while (m->subsystems[i].type != SB_SUBSYSTEM_TRACTOR_SYSTEM) i++;
    uint32_t   system = sb_client_part_id(m, OTHER, i, -1), own = 0x3FFFFFFF;
    sb_message start = { .opcode = SB_OP_START_FIRING }, stop = { .opcode = SB_OP_STOP_FIRING };
    sb_message let_go = { .opcode = SB_OP_STOP_FIRING_AT_TARGET };
    fill_event(&start, system, own, 0);
    fill_event(&stop, system, 0, 0);
    fill_event(&let_go, system, 0, THIRD);
    CHECK_EQ(sb_client_place(r->client, r->now, (sb_vec3){ 10, 60, 30 }, nose, top, 0), SB_OK);
    CHECK(sb_client_pull(r->client, r->now).force == 0);
    say_message(r, &start);
    CHECK(sb_client_pull(r->client, r->now).force == 50);
    CHECK(fabsf(sb_client_pull(r->client, r->now).loss - 50 / 100.0f) < 1e-6f); /* a Sovereign */
    CHECK(sb_client_pull(r->client, r->now).drift.y < -0.19f);
    CHECK_EQ(sb_client_place(r->client, r->now, (sb_vec3){ 10, 160, 30 }, nose, top, 0), SB_OK);
    CHECK(sb_client_pull(r->client, r->now).force == 0); /* beyond 118 units */
    CHECK_EQ(sb_client_place(r->client, r->now, (sb_vec3){ 10, 60, 30 }, nose, top, 0), SB_OK);
    say_message(r, &let_go); /* of a third ship */
    CHECK(sb_client_pull(r->client, r->now).force == 50);
    let_go.as.event.third = own;
    say_message(r, &let_go);
    CHECK(sb_client_pull(r->client, r->now).force == 0);
    say_message(r, &start);
    say_message(r, &stop);
    CHECK(sb_client_pull(r->client, r->now).force == 0);
    start.as.event.target = THIRD;
    say_message(r, &start);
    CHECK(sb_client_pull(r->client, r->now).force == 0);
}

TEST(switches_of_others_are_seen)
{
    client_rig *r = client_rig_with_other(6); /* Bird of Prey: cloak k 13 */
    SAY(r, "0A 04 01 00 00 DD 00 80 00 00 00 00 00 0D 00 04 40 01");
    CHECK(sb_client_find_ship(r->client, OTHER)->ship.cloaked);
    SAY(r, "0A 04 01 00 00 DD 00 80 00 00 00 00 00 01 00 04 40 00"); /* shields k 1 */
    CHECK(!sb_client_find_ship(r->client, OTHER)->ship.on[1]);
    SAY(r, "0F 01 01 00 00 E4 00 80 00 00 00 00 00 0D 00 04 40");
    CHECK(!sb_client_find_ship(r->client, OTHER)->ship.cloaked);
    SAY(r, "1B 05 01 00 00 FE 00 80 00 00 00 00 00 06 00 04 40 01"); /* torpedoes k 6 */
    CHECK_EQ(sb_client_find_ship(r->client, OTHER)->ship.setting[4], 1);
}

/* ---- players (spec 07 §8, §9) ---- */

/* A stock receiver puts in an object of its own, so any destination will do (spec 07 §8). */
TEST(a_player_is_announced_whatever_the_destination_is)
{
    static const char *const destinations[] = { "00 00 00 00", "FF FF FF FF", "4F 06 00 00",
                                                "FF FF FF 3F", "34 12 00 70" };
    client_rig              *r = client_rig_in_lobby(NULL);
    for (unsigned i = 0; i < 5; i++) {
        char hex[80];
        snprintf(hex, sizeof hex, "17 66 08 00 00 F1 00 80 00 00 00 00 00 %s %02X", destinations[i],
                 3 + i);
        SAY(r, hex);
        CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_PLAYER_JOINED)->event.peer_id, 3 + i);
        CHECK(sb_client_find_player(r->client, (uint8_t)(3 + i))->in_list);
    }
}

TEST(a_name_record_and_17_make_a_player)
{
    client_rig *r = client_rig_in_lobby(NULL);
    CHECK_TEXT(sb_client_find_player(r->client, 2)->name, "Cady2");
    CHECK(sb_client_find_player(r->client, 2)->in_list);
    CHECK(sb_client_find_player(r->client, 3) == NULL);
    SAY(r, "17 66 08 00 00 F1 00 80 00 00 00 00 00 4F 06 00 00 03");
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_PLAYER_JOINED)->event.peer_id, 3);
    CHECK_TEXT(sb_client_find_player(r->client, 3)->name, "");
    CHECK_EQ(sb_client_find_player(r->client, 3)->team, SB_NO_TEAM);
}

/* The ways of 07 §9; 0x18 is a text. Whatever comes first counts. */
TEST(a_player_who_leaves_is_gone_with_their_ship_once)
{
    static const char        event[] = "17 66 08 00 00 05 00 06 00 00 00 00 00 4F 06 00 00 03";
    static const char        destroy[] = "14 FF FF 03 40", text[] = "18 05 00 41 6C 70 68 61";
    static const char *const orders[][3] = { { event, destroy, text },
                                             { destroy, event, text },
                                             { text, destroy, event } };
    for (size_t i = 0; i < 3; i++) {
        client_rig *r = client_rig_with_other(1);
        for (size_t k = 0; k < 3; k++) {
            SAY(r, orders[i][k]);
            if (orders[i][k] != text) CHECK(sb_client_find_ship(r->client, OTHER) == NULL);
        }
        SAY(r, event);
        CHECK_EQ(client_rig_count_events(r, SB_CLIENT_PLAYER_LEFT), 1);
        CHECK_EQ(client_rig_count_events(r, SB_CLIENT_GONE), 1);
        CHECK(sb_client_find_player(r->client, 3) == NULL);
        CHECK(sb_client_find_ship(r->client, OTHER) == NULL);
        CHECK_EQ(client_rig_count_events(r, SB_CLIENT_BAD_MESSAGE), 0);
    }
}

/* The notice of the transport, before, between or after the messages of the game. */
TEST(a_player_whose_session_ends_is_gone_too)
{
    for (int way = 0; way < 3; way++) {
        client_rig *r = client_rig_flying(NULL, 5);
        client_rig_add_guest(r);
        CHECK_TEXT(sb_client_find_player(r->client, 3)->name, "\xC3\x9Cn\xC3\xAF");
        CHECK(!sb_client_find_player(r->client, 3)->in_list);
        client_rig_say_ship(r, 0x03, 3, OTHER, 1, (sb_vec3){ 0 });
        CHECK(sb_client_find_player(r->client, 3)->in_list);
        if (way == 1) SAY(r, "14 FF FF 03 40");
        if (way == 2) sb_transport_host_boot(r->host, r->now, 3, SB_BOOT_KICKED);
        else sb_transport_client_leave(r->guest, r->now);
        client_rig_run(r);
        SAY(r, "14 FF FF 03 40");
        SAY(r, "18 03 00 DC 6E EF");
        SAY(r, "17 66 08 00 00 05 00 06 00 00 00 00 00 4F 06 00 00 03");
        CHECK_EQ(client_rig_count_events(r, SB_CLIENT_PLAYER_LEFT), 1);
        CHECK_EQ(client_rig_count_events(r, SB_CLIENT_GONE), 1);
        CHECK(sb_client_find_player(r->client, 3) == NULL);
        EXPECT_PHASE(r, SB_CLIENT_FLYING);
    }
}

TEST(a_leave_event_about_ourselves_does_not_unmake_us)
{
    client_rig *r = client_rig_flying(NULL, 5);
    SAY(r, "17 66 08 00 00 05 00 06 00 00 00 00 00 4F 06 00 00 02");
    EXPECT_NOTHING(r);
    CHECK(sb_client_find_player(r->client, 2) != NULL);
    CHECK(sb_client_own_ship(r->client) != NULL);
}

TEST(words_are_told_with_their_speaker)
{
    client_rig *r = client_rig_in_lobby(NULL);
    SAY(r, "2C 03 00 00 00 05 00 68 65 6C 6C 6F");
    const client_reported *told = EXPECT_EVENT(r, SB_CLIENT_CHAT);
    CHECK_EQ(told->event.peer_id, 3);
    CHECK_EQ(told->event.value, 0);
    CHECK_TEXT(told->text, "hello");
    SAY(r, "2D 03 00 00 00 08 00 63 6F 76 65 72 20 6D 65");
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_CHAT)->event.value, 1);
}

/* ---- scores (spec 09 §6, §7) ---- */

/* A stock host can announce more entries than it writes ids for. */
TEST(killer_and_victim_count_although_entries_lack_ids)
{
    client_rig *r = client_rig_in_lobby(NULL);
    SAY(r, "36 03 00 00 00 04 00 00 00 9C 04 00 00 02 00 00 00 05 00 00 00 02 04 00 00 00 2C 01 00 "
           "00 C8 00 00 00");
    CHECK_EQ(client_rig_count_events(r, SB_CLIENT_BAD_MESSAGE), 0);
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_SCORE)->event.value, 2);
    CHECK_EQ(sb_client_find_player(r->client, 3)->score, 1180);
    CHECK_EQ(sb_client_find_player(r->client, 2)->deaths, 5);
    CHECK(sb_client_find_player(r->client, 4) == NULL); /* the 4 need not be an id */
}

TEST(scores_are_new_totals)
{
    client_rig *r = client_rig_in_lobby(NULL);
    SAY(r, "37 03 00 00 00 03 00 00 00 02 00 00 00 3C 00 00 00");
    SAY(r, "36 03 00 00 00 04 00 00 00 9C 04 00 00 02 00 00 00 05 00 00 00 01 04 00 00 00"
           "36 01 00 00");
    const client_reported *told = EXPECT_EVENT(r, SB_CLIENT_SCORE);
    CHECK_EQ(told->event.peer_id, 3);
    CHECK_EQ(told->event.value, 2);
    const sb_seen_player *p = sb_client_find_player(r->client, 3);
    CHECK_EQ(p->kills, 4);
    CHECK_EQ(p->deaths, 2);
    CHECK_EQ(p->score, 1180);
    CHECK_EQ(sb_client_find_player(r->client, 2)->deaths, 5);
    CHECK_EQ(sb_client_find_player(r->client, 4)->score, 310);
    SAY(r, "36 00 00 00 00 02 00 00 00 06 00 00 00 00");
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_SCORE)->event.peer_id, 0);
    SAY(r, "3F 03 00 00 00 04 00 00 00 02 00 00 00 9C 04 00 00 01");
    CHECK_EQ(sb_client_find_player(r->client, 3)->team, 1);
    SAY(r, "40 00 0C 00 00 00 68 10 00 00");
    int32_t kills;
    CHECK_EQ(sb_client_team_score(r->client, 0, &kills), 4200);
    CHECK_EQ(kills, 12);
    CHECK_EQ(sb_client_team_score(r->client, 7, &kills), 0);
}

TEST(the_end_of_a_match_takes_all_ships_and_a_restart_all_numbers)
{
    client_rig *r = client_rig_with_other(1);
    SAY(r, "3F 02 00 00 00 04 00 00 00 02 00 00 00 9C 04 00 00 01");
    SAY(r, "40 01 0C 00 00 00 68 10 00 00");
    SAY(r, "38 03 00 00 00");
    EXPECT_PHASE(r, SB_CLIENT_LOBBY);
    CHECK(sb_client_is_game_over(r->client));
    CHECK_EQ(client_rig_count_events(r, SB_CLIENT_GONE), 2);
    CHECK_EQ(client_rig_count_events(r, SB_CLIENT_GAME_OVER), 1);
    CHECK_EQ(sb_client_find_player(r->client, 2)->kills, 4);
    CHECK_EQ(sb_client_spawn(r->client, r->now, 5, nose, nose, top), SB_NOT_ALLOWED);
    SAY(r, "39");
    CHECK(!sb_client_is_game_over(r->client));
    CHECK_EQ(client_rig_count_events(r, SB_CLIENT_RESTARTED), 1);
    CHECK_EQ(sb_client_find_player(r->client, 2)->kills, 0);
    CHECK_EQ(sb_client_find_player(r->client, 2)->team, SB_NO_TEAM);
    CHECK_EQ(sb_client_team_score(r->client, 1, NULL), 0);
    CHECK_EQ(sb_client_spawn(r->client, r->now, 5, nose, nose, top), SB_OK);
    CHECK_EQ(sb_client_own_ship(r->client)->ship.object_id, 0x40000021); /* ids go on */
}

TEST(a_restart_without_an_end_takes_a_flying_client_to_the_lobby)
{
    client_rig *r = client_rig_with_other(1);
    SAY(r, "39");
    EXPECT_PHASE(r, SB_CLIENT_LOBBY);
    CHECK(sb_client_own_ship(r->client) == NULL);
    CHECK(sb_client_find_ship(r->client, OTHER) == NULL);
    client_rig_forget(r);
    client_rig_wait(r, SB_SECOND);
    CHECK_EQ(r->sent_count, 0);
}
