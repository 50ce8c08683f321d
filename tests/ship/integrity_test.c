/* tests/ship/integrity_test.c -- the integrity hash of whole ships: the examples of spec 04 §8, and
 * what is said about each input. */
#include <starbase/hash.h>
#include <starbase/integrity.h>

#include "test.h"

#include <math.h>
#include <string.h>

/* ---- recorded steps ---- */

enum { STEPS_MAX = 2000 };

typedef struct trace {
    sb_integrity_step steps[STEPS_MAX];
    size_t            count;
} trace;

static trace seen;

static void record_step(void *context, const sb_integrity_step *step)
{
    trace *t = context;
    CHECK(t->count < STEPS_MAX);
    t->steps[t->count++] = *step;
}

static uint32_t hash_with(const sb_ship_class *ship, const sb_integrity_assumptions *assumptions)
{
    sb_integrity_sink sink = { &seen, record_step };
    seen.count = 0;
    return sb_ship_integrity(ship, assumptions, &sink);
}

static uint32_t hash_of(const sb_ship_class *ship)
{
    return hash_with(ship, NULL);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The first step about a property of a part or its child. */
static const sb_integrity_step *step_of(uint8_t part, int child, const char *property)
{
    for (size_t i = 0; i < seen.count; i++)
        if (seen.steps[i].input.part == part && seen.steps[i].input.child == child &&
            strcmp(seen.steps[i].input.property, property) == 0)
            return &seen.steps[i];
    FAIL("no step about %s", property);
}

static uint32_t accumulator_after(uint8_t part)
{
    uint32_t after = 0;
    for (size_t i = 0; i < seen.count; i++)
        if (seen.steps[i].depth == 0 && seen.steps[i].input.part <= part)
            after = seen.steps[i].after;
    return after;
}

static unsigned steps_with_origin(uint8_t origin)
{
    unsigned count = 0;
    for (size_t i = 0; i < seen.count; i++) count += seen.steps[i].input.origin == origin;
    return count;
}

/* ---- the synthetic ship of spec 04 §8 ---- */

static sb_subsystem_class generic(sb_subsystem_type type, float condition)
{
    return (sb_subsystem_class){
        .name = "G",
        .type = (uint8_t)type,
        .targetable = true,
        .has_position = true,
        .max_condition = condition,
        .disabled_below = 0.75f,
        .repair_complexity = 3,
        .radius = 0.25f,
        .primary = SB_PROPERTY_YES,
    };
}

static const sb_weapon_class tube = {
    .immediate_delay = 0.25f,
    .reload_delay = 40,
    .max_ready = 1,
    .forward = { 0, 1, 0 },
    .up = { NAN, NAN, NAN },
    .right = { 1, 0, 0 },
};
static const sb_weapon_class bank = {
    .damage_radius_factor = 0.15f,
    .max_charge = 5,
    .max_damage = 300,
    .max_damage_distance = 60,
    .min_firing_charge = 3.5f,
    .discharge_rate = 1,
    .recharge_rate = 0.08f,
    .forward = { -1, 0, 0 },
    .up = { 0, 0, 1 },
    .beam_size = { 1, 0.5f },
    .arc_height = { -1.570796f, -0.349066f },
    .arc_width = { -1.221731f, 0 },
};
static const sb_weapon_class projector = {
    .damage_radius_factor = 0.3f,
    .max_charge = 5,
    .max_damage = 60,
    .max_damage_distance = 100,
    .min_firing_charge = 3,
    .discharge_rate = 1,
    .recharge_rate = 0.3f,
    .forward = { 0, 1, 0 },
    .up = { 0, 0, 1 },
    .right = { 1, 0, 0 },
    .arc_height = { 0.872665f, -0.872665f },
    .arc_width = { 0.872665f, -0.872665f },
};
static const sb_ordnance torpedo = {
    .system_type = SB_SUBSYSTEM_TORPEDO_SYSTEM,
    .max_torpedoes = 200,
    .script = "ABCD",
    .type_name = "XY",
    .integers = { 2, 3 },
};

typedef struct yard {
    sb_ship_class      ship;
    sb_subsystem_class subsystems[SB_SUBSYSTEMS_MAX];
    sb_subsystem_class children[64];
} yard;

static sb_subsystem_class *add(yard *y, sb_subsystem_type type, float condition, float power)
{
    sb_subsystem_class *s = &y->subsystems[y->ship.subsystem_count++];
    *s = generic(type, condition);
    s->format = power < 0 ? SB_FORMAT_BASE : SB_FORMAT_POWERED;
    s->power_per_second = power < 0 ? 0 : power;
    y->ship.subsystems = y->subsystems;
    y->ship.children = y->children;
    return s;
}

static void add_children(yard *y, sb_subsystem_class *s, unsigned count, sb_subsystem_type type,
                         float condition, const sb_weapon_class *weapon)
{
    s->first_child = y->ship.child_count;
    s->child_count = (uint8_t)count;
    for (unsigned i = 0; i < count; i++) {
        sb_subsystem_class *child = &y->children[y->ship.child_count++];
        *child = generic(type, condition);
        child->weapon = weapon;
    }
}

static void add_weapons(yard *y)
{
    sb_subsystem_class *s = add(y, SB_SUBSYSTEM_TORPEDO_SYSTEM, 5000, 100);
    s->single_fire = SB_PROPERTY_YES;
    s->aimed = SB_PROPERTY_NO;
    add_children(y, s, 6, SB_SUBSYSTEM_TORPEDO_TUBE, 1600, &tube);
    s = add(y, SB_SUBSYSTEM_PHASER_SYSTEM, 8000, 200);
    s->single_fire = s->aimed = SB_PROPERTY_NO;
    add_children(y, s, 8, SB_SUBSYSTEM_PHASER_BANK, 800, &bank);
    s = add(y, SB_SUBSYSTEM_TRACTOR_SYSTEM, 3000, 600);
    s->single_fire = SB_PROPERTY_YES;
    s->aimed = SB_PROPERTY_NO;
    add_children(y, s, 2, SB_SUBSYSTEM_TRACTOR_PROJECTOR, 1500, &projector);
}

static void build_synthetic(yard *y)
{
    memset(y, 0, sizeof *y);
    y->ship = (sb_ship_class){
        .shield_max = { 10000, 5000, 5000, 5000, 5000, 5000 },
        .shield_rate = { 11, 11, 11, 11, 11, 11 },
        .main_battery = 150000,
        .backup_battery = 50000,
        .main_conduit = 900,
        .backup_conduit = 100,
        .power_output = 800,
        .sensor_range = 1500,
        .max_accel = 3,
        .max_angular_velocity = 0.4f,
        .max_angular_accel = 0.15f,
        .max_speed = 6.6f,
        .max_repair_points = 36,
        .ordnance = &torpedo,
        .ordnance_count = 1,
    };
    /* Not the order of the hash: that must come from the types. */
    add_weapons(y);
    add(y, SB_SUBSYSTEM_HULL, 9000, -1)->critical = true;
    add(y, SB_SUBSYSTEM_REPAIR, 5000, 1);
    add_children(y, add(y, SB_SUBSYSTEM_WARP, 5000, 0), 2, SB_SUBSYSTEM_ENGINE, 3500, NULL);
    add_children(y, add(y, SB_SUBSYSTEM_IMPULSE, 4000, 50), 2, SB_SUBSYSTEM_ENGINE, 3000, NULL);
    add(y, SB_SUBSYSTEM_SENSOR, 6000, 150);
    add(y, SB_SUBSYSTEM_SHIELD, 9000, 300)->format = SB_FORMAT_SHIELD;
    sb_subsystem_class *reactor = add(y, SB_SUBSYSTEM_POWER, 5000, -1);
    reactor->critical = true;
    reactor->format = SB_FORMAT_REACTOR;
    add(y, SB_SUBSYSTEM_HULL, 777777, -1); /* the bridge, a later hull, is not hashed */
}

TEST(the_synthetic_ship_has_the_hash_of_the_spec_after_every_part)
{
    static const struct {
        uint8_t  part;
        uint32_t after;
    } rows[] = {
        { SB_INTEGRITY_HULL, 0x00000000 },      { SB_INTEGRITY_SHIELDS, 0x029E3F72 },
        { SB_INTEGRITY_REACTOR, 0xA7CACC70 },   { SB_INTEGRITY_SENSORS, 0x9F2B3A7A },
        { SB_INTEGRITY_IMPULSE, 0xE5674F6F },   { SB_INTEGRITY_WARP, 0xCACE9EDF },
        { SB_INTEGRITY_REPAIR, 0x2B3A7B37 },    { SB_INTEGRITY_CLOAK, 0x2B3A7B37 },
        { SB_INTEGRITY_TORPEDOES, 0x5674F66E }, { SB_INTEGRITY_BEAMS, 0xACE9ECDC },
        { SB_INTEGRITY_PULSE, 0xACE9ECDC },     { SB_INTEGRITY_TRACTORS, 0x59D3D9B9 },
    };
    yard y;
    build_synthetic(&y);
    CHECK_EQ(hash_of(&y.ship), 0x59D3D9B9);
    CHECK_EQ(sb_integrity_wire(0x59D3D9B9), 0x806A);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_EQ(accumulator_after(rows[i].part), rows[i].after);
    CHECK_EQ(steps_with_origin(SB_INTEGRITY_ASSUMED), 0);
    CHECK_EQ(steps_with_origin(SB_INTEGRITY_ESTIMATED), 0);
}

TEST(weapon_systems_of_the_synthetic_ship_hash_as_in_the_spec)
{
    yard y;
    build_synthetic(&y);
    (void)hash_of(&y.ship);
    CHECK_EQ(bits_of(step_of(SB_INTEGRITY_TORPEDOES, -1, "base")->value), 0x4E203F14);
    CHECK_EQ(bits_of(step_of(SB_INTEGRITY_TORPEDOES, -1, "system")->value), 0x8AFC59B3);
    CHECK_EQ(bits_of(step_of(SB_INTEGRITY_BEAMS, -1, "system")->value), 0x00024200);
    CHECK_EQ(bits_of(step_of(SB_INTEGRITY_TRACTORS, -1, "system")->value), 0x00000F38);
}

static void check_weapon(uint8_t part, const float *values, size_t count)
{
    uint32_t acc = 0; /* the base is far below 1 and folds as 0 */
    for (size_t i = 0; i < count; i++) acc = sb_fold_integrity(acc, values[i]);
    CHECK_EQ(bits_of(step_of(part, 0, "weapon")->value), acc);
}

/* Most values of a weapon vanish when its accumulator is folded, so that accumulator is checked. */
TEST(tubes_banks_and_projectors_fold_in_the_order_of_the_spec)
{
    static const float of_tube[] = { 0, 1, 0, 1, 0, 0, 0.25f, 40, 1 };
    static const float of_bank[] = {
        0.15f, 5, 300, 60, 3.5f, 1, 0.08f, -1, 0, 0, 0, 0, 1, 4, 2, -3, -1.5f, -1.221731f, 0,
    };
    static const float of_projector[] = {
        0.3f, 5, 60, 100, 3, 1, 0.3f,      0,          1,         0,
        0,    0, 1,  1,   0, 0, 0.872665f, -0.872665f, 0.872665f, -0.872665f,
    };
    sb_weapon_class uneven = bank; /* all dimensions and angles differ */
    uneven.beam_size[0] = 4;
    uneven.beam_size[1] = 2;
    uneven.arc_height[0] = -3;
    uneven.arc_height[1] = -1.5f;
    yard y;
    build_synthetic(&y);
    for (size_t i = 0; i < y.ship.child_count; i++)
        if (y.children[i].weapon == &bank) y.children[i].weapon = &uneven;
    (void)hash_of(&y.ship);
    check_weapon(SB_INTEGRITY_TORPEDOES, of_tube, sizeof of_tube / sizeof *of_tube);
    check_weapon(SB_INTEGRITY_BEAMS, of_bank, sizeof of_bank / sizeof *of_bank);
    check_weapon(SB_INTEGRITY_TRACTORS, of_projector, sizeof of_projector / sizeof *of_projector);
}

TEST(the_condition_of_the_hull_does_not_count_but_shields_do)
{
    yard y;
    build_synthetic(&y);
    for (size_t i = 0; i < y.ship.subsystem_count; i++)
        if (y.subsystems[i].type == SB_SUBSYSTEM_HULL) y.subsystems[i].max_condition = 90000;
    CHECK_EQ(hash_of(&y.ship), 0x59D3D9B9);
    y.ship.shield_max[0] = 20000;
    CHECK_EQ(hash_of(&y.ship), 0x59D3ED21);
}

TEST(a_sink_changes_nothing)
{
    yard y;
    build_synthetic(&y);
    CHECK_EQ(sb_ship_integrity(&y.ship, NULL, NULL), hash_of(&y.ship));
    CHECK_EQ(sb_ship_integrity(&(sb_ship_class){ 0 }, NULL, NULL), 0); /* nothing to fold */
}

TEST(the_akira_hull_folds_step_by_step_as_in_the_spec)
{
    static const uint32_t after[] = {
        0x00004650, 0x00008CA0, 0x00011940, 0x00023282, 0x00046504, 0x0008CA0A,
        0x00119412, 0x002328A4, 0x00465180, 0x008CA31C, 0x0119460E,
    };
    (void)hash_of(sb_find_ship(sb_stock_ships(), 1));
    for (size_t i = 0; i < 11; i++) {
        CHECK_EQ(seen.steps[i].depth, 1);
        CHECK_EQ(seen.steps[i].after, after[i]);
    }
    CHECK_EQ(bits_of(seen.steps[11].value), 0x0119460E);
    CHECK_EQ(seen.steps[11].depth, 0);
    CHECK_EQ(seen.steps[11].contribution, 0);
}

TEST(children_can_lift_a_base_into_the_window_where_it_counts)
{
    static const struct {
        float    condition;
        unsigned children;
        uint32_t base, contribution;
    } rows[] = {
        { 9000, 5, 0x46501714, 0x00003405 },
        { 5000, 6, 0x4E203F14, 0x280FC500 },
        { 6000, 6, 0x5DC03F14, 0x00000000 },
        { 1600, 9, 0xC8018F14, 0x0002063C },
    };
    for (size_t i = 0; i < 4; i++) {
        yard y = { 0 };
        add_children(&y, add(&y, SB_SUBSYSTEM_WARP, rows[i].condition, 100), rows[i].children,
                     SB_SUBSYSTEM_ENGINE, 1000, NULL);
        uint32_t                 hash = hash_of(&y.ship);
        const sb_integrity_step *base = step_of(SB_INTEGRITY_WARP, -1, "base");
        CHECK_EQ(bits_of(base->value), rows[i].base);
        CHECK_EQ(base->contribution, rows[i].contribution);
        CHECK_EQ(hash, rows[i].contribution << 1 | rows[i].contribution >> 31);
    }
}

/* ---- cannons, which no example of the spec has ---- */

TEST(a_cannon_folds_energy_axes_arcs_cooldown_and_its_name_sum)
{
    /* 'A' * 'C' + 'B' * 'B' + 'C' * 'A' = 13066 */
    static const float values[] = {
        0.2f, 4, 220, 50, 2.5f, 3, 1.5f, 0, 1, 0, 0, 0, 1, 1, 0, 0, -2, 2, -3, 3, 7.5f, 13066,
    };
    static const sb_weapon_class cannon = {
        .damage_radius_factor = 0.2f,
        .max_charge = 4,
        .max_damage = 220,
        .max_damage_distance = 50,
        .min_firing_charge = 2.5f,
        .discharge_rate = 3,
        .recharge_rate = 1.5f,
        .forward = { 0, 1, 0 },
        .up = { 0, 0, 1 },
        .right = { 1, 0, 0 },
        .arc_height = { -2, 2 },
        .arc_width = { -3, 3 },
        .cooldown_time = 7.5f,
        .module = "ABC",
    };
    yard                y = { 0 };
    sb_subsystem_class *s = add(&y, SB_SUBSYSTEM_PULSE_SYSTEM, 3000, 10);
    s->single_fire = s->aimed = SB_PROPERTY_YES;
    add_children(&y, s, 1, SB_SUBSYSTEM_PULSE_WEAPON, 1000, &cannon);
    (void)hash_of(&y.ship);
    check_weapon(SB_INTEGRITY_PULSE, values, sizeof values / sizeof *values);
}

/* ---- unknown inputs ---- */

static void forget(yard *y)
{
    y->ship.sensor_range = NAN;
    for (size_t i = 0; i < y->ship.subsystem_count; i++) {
        y->subsystems[i].primary = SB_PROPERTY_UNKNOWN;
        y->subsystems[i].single_fire = y->subsystems[i].aimed = SB_PROPERTY_UNKNOWN;
    }
}

TEST(unknown_inputs_are_folded_as_stated_and_called_assumed)
{
    yard y;
    build_synthetic(&y);
    forget(&y);
    (void)hash_of(&y.ship);
    const sb_integrity_step *range = step_of(SB_INTEGRITY_SENSORS, -1, "sensor_range");
    CHECK_EQ(range->input.origin, SB_INTEGRITY_ASSUMED);
    CHECK_EQ(range->value, 0);
    CHECK_EQ(range->contribution, 0);
    const sb_integrity_step *primary = step_of(SB_INTEGRITY_HULL, -1, "primary");
    CHECK_EQ(primary->input.origin, SB_INTEGRITY_ASSUMED);
    CHECK_EQ(primary->contribution, 27);
    CHECK_EQ(step_of(SB_INTEGRITY_BEAMS, -1, "single_fire")->contribution, 99);
    CHECK_EQ(step_of(SB_INTEGRITY_BEAMS, -1, "aimed")->contribution, 32);
    CHECK_EQ(step_of(SB_INTEGRITY_BEAMS, 0, "primary")->input.origin, SB_INTEGRITY_KNOWN);
    CHECK_EQ(steps_with_origin(SB_INTEGRITY_ASSUMED), 1 + 10 + 3 * 2);
}

TEST(estimates_of_the_data_are_called_estimated)
{
    (void)hash_of(sb_find_ship(sb_stock_ships(), 1));
    CHECK_EQ(step_of(SB_INTEGRITY_TORPEDOES, -1, "max_condition")->input.origin,
             SB_INTEGRITY_ESTIMATED);
    CHECK_EQ(step_of(SB_INTEGRITY_TORPEDOES, -1, "position")->input.origin, SB_INTEGRITY_ASSUMED);
    CHECK_EQ(step_of(SB_INTEGRITY_TORPEDOES, -1, "power_per_second")->input.origin,
             SB_INTEGRITY_KNOWN);
    CHECK_EQ(step_of(SB_INTEGRITY_TORPEDOES, -1, "types")->input.origin, SB_INTEGRITY_ESTIMATED);
    CHECK_EQ(step_of(SB_INTEGRITY_IMPULSE, 1, "repair_complexity")->input.origin,
             SB_INTEGRITY_ESTIMATED); /* inherited from the system */
    CHECK_EQ(step_of(SB_INTEGRITY_SHIELDS, -1, "max")->input.origin, SB_INTEGRITY_KNOWN);
    CHECK_EQ(step_of(SB_INTEGRITY_SENSORS, -1, "sensor_range")->input.origin,
             SB_INTEGRITY_ESTIMATED);
    (void)hash_of(sb_find_ship(sb_stock_ships(), 37)); /* spec 11 §7 */
    CHECK_EQ(step_of(SB_INTEGRITY_SHIELDS, -1, "max")->input.origin, SB_INTEGRITY_KNOWN);
    CHECK_EQ(step_of(SB_INTEGRITY_SHIELDS, -1, "rate")->input.origin, SB_INTEGRITY_ESTIMATED);
    CHECK_EQ(step_of(SB_INTEGRITY_REPAIR, -1, "max_points")->input.origin, SB_INTEGRITY_ESTIMATED);
    CHECK_EQ(step_of(SB_INTEGRITY_REACTOR, -1, "output")->input.origin, SB_INTEGRITY_KNOWN);
}

/* Every input of the Sovereign is read in its published script; these are the values that the
 * chapter's reading gives for it and for the Galaxy. The hash folds mounts, not positions. */
TEST(the_sovereign_and_the_galaxy_hash_as_their_scripts_say)
{
    CHECK_EQ(hash_of(sb_find_ship(sb_stock_ships(), 5)), 0xBC6D1382);
    CHECK_EQ(step_of(SB_INTEGRITY_BEAMS, 1, "position")->value, 0); /* x of the mount */
    CHECK_EQ(hash_of(sb_find_ship(sb_stock_ships(), 3)), 0xAC830928);
}

TEST(an_unknown_right_axis_is_taken_as_forward_cross_up)
{
    sb_weapon_class launcher = tube;
    sb_weapon_class side = projector;
    yard            y = { 0 };
    launcher.right[0] = NAN;
    side.up[0] = 1;
    side.up[2] = 0;
    side.right[0] = NAN;
    add_children(&y, add(&y, SB_SUBSYSTEM_TORPEDO_SYSTEM, 100, 1), 1, SB_SUBSYSTEM_TORPEDO_TUBE,
                 100, &launcher);
    add_children(&y, add(&y, SB_SUBSYSTEM_TRACTOR_SYSTEM, 100, 1), 1,
                 SB_SUBSYSTEM_TRACTOR_PROJECTOR, 100, &side);
    (void)hash_of(&y.ship);
    const sb_integrity_step *right = step_of(SB_INTEGRITY_TORPEDOES, 0, "right");
    CHECK_EQ(right[0].input.origin, SB_INTEGRITY_ASSUMED);
    CHECK(right[0].value == 1 && right[1].value == 0 && right[2].value == 0);
    right = step_of(SB_INTEGRITY_TRACTORS, 0, "right");
    CHECK(right[0].value == 0 && right[1].value == 0 && right[2].value == -1);
}

/* ---- amending ---- */

static void amend_as_the_spec_has_it(void *context, sb_integrity_input *input)
{
    unsigned *amended = context;
    if (strcmp(input->property, "sensor_range") == 0) input->value = 1500;
    else if (strcmp(input->property, "primary") == 0) input->value = 1;
    else if (strcmp(input->property, "single_fire") == 0)
        input->value = input->part == SB_INTEGRITY_BEAMS ? 0 : 1;
    else if (strcmp(input->property, "aimed") == 0) input->value = 0;
    else if (strcmp(input->property, "types") == 0) input->value = 1;
    else if (strcmp(input->property, "max_torpedoes") == 0) input->value = 200;
    else if (strcmp(input->property, "script") == 0) input->text = "ABCD";
    else if (strcmp(input->property, "type_name") == 0) input->text = "XY";
    else if (strcmp(input->property, "integers") == 0) input->value = 6;
    else return;
    input->origin = SB_INTEGRITY_SET;
    ++*amended;
}

TEST(amended_inputs_are_used_and_called_set)
{
    unsigned                 amended = 0;
    sb_integrity_assumptions right = { &amended, amend_as_the_spec_has_it };
    yard                     y;
    build_synthetic(&y);
    forget(&y);
    y.ship.ordnance_count = 0;
    CHECK_EQ(hash_with(&y.ship, &right), 0x59D3D9B9);
    CHECK_EQ(steps_with_origin(SB_INTEGRITY_ASSUMED), 0);
    CHECK_EQ(steps_with_origin(SB_INTEGRITY_SET), amended + 4 + 2); /* characters are steps too */
    const sb_integrity_step *script = step_of(SB_INTEGRITY_TORPEDOES, -1, "script");
    CHECK(!script->folded);
    CHECK_EQ(script->value, 4);
    CHECK_EQ(script[1].input.index, 0);
    CHECK_EQ(script[1].contribution, 'A' * 'D');
}

static void amend_type_count(void *context, sb_integrity_input *input)
{
    if (input->kind == SB_INTEGRITY_COUNT) input->value = *(const float *)context;
}

TEST(the_number_of_torpedo_types_stays_within_its_bounds)
{
    static const float given[] = { -3, NAN, 1e30f, 2, 0.5f, 16, 17 };
    static const float used[] = { 0, 0, SB_INTEGRITY_TYPES_MAX, 2, 0.5f, 16, 16 };
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        float                    count = given[i];
        sb_integrity_assumptions changed = { &count, amend_type_count };
        yard                     y;
        build_synthetic(&y);
        (void)hash_with(&y.ship, &changed);
        CHECK(step_of(SB_INTEGRITY_TORPEDOES, -1, "types")->value == used[i]);
        CHECK_EQ(seen.steps[seen.count - 1].input.type, -1);
        int16_t last = -1;
        for (size_t k = 0; k < seen.count; k++)
            if (seen.steps[k].input.type > last) last = seen.steps[k].input.type;
        CHECK_EQ(last, (int)used[i] - 1);
    }
}

