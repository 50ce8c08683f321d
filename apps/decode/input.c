/* apps/decode/input.c -- reads units from hex, files and pipes.
 *
 * Tests:    tests/apps/decode_test.py
 */
#include "decode/input.h"

#include "load/capture_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RAW_MAX = 16 << 20, HEAD_BYTES = 4096 };

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static bool is_separator(char c)
{
    return isspace((unsigned char)c) || c == ':' || c == ',' || c == '-';
}

sb_hex_fault sb_decode_parse_hex(const char *text, size_t length, uint8_t *out, size_t *size)
{
    *size = 0;
    for (size_t i = 0; i < length;) {
        if (is_separator(text[i])) {
            i++;
            continue;
        }
        bool prefix = text[i] == '0' && i + 1 < length && (text[i + 1] | 0x20) == 'x';
        if (prefix) {
            i += 2;
            continue;
        }
        int high = digit_of(text[i]), low = i + 1 < length ? digit_of(text[i + 1]) : -1;
        if (high < 0) return SB_HEX_NOT_HEX;
        if (low < 0)
            return i + 1 == length || is_separator(text[i + 1]) ? SB_HEX_HALF : SB_HEX_NOT_HEX;
        out[(*size)++] = (uint8_t)(high << 4 | low);
        i += 2;
    }
    return SB_HEX_FINE;
}

static size_t without_comment(const char *line, size_t length)
{
    const char *comment = memchr(line, '#', length);
    return comment ? (size_t)(comment - line) : length;
}

/* ---- kinds of files ---- */

static const char    byte_order_mark[] = "\xEF\xBB\xBF";
static const uint8_t gzip_mark[3] = { 0x1F, 0x8B, 0x08 };

/* The size of the UTF-8 byte order mark at the start of the text, 0 if it has none. */
static size_t mark_size(const char *text, size_t size)
{
    return size >= 3 && memcmp(text, byte_order_mark, 3) == 0 ? 3 : 0;
}

/* Decides by the first line with bytes. `whole`: `head` is the whole file; if not, its last line
 * may be cut off. */
static bool looks_like_hex(const char *head, size_t size, bool whole)
{
    uint8_t buffer[HEAD_BYTES];
    for (size_t at = mark_size(head, size); at < size;) {
        const char *end = memchr(head + at, '\n', size - at);
        size_t      length = end ? (size_t)(end - head) - at : size - at;
        size_t      count = 0;
        for (size_t i = at; i < at + length; i++)
            if (!isprint((unsigned char)head[i]) && !isspace((unsigned char)head[i])) return false;
        sb_hex_fault fault =
            sb_decode_parse_hex(head + at, without_comment(head + at, length), buffer, &count);
        if (!end && !whole && fault == SB_HEX_HALF) return true;
        if (fault != SB_HEX_FINE) return false;
        if (count > 0) return true;
        at += length + 1;
    }
    return true;
}

sb_file_kind sb_decode_find_file_kind(FILE *file)
{
    char   head[HEAD_BYTES];
    size_t size = fread(head, 1, sizeof head, file);
    bool   whole = feof(file) != 0;
    rewind(file);
    if (sb_capture_is_magic((sb_span){ (const uint8_t *)head, size })) return SB_FILE_CAPTURE;
    if (size >= sizeof gzip_mark && memcmp(head, gzip_mark, sizeof gzip_mark) == 0)
        return SB_FILE_COMPRESSED;
    return looks_like_hex(head, size, whole) ? SB_FILE_HEX : SB_FILE_RAW;
}

/* ---- pipes ---- */

typedef struct peeked {
    FILE   *pipe;
    uint8_t head[4];
    size_t  size, at;
} peeked;

static ssize_t read_peeked(void *cookie, char *out, size_t size)
{
    peeked *p = cookie;
    if (p->at == p->size) { /* read(2) returns what is there, without waiting for more */
        ssize_t count = read(fileno(p->pipe), out, size);
        return count;
    }
    size_t count = p->size - p->at < size ? p->size - p->at : size;
    memcpy(out, p->head + p->at, count);
    p->at += count;
    return (ssize_t)count;
}

