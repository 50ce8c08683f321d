/* tests/combat/impact_test.c -- where a shot meets the shields and the hull. Spec 10 §5.1, §7. */
#include "rig.h"

#include <stdlib.h>
#include <string.h>

static const sb_fighter *fighter_of(rig *r, const rig_class *k)
{
    rig_add_class(r, 0, &k->model, rig_origin);
    return rig_fighter(r, 0);
}

static void set_box(rig_class *k, sb_vec3 centre, sb_vec3 half)
{
    k->model.box_centre[0] = centre.x;
    k->model.box_centre[1] = centre.y;
    k->model.box_centre[2] = centre.z;
    k->model.box_half[0] = half.x;
    k->model.box_half[1] = half.y;
    k->model.box_half[2] = half.z;
}

/* §5.1: the ellipsoid has the half axes sqrt(3) * box_half, also of a ship smaller than 1 unit. */
TEST(test_10_5_1_the_ellipsoid_stands_around_the_box)
{
    static const struct {
        sb_vec3 half;
        double  longest;
    } rows[] = { { { 0.5f, 0.25f, 0.125f }, 0.5 },
                 { { 0.5f, 2, 0.125f }, 2 },
                 { { 0.5f, 0.25f, 3 }, 3 } };
    for (unsigned i = 0; i < 3; i++) {
        rig       *r = rig_default();
        rig_class *k = rig_copy_class(SOVEREIGN);
        set_box(k, (sb_vec3){ 0, 3, -4 }, rows[i].half);
        const sb_fighter *f = fighter_of(r, k);
        for (unsigned n = 0; n < 3; n++) {
            CHECK_NEAR(f->ellipsoid.half[n], sqrt(3) * (double)k->model.box_half[n], 1e-6);
            CHECK_NEAR(f->ellipsoid.centre[n], k->model.box_centre[n], 0);
        }
        CHECK_NEAR(f->shape_radius, 5 + sqrt(3) * rows[i].longest, 1e-5);
    }
}

/* Without a box the shields are the bounding sphere around the origin. */
TEST(test_10_5_1_a_ship_without_a_box_has_a_sphere)
{
    static const sb_vec3 halves[] = { { 0, 1, 1 }, { 1, 0, 1 }, { 1, 1, 0 }, { 0, 0, 0 } };
    for (unsigned i = 0; i < 4; i++) {
        rig       *r = rig_default();
        rig_class *k = rig_copy_class(SOVEREIGN);
        set_box(k, (sb_vec3){ 1, 2, 3 }, halves[i]);
        const sb_fighter *f = fighter_of(r, k);
        for (unsigned n = 0; n < 3; n++) {
            CHECK_NEAR(f->ellipsoid.half[n], k->model.bound_radius, 1e-5);
            CHECK_NEAR(f->ellipsoid.centre[n], 0, 0);
        }
        CHECK_NEAR(f->shape_radius, k->model.bound_radius, 1e-5);
    }
}

/* A hull without solids is the ellipsoid in the box. */
TEST(test_10_7_a_hull_without_solids_fills_the_box)
{
    rig       *r = rig_default();
    rig_class *k = rig_copy_class(SOVEREIGN);
    float      fraction;
    set_box(k, (sb_vec3){ 0, 0, 0 }, (sb_vec3){ 1, 2, 3 });
    k->model.solid_count = 0;
    const sb_fighter *f = fighter_of(r, k);
    CHECK(sb_combat_enters_hull(f, (sb_vec3){ 0, 10, 0 }, (sb_vec3){ 0, -1, 0 }, &fraction));
    CHECK_NEAR(fraction, 8, 1e-5);
    CHECK(sb_combat_enters_hull(f, (sb_vec3){ 0, 0, 10 }, (sb_vec3){ 0, 0, -1 }, &fraction));
    CHECK_NEAR(fraction, 7, 1e-5);
    CHECK(!sb_combat_enters_hull(f, (sb_vec3){ 0.9f, 10, 2.9f }, (sb_vec3){ 0, -1, 0 }, &fraction));
}

/* The nearest of several solids, in any order of the list. */
TEST(test_10_7_the_nearest_solid_is_hit)
{
    static const sb_solid solids[] = { { SB_SOLID_BOX, { 0, 0, 0 }, { 1, 1, 1 } },
                                       { SB_SOLID_BOX, { 0, 5, 0 }, { 1, 1, 1 } },
                                       { SB_SOLID_BOX, { 0, -5, 0 }, { 1, 1, 1 } },
                                       { SB_SOLID_BOX, { 9, 0, 0 }, { 1, 1, 1 } } };
    rig                  *r = rig_default();
    rig_class            *k = rig_copy_class(SOVEREIGN);
    float                 fraction;
    k->model.solids = solids;
    k->model.solid_count = 4;
    const sb_fighter *f = fighter_of(r, k);
    CHECK(sb_combat_enters_hull(f, (sb_vec3){ 0, 20, 0 }, (sb_vec3){ 0, -1, 0 }, &fraction));
    CHECK_NEAR(fraction, 14, 1e-5);
    CHECK(sb_combat_enters_hull(f, (sb_vec3){ 0, -20, 0 }, (sb_vec3){ 0, 1, 0 }, &fraction));
    CHECK_NEAR(fraction, 14, 1e-5);
    CHECK(sb_combat_enters_hull(f, (sb_vec3){ 9, 20, 0 }, (sb_vec3){ 0, -1, 0 }, &fraction));
    CHECK_NEAR(fraction, 19, 1e-5);
    CHECK(!sb_combat_enters_hull(f, (sb_vec3){ 5, 20, 0 }, (sb_vec3){ 0, -1, 0 }, &fraction));
}

