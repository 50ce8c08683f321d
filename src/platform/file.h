/* src/platform/file.h -- checks on paths before a program depends on them.
 *
 * For:      folders that may not call the system themselves (src/config), and src/load.
 * Never:    opens or changes a file.
 */
#ifndef SB_PLATFORM_FILE_H
#define SB_PLATFORM_FILE_H

#include <stdbool.h>

/* True if something has this path: a file or a directory. */
bool sb_file_exists(const char *path);
/* The system's error text if files in `directory` cannot be opened; NULL: they can. */
const char *sb_file_directory_error(const char *directory);
/* The system's error text if `path` cannot be replaced by a new file written beside it; NULL: it
 * can. Only for a warning in advance: the file system may change before the file is written. */
const char *sb_file_replace_error(const char *path);

#endif
