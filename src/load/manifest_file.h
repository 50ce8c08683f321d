/* src/load/manifest_file.h -- manifests from CSV files, and new ones from what clients sent.
 *
 * For:      servers that know more than the vanilla game, `learn` mode, and tools/compile-data.
 * May use:  files, malloc; what was loaded belongs to an sb_data.
 * Never:    accepts a file in part: a line that is wrong refuses it, with file, line, column and
 *           reason. Writes a file that it would not load.
 * Spec:     06 §7. data/manifests/vanilla-1.1.csv explains the form.
 */
#ifndef SB_LOAD_MANIFEST_FILE_H
#define SB_LOAD_MANIFEST_FILE_H

#include <starbase/manifest.h>

#include "load/lua_table.h"

enum {
    SB_MANIFEST_FILE_BYTES_MAX = 8 << 20, /* five full responses, and long names */
    SB_MANIFEST_NAME_MAX = 255,           /* bytes of a file's or a directory's name */
};

/* Its name is that of the file without path and ".csv". SB_BAD_VALUE: refused; SB_OS_ERROR: it
 * could not be read or memory ran out; data->error says why. What *out points at is lent until
 * sb_data_free. */
SB_MUST_USE sb_result sb_data_load_manifest(sb_data *data, sb_data_source source,
                                            const sb_manifest **out);
/* A name of a file or directory that the form can hold: no comma, quote, slash, control. */
bool sb_is_manifest_name(const char *name);

/* The heading of a manifest: the names of its columns. */
extern const char sb_manifest_heading[];

/* ---- learning (spec 06 §7, mode `learn`) ---- */

/* Rounds that one client answered, as text. Starts as { 0 }; sb_learned_free ends it. */
typedef struct sb_learned {
    char  *rounds[SB_CHECKSUM_ROUNDS]; /* NULL: not answered yet */
    size_t sizes[SB_CHECKSUM_ROUNDS];
    char   error[SB_DATA_ERROR_MAX]; /* one line, after anything but SB_OK */
} sb_learned;

/* Adds a round, or replaces it. Names come from `known` (NULL: vanilla) by their hashes; others
 * stay empty. SB_BAD_VALUE: no client with files answers that (another version or directory, a name
 * twice), and nothing changed. SB_OS_ERROR: out of memory. */
SB_MUST_USE sb_result sb_learned_add(sb_learned *learned, const sb_manifest *known,
                                     const sb_checksum_response *response);
/* All five rounds are there. */
bool sb_learned_is_complete(const sb_learned *learned);
/* The whole file, given: free() it. NULL: out of memory. */
char *sb_learned_text(const sb_learned *learned, size_t *size);
/* Writes it, complete or not: to a new file that then replaces `path`, so that a reader never sees
 * half of it. SB_OS_ERROR: learned->error says why. */
SB_MUST_USE sb_result sb_learned_write(sb_learned *learned, const char *path);
void                  sb_learned_free(sb_learned *learned);

#endif
