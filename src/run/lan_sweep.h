/* src/run/lan_sweep.h -- to whom a question goes that is for everybody on the LAN. Spec 05 §4.
 *
 * For:      survey.c.
 * May use:  the list of network interfaces.
 */
#ifndef SB_RUN_LAN_SWEEP_H
#define SB_RUN_LAN_SWEEP_H

#include <starbase/discovery.h>

enum {
    SB_LAN_NETWORKS_MAX = 16,
    SB_LAN_PORTS = SB_LAN_LAST_PORT - SB_LAN_FIRST_PORT + 1,
};

/* Broadcast addresses: 255.255.255.255, then that of each interface that is up. On a machine
 * without a network that of the loopback, so that its own servers are found. Returns how many. */
size_t sb_lan_networks(uint32_t out[SB_LAN_NETWORKS_MAX]);

typedef struct sb_lan_sweep {
    uint32_t networks[SB_LAN_NETWORKS_MAX];
    size_t   network_count;
    size_t   next; /* of network_count * SB_LAN_PORTS */
} sb_lan_sweep;

void sb_lan_sweep_init(sb_lan_sweep *sweep);
/* The next destination: port by port, each to all networks. False: all have been asked. */
bool sb_lan_sweep_next(sb_lan_sweep *sweep, sb_endpoint *to);

#endif
