/* tests/server/churn_test.c -- players who join and leave in every phase, full tables, and clocks
 * that jump: the room keeps no state of players who left. Spec 06 §9, 07 §1, §9.
 */
#include "rig.h"

#include "base/bytes.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

static const sb_vec3 here = { 38.0f, -49.0f, -35.0f };

/* ---- seats that connect again ---- */

/* Connects the seat as a new player from another port. */
static void connect_again(room *r, seat *s, const char *name)
{
    sb_transport_client_config c;
    uint8_t                    utf16[2 * SB_NAME_UNITS] = { 0 };
    size_t                     length = strlen(name);
    sb_transport_client_defaults(&c);
    for (size_t i = 0; i < length; i++) utf16[2 * i] = (uint8_t)name[i];
    s->address.port++;
    c.name = (sb_span){ utf16, 2 * length };
    c.server = (sb_endpoint){ 0x0A000001, 22101 };
    c.local_address = s->address.address;
    c.local_port = s->address.port;
    c.cells = 1024; /* as in the rig, whose memory it uses */
    s->client = sb_transport_client_init(s->client, &c, r->now);
    s->id = SB_PEER_NONE;
    s->left = false;
    memset(s->by_opcode, 0, sizeof s->by_opcode);
    seat_forget(s);
    room_step(r);
}

static void join_again(room *r, seat *s, const char *name)
{
    connect_again(r, s, name);
    CHECK(s->id != SB_PEER_NONE);
    seat_pass_checksums(r, s);
    seat_forget(s);
    seat_say_hex(r, s, "2A 20");
}

static bool find_view(const room *r, const seat *s, sb_player_view *out)
{
    for (unsigned i = 0; sb_server_player(r->server, i, r->now, out); i++)
        if (out->peer_id == s->id) return true;
    return false;
}

/* ---- checks ---- */

static void check_views(const room *r, unsigned present)
{
    sb_player_view view;
    uint32_t       slots = 0, ships[SB_SERVER_PLAYERS_MAX];
    bool           ids[256] = { false };
    unsigned       count = 0, flying = 0;
    for (; sb_server_player(r->server, count, r->now, &view); count++) {
        CHECK(!ids[view.peer_id] && !(slots >> view.slot & 1));
        ids[view.peer_id] = true;
        slots |= 1u << view.slot;
        CHECK_EQ(view.phase == SB_PLAYER_FLYING, view.ship != NULL);
        if (!view.ship) continue;
        CHECK_EQ(sb_slot_of_id(view.ship->object_id), view.slot);
        CHECK(isfinite(view.position.x));
        for (unsigned i = 0; i < flying; i++) CHECK(ships[i] != view.ship->object_id);
        ships[flying++] = view.ship->object_id;
    }
    CHECK_EQ(count, present);
    CHECK_EQ(sb_server_player_count(r->server), present);
}

/* A newcomer gets every living ship once, and no exploding ship. */
static void check_welcome(const room *r, seat *newcomer)
{
    sb_player_view view;
    unsigned       living = 0, sent = 0;
    for (unsigned i = 0; sb_server_player(r->server, i, r->now, &view); i++) {
        if (!view.ship || view.exploding) continue;
        unsigned found = 0;
        for (size_t n = 0; n < newcomer->heard_count; n++) {
            const uint8_t *bytes = newcomer->heard[n].bytes;
            found += bytes[0] == SB_OP_PLAYER_OBJECT_CREATE &&
                     sb_load_u32(bytes + 7) == view.ship->object_id;
        }
        CHECK_EQ(found, 1);
        living++;
    }
    for (size_t n = 0; n < newcomer->heard_count; n++)
        sent += newcomer->heard[n].bytes[0] == SB_OP_PLAYER_OBJECT_CREATE;
    CHECK_EQ(sent, living);
}

