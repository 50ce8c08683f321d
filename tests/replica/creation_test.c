/* tests/replica/creation_test.c -- ships from and to creation messages. Spec 07 §2.2, §2.3, §2.5.
 */
#include "rig.h"

#include <starbase/message.h>

#include "base/bytes.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The captured Sovereign of spec 07 §2.5. */
static const char sovereign[] = "03 00 02 08 80 00 00 FF FF FF 3F 05 00 00 18 42 00 00 44 C2 00 00 "
                                "0C C2 52 93 45 3F BB C9 22 BF"
                                "E2 58 10 B3 25 8D 6C B2 00 00 00 00 00 00 00 05 43 61 64 79 32 06 "
                                "4D 75 6C 74 69 31 FF FF 64 FF"
                                "FF FF FF FF FF FF 64 FF FF FF FF FF FF 64 FF FF FF FF FF FF FF 64 "
                                "60 00 FF 64 FF FF FF FF FF FF"
                                "FF FF FF 64 01 FF FF FF FF FF 64 01 FF FF FF 64 FF";

typedef struct creation {
    uint8_t    bytes[RIG_BYTES];
    size_t     size;
    sb_message message;
} creation;

static void check_near(float a, float b, float margin)
{
    if (!(fabsf(a - b) <= margin)) FAIL("%.9g is not near %.9g", (double)a, (double)b);
}

static void decode(creation *c)
{
    sb_message_context context = { .ships = sb_stock_ships() };
    memset(&c->message, 0xA5,
           sizeof c->message); /* poison: fields that are not decoded must not be used */
    CHECK_EQ(sb_decode_message((sb_span){ c->bytes, c->size }, &context, &c->message, NULL), SB_OK);
}

static void read_hex(creation *c, const char *hex)
{
    c->size = test_hex(hex, c->bytes, sizeof c->bytes);
    decode(c);
}

/* Encodes and decodes the creation that the ship's owner sends. */
static void announce(creation *c, const sb_ship *ship)
{
    static const uint8_t name[] = "Kirk", set[] = "Multi1";
    sb_message_context   context = { .ships = sb_stock_ships() };
    memset(&c->message, 0, sizeof c->message);
    c->message.opcode = SB_OP_PLAYER_OBJECT_CREATE;
    sb_object_create *create = &c->message.as.object_create;
    create->peer_id = 2;
    create->name = (sb_span){ name, 4 };
    create->set_name = (sb_span){ set, 6 };
    sb_ship_write_creation(ship, create);
    CHECK_EQ(sb_encode_message(&c->message, &context, c->bytes, sizeof c->bytes, &c->size), SB_OK);
    decode(c);
}

static sb_ship read_ship(const creation *c)
{
    sb_ship ship;
    sb_ship_read_creation(&ship, &c->message.as.object_create, sb_stock_ships());
    return ship;
}

TEST(the_captured_sovereign_is_intact_where_it_was_created)
{
    creation c;
    read_hex(&c, sovereign);
    sb_ship ship = read_ship(&c), fresh;
    CHECK_EQ(ship.object_id, 0x3FFFFFFF);
    CHECK_EQ(ship.species, 5);
    CHECK_TEXT(ship.model->name, "Sovereign");
    check_near(ship.motion.position.x, 38, 0);
    check_near(ship.motion.position.y, -49, 0);
    check_near(ship.motion.position.z, -35, 0);
    check_near(ship.motion.speed, 0, 0);
    /* w 0.771779, x -0.635891: a turn about x by -79 degrees. */
    check_near(ship.motion.forward.y, 0.771779f * 0.771779f - 0.635891f * 0.635891f, 1e-5f);
    check_near(ship.motion.forward.z, 2 * 0.771779f * -0.635891f, 1e-5f);
    sb_ship_init(&fresh, ship.model, 5, 0x3FFFFFFF);
    fresh.motion = ship.motion;
    rig_check_same(&ship, &fresh);
    CHECK_BYTES(ship.setting, sizeof ship.setting, fresh.setting, sizeof fresh.setting);
    CHECK_BYTES(ship.on, sizeof ship.on, fresh.on, sizeof fresh.on);
    CHECK_BYTES(ship.weapon_bit, sizeof ship.weapon_bit, fresh.weapon_bit, sizeof fresh.weapon_bit);
}

