/* tests/transport/interop_rig.c -- runs one host and its clients over one network.
 *
 * For:      interop_rig.h.
 */
#include "transport/interop_rig.h"

#include <starbase/cipher.h>

#include "base/time.h"
#include "transport/testing.h"

#include <stdlib.h>
#include <string.h>

/* Probabilities are per million. */
const interop_weather interop_weathers[INTEROP_WEATHERS] = {
    { "clean", { .delay_us = 20000 } },
    { "mild",
      { .delay_us = 30000,
        .jitter_us = 20000,
        .loss = 50000,
        .duplicate = 20000,
        .reorder = 30000,
        .reorder_us = 60000 } },
    { "rough",
      { .delay_us = 50000,
        .jitter_us = 60000,
        .loss = 200000,
        .duplicate = 50000,
        .reorder = 100000,
        .reorder_us = 200000 } },
};

enum { HOST_IP = 0x0A000001, CLIENT_IP = 0x0A000102, PORT = 22101 };

static interop *opened;

void interop_fail(const interop *w, const char *file, int line, const char *text, long long actual,
                  long long expected)
{
    test_fail(file, line, "%s is %lld, expected %lld (%s network, seed %llu, at %.3f s)", text,
              actual, expected, w->weather, (unsigned long long)w->seed, (double)w->now / 1e6);
}

/* ---- Opening and closing ------------------------------------------------------------------ */

static void close_world(interop *w)
{
    sim_network_destroy(w->network);
    if (w->stock_host) sim_stock_host_clear(w->stock_host);
    if (w->openbc_host) sim_openbc_clear(w->openbc_host);
    free(w->stock_host);
    free(w->openbc_host);
    free(w->host_memory);
    for (size_t i = 0; i < w->client_count; i++) {
        if (w->clients[i].theirs) sim_stock_client_clear(w->clients[i].theirs);
        free(w->clients[i].theirs);
        free(w->clients[i].memory);
    }
    free(w);
}

static void *allocate(size_t size)
{
    void *memory = calloc(1, size);
    CHECK(memory != NULL);
    return memory;
}

interop *interop_open(size_t weather, uint64_t seed)
{
    if (opened) close_world(opened);
    interop *w = opened = allocate(sizeof *w);
    w->network = sim_network_create(seed, 16384);
    w->weather = interop_weathers[weather].name;
    w->seed = seed;
    w->now = 1000 * SB_SECOND;
    w->host_address = (sb_endpoint){ HOST_IP, PORT };
    sim_network_set_default(w->network, &interop_weathers[weather].conditions);
    return w;
}

static interop_client *new_client(interop *w)
{
    CHECK(w->client_count < INTEROP_CLIENTS);
    interop_client *c = &w->clients[w->client_count];
    uint32_t        index = (uint32_t)w->client_count;
    c->address = w->one_address ? (sb_endpoint){ CLIENT_IP, (uint16_t)(PORT + index) }
                                : (sb_endpoint){ CLIENT_IP + index, PORT };
    w->client_count++;
    return c;
}

void interop_set_up_link(interop *w, const interop_client *c, const sim_conditions *conditions)
{
    sim_network_set_link(w->network, c->address.address, HOST_IP, conditions);
}

void interop_set_down_link(interop *w, const interop_client *c, const sim_conditions *conditions)
{
    sim_network_set_link(w->network, HOST_IP, c->address.address, conditions);
}

void interop_forge(interop *w, sb_endpoint from, sb_endpoint to, const char *plain_hex)
{
    uint8_t bytes[SB_DATAGRAM_ACCEPTED];
    size_t  size = test_hex(plain_hex, bytes, sizeof bytes);
    sb_encrypt_datagram(bytes, size);
    sim_network_send(w->network, w->now, from, to, (sb_span){ bytes, size });
}

/* ---- Events ------------------------------------------------------------------------------- */

static void store_name(interop_news *news, sb_span utf16)
{
    size_t length = 0;
    while (length < SB_NAME_UNITS && 2 * length + 1 < utf16.size && utf16.data[2 * length]) {
        news->name[length] = (char)utf16.data[2 * length];
        length++;
    }
    news->name[length] = '\0';
    news->named++;
}

static void count_join(interop *w, interop_news *news)
{
    news->joined++;
    news->joined_at = w->now;
}

