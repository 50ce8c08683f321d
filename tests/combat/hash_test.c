/* tests/combat/hash_test.c -- the hash of the state covers every field of it. */
#include "rig.h"

#include <stddef.h>

static const sb_cv4b stern = { { 0, -127, 0 }, 200 };

/* Everything is in use: two ships that fight, one without a model, a free place, a shot. */
static rig *fight(void)
{
    enum { UNKNOWN = 200 };
    rig *r = rig_default();
    rig_add(r, 0, VORCHA, rig_origin);
    rig_add(r, 3, GALAXY, (sb_vec3){ 90, 0, 0 });
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 40, 0 });
    rig_add(r, 2, UNKNOWN, (sb_vec3){ 0, 0, 300 });
    sb_combat_remove_ship(r->combat, RIG_SHIP(3));
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_fire_tube(r, 0, 2, rig_ahead, RIG_SHIP(1));
    sb_combat_collision(r->combat, RIG_SHIP(0), 0, RIG_SHIP(0), &stern, 1, 5.0f, r->now);
    rig_steps(r, 2);
    CHECK_EQ(r->combat->shot_count, 1);
    CHECK_EQ(rig_firing_banks(r, 0), 1);
    CHECK(rig_fighter(r, 0)->queue_size > 0);
    CHECK_EQ(rig_fighter(r, 0)->volume_count, 1);
    CHECK_EQ(rig_weapon(r, 0, "Fwd Torpedo 1")->loading, 1);
    return r;
}

/* The parts of the state that the changes below are about. */
typedef struct parts {
    sb_combat  *c;
    sb_fighter *f, *unknown; /* `unknown` has no model */
    sb_ship    *ship;
    sb_shot    *shot;
    sb_weapon  *bank, *tube, *last;
    unsigned    entry, child; /* the last ones of the ship */
} parts;

static parts parts_of(rig *r)
{
    sb_fighter *f = rig_fighter(r, 0);
    return (parts){ .c = r->combat,
                    .f = f,
                    .unknown = rig_fighter(r, 2),
                    .ship = f->ship,
                    .shot = &r->combat->shots[0],
                    .bank = rig_weapon(r, 0, "Disruptor"),
                    .tube = rig_weapon(r, 0, "Fwd Torpedo 1"),
                    .last = &f->weapons[f->weapon_count - 1],
                    .entry = f->ship->model->subsystem_count - 1u,
                    .child = f->ship->model->child_count - 1u };
}

