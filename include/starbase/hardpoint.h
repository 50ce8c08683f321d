/* starbase/hardpoint.h -- links the flat list of a ship's hardpoint script into the lists of the
 * wire: systems, and the children of each system.
 *
 * For:      tools that bring the ships of mods. A script adds systems, weapons and engines one by
 *           one and names no parents; the game links them by their classes.
 * Never:    allocates; looks at a figure of a part.
 * Spec:     03 §10 (which part becomes a child of which), 08 §2.1 (creation index).
 */
#ifndef STARBASE_HARDPOINT_H
#define STARBASE_HARDPOINT_H

#include <starbase/ship.h>
#include <starbase/ship_state.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SB_HARDPOINTS_MAX = SB_SUBSYSTEMS_MAX + SB_SHIP_CHILDREN_MAX };

/* The tag of an engine (EP_IMPULSE, EP_WARP): the system that it belongs to. */
typedef enum sb_engine_tag {
    SB_ENGINE_IMPULSE, /* also of an engine whose script sets no tag */
    SB_ENGINE_WARP,
    SB_ENGINE_TAG_COUNT
} sb_engine_tag;

/* One part as a script adds it. Linking ignores and replaces format, child_count, first_child and
 * creation_index of `part`. */
typedef struct sb_hardpoint {
    sb_subsystem_class part;       /* of any type, a system or a child */
    uint8_t            engine_tag; /* sb_engine_tag; only of engines */
} sb_hardpoint;

/* Lists as in sb_ship_class. */
typedef struct sb_linked_parts {
    sb_subsystem_class subsystems[SB_SUBSYSTEMS_MAX];
    sb_subsystem_class children[SB_SHIP_CHILDREN_MAX];
    uint8_t            subsystem_count, child_count;
} sb_linked_parts;

/* Why a list cannot be linked. */
typedef enum sb_link_problem {
    SB_LINKED,
    SB_LINK_BAD_TYPE,
    SB_LINK_NO_SYSTEM,          /* a child whose system is not in the list */
    SB_LINK_TWO_SYSTEMS,        /* a child with two systems that could take it */
    SB_LINK_SECOND_OF_ITS_TYPE, /* a second shield generator or reactor (spec 04 §5.4) */
    SB_LINK_TOO_MANY_SYSTEMS,   /* more than SB_SUBSYSTEMS_MAX */
    SB_LINK_TOO_MANY_CHILDREN,  /* more than SB_CHILDREN_MAX of a system */
    SB_LINK_TOO_MANY_WEAPONS,   /* more than SB_WEAPONS_MAX */
    SB_LINK_PROBLEM_COUNT
} sb_link_problem;

/* Links `count` parts in the order of adding, which is also the order of the top-level list, of the
 * children of each system, and of creation. The system of a child may come before or after it.
 * Unless the result is SB_LINKED, *at is the index of the part that does not fit and *out is
 * undefined. */
SB_API sb_link_problem sb_hardpoints_link(const sb_hardpoint *list, size_t count,
                                          sb_linked_parts *out, size_t *at);

/* The type of the system that takes this part as a child (sb_subsystem_type), or -1 if the part is
 * a system itself. */
SB_API int sb_hardpoint_system_type(const sb_hardpoint *hardpoint);
/* The type of the children of a system, or 0 (hull): none. */
SB_API uint8_t sb_subsystem_child_type(uint8_t system_type);
/* The format of the entry of a system on the wire (spec 03 §4.1). Children are SB_FORMAT_BASE. */
SB_API uint8_t sb_subsystem_entry_format(uint8_t type);

#ifdef __cplusplus
}
#endif
#endif
