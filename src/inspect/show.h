/* src/inspect/show.h -- any record to a sink, whatever its layer.
 *
 * For:      renderers and filters: they see one stream of named fields and need not know layers.
 * Never:    keeps state: a record has all that is needed.
 *
 * In a datagram each whole Data message gets, behind its payload, a group `message` with `opcode`,
 * `name` and `fields` when the payload decodes. Offsets always count from the first byte shown.
 */
#ifndef SB_INSPECT_SHOW_H
#define SB_INSPECT_SHOW_H

#include "inspect/record.h"

/* The bytes in which the offsets of sb_show_record count: those after decryption. */
sb_span sb_record_shown_bytes(const sb_record *record);
/* "StateUpdate", "Ack", "Datagram", "GameSpy". Never NULL. A datagram that is fine and holds just
 * one message has the name of that message, and its opcode. */
const char *sb_record_name(const sb_record *record);
/* The same in the published descriptions where that differs, else NULL. */
const char *sb_record_published(const sb_record *record);
/* False: a record without an opcode. */
bool sb_record_opcode(const sb_record *record, uint8_t *opcode);

SB_MUST_USE sb_result sb_show_record(const sb_record *record, const sb_sink *sink,
                                     sb_refusal *refusal);

/* Splits a datagram and says what is wrong with it: SB_UNKNOWN_OPCODE and SB_TRAILING leave what
 * came before in `out`. `refusal` is set, with a field, unless SB_OK. */
sb_result sb_inspect_datagram(sb_span plain, sb_datagram *out, sb_refusal *refusal);

/* Sets result and refusal of a record whose layer, bytes, plain and context are set. `message` is
 * buffer for a decoded one. */
void sb_record_decode(sb_record *record, sb_message *message);

/* Why it was refused, for people; never NULL. */
const char *sb_record_reason(const sb_record *record);

#endif
