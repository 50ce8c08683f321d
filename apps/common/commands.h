/* apps/common/commands.h -- the subcommands of `starbase` and how they end.
 *
 * For:      main.c, which has the table of commands, and the file of each command.
 */
#ifndef SB_APPS_COMMON_COMMANDS_H
#define SB_APPS_COMMON_COMMANDS_H

/* How a command ends. */
enum {
    SB_EXIT_FINE = 0,
    SB_EXIT_NEGATIVE = 1, /* it worked, and the answer is no; or the system refused */
    SB_EXIT_USAGE = 2,    /* the command line or the input is not what the command takes */
    SB_EXIT_CONFIG = 78,  /* a configuration is refused: file, key and reason are on stderr */
};

/* Each gets the command line from its own name on: argv[0] is "decode". */
int sb_run_bot(int argc, char **argv);
int sb_run_decode(int argc, char **argv);
int sb_run_encode(int argc, char **argv);
int sb_run_hash(int argc, char **argv);
int sb_run_messages(int argc, char **argv);
int sb_run_query(int argc, char **argv);
int sb_run_serve(int argc, char **argv);
int sb_run_swarm(int argc, char **argv);

#endif
