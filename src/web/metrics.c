/* src/web/metrics.c -- one table of all metrics; /metrics and docs/metrics.md are printed from it.
 *
 * For:      pages.h. In this order: values and labels, the functions that print one metric, the
 *           table, the page, the reference.
 * Tests:    tests/web/metrics_test.c
 */
#include "web/pages.h"

#include <string.h>
#include <unistd.h>

#include "base/assert.h"

typedef enum metric_type { COUNTER, GAUGE, HISTOGRAM } metric_type;

static const char *const type_words[] = { "counter", "gauge", "histogram" };

/* The arguments of the functions that print a metric. */
typedef struct page {
    sb_web_buffer       *out;
    const sb_web_values *values;
    const sb_web_http   *http;
} page;

typedef struct metric metric;
struct metric {
    const char *name; /* without "starbase_", unless `standard` */
    metric_type type;
    const char *labels; /* for the reference; "": none */
    void (*print)(const page *p, const metric *m);
    size_t      source;   /* as `print` says: an offset or a counter */
    bool        standard; /* a name that all programs share: process_... */
    const char *help;
};

/* ---- values and labels ---- */

static void print_name(const page *p, const metric *m, const char *suffix)
{
    sb_web_print(p->out, "%s%s%s", m->standard ? "" : "starbase_", m->name, suffix);
}

static void print_count(const page *p, uint64_t value)
{
    sb_web_print(p->out, " %llu\n", (unsigned long long)value);
}

/* All digits, unlike a double: sums of years still show microseconds. */
static void print_seconds(const page *p, sb_time us)
{
    sb_time     whole = us / SB_SECOND, rest = us % SB_SECOND;
    const char *sign = us < 0 ? "-" : "";
    sb_web_print(p->out, " %s%lld.%06lld\n", sign, (long long)(whole < 0 ? -whole : whole),
                 (long long)(rest < 0 ? -rest : rest));
}

/* `name{label="text"} value` */
static void print_labelled(const page *p, const metric *m, const char *label, const char *text,
                           uint64_t value)
{
    print_name(p, m, "");
    sb_web_print(p->out, "{%s=\"", label);
    sb_web_print_label(p->out, text);
    sb_web_print(p->out, "\"}");
    print_count(p, value);
}

/* ---- metrics without labels ---- */

/* source: the offset of a uint64_t in sb_web_values */
static void of_values(const page *p, const metric *m)
{
    uint64_t value;
    memcpy(&value, (const char *)p->values + m->source, sizeof value);
    print_name(p, m, "");
    print_count(p, value);
}

/* source: the offset of a uint64_t in sb_web_http */
static void of_http(const page *p, const metric *m)
{
    uint64_t value;
    memcpy(&value, (const char *)p->http + m->source, sizeof value);
    print_name(p, m, "");
    print_count(p, value);
}

/* source: the offset of microseconds in sb_web_values */
static void of_seconds(const page *p, const metric *m)
{
    int64_t value;
    memcpy(&value, (const char *)p->values + m->source, sizeof value);
    print_name(p, m, "");
    print_seconds(p, value);
}

/* source: an sb_server_counter, sb_transport_counter or sb_responder_counter */
static void of_messages(const page *p, const metric *m)
{
    print_name(p, m, "");
    print_count(p, p->values->messages[m->source]);
}

static void of_datagrams(const page *p, const metric *m)
{
    print_name(p, m, "");
    print_count(p, p->values->datagrams[m->source]);
}

static void of_queries(const page *p, const metric *m)
{
    print_name(p, m, "");
    print_count(p, p->values->queries[m->source]);
}

static void process_threads(const page *p, const metric *m)
{
    print_name(p, m, "");
    print_count(p, p->values->process.threads);
}

static void rooms(const page *p, const metric *m)
{
    print_name(p, m, "");
    print_count(p, p->values->room_count);
}

static void healthy(const page *p, const metric *m)
{
    char reason[SB_WEB_REASON_MAX];
    print_name(p, m, "");
    print_count(p, sb_web_is_healthy(p->values, reason));
}

static void store_up(const page *p, const metric *m)
{
    if (!p->values->store.is_open) return;
    print_name(p, m, "");
    print_count(p, p->values->store.is_up);
}

/* source: the offset of a uint64_t in sb_web_values.store */
static void of_store(const page *p, const metric *m)
{
    uint64_t value;
    if (!p->values->store.is_open) return;
    memcpy(&value, (const char *)&p->values->store + m->source, sizeof value);
    print_name(p, m, "");
    print_count(p, value);
}

