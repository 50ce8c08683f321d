/* src/platform/process.h -- starts and stops a child process; reads the CPU and memory use of a
 * process.
 *
 * For:      `starbase swarm`, which starts a server and measures it; programs with many sockets.
 * May use:  fork, exec, /proc, setrlimit.
 */
#ifndef SB_PLATFORM_PROCESS_H
#define SB_PLATFORM_PROCESS_H

#include <starbase/base.h>
#include <sys/types.h>

typedef struct sb_process_usage {
    int64_t  cpu_us;    /* user and system time of all threads since the start */
    uint64_t rss_bytes; /* resident memory */
    uint64_t peak_bytes;
    uint32_t threads;
} sb_process_usage;

/* False: there is no such process, or its /proc is not readable. */
bool sb_process_usage_of(pid_t pid, sb_process_usage *out);

/* Raises the limit of open descriptors of this process to `wanted`, as far as the system allows.
 * Returns how many are missing; 0: there are enough. Children inherit the limit. */
size_t sb_process_reserve_descriptors(size_t wanted);

enum { SB_PROCESS_ERROR_MAX = 512, SB_PROCESS_OUTPUT_MAX = 2048 };

/* Starts as { .output = -1 }. */
typedef struct sb_process {
    pid_t pid;    /* 0: none */
    int   output; /* a file in memory that receives the child's stdout and stderr */
    bool  ended;
    int   status; /* once ended: the exit status, or 128 + the signal */
} sb_process;

/* Starts this program again with other arguments (argv ends with NULL). The child has a process
 * group of its own, so that Ctrl-C does not reach it, and gets SIGTERM when this process ends.
 * SB_OS_ERROR: `error` says why. */
SB_MUST_USE sb_result sb_process_start_self(sb_process *process, char *const *argv,
                                            char error[SB_PROCESS_ERROR_MAX]);
/* Reaps the child if it has ended. True: it has ended. Does not block. */
bool sb_process_poll(sb_process *process);
/* Sends SIGTERM, and SIGKILL after `timeout_us`; waits for the end. True: it ended after SIGTERM
 * with status 0. */
bool sb_process_stop(sb_process *process, sb_time timeout_us);
/* Copies the end of the child's output, for an error message; `out` ends with a NUL. */
void sb_process_read_output(const sb_process *process, char out[SB_PROCESS_OUTPUT_MAX]);
/* Frees the output of a child that has ended or never started. */
void sb_process_close(sb_process *process);

#endif
