/* src/store/spool.h -- a file of entries that wait for the database.
 *
 * For:      the writer of the store. One process has the file at a time; it is locked.
 * Never:    loses a line that append has reported as written: each append ends with fsync.
 * Tests:    tests/store/spool_test.c, fuzz/spool_fuzz.c
 *
 * A file of lines (entry.h). Lines are appended, read from the front, and cut off when all of them
 * are stored; a file without lines is empty. After a crash all lines are read again, which is
 * harmless, because entries are idempotent. A line that a crash has cut off has a wrong checksum
 * and is skipped.
 */
#ifndef SB_STORE_SPOOL_H
#define SB_STORE_SPOOL_H

#include <starbase/base.h>

enum { SB_SPOOL_PATH_MAX = 280, SB_SPOOL_CHUNK = 256 << 10 };

typedef struct sb_spool {
    int      descriptor; /* -1: not open */
    char     path[SB_SPOOL_PATH_MAX];
    uint64_t size;      /* bytes */
    uint64_t read_at;   /* the first byte that is not stored yet */
    uint64_t lines;     /* that are not stored yet */
    bool     is_torn;   /* the last line has no newline */
    uint64_t bytes_max; /* the file never grows beyond */
} sb_spool;

/* Opens or makes the file and counts its lines. SB_NOT_ALLOWED: another process has it.
 * SB_OS_ERROR: errno says why. */
SB_MUST_USE sb_result sb_spool_open(sb_spool *spool, const char *path, uint64_t bytes_max);
void                  sb_spool_close(sb_spool *spool);
/* Appends whole lines and waits until they are on disk. False: nothing was appended; errno says
 * why, EFBIG: it would exceed bytes_max. Makes a new file if the old one was removed. */
bool sb_spool_append(sb_spool *spool, const char *lines, size_t size, uint64_t count);
/* True if lines wait. */
static inline bool sb_spool_has_lines(const sb_spool *spool)
{
    return spool->read_at < spool->size;
}
/* Reads lines from the front that are not stored yet; returns how many bytes of whole lines. 0: the
 * file cannot be read, errno says why, or it was emptied by somebody else and has no lines now. */
size_t sb_spool_read(sb_spool *spool, char out[SB_SPOOL_CHUNK]);
/* `size` bytes from the front, `count` lines, are stored. The file is emptied when all are. */
void sb_spool_advance(sb_spool *spool, size_t size, uint64_t count);

/* Calls `fn` with each line of a file that is not locked, without its newline. False: no file, or
 * an error. */
typedef void (*sb_line_fn)(void *context, const char *line, size_t size);
bool sb_spool_each(const char *path, sb_line_fn fn, void *context);

/* Calls `fn` with each whole line of `text`; returns the bytes of these lines. */
size_t sb_spool_each_line(const char *text, size_t size, sb_line_fn fn, void *context);

#endif
