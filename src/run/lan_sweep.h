/* src/run/lan_sweep.h -- the addresses and ports of a query to the whole LAN. Spec 05 §4.
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

/* Lists broadcast addresses and returns how many: 255.255.255.255, then one per interface that is
 * up. A machine without a network gets the broadcast address of the loopback, so that its own
 * servers are found. */
size_t sb_lan_networks(uint32_t out[SB_LAN_NETWORKS_MAX]);

typedef struct sb_lan_sweep {
    uint32_t networks[SB_LAN_NETWORKS_MAX];
    size_t   network_count;
    size_t   next; /* index of the next destination, up to network_count * SB_LAN_PORTS */
} sb_lan_sweep;

void sb_lan_sweep_init(sb_lan_sweep *sweep);
/* The next destination: for each port, every network. False: no more. */
bool sb_lan_sweep_next(sb_lan_sweep *sweep, sb_endpoint *to);

#endif
