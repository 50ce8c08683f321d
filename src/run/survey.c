/* src/run/survey.c -- sends queries and collects answers until a timeout. */
#include "run/survey.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "platform/clock.h"
#include "run/lan_sweep.h"

enum { SWEEP_INTERVAL_US = 1000, MAX_WAIT_US = 100000, SETTLE_US = 200000 };

static const char query[] = "\\status\\";

typedef struct survey_state {
    sb_survey              *out;
    const sb_survey_config *config;
    sb_udp                  udp;
    sb_udp_batch           *batch;
    sb_lan_sweep            sweep;
    sb_time                 ends_at;
    sb_time                 pace_at;  /* time of the next datagram of the sweep */
    sb_time                 swept_at; /* end of the sweep; 0: it goes on */
    uint64_t                queries_sent;
} survey_state;

static void send_query(survey_state *s, sb_endpoint to)
{
    memcpy(sb_udp_next_buffer(&s->udp, s->batch), query, sizeof query - 1);
    sb_udp_send(&s->udp, s->batch, to, sizeof query - 1);
    sb_udp_flush(&s->udp, s->batch);
    s->queries_sent++;
}

/* ---- servers by address ---- */

/* Queries servers that have not answered, and returns the time of the next query. */
static sb_time query_known_servers(survey_state *s, sb_time now)
{
    sb_time next = s->ends_at;
    for (size_t i = 0; i < s->config->count; i++) {
        sb_survey_entry *a = &s->out->servers[i];
        if (a->found.complete || a->same_as != i) continue;
        if (now >= a->sent_at + SB_SURVEY_RETRY_US) {
            a->sent_at = sb_clock_now();
            send_query(s, a->address);
        }
        if (a->sent_at + SB_SURVEY_RETRY_US < next) next = a->sent_at + SB_SURVEY_RETRY_US;
    }
    return next;
}

static bool is_complete(const survey_state *s)
{
    return !s->config->lan && sb_survey_answers(s->out) == s->out->count;
}

/* ---- the LAN ---- */

/* Queries each found server again SETTLE_US after the sweep, to measure its ping. */
static sb_time query_found_servers(survey_state *s, sb_time now)
{
    if (now < s->swept_at + SETTLE_US) return s->swept_at + SETTLE_US;
    for (size_t i = 0; i < s->out->count; i++) {
        sb_survey_entry *a = &s->out->servers[i];
        if (a->sent_at != 0) continue;
        a->sent_at = sb_clock_now();
        send_query(s, a->address);
    }
    return s->ends_at;
}

static sb_time sweep(survey_state *s, sb_time now)
{
    sb_endpoint to;
    if (s->swept_at != 0) return query_found_servers(s, now);
    if (now < s->pace_at) return s->pace_at;
    if (sb_lan_sweep_next(&s->sweep, &to)) {
        send_query(s, to);
        s->ends_at = now + s->config->timeout_us;
    } else s->swept_at = now;
    s->pace_at = now + SWEEP_INTERVAL_US;
    return s->pace_at;
}

/* ---- answers ---- */

static sb_survey_entry *find_entry(survey_state *s, sb_endpoint from)
{
    for (size_t i = 0; i < s->out->count; i++) {
        sb_survey_entry *a = &s->out->servers[i];
        if (a->address.address == from.address && a->address.port == from.port) return a;
    }
    return NULL;
}

static sb_survey_entry *add_entry(survey_state *s, sb_endpoint from)
{
    if (!s->config->lan || s->out->count == SB_SURVEY_MAX) return NULL;
    sb_survey_entry *a = &s->out->servers[s->out->count];
    *a = (sb_survey_entry){ .address = from, .same_as = s->out->count++, .ping_us = -1 };
    return a;
}

/* Copies an answer to the other entries with the same address. */
static void copy_to_duplicates(sb_survey *out, const sb_survey_entry *answered)
{
    size_t first = answered->same_as;
    for (size_t i = first + 1; i < out->count; i++)
        if (out->servers[i].same_as == first) out->servers[i] = *answered;
}

