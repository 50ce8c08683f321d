/* tests/combat/ids_test.c -- ids of subsystems, known and learned. Spec 08 §2.1. */
#include "rig.h"

#include <stdlib.h>
#include <string.h>

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

static void set_tubes(rig *r, unsigned working)
{
    sb_ship                  *ship = &r->ships[0];
    const sb_subsystem_class *s =
        &ship->model->subsystems[rig_entry(ship, SB_SUBSYSTEM_TORPEDO_SYSTEM)];
    for (unsigned i = 0; i < s->child_count; i++) {
        unsigned child = s->first_child + i;
        ship->child_condition[child] =
            working >> i & 1 ? ship->model->children[child].max_condition : 0.0f;
    }
}

static void check_tubes(rig *r, unsigned shots, unsigned refused)
{
    CHECK_EQ(r->combat->shot_count, shots);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_WEAPON_GATE), refused);
}

/* Six tubes; their ids are 15 to 20. The first id that fires is taken for the first tube. */
TEST(test_08_2_1_an_id_that_fires_is_of_a_tube_that_works)
{
    rig *r = with(4);
    set_tubes(r, 0x2A); /* the second, fourth and sixth */
    torpedo(r, 18);
    CHECK_EQ(assumed(r, SB_SUBSYSTEM_TORPEDO_SYSTEM, 1), RIG_SHIP(0) + 1 + 18);
    torpedo(r, 20);
    CHECK_EQ(assumed(r, SB_SUBSYSTEM_TORPEDO_SYSTEM, 3), RIG_SHIP(0) + 1 + 20);
    torpedo(r, 16); /* the others move on, to tubes that work */
    check_tubes(r, 3, 0);
    for (unsigned i = 0; i < 3; i++)
        CHECK_EQ(assumed(r, SB_SUBSYSTEM_TORPEDO_SYSTEM, 1 + 2 * i), RIG_SHIP(0) + 1 + 16 + 2 * i);
    torpedo(r, 18); /* its state has moved with it: it is empty */
    check_tubes(r, 3, 0);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_RATE), 1);
    set_tubes(r, 0x3F); /* repaired */
    for (unsigned k = 15; k <= 19; k += 2) torpedo(r, k);
    check_tubes(r, 6, 0);
    for (unsigned i = 0; i < 6; i++)
        CHECK_EQ(id_of(r, SB_SUBSYSTEM_TORPEDO_SYSTEM, (int)i), RIG_SHIP(0) + 1 + 15 + i);
    set_tubes(r, 0x3E); /* now all ids are certain */
    torpedo(r, 15);
    check_tubes(r, 6, 1);
}

/* The last tubes break after they fired, when their ids are taken for the first ones. */
TEST(test_08_2_1_an_id_goes_back_to_a_tube_that_works)
{
    rig *r = with(4);
    set_tubes(r, 0x30);
    torpedo(r, 19);
    torpedo(r, 20);
    check_tubes(r, 2, 0);
    set_tubes(r, 0x01);
    rig_seconds(r, 60);
    unsigned before = r->combat->shot_count;
    torpedo(r, 19);
    check_tubes(r, before + 1, 0);
    CHECK_EQ(assumed(r, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), RIG_SHIP(0) + 1 + 19);
}

/* Whatever ids a cheater fires, and however often: once they are learned, no more of them fire than
 * tubes work. */
