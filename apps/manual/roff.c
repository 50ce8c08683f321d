/* apps/manual/roff.c -- text in the markup of man pages.
 *
 * Never:    lets a character of the text act as markup: backslashes, and full stops and quotes at
 *           the start of a line.
 * Tests:    tests/apps/manual_test.py
 */
#include "manual/manual.h"

#include "base/utf8.h"

#include <ctype.h>
#include <starbase/base.h>
#include <string.h>

static void print_character(FILE *out, uint32_t code)
{
    static const struct {
        uint32_t    code;
        const char *markup;
    } special[] = { { '\\', "\\e" },  { '-', "\\-" },   { '\'', "\\(aq" },
                    { '^', "\\(ha" }, { '~', "\\(ti" }, { '`', "\\(ga" } };
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (special[i].code == code) {
            fputs(special[i].markup, out);
            return;
        }
    if (code < 128) fputc((int)code, out);
    else fprintf(out, "\\[u%04X]", (unsigned)code);
}

void manual_print_inline(FILE *out, const char *text)
{
    while (*text) print_character(out, sb_utf8_next(&text));
}

static bool has_pairs_of_backticks(const char *text)
{
    size_t count = 0;
    for (; *text; text++) count += *text == '`';
    return count > 0 && count % 2 == 0;
}

void manual_print_text(FILE *out, const char *text, bool bold_code)
{
    bool at_start = true, bold = false, pairs = bold_code && has_pairs_of_backticks(text);
    while (*text) {
        if (at_start && *text == '.') fputs("\\&", out);
        at_start = *text == '\n';
        uint32_t code = sb_utf8_next(&text);
        if (pairs && code == '`') {
            bold = !bold;
            fputs(bold ? "\\fB" : "\\fR", out);
        } else print_character(out, code);
    }
    if (!at_start) fputc('\n', out);
}

void manual_page_name(const char *command, char out[SB_USAGE_NAME + 16])
{
    snprintf(out, SB_USAGE_NAME + 16, "starbase%s%s", command[0] ? "-" : "", command);
    for (char *c = out; *c; c++)
        if (*c == ' ') *c = '-';
}

void manual_print_head(FILE *out, const char *name, int section)
{
    fprintf(out, ".\\\" Made by `starbase manual` from the tables of the program; do not edit.\n"
                 ".TH ");
    for (const char *c = name; *c; c++)
        if (*c == '-') fputs("\\-", out);
        else fputc(toupper((unsigned char)*c), out);
    /* No hyphens and no wide blanks: names of keys and options stay as they are typed. */
    fprintf(out, " %d \"\" \"starbase %s\" \"%s\"\n.nh\n.ad l\n", section, sb_version(),
            section == 1 ? "User commands" : "File formats");
}
