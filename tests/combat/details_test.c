/* tests/combat/details_test.c -- sentences of spec 10 of which a small part is easily lost: the
 * last known target, the order within a step, factors and comparisons at their very edge, and the
 * order of a ship's parts on the wire.
 */
#include "rig.h"

#include <starbase/replica.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const sb_vec3 here = { 0, 0, 0 };
static const sb_cv3  ahead = { 0, 127, 0 };
static const sb_cv4b no_aim = { { 0, 0, 0 }, 0 };

/* A Vor'cha, which has weapons of all kinds, and two targets before its one beam. */
static rig *ambush(void)
{
    rig *r = rig_default();
    rig_add(r, 0, VORCHA, here);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
    rig_add(r, 2, GALAXY, (sb_vec3){ 3, 45, 0 });
    return r;
}

static void fire_beams(rig *r, uint32_t target)
{
    sb_combat_start_firing(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1),
                           target, no_aim);
}

static void stop_beams(rig *r, uint32_t target)
{
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1),
                          target);
}

static void fire_tube(rig *r, uint8_t type, uint32_t target)
{
    sb_combat_torpedo(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), type,
                      ahead, target, no_aim);
}

static void fire_cannon(rig *r, uint32_t target)
{
    sb_combat_pulse(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PULSE_SYSTEM, 0), 8, ahead,
                    target);
}

/* Whom beams hit in the next step; 0: nobody. */
static uint32_t beam_victim(rig *r)
{
    rig_forget(r);
    rig_steps(r, 1);
    const sb_combat_event *hit = rig_event(r, SB_COMBAT_HIT, 0);
    if (!hit) return 0;
    CHECK_EQ(hit->cause, SB_DAMAGE_BEAM);
    return hit->object_id;
}

/* ---- §2: the order within a step ---- */

/* The device engages after the draws of the step have been made: it draws from the next one on. */
TEST(test_10_2_power_is_drawn_before_the_cloak_changes_its_state)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, VORCHA, here);
    float    full = ship->model->backup_battery;
    ship->cloaked = true;
    rig_steps(r, 1);
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(0)), 2);
    CHECK_NEAR(ship->backup_battery, full, 0);
    rig_steps(r, 1);
    CHECK(ship->backup_battery < full);
}

/* All three at once on a ship so near that every muzzle lies inside it. */
TEST(test_10_2_beams_then_bolts_then_torpedoes_strike)
{
    static const uint8_t order[] = { SB_DAMAGE_BEAM, SB_DAMAGE_BOLT, SB_DAMAGE_TORPEDO };
    rig                 *r = rig_default();
    rig_add(r, 0, VORCHA, here);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 4, 0 });
    fire_tube(r, 2, 0);
    fire_cannon(r, 0);
    fire_beams(r, RIG_SHIP(1));
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 3);
    for (unsigned i = 0; i < 3; i++) CHECK_EQ(rig_event(r, SB_COMBAT_HIT, i)->cause, order[i]);
}

/* ---- §3.1: the tree ---- */

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
            CHECK_EQ(part, SB_NO_PART); /* the ship before was walked to its end */
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

/* Conditions that count the parts up in list order, in codes that nothing else on the wire has:
 * groups of bits stay below, and what is whole is 0xFF. */
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

/* How many marks there are in the bytes; they must go on after `before` others, round and round. */
static unsigned check_marks(const uint8_t *bytes, size_t size, unsigned before, unsigned count)
{
    unsigned found = 0;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] >= FIRST_MARK && bytes[i] < 0xFF)
            CHECK_EQ(bytes[i], FIRST_MARK + (before + found++) % count);
    return found;
}

/* A lane of the stock kind, and its last message. */
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
            sb_ship *ship = rig_add(r, 0, sb_stock_ships()->ships[n].species, here);
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
        sb_ship   *ship = rig_add(r, 0, sb_stock_ships()->ships[n].species, here);
        unsigned   count = mark_parts(ship);
        sb_message m = { .opcode = SB_OP_PLAYER_OBJECT_CREATE };
        uint8_t    bytes[256];
        size_t     size;
        sb_ship_write_creation(ship, &m.as.object_create);
        CHECK_EQ(sb_encode_message(&m, &context, bytes, sizeof bytes, &size), SB_OK);
        CHECK_EQ(check_marks(bytes, size, 0, count), count);
    }
}

