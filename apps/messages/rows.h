/* apps/messages/rows.h -- the rows of `starbase messages`: one per message, unused opcode, and
 * range of opcodes of mods.
 *
 * For:      messages.c.
 */
#ifndef SB_APPS_MESSAGES_ROWS_H
#define SB_APPS_MESSAGES_ROWS_H

#include <starbase/definition.h>

/* Iterates over the rows. 0x2B, the boundary of the script messages, has a row of its own. */
typedef struct sb_messages_rows {
    const sb_message_type *type;
    unsigned               first, last; /* opcodes of the current row */
    unsigned               next;
    const sb_definitions  *definitions; /* of mods' messages, or NULL */
} sb_messages_rows;

/* A defined message of a mod has a row of its own. */
void sb_messages_rows_init(sb_messages_rows *rows, const sb_definitions *definitions);
/* False: no more rows. */
bool sb_messages_rows_next(sb_messages_rows *rows);
/* True if `word` is the name, the published name or an opcode of the current row. */
bool sb_messages_rows_match(const sb_messages_rows *rows, const char *word);

void sb_messages_print_head(void);
void sb_messages_print_row(const sb_messages_rows *rows);
void sb_messages_print_remark(const sb_messages_rows *rows);
/* "0x04: dead ...", for the end of the list; nothing if there is no remark. */
void sb_messages_print_listed_remark(const sb_messages_rows *rows);
void sb_messages_print_markdown_row(const sb_messages_rows *rows);
void sb_messages_print_json_row(const sb_messages_rows *rows);

#endif
