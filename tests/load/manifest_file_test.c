/* tests/load/manifest_file_test.c -- manifests that are accepted and refused, the errors, and
 * manifests learned from a client (spec 06 §7).
 */
#include "load/manifest_file.h"

#include <starbase/hash.h>
#include <starbase/message.h>

#include "base/bytes.h"
#include "base/random.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADING "round,directory,name,name_hash,content_hash,origin\n"

static sb_result load_bytes(sb_data *data, const char *text, size_t size, const sb_manifest **out)
{
    return sb_data_load_manifest(
        data, (sb_data_source){ .name = "mods/mod.csv", .text = text, .size = size }, out);
}

static const sb_manifest *load(sb_data *data, const char *text)
{
    const sb_manifest *m = NULL;
    sb_result          result = load_bytes(data, text, strlen(text), &m);
    CHECK_TEXT(data->error, "");
    CHECK_EQ(result, SB_OK);
    return m;
}

static void check_refused_bytes(const char *text, size_t size, const char *error)
{
    sb_data            data = { 0 };
    const sb_manifest *m = NULL;
    sb_result          result = load_bytes(&data, text, size, &m);
    sb_data_free(&data);
    CHECK_TEXT(data.error, error);
    CHECK_EQ(result, SB_BAD_VALUE);
    CHECK(!m);
}

/* The lines after the heading. */
static void check_refused(const char *lines, const char *error)
{
    static char text[1 << 20];
    snprintf(text, sizeof text, HEADING "%s", lines);
    check_refused_bytes(text, strlen(text), error);
}

/* ---- loading ---- */

static void check_same_manifest(const sb_manifest *a, const sb_manifest *b)
{
    CHECK_EQ(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const sb_manifest_file *x = &a->files[i], *y = &b->files[i];
        CHECK_EQ(x->position, y->position);
        CHECK_TEXT(x->directory, y->directory);
        CHECK_TEXT(x->name, y->name);
        CHECK_EQ(x->directory_hash, y->directory_hash);
        CHECK_EQ(x->name_hash, y->name_hash);
        CHECK_EQ(x->content_hash, y->content_hash);
        CHECK_EQ(x->calculated, y->calculated);
    }
}

TEST(the_vanilla_file_is_what_is_compiled_in)
{
    char               path[1024];
    sb_data            data = { 0 };
    const sb_manifest *m = NULL;
    snprintf(path, sizeof path, "%s/data/manifests/vanilla-1.1.csv", SB_SOURCE_DIR);
    CHECK_EQ(sb_data_load_manifest(&data, (sb_data_source){ .name = path }, &m), SB_OK);
    CHECK_TEXT(m->name, "vanilla-1.1");
    check_same_manifest(m, sb_vanilla_manifest());
    sb_data_free(&data);
}

TEST(a_manifest_may_have_comments_blank_lines_and_dos_line_ends)
{
    sb_data            data = { 0 };
    const sb_manifest *m = load(&data, "# a mod\r\n\r\n"
                                       "round,directory,name,name_hash,content_hash,origin\r\n"
                                       "0,,App.pyc,0x373eb677,0xF8A0A768,wire\r\n"
                                       "# more\r\n"
                                       "255,?DEADBEEF,,0x00000001,0x00000002,calc");
    CHECK_TEXT(m->name, "mod");
    CHECK_EQ(m->count, 2);
    CHECK_TEXT(m->files[0].name, "App.pyc");
    CHECK_EQ(m->files[0].name_hash, 0x373EB677);
    CHECK_EQ(m->files[0].directory_hash, 0);
    CHECK(!m->files[0].calculated);
    CHECK_EQ(m->files[1].position, SB_CHECKSUM_FF);
    CHECK_TEXT(m->files[1].directory, "?DEADBEEF");
    CHECK_EQ(m->files[1].directory_hash, 0xDEADBEEF);
    CHECK(!m->files[1].name);
    CHECK(m->files[1].calculated);
    sb_data_free(&data);
}