/* ---- every stock ship ---- */

/* Each accumulator starts at 0, goes on where it was, and is folded with the bits it ended with. */
static void check_chain(void)
{
    uint32_t open[8] = { 0 };
    unsigned depth = 0;
    for (size_t i = 0; i < seen.count; i++) {
        const sb_integrity_step *step = &seen.steps[i];
        CHECK(step->depth < 8);
        for (; depth < step->depth; depth++) open[depth + 1] = 0;
        if (step->input.origin == SB_INTEGRITY_NESTED) {
            CHECK_EQ(depth, step->depth + 1u);
            CHECK_EQ(bits_of(step->value), open[depth]);
            depth--;
        }
        CHECK_EQ(depth, step->depth);
        CHECK_EQ(step->before, open[depth]);
        CHECK_EQ(step->after,
                 step->folded ? sb_fold_integrity(step->before, step->value) : step->before);
        open[depth] = step->after;
    }
    CHECK_EQ(depth, 0);
}

TEST(the_steps_of_every_stock_ship_are_one_unbroken_calculation)
{
    const sb_ship_set *set = sb_stock_ships();
    for (size_t i = 0; i < set->count; i++) {
        uint32_t hash = hash_of(&set->ships[i]);
        check_chain();
        CHECK_EQ(seen.steps[seen.count - 1].after, hash);
        CHECK_EQ(seen.steps[seen.count - 1].depth, 0);
        CHECK(steps_with_origin(SB_INTEGRITY_ASSUMED) > 0);
    }
}

