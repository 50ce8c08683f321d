/* bench/delivery.c -- delivery times of reliable messages on a lossy path, in simulated time.
 *
 *     delivery-bench [SEEDS]     (20)
 *
 * A host sends 1,000 reliable messages of 200 bytes to a client. The path takes 40 ms each way and
 * loses 0, 1, 5 and 20 % of all datagrams in both directions. Both modes of retransmission run,
 * stock and measured. The session is established before the loss starts. Two kinds of flow:
 *
 *     burst  all messages are queued as fast as sb_transport_host_free_bytes allows; the result is
 *            the completion, when the last message is delivered
 *     paced  one message every 10 or 50 ms; the result is the delivery time of each message, from
 *            queueing until it is delivered in order
 *
 * For comparison an omniscient sender gives the minimum that any sender needs. It learns of a loss
 * one round trip after the datagram left, when a perfect receiver's answer could arrive, and
 * resends exactly that datagram at that moment. With the same seed, the network loses the same
 * datagrams of the omniscient sender and of the host, by their order of sending. The omniscient
 * sender packs as many messages into a datagram as the host, and has no window. A second omniscient
 * sender has the host's window of sequence numbers (spec 01 §6.2): it sends message n when all
 * messages up to n - window are known to have arrived.
 *
 * Prints Markdown; exits with 1 if a transfer did not complete.
 */
#include <starbase/transport.h>

#include "base/time.h"
#include "sim/network.h"
#include "transport/bounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MESSAGES = 1000,
    MESSAGE_BYTES = 200,
    MESSAGES_PER_DATAGRAM = 2, /* (512 - 2) / (5 + 200) */
    SEEDS = 20,
    SEEDS_MAX = 100,
    SAMPLES_MAX = SEEDS_MAX * MESSAGES,
};

static const sb_time  ONE_WAY_US = 40000, ROUND_TRIP_US = 80000;
static const sb_time  LIMIT_US = 600 * SB_SECOND; /* of one transfer */
static const uint32_t losses[] = { 0, 1, 5, 20 }; /* percent */
enum { LOSSES = sizeof losses / sizeof *losses };

static const sb_endpoint host_at = { 0x0A000001, 22101 }, client_at = { 0x0A000002, 22101 };

/* The result of one transfer. */
typedef struct outcome {
    sb_time  delivery[MESSAGES]; /* of each message, from queueing */
    sb_time  completion;         /* delivery of the last message, from the start */
    uint64_t repeats;            /* retransmitted messages */
} outcome;

static _Noreturn void fail(const char *why)
{
    fprintf(stderr, "delivery-bench: %s\n", why);
    exit(1);
}

static void *must_allocate(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (!memory) fail("no memory");
    return memory;
}

static sim_conditions conditions_of(uint32_t percent)
{
    return (sim_conditions){ .delay_us = ONE_WAY_US, .loss = percent * 10000 };
}

/* A network whose losses depend on the seed alone. */
static sim_network *make_network(uint64_t seed)
{
    sim_network   *network = sim_network_create(seed, 8192);
    sim_conditions clean = conditions_of(0);
    if (!network) fail("no memory");
    sim_network_set_default(network, &clean);
    return network;
}

/* Replaces both links: the random numbers of a new link do not depend on earlier datagrams. */
static void start_loss(sim_network *network, uint32_t percent)
{
    sim_conditions bad = conditions_of(percent);
    sim_network_set_link(network, host_at.address, client_at.address, &bad);
    sim_network_set_link(network, client_at.address, host_at.address, &bad);
}

/* ---- Our host and client ------------------------------------------------------------------ */

typedef struct session {
    sim_network         *network;
    void                *host_memory, *client_memory;
    sb_transport_host   *host;
    sb_transport_client *client;
    sb_time              now, start, interval; /* interval 0: a burst */
    uint8_t              peer_id;              /* SB_PEER_NONE until the host reports JOINED */
    bool                 client_joined;
    unsigned             queued, delivered;
    sb_time              queued_at[MESSAGES];
    outcome             *out;
} session;

static void make_host(session *s, sb_retransmit retransmit)
{
    sb_transport_host_config config;
    sb_transport_host_defaults(&config);
    config.max_peers = 1;
    config.retransmit = retransmit;
    /* Memory for all messages at once, which take two cells each, and for the reserves: a burst
     * waits only for the window. */
    config.shared_cells = 4 * MESSAGES;
    s->host_memory = must_allocate(sb_transport_host_bytes(&config));
    s->host = sb_transport_host_init(s->host_memory, &config, s->now);
}

static void make_client(session *s, sb_retransmit retransmit)
{
    sb_transport_client_config config;
    sb_transport_client_defaults(&config);
    config.server = host_at;
    config.local_address = client_at.address;
    config.local_port = client_at.port;
    config.retransmit = retransmit;
    s->client_memory = must_allocate(sb_transport_client_bytes(&config));
    s->client = sb_transport_client_init(s->client_memory, &config, s->now);
}

