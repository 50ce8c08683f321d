/* apps/main.c -- the `starbase` program: finds the command and runs it. */
#include "common/commands.h"

#include <starbase/base.h>
#include <stdio.h>
#include <string.h>

typedef struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} command;

static int run_help(int argc, char **argv);
static int run_version(int argc, char **argv);

static const command commands[] = {
    { "serve", "a dedicated server, one or many rooms", sb_run_serve },
    { "bot", "headless players that join a server, fly and fight", sb_run_bot },
    { "query", "asks servers, or the LAN, for their status", sb_run_query },
    { "swarm", "a load of players for a server, and a verdict", sb_run_swarm },
    { "decode", "bytes, hex lines or captures to fields", sb_run_decode },
    { "encode", "JSON lines, as decode prints them, to bytes", sb_run_encode },
    { "hash", "the integrity hash of a ship, input by input", sb_run_hash },
    { "messages", "the table of all game messages", sb_run_messages },
    { "help", "this, or the help of a command: starbase help decode", run_help },
    { "version", "the version", run_version },
};

static const command *find_command(const char *name)
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
        fprintf(out, "  %-10s%s\n", commands[i].name, commands[i].summary);
    fprintf(out, "\n`starbase COMMAND --help` tells more.\n");
}

static int complain(const char *name)
{
    fprintf(stderr, "starbase: there is no command `%s`; `starbase help` lists them\n", name);
    return SB_EXIT_USAGE;
}

static int run_help(int argc, char **argv)
{
    static char help[] = "--help";
    if (argc < 2 || argv[1][0] == '-') {
        print_help(stdout);
        return SB_EXIT_FINE;
    }
    const command *c = find_command(argv[1]);
    if (!c) return complain(argv[1]);
    char *asked[] = { argv[1], help, NULL };
    return c->run(2, asked);
}

static int run_version(int argc, char **argv)
{
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        printf("Usage: starbase version\n\nPrints the version of the program.\n");
    else printf("starbase %s\n", sb_version());
    return SB_EXIT_FINE;
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
    const command *c = find_command(name);
    return c ? c->run(argc - 1, argv + 1) : complain(name);
}
