/* apps/decode/decode.c -- `starbase decode`: parses the command line and decodes its operands.
 *
 * Tests:    tests/apps/decode_test.py, tests/apps/shields_test.py
 */
#include "decode/decode.h"

#include "common/commands.h"
#include "common/options.h"
#include "decode/input.h"
#include "inspect/show.h"
#include "inspect/split.h"
#include "platform/interrupt.h"
#include "platform/terminal.h"

#include <ctype.h>
#include <errno.h>
#include <starbase/cipher.h>
#include <starbase/message.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    KEY_RAW = 256,
    KEY_FROM,
    KEY_SPECIES,
    KEY_OWN,
    KEY_SHIELDS,
    KEY_JSON,
    KEY_STATS,
    KEY_STRICT,
    KEY_COLOR
};

static const sb_option options[] = {
    { 'p', "port", "N", "UDP port of the game in captures (default 22101); any: all UDP traffic" },
    { 'l', "layer", "LAYER",
      "layer of hex and raw files: message (default), datagram (encrypted),\n"
      "plain (decrypted), transport (one message of a datagram) or gamespy\n"
      "(default if the first byte is 5C)" },
    { KEY_FROM, "from", "SIDE", "sender of hex and raw files: client or host" },
    { KEY_SPECIES, "species", "SPECIES",
      "ship (number or name) of a StateUpdate given as hex; in captures, of every\n"
      "ship whose creation is not in the capture" },
    { KEY_OWN, "own", NULL, "the receiver of the StateUpdate owns that ship" },
    { KEY_SHIELDS, "shields", "LAYOUT",
      "layout of the shield generator in a StateUpdate: stock, documented (one\n"
      "byte, as in the published descriptions) or auto (default). Auto learns the\n"
      "layout of each sender in a capture within about a second and reads stock\n"
      "before that; --stats shows the evidence. For hex, auto means stock" },
    { KEY_RAW, "raw", NULL, "files are raw bytes: each file is one message or datagram" },
    { 'v', "verbose", NULL, "print a tree of all fields, with their published names" },
    { 'x', "hex", NULL,
      "print an annotated hexdump: the bytes of each field beside its name; with\n"
      "-v also the published names" },
    { KEY_JSON, "json", NULL, "print one JSON object per line, as `starbase encode` reads them" },
    { 'f', "fields", "A,B,C",
      "print only these values, separated by tabs: time,name,object_id,position.x" },
    { KEY_STATS, "stats", NULL, "print counts instead of messages; with --json as one object" },
    { 'F', "filter", "EXPR",
      "print only records that match the expression (see below); if repeated, all\n"
      "expressions must match" },
    { 'n', "count", "N", "stop after printing N records" },
    { KEY_STRICT, "strict", NULL,
      "exit with 1 if a record was refused or has opaque or trailing bytes, as\n"
      "--stats lists them, or if packets were cut off or fragmented" },
    { KEY_COLOR, "color", "WHEN", "always, never or auto (default)" },
    { 0, NULL, NULL, NULL },
};

static const sb_usage usage = {
    .command = "decode",
    .synopsis = "[options] [HEX... | FILE...]",
    .about =
        "Prints the fields of messages, datagrams and captures. An operand is hex (blanks and\n"
        "colons are allowed; operands of one byte are joined) or a file: a pcap or pcapng "
        "capture,\n"
        "lines of hex, or raw bytes. Without operands, or for the operand -, decode reads lines "
        "of\n"
        "hex or a capture from stdin.",
    .options = options,
    .footer =
        "Filters compare fields, named as in --json, and these properties of a record: opcode,\n"
        "name, layer, time, elapsed, number, datagram, size, ok, error, from, to, side, peer_id,\n"
        "type, seq, reliable, retransmission, repeated (Ack), late, gap, fragments, raw, file.\n"
        "Operators: == != < <= > >= & (has one of these bits) ~ (contains), and, or, not, ( ).\n"
        "A name alone tests whether the field exists. entries.condition is a nested field; the\n"
        "test is true if it holds for any entry. speed.code and position.x are parts of a value.\n"
        "If a field has the name of a property, write fields.name. Published names work, too:\n"
        "name == ObjCreateTeam.\n\n"
        "A datagram given as hex is one record with --json, -v and -x. It has the opcode and the\n"
        "name of its message only if it is valid and has a single message.\n\n"
        "Examples:\n"
        "  starbase decode 1C FF FF FF 3F 00 00 E1 41 00\n"
        "  starbase decode --layer datagram -v < datagrams.hex\n"
        "  starbase decode --filter 'opcode == StateUpdate and entries.condition < 0.5' game.pcap\n"
        "  starbase decode --fields elapsed,peer_id,text --filter 'opcode == CHAT' game.pcap\n",
};

