/* src/web/http.c -- the HTTP server on libwebsockets.
 *
 * For:      http.h. In this order: values, bodies, answers, requests, connections, the callback of
 *           libwebsockets, the thread.
 * Tests:    tests/apps/http_test.py
 */
#include "web/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libwebsockets.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/assert.h"
#include "platform/clock.h"
#include "platform/udp.h"
#include "web/connections.h"
#include "web/pages.h"

enum {
    CHUNK_BYTES = 16384,    /* of an answer, written at once */
    TARGET_MAX = 64,        /* bytes of a path or of a query; no page has a longer one */
    HEADERS_MAX = 4096,     /* bytes of the headers of a request; more are refused */
    HEADERS_KEPT = 16384,   /* libwebsockets closes connections that send more, without an answer */
    FRESH_US = 1000000,     /* values this old are shown without asking for new ones */
    PATIENCE_US = 2500000,  /* how long a request waits for new values */
    SWEEP_US = 250000,      /* how often old connections are looked for, while there are any */
    OTHER_DESCRIPTORS = 16, /* the listening socket and what libwebsockets uses itself */
};

/* ---- types ---- */

/* The text of an answer. Several connections may send the same text. */
typedef struct body {
    unsigned      users; /* the cache of the page counts as one */
    sb_web_buffer text;
} body;

typedef struct page_row page_row;

/* One connection; libwebsockets keeps it and clears it at first. */
typedef struct session {
    const page_row *page; /* NULL: an error */
    sb_time         asked_at;
    bool            is_waiting, is_answered; /* for values; `answer` and `body` are set */
    sb_web_answer   answer;
    body           *body;
    size_t          sent;
    bool            is_head, has_headers, is_over;
} session;

enum { PAGE_COUNT = 3 };

struct sb_http {
    struct lws_context    *lws;
    struct lws_vhost      *vhost;
    sb_endpoint            local;
    sb_http_options        options;
    pthread_t              thread;
    atomic_bool            stopping;
    pthread_mutex_t        lock;                /* protects the next two */
    sb_web_values         *published, *retired; /* not taken over yet; free to be filled */
    sb_web_values         *values;              /* on show; NULL: none yet */
    bool                   has_asked;           /* values are on their way */
    body                  *pages[PAGE_COUNT];   /* made from `values`; NULL: not yet */
    sb_web_connections     connections;
    sb_web_http            counts;
    lws_sorted_usec_list_t sweep;
    uint32_t               next_address; /* of the connection that is being accepted */
    unsigned char          chunk[LWS_PRE + CHUNK_BYTES];
};

/* ---- values ---- */

static void drop_body(body *b)
{
    if (!b || --b->users > 0) return;
    sb_web_buffer_free(&b->text);
    free(b);
}

/* Shows what was published last. */
static void take_values(sb_http *h)
{
    pthread_mutex_lock(&h->lock);
    sb_web_values *next = h->published;
    if (next) {
        h->published = NULL;
        free(h->retired); /* the caller has not come for it */
        h->retired = h->values;
    }
    pthread_mutex_unlock(&h->lock);
    if (!next) return;
    h->values = next;
    h->has_asked = false;
    for (size_t i = 0; i < PAGE_COUNT; i++) {
        drop_body(h->pages[i]);
        h->pages[i] = NULL;
    }
}

static bool has_fresh_values(const sb_http *h)
{
    return h->values && sb_clock_now() - h->values->taken_at <= FRESH_US;
}

static void ask_for_values(sb_http *h)
{
    if (h->has_asked) return;
    h->has_asked = true;
    h->options.want(h->options.context);
}

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

/* ---- pages ---- */

struct page_row {
    const char *path, *type;
    void (*print)(sb_http *h, sb_web_buffer *out);
    bool is_health;
};

static void print_metrics(sb_http *h, sb_web_buffer *out)
{
    h->counts.connections = h->connections.count;
    sb_web_print_metrics(out, h->values, &h->counts);
}

static void print_status(sb_http *h, sb_web_buffer *out)
{
    sb_web_print_status(out, h->values);
}

static void print_health(sb_http *h, sb_web_buffer *out)
{
    char reason[SB_WEB_REASON_MAX];
    bool healthy = sb_web_is_healthy(h->values, reason);
    sb_web_print(out, "%s\n", healthy ? "ok" : reason);
}

static const page_row pages[PAGE_COUNT] = {
    { "/metrics", "text/plain; version=0.0.4; charset=utf-8", print_metrics, false },
    { "/healthz", "text/plain; charset=utf-8", print_health, true },
    { "/api/status", "application/json", print_status, false },
};

