/* tests/web/metrics_test.c -- the text for Prometheus: form, values, escaping, health. */
#include "sample.h"

#include "test.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void check_line(const char *text, const char *line)
{
    char whole[256];
    snprintf(whole, sizeof whole, "\n%s\n", line);
    if (!strstr(text, whole)) FAIL("the page has no line: %s", line);
}

TEST(metrics_show_the_values)
{
    const char *text = sample_metrics(sample_values());
    check_line(text, "starbase_players 1");
    check_line(text, "starbase_places 16");
    check_line(text, "starbase_rooms 2");
    check_line(text, "starbase_joins_total 7");
    check_line(text, "starbase_forged_house_datagrams_total 6");
    check_line(text, "starbase_refused_messages_total{reason=\"malformed\"} 3");
    check_line(text, "starbase_refused_queries_total{reason=\"over_source\"} 4");
    check_line(text, "starbase_retransmissions_total{cause=\"later_acknowledged\"} 11");
    check_line(text, "starbase_room_received_bytes_total{room=\"1\"} 12345");
    check_line(text, "starbase_room_players{room=\"2\"} 0");
    check_line(text, "starbase_http_answers_total{code=\"405\"} 9");
    check_line(text, "starbase_http_connections 2");
    check_line(text, "process_cpu_seconds_total 1.500000");
    check_line(text, "process_start_time_seconds 1763000000.123456");
    check_line(text, "starbase_thread_cpu_seconds_total{thread=\"1\"} 0.250000");
    check_line(text, "starbase_healthy 1");
    check_line(text, "starbase_rooms_by_load{step=\"closed\"} 0");
}

TEST(label_values_are_escaped)
{
    check_line(sample_metrics(sample_values()),
               "starbase_room_info{room=\"1\",name=\"Friday \\\"night\\\"\",mission=\"ffa\","
               "system=\"Multi1\"} 1");
}

TEST(a_histogram_is_cumulative_and_ends_with_its_count)
{
    const char *text = sample_metrics(sample_values());
    check_line(text, "starbase_turn_duration_seconds_bucket{thread=\"1\",le=\"5e-05\"} 5");
    check_line(text, "starbase_turn_duration_seconds_bucket{thread=\"1\",le=\"0.0002\"} 5");
    check_line(text, "starbase_turn_duration_seconds_bucket{thread=\"1\",le=\"0.0005\"} 7");
    check_line(text, "starbase_turn_duration_seconds_bucket{thread=\"1\",le=\"+Inf\"} 7");
    check_line(text, "starbase_turn_duration_seconds_sum{thread=\"1\"} 0.001200");
    check_line(text, "starbase_turn_duration_seconds_count{thread=\"1\"} 7");
    check_line(text, "starbase_round_trip_seconds_count 0");
}

TEST(a_master_without_a_heartbeat_has_no_age)
{
    const char *text = sample_metrics(sample_values());
    check_line(text, "starbase_master_heartbeat_age_seconds{master=\"master.example.org\"} "
                     "5.000000");
    check_line(text, "starbase_master_resolved{master=\"gone.example.org\"} 0");
    CHECK(!strstr(text, "heartbeat_age_seconds{master=\"gone"));
    CHECK(!strstr(text, "starbase_master_query_age_seconds")); /* no lines, no head */
}

TEST(a_store_that_is_off_has_no_metrics)
{
    sb_web_values *v = sample_values();
    CHECK(!strstr(sample_metrics(v), "store"));
    v->store.is_open = v->store.is_up = true;
    v->store.queued = 12;
    check_line(sample_metrics(v), "starbase_store_up 1");
    check_line(sample_metrics(v), "starbase_store_queued_entries 12");
}

/* Names of counters end with _total, and every line belongs to the head before it. */
TEST(every_metric_has_a_head_and_a_name_by_its_type)
{
    char        name[128] = "", type[32] = "";
    const char *text = sample_metrics(sample_values());
    unsigned    heads = 0, lines = 0;
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        if (strncmp(line, "# HELP ", 7) == 0) {
            CHECK_EQ(sscanf(line, "# HELP %127s", name), 1);
            CHECK(strchr(line, '\n')[1] == '#');
            continue;
        }
        if (line[0] == '#') {
            char again[128];
            CHECK_EQ(sscanf(line, "# TYPE %127s %31s", again, type), 2);
            CHECK_TEXT(again, name);
            bool total = strlen(name) > 6 && strcmp(name + strlen(name) - 6, "_total") == 0;
            CHECK_EQ(total, strcmp(type, "counter") == 0);
            heads++;
            continue;
        }
        CHECK(strncmp(line, name, strlen(name)) == 0);
        CHECK(isdigit((unsigned char)strchr(line, '\n')[-1]));
        lines++;
    }
    CHECK(heads > 50);
    CHECK(lines > 150);
}

TEST(a_late_thread_or_a_failed_store_is_unhealthy)
{
    char           reason[SB_WEB_REASON_MAX];
    sb_web_values *v = sample_values();
    CHECK(sb_web_is_healthy(v, reason));
    CHECK_TEXT(reason, "");
    v->threads[1].late_us = SB_WEB_LATE_US - 1;
    CHECK(sb_web_is_healthy(v, reason));
    v->threads[1].late_us = 2500000;
    CHECK(!sb_web_is_healthy(v, reason));
    CHECK_TEXT(reason, "room thread 2 has not answered for 2.5 s");
    v->threads[1].late_us = 0;
    v->store.is_open = true;
    CHECK(sb_web_is_healthy(v, reason)); /* entries wait in the spool file: nothing is lost */
    v->store.has_failed = true;
    strcpy(v->store.reason, "disk full");
    CHECK(!sb_web_is_healthy(v, reason));
    CHECK_TEXT(reason, "the store has failed: disk full");
    check_line(sample_metrics(v), "starbase_healthy 0");
}

TEST(rows_are_limited_and_sums_are_not)
{
    CHECK_EQ(sb_web_shown_rooms(3), 3);
    CHECK_EQ(sb_web_shown_rooms(4096), SB_WEB_ROOMS_MAX);
    CHECK(sb_web_values_bytes(4096) == sb_web_values_bytes(SB_WEB_ROOMS_MAX));
    CHECK(sb_web_values_bytes(2) > sb_web_values_bytes(1));
}
