/* tests/server/objects_test.c -- edges of creations, of requests and of what late joiners get. Spec
 * 07 §2.6, §6, §11; 06 §8.
 */
#include "rig.h"

#include <starbase/message.h>

#include "base/bytes.h"
#include "server/server_internal.h"

#include <math.h>
#include <string.h>

enum { AKIRA = 1, SOVEREIGN = 5, OFFSET = 0x1000 };

static const sb_vec3 middle = { 0, 0, 0 };

/* A creation of an Akira by the seat; the test changes it. */
static sb_message creation_of(const seat *s, uint8_t opcode, uint32_t id)
{
    sb_ship    ship;
    sb_message m = { .opcode = opcode };
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), AKIRA), AKIRA, id);
    sb_ship_write_creation(&ship, &m.as.object_create);
    m.as.object_create.owner_slot = (int8_t)sb_slot_of_id(id);
    m.as.object_create.peer_id = s->id;
    m.as.object_create.name = (sb_span){ (const uint8_t *)"Cady2", 5 };
    m.as.object_create.set_name = (sb_span){ (const uint8_t *)"Multi1", 6 };
    return m;
}

static sb_span text(const char *s)
{
    return (sb_span){ (const uint8_t *)s, strlen(s) };
}

/* ---- sets ---- */

TEST(the_number_of_a_set_is_the_fnv_1a_hash_of_its_name)
{
    CHECK_EQ(sb_server_hash_of_set(text("")), 0x811C9DC5u);
    CHECK_EQ(sb_server_hash_of_set(text("a")), 0xE40C292Cu);
    CHECK_EQ(sb_server_hash_of_set(text("foobar")), 0xBF9CF968u);
}

/* ---- refused creations ---- */

static const char set_of_33[] = "abcdefghijklmnopqrstuvwxyz0123456";

typedef struct edge {
    float       w; /* the length of the quaternion */
    uint8_t     species;
    const char *set;
    size_t      set_size;
    bool        possible, plausible;
} edge;

static const edge edges[] = {
    { 0.5f, AKIRA, "Multi1", 6, true, true },     { 0.499999f, AKIRA, "Multi1", 6, false, true },
    { 2.0f, AKIRA, "Multi1", 6, true, true },     { 2.00001f, AKIRA, "Multi1", 6, false, true },
    { 1.0f, AKIRA, "M", 1, true, true },          { 1.0f, AKIRA, set_of_33, 32, true, true },
    { 1.0f, AKIRA, set_of_33, 33, false, true },  { 1.0f, AKIRA, " ~", 2, true, true },
    { 1.0f, 0, "Multi1", 6, true, false },        { 1.0f, AKIRA, "", 0, true, false },
    { 1.0f, AKIRA, "Multi\x1F", 6, true, false }, { 1.0f, AKIRA, "\x7FMulti", 6, true, false },
};

static void try_edges(uint8_t opcode, bool trust)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.trust_clients = trust;
    pair     t = open_pair(&c);
    uint64_t relayed = 0, refused = 0;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        const edge *e = &edges[i];
        sb_message  m = creation_of(t.a, opcode, seat_first_id(t.r, t.a) + 100 * (uint32_t)i);
        m.as.object_create.orientation = (sb_quat){ .w = e->w };
        m.as.object_create.species = e->species;
        m.as.object_create.snapshot_known = e->species == AKIRA;
        m.as.object_create.set_name = (sb_span){ (const uint8_t *)e->set, e->set_size };
        seat_say_message(t.r, t.a, &m);
        if (e->possible && (trust || e->plausible)) relayed++;
        else refused++;
        room_wait(t.r, SECOND_SHIP_WAIT_US); /* of a ship that replaces another */
        if (t.b->by_opcode[opcode] != relayed) FAIL("row %zu", i);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_BAD_CREATION), refused);
    }
}

TEST(creations_are_possible_and_plausible_up_to_their_edges)
{
    try_edges(SB_OP_OBJECT_CREATE, false);
    try_edges(SB_OP_OBJECT_CREATE, true);
    try_edges(SB_OP_PLAYER_OBJECT_CREATE, false);
}

