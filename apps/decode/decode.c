/* apps/decode/decode.c -- `starbase decode`: parses the command line.
 *
 * Tests:    tests/apps/decode_test.py, tests/apps/shields_test.py
 */
#include "decode/decode.h"

#include "common/commands.h"
#include "common/define.h"
#include "common/options.h"
#include "platform/interrupt.h"
#include "platform/terminal.h"

#include <ctype.h>
#include <errno.h>
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
    KEY_COLOR,
    KEY_HEADER,
    KEY_NO_HEADER
};

static const sb_option options[] = {
    { 'p', "port", "N", "UDP port of the game in captures (default 22101); any: all UDP traffic" },
    { 'l', "layer", "LAYER",
      "layer of hex and raw files: message (default), datagram (encrypted),\n"
      "plain (decrypted), transport (one message of a datagram) or gamespy\n"
      "(default if the first byte is 5C)" },
    { KEY_FROM, "from", "SIDE", "sender of hex and raw files: client or host" },
    { KEY_SPECIES, "species", "SPECIES",
      "ship (number or name) of a StateUpdate given as hex; in captures, of\n"
      "every ship whose creation is not in the capture" },
    { KEY_OWN, "own", NULL, "the receiver of the StateUpdate owns that ship" },
    { KEY_SHIELDS, "shields", "LAYOUT",
      "layout of the shield generator in a StateUpdate: stock, documented (one\n"
      "byte, as in the published descriptions) or auto (default). Auto learns\n"
      "the layout of each sender in a capture within about a second and\n"
      "reads stock before that; --stats shows the evidence. For hex, auto\n"
      "means stock" },
    SB_OPTION_DEFINE,
    { KEY_RAW, "raw", NULL,
      "files are raw bytes, of whatever kind: each is one message or datagram" },
    { 'v', "verbose", NULL, "print a tree of all fields, with their published names" },
    { 'x', "hex", NULL,
      "print an annotated hexdump: the bytes of each field beside its name;\n"
      "with -v also the published names" },
    { KEY_JSON, "json", NULL, "print one JSON object per line, as `starbase encode` reads them" },
    { 'f', "fields", "A,B,C",
      "print only these values, separated by tabs:\n"
      "time,name,object_id,position.x" },
    { KEY_HEADER, "header", NULL,
      "with --fields: first print a line with the names of the columns; default\n"
      "if stdout is a terminal" },
    { KEY_NO_HEADER, "no-header", NULL, "with --fields: never print that line" },
    { KEY_STATS, "stats", NULL, "print counts instead of messages; with --json as one object" },
    { 'F', "filter", "EXPR",
      "print only records that match the expression (see below); if repeated,\n"
      "all expressions must match" },
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
        "colons are allowed; operands of one byte are joined) or a file: a pcap or pcapng\n"
        "capture, or lines of hex; both may be packed with gzip or zstd. Any other file is an\n"
        "error unless --raw is given. Without operands, or for the operand -, decode reads stdin\n"
        "in the same way.",
    .options = options,
    .footer =
        "Filters compare fields, named as in --json, and these properties of a record: opcode,\n"
        "name, layer, time, elapsed, number, datagram, size, ok, error, from, to, side, peer_id,\n"
        "type, seq, reliable, retransmission, repeated (Ack), late, gap, fragments, raw, file.\n"
        "Operators: == != < <= > >= & (has one of these bits), contains (or ~), matches (a POSIX\n"
        "extended regular expression), and, or, not, ( ); also eq ne lt le gt ge && || !.\n"
        "Texts are compared without regard to case. An unknown name is an error.\n"
        "A name alone tests whether the field exists. entries.condition is a nested field; the\n"
        "test is true if it holds for any entry. speed.code and position.x are parts of a value.\n"
        "If a field has the name of a property, write fields.name. Published names work, too:\n"
        "name == ObjCreateTeam. In captures ids have names: target contains Kira.\n\n"
        "A datagram given as hex is one record with --json, -v and -x. It has the opcode and the\n"
        "name of its message only if it is valid and has a single message.\n\n"
        "Examples:\n"
        "  starbase decode 1C FF FF FF 3F 00 00 E1 41 00\n"
        "  starbase decode --layer datagram -v < datagrams.hex\n"
        "  starbase decode --filter 'opcode == StateUpdate and entries.condition < 0.5' game.pcap\n"
        "  starbase decode --fields elapsed,peer_id,text --filter 'opcode == CHAT' game.pcap.gz\n"
        "  starbase decode --filter 'text contains \"gg\" or text matches \"^hi\"' game.pcap\n",
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
    sb_filter_free(&d->filter);
    if (sb_filter_init_defined(&d->filter, joined, d->context.definitions)) return true;
    (void)sb_usage_error(&usage, "--filter: all filters together: %s", d->filter.error);
    return false;
}

