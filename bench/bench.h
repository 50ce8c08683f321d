/* bench/bench.h -- the framework of all benchmarks.
 *
 * A benchmark program is bench.c, one file of benchmarks and the library. A benchmark runs its
 * operation `count` times. It may name two other benchmarks of the same program to compare with,
 * which are measured in the same run:
 *
 *     BENCH(copy_64)                         { BENCH_LOOP { memcpy(a, b, 64); bench_use(a); } }
 *     BENCH(parse_64, .floor = "copy_64")    { BENCH_LOOP { bench_use_value(parse(a)); } }
 *
 * floor:     the least possible work, such as a copy of the same bytes; printed as ns / floor ns,
 *            less is better.
 * reference: the obvious implementation; printed as reference ns / ns, more is better.
 *
 * bench.c explains the command line; tools/bench runs all programs and prints a table.
 */
#ifndef STARBASE_BENCH_H
#define STARBASE_BENCH_H

#include <stddef.h>
#include <stdint.h>

typedef struct bench_case {
    const char *name;
    void (*run)(size_t count);
    const char        *floor;     /* name of another benchmark, or NULL */
    const char        *reference; /* name of another benchmark, or NULL */
    struct bench_case *next;      /* set by bench.c, as are the members below */
    size_t             count;     /* operations in one repetition; 0: not measured */
    double             best_ns;   /* per operation */
} bench_case;

void bench_register(bench_case *bench);

#define BENCH(name_, ...)                                                                          \
    static void                              name_(size_t bench_count);                            \
    __attribute__((constructor)) static void name_##_register(void)                                \
    {                                                                                              \
        static bench_case b;                                                                       \
        b = (bench_case){ .name = #name_, .run = name_, __VA_ARGS__ };                             \
        bench_register(&b);                                                                        \
    }                                                                                              \
    static void name_(size_t bench_count)

/* The head of a loop whose body is the operation. */
#define BENCH_LOOP for (size_t bench_at = 0; bench_at < bench_count; bench_at++)

/* Makes the compiler assume that the memory at `pointer` is read and changed here. */
static inline void bench_use(const void *pointer)
{
    __asm__ volatile("" : : "r"(pointer) : "memory");
}

/* Makes the compiler assume that `value` is read here, and returns it as an unknown value: a chain
 * of dependent operations cannot be shortened. */
static inline uint32_t bench_use_value(uint32_t value)
{
    __asm__ volatile("" : "+r"(value));
    return value;
}

/* Fills `out` with pseudo-random bytes, the same in every run. */
void bench_random_bytes(uint32_t seed, uint8_t *out, size_t size);

#endif
