/* src/platform/udp.c -- recvmmsg, sendmmsg, and advice when a port cannot be opened. */
#include "platform/udp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/assert.h"

/* ---- addresses ---- */

static struct sockaddr_in to_sockaddr(sb_endpoint endpoint)
{
    return (struct sockaddr_in){ .sin_family = AF_INET,
                                 .sin_port = htons(endpoint.port),
                                 .sin_addr = { htonl(endpoint.address) } };
}

static sb_endpoint from_sockaddr(const struct sockaddr_in *address)
{
    return (sb_endpoint){ ntohl(address->sin_addr.s_addr), ntohs(address->sin_port) };
}

void sb_endpoint_text(sb_endpoint endpoint, char out[SB_ENDPOINT_TEXT])
{
    uint32_t a = endpoint.address;
    snprintf(out, SB_ENDPOINT_TEXT, "%u.%u.%u.%u:%u", a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255,
             endpoint.port);
}

/* Splits "host:port" into a copy of the host and the number. */
static bool split_host_port(const char *text, char *host, size_t capacity, uint16_t *port)
{
    const char *colon = strrchr(text, ':');
    size_t      size = colon ? (size_t)(colon - text) : strlen(text);
    if (size == 0 || size >= capacity) return false;
    memcpy(host, text, size);
    host[size] = '\0';
    if (!colon) return true;
    char *end;
    if (colon[1] < '0' || colon[1] > '9') return false;
    unsigned long number = strtoul(colon + 1, &end, 10);
    if (*end != '\0' || number == 0 || number > 65535) return false;
    *port = (uint16_t)number;
    return true;
}

bool sb_parse_endpoint(const char *text, uint16_t port, sb_endpoint *out)
{
    char           host[16];
    struct in_addr address;
    if (!split_host_port(text, host, sizeof host, &port)) return false;
    if (inet_pton(AF_INET, host, &address) != 1) return false;
    *out = (sb_endpoint){ ntohl(address.s_addr), port };
    return true;
}

bool sb_udp_resolve_endpoint(const char *text, uint16_t port, sb_endpoint *out,
                             char error[SB_UDP_ERROR_MAX])
{
    char             host[254]; /* a name has at most 253 bytes */
    struct addrinfo  hints = { .ai_family = AF_INET, .ai_socktype = SOCK_DGRAM };
    struct addrinfo *found = NULL;
    if (!split_host_port(text, host, sizeof host, &port)) {
        snprintf(error, SB_UDP_ERROR_MAX, "`%.80s` is not HOST or HOST:PORT", text);
        return false;
    }
    int status = getaddrinfo(host, NULL, &hints, &found);
    if (status != 0) {
        snprintf(error, SB_UDP_ERROR_MAX, "no address for `%.80s`: %s", host,
                 status == EAI_SYSTEM ? strerror(errno) : gai_strerror(status));
        return false;
    }
    struct sockaddr_in address;
    memcpy(&address, found->ai_addr, sizeof address);
    freeaddrinfo(found);
    *out = (sb_endpoint){ ntohl(address.sin_addr.s_addr), port };
    return true;
}

/* ---- opening ---- */

static void describe_open_error(const sb_udp_options *options, int why,
                                char error[SB_UDP_ERROR_MAX])
{
    char place[SB_ENDPOINT_TEXT];
    sb_endpoint_text(options->local, place);
    const char *advice = "", *how = options->port_hint ? options->port_hint : "--port";
    char        port_advice[200];
    if (why == EADDRINUSE || why == EACCES || why == EPERM) {
        snprintf(port_advice, sizeof port_advice, "; %s port with %.80s",
                 why == EADDRINUSE ? "another program, perhaps another server, uses this port: "
                                     "stop it, or choose another"
                                   : "only root may open ports below 1024: choose a higher",
                 how);
        advice = port_advice;
    } else if (why == EADDRNOTAVAIL)
        advice = "; this machine does not have this address: --bind 0.0.0.0 listens on all";
    else if (why == EMFILE || why == ENFILE)
        advice = "; raise the limit of open files (ulimit -n), or start fewer rooms or players";
    snprintf(error, SB_UDP_ERROR_MAX, "cannot listen on %s: %s%s", place, strerror(why), advice);
}

/* Best effort: the buffer should hold a burst of a hundred players, but a smaller one works. */
static void enlarge_buffer(int descriptor, int option, int privileged)
{
    int wanted = SB_UDP_BUFFER_BYTES;
    if (setsockopt(descriptor, SOL_SOCKET, privileged, &wanted, sizeof wanted) == 0) return;
    (void)setsockopt(descriptor, SOL_SOCKET, option, &wanted, sizeof wanted);
}

static bool bind_socket(sb_udp *udp, const sb_udp_options *options)
{
    struct sockaddr_in address = to_sockaddr(options->local);
    socklen_t          size = sizeof address;
    int                yes = 1, fd = udp->descriptor;
    if (options->broadcast && setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes) != 0)
        return false;
    if (bind(fd, (struct sockaddr *)&address, size) != 0) return false;
    if (getsockname(fd, (struct sockaddr *)&address, &size) != 0) return false;
    udp->local = from_sockaddr(&address);
    return true;
}