TEST(a_captured_creation_is_written_back_byte_for_byte)
{
    creation c;
    read_hex(&c, sovereign);
    sb_ship            ship = read_ship(&c);
    sb_object_create  *create = &c.message.as.object_create;
    sb_quat            captured = create->orientation;
    uint8_t            bytes[RIG_BYTES];
    size_t             size;
    sb_message_context context = { .ships = sb_stock_ships() };
    memset(create->snapshot, 0, sizeof create->snapshot);
    sb_ship_write_creation(&ship, create);
    check_near(create->orientation.w, captured.w, 1e-6f);
    check_near(create->orientation.x, captured.x, 1e-6f);
    create->orientation = captured; /* equal as a rotation, not bit for bit */
    CHECK_EQ(sb_encode_message(&c.message, &context, bytes, sizeof bytes, &size), SB_OK);
    CHECK_BYTES(bytes, size, c.bytes, c.size);
}

TEST(snapshots_have_the_captured_lengths)
{
    static const uint8_t lengths[16] = { 0,  51, 49, 54, 51, 53, 34, 46,
                                         48, 38, 35, 43, 50, 43, 42, 33 }; /* spec 07 §2.3 */
    for (uint8_t species = 1; species <= 15; species++) {
        creation c;
        sb_ship  ship;
        sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), species), species, RIG_SHIP);
        announce(&c, &ship);
        CHECK_EQ(c.size, 3u + 8 + 36 + 5 + 7 + lengths[species]);
    }
}

TEST(a_cloaking_device_that_is_off_says_so_at_full_setting)
{
    creation c;
    sb_ship  ship, seen;
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), 6), 6, RIG_SHIP);
    unsigned cloak = rig_entry(&ship, SB_SUBSYSTEM_CLOAK);
    announce(&c, &ship);
    CHECK_EQ((uint8_t)c.message.as.object_create.snapshot[cloak].power_code, 0x9C);
    seen = read_ship(&c);
    CHECK(!seen.cloaked);
    check_near(seen.power_wanted[cloak], 1, 0);
    ship.cloaked = true;
    announce(&c, &ship);
    CHECK_EQ(c.message.as.object_create.snapshot[cloak].power_code, 0x64);
    seen = read_ship(&c);
    CHECK(seen.cloaked);
}

TEST(a_system_that_is_off_keeps_its_setting)
{
    creation c;
    sb_ship  ship;
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), 1), 1, RIG_SHIP);
    ship.on[2] = false;
    ship.power_wanted[2] = 0.5f;
    ship.power_wanted[4] = 1.25f;
    announce(&c, &ship);
    CHECK_EQ((uint8_t)c.message.as.object_create.snapshot[2].power_code, 0xCE); /* spec 03 §11 */
    sb_ship seen = read_ship(&c);
    CHECK(!seen.on[2]);
    CHECK(seen.on[4]);
    check_near(seen.power_wanted[2], 0.5f, 0);
    check_near(seen.power_wanted[4], 1.25f, 0);
}

/* Ammunition, phaser level and tractor mode. Pulse weapons have no such byte (spec 07 §2.3): their
 * setting stays that of a new ship. */
TEST(the_settings_of_weapon_systems_are_announced)
{
    for (unsigned n = 0; n < RIG_STOCK_SHIPS; n++) {
        creation c;
        sb_ship  ship, seen, fresh;
        sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), rig_species[n]), rig_species[n],
                     RIG_SHIP);
        fresh = ship;
        for (unsigned i = 0; i < ship.model->subsystem_count; i++) {
            ship.setting[i] ^= 3;
            ship.weapon_bit[i] = !ship.weapon_bit[i];
        }
        announce(&c, &ship);
        seen = read_ship(&c);
        for (unsigned i = 0; i < ship.model->subsystem_count; i++) {
            unsigned type = ship.model->subsystems[i].type;
            bool weapon = type >= SB_SUBSYSTEM_PHASER_SYSTEM && type <= SB_SUBSYSTEM_TRACTOR_SYSTEM;
            bool has_setting = weapon && type != SB_SUBSYSTEM_PULSE_SYSTEM;
            CHECK_EQ(seen.weapon_bit[i], (weapon ? &ship : &fresh)->weapon_bit[i]);
            CHECK_EQ(seen.setting[i], (has_setting ? &ship : &fresh)->setting[i]);
        }
    }
}

TEST(a_snapshot_that_could_not_be_read_leaves_the_ship_intact)
{
    creation c;
    sb_ship  ship, seen;
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), 1), 1, RIG_SHIP);
    announce(&c, &ship);
    c.bytes[c.size++] = 0; /* not the length of an Akira's snapshot */
    decode(&c);
    CHECK(!c.message.as.object_create.snapshot_known);
    seen = read_ship(&c);
    CHECK(seen.model == ship.model);
    rig_check_same(&seen, &ship);
}

