/* tests/transport/interop_joins_test.c -- eight clients behind one address join at the same time.
 *
 * For:      host_connect.c and host_seats.c without a limit of peers per address, with models of
 *           stock clients and with clients of ours.
 * Spec:     01 §5.3, §5.4, §10.6.
 */
#include "transport/interop_rig.h"

static interop *connect_all(uint64_t seed, bool ours, uint32_t seats)
{
    static const sim_conditions path = { .delay_us = 25000 };
    sb_transport_host_config    config;
    interop                    *w = interop_open(INTEROP_CLEAN, seed);
    sb_transport_host_defaults(&config);
    config.seed = seed;
    config.max_peers = seats;
    config.peers_per_ip = 0;
    interop_add_our_host(w, &config);
    sim_network_set_default(w->network, &path);
    w->one_address = true;
    for (size_t i = 0; i < INTEROP_CLIENTS; i++) {
        if (ours) (void)interop_add_our_client(w, NULL);
        else (void)interop_add_stock_client(w, NULL);
    }
    return w;
}

/* Half of the seats need the proof of §5.4, which takes one round trip more. No client may wait for
 * a retransmission: the first would come after a second. */
TEST(eight_clients_behind_one_address_join_within_500_ms)
{
    for (uint64_t seed = 1; seed <= 5; seed++)
        for (int ours = 0; ours < 2; ours++)
            for (uint32_t seats = 8; seats <= 16; seats += 8) {
                interop *w = connect_all(seed, ours, seats);
                interop_run(w, SB_SECOND / 2);
                for (size_t i = 0; i < INTEROP_CLIENTS; i++) {
                    EQUALS(w, w->clients[i].at_host.joined, 1);
                    EQUALS(w, w->clients[i].here.joined, 1);
                    EQUALS(w, w->clients[i].here.named, 1);
                }
                interop_check_all_there(w);
            }
}
