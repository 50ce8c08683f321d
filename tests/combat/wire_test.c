/* tests/combat/wire_test.c -- parts, shields and motion of a ship in StateUpdate and creation
 * messages. Spec 10 §3.1, §5.4, §11.1.
 */
#include "rig.h"

#include <starbase/message.h>

#include <starbase/replica.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The next row of docs/facts/subsystems.csv; false: no more. */
static bool read_part(FILE *file, unsigned *species, int *index, int *child, char name[64])
{
    char line[512], key[64];
    if (!fgets(line, sizeof line, file)) return false;
    CHECK_EQ(sscanf(line, "%u,%63[^,],%d,%d,%63[^,]", species, key, index, child, name), 5);
    return true;
}

static void skip_headings(FILE *file)
{
    int c;
    do c = getc(file);
    while (c != '\n' && c != EOF);
}

TEST(test_10_3_1_parts_are_in_the_order_of_the_hardpoint_data)
{
    FILE *file = fopen(SB_SOURCE_DIR "/docs/facts/subsystems.csv", "r");
    CHECK(file);
    skip_headings(file);
    const sb_ship_class *model = NULL;
    unsigned             species, part = SB_NO_PART, ships = 0;
    int                  index, child;
    char                 name[64];
    while (read_part(file, &species, &index, &child, name)) {
        if (!model || model->species != species) {
            CHECK_EQ(part, SB_NO_PART); /* all parts of the previous ship were seen */
            model = sb_find_ship(sb_stock_ships(), (uint8_t)species);
            CHECK(model && model->subsystem_count >= 8 && model->subsystem_count <= 13);
            part = 0;
            ships++;
        }
        uint8_t at;
        int8_t  below;
        CHECK(part != SB_NO_PART);
        sb_combat_locate_part(model, part, &at, &below);
        CHECK_TEXT(sb_combat_part_class(model, part)->name, name);
        CHECK_EQ(at, index);
        CHECK_EQ(below, child);
        part = sb_combat_next_part(model, part);
    }
    fclose(file);
    CHECK_EQ(part, SB_NO_PART);
    CHECK_EQ(ships, sb_stock_ships()->count - 1); /* all but the Enterprise, a Sovereign */
}

/* Sets conditions so that the parts carry consecutive codes in list order. No other byte of the
 * message has these values: group bytes are smaller, and intact parts are 0xFF. */
enum { FIRST_MARK = 0xC0 };
static unsigned mark_parts(sb_ship *ship)
{
    const sb_ship_class *m = ship->model;
    unsigned             count = 0;
    for (unsigned i = 0; i < m->subsystem_count; i++) {
        const sb_subsystem_class *s = &m->subsystems[i];
        ship->condition[i] = s->max_condition * ((float)(FIRST_MARK + count++) + 0.5f) / 255;
        for (unsigned n = s->first_child; n < (unsigned)s->first_child + s->child_count; n++)
            ship->child_condition[n] =
                m->children[n].max_condition * ((float)(FIRST_MARK + count++) + 0.5f) / 255;
    }
    CHECK(FIRST_MARK + count < 0xFF);
    return count;
}

/* Returns the number of marks in the bytes. They must continue, cyclically, after `before` others.
 */
static unsigned check_marks(const uint8_t *bytes, size_t size, unsigned before, unsigned count)
{
    unsigned found = 0;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] >= FIRST_MARK && bytes[i] < 0xFF)
            CHECK_EQ(bytes[i], FIRST_MARK + (before + found++) % count);
    return found;
}

/* A lane that behaves like stock, and its last message. */
typedef struct teller {
    sb_lane_options options;
    sb_ship_frame   frame;
    sb_lane         lane;
    sb_time         now;
    uint8_t         bytes[256];
    size_t          size;
} teller;

static void teller_open(teller *t, const sb_ship *ship, sb_lane_role role)
{
    memset(t, 0, sizeof *t);
    sb_lane_options_stock(&t->options);
    sb_frame_init(&t->frame, ship);
    sb_lane_init(&t->lane, role, &t->frame, &t->options);
}

