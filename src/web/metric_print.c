/* src/web/metric_print.c -- prints one metric: its lines with labels and values.
 *
 * For:      metrics.c. In this order: values and labels, metrics without labels, with labels,
 *           histograms, threads, masters, rooms.
 * Tests:    tests/web/metrics_test.c
 */
#include "web/metric_print.h"

#include <string.h>

#include "base/assert.h"

/* ---- values and labels ---- */

void sb_metric_print_name(const sb_metric_page *p, const sb_metric *m, const char *suffix)
{
    sb_web_print(p->out, "%s%s%s", m->standard ? "" : "starbase_", m->name, suffix);
}

static void print_count(const sb_metric_page *p, uint64_t value)
{
    sb_web_print(p->out, " %llu\n", (unsigned long long)value);
}

/* All digits, unlike a double: sums of years still show microseconds. */
static void print_seconds(const sb_metric_page *p, sb_time us)
{
    sb_time     whole = us / SB_SECOND, rest = us % SB_SECOND;
    const char *sign = us < 0 ? "-" : "";
    sb_web_print(p->out, " %s%lld.%06lld\n", sign, (long long)(whole < 0 ? -whole : whole),
                 (long long)(rest < 0 ? -rest : rest));
}

/* `name{label="text"} value` */
static void print_labelled(const sb_metric_page *p, const sb_metric *m, const char *label,
                           const char *text, uint64_t value)
{
    sb_metric_print_name(p, m, "");
    sb_web_print(p->out, "{%s=\"", label);
    sb_web_print_label(p->out, text);
    sb_web_print(p->out, "\"}");
    print_count(p, value);
}

/* ---- metrics without labels ---- */

void sb_metric_of_values(const sb_metric_page *p, const sb_metric *m)
{
    uint64_t value;
    memcpy(&value, (const char *)p->values + m->source, sizeof value);
    sb_metric_print_name(p, m, "");
    print_count(p, value);
}

void sb_metric_of_http(const sb_metric_page *p, const sb_metric *m)
{
    uint64_t value;
    memcpy(&value, (const char *)p->http + m->source, sizeof value);
    sb_metric_print_name(p, m, "");
    print_count(p, value);
}

void sb_metric_of_seconds(const sb_metric_page *p, const sb_metric *m)
{
    int64_t value;
    memcpy(&value, (const char *)p->values + m->source, sizeof value);
    sb_metric_print_name(p, m, "");
    print_seconds(p, value);
}

void sb_metric_of_messages(const sb_metric_page *p, const sb_metric *m)
{
    sb_metric_print_name(p, m, "");
    print_count(p, p->values->messages[m->source]);
}

void sb_metric_of_datagrams(const sb_metric_page *p, const sb_metric *m)
{
    sb_metric_print_name(p, m, "");
    print_count(p, p->values->datagrams[m->source]);
}

void sb_metric_of_queries(const sb_metric_page *p, const sb_metric *m)
{
    sb_metric_print_name(p, m, "");
    print_count(p, p->values->queries[m->source]);
}

void sb_metric_process_threads(const sb_metric_page *p, const sb_metric *m)
{
    sb_metric_print_name(p, m, "");
    print_count(p, p->values->process.threads);
}

void sb_metric_rooms(const sb_metric_page *p, const sb_metric *m)
{
    sb_metric_print_name(p, m, "");
    print_count(p, p->values->room_count);
}

void sb_metric_healthy(const sb_metric_page *p, const sb_metric *m)
{
    char reason[SB_WEB_REASON_MAX];
    sb_metric_print_name(p, m, "");
    print_count(p, sb_web_is_healthy(p->values, reason));
}

void sb_metric_store_up(const sb_metric_page *p, const sb_metric *m)
{
    if (!p->values->store.is_open) return;
    sb_metric_print_name(p, m, "");
    print_count(p, p->values->store.is_up);
}

void sb_metric_of_store(const sb_metric_page *p, const sb_metric *m)
{
    uint64_t value;
    if (!p->values->store.is_open) return;
    memcpy(&value, (const char *)&p->values->store + m->source, sizeof value);
    sb_metric_print_name(p, m, "");
    print_count(p, value);
}

/* ---- metrics with labels ---- */

void sb_metric_build_info(const sb_metric_page *p, const sb_metric *m)
{
    sb_metric_print_name(p, m, "{version=\"");
    sb_web_print_label(p->out, sb_version());
    sb_web_print(p->out, "\",compiler=\"");
#ifdef __clang__
    sb_web_print_label(p->out, "clang " __clang_version__);
#else
    sb_web_print_label(p->out, "gcc " __VERSION__);
#endif
    sb_web_print(p->out, "\"} 1\n");
}

