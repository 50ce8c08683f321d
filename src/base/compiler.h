/* src/base/compiler.h -- compiler hints that affect speed only, never results. */
#ifndef SB_BASE_COMPILER_H
#define SB_BASE_COMPILER_H

#define SB_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define SB_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define SB_ALWAYS_INLINE       inline __attribute__((always_inline))
#define SB_NOINLINE            __attribute__((noinline))
#define SB_COLD                __attribute__((cold, noinline))

#endif
