/* src/inspect/split.h -- one datagram to a record per message in it, without any memory.
 *
 * For:      single datagrams, given as hex. Captures go through the dissector, which also knows
 *           what came before: fragments, retransmissions, the species of ships.
 */
#ifndef SB_INSPECT_SPLIT_H
#define SB_INSPECT_SPLIT_H

#include "inspect/dissector.h"

/* Records of the messages of `datagram` (layer DATAGRAM or PLAIN), numbered from its own number
 * on; and the record itself if it was refused, has no message, or bytes are left over. */
void sb_record_split(const sb_record *datagram, sb_message *buffer, const sb_record_sink *sink);

#endif
