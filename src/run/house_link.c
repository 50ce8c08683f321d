/* src/run/house_link.c -- rings, wake-ups and seats between a room and the house.
 *
 * Tests:    tests/run/house_test.c
 */
#include "run/house_link.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

sb_house_link *sb_house_link_create(uint32_t limit)
{
    sb_house_link *link = calloc(1, sizeof *link);
    if (!link) return NULL;
    link->to_room = sb_datagram_ring_create();
    link->from_room = sb_datagram_ring_create();
    link->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    atomic_init(&link->limit, limit);
    if (link->to_room && link->from_room && link->wake >= 0) return link;
    sb_house_link_destroy(link);
    return NULL;
}

void sb_house_link_destroy(sb_house_link *link)
{
    if (!link) return;
    sb_datagram_ring_destroy(link->to_room);
    sb_datagram_ring_destroy(link->from_room);
    if (link->wake >= 0) (void)close(link->wake);
    free(link);
}

void sb_house_link_wake(const sb_house_link *link)
{
    const uint64_t one = 1;
    (void)!write(link->wake, &one, sizeof one); /* fails only if 2^64 wake-ups are unread */
}

static uint64_t pack(sb_endpoint peer)
{
    return (uint64_t)peer.address << 16 | peer.port;
}

void sb_house_link_publish(sb_house_link *link, const sb_server *server)
{
    sb_server_seats seats;
    sb_server_seats_of(server, &seats);
    atomic_store_explicit(&link->limit, seats.limit, memory_order_relaxed);
    atomic_store_explicit(&link->people, seats.people, memory_order_relaxed);
    atomic_store_explicit(&link->others, seats.others, memory_order_relaxed);
    atomic_store_explicit(&link->house, seats.house, memory_order_relaxed);
    atomic_store_explicit(&link->wants_empty, seats.wants_empty, memory_order_relaxed);
    for (size_t i = 0; i < SB_SERVER_PLAYERS_MAX; i++)
        atomic_store_explicit(&link->house_peers[i], pack(seats.house_peers[i]),
                              memory_order_relaxed);
}

bool sb_house_link_is_seated(const sb_house_link *link, sb_endpoint peer)
{
    for (size_t i = 0; i < SB_SERVER_PLAYERS_MAX; i++)
        if (atomic_load_explicit(&link->house_peers[i], memory_order_relaxed) == pack(peer))
            return true;
    return false;
}

void sb_house_link_seats(const sb_house_link *link, sb_server_seats *out)
{
    *out = (sb_server_seats){
        .limit = atomic_load_explicit(&link->limit, memory_order_relaxed),
        .people = atomic_load_explicit(&link->people, memory_order_relaxed),
        .others = atomic_load_explicit(&link->others, memory_order_relaxed),
        .house = atomic_load_explicit(&link->house, memory_order_relaxed),
        .wants_empty = atomic_load_explicit(&link->wants_empty, memory_order_relaxed),
    };
}
