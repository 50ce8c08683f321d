/* src/base/compiler.h -- hints to the compiler that change speed and nothing else. */
#ifndef SB_BASE_COMPILER_H
#define SB_BASE_COMPILER_H

#define SB_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define SB_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define SB_ALWAYS_INLINE       inline __attribute__((always_inline))
#define SB_COLD                __attribute__((cold, noinline))

#endif
