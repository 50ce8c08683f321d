/* tests/apps/memory_test.c -- notices of a room become matches, rows and kills
 * (apps/serve/memory.c). */
#include "serve/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../store/store_rig.h"
#include "platform/clock.h"
#include "test.h"

/* memory.c asks trace.c for the class of a ship. */
const sb_ship_class *serve_ship_class(const serve_room *r, uint8_t species)
{
    (void)r;
    return sb_find_ship(sb_stock_ships(), species);
}

typedef struct scene {
    serve             s;
    serve_room        room;
    sb_room_config    config;
    sb_process_config process;
    const char       *path;
} scene;

static scene *open_scene(const char *name)
{
    scene         *c = calloc(1, sizeof *c);
    sb_log_options log = { .descriptor = -1, .level = SB_LOG_INFO };
    CHECK(c != NULL);
    c->path = rig_path(name);
    snprintf(c->config.shown_name, sizeof c->config.shown_name, "Scene");
    c->room.number = 1;
    c->room.config = &c->config;
    c->process.store = c->path;
    c->process.store_chat = true;
    c->process.room_count = 1;
    c->s = (serve){ .first = &c->process, .current = &c->process, .rooms = &c->room };
    c->s.room_count = 1;
    sb_log_open(&c->s.log, &log);
    CHECK(serve_open_memory(&c->s));
    return c;
}

static void close_scene(scene *c)
{
    serve_close_memory(&c->s);
    sb_log_close(&c->s.log);
    free(c);
}

static sb_notice about(sb_notice_type type, uint8_t peer_id, const char *name)
{
    sb_notice n = { .type = (uint8_t)type, .peer_id = peer_id, .room = 1, .now = sb_clock_now() };
    n.address = (sb_endpoint){ 0xC0000200u + 7, 5000 };
    snprintf(n.name, sizeof n.name, "%s", name);
    if (type == SB_NOTICE_JOINED || type == SB_NOTICE_MATCH_STARTED) {
        n.mission = "team";
        snprintf(n.text, sizeof n.text, "Multi3");
    }
    return n;
}

static void tell(scene *c, sb_notice_type type, uint8_t peer_id, const char *name)
{
    sb_notice n = about(type, peer_id, name);
    serve_remember(&c->s, &n);
}

static void join(scene *c, uint8_t peer_id, const char *name)
{
    tell(c, SB_NOTICE_CONNECTED, peer_id, "");
    tell(c, SB_NOTICE_NAMED, peer_id, name);
    tell(c, SB_NOTICE_JOINED, peer_id, name);
}

static void give_score(scene *c, uint8_t peer_id, int32_t kills, int32_t deaths)
{
    sb_notice n = about(SB_NOTICE_SCORE, peer_id, "");
    n.kills = kills;
    n.deaths = deaths;
    n.score = 1000 * kills;
    serve_remember(&c->s, &n);
}

static void give_kill(scene *c, uint8_t killer, uint8_t victim)
{
    sb_notice n = about(SB_NOTICE_KILLED, victim, "");
    n.other = killer;
    n.cause = SB_DAMAGE_TORPEDO;
    serve_remember(&c->s, &n);
}

static void give_standing(scene *c, uint8_t peer_id, const char *name, bool present, int64_t place,
                          int32_t kills)
{
    sb_notice n = about(SB_NOTICE_STANDING, peer_id, name);
    n.other = present;
    n.value = place;
    n.kills = kills;
    n.team = 1;
    serve_remember(&c->s, &n);
}

static void end_match(scene *c)
{
    sb_notice n = about(SB_NOTICE_MATCH_OVER, 0, "");
    n.value = SB_END_KILLS;
    serve_remember(&c->s, &n);
}

/* After everything posted so far is stored. */
static const char *rows(scene *c, const char *sql)
{
    CHECK(rig_wait_state(serve_store(&c->s), SB_STORE_IS_OK, true));
    return rig_text(c->path, sql);
}

TEST(a_match_has_the_mission_and_system_that_its_room_plays)
{
    scene    *c = open_scene("rotation.db");
    sb_notice next = about(SB_NOTICE_MATCH_STARTED, 0, "");
    next.mission = "ffa";
    snprintf(next.text, sizeof next.text, "Multi5");
    join(c, 2, "Kirk");
    end_match(c);
    serve_remember(&c->s, &next);
    CHECK_TEXT(rows(c, "SELECT group_concat(mission || system) FROM (SELECT * FROM match ORDER BY "
                       "id)"),
               "teamMulti3,ffaMulti5");
    close_scene(c);
}