/* Returns the start index of its block. */
static unsigned teller_send(teller *t, float game_time)
{
    sb_message         m = { .opcode = SB_OP_STATE_UPDATE };
    sb_message_context context = sb_lane_context(&t->lane, &t->frame, &t->options);
    CHECK(sb_lane_build(&t->lane, &t->frame, &t->options, false, t->now, game_time,
                        &m.as.state_update));
    CHECK_EQ(sb_encode_message(&m, &context, t->bytes, sizeof t->bytes, &t->size), SB_OK);
    t->now += SB_SECOND / 10;
    return m.as.state_update.start_index;
}

TEST(test_10_3_1_flag_20_cycles_through_parts_in_list_order)
{
    enum { HEADER = 10 };
    for (size_t n = 0; n < sb_stock_ships()->count; n++)
        for (unsigned role = SB_LANE_TO_OWNER; role <= SB_LANE_TO_OTHERS; role++) {
            rig     *r = rig_default();
            sb_ship *ship = rig_add(r, 0, sb_stock_ships()->ships[n].species, rig_origin);
            unsigned count = mark_parts(ship), found = 0;
            teller   t;
            teller_open(&t, ship, (sb_lane_role)role);
            for (unsigned i = 0; i < 20; i++) {
                teller_send(&t, 0);
                found += check_marks(t.bytes + HEADER, t.size - HEADER, found, count);
            }
            CHECK(found > 2 * count);
        }
}

TEST(test_10_3_1_creation_snapshots_have_parts_in_list_order)
{
    sb_message_context context = { .ships = sb_stock_ships() };
    for (size_t n = 0; n < sb_stock_ships()->count; n++) {
        rig       *r = rig_default();
        sb_ship   *ship = rig_add(r, 0, sb_stock_ships()->ships[n].species, rig_origin);
        unsigned   count = mark_parts(ship);
        sb_message m = { .opcode = SB_OP_PLAYER_OBJECT_CREATE };
        uint8_t    bytes[256];
        size_t     size;
        sb_ship_write_creation(ship, &m.as.object_create);
        CHECK_EQ(sb_encode_message(&m, &context, bytes, sizeof bytes, &size), SB_OK);
        CHECK_EQ(check_marks(bytes, size, 0, count), count);
    }
}

/* The captured block, fourth of the lane; the one after it starts at 2. */
TEST(test_10_5_4_the_captured_block_of_an_akira_to_its_owner)
{
    static const unsigned starts[] = { 0, 2, 6, 8, 2 };
    uint8_t               captured[32];
    size_t                size =
        test_hex("1C FF FF FF 3F 00 A0 1B 42 20 08 FF 60 FF FF FF FF FF FF FF FF FF FF FF FF",
                 captured, sizeof captured);
    rig   *r = rig_default();
    teller t;
    teller_open(&t, rig_add(r, 0, AKIRA, rig_origin), SB_LANE_TO_OWNER);
    for (unsigned i = 0; i < 5; i++) {
        CHECK_EQ(teller_send(&t, 38.90625f), starts[i]);
        if (starts[i] == 8) CHECK_BYTES(t.bytes, t.size, captured, size);
    }
}

TEST(test_10_5_4_the_published_start_indices_of_a_sovereign)
{
    static const unsigned starts[] = { 0, 2, 6, 8, 10 };
    rig                  *r = rig_default();
    teller                t;
    teller_open(&t, rig_add(r, 0, SOVEREIGN, rig_origin), SB_LANE_TO_OWNER);
    for (unsigned i = 0; i < 5; i++) CHECK_EQ(teller_send(&t, 0), starts[i]);
}

