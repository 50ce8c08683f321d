/* sim/relay.c -- a UDP relay that impairs the datagrams it forwards.
 *
 * For:      sim/relay.h.
 *
 * One socket receives from all clients. Each client has a socket of its own, connected to the
 * target. Delayed copies wait in a heap ordered by time. Nothing is allocated after
 * sim_relay_create.
 */
#include "sim/relay.h"

#include "base/packet.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    SOCKET_BUFFER_BYTES = 4 << 20, /* large, so that the system itself does not drop a burst */
    READS_PER_TURN = 64,           /* of one socket, so that no socket delays the others */
};

typedef struct relay_client {
    bool           used;
    int            socket; /* towards the target */
    uint32_t       generation;
    sb_endpoint    source;
    sb_time        heard_at;
    sim_impairment to_target, to_client;
} relay_client;

/* One copy in transit. */
typedef struct relay_copy {
    uint32_t client, generation; /* generation: detects that the slot has a new client */
    bool     to_target;
    size_t   size;
    uint8_t  bytes[SIM_RELAY_DATAGRAM_MAX];
} relay_copy;

/* Entry of the heap. `order` keeps copies that are due at the same time in order of arrival. */
typedef struct relay_due {
    sb_time  at;
    uint64_t order;
    uint32_t copy;
} relay_due;

struct sim_relay {
    sim_relay_config config;
    int              socket;
    uint16_t         port;
    uint64_t         next_order;
    sim_relay_totals totals;
    size_t           pending; /* entries of `due`; the rest of `copies` is listed in `spare` */
    relay_due       *due;
    uint32_t        *spare;
    relay_copy      *copies;
    relay_client     clients[SIM_RELAY_CLIENTS_LIMIT];
};

sb_time sim_relay_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (sb_time)now.tv_sec * SB_SECOND + now.tv_nsec / 1000;
}

/* ---- Sockets ------------------------------------------------------------------------------ */

static struct sockaddr_in to_sockaddr(sb_endpoint e)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(e.port) };
    a.sin_addr.s_addr = htonl(e.address);
    return a;
}

static sb_endpoint from_sockaddr(const struct sockaddr_in *a)
{
    return (sb_endpoint){ ntohl(a->sin_addr.s_addr), ntohs(a->sin_port) };
}

static int open_socket(void)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int bytes = SOCKET_BUFFER_BYTES;
    if (fd < 0) return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    return fd;
}

static int close_failed(int fd)
{
    int why = errno;
    (void)close(fd);
    errno = why;
    return -1;
}

static int open_listening(uint16_t *port)
{
    struct sockaddr_in a = to_sockaddr((sb_endpoint){ INADDR_LOOPBACK, *port });
    socklen_t          size = sizeof a;
    int                fd = open_socket();
    if (fd < 0) return -1;
    if (bind(fd, (struct sockaddr *)&a, sizeof a) != 0) return close_failed(fd);
    if (getsockname(fd, (struct sockaddr *)&a, &size) != 0) return close_failed(fd);
    *port = ntohs(a.sin_port);
    return fd;
}

/* Connected, so that the system drops datagrams from other sources than the target. */
static int open_upstream(sb_endpoint target)
{
    struct sockaddr_in a = to_sockaddr(target);
    int                fd = open_socket();
    if (fd < 0) return -1;
    if (connect(fd, (struct sockaddr *)&a, sizeof a) != 0) return close_failed(fd);
    return fd;
}

/* ---- The heap of copies in transit -------------------------------------------------------- */

