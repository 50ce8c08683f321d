/* tests/ship/ship_state_test.c -- one ship of a match: how it starts, when a part stops working,
 * how fast it may fly, and the ids of its parts. Spec 10 §3, §11.3; 07 §1; 08 §2.
 */
#include <starbase/ship_state.h>

#include "ship/codes.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { SHIP = 0x3FFFFFFF };

static const sb_ship_class *model_of(uint8_t species)
{
    const sb_ship_class *model = sb_find_ship(sb_stock_ships(), species);
    CHECK(model);
    return model;
}

static sb_ship ship_of(uint8_t species)
{
    sb_ship ship;
    sb_ship_init(&ship, model_of(species), species, SHIP);
    return ship;
}

static void check_near(float a, float b, float margin)
{
    if (!(fabsf(a - b) <= margin)) FAIL("%.9g is not near %.9g", (double)a, (double)b);
}

static unsigned entry_of(const sb_ship_class *model, sb_subsystem_type type)
{
    for (unsigned i = 0; i < model->subsystem_count; i++)
        if (model->subsystems[i].type == type) return i;
    FAIL("%s has no such entry", model->name);
}

/* ---- a fresh ship ---- */

TEST(every_stock_ship_starts_intact_and_at_full_power)
{
    const sb_ship_set *set = sb_stock_ships();
    for (size_t n = 0; n < set->count; n++) {
        sb_ship              ship = ship_of(set->ships[n].species);
        const sb_ship_class *m = ship.model;
        for (unsigned i = 0; i < m->subsystem_count; i++) {
            check_near(sb_ship_ratio(&ship, i), 1, 0);
            check_near(ship.power_wanted[i], 1, 0);
            CHECK_EQ(ship.on[i], m->subsystems[i].type != SB_SUBSYSTEM_CLOAK);
        }
        for (unsigned i = 0; i < m->child_count; i++)
            check_near(sb_ship_child_ratio(&ship, i), 1, 0);
        for (unsigned i = 0; i < SB_FACINGS; i++) check_near(ship.facing[i], m->shield_max[i], 0);
        check_near(ship.main_battery, m->main_battery, 0);
        check_near(ship.backup_battery, m->backup_battery, 0);
        CHECK(!ship.cloaked);
        CHECK_EQ(ship.object_id, SHIP);
    }
}

TEST(phasers_start_at_medium_and_tractors_at_tow)
{
    sb_ship              ship = ship_of(5);
    const sb_ship_class *m = ship.model;
    CHECK_EQ(ship.setting[entry_of(m, SB_SUBSYSTEM_PHASER_SYSTEM)], 1);
    CHECK_EQ(ship.setting[entry_of(m, SB_SUBSYSTEM_TRACTOR_SYSTEM)], 1);
    CHECK_EQ(ship.setting[entry_of(m, SB_SUBSYSTEM_TORPEDO_SYSTEM)], 0);
}

TEST(a_species_without_a_list_has_motion_and_nothing_else)
{
    sb_ship ship;
    sb_ship_init(&ship, NULL, 200, SHIP);
    CHECK_EQ(ship.species, 200);
    for (size_t i = 0; i < SB_SUBSYSTEMS_MAX; i++)
        CHECK(ship.on[i] && ship.power_wanted[i] == 1); /* for entries that a list may bring */
    check_near(ship.motion.forward.y, 1, 0);
    check_near(sb_ship_speed_limit(&ship, 1, 0), 0, 0);
    CHECK_EQ(sb_ship_id_count(NULL), 0);
    CHECK_EQ(sb_subsystem_id(NULL, SHIP, 0, -1), 0);
}

/* ---- condition (spec 10 §3.2) ---- */

TEST(a_part_is_disabled_at_its_threshold_and_below)
{
    sb_ship                   ship = ship_of(1);
    unsigned                  sensors = entry_of(ship.model, SB_SUBSYSTEM_SENSOR);
    const sb_subsystem_class *s = &ship.model->subsystems[sensors];
    check_near(s->disabled_below, 0.5f, 0);
    CHECK(!sb_ship_is_disabled(&ship, sensors));
    ship.condition[sensors] = s->max_condition * 0.51f;
    CHECK(!sb_ship_is_disabled(&ship, sensors));
    ship.condition[sensors] = s->max_condition * 0.5f;
    CHECK(sb_ship_is_disabled(&ship, sensors));
    ship.condition[sensors] = 0;
    CHECK(sb_ship_is_disabled(&ship, sensors));
}

