/* apps/completion/fish.c -- the completion script for fish.
 *
 * Tests:    tests/apps/completion_test.py
 */
#include "completion/completion.h"

static const char head[] =
    "# Completion of starbase for fish. Printed by `starbase completion fish`.\n"
    "function __starbase_command --description 'True if the line has this command'\n"
    "    set -l words (commandline -opc)\n"
    "    set -l command \"$words[2]\"\n"
    "    contains -- \"$words[2] $words[3]\" $__starbase_parts\n"
    "    and set command \"$words[2] $words[3]\"\n"
    "    test \"$command\" = \"$argv\"\n"
    "end\n"
    "function __starbase_first --description 'True if the next word is the first operand'\n"
    "    __starbase_command $argv\n"
    "    and test (count (commandline -opc)) -eq 2\n"
    "end\n"
    "complete -c starbase -f\n";

static void print_commands(FILE *out, const sb_usages *usages)
{
    char text[COMPLETION_TEXT];
    fprintf(out, "set -g __starbase_parts");
    for (size_t i = 0; i < usages->count; i++)
        if (!usages->entries[i].summary) fprintf(out, " '%s'", usages->entries[i].name);
    fprintf(out, "\n");
    for (size_t i = 0; i < usages->count; i++) {
        if (!usages->entries[i].summary) continue;
        completion_shorten(usages->entries[i].summary, text);
        fprintf(out, "complete -c starbase -n __fish_use_subcommand -a %s -d '%s'\n",
                usages->entries[i].name, text);
    }
}

static void print_option(FILE *out, const char *command, const sb_option *option)
{
    char            help[COMPLETION_TEXT];
    sb_option_value kind = sb_option_value_of(option);
    completion_shorten(option->help, help);
    fprintf(out, "complete -c starbase -n '__starbase_command %s'", command);
    if (sb_option_has_letter(option)) fprintf(out, " -s %c", option->key);
    fprintf(out, " -l %s", option->name);
    if (kind == SB_OPTION_VALUE_FILE) fprintf(out, " -r -F");
    if (kind == SB_OPTION_VALUE_DIRECTORY) fprintf(out, " -x -a '(__fish_complete_directories)'");
    if (kind == SB_OPTION_VALUE_OTHER) fprintf(out, " -x");
    if (kind == SB_OPTION_VALUE_WORDS) {
        fprintf(out, " -x -a '");
        completion_print_choices(out, option);
        fprintf(out, "'");
    }
    fprintf(out, " -d '%s'\n", help);
}

static void print_command(FILE *out, const sb_usage_entry *entry)
{
    const sb_usage *usage = entry->usage;
    for (const sb_option *option = usage->options; option->name; option++)
        print_option(out, entry->name, option);
    print_option(out, entry->name, &sb_help_option);
    if (usage->parts || usage->word) {
        fprintf(out, "complete -c starbase -n '__starbase_first %s' -a '", entry->name);
        completion_print_words(out, usage);
        fprintf(out, "'\n");
    }
    if (sb_usage_takes_files(usage))
        fprintf(out, "complete -c starbase -n '__starbase_command %s' -F\n", entry->name);
}

void completion_print_fish(FILE *out, const sb_usages *usages)
{
    fputs(head, out);
    print_commands(out, usages);
    for (size_t i = 0; i < usages->count; i++) print_command(out, &usages->entries[i]);
}
