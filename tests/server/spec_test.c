/* tests/server/spec_test.c -- single statements of spec 05 to 10 that no other test of a room
 * covers; docs/evidence/fidelity.md lists the test of each statement. */
#include "rig.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

static const sb_vec3 here = { 38.0f, -49.0f, -35.0f };

static sb_server_config config_of_mode(const char *mode)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.match.mode = sb_find_mode(mode);
    CHECK(c.match.mode != NULL);
    return c;
}

/* Answers all checksum rounds; the next received message answers the seat's NewPlayerInGame. */
/* The next 0x06 with this code; size 0: none. */
static sb_span find_event(seat *s, uint32_t code)
{
    for (sb_span m; (m = seat_find(s, 0x06)).size > 0;)
        if (sb_load_u32(m.data + 5) == code) return m;
    return (sb_span){ NULL, 0 };
}

/* ---- 05 ---- */

static void expect_answer(room *r, const char *query, const char *expected)
{
    sb_span bytes = { (const uint8_t *)query, strlen(query) };
    CHECK_EQ(room_give(r, room_stranger(1), bytes), SB_OK);
    CHECK_BYTES(r->last_answer, r->last_answer_size, expected, strlen(expected));
}

/* A query on the game's socket of a room with defaults and a name gives the bytes of a stock
 * server. */
TEST(spec_05_3_4_a_fresh_room_answers_the_267_example_bytes)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.name = (sb_span){ (const uint8_t *)"My Game23", 9 };
    room *r = room_open(&c);
    expect_answer(r, "\\basic\\",
                  "\\gamename\\bcommander\\gamever\\60\\location\\1\\final\\\\queryid\\1.1");
    expect_answer(
        r, "\\status\\",
        "\\gamename\\bcommander\\gamever\\60\\location\\1\\hostname\\My Game23\\missionscript"
        "\\Multiplayer.Episode.Mission1.Mission1\\mapname\\DM\\numplayers\\0\\maxplayers\\8"
        "\\gamemode\\openplaying\\timelimit\\-1\\fraglimit\\-2\\system\\Multi1\\password\\0"
        "\\player_0\\Dedicated Server\\final\\\\queryid\\2.1");
    CHECK_EQ(r->last_answer_size, 267);
}

TEST(spec_05_3_1_only_players_in_the_game_are_counted)
{
    room *r = room_open(NULL);
    (void)room_join(r, "Alpha");
    (void)room_connect(r, "Joining");
    seat *b = room_join(r, "Beta");
    expect_answer(r, "\\players\\",
                  "\\player_0\\Alpha\\player_1\\Beta\\player_2\\Dedicated Server"
                  "\\final\\\\queryid\\1.1");
    sb_server_status status;
    sb_server_status_of(r->server, &status);
    CHECK_EQ(status.player_count, 2);
    seat_leave(r, b);
    sb_server_status_of(r->server, &status);
    CHECK_EQ(status.player_count, 1);
    sb_server_end_match(r->server, r->now, SB_END_TIME);
    expect_answer(r, "\\info\\",
                  "\\hostname\\Starbase\\missionscript\\Multiplayer.Episode.Mission1.Mission1"
                  "\\mapname\\DM\\numplayers\\1\\maxplayers\\8\\gamemode\\settings"
                  "\\final\\\\queryid\\2.1");
}

TEST(spec_05_3_1_a_campaign_system_is_answered_by_its_start_set)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.system = 9;
    room *r = room_open(&c);
    expect_answer(r, "\\rules\\",
                  "\\timelimit\\-1\\fraglimit\\-2\\system\\Poseidon2\\password\\0"
                  "\\final\\\\queryid\\1.1");
    seat *s = room_load(r, "Cady2");
    seat_say_hex(r, s, "2A 20");
    EXPECT_HEARD(r, s, "35 08 09 FF FF"); /* its number is in MissionInit (spec 07 §10) */
}

