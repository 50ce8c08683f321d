/* tests/server/scripts_test.c -- edges of chat, teams, restarts and messages of mods: lengths,
 * budgets, receivers. Spec 09 §4, §8, §9.1.
 */
#include "rig.h"

#include <starbase/cipher.h>

#include "base/bytes.h"
#include "server/server_internal.h"

#include <string.h>

enum { MOD = 0xCD };

static sb_server_config defaults(void)
{
    sb_server_config c;
    sb_server_defaults(&c);
    return c;
}

static sb_server_config team_config(void)
{
    sb_server_config c = defaults();
    c.match.mode = sb_find_mode("team");
    return c;
}

static room *open_full_room(sb_server_config c)
{
    c.max_players = SB_SERVER_PLAYERS_MAX;
    room *r = room_open(&c);
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++) (void)room_join(r, "Player");
    return r;
}

/* ---- chat ---- */

static void say_line(pair *t, size_t size)
{
    uint8_t line[400] = { SB_OP_CHAT, t->a->id };
    sb_store_u16(line + 5, (uint16_t)size);
    memset(line + 7, 'x', size);
    seat_say(t->r, t->a, SB_RELIABLE, (sb_span){ line, 7 + size });
}

TEST(chat_lines_of_up_to_255_bytes_are_complete)
{
    static const size_t sizes[] = { 254, 255, 256 };
    pair                t = open_pair(NULL);
    for (size_t i = 0; i < 3; i++) {
        say_line(&t, sizes[i]);
        CHECK_EQ(seat_find(t.b, SB_OP_CHAT).size, 7 + (sizes[i] < 255 ? sizes[i] : 255));
    }
}

TEST(five_lines_at_once_and_one_a_second_are_sent)
{
    pair t = open_pair(NULL);
    room_wait(t.r, 60 * SB_SECOND);
    for (unsigned i = 0; i < 6; i++) say_line(&t, 1);
    CHECK_EQ(t.b->by_opcode[SB_OP_CHAT], 5);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_CHAT_RATE), 1);
    room_wait(t.r, SB_SECOND - 1);
    say_line(&t, 1);
    CHECK_EQ(t.b->by_opcode[SB_OP_CHAT], 5);
    room_wait(t.r, 1);
    say_line(&t, 1);
    CHECK_EQ(t.b->by_opcode[SB_OP_CHAT], 6);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_CHAT_RATE), 2);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_CHAT_RENAMED), 0);
    room_wait(t.r, 60 * SB_SECOND); /* a whole burst again */
    for (unsigned i = 0; i < 6; i++) say_line(&t, 1);
    CHECK_EQ(t.b->by_opcode[SB_OP_CHAT], 11);
}

/* Somebody sends another message under a number that the player has used. */
static void forge_number(const pair *t)
{
    uint8_t bytes[] = { t->a->id, 1, 0x32, 6, 0x80, 0, 0, 0xEE };
    sb_encrypt_datagram(bytes, sizeof bytes);
    (void)!room_give(t->r, t->a->address, (sb_span){ bytes, sizeof bytes });
}

/* Forged lines must not use up what the player's own need, which come late and many at once. */
TEST(a_player_with_a_forger_may_say_more_lines)
{
    pair t = open_pair(NULL);
    room_wait(t.r, 60 * SB_SECOND);
    for (unsigned i = 0; i < 70; i++) say_line(&t, 1);
    CHECK_EQ(t.b->by_opcode[SB_OP_CHAT], 5);
    room_wait(t.r, 60 * SB_SECOND);
    forge_number(&t);
    room_wait(t.r, 5 * SB_SECOND); /* the dispute is over, marks are answered (spec 01 §10.8) */
    for (unsigned i = 0; i < 130; i++) say_line(&t, 1);
    CHECK_EQ(t.b->by_opcode[SB_OP_CHAT], 5 + 5 + 120);
    room_wait(t.r, SB_SECOND);
    for (unsigned i = 0; i < 10; i++) say_line(&t, 1);
    CHECK_EQ(t.b->by_opcode[SB_OP_CHAT], 130 + 1 + 6);
    room_wait(t.r, 31 * SB_SECOND); /* the forger is gone */
    for (unsigned i = 0; i < 10; i++) say_line(&t, 1);
    CHECK_EQ(t.b->by_opcode[SB_OP_CHAT], 137 + 5);
}

