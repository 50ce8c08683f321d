/* src/run/house.c -- the thread of the house, and what other threads want of it.
 *
 * A turn every TURN_US while bots play: pilots move their ships every 50 ms, and a room's loop pays
 * for one wake-up per turn instead of one per bot. Without bots the house looks at its rooms every
 * IDLE_US, and without rooms it sleeps.
 *
 * Tests:    tests/run/house_test.c
 */
#include "run/house.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/assert.h"
#include "platform/clock.h"
#include "run/house_room.h"

enum { TURN_US = 10000, IDLE_US = 100000 };

/* A room that had bots at least once. `wanted` and what follows are protected by the lock of the
 * house; `room` belongs to its thread, except that memory of further bots is added under the lock.
 */
typedef struct entry {
    sb_house_room     room;
    sb_house_settings wanted;
    bool              has_changed, is_listed; /* listed: among `rooms` of the house */
    uint32_t          bot_count;
    void             *memory[SB_HOUSE_BOTS_MAX];
} entry;

struct sb_house {
    sb_house_place *places;
    entry         **entries; /* by room; NULL: it never had bots */
    size_t          count;
    bool            is_running; /* the thread was started */
    pthread_t       thread;
    pthread_mutex_t lock;
    pthread_cond_t  changed; /* signals that one of the following, or an entry, has changed */
    bool            has_changed, is_closed, is_stopping;
    /* Of the thread. */
    sb_house_room **rooms;
    size_t          room_count;
};

/* ---- creation ---- */

static bool init_lock(sb_house *h)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0) return false;
    bool fine = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
                pthread_mutex_init(&h->lock, NULL) == 0 &&
                pthread_cond_init(&h->changed, &attributes) == 0;
    (void)pthread_condattr_destroy(&attributes);
    return fine;
}

sb_house *sb_house_create(const sb_house_place *places, size_t count)
{
    sb_house *h = calloc(1, sizeof *h);
    if (!h) return NULL;
    h->count = count;
    h->places = malloc(count * sizeof *places);
    h->entries = calloc(count, sizeof *h->entries);
    h->rooms = calloc(count, sizeof *h->rooms);
    if (!h->places || !h->entries || !h->rooms || !init_lock(h)) {
        free(h->places);
        free(h->entries);
        free(h->rooms);
        free(h);
        return NULL;
    }
    memcpy(h->places, places, count * sizeof *places);
    return h;
}

static void destroy_entry(entry *e)
{
    if (!e) return;
    sb_house_link_destroy(e->room.link);
    for (size_t i = 0; i < SB_HOUSE_BOTS_MAX; i++) free(e->memory[i]);
    free(e);
}

static void stop_thread(sb_house *h)
{
    if (!h->is_running) return;
    pthread_mutex_lock(&h->lock);
    h->is_stopping = true;
    pthread_cond_signal(&h->changed);
    pthread_mutex_unlock(&h->lock);
    pthread_join(h->thread, NULL);
}

void sb_house_destroy(sb_house *h)
{
    if (!h) return;
    stop_thread(h);
    for (size_t i = 0; i < h->count; i++) destroy_entry(h->entries[i]);
    pthread_cond_destroy(&h->changed);
    pthread_mutex_destroy(&h->lock);
    free(h->places);
    free(h->entries);
    free(h->rooms);
    free(h);
}

/* ---- the thread ---- */

static void adopt_entry(sb_house *h, entry *e)
{
    if (!e->is_listed) h->rooms[h->room_count++] = &e->room;
    e->is_listed = true;
    for (; e->room.bot_count < e->bot_count; e->room.bot_count++)
        e->room.bots[e->room.bot_count].memory = e->memory[e->room.bot_count];
    e->room.settings = e->wanted;
    e->room.is_fresh = true;
    e->has_changed = false;
}

/* Under the lock. */
static void adopt_changes(sb_house *h)
{
    for (size_t i = 0; h->has_changed && i < h->count; i++) {
        entry *e = h->entries[i];
        if (e && e->has_changed) adopt_entry(h, e);
        if (e) e->room.is_closed = h->is_closed;
    }
    h->has_changed = false;
}

static struct timespec to_timespec(sb_time at)
{
    return (struct timespec){ .tv_sec = (time_t)(at / SB_SECOND),
                              .tv_nsec = (long)(at % SB_SECOND) * 1000 };
}