static void count_leave(interop *w, interop_news *news, sb_leave_reason reason, bool by_boot,
                        uint8_t boot_reason)
{
    news->left++;
    news->left_at = w->now;
    news->reason = reason;
    news->by_boot = by_boot;
    news->boot_reason = boot_reason;
}

static interop_client *client_of_id(interop *w, uint8_t id)
{
    for (size_t i = 0; i < w->client_count; i++)
        if (w->clients[i].id == id) return &w->clients[i];
    return NULL;
}

size_t interop_index(const interop *w, const interop_client *c)
{
    return (size_t)(c - w->clients);
}

/* Events at client `c` about the player `id`. */
static interop_news *news_of(interop *w, interop_client *c, uint8_t id)
{
    interop_client *about = client_of_id(w, id);
    if (about == c || id == c->id || id == SB_PEER_NONE) return &c->here;
    return about ? &c->others[interop_index(w, about)] : NULL;
}

/* ---- Our host ----------------------------------------------------------------------------- */

static interop_client *client_at(interop *w, sb_endpoint address)
{
    for (size_t i = 0; i < w->client_count; i++) {
        sb_endpoint own = w->clients[i].address;
        bool        same_port = !w->one_address || own.port == address.port;
        if (own.address == address.address && same_port) return &w->clients[i];
    }
    return NULL;
}

static void handle_host_event(interop *w, const sb_transport_event *e)
{
    interop_client *c = client_at(w, e->address);
    if (!c) return;
    if (e->type == SB_EVENT_JOINED) {
        c->id = e->peer_id;
        count_join(w, &c->at_host);
    } else if (e->type == SB_EVENT_NAMED) {
        store_name(&c->at_host, e->bytes);
    } else if (e->type == SB_EVENT_LEFT) {
        count_leave(w, &c->at_host, e->reason, e->reason == SB_LEFT_BOOTED, e->boot_reason);
    } else {
        interop_count_message(w, &c->up, interop_index(w, c), true, e->delivery == SB_RELIABLE,
                              e->bytes);
        EQUALS(w, e->peer_id, c->id);
    }
}

static void drain_host_events(interop *w)
{
    sb_transport_event event;
    while (sb_transport_host_next_event(w->our_host, w->now, &event)) handle_host_event(w, &event);
}

void interop_add_our_host(interop *w, const sb_transport_host_config *config)
{
    sb_transport_host_config defaults;
    sb_transport_host_defaults(&defaults);
    if (!config) config = &defaults;
    size_t size = sb_transport_host_bytes(config);
    CHECK(size > 0);
    w->host_memory = allocate(size);
    w->our_host = sb_transport_host_init(w->host_memory, config, w->now);
}

/* ---- Our client --------------------------------------------------------------------------- */

static void handle_client_event(interop *w, interop_client *c, const sb_transport_event *e)
{
    if (e->type == SB_EVENT_JOINED) {
        c->id = e->peer_id;
        count_join(w, &c->here);
        return;
    }
    if (e->type == SB_EVENT_MESSAGE) {
        interop_count_message(w, &c->down, interop_index(w, c), false, e->delivery == SB_RELIABLE,
                              e->bytes);
        return;
    }
    interop_news *news = news_of(w, c, e->peer_id);
    if (!news) return;
    if (e->type == SB_EVENT_NAMED) store_name(news, e->bytes);
    else count_leave(w, news, e->reason, e->reason == SB_LEFT_BOOTED, e->boot_reason);
}

static void drain_client_events(interop *w, interop_client *c)
{
    sb_transport_event event;
    while (sb_transport_client_next_event(c->ours, w->now, &event))
        handle_client_event(w, c, &event);
}

interop_client *interop_add_our_client(interop *w, const sb_transport_client_config *config)
{
    static const char          name[] = "K\0i\0r\0k";
    sb_transport_client_config mine;
    interop_client            *c = new_client(w);
    if (config) mine = *config;
    else sb_transport_client_defaults(&mine);
    mine.server = w->host_address;
    if (mine.name.size == 0) mine.name = (sb_span){ (const uint8_t *)name, sizeof name };
    mine.local_address = c->address.address;
    mine.local_port = c->address.port;
    size_t size = sb_transport_client_bytes(&mine);
    CHECK(size > 0);
    c->memory = allocate(size);
    c->ours = sb_transport_client_init(c->memory, &mine, w->now);
    return c;
}

