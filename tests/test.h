/* tests/test.h -- the frame of all unit tests. docs/decisions/test-frame.md says why it is our own.
 *
 * The name of a test is a sentence about behaviour. A test ends at its first failed check:
 *
 *     TEST(reader_stays_failed_after_the_first_missing_byte)
 *     {
 *         CHECK_EQ(sb_reader_read_u8(&r), 0);
 *     }
 */
#ifndef STARBASE_TEST_H
#define STARBASE_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct test_case {
    const char *file, *name;
    void (*run)(void);
    struct test_case *next;
} test_case;

void test_register(test_case *test);
/* Fails and ends the running test. printf-like. */
_Noreturn void test_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Restarts the clock of the running test, which from now on may take TEST_TIMEOUT_S (120) and these
 * seconds. A test that takes longer fails and ends the run. */
void test_allow_seconds(unsigned seconds);
void test_check_int(const char *file, int line, const char *text, long long actual,
                    long long expected);
void test_check_text(const char *file, int line, const char *text, const char *actual,
                     const char *expected);
void test_check_bytes(const char *file, int line, const char *text, const void *actual,
                      size_t actual_size, const void *expected, size_t expected_size);
/* Hex digits (blanks ignored) to bytes; fails the test on anything else. Returns the count. */
size_t test_hex(const char *hex, uint8_t *out, size_t capacity);

enum { TEST_NAME_MAX = 60 }; /* characters */

#define TEST(sentence)                                                                             \
    _Static_assert(sizeof #sentence - 1 <= TEST_NAME_MAX, "the name of the test is too long");     \
    static void                              sentence(void);                                       \
    __attribute__((constructor)) static void sentence##_register(void)                             \
    {                                                                                              \
        static test_case t;                                                                        \
        t = (test_case){ __FILE__, #sentence, sentence, NULL };                                    \
        test_register(&t);                                                                         \
    }                                                                                              \
    static void sentence(void)

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) test_fail(__FILE__, __LINE__, "%s is false", #condition);                \
    } while (0)
#define CHECK_EQ(actual, expected)                                                                 \
    test_check_int(__FILE__, __LINE__, #actual, (long long)(actual), (long long)(expected))
#define CHECK_TEXT(actual, expected) test_check_text(__FILE__, __LINE__, #actual, actual, expected)
#define CHECK_BYTES(actual, actual_size, expected, expected_size)                                  \
    test_check_bytes(__FILE__, __LINE__, #actual, actual, actual_size, expected, expected_size)
#define FAIL(...) test_fail(__FILE__, __LINE__, __VA_ARGS__)

#endif