/* ---- metrics with labels ---- */

static void build_info(const page *p, const metric *m)
{
    print_name(p, m, "{version=\"");
    sb_web_print_label(p->out, sb_version());
    sb_web_print(p->out, "\",compiler=\"");
#ifdef __clang__
    sb_web_print_label(p->out, "clang " __clang_version__);
#else
    sb_web_print_label(p->out, "gcc " __VERSION__);
#endif
    sb_web_print(p->out, "\"} 1\n");
}

static void rooms_by_load(const page *p, const metric *m)
{
    static const char *const steps[SB_WEB_LOADS] = { "normal", "half", "third", "closed" };
    for (size_t i = 0; i < SB_WEB_LOADS; i++)
        print_labelled(p, m, "step", steps[i], p->values->rooms_by_load[i]);
}

static void refused_messages(const page *p, const metric *m)
{
    for (int i = 0; i < SB_SERVER_COUNT_MESSAGES_IN; i++)
        print_labelled(p, m, "reason", sb_server_counter_name((sb_server_counter)i),
                       p->values->messages[i]);
}

static void refused_datagrams(const page *p, const metric *m)
{
    for (int i = 0; i < SB_TRANSPORT_REFUSAL_COUNT; i++)
        print_labelled(p, m, "reason", sb_transport_counter_name((sb_transport_counter)i),
                       p->values->datagrams[i]);
}

static void refused_queries(const page *p, const metric *m)
{
    for (int i = SB_QUERY_TOO_LONG; i < SB_RESPONDER_COUNTER_COUNT; i++)
        print_labelled(p, m, "reason", sb_responder_counter_name((sb_responder_counter)i),
                       p->values->queries[i]);
}

static void retransmissions(const page *p, const metric *m)
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

static void http_answers(const page *p, const metric *m)
{
    char code[16];
    for (size_t i = 0; i < SB_WEB_ANSWERS; i++) {
        snprintf(code, sizeof code, "%u", sb_web_answers[i].code);
        print_labelled(p, m, "code", code, p->http->answers[i]);
    }
}

static void http_dropped(const page *p, const metric *m)
{
    print_labelled(p, m, "reason", "timeout", p->http->timed_out);
    print_labelled(p, m, "reason", "displaced", p->http->displaced);
    print_labelled(p, m, "reason", "no_request", p->http->without_request);
    print_labelled(p, m, "reason", "upgrade", p->http->refused_upgrades);
}

/* ---- histograms ---- */

/* `labels`: "" or `thread="1",` */
static void print_histogram(const page *p, const metric *m, const char *labels,
                            const sb_histogram_view *h)
{
    uint64_t sum = 0;
    for (size_t i = 0; i <= SB_HISTOGRAM_BOUNDS; i++) {
        char bound[32] = "+Inf";
        if (i < SB_HISTOGRAM_BOUNDS)
            snprintf(bound, sizeof bound, "%g", (double)sb_histogram_bounds_us[i] / 1e6);
        sum += h->counts[i];
        print_name(p, m, "_bucket");
        sb_web_print(p->out, "{%sle=\"%s\"}", labels, bound);
        print_count(p, sum);
    }
    char braces[48] = "";
    if (labels[0]) snprintf(braces, sizeof braces, "{%.*s}", (int)strlen(labels) - 1, labels);
    print_name(p, m, "_sum");
    sb_web_print(p->out, "%s", braces);
    print_seconds(p, (sb_time)h->sum_us);
    print_name(p, m, "_count");
    sb_web_print(p->out, "%s", braces);
    print_count(p, sum);
}

static void round_trips(const page *p, const metric *m)
{
    print_histogram(p, m, "", &p->values->round_trips);
}

static void turns(const page *p, const metric *m)
{
    char labels[32];
    for (size_t i = 0; i < p->values->thread_count; i++) {
        snprintf(labels, sizeof labels, "thread=\"%zu\",", i + 1);
        print_histogram(p, m, labels, &p->values->threads[i].turns);
    }
}

/* ---- threads ---- */

static void print_thread(const page *p, const metric *m, size_t index)
{
    print_name(p, m, "");
    sb_web_print(p->out, "{thread=\"%zu\"}", index + 1);
}

/* source: the offset of a uint64_t in sb_web_thread */
static void of_threads(const page *p, const metric *m)
{
    for (size_t i = 0; i < p->values->thread_count; i++) {
        uint64_t value;
        memcpy(&value, (const char *)&p->values->threads[i] + m->source, sizeof value);
        print_thread(p, m, i);
        print_count(p, value);
    }
}

