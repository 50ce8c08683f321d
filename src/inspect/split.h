/* src/inspect/split.h -- splits a datagram into a record per message.
 *
 * For:      single datagrams, given as hex. Captures need the dissector, which also follows
 *           fragments, retransmissions and the species of ships across datagrams.
 * Never:    keeps state between datagrams.
 */
#ifndef SB_INSPECT_SPLIT_H
#define SB_INSPECT_SPLIT_H

#include "inspect/dissector.h"

/* Gives a record per message of `datagram` (layer DATAGRAM or PLAIN) to `sink`; the first has the
 * number of `datagram`. Then gives `datagram` itself if it was refused, has no message or has bytes
 * after its last message. Messages are decoded to `buffer`, one after another. */
void sb_record_split(const sb_record *datagram, sb_message *buffer, const sb_record_sink *sink);

#endif
