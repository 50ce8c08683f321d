/* src/platform/process.c -- fork, exec, wait, /proc. */
#include "platform/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "platform/clock.h"

/* ---- what it uses ---- */

static bool read_text(pid_t pid, const char *name, char *out, size_t capacity)
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

/* "VmRSS:     1234 kB" */
static uint64_t find_number(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* To the nanosecond, where /proc counts in ticks of 10 ms. */
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
    if (!read_cpu(pid, &out->cpu_us) || !read_text(pid, "status", text, sizeof text)) return false;
    out->rss_bytes = find_number(text, "\nVmRSS:") * 1024;
    out->peak_bytes = find_number(text, "\nVmHWM:") * 1024;
    out->threads = (uint32_t)find_number(text, "\nThreads:");
    return true;
}

/* ---- its life ---- */

/* In the child, between fork and exec. Signals that we take through a descriptor are blocked here
 * and must not stay so. */
_Noreturn static void become(char *const *argv, int said, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    int nothing = open("/dev/null", O_RDONLY);
    if (getppid() == parent && nothing >= 0 && dup2(nothing, 0) == 0 && dup2(said, 1) == 1 &&
        dup2(said, 2) == 2)
        (void)execv("/proc/self/exe", argv);
    _exit(127);
}

sb_result sb_process_start_self(sb_process *p, char *const *argv, char error[SB_PROCESS_ERROR_MAX])
{
    pid_t self = getpid();
    *p = (sb_process){ .said = memfd_create("said", MFD_CLOEXEC) };
    if (p->said >= 0) p->pid = fork();
    if (p->said < 0 || p->pid < 0) {
        snprintf(error, SB_PROCESS_ERROR_MAX, "cannot start `%s`: %s", argv[0], strerror(errno));
        p->pid = 0;
        sb_process_close(p);
        return SB_OS_ERROR;
    }
    if (p->pid == 0) become(argv, p->said, self);
    return SB_OK;
}

static void take_status(sb_process *p, int status)
{
    p->ended = true;
    p->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool sb_process_has_ended(sb_process *p)
{
    int status;
    if (!p->ended && waitpid(p->pid, &status, WNOHANG) == p->pid) take_status(p, status);
    return p->ended;
}

bool sb_process_stop(sb_process *p, sb_time patience_us)
{
    const struct timespec moment = { 0, 5000000 };
    sb_time               until = sb_clock_now() + patience_us;
    bool                  killed = false;
    if (!sb_process_has_ended(p)) (void)kill(p->pid, SIGTERM);
    while (!sb_process_has_ended(p)) {
        if (!killed && sb_clock_now() >= until) killed = kill(p->pid, SIGKILL) == 0;
        (void)nanosleep(&moment, NULL);
    }
    return !killed && p->status == 0;
}

void sb_process_said(const sb_process *p, char out[SB_PROCESS_SAID_MAX])
{
    off_t   end = lseek(p->said, 0, SEEK_END), room = SB_PROCESS_SAID_MAX - 1;
    ssize_t size = end > 0 ? pread(p->said, out, (size_t)room, end > room ? end - room : 0) : 0;
    out[size > 0 ? size : 0] = '\0';
}

void sb_process_close(sb_process *p)
{
    if (p->said >= 0) (void)close(p->said);
    p->said = -1;
}
