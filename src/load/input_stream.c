/* src/load/input_stream.c -- reads a file or pipe and unpacks gzip and zstd with their libraries.
 */
#include "load/input_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/assert.h"

enum {
    SOURCE_BYTES = 1 << 16,
    STREAM_BUFFER = 1 << 18,
    MARK_BYTES = 4,
    GZIP_ONLY = 16, /* zlib: added to the window bits */
};

typedef enum packing { PACKING_NONE, PACKING_GZIP, PACKING_ZSTD } packing;

struct sb_input {
    FILE         *file;
    packing       packing;
    z_stream      gzip;
    ZSTD_DStream *zstd;
    bool          whole; /* the packed data may end here: between two gzip members or zstd frames */
    bool          ended; /* the file has no more bytes, or reading failed */
    uint64_t      total_bytes, read_bytes, unpacked_bytes;
    int           error;
    char          fault[200];
    size_t        source_at, source_size;
    size_t        head_at, head_size;
    uint8_t       source[SOURCE_BYTES];    /* bytes of the file, not yet unpacked */
    uint8_t       head[SB_INPUT_PEEK_MAX]; /* unpacked bytes that were lent and not consumed */
};

/* ---- the file ---- */

/* read(2) returns what a pipe has, without waiting for more; files in memory have no descriptor. */
static ssize_t read_file(FILE *file, uint8_t *out, size_t size)
{
    if (fileno(file) >= 0) return read(fileno(file), out, size);
    size_t count = fread(out, 1, size, file);
    return count == 0 && ferror(file) ? -1 : (ssize_t)count;
}

/* Reads up to `size` bytes of the file; 0: the end, or a failure, which sets `error`. */
static size_t read_source(sb_input *in, uint8_t *out, size_t size)
{
    if (in->ended) return 0;
    ssize_t count = read_file(in->file, out, size);
    if (count < 0) {
        in->error = errno;
        snprintf(in->fault, sizeof in->fault, "%s", strerror(in->error));
    }
    if (count <= 0) {
        in->ended = true;
        return 0;
    }
    in->read_bytes += (uint64_t)count;
    return (size_t)count;
}

static bool fill_source(sb_input *in)
{
    SB_ASSERT(in->source_at == in->source_size);
    in->source_at = 0;
    in->source_size = read_source(in, in->source, sizeof in->source);
    return in->source_size > 0;
}

/* ---- unpacking ---- */

static void set_fault(sb_input *in, const char *what, const char *why)
{
    uint64_t at = in->read_bytes - (in->source_size - in->source_at);
    snprintf(in->fault, sizeof in->fault, "the %s data is %s %llu (%llu bytes unpacked)%s%s",
             sb_input_packing(in), what, (unsigned long long)at,
             (unsigned long long)in->unpacked_bytes, why ? ": " : "", why ? why : "");
    in->ended = true;
}

/* The two functions below unpack what `source` has and return the number of bytes written. */

static size_t unpack_gzip(sb_input *in, uint8_t *out, size_t size)
{
    z_stream *z = &in->gzip;
    if (in->whole) (void)inflateReset(z); /* another member follows */
    z->next_in = in->source + in->source_at;
    z->avail_in = (uInt)(in->source_size - in->source_at);
    z->next_out = out;
    z->avail_out = (uInt)size;
    int status = inflate(z, Z_NO_FLUSH);
    in->source_at = in->source_size - z->avail_in;
    size_t count = size - z->avail_out;
    in->unpacked_bytes += count;
    in->whole = status == Z_STREAM_END;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
        set_fault(in, "damaged at byte", z->msg ? z->msg : zError(status));
    return count;
}

static size_t unpack_zstd(sb_input *in, uint8_t *out, size_t size)
{
    ZSTD_inBuffer  from = { in->source, in->source_size, in->source_at };
    ZSTD_outBuffer to = { out, size, 0 };
    size_t         status = ZSTD_decompressStream(in->zstd, &to, &from);
    in->source_at = from.pos;
    in->unpacked_bytes += to.pos;
    in->whole = status == 0;
    if (ZSTD_isError(status)) set_fault(in, "damaged at byte", ZSTD_getErrorName(status));
    return to.pos;
}

/* Returns at least one byte unless the data ends. The unpacker may hold bytes back although its
 * source is empty, so the source is filled only if a call writes nothing. */
static size_t unpack(sb_input *in, uint8_t *out, size_t size)
{
    SB_ASSERT(size > 0);
    while (in->fault[0] == '\0') {
        bool empty = in->source_at == in->source_size;
        if (!(empty && in->whole)) {
            size_t count = in->packing == PACKING_GZIP ? unpack_gzip(in, out, size)
                                                       : unpack_zstd(in, out, size);
            if (count > 0) return count;
        }
        if (in->source_at < in->source_size || in->fault[0] != '\0' || fill_source(in)) continue;
        if (!in->whole && in->error == 0) set_fault(in, "cut off after byte", NULL);
        break;
    }
    return 0;
}

