/* apps/common/commands.h -- the entry points of the subcommands, and their exit statuses.
 *
 * For:      main.c, which has the table of commands, and the main file of each command.
 */
#ifndef SB_APPS_COMMON_COMMANDS_H
#define SB_APPS_COMMON_COMMANDS_H

#include <stddef.h>

/* Exit statuses. */
enum {
    SB_EXIT_FINE = 0,
    SB_EXIT_NEGATIVE = 1, /* the check failed, or the operating system reported an error */
    SB_EXIT_USAGE = 2,    /* the command line or the input is invalid */
    SB_EXIT_CONFIG = 78,  /* the configuration is invalid: file, key and reason are on stderr */
};

typedef struct sb_subcommand {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} sb_subcommand;

/* The commands in the order of the help; NULL after the last one. */
const sb_subcommand *sb_subcommand_at(size_t index);

/* argv[0] is the name of the command, such as "decode". */
int sb_run_bot(int argc, char **argv);
int sb_run_completion(int argc, char **argv);
int sb_run_ctl(int argc, char **argv);
int sb_run_decode(int argc, char **argv);
int sb_run_doctor(int argc, char **argv);
int sb_run_encode(int argc, char **argv);
int sb_run_hash(int argc, char **argv);
int sb_run_lab(int argc, char **argv);
int sb_run_manual(int argc, char **argv);
int sb_run_matches(int argc, char **argv);
int sb_run_messages(int argc, char **argv);
int sb_run_query(int argc, char **argv);
int sb_run_serve(int argc, char **argv);
int sb_run_ships(int argc, char **argv);
int sb_run_stats(int argc, char **argv);
int sb_run_store(int argc, char **argv);
int sb_run_swarm(int argc, char **argv);

#endif