TEST(a_directory_without_files_has_a_line)
{
    sb_data            data = { 0 };
    const sb_manifest *m = load(&data, HEADING "2,Hardpoints,,,,wire\n"
                                               "2,Hardpoints/?00000001,,,,wire\n");
    CHECK_EQ(m->count, 2);
    CHECK_TEXT(m->files[0].name, "");
    CHECK_EQ(m->files[0].directory_hash, 0xCAAFFDD4);
    CHECK_EQ(m->files[1].directory_hash, 1);
    sb_data_free(&data);
}

TEST(a_manifest_without_files_is_one)
{
    sb_data data = { 0 };
    CHECK_EQ(load(&data, HEADING)->count, 0);
    sb_data_free(&data);
}

/* ---- refusing ---- */

TEST(a_file_without_the_heading_is_refused)
{
    check_refused_bytes("", 0, "mods/mod.csv: has no heading");
    check_refused_bytes("# only\n", 7, "mods/mod.csv: has no heading");
    check_refused_bytes("\n0,,App.pyc\n", 12,
                        "mods/mod.csv:2:1: must be the heading "
                        "round,directory,name,name_hash,content_hash,origin");
}

TEST(a_line_needs_six_fields)
{
    check_refused("0,,App.pyc,0x373EB677,0xF8A0A768\n",
                  "mods/mod.csv:2:1: has 5 fields, must have 6");
    check_refused("0,,App.pyc,0x373EB677,0xF8A0A768,wire,\n",
                  "mods/mod.csv:2:38: must have 6 fields");
}

TEST(each_field_is_checked_and_the_place_told)
{
    check_refused("4,,a,0x0,0x0,wire\n", "mods/mod.csv:2:1: round: must be 0, 1, 2, 3 or 255");
    check_refused("00,,a,0x0,0x0,wire\n", "mods/mod.csv:2:1: round: must be 0, 1, 2, 3 or 255");
    check_refused("0,,\"App.pyc\",0x373EB677,0xF8A0A768,wire\n",
                  "mods/mod.csv:2:4: name: must be 1 to 255 bytes without quote, slash or ? in "
                  "front");
    check_refused("0,,?12345678,0x12345678,0xF8A0A768,wire\n",
                  "mods/mod.csv:2:4: name: must be 1 to 255 bytes without quote, slash or ? in "
                  "front");
    check_refused("0,,App.pyc,373EB677,0xF8A0A768,wire\n",
                  "mods/mod.csv:2:12: name_hash: must be 0x and eight hexadecimal digits");
    check_refused("0,,App.pyc,,0xF8A0A768,wire\n",
                  "mods/mod.csv:2:12: name_hash: must be 0x and eight hexadecimal digits");
    check_refused("0,,App.pyc,0x373EB678,0xF8A0A768,wire\n",
                  "mods/mod.csv:2:12: name_hash: must be 0x373EB677, the hash of the name");
    check_refused("0,,App.pyc,0x373EB677,0xF8A0A7680,wire\n",
                  "mods/mod.csv:2:23: content_hash: must be 0x and eight hexadecimal digits");
    check_refused("0,,App.pyc,0x373EB677,0xF8A0A7G8,wire\n",
                  "mods/mod.csv:2:23: content_hash: must be 0x and eight hexadecimal digits");
    check_refused("0,,App.pyc,0x373EB677,0xF8A0A768,Wire\n",
                  "mods/mod.csv:2:34: origin: must be wire or calc");
}

TEST(a_directory_is_made_of_names_and_not_too_deep)
{
    static const char parts[] = "directory: each part must be a name of 1 to 255 bytes or ? and "
                                "eight hexadecimal digits";
    char              error[256];
    snprintf(error, sizeof error, "mods/mod.csv:2:5: %s", parts);
    check_refused("2,a//b,,0x00000001,0x00000001,wire\n", error);
    check_refused("2,a/,,0x00000001,0x00000001,wire\n", error);
    check_refused("2,a/?1234567,,0x00000001,0x00000001,wire\n", error);
    snprintf(error, sizeof error, "mods/mod.csv:2:3: %s", parts);
    check_refused("2,/a,,0x00000001,0x00000001,wire\n", error);
    check_refused("2,a\\b,,0x00000001,0x00000001,wire\n", error);
    check_refused("2,1/2/3/4/5/6/7/8/9,,0x00000001,0x00000001,wire\n",
                  "mods/mod.csv:2:19: directory: is more than 8 deep");
}

