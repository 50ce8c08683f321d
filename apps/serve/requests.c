/* apps/serve/requests.c -- requests of a client of the control socket, cut out of a stream of
 * bytes.
 *
 * Tests:    tests/apps/requests_test.c, fuzz/control_fuzz.c
 */
#include "serve/control.h"

#include "base/assert.h"

#include <string.h>

void serve_requests_feed(serve_requests *r, const char *bytes, size_t size)
{
    if (r->at > 0) memmove(r->bytes, r->bytes + r->at, r->size - r->at);
    r->size -= r->at;
    r->at = 0;
    SB_ASSERT(size <= sizeof r->bytes - r->size);
    memcpy(r->bytes + r->size, bytes, size);
    r->size += size;
}

/* A NUL would hide the rest of the line, and an escape sequence could reach a terminal. */
static void clean(char *line, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7F) line[i] = ' ';
}

const char *serve_requests_next(serve_requests *r)
{
    while (r->at < r->size) {
        char  *line = r->bytes + r->at;
        char  *end = memchr(line, '\n', r->size - r->at);
        size_t size = end ? (size_t)(end - line) : r->size - r->at;
        bool   skipped = r->skips || size >= SERVE_REQUEST_MAX;
        if (!end && !skipped) return NULL;
        r->at += size + (end != NULL);
        if (skipped && end) r->too_long = true;
        r->skips = skipped && !end;
        if (skipped) continue;
        clean(line, size);
        line[size] = '\0';
        return line;
    }
    return NULL;
}
