/* apps/serve/control.c -- the control socket: commands of `starbase ctl` and of programs.
 *
 * For:      users of this machine: root, the server's own user, and members of the group starbase.
 *           A request is a line; the answer is a JSON object per line and ends with an object that
 *           has the key "result" (docs/admin.md). After `follow` the log comes, line by line.
 * Never:    lets a client cost the rooms anything: clients, their requests and what they have not
 *           read yet are bounded, and a client that does not read is dropped.
 * Tests:    tests/apps/ctl_test.py, fuzz/admin_fuzz.c
 */
#include "serve/control.h"
#include "serve/control_socket.h"
#include "serve/serve.h"

#include "admin/complete.h"
#include "platform/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
    CLIENTS_MAX = 16,
    FOLLOWERS_MAX = 8,          /* of these: the other places are for commands */
    HUNG_S = 5,                 /* a follower that lost lines and took none for so long is hung */
    OUT_MAX = 4 << 20,          /* bytes of answers that a client has not read */
    FOLLOW_OUT_MAX = 256 << 10, /* the same of log lines: further lines are dropped and counted */
    TAP_BYTES = 256 << 10,      /* log lines on their way to the main thread */
    FOLLOW_WAIT_NS = 20000000,  /* log lines wait so long for others */
    READ_BYTES = 4096,
};

typedef struct client {
    int            descriptor; /* -1: free */
    serve_requests in;
    char          *out; /* allocated */
    size_t         out_size, out_sent, out_capacity;
    sb_time        used_at;
    sb_time        taken_at; /* when the client last read something */
    bool           follows, broken;
    uint64_t       lost; /* log lines since the last one that was sent */
    sb_actor       actor;
} client;

/* Lines of the log, from any thread to the main thread. A line waits a moment for others: the main
 * thread and the followers shall not run just when what the line tells goes out to the players. */
typedef struct tap {
    pthread_mutex_t lock; /* held only to copy */
    int             wake; /* a timerfd */
    uint64_t        lost;
    size_t          size;
    char            bytes[TAP_BYTES];
} tap;

struct serve_control {
    serve_control_socket socket;
    client               clients[CLIENTS_MAX];
    client              *running; /* the client whose command runs */
    sb_log               answers; /* takes lines for `running` */
    size_t               followers;
    tap                  tap;
    char                 drained[TAP_BYTES];
};

/* ---- output ---- */

static void update_events(serve *s, const client *c)
{
    bool pending = c->out_sent < c->out_size;
    serve_watch_events(s, c->descriptor, pending ? POLLOUT : POLLIN);
}

static bool reserve(client *c, size_t bytes, size_t max)
{
    if (c->out_sent > 0) {
        memmove(c->out, c->out + c->out_sent, c->out_size - c->out_sent);
        c->out_size -= c->out_sent;
        c->out_sent = 0;
    }
    if (c->out_size + bytes > max) return false;
    if (c->out_size + bytes <= c->out_capacity) return true;
    size_t capacity = c->out_capacity ? c->out_capacity : 8192;
    while (capacity < c->out_size + bytes) capacity *= 2;
    char *larger = realloc(c->out, capacity);
    if (!larger) return false;
    c->out = larger;
    c->out_capacity = capacity;
    return true;
}

static bool append(client *c, const char *bytes, size_t size, size_t max)
{
    if (!reserve(c, size, max)) return false;
    memcpy(c->out + c->out_size, bytes, size);
    c->out_size += size;
    return true;
}

static void append_answer(client *c, const char *bytes, size_t size)
{
    if (!append(c, bytes, size, OUT_MAX)) c->broken = true;
}

static void take_line(void *context, const sb_log_line *line)
{
    struct serve_control *k = context;
    char                  out[SB_LOG_BYTES_MAX];
    size_t                size = sb_log_format_json(line, out);
    if (k->running) append_answer(k->running, out, size);
}

static void send_out(client *c)
{
    while (c->out_sent < c->out_size && !c->broken) {
        ssize_t sent = send(c->descriptor, c->out + c->out_sent, c->out_size - c->out_sent,
                            MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent > 0) {
            c->out_sent += (size_t)sent;
            c->taken_at = sb_clock_now();
        } else if (sent < 0 && errno == EINTR) continue;
        else if (sent < 0 && errno == EAGAIN) return;
        else c->broken = true;
    }
    if (c->out_sent == c->out_size) c->out_sent = c->out_size = 0;
}

/* ---- clients ---- */

static void close_client(serve *s, client *c)
{
    struct serve_control *k = s->control;
    serve_unwatch(s, c->descriptor);
    (void)close(c->descriptor);
    free(c->out);
    if (c->follows && --k->followers == 0) sb_log_set_tap(&s->log, NULL, NULL);
    *c = (client){ .descriptor = -1 };
}

static void end_request(client *c, sb_reply_status status)
{
    static const char *const words[] = { "fine", "negative", "usage" };
    char                     out[64];
    int size = snprintf(out, sizeof out, "{\"result\":\"%s\",\"status\":%d}\n", words[status],
                        (int)status);
    append_answer(c, out, (size_t)size);
}