TEST(each_sign_of_another_owner_is_a_reason_to_refuse)
{
    static const struct {
        uint8_t opcode;
        int     slot, slot_of_id, peer; /* 1: of Beta */
        bool    refused;
    } rows[] = {
        { SB_OP_OBJECT_CREATE, 1, 0, 0, true },
        { SB_OP_OBJECT_CREATE, 0, 1, 0, true },
        { SB_OP_PLAYER_OBJECT_CREATE, 1, 0, 0, true },
        { SB_OP_PLAYER_OBJECT_CREATE, 0, 1, 0, true },
        { SB_OP_PLAYER_OBJECT_CREATE, 0, 0, 1, true },
        { SB_OP_OBJECT_CREATE, 0, 0, 1, false },
        { SB_OP_PLAYER_OBJECT_CREATE, 0, 0, 0, false },
    };
    pair     t = open_pair(NULL);
    uint64_t refused = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        seat      *named = rows[i].slot_of_id ? t.b : t.a;
        sb_message m = creation_of(rows[i].peer ? t.b : t.a, rows[i].opcode,
                                   seat_first_id(t.r, named) + 100 * (uint32_t)i);
        m.as.object_create.owner_slot = (int8_t)rows[i].slot;
        seat_say_message(t.r, t.a, &m);
        refused += rows[i].refused;
        if (COUNTED(t.r, SB_SERVER_COUNT_WRONG_OWNER) != refused) FAIL("row %zu", i);
        room_wait(t.r, SB_SECOND / 5);
    }
    CHECK_EQ(t.b->by_opcode[SB_OP_OBJECT_CREATE], 1);
    CHECK_EQ(t.b->by_opcode[SB_OP_PLAYER_OBJECT_CREATE], 1);
}

TEST(a_torpedo_is_no_ship_of_a_player)
{
    pair t = open_pair(NULL);
    seat_say_hex(t.r, t.a, "03 00 02 09 80 00 00 10 00 00 40 02 AA BB CC");
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_BAD_CREATION), 1);
    CHECK_EQ(t.b->by_opcode[SB_OP_PLAYER_OBJECT_CREATE], 0);
}

TEST(ships_created_after_the_end_of_a_match_are_too_early)
{
    pair t = open_pair(NULL);
    sb_server_end_match(t.r->server, t.r->now, SB_END_GENERIC);
    (void)seat_spawn(t.r, t.a, AKIRA, middle);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_TOO_EARLY), 1);
    CHECK_EQ(t.b->by_opcode[SB_OP_PLAYER_OBJECT_CREATE], 0);
}

/* A ship costs 8 cells of the burst of 120, and 8 more when it replaces a living one. */
TEST(ships_that_replace_living_ones_cost_twice_as_much)
{
    for (unsigned left = 7; left <= 8; left++) {
        pair t = open_pair(NULL);
        (void)seat_spawn(t.r, t.a, AKIRA, middle);
        uint32_t next = seat_spawn(t.r, t.a, AKIRA, middle);
        room_wait(t.r, SECOND_SHIP_WAIT_US - 1);
        sb_budget_init(&t.r->server->players[0].effects, t.r->now, left);
        room_wait(t.r, 1);
        CHECK_EQ(t.b->by_opcode[SB_OP_PLAYER_OBJECT_CREATE], left - 6);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_RELAY_RATE), left == 7);
        CHECK_EQ(seat_view(t.r, t.a).ship->object_id == next, left == 8);
        CHECK(t.r->server->players[0].effects.left < SB_SECOND || left == 7);
    }
}

/* Scenery costs 3 cells, whether its owner has a living ship or not. */
TEST(scenery_of_a_flying_player_costs_no_more)
{
    pair t = open_pair(NULL);
    (void)seat_spawn(t.r, t.a, AKIRA, middle);
    for (uint32_t i = 0; i < 40; i++)
        seat_create_scenery(t.r, t.a, seat_first_id(t.r, t.a) + OFFSET + 100 * i);
    CHECK_EQ(t.b->by_opcode[SB_OP_OBJECT_CREATE], (120 - 8) / 3);
}

TEST(ids_that_rise_are_not_counted_as_old)
{
    static const uint32_t steps[] = { 0, 100, 300, 200, 301 };
    pair                  t = open_pair(NULL);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        seat_create_scenery(t.r, t.a, seat_first_id(t.r, t.a) + OFFSET + steps[i]);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_OLD_IDS), i >= 3);
    }
    /* A torpedo is not stored, so the same id can come twice. */
    for (unsigned i = 0; i < 2; i++)
        seat_say_hex(t.r, t.b, "02 01 09 80 00 00 10 20 04 40 02 AA BB CC");
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_OLD_IDS), 2);
}

