/* apps/serve/control_socket.h -- where the control socket is, and who may use it.
 *
 * For:      control.c.
 * Never:    takes the place of a server that is running.
 */
#ifndef SB_APPS_SERVE_CONTROL_SOCKET_H
#define SB_APPS_SERVE_CONTROL_SOCKET_H

#include "admin/actor.h"
#include "platform/control_path.h"

#include <sys/types.h>

typedef struct serve_control_socket {
    int   listener, lock; /* descriptors; -1: not open */
    char  path[SB_CONTROL_PATH_MAX], lock_path[SB_CONTROL_PATH_MAX + 8];
    gid_t group;
    bool  has_group;
} serve_control_socket;

/* Listens in the first folder where that is possible. False: in none, and `reasons` says why. */
bool serve_control_bind(serve_control_socket *k, const char *instance, char *reasons,
                        size_t capacity);
/* Removes the socket. Does nothing if it is not open. */
void serve_control_release(serve_control_socket *k);
/* The user behind a connection: root, the server's own user and members of the group may use it.
 * False: another one, and `out` has its name. */
bool serve_control_identify(const serve_control_socket *k, int descriptor, sb_actor *out);

#endif
