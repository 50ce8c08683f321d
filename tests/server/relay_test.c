/* tests/server/relay_test.c -- which players receive objects, events, shots, StateUpdates and chat.
 * Spec 07-09. */
#include "rig.h"

#include "base/bytes.h"

#include <math.h>
#include <string.h>

static const sb_vec3 here = { 38.0f, -49.0f, -35.0f };

/* Three players with an Akira, a Sovereign and a Bird of Prey. */
typedef struct trio {
    room    *r;
    seat    *a, *b, *c;
    uint32_t ship_a, ship_b, ship_c;
} trio;

static trio open_trio(const sb_server_config *config)
{
    trio t = { .r = room_open(config) };
    t.a = room_join(t.r, "Alpha");
    t.b = room_join(t.r, "Beta");
    t.c = room_join(t.r, "Gamma");
    t.ship_a = seat_spawn(t.r, t.a, 1, here);
    t.ship_b = seat_spawn(t.r, t.b, 5, (sb_vec3){ 200, 0, 0 });
    t.ship_c = seat_spawn(t.r, t.c, 6, (sb_vec3){ -200, 0, 0 });
    seat_forget(t.a);
    seat_forget(t.b);
    seat_forget(t.c);
    return t;
}

/* ---- objects ---- */

TEST(a_new_ship_is_relayed_unchanged_and_all_get_the_notice)
{
    static const char sovereign[] =
        "03 00 02 08 80 00 00 FF FF FF 3F 05 00 00 18 42 00 00 44 C2 00 00 0C C2 52 93 45 3F BB C9 "
        "22 BF E2 58 10 B3 25 8D 6C B2 00 00 00 00 00 00 00 05 43 61 64 79 32 06 4D 75 6C 74 69 31 "
        "FF FF 64 FF FF FF FF FF FF FF 64 FF FF FF FF FF FF 64 FF FF FF FF FF FF FF 64 60 00 FF 64 "
        "FF FF FF FF FF FF FF FF FF 64 01 FF FF FF FF FF 64 01 FF FF FF 64 FF"; /* spec 07 §2.5 */
    room *r = room_open(NULL);
    seat *a = room_join(r, "Cady2"), *b = room_join(r, "Beta");
    seat_forget(a);
    seat_say_hex(r, a, sovereign);
    EXPECT_HEARD(r, b, sovereign);
    EXPECT_HEARD(r, b, "1D FF FF FF 3F");
    EXPECT_HEARD(r, a, "1D FF FF FF 3F");
    EXPECT_QUIET(a);
    EXPECT_QUIET(b);
    seat_say_hex(r, a, sovereign); /* the id is known: ignored, not relayed (spec 07 §2.6) */
    EXPECT_QUIET(b);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_KNOWN_OBJECT), 1);
    seat *late = room_connect(r, "Late");
    CHECK_EQ(late->by_opcode[0x03], 0); /* not sent before the player is in the game */
}

TEST(a_late_joiner_gets_every_ship_in_its_current_state)
{
    trio  t = open_trio(NULL);
    seat *d = room_load(t.r, "Delta");
    seat_say_hex(t.r, d, "2A 20");
    static const uint8_t order[] = { 0x35, 0x37, 0x37, 0x37, 0x03, 0x03, 0x03, 0x17, 0x37 };
    uint32_t             ids[3];
    for (size_t i = 0, n = 0; i < sizeof order; i++) {
        sb_span m = seat_next(d);
        CHECK(m.size > 0);
        CHECK_EQ(m.data[0], order[i]);
        if (m.data[0] == SB_OP_PLAYER_OBJECT_CREATE) ids[n++] = sb_load_u32(m.data + 7);
    }
    EXPECT_QUIET(d);
    CHECK_EQ(ids[0], t.ship_a);
    CHECK_EQ(ids[1], t.ship_b);
    CHECK_EQ(ids[2], t.ship_c);
    room_wait(t.r, 110000);
    CHECK(d->by_opcode[0x1C] >= 3); /* one full update of each ship (spec 06 §8) */
}

