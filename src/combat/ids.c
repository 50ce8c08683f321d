/* src/combat/ids.c -- parts of a ship, and the ids by which messages name them.
 *
 * For:      the other files of combat/.
 * Spec:     08 §2.1: id = ship id + 1 + k. Where the data do not give k, k is learned from
 *           messages that imply the subsystem, and kept until the ship is removed:
 *
 *           TorpedoFire, PulseFire   a tube, a cannon. If the ship has several, the known ids,
 *                                    sorted, are assigned to the tubes in list order. A newly
 *                                    learned id can therefore move larger ids to the next tube.
 *                                    So can a shot from a tube that does not work: its id means
 *                                    another.
 *                                    Charge and reload state move with the id; damage stays with
 *                                    the tube.
 *           SetPhaserLevel           the phaser system
 *           TorpedoTypeChange        the torpedo system
 *           RepairListPriority       the repair system
 *           StartFiring, StopFiring, StopFiringAtTarget
 *                                    a weapon system. If the ids of all others are known, the id is
 *                                    learned. If not, and the id of the phasers is not known, the
 *                                    message is taken to mean the phasers, and nothing is learned.
 *
 * Only the owner of a ship can teach a wrong k, and only about that ship.
 */
#include "combat/combat_internal.h"

#include "base/assert.h"
#include "ship/codes.h"

#include <string.h>

/* ---- parts ---- */

const sb_subsystem_class *sb_combat_part_class(const sb_ship_class *model, unsigned part)
{
    SB_ASSERT(part < SB_PARTS);
    return part < SB_CHILD_PART ? &model->subsystems[part] : &model->children[part - SB_CHILD_PART];
}

float *sb_combat_part_condition(sb_ship *ship, unsigned part)
{
    SB_ASSERT(part < SB_PARTS);
    return part < SB_CHILD_PART ? &ship->condition[part]
                                : &ship->child_condition[part - SB_CHILD_PART];
}

/* The entry that `child` belongs to. */
static unsigned parent_of(const sb_ship_class *model, unsigned child)
{
    unsigned i = 0;
    while (child < model->subsystems[i].first_child ||
           child >= (unsigned)model->subsystems[i].first_child + model->subsystems[i].child_count) {
        i++;
        SB_ASSERT(i < model->subsystem_count);
    }
    return i;
}

void sb_combat_locate_part(const sb_ship_class *model, unsigned part, uint8_t *index, int8_t *child)
{
    *index = (uint8_t)part;
    *child = -1;
    if (part < SB_CHILD_PART) return;
    unsigned parent = parent_of(model, part - SB_CHILD_PART);
    *index = (uint8_t)parent;
    *child = (int8_t)(part - SB_CHILD_PART - model->subsystems[parent].first_child);
}

unsigned sb_combat_next_part(const sb_ship_class *model, unsigned part)
{
    unsigned parent = part;
    unsigned next = 0; /* index of the next child of `parent` */
    if (part >= SB_CHILD_PART) {
        parent = parent_of(model, part - SB_CHILD_PART);
        next = part - SB_CHILD_PART - model->subsystems[parent].first_child + 1;
    }
    if (next < model->subsystems[parent].child_count)
        return SB_CHILD_PART + model->subsystems[parent].first_child + next;
    return parent + 1 < model->subsystem_count ? parent + 1 : (unsigned)SB_NO_PART;
}

/* ---- ids ---- */

static void store_k(sb_fighter *f, unsigned part, unsigned k)
{
    SB_ASSERT(part < SB_PARTS);
    SB_ASSERT(k < SB_PARTS);
    f->k_of_part[part] = (uint8_t)k;
}

void sb_combat_init_ids(sb_fighter *f)
{
    memset(f->k_of_part, SB_NO_PART, sizeof f->k_of_part);
    const sb_ship_class *model = f->ship->model;
    if (!model || model->subsystem_count == 0) return;
    for (unsigned part = 0; part != SB_NO_PART; part = sb_combat_next_part(model, part)) {
        int k = sb_combat_part_class(model, part)->creation_index;
        if (k >= 0 && k < SB_PARTS) store_k(f, part, (unsigned)k);
    }
}

/* A learned id of a child can still move to another child of its entry until the ids of all of them
 * are known. */
static bool is_certain(const sb_fighter *f, unsigned part)
{
    const sb_ship_class *model = f->ship->model;
    if (part < SB_CHILD_PART || sb_combat_part_class(model, part)->creation_index >= 0) return true;
    const sb_subsystem_class *parent = &model->subsystems[parent_of(model, part - SB_CHILD_PART)];
    for (unsigned i = 0; i < parent->child_count; i++)
        if (f->k_of_part[SB_CHILD_PART + parent->first_child + i] == SB_NO_PART) return false;
    return true;
}