TEST(parts_and_origins_have_names)
{
    for (uint8_t i = 0; i < SB_INTEGRITY_PARTS; i++) CHECK(sb_integrity_part_name(i));
    for (uint8_t i = 0; i < SB_INTEGRITY_ORIGINS; i++) CHECK(sb_integrity_origin_name(i));
    CHECK_TEXT(sb_integrity_part_name(SB_INTEGRITY_TORPEDOES), "torpedoes");
    CHECK_TEXT(sb_integrity_origin_name(SB_INTEGRITY_NESTED), "nested");
    CHECK(!sb_integrity_part_name(SB_INTEGRITY_PARTS));
    CHECK(!sb_integrity_origin_name(SB_INTEGRITY_ORIGINS));
}

/* ---- what a step says about its input ---- */

static bool is_one_of(const char *property, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(*names, property) == 0) return true;
    return false;
}

/* A vector counts from 0 up to its last element; everything else is a single value. */
static void check_index(const sb_integrity_step *step, const sb_integrity_step *before)
{
    static const char *const vectors[] = { "max", "rate",  "arc_width", "arc_height", "forward",
                                           "up",  "right", "position",  "beam_size",  NULL };
    int                      index = step->input.index;
    if (!is_one_of(step->input.property, vectors)) CHECK_EQ(index, -1);
    else if (index != 0) CHECK_EQ(index, before->input.index + 1);
}

