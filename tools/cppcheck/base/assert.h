/* tools/cppcheck/base/assert.h -- what cppcheck reads in place of src/base/assert.h: it knows that
 * abort() does not return, but does not believe _Noreturn. */
#ifndef SB_CPPCHECK_ASSERT_H
#define SB_CPPCHECK_ASSERT_H

#define SB_ASSERT(condition) ((condition) ? (void)0 : abort())

#endif
