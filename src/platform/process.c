/* src/platform/process.c -- fork, exec, wait, /proc, limits. */
#include "platform/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "platform/clock.h"

/* ---- usage ---- */

static bool read_proc_file(pid_t pid, const char *name, char *out, size_t capacity)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t size = read(fd, out, capacity - 1);
    (void)close(fd);
    if (size <= 0) return false;
    out[size] = '\0';
    return true;
}

/* Finds the number in a line such as "VmRSS:     1234 kB"; 0: no such line. */
static uint64_t parse_number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* The CPU clock of the process counts nanoseconds; /proc would count ticks of 10 ms. */
static bool read_cpu(pid_t pid, int64_t *out)
{
    clockid_t       clock;
    struct timespec used;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) return false;
    *out = (int64_t)used.tv_sec * 1000000 + used.tv_nsec / 1000;
    return true;
}

bool sb_process_usage_of(pid_t pid, sb_process_usage *out)
{
    char text[4096];
    *out = (sb_process_usage){ 0 };
    if (!read_cpu(pid, &out->cpu_us) || !read_proc_file(pid, "status", text, sizeof text))
        return false;
    out->rss_bytes = parse_number_after(text, "\nVmRSS:") * 1024;
    out->peak_bytes = parse_number_after(text, "\nVmHWM:") * 1024;
    out->threads = (uint32_t)parse_number_after(text, "\nThreads:");
    return true;
}

/* Beyond the hard limit only a privileged process may go. */
size_t sb_process_reserve_descriptors(size_t wanted)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return 0;
    struct rlimit more = { .rlim_cur = wanted, .rlim_max = limit.rlim_max };
    if (more.rlim_max < wanted) more.rlim_max = wanted;
    if (setrlimit(RLIMIT_NOFILE, &more) == 0) return 0;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur < wanted ? wanted - (size_t)limit.rlim_cur : 0;
}

/* ---- the child ---- */

/* Runs in the child between fork and exec. Unblocks the signals that the parent reads from a
 * signalfd. */
_Noreturn static void exec_child(char *const *argv, int output, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    int null_device = open("/dev/null", O_RDONLY);
    if (getppid() == parent && null_device >= 0 && dup2(null_device, 0) == 0 &&
        dup2(output, 1) == 1 && dup2(output, 2) == 2)
        (void)execv("/proc/self/exe", argv);
    _exit(127);
}

sb_result sb_process_start_self(sb_process *p, char *const *argv, char error[SB_PROCESS_ERROR_MAX])
{
    pid_t self = getpid();
    *p = (sb_process){ .output = memfd_create("output", MFD_CLOEXEC) };
    if (p->output >= 0) p->pid = fork();
    if (p->output < 0 || p->pid < 0) {
        snprintf(error, SB_PROCESS_ERROR_MAX, "cannot start `%s`: %s", argv[0], strerror(errno));
        p->pid = 0;
        sb_process_close(p);
        return SB_OS_ERROR;
    }
    if (p->pid == 0) exec_child(argv, p->output, self);
    return SB_OK;
}

static void store_status(sb_process *p, int status)
{
    p->ended = true;
    p->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool sb_process_poll(sb_process *p)
{
    int status;
    if (!p->ended && waitpid(p->pid, &status, WNOHANG) == p->pid) store_status(p, status);
    return p->ended;
}

bool sb_process_stop(sb_process *p, sb_time timeout_us)
{
    const struct timespec poll_interval = { 0, 5000000 };
    sb_time               deadline = sb_clock_now() + timeout_us;
    bool                  killed = false;
    if (!sb_process_poll(p)) (void)kill(p->pid, SIGTERM);
    while (!sb_process_poll(p)) {
        if (!killed && sb_clock_now() >= deadline) killed = kill(p->pid, SIGKILL) == 0;
        (void)nanosleep(&poll_interval, NULL);
    }
    return !killed && p->status == 0;
}

void sb_process_read_output(const sb_process *p, char out[SB_PROCESS_OUTPUT_MAX])
{
    off_t   end = lseek(p->output, 0, SEEK_END), capacity = SB_PROCESS_OUTPUT_MAX - 1;
    ssize_t size =
        end > 0 ? pread(p->output, out, (size_t)capacity, end > capacity ? end - capacity : 0) : 0;
    out[size > 0 ? size : 0] = '\0';
}

void sb_process_close(sb_process *p)
{
    if (p->output >= 0) (void)close(p->output);
    p->output = -1;
}
