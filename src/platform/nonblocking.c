/* src/platform/nonblocking.c -- poll before each write, PIPE_BUF bytes at a time.
 *
 * Tests:    tests/apps/view_test.py, tests/apps/bot_test.py
 */
#include "platform/nonblocking.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

int sb_nonblocking_open(int descriptor)
{
    char name[PATH_MAX];
    int  own = -1;
    if (ttyname_r(descriptor, name, sizeof name) == 0)
        own = open(name, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    return own >= 0 ? own : fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
}

ssize_t sb_nonblocking_write(int descriptor, const char *bytes, size_t size)
{
    size_t written = 0;
    while (written < size) {
        struct pollfd ready = { .fd = descriptor, .events = POLLOUT };
        if (poll(&ready, 1, 0) != 1) break;
        size_t  part = size - written < PIPE_BUF ? size - written : PIPE_BUF;
        ssize_t count = write(descriptor, bytes + written, part);
        if (count < 0 && errno != EAGAIN && errno != EINTR) return -1;
        if (count <= 0) break;
        written += (size_t)count;
    }
    return (ssize_t)written;
}