TEST(chat_events_tell_lines_to_the_team_from_others)
{
    sb_server_config c = team_config();
    pair             t = open_pair(&c);
    seat_say_hex(t.r, t.a, "2C {id} 03 00 61 E4 62");
    const room_event *e = room_expect(t.r, SB_SERVER_CHAT);
    CHECK_EQ(e->event.other, 0);
    CHECK_EQ(e->event.peer_id, t.a->id);
    CHECK_TEXT(e->text, "a\xC3\xA4"
                        "b");
    seat_say_hex(t.r, t.a, "2D {id} 01 00 61");
    CHECK_EQ(room_expect(t.r, SB_SERVER_CHAT)->event.other, 1);
    CHECK_EQ(t.a->heard[t.a->heard_count - 1].delivery, SB_RELIABLE);
    CHECK_EQ(t.a->heard[t.a->heard_count - 1].bytes[0], SB_OP_TEAM_CHAT);
}

TEST(the_last_of_sixteen_players_hears_the_team)
{
    room *r = open_full_room(team_config());
    seat *a = &r->seats[0], *last = &r->seats[SB_SERVER_PLAYERS_MAX - 1];
    seat_say_hex(r, a, "41 {id} 00");
    seat_say_hex(r, last, "41 {id} 00");
    seat_say_hex(r, a, "2D {id} 01 00 61");
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++)
        CHECK_EQ(r->seats[i].by_opcode[SB_OP_TEAM_CHAT], i == 0 || i == SB_SERVER_PLAYERS_MAX - 1);
}

/* ---- lines of the operator ---- */

TEST(lines_of_the_operator_come_from_the_host_and_are_cut)
{
    static const size_t sizes[] = { 254, 255, 256, 300 };
    char                text[300];
    pair                t = open_pair(NULL);
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < 4; i++) {
        sb_server_say(t.r->server, t.r->now, (sb_span){ (const uint8_t *)text, sizes[i] });
        room_step(t.r);
        sb_span line = seat_find(t.b, SB_OP_CHAT);
        CHECK_EQ(line.size, 7 + (sizes[i] < 255 ? sizes[i] : 255));
        CHECK_EQ(sb_load_u32(line.data + 1), SB_PEER_HOST);
    }
}

TEST(a_line_to_one_player_is_heard_by_nobody_else)
{
    pair t = open_pair(NULL);
    CHECK(sb_server_tell_player(t.r->server, t.r->now, t.b->id, sb_text_span("psst")));
    room_step(t.r);
    sb_span line = seat_find(t.b, SB_OP_CHAT);
    CHECK_EQ(line.size, 7 + 4);
    CHECK_EQ(sb_load_u32(line.data + 1), SB_PEER_HOST);
    CHECK_EQ(seat_find(t.a, SB_OP_CHAT).size, 0);
    CHECK(!sb_server_tell_player(t.r->server, t.r->now, 99, sb_text_span("psst")));
}

/* ---- commands and muted players ---- */

/* Types a chat line as seat a; the reliable message is complete when the function returns. */
static void type(pair *t, const char *text)
{
    uint8_t line[300] = { SB_OP_CHAT, t->a->id };
    size_t  size = strlen(text);
    sb_store_u16(line + 5, (uint16_t)size);
    memcpy(line + 7, text, size);
    seat_forget(t->b);
    seat_say(t->r, t->a, SB_RELIABLE, (sb_span){ line, 7 + size });
}

static bool is_passed_on(pair *t, const char *text)
{
    type(t, text);
    return seat_find(t->b, SB_OP_CHAT).size > 0;
}

TEST(a_code_is_reported_and_never_passed_on)
{
    pair t = open_pair(NULL);
    CHECK(!is_passed_on(&t, "!admin 123456"));
    CHECK_TEXT(room_expect(t.r, SB_SERVER_COMMAND)->text, "!admin 123456");
    CHECK(!is_passed_on(&t, "!admin"));
    CHECK(is_passed_on(&t, "!administer"));
    CHECK(is_passed_on(&t, "!help"));
    CHECK(is_passed_on(&t, "the code is !admin 1"));
}

TEST(a_code_is_not_passed_on_however_its_command_is_written)
{
    pair t = open_pair(NULL);
    CHECK(!is_passed_on(&t, "!ADMIN 123456"));
    CHECK(!is_passed_on(&t, "!Admin\t123456")); /* a control character becomes a space */
    CHECK(!is_passed_on(&t, "!admin\x90"
                            "123456"));
    CHECK(is_passed_on(&t, "!ADMINS"));
}

TEST(commands_of_a_trusted_player_are_not_passed_on)
{
    pair t = open_pair(NULL);
    CHECK(sb_server_trust(t.r->server, t.a->id, true));
    CHECK(!is_passed_on(&t, "!kick Beta"));
    CHECK_TEXT(room_expect(t.r, SB_SERVER_COMMAND)->text, "!kick Beta");
    CHECK(is_passed_on(&t, "hello!"));
    CHECK(is_passed_on(&t, "!")); /* no command */
    CHECK(sb_server_trust(t.r->server, t.a->id, false));
    CHECK(is_passed_on(&t, "!kick"));
    CHECK(!sb_server_trust(t.r->server, 99, true));
}