static void append_word(void *context, const char *word)
{
    sb_log_line line;
    sb_reply_start(context, &line, SB_LOG_NO_ROOM);
    sb_log_text(&line, "%s", word);
    sb_log_value_word(&line, "word", word);
    sb_log_end(&line);
}

static void run_request(serve *s, client *c, const char *line)
{
    struct serve_control *k = s->control;
    sb_reply              reply;
    sb_reply_init(&reply, &k->answers, "ctl");
    k->running = c;
    if (strncmp(line, "complete ", 9) == 0)
        sb_admin_complete(s->admin, &c->actor, line + 9, append_word, &reply);
    else (void)sb_admin_run(s->admin, &c->actor, line, sb_clock_now(), &reply);
    k->running = NULL;
    end_request(c, reply.status);
}

/* One read for each wake-up, so that no client keeps the main thread from the others. */
static void read_client(serve *s, client *c)
{
    char    bytes[READ_BYTES];
    ssize_t size = recv(c->descriptor, bytes, sizeof bytes, MSG_DONTWAIT);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (size <= 0) {
        c->broken = true;
        return;
    }
    c->used_at = sb_clock_now();
    serve_requests_feed(&c->in, bytes, (size_t)size);
    for (const char *line; !c->broken && !s->stop && (line = serve_requests_next(&c->in));)
        run_request(s, c, line);
    if (c->in.too_long) {
        sb_reply reply;
        sb_reply_init(&reply, &s->control->answers, "ctl");
        s->control->running = c;
        sb_reply_usage(&reply, SB_LOG_NO_ROOM, "a command has at most %d bytes",
                       SB_ADMIN_LINE_MAX - 1);
        s->control->running = NULL;
        end_request(c, SB_REPLY_USAGE);
        c->in.too_long = false;
    }
}

static void on_client(serve *s, void *context, short events)
{
    client *c = context;
    if (events & POLLIN) read_client(s, c);
    else if (events & (POLLHUP | POLLERR)) c->broken = true;
    send_out(c);
    if (c->broken) close_client(s, c);
    else update_events(s, c);
}

/* ---- connections ---- */

/* A free place; with none, that of the client that has been silent longest and does not follow:
 * there is one, because followers do not have all places. */
static client *find_place(serve *s)
{
    client *oldest = NULL;
    for (size_t i = 0; i < CLIENTS_MAX; i++) {
        client *c = &s->control->clients[i];
        if (c->descriptor < 0) return c;
        if (!c->follows && (!oldest || c->used_at < oldest->used_at)) oldest = c;
    }
    if (oldest) close_client(s, oldest);
    return oldest;
}

static void refuse(int descriptor, const char *why)
{
    char out[256];
    int  size = snprintf(out, sizeof out,
                         "{\"message\":\"%s\"}\n{\"result\":\"negative\",\"status\":1}\n", why);
    (void)!send(descriptor, out, (size_t)size, MSG_DONTWAIT | MSG_NOSIGNAL);
    /* Closing with a request unread would take the answer from the client. */
    (void)!recv(descriptor, out, sizeof out, MSG_DONTWAIT);
    (void)shutdown(descriptor, SHUT_RD);
    (void)close(descriptor);
}

static void on_connection(serve *s, void *context, short events)
{
    struct serve_control *k = s->control;
    sb_actor              actor;
    (void)context;
    (void)events;
    int descriptor = accept4(k->socket.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return;
    if (!serve_control_identify(&k->socket, descriptor, &actor)) {
        sb_log_message(&s->log, SB_LOG_WARNING, "ctl", SB_LOG_NO_ROOM,
                       "%s may not use the control socket", actor.name);
        refuse(descriptor, "you may not use this server: ask its operator to add you to the group "
                           "" SB_CONTROL_GROUP);
        return;
    }
    client *c = find_place(s);
    if (!c || !serve_watch(s, descriptor, POLLIN, on_client, c)) {
        refuse(descriptor, "too many programs use the control socket of this server");
        return;
    }
    *c = (client){ .descriptor = descriptor, .used_at = sb_clock_now(), .actor = actor };
}

/* ---- following the log ---- */

/* On any thread, with the lock of the log. */
static void on_log_line(void *context, const char *json, size_t size)
{
    static const struct itimerspec moment = { .it_value = { .tv_nsec = FOLLOW_WAIT_NS } };
    tap                           *t = context;
    pthread_mutex_lock(&t->lock);
    bool was_empty = t->size == 0 && t->lost == 0;
    if (t->size + size <= TAP_BYTES) {
        memcpy(t->bytes + t->size, json, size);
        t->size += size;
    } else t->lost++;
    pthread_mutex_unlock(&t->lock);
    if (was_empty) (void)timerfd_settime(t->wake, 0, &moment, NULL);
}

static void append_lost(client *c, uint64_t lines)
{
    char out[160];
    int  size =
        snprintf(out, sizeof out,
                 "{\"event\":\"lost\",\"lines\":%llu,\"message\":\"lines were lost, %llu of them: "
                 "they came faster than they were read\"}\n",
                 (unsigned long long)lines, (unsigned long long)lines);
    if (append(c, out, (size_t)size, FOLLOW_OUT_MAX)) c->lost = 0;
}

/* Whole lines only: a line that does not fit is counted. */
static void pass_on(client *c, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        const char *end = memchr(bytes + at, '\n', size - at);
        size_t      line = end ? (size_t)(end - bytes) + 1 - at : size - at;
        if (c->lost > 0) append_lost(c, c->lost);
        if (c->lost > 0 || !append(c, bytes + at, line, FOLLOW_OUT_MAX)) c->lost++;
        at += line;
    }
}

