/* src/platform/file.c -- checks on paths, with access and stat. */
#include "platform/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool sb_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
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
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) return strerror(EISDIR);
    if (slash) snprintf(directory, sizeof directory, "%.*s/", (int)(slash - path), path);
    return access(directory, W_OK | X_OK) == 0 ? NULL : strerror(errno);
}