TEST(creations_with_wrong_owner_id_or_values_are_dropped)
{
    static const char *const bad[] = {
        "03 01 02 08 80 00 00 FF FF FF 3F", /* another's slot */
        "03 00 03 08 80 00 00 FF FF FF 3F", /* another's peer id */
        "03 00 02 08 80 00 00 FF FF 03 40", /* another's block */
        "03 00 02 0A 80 00 00 FF FF FF 3F", /* a class that crashes clients */
        "02 00 07 80 00 00 FF FF FF 3F",
    };
    static const char body[] = " 05 00 00 18 42 00 00 44 C2 00 00 0C C2 00 00 80 3F 00 00 00 00 00 "
                               "00 00 00 00 00 00 00 00 "
                               "00 00 00 00 00 00 01 41 06 4D 75 6C 74 69 31";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        room *r = room_open(NULL);
        seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
        char  hex[400] = "";
        strcat(strcat(hex, bad[i]), body);
        seat_say_hex(r, a, hex);
        EXPECT_QUIET(b);
        CHECK(!a->left);
    }
}

TEST(a_mod_ship_is_relayed_and_stored_without_subsystem_data)
{
    static const char mod[] =
        "03 00 02 08 80 00 00 FF FF FF 3F C8 00 00 18 42 00 00 44 C2 00 00 0C C2 00 00 80 3F 00 00 "
        "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 41 06 4D 75 6C 74 69 31 FF FF 64";
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat_say_hex(r, a, mod);
    EXPECT_HEARD(r, b, mod);
    seat *late = room_join(r, "Late");
    room_wait(r, SB_SECOND);
    CHECK_EQ(late->by_opcode[0x03], 1);
    CHECK(late->by_opcode[0x1C] > 0); /* a full update of its motion once a second */
    CHECK_EQ(a->by_opcode[0x1C], 0);  /* an owner gets only subsystem data */
    for (size_t i = 0; i < late->heard_count; i++)
        if (late->heard[i].bytes[0] == SB_OP_STATE_UPDATE)
            CHECK_EQ(late->heard[i].bytes[9] & SB_STATE_SUBSYS, 0);
}

TEST(object_requests_are_answered_once_a_second_if_it_lives)
{
    trio t = open_trio(NULL);
    seat_say_hex(t.r, t.b, "1E FF FF FF 3F");
    CHECK_EQ(seat_next(t.b).data[0], 0x03);
    seat_say_hex(t.r, t.b, "1D FF FF FF 3F"); /* again within a second: no answer */
    EXPECT_QUIET(t.b);
    EXPECT_QUIET(t.c);
    room_wait(t.r, 1100000);
    seat_say_hex(t.r, t.b, "1D FF FF FF 3F");
    CHECK_EQ(seat_next(t.b).data[0], 0x03);
    seat_say_hex(t.r, t.b, "1E 12 34 56 78");
    EXPECT_QUIET(t.b);
    seat_say_hex(t.r, t.a, "13");
    seat_forget(t.b);
    room_wait(t.r, 1100000);
    seat_forget(t.b);
    seat_say_hex(t.r, t.b, "1E FF FF FF 3F");
    CHECK_EQ(seat_find(t.b, 0x03).size, 0);
}

TEST(state_updates_of_an_unknown_ship_make_the_room_request_it)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha");
    seat_say_hex(r, a, "1C 05 00 00 40 00 00 80 3F 00");
    EXPECT_HEARD(r, a, "1E 05 00 00 40");
    seat_say_hex(r, a, "1C 05 00 00 40 00 00 81 3F 00"); /* at most one request per second */
    EXPECT_QUIET(a);
}

/* ---- relayed events: to all others, unchanged (spec 08 §1.2) ---- */

static const char warp[] =
    "10 2A 81 00 00 EC 00 80 00 00 00 00 00 FF FF FF 3F 06 4D 75 6C 74 69 32 00 00 C8 42 00 00 "
    "48 C2 00 00 00 00 00 00 18 41";

