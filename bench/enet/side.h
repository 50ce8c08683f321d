/* bench/enet/side.h -- one end of a session over a real UDP socket, ours or ENet's.
 *
 * For:      compare.c, which drives both kinds with the same loop. The sender is the end that
 *           accepts (a host); the receiver connects to it.
 */
#ifndef BENCH_ENET_SIDE_H
#define BENCH_ENET_SIDE_H

#include <starbase/base.h>

enum { MESSAGE_COUNT = 1000, MESSAGE_BYTES = 200, SIDE_BUFFER_BYTES = 256 * 1024 };

typedef struct side_progress {
    bool     established;
    bool     failed;    /* the session ended, or a wrong message arrived */
    unsigned delivered; /* messages delivered in order and unchanged */
} side_progress;

typedef struct side_kind {
    const char *name;
    /* Return NULL if the system refused. The sender listens on a free port of the loopback address.
     */
    void *(*open_sender)(uint16_t *port);
    void *(*open_receiver)(uint16_t port);
    int (*socket_of)(const void *side);
    /* Receives, handles and sends everything that is ready; non-blocking. */
    void (*step)(void *side, side_progress *progress);
    /* Queues all messages at once. */
    void (*queue_messages)(void *side, side_progress *progress);
    void (*close)(void *side);
} side_kind;

extern const side_kind side_ours, side_enet;

/* Fills in message n: its number and a pattern. */
void side_make_message(unsigned n, uint8_t bytes[MESSAGE_BYTES]);
/* Counts a message; any other than the next one in order sets `failed`. */
void side_receive_message(side_progress *progress, sb_span message);

/* Microseconds of the system's monotonic clock, the same in all processes. */
sb_time side_clock(void);

#endif