TEST(without_hide_commands_every_line_is_passed_on)
{
    sb_server_config c = defaults();
    c.hide_commands = false;
    pair t = open_pair(&c);
    CHECK(sb_server_trust(t.r->server, t.a->id, true));
    CHECK(is_passed_on(&t, "!admin 123456"));
}

TEST(a_muted_player_is_told_and_not_heard_until_the_time)
{
    sb_player_view view;
    pair           t = open_pair(NULL);
    CHECK(sb_server_mute(t.r->server, t.r->now, t.a->id, t.r->now + 10 * SB_SECOND));
    CHECK(sb_server_player(t.r->server, 0, t.r->now, &view) && view.muted);
    seat_forget(t.a);
    CHECK(!is_passed_on(&t, "hello"));
    CHECK_EQ(t.a->by_opcode[SB_OP_CHAT], 1); /* told once */
    CHECK(!is_passed_on(&t, "hello"));
    CHECK_EQ(t.a->by_opcode[SB_OP_CHAT], 1);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_CHAT_MUTED), 2);
    CHECK(!is_passed_on(&t, "!yes")); /* still a command */
    CHECK_TEXT(room_expect(t.r, SB_SERVER_COMMAND)->text, "!yes");
    room_wait(t.r, 11 * SB_SECOND);
    CHECK(is_passed_on(&t, "hello"));
    CHECK(sb_server_mute(t.r->server, t.r->now, t.a->id, SB_TIME_NEVER));
    CHECK(!is_passed_on(&t, "hello"));
    CHECK(sb_server_mute(t.r->server, t.r->now, t.a->id, 0));
    CHECK(is_passed_on(&t, "hello"));
    CHECK(!sb_server_mute(t.r->server, t.r->now, 99, 0));
}

/* The room learns the time from every call of the operator. */
TEST(a_line_of_the_operator_brings_the_time)
{
    pair t = open_pair(NULL);
    sb_server_say(t.r->server, t.r->now + 7, sb_text_span("x"));
    CHECK_EQ(t.r->server->now, t.r->now + 7);
    t.r->now += 7;
    room_step(t.r);
}

/* ---- teams ---- */

TEST(a_choice_of_a_team_is_reported_and_refused_ones_are_not)
{
    sb_server_config c = team_config();
    pair             t = open_pair(&c);
    seat_say_hex(t.r, t.a, "41 {id} 01");
    const room_event *e = room_expect(t.r, SB_SERVER_TEAM);
    CHECK_EQ(e->event.value, 1);
    CHECK_EQ(e->event.peer_id, t.a->id);
    size_t before = t.r->event_count;
    seat_say_hex(t.r, t.a, "41 {id} 02"); /* no such team */
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_BAD_VALUE), 1);
    CHECK_EQ(t.b->by_opcode[SB_OP_TEAM], 1);
    CHECK_EQ(t.r->event_count, before + 1); /* the refusal alone */
    t = open_pair(NULL);
    before = t.r->event_count;
    seat_say_hex(t.r, t.a, "41 {id} 01");
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_NO_TEAM_MODE), 1);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_TEAM_RATE), 0);
    CHECK_EQ(t.r->event_count, before + 1);
    CHECK_EQ(t.b->by_opcode[SB_OP_TEAM], 0);
}

TEST(four_choices_at_once_and_one_a_second_are_accepted)
{
    sb_server_config c = team_config();
    pair             t = open_pair(&c);
    room_wait(t.r, 60 * SB_SECOND);
    for (unsigned i = 0; i < 5; i++) seat_say_hex(t.r, t.a, "41 {id} 01");
    CHECK_EQ(t.b->by_opcode[SB_OP_TEAM], 4);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_TEAM_RATE), 1);
    room_wait(t.r, SB_SECOND - 1);
    seat_say_hex(t.r, t.a, "41 {id} 01");
    CHECK_EQ(t.b->by_opcode[SB_OP_TEAM], 4);
    room_wait(t.r, 1);
    seat_say_hex(t.r, t.a, "41 {id} 01");
    CHECK_EQ(t.b->by_opcode[SB_OP_TEAM], 5);
    room_wait(t.r, 60 * SB_SECOND); /* a whole burst again */
    for (unsigned i = 0; i < 5; i++) seat_say_hex(t.r, t.a, "41 {id} 01");
    CHECK_EQ(t.b->by_opcode[SB_OP_TEAM], 9);
}

/* ---- restarts ---- */