/* X(statement): changes one field, or one row of a table: the first and the last. */
#define CHANGES(X)                                                                                 \
    X(p->c->step++)                                                                                \
    X(p->c->clock_start++)                                                                         \
    X(p->c->clock_start += (sb_time)1 << 32)                                                       \
    X(p->c->clock_steps++)                                                                         \
    X(p->c->implausible[0]++)                                                                      \
    X(p->c->implausible[SB_IMPLAUSIBLE_COUNT - 1]++)                                               \
    X(p->c->shot_count--)                                                                          \
    X(p->f->object_id++)                                                                           \
    X(p->f->set++)                                                                                 \
    X(p->f->owner++)                                                                               \
    X(p->f->life++)                                                                                \
    X(p->f->added_at++)                                                                            \
    X(p->f->gone_at++)                                                                             \
    X(p->f->armed_at++)                                                                            \
    X(p->f->moved_at++)                                                                            \
    X(p->f->position.x++)                                                                          \
    X(p->f->position.y++)                                                                          \
    X(p->f->position.z++)                                                                          \
    X(p->ship->object_id++)                                                                        \
    X(p->ship->species++)                                                                          \
    X(p->ship->cloaked = true)                                                                     \
    X(p->ship->motion.position.x++)                                                                \
    X(p->ship->motion.forward.x++)                                                                 \
    X(p->ship->motion.up.x++)                                                                      \
    X(p->ship->motion.speed++)                                                                     \
    X(p->unknown->ship->motion.position.x++)                                                       \
    X(p->ship->condition[0]++)                                                                     \
    X(p->ship->condition[p->entry]++)                                                              \
    X(p->ship->power_wanted[0]++)                                                                  \
    X(p->ship->power_wanted[p->entry]++)                                                           \
    X(p->ship->setting[0]++)                                                                       \
    X(p->ship->setting[p->entry]++)                                                                \
    X(p->ship->on[0] = !p->ship->on[0])                                                            \
    X(p->ship->on[p->entry] = !p->ship->on[p->entry])                                              \
    X(p->ship->child_condition[0]++)                                                               \
    X(p->ship->child_condition[p->child]++)                                                        \
    X(p->ship->facing[0]++)                                                                        \
    X(p->ship->facing[SB_FACINGS - 1]++)                                                           \
    X(p->ship->main_battery = 1)                                                                   \
    X(p->ship->backup_battery = 1)                                                                 \
    X(p->f->facing_fraction[0]++)                                                                  \
    X(p->f->facing_fraction[SB_FACINGS - 1]++)                                                     \
    X(p->f->recharge_count++)                                                                      \
    X(p->f->recharge_at++)                                                                         \
    X(p->f->budget_ends_at++)                                                                      \
    X(p->f->main_conduit++)                                                                        \
    X(p->f->backup_conduit++)                                                                      \
    X(p->f->efficiency[0]++)                                                                       \
    X(p->f->efficiency[SB_SUBSYSTEMS_MAX - 1]++)                                                   \
    X(p->f->performance[0]++)                                                                      \
    X(p->f->performance[SB_SUBSYSTEMS_MAX - 1]++)                                                  \
    X(p->f->cloak_state++)                                                                         \
    X(p->f->cloak_wanted = true)                                                                   \
    X(p->f->cloak_bit_seen = true)                                                                 \
    X(p->f->shields_lowered = true)                                                                \
    X(p->f->shields_change = true)                                                                 \
    X((p->f->shields_change = true, p->f->shields_change_at = 9))                                  \
    X(p->f->cloak_timer++)                                                                         \
    X(p->f->target++)                                                                              \
    X(p->f->ordered++)                                                                             \
    X(p->f->aimed_at[0]++)                                                                         \
    X(p->f->aimed_at[SB_SUBSYSTEMS_MAX - 1]++)                                                     \
    X(p->f->aim[0].direction.x++)                                                                  \
    X(p->f->aim[0].direction.y++)                                                                  \
    X(p->f->aim[0].direction.z++)                                                                  \
    X(p->f->aim[SB_SUBSYSTEMS_MAX - 1].magnitude_code++)                                           \
    X(p->f->tractor_fires = true)                                                                  \
    X(p->f->tractors_shed = true)                                                                  \
    X(p->f->drag++)                                                                                \
    X(p->f->ammo[0]--)                                                                             \
    X(p->f->ammo[SB_AMMO_SLOTS - 1]--)                                                             \
    X(p->tube->has_fired = false)                                                                  \
    X(p->tube->firing = true)                                                                      \
    X(p->tube->fired_last = true)                                                                  \
    X(p->tube->in_burst = true)                                                                    \
    X(p->tube->ready++)                                                                            \
    X(p->tube->loading--)                                                                          \
    X(p->tube->fired_at++)                                                                         \
    X(p->tube->loaded_at[0]++)                                                                     \
    X(p->bank->firing = false)                                                                     \
    X(p->bank->charge++)                                                                           \
    X(p->bank->beam_age++)                                                                         \
    X(p->bank->quanta++)                                                                           \
    X(p->bank->level++)                                                                            \
    X(p->last->charge++)                                                                           \
    X(p->f->queue[0]++)                                                                            \
    X(p->f->queue_size--)                                                                          \
    X(p->f->queued.bits[0]++)                                                                      \
    X(p->f->queued.bits[1]++)                                                                      \
    X(p->f->hit_parts.bits[0]++)                                                                   \
    X(p->f->hit_parts.bits[1]++)                                                                   \
    X(p->f->k_of_part[0]++)                                                                        \
    X(p->f->k_of_part[SB_PARTS - 1]++)                                                             \
    X(p->f->killer.ship++)                                                                         \
    X(p->f->killer.attacker++)                                                                     \
    X(p->f->killer.cause++)                                                                        \
    X(p->f->pair_next++)                                                                           \
    X(p->f->pairs[0].at++)                                                                         \
    X(p->f->pairs[SB_COLLISION_PAIRS - 1].other++)                                                 \
    X(p->f->volume_next++)                                                                         \
    X(p->f->volume_count--)                                                                        \
    X(p->f->volumes[0].centre.x++)                                                                 \
    X(p->f->volumes[0].radius++)                                                                   \
    X(p->shot->figures++)                                                                          \
    X(p->shot->position.x++)                                                                       \
    X(p->shot->direction.x++)                                                                      \
    X(p->shot->aim.x++)                                                                            \
    X(p->shot->launcher++)                                                                         \
    X(p->shot->target++)                                                                           \
    X(p->shot->set++)                                                                              \
    X(p->shot->age++)                                                                              \
    X(p->shot->damage++)                                                                           \
    X(p->shot->life++)                                                                             \
    X(p->shot->owner++)

