/* apps/serve/control_socket.c -- where the control socket is, and who may use it.
 *
 * For:      control.c.
 * Tests:    tests/apps/ctl_test.py
 */
#include "serve/control_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 16, GROUPS_MAX = 256 };

/* ---- who may connect ---- */

static bool is_in_group(int descriptor, const struct ucred *peer, gid_t group)
{
    gid_t     groups[GROUPS_MAX];
    socklen_t size = sizeof groups;
    if (peer->gid == group) return true;
#ifdef SO_PEERGROUPS
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups, &size) != 0) return false;
    for (size_t i = 0; i < size / sizeof *groups; i++)
        if (groups[i] == group) return true;
#else
    (void)descriptor;
    (void)groups;
    (void)size;
#endif
    return false;
}

bool serve_control_identify(const serve_control_socket *k, int descriptor, sb_actor *out)
{
    struct ucred peer;
    socklen_t    size = sizeof peer;
    *out = (sb_actor){ .door = SB_DOOR_CTL, .role = SB_ROLE_OPERATOR, .name = "ctl:?" };
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
    bool allowed = peer.uid == 0 || peer.uid == geteuid() ||
                   (k->has_group && is_in_group(descriptor, &peer, k->group));
    const struct passwd *user = getpwuid(peer.uid);
    if (user) snprintf(out->name, sizeof out->name, "ctl:%s", user->pw_name);
    else snprintf(out->name, sizeof out->name, "ctl:%lu", (unsigned long)peer.uid);
    return allowed;
}

/* ---- open and close ---- */

static void set_group(serve_control_socket *k)
{
    const struct group *g = getgrnam(SB_CONTROL_GROUP);
    k->has_group = g != NULL;
    if (g) k->group = g->gr_gid;
}

/* The lock tells a living server from a socket that a dead one has left. */
static const char *take_lock(serve_control_socket *k)
{
    snprintf(k->lock_path, sizeof k->lock_path, "%s.lock", k->path);
    k->lock = open(k->lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (k->lock < 0) return strerror(errno);
    if (flock(k->lock, LOCK_EX | LOCK_NB) == 0) return NULL;
    return errno == EWOULDBLOCK ? "another server with this instance is running there; choose "
                                  "another name with --instance"
                                : strerror(errno);
}

/* A socket has the group of its process. The service's own group is that of the doors, and its
 * filter of system calls refuses chown: it is called only for another group. */
static bool give_to_group(const serve_control_socket *k)
{
    struct stat status;
    if (!k->has_group) return false;
    return (stat(k->path, &status) == 0 && status.st_gid == k->group) ||
           chown(k->path, (uid_t)-1, k->group) == 0;
}

static const char *bind_socket(serve_control_socket *k)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    snprintf(address.sun_path, sizeof address.sun_path, "%s", k->path);
    k->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (k->listener < 0) return strerror(errno);
    (void)unlink(k->path);
    if (bind(k->listener, (const struct sockaddr *)&address, sizeof address) != 0)
        return strerror(errno);
    /* The rights are set before listen, so that no client connects too early. */
    k->has_group = give_to_group(k);
    if (chmod(k->path, k->has_group ? 0660 : 0600) != 0) return strerror(errno);
    return listen(k->listener, BACKLOG) == 0 ? NULL : strerror(errno);
}

void serve_control_release(serve_control_socket *k)
{
    if (k->listener >= 0) {
        (void)close(k->listener);
        (void)unlink(k->path);
    }
    if (k->lock >= 0) (void)close(k->lock);
    k->listener = k->lock = -1;
}

static const char *open_in(serve_control_socket *k, const char *folder, const char *instance)
{
    const char *why = sb_control_prepare(folder);
    if (!why && !sb_control_path(folder, instance, k->path)) why = "its name is too long";
    if (why) return why;
    why = take_lock(k);
    if (!why) why = bind_socket(k);
    if (why) serve_control_release(k);
    return why;
}

bool serve_control_bind(serve_control_socket *k, const char *instance, char *reasons,
                        size_t capacity)
{
    char   folder[SB_CONTROL_PATH_MAX];
    size_t size = 0;
    *k = (serve_control_socket){ .listener = -1, .lock = -1 };
    set_group(k);
    reasons[0] = '\0';
    for (unsigned i = 0; i < SB_CONTROL_FOLDERS; i++) {
        if (!sb_control_folder(i, folder)) continue;
        const char *why = open_in(k, folder, instance);
        if (!why) return true;
        int added =
            snprintf(reasons + size, capacity - size, "%s%s: %s", size ? "; " : "", folder, why);
        if (added > 0 && size + (size_t)added < capacity) size += (size_t)added;
    }
    return false;
}
