/* src/load/script_blocks.h -- finds the statements of a hardpoint script that are read.
 *
 * For:      hardpoint_script.c.
 * Never:    follows a loop or evaluates a condition: both become notes.
 */
#ifndef SB_LOAD_SCRIPT_BLOCKS_H
#define SB_LOAD_SCRIPT_BLOCKS_H

#include "load/script_tokens.h"
#include "load/script_values.h"

typedef struct sb_script_blocks {
    sb_script_reader reader;
    sb_script_values values; /* values.on_call gets the calls of all statements that are read */
    sb_script_line   line;
    int              skipped_indent; /* deeper lines are not read; -1: none */
    int              load_indent;    /* deeper lines are LoadPropertySet; -1: none */
    const sb_result *stop;           /* reading ends once this is not SB_OK */
    void            *context;
    void (*on_note)(void *context, sb_span subject, uint32_t line, const char *reason);
    void (*on_load)(void *context); /* LoadPropertySet begins */
} sb_script_blocks;

/* The callbacks and `stop` must be set before sb_script_blocks_run. */
void sb_script_blocks_init(sb_script_blocks *b, void *context);
/* Reads a whole script; b->reader.error says why it ended early. */
void sb_script_blocks_run(sb_script_blocks *b, const char *text, size_t size);
/* Whether the current statement belongs to LoadPropertySet. */
bool sb_script_blocks_is_loading(const sb_script_blocks *b);

#endif
