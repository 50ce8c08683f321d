/* src/transport/bounds.h -- how far each side may run ahead. Spec 01 §6.2, §6.3, §9.
 *
 * What a sender may have on its way never exceeds what our receiver at the other end keeps. A host
 * keeps little for each of its many peers; a client has only one, so a host may be bolder, but only
 * at the measured pace: towards a peer that may be slow to empty its socket, stock's pace has
 * stock's patience.
 */
#ifndef SB_TRANSPORT_BOUNDS_H
#define SB_TRANSPORT_BOUNDS_H

#include "transport/inbox.h"
#include "transport/outbox.h"

enum { SB_KIB = 1024, SB_MEASURED_NUMBERS = 1024 };

static const sb_send_bounds sb_bounds_send = { 256, 64 * SB_KIB, 64 * SB_KIB };
/* 100 KiB are what a socket's usual buffer holds in datagrams of 512 bytes. */
static const sb_send_bounds  sb_bounds_send_measured = { SB_MEASURED_NUMBERS, 100 * SB_KIB,
                                                         192 * SB_KIB };
static const sb_store_bounds sb_bounds_store_host = { 256, 128 * SB_KIB, 512 };
static const sb_store_bounds sb_bounds_store_client = { 1024, 256 * SB_KIB, 1280 };

#endif
