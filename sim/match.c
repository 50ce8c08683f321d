/* sim/match.c -- a server and its players, stepped together over a simulated network.
 *
 * For:      sim/match.h.
 */
#include "sim/match.h"

#include "base/time.h"
#include "client/testing.h"
#include "replica/sender_clock.h"
#include "server/testing.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct player {
    void      *memory;
    sb_client *client; /* NULL: vanished */
    sb_pilot   pilot;
    bool       has_pilot;
    sb_random  random;        /* for clock and hiccups */
    sb_time    joined_at;     /* its clock is right at this moment ... */
    int32_t    clock_ppm;     /* ... and too fast by this from then on */
    sb_time    stalled_until; /* its machine does nothing before */
    sb_time    lags_until;    /* its link is slow until then; SB_TIME_NEVER: it is not */
    sb_time    next_hiccup;
} player;

struct sim_match {
    sim_match_config config;
    sim_network     *network;
    sb_time          now;
    void            *server_memory;
    sb_server       *server;
    player           players[SIM_MATCH_PLAYERS];
    unsigned         player_count;
    uint64_t         log_hash;
    uint64_t         event_counts[SB_SERVER_EVENT_TYPES];
    uint32_t         longest_queue;
};

/* ---- configuration ---- */

void sim_match_defaults(sim_match_config *config, uint64_t seed)
{
    *config = (sim_match_config){ .seed = seed };
    sb_server_defaults(&config->server);
}

void sim_match_bad_link(sim_conditions *link)
{
    *link = (sim_conditions){ .delay_us = 40000,
                              .jitter_us = 80000,
                              .loss = 50000,
                              .duplicate = 10000,
                              .reorder = 20000,
                              .reorder_us = 60000 };
}

void sim_match_at_home(sim_match_config *config)
{
    sim_match_bad_link(&config->link);
    config->clock_ppm = 300;
    config->hiccups = true;
}

sb_endpoint sim_match_address(void)
{
    return (sb_endpoint){ 0x0A000001, 22101 };
}

sb_endpoint sim_match_client_address(unsigned number)
{
    return (sb_endpoint){ 0x0A000102 + number, (uint16_t)(30000 + number) };
}

/* ---- hash of the server's events ---- */

static void mix(uint64_t *hash, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++) *hash = (*hash ^ at[i]) * 0x100000001B3u;
}

static void mix_number(uint64_t *hash, uint64_t number)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(number >> 8 * i);
    mix(hash, bytes, sizeof bytes);
}

void sim_match_mix_event(uint64_t *hash, const sb_server_event *event)
{
    mix_number(hash, event->type);
    mix_number(hash, (uint64_t)event->now);
    mix_number(hash, event->peer_id | (uint64_t)event->other << 8 | (uint64_t)event->cause << 16 |
                         (uint64_t)event->object_id << 32);
    mix_number(hash, (uint64_t)event->value);
    mix(hash, event->name.data, event->name.size);
    mix(hash, event->text.data, event->text.size);
    mix(hash, event->bytes.data, event->bytes.size);
}

static void record_event(void *context, const sb_server_event *event)
{
    sim_match *m = context;
    assert(event->type < SB_SERVER_EVENT_TYPES);
    m->event_counts[event->type]++;
    sim_match_mix_event(&m->log_hash, event);
    if (m->config.on_event) m->config.on_event(m->config.event_context, event);
}

/* ---- creating and joining ---- */

sim_match *sim_match_create(const sim_match_config *config)
{
    sim_match *m = calloc(1, sizeof *m);
    assert(m);
    m->config = *config;
    m->now = SB_SECOND;
    m->log_hash = SIM_LOG_START;
    m->network = sim_network_create(config->seed, 8192);
    sim_network_set_default(m->network, &config->link);
    sb_server_config server = config->server;
    server.seed = config->seed;
    server.on_event = record_event;
    server.event_context = m;
    size_t bytes = sb_server_bytes(&server);
    assert(bytes);
    if (!config->server_memory) m->server_memory = malloc(bytes);
    assert(config->server_memory || m->server_memory);
    m->server = sb_server_init(config->server_memory ? config->server_memory : m->server_memory,
                               &server, m->now);
    return m;
}

