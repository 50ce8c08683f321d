/* examples/fly_bot.c -- a bot joins the server on port argv[1] of this machine, flies and fights.
 */
#include <starbase/pilot.h>
#include <stdio.h>
#include <stdlib.h>

#include "socket.h"

int main(int argc, char **argv)
{
    sb_client_config config;
    sb_pilot_config  habits;
    sb_pilot         pilot;
    sb_client_defaults(&config);
    sb_pilot_defaults(&habits);
    config.transport.server.address = INADDR_LOOPBACK;
    config.transport.server.port = (uint16_t)(argc > 1 ? atoi(argv[1]) : 22101);
    sb_client      *client = sb_client_init(malloc(sb_client_bytes(&config)), &config, now());
    int             udp = open_udp(0);
    uint8_t         buffer[1500];
    sb_endpoint     from;
    sb_span         datagram;
    size_t          size;
    sb_client_phase phase = SB_CLIENT_CONNECTING;

    sb_pilot_init(&pilot, &habits, now());
    while (!sb_client_is_over(client)) {
        sleep_until(udp, now() + SB_SECOND / 50);
        while ((datagram = receive(udp, &from, buffer, sizeof buffer)).size > 0)
            (void)!sb_client_receive(client, now(), from, datagram);
        sb_client_advance(client, now());
        sb_pilot_step(&pilot, client, now());
        while ((size = sb_client_write(client, now(), buffer)) > 0)
            send_datagram(udp, config.transport.server, buffer, size);
        if (sb_client_phase_of(client) == phase) continue;
        phase = sb_client_phase_of(client);
        printf("%s\n", sb_client_phase_text(phase));
        fflush(stdout);
    }
}
