/* src/load/hardpoint_entries.h -- writes the parts of a script as entries of `hardpoints`.
 *
 * For:      hardpoint_table.c.
 */
#ifndef SB_LOAD_HARDPOINT_ENTRIES_H
#define SB_LOAD_HARDPOINT_ENTRIES_H

#include "load/hardpoint_table.h"

#include <stdio.h>

typedef struct sb_table_writer {
    FILE                     *out;
    sb_hardpoint_script      *script;
    const sb_table_options   *options;
    const sb_script_property *list[SB_SCRIPT_PROPERTIES_MAX]; /* in the order of adding */
    size_t                    count;
    char                      estimates[512];     /* keys of the current entry that are guesses */
    char                      class_sources[256]; /* of the ship */
} sb_table_writer;

/* The type of the part that a property becomes (sb_subsystem_type), or -1: none. */
int sb_table_part_type(const sb_script_property *p);
/* Whether a property of the ship becomes a part of this type. */
bool sb_table_has_type(const sb_table_writer *w, int type);
/* Writes all parts, in the order of adding. */
void sb_table_write_entries(sb_table_writer *w);

/* Writes `key = number`. Without the figure it is `fallback`, and `key` joins w->estimates; a
 * figure outside of [low, high] is cut, with a note. */
void sb_table_write_figure(sb_table_writer *w, const sb_script_property *p, const char *key,
                           sb_script_figure figure, double low, double high, double fallback);
/* The shortest decimal that gives the same float. */
void sb_table_write_number(FILE *out, double number);
/* A Lua text in quotes. */
void sb_table_write_text(FILE *out, const char *text);

#endif
