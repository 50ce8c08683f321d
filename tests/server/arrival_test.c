/* tests/server/arrival_test.c -- how late changes of state reach the other players, and what that
 * costs on the line: sent on arrival, and with stock_clock. Spec 03 §17.1.
 *
 * Eight players send an update every 0.1 s, each with a new speed, at random phases.
 */
#include "rig.h"

#include <starbase/message.h>

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

enum { PLAYERS = 8, SECONDS = 10, MS = 1000, INTERVAL = 100 * MS, DELAYS_MAX = 20000 };

typedef struct flyer {
    seat    *seat;
    uint32_t ship;
    sb_time  next, sent_at; /* of its updates */
    uint16_t code;          /* speed of the last update */
    unsigned updates;
} flyer;

typedef struct flight {
    room    *r;
    flyer    flyers[PLAYERS];
    uint16_t heard[PLAYERS][PLAYERS]; /* speed of a ship that a receiver knows */
    size_t   read[PLAYERS];           /* messages of each seat that were looked at */
    unsigned updates[PLAYERS];        /* of other ships, that each seat got */
    sb_time *delays;
    size_t   delay_count;
} flight;

static flight  the_flight;
static sb_time the_delays[DELAYS_MAX];

static flight *take_off(bool on_arrival, unsigned seed)
{
    flight          *f = &the_flight;
    sb_server_config c;
    sb_server_defaults(&c);
    c.transport.peers_per_ip = 0;
    c.lanes.on_arrival = on_arrival;
    *f = (flight){ .r = room_open(&c), .delays = the_delays };
    for (unsigned i = 0; i < PLAYERS; i++) {
        flyer *p = &f->flyers[i];
        p->seat = room_join(f->r, "Flyer");
        p->ship = seat_spawn(f->r, p->seat, 5, (sb_vec3){ 40.0f * (float)i, 0, 0 });
    }
    srand(seed);
    for (unsigned i = 0; i < PLAYERS; i++) f->flyers[i].next = f->r->now + rand() % INTERVAL;
    return f;
}

static void send_update(flight *f, flyer *p)
{
    uint8_t    bytes[64];
    size_t     size;
    sb_message m = { .opcode = SB_OP_STATE_UPDATE };
    p->code = (uint16_t)(0x3000 + ++p->updates % 256);
    p->sent_at = f->r->now;
    m.as.state_update =
        (sb_state_update){ .object_id = p->ship,
                           .game_time = (float)(f->r->now - 1000 * SB_SECOND) / 1e6f,
                           .flags = SB_STATE_POS | SB_STATE_SPEED,
                           .position = { 40.0f * (float)(p - f->flyers), 0.01f * (float)p->updates,
                                         0 },
                           .speed_code = p->code };
    CHECK_EQ(sb_encode_message(&m, NULL, bytes, sizeof bytes, &size), SB_OK);
    seat_say(f->r, p->seat, SB_UNRELIABLE, (sb_span){ bytes, size });
}

static void note_update(flight *f, unsigned receiver, sb_span bytes)
{
    sb_message         m;
    sb_message_context context = { .ship = sb_find_ship(sb_stock_ships(), 5) };
    for (unsigned i = 0; i < PLAYERS; i++) {
        flyer *p = &f->flyers[i];
        if (i == receiver || sb_load_u32(bytes.data + 1) != p->ship) continue;
        f->updates[receiver]++;
        CHECK_EQ(sb_decode_message(bytes, &context, &m, NULL), SB_OK);
        if (!(m.as.state_update.flags & SB_STATE_SPEED)) return;
        if (m.as.state_update.speed_code == f->heard[receiver][i]) return;
        f->heard[receiver][i] = m.as.state_update.speed_code;
        if (m.as.state_update.speed_code != p->code) return; /* overtaken by a newer one */
        CHECK(f->delay_count < DELAYS_MAX);
        f->delays[f->delay_count++] = f->r->now - p->sent_at;
    }
}

static void listen(flight *f)
{
    for (unsigned i = 0; i < PLAYERS; i++) {
        seat *s = f->flyers[i].seat;
        for (; f->read[i] < s->heard_count; f->read[i]++)
            if (s->heard[f->read[i]].bytes[0] == SB_OP_STATE_UPDATE)
                note_update(f, i,
                            (sb_span){ s->heard[f->read[i]].bytes, s->heard[f->read[i]].size });
        seat_forget(s);
        f->read[i] = 0;
    }
}