sb_result sb_udp_open(sb_udp *udp, const sb_udp_options *options, char error[SB_UDP_ERROR_MAX])
{
    *udp = (sb_udp){ .descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0) };
    if (udp->descriptor < 0 || !bind_socket(udp, options)) {
        describe_open_error(options, errno, error);
        sb_udp_close(udp);
        return SB_OS_ERROR;
    }
    enlarge_buffer(udp->descriptor, SO_RCVBUF, SO_RCVBUFFORCE);
    enlarge_buffer(udp->descriptor, SO_SNDBUF, SO_SNDBUFFORCE);
    return SB_OK;
}

void sb_udp_close(sb_udp *udp)
{
    if (udp->descriptor >= 0) (void)close(udp->descriptor);
    udp->descriptor = -1;
}

/* ---- batches ---- */

typedef struct datagram_array {
    struct mmsghdr     headers[SB_UDP_BATCH];
    struct iovec       pieces[SB_UDP_BATCH];
    struct sockaddr_in addresses[SB_UDP_BATCH];
    uint8_t            bytes[SB_UDP_BATCH][SB_UDP_DATAGRAM_MAX];
    size_t             count;
} datagram_array;

struct sb_udp_batch {
    datagram_array in, out;
};

static void init_array(datagram_array *array)
{
    for (size_t i = 0; i < SB_UDP_BATCH; i++) {
        array->pieces[i] = (struct iovec){ array->bytes[i], SB_UDP_DATAGRAM_MAX };
        array->headers[i].msg_hdr = (struct msghdr){ .msg_name = &array->addresses[i],
                                                     .msg_namelen = sizeof array->addresses[i],
                                                     .msg_iov = &array->pieces[i],
                                                     .msg_iovlen = 1 };
    }
}

sb_udp_batch *sb_udp_batch_create(void)
{
    sb_udp_batch *batch = calloc(1, sizeof *batch);
    if (!batch) return NULL;
    init_array(&batch->in);
    init_array(&batch->out);
    return batch;
}

void sb_udp_batch_destroy(sb_udp_batch *batch)
{
    free(batch);
}

/* ---- receiving ---- */

size_t sb_udp_receive(sb_udp *udp, sb_udp_batch *batch, size_t limit)
{
    datagram_array *in = &batch->in;
    int             count;
    if (limit > SB_UDP_BATCH) limit = SB_UDP_BATCH;
    for (size_t i = 0; i < in->count; i++)
        in->headers[i].msg_hdr.msg_namelen = sizeof in->addresses[i];
    in->count = 0;
    /* ECONNREFUSED reports an earlier datagram to a closed port; there may still be
     * data to read. */
    do count = recvmmsg(udp->descriptor, in->headers, (unsigned)limit, MSG_DONTWAIT, NULL);
    while (count < 0 && (errno == EINTR || errno == ECONNREFUSED));
    if (count <= 0) return 0;
    in->count = (size_t)count;
    udp->traffic.datagrams_in += in->count;
    for (size_t i = 0; i < in->count; i++) udp->traffic.bytes_in += in->headers[i].msg_len;
    return in->count;
}

sb_span sb_udp_received(const sb_udp_batch *batch, size_t index, sb_endpoint *from)
{
    SB_ASSERT(index < batch->in.count);
    *from = from_sockaddr(&batch->in.addresses[index]);
    return (sb_span){ batch->in.bytes[index], batch->in.headers[index].msg_len };
}

/* ---- sending ---- */

uint8_t *sb_udp_next_buffer(sb_udp *udp, sb_udp_batch *batch)
{
    if (batch->out.count == SB_UDP_BATCH) sb_udp_flush(udp, batch);
    return batch->out.bytes[batch->out.count];
}

void sb_udp_send(sb_udp *udp, sb_udp_batch *batch, sb_endpoint to, size_t size)
{
    datagram_array *out = &batch->out;
    (void)udp;
    SB_ASSERT(out->count < SB_UDP_BATCH);
    SB_ASSERT(size <= SB_UDP_DATAGRAM_MAX);
    out->addresses[out->count] = to_sockaddr(to);
    out->pieces[out->count].iov_len = size;
    out->count++;
}

static void count_sent(sb_udp *udp, const datagram_array *out, size_t first, size_t count)
{
    udp->traffic.datagrams_out += count;
    for (size_t i = first; i < first + count; i++) udp->traffic.bytes_out += out->pieces[i].iov_len;
}

/* Counts and returns the datagrams to drop after an error. A full buffer would refuse all that are
 * left; any other error concerns one destination only. */
static size_t drop_refused(sb_udp *udp, size_t left)
{
    bool   full = errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == ENOMEM;
    size_t dropped = full ? left : 1;
    udp->traffic.not_sent += dropped;
    return dropped;
}

void sb_udp_flush(sb_udp *udp, sb_udp_batch *batch)
{
    datagram_array *out = &batch->out;
    size_t          at = 0;
    bool refused = false; /* ECONNREFUSED is about an earlier datagram and comes once: retry */
    while (at < out->count) {
        size_t left = out->count - at;
        int    sent = sendmmsg(udp->descriptor, &out->headers[at], (unsigned)left, MSG_DONTWAIT);
        if (sent > 0) {
            count_sent(udp, out, at, (size_t)sent);
            at += (size_t)sent;
            refused = false;
        } else if (sent < 0 && errno == EINTR) continue;
        else if (sent < 0 && errno == ECONNREFUSED && !refused) refused = true;
        else at += drop_refused(udp, left);
    }
    out->count = 0;
}
