/* tests/server/reconfigure_test.c -- a running room copies the fields that its caller lists, each
 * when the list says.
 */
#include "rig.h"

#include "server/server_internal.h"

#include <string.h>

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

static sb_span text(const char *text)
{
    return (sb_span){ (const uint8_t *)text, strlen(text) };
}

static sb_server_config changed(void)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.match.mode = sb_find_mode("team");
    c.match.time_limit_min = 20;
    c.system = 5;
    c.collision_damage = false;
    c.name = text("Other");
    return c;
}

static void check_mission(room *r, const char *script, const char *system, int time_limit)
{
    sb_server_status status;
    sb_server_status_of(r->server, &status);
    CHECK_BYTES(status.mission_script.data, status.mission_script.size, script, strlen(script));
    CHECK_BYTES(status.system.data, status.system.size, system, strlen(system));
    CHECK_EQ(status.time_limit, time_limit);
}

static void check_name(room *r, const char *name)
{
    sb_server_status status;
    sb_server_status_of(r->server, &status);
    CHECK_BYTES(status.host_name.data, status.host_name.size, name, strlen(name));
}

static void leave(room *r, seat *s)
{
    sb_transport_client_leave(s->client, r->now);
    room_wait(r, 2 * SB_SECOND);
}

static sb_span join_and_find_mission(room *r, const char *name)
{
    seat *s = room_connect(r, name);
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++)
        seat_answer_round(r, s, sb_vanilla_manifest());
    seat_say_hex(r, s, "2A 20");
    return seat_find(s, SB_OP_MISSION_INIT);
}

TEST(a_new_mission_waits_for_an_empty_room_other_changes_do_not)
{
    room            *r = room_open(NULL);
    seat            *a = room_join(r, "Alpha");
    sb_server_config c = changed();
    seat_spawn(r, a, 5, (sb_vec3){ 0, 0, 0 });
    seat_forget(a);
    room_reconfigure(r, &c);
    room_step(r);
    EXPECT_HEARD(r, a, "16 20");
    check_mission(r, "Multiplayer.Episode.Mission1.Mission1", "Multi1", -1);
    check_name(r, "Other");
    seat_say_hex(r, a,
                 "15 24 81 00 00 50 00 80 00 00 00 00 00 FF FF FF 3F 01 F9 7E 02 D8 65 C2 92 44");
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_DEATHS), 0); /* collisions do no damage any more */
    sb_span init = join_and_find_mission(r, "Beta");
    CHECK_BYTES(init.data, init.size, "\x35\x08\x01\xFF\xFF", 5); /* what Alpha received */
    leave(r, a);
    leave(r, &r->seats[1]);
    check_mission(r, "Multiplayer.Episode.Mission2.Mission2", "Multi5", 20);
    init = join_and_find_mission(r, "Delta");
    CHECK_EQ(init.data[2], 5);
    CHECK_EQ(init.data[3], 20);
}

TEST(in_an_empty_room_everything_changes_at_once)
{
    room            *r = room_open(NULL);
    sb_server_config c = changed();
    room_reconfigure(r, &c);
    check_mission(r, "Multiplayer.Episode.Mission2.Mission2", "Multi5", 20);
    (void)room_join(r, "Alpha"); /* starts the time */
    CHECK_EQ(sb_match_seconds_left(sb_server_match(r->server), r->now), 20 * 60);
}

/* Every byte of the configuration but the listed ones stays as it was. */
TEST(exactly_the_listed_fields_are_copied)
{
    static const sb_config_field  now[] = { SB_CONFIG_FIELD(restart_us),
                                            SB_CONFIG_FIELD(leave_event) };
    static const sb_config_fields fields = { now, COUNT_OF(now), NULL, 0 };
    room                         *r = room_open(NULL);
    sb_server_config              before = r->server->config, c = changed();
    c.restart_us = 77 * SB_SECOND;
    c.leave_event = !before.leave_event;
    c.mod_per_s = 99;
    sb_server_reconfigure(r->server, &c, &fields);
    before.restart_us = c.restart_us;
    before.leave_event = c.leave_event;
    CHECK_BYTES(&r->server->config, sizeof before, &before, sizeof before);
    check_mission(r, "Multiplayer.Episode.Mission1.Mission1", "Multi1", -1);
}

/* The second call lists other fields: the room keeps what the first one deferred. */
TEST(deferred_fields_outlive_later_changes)
{
    static const sb_config_field  match[] = { SB_CONFIG_FIELD(match) };
    static const sb_config_field  system[] = { SB_CONFIG_FIELD(system) };
    static const sb_config_field  name[] = { SB_CONFIG_FIELD(name) };
    static const sb_config_fields first = { NULL, 0, match, 1 }, second = { name, 1, system, 1 };
    room                         *r = room_open(NULL);
    seat                         *a = room_join(r, "Alpha");
    sb_server_config              c = changed();
    sb_server_reconfigure(r->server, &c, &first);
    sb_server_defaults(&c);
    c.name = text("Later");
    c.system = 5;
    sb_server_reconfigure(r->server, &c, &second);
    check_mission(r, "Multiplayer.Episode.Mission1.Mission1", "Multi1", -1);
    check_name(r, "Later");
    leave(r, a);
    check_mission(r, "Multiplayer.Episode.Mission2.Mission2", "Multi5", 20);
    check_name(r, "Later");
}

TEST(texts_of_a_configuration_are_copied)
{
    room            *r = room_open(NULL);
    seat            *a = room_join(r, "Alpha");
    char             name[] = "Alpha \\ Quadrant", system[] = "Deep Space";
    sb_server_config c = changed();
    c.name = text(name);
    c.system_name = text(system);
    room_reconfigure(r, &c);
    memset(name, 'x', sizeof name);
    memset(system, 'x', sizeof system);
    check_name(r, "Alpha / Quadrant"); /* without what would break a status answer */
    leave(r, a);
    check_mission(r, "Multiplayer.Episode.Mission2.Mission2", "Deep Space", 20);
    check_name(r, "Alpha / Quadrant");
}

TEST(a_setting_of_damage_can_wait_for_an_empty_room)
{
    static const sb_config_field  damage[] = { SB_CONFIG_FIELD(collision_damage) };
    static const sb_config_fields fields = { NULL, 0, damage, 1 };
    room                         *r = room_open(NULL);
    seat                         *a = room_join(r, "Alpha");
    sb_server_config              c = changed();
    sb_server_reconfigure(r->server, &c, &fields);
    room_step(r);
    EXPECT_QUIET(a);
    CHECK(r->server->config.collision_damage);
    leave(r, a);
    CHECK(!r->server->config.collision_damage);
}

/* The match was over when the last player left: the new one must not be restarted under the next
 * player. */
TEST(a_new_mission_cancels_the_restart_of_the_old_match)
{
    room            *r = room_open(NULL);
    seat            *a = room_join(r, "Alpha");
    sb_server_config c = changed();
    sb_server_end_match(r->server, r->now, SB_END_GENERIC);
    room_reconfigure(r, &c);
    leave(r, a);
    check_mission(r, "Multiplayer.Episode.Mission2.Mission2", "Multi5", 20);
    seat *b = room_join(r, "Beta");
    room_wait(r, c.restart_us);
    CHECK_EQ(b->by_opcode[SB_OP_RESTART_GAME], 0);
}
