/* tests/server/memory_test.c -- how much memory a room touches: its pages count, not its size.
 *
 * A room is given memory for the worst case and mostly uses a part of it. Untouched pages of an
 * anonymous mapping cost nothing.
 */
#include "padding.h"
#include "sim/match.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, FILLER = 0xA7, PLAYERS = 8 };

/* The budget of answers and the table of newcomers are shared by the rooms of a server. */
static sb_budget_result allow(void *context, const sb_query_charge *charge)
{
    (void)context;
    (void)charge;
    return SB_BUDGET_GRANTED;
}

static void share(sb_server_config *c, void *newcomers)
{
    c->max_players = PLAYERS;
    c->responder.charge = allow;
    c->transport.newcomers = sb_newcomers_init(newcomers, 1);
}

/* Bytes of the pages in which a byte has changed. */
static size_t count_touched(const uint8_t *memory, size_t bytes)
{
    static uint8_t filler[PAGE];
    size_t         touched = 0;
    memset(filler, FILLER, sizeof filler);
    for (size_t at = 0; at < bytes; at += PAGE) {
        size_t size = bytes - at < PAGE ? bytes - at : PAGE;
        if (memcmp(memory + at, filler, size) != 0) touched += PAGE;
    }
    return touched;
}

/* Eight bots fly, fight and chat. */
static void play(sim_match *m, sb_time duration)
{
    for (unsigned i = 0; i < PLAYERS; i++) {
        sb_pilot_config pilot;
        sb_pilot_defaults(&pilot);
        sim_match_join(m, "Bot", &pilot, NULL);
    }
    for (sb_time end = sim_match_now(m) + duration; sim_match_now(m) < end;) {
        static const uint8_t line[] = "ten to one that this line is as long as any";
        sim_match_run(m, 5 * SB_SECOND);
        for (unsigned i = 0; i < PLAYERS; i++)
            (void)!sb_client_chat(sim_match_client(m, i), sim_match_client_now(m, i), false,
                                  (sb_span){ line, sizeof line - 1 });
    }
    CHECK_EQ(sb_server_player_count(sim_match_server(m)), PLAYERS);
    CHECK(sim_match_told(m, SB_SERVER_SPAWNED) >= PLAYERS);
}

/* What a room with eight players touches. On bad links more messages wait, and copies need more
 * Acks. */
static size_t touched_by_match(bool bad_link, sb_time duration)
{
    sim_match_config config;
    sim_match_defaults(&config, 7);
    if (bad_link) sim_match_bad_link(&config.link);
    void *newcomers = malloc(sb_newcomers_bytes());
    share(&config.server, newcomers);
    size_t   bytes = sb_server_bytes(&config.server);
    uint8_t *pages = malloc(bytes + PAGE);
    CHECK(newcomers && pages && bytes > 0);
    memset(pages, FILLER, bytes + PAGE);
    config.server_memory = pages + 16; /* as malloc places large blocks */
    sim_match *m = sim_match_create(&config);
    play(m, duration);
    accept_padding(pages, bytes + PAGE);
    size_t touched = count_touched(pages, bytes + PAGE);
    sim_match_destroy(m);
    free(pages);
    free(newcomers);
    return touched;
}

/* 308 KiB both; docs/benchmarks.md has the memory of running servers. */
TEST(a_room_of_eight_touches_less_than_320_kib)
{
    CHECK(touched_by_match(false, 60 * SB_SECOND) < 320 * 1024);
}

TEST(a_room_of_eight_on_bad_links_touches_less_than_336_kib)
{
    CHECK(touched_by_match(true, 300 * SB_SECOND) < 336 * 1024);
}
