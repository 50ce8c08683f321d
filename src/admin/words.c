/* src/admin/words.c -- splits a command line into words, durations and the rest of the line.
 *
 * Tests:    tests/admin/words_test.c
 */
#include "admin/words.h"

#include <stdio.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

char *sb_words_skip_blanks(char *text)
{
    while (is_blank(*text)) text++;
    return text;
}

void sb_words_trim_end(char *text)
{
    size_t size = strlen(text);
    while (size > 0 &&
           (is_blank(text[size - 1]) || text[size - 1] == '\n' || text[size - 1] == '\r'))
        text[--size] = '\0';
}

/* `text` is behind the opening quote. Removes the backslashes in place. */
static char *end_quoted(char *text)
{
    char *out = text;
    while (*text && *text != '"') {
        if (*text == '\\' && (text[1] == '"' || text[1] == '\\')) text++;
        *out++ = *text++;
    }
    if (*text) text++;
    *out = '\0';
    return text;
}

char *sb_words_next(char **text, bool *quoted)
{
    char *word = sb_words_skip_blanks(*text), *end = word;
    bool  is_quoted = *word == '"';
    if (quoted) *quoted = is_quoted;
    if (*word == '\0') {
        *text = word;
        return NULL;
    }
    if (is_quoted) {
        *text = sb_words_skip_blanks(end_quoted(++word));
        return word;
    }
    while (*end && !is_blank(*end)) end++;
    if (*end) *end++ = '\0';
    *text = sb_words_skip_blanks(end);
    return word;
}

/* ---- durations ---- */

static const struct {
    char        letter;
    int64_t     seconds;
    const char *one, *many;
} units[] = {
    { 'w', 604800, "week", "weeks" }, { 'd', 86400, "day", "days" },
    { 'h', 3600, "hour", "hours" },   { 'm', 60, "minute", "minutes" },
    { 's', 1, "second", "seconds" },
};
enum { UNITS = sizeof units / sizeof *units };

bool sb_words_parse_duration(const char *word, sb_time *out)
{
    const int64_t max_seconds = (int64_t)100 * 366 * 86400;
    int64_t       number = 0;
    const char   *at = word;
    if (sb_words_is_same(word, "forever")) {
        *out = 0;
        return true;
    }
    for (; *at >= '0' && *at <= '9'; at++) {
        number = number * 10 + (*at - '0');
        if (number > max_seconds) return false;
    }
    if (at == word || number == 0 || at[0] == '\0' || at[1] != '\0') return false;
    for (size_t i = 0; i < UNITS; i++) {
        if (units[i].letter != *at) continue;
        if (number > max_seconds / units[i].seconds) return false;
        *out = number * units[i].seconds * SB_SECOND;
        return true;
    }
    return false;
}

/* "s", "min", "hours": a unit, or the start of its name and no other word. */
static bool is_like_unit(const char *word, size_t size)
{
    static const char *const names[] = { "seconds", "secs", "minutes", "mins",   "hours",
                                         "hrs",     "days", "weeks",   "months", "years" };
    for (size_t i = 0; size > 0 && i < sizeof names / sizeof *names; i++)
        if (size <= strlen(names[i]) && sb_words_is_same_start(word, names[i], size)) return true;
    return false;
}

size_t sb_words_like_duration(const char *text)
{
    sb_time ignored;
    char    word[24];
    size_t  digits = strspn(text, "0123456789"), size = strcspn(text, " \t");
    if (digits > 0 && text[digits] == '.') digits += 1 + strspn(text + digits + 1, "0123456789");
    if (digits == 0 || size >= sizeof word) return 0;
    snprintf(word, sizeof word, "%.*s", (int)size, text);
    if (sb_words_parse_duration(word, &ignored)) return 0;
    if (size > digits) {
        bool unit = is_like_unit(text + digits, size - digits) || size == digits + 1;
        return unit ? size : 0;
    }
    size_t blanks = strspn(text + size, " \t"), next = strcspn(text + size + blanks, " \t");
    if (next == 0) return size;
    return is_like_unit(text + size + blanks, next) ? size + blanks + next : 0;
}

void sb_words_print_duration(sb_time duration, char *out, size_t capacity)
{
    int64_t seconds = (duration + SB_SECOND - 1) / SB_SECOND;
    size_t  unit = UNITS - 1;
    if (duration <= 0) {
        snprintf(out, capacity, "without end");
        return;
    }
    for (size_t i = 0; i < UNITS; i++)
        if (seconds >= units[i].seconds && seconds % units[i].seconds == 0) {
            unit = i;
            break;
        }
    int64_t count = seconds / units[unit].seconds;
    snprintf(out, capacity, "%lld %s", (long long)count,
             count == 1 ? units[unit].one : units[unit].many);
}

void sb_words_print_time_left(sb_time duration, char *out, size_t capacity)
{
    int64_t seconds = (duration + SB_SECOND - 1) / SB_SECOND;
    for (size_t i = 1; i < UNITS; i++) { /* not in weeks: a month is no five weeks */
        if (seconds < 2 * units[i].seconds) continue;
        seconds += units[i].seconds - 1;
        seconds -= seconds % units[i].seconds;
        break;
    }
    sb_words_print_duration(seconds * SB_SECOND, out, capacity);
}

/* ---- numbers and comparisons ---- */

bool sb_words_parse_number(const char *word, uint32_t low, uint32_t high, uint32_t *out)
{
    uint64_t number = 0;
    if (!word[0]) return false;
    for (const char *at = word; *at; at++) {
        if (*at < '0' || *at > '9') return false;
        number = number * 10 + (uint64_t)(*at - '0');
        if (number > UINT32_MAX) return false;
    }
    if (number < low || number > high) return false;
    *out = (uint32_t)number;
    return true;
}

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool sb_words_is_same_start(const char *a, const char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (fold(a[i]) != fold(b[i])) return false;
        if (a[i] == '\0') return true;
    }
    return true;
}

bool sb_words_is_same(const char *a, const char *b)
{
    return strlen(a) == strlen(b) && sb_words_is_same_start(a, b, strlen(a));
}

bool sb_words_starts_with(const char *text, const char *start)
{
    size_t size = strlen(start);
    return strlen(text) >= size && sb_words_is_same_start(text, start, size);
}