static const page_row *find_page(const char *path, size_t size)
{
    for (size_t i = 0; i < PAGE_COUNT; i++)
        if (strlen(pages[i].path) == size && memcmp(pages[i].path, path, size) == 0)
            return &pages[i];
    return NULL;
}

static body *make_body(void)
{
    body *b = calloc(1, sizeof *b);
    if (b) b->users = 1;
    return b;
}

/* The text of a page, made once from the same values. NULL: no memory. */
static body *body_of_page(sb_http *h, const page_row *page)
{
    body **place = &h->pages[page - pages];
    if (!*place) *place = make_body();
    if (!*place) return NULL;
    if ((*place)->text.size == 0) page->print(h, &(*place)->text);
    if ((*place)->text.failed) return NULL;
    (*place)->users++;
    return *place;
}

/* ---- answers ---- */

/* Gives the connection its answer, which is written as soon as the socket takes it. */
static void set_answer(sb_http *h, struct lws *wsi, session *s, sb_web_answer answer, body *text)
{
    s->is_waiting = false;
    s->answer = text ? answer : SB_WEB_ANSWER_UNAVAILABLE;
    s->is_answered = true;
    s->body = text;
    h->counts.answers[s->answer]++;
    (void)lws_callback_on_writable(wsi);
}

static void set_error(sb_http *h, struct lws *wsi, session *s, sb_web_answer answer)
{
    body *text = make_body();
    if (text) sb_web_print(&text->text, "%s\n", sb_web_answers[answer].sentence);
    set_answer(h, wsi, s, answer, text);
}

static void set_page(sb_http *h, struct lws *wsi, session *s)
{
    char reason[SB_WEB_REASON_MAX];
    bool unhealthy = s->page->is_health && !sb_web_is_healthy(h->values, reason);
    set_answer(h, wsi, s, unhealthy ? SB_WEB_ANSWER_UNAVAILABLE : SB_WEB_ANSWER_OK,
               body_of_page(h, s->page));
}

/* Old values are better than none for a display, and wrong for a check of the server's health. */
static void set_late_answer(sb_http *h, struct lws *wsi, session *s)
{
    if (h->values && !s->page->is_health) set_page(h, wsi, s);
    else set_error(h, wsi, s, SB_WEB_ANSWER_UNAVAILABLE);
}

typedef struct writer {
    struct lws    *wsi;
    unsigned char *at, *end;
    bool           failed;
} writer;

static void add_header(writer *w, enum lws_token_indexes token, const char *value)
{
    w->failed =
        w->failed || lws_add_http_header_by_token(w->wsi, token, (const unsigned char *)value,
                                                  (int)strlen(value), &w->at, w->end) != 0;
}

static bool write_headers(sb_http *h, struct lws *wsi, const session *s)
{
    unsigned char *start = h->chunk + LWS_PRE;
    writer         w = { .wsi = wsi, .at = start, .end = h->chunk + sizeof h->chunk };
    size_t         size = s->body ? s->body->text.size : 0;
    w.failed =
        lws_add_http_header_status(wsi, sb_web_answers[s->answer].code | LWSAHH_FLAG_NO_SERVER_NAME,
                                   &w.at, w.end) != 0;
    add_header(&w, WSI_TOKEN_HTTP_CONTENT_TYPE,
               s->page ? s->page->type : "text/plain; charset=utf-8");
    add_header(&w, WSI_TOKEN_HTTP_CACHE_CONTROL, "no-store");
    add_header(&w, WSI_TOKEN_CONNECTION, "close");
    if (s->answer == SB_WEB_ANSWER_BAD_METHOD) add_header(&w, WSI_TOKEN_HTTP_ALLOW, "GET, HEAD");
    w.failed = w.failed || lws_add_http_header_content_length(wsi, size, &w.at, w.end) != 0;
    return !w.failed && lws_finalize_write_http_header(wsi, start, &w.at, w.end) == 0;
}

static bool write_chunk(sb_http *h, struct lws *wsi, session *s)
{
    size_t left = s->body->text.size - s->sent;
    size_t size = left < CHUNK_BYTES ? left : CHUNK_BYTES;
    memcpy(h->chunk + LWS_PRE, s->body->text.data + s->sent, size);
    s->sent += size;
    enum lws_write_protocol kind = size == left ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP;
    return lws_write(wsi, h->chunk + LWS_PRE, size, kind) >= 0;
}

