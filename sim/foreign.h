/* sim/foreign.h -- events that the models of foreign peers report.
 *
 * For:      stock_client.h, stock_host.h and openbc_host.h, so that a simulator observes all three
 *           in the same way: it passes a callback and counts the events.
 *
 * All models have the same functions, and are driven like starbase/transport.h:
 *
 *     init; then in a loop: receive what arrived; tick; while (write) send; wait for next_deadline
 *
 * Datagrams are encrypted, times are the simulator's. A model may allocate; `clear` frees its
 * memory.
 */
#ifndef SIM_FOREIGN_H
#define SIM_FOREIGN_H

#include <starbase/base.h>

typedef enum sim_foreign_event_type {
    SIM_FOREIGN_JOINED,  /* host: a client got an id; client: this is our id */
    SIM_FOREIGN_NAMED,   /* bytes: the name, UTF-16LE with its terminator */
    SIM_FOREIGN_MESSAGE, /* bytes: a Data payload; reassembled and in order if the model does
                            that */
    SIM_FOREIGN_LEFT,    /* a player left; `by_boot` and `boot_reason` say how */
    SIM_FOREIGN_OVER,    /* client: the session ended; `by_boot` and `boot_reason` say how */
} sim_foreign_event_type;

typedef struct sim_foreign_event {
    sim_foreign_event_type type;
    uint8_t                peer_id;
    sb_endpoint            address;     /* host: the client's */
    bool                   reliable;    /* MESSAGE */
    bool                   by_boot;     /* LEFT, OVER */
    uint8_t                boot_reason; /* by_boot: spec 01 §4.9 */
    sb_span                bytes;       /* lent during the call */
} sim_foreign_event;

/* A callback, called from inside the model's functions. It may queue messages on the model, and
 * call no other function of the model. */
typedef struct sim_foreign_hook {
    void (*call)(void *context, sb_time now, const sim_foreign_event *event);
    void *context;
} sim_foreign_hook;

#endif
