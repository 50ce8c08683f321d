/* src/admin/words.h -- splits a command line into words, durations and the rest of the line.
 *
 * For:      admin.c, and whoever reads what people write: chat commands, lists of bans, --since.
 * Never:    allocates; the line is changed in place: each word ends with a NUL.
 * Tests:    tests/admin/words_test.c
 */
#ifndef SB_ADMIN_WORDS_H
#define SB_ADMIN_WORDS_H

#include <starbase/base.h>

/* Skips blanks and tabs. */
char *sb_words_skip_blanks(char *text);
/* Removes blanks and line ends at the end. */
void sb_words_trim_end(char *text);
/* The next word, or the text between quotes ("a \"b\" c"); moves *text behind it. NULL: the line
 * has ended. *quoted may be NULL. A quote that is never closed ends with the line. */
char *sb_words_next(char **text, bool *quoted);
enum { SB_FOREVER = 0 }; /* a duration without end */

/* Parses "90s", "10m", "2h", "7d", "4w" and "forever" (SB_FOREVER). False: no duration, or longer
 * than 100 years. A bare number is no duration: it may be the start of a text. */
bool sb_words_parse_duration(const char *word, sb_time *out);
/* The size of what looks like a duration at the start of a text but is none ("10min", "2 hours",
 * "30" alone), so that nobody is banned without end by a slip; 0: nothing does. */
size_t sb_words_like_duration(const char *text);
/* "10 minutes", "1 day", "without end" for 0; whole units where they fit. */
void sb_words_print_duration(sb_time duration, char *out, size_t capacity);
/* For a time that passes: "30 days" also some seconds later. Rounded up to whole days, hours or
 * minutes if there are at least two of them. */
void sb_words_print_time_left(sb_time duration, char *out, size_t capacity);
/* A whole decimal number from low to high and nothing else. */
bool sb_words_parse_number(const char *word, uint32_t low, uint32_t high, uint32_t *out);
/* Compares as ASCII without regard to case; other bytes must be equal. */
bool sb_words_is_same(const char *a, const char *b);
bool sb_words_starts_with(const char *text, const char *start);
/* Compares the first `size` bytes only. */
bool sb_words_is_same_start(const char *a, const char *b, size_t size);

#endif
