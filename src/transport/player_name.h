/* src/transport/player_name.h -- names of players, cleaned of everything that can do harm.
 *
 * For:      host and client. Only the cleaned form is shown or passed on.
 * Spec:     01 §10.3.
 */
#ifndef SB_TRANSPORT_PLAYER_NAME_H
#define SB_TRANSPORT_PLAYER_NAME_H

#include <starbase/transport.h>

/* UTF-16LE with its terminator. */
typedef struct sb_player_name {
    uint8_t bytes[2 * SB_NAME_UNITS + 2];
    uint8_t size; /* bytes with the terminator; 0: no name yet */
} sb_player_name;

/* Sets `name` from `text`, which ends at a terminator or with the span. Removes unpaired
 * surrogates, control characters, backslashes and outer spaces; cuts to SB_NAME_UNITS. An empty
 * result becomes "Player N" (spec 12 #6); with SB_PEER_NONE, an id not known yet, no name. */
void sb_player_name_clean(sb_player_name *name, sb_span text, uint8_t peer_id);

/* The name without its terminator; lent. */
static inline sb_span sb_player_name_text(const sb_player_name *name)
{
    return (sb_span){ name->bytes, name->size >= 2 ? name->size - 2u : 0 };
}

#endif