/* ---- §4.4 ---- */

/* Nothing else draws, and nothing is generated: the backup battery is the cloak's alone. */
TEST(test_10_4_4_a_device_that_decloaks_draws_no_power)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, VORCHA, here);
    for (unsigned i = 0; i < ship->model->subsystem_count; i++)
        ship->on[i] = ship->model->subsystems[i].type == SB_SUBSYSTEM_CLOAK;
    ship->condition[rig_entry(ship, SB_SUBSYSTEM_POWER)] = 0;
    ship->cloaked = true;
    rig_seconds(r, 6);
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(0)), 3);
    float before = ship->backup_battery;
    ship->cloaked = false;
    rig_steps(r, 1);
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(0)), 5);
    float after = ship->backup_battery;
    CHECK(after < before); /* it was still engaged when the step drew */
    rig_seconds(r, 4);
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(0)), 5);
    CHECK_NEAR(ship->backup_battery, after, 0);
}

/* ---- §5.2 ---- */

TEST(test_10_5_2_a_weak_facing_absorbs_area_damage_up_to_its_hp)
{
    rig *r = rig_new();
    r->config.constants.splash = 6000;
    r->config.constants.splash_radius = 50;
    rig_start(r, false);
    rig_add(r, 0, SOVEREIGN, here);
    sb_ship *ship = rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 20, 0 });
    ship->facing[2] = 900;
    ship->facing[4] = 400;
    ship->facing[5] = 1000; /* just enough */
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    CHECK_NEAR(ship->facing[2] + ship->facing[4] + ship->facing[5], 0, 0);
    CHECK_NEAR(ship->facing[0], ship->model->shield_max[0] - 1000, 0.01);
    unsigned damaged = 0;
    for (size_t i = 0; i < r->event_count; i++) {
        const sb_combat_event *e = &r->events[i];
        if (e->type != SB_COMBAT_DAMAGED || e->object_id != RIG_SHIP(1)) continue;
        CHECK_NEAR(e->amount, 100 + 600, 0.01);
        damaged++;
    }
    CHECK(damaged > 0);
}

/* ---- §5.4: the shield entry of flag 0x20 ---- */

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
    teller_open(&t, rig_add(r, 0, AKIRA, here), SB_LANE_TO_OWNER);
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
    teller_open(&t, rig_add(r, 0, SOVEREIGN, here), SB_LANE_TO_OWNER);
    for (unsigned i = 0; i < 5; i++) CHECK_EQ(teller_send(&t, 0), starts[i]);
}

/* An Akira that was hit in front, with a generator of half its condition, at 125 %. */
static const sb_ship *struck_akira(void)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, AKIRA, here);
    unsigned shields = rig_entry(ship, SB_SUBSYSTEM_SHIELD);
    sb_combat_hit_with_weapon(r->combat, rig_fighter(r, 0),
                              (sb_damage_source){ SB_DAMAGE_BOLT, 3, 1 }, (sb_vec3){ 0, 1, 0 }, 1,
                              2500); /* of 10,000 */
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

/* ---- §6.2: the target of beams ---- */

/* The captured 0x07 has target 0. */
TEST(test_10_6_2_last_known_target_comes_from_an_earlier_0x07)
{
    rig *r = ambush();
    fire_beams(r, RIG_SHIP(1));
    stop_beams(r, 0);
    CHECK_EQ(beam_victim(r), 0);
    fire_beams(r, 0);
    CHECK_EQ(beam_victim(r), RIG_SHIP(1));
    stop_beams(r, 0);
    fire_beams(r, RIG_SHIP(2));
    stop_beams(r, 0);
    fire_beams(r, 0);
    CHECK_EQ(beam_victim(r), RIG_SHIP(2));
}

