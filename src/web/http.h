/* src/web/http.h -- the HTTP server: GET and HEAD of /metrics, /healthz and /api/status.
 *
 * For:      `starbase serve` with the key `http`. It runs on a thread of its own; libwebsockets reads
 *           and parses the requests.
 * Never:    reaches a room: it asks the main thread for values that are older than a second, and
 *           shows what it got. A connection serves one request and lives 10 s at most; their number
 *           is limited (connections.h).
 * Tests:    tests/apps/http_test.py
 */
#ifndef SB_WEB_HTTP_H
#define SB_WEB_HTTP_H

#include "web/values.h"

enum { SB_HTTP_ERROR_MAX = 240 };

typedef struct sb_http sb_http;

typedef struct sb_http_options {
    sb_endpoint local; /* address 0: every interface; port 0: any free port */
    size_t      room_count;
    /* Asks for values: sb_http_publish follows. Called on the server's thread. */
    void (*want)(void *context);
    void *context;
} sb_http_options;

/* False: this program was built without libwebsockets. */
bool sb_http_is_available(void);
/* Listens and starts the thread. Given; NULL: `error` says why and what to do. */
sb_http *sb_http_open(const sb_http_options *options, char error[SB_HTTP_ERROR_MAX]);
/* The address that it listens on, with the real port. */
sb_endpoint sb_http_local(const sb_http *http);
/* Gives values to the server; any one thread may call it. Returns other values of the same size,
 * which the caller may fill for the next call; at first NULL. All come from malloc. */
sb_web_values *sb_http_publish(sb_http *http, sb_web_values *values);
void           sb_http_close(sb_http *http); /* may be NULL; frees the last values */

#endif
