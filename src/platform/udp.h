/* src/platform/udp.h -- non-blocking UDP sockets, batched system calls, and IPv4 addresses.
 *
 * For:      programs that run a core object over a network: servers, headless players, queries.
 * May use:  IPv4 sockets; getaddrinfo, which may block for seconds.
 * Never:    looks into a datagram, or allocates once a batch exists.
 *
 *     while ((count = sb_udp_receive(&udp, batch, SB_UDP_BATCH)) > 0)
 *         for (i = 0; i < count; i++) use(sb_udp_received(batch, i, &from), from);
 *     while ((size = write_one(&to, sb_udp_next_buffer(&udp, batch))) > 0)
 *         sb_udp_send(&udp, batch, to, size);                        // queues it in the batch
 *     sb_udp_flush(&udp, batch);                                     // sends the whole batch
 */
#ifndef SB_PLATFORM_UDP_H
#define SB_PLATFORM_UDP_H

#include <starbase/base.h>

enum {
    SB_UDP_BATCH = 64,             /* datagrams per system call */
    SB_UDP_DATAGRAM_MAX = 1536,    /* bytes of a datagram; a longer one is cut */
    SB_UDP_BUFFER_BYTES = 1 << 22, /* requested socket buffer; the system may grant less */
    SB_UDP_ERROR_MAX = 256,
    SB_ENDPOINT_TEXT = 22, /* "255.255.255.255:65535" and its NUL */
};

/* ---- addresses ---- */

/* "1.2.3.4:22101". */
void sb_endpoint_text(sb_endpoint endpoint, char out[SB_ENDPOINT_TEXT]);
/* Parses "1.2.3.4" or "1.2.3.4:22101"; the port defaults to `port`. False: the text has another
 * form. Never blocks. */
bool sb_parse_endpoint(const char *text, uint16_t port, sb_endpoint *out);
/* Also resolves names: "localhost", "example.org:22101". May block for seconds. False: `error` says
 * why and quotes the text. */
bool sb_udp_resolve_endpoint(const char *text, uint16_t port, sb_endpoint *out,
                             char error[SB_UDP_ERROR_MAX]);

/* ---- sockets ---- */

typedef struct sb_udp_options {
    sb_endpoint local;     /* address 0: every interface; port 0: any free port */
    bool        broadcast; /* may send to broadcast addresses */
    const char *port_hint; /* what sets the port, for errors; NULL: "--port" */
} sb_udp_options;

/* Counters of one socket. */
typedef struct sb_udp_traffic {
    uint64_t datagrams_in, bytes_in, datagrams_out, bytes_out;
    uint64_t not_sent; /* datagrams the system refused: no memory, no route, not permitted */
} sb_udp_traffic;

typedef struct sb_udp {
    int            descriptor; /* -1: closed. For poll and epoll */
    sb_endpoint    local;      /* with the port that the system chose */
    sb_udp_traffic traffic;
} sb_udp;

/* Opens and binds. SB_OS_ERROR: `error` says why and gives advice; the socket is closed. */
SB_MUST_USE sb_result sb_udp_open(sb_udp *udp, const sb_udp_options *options,
                                  char error[SB_UDP_ERROR_MAX]);
void                  sb_udp_close(sb_udp *udp); /* a closed socket is left as it is */

/* Buffers for incoming and outgoing datagrams. One batch serves all sockets of a thread, if each
 * socket is flushed before the next one sends. */
typedef struct sb_udp_batch sb_udp_batch;
/* Given; ends with sb_udp_batch_destroy. NULL: no memory. */
sb_udp_batch *sb_udp_batch_create(void);
void          sb_udp_batch_destroy(sb_udp_batch *batch);

/* Receives the datagrams that have arrived, at most `limit` and SB_UDP_BATCH; returns how many. */
size_t sb_udp_receive(sb_udp *udp, sb_udp_batch *batch, size_t limit);
/* One of the received datagrams; lent until the next sb_udp_receive. */
sb_span sb_udp_received(const sb_udp_batch *batch, size_t index, sb_endpoint *from);

/* The buffer for the next datagram to send: SB_UDP_DATAGRAM_MAX bytes, lent until sb_udp_send.
 * Flushes a full batch first. */
uint8_t *sb_udp_next_buffer(sb_udp *udp, sb_udp_batch *batch);
/* Queues the first `size` bytes of that buffer; the next flush sends them. */
void sb_udp_send(sb_udp *udp, sb_udp_batch *batch, sb_endpoint to, size_t size);
/* Sends the queued datagrams. Those that the system refuses are dropped and counted. */
void sb_udp_flush(sb_udp *udp, sb_udp_batch *batch);

#endif
