/* src/base/nearest.c -- see nearest.h.
 *
 * Tests:    tests/base/nearest_test.c
 */
#include "base/nearest.h"

#include <stdbool.h>
#include <string.h>

enum { WORD_BYTES_MAX = 40 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The Levenshtein distance; `limit` if `b` is too long to compare. */
static size_t distance(const char *a, const char *b, size_t limit)
{
    size_t columns = strlen(b), row[WORD_BYTES_MAX];
    if (columns >= WORD_BYTES_MAX) return limit;
    for (size_t j = 0; j <= columns; j++) row[j] = j;
    for (size_t i = 0; a[i] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < columns; j++) {
            bool   same = lower(a[i]) == lower(b[j]);
            size_t best = diagonal + !same;
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j + 1] + 1 < best) best = row[j + 1] + 1;
            diagonal = row[j + 1];
            row[j + 1] = best;
        }
    }
    return row[columns];
}

const char *sb_nearest_word(const char *word, const char *const *words, size_t count)
{
    size_t      size = strlen(word), best = size / 3 + 2;
    const char *nearest = NULL;
    if (size >= WORD_BYTES_MAX) return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t d = words[i] ? distance(word, words[i], best) : best;
        if (d >= best) continue;
        best = d;
        nearest = words[i];
    }
    return nearest;
}