void sb_metric_rooms_by_load(const sb_metric_page *p, const sb_metric *m)
{
    static const char *const steps[] = {
        [SB_LOAD_NORMAL] = "normal", [SB_LOAD_SHARED] = "shared", [SB_LOAD_HALF] = "half",
        [SB_LOAD_THIRD] = "third",   [SB_LOAD_CLOSED] = "closed",
    };
    _Static_assert(sizeof steps / sizeof *steps == SB_WEB_LOADS, "a word for each step");
    for (size_t i = 0; i < SB_WEB_LOADS; i++) {
        SB_ASSERT(steps[i]);
        print_labelled(p, m, "step", steps[i], p->values->rooms_by_load[i]);
    }
}

void sb_metric_refused_messages(const sb_metric_page *p, const sb_metric *m)
{
    for (int i = 0; i < SB_SERVER_COUNT_MESSAGES_IN; i++)
        print_labelled(p, m, "reason", sb_server_counter_name((sb_server_counter)i),
                       p->values->messages[i]);
}

void sb_metric_refused_datagrams(const sb_metric_page *p, const sb_metric *m)
{
    for (int i = 0; i < SB_TRANSPORT_REFUSAL_COUNT; i++)
        print_labelled(p, m, "reason", sb_transport_counter_name((sb_transport_counter)i),
                       p->values->datagrams[i]);
}

void sb_metric_refused_queries(const sb_metric_page *p, const sb_metric *m)
{
    for (int i = SB_QUERY_TOO_LONG; i < SB_RESPONDER_COUNTER_COUNT; i++)
        print_labelled(p, m, "reason", sb_responder_counter_name((sb_responder_counter)i),
                       p->values->queries[i]);
}

void sb_metric_implausible_messages(const sb_metric_page *p, const sb_metric *m)
{
    for (int i = 0; i < SB_IMPLAUSIBLE_COUNT; i++)
        print_labelled(p, m, "kind", sb_implausible_name((sb_implausible)i),
                       p->values->implausible[i]);
}

void sb_metric_retransmissions(const sb_metric_page *p, const sb_metric *m)
{
    print_labelled(p, m, "cause", "timeout",
                   p->values->datagrams[SB_TRANSPORT_COUNT_RETRANSMITTED]);
    print_labelled(p, m, "cause", "later_acknowledged",
                   p->values->datagrams[SB_TRANSPORT_COUNT_RETRANSMITTED_FAST]);
}

const sb_web_answer_row sb_web_answers[SB_WEB_ANSWERS] = {
    [SB_WEB_ANSWER_OK] = { 200, "" },
    [SB_WEB_ANSWER_NOT_FOUND] = { 404, "There is no such page: /metrics, /healthz, /api/status." },
    [SB_WEB_ANSWER_BAD_METHOD] = { 405, "Only GET and HEAD are answered." },
    [SB_WEB_ANSWER_LONG_TARGET] = { 414, "The address is too long." },
    [SB_WEB_ANSWER_LONG_HEADERS] = { 431, "The headers are too long." },
    [SB_WEB_ANSWER_UNAVAILABLE] = { 503, "The server has not answered in time." },
};

void sb_metric_http_answers(const sb_metric_page *p, const sb_metric *m)
{
    char code[16];
    for (size_t i = 0; i < SB_WEB_ANSWERS; i++) {
        snprintf(code, sizeof code, "%u", sb_web_answers[i].code);
        print_labelled(p, m, "code", code, p->http->answers[i]);
    }
}

void sb_metric_http_dropped(const sb_metric_page *p, const sb_metric *m)
{
    print_labelled(p, m, "reason", "timeout", p->http->timed_out);
    print_labelled(p, m, "reason", "displaced", p->http->displaced);
    print_labelled(p, m, "reason", "no_request", p->http->without_request);
    print_labelled(p, m, "reason", "upgrade", p->http->refused_upgrades);
}

/* ---- histograms ---- */

/* `labels`: "" or `thread="1",` */
static void print_histogram(const sb_metric_page *p, const sb_metric *m, const char *labels,
                            const sb_histogram_view *h)
{
    uint64_t sum = 0;
    for (size_t i = 0; i <= SB_HISTOGRAM_BOUNDS; i++) {
        char bound[32] = "+Inf";
        if (i < SB_HISTOGRAM_BOUNDS)
            snprintf(bound, sizeof bound, "%g", (double)sb_histogram_bounds_us[i] / 1e6);
        sum += h->counts[i];
        sb_metric_print_name(p, m, "_bucket");
        sb_web_print(p->out, "{%sle=\"%s\"}", labels, bound);
        print_count(p, sum);
    }
    char braces[48] = "";
    if (labels[0]) snprintf(braces, sizeof braces, "{%.*s}", (int)strlen(labels) - 1, labels);
    sb_metric_print_name(p, m, "_sum");
    sb_web_print(p->out, "%s", braces);
    print_seconds(p, (sb_time)h->sum_us);
    sb_metric_print_name(p, m, "_count");
    sb_web_print(p->out, "%s", braces);
    print_count(p, sum);
}