static uint8_t kind_of(const char *property)
{
    static const char *const flags[] = { "aimed",      "critical",    "guarded", "primary",
                                         "targetable", "single_fire", NULL };
    static const char *const texts[] = { "module", "script", "type_name", NULL };
    if (is_one_of(property, flags)) return SB_INTEGRITY_FLAG;
    if (is_one_of(property, texts)) return SB_INTEGRITY_TEXT;
    return strcmp(property, "types") == 0 ? SB_INTEGRITY_COUNT : SB_INTEGRITY_NUMBER;
}

TEST(every_step_has_the_index_and_the_kind_of_its_property)
{
    const sb_ship_set *set = sb_stock_ships();
    for (size_t i = 0; i < set->count; i++) {
        (void)hash_of(&set->ships[i]);
        for (size_t k = 0; k < seen.count; k++) {
            const sb_integrity_step *step = &seen.steps[k];
            check_index(step, k ? step - 1 : step);
            CHECK_EQ(step->input.kind, kind_of(step->input.property));
            CHECK(step->input.origin < SB_INTEGRITY_ORIGINS);
            CHECK(step->input.origin != SB_INTEGRITY_SET);
        }
    }
}

TEST(texts_and_axes_that_are_given_are_known)
{
    yard y;
    build_synthetic(&y);
    (void)hash_of(&y.ship);
    for (size_t k = 0; k < seen.count; k++) {
        const sb_integrity_input *in = &seen.steps[k].input;
        if (in->kind == SB_INTEGRITY_TEXT)
            CHECK_EQ(in->origin, in->text ? SB_INTEGRITY_KNOWN : SB_INTEGRITY_ASSUMED);
        if (strcmp(in->property, "right") == 0) CHECK_EQ(in->origin, SB_INTEGRITY_KNOWN);
    }
}