uint32_t sb_combat_part_id(const sb_fighter *f, unsigned part)
{
    if (part >= SB_PARTS || f->k_of_part[part] == SB_NO_PART || !is_certain(f, part)) return 0;
    return f->object_id + 1u + f->k_of_part[part];
}

/* SB_NO_PART: `id` does not belong to this ship. */
static unsigned k_of_id(const sb_fighter *f, uint32_t id)
{
    uint32_t offset = id - f->object_id; /* 0: the ship itself */
    bool     own = offset > 0 && offset < sb_ship_id_count(f->ship->model);
    return own ? offset - 1u : (unsigned)SB_NO_PART;
}

unsigned sb_combat_part_of_id(const sb_fighter *f, uint32_t id)
{
    unsigned k = k_of_id(f, id);
    if (k == SB_NO_PART) return SB_NO_PART;
    const uint8_t *found = memchr(f->k_of_part, (int)k, sizeof f->k_of_part);
    return found ? (unsigned)(found - f->k_of_part) : (unsigned)SB_NO_PART;
}

/* An id of another ship is not implausible: the message may be about the owner's previous ship
 * (spec 08 §17). */
static bool is_foreign(const sb_fighter *f, uint32_t id)
{
    return k_of_id(f, id) == SB_NO_PART;
}

static unsigned count_not_its_weapon(sb_combat *c, sb_fighter *f, uint32_t id)
{
    uint32_t known = sb_ship_id_count(f->ship->model);
    sb_combat_count_implausible(c, f, SB_IMPLAUSIBLE_NOT_ITS_WEAPON, (float)(id - f->object_id),
                                (float)known);
    return SB_NO_PART;
}

unsigned sb_combat_learn_entry(sb_combat *c, sb_fighter *f, uint32_t id, sb_subsystem_type type)
{
    if (is_foreign(f, id)) return SB_NO_PART;
    const sb_ship_class *model = f->ship->model;
    unsigned             part = sb_combat_part_of_id(f, id);
    if (part != SB_NO_PART)
        return part < SB_CHILD_PART && model->subsystems[part].type == type
                   ? part
                   : count_not_its_weapon(c, f, id);
    for (unsigned i = 0; i < model->subsystem_count; i++) {
        if (model->subsystems[i].type != type || f->k_of_part[i] != SB_NO_PART) continue;
        store_k(f, i, k_of_id(f, id));
        return i;
    }
    return count_not_its_weapon(c, f, id);
}

/* The phaser system whose id is not known; SB_NO_PART: none. */
static unsigned find_phasers_without_id(const sb_fighter *f)
{
    const sb_ship_class *model = f->ship->model;
    for (unsigned i = 0; i < model->subsystem_count; i++)
        if (model->subsystems[i].type == SB_SUBSYSTEM_PHASER_SYSTEM &&
            f->k_of_part[i] == SB_NO_PART)
            return i;
    return SB_NO_PART;
}

unsigned sb_combat_learn_weapon_system(sb_combat *c, sb_fighter *f, uint32_t id)
{
    if (is_foreign(f, id)) return SB_NO_PART;
    const sb_ship_class *model = f->ship->model;
    unsigned             part = sb_combat_part_of_id(f, id), open = 0, last = 0;
    if (part != SB_NO_PART)
        return part < SB_CHILD_PART && sb_is_weapon_system(model->subsystems[part].type)
                   ? part
                   : count_not_its_weapon(c, f, id);
    for (unsigned i = 0; i < model->subsystem_count; i++) {
        if (!sb_is_weapon_system(model->subsystems[i].type) || f->k_of_part[i] != SB_NO_PART)
            continue;
        open++;
        last = i;
    }
    if (open == 0) return count_not_its_weapon(c, f, id);
    if (open > 1) return find_phasers_without_id(f);
    store_k(f, last, k_of_id(f, id));
    return last;
}

/* ---- tubes and cannons ---- */

/* Exchanges the states of two weapons of a type; each keeps figures, system and child. */
static void exchange_states(sb_weapon *a, sb_weapon *b)
{
    SB_ASSERT(a->type == b->type);
    sb_weapon was = *a;
    *a = *b;
    *b = was;
    b->figures = a->figures;
    b->system = a->system;
    b->child = a->child;
    a->figures = was.figures;
    a->system = was.system;
    a->child = was.child;
    sb_combat_fit_tube(a);
    sb_combat_fit_tube(b);
}

static sb_weapon *weapon_of_part(sb_fighter *f, unsigned part)
{
    for (unsigned i = 0; i < f->weapon_count; i++)
        if (SB_WEAPON(f, i)->child + (unsigned)SB_CHILD_PART == part) return SB_WEAPON(f, i);
    return NULL;
}

/* Places are the weapons of a type whose ids are learned, in list order; ids have the same order.
 */
typedef struct learned_id {
    unsigned k, to;
    int      from;  /* its place now; -1: none yet */
    bool     works; /* its weapon must work */
} learned_id;