/* source: the offset of microseconds in sb_web_thread */
static void of_thread_seconds(const page *p, const metric *m)
{
    for (size_t i = 0; i < p->values->thread_count; i++) {
        sb_time value;
        memcpy(&value, (const char *)&p->values->threads[i] + m->source, sizeof value);
        print_thread(p, m, i);
        print_seconds(p, value);
    }
}

/* ---- masters ---- */

/* source: the offset of a moment in sb_web_master. No line until the moment has come. */
static void master_age(const page *p, const metric *m)
{
    for (size_t i = 0; i < p->values->master_count; i++) {
        const sb_web_master *master = &p->values->masters[i];
        sb_time              at;
        memcpy(&at, (const char *)master + m->source, sizeof at);
        if (at == SB_TIME_NEVER) continue;
        print_name(p, m, "{master=\"");
        sb_web_print_label(p->out, master->name);
        sb_web_print(p->out, "\"}");
        print_seconds(p, p->values->taken_at - at);
    }
}

static void master_resolved(const page *p, const metric *m)
{
    for (size_t i = 0; i < p->values->master_count; i++)
        print_labelled(p, m, "master", p->values->masters[i].name, p->values->masters[i].resolved);
}

/* ---- rooms ---- */

static void print_room(const page *p, const metric *m, const sb_web_room *room)
{
    print_name(p, m, "");
    sb_web_print(p->out, "{room=\"%u\"}", room->number);
}

static void room_info(const page *p, const metric *m)
{
    for (size_t i = 0; i < p->values->shown_rooms; i++) {
        const sb_web_room *room = &p->values->rooms[i];
        print_name(p, m, "");
        sb_web_print(p->out, "{room=\"%u\",name=\"", room->number);
        sb_web_print_label(p->out, room->name);
        sb_web_print(p->out, "\",mission=\"");
        sb_web_print_label(p->out, room->figures.mode ? room->figures.mode->key : "");
        sb_web_print(p->out, "\",system=\"");
        sb_web_print_label(p->out, room->figures.system);
        sb_web_print(p->out, "\"} 1\n");
    }
}

/* source: the offset of a uint32_t in sb_room_figures */
static void of_rooms(const page *p, const metric *m)
{
    for (size_t i = 0; i < p->values->shown_rooms; i++) {
        uint32_t value;
        memcpy(&value, (const char *)&p->values->rooms[i].figures + m->source, sizeof value);
        print_room(p, m, &p->values->rooms[i]);
        print_count(p, value);
    }
}

/* source: the offset of a uint64_t in sb_web_traffic */
static void of_room_traffic(const page *p, const metric *m)
{
    for (size_t i = 0; i < p->values->shown_rooms; i++) {
        uint64_t value;
        memcpy(&value, (const char *)&p->values->rooms[i].traffic + m->source, sizeof value);
        print_room(p, m, &p->values->rooms[i]);
        print_count(p, value);
    }
}

/* ---- the table ---- */

#define VALUE(member)   offsetof(sb_web_values, member)
#define THREAD(member)  offsetof(sb_web_thread, member)
#define HTTP(member)    offsetof(sb_web_http, member)
#define STORE(member)   offsetof(sb_web_store, member)
#define TRAFFIC(member) offsetof(sb_web_traffic, member)
#define FIGURES(member) offsetof(sb_room_figures, member)

