/* src/ship/hardpoints.c -- finds the parent of each part of a flat list.
 *
 * For:      starbase/hardpoint.h.
 * Never:    guesses: a list with two possible parents for a part is refused, since the lists of all
 *           players must be equal (spec 03 §10).
 * Spec:     03 §4.1 (formats) and §10 (children), 08 §2.1 (creation index).
 */
#include <starbase/hardpoint.h>

#include <string.h>

/* Properties that follow from the type of a system: the format of its entry on the wire (spec 03
 * §4.1) and the type of its children (spec 03 §10). Child type 0 (hull) means: no children. */
static const struct {
    uint8_t format, child_type;
} systems[] = {
    [SB_SUBSYSTEM_HULL] = { SB_FORMAT_BASE, 0 },
    [SB_SUBSYSTEM_SHIELD] = { SB_FORMAT_SHIELD, 0 },
    [SB_SUBSYSTEM_SENSOR] = { SB_FORMAT_POWERED, 0 },
    [SB_SUBSYSTEM_POWER] = { SB_FORMAT_REACTOR, 0 },
    [SB_SUBSYSTEM_IMPULSE] = { SB_FORMAT_POWERED, SB_SUBSYSTEM_ENGINE },
    [SB_SUBSYSTEM_WARP] = { SB_FORMAT_POWERED, SB_SUBSYSTEM_ENGINE },
    [SB_SUBSYSTEM_REPAIR] = { SB_FORMAT_POWERED, 0 },
    [SB_SUBSYSTEM_CLOAK] = { SB_FORMAT_POWERED, 0 },
    [SB_SUBSYSTEM_PHASER_SYSTEM] = { SB_FORMAT_POWERED, SB_SUBSYSTEM_PHASER_BANK },
    [SB_SUBSYSTEM_PULSE_SYSTEM] = { SB_FORMAT_POWERED, SB_SUBSYSTEM_PULSE_WEAPON },
    [SB_SUBSYSTEM_TORPEDO_SYSTEM] = { SB_FORMAT_POWERED, SB_SUBSYSTEM_TORPEDO_TUBE },
    [SB_SUBSYSTEM_TRACTOR_SYSTEM] = { SB_FORMAT_POWERED, SB_SUBSYSTEM_TRACTOR_PROJECTOR },
};
enum { SYSTEM_TYPES = sizeof systems / sizeof systems[0] };
_Static_assert(SYSTEM_TYPES == (int)SB_SUBSYSTEM_PHASER_BANK, "a row for every type of system");
_Static_assert(SB_HARDPOINTS_MAX <= INT16_MAX, "a creation index is an int16_t");
/* Impulse and warp engines, and four systems of weapons. */
_Static_assert(6 * (int)SB_CHILDREN_MAX <= (int)SB_SHIP_CHILDREN_MAX,
               "all full systems fit a ship");

uint8_t sb_subsystem_child_type(uint8_t system_type)
{
    return system_type < SYSTEM_TYPES ? systems[system_type].child_type : 0;
}

uint8_t sb_subsystem_entry_format(uint8_t type)
{
    return type < SYSTEM_TYPES ? systems[type].format : SB_FORMAT_BASE;
}

int sb_hardpoint_system_type(const sb_hardpoint *hardpoint)
{
    uint8_t type = hardpoint->part.type;
    if (type < SYSTEM_TYPES) return -1;
    if (type == SB_SUBSYSTEM_ENGINE)
        return hardpoint->engine_tag == SB_ENGINE_WARP ? SB_SUBSYSTEM_WARP : SB_SUBSYSTEM_IMPULSE;
    for (int system = 0; system < SYSTEM_TYPES; system++)
        if (systems[system].child_type == type) return system;
    return -1;
}

static size_t count_type(const sb_hardpoint *list, size_t count, int type)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) found += list[i].part.type == type;
    return found;
}

/* A system has one set of facings and one pair of batteries in the state of its ship: two entries
 * of that type would overwrite each other with every block. */
static sb_link_problem check_system(const sb_hardpoint *list, size_t at)
{
    uint8_t type = list[at].part.type;
    bool    single = type == SB_SUBSYSTEM_SHIELD || type == SB_SUBSYSTEM_POWER;
    return single && count_type(list, at, type) > 0 ? SB_LINK_SECOND_OF_ITS_TYPE : SB_LINKED;
}

static sb_link_problem check_child(const sb_hardpoint *list, size_t count, int system_type)
{
    size_t found = count_type(list, count, system_type);
    return found == 0 ? SB_LINK_NO_SYSTEM : found > 1 ? SB_LINK_TWO_SYSTEMS : SB_LINKED;
}

static sb_link_problem check_part(const sb_hardpoint *list, size_t count, size_t at)
{
    if (list[at].part.type >= SB_SUBSYSTEM_TYPE_COUNT) return SB_LINK_BAD_TYPE;
    int system_type = sb_hardpoint_system_type(&list[at]);
    return system_type < 0 ? check_system(list, at) : check_child(list, count, system_type);
}

/* Checks before anything is written how many systems, weapons, and children of one system there are
 * up to this part. */
static sb_link_problem check_counts(const sb_hardpoint *list, size_t at)
{
    size_t all[SYSTEM_TYPES] = { 0 }, top = 0, weapons = 0;
    int    own = sb_hardpoint_system_type(&list[at]);
    for (size_t i = 0; i <= at; i++) {
        int system_type = sb_hardpoint_system_type(&list[i]);
        weapons += system_type >= 0 && list[i].part.type != SB_SUBSYSTEM_ENGINE;
        if (system_type < 0) top++;
        else all[system_type]++;
    }
    if (own < 0) return top > SB_SUBSYSTEMS_MAX ? SB_LINK_TOO_MANY_SYSTEMS : SB_LINKED;
    if (all[own] > SB_CHILDREN_MAX) return SB_LINK_TOO_MANY_CHILDREN;
    return weapons > SB_WEAPONS_MAX ? SB_LINK_TOO_MANY_WEAPONS : SB_LINKED;
}

static sb_subsystem_class place(const sb_hardpoint *list, size_t at)
{
    sb_subsystem_class part = list[at].part;
    part.format = sb_subsystem_entry_format(part.type);
    part.creation_index = (int16_t)at;
    part.first_child = part.child_count = 0;
    return part;
}

static void append_children(const sb_hardpoint *list, size_t count, sb_subsystem_class *system,
                            sb_linked_parts *out)
{
    for (size_t i = 0; i < count; i++) {
        if (sb_hardpoint_system_type(&list[i]) != system->type) continue;
        if (system->child_count == 0) system->first_child = out->child_count;
        system->child_count++;
        out->children[out->child_count++] = place(list, i);
    }
}

sb_link_problem sb_hardpoints_link(const sb_hardpoint *list, size_t count, sb_linked_parts *out,
                                   size_t *at)
{
    for (*at = 0; *at < count; ++*at) {
        sb_link_problem problem = check_part(list, count, *at);
        if (problem == SB_LINKED) problem = check_counts(list, *at);
        if (problem != SB_LINKED) return problem;
    }
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < count; i++) {
        if (sb_hardpoint_system_type(&list[i]) >= 0) continue;
        sb_subsystem_class *system = &out->subsystems[out->subsystem_count++];
        *system = place(list, i);
        append_children(list, count, system, out);
    }
    return SB_LINKED;
}
