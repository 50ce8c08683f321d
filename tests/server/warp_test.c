/* tests/server/warp_test.c -- changes of set: the stages of a warp and the messages about them.
 * Spec 07 §5, §7; 10 §11.4.
 */
#include "rig.h"

#include <starbase/message.h>

#include "base/bytes.h"
#include "server/server_internal.h"

#include <math.h>
#include <string.h>

enum { SOVEREIGN = 5, WARP_ENGINES = 0x1B, POSEIDON = 9 };

static const sb_vec3 middle = { 0, 0, 0 };
static const char    start[] = "Poseidon2", other[] = "Poseidon1";

/* Alpha flies a ship in Poseidon2; Beta looks on. */
typedef struct stage {
    room    *r;
    seat    *a, *b;
    uint32_t ship;
} stage;

static sb_server_config poseidon(void)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.system = POSEIDON;
    return c;
}

static void say_set(room *r, seat *s, uint32_t ship, const char *set)
{
    sb_message m = { .opcode = SB_OP_ENTER_SET };
    m.as.enter_set.object_id = ship;
    m.as.enter_set.set_name = (sb_span){ (const uint8_t *)set, strlen(set) };
    seat_say_message(r, s, &m);
}

static stage open_stage(const sb_server_config *c)
{
    stage t = { .r = room_open(c) };
    t.a = room_join(t.r, "Alpha");
    t.b = room_join(t.r, "Beta");
    t.ship = seat_spawn_in(t.r, t.a, SOVEREIGN, middle, start);
    room_wait(t.r, 5 * SB_SECOND);
    seat_forget(t.a);
    seat_forget(t.b);
    return t;
}

static void start_warp(stage *t, const char *set, float seconds)
{
    sb_message m = event_message(SB_OP_START_WARP, SB_EVENT_START_WARP, SB_CODE_START_WARP_NOTIFY,
                                 t->ship + 1 + WARP_ENGINES);
    m.as.event.set_name = (sb_span){ (const uint8_t *)set, strlen(set) };
    m.as.event.warp_speed = seconds;
    seat_say_message(t->r, t->a, &m);
}

static void expect_set(seat *s, uint32_t ship, const char *set)
{
    sb_message m;
    CHECK_EQ(sb_decode_message(seat_find(s, SB_OP_ENTER_SET), NULL, &m, NULL), SB_OK);
    CHECK_EQ(m.as.enter_set.object_id, ship);
    CHECK_BYTES(m.as.enter_set.set_name.data, m.as.enter_set.set_name.size, set, strlen(set));
}

/* The set in the creation that a newcomer gets. */
static void expect_set_for_newcomer(stage *t, const char *set)
{
    sb_message m;
    seat      *late = room_load(t->r, "Late");
    seat_say_hex(t->r, late, "2A 20");
    CHECK_EQ(sb_decode_message(seat_find(late, SB_OP_PLAYER_OBJECT_CREATE), NULL, &m, NULL), SB_OK);
    CHECK_BYTES(m.as.object_create.set_name.data, m.as.object_create.set_name.size, set,
                strlen(set));
}

/* 1 s of entry, 2 s of flight and the stay in `warp`, which is silent; then EnterSet to all. */
TEST(spec_07_7_a_warp_ends_with_an_enter_set_to_all)
{
    sb_server_config c = poseidon();
    stage            t = open_stage(&c);
    start_warp(&t, other, 4.0f);
    CHECK_EQ(t.b->by_opcode[SB_OP_START_WARP], 1); /* relayed at once */
    room_wait(t.r, 7 * SB_SECOND - 1);
    CHECK_EQ(t.a->by_opcode[SB_OP_ENTER_SET] + t.b->by_opcode[SB_OP_ENTER_SET], 0);
    expect_set_for_newcomer(&t, start);
    room_wait(t.r, SB_SECOND / 10);
    CHECK_EQ(t.a->by_opcode[SB_OP_ENTER_SET], 1);
    expect_set(t.b, t.ship, other);
    expect_set(t.a, t.ship, other);
    CHECK_EQ(t.b->by_opcode[SB_OP_OBJECT_NOT_FOUND], 1); /* the spawn, not the warp */
    expect_set_for_newcomer(&t, other);
    room_wait(t.r, 20 * SB_SECOND);
    CHECK_EQ(t.a->by_opcode[SB_OP_ENTER_SET], 1);
}