TEST(events_of_ones_own_ship_go_unchanged_to_the_others_only)
{
    static const char *const events[] = {
        "07 28 81 00 00 D8 00 80 00 00 00 00 00 05 00 00 40 00 00 00 00 00 00 00 00",
        "08 01 01 00 00 DA 00 80 00 00 00 00 00 05 00 00 40",
        "09 0C 01 00 00 DC 00 80 00 00 00 00 00 05 00 00 40 FF FF 03 40",
        "0A 04 01 00 00 DD 00 80 00 00 00 00 00 01 00 00 40 00",
        "0B 01 01 00 00 DF 00 80 00 00 00 00 00 05 00 00 40",
        "0C 01 01 00 00 01 00 80 00 00 00 00 00 05 00 00 40",
        "0E 01 01 00 00 E2 00 80 00 00 00 00 00 0B 00 00 40",
        "0F 01 01 00 00 E4 00 80 00 00 00 00 00 0B 00 00 40",
        warp,
        "11 0C 01 00 00 76 00 80 00 00 00 00 00 18 00 00 40 0D 00 00 40",
        "12 05 01 00 00 E0 00 80 00 00 00 00 00 05 00 00 40 02",
        "1B 05 01 00 00 FE 00 80 00 00 00 00 00 05 00 00 40 01",
        "19 0D 00 00 40 02 05 4C 65 00",
        "19 0E 00 00 40 03 01 00 7F 00 FF FF 03 40 00 85 1E 83",
        "1A 08 00 00 40 02 54 5A 1E 01",
        "0C 34 12 00 00 01 00 80 00 00 00 00 00 05 00 00 40 DE AD BE EF", /* unknown class */
        "08 01 01 00 00 DA 00 80 00 00 00 00 00 05 00 00 40 99 99", /* trailing bytes are relayed */
    };
    trio t = open_trio(NULL);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        seat_say_hex(t.r, t.a, events[i]);
        EXPECT_HEARD(t.r, t.b, events[i]);
        EXPECT_HEARD(t.r, t.c, events[i]);
        EXPECT_QUIET(t.a);
    }
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_RELAYED) % 2, 0);
}

TEST(absorbed_messages_reach_nobody)
{
    static const char *const absorbed[] = {
        "0D 0C 01 00 00 58 00 80 00 00 00 00 00 FF FF FF 3F FF FF 03 40",
        "27",
        "2A 20",
    };
    trio t = open_trio(NULL);
    for (size_t i = 0; i < sizeof absorbed / sizeof *absorbed; i++) {
        seat_say_hex(t.r, t.a, absorbed[i]);
        EXPECT_QUIET(t.a);
        EXPECT_QUIET(t.b);
    }
}

TEST(what_only_a_server_sends_is_dropped_from_a_client)
{
    static const char *const forged[] = {
        "00 00 00 05 42 61 00 01 00 4D",
        "01",
        "06 29 81 00 00 4E 00 80 00 00 00 00 00 FF FF 03 40 00 00 00 00 00 00 18 41", /* a death */
        "14 FF FF 03 40",
        "16 21",
        "17 66 08 00 00 F1 00 80 00 00 00 00 00 4F 06 00 00 02",
        "18 05 00 41 6C 70 68 61",
        "20 00 08 00 73 63 72 69 70 74 73 2F 07 00 41 70 70 2E 70 79 63 20",
        "22 01 00 41",
        "25 01 00 41 42",
        "28",
        "29 FF FF 03 40 00 7F 00 5A 60 AA 52 E3 70",
        "35 08 01 FF FF",
        "36 00 00 00 00 02 00 00 00 01 00 00 00 00",
        "37 03 00 00 00 04 00 00 00 02 00 00 00 9C 04 00 00",
        "38 01 00 00 00",
        "3F 03 00 00 00 04 00 00 00 02 00 00 00 9C 04 00 00 01",
        "40 00 0C 00 00 00 68 10 00 00",
    };
    trio t = open_trio(NULL);
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        seat_say_hex(t.r, t.a, forged[i]);
        EXPECT_QUIET(t.b);
        EXPECT_QUIET(t.a);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_SERVER_ONLY), i + 1);
    }
    CHECK(!t.a->left);
}

