/* tests/run/query_limits_test.c -- one budget of query answers for all rooms of a process, spec 05
 * §8. */
#include "run/query_limits.h"

#include "test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ROOMS = 1024, THREADS = 4 };
#define START (1000 * SB_SECOND)

static const sb_endpoint victim = { 0xCB007105, 40000 }; /* 203.0.113.5 */
static const sb_endpoint master = { 0x51CD5D5E, SB_MASTER_PORT };

/* The responders of many rooms that share their budgets. */
typedef struct process {
    sb_responder_config config;
    sb_query_limits    *limits;
    sb_responder       *rooms[ROOMS];
    size_t              room_count;
    sb_server_status    status;
    sb_time             now;
} process;

static void open_process(process *p, size_t rooms)
{
    *p = (process){ .room_count = rooms, .now = START, .status = { .player_limit = 8 } };
    sb_responder_defaults(&p->config);
    p->config.seed = 7;
    p->limits = sb_query_limits_create(&p->config, rooms, p->now);
    CHECK(p->limits);
    sb_query_limits_share(p->limits, &p->config);
    for (size_t i = 0; i < rooms; i++) {
        void *memory = malloc(sb_responder_bytes(&p->config));
        CHECK(memory);
        p->rooms[i] = sb_responder_init(memory, &p->config, p->now);
    }
}

static void close_process(process *p)
{
    for (size_t i = 0; i < p->room_count; i++) free(p->rooms[i]);
    sb_query_limits_destroy(p->limits);
}

static unsigned drain(process *p, size_t room)
{
    uint8_t     packet[SB_ANSWER_MAX];
    sb_endpoint to;
    unsigned    count = 0;
    while (sb_responder_write(p->rooms[room], p->now, &p->status, &to, packet) > 0) count++;
    return count;
}

/* Sends one query to every room and returns the packets of all answers. */
static unsigned ask_all(process *p, sb_endpoint from)
{
    static const char query[] = "\\status\\";
    const sb_span     bytes = { (const uint8_t *)query, sizeof query - 1 };
    unsigned          packets = 0;
    for (size_t i = 0; i < p->room_count; i++) {
        (void)!sb_responder_receive(p->rooms[i], p->now, from, bytes);
        packets += drain(p, i);
    }
    return packets;
}

TEST(a_thousand_rooms_send_one_address_what_one_room_would)
{
    process p;
    open_process(&p, ROOMS);
    for (int i = 0; i < 3; i++) CHECK_EQ(ask_all(&p, victim), i == 0 ? 15 : 0);
    for (int second = 0; second < 10; second++) {
        p.now += SB_SECOND;
        CHECK_EQ(ask_all(&p, victim), 5);
    }
    close_process(&p);
}

TEST(rooms_share_the_budgets_of_a_network_and_of_all)
{
    process  p;
    unsigned packets = 0;
    open_process(&p, 8);
    for (uint32_t i = 0; i < 100; i++)
        packets += ask_all(&p, (sb_endpoint){ 0x08080800 + i, 4000 });
    CHECK_EQ(packets, 60);
    for (uint32_t i = 0; i < 1000; i++)
        packets += ask_all(&p, (sb_endpoint){ 0x10000000 + i * 0x10001, 4000 });
    CHECK_EQ(packets, 200);
    close_process(&p);
}

static uint64_t count_all(const process *p, sb_responder_counter counter)
{
    uint64_t count = 0;
    for (size_t i = 0; i < p->room_count; i++)
        count += sb_responder_counter_value(p->rooms[i], counter);
    return count;
}

TEST(each_room_counts_what_the_shared_budgets_refuse)
{
    process p;
    open_process(&p, 20);
    CHECK_EQ(ask_all(&p, victim), 15);
    CHECK_EQ(count_all(&p, SB_QUERY_OVER_SOURCE), 5);
    close_process(&p);
}

