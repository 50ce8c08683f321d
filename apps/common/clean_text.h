/* apps/common/clean_text.h -- makes received text safe to print on a terminal, in a table, as JSON.
 *
 * For:      subcommands that print names and chat received from the network.
 * Never:    passes a character that base/utf8.h does not call visible: a name must not control the
 *           terminal or reverse the direction of the text after it.
 */
#ifndef SB_APPS_COMMON_CLEAN_TEXT_H
#define SB_APPS_COMMON_CLEAN_TEXT_H

#include <starbase/base.h>
#include <stdio.h>

/* Converts Windows-1252 to UTF-8 with a NUL. Invisible characters become '?'. Text that does not
 * fit is cut between two characters. Returns the size without the NUL. */
size_t sb_clean_game_text(sb_span text, char *out, size_t capacity);
/* The same for UTF-8; malformed bytes become '?', too. */
size_t sb_clean_utf8(const char *text, char *out, size_t capacity);

/* The functions below expect text that one of the two functions above returned. */

/* Prints `text` as a JSON string. */
void sb_clean_print_json(FILE *out, const char *text);
/* Prints `text` in `columns` columns, padded with blanks or cut with an ellipsis. 0: prints `text`
 * as it is. */
void sb_clean_print_cell(FILE *out, const char *text, size_t columns);
/* Columns of `text`, if each character takes one. */
size_t sb_clean_columns(const char *text);

#endif
