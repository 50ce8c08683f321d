/* src/run/master_list.c -- see master_list.h.
 *
 * Tests:    tests/apps/query_test.py
 */
#include "run/master_list.h"

#include "platform/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WAIT_MS = 100 };

static const sb_time connect_limit = 5 * SB_SECOND;
static const sb_time answer_limit = 15 * SB_SECOND;
static const sb_time end_wait = SB_SECOND / 2; /* bytes that follow a seeming end of the list */

typedef struct session {
    int   socket;
    char *error;
    bool (*stop)(void *context);
    void *context;
} session;

static sb_result fail(session *s, sb_result result, const char *why)
{
    snprintf(s->error, SB_UDP_ERROR_MAX, "%s", why);
    return result;
}

/* SB_OK: the socket is ready. SB_TRUNCATED: the time is over. */
static sb_result wait_for(session *s, short events, sb_time until)
{
    struct pollfd fd = { .fd = s->socket, .events = events };
    for (;;) {
        if (s->stop && s->stop(s->context)) return fail(s, SB_NOT_ALLOWED, "interrupted");
        if (poll(&fd, 1, WAIT_MS) > 0) return SB_OK;
        if (sb_clock_now() >= until) return SB_TRUNCATED;
    }
}

static sb_result connect_to(session *s, sb_endpoint master)
{
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons(master.port),
                              .sin_addr = { htonl(master.address) } };
    int                problem = 0;
    socklen_t          size = sizeof problem;
    s->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s->socket < 0) return fail(s, SB_OS_ERROR, strerror(errno));
    if (connect(s->socket, (struct sockaddr *)&to, sizeof to) == 0) return SB_OK;
    if (errno != EINPROGRESS) return fail(s, SB_OS_ERROR, strerror(errno));
    sb_result result = wait_for(s, POLLOUT, sb_clock_now() + connect_limit);
    if (result == SB_TRUNCATED) return fail(s, SB_OS_ERROR, "no connection within 5 s");
    if (result != SB_OK) return result;
    (void)getsockopt(s->socket, SOL_SOCKET, SO_ERROR, &problem, &size);
    return problem ? fail(s, SB_OS_ERROR, strerror(problem)) : SB_OK;
}

static sb_result receive_some(session *s, sb_browse *list)
{
    uint8_t bytes[4096];
    ssize_t size = recv(s->socket, bytes, sizeof bytes, 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return SB_OK;
    if (size < 0) return fail(s, SB_OS_ERROR, strerror(errno));
    sb_browse_receive(list, (sb_span){ bytes, (size_t)size }, size == 0);
    return list->state == SB_BROWSE_FAILED ? fail(s, SB_BAD_VALUE, list->error) : SB_OK;
}

/* Receives until the session has left the state. */
static sb_result leave_state(session *s, sb_browse *list, sb_browse_state state)
{
    sb_time until = sb_clock_now() + answer_limit;
    while (list->state == state) {
        sb_result result = wait_for(s, POLLIN, until);
        if (result == SB_TRUNCATED || sb_clock_now() >= until)
            return fail(s, SB_BAD_VALUE, "no answer within 15 s");
        if (result == SB_OK) result = receive_some(s, list);
        if (result != SB_OK) return result;
    }
    return SB_OK;
}

/* The list has ended, unless more bytes come (spec 05 §7). */
static sb_result read_rest(session *s, sb_browse *list)
{
    sb_time until = sb_clock_now() + answer_limit;
    while (list->state == SB_BROWSE_DONE && sb_clock_now() < until) {
        size_t    before = list->size;
        sb_result result = wait_for(s, POLLIN, sb_clock_now() + end_wait);
        if (result == SB_TRUNCATED) return SB_OK;
        if (result == SB_OK) result = receive_some(s, list);
        if (result != SB_OK) return result;
        if (list->size == before) return SB_OK; /* closed */
        if (list->state == SB_BROWSE_LISTING) result = leave_state(s, list, SB_BROWSE_LISTING);
        if (result != SB_OK) return result;
    }
    return SB_OK;
}

static sb_result fetch(session *s, sb_browse *list, sb_endpoint master)
{
    sb_result result = connect_to(s, master);
    if (result == SB_OK) result = leave_state(s, list, SB_BROWSE_GREETING);
    if (result != SB_OK) return result;
    sb_span request = sb_browse_request(list);
    if (send(s->socket, request.data, request.size, MSG_NOSIGNAL) != (ssize_t)request.size)
        return fail(s, SB_OS_ERROR, "the request could not be sent");
    result = leave_state(s, list, SB_BROWSE_LISTING);
    return result == SB_OK ? read_rest(s, list) : result;
}

sb_result sb_master_list_fetch(sb_browse *list, sb_endpoint master, bool (*stop)(void *context),
                               void *context, char error[SB_UDP_ERROR_MAX])
{
    session s = { -1, error, stop, context };
    sb_browse_init(list);
    sb_result result = fetch(&s, list, master);
    if (s.socket >= 0) (void)close(s.socket);
    return result;
}
