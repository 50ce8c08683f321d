/* apps/main.c -- the `starbase` program: finds the subcommand and runs it. */
#include "common/commands.h"
#include "common/options.h"

#include <errno.h>
#include <starbase/base.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/suggestion.h"

static int run_help(int argc, char **argv);
static int run_version(int argc, char **argv);

static const sb_subcommand commands[] = {
    { "serve", "run a dedicated server with one or more rooms", sb_run_serve },
    { "ctl", "send a command to a server that runs on this machine", sb_run_ctl },
    { "bot", "join a server with headless players that fly and fight", sb_run_bot },
    { "query", "print the status of servers, or of all servers on the LAN", sb_run_query },
    { "doctor", "check this machine for a server: what is ready, what to do", sb_run_doctor },
    { "swarm", "load a server with many players and report how it copes", sb_run_swarm },
    { "stats", "print what the players of a server have done", sb_run_stats },
    { "matches", "list the matches of a server, or print one", sb_run_matches },
    { "store", "examine, migrate or export the database of a server", sb_run_store },
    { "decode", "print the fields of bytes, lines of hex or captures", sb_run_decode },
    { "encode", "turn JSON lines, as decode prints them, into bytes", sb_run_encode },
    { "ships", "list ship classes, their figures and what these rest on", sb_run_ships },
    { "hash", "compute the integrity hash of a ship, step by step", sb_run_hash },
    { "lab", "measure what the weapons of one ship do to another", sb_run_lab },
    { "messages", "list all game messages and their fields", sb_run_messages },
    { "manual", "print the manual pages, or write them all", sb_run_manual },
    { "completion", "print the completion of commands and options for a shell", sb_run_completion },
    { "help", "show this help, or that of a command: starbase help decode", run_help },
    { "version", "print the version", run_version },
};

const sb_subcommand *sb_subcommand_at(size_t index)
{
    return index < sizeof commands / sizeof *commands ? &commands[index] : NULL;
}

static const sb_subcommand *find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    return NULL;
}

static void print_help(FILE *out)
{
    fprintf(out, "Usage: starbase COMMAND [options]\n\n"
                 "The multiplayer protocol of Star Trek: Bridge Commander.\n\nCommands:\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(out, "  %-12s%s\n", commands[i].name, commands[i].summary);
    fprintf(out, "\n`starbase COMMAND --help` describes a command.\n");
}

static int report_unknown_command(const char *name)
{
    sb_suggestion found = sb_suggestion_start(name);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        sb_suggestion_try(&found, commands[i].name);
    if (name[0] == '-') sb_suggestion_try(&found, "--help");
    if (name[0] == '-') sb_suggestion_try(&found, "--version");
    fprintf(stderr, "starbase: unknown %s `%s`", name[0] == '-' ? "option" : "command", name);
    if (found.best) fprintf(stderr, "; did you mean `%s`?\n", found.best);
    else fprintf(stderr, "\n");
    fprintf(stderr, "`starbase help` lists the commands.\n");
    return SB_EXIT_USAGE;
}

static const char *command_word(size_t index)
{
    const sb_subcommand *c = sb_subcommand_at(index);
    return c ? c->name : NULL;
}

static const sb_option no_options[] = { { 0 } };
static const sb_usage  help_usage = {
     .command = "help",
     .synopsis = "[COMMAND [PART]]",
     .about = "Lists the commands, or prints the help of one.",
     .options = no_options,
     .footer = "Examples:\n"
                "  starbase help serve\n"
                "  starbase help ships import\n",
     .word = command_word,
};
static const sb_usage version_usage = {
    .command = "version",
    .synopsis = "",
    .about = "Prints the version of the program.",
    .options = no_options,
};

/* -1: go on with the operands. Else the exit status. */
static int read_no_options(sb_options *o, const sb_usage *usage, int argc, char **argv)
{
    sb_options_init(o, usage, argc, argv);
    int key = sb_options_next(o);
    if (key == SB_OPTIONS_END) return -1;
    return key == SB_OPTIONS_DONE ? SB_EXIT_FINE : SB_EXIT_USAGE;
}

static bool has_part(const sb_subcommand *c, const char *word)
{
    const sb_usage *usage = sb_usage_of(c->run, c->name, NULL);
    for (size_t i = 0; usage && usage->parts && usage->parts[i]; i++)
        if (strcmp(usage->parts[i], word) == 0) return true;
    return false;
}

static int run_help(int argc, char **argv)
{
    sb_options o;
    int        status = read_no_options(&o, &help_usage, argc, argv);
    if (status >= 0) return status;
    if (o.operand >= argc) {
        print_help(stdout);
        return SB_EXIT_FINE;
    }
    const char          *part = o.operand + 1 < argc ? argv[o.operand + 1] : NULL;
    const sb_subcommand *c = find_command(argv[o.operand]);
    if (!c) return report_unknown_command(argv[o.operand]);
    const sb_usage *usage = sb_usage_of(c->run, c->name, part && has_part(c, part) ? part : NULL);
    if (usage) sb_usage_print(stdout, usage);
    return usage ? SB_EXIT_FINE : SB_EXIT_NEGATIVE;
}

static int run_version(int argc, char **argv)
{
    sb_options o;
    int        status = read_no_options(&o, &version_usage, argc, argv);
    if (status >= 0) return status;
    printf("starbase %s\n", sb_version());
    return SB_EXIT_FINE;
}

/* False for a pipe, a socket, and a stream that was closed from the start. */
static bool is_on_disk(FILE *file)
{
    struct stat status;
    return fstat(fileno(file), &status) == 0 && !S_ISFIFO(status.st_mode) &&
           !S_ISSOCK(status.st_mode);
}

/* Writes what stdout still holds: a full disk must not look like success, also if only an earlier
 * write has failed. EPIPE: the reader, such as head, closed the pipe on purpose. */
static int finish_output(const char *name, int status)
{
    bool        failed = ferror(stdout) && is_on_disk(stdout), flushed = fflush(stdout) == 0;
    const char *reason = flushed ? "a part of the output is missing" : strerror(errno);
    if ((flushed && !failed) || (!flushed && errno == EPIPE)) return status;
    if (flushed && status != SB_EXIT_FINE) return status; /* the command has reported it */
    fprintf(stderr, "starbase %s: cannot write: %s\n", name, reason);
    return status == SB_EXIT_FINE ? SB_EXIT_NEGATIVE : status;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return SB_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) name = "version";
    const sb_subcommand *c = find_command(name);
    return c ? finish_output(name, c->run(argc - 1, argv + 1)) : report_unknown_command(name);
}