TEST(foreign_beams_torpedoes_switches_and_sets_are_dropped)
{
    static const char *const foreign[] = {
        "07 28 81 00 00 D8 00 80 00 00 00 00 00 05 00 04 40 00 00 00 00 00 00 00 00",
        "0A 04 01 00 00 DD 00 80 00 00 00 00 00 01 00 04 40 00",
        "19 06 00 04 40 02 05 4C 65 00",
        "1A 08 00 04 40 02 54 5A 1E 01",
        "15 24 81 00 00 50 00 80 00 00 00 00 00 FF FF 03 40 01 0D 7E 00 D9 BB 20 A0 44",
        "1F FF FF 03 40 07 00 00 00 4D 75 6C 74 69 31 00",
    };
    trio t = open_trio(NULL);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        seat_say_hex(t.r, t.a, foreign[i]);
        EXPECT_QUIET(t.b);
        EXPECT_QUIET(t.c);
        CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_FOREIGN_OBJECT), i + 1);
    }
}

TEST(shots_need_a_living_ship_but_ceasing_fire_does_not)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat_forget(a);
    seat_say_hex(r, a,
                 "07 28 81 00 00 D8 00 80 00 00 00 00 00 05 00 00 40 00 00 00 00 00 00 00 00");
    seat_say_hex(r, a, "19 06 00 00 40 02 05 4C 65 00");
    EXPECT_QUIET(b);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_NO_SHIP), 2);
    seat_say_hex(r, a, "08 01 01 00 00 DA 00 80 00 00 00 00 00 05 00 00 40");
    CHECK_EQ(seat_next(b).data[0], 0x08);
}

TEST(values_outside_their_range_are_not_passed_on)
{
    trio t = open_trio(NULL);
    seat_say_hex(t.r, t.a, "12 05 01 00 00 E0 00 80 00 00 00 00 00 05 00 00 40 03");
    seat_say_hex(t.r, t.a, "0A 04 01 00 00 DD 00 80 00 00 00 00 00 01 00 00 40 02");
    seat_say_hex(t.r, t.a,
                 "10 2A 81 00 00 EC 00 80 00 00 00 00 00 FF FF FF 3F 02 4D 07 00 00 C8 42 00 00 48 "
                 "C2 00 00 00 00 00 00 18 41");
    EXPECT_QUIET(t.b);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_BAD_VALUE), 3);
}

/* The relay budget of 100 messages refills five times as fast, so it never runs out here. */
TEST(one_weapon_has_a_burst_of_100_shots_then_20_a_second)
{
    trio t = open_trio(NULL);
    room_wait(t.r, 2 * SB_SECOND);
    for (unsigned n = 0; n < 3; n++) {
        for (unsigned i = 0; i < 50; i++) seat_say_hex(t.r, t.a, "19 0D 00 00 40 02 05 4C 65 00");
        CHECK_EQ(t.b->by_opcode[0x19], n == 0 ? 50 : n == 1 ? 100 : 120);
        room_wait(t.r, SB_SECOND / 2);
    }
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_RELAY_RATE), 0);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_FIRE_RATE), 30);
    room_wait(t.r, SB_SECOND / 10);
    for (unsigned i = 0; i < 20; i++) seat_say_hex(t.r, t.a, "19 0D 00 00 40 02 05 4C 65 00");
    CHECK_EQ(t.b->by_opcode[0x19], 132);
    seat_say_hex(t.r, t.a, "19 0E 00 00 40 02 05 4C 65 00"); /* another tube has its own budget */
    CHECK_EQ(t.b->by_opcode[0x19], 133);
}

/* ---- StateUpdates ---- */

TEST(positions_are_rebuilt_not_passed_on_at_ten_a_second_per_ship)
{
    trio t = open_trio(NULL);
    seat_say_hex(t.r, t.a,
                 "1C FF FF FF 3F 00 00 80 3F 11 00 00 C8 42 00 00 48 C2 00 00 00 00 20 00 00");
    uint64_t before = t.b->by_opcode[0x1C];
    room_wait(t.r, 10 * SB_SECOND);
    uint64_t per_ship =
        (t.b->by_opcode[0x1C] - before) / 3; /* updates of two other ships and of its own */
    CHECK(per_ship >= 95 && per_ship <= 105);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_STATE_IN), 1);
}

