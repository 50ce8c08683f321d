/* apps/doctor/folders.c -- the folder of the store, and disk space.
 *
 * Tests:    tests/apps/doctor_test.py
 */
#include "doctor/doctor.h"

#include "store/schema.h"

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

/* Of the header of a database file. SQLite is not asked: it would make files in the folder. */
typedef struct header {
    unsigned version;     /* of the schema; 0: its tables are only in PATH-wal so far */
    unsigned application; /* SB_SCHEMA_ID if the database is ours; 0: as above */
} header;

static unsigned read_u32(const unsigned char *at)
{
    return (unsigned)at[0] << 24 | (unsigned)at[1] << 16 | (unsigned)at[2] << 8 | at[3];
}

/* False: no database. */
static bool read_header(const char *path, header *out)
{
    static const char magic[] = "SQLite format 3";
    unsigned char     bytes[100] = { 0 };
    FILE             *file = fopen(path, "re");
    bool              read = file && fread(bytes, sizeof bytes, 1, file) == 1;
    if (file) (void)fclose(file);
    *out = (header){ read_u32(bytes + 60), read_u32(bytes + 68) };
    return read && memcmp(bytes, magic, sizeof magic) == 0;
}

/* Bytes of the file to which the database writes first. */
static long long journal_size(const char *path)
{
    struct stat status;
    char        journal[PATH_BYTES];
    snprintf(journal, sizeof journal, "%s-wal", path);
    return stat(journal, &status) == 0 ? (long long)status.st_size : 0;
}

/* The header of a new database has version 0 until the journal is copied into the file. */
static void check_database(doctor *d, const char *path, long long size)
{
    header head;
    size_t latest;
    (void)sb_schema_steps(&latest);
    if (size == 0) doctor_report(d, DOCTOR_OK, "%s is empty; the server will fill it", path);
    else if (!read_header(path, &head))
        doctor_report(d, DOCTOR_TODO,
                      "%s is no SQLite database: move it away, or name another `store`", path);
    else if (head.application == 0 && head.version == 0)
        doctor_report(d, DOCTOR_OK, "%s is new: its rows are still in %s-wal", path, path);
    else if (head.application != SB_SCHEMA_ID)
        doctor_report(d, DOCTOR_TODO, "%s is the database of another program: name another `store`",
                      path);
    else if (head.version > latest)
        doctor_report(d, DOCTOR_TODO,
                      "%s has schema %u, this version knows %zu: use the version that made it, or "
                      "name another `store`",
                      path, head.version, latest);
    else
        doctor_report(d, DOCTOR_OK, "%s: schema %u, %lld KiB", path, head.version,
                      (size + journal_size(path)) / 1024);
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
    if (error == EACCES && d->of_service && geteuid() != 0)
        doctor_report(d, DOCTOR_NOTE, "%s is not for this user: `sudo starbase doctor` checks it",
                      folder);
    else if (error == ENOENT && strcmp(path, SB_STORE_PATH) == 0)
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
