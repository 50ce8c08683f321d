/* src/load/manifest_learn.c -- makes a new manifest from the checksum responses of a client.
 *
 * For:      `learn` mode: one reference client joins, and later clients are compared with it.
 * May use:  files, malloc.
 * Never:    stores a round that, loaded as a manifest, does not reproduce the client's response.
 * Spec:     06 §5.2, §7.
 * Tests:    tests/load/manifest_file_test.c
 */
#include "load/manifest_file.h"

#include "base/assert.h"

#include <starbase/hash.h>
#include <starbase/message_join.h>

#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sb_result fail_with(sb_learned *learned, sb_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static sb_result fail_with(sb_learned *learned, sb_result result, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(learned->error, sizeof learned->error, format, list);
    va_end(list);
    return result;
}

/* ---- a response as CSV lines ---- */

typedef struct lines {
    FILE              *out;
    const sb_manifest *known;
    unsigned           round; /* 0 to 3, or 255 */
    char               path[SB_TREE_DEPTH_MAX * (SB_MANIFEST_NAME_MAX + 1)];
    size_t             ends[SB_TREE_DEPTH_MAX + 1]; /* length of the path at each depth */
    bool               empty; /* no file of the directory `path` has been written so far */
} lines;

/* The name with this hash, if the CSV form can hold it; NULL: write the hash instead. */
static const char *find_name(const lines *l, uint32_t hash)
{
    const char *name = sb_manifest_name_of(l->known, hash);
    return name && sb_manifest_file_is_name(name) && sb_hash_string(sb_text_span(name)) == hash
               ? name
               : NULL;
}

static void write_file(lines *l, const sb_tree_step *step)
{
    const char *name = find_name(l, step->name_hash);
    fprintf(l->out, "%u,%s,%s,0x%08X,0x%08X,wire\n", l->round, l->path, name ? name : "",
            (unsigned)step->name_hash, (unsigned)step->content_hash);
    l->empty = false;
}

/* Called before the walk leaves a directory: writes the line of a directory without files. */
static void finish_directory(lines *l)
{
    if (l->empty) fprintf(l->out, "%u,%s,,,,wire\n", l->round, l->path);
    l->empty = false;
}

static void enter_directory(lines *l, const sb_tree_step *step)
{
    SB_ASSERT(step->depth >= 1 && step->depth <= SB_TREE_DEPTH_MAX);
    size_t      at = l->ends[step->depth - 1], left = sizeof l->path - at;
    const char *name = find_name(l, step->name_hash), *slash = at > 0 ? "/" : "";
    int         size = name ? snprintf(l->path + at, left, "%s%s", slash, name)
                            : snprintf(l->path + at, left, "%s?%08X", slash, (unsigned)step->name_hash);
    l->ends[step->depth] = at + (size_t)size;
    l->empty = true;
}

static void write_tree(lines *l, const sb_checksum_response *response)
{
    sb_tree_cursor cursor;
    sb_tree_cursor_init(&cursor, response);
    for (;;) {
        sb_tree_step step = sb_tree_cursor_next(&cursor);
        if (step.kind == SB_TREE_FILE) {
            write_file(l, &step);
            continue;
        }
        finish_directory(l);
        if (step.kind == SB_TREE_END) return;
        enter_directory(l, &step);
    }
}

/* ---- rounds ---- */

/* Checks the fields that a manifest does not store; they are the same in the responses of all
 * clients. Returns the fault; NULL: none. */
static const char *find_wrong_field(const sb_checksum_response *response, int position)
{
    if (position < 0) return "no such round";
    const char *directory = sb_checksum_rounds()[position].directory;
    sb_span     path = { (const uint8_t *)directory, strlen(directory) };
    if (response->dir_hash != sb_hash_directory(path) + response->no_files)
        return "it is for another directory";
    if (response->index == 0 && response->ref_hash != SB_CHECKSUM_REF_HASH)
        return "it is from another version";
    return NULL;
}

/* No tree, or one without files and subdirectories: a manifest cannot tell them apart. */
static bool is_empty_tree(sb_span tree)
{
    static const uint8_t empty[3] = { 0 };
    return tree.size == 0 || (tree.size == sizeof empty && memcmp(tree.data, empty, 3) == 0);
}