/* clang-format off */
static const metric metrics[] = {
    { "build_info", GAUGE, "version, compiler", build_info, 0, false,
      "1; the labels say which program runs" },
    { "healthy", GAUGE, "", healthy, 0, false,
      "1: all is well; 0: /healthz answers 503 and says why" },

    { "players", GAUGE, "", of_values, VALUE(players), false,
      "players in the game, without the server's own bots" },
    { "bots", GAUGE, "", of_values, VALUE(bots), false,
      "bots of the server itself in the game (key bots)" },
    { "sessions", GAUGE, "", of_values, VALUE(connected), false,
      "connected players and bots, those who are still joining included" },
    { "places", GAUGE, "", of_values, VALUE(places), false, "players that all rooms admit" },
    { "rooms", GAUGE, "", rooms, 0, false, "rooms" },
    { "rooms_started", GAUGE, "", of_values, VALUE(rooms_started), false,
      "rooms that have had a datagram; the others cost nothing" },
    { "rooms_active", GAUGE, "", of_values, VALUE(rooms_with_players), false,
      "rooms with a connected player" },
    { "rooms_by_load", GAUGE, "step", rooms_by_load, 0, false,
      "started rooms by what gives way because a thread has too much to do; normal: nothing" },
    { "matches_total", COUNTER, "", of_messages, SB_SERVER_COUNT_MATCHES, false,
      "matches that ended with a result" },
    { "joins_total", COUNTER, "", of_messages, SB_SERVER_COUNT_JOINS, false,
      "players who entered the game" },
    { "leaves_total", COUNTER, "", of_messages, SB_SERVER_COUNT_LEAVES, false,
      "players who left the game" },
    { "failed_joins_total", COUNTER, "", of_messages, SB_SERVER_COUNT_FAILED_JOINS, false,
      "joins that failed" },
    { "ships_created_total", COUNTER, "", of_messages, SB_SERVER_COUNT_SPAWNS, false,
      "ships of players created" },
    { "ships_destroyed_total", COUNTER, "", of_messages, SB_SERVER_COUNT_DEATHS, false,
      "ships of players destroyed" },

    { "turn_duration_seconds", HISTOGRAM, "thread, le", turns, 0, false,
      "how long a turn of a thread took, from the wake-up for a datagram or a deadline until all "
      "answers were sent: the time that the server adds to a message" },
    { "round_trip_seconds", HISTOGRAM, "le", round_trips, 0, false,
      "smoothed round trip times of players, without bots; one value per player each time the values are "
      "collected, at most once a second and only when asked for" },
    { "thread_cpu_seconds_total", COUNTER, "thread", of_thread_seconds, THREAD(cpu_us), false,
      "processor time of a thread that runs rooms" },
    { "thread_wakeups_total", COUNTER, "thread", of_threads, THREAD(wakeups), false,
      "how often a thread that runs rooms woke up" },
    { "thread_late_seconds", GAUGE, "thread", of_thread_seconds, THREAD(late_us), false,
      "how long a thread that runs rooms has not answered; 0: it answers" },

    { "received_datagrams_total", COUNTER, "", of_values, VALUE(traffic.datagrams_in), false,
      "datagrams received by all rooms" },
    { "received_bytes_total", COUNTER, "", of_values, VALUE(traffic.bytes_in), false,
      "bytes of these datagrams" },
    { "sent_datagrams_total", COUNTER, "", of_values, VALUE(traffic.datagrams_out), false,
      "datagrams sent by all rooms" },
    { "sent_bytes_total", COUNTER, "", of_values, VALUE(traffic.bytes_out), false,
      "bytes of these datagrams" },
    { "unsent_datagrams_total", COUNTER, "", of_values, VALUE(traffic.not_sent), false,
      "datagrams that the system did not take" },
    { "turns_total", COUNTER, "", of_values, VALUE(traffic.turns), false, "steps of all rooms" },
    { "received_messages_total", COUNTER, "", of_messages, SB_SERVER_COUNT_MESSAGES_IN, false,
      "messages of players" },
    { "relayed_messages_total", COUNTER, "", of_messages, SB_SERVER_COUNT_RELAYED, false,
      "copies of messages relayed to players" },
    { "delayed_messages_total", COUNTER, "", of_messages, SB_SERVER_COUNT_RELAY_DELAYED, false,
      "copies that waited in the backlog for space in the receiver's queue" },
    { "received_states_total", COUNTER, "", of_messages, SB_SERVER_COUNT_STATE_IN, false,
      "StateUpdates of players applied" },
    { "sent_states_total", COUNTER, "", of_messages, SB_SERVER_COUNT_STATE_OUT, false,
      "StateUpdates sent" },
    { "retransmissions_total", COUNTER, "cause", retransmissions, 0, false,
      "reliable messages and fragments sent again, after a timeout or because later ones were "
      "acknowledged" },
    { "duplicate_messages_total", COUNTER, "", of_datagrams, SB_TRANSPORT_COUNT_DUPLICATE, false,
      "reliable messages that had arrived before" },
    { "connects_total", COUNTER, "", of_datagrams, SB_TRANSPORT_COUNT_CONNECTS, false,
      "Connects that were answered with an id" },
    { "refused_datagrams_total", COUNTER, "reason", refused_datagrams, 0, false,
      "datagrams, Connects and transport messages without effect, by reason" },
    { "refused_messages_total", COUNTER, "reason", refused_messages, 0, false,
      "messages of players without effect, by reason" },
    { "refused_queries_total", COUNTER, "reason", refused_queries, 0, false,
      "queries of server browsers without an answer, by reason" },
    { "queries_total", COUNTER, "", of_queries, SB_QUERY_QUERIES, false,
      "queries of server browsers received" },
    { "query_answers_total", COUNTER, "", of_queries, SB_QUERY_ANSWERS, false,
      "packets of answers to server browsers" },
    { "heartbeats_total", COUNTER, "", of_queries, SB_QUERY_HEARTBEATS, false,
      "heartbeats sent to master servers" },
    { "integrity_boots_total", COUNTER, "", of_messages, SB_SERVER_COUNT_HASH_BOOTS, false,
      "players removed because of the integrity hash of their ship" },
    { "sent_files_total", COUNTER, "", of_messages, SB_SERVER_COUNT_FILES_SENT, false,
      "files sent to players and acknowledged (key send_files)" },

    { "queued_messages", GAUGE, "", of_values, VALUE(queued), false,
      "messages and fragments for players, not sent yet" },
    { "unacknowledged_messages", GAUGE, "", of_values, VALUE(unacknowledged), false,
      "reliable messages and fragments sent to them and not acknowledged yet" },
    { "early_messages", GAUGE, "", of_values, VALUE(early), false,
      "received messages and fragments that wait for an earlier one" },
    { "message_cells", GAUGE, "", of_values, VALUE(cells), false,
      "memory of these queues in cells of 128 bytes" },
    { "notices_waiting", GAUGE, "thread", of_threads, THREAD(notices_waiting), false,
      "events of rooms that the main thread has not read yet" },
    { "notices_dropped_total", COUNTER, "thread", of_threads, THREAD(notices_dropped), false,
      "events of rooms dropped because the main thread was too slow" },
    { "log_lines_lost_total", COUNTER, "", of_values, VALUE(log_lines_lost), false,
      "log lines dropped because the reader of the log was too slow" },

    { "store_up", GAUGE, "", store_up, 0, false,
      "1: the database takes entries; 0: entries wait in the spool file, or are lost; no line "
      "without a store" },
    { "store_queued_entries", GAUGE, "", of_store, STORE(queued), false,
      "entries in memory that the database has not taken yet" },
    { "store_spooled_entries", GAUGE, "", of_store, STORE(spooled), false,
      "entries in the spool file, stored when the database takes them" },
    { "store_written_entries_total", COUNTER, "", of_store, STORE(written), false,
      "entries that the database has taken" },
    { "store_dropped_entries_total", COUNTER, "", of_store, STORE(dropped), false,
      "entries lost because queue or spool file were full" },
    { "store_refused_entries_total", COUNTER, "", of_store, STORE(refused), false,
      "entries that the database refused for their content" },

    { "master_resolved", GAUGE, "master", master_resolved, 0, false,
      "1: the address of the master server is known" },
    { "master_heartbeat_age_seconds", GAUGE, "master", master_age,
      offsetof(sb_web_master, sent_at), false,
      "time since the last heartbeat to a master server; no line before the first one" },
    { "master_query_age_seconds", GAUGE, "master", master_age,
      offsetof(sb_web_master, heard_at), false,
      "time since the last query from the address of a master server; no line: none yet, or it "
      "asks from another address" },

    { "room_info", GAUGE, "room, name, mission, system", room_info, 0, false,
      "1; name, mission and star system of a room; the metrics of single rooms are those of the "
      "first 256 rooms" },
    { "room_players", GAUGE, "room", of_rooms, FIGURES(in_game), false,
      "players in the game without bots, of the first 256 rooms" },
    { "room_bots", GAUGE, "room", of_rooms, FIGURES(bots), false,
      "bots of the server in the game, of the first 256 rooms" },
    { "room_sessions", GAUGE, "room", of_rooms, FIGURES(player_count), false,
      "connected players, of the first 256 rooms" },
    { "room_places", GAUGE, "room", of_rooms, FIGURES(player_limit), false,
      "players that the room admits, of the first 256 rooms" },
    { "room_received_bytes_total", COUNTER, "room", of_room_traffic, TRAFFIC(bytes_in), false,
      "bytes received, of the first 256 rooms" },
    { "room_sent_bytes_total", COUNTER, "room", of_room_traffic, TRAFFIC(bytes_out), false,
      "bytes sent, of the first 256 rooms" },

    { "http_connections", GAUGE, "", of_http, HTTP(connections), false,
      "open connections to the HTTP server" },
    { "http_accepted_connections_total", COUNTER, "", of_http, HTTP(accepted), false,
      "connections accepted by the HTTP server" },
    { "http_answers_total", COUNTER, "code", http_answers, 0, false,
      "answers of the HTTP server" },
    { "http_dropped_connections_total", COUNTER, "reason", http_dropped, 0, false,
      "connections closed without a page: too slow (timeout), displaced by a newer one of the same "
      "address or by any when all places are taken, without a request that can be read, or with a "
      "wish for another protocol (upgrade)" },

    { "process_cpu_seconds_total", COUNTER, "", of_seconds, VALUE(process.cpu_us), true,
      "processor time of all threads" },
    { "process_resident_memory_bytes", GAUGE, "", of_values, VALUE(process.rss_bytes), true,
      "resident memory" },
    { "process_start_time_seconds", GAUGE, "", of_seconds, VALUE(started_us), true,
      "when the server started, in seconds since 1970" },
    { "process_threads", GAUGE, "", process_threads, 0, true, "threads of the process" },
};
/* clang-format on */