/* ---- the command line ---- */

static bool read_port(sb_decode *d, const char *text)
{
    char         *end;
    unsigned long port = strtoul(text, &end, 10);
    if (strcasecmp(text, "any") == 0) {
        d->port = 0;
        return true;
    }
    if (!isdigit((unsigned char)text[0]) || *end != '\0' || port > 65535) {
        (void)sb_usage_error(&usage, "--port: `%s` is not any or a number from 0 to 65535", text);
        return false;
    }
    d->port = (uint16_t)port;
    return true;
}

static bool read_layer(sb_decode *d, const char *text)
{
    d->has_layer = sb_find_layer(text, &d->layer);
    if (!d->has_layer)
        (void)sb_usage_error(
            &usage, "--layer: `%s` is not one of message, datagram, plain, transport, gamespy",
            text);
    return d->has_layer;
}

static bool read_side(sb_decode *d, const char *text)
{
    if (strcasecmp(text, "client") == 0) d->from = SB_SIDE_CLIENT;
    if (strcasecmp(text, "host") == 0) d->from = SB_SIDE_HOST;
    if (d->from == SB_SIDE_UNKNOWN)
        (void)sb_usage_error(&usage, "--from: `%s` is not client or host", text);
    return d->from != SB_SIDE_UNKNOWN;
}

static bool read_species(sb_decode *d, const char *text)
{
    const sb_ship_set *ships = sb_stock_ships();
    char              *end;
    unsigned long      number = strtoul(text, &end, 0);
    d->context.ship = sb_find_ship_by_name(ships, text);
    if (!d->context.ship && isdigit((unsigned char)text[0]) && *end == '\0' && number < 256)
        d->context.ship = sb_find_ship(ships, (uint8_t)number);
    if (d->context.ship) return true;
    fprintf(stderr,
            "starbase decode: --species: no subsystem list is known for `%s`; known ships:", text);
    for (size_t i = 0; i < ships->count; i++)
        fprintf(stderr, " %u=%s", ships->ships[i].species, ships->ships[i].key);
    fprintf(stderr, "\n");
    return false;
}

static bool read_shields(sb_decode *d, const char *text)
{
    sb_shield_layout layout = SB_SHIELD_STOCK;
    d->fixed_layout = sb_find_shield_layout(text, &layout);
    d->context.layout = (uint8_t)layout;
    if (d->fixed_layout || strcmp(text, "auto") == 0) return true;
    (void)sb_usage_error(&usage, "--shields: `%s` is not auto, stock or documented", text);
    return false;
}

static bool read_count(sb_decode *d, const char *text)
{
    char *end;
    errno = 0;
    d->count_max = strtoull(text, &end, 10);
    if (isdigit((unsigned char)text[0]) && *end == '\0' && errno == 0 && d->count_max > 0)
        return true;
    (void)sb_usage_error(&usage, "--count: `%s` is not a number from 1 up", text);
    return false;
}

/* Joins several --filter options to "(one) and (other)". */
static bool join_filter(sb_decode *d, const char *text)
{
    char *joined = NULL;
    if (asprintf(&joined, "(%s) and (%s)", d->filter_text, text) < 0) return false;
    free(d->filter_text);
    d->filter_text = joined;
    if (sb_filter_init(&d->filter, joined)) return true;
    (void)sb_usage_error(&usage, "--filter: all filters together: %s", d->filter.error);
    return false;
}

static bool read_filter(sb_decode *d, const char *text)
{
    bool first = !d->has_filter;
    d->has_filter = true;
    if (sb_filter_init(&d->filter, text)) {
        if (!first) return join_filter(d, text);
        d->filter_text = strdup(text);
        return d->filter_text && sb_filter_init(&d->filter, d->filter_text);
    }
    fprintf(stderr, "starbase decode: --filter: %s\n  %s\n  %*s^\n", d->filter.error, text,
            (int)d->filter.error_at, "");
    return false;
}

static bool read_fields(sb_decode *d, const char *text)
{
    d->wanted[SB_FORM_COLUMNS] = true;
    if (sb_columns_init(&d->columns, text)) return true;
    (void)sb_usage_error(&usage, "--fields: `%s` is not a list of at most %d names with commas",
                         text, SB_COLUMNS_MAX);
    return false;
}

static bool read_colour(const char *text, sb_colour *colour)
{
    if (sb_find_colour(text, colour)) return true;
    (void)sb_usage_error(&usage, "--color: `%s` is not always, never or auto", text);
    return false;
}