TEST(test_08_2_1_no_more_ids_fire_than_tubes_work)
{
    for (unsigned working = 0; working < 64; working++) {
        rig     *r = with(4);
        unsigned tubes = 0, fired = 0;
        for (unsigned i = 0; i < 6; i++) tubes += working >> i & 1;
        set_tubes(r, working);
        for (unsigned i = 0; i < 5; i++) torpedo(r, 15 + (working + 3 * i) % 5);
        set_tubes(r, 63);
        rig_seconds(r, 120); /* all are loaded again, and no shot flies */
        set_tubes(r, working);
        for (unsigned i = 0; i < 50; i++) torpedo(r, 15 + (working + 2 * i + i / 5) % 5);
        fired = r->combat->shot_count;
        CHECK(fired <= tubes);
        CHECK_EQ(fired > 0, tubes > 0);
    }
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

/* ---- full tables ---- */

/* No id of the full ship is known. */
static rig *anonymous_duel(void)
{
    rig       *r = rig_default();
    rig_class *k = rig_full_class();
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) k->entries[i].creation_index = -1;
    for (unsigned i = 0; i < SB_SHIP_CHILDREN_MAX; i++) k->children[i].creation_index = -1;
    rig_add_class(r, 0, &k->model, rig_origin);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
    return r;
}

static uint32_t nth_id(unsigned k)
{
    return RIG_SHIP(0) + 1 + k;
}

TEST(every_part_of_a_full_ship_has_an_id_of_its_own)
{
    rig        *r = rig_full_duel();
    sb_fighter *f = rig_fighter(r, 0);
    uint32_t    next = RIG_SHIP(0) + 1;
    CHECK_EQ(f->weapon_count, SB_WEAPONS_MAX);
    for (unsigned part = 0; part != SB_NO_PART; part = sb_combat_next_part(f->ship->model, part)) {
        uint8_t entry;
        int8_t  child;
        CHECK_EQ(sb_combat_part_id(f, part), next);
        CHECK_EQ(sb_combat_part_of_id(f, next), part);
        sb_combat_locate_part(f->ship->model, part, &entry, &child);
        CHECK_EQ(rig_entry_id(r, entry, child), next);
        next++;
    }
    CHECK_EQ(next, RIG_SHIP(0) + 1 + SB_PARTS);
    CHECK_EQ(sb_combat_part_of_id(f, next), SB_NO_PART);
    CHECK_EQ(sb_combat_part_id(f, SB_PARTS), 0);
    CHECK_EQ(rig_entry_id(r, SB_SUBSYSTEMS_MAX, -1), 0);
    CHECK_EQ(rig_entry_id(r, FULL_MORE_PHASERS, FULL_SYSTEM), 0);
}

/* Both phaser systems are learned from SetPhaserLevel, in list order. */
TEST(systems_of_one_type_are_learned_in_list_order)
{
    rig *r = anonymous_duel();
    sb_combat_phaser_level(r->combat, RIG_SHIP(0), nth_id(0), 0);
    sb_combat_phaser_level(r->combat, RIG_SHIP(0), nth_id(SB_PARTS - 1), 2);
    CHECK_EQ(rig_entry_id(r, FULL_PHASERS, -1), nth_id(0));
    CHECK_EQ(rig_entry_id(r, FULL_MORE_PHASERS, -1), nth_id(SB_PARTS - 1));
    CHECK_EQ(r->ships[0].setting[FULL_PHASERS], 0);
    CHECK_EQ(r->ships[0].setting[FULL_MORE_PHASERS], 2);
    CHECK_EQ(rig_count(r, SB_COMBAT_IMPLAUSIBLE), 0);
    sb_combat_phaser_level(r->combat, RIG_SHIP(0), nth_id(7), 1); /* a third one */
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_NOT_ITS_WEAPON), 1);
    const sb_combat_event *e = rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0);
    CHECK_NEAR(e->claimed, 8, 0); /* the id counts from the ship's own */
    CHECK_NEAR(e->possible, 129, 0);
}

