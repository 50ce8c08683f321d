/* apps/decode/input.c -- reads units from hex, files and pipes.
 *
 * Tests:    tests/apps/decode_test.py
 */
#include "decode/input.h"

#include "load/capture_file.h"
#include "platform/interrupt.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RAW_MAX = 16 << 20, LINE_MAX_BYTES = 1 << 20 };

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

/* ---- kinds of inputs ---- */

static const char byte_order_mark[] = "\xEF\xBB\xBF";

/* The size of the UTF-8 byte order mark at the start of the text, 0 if it has none. */
static size_t mark_size(const char *text, size_t size)
{
    return size >= 3 && memcmp(text, byte_order_mark, 3) == 0 ? 3 : 0;
}

sb_input_kind sb_decode_find_kind(sb_input *input)
{
    sb_span head = sb_input_peek(input, 1);
    /* A line of hex may be shorter than the mark of a capture and the only line for now. */
    while (sb_capture_may_start(head) && head.size < SB_CAPTURE_MARK_BYTES) {
        size_t before = head.size;
        head = sb_input_peek(input, before + 1);
        if (head.size == before) break;
    }
    if (head.size == 0) return SB_INPUT_EMPTY;
    return sb_capture_is_magic(head) ? SB_INPUT_CAPTURE : SB_INPUT_LINES;
}

/* ---- lines of hex ---- */

typedef struct lines {
    FILE               *file;
    const char         *name;
    const sb_unit_sink *sink;
    bool                patient; /* a wrong first line does not end the input */
    unsigned long       number;
    bool                any_units;
    size_t              size;
    bool                too_long;
    char                text[LINE_MAX_BYTES];
} lines;

/* Reads a line without its newline. False: no more lines. */
static bool read_line(lines *l)
{
    int c = EOF;
    l->size = 0;
    l->too_long = false;
    while ((c = getc_unlocked(l->file)) != EOF && c != '\n') {
        l->too_long = l->size == sizeof l->text;
        if (l->too_long) break;
        l->text[l->size++] = (char)c;
    }
    if (c == EOF && l->size == 0) return false;
    l->number++;
    return true;
}

static const char *fault_text(const lines *l, sb_hex_fault fault)
{
    if (l->too_long) return "longer than 1 MB";
    return fault == SB_HEX_HALF ? "odd number of hex digits"
                                : "not hex; expected pairs of digits such as 1C 00 FF";
}

/* A wrong line after valid ones is reported by its number. If the first line with bytes is wrong,
 * the input is no hex at all: a README or an unknown format must not look like a result. True: go
 * on with the next line. */
static bool report_line(const lines *l, sb_hex_fault fault)
{
    char text[256];
    if (l->any_units || l->patient) {
        l->sink->problem(l->sink->self, l->name, l->number, fault_text(l, fault));
        return !l->too_long;
    }
    snprintf(text, sizeof text,
             "neither a capture (pcap or pcapng, also as .gz or .zst) nor lines of hex: line %lu "
             "is %s%s; to decode the whole file as the bytes of one message, add --raw",
             l->number, fault == SB_HEX_HALF && !l->too_long ? "hex with an " : "",
             l->too_long            ? "longer than 1 MB"
             : fault == SB_HEX_HALF ? "odd number of digits"
                                    : "not hex");
    l->sink->problem(l->sink->self, l->name, 0, text);
    return false;
}

static bool parse_line(lines *l)
{
    size_t       mark = l->number == 1 ? mark_size(l->text, l->size) : 0, size = 0;
    char        *line = l->text + mark;
    size_t       length = without_comment(line, l->size - mark);
    sb_hex_fault fault = sb_decode_parse_hex(line, length, (uint8_t *)line, &size);
    bool         comment = length < l->size - mark && size == 0 && fault == SB_HEX_FINE;
    if (fault != SB_HEX_FINE || (l->too_long && !comment)) return report_line(l, fault);
    if (size == 0) return true;
    l->any_units = true;
    return l->sink->unit(l->sink->self, (uint8_t *)line, size);
}

bool sb_decode_read_lines(FILE *file, const char *name, bool patient, const sb_unit_sink *sink)
{
    lines *l = calloc(1, sizeof *l);
    bool   more = true;
    if (!l) {
        sink->problem(sink->self, name, 0, "out of memory");
        return false;
    }
    l->file = file;
    l->name = name;
    l->sink = sink;
    l->patient = patient;
    while (more && !sb_interrupt_pending() && read_line(l)) more = parse_line(l);
    free(l);
    return more;
}

/* ---- raw bytes ---- */

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
