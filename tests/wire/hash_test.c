/* tests/wire/hash_test.c -- the vectors of spec 06 §6 and the published manifest. */
#include <starbase/hash.h>

#include "base/random.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sb_span span(const void *data, size_t size)
{
    return (sb_span){ data, size };
}

static sb_span text(const char *s)
{
    return span(s, strlen(s));
}

static FILE *open_facts(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/docs/facts/%s", SB_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    if (!file) FAIL("cannot open %s", path);
    return file;
}

/* Cuts a line at its commas, in place; empty fields count. Returns how many there are. */
static size_t cut_fields(char *line, char **fields, size_t capacity)
{
    line[strcspn(line, "\r\n")] = '\0';
    size_t count = 0;
    for (char *at = line; at && count < capacity;) {
        fields[count++] = at;
        at = strchr(at, ',');
        if (at) *at++ = '\0';
    }
    return count;
}

static uint32_t number(const char *s)
{
    return (uint32_t)strtoul(s, NULL, 0);
}

TEST(string_hash_gives_the_values_of_the_spec)
{
    static const struct {
        const char *input;
        uint32_t    hash;
    } rows[] = {
        { "", 0 },
        { "60", 0x7E0CE243 },
        { "App.pyc", 0x373EB677 },
        { "scripts", 0x4DAFCB2F },
        { "scripts/", 0x5FF2585F },
        { "scripts/ships", 0xC017D1C4 },
        { "scripts/mainmenu", 0x3409475D },
        { "Scripts/Multiplayer", 0x8794D13F },
        { "Hardpoints", 0xCAAFFDD4 },
        { "CardSpecificSetup.pyc", 0x5846668B },
        { "MissionShared.pyc", 0x67A4C085 },
        { "Akira.pyc", 0x3EB23EBA },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_EQ(sb_hash_string(text(rows[i].input)), rows[i].hash);
    CHECK_EQ(sb_hash_string(span(NULL, 0)), 0);
}

TEST(directory_hash_leaves_out_one_trailing_slash)
{
    CHECK_EQ(sb_hash_directory(text("scripts/")), 0x4DAFCB2F);
    CHECK_EQ(sb_hash_directory(text("scripts")), 0x4DAFCB2F);
    CHECK_EQ(sb_hash_directory(text("scripts//")), 0x5FF2585F);
    CHECK_EQ(sb_hash_directory(text("/")), 0);
    CHECK_EQ(sb_hash_directory(span(NULL, 0)), 0);
}

/* The hash of one byte is that byte's entry in each table. */
TEST(string_hash_tables_are_permutations_and_equal_the_facts)
{
    static const uint8_t first[4][4] = {
        { 0x1D, 0x50, 0x7E, 0x03 },
        { 0x9F, 0x8F, 0xDF, 0xB9 },
        { 0x35, 0x85, 0x49, 0xE2 },
        { 0x5F, 0xD5, 0xB8, 0xF3 },
    };
    bool  seen[4][256] = { 0 };
    FILE *file = open_facts("string_hash_tables.csv");
    char  line[256];
    CHECK(fgets(line, sizeof line, file));
    for (unsigned c = 0; c < 256; c++) {
        char *fields[5] = { 0 };
        CHECK(fgets(line, sizeof line, file));
        CHECK_EQ(cut_fields(line, fields, 5), 5);
        CHECK_EQ(number(fields[0]), c);
        uint8_t  byte = (uint8_t)c;
        uint32_t hash = sb_hash_string(span(&byte, 1));
        for (unsigned t = 0; t < 4; t++) {
            uint8_t entry = (uint8_t)(hash >> (24 - 8 * t));
            CHECK_EQ(entry, number(fields[t + 1]));
            CHECK(!seen[t][entry]);
            seen[t][entry] = true;
            if (c < 4) CHECK_EQ(entry, first[t][c]);
        }
    }
    CHECK(!fgets(line, sizeof line, file));
    fclose(file);
}

/* Compares one row; returns whether both content hashes are there and differ. */
static bool check_manifest_row(char **fields)
{
    const char *directory = fields[1], *subdir = fields[3], *filename = fields[5];
    const char *calc = fields[7], *wire = fields[8];
    CHECK_EQ(sb_hash_directory(text(directory)), number(fields[2]));
    CHECK_EQ(*subdir == '\0', *fields[4] == '\0');
    if (*subdir) {
        const char *slash = strrchr(subdir, '/');
        CHECK_EQ(sb_hash_string(text(slash ? slash + 1 : subdir)), number(fields[4]));
    }
    CHECK_EQ(sb_hash_string(text(filename)), number(fields[6]));
    CHECK(*calc || *wire);
    if (!*calc || !*wire) return false;
    CHECK(sb_file_hash_matches(number(calc), number(wire)));
    return number(calc) != number(wire);
}

TEST(every_name_in_the_vanilla_manifest_has_its_string_hash)
{
    FILE  *file = open_facts("checksum_manifest_vanilla_1_1.csv");
    char   line[512];
    size_t rows = 0, differing = 0;
    CHECK(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        char *fields[9] = { 0 };
        CHECK_EQ(cut_fields(line, fields, 9), 9);
        differing += check_manifest_row(fields);
        rows++;
    }
    fclose(file);
    CHECK_EQ(rows, 136); /* 108 of rounds 0..3 and 28 of round FF */
    CHECK_EQ(differing, 4);
}

TEST(file_hash_gives_the_values_of_the_spec_under_every_rule)
{
    static const uint8_t word[] = { 1, 0, 0, 0 };
    static const uint8_t stamped[] = { 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF };
    static const uint8_t three[] = { 1, 0, 0, 0, 9, 9, 9, 9, 0, 0, 0, 0x80 };
    for (int r = 0; r < SB_FILE_HASH_RULE_COUNT; r++) {
        sb_file_hash_rule rule = (sb_file_hash_rule)r;
        CHECK_EQ(sb_hash_file(span(NULL, 0), rule), 0);
        CHECK_EQ(sb_hash_file(span(word, 4), rule), 2);
        CHECK_EQ(sb_hash_file(span(stamped, 8), rule), 2);
        /* 2 ^ 80000000, rotated: bit 31 comes round to bit 0 */
        CHECK_EQ(sb_hash_file(span(three, 12), rule), 5);
    }
}

TEST(file_hash_takes_tail_bytes_as_signed)
{
    static const uint8_t byte = 0x80;
    CHECK_EQ(sb_hash_file(span(&byte, 1), SB_FILE_HASH_RULE_A), 0xFFFFFF01);
    CHECK_EQ(sb_hash_file(span(&byte, 1), SB_FILE_HASH_RULE_B), 0xFFFFFF01);
    CHECK_EQ(SB_FILE_HASH_RULE_DEFAULT, SB_FILE_HASH_RULE_B);
}

TEST(file_hash_rule_c_counts_a_zero_before_the_first_byte)
{
    static const uint8_t bytes[] = { 0x01, 0x04, 0x08 };
    /* in the middle of a buffer: the byte before the span is not the file's */
    static const uint8_t framed[] = { 0xEE, 0x01, 0x04, 0x08, 0xEE };
    CHECK_EQ(sb_hash_file(span(bytes, 1), SB_FILE_HASH_RULE_C), 0);
    CHECK_EQ(sb_hash_file(span(bytes, 2), SB_FILE_HASH_RULE_C), 2);
    CHECK_EQ(sb_hash_file(span(bytes, 3), SB_FILE_HASH_RULE_C), 12); /* (1 << 1 ^ 4) << 1 */
    CHECK_EQ(sb_hash_file(span(framed + 1, 3), SB_FILE_HASH_RULE_C), 12);
}

TEST(file_hash_rules_read_the_tail_bytes_they_name)
{
    /* word 0 is 40000000 and gives 80000000, rotated by each of three tail bytes to 4 */
    static const uint8_t file[] = { 0, 0, 0, 0x40, 1, 2, 3 };
    CHECK_EQ(sb_hash_file(span(file, 7), SB_FILE_HASH_RULE_A), 4 ^ 1 << 3 ^ 2 << 2 ^ 3 << 1);
    CHECK_EQ(sb_hash_file(span(file, 7), SB_FILE_HASH_RULE_B), 4 ^ 1 << 3 ^ 1 << 2 ^ 1 << 1);
    CHECK_EQ(sb_hash_file(span(file, 7), SB_FILE_HASH_RULE_C), 4 ^ 0x40 << 3 ^ 1 << 2 ^ 2 << 1);
}

/* A file that ends in X 01 with remainder 2 differs between A and B as the four files do. */
TEST(file_hash_rule_b_explains_the_four_files_that_differ)
{
    static const struct {
        uint32_t wire, openbc;
        uint8_t  last_but_one;
    } files[] = {
        { 0xF8A0A768, 0xF8A0A740, 0x15 }, /* App.pyc */
        { 0x17930049, 0x17930067, 0x16 }, /* Autoexec.pyc */
        { 0x8909747C, 0x89097430, 0x27 }, /* CardSpecificSetup.pyc */
        { 0xB858BBC1, 0xB858BB0B, 0x64 }, /* KeyboardConfig.pyc */
    };
    sb_random random;
    sb_random_init(&random, 6);
    for (size_t i = 0; i < 4; i++) {
        CHECK(sb_file_hash_matches(files[i].openbc, files[i].wire));
        uint8_t bytes[42];
        for (size_t k = 0; k < 40; k++) bytes[k] = (uint8_t)sb_random_next(&random);
        bytes[40] = files[i].last_but_one;
        bytes[41] = 0x01;
        uint32_t a = sb_hash_file(span(bytes, 42), SB_FILE_HASH_RULE_A);
        uint32_t b = sb_hash_file(span(bytes, 42), SB_FILE_HASH_RULE_B);
        CHECK_EQ(a ^ b, files[i].wire ^ files[i].openbc);
    }
}

TEST(tolerant_compare_lets_21_bits_decide)
{
    CHECK(sb_file_hash_matches(0x12345678, 0x12345678));
    CHECK(sb_file_hash_matches(0x12345678, 0x12345678 ^ 0x7FF));
    CHECK(sb_file_hash_matches(0x12345678, 0x12345678 ^ 0xFFFFF800));
    CHECK(sb_file_hash_matches(0x12345678, 0x12345678 ^ 0xFFFFFFFF));
    for (unsigned bit = 11; bit < 32; bit++) {
        CHECK(!sb_file_hash_matches(0x12345678, 0x12345678 ^ 1u << bit));
        CHECK(!sb_file_hash_matches(0x12345678, ~(0x12345678 ^ 1u << bit)));
    }
}

TEST(tolerant_compare_accepts_any_rule_for_any_file)
{
    sb_random random;
    sb_random_init(&random, 62);
    for (unsigned round = 0; round < 20000; round++) {
        uint8_t bytes[64];
        size_t  size = sb_random_below(&random, sizeof bytes + 1);
        for (size_t k = 0; k < size; k++) bytes[k] = (uint8_t)sb_random_next(&random);
        uint32_t hashes[SB_FILE_HASH_RULE_COUNT];
        for (int r = 0; r < SB_FILE_HASH_RULE_COUNT; r++) {
            hashes[r] = sb_hash_file(span(bytes, size), (sb_file_hash_rule)r);
            CHECK(sb_file_hash_matches(hashes[0], hashes[r]));
            if (size % 4 == 0) CHECK_EQ(hashes[r], hashes[0]);
        }
    }
}

TEST(file_hash_in_pieces_equals_file_hash_at_once)
{
    sb_random random;
    sb_random_init(&random, 63);
    for (unsigned round = 0; round < 5000; round++) {
        uint8_t bytes[100];
        size_t  size = sb_random_below(&random, sizeof bytes + 1);
        for (size_t k = 0; k < size; k++) bytes[k] = (uint8_t)sb_random_next(&random);
        sb_file_hash_rule rule =
            (sb_file_hash_rule)sb_random_below(&random, SB_FILE_HASH_RULE_COUNT);
        sb_file_hash h;
        sb_file_hash_init(&h, rule);
        for (size_t at = 0; at < size;) {
            CHECK_EQ(sb_file_hash_result(&h), sb_hash_file(span(bytes, at), rule));
            size_t piece = 1 + sb_random_below(&random, (uint32_t)(size - at));
            sb_file_hash_add(&h, span(bytes + at, piece));
            sb_file_hash_add(&h, span(NULL, 0));
            at += piece;
        }
        CHECK_EQ(sb_file_hash_result(&h), sb_hash_file(span(bytes, size), rule));
    }
}

/* Spec 06 §6.2 word by word, for files of whole words. */
static uint32_t fold_words(const uint8_t *bytes, size_t size)
{
    uint32_t hash = 0;
    for (size_t at = 0; at < size; at += 4) {
        uint32_t word = (uint32_t)bytes[at] | (uint32_t)bytes[at + 1] << 8 |
                        (uint32_t)bytes[at + 2] << 16 | (uint32_t)bytes[at + 3] << 24;
        if (at != 4) hash = (hash ^ word) << 1 | (hash ^ word) >> 31;
    }
    return hash;
}

TEST(file_hash_of_any_length_equals_the_fold_word_by_word)
{
    static uint8_t bytes[1200];
    sb_random      random;
    sb_random_init(&random, 64);
    for (size_t k = 0; k < sizeof bytes; k++) bytes[k] = (uint8_t)sb_random_next(&random);
    for (size_t size = 0; size <= sizeof bytes; size += 4) {
        CHECK_EQ(sb_hash_file(span(bytes, size), SB_FILE_HASH_RULE_A), fold_words(bytes, size));
        size_t       cut = sb_random_below(&random, (uint32_t)size + 1);
        sb_file_hash h;
        sb_file_hash_init(&h, SB_FILE_HASH_RULE_C);
        sb_file_hash_add(&h, span(bytes, cut));
        sb_file_hash_add(&h, span(bytes + cut, size - cut));
        CHECK_EQ(sb_file_hash_result(&h), fold_words(bytes, size));
        if (size > 0) sb_file_hash_add(&h, span("\x01", 1)); /* rule C: the byte before it counts */
        if (size > 0) CHECK_EQ(h.before, bytes[size - 1]);
    }
}

/* --- Empty modules ----------------------------------------------------------------------------
 * What Python 1.5 makes of an empty `__init__.py`, written from its public file format: magic
 * number, time stamp (which does not count), then the marshalled code object. */

typedef struct module {
    uint8_t bytes[256];
    size_t  size;
} module;

static void put(module *m, const void *data, size_t size)
{
    CHECK(size <= sizeof m->bytes - m->size);
    memcpy(m->bytes + m->size, data, size);
    m->size += size;
}

static void append_string(module *m, const char *s, size_t size)
{
    uint8_t head[5] = { 's', (uint8_t)size };
    put(m, head, sizeof head);
    put(m, s, size);
}

static void build_empty_module(module *m, const char *source_path)
{
    /* 20121 and "\r\n"; stamp; code: no arguments, no locals, a stack of one, no flags */
    static const uint8_t head[] = { 0x99, 0x4E, 0x0D, 0x0A, 0xDE, 0xAD, 0xBE, 0xEF, 'c',
                                    0,    0,    0,    0,    1,    0,    0,    0 };
    static const char    code[] = "\x7F\0\0d\0\0S"; /* SET_LINENO 0, LOAD_CONST 0, RETURN_VALUE */
    static const uint8_t tuples[] = { '(', 1, 0, 0, 0, 'N', /* constants: None */
                                      '(', 0, 0, 0, 0,      /* names */
                                      '(', 0, 0, 0, 0 };    /* variable names */
    static const uint8_t first_line[] = { 0, 0 };
    m->size = 0;
    put(m, head, sizeof head);
    append_string(m, code, sizeof code - 1);
    put(m, tuples, sizeof tuples);
    append_string(m, source_path, strlen(source_path));
    append_string(m, "?", 1);
    put(m, first_line, sizeof first_line);
    append_string(m, "", 0); /* line table */
}

TEST(rebuilt_empty_modules_hash_to_the_published_values)
{
    static const struct {
        const char *directory;
        size_t      size;
        uint32_t    hash;
    } rows[] = {
        { "ships", 112, 0x66E88E50 },
        { "ships\\Hardpoints", 123, 0xECA30640 },
        { "MainMenu", 115, 0x2C8CD0AD },
        { "Multiplayer", 118, 0x6F451F7D },
        { "Multiplayer\\Episode", 126, 0x9BA78D80 },
        { "Multiplayer\\Episode\\Mission1", 135, 0x4D5389FF },
        { "Multiplayer\\Episode\\Mission2", 135, 0x4D5589FF },
        { "Multiplayer\\Episode\\Mission3", 135, 0x4D5789FF },
        { "Multiplayer\\Episode\\Mission5", 135, 0x4D5B89FF },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char   path[128];
        module m;
        snprintf(path, sizeof path, "c:\\utopia\\current\\build\\scripts\\%s\\__init__.py",
                 rows[i].directory);
        build_empty_module(&m, path);
        CHECK_EQ(m.size, rows[i].size);
        for (int r = 0; r < SB_FILE_HASH_RULE_COUNT; r++)
            CHECK_EQ(sb_hash_file(span(m.bytes, m.size), (sb_file_hash_rule)r), rows[i].hash);
    }
}