TEST(positions_of_somebody_elses_ship_change_nothing)
{
    trio t = open_trio(NULL);
    seat_say_hex(t.r, t.a, "1C FF FF 03 40 00 00 80 3F 01 00 00 C8 42 00 00 48 C2 00 00 00 00 20");
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_FOREIGN_STATE), 1);
    sb_player_view view;
    CHECK(sb_server_player(t.r->server, 1, t.r->now, &view));
    CHECK(view.position.x == 200.0f);
}

/* %s stands for one float; the rest of the message is valid. */
static const char *const floats[] = {
    "1C FF FF FF 3F %s 01 00 00 C8 42 00 00 48 C2 00 00 00 00 20",
    "1C FF FF FF 3F 00 00 80 3F 01 %s 00 00 48 C2 00 00 00 00 20",
    "1C FF FF FF 3F 00 00 80 3F 01 00 00 C8 42 %s 00 00 00 00 20",
    "1C FF FF FF 3F 00 00 80 3F 01 00 00 C8 42 00 00 48 C2 %s 20",
    "15 24 81 00 00 50 00 80 00 00 00 00 00 FF FF FF 3F 01 0D 7E 00 D9 %s",
    "10 2A 81 00 00 EC 00 80 00 00 00 00 00 FF FF FF 3F 01 4D %s 00 00 48 C2 00 00 00 00 00 00 "
    "18 41",
    "10 2A 81 00 00 EC 00 80 00 00 00 00 00 FF FF FF 3F 01 4D 00 00 48 C2 %s 00 00 00 00 00 00 "
    "18 41",
    "10 2A 81 00 00 EC 00 80 00 00 00 00 00 FF FF FF 3F 01 4D 00 00 48 C2 00 00 00 00 %s 00 00 "
    "18 41",
    "10 2A 81 00 00 EC 00 80 00 00 00 00 00 FF FF FF 3F 01 4D 00 00 48 C2 00 00 00 00 00 00 18 "
    "41 %s",
};

static const char *const creation_heads[] = {
    "03 00 02 08 80 00 00 40 00 00 40 05",
    "02 00 08 80 00 00 40 00 00 40 05",
};

/* A creation in which one float is replaced: x, y, z, qw, qx, qy, qz, or the speed. */
enum { CREATION_FLOATS = 8 };

static void make_creation(char *hex, const char *head, unsigned field, const char *value)
{
    static const char *const usual[CREATION_FLOATS] = { "00 00 18 42", "00 00 44 C2", "00 00 0C C2",
                                                        "00 00 80 3F", "00 00 00 00", "00 00 00 00",
                                                        "00 00 00 00", "00 00 00 00" };
    strcpy(hex, head);
    for (unsigned i = 0; i < CREATION_FLOATS; i++) {
        if (i == 7) strcat(hex, " 00 00 00"); /* the direction of motion */
        strcat(strcat(hex, " "), i == field ? value : usual[i]);
    }
    strcat(hex, " 01 41 06 4D 75 6C 74 69 31");
}

static uint64_t count_refused(const room *r)
{
    return COUNTED(r, SB_SERVER_COUNT_MALFORMED) + COUNTED(r, SB_SERVER_COUNT_STATE_REFUSED);
}

typedef void verdict(const room *r, uint64_t before);

static void say_with_float(trio *t, const char *message, const char *value, verdict *check)
{
    char        hex[600] = "";
    const char *hole = strstr(message, "%s");
    uint64_t    before = count_refused(t->r);
    strncat(hex, message, (size_t)(hole - message));
    strcat(strcat(hex, value), hole + 2);
    seat_say_hex(t->r, t->a, hex);
    check(t->r, before);
}

static void create_with_float(trio *t, unsigned number, const char *value, verdict *check)
{
    char hex[600];
    room_wait(t->r, SB_SECOND / 10); /* for the budget of relayed messages */
    uint64_t before = count_refused(t->r);
    make_creation(hex, creation_heads[number % 2], number / 2, value);
    seat_say_hex(t->r, t->a, hex);
    check(t->r, before);
}