void sim_match_destroy(sim_match *m)
{
    for (unsigned i = 0; i < m->player_count; i++) free(m->players[i].memory);
    free(m->server_memory);
    sim_network_destroy(m->network);
    free(m);
}

/* ---- players' clocks and hiccups ---- */

static sb_time own_time(const player *p, sb_time time)
{
    return time + (time - p->joined_at) * p->clock_ppm / 1000000;
}

/* The first moment at which the player's clock shows at least `own`. */
static sb_time shared_time(const player *p, sb_time own)
{
    if (own == SB_TIME_NEVER) return own;
    sb_time time = own - (own - p->joined_at) * p->clock_ppm / (1000000 + p->clock_ppm) - 2;
    while (own_time(p, time) < own) time++;
    return time;
}

static sb_time draw_between(player *p, sb_time min, sb_time max)
{
    return min + (sb_time)(sb_random_next(&p->random) % (uint64_t)(max - min + 1));
}

static void init_disturbances(sim_match *m, player *p, unsigned number)
{
    sb_random_init(&p->random, m->config.seed * 4099 + number);
    (void)sb_random_next(&p->random);
    sb_time ppm = (sb_time)m->config.clock_ppm;
    p->joined_at = m->now;
    p->clock_ppm = (int32_t)draw_between(p, -ppm, ppm);
    if (m->config.extreme_clocks) p->clock_ppm = (int32_t)(number % 2 ? -ppm : ppm);
    p->lags_until = SB_TIME_NEVER;
    p->next_hiccup =
        m->config.hiccups ? m->now + draw_between(p, 0, 60 * SB_SECOND) : SB_TIME_NEVER;
}

static void set_lag(sim_match *m, unsigned number, sb_time lag)
{
    sim_conditions link = m->config.link;
    uint32_t       here = sim_match_client_address(number).address;
    link.delay_us += lag;
    sim_network_set_link(m->network, here, sim_match_address().address, &link);
    sim_network_set_link(m->network, sim_match_address().address, here, &link);
}

/* A stall of the machine, or a link that lags for some seconds. */
static void start_hiccup(sim_match *m, unsigned number)
{
    player *p = &m->players[number];
    p->next_hiccup = m->now + draw_between(p, 10 * SB_SECOND, 120 * SB_SECOND);
    if (sb_random_below(&p->random, 2) == 0) {
        p->stalled_until = m->now + draw_between(p, SB_SECOND / 20, 5 * SB_SECOND / 2);
        return;
    }
    p->lags_until = m->now + draw_between(p, SB_SECOND, 8 * SB_SECOND);
    set_lag(m, number, draw_between(p, SB_SECOND / 10, 3 * SB_SECOND / 2));
}

static void disturb(sim_match *m, unsigned number)
{
    player *p = &m->players[number];
    if (p->lags_until <= m->now) {
        p->lags_until = SB_TIME_NEVER;
        set_lag(m, number, 0);
    }
    if (p->next_hiccup <= m->now) start_hiccup(m, number);
}

unsigned sim_match_join(sim_match *m, const char *name, const sb_pilot_config *pilot,
                        const sb_client_config *config)
{
    assert(m->player_count < SIM_MATCH_PLAYERS);
    unsigned         number = m->player_count++;
    player          *p = &m->players[number];
    sb_client_config c;
    if (config) c = *config;
    else sb_client_defaults(&c);
    uint8_t utf16[2 * SB_NAME_UNITS] = { 0 };
    size_t  length = strlen(name) < SB_NAME_UNITS ? strlen(name) : SB_NAME_UNITS;
    for (size_t i = 0; i < length; i++) utf16[2 * i] = (uint8_t)name[i];
    c.transport.name = (sb_span){ utf16, 2 * length };
    c.transport.server = sim_match_address();
    c.transport.local_address = sim_match_client_address(number).address;
    c.transport.local_port = sim_match_client_address(number).port;
    init_disturbances(m, p, number);
    p->memory = malloc(sb_client_bytes(&c));
    assert(p->memory);
    p->client = sb_client_init(p->memory, &c, m->now);
    p->has_pilot = pilot != NULL;
    if (pilot) {
        sb_pilot_config with_seed = *pilot;
        with_seed.seed = m->config.seed * 1000 + number;
        sb_pilot_init(&p->pilot, &with_seed, m->now); /* its clock is right now */
    }
    return number;
}

