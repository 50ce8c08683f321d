/* src/game/manifest_compare.c -- compares a client's files with a manifest.
 *
 * For:      a server that received a ChecksumResponse.
 * Never:    trusts a count. The decoder has checked the tree, but it is read with bounds again.
 * Spec:     06 §5.3, §7 steps 2 to 6.
 * Tests:    tests/game/manifest_test.c
 *
 * The work is bounded by the entries of the largest response (25,983 bytes) times the files of a
 * round. A directory that only one side has is one difference, whatever it contains.
 */
#include <starbase/hash.h>
#include <starbase/manifest.h>
#include <starbase/message_join.h>

#include "base/text.h"
#include "game/manifest_tree.h"
#include "wire/reader.h"

#include <string.h>

/* ---- reporting ---- */

static const char *const difference_texts[] = {
    [SB_DIFFERENT_VERSION] = "version differs",   [SB_DIFFERENT_DIRECTORY] = "directory differs",
    [SB_NO_SUCH_FILES] = "no such files",         [SB_FILE_MISSING] = "file missing",
    [SB_FILE_CHANGED] = "file changed",           [SB_FILE_EXTRA] = "file extra",
    [SB_DIRECTORY_MISSING] = "directory missing", [SB_DIRECTORY_EXTRA] = "directory extra",
};

_Static_assert(sizeof difference_texts / sizeof *difference_texts == SB_DIFFERENCE_COUNT,
               "a text for every kind");

const char *sb_difference_text(sb_difference_kind kind)
{
    return (unsigned)kind < SB_DIFFERENCE_COUNT ? difference_texts[kind] : "unknown difference";
}

typedef struct comparison {
    const sb_manifest *manifest;
    uint8_t            position;
    bool               allow_extra;
    sb_difference_fn   on_difference;
    void              *context;
    uint32_t           count;
    sb_reader          tree;
} comparison;

static void report(comparison *c, sb_difference d)
{
    bool extra = d.kind == SB_FILE_EXTRA || d.kind == SB_DIRECTORY_EXTRA;
    d.position = c->position;
    if (!extra || !c->allow_extra) c->count++;
    if (c->on_difference) c->on_difference(c->context, &d);
}

/* ---- lists of the response ---- */

/* Entries of `stride` bytes, each of which starts with a name hash. */
typedef struct entries {
    sb_span bytes;
    size_t  stride, count;
} entries;

static entries read_entries(sb_reader *r, size_t count, size_t stride)
{
    sb_span bytes = sb_reader_read_span(r, count * stride);
    return (entries){ bytes, stride, bytes.size / stride };
}

static uint32_t name_at(const entries *list, size_t i)
{
    return sb_load_u32(list->bytes.data + i * list->stride);
}

static bool has_name(const entries *list, size_t count, uint32_t name_hash)
{
    for (size_t i = 0; i < count; i++)
        if (name_at(list, i) == name_hash) return true;
    return false;
}

/* ---- files of one directory ---- */

/* Starts at `*next`, the entry after the last one found. Both lists are sorted by name [T], so the
 * first comparison nearly always matches. */
static const sb_manifest_file *find_file(const sb_manifest_directory *d, uint32_t name_hash,
                                         size_t *next)
{
    size_t count = d->end - d->first, at = *next;
    for (size_t i = 0; i < count; i++, at++) {
        if (at >= count) at = 0;
        const sb_manifest_file *f = &d->manifest->files[d->first + at];
        if (f->name_hash != name_hash || !sb_manifest_is_file(f)) continue;
        *next = at + 1;
        return f;
    }
    return NULL;
}

/* A hash from the wire is exact. A calculated one may differ in the bits of the file's tail (spec
 * 06 §6.2). */
static bool same_content(const sb_manifest_file *f, uint32_t found)
{
    if (f->calculated) return sb_file_hash_matches(f->content_hash, found);
    return f->content_hash == found;
}

static void report_extra(comparison *c, sb_difference_kind kind, const sb_manifest_directory *d,
                         uint32_t name_hash, uint32_t found)
{
    /* The search is slow and a hostile response has thousands of unknown hashes, so names are
     * looked up only for a callback. */
    const char *name = c->on_difference ? sb_manifest_name_of(c->manifest, name_hash) : NULL;
    report(c, (sb_difference){ kind, 0, d->path, name, name_hash, 0, found });
}

static void report_file(comparison *c, sb_difference_kind kind, const sb_manifest_directory *d,
                        const sb_manifest_file *f, uint32_t found)
{
    report(c, (sb_difference){ kind, 0, d->path, f->name, f->name_hash, f->content_hash, found });
}

/* The second entry of a file that is listed twice counts as extra; its content is compared too. */
static void compare_found_files(comparison *c, const sb_manifest_directory *d, const entries *files)
{
    size_t next = 0;
    for (size_t i = 0; i < files->count; i++) {
        uint32_t                name = name_at(files, i);
        uint32_t                found = sb_load_u32(files->bytes.data + i * files->stride + 4);
        const sb_manifest_file *f = find_file(d, name, &next);
        if (!f || has_name(files, i, name)) report_extra(c, SB_FILE_EXTRA, d, name, found);
        if (f && !same_content(f, found)) report_file(c, SB_FILE_CHANGED, d, f, found);
    }
}

static void compare_files(comparison *c, const sb_manifest_directory *d, const entries *files)
{
    compare_found_files(c, d, files);
    for (size_t i = d->first; i < d->end; i++) {
        const sb_manifest_file *f = &d->manifest->files[i];
        if (!sb_manifest_is_file(f) || has_name(files, files->count, f->name_hash)) continue;
        report_file(c, SB_FILE_MISSING, d, f, 0);
    }
}