TEST(churn_of_16_players_for_200_rounds_leaves_no_state)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = 16;
    room     *r = room_open(&c);
    bool      present[16];
    unsigned  count = 16;
    sb_random random;
    sb_random_init(&random, 5);
    for (unsigned i = 0; i < 16; i++) present[i] = room_join(r, "Player") != NULL;
    for (unsigned round = 0; round < 200; round++) {
        unsigned which = sb_random_below(&random, 16), what = sb_random_below(&random, 6);
        seat    *s = &r->seats[which];
        room_forget(r);
        if (!present[which]) {
            join_again(r, s, "Again");
            check_welcome(r, s);
            present[which] = true;
            count++;
        } else if (what < 2) {
            seat_spawn(r, s, (uint8_t)(1 + sb_random_below(&random, 10)), here);
        } else if (what == 2) {
            seat_say_hex(r, s, "13");
        } else {
            if (what == 3) CHECK(sb_server_kick(r->server, r->now, s->id, (sb_span){ NULL, 0 }));
            else sb_transport_client_leave(s->client, r->now);
            present[which] = false;
            count--;
        }
        room_wait(r, 7 * SB_SECOND + sb_random_below(&random, 2000000)); /* spec 01 §8.4 */
        check_views(r, count);
    }
    for (unsigned i = 0; i < 16; i++)
        if (present[i]) sb_transport_client_leave(r->seats[i].client, r->now);
    room_forget(r);
    room_wait(r, 7 * SB_SECOND);
    check_views(r, 0);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_JOINS), COUNTED(r, SB_SERVER_COUNT_LEAVES));
    join_again(r, &r->seats[3], "Last");
    CHECK_EQ(r->seats[3].by_opcode[0x03], 0);
    sb_player_view view;
    CHECK(find_view(r, &r->seats[3], &view));
    CHECK_EQ(view.slot, 0);
}

/* ---- every phase ---- */

enum phase { ROUND_0, ROUND_3 = 3, ROUND_FF, LOADING, LOBBY, FLYING, DYING, PHASES };

/* A seat whose join has reached this phase. */
static seat *come(room *r, enum phase phase)
{
    seat *s = room_connect(r, "Comer");
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS && i < (unsigned)phase; i++)
        seat_answer_round(r, s, sb_vanilla_manifest());
    if (phase >= LOBBY) seat_say_hex(r, s, "2A 20");
    if (phase >= FLYING) seat_spawn(r, s, 5, here);
    if (phase >= DYING) seat_say_hex(r, s, "13");
    return s;
}

TEST(leaving_in_any_phase_frees_the_slot_and_the_ship)
{
    for (unsigned phase = ROUND_0; phase < PHASES; phase++)
        for (unsigned how = 0; how < 3; how++) {
            room *r = room_open(NULL);
            seat *a = room_join(r, "Alpha");
            seat *s = come(r, (enum phase)phase);
            seat_forget(a);
            if (how == 0) sb_transport_client_leave(s->client, r->now);
            if (how == 1) CHECK(sb_server_kick(r->server, r->now, s->id, (sb_span){ NULL, 0 }));
            if (how == 2) s->address.port = 1; /* vanishes */
            room_wait(r, 10 * SB_SECOND);
            for (unsigned i = 0; how == 2 && i < 40; i++) {
                room_forget(r);
                room_wait(r, SB_SECOND);
            }
            check_views(r, 1);
            CHECK_EQ(a->gone_count, 1);
            CHECK_EQ(a->by_opcode[0x18], phase >= LOBBY);
            CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_LEAVES), phase >= LOBBY);
            CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FAILED_JOINS), phase < LOBBY);
            seat *late = room_join(r, "Late");
            room_wait(r, 200000);
            CHECK_EQ(late->by_opcode[0x03] + late->by_opcode[0x1C], 0); /* no ship is left */
            sb_player_view view;
            CHECK(find_view(r, late, &view));
            CHECK_EQ(view.slot, 1);
            CHECK(!a->left);
        }
}

