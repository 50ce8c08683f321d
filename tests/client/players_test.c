/* tests/client/players_test.c -- the table of players: its limits, and what each message changes.
 */
#include "client_rig.h"

#include <starbase/message.h>

#include "client/client_internal.h"

#include <string.h>

static const sb_span no_bytes = { NULL, 0 };

/* Fills the table: rows 0 to 31 belong to players 100 to 131, all listed. */
static sb_client *full_table(void)
{
    sb_client *c = client_rig_in_lobby(NULL)->client;
    for (unsigned i = 0; i < SB_CLIENT_PLAYERS; i++)
        c->players[i] = (sb_seen_player){
            .used = true,
            .in_list = true,
            .peer_id = (uint8_t)(100 + i),
            .team = 1,
            .kills = 5,
            .deaths = 6,
            .score = 7,
        };
    return c;
}

static sb_result say_score(sb_client *c, int32_t player)
{
    sb_message m = { .opcode = SB_OP_SCORE };
    m.as.score = (sb_score){ .player = player, .kills = 1, .deaths = 2, .score = 3, .team = 0 };
    return sb_client_handle_score(c, &m, no_bytes);
}

static sb_result say_team(sb_client *c, int32_t player, uint8_t team)
{
    sb_message m = { .opcode = SB_OP_TEAM };
    m.as.team = (sb_team){ .player = player, .team = team };
    return sb_client_handle_team(c, &m, no_bytes);
}

static sb_result say_player(sb_client *c, uint32_t code, uint8_t peer_id)
{
    sb_message m = { .opcode = SB_OP_PLAYER_LIST };
    m.as.event = (sb_event){ .event_class = SB_EVENT_PLAYER, .event_code = code };
    m.as.event.peer_id = peer_id;
    return sb_client_handle_player_list(c, &m, no_bytes);
}

TEST(players_have_ids_from_1_to_254)
{
    static const int32_t ids[] = { -1, 0, 1, 2, 253, 254, 255, 256 };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        CHECK_EQ(sb_client_is_player_id(ids[i]), ids[i] >= 1 && ids[i] <= 254);
}

TEST(the_last_row_of_the_players_is_found_like_any_other)
{
    sb_client *c = full_table();
    CHECK(sb_client_find_player(c, 131) == &c->players[31]);
    CHECK(sb_client_player(c, 31) == &c->players[31]);
    CHECK(sb_client_player(c, 32) == NULL);
    CHECK_EQ(say_score(c, 131), SB_OK);
    CHECK_EQ(c->players[31].kills, 1);
    CHECK_EQ(c->players[31].deaths, 2);
    CHECK_EQ(c->players[31].score, 3);
    CHECK_EQ(c->players[31].team, 1); /* only ScoreInit says it */
    CHECK_EQ(say_team(c, 100, 0), SB_OK);
    CHECK_EQ(c->players[0].team, 0);
    c->players[31].used = false;
    CHECK(sb_client_player(c, 31) == NULL);
    CHECK(sb_client_find_player(c, 131) == NULL);
    CHECK_EQ(say_score(c, 55), SB_OK); /* into the free row */
    CHECK_EQ(c->players[31].peer_id, 55);
}

TEST(a_full_table_takes_no_more_players)
{
    sb_client *c = full_table();
    CHECK_EQ(say_score(c, 55), SB_FULL);
    CHECK_EQ(say_team(c, 55, 1), SB_FULL);
    CHECK_EQ(say_player(c, SB_CODE_NEW_PLAYER_IN_GAME, 55), SB_FULL);
    CHECK(sb_client_find_player(c, 55) == NULL);
    c->players[7].in_list = false; /* has only a name */
    CHECK_EQ(say_player(c, SB_CODE_NEW_PLAYER_IN_GAME, 55), SB_OK);
    CHECK_EQ(c->players[7].peer_id, 55);
    CHECK_EQ(c->players[7].kills, 0);
    CHECK_EQ(c->players[7].team, SB_NO_TEAM);
    CHECK(c->players[7].in_list);
    c->players[8].in_list = false;
    c->players[8].peer_id = c->id; /* but never our own row */
    CHECK_EQ(say_score(c, 56), SB_FULL);
}

TEST(a_kill_changes_killer_victim_and_helpers)
{
    static const struct {
        int32_t   killer, victim, helper;
        sb_result result;
    } cases[] = {
        { 101, 102, 103, SB_OK },        { 0, 102, 103, SB_OK },
        { 255, 102, 103, SB_BAD_VALUE }, { -1, 102, 103, SB_BAD_VALUE },
        { 101, 0, 103, SB_BAD_VALUE },   { 101, 255, 103, SB_BAD_VALUE },
        { 101, 102, 0, SB_BAD_VALUE },   { 101, 102, 256, SB_BAD_VALUE },
        { 131, 131, 131, SB_OK },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_client *c = full_table();
        sb_message m = { .opcode = SB_OP_SCORE_CHANGE };
        m.as.score_change = (sb_score_change){ .killer = cases[i].killer,
                                               .kills = 21,
                                               .score = 22,
                                               .victim = cases[i].victim,
                                               .deaths = 23,
                                               .entry_count = 1 };
        m.as.score_change.entries[0] = (sb_score_entry){ cases[i].helper, 24 };
        m.as.score_change.entries[1] = (sb_score_entry){ 104, 99 }; /* not announced */
        CHECK_EQ(sb_client_handle_score_change(c, &m, no_bytes), cases[i].result);
        bool ok = cases[i].result == SB_OK;
        for (unsigned k = 0; k < SB_CLIENT_PLAYERS; k++) {
            int32_t id = (int32_t)(100 + k);
            CHECK_EQ(c->players[k].kills, ok && id == cases[i].killer ? 21 : 5);
            CHECK_EQ(c->players[k].deaths, ok && id == cases[i].victim ? 23 : 6);
            CHECK_EQ(c->players[k].score, ok && id == cases[i].helper   ? 24
                                          : ok && id == cases[i].killer ? 22
                                                                        : 7);
        }
    }
}

