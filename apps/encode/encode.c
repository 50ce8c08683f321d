/* apps/encode/encode.c -- `starbase encode`: reads JSON lines, prints the bytes they describe.
 *
 * Tests:    tests/apps/encode_test.c
 */
#include "common/commands.h"
#include "common/define.h"
#include "common/options.h"
#include "inspect/json/line.h"

#include "inspect/number_text.h"

#include <starbase/layout.h>

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_SPECIES = 256, KEY_OWN, KEY_SHIELDS, KEY_FROM };

static const sb_option options[] = {
    { 'o', "output", "FILE", "write to FILE instead of stdout" },
    { 'b', "binary", NULL, "write raw bytes instead of lines of hex, without separators" },
    { KEY_SPECIES, "species", "SPECIES",
      "ship (number or name) of StateUpdates whose line has no \"species\"" },
    { KEY_OWN, "own", NULL, "the receiver owns the ship, in lines without \"own\"" },
    { KEY_SHIELDS, "shields", "LAYOUT",
      "layout of the shield generator in lines without \"shields\": stock\n"
      "(default) or documented" },
    SB_OPTION_DEFINE,
    { KEY_FROM, "from", "SIDE",
      "client or host: sender of transport messages whose line has no \"side\"" },
    { 0, NULL, NULL, NULL },
};

static const sb_usage usage = {
    .command = "encode",
    .synopsis = "[options] [FILE...]",
    .about =
        "Turns JSON lines, as `starbase decode --json` prints them, back into bytes: one line of\n"
        "hex per line of JSON. Without FILE, or for the FILE -, encode reads stdin. A line needs\n"
        "only the opcode or name, and the fields that differ from their default. The bytes in\n"
        "`raw` are used if a line has no fields, or if `ok` is false. The exit status is 1 if a "
        "line\n"
        "was refused and 2 if a file could not be read.",
    .options = options,
    .footer = "Examples:\n"
              "  echo '{\"name\":\"CHAT\",\"fields\":{\"sender\":2,\"text\":\"hello\"}}' | "
              "starbase encode\n"
              "  starbase decode --json game.pcap | starbase encode\n",
};

typedef struct job {
    sb_json_defaults defaults;
    FILE            *to;
    bool             binary;
    int              status; /* SB_EXIT_... so far */
    sb_arena         arena;
    char            *line; /* SB_JSON_LINE_MAX + 1 */
    uint8_t         *bytes;
    char            *hex;
} job;

enum {
    BYTES_MAX = SB_JSON_LINE_MAX,
    ENDLESS_LINE_BYTES = 4 * SB_JSON_LINE_MAX, /* a device such as /dev/zero has no newline */
};

/* Reads a line without its newline. False: end of input. A line that is too long is cut after
 * SB_JSON_LINE_MAX + 1 bytes, which is enough to have it refused; the rest of an endless one is not
 * read. */
static bool read_line(FILE *from, char *line, size_t *size, bool *endless)
{
    size_t count = 0;
    *size = 0;
    int c = getc_unlocked(from);
    if (c == EOF) return false;
    for (; c != EOF && c != '\n' && count < ENDLESS_LINE_BYTES; c = getc_unlocked(from), count++)
        if (*size <= SB_JSON_LINE_MAX) line[(*size)++] = (char)c;
    *endless = count == ENDLESS_LINE_BYTES;
    return true;
}

