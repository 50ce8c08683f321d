/* src/transport/player_name.h -- names from strangers, made harmless. Spec 01 §10.3.
 *
 * For:      host and client. What others get to see is always the cleaned form.
 */
#ifndef SB_TRANSPORT_PLAYER_NAME_H
#define SB_TRANSPORT_PLAYER_NAME_H

#include <starbase/transport.h>

/* UTF-16LE with its terminator. */
typedef struct sb_player_name {
    uint8_t bytes[2 * SB_NAME_UNITS + 2];
    uint8_t size; /* with the terminator; 0: never named */
} sb_player_name;

/* Up to a terminator or the end: unpaired surrogates, control characters and the backslash vanish,
 * spaces at both ends, too; the rest is cut to SB_NAME_UNITS; nothing left becomes "Player N"
 * (spec 12 #6). */
void sb_player_name_clean(sb_player_name *name, sb_span text, uint8_t peer_id);

static inline sb_span sb_player_name_text(const sb_player_name *name)
{
    return (sb_span){ name->bytes, name->size >= 2 ? name->size - 2u : 0 };
}

#endif
