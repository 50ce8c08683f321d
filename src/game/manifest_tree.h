/* src/game/manifest_tree.h -- the directories of a manifest, found in its list of files.
 *
 * For:      manifest_compare.c and manifest_answer.c: one walks, the other writes the tree.
 * Never:    needs memory: a manifest is in tree order, so a directory is a run of its entries, and
 *           what lies below it is the run behind.
 */
#ifndef SB_GAME_MANIFEST_TREE_H
#define SB_GAME_MANIFEST_TREE_H

#include <starbase/manifest.h>

typedef struct sb_manifest_directory {
    const sb_manifest *manifest;
    const char        *path;  /* below the requested directory; "" for itself */
    uint32_t           hash;  /* of its last component */
    size_t             first; /* its own entries: [first, end) */
    size_t             end;
    size_t             after; /* those of everything below it: [end, after) */
} sb_manifest_directory;

/* The requested directory of a round; without entries if the manifest has none. */
sb_manifest_directory sb_manifest_root(const sb_manifest *manifest, unsigned position);
/* The subdirectory whose entries begin at `*at`, which moves behind it; begin with parent->end.
 * False: no more. */
bool sb_manifest_next_child(const sb_manifest_directory *parent, size_t *at,
                            sb_manifest_directory *child);
/* False: the entry only says that the directory is there, and has no files. */
bool sb_manifest_is_file(const sb_manifest_file *entry);
/* The last component of a path. */
const char *sb_manifest_leaf(const char *path);

#endif