/* Every message that has floats, with these values for each float in turn. */
static void say_all(trio *t, const char *const *values, size_t count, verdict *check)
{
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        for (size_t n = 0; n < count; n++) say_with_float(t, floats[i], values[n], check);
    for (unsigned i = 0; i < 2 * CREATION_FLOATS; i++)
        for (size_t n = 0; n < count; n++) create_with_float(t, i, values[n], check);
}

static void expect_refused(const room *r, uint64_t before)
{
    CHECK_EQ(count_refused(r), before + 1);
}

static void expect_understood(const room *r, uint64_t before)
{
    (void)before; /* StateUpdates may be too old */
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_MALFORMED) + COUNTED(r, SB_SERVER_COUNT_BAD_CREATION), 0);
}

TEST(nan_and_infinity_are_refused_in_every_float_field)
{
    static const char *const one[] = { "00 00 80 3F" };
    static const char *const bad[] = { "00 00 C0 7F", "00 00 80 7F", "00 00 80 FF", "01 00 80 7F" };
    trio                     t = open_trio(NULL);
    say_all(&t, one, 1, expect_understood); /* else what follows would prove nothing */
    CHECK_EQ(t.b->by_opcode[0x10], 4);
    t = open_trio(NULL);
    seat_say_hex(t.r, t.a, "1C FF FF FF 3F 00 00 80 3E 01 00 00 C8 42 00 00 48 C2 00 00 00 00 20");
    say_all(&t, bad, sizeof bad / sizeof *bad, expect_refused);
    CHECK_EQ(t.b->by_opcode[0x02], 0);
    CHECK_EQ(t.b->by_opcode[0x10] + t.b->by_opcode[0x06], 0);
    sb_player_view view;
    CHECK(sb_server_player(t.r->server, 0, t.r->now, &view));
    CHECK(view.position.x == 100.0f && isfinite(view.position.y));
    CHECK(!t.a->left);
}

/* ---- chat ---- */

TEST(chat_goes_to_all_and_back_with_the_true_speaker)
{
    trio t = open_trio(NULL);
    seat_say_hex(t.r, t.b, "2C 02 00 00 00 05 00 68 65 6C 6C 6F"); /* with Alpha's id */
    EXPECT_HEARD(t.r, t.a, "2C 03 00 00 00 05 00 68 65 6C 6C 6F");
    EXPECT_HEARD(t.r, t.b, "2C 03 00 00 00 05 00 68 65 6C 6C 6F");
    EXPECT_HEARD(t.r, t.c, "2C 03 00 00 00 05 00 68 65 6C 6C 6F");
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_CHAT_RENAMED), 1);
    const room_event *e = room_expect(t.r, SB_SERVER_CHAT);
    CHECK_TEXT(e->text, "hello");
    CHECK_TEXT(e->name, "Beta");
}

TEST(a_chat_line_of_300_bytes_is_cut_to_255)
{
    trio    t = open_trio(NULL);
    uint8_t line[307] = { 0x2C, 2, 0, 0, 0, 0x2C, 0x01 };
    memset(line + 7, 'x', 300);
    seat_say(t.r, t.a, SB_RELIABLE, (sb_span){ line, sizeof line });
    seat *const all[] = { t.a, t.b, t.c };
    for (size_t i = 0; i < 3; i++) {
        sb_span m = seat_next(all[i]);
        CHECK_EQ(m.size, 7 + SB_CHAT_MAX);
        CHECK_EQ(sb_load_u16(m.data + 5), SB_CHAT_MAX);
    }
}

TEST(excess_chat_is_dropped_and_truncated_chat_is_malformed)
{
    trio t = open_trio(NULL);
    for (unsigned i = 0; i < 20; i++) seat_say_hex(t.r, t.a, "2C {id} 01 00 61");
    CHECK_EQ(t.b->by_opcode[0x2C], 5);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_CHAT_RATE), 15);
    room_wait(t.r, 2 * SB_SECOND);
    seat_say_hex(t.r, t.a, "2C {id} 01 00 61");
    CHECK_EQ(t.b->by_opcode[0x2C], 6);
    seat_say_hex(t.r, t.a, "2C {id} 05 00 61");
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_MALFORMED), 1);
}

