/* src/game/manifest_answer.c -- the ChecksumResponse of a client with the files of a manifest.
 *
 * For:      headless clients, which have no files.
 * Never:    sorts. A manifest has the order in which a client lists files.
 * Spec:     06 §5.2, §10 step 3.
 * Tests:    tests/game/manifest_test.c
 */
#include <starbase/hash.h>
#include <starbase/manifest.h>
#include <starbase/message_join.h>

#include "base/text.h"
#include "game/manifest_tree.h"
#include "wire/writer.h"

#include <string.h>

/* ---- the round of a request ---- */

/* Position of the round with this directory and filter; -1: none. The request's index does not
 * matter here: it is only sent back. */
static int find_round(const sb_checksum_request *request)
{
    const sb_checksum_round *rounds = sb_checksum_rounds();
    for (int i = 0; i < SB_CHECKSUM_ROUNDS; i++)
        if (rounds[i].recursive == request->recursive &&
            sb_text_equals(request->directory, rounds[i].directory) &&
            sb_text_equals(request->filter, rounds[i].filter))
            return i;
    return -1;
}

/* ---- the tree ---- */

static size_t count_files(const sb_manifest_directory *d)
{
    size_t count = 0;
    for (size_t i = d->first; i < d->end; i++) count += sb_manifest_is_file(&d->manifest->files[i]);
    return count;
}

static size_t count_children(const sb_manifest_directory *d)
{
    sb_manifest_directory child;
    size_t                count = 0;
    for (size_t at = d->end; sb_manifest_next_child(d, &at, &child);) count++;
    return count;
}

static void write_files(sb_writer *w, const sb_manifest_directory *d)
{
    sb_writer_write_u16(w, (uint16_t)count_files(d));
    for (size_t i = d->first; i < d->end; i++) {
        const sb_manifest_file *f = &d->manifest->files[i];
        if (!sb_manifest_is_file(f)) continue;
        sb_writer_write_u32(w, f->name_hash);
        sb_writer_write_u32(w, f->content_hash);
    }
}

/* Writes the files, the names of all subdirectories, then the tree of each subdirectory. */
static void write_tree(sb_writer *w, const sb_manifest_directory *d, unsigned depth)
{
    sb_manifest_directory child;
    size_t                children = count_children(d);
    /* Loaders refuse such a manifest, since no receiver could decode its tree. */
    if (depth > SB_TREE_DEPTH_MAX || children > 0xFF || count_files(d) > 0xFFFF)
        sb_writer_fail(w, SB_BAD_VALUE);
    write_files(w, d);
    sb_writer_write_u8(w, (uint8_t)children);
    for (size_t at = d->end; sb_manifest_next_child(d, &at, &child);)
        sb_writer_write_u32(w, child.hash);
    for (size_t at = d->end; w->status == SB_OK && sb_manifest_next_child(d, &at, &child);)
        write_tree(w, &child, depth + 1);
}

/* ---- the answer ---- */

sb_result sb_manifest_answer(const sb_manifest *manifest, const sb_checksum_request *request,
                             uint8_t *out, size_t capacity, size_t *size)
{
    int       round = find_round(request);
    sb_writer w;
    if (capacity > SB_CHECKSUM_RESPONSE_MAX) capacity = SB_CHECKSUM_RESPONSE_MAX;
    sb_writer_init(&w, out, capacity);
    sb_writer_write_u8(&w, SB_OP_CHECKSUM_RESPONSE);
    sb_writer_write_u8(&w, request->index);
    if (request->index == 0) sb_writer_write_u32(&w, SB_CHECKSUM_REF_HASH);
    /* No file has the position after the last round: for an unknown request there are no files. */
    sb_manifest_directory root =
        sb_manifest_root(manifest, round < 0 ? SB_CHECKSUM_ROUNDS : (unsigned)round);
    bool     no_files = sb_manifest_is_empty(&root);
    uint32_t hash = sb_hash_directory(request->directory);
    sb_writer_write_u32(&w, no_files ? hash + 1 : hash);
    if (!no_files) write_tree(&w, &root, 0);
    *size = sb_writer_at(&w);
    return sb_writer_finish(&w);
}
