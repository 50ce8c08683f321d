/* src/transport/bounds.h -- limits of messages in flight, for both sides. Spec 01 §6.2, §6.3, §9.
 *
 * For:      host and client. A sender never has more in flight than a Starbase receiver stores. A
 *           host stores little for each of its many peers. A client has one host, so it stores more
 *           and the host may send more ahead; but only with measured retransmission, because a
 *           stock peer may be slow to empty its socket.
 */
#ifndef SB_TRANSPORT_BOUNDS_H
#define SB_TRANSPORT_BOUNDS_H

#include "transport/inbox.h"
#include "transport/outbox.h"

enum { SB_KIB = 1024, SB_MEASURED_NUMBERS = 1024 };

/* Sending with stock retransmission: sequence numbers, bytes in flight, span. */
static const sb_send_bounds sb_bounds_send = { 256, 64 * SB_KIB, 64 * SB_KIB };
/* A host that measures: 100 KiB in datagrams of 512 bytes fill a socket buffer of usual size. */
static const sb_send_bounds sb_bounds_send_measured = { SB_MEASURED_NUMBERS, 100 * SB_KIB,
                                                        192 * SB_KIB };
/* Storing early messages: sequence numbers, bytes, entries. */
static const sb_store_bounds sb_bounds_store_host = { 256, 128 * SB_KIB, 512 };
static const sb_store_bounds sb_bounds_store_client = { 1024, 256 * SB_KIB, 1280 };

/* Wrong passwords (host_connect.c). */
enum {
    SB_PASSWORD_SOURCES = 32,
    SB_PASSWORD_TRIES =
        10, /* answers to wrong passwords of one address in SB_PASSWORD_TRY_SECONDS */
    SB_PASSWORD_TRY_SECONDS = 2,
};

#endif