/* Messages EnterSet that Beta gets within 40 s of a StartWarp. */
static uint64_t sets_entered(const sb_server_config *c, const char *set, float seconds)
{
    stage    t = open_stage(c);
    uint64_t before = t.b->by_opcode[SB_OP_ENTER_SET];
    start_warp(&t, set, seconds);
    room_wait(t.r, 40 * SB_SECOND);
    return t.b->by_opcode[SB_OP_ENTER_SET] - before;
}

TEST(only_a_warp_to_another_set_of_the_system_is_announced)
{
    sb_server_config c = poseidon();
    CHECK_EQ(sets_entered(&c, other, 3.0f), 1);
    CHECK_EQ(sets_entered(&c, start, 3.0f), 0);    /* it is there already */
    CHECK_EQ(sets_entered(&c, "Multi3", 3.0f), 0); /* the clients have not loaded it */
    CHECK_EQ(sets_entered(&c, "Poseidon9", 3.0f), 0);
    CHECK_EQ(sets_entered(&c, "warp", 3.0f), 0);
    c.system = 200; /* a mod's: nobody knows its sets */
    CHECK_EQ(sets_entered(&c, other, 3.0f), 0);
}

TEST(a_stay_that_is_no_time_is_five_seconds)
{
    static const float numbers[] = { 0.0f, -1.0f, 61.0f };
    sb_server_config   c = poseidon();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        stage t = open_stage(&c);
        start_warp(&t, other, numbers[i]);
        room_wait(t.r, 8 * SB_SECOND - 1);
        CHECK_EQ(t.a->by_opcode[SB_OP_ENTER_SET], 0);
        room_wait(t.r, SB_SECOND / 10);
        CHECK_EQ(t.a->by_opcode[SB_OP_ENTER_SET], 1);
    }
}

TEST(a_stay_of_up_to_a_minute_is_a_time)
{
    static const float numbers[] = { 0.5f, 60.0f };
    sb_server_config   c = poseidon();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        stage t = open_stage(&c);
        start_warp(&t, other, numbers[i]);
        room_wait(t.r, 3 * SB_SECOND + (sb_time)(numbers[i] * 1e6f) - 1);
        CHECK_EQ(t.a->by_opcode[SB_OP_ENTER_SET], 0);
        room_wait(t.r, SB_SECOND / 10);
        CHECK_EQ(t.a->by_opcode[SB_OP_ENTER_SET], 1);
    }
}

/* The stages of two ships end at different times; after the last one nothing is due. */
TEST(each_of_two_ships_arrives_in_its_own_time)
{
    sb_server_config c = poseidon();
    stage            t = open_stage(&c);
    stage            second = { t.r, t.b, t.a, seat_spawn_in(t.r, t.b, SOVEREIGN, middle, start) };
    start_warp(&t, other, 2.0f);
    start_warp(&second, other, 9.0f);
    room_wait(t.r, 5 * SB_SECOND + SB_SECOND / 10);
    expect_set(t.a, t.ship, other);
    CHECK_EQ(t.a->by_opcode[SB_OP_ENTER_SET], 1);
    room_wait(t.r, 7 * SB_SECOND);
    expect_set(t.a, second.ship, other);
    room_wait(t.r, 3 * SB_SECOND);
    CHECK_EQ(t.r->server->warp_next, SB_TIME_NEVER);
}

TEST(a_ship_in_the_last_row_of_the_table_arrives)
{
    sb_server_config c = poseidon();
    stage            t = { .r = room_open(&c) };
    t.a = room_join(t.r, "Alpha");
    t.b = room_join(t.r, "Beta");
    for (uint32_t i = 1; i < OBJECTS_MAX; i++) {
        seat_create_scenery(t.r, t.b, seat_first_id(t.r, t.b) + 100 * i);
        room_wait(t.r, SB_SECOND / 10);
    }
    t.ship = seat_spawn_in(t.r, t.a, SOVEREIGN, middle, start);
    CHECK_EQ(t.r->server->objects[OBJECTS_MAX - 1].object_id, t.ship);
    start_warp(&t, other, 2.0f);
    room_wait(t.r, 6 * SB_SECOND);
    CHECK_EQ(t.a->by_opcode[SB_OP_ENTER_SET], 1);
}