/* The next moment in which anything can happen. */
static sb_time next_event(const flight *f)
{
    sb_time next = sb_server_next_deadline(f->r->server);
    for (unsigned i = 0; i < PLAYERS; i++)
        if (f->flyers[i].next < next) next = f->flyers[i].next;
    return next;
}

/* `period`: between two updates of a player. */
static void fly(flight *f, sb_time period)
{
    for (sb_time end = f->r->now + SECONDS * SB_SECOND; f->r->now < end;) {
        for (unsigned i = 0; i < PLAYERS; i++) {
            flyer *p = &f->flyers[i];
            if (p->next > f->r->now) continue;
            p->next += period;
            send_update(f, p);
        }
        room_step(f->r);
        listen(f);
        room_wait(f->r, next_event(f) - f->r->now);
        listen(f);
    }
}

static int compare_times(const void *a, const void *b)
{
    sb_time x = *(const sb_time *)a, y = *(const sb_time *)b;
    return (x > y) - (x < y);
}

static sb_time percentile(flight *f, unsigned percent)
{
    CHECK(f->delay_count > 0);
    qsort(f->delays, f->delay_count, sizeof *f->delays, compare_times);
    return f->delays[(f->delay_count - 1) * percent / 100];
}

static uint64_t bytes_to_all(const flight *f)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < PLAYERS; i++) bytes += f->flyers[i].seat->bytes_in;
    return bytes;
}

static void begin_count(flight *f)
{
    fly(f, INTERVAL); /* all ships follow their owners now */
    for (unsigned i = 0; i < PLAYERS; i++) {
        f->flyers[i].seat->bytes_in = 0;
        f->flyers[i].seat->datagrams_in = 0;
        f->updates[i] = 0;
    }
    f->delay_count = 0;
}

TEST(spec_03_17_changes_of_state_cross_the_room_within_a_few_ms)
{
    for (unsigned seed = 1; seed <= 2; seed++) {
        flight *f = take_off(true, seed);
        begin_count(f);
        fly(f, INTERVAL);
        CHECK(f->delay_count >= PLAYERS * (PLAYERS - 1) * SECONDS * 99 / 10);
        CHECK(percentile(f, 50) <= 2 * MS);
        CHECK(percentile(f, 99) <= 10 * MS);
        for (unsigned i = 0; i < PLAYERS; i++) /* ten a second and ship */
            CHECK(f->updates[i] <= (PLAYERS - 1) * (SECONDS * 10 + 1));
    }
}

TEST(spec_03_17_bytes_to_a_receiver_grow_by_at_most_six_tenths)
{
    flight *f = take_off(false, 1);
    begin_count(f);
    fly(f, INTERVAL);
    CHECK(percentile(f, 50) >= 30 * MS); /* what the common tick costs */
    uint64_t before = bytes_to_all(f);
    f = take_off(true, 1);
    begin_count(f);
    fly(f, INTERVAL);
    CHECK(bytes_to_all(f) * 10 <= before * 16);
}

static uint64_t datagrams_to_all(const flight *f)
{
    uint64_t datagrams = 0;
    for (unsigned i = 0; i < PLAYERS; i++) datagrams += f->flyers[i].seat->datagrams_in;
    return datagrams;
}

/* A thread with much to do: updates wait for each other, and no update is missing. */
TEST(spec_03_17_updates_share_datagrams_when_a_thread_is_busy)
{
    uint64_t datagrams[2];
    for (int busy = 0; busy < 2; busy++) {
        flight *f = take_off(true, 1);
        sb_server_set_load(f->r->server, busy ? SB_LOAD_SHARED : SB_LOAD_NORMAL);
        begin_count(f);
        fly(f, INTERVAL);
        CHECK(f->delay_count >= PLAYERS * (PLAYERS - 1) * SECONDS * 99 / 10);
        CHECK(percentile(f, 100) <= (busy ? 20 : 13) * MS);
        datagrams[busy] = datagrams_to_all(f);
    }
    CHECK(datagrams[1] * 10 <= datagrams[0] * 7);
}

TEST(spec_03_17_ten_updates_a_second_whatever_players_send)
{
    flight *f = take_off(true, 1);
    begin_count(f);
    fly(f, INTERVAL / 3);
    for (unsigned i = 0; i < PLAYERS; i++)
        CHECK(f->updates[i] <= (PLAYERS - 1) * (SECONDS * 10 + 1));
}
