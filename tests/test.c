/* tests/test.c -- runs every registered test and counts.
 *
 * Arguments: parts of test names to run (default: all); -v prints each name; --list prints them.
 */
#include "test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static test_case  *first;
static jmp_buf     ended;
static const char *running;

void test_register(test_case *test)
{
    /* Kept in order of file and name, so that a run reads the same on every linker. */
    test_case **at = &first;
    while (*at) {
        int order = strcmp((*at)->file, test->file);
        if (order > 0) break;
        at = &(*at)->next;
    }
    test->next = *at;
    *at = test;
}

void test_fail(const char *file, int line, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    printf("%s:%d: FAILED %s\n    ", file, line, running);
    vprintf(format, list);
    printf("\n");
    va_end(list);
    longjmp(ended, 1);
}

void test_check_int(const char *file, int line, const char *text, long long actual,
                    long long expected)
{
    if (actual == expected) return;
    test_fail(file, line, "%s is %lld (0x%llX), expected %lld (0x%llX)", text, actual,
              (unsigned long long)actual, expected, (unsigned long long)expected);
}

void test_check_text(const char *file, int line, const char *text, const char *actual,
                     const char *expected)
{
    if (actual && expected && strcmp(actual, expected) == 0) return;
    if (actual == expected) return;
    test_fail(file, line, "%s is\n      %s\n    expected\n      %s", text,
              actual ? actual : "(null)", expected ? expected : "(null)");
}

static const char *hex_of(const void *data, size_t size, char *out, size_t capacity)
{
    const uint8_t *bytes = data;
    size_t         at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < size && at + 4 < capacity; i++)
        at += (size_t)snprintf(out + at, capacity - at, "%02X ", bytes[i]);
    return out;
}

void test_check_bytes(const char *file, int line, const char *text, const void *actual,
                      size_t actual_size, const void *expected, size_t expected_size)
{
    if (actual_size == expected_size &&
        (actual_size == 0 || memcmp(actual, expected, actual_size) == 0))
        return;
    static char a[4096], b[4096];
    test_fail(file, line, "%s has %zu bytes\n      %s\n    expected %zu bytes\n      %s", text,
              actual_size, hex_of(actual, actual_size, a, sizeof a), expected_size,
              hex_of(expected, expected_size, b, sizeof b));
}

size_t test_hex(const char *hex, uint8_t *out, size_t capacity)
{
    size_t count = 0;
    int    high = -1;
    for (; *hex; hex++) {
        static const char digits[] = "0123456789ABCDEF0123456789abcdef";
        if (*hex == ' ' || *hex == '\n') continue;
        const char *digit = strchr(digits, *hex);
        if (!digit) test_fail(__FILE__, __LINE__, "not hex: %s", hex);
        int value = (int)((digit - digits) % 16);
        if (high < 0) {
            high = value;
            continue;
        }
        if (count == capacity) test_fail(__FILE__, __LINE__, "more than %zu bytes", capacity);
        out[count++] = (uint8_t)(high * 16 + value);
        high = -1;
    }
    if (high >= 0) test_fail(__FILE__, __LINE__, "odd number of hex digits");
    return count;
}

static bool wanted(const test_case *test, int argc, char **argv)
{
    bool any = false;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-') continue;
        any = true;
        if (strstr(test->name, argv[i]) || strstr(test->file, argv[i])) return true;
    }
    return !any;
}

/* On its own, so that no local of the caller has to survive the jump. */
static bool run_one(const test_case *test)
{
    running = test->name;
    if (setjmp(ended) != 0) return false;
    test->run();
    return true;
}

int main(int argc, char **argv)
{
    bool   verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    bool   list = argc > 1 && strcmp(argv[1], "--list") == 0;
    size_t passed = 0, failed = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (const test_case *t = first; t; t = t->next) {
        if (!wanted(t, argc, argv)) continue;
        if (list) {
            printf("%s %s\n", t->file, t->name);
        } else if (run_one(t)) {
            passed++;
            if (verbose) printf("ok %s\n", t->name);
        } else {
            failed++;
        }
    }
    if (!list) printf("%zu passed, %zu failed\n", passed, failed);
    return failed > 0 || (!list && passed == 0);
}