static sb_server_config team_config(void)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.match.mode = sb_find_mode("team");
    return c;
}

TEST(team_chat_goes_to_the_speakers_team_and_team_choices_to_all)
{
    sb_server_config c = team_config();
    trio             t = open_trio(&c);
    seat_say_hex(t.r, t.a, "41 63 00 00 00 01"); /* with another id: still Alpha's choice */
    EXPECT_HEARD(t.r, t.a, "41 02 00 00 00 01");
    EXPECT_HEARD(t.r, t.b, "41 02 00 00 00 01");
    EXPECT_HEARD(t.r, t.c, "41 02 00 00 00 01");
    seat_say_hex(t.r, t.b, "41 {id} 01");
    seat_say_hex(t.r, t.c, "41 {id} 00");
    seat_forget(t.a);
    seat_forget(t.b);
    seat_forget(t.c);
    seat_say_hex(t.r, t.a, "2D {id} 08 00 63 6F 76 65 72 20 6D 65");
    EXPECT_HEARD(t.r, t.a, "2D 02 00 00 00 08 00 63 6F 76 65 72 20 6D 65");
    EXPECT_HEARD(t.r, t.b, "2D 02 00 00 00 08 00 63 6F 76 65 72 20 6D 65");
    EXPECT_QUIET(t.c);
    seat_say_hex(t.r, t.a, "41 {id} 02");
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_BAD_VALUE), 1);
}

TEST(without_teams_team_chat_reaches_only_its_sender)
{
    trio t = open_trio(NULL);
    seat_say_hex(t.r, t.a, "41 {id} 01");
    EXPECT_QUIET(t.b);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_NO_TEAM_MODE), 1);
    seat_say_hex(t.r, t.a, "2D {id} 01 00 61"); /* spec 12 #14 */
    EXPECT_HEARD(t.r, t.a, "2D 02 00 00 00 01 00 61");
    EXPECT_QUIET(t.b);
}

/* ---- mods ---- */

TEST(mod_messages_go_to_the_others_or_as_the_policy_says)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.mod_policy[0xCE] = SB_MOD_DROP;
    c.mod_policy[0xCF] = SB_MOD_ALL;
    trio t = open_trio(&c);
    seat_say_hex(t.r, t.a, "CD 2A 00 00 00");
    EXPECT_HEARD(t.r, t.b, "CD 2A 00 00 00");
    EXPECT_QUIET(t.a);
    seat_say_hex(t.r, t.a, "CE 01");
    EXPECT_QUIET(t.b);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_MOD_POLICY), 1);
    seat_say_hex(t.r, t.a, "CF 01");
    EXPECT_HEARD(t.r, t.a, "CF 01");
    EXPECT_HEARD(t.r, t.b, "CF 01");
    uint8_t large[1025] = { 0xCD };
    seat_say(t.r, t.a, SB_RELIABLE, (sb_span){ large, sizeof large });
    EXPECT_QUIET(t.b);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_MOD_OVERSIZED), 1);
    room_wait(t.r, 10 * SB_SECOND);
    for (unsigned i = 0; i < 200; i++) {
        seat_say_hex(t.r, t.a, "CD 01");
        t.r->now += SB_SECOND / 100; /* so that the relay budget is not exhausted */
    }
    CHECK(t.b->by_opcode[0xCD] >= 121 && t.b->by_opcode[0xCD] <= 1 + 120 + 2 * 20 + 1);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_MOD_RATE) + t.b->by_opcode[0xCD], 201);
    uint8_t unreliable[] = { 0xD0, 7 };
    room_wait(t.r, 2 * SB_SECOND);
    seat_forget(t.b);
    seat_say(t.r, t.a, SB_UNRELIABLE, (sb_span){ unreliable, 2 });
    CHECK_EQ(t.b->heard[t.b->heard_count - 1].delivery, SB_UNRELIABLE);
}