/* An Akira that was hit in front, with a generator of half its condition, at 125 %. */
static const sb_ship *struck_akira(void)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, AKIRA, rig_origin);
    unsigned shields = rig_entry(ship, SB_SUBSYSTEM_SHIELD);
    rig_strike(r, 0, (sb_vec3){ 0, 1, 0 }, 1, 2500); /* of 10,000 */
    ship->condition[shields] = ship->model->subsystems[shields].max_condition / 2;
    ship->power_wanted[shields] = 1.25f;
    return ship;
}

/* Hull; then condition, the bit 0 of a group of one, and the six facings, front first. */
TEST(test_10_5_4_the_owner_gets_condition_bit_and_six_facings)
{
    static const uint8_t block[] = { 0, 0xFF, 0x7F, 0x20, 0xBF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF };
    teller               t;
    teller_open(&t, struck_akira(), SB_LANE_TO_OWNER);
    teller_send(&t, 0);
    CHECK_BYTES(t.bytes + 10, t.size - 10, block, sizeof block);
}

/* The sixth block of the lane has the generator alone (03 §4.4): bit 1, then the power byte. */
TEST(test_10_5_4_others_get_power_byte_between_bit_and_facings)
{
    static const uint8_t block[] = { 1, 0x7F, 0x21, 0x7D, 0xBF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF };
    teller               t;
    teller_open(&t, struck_akira(), SB_LANE_TO_OTHERS);
    for (unsigned i = 0; i < 5; i++) teller_send(&t, 0);
    CHECK_EQ(teller_send(&t, 0), 1);
    CHECK_EQ(t.bytes[9], SB_STATE_SUBSYS);
    CHECK_BYTES(t.bytes + 10, t.size - 10, block, sizeof block);
}

/* A ship in the simulation, and the receiver of its owner's updates. */
typedef struct listener {
    rig        *rig;
    sb_ship    *ship;
    sb_receiver receiver;
} listener;

static listener listen(void)
{
    listener l = { .rig = rig_default() };
    l.ship = rig_add(l.rig, 0, SOVEREIGN, rig_origin);
    sb_receiver_init(&l.receiver, SB_RECEIVE_FROM_OWNER, l.ship, l.rig->now);
    return l;
}

/* Like the server: applies the update, then calls sb_combat_moved. */
static sb_result hear(listener *l, sb_state_update u, float game_time)
{
    sb_message         m = { .opcode = SB_OP_STATE_UPDATE, .as.state_update = u };
    sb_message_context context = { 0 };
    uint8_t            bytes[64];
    size_t             size;
    m.as.state_update.object_id = RIG_SHIP(0);
    m.as.state_update.game_time = game_time;
    CHECK_EQ(sb_encode_message(&m, &context, bytes, sizeof bytes, &size), SB_OK);
    sb_result result = sb_receiver_apply(&l->receiver, l->ship, l->rig->now, SB_SHIELD_STOCK,
                                         (sb_span){ bytes, size }, NULL);
    if (result == SB_OK) sb_combat_moved(l->rig->combat, RIG_SHIP(0), l->rig->now);
    return result;
}

/* Checks the position that the simulation computes for this much later. */
static void check_place(const listener *l, sb_time later, sb_vec3 expected)
{
    sb_vec3 place;
    CHECK(sb_combat_position(l->rig->combat, RIG_SHIP(0), l->rig->now + later, &place));
    CHECK_NEAR(sb_v_length(sb_v_sub(place, expected)), 0, 0.01);
}

static sb_state_update position(float x, float y, float z)
{
    return (sb_state_update){ .flags = SB_STATE_POS, .position = { x, y, z } };
}

static sb_state_update delta(float x, float y, float z)
{
    return (sb_state_update){ .flags = SB_STATE_DELTA,
                              .delta = sb_encode_cv4((sb_vec3){ x, y, z }) };
}

