/* src/load/client_files.h -- loads the folder of files that a server sends to its clients.
 *
 * For:      the key `send_files`: files for clients whose mission scripts differ.
 * May use:  files, directories, malloc; what was loaded belongs to an sb_data.
 * Never:    leaves the folder: no link is followed, and a name that means something else on
 *           Windows is refused. Never accepts a folder in part: a file that is no entry of a
 *           manifest, or has another content than the manifest says, refuses the folder.
 * Spec:     06 §5.4.
 */
#ifndef SB_LOAD_CLIENT_FILES_H
#define SB_LOAD_CLIENT_FILES_H

#include <starbase/manifest.h>

#include "load/lua_table.h"

enum {
    SB_CLIENT_FILES_BYTES_MAX = 16 << 20, /* of all messages of a folder */
    SB_CLIENT_FILES_ENTRIES_MAX = 4096,   /* files and directories that are looked at */
};

typedef struct sb_client_files {
    const sb_client_file *files; /* in the order in which they are sent */
    size_t                count;
    size_t                bytes; /* of all messages */
} sb_client_files;

/* Reads every file below `directory`, which stands for the folder Scripts/Multiplayer of the game
 * or holds a folder Scripts/Multiplayer. `count` may be 0: the vanilla manifest. SB_BAD_VALUE: the
 * folder is refused. SB_OS_ERROR: it could not be read, or memory ran out. data->error says why.
 * *out is lent until sb_data_free; its directories are lent by the manifests. */
SB_MUST_USE sb_result sb_data_load_client_files(sb_data *data, const char *directory,
                                                const sb_manifest *const *manifests, size_t count,
                                                sb_client_files *out);

#endif