/* A change of players sends a heartbeat to the master, at most every five seconds. */
TEST(spec_05_5_2_masters_are_told_of_joins_and_departures)
{
    static const char changed[] = "\\gamename\\bcommander\\statechanged\\1";
    room             *r = room_open(NULL);
    sb_server_set_master(r->server, 0, (sb_endpoint){ 0x51CD5D5E, SB_MASTER_PORT }, r->now);
    room_wait(r, 10 * SB_SECOND);
    CHECK_EQ(r->answers, 3); /* the first heartbeats, without a change */
    seat *a = room_join(r, "Alpha");
    room_wait(r, SB_SECOND);
    CHECK_EQ(r->answers, 4);
    size_t size = sizeof changed - 1;
    CHECK(r->last_answer_size > size);
    CHECK_BYTES(r->last_answer + r->last_answer_size - size, size, changed, size);
    seat_spawn(r, a, 5, (sb_vec3){ 0 });
    seat_say_position(r, a, sb_slot_first_id(0), (sb_vec3){ 0 }); /* it departs after a second */
    sb_transport_client_leave(a->client, r->now);
    room_wait(r, 2 * SB_SECOND);
    CHECK_EQ(r->answers, 4); /* too soon */
    room_wait(r, 3 * SB_SECOND);
    CHECK_EQ(r->answers, 5);
    CHECK_BYTES(r->last_answer + r->last_answer_size - size, size, changed, size);
}

/* ---- 06 ---- */

/* With score_self_on_join off, the join is that of a stock server. */
TEST(spec_06_5_11_without_own_score_a_join_is_exactly_as_stock)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.score_self_on_join = false;
    room *r = room_open(&c);
    seat *first = room_join(r, "Alpha"), *second = room_load(r, "Beta");
    seat_say_hex(r, second, "2A 20");
    EXPECT_HEARD(r, second, "35 08 01 FF FF");
    EXPECT_HEARD(r, second, "37 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
    EXPECT_HEARD(r, second, "17 66 08 00 00 F1 00 80 00 00 00 00 00 4F 06 00 00 03");
    EXPECT_QUIET(second);
    EXPECT_HEARD(r, first, "17 66 08 00 00 F1 00 80 00 00 00 00 00 4F 06 00 00 03");
    EXPECT_QUIET(first);
}

TEST(spec_06_5_9_a_0x2a_of_one_byte_is_enough)
{
    room *r = room_open(NULL);
    seat *s = room_load(r, "Cady2");
    seat_say_hex(r, s, "2A");
    EXPECT_HEARD(r, s, "35 08 01 FF FF");
}

TEST(spec_06_5_8_a_new_collision_setting_is_sent_to_all_connected)
{
    sb_server_config c;
    sb_server_defaults(&c);
    room *r = room_open(&c);
    seat *in = room_join(r, "Alpha"), *joining = room_load(r, "Beta");
    room_reconfigure(r, &c); /* no change: nothing is sent */
    room_step(r);
    EXPECT_QUIET(in);
    c.collision_damage = false;
    room_reconfigure(r, &c);
    room_step(r);
    EXPECT_HEARD(r, in, "16 20");
    EXPECT_HEARD(r, joining, "16 20");
    c.collision_damage = true;
    room_reconfigure(r, &c);
    room_step(r);
    EXPECT_HEARD(r, in, "16 21");
}

TEST(spec_06_4_7_a_new_ship_gets_subsystem_data_within_100_ms)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat_forget(a);
    seat_forget(b);
    (void)seat_spawn(r, a, 1, here);
    room_wait(r, SB_SECOND / 10);
    sb_span to_owner = seat_find(a, 0x1C), to_other = seat_find(b, 0x1C);
    CHECK(to_owner.size > 10 && to_other.size > 10);
    CHECK_EQ(to_owner.data[9], SB_STATE_SUBSYS); /* an owner gets nothing else (03 §7) */
    CHECK_EQ(to_other.data[9] & (SB_STATE_SUBSYS | SB_STATE_POS), SB_STATE_SUBSYS | SB_STATE_POS);
}

/* ---- 07 ---- */