TEST(test_10_11_1_deltas_count_from_the_last_absolute_position)
{
    listener l = listen();
    CHECK_EQ(hear(&l, position(10, 20, 30), 1), SB_OK);
    check_place(&l, 0, (sb_vec3){ 10, 20, 30 });
    CHECK_EQ(hear(&l, delta(0, 0.5f, 0), 1.1f), SB_OK);
    check_place(&l, 0, (sb_vec3){ 10, 20.5f, 30 });
    CHECK_EQ(hear(&l, delta(0, 1, 0), 1.2f), SB_OK);
    check_place(&l, 0, (sb_vec3){ 10, 21, 30 });
    CHECK_EQ(hear(&l, position(10, 22, 30), 1.3f), SB_OK);
    check_place(&l, 0, (sb_vec3){ 10, 22, 30 });
    CHECK_EQ(hear(&l, delta(0, 0.5f, 0), 1.4f), SB_OK);
    check_place(&l, 0, (sb_vec3){ 10, 22.5f, 30 });
}

TEST(test_10_11_1_axes_become_unit_vectors_zero_axes_are_ignored)
{
    static const struct {
        sb_cv3 forward, up;
    } bad[] = { { { 0, 0, 0 }, { 0, 0, 127 } },      /* zero */
                { { 0, 127, 0 }, { 0, 0, 0 } },      /* zero */
                { { 0, 127, 0 }, { 0, -127, 0 } } }; /* parallel */
    listener        l = listen();
    sb_state_update u = { .flags = SB_STATE_FWD | SB_STATE_UP,
                          .forward = { 60, 80, 0 },
                          .up = { 0, 0, 50 } };
    CHECK_EQ(hear(&l, u, 1), SB_OK);
    sb_motion before = l.ship->motion;
    CHECK_NEAR(before.forward.x, 0.6, 1e-6);
    CHECK_NEAR(before.forward.y, 0.8, 1e-6);
    CHECK_NEAR(before.up.z, 1, 1e-6);
    for (unsigned i = 0; i < 3; i++) {
        u.forward = bad[i].forward;
        u.up = bad[i].up;
        CHECK_EQ(hear(&l, u, 2), SB_OK);
        CHECK_NEAR(sb_v_length(sb_v_sub(l.ship->motion.forward, before.forward)), 0, 0);
        CHECK_NEAR(sb_v_length(sb_v_sub(l.ship->motion.up, before.up)), 0, 0);
    }
}

/* Dead reckoning counts from the time of the packet (§11.2). */
TEST(test_10_11_1_a_negative_speed_is_reverse)
{
    listener        l = listen();
    sb_state_update u = position(0, 100, 0);
    u.flags |= SB_STATE_SPEED;
    u.speed_code = sb_encode_cf16(-4);
    rig_seconds(l.rig, 3);
    CHECK_EQ(hear(&l, u, 1), SB_OK);
    CHECK_NEAR(l.ship->motion.speed, -4, 0.01);
    check_place(&l, 0, (sb_vec3){ 0, 100, 0 });
    check_place(&l, SB_SECOND / 2, (sb_vec3){ 0, 98, 0 });
}

TEST(test_10_11_1_an_older_update_is_dropped_whole)
{
    listener        l = listen();
    sb_state_update u = { .flags = SB_STATE_POS | SB_STATE_FWD | SB_STATE_UP | SB_STATE_SPEED,
                          .position = { 50, 60, 70 },
                          .forward = { 127, 0, 0 },
                          .up = { 0, 0, 127 },
                          .speed_code = sb_encode_cf16(5) };
    CHECK_EQ(hear(&l, position(1, 2, 3), 5), SB_OK);
    sb_motion before = l.ship->motion;
    CHECK_EQ(hear(&l, u, 4.9f), SB_NOT_ALLOWED);
    CHECK(memcmp(&l.ship->motion, &before, sizeof before) == 0);
    check_place(&l, 0, (sb_vec3){ 1, 2, 3 });
    CHECK_EQ(hear(&l, u, 5), SB_OK); /* the same time is not older */
    check_place(&l, 0, (sb_vec3){ 50, 60, 70 });
}
