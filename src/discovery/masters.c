/* src/discovery/masters.c -- see masters.h. */
#include "discovery/masters.h"

#include "base/assert.h"
#include "base/time.h"
#include "discovery/decimal.h"

#include <string.h>

#define OPENING_INTERVAL_US (4 * SB_SECOND)  /* between the first heartbeats */
#define REPEAT_INTERVAL_US  (30 * SB_SECOND) /* between heartbeats until a query comes */
#define CHANGE_INTERVAL_US  (5 * SB_SECOND)  /* between two `statechanged\1` */
enum {
    OPENING_HEARTBEATS = 3, /* within ten seconds, so that one lost datagram costs no time */
    REPEATS_MAX = 10,       /* repeats before the steady interval applies */
};

/* Values of `statechanged` (spec 05 §5.1). */
typedef enum state_change {
    STATE_SAME = 0, /* the key is left out */
    STATE_CHANGED = 1,
    STATE_STOPPING = 2,
} state_change;

void sb_masters_init(sb_masters *m, sb_time interval_us)
{
    SB_ASSERT(interval_us > 0);
    memset(m, 0, sizeof *m);
    m->interval_us = interval_us;
}

static bool is_set(const sb_master *master)
{
    return master->address.port != 0;
}

void sb_masters_set(sb_masters *m, unsigned index, sb_endpoint address, sb_time now)
{
    SB_ASSERT(index < SB_MASTERS_MAX);
    sb_master *master = &m->all[index];
    if (address.address == 0 || address.port == 0) address = (sb_endpoint){ 0, 0 };
    /* Names are resolved every hour, mostly to the same address. */
    if (address.address == master->address.address && address.port == master->address.port) return;
    *master = (sb_master){
        .address = address, .last_sent_at = now, .next_change_at = now, .heard_at = SB_TIME_NEVER
    };
}

int sb_masters_find(const sb_masters *m, uint32_t address)
{
    for (int i = 0; i < SB_MASTERS_MAX; i++)
        if (is_set(&m->all[i]) && m->all[i].address.address == address) return i;
    return -1;
}

/* A master may query from another address than the one that gets heartbeats (spec 05 §5.3). So a
 * query from anywhere ends the fast repeats, but only one from the master's own address shows that
 * the master knows us. */
void sb_masters_handle_query(sb_masters *m, uint32_t address, sb_time now)
{
    for (unsigned i = 0; i < SB_MASTERS_MAX; i++) {
        sb_master *master = &m->all[i];
        if (!is_set(master) || !master->heartbeat_sent) continue;
        master->queried = true;
        if (master->address.address != address) continue;
        master->registered = true;
        master->heard_at = now;
    }
}

void sb_masters_state_changed(sb_masters *m, sb_time now)
{
    for (unsigned i = 0; i < SB_MASTERS_MAX; i++) {
        sb_master *master = &m->all[i];
        if (!is_set(master)) continue;
        master->change_pending = true;
        if (master->next_change_at < now) master->next_change_at = now;
    }
}

void sb_masters_stop(sb_masters *m, sb_time now)
{
    if (m->stopped) return;
    m->stopped = true;
    for (unsigned i = 0; i < SB_MASTERS_MAX; i++) {
        m->all[i].stop_pending = is_set(&m->all[i]);
        m->all[i].last_sent_at = now;
    }
}

/* True while the first heartbeats are sent. Queries of others do not end them: only one from the
 * master itself shows that a heartbeat has arrived. */
static bool is_opening(const sb_master *master)
{
    return !master->registered && master->opening_count < OPENING_HEARTBEATS;
}

static sb_time pause_after(const sb_masters *m, const sb_master *master)
{
    bool    repeat = !master->queried && master->repeat_count < REPEATS_MAX;
    sb_time pause_us = is_opening(master) ? OPENING_INTERVAL_US
                       : repeat           ? REPEAT_INTERVAL_US
                                          : m->interval_us;
    return sb_time_earlier(pause_us, m->interval_us);
}