TEST(spec_07_8_older_players_are_listed_only_if_configured)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.list_older_players = true;
    c.list_object = 0x0791;
    room *r = room_open(&c);
    seat *first = room_join(r, "Alpha"), *second = room_load(r, "Beta");
    seat_say_hex(r, second, "2A 20");
    CHECK_EQ(seat_next(second).data[0], 0x35);
    CHECK_EQ(seat_next(second).data[0], 0x37);
    EXPECT_HEARD(r, second, "17 66 08 00 00 F1 00 80 00 00 00 00 00 91 07 00 00 02");
    EXPECT_HEARD(r, second, "17 66 08 00 00 F1 00 80 00 00 00 00 00 91 07 00 00 03");
    EXPECT_HEARD(r, first, "17 66 08 00 00 F1 00 80 00 00 00 00 00 91 07 00 00 03");
}

TEST(spec_07_5_the_spawn_notice_can_be_switched_off)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.spawn_notice = false;
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    (void)seat_spawn(r, a, 5, here);
    CHECK_EQ(b->by_opcode[0x03], 1);
    CHECK_EQ(a->by_opcode[0x1D] + b->by_opcode[0x1D], 0);
}

TEST(spec_07_2_4_torpedo_objects_are_relayed_and_not_stored)
{
    static const char torpedo[] = "02 00 09 80 00 00 10 00 00 40 02 AA BB CC";
    static const char scenery[] =
        "02 00 08 80 00 00 20 00 00 40 05 00 00 18 42 00 00 44 C2 00 00 0C C2 00 00 80 3F 00 00 "
        "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 41 06 4D 75 6C 74 69 31";
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat_forget(a);
    seat_say_hex(r, a, torpedo);
    EXPECT_HEARD(r, b, torpedo);
    seat_say_hex(r, a, scenery);
    EXPECT_HEARD(r, b, scenery);
    EXPECT_QUIET(b); /* no notice: it is no player's ship */
    EXPECT_QUIET(a);
    seat *late = room_load(r, "Late");
    seat_say_hex(r, late, "2A 20");
    CHECK_EQ(seat_find(late, 0x02).size, 55);
    CHECK_EQ(late->by_opcode[0x02], 1);
    CHECK_EQ(late->by_opcode[0x03], 0);
}

TEST(spec_07_7_a_player_enters_another_set_with_the_own_ship)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.system = 200; /* a mod's, whose sets the room does not know */
    c.client_sets = true;
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    (void)seat_spawn(r, a, 5, here);
    seat_forget(b);
    seat_say_hex(r, a, "1F FF FF FF 3F 07 00 00 00 4D 75 6C 74 69 32 00");
    EXPECT_HEARD(r, b, "1F FF FF FF 3F 07 00 00 00 4D 75 6C 74 69 32 00");
    EXPECT_HEARD(r, b, "1D FF FF FF 3F"); /* it changed sets without a warp (07 §5) */
    seat *late = room_load(r, "Late");
    seat_say_hex(r, late, "2A 20");
    sb_span creation = seat_find(late, 0x03);
    CHECK(creation.size > 61);
    CHECK_BYTES(creation.data + 53, 7, "\x06Multi2", 7); /* behind the name of five bytes */
}

/* ---- 08 ---- */

