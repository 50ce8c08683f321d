/* src/web/pages.h -- the pages of the HTTP server, as texts made from values.
 *
 * For:      http.c, which serves them; `starbase serve --metrics`, which prints the reference.
 * Never:    knows a connection: the same values give the same text.
 * Tests:    tests/web/metrics_test.c, tests/web/status_test.c
 */
#ifndef SB_WEB_PAGES_H
#define SB_WEB_PAGES_H

#include <stdio.h>

#include "web/buffer.h"
#include "web/values.h"

/* /metrics: Prometheus' text format, version 0.0.4. `http`: the server's counts of itself. */
void sb_web_print_metrics(sb_web_buffer *out, const sb_web_values *values, const sb_web_http *http);
/* /api/status: one JSON object. */
void sb_web_print_status(sb_web_buffer *out, const sb_web_values *values);
/* docs/metrics.md: every metric with its type, labels and meaning. */
void sb_web_print_reference(FILE *out);

/* The answers of the HTTP server, for their texts and for the label `code` of their metric. */
typedef struct sb_web_answer_row {
    unsigned    code;
    const char *sentence; /* "": the page is the answer */
} sb_web_answer_row;

extern const sb_web_answer_row sb_web_answers[SB_WEB_ANSWERS]; /* by sb_web_answer */

#endif