TEST(control_characters_are_refused_where_they_stand)
{
    check_refused("0,,App.pyc,0x373EB677,\t0xF8A0A768,wire\n",
                  "mods/mod.csv:2:23: must not hold control characters");
    check_refused_bytes(HEADING "0,\0", sizeof HEADING - 1 + 3,
                        "mods/mod.csv:2:3: must not hold control characters");
}

#define FILE_LINE(directory, hash) "2," directory ",," hash ",0x00000001,wire\n"
#define ONE(directory)             FILE_LINE(directory, "0x00000001")

TEST(lines_are_in_tree_order)
{
    check_refused(ONE("") "1,,,0x00000001,0x00000001,wire\n",
                  "mods/mod.csv:3:1: round: must not be less than that of the line before");
    check_refused(ONE("a") ONE(""), "mods/mod.csv:3:3: directory: must come before its "
                                    "subdirectories");
    check_refused(ONE("a/b"), "mods/mod.csv:2:3: directory: must come after its parent or the "
                              "contents of its parent");
    check_refused(
        ONE("a") ONE("b") ONE("a/c"),
        "mods/mod.csv:4:3: directory: must come after its parent or the contents of its parent");
    check_refused(
        ONE("ab") ONE("a/c"),
        "mods/mod.csv:3:3: directory: must come after its parent or the contents of its parent");
    check_refused(
        ONE("a") ONE("ab/c"),
        "mods/mod.csv:3:3: directory: must come after its parent or the contents of its parent");
}

TEST(nothing_is_listed_twice)
{
    check_refused(ONE("a") ONE("a"), "mods/mod.csv:3:6: name_hash: was listed before");
    check_refused(ONE("a") ONE("b") FILE_LINE("a", "0x00000002"),
                  "mods/mod.csv:4:3: directory: was listed before");
    check_refused(ONE("Hardpoints") ONE("?CAAFFDD4"),
                  "mods/mod.csv:3:3: directory: was listed before");
    check_refused(ONE("a") ONE("a/x") ONE("b") ONE("b/x") ONE("b/y") FILE_LINE("b/x", "0x00000002"),
                  "mods/mod.csv:7:3: directory: was listed before");
}

TEST(a_directory_has_files_or_a_line_without)
{
    static const char error[] =
        "mods/mod.csv:3:5: name: a directory has lines for files, or one line without a file";
    check_refused("2,a,,,,wire\n" ONE("a"), error);
    check_refused(ONE("a") "2,a,,,,wire\n", error);
    check_refused("2,a,,,,wire\n2,a,,,,wire\n", error);
    check_refused("2,,,,,wire\n",
                  "mods/mod.csv:2:4: name: the top directory needs no line without a file");
    check_refused("2,a,,,0x00000001,wire\n",
                  "mods/mod.csv:2:6: name_hash: must be 0x and eight hexadecimal digits");
}

/* Round 2: 9 bytes, and 8 for each file: 3246 fit into 25,983. */
TEST(a_round_has_no_more_than_a_client_can_answer)
{
    enum { FIT = (SB_CHECKSUM_RESPONSE_MAX - 9) / 8 };
    static char text[1 << 20];
    size_t      at = 0;
    sb_data     data = { 0 };
    at += (size_t)snprintf(text, sizeof text, HEADING);
    for (unsigned i = 0; i < FIT; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "2,,,0x%08X,0x00000001,wire\n", i);
    CHECK_EQ(load(&data, text)->count, FIT);
    sb_data_free(&data);
    snprintf(text + at, sizeof text - at, "2,a,,,,wire\n");
    check_refused_bytes(text, strlen(text),
                        "mods/mod.csv:3248:1: round: has more files than fit into 25983 bytes");
}

