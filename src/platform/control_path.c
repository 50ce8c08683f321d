/* src/platform/control_path.c -- where servers have their control sockets, and how ctl finds them.
 *
 * Tests:    tests/apps/ctl_test.py
 */
#include "platform/control_path.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fits(int size)
{
    return size > 0 && size < SB_CONTROL_PATH_MAX;
}

bool sb_control_folder(unsigned index, char out[SB_CONTROL_PATH_MAX])
{
    const char *own = getenv("STARBASE_CONTROL_DIR"), *user = getenv("XDG_RUNTIME_DIR");
    if (own && own[0]) return index == 0 && fits(snprintf(out, SB_CONTROL_PATH_MAX, "%s", own));
    if (index == 0) return fits(snprintf(out, SB_CONTROL_PATH_MAX, "/run/starbase"));
    if (index > 1 || !user || user[0] != '/') return false;
    return fits(snprintf(out, SB_CONTROL_PATH_MAX, "%s/starbase", user));
}

bool sb_control_path(const char *folder, const char *instance, char out[SB_CONTROL_PATH_MAX])
{
    return fits(snprintf(out, SB_CONTROL_PATH_MAX, "%s/%s.ctl", folder, instance));
}

const char *sb_control_prepare(const char *folder)
{
    struct stat status;
    if (mkdir(folder, 0755) != 0 && errno != EEXIST) return strerror(errno);
    if (lstat(folder, &status) != 0) return strerror(errno);
    if (!S_ISDIR(status.st_mode)) return "it is no folder";
    if (status.st_uid != 0 && status.st_uid != geteuid()) return "it belongs to another user";
    if (status.st_mode & S_IWOTH) return "everybody may write to it";
    return access(folder, W_OK | X_OK) == 0 ? NULL : strerror(errno);
}

/* True: the entry is a socket; its instance is in `name`. */
static bool read_entry(const char *folder, const char *entry, char name[SB_CONTROL_NAME_MAX],
                       char path[SB_CONTROL_PATH_MAX])
{
    static const char ending[] = ".ctl";
    struct stat       status;
    size_t            size = strlen(entry), tail = sizeof ending - 1;
    if (size <= tail || size - tail >= SB_CONTROL_NAME_MAX) return false;
    if (strcmp(entry + size - tail, ending) != 0) return false;
    memcpy(name, entry, size - tail);
    name[size - tail] = '\0';
    return sb_control_path(folder, name, path) && lstat(path, &status) == 0 &&
           S_ISSOCK(status.st_mode);
}

static size_t list_folder(const char *folder, char names[][SB_CONTROL_NAME_MAX],
                          char paths[][SB_CONTROL_PATH_MAX], size_t count, size_t max)
{
    DIR *opened = opendir(folder);
    if (!opened) return count;
    for (struct dirent *e; count < max && (e = readdir(opened));)
        if (read_entry(folder, e->d_name, names[count], paths[count])) count++;
    closedir(opened);
    return count;
}

size_t sb_control_list(char names[][SB_CONTROL_NAME_MAX], char paths[][SB_CONTROL_PATH_MAX],
                       size_t max)
{
    char   folder[SB_CONTROL_PATH_MAX];
    size_t count = 0;
    for (unsigned i = 0; i < SB_CONTROL_FOLDERS; i++)
        if (sb_control_folder(i, folder)) count = list_folder(folder, names, paths, count, max);
    return count;
}
