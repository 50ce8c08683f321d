/* src/platform/control_path.h -- where servers have their control sockets, and how ctl finds them.
 *
 * For:      `starbase serve`, which opens a socket, and `starbase ctl`, which connects to one.
 * May use:  files and the environment.
 * Never:    uses a folder that others may write to, such as /tmp.
 */
#ifndef SB_PLATFORM_CONTROL_PATH_H
#define SB_PLATFORM_CONTROL_PATH_H

#include <stdbool.h>
#include <stddef.h>

enum {
    SB_CONTROL_FOLDERS = 2,
    SB_CONTROL_PATH_MAX = 100, /* with its NUL: a socket's path has 108 bytes at most */
    SB_CONTROL_NAME_MAX = 32,
    SB_CONTROL_FOUND_MAX = 32,
};

#define SB_CONTROL_GROUP "starbase"

/* The folder number `index`: /run/starbase, then $XDG_RUNTIME_DIR/starbase. STARBASE_CONTROL_DIR
 * replaces both. False: the variable is not set, or too long. */
bool sb_control_folder(unsigned index, char out[SB_CONTROL_PATH_MAX]);
/* FOLDER/INSTANCE.ctl; false: too long. */
bool sb_control_path(const char *folder, const char *instance, char out[SB_CONTROL_PATH_MAX]);
/* Makes the folder if it is missing. NULL: this process can have a socket there. Otherwise what is
 * wrong with it. */
const char *sb_control_prepare(const char *folder);

/* The instances with a socket in any folder, at most `max`; `paths` gets the paths of the
 * sockets. */
size_t sb_control_list(char names[][SB_CONTROL_NAME_MAX], char paths[][SB_CONTROL_PATH_MAX],
                       size_t max);

#endif
