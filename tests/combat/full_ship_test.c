/* tests/combat/full_ship_test.c -- a ship that fills every table, and a room without a free place:
 * first and last rows work like all others. */
#include "rig.h"

#include <stdlib.h>

/* The full ship at the origin, and a Galaxy ahead of all its weapons. */
static rig *full_duel(void)
{
    rig *r = rig_default();
    rig_add_class(r, 0, &rig_full_class()->model, rig_origin);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
    return r;
}

static uint32_t id_of(rig *r, unsigned entry, int child)
{
    return sb_combat_subsystem_id(r->combat, RIG_SHIP(0), entry, child);
}

/* Weapons of an entry that fire. */
static unsigned firing_of(rig *r, unsigned entry)
{
    unsigned count = 0;
    for (unsigned i = 0; i < FULL_SYSTEM; i++) {
        sb_weapon_state state;
        CHECK(sb_combat_weapon(r->combat, RIG_SHIP(0), entry, i, &state));
        count += state.firing;
    }
    return count;
}

TEST(every_part_of_a_full_ship_has_an_id_of_its_own)
{
    rig        *r = full_duel();
    sb_fighter *f = rig_fighter(r, 0);
    uint32_t    next = RIG_SHIP(0) + 1;
    CHECK_EQ(f->weapon_count, SB_WEAPONS_MAX);
    for (unsigned part = 0; part != SB_NO_PART; part = sb_combat_next_part(f->ship->model, part)) {
        uint8_t entry;
        int8_t  child;
        CHECK_EQ(sb_combat_part_id(f, part), next);
        CHECK_EQ(sb_combat_part_of_id(f, next), part);
        sb_combat_locate_part(f->ship->model, part, &entry, &child);
        CHECK_EQ(id_of(r, entry, child), next);
        next++;
    }
    CHECK_EQ(next, RIG_SHIP(0) + 1 + SB_PARTS);
    CHECK_EQ(sb_combat_part_of_id(f, next), SB_NO_PART);
    CHECK_EQ(sb_combat_part_id(f, SB_PARTS), 0);
    CHECK_EQ(id_of(r, SB_SUBSYSTEMS_MAX, -1), 0);
    CHECK_EQ(id_of(r, FULL_MORE_PHASERS, FULL_SYSTEM), 0);
}

/* The data of a mod may list more weapons than the table holds. */
TEST(weapons_beyond_the_table_are_left_out)
{
    rig       *r = rig_default();
    rig_class *k = rig_full_class();
    k->children[k->entries[9].first_child] = k->children[0]; /* an engine becomes a bank */
    rig_add_class(r, 0, &k->model, rig_origin);
    sb_weapon_state state;
    CHECK_EQ(rig_fighter(r, 0)->weapon_count, SB_WEAPONS_MAX);
    CHECK(sb_combat_weapon(r->combat, RIG_SHIP(0), 9, 0, &state));
    CHECK(sb_combat_weapon(r->combat, RIG_SHIP(0), FULL_MORE_PHASERS, 6, &state));
    CHECK(!sb_combat_weapon(r->combat, RIG_SHIP(0), FULL_MORE_PHASERS, 7, &state));
}

TEST(first_and_last_phasers_fire_and_stop_apart)
{
    rig *r = full_duel();
    rig_fire_entry(r, 0, FULL_PHASERS, RIG_SHIP(1));
    rig_fire_entry(r, 0, FULL_MORE_PHASERS, RIG_SHIP(1));
    rig_steps(r, 1); /* each system starts a bank at once */
    CHECK_EQ(firing_of(r, FULL_PHASERS), 1);
    CHECK_EQ(firing_of(r, FULL_MORE_PHASERS), 1);
    rig_steps(r, 2 * FULL_SYSTEM - 1);
    CHECK_EQ(firing_of(r, FULL_PHASERS), FULL_SYSTEM);
    CHECK_EQ(firing_of(r, FULL_MORE_PHASERS), FULL_SYSTEM);
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), id_of(r, FULL_PHASERS, -1), 0);
    CHECK_EQ(firing_of(r, FULL_PHASERS), 0);
    CHECK_EQ(firing_of(r, FULL_MORE_PHASERS), FULL_SYSTEM);
    rig_fire_entry(r, 0, FULL_PHASERS, RIG_SHIP(1));
    sb_combat_switch(r->combat, RIG_SHIP(0), id_of(r, FULL_MORE_PHASERS, -1), false);
    rig_steps(r, 1);
    CHECK_EQ(firing_of(r, FULL_PHASERS), 1);
    CHECK_EQ(firing_of(r, FULL_MORE_PHASERS), 0);
}

