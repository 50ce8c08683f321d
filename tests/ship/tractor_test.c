/* tests/ship/tractor_test.c -- the pull of tractor beams on their target. Spec 10 §6.5; figures:
 * stbc-oracle, tractor_galaxy_*.
 */
#include <starbase/ship_state.h>

#include "ship/arcs.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { GALAXY = 3, GALAXY_MASS = 120 };

static const sb_vec3 ahead = { 0, 1, 0 }, up = { 0, 0, 1 };

static sb_ship  holder;
static unsigned tractors;

/* A Galaxy at the origin, nose along +y. */
static void take_galaxy(void)
{
    const sb_ship_class *m = sb_find_ship(sb_stock_ships(), GALAXY);
    sb_ship_init(&holder, m, GALAXY, 0x3FFFFFFF);
    for (tractors = 0; m->subsystems[tractors].type != SB_SUBSYSTEM_TRACTOR_SYSTEM;) tractors++;
}

static sb_pull pull_from(sb_vec3 target)
{
    return sb_ship_pull(&holder, tractors, target, GALAXY_MASS);
}

static sb_pull pull_ahead(float range)
{
    return pull_from((sb_vec3){ 0, range, 0 });
}

static void check_near(float a, float b, float margin)
{
    if (!(fabsf(a - b) <= margin)) FAIL("%.9g is not near %.9g", (double)a, (double)b);
}

static unsigned child_of(const char *name)
{
    const sb_ship_class *m = holder.model;
    for (unsigned i = 0; i < m->child_count; i++)
        if (strcmp(m->children[i].name, name) == 0) return i;
    FAIL("no %s", name);
}

TEST(spec_10_6_5_a_galaxy_holds_at_115_units_and_not_at_125)
{
    take_galaxy();
    CHECK(pull_ahead(20).force > 0);
    CHECK(pull_ahead(115).force > 0);
    CHECK(pull_ahead(125).force == 0);
    CHECK(pull_ahead(125).loss == 0);
    CHECK(pull_ahead(125).drift.y == 0);
}

TEST(spec_10_6_5_a_galaxy_slows_another_from_6_300_to_5_883)
{
    take_galaxy();
    sb_pull pull = pull_ahead(40);
    check_near(pull.force, 50, 0);
    check_near(pull.loss, 50.0f / 120, 1e-6f);
    check_near(sb_pull_speed(&pull, 6.3f), 5.883f, 1e-3f);
    check_near(sb_pull_speed(&pull, -3), -2.5833f, 1e-3f);
    check_near(sb_pull_speed(&pull, 0.3f), 0, 0);
    check_near(sb_pull_speed(&pull, 0), 0, 0);
    check_near(sb_ship_pull(&holder, tractors, (sb_vec3){ 0, 40, 0 }, 500).loss, 0.1f, 1e-6f);
    check_near(sb_ship_pull(&holder, tractors, (sb_vec3){ 0, 40, 0 }, 0).loss, 0, 0);
}

/* From 15 units: 0.17 to 0.23 units per second in every mode, down to 10 units, or 12.3 to hold. */
TEST(spec_10_6_5_a_parked_target_comes_slowly_in_every_mode)
{
    for (uint8_t mode = SB_TRACTOR_HOLD; mode <= SB_TRACTOR_PUSH; mode++) {
        take_galaxy();
        holder.setting[tractors] = mode;
        sb_vec3 at = { 0, 15, 0 };
        for (unsigned i = 0; i < 300; i++) {
            sb_vec3 drift = pull_from(at).drift;
            at = (sb_vec3){ at.x + drift.x * 0.1f, at.y + drift.y * 0.1f, at.z + drift.z * 0.1f };
            if (i == 99) CHECK(15 - at.y > 1.7f && 15 - at.y < 2.3f);
        }
        check_near(sqrtf(at.x * at.x + at.y * at.y + at.z * at.z),
                   mode == SB_TRACTOR_HOLD ? 12.3f : 10, 0.05f);
    }
}

