/* tests/transport/interop_delay_test.c -- delays and copies of reliable messages from our host.
 *
 * For:      the default pace of retransmission, timing.c and outbox.c, with a model of a stock
 *           client, which acknowledges by its own timers, and with a client of ours.
 * Spec:     01 §6.5.
 */
#include "transport/interop_rig.h"

#include <starbase/cipher.h>

#include <stdlib.h>

enum { MESSAGES = 1000, SEEDS = 5, MESSAGE_BYTES = 40 };

/* The three ends that a host of ours may talk to. */
typedef enum other_end { STOCK, STOCK_THAT_ACKS_AGAIN, OURS, OTHER_ENDS } other_end;

typedef struct path {
    sb_time  one_way_us, jitter_us;
    uint32_t loss; /* parts per million */
} path;

static void set_path(interop *w, const interop_client *c, path p)
{
    sim_conditions conditions = { .delay_us = p.one_way_us,
                                  .jitter_us = p.jitter_us,
                                  .loss = p.loss };
    interop_set_up_link(w, c, &conditions);
    interop_set_down_link(w, c, &conditions);
}

static interop_client *add_client(interop *w, other_end end)
{
    sim_stock_client_config config = interop_stock_client(true);
    config.stock.duplicate_restarts_ack = end == STOCK_THAT_ACKS_AGAIN;
    if (end == OURS) return interop_add_our_client(w, NULL);
    return interop_add_stock_client(w, &config);
}

/* A host and one client, which has joined over `joining`. */
static interop *open_pair(uint64_t seed, other_end end, const sb_retransmit *retransmit,
                          path joining)
{
    interop                 *w = interop_open(INTEROP_CLEAN, seed);
    sb_transport_host_config config;
    sb_transport_host_defaults(&config);
    config.seed = seed;
    if (retransmit) config.retransmit = *retransmit;
    interop_add_our_host(w, &config);
    set_path(w, add_client(w, end), joining);
    interop_run_until_joined(w, 60 * SB_SECOND);
    return w;
}

/* Sends `count` messages to the client, one per `interval`; `delays`, if any, gets the time of each
 * from queueing to delivery in order. */
static void send_paced(interop *w, uint32_t count, sb_time interval, sb_time *delays)
{
    static sb_time  queued_at[INTEROP_MESSAGES];
    interop_client *c = &w->clients[0];
    uint32_t        first = c->down.sent;
    for (uint32_t i = 0; i < count; i++) {
        queued_at[i] = w->now;
        HOLDS(w, interop_send_down(w, c, true, MESSAGE_BYTES));
        interop_run(w, interval);
    }
    HOLDS(w, interop_run_until_quiet(w, 60 * SB_SECOND));
    interop_check_down(w, c);
    for (uint32_t i = 0; delays && i < count; i++)
        delays[i] = c->down.arrived_at[first + i] - queued_at[i];
}

static int compare_times(const void *a, const void *b)
{
    sb_time x = *(const sb_time *)a, y = *(const sb_time *)b;
    return (x > y) - (x < y);
}

/* The delay that 99 % of the messages of all seeds do not exceed, at 5 % loss each way and a round
 * trip of 50 ms. */
static sb_time p99_with_loss(other_end end, sb_time interval)
{
    static sb_time    delays[SEEDS * MESSAGES];
    static const path clean = { 25000, 0, 0 }, lossy = { 25000, 0, 50000 };
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        interop *w = open_pair(seed + 1, end, NULL, clean);
        set_path(w, &w->clients[0], lossy);
        send_paced(w, MESSAGES, interval, delays + seed * MESSAGES);
    }
    qsort(delays, SEEDS * MESSAGES, sizeof *delays, compare_times);
    return delays[SEEDS * MESSAGES * 99 / 100];
}

TEST(at_5_percent_loss_and_50_ms_the_p99_is_below_300_ms)
{
    static const sb_time intervals[] = { SB_SECOND, SB_SECOND / 3, SB_SECOND / 10, SB_SECOND / 50 };
    for (other_end end = 0; end < OTHER_ENDS; end++)
        for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
            sb_time p99 = p99_with_loss(end, intervals[i]);
            if (p99 >= 300000)
                FAIL("end %d, a message every %lld us: p99 is %lld us", (int)end,
                     (long long)intervals[i], (long long)p99);
        }
}

/* ---- no more datagrams than needed ---- */

typedef struct tally {
    uint32_t host_address, datagrams;
} tally;

static void count_datagrams(void *context, const interop_sight *sight)
{
    tally *t = context;
    t->datagrams += sight->from.address == t->host_address;
}

static uint32_t datagrams_without_loss(sb_retransmit retransmit, other_end end, sb_time interval,
                                       sb_time jitter)
{
    interop *w = open_pair(1, end, &retransmit, (path){ 25000, jitter, 0 });
    tally    t = { w->host_address.address, 0 };
    w->watch = count_datagrams;
    w->watch_context = &t;
    send_paced(w, MESSAGES, interval, NULL);
    return t.datagrams;
}

