/* tests/combat/ids_test.c -- ids of subsystems, known and learned. Spec 08 §2.1. */
#include "rig.h"

static const sb_cv3  ahead = { 0, 127, 0 };
static const sb_cv4b no_aim = { { 0, 0, 0 }, 0 };

static rig *with(uint8_t species)
{
    rig *r = rig_default();
    rig_add(r, 0, species, (sb_vec3){ 0, 0, 0 });
    return r;
}

static void torpedo(rig *r, unsigned k)
{
    sb_combat_torpedo(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + k, 2, ahead, 0, no_aim);
}

static uint32_t id_of(rig *r, sb_subsystem_type type, int child)
{
    return sb_combat_subsystem_id(r->combat, RIG_SHIP(0), rig_entry(&r->ships[0], type), child);
}

/* The id that the simulation assumes, certain or not. */
static uint32_t assumed(rig *r, sb_subsystem_type type, unsigned child)
{
    const sb_subsystem_class *s = &r->ships[0].model->subsystems[rig_entry(&r->ships[0], type)];
    return RIG_SHIP(0) + 1 + rig_fighter(r, 0)->k_of_part[SB_CHILD_PART + s->first_child + child];
}

TEST(test_08_2_1_all_parts_of_complete_ships_have_ids)
{
    static const uint8_t complete[] = { SOVEREIGN, BIRD_OF_PREY, VORCHA };
    for (unsigned i = 0; i < 3; i++) {
        rig        *r = with(complete[i]);
        sb_fighter *f = rig_fighter(r, 0);
        uint32_t    seen = 0;
        for (unsigned part = 0; part != SB_NO_PART;
             part = sb_combat_next_part(f->ship->model, part)) {
            uint32_t id = sb_combat_part_id(f, part);
            CHECK(id != 0);
            CHECK_EQ(sb_combat_part_of_id(f, id), part);
            seen++;
        }
        CHECK_EQ(seen + 1, sb_ship_id_count(f->ship->model));
    }
}

TEST(test_08_2_1_ids_that_are_no_parts_resolve_to_nothing)
{
    rig        *r = with(SOVEREIGN);
    sb_fighter *f = rig_fighter(r, 0);
    CHECK_EQ(sb_combat_part_of_id(f, RIG_SHIP(0)), SB_NO_PART);
    CHECK_EQ(sb_combat_part_of_id(f, RIG_SHIP(0) + 34), SB_NO_PART);
    CHECK_EQ(sb_combat_part_of_id(f, 0), SB_NO_PART);
    CHECK_EQ(sb_combat_part_of_id(f, 0xFFFFFFFF), SB_NO_PART);
    CHECK_EQ(sb_combat_subsystem_id(r->combat, RIG_SHIP(0), 99, -1), 0);
    CHECK_EQ(sb_combat_subsystem_id(r->combat, RIG_SHIP(0), 5, 6), 0);
    CHECK_EQ(sb_combat_subsystem_id(r->combat, RIG_SHIP(3), 0, -1), 0);
}

TEST(test_08_2_1_systems_are_learned_from_telling_messages)
{
    rig *r = with(4); /* Nebula: nothing known */
    CHECK_EQ(id_of(r, SB_SUBSYSTEM_PHASER_SYSTEM, -1), 0);
    sb_combat_phaser_level(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 9, 2);
    CHECK_EQ(id_of(r, SB_SUBSYSTEM_PHASER_SYSTEM, -1), RIG_SHIP(0) + 1 + 9);
    CHECK_EQ(r->ships[0].setting[rig_entry(&r->ships[0], SB_SUBSYSTEM_PHASER_SYSTEM)], 2);
    sb_combat_torpedo_type(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 4, 1);
    CHECK_EQ(id_of(r, SB_SUBSYSTEM_TORPEDO_SYSTEM, -1), RIG_SHIP(0) + 1 + 4);
    sb_combat_repair_first(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 11, 0);
    CHECK_EQ(id_of(r, SB_SUBSYSTEM_REPAIR, -1), RIG_SHIP(0) + 1 + 11);
    /* A known id is not learned again, nor as another part. */
    sb_combat_phaser_level(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 12, 0);
    sb_combat_phaser_level(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 4, 0);
    CHECK_EQ(id_of(r, SB_SUBSYSTEM_PHASER_SYSTEM, -1), RIG_SHIP(0) + 1 + 9);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_NOT_ITS_WEAPON), 2);
}