TEST(a_match_begins_with_its_first_player_and_has_a_result)
{
    scene    *c = open_scene("result.db");
    sb_notice ship = about(SB_NOTICE_SPAWNED, 3, "");
    ship.value = 5;
    join(c, 2, "Kirk");
    join(c, 3, "Spock");
    serve_remember(&c->s, &ship);
    give_kill(c, 3, 2);
    give_score(c, 2, 0, 1);
    give_score(c, 3, 1, 0);
    CHECK_TEXT(rows(c, "SELECT state || mission || system || server FROM match"),
               "runningteamMulti3Scene");
    CHECK_TEXT(rows(c, "SELECT kills || '/' || score FROM player_match WHERE name = 'Spock'"),
               "1/1000");
    CHECK_TEXT(rows(c, "SELECT killer_name || '>' || victim_name || ' ' || killer_ship || ' ' || "
                       "cause FROM kill"),
               "Spock>Kirk Sovereign torpedo");
    give_standing(c, 3, "Spock", true, 1, 1);
    give_standing(c, 2, "Kirk", true, 2, 0);
    end_match(c);
    CHECK_TEXT(rows(c, "SELECT state || ': ' || reason FROM match"), "over: kill limit");
    CHECK_TEXT(rows(c, "SELECT group_concat(name || place || team || (left_ms > 0)) FROM (SELECT * "
                       "FROM player_match ORDER BY place)"),
               "Spock111,Kirk211");
    close_scene(c);
}

TEST(the_next_match_begins_when_it_starts_not_in_the_pause)
{
    scene *c = open_scene("pause.db");
    join(c, 2, "Kirk");
    end_match(c);
    join(c, 3, "Spock");
    CHECK_TEXT(rows(c, "SELECT count(*) FROM match"), "1");
    tell(c, SB_NOTICE_MATCH_STARTED, 0, "");
    CHECK_TEXT(rows(c, "SELECT count(*) FROM match"), "2");
    CHECK_TEXT(rows(c, "SELECT count(*) FROM player_match WHERE match_id = 2"), "2");
    close_scene(c);
}

TEST(a_restart_stops_the_match_and_begins_another)
{
    scene *c = open_scene("restart.db");
    join(c, 2, "Kirk");
    tell(c, SB_NOTICE_MATCH_STARTED, 0, "");
    CHECK_TEXT(
        rows(c, "SELECT group_concat(state || reason) FROM (SELECT * FROM match ORDER BY id)"),
        "stoppedrestarted,running");
    close_scene(c);
}

TEST(a_match_without_players_is_abandoned)
{
    scene *c = open_scene("abandoned.db");
    join(c, 2, "Kirk");
    tell(c, SB_NOTICE_LEFT, 2, "Kirk");
    CHECK_TEXT(rows(c, "SELECT state FROM match"), "abandoned");
    tell(c, SB_NOTICE_CONNECTED, 2, "");
    tell(c, SB_NOTICE_LEFT, 2, "Griefer"); /* who was never in the game */
    CHECK_TEXT(rows(c, "SELECT count(*) FROM match"), "1");
    CHECK_TEXT(rows(c, "SELECT group_concat(name) FROM name_seen"), "Kirk");
    close_scene(c);
}

static void join_bot(scene *c, uint8_t peer_id, const char *name)
{
    static const sb_notice_type types[] = { SB_NOTICE_CONNECTED, SB_NOTICE_NAMED,
                                            SB_NOTICE_JOINED };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        sb_notice n = about(types[i], peer_id, name);
        n.house = true;
        serve_remember(&c->s, &n);
    }
}

TEST(bots_alone_are_no_match_and_their_names_are_not_noted)
{
    scene *c = open_scene("bots.db");
    join_bot(c, 2, "Dax");
    tell(c, SB_NOTICE_MATCH_STARTED, 0, "");
    CHECK_TEXT(rows(c, "SELECT count(*) FROM match"), "0");
    join(c, 3, "Kirk");
    CHECK_TEXT(rows(c, "SELECT group_concat(name || is_bot || address) FROM (SELECT * FROM "
                       "player_match ORDER BY name)"),
               "Dax1,Kirk0192.0.2.7");
    CHECK_TEXT(rows(c, "SELECT group_concat(name) FROM name_seen"), "Kirk");
    close_scene(c);
}