static void handle_answer(survey_state *s, sb_endpoint from, sb_span datagram, sb_time now)
{
    sb_survey_entry *a = find_entry(s, from);
    sb_found         first = { 0 };
    if (!a && (sb_found_add(&first, datagram) != SB_OK || !(a = add_entry(s, from)))) return;
    if (sb_found_add(&a->found, datagram) != SB_OK) return;
    if (a->ping_us < 0 && a->sent_at != 0) a->ping_us = now - a->sent_at;
    if (!s->config->lan) copy_to_duplicates(s->out, a);
    if (s->config->lan) s->ends_at = now + s->config->timeout_us;
}

static void receive_answers(survey_state *s)
{
    size_t count;
    while ((count = sb_udp_receive(&s->udp, s->batch, SB_UDP_BATCH)) > 0) {
        sb_time now = sb_clock_now();
        for (size_t i = 0; i < count; i++) {
            sb_endpoint from;
            sb_span     datagram = sb_udp_received(s->batch, i, &from);
            handle_answer(s, from, datagram, now);
        }
    }
}

static void wait_until(const survey_state *s, sb_time until, sb_time now)
{
    struct pollfd   fd = { s->udp.descriptor, POLLIN, 0 };
    sb_time         left = until - now < MAX_WAIT_US ? until - now : MAX_WAIT_US;
    struct timespec wait = { 0, (long)(left > 0 ? left : 0) * 1000 };
    (void)ppoll(&fd, 1, &wait, NULL);
}

/* ---- the survey ---- */

/* A server that keeps answering cannot extend the survey beyond three timeouts and a second. */
static void run_loop(survey_state *s)
{
    sb_time start = sb_clock_now(), now = start;
    sb_time deadline = start + 3 * s->config->timeout_us + SB_SECOND;
    s->ends_at = start + s->config->timeout_us;
    while (now < s->ends_at && now < deadline && !is_complete(s)) {
        sb_time next = s->config->lan ? sweep(s, now) : query_known_servers(s, now);
        wait_until(s, next, now);
        receive_answers(s);
        if (s->config->stop && s->config->stop(s->config->stop_context)) return;
        now = sb_clock_now();
    }
}

static void init_entries(survey_state *s)
{
    s->out->count = 0;
    for (size_t i = 0; i < s->config->count; i++) {
        const sb_survey_entry *first = find_entry(s, s->config->servers[i]);
        sb_survey_entry       *a = &s->out->servers[s->out->count++];
        *a = (sb_survey_entry){ .address = s->config->servers[i],
                                .same_as = first ? (size_t)(first - s->out->servers) : i,
                                .sent_at = -SB_SURVEY_RETRY_US,
                                .ping_us = -1 };
    }
    if (s->config->lan) sb_lan_sweep_init(&s->sweep);
}

sb_result sb_survey_run(sb_survey *out, const sb_survey_config *config,
                        char error[SB_UDP_ERROR_MAX])
{
    survey_state   s = { .out = out, .config = config };
    sb_udp_options options = { .broadcast = config->lan };
    snprintf(error, SB_UDP_ERROR_MAX, "at most %d servers at once", SB_SURVEY_MAX);
    if (config->count > SB_SURVEY_MAX) return SB_FULL;
    init_entries(&s);
    sb_result result = sb_udp_open(&s.udp, &options, error);
    if (result != SB_OK) return result;
    s.batch = sb_udp_batch_create();
    if (s.batch) run_loop(&s);
    snprintf(error, SB_UDP_ERROR_MAX, "%s",
             s.batch ? "no query could be sent: is there a network?" : "no memory");
    bool sent = s.udp.traffic.datagrams_out > 0 || s.queries_sent == 0;
    sb_udp_close(&s.udp);
    sb_udp_batch_destroy(s.batch);
    return s.batch && sent ? SB_OK : SB_OS_ERROR;
}

size_t sb_survey_answers(const sb_survey *survey)
{
    size_t count = 0;
    for (size_t i = 0; i < survey->count; i++) count += survey->servers[i].found.complete;
    return count;
}
