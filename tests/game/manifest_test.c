/* tests/game/manifest_test.c -- manifests: requests, responses, comparison (spec 06 §4.3, §5.2,
 * §7, §10).
 */
#include <starbase/hash.h>
#include <starbase/manifest.h>
#include <starbase/message.h>

#include "base/bytes.h"
#include "base/random.h"
#include "test.h"
#include "vector_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS ((size_t)SB_CHECKSUM_ROUNDS)

static const char *const round_words[ROUNDS] = { "0", "1", "2", "3", "ff" };

/* ---- vectors and messages ---- */

static size_t read_vector(const char *name, uint8_t *out, size_t capacity)
{
    vector_file v;
    char        path[1024], error[256];
    snprintf(path, sizeof path, "%s/vectors/06/%s.vec", SB_SOURCE_DIR, name);
    if (!vector_read(&v, path, error, sizeof error)) FAIL("%s", error);
    size_t size = v.bytes.size;
    CHECK(size <= capacity);
    memcpy(out, v.bytes.data, size);
    vector_free(&v);
    return size;
}

static size_t read_round_vector(const char *kind, size_t position, uint8_t *out, size_t capacity)
{
    char name[64];
    snprintf(name, sizeof name, "%s-%s", kind, round_words[position]);
    return read_vector(name, out, capacity);
}

static sb_span span_of(const char *text)
{
    return (sb_span){ (const uint8_t *)text, strlen(text) };
}

static sb_checksum_request request_of(size_t position)
{
    const sb_checksum_round *r = &sb_checksum_rounds()[position];
    return (sb_checksum_request){ r->index, span_of(r->directory), span_of(r->filter),
                                  r->recursive };
}

/* The bytes of a response; tests change them before they are compared. */
typedef struct answer {
    uint8_t bytes[SB_CHECKSUM_RESPONSE_MAX];
    size_t  size;
} answer;

static void open_answer(answer *a, const sb_manifest *manifest, size_t position)
{
    sb_checksum_request request = request_of(position);
    CHECK_EQ(sb_manifest_answer(manifest, &request, a->bytes, sizeof a->bytes, &a->size), SB_OK);
}

static sb_checksum_response decode(const answer *a)
{
    sb_message message;
    CHECK_EQ(sb_decode_message((sb_span){ a->bytes, a->size }, NULL, &message, NULL), SB_OK);
    return message.as.checksum_response;
}

static void cut(answer *a, size_t at, size_t size)
{
    memmove(a->bytes + at, a->bytes + at + size, a->size - at - size);
    a->size -= size;
}

static void insert(answer *a, size_t at, const void *bytes, size_t size)
{
    memmove(a->bytes + at + size, a->bytes + at, a->size - at);
    memcpy(a->bytes + at, bytes, size);
    a->size += size;
}

/* ---- reported differences ---- */

typedef struct reports {
    uint32_t      count;
    sb_difference last;
} reports;

static void store_report(void *context, const sb_difference *difference)
{
    reports *t = context;
    t->count++;
    t->last = *difference;
}

static uint32_t compare(const answer *a, const sb_manifest *manifest, bool allow_extra, reports *t)
{
    sb_checksum_response response = decode(a);
    *t = (reports){ 0 };
    return sb_manifest_compare(manifest, &response, allow_extra, store_report, t);
}

/* Expects exactly one difference, of this kind and with this name. */
static void check_one(const answer *a, const sb_manifest *manifest, sb_difference_kind kind,
                      const char *name)
{
    reports t;
    char    text[64];
    CHECK_EQ(compare(a, manifest, false, &t), 1);
    CHECK_EQ(t.count, 1);
    CHECK_TEXT(sb_difference_text(t.last.kind), sb_difference_text(kind));
    sb_difference_name(&t.last, text, sizeof text);
    CHECK_TEXT(text, name);
}

/* ---- the requests (§4.3) ---- */

TEST(the_five_requests_are_those_of_the_captures)
{
    for (size_t i = 0; i < ROUNDS; i++) {
        uint8_t    expected[64], bytes[64];
        size_t     size, expected_size = read_round_vector("4.3-round", i, expected, 64);
        sb_message m = { .opcode = SB_OP_CHECKSUM_REQUEST, .as.checksum_request = request_of(i) };
        CHECK_EQ(sb_encode_message(&m, NULL, bytes, sizeof bytes, &size), SB_OK);
        CHECK_BYTES(bytes, size, expected, expected_size);
    }
}