TEST(packets_that_a_room_owes_are_charged_for_all)
{
    process p;
    uint8_t letters[300];
    open_process(&p, 20);
    memset(letters, 'x', sizeof letters);
    p.status.name_count = SB_STATUS_PLAYERS_MAX;
    for (size_t i = 0; i < SB_STATUS_PLAYERS_MAX; i++)
        p.status.names[i] = (sb_span){ letters, sizeof letters };
    unsigned packets = ask_all(&p, victim);
    CHECK(packets >= 15);
    CHECK(packets < 15 + SB_STATUS_PLAYERS_MAX); /* the last answer may overdraw, once */
    p.now += SB_SECOND / 5;
    CHECK_EQ(ask_all(&p, victim), 0); /* until the debt is paid */
    close_process(&p);
}

static void set_master(process *p)
{
    for (size_t i = 0; i < p->room_count; i++) {
        sb_responder_set_master(p->rooms[i], 0, master, p->now);
        CHECK_EQ(drain(p, i), 1); /* its heartbeat */
    }
}

/* After the first heartbeats a master may ask every room eight times; later it has its rate. */
TEST(a_master_can_ask_every_room_and_has_one_rate_in_all)
{
    process p;
    open_process(&p, 100);
    set_master(&p);
    for (int i = 0; i < 8; i++) CHECK_EQ(ask_all(&p, master), 100);
    CHECK_EQ(ask_all(&p, master), 50);
    CHECK_EQ(ask_all(&p, victim), 15); /* not affected */
    p.now += SB_SECOND;
    CHECK_EQ(ask_all(&p, master), 50);
    close_process(&p);
}

TEST(a_flood_on_all_rooms_does_not_refuse_a_master)
{
    process p;
    open_process(&p, 8);
    set_master(&p);
    for (uint32_t i = 0; i < 5000; i++)
        (void)ask_all(&p, (sb_endpoint){ 0x10000000 + i * 0x10001, 4000 });
    CHECK_EQ(ask_all(&p, victim), 0);
    CHECK_EQ(ask_all(&p, master), 8);
    close_process(&p);
}

TEST(new_rates_hold_at_once_in_all_rooms)
{
    process p;
    open_process(&p, 40);
    sb_responder_config rates = p.config;
    rates.source_burst = 30;
    rates.source_per_s = 2;
    sb_query_limits_set_rates(p.limits, &rates);
    CHECK_EQ(ask_all(&p, victim), 30);
    p.now += SB_SECOND;
    CHECK_EQ(ask_all(&p, victim), 2);
    rates.master_per_s = 10;
    sb_query_limits_set_rates(p.limits, &rates);
    set_master(&p);
    for (int i = 0; i < 8; i++) CHECK_EQ(ask_all(&p, master), 40);
    CHECK_EQ(ask_all(&p, master), 10);
    close_process(&p);
}

TEST(a_room_without_budgets_of_its_own_needs_less_memory)
{
    sb_responder_config own, shared;
    sb_query_limits    *limits = NULL;
    sb_responder_defaults(&own);
    shared = own;
    sb_query_limits_share(limits, &shared);
    CHECK(sb_responder_bytes(&own) > sb_responder_bytes(&shared) + 48 * 1024);
}

typedef struct asking_thread {
    sb_responder_config config;
    unsigned            granted;
} asking_thread;

static void *charge_often(void *context)
{
    asking_thread *t = context;
    for (int i = 0; i < 1000; i++) {
        sb_query_charge c = { .now = START, .address = victim.address, .packets = 1 };
        t->granted += t->config.charge(t->config.charge_context, &c) == SB_BUDGET_GRANTED;
    }
    return NULL;
}

/* With ThreadSanitizer also: no data race. */
TEST(threads_that_ask_at_once_get_one_budget)
{
    process       p;
    pthread_t     threads[THREADS];
    asking_thread asking[THREADS];
    unsigned      granted = 0;
    open_process(&p, 1);
    for (size_t i = 0; i < THREADS; i++) {
        asking[i] = (asking_thread){ .config = p.config };
        CHECK_EQ(pthread_create(&threads[i], NULL, charge_often, &asking[i]), 0);
    }
    for (int i = 0; i < 100; i++) sb_query_limits_set_rates(p.limits, &p.config);
    for (size_t i = 0; i < THREADS; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
        granted += asking[i].granted;
    }
    CHECK_EQ(granted, 15);
    close_process(&p);
}