/* When the next heartbeat is due if no change is announced (spec 05 §5.2). */
static sb_time regular_due_at(const sb_masters *m, const sb_master *master)
{
    if (!master->heartbeat_sent) return master->last_sent_at;
    sb_time pause_us = pause_after(m, master);
    if (master->last_sent_at > SB_TIME_NEVER - pause_us) return SB_TIME_NEVER;
    return master->last_sent_at + pause_us;
}

static sb_time due_at(const sb_masters *m, const sb_master *master)
{
    if (!is_set(master)) return SB_TIME_NEVER;
    if (m->stopped) return master->stop_pending ? master->last_sent_at : SB_TIME_NEVER;
    sb_time regular = regular_due_at(m, master);
    return master->change_pending ? sb_time_earlier(master->next_change_at, regular) : regular;
}

sb_time sb_masters_next_deadline(const sb_masters *m)
{
    sb_time next = SB_TIME_NEVER;
    for (unsigned i = 0; i < SB_MASTERS_MAX; i++)
        next = sb_time_earlier(next, due_at(m, &m->all[i]));
    return next;
}

/* Records that a heartbeat is sent now and returns the change that it announces. */
static state_change mark_sent(sb_master *master, sb_time now)
{
    if (master->stop_pending) {
        master->stop_pending = false;
        return STATE_STOPPING;
    }
    bool announce = master->change_pending && master->next_change_at <= now;
    bool regular = master->heartbeat_sent && !announce && !is_opening(master);
    /* Announced changes are no repeats: they come as often as the state changes. */
    if (master->queried) master->repeat_count = 0;
    else if (regular && master->repeat_count < REPEATS_MAX) master->repeat_count++;
    if (announce) {
        master->change_pending = false;
        master->next_change_at = now + CHANGE_INTERVAL_US;
    }
    master->heartbeat_sent = true;
    if (master->opening_count < OPENING_HEARTBEATS) master->opening_count++;
    master->queried = false;
    master->last_sent_at = now;
    return announce ? STATE_CHANGED : STATE_SAME;
}

static size_t write_heartbeat(uint32_t port, state_change change, uint8_t *out, size_t capacity)
{
    sb_gamespy_writer w;
    sb_decimal        announced = sb_decimal_of(port), state = sb_decimal_of(change);
    sb_gamespy_writer_init(&w, out, capacity);
    sb_result result = sb_gamespy_writer_write_text(&w, "heartbeat", announced.text);
    SB_ASSERT(result == SB_OK);
    result = sb_gamespy_writer_write_text(&w, "gamename", "bcommander");
    SB_ASSERT(result == SB_OK);
    if (change == STATE_SAME) return w.size;
    result = sb_gamespy_writer_write_text(&w, "statechanged", state.text);
    SB_ASSERT(result == SB_OK);
    return w.size;
}

size_t sb_masters_write(sb_masters *m, sb_time now, uint32_t port, sb_endpoint *to, uint8_t *out,
                        size_t capacity)
{
    for (unsigned i = 0; i < SB_MASTERS_MAX; i++) {
        sb_master *master = &m->all[i];
        if (!is_set(master) || due_at(m, master) > now) continue;
        *to = master->address;
        return write_heartbeat(port, mark_sent(master, now), out, capacity);
    }
    return 0;
}

/* ---- invariants ---- */

void sb_masters_check(const sb_masters *m)
{
    SB_ASSERT(m->interval_us > 0);
    for (unsigned i = 0; i < SB_MASTERS_MAX; i++) {
        const sb_master *master = &m->all[i];
        bool             pending = master->change_pending || master->stop_pending;
        SB_ASSERT((master->address.address == 0) == (master->address.port == 0));
        SB_ASSERT(is_set(master) || (!master->heartbeat_sent && !pending));
        SB_ASSERT(master->heartbeat_sent || (!master->queried && !master->registered));
        SB_ASSERT(master->heartbeat_sent || master->repeat_count == 0);
        SB_ASSERT(master->repeat_count <= REPEATS_MAX);
        SB_ASSERT(master->opening_count <= OPENING_HEARTBEATS);
        SB_ASSERT(!master->registered || master->heard_at != SB_TIME_NEVER);
        SB_ASSERT(!master->stop_pending || m->stopped);
    }
}
