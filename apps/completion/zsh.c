/* apps/completion/zsh.c -- the completion script for zsh, by its function _arguments.
 *
 * Tests:    tests/apps/completion_test.py
 */
#include "completion/completion.h"

static const char head[] =
    "#compdef starbase\n"
    "# Completion of starbase for zsh. Printed by `starbase completion zsh`.\n"
    "_starbase()\n"
    "{\n"
    "    local -a commands\n"
    "    commands=(\n";

static const char dispatch[] = "    )\n"
                               "    if ((CURRENT == 2)); then\n"
                               "        _describe command commands\n"
                               "        return\n"
                               "    fi\n"
                               "    local command=$words[2]\n";

static const char tail[] = "    esac\n"
                           "}\n"
                           "_starbase \"$@\"\n";

static void print_action(FILE *out, const sb_option *option)
{
    char            argument[COMPLETION_TEXT];
    sb_option_value kind = sb_option_value_of(option);
    if (kind == SB_OPTION_VALUE_NONE) return;
    completion_shorten(option->argument, argument);
    fprintf(out, ":%s:", argument);
    if (kind == SB_OPTION_VALUE_FILE) fprintf(out, "_files");
    if (kind == SB_OPTION_VALUE_DIRECTORY) fprintf(out, "_files -/");
    if (kind != SB_OPTION_VALUE_WORDS) return;
    fprintf(out, "(");
    completion_print_choices(out, option);
    fprintf(out, ")");
}

/* '(-c --config)'{-c+,--config=}'[read FILE]:FILE:_files' */
static void print_option(FILE *out, const sb_option *option)
{
    char        help[COMPLETION_TEXT];
    const char *close = option->argument ? "+" : "", *equals = option->argument ? "=" : "";
    completion_shorten(option->help, help);
    fprintf(out, " \\\n            ");
    if (sb_option_has_letter(option))
        fprintf(out, "'(-%c --%s)'{-%c%s,--%s%s}'[%s]", option->key, option->name, option->key,
                close, option->name, equals, help);
    else fprintf(out, "'--%s%s[%s]", option->name, equals, help);
    print_action(out, option);
    fprintf(out, "'");
}

static void print_operands(FILE *out, const sb_usage *usage)
{
    bool words = usage->parts || usage->word;
    if (words) {
        fprintf(out, " \\\n            '1:word:(");
        completion_print_words(out, usage);
        fprintf(out, ")'");
    }
    if (sb_usage_takes_files(usage)) fprintf(out, " \\\n            '*:file:_files'");
}

static void print_command(FILE *out, const sb_usage_entry *entry)
{
    fprintf(out, "    '%s')\n        _arguments -s", entry->name);
    for (const sb_option *option = entry->usage->options; option->name; option++)
        print_option(out, option);
    print_option(out, &sb_help_option);
    print_operands(out, entry->usage);
    fprintf(out, " ;;\n");
}

void completion_print_zsh(FILE *out, const sb_usages *usages)
{
    char text[COMPLETION_TEXT];
    fputs(head, out);
    for (size_t i = 0; i < usages->count; i++) {
        if (!usages->entries[i].summary) continue;
        completion_shorten(usages->entries[i].summary, text);
        fprintf(out, "        '%s:%s'\n", usages->entries[i].name, text);
    }
    fputs(dispatch, out);
    for (size_t i = 0; i < usages->count; i++)
        if (!usages->entries[i].summary)
            fprintf(out,
                    "    if ((CURRENT > 3)) && [[ \"$words[2] $words[3]\" == '%s' ]]; then\n"
                    "        command='%s'\n        shift words\n        ((CURRENT--))\n    fi\n",
                    usages->entries[i].name, usages->entries[i].name);
    fprintf(out, "    shift words\n    ((CURRENT--))\n    case $command in\n");
    for (size_t i = 0; i < usages->count; i++) print_command(out, &usages->entries[i]);
    fputs(tail, out);
}
