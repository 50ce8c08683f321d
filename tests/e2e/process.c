/* tests/e2e/process.c -- child processes that never outlive a test. */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Finds programs of the same build: .../build/tests/e2e-tests runs .../build/apps/starbase. */
const char *build_path(const char *program)
{
    static char path[4096];
    ssize_t     size = readlink("/proc/self/exe", path, sizeof path - 64);
    CHECK(size > 0);
    path[size] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(path, '/');
        CHECK(slash != NULL);
        *slash = '\0';
    }
    CHECK(strlen(program) < 60);
    return strcat(strcat(path, "/"), program);
}

const char *program_path(void)
{
    const char *given = getenv("STARBASE");
    return given && given[0] ? given : build_path("apps/starbase");
}

/* ---- in the child ---- */

/* Removes the STARBASE_ variables of the person who runs the tests. */
static void clean_environment(const char *const *variables)
{
    for (char **e = environ; *e;) {
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(*e, "="), *e);
        if (strncmp(name, "STARBASE_", 9) == 0) (void)unsetenv(name);
        else e++;
    }
    for (; variables && *variables; variables++) (void)putenv((char *)*variables);
}

/* The server must react to signals that whoever started the tests may have ignored (nohup). */
static void reset_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++) (void)signal(number, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

_Noreturn static void become(const char *const *argv, const char *const *variables, pid_t parent,
                             int output, int log)
{
    reset_signals();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* whatever happens to the test */
    if (getppid() != parent) _exit(127);
    (void)dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    (void)dup2(output, STDOUT_FILENO);
    (void)dup2(log, STDERR_FILENO);
    clean_environment(variables);
    execv(argv[0], (char *const *)argv);
    fprintf(stderr, "cannot run %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

/* ---- in the test ---- */

static void start(process *p, const char *const *argv, const char *const *variables, bool logged)
{
    int   ends[2];
    pid_t parent = getpid();
    process_kill(p);
    CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
    p->log = memfd_create("log", MFD_CLOEXEC);
    CHECK(p->log >= 0);
    p->pid = fork();
    if (p->pid == 0) become(argv, variables, parent, logged ? p->log : ends[1], p->log);
    (void)close(ends[1]);
    p->output = ends[0];
    if (p->pid < 0) {
        p->pid = 0;
        FAIL("no child process: %s", strerror(errno));
    }
}

void process_start(process *p, const char *const *argv, const char *const *variables)
{
    start(p, argv, variables, false);
}

void process_start_logged(process *p, const char *const *argv)
{
    start(p, argv, NULL, true);
}

void process_read_line(process *p, char *out, size_t capacity)
{
    for (size_t at = 0; at + 1 < capacity;) {
        struct pollfd ready = { .fd = p->output, .events = POLLIN };
        if (poll(&ready, 1, LIVE_LIMIT_S * 1000) != 1 || read(p->output, out + at, 1) != 1)
            FAIL("no line from the program; its log:\n%s", process_log(p));
        out[at + 1] = '\0';
        if (out[at++] != '\n') continue;
        out[at - 1] = '\0';
        return;
    }
    FAIL("a line without end: %s", out);
}

int process_status(process *p)
{
    int status;
    CHECK(p->pid > 0);
    if (waitpid(p->pid, &status, WNOHANG) != p->pid) return -1;
    p->pid = 0;
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    return 128 + WTERMSIG(status);
}

void process_kill(process *p)
{
    if (p->pid > 0) {
        (void)kill(p->pid, SIGKILL);
        (void)waitpid(p->pid, NULL, 0);
    }
    if (p->output > 0) (void)close(p->output);
    if (p->log > 0) (void)close(p->log);
    *p = (process){ 0 };
}

const char *process_log(const process *p)
{
    static char *text;
    struct stat  about;
    if (p->log <= 0 || fstat(p->log, &about) != 0) return "";
    text = realloc(text, (size_t)about.st_size + 1);
    CHECK(text != NULL);
    ssize_t size = pread(p->log, text, (size_t)about.st_size, 0);
    text[size > 0 ? size : 0] = '\0';
    return text;
}

bool process_logged(const process *p, const char *text)
{
    return strstr(process_log(p), text) != NULL;
}
