/* src/game/manifest.c -- directories of a manifest, and the names that belong to its hashes.
 *
 * For:      manifest_compare.c and manifest_answer.c, which walk a manifest as a tree.
 * May use:  the vanilla manifest, which tools/compile-data makes from data/manifests.
 * Spec:     06 §5.2, §7.
 */
#include <starbase/manifest.h>

#include "game/manifest_tree.h"

#include <string.h>

/* ---- directories ---- */

static bool is_below(const char *path, const char *above)
{
    size_t size = strlen(above);
    if (size == 0) return path[0] != '\0';
    return strncmp(path, above, size) == 0 && path[size] == '/';
}

/* The directory `path`, whose entries start at `first`. Entries of it and of its subdirectories lie
 * before `limit`. */
static sb_manifest_directory directory_at(const sb_manifest *m, const char *path, size_t first,
                                          size_t limit)
{
    sb_manifest_directory d = { .manifest = m, .path = path, .first = first, .end = first };
    while (d.end < limit && strcmp(m->files[d.end].directory, path) == 0) d.end++;
    d.after = d.end;
    while (d.after < limit && is_below(m->files[d.after].directory, path)) d.after++;
    return d;
}

sb_manifest_directory sb_manifest_root(const sb_manifest *m, unsigned position)
{
    size_t first = 0;
    while (first < m->count && m->files[first].position != position) first++;
    size_t limit = first;
    while (limit < m->count && m->files[limit].position == position) limit++;
    return directory_at(m, "", first, limit);
}

bool sb_manifest_next_child(const sb_manifest_directory *parent, size_t *at,
                            sb_manifest_directory *child)
{
    if (*at >= parent->after) return false;
    const sb_manifest_file *entry = &parent->manifest->files[*at];
    *child = directory_at(parent->manifest, entry->directory, *at, parent->after);
    child->hash = entry->directory_hash;
    *at = child->after;
    return true;
}

bool sb_manifest_is_empty(const sb_manifest_directory *directory)
{
    return directory->first == directory->after;
}

bool sb_manifest_is_file(const sb_manifest_file *entry)
{
    return !entry->name || entry->name[0] != '\0';
}

const char *sb_manifest_leaf(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- names ---- */

static const char *find_name(const sb_manifest *m, uint32_t hash)
{
    for (const sb_manifest_file *f = m->files; f < m->files + m->count; f++) {
        if (f->name_hash == hash && f->name && f->name[0]) return f->name;
        if (f->directory_hash != hash || !f->directory[0]) continue;
        const char *leaf = sb_manifest_leaf(f->directory);
        if (leaf[0] != '?') return leaf; /* a ? marks a directory known by its hash alone */
    }
    return NULL;
}

const char *sb_manifest_name_of(const sb_manifest *manifest, uint32_t name_hash)
{
    const sb_manifest *vanilla = sb_vanilla_manifest();
    const char        *name = manifest ? find_name(manifest, name_hash) : NULL;
    return name || manifest == vanilla ? name : find_name(vanilla, name_hash);
}