TEST(the_ship_of_a_player_who_left_does_not_arrive)
{
    sb_server_config c = poseidon();
    stage            t = open_stage(&c);
    start_warp(&t, other, 10.0f);
    sb_transport_client_leave(t.a->client, t.r->now);
    room_wait(t.r, 30 * SB_SECOND);
    CHECK_EQ(sb_server_player_count(t.r->server), 1);
    CHECK_EQ(t.b->by_opcode[SB_OP_ENTER_SET], 0);
}

/* ---- ships that can warp ---- */

/* Sovereigns of two parts; the first has the given type. */
static const sb_ship_set *ships_with_first_part(uint8_t type)
{
    static sb_ship_set set;
    static sb_ship_class class;
    static sb_subsystem_class parts[2];
    set = *sb_stock_ships();
    class = *set.by_species[SOVEREIGN];
    class.subsystem_count = 2;
    class.child_count = 0;
    class.subsystems = parts;
    for (int16_t i = 0; i < 2; i++)
        parts[i] = (sb_subsystem_class){
            .name = "Part", .type = SB_SUBSYSTEM_HULL, .creation_index = i, .max_condition = 100
        };
    parts[0].type = type;
    set.by_species[SOVEREIGN] = &class;
    return &set;
}

TEST(only_a_ship_with_a_warp_engine_warps)
{
    static const uint8_t types[] = { SB_SUBSYSTEM_WARP, SB_SUBSYSTEM_WARP - 1,
                                     SB_SUBSYSTEM_WARP + 1, SB_SUBSYSTEM_HULL };
    for (size_t i = 0; i < sizeof types; i++) {
        sb_server_config c = poseidon();
        c.ships = ships_with_first_part(types[i]);
        stage   t = { .r = room_open(&c) };
        uint8_t bytes[128];
        t.a = room_join(t.r, "Alpha");
        t.ship = seat_first_id(t.r, t.a);
        size_t size = test_hex("03 00 02 08 80 00 00 FF FF FF 3F 05 00 00 00 00 00 00 00 00 00 00 "
                               "00 00 00 00 80 3F 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "
                               "00 00 00 01 41 09 50 6F 73 65 69 64 6F 6E 32 FF FF",
                               bytes, sizeof bytes);
        seat_say(t.r, t.a, SB_RELIABLE, (sb_span){ bytes, size });
        CHECK(seat_view(t.r, t.a).ship->model != NULL);
        sb_message m = event_message(SB_OP_START_WARP, SB_EVENT_START_WARP,
                                     SB_CODE_START_WARP_NOTIFY, t.ship + 1);
        m.as.event.set_name = (sb_span){ (const uint8_t *)other, strlen(other) };
        m.as.event.warp_speed = 1.0f;
        seat_say_message(t.r, t.a, &m);
        room_wait(t.r, 6 * SB_SECOND);
        CHECK_EQ(t.a->by_opcode[SB_OP_ENTER_SET], i == 0);
        CHECK_EQ(sb_server_implausible(t.r->server, SB_IMPLAUSIBLE_WARP), i != 0);
    }
}

/* ---- ships that see each other ---- */

TEST(ships_see_each_other_in_one_set_or_both_in_transit)
{
    static const struct {
        sb_warp_stage a, b;
        bool          same_name, seen;
    } rows[] = {
        { SB_WARP_NONE, SB_WARP_NONE, true, true },
        { SB_WARP_NONE, SB_WARP_NONE, false, false },
        { SB_WARP_LEAVING, SB_WARP_NONE, true, true },
        { SB_WARP_LEAVING, SB_WARP_ARRIVING, true, true },
        { SB_WARP_ARRIVING, SB_WARP_NONE, false, false },
        { SB_WARP_STAYING, SB_WARP_NONE, true, false },
        { SB_WARP_NONE, SB_WARP_STAYING, true, false },
        { SB_WARP_STAYING, SB_WARP_LEAVING, true, false },
        { SB_WARP_STAYING, SB_WARP_STAYING, false, true },
    };
    static sb_object a, b;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        a.warp = (uint8_t)rows[i].a;
        b.warp = (uint8_t)rows[i].b;
        a.set_size = b.set_size = 9;
        memcpy(a.set_name, start, 9);
        memcpy(b.set_name, rows[i].same_name ? start : other, 9);
        if (sb_server_is_same_set(&a, &b) != rows[i].seen) FAIL("row %zu", i);
    }
    a.warp = b.warp = SB_WARP_NONE;
    memcpy(b.set_name, start, 9);
    b.set_size = 8; /* the beginning of a name is another name */
    CHECK(!sb_server_is_same_set(&a, &b));
}

