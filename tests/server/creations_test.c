/* tests/server/creations_test.c -- creations that are too long to be kept for late joiners. Spec 07
 * §11.
 */
#include "rig.h"

#include <starbase/message.h>

#include "base/bytes.h"
#include "server/server_internal.h"

#include <string.h>

enum { LONG = 600, SLOT_0 = 0x3FFFFFFF };

/* A creation of a mod's species by the player in slot 0, with a snapshot that only the mod
 * understands. */
static sb_span creation(uint8_t opcode, uint32_t object_id, uint8_t peer_id, size_t size, float x)
{
    static uint8_t    bytes[SB_EVENT_MAX + 1];
    static const char body[] =
        "C8 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3F 00 00 00 00 00 00 00 00 00 00 00 00 00 "
        "00 00 00 00 00 00 01 41 06 4D 75 6C 74 69 31";
    bool   ship = opcode == SB_OP_PLAYER_OBJECT_CREATE;
    size_t at = ship ? 3 : 2;
    memset(bytes, 0xAB, sizeof bytes);
    bytes[0] = opcode;
    bytes[1] = 0;
    if (ship) bytes[2] = peer_id;
    sb_store_u32(bytes + at, SB_CLASS_SHIP);
    sb_store_u32(bytes + at + 4, object_id);
    (void)test_hex(body, bytes + at + 8, sizeof bytes - at - 8);
    sb_store_u32(bytes + at + 9, sb_float_bits(x));
    return (sb_span){ bytes, size };
}

static void say_long_ship(pair *t, float x)
{
    seat_say(t->r, t->a, SB_RELIABLE,
             creation(SB_OP_PLAYER_OBJECT_CREATE, SLOT_0, t->a->id, LONG, x));
}

TEST(long_creations_are_relayed_not_kept_and_no_reason_for_a_boot)
{
    pair t = open_pair(NULL);
    for (unsigned i = 0; i < 6; i++) {
        sb_span long_one = creation(SB_OP_OBJECT_CREATE, SLOT_0 + 100 * i, 0, LONG, 0);
        seat_say(t.r, t.a, SB_RELIABLE, long_one);
        sb_span relayed = seat_find(t.b, SB_OP_OBJECT_CREATE);
        CHECK_BYTES(relayed.data, relayed.size, long_one.data, long_one.size);
        room_wait(t.r, SB_SECOND);
    }
    CHECK(!t.a->left);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_NOT_KEPT), 6);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_OVERSIZED), 0);
    seat *late = room_join(t.r, "Late");
    room_wait(t.r, SB_SECOND);
    CHECK_EQ(late->by_opcode[SB_OP_OBJECT_CREATE], 0);
    CHECK_EQ(t.a->by_opcode[SB_OP_REQUEST_OBJECT], 0);
}

/* The other clients keep an object until they get 0x14. Without a bound, one player could fill
 * their memory. */
TEST(long_scenery_is_bounded_and_goes_with_its_owner)
{
    enum { CREATED = 3 * OBJECTS_MAX };
    pair t = open_pair(NULL);
    for (unsigned i = 0; i < CREATED; i++) {
        seat_say(t.r, t.a, SB_RELIABLE, creation(SB_OP_OBJECT_CREATE, SLOT_0 + i, 0, LONG, 0));
        room_wait(t.r, SB_SECOND / 2);
    }
    CHECK_EQ(t.b->by_opcode[SB_OP_OBJECT_CREATE], CREATED);
    CHECK(t.b->by_opcode[SB_OP_DESTROY_OBJECT] >= CREATED - OBJECTS_MAX);
    seat_leave(t.r, t.a);
    CHECK_EQ(t.b->by_opcode[SB_OP_DESTROY_OBJECT], CREATED);
}