static bool is_blank(const char *line, size_t size)
{
    size_t i = 0;
    while (i < size && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r')) i++;
    return i == size;
}

static void write_unit(job *j, size_t size)
{
    if (j->binary) {
        fwrite(j->bytes, 1, size, j->to);
        return;
    }
    size_t digits = sb_format_hex(j->hex, j->bytes, size);
    j->hex[digits] = '\n';
    fwrite(j->hex, 1, digits + 1, j->to);
}

/* False: `error` says why. */
static bool encode_line(job *j, const char *line, size_t size, sb_json_error *error)
{
    size_t count;
    if (is_blank(line, size)) return true;
    if (sb_json_encode_line(line, size, &j->defaults, &j->arena, j->bytes, BYTES_MAX, &count,
                            error) != SB_OK)
        return false;
    write_unit(j, count);
    return true;
}

/* Some editors put a byte order mark before the first line. */
static size_t mark_bytes(const char *line, size_t size)
{
    return size >= 3 && memcmp(line, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/* Reports a file that cannot be read. */
static void refuse_file(job *j, const char *name, const char *why)
{
    j->status = SB_EXIT_USAGE;
    fprintf(stderr, "starbase encode: %s: %s\n", name ? name : "stdin", why);
}

static void encode_file(job *j, FILE *from, const char *name)
{
    size_t        size;
    bool          endless = false;
    sb_json_error error;
    for (unsigned long number = 1; read_line(from, j->line, &size, &endless); number++) {
        size_t skipped = number == 1 ? mark_bytes(j->line, size) : 0;
        if (endless) {
            refuse_file(j, name, "a line does not end; are these JSON lines?");
            return;
        }
        if (encode_line(j, j->line + skipped, size - skipped, &error)) continue;
        if (j->status == SB_EXIT_FINE) j->status = SB_EXIT_NEGATIVE;
        fprintf(stderr, "starbase encode: %s%sline %lu: %s\n", name ? name : "", name ? ": " : "",
                number, error.text);
    }
    if (ferror(from)) refuse_file(j, name, strerror(errno));
}

static void encode_operand(job *j, const char *name)
{
    if (strcmp(name, "-") == 0) {
        encode_file(j, stdin, NULL);
        return;
    }
    FILE *from = fopen(name, "r");
    if (!from) {
        refuse_file(j, name, strerror(errno));
        return;
    }
    encode_file(j, from, name);
    fclose(from);
}

static bool read_shields(job *j, const char *text)
{
    sb_shield_layout layout;
    if (!sb_find_shield_layout(text, &layout)) {
        sb_usage_error(&usage, "--shields: \"%s\" is not stock or documented", text);
        return false;
    }
    j->defaults.context.layout = (uint8_t)layout;
    return true;
}

/* False: the error is on stderr. */
static bool apply_option(job *j, int key, const char *argument, const char **output)
{
    sb_json_reason reason = { "" };
    switch (key) {
    case 'o': *output = argument; break;
    case 'b': j->binary = true; break;
    case KEY_OWN: j->defaults.context.own = true; break;
    case KEY_SHIELDS: return read_shields(j, argument);
    case KEY_SPECIES:
        j->defaults.context.ship = sb_json_find_ship(NULL, argument, &reason);
        if (!j->defaults.context.ship) sb_usage_error(&usage, "--species: %s", reason.text);
        return j->defaults.context.ship;
    case KEY_FROM:
        if (strcmp(argument, "client") == 0) j->defaults.from = SB_SIDE_CLIENT;
        else if (strcmp(argument, "host") == 0) j->defaults.from = SB_SIDE_HOST;
        else sb_usage_error(&usage, "--from: \"%s\" is not client or host", argument);
        return j->defaults.from != SB_SIDE_UNKNOWN;
    default: break;
    }
    return true;
}

static void *allocate(size_t size)
{
    void *memory = malloc(size);
    if (memory) return memory;
    fprintf(stderr, "starbase encode: out of memory\n");
    exit(SB_EXIT_NEGATIVE);
}

static bool finish_output(job *j, const char *output)
{
    bool failed = ferror(j->to) != 0;
    if (fflush(j->to) != 0) failed = true;
    if (output && fclose(j->to) != 0) failed = true;
    if (!failed) return true;
    fprintf(stderr, "starbase encode: %s: %s\n", output ? output : "stdout", strerror(errno));
    return false;
}

static int run(job *j, int count, char **operands, const char *output)
{
    j->to = output ? fopen(output, "wb") : stdout;
    if (!j->to) {
        fprintf(stderr, "starbase encode: %s: %s\n", output, strerror(errno));
        return SB_EXIT_NEGATIVE;
    }
    j->line = allocate(SB_JSON_LINE_MAX + 1);
    j->bytes = allocate(BYTES_MAX);
    j->hex = allocate(2 * (size_t)BYTES_MAX + 1);
    if (count == 0) encode_file(j, stdin, NULL);
    for (int i = 0; i < count; i++) encode_operand(j, operands[i]);
    bool written = finish_output(j, output);
    sb_arena_free(&j->arena);
    free(j->line);
    free(j->bytes);
    free(j->hex);
    return written || j->status != SB_EXIT_FINE ? j->status : SB_EXIT_NEGATIVE;
}

static int run_options(job *j, int argc, char **argv)
{
    const char *output = NULL;
    sb_options  o;
    sb_options_init(&o, &usage, argc, argv);
    for (int key; (key = sb_options_next(&o)) != SB_OPTIONS_END;)
        if (!apply_option(j, key, o.argument, &output)) return SB_EXIT_USAGE;
    return run(j, argc - o.operand, argv + o.operand, output);
}

int sb_run_encode(int argc, char **argv)
{
    job        j = { .to = NULL };
    sb_defines defines = { 0 };
    int        status = sb_defines_load(&defines, &usage, argc, argv);
    j.defaults.context.definitions = &defines.definitions;
    if (status < 0) status = run_options(&j, argc, argv);
    sb_defines_free(&defines);
    return status;
}
