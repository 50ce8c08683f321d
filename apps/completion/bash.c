/* apps/completion/bash.c -- the completion script for bash. It needs no other script.
 *
 * Tests:    tests/apps/completion_test.py
 */
#include "completion/completion.h"

#include <string.h>

static const char head[] =
    "# Completion of starbase for bash. Printed by `starbase completion bash`.\n"
    "_starbase()\n"
    "{\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local command=${COMP_WORDS[1]} kind= words= files=\n"
    "    COMPREPLY=()\n"
    "    # bash makes three words of --option=value.\n"
    "    if [[ $current == '=' ]]; then\n"
    "        current=\n"
    "    elif [[ $previous == '=' ]]; then\n"
    "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n";

static const char tail[] =
    "    if [[ -n $kind ]]; then\n"
    "        files=\n"
    "    elif [[ $current == -* ]]; then\n"
    "        words=$options\n"
    "        files=\n"
    "    else\n"
    "        words=$operands\n"
    "        [[ -n $words$files ]] || words=$options\n"
    "    fi\n"
    "    case $kind in\n"
    "    file) files=-f ;;\n"
    "    directory) files=-d ;;\n"
    "    words) words=$choices ;;\n"
    "    other) return ;;\n"
    "    esac\n"
    "    mapfile -t COMPREPLY < <(compgen ${files:+$files} -W \"$words\" -- \"$current\")\n"
    "    [[ -z $files ]] || compopt -o filenames 2>/dev/null\n"
    "}\n"
    "complete -F _starbase starbase\n";

static void print_commands(FILE *out, const sb_usages *usages)
{
    fprintf(out, "    if ((COMP_CWORD == 1)); then\n        mapfile -t COMPREPLY < <(compgen -W '");
    for (size_t i = 0; i < usages->count; i++)
        if (usages->entries[i].summary) fprintf(out, " %s", usages->entries[i].name);
    fprintf(out, "' -- \"$current\")\n        return\n    fi\n");
    /* "ships import" is a command of its own from its third word on. */
    for (size_t i = 0; i < usages->count; i++)
        if (!usages->entries[i].summary)
            fprintf(out,
                    "    ((COMP_CWORD > 2)) && [[ \"$command ${COMP_WORDS[2]}\" == '%s' ]] && "
                    "command='%s'\n",
                    usages->entries[i].name, usages->entries[i].name);
}

static void print_argument(FILE *out, const char *command, const sb_option *option)
{
    static const char *const kinds[] = { "", "file", "directory", "words", "other" };
    sb_option_value          kind = sb_option_value_of(option);
    if (kind == SB_OPTION_VALUE_NONE) return;
    fprintf(out, "    '%s --%s'", command, option->name);
    if (sb_option_has_letter(option)) fprintf(out, " | '%s -%c'", command, option->key);
    fprintf(out, ") kind=%s", kinds[kind]);
    if (kind == SB_OPTION_VALUE_WORDS) {
        fprintf(out, " choices='");
        completion_print_choices(out, option);
        fprintf(out, "'");
    }
    fprintf(out, " ;;\n");
}

static void print_options(FILE *out, const sb_usage *usage)
{
    for (const sb_option *option = usage->options; option->name; option++) {
        if (sb_option_has_letter(option)) fprintf(out, "-%c ", option->key);
        fprintf(out, "--%s ", option->name);
    }
    fprintf(out, "-h --help");
}

static void print_command(FILE *out, const sb_usage_entry *entry)
{
    fprintf(out, "    '%s')\n        options='", entry->name);
    print_options(out, entry->usage);
    fprintf(out, "'\n        operands='");
    completion_print_words(out, entry->usage);
    fprintf(out, "'\n%s        ;;\n",
            sb_usage_takes_files(entry->usage) ? "        files=-f\n" : "");
}

void completion_print_bash(FILE *out, const sb_usages *usages)
{
    fputs(head, out);
    print_commands(out, usages);
    fprintf(out, "    local options= operands= choices=\n    case \"$command $previous\" in\n");
    for (size_t i = 0; i < usages->count; i++) {
        const sb_usage_entry *entry = &usages->entries[i];
        for (const sb_option *option = entry->usage->options; option->name; option++)
            print_argument(out, entry->name, option);
    }
    fprintf(out, "    esac\n    case $command in\n");
    for (size_t i = 0; i < usages->count; i++) print_command(out, &usages->entries[i]);
    fprintf(out, "    esac\n");
    fputs(tail, out);
}