TEST(a_round_has_a_position_and_other_numbers_have_none)
{
    CHECK_EQ(sb_checksum_position(0), 0);
    CHECK_EQ(sb_checksum_position(3), 3);
    CHECK_EQ(sb_checksum_position(0xFF), SB_CHECKSUM_FF);
    CHECK_EQ(sb_checksum_position(4), -1);
    CHECK_EQ(sb_checksum_position(0xFE), -1);
}

/* ---- the vanilla manifest (§7) ---- */

/* Columns of the facts: round, request_dir, dir_hash, subdir, its hash, name, hash, calc, wire. */
static void check_fact(char *line, const sb_manifest_file *f)
{
    char *cells[9];
    for (size_t i = 0; i < 9; i++) cells[i] = strsep(&line, ",\r\n");
    bool wire = cells[8][0] != '\0';
    CHECK_EQ(sb_checksum_rounds()[f->position].index, strtoul(cells[0], NULL, 10));
    CHECK_TEXT(f->directory, cells[3]);
    CHECK_EQ(f->directory_hash, strtoul(cells[4], NULL, 16));
    CHECK_TEXT(f->name, cells[5]);
    CHECK_EQ(f->name_hash, strtoul(cells[6], NULL, 16));
    CHECK_EQ(f->content_hash, strtoul(wire ? cells[8] : cells[7], NULL, 16));
    CHECK_EQ(f->calculated, !wire);
}

TEST(the_vanilla_manifest_agrees_with_the_facts)
{
    const sb_manifest *m = sb_vanilla_manifest();
    char               path[1024], line[512];
    size_t             count = 0;
    snprintf(path, sizeof path, "%s/docs/facts/checksum_manifest_vanilla_1_1.csv", SB_SOURCE_DIR);
    FILE *facts = fopen(path, "r");
    CHECK(facts && fgets(line, sizeof line, facts));
    CHECK_TEXT(m->name, "vanilla 1.1");
    CHECK_EQ(m->count, 108 + 28);
    while (count < m->count && fgets(line, sizeof line, facts))
        check_fact(line, &m->files[count++]);
    CHECK(!fgets(line, sizeof line, facts));
    CHECK_EQ(count, m->count);
    fclose(facts);
}

TEST(names_are_found_by_their_hashes)
{
    sb_manifest_file  files[] = { { 2, "?12345678/Mod", "Mod.pyc", 0xABCD, 1, 2, false },
                                  { 2, "?12345678", NULL, 0x12345678, 3, 4, false } };
    const sb_manifest mod = { "mod", files, 2 };
    CHECK_TEXT(sb_manifest_name_of(NULL, 0x3EB23EBA), "Akira.pyc");
    CHECK_TEXT(sb_manifest_name_of(sb_vanilla_manifest(), 0x88D63ABC), "Mission1");
    CHECK_TEXT(sb_manifest_name_of(&mod, 1), "Mod.pyc");
    CHECK_TEXT(sb_manifest_name_of(&mod, 0xABCD), "Mod");
    CHECK_TEXT(sb_manifest_name_of(&mod, 0x3EB23EBA), "Akira.pyc");
    CHECK(!sb_manifest_name_of(&mod, 3));
    CHECK(!sb_manifest_name_of(&mod, 0x12345678));
    CHECK(!sb_manifest_name_of(sb_vanilla_manifest(), 0));
}

/* ---- answers (§5.2, §10) ---- */

TEST(a_vanilla_client_answers_the_bytes_of_the_captures)
{
    static const size_t sizes[ROUNDS] = { 21, 17, 832, 41, 268 };
    for (size_t i = 0; i < ROUNDS; i++) {
        static answer  a;
        static uint8_t expected[1024];
        size_t         size = read_round_vector("5.2-response", i, expected, sizeof expected);
        open_answer(&a, sb_vanilla_manifest(), i);
        CHECK_EQ(a.size, sizes[i]);
        CHECK_BYTES(a.bytes, a.size, expected, size);
    }
}