TEST(test_10_6_2_last_known_target_comes_from_a_torpedo)
{
    rig *r = ambush();
    fire_beams(r, 0);
    CHECK_EQ(beam_victim(r), 0);
    fire_tube(r, 2, RIG_SHIP(2));
    CHECK_EQ(beam_victim(r), RIG_SHIP(2));
}

TEST(test_10_6_2_last_known_target_comes_from_a_bolt)
{
    rig *r = ambush();
    fire_beams(r, 0);
    CHECK_EQ(beam_victim(r), 0);
    fire_cannon(r, RIG_SHIP(2));
    CHECK_EQ(beam_victim(r), RIG_SHIP(2));
}

/* And what is said or happens about the last known target does not concern them. */
TEST(test_10_6_2_beams_with_a_target_of_their_own_stay_on_it)
{
    rig *r = ambush();
    fire_beams(r, RIG_SHIP(1));
    sb_combat_target(r->combat, RIG_SHIP(0), RIG_SHIP(2));
    CHECK_EQ(beam_victim(r), RIG_SHIP(1));
    stop_beams(r, RIG_SHIP(2));
    CHECK_EQ(beam_victim(r), RIG_SHIP(1));
    sb_combat_self_destruct(r->combat, RIG_SHIP(2));
    CHECK_EQ(beam_victim(r), RIG_SHIP(1));
    stop_beams(r, RIG_SHIP(1));
    CHECK_EQ(beam_victim(r), 0);
}

/* ---- §6.2: at the edge ---- */

/* So far before the bank itself, whose full damage ends at 60. */
TEST(test_10_6_2_beams_do_no_damage_beyond_twice_their_range)
{
    for (unsigned beyond = 0; beyond < 2; beyond++) {
        rig         *r = rig_default();
        sb_ship     *ship = rig_add(r, 0, VORCHA, here);
        unsigned     system = rig_entry(ship, SB_SUBSYSTEM_PHASER_SYSTEM);
        const float *bank =
            ship->model->children[ship->model->subsystems[system].first_child].position;
        float distance = beyond ? 120.1f : 119.9f;
        rig_add(r, 1, GALAXY, (sb_vec3){ bank[0], bank[1] + distance, bank[2] });
        fire_beams(r, RIG_SHIP(1));
        CHECK_EQ(beam_victim(r), beyond ? 0 : RIG_SHIP(1));
    }
}

/* Without power it does not charge before it fires. */
TEST(test_10_6_2_a_bank_starts_with_exactly_its_minimum)
{
    for (unsigned less = 0; less < 2; less++) {
        rig       *r = ambush();
        sb_weapon *w = NULL;
        for (unsigned i = 0; i < rig_fighter(r, 0)->weapon_count; i++)
            if (rig_fighter(r, 0)->weapons[i].type == SB_SUBSYSTEM_PHASER_BANK)
                w = &rig_fighter(r, 0)->weapons[i];
        CHECK(w);
        float least = w->figures->min_firing_charge;
        CHECK(least > 0);
        r->ships[0].power_wanted[w->system] = 0;
        w->charge = less ? nextafterf(least, 0) : least;
        fire_beams(r, RIG_SHIP(1));
        CHECK_EQ(beam_victim(r), less ? 0 : RIG_SHIP(1));
    }
}

/* ---- §6.4: flight ---- */

static uint32_t in_flight_after(uint8_t type, float seconds)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, here);
    fire_tube(r, type, 0);
    CHECK_EQ(r->combat->shot_count, 1);
    rig_seconds(r, seconds);
    return r->combat->shot_count;
}

/* The two that are guided for longer than 30 s, and one of the others. */
TEST(test_10_6_4_torpedoes_fly_30_s_or_as_long_as_guided)
{
    static const uint8_t positron[] = { 7, 13 };
    for (unsigned i = 0; i < 2; i++) {
        CHECK_EQ(in_flight_after(positron[i], 39.9f), 1);
        CHECK_EQ(in_flight_after(positron[i], 40.1f), 0);
    }
    CHECK_EQ(in_flight_after(2, 29.9f), 1);
    CHECK_EQ(in_flight_after(2, 30.1f), 0);
}

