/* src/inspect/undecoded.h -- bytes that were accepted and yet not understood.
 *
 * For:      --stats, which lists them, and --strict, which fails for them: both must agree.
 */
#ifndef SB_INSPECT_UNDECODED_H
#define SB_INSPECT_UNDECODED_H

#include "inspect/record.h"

/* Bytes that a message keeps because nobody knows what they mean: SUBSYS of an unknown ship, mod
 * types, unknown classes. Empty: none. */
sb_span sb_message_opaque_bytes(const sb_message *message);

/* True if all of the record was understood: it and what is in it decodes, nothing in it is opaque
 * and nothing is left over. */
bool sb_record_is_understood(const sb_record *record);

#endif
