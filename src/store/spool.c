/* src/store/spool.c -- see spool.h. */
#include "store/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "store/entry.h"

_Static_assert(SB_SPOOL_CHUNK > 2 * SB_STORE_ENTRY_LINE_MAX, "a chunk has room for a line");

/* ---- lines ---- */

size_t sb_spool_each_line(const char *text, size_t size, sb_line_fn fn, void *context)
{
    size_t at = 0;
    for (const char *end; at < size && (end = memchr(text + at, '\n', size - at));) {
        size_t length = (size_t)(end - text) - at;
        fn(context, text + at, length);
        at += length + 1;
    }
    return at;
}

static void count_line(void *context, const char *line, size_t size)
{
    (void)line;
    (void)size;
    ++*(uint64_t *)context;
}

/* Reads from `at` until the buffer is full or the file ends; -1: an error. */
static ssize_t read_fully(int descriptor, char *out, size_t capacity, uint64_t at)
{
    size_t size = 0;
    while (size < capacity) {
        ssize_t got = pread(descriptor, out + size, capacity - size, (off_t)(at + size));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        size += (size_t)got;
    }
    return (ssize_t)size;
}

/* The bytes of whole lines in a chunk. A chunk without a newline is one broken line: all of it. */
static size_t whole_lines(const char *chunk, size_t size)
{
    const char *last = memrchr(chunk, '\n', size);
    if (last) return (size_t)(last - chunk) + 1;
    return size;
}

/* Calls `fn` with the lines from `at` on, a broken last one included. False: an error. */
static bool each_line(int descriptor, uint64_t at, sb_line_fn fn, void *context)
{
    char *chunk = malloc(SB_SPOOL_CHUNK);
    for (ssize_t got; chunk && (got = read_fully(descriptor, chunk, SB_SPOOL_CHUNK, at)) != 0;) {
        if (got < 0) {
            free(chunk);
            return false;
        }
        size_t whole = whole_lines(chunk, (size_t)got);
        size_t used = sb_spool_each_line(chunk, whole, fn, context);
        if (used < whole) fn(context, chunk + used, whole - used);
        at += whole;
    }
    free(chunk);
    return chunk != NULL;
}

bool sb_spool_each(const char *path, sb_line_fn fn, void *context)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return false;
    bool fine = each_line(descriptor, 0, fn, context);
    (void)close(descriptor);
    return fine;
}

/* ---- opening ---- */

/* Finds the size of the file, and whether its last line is whole. */
static bool measure(sb_spool *s)
{
    struct stat status;
    char        last = '\n';
    if (fstat(s->descriptor, &status) != 0) return false;
    if (!S_ISREG(status.st_mode)) {
        errno = EINVAL;
        return false;
    }
    s->size = (uint64_t)status.st_size;
    s->read_at = s->lines = 0;
    if (s->size > 0 && read_fully(s->descriptor, &last, 1, s->size - 1) < 0) return false;
    s->is_torn = last != '\n';
    return each_line(s->descriptor, 0, count_line, &s->lines);
}

static sb_result open_file(sb_spool *s)
{
    s->descriptor = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0640);
    if (s->descriptor < 0) return SB_OS_ERROR;
    sb_result result = SB_OK;
    if (flock(s->descriptor, LOCK_EX | LOCK_NB) != 0)
        result = errno == EWOULDBLOCK ? SB_NOT_ALLOWED : SB_OS_ERROR;
    else if (!measure(s)) result = SB_OS_ERROR;
    int why = errno;
    if (result != SB_OK) sb_spool_close(s);
    errno = why;
    return result;
}

sb_result sb_spool_open(sb_spool *s, const char *path, uint64_t bytes_max)
{
    *s = (sb_spool){ .descriptor = -1, .bytes_max = bytes_max };
    SB_ASSERT(strlen(path) < sizeof s->path);
    snprintf(s->path, sizeof s->path, "%s", path);
    return open_file(s);
}

void sb_spool_close(sb_spool *s)
{
    if (s->descriptor >= 0) (void)close(s->descriptor);
    s->descriptor = -1;
}

/* ---- appending ---- */

static bool is_in_place(const sb_spool *s)
{
    struct stat named, open_one;
    return s->descriptor >= 0 && stat(s->path, &named) == 0 &&
           fstat(s->descriptor, &open_one) == 0 && named.st_ino == open_one.st_ino &&
           named.st_dev == open_one.st_dev;
}

static bool write_fully(int descriptor, const char *bytes, size_t size, uint64_t at)
{
    while (size > 0) {
        ssize_t put = pwrite(descriptor, bytes, size, (off_t)at);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        bytes += put;
        size -= (size_t)put;
        at += (uint64_t)put;
    }
    return true;
}

/* The entries of a new file reach the disk only with its entry in the folder. */
static void sync_folder(const char *path)
{
    char        folder[SB_SPOOL_PATH_MAX] = ".";
    const char *slash = strrchr(path, '/');
    if (slash) snprintf(folder, sizeof folder, "%.*s/", (int)(slash - path), path);
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    (void)fsync(descriptor);
    (void)close(descriptor);
}

/* A removed file is made anew. Its lines are lost: whoever removed it wanted that. */
static bool reopen_if_removed(sb_spool *s)
{
    if (is_in_place(s)) return true;
    sb_spool_close(s);
    if (open_file(s) != SB_OK) return false;
    sync_folder(s->path);
    return true;
}

bool sb_spool_append(sb_spool *s, const char *lines, size_t size, uint64_t count)
{
    if (!reopen_if_removed(s)) return false;
    uint64_t start = s->size + s->is_torn;
    if (start + size > s->bytes_max) {
        errno = EFBIG;
        return false;
    }
    bool fine = (!s->is_torn || write_fully(s->descriptor, "\n", 1, s->size)) &&
                write_fully(s->descriptor, lines, size, start) && fsync(s->descriptor) == 0;
    if (!fine) {
        int why = errno;
        (void)!ftruncate(s->descriptor, (off_t)s->size);
        errno = why;
        return false;
    }
    if (s->size == 0) sync_folder(s->path);
    s->size = start + size;
    s->is_torn = false;
    s->lines += count;
    return true;
}

/* ---- reading ---- */

size_t sb_spool_read(sb_spool *s, char out[SB_SPOOL_CHUNK])
{
    uint64_t left = s->size - s->read_at;
    size_t   wanted = left < SB_SPOOL_CHUNK ? (size_t)left : SB_SPOOL_CHUNK;
    ssize_t  got = read_fully(s->descriptor, out, wanted, s->read_at);
    if (got == 0) s->size = s->read_at = s->lines = 0;
    return got > 0 ? whole_lines(out, (size_t)got) : 0;
}

void sb_spool_advance(sb_spool *s, size_t size, uint64_t count)
{
    s->read_at += size;
    s->lines = s->lines > count ? s->lines - count : 0;
    if (s->read_at < s->size) return;
    /* If the file cannot be emptied, its lines are read again after a restart. */
    if (ftruncate(s->descriptor, 0) != 0) return;
    (void)fsync(s->descriptor);
    s->size = s->read_at = s->lines = 0;
    s->is_torn = false;
}
