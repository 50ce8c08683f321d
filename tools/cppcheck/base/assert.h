/* tools/cppcheck/base/assert.h -- replaces src/base/assert.h for cppcheck, which knows that abort()
 * does not return, but ignores _Noreturn. */
#ifndef SB_CPPCHECK_ASSERT_H
#define SB_CPPCHECK_ASSERT_H

#define SB_ASSERT(condition) ((condition) ? (void)0 : abort())

#endif
