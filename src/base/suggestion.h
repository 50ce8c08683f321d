/* src/base/suggestion.h -- finds the word that a misspelt one probably meant.
 *
 * For:      errors about unknown keys, commands, options and fields ("did you mean ...?").
 *
 *     sb_suggestion found = sb_suggestion_start("prot");
 *     for (...) sb_suggestion_try(&found, words[i]);
 *     if (found.best) printf("did you mean `%s`?", found.best);
 */
#ifndef SB_BASE_SUGGESTION_H
#define SB_BASE_SUGGESTION_H

#include <stddef.h>

typedef struct sb_suggestion {
    const char *name;     /* the misspelt word; borrowed */
    const char *best;     /* the nearest word so far, lent by the caller; NULL: none is near */
    size_t      distance; /* of `best` */
} sb_suggestion;

sb_suggestion sb_suggestion_start(const char *name);
/* Keeps the nearest word. Upper case and `-` instead of `_` count as the same letter, and a swap of
 * two letters as one change. */
void sb_suggestion_try(sb_suggestion *s, const char *word);

/* The nearest of `count` words; NULLs among them are skipped. NULL: none is near. */
const char *sb_suggestion_find(const char *name, const char *const *words, size_t count);

#endif