/* The captured DamageVolume has exactly these two codes; a join and a request send it (§15). */
TEST(spec_08_15_damage_volumes_follow_every_sent_creation)
{
    room    *r = room_open(NULL);
    seat    *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    uint32_t ship = seat_spawn(r, a, 5, here);
    seat_collide(r, a, ship, 0,
                 400.0f); /* 4 per unit of mass: the largest radius without a death */
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_DEATHS), 0);
    CHECK_EQ(b->by_opcode[0x29], 0); /* not sent when the damage happens */
    seat *late = room_load(r, "Late");
    seat_say_hex(r, late, "2A 20");
    static const uint8_t order[] = { 0x35, 0x37, 0x37, 0x03, 0x29, 0x17, 0x37 };
    for (size_t i = 0; i < sizeof order; i++) {
        sb_span m = seat_next(late);
        CHECK(m.size > 0);
        CHECK_EQ(m.data[0], order[i]);
        if (m.data[0] != SB_OP_DAMAGE_VOLUME) continue;
        CHECK_EQ(m.size, 14);
        CHECK_EQ(sb_load_u32(m.data + 1), ship);
        CHECK_EQ(sb_load_u16(m.data + 10), sb_encode_cf16(50.0f));
        CHECK_EQ(sb_load_u16(m.data + 12), sb_encode_cf16(6000.0f));
    }
    seat_forget(b);
    seat_say_hex(r, b, "1E FF FF FF 3F");
    CHECK_EQ(seat_next(b).data[0], 0x03);
    CHECK_EQ(seat_next(b).data[0], 0x29);
    EXPECT_QUIET(b);
}

/* Asteroids are not networked, so the captured report of one has the source 0. */
TEST(spec_08_10_1_an_asteroid_has_no_id_and_yet_does_damage)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha");
    CHECK_EQ(seat_spawn(r, a, 5, here), 0x3FFFFFFF);
    seat_say_hex(r, a,
                 "15 24 81 00 00 50 00 80 00 00 00 00 00 FF FF FF 3F 01 0D 7E 00 D9 BB 20 A0 44");
    room_wait(r, SB_SECOND / 10);
    CHECK(a->by_opcode[0x06] > 0);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_UNKNOWN_OBJECT), 0);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_BAD_VALUE), 0);
}

TEST(spec_08_10_a_collision_is_never_relayed)
{
    room    *r = room_open(NULL);
    seat    *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    uint32_t ship = seat_spawn(r, a, 5, here);
    seat_forget(b);
    seat_collide(r, a, ship, 0, 5.0f);
    EXPECT_QUIET(b); /* until the end of the step (spec 12 #12) */
    room_wait(r, SB_SECOND / 30);
    unsigned repairs = 0;
    uint32_t part = 0;
    for (sb_span m = seat_next(b); m.size > 0; m = seat_next(b)) {
        if (m.data[0] == SB_OP_STATE_UPDATE) continue;
        CHECK_EQ(m.data[0], 0x06);
        part = sb_load_u32(m.data + 9);
        repairs++;
    }
    CHECK_EQ(repairs, 9); /* the parts of trace D, and the hull of a ship that lives on */
    CHECK_EQ(part, ship + 1);
    CHECK_EQ(a->by_opcode[0x15] + b->by_opcode[0x15], 0);
}

TEST(spec_08_5_2_ended_repairs_are_sent_with_all_their_ids)
{
    room    *r = room_open(NULL);
    seat    *a = room_join(r, "Alpha");
    uint32_t ship = seat_spawn(r, a, 5, here);
    seat_collide(r, a, ship, 0, 5.0f); /* 545 points each: nine parts are queued */
    seat_forget(a);
    room_wait(r, SB_SECOND);
    seat_collide(r, a, ship, 0, 300.0f); /* 3,200: destroys the queued second phaser bank */
    room_wait(r, SB_SECOND);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_DEATHS), 0);
    sb_span m = find_event(a, SB_CODE_REPAIR_CANNOT_BE_COMPLETED);
    uint8_t expected[21];
    CHECK_EQ(test_hex("06 0C 01 00 00 75 00 80 00 18 00 00 40 FF FF FF 3F 0D 00 00 40", expected,
                      sizeof expected),
             21);
    CHECK_BYTES(m.data, m.size, expected, sizeof expected);
    do {
        seat_forget(a);
        room_wait(r, 10 * SB_SECOND);
        m = find_event(a, SB_CODE_REPAIR_COMPLETED);
    } while (m.size == 0 && r->now < 5000 * SB_SECOND);
    CHECK_EQ(m.size, 21);
    expected[5] = 0x74;
    CHECK_BYTES(m.data, 17, expected, 17); /* complexity decides which part comes first */
}