/* Each estimate of a subsystem concerns its own inputs and no others. */
TEST(the_source_of_a_figure_decides_its_origin)
{
    static const char *const properties[] = { "max_condition", "repair_complexity",
                                              "power_per_second" };
    for (size_t estimated = 0; estimated < 4; estimated++) {
        yard                y = { 0 };
        sb_subsystem_class *s = add(&y, SB_SUBSYSTEM_WARP, 100, 1);
        s->condition_source = estimated == 0 ? SB_SOURCE_ESTIMATE : SB_SOURCE_NONE;
        s->properties_source = estimated == 1 ? SB_SOURCE_INHERITED : SB_SOURCE_NONE;
        s->power_source = estimated == 2 ? SB_SOURCE_ESTIMATE : SB_SOURCE_NONE;
        (void)hash_of(&y.ship);
        for (size_t i = 0; i < 3; i++)
            CHECK_EQ(step_of(SB_INTEGRITY_WARP, -1, properties[i])->input.origin,
                     i == estimated ? SB_INTEGRITY_ESTIMATED : SB_INTEGRITY_KNOWN);
    }
}

static bool folds_power(sb_subsystem_type type, uint8_t part, sb_subsystem_format format)
{
    yard y = { 0 };
    add(&y, type, 100, 1)->format = (uint8_t)format;
    (void)hash_of(&y.ship);
    for (size_t i = 0; i < seen.count; i++)
        if (seen.steps[i].input.part == part &&
            strcmp(seen.steps[i].input.property, "power_per_second") == 0)
            return true;
    return false;
}

