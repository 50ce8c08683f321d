/* src/platform/process.h -- another program: started, watched and ended.
 *
 * For:      a load generator with a server of its own, and whoever wants to know what a process
 *           uses.
 * May use:  fork, exec, /proc.
 */
#ifndef SB_PLATFORM_PROCESS_H
#define SB_PLATFORM_PROCESS_H

#include <starbase/base.h>
#include <sys/types.h>

typedef struct sb_process_usage {
    int64_t  cpu_us;    /* user and system, all threads, since it began */
    uint64_t rss_bytes; /* resident now */
    uint64_t peak_bytes;
    uint32_t threads;
} sb_process_usage;

/* False: there is no such process, or it may not be looked at. */
bool sb_process_usage_of(pid_t pid, sb_process_usage *out);

enum { SB_PROCESS_ERROR_MAX = 512, SB_PROCESS_OUTPUT_MAX = 2048 };

/* Starts as { .output = -1 }. */
typedef struct sb_process {
    pid_t pid;    /* 0: none */
    int   output; /* a file with what it wrote to stdout and stderr */
    bool  ended;
    int   status; /* once ended: the exit status, or 128 and the signal */
} sb_process;

/* Starts this very program with other arguments (argv ends with NULL), in a process group of its
 * own, so that Ctrl-C here does not reach it; when we end, so does it (SIGTERM). SB_OS_ERROR:
 * `error` says why. */
SB_MUST_USE sb_result sb_process_start_self(sb_process *process, char *const *argv,
                                            char error[SB_PROCESS_ERROR_MAX]);
/* True once it has ended. Does not wait. */
bool sb_process_poll(sb_process *process);
/* SIGTERM, and after `timeout_us` SIGKILL; waits for the end. True: it ended by itself, with 0. */
bool sb_process_stop(sb_process *process, sb_time timeout_us);
/* The end of what it output, for an error message; `out` ends with a NUL. */
void sb_process_read_output(const sb_process *process, char out[SB_PROCESS_OUTPUT_MAX]);
void sb_process_close(sb_process *process); /* after the end; also of one that never began */

#endif