TEST(a_restart_by_a_player_is_possible_every_ten_seconds)
{
    sb_server_config c = defaults();
    c.player_restart = true;
    pair t = open_pair(&c);
    room_wait(t.r, 20 * SB_SECOND);
    seat_say_hex(t.r, t.a, "39");
    CHECK_EQ(t.b->by_opcode[SB_OP_RESTART_GAME], 1);
    room_wait(t.r, 10 * SB_SECOND - 1);
    seat_say_hex(t.r, t.a, "39");
    CHECK_EQ(t.b->by_opcode[SB_OP_RESTART_GAME], 1);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_RESTART_RATE), 1);
    room_wait(t.r, 1);
    seat_say_hex(t.r, t.a, "39");
    CHECK_EQ(t.b->by_opcode[SB_OP_RESTART_GAME], 2);
}

TEST(the_player_in_the_last_slot_can_become_the_acting_host)
{
    sb_server_config c = defaults();
    c.player_restart = true;
    room *r = open_full_room(c);
    seat *last = &r->seats[SB_SERVER_PLAYERS_MAX - 1];
    for (unsigned i = 0; i + 1 < SB_SERVER_PLAYERS_MAX; i++)
        sb_transport_client_leave(r->seats[i].client, r->now);
    room_wait(r, 20 * SB_SECOND);
    seat_say_hex(r, last, "39");
    CHECK_EQ(last->by_opcode[SB_OP_RESTART_GAME], 1);
}

/* ---- messages of mods ---- */

static void say_mod(pair *t, size_t size, unsigned count)
{
    uint8_t bytes[64] = { MOD };
    for (unsigned i = 0; i < count; i++)
        seat_say(t->r, t->a, SB_RELIABLE, (sb_span){ bytes, size });
}

TEST(messages_of_mods_may_be_as_long_as_configured)
{
    sb_server_config c = defaults();
    c.mod_bytes_max = 32;
    pair t = open_pair(&c);
    say_mod(&t, 32, 1);
    CHECK_EQ(t.b->by_opcode[MOD], 1);
    say_mod(&t, 33, 1);
    CHECK_EQ(t.b->by_opcode[MOD], 1);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_MOD_OVERSIZED), 1);
}

/* Six seconds' worth at once, then the rate: a stall of the link loses none. */
TEST(messages_of_mods_have_a_burst_of_six_seconds)
{
    sb_server_config c = defaults();
    c.mod_per_s = 4;
    pair t = open_pair(&c);
    room_wait(t.r, 60 * SB_SECOND);
    say_mod(&t, 2, 25);
    CHECK_EQ(t.b->by_opcode[MOD], 24);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_MOD_RATE), 1);
    room_wait(t.r, SB_SECOND);
    say_mod(&t, 2, 5);
    CHECK_EQ(t.b->by_opcode[MOD], 28);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_MOD_RATE), 2);
    room_wait(t.r, 60 * SB_SECOND); /* a whole burst again */
    say_mod(&t, 2, 25);
    CHECK_EQ(t.b->by_opcode[MOD], 52);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_RELAY_RATE), 0);
}

TEST(messages_of_mods_share_the_relay_budget)
{
    sb_server_config c = defaults();
    c.mod_per_s = 1000;
    pair t = open_pair(&c);
    room_wait(t.r, 10 * SB_SECOND);
    say_mod(&t, 2, RELAY_BURST_CELLS + 3);
    CHECK_EQ(t.b->by_opcode[MOD], RELAY_BURST_CELLS);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_RELAY_RATE), 3);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_MOD_RATE), 0);
}

TEST(a_policy_decides_who_gets_a_message_of_a_mod)
{
    static const struct {
        sb_mod_policy policy;
        unsigned      sender, team, others;
    } rows[] = {
        { SB_MOD_DEFAULT, 0, 1, 1 }, { SB_MOD_OTHERS, 0, 1, 1 }, { SB_MOD_DROP, 0, 0, 0 },
        { SB_MOD_ALL, 1, 1, 1 },     { SB_MOD_TEAM, 0, 1, 0 },   { SB_MOD_HOST_ONLY, 0, 0, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_server_config c = team_config();
        c.mod_policy[MOD] = (uint8_t)rows[i].policy;
        pair  t = open_pair(&c);
        seat *g = room_join(t.r, "Gamma");
        seat_say_hex(t.r, t.a, "41 {id} 01");
        seat_say_hex(t.r, t.b, "41 {id} 01");
        seat_say_hex(t.r, g, "41 {id} 00");
        say_mod(&t, 2, 1);
        CHECK_EQ(t.a->by_opcode[MOD], rows[i].sender);
        CHECK_EQ(t.b->by_opcode[MOD], rows[i].team);
        CHECK_EQ(g->by_opcode[MOD], rows[i].others);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_MOD_POLICY), !rows[i].team);
    }
}
