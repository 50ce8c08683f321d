/* src/web/http_internal.h -- what the files of the HTTP server share.
 *
 * For:      http.c          listens, limits connections, runs the thread
 *           http_answer.c   reads requests, makes pages, writes answers
 */
#ifndef SB_WEB_HTTP_INTERNAL_H
#define SB_WEB_HTTP_INTERNAL_H

#include "web/http.h"

#include <libwebsockets.h>
#include <pthread.h>
#include <stdatomic.h>

#include "web/connections.h"
#include "web/pages.h"

enum {
    SB_HTTP_CHUNK = 16384,        /* bytes of an answer, written at once */
    SB_HTTP_HEADERS_KEPT = 16384, /* libwebsockets closes connections that send more, without an
                                     answer */
};

/* The text of an answer. Several connections may send the same text. */
typedef struct sb_http_body {
    unsigned      users; /* the cache of the page counts as one */
    sb_web_buffer text;
} sb_http_body;

typedef struct sb_http_page sb_http_page; /* a row of the table in http_answer.c */

/* One connection; libwebsockets keeps it and clears it at first. */
typedef struct sb_http_session {
    const sb_http_page *page; /* NULL: an error */
    sb_time             asked_at;
    bool                is_waiting, is_answered; /* for values; `answer` and `body` are set */
    sb_web_answer       answer;
    sb_http_body       *body;
    size_t              sent;
    bool                is_head, has_headers, is_over;
} sb_http_session;

enum { SB_HTTP_PAGES = 3 };

struct sb_http {
    struct lws_context    *lws;
    struct lws_vhost      *vhost;
    sb_endpoint            local;
    sb_http_options        options;
    pthread_t              thread;
    atomic_bool            stopping;
    pthread_mutex_t        lock;                 /* protects the next two */
    sb_web_values         *published, *retired;  /* not taken over yet; free to be filled */
    sb_web_values         *values;               /* on show; NULL: none yet */
    bool                   has_asked;            /* values are on their way */
    sb_http_body          *pages[SB_HTTP_PAGES]; /* made from `values`; NULL: not yet */
    sb_web_connections     connections;
    sb_web_http            counts;
    lws_sorted_usec_list_t sweep;
    uint32_t               next_address; /* of the connection that is being accepted */
    unsigned char          chunk[LWS_PRE + SB_HTTP_CHUNK];
};

/* All run on the thread of the server. */

/* Shows the values that were published last. */
void sb_http_take_values(sb_http *h);
/* Answers the waiting connections: all of them if the values are fresh, else those that have waited
 * too long. */
void sb_http_answer_waiting(sb_http *h);
void sb_http_take_request(sb_http *h, struct lws *wsi, sb_http_session *s);
/* A wish for WebSocket or HTTP/2. Returns what libwebsockets has to get. */
int sb_http_refuse_upgrade(sb_http *h, struct lws *wsi);
/* Writes the next part of the answer. False: close the connection. */
bool sb_http_write_part(sb_http *h, struct lws *wsi, sb_http_session *s);
/* Ends the use of a text by one connection or by the cache; may be NULL. */
void sb_http_drop_body(sb_http_body *body);

#endif
