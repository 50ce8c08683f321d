/* tests/server/scenery_test.c -- objects that are no player's ship: their updates, late joiners,
 * removal, and each player's share. Spec 07 §11.
 */
#include "rig.h"

#include <starbase/message.h>

#include "base/bytes.h"
#include "server/server_internal.h"

#include <math.h>
#include <string.h>

enum { OFFSET = 0x1000 }; /* ids of scenery begin this far above those of ships */

static uint32_t scenery_id(const room *r, const seat *s, unsigned number)
{
    return seat_first_id(r, s) + OFFSET + 100 * number;
}

/* Waits as long as the relay budget needs. */
static uint32_t create(room *r, seat *s, unsigned number)
{
    uint32_t id = scenery_id(r, s, number);
    seat_create_scenery(r, s, id);
    room_wait(r, SB_SECOND / 10);
    return id;
}

static void say_position(room *r, seat *s, uint32_t id, float x)
{
    seat_say_position(r, s, id, (sb_vec3){ x, 0, 0 });
}

/* StateUpdates of the object that the seat has received and not forgotten. */
static unsigned updates_of(const seat *s, uint32_t id)
{
    unsigned count = 0;
    for (size_t i = 0; i < s->heard_count; i++)
        count +=
            s->heard[i].bytes[0] == SB_OP_STATE_UPDATE && sb_load_u32(s->heard[i].bytes + 1) == id;
    return count;
}

/* DestroyObjects of the object, likewise. */
static unsigned removals_of(const seat *s, uint32_t id)
{
    unsigned count = 0;
    for (size_t i = 0; i < s->heard_count; i++)
        count += s->heard[i].bytes[0] == SB_OP_DESTROY_OBJECT &&
                 sb_load_u32(s->heard[i].bytes + 1) == id;
    return count;
}

/* x of the last absolute position of the object that the seat has received. */
static float last_x(const seat *s, uint32_t id)
{
    float x = NAN;
    for (size_t i = 0; i < s->heard_count; i++) {
        sb_message         m;
        sb_message_context context = { .ship = sb_find_ship(sb_stock_ships(), 1),
                                       .layout = SB_SHIELD_STOCK };
        const heard       *h = &s->heard[i];
        if (h->bytes[0] != SB_OP_STATE_UPDATE || sb_load_u32(h->bytes + 1) != id) continue;
        CHECK_EQ(sb_decode_message((sb_span){ h->bytes, h->size }, &context, &m, NULL), SB_OK);
        if (m.as.state_update.flags & SB_STATE_POS) x = m.as.state_update.position.x;
    }
    return x;
}

/* Joins and returns the creation of the object that the newcomer gets. */
static sb_object_create creation_for_newcomer(room *r, uint32_t id)
{
    sb_message m;
    seat      *late = room_load(r, "Late");
    seat_say_hex(r, late, "2A 20");
    for (sb_span bytes; (bytes = seat_find(late, SB_OP_OBJECT_CREATE)).size;) {
        CHECK_EQ(sb_decode_message(bytes, NULL, &m, NULL), SB_OK);
        if (m.as.object_create.object_id == id) return m.as.object_create;
    }
    FAIL("the newcomer gets no creation");
}

/* ---- updates ---- */

TEST(updates_of_scenery_reach_the_others_like_those_of_a_ship)
{
    pair     t = open_pair(NULL);
    uint32_t id = create(t.r, t.a, 0);
    room_forget(t.r);
    for (unsigned i = 1; i <= 20; i++) {
        say_position(t.r, t.a, id, 10.0f + 0.1f * (float)i);
        room_wait(t.r, SB_SECOND / 10);
    }
    unsigned count = updates_of(t.b, id);
    CHECK(count >= 19 && count <= 22);
    CHECK(fabsf(last_x(t.b, id) - 12.0f) < 1.5f);
    CHECK(isnan(last_x(t.a, id))); /* an owner gets no positions of its own object */
}

TEST(scenery_without_updates_of_its_owner_is_not_sent)
{
    pair     t = open_pair(NULL);
    uint32_t id = create(t.r, t.a, 0);
    room_wait(t.r, 5 * SB_SECOND);
    CHECK_EQ(updates_of(t.b, id), 0);
}