static int close_peeked(void *cookie)
{
    peeked *p = cookie;
    fclose(p->pipe);
    free(p);
    return 0;
}

/* True if a capture can start with these bytes. */
static bool may_be_capture(const uint8_t *head, size_t size)
{
    static const uint8_t magics[][4] = {
        { 0xA1, 0xB2, 0xC3, 0xD4 }, { 0xD4, 0xC3, 0xB2, 0xA1 }, { 0xA1, 0xB2, 0x3C, 0x4D },
        { 0x4D, 0x3C, 0xB2, 0xA1 }, { 0x0A, 0x0D, 0x0D, 0x0A },
    };
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (memcmp(magics[i], head, size) == 0) return true;
    return false;
}

static bool may_be_compressed(const uint8_t *head, size_t size)
{
    return size <= sizeof gzip_mark && memcmp(gzip_mark, head, size) == 0;
}

static bool wants_more(const peeked *p)
{
    if (p->size < sizeof gzip_mark && may_be_compressed(p->head, p->size)) return true;
    return p->size < sizeof p->head && may_be_capture(p->head, p->size);
}

FILE *sb_decode_open_pipe(FILE *pipe, sb_file_kind *kind)
{
    static const cookie_io_functions_t functions = { .read = read_peeked, .close = close_peeked };
    peeked                            *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->pipe = pipe;
    while (wants_more(p)) {
        if (read(fileno(pipe), p->head + p->size, 1) != 1) break;
        p->size++;
    }
    bool capture = p->size == sizeof p->head && may_be_capture(p->head, p->size);
    bool packed = p->size == sizeof gzip_mark && may_be_compressed(p->head, p->size);
    *kind = capture ? SB_FILE_CAPTURE : packed ? SB_FILE_COMPRESSED : SB_FILE_HEX;
    FILE *file = fopencookie(p, "rb", functions);
    if (!file) free(p);
    return file;
}

/* ---- reading ---- */

static bool parse_line(char *line, size_t length, const char *name, unsigned long number,
                       const sb_unit_sink *sink)
{
    size_t       size;
    sb_hex_fault fault =
        sb_decode_parse_hex(line, without_comment(line, length), (uint8_t *)line, &size);
    if (fault != SB_HEX_FINE) {
        sink->problem(sink->self, name, number,
                      fault == SB_HEX_HALF ? "odd number of hex digits"
                                           : "not hex; expected pairs of digits such as 1C 00 FF");
        return true;
    }
    return size == 0 || sink->unit(sink->self, (uint8_t *)line, size);
}

bool sb_decode_read_hex_lines(FILE *file, const char *name, const sb_unit_sink *sink)
{
    char  *line = NULL;
    size_t capacity = 0;
    bool   more = true;
    for (unsigned long number = 1; more; number++) {
        ssize_t length = getline(&line, &capacity, file);
        if (length < 0) break;
        size_t mark = number == 1 ? mark_size(line, (size_t)length) : 0;
        more = parse_line(line + mark, (size_t)length - mark, name, number, sink);
    }
    if (ferror(file) && errno != EINTR) sink->problem(sink->self, name, 0, strerror(errno));
    free(line);
    return more;
}

bool sb_decode_read_raw(FILE *file, const char *name, const sb_unit_sink *sink)
{
    uint8_t *bytes = malloc(RAW_MAX + 1);
    bool     more = true;
    if (!bytes) {
        sink->problem(sink->self, name, 0, "out of memory");
        return false;
    }
    size_t size = fread(bytes, 1, RAW_MAX + 1, file);
    if (ferror(file)) sink->problem(sink->self, name, 0, strerror(errno));
    else if (size > RAW_MAX)
        sink->problem(sink->self, name, 0, "larger than 16 MB: too large for one message");
    else more = sink->unit(sink->self, bytes, size);
    free(bytes);
    return more;
}
