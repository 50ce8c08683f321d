/* tests/combat/check_test.c -- sb_combat_check notices each field that contradicts another. */
#include "combat/testing.h"

#include "rig.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A fight in which everything is in use: an order, shots, a repair queue, damage volumes. */
static rig *fight(void)
{
    static const sb_cv4b contact = { { 0, 127, 0 }, 200 };
    static const sb_cv3  ahead = { 0, 127, 0 };
    rig                 *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 20, 0 });
    rig_facings(&r->ships[1], 0);
    sb_combat_start_firing(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1),
                           RIG_SHIP(1), (sb_cv4b){ 0 });
    sb_combat_torpedo(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), 2,
                      ahead, RIG_SHIP(1), (sb_cv4b){ 0 });
    sb_combat_collision(r->combat, RIG_SHIP(0), 0, RIG_SHIP(0), &contact, 1, 50.0f, r->now);
    rig_steps(r, 2);
    CHECK(r->combat->shot_count > 0);
    CHECK(rig_fighter(r, 0)->queue_size > 1);
    CHECK(rig_fighter(r, 0)->volume_count > 0);
    return r;
}

typedef void corruption(sb_combat *c, sb_fighter *f);

/* Runs the check in a child process, which a broken invariant ends with SIGABRT. */
static bool is_noticed(corruption *corrupt)
{
    rig        *r = fight();
    sb_fighter *f = rig_fighter(r, 0);
    pid_t       child = fork();
    int         status;
    CHECK(child >= 0);
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        corrupt(r->combat, f);
        sb_combat_check(r->combat);
        _exit(0);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

/* X(name, statement): one field is changed, everything else stays. */
#define CORRUPTIONS(X)                                                                             \
    X(ship_count, c->ship_count++)                                                                 \
    X(top, c->top++)                                                                               \
    X(ids, c->ids[0]++)                                                                            \
    X(id_of_a_free_place, c->ids[5] = 99)                                                          \
    X(object_id, f->object_id++)                                                                   \
    X(ship, f->ship = NULL)                                                                        \
    X(life, f->life = SB_LIFE_DYING)                                                               \
    X(added_at, f->added_at = c->step + 1)                                                         \
    X(killer, f->killer.attacker = 3)                                                              \
    X(place, f->position.x = NAN)                                                                  \
    X(hull, f->hull = f->shields)                                                                  \
    X(k_of_part, f->k_of_part[3] = f->k_of_part[4])                                                \
    X(condition, f->ship->condition[0] = -1.0f)                                                    \
    X(child_condition, f->ship->child_condition[0] = NAN)                                          \
    X(facing, f->ship->facing[2] *= 1.1f)                                                          \
    X(battery, f->ship->main_battery *= 2.0f)                                                      \
    X(main_conduit, f->main_conduit = -0.1f)                                                       \
    X(efficiency, f->efficiency[1] = 1.1f)                                                         \
    X(cloak_state, f->cloak_state = 4)                                                             \
    X(cloak_without_device, f->cloak_state = SB_CLOAK_ON)                                          \
    X(shields_lowered, f->shields_lowered = true)                                                  \
    X(weapon_count, f->weapon_count = SB_WEAPONS_MAX + 1)                                          \
    X(weapon_system, f->weapons[0].system = 0)                                                     \
    X(weapon_figures, f->weapons[0].figures = f->weapons[1].figures)                               \
    X(charge, f->weapons[0].charge += 100.0f)                                                      \
    X(firing_without_order, f->ordered = 0)                                                        \
    X(order_of_no_weapon, f->ordered |= 1)                                                         \
    X(aim_without_order, f->aimed_at[0] = RIG_SHIP(1))                                             \
    X(target, f->target = f->object_id)                                                            \
    X(drag, f->drag = 0.5f)                                                                        \
    X(shed_but_firing, f->tractors_shed = f->tractor_fires = true)                                 \
    X(power_rule, c->config.power = SB_POWER_STRICT + 1)                                           \
    X(queue_size, f->queue_size--)                                                                 \
    X(queue, f->queue[0] = f->queue[1])                                                            \
    X(queued, sb_part_set_remove(&f->queued, f->queue[0]))                                         \
    X(hit, sb_part_set_add(&f->hit_parts, f->queue[0]))                                            \
    X(hit_no_part, sb_part_set_add(&f->hit_parts, SB_PARTS - 1))                                   \
    X(pair_next, f->pair_next++)                                                                   \
    X(pairs, f->pairs[1] = f->pairs[0])                                                            \
    X(volume_count, f->volume_count++)                                                             \
    X(shot_count, c->shot_count = c->shot_capacity + 1)                                            \
    X(shot_figures, c->shots[0].figures = NULL)                                                    \
    X(shot_spent, c->shots[0].spent = true)                                                        \
    X(shot_direction, c->shots[0].direction.x += 1.0f)                                             \
    X(shot_age, c->shots[0].age = 100000)                                                          \
    X(fidelity, c->config.fidelity = SB_FIDELITY_RELAY)                                            \
    X(trace_gains, (c->on_event = NULL, c->trace_gains = true))

#define CORRUPT_FUNCTION(name, statement)                                                          \
    static void corrupt_##name(sb_combat *c, sb_fighter *f)                                        \
    {                                                                                              \
        (void)c;                                                                                   \
        (void)f;                                                                                   \
        statement;                                                                                 \
    }
CORRUPTIONS(CORRUPT_FUNCTION)

static void corrupt_tube(sb_combat *c, sb_fighter *f)
{
    (void)c;
    for (unsigned i = 0; i < f->weapon_count; i++)
        if (f->weapons[i].type == SB_SUBSYSTEM_TORPEDO_TUBE) f->weapons[i].ready++;
}

TEST(the_check_accepts_a_fight)
{
    sb_combat_check(fight()->combat);
}

TEST(the_check_notices_every_corrupted_field)
{
#define CHECK_CORRUPTION(name, statement)                                                          \
    if (!is_noticed(corrupt_##name)) FAIL("not noticed: " #name);
    CORRUPTIONS(CHECK_CORRUPTION)
    if (!is_noticed(corrupt_tube)) FAIL("not noticed: tube");
}