/* ---- the page ---- */

/* A metric that has no lines at present has no head either: Prometheus accepts both, promtool asks
 * for a help text. */
static void print_metric(const page *p, const metric *m)
{
    size_t before = p->out->size;
    sb_web_print(p->out, "# HELP ");
    print_name(p, m, " ");
    sb_web_print(p->out, "%s\n# TYPE ", m->help);
    print_name(p, m, " ");
    sb_web_print(p->out, "%s\n", type_words[m->type]);
    size_t head = p->out->size;
    m->print(p, m);
    if (p->out->size == head && !p->out->failed) p->out->size = before;
}

void sb_web_print_metrics(sb_web_buffer *out, const sb_web_values *values, const sb_web_http *http)
{
    const page p = { out, values, http };
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) print_metric(&p, &metrics[i]);
}

/* ---- the reference ---- */

static const char reference_head[] =
    "# Metrics\n"
    "\n"
    "What `GET /metrics` of the key `http` answers. Made by `starbase serve --metrics` from the "
    "table\n"
    "in `src/web/metrics.c`; [hosting.md](hosting.md#metrics) says how to use it.\n"
    "\n"
    "Counters start at 0 with the process. A histogram `NAME` has `NAME_bucket` with the label "
    "`le`,\n"
    "`NAME_sum` and `NAME_count`. A metric without a value at present has no lines.\n"
    "\n"
    "| Metric | Type | Labels | Meaning |\n"
    "| --- | --- | --- | --- |\n";