TEST(a_restart_finds_players_in_every_phase_and_all_go_on)
{
    for (unsigned phase = ROUND_0; phase < PHASES; phase++)
        for (unsigned over = 0; over < 2; over++) {
            room *r = room_open(NULL);
            seat *a = room_join(r, "Alpha");
            seat_spawn(r, a, 1, here);
            seat *s = come(r, (enum phase)phase);
            if (over) sb_server_end_match(r->server, r->now, SB_END_TIME);
            room_wait(r, SB_SECOND);
            sb_server_restart_match(r->server, r->now);
            room_wait(r, SB_SECOND);
            CHECK_EQ(a->by_opcode[0x39], 1);
            CHECK_EQ(a->by_opcode[0x38], over);
            CHECK(!s->left);
            /* A joining player continues in the same phase. */
            for (unsigned i = phase; i < SB_CHECKSUM_ROUNDS; i++)
                seat_answer_round(r, s, sb_vanilla_manifest());
            if (phase < LOBBY) seat_say_hex(r, s, "2A 20");
            seat_forget(a);
            uint32_t id = seat_spawn(r, s, 5, here);
            CHECK_EQ(sb_load_u32(seat_find(a, 0x03).data + 7), id);
            CHECK_EQ(sb_server_player_count(r->server), 2);
        }
}

TEST(a_player_who_loads_across_the_end_flies_in_the_next_match)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *s = come(r, LOADING);
    sb_server_end_match(r->server, r->now, SB_END_TIME);
    seat_say_hex(r, s, "2A 20");
    seat_spawn(r, s, 5, here); /* refused: not in the game yet */
    CHECK_EQ(a->by_opcode[0x03], 0);
    for (unsigned i = 0; i < 31; i++) {
        room_forget(r);
        room_wait(r, SB_SECOND);
    }
    CHECK_EQ(s->by_opcode[0x39], 1);
    seat_spawn(r, s, 5, here);
    CHECK_EQ(a->by_opcode[0x03], 1);
}

TEST(kicks_restarts_and_ends_at_once_leave_a_sound_room)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *s = come(r, FLYING);
    CHECK(sb_server_kick(r->server, r->now, s->id, (sb_span){ NULL, 0 }));
    sb_server_end_match(r->server, r->now, SB_END_KILLS);
    sb_server_end_match(r->server, r->now, SB_END_TIME); /* the match is already over */
    sb_server_restart_match(r->server, r->now);
    (void)sb_server_kick(r->server, r->now, s->id, (sb_span){ NULL, 0 });
    sb_server_restart_match(r->server, r->now);
    CHECK(seat_is_removed(r, s));
    CHECK(!a->left);
    CHECK_EQ(a->by_opcode[0x38], 1);
    CHECK_EQ(a->by_opcode[0x39], 2);
    check_views(r, 1);
}

/* ---- names ---- */

TEST(two_players_of_one_name_are_two_players)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Alpha"), *c = room_join(r, "Gamma");
    seat_spawn(r, a, 5, here);
    seat_spawn(r, b, 5, here);
    seat_say_hex(r, a, "13");
    CHECK_EQ(sb_match_find(sb_server_match(r->server), a->id)->deaths, 1);
    CHECK_EQ(sb_match_find(sb_server_match(r->server), b->id)->deaths, 0);
    seat_forget(c);
    seat_leave(r, a);
    CHECK_EQ(c->by_opcode[0x18], 1);
    CHECK_EQ(sb_load_u32(seat_find(c, 0x14).data + 1), sb_slot_first_id(0));
    sb_player_view view;
    CHECK(find_view(r, b, &view) && view.ship);
    CHECK_TEXT(view.name, "Alpha");
    check_views(r, 2);
}