/* 3245 files and two directories are 25,974 bytes; the head has 9, in round 0 13. */
static const char *nearly_too_long(unsigned round)
{
    static char text[1 << 20];
    size_t      at = (size_t)snprintf(text, sizeof text, HEADING);
    for (unsigned i = 0; i < 3245; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%u,,,0x%08X,0x00000001,wire\n", round,
                               i);
    snprintf(text + at, sizeof text - at, "%u,a,,,,wire\n%u,b,,,,wire\n", round, round);
    return text;
}

TEST(the_version_in_round_0_takes_room)
{
    sb_data data = { 0 };
    CHECK_EQ(load(&data, nearly_too_long(2))->count, 3247);
    sb_data_free(&data);
    const char *text = nearly_too_long(0);
    check_refused_bytes(text, strlen(text),
                        "mods/mod.csv:3248:1: round: has more files than fit into 25983 bytes");
}

TEST(a_directory_has_255_subdirectories_at_most)
{
    static char text[16384];
    size_t      at = (size_t)snprintf(text, sizeof text, HEADING);
    sb_data     data = { 0 };
    for (unsigned i = 0; i < 255; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "2,?%08X,,,,wire\n", i);
    CHECK_EQ(load(&data, text)->count, 255);
    sb_data_free(&data);
    snprintf(text + at, sizeof text - at, "2,?00001000,,,,wire\n");
    check_refused_bytes(text, strlen(text),
                        "mods/mod.csv:257:3: directory: is the 256th directory of its parent");
}

TEST(what_cannot_be_read_is_told_as_the_system_tells_it)
{
    sb_data            data = { 0 };
    const sb_manifest *m = NULL;
    CHECK_EQ(sb_data_load_manifest(&data, (sb_data_source){ .name = "/nowhere/mod.csv" }, &m),
             SB_OS_ERROR);
    CHECK_TEXT(data.error, "/nowhere/mod.csv: No such file or directory");
    CHECK(!m);
    static char huge[SB_MANIFEST_FILE_BYTES_MAX + 1];
    CHECK_EQ(load_bytes(&data, huge, sizeof huge, &m), SB_BAD_VALUE);
    CHECK_TEXT(data.error, "mods/mod.csv: is longer than a manifest can be");
    sb_data_free(&data);
}

TEST(a_spoiled_manifest_is_refused_or_loads_but_never_harms)
{
    char        path[1024];
    static char good[65536], text[65536];
    sb_random   random;
    snprintf(path, sizeof path, "%s/data/manifests/vanilla-1.1.csv", SB_SOURCE_DIR);
    FILE *file = fopen(path, "rb");
    CHECK(file);
    size_t size = fread(good, 1, sizeof good, file);
    fclose(file);
    sb_random_init(&random, 3);
    for (unsigned n = 0; n < 2000; n++) {
        sb_data            data = { 0 };
        const sb_manifest *m = NULL;
        memcpy(text, good, size);
        for (unsigned i = 0; i < 4; i++)
            text[sb_random_below(&random, (uint32_t)size)] =
                ",\n/?0x,\r"[sb_random_below(&random, 8)];
        sb_result result = load_bytes(&data, text, size - sb_random_below(&random, 4000), &m);
        CHECK(result == SB_OK || (result == SB_BAD_VALUE && data.error[0]));
        sb_data_free(&data);
    }
}

/* ---- learning ---- */

typedef struct answer {
    uint8_t bytes[SB_CHECKSUM_RESPONSE_MAX];
    size_t  size;
} answer;

static sb_span span_of(const char *text)
{
    return (sb_span){ (const uint8_t *)text, strlen(text) };
}

static void open_answer(answer *a, const sb_manifest *manifest, size_t position)
{
    const sb_checksum_round *r = &sb_checksum_rounds()[position];
    sb_checksum_request      request = { r->index, span_of(r->directory), span_of(r->filter),
                                         r->recursive };
    CHECK_EQ(sb_manifest_answer(manifest, &request, a->bytes, sizeof a->bytes, &a->size), SB_OK);
}

static sb_result learn(sb_learned *learned, const sb_manifest *known, const answer *a)
{
    sb_message message;
    CHECK_EQ(sb_decode_message((sb_span){ a->bytes, a->size }, NULL, &message, NULL), SB_OK);
    return sb_learned_add(learned, known, &message.as.checksum_response);
}

