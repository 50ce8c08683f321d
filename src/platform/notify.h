/* src/platform/notify.h -- tells systemd the state of the service, and feeds its watchdog.
 *
 * For:      `starbase serve` as a unit with Type=notify. sd_notify(3) describes the protocol: texts
 *           in datagrams to the socket that NOTIFY_SOCKET names.
 * Never:    blocks: a text that does not fit into the socket is dropped. Without NOTIFY_SOCKET every
 *           call has no effect.
 * Tests:    tests/platform/notify_test.c, tests/apps/notify_test.py
 */
#ifndef SB_PLATFORM_NOTIFY_H
#define SB_PLATFORM_NOTIFY_H

#include <starbase/base.h>
#include <sys/socket.h>
#include <sys/un.h>

typedef struct sb_notify {
    int                descriptor; /* -1: nobody wants to know */
    struct sockaddr_un to;
    socklen_t          to_size;
    sb_time            watchdog_us; /* it wants to be fed this often; 0: there is no watchdog */
} sb_notify;

/* Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID and removes them from the environment, so
 * that child processes do not speak for this one. */
void sb_notify_open(sb_notify *notify);
void sb_notify_close(sb_notify *notify);
/* The service is ready; `status` is a sentence for `systemctl status`. Also ends a reload. */
void sb_notify_ready(const sb_notify *notify, const char *status);
void sb_notify_reloading(const sb_notify *notify);
void sb_notify_stopping(const sb_notify *notify);
/* Feeds the watchdog: call it twice in watchdog_us as long as all is well. */
void sb_notify_alive(const sb_notify *notify);

#endif