TEST(a_player_with_a_new_name_keeps_everything_else)
{
    static const uint8_t name[] = { 'O', 0, 'm', 0, 'e', 0, 'g', 0, 'a', 0 };
    room                *r = room_open(NULL);
    seat                *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    uint32_t             id = seat_spawn(r, a, 5, here);
    room_wait(r, 6 * SB_SECOND); /* one rename per 5 s (spec 01 §10.3) */
    room_forget(r);
    b->named_somebody = false;
    CHECK_EQ(sb_transport_client_rename(a->client, (sb_span){ name, sizeof name }), SB_OK);
    room_wait(r, SB_SECOND);
    CHECK(b->named_somebody);
    sb_player_view view;
    CHECK(find_view(r, a, &view));
    CHECK_TEXT(view.name, "Omega");
    CHECK_EQ(view.ship->object_id, id);
    seat_say_hex(r, a, "2C {id} 01 00 61");
    room_event e = *room_expect(r, SB_SERVER_CHAT);
    CHECK_TEXT(e.name, "Omega");
    sb_transport_client_leave(a->client, r->now);
    seat_forget(b);
    room_wait(r, 7 * SB_SECOND);
    CHECK_BYTES(seat_find(b, 0x18).data, 8, "\x18\x05\0Omega", 8);
}

/* ---- full tables ---- */

TEST(filling_the_object_table_removes_no_players_ship)
{
    room    *r = room_open(NULL);
    seat    *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    uint32_t ship = seat_spawn(r, b, 5, here), first = seat_first_id(r, a);
    for (unsigned i = 0; i < 200; i++) {
        seat_create_scenery(r, a, first + 100 * i);
        if (i % 8 == 7) room_wait(r, SB_SECOND);
        room_forget(r);
    }
    CHECK(b->by_opcode[0x02] > 100); /* the objects were relayed */
    uint32_t another = seat_spawn(r, a, 6, here);
    seat    *late = room_connect(r, "Late");
    seat_pass_checksums(r, late);
    seat_say_hex(r, late, "2A 20");
    unsigned ships = 0;
    for (size_t i = 0; i < late->heard_count; i++) {
        if (late->heard[i].bytes[0] != SB_OP_PLAYER_OBJECT_CREATE) continue;
        uint32_t id = sb_load_u32(late->heard[i].bytes + 7);
        ships += id == ship || id == another;
    }
    CHECK_EQ(ships, 2);
    CHECK_EQ(late->by_opcode[0x03], 2);
    CHECK(late->by_opcode[0x02] >= 1 && late->by_opcode[0x02] <= 40);
    seat_leave(r, a);
    seat *later = room_join(r, "Later");
    CHECK_EQ(later->by_opcode[0x02], 0); /* removed together with their owner */
}

/* Sixteen ships with all their damage volumes are more than a queue can take at once. */
TEST(a_newcomer_survives_the_sight_of_16_battered_ships)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = 16;
    c.combat.constants.collision_base = 0.0f; /* many hits, none of them deadly */
    c.combat.constants.collision_slope = 1.0f;
    room *r = room_open(&c);
    for (unsigned i = 0; i < 15; i++) {
        seat    *s = room_join(r, "Rammer");
        uint32_t id = seat_spawn(r, s, 5, here);
        for (unsigned n = 0; n < 40; n++) {
            uint8_t collision[26];
            CHECK_EQ(test_hex("15 24 81 00 00 50 00 80 00 00 00 00 00 00 00 00 00 01 F9 7E 02 D8 "
                              "65 C2 92 44",
                              collision, sizeof collision),
                     26);
            sb_store_u32(collision + 13, id);
            seat_say(r, s, SB_RELIABLE, (sb_span){ collision, sizeof collision });
            room_wait(r, 300000);
            room_forget(r);
        }
    }
    seat *late = room_connect(r, "Late");
    seat_pass_checksums(r, late);
    seat_forget(late);
    seat_say_hex(r, late, "2A 20");
    room_wait(r, SB_SECOND);
    CHECK(!late->left);
    CHECK_EQ(late->by_opcode[0x03], 15);
    CHECK(late->by_opcode[0x29] >= 100); /* as many as the queue can take */
}

