/* src/load/hardpoint_table.h -- writes the table of a ship from its hardpoint script.
 *
 * For:      `starbase ships import`. The table has the flat list `hardpoints` (data/README.md).
 * Never:    invents in silence: a figure that the script does not give is an estimate, by its
 *           source, by a comment in the table and by a note.
 * Spec:     11.
 */
#ifndef SB_LOAD_HARDPOINT_TABLE_H
#define SB_LOAD_HARDPOINT_TABLE_H

#include "load/hardpoint_script.h"

enum { SB_TABLE_PROJECTILES_MAX = 32 };

/* The number of a projectile of a mod: the name of its script without the packages. */
typedef struct sb_table_projectile {
    const char *script;
    size_t      script_size;
    uint8_t     type;
} sb_table_projectile;

/* Figures and names that a hardpoint script does not give. */
typedef struct sb_table_options {
    const char         *key, *name, *faction; /* NULL: made from the script and its file name */
    uint8_t             species;              /* 0: not given; a table with 0 is refused */
    float               radius;               /* of the model; 0: estimated from the parts */
    sb_table_projectile projectiles[SB_TABLE_PROJECTILES_MAX];
    size_t              projectile_count;
} sb_table_options;

/* Appends notes to the script about estimates and figures that a table cannot hold. The caller
 * frees *text. SB_BAD_VALUE: the script adds no part of a ship. SB_OS_ERROR: out of memory. In both
 * cases data->error says why and *text is NULL. */
SB_MUST_USE sb_result sb_hardpoint_table_write(sb_hardpoint_script    *script,
                                               const sb_table_options *options, char **text,
                                               size_t *size);

#endif
