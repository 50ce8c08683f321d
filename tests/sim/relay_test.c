/* tests/sim/relay_test.c -- the impairing relay, over loopback in one process.
 *
 * Nothing here measures time: the relay is turned until all it received was passed on or lost, and
 * the system delivers on the loopback path before a send returns. The number of turns is bounded.
 */
#include "sim/relay.h"

#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DATAGRAMS = 200, TURNS_MAX = 20000, CLIENTS = 2 };

/* One target and two clients, with the relay between them. */
typedef struct world {
    sim_relay *relay;
    int        target, clients[CLIENTS];
} world;

/* Kept outside of the tests, so that one that failed leaves its sockets to the next to close. */
static world w;

static int open_loopback(uint16_t *port)
{
    struct sockaddr_in a = { .sin_family = AF_INET };
    socklen_t          size = sizeof a;
    int                fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(fd >= 0);
    CHECK_EQ(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    CHECK_EQ(getsockname(fd, (struct sockaddr *)&a, &size), 0);
    *port = ntohs(a.sin_port);
    return fd;
}

static void close_world(void)
{
    sim_relay_destroy(w.relay);
    if (w.target > 0) (void)close(w.target);
    for (int i = 0; i < CLIENTS; i++)
        if (w.clients[i] > 0) (void)close(w.clients[i]);
    w = (world){ 0 };
}

static void open_world(sim_relay_config *config)
{
    close_world();
    config->target.address = INADDR_LOOPBACK;
    w.target = open_loopback(&config->target.port);
    w.relay = sim_relay_create(config);
    CHECK(w.relay != NULL);
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(sim_relay_port(w.relay)) };
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < CLIENTS; i++) {
        uint16_t port;
        w.clients[i] = open_loopback(&port);
        CHECK_EQ(connect(w.clients[i], (struct sockaddr *)&a, sizeof a), 0);
    }
}

static const sim_relay_totals *totals(void)
{
    return sim_relay_totals_of(w.relay);
}

/* Until the relay has received so many datagrams in both directions and holds none. */
static void turn_until(uint64_t received)
{
    for (int i = 0; i < TURNS_MAX; i++) {
        if (totals()->to_target.received + totals()->to_client.received == received &&
            sim_relay_pending(w.relay) == 0)
            return;
        sim_relay_step(w.relay, 1000);
    }
    FAIL("after %d turns %zu datagrams are still under way", TURNS_MAX, sim_relay_pending(w.relay));
}

/* Datagram n has n % 500 + 2 bytes: its number, then a pattern of it. */
static size_t make_datagram(unsigned n, uint8_t *bytes)
{
    size_t size = n % 500 + 2;
    for (size_t i = 2; i < size; i++) bytes[i] = (uint8_t)(n * 7 + i);
    bytes[0] = (uint8_t)n;
    bytes[1] = (uint8_t)(n >> 8);
    return size;
}

static void send_numbered(int fd, unsigned n)
{
    uint8_t bytes[512];
    size_t  size = make_datagram(n, bytes);
    CHECK_EQ(send(fd, bytes, size, 0), size);
}

/* Adds to the arrivals per number and checks that each is exactly what was sent. To be called
 * often: what the system holds for a socket is limited. Returns how many there were. */
static unsigned count_arrivals(int fd, uint8_t *arrivals, size_t capacity)
{
    uint8_t  bytes[2048], expected[512];
    unsigned all = 0;
    for (ssize_t got; (got = recv(fd, bytes, sizeof bytes, 0)) >= 0; all++) {
        CHECK(got >= 2);
        unsigned n = bytes[0] | (unsigned)bytes[1] << 8;
        CHECK(n < capacity);
        CHECK_BYTES(bytes, (size_t)got, expected, make_datagram(n, expected));
        arrivals[n]++;
    }
    return all;
}

/* Sends datagrams 0 .. DATAGRAMS-1 from one client. */
static unsigned send_all(uint8_t arrivals[DATAGRAMS])
{
    unsigned all = 0;
    memset(arrivals, 0, DATAGRAMS);
    for (unsigned n = 0; n < DATAGRAMS; n++) {
        send_numbered(w.clients[0], n);
        turn_until(n + 1);
        all += count_arrivals(w.target, arrivals, DATAGRAMS);
    }
    return all;
}

static sim_relay_config with_conditions(sim_conditions conditions, uint64_t seed)
{
    sim_relay_config config;
    sim_relay_defaults(&config);
    config.seed = seed;
    config.to_target = config.to_client = conditions;
    return config;
}