TEST(only_the_owner_moves_scenery)
{
    pair     t = open_pair(NULL);
    uint32_t id = create(t.r, t.a, 0);
    say_position(t.r, t.b, id, 99.0f);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_FOREIGN_STATE), 1);
    CHECK(creation_for_newcomer(t.r, id).position.x == 0.0f);
}

TEST(late_joiners_get_scenery_where_it_is_now)
{
    pair     t = open_pair(NULL);
    uint32_t id = create(t.r, t.a, 0);
    CHECK(creation_for_newcomer(t.r, id).position.x == 0.0f);
    say_position(t.r, t.a, id, 42.0f);
    CHECK(creation_for_newcomer(t.r, id).position.x == 42.0f);
}

/* The owner's update is half a second old when the newcomer comes. */
TEST(late_joiners_get_moving_scenery_where_it_has_flown_to)
{
    pair       t = open_pair(NULL);
    uint32_t   id = create(t.r, t.a, 0);
    sb_message m = { .opcode = SB_OP_STATE_UPDATE };
    m.as.state_update =
        (sb_state_update){ .object_id = id,
                           .game_time = 0.0f,
                           .flags = SB_STATE_POS | SB_STATE_FWD | SB_STATE_UP | SB_STATE_SPEED,
                           .position = { 42, 0, 0 },
                           .forward = sb_encode_cv3((sb_vec3){ 1, 0, 0 }),
                           .up = sb_encode_cv3((sb_vec3){ 0, 0, 1 }),
                           .speed_code = sb_encode_cf16(4.0f) };
    uint8_t bytes[64];
    size_t  size;
    CHECK_EQ(sb_encode_message(&m, NULL, bytes, sizeof bytes, &size), SB_OK);
    seat_say(t.r, t.a, SB_UNRELIABLE, (sb_span){ bytes, size });
    room_wait(t.r, SB_SECOND / 2);
    CHECK(fabsf(creation_for_newcomer(t.r, id).position.x - 44.0f) < 0.1f);
}

/* A species without data: a snapshot of three bytes that only its mod understands. */
TEST(late_joiners_get_scenery_of_mods_where_it_is_now)
{
    static const char mod[] =
        "02 00 08 80 00 00 00 10 00 40 C8 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3F 00 00 00 "
        "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 41 06 4D 75 6C 74 69 31 AA BB CC";
    pair t = open_pair(NULL);
    seat_say_hex(t.r, t.a, mod);
    sb_object_create before = creation_for_newcomer(t.r, 0x40001000);
    CHECK(before.position.x == 0.0f);
    say_position(t.r, t.a, 0x40001000, 42.0f);
    sb_object_create after = creation_for_newcomer(t.r, 0x40001000);
    CHECK(after.position.x == 42.0f);
    CHECK_EQ(after.species, 0xC8);
    CHECK_BYTES(after.opaque.data, after.opaque.size, "\xAA\xBB\xCC", 3);
    CHECK_BYTES(after.name.data, after.name.size, "A", 1);
}

TEST(a_request_for_scenery_is_answered_with_its_place)
{
    pair       t = open_pair(NULL);
    sb_message m;
    uint32_t   id = create(t.r, t.a, 0);
    uint8_t    request[5] = { SB_OP_REQUEST_OBJECT };
    say_position(t.r, t.a, id, 42.0f);
    seat_forget(t.b);
    sb_store_u32(request + 1, id);
    seat_say(t.r, t.b, SB_RELIABLE, (sb_span){ request, sizeof request });
    CHECK_EQ(sb_decode_message(seat_find(t.b, SB_OP_OBJECT_CREATE), NULL, &m, NULL), SB_OK);
    CHECK(m.as.object_create.position.x == 42.0f);
}

/* ---- removal ---- */

