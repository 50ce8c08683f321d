/* tests/combat/conservation_test.c -- every point of condition and shield is accounted for.
 *
 * The test keeps a copy of every condition and facing, updated only from events. After each step
 * the copy must equal the ships bit for bit.
 */
#include "melee.h"
#include "rig.h"

#include "base/bytes.h"

#include <string.h>

enum { PAGES = MELEE_PLAYERS * MELEE_HULLS };

typedef struct page {
    uint32_t        object_id; /* 0: free */
    const sb_ship  *ship;
    bool            dead;
    float           part[SB_PARTS], facing[SB_FACINGS];
    double          repaired, recharged; /* in this step: points, seconds of charging */
    bool            decloaked;           /* in this step */
    sb_combat_event hit;                 /* the last hit: every loss belongs to it */
    double          absorbed;            /* of that hit, by all facings */
} page;

static struct {
    page     pages[PAGES];
    uint64_t losses, gains;
} book;

static page *page_of(uint32_t object_id)
{
    for (unsigned i = 0; i < PAGES; i++)
        if (book.pages[i].object_id == object_id) return &book.pages[i];
    FAIL("an event about 0x%08X, which is not there", object_id);
}

static void open_page(void *context, const sb_ship *ship)
{
    (void)context;
    page *p = book.pages;
    while (p->object_id != 0) p++;
    CHECK(p < book.pages + PAGES);
    *p = (page){ .object_id = ship->object_id, .ship = ship };
    for (unsigned i = 0; i < ship->model->subsystem_count; i++) p->part[i] = ship->condition[i];
    for (unsigned i = 0; i < ship->model->child_count; i++)
        p->part[SB_CHILD_PART + i] = ship->child_condition[i];
    memcpy(p->facing, ship->facing, sizeof p->facing);
}

static bool same(float a, float b)
{
    return sb_float_bits(a) == sb_float_bits(b);
}

static void enter(float *entry, const sb_combat_event *e, bool loss)
{
    float change = loss ? *entry - e->left : e->left - *entry;
    if (!same(change, e->amount) || !(change > 0))
        FAIL("%.9g became %.9g, told as %.9g", (double)*entry, (double)e->left, (double)e->amount);
    *entry = e->left;
    if (loss) book.losses++;
    else book.gains++;
}

static unsigned part_of(const page *p, const sb_combat_event *e)
{
    CHECK(e->index < p->ship->model->subsystem_count);
    const sb_subsystem_class *s = &p->ship->model->subsystems[e->index];
    if (e->child < 0) return e->index;
    CHECK(e->child < s->child_count);
    return SB_CHILD_PART + s->first_child + (unsigned)e->child;
}

static void note_repair(page *p, const sb_combat_event *e)
{
    unsigned part = part_of(p, e);
    CHECK(p->part[part] > 0); /* a destroyed part stays destroyed */
    CHECK(!p->dead);
    p->repaired +=
        (double)e->amount * (double)sb_combat_part_class(p->ship->model, part)->repair_complexity;
    enter(&p->part[part], e, false);
}

static void note_recharge(page *p, const sb_combat_event *e)
{
    CHECK(!p->dead);
    if (p->facing[e->index] > 0 || !p->decloaked)
        p->recharged += (double)e->amount / (double)p->ship->model->shield_rate[e->index];
    enter(&p->facing[e->index], e, false);
}

static void check_cause(const page *p, const sb_combat_event *e)
{
    CHECK_EQ(p->hit.type, SB_COMBAT_HIT);
    CHECK_EQ(e->cause, p->hit.cause);
    CHECK_EQ(e->attacker, p->hit.attacker);
    CHECK_EQ(e->attacker_ship, p->hit.attacker_ship);
}

static void note_absorbed(page *p, const sb_combat_event *e)
{
    check_cause(p, e);
    CHECK(p->hit.shields);
    CHECK(e->amount <= p->hit.amount + 0.002f); /* an ulp of 12,000 */
    p->absorbed += (double)e->amount;
    CHECK(p->absorbed <= (double)p->hit.amount + 0.01);
    enter(&p->facing[e->index], e, true);
}

