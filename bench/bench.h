/* bench/bench.h -- the frame of every benchmark: an operation, what to hold it against, a number.
 *
 * A benchmark program is bench.c, one file of benchmarks and the library. A benchmark runs its
 * operation `count` times and names what it is compared with, by the names of other benchmarks of
 * the same program, measured in the same run:
 *
 *     BENCH(copy_64)                         { BENCH_LOOP { memcpy(a, b, 64); bench_use(a); } }
 *     BENCH(parse_64, .floor = "copy_64")    { BENCH_LOOP { bench_use_value(parse(a)); } }
 *
 * floor:     the bare minimum, such as a copy of the same bytes, or the obvious way's longest chain
 *            of operations; printed as ns / floor ns, less is better.
 * reference: the obvious implementation; printed as reference ns / ns, more is better.
 *
 * bench.c says how the programs are called; tools/bench runs them and prints a table.
 */
#ifndef STARBASE_BENCH_H
#define STARBASE_BENCH_H

#include <stddef.h>
#include <stdint.h>

typedef struct bench_case {
    const char *name;
    void (*run)(size_t count);
    const char        *floor;     /* name of another benchmark, or NULL */
    const char        *reference; /* likewise */
    struct bench_case *next;      /* from here on: the frame's own */
    size_t             count;     /* operations in one repetition */
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

/* The operation follows as the body of a loop. */
#define BENCH_LOOP for (size_t bench_at = 0; bench_at < bench_count; bench_at++)

/* Makes the compiler believe that someone reads, and changes, the memory behind `pointer`. */
static inline void bench_use(const void *pointer)
{
    __asm__ volatile("" : : "r"(pointer) : "memory");
}

/* Makes the compiler believe that someone reads `value`; the result is a value it knows nothing
 * about. Also keeps a chain of operations a chain. */
static inline uint32_t bench_use_value(uint32_t value)
{
    __asm__ volatile("" : "+r"(value));
    return value;
}

/* The same bytes in every run. */
void bench_random_bytes(uint32_t seed, uint8_t *out, size_t size);

#endif