TEST(scenery_goes_with_its_owner)
{
    pair     t = open_pair(NULL);
    uint32_t moved = create(t.r, t.a, 0), resting = create(t.r, t.a, 1);
    uint32_t kept = create(t.r, t.b, 0);
    say_position(t.r, t.a, moved, 5.0f);
    seat_leave(t.r, t.a);
    CHECK_EQ(removals_of(t.b, moved), 1);
    CHECK_EQ(removals_of(t.b, resting), 1);
    CHECK_EQ(removals_of(t.b, kept), 0);
    room_forget(t.r);
    room_wait(t.r, 2 * SB_SECOND);
    CHECK_EQ(updates_of(t.b, moved), 0);
}

TEST(without_leave_destroy_scenery_goes_without_a_word)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.leave_destroy = false;
    pair t = open_pair(&c);
    (void)create(t.r, t.a, 0);
    seat_leave(t.r, t.a);
    CHECK_EQ(t.b->by_opcode[SB_OP_DESTROY_OBJECT], 0);
    CHECK_EQ(room_join(t.r, "Late")->by_opcode[SB_OP_OBJECT_CREATE], 0);
}

TEST(scenery_stays_when_its_owner_changes_the_ship)
{
    pair     t = open_pair(NULL);
    uint32_t id = create(t.r, t.a, 0), ship = seat_spawn(t.r, t.a, 1, (sb_vec3){ 0, 0, 0 });
    (void)seat_replace(t.r, t.a, 2, (sb_vec3){ 0, 0, 0 });
    CHECK_EQ(removals_of(t.b, ship), 0); /* it explodes (spec 07 §2.6) */
    CHECK_EQ(t.b->by_opcode[SB_OP_PYTHON_EVENT], 1);
    CHECK_EQ(removals_of(t.b, id), 0);
    CHECK_EQ(creation_for_newcomer(t.r, id).object_id, id);
}

/* Every client removes all ships by itself (spec 09 §8). */
TEST(the_end_of_a_match_removes_scenery_without_a_word)
{
    pair     t = open_pair(NULL);
    uint32_t id = create(t.r, t.a, 0);
    say_position(t.r, t.a, id, 5.0f);
    sb_server_end_match(t.r->server, t.r->now, SB_END_GENERIC);
    room_wait(t.r, SB_SECOND);
    sb_server_restart_match(t.r->server, t.r->now);
    room_wait(t.r, SB_SECOND);
    CHECK_EQ(t.b->by_opcode[SB_OP_DESTROY_OBJECT], 0);
    room_forget(t.r);
    say_position(t.r, t.a, id, 6.0f);
    room_wait(t.r, SB_SECOND);
    CHECK_EQ(updates_of(t.b, id), 0);
}

TEST(an_evicted_object_is_removed_from_all_clients)
{
    pair t = open_pair(NULL);
    for (unsigned i = 0; i < OBJECTS_MAX; i++) (void)create(t.r, t.a, i);
    CHECK_EQ(t.b->by_opcode[SB_OP_DESTROY_OBJECT], 0);
    (void)create(t.r, t.a, OBJECTS_MAX);
    CHECK_EQ(t.b->by_opcode[SB_OP_DESTROY_OBJECT], 1);
    CHECK_EQ(removals_of(t.b, scenery_id(t.r, t.a, 0)), 1);
    CHECK_EQ(removals_of(t.a, scenery_id(t.r, t.a, 0)), 1);
    CHECK_EQ(t.b->by_opcode[SB_OP_OBJECT_CREATE], OBJECTS_MAX + 1);
}

/* A player with many objects loses them before a player with one. */
TEST(a_flood_of_scenery_evicts_that_of_the_flooder)
{
    pair     t = open_pair(NULL);
    uint32_t kept = create(t.r, t.b, 0);
    for (unsigned i = 0; i < 2 * OBJECTS_MAX; i++) {
        (void)create(t.r, t.a, i);
        room_forget(t.r);
    }
    CHECK_EQ(t.b->by_opcode[SB_OP_DESTROY_OBJECT], OBJECTS_MAX + 1);
    CHECK_EQ(creation_for_newcomer(t.r, kept).object_id, kept);
    seat_forget(t.b);
    uint32_t second = create(t.r, t.b, 1); /* the flooder gives way to it, too */
    CHECK_EQ(removals_of(t.b, kept), 0);
    CHECK_EQ(removals_of(t.b, scenery_id(t.r, t.a, OBJECTS_MAX + 1)), 1);
    CHECK_EQ(creation_for_newcomer(t.r, second).object_id, second);
}

