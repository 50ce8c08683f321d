/* src/web/http.c -- the HTTP server on libwebsockets: connections and the thread.
 *
 * For:      http.h. In this order: connections, the callback of libwebsockets, the thread.
 *           http_answer.c reads requests and writes answers.
 * Tests:    tests/apps/http_test.py
 */
#include "web/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/udp.h"
#include "web/http_internal.h"

enum {
    SWEEP_US = 250000,      /* how often old connections are looked for, while there are any */
    OTHER_DESCRIPTORS = 16, /* the listening socket and what libwebsockets uses itself */
};

sb_web_values *sb_http_publish(sb_http *h, sb_web_values *values)
{
    pthread_mutex_lock(&h->lock);
    sb_web_values *old = h->published ? h->published : h->retired;
    if (!h->published) h->retired = NULL;
    h->published = values;
    pthread_mutex_unlock(&h->lock);
    lws_cancel_service(h->lws);
    return old;
}

/* ---- connections ---- */

static void sweep(lws_sorted_usec_list_t *list);

static void schedule_sweep(sb_http *h)
{
    lws_sul_schedule(h->lws, 0, &h->sweep, sweep, SWEEP_US);
}

static void sweep(lws_sorted_usec_list_t *list)
{
    sb_http *h = lws_container_of(list, sb_http, sweep);
    void    *old;
    sb_http_answer_waiting(h);
    while ((old = sb_web_connections_expired(&h->connections, sb_clock_now()))) {
        h->counts.timed_out++;
        (void)sb_web_connections_remove(&h->connections, old);
        lws_set_timeout(old, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_SYNC);
    }
    if (h->connections.count > 0) schedule_sweep(h);
}

static uint32_t address_of(int descriptor)
{
    struct sockaddr_in from = { .sin_family = AF_UNSPEC };
    socklen_t          size = sizeof from;
    if (getpeername(descriptor, (struct sockaddr *)&from, &size) != 0) return 0;
    return from.sin_family == AF_INET ? ntohl(from.sin_addr.s_addr) : 0;
}

/* Before libwebsockets makes an object for the connection. False: it is closed. */
static bool admit(sb_http *h, int descriptor)
{
    void    *victim;
    uint32_t address = address_of(descriptor);
    h->counts.accepted++;
    switch (sb_web_connections_admit(&h->connections, address, &victim)) {
    case SB_WEB_ADMIT: break;
    case SB_WEB_REFUSE: h->counts.displaced++; return false;
    case SB_WEB_DISPLACE:
        h->counts.displaced++;
        (void)sb_web_connections_remove(&h->connections, victim);
        lws_set_timeout(victim, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_SYNC);
        break;
    }
    h->next_address = address;
    return true;
}

static void add_connection(sb_http *h, struct lws *wsi)
{
    if (h->connections.count == 0) schedule_sweep(h);
    sb_web_connections_add(&h->connections, wsi, h->next_address, sb_clock_now());
}

/* ---- the callback of libwebsockets ---- */

/* Nonzero closes the connection. */
static int handle(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                  size_t size)
{
    struct lws_context *lws = lws_get_context(wsi);
    sb_http            *h = lws ? lws_context_user(lws) : NULL;
    sb_http_session    *s = user;
    (void)size;
    if (!h) return 0; /* while the context is being made or destroyed */
    switch (reason) {
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION: return !admit(h, (int)(intptr_t)in);
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED: add_connection(h, wsi); return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        h->counts.without_request += sb_web_connections_remove(&h->connections, wsi);
        return 0;
    case LWS_CALLBACK_HTTP: sb_http_take_request(h, wsi, s); return 0;
    case LWS_CALLBACK_HTTP_WRITEABLE: return sb_http_write_part(h, wsi, s) ? 0 : -1;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return sb_http_refuse_upgrade(h, wsi);
    case LWS_CALLBACK_CLOSED_HTTP:
        if (s) sb_http_drop_body(s->body);
        if (s) s->body = NULL;
        return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        sb_http_take_values(h);
        sb_http_answer_waiting(h);
        return 0;
    default: return 0;
    }
}

