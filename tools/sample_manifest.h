/* tools/sample_manifest.h -- encodes the file trees of a client's checksum responses.
 *
 * For:      tools/make-sample; reads docs/facts/checksum_manifest_vanilla_1_1.csv.
 * Spec:     06 §5.2.
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

/* Exits if the file cannot be read. */
void manifest_load(manifest *m, const char *path);
/* Writes the tree of one round below `path` ("" for the whole tree). Returns its size. */
size_t manifest_write_tree(const manifest *m, unsigned round, const char *path, uint8_t *out);

#endif
