/* src/web/metrics.c -- one table of all metrics; /metrics and docs/metrics.md are printed from it.
 *
 * For:      pages.h. metric_print.c prints the lines of a metric.
 * Tests:    tests/web/metrics_test.c
 */
#include "web/metric_print.h"

static const char *const type_words[] = { "counter", "gauge", "histogram" };

/* ---- the table ---- */

#define VALUE(member)   offsetof(sb_web_values, member)
#define THREAD(member)  offsetof(sb_web_thread, member)
#define HTTP(member)    offsetof(sb_web_http, member)
#define STORE(member)   offsetof(sb_web_store, member)
#define TRAFFIC(member) offsetof(sb_web_traffic, member)
#define FIGURES(member) offsetof(sb_room_figures, member)

/* clang-format off */
static const sb_metric metrics[] = {
    { "build_info", GAUGE, "version, compiler", sb_metric_build_info, 0, false,
      "1; the labels say which program runs" },
    { "healthy", GAUGE, "", sb_metric_healthy, 0, false,
      "1: all is well; 0: /healthz answers 503 and says why" },

    { "players", GAUGE, "", sb_metric_of_values, VALUE(players), false,
      "players in the game, without the server's own bots" },
    { "bots", GAUGE, "", sb_metric_of_values, VALUE(bots), false,
      "bots of the server itself in the game (key bots)" },
    { "sessions", GAUGE, "", sb_metric_of_values, VALUE(connected), false,
      "connected players and bots, those who are still joining included" },
    { "places", GAUGE, "", sb_metric_of_values, VALUE(places), false, "players that all rooms admit" },
    { "rooms", GAUGE, "", sb_metric_rooms, 0, false, "rooms" },
    { "rooms_started", GAUGE, "", sb_metric_of_values, VALUE(rooms_started), false,
      "rooms that have had a datagram; the others cost nothing" },
    { "rooms_active", GAUGE, "", sb_metric_of_values, VALUE(rooms_with_players), false,
      "rooms with a connected player" },
    { "rooms_by_load", GAUGE, "step", sb_metric_rooms_by_load, 0, false,
      "started rooms by what gives way because a thread has too much to do; normal: "
      "nothing; shared: states wait up to 20 ms, so that they share datagrams" },
    { "matches_total", COUNTER, "", sb_metric_of_messages, SB_SERVER_COUNT_MATCHES, false,
      "matches that ended with a result" },
    { "joins_total", COUNTER, "", sb_metric_of_messages, SB_SERVER_COUNT_JOINS, false,
      "players who entered the game" },
    { "leaves_total", COUNTER, "", sb_metric_of_messages, SB_SERVER_COUNT_LEAVES, false,
      "players who left the game" },
    { "failed_joins_total", COUNTER, "", sb_metric_of_messages, SB_SERVER_COUNT_FAILED_JOINS, false,
      "joins that failed" },
    { "ships_created_total", COUNTER, "", sb_metric_of_messages, SB_SERVER_COUNT_SPAWNS, false,
      "ships of players created" },
    { "ships_destroyed_total", COUNTER, "", sb_metric_of_messages, SB_SERVER_COUNT_DEATHS, false,
      "ships of players destroyed" },

    { "turn_duration_seconds", HISTOGRAM, "thread, le", sb_metric_turns, 0, false,
      "how long a turn of a thread took, from the wake-up for a datagram or a deadline until all "
      "answers were sent: the time that the server adds to a message" },
    { "round_trip_seconds", HISTOGRAM, "le", sb_metric_round_trips, 0, false,
      "smoothed round trip times of players, without bots; one value per player each time the values are "
      "collected, at most once a second and only when asked for" },
    { "thread_cpu_seconds_total", COUNTER, "thread", sb_metric_of_thread_seconds, THREAD(cpu_us), false,
      "processor time of a thread that runs rooms" },
    { "thread_wakeups_total", COUNTER, "thread", sb_metric_of_threads, THREAD(wakeups), false,
      "how often a thread that runs rooms woke up" },
    { "thread_late_seconds", GAUGE, "thread", sb_metric_of_thread_seconds, THREAD(late_us), false,
      "how long a thread that runs rooms has not answered; 0: it answers" },

    { "received_datagrams_total", COUNTER, "", sb_metric_of_values, VALUE(traffic.datagrams_in), false,
      "datagrams received by all rooms" },
    { "received_bytes_total", COUNTER, "", sb_metric_of_values, VALUE(traffic.bytes_in), false,
      "bytes of these datagrams" },
    { "sent_datagrams_total", COUNTER, "", sb_metric_of_values, VALUE(traffic.datagrams_out), false,
      "datagrams sent by all rooms" },
    { "sent_bytes_total", COUNTER, "", sb_metric_of_values, VALUE(traffic.bytes_out), false,
      "bytes of these datagrams" },
    { "unsent_datagrams_total", COUNTER, "", sb_metric_of_values, VALUE(traffic.not_sent), false,
      "datagrams that the system did not take" },
    { "forged_house_datagrams_total", COUNTER, "", sb_metric_of_values, VALUE(traffic.forged_house), false,
      "datagrams dropped because their source is in 0.0.0.0/8, as only the server's own bots have" },
    { "turns_total", COUNTER, "", sb_metric_of_values, VALUE(traffic.turns), false, "steps of all rooms" },
    { "received_messages_total", COUNTER, "", sb_metric_of_messages, SB_SERVER_COUNT_MESSAGES_IN, false,
      "messages of players" },
    { "relayed_messages_total", COUNTER, "", sb_metric_of_messages, SB_SERVER_COUNT_RELAYED, false,
      "copies of messages relayed to players" },
    { "delayed_messages_total", COUNTER, "", sb_metric_of_messages, SB_SERVER_COUNT_RELAY_DELAYED, false,
      "copies that waited in the backlog for space in the receiver's queue" },
    { "received_states_total", COUNTER, "", sb_metric_of_messages, SB_SERVER_COUNT_STATE_IN, false,
      "StateUpdates of players applied" },
    { "sent_states_total", COUNTER, "", sb_metric_of_messages, SB_SERVER_COUNT_STATE_OUT, false,
      "StateUpdates sent" },
    { "retransmissions_total", COUNTER, "cause", sb_metric_retransmissions, 0, false,
      "reliable messages and fragments sent again, after a timeout or because later ones were "
      "acknowledged" },
    { "duplicate_messages_total", COUNTER, "", sb_metric_of_datagrams, SB_TRANSPORT_COUNT_DUPLICATE, false,
      "reliable messages that had arrived before" },
    { "connects_total", COUNTER, "", sb_metric_of_datagrams, SB_TRANSPORT_COUNT_CONNECTS, false,
      "Connects that were answered with an id" },
    { "refused_datagrams_total", COUNTER, "reason", sb_metric_refused_datagrams, 0, false,
      "datagrams, Connects and transport messages without effect, by reason" },
    { "refused_messages_total", COUNTER, "reason", sb_metric_refused_messages, 0, false,
      "messages of players without effect, by reason" },
    { "refused_queries_total", COUNTER, "reason", sb_metric_refused_queries, 0, false,
      "queries of server browsers without an answer, by reason" },
    { "implausible_messages_total", COUNTER, "kind", sb_metric_implausible_messages, 0, false,
      "messages that claim what a ship cannot do, also those that lag explains, by kind" },
    { "queries_total", COUNTER, "", sb_metric_of_queries, SB_QUERY_QUERIES, false,
      "queries of server browsers received" },
    { "query_answers_total", COUNTER, "", sb_metric_of_queries, SB_QUERY_ANSWERS, false,
      "packets of answers to server browsers" },
    { "heartbeats_total", COUNTER, "", sb_metric_of_queries, SB_QUERY_HEARTBEATS, false,
      "heartbeats sent to master servers" },
    { "integrity_boots_total", COUNTER, "", sb_metric_of_messages, SB_SERVER_COUNT_HASH_BOOTS, false,
      "players removed because of the integrity hash of their ship" },
    { "sent_files_total", COUNTER, "", sb_metric_of_messages, SB_SERVER_COUNT_FILES_SENT, false,
      "files sent to players and acknowledged (key send_files)" },

    { "backlog_bytes", GAUGE, "", sb_metric_of_values, VALUE(backlog_bytes), false,
      "relayed messages that wait for space in the queues of their receivers" },
    { "queued_messages", GAUGE, "", sb_metric_of_values, VALUE(queued), false,
      "messages and fragments for players, not sent yet" },
    { "unacknowledged_messages", GAUGE, "", sb_metric_of_values, VALUE(unacknowledged), false,
      "reliable messages and fragments sent to them and not acknowledged yet" },
    { "early_messages", GAUGE, "", sb_metric_of_values, VALUE(early), false,
      "received messages and fragments that wait for an earlier one" },
    { "message_cells", GAUGE, "", sb_metric_of_values, VALUE(cells), false,
      "memory of these queues in cells of 128 bytes" },
    { "notices_waiting", GAUGE, "thread", sb_metric_of_threads, THREAD(notices_waiting), false,
      "events of rooms that the main thread has not read yet" },
    { "notices_dropped_total", COUNTER, "thread", sb_metric_of_threads, THREAD(notices_dropped), false,
      "events of rooms dropped because the main thread was too slow" },
    { "log_lines_lost_total", COUNTER, "", sb_metric_of_values, VALUE(log_lines_lost), false,
      "log lines dropped because the reader of the log was too slow" },

    { "store_up", GAUGE, "", sb_metric_store_up, 0, false,
      "1: the database takes entries; 0: entries wait in the spool file, or are lost; no line "
      "without a store" },
    { "store_queued_entries", GAUGE, "", sb_metric_of_store, STORE(queued), false,
      "entries in memory that the database has not taken yet" },
    { "store_spooled_entries", GAUGE, "", sb_metric_of_store, STORE(spooled), false,
      "entries in the spool file, stored when the database takes them" },
    { "store_written_entries_total", COUNTER, "", sb_metric_of_store, STORE(written), false,
      "entries that the database has taken" },
    { "store_dropped_entries_total", COUNTER, "", sb_metric_of_store, STORE(dropped), false,
      "entries lost because queue or spool file were full" },
    { "store_refused_entries_total", COUNTER, "", sb_metric_of_store, STORE(refused), false,
      "entries that the database refused for their content" },

    { "master_resolved", GAUGE, "master", sb_metric_master_resolved, 0, false,
      "1: the address of the master server is known" },
    { "master_heartbeat_age_seconds", GAUGE, "master", sb_metric_master_age,
      offsetof(sb_web_master, sent_at), false,
      "time since the last heartbeat to a master server; no line before the first one" },
    { "master_query_age_seconds", GAUGE, "master", sb_metric_master_age,
      offsetof(sb_web_master, heard_at), false,
      "time since the last query from the address of a master server; no line: none yet, or it "
      "asks from another address" },

    { "room_info", GAUGE, "room, name, mission, system", sb_metric_room_info, 0, false,
      "1; name, mission and star system of a room; the metrics of single rooms are those of the "
      "first 256 rooms" },
    { "room_players", GAUGE, "room", sb_metric_of_rooms, FIGURES(in_game), false,
      "players in the game without bots, of the first 256 rooms" },
    { "room_bots", GAUGE, "room", sb_metric_of_rooms, FIGURES(bots), false,
      "bots of the server in the game, of the first 256 rooms" },
    { "room_sessions", GAUGE, "room", sb_metric_of_rooms, FIGURES(player_count), false,
      "connected players, of the first 256 rooms" },
    { "room_places", GAUGE, "room", sb_metric_of_rooms, FIGURES(player_limit), false,
      "players that the room admits, of the first 256 rooms" },
    { "room_received_bytes_total", COUNTER, "room", sb_metric_of_room_traffic, TRAFFIC(bytes_in), false,
      "bytes received, of the first 256 rooms" },
    { "room_sent_bytes_total", COUNTER, "room", sb_metric_of_room_traffic, TRAFFIC(bytes_out), false,
      "bytes sent, of the first 256 rooms" },

    { "http_connections", GAUGE, "", sb_metric_of_http, HTTP(connections), false,
      "open connections to the HTTP server" },
    { "http_accepted_connections_total", COUNTER, "", sb_metric_of_http, HTTP(accepted), false,
      "connections accepted by the HTTP server" },
    { "http_answers_total", COUNTER, "code", sb_metric_http_answers, 0, false,
      "answers of the HTTP server" },
    { "http_dropped_connections_total", COUNTER, "reason", sb_metric_http_dropped, 0, false,
      "connections closed without a page: too slow (timeout), displaced by a newer one of the same "
      "address or by any when all places are taken, without a request that can be read, or with a "
      "wish for another protocol (upgrade)" },

    { "process_cpu_seconds_total", COUNTER, "", sb_metric_of_seconds, VALUE(process.cpu_us), true,
      "processor time of all threads" },
    { "process_resident_memory_bytes", GAUGE, "", sb_metric_of_values, VALUE(process.rss_bytes), true,
      "resident memory" },
    { "process_start_time_seconds", GAUGE, "", sb_metric_of_seconds, VALUE(started_us), true,
      "when the server started, in seconds since 1970" },
    { "process_threads", GAUGE, "", sb_metric_process_threads, 0, true, "threads of the process" },
};
/* clang-format on */