/* Else the kills of the first visit would count twice. */
TEST(a_player_who_returns_to_the_bots_finds_the_same_match)
{
    scene *c = open_scene("same.db");
    join_bot(c, 2, "Dax");
    join(c, 3, "Kirk");
    give_kill(c, 3, 2);
    give_score(c, 3, 1, 0);
    tell(c, SB_NOTICE_LEFT, 3, "Kirk");
    join(c, 4, "Kirk");
    give_kill(c, 2, 4);
    give_score(c, 4, 1, 1);
    CHECK_TEXT(rows(c, "SELECT count(*) || state FROM match"), "1running");
    CHECK_TEXT(rows(c, "SELECT kills || deaths || bot_kills || bot_deaths FROM player_match WHERE "
                       "name = 'Kirk'"),
               "1111");
    CHECK_TEXT(rows(c, "SELECT kills || deaths FROM player_total"), "00");
    close_scene(c);
}

TEST(who_returns_gets_the_old_row_and_a_stranger_a_new_one)
{
    scene *c = open_scene("returns.db");
    join(c, 2, "Kirk");
    join(c, 3, "Spock");
    give_score(c, 3, 4, 0);
    tell(c, SB_NOTICE_LEFT, 3, "Spock");
    join(c, 3, "McCoy");
    join(c, 4, "Spock");
    CHECK_TEXT(rows(c,
                    "SELECT group_concat(player || name || kills || (left_ms > 0)) FROM (SELECT * "
                    "FROM player_match ORDER BY player)"),
               "1Kirk00,2Spock40,3McCoy00");
    close_scene(c);
}

TEST(the_standing_of_an_absent_player_finds_the_row)
{
    scene *c = open_scene("absent.db");
    join(c, 2, "Kirk");
    join(c, 3, "Spock");
    tell(c, SB_NOTICE_LEFT, 3, "Spock");
    join(c, 3, "McCoy"); /* under the id that Spock had */
    give_standing(c, 3, "Spock", false, 1, 7);
    give_standing(c, 3, "McCoy", true, 2, 2);
    end_match(c);
    CHECK_TEXT(rows(c,
                    "SELECT group_concat(name || place || kills) FROM (SELECT * FROM player_match "
                    "WHERE place > 0 ORDER BY place)"),
               "Spock17,McCoy22");
    close_scene(c);
}

TEST(more_visitors_than_rows_are_all_stored)
{
    scene *c = open_scene("visitors.db");
    join(c, 2, "Kirk");
    for (int i = 1; i <= 3 * MEMORY_ROWS; i++) {
        char name[16];
        snprintf(name, sizeof name, "Guest %d", i);
        join(c, 3, name);
        tell(c, SB_NOTICE_LEFT, 3, name);
    }
    CHECK_TEXT(rows(c, "SELECT count(DISTINCT name) FROM player_match"), "193");
    CHECK_TEXT(rows(c, "SELECT left_ms FROM player_match WHERE name = 'Kirk'"), "0");
    close_scene(c);
}

TEST(chat_and_new_names_are_stored)
{
    scene    *c = open_scene("chat.db");
    sb_notice chat = about(SB_NOTICE_CHAT, 2, "Kirk");
    join(c, 2, "Kirk");
    snprintf(chat.text, sizeof chat.text, "hailing frequencies");
    serve_remember(&c->s, &chat);
    tell(c, SB_NOTICE_NAMED, 2, "James");
    CHECK_TEXT(rows(c, "SELECT name || ': ' || text FROM chat JOIN match ON uid = match_uid"),
               "Kirk: hailing frequencies");
    CHECK_TEXT(rows(c, "SELECT name FROM player_match"), "James");
    close_scene(c);
}

TEST(matches_that_run_when_the_server_stops_are_stopped)
{
    scene      *c = open_scene("stop.db");
    const char *path = c->path;
    join(c, 2, "Kirk");
    serve_finish_matches(&c->s);
    close_scene(c);
    CHECK_TEXT(rig_text(path, "SELECT state || ': ' || reason FROM match"),
               "stopped: server stopped");
}
