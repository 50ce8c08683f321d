/* src/platform/notify.c -- see notify.h. */
#include "platform/notify.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/clock.h"

/* A path, or an abstract address that begins with '@'. False: neither, or too long. */
static bool set_address(sb_notify *n, const char *name)
{
    size_t size = strlen(name);
    if ((name[0] != '/' && name[0] != '@') || size < 2 || size >= sizeof n->to.sun_path)
        return false;
    n->to = (struct sockaddr_un){ .sun_family = AF_UNIX };
    memcpy(n->to.sun_path, name, size);
    if (name[0] == '@') n->to.sun_path[0] = '\0';
    n->to_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
    return true;
}

static sb_time number_of(const char *variable)
{
    const char *text = getenv(variable);
    char       *end;
    if (!text || text[0] < '0' || text[0] > '9') return 0;
    long long value = strtoll(text, &end, 10);
    return *end == '\0' ? value : 0;
}

/* WATCHDOG_PID names the process that has to feed; without it every process may. */
static sb_time watchdog_interval(void)
{
    sb_time pid = number_of("WATCHDOG_PID");
    return pid == 0 || pid == getpid() ? number_of("WATCHDOG_USEC") : 0;
}

void sb_notify_open(sb_notify *n)
{
    static const char *const variables[] = { "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID" };
    const char              *name = getenv(variables[0]);
    *n = (sb_notify){ .descriptor = -1 };
    if (name && set_address(n, name))
        n->descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (n->descriptor >= 0) n->watchdog_us = watchdog_interval();
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) (void)unsetenv(variables[i]);
}

void sb_notify_close(sb_notify *n)
{
    if (n->descriptor >= 0) (void)close(n->descriptor);
    n->descriptor = -1;
}

static void send_text(const sb_notify *n, const char *text)
{
    if (n->descriptor < 0) return;
    (void)!sendto(n->descriptor, text, strlen(text), MSG_NOSIGNAL, (const struct sockaddr *)&n->to,
                  n->to_size);
}

void sb_notify_ready(const sb_notify *n, const char *status)
{
    char text[512];
    snprintf(text, sizeof text, "READY=1\nSTATUS=%s\n", status);
    send_text(n, text);
}

/* systemd compares the time with that of the signal, so that it does not take an earlier READY for
 * the end of this reload. */
void sb_notify_reloading(const sb_notify *n)
{
    char text[96];
    snprintf(text, sizeof text,
             "RELOADING=1\nMONOTONIC_USEC=%lld\nSTATUS=reading the configuration\n",
             (long long)sb_clock_now());
    send_text(n, text);
}

void sb_notify_stopping(const sb_notify *n)
{
    send_text(n, "STOPPING=1\nSTATUS=saying goodbye to the players\n");
}

void sb_notify_alive(const sb_notify *n)
{
    send_text(n, "WATCHDOG=1\n");
}