TEST(a_repair_bay_still_works_at_a_fifth)
{
    sb_ship  ship = ship_of(1);
    unsigned bay = entry_of(ship.model, SB_SUBSYSTEM_REPAIR);
    ship.condition[bay] = ship.model->subsystems[bay].max_condition * 0.2f;
    CHECK(!sb_ship_is_disabled(&ship, bay));
}

TEST(a_system_is_disabled_when_all_its_parts_are)
{
    sb_ship                   ship = ship_of(1);
    unsigned                  phasers = entry_of(ship.model, SB_SUBSYSTEM_PHASER_SYSTEM);
    const sb_subsystem_class *s = &ship.model->subsystems[phasers];
    CHECK_EQ(s->child_count, 8);
    for (unsigned i = 0; i < s->child_count; i++) {
        CHECK(!sb_ship_is_disabled(&ship, phasers));
        ship.child_condition[s->first_child + i] = 0;
        CHECK(sb_ship_is_child_disabled(&ship, s->first_child + i));
    }
    CHECK(sb_ship_is_disabled(&ship, phasers));
}

TEST(a_bank_stops_at_three_quarters)
{
    sb_ship  ship = ship_of(1);
    unsigned phasers = entry_of(ship.model, SB_SUBSYSTEM_PHASER_SYSTEM);
    unsigned bank = ship.model->subsystems[phasers].first_child;
    float    most = ship.model->children[bank].max_condition;
    check_near(ship.model->children[bank].disabled_below, 0.75f, 0);
    ship.child_condition[bank] = most * 0.76f;
    CHECK(!sb_ship_is_child_disabled(&ship, bank));
    ship.child_condition[bank] = most * 0.75f;
    CHECK(sb_ship_is_child_disabled(&ship, bank));
}

/* ---- engines (spec 10 §11.3) ---- */

TEST(intact_engines_allow_the_speed_of_the_class)
{
    sb_ship ship = ship_of(1);
    check_near(sb_ship_speed_limit(&ship, 1, 0), 6.6f, 1e-5f);
    check_near(sb_ship_speed_limit(&ship, 0.5f, 0), 3.3f, 1e-5f);
}

TEST(engines_may_be_the_first_entry_of_a_class)
{
    sb_ship_class class = *model_of(1);
    sb_subsystem_class parts[SB_SUBSYSTEMS_MAX];
    memcpy(parts, class.subsystems, class.subsystem_count * sizeof *parts);
    parts[0] = parts[entry_of(&class, SB_SUBSYSTEM_IMPULSE)];
    for (unsigned i = 1; i < class.subsystem_count; i++)
        if (parts[i].type == SB_SUBSYSTEM_IMPULSE) parts[i].type = SB_SUBSYSTEM_SENSOR;
    class.subsystems = parts;
    sb_ship ship;
    sb_ship_init(&ship, &class, 1, 7);
    check_near(sb_ship_speed_limit(&ship, 1, 0), 6.6f, 1e-5f);
}

TEST(power_scales_the_speed_limit_up_to_125_percent)
{
    sb_ship ship = ship_of(1);
    ship.power_wanted[entry_of(ship.model, SB_SUBSYSTEM_IMPULSE)] = 1.25f;
    check_near(sb_ship_speed_limit(&ship, 1, 0), 8.25f, 1e-5f);
}

/* stbc-oracle: motion_kessok_impulse_power125 (figures of the engines at 125 % power, and a speed
 * of 4.625), motion_kessok_impulse125 and 200 (throttles beyond 1), impulse020 and 050. */