/* A client may still send events of its former ship (§17). */
TEST(spec_08_17_an_event_of_a_former_ship_is_only_relayed)
{
    static const char shields_off[] = "0A 04 01 00 00 DD 00 80 00 00 00 00 00 01 00 00 40 00";
    room             *r = room_open(NULL);
    seat             *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    (void)seat_spawn(r, a, 5, here);
    (void)seat_replace(r, a, 5, here);
    seat_forget(b);
    seat_say_hex(r, a, shields_off);
    EXPECT_HEARD(r, b, shields_off);
    sb_player_view view;
    CHECK(sb_server_player(r->server, 0, r->now, &view));
    CHECK(view.ship->on[1]); /* the shields of the new ship are still on */
}

/* Beams that kill at once: the test is about the messages. */
TEST(spec_08_16_a_weapon_kill_names_the_killers_ship_and_id)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.combat.constants.beam_medium = 300.0f;
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta"), *w = room_join(r, "Witness");
    (void)seat_spawn(r, a, 5, (sb_vec3){ 0, 0, 0 });
    (void)seat_spawn(r, b, 5, (sb_vec3){ 0, 20, 0 });
    seat_say_hex(r, b, "0A 04 01 00 00 DD 00 80 00 00 00 00 00 01 00 04 40 00"); /* no shields */
    seat_forget(w);
    for (unsigned i = 0; i < 600 && COUNTED(r, SB_SERVER_COUNT_DEATHS) == 0; i++) {
        seat_say_hex(r, a,
                     "07 28 81 00 00 D8 00 80 00 00 00 00 00 19 00 00 40 FF FF 03 40 00 00 00 00");
        room_wait(r, SB_SECOND / 10);
    }
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_DEATHS), 1);
    sb_span death = find_event(w, SB_CODE_OBJECT_EXPLODING);
    uint8_t expected[25];
    CHECK_EQ(test_hex("06 29 81 00 00 4E 00 80 00 FF FF FF 3F FF FF 03 40 02 00 00 00 00 00 18 41",
                      expected, sizeof expected),
             25);
    CHECK_BYTES(death.data, death.size, expected, sizeof expected);
    sb_span change = seat_next(w); /* directly after it */
    CHECK_EQ(change.size, 22);
    CHECK_EQ(change.data[0], 0x36);
    CHECK_EQ(sb_load_u32(change.data + 1), 2);  /* killer */
    CHECK_EQ(sb_load_u32(change.data + 5), 1);  /* the killer's kills */
    CHECK(sb_load_u32(change.data + 9) > 1000); /* a tenth of the damage, which exceeds the hull */
    CHECK_EQ(sb_load_u32(change.data + 13), 3); /* victim */
    CHECK_EQ(sb_load_u32(change.data + 17), 1);
    CHECK_EQ(w->by_opcode[0x14] + w->by_opcode[0x29], 0);
    seat *late = room_load(r, "Late");
    seat_say_hex(r, late, "2A 20");
    CHECK_EQ(sb_load_u32(seat_find(late, 0x03).data + 7), 0x3FFFFFFF); /* the killer's ship only */
    CHECK_EQ(late->by_opcode[0x03], 1);
}

/* ---- 09 ---- */

TEST(spec_09_10_a_team_join_brings_teams_and_team_totals)
{
    sb_server_config c = config_of_mode("team");
    room            *r = room_open(&c);
    seat            *a = room_join(r, "Alpha");
    seat_say_hex(r, a, "41 {id} 01");
    seat_forget(a);
    seat *b = room_load(r, "Beta");
    seat_say_hex(r, b, "2A 20");
    EXPECT_HEARD(r, b, "35 08 01 FF FF");
    EXPECT_HEARD(r, b, "3F 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01");
    EXPECT_HEARD(r, b, "40 00 00 00 00 00 00 00 00 00");
    EXPECT_HEARD(r, b, "40 01 00 00 00 00 00 00 00 00");
    EXPECT_HEARD(r, b, "17 66 08 00 00 F1 00 80 00 00 00 00 00 4F 06 00 00 03");
    EXPECT_HEARD(r, b, "3F 03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 FF");
    EXPECT_QUIET(b);
}

