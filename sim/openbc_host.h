/* sim/openbc_host.h -- a model of an OpenBC server: a host with the deviations that spec 01 lists.
 *
 * For:      interop tests and the simulator; used as foreign.h describes. Written from spec 01 §6.9
 *           and §12 (rows 5-8, 14, 17, 22) alone; the model does the simplest thing in all points
 *           that these sections leave open. It sends no fragments.
 * Spec:     01 §6.9, §12.
 */
#ifndef SIM_OPENBC_HOST_H
#define SIM_OPENBC_HOST_H

#include <starbase/datagram.h>

#include "sim/foreign.h"

enum {
    SIM_OPENBC_CLIENTS = 4,
    SIM_OPENBC_OUTBOX = 1024, /* reliable messages of one client that wait for their Ack */
    SIM_OPENBC_ACKS = 512,
};

typedef struct sim_openbc_config {
    sb_time  tick_us;           /* 33 ms */
    sb_time  resend_us;         /* 2 s between retransmissions (row 14) */
    uint32_t resends;           /* 8; then the client is removed (row 14) */
    sb_time  timeout_us;        /* 30 s (row 17) */
    sb_time  name_repeat_us;    /* 1 s, with the old number (row 7); 0: never */
    uint32_t message_limit;     /* 32: messages parsed per datagram; the rest is ignored (§6.9) */
    bool     eight_bit_numbers; /* 255 is followed by 0 (row 5); off: 16 bits */
    bool     plain_fragment_acks;  /* four bytes, no index (row 6); off: as stock */
    bool     refuses_noop;         /* a NoOp makes it refuse the datagram (§6.9); off: skips it */
    bool     closes_with_their_id; /* Disconnect names the client (§6.9); off: the host */
    bool     knows_disconnect; /* off: a client's Disconnect (0x05) is only acknowledged, because
                                  that type has another meaning there (row 8) */
    sb_span          first_message; /* Data that follows the Connect response; borrowed */
    sim_foreign_hook hook;
} sim_openbc_config;

typedef struct sim_openbc_totals {
    uint64_t datagrams_in, datagrams_out;
    uint64_t refused;      /* datagrams it could not parse */
    uint64_t refused_noop; /* of these: because of a NoOp */
    uint64_t unread;       /* messages beyond the limit */
    uint64_t delivered;    /* Data messages, duplicates included */
    uint64_t acks_out, acks_in, acks_unmatched;
    uint64_t retransmitted, gave_up, timed_out, name_copies;
} sim_openbc_totals;

/* A message that waits for its first send or its Ack. */
typedef struct sim_openbc_entry {
    uint8_t  type;
    bool     reliable;
    uint16_t number;
    uint32_t sends;
    sb_time  last_sent;
    size_t   size;
    uint8_t  bytes[SB_MESSAGE_MAX];
} sim_openbc_entry;

typedef struct sim_openbc_client {
    bool              used;
    uint8_t           id;
    sb_endpoint       address;
    sb_time           heard_at;
    uint16_t          next_number[2]; /* control, data */
    sim_openbc_entry *outbox[SIM_OPENBC_OUTBOX];
    size_t            outbox_count;
    uint8_t           acks[SIM_OPENBC_ACKS][5]; /* counter, zero, flags, index, size */
    size_t            ack_count;
    sim_openbc_entry  name; /* the copy that is repeated; sends == 0: none */
    /* The fragmented message that is being reassembled. */
    uint16_t fragment_number;
    uint8_t  fragment_total; /* 0: fragment 0 has not arrived */
    size_t   fragment_size[256];
    uint8_t *fragments[256];
} sim_openbc_client;

typedef struct sim_openbc_host {
    sim_openbc_config config;
    sim_openbc_totals totals;
    sim_openbc_client clients[SIM_OPENBC_CLIENTS];
    sb_time           origin, next_tick;
    size_t            turn; /* index of the next client that may write in this tick */
} sim_openbc_host;

/* All deviations on. */
void sim_openbc_defaults(sim_openbc_config *config);
/* `host` must not move afterwards. */
void sim_openbc_init(sim_openbc_host *host, const sim_openbc_config *config, sb_time now);
void sim_openbc_clear(sim_openbc_host *host);

void    sim_openbc_receive(sim_openbc_host *host, sb_time now, sb_endpoint from, sb_span datagram);
void    sim_openbc_tick(sim_openbc_host *host, sb_time now);
size_t  sim_openbc_write(sim_openbc_host *host, sb_time now, sb_endpoint *to, uint8_t *out);
sb_time sim_openbc_next_deadline(const sim_openbc_host *host);

/* At most 407 bytes. */
void sim_openbc_send(sim_openbc_host *host, uint8_t peer_id, bool reliable, sb_span message);
/* Sends Disconnect. A client is removed when it acknowledges the Disconnect, or after the last
 * retransmission. */
void sim_openbc_stop(sim_openbc_host *host);
/* The client with this id; NULL: none. */
sim_openbc_client *sim_openbc_find(sim_openbc_host *host, uint8_t peer_id);

#endif
