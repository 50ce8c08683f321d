/* src/base/assert.h -- SB_ASSERT: aborts when our own code is wrong, in every build.
 *
 * For:      conditions that a caller promised, and conditions that tie two fields together.
 * Never:    checks bytes from outside: malformed input gets an sb_result.
 */
#ifndef SB_BASE_ASSERT_H
#define SB_BASE_ASSERT_H

_Noreturn void sb_assert_failed(const char *file, int line, const char *condition);

#define SB_ASSERT(condition)                                                                       \
    ((condition) ? (void)0 : sb_assert_failed(__FILE__, __LINE__, #condition))

#endif
