/* src/inspect/show.h -- gives the fields of a record of any layer to a sink.
 *
 * For:      renderers and filters: they receive named fields and need not know the layers.
 * Never:    keeps state between records.
 *
 * In a datagram, the payload of each unfragmented Data message that decodes is followed by a group
 * `message` with `opcode`, `name` and `fields`. Offsets count from the first byte of
 * sb_record_shown_bytes.
 */
#ifndef SB_INSPECT_SHOW_H
#define SB_INSPECT_SHOW_H

#include "inspect/record.h"

/* The bytes that sb_show_record shows: those of the record, after decryption. */
sb_span sb_record_shown_bytes(const sb_record *record);
/* "StateUpdate", "Ack", "Datagram", "GameSpy"; never NULL. A valid datagram with a single message
 * has the name and the opcode of that message. */
const char *sb_record_name(const sb_record *record);
/* The published name if it differs from sb_record_name, else NULL. */
const char *sb_record_published(const sb_record *record);
/* False: the record has no opcode. */
bool sb_record_opcode(const sb_record *record, uint8_t *opcode);

SB_MUST_USE sb_result sb_show_record(const sb_record *record, const sb_sink *sink,
                                     sb_refusal *refusal);

/* Decodes a datagram and explains a refusal: unless the result is SB_OK, `refusal` is set and names
 * a field. After SB_UNKNOWN_OPCODE and SB_TRAILING `out` has the messages before the fault. */
sb_result sb_inspect_datagram(sb_span plain, sb_datagram *out, sb_refusal *refusal);

/* Sets result and refusal of a record whose layer, bytes, plain and context are set. A MESSAGE is
 * decoded to `message`, which the record then borrows. */
void sb_record_decode(sb_record *record, sb_message *message);

/* Why the record was refused, as a text for people; never NULL. */
const char *sb_record_reason(const sb_record *record);

#endif