TEST(relay_without_impairment_passes_everything_in_order)
{
    sim_relay_config config = with_conditions((sim_conditions){ 0 }, 1);
    uint8_t          bytes[512], expected[512];
    open_world(&config);
    for (unsigned first = 0; first < DATAGRAMS; first += 10) {
        for (unsigned n = first; n < first + 10; n++) send_numbered(w.clients[0], n);
        turn_until(first + 10);
        for (unsigned n = first; n < first + 10; n++) {
            ssize_t got = recv(w.target, bytes, sizeof bytes, 0);
            CHECK(got >= 0);
            CHECK_BYTES(bytes, (size_t)got, expected, make_datagram(n, expected));
        }
        CHECK(recv(w.target, bytes, sizeof bytes, 0) < 0);
    }
    CHECK_EQ(totals()->to_target.sent, DATAGRAMS);
    CHECK_EQ(totals()->to_target.lost, 0);
    close_world();
}

TEST(relay_passes_an_empty_datagram_and_refuses_an_oversized_one)
{
    sim_relay_config config = with_conditions((sim_conditions){ 0 }, 1);
    static uint8_t   bytes[SIM_RELAY_DATAGRAM_MAX + 1];
    open_world(&config);
    CHECK_EQ(send(w.clients[0], bytes, sizeof bytes, 0), sizeof bytes);
    CHECK_EQ(send(w.clients[0], bytes, 0, 0), 0);
    CHECK_EQ(send(w.clients[0], bytes, SIM_RELAY_DATAGRAM_MAX, 0), SIM_RELAY_DATAGRAM_MAX);
    turn_until(2);
    CHECK_EQ(recv(w.target, bytes, sizeof bytes, 0), 0);
    CHECK_EQ(recv(w.target, bytes, sizeof bytes, 0), SIM_RELAY_DATAGRAM_MAX);
    CHECK(recv(w.target, bytes, sizeof bytes, 0) < 0);
    CHECK_EQ(totals()->too_long, 1);
    close_world();
}

TEST(relay_passes_nothing_when_all_is_lost)
{
    sim_relay_config config = with_conditions((sim_conditions){ .loss = 1000000 }, 1);
    uint8_t          arrivals[DATAGRAMS];
    open_world(&config);
    CHECK_EQ(send_all(arrivals), 0);
    CHECK_EQ(totals()->to_target.received, DATAGRAMS);
    CHECK_EQ(totals()->to_target.lost, DATAGRAMS);
    CHECK_EQ(totals()->to_target.sent, 0);
    close_world();
}

TEST(relay_delivers_every_datagram_twice_when_all_are_duplicated)
{
    sim_relay_config config = with_conditions((sim_conditions){ .duplicate = 1000000 }, 1);
    uint8_t          arrivals[DATAGRAMS];
    open_world(&config);
    CHECK_EQ(send_all(arrivals), 2 * DATAGRAMS);
    for (unsigned n = 0; n < DATAGRAMS; n++) CHECK_EQ(arrivals[n], 2);
    CHECK_EQ(totals()->to_target.duplicated, DATAGRAMS);
    close_world();
}

TEST(relay_holds_delayed_datagrams_and_drops_beyond_its_capacity)
{
    sim_relay_config config = with_conditions((sim_conditions){ .delay_us = 50000 }, 1);
    uint8_t          arrivals[DATAGRAMS] = { 0 };
    config.capacity = 8;
    open_world(&config);
    for (unsigned n = 0; n < 20; n++) send_numbered(w.clients[0], n);
    sim_relay_step(w.relay, 1000);
    size_t held = sim_relay_pending(w.relay);
    turn_until(20);
    CHECK(held <= 8);
    CHECK_EQ(totals()->to_target.dropped + totals()->to_target.sent, 20);
    CHECK(totals()->to_target.sent >= 8);
    CHECK_EQ(count_arrivals(w.target, arrivals, DATAGRAMS), totals()->to_target.sent);
    close_world();
}

TEST(relay_damages_what_it_is_told_to_damage)
{
    sim_relay_config config = with_conditions((sim_conditions){ .corrupt = 1000000 }, 1);
    uint8_t          bytes[512], original[512];
    open_world(&config);
    for (unsigned n = 0; n < 50; n++) {
        send_numbered(w.clients[0], n);
        turn_until(n + 1);
        ssize_t got = recv(w.target, bytes, sizeof bytes, 0);
        CHECK_EQ(got, make_datagram(n, original));
        CHECK(memcmp(bytes, original, (size_t)got) != 0);
    }
    CHECK_EQ(totals()->to_target.damaged, 50);
    close_world();
}

/* Sends one byte from each client and returns the sources that the target sees. */
static void learn_sources(struct sockaddr_in sources[CLIENTS])
{
    for (uint8_t i = 0; i < CLIENTS; i++) {
        uint8_t   byte;
        socklen_t size = sizeof sources[i];
        CHECK_EQ(send(w.clients[i], &i, 1, 0), 1);
        turn_until(i + 1u);
        CHECK_EQ(recvfrom(w.target, &byte, 1, 0, (struct sockaddr *)&sources[i], &size), 1);
        CHECK_EQ(byte, i);
    }
}

