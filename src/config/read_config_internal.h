/* src/config/read_config_internal.h -- what the files that read a configuration share.
 *
 * read_config.c    defaults, and the order of the sources
 * read_file.c      server.lua
 * read_settings.c  environment and command line
 */
#ifndef SB_CONFIG_READ_CONFIG_INTERNAL_H
#define SB_CONFIG_READ_CONFIG_INTERNAL_H

#include "config/keys.h"
#include "config/process_config.h"

/* Where the key is stored: the process, or a room. */
static inline void *sb_key_record(sb_process_config *config, sb_room_config *room,
                                  const sb_key *key)
{
    return key->of_room ? (void *)room : (void *)config;
}

/* `file` NULL: there is none. */
SB_MUST_USE sb_result sb_process_config_read_file(sb_process_config *config, const char *file);
/* Variables of other programs are left out. `environment` may be NULL. */
SB_MUST_USE sb_result sb_process_config_read_environment(sb_process_config *config,
                                                         const char *const *environment);
/* A flag or --set. */
SB_MUST_USE sb_result sb_process_config_read_setting(sb_process_config *config,
                                                     const sb_setting  *s);

#endif
