/* src/inspect/undecoded.h -- finds bytes that were accepted but have no known meaning.
 *
 * For:      --stats, which lists such bytes, and --strict, which fails for them: both use the same
 *           definition.
 */
#ifndef SB_INSPECT_UNDECODED_H
#define SB_INSPECT_UNDECODED_H

#include "inspect/record.h"

/* The bytes of a message that have no known meaning: SUBSYS of an unknown ship, object types of
 * mods, unknown event classes. Empty: there are none. */
sb_span sb_message_opaque_bytes(const sb_message *message);

/* True if the record and all messages in it decode and have neither opaque nor trailing bytes. */
bool sb_record_is_understood(const sb_record *record);

#endif