/* ---- power settings in a creation ---- */

/* Three parts; the first and the last have power. */
static const sb_ship_set *ships_with_power_first(void)
{
    static sb_ship_set        set;
    static sb_ship_class      mod;
    static sb_subsystem_class parts[3];
    set = *sb_stock_ships();
    mod = *set.by_species[SOVEREIGN];
    mod.species = 0xC8;
    mod.subsystem_count = 3;
    mod.child_count = 0;
    mod.subsystems = parts;
    parts[0] = (sb_subsystem_class){ .name = "Sensors",
                                     .type = SB_SUBSYSTEM_SENSOR,
                                     .format = SB_FORMAT_POWERED,
                                     .creation_index = 0,
                                     .max_condition = 100 };
    parts[1] = (sb_subsystem_class){ .name = "Hull",
                                     .type = SB_SUBSYSTEM_HULL,
                                     .format = SB_FORMAT_BASE,
                                     .creation_index = 1,
                                     .max_condition = 100 };
    parts[2] = parts[0];
    parts[2].creation_index = 2;
    set.by_species[0xC8] = &mod;
    return &set;
}

/* The power code of the first part: 126 % are above the sliders of the game, on or off. */
TEST(power_above_125_percent_in_a_creation_is_told)
{
    static const int codes[] = { 100, 125, 126, -125, -126 };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        sb_server_config c;
        sb_server_defaults(&c);
        c.ships = ships_with_power_first();
        pair    t = open_pair(&c);
        uint8_t bytes[64];
        size_t  size =
            test_hex("03 00 02 08 80 00 00 FF FF FF 3F C8 00 00 00 00 00 00 00 00 00 00 00 00 00 "
                     "00 80 3F 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 41 06 "
                     "4D 75 6C 74 69 31 FF 64 FF FF 64",
                     bytes, sizeof bytes);
        bytes[size - 4] = (uint8_t)codes[i];
        seat_say(t.r, t.a, SB_RELIABLE, (sb_span){ bytes, size });
        CHECK(seat_view(t.r, t.a).ship->model != NULL);
        bool told = codes[i] == 126 || codes[i] == -126;
        CHECK_EQ(sb_server_implausible(t.r->server, SB_IMPLAUSIBLE_POWER), told);
        if (!told) continue;
        const sb_server_event *e = &room_expect(t.r, SB_SERVER_SUSPICIOUS)->event;
        CHECK_EQ(e->value, SB_IMPLAUSIBLE_POWER);
        CHECK(e->claimed == 126 && e->possible == 125);
    }
}

/* ---- what late joiners get ---- */

/* The first object of the room is a ship of the player in slot 1. */
TEST(late_joiners_get_owner_name_set_and_place_of_a_ship)
{
    pair     t = open_pair(NULL);
    uint32_t ship = seat_spawn_in(t.r, t.b, SOVEREIGN, (sb_vec3){ 1, 2, 3 }, "Multi3");
    seat    *late = room_load(t.r, "Late");
    seat_say_hex(t.r, late, "2A 20");
    sb_message m;
    CHECK_EQ(sb_decode_message(seat_find(late, SB_OP_PLAYER_OBJECT_CREATE), NULL, &m, NULL), SB_OK);
    const sb_object_create *o = &m.as.object_create;
    CHECK_EQ(o->object_id, ship);
    CHECK_EQ(o->owner_slot, 1);
    CHECK_EQ(o->peer_id, t.b->id);
    CHECK_EQ(o->species, SOVEREIGN);
    CHECK_BYTES(o->name.data, o->name.size, "Cady2", 5);
    CHECK_BYTES(o->set_name.data, o->set_name.size, "Multi3", 6);
    CHECK(o->position.x == 1 && o->position.y == 2 && o->position.z == 3);
    CHECK(o->snapshot_known);
    CHECK_EQ(late->by_opcode[SB_OP_PLAYER_OBJECT_CREATE], 1);
}