/* An order of an unknown system means phasers whose id is not known: the first of them. */
TEST(an_unknown_system_means_phasers_without_an_id)
{
    rig *r = anonymous_duel();
    sb_combat_start_firing(r->combat, RIG_SHIP(0), nth_id(50), RIG_SHIP(1), rig_no_aim);
    CHECK_EQ(rig_fighter(r, 0)->ordered, 1u << FULL_PHASERS);
    sb_combat_phaser_level(r->combat, RIG_SHIP(0), nth_id(3), 1); /* the first ones have an id */
    sb_combat_start_firing(r->combat, RIG_SHIP(0), nth_id(50), RIG_SHIP(1), rig_no_aim);
    CHECK_EQ(rig_fighter(r, 0)->ordered, 1u << FULL_PHASERS | 1u << FULL_MORE_PHASERS);
    sb_combat_phaser_level(r->combat, RIG_SHIP(0), nth_id(4), 1); /* and all */
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), nth_id(3), 0);
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), nth_id(50), 0); /* means nothing now */
    CHECK_EQ(rig_fighter(r, 0)->ordered, 1u << FULL_MORE_PHASERS);
}

/* The last weapon system without an id is the one that an unknown id means, at any place. */
TEST(the_last_open_weapon_system_is_learned_at_any_place)
{
    static const unsigned systems[] = { FULL_PHASERS,  FULL_CANNONS,       FULL_TUBES,
                                        FULL_TRACTORS, FULL_MORE_TRACTORS, FULL_MORE_PHASERS };
    for (unsigned open = 0; open < 6; open++) {
        rig       *r = rig_default();
        rig_class *k = rig_full_class();
        k->entries[systems[open]].creation_index = -1;
        rig_add_class(r, 0, &k->model, rig_origin);
        unsigned missing = 0; /* the k that no part has */
        while (sb_combat_part_of_id(rig_fighter(r, 0), nth_id(missing)) != SB_NO_PART) missing++;
        sb_combat_start_firing(r->combat, RIG_SHIP(0), nth_id(missing), 0, rig_no_aim);
        CHECK_EQ(rig_fighter(r, 0)->ordered, 1u << systems[open]);
        CHECK_EQ(rig_entry_id(r, systems[open], -1), nth_id(missing));
        CHECK_EQ(rig_count(r, SB_COMBAT_IMPLAUSIBLE), 0);
    }
}

/* Ids of tubes in descending order: each new one moves all others by one tube. */
TEST(all_tubes_of_a_full_ship_are_learned_and_then_certain)
{
    rig *r = anonymous_duel();
    for (unsigned i = 0; i < FULL_SYSTEM; i++) {
        CHECK_EQ(rig_entry_id(r, FULL_TUBES, 0), 0); /* could still move */
        sb_combat_torpedo(r->combat, RIG_SHIP(0), nth_id(SB_PARTS - 1 - i), 6, rig_ahead, 0,
                          rig_no_aim);
        CHECK_EQ(r->combat->shot_count, i + 1);
    }
    for (int i = 0; i < FULL_SYSTEM; i++)
        CHECK_EQ(rig_entry_id(r, FULL_TUBES, i), nth_id(SB_PARTS - FULL_SYSTEM + (unsigned)i));
    sb_combat_torpedo(r->combat, RIG_SHIP(0), nth_id(9), 6, rig_ahead, 0, rig_no_aim);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_NOT_ITS_WEAPON), 1); /* a ninth */
    CHECK_EQ(r->combat->shot_count, FULL_SYSTEM);
}

/* A Galaxy, whose tubes are its first children and weapons, but without their ids. */
static rig_class *galaxy_without_tubes(void)
{
    rig_class *k = rig_copy_class(GALAXY);
    for (unsigned i = 0; i < k->model.child_count; i++)
        if (k->children[i].type == SB_SUBSYSTEM_TORPEDO_TUBE) k->children[i].creation_index = -1;
    CHECK_EQ(k->children[0].type, SB_SUBSYSTEM_TORPEDO_TUBE);
    return k;
}

/* The first child of the ship is learned first, and is not certain before all others. */
TEST(test_08_2_1_the_first_child_can_be_learned)
{
    rig *r = rig_default();
    rig_add_class(r, 0, &galaxy_without_tubes()->model, rig_origin);
    for (unsigned k = 5; k <= 10; k++) {
        CHECK_EQ(id_of(r, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), 0);
        torpedo(r, k);
        CHECK_EQ(assumed(r, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), nth_id(5));
        CHECK_EQ(assumed(r, SB_SUBSYSTEM_TORPEDO_SYSTEM, k - 5), nth_id(k));
    }
    CHECK_EQ(id_of(r, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), nth_id(5));
}