/* ---- the page ---- */

/* A metric that has no lines at present has no head either: Prometheus accepts both, promtool asks
 * for a help text. */
static void print_metric(const sb_metric_page *p, const sb_metric *m)
{
    size_t before = p->out->size;
    sb_web_print(p->out, "# HELP ");
    sb_metric_print_name(p, m, " ");
    sb_web_print(p->out, "%s\n# TYPE ", m->help);
    sb_metric_print_name(p, m, " ");
    sb_web_print(p->out, "%s\n", type_words[m->type]);
    size_t head = p->out->size;
    m->print(p, m);
    if (p->out->size == head && !p->out->failed) p->out->size = before;
}

void sb_web_print_metrics(sb_web_buffer *out, const sb_web_values *values, const sb_web_http *http)
{
    const sb_metric_page p = { out, values, http };
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

static void print_reasons(FILE *out, const char *metric_name, const char *label, int first, int end,
                          const char *(*name)(int), const char *(*text)(int))
{
    fprintf(out, "\n### starbase_%s\n\n| `%s` | Meaning |\n| --- | --- |\n", metric_name, label);
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

static const char *implausible_name(int i)
{
    return sb_implausible_name((sb_implausible)i);
}

static const char *implausible_text(int i)
{
    return sb_implausible_text((sb_implausible)i);
}

void sb_web_print_reference(FILE *out)
{
    fputs(reference_head, out);
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        const sb_metric *m = &metrics[i];
        fprintf(out, "| `%s%s` | %s | %s | %s |\n", m->standard ? "" : "starbase_", m->name,
                type_words[m->type], m->labels, m->help);
    }
    fputs("\n## Values of labels\n", out);
    print_reasons(out, "refused_datagrams_total", "reason", 0, SB_TRANSPORT_REFUSAL_COUNT,
                  datagram_name, datagram_text);
    print_reasons(out, "refused_messages_total", "reason", 0, SB_SERVER_COUNT_MESSAGES_IN,
                  message_name, message_text);
    print_reasons(out, "refused_queries_total", "reason", SB_QUERY_TOO_LONG,
                  SB_RESPONDER_COUNTER_COUNT, query_name, query_text);
    print_reasons(out, "implausible_messages_total", "kind", 0, SB_IMPLAUSIBLE_COUNT,
                  implausible_name, implausible_text);
}