typedef struct places {
    sb_weapon *of[SB_WEAPONS_MAX];
    unsigned   count, id_count;
    learned_id ids[SB_WEAPONS_MAX + 1];
} places;

static bool is_working(const sb_fighter *f, const sb_weapon *w)
{
    return !sb_ship_is_disabled(f->ship, w->system) &&
           !sb_ship_is_child_disabled(f->ship, w->child);
}

static uint8_t *k_of_weapon(sb_fighter *f, const sb_weapon *w)
{
    return &f->k_of_part[SB_CHILD_PART + w->child];
}

/* Lists the places of a type, and their ids with `k`, which fires. */
static void list_places(sb_fighter *f, unsigned k, sb_subsystem_type type, places *p)
{
    learned_id firing = { .k = k, .from = -1, .works = true };
    unsigned   before = 0;
    p->count = p->id_count = 0;
    for (unsigned i = 0; i < f->weapon_count; i++) {
        sb_weapon *w = SB_WEAPON(f, i);
        if (w->type != type || f->ship->model->children[w->child].creation_index >= 0) continue;
        unsigned other = *k_of_weapon(f, w);
        if (other == k) firing.from = (int)p->count;
        else if (other != SB_NO_PART)
            p->ids[p->id_count++] = (learned_id){ other, 0, (int)p->count, is_working(f, w) };
        p->of[p->count++] = w;
    }
    while (before < p->id_count && p->ids[before].k < k) before++;
    memmove(&p->ids[before + 1], &p->ids[before], (p->id_count - before) * sizeof *p->ids);
    p->ids[before] = firing;
    p->id_count++;
}

/* Chooses the first possible place for each id. False: there are not enough weapons that work. */
static bool choose_places(const sb_fighter *f, places *p)
{
    unsigned at = 0;
    for (unsigned i = 0; i < p->id_count; i++) {
        while (at < p->count && p->ids[i].works && !is_working(f, p->of[at])) at++;
        if (at == p->count) return false;
        p->ids[i].to = at++;
    }
    return true;
}

/* The state of its weapon moves with an id. */
static void move_id(sb_fighter *f, const places *p, const learned_id *id)
{
    sb_weapon *from = p->of[id->from], *to = p->of[id->to];
    SB_ASSERT(*k_of_weapon(f, to) == SB_NO_PART);
    *k_of_weapon(f, from) = SB_NO_PART;
    store_k(f, SB_CHILD_PART + to->child, id->k);
    exchange_states(from, to);
}

/* Ids that move up the list start with the last one, so that each finds its new place free; then
 * ids that move down start with the first one. A new id takes the place that is left. */
static sb_weapon *move_ids(sb_fighter *f, const places *p, unsigned k)
{
    sb_weapon *firing = NULL;
    for (unsigned i = p->id_count; i-- > 0;)
        if (p->ids[i].from >= 0 && p->ids[i].from < (int)p->ids[i].to) move_id(f, p, &p->ids[i]);
    for (unsigned i = 0; i < p->id_count; i++) {
        if (p->ids[i].from > (int)p->ids[i].to) move_id(f, p, &p->ids[i]);
        if (p->ids[i].k == k) firing = p->of[p->ids[i].to];
    }
    SB_ASSERT(firing != NULL); /* k is one of the ids */
    store_k(f, SB_CHILD_PART + firing->child, k);
    return firing;
}

/* The weapon of a learned id that fires. A weapon that fires works: if the one that the id is taken
 * for does not, the id means another. No id loses a weapon that works by that, so that no more ids
 * fire than weapons work; only a new id takes its place among the others in any case. NULL: all
 * weapons of this type have another id. */
static sb_weapon *find_firing(sb_fighter *f, unsigned k, sb_subsystem_type type)
{
    places p;
    list_places(f, k, type, &p);
    if (p.id_count > p.count) return NULL;
    if (choose_places(f, &p)) return move_ids(f, &p, k);
    for (unsigned i = 0; i < p.id_count; i++) {
        if (p.ids[i].k == k && p.ids[i].from >= 0) return p.of[p.ids[i].from];
        p.ids[i].works = false;
    }
    return choose_places(f, &p) ? move_ids(f, &p, k) : NULL;
}

sb_weapon *sb_combat_learn_weapon(sb_combat *c, sb_fighter *f, uint32_t id, sb_subsystem_type type)
{
    if (is_foreign(f, id)) return NULL;
    unsigned   part = sb_combat_part_of_id(f, id);
    sb_weapon *weapon = weapon_of_part(f, part); /* NULL of SB_NO_PART */
    bool       learned = weapon && f->ship->model->children[weapon->child].creation_index < 0;
    if (weapon && weapon->type == type && (!learned || is_working(f, weapon))) return weapon;
    if (part == SB_NO_PART || (learned && weapon->type == type)) {
        weapon = find_firing(f, k_of_id(f, id), type);
        if (weapon) return weapon;
    }
    count_not_its_weapon(c, f, id);
    return NULL;
}