TEST(equal_shares_are_kept_by_evicting_ones_own_oldest)
{
    pair t = open_pair(NULL);
    for (unsigned i = 0; i < OBJECTS_MAX / 2; i++) {
        (void)create(t.r, t.a, i);
        (void)create(t.r, t.b, i);
    }
    room_forget(t.r);
    (void)create(t.r, t.b, 50);
    CHECK_EQ(removals_of(t.a, scenery_id(t.r, t.b, 0)), 1);
    CHECK_EQ(removals_of(t.a, scenery_id(t.r, t.a, 0)), 0);
}

/* Alpha has a ship and 20 objects, Beta 19: with the new one as many as Alpha. */
TEST(in_a_tie_the_creator_gives_way)
{
    pair t = open_pair(NULL);
    for (unsigned i = 0; i < 20; i++) {
        (void)create(t.r, t.a, i);
        if (i < 19) (void)create(t.r, t.b, i);
    }
    (void)seat_spawn(t.r, t.a, 1, (sb_vec3){ 0, 0, 0 });
    room_forget(t.r);
    (void)create(t.r, t.b, 50);
    CHECK_EQ(removals_of(t.a, scenery_id(t.r, t.b, 0)), 1);
    CHECK_EQ(removals_of(t.a, scenery_id(t.r, t.a, 0)), 0);
}

/* ---- shares of updates ---- */

static void say_positions(room *r, seat *s, unsigned count, float x)
{
    for (unsigned i = 0; i < count; i++) say_position(r, s, scenery_id(r, s, i), x);
}

/* Moves `count` objects of the seat ten times a second, for `tenths` of a second. */
static void move_all(room *r, seat *s, unsigned count, unsigned tenths)
{
    for (unsigned n = 0; n < tenths; n++) {
        say_positions(r, s, count, 1.0f + 0.1f * (float)n);
        room_wait(r, SB_SECOND / 10);
    }
}

TEST(all_scenery_of_a_player_shares_the_updates_of_one_ship)
{
    pair t = open_pair(NULL);
    for (unsigned i = 0; i < SCENERY_LANES_MAX; i++) (void)create(t.r, t.a, i);
    move_all(t.r, t.a, SCENERY_LANES_MAX, 20); /* the first updates of new lanes come at once */
    room_forget(t.r);
    move_all(t.r, t.a, SCENERY_LANES_MAX, 80);
    unsigned total = 0;
    for (unsigned i = 0; i < SCENERY_LANES_MAX; i++) {
        unsigned count = updates_of(t.b, scenery_id(t.r, t.a, i));
        CHECK_EQ(count, 10);
        total += count;
    }
    CHECK_EQ(total, 80);
}

TEST(objects_beyond_the_lanes_are_placed_for_late_joiners_only)
{
    pair     t = open_pair(NULL);
    unsigned count = SCENERY_LANES_MAX + 2;
    for (unsigned i = 0; i < count; i++) (void)create(t.r, t.a, i);
    move_all(t.r, t.a, count, 1);
    room_forget(t.r);
    move_all(t.r, t.a, count, 40);
    unsigned sent = 0;
    for (unsigned i = 0; i < count; i++) sent += updates_of(t.b, scenery_id(t.r, t.a, i)) > 0;
    CHECK_EQ(sent, SCENERY_LANES_MAX);
    for (unsigned i = SCENERY_LANES_MAX; i < count; i++)
        CHECK(creation_for_newcomer(t.r, scenery_id(t.r, t.a, i)).position.x > 1.0f);
}

/* Objects of the seat that `listener` has heard updates of. */
static unsigned count_sent(const room *r, const seat *listener, const seat *owner)
{
    unsigned count = 0;
    for (unsigned i = 0; i < SCENERY_LANES_MAX; i++)
        count += updates_of(listener, scenery_id(r, owner, i)) > 0;
    return count;
}

