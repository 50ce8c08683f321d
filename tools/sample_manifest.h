/* tools/sample_manifest.h -- the file trees a client tells the host about, from the facts table.
 *
 * For:      tools/make-sample. Spec 06 §5.2, docs/facts/checksum_manifest_vanilla_1_1.csv.
 */
#ifndef SB_TOOLS_SAMPLE_MANIFEST_H
#define SB_TOOLS_SAMPLE_MANIFEST_H

#include <starbase/base.h>

typedef struct manifest_file {
    unsigned round;
    char     subdir[64];
    uint32_t name_hash, content_hash;
} manifest_file;

typedef struct manifest {
    manifest_file files[256];
    size_t        count;
} manifest;

/* Ends the program if the file cannot be read. */
void manifest_load(manifest *m, const char *path);
/* Writes the tree of one round below `path` ("" for all of it). Returns its size. */
size_t manifest_write_tree(const manifest *m, unsigned round, const char *path, uint8_t *out);

#endif