TEST(the_first_working_projector_that_bears_holds_alone)
{
    take_galaxy();
    check_near(pull_ahead(40).force, 50, 0);
    check_near(pull_from((sb_vec3){ 0, -40, 0 }).force, 80, 0); /* the aft ones are stronger */
    holder.child_condition[child_of("Forward Tractor 1")] = 0;
    check_near(pull_ahead(40).force, 50, 0); /* Forward Tractor 2 */
    holder.child_condition[child_of("Forward Tractor 2")] = 0;
    check_near(pull_ahead(40).force, 0, 0);
    check_near(pull_from((sb_vec3){ 0, 0, 40 }).force, 0, 0); /* overhead: in no arc */
    unsigned last = child_of("Forward Tractor 2");
    holder.child_condition[last] =
        holder.model->children[last].max_condition * holder.model->children[last].disabled_below;
    CHECK(holder.child_condition[last] > 0); /* disabled, but not destroyed */
    check_near(pull_ahead(40).force, 0, 0);
}

/* A Galaxy whose parts a test may change. */
static sb_ship_class      own_model;
static sb_subsystem_class own_entries[SB_SUBSYSTEMS_MAX], own_children[SB_SHIP_CHILDREN_MAX];

static void take_own_galaxy(void)
{
    take_galaxy();
    own_model = *holder.model;
    memcpy(own_entries, own_model.subsystems, own_model.subsystem_count * sizeof *own_entries);
    memcpy(own_children, own_model.children, own_model.child_count * sizeof *own_children);
    own_model.subsystems = own_entries;
    own_model.children = own_children;
    holder.model = &own_model;
}

TEST(all_projectors_hold_if_the_system_is_not_single_fire)
{
    take_own_galaxy();
    sb_vec3 of_one = pull_ahead(40).drift;
    own_entries[tractors].single_fire = SB_PROPERTY_NO;
    check_near(pull_ahead(40).drift.x, of_one.x, 0);
    check_near(pull_ahead(40).drift.z, of_one.z, 0);
    check_near(pull_ahead(40).force, 100, 0);
    check_near(pull_ahead(40).loss, 100.0f / 120, 1e-6f);
    check_near(pull_ahead(40).drift.y, -0.2f, 1e-3f); /* the drift does not depend on the force */
}

TEST(the_condition_of_system_and_projector_weakens_the_force)
{
    take_galaxy();
    holder.condition[tractors] *= 0.8f;
    holder.child_condition[child_of("Forward Tractor 1")] *= 0.9f;
    check_near(pull_ahead(40).force, 50 * 0.8f * 0.9f, 1e-4f);
    holder.on[tractors] = false;
    check_near(pull_ahead(40).force, 0, 0);
    holder.on[tractors] = true;
    holder.condition[tractors] = 0;
    check_near(pull_ahead(40).force, 0, 0);
}

TEST(a_pull_follows_the_axes_of_its_holder)
{
    take_galaxy();
    sb_motion_set_axes(&holder.motion, (sb_vec3){ 1, 0, 0 }, up);
    check_near(pull_from((sb_vec3){ 40, 0, 0 }).force, 50, 0);
    sb_vec3 drift = pull_from((sb_vec3){ 40, 0, 0 }).drift;
    check_near(drift.x, -0.2f, 1e-3f);
    CHECK(drift.z > 0); /* the projector lies above the plane of the ship */
}

TEST(other_systems_and_unknown_ships_pull_nothing)
{
    take_galaxy();
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++)
        if (i != tractors)
            CHECK(sb_ship_pull(&holder, i, (sb_vec3){ 0, 40, 0 }, GALAXY_MASS).force == 0);
    sb_ship_init(&holder, NULL, 200, 0x3FFFFFFF);
    CHECK(pull_ahead(40).force == 0);
}

TEST(two_holders_add_their_pulls)
{
    sb_pull a = { 50, 0.5f, { 1, 2, 3 } }, b = { 80, 0.25f, { 1, 1, 1 } }, sum = sb_pull_add(a, b);
    check_near(sum.force, 130, 0);
    check_near(sum.loss, 0.75f, 0);
    check_near(sum.drift.z, 4, 0);
}