TEST(test_08_2_1_the_last_weapon_system_is_learned_from_0x07)
{
    rig *r = with(4); /* phasers, torpedoes, tractors */
    sb_combat_start_firing(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 7, 0, (sb_cv4b){ 0 });
    CHECK_EQ(rig_fighter(r, 0)->ordered, 1u << rig_entry(&r->ships[0], SB_SUBSYSTEM_PHASER_SYSTEM));
    CHECK_EQ(id_of(r, SB_SUBSYSTEM_PHASER_SYSTEM, -1), 0); /* a guess, not learned */
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 7, 0);
    CHECK_EQ(rig_fighter(r, 0)->ordered, 0);
    sb_combat_phaser_level(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 9, 2);
    sb_combat_torpedo_type(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 4, 1);
    sb_combat_start_firing(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 7, 0, (sb_cv4b){ 0 });
    CHECK_EQ(id_of(r, SB_SUBSYSTEM_TRACTOR_SYSTEM, -1), RIG_SHIP(0) + 1 + 7);
}

/* Phasers k 5 are captured; tractors and torpedoes are not. */
TEST(test_10_6_5_unknown_systems_are_idle_once_phasers_are_known)
{
    rig     *r = with(AKIRA);
    unsigned phasers = rig_entry(&r->ships[0], SB_SUBSYSTEM_PHASER_SYSTEM);
    sb_combat_start_firing(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 25, 0, (sb_cv4b){ 0 });
    CHECK_EQ(rig_fighter(r, 0)->ordered, 0);
    sb_combat_start_firing(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 5, 0, (sb_cv4b){ 0 });
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 25, 0);
    CHECK_EQ(rig_fighter(r, 0)->ordered, 1u << phasers);
}

TEST(test_08_2_1_tubes_are_learned_in_ascending_order_of_ids)
{
    rig *r = with(4); /* six tubes */
    torpedo(r, 20);
    CHECK_EQ(assumed(r, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), RIG_SHIP(0) + 1 + 20);
    torpedo(r, 18);
    CHECK_EQ(assumed(r, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), RIG_SHIP(0) + 1 + 18);
    CHECK_EQ(assumed(r, SB_SUBSYSTEM_TORPEDO_SYSTEM, 1), RIG_SHIP(0) + 1 + 20);
    torpedo(r, 19);
    CHECK_EQ(assumed(r, SB_SUBSYSTEM_TORPEDO_SYSTEM, 1), RIG_SHIP(0) + 1 + 19);
    CHECK_EQ(assumed(r, SB_SUBSYSTEM_TORPEDO_SYSTEM, 2), RIG_SHIP(0) + 1 + 20);
    CHECK_EQ(r->combat->shot_count, 3); /* each from a full tube */
    for (unsigned k = 18; k <= 20; k++) torpedo(r, k);
    CHECK_EQ(r->combat->shot_count, 3); /* each tube is empty now */
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_RATE), 3);
    for (unsigned k = 15; k <= 17; k++) torpedo(r, k);
    CHECK_EQ(r->combat->shot_count, 6);
    torpedo(r, 14); /* a seventh tube */
    CHECK_EQ(r->combat->shot_count, 6);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_NOT_ITS_WEAPON), 1);
    CHECK_EQ(assumed(r, SB_SUBSYSTEM_TORPEDO_SYSTEM, 5), RIG_SHIP(0) + 1 + 20);
}

/* 10 §9.2: a wrong id addresses the wrong object. */
TEST(test_08_2_1_learned_tubes_have_ids_once_all_are_known)
{
    rig *r = with(4);
    for (unsigned k = 20; k > 15; k--) {
        torpedo(r, k);
        CHECK_EQ(id_of(r, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), 0);
    }
    torpedo(r, 15);
    for (int i = 0; i < 6; i++)
        CHECK_EQ(id_of(r, SB_SUBSYSTEM_TORPEDO_SYSTEM, i), RIG_SHIP(0) + 1 + 15 + (uint32_t)i);
}

/* Its tubes have two places forward and one aft (10 §6.4: ready 0..max_ready). */
TEST(test_08_2_1_a_tube_that_is_reassigned_keeps_its_places)
{
    rig *r = with(11);
    torpedo(r, 21); /* an aft tube, but the simulation cannot know */
    torpedo(r, 20);
    rig_seconds(r, 120);
    for (unsigned i = 0; i < rig_fighter(r, 0)->weapon_count; i++) {
        const sb_weapon *w = &rig_fighter(r, 0)->weapons[i];
        if (w->type == SB_SUBSYSTEM_TORPEDO_TUBE) CHECK_EQ(w->ready, w->figures->max_ready);
    }
}