/* Loads the learned text as a file. */
static const sb_manifest *load_learned(sb_data *data, const sb_learned *learned)
{
    size_t             size;
    char              *text = sb_learned_text(learned, &size);
    const sb_manifest *m = NULL;
    CHECK(text);
    sb_result result = load_bytes(data, text, size, &m);
    free(text);
    CHECK_TEXT(data->error, "");
    CHECK_EQ(result, SB_OK);
    return m;
}

TEST(a_vanilla_client_teaches_the_vanilla_manifest)
{
    sb_learned learned = { 0 };
    sb_data    data = { 0 };
    for (size_t i = SB_CHECKSUM_ROUNDS; i-- > 0;) { /* the order of learning does not matter */
        static answer a;
        CHECK(!sb_learned_is_complete(&learned));
        open_answer(&a, sb_vanilla_manifest(), i);
        CHECK_EQ(learn(&learned, NULL, &a), SB_OK);
        CHECK_EQ(learn(&learned, NULL, &a), SB_OK); /* again: replaced, not repeated */
    }
    CHECK(sb_learned_is_complete(&learned));
    const sb_manifest *m = load_learned(&data, &learned);
    const sb_manifest *vanilla = sb_vanilla_manifest();
    CHECK_EQ(m->count, vanilla->count);
    for (size_t i = 0; i < m->count; i++) {
        CHECK_TEXT(m->files[i].directory, vanilla->files[i].directory);
        CHECK_TEXT(m->files[i].name, vanilla->files[i].name);
        CHECK_EQ(m->files[i].content_hash, vanilla->files[i].content_hash);
        CHECK(!m->files[i].calculated);
    }
    sb_data_free(&data);
    sb_learned_free(&learned);
}

TEST(unknown_names_are_kept_as_hashes)
{
    answer     a;
    sb_learned learned = { 0 };
    sb_data    data = { 0 };
    a.size = test_hex("21 02 C4 D1 17 C0 01 00 EF BE AD DE 01 00 00 00 01 78 56 34 12"
                      "00 00 01 D4 FD AF CA 01 00 BA 3E B2 3E 02 00 00 00 00",
                      a.bytes, sizeof a.bytes);
    CHECK_EQ(learn(&learned, NULL, &a), SB_OK);
    CHECK_EQ(learned.sizes[2], strlen(learned.rounds[2]));
    CHECK_TEXT(learned.rounds[2], "2,,,0xDEADBEEF,0x00000001,wire\n"
                                  "2,?12345678,,,,wire\n"
                                  "2,?12345678/Hardpoints,Akira.pyc,0x3EB23EBA,0x00000002,wire\n");
    const sb_manifest *m = load_learned(&data, &learned);
    CHECK_EQ(m->files[2].directory_hash, 0xCAAFFDD4);
    sb_data_free(&data);
    sb_learned_free(&learned);
}

TEST(names_of_a_mod_are_known_by_its_manifest)
{
    answer     a;
    sb_learned learned = { 0 };
    sb_data    data = { 0 };
    char       text[256];
    /* A name that the CSV form can hold; a name with a wrong hash; a name with a comma. */
    snprintf(text, sizeof text, HEADING "2,,Ark.pyc,0x%08X,0x00000001,wire\n",
             (unsigned)sb_hash_string(span_of("Ark.pyc")));
    const sb_manifest_file *ark = load(&data, text)->files;
    sb_manifest_file        files[3] = { *ark, *ark, *ark };
    files[1].name_hash++;
    files[2].name = "a,b.pyc";
    files[2].name_hash = sb_hash_string(span_of("a,b.pyc"));
    sb_manifest mod = { "mod", files, 3 };
    open_answer(&a, &mod, 2);
    CHECK_EQ(learn(&learned, &mod, &a), SB_OK);
    snprintf(text, sizeof text,
             "2,,Ark.pyc,0x%08X,0x00000001,wire\n2,,,0x%08X,0x00000001,wire\n"
             "2,,,0x%08X,0x00000001,wire\n",
             (unsigned)files[0].name_hash, (unsigned)files[1].name_hash,
             (unsigned)files[2].name_hash);
    CHECK_TEXT(learned.rounds[2], text);
    sb_data_free(&data);
    sb_learned_free(&learned);
}

