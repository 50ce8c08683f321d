/* apps/decode/operands.c -- decodes hex, files and stdin.
 *
 * Tests:    tests/apps/decode_test.py
 */
#include "decode/decode.h"

#include "decode/input.h"
#include "inspect/show.h"
#include "inspect/split.h"
#include "platform/file.h"
#include "platform/interrupt.h"
#include "platform/terminal.h"

#include <ctype.h>
#include <errno.h>
#include <starbase/cipher.h>
#include <starbase/message.h>
#include <stdlib.h>
#include <string.h>

/* ---- single messages and datagrams ---- */

static sb_layer layer_of(const sb_decode *d, const uint8_t *bytes, size_t size)
{
    bool query = size > 0 && bytes[0] == SB_GAMESPY_BYTE;
    /* Queries and game datagrams use the same port; the first byte distinguishes them (spec 01
     * §1.1). */
    if (query && (!d->has_layer || d->layer == SB_LAYER_DATAGRAM)) return SB_LAYER_GAMESPY;
    return d->has_layer ? d->layer : SB_LAYER_MESSAGE;
}

static sb_side side_of(const sb_decode *d, const sb_record *r)
{
    if (d->from != SB_SIDE_UNKNOWN || !r->has_peer_id) return d->from;
    return r->peer_id == SB_PEER_HOST ? SB_SIDE_HOST : SB_SIDE_CLIENT;
}

static void decode_record(sb_decode *d, sb_record *r)
{
    const sb_record_sink sink = { d, sb_decode_on_record };
    bool                 datagram = r->layer == SB_LAYER_DATAGRAM || r->layer == SB_LAYER_PLAIN;
    bool whole = d->form == SB_FORM_JSON || d->form == SB_FORM_TREE || d->form == SB_FORM_HEX;
    r->has_peer_id = datagram && r->bytes.size > 0;
    if (r->has_peer_id) r->peer_id = r->bytes.data[0];
    r->from = side_of(d, r);
    sb_message message; /* lent to the record */
    sb_record_decode(r, &message);
    if (datagram && !whole) sb_record_split(r, &message, &sink);
    else sb_decode_on_record(d, r);
    r->message = NULL;
}

static bool decode_unit(void *self, uint8_t *bytes, size_t size)
{
    sb_decode *d = self;
    uint8_t   *plain = NULL;
    sb_record  r = { .number = d->records + 1, .datagram = ++d->units, .bytes = { bytes, size } };
    r.layer = layer_of(d, bytes, size);
    r.context = d->context;
    r.file = d->file;
    d->fed = true;
    if (r.layer == SB_LAYER_DATAGRAM && size > 0) {
        plain = malloc(size);
        if (!plain) return false;
        memcpy(plain, bytes, size);
        sb_decrypt_datagram(plain, size);
        r.plain = (sb_span){ plain, size };
    } else if (r.layer == SB_LAYER_PLAIN) {
        r.plain = r.bytes;
    }
    decode_record(d, &r);
    free(plain);
    return !d->stopped && !sb_interrupt_pending();
}

/* ---- operands ---- */

static const char *reason_of(const sb_input *input)
{
    if (sb_input_errno(input) == EISDIR) return "a directory; name the files in it";
    return sb_input_fault(input);
}

static void decode_lines(sb_decode *d, sb_input *input, const char *name, bool patient)
{
    const sb_unit_sink sink = { d, decode_unit, sb_decode_report };
    FILE              *stream = sb_input_stream(input);
    if (!stream) {
        sb_decode_report(d, name, 0, "out of memory");
        sb_input_close(input);
        return;
    }
    (void)sb_decode_read_lines(stream, name, patient, &sink);
    if (sb_input_fault(input) && sb_input_errno(input) != EINTR)
        sb_decode_report(d, name, 0, reason_of(input));
    fclose(stream); /* closes the input */
}

