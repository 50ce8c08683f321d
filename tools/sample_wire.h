/* tools/sample_wire.h -- a stock-like transport that writes what it sends to a capture file.
 *
 * For:      tools/make-sample. It behaves as spec 01 §6 describes stock peers: numbers per channel
 *           and direction, nine copies of every Ack, the same order inside a datagram.
 * Never:    used by a program: it has no receiving side, the script knows what arrives.
 */
#ifndef SB_TOOLS_SAMPLE_WIRE_H
#define SB_TOOLS_SAMPLE_WIRE_H

#include <starbase/datagram.h>

#include <stdio.h>

#include "base/packet.h"

enum { ACKS_MAX = 256 };

typedef struct pending_ack {
    sb_transport_message message;
    unsigned             sends;
    int64_t              last_us;
} pending_ack;

/* One direction of one connection. */
typedef struct lane {
    uint16_t    next_data, next_low;
    pending_ack acks[ACKS_MAX]; /* what this side has to say about the other direction */
    size_t      ack_count;
    int64_t     last_sent_us;
} lane;

typedef struct link {
    sb_endpoint host, client;
    uint8_t     peer_id; /* SB_PEER_NONE until the host gave one */
    lane        up, down;
} link;

typedef struct wire {
    FILE   *file;
    int64_t start_us, now_us;
    size_t  datagrams, bytes;
    /* the datagram being put together */
    link              *to;
    bool               from_host;
    uint8_t            buffer[SB_DATAGRAM_MAX];
    sb_datagram_writer writer;
} wire;

void wire_open(wire *w, const char *path, int64_t start_us);
void wire_close(wire *w);

/* A datagram: begin puts the fresh Acks in, send adds old ones and writes it. */
void wire_begin(wire *w, link *l, bool from_host);
void wire_send(wire *w);
/* The same, but it is lost before it reaches the place of the capture. */
void wire_lose(wire *w);

/* True if this side has Acks that go out without company: new ones, and the second and third copy
 * (spec 01 §6.7 D1). */
bool wire_has_acks(const wire *w, const lane *l);

/* Messages for the datagram that was begun. Reliable ones return their number. */
uint16_t wire_reliable(wire *w, sb_span payload);
void     wire_unreliable(wire *w, sb_span payload);
void     wire_control(wire *w, uint8_t type, sb_span payload);
void     wire_noop(wire *w);
/* A reliable message once more, under the number it had. */
void wire_again(wire *w, sb_span payload, uint16_t seq);
void wire_fragment(wire *w, uint16_t seq, uint8_t index, uint8_t total, sb_span payload);
/* Takes the next number for a message that goes out in fragments. */
uint16_t wire_take_number(wire *w);

/* Query text, neither enciphered nor numbered. */
void wire_text(wire *w, sb_endpoint from, sb_endpoint to, const char *text);

#endif