/* Single fire: each of two systems has its own next bank. */
TEST(two_single_fire_systems_take_turns_apart)
{
    rig       *r = rig_default();
    rig_class *k = rig_full_class();
    k->entries[FULL_PHASERS].single_fire = k->entries[FULL_MORE_PHASERS].single_fire =
        SB_PROPERTY_YES;
    rig_add_class(r, 0, &k->model, rig_origin);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
    rig_fire_entry(r, 0, FULL_PHASERS, RIG_SHIP(1));
    rig_fire_entry(r, 0, FULL_MORE_PHASERS, RIG_SHIP(1));
    unsigned first = k->entries[FULL_PHASERS].first_child,
             more = SB_WEAPONS_MAX - FULL_SYSTEM; /* in the list of weapons */
    sb_weapon *weapons = rig_fighter(r, 0)->weapons;
    for (unsigned turn = 0; turn < 2 * FULL_SYSTEM + 1; turn++) {
        rig_steps(r, 1);
        for (unsigned i = 0; i < FULL_SYSTEM; i++) {
            CHECK_EQ(weapons[first + i].firing, i == turn % FULL_SYSTEM);
            CHECK_EQ(weapons[more + i].firing, i == turn / 2 % FULL_SYSTEM);
            weapons[first + i].charge = weapons[more + i].charge = 8;
        }
        weapons[first + turn % FULL_SYSTEM].charge = 0; /* empty: the next one's turn */
        if (turn % 2) weapons[more + turn / 2 % FULL_SYSTEM].charge = 0;
    }
}

TEST(all_orders_of_a_full_ship_end_when_it_is_hidden)
{
    rig *r = full_duel();
    sb_combat_cloak(r->combat, RIG_SHIP(0), true);
    rig_steps(r, 120);
    rig_fire_entry(r, 0, FULL_PHASERS, RIG_SHIP(1));
    rig_fire_entry(r, 0, FULL_TRACTORS, RIG_SHIP(1));
    rig_fire_entry(r, 0, FULL_MORE_PHASERS, RIG_SHIP(1));
    rig_steps(r, 20);
    CHECK_EQ(firing_of(r, FULL_PHASERS) + firing_of(r, FULL_MORE_PHASERS), 2 * FULL_SYSTEM);
    CHECK_EQ(firing_of(r, FULL_TRACTORS), 1);
    rig_steps(r, 10); /* 150 */
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(0)), SB_CLOAK_ON);
    CHECK_EQ(rig_fighter(r, 0)->ordered, 0);
}

/* §12.2: beams of a dead ship stop, and beams at it. */
TEST(all_orders_of_a_full_ship_end_with_a_death)
{
    for (unsigned dies = 0; dies < 2; dies++) {
        rig *r = full_duel();
        rig_add(r, 2, GALAXY, (sb_vec3){ 0, 60, 0 });
        rig_fire_entry(r, 0, FULL_PHASERS, RIG_SHIP(1));
        rig_fire_entry(r, 0, FULL_TRACTORS, RIG_SHIP(2));
        rig_fire_entry(r, 0, FULL_MORE_PHASERS, RIG_SHIP(1));
        rig_steps(r, 20);
        sb_combat_self_destruct(r->combat, RIG_SHIP(dies));
        CHECK_EQ(rig_fighter(r, 0)->ordered, dies == 0 ? 0 : 1 << FULL_TRACTORS);
        CHECK_EQ(firing_of(r, FULL_PHASERS) + firing_of(r, FULL_MORE_PHASERS), 0);
        CHECK_EQ(firing_of(r, FULL_TRACTORS), dies);
        CHECK_EQ(rig_fighter(r, 0)->tractor_fires, dies == 1);
        CHECK_EQ(rig_fighter(r, 0)->drag > 0, dies == 1);
    }
}

/* The only order is that of entry 0. */
TEST(a_beam_of_the_first_entry_stops_with_its_target)
{
    rig *r = full_duel();
    rig_fire_entry(r, 0, FULL_PHASERS, RIG_SHIP(1));
    rig_steps(r, 1);
    sb_combat_remove_ship(r->combat, RIG_SHIP(1));
    CHECK_EQ(rig_fighter(r, 0)->ordered, 0);
}

