/* apps/ctl/ctl.c -- `starbase ctl`: commands to a running server on this machine.
 *
 * For:      operators. The server has the table of commands (src/admin): this program sends lines.
 * Tests:    tests/apps/ctl_test.py
 */
#include "ctl/ctl.h"

#include "admin/command.h"
#include "common/arguments.h"
#include "common/commands.h"
#include "common/options.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { KEY_JSON = 256, KEY_LIST, KEY_MARKDOWN };

static const sb_option options[] = {
    { 'i', "instance", "NAME",
      "the server with the key `instance` = NAME; without it: the only\n"
      "server of this machine" },
    { 'r', "room", "N", "the room, where the server has several" },
    { KEY_JSON, "json", NULL, "print a JSON object per line; the last one has the key `result`" },
    { KEY_LIST, "list", NULL, "list the servers of this machine" },
    { KEY_MARKDOWN, "markdown", NULL, "print docs/admin.md: all commands and keys" },
    { 0, NULL, NULL, NULL },
};

/* The commands of the server, for completion. */
static const char *command_word(size_t index)
{
    for (size_t i = 0; i < SB_COMMAND_COUNT; i++)
        if ((sb_commands[i].flags & SB_COMMAND_AT_SHELL) && index-- == 0)
            return sb_commands[i].name;
    return NULL;
}

static const sb_usage usage = {
    .command = "ctl",
    .synopsis = "[options] [COMMAND...]",
    .about =
        "Sends a command to a server that runs on this machine, and prints its answer. Without a\n"
        "command it reads commands: at a prompt on a terminal, else one per line from stdin. "
        "Root,\n"
        "the server's own user and members of the group starbase may use it. `starbase ctl help`\n"
        "lists the commands. Exit status: 0 done, 1 not done, 2 not understood.",
    .options = options,
    .footer = "Examples:\n"
              "  starbase ctl status\n"
              "  starbase ctl kick Griefer 10m ramming\n"
              "  starbase ctl --room 2 say good game\n"
              "  starbase ctl role Kirk admin\n"
              "  starbase ctl follow\n",
    .word = command_word,
};

/* Appends a word of the command line; one with blanks gets quotes, as the server expects them. */
static bool append_word(char line[CTL_LINE_MAX], size_t *size, const char *word)
{
    bool   quoted = word[0] == '\0' || strpbrk(word, " \t\"") != NULL;
    size_t at = *size;
    if (at > 0 && at < CTL_LINE_MAX) line[at++] = ' ';
    if (quoted && at < CTL_LINE_MAX) line[at++] = '"';
    for (; *word && at < CTL_LINE_MAX; word++) {
        bool escape = quoted && (*word == '"' || *word == '\\');
        if (escape) line[at++] = '\\';
        if (at < CTL_LINE_MAX) line[at++] = *word == '\n' ? ' ' : *word;
    }
    if (quoted && at < CTL_LINE_MAX) line[at++] = '"';
    if (at >= CTL_LINE_MAX) return false;
    line[at] = '\0';
    *size = at;
    return true;
}

/* A word as it is, so that a value of `set` has the quotes that its user wrote. */
static bool append_plain(char line[CTL_LINE_MAX], size_t *size, const char *word)
{
    size_t room = CTL_LINE_MAX - *size;
    int    added = snprintf(line + *size, room, " %s", word);
    if (added < 0 || (size_t)added >= room) return false;
    *size += (size_t)added;
    return true;
}

/* "kick", "Bot 1", "no ramming" become `kick "Bot 1" "no ramming"`; a single argument is a whole
 * line already. */
static bool join_words(char line[CTL_LINE_MAX], const char *room, char **words, int count)
{
    size_t size = 0;
    line[0] = '\0';
    if (room && !append_word(line, &size, room)) return false;
    if (count == 1 && strlen(words[0]) < CTL_LINE_MAX - size - 1) {
        snprintf(line + size, CTL_LINE_MAX - size, "%s%s", size ? " " : "", words[0]);
        return true;
    }
    bool set = strcmp(words[0], "set") == 0;
    for (int i = 0; i < count; i++) {
        bool plain = set && i > 1 && words[i][0];
        if (!(plain ? append_plain : append_word)(line, &size, words[i])) return false;
    }
    return true;
}

/* ---- a password ---- */

/* Other users can read a command line, so the password comes from stdin; a terminal does not show
 * it. False: the input has ended. */
