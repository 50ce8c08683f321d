/* src/server/sentence.h -- builds a line of text without the C library's formatting.
 *
 * For:      lines of the server to players, reasons in events.
 * Never:    grows: what does not fit is cut off.
 */
#ifndef SB_SERVER_SENTENCE_H
#define SB_SERVER_SENTENCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct sb_sentence {
    char   text[160]; /* ends with NUL */
    size_t size;
} sb_sentence;

static inline void sb_sentence_add(sb_sentence *s, const char *text)
{
    for (; *text && s->size + 1 < sizeof s->text; text++) s->text[s->size++] = *text;
    s->text[s->size] = 0;
}

static inline void sb_sentence_add_number(sb_sentence *s, uint64_t number)
{
    char   digits[24] = ""; /* 20 digits at most, and NUL */
    size_t at = sizeof digits - 1;
    do digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    sb_sentence_add(s, digits + at);
}

#endif
