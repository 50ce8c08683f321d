/* tests/server/relay_edges_test.c -- edges of events, shots, collisions and StateUpdates: which
 * parts belong to a ship, budgets, and what is counted. Spec 03 §9, 08 §17, 10 §15.1.
 */
#include "rig.h"

#include <starbase/message.h>

#include "base/bytes.h"
#include "combat/combat_internal.h"
#include "server/server_internal.h"

#include <math.h>
#include <string.h>

enum { AKIRA = 1, SOVEREIGN = 5, BIRD_OF_PREY = 6, UNKNOWN = 200 };

static const sb_vec3 middle = { 0, 0, 0 }, ahead = { 0, 20, 0 };

static const sb_object *object_of(const pair *t, uint32_t id)
{
    const sb_object *o = sb_server_find_object(t->r->server, id);
    CHECK(o != NULL);
    return o;
}

static uint32_t target_of(const pair *t, uint32_t ship)
{
    return sb_combat_find_fighter(t->r->server->combat, ship)->target;
}

/* ---- parts of a ship ---- */

static void cloak(pair *t, uint32_t part)
{
    sb_message m =
        event_message(SB_OP_START_CLOAKING, SB_EVENT_PLAIN, SB_CODE_START_CLOAKING_NOTIFY, part);
    seat_say_message(t->r, t->a, &m);
}

/* The ship's own id and those of all its parts; the ids around them are only relayed. */
TEST(an_event_applies_to_the_ids_of_the_ship_and_no_others)
{
    uint32_t count = sb_ship_id_count(sb_find_ship(sb_stock_ships(), BIRD_OF_PREY));
    const struct {
        uint32_t offset;
        bool     applies;
    } rows[] = { { UINT32_MAX, false }, { 0, true }, { count - 1, true }, { count, false } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pair t = open_pair(NULL);
        (void)seat_spawn(t.r, t.a, AKIRA, middle);
        uint32_t ship = seat_replace(t.r, t.a, BIRD_OF_PREY, middle);
        cloak(&t, ship + rows[i].offset);
        CHECK_EQ(t.b->by_opcode[SB_OP_START_CLOAKING], 1);
        if (seat_view(t.r, t.a).ship->cloaked != rows[i].applies) FAIL("row %zu", i);
    }
}

/* How many ids a ship without data has is not known: all from its own on may be its parts. */
TEST(all_higher_ids_may_be_parts_of_a_ship_without_data)
{
    static const struct {
        uint32_t offset;
        bool     applies;
    } rows[] = { { UINT32_MAX, false }, { 0, true }, { 900, true } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pair t = open_pair(NULL);
        (void)seat_spawn(t.r, t.a, AKIRA, middle);
        uint32_t ship = seat_replace(t.r, t.a, UNKNOWN, middle);
        room_wait(t.r, 3 * SB_SECOND);
        sb_message m = event_message(SB_OP_START_WARP, SB_EVENT_START_WARP,
                                     SB_CODE_START_WARP_NOTIFY, ship + rows[i].offset);
        m.as.event.set_name = (sb_span){ (const uint8_t *)"Multi1", 6 };
        seat_say_message(t.r, t.a, &m);
        CHECK_EQ(object_of(&t, ship)->receiver.moved_at == t.r->now, rows[i].applies);
    }
}

/* ---- events ---- */

TEST(a_warp_to_a_set_of_up_to_64_bytes_is_relayed)
{
    static const char name[] = "0123456789012345678901234567890123456789012345678901234567890123X";
    static const struct {
        size_t size;
        bool   relayed;
    } rows[] = { { 64, true }, { 65, false } };
    pair     t = open_pair(NULL);
    uint32_t ship = seat_spawn(t.r, t.a, SOVEREIGN, middle);
    for (size_t i = 0; i < 2; i++) {
        sb_message m = event_message(SB_OP_START_WARP, SB_EVENT_START_WARP,
                                     SB_CODE_START_WARP_NOTIFY, ship + 1);
        m.as.event.set_name = (sb_span){ (const uint8_t *)name, rows[i].size };
        seat_say_message(t.r, t.a, &m);
        CHECK_EQ(t.b->by_opcode[SB_OP_START_WARP], 1);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_BAD_VALUE), !rows[i].relayed);
    }
}