/* So that lanes of objects take no larger part of a small room's memory. */
TEST(small_rooms_have_two_lanes_for_objects_per_place)
{
    for (unsigned places = 2; places <= 5; places++) {
        sb_server_config c;
        sb_server_defaults(&c);
        c.max_players = places;
        pair t = { .r = room_open(&c) };
        t.a = room_join(t.r, "Alpha");
        t.b = room_join(t.r, "Beta");
        for (unsigned i = 0; i < SCENERY_LANES_MAX; i++) (void)create(t.r, t.a, i);
        move_all(t.r, t.a, SCENERY_LANES_MAX, 40);
        CHECK_EQ(count_sent(t.r, t.b, t.a), places < 4 ? 2 * places : SCENERY_LANES_MAX);
    }
}

/* Alpha has all lanes before the others begin; then all three move eight objects each. */
TEST(players_with_fewer_lanes_get_some_of_the_player_with_most)
{
    pair  t = open_pair(NULL);
    seat *owners[] = { t.a, t.b, room_join(t.r, "Gamma") };
    seat *listener = room_join(t.r, "Delta");
    for (unsigned n = 0; n < 3; n++)
        for (unsigned i = 0; i < SCENERY_LANES_MAX; i++) (void)create(t.r, owners[n], i);
    move_all(t.r, t.a, SCENERY_LANES_MAX, 2);
    for (unsigned n = 0; n < 120; n++) {
        if (n == 40) room_forget(t.r);
        for (unsigned i = 0; i < 3; i++)
            say_positions(t.r, owners[(i + n) % 3], SCENERY_LANES_MAX, 1.0f + 0.1f * (float)n);
        room_wait(t.r, SB_SECOND / 10);
    }
    unsigned least = SCENERY_LANES_MAX, most = 0, total = 0;
    for (unsigned n = 0; n < 3; n++) {
        unsigned sent = count_sent(t.r, listener, owners[n]);
        least = sent < least ? sent : least;
        most = sent > most ? sent : most;
        total += sent;
        for (unsigned i = 0; i < SCENERY_LANES_MAX; i++) { /* 80 updates, shared out evenly */
            unsigned count = sent * updates_of(listener, scenery_id(t.r, owners[n], i));
            CHECK(count == 0 || (count >= 78 && count <= 82));
        }
    }
    CHECK_EQ(total, SCENERY_LANES_MAX); /* no object loses its lanes again */
    CHECK_EQ(least, 2);
    CHECK_EQ(most, 3);
}

TEST(fewer_objects_of_a_player_are_sent_more_often)
{
    pair t = open_pair(NULL);
    for (unsigned i = 0; i < 4; i++) (void)create(t.r, t.a, i);
    for (unsigned i = 0; i < SCENERY_LANES_MAX; i++) (void)create(t.r, t.b, i);
    seat *listener = room_join(t.r, "Gamma");
    move_all(t.r, t.b, SCENERY_LANES_MAX, 2);
    move_all(t.r, t.a, 4, 2); /* takes four lanes */
    seat_forget(listener);
    move_all(t.r, t.b, 0, 40);
    unsigned total = 0;
    for (unsigned i = 0; i < SCENERY_LANES_MAX; i++)
        total += updates_of(listener, scenery_id(t.r, t.b, i));
    CHECK_EQ(total, 40);
}

TEST(lanes_of_resting_scenery_go_to_scenery_that_moves)
{
    pair t = open_pair(NULL);
    for (unsigned i = 0; i <= SCENERY_LANES_MAX; i++) (void)create(t.r, t.a, i);
    uint32_t last = scenery_id(t.r, t.a, SCENERY_LANES_MAX);
    move_all(t.r, t.a, SCENERY_LANES_MAX, 2);
    say_position(t.r, t.a, last, 5.0f);
    room_wait(t.r, SB_SECOND);
    CHECK_EQ(updates_of(t.b, last), 0);
    room_wait(t.r, 10 * SB_SECOND);
    say_position(t.r, t.a, last, 6.0f);
    room_wait(t.r, SB_SECOND);
    CHECK(last_x(t.b, last) == 6.0f);
}

