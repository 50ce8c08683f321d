/* src/base/assert.h -- stops on our own mistakes, in every build.
 *
 * For:      what the caller promised and what ties two fields together. Never for bytes that came
 *           from outside: those get an sb_result.
 */
#ifndef SB_BASE_ASSERT_H
#define SB_BASE_ASSERT_H

_Noreturn void sb_assert_failed(const char *file, int line, const char *condition);

/* Of cppcheck's own accord only assert() ends a path (tools/check says that it is reading). */
#ifdef __cppcheck__
#define SB_ASSERT(condition) assert(condition)
#else
#define SB_ASSERT(condition)                                                                       \
    ((condition) ? (void)0 : sb_assert_failed(__FILE__, __LINE__, #condition))
#endif

#endif
