/* examples/socket.h -- a clock and a UDP socket, as the examples need them. */
#include <arpa/inet.h>
#include <poll.h>
#include <starbase/base.h>
#include <sys/socket.h>
#include <time.h>

static sb_time now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * SB_SECOND + t.tv_nsec / 1000;
}

/* Binds to `port` of every address; 0: any free port. -1: the port is taken. */
static int open_udp(int port)
{
    int                udp = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    return bind(udp, (struct sockaddr *)&own, sizeof own) == 0 ? udp : -1;
}

static void sleep_until(int udp, sb_time deadline)
{
    sb_time wait_ms = deadline > now() ? (deadline - now()) / 1000 + 1 : 0;
    poll(&(struct pollfd){ udp, POLLIN, 0 }, 1, wait_ms > 1000 ? 1000 : (int)wait_ms);
}

/* The next datagram; size 0: none is waiting. */
static sb_span receive(int udp, sb_endpoint *from, uint8_t *buffer, size_t capacity)
{
    struct sockaddr_in peer;
    socklen_t          length = sizeof peer;
    ssize_t            size = recvfrom(udp, buffer, capacity, 0, (struct sockaddr *)&peer, &length);
    if (size <= 0) return (sb_span){ buffer, 0 };
    *from = (sb_endpoint){ ntohl(peer.sin_addr.s_addr), ntohs(peer.sin_port) };
    return (sb_span){ buffer, (size_t)size };
}

static void send_datagram(int udp, sb_endpoint to, const uint8_t *bytes, size_t size)
{
    struct sockaddr_in peer = { .sin_family = AF_INET, .sin_port = htons(to.port) };
    peer.sin_addr.s_addr = htonl(to.address);
    sendto(udp, bytes, size, 0, (struct sockaddr *)&peer, sizeof peer);
}
