/* src/platform/nonblocking.h -- non-blocking writes to stdout and stderr.
 *
 * For:      programs that must go on while a pager, a stopped terminal or a dead connection does
 *           not read their output.
 * Never:    blocks, or sets O_NONBLOCK on stdout itself: the parent process shares its flags.
 */
#ifndef SB_PLATFORM_NONBLOCKING_H
#define SB_PLATFORM_NONBLOCKING_H

#include <stddef.h>
#include <sys/types.h>

/* Opens another descriptor for the same file; -1: the system refused. A terminal is opened anew
 * with O_NONBLOCK, because poll calls it ready as soon as it accepts a single byte. Others are
 * duplicated: a pipe that is ready accepts PIPE_BUF bytes. */
int sb_nonblocking_open(int descriptor);
/* Writes as many bytes as are accepted now, and returns how many; -1: the other end is closed. */
ssize_t sb_nonblocking_write(int descriptor, const char *bytes, size_t size);

#endif