/* 0: the end or a fault. */
static size_t read_unpacked(sb_input *in, uint8_t *out, size_t size)
{
    if (in->packing != PACKING_NONE) return unpack(in, out, size);
    if (in->source_at == in->source_size) return read_source(in, out, size);
    size_t left = in->source_size - in->source_at, count = left < size ? left : size;
    memcpy(out, in->source + in->source_at, count);
    in->source_at += count;
    return count;
}

/* ---- opening ---- */

typedef struct mark {
    packing packing;
    uint8_t mask; /* of the first byte */
    uint8_t size, bytes[MARK_BYTES];
} mark;

/* zstd: a frame, or a skippable frame before it, whose first byte is 50 to 5F. */
static const mark marks[] = {
    { PACKING_GZIP, 0xFF, 3, { 0x1F, 0x8B, 0x08 } },
    { PACKING_ZSTD, 0xFF, 4, { 0x28, 0xB5, 0x2F, 0xFD } },
    { PACKING_ZSTD, 0xF0, 4, { 0x50, 0x2A, 0x4D, 0x18 } },
};

/* The first row that agrees with the bytes so far; NULL: the file is not packed. */
static const mark *find_mark(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const mark *m = &marks[i];
        size_t      rest = size < m->size ? size : m->size;
        if (rest == 0) return m;
        if ((bytes[0] & m->mask) == m->bytes[0] && memcmp(bytes + 1, m->bytes + 1, rest - 1) == 0)
            return m;
    }
    return NULL;
}

static void find_packing(sb_input *in)
{
    const mark *m;
    while ((m = find_mark(in->source, in->source_size)) && in->source_size < m->size) {
        size_t count = read_source(in, in->source + in->source_size, m->size - in->source_size);
        if (count == 0) return;
        in->source_size += count;
    }
    if (m) in->packing = m->packing;
}

static bool start_unpacking(sb_input *in)
{
    if (in->packing == PACKING_GZIP) return inflateInit2(&in->gzip, MAX_WBITS + GZIP_ONLY) == Z_OK;
    if (in->packing == PACKING_ZSTD) in->zstd = ZSTD_createDStream();
    return in->packing == PACKING_NONE || in->zstd;
}

static uint64_t size_of(FILE *file)
{
    struct stat status;
    bool        regular =
        fileno(file) >= 0 && fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
    return regular ? (uint64_t)status.st_size : 0;
}

sb_input *sb_input_open(FILE *file)
{
    sb_input *in = calloc(1, sizeof *in);
    if (!in) {
        if (file != stdin) fclose(file);
        return NULL;
    }
    in->file = file;
    in->total_bytes = size_of(file);
    find_packing(in);
    if (start_unpacking(in)) return in;
    in->packing = PACKING_NONE;
    sb_input_close(in);
    return NULL;
}

void sb_input_close(sb_input *in)
{
    if (!in) return;
    if (in->packing == PACKING_GZIP) (void)inflateEnd(&in->gzip);
    (void)ZSTD_freeDStream(in->zstd);
    if (in->file != stdin) fclose(in->file);
    free(in);
}

/* ---- reading ---- */

sb_span sb_input_peek(sb_input *in, size_t size)
{
    SB_ASSERT(size <= SB_INPUT_PEEK_MAX);
    memmove(in->head, in->head + in->head_at, in->head_size - in->head_at);
    in->head_size -= in->head_at;
    in->head_at = 0;
    while (in->head_size < size) {
        size_t count = read_unpacked(in, in->head + in->head_size, sizeof in->head - in->head_size);
        if (count == 0) break;
        in->head_size += count;
    }
    return (sb_span){ in->head, in->head_size };
}

static ssize_t read_stream(void *cookie, char *out, size_t size)
{
    sb_input *in = cookie;
    size_t    count = in->head_size - in->head_at;
    if (count > 0) {
        if (count > size) count = size;
        memcpy(out, in->head + in->head_at, count);
        in->head_at += count;
        return (ssize_t)count;
    }
    count = read_unpacked(in, (uint8_t *)out, size);
    if (count > 0 || in->fault[0] == '\0') return (ssize_t)count;
    errno = in->error != 0 ? in->error : EIO;
    return -1;
}

static int close_stream(void *cookie)
{
    sb_input_close(cookie);
    return 0;
}

FILE *sb_input_stream(sb_input *in)
{
    static const cookie_io_functions_t functions = { .read = read_stream, .close = close_stream };
    FILE                              *stream = fopencookie(in, "rb", functions);
    if (stream) (void)setvbuf(stream, NULL, _IOFBF, STREAM_BUFFER);
    return stream;
}

const char *sb_input_packing(const sb_input *in)
{
    static const char *const names[] = { NULL, "gzip", "zstd" };
    SB_ASSERT((unsigned)in->packing < sizeof names / sizeof *names);
    return names[in->packing];
}

const char *sb_input_fault(const sb_input *in)
{
    return in->fault[0] != '\0' ? in->fault : NULL;
}

int sb_input_errno(const sb_input *in)
{
    return in->error;
}

uint64_t sb_input_position(const sb_input *in)
{
    return in->read_bytes;
}

uint64_t sb_input_bytes(const sb_input *in)
{
    return in->total_bytes;
}