static void check_not_learned(const char *hex, const char *error)
{
    answer     a;
    sb_learned learned = { 0 };
    a.size = test_hex(hex, a.bytes, sizeof a.bytes);
    sb_result result = learn(&learned, NULL, &a);
    sb_learned_free(&learned);
    CHECK_EQ(result, SB_BAD_VALUE);
    CHECK_TEXT(learned.error, error);
    CHECK(!learned.rounds[2] && !learned.rounds[0]);
}

TEST(what_no_file_system_has_is_not_learned)
{
    check_not_learned("21 02 C4 D1 17 C0 02 00 01 00 00 00 02 00 00 00 01 00 00 00 02 00 00 00 00",
                      "learned:3:5: name_hash: was listed before");
    /* The same directory twice: directly, with other files, and after another directory. */
    check_not_learned(
        "21 02 C4 D1 17 C0 00 00 02 01 00 00 00 01 00 00 00 00 00 00 00 00 00",
        "learned:3:13: name: a directory has lines for files, or one line without a file");
    check_not_learned("21 02 C4 D1 17 C0 00 00 02 01 00 00 00 01 00 00 00"
                      "01 00 05 00 00 00 06 00 00 00 00 01 00 07 00 00 00 08 00 00 00 00",
                      "learned: a directory was listed twice");
    check_not_learned("21 02 C4 D1 17 C0 00 00 03 01 00 00 00 02 00 00 00 01 00 00 00"
                      "00 00 00 00 00 00 00 00 00",
                      "learned:4:3: directory: was listed before");
    check_not_learned("21 02 C5 D1 17 C0 00 00 00",
                      "the answer to round 2 is not learned: it is for another directory");
    check_not_learned("21 07 C5 D1 17 C0 00 00 00",
                      "the answer to round 7 is not learned: no such round");
    check_not_learned("21 00 44 E2 0C 7E 2F CB AF 4D 00 00 00",
                      "the answer to round 0 is not learned: it is from another version");
}

/* A random tree of known and unknown names and empty directories, down to the maximum depth. */
static void add_tree(answer *a, sb_random *r, unsigned depth)
{
    static const uint32_t known[] = { 0xE9DD9FA2, 0xCAAFFDD4, 0x83C82BA5, 0 };
    uint32_t              files = sb_random_below(r, 4), directories = sb_random_below(r, 4);
    if (depth == SB_TREE_DEPTH_MAX || a->size > 20000) directories = 0;
    if (sb_random_below(r, 3) == 0) files = 0;
    sb_store_u16(a->bytes + a->size, (uint16_t)files);
    a->size += 2;
    for (uint32_t i = 0; i < files; i++, a->size += 8) {
        /* Only the first name may be a known one, so that no name is twice in a directory. */
        bool famous = i == 0 && sb_random_below(r, 2);
        sb_store_u32(a->bytes + a->size,
                     famous ? known[sb_random_below(r, 4)] : (uint32_t)sb_random_next(r));
        sb_store_u32(a->bytes + a->size + 4, (uint32_t)sb_random_next(r));
    }
    a->bytes[a->size++] = (uint8_t)directories;
    for (uint32_t i = 0; i < directories; i++, a->size += 4) {
        bool famous = i == 0 && sb_random_below(r, 2);
        sb_store_u32(a->bytes + a->size,
                     famous ? known[sb_random_below(r, 4)] : (uint32_t)sb_random_next(r));
    }
    for (uint32_t i = 0; i < directories; i++) add_tree(a, r, depth + 1);
}