/* Late joiners do not have the object, so no updates are sent. */
TEST(long_scenery_has_no_lanes)
{
    pair t = open_pair(NULL);
    seat_say(t.r, t.a, SB_RELIABLE, creation(SB_OP_OBJECT_CREATE, SLOT_0, 0, LONG, 0));
    seat_say_position(t.r, t.a, SLOT_0, (sb_vec3){ 7, 0, 0 });
    room_wait(t.r, SB_SECOND);
    CHECK_EQ(t.b->by_opcode[SB_OP_STATE_UPDATE], 0);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_UNKNOWN_OBJECT), 0);
    seat_say_hex(t.r, t.b, "1E FF FF FF 3F");
    CHECK_EQ(t.b->by_opcode[SB_OP_OBJECT_CREATE], 1);
    CHECK_EQ(t.a->by_opcode[SB_OP_REQUEST_OBJECT], 0);
}

TEST(a_creation_of_512_bytes_is_kept_and_one_of_513_is_not)
{
    for (size_t size = 512; size <= 513; size++) {
        pair t = open_pair(NULL);
        seat_say(t.r, t.a, SB_RELIABLE, creation(SB_OP_OBJECT_CREATE, SLOT_0, 0, size, 0));
        seat *late = room_join(t.r, "Late");
        CHECK_EQ(late->by_opcode[SB_OP_OBJECT_CREATE], size == 512);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_NOT_KEPT), size != 512);
    }
}

/* A mod's species with so many parts that a creation with a name of 255 bytes is too long. */
static const sb_ship_set *ships_with_many_parts(void)
{
    static sb_ship_set        set;
    static sb_ship_class      mod;
    static sb_subsystem_class parts[SB_SUBSYSTEMS_MAX];
    set = *sb_stock_ships();
    mod = *set.by_species[5];
    mod.species = 0xC8;
    mod.subsystem_count = SB_SUBSYSTEMS_MAX;
    mod.subsystems = parts;
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++)
        parts[i] = (sb_subsystem_class){ .name = "Part",
                                         .type = SB_SUBSYSTEM_SENSOR,
                                         .format = SB_FORMAT_SHIELD };
    set.by_species[0xC8] = &mod;
    return &set;
}

/* The room has data of the species, so it builds the creation. */
TEST(late_joiners_get_long_scenery_that_the_room_has_data_of)
{
    enum { NAME = 46, NAME_BYTES = 255, PARTS = SB_SUBSYSTEMS_MAX * 8 };
    sb_server_config c;
    sb_server_defaults(&c);
    c.ships = ships_with_many_parts();
    pair    t = open_pair(&c);
    uint8_t bytes[NAME + 1 + NAME_BYTES + 7 + PARTS];
    memset(bytes, 0x64, sizeof bytes);
    memcpy(bytes, creation(SB_OP_OBJECT_CREATE, SLOT_0, 0, LONG, 3).data, NAME);
    bytes[NAME] = NAME_BYTES;
    for (size_t i = 0; i < NAME_BYTES; i++) bytes[NAME + 1 + i] = (uint8_t)('A' + i % 26);
    memcpy(bytes + NAME + 1 + NAME_BYTES, "\x06Multi1", 7);
    seat_say(t.r, t.a, SB_RELIABLE, (sb_span){ bytes, sizeof bytes });
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_NOT_KEPT), 1);
    seat *late = room_load(t.r, "Late");
    seat_say_hex(t.r, late, "2A 20");
    CHECK(!late->left);
    CHECK_EQ(late->by_opcode[SB_OP_OBJECT_CREATE], 1);
    sb_message         m;
    sb_message_context context = { .ships = c.ships };
    CHECK_EQ(sb_decode_message(seat_find(late, SB_OP_OBJECT_CREATE), &context, &m, NULL), SB_OK);
    sb_span name = m.as.object_create.name;
    CHECK_BYTES(name.data, name.size, bytes + NAME + 1, NAME_BYTES);
}

