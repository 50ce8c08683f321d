/* src/platform/file.c -- see file.h. */
#include "platform/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* NULL: a regular file. */
static const char *kind_error(mode_t mode)
{
    if (S_ISREG(mode)) return NULL;
    if (S_ISDIR(mode)) return strerror(EISDIR);
    if (S_ISFIFO(mode)) return "is a pipe, no regular file: save its contents and name that file";
    if (S_ISSOCK(mode)) return "is a socket, no regular file: name a regular file";
    return "is a device, no regular file: name a regular file";
}

/* NULL: `descriptor` is open on a regular file. Asking the open file leaves no moment in which
 * another one could take its place. */
static const char *open_error(int descriptor)
{
    struct stat status;
    if (descriptor < 0 && errno == ENXIO) return kind_error(S_IFSOCK);
    if (descriptor < 0 || fstat(descriptor, &status) != 0) return strerror(errno);
    return kind_error(status.st_mode);
}

FILE *sb_file_open(const char *path, const char **why)
{
    /* O_NONBLOCK: opening a FIFO does not wait for a writer. It changes nothing for regular files.
     */
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    *why = open_error(descriptor);
    FILE *file = *why ? NULL : fdopen(descriptor, "rb");
    if (file) return file;
    if (!*why) *why = strerror(errno);
    if (descriptor >= 0) (void)close(descriptor);
    return NULL;
}

bool sb_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

const char *sb_file_kind_error(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? kind_error(status.st_mode) : NULL;
}

const char *sb_file_directory_error(const char *directory)
{
    return access(directory, X_OK) == 0 ? NULL : strerror(errno);
}

const char *sb_file_replace_error(const char *path)
{
    struct stat status;
    char        directory[PATH_MAX] = "./";
    const char *slash = strrchr(path, '/');
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) return kind_error(status.st_mode);
    if (slash) snprintf(directory, sizeof directory, "%.*s/", (int)(slash - path), path);
    return access(directory, W_OK | X_OK) == 0 ? NULL : strerror(errno);
}
