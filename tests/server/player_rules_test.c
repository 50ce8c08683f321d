/* tests/server/player_rules_test.c -- what a room does for the operator's rules: names, balance of
 * teams, activity, ships that are dismissed, settings that are sent again. Tests joining.c,
 * scripts.c, relay.c and reconfigure.c.
 */
#include "rig.h"

#include <starbase/message.h>
#include <starbase/protocol.h>

#include "base/text.h"

#include <stdio.h>
#include <string.h>

static sb_server_config defaults(void)
{
    sb_server_config c;
    sb_server_defaults(&c);
    return c;
}

/* ---- names ---- */

static char asked[96];

static bool refuse_griefers(void *context, sb_endpoint address, const char *name, char *reason)
{
    (void)context;
    (void)address;
    snprintf(asked, sizeof asked, "%s", name);
    if (!strstr(name, "Grief")) return false;
    snprintf(reason, SB_NAME_REASON_MAX, "not here");
    return true;
}

TEST(a_refused_name_is_told_and_removed_before_it_plays)
{
    sb_server_config c = defaults();
    c.refuse_name = refuse_griefers;
    room *r = room_open(&c);
    seat *kirk = room_join(r, "Kirk");
    CHECK_TEXT(asked, "Kirk");
    seat *griefer = room_connect(r, "Griefer");
    room_wait(r, 10 * SB_SECOND);
    sb_span line = seat_find(griefer, SB_OP_CHAT);
    CHECK_BYTES(line.data + 7, line.size - 7, "not here", 8);
    CHECK(griefer->left);
    CHECK_EQ(griefer->boot_reason, SB_BOOT_BANNED);
    CHECK_EQ(room_count_events(r, SB_SERVER_JOINED), 1);
    CHECK_EQ(room_count_events(r, SB_SERVER_KICKED), 1);
    CHECK(!kirk->left);
}

/* ---- teams ---- */

static const char *const into_team[] = { "41 {id} 00", "41 {id} 01" };

static uint8_t team_of(const room *r, const seat *s)
{
    return sb_match_find(sb_server_match(r->server), s->id)->team;
}

static room *open_teams(uint8_t balance)
{
    sb_server_config c = defaults();
    c.match.mode = sb_find_mode("team");
    c.balance = balance;
    room *r = room_open(&c);
    for (int i = 0; i < 3; i++) seat_say_hex(r, room_join(r, "Player"), into_team[i == 1]);
    return r; /* two in team 0, one in team 1 */
}

TEST(the_larger_team_is_refused_only_where_balance_says_so)
{
    static const uint8_t expected[] = {
        [SB_BALANCE_OFF] = 0, [SB_BALANCE_TELL] = 0, [SB_BALANCE_ENFORCE] = 1
    };
    for (uint8_t balance = 0; balance < SB_BALANCE_CHOICES; balance++) {
        room *r = open_teams(balance);
        seat *late = room_join(r, "Late");
        room_forget(r);
        seat_say_hex(r, late, into_team[0]);
        CHECK_EQ(team_of(r, late), expected[balance]);
        sb_span told = seat_find(&r->seats[0], SB_OP_TEAM);
        CHECK_EQ(told.data[5], expected[balance]);
        seat_find(late, SB_OP_TEAM); /* the player, too, hears the team that counts */
        CHECK_EQ(late->by_opcode[SB_OP_TEAM], 1);
        CHECK_EQ(late->by_opcode[SB_OP_CHAT], balance != SB_BALANCE_OFF);
    }
}

TEST(equal_teams_and_a_change_of_sides_need_no_balance)
{
    room *r = open_teams(SB_BALANCE_ENFORCE);
    seat_say_hex(r, &r->seats[0], into_team[0]); /* the same again: 2 to 1 with the player */
    CHECK_EQ(team_of(r, &r->seats[0]), 0);
    seat_say_hex(r, &r->seats[2], into_team[1]); /* 1 to 2 afterwards */
    CHECK_EQ(team_of(r, &r->seats[2]), 1);
    seat_say_hex(r, &r->seats[0], into_team[1]); /* 0 to 3 */
    CHECK_EQ(team_of(r, &r->seats[0]), 0);
}

/* ---- activity ---- */

