/* apps/manual/manual.c -- `starbase manual`: manual pages, made from the tables of the program.
 *
 * For:      people without installed pages, and the build, which installs them.
 * Tests:    tests/apps/manual_test.py
 */
#include "manual/manual.h"

#include "base/suggestion.h"
#include "common/commands.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static const char keys_page[] = "server.lua";

static const sb_option options[] = {
    { 'o', "output", "DIR", "write all pages below DIR, which is created if needed: man1 and man5",
      NULL },
    { 0 },
};

static const char *page_word(size_t index);

static const sb_usage usage = {
    .command = "manual",
    .synopsis = "[COMMAND | server.lua]\n       starbase manual --output DIR",
    .about =
        "Prints a manual page in the format of man: of the program, of a command, or of the\n"
        "configuration file server.lua. The pages are made from the tables of options and keys.",
    .options = options,
    .footer = "Examples:\n"
              "  starbase manual serve | man -l -\n"
              "  starbase manual ships import | man -l -\n"
              "  starbase manual server.lua | man -l -\n"
              "  starbase manual --output /usr/local/share/man\n",
    .word = page_word,
};

static const char *page_word(size_t index)
{
    const sb_subcommand *command = index == 0 ? NULL : sb_subcommand_at(index - 1);
    return index == 0 ? keys_page : command ? command->name : NULL;
}

static const sb_usage_entry *find_entry(const sb_usages *usages, const char *name)
{
    for (size_t i = 0; i < usages->count; i++)
        if (strcmp(usages->entries[i].name, name) == 0) return &usages->entries[i];
    return NULL;
}

/* ---- one page ---- */

static int refuse_name(const sb_usages *usages, const char *name)
{
    sb_suggestion found = sb_suggestion_start(name);
    sb_suggestion_try(&found, keys_page);
    for (size_t i = 0; i < usages->count; i++) sb_suggestion_try(&found, usages->entries[i].name);
    return found.best ? sb_usage_error(&usage, "there is no page `%s`; did you mean `%s`?", name,
                                       found.best)
                      : sb_usage_error(&usage,
                                       "there is no page `%s`; `starbase help` lists the "
                                       "commands",
                                       name);
}

static int print_keys(FILE *out)
{
    if (manual_print_keys(out)) return SB_EXIT_FINE;
    fprintf(stderr, "starbase manual: no memory for the page of server.lua\n");
    return SB_EXIT_NEGATIVE;
}

static int print_page(const sb_usages *usages, int count, char **words)
{
    char name[SB_USAGE_NAME];
    if (count > 2) return sb_usage_error(&usage, "name one command");
    if (count == 0) {
        manual_print_program(stdout, usages);
        return SB_EXIT_FINE;
    }
    if (count == 1 && strcmp(words[0], keys_page) == 0) return print_keys(stdout);
    snprintf(name, sizeof name, "%s%s%s", words[0], count > 1 ? " " : "",
             count > 1 ? words[1] : "");
    const sb_usage_entry *entry = find_entry(usages, name);
    if (!entry) return refuse_name(usages, name);
    manual_print_command(stdout, usages, entry);
    return SB_EXIT_FINE;
}

/* ---- all pages ---- */

enum { PATH_BYTES = 1024 };

static int report_path(const char *path)
{
    fprintf(stderr, "starbase manual: %s: %s\n", path, strerror(errno));
    return SB_EXIT_NEGATIVE;
}

static int make_directory(const char *path)
{
    return mkdir(path, 0755) == 0 || errno == EEXIST ? SB_EXIT_FINE : report_path(path);
}

static int make_directories(const char *directory)
{
    char path[PATH_BYTES];
    int  status = make_directory(directory);
    for (int section = 1; status == SB_EXIT_FINE && section <= 5; section += 4) {
        snprintf(path, sizeof path, "%s/man%d", directory, section);
        status = make_directory(path);
    }
    return status;
}

/* Opens DIR/manN/PAGE.N; the caller closes it with finish_page. */
static FILE *open_page(const char *directory, const char *page, int section, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/man%d/%s.%d", directory, section, page, section);
    FILE *file = fopen(path, "we");
    if (!file) (void)report_path(path);
    return file;
}

static int finish_page(FILE *file, const char *path)
{
    bool failed = ferror(file);
    return fclose(file) == 0 && !failed ? SB_EXIT_FINE : report_path(path);
}

static int write_keys(const char *directory)
{
    char  path[PATH_BYTES];
    FILE *file = open_page(directory, "starbase-server.lua", 5, path);
    if (!file) return SB_EXIT_NEGATIVE;
    int status = print_keys(file), written = finish_page(file, path);
    return status == SB_EXIT_FINE ? written : status;
}

/* `entry` NULL: the page of the program. */
static int write_page(const char *directory, const sb_usages *usages, const sb_usage_entry *entry)
{
    char path[PATH_BYTES], page[SB_USAGE_NAME + 16];
    manual_page_name(entry ? entry->name : "", page);
    FILE *file = open_page(directory, page, 1, path);
    if (!file) return SB_EXIT_NEGATIVE;
    if (entry) manual_print_command(file, usages, entry);
    else manual_print_program(file, usages);
    return finish_page(file, path);
}

static int write_pages(const char *directory, const sb_usages *usages)
{
    int status = make_directories(directory);
    if (status == SB_EXIT_FINE) status = write_page(directory, usages, NULL);
    for (size_t i = 0; status == SB_EXIT_FINE && i < usages->count; i++)
        status = write_page(directory, usages, &usages->entries[i]);
    return status == SB_EXIT_FINE ? write_keys(directory) : status;
}

int sb_run_manual(int argc, char **argv)
{
    sb_usages   usages;
    sb_options  o;
    const char *directory = NULL;
    sb_options_init(&o, &usage, argc, argv);
    for (int key; (key = sb_options_next(&o)) != SB_OPTIONS_END;) {
        if (key == SB_OPTIONS_BAD) return SB_EXIT_USAGE;
        if (key == SB_OPTIONS_DONE) return SB_EXIT_FINE;
        if (key == 'o') directory = o.argument;
    }
    if (directory && o.operand < argc)
        return sb_usage_error(&usage, "--output writes all pages: name none");
    sb_usages_collect(&usages);
    return directory ? write_pages(directory, &usages)
                     : print_page(&usages, argc - o.operand, argv + o.operand);
}