TEST(the_object_that_rested_longest_loses_its_lanes)
{
    enum { LONGEST = 3 };
    pair t = open_pair(NULL);
    for (unsigned i = 0; i <= SCENERY_LANES_MAX; i++) (void)create(t.r, t.a, i);
    say_position(t.r, t.a, scenery_id(t.r, t.a, LONGEST), 1.0f);
    room_wait(t.r, SB_SECOND);
    for (unsigned i = 0; i < SCENERY_LANES_MAX; i++)
        if (i != LONGEST) say_position(t.r, t.a, scenery_id(t.r, t.a, i), 1.0f);
    room_wait(t.r, 11 * SB_SECOND);
    say_position(t.r, t.a, scenery_id(t.r, t.a, SCENERY_LANES_MAX), 1.0f);
    room_forget(t.r);
    room_wait(t.r, 2 * SB_SECOND);
    for (unsigned i = 0; i <= SCENERY_LANES_MAX; i++)
        CHECK_EQ(updates_of(t.b, scenery_id(t.r, t.a, i)) > 0, i != LONGEST);
}

/* Neither takes a place from the other. */
TEST(sixteen_ships_fly_beside_all_scenery)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = 16;
    room *r = room_open(&c);
    for (unsigned i = 0; i < 16; i++) (void)room_join(r, "Player");
    for (unsigned i = 0; i < 2 * OBJECTS_MAX; i++) {
        if (i < 32) (void)seat_spawn(r, &r->seats[i % 16], 5, (sb_vec3){ 500.0f * (float)i, 0, 0 });
        uint32_t id = create(r, &r->seats[i % 16], i);
        say_position(r, &r->seats[i % 16], id, 3.0f);
        room_forget(r);
    }
    room_wait(r, SB_SECOND);
    unsigned sent = 0;
    for (unsigned i = 0; i < 2 * OBJECTS_MAX; i++)
        sent += updates_of(&r->seats[0], scenery_id(r, &r->seats[i % 16], i)) > 0;
    CHECK_EQ(sent, SCENERY_LANES_MAX);
    for (unsigned i = 0; i < 16; i++)
        CHECK(updates_of(&r->seats[0], seat_view(r, &r->seats[i]).ship->object_id) > 0);
}

/* Beta's client sees the object in its way and reports the collision honestly. */
TEST(scenery_of_a_player_hurts_nobody_else)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.trace_damage = true;
    room    *r = room_open(&c);
    seat    *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    uint32_t ship = seat_spawn(r, b, 5, (sb_vec3){ 0, 0, 0 });
    uint32_t mine = seat_first_id(r, a) + 50;
    seat_create_scenery(r, a, mine);
    sb_message m = event_message(SB_OP_COLLISION, SB_EVENT_COLLISION, SB_CODE_COLLISION, ship);
    m.as.event.contact_count = 1;
    m.as.event.contacts[0] = (sb_cv4b){ { 0, -127, 0 }, 100 };
    m.as.event.force = 2000;
    m.as.event.source = mine;
    seat_say_message(r, b, &m);
    CHECK_EQ(room_count_hits(r, ship), 0);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FOREIGN_SCENERY), 1);
    m.as.event.source = 0; /* an asteroid */
    seat_say_message(r, b, &m);
    CHECK_EQ(room_count_hits(r, ship), 1);
}

/* ---- edges ---- */

static const sb_object *object_at(const room *r, const seat *s, unsigned number)
{
    const sb_object *o = sb_server_find_object(r->server, scenery_id(r, s, number));
    CHECK(o != NULL);
    return o;
}

TEST(a_room_has_two_lanes_for_scenery_per_place_and_at_most_8)
{
    static const uint32_t lanes[] = { 0, 2, 4, 6, 8, 8, 8 };
    for (uint32_t places = 0; places < 7; places++)
        CHECK_EQ(sb_scenery_lanes(places), lanes[places]);
}

