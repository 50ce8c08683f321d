/* tools/sample_wire.h -- a transport that writes its datagrams to a capture file.
 *
 * For:      tools/make-sample. It behaves as spec 01 §6 describes stock peers: sequence numbers per
 *           channel and direction, nine copies of every Ack, the same order in a datagram.
 * Never:    used by another program: it cannot receive, because the script decides what arrives.
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
typedef struct direction {
    uint16_t    next_data, next_low;
    pending_ack acks[ACKS_MAX]; /* Acks to send for messages of the other direction */
    size_t      ack_count;
    int64_t     last_sent_us;
} direction;

typedef struct link {
    sb_endpoint host, client;
    uint8_t     peer_id; /* SB_PEER_NONE until the host has assigned one */
    direction   up, down;
} link;

typedef struct wire {
    FILE   *file;
    int64_t start_us, now_us;
    size_t  datagrams, bytes;
    /* the datagram being built */
    link              *to;
    bool               from_host;
    uint8_t            buffer[SB_DATAGRAM_MAX];
    sb_datagram_writer writer;
} wire;

void wire_open(wire *w, const char *path, int64_t start_us);
void wire_close(wire *w);

/* Starts a datagram with the new Acks; wire_send adds repeated Acks and writes it. */
void wire_start(wire *w, link *l, bool from_host);
void wire_send(wire *w);
/* Drops the datagram: it is lost before the capture point. */
void wire_lose(wire *w);

/* True if Acks are due that need a datagram of their own: new ones, and the second and third copy
 * (spec 01 §6.7 D1). */
bool wire_has_acks(const wire *w, const direction *l);

/* Adds a message to the datagram. wire_reliable returns its sequence number. */
uint16_t wire_reliable(wire *w, sb_span payload);
void     wire_unreliable(wire *w, sb_span payload);
void     wire_control(wire *w, uint8_t type, sb_span payload);
void     wire_noop(wire *w);
/* Adds a reliable message again, with the sequence number it had. */
void wire_retransmit(wire *w, sb_span payload, uint16_t seq);
void wire_fragment(wire *w, uint16_t seq, uint8_t index, uint8_t total, sb_span payload);
/* Reserves the next sequence number, for a message sent in fragments. */
uint16_t wire_next_number(wire *w);

/* Writes a query text, which is not encrypted and has no sequence number. */
void wire_text(wire *w, sb_endpoint from, sb_endpoint to, const char *text);

#endif
