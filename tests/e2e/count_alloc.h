/* tests/e2e/count_alloc.h -- memory shared by the preloaded counter of allocations and the test. */
#ifndef TESTS_E2E_COUNT_ALLOC_H
#define TESTS_E2E_COUNT_ALLOC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { COUNT_ALLOC_TOLD = 32 };

/* In a file that both processes map; COUNT_ALLOC names it. */
typedef struct count_alloc {
    atomic_bool armed; /* by the test: calls count from now on */
    atomic_uint total; /* calls since the start, armed or not */
    atomic_uint calls; /* while armed */
    struct {
        char     what[16], file[128]; /* function; program or library that called it */
        uint64_t size, offset;        /* offset in that file */
    } told[COUNT_ALLOC_TOLD];         /* the first of them */
} count_alloc;

#endif
