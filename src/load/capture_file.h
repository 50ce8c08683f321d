/* src/load/capture_file.h -- UDP datagrams out of pcap and pcapng files.
 *
 * For:      `starbase decode` on captures.
 * May use:  libpcap, files, malloc once at opening. The file is a stranger's: every length in it is
 *           checked against the bytes that are there.
 * Never:    looks into a payload, joins IP fragments, or decides what a datagram means.
 */
#ifndef SB_LOAD_CAPTURE_FILE_H
#define SB_LOAD_CAPTURE_FILE_H

#include <stdio.h>

#include "base/packet.h"

enum {
    SB_CAPTURE_ERROR_MAX = 512,
    SB_CAPTURE_BATCH_MAX = 16, /* packets that sb_capture_read_batch lends at once */
};

/* Why a packet of the file was passed over. */
typedef enum sb_capture_skip {
    SB_CAPTURE_NOT_IPV4,
    SB_CAPTURE_NOT_UDP,
    SB_CAPTURE_IP_FRAGMENT, /* on the wanted port, or its port is not known */
    SB_CAPTURE_CUT_OFF,     /* the same; the capture kept only the first bytes of the packet */
    SB_CAPTURE_BAD_LENGTH,  /* its headers contradict each other */
    SB_CAPTURE_OTHER_PORT,
    SB_CAPTURE_SKIP_COUNT
} sb_capture_skip;

/* A few words for people, such as "not UDP". Never NULL. */
const char *sb_capture_skip_text(sb_capture_skip reason);

typedef struct sb_capture_counts {
    uint64_t packets;  /* in the file, as far as it has been read */
    uint64_t accepted; /* UDP over IPv4 on the wanted port */
    uint64_t skipped[SB_CAPTURE_SKIP_COUNT];
} sb_capture_counts;

typedef struct sb_capture sb_capture;

/* True if the file begins like a pcap or pcapng capture. `head`: its first bytes, 4 are enough. */
bool sb_is_capture(sb_span head);

/* Opens `path`; "-" is standard input. `port` is the source or destination port that is wanted,
 * 0 means any. NULL: refused, and `error` says why; else given, sb_capture_close takes it back. */
sb_capture *sb_capture_open(const char *path, uint16_t port, char error[SB_CAPTURE_ERROR_MAX]);
/* The same from an open file, which is taken: closed by sb_capture_close, or at once on failure. */
sb_capture *sb_capture_open_file(FILE *file, uint16_t port, char error[SB_CAPTURE_ERROR_MAX]);

/* Up to `capacity` (at most SB_CAPTURE_BATCH_MAX) packets in file order; payloads are lent until
 * the next call. Returns how many. 0: no more, and sb_capture_error tells whether that is the end
 * of the file or of what can be read of it. */
size_t sb_capture_read_batch(sb_capture *capture, sb_packet *out, size_t capacity);

/* NULL, or why reading stopped before the end, such as "truncated dump file". */
const char *sb_capture_error(const sb_capture *capture);

sb_capture_counts sb_capture_counted(const sb_capture *capture);
/* For a progress line: bytes read so far, and of how many. 0 total: not known, a pipe. */
uint64_t sb_capture_position(const sb_capture *capture);
uint64_t sb_capture_bytes(const sb_capture *capture);
void     sb_capture_close(sb_capture *capture);

#endif