/* A StartFiring of another class names no target: the ship fires at its own. */
TEST(a_start_of_fire_without_a_target_leaves_the_target_alone)
{
    pair     t = open_pair(NULL);
    uint32_t ship = seat_spawn(t.r, t.a, SOVEREIGN, middle);
    uint32_t target = seat_spawn(t.r, t.b, SOVEREIGN, ahead);
    seat_open_fire(t.r, t.a, ship, target);
    CHECK_EQ(target_of(&t, ship), target);
    sb_message m =
        event_message(SB_OP_START_FIRING, SB_EVENT_PLAIN, SB_CODE_START_FIRING_NOTIFY, ship + 1);
    seat_say_message(t.r, t.a, &m);
    CHECK_EQ(target_of(&t, ship), target);
}

/* ---- shots ---- */

TEST(a_bolt_names_the_target_of_its_ship)
{
    pair       t = open_pair(NULL);
    uint32_t   ship = seat_spawn(t.r, t.a, BIRD_OF_PREY, middle);
    uint32_t   target = seat_spawn(t.r, t.b, SOVEREIGN, ahead);
    sb_message m = { .opcode = SB_OP_PULSE_FIRE };
    m.as.pulse_fire = (sb_pulse_fire){ .weapon = ship + 9,
                                       .projectile_type = 2,
                                       .flags = SB_PULSE_HAS_TARGET,
                                       .direction = sb_encode_cv3((sb_vec3){ 0, 1, 0 }),
                                       .target = target };
    seat_say_message(t.r, t.a, &m);
    CHECK_EQ(target_of(&t, ship), target);
    m.as.pulse_fire.flags = SB_FIRE_MODE_1; /* without one: the last one stays */
    seat_say_message(t.r, t.a, &m);
    CHECK_EQ(target_of(&t, ship), target);
    CHECK_EQ(t.b->by_opcode[SB_OP_PULSE_FIRE], 2);
}

/* A tube of the ship that the new one has replaced. */
TEST(a_torpedo_of_a_former_ship_is_only_relayed)
{
    pair     t = open_pair(NULL);
    uint32_t former = seat_spawn(t.r, t.a, SOVEREIGN, middle);
    uint32_t ship = seat_replace(t.r, t.a, SOVEREIGN, middle);
    uint32_t target = seat_spawn(t.r, t.b, SOVEREIGN, ahead);
    seat_fire_torpedo(t.r, t.a, former, target);
    CHECK_EQ(t.b->by_opcode[SB_OP_TORPEDO_FIRE], 1);
    CHECK_EQ(target_of(&t, ship), 0);
}

/* The room does not know where on its target the torpedo is to hit. */
TEST(a_documented_torpedo_may_fly_at_nothing_or_at_a_mod_ship)
{
    pair       t = open_pair(NULL);
    uint32_t   ship = seat_spawn(t.r, t.a, SOVEREIGN, middle);
    uint32_t   mod = seat_spawn(t.r, t.b, UNKNOWN, ahead);
    sb_message m = { .opcode = SB_OP_TORPEDO_FIRE };
    m.as.torpedo_fire = (sb_torpedo_fire){ .tube = ship + 7,
                                           .projectile_type = 14,
                                           .flags = SB_FIRE_MODE_1 | SB_TORPEDO_MODE_2,
                                           .documented = true,
                                           .direction = sb_encode_cv3((sb_vec3){ 0, 1, 0 }),
                                           .target = mod,
                                           .aim_distance = sb_encode_cv4((sb_vec3){ 0, 2, 0 }) };
    seat_say_message(t.r, t.a, &m);
    m.as.torpedo_fire.target = mod + 1000;
    seat_say_message(t.r, t.a, &m);
    CHECK_EQ(t.b->by_opcode[SB_OP_TORPEDO_FIRE], 2);
}

