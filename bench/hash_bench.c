/* bench/hash_bench.c -- the hashes of the checksum rounds: names of files and whole files.
 *
 * Floor of a file: a copy of its bytes. Reference: spec 06 §6.2, word by word.
 */
#include "bench.h"

#include <starbase/hash.h>

#include <string.h>

enum { FILE_BYTES = 64 * 1024, NAME_BYTES = 48 };

static uint8_t file[FILE_BYTES], copied[FILE_BYTES];
static char    name[NAME_BYTES + 1] = "scripts/ships/Hardpoints/sovereign_variant_1.pyc";

__attribute__((constructor)) static void prepare(void)
{
    bench_random_bytes(1, file, sizeof file);
}

static void hash_name(size_t size, size_t bench_count)
{
    BENCH_LOOP
    {
        bench_use(name);
        bench_use_value(sb_hash_string((sb_span){ (const uint8_t *)name, size }));
    }
}

BENCH(hash_string_7)
{
    hash_name(7, bench_count);
}

BENCH(hash_string_13)
{
    hash_name(13, bench_count);
}

BENCH(hash_string_48)
{
    hash_name(NAME_BYTES, bench_count);
}

BENCH(copy_file)
{
    BENCH_LOOP
    {
        memcpy(copied, file, sizeof file);
        bench_use(copied);
    }
}

BENCH(plain_hash_file)
{
    BENCH_LOOP
    {
        uint32_t hash = 0;
        for (size_t at = 0; at < sizeof file; at += 4) {
            uint32_t word;
            memcpy(&word, file + at, sizeof word);
            if (at != 4) hash = (hash ^ word) << 1 | (hash ^ word) >> 31;
        }
        bench_use_value(hash);
    }
}

BENCH(hash_file, .floor = "copy_file", .reference = "plain_hash_file")
{
    BENCH_LOOP
    {
        bench_use(file);
        bench_use_value(sb_hash_file((sb_span){ file, sizeof file }, SB_FILE_HASH_RULE_A));
    }
}