TEST(a_second_start_of_a_ship_in_transit_changes_nothing)
{
    sb_server_config c = poseidon();
    stage            t = open_stage(&c);
    start_warp(&t, other, 2.0f);
    room_wait(t.r, 2 * SB_SECOND);
    start_warp(&t, other, 30.0f);
    room_wait(t.r, 4 * SB_SECOND);
    CHECK_EQ(t.a->by_opcode[SB_OP_ENTER_SET], 1);
    room_wait(t.r, 2 * SB_SECOND); /* it has arrived, and may warp again */
    start_warp(&t, start, 2.0f);
    room_wait(t.r, 6 * SB_SECOND);
    CHECK_EQ(t.a->by_opcode[SB_OP_ENTER_SET], 2);
    expect_set(t.a, t.ship, other);
    expect_set(t.a, t.ship, start);
}

TEST(a_ship_that_dies_in_transit_does_not_arrive)
{
    sb_server_config c = poseidon();
    stage            t = open_stage(&c);
    start_warp(&t, other, 2.0f);
    room_wait(t.r, SB_SECOND);
    seat_say_hex(t.r, t.a, "13"); /* self-destruct */
    room_wait(t.r, 8 * SB_SECOND);
    CHECK_EQ(t.a->by_opcode[SB_OP_ENTER_SET], 0);
}

/* Others must not see the wreck appear in the set that the ship has left. */
TEST(a_wreck_in_transit_stays_there_until_the_stage_ends)
{
    sb_server_config c = poseidon();
    stage            t = open_stage(&c);
    start_warp(&t, other, 6.0f);
    room_wait(t.r, 4 * SB_SECOND);
    seat_say_hex(t.r, t.a, "13");
    room_wait(t.r, 4 * SB_SECOND);
    CHECK_EQ(sb_server_find_object(t.r->server, t.ship)->warp, SB_WARP_STAYING);
    room_wait(t.r, SB_SECOND + SB_SECOND / 10);
    CHECK_EQ(sb_server_find_object(t.r->server, t.ship)->warp, SB_WARP_NONE);
}

TEST(a_new_ship_does_not_go_on_with_the_warp_of_an_old_one)
{
    sb_server_config c = poseidon();
    stage            t = open_stage(&c);
    start_warp(&t, other, 2.0f);
    (void)seat_spawn(t.r, t.a, SOVEREIGN, middle);
    (void)seat_spawn(t.r, t.a, SOVEREIGN, middle); /* in the row of the first ship */
    room_wait(t.r, 10 * SB_SECOND);
    CHECK_EQ(t.a->by_opcode[SB_OP_ENTER_SET], 0);
}

TEST(spec_07_5_a_change_of_set_without_warp_is_a_notice_to_all)
{
    for (unsigned notice = 0; notice < 2; notice++) {
        sb_server_config c = poseidon();
        c.spawn_notice = notice;
        c.client_sets = true;
        stage    t = open_stage(&c);
        uint64_t a = t.a->by_opcode[SB_OP_OBJECT_NOT_FOUND];
        uint64_t b = t.b->by_opcode[SB_OP_OBJECT_NOT_FOUND];
        say_set(t.r, t.a, t.ship, other);
        expect_set(t.b, t.ship, other); /* relayed */
        CHECK_EQ(t.a->by_opcode[SB_OP_ENTER_SET], 0);
        CHECK_EQ(t.a->by_opcode[SB_OP_OBJECT_NOT_FOUND], a + notice);
        CHECK_EQ(t.b->by_opcode[SB_OP_OBJECT_NOT_FOUND], b + notice);
        if (notice) CHECK_EQ(sb_load_u32(seat_find(t.b, SB_OP_OBJECT_NOT_FOUND).data + 1), t.ship);
    }
}

TEST(an_enter_set_of_a_player_ends_the_warp)
{
    sb_server_config c = poseidon();
    c.client_sets = true;
    stage t = open_stage(&c);
    start_warp(&t, other, 2.0f);
    room_wait(t.r, 4 * SB_SECOND);
    uint64_t notices = t.b->by_opcode[SB_OP_OBJECT_NOT_FOUND];
    say_set(t.r, t.a, t.ship, other);
    expect_set(t.b, t.ship, other);
    CHECK_EQ(t.b->by_opcode[SB_OP_OBJECT_NOT_FOUND], notices);
    room_wait(t.r, 10 * SB_SECOND);
    CHECK_EQ(t.a->by_opcode[SB_OP_ENTER_SET], 0);
}

