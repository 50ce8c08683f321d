/* src/load/capture_file.h -- reads UDP datagrams from pcap and pcapng files, also packed ones.
 *
 * For:      `starbase decode` on captures.
 * May use:  libpcap, files, malloc at opening. The file is untrusted: every length in it is checked
 *           against the size of the packet.
 * Never:    looks into a payload, reassembles IP fragments, or decides what a datagram means.
 */
#ifndef SB_LOAD_CAPTURE_FILE_H
#define SB_LOAD_CAPTURE_FILE_H

#include <stdio.h>

#include "base/packet.h"
#include "load/input_stream.h"

enum {
    SB_CAPTURE_ERROR_MAX = 512,
    SB_CAPTURE_BATCH_MAX = 16, /* packets that one sb_capture_read_batch lends */
    SB_CAPTURE_MARK_BYTES = 4, /* first bytes that tell a capture from other files */
};

/* The reason why a packet of the file was skipped. */
typedef enum sb_capture_skip {
    SB_CAPTURE_NOT_IPV4,
    SB_CAPTURE_NOT_UDP,
    SB_CAPTURE_IP_FRAGMENT, /* a fragment for the wanted port, or of a packet with unknown ports */
    SB_CAPTURE_CUT_OFF,     /* the capture kept only the first bytes of a packet for that port */
    SB_CAPTURE_BAD_LENGTH,  /* the headers contradict each other */
    SB_CAPTURE_OTHER_PORT,
    SB_CAPTURE_SKIP_COUNT
} sb_capture_skip;

/* The reason in words, such as "not UDP". Never NULL. */
const char *sb_capture_skip_text(sb_capture_skip reason);

typedef struct sb_capture_counts {
    uint64_t packets;  /* in the file, as far as it has been read */
    uint64_t accepted; /* UDP over IPv4 on the wanted port */
    uint64_t skipped[SB_CAPTURE_SKIP_COUNT];
} sb_capture_counts;

typedef struct sb_capture sb_capture;

/* True if the file starts like a pcap or pcapng capture. `head`: at least its first
 * SB_CAPTURE_MARK_BYTES bytes. */
bool sb_capture_is_magic(sb_span head);
/* True if a file that starts with these bytes, which may be fewer, can be a capture. */
bool sb_capture_may_start(sb_span head);

/* Opens `path`; "-" is standard input. Packets are wanted if `port` is their source or destination
 * port; 0 means any port. Given: sb_capture_close frees it. NULL: `error` says why. */
sb_capture *sb_capture_open(const char *path, uint16_t port, char error[SB_CAPTURE_ERROR_MAX]);
/* The same from an open file or input. Takes ownership: sb_capture_close closes it; a failure
 * closes it, too. Stdin stays open. */
sb_capture *sb_capture_open_file(FILE *file, uint16_t port, char error[SB_CAPTURE_ERROR_MAX]);
sb_capture *sb_capture_open_input(sb_input *input, uint16_t port, char error[SB_CAPTURE_ERROR_MAX]);

/* Reads up to `capacity` (at most SB_CAPTURE_BATCH_MAX) packets in file order and returns how many;
 * payloads are lent until the next call. 0: many packets in a row were skipped, or there are no
 * more. */
size_t sb_capture_read_batch(sb_capture *capture, sb_packet *out, size_t capacity);
/* True if there are no more packets; sb_capture_error distinguishes the end of the file from a read
 * error. */
bool sb_capture_has_ended(const sb_capture *capture);

/* The read error, such as "truncated dump file"; NULL: none. */
const char *sb_capture_error(const sb_capture *capture);

sb_capture_counts sb_capture_counted(const sb_capture *capture);
/* For a progress line: bytes of the file read so far, and its size (0: a pipe). */
uint64_t sb_capture_position(const sb_capture *capture);
uint64_t sb_capture_bytes(const sb_capture *capture);
void     sb_capture_close(sb_capture *capture);

#endif