TEST(target_sees_two_clients_as_two_sources_and_answers_each)
{
    sim_relay_config   config = with_conditions((sim_conditions){ 0 }, 1);
    struct sockaddr_in sources[CLIENTS];
    uint8_t            byte;
    open_world(&config);
    learn_sources(sources);
    CHECK(sources[0].sin_port != sources[1].sin_port);
    for (uint8_t i = 0; i < CLIENTS; i++) {
        uint8_t answer = (uint8_t)(0x40 + i);
        CHECK_EQ(sendto(w.target, &answer, 1, 0, (struct sockaddr *)&sources[i], sizeof sources[i]),
                 1);
    }
    turn_until(2 * CLIENTS);
    for (uint8_t i = 0; i < CLIENTS; i++) {
        CHECK_EQ(recv(w.clients[i], &byte, 1, 0), 1);
        CHECK_EQ(byte, 0x40 + i);
        CHECK(recv(w.clients[i], &byte, 1, 0) < 0);
    }
    CHECK_EQ(totals()->clients, CLIENTS);
    close_world();
}

TEST(relay_has_conditions_of_its_own_for_each_direction)
{
    sim_relay_config   config = with_conditions((sim_conditions){ 0 }, 1);
    struct sockaddr_in sources[CLIENTS];
    uint8_t            byte = 1;
    config.to_client.loss = 1000000;
    open_world(&config);
    learn_sources(sources);
    CHECK_EQ(sendto(w.target, &byte, 1, 0, (struct sockaddr *)&sources[0], sizeof sources[0]), 1);
    turn_until(CLIENTS + 1);
    CHECK(recv(w.clients[0], &byte, 1, 0) < 0);
    CHECK_EQ(totals()->to_client.lost, 1);
    CHECK_EQ(totals()->to_target.lost, 0);
    close_world();
}

TEST(client_beyond_the_limit_is_refused_until_another_times_out)
{
    sim_relay_config config = with_conditions((sim_conditions){ 0 }, 1);
    uint8_t          byte = 1;
    config.max_clients = 1;
    open_world(&config);
    CHECK_EQ(send(w.clients[0], &byte, 1, 0), 1);
    turn_until(1);
    CHECK_EQ(send(w.clients[1], &byte, 1, 0), 1);
    for (int i = 0; i < TURNS_MAX && totals()->refused == 0; i++) sim_relay_step(w.relay, 1000);
    CHECK_EQ(totals()->refused, 1);
    CHECK_EQ(totals()->clients, 1);

    config.idle_us = 0;
    open_world(&config);
    CHECK_EQ(send(w.clients[0], &byte, 1, 0), 1);
    turn_until(1);
    CHECK_EQ(send(w.clients[1], &byte, 1, 0), 1);
    turn_until(2);
    CHECK_EQ(totals()->refused, 0);
    CHECK_EQ(totals()->clients, 2);
    close_world();
}

static unsigned fates_of_seed(uint64_t seed, uint8_t arrivals[DATAGRAMS])
{
    sim_conditions   bad = { .loss = 300000, .duplicate = 200000 };
    sim_relay_config config = with_conditions(bad, seed);
    open_world(&config);
    unsigned count = send_all(arrivals);
    close_world();
    return count;
}

TEST(the_seed_alone_decides_the_fate_of_every_datagram)
{
    uint8_t first[DATAGRAMS], again[DATAGRAMS], other[DATAGRAMS];
    CHECK_EQ(fates_of_seed(7, first), fates_of_seed(7, again));
    CHECK_BYTES(first, sizeof first, again, sizeof again);
    (void)fates_of_seed(8, other);
    CHECK(memcmp(first, other, sizeof first) != 0);
}

TEST(fates_of_one_client_do_not_depend_on_another_clients_traffic)
{
    uint8_t alone[DATAGRAMS], both[2 * DATAGRAMS] = { 0 };
    (void)fates_of_seed(7, alone);
    sim_conditions   bad = { .loss = 300000, .duplicate = 200000 };
    sim_relay_config config = with_conditions(bad, 7);
    open_world(&config);
    for (unsigned n = 0; n < DATAGRAMS; n++) {
        send_numbered(w.clients[0], n);
        turn_until(2 * n + 1);
        send_numbered(w.clients[1], DATAGRAMS + n);
        turn_until(2 * n + 2);
        (void)count_arrivals(w.target, both, sizeof both);
    }
    CHECK_BYTES(both, DATAGRAMS, alone, DATAGRAMS);
    close_world();
}

TEST(relay_refuses_a_port_in_use_and_an_impossible_configuration)
{
    sim_relay_config config = with_conditions((sim_conditions){ 0 }, 1);
    open_world(&config);
    config.listen_port = sim_relay_port(w.relay);
    errno = 0;
    CHECK(sim_relay_create(&config) == NULL);
    CHECK_EQ(errno, EADDRINUSE);

    config.listen_port = 0;
    config.max_clients = SIM_RELAY_CLIENTS_LIMIT + 1;
    CHECK(sim_relay_create(&config) == NULL);
    CHECK_EQ(errno, EINVAL);
    close_world();
}
