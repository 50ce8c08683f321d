/* src/config/resolve_config.h -- the step after reading: loads what the keys name.
 *
 * For:      read_config.c.
 * May use:  load/ for data files, manifests and masterserver.txt.
 */
#ifndef SB_CONFIG_RESOLVE_CONFIG_H
#define SB_CONFIG_RESOLVE_CONFIG_H

#include "config/process_config.h"

/* Loads the files that the rooms name, chooses ports and shown names, and fills each room's
 * sb_server_config. Results as sb_process_config_load. */
SB_MUST_USE sb_result sb_process_config_resolve(sb_process_config *config);

#endif