TEST(without_loss_few_datagrams_more_than_at_the_stock_pace)
{
    static const sb_time intervals[] = { SB_SECOND / 2, SB_SECOND / 10, SB_SECOND / 50 };
    for (other_end end = 0; end < OTHER_ENDS; end++)
        for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++)
            for (sb_time jitter = 0; jitter <= 30000; jitter += 30000) {
                uint32_t stock =
                    datagrams_without_loss(SB_RETRANSMIT_STOCK, end, intervals[i], jitter);
                uint32_t measured =
                    datagrams_without_loss(SB_RETRANSMIT_MEASURED, end, intervals[i], jitter);
                CHECK(5 * measured <= 6 * stock);
            }
}

/* ---- long round trips ---- */

static uint32_t copies_of(const interop *w)
{
    sb_peer_info info;
    HOLDS(w, sb_transport_host_peer(w->our_host, w->clients[0].id, &info));
    return (uint32_t)info.retransmitted;
}

/* Copies beyond the first of `MESSAGES` messages over the path. */
static uint32_t repeats_on(uint64_t seed, other_end end, path joining, path later)
{
    interop *w = open_pair(seed, end, NULL, joining);
    set_path(w, &w->clients[0], later);
    send_paced(w, MESSAGES, SB_SECOND / 10, NULL);
    return copies_of(w);
}

/* The first messages are sent before any round trip is known. In all, a message has at most 1.2
 * copies on a steady path and 1.5 on a path that reorders, instead of two or more if each were
 * retransmitted in vain. */
TEST(a_round_trip_of_2_s_from_the_start_causes_no_storm)
{
    static const path far = { SB_SECOND, 0, 0 }, shaky = { SB_SECOND * 9 / 10, SB_SECOND / 5, 0 };
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (other_end end = 0; end < OTHER_ENDS; end++) {
            CHECK(repeats_on(seed, end, far, far) <= MESSAGES / 5);
            CHECK(repeats_on(seed, end, shaky, shaky) <= MESSAGES / 2);
        }
}

TEST(a_round_trip_that_grows_to_2_s_causes_no_storm)
{
    static const path near = { 25000, 0, 0 }, far = { SB_SECOND, 0, 0 };
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (other_end end = 0; end < OTHER_ENDS; end++)
            CHECK(repeats_on(seed, end, near, far) <= MESSAGES / 5);
}

/* ---- forged Acks ---- */

/* An Ack of the message that the host has just sent, faster than its client can answer. */
static void forge_ack(interop *w, const interop_client *c)
{
    uint16_t seq = (uint16_t)(c->down.sent - 1);
    uint8_t  plain[] = { c->id, 1, SB_TRANSPORT_ACK, (uint8_t)seq, (uint8_t)(seq >> 8), 0 };
    sb_encrypt_datagram(plain, sizeof plain);
    sim_network_inject(w->network, w->now, c->address, w->host_address,
                       (sb_span){ plain, sizeof plain });
}

/* One message in `every` gets a forged Ack after 10 ms: round trips seem short, and earlier
 * messages seem lost. */
static uint32_t repeats_with_forged_acks(uint64_t seed, other_end end, sb_time one_way,
                                         uint32_t every)
{
    interop        *w = open_pair(seed, end, NULL, (path){ one_way, 0, 0 });
    interop_client *c = &w->clients[0];
    for (uint32_t i = 0; i < MESSAGES; i++) {
        HOLDS(w, interop_send_down(w, c, true, MESSAGE_BYTES));
        interop_run(w, SB_SECOND / 100);
        if (i % every == 0) forge_ack(w, c);
        interop_run(w, SB_SECOND * 9 / 100);
    }
    interop_run(w, 5 * SB_SECOND); /* messages on their way */
    uint32_t repeats = copies_of(w);
    HOLDS(w, interop_run_until_quiet(w, 120 * SB_SECOND));
    interop_check_down(w, c);
    return repeats;
}

/* Within 10 ms of a round trip of 50 ms, nothing is repeated in vain. At 2 s, 20 messages are in
 * flight that seem lost: a forger that knows every number causes at most four more copies. */
TEST(forged_acks_cause_no_storm)
{
    static const uint32_t often[] = { 1, 2, 5, 20 };
    for (size_t i = 0; i < sizeof often / sizeof *often; i++)
        for (other_end end = 0; end < OTHER_ENDS; end++) {
            CHECK(repeats_with_forged_acks(1, end, 25000, often[i]) <= MESSAGES / 100);
            CHECK(repeats_with_forged_acks(1, end, SB_SECOND, often[i]) <= 4 * MESSAGES);
        }
}