static void fire(pair *t, uint32_t weapon, unsigned count)
{
    uint8_t bytes[10];
    (void)test_hex("19 00 00 00 00 02 05 4C 65 00", bytes, sizeof bytes);
    sb_store_u32(bytes + 1, weapon);
    for (unsigned i = 0; i < count; i++)
        seat_say(t->r, t->a, SB_RELIABLE, (sb_span){ bytes, sizeof bytes });
}

/* The relay budget of 120 messages is just enough for each half of the test. */
TEST(sixteen_weapons_have_a_budget_of_their_own)
{
    pair     t = open_pair(NULL);
    uint32_t ship = seat_spawn(t.r, t.a, SOVEREIGN, middle), first = ship + 1;
    room_wait(t.r, 2 * SB_SECOND);
    fire(&t, first, SHOTS_BURST);
    for (uint32_t i = 1; i < FIRE_RECORDS_MAX; i++) fire(&t, first + i, 1);
    CHECK_EQ(t.b->by_opcode[SB_OP_TORPEDO_FIRE], SHOTS_BURST + FIRE_RECORDS_MAX - 1);
    fire(&t, first, 1);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_FIRE_RATE), 1);
    fire(&t, first + FIRE_RECORDS_MAX, 1); /* the oldest record makes way */
    fire(&t, first, 1);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_FIRE_RATE), 1);
    room_wait(t.r, 10 * SB_SECOND);
    fire(&t, first + FIRE_RECORDS_MAX, SHOTS_BURST + 1); /* a full burst again, no more */
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_FIRE_RATE), 2);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_RELAY_RATE), 0);
}

TEST(the_last_of_sixteen_weapons_has_a_budget_too)
{
    pair     t = open_pair(NULL);
    uint32_t ship = seat_spawn(t.r, t.a, SOVEREIGN, middle);
    room_wait(t.r, 2 * SB_SECOND);
    for (uint32_t i = 1; i < FIRE_RECORDS_MAX; i++) fire(&t, ship + i, 1);
    fire(&t, ship + FIRE_RECORDS_MAX, SHOTS_BURST + 2);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_FIRE_RATE), 2);
}

/* A client that has not heard of its death yet fires on: only the 201st shot within 10 s counts. */
TEST(many_shots_without_a_ship_are_told_with_evidence)
{
    pair t = open_pair(NULL);
    for (unsigned i = 0; i < 201; i++) {
        if (i % 50 == 0) room_wait(t.r, SB_SECOND);
        CHECK_EQ(sb_server_implausible(t.r->server, SB_IMPLAUSIBLE_NO_SHIP), i);
        fire(&t, seat_first_id(t.r, t.a) + 1, 1);
    }
    const sb_server_event *e = &room_expect(t.r, SB_SERVER_SUSPICIOUS)->event;
    CHECK_EQ(e->value, SB_IMPLAUSIBLE_NO_SHIP);
    CHECK(e->claimed == 1 && e->possible == 0);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_NO_SHIP), 201);
}

/* ---- collisions and self-destruct ---- */

TEST(a_collision_has_a_force_that_is_not_negative)
{
    pair t = open_pair(NULL);
    seat_collide(t.r, t.a, 0, 0, 0.0f); /* without a ship */
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_FOREIGN_OBJECT), 1);
    uint32_t ship = seat_spawn(t.r, t.a, SOVEREIGN, middle);
    seat_collide(t.r, t.a, ship, 0, 0.0f);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_BAD_VALUE), 0);
    seat_collide(t.r, t.a, ship, 0, -1.0f);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_BAD_VALUE), 1);
    uint32_t other = seat_spawn(t.r, t.b, SOVEREIGN, ahead);
    seat_collide(t.r, t.a, other, 0, 500.0f); /* of Beta's ship alone */
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_FOREIGN_OBJECT), 2);
    room_wait(t.r, SB_SECOND / 10);
    CHECK(seat_view(t.r, t.b).ship->condition[0] ==
          seat_view(t.r, t.b).ship->model->subsystems[0].max_condition);
}