TEST(a_client_without_such_files_answers_the_hash_plus_1_alone)
{
    const sb_manifest nothing = { "nothing", NULL, 0 };
    for (size_t i = 0; i < ROUNDS; i++) {
        uint8_t expected[16];
        answer  a;
        size_t  size = read_round_vector("5.2-no-files", i, expected, sizeof expected);
        open_answer(&a, &nothing, i);
        CHECK_EQ(a.size, i == 0 ? 10 : 6);
        CHECK_BYTES(a.bytes, a.size, expected, size);
    }
}

TEST(a_request_that_no_round_has_is_answered_as_without_files)
{
    uint8_t             expected[64], bytes[64];
    size_t              size, expected_size = read_vector("5.2-no-files-2", expected, 64);
    sb_checksum_request other[3] = { request_of(2), request_of(2), request_of(2) };
    other[0].recursive = false;
    other[1].filter = span_of("*.py");
    other[2].directory = span_of("scripts/ships/"); /* an equal hash, but no request of a round */
    for (size_t i = 0; i < 3; i++) {
        CHECK_EQ(sb_manifest_answer(sb_vanilla_manifest(), &other[i], bytes, sizeof bytes, &size),
                 SB_OK);
        CHECK_BYTES(bytes, size, expected, expected_size);
    }
}

TEST(a_requests_number_is_sent_back_and_0_adds_the_version)
{
    answer              a;
    sb_checksum_request request = request_of(1);
    request.index = 0;
    CHECK_EQ(sb_manifest_answer(sb_vanilla_manifest(), &request, a.bytes, sizeof a.bytes, &a.size),
             SB_OK);
    sb_checksum_response response = decode(&a);
    CHECK_EQ(response.index, 0);
    CHECK_EQ(response.ref_hash, SB_CHECKSUM_REF_HASH);
    CHECK_EQ(sb_load_u32(response.tree.data + 2), 0x8501E6A1); /* Autoexec.pyc */
}

TEST(an_answer_that_does_not_fit_is_not_written_over_the_end)
{
    sb_checksum_request request = request_of(SB_CHECKSUM_FF);
    size_t              size;
    for (size_t capacity = 0; capacity <= 268; capacity++) {
        uint8_t *exact = malloc(capacity ? capacity : 1);
        CHECK(exact);
        sb_result result =
            sb_manifest_answer(sb_vanilla_manifest(), &request, exact, capacity, &size);
        free(exact);
        CHECK_EQ(result, capacity < 268 ? SB_FULL : SB_OK);
        CHECK(size <= capacity);
    }
}

/* Depth 9 and 256 subdirectories cannot be decoded, so they are refused. */
TEST(a_manifest_that_no_tree_can_hold_is_not_answered)
{
    static sb_manifest_file files[300];
    static char             names[300][24];
    static uint8_t          bytes[SB_CHECKSUM_RESPONSE_MAX];
    sb_checksum_request     request = request_of(2);
    size_t                  size;
    for (size_t i = 0; i < 300; i++) {
        snprintf(names[i], sizeof names[i], "d%zu", i);
        files[i] = (sb_manifest_file){ 2, names[i], "a", (uint32_t)i, 1, 2, false };
    }
    sb_manifest m = { "wide", files, 255 };
    CHECK_EQ(sb_manifest_answer(&m, &request, bytes, sizeof bytes, &size), SB_OK);
    m.count = 256;
    CHECK_EQ(sb_manifest_answer(&m, &request, bytes, sizeof bytes, &size), SB_BAD_VALUE);

    for (size_t i = 0; i < 9; i++) {
        snprintf(names[i], sizeof names[i], "%.*s", (int)(2 * i + 1), "a/a/a/a/a/a/a/a/a");
        files[i] = (sb_manifest_file){ 2, names[i], "a", 7, 1, 2, false };
    }
    m.count = 8;
    CHECK_EQ(sb_manifest_answer(&m, &request, bytes, sizeof bytes, &size), SB_OK);
    m.count = 9;
    CHECK_EQ(sb_manifest_answer(&m, &request, bytes, sizeof bytes, &size), SB_BAD_VALUE);
}

TEST(a_manifest_larger_than_a_response_does_not_fit_one)
{
    static sb_manifest_file files[4000];
    static uint8_t          bytes[40000];
    sb_checksum_request     request = request_of(2);
    sb_manifest             m = { "long", files, 4000 };
    size_t                  size;
    for (size_t i = 0; i < m.count; i++)
        files[i] = (sb_manifest_file){ 2, "", NULL, 0, (uint32_t)i, 1, false };
    CHECK_EQ(sb_manifest_answer(&m, &request, bytes, sizeof bytes, &size), SB_FULL);
    m.count = (SB_CHECKSUM_RESPONSE_MAX - 9) / 8;
    CHECK_EQ(sb_manifest_answer(&m, &request, bytes, sizeof bytes, &size), SB_OK);
}

