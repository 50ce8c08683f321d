/* apps/manual/page.c -- the manual page of a command, from its table of options.
 *
 * Tests:    tests/apps/manual_test.py
 */
#include "manual/manual.h"

#include <string.h>

static const char *const exit_status[][2] = {
    { "0", "Everything is fine." },
    { "1", "A negative answer, or the operating system reported an error." },
    { "2", "The command line or the input is invalid." },
    { "78", "The configuration is invalid; only of commands that run by it." },
};

static void print_name(FILE *out, const char *page, const char *summary, size_t size)
{
    char text[256];
    snprintf(text, sizeof text, "%.*s", (int)size, summary);
    fprintf(out, ".SH NAME\n");
    manual_print_inline(out, page);
    fprintf(out, " \\- ");
    manual_print_text(out, text, false);
}

/* The first sentence, for a part, which has no summary. */
static void print_name_of(FILE *out, const char *page, const sb_usage_entry *entry)
{
    const char *about = entry->usage->about, *end = strstr(about, ". ");
    char        line[256];
    if (entry->summary) {
        print_name(out, page, entry->summary, strlen(entry->summary));
        return;
    }
    snprintf(line, sizeof line, "%.*s", (int)(end ? (size_t)(end - about) : strcspn(about, "\n")),
             about);
    for (char *c = line; *c; c++)
        if (*c == '\n') *c = ' ';
    print_name(out, page, line, strlen(line));
}

/* Each line of the synopsis is a form of the command; a further one repeats its name. */
static void print_synopsis(FILE *out, const sb_usage *usage)
{
    const char *line = usage->synopsis;
    fprintf(out, ".SH SYNOPSIS\n\\fBstarbase %s\\fR ", usage->command);
    for (;;) {
        char   form[256];
        size_t size = strcspn(line, "\n");
        snprintf(form, sizeof form, "%.*s", (int)size, line);
        manual_print_text(out, form[0] ? form : " ", false);
        if (line[size] == '\0') return;
        line += size + 1;
        line += strspn(line, " ");
        fprintf(out, ".br\n");
    }
}

static void print_option(FILE *out, const sb_option *option)
{
    fprintf(out, ".TP\n\\fB");
    if (sb_option_has_letter(option)) fprintf(out, "\\-%c\\fR, \\fB", option->key);
    fprintf(out, "\\-\\-");
    manual_print_inline(out, option->name);
    if (option->argument) fprintf(out, "\\fR \\fI%s", option->argument);
    fprintf(out, "\\fR\n");
    manual_print_text(out, option->help, true);
}

static void print_options(FILE *out, const sb_usage *usage)
{
    fprintf(out, ".SH OPTIONS\n");
    for (const sb_option *option = usage->options; option->name; option++)
        print_option(out, option);
    print_option(out, &sb_help_option);
}

/* ---- the texts of the help ---- */

/* Paragraphs are filled, except tables and examples: those keep their lines. */
typedef struct block {
    FILE       *out;
    const char *first_section; /* the heading of text without a heading of its own */
    bool        is_literal, has_section;
} block;

static bool is_heading(const char *line, size_t size)
{
    return (size == 9 && memcmp(line, "Examples:", 9) == 0) ||
           (size == 8 && memcmp(line, "Example:", 8) == 0);
}

/* True if a line of the paragraph has blanks that make columns. */
static bool has_columns(const char *text)
{
    const char *end = strstr(text, "\n\n"), *columns = strstr(text, "  ");
    return columns && (!end || columns < end);
}

static void set_literal(block *b, bool is_literal)
{
    if (b->is_literal != is_literal) fprintf(b->out, is_literal ? ".EX\n" : ".EE\n");
    b->is_literal = is_literal;
}

static void start_paragraph(block *b, const char *text)
{
    set_literal(b, false);
    bool heading = is_heading(text, strcspn(text, "\n"));
    if (heading) fprintf(b->out, ".SH EXAMPLES\n");
    else if (!b->has_section) fprintf(b->out, ".SH %s\n", b->first_section);
    else fprintf(b->out, ".PP\n");
    b->has_section = true;
    if (!heading) set_literal(b, has_columns(text));
}

