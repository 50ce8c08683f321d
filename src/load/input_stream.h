/* src/load/input_stream.h -- the bytes of a file or pipe, unpacked if they are gzip or zstd.
 *
 * For:      capture_file.c and `starbase decode`. Compression is recognised by the first bytes, not
 *           by the name of the file.
 * May use:  zlib, libzstd, files, malloc at opening. The bytes are untrusted: memory does not grow
 *           with the unpacked size, because they are unpacked piece by piece; a zstd frame that
 *           needs a window above 128 MB is refused.
 * Never:    waits for more bytes than it was asked for, so a live capture is read as it arrives.
 */
#ifndef SB_LOAD_INPUT_STREAM_H
#define SB_LOAD_INPUT_STREAM_H

#include <stdio.h>

#include <starbase/base.h>

enum { SB_INPUT_PEEK_MAX = 4096 };

typedef struct sb_input sb_input;

/* Takes `file`, which must be at its start, and reads only the bytes that tell whether it is
 * packed. Given: sb_input_close frees the input and closes `file` unless it is stdin. NULL: out of
 * memory; `file` is closed, too. */
sb_input *sb_input_open(FILE *file);
void      sb_input_close(sb_input *input);

/* Lends the next bytes without consuming them: at least `size` (at most SB_INPUT_PEEK_MAX) unless
 * the input ends before. */
sb_span sb_input_peek(sb_input *input, size_t size);

/* A stream over the input, for libpcap and getc. Closing the stream closes the input. NULL: out of
 * memory; the input is then still open. */
FILE *sb_input_stream(sb_input *input);

/* "gzip" or "zstd"; NULL: not packed. */
const char *sb_input_packing(const sb_input *input);
/* Why reading ended early and how far the bytes are sound; NULL: no fault so far. The stream then
 * has ferror() set. */
const char *sb_input_fault(const sb_input *input);
/* The errno of a failed read; 0: none. Damaged or cut off packed data sets none. */
int sb_input_errno(const sb_input *input);
/* For a progress line: bytes of the file read so far (packed), and its size (0: a pipe). */
uint64_t sb_input_position(const sb_input *input);
uint64_t sb_input_bytes(const sb_input *input);

#endif
