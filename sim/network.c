/* sim/network.c -- a network in memory: datagrams between endpoints, delivered in order of time.
 *
 * For:      sim/network.h.
 *
 * Datagrams in transit are in a pool of fixed size. A binary heap of small entries orders them by
 * time of arrival, and by order of sending where that is equal.
 */
#include "sim/network.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

typedef struct route {
    sb_endpoint from, to;
} route;

typedef struct stored {
    route    route;
    size_t   size;
    uint32_t tag;
    bool     damaged;
    uint8_t  bytes[SIM_DATAGRAM_MAX];
} stored;

typedef struct arrival {
    sb_time  time;
    uint64_t serial; /* order of sending */
    size_t   slot;   /* in the pool */
} arrival;

typedef struct link_state {
    uint32_t       from, to;
    sim_conditions conditions;
    sim_impairment impairment; /* random numbers of its own: other links do not affect this one */
} link_state;

struct sim_network {
    uint64_t           seed;
    sim_conditions     fallback;
    sim_impairment     fallback_impairment;
    link_state        *links;
    size_t             link_count, link_capacity;
    stored            *pool;
    size_t            *free_slots; /* stack */
    arrival           *heap;
    size_t             capacity, count; /* datagrams in transit; the rest of the pool is free */
    uint64_t           serial;
    uint32_t           tag;  /* of datagrams sent from now on */
    stored             lent; /* the last result of receive */
    sim_network_totals totals;
};

static void *must_allocate(size_t count, size_t bytes)
{
    void *memory = calloc(count > 0 ? count : 1, bytes);
    if (!memory) abort();
    return memory;
}

sim_network *sim_network_create(uint64_t seed, size_t capacity)
{
    sim_network *network = must_allocate(1, sizeof *network);
    network->seed = seed;
    network->capacity = capacity;
    network->pool = must_allocate(capacity, sizeof *network->pool);
    network->free_slots = must_allocate(capacity, sizeof *network->free_slots);
    network->heap = must_allocate(capacity, sizeof *network->heap);
    for (size_t i = 0; i < capacity; i++) network->free_slots[i] = capacity - 1 - i;
    sim_impairment_init(&network->fallback_impairment, seed);
    return network;
}

void sim_network_destroy(sim_network *network)
{
    if (!network) return;
    free(network->links);
    free(network->pool);
    free(network->free_slots);
    free(network->heap);
    free(network);
}

void sim_network_set_default(sim_network *network, const sim_conditions *conditions)
{
    network->fallback = *conditions;
}

static link_state *find_link(sim_network *network, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < network->link_count; i++) {
        link_state *link = &network->links[i];
        if (link->from == from && link->to == to) return link;
    }
    return NULL;
}

/* The seed of a link depends on its addresses only, not on when the link is first used. */
static uint64_t link_seed(const sim_network *network, uint32_t from, uint32_t to)
{
    sb_random mix;
    sb_random_init(&mix, network->seed ^ ((uint64_t)from << 32 | to));
    return sb_random_next(&mix);
}

static link_state *add_link(sim_network *network, uint32_t from, uint32_t to)
{
    if (network->link_count == network->link_capacity) {
        network->link_capacity = network->link_capacity * 2 + 16;
        network->links = realloc(network->links, network->link_capacity * sizeof *network->links);
        if (!network->links) abort();
    }
    link_state *link = &network->links[network->link_count++];
    *link = (link_state){ .from = from, .to = to };
    sim_impairment_init(&link->impairment, link_seed(network, from, to));
    return link;
}

void sim_network_set_link(sim_network *network, uint32_t from, uint32_t to,
                          const sim_conditions *conditions)
{
    link_state *link = find_link(network, from, to);
    if (!link) link = add_link(network, from, to);
    link->conditions = *conditions;
}

/* ---- The heap ------------------------------------------------------------------------------ */

static bool is_earlier(const arrival *a, const arrival *b)
{
    return a->time != b->time ? a->time < b->time : a->serial < b->serial;
}

