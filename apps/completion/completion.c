/* apps/completion/completion.c -- `starbase completion`: scripts that complete commands, options
 * and their arguments in a shell, made from the tables of the program.
 *
 * Tests:    tests/apps/completion_test.py
 */
#include "completion/completion.h"

#include "base/suggestion.h"
#include "common/commands.h"

#include <string.h>

static const struct {
    const char *shell;
    void (*print)(FILE *out, const sb_usages *usages);
} scripts[] = {
    { "bash", completion_print_bash },
    { "zsh", completion_print_zsh },
    { "fish", completion_print_fish },
};

enum { SCRIPTS = sizeof scripts / sizeof *scripts };

static const char *shell_word(size_t index)
{
    return index < SCRIPTS ? scripts[index].shell : NULL;
}

static const sb_option options[] = { { 0 } };

static const sb_usage usage = {
    .command = "completion",
    .synopsis = "bash | zsh | fish",
    .about = "Prints a script that completes the commands, options and arguments of starbase in a\n"
             "shell. Packages install it; for one user:",
    .options = options,
    .footer = "Examples:\n"
              "  starbase completion bash >> ~/.bash_completion\n"
              "  starbase completion zsh > ~/.zfunc/_starbase     # a directory in fpath\n"
              "  starbase completion fish > ~/.config/fish/completions/starbase.fish\n",
    .word = shell_word,
};

/* ---- texts ---- */

void completion_shorten(const char *help, char out[COMPLETION_TEXT])
{
    size_t used = 0, end = 0; /* `end`: where the last whole word ended */
    for (; *help && *help != ';' && used + 1 < COMPLETION_TEXT; help++) {
        char c = *help == '\n' ? ' ' : *help;
        if (c == ' ') end = used;
        if (c == '[' || c == '(') c = '(';
        if (c == ']') c = ')';
        if (strchr("`'\"\\$:", c) || (unsigned char)c >= 128) continue;
        out[used++] = c;
    }
    if (*help && *help != ';') used = end;
    out[used] = '\0';
}

void completion_print_words(FILE *out, const sb_usage *command)
{
    const char *word;
    for (size_t i = 0; command->parts && command->parts[i]; i++)
        fprintf(out, " %s", command->parts[i]);
    for (size_t i = 0; command->word && (word = command->word(i)); i++) fprintf(out, " %s", word);
}

void completion_print_choices(FILE *out, const sb_option *option)
{
    for (size_t i = 0; option->words && option->words[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", option->words[i]);
}

/* ---- the command ---- */

static int refuse_shell(const char *name)
{
    sb_suggestion found = sb_suggestion_start(name);
    for (size_t i = 0; i < SCRIPTS; i++) sb_suggestion_try(&found, scripts[i].shell);
    return sb_usage_error(&usage, "unknown shell `%s`; %s%s%s", name,
                          found.best ? "did you mean `" : "name bash, zsh or fish",
                          found.best ? found.best : "", found.best ? "`?" : "");
}

int sb_run_completion(int argc, char **argv)
{
    sb_usages  usages;
    sb_options o;
    sb_options_init(&o, &usage, argc, argv);
    int key = sb_options_next(&o);
    if (key != SB_OPTIONS_END) return key == SB_OPTIONS_DONE ? SB_EXIT_FINE : SB_EXIT_USAGE;
    if (argc - o.operand != 1) return sb_usage_error(&usage, "name one shell: bash, zsh or fish");
    for (size_t i = 0; i < SCRIPTS; i++) {
        if (strcmp(scripts[i].shell, argv[o.operand]) != 0) continue;
        sb_usages_collect(&usages);
        scripts[i].print(stdout, &usages);
        return SB_EXIT_FINE;
    }
    return refuse_shell(argv[o.operand]);
}