TEST(spec_10_11_3_power_is_not_capped_and_the_throttle_is)
{
    const sb_ship_class *model = sb_find_ship_by_name(sb_stock_ships(), "kessokheavy");
    sb_ship              ship = ship_of(model->species);
    ship.power_wanted[entry_of(model, SB_SUBSYSTEM_IMPULSE)] = 1.25f;
    sb_engine_limits at_125 = sb_ship_engine_limits(&ship, 1, 0);
    check_near(at_125.speed, 4.625f, 1e-5f);
    check_near(at_125.accel, 3.125f, 1e-5f);
    check_near(at_125.turn_rate, 0.275f, 1e-6f);
    check_near(at_125.turn_accel, 0.1375f, 1e-6f);
    check_near(sb_ship_target_speed(&ship, 2, 1, 0), 4.625f, 1e-5f);
    ship.power_wanted[entry_of(model, SB_SUBSYSTEM_IMPULSE)] = 1;
    check_near(sb_ship_target_speed(&ship, 2, 1, 0), 3.7f, 1e-5f);
    check_near(sb_ship_target_speed(&ship, 1.25f, 1, 0), 3.7f, 1e-5f);
    check_near(sb_ship_target_speed(&ship, 0.5f, 1, 0), 1.85f, 1e-5f);
    check_near(sb_ship_target_speed(&ship, 0.2f, 1, 0), 0.74f, 1e-5f);
    check_near(sb_ship_target_speed(&ship, -3, 1, 0), -3.7f, 1e-5f);
    check_near(sb_ship_target_speed(&ship, -1.5f, 1, 0), -3.7f, 1e-5f);
    check_near(sb_ship_target_speed(&ship, 1, 0.5f, 0.5f), 0.925f, 1e-5f);
}

TEST(each_damaged_engine_takes_its_share_of_the_speed)
{
    sb_ship                   ship = ship_of(1);
    const sb_subsystem_class *s =
        &ship.model->subsystems[entry_of(ship.model, SB_SUBSYSTEM_IMPULSE)];
    unsigned first = s->first_child;
    float    most = ship.model->children[first].max_condition;
    CHECK_EQ(s->child_count, 2);
    ship.child_condition[first] = most * 1.5f; /* not faster than the class */
    check_near(sb_ship_speed_limit(&ship, 1, 0), 6.6f, 0);
    ship.child_condition[first] = most * 0.8f;
    check_near(sb_ship_speed_limit(&ship, 1, 0), 6.6f * 0.9f, 1e-4f);
    ship.child_condition[first] = 0; /* disabled: the whole share */
    check_near(sb_ship_speed_limit(&ship, 1, 0), 3.3f, 1e-4f);
    ship.child_condition[first + 1] = 0;
    check_near(sb_ship_speed_limit(&ship, 1, 0), 0,
               0); /* all engines out: the system is disabled */
}

/* 1 less three times a third is below zero in floats. */
TEST(three_engines_that_hardly_work_allow_no_speed)
{
    sb_ship            ship = ship_of(1);
    sb_ship_class      model = *ship.model;
    sb_subsystem_class entries[SB_SUBSYSTEMS_MAX], children[SB_SHIP_CHILDREN_MAX];
    unsigned           impulse = entry_of(ship.model, SB_SUBSYSTEM_IMPULSE);
    memcpy(entries, model.subsystems, model.subsystem_count * sizeof *entries);
    memcpy(children, model.children, model.child_count * sizeof *children);
    model.subsystems = entries, model.children = children, ship.model = &model;
    entries[impulse].child_count = 3;
    for (unsigned i = 0; i < 3; i++) {
        children[entries[impulse].first_child + i].disabled_below = 0;
        ship.child_condition[entries[impulse].first_child + i] = 1e-6f;
    }
    check_near(sb_ship_speed_limit(&ship, 1, 0), 0, 0);
}

TEST(engines_that_are_off_or_disabled_allow_no_speed)
{
    sb_ship  ship = ship_of(1);
    unsigned impulse = entry_of(ship.model, SB_SUBSYSTEM_IMPULSE);
    ship.on[impulse] = false;
    check_near(sb_ship_speed_limit(&ship, 1, 0), 0, 0);
    ship.on[impulse] = true;
    ship.condition[impulse] = 0;
    check_near(sb_ship_speed_limit(&ship, 1, 0), 0, 0);
}

/* ---- object ids (spec 07 §1, 08 §2) ---- */

