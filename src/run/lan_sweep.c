/* src/run/lan_sweep.c -- enumerates broadcast addresses and ports.
 *
 * Tests:    tests/run/survey_test.c
 */
#include "run/lan_sweep.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#define ALL_HOSTS          UINT32_MAX
#define LOOPBACK_BROADCAST 0x7FFFFFFFu /* 127.255.255.255 */

static bool has_broadcast(const struct ifaddrs *interface)
{
    const unsigned wanted = IFF_UP | IFF_BROADCAST;
    return interface->ifa_addr && interface->ifa_addr->sa_family == AF_INET &&
           (interface->ifa_flags & wanted) == wanted && interface->ifa_broadaddr;
}

static uint32_t address_of(const struct sockaddr *address)
{
    return ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr);
}

static bool is_listed(const uint32_t *list, size_t count, uint32_t address)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == address) return true;
    return false;
}

size_t sb_lan_networks(uint32_t out[SB_LAN_NETWORKS_MAX])
{
    struct ifaddrs *interfaces = NULL;
    size_t          count = 0;
    out[count++] = ALL_HOSTS;
    if (getifaddrs(&interfaces) != 0) interfaces = NULL;
    for (const struct ifaddrs *i = interfaces; i && count < SB_LAN_NETWORKS_MAX; i = i->ifa_next) {
        uint32_t address = has_broadcast(i) ? address_of(i->ifa_broadaddr) : 0;
        if (address != 0 && !is_listed(out, count, address)) out[count++] = address;
    }
    if (interfaces) freeifaddrs(interfaces);
    if (count == 1) out[count++] = LOOPBACK_BROADCAST;
    return count;
}

void sb_lan_sweep_init(sb_lan_sweep *sweep)
{
    sweep->network_count = sb_lan_networks(sweep->networks);
    sweep->next = 0;
}

bool sb_lan_sweep_next(sb_lan_sweep *sweep, sb_endpoint *to)
{
    if (sweep->next >= sweep->network_count * SB_LAN_PORTS) return false;
    to->port = (uint16_t)(SB_LAN_FIRST_PORT + sweep->next / sweep->network_count);
    to->address = sweep->networks[sweep->next % sweep->network_count];
    sweep->next++;
    return true;
}