static sb_time active_at(const room *r, const seat *s)
{
    sb_player_view view;
    for (unsigned i = 0; sb_server_player(r->server, i, r->now, &view); i++)
        if (view.peer_id == s->id) return view.active_at;
    FAIL("there is no player %u", s->id);
}

TEST(chat_shots_and_steering_are_activity_drifting_is_not)
{
    pair     t = open_pair(NULL);
    uint32_t ship = seat_spawn(t.r, t.a, 5, (sb_vec3){ 0, 0, 0 });
    sb_time  before = active_at(t.r, t.a);
    room_wait(t.r, 5 * SB_SECOND);
    for (int i = 0; i < 10; i++) { /* a ship that drifts sends its position all the time */
        seat_say_position(t.r, t.a, ship, (sb_vec3){ (float)i, 0, 0 });
        room_wait(t.r, SB_SECOND);
    }
    CHECK_EQ(active_at(t.r, t.a), before);
    seat_say_hex(t.r, t.a, "2C {id} 01 00 61");
    CHECK(active_at(t.r, t.a) > before);
    before = active_at(t.r, t.a);
    room_wait(t.r, 5 * SB_SECOND);
    seat_open_fire(t.r, t.a, ship, 0);
    CHECK(active_at(t.r, t.a) > before);
    CHECK(active_at(t.r, t.b) < active_at(t.r, t.a));
}

/* ---- the operator ---- */

TEST(a_ship_that_is_dismissed_explodes_and_its_player_stays)
{
    pair t = open_pair(NULL);
    CHECK(!sb_server_dismiss_ship(t.r->server, t.r->now, t.a->id)); /* no ship yet */
    seat_spawn(t.r, t.a, 5, (sb_vec3){ 0, 0, 0 });
    CHECK(sb_server_dismiss_ship(t.r->server, t.r->now, t.a->id));
    CHECK(!sb_server_dismiss_ship(t.r->server, t.r->now, t.a->id)); /* it is exploding */
    CHECK(!sb_server_dismiss_ship(t.r->server, t.r->now, 99));
    CHECK_EQ(room_expect(t.r, SB_SERVER_KILLED)->event.other, 0); /* nobody's kill */
    room_wait(t.r, 20 * SB_SECOND);
    CHECK(!t.a->left);
    seat_spawn(t.r, t.a, 5, (sb_vec3){ 0, 0, 0 });
}

static const sb_config_field  system_fields[] = { SB_CONFIG_FIELD(system),
                                                  SB_CONFIG_FIELD(match.mode) };
static const sb_config_fields system_lists = { .when_empty = system_fields, .when_empty_count = 2 };

TEST(settings_are_sent_again_to_those_who_are_there)
{
    pair             t = open_pair(NULL);
    sb_server_config next = defaults();
    CHECK(!sb_server_resend_settings(t.r->server, t.r->now)); /* nothing waits */
    next.system = 5;
    sb_server_reconfigure(t.r->server, &next, &system_lists);
    room_step(t.r);
    CHECK_EQ(seat_find(t.a, SB_OP_MISSION_INIT).size, 0);
    room_forget(t.r);
    CHECK(sb_server_resend_settings(t.r->server, t.r->now));
    room_step(t.r);
    sb_span restart = seat_next(t.a), init = seat_find(t.a, SB_OP_MISSION_INIT);
    CHECK_EQ(restart.data[0], SB_OP_RESTART_GAME);
    CHECK_EQ(init.data[2], 5);
    CHECK_EQ(seat_find(t.b, SB_OP_MISSION_INIT).data[2], 5);
    seat *late = room_load(t.r, "Late");
    seat_say_hex(t.r, late, "2A 20");
    CHECK_EQ(seat_find(late, SB_OP_MISSION_INIT).data[2], 5);
}

TEST(another_mission_is_never_sent_again)
{
    pair             t = open_pair(NULL);
    sb_server_config next = defaults();
    next.match.mode = sb_find_mode("team");
    sb_server_reconfigure(t.r->server, &next, &system_lists);
    CHECK(!sb_server_resend_settings(t.r->server, t.r->now));
    room_step(t.r);
    CHECK_EQ(seat_find(t.a, SB_OP_MISSION_INIT).size, 0);
    CHECK_TEXT(sb_server_match(t.r->server)->config.mode->key, "ffa");
}
