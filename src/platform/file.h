/* src/platform/file.h -- opens regular files, and checks paths before a program depends on them.
 *
 * For:      folders that may not call the system themselves (src/config), src/load and apps.
 * Never:    changes a file, or waits: a FIFO without a writer would hold up the program for ever.
 */
#ifndef SB_PLATFORM_FILE_H
#define SB_PLATFORM_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Opens a regular file for reading; the caller closes it. Devices, FIFOs and sockets are refused:
 * they may have no end, or never a beginning. NULL: *why says what is wrong and what to do, or is
 * the system's error text. */
FILE *sb_file_open(const char *path, const char **why);
/* True if something has this path: a file or a directory. */
bool sb_file_exists(const char *path);
/* NULL: the path has a regular file, or nothing that can be seen. Otherwise why the path cannot be
 * opened as a file; opening a FIFO would wait for another program, perhaps for ever. */
const char *sb_file_kind_error(const char *path);
/* The system's error text if files in `directory` cannot be opened; NULL: they can. */
const char *sb_file_directory_error(const char *directory);
/* The error text if `path` cannot be replaced by a new file written beside it, or is anything but a
 * regular file; NULL: it can. Only for a warning in advance: the file system may change before the
 * file is written. */
const char *sb_file_replace_error(const char *path);

#endif
