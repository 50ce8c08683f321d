/* src/inspect/record.h -- one message, datagram or query of the input, with its properties.
 *
 * For:      `starbase decode`: inputs and the dissector make records; filters, statistics and
 *           renderers read them.
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
    SB_LAYER_DATAGRAM,  /* a datagram as sent, encrypted */
    SB_LAYER_PLAIN,     /* a datagram after decryption */
    SB_LAYER_TRANSPORT, /* one transport message: Ack, NoOp, Name, Connect, Boot, Disconnect, empty
                           Data, or a Data fragment that does not complete its message */
    SB_LAYER_MESSAGE,   /* one game message, opcode first */
    SB_LAYER_GAMESPY,   /* query text */
    SB_LAYER_COUNT
} sb_layer;

/* "datagram", "plain", "transport", "message", "gamespy" */
const char *sb_layer_name(sb_layer layer);
bool        sb_find_layer(const char *name, sb_layer *out);

typedef struct sb_record {
    uint64_t    number;   /* of this record, from 1 */
    uint64_t    datagram; /* number of its datagram or input line, from 1 */
    const char *file;     /* name of the input if there are several, else NULL */
    sb_layer    layer;

    bool        has_time;
    int64_t     time_us; /* since the epoch */
    bool        has_endpoints;
    sb_endpoint source, destination;

    sb_side from;
    bool    has_peer_id;
    uint8_t peer_id; /* byte 0 of the datagram: the sender */

    bool                 has_transport; /* always in TRANSPORT; in MESSAGE if from a datagram */
    sb_transport_message transport;
    unsigned             fragment_count; /* MESSAGE: number of its fragments; 0: not fragmented */
    bool                 retransmission; /* a copy of a message seen before */
    bool                 repeated;       /* a copy of an Ack seen before, which is no loss */
    unsigned             gap;            /* sequence numbers missing right before this one */
    bool                 late;           /* fills a gap reported before */

    sb_span bytes; /* the bytes of the record's layer; lent until the next record */
    sb_span plain; /* its whole decrypted datagram; empty if there is none */

    sb_message_context context; /* how to read `bytes` of a MESSAGE */

    /* Set for a StateUpdate of a capture; see starbase/layout.h. */
    sb_layout_fit     shield_fit;     /* which layouts its SUBSYS block fits */
    sb_layout_verdict shield_verdict; /* the sender's layout, inferred from all its blocks so far */
    bool              shield_layout_changed; /* this block changed the layout learned so far */

    sb_result         result;
    sb_refusal        refusal; /* when result is not SB_OK; offset counts in `bytes` */
    const sb_message *message; /* MESSAGE with SB_OK: decoded, lent until the next record */
} sb_record;

#endif