void sb_metric_round_trips(const sb_metric_page *p, const sb_metric *m)
{
    print_histogram(p, m, "", &p->values->round_trips);
}

void sb_metric_turns(const sb_metric_page *p, const sb_metric *m)
{
    char labels[32];
    for (size_t i = 0; i < p->values->thread_count; i++) {
        snprintf(labels, sizeof labels, "thread=\"%zu\",", i + 1);
        print_histogram(p, m, labels, &p->values->threads[i].turns);
    }
}

/* ---- threads ---- */

static void print_thread(const sb_metric_page *p, const sb_metric *m, size_t index)
{
    sb_metric_print_name(p, m, "");
    sb_web_print(p->out, "{thread=\"%zu\"}", index + 1);
}

void sb_metric_of_threads(const sb_metric_page *p, const sb_metric *m)
{
    for (size_t i = 0; i < p->values->thread_count; i++) {
        uint64_t value;
        memcpy(&value, (const char *)&p->values->threads[i] + m->source, sizeof value);
        print_thread(p, m, i);
        print_count(p, value);
    }
}

void sb_metric_of_thread_seconds(const sb_metric_page *p, const sb_metric *m)
{
    for (size_t i = 0; i < p->values->thread_count; i++) {
        sb_time value;
        memcpy(&value, (const char *)&p->values->threads[i] + m->source, sizeof value);
        print_thread(p, m, i);
        print_seconds(p, value);
    }
}

/* ---- masters ---- */

void sb_metric_master_age(const sb_metric_page *p, const sb_metric *m)
{
    for (size_t i = 0; i < p->values->master_count; i++) {
        const sb_web_master *master = &p->values->masters[i];
        sb_time              at;
        memcpy(&at, (const char *)master + m->source, sizeof at);
        if (at == SB_TIME_NEVER) continue;
        sb_metric_print_name(p, m, "{master=\"");
        sb_web_print_label(p->out, master->name);
        sb_web_print(p->out, "\"}");
        print_seconds(p, p->values->taken_at - at);
    }
}

void sb_metric_master_resolved(const sb_metric_page *p, const sb_metric *m)
{
    for (size_t i = 0; i < p->values->master_count; i++)
        print_labelled(p, m, "master", p->values->masters[i].name, p->values->masters[i].resolved);
}

/* ---- rooms ---- */

static void print_room(const sb_metric_page *p, const sb_metric *m, const sb_web_room *room)
{
    sb_metric_print_name(p, m, "");
    sb_web_print(p->out, "{room=\"%u\"}", room->number);
}

void sb_metric_room_info(const sb_metric_page *p, const sb_metric *m)
{
    for (size_t i = 0; i < p->values->shown_rooms; i++) {
        const sb_web_room *room = &p->values->rooms[i];
        sb_metric_print_name(p, m, "");
        sb_web_print(p->out, "{room=\"%u\",name=\"", room->number);
        sb_web_print_label(p->out, room->name);
        sb_web_print(p->out, "\",mission=\"");
        sb_web_print_label(p->out, room->figures.mode ? room->figures.mode->key : "");
        sb_web_print(p->out, "\",system=\"");
        sb_web_print_label(p->out, room->figures.system);
        sb_web_print(p->out, "\"} 1\n");
    }
}

void sb_metric_of_rooms(const sb_metric_page *p, const sb_metric *m)
{
    for (size_t i = 0; i < p->values->shown_rooms; i++) {
        uint32_t value;
        memcpy(&value, (const char *)&p->values->rooms[i].figures + m->source, sizeof value);
        print_room(p, m, &p->values->rooms[i]);
        print_count(p, value);
    }
}

void sb_metric_of_room_traffic(const sb_metric_page *p, const sb_metric *m)
{
    for (size_t i = 0; i < p->values->shown_rooms; i++) {
        uint64_t value;
        memcpy(&value, (const char *)&p->values->rooms[i].traffic + m->source, sizeof value);
        print_room(p, m, &p->values->rooms[i]);
        print_count(p, value);
    }
}
