/* tests/player_messages.h -- messages that a test player sends.
 *
 * For:      the rigs of tests/server (a room in memory) and tests/e2e (the program over UDP).
 */
#ifndef TESTS_PLAYER_MESSAGES_H
#define TESTS_PLAYER_MESSAGES_H

#include <starbase/manifest.h>
#include <starbase/ship_state.h>

/* Hex with blanks to bytes; {id} is the peer id and {ship} the object id, as four bytes each,
 * little-endian. Returns the size. */
size_t player_hex(const char *hex, uint32_t peer_id, uint32_t ship_id, uint8_t *out,
                  size_t capacity);
/* A PlayerObjectCreate (0x03) of a stock ship at `position`. Returns the size. */
size_t player_creation(uint8_t species, uint32_t object_id, uint8_t peer_id, sb_vec3 position,
                       const char *set, uint8_t *out, size_t capacity);
/* The answer of a client with these files to a checksum request; lent until the next call. */
sb_span player_checksum_answer(sb_span request, const sb_manifest *manifest);

#endif
