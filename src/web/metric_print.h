/* src/web/metric_print.h -- the functions that print one metric, and the row that names them.
 *
 * For:      the table in metrics.c.
 */
#ifndef SB_WEB_METRIC_PRINT_H
#define SB_WEB_METRIC_PRINT_H

#include "web/pages.h"

typedef enum sb_metric_type { COUNTER, GAUGE, HISTOGRAM } sb_metric_type;

/* The arguments of the functions that print a metric. */
typedef struct sb_metric_page {
    sb_web_buffer       *out;
    const sb_web_values *values;
    const sb_web_http   *http;
} sb_metric_page;

typedef struct sb_metric sb_metric;
struct sb_metric {
    const char    *name; /* without "starbase_", unless `standard` */
    sb_metric_type type;
    const char    *labels; /* for the reference; "": none */
    void (*print)(const sb_metric_page *p, const sb_metric *m);
    size_t      source;   /* as the function says: an offset or a counter */
    bool        standard; /* a name that all programs share: process_... */
    const char *help;
};

void sb_metric_print_name(const sb_metric_page *p, const sb_metric *m, const char *suffix);

/* source: the offset of a uint64_t in sb_web_values */
void sb_metric_of_values(const sb_metric_page *p, const sb_metric *m);
/* source: the offset of a uint64_t in sb_web_http */
void sb_metric_of_http(const sb_metric_page *p, const sb_metric *m);
/* source: the offset of microseconds in sb_web_values */
void sb_metric_of_seconds(const sb_metric_page *p, const sb_metric *m);
/* source: an sb_server_counter */
void sb_metric_of_messages(const sb_metric_page *p, const sb_metric *m);
/* source: an sb_transport_counter */
void sb_metric_of_datagrams(const sb_metric_page *p, const sb_metric *m);
/* source: an sb_responder_counter */
void sb_metric_of_queries(const sb_metric_page *p, const sb_metric *m);
/* source: the offset of a uint64_t in sb_web_values.store */
void sb_metric_of_store(const sb_metric_page *p, const sb_metric *m);
/* source: the offset of a uint64_t in sb_web_thread */
void sb_metric_of_threads(const sb_metric_page *p, const sb_metric *m);
/* source: the offset of microseconds in sb_web_thread */
void sb_metric_of_thread_seconds(const sb_metric_page *p, const sb_metric *m);
/* source: the offset of a moment in sb_web_master; no line until it has come */
void sb_metric_master_age(const sb_metric_page *p, const sb_metric *m);
/* source: the offset of a uint32_t in sb_room_figures */
void sb_metric_of_rooms(const sb_metric_page *p, const sb_metric *m);
/* source: the offset of a uint64_t in sb_web_traffic */
void sb_metric_of_room_traffic(const sb_metric_page *p, const sb_metric *m);
/* Each prints one metric; source: not used. */
void sb_metric_build_info(const sb_metric_page *p, const sb_metric *m);
void sb_metric_healthy(const sb_metric_page *p, const sb_metric *m);
void sb_metric_http_answers(const sb_metric_page *p, const sb_metric *m);
void sb_metric_http_dropped(const sb_metric_page *p, const sb_metric *m);
void sb_metric_implausible_messages(const sb_metric_page *p, const sb_metric *m);
void sb_metric_master_resolved(const sb_metric_page *p, const sb_metric *m);
void sb_metric_process_threads(const sb_metric_page *p, const sb_metric *m);
void sb_metric_refused_datagrams(const sb_metric_page *p, const sb_metric *m);
void sb_metric_refused_messages(const sb_metric_page *p, const sb_metric *m);
void sb_metric_refused_queries(const sb_metric_page *p, const sb_metric *m);
void sb_metric_retransmissions(const sb_metric_page *p, const sb_metric *m);
void sb_metric_room_info(const sb_metric_page *p, const sb_metric *m);
void sb_metric_rooms(const sb_metric_page *p, const sb_metric *m);
void sb_metric_rooms_by_load(const sb_metric_page *p, const sb_metric *m);
void sb_metric_round_trips(const sb_metric_page *p, const sb_metric *m);
void sb_metric_store_up(const sb_metric_page *p, const sb_metric *m);
void sb_metric_turns(const sb_metric_page *p, const sb_metric *m);

#endif
