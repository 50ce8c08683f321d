/* apps/doctor/account.c -- whether the service could use a file.
 *
 * Never:    changes the rights of this process: a child takes over the account of the service.
 * Tests:    tests/apps/doctor_test.py, tools/test-packages
 */
#include "doctor/doctor.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

/* The account whose rights count: that of the service if this is root, else NULL: our own. */
static const struct passwd *service_account(void)
{
    return geteuid() == 0 ? getpwnam(DOCTOR_SERVICE_USER) : NULL;
}

/* In a child process, which takes over the account. The exit status is an errno. */
static int access_as(const struct passwd *account, const char *path, int mode)
{
    if (initgroups(account->pw_name, account->pw_gid) != 0 || setgid(account->pw_gid) != 0 ||
        setuid(account->pw_uid) != 0)
        return errno;
    return access(path, mode) == 0 ? 0 : errno;
}

int doctor_access_error(const char *path, int mode)
{
    const struct passwd *account = service_account();
    int                  status = 0;
    pid_t                child = account ? fork() : -1;
    if (child < 0) return access(path, mode) == 0 ? 0 : errno;
    if (child == 0) _exit(access_as(account, path, mode));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

const char *doctor_account_name(void)
{
    return service_account() ? DOCTOR_SERVICE_USER : "this user";
}