/* An index of the data is certain at once, 0 too; one beyond all parts of a ship is none. */
TEST(test_08_2_1_indices_of_the_data_from_0_to_127_count)
{
    static const struct {
        int16_t  index;
        uint32_t offset;
    } rows[] = { { 0, 1 }, { 127, 128 }, { 128, 0 }, { -1, 0 }, { 300, 0 } };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rig       *r = rig_default();
        rig_class *k = galaxy_without_tubes();
        k->entries[0].creation_index = 9; /* an id belongs to one part */
        k->children[0].creation_index = rows[i].index;
        rig_add_class(r, 0, &k->model, rig_origin);
        CHECK_EQ(id_of(r, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0),
                 rows[i].offset ? RIG_SHIP(0) + rows[i].offset : 0);
    }
}

/* The last id of a ship is its own, the next one is not; nor is the id of the ship itself. */
TEST(test_08_2_1_ids_before_and_behind_a_ship_are_foreign)
{
    rig     *r = with(4); /* nothing known */
    uint32_t count = sb_ship_id_count(r->ships[0].model);
    sb_combat_phaser_level(r->combat, RIG_SHIP(0), RIG_SHIP(0), 2);
    sb_combat_phaser_level(r->combat, RIG_SHIP(0), RIG_SHIP(0) + count, 2);
    CHECK_EQ(id_of(r, SB_SUBSYSTEM_PHASER_SYSTEM, -1), 0);
    CHECK_EQ(r->event_count, 0);
    sb_combat_phaser_level(r->combat, RIG_SHIP(0), RIG_SHIP(0) + count - 1, 2);
    CHECK_EQ(id_of(r, SB_SUBSYSTEM_PHASER_SYSTEM, -1), RIG_SHIP(0) + count - 1);
}

/* Two torpedo systems: a learned id can move from a tube of the first to one of the second. */
TEST(test_08_2_1_a_moved_state_leaves_the_system_of_its_tube)
{
    rig       *r = rig_default();
    rig_class *k = rig_full_class();
    k->entries[FULL_CANNONS].type = SB_SUBSYSTEM_TORPEDO_SYSTEM;
    for (unsigned i = 0; i < SB_SHIP_CHILDREN_MAX; i++) {
        if (k->children[i].type == SB_SUBSYSTEM_PULSE_WEAPON)
            k->children[i].type = SB_SUBSYSTEM_TORPEDO_TUBE;
        k->children[i].creation_index = -1;
    }
    rig_add_class(r, 0, &k->model, rig_origin);
    for (unsigned n = 1; n <= 2 * FULL_SYSTEM; n++) {
        unsigned unused = SB_PARTS - n - (n > FULL_SYSTEM); /* between them is an entry's */
        sb_combat_torpedo(r->combat, RIG_SHIP(0), nth_id(unused), 6, rig_ahead, 0, rig_no_aim);
        CHECK_EQ(r->combat->shot_count, n);
        rig_steps(r, 1); /* sb_combat_check compares each weapon with its class */
    }
    const sb_fighter *f = rig_fighter(r, 0);
    for (unsigned i = 0; i < 2 * FULL_SYSTEM; i++)
        CHECK_EQ(f->weapons[FULL_SYSTEM + i].system, i < FULL_SYSTEM ? FULL_CANNONS : FULL_TUBES);
}

