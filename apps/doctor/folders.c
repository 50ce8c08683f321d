/* apps/doctor/folders.c -- the folder of the store, and disk space.
 *
 * Tests:    tests/apps/doctor_test.py
 */
#include "doctor/doctor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { PATH_BYTES = 512, MIB_MIN = 200 };

/* ---- the store ---- */

/* The file of the store. "": the store is off. */
static const char *store_path(const doctor *d)
{
    return d->config->store;
}

static void folder_of(const char *path, char out[PATH_BYTES])
{
    const char *slash = strrchr(path, '/');
    size_t      size = slash ? (size_t)(slash - path) : 0;
    if (!slash) snprintf(out, PATH_BYTES, ".");
    else snprintf(out, PATH_BYTES, "%.*s", size ? (int)size : 1, path);
}

/* The version of the schema, from the header of the file (bytes 60 to 63). False: no database. */
static bool read_version(const char *path, unsigned *version)
{
    static const char magic[] = "SQLite format 3";
    unsigned char     head[64];
    FILE             *file = fopen(path, "re");
    bool              read = file && fread(head, sizeof head, 1, file) == 1;
    if (file) (void)fclose(file);
    *version = 0;
    for (int i = 60; read && i < 64; i++) *version = *version << 8 | head[i];
    return read && memcmp(head, magic, sizeof magic) == 0;
}

static void check_database(doctor *d, const char *path, long long size)
{
    unsigned version;
    if (size == 0) doctor_report(d, DOCTOR_OK, "%s is empty; the server will fill it", path);
    else if (read_version(path, &version))
        doctor_report(d, DOCTOR_OK, "%s: schema %u, %lld KiB", path, version, size / 1024);
    else
        doctor_report(d, DOCTOR_TODO,
                      "%s is no SQLite database: move it away, or name another `store`", path);
}

static void check_file(doctor *d, const char *path)
{
    struct stat status;
    int         error;
    if (stat(path, &status) != 0)
        doctor_report(d, DOCTOR_OK, "%s can be written; the server will create the store", path);
    else if (!S_ISREG(status.st_mode))
        doctor_report(d, DOCTOR_TODO, "%s is no regular file: remove it, or name another `store`",
                      path);
    else if ((error = doctor_access_error(path, R_OK | W_OK)) != 0)
        doctor_report(d, DOCTOR_TODO, "%s: %s for %s: `chown %s: %s`", path, strerror(error),
                      doctor_account_name(), DOCTOR_SERVICE_USER, path);
    else check_database(d, path, (long long)status.st_size);
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 || S_ISDIR(status.st_mode); /* a hidden one may be a folder */
}

void doctor_check_store(doctor *d)
{
    const char *path = store_path(d);
    char        folder[PATH_BYTES];
    if (path[0] == '\0') {
        doctor_report(d, DOCTOR_NOTE, "off: matches and bans are forgotten when the server ends");
        return;
    }
    folder_of(path, folder);
    int error = doctor_access_error(folder, W_OK | X_OK);
    if (error == ENOENT && strcmp(path, SB_STORE_PATH) == 0)
        doctor_report(d, DOCTOR_NOTE,
                      "%s does not exist: the service creates it; a server without it forgets "
                      "matches and bans when it ends",
                      folder);
    else if (error == ENOENT)
        doctor_report(d, DOCTOR_TODO, "%s does not exist: `install -d -o %s -g %s -m 0750 %s`",
                      folder, DOCTOR_SERVICE_USER, DOCTOR_SERVICE_USER, folder);
    else if (!is_folder(folder))
        doctor_report(d, DOCTOR_TODO, "%s is no folder: name another `store`", folder);
    else if (error != 0)
        doctor_report(d, DOCTOR_TODO, "%s cannot be written by %s: %s: `chown %s: %s`", folder,
                      doctor_account_name(), strerror(error), DOCTOR_SERVICE_USER, folder);
    else check_file(d, path);
}

/* ---- the disk ---- */

void doctor_check_disk(doctor *d)
{
    const char    *path = store_path(d);
    char           folder[PATH_BYTES];
    struct statvfs disk;
    folder_of(path[0] ? path : SB_STORE_PATH, folder);
    if (statvfs(folder, &disk) != 0) {
        if (statvfs("/", &disk) != 0) return;
        snprintf(folder, sizeof folder, "/");
    }
    unsigned long long mib = (unsigned long long)disk.f_bavail * disk.f_frsize >> 20;
    bool               no_inodes = disk.f_files > 0 && disk.f_favail < 1000;
    if (mib < MIB_MIN)
        doctor_report(d, DOCTOR_TODO, "%s has %llu MiB free: make room for at least %d MiB", folder,
                      mib, MIB_MIN);
    else if (no_inodes)
        doctor_report(d, DOCTOR_TODO, "%s has room for %llu more files only: remove files", folder,
                      (unsigned long long)disk.f_favail);
    else doctor_report(d, DOCTOR_OK, "%s has %llu MiB free", folder, mib);
}
