/* src/load/masters_file.h -- master servers from a masterserver.txt, as the stock game has it.
 *
 * For:      src/config, which adds them to the masters a room announces itself to.
 * May use:  files, malloc; the texts belong to an sb_data.
 * Never:    resolves a name, or accepts a file in part: one wrong line refuses the file.
 * Spec:     05 §5.
 */
#ifndef SB_LOAD_MASTERS_FILE_H
#define SB_LOAD_MASTERS_FILE_H

#include "load/lua_table.h"

enum { SB_MASTERS_FILE_BYTES_MAX = 64 * 1024 };

/* A list with room for `capacity` texts. */
typedef struct sb_master_list {
    const char **items;
    size_t       count, capacity;
} sb_master_list;

/* Returns the fault of a "HOST" or "HOST:PORT"; NULL: it is valid. */
typedef const char *(*sb_master_check)(const char *text);

/* Appends one text per line to `list`; lines beyond its capacity are checked and dropped. Empty
 * lines and comments (#, //) are ignored. The texts are lent until sb_data_free. SB_BAD_VALUE,
 * SB_OS_ERROR: data->error says why. */
SB_MUST_USE sb_result sb_data_load_masters(sb_data *data, const char *path, sb_master_check check,
                                           sb_master_list *list);

#endif