/* Writes the next part. False: close the connection. It is closed in a call of its own after the
 * last part, when libwebsockets has nothing left to send. */
static bool write_part(sb_http *h, struct lws *wsi, session *s)
{
    bool fine = true;
    if (!s->is_answered) return true;
    if (s->is_over) return false;
    if (!s->has_headers) fine = write_headers(h, wsi, s);
    else fine = write_chunk(h, wsi, s);
    s->has_headers = true;
    s->is_over = s->is_head || !s->body || s->sent == s->body->text.size;
    (void)lws_callback_on_writable(wsi);
    return fine;
}

/* ---- requests ---- */

static bool target_exceeds_limit(struct lws *wsi, int path_size)
{
    return path_size > TARGET_MAX ||
           lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_URI_ARGS) > TARGET_MAX;
}

/* Of the headers that libwebsockets knows; the others count only against HEADERS_KEPT. */
static bool headers_exceed_limit(struct lws *wsi)
{
    int sum = 0;
    for (int i = 0; i < WSI_TOKEN_COUNT; i++)
        sum += lws_hdr_total_length(wsi, (enum lws_token_indexes)i);
    return sum > HEADERS_MAX;
}

/* OK: `s->page` is the page. */
static sb_web_answer judge(struct lws *wsi, session *s)
{
    char *path = NULL;
    int   size = 0, method = lws_http_get_uri_and_method(wsi, &path, &size);
    s->is_head = method == LWSHUMETH_HEAD;
    if (method != LWSHUMETH_GET && method != LWSHUMETH_HEAD) return SB_WEB_ANSWER_BAD_METHOD;
    if (target_exceeds_limit(wsi, size)) return SB_WEB_ANSWER_LONG_TARGET;
    if (headers_exceed_limit(wsi)) return SB_WEB_ANSWER_LONG_HEADERS;
    s->page = find_page(path, (size_t)size);
    return s->page ? SB_WEB_ANSWER_OK : SB_WEB_ANSWER_NOT_FOUND;
}

static void take_request(sb_http *h, struct lws *wsi, session *s)
{
    sb_web_answer answer = judge(wsi, s);
    sb_web_connections_set_asked(&h->connections, wsi);
    s->asked_at = sb_clock_now();
    s->is_waiting = answer == SB_WEB_ANSWER_OK && !has_fresh_values(h);
    if (s->is_waiting) ask_for_values(h);
    else if (answer == SB_WEB_ANSWER_OK) set_page(h, wsi, s);
    else set_error(h, wsi, s, answer);
}

/* An upgrade to WebSocket or HTTP/2. */
static int refuse_upgrade(sb_http *h, struct lws *wsi)
{
    h->counts.refused_upgrades++;
    (void)lws_return_http_status(wsi, HTTP_STATUS_BAD_REQUEST, "Only HTTP/1.1 is spoken.");
    return 1;
}

/* Answers those who wait: all of them if the values are fresh, else those who have waited too long.
 */
static void answer_waiting(sb_http *h)
{
    bool    fresh = has_fresh_values(h);
    sb_time now = sb_clock_now();
    for (size_t i = 0; i < h->connections.count; i++) {
        struct lws *wsi = h->connections.entries[i].key;
        session    *s = lws_wsi_user(wsi);
        if (!s || !s->is_waiting) continue;
        if (fresh) set_page(h, wsi, s);
        else if (now - s->asked_at >= PATIENCE_US) set_late_answer(h, wsi, s);
    }
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
    answer_waiting(h);
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
    session            *s = user;
    (void)size;
    switch (reason) {
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION: return !admit(h, (int)(intptr_t)in);
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED: add_connection(h, wsi); return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        h->counts.without_request += sb_web_connections_remove(&h->connections, wsi);
        return 0;
    case LWS_CALLBACK_HTTP: take_request(h, wsi, s); return 0;
    case LWS_CALLBACK_HTTP_WRITEABLE: return write_part(h, wsi, s) ? 0 : -1;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return refuse_upgrade(h, wsi);
    case LWS_CALLBACK_CLOSED_HTTP:
        if (s) drop_body(s->body);
        if (s) s->body = NULL;
        return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        take_values(h);
        answer_waiting(h);
        return 0;
    default: return 0;
    }
}

static const struct lws_protocols protocols[] = {
    { .name = "http", .callback = handle, .per_session_data_size = sizeof(session) },
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
        .max_http_header_data2 = HEADERS_KEPT,
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
    for (size_t i = 0; i < PAGE_COUNT; i++) drop_body(h->pages[i]);
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
