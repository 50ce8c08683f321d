/* tests/server/house_players_test.c -- players of the program itself: marked, never refused for
 * their files, and gone when people need their seats.
 *
 * For:      src/server/joining.c, view.c, report.c, combat_events.c.
 */
#include "rig.h"

#include "server/server_internal.h"

#include <string.h>

enum { SOVEREIGN = 5 };

static const sb_vec3 middle = { 0, 0, 0 }, ahead = { 0, 20, 0 };

static sb_server_config house_config(void)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.transport.house = true;
    c.transport.peers_per_ip = 0;
    return c;
}

static seat *join_bot(room *r, unsigned number)
{
    return room_join_from(r, "Bot", (sb_endpoint){ number, (uint16_t)(3000 + number) });
}

static room *open_room_with_bots(unsigned count)
{
    sb_server_config c = house_config();
    room            *r = room_open(&c);
    for (unsigned i = 1; i <= count; i++) (void)join_bot(r, i);
    return r;
}

static sb_server_seats seats_of(const room *r)
{
    sb_server_seats seats;
    sb_server_seats_of(r->server, &seats);
    return seats;
}

static bool is_house(const room *r, const seat *s)
{
    sb_player_view view;
    for (unsigned i = 0; sb_server_player(r->server, i, r->now, &view); i++)
        if (view.peer_id == s->id) return view.house;
    FAIL("player %u is not there", s->id);
}

/* ---- seats ---- */

TEST(as_many_people_as_seats_join_a_room_full_of_bots)
{
    room *r = open_room_with_bots(8);
    CHECK_EQ(seats_of(r).house, 8);
    for (unsigned i = 0; i < 8; i++) {
        sb_time began = r->now;
        (void)room_join(r, "Person");
        CHECK(r->now - began < SB_SECOND);
        CHECK_EQ(sb_server_player_count(r->server), 8);
    }
    sb_server_seats seats = seats_of(r);
    CHECK(seats.house == 0 && seats.people == 8 && seats.others == 8 && seats.limit == 8);
    const room_event *left = room_expect(r, SB_SERVER_LEFT);
    CHECK_TEXT(left->text, "made room for a newcomer");
    CHECK(left->event.house && left->event.other);
    seat *ninth = room_connect(r, "Ninth");
    CHECK(seat_is_removed(r, ninth));
    CHECK_EQ(ninth->boot_reason, SB_BOOT_FULL);
}

static bool has_left(room *r, const seat *s)
{
    sb_player_view view;
    for (unsigned i = 0; sb_server_player(r->server, i, r->now, &view); i++)
        if (view.address.address == s->address.address) return false;
    return true;
}

TEST(bots_that_fight_leave_last)
{
    sb_server_config c = house_config();
    c.max_players = 4;
    room *r = room_open(&c);
    seat *a = join_bot(r, 1), *b = join_bot(r, 2), *idle = join_bot(r, 3), *late = join_bot(r, 4);
    uint32_t ship_a = seat_spawn(r, a, SOVEREIGN, middle);
    uint32_t ship_b = seat_spawn(r, b, SOVEREIGN, ahead);
    seat_fire_torpedo(r, a, ship_a, ship_b);
    room_wait(r, 4 * SB_SECOND);
    CHECK(sb_server_find_object(r->server, ship_b)->hit_by == a->id);
    (void)room_join(r, "Person");
    CHECK(has_left(r, idle) && !has_left(r, a) && !has_left(r, b) && !has_left(r, late));
    (void)room_join(r, "Person");
    CHECK(has_left(r, late) && !has_left(r, a) && !has_left(r, b));
    (void)room_join(r, "Person");
    (void)room_join(r, "Person");
    CHECK(has_left(r, a) && has_left(r, b));
}

/* Bots come back to their few addresses at once, after a change for an empty room for example. */
TEST(a_bot_at_the_address_of_another_one_that_left_is_armed)
{
    sb_server_config c = house_config();
    c.combat.fidelity = SB_FIDELITY_ENFORCE;
    room    *r = room_open(&c);
    seat    *a = join_bot(r, 1), *b = join_bot(r, 2);
    uint32_t target = seat_spawn(r, b, SOVEREIGN, ahead);
    (void)seat_spawn(r, a, SOVEREIGN, middle);
    seat_leave(r, a);
    seat    *next = room_join_from(r, "Bot", (sb_endpoint){ 1, 4001 });
    uint32_t ship = seat_spawn(r, next, SOVEREIGN, middle);
    seat_fire_torpedo(r, next, ship, target);
    room_wait(r, 4 * SB_SECOND);
    CHECK_EQ(sb_server_implausible(r->server, SB_IMPLAUSIBLE_UNARMED), 0);
    CHECK_EQ(sb_server_find_object(r->server, target)->hit_by, next->id);
}