TEST(a_player_flies_a_ship_whose_creation_is_too_long)
{
    pair t = open_pair(NULL);
    say_long_ship(&t, 0);
    CHECK_EQ(t.b->by_opcode[SB_OP_PLAYER_OBJECT_CREATE], 1);
    CHECK_EQ(t.b->by_opcode[SB_OP_OBJECT_NOT_FOUND], 1); /* the notice of every ship */
    CHECK_EQ(seat_view(t.r, t.a).ship->object_id, SLOT_0);
    room_wait(t.r, SB_SECOND);
    uint64_t before = t.b->by_opcode[SB_OP_STATE_UPDATE];
    for (unsigned i = 0; i < 10; i++) {
        seat_say_position(t.r, t.a, SLOT_0, (sb_vec3){ (float)i, 0, 0 });
        room_wait(t.r, SB_SECOND / 10);
    }
    CHECK(t.b->by_opcode[SB_OP_STATE_UPDATE] >= before + 9);
    CHECK(seat_view(t.r, t.a).position.x == 9.0f);
    (void)seat_replace(t.r, t.a, 1, (sb_vec3){ 0, 0, 0 });
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_DEATHS), 1); /* spec 07 §2.6 */
    CHECK_EQ(t.b->by_opcode[SB_OP_PYTHON_EVENT], 1);
}

/* The room has neither the bytes nor data: only the owner knows the ship. */
TEST(the_owner_is_asked_for_a_ship_that_was_not_kept)
{
    pair t = open_pair(NULL);
    say_long_ship(&t, 0);
    seat_say_position(t.r, t.a, SLOT_0, (sb_vec3){ 7, 0, 0 });
    seat *late = room_join(t.r, "Late");
    CHECK_EQ(late->by_opcode[SB_OP_PLAYER_OBJECT_CREATE], 0);
    sb_span request = seat_find(t.a, SB_OP_REQUEST_OBJECT);
    CHECK_BYTES(request.data, request.size, "\x1E\xFF\xFF\xFF\x3F", 5);
    seat_forget(t.b);
    say_long_ship(&t, 7);
    sb_span relayed = seat_find(late, SB_OP_PLAYER_OBJECT_CREATE);
    sb_span sent = creation(SB_OP_PLAYER_OBJECT_CREATE, SLOT_0, t.a->id, LONG, 7);
    CHECK_BYTES(relayed.data, relayed.size, sent.data, sent.size);
    CHECK_EQ(seat_find(t.b, SB_OP_PLAYER_OBJECT_CREATE).size, 0); /* Beta has the ship */
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_KNOWN_OBJECT), 0);
    say_long_ship(&t, 8); /* nobody wants it any more */
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_KNOWN_OBJECT), 1);
    CHECK_EQ(late->by_opcode[SB_OP_PLAYER_OBJECT_CREATE], 1);
}

TEST(a_request_of_a_player_asks_the_owner_as_well)
{
    pair t = open_pair(NULL);
    say_long_ship(&t, 0);
    seat_say_hex(t.r, t.b, "1E FF FF FF 3F");
    CHECK_EQ(t.a->by_opcode[SB_OP_REQUEST_OBJECT], 1);
    say_long_ship(&t, 0);
    CHECK_EQ(t.b->by_opcode[SB_OP_PLAYER_OBJECT_CREATE], 2);
    room_wait(t.r, 2 * SB_SECOND);
    seat_say_hex(t.r, t.a, "1E FF FF FF 3F"); /* the owner itself */
    CHECK_EQ(t.a->by_opcode[SB_OP_REQUEST_OBJECT], 1);
    say_long_ship(&t, 0);
    CHECK_EQ(t.a->by_opcode[SB_OP_PLAYER_OBJECT_CREATE], 0);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_KNOWN_OBJECT), 1);
}

TEST(another_ship_under_the_same_id_is_no_answer)
{
    pair t = open_pair(NULL);
    say_long_ship(&t, 0);
    (void)room_join(t.r, "Late");
    sb_span other = creation(SB_OP_PLAYER_OBJECT_CREATE, SLOT_0, t.a->id, LONG, 0);
    uint8_t bytes[LONG];
    memcpy(bytes, other.data, LONG);
    bytes[11] = 0xC9; /* the species */
    seat_say(t.r, t.a, SB_RELIABLE, (sb_span){ bytes, LONG });
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_KNOWN_OBJECT), 1);
}

