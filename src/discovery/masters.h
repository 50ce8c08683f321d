/* src/discovery/masters.h -- the master servers and the heartbeats they get.
 *
 * For:      responder.c.
 * Spec:     05 §5.
 */
#ifndef SB_DISCOVERY_MASTERS_H
#define SB_DISCOVERY_MASTERS_H

#include <starbase/discovery.h>

typedef struct sb_master {
    sb_endpoint address;        /* port 0: none */
    bool        heartbeat_sent; /* at least one */
    bool        queried;        /* a query came in since the last heartbeat */
    bool        registered;     /* a query came from the master's own address */
    bool        change_pending; /* the next heartbeat announces a state change */
    bool        stop_pending;   /* the next heartbeat announces that we stop */
    uint8_t     opening_count;  /* heartbeats so far, up to OPENING_HEARTBEATS */
    uint8_t     repeat_count;   /* later heartbeats in a row without a query in between */
    sb_time     last_sent_at;   /* before the first heartbeat and after a stop: when one is due */
    sb_time     heard_at;       /* last query from the master's own address; SB_TIME_NEVER: none */
    sb_time     next_change_at; /* earliest time of the next `statechanged\1` */
} sb_master;

typedef struct sb_masters {
    sb_time   interval_us; /* between heartbeats while queries come */
    bool      stopped;
    sb_master all[SB_MASTERS_MAX];
} sb_masters;

void sb_masters_init(sb_masters *masters, sb_time interval_us);
/* Changes nothing if the master has this address already. */
void sb_masters_set(sb_masters *masters, unsigned index, sb_endpoint address, sb_time now);
/* The index of the master with this address, whatever its port (spec 05 §5.3); -1: none. */
int sb_masters_find(const sb_masters *masters, uint32_t address);
/* Records that a query came from `address`. */
void    sb_masters_handle_query(sb_masters *masters, uint32_t address, sb_time now);
void    sb_masters_state_changed(sb_masters *masters, sb_time now);
void    sb_masters_stop(sb_masters *masters, sb_time now);
sb_time sb_masters_next_deadline(const sb_masters *masters);
/* Writes a heartbeat that is due and announces `port`; 0: none is due. */
size_t sb_masters_write(sb_masters *masters, sb_time now, uint32_t port, sb_endpoint *to,
                        uint8_t *out, size_t capacity);
/* Stops the program (SB_ASSERT) when two fields contradict each other. */
void sb_masters_check(const sb_masters *masters);

#endif
