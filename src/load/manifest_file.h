/* src/load/manifest_file.h -- loads manifests from CSV files, and writes new ones from the checksum
 * responses of a client.
 *
 * For:      servers that accept other files than the vanilla game's, `learn` mode, and
 *           tools/compile-data.
 * May use:  files, malloc; loaded manifests belong to an sb_data.
 * Never:    accepts a file in part: a wrong line refuses it, and the error names file, line, column
 *           and reason. Never writes a file that it would not load.
 * Spec:     06 §7. data/manifests/vanilla-1.1.csv explains the form.
 */
#ifndef SB_LOAD_MANIFEST_FILE_H
#define SB_LOAD_MANIFEST_FILE_H

#include <starbase/manifest.h>

#include "load/lua_table.h"

enum {
    SB_MANIFEST_FILE_BYTES_MAX = 8 << 20, /* enough for five full responses with long names */
    SB_MANIFEST_NAME_MAX = 255,           /* bytes of the name of a file or directory */
};

/* Loads a manifest. Its name is the file name without directory and ".csv". SB_BAD_VALUE: the file
 * is refused. SB_OS_ERROR: it could not be read, or memory ran out. data->error says why. *out is
 * lent until sb_data_free. */
SB_MUST_USE sb_result sb_data_load_manifest(sb_data *data, sb_data_source source,
                                            const sb_manifest **out);
/* True if the CSV form can hold the name of a file or directory: no comma, quote, slash or control
 * character. */
bool sb_manifest_file_is_name(const char *name);

/* The first line of a manifest: the names of its columns. */
extern const char sb_manifest_heading[];

/* ---- learning (spec 06 §7, mode `learn`) ---- */

/* The checksum rounds that one client answered, as CSV lines. Starts as { 0 }; sb_learned_free
 * frees it. */
typedef struct sb_learned {
    char  *rounds[SB_CHECKSUM_ROUNDS]; /* NULL: not answered yet */
    size_t sizes[SB_CHECKSUM_ROUNDS];
    char   error[SB_DATA_ERROR_MAX]; /* one line, after anything but SB_OK */
} sb_learned;

/* Adds or replaces a round. Names are looked up by hash in `known` (NULL: vanilla); unknown ones
 * stay empty. SB_BAD_VALUE: no client with this game sends such a response (another version,
 * another directory, a name twice), and nothing changed. SB_OS_ERROR: out of memory. */
SB_MUST_USE sb_result sb_learned_add(sb_learned *learned, const sb_manifest *known,
                                     const sb_checksum_response *response);
/* True if all five rounds were added. */
bool sb_learned_is_complete(const sb_learned *learned);
/* The whole file as text; given: free() it. NULL: out of memory. */
char *sb_learned_text(const sb_learned *learned, size_t *size);
/* Writes the rounds so far, complete or not, to a new file and renames it to `path`, so that no
 * reader sees half a file. SB_OS_ERROR: learned->error says why. */
SB_MUST_USE sb_result sb_learned_write(sb_learned *learned, const char *path);
void                  sb_learned_free(sb_learned *learned);

#endif