TEST(slots_own_blocks_of_262144_ids)
{
    static const uint32_t first[] = { 0x3FFFFFFF, 0x4003FFFF, 0x4007FFFF, 0x400BFFFF };
    for (unsigned slot = 0; slot < 4; slot++) CHECK_EQ(sb_slot_first_id(slot), first[slot]);
    for (unsigned slot = 0; slot < SB_SLOTS; slot++) {
        CHECK_EQ(sb_slot_of_id(sb_slot_first_id(slot)), slot);
        CHECK_EQ(sb_slot_of_id(sb_slot_first_id(slot) + 0x3FFFF), slot);
    }
}

TEST(ids_outside_the_blocks_belong_to_nobody)
{
    static const uint32_t ids[] = { 0,          1,          0x064F,     0x3FFFFFFE,
                                    0x403FFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF };
    CHECK_EQ(sb_slot_of_id(0x403FFFFE), 15);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        CHECK_EQ(sb_slot_of_id(ids[i]), SB_NO_SLOT);
}

TEST(every_ship_takes_the_number_of_ids_that_was_counted)
{
    static const uint8_t used[16] = {
        0, 32, 30, 35, 32, 34, 17, 25, 27, 20, 18, 24, 30, 25, 24, 16
    }; /* spec 07 §1.1 */
    for (uint8_t species = 1; species <= 15; species++)
        CHECK_EQ(sb_ship_id_count(model_of(species)), used[species]);
    CHECK_EQ(sb_ship_id_count(model_of(16)), 13); /* spec 11 §3 */
    CHECK_EQ(sb_ship_id_count(model_of(37)), 34);
}

TEST(a_client_that_changes_ships_takes_the_captured_ids)
{
    /* Sovereign, Galaxy, Ambassador in turn (spec 08 §2.1). */
    uint32_t id = 0x3FFFFFFF;
    id += sb_ship_id_count(model_of(5));
    CHECK_EQ(id, 0x40000021);
    id += sb_ship_id_count(model_of(3));
    CHECK_EQ(id, 0x40000044);
    id += sb_ship_id_count(model_of(2));
    CHECK_EQ(id, 0x40000062);
    /* Bird of Prey, Vor'cha, Galor, Keldon in slot 1, then a CardHybrid (spec 07 §1.1). */
    id = sb_slot_first_id(1);
    for (unsigned i = 0; i < 4; i++)
        id += sb_ship_id_count(model_of((uint8_t[]){ 6, 7, 10, 11 }[i]));
    CHECK_EQ(id, 0x40040053);
    CHECK_EQ(id + sb_ship_id_count(model_of(12)), 0x40040071);
}

/* ---- subsystem ids (spec 08 §2.1) ---- */

static uint32_t place(uint8_t species, unsigned index, int child)
{
    uint32_t id = sb_subsystem_id(model_of(species), SHIP, index, child);
    return id ? id - SHIP - 1 : 999;
}

TEST(the_repair_system_of_the_first_sovereign_has_the_captured_id)
{
    const sb_ship_class *m = model_of(5);
    CHECK_EQ(sb_subsystem_id(m, 0x3FFFFFFF, entry_of(m, SB_SUBSYSTEM_REPAIR), -1), 0x40000018);
}

TEST(the_creation_order_of_the_sovereign_is_mixed)
{
    static const uint8_t systems[11] = { 0, 1, 2, 3, 4, 5, 0x18, 0x19, 0x1A, 0x1B, 0x1C };
    for (unsigned i = 0; i < 11; i++) CHECK_EQ(place(5, i, -1), systems[i]);
    for (int i = 0; i < 6; i++) CHECK_EQ(place(5, 5, i), 6 + i);
    for (int i = 0; i < 8; i++) CHECK_EQ(place(5, 7, i), 0x0C + i);
    for (int i = 0; i < 4; i++) CHECK_EQ(place(5, 8, i), 0x1D + i);
    uint32_t engines = 0;
    for (int i = 0; i < 2; i++)
        engines |= 1u << (place(5, 4, i) - 0x14) | 1u << (place(5, 9, i) - 0x14);
    CHECK_EQ(engines, 0xF); /* the four engines are 0x14 to 0x17 */
}