static void make_answer(answer *a, sb_random *r, size_t position)
{
    const sb_checksum_round *round = &sb_checksum_rounds()[position];
    a->bytes[0] = 0x21;
    a->bytes[1] = round->index;
    a->size = 2;
    if (round->index == 0) {
        sb_store_u32(a->bytes + a->size, SB_CHECKSUM_REF_HASH);
        a->size += 4;
    }
    sb_store_u32(a->bytes + a->size, sb_hash_directory(span_of(round->directory)));
    a->size += 4;
    size_t head = a->size;
    add_tree(a, r, 0);
    if (a->size > head + 3) return;
    a->size = head; /* no file at all: no tree, and the hash plus 1 (spec 06 §5.2) */
    a->bytes[head - 4]++;
}

/* A manifest learned from five random responses accepts each and reproduces it byte for byte. */
static void check_answers_are_repeated(sb_random *random)
{
    static answer asked[SB_CHECKSUM_ROUNDS], answered;
    sb_learned    learned = { 0 };
    sb_data       data = { 0 };
    for (size_t i = 0; i < SB_CHECKSUM_ROUNDS; i++) {
        make_answer(&asked[i], random, i);
        sb_result result = learn(&learned, NULL, &asked[i]);
        CHECK_TEXT(learned.error, "");
        CHECK_EQ(result, SB_OK);
    }
    const sb_manifest *m = load_learned(&data, &learned);
    for (size_t i = 0; i < SB_CHECKSUM_ROUNDS; i++) {
        sb_message message;
        open_answer(&answered, m, i);
        CHECK_BYTES(answered.bytes, answered.size, asked[i].bytes, asked[i].size);
        CHECK_EQ(
            sb_decode_message((sb_span){ asked[i].bytes, asked[i].size }, NULL, &message, NULL),
            SB_OK);
        CHECK_EQ(sb_manifest_compare(m, &message.as.checksum_response, false, NULL, NULL), 0);
    }
    sb_data_free(&data);
    sb_learned_free(&learned);
}

TEST(a_learned_manifest_answers_what_the_client_answered)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        sb_random random;
        sb_random_init(&random, seed);
        check_answers_are_repeated(&random);
    }
}

/* Stock clients send no tree; an empty one of another implementation means the same. */
TEST(an_empty_tree_is_learned_as_no_files)
{
    answer     a, again;
    sb_learned learned = { 0 };
    sb_data    data = { 0 };
    a.size = test_hex("21 01 2F CB AF 4D 00 00 00", a.bytes, sizeof a.bytes);
    CHECK_EQ(learn(&learned, NULL, &a), SB_OK);
    const sb_manifest *m = load_learned(&data, &learned);
    CHECK_EQ(m->count, 0);
    open_answer(&again, m, 1);
    CHECK_EQ(again.size, 6);
    sb_data_free(&data);
    sb_learned_free(&learned);
}

TEST(a_learned_manifest_is_written_whole_or_not_at_all)
{
    char               path[] = "/tmp/starbase-manifest-XXXXXX";
    char               file[64], new[64];
    answer             a;
    sb_learned         learned = { 0 };
    sb_data            data = { 0 };
    const sb_manifest *m = NULL;
    CHECK(mkdtemp(path));
    snprintf(file, sizeof file, "%s/mod.csv", path);
    snprintf(new, sizeof new, "%s/mod.csv.new", path);
    open_answer(&a, sb_vanilla_manifest(), 0);
    CHECK_EQ(learn(&learned, NULL, &a), SB_OK);
    CHECK_EQ(sb_learned_write(&learned, file), SB_OK);
    CHECK_EQ(sb_learned_write(&learned, file), SB_OK); /* replaces */
    sb_result result = sb_data_load_manifest(&data, (sb_data_source){ .name = file }, &m);
    bool      left_over = access(new, F_OK) == 0;
    unlink(file);
    rmdir(path);
    CHECK_EQ(result, SB_OK);
    CHECK(!left_over);
    CHECK_TEXT(m->name, "mod");
    CHECK_EQ(m->count, 1);
    CHECK_TEXT(m->files[0].name, "App.pyc");
    CHECK_EQ(sb_learned_write(&learned, "/nowhere/mod.csv"), SB_OS_ERROR);
    CHECK_TEXT(learned.error, "/nowhere/mod.csv: No such file or directory");
    sb_data_free(&data);
    sb_learned_free(&learned);
}
