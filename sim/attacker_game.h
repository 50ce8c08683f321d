/* sim/attacker_game.h -- game messages that an off-path attacker forges.
 *
 * For:      simulated matches under attack: the payload of a sim_attacker.
 * Never:    knows the game's clock, or which ships fly: ids of ships and times are guessed.
 */
#ifndef SIM_ATTACKER_GAME_H
#define SIM_ATTACKER_GAME_H

#include "sim/attacker.h"

/* A sim_forged_payload: creations, StateUpdates with times ahead, chat in another's name, restarts,
 * events of fire. The first text of forged chat is SIM_FORGED_CHAT. `context` is not used. */
#define SIM_FORGED_CHAT "FORGED"
size_t sim_forge_game_message(void *context, sb_random *random, uint8_t peer_id, uint8_t *out);

#endif