TEST(an_arc_has_two_angles_and_wraps_behind_the_weapon)
{
    sb_weapon_class w = { .forward = { 0, 1, 0 },
                          .up = { 0, 0, 1 },
                          .arc_width = { -0.5f, 0.25f },
                          .arc_height = { -0.1f, 0.2f } };
    CHECK(sb_ship_arc_contains(&w, ahead, 0));
    CHECK(sb_ship_arc_contains(&w, (sb_vec3){ -4.7f, 10, 0 }, 0));
    CHECK(!sb_ship_arc_contains(&w, (sb_vec3){ 4.7f, 10, 0 }, 0));
    CHECK(sb_ship_arc_contains(&w, (sb_vec3){ 2.8f, 10, 0 }, 0.05f));
    CHECK(!sb_ship_arc_contains(&w, (sb_vec3){ 2.4f, 10, 0 }, -0.05f));
    CHECK(sb_ship_arc_contains(&w, (sb_vec3){ 0, 10, 1.9f }, 0));
    CHECK(!sb_ship_arc_contains(&w, (sb_vec3){ 0, 10, -1.9f }, 0));
    w.arc_width[1] = 3.1f;
    CHECK(sb_ship_arc_contains(&w, (sb_vec3){ -0.1f, -10, 0 }, 0.09f)); /* across the seam */
    CHECK(!sb_ship_arc_contains(&w, (sb_vec3){ -2, -10, 0 }, 0.09f));
    w.arc_width[0] = -3.1f;
    w.arc_width[1] = 0.25f;
    CHECK(sb_ship_arc_contains(&w, (sb_vec3){ 0.1f, -10, 0 }, 0.09f)); /* from the other side */
    CHECK(!sb_ship_arc_contains(&w, (sb_vec3){ 2, -10, 0 }, 0.09f));
}

TEST(a_pull_slows_down_both_ways_and_never_turns_a_ship_around)
{
    sb_pull pull = { .loss = 0.25f };
    check_near(sb_pull_speed(&pull, 0.75f), 0.5f, 0);
    check_near(sb_pull_speed(&pull, -0.75f), -0.5f, 0);
    check_near(sb_pull_speed(&pull, 0.25f), 0, 0);
    check_near(sb_pull_speed(&pull, -0.125f), 0, 0);
    check_near(sb_pull_speed(&pull, 0), 0, 0);
}

/* Every projector in turn is the only one that works; its target is in front of it. */
TEST(each_projector_holds_when_it_is_the_only_one)
{
    take_galaxy();
    const sb_subsystem_class *s = &holder.model->subsystems[tractors];
    CHECK_EQ(s->child_count, 4);
    for (unsigned i = 0; i < s->child_count; i++) {
        take_galaxy();
        for (unsigned k = 0; k < s->child_count; k++)
            if (k != i) holder.child_condition[s->first_child + k] = 0;
        const float *f = holder.model->children[s->first_child + i].weapon->forward;
        CHECK(pull_from((sb_vec3){ 40 * f[0], 40 * f[1], 40 * f[2] }).force > 0);
    }
}

TEST(the_drift_ends_exactly_at_the_final_range)
{
    take_galaxy();
    CHECK(pull_ahead(10).force > 0);
    check_near(pull_ahead(10).drift.y, 0, 0);
    CHECK(pull_ahead(10.01f).drift.y < 0);
    holder.setting[tractors] = SB_TRACTOR_HOLD;
    check_near(pull_ahead(12.3f).drift.y, 0, 0);
    CHECK(pull_ahead(12.31f).drift.y < 0);
}

/* The projector lies 20 units ahead of the centre, the target at it or half a unit farther. */
TEST(a_target_at_the_projector_does_not_drift_one_near_it_does)
{
    take_own_galaxy();
    sb_subsystem_class *first = &own_children[child_of("Forward Tractor 1")];
    first->position[0] = first->position[2] = 0;
    first->position[1] = 20;
    first->has_position = true;
    CHECK(pull_ahead(20).force > 0);
    check_near(pull_ahead(20).drift.y, 0, 0);
    check_near(pull_ahead(20.5f).drift.y, -0.2f, 1e-6f);
}

TEST(a_force_and_a_mass_below_one_count)
{
    take_own_galaxy();
    own_entries[tractors].single_fire = SB_PROPERTY_NO;
    sb_weapon_class weak = *own_children[child_of("Forward Tractor 1")].weapon;
    weak.max_damage = 0.25f;
    for (unsigned i = 0; i < own_model.child_count; i++)
        if (own_children[i].type == SB_SUBSYSTEM_TRACTOR_PROJECTOR) own_children[i].weapon = &weak;
    sb_pull pull = sb_ship_pull(&holder, tractors, (sb_vec3){ 0, 40, 0 }, 0.5f);
    CHECK(pull.force >= 0.5f && pull.force <= 1);
    check_near(pull.loss, 2 * pull.force, 0);
    check_near(pull.drift.y, -0.2f, 1e-3f);
    own_entries[tractors].single_fire = SB_PROPERTY_YES;
    check_near(pull_ahead(40).force, 0.25f, 0); /* the first alone, however weak */
}
