/* tests/server/mod_ships_test.c -- ships without a model: key mod_ships. Spec 07 §2.6. */
#include "rig.h"

#include <starbase/message.h>

#include "player_messages.h"
#include "server/server_internal.h"

#include <string.h>

enum { AKIRA = 1, SOVEREIGN = 5, UNKNOWN = 200 };

static const sb_vec3 middle = { 0, 0, 0 }, ahead = { 0, 20, 0 };

static room *open_room(uint8_t mod_ships, sb_checksum_mode checksums)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.mod_ships = mod_ships;
    c.checksums = checksums;
    c.trace_damage = true;
    return room_open(&c);
}

/* An Akira with one byte more, as in the report of the exploit. */
static void spawn_modified(room *r, seat *s, uint32_t id, sb_vec3 position)
{
    uint8_t bytes[256];
    size_t  size = player_creation(AKIRA, id, s->id, position, "Multi1", bytes, sizeof bytes);
    bytes[size] = 0xFF;
    seat_say(r, s, SB_RELIABLE, (sb_span){ bytes, size + 1 });
}

static bool flies(const room *r, const seat *s)
{
    sb_player_view view;
    for (unsigned i = 0; sb_server_player(r->server, i, r->now, &view); i++)
        if (view.peer_id == s->id) return view.ship != NULL;
    return false;
}

TEST(spec_07_2_6_mod_ships_follow_the_checksums_unless_set)
{
    static const struct {
        uint8_t          mod_ships;
        sb_checksum_mode checksums;
        bool             flies;
    } rows[] = {
        { SB_MOD_SHIPS_AUTO, SB_CHECKSUM_OFF, true },
        { SB_MOD_SHIPS_AUTO, SB_CHECKSUM_LOG, true },
        { SB_MOD_SHIPS_AUTO, SB_CHECKSUM_LEARN, true },
        { SB_MOD_SHIPS_AUTO, SB_CHECKSUM_STRICT, false },
        { SB_MOD_SHIPS_YES, SB_CHECKSUM_STRICT, true },
        { SB_MOD_SHIPS_NO, SB_CHECKSUM_OFF, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        room *r = open_room(rows[i].mod_ships, rows[i].checksums);
        seat *a = room_join(r, "Alpha");
        spawn_modified(r, a, seat_first_id(r, a), middle);
        if (flies(r, a) != rows[i].flies) FAIL("row %zu", i);
        CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_MOD_SHIP), !rows[i].flies);
        seat *b = room_join(r, "Beta");
        (void)seat_spawn(r, b, UNKNOWN, middle);
        if (flies(r, b) != rows[i].flies) FAIL("row %zu, unknown species", i);
        (void)seat_spawn(r, b, SOVEREIGN, middle); /* a ship that the room knows always flies */
        CHECK(flies(r, b));
    }
}

TEST(a_refused_mod_ship_is_reported_told_and_not_relayed)
{
    room *r = open_room(SB_MOD_SHIPS_NO, SB_CHECKSUM_LOG);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    for (unsigned i = 0; i < 4; i++) spawn_modified(r, a, seat_first_id(r, a), middle);
    CHECK_EQ(b->by_opcode[SB_OP_PLAYER_OBJECT_CREATE], 0);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_MOD_SHIP), 4);
    CHECK(!a->left);
    sb_message m;
    CHECK_EQ(sb_decode_message(seat_find(a, SB_OP_CHAT), NULL, &m, NULL), SB_OK);
    CHECK(m.as.chat.text.size > 20);
    CHECK(memcmp(m.as.chat.text.data, "Your ship has other subsystems", 30) == 0);
    const sb_server_event *e = &room_expect(r, SB_SERVER_SUSPICIOUS)->event;
    CHECK_EQ(e->value, SB_IMPLAUSIBLE_SUBSYSTEMS);
    CHECK(e->claimed == e->possible + 1);
}

/* The client of a refused ship flies it all the same. */
TEST(a_refused_mod_ship_is_not_requested)
{
    room    *r = open_room(SB_MOD_SHIPS_NO, SB_CHECKSUM_LOG);
    seat    *a = room_join(r, "Alpha");
    uint32_t id = seat_first_id(r, a);
    spawn_modified(r, a, id, middle);
    for (unsigned i = 0; i < 5; i++) {
        seat_say_position(r, a, id, middle);
        room_wait(r, SB_SECOND);
    }
    CHECK_EQ(a->by_opcode[SB_OP_REQUEST_OBJECT], 0);
    CHECK_EQ(a->by_opcode[SB_OP_CHAT], 1);
}

TEST(a_mod_ship_that_flies_is_named_and_has_no_model)
{
    room *r = open_room(SB_MOD_SHIPS_YES, SB_CHECKSUM_LOG);
    seat *a = room_join(r, "Alpha");
    spawn_modified(r, a, seat_first_id(r, a), middle);
    const sb_server_event *e = &room_expect(r, SB_SERVER_SUSPICIOUS)->event;
    CHECK_EQ(e->value, SB_IMPLAUSIBLE_SUBSYSTEMS);
    CHECK(e->claimed == e->possible + 1);
    CHECK(seat_view(r, a).mod_ship);
    CHECK(!seat_view(r, a).ship->model);
    room_wait(r, 10 * SB_SECOND);
    (void)seat_replace(r, a, AKIRA, middle);
    CHECK(!seat_view(r, a).mod_ship);
    (void)seat_replace(r, a, UNKNOWN, middle); /* of a mod, but no lie about a known ship */
    CHECK(!seat_view(r, a).mod_ship);
}

/* A torpedo that is in flight when its owner changes to a modified ship. */
TEST(weapons_of_a_player_in_a_mod_ship_do_nothing)
{
    for (unsigned modified = 0; modified < 2; modified++) {
        room    *r = open_room(SB_MOD_SHIPS_YES, SB_CHECKSUM_LOG);
        seat    *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
        uint32_t ship = seat_spawn(r, a, SOVEREIGN, middle);
        uint32_t victim = seat_spawn(r, b, SOVEREIGN, (sb_vec3){ 0, 60, 0 });
        seat_fire_torpedo(r, a, ship, victim);
        if (modified) spawn_modified(r, a, ship + 100, (sb_vec3){ 500, 0, 0 });
        else (void)seat_spawn(r, a, AKIRA, (sb_vec3){ 500, 0, 0 });
        room_wait(r, 4 * SB_SECOND);
        CHECK_EQ(room_count_hits(r, victim), !modified);
    }
}

TEST(a_mod_ship_rams_nobody)
{
    room    *r = open_room(SB_MOD_SHIPS_YES, SB_CHECKSUM_LOG);
    seat    *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    uint32_t victim = seat_spawn(r, b, SOVEREIGN, ahead), rammer = seat_first_id(r, a);
    spawn_modified(r, a, rammer, ahead);
    room_wait(r, 20 * SB_SECOND);
    sb_message m = event_message(SB_OP_COLLISION, SB_EVENT_COLLISION, 0x00800050, victim);
    m.as.event.source = rammer;
    m.as.event.contact_count = 1;
    m.as.event.contacts[0] = (sb_cv4b){ { 0, -127, 0 }, 100 };
    m.as.event.force = 2000;
    seat_say_message(r, b, &m);
    CHECK_EQ(room_count_hits(r, victim), 0);
}