TEST(bird_of_prey_and_vorcha_have_children_behind_their_system)
{
    for (uint8_t species = 6; species <= 7; species++) {
        const sb_ship_class *m = model_of(species);
        uint32_t             k = 0;
        for (unsigned i = 0; i < m->subsystem_count; i++) {
            CHECK_EQ(place(species, i, -1), k++);
            for (int c = 0; c < m->subsystems[i].child_count; c++)
                CHECK_EQ(place(species, i, c), k++);
        }
        CHECK_EQ(k + 1, sb_ship_id_count(m));
    }
    CHECK_EQ(place(6, 7, -1), 13);  /* captured: the cloaking device */
    CHECK_EQ(place(7, 10, -1), 20); /* captured: the repair system */
    CHECK_EQ(place(6, 3, 0), 4);    /* captured: cannons, tube */
    CHECK_EQ(place(6, 4, 0), 7);
}

TEST(places_that_no_capture_shows_have_no_id)
{
    CHECK_EQ(place(1, 5, -1), 5); /* Akira: phaser system */
    CHECK_EQ(place(1, 7, 0), 13); /* its tubes */
    CHECK_EQ(place(1, 7, 5), 18);
    CHECK_EQ(place(1, 9, -1), 999); /* its tractors: not known */
    CHECK_EQ(place(3, 4, 5), 10);   /* Galaxy: tubes */
    CHECK_EQ(place(3, 5, -1), 999);
    CHECK_EQ(place(10, 0, -1), 999);
    CHECK_EQ(place(5, 11, -1), 999); /* beyond the list, beyond the children */
    CHECK_EQ(place(5, 4, 2), 999);
}

TEST(every_known_id_leads_back_to_its_part)
{
    const sb_ship_set *set = sb_stock_ships();
    unsigned           found = 0;
    for (size_t n = 0; n < set->count; n++)
        for (unsigned i = 0; i < set->ships[n].subsystem_count; i++)
            for (int c = -1; c < set->ships[n].subsystems[i].child_count; c++) {
                const sb_ship_class *m = &set->ships[n];
                uint32_t             id = sb_subsystem_id(m, SHIP, i, c);
                unsigned             index;
                int                  child;
                if (!id) continue;
                CHECK(sb_find_subsystem(m, SHIP, id, &index, &child));
                CHECK_EQ(index, i);
                CHECK_EQ(child, c);
                found++;
            }
    CHECK(found >= 33 + 24 + 16 + 12 + 11); /* spec 11 §6 */
}

TEST(ids_that_are_not_a_part_of_the_ship_are_not_found)
{
    const sb_ship_class *m = model_of(5);
    unsigned             index;
    int                  child;
    CHECK(!sb_find_subsystem(m, SHIP, SHIP, &index, &child));
    CHECK(!sb_find_subsystem(m, SHIP, SHIP - 1, &index, &child));
    CHECK(!sb_find_subsystem(m, SHIP, SHIP + 34, &index, &child));
    CHECK(!sb_find_subsystem(m, SHIP, 0, &index, &child));
    CHECK(!sb_find_subsystem(NULL, SHIP, SHIP + 1, &index, &child));
    CHECK(sb_find_subsystem(m, SHIP, SHIP + 33, &index, &child));
    CHECK(!sb_find_subsystem(model_of(1), SHIP, SHIP + 8, &index, &child)); /* not known */
}

TEST(a_ship_without_a_model_has_no_engines)
{
    sb_ship ship;
    sb_ship_init(&ship, NULL, 0, 7);
    sb_engine_limits limits = sb_ship_engine_limits(&ship, 1.0f, 0.0f);
    CHECK(limits.speed == 0 && limits.accel == 0);
    CHECK(limits.turn_rate == 0 && limits.turn_accel == 0);
}

TEST(a_part_without_a_maximum_is_a_wreck)
{
    sb_ship_class class = *sb_find_ship(sb_stock_ships(), 5);
    sb_subsystem_class parts[SB_SUBSYSTEMS_MAX];
    memcpy(parts, class.subsystems, class.subsystem_count * sizeof *parts);
    parts[0].max_condition = 0;
    class.subsystems = parts;
    sb_ship ship;
    sb_ship_init(&ship, &class, 5, 7);
    CHECK(sb_ship_ratio(&ship, 0) == 0);
    parts[0].max_condition = 0.5f;
    ship.condition[0] = 0.25f;
    CHECK(sb_ship_ratio(&ship, 0) == 0.5f);
}