/* A tube with two places gives its state to one with a single place. */
TEST(test_08_2_1_a_smaller_tube_takes_what_it_can_hold)
{
    rig       *r = rig_default();
    rig_class *k = galaxy_without_tubes();
    k->figures[0].max_ready = 2;
    k->figures[0].immediate_delay = 0;
    rig_add_class(r, 0, &k->model, rig_origin);
    torpedo(r, 8);
    torpedo(r, 8); /* the first tube is empty */
    CHECK_EQ(r->combat->shot_count, 2);
    torpedo(r, 7); /* so 8 is the second tube, which has one place */
    const sb_weapon *w = rig_fighter(r, 0)->weapons;
    CHECK_EQ(w[0].ready, 1);
    CHECK_EQ(w[0].loading, 1);
    CHECK_EQ(w[1].ready, 0);
    CHECK_EQ(w[1].loading, 1);
    rig_steps(r, 1);
}

/* An index of 0 is known: the tube that has it is not one of those that are learned. */
TEST(test_08_2_1_a_tube_with_the_index_0_is_not_learned)
{
    rig       *r = rig_default();
    rig_class *k = galaxy_without_tubes();
    k->entries[0].creation_index = 10;
    k->children[2].creation_index = 0;
    rig_add_class(r, 0, &k->model, rig_origin);
    for (unsigned n = 5; n <= 9; n++) torpedo(r, n);
    static const unsigned expected[] = { 5, 6, 0, 7, 8, 9 };
    for (unsigned i = 0; i < 6; i++)
        CHECK_EQ(assumed(r, SB_SUBSYSTEM_TORPEDO_SYSTEM, i), nth_id(expected[i]));
}

TEST(test_08_2_1_a_ship_with_one_part_has_its_id)
{
    rig       *r = rig_default();
    rig_class *k = rig_copy_class(GALAXY);
    k->model.subsystem_count = 1;
    k->model.child_count = 0;
    k->entries[0].creation_index = 0;
    rig_add_class(r, 0, &k->model, rig_origin);
    CHECK_EQ(rig_entry_id(r, 0, -1), nth_id(0));
    CHECK_EQ(sb_combat_part_of_id(rig_fighter(r, 0), nth_id(0)), 0);
    CHECK_EQ(sb_combat_part_of_id(rig_fighter(r, 0), nth_id(1)), SB_NO_PART);
}

TEST(a_set_of_parts_holds_each_of_128)
{
    for (unsigned part = 0; part < SB_PARTS; part++) {
        sb_part_set set = { { 0, 0 } }, none = set, all = { { 0, 0 } };
        sb_part_set_add(&set, part);
        CHECK(!sb_part_set_is_empty(&set));
        for (unsigned other = 0; other < SB_PARTS; other++)
            CHECK_EQ(sb_part_set_has(&set, other), other == part);
        sb_part_set_add_all(&all, &set, &set); /* except itself */
        CHECK(sb_part_set_is_empty(&all));
        sb_part_set_add_all(&all, &set, &none);
        CHECK(sb_part_set_has(&all, part));
        sb_part_set_remove(&set, part == 0 ? 64 : part - 1); /* another one */
        CHECK(sb_part_set_has(&set, part));
        sb_part_set_remove(&set, part);
        CHECK(sb_part_set_is_empty(&set));
    }
}

/* The first child follows the last entry in the numbering of parts, but it is no entry. The list
 * of entries is in memory of its own, so that the sanitizer sees what lies behind it. */
TEST(test_08_2_1_the_first_child_is_not_taken_for_a_system)
{
    rig                *r = rig_default();
    rig_class          *k = rig_full_class();
    sb_subsystem_class *entries = malloc(sizeof k->entries);
    CHECK(entries);
    memcpy(entries, k->entries, sizeof k->entries);
    k->model.subsystems = entries;
    rig_add_class(r, 0, &k->model, rig_origin);
    uint32_t child = rig_entry_id(r, FULL_PHASERS, 0);
    sb_combat_phaser_level(r->combat, RIG_SHIP(0), child, 2);
    sb_combat_start_firing(r->combat, RIG_SHIP(0), child, 0, rig_no_aim);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_NOT_ITS_WEAPON), 2);
    CHECK_EQ(rig_fighter(r, 0)->ordered, 0);
    free(entries);
}