#define COUNT_ONE(statement) +1
enum { CHANGE_COUNT = 0 CHANGES(COUNT_ONE) };

/* The hash of the fight after change n; -1: no change. */
static uint64_t hash_after(int n)
{
    rig  *r = fight();
    parts all = parts_of(r), *p = &all;
    int   at = 0;
#define APPLY(statement)                                                                           \
    if (n == at++) statement;
    CHANGES(APPLY)
#undef APPLY
    return sb_combat_state_hash(r->combat);
}

static const char *text_of(int n)
{
#define TEXT(statement) #statement,
    static const char *const texts[] = { CHANGES(TEXT) };
#undef TEXT
    return n < 0 ? "no change" : texts[n];
}

/* Two equal hashes: a field is missing, or two fields share a bit. */
TEST(every_change_of_a_field_gives_a_hash_of_its_own)
{
    uint64_t hashes[CHANGE_COUNT + 1];
    for (int i = -1; i < CHANGE_COUNT; i++) {
        hashes[i + 1] = hash_after(i);
        for (int k = -1; k < i; k++)
            if (hashes[k + 1] == hashes[i + 1])
                FAIL("the same hash: %s, %s", text_of(k), text_of(i));
    }
    CHECK_EQ(hash_after(-1) == hashes[0], true);
}

/* A change of the shields that does not happen has no time. */
TEST(a_time_that_means_nothing_is_not_in_the_hash)
{
    rig     *r = fight();
    uint64_t before = sb_combat_state_hash(r->combat);
    rig_fighter(r, 0)->shields_change_at++;
    CHECK_EQ(sb_combat_state_hash(r->combat) == before, true);
}

static uint64_t fnv1a(const uint8_t *bytes, size_t count)
{
    uint64_t h = 0xCBF29CE484222325u;
    for (size_t i = 0; i < count; i++) h = (h ^ bytes[i]) * 0x100000001B3u;
    return h;
}

static size_t put(uint8_t *out, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) out[i] = (uint8_t)(value >> 8 * i);
    return size;
}

/* The numbers of an empty room, little-endian: step, start and steps of the clock, counters. */
TEST(the_hash_is_fnv_1a_of_the_fields_in_order)
{
    rig    *r = rig_default();
    uint8_t bytes[20 + 8 * SB_IMPLAUSIBLE_COUNT];
    size_t  size = 0;
    r->combat->step = 0x04030201;
    r->combat->clock_start = 0x0C0B0A0908070605;
    r->combat->clock_steps = 0x1413121110FFEEDD;
    size += put(bytes, r->combat->step, 4);
    size += put(bytes + size, (uint64_t)r->combat->clock_start, 8);
    size += put(bytes + size, r->combat->clock_steps, 8);
    for (unsigned i = 0; i < SB_IMPLAUSIBLE_COUNT; i++) {
        r->combat->implausible[i] = 0x0123456789ABCDEFu * (i + 1);
        size += put(bytes + size, r->combat->implausible[i], 8);
    }
    CHECK_EQ(sb_combat_state_hash(r->combat), fnv1a(bytes, size));
}

/* Recordings compare hashes of different builds: every flag and small number has its place. A
 * change of a rule or of a figure of the Vor'cha changes the number, too. */
TEST(flags_and_small_numbers_keep_their_bits_in_the_hash)
{
    rig  *r = fight();
    parts p = parts_of(r);
    p.ship->cloaked = p.f->cloak_wanted = p.f->cloak_bit_seen = true;
    p.f->cloak_state = SB_CLOAK_ON;
    p.f->shields_lowered = p.f->shields_change = true;
    p.f->tractors_shed = p.f->tractor_fires = true;
    p.tube->fired_last = p.tube->in_burst = true;
    p.tube->ready = 1;
    p.f->aim[0] = (sb_cv4b){ { 1, 2, 3 }, 4 };
    p.f->killer = (sb_damage_source){ SB_DAMAGE_TORPEDO, 5, 6 };
    p.f->volume_next = 3;
    uint64_t hash = sb_combat_state_hash(r->combat);
    if (hash != 0xF26CE21BF8112117u) FAIL("hash 0x%016llX", (unsigned long long)hash);
}