TEST(without_given_ships_the_stock_ships_decide_over_the_class)
{
    static sb_ship_set others;
    creation           c;
    sb_ship            ship, seen;
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), 1), 1, RIG_SHIP);
    announce(&c, &ship);
    sb_ship_read_creation(&seen, &c.message.as.object_create, NULL);
    CHECK(seen.model == ship.model);
    sb_ship_read_creation(&seen, &c.message.as.object_create, &others); /* an empty set */
    CHECK(!seen.model);
}

TEST(a_moving_ship_is_announced_with_its_velocity)
{
    creation c;
    sb_ship  ship;
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), 1), 1, RIG_SHIP);
    sb_motion_set_axes(&ship.motion, (sb_vec3){ 0.6f, 0.8f, 0 }, (sb_vec3){ 0, 0, 1 });
    sb_motion_set_speed(&ship.motion, 5);
    announce(&c, &ship);
    CHECK_EQ(c.message.as.object_create.velocity.direction.x, 0x4C);
    check_near(c.message.as.object_create.velocity.magnitude, 5, 1e-5f);
    check_near(read_ship(&c).motion.speed, 5, 0.08f); /* a truncated direction costs up to 1.4 % */
    sb_motion_set_speed(&ship.motion, -3);
    announce(&c, &ship);
    check_near(read_ship(&c).motion.speed, -3, 0.05f);
}

TEST(the_captured_velocity_gives_the_speed_along_the_nose)
{
    creation c;
    sb_ship  ship;
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), 1), 1, RIG_SHIP);
    sb_motion_set_axes(&ship.motion, (sb_vec3){ -57.0f, 81.2f, 79.3f }, (sb_vec3){ 0, 0, 1 });
    announce(&c, &ship);
    /* Spec 07 §2.2: 5.1245 at 2.1 degrees from the nose. */
    c.message.as.object_create.velocity = (sb_cv4f){ { -54, 84, 77 }, sb_bits_float(0x40A3FBF2) };
    check_near(read_ship(&c).motion.speed, 5.1245f, 0.05f);
}

TEST(a_species_without_a_list_is_carried_by_its_motion)
{
    creation c;
    sb_ship  ship, seen;
    sb_ship_init(&ship, NULL, 200, RIG_SHIP);
    ship.motion.position = (sb_vec3){ 1, 2, 3 };
    announce(&c, &ship);
    seen = read_ship(&c);
    CHECK(!seen.model);
    CHECK_EQ(seen.species, 200);
    check_near(seen.motion.position.z, 3, 0);
}

static void check_code(const char *part, unsigned index, int first, int again)
{
    if (again != first) FAIL("%s %u: code %d came back as %d", part, index, first, again);
}

/* Decoding a code to HP and encoding it again gives the same code (spec 02 §5.8). */
static void check_entries(const sb_ship_class *m, unsigned i, const sb_subsystem_snapshot *x,
                          const sb_subsystem_snapshot *y)
{
    const sb_subsystem_class *s = &m->subsystems[i];
    check_code("condition", i, x->condition_code, y->condition_code);
    for (unsigned c = 0; c < s->child_count; c++)
        check_code("child", c, x->children[c], y->children[c]);
    if (s->format == SB_FORMAT_REACTOR) {
        check_code("main battery", i, x->main_battery_code, y->main_battery_code);
        check_code("backup battery", i, x->backup_battery_code, y->backup_battery_code);
    } else if (s->format != SB_FORMAT_BASE) {
        check_code("power", i, x->power_code, y->power_code);
    }
    for (unsigned f = 0; s->format == SB_FORMAT_SHIELD && f < SB_FACINGS; f++)
        check_code("facing", f, x->facings[f], y->facings[f]);
    if (s->type == SB_SUBSYSTEM_PHASER_SYSTEM || s->type == SB_SUBSYSTEM_TRACTOR_SYSTEM) {
        CHECK_EQ(x->setting, y->setting);
        CHECK_EQ(x->weapon_bit, y->weapon_bit);
    }
}

static void check_snapshots(const sb_ship_class *m, const sb_object_create *a,
                            const sb_object_create *b)
{
    for (unsigned i = 0; i < m->subsystem_count; i++)
        check_entries(m, i, &a->snapshot[i], &b->snapshot[i]);
}