/* In the table a newer object may stand before an older one. */
TEST(late_joiners_get_objects_in_the_order_of_their_creation)
{
    pair     t = open_pair(NULL);
    uint32_t ids[3], first = seat_first_id(t.r, t.a) + OFFSET;
    (void)seat_spawn(t.r, t.a, AKIRA, middle);
    for (unsigned i = 0; i < 2; i++) seat_create_scenery(t.r, t.a, ids[i] = first + 100 * i);
    seat_say_hex(t.r, t.a, "13");
    room_wait(t.r, 12 * SB_SECOND); /* the wreck is gone, and its row is free */
    seat_create_scenery(t.r, t.a, ids[2] = first + 200);
    seat *late = room_load(t.r, "Late");
    seat_say_hex(t.r, late, "2A 20");
    for (unsigned i = 0; i < 3; i++)
        CHECK_EQ(sb_load_u32(seat_find(late, SB_OP_OBJECT_CREATE).data + 6), ids[i]);
    CHECK_EQ(late->by_opcode[SB_OP_OBJECT_CREATE], 3);
    CHECK_EQ(late->by_opcode[SB_OP_PLAYER_OBJECT_CREATE], 0);
}

/* All 40 rows of the table are in use; the last one by a ship. */
TEST(a_full_table_of_objects_is_sent_found_and_removed)
{
    pair     t = open_pair(NULL);
    uint32_t first = seat_first_id(t.r, t.a) + OFFSET, last = first + 100 * (OBJECTS_MAX - 2);
    for (uint32_t id = first; id <= last; id += 100) {
        seat_create_scenery(t.r, t.a, id);
        room_wait(t.r, SB_SECOND / 10);
    }
    uint32_t ship = seat_spawn(t.r, t.b, AKIRA, middle);
    CHECK_EQ(t.b->by_opcode[SB_OP_DESTROY_OBJECT], 0);
    CHECK(sb_server_find_object(t.r->server, ship) == &t.r->server->objects[OBJECTS_MAX - 1]);
    CHECK(sb_server_find_object(t.r->server, ship + 1) == NULL);
    seat *late = room_load(t.r, "Late");
    seat_say_hex(t.r, late, "2A 20");
    CHECK_EQ(late->by_opcode[SB_OP_PLAYER_OBJECT_CREATE], 1);
    seat_create_scenery(t.r, t.a, last + 100); /* takes the row of the oldest object */
    CHECK_EQ(t.b->by_opcode[SB_OP_DESTROY_OBJECT], 1);
    CHECK(!sb_server_find_object(t.r->server, first));
    sb_server_restart_match(t.r->server, t.r->now);
    for (size_t i = 0; i < OBJECTS_MAX; i++) CHECK_EQ(t.r->server->objects[i].object_id, 0);
}

TEST(the_player_in_the_last_slot_loses_a_ship_like_any_other)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = SB_SERVER_PLAYERS_MAX;
    room *r = room_open(&c);
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++) (void)room_join(r, "Player");
    seat *last = &r->seats[SB_SERVER_PLAYERS_MAX - 1];
    (void)seat_spawn(r, last, AKIRA, middle);
    CHECK_EQ(seat_view(r, last).phase, SB_PLAYER_FLYING);
    sb_server_restart_match(r->server, r->now);
    CHECK_EQ(r->server->players[SB_SERVER_PLAYERS_MAX - 1].phase, SB_PLAYER_LOBBY);
}

/* The quaternion of the creation is not of unit length, which the room would correct. */
TEST(late_joiners_get_the_owners_bytes_of_resting_scenery)
{
    pair       t = open_pair(NULL);
    sb_message m = creation_of(t.a, SB_OP_OBJECT_CREATE, seat_first_id(t.r, t.a));
    m.as.object_create.orientation = (sb_quat){ .w = 2.0f };
    seat_say_message(t.r, t.a, &m);
    sb_span sent = seat_find(t.b, SB_OP_OBJECT_CREATE);
    seat   *late = room_load(t.r, "Late");
    seat_say_hex(t.r, late, "2A 20");
    sb_span got = seat_find(late, SB_OP_OBJECT_CREATE);
    CHECK_BYTES(got.data, got.size, sent.data, sent.size);
}

/* ---- the next ship in the same row ---- */

