/* src/platform/udp.h -- UDP sockets that never wait, and the addresses that go with them.
 *
 * For:      whoever runs a core object over a network: servers, headless players, queries.
 * May use:  IPv4 sockets; names through getaddrinfo, which may wait for seconds.
 * Never:    looks into a datagram, or allocates once a batch exists.
 *
 *     while ((count = sb_udp_receive(&udp, batch, SB_UDP_BATCH)) > 0)
 *         for (i = 0; i < count; i++) use(sb_udp_received(batch, i, &from), from);
 *     while ((size = write_one(&to, sb_udp_next_buffer(&udp, batch))) > 0)
 *         sb_udp_send(&udp, batch, to, size);                        // gathered ...
 *     sb_udp_flush(&udp, batch);                                     // ... and sent together
 */
#ifndef SB_PLATFORM_UDP_H
#define SB_PLATFORM_UDP_H

#include <starbase/base.h>

enum {
    SB_UDP_BATCH = 64,             /* datagrams that one system call moves */
    SB_UDP_DATAGRAM_MAX = 1536,    /* bytes of one; what is longer arrives cut to this */
    SB_UDP_BUFFER_BYTES = 1 << 22, /* what is asked for; the system may give less */
    SB_UDP_ERROR_MAX = 256,
    SB_ENDPOINT_TEXT = 22, /* "255.255.255.255:65535" and its NUL */
};

/* ---- addresses ---- */

/* "1.2.3.4:22101". */
void sb_endpoint_text(sb_endpoint endpoint, char out[SB_ENDPOINT_TEXT]);
/* "1.2.3.4" or "1.2.3.4:22101"; without a port it is `port`. Asks nobody. False: not such a text.
 */
bool sb_parse_endpoint(const char *text, uint16_t port, sb_endpoint *out);
/* The same with names allowed: "localhost", "example.org:22101". May wait for seconds. False:
 * `error` says why, naming the text. */
bool sb_resolve_endpoint(const char *text, uint16_t port, sb_endpoint *out,
                         char error[SB_UDP_ERROR_MAX]);

/* ---- sockets ---- */

typedef struct sb_udp_options {
    sb_endpoint local;     /* address 0: every interface; port 0: any free one */
    bool        broadcast; /* may send to broadcast addresses */
} sb_udp_options;

/* What went over one socket. */
typedef struct sb_udp_traffic {
    uint64_t datagrams_in, bytes_in, datagrams_out, bytes_out;
    uint64_t not_sent; /* datagrams the system did not take: no memory, no way, not permitted */
} sb_udp_traffic;

typedef struct sb_udp {
    int            descriptor; /* -1: closed. For poll and epoll */
    sb_endpoint    local;      /* with the port that was given */
    sb_udp_traffic traffic;
} sb_udp;

/* Opens and binds. SB_OS_ERROR: `error` says why and what can be done; the socket is closed. */
SB_MUST_USE sb_result sb_udp_open(sb_udp *udp, const sb_udp_options *options,
                                  char error[SB_UDP_ERROR_MAX]);
void                  sb_udp_close(sb_udp *udp); /* also of a closed one */

/* Room for datagrams on their way in and out. One serves any number of sockets of a thread, as long
 * as each is flushed before the next one sends. */
typedef struct sb_udp_batch sb_udp_batch;
/* Given; ends with sb_udp_batch_destroy. NULL: no memory. */
sb_udp_batch *sb_udp_batch_create(void);
void          sb_udp_batch_destroy(sb_udp_batch *batch);

/* Takes what has arrived, at most `limit` and SB_UDP_BATCH datagrams; returns how many. 0: nothing
 * there. */
size_t sb_udp_receive(sb_udp *udp, sb_udp_batch *batch, size_t limit);
/* The i-th of them; lent until the next sb_udp_receive. */
sb_span sb_udp_received(const sb_udp_batch *batch, size_t index, sb_endpoint *from);

/* Where the next datagram to send is written: SB_UDP_DATAGRAM_MAX bytes, lent until
 * sb_udp_send. Flushes when the batch is full. */
uint8_t *sb_udp_next_buffer(sb_udp *udp, sb_udp_batch *batch);
/* Takes what was written there. It leaves with the next flush. */
void sb_udp_send(sb_udp *udp, sb_udp_batch *batch, sb_endpoint to, size_t size);
/* Sends what was gathered. What the system does not take is lost and counted, as on any network. */
void sb_udp_flush(sb_udp *udp, sb_udp_batch *batch);

#endif