static const struct lws_protocols protocols[] = {
    { .name = "http", .callback = handle, .per_session_data_size = sizeof(sb_http_session) },
    { 0 },
};

/* ---- the thread ---- */

static void *run(void *context)
{
    sb_http *h = context;
    (void)prctl(PR_SET_NAME, "http", 0uL, 0uL, 0uL); /* for top -H and debuggers */
    while (!atomic_load(&h->stopping) && lws_service(h->lws, 0) >= 0) continue;
    return NULL;
}

/* libwebsockets does not say why it cannot listen: the same attempt without it does. */
static void explain(sb_endpoint local, char error[SB_HTTP_ERROR_MAX])
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons(local.port),
                                   .sin_addr = { htonl(local.address) } };
    char               text[SB_ENDPOINT_TEXT];
    int one = 1, descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), why = 0;
    (void)setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(descriptor, (const struct sockaddr *)&address, sizeof address) != 0 ||
        listen(descriptor, 1) != 0)
        why = errno;
    if (descriptor >= 0) (void)close(descriptor);
    sb_endpoint_text(local, text);
    snprintf(error, SB_HTTP_ERROR_MAX,
             "http: cannot listen on TCP %s: %s; choose another address or "
             "port with --http ADDRESS:PORT",
             text, why ? strerror(why) : "libwebsockets refuses");
}

static bool listen_on(sb_http *h, char error[SB_HTTP_ERROR_MAX])
{
    char           address[INET_ADDRSTRLEN];
    struct in_addr in = { htonl(h->options.local.address) };
    (void)inet_ntop(AF_INET, &in, address, sizeof address);
    struct lws_context_creation_info info = {
        .port = h->options.local.port,
        .iface = h->options.local.address ? address : NULL,
        .protocols = protocols,
        .user = h,
        .gid = -1,
        .uid = -1,
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DISABLE_IPV6 |
                   LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME |
                   LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
        .fd_limit_per_thread = SB_WEB_CONNECTIONS_MAX + OTHER_DESCRIPTORS,
        .max_http_header_data2 = SB_HTTP_HEADERS_KEPT,
        .timeout_secs = SB_WEB_CONNECTION_US / SB_SECOND,
        .timeout_secs_ah_idle = SB_WEB_CONNECTION_US / SB_SECOND,
        .keepalive_timeout = 1,
    };
    h->lws = lws_create_context(&info);
    h->vhost = h->lws ? lws_create_vhost(h->lws, &info) : NULL;
    if (!h->vhost || lws_get_vhost_listen_port(h->vhost) <= 0) {
        explain(h->options.local, error);
        return false;
    }
    h->local = h->options.local;
    h->local.port = (uint16_t)lws_get_vhost_listen_port(h->vhost);
    return true;
}

static bool start_thread(sb_http *h)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* a new thread inherits the mask */
    int status = pthread_create(&h->thread, NULL, run, h);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status == 0;
}

static void free_http(sb_http *h)
{
    if (h->lws) lws_context_destroy(h->lws);
    for (size_t i = 0; i < SB_HTTP_PAGES; i++) sb_http_drop_body(h->pages[i]);
    free(h->values);
    free(h->published);
    free(h->retired);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

bool sb_http_is_available(void)
{
    return true;
}

sb_http *sb_http_open(const sb_http_options *options, char error[SB_HTTP_ERROR_MAX])
{
    sb_http *h = calloc(1, sizeof *h);
    snprintf(error, SB_HTTP_ERROR_MAX, "http: out of memory, or no thread: start fewer rooms");
    if (!h) return NULL;
    h->options = *options;
    pthread_mutex_init(&h->lock, NULL);
    lws_set_log_level(0, NULL); /* strangers must not fill the log: counters say what they did */
    if (listen_on(h, error) && start_thread(h)) return h;
    free_http(h);
    return NULL;
}

sb_endpoint sb_http_local(const sb_http *http)
{
    return http->local;
}

void sb_http_close(sb_http *h)
{
    if (!h) return;
    atomic_store(&h->stopping, true);
    lws_cancel_service(h->lws);
    pthread_join(h->thread, NULL);
    free_http(h);
}