/* A forged Connect and its answer get a seat while there are free ones, but drive no bot away. */
TEST(a_person_counts_after_the_first_checksum_round)
{
    room *r = open_room_with_bots(2);
    seat *s = room_connect(r, "Person");
    CHECK(seats_of(r).others == 1 && seats_of(r).people == 0);
    seat_answer_round(r, s, sb_vanilla_manifest());
    CHECK(seats_of(r).others == 1 && seats_of(r).people == 1 && seats_of(r).house == 2);
}

TEST(a_change_that_waits_for_an_empty_room_is_visible)
{
    sb_server_config c = house_config();
    room            *r = open_room_with_bots(1);
    room_reconfigure(r, &c); /* nothing has changed */
    CHECK(!seats_of(r).wants_empty);
    c.match.frag_limit = 7;
    room_reconfigure(r, &c);
    CHECK(seats_of(r).wants_empty);
    seat_leave(r, &r->seats[0]);
    CHECK(!seats_of(r).wants_empty);
    CHECK_EQ(sb_server_match(r->server)->config.frag_limit, 7);
}

/* ---- files ---- */

TEST(files_of_bots_are_never_compared)
{
    static const sb_manifest_file unused;
    static const sb_manifest      none = { .name = "none", .files = &unused, .count = 0 };
    const sb_manifest *const      manifests[] = { &none };
    sb_server_config              c = house_config();
    c.checksums = SB_CHECKSUM_STRICT;
    c.manifests = manifests;
    c.manifest_count = 1;
    room *r = room_open(&c);
    (void)join_bot(r, 1);
    CHECK_EQ(room_count_events(r, SB_SERVER_FILES_DIFFER), 0);
    CHECK_EQ(room_count_events(r, SB_SERVER_CHECKED), 0);
    seat *person = room_connect(r, "Person");
    seat_answer_round(r, person, sb_vanilla_manifest());
    CHECK(room_count_events(r, SB_SERVER_FILES_DIFFER) > 0);
}

/* ---- marks ---- */

TEST(bots_are_marked_and_people_are_not)
{
    room *r = open_room_with_bots(1);
    CHECK(room_expect(r, SB_SERVER_CONNECTED)->event.house);
    CHECK(room_expect(r, SB_SERVER_JOINED)->event.house);
    seat *person = room_join(r, "Person");
    CHECK(!room_expect(r, SB_SERVER_CONNECTED)->event.house);
    CHECK(!room_expect(r, SB_SERVER_JOINED)->event.house);
    CHECK(is_house(r, &r->seats[0]) && !is_house(r, person));
}

/* The person's ship counts as destroyed by the bot that has just hit it. */
TEST(a_death_says_whether_the_killer_is_a_bot)
{
    room    *r = open_room_with_bots(1);
    seat    *bot = &r->seats[0], *person = room_join(r, "Person");
    uint32_t killer = seat_spawn(r, bot, SOVEREIGN, middle);
    uint32_t victim = seat_spawn(r, person, SOVEREIGN, ahead);
    seat_fire_torpedo(r, bot, killer, victim);
    room_wait(r, 3 * SB_SECOND);
    (void)seat_replace(r, person, SOVEREIGN, (sb_vec3){ 50, 0, 0 });
    const sb_server_event *killed = &room_expect(r, SB_SERVER_KILLED)->event;
    CHECK_EQ(killed->other, bot->id);
    CHECK(!killed->house && killed->other_house);
}

static bool status_has(room *r, const char *text)
{
    static const char query[] = "\\status\\";
    CHECK_EQ(room_give(r, room_stranger(1), (sb_span){ (const uint8_t *)query, sizeof query - 1 }),
             SB_OK);
    return memmem(r->last_answer, r->last_answer_size, text, strlen(text)) != NULL;
}

TEST(status_answers_count_bots_as_players_or_not_at_all)
{
    for (int count = 0; count < 2; count++) {
        sb_server_config c = house_config();
        c.list_house = count;
        room *r = room_open(&c);
        (void)join_bot(r, 1);
        (void)room_join(r, "Person");
        CHECK(status_has(r, count ? "\\numplayers\\2\\" : "\\numplayers\\1\\"));
        CHECK_EQ(status_has(r, "\\Bot\\"), count);
        CHECK(status_has(r, "\\Person\\"));
        CHECK_EQ(sb_server_player_count(r->server), 2);
    }
}

/* A program that does not filter its sources has no house players. */
TEST(without_the_option_nobody_is_a_bot)
{
    sb_server_config c = house_config();
    c.transport.house = false;
    room *r = room_open(&c);
    CHECK(!is_house(r, join_bot(r, 1)));
    CHECK_EQ(seats_of(r).people, 1);
}
