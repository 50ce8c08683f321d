/* examples/serve_match.c -- a complete server for one match on UDP port argv[1] (22101). */
#include <starbase/server.h>
#include <stdio.h>
#include <stdlib.h>

#include "socket.h"

int main(int argc, char **argv)
{
    sb_server_config config;
    sb_server_defaults(&config);
    sb_server  *server = sb_server_init(malloc(sb_server_bytes(&config)), &config, now());
    int         udp = open_udp(argc > 1 ? atoi(argv[1]) : 22101);
    uint8_t     buffer[SB_SERVER_DATAGRAM_MAX];
    sb_endpoint peer;
    sb_span     datagram;
    size_t      size;

    /* Datagrams and the time go in; datagrams and the next deadline come out. */
    while (udp >= 0) {
        sleep_until(udp, sb_server_next_deadline(server));
        while ((datagram = receive(udp, &peer, buffer, sizeof buffer)).size > 0)
            (void)!sb_server_receive(server, now(), peer, datagram);
        sb_server_advance(server, now());
        while ((size = sb_server_write(server, now(), &peer, buffer)) > 0)
            send_datagram(udp, peer, buffer, size);
    }
    fprintf(stderr, "the port is taken\n");
    return 1;
}