/* A response of exactly `bytes`: directories of one empty list each make up for the remainder. */
static sb_result answer_of_size(size_t bytes, size_t capacity, size_t *size)
{
    static sb_manifest_file files[4000];
    static char             names[8][2];
    static uint8_t          out[40000];
    sb_checksum_request     request = request_of(2);
    size_t                  directories = (8 - (bytes - 9) % 8) % 8;
    sb_manifest             m = { "exact", files, (bytes - 9 - 7 * directories) / 8 };
    for (size_t i = 0; i < m.count; i++)
        files[i] = (sb_manifest_file){ 2, "", NULL, 0, (uint32_t)i, 1, false };
    for (size_t i = 0; i < directories; i++) {
        names[i][0] = (char)('A' + i);
        files[m.count++] = (sb_manifest_file){ 2, names[i], "", (uint32_t)i, 0, 0, false };
    }
    CHECK(capacity <= sizeof out);
    return sb_manifest_answer(&m, &request, out, capacity, size);
}

TEST(the_largest_response_is_answered_and_one_byte_more_is_not)
{
    const size_t most = SB_CHECKSUM_RESPONSE_MAX;
    size_t       size;
    CHECK_EQ(answer_of_size(most, most, &size), SB_OK);
    CHECK_EQ(size, most);
    CHECK_EQ(answer_of_size(most + 1, most + 1, &size), SB_FULL); /* however large the buffer is */
    CHECK_EQ(answer_of_size(most + 1, 40000, &size), SB_FULL);
}

/* Directories without files: below the root, in the middle, at the end. */
static const sb_manifest_file sparse_files[] = {
    { 2, "A", "", 0xA, 0, 0, false },
    { 2, "A/B", "b.pyc", 0xB, 0xB1, 0xB2, false },
    { 2, "C", "", 0xC, 0, 0, false },
};
static const sb_manifest sparse = { "sparse", sparse_files, 3 };

TEST(directories_without_files_stand_in_the_tree)
{
    answer  a;
    uint8_t expected[64];
    size_t  size = test_hex("21 02 C4 D1 17 C0 00 00 02 0A 00 00 00 0C 00 00 00"
                             "00 00 01 0B 00 00 00 01 00 B1 00 00 00 B2 00 00 00 00"
                             "00 00 00",
                            expected, sizeof expected);
    reports t;
    CHECK(!sb_manifest_name_of(&sparse, 0));
    open_answer(&a, &sparse, 2);
    CHECK_BYTES(a.bytes, a.size, expected, size);
    CHECK_EQ(compare(&a, &sparse, false, &t), 0);
    CHECK_EQ(t.count, 0);
}

static void swap_entries(uint8_t *a, uint8_t *b)
{
    uint8_t kept[8];
    memcpy(kept, a, 8);
    memcpy(a, b, 8);
    memcpy(b, kept, 8);
}

TEST(files_of_a_directory_may_come_in_any_order)
{
    static const sb_manifest_file files[] = {
        { 2, "", "a.pyc", 0, 0xA1, 0xA2, false },
        { 2, "", "b.pyc", 0, 0xB1, 0xB2, false },
        { 2, "", "c.pyc", 0, 0xC1, 0xC2, false },
    };
    static const sb_manifest manifest = { "three", files, 3 };
    answer                   a;
    reports                  t;
    open_answer(&a, &manifest, 2);
    CHECK_EQ(sb_load_u32(a.bytes + 8), 0xA1);
    CHECK_EQ(compare(&a, &manifest, false, &t), 0);
    swap_entries(a.bytes + 8, a.bytes + 24);
    CHECK_EQ(sb_load_u32(a.bytes + 8), 0xC1);
    CHECK_EQ(compare(&a, &manifest, false, &t), 0);
    a.bytes[28] ^= 1;
    check_one(&a, &manifest, SB_FILE_CHANGED, "a.pyc");
}