/* No stock client sends an EnterSet (spec 07 §7.3). */
TEST(without_client_sets_an_enter_set_of_a_player_is_counted)
{
    sb_server_config c = poseidon();
    stage            t = open_stage(&c);
    uint64_t         notices = t.a->by_opcode[SB_OP_OBJECT_NOT_FOUND];
    start_warp(&t, other, 4.0f);
    say_set(t.r, t.a, t.ship, other);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_CLIENT_SETS), 1);
    CHECK_EQ(t.b->by_opcode[SB_OP_ENTER_SET], 0);
    CHECK_EQ(t.a->by_opcode[SB_OP_OBJECT_NOT_FOUND], notices);
    expect_set_for_newcomer(&t, start);
    room_wait(t.r, 8 * SB_SECOND); /* the warp goes on */
    expect_set(t.b, t.ship, other);
}

TEST(an_enter_set_needs_a_readable_name_of_a_set)
{
    static const struct {
        const char *rest; /* after the object id */
        bool        relayed;
    } rows[] = {
        { "02 00 00 00 41 00", true },
        { "02 00 00 00 1F 00", false },
        { "02 00 00 00 7F 00", false },
        { "01 00 00 00 41", false }, /* without NUL */
    };
    sb_server_config c = poseidon();
    c.client_sets = true;
    c.system = 200; /* a mod's, whose sets the room does not know */
    stage    t = open_stage(&c);
    uint64_t refused = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char     hex[64] = "1F {ship} ";
        uint64_t before = t.b->by_opcode[SB_OP_ENTER_SET];
        seat_say_hex(t.r, t.a, strcat(hex, rows[i].rest));
        refused += !rows[i].relayed;
        if (t.b->by_opcode[SB_OP_ENTER_SET] - before != rows[i].relayed) FAIL("row %zu", i);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_BAD_VALUE), refused);
    }
    expect_set_for_newcomer(&t, "A"); /* shorter than the name before */
}

TEST(a_set_that_clients_have_not_loaded_is_not_relayed)
{
    sb_server_config c = poseidon();
    stage            t = open_stage(&c);
    say_set(t.r, t.a, t.ship, "Multi3");
    CHECK_EQ(seat_find(t.b, SB_OP_ENTER_SET).size, 0);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_BAD_VALUE), 1);
    c.trust_clients = c.client_sets = true;
    t = open_stage(&c);
    say_set(t.r, t.a, t.ship, "Multi3");
    expect_set(t.b, t.ship, "Multi3");
}

/* Reports that Alpha's ship is at (x, 0, 0); returns the implausible positions so far. */
static uint64_t jump(stage *t, float x)
{
    seat_say_position(t->r, t->a, t->ship, (sb_vec3){ x, 0, 0 });
    return sb_server_implausible(t->r->server, SB_IMPLAUSIBLE_POSITION);
}

/* The owner's own client takes 3.5 s longer than the host: with a stay of 4 s it arrives 12.5 s
 * after the start, and 2 s later its positions are judged again. */
TEST(no_position_of_a_warping_ship_is_implausible)
{
    sb_server_config c = poseidon();
    stage            t = open_stage(&c);
    start_warp(&t, other, 4.0f);
    for (unsigned second = 1; second <= 14; second++) {
        room_wait(t.r, SB_SECOND);
        CHECK_EQ(jump(&t, 900.0f * (float)second), 0);
    }
    room_wait(t.r, SB_SECOND);
    CHECK_EQ(jump(&t, 900.0f * 15), 1);
}

TEST(a_second_start_does_not_end_the_grace_of_the_first)
{
    sb_server_config c = poseidon();
    stage            t = open_stage(&c);
    start_warp(&t, other, 30.0f);
    room_wait(t.r, 2 * SB_SECOND);
    start_warp(&t, other, 30.0f);
    room_wait(t.r, 10 * SB_SECOND);
    CHECK_EQ(jump(&t, 900.0f), 0);
}

