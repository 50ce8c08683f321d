/* src/config/resolve_config.h -- the last step of a configuration: from names to what they name.
 *
 * For:      server_config.c.
 * May use:  data files, manifests, masterserver.txt.
 */
#ifndef SB_CONFIG_RESOLVE_CONFIG_H
#define SB_CONFIG_RESOLVE_CONFIG_H

#include "config/process_config.h"

/* Loads what the rooms name, numbers them, and fills their sb_server_config. As
 * sb_process_config_load. */
SB_MUST_USE sb_result sb_process_config_resolve(sb_process_config *config);

#endif