TEST(collisions_have_a_burst_of_280_and_120_a_second)
{
    pair     t = open_pair(NULL);
    uint32_t ship = seat_spawn(t.r, t.a, SOVEREIGN, middle);
    uint64_t refused = 0;
    room_wait(t.r, 10 * SB_SECOND);
    seat_collide(t.r, t.a, ship, 0, -1.0f); /* costs nothing */
    for (unsigned i = 0; i < COLLISIONS_BURST + 1; i++) seat_collide(t.r, t.a, ship, 0, 0.0f);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_COLLISION_RATE), refused += 1);
    room_wait(t.r, SB_SECOND);
    for (unsigned i = 0; i < COLLISIONS_PER_SECOND + 1; i++) seat_collide(t.r, t.a, ship, 0, 0.0f);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_COLLISION_RATE), refused += 1);
    float hull = seat_view(t.r, t.a).ship->condition[0];
    seat_collide(t.r, t.a, ship, 0, 1000.0f); /* no effect beyond the rate */
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_COLLISION_RATE), refused += 1);
    room_wait(t.r, SB_SECOND / 10);
    CHECK(seat_view(t.r, t.a).ship->condition[0] == hull);
    room_wait(t.r, 10 * SB_SECOND); /* a whole burst again */
    for (unsigned i = 0; i < COLLISIONS_BURST + 1; i++) seat_collide(t.r, t.a, ship, 0, 0.0f);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_COLLISION_RATE), refused + 1);
}

TEST(a_self_destruct_without_a_living_ship_is_counted)
{
    pair t = open_pair(NULL);
    seat_say_hex(t.r, t.a, "13");
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_NO_SHIP), 1);
    (void)seat_spawn(t.r, t.a, AKIRA, middle);
    seat_say_hex(t.r, t.a, "13");
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_NO_SHIP), 1);
    seat_say_hex(t.r, t.a, "13");
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_NO_SHIP), 2);
}

/* ---- StateUpdates: counters ---- */

static void say_state(pair *t, const sb_state_update *u)
{
    uint8_t            bytes[128];
    size_t             size;
    sb_message         m = { .opcode = SB_OP_STATE_UPDATE, .as.state_update = *u };
    sb_message_context context = { .ship = sb_find_ship(sb_stock_ships(), SOVEREIGN),
                                   .layout = SB_SHIELD_STOCK };
    CHECK_EQ(sb_encode_message(&m, &context, bytes, sizeof bytes, &size), SB_OK);
    seat_say(t->r, t->a, SB_UNRELIABLE, (sb_span){ bytes, size });
}

static float clock_of(const pair *t)
{
    return sb_server_game_time(t->r->server, t->r->now);
}

static sb_state_update position_at(uint32_t ship, float game_time)
{
    return (sb_state_update){ .object_id = ship, .game_time = game_time, .flags = SB_STATE_POS };
}

TEST(updates_too_short_for_an_id_are_malformed)
{
    pair t = open_pair(NULL);
    (void)seat_spawn(t.r, t.a, AKIRA, middle);
    seat_say_hex(t.r, t.a, "1C FF FF FF");
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_MALFORMED), 1);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_FOREIGN_STATE), 0);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_UNKNOWN_OBJECT), 0);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_STATE_REFUSED), 0);
    seat_say_hex(t.r, t.a, "1C FF FF FF 3F");
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_MALFORMED), 1);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_STATE_REFUSED), 1);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_STATE_IN), 0);
}

TEST(updates_of_unknown_objects_are_counted_by_their_slot)
{
    pair t = open_pair(NULL);
    say_state(&t, &(sb_state_update){ .object_id = seat_first_id(t.r, t.b) + 7 });
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_FOREIGN_STATE), 1);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_UNKNOWN_OBJECT), 0);
    CHECK_EQ(t.a->by_opcode[SB_OP_REQUEST_OBJECT], 0);
    say_state(&t, &(sb_state_update){ .object_id = seat_first_id(t.r, t.a) + 7 });
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_FOREIGN_STATE), 1);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_UNKNOWN_OBJECT), 1);
    CHECK_EQ(t.a->by_opcode[SB_OP_REQUEST_OBJECT], 1);
}

