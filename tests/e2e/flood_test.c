/* tests/e2e/flood_test.c -- a match goes on while strangers flood the server's port. */
#include "rig.h"

#include "platform/clock.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const sb_time flood_time = 2 * SB_SECOND;

/* ---- who pours ---- */

typedef struct flood {
    const live *l;
    sb_udp      udp;
    unsigned    per_s;
    size_t (*make)(struct flood *f, uint8_t *out);
    uint64_t  random;
    pthread_t thread;
    uint64_t  sent, answers, answer_bytes;
    sb_time   lasted;
} flood;

static uint64_t next_random(flood *f)
{
    f->random ^= f->random << 13;
    f->random ^= f->random >> 7;
    return f->random ^= f->random << 17;
}

/* Random bytes of random length, also 0; half of them start like a valid datagram. */
static size_t make_garbage(flood *f, uint8_t *out)
{
    static const uint8_t firsts[] = { 0xFF, 0x02, 0x03, 0x01, 0x5C, 0x00 };
    size_t               size = next_random(f) % 8 == 0 ? 0 : next_random(f) % 600;
    for (size_t i = 0; i < size; i++) out[i] = (uint8_t)(next_random(f) >> 32);
    if (size > 0 && next_random(f) % 2) out[0] = firsts[next_random(f) % sizeof firsts];
    return size;
}

static size_t make_query(flood *f, uint8_t *out)
{
    (void)f;
    memcpy(out, "\\status\\", 8);
    return 8;
}

static void take_answers(flood *f)
{
    uint8_t bytes[2048];
    for (ssize_t size; (size = recv(f->udp.descriptor, bytes, sizeof bytes, MSG_DONTWAIT)) > 0;) {
        f->answers++;
        f->answer_bytes += (uint64_t)size;
    }
}

/* Sends what is due, then sleeps a millisecond. */
static void *pour(void *context)
{
    flood  *f = context;
    sb_time start = sb_clock_now();
    uint8_t bytes[1500];
    while ((f->lasted = sb_clock_now() - start) < flood_time) {
        uint64_t due = (uint64_t)f->lasted * f->per_s / SB_SECOND;
        for (unsigned n = 0; f->sent < due && n < 256; n++, f->sent++)
            live_send_raw(f->l, &f->udp, bytes, f->make(f, bytes));
        take_answers(f);
        (void)nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    return NULL;
}

static void start_flood(flood *f, const live *l)
{
    f->l = l;
    f->random = 0x9E3779B97F4A7C15u;
    live_open_stranger(&f->udp, 7);
    CHECK_EQ(pthread_create(&f->thread, NULL, pour, f), 0);
}

static void end_flood(flood *f)
{
    struct pollfd ready = { .fd = f->udp.descriptor, .events = POLLIN };
    CHECK_EQ(pthread_join(f->thread, NULL), 0);
    while (poll(&ready, 1, 300) == 1) take_answers(f);
    sb_udp_close(&f->udp);
}

/* ---- the match meanwhile ---- */

/* Two players chat during the flood; returns how many lines arrived. */
static unsigned play(live *l, seat *a, seat *b, sb_time duration)
{
    unsigned rounds = 0;
    for (sb_time end = live_now() + duration; live_now() < end; rounds++) {
        seat_forget(a);
        seat_forget(b);
        seat_say_hex(a, "08 01 01 00 00 DA 00 80 00 00 00 00 00 05 00 00 40");
        EXPECT_HEARD(l, b, "08 01 01 00 00 DA 00 80 00 00 00 00 00 05 00 00 40");
        live_settle(l, b);
        live_wait(l, 10000);
    }
    return rounds;
}

static void expect_match_goes_on(flood *f)
{
    live *l = live_open(NULL);
    seat *a = live_join(l, "Alpha"), *b = live_join(l, "Beta");
    (void)seat_spawn(a, 1, (sb_vec3){ 38, -49, -35 });
    live_settle(l, a);
    (void)play(l, a, b, SB_SECOND / 2);
    long     before = live_resident_kib(l);
    uint64_t updates = b->by_opcode[0x1C];
    start_flood(f, l);
    unsigned rounds = play(l, a, b, flood_time);
    end_flood(f);
    CHECK(rounds > 0);
    CHECK(b->by_opcode[0x1C] > updates); /* ships go on moving */
    CHECK(!a->left && !b->left && a->gone_count + b->gone_count == 0);
    CHECK(process_status(&l->server) == -1);
    long growth = live_resident_kib(l) - before;
    if (growth > 512) FAIL("the server grew by %ld KiB", growth);
    CHECK(live_join(l, "Late")->in_game); /* and others may come */
}

TEST(a_match_goes_on_under_20000_garbage_datagrams_a_second)
{
    static flood f;
    f = (flood){ .per_s = 20000, .make = make_garbage };
    expect_match_goes_on(&f);
    CHECK(f.sent > 1000);
}

TEST(ten_thousand_queries_a_second_are_answered_within_a_budget)
{
    static flood f;
    f = (flood){ .per_s = 10000, .make = make_query };
    expect_match_goes_on(&f);
    CHECK(f.sent > 1000);
    /* Spec 05 §8: 5 a second, and 15 at once. */
    uint64_t most = 15 + 5 * (uint64_t)(f.lasted / SB_SECOND + 1);
    CHECK(f.answers > 0);
    if (f.answers > most)
        FAIL("%llu answers, at most %llu", (unsigned long long)f.answers, (unsigned long long)most);
    CHECK(f.answer_bytes <= f.answers * 1400);
}

TEST(connects_of_two_bytes_from_100_ports_take_no_slot)
{
    static const uint8_t short_connect[] = { 0xFF, 0x01 }, empty_connect[] = { 0xFF, 0x00 };
    static sb_udp        strangers[100];
    live                *l = LIVE("--max-players", "2");
    for (unsigned i = 0; i < 100; i++) {
        live_open_stranger(&strangers[i], (uint8_t)(i / 10));
        live_send_raw(l, &strangers[i], short_connect, sizeof short_connect);
        live_send_game(l, &strangers[i], empty_connect, sizeof empty_connect);
    }
    (void)live_ask(l, &strangers[99]);
    for (unsigned i = 0; i < 100; i++) {
        uint8_t byte;
        ssize_t size = recv(strangers[i].descriptor, &byte, 1, MSG_DONTWAIT);
        sb_udp_close(&strangers[i]);
        CHECK_EQ(size, -1); /* they are told nothing */
    }
    CHECK(live_join(l, "Alpha")->in_game);
    CHECK(live_join(l, "Beta")->in_game);
}