/* Chooses the form of output. -v may be combined with -x, and --json with --stats. */
static bool choose_form(sb_decode *d)
{
    static const char *const names[] = {
        "", "--verbose", "--hex", "--json", "--fields", "--stats"
    };
    for (int form = SB_FORM_TREE; form <= SB_FORM_STATS; form++) {
        if (!d->wanted[form]) continue;
        bool together = d->form == SB_FORM_LINE ||
                        (d->form == SB_FORM_TREE && form == SB_FORM_HEX) ||
                        (d->form == SB_FORM_JSON && form == SB_FORM_STATS);
        if (!together) {
            (void)sb_usage_error(&usage, "%s and %s cannot be combined", names[d->form],
                                 names[form]);
            return false;
        }
        d->form = (sb_decode_form)form;
    }
    d->stats_as_json = d->form == SB_FORM_STATS && d->wanted[SB_FORM_JSON];
    return true;
}

/* False: the error is on stderr. */
static bool apply_option(sb_decode *d, int key, const char *argument, sb_colour *colour)
{
    switch (key) {
    case 'p': return read_port(d, argument);
    case 'l': return read_layer(d, argument);
    case KEY_FROM: return read_side(d, argument);
    case KEY_SPECIES: return read_species(d, argument);
    case KEY_OWN: d->context.own = true; return true;
    case KEY_SHIELDS: return read_shields(d, argument);
    case KEY_RAW: d->raw = true; return true;
    case 'v': return d->wanted[SB_FORM_TREE] = true;
    case 'x': return d->wanted[SB_FORM_HEX] = true;
    case KEY_JSON: return d->wanted[SB_FORM_JSON] = true;
    case 'f': return read_fields(d, argument);
    case KEY_STATS: return d->wanted[SB_FORM_STATS] = true;
    case 'F': return read_filter(d, argument);
    case 'n': return read_count(d, argument);
    case KEY_STRICT: d->strict = true; return true;
    case KEY_COLOR: return read_colour(argument, colour);
    default: return true;
    }
}

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

static bool is_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    if (file) fclose(file);
    return file != NULL;
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
    else if (fault == SB_HEX_HALF && !is_file(text))
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

static void decode_operands(sb_decode *d, int count, char **operands)
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

/* ---- the command ---- */

/* Warns of names that no record has: they are probably misspelt. */
static void print_warnings(const sb_decode *d)
{
    char   text[SB_FILTER_ERROR_MAX];
    size_t index = 0;
    if (d->records == 0 || d->stopped) return;
    while (d->has_filter && d->shown == 0 &&
           sb_filter_next_warning(&d->filter, &index, text, sizeof text))
        fprintf(stderr, "starbase decode: --filter: %s\n", text);
    for (size_t i = 0; d->form == SB_FORM_COLUMNS && i < d->columns.count; i++) {
        const sb_column *c = &d->columns.columns[i];
        if (d->shown > 0 && !c->meta && !c->found)
            fprintf(stderr, "starbase decode: --fields: no record printed has a field `%.*s`\n",
                    (int)c->text.size, (const char *)c->text.data);
    }
}

static int run(sb_decode *d, int count, char **operands, sb_colour colour)
{
    sb_decode_open_output(d, sb_colour_is_wanted(colour, stdout));
    d->render.remarks = d->wanted[SB_FORM_TREE];
    sb_interrupt_catch();
    decode_operands(d, count, operands);
    sb_decode_close_output(d);
    if (sb_interrupt_pending()) return sb_interrupt_status();
    print_warnings(d);
    if (!d->fed) fprintf(stderr, "starbase decode: nothing to decode\n");
    if (d->status != SB_EXIT_FINE) return d->status;
    return d->strict && d->undecoded > 0 ? SB_EXIT_NEGATIVE : SB_EXIT_FINE;
}

int sb_run_decode(int argc, char **argv)
{
    sb_colour  colour = SB_COLOUR_AUTO;
    sb_options o;
    sb_decode *d = calloc(1, sizeof *d);
    if (!d) return SB_EXIT_NEGATIVE;
    d->port = 22101;
    int status = -1;
    sb_options_init(&o, &usage, argc, argv);
    for (int key; status < 0 && (key = sb_options_next(&o)) != SB_OPTIONS_END;) {
        if (key == SB_OPTIONS_BAD) status = SB_EXIT_USAGE;
        else if (key == SB_OPTIONS_DONE) status = SB_EXIT_FINE;
        else if (!apply_option(d, key, o.argument, &colour)) status = SB_EXIT_USAGE;
    }
    if (status < 0 && !choose_form(d)) status = SB_EXIT_USAGE;
    if (status < 0) status = run(d, argc - o.operand, argv + o.operand, colour);
    free(d->filter_text);
    free(d);
    return status;
}