/* ---- directories ---- */

static bool find_child(const sb_manifest_directory *parent, uint32_t name_hash,
                       sb_manifest_directory *child)
{
    for (size_t at = parent->end; sb_manifest_next_child(parent, &at, child);)
        if (child->hash == name_hash) return true;
    return false;
}

static void report_missing_directories(comparison *c, const sb_manifest_directory *parent,
                                       const entries *names)
{
    sb_manifest_directory child;
    for (size_t at = parent->end; sb_manifest_next_child(parent, &at, &child);) {
        if (has_name(names, names->count, child.hash)) continue;
        const char *leaf = sb_manifest_leaf(child.path);
        if (leaf[0] == '?') leaf = NULL;
        report(c, (sb_difference){ SB_DIRECTORY_MISSING, 0, parent->path, leaf, child.hash,
                                   child.hash, 0 });
    }
}

/* Compares one directory of the response and those below it. `d` is NULL inside a directory that
 * the manifest does not have; there the tree is only read, without reports. */
static void compare_directory(comparison *c, const sb_manifest_directory *d, unsigned depth)
{
    if (depth > SB_TREE_DEPTH_MAX) sb_reader_fail(&c->tree, SB_BAD_VALUE);
    entries files = read_entries(&c->tree, sb_reader_read_u16(&c->tree), 8);
    entries names = read_entries(&c->tree, sb_reader_read_u8(&c->tree), 4);
    if (d) {
        compare_files(c, d, &files);
        report_missing_directories(c, d, &names);
    }
    for (size_t i = 0; i < names.count; i++) {
        sb_manifest_directory child;
        uint32_t              name = name_at(&names, i);
        bool known = d && find_child(d, name, &child) && !has_name(&names, i, name);
        if (d && !known) report_extra(c, SB_DIRECTORY_EXTRA, d, name, name);
        compare_directory(c, known ? &child : NULL, depth + 1);
    }
}

/* ---- the response ---- */

/* VersionMismatch names the file of the request, App.pyc (spec 06 §5.3). */
static void compare_version(comparison *c, const sb_checksum_response *response)
{
    const char *file = sb_checksum_rounds()[0].filter;
    if (response->index != 0 || response->ref_hash == SB_CHECKSUM_REF_HASH) return;
    report(c,
           (sb_difference){ SB_DIFFERENT_VERSION, 0, "", file, sb_hash_string(sb_text_span(file)),
                            SB_CHECKSUM_REF_HASH, response->ref_hash });
}

static void compare_requested_directory(comparison *c, const sb_checksum_response *response)
{
    const char *path = sb_checksum_rounds()[c->position].directory;
    uint32_t    expected = sb_hash_directory((sb_span){ (const uint8_t *)path, strlen(path) });
    if (response->no_files) expected++; /* spec 06 §5.2 */
    if (response->dir_hash == expected) return;
    report(c, (sb_difference){ SB_DIFFERENT_DIRECTORY, 0, "", path, expected, expected,
                               response->dir_hash });
}

/* One difference for all files that the client does not have. A manifest without files of the round
 * describes such a client. */
static void compare_no_files(comparison *c, const sb_manifest_directory *root,
                             const sb_checksum_response *response)
{
    const char *filter = sb_checksum_rounds()[c->position].filter;
    if (sb_manifest_is_empty(root)) return;
    report(c,
           (sb_difference){ SB_NO_SUCH_FILES, 0, "", filter, sb_hash_string(sb_text_span(filter)),
                            response->dir_hash - 1, response->dir_hash });
}

uint32_t sb_manifest_compare(const sb_manifest *manifest, const sb_checksum_response *response,
                             bool allow_extra, sb_difference_fn on_difference, void *context)
{
    comparison c = { .manifest = manifest, .allow_extra = allow_extra };
    int        position = sb_checksum_position(response->index);
    c.on_difference = on_difference;
    c.context = context;
    if (position < 0) { /* no round has this index: a directory that was not requested */
        report(&c, (sb_difference){ SB_DIFFERENT_DIRECTORY, 0, "", NULL, response->dir_hash, 0,
                                    response->dir_hash });
        return c.count;
    }
    c.position = (uint8_t)position;
    compare_version(&c, response);
    compare_requested_directory(&c, response);
    sb_manifest_directory root = sb_manifest_root(manifest, c.position);
    if (response->no_files) {
        compare_no_files(&c, &root, response);
        return c.count;
    }
    sb_reader_init(&c.tree, response->tree, NULL);
    compare_directory(&c, &root, 0);
    return c.count;
}

/* ---- the name to send ---- */

typedef struct text_buffer {
    char  *out;
    size_t left; /* free bytes, with the terminator */
} text_buffer;

static void append_text(text_buffer *t, const char *bytes)
{
    for (; *bytes && t->left > 1; bytes++, t->left--) *t->out++ = *bytes;
    if (t->left > 0) *t->out = '\0';
}

static void append_hash(text_buffer *t, uint32_t hash)
{
    char digits[9] = { 0 };
    for (unsigned i = 0; i < 8; i++) digits[i] = "0123456789ABCDEF"[hash >> (28 - 4 * i) & 15];
    append_text(t, digits);
}

void sb_difference_name(const sb_difference *difference, char *out, size_t capacity)
{
    text_buffer t = { out, capacity };
    if (!difference->name) {
        append_text(&t, "<unknown ");
        append_hash(&t, difference->name_hash);
        append_text(&t, ">");
        return;
    }
    append_text(&t, difference->directory);
    if (difference->directory[0]) append_text(&t, "/");
    append_text(&t, difference->name);
}