static void drain_host_events(session *s)
{
    sb_transport_event event;
    while (sb_transport_host_next_event(s->host, s->now, &event)) {
        if (event.type == SB_EVENT_JOINED) s->peer_id = event.peer_id;
        if (event.type == SB_EVENT_LEFT) fail("the host lost its peer");
    }
}

static void handle_message(session *s, sb_span message)
{
    unsigned number;
    if (message.size != MESSAGE_BYTES) fail("a message of another size arrived");
    memcpy(&number, message.data, sizeof number);
    if (number != s->delivered) fail("a message arrived out of order");
    s->out->delivery[s->delivered++] = s->now - s->queued_at[number];
    s->out->completion = s->now - s->start;
}

static void drain_client_events(session *s)
{
    sb_transport_event event;
    while (sb_transport_client_next_event(s->client, s->now, &event)) {
        if (event.type == SB_EVENT_JOINED) s->client_joined = true;
        if (event.type == SB_EVENT_MESSAGE) handle_message(s, event.bytes);
        if (event.type == SB_EVENT_LEFT && event.peer_id != SB_PEER_HOST)
            fail("the client lost its host");
    }
}

static void deliver_datagrams(session *s)
{
    sb_endpoint from, to;
    sb_span     datagram;
    while (sim_network_receive(s->network, s->now, &from, &to, &datagram)) {
        if (to.address == host_at.address) {
            (void)!sb_transport_host_receive(s->host, s->now, from, datagram);
            drain_host_events(s);
        } else {
            (void)!sb_transport_client_receive(s->client, s->now, from, datagram);
            drain_client_events(s);
        }
    }
    drain_host_events(s);
    drain_client_events(s);
}

static sb_time next_queue_at(const session *s)
{
    if (s->queued == MESSAGES || s->start < 0 || s->interval == 0) return SB_TIME_NEVER;
    return s->start + s->interval * s->queued;
}

/* A paced message that does not fit is queued later; its delivery time starts at its due time. */
static void queue_messages(session *s)
{
    uint8_t bytes[MESSAGE_BYTES] = { 0 };
    while (s->start >= 0 && s->queued < MESSAGES &&
           (s->interval == 0 || next_queue_at(s) <= s->now) &&
           sb_transport_host_free_bytes(s->host, s->peer_id) >= MESSAGE_BYTES) {
        s->queued_at[s->queued] = s->start + s->interval * s->queued;
        memcpy(bytes, &s->queued, sizeof s->queued);
        if (sb_transport_host_send(s->host, s->peer_id, SB_RELIABLE,
                                   (sb_span){ bytes, sizeof bytes }) != SB_OK)
            fail("the host refused a message that free_bytes allowed");
        s->queued++;
    }
}

static void write_datagrams(session *s)
{
    uint8_t     bytes[SB_DATAGRAM_MAX];
    sb_endpoint to;
    size_t      size;
    while ((size = sb_transport_host_write(s->host, s->now, &to, bytes)) > 0)
        sim_network_send(s->network, s->now, host_at, to, (sb_span){ bytes, size });
    while ((size = sb_transport_client_write(s->client, s->now, bytes)) > 0)
        sim_network_send(s->network, s->now, client_at, host_at, (sb_span){ bytes, size });
}

/* Runs both endpoints once, then advances the time to the next event. */
static void step(session *s)
{
    deliver_datagrams(s);
    queue_messages(s);
    write_datagrams(s);
    sb_time next = sb_time_earlier(sim_network_next_time(s->network), next_queue_at(s));
    next = sb_time_earlier(next, sb_transport_host_next_deadline(s->host));
    next = sb_time_earlier(next, sb_transport_client_next_deadline(s->client));
    if (next > LIMIT_US) fail("a transfer did not complete");
    if (next > s->now) s->now = next;
}

/* Connects both ends, then waits until no datagram of the handshake is in flight. */
static void establish(session *s)
{
    while (s->peer_id == SB_PEER_NONE || !s->client_joined) step(s);
    for (sb_time quiet = s->now + SB_SECOND; s->now < quiet;) step(s);
}

static void transfer(sb_retransmit retransmit, uint32_t loss, sb_time interval, uint64_t seed,
                     outcome *out)
{
    session s = { .network = make_network(seed), .start = -1, .interval = interval, .out = out };
    s.peer_id = SB_PEER_NONE;
    make_host(&s, retransmit);
    make_client(&s, retransmit);
    establish(&s);
    start_loss(s.network, loss);
    s.start = s.now;
    while (s.delivered < MESSAGES) step(&s);
    out->repeats = sb_transport_host_counter(s.host, SB_TRANSPORT_COUNT_RETRANSMITTED) +
                   sb_transport_host_counter(s.host, SB_TRANSPORT_COUNT_RETRANSMITTED_FAST);
    sim_network_destroy(s.network);
    free(s.host_memory);
    free(s.client_memory);
}