/* Alpha on `team` self-destructs; returns Beta, who has received the messages. */
static seat *die_alone(room *r, const char *team)
{
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat_say_hex(r, a, team);
    (void)seat_spawn(r, a, 5, here);
    seat_forget(b);
    seat_say_hex(r, a, "13");
    CHECK_EQ(seat_next(b).data[0], 0x06);
    EXPECT_HEARD(r, b, "36 00 00 00 00 02 00 00 00 01 00 00 00 00");
    return b;
}

TEST(spec_09_6_a_death_in_a_team_mode_brings_both_team_totals)
{
    sb_server_config c = config_of_mode("team");
    room            *r = room_open(&c);
    seat            *b = die_alone(r, "41 {id} 00");
    EXPECT_HEARD(r, b, "40 00 00 00 00 00 00 00 00 00");
    EXPECT_HEARD(r, b, "40 01 00 00 00 00 00 00 00 00");
    CHECK_EQ(seat_next(b).data[0], 0x06); /* the repair list comes last (08 §16) */
}

TEST(spec_09_10_2_a_mission5_attackers_suicide_is_a_kill)
{
    sb_server_config c = config_of_mode("assault");
    room            *r = room_open(&c);
    seat            *b = die_alone(r, "41 {id} 00");
    EXPECT_HEARD(r, b, "40 00 00 00 00 00 00 00 00 00");
    EXPECT_HEARD(r, b, "40 01 01 00 00 00 00 00 00 00");
    r = room_open(&c);
    b = die_alone(r, "41 {id} 01"); /* a defender's suicide is no kill of the attackers */
    EXPECT_HEARD(r, b, "40 00 00 00 00 00 00 00 00 00");
    EXPECT_HEARD(r, b, "40 01 00 00 00 00 00 00 00 00");
}