/* A StartWarp that leads nowhere is no way to fly unchecked: version 0.1 paused its checks. */
TEST(spec_10_11_4_a_warp_to_nowhere_pauses_no_check)
{
    static const char *const nowhere[] = { "Nowhere", "" };
    for (unsigned i = 0; i < 3; i++) {
        sb_server_config c = poseidon();
        stage            t = open_stage(&c);
        start_warp(&t, i < 2 ? nowhere[i] : start, 4.0f);
        CHECK_EQ(jump(&t, 900.0f), 1);
        const sb_server_event *e = &room_expect(t.r, SB_SERVER_SUSPICIOUS)->event;
        CHECK_EQ(e->value, SB_IMPLAUSIBLE_WARP);
        CHECK(e->claimed == 1 && e->possible == 0);
    }
}

TEST(spec_10_11_4_a_ship_does_no_damage_while_it_warps)
{
    sb_server_config c = poseidon();
    c.trace_damage = true;
    stage    t = open_stage(&c);
    uint32_t victim = seat_spawn_in(t.r, t.b, SOVEREIGN, (sb_vec3){ 0, 20, 0 }, start);
    start_warp(&t, other, 4.0f);
    seat_fire_torpedo(t.r, t.a, t.ship, victim);
    room_wait(t.r, 2 * SB_SECOND);
    CHECK_EQ(room_count_hits(t.r, victim), 0);
    CHECK_EQ(sb_server_implausible(t.r->server, SB_IMPLAUSIBLE_UNARMED), 1);
    room_wait(t.r, 10 * SB_SECOND); /* the owner arrives after 12.5 s */
    seat_fire_torpedo(t.r, t.a, t.ship, 0);
    CHECK_EQ(sb_server_implausible(t.r->server, SB_IMPLAUSIBLE_UNARMED), 2);
    room_wait(t.r, SB_SECOND);
    seat_fire_torpedo(t.r, t.a, t.ship, 0);
    CHECK_EQ(sb_server_implausible(t.r->server, SB_IMPLAUSIBLE_UNARMED), 2);
}

/* ---- combat and lanes follow the set ---- */

enum { OLD_SET, IN_TRANSIT, NEW_SET, TOGETHER_AGAIN, MOMENTS };

/* Alpha warps to the other set, a few units ahead of Beta's Sovereign; in the last moment Beta has
 * followed. A transit of 4 s lasts from the 3rd to the 7th second; a ship may fire when its owner
 * has arrived, after 12.5 s. */
static stage open_pursuit(unsigned moment, uint32_t *pursuer)
{
    static const sb_time after[MOMENTS] = { SB_SECOND, 5 * SB_SECOND, 8 * SB_SECOND,
                                            13 * SB_SECOND };
    sb_server_config     c = poseidon();
    c.trace_damage = true;
    stage t = open_stage(&c);
    *pursuer = seat_spawn_in(t.r, t.b, SOVEREIGN, (sb_vec3){ 0, -20, 0 }, start);
    start_warp(&t, other, 4.0f);
    room_wait(t.r, after[moment]);
    if (moment != TOGETHER_AGAIN) return t;
    stage follower = { t.r, t.b, t.a, *pursuer };
    start_warp(&follower, other, 4.0f);
    room_wait(t.r, after[moment]);
    return t;
}

TEST(a_ship_in_another_set_cannot_be_hit)
{
    for (unsigned moment = 0; moment < MOMENTS; moment++) {
        uint32_t pursuer;
        stage    t = open_pursuit(moment, &pursuer);
        seat_fire_torpedo(t.r, t.b, pursuer, t.ship);
        room_wait(t.r, 3 * SB_SECOND / 2); /* still in the same stage */
        bool torpedo = room_count_hits(t.r, t.ship) > 0;
        t = open_pursuit(moment, &pursuer);
        seat_open_fire(t.r, t.b, pursuer, t.ship);
        room_wait(t.r, 3 * SB_SECOND / 2);
        bool beam = room_count_hits(t.r, t.ship) > 0;
        CHECK_EQ(torpedo, moment == OLD_SET || moment == TOGETHER_AGAIN);
        CHECK_EQ(beam, torpedo);
    }
}

