/* src/transport/host_memory.c -- the configuration of a host and the layout of its memory.
 *
 * For:      starbase/transport.h.
 * Tests:    tests/transport/host_test.c
 */
#include <starbase/transport.h>

#include "base/assert.h"
#include "transport/host_internal.h"

#include <string.h>

void sb_transport_host_defaults(sb_transport_host_config *config)
{
    *config = (sb_transport_host_config){
        .max_peers = 16,
        .peers_per_ip = 4,
        .retransmit = SB_RETRANSMIT_MEASURED,
        .timeout_us = 45 * SB_SECOND,
        .leave_notice = true,
        .rebind = true,
        .send_cells = 160,
        .receive_cells = 96,
        .shared_cells = 1024,
        .assembly_cells = 1024,
        .datagrams_per_s = 300,
        .messages_per_s = 10000,
        .bytes_per_s = 256 * 1024,
        .proof = true,
    };
}

/* ---- memory: one block with these offsets ---- */

typedef struct memory_plan {
    size_t peers, out_tables, in_tables, few, firsts, slots, deadlines, ready, event_queue, cells,
        assembly_buffer;
    size_t   newcomers, total;
    uint32_t peer_count, slot_count, cell_count;
} memory_plan;

/* Adds an array to the plan, rounded up to 16 bytes; returns its offset. */
static size_t add_block(size_t *total, size_t count, size_t size)
{
    size_t at = *total;
    *total += (count * size + 15) / 16 * 16;
    return at;
}

static const sb_send_bounds *send_bounds(const sb_transport_host_config *c)
{
    return c->retransmit == SB_RETRANSMIT_MEASURED ? &sb_bounds_send_measured : &sb_bounds_send;
}

/* A Boot queues behind unacknowledged Names, at worst one per peer: there must be cells for all. */
uint32_t sb_transport_host_linger_cells(uint32_t capacity)
{
    return capacity + 8;
}

static memory_plan plan_memory(const sb_transport_host_config *c)
{
    memory_plan p = { .peer_count = c->max_peers + SB_LINGERING_MAX };
    uint32_t    own = c->send_cells + c->receive_cells;
    p.slot_count = sb_addresses_slot_count(p.peer_count);
    p.cell_count = c->max_peers * own +
                   SB_LINGERING_MAX * sb_transport_host_linger_cells(c->max_peers) +
                   c->shared_cells + c->assembly_cells;
    add_block(&p.total, 1, sizeof(sb_transport_host));
    p.peers = add_block(&p.total, p.peer_count, sizeof(sb_peer));
    p.few = add_block(&p.total, p.peer_count, sizeof(uint32_t) * SB_FEW_WINDOWS);
    p.in_tables = add_block(&p.total, p.peer_count,
                            sizeof(uint32_t) * sb_inbox_table_size(&sb_bounds_store_host));
    p.out_tables = add_block(&p.total, p.peer_count,
                             sizeof(uint32_t) * sb_link_out_table_size(send_bounds(c)));
    p.firsts = add_block(&p.total, p.peer_count, sizeof(uint32_t) * SB_GUARD_FIRSTS);
    p.slots = add_block(&p.total, p.slot_count, sizeof(sb_address_slot));
    p.deadlines = add_block(&p.total, p.peer_count, sizeof(sb_deadline));
    p.ready = add_block(&p.total, p.peer_count, sizeof(uint16_t));
    p.event_queue = add_block(&p.total, p.peer_count, sizeof(uint16_t));
    p.cells = add_block(&p.total, p.cell_count, sizeof(sb_cell));
    p.assembly_buffer = add_block(&p.total, SB_PAYLOAD_MAX, 1);
    p.newcomers =
        add_block(&p.total, c->newcomers ? 0 : 1, sb_newcomers_bytes_of(SB_NEWCOMER_SETS_OWN));
    return p;
}

static bool is_valid(const sb_transport_host_config *c)
{
    enum { CELLS_MAX = 1 << 20 };
    return c->max_peers >= 1 && c->max_peers <= SB_PEERS_LIMIT && c->ack_delay_us >= 0 &&
           c->ack_delay_us <= 50000 && c->timeout_us > 0 && c->send_cells >= SB_SEND_CELLS_MIN &&
           c->send_cells <= CELLS_MAX && c->receive_cells >= SB_RECEIVE_CELLS_MIN &&
           c->receive_cells <= CELLS_MAX && c->shared_cells <= CELLS_MAX &&
           c->assembly_cells <= CELLS_MAX &&
           c->password.size <= sizeof(uint16_t) * SB_PASSWORD_UNITS &&
           c->datagrams_per_s <= 1000000 && c->messages_per_s <= 100000000 &&
           c->bytes_per_s <= 1000000000;
}

size_t sb_transport_host_bytes(const sb_transport_host_config *config)
{
    return is_valid(config) ? plan_memory(config).total : 0;
}

static void init_tables(sb_transport_host *h, const memory_plan *p)
{
    uint8_t *base = (uint8_t *)h;
    h->peer_count = p->peer_count;
    h->peers = (sb_peer *)(void *)(base + p->peers);
    h->assembly_buffer = base + p->assembly_buffer;
    h->out_tables = (uint32_t *)(void *)(base + p->out_tables);
    h->in_tables = (uint32_t *)(void *)(base + p->in_tables);
    h->few = (uint32_t *)(void *)(base + p->few);
    h->firsts = (uint32_t *)(void *)(base + p->firsts);
    h->send_bounds = *send_bounds(&h->config);
    for (size_t i = 0; i < SB_ID_LIMIT; i++) h->peer_by_id[i] = SB_NO_PLACE;
    for (size_t i = 0; i < SB_ID_LIMIT; i++)
        h->id_lingers_until[i] = h->id_quarantined_until[i] = h->id_told_at[i] = INT64_MIN;
    h->ready = (sb_index_queue){ (uint16_t *)(void *)(base + p->ready), p->peer_count, 0, 0 };
    h->event_queue =
        (sb_index_queue){ (uint16_t *)(void *)(base + p->event_queue), p->peer_count, 0, 0 };
    h->newcomers = h->config.newcomers;
    if (!h->newcomers) {
        h->newcomers = (sb_newcomers *)(void *)(base + p->newcomers);
        sb_newcomers_init_sets(h->newcomers, SB_NEWCOMER_SETS_OWN, h->config.seed);
    }
    sb_addresses_init(&h->addresses, (sb_address_slot *)(void *)(base + p->slots), p->slot_count,
                      h->config.seed);
    sb_deadlines_init(&h->deadlines, (sb_deadline *)(void *)(base + p->deadlines), p->peer_count);
    sb_cells_init(&h->cells, (sb_cell *)(void *)(base + p->cells), p->cell_count,
                  h->config.shared_cells, h->config.assembly_cells);
}

sb_transport_host *sb_transport_host_init(void *memory, const sb_transport_host_config *config,
                                          sb_time now)
{
    SB_ASSERT(is_valid(config));
    sb_transport_host *h = memory;
    memory_plan        p = plan_memory(config);
    memset(h, 0, offsetof(sb_transport_host, replies));
    h->config = *config;
    h->capacity = config->max_peers;
    h->now = sb_transport_clamp_time(now);
    h->reading_index = -1;
    h->password_size = (uint32_t)config->password.size;
    if (config->password.size > 0)
        memcpy(h->password, config->password.data, config->password.size);
    h->config.password = (sb_span){ NULL, 0 }; /* borrowed: no longer valid */
    init_tables(h, &p);
    return h;
}
