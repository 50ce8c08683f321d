/* tests/apps/results_test.c -- the results of many rooms that end at once (apps/serve/notices.c and
 * memory.c, with a real database). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../store/store_rig.h"
#include "base/text.h"
#include "platform/clock.h"
#include "serve/memory.h"
#include "test.h"

enum { ROOMS = 1250, PLAYERS = 16, FIRST_ID = 2, CHAT_LINES = 64 };

/* One loop with all the rooms. */
typedef struct night {
    serve             s;
    serve_room       *rooms;
    sb_room_config    config;
    sb_process_config process;
    sb_match          match; /* of every room: player i has i kills */
} night;

static night *open_night(const char *path)
{
    night         *n = calloc(1, sizeof *n);
    sb_log_options log = { .descriptor = -1, .level = SB_LOG_INFO };
    CHECK(n != NULL);
    CHECK((n->rooms = calloc(ROOMS, sizeof *n->rooms)) != NULL);
    n->process.store = path;
    n->process.store_chat = true;
    n->process.room_count = ROOMS;
    snprintf(n->config.shown_name, sizeof n->config.shown_name, "Night");
    for (unsigned i = 0; i < ROOMS; i++) {
        n->rooms[i].number = i + 1;
        n->rooms[i].index = i;
        n->rooms[i].config = &n->config;
    }
    n->s = (serve){ .first = &n->process, .current = &n->process, .rooms = n->rooms };
    n->s.room_count = ROOMS;
    n->s.loop_count = 1;
    sb_log_open(&n->s.log, &log);
    CHECK(serve_open_memory(&n->s));
    CHECK(serve_open_notices(&n->s));
    serve_on_notice(&n->s, serve_remember);
    return n;
}

static void close_night(night *n)
{
    serve_close_notices(&n->s);
    serve_close_memory(&n->s);
    sb_log_close(&n->s.log);
    free(n->rooms);
    free(n);
}

static void report(night *n, size_t room, sb_server_event_type type, uint8_t peer_id)
{
    sb_server_event e = { .type = type, .now = sb_clock_now(), .peer_id = peer_id };
    e.address = (sb_endpoint){ 0xC0000200u + peer_id, 5000 };
    e.text = sb_text_span(type == SB_SERVER_CHAT ? "good game, everybody" : "");
    e.match = &n->match;
    e.value = type == SB_SERVER_MATCH_OVER ? SB_END_TIME : 0;
    serve_notify(&n->rooms[room], &e);
}

/* The main thread keeps up while players join. */
static void fill_rooms(night *n)
{
    sb_match_config config;
    sb_match_defaults(&config);
    sb_match_init(&n->match, &config, 0);
    for (uint8_t id = FIRST_ID; id < FIRST_ID + PLAYERS; id++) {
        CHECK(sb_match_join(&n->match, id, (sb_span){ NULL, 0 }, id) != NULL);
        n->match.rows[id - FIRST_ID].kills = id;
    }
    for (size_t room = 0; room < ROOMS; room++) {
        for (uint8_t id = FIRST_ID; id < FIRST_ID + PLAYERS; id++) {
            snprintf(n->rooms[room].names[id], SERVE_NAME, "Player %u", id);
            report(n, room, SB_SERVER_CONNECTED, id);
            report(n, room, SB_SERVER_JOINED, id);
        }
        serve_read_notices(&n->s);
    }
}

TEST(rooms_that_all_end_at_once_lose_no_result)
{
    const char *path = rig_path("night.db");
    night      *n = open_night(path);
    fill_rooms(n);
    /* The main thread is busy until all rooms have ended. */
    for (size_t room = 0; room < ROOMS; room++)
        for (int i = 0; i < CHAT_LINES; i++) report(n, room, SB_SERVER_CHAT, FIRST_ID);
    for (size_t room = 0; room < ROOMS; room++) {
        report(n, room, SB_SERVER_MATCH_OVER, 0);
        for (uint8_t id = FIRST_ID; id < FIRST_ID + PLAYERS; id++)
            report(n, room, SB_SERVER_LEFT, id);
    }
    serve_read_notices(&n->s);
    CHECK(rig_wait_state(serve_store(&n->s), SB_STORE_IS_OK, true));
    uint64_t dropped = sb_notices_dropped(n->s.notices[0]);
    close_night(n);
    CHECK_EQ(rig_number(path, "SELECT count(*) FROM match WHERE state = 'over' AND reason = 'time "
                              "limit'"),
             ROOMS);
    CHECK_EQ(rig_number(path, "SELECT count(*) FROM match"), ROOMS);
    CHECK_EQ(rig_number(path, "SELECT count(*) FROM player_match WHERE left_ms > 0 AND kills = 18 "
                              "- place"),
             ROOMS * PLAYERS);
    CHECK(dropped > 0); /* chat */
}