/* ---- The omniscient sender ---------------------------------------------------------------- */

typedef struct omniscient {
    sim_network *network;             /* only decides which datagrams are lost */
    unsigned     count, fresh;        /* datagrams in all; index of the next that was never sent */
    unsigned     window;              /* in datagrams; 0: no window */
    unsigned     known_count;         /* datagrams below this index are known to have arrived */
    sb_time      known_at;            /* when the arrival of all of them was known */
    sb_time      ready[MESSAGES];     /* first possible send of each datagram */
    sb_time      resend_at[MESSAGES]; /* resend of a lost datagram; SB_TIME_NEVER: not lost */
    sb_time      arrived[MESSAGES];   /* SB_TIME_NEVER: not yet */
} omniscient;

/* Sends one datagram; true: the network does not lose it. */
static bool passes(sim_network *network)
{
    static const uint8_t      bytes[MESSAGES_PER_DATAGRAM * (MESSAGE_BYTES + 5) + 2];
    const sim_network_totals *totals = sim_network_totals_of(network);
    uint64_t                  lost = totals->lost;
    sb_endpoint               from, to;
    sb_span                   datagram;
    sim_network_send(network, 0, host_at, client_at, (sb_span){ bytes, sizeof bytes });
    while (sim_network_receive(network, SB_SECOND, &from, &to, &datagram)) continue;
    return totals->lost == lost;
}

/* When the next datagram that was never sent may leave. */
static sb_time fresh_time(omniscient *o)
{
    if (o->fresh == o->count) return SB_TIME_NEVER;
    if (o->window == 0 || o->fresh < o->window) return o->ready[o->fresh];
    for (; o->known_count < o->fresh - o->window + 1; o->known_count++) {
        sb_time arrived = o->arrived[o->known_count];
        if (arrived == SB_TIME_NEVER) return SB_TIME_NEVER;
        if (arrived + ONE_WAY_US > o->known_at) o->known_at = arrived + ONE_WAY_US;
    }
    return o->known_at > o->ready[o->fresh] ? o->known_at : o->ready[o->fresh];
}

static void send_datagram(omniscient *o, unsigned at, sb_time now)
{
    bool arrives = passes(o->network);
    o->arrived[at] = arrives ? now + ONE_WAY_US : SB_TIME_NEVER;
    o->resend_at[at] = arrives ? SB_TIME_NEVER : now + ROUND_TRIP_US;
}

/* Makes the earliest possible send; false: all datagrams have arrived. */
static bool send_next(omniscient *o)
{
    unsigned oldest = 0;
    sb_time  fresh = fresh_time(o);
    for (unsigned i = 1; i < o->fresh; i++)
        if (o->resend_at[i] < o->resend_at[oldest]) oldest = i;
    sb_time resend_at = o->fresh > 0 ? o->resend_at[oldest] : SB_TIME_NEVER;
    if (resend_at == SB_TIME_NEVER && fresh == SB_TIME_NEVER) return false;
    if (resend_at <= fresh) send_datagram(o, oldest, resend_at);
    else send_datagram(o, o->fresh++, fresh);
    return true;
}

/* Like transfer() with the omniscient sender; one message per datagram when paced. `window` is in
 * messages, 0: no window. */
static void transfer_at_best(uint32_t loss, sb_time interval, unsigned window, uint64_t seed,
                             outcome *out)
{
    static omniscient o;
    unsigned          each = interval == 0 ? MESSAGES_PER_DATAGRAM : 1;
    o = (omniscient){ .network = make_network(seed), .count = MESSAGES / each };
    o.window = window / each;
    start_loss(o.network, loss);
    for (unsigned i = 0; i < o.count; i++) o.ready[i] = interval * i;
    while (send_next(&o)) continue;
    sb_time in_order = 0;
    for (unsigned i = 0; i < MESSAGES; i++) {
        if (o.arrived[i / each] > in_order) in_order = o.arrived[i / each];
        out->delivery[i] = in_order - interval * i;
    }
    out->completion = in_order;
    sim_network_destroy(o.network);
}

/* ---- Tables ------------------------------------------------------------------------------- */

typedef struct sender {
    const char   *name;
    bool          ours;
    sb_retransmit retransmit;
    unsigned      window;
} sender;

static const sender senders[] = {
    { "stock timing", true, SB_RETRANSMIT_STOCK, 0 },
    { "measured", true, SB_RETRANSMIT_MEASURED, 0 },
    { "minimum, our window", false, SB_RETRANSMIT_STOCK, SB_MEASURED_NUMBERS },
    { "minimum, no window", false, SB_RETRANSMIT_STOCK, 0 },
};
enum { SENDERS = sizeof senders / sizeof *senders };