/* ---- The models --------------------------------------------------------------------------- */

static void handle_stock_client_event(void *context, sb_time now, const sim_foreign_event *e)
{
    interop_client *c = context;
    interop        *w = opened;
    (void)now;
    if (e->type == SIM_FOREIGN_JOINED) {
        c->id = e->peer_id;
        count_join(w, &c->here);
        return;
    }
    if (e->type == SIM_FOREIGN_MESSAGE) {
        interop_count_message(w, &c->down, interop_index(w, c), false, e->reliable, e->bytes);
        return;
    }
    interop_news *news = e->type == SIM_FOREIGN_OVER ? &c->here : news_of(w, c, e->peer_id);
    if (!news) return;
    if (e->type == SIM_FOREIGN_NAMED) store_name(news, e->bytes);
    else count_leave(w, news, SB_LEFT_QUIT, e->by_boot, e->boot_reason);
}

interop_client *interop_add_stock_client(interop *w, const sim_stock_client_config *config)
{
    interop_client         *c = new_client(w);
    sim_stock_client_config mine;
    if (config) mine = *config;
    else sim_stock_client_defaults(&mine);
    mine.server = w->host_address;
    mine.hook = (sim_foreign_hook){ handle_stock_client_event, c };
    c->theirs = allocate(sizeof *c->theirs);
    sim_stock_client_init(c->theirs, &mine, w->now);
    return c;
}

static void handle_model_host_event(void *context, sb_time now, const sim_foreign_event *e)
{
    interop        *w = context;
    interop_client *c = client_at(w, e->address);
    (void)now;
    if (!c) return;
    if (e->type == SIM_FOREIGN_JOINED) {
        c->id = e->peer_id;
        count_join(w, &c->at_host);
    } else if (e->type == SIM_FOREIGN_NAMED) store_name(&c->at_host, e->bytes);
    else if (e->type == SIM_FOREIGN_LEFT)
        count_leave(w, &c->at_host, SB_LEFT_QUIT, e->by_boot, e->boot_reason);
    else interop_count_message(w, &c->up, interop_index(w, c), true, e->reliable, e->bytes);
}

void interop_add_stock_host(interop *w, const sim_stock_host_config *config)
{
    sim_stock_host_config mine;
    if (config) mine = *config;
    else sim_stock_host_defaults(&mine);
    mine.hook = (sim_foreign_hook){ handle_model_host_event, w };
    w->stock_host = allocate(sizeof *w->stock_host);
    sim_stock_host_init(w->stock_host, &mine, w->now);
}

void interop_add_openbc_host(interop *w, const sim_openbc_config *config)
{
    sim_openbc_config mine;
    if (config) mine = *config;
    else sim_openbc_defaults(&mine);
    mine.hook = (sim_foreign_hook){ handle_model_host_event, w };
    w->openbc_host = allocate(sizeof *w->openbc_host);
    sim_openbc_init(w->openbc_host, &mine, w->now);
}

/* ---- Steps -------------------------------------------------------------------------------- */

static void put_on_network(interop *w, sb_endpoint from, sb_endpoint to, uint8_t *bytes,
                           size_t size)
{
    HOLDS(w, size <= SB_DATAGRAM_MAX);
    sim_network_send(w->network, w->now, from, to, (sb_span){ bytes, size });
    if (!w->watch) return;
    sb_datagram   datagram;
    interop_sight sight = { w->now, from, to, size, &datagram };
    sb_decrypt_datagram(bytes, size);
    EQUALS(w, sb_decode_datagram((sb_span){ bytes, size }, &datagram, NULL), SB_OK);
    w->watch(w->watch_context, &sight);
}

static void hand_to_host(interop *w, sb_endpoint from, sb_span datagram)
{
    if (w->stock_host) sim_stock_host_receive(w->stock_host, w->now, from, datagram);
    if (w->openbc_host) sim_openbc_receive(w->openbc_host, w->now, from, datagram);
    if (!w->our_host) return;
    (void)!sb_transport_host_receive(w->our_host, w->now, from,
                                     datagram); /* refusals are counted */
    drain_host_events(w);
}

