/* apps/serve/control.h -- requests of a client of the control socket, cut out of a stream of bytes.
 *
 * For:      control.c, fuzz/admin_fuzz.c.
 * Never:    keeps more than one line that is not complete. A line that is too long is skipped.
 */
#ifndef SB_APPS_SERVE_CONTROL_H
#define SB_APPS_SERVE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

enum { SERVE_REQUEST_MAX = 512, SERVE_REQUESTS_BYTES = SERVE_REQUEST_MAX + 4096 };

typedef struct serve_requests {
    char   bytes[SERVE_REQUESTS_BYTES];
    size_t size, at; /* bytes held; the start of the first line that next has not returned */
    bool   skips;    /* the rest of a line that is too long */
    bool   too_long; /* a line was skipped: the caller answers and clears this */
} serve_requests;

/* Takes at most 4096 bytes, after next has returned NULL. */
void serve_requests_feed(serve_requests *r, const char *bytes, size_t size);
/* The next complete line, with control characters made blanks; lent until the next call. NULL:
 * none. */
const char *serve_requests_next(serve_requests *r);

#endif
