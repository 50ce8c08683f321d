/* tests/web/sample.c -- see sample.h. */
#include "sample.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

static void fill_rooms(sb_web_values *v)
{
    v->room_count = v->shown_rooms = 2;
    for (unsigned i = 0; i < 2; i++) {
        sb_web_room *room = &v->rooms[i];
        room->number = i + 1;
        room->figures.mode = sb_find_mode("ffa");
        room->figures.player_limit = 8;
        room->figures.seconds_left = -1;
        strcpy(room->figures.system, "Multi1");
        strcpy(room->name, i == 0 ? "Friday \"night\"" : "Teams");
    }
    sb_room_figures *f = &v->rooms[0].figures;
    f->started = true;
    f->in_game = f->player_count = 1;
    f->state_interval = 100000;
    v->rooms[0].traffic.bytes_in = 12345;
    v->rooms[0].traffic.forged_house = v->traffic.forged_house = 6;
    f->players[0] = (sb_player_figures){ .peer_id = 2, .kills = 3, .deaths = 1, .score = 900 };
    f->players[0].phase = SB_PLAYER_FLYING;
    f->players[0].round_trip_us = 23500;
    f->players[0].ship = "Akira";
    strcpy(f->players[0].name, "Al\\pha");
}

static void fill_process(sb_web_values *v)
{
    v->taken_at = 100 * SB_SECOND;
    v->uptime_us = 90 * SB_SECOND;
    v->started_us = 1763000000123456;
    v->process = (sb_process_usage){ .cpu_us = 1500000, .rss_bytes = 1 << 20, .threads = 4 };
    v->thread_count = 2;
    v->threads[0].cpu_us = 250000;
    v->threads[0].turns.counts[0] = 5;
    v->threads[0].turns.counts[3] = 2;
    v->threads[0].turns.sum_us = 1200;
    v->master_count = 2;
    strcpy(v->masters[0].name, "master.example.org");
    v->masters[0].resolved = true;
    v->masters[0].sent_at = 95 * SB_SECOND;
    v->masters[0].heard_at = SB_TIME_NEVER;
    strcpy(v->masters[1].name, "gone.example.org");
    v->masters[1].sent_at = v->masters[1].heard_at = SB_TIME_NEVER;
}

sb_web_values *sample_values(void)
{
    static sb_web_values *v;
    free(v);
    v = calloc(1, sb_web_values_bytes(2));
    CHECK(v);
    fill_rooms(v);
    fill_process(v);
    v->players = v->connected = 1;
    v->places = 16;
    v->messages[SB_SERVER_COUNT_JOINS] = 7;
    v->messages[SB_SERVER_COUNT_MALFORMED] = 3;
    v->datagrams[SB_TRANSPORT_COUNT_RETRANSMITTED_FAST] = 11;
    v->queries[SB_QUERY_OVER_SOURCE] = 4;
    return v;
}

static const char *take(sb_web_buffer *b)
{
    CHECK(!b->failed && b->data);
    CHECK_EQ(strlen(b->data), b->size);
    return b->data;
}

const char *sample_metrics(const sb_web_values *values)
{
    static sb_web_buffer b;
    sb_web_http          http = { .connections = 2, .answers = { [SB_WEB_ANSWER_BAD_METHOD] = 9 } };
    sb_web_buffer_free(&b);
    sb_web_print_metrics(&b, values, &http);
    return take(&b);
}

const char *sample_status(const sb_web_values *values)
{
    static sb_web_buffer b;
    sb_web_buffer_free(&b);
    sb_web_print_status(&b, values);
    return take(&b);
}
