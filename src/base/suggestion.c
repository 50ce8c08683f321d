/* src/base/suggestion.c -- finds the word that a misspelt one probably meant.
 *
 * For:      suggestion.h.
 * Tests:    tests/base/suggestion_test.c
 */
#include "base/suggestion.h"

#include <stdbool.h>
#include <string.h>

enum { WORD_MAX = 40, START_LETTERS = 4 };

/* Words with this many changes or more are not similar. */
static const size_t far_away = 4;

static size_t min_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

static char fold(char c)
{
    if (c >= 'A' && c <= 'Z') return (char)(c - 'A' + 'a');
    return c == '-' ? '_' : c;
}

static bool is_same(char a, char b)
{
    return fold(a) == fold(b);
}

/* How many letters to insert, remove or replace, or neighbours to swap. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t before[WORD_MAX + 1], above[WORD_MAX + 1], row[WORD_MAX + 1], b_size = strlen(b);
    if (strlen(a) > WORD_MAX || b_size > WORD_MAX) return WORD_MAX;
    for (size_t k = 0; k <= b_size; k++) row[k] = k;
    memcpy(above, row, sizeof above);
    for (size_t i = 0; a[i]; i++) {
        memcpy(before, above, sizeof before);
        memcpy(above, row, sizeof above);
        row[0] = i + 1;
        for (size_t k = 0; k < b_size; k++) {
            row[k + 1] = min_of(min_of(above[k + 1], row[k]) + 1, above[k] + !is_same(a[i], b[k]));
            bool swapped = i > 0 && k > 0 && is_same(a[i], b[k - 1]) && is_same(a[i - 1], b[k]);
            if (swapped) row[k + 1] = min_of(row[k + 1], before[k - 1] + 1);
        }
    }
    return row[b_size];
}

sb_suggestion sb_suggestion_start(const char *name)
{
    return (sb_suggestion){ name, NULL, far_away };
}

/* A word that starts with the name counts as one letter away. */
void sb_suggestion_try(sb_suggestion *s, const char *word)
{
    size_t d = edit_distance(s->name, word), size = strlen(s->name);
    bool   is_start = size >= START_LETTERS && strncmp(word, s->name, size) == 0;
    if (is_start && d > 1) d = 1;
    if (d >= s->distance || d > strlen(word) / 2) return;
    s->distance = d;
    s->best = word;
}

const char *sb_suggestion_find(const char *name, const char *const *words, size_t count)
{
    sb_suggestion found = sb_suggestion_start(name);
    for (size_t i = 0; i < count; i++)
        if (words[i]) sb_suggestion_try(&found, words[i]);
    return found.best;
}
