/* src/web/buffer.h -- a text that grows, for the answers of the HTTP server.
 *
 * For:      metrics.c and status.c.
 * Never:    grows beyond SB_WEB_TEXT_MAX: what does not fit is left out, and `failed` says so.
 * Tests:    tests/web/buffer_test.c
 */
#ifndef SB_WEB_BUFFER_H
#define SB_WEB_BUFFER_H

#include <starbase/base.h>

enum { SB_WEB_TEXT_MAX = 8 << 20 };

/* Starts as zeros. */
typedef struct sb_web_buffer {
    char  *data; /* `size` bytes; sb_web_buffer_free frees it */
    size_t size, capacity;
    bool   failed; /* the text is not complete: no memory, or too long */
} sb_web_buffer;

void sb_web_buffer_free(sb_web_buffer *buffer);
void sb_web_print(sb_web_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The value of a label in Prometheus' text format, without quotes: `\`, `"` and line ends are
 * escaped, invisible characters become '?'. */
void sb_web_print_label(sb_web_buffer *buffer, const char *text);
/* A JSON string with its quotes. */
void sb_web_print_json(sb_web_buffer *buffer, const char *text);

#endif
