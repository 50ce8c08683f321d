/* src/web/http_answer.c -- reads requests, makes pages of the values, writes answers.
 *
 * For:      http.c. In this order: values, pages, answers, requests.
 * Tests:    tests/apps/http_test.py
 */
#include "web/http_internal.h"

#include <stdlib.h>
#include <string.h>

#include "platform/clock.h"

enum {
    TARGET_MAX = 64,       /* bytes of a path or of a query; no page has a longer one */
    HEADERS_MAX = 4096,    /* bytes of the headers of a request; more are refused */
    FRESH_US = 1000000,    /* values this old are shown without asking for new ones */
    PATIENCE_US = 2500000, /* how long a request waits for new values */
};

/* ---- values ---- */

void sb_http_drop_body(sb_http_body *b)
{
    if (!b || --b->users > 0) return;
    sb_web_buffer_free(&b->text);
    free(b);
}

/* Shows what was published last. */
void sb_http_take_values(sb_http *h)
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
    for (size_t i = 0; i < SB_HTTP_PAGES; i++) {
        sb_http_drop_body(h->pages[i]);
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

/* ---- pages ---- */

struct sb_http_page {
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

static const sb_http_page pages[SB_HTTP_PAGES] = {
    { "/metrics", "text/plain; version=0.0.4; charset=utf-8", print_metrics, false },
    { "/healthz", "text/plain; charset=utf-8", print_health, true },
    { "/api/status", "application/json", print_status, false },
};

static const sb_http_page *find_page(const char *path, size_t size)
{
    for (size_t i = 0; i < SB_HTTP_PAGES; i++)
        if (strlen(pages[i].path) == size && memcmp(pages[i].path, path, size) == 0)
            return &pages[i];
    return NULL;
}

static sb_http_body *make_body(void)
{
    sb_http_body *b = calloc(1, sizeof *b);
    if (b) b->users = 1;
    return b;
}

/* The text of a page, made once from the same values. NULL: no memory. */
static sb_http_body *body_of_page(sb_http *h, const sb_http_page *page)
{
    sb_http_body **place = &h->pages[page - pages];
    if (!*place) *place = make_body();
    if (!*place) return NULL;
    if ((*place)->text.size == 0) page->print(h, &(*place)->text);
    if ((*place)->text.failed) return NULL;
    (*place)->users++;
    return *place;
}

/* ---- answers ---- */

/* Gives the connection its answer, which is written as soon as the socket takes it. */
static void set_answer(sb_http *h, struct lws *wsi, sb_http_session *s, sb_web_answer answer,
                       sb_http_body *text)
{
    s->is_waiting = false;
    s->answer = text ? answer : SB_WEB_ANSWER_UNAVAILABLE;
    s->is_answered = true;
    s->body = text;
    h->counts.answers[s->answer]++;
    (void)lws_callback_on_writable(wsi);
}

static void set_error(sb_http *h, struct lws *wsi, sb_http_session *s, sb_web_answer answer)
{
    sb_http_body *text = make_body();
    if (text) sb_web_print(&text->text, "%s\n", sb_web_answers[answer].sentence);
    set_answer(h, wsi, s, answer, text);
}

static void set_page(sb_http *h, struct lws *wsi, sb_http_session *s)
{
    char reason[SB_WEB_REASON_MAX];
    bool unhealthy = s->page->is_health && !sb_web_is_healthy(h->values, reason);
    set_answer(h, wsi, s, unhealthy ? SB_WEB_ANSWER_UNAVAILABLE : SB_WEB_ANSWER_OK,
               body_of_page(h, s->page));
}

/* Old values are better than none for a display, and wrong for a check of the server's health. */
static void set_late_answer(sb_http *h, struct lws *wsi, sb_http_session *s)
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

static bool write_headers(sb_http *h, struct lws *wsi, const sb_http_session *s)
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

static bool write_chunk(sb_http *h, struct lws *wsi, sb_http_session *s)
{
    size_t left = s->body->text.size - s->sent;
    size_t size = left < SB_HTTP_CHUNK ? left : SB_HTTP_CHUNK;
    memcpy(h->chunk + LWS_PRE, s->body->text.data + s->sent, size);
    s->sent += size;
    enum lws_write_protocol kind = size == left ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP;
    return lws_write(wsi, h->chunk + LWS_PRE, size, kind) >= 0;
}

/* Writes the next part. False: close the connection. It is closed in a call of its own after the
 * last part, when libwebsockets has nothing left to send. */
bool sb_http_write_part(sb_http *h, struct lws *wsi, sb_http_session *s)
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

/* Of the headers that libwebsockets knows; the others count only against SB_HTTP_HEADERS_KEPT. */
static bool headers_exceed_limit(struct lws *wsi)
{
    int sum = 0;
    for (int i = 0; i < WSI_TOKEN_COUNT; i++)
        sum += lws_hdr_total_length(wsi, (enum lws_token_indexes)i);
    return sum > HEADERS_MAX;
}

/* OK: `s->page` is the page. */
static sb_web_answer judge(struct lws *wsi, sb_http_session *s)
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

void sb_http_take_request(sb_http *h, struct lws *wsi, sb_http_session *s)
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
int sb_http_refuse_upgrade(sb_http *h, struct lws *wsi)
{
    h->counts.refused_upgrades++;
    (void)lws_return_http_status(wsi, HTTP_STATUS_BAD_REQUEST, "Only HTTP/1.1 is spoken.");
    return 1;
}

/* Answers those who wait: all of them if the values are fresh, else those who have waited too long.
 */
void sb_http_answer_waiting(sb_http *h)
{
    bool    fresh = has_fresh_values(h);
    sb_time now = sb_clock_now();
    for (size_t i = 0; i < h->connections.count; i++) {
        struct lws      *wsi = h->connections.entries[i].key;
        sb_http_session *s = lws_wsi_user(wsi);
        if (!s || !s->is_waiting) continue;
        if (fresh) set_page(h, wsi, s);
        else if (now - s->asked_at >= PATIENCE_US) set_late_answer(h, wsi, s);
    }
}