void sim_match_vanish(sim_match *m, unsigned number)
{
    assert(number < m->player_count);
    m->players[number].client = NULL;
}

/* ---- time ---- */

static void record_queue(sim_match *m)
{
    sb_player_view view;
    for (unsigned i = 0; sb_server_player(m->server, i, m->now, &view); i++) {
        uint32_t queue = view.peer.queued + view.peer.unacknowledged;
        if (queue > m->longest_queue) m->longest_queue = queue;
    }
}

static void send(sim_match *m, sb_endpoint from, sb_endpoint to, sb_span datagram)
{
    if (m->config.sent) m->config.sent(m->config.tap_context, m->now, from, to, datagram);
    sim_network_send(m->network, m->now, from, to, datagram);
}

static void step_server(sim_match *m)
{
    uint8_t     out[SB_SERVER_DATAGRAM_MAX];
    sb_endpoint to;
    size_t      size;
    if (m->config.tap)
        m->config.tap(m->config.tap_context, m->now, sim_match_address(), (sb_span){ NULL, 0 });
    sb_server_advance(m->server, m->now);
    record_queue(m);
    while ((size = sb_server_write(m->server, m->now, &to, out)))
        send(m, sim_match_address(), to, (sb_span){ out, size });
    sb_server_check(m->server);
}

static void step_player(sim_match *m, unsigned number)
{
    uint8_t out[SB_DATAGRAM_MAX];
    player *p = &m->players[number];
    size_t  size;
    if (!p->client || p->stalled_until > m->now) return;
    sb_time now = own_time(p, m->now);
    sb_client_advance(p->client, now);
    if (p->has_pilot) sb_pilot_step(&p->pilot, p->client, now);
    while ((size = sb_client_write(p->client, now, out)))
        send(m, sim_match_client_address(number), sim_match_address(), (sb_span){ out, size });
    sb_client_check(p->client);
}

/* Returns the receiver as a bit number: 0 the server, 1 + number a player, SIM_MATCH_PLAYERS + 1
 * for none. */
static unsigned deliver(sim_match *m, sb_endpoint from, sb_endpoint to, sb_span datagram)
{
    if (to.address == sim_match_address().address) {
        if (m->config.tap) m->config.tap(m->config.tap_context, m->now, from, datagram);
        (void)!sb_server_receive(m->server, m->now, from, datagram);
        return 0;
    }
    unsigned number = to.address - sim_match_client_address(0).address;
    if (number >= m->player_count || !m->players[number].client) return SIM_MATCH_PLAYERS + 1;
    player *p = &m->players[number];
    if (p->stalled_until > m->now) { /* waits in the socket */
        sim_network_inject(m->network, p->stalled_until, from, to, datagram);
        return SIM_MATCH_PLAYERS + 1;
    }
    (void)!sb_client_receive(p->client, own_time(p, m->now), from, datagram);
    return 1 + number;
}

static sb_time player_deadline(const player *p)
{
    if (!p->client) return SB_TIME_NEVER;
    sb_time next = sb_client_next_deadline(p->client);
    if (p->has_pilot) next = sb_time_earlier(next, sb_pilot_next_deadline(&p->pilot));
    next = shared_time(p, next);
    return next < p->stalled_until ? p->stalled_until : next;
}

static sb_time next_time(const sim_match *m)
{
    sb_time next =
        sb_time_earlier(sim_network_next_time(m->network), sb_server_next_deadline(m->server));
    for (unsigned i = 0; i < m->player_count; i++) {
        const player *p = &m->players[i];
        next = sb_time_earlier(next, player_deadline(p));
        next = sb_time_earlier(next, sb_time_earlier(p->next_hiccup, p->lags_until));
    }
    return next;
}