TEST(a_directory_is_not_in_one_whose_name_begins_alike)
{
    static const sb_manifest_file files[] = { { 2, "A", "x", 0xA, 1, 2, false },
                                              { 2, "AB", "x", 0xAB, 1, 2, false } };
    const sb_manifest             alike = { "alike", files, 2 };
    answer                        a;
    uint8_t                       expected[64];
    size_t size = test_hex("21 02 C4 D1 17 C0 00 00 02 0A 00 00 00 AB 00 00 00"
                           "01 00 01 00 00 00 02 00 00 00 00 01 00 01 00 00 00 02 00 00 00 00",
                           expected, sizeof expected);
    open_answer(&a, &alike, 2);
    CHECK_BYTES(a.bytes, a.size, expected, size);
}

/* ---- comparing (§7) ---- */

TEST(a_vanilla_client_passes_all_rounds)
{
    for (size_t i = 0; i < ROUNDS; i++) {
        answer  a;
        reports t;
        a.size = read_round_vector("5.2-response", i, a.bytes, sizeof a.bytes);
        CHECK_EQ(compare(&a, sb_vanilla_manifest(), false, &t), 0);
        CHECK_EQ(t.count, 0);
    }
}

TEST(step_2_another_version_differs_in_round_0)
{
    answer a;
    open_answer(&a, sb_vanilla_manifest(), 0);
    a.bytes[2] ^= 1;
    check_one(&a, sb_vanilla_manifest(), SB_DIFFERENT_VERSION, "App.pyc");
}

TEST(step_3_another_directory_differs)
{
    answer  a;
    reports t;
    open_answer(&a, sb_vanilla_manifest(), 3);
    a.bytes[2] ^= 1;
    check_one(&a, sb_vanilla_manifest(), SB_DIFFERENT_DIRECTORY, "scripts/mainmenu");
    CHECK_EQ(compare(&a, sb_vanilla_manifest(), true, &t), 1);
    CHECK_EQ(t.last.expected, 0x3409475D);
    CHECK_EQ(t.last.found, 0x3409475C);
}

TEST(step_4_a_wire_content_must_be_exact)
{
    answer  a;
    reports t;
    open_answer(&a, sb_vanilla_manifest(), 0);
    a.bytes[16] ^= 0x28; /* OpenBC's value of App.pyc, which a tolerant compare would accept */
    check_one(&a, sb_vanilla_manifest(), SB_FILE_CHANGED, "App.pyc");
    compare(&a, sb_vanilla_manifest(), false, &t);
    CHECK_EQ(t.last.position, 0);
    CHECK_EQ(t.last.name_hash, 0x373EB677);
    CHECK_EQ(t.last.expected, 0xF8A0A768);
    CHECK_EQ(t.last.found, 0xF8A0A740);
}

/* Round 2: Amagon.pyc, the second file, has a calculated content hash, at byte 20. */
TEST(step_4_a_calculated_hash_is_compared_without_its_tail_bits)
{
    answer  a;
    reports t;
    open_answer(&a, sb_vanilla_manifest(), 2);
    a.bytes[20] ^= 0xFF;
    a.bytes[21] ^= 0x07; /* bits 0 to 10 */
    CHECK_EQ(compare(&a, sb_vanilla_manifest(), false, &t), 0);
    a.bytes[21] ^= 0x08; /* bit 11 */
    check_one(&a, sb_vanilla_manifest(), SB_FILE_CHANGED, "Amagon.pyc");
}

TEST(step_4_a_file_that_is_not_there_is_missing)
{
    answer a;
    open_answer(&a, sb_vanilla_manifest(), 3);
    cut(&a, 8, 8);
    a.bytes[6]--;
    check_one(&a, sb_vanilla_manifest(), SB_FILE_MISSING, "CardSpecificSetup.pyc");
}

/* Round 2: the tree of the subdirectory Hardpoints starts at byte 421. */
TEST(step_6_files_of_subdirectories_are_reported_with_their_path)
{
    answer  a;
    reports t;
    open_answer(&a, sb_vanilla_manifest(), 2);
    CHECK_EQ(sb_load_u16(a.bytes + 421), 51);
    a.bytes[423 + 2 * 8 + 7] ^= 0x40;
    check_one(&a, sb_vanilla_manifest(), SB_FILE_CHANGED, "Hardpoints/akira.pyc");
    compare(&a, sb_vanilla_manifest(), false, &t);
    CHECK_TEXT(t.last.directory, "Hardpoints");
    CHECK_TEXT(t.last.name, "akira.pyc");
    CHECK_EQ(t.last.position, 2);
}