static bool is_before(const relay_due *a, const relay_due *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void push_due(sim_relay *r, relay_due entry)
{
    size_t i = r->pending++;
    while (i > 0 && is_before(&entry, &r->due[(i - 1) / 2])) {
        r->due[i] = r->due[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    r->due[i] = entry;
}

static relay_due pop_due(sim_relay *r)
{
    relay_due first = r->due[0], last = r->due[--r->pending];
    size_t    i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= r->pending) break;
        if (child + 1 < r->pending && is_before(&r->due[child + 1], &r->due[child])) child++;
        if (!is_before(&r->due[child], &last)) break;
        r->due[i] = r->due[child];
        i = child;
    }
    r->due[i] = last;
    return first;
}

/* ---- Clients ------------------------------------------------------------------------------ */

static uint64_t seed_of(uint64_t seed, uint64_t client, uint64_t direction)
{
    sb_random random;
    sb_random_init(&random, seed);
    uint64_t whole = sb_random_next(&random);
    sb_random_init(&random, whole ^ (2 * client + direction));
    return sb_random_next(&random);
}

static bool open_client(sim_relay *r, relay_client *c, sb_endpoint source)
{
    int fd = open_upstream(r->config.target);
    if (fd < 0) return false;
    if (c->used) (void)close(c->socket);
    uint64_t number = r->totals.clients++;
    *c = (relay_client){
        .used = true, .socket = fd, .generation = c->generation + 1, .source = source
    };
    sim_impairment_init(&c->to_target, seed_of(r->config.seed, number, 0));
    sim_impairment_init(&c->to_client, seed_of(r->config.seed, number, 1));
    return true;
}

/* The client with this source address, added if there is none; in a full table it replaces the
 * client that was idle for longest. NULL: no client is idle, or no socket can be opened. */
static relay_client *find_or_add_client(sim_relay *r, sb_endpoint source, sb_time now)
{
    relay_client *place = &r->clients[0];
    for (size_t i = 0; i < r->config.max_clients; i++) {
        relay_client *c = &r->clients[i];
        if (c->used && sb_endpoints_equal(c->source, source)) return c;
        if (place->used && (!c->used || c->heard_at < place->heard_at)) place = c;
    }
    if (place->used && now - place->heard_at < r->config.idle_us) return NULL;
    return open_client(r, place, source) ? place : NULL;
}

/* ---- Datagrams ---------------------------------------------------------------------------- */

static sim_relay_counts *counts_of(sim_relay *r, bool to_target)
{
    return to_target ? &r->totals.to_target : &r->totals.to_client;
}

static void queue_copy(sim_relay *r, const relay_client *c, bool to_target, sb_time now,
                       const sim_copy *impaired, const uint8_t *bytes)
{
    if (r->pending == r->config.capacity) {
        counts_of(r, to_target)->dropped++;
        return;
    }
    uint32_t    index = r->spare[r->pending];
    relay_copy *copy = &r->copies[index];
    copy->client = (uint32_t)(c - r->clients);
    copy->generation = c->generation;
    copy->to_target = to_target;
    copy->size = impaired->size;
    memcpy(copy->bytes, bytes, impaired->size);
    sim_damage(impaired, copy->bytes);
    push_due(r, (relay_due){ now + impaired->delay_us, r->next_order++, index });
}

static void impair(sim_relay *r, relay_client *c, bool to_target, sb_time now, const uint8_t *bytes,
                   size_t size)
{
    sim_relay_counts     *counts = counts_of(r, to_target);
    const sim_conditions *conditions = to_target ? &r->config.to_target : &r->config.to_client;
    sim_copy              copies[SIM_COPIES_MAX];
    int count = sim_impair(to_target ? &c->to_target : &c->to_client, conditions, size, copies);
    counts->received++;
    counts->bytes += size;
    if (count == 0) counts->lost++;
    for (int i = 0; i < count; i++) {
        if (i > 0) counts->duplicated++;
        if (copies[i].flip_count > 0 || copies[i].size < size) counts->damaged++;
        queue_copy(r, c, to_target, now, &copies[i], bytes);
    }
}

/* Reads one datagram; false: none is there. `source` may be NULL. */
static bool read_datagram(sim_relay *r, int fd, uint8_t *bytes, size_t *size, sb_endpoint *source)
{
    struct sockaddr_in a = { 0 };
    socklen_t          a_size = sizeof a;
    for (int tries = 0; tries < READS_PER_TURN; tries++) {
        ssize_t got =
            recvfrom(fd, bytes, SIM_RELAY_DATAGRAM_MAX, MSG_TRUNC, (struct sockaddr *)&a, &a_size);
        /* The system reports ICMP errors of earlier sends here; they are ignored. */
        if (got < 0 && (errno == ECONNREFUSED || errno == EINTR)) continue;
        if (got < 0) return false;
        if (got > SIM_RELAY_DATAGRAM_MAX) {
            r->totals.too_long++;
            continue;
        }
        *size = (size_t)got;
        if (source) *source = from_sockaddr(&a);
        return true;
    }
    return false;
}

static void read_clients(sim_relay *r)
{
    uint8_t     bytes[SIM_RELAY_DATAGRAM_MAX];
    size_t      size;
    sb_endpoint source;
    sb_time     now = sim_relay_now();
    for (int i = 0; i < READS_PER_TURN && read_datagram(r, r->socket, bytes, &size, &source); i++) {
        relay_client *c = find_or_add_client(r, source, now);
        if (!c) {
            r->totals.refused++;
            continue;
        }
        c->heard_at = now;
        impair(r, c, true, now, bytes, size);
    }
}

static void read_target(sim_relay *r, relay_client *c)
{
    uint8_t bytes[SIM_RELAY_DATAGRAM_MAX];
    size_t  size;
    sb_time now = sim_relay_now();
    for (int i = 0; i < READS_PER_TURN && read_datagram(r, c->socket, bytes, &size, NULL); i++)
        impair(r, c, false, now, bytes, size);
}

static bool send_copy(const sim_relay *r, const relay_copy *copy)
{
    const relay_client *c = &r->clients[copy->client];
    struct sockaddr_in  a = to_sockaddr(c->source);
    if (c->generation != copy->generation) return false;
    if (copy->to_target) {
        /* A pending ICMP error of an earlier send makes one send fail: try again. */
        ssize_t sent = send(c->socket, copy->bytes, copy->size, 0);
        if (sent < 0 && errno == ECONNREFUSED) sent = send(c->socket, copy->bytes, copy->size, 0);
        return sent >= 0;
    }
    return sendto(r->socket, copy->bytes, copy->size, 0, (struct sockaddr *)&a, sizeof a) >= 0;
}

static void send_due(sim_relay *r)
{
    sb_time now = sim_relay_now();
    while (r->pending > 0 && r->due[0].at <= now) {
        relay_due         due = pop_due(r);
        relay_copy       *copy = &r->copies[due.copy];
        sim_relay_counts *counts = counts_of(r, copy->to_target);
        if (send_copy(r, copy)) counts->sent++;
        else counts->dropped++;
        r->spare[r->pending] = due.copy;
    }
}

/* ---- The main loop ------------------------------------------------------------------------ */

/* Lists the listening socket and the sockets of all clients. `clients` gets the client index of
 * each entry after the first. */
static nfds_t list_sockets(const sim_relay *r, struct pollfd *polls, uint32_t *clients)
{
    nfds_t count = 1;
    polls[0] = (struct pollfd){ .fd = r->socket, .events = POLLIN };
    for (uint32_t i = 0; i < r->config.max_clients; i++) {
        if (!r->clients[i].used) continue;
        clients[count] = i;
        polls[count++] = (struct pollfd){ .fd = r->clients[i].socket, .events = POLLIN };
    }
    return count;
}

static struct timespec time_to_wait(const sim_relay *r, sb_time wait_us)
{
    if (r->pending > 0) {
        sb_time left = r->due[0].at - sim_relay_now();
        if (left < wait_us) wait_us = left;
    }
    if (wait_us < 0) wait_us = 0;
    return (struct timespec){ .tv_sec = (time_t)(wait_us / SB_SECOND),
                              .tv_nsec = (long)(wait_us % SB_SECOND) * 1000 };
}

void sim_relay_step(sim_relay *r, sb_time wait_us)
{
    struct pollfd   polls[SIM_RELAY_CLIENTS_LIMIT + 1];
    uint32_t        clients[SIM_RELAY_CLIENTS_LIMIT + 1];
    nfds_t          count = list_sockets(r, polls, clients);
    struct timespec wait = time_to_wait(r, wait_us);
    if (ppoll(polls, count, &wait, NULL) > 0) {
        /* Reads the target's answers first: reading the clients may give a socket to a new client.
         */
        for (nfds_t i = 1; i < count; i++)
            if (polls[i].revents) read_target(r, &r->clients[clients[i]]);
        if (polls[0].revents) read_clients(r);
    }
    send_due(r);
}

/* ---- Creating and destroying -------------------------------------------------------------- */

void sim_relay_defaults(sim_relay_config *config)
{
    *config = (sim_relay_config){
        .seed = 1,
        .max_clients = SIM_RELAY_CLIENTS_LIMIT,
        .capacity = 4096,
        .idle_us = 60 * SB_SECOND,
    };
}

static bool is_valid_config(const sim_relay_config *config)
{
    return config->target.port != 0 && config->max_clients > 0 &&
           config->max_clients <= SIM_RELAY_CLIENTS_LIMIT && config->capacity > 0 &&
           config->capacity <= SIM_RELAY_CAPACITY_LIMIT;
}

sim_relay *sim_relay_create(const sim_relay_config *config)
{
    if (!is_valid_config(config)) {
        errno = EINVAL;
        return NULL;
    }
    sim_relay *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->config = *config;
    r->port = config->listen_port;
    r->socket = open_listening(&r->port);
    r->due = calloc(config->capacity, sizeof *r->due);
    r->spare = calloc(config->capacity, sizeof *r->spare);
    r->copies = calloc(config->capacity, sizeof *r->copies);
    if (r->socket < 0 || !r->due || !r->spare || !r->copies) {
        int why = errno;
        sim_relay_destroy(r);
        errno = why;
        return NULL;
    }
    for (uint32_t i = 0; i < config->capacity; i++) r->spare[i] = i;
    return r;
}

void sim_relay_destroy(sim_relay *r)
{
    if (!r) return;
    if (r->socket >= 0) (void)close(r->socket);
    for (size_t i = 0; i < SIM_RELAY_CLIENTS_LIMIT; i++)
        if (r->clients[i].used) (void)close(r->clients[i].socket);
    free(r->due);
    free(r->spare);
    free(r->copies);
    free(r);
}

uint16_t sim_relay_port(const sim_relay *r)
{
    return r->port;
}

size_t sim_relay_pending(const sim_relay *r)
{
    return r->pending;
}

const sim_relay_totals *sim_relay_totals_of(const sim_relay *r)
{
    return &r->totals;
}