/* ---- clocks ---- */

TEST(a_clock_that_goes_back_stands_still)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.match.time_limit_min = 10;
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat_spawn(r, a, 5, here);
    room_wait(r, 5 * SB_SECOND);
    room_forget(r);
    sb_time right = r->now;
    for (unsigned i = 1; i < 20; i++) {
        r->now = right - (sb_time)i * 3600 * SB_SECOND;
        seat_say_hex(r, a, "1C FF FF FF 3F 00 00 40 40 01 00 00 C8 42 00 00 48 C2 00 00 00 00 20");
        sb_server_advance(r->server, r->now);
        sb_server_say(r->server, r->now, (sb_span){ (const uint8_t *)"x", 1 });
        room_step(r);
        sb_player_view view;
        CHECK(sb_server_player(r->server, 0, right, &view));
        CHECK(isfinite(view.position.x) && fabsf(view.position.x) < 1000.0f);
    }
    r->now = right;
    room_wait(r, SB_SECOND);
    CHECK(!a->left && !b->left);
    CHECK_EQ(b->by_opcode[0x2C], 19);
    CHECK(!sb_server_match(r->server)->over);
}

TEST(a_clock_that_jumps_a_day_only_ends_what_has_a_limit)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.match.time_limit_min = 10;
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha");
    seat *s = come(r, ROUND_3);
    seat_spawn(r, a, 5, here);
    r->now += 86400 * SB_SECOND;
    room_step(r);
    CHECK(seat_is_removed(r, a) && s->left);
    CHECK(!sb_server_match(r->server)->over); /* the room is empty: the match is new */
    seat *late = room_join(r, "Late");
    seat_spawn(r, late, 5, here);
    CHECK_EQ(late->by_opcode[0x1D], 1);
}

TEST(a_slow_player_goes_in_the_turn_in_which_the_time_is_up)
{
    room       *r = room_open(NULL);
    uint8_t     out[SB_SERVER_DATAGRAM_MAX];
    sb_endpoint to;
    seat       *s = room_connect(r, "Slow");
    s->address.port = 1; /* nothing reaches the seat, and the room gets nothing from it */
    r->now += 31 * SB_SECOND;
    sb_server_advance(r->server, r->now);
    while (sb_server_write(r->server, r->now, &to, out) > 0) {
    }
    CHECK(sb_server_next_deadline(r->server) > r->now);
    sb_player_view view;
    CHECK(!sb_server_player(r->server, 0, r->now, &view));
}

TEST(manifests_may_go_from_32_to_1_during_a_join)
{
    const sb_manifest *many[32], *one[1] = { sb_vanilla_manifest() };
    sb_server_config   c;
    for (size_t i = 0; i < 32; i++) many[i] = sb_vanilla_manifest();
    sb_server_defaults(&c);
    c.checksums = SB_CHECKSUM_STRICT;
    c.manifests = many;
    c.manifest_count = 32;
    room *r = room_open(&c);
    seat *s = come(r, ROUND_3);
    for (size_t i = 0; i < 32; i++)
        many[i] = NULL; /* the room must not use the old list any more */
    c.manifests = one;
    c.manifest_count = 1;
    room_reconfigure(r, &c);
    seat_answer_round(r, s, sb_vanilla_manifest());
    seat_answer_round(r, s, sb_vanilla_manifest());
    seat_say_hex(r, s, "2A 20");
    CHECK_EQ(sb_server_player_count(r->server), 1);
}

TEST(a_clock_that_goes_back_and_forth_keeps_rate_limits)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    for (unsigned i = 0; i < 10; i++) {
        seat_say_hex(r, a, "2C {id} 01 00 61");
        r->now += i % 2 ? 3600 * SB_SECOND : -3600 * SB_SECOND;
        seat_say_hex(r, a, "2C {id} 01 00 61");
    }
    CHECK_EQ(b->by_opcode[0x2C], 5);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_CHAT_RATE), 15);
}