static void check_extra(const answer *a, sb_difference_kind kind, const char *name)
{
    reports t;
    check_one(a, sb_vanilla_manifest(), kind, name);
    CHECK_EQ(compare(a, sb_vanilla_manifest(), true, &t), 0);
    CHECK_EQ(t.count, 1); /* reported but not counted */
}

TEST(step_5_an_extra_file_counts_unless_extra_is_allowed)
{
    static const uint8_t unknown[8] = { 0x78, 0x56, 0x34, 0x12 };
    answer               a;
    open_answer(&a, sb_vanilla_manifest(), 1);
    insert(&a, 8, unknown, 8);
    a.bytes[6]++;
    check_extra(&a, SB_FILE_EXTRA, "<unknown 12345678>");
    sb_store_u32(a.bytes + 8, 0x373EB677);
    check_extra(&a, SB_FILE_EXTRA, "App.pyc");
}

TEST(step_5_a_file_that_is_listed_twice_is_one_too_many)
{
    answer  a;
    reports t;
    open_answer(&a, sb_vanilla_manifest(), 1);
    insert(&a, 16, a.bytes + 8, 8);
    a.bytes[6]++;
    check_extra(&a, SB_FILE_EXTRA, "Autoexec.pyc");
    a.bytes[12] ^= 1; /* the first of the two has wrong content */
    CHECK_EQ(compare(&a, sb_vanilla_manifest(), true, &t), 1);
    CHECK_EQ(t.count, 2);
}

TEST(step_5_an_extra_directory_counts_once_whatever_is_in_it)
{
    uint8_t tree[64], name[4] = { 0xEF, 0xBE, 0xAD, 0xDE };
    size_t  size = test_hex("01 00 01 00 00 00 02 00 00 00 01 03 00 00 00 00 00 00", tree, 64);
    answer  a;
    reports t;
    open_answer(&a, sb_vanilla_manifest(), SB_CHECKSUM_FF);
    a.bytes[8 + 9 * 8] = 2;
    insert(&a, 8 + 9 * 8 + 1, name, 4); /* before Episode */
    insert(&a, 8 + 9 * 8 + 1 + 8, tree, size);
    check_extra(&a, SB_DIRECTORY_EXTRA, "<unknown DEADBEEF>");
    sb_store_u32(a.bytes + 8 + 9 * 8 + 1, 0x83C82BA5); /* Episode, empty, then Episode again */
    CHECK(compare(&a, sb_vanilla_manifest(), false, &t) > 1);
}

TEST(step_5_a_directory_that_is_listed_twice_is_one_too_many)
{
    static const uint8_t name[4] = { 0x0C }, empty[3] = { 0 };
    answer               a;
    reports              t;
    open_answer(&a, &sparse, 2);
    a.bytes[8] = 3;
    insert(&a, 17, name, 4); /* a second C, empty like the first */
    insert(&a, a.size, empty, 3);
    CHECK_EQ(compare(&a, &sparse, true, &t), 0);
    check_one(&a, &sparse, SB_DIRECTORY_EXTRA, "C");
}

TEST(step_6_a_missing_directory_counts_once)
{
    answer  a;
    reports t;
    open_answer(&a, sb_vanilla_manifest(), 2);
    a.bytes[6 + 2 + 51 * 8] = 0;
    a.size = 6 + 2 + 51 * 8 + 1;
    check_one(&a, sb_vanilla_manifest(), SB_DIRECTORY_MISSING, "Hardpoints");
    compare(&a, sb_vanilla_manifest(), false, &t);
    CHECK_TEXT(t.last.directory, "");
    CHECK_EQ(t.last.name_hash, 0xCAAFFDD4);
}

TEST(an_empty_answer_to_a_manifest_with_files_misses_them)
{
    answer  a = { .size = 0 };
    reports t;
    a.size = test_hex("21 FF 3F D1 94 87 00 00 00", a.bytes, sizeof a.bytes);
    CHECK_EQ(compare(&a, sb_vanilla_manifest(), true, &t), 9 + 1);
    a.size = test_hex("21 02 C4 D1 17 C0 00 00 00", a.bytes, sizeof a.bytes);
    CHECK_EQ(compare(&a, &sparse, true, &t), 2);
    CHECK_TEXT(t.last.name, "C");
}