static void print_line(block *b, const char *text, size_t size)
{
    char line[512];
    snprintf(line, sizeof line, "%.*s", (int)size, text);
    manual_print_text(b->out, line, !b->is_literal);
}

static void print_block(FILE *out, const char *text, const char *first_section)
{
    block b = { .out = out, .first_section = first_section };
    bool  starts = true;
    while (*text) {
        size_t size = strcspn(text, "\n");
        if (size > 0 && starts) start_paragraph(&b, text);
        if (is_heading(text, size)) set_literal(&b, true);
        else if (size > 0) print_line(&b, text, size);
        starts = size == 0;
        text += size + (text[size] == '\n');
    }
    set_literal(&b, false);
}

static void print_exit_status(FILE *out)
{
    fprintf(out, ".SH EXIT STATUS\n");
    for (size_t i = 0; i < sizeof exit_status / sizeof *exit_status; i++)
        fprintf(out, ".TP\n\\fB%s\\fR\n%s\n", exit_status[i][0], exit_status[i][1]);
}

static void print_reference(FILE *out, const char *command, const char *end)
{
    char page[SB_USAGE_NAME + 16];
    manual_page_name(command, page);
    fprintf(out, ".BR ");
    manual_print_inline(out, page);
    fprintf(out, " (1)%s\n", end);
}

void manual_print_command(FILE *out, const sb_usages *usages, const sb_usage_entry *entry)
{
    char            page[SB_USAGE_NAME + 16];
    const sb_usage *usage = entry->usage;
    manual_page_name(entry->name, page);
    manual_print_head(out, page, 1);
    print_name_of(out, page, entry);
    print_synopsis(out, usage);
    print_block(out, usage->about, "DESCRIPTION");
    print_options(out, usage);
    if (usage->footer) print_block(out, usage->footer, "NOTES");
    print_exit_status(out);
    fprintf(out, ".SH SEE ALSO\n");
    size_t size = strlen(usage->command);
    for (size_t i = 0; i < usages->count; i++) { /* the command of a part, the parts of a command */
        const char *name = usages->entries[i].name;
        bool        part = strncmp(name, usage->command, size) == 0 && name[size] == ' ';
        bool        whole =
            strncmp(usage->command, name, strlen(name)) == 0 && usage->command[strlen(name)] == ' ';
        if (part || whole) print_reference(out, name, ",");
    }
    if (strcmp(usage->command, "serve") == 0) fprintf(out, ".BR starbase\\-server.lua (5),\n");
    fprintf(out, ".BR starbase (1)\n");
}

void manual_print_program(FILE *out, const sb_usages *usages)
{
    manual_print_head(out, "starbase", 1);
    fprintf(out,
            ".SH NAME\nstarbase \\- multiplayer network of Star Trek: Bridge Commander\n"
            ".SH SYNOPSIS\n\\fBstarbase\\fR COMMAND [options]\n"
            ".SH DESCRIPTION\n"
            "A dedicated server that unmodified clients of version 1.1 join, headless players,\n"
            "and tools for the protocol. Every command has a page of its own;\n"
            "\\fBstarbase\\fR \\fICOMMAND\\fR \\fB\\-\\-help\\fR prints the short form.\n"
            "Results are on the standard output, messages on the standard error.\n"
            ".SH COMMANDS\n");
    for (size_t i = 0; i < usages->count; i++) {
        const sb_usage_entry *entry = &usages->entries[i];
        if (!entry->summary) continue;
        fprintf(out, ".TP\n\\fB%s\\fR\n", entry->name);
        manual_print_text(out, entry->summary, true);
    }
    print_exit_status(out);
    fprintf(out, ".SH FILES\n.TP\n.I /etc/starbase/server.lua\n"
                 "the configuration of the service, see\n.BR starbase\\-server.lua (5)\n"
                 ".SH SEE ALSO\n");
    for (size_t i = 0; i < usages->count; i++) print_reference(out, usages->entries[i].name, ",");
    fprintf(out, ".BR starbase\\-server.lua (5)\n");
}
