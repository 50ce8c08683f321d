/* src/base/nearest.c -- see nearest.h.
 *
 * Tests:    tests/base/nearest_test.c
 */
#include "base/nearest.h"

#include "base/suggestion.h"

const char *sb_nearest_word(const char *word, const char *const *words, size_t count)
{
    sb_suggestion found = sb_suggestion_start(word);
    for (size_t i = 0; i < count; i++)
        if (words[i]) sb_suggestion_try(&found, words[i]);
    return found.best;
}