/* §6.5: drag is the force in use over that of all projectors of the ship. */
TEST(both_tractor_systems_hold_and_brake_together)
{
    rig *r = full_duel();
    rig_fire_entry(r, 0, FULL_TRACTORS, RIG_SHIP(1));
    rig_steps(r, 1);
    CHECK_EQ(firing_of(r, FULL_TRACTORS), 1);
    CHECK_EQ(firing_of(r, FULL_MORE_TRACTORS), 0);
    CHECK_NEAR(rig_fighter(r, 0)->drag, 1 / 16.0, 1e-6);
    rig_fire_entry(r, 0, FULL_MORE_TRACTORS, RIG_SHIP(1));
    rig_fire_entry(r, 0, FULL_PHASERS, RIG_SHIP(1)); /* banks start while projectors hold */
    rig_steps(r, 1);
    CHECK_EQ(firing_of(r, FULL_TRACTORS), 1);
    CHECK_EQ(firing_of(r, FULL_MORE_TRACTORS), 1);
    CHECK_EQ(firing_of(r, FULL_PHASERS), 1);
    CHECK_NEAR(rig_fighter(r, 0)->drag, 2 / 16.0, 1e-6);
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), id_of(r, FULL_TRACTORS, -1), 0);
    rig_steps(r, 1);
    CHECK_EQ(firing_of(r, FULL_TRACTORS), 0);
    CHECK_EQ(firing_of(r, FULL_MORE_TRACTORS), 1);
    sb_combat_switch(r->combat, RIG_SHIP(0), id_of(r, FULL_MORE_TRACTORS, -1), false);
    rig_steps(r, 1);
    CHECK_EQ(firing_of(r, FULL_MORE_TRACTORS), 0);
    CHECK_EQ(firing_of(r, FULL_PHASERS), 2);
    CHECK(!rig_fighter(r, 0)->tractor_fires);
}

TEST(a_system_without_single_fire_holds_with_all_it_has)
{
    rig       *r = rig_default();
    rig_class *k = rig_full_class();
    k->entries[FULL_TRACTORS].single_fire = k->entries[FULL_MORE_TRACTORS].single_fire =
        SB_PROPERTY_NO;
    rig_add_class(r, 0, &k->model, rig_origin);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
    rig_fire_entry(r, 0, FULL_MORE_TRACTORS, RIG_SHIP(1));
    rig_steps(r, 1);
    CHECK_EQ(firing_of(r, FULL_TRACTORS), 0);
    CHECK_EQ(firing_of(r, FULL_MORE_TRACTORS), FULL_SYSTEM);
    CHECK_NEAR(rig_fighter(r, 0)->drag, 0.5, 1e-6);
    rig_fire_entry(r, 0, FULL_TRACTORS, RIG_SHIP(1));
    rig_steps(r, 1);
    CHECK_NEAR(rig_fighter(r, 0)->drag, 1, 1e-6);
}

/* Every tube and every cannon, the first and the last of a system among them. */
TEST(every_tube_and_cannon_of_a_full_ship_fires)
{
    rig *r = full_duel();
    for (int i = 0; i < FULL_SYSTEM; i++) {
        sb_combat_torpedo(r->combat, RIG_SHIP(0), id_of(r, FULL_TUBES, i), 6, rig_ahead, 0,
                          rig_no_aim);
        sb_combat_pulse(r->combat, RIG_SHIP(0), id_of(r, FULL_CANNONS, i), 1, rig_ahead, 0);
        CHECK_EQ(r->combat->shot_count, 2 * (i + 1));
    }
    CHECK_EQ(rig_count(r, SB_COMBAT_IMPLAUSIBLE), 0);
}

TEST(an_order_to_stop_ends_the_burst_of_every_cannon)
{
    rig *r = full_duel();
    for (int i = 0; i < FULL_SYSTEM; i++)
        sb_combat_pulse(r->combat, RIG_SHIP(0), id_of(r, FULL_CANNONS, i), 1, rig_ahead, 0);
    const sb_weapon *cannons = &rig_fighter(r, 0)->weapons[FULL_SYSTEM];
    for (unsigned i = 0; i < FULL_SYSTEM; i++) CHECK(cannons[i].in_burst);
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), id_of(r, FULL_PHASERS, -1), 0); /* another */
    for (unsigned i = 0; i < FULL_SYSTEM; i++) CHECK(cannons[i].in_burst);
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), id_of(r, FULL_CANNONS, -1), 0);
    for (unsigned i = 0; i < FULL_SYSTEM; i++) CHECK(!cannons[i].in_burst);
}