/* Two tubes with two places each: the first needs 60 s to reload, the second 10 s. */
static const sb_ship_class *with_unequal_tubes(void)
{
    static sb_ship_class      model;
    static sb_subsystem_class children[SB_SHIP_CHILDREN_MAX];
    static sb_weapon_class    figures[2];
    model = *sb_find_ship(sb_stock_ships(), 11);
    for (unsigned i = 0, tube = 0; i < model.child_count; i++) {
        children[i] = model.children[i];
        if (children[i].type != SB_SUBSYSTEM_TORPEDO_TUBE || tube == 2) continue;
        figures[tube] = *children[i].weapon;
        figures[tube].max_ready = 2;
        figures[tube].immediate_delay = 0;
        figures[tube].reload_delay = tube == 0 ? 60 : 10;
        children[i].weapon = &figures[tube++];
    }
    model.children = children;
    return &model;
}

TEST(test_10_6_4_a_reassigned_tube_reloads_each_place_by_itself)
{
    rig *r = rig_default();
    sb_ship_init(&r->ships[0], with_unequal_tubes(), 11, RIG_SHIP(0));
    CHECK_EQ(sb_combat_add_ship(r->combat, &r->ships[0], 2, RIG_SET, r->now), SB_OK);
    torpedo(r, 21); /* taken for the first tube: 60 s */
    torpedo(r, 20); /* so 21 is the second one */
    torpedo(r, 21); /* 10 s: ready before the first shot's place */
    rig_seconds(r, 11);
    torpedo(r, 21);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_RATE), 0);
}

TEST(test_08_2_1_cannons_are_learned_from_0x1a)
{
    rig *r = with(WARBIRD);
    sb_combat_pulse(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 6, 15, ahead, 0);
    CHECK_EQ(assumed(r, SB_SUBSYSTEM_PULSE_SYSTEM, 0), RIG_SHIP(0) + 1 + 6);
    CHECK_EQ(r->combat->shot_count, 1);
}

TEST(test_08_2_1_known_tubes_of_akira_and_galaxy_are_found)
{
    rig *r = with(AKIRA);
    for (unsigned k = 13; k <= 18; k++) torpedo(r, k);
    CHECK_EQ(r->combat->shot_count, 6);
    r = with(GALAXY);
    for (unsigned k = 5; k <= 10; k++) torpedo(r, k);
    CHECK_EQ(r->combat->shot_count, 6);
}

TEST(test_08_2_1_learned_ids_appear_in_repair_events)
{
    rig *r = with(4);
    sb_combat_repair_first(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 11, 0);
    for (unsigned k = 20; k < 26; k++) torpedo(r, k);
    sb_fighter *f = rig_fighter(r, 0);
    sb_hit      hit = { .by = { SB_DAMAGE_TORPEDO, 0, 0 } };
    sb_combat_damage_part(r->combat, f, &hit, SB_CHILD_PART + rig_child(f->ship, "Forward Torp 1"),
                          10);
    sb_combat_finish_hit(f, &hit);
    sb_combat_announce_hits(r->combat, f);
    CHECK_EQ(rig_event(r, SB_COMBAT_REPAIR_ADDED, 0)->subsystem_id, RIG_SHIP(0) + 1 + 20);
    CHECK_EQ(rig_event(r, SB_COMBAT_REPAIR_ADDED, 0)->repair_id, RIG_SHIP(0) + 1 + 11);
}

TEST(test_08_2_1_claiming_that_every_id_is_a_tube_is_harmless)
{
    rig *r = with(4);
    for (unsigned k = 0; k < 40; k++) {
        torpedo(r, k);
        sb_combat_pulse(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + k, 15, ahead, 0);
        sb_combat_switch(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + k, k % 2 == 0);
        sb_combat_start_firing(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + k, 0xFFFFFFFF,
                               (sb_cv4b){ 0 });
        sb_combat_repair_first(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + k, RIG_SHIP(0) + 2 + k);
        rig_steps(r, 1);
    }
    CHECK_EQ(r->combat->shot_count, 6);
}