static bool report_filter(const sb_filter *f, const char *text)
{
    fprintf(stderr, "starbase decode: --filter: %s\n  %s\n  %*s^\n", f->error, text,
            (int)f->error_at, "");
    return false;
}

static bool read_filter(sb_decode *d, const char *text)
{
    bool first = !d->has_filter;
    d->has_filter = true;
    sb_filter_free(&d->filter);
    if (!sb_filter_init_defined(&d->filter, text, d->context.definitions))
        return report_filter(&d->filter, text);
    if (!first) return join_filter(d, text);
    d->filter_text = strdup(text);
    if (!d->filter_text) return false;
    sb_filter_free(&d->filter);
    return sb_filter_init_defined(&d->filter, d->filter_text, d->context.definitions);
}

/* Refuses names that no message has. Done after all options, because one of them may define more
 * messages. */
static bool check_names(sb_decode *d)
{
    char error[SB_FILTER_ERROR_MAX];
    if (!d->has_filter && d->columns.count == 0) return true;
    sb_field_names *names = malloc(sizeof *names);
    if (!names) return false;
    sb_field_names_init(names);
    sb_field_names_add_definitions(names, d->context.definitions);
    bool fine = !d->has_filter || sb_filter_check_names(&d->filter, names) ||
                report_filter(&d->filter, d->filter_text);
    if (fine && !sb_columns_check_names(&d->columns, names, error, sizeof error)) {
        (void)sb_usage_error(&usage, "--fields: %s", error);
        fine = false;
    }
    free(names);
    return fine;
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
    if (d->header != SB_HEADER_AUTO && d->form != SB_FORM_COLUMNS) {
        (void)sb_usage_error(&usage, "--header and --no-header need --fields");
        return false;
    }
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
    case KEY_HEADER: d->header = SB_HEADER_ALWAYS; return true;
    case KEY_NO_HEADER: d->header = SB_HEADER_NEVER; return true;
    case 'F': return read_filter(d, argument);
    case 'n': return read_count(d, argument);
    case KEY_STRICT: d->strict = true; return true;
    case KEY_COLOR: return read_colour(argument, colour);
    default: return true;
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
    bool header = d->header == SB_HEADER_ALWAYS ||
                  (d->header == SB_HEADER_AUTO && sb_terminal_is_open(stdout));
    if (d->form == SB_FORM_COLUMNS && header) sb_render_column_names(&d->render, &d->columns);
    sb_interrupt_catch();
    sb_decode_operands(d, count, operands);
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
    sb_defines defines = { 0 };
    int        status = sb_defines_load(&defines, &usage, argc, argv);
    d->context.definitions = &defines.definitions;
    sb_options_init(&o, &usage, argc, argv);
    for (int key; status < 0 && (key = sb_options_next(&o)) != SB_OPTIONS_END;) {
        if (!apply_option(d, key, o.argument, &colour)) status = SB_EXIT_USAGE;
    }
    if (status < 0 && (!choose_form(d) || !check_names(d))) status = SB_EXIT_USAGE;
    if (status < 0) status = run(d, argc - o.operand, argv + o.operand, colour);
    sb_filter_free(&d->filter);
    free(d->filter_text);
    free(d);
    sb_defines_free(&defines);
    return status;
}
