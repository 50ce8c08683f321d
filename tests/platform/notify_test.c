/* tests/platform/notify_test.c -- what systemd receives, on sockets of both kinds. */
#include "platform/notify.h"

#include "test.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int systemd; /* the socket that stands for it */

static void listen_at(const char *name)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    memcpy(at.sun_path, name, strlen(name));
    if (name[0] == '@') at.sun_path[0] = '\0';
    systemd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    CHECK(systemd >= 0);
    CHECK_EQ(bind(systemd, (struct sockaddr *)&at,
                  (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name))),
             0);
    setenv("NOTIFY_SOCKET", name, 1);
}

static const char *receive(void)
{
    static char text[1024];
    ssize_t     size = recv(systemd, text, sizeof text - 1, 0);
    text[size > 0 ? size : 0] = '\0';
    return text;
}

TEST(states_reach_an_abstract_socket)
{
    char      name[64];
    sb_notify n;
    snprintf(name, sizeof name, "@starbase-notify-test-%d", (int)getpid());
    listen_at(name);
    sb_notify_open(&n);
    sb_notify_ready(&n, "2 rooms are ready");
    CHECK_TEXT(receive(), "READY=1\nSTATUS=2 rooms are ready\n");
    sb_notify_reloading(&n);
    const char *text = receive();
    CHECK(strncmp(text, "RELOADING=1\nMONOTONIC_USEC=", 27) == 0);
    CHECK(atoll(text + 27) > 0);
    sb_notify_alive(&n);
    CHECK_TEXT(receive(), "WATCHDOG=1\n");
    sb_notify_stopping(&n);
    CHECK(strncmp(receive(), "STOPPING=1\n", 11) == 0);
    sb_notify_close(&n);
    close(systemd);
}

TEST(states_reach_a_socket_in_the_file_system)
{
    char      folder[] = "/tmp/notify-test-XXXXXX", name[64];
    sb_notify n;
    CHECK(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/socket", folder);
    listen_at(name);
    sb_notify_open(&n);
    sb_notify_alive(&n);
    CHECK_TEXT(receive(), "WATCHDOG=1\n");
    sb_notify_close(&n);
    close(systemd);
    unlink(name);
    rmdir(folder);
}

TEST(without_a_socket_nothing_happens)
{
    static const char *const names[] = { "", "relative", "@", "/" };
    sb_notify                n;
    unsetenv("NOTIFY_SOCKET");
    setenv("WATCHDOG_USEC", "1000000", 1);
    sb_notify_open(&n);
    CHECK_EQ(n.descriptor, -1);
    CHECK_EQ(n.watchdog_us, 0);
    sb_notify_ready(&n, "unheard");
    sb_notify_close(&n);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        setenv("NOTIFY_SOCKET", names[i], 1);
        sb_notify_open(&n);
        CHECK_EQ(n.descriptor, -1);
        sb_notify_alive(&n);
    }
}

TEST(a_socket_that_takes_no_more_does_not_block)
{
    char      name[64];
    sb_notify n;
    snprintf(name, sizeof name, "@starbase-notify-full-%d", (int)getpid());
    listen_at(name);
    sb_notify_open(&n);
    for (int i = 0; i < 100000; i++) sb_notify_alive(&n);
    CHECK_TEXT(receive(), "WATCHDOG=1\n");
    sb_notify_close(&n);
    close(systemd);
}

static sb_time interval(const char *usec, const char *pid)
{
    sb_notify n;
    setenv("NOTIFY_SOCKET", "@starbase-nobody", 1);
    setenv("WATCHDOG_USEC", usec, 1);
    if (pid) setenv("WATCHDOG_PID", pid, 1);
    sb_notify_open(&n);
    sb_time us = n.watchdog_us;
    sb_notify_close(&n);
    return us;
}

TEST(the_watchdog_is_for_the_process_that_it_names)
{
    char own[24];
    snprintf(own, sizeof own, "%d", (int)getpid());
    CHECK_EQ(interval("30000000", NULL), 30000000);
    CHECK_EQ(interval("30000000", own), 30000000);
    CHECK_EQ(interval("30000000", "1"), 0);
    CHECK_EQ(interval("soon", NULL), 0);
    CHECK_EQ(interval("-5", NULL), 0);
    CHECK_EQ(interval("12x", NULL), 0);
}

TEST(child_processes_do_not_inherit_the_socket)
{
    sb_notify n;
    setenv("NOTIFY_SOCKET", "@starbase-nobody", 1);
    setenv("WATCHDOG_USEC", "5", 1);
    sb_notify_open(&n);
    CHECK(!getenv("NOTIFY_SOCKET") && !getenv("WATCHDOG_USEC") && !getenv("WATCHDOG_PID"));
    sb_notify_close(&n);
}
