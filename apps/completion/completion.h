/* apps/completion/completion.h -- functions that the files of `starbase completion` share.
 *
 * For:      completion.c   the command
 *           bash.c, zsh.c, fish.c   a script for each shell
 */
#ifndef SB_APPS_COMPLETION_H
#define SB_APPS_COMPLETION_H

#include "common/usages.h"

void completion_print_bash(FILE *out, const sb_usages *usages);
void completion_print_zsh(FILE *out, const sb_usages *usages);
void completion_print_fish(FILE *out, const sb_usages *usages);

enum { COMPLETION_TEXT = 72 };

/* A help text as one short line without characters that a shell or a completion could interpret. */
void completion_shorten(const char *help, char out[COMPLETION_TEXT]);
/* Prints the words that may follow the command: its parts and its own words, each with a blank in
 * front. */
void completion_print_words(FILE *out, const sb_usage *usage);
/* Prints the words of an option, separated by blanks. */
void completion_print_choices(FILE *out, const sb_option *option);

#endif