TEST(a_ship_that_has_arrived_can_be_hit_in_its_new_set)
{
    sb_server_config c = poseidon();
    c.trace_damage = true;
    stage    t = open_stage(&c);
    uint32_t ambush = seat_spawn_in(t.r, t.b, SOVEREIGN, (sb_vec3){ 0, -20, 0 }, other);
    start_warp(&t, other, 4.0f);
    for (unsigned second = 0; second < 3; second++) {
        seat_fire_torpedo(t.r, t.b, ambush, t.ship);
        room_wait(t.r, 2 * SB_SECOND);
    }
    CHECK_EQ(room_count_hits(t.r, t.ship), 0);
    room_wait(t.r, 2 * SB_SECOND);
    seat_fire_torpedo(t.r, t.b, ambush, t.ship);
    room_wait(t.r, 2 * SB_SECOND);
    CHECK_EQ(room_count_hits(t.r, t.ship), 1);
}

TEST(a_beam_ends_when_its_target_leaves_the_set)
{
    uint32_t pursuer;
    stage    t = open_pursuit(OLD_SET, &pursuer);
    seat_open_fire(t.r, t.b, pursuer, t.ship);
    room_wait(t.r, 2 * SB_SECOND + SB_SECOND / 10);
    unsigned hits = room_count_hits(t.r, t.ship);
    CHECK(hits > 0);
    room_wait(t.r, 15 * SB_SECOND);
    CHECK_EQ(room_count_hits(t.r, t.ship), hits);
}

TEST(ships_in_different_sets_do_not_collide)
{
    for (unsigned moment = 0; moment < MOMENTS; moment++) {
        uint32_t   pursuer;
        stage      t = open_pursuit(moment, &pursuer);
        float      hull = seat_view(t.r, t.a).ship->condition[0];
        sb_message m =
            event_message(SB_OP_COLLISION, SB_EVENT_COLLISION, SB_CODE_COLLISION, t.ship);
        m.as.event.source = pursuer;
        m.as.event.contact_count = 1;
        m.as.event.contacts[0] = (sb_cv4b){ { -7, 126, 2 }, 216 };
        m.as.event.force = 500.0f;
        seat_say_message(t.r, t.a, &m);
        room_wait(t.r, SB_SECOND / 10);
        CHECK_EQ(seat_view(t.r, t.a).ship->condition[0] < hull,
                 moment == OLD_SET || moment == TOGETHER_AGAIN);
    }
}

TEST(a_ship_in_transit_has_no_distance)
{
    sb_server_config c = poseidon();
    c.lane_distance = true;
    stage t = open_stage(&c);
    (void)seat_spawn_in(t.r, t.b, SOVEREIGN, (sb_vec3){ 0, 400, 0 }, start);
    start_warp(&t, other, 4.0f);
    room_wait(t.r, 5 * SB_SECOND / 2);
    uint64_t before = t.b->by_opcode[SB_OP_STATE_UPDATE]; /* of Beta's own ship, too */
    room_wait(t.r, 2 * SB_SECOND / 5);
    uint64_t after = t.b->by_opcode[SB_OP_STATE_UPDATE];
    CHECK_EQ(after - before, 4);
    room_wait(t.r, 3 * SB_SECOND / 5);
    before = t.b->by_opcode[SB_OP_STATE_UPDATE];
    room_wait(t.r, 2 * SB_SECOND);
    CHECK_EQ(t.b->by_opcode[SB_OP_STATE_UPDATE] - before, 40);
}

/* A new ship of Alpha, of a species that the room has no data of. */
static void spawn_mod_ship(stage *t)
{
    t->ship = seat_first_id(t->r, t->a) + 500;
    seat_say_hex(t->r, t->a,
                 "03 00 02 08 80 00 00 F3 01 00 40 C8 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 "
                 "3F 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 41 09 50 6F 73 65 "
                 "69 64 6F 6E 32 FF");
    room_wait(t->r, SB_SECOND); /* it replaces another */
}

/* Only data say that a ship has a warp engine. */
TEST(a_ship_without_data_does_not_warp)
{
    sb_server_config c = poseidon();
    stage            t = open_stage(&c);
    spawn_mod_ship(&t);
    start_warp(&t, other, 2.0f);
    CHECK_EQ(t.b->by_opcode[SB_OP_START_WARP], 1);
    room_wait(t.r, 10 * SB_SECOND);
    CHECK_EQ(t.b->by_opcode[SB_OP_ENTER_SET], 0);
}

TEST(a_ship_without_data_enters_a_set_for_late_joiners_too)
{
    sb_server_config c = poseidon();
    c.client_sets = true;
    stage t = open_stage(&c);
    spawn_mod_ship(&t);
    expect_set_for_newcomer(&t, start);
    say_set(t.r, t.a, t.ship, other);
    expect_set_for_newcomer(&t, other);
}
