/* apps/doctor/doors.c -- the control socket, and the port for metrics.
 *
 * Tests:    tests/apps/doctor_test.py
 */
#include "doctor/doctor.h"

#include "platform/control_path.h"
#include "platform/udp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* 0, or the errno of the connection, which takes at most two seconds. */
static int connect_error(const struct sockaddr *address, socklen_t size)
{
    const struct timeval limit = { .tv_sec = 2 };
    int                  descriptor = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int                  error = descriptor < 0 ? errno : 0;
    if (descriptor < 0) return error;
    (void)setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (connect(descriptor, address, size) != 0) error = errno;
    (void)close(descriptor);
    return error;
}

/* ---- the control socket ---- */

static int connect_local(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path) return ENAMETOOLONG;
    memcpy(address.sun_path, path, strlen(path) + 1);
    return connect_error((const struct sockaddr *)(const void *)&address, sizeof address);
}

/* The first place that has the socket; else the first place. */
static void find_socket(const char *instance, char out[SB_CONTROL_PATH_MAX])
{
    char folder[SB_CONTROL_PATH_MAX], path[SB_CONTROL_PATH_MAX];
    out[0] = '\0';
    for (unsigned i = 0; i < SB_CONTROL_FOLDERS; i++) {
        if (!sb_control_folder(i, folder) || !sb_control_path(folder, instance, path)) continue;
        bool found = access(path, F_OK) == 0;
        if (found || !out[0]) memcpy(out, path, sizeof path);
        if (found) return;
    }
}

void doctor_check_control(doctor *d)
{
    char        path[SB_CONTROL_PATH_MAX];
    const char *instance = d->config->instance;
    if (instance[0] == '\0') {
        doctor_report(d, DOCTOR_NOTE, "off: instance is empty, so `starbase ctl` cannot be used");
        return;
    }
    find_socket(instance, path);
    int error = connect_local(path);
    if (error == 0) d->is_running = true; /* at a port that nobody knows before (port = 0) */
    if (error == 0) doctor_report(d, DOCTOR_OK, "%s answers: `starbase ctl status`", path);
    else if (error == EACCES)
        doctor_report(d, DOCTOR_TODO,
                      "%s is not for this user: `usermod -aG starbase USER`, then log in again",
                      path);
    else if (d->is_running)
        doctor_report(
            d, DOCTOR_TODO,
            "the server runs without %s (%s): its log says why (`journalctl -u starbase`)", path,
            strerror(error));
    else doctor_report(d, DOCTOR_OK, "no server is running, so %s is not there yet", path);
}

/* ---- metrics ---- */

static int connect_http(sb_endpoint http)
{
    uint32_t           host = http.address ? http.address : INADDR_LOOPBACK;
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(http.port) };
    address.sin_addr.s_addr = htonl(host);
    return connect_error((const struct sockaddr *)(const void *)&address, sizeof address);
}

void doctor_check_http(doctor *d)
{
    char        text[SB_ENDPOINT_TEXT];
    sb_endpoint http = d->config->http_address;
    if (d->config->http[0] == '\0') {
        doctor_report(d, DOCTOR_OK, "off: no metrics; http = 9600 shows them to this machine");
        return;
    }
    sb_endpoint_text(http, text);
    bool open = http.port > 0 && connect_http(http) == 0;
    if (open && d->is_running) doctor_report(d, DOCTOR_OK, "TCP %s answers", text);
    else if (open)
        doctor_report(d, DOCTOR_TODO,
                      "TCP %s: another program is there: stop it, or choose another `http`", text);
    else if (d->is_running && http.port > 0)
        doctor_report(d, DOCTOR_TODO, "TCP %s does not answer: `systemctl restart starbase`", text);
    else doctor_report(d, DOCTOR_OK, "TCP %s is free", text);
    if (http.address >> 24 != 127)
        doctor_report(d, DOCTOR_NOTE,
                      "%s may be reached from other machines: everybody sees the names of players",
                      text);
}
