/* apps/common/usages.c -- collects the usage of every command.
 *
 * Tests:    tests/apps/manual_test.py, tests/apps/completion_test.py
 */
#include "common/usages.h"

#include "common/commands.h"

#include <string.h>

const sb_option sb_help_option = { 'h', "help", NULL, "show this help", NULL };

static const sb_usage *add_usage(sb_usages *out, const sb_subcommand *command, const char *part)
{
    const sb_usage *usage = sb_usage_of(command->run, command->name, part);
    if (!usage || out->count == SB_USAGES_MAX) return NULL;
    sb_usage_entry *entry = &out->entries[out->count++];
    snprintf(entry->name, sizeof entry->name, "%s%s%s", command->name, part ? " " : "",
             part ? part : "");
    entry->summary = part ? NULL : command->summary;
    entry->usage = usage;
    return usage;
}

void sb_usages_collect(sb_usages *out)
{
    const sb_subcommand *command;
    out->count = 0;
    for (size_t i = 0; (command = sb_subcommand_at(i)); i++) {
        const sb_usage *usage = add_usage(out, command, NULL);
        for (size_t k = 0; usage && usage->parts && usage->parts[k]; k++)
            (void)add_usage(out, command, usage->parts[k]);
    }
}

sb_option_value sb_option_value_of(const sb_option *option)
{
    if (!option->argument) return SB_OPTION_VALUE_NONE;
    if (option->words) return SB_OPTION_VALUE_WORDS;
    if (strstr(option->argument, "FILE") || strcmp(option->argument, "PATH") == 0)
        return SB_OPTION_VALUE_FILE;
    return strncmp(option->argument, "DIR", 3) == 0 ? SB_OPTION_VALUE_DIRECTORY
                                                    : SB_OPTION_VALUE_OTHER;
}

bool sb_usage_takes_files(const sb_usage *usage)
{
    return strstr(usage->synopsis, "FILE") || strstr(usage->synopsis, "DIR");
}

bool sb_option_has_letter(const sb_option *option)
{
    return option->key > ' ' && option->key < 256;
}
