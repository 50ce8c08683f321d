/* src/game/manifest_tree.h -- the directories of a manifest, found in its list of files.
 *
 * For:      manifest_compare.c and manifest_answer.c.
 * Never:    needs memory. A manifest is in tree order: the entries of a directory are consecutive,
 *           and those of its subdirectories follow them.
 */
#ifndef SB_GAME_MANIFEST_TREE_H
#define SB_GAME_MANIFEST_TREE_H

#include <starbase/manifest.h>

typedef struct sb_manifest_directory {
    const sb_manifest *manifest;
    const char        *path;  /* below the requested directory; "" for that one */
    uint32_t           hash;  /* of its last component */
    size_t             first; /* its own entries are [first, end) */
    size_t             end;
    size_t             after; /* the entries of all its subdirectories are [end, after) */
} sb_manifest_directory;

/* The requested directory of a round. It is empty if the manifest has no files of that round. */
sb_manifest_directory sb_manifest_root(const sb_manifest *manifest, unsigned position);
/* Gives the subdirectory at `*at` and moves `*at` past it. Start with parent->end. False: no more.
 */
bool sb_manifest_next_child(const sb_manifest_directory *parent, size_t *at,
                            sb_manifest_directory *child);
/* True if the manifest lists neither files nor subdirectories in the directory. */
bool sb_manifest_is_empty(const sb_manifest_directory *directory);
/* False: the entry stands for a directory without files. */
bool sb_manifest_is_file(const sb_manifest_file *entry);
/* The last component of a path. */
const char *sb_manifest_leaf(const char *path);

#endif