/* With trust_clients a creation may name the id of another player. */
TEST(only_the_owner_answers_for_a_ship)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.trust_clients = true;
    pair t = open_pair(&c);
    say_long_ship(&t, 0);
    seat *late = room_join(t.r, "Late");
    seat_say(t.r, t.b, SB_RELIABLE, creation(SB_OP_PLAYER_OBJECT_CREATE, SLOT_0, t.a->id, LONG, 0));
    CHECK_EQ(late->by_opcode[SB_OP_PLAYER_OBJECT_CREATE], 0);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_KNOWN_OBJECT), 1);
}

TEST(the_next_player_in_a_slot_does_not_get_the_answer)
{
    pair  t = open_pair(NULL);
    seat *late = (say_long_ship(&t, 0), room_join(t.r, "Late"));
    seat_leave(t.r, late);
    say_long_ship(&t, 0);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_KNOWN_OBJECT), 1);
}

/* The ship belongs to the player in slot 1; the players in the first and the last slot ask. */
TEST(the_answer_reaches_those_who_asked_in_every_slot)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = SB_SERVER_PLAYERS_MAX;
    room *r = room_open(&c);
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++) (void)room_join(r, "Player");
    seat    *owner = &r->seats[1], *last = &r->seats[SB_SERVER_PLAYERS_MAX - 1];
    uint32_t ship = seat_first_id(r, owner);
    uint8_t  bytes[LONG], request[5] = { SB_OP_REQUEST_OBJECT };
    memcpy(bytes, creation(SB_OP_PLAYER_OBJECT_CREATE, ship, owner->id, LONG, 0).data, LONG);
    bytes[1] = 1;
    sb_store_u32(request + 1, ship);
    seat_say(r, owner, SB_RELIABLE, (sb_span){ bytes, LONG });
    room_wait(r, 2 * SB_SECOND);
    seat_say(r, &r->seats[0], SB_RELIABLE, (sb_span){ request, sizeof request });
    seat_say(r, last, SB_RELIABLE, (sb_span){ request, sizeof request });
    seat_say(r, owner, SB_RELIABLE, (sb_span){ bytes, LONG });
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++)
        CHECK_EQ(r->seats[i].by_opcode[SB_OP_PLAYER_OBJECT_CREATE],
                 i == 1                                     ? 0
                 : i == 0 || i == SB_SERVER_PLAYERS_MAX - 1 ? 2
                                                            : 1);
}

/* StateUpdates of the ship with its absolute position that the seat has received. */
static unsigned full_updates(const seat *s)
{
    unsigned count = 0;
    for (size_t i = 0; i < s->heard_count; i++)
        count += s->heard[i].bytes[0] == SB_OP_STATE_UPDATE &&
                 (s->heard[i].bytes[9] & SB_STATE_POS) != 0;
    return count;
}

/* Whoever gets the creation late must not wait for the next full update. */
TEST(a_full_update_follows_an_answer_of_the_owner)
{
    unsigned updates[2];
    for (unsigned asks = 0; asks < 2; asks++) {
        pair t = open_pair(NULL);
        say_long_ship(&t, 0);
        seat_say_position(t.r, t.a, SLOT_0, (sb_vec3){ 7, 0, 0 });
        room_wait(t.r, 2 * SB_SECOND + SB_SECOND / 20);
        if (asks) seat_say_hex(t.r, t.b, "1E FF FF FF 3F");
        room_wait(t.r, SB_SECOND / 2); /* the update that follows the request is sent */
        seat_forget(t.b);
        if (asks) say_long_ship(&t, 7);
        room_wait(t.r, SB_SECOND / 5);
        updates[asks] = full_updates(t.b);
    }
    CHECK_EQ(updates[0], 0);
    CHECK_EQ(updates[1], 1);
}