static void hand_to_client(interop *w, interop_client *c, sb_endpoint from, sb_span datagram)
{
    if (c->theirs) sim_stock_client_receive(c->theirs, w->now, from, datagram);
    if (!c->ours) return;
    (void)!sb_transport_client_receive(c->ours, w->now, from, datagram);
    drain_client_events(w, c);
}

static void deliver_arrivals(interop *w)
{
    sb_endpoint from, to;
    sb_span     datagram;
    while (sim_network_receive(w->network, w->now, &from, &to, &datagram)) {
        interop_client *c = client_at(w, to);
        if (to.address == HOST_IP) hand_to_host(w, from, datagram);
        else if (c) hand_to_client(w, c, from, datagram);
    }
}

static void step_host(interop *w)
{
    uint8_t     bytes[SB_DATAGRAM_MAX];
    sb_endpoint to;
    size_t      size;
    if (w->stock_host) {
        sim_stock_host_tick(w->stock_host, w->now);
        while ((size = sim_stock_host_write(w->stock_host, w->now, &to, bytes)) > 0)
            put_on_network(w, w->host_address, to, bytes, size);
    }
    if (w->openbc_host) {
        sim_openbc_tick(w->openbc_host, w->now);
        while ((size = sim_openbc_write(w->openbc_host, w->now, &to, bytes)) > 0)
            put_on_network(w, w->host_address, to, bytes, size);
    }
    if (!w->our_host) return;
    drain_host_events(w);
    while ((size = sb_transport_host_write(w->our_host, w->now, &to, bytes)) > 0)
        put_on_network(w, w->host_address, to, bytes, size);
    sb_transport_host_check(w->our_host);
    HOLDS(w, sb_transport_host_next_deadline(w->our_host) > w->now);
}

static void step_client(interop *w, interop_client *c)
{
    uint8_t bytes[SB_DATAGRAM_MAX];
    size_t  size;
    if (c->theirs) {
        sim_stock_client_tick(c->theirs, w->now);
        size = sim_stock_client_write(c->theirs, w->now, bytes);
        if (size > 0) put_on_network(w, c->address, w->host_address, bytes, size);
    }
    if (!c->ours) return;
    drain_client_events(w, c);
    while ((size = sb_transport_client_write(c->ours, w->now, bytes)) > 0)
        put_on_network(w, c->address, w->host_address, bytes, size);
    sb_transport_client_check(c->ours);
    HOLDS(w, sb_transport_client_next_deadline(c->ours) > w->now);
}

static void step_all(interop *w)
{
    step_host(w);
    for (size_t i = 0; i < w->client_count; i++) step_client(w, &w->clients[i]);
}

static sb_time next_time(const interop *w)
{
    sb_time next = sim_network_next_time(w->network);
    if (w->stock_host) next = sb_time_earlier(next, sim_stock_host_next_deadline(w->stock_host));
    if (w->openbc_host) next = sb_time_earlier(next, sim_openbc_next_deadline(w->openbc_host));
    if (w->our_host) next = sb_time_earlier(next, sb_transport_host_next_deadline(w->our_host));
    for (size_t i = 0; i < w->client_count; i++) {
        const interop_client *c = &w->clients[i];
        if (c->theirs) next = sb_time_earlier(next, sim_stock_client_next_deadline(c->theirs));
        if (c->ours) next = sb_time_earlier(next, sb_transport_client_next_deadline(c->ours));
    }
    return next;
}

void interop_run(interop *w, sb_time duration)
{
    sb_time end = w->now + duration;
    step_all(w); /* send what the scenario queued since the last run */
    for (sb_time next = next_time(w); next <= end; next = next_time(w)) {
        if (next > w->now) w->now = next;
        deliver_arrivals(w);
        step_all(w);
    }
    w->now = end;
}

static bool all_joined(const interop *w)
{
    for (size_t i = 0; i < w->client_count; i++) {
        const interop_client *c = &w->clients[i];
        if (c->here.joined == 0 || c->at_host.joined == 0 || c->here.named == 0) return false;
    }
    return true;
}

void interop_run_until_joined(interop *w, sb_time limit)
{
    sb_time end = w->now + limit;
    while (!all_joined(w) && w->now < end) interop_run(w, SB_SECOND / 10);
    HOLDS(w, all_joined(w));
}