/* The id of the ship, those before it and those behind its last part are not parts. */
TEST(only_the_ids_behind_the_ship_are_its_parts)
{
    const sb_ship_set *set = sb_stock_ships();
    for (size_t i = 0; i < set->count; i++) {
        const sb_ship_class *class = &set->ships[i];
        unsigned index;
        int      child;
        CHECK(!sb_find_subsystem(class, 5000, 5000, &index, &child));
        CHECK(!sb_find_subsystem(class, 5000, 4999, &index, &child));
        CHECK(!sb_find_subsystem(class, 5000, 0, &index, &child));
        CHECK(!sb_find_subsystem(class, 5000, 5000 + sb_ship_id_count(class), &index, &child));
        CHECK(!sb_find_subsystem(NULL, 5000, 5001, &index, &child));
    }
}

TEST(a_creation_index_beyond_the_ids_of_the_ship_is_no_part)
{
    sb_ship_class class = *sb_find_ship(sb_stock_ships(), 5);
    sb_subsystem_class parts[SB_SUBSYSTEMS_MAX];
    unsigned           index;
    int                child;
    uint32_t           count = sb_ship_id_count(&class);
    memcpy(parts, class.subsystems, class.subsystem_count * sizeof *parts);
    parts[0].creation_index = (int16_t)(count - 1);
    class.subsystems = parts;
    CHECK_EQ(sb_subsystem_id(&class, 5000, 0, -1), 5000 + count);
    CHECK(!sb_find_subsystem(&class, 5000, 5000 + count, &index, &child));
}

/* ---- codes ---- */

TEST(only_systems_with_weapons_as_children_are_weapon_systems)
{
    static const uint8_t weapons[] = { SB_SUBSYSTEM_PHASER_SYSTEM, SB_SUBSYSTEM_PULSE_SYSTEM,
                                       SB_SUBSYSTEM_TORPEDO_SYSTEM, SB_SUBSYSTEM_TRACTOR_SYSTEM };
    unsigned             found = 0;
    for (unsigned type = 0; type < SB_SUBSYSTEM_TYPE_COUNT; type++)
        found += sb_is_weapon_system(type);
    CHECK_EQ(found, 4);
    for (size_t i = 0; i < 4; i++) CHECK(sb_is_weapon_system(weapons[i]));
}

TEST(small_maxima_have_codes_and_a_maximum_of_0_has_code_0)
{
    CHECK_EQ(sb_code_of_ratio(0.5f, 0.5f), 255);
    CHECK_EQ(sb_code_of_ratio(1, 1), 255);
    CHECK_EQ(sb_code_of_ratio(1, 0), 0);
    CHECK_EQ(sb_code_of_ratio(1, -1), 0);
}

TEST(codes_of_ratios_and_of_power_are_sent_again_as_they_came)
{
    static const float maxima[] = { 0.3f, 1, 77.7f, 12000 };
    for (unsigned code = 0; code < 256; code++)
        for (size_t i = 0; i < 4; i++) {
            float value = sb_value_of_ratio((uint8_t)code, maxima[i]);
            CHECK_EQ(sb_code_of_ratio(value, maxima[i]), code);
            CHECK(value <= maxima[i]);
        }
    for (unsigned code = 0; code < 256; code++)
        CHECK_EQ(sb_encode_power_pct(sb_power_of_percent(code)), code < 125 ? code : 125);
}

TEST(coordinates_are_clamped_at_ten_million)
{
    static const float rows[][2] = { { 0, 0 },       { 1e7f, 1e7f },     { -1e7f, -1e7f },
                                     { 9e6f, 9e6f }, { -9e6f, -9e6f },   { 1.1e7f, 1e7f },
                                     { NAN, -1e7f }, { INFINITY, 1e7f }, { -1.1e7f, -1e7f } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_vec3 v = sb_clamp_position((sb_vec3){ rows[i][0], 1, 2 });
        CHECK(v.x == rows[i][1] && v.y == 1 && v.z == 2);
        v = sb_clamp_position((sb_vec3){ 3, rows[i][0], rows[i][0] });
        CHECK(v.x == 3 && v.y == rows[i][1] && v.z == rows[i][1]);
    }
}