static void step(sim_match *m)
{
    sb_endpoint from, to;
    sb_span     datagram;
    uint64_t    woken = 0;
    for (unsigned i = 0; i < m->player_count; i++) disturb(m, i);
    while (sim_network_receive(m->network, m->now, &from, &to, &datagram))
        woken |= (uint64_t)1 << deliver(m, from, to, datagram);
    if (woken & 1 || sb_server_next_deadline(m->server) <= m->now) step_server(m);
    for (unsigned i = 0; i < m->player_count; i++)
        if (woken >> (1 + i) & 1 || player_deadline(&m->players[i]) <= m->now) step_player(m, i);
}

void sim_match_run(sim_match *m, sb_time duration)
{
    sb_time end = m->now + duration;
    step_server(m); /* sends what the test queued between two runs */
    for (unsigned i = 0; i < m->player_count; i++) step_player(m, i);
    for (sb_time next; (next = next_time(m)) <= end;) {
        if (next > m->now) m->now = next;
        step(m);
    }
    m->now = end;
}

/* ---- queries ---- */

sb_time sim_match_now(const sim_match *m)
{
    return m->now;
}

sb_time sim_match_client_now(const sim_match *m, unsigned number)
{
    assert(number < m->player_count);
    return own_time(&m->players[number], m->now);
}

sb_time sim_match_misjudged_clock(const sim_match *m)
{
    sb_time        most = 0;
    sb_player_view view;
    for (unsigned i = 0; sb_server_player(m->server, i, m->now, &view); i++) {
        sb_time  lead = sb_server_lead(m->server, view.peer_id);
        unsigned number = view.address.address - sim_match_client_address(0).address;
        if (lead == SB_LEAD_UNKNOWN || number >= m->player_count) continue;
        sb_time difference = lead - (sim_match_client_now(m, number) - m->now);
        if (difference < 0) difference = -difference;
        if (difference > most) most = difference;
    }
    return most;
}

sim_network *sim_match_network(sim_match *m)
{
    return m->network;
}

sb_server *sim_match_server(sim_match *m)
{
    return m->server;
}

sb_client *sim_match_client(sim_match *m, unsigned number)
{
    return number < m->player_count ? m->players[number].client : NULL;
}

const sb_pilot *sim_match_pilot(const sim_match *m, unsigned number)
{
    assert(number < m->player_count);
    return &m->players[number].pilot;
}

unsigned sim_match_player_count(const sim_match *m)
{
    return m->player_count;
}

uint64_t sim_match_log_hash(const sim_match *m)
{
    return m->log_hash;
}

uint64_t sim_match_told(const sim_match *m, sb_server_event_type type)
{
    assert(type < SB_SERVER_EVENT_TYPES);
    return m->event_counts[type];
}

uint32_t sim_match_longest_queue(const sim_match *m)
{
    return m->longest_queue;
}

static bool has_server_scores(const sim_match *m, const sb_client *client)
{
    const sb_match *match = sb_server_match(m->server);
    for (size_t i = 0; i < SB_MATCH_PLAYERS; i++) {
        const sb_match_row *row = &match->rows[i];
        if (!row->used || !row->present) continue;
        const sb_seen_player *seen = sb_client_find_player(client, row->peer_id);
        if (!seen || seen->kills != row->kills || seen->deaths != row->deaths ||
            seen->score != row->score)
            return false;
    }
    return true;
}

bool sim_match_scores_agree(const sim_match *m)
{
    for (unsigned i = 0; i < m->player_count; i++) {
        const sb_client *client = m->players[i].client;
        if (!client) continue;
        sb_client_phase phase = sb_client_phase_of(client);
        bool            in_game = phase == SB_CLIENT_LOBBY || phase == SB_CLIENT_FLYING;
        if (in_game && !has_server_scores(m, client)) return false;
    }
    return true;
}