static void push(sim_network *network, arrival entry)
{
    arrival *heap = network->heap;
    size_t   at = network->count++;
    for (; at > 0 && is_earlier(&entry, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = entry;
}

static arrival pop(sim_network *network)
{
    arrival *heap = network->heap;
    arrival  top = heap[0], last = heap[--network->count];
    size_t   at = 0;
    for (size_t child = 1; child < network->count; child = 2 * at + 1) {
        if (child + 1 < network->count && is_earlier(&heap[child + 1], &heap[child])) child++;
        if (!is_earlier(&heap[child], &last)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return top;
}

/* ---- Sending and receiving ----------------------------------------------------------------- */

static void store_copy(sim_network *network, sb_time now, route way, sb_span datagram,
                       const sim_copy *copy)
{
    if (network->count == network->capacity) {
        network->totals.lost++;
        network->totals.overflowed++;
        return;
    }
    size_t  slot = network->free_slots[network->capacity - network->count - 1];
    stored *to = &network->pool[slot];
    to->route = way;
    to->tag = network->tag;
    to->size = copy->size;
    to->damaged = copy->flip_count > 0 || copy->size < datagram.size;
    if (copy->size > 0) memcpy(to->bytes, datagram.data, copy->size);
    sim_damage(copy, to->bytes);
    if (to->damaged) network->totals.damaged++;
    push(network, (arrival){ now + copy->delay_us, network->serial++, slot });
}

void sim_network_send(sim_network *network, sb_time now, sb_endpoint from, sb_endpoint to,
                      sb_span datagram)
{
    SB_ASSERT(datagram.size <= SIM_DATAGRAM_MAX);
    link_state           *link = find_link(network, from.address, to.address);
    sim_impairment       *impairment = link ? &link->impairment : &network->fallback_impairment;
    const sim_conditions *conditions = link ? &link->conditions : &network->fallback;
    sim_copy              copies[SIM_COPIES_MAX];
    int                   count = sim_impair(impairment, conditions, datagram.size, copies);
    network->totals.sent++;
    network->totals.bytes += datagram.size;
    if (count == 0) network->totals.lost++;
    if (count > 1) network->totals.duplicated++;
    for (int i = 0; i < count; i++)
        store_copy(network, now, (route){ from, to }, datagram, &copies[i]);
}

void sim_network_inject(sim_network *network, sb_time time, sb_endpoint from, sb_endpoint to,
                        sb_span datagram)
{
    SB_ASSERT(datagram.size <= SIM_DATAGRAM_MAX);
    sim_copy whole = { .size = datagram.size };
    network->totals.sent++;
    network->totals.bytes += datagram.size;
    store_copy(network, time, (route){ from, to }, datagram, &whole);
}

sb_time sim_network_next_time(const sim_network *network)
{
    return network->count > 0 ? network->heap[0].time : SB_TIME_NEVER;
}

static void lend(sim_network *network, const stored *from)
{
    network->lent.route = from->route;
    network->lent.tag = from->tag;
    network->lent.size = from->size;
    network->lent.damaged = from->damaged;
    memcpy(network->lent.bytes, from->bytes, from->size);
}

bool sim_network_receive(sim_network *network, sb_time now, sb_endpoint *from, sb_endpoint *to,
                         sb_span *datagram)
{
    if (sim_network_next_time(network) > now) return false;
    arrival next = pop(network);
    lend(network, &network->pool[next.slot]);
    network->free_slots[network->capacity - network->count - 1] = next.slot;
    network->totals.delivered++;
    *from = network->lent.route.from;
    *to = network->lent.route.to;
    *datagram = (sb_span){ network->lent.bytes, network->lent.size };
    return true;
}

void sim_network_set_tag(sim_network *network, uint32_t tag)
{
    network->tag = tag;
}

uint32_t sim_network_tag(const sim_network *network)
{
    return network->lent.tag;
}

bool sim_network_was_damaged(const sim_network *network)
{
    return network->lent.damaged;
}

const sim_network_totals *sim_network_totals_of(const sim_network *network)
{
    return &network->totals;
}