/* Waits for a change, at most until `turn_at`. False: the house is destroyed. */
static bool wait_for_turn(sb_house *h, sb_time turn_at)
{
    struct timespec until = to_timespec(turn_at);
    pthread_mutex_lock(&h->lock);
    while (!h->has_changed && !h->is_stopping && sb_clock_now() < turn_at)
        (void)pthread_cond_timedwait(&h->changed, &h->lock, &until);
    adopt_changes(h);
    bool goes_on = !h->is_stopping;
    pthread_mutex_unlock(&h->lock);
    return goes_on;
}

static void *run_thread(void *context)
{
    sb_house *h = context;
    sb_time   turn_at = 0;
    while (wait_for_turn(h, turn_at)) {
        bool playing = false;
        for (size_t i = 0; i < h->room_count; i++)
            playing |= sb_house_room_run(h->rooms[i], sb_clock_now());
        turn_at = sb_clock_now() + (playing ? TURN_US : IDLE_US);
    }
    return NULL;
}

static bool start_thread(sb_house *h)
{
    sigset_t all, before;
    if (h->is_running) return true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* a new thread inherits the mask */
    h->is_running = pthread_create(&h->thread, NULL, run_thread, h) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return h->is_running;
}

/* ---- what is wanted ---- */

void sb_house_defaults(sb_house_settings *settings)
{
    *settings = (sb_house_settings){ .skill = SB_SKILL_NORMAL, .always = true };
}

static entry *create_entry(const sb_house *h, size_t room)
{
    const sb_house_place *place = &h->places[room];
    entry                *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    sb_house_defaults(&e->wanted);
    e->room.ships = place->ships;
    e->room.link = sb_house_link_create(place->limit);
    if (e->room.link) return e;
    free(e);
    return NULL;
}

static entry *find_entry(sb_house *h, size_t room)
{
    const sb_house_place *place = &h->places[room];
    if (h->entries[room]) return h->entries[room];
    entry *e = create_entry(h, room);
    if (!e) return NULL;
    if (sb_room_loop_watch_house(place->loop, place->index, e->room.link) != SB_OK) {
        destroy_entry(e);
        return NULL;
    }
    pthread_mutex_lock(&h->lock);
    h->entries[room] = e;
    pthread_mutex_unlock(&h->lock);
    return e;
}

static bool add_memory(entry *e, uint32_t wanted, size_t bytes)
{
    if (wanted > SB_HOUSE_BOTS_MAX) wanted = SB_HOUSE_BOTS_MAX;
    for (uint32_t i = e->bot_count; i < wanted; i++)
        if (!e->memory[i] && !(e->memory[i] = calloc(1, bytes))) return false;
    return true;
}

static void post_settings(sb_house *h, entry *e, const sb_house_settings *settings)
{
    pthread_mutex_lock(&h->lock);
    while (e->bot_count < SB_HOUSE_BOTS_MAX && e->memory[e->bot_count]) e->bot_count++;
    e->wanted = *settings;
    e->has_changed = h->has_changed = true;
    pthread_cond_signal(&h->changed);
    pthread_mutex_unlock(&h->lock);
}

sb_result sb_house_configure(sb_house *h, size_t room, const sb_house_settings *settings)
{
    SB_ASSERT(room < h->count);
    if (settings->fill == 0 && !h->entries[room]) return SB_OK;
    entry *e = find_entry(h, room);
    if (!e || !start_thread(h)) return SB_OS_ERROR;
    if (!add_memory(e, settings->fill, sb_house_room_client_bytes(e->room.ships)))
        return SB_OS_ERROR;
    post_settings(h, e, settings);
    return SB_OK;
}

void sb_house_view_room(sb_house *h, size_t room, sb_house_view *out)
{
    SB_ASSERT(room < h->count);
    const entry *e = h->entries[room];
    *out = (sb_house_view){ .fill = 0 };
    if (!e) return;
    const sb_house_link *link = e->room.link;
    sb_server_seats      seats;
    sb_house_link_seats(link, &seats);
    out->fill = e->wanted.fill;
    out->present = seats.house;
    out->datagrams_in = sb_datagram_ring_pushed(link->to_room);
    out->datagrams_out = sb_datagram_ring_pushed(link->from_room);
    out->dropped =
        sb_datagram_ring_dropped(link->to_room) + sb_datagram_ring_dropped(link->from_room);
}

void sb_house_close(sb_house *h)
{
    pthread_mutex_lock(&h->lock);
    h->is_closed = h->has_changed = true;
    pthread_cond_signal(&h->changed);
    pthread_mutex_unlock(&h->lock);
}