/* The object in the first row has rested for exactly 10 s, the others for less. */
TEST(lanes_are_free_after_ten_seconds_without_an_update)
{
    for (unsigned early = 0; early < 2; early++) {
        pair t = open_pair(NULL);
        for (unsigned i = 0; i <= SCENERY_LANES_MAX; i++) (void)create(t.r, t.a, i);
        say_position(t.r, t.a, scenery_id(t.r, t.a, 0), 1.0f);
        room_wait(t.r, SB_SECOND);
        for (unsigned i = 1; i < SCENERY_LANES_MAX; i++)
            say_position(t.r, t.a, scenery_id(t.r, t.a, i), 1.0f);
        room_wait(t.r, 9 * SB_SECOND - early);
        say_position(t.r, t.a, scenery_id(t.r, t.a, SCENERY_LANES_MAX), 1.0f);
        CHECK_EQ(object_at(t.r, t.a, SCENERY_LANES_MAX)->tracked, !early);
        CHECK_EQ(object_at(t.r, t.a, 0)->tracked, early);
        CHECK(object_at(t.r, t.a, 1)->tracked);
    }
}

/* Alpha has all eight lanes; Beta takes one after another until both have four. */
TEST(two_players_share_the_lanes_in_equal_parts)
{
    pair t = open_pair(NULL);
    for (unsigned i = 0; i < SCENERY_LANES_MAX; i++) {
        (void)create(t.r, t.a, i);
        (void)create(t.r, t.b, i);
    }
    say_positions(t.r, t.a, SCENERY_LANES_MAX, 1.0f);
    for (unsigned i = 0; i < SCENERY_LANES_MAX; i++) {
        unsigned of_a = 0, of_b = 0;
        say_position(t.r, t.b, scenery_id(t.r, t.b, i), 1.0f);
        for (unsigned n = 0; n < SCENERY_LANES_MAX; n++) {
            of_a += object_at(t.r, t.a, n)->tracked;
            of_b += object_at(t.r, t.b, n)->tracked;
        }
        CHECK_EQ(of_b, i < 4 ? i + 1 : 4);
        CHECK_EQ(of_a, SCENERY_LANES_MAX - of_b);
    }
}

/* 4, 3 and 1 become 3, 3 and 2; no player with one lane less takes another. */
TEST(a_player_with_one_lane_less_takes_none)
{
    pair  t = open_pair(NULL);
    seat *g = room_join(t.r, "Gamma");
    for (unsigned i = 0; i < 4; i++) {
        (void)create(t.r, t.a, i);
        (void)create(t.r, t.b, i);
        (void)create(t.r, g, i);
    }
    say_positions(t.r, t.a, 3, 1.0f);
    say_positions(t.r, t.b, 3, 1.0f);
    say_positions(t.r, g, 3, 1.0f);
    CHECK(object_at(t.r, g, 0)->tracked && object_at(t.r, g, 1)->tracked);
    CHECK(!object_at(t.r, g, 2)->tracked); /* 3, 3 and 2 */
}

/* Alpha's objects fill the table; those in the last rows move. */
static pair fill_table(void)
{
    pair t = open_pair(NULL);
    for (unsigned i = 0; i < OBJECTS_MAX; i++) (void)create(t.r, t.a, i);
    CHECK(object_at(t.r, t.a, OBJECTS_MAX - 1) == &t.r->server->objects[OBJECTS_MAX - 1]);
    return t;
}

TEST(scenery_in_the_last_row_shares_lanes_and_loses_them)
{
    pair     t = fill_table();
    uint32_t last = scenery_id(t.r, t.a, OBJECTS_MAX - 1);
    say_position(t.r, t.a, last, 1.0f);
    room_wait(t.r, SB_SECOND);
    say_position(t.r, t.a, scenery_id(t.r, t.a, 0), 1.0f);
    room_wait(t.r, SB_SECOND);
    room_forget(t.r);
    room_wait(t.r, 4 * SB_SECOND);
    CHECK_EQ(updates_of(t.b, last), 20); /* half of a ship's */
    for (unsigned i = 1; i < SCENERY_LANES_MAX - 1; i++)
        say_position(t.r, t.a, scenery_id(t.r, t.a, i), 1.0f);
    room_wait(t.r, 4 * SB_SECOND); /* only the last object has rested for 10 s */
    say_position(t.r, t.a, scenery_id(t.r, t.a, 20), 1.0f);
    CHECK(object_at(t.r, t.a, 20)->tracked);
    CHECK(!object_at(t.r, t.a, OBJECTS_MAX - 1)->tracked);
}