static void on_tap(serve *s, void *context, short events)
{
    struct serve_control *k = s->control;
    uint64_t              ignored, lost;
    (void)context;
    (void)events;
    (void)!read(k->tap.wake, &ignored, sizeof ignored);
    pthread_mutex_lock(&k->tap.lock);
    size_t size = k->tap.size;
    memcpy(k->drained, k->tap.bytes, size);
    lost = k->tap.lost;
    k->tap.size = 0;
    k->tap.lost = 0;
    pthread_mutex_unlock(&k->tap.lock);
    for (size_t i = 0; i < CLIENTS_MAX; i++) {
        client *c = &k->clients[i];
        if (c->descriptor < 0 || !c->follows) continue;
        c->lost += lost;
        pass_on(c, k->drained, size);
        send_out(c);
        if (c->broken) close_client(s, c);
        else update_events(s, c);
    }
}

/* A follower that has stopped reading gives its place to the next one. */
static bool make_place_to_follow(serve *s)
{
    struct serve_control *k = s->control;
    sb_time               hung = sb_clock_now() - HUNG_S * SB_SECOND;
    for (size_t i = 0; i < CLIENTS_MAX && k->followers == FOLLOWERS_MAX; i++) {
        client *c = &k->clients[i];
        if (c->follows && c->lost > 0 && c->taken_at < hung) close_client(s, c);
    }
    return k->followers < FOLLOWERS_MAX;
}

static void run_follow(void *context, sb_call *call)
{
    serve                *s = context;
    struct serve_control *k = s->control;
    client               *c = k ? k->running : NULL;
    if (!c) {
        sb_reply_refuse(call->reply, SB_LOG_NO_ROOM,
                        "`follow` is for `starbase ctl`: here the log is shown anyway");
        return;
    }
    if (c->follows) return;
    if (!make_place_to_follow(s)) {
        sb_reply_refuse(call->reply, SB_LOG_NO_ROOM,
                        "%d programs follow the log already, and there is no place for more: end "
                        "one of them",
                        FOLLOWERS_MAX);
        return;
    }
    c->follows = true;
    if (k->followers++ == 0) sb_log_set_tap(&s->log, on_log_line, &k->tap);
}

/* ---- open and close ---- */

static bool open_socket(serve *s, struct serve_control *k)
{
    char reasons[480];
    if (serve_control_bind(&k->socket, s->first->instance, reasons, sizeof reasons)) return true;
    sb_log_message(&s->log, SB_LOG_WARNING, "ctl", SB_LOG_NO_ROOM,
                   "no control socket, so `starbase ctl` cannot reach this server: %s", reasons);
    return false;
}

static bool start(serve *s, struct serve_control *k)
{
    k->tap.wake = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    pthread_mutex_init(&k->tap.lock, NULL);
    k->answers.options =
        (sb_log_options){ .descriptor = -1, .json = true, .take = take_line, .take_context = k };
    k->answers.terminal = -1;
    return k->tap.wake >= 0 && serve_watch(s, k->tap.wake, POLLIN, on_tap, NULL) &&
           serve_watch(s, k->socket.listener, POLLIN, on_connection, NULL);
}

void serve_open_control(serve *s)
{
    struct serve_control *k = calloc(1, sizeof *k);
    s->admin->effects.run[SB_COMMAND_FOLLOW] = run_follow;
    if (!s->first->instance[0] || !k) {
        free(k);
        return;
    }
    k->tap.wake = -1;
    for (size_t i = 0; i < CLIENTS_MAX; i++) k->clients[i].descriptor = -1;
    if (!open_socket(s, k)) {
        free(k);
        return;
    }
    s->control = k;
    if (!start(s, k)) serve_close_control(s);
    else
        sb_log_message(&s->log, SB_LOG_INFO, "ctl", SB_LOG_NO_ROOM, "commands: `starbase ctl` (%s)",
                       k->socket.path);
}

void serve_close_control(serve *s)
{
    struct serve_control *k = s->control;
    if (!k) return;
    for (size_t i = 0; i < CLIENTS_MAX; i++) {
        client *c = &k->clients[i];
        if (c->descriptor < 0) continue;
        send_out(c); /* the answer to `stop` */
        close_client(s, c);
    }
    if (k->tap.wake >= 0) {
        serve_unwatch(s, k->tap.wake);
        (void)close(k->tap.wake);
    }
    serve_unwatch(s, k->socket.listener);
    serve_control_release(&k->socket);
    pthread_mutex_destroy(&k->tap.lock);
    free(k);
    s->control = NULL;
}
