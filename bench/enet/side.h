/* bench/enet/side.h -- one end of a conversation over a real UDP socket, ours or ENet's.
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
    bool     failed;    /* the conversation ended, or messages came wrong */
    unsigned delivered; /* messages, in order and as they were sent */
} side_progress;

typedef struct side_kind {
    const char *name;
    /* NULL: the system refused. The sender listens on a free port of the loopback address. */
    void *(*open_sender)(uint16_t *port);
    void *(*open_receiver)(uint16_t port);
    int (*socket_of)(const void *side);
    /* Receives, acts and sends all that can be received, done and sent now; never waits. */
    void (*turn)(void *side, side_progress *progress);
    /* Hands all messages over at once. */
    void (*hand_over)(void *side, side_progress *progress);
    void (*close)(void *side);
} side_kind;

extern const side_kind side_ours, side_enet;

/* Message n: its number and a pattern. */
void side_make_message(unsigned n, uint8_t bytes[MESSAGE_BYTES]);
/* Counts the message that must come next; anything else fails the conversation. */
void side_take_message(side_progress *progress, sb_span message);

/* Microseconds of the system's monotonic clock, the same in all processes. */
sb_time side_clock(void);

#endif
