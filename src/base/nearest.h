/* src/base/nearest.h -- finds the word that a misspelt one was probably meant to be.
 *
 * For:      errors that end with "did you mean ...?".
 * Tests:    tests/base/nearest_test.c
 */
#ifndef SB_BASE_NEAREST_H
#define SB_BASE_NEAREST_H

#include <stddef.h>

/* The word among `count` words (NULLs are skipped) that is most similar to `word`, ASCII case
 * ignored; NULL: none is near. */
const char *sb_nearest_word(const char *word, const char *const *words, size_t count);

#endif