/* One difference, not one for each file; the version and the directory are compared as usual. */
TEST(a_client_that_has_no_files_differs_at_once)
{
    static const char *const filters[ROUNDS] = { "App.pyc", "Autoexec.pyc", "*.pyc", "*.pyc",
                                                 "*.pyc" };
    const sb_manifest        nothing = { "nothing", NULL, 0 };
    reports                  t;
    answer                   a;
    for (size_t i = 0; i < ROUNDS; i++) {
        open_answer(&a, &nothing, i);
        CHECK(decode(&a).no_files);
        check_one(&a, sb_vanilla_manifest(), SB_NO_SUCH_FILES, filters[i]);
        CHECK_EQ(compare(&a, &nothing, false, &t), 0);
    }
    a.size = test_hex("21 01 2F CB AF 4D", a.bytes, sizeof a.bytes); /* the hash, not plus 1 */
    CHECK_EQ(compare(&a, sb_vanilla_manifest(), false, &t), 2);
    CHECK_EQ(compare(&a, &nothing, false, &t), 1);
    CHECK_EQ(t.last.kind, SB_DIFFERENT_DIRECTORY);
    a.size = test_hex("21 00 43 E2 0C 7F 30 CB AF 4D", a.bytes, sizeof a.bytes);
    CHECK_EQ(compare(&a, &nothing, false, &t), 1);
    CHECK_EQ(t.last.kind, SB_DIFFERENT_VERSION);
}

TEST(an_answer_to_no_round_differs)
{
    answer a;
    a.size = test_hex("21 07 C4 D1 17 C0 00 00 00", a.bytes, sizeof a.bytes);
    check_one(&a, sb_vanilla_manifest(), SB_DIFFERENT_DIRECTORY, "<unknown C017D1C4>");
}

static void check_hashes(const sb_difference *d, uint32_t name, uint32_t expected, uint32_t found)
{
    CHECK_EQ(d->name_hash, name);
    CHECK_EQ(d->expected, expected);
    CHECK_EQ(d->found, found);
}

TEST(a_difference_tells_the_hash_of_its_name_and_both_contents)
{
    const sb_manifest nothing = { "nothing", NULL, 0 };
    answer            a;
    reports           t;
    open_answer(&a, sb_vanilla_manifest(), 0);
    a.bytes[2] ^= 1;
    compare(&a, sb_vanilla_manifest(), false, &t);
    check_hashes(&t.last, 0x373EB677, SB_CHECKSUM_REF_HASH, SB_CHECKSUM_REF_HASH ^ 1);
    open_answer(&a, &nothing, 0);
    compare(&a, sb_vanilla_manifest(), false, &t);
    check_hashes(&t.last, 0x373EB677, 0x4DAFCB2F, 0x4DAFCB30);
    open_answer(&a, sb_vanilla_manifest(), 3);
    cut(&a, 8, 8);
    a.bytes[6]--;
    compare(&a, sb_vanilla_manifest(), false, &t);
    CHECK_EQ(t.last.found, 0);
    a.size = test_hex("21 07 C4 D1 17 C0 00 00 00", a.bytes, sizeof a.bytes); /* no round */
    compare(&a, sb_vanilla_manifest(), false, &t);
    check_hashes(&t.last, 0xC017D1C4, 0, 0xC017D1C4);
}

/* A ? marks a directory that is known by its hash alone. */
TEST(a_missing_directory_has_its_hash_and_its_name_if_known)
{
    static const sb_manifest_file files[] = { { 2, "?00000077", "x", 0x77, 1, 2, false },
                                              { 2, "@b", "x", 0x88, 1, 2, false },
                                              { 2, ">c", "x", 0x99, 1, 2, false } };
    static const char *const      names[] = { "<unknown 00000077>", "@b", ">c" };
    for (size_t i = 0; i < 3; i++) {
        const sb_manifest one = { "one", &files[i], 1 };
        answer            a;
        reports           t;
        a.size = test_hex("21 02 C4 D1 17 C0 00 00 00", a.bytes, sizeof a.bytes);
        check_one(&a, &one, SB_DIRECTORY_MISSING, names[i]);
        compare(&a, &one, false, &t);
        check_hashes(&t.last, files[i].directory_hash, files[i].directory_hash, 0);
        CHECK_EQ(t.last.position, 2);
    }
}

