/* tests/run/watchdog_test.c -- threads that sleep answer the watchdog, a thread that hangs does
 * not. */
#include "run/watchdog.h"

#include "platform/clock.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOOPBACK = 0x7F000001, PATIENCE_MS = 20000 };

static sb_room       rooms[2];
static sb_room      *order[2] = { &rooms[0], &rooms[1] };
static sb_room_loop *loops[2];
static atomic_bool   hangs, is_hanging;

/* Stands for a mistake in the code of a room. */
static void hang(sb_room *room, sb_time now)
{
    (void)room;
    (void)now;
    while (atomic_load(&hangs)) {
        atomic_store(&is_hanging, true);
        usleep(1000);
    }
}

static void open_loops(void)
{
    char             error[SB_UDP_ERROR_MAX];
    sb_server_config config;
    sb_server_defaults(&config);
    for (int i = 0; i < 2; i++) {
        rooms[i] = (sb_room){ .start = config, .on_step = hang };
        if (sb_udp_open(&rooms[i].udp, &(sb_udp_options){ .local = { LOOPBACK, 0 } }, error) !=
            SB_OK)
            FAIL("%s", error);
        rooms[i].memory_bytes = sb_server_bytes(&config);
        rooms[i].memory = calloc(1, rooms[i].memory_bytes);
        CHECK(rooms[i].memory);
        loops[i] = sb_room_loop_create(&order[i], 1);
        CHECK(loops[i]);
        CHECK_EQ(sb_room_loop_start(loops[i]), SB_OK);
    }
}

static void close_loops(void)
{
    sb_room_command stop = { .type = SB_ROOM_STOP, .room = SB_ROOM_ALL };
    for (int i = 0; i < 2; i++) CHECK(sb_room_loop_post(loops[i], &stop));
    for (int i = 0; i < 2; i++) {
        sb_room_loop_join(loops[i]);
        sb_room_loop_destroy(loops[i]);
        sb_udp_close(&rooms[i].udp);
        sb_room_free_memory(&rooms[i]);
    }
}

/* Asks until all threads have answered; false: they have not for a long time. */
static bool all_answer(sb_watchdog *w)
{
    for (int i = 0; i < PATIENCE_MS; i++) {
        if (sb_watchdog_check(w)) return true;
        usleep(1000);
    }
    return false;
}

static void send_datagram(int room)
{
    char          error[SB_UDP_ERROR_MAX];
    sb_udp        udp;
    sb_udp_batch *batch = sb_udp_batch_create();
    if (sb_udp_open(&udp, &(sb_udp_options){ .local = { LOOPBACK, 0 } }, error) != SB_OK)
        FAIL("%s", error);
    memcpy(sb_udp_next_buffer(&udp, batch), "\\basic\\", 7);
    sb_udp_send(&udp, batch, rooms[room].udp.local, 7);
    sb_udp_flush(&udp, batch);
    sb_udp_batch_destroy(batch);
    sb_udp_close(&udp);
}

TEST(threads_that_have_nothing_to_do_answer_the_watchdog)
{
    open_loops();
    sb_watchdog *w = sb_watchdog_create(loops, 2);
    CHECK(w);
    CHECK(sb_watchdog_check(w)); /* nobody has been asked yet */
    CHECK(all_answer(w));
    CHECK(all_answer(w));
    close_loops();
    CHECK(rooms[0].server == NULL); /* a question starts no dormant room */
    sb_watchdog_destroy(w);
}

TEST(a_thread_that_hangs_is_noticed_and_forgiven_later)
{
    open_loops();
    sb_watchdog *w = sb_watchdog_create(loops, 2);
    CHECK(w && all_answer(w));
    atomic_store(&hangs, true);
    send_datagram(1);
    for (int i = 0; i < PATIENCE_MS && !atomic_load(&is_hanging); i++) usleep(1000);
    CHECK(atomic_load(&is_hanging));
    (void)sb_watchdog_check(w); /* asks, if the last question was answered before */
    for (int i = 0; i < 50; i++) {
        CHECK(!sb_watchdog_check(w));
        usleep(1000);
    }
    atomic_store(&hangs, false);
    CHECK(all_answer(w));
    close_loops();
    sb_watchdog_destroy(w);
}

/* A thread that hangs before its queue is drained leaves room for commands that stop it. */
TEST(questions_do_not_fill_the_queue_of_a_thread)
{
    open_loops();
    sb_watchdog *w = sb_watchdog_create(loops, 2);
    atomic_store(&hangs, true);
    atomic_store(&is_hanging, false);
    send_datagram(0);
    for (int i = 0; i < PATIENCE_MS && !atomic_load(&is_hanging); i++) usleep(1000);
    for (int i = 0; i < 10 * SB_ROOM_COMMANDS_MAX; i++) (void)sb_watchdog_check(w);
    CHECK(sb_room_loop_post(loops[0], &(sb_room_command){ .type = SB_ROOM_SAY }));
    atomic_store(&hangs, false);
    CHECK(all_answer(w));
    close_loops();
    sb_watchdog_destroy(w);
}

/* ---- figures of loops ---- */

TEST(a_loop_counts_its_turns_and_its_processor_time)
{
    sb_histogram_view turns;
    uint64_t          count = 0;
    open_loops();
    for (int i = 0; i < PATIENCE_MS && count == 0; i++) {
        send_datagram(0);
        sb_histogram_read(sb_room_loop_turns(loops[0]), &turns);
        for (int k = 0; k <= SB_HISTOGRAM_BOUNDS; k++) count += turns.counts[k];
        usleep(1000);
    }
    CHECK(count > 0);
    CHECK(sb_room_loop_cpu_us(loops[0]) > 0);
    close_loops();
}
