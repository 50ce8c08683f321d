/* src/config/resolve_config.h -- the last step of a configuration: from names to what they name.
 *
 * For:      server_config.c, and whoever sends a person's words to players.
 * May use:  data files, manifests, masterserver.txt.
 */
#ifndef SB_CONFIG_RESOLVE_CONFIG_H
#define SB_CONFIG_RESOLVE_CONFIG_H

#include "config/process_config.h"

/* Loads what the rooms name, numbers them, and fills their sb_server_config. As
 * sb_process_config_load. */
SB_MUST_USE sb_result sb_process_config_resolve(sb_process_config *config);

/* UTF-8 as the game has its texts, Windows-1252, cut at `capacity` bytes; what it cannot have
 * becomes '?'. */
sb_span sb_windows1252_from_utf8(const char *text, uint8_t *out, size_t capacity);

#endif