/* A tree of `depth` directories in each other, with the file 1 in each. */
static size_t nest(uint8_t *out, unsigned depth)
{
    size_t size = test_hex("00 00 01 07 00 00 00", out, 16);
    for (unsigned i = 1; i <= depth; i++) {
        size += test_hex("01 00 01 00 00 00 02 00 00 00", out + size, 16);
        if (i < depth) size += test_hex("01 07 00 00 00", out + size, 16);
    }
    return size + test_hex("00", out + size, 1);
}

/* The decoder refuses a deeper tree; here it is compared without the decoder. */
TEST(a_tree_is_read_down_to_depth_8)
{
    static const char *const paths[] = {
        "a",           "a/a",           "a/a/a",           "a/a/a/a",          "a/a/a/a/a",
        "a/a/a/a/a/a", "a/a/a/a/a/a/a", "a/a/a/a/a/a/a/a", "a/a/a/a/a/a/a/a/a"
    };
    sb_manifest_file files[9];
    for (size_t i = 0; i < 9; i++)
        files[i] = (sb_manifest_file){ 2, paths[i], "a", 7, 1, 2, false };
    for (unsigned depth = 7; depth <= 9; depth++) {
        const sb_manifest    deep = { "deep", files, depth };
        uint8_t              tree[256];
        sb_checksum_response raw = { .index = 2, .dir_hash = 0xC017D1C4 };
        raw.tree = (sb_span){ tree, nest(tree, depth) };
        CHECK_EQ(sb_manifest_compare(&deep, &raw, false, NULL, NULL), depth == 9 ? 1 : 0);
    }
}

TEST(differences_are_counted_without_a_callback)
{
    answer a;
    a.size = test_hex("21 FF 3F D1 94 87 00 00 00", a.bytes, sizeof a.bytes);
    sb_checksum_response response = decode(&a);
    CHECK_EQ(sb_manifest_compare(sb_vanilla_manifest(), &response, false, NULL, NULL), 10);
}

TEST(names_of_differences_fit_any_room)
{
    sb_difference d = { .directory = "Hardpoints", .name = "akira.pyc" };
    char          text[8] = "XXXXXXX";
    sb_difference_name(&d, text, 0);
    CHECK_TEXT(text, "XXXXXXX");
    sb_difference_name(&d, text, 1);
    CHECK_TEXT(text, "");
    sb_difference_name(&d, text, sizeof text);
    CHECK_TEXT(text, "Hardpoi");
    CHECK_TEXT(sb_difference_text(SB_FILE_CHANGED), "file changed");
    CHECK_TEXT(sb_difference_text(SB_DIRECTORY_EXTRA), "directory extra");
    CHECK_TEXT(sb_difference_text(SB_DIFFERENCE_COUNT), "unknown difference");
}

/* A changed vanilla response that still decodes gives a difference, unless only tail bits changed.
 * Comparing a tree that was never checked by the decoder does no harm. */
TEST(whatever_a_client_answers_is_compared_within_its_bytes)
{
    sb_random random;
    sb_random_init(&random, 7);
    for (unsigned n = 0; n < 20000; n++) {
        static answer        a;
        sb_message           message;
        sb_checksum_response raw = { .index = 2, .dir_hash = 1 };
        open_answer(&a, sb_vanilla_manifest(), n % ROUNDS);
        for (unsigned i = 0; i < 3; i++)
            a.bytes[sb_random_below(&random, (uint32_t)a.size)] = (uint8_t)sb_random_next(&random);
        size_t   size = 6 + sb_random_below(&random, (uint32_t)a.size - 6);
        uint8_t *exact = malloc(size - 6 + 1);
        CHECK(exact);
        memcpy(exact, a.bytes + 6, size - 6);
        raw.tree = (sb_span){ exact, size - 6 };
        uint32_t count = sb_manifest_compare(sb_vanilla_manifest(), &raw, true, NULL, NULL);
        free(exact);
        CHECK(count > 0);
        if (sb_decode_message((sb_span){ a.bytes, a.size }, NULL, &message, NULL) != SB_OK)
            continue;
        if (message.opcode != SB_OP_CHECKSUM_RESPONSE) continue;
        sb_manifest_compare(sb_vanilla_manifest(), &message.as.checksum_response, false, NULL,
                            NULL);
    }
}
