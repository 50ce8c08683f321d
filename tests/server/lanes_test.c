/* tests/server/lanes_test.c -- lane_distance: intervals of StateUpdates by the distance between the
 * ship and the receiver's ship (spec 03 §8); throttle_health: rare health blocks (spec 03 §7).
 */
#include "rig.h"

#include <starbase/message.h>

#include "base/bytes.h"
#include "server/server_internal.h"

#include <string.h>

enum { SOVEREIGN = 5 };

static room *open_room(bool lane_distance)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = 16;
    c.system = 9;
    c.lane_distance = lane_distance;
    return room_open(&c);
}

/* Two players; the first ship is at the origin, the second `distance` ahead of it. */
typedef struct flight {
    room    *r;
    seat    *a, *b;
    uint32_t ship_a, ship_b;
} flight;

static flight open_flight(bool lane_distance, float distance)
{
    flight p = { .r = open_room(lane_distance) };
    p.a = room_join(p.r, "Alpha");
    p.b = room_join(p.r, "Beta");
    p.ship_a = seat_spawn(p.r, p.a, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    p.ship_b = seat_spawn(p.r, p.b, SOVEREIGN, (sb_vec3){ 0, distance, 0 });
    room_wait(p.r, SB_SECOND);
    seat_forget(p.a);
    seat_forget(p.b);
    return p;
}

static unsigned count_updates(const seat *s, uint32_t ship)
{
    unsigned count = 0;
    for (size_t i = 0; i < s->heard_count; i++)
        count += s->heard[i].bytes[0] == SB_OP_STATE_UPDATE &&
                 sb_load_u32(s->heard[i].bytes + 1) == ship;
    return count;
}

/* Updates in ten seconds that Alpha gets of Beta's ship. */
static unsigned updates_at(bool lane_distance, float distance)
{
    flight p = open_flight(lane_distance, distance);
    room_wait(p.r, 10 * SB_SECOND);
    CHECK_EQ(count_updates(p.a, p.ship_b), count_updates(p.b, p.ship_a));
    CHECK_EQ(count_updates(p.a, p.ship_a), 100); /* an owner's own ship has no distance */
    return count_updates(p.a, p.ship_b);
}

static void move(flight *p, sb_vec3 position)
{
    seat_say_position(p->r, p->b, p->ship_b, position);
}

TEST(spec_03_8_distant_ships_are_sent_less_often)
{
    static const struct {
        float    distance;
        unsigned updates;
    } rows[] = { { 20, 100 }, { 113.9f, 100 }, { 114, 50 },   { 227.9f, 50 },
                 { 228, 20 }, { 342.9f, 20 },  { 343.1f, 0 }, { 5000, 0 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_EQ(updates_at(true, rows[i].distance), rows[i].updates);
}

TEST(without_lane_distance_the_distance_does_not_matter)
{
    CHECK_EQ(updates_at(false, 20), 100);
    CHECK_EQ(updates_at(false, 300), 100);
    CHECK_EQ(updates_at(false, 5000), 100);
}

/* The bytes of all StateUpdates that Alpha gets in three seconds. */
static size_t bytes_at(bool lane_distance, uint8_t *out, size_t capacity)
{
    flight p = open_flight(lane_distance, 50);
    size_t size = 0;
    room_wait(p.r, 3 * SB_SECOND);
    for (size_t i = 0; i < p.a->heard_count; i++) {
        CHECK(size + p.a->heard[i].size <= capacity);
        memcpy(out + size, p.a->heard[i].bytes, p.a->heard[i].size);
        size += p.a->heard[i].size;
    }
    return size;
}

TEST(near_ships_get_the_same_bytes_with_and_without_the_key)
{
    static uint8_t with[8192], without[8192];
    size_t         size = bytes_at(true, with, sizeof with);
    CHECK(size > 1000);
    CHECK_EQ(bytes_at(false, without, sizeof without), size);
    CHECK(memcmp(with, without, size) == 0);
}

TEST(a_ship_that_comes_back_starts_with_a_full_update)
{
    flight p = open_flight(true, 400);
    room_wait(p.r, 2 * SB_SECOND);
    CHECK_EQ(count_updates(p.a, p.ship_b), 0);
    move(&p, (sb_vec3){ 0, 300, 7 });
    room_wait(p.r, SB_SECOND);
    CHECK(count_updates(p.a, p.ship_b) >= 1);
    sb_span first = seat_find(p.a, SB_OP_STATE_UPDATE);
    while (sb_load_u32(first.data + 1) != p.ship_b) first = seat_find(p.a, SB_OP_STATE_UPDATE);
    sb_message         m;
    sb_message_context context = { .ship = sb_find_ship(sb_stock_ships(), SOVEREIGN) };
    CHECK_EQ(sb_decode_message(first, &context, &m, NULL), SB_OK);
    CHECK(m.as.state_update.flags & SB_STATE_POS);
    CHECK(m.as.state_update.position.y == 300 && m.as.state_update.position.z == 7);
}

TEST(a_silent_ship_is_still_in_reliable_messages)
{
    flight p = open_flight(true, 400);
    seat_say_hex(p.r, p.b, "13"); /* self-destruct */
    CHECK(seat_find(p.a, SB_OP_PYTHON_EVENT).size > 0);
    seat *late = room_join(p.r, "Late"); /* has no ship, so no distance */
    room_wait(p.r, SB_SECOND);
    CHECK(count_updates(late, p.ship_a) >= 9);
    CHECK(count_updates(late, p.ship_b) >= 9); /* the wreck */
}

TEST(ships_in_different_sets_have_no_distance)
{
    flight p = open_flight(true, 400);
    p.ship_b = seat_spawn_in(p.r, p.b, SOVEREIGN, (sb_vec3){ 0, 400, 0 }, "Poseidon1");
    room_wait(p.r, SB_SECOND); /* it replaces another */
    seat_forget(p.a);
    room_wait(p.r, SB_SECOND);
    CHECK(count_updates(p.a, p.ship_b) >= 9);
}

TEST(five_players_get_updates_every_0_125_s)
{
    flight p = open_flight(true, 20);
    for (unsigned i = 0; i < 2; i++) (void)room_join(p.r, "Other");
    seat_forget(p.a);
    room_wait(p.r, 10 * SB_SECOND);
    CHECK_EQ(count_updates(p.a, p.ship_b), 100);
    (void)room_join(p.r, "Fifth");
    room_wait(p.r, SB_SECOND);
    seat_forget(p.a);
    room_wait(p.r, 10 * SB_SECOND);
    CHECK_EQ(count_updates(p.a, p.ship_b), 80);
}

TEST(switched_off_lane_distance_sends_everything_again)
{
    flight                        p = open_flight(true, 400);
    static const sb_config_field  now[] = { SB_CONFIG_FIELD(lane_distance) };
    static const sb_config_fields fields = { now, 1, NULL, 0 };
    sb_server_config              c;
    sb_server_defaults(&c);
    sb_server_reconfigure(p.r->server, &c, &fields);
    room_wait(p.r, SB_SECOND);
    CHECK(count_updates(p.a, p.ship_b) >= 9);
}

TEST(the_interval_of_updates_is_rounded_and_at_least_10_ms)
{
    static const struct {
        float   seconds;
        sb_time us;
    } rows[] = { { 0.1f, 100000 },     { 0.0123456f, 12346 }, { 0.0123454f, 12345 },
                 { 0.010001f, 10001 }, { 0.009999f, 10000 },  { 0.01f, 10000 },
                 { 0.009f, 10000 },    { 0.0f, 10000 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_server_config c;
        sb_server_defaults(&c);
        c.combat.constants.health_interval = rows[i].seconds;
        CHECK_EQ(sb_server_lane_interval(&c), rows[i].us);
    }
}

TEST(updates_that_are_sent_are_counted)
{
    flight   p = open_flight(false, 50);
    uint64_t before = COUNTED(p.r, SB_SERVER_COUNT_STATE_OUT);
    room_wait(p.r, SB_SECOND);
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_STATE_OUT) - before, p.a->heard_count + p.b->heard_count);
    CHECK_EQ(p.a->heard_count, 20);
}

/* A StateUpdate of a ship that flies along +Y. */
static void say_flight(room *r, seat *s, uint32_t ship, sb_vec3 position, float speed)
{
    uint8_t    bytes[64];
    size_t     size;
    sb_message m = { .opcode = SB_OP_STATE_UPDATE };
    m.as.state_update = (sb_state_update){ .object_id = ship,
                                           .game_time = (float)(r->now - 1000 * SB_SECOND) / 1e6f,
                                           .flags = SB_STATE_POS | SB_STATE_FWD | SB_STATE_SPEED,
                                           .position = position,
                                           .forward = sb_encode_cv3((sb_vec3){ 0, 1, 0 }),
                                           .speed_code = sb_encode_cf16(speed) };
    CHECK_EQ(sb_encode_message(&m, NULL, bytes, sizeof bytes, &size), SB_OK);
    seat_say(r, s, SB_UNRELIABLE, (sb_span){ bytes, size });
}

/* The y of the last absolute position of the ship that the seat has got. */
static float seen_y(const seat *s, uint32_t ship)
{
    sb_message_context context = { .ship = sb_find_ship(sb_stock_ships(), SOVEREIGN) };
    for (size_t i = s->heard_count; i-- > 0;) {
        const heard *h = &s->heard[i];
        sb_message   m;
        if (h->bytes[0] != SB_OP_STATE_UPDATE || sb_load_u32(h->bytes + 1) != ship) continue;
        if (!(h->bytes[9] & SB_STATE_POS)) continue;
        CHECK_EQ(sb_decode_message((sb_span){ h->bytes, h->size }, &context, &m, NULL), SB_OK);
        return m.as.state_update.position.y;
    }
    FAIL("no position");
}

TEST(a_ship_flies_on_for_a_second_without_updates)
{
    flight p = open_flight(false, 50);
    say_flight(p.r, p.a, p.ship_a, (sb_vec3){ 0, 0, 0 }, 5);
    say_flight(p.r, p.b, p.ship_b, (sb_vec3){ 0, 50, 0 }, 5);
    room_wait(p.r, 3 * SB_SECOND);
    CHECK(seen_y(p.b, p.ship_a) > 4.9f && seen_y(p.b, p.ship_a) < 5.1f);
    CHECK(seen_y(p.a, p.ship_b) > 54.9f && seen_y(p.a, p.ship_b) < 55.1f);
}

/* Alpha's scenery takes all rows of the table of objects but the last one. */
TEST(a_ship_in_the_last_row_has_lanes_and_distances)
{
    room *r = open_room(true);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    (void)seat_spawn(r, a, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    for (uint32_t i = 0; i < OBJECTS_MAX - 2; i++) {
        seat_create_scenery(r, a, seat_first_id(r, a) + 0x1000 + 64 * i);
        room_wait(r, SB_SECOND);
        seat_forget(b);
    }
    uint32_t ship = seat_spawn(r, b, SOVEREIGN, (sb_vec3){ 0, 400, 0 });
    CHECK(sb_server_find_object(r->server, ship) == &r->server->objects[OBJECTS_MAX - 1]);
    room_wait(r, SB_SECOND);
    seat_forget(a);
    seat_forget(b);
    room_wait(r, 2 * SB_SECOND);
    CHECK_EQ(count_updates(a, ship), 0); /* too far away */
    seat_say_position(r, b, ship, (sb_vec3){ 0, 100, 7 });
    room_wait(r, SB_SECOND);
    CHECK(count_updates(a, ship) >= 9);
    sb_span first = seat_find(a, SB_OP_STATE_UPDATE);
    while (sb_load_u32(first.data + 1) != ship) first = seat_find(a, SB_OP_STATE_UPDATE);
    sb_message         m;
    sb_message_context context = { .ship = sb_find_ship(sb_stock_ships(), SOVEREIGN) };
    CHECK_EQ(sb_decode_message(first, &context, &m, NULL), SB_OK);
    CHECK(m.as.state_update.position.y == 100 && m.as.state_update.position.z == 7);
    say_flight(r, b, ship, (sb_vec3){ 0, 50, 0 }, 5);
    room_wait(r, 3 * SB_SECOND);
    CHECK(seen_y(a, ship) > 54.9f && seen_y(a, ship) < 55.1f);
}

TEST(the_player_in_the_last_slot_gets_updates_by_distance)
{
    room *r = open_room(true);
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++) (void)room_join(r, "Player");
    seat    *a = &r->seats[0], *last = &r->seats[SB_SERVER_PLAYERS_MAX - 1];
    uint32_t near = seat_spawn(r, a, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    (void)seat_spawn(r, last, SOVEREIGN, (sb_vec3){ 0, 50, 0 });
    uint32_t far = seat_spawn(r, &r->seats[1], SOVEREIGN, (sb_vec3){ 0, 900, 0 });
    room_wait(r, SB_SECOND);
    seat_forget(last);
    room_wait(r, 2 * SB_SECOND);
    CHECK(count_updates(last, near) >= 15);
    CHECK_EQ(count_updates(last, far), 0);
}

/* ---- lossy links (spec 03 §17) ---- */

/* Updates with an absolute position that Alpha gets in a second. */
static unsigned full_updates(flight *p)
{
    unsigned count = 0;
    seat_forget(p->a);
    room_wait(p->r, SB_SECOND);
    for (size_t i = 0; i < p->a->heard_count; i++)
        count += p->a->heard[i].bytes[0] == SB_OP_STATE_UPDATE &&
                 p->a->heard[i].bytes[9] & SB_STATE_POS; /* flags: spec 03 §1 */
    return count;
}

TEST(a_link_is_lossy_for_30_s_after_a_retransmission)
{
    flight           p = open_flight(false, 50);
    const sb_player *player = sb_server_find_player(p.r->server, p.a->id);
    room_wait(p.r, 5 * SB_SECOND);
    CHECK(!player->lossy);
    CHECK(full_updates(&p) <= 1);
    p.a->muted = true; /* its Acks are lost */
    sb_server_say(p.r->server, p.r->now, (sb_span){ (const uint8_t *)"a", 1 });
    while (!player->lossy) {
        room_wait(p.r, SB_SECOND / 10);
        CHECK(p.r->now < 1100 * SB_SECOND);
    }
    CHECK_EQ(player->lossy_until, p.r->server->losses_checked_next + 29 * SB_SECOND);
    p.a->muted = false;
    CHECK(full_updates(&p) >= 3);  /* every quarter of a second, at once */
    room_wait(p.r, 5 * SB_SECOND); /* the next retransmission is acknowledged */
    sb_time until = player->lossy_until;
    for (unsigned i = 0; i < 2; i++) {
        seat_forget(p.a);
        seat_forget(p.b);
        room_wait(p.r, (until - p.r->now - 1) / (2 - i));
    }
    CHECK_EQ(player->lossy_until, until);
    CHECK(player->lossy);
    room_wait(p.r, 1);
    CHECK(!player->lossy);
    CHECK(!sb_server_find_player(p.r->server, p.b->id)->lossy);
}

TEST(links_are_judged_once_a_second)
{
    flight     p = open_flight(false, 50);
    sb_player *player = sb_server_find_player(p.r->server, p.a->id);
    room_wait(p.r, 5 * SB_SECOND);
    player->lossy = true; /* the next judgement corrects it */
    p.r->server->losses_checked_next = p.r->now + SB_SECOND;
    room_wait(p.r, SB_SECOND - 1);
    CHECK(player->lossy);
    room_wait(p.r, SB_SECOND / 10);
    CHECK(!player->lossy);
    CHECK(p.r->server->losses_checked_next > p.r->now + SB_SECOND / 2);
}

TEST(the_last_slot_may_have_a_lossy_link)
{
    room *r = open_room(false);
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++) (void)room_join(r, "Player");
    seat *last = &r->seats[SB_SERVER_PLAYERS_MAX - 1];
    seat_spawn(r, last, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    last->muted = true;
    sb_server_say(r->server, r->now, (sb_span){ (const uint8_t *)"a", 1 });
    room_wait(r, 3 * SB_SECOND);
    CHECK(sb_server_find_player(r->server, last->id)->lossy);
    CHECK(!sb_server_find_player(r->server, r->seats[0].id)->lossy);
}

/* ---- throttle_health ---- */

/* Updates of both ships with a SUBSYS block that Alpha gets in ten seconds. */
static unsigned health_blocks(bool bit, bool health, unsigned players)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.throttle_bit = bit;
    c.throttle_health = health;
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha");
    if (players > 1) (void)room_join(r, "Beta");
    seat_spawn(r, a, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    room_wait(r, SB_SECOND);
    seat_forget(a);
    room_wait(r, 10 * SB_SECOND);
    unsigned count = 0;
    for (size_t i = 0; i < a->heard_count; i++)
        count += a->heard[i].bytes[0] == SB_OP_STATE_UPDATE &&
                 a->heard[i].bytes[9] & SB_STATE_SUBSYS; /* flags: spec 03 §1 */
    return count;
}

TEST(spec_03_7_throttled_health_is_only_in_full_updates)
{
    unsigned throttled = health_blocks(true, true, 2);
    CHECK(throttled == 9 || throttled == 10); /* one full update every 1.1 s */
    CHECK_EQ(health_blocks(true, true, 1), 100);
    CHECK_EQ(health_blocks(true, false, 2), 100);
    CHECK_EQ(health_blocks(false, true, 2), 100);
}