TEST(scenery_in_the_last_row_goes_with_its_owner)
{
    pair t = fill_table();
    seat_leave(t.r, t.a);
    CHECK_EQ(t.b->by_opcode[SB_OP_DESTROY_OBJECT], OBJECTS_MAX);
    for (size_t i = 0; i < OBJECTS_MAX; i++) CHECK_EQ(t.r->server->objects[i].object_id, 0);
}

TEST(scenery_in_the_last_row_is_evicted_in_its_turn)
{
    pair t = fill_table();
    for (unsigned i = 0; i < OBJECTS_MAX; i++) {
        seat_forget(t.b);
        (void)create(t.r, t.a, OBJECTS_MAX + i);
        CHECK_EQ(removals_of(t.b, scenery_id(t.r, t.a, i)), 1);
    }
}

/* As in the other test of a tie, but Beta's objects stand before the older ones of Alpha. */
TEST(in_a_tie_the_creator_gives_way_whatever_the_rows)
{
    pair  t = open_pair(NULL);
    seat *g = room_join(t.r, "Gamma");
    for (unsigned i = 0; i < 19; i++) (void)create(t.r, g, i);
    for (unsigned i = 0; i < 20; i++) (void)create(t.r, t.a, i);
    seat_leave(t.r, g);
    for (unsigned i = 0; i < 19; i++) (void)create(t.r, t.b, i);
    CHECK(object_at(t.r, t.b, 0) == &t.r->server->objects[0]);
    (void)seat_spawn(t.r, t.a, 1, (sb_vec3){ 0, 0, 0 });
    room_forget(t.r);
    (void)create(t.r, t.b, 50);
    CHECK_EQ(removals_of(t.a, scenery_id(t.r, t.b, 0)), 1);
    CHECK_EQ(removals_of(t.a, scenery_id(t.r, t.a, 0)), 0);
}

TEST(scenery_that_is_removed_leaves_its_updates_to_the_rest)
{
    pair t = open_pair(NULL);
    (void)create(t.r, t.a, 0);
    (void)create(t.r, t.a, 1);
    say_positions(t.r, t.a, 2, 1.0f);
    sb_server_remove_object(t.r->server,
                            sb_server_find_object(t.r->server, scenery_id(t.r, t.a, 0)));
    room_wait(t.r, SB_SECOND);
    room_forget(t.r);
    room_wait(t.r, 4 * SB_SECOND);
    CHECK_EQ(updates_of(t.b, scenery_id(t.r, t.a, 1)), 40);
}

/* All have rested equally long. */
TEST(of_equal_objects_the_first_loses_its_lanes)
{
    pair t = open_pair(NULL);
    for (unsigned i = 0; i <= SCENERY_LANES_MAX; i++) (void)create(t.r, t.a, i);
    say_positions(t.r, t.a, SCENERY_LANES_MAX, 1.0f);
    room_wait(t.r, 11 * SB_SECOND);
    say_position(t.r, t.a, scenery_id(t.r, t.a, SCENERY_LANES_MAX), 1.0f);
    for (unsigned i = 0; i <= SCENERY_LANES_MAX; i++)
        CHECK_EQ(object_at(t.r, t.a, i)->tracked, i != 0);
}

/* With trust_clients a player may choose any id. */
TEST(scenery_may_have_the_id_1)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.trust_clients = true;
    pair t = open_pair(&c);
    seat_create_scenery(t.r, t.a, 1);
    say_position(t.r, t.a, 1, 5.0f);
    room_wait(t.r, SB_SECOND);
    CHECK(last_x(t.b, 1) == 5.0f);
}