static void note_damaged(page *p, const sb_combat_event *e)
{
    check_cause(p, e);
    enter(&p->part[part_of(p, e)], e, true);
}

static void note_hit(page *p, const sb_combat_event *e)
{
    p->hit = *e;
    p->absorbed = 0;
}

static void write_down(void *context, const sb_combat_event *e)
{
    (void)context;
    if (e->type == SB_COMBAT_IMPLAUSIBLE) return;
    page *p = page_of(e->object_id);
    switch (e->type) {
    case SB_COMBAT_HIT: note_hit(p, e); break;
    case SB_COMBAT_ABSORBED: note_absorbed(p, e); break;
    case SB_COMBAT_SHIELD_LOST: enter(&p->facing[e->index], e, true); break;
    case SB_COMBAT_RECHARGED: note_recharge(p, e); break;
    case SB_COMBAT_DAMAGED: note_damaged(p, e); break;
    case SB_COMBAT_REPAIRED: note_repair(p, e); break;
    case SB_COMBAT_CLOAK: p->decloaked |= e->index == 0; break;
    case SB_COMBAT_EXPLODING: p->dead = true; break;
    case SB_COMBAT_GONE: p->object_id = 0; break;
    default: break;
    }
}

static void check_part(const page *p, unsigned part)
{
    float now = *sb_combat_part_condition((sb_ship *)(uintptr_t)p->ship, part);
    float most = sb_combat_part_class(p->ship->model, part)->max_condition;
    CHECK(now >= 0 && now <= most);
    if (!same(now, p->part[part]))
        FAIL("part %u has %.9g, the book %.9g", part, (double)now, (double)p->part[part]);
}

static void check_page(page *p)
{
    const sb_ship_class *m = p->ship->model;
    for (unsigned part = 0; part != SB_NO_PART; part = sb_combat_next_part(m, part))
        check_part(p, part);
    for (unsigned i = 0; i < SB_FACINGS; i++) {
        CHECK(p->ship->facing[i] >= 0 && p->ship->facing[i] <= m->shield_max[i]);
        CHECK(same(p->ship->facing[i], p->facing[i]));
    }
    CHECK(p->ship->main_battery >= 0 && p->ship->main_battery <= m->main_battery);
    CHECK(p->ship->backup_battery >= 0 && p->ship->backup_battery <= m->backup_battery);
    /* Gains are limited: the points of the bay, the budget of six facings, and their rounding.
     */
    CHECK(p->repaired <= (double)m->max_repair_points / 30 + 0.05);
    CHECK(p->recharged <= 6 * 0.85 * 0.65625 + 0.01); /* one step of six facings */
    p->repaired = p->recharged = 0;
    p->decloaked = false;
}

static void fight(uint64_t seed, const sb_combat_config *config, unsigned steps)
{
    melee *m = melee_new(seed);
    memset(&book, 0, sizeof book);
    m->on_event = write_down;
    m->appears = open_page;
    melee_start(m, config, true);
    for (unsigned i = 0; i < steps; i++) {
        melee_step(m);
        for (unsigned n = 0; n < PAGES; n++)
            if (book.pages[n].object_id) check_page(&book.pages[n]);
    }
    CHECK(m->hits > 100);
}

TEST(every_lost_or_gained_point_is_reported)
{
    sb_combat_config config;
    sb_combat_defaults(&config);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        fight(seed, &config, 30 * 240);
        CHECK(book.losses > 1000);
        CHECK(book.gains > 1000);
    }
}

TEST(every_point_is_reported_with_every_option_on_too)
{
    sb_combat_config config;
    sb_combat_defaults(&config);
    config.constants.splash = 3000;
    config.constants.splash_radius = 30;
    config.constants.battery_frozen = 1;
    config.fidelity = SB_FIDELITY_ENFORCE;
    for (uint64_t seed = 100; seed < 110; seed++) fight(seed, &config, 30 * 240);
}