/* Orders that name the last entry of the longest list. */
TEST(the_last_entry_takes_orders_like_any_other)
{
    rig     *r = full_duel();
    sb_ship *ship = &r->ships[0];
    uint32_t last = id_of(r, FULL_MORE_PHASERS, -1);
    sb_combat_phaser_level(r->combat, RIG_SHIP(0), last, 2);
    CHECK_EQ(ship->setting[FULL_MORE_PHASERS], 2);
    CHECK_EQ(ship->setting[FULL_PHASERS], 1);
    sb_combat_switch(r->combat, RIG_SHIP(0), last, false);
    CHECK(!ship->on[FULL_MORE_PHASERS]);
    sb_combat_switch(r->combat, RIG_SHIP(0), id_of(r, FULL_TRACTORS, 0), false); /* a child */
    CHECK(ship->on[FULL_TRACTORS]);
    CHECK_EQ(rig_count(r, SB_COMBAT_IMPLAUSIBLE), 0);
}

/* A hit that reaches all parts: the queue holds them all, the hull at its end. */
TEST(all_parts_of_a_full_ship_are_hit_queued_and_repaired)
{
    rig        *r = full_duel();
    sb_fighter *f = rig_fighter(r, 0);
    sb_hit      hit = { .by = { SB_DAMAGE_TORPEDO, 0, 0 } };
    sb_combat_damage_by_weapon(r->combat, f, &hit, rig_origin, 100, 1, false);
    sb_combat_finish_hit(f, &hit);
    CHECK_EQ(rig_count(r, SB_COMBAT_DAMAGED), SB_PARTS);
    sb_combat_announce_hits(r->combat, f);
    CHECK_EQ(f->queue_size, SB_PARTS);
    CHECK_EQ(f->queue[0], FULL_PHASERS);
    CHECK_EQ(f->queue[SB_PARTS - 2], SB_PARTS - 1);
    CHECK_EQ(f->queue[SB_PARTS - 1], f->hull);
    uint32_t bay = sb_combat_part_id(f, f->repair);
    sb_combat_repair_first(r->combat, RIG_SHIP(0), bay, sb_combat_part_id(f, SB_PARTS - 1));
    CHECK_EQ(f->queue[0], SB_PARTS - 1);
    CHECK_EQ(f->queue[1], FULL_PHASERS);
    CHECK_EQ(f->queue[SB_PARTS - 1], f->hull);
    sb_combat_repair_first(r->combat, RIG_SHIP(0), bay, sb_combat_part_id(f, SB_PARTS - 1));
    CHECK_EQ(f->queue[0], FULL_PHASERS);
    CHECK_EQ(f->queue[SB_PARTS - 1], SB_PARTS - 1);
    rig_seconds(r, 60);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_COMPLETED), SB_PARTS);
    CHECK_EQ(f->queue_size, 0);
}

/* §4.4: first and last entry draw their power; entries that draw none have an efficiency of 0. */
TEST(all_entries_of_a_full_ship_get_power)
{
    rig              *r = full_duel();
    const sb_fighter *f = rig_fighter(r, 0);
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++)
        CHECK(f->efficiency[i] == 1 && f->performance[i] == 1); /* fresh */
    r->ships[0].power_wanted[FULL_PHASERS] = 0.25f;
    r->ships[0].power_wanted[FULL_MORE_PHASERS] = 0.5f;
    rig_steps(r, 1);
    CHECK_NEAR(f->performance[FULL_PHASERS], 0.25, 1e-6);
    CHECK_NEAR(f->performance[FULL_MORE_PHASERS], 0.5, 1e-6);
    CHECK_NEAR(f->efficiency[FULL_MORE_TRACTORS], 0, 0); /* idle */
}

TEST(conditions_of_first_and_last_rows_are_brought_within_bounds)
{
    rig       *r = rig_default();
    rig_class *k = rig_full_class();
    sb_ship   *ship = &r->ships[0];
    sb_ship_init(ship, &k->model, VORCHA, RIG_SHIP(0));
    ship->condition[0] = ship->condition[SB_SUBSYSTEMS_MAX - 1] = 1e9f;
    ship->child_condition[0] = ship->child_condition[SB_SHIP_CHILDREN_MAX - 1] = -1;
    ship->facing[0] = ship->facing[SB_FACINGS - 1] = 1e9f;
    ship->main_battery = ship->backup_battery = 1e9f;
    CHECK_EQ(sb_combat_add_ship(r->combat, ship, 2, RIG_SET, r->now), SB_OK);
    CHECK_NEAR(ship->condition[0], k->entries[0].max_condition, 0);
    CHECK_NEAR(ship->condition[SB_SUBSYSTEMS_MAX - 1],
               k->entries[SB_SUBSYSTEMS_MAX - 1].max_condition, 0);
    CHECK_NEAR(ship->child_condition[0], 0, 0);
    CHECK_NEAR(ship->child_condition[SB_SHIP_CHILDREN_MAX - 1], 0, 0);
    CHECK_NEAR(ship->facing[0], k->model.shield_max[0], 0);
    CHECK_NEAR(ship->facing[SB_FACINGS - 1], k->model.shield_max[SB_FACINGS - 1], 0);
    CHECK_NEAR(ship->main_battery, k->model.main_battery, 0);
    CHECK_NEAR(ship->backup_battery, k->model.backup_battery, 0);
}