/* The first update of a new ship is not compared with the times and places of the last one. */
TEST(a_ship_starts_anew_in_the_row_of_another)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.combat.fidelity = SB_FIDELITY_ENFORCE;
    pair     t = open_pair(&c);
    uint32_t first = seat_spawn(t.r, t.a, AKIRA, middle);
    room_wait(t.r, 5 * SB_SECOND);
    seat_say_position(t.r, t.a, first, (sb_vec3){ 3, 0, 0 });
    CHECK(seat_view(t.r, t.a).position.x == 3);
    seat_say_hex(t.r, t.a, "13");
    room_wait(t.r, 12 * SB_SECOND);
    uint32_t next = seat_spawn(t.r, t.a, AKIRA, (sb_vec3){ 900, 0, 0 });
    CHECK(t.r->server->objects[0].object_id == next);
    CHECK(seat_view(t.r, t.a).position.x == 900);
    seat_say_position(t.r, t.a, next, (sb_vec3){ 905, 0, 0 });
    CHECK(seat_view(t.r, t.a).position.x == 905);
    CHECK_EQ(sb_server_implausible(t.r->server, SB_IMPLAUSIBLE_POSITION), 0);
}

/* Beta's hits on a ship that is gone are no reason to credit Beta for the next ship of this id. */
TEST(hits_on_a_ship_are_forgotten_with_it)
{
    pair     t = open_pair(NULL);
    uint32_t ship = seat_spawn(t.r, t.a, SOVEREIGN, (sb_vec3){ 0, 20, 0 });
    uint32_t attacker = seat_spawn(t.r, t.b, SOVEREIGN, middle);
    seat_fire_torpedo(t.r, t.b, attacker, ship);
    room_wait(t.r, 4 * SB_SECOND);
    const sb_match *match = sb_server_match(t.r->server);
    unsigned        known = 0, left = 0;
    for (size_t i = 0; i < SB_MATCH_SHIPS; i++) known += match->ledgers[i].ship_id == ship;
    CHECK_EQ(known, 1);
    sb_server_remove_object(t.r->server, sb_server_find_object(t.r->server, ship));
    for (size_t i = 0; i < SB_MATCH_SHIPS; i++) left += match->ledgers[i].ship_id == ship;
    CHECK_EQ(left, 0);
}

/* ---- motion that is enforced ---- */

TEST(only_level_3_refuses_positions_that_are_too_far)
{
    for (unsigned level = SB_FIDELITY_RELAY; level <= SB_FIDELITY_ENFORCE; level++) {
        sb_server_config c;
        sb_server_defaults(&c);
        c.combat.fidelity = (uint8_t)level;
        pair     t = open_pair(&c);
        uint32_t ship = seat_spawn(t.r, t.a, AKIRA, middle);
        room_wait(t.r, 5 * SB_SECOND);
        seat_say_position(t.r, t.a, ship, (sb_vec3){ 900, 0, 0 });
        CHECK_EQ(sb_server_implausible(t.r->server, SB_IMPLAUSIBLE_POSITION), 1);
        CHECK_EQ(seat_view(t.r, t.a).position.x == 900, level < SB_FIDELITY_ENFORCE);
    }
}

/* ---- requests ---- */

static void request(room *r, seat *s, uint32_t id)
{
    uint8_t bytes[5] = { SB_OP_REQUEST_OBJECT };
    sb_store_u32(bytes + 1, id);
    seat_say(r, s, SB_RELIABLE, (sb_span){ bytes, sizeof bytes });
}

TEST(the_same_object_can_be_requested_again_after_a_second)
{
    static const struct {
        sb_time  after;
        unsigned answers;
    } rows[] = { { 0, 1 }, { 999000, 1 }, { 1000, 2 }, { 999000, 2 }, { 1000, 3 } };
    pair     t = open_pair(NULL);
    uint32_t ship = seat_spawn(t.r, t.b, AKIRA, middle);
    unsigned refused = 0;
    uint64_t before = t.a->by_opcode[SB_OP_PLAYER_OBJECT_CREATE];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        room_wait(t.r, rows[i].after);
        request(t.r, t.a, ship);
        CHECK_EQ(t.a->by_opcode[SB_OP_PLAYER_OBJECT_CREATE] - before, rows[i].answers);
        refused += i > 0 && rows[i].answers == rows[i - 1].answers;
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_REQUEST_RATE), refused);
    }
}