/* Decodes a capture or lines of hex and closes the input. */
static void decode_input(sb_decode *d, sb_input *input, const char *name, bool from_stdin)
{
    sb_input_kind kind = sb_decode_find_kind(input);
    if (kind == SB_INPUT_CAPTURE) {
        sb_decode_capture(d, input, name);
    } else if (kind == SB_INPUT_LINES) {
        d->live = from_stdin && sb_terminal_is_open(stdout);
        decode_lines(d, input, name, from_stdin && sb_terminal_is_open(stdin));
    } else {
        if (sb_input_fault(input)) sb_decode_report(d, name, 0, reason_of(input));
        else if (!from_stdin) sb_decode_report(d, name, 0, "an empty file");
        sb_input_close(input);
    }
}

/* `file` is open and is closed here, unless it is stdin. */
static void decode_opened(sb_decode *d, FILE *file, const char *name)
{
    const sb_unit_sink sink = { d, decode_unit, sb_decode_report };
    d->file = d->several ? name : NULL;
    if (d->raw) {
        (void)sb_decode_read_raw(file, name, &sink);
        if (file != stdin) fclose(file);
        return;
    }
    sb_input *input = sb_input_open(file);
    if (input) decode_input(d, input, name, file == stdin);
    else sb_decode_report(d, name, 0, "out of memory");
}

static void decode_file(sb_decode *d, const char *name)
{
    FILE *file = fopen(name, "rb");
    if (file) decode_opened(d, file, name);
    else sb_decode_report(d, name, 0, strerror(errno));
}

static void decode_stdin(sb_decode *d)
{
    if (sb_terminal_is_open(stdin))
        fprintf(stderr, "Reading lines of hex from the terminal; press Ctrl-D to end.\n");
    decode_opened(d, stdin, "stdin");
}

/* Decodes the operand as hex if it is hex, else as the name of a file. Hex with an odd number of
 * digits is reported as such, unless a file has that name. */
static void decode_operand(sb_decode *d, const char *text)
{
    size_t   length = strlen(text), size = 0;
    uint8_t *bytes = malloc(length + 1);
    d->file = NULL;
    sb_hex_fault fault = bytes ? sb_decode_parse_hex(text, length, bytes, &size) : SB_HEX_NOT_HEX;
    if (fault == SB_HEX_FINE && size > 0) (void)decode_unit(d, bytes, size);
    else if (fault == SB_HEX_HALF && !sb_file_exists(text))
        sb_decode_report(d, text, 0, "odd number of hex digits, and no such file");
    else decode_file(d, text);
    free(bytes);
}

static bool is_byte(const char *text)
{
    return isxdigit((unsigned char)text[0]) && isxdigit((unsigned char)text[1]) && text[2] == '\0';
}

/* Joins operands of one byte each, as in `decode 1C FF 3F`. Returns how many operands it used. */
static int decode_bytes(sb_decode *d, int count, char **operands)
{
    int joined = 0;
    while (joined < count && is_byte(operands[joined])) joined++;
    if (joined < 2) return 0;
    uint8_t *bytes = malloc((size_t)joined);
    if (!bytes) return 0;
    d->file = NULL;
    for (int i = 0; i < joined; i++) bytes[i] = (uint8_t)strtoul(operands[i], NULL, 16);
    (void)decode_unit(d, bytes, (size_t)joined);
    free(bytes);
    return joined;
}

void sb_decode_operands(sb_decode *d, int count, char **operands)
{
    d->several = count > 1;
    if (count == 0) decode_stdin(d);
    for (int i = 0; i < count && !d->stopped && !sb_interrupt_pending();) {
        int joined = d->raw ? 0 : decode_bytes(d, count - i, operands + i);
        if (joined > 0) {
            i += joined;
            continue;
        }
        if (strcmp(operands[i], "-") == 0) decode_stdin(d);
        else if (d->raw) decode_file(d, operands[i]);
        else decode_operand(d, operands[i]);
        i++;
    }
}