/* Trace C: the table keeps players who left (§7). */
TEST(spec_09_7_a_newcomer_is_told_the_scores_of_those_who_left)
{
    room *r = room_open(NULL);
    (void)room_join(r, "Alpha");
    seat *b = room_join(r, "Beta");
    (void)seat_spawn(r, b, 5, here);
    seat_say_hex(r, b, "13");
    sb_transport_client_leave(b->client, r->now);
    room_wait(r, SB_SECOND);
    seat *c = room_load(r, "Gamma");
    CHECK_EQ(c->id, 4);
    seat_say_hex(r, c, "2A 20");
    EXPECT_HEARD(r, c, "35 08 01 FF FF");
    EXPECT_HEARD(r, c, "37 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
    EXPECT_HEARD(r, c, "37 03 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00");
    CHECK_EQ(seat_next(c).data[0], 0x17);
}

/* Connects the last seat again, from the same address. */
static seat *come_back(room *r, const char *name)
{
    r->seat_count--;
    free(r->seats[r->seat_count].heard);
    return room_connect(r, name);
}

TEST(spec_09_11_a_returning_player_gets_the_old_score_back)
{
    room *r = room_open(NULL);
    (void)room_join(r, "Alpha");
    seat *b = room_join(r, "Beta");
    (void)seat_spawn(r, b, 5, here);
    seat_say_hex(r, b, "13");
    sb_transport_client_leave(b->client, r->now);
    room_wait(r, 20 * SB_SECOND);
    b = come_back(r, "Beta");
    seat_pass_checksums(r, b);
    seat_forget(b);
    seat_say_hex(r, b, "2A 20");
    CHECK_EQ(seat_find(b, 0x17).data[17], b->id);
    sb_span score = seat_next(b); /* the player's own score, after the announcement */
    CHECK_EQ(score.data[0], 0x37);
    CHECK_EQ(sb_load_u32(score.data + 1), b->id);
    CHECK_EQ(sb_load_u32(score.data + 9), 1); /* the death before the player left */
}

/* Ramming is a kill (10 §12.2) and no damage of the ledger (§11). */
TEST(spec_09_11_who_kills_by_ramming_has_a_kill_and_no_points)
{
    room    *r = room_open(NULL);
    seat    *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    uint32_t rammed = seat_spawn(r, a, 5, here), rammer = seat_spawn(r, b, 8, here);
    uint8_t  collision[26];
    CHECK_EQ(
        test_hex("15 24 81 00 00 50 00 80 00 00 00 00 00 00 00 00 00 01 F9 7E 02 D8 65 C2 92 44",
                 collision, sizeof collision),
        sizeof collision);
    sb_store_u32(collision + 9, rammer);
    sb_store_u32(collision + 13, rammed);
    seat_forget(b);
    seat_say(r, a, SB_RELIABLE, (sb_span){ collision, sizeof collision });
    sb_span change = seat_find(b, 0x36);
    uint8_t expected[22];
    CHECK_EQ(test_hex("36 03 00 00 00 01 00 00 00 00 00 00 00 02 00 00 00 01 00 00 00 00", expected,
                      sizeof expected),
             22);
    CHECK_BYTES(change.data, change.size, expected, sizeof expected);
}

/* Policies by type (§9.1): host-only, team, and a stock type that a mod has taken over. */
TEST(spec_09_9_1_mod_policies_team_host_only_and_stock_types)
{
    sb_server_config c = config_of_mode("team");
    c.mod_policy[0xCD] = SB_MOD_TEAM;
    c.mod_policy[0xCE] = SB_MOD_HOST_ONLY;
    c.mod_policy[0x38] = SB_MOD_ALL;
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta"), *d = room_join(r, "Delta");
    seat_say_hex(r, a, "41 {id} 00");
    seat_say_hex(r, b, "41 {id} 00");
    seat_say_hex(r, d, "41 {id} 01");
    seat_forget(a);
    seat_forget(b);
    seat_forget(d);
    seat_say_hex(r, a, "CD 07");
    EXPECT_HEARD(r, b, "CD 07");
    EXPECT_QUIET(d);
    seat_say_hex(r, a, "CE 07");
    EXPECT_QUIET(b);
    seat_say_hex(r, a, "38 05 00 00 00");
    EXPECT_HEARD(r, a, "38 05 00 00 00");
    EXPECT_HEARD(r, d, "38 05 00 00 00");
    CHECK(!sb_server_match(r->server)->over);
}

TEST(spec_09_8_the_end_reaches_those_who_are_still_joining)
{
    room *r = room_open(NULL);
    seat *in = room_join(r, "Alpha"), *joining = room_load(r, "Beta");
    sb_server_end_match(r->server, r->now, SB_END_TIME);
    room_step(r);
    EXPECT_HEARD(r, in, "38 01 00 00 00");
    EXPECT_HEARD(r, joining, "38 01 00 00 00");
}

TEST(spec_09_4_team_chat_without_a_team_reaches_only_its_sender)
{
    sb_server_config c = config_of_mode("faction");
    room            *r = room_open(&c);
    seat            *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat_forget(a);
    seat_forget(b);
    seat_say_hex(r, a, "2D {id} 01 00 61");
    EXPECT_HEARD(r, a, "2D 02 00 00 00 01 00 61");
    EXPECT_QUIET(b);
    seat_say_hex(r, a, "2C {id} 01 00 61"); /* players without a ship get chat, too */
    EXPECT_HEARD(r, b, "2C 02 00 00 00 01 00 61");
}

/* ---- 10 ---- */

/* At level 0 no ship dies, and health is still sent (§15). */
TEST(spec_10_15_a_room_that_only_relays_hurts_nobody)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.combat.fidelity = SB_FIDELITY_RELAY;
    room    *r = room_open(&c);
    seat    *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    uint32_t ship = seat_spawn(r, a, 5, here);
    seat_forget(b);
    seat_collide(r, a, ship, 0, 1174.0748f);
    seat_say_hex(r, a, "13");
    room_wait(r, SB_SECOND);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_DEATHS), 0);
    EXPECT_QUIET(b);
    CHECK(b->by_opcode[0x1C] >= 9);
}