TEST(powered_systems_and_shields_fold_their_power)
{
    CHECK(folds_power(SB_SUBSYSTEM_SENSOR, SB_INTEGRITY_SENSORS, SB_FORMAT_POWERED));
    CHECK(folds_power(SB_SUBSYSTEM_SHIELD, SB_INTEGRITY_SHIELDS, SB_FORMAT_SHIELD));
    CHECK(!folds_power(SB_SUBSYSTEM_HULL, SB_INTEGRITY_HULL, SB_FORMAT_BASE));
    CHECK(!folds_power(SB_SUBSYSTEM_POWER, SB_INTEGRITY_REACTOR, SB_FORMAT_REACTOR));
}

TEST(a_text_that_is_missing_is_assumed_empty)
{
    static const sb_ordnance nameless = { .system_type = SB_SUBSYSTEM_TORPEDO_SYSTEM,
                                          .type_name = "XY" };
    yard                     y;
    build_synthetic(&y);
    y.ship.ordnance = &nameless;
    (void)hash_of(&y.ship);
    const sb_integrity_step *script = step_of(SB_INTEGRITY_TORPEDOES, -1, "script");
    CHECK_EQ(script->input.origin, SB_INTEGRITY_ASSUMED);
    CHECK_TEXT(script->input.text, "");
    CHECK_EQ(step_of(SB_INTEGRITY_TORPEDOES, -1, "type_name")->input.origin, SB_INTEGRITY_KNOWN);
    CHECK_EQ(step_of(SB_INTEGRITY_TORPEDOES, -1, "types")->input.origin, SB_INTEGRITY_ESTIMATED);
    y.ship.ordnance_count = 0;
    (void)hash_of(&y.ship);
    CHECK_EQ(step_of(SB_INTEGRITY_TORPEDOES, -1, "types")->input.origin, SB_INTEGRITY_ASSUMED);
}

