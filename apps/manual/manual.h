/* apps/manual/manual.h -- functions that the files of `starbase manual` share.
 *
 * For:      manual.c   the command: which page goes where
 *           page.c     the page of a command, of section 1, from its sb_usage
 *           keys.c     the page of server.lua, of section 5, from the table of keys
 *           roff.c     text in the markup of man pages
 */
#ifndef SB_APPS_MANUAL_H
#define SB_APPS_MANUAL_H

#include "common/usages.h"

#include <stdio.h>

/* ---- roff.c ---- */

/* Prints a name inside a line. */
void manual_print_inline(FILE *out, const char *text);
/* Prints a text; words between backticks are bold if `bold_code`. '\n' starts another line. */
void manual_print_text(FILE *out, const char *text, bool bold_code);
/* Prints the heading of a page: .TH with NAME, the section and the version. */
void manual_print_head(FILE *out, const char *name, int section);
/* "starbase-ships-import" of "ships import". */
void manual_page_name(const char *command, char out[SB_USAGE_NAME + 16]);

/* ---- page.c ---- */

void manual_print_program(FILE *out, const sb_usages *usages);
void manual_print_command(FILE *out, const sb_usages *usages, const sb_usage_entry *entry);

/* ---- keys.c ---- */

/* False: no memory. */
bool manual_print_keys(FILE *out);

#endif
