/* src/base/assert.h -- stops on our own mistakes, in every build.
 *
 * For:      what the caller promised and what ties two fields together. Never for bytes that came
 *           from outside: those get an sb_result.
 */
#ifndef SB_BASE_ASSERT_H
#define SB_BASE_ASSERT_H

_Noreturn void sb_assert_failed(const char *file, int line, const char *condition);

#define SB_ASSERT(condition)                                                                       \
    ((condition) ? (void)0 : sb_assert_failed(__FILE__, __LINE__, #condition))

#endif