/* A device that is on at 0 % reads as off: the sign of zero is not on the wire (spec 03 §11). */
static void check_cloak(const sb_ship *ship, const sb_ship *seen, const sb_object_create *create)
{
    if (!ship->model->can_cloak) return;
    unsigned cloak = rig_entry(ship, SB_SUBSYSTEM_CLOAK);
    CHECK_EQ(seen->cloaked, ship->cloaked && create->snapshot[cloak].power_code != 0);
}

/* All 255 power bytes, on and off; values beyond the slider's range are clamped (spec 03 §9). */
TEST(every_setting_of_a_snapshot_is_written_back_unchanged)
{
    creation c;
    sb_ship  ship;
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), 1), 1, RIG_SHIP);
    announce(&c, &ship);
    for (int code = -128; code < 128; code++) {
        sb_object_create again;
        sb_ship_frame    frame;
        int              clamped = code > 125 ? 125 : code < -125 ? -125 : code;
        c.message.as.object_create.snapshot[2].power_code = (int8_t)code;
        sb_ship seen = read_ship(&c);
        sb_ship_write_creation(&seen, &again);
        CHECK_EQ(again.snapshot[2].power_code, clamped);
        sb_frame_init(&frame, &seen);
        CHECK_EQ(frame.entries[2].power_pct_code, clamped < 0 ? -clamped : clamped);
        CHECK_EQ(seen.on[2], code > 0);
        CHECK(seen.power_wanted[2] >= 0 && seen.power_wanted[2] <= 1.25f);
    }
}

TEST(an_announced_velocity_gives_the_speed_of_its_code)
{
    static const float magnitudes[] = { 0, 5, 1e5f, 1e30f, FLT_MAX, -FLT_MAX };
    for (size_t i = 0; i < sizeof magnitudes / sizeof *magnitudes; i++) {
        creation c;
        sb_ship  ship;
        sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), 1), 1, RIG_SHIP);
        sb_motion_set_axes(&ship.motion, (sb_vec3){ 1, 1, 1 }, (sb_vec3){ 1, -1, 0 });
        announce(&c, &ship);
        c.message.as.object_create.velocity = (sb_cv4f){ { 127, 127, 127 }, magnitudes[i] };
        sb_motion m = read_ship(&c).motion;
        check_near(m.speed, sb_decode_cf16(m.speed_code), 0);
        CHECK(fabsf(m.speed) < 20000); /* the range of a cf16 */
        sb_vec3 there = sb_motion_estimate(&m, 1);
        CHECK(isfinite(there.x) && isfinite(there.y) && isfinite(there.z));
    }
}

/* The server stores the owner's snapshot bytes of an unknown species and sends them unchanged. */
TEST(the_snapshot_of_a_species_without_a_list_is_left_as_it_was)
{
    static const uint8_t snapshot[] = { 1, 2, 3, 4 };
    sb_object_create     create = { .opaque = { snapshot, sizeof snapshot } };
    sb_ship              ship;
    sb_ship_init(&ship, NULL, 200, RIG_SHIP);
    sb_ship_write_creation(&ship, &create);
    CHECK(!create.snapshot_known);
    CHECK_BYTES(create.opaque.data, create.opaque.size, snapshot, sizeof snapshot);
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), 1), 1, RIG_SHIP);
    sb_ship_write_creation(&ship, &create);
    CHECK(create.snapshot_known);
    CHECK_EQ(create.opaque.size, 0);
}

TEST(any_ship_is_seen_as_it_was_announced)
{
    sb_random random;
    sb_random_init(&random, 7);
    for (unsigned n = 0; n < 20 * RIG_STOCK_SHIPS; n++) {
        creation c, d;
        sb_ship  ship, seen;
        uint8_t  species = rig_species[n % RIG_STOCK_SHIPS];
        sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), species), species, RIG_SHIP);
        rig_randomize(&random, &ship);
        for (unsigned i = 0; i < ship.model->subsystem_count; i++)
            if (ship.model->subsystems[i].type != SB_SUBSYSTEM_CLOAK)
                ship.on[i] = sb_random_below(&random, 2);
        announce(&c, &ship);
        seen = read_ship(&c);
        rig_check_seen(&ship, &seen, true);
        check_cloak(&ship, &seen, &c.message.as.object_create);
        announce(&d, &seen);
        check_snapshots(ship.model, &c.message.as.object_create, &d.message.as.object_create);
    }
}