static void print_reasons(FILE *out, const char *metric_name, int first, int end,
                          const char *(*name)(int), const char *(*text)(int))
{
    fprintf(out, "\n### starbase_%s\n\n| `reason` | Meaning |\n| --- | --- |\n", metric_name);
    for (int i = first; i < end; i++) fprintf(out, "| `%s` | %s |\n", name(i), text(i));
}

static const char *message_name(int i)
{
    return sb_server_counter_name((sb_server_counter)i);
}
static const char *message_text(int i)
{
    return sb_server_counter_text((sb_server_counter)i);
}
static const char *datagram_name(int i)
{
    return sb_transport_counter_name((sb_transport_counter)i);
}
static const char *datagram_text(int i)
{
    return sb_transport_counter_text((sb_transport_counter)i);
}
static const char *query_name(int i)
{
    return sb_responder_counter_name((sb_responder_counter)i);
}
static const char *query_text(int i)
{
    return sb_responder_counter_text((sb_responder_counter)i);
}

void sb_web_print_reference(FILE *out)
{
    fputs(reference_head, out);
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        const metric *m = &metrics[i];
        fprintf(out, "| `%s%s` | %s | %s | %s |\n", m->standard ? "" : "starbase_", m->name,
                type_words[m->type], m->labels, m->help);
    }
    fputs("\n## Reasons of refusals\n", out);
    print_reasons(out, "refused_datagrams_total", 0, SB_TRANSPORT_REFUSAL_COUNT, datagram_name,
                  datagram_text);
    print_reasons(out, "refused_messages_total", 0, SB_SERVER_COUNT_MESSAGES_IN, message_name,
                  message_text);
    print_reasons(out, "refused_queries_total", SB_QUERY_TOO_LONG, SB_RESPONDER_COUNTER_COUNT,
                  query_name, query_text);
}