TEST(a_prediction_is_confirmed_by_an_equal_capture_that_is_not_0)
{
    yard y;
    build_synthetic(&y);
    CHECK(!sb_ship_predict_integrity(&y.ship).confirmed);
    y.ship.captured_hash = 0x806A;
    CHECK(sb_ship_predict_integrity(&y.ship).confirmed);
    CHECK_EQ(sb_ship_predict_integrity(&y.ship).wire, 0x806A);
    y.ship.captured_hash = 0x806B;
    CHECK(!sb_ship_predict_integrity(&y.ship).confirmed);
    sb_ship_class bare = { 0 };
    CHECK(!sb_ship_predict_integrity(&bare).confirmed);
}

/* Each part of a ship has a source of its own for the figures of the class. */
TEST(the_source_of_a_part_decides_the_origin_of_its_figures)
{
    static const struct {
        uint8_t     part;
        const char *property;
    } rows[] = { { SB_INTEGRITY_SHIELDS, "max" },
                 { SB_INTEGRITY_SHIELDS, "rate" },
                 { SB_INTEGRITY_REACTOR, "output" },
                 { SB_INTEGRITY_SENSORS, "sensor_range" },
                 { SB_INTEGRITY_REPAIR, "max_points" } };
    for (size_t estimated = 0; estimated < 6; estimated++) {
        yard y;
        build_synthetic(&y);
        uint8_t *sources[] = { &y.ship.shield_source, &y.ship.rate_source, &y.ship.reactor_source,
                               &y.ship.sensor_source, &y.ship.repair_source };
        if (estimated < 5) *sources[estimated] = SB_SOURCE_ESTIMATE;
        (void)hash_of(&y.ship);
        for (size_t i = 0; i < 5; i++)
            CHECK_EQ(step_of(rows[i].part, -1, rows[i].property)->input.origin,
                     i == estimated ? SB_INTEGRITY_ESTIMATED : SB_INTEGRITY_KNOWN);
    }
}