TEST(team_scores_are_kept_for_two_teams)
{
    sb_client *c = full_table();
    for (uint8_t team = 0; team < 4; team++) {
        sb_message m = { .opcode = SB_OP_TEAM_SCORE };
        int32_t    kills = 77;
        m.as.team_score = (sb_team_score){ .team = team, .kills = 3 + team, .score = 40 + team };
        CHECK_EQ(sb_client_handle_team_score(c, &m, no_bytes), team < 2 ? SB_OK : SB_BAD_VALUE);
        CHECK_EQ(sb_client_team_score(c, team, &kills), team < 2 ? 40 + team : 0);
        CHECK_EQ(kills, team < 2 ? 3 + team : 0);
        CHECK_EQ(sb_client_team_score(c, team, NULL), team < 2 ? 40 + team : 0);
    }
}

TEST(a_restart_clears_every_score_and_team)
{
    sb_client *c = full_table();
    c->teams[0].kills = c->teams[1].score = 9;
    sb_client_clear_scores(c);
    for (unsigned i = 0; i < SB_CLIENT_PLAYERS; i++) {
        const sb_seen_player *p = &c->players[i];
        CHECK_EQ(p->kills + p->deaths + p->score, 0);
        CHECK_EQ(p->team, SB_NO_TEAM);
        CHECK(p->used);
    }
    CHECK_EQ(c->teams[0].kills + c->teams[1].score, 0);
}

TEST(chat_comes_from_players_or_from_nobody)
{
    static const int32_t senders[] = { -1, 0, 1, 3, 254, 255 };
    for (size_t i = 0; i < sizeof senders / sizeof *senders; i++)
        for (int team = 0; team < 2; team++) {
            client_rig *r = client_rig_in_lobby(NULL);
            sb_message  m = { .opcode = team ? SB_OP_TEAM_CHAT : SB_OP_CHAT };
            bool        known = senders[i] >= 0 && senders[i] < 255;
            m.as.chat = (sb_chat){ senders[i], { (const uint8_t *)"hi", 2 } };
            CHECK_EQ(sb_client_handle_chat(r->client, &m, no_bytes), known ? SB_OK : SB_BAD_VALUE);
            if (!known) {
                EXPECT_NOTHING(r);
                continue;
            }
            const client_reported *told = EXPECT_EVENT(r, SB_CLIENT_CHAT);
            CHECK_EQ(told->event.peer_id, senders[i]);
            CHECK_EQ(told->event.value, team);
            CHECK_TEXT(told->text, "hi");
        }
}

TEST(player_list_adds_and_removes_and_ignores_the_rest)
{
    client_rig *r = client_rig_in_lobby(NULL);
    sb_client  *c = r->client;
    CHECK_EQ(say_player(c, SB_CODE_NEW_PLAYER_IN_GAME, 9), SB_OK);
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_PLAYER_JOINED)->event.peer_id, 9);
    CHECK_EQ(say_player(c, SB_CODE_NETWORK_DELETE_PLAYER, 9), SB_OK);
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_PLAYER_LEFT)->event.peer_id, 9);
    CHECK(sb_client_find_player(c, 9) == NULL);
    CHECK_EQ(say_player(c, SB_CODE_NETWORK_DELETE_PLAYER, 9), SB_OK); /* once */
    CHECK_EQ(say_player(c, SB_CODE_NETWORK_DELETE_PLAYER, c->id), SB_OK);
    CHECK(sb_client_find_player(c, c->id) != NULL); /* never ourselves */
    CHECK_EQ(say_player(c, SB_CODE_NEW_PLAYER_IN_GAME + 1, 10), SB_OK);
    CHECK(sb_client_find_player(c, 10) == NULL);
    CHECK_EQ(say_player(c, SB_CODE_NEW_PLAYER_IN_GAME, 0), SB_BAD_VALUE);
    CHECK_EQ(say_player(c, SB_CODE_NEW_PLAYER_IN_GAME, 255), SB_BAD_VALUE);
    EXPECT_NOTHING(r);
    CHECK_EQ(sb_client_handle_left_text(c, NULL, no_bytes), SB_OK);
}

TEST(names_of_nobody_are_ignored)
{
    sb_client    *c = client_rig_in_lobby(NULL)->client;
    const uint8_t name[] = { 'A', 0 };
    const uint8_t ids[] = { 0, 255 };
    const sb_span text = { name, sizeof name };
    for (int i = 0; i < 2; i++) {
        sb_client_name_player(c, ids[i], text);
        CHECK(sb_client_find_player(c, ids[i]) == NULL);
    }
    sb_client_name_player(c, 254, text);
    CHECK_TEXT(sb_client_find_player(c, 254)->name, "A");
    CHECK(!sb_client_find_player(c, 254)->in_list);
}