TEST(updates_are_counted_as_applied_old_or_ahead)
{
    pair     t = open_pair(NULL);
    uint32_t ship = seat_spawn(t.r, t.a, SOVEREIGN, middle);
    room_wait(t.r, 10 * SB_SECOND);
    static const struct {
        float             offset; /* from the game time of the room */
        sb_server_counter counter;
    } rows[] = {
        { -0.5f, SB_SERVER_COUNT_STATE_IN },   { 0.0f, SB_SERVER_COUNT_STATE_IN },
        { -0.1f, SB_SERVER_COUNT_STATE_OLD },  { 0.9f, SB_SERVER_COUNT_STATE_IN },
        { 2.0f, SB_SERVER_COUNT_STATE_AHEAD }, { -0.2f, SB_SERVER_COUNT_STATE_OLD },
    };
    uint64_t in = 0, old = 0, early = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_state_update u = position_at(ship, clock_of(&t) + rows[i].offset);
        say_state(&t, &u);
        in += rows[i].counter == SB_SERVER_COUNT_STATE_IN;
        old += rows[i].counter == SB_SERVER_COUNT_STATE_OLD;
        early += rows[i].counter == SB_SERVER_COUNT_STATE_AHEAD;
        if (COUNTED(t.r, rows[i].counter) == 0) FAIL("row %zu", i);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_STATE_IN), in);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_STATE_OLD), old);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_STATE_AHEAD), early);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_STATE_REFUSED), 0);
    }
}

TEST(the_clock_of_a_client_is_read_from_its_updates)
{
    pair     t = open_pair(NULL);
    uint32_t ship = seat_spawn(t.r, t.a, SOVEREIGN, middle);
    room_wait(t.r, 10 * SB_SECOND);
    sb_state_update u = position_at(ship, clock_of(&t) + 50.0f);
    say_state(&t, &u);
    sb_time lead = sb_sender_clock_lead(&t.r->server->players[0].clock, t.r->now);
    CHECK(lead > 49 * SB_SECOND && lead < 51 * SB_SECOND);
}

static void say_time(pair *t, uint32_t ship, float offset)
{
    sb_state_update u = position_at(ship, clock_of(t) + offset);
    say_state(t, &u);
}

/* Somebody forges times beside those of the player, and has pulled the estimate down. */
TEST(while_times_contradict_each_other_older_ones_are_applied)
{
    pair     t = open_pair(NULL);
    uint32_t ship = seat_spawn(t.r, t.a, SOVEREIGN, middle);
    for (unsigned i = 0; i < 3; i++) {
        room_wait(t.r, SB_SECOND);
        say_time(&t, ship, 0.0f);
        say_time(&t, ship, 0.02f);
    }
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_STATE_IN), 6);
    say_time(&t, ship, -0.5f);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_STATE_IN), 7);
    t.r->server->players[0].clock.lead_us = -3 * SB_SECOND;
    say_time(&t, ship, 0.9f);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_STATE_IN), 8);
    say_time(&t, ship, 1.5f);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_STATE_AHEAD), 1);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_STATE_OLD), 0);
}

/* ---- StateUpdates: evidence ---- */

/* An update that only a modified client sends, after three seconds of flight. */
static pair fly_and_say(uint8_t fidelity, uint8_t species, sb_state_update u)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.combat.fidelity = fidelity;
    pair t = open_pair(&c);
    u.object_id = seat_spawn(t.r, t.a, species, middle);
    room_wait(t.r, 3 * SB_SECOND);
    u.game_time = clock_of(&t);
    say_state(&t, &u);
    return t;
}

static void expect_evidence(pair t, sb_implausible what, double least, double most)
{
    const sb_server_event *e = &room_expect(t.r, SB_SERVER_SUSPICIOUS)->event;
    CHECK_EQ(e->value, what);
    CHECK(e->claimed >= least && e->claimed <= most);
    CHECK_EQ(sb_server_implausible(t.r->server, what), 1);
    for (unsigned i = 0; i < SB_IMPLAUSIBLE_COUNT; i++)
        if (i != what) CHECK_EQ(sb_server_implausible(t.r->server, (sb_implausible)i), 0);
    if (least == 1 && most == 1) CHECK(e->possible == 0);
    else CHECK(e->possible > 1 && e->possible < least);
}

