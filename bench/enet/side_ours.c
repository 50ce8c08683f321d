/* bench/enet/side_ours.c -- our host and our client on a real UDP socket.
 *
 * The loop is that of starbase/transport.h, with measured retransmission on both sides.
 */
#include "side.h"

#include <starbase/transport.h>

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct ours {
    int                  fd;
    uint8_t              peer_id; /* of the receiver, after it has joined */
    void                *memory;
    sb_transport_host   *host;   /* sender; NULL at the receiver */
    sb_transport_client *client; /* receiver; NULL at the sender */
    struct sockaddr_in   server; /* receiver: where to send */
} ours;

static struct sockaddr_in to_sockaddr(sb_endpoint e)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(e.port) };
    a.sin_addr.s_addr = htonl(e.address);
    return a;
}

static sb_endpoint from_sockaddr(const struct sockaddr_in *a)
{
    return (sb_endpoint){ ntohl(a->sin_addr.s_addr), ntohs(a->sin_port) };
}

static void close_ours(void *side)
{
    ours *o = side;
    if (o->fd >= 0) (void)close(o->fd);
    free(o->memory);
    free(o);
}

/* Opens a socket on a free port, with buffers of the size that ENet uses. */
static ours *open_ours(size_t bytes, uint16_t *port)
{
    struct sockaddr_in a = to_sockaddr((sb_endpoint){ INADDR_LOOPBACK, 0 });
    socklen_t          size = sizeof a;
    int                buffer = SIDE_BUFFER_BYTES;
    ours              *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    o->memory = calloc(1, bytes);
    o->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (!o->memory || o->fd < 0 || bind(o->fd, (struct sockaddr *)&a, sizeof a) != 0 ||
        getsockname(o->fd, (struct sockaddr *)&a, &size) != 0) {
        close_ours(o);
        return NULL;
    }
    (void)setsockopt(o->fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    (void)setsockopt(o->fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    *port = ntohs(a.sin_port);
    return o;
}

static void *open_sender(uint16_t *port)
{
    sb_transport_host_config config;
    sb_transport_host_defaults(&config);
    config.max_peers = 1;
    config.retransmit = SB_RETRANSMIT_MEASURED;
    /* Memory for all messages at once, which take two cells each, and for the reserves. */
    config.shared_cells = 4 * MESSAGE_COUNT;
    ours *o = open_ours(sb_transport_host_bytes(&config), port);
    if (o) o->host = sb_transport_host_init(o->memory, &config, side_clock());
    return o;
}

static void *open_receiver(uint16_t port)
{
    sb_transport_client_config config;
    sb_transport_client_defaults(&config);
    config.server = (sb_endpoint){ INADDR_LOOPBACK, port };
    config.retransmit = SB_RETRANSMIT_MEASURED;
    ours *o = open_ours(sb_transport_client_bytes(&config), &config.local_port);
    if (!o) return NULL;
    o->client = sb_transport_client_init(o->memory, &config, side_clock());
    o->server = to_sockaddr(config.server);
    return o;
}

static int socket_of(const void *side)
{
    return ((const ours *)side)->fd;
}

static bool next_event(ours *o, sb_transport_event *event)
{
    return o->host ? sb_transport_host_next_event(o->host, side_clock(), event)
                   : sb_transport_client_next_event(o->client, side_clock(), event);
}

static void drain_events(ours *o, side_progress *progress)
{
    sb_transport_event event;
    while (next_event(o, &event)) {
        if (event.type == SB_EVENT_JOINED) {
            o->peer_id = event.peer_id;
            progress->established = true;
        } else if (event.type == SB_EVENT_MESSAGE) {
            side_receive_message(progress, event.bytes);
        } else if (event.type == SB_EVENT_LEFT) {
            progress->failed = true;
        }
    }
}

/* The endpoint counts datagrams it refuses; the peer retransmits lost messages. */
static void receive_datagram(ours *o, sb_endpoint from, sb_span datagram)
{
    if (o->host) (void)!sb_transport_host_receive(o->host, side_clock(), from, datagram);
    else (void)!sb_transport_client_receive(o->client, side_clock(), from, datagram);
}

static void write_datagrams(ours *o)
{
    uint8_t            bytes[SB_DATAGRAM_MAX];
    struct sockaddr_in a = o->server;
    sb_endpoint        to;
    for (;;) {
        size_t size = o->host ? sb_transport_host_write(o->host, side_clock(), &to, bytes)
                              : sb_transport_client_write(o->client, side_clock(), bytes);
        if (size == 0) return;
        if (o->host) a = to_sockaddr(to);
        (void)!sendto(o->fd, bytes, size, 0, (struct sockaddr *)&a, sizeof a);
    }
}

static void step(void *side, side_progress *progress)
{
    ours              *o = side;
    uint8_t            bytes[SB_DATAGRAM_ACCEPTED];
    struct sockaddr_in a = { 0 };
    socklen_t          a_size = sizeof a;
    ssize_t            got;
    while ((got = recvfrom(o->fd, bytes, sizeof bytes, 0, (struct sockaddr *)&a, &a_size)) >= 0) {
        receive_datagram(o, from_sockaddr(&a), (sb_span){ bytes, (size_t)got });
        drain_events(o, progress);
    }
    drain_events(o, progress);
    write_datagrams(o);
}

static void queue_messages(void *side, side_progress *progress)
{
    ours   *o = side;
    uint8_t bytes[MESSAGE_BYTES];
    for (unsigned n = 0; n < MESSAGE_COUNT; n++) {
        side_make_message(n, bytes);
        if (sb_transport_host_send(o->host, o->peer_id, SB_RELIABLE,
                                   (sb_span){ bytes, sizeof bytes }) != SB_OK)
            progress->failed = true;
    }
}

const side_kind side_ours = { "ours", open_sender,    open_receiver, socket_of,
                              step,   queue_messages, close_ours };