static sb_time samples[SAMPLES_MAX];

static int compare_times(const void *a, const void *b)
{
    sb_time x = *(const sb_time *)a, y = *(const sb_time *)b;
    return (x > y) - (x < y);
}

/* The value that `percent` of the sorted samples do not exceed. */
static double percentile_ms(size_t count, size_t percent)
{
    size_t rank = (count * percent + 99) / 100;
    return (double)samples[rank > 0 ? rank - 1 : 0] / 1000;
}

static void run(const sender *s, uint32_t loss, sb_time interval, uint64_t seed, outcome *out)
{
    out->repeats = 0;
    if (s->ours) transfer(s->retransmit, loss, interval, seed, out);
    else transfer_at_best(loss, interval, s->window, seed, out);
}

static void print_burst_row(uint32_t loss, unsigned seeds)
{
    static outcome out;
    double         repeats = 0;
    printf("| %u %% |", (unsigned)loss);
    for (unsigned i = 0; i < SENDERS; i++) {
        for (unsigned seed = 0; seed < seeds; seed++) {
            run(&senders[i], loss, 0, seed + 1, &out);
            samples[seed] = out.completion;
            if (senders[i].ours && senders[i].retransmit == SB_RETRANSMIT_MEASURED)
                repeats += (double)out.repeats / seeds;
        }
        qsort(samples, seeds, sizeof *samples, compare_times);
        printf(" %.0f (%.0f) |", percentile_ms(seeds, 50), percentile_ms(seeds, 100));
    }
    printf(" %.0f |\n", repeats);
}

static void print_bursts(unsigned seeds)
{
    printf("Burst: completion in ms, median (maximum) of %u seeds; our window is %d messages\n\n"
           "| loss each way |",
           seeds, (int)SB_MEASURED_NUMBERS);
    for (unsigned i = 0; i < SENDERS; i++) printf(" %s |", senders[i].name);
    printf(" measured: messages sent again |\n| ---: |");
    for (unsigned i = 0; i < SENDERS; i++) printf(" ---: |");
    printf(" ---: |\n");
    for (unsigned i = 0; i < LOSSES; i++) print_burst_row(losses[i], seeds);
    printf("\n");
}

/* Returns the p99 in round trips. */
static double print_paced_row(const sender *s, uint32_t loss, sb_time interval, unsigned seeds)
{
    static outcome out;
    size_t         count = 0;
    for (unsigned seed = 0; seed < seeds; seed++) {
        run(s, loss, interval, seed + 1, &out);
        memcpy(&samples[count], out.delivery, sizeof out.delivery);
        count += MESSAGES;
    }
    qsort(samples, count, sizeof *samples, compare_times);
    double p99 = percentile_ms(count, 99), round_trip = (double)ROUND_TRIP_US / 1000;
    printf("| %u %% | %s | %.0f | %.0f | %.0f | %.2f | %.2f |\n", (unsigned)loss, s->name,
           percentile_ms(count, 50), p99, percentile_ms(count, 100), p99 / round_trip,
           percentile_ms(count, 100) / round_trip);
    return p99 / round_trip;
}

/* Only the omniscient sender without a window runs: a paced flow never fills the window.
 * Returns the p99 in round trips at 5 % in the measured mode. */
static double print_paced(sb_time interval, unsigned seeds)
{
    double wanted = 0;
    printf("Paced: a message every %.0f ms; delivery time in ms, all messages of %u seeds\n\n",
           (double)interval / 1000, seeds);
    printf("| loss each way | sender | p50 | p99 | maximum | p99, round trips | maximum, "
           "round trips |\n| ---: | --- | ---: | ---: | ---: | ---: | ---: |\n");
    for (unsigned i = 0; i < LOSSES; i++) {
        for (unsigned k = 0; k < SENDERS; k++) {
            if (senders[k].window > 0) continue;
            double p99 = print_paced_row(&senders[k], losses[i], interval, seeds);
            if (losses[i] == 5 && senders[k].ours &&
                senders[k].retransmit == SB_RETRANSMIT_MEASURED)
                wanted = p99;
        }
    }
    printf("\n");
    return wanted;
}

int main(int argc, char **argv)
{
    unsigned seeds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : SEEDS;
    if (seeds == 0 || seeds > SEEDS_MAX || argc > 2) {
        fprintf(stderr, "usage: delivery-bench [SEEDS]   (1 to %d)\n", SEEDS_MAX);
        return 2;
    }
    print_bursts(seeds);
    double often = print_paced(10000, seeds), seldom = print_paced(50000, seeds);
    printf("p99 at 5 %% loss in the measured mode, in round trips (wanted: under 4): %.2f every "
           "10 ms, %.2f every 50 ms.\n",
           often, seldom);
    return 0;
}
