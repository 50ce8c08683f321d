/* apps/common/clean_text.h -- what strangers wrote, fit for a terminal, a table or JSON.
 *
 * For:      programs that show names and chat lines of other people.
 * Never:    lets through what base/utf8.h does not call visible: a name may not steer the terminal
 *           or turn around what follows it.
 */
#ifndef SB_APPS_COMMON_CLEAN_TEXT_H
#define SB_APPS_COMMON_CLEAN_TEXT_H

#include <starbase/base.h>
#include <stdio.h>

/* Windows-1252 to UTF-8 with a NUL, cut at the end of a character; what is not visible
 * becomes '?'. Returns the size. */
size_t sb_clean_game_text(sb_span text, char *out, size_t capacity);
/* The same from UTF-8, of which what is malformed becomes '?', too. */
size_t sb_clean_utf8(const char *text, char *out, size_t capacity);

/* `text`, clean UTF-8, as a JSON string. */
void sb_clean_print_json(FILE *out, const char *text);
/* `text` in `columns` columns: filled with blanks, or cut with an ellipsis. 0: as it is. */
void sb_clean_print_cell(FILE *out, const char *text, size_t columns);
/* Columns of clean UTF-8, each character counting as one. */
size_t sb_clean_columns(const char *text);

#endif