/* True if a client with this manifest would send the same tree. */
static bool reproduces_response(const sb_manifest *manifest, const sb_checksum_response *response,
                                int position)
{
    const sb_checksum_round *r = &sb_checksum_rounds()[position];
    uint8_t                  answer[SB_CHECKSUM_RESPONSE_MAX];
    size_t                   size;
    sb_span                  tree = response->tree;
    sb_span                  directory = { (const uint8_t *)r->directory, strlen(r->directory) };
    sb_span                  filter = { (const uint8_t *)r->filter, strlen(r->filter) };
    sb_checksum_request      request = { r->index, directory, filter, r->recursive };
    if (sb_manifest_answer(manifest, &request, answer, sizeof answer, &size) != SB_OK) return false;
    size_t head = r->index == 0 ? 10 : 6; /* opcode, index, ref_hash, dir_hash */
    if (is_empty_tree(tree)) return size == head;
    return size == head + tree.size && memcmp(answer + head, tree.data, tree.size) == 0;
}

/* Loads the lines as a manifest, which refuses duplicate names: no file system has them. */
static sb_result check_lines(sb_learned *learned, const char *text, size_t size,
                             const sb_checksum_response *response, int position)
{
    sb_data            data = { 0 };
    const sb_manifest *manifest;
    sb_data_source     source = { .name = "learned", .text = text, .size = size };
    sb_result          result = sb_data_load_manifest(&data, source, &manifest);
    if (result != SB_OK) fail_with(learned, result, "%s", data.error);
    else if (!reproduces_response(manifest, response, position))
        result = fail_with(learned, SB_BAD_VALUE, "learned: a directory was listed twice");
    sb_data_free(&data);
    return result;
}

/* The heading and the lines of one round; given. NULL: out of memory. */
static char *write_round(const sb_manifest *known, const sb_checksum_response *response,
                         size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out) return NULL;
    lines l = { .out = out, .known = known, .round = response->index };
    fprintf(out, "%s\n", sb_manifest_heading);
    write_tree(&l, response);
    bool failed = ferror(out);
    if (fclose(out) == 0 && !failed) return text;
    free(text);
    return NULL;
}

sb_result sb_learned_add(sb_learned *learned, const sb_manifest *known,
                         const sb_checksum_response *response)
{
    int         position = sb_checksum_position(response->index);
    const char *why = find_wrong_field(response, position);
    if (why)
        return fail_with(learned, SB_BAD_VALUE, "the answer to round %u is not learned: %s",
                         response->index, why);
    size_t size, heading = strlen(sb_manifest_heading) + 1;
    char  *text = write_round(known, response, &size);
    if (!text) return fail_with(learned, SB_OS_ERROR, "out of memory");
    sb_result result = check_lines(learned, text, size, response, position);
    if (result != SB_OK) {
        free(text);
        return result;
    }
    memmove(text, text + heading, size - heading + 1); /* its NUL too */
    free(learned->rounds[position]);
    learned->rounds[position] = text;
    learned->sizes[position] = size - heading;
    return SB_OK;
}

bool sb_learned_is_complete(const sb_learned *learned)
{
    for (size_t i = 0; i < SB_CHECKSUM_ROUNDS; i++)
        if (!learned->rounds[i]) return false;
    return true;
}

void sb_learned_free(sb_learned *learned)
{
    for (size_t i = 0; i < SB_CHECKSUM_ROUNDS; i++) {
        free(learned->rounds[i]);
        learned->rounds[i] = NULL;
    }
}

/* ---- the file ---- */

static void write_all(const sb_learned *learned, FILE *out)
{
    fprintf(out, "# Learned from a client. data/manifests/vanilla-1.1.csv explains the form.\n%s\n",
            sb_manifest_heading);
    for (size_t i = 0; i < SB_CHECKSUM_ROUNDS; i++)
        if (learned->rounds[i]) fwrite(learned->rounds[i], 1, learned->sizes[i], out);
}

char *sb_learned_text(const sb_learned *learned, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out) return NULL;
    write_all(learned, out);
    bool failed = ferror(out);
    if (fclose(out) == 0 && !failed) return text;
    free(text);
    return NULL;
}

static bool write_new_file(const sb_learned *learned, const char *path)
{
    FILE *out = fopen(path, "wb");
    if (!out) return false;
    write_all(learned, out);
    bool good = fflush(out) == 0 && !ferror(out) && fsync(fileno(out)) == 0;
    return fclose(out) == 0 && good;
}

sb_result sb_learned_write(sb_learned *learned, const char *path)
{
    char new[4096];
    int size = snprintf(new, sizeof new, "%s.new", path);
    if (size < 0 || (size_t)size >= sizeof new)
        return fail_with(learned, SB_OS_ERROR, "%.200s...: the path is too long", path);
    if (write_new_file(learned, new) && rename(new, path) == 0) return SB_OK;
    int why = errno;
    unlink(new);
    return fail_with(learned, SB_OS_ERROR, "%.300s: %s", path, strerror(why));
}