/* A torpedo that passes the centre of a Sovereign at this part of its bound_radius. */
static bool strikes(float part, bool shields)
{
    rig         *r = rig_default();
    sb_ship     *ship = rig_add(r, 0, SOVEREIGN, here);
    const float *tube = ship->model->children[rig_child(ship, "Forward Torpedo 1")].position;
    float        aside = part * ship->model->bound_radius;
    sb_ship     *target = rig_add(r, 1, SOVEREIGN, (sb_vec3){ tube[0] + aside, 30, tube[2] });
    target->on[rig_entry(target, SB_SUBSYSTEM_SHIELD)] = shields;
    fire_tube(r, 2, 0);
    rig_seconds(r, 3);
    return rig_count(r, SB_COMBAT_HIT) == 1;
}

TEST(test_10_6_4_hit_radius_is_halved_without_shields)
{
    CHECK(strikes(0.98f, true));
    CHECK(!strikes(1.02f, true));
    CHECK(strikes(0.49f, false));
    CHECK(!strikes(0.51f, false));
}

/* §11.4: it flies on as it was going when the target left. */
TEST(test_10_6_4_a_torpedo_does_not_follow_into_another_set)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, here);
    rig_add(r, 1, GALAXY, (sb_vec3){ 60, 60, 0 });
    fire_tube(r, 2, RIG_SHIP(1));
    rig_seconds(r, 1);
    sb_vec3 way = r->combat->shots[0].direction;
    CHECK(way.x > 0.1f);
    sb_combat_entered(r->combat, RIG_SHIP(1), RIG_SET + 1, r->now);
    rig_seconds(r, 1);
    CHECK_EQ(r->combat->shot_count, 1);
    CHECK(memcmp(&r->combat->shots[0].direction, &way, sizeof way) == 0);
}

/* ---- §8.1 ---- */

/* Nobody else can report for a ship that has no owner; but not a third one. */
TEST(test_10_8_1_the_source_reports_for_a_ship_without_an_owner)
{
    static const sb_cv4b nose = { { 0, 127, 0 }, 200 };
    rig                 *r = rig_default();
    rig_add(r, 0, SOVEREIGN, here);
    rig_add(r, 2, SOVEREIGN, (sb_vec3){ 0, 14, 0 });
    sb_ship *ship = &r->ships[1];
    sb_ship_init(ship, sb_find_ship(sb_stock_ships(), SOVEREIGN), SOVEREIGN, RIG_SHIP(1));
    ship->motion.position = (sb_vec3){ 0, 7, 0 };
    CHECK_EQ(sb_combat_add_ship(r->combat, ship, 0, RIG_SET, r->now), SB_OK);
    sb_combat_collision(r->combat, RIG_SHIP(2), RIG_SHIP(0), RIG_SHIP(1), &nose, 1, 500, 0);
    CHECK_EQ(r->event_count, 0);
    sb_combat_collision(r->combat, RIG_SHIP(0), RIG_SHIP(0), RIG_SHIP(1), &nose, 1, 500, 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 0)->object_id, RIG_SHIP(1));
    CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 0)->attacker, RIG_OWNER(0));
    CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, 500.0 / 100 * 900 + 500, 0.01);
}

/* ---- §11.1: motion from 0x1C ---- */

/* A ship in the simulation, and what is believed of its owner's updates. */
typedef struct listener {
    rig        *rig;
    sb_ship    *ship;
    sb_receiver receiver;
} listener;

static listener listen(void)
{
    listener l = { .rig = rig_default() };
    l.ship = rig_add(l.rig, 0, SOVEREIGN, here);
    sb_receiver_init(&l.receiver, SB_RECEIVE_FROM_OWNER, l.ship, l.rig->now);
    return l;
}

/* As the server does: the update is applied, then the simulation is told. */
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

/* Where the simulation has it this much later. */
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
                { { 0, 127, 0 }, { 0, 0, 0 } },      /* likewise */
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

/* And the time of the packet is what dead reckoning counts from (§11.2). */
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
