/* tests/test.c -- runs every registered test and counts.
 *
 * Arguments: parts of test names to run (default: all); -v prints each name; --list prints them.
 * Environment: TEST_TIMEOUT_S, the seconds one test may take (120; 0: no limit). A test that takes
 * longer fails by its name, and the run ends there.
 */
#include "test.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT_S = 120 };

static test_case       *first;
static const test_case *running;
static jmp_buf          ended;
static unsigned long    timeout_s = TIMEOUT_S;
static size_t           passed, failed;

void test_register(test_case *test)
{
    /* Sorted by file, so that the order does not depend on the linker. */
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
    printf("%s:%d: FAILED %s\n    ", file, line, running->name);
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

/* ---- the watchdog ---- */

/* Complete before the clock starts, because the signal handler may only write it. */
static char   timeout_text[1024];
static size_t timeout_text_size;

/* The test hangs, so nothing that it holds can be released: the process ends. */
static void report_timeout(int number)
{
    (void)number;
    (void)!write(STDOUT_FILENO, timeout_text, timeout_text_size);
    _exit(1);
}

static void open_watchdog(void)
{
    struct sigaction action = { .sa_handler = report_timeout };
    const char      *given = getenv("TEST_TIMEOUT_S");
    sigset_t         alarms;
    if (given && given[0] >= '0' && given[0] <= '9') timeout_s = strtoul(given, NULL, 10);
    sigemptyset(&action.sa_mask);
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    (void)sigaction(SIGALRM, &action, NULL);
    (void)sigprocmask(SIG_UNBLOCK, &alarms, NULL);
}

void test_allow_seconds(unsigned seconds)
{
    unsigned limit_s = (unsigned)timeout_s + seconds;
    (void)alarm(0);
    if (timeout_s == 0) return;
    int size = snprintf(timeout_text, sizeof timeout_text,
                        "%s: FAILED %s\n    did not end within %u s\n%zu passed, %zu failed\n",
                        running->file, running->name, limit_s, passed, failed + 1);
    if (size < 0 || (size_t)size >= sizeof timeout_text) abort();
    timeout_text_size = (size_t)size;
    (void)alarm(limit_s);
}

/* ---- the run ---- */

static bool is_wanted(const test_case *test, int argc, char **argv)
{
    bool any = false;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-') continue;
        any = true;
        if (strstr(test->name, argv[i]) || strstr(test->file, argv[i])) return true;
    }
    return !any;
}

/* A function of its own, so that no local variable has to survive the jump. */
static bool run_one(const test_case *test)
{
    running = test;
    test_allow_seconds(0);
    if (setjmp(ended) != 0) return false;
    test->run();
    return true;
}

int main(int argc, char **argv)
{
    bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    bool list = argc > 1 && strcmp(argv[1], "--list") == 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    open_watchdog();
    for (const test_case *t = first; t; t = t->next) {
        if (!is_wanted(t, argc, argv)) continue;
        if (list) {
            printf("%s %s\n", t->file, t->name);
        } else if (run_one(t)) {
            passed++;
            if (verbose) printf("ok %s\n", t->name);
        } else {
            failed++;
        }
    }
    (void)alarm(0);
    if (!list) printf("%zu passed, %zu failed\n", passed, failed);
    return failed > 0 || (!list && passed == 0);
}
