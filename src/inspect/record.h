/* src/inspect/record.h -- one thing that was seen, with all that is known about it.
 *
 * For:      the way from input to output of `starbase decode`: inputs and the dissector make
 *           records, filter, statistics and renderers read them.
 */
#ifndef SB_INSPECT_RECORD_H
#define SB_INSPECT_RECORD_H

#include <starbase/datagram.h>
#include <starbase/layout.h>
#include <starbase/protocol.h>
#include <starbase/ship.h>

#include "base/packet.h"

typedef struct sb_message sb_message; /* starbase/message.h */

typedef enum sb_layer {
    SB_LAYER_DATAGRAM,  /* a datagram as it travels, encrypted */
    SB_LAYER_PLAIN,     /* a datagram after decryption */
    SB_LAYER_TRANSPORT, /* one transport message: Ack, NoOp, Name, Connect, Boot, Disconnect, or a
                           Data fragment that is not complete yet */
    SB_LAYER_MESSAGE,   /* one game message, opcode first */
    SB_LAYER_GAMESPY,   /* query text */
    SB_LAYER_COUNT
} sb_layer;

/* "datagram", "plain", "transport", "message", "gamespy" */
const char *sb_layer_name(sb_layer layer);
bool        sb_find_layer(const char *name, sb_layer *out);

typedef struct sb_record {
    uint64_t    number;   /* of this record, from 1 */
    uint64_t    datagram; /* of the datagram or input line it came in, from 1 */
    const char *file;     /* name of the input, if there are several; else NULL */
    sb_layer    layer;

    bool        has_time;
    int64_t     time_us; /* since the epoch */
    bool        has_endpoints;
    sb_endpoint source, destination;

    sb_side from;
    bool    has_peer_id;
    uint8_t peer_id; /* sender's byte 0 of the datagram */

    bool                 has_transport; /* TRANSPORT always; MESSAGE when it came in a datagram */
    sb_transport_message transport;
    unsigned             fragment_count; /* MESSAGE: made of so many fragments; 0: whole */
    bool                 retransmission; /* a copy of something seen before */
    bool                 repeated;       /* an Ack that was sent before: nothing was lost */
    unsigned             gap;            /* numbers of its channel missing right before it */
    bool                 late;           /* fills a gap that was seen before */

    sb_span bytes; /* the unit; lent until the next record */
    sb_span plain; /* the decrypted datagram it came in; empty if there was none */

    sb_message_context context;    /* how to read `bytes` of a MESSAGE */
    sb_layout_fit      shield_fit; /* MESSAGE of a conversation: what its SUBSYS block fits ... */
    sb_layout_verdict  shield_verdict; /* ... what those of its sender say so far ... */
    bool       shield_layout_changed;  /* ... and from here on they are read in the other layout */
    sb_result  result;
    sb_refusal refusal;        /* when result is not SB_OK; offset counts in `bytes` */
    const sb_message *message; /* MESSAGE with SB_OK: decoded, lent until the next record */
} sb_record;

#endif