static bool read_password(char line[CTL_LINE_MAX])
{
    struct termios before, quiet;
    char           text[200];
    bool           terminal = tcgetattr(STDIN_FILENO, &before) == 0;
    if (terminal) {
        quiet = before;
        quiet.c_lflag &= ~(tcflag_t)ECHO;
        fprintf(stderr, "New password for players (empty: none): ");
        (void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
    }
    bool read = fgets(text, sizeof text, stdin) != NULL;
    if (terminal) {
        (void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
        fprintf(stderr, "\n");
    }
    if (!read) return false;
    text[strcspn(text, "\r\n")] = '\0';
    size_t size = strlen(line);
    return append_word(line, &size, text);
}

/* ---- commands ---- */

/* The text behind `word`, if the line begins with it; else NULL. */
static const char *behind(const char *line, const char *word)
{
    size_t size = strlen(word);
    line += strspn(line, " \t");
    return strncmp(line, word, size) == 0 && (line[size] == '\0' || strchr(" \t", line[size]))
               ? line + size
               : NULL;
}

/* True for `password TEXT` and `set password TEXT`, also in quotes or behind a room. */
static bool has_password(const char *line)
{
    line += strspn(line, "0123456789 \t");
    const char *key = behind(line, "set"), *text = behind(key ? key : line, "password");
    return text && text[strspn(text, " \t")] != '\0';
}

static int run_command(ctl *c, char **words, int count)
{
    char line[CTL_LINE_MAX];
    if (!join_words(line, c->room, words, count))
        return sb_usage_error(&usage, "a command has at most %d bytes", CTL_LINE_MAX - 1);
    if (has_password(line))
        return sb_usage_error(&usage, "other users can read a password on a command line: leave it "
                                      "out, then it is asked for, or read from stdin");
    if (strcmp(words[0], "password") == 0 && !read_password(line)) {
        fprintf(stderr,
                "starbase ctl: stdin has ended without a password; an empty line means none\n");
        return SB_EXIT_USAGE;
    }
    int status = ctl_request(c, line);
    if (status == SB_EXIT_FINE && strcmp(words[0], "follow") == 0) return ctl_follow(c);
    return status;
}

/* Commands of a pipe or a file, one per line; the exit status is the worst one. */
static int run_lines(ctl *c)
{
    char line[CTL_LINE_MAX + 2];
    int  worst = SB_EXIT_FINE;
    while (!ctl_is_closed(c) && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[strspn(line, " \t")] == '\0') continue;
        int status = ctl_request(c, line);
        if (status > worst) worst = status;
    }
    return worst;
}

/* True if an argument of the command may be any text, also "--json". */
static bool takes_text(const char *name)
{
    sb_command_id id = sb_command_find(name);
    for (size_t i = 0; id != SB_COMMAND_COUNT && i < SB_ARGUMENTS_MAX; i++) {
        sb_argument_kind kind = sb_commands[id].arguments[i].kind;
        if (kind == SB_ARGUMENT_TEXT || kind == SB_ARGUMENT_VALUE) return true;
    }
    return false;
}

/* Options end at the command, but --json is often written behind it: `ctl players --json`. */
static int take_json(ctl *c, char **words, int count)
{
    if (count < 2 || strcmp(words[count - 1], "--json") != 0 || takes_text(words[0])) return count;
    c->json = true;
    return count - 1;
}

static int run(ctl *c, char **words, int count)
{
    count = take_json(c, words, count);
    (void)signal(SIGPIPE, SIG_DFL);
    if (!ctl_connect(c)) return SB_EXIT_NEGATIVE;
    int status = count > 0                   ? run_command(c, words, count)
                 : isatty(STDIN_FILENO) == 1 ? ctl_prompt(c)
                                             : run_lines(c);
    ctl_disconnect(c);
    return status;
}

int sb_run_ctl(int argc, char **argv)
{
    sb_options    pass;
    unsigned long room;
    ctl           c = { .socket = -1 };
    /* Options end at the command: its arguments may begin with `-`. */
    (void)setenv("POSIXLY_CORRECT", "1", 1);
    sb_options_init(&pass, &usage, argc, argv);
    for (int key; (key = sb_options_next(&pass)) != SB_OPTIONS_END;) {
        if (key == SB_OPTIONS_BAD) return SB_EXIT_USAGE;
        if (key == SB_OPTIONS_DONE) return SB_EXIT_FINE;
        if (key == 'i') c.instance = pass.argument;
        if (key == 'r') c.room = pass.argument;
        if (key == KEY_JSON) c.json = true;
        if (key == KEY_LIST) return ctl_list_servers();
        if (key == KEY_MARKDOWN) {
            ctl_print_markdown(stdout);
            return SB_EXIT_FINE;
        }
    }
    if (c.room && !sb_argument_parse_count(c.room, 1, 4096, &room))
        return sb_usage_error(&usage, "--room needs a number from 1, is `%.40s`", c.room);
    return run(&c, argv + pass.operand, argc - pass.operand);
}
