/* src/combat/ids.c -- parts of a ship, and the ids by which messages name them.
 *
 * For:      the other files of combat/.
 * Spec:     08 §2.1: id = ship id + 1 + k. Where the data do not give k, k is learned from
 *           messages that imply the subsystem, and kept until the ship is removed:
 *
 *           TorpedoFire, PulseFire   a tube, a cannon. If the ship has several, the known ids,
 *                                    sorted, are assigned to the tubes in list order. A newly
 *                                    learned id can therefore move larger ids to the next tube.
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

/* Inserts k into the ascending k of the weapons of this type. Each larger k moves to the next
 * weapon, together with the state of its weapon. NULL: all weapons of this type have an id. */
static sb_weapon *assign_k_to_weapon(sb_fighter *f, unsigned k, sb_subsystem_type type)
{
    sb_weapon *open[SB_WEAPONS_MAX];
    unsigned   count = 0, known = 0;
    for (unsigned i = 0; i < f->weapon_count; i++) {
        sb_weapon *w = SB_WEAPON(f, i);
        if (w->type != type || f->ship->model->children[w->child].creation_index >= 0) continue;
        if (f->k_of_part[SB_CHILD_PART + w->child] != SB_NO_PART) known++;
        open[count++] = w;
    }
    if (known == count) return NULL;
    unsigned at = known;
    while (at > 0 && f->k_of_part[SB_CHILD_PART + open[at - 1]->child] > k) {
        store_k(f, SB_CHILD_PART + open[at]->child,
                f->k_of_part[SB_CHILD_PART + open[at - 1]->child]);
        exchange_states(open[at], open[at - 1]);
        at--;
    }
    store_k(f, SB_CHILD_PART + open[at]->child, k);
    return open[at];
}

sb_weapon *sb_combat_learn_weapon(sb_combat *c, sb_fighter *f, uint32_t id, sb_subsystem_type type)
{
    if (is_foreign(f, id)) return NULL;
    unsigned   part = sb_combat_part_of_id(f, id);
    sb_weapon *weapon =
        part == SB_NO_PART ? assign_k_to_weapon(f, k_of_id(f, id), type) : weapon_of_part(f, part);
    if (weapon && weapon->type == type) return weapon;
    count_not_its_weapon(c, f, id);
    return NULL;
}
