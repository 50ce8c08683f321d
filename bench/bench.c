/* bench/bench.c -- measures every registered benchmark and prints the numbers.
 *
 *     X_bench [--json] [--repeat N] [NAME...]   measures benchmarks whose name contains NAME (all
 *                                               without NAME) and those they are compared with
 *     X_bench --list                            prints the names
 *     X_bench --count NAME N                    runs one benchmark N times without measuring, under
 *                                               an instruction counter such as valgrind
 *
 * A repetition has enough operations to last two milliseconds. Repetitions go round robin over
 * all benchmarks, so that noise of the machine hits all of them. The result is the minimum, because
 * noise only adds time.
 */
#include "bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPETITIONS = 25 };
static const double REPETITION_NS = 2e6;

static bench_case *first;

void bench_register(bench_case *bench)
{
    bench_case **at = &first;
    while (*at) at = &(*at)->next;
    *at = bench;
}

void bench_random_bytes(uint32_t seed, uint8_t *out, size_t size)
{
    uint64_t state = seed;
    for (size_t i = 0; i < size; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        out[i] = (uint8_t)(state >> 56);
    }
}

static bench_case *find(const char *name)
{
    bench_case *b = first;
    while (b && (!name || strcmp(b->name, name) != 0)) b = b->next;
    return b;
}

static double measure(const bench_case *b, size_t count)
{
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    b->run(count);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec);
}

/* Doubles the number of operations until one repetition lasts two milliseconds. */
static void calibrate(bench_case *b)
{
    b->count = 1;
    double ns = measure(b, b->count);
    while (ns < REPETITION_NS && b->count < (size_t)1 << 30) {
        b->count *= 2;
        ns = measure(b, b->count);
    }
    b->best_ns = ns / (double)b->count;
}

static void calibrate_with_comparisons(bench_case *b)
{
    if (!b || b->count > 0) return;
    calibrate(b);
    calibrate_with_comparisons(find(b->floor));
    calibrate_with_comparisons(find(b->reference));
}

static void measure_all(size_t repetitions)
{
    for (size_t i = 0; i < repetitions; i++) {
        for (bench_case *b = first; b; b = b->next) {
            if (b->count == 0) continue;
            double ns = measure(b, b->count) / (double)b->count;
            if (ns < b->best_ns) b->best_ns = ns;
        }
    }
}

static void print_text(size_t repetitions)
{
    printf("ns per operation, minimum of %zu repetitions\n", repetitions);
    printf("%-32s %12s  %s\n", "operation", "ns", "compared with");
    for (const bench_case *b = first; b; b = b->next) {
        if (b->count == 0) continue;
        printf("%-32s %12.2f", b->name, b->best_ns);
        const bench_case *floor = find(b->floor), *reference = find(b->reference);
        if (reference)
            printf("  %.2f times as fast as %s", reference->best_ns / b->best_ns, reference->name);
        if (floor) printf("  %.2f times the floor %s", b->best_ns / floor->best_ns, floor->name);
        printf("\n");
    }
}

static void print_json(size_t repetitions)
{
    const char *separator = "";
    printf("{\"statistic\":\"minimum\",\"repetitions\":%zu,\"benchmarks\":[", repetitions);
    for (const bench_case *b = first; b; b = b->next) {
        if (b->count == 0) continue;
        printf("%s\n{\"name\":\"%s\",\"ns\":%.3f", separator, b->name, b->best_ns);
        separator = ",";
        const bench_case *floor = find(b->floor), *reference = find(b->reference);
        if (floor)
            printf(",\"floor\":\"%s\",\"floor_ns\":%.3f,\"ratio\":%.3f", floor->name,
                   floor->best_ns, b->best_ns / floor->best_ns);
        if (reference)
            printf(",\"reference\":\"%s\",\"reference_ns\":%.3f,\"speedup\":%.3f", reference->name,
                   reference->best_ns, reference->best_ns / b->best_ns);
        printf("}");
    }
    printf("\n]}\n");
}

/* Reports comparisons with unknown benchmarks, which would silently vanish from the output. */
static bool comparisons_exist(void)
{
    bool all = true;
    for (const bench_case *b = first; b; b = b->next) {
        if ((b->floor && !find(b->floor)) || (b->reference && !find(b->reference))) {
            fprintf(stderr, "%s is compared with a benchmark that does not exist\n", b->name);
            all = false;
        }
    }
    return all;
}

static int run_counted(const char *name, const char *count)
{
    const bench_case *b = find(name);
    if (!b) {
        fprintf(stderr, "no benchmark %s\n", name);
        return 2;
    }
    b->run((size_t)strtoull(count, NULL, 10));
    return 0;
}

static int print_names(void)
{
    for (const bench_case *b = first; b; b = b->next) printf("%s\n", b->name);
    return 0;
}

static int print_usage(const char *program)
{
    fprintf(stderr, "usage: %s [--json] [--repeat N] [NAME...] | --list | --count NAME N\n",
            program);
    return 2;
}

int main(int argc, char **argv)
{
    bool   json = false, named = false;
    size_t repetitions = REPETITIONS;
    if (!comparisons_exist()) return 2;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--list") == 0) return print_names();
        if (strcmp(argv[i], "--count") == 0 && i + 2 < argc)
            return run_counted(argv[i + 1], argv[i + 2]);
        if (strcmp(argv[i], "--json") == 0) {
            json = true;
        } else if (strcmp(argv[i], "--repeat") == 0 && i + 1 < argc) {
            repetitions = (size_t)strtoull(argv[++i], NULL, 10);
        } else if (argv[i][0] == '-') {
            return print_usage(argv[0]);
        } else {
            named = true;
            for (bench_case *b = first; b; b = b->next)
                if (strstr(b->name, argv[i])) calibrate_with_comparisons(b);
        }
    }
    for (bench_case *b = first; b && !named; b = b->next) calibrate_with_comparisons(b);
    measure_all(repetitions);
    if (json) print_json(repetitions);
    else print_text(repetitions);
    return 0;
}