static void check_impact(const sb_fighter *f, sb_vec3 start, sb_vec3 aim, sb_vec3 expected)
{
    sb_vec3 at = sb_combat_point_of_impact(f, start, aim);
    CHECK_NEAR(sb_v_length(sb_v_sub(at, expected)), 0, 1e-4);
}

/* A cube around the origin, and shields of 10 units around it. */
TEST(test_10_7_a_line_of_fire_past_the_ship_is_corrected)
{
    static const sb_solid cube = { SB_SOLID_BOX, { 0, 0, 0 }, { 1, 1, 1 } };
    static const sb_solid aside = { SB_SOLID_BOX, { 5, 0, 0 }, { 1, 1, 1 } };
    rig                  *r = rig_default();
    rig_class            *k = rig_copy_class(SOVEREIGN);
    unsigned              hull = rig_entry(&(sb_ship){ .model = &k->model }, SB_SUBSYSTEM_HULL);
    float                 half = 10 / 1.7320508f, edge;
    set_box(k, (sb_vec3){ 0, 0, 0 }, (sb_vec3){ half, half, half });
    for (unsigned i = 0; i < 3; i++) k->entries[hull].position[i] = 0;
    k->model.solids = &cube;
    k->model.solid_count = 1;
    const sb_fighter *f = fighter_of(r, k);
    edge = f->ellipsoid.half[2];
    sb_vec3 start = { 0, 100, 0 };
    check_impact(f, start, (sb_vec3){ 0.5f, 0, 0 }, (sb_vec3){ 0.495f, 1, 0 }); /* on the hull */
    check_impact(f, start, (sb_vec3){ 0, 0, 5 }, (sb_vec3){ 0, 0, 5 }); /* a part that stands out */
    check_impact(f, start, (sb_vec3){ 0, 0, edge }, (sb_vec3){ 0, 0, edge }); /* at the shields */
    check_impact(f, start, (sb_vec3){ 0, 0, edge * 1.01f }, (sb_vec3){ 0, 1, 0 }); /* past them */
    k->model.solids = &aside; /* the Hull entry lies beside the solids */
    check_impact(f, start, (sb_vec3){ 0, 0, 20 }, (sb_vec3){ 0, 0, 0 });
}

/* A hull whose place is not known is aimed at by the centre of the shields. */
TEST(test_10_7_shots_at_a_hull_without_a_place_go_for_the_centre)
{
    for (unsigned known = 0; known < 2; known++) {
        rig       *r = rig_default();
        rig_class *k = rig_copy_class(SOVEREIGN);
        unsigned   hull = rig_entry(&(sb_ship){ .model = &k->model }, SB_SUBSYSTEM_HULL);
        set_box(k, (sb_vec3){ 1, 2, 3 }, (sb_vec3){ 4, 4, 4 });
        k->entries[hull].has_position = known;
        for (unsigned i = 0; i < 3; i++) k->entries[hull].position[i] = 7;
        sb_vec3 aim = sb_combat_default_aim(fighter_of(r, k));
        CHECK_NEAR(aim.x, known ? 7 : 1, 0);
        CHECK_NEAR(aim.y, known ? 7 : 2, 0);
        CHECK_NEAR(aim.z, known ? 7 : 3, 0);
    }
}

/* Spec 10 §15.1: a ship that stands exactly on the shields of another gains nothing by it. */
TEST(test_10_15_1_a_shot_from_the_surface_meets_the_facing)
{
    for (unsigned outside = 0; outside < 2; outside++) {
        rig *r = rig_new();
        r->config.fidelity = SB_FIDELITY_ENFORCE;
        rig_start(r, false);
        rig_class *k = rig_copy_class(GALAXY);
        set_box(k, (sb_vec3){ 0, 0, 0 }, (sb_vec3){ 2, 2, 2 });
        rig_add_class(r, 0, &k->model, rig_origin);
        sb_fighter *f = rig_fighter(r, 0);
        sb_vec3     start = { 0, 0, f->ellipsoid.half[2] * (outside ? 1.01f : 1) };
        sb_vec3     at = { 0, 0, outside ? 50 : 0 }; /* outside: fires away */
        sb_combat_strike(r->combat, f,
                         &(sb_strike){ .start = start, .at = at, .search = 0.1f, .damage = 500 });
        CHECK_EQ(rig_count(r, SB_COMBAT_ABSORBED), !outside);
        CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 0)->index, 2);
    }
}

/* Without a hull no entry is read: the list is in memory of its own, so that the sanitizer sees
 * what lies behind it. */
TEST(test_10_7_shots_at_a_ship_without_a_hull_go_for_its_centre)
{
    rig                *r = rig_default();
    rig_class          *k = rig_copy_class(VORCHA);
    size_t              bytes = k->model.subsystem_count * sizeof k->entries[0];
    sb_subsystem_class *entries = malloc(bytes);
    CHECK(entries);
    k->entries[rig_entry(&(sb_ship){ .model = &k->model }, SB_SUBSYSTEM_HULL)].type =
        SB_SUBSYSTEM_ENGINE;
    memcpy(entries, k->entries, bytes);
    k->model.subsystems = entries;
    const sb_fighter *f = fighter_of(r, k);
    CHECK_EQ(f->hull, SB_NO_PART);
    sb_vec3 aim = sb_combat_default_aim(f);
    CHECK_NEAR(sb_v_length(sb_v_sub(aim, sb_v_from(k->model.box_centre))), 0, 0);
    free(entries);
}
