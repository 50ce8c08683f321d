/* src/discovery/masters.h -- the masters, and when each hears from us. Spec 05 §5.
 *
 * For:      responder.
 */
#ifndef SB_DISCOVERY_MASTERS_H
#define SB_DISCOVERY_MASTERS_H

#include <starbase/discovery.h>

typedef struct sb_master {
    sb_endpoint address;        /* port 0: none */
    bool        heartbeat_sent; /* a heartbeat was sent */
    bool        queried;        /* somebody queried us since the last one */
    bool        registered;
    bool        change_pending, stop_pending; /* what the next one has to tell */
    uint8_t     repeat_count;                 /* heartbeats in a row that nobody queried after */
    sb_time     last_sent_at;   /* of the last one; before it: since when the first is due */
    sb_time     next_change_at; /* the next `statechanged\1` not before */
} sb_master;

typedef struct sb_masters {
    sb_time   interval_us;
    bool      stopped;
    sb_master all[SB_MASTERS_MAX];
} sb_masters;

void sb_masters_init(sb_masters *masters, sb_time interval_us);
/* False: it was there already and nothing changes. */
bool sb_masters_set(sb_masters *masters, unsigned index, sb_endpoint address, sb_time now);
/* The index of the master with this address, whatever its port (spec 05 §5.3); -1: none. */
int sb_masters_find(const sb_masters *masters, uint32_t address);
/* Somebody queried us something. */
void    sb_masters_handle_query(sb_masters *masters, uint32_t address);
void    sb_masters_state_changed(sb_masters *masters, sb_time now);
void    sb_masters_stop(sb_masters *masters, sb_time now);
sb_time sb_masters_next_deadline(const sb_masters *masters);
/* Writes a heartbeat that is due; 0: none. `port` is the one that is announced. */
size_t sb_masters_write(sb_masters *masters, sb_time now, uint32_t port, sb_endpoint *to,
                        uint8_t *out, size_t capacity);

#endif
