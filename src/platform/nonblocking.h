/* src/platform/nonblocking.h -- output to a reader who may have stopped reading.
 *
 * For:      programs with something better to do than to wait for a pager, a stopped terminal or a
 *           network that has gone.
 * Never:    waits, or changes how others write there: the flags of stdout are shared with whoever
 *           started the program.
 */
#ifndef SB_PLATFORM_NONBLOCKING_H
#define SB_PLATFORM_NONBLOCKING_H

#include <stddef.h>
#include <sys/types.h>

/* A descriptor of our own for what is behind `descriptor`; -1: the system refused. A terminal says
 * that it is ready when it takes one byte more, so it is opened again in order not to wait for the
 * others; a pipe that is ready takes PIPE_BUF bytes. */
int sb_nonblocking_open(int descriptor);
/* How many of the bytes were taken at once; -1: nobody will ever take any. */
ssize_t sb_nonblocking_write(int descriptor, const char *bytes, size_t size);

#endif