/* ---- ids that are learned ---- */

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

/* Both phaser systems are learned from SetPhaserLevel, in list order. */
TEST(systems_of_one_type_are_learned_in_list_order)
{
    rig *r = anonymous_duel();
    sb_combat_phaser_level(r->combat, RIG_SHIP(0), nth_id(0), 0);
    sb_combat_phaser_level(r->combat, RIG_SHIP(0), nth_id(SB_PARTS - 1), 2);
    CHECK_EQ(id_of(r, FULL_PHASERS, -1), nth_id(0));
    CHECK_EQ(id_of(r, FULL_MORE_PHASERS, -1), nth_id(SB_PARTS - 1));
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
        CHECK_EQ(id_of(r, systems[open], -1), nth_id(missing));
        CHECK_EQ(rig_count(r, SB_COMBAT_IMPLAUSIBLE), 0);
    }
}

/* Ids of tubes in descending order: each new one moves all others by one tube. */
TEST(all_tubes_of_a_full_ship_are_learned_and_then_certain)
{
    rig *r = anonymous_duel();
    for (unsigned i = 0; i < FULL_SYSTEM; i++) {
        CHECK_EQ(id_of(r, FULL_TUBES, 0), 0); /* could still move */
        sb_combat_torpedo(r->combat, RIG_SHIP(0), nth_id(SB_PARTS - 1 - i), 6, rig_ahead, 0,
                          rig_no_aim);
        CHECK_EQ(r->combat->shot_count, i + 1);
    }
    for (int i = 0; i < FULL_SYSTEM; i++)
        CHECK_EQ(id_of(r, FULL_TUBES, i), nth_id(SB_PARTS - FULL_SYSTEM + (unsigned)i));
    sb_combat_torpedo(r->combat, RIG_SHIP(0), nth_id(9), 6, rig_ahead, 0, rig_no_aim);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_NOT_ITS_WEAPON), 1); /* a ninth */
    CHECK_EQ(r->combat->shot_count, FULL_SYSTEM);
}

/* ---- a full room ---- */

/* Two places, in exactly the memory that sb_combat_bytes asks for: the sanitizer sees each byte
 * behind it. */
TEST(a_full_room_stays_within_its_memory)
{
    rig *r = rig_new();
    r->config.max_ships = 2;
    r->config.constants.splash = 1;
    r->config.constants.splash_radius = 100;
    void *memory = malloc(sb_combat_bytes(&r->config));
    CHECK(memory);
    r->combat = sb_combat_init(memory, &r->config, 0);
    rig_add(r, 0, VORCHA, rig_origin);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
    sb_ship_init(&r->ships[2], r->ships[1].model, GALAXY, RIG_SHIP(2));
    CHECK_EQ(sb_combat_add_ship(r->combat, &r->ships[2], 4, RIG_SET, 0), SB_FULL);
    for (unsigned i = 0; i < 2 * SB_COMBAT_PROJECTILES + 5; i++) {
        unsigned         n = i % 2;
        const sb_weapon *w = &rig_fighter(r, n)->weapons[n == 0 ? 3 : 0];
        sb_combat_launch(r->combat, rig_fighter(r, n), w,
                         sb_find_projectile(sb_stock_projectiles(), 2), 1, (sb_vec3){ 0, 0, 1 },
                         NULL, rig_no_aim);
    }
    CHECK_EQ(r->combat->shot_count, 2 * SB_COMBAT_PROJECTILES);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_steps(r, 40);
    CHECK(!sb_combat_is_alive(r->combat, RIG_SHIP(2)));
    sb_combat_disown(r->combat, RIG_OWNER(0));
    for (uint32_t i = 0; i < r->combat->shot_count; i++)
        CHECK_EQ(r->combat->shots[i].owner, i % 2 ? 0 : RIG_OWNER(1));
    CHECK(sb_combat_state_hash(r->combat) != 0);
    sb_combat_self_destruct(r->combat, RIG_SHIP(1));
    rig_seconds(r, 10);
    CHECK_EQ(r->combat->ship_count, 1);
    sb_combat_remove_ship(r->combat, RIG_SHIP(0));
    CHECK_EQ(r->combat->ship_count, 0);
    free(memory);
}