/* A ship whose updates come before its creation, which the room does not have. */
static void update_unknown(pair *t, unsigned number)
{
    seat_say_position(t->r, t->a, seat_first_id(t->r, t->a) + 0x2000 + 100 * number, middle);
}

/* 20 requests of the player and 5 of the room fill all 25 records; a second later all may come
 * again. */
TEST(twenty_requests_and_five_of_the_room_fit_into_a_second)
{
    enum { OBJECTS = REQUESTS_PER_SECOND + 1 };
    pair     t = open_pair(NULL);
    uint32_t first = seat_first_id(t.r, t.b) + OFFSET;
    for (uint32_t i = 0; i < OBJECTS; i++) {
        seat_create_scenery(t.r, t.b, first + 100 * i);
        room_wait(t.r, SB_SECOND / 10);
    }
    uint64_t before = t.a->by_opcode[SB_OP_OBJECT_CREATE];
    for (uint32_t i = 0; i < OBJECTS; i++) request(t.r, t.a, first + 100 * i);
    CHECK_EQ(t.a->by_opcode[SB_OP_OBJECT_CREATE] - before, REQUESTS_PER_SECOND);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_REQUEST_RATE), 1);
    for (unsigned i = 0; i <= ASKS_PER_SECOND; i++) update_unknown(&t, i);
    CHECK_EQ(t.a->by_opcode[SB_OP_REQUEST_OBJECT], ASKS_PER_SECOND);
    room_wait(t.r, SB_SECOND - 50000); /* both budgets have tokens, no record is old enough */
    for (uint32_t i = 0; i < REQUESTS_PER_SECOND; i++) request(t.r, t.a, first + 100 * i);
    for (unsigned i = 0; i < ASKS_PER_SECOND; i++) update_unknown(&t, i);
    CHECK_EQ(t.a->by_opcode[SB_OP_OBJECT_CREATE] - before, REQUESTS_PER_SECOND);
    CHECK_EQ(t.a->by_opcode[SB_OP_REQUEST_OBJECT], ASKS_PER_SECOND);
    room_wait(t.r, 50000);
    for (uint32_t i = 0; i < OBJECTS; i++) request(t.r, t.a, first + 100 * i);
    for (unsigned i = 0; i <= ASKS_PER_SECOND; i++) update_unknown(&t, i);
    CHECK_EQ(t.a->by_opcode[SB_OP_OBJECT_CREATE] - before, 2 * REQUESTS_PER_SECOND);
    CHECK_EQ(t.a->by_opcode[SB_OP_REQUEST_OBJECT], 2 * ASKS_PER_SECOND);
    room_wait(t.r, SB_SECOND / REQUESTS_PER_SECOND); /* one token of the player */
    request(t.r, t.a, first + 100 * (OBJECTS - 1));
    CHECK_EQ(t.a->by_opcode[SB_OP_OBJECT_CREATE] - before, 2 * REQUESTS_PER_SECOND + 1);
}

TEST(requests_of_unknown_objects_count_and_of_wrecks_do_not)
{
    pair     t = open_pair(NULL);
    uint32_t ship = seat_spawn(t.r, t.b, AKIRA, middle);
    request(t.r, t.a, 0);
    request(t.r, t.a, 1);
    request(t.r, t.a, ship + 1);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_UNKNOWN_OBJECT), 3);
    seat_say_hex(t.r, t.b, "13");
    uint64_t before = t.a->by_opcode[SB_OP_PLAYER_OBJECT_CREATE];
    for (unsigned i = 0; i < 2; i++) request(t.r, t.a, ship);
    CHECK_EQ(t.a->by_opcode[SB_OP_PLAYER_OBJECT_CREATE], before);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_REQUEST_RATE), 0);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_UNKNOWN_OBJECT), 3);
}

/* With trust_clients a player may choose any id, even 1. */
TEST(an_object_may_have_the_id_1)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.trust_clients = true;
    pair       t = open_pair(&c);
    sb_message m = creation_of(t.a, SB_OP_OBJECT_CREATE, 1);
    seat_say_message(t.r, t.a, &m);
    uint64_t before = t.b->by_opcode[SB_OP_OBJECT_CREATE];
    request(t.r, t.b, 1);
    CHECK_EQ(t.b->by_opcode[SB_OP_OBJECT_CREATE], before + 1);
}
