/* tests/admin/find_player_test.c -- players by name, unique prefix, id and address. */
#include "admin/find_player.h"

#include "rig.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static rig              *r;
static sb_argument_value found;
static char              line[256], why[SB_FIND_TEXT_MAX];
static char             *rest;

static void open_room(void)
{
    r = rig_open(1);
    rig_add_player(r, 0, 2, "Bot 1", 0x0A000001);
    rig_add_player(r, 0, 3, "Bot 12", 0x0A000002);
    rig_add_player(r, 0, 4, "Kirk", 0x0A000003);
    rig_add_player(r, 0, 5, "7", 0x0A000003);
    rig_add_player(r, 0, 9, "#2", 0x0A000004);
}

static sb_find find(const char *text)
{
    sb_find_rooms rooms = { &r->admin.effects, 0, r->admin.effects.room_count, "" };
    found = (sb_argument_value){ .text = "" };
    snprintf(line, sizeof line, "%s", text);
    rest = line;
    return sb_find_player(&rooms, &rest, &found, why);
}

#define CHECK_FINDS(text, id, left)                                                                \
    do {                                                                                           \
        CHECK_EQ(find(text), SB_FIND_ONE);                                                         \
        CHECK_EQ(found.player.peer_id, id);                                                        \
        CHECK_TEXT(rest, left);                                                                    \
    } while (0)

TEST(names_may_have_blanks_and_the_longest_wins)
{
    open_room();
    CHECK_FINDS("Bot 1 ramming", 2, "ramming");
    CHECK_FINDS("Bot 12 ramming", 3, "ramming");
    CHECK_FINDS("bot 12", 3, "");
    CHECK_FINDS("\"Bot 1\" x y", 2, "x y");
    CHECK_FINDS("kirk  now", 4, "now");
    rig_close(r);
}

TEST(a_prefix_fits_if_it_is_unique)
{
    open_room();
    CHECK_FINDS("ki for spam", 4, "for spam");
    CHECK_EQ(find("Bot x"), SB_FIND_SEVERAL);
    CHECK(strstr(why, "#2 Bot 1, #3 Bot 12"));
    CHECK_EQ(find("Spock"), SB_FIND_NONE);
    CHECK(strstr(why, "there is no player `Spock`"));
    CHECK_EQ(find(""), SB_FIND_NONE);
    rig_close(r);
}

TEST(ids_come_before_names_and_quotes_make_a_name)
{
    open_room();
    CHECK_FINDS("4", 4, "");
    CHECK_FINDS("#4 x", 4, "x");
    CHECK_FINDS("\"7\"", 5, "");
    CHECK_FINDS("#2", 2, "");
    CHECK_FINDS("\"#2\"", 9, "");
    CHECK_EQ(find("7"), SB_FIND_NONE);
    CHECK_EQ(find("#99"), SB_FIND_NONE);
    CHECK(strstr(why, "there is no player 99"));
    CHECK_EQ(find("4294967298"), SB_FIND_NONE); /* not 2 */
    rig_close(r);
}

TEST(addresses_may_have_a_port)
{
    open_room();
    CHECK_FINDS("10.0.0.1", 2, "");
    CHECK_FINDS("10.0.0.1:22101 x", 2, "x");
    CHECK_EQ(find("10.0.0.1:1"), SB_FIND_NONE);
    CHECK_EQ(find("10.0.0.3"), SB_FIND_SEVERAL);
    CHECK(strstr(why, "#4 Kirk, #5 7"));
    rig_close(r);
}

TEST(with_several_rooms_names_are_found_and_ids_need_the_room)
{
    r = rig_open(3);
    rig_add_player(r, 1, 2, "Kirk", 1);
    rig_add_player(r, 2, 2, "Spock", 1);
    CHECK_FINDS("Kirk", 2, "");
    CHECK_EQ(found.room, 1);
    CHECK_EQ(find("2"), SB_FIND_NEEDS_ROOM);
    rig_add_player(r, 2, 3, "Kirk", 1);
    CHECK_EQ(find("Kirk"), SB_FIND_SEVERAL);
    CHECK(strstr(why, "#2 Kirk in room 2, #3 Kirk in room 3"));
    rig_close(r);
}

TEST(a_list_of_many_players_is_cut_and_not_overrun)
{
    char name[96];
    r = rig_open(3);
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    for (size_t i = 0; i < 3; i++)
        for (uint8_t k = 0; k < 16; k++) rig_add_player(r, i, (uint8_t)(k + 2), name, 1);
    CHECK_EQ(find("x"), SB_FIND_SEVERAL);
    CHECK(strstr(why, "48 players fit"));
    CHECK(strlen(why) < sizeof why);
    rig_close(r);
}