TEST(each_implausible_value_of_an_update_has_its_evidence)
{
    sb_state_update speed = { .flags = SB_STATE_SPEED, .speed_code = sb_encode_cf16(900.0f) };
    sb_state_update place = { .flags = SB_STATE_POS, .position = { 500, 0, 0 } };
    sb_state_update health = { .flags = SB_STATE_SUBSYS, .entry_count = 1 };
    sb_state_update power = { .flags = SB_STATE_POWER,
                              .pair_count = 1,
                              .pairs = { { .index = 0, .level_code = 10 } } };
    sb_state_update hidden = { .flags = SB_STATE_CLOAK, .cloak = true };
    expect_evidence(fly_and_say(SB_FIDELITY_WEAPONS, SOVEREIGN, speed), SB_IMPLAUSIBLE_SPEED, 850,
                    950);
    expect_evidence(fly_and_say(SB_FIDELITY_WEAPONS, SOVEREIGN, place), SB_IMPLAUSIBLE_POSITION,
                    500, 500);
    expect_evidence(fly_and_say(SB_FIDELITY_WEAPONS, SOVEREIGN, health), SB_IMPLAUSIBLE_HEALTH, 1,
                    1);
    expect_evidence(fly_and_say(SB_FIDELITY_WEAPONS, SOVEREIGN, power), SB_IMPLAUSIBLE_POWER, 1, 1);
    expect_evidence(fly_and_say(SB_FIDELITY_WEAPONS, SOVEREIGN, hidden), SB_IMPLAUSIBLE_CLOAK, 1,
                    1);
}

/* Which parts of a ship without a model have power is not known; its conditions are the room's. */
TEST(power_settings_of_a_ship_without_data_are_no_evidence)
{
    sb_state_update power = { .flags = SB_STATE_POWER,
                              .pair_count = 1,
                              .pairs = { { .index = 0, .level_code = 10 } } };
    pair            t = fly_and_say(SB_FIDELITY_WEAPONS, UNKNOWN, power);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_STATE_IN), 1);
    CHECK_EQ(sb_server_implausible(t.r->server, SB_IMPLAUSIBLE_POWER), 0);
}

/* Combat knows a ship's place from the moment of its owner's update. At level 3 an impossible one
 * changes nothing, not even when the last position was current. */
TEST(combat_follows_a_position_that_is_accepted)
{
    sb_state_update place = { .flags = SB_STATE_POS, .position = { 500, 0, 0 } };
    for (uint8_t level = SB_FIDELITY_WEAPONS; level <= SB_FIDELITY_ENFORCE; level++) {
        pair              t = fly_and_say(level, SOVEREIGN, place);
        uint32_t          ship = seat_view(t.r, t.a).ship->object_id;
        const sb_fighter *f = sb_combat_find_fighter(t.r->server->combat, ship);
        CHECK_EQ(f->moved_at == t.r->now, level < SB_FIDELITY_ENFORCE);
    }
}

/* ---- StateUpdates: departures ---- */

/* A player whose ship sends updates all the time is missed after a second of silence, any other
 * after six (spec 01 §10). */
TEST(only_updates_of_a_living_ship_shorten_a_departure)
{
    enum { SHIP, SCENERY, WRECK, KINDS };
    for (unsigned kind = 0; kind < KINDS; kind++) {
        pair     t = open_pair(NULL);
        uint32_t id = seat_first_id(t.r, t.a);
        if (kind == SCENERY) seat_create_scenery(t.r, t.a, id);
        else (void)seat_spawn(t.r, t.a, AKIRA, middle);
        if (kind == WRECK) seat_say_hex(t.r, t.a, "13");
        seat_say_position(t.r, t.a, id, middle);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_STATE_IN), 1);
        sb_transport_client_leave(t.a->client, t.r->now);
        room_wait(t.r, 2 * SB_SECOND);
        CHECK_EQ(sb_server_player_count(t.r->server), kind == SHIP ? 1 : 2);
        room_wait(t.r, 5 * SB_SECOND);
        CHECK_EQ(sb_server_player_count(t.r->server), 1);
    }
}
