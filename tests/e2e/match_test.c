/* tests/e2e/match_test.c -- eight bots fight through a bad network: 5 % loss, 40 to 120 ms each
 * way, duplicates, reordering (starbase-relay).
 *
 * The truth about the score is what the server tells a witness who sits next to it, with no bad
 * network in between. E2E_MATCH_SECONDS is how long they fight at least (20); from 60 on the match
 * ends by its time limit, and all have time to hear of the end.
 */
#include "rig.h"

#include <starbase/message.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BOTS = 8,
    DEATHS = 2, /* at least, or there is no score to agree on */
    LONG = 60,  /* seconds from which on the match ends by its time limit */
    HISTORY = 64,
    IN_FLIGHT_S = 10, /* a message is lost and sent again after 1, 2, 3 s (spec 01 §6.5) */
    GROWTH_MAX_KIB = 512,
};

/* ---- the truth ---- */

typedef struct row {
    sb_time at; /* since when */
    int32_t kills, deaths, score;
} row;

typedef struct truth {
    row      rows[256][HISTORY]; /* by peer id, the latest last */
    unsigned counts[256];
    unsigned deaths;
    bool     over;
} truth;

static truth told;

static row latest(int32_t player)
{
    CHECK(player >= 0 && player < 256);
    unsigned count = told.counts[player];
    return count ? told.rows[player][count - 1] : (row){ 0 };
}

static void add_row(int32_t player, row r)
{
    row *rows = told.rows[player];
    if (told.counts[player] == HISTORY) {
        memmove(rows, rows + 1, (HISTORY - 1) * sizeof *rows);
        told.counts[player]--;
    }
    r.at = live_now();
    rows[told.counts[player]++] = r;
}

static void take_score_change(const sb_score_change *c)
{
    row victim = latest(c->victim);
    victim.deaths = c->deaths;
    add_row(c->victim, victim);
    told.deaths++;
    if (c->killer) {
        row killer = latest(c->killer);
        killer.kills = c->kills;
        killer.score = c->score;
        add_row(c->killer, killer);
    }
    for (unsigned i = 0; i < c->entry_count; i++) {
        row other = latest(c->entries[i].player);
        other.score = c->entries[i].score;
        add_row(c->entries[i].player, other);
    }
}

static void take_news(seat *witness)
{
    static sb_message m;
    for (sb_span bytes; (bytes = seat_next(witness)).size > 0;) {
        uint8_t opcode = bytes.data[0];
        if (opcode == SB_OP_END_GAME) told.over = true;
        if (opcode != SB_OP_SCORE_CHANGE && opcode != SB_OP_SCORE) continue;
        CHECK_EQ(sb_decode_message(bytes, NULL, &m, NULL), SB_OK);
        if (opcode == SB_OP_SCORE_CHANGE) take_score_change(&m.as.score_change);
        else
            add_row(m.as.score.player,
                    (row){ 0, m.as.score.kills, m.as.score.deaths, m.as.score.score });
    }
    seat_forget(witness);
}

/* True if the row was correct at some moment of the last seconds: newer scores may be under way. */
static bool was_true(int32_t player, const row *r, sb_time since)
{
    const row *rows = told.rows[player];
    unsigned   count = told.counts[player];
    if (count == 0) return r->kills == 0 && r->deaths == 0 && r->score == 0;
    for (unsigned i = 0; i < count; i++) {
        if (i + 1 < count && rows[i + 1].at < since) continue; /* replaced long ago */
        if (rows[i].kills == r->kills && rows[i].deaths == r->deaths && rows[i].score == r->score)
            return true;
    }
    return false;
}

/* ---- what the programs print ---- */

/* The value after `"key":` in the line that starts here. */
static bool find_number(const char *line, const char *key, double *out)
{
    char        wanted[64];
    const char *end = strchr(line, '\n');
    snprintf(wanted, sizeof wanted, "\"%s\":", key);
    const char *at = strstr(line, wanted);
    if (!at || (end && at > end)) return false;
    *out = strtod(at + strlen(wanted), NULL);
    return true;
}

static double number_of(const char *line, const char *key)
{
    double value = 0;
    if (!find_number(line, key, &value)) FAIL("no %s in: %.300s", key, line);
    return value;
}

/* The start of the last line with both texts; NULL: none. */
static const char *last_line(const char *log, const char *first, const char *second)
{
    const char *found = NULL;
    for (const char *line = log; line && *line;) {
        const char *end = strchr(line, '\n'), *a = strstr(line, first), *b = strstr(line, second);
        if (a && b && (!end || (a < end && b < end))) found = line;
        line = end ? end + 1 : NULL;
    }
    return found;
}

static unsigned count_texts(const char *log, const char *text)
{
    unsigned count = 0;
    for (const char *at = log; (at = strstr(at, text)); at++) count++;
    return count;
}

/* ---- the match ---- */

static unsigned wanted_seconds(void)
{
    const char *text = getenv("E2E_MATCH_SECONDS");
    unsigned    seconds = text ? (unsigned)strtoul(text, NULL, 10) : 0;
    return seconds ? seconds : 20;
}

/* A short fight uses weak ships, so that some die. */
static live *open_with_weak_ships(void)
{
    char directory[] = "/tmp/starbase-data-XXXXXX", command[1024];
    CHECK(mkdtemp(directory) != NULL);
    snprintf(command, sizeof command,
             "cp -r " SB_SOURCE_DIR "/data/ships " SB_SOURCE_DIR "/data/*.lua %s && "
             "sed -i -E -e 's/max_condition = [0-9]+/max_condition = 100/' "
             "-e 's/^( *max = \\{).*\\}/\\1 50, 50, 50, 50, 50, 50 }/' %s/ships/*.lua",
             directory, directory);
    CHECK_EQ(system(command), 0);
    live *l = LIVE("--max-players", "9", "--log-json", "--data", directory);
    snprintf(command, sizeof command, "rm -r %s", directory);
    CHECK_EQ(system(command), 0);
    return l;
}

static live *open_with_limit(unsigned minutes)
{
    char limit[16];
    snprintf(limit, sizeof limit, "%u", minutes);
    return LIVE("--max-players", "9", "--log-json", "--time-limit", limit, "--set", "restart=0");
}

static void start_relay(live *l, char place[SB_ENDPOINT_TEXT])
{
    char              target[SB_ENDPOINT_TEXT], line[128], path[4096];
    unsigned          port;
    const char *const argv[] = { path, "--listen",       "0",  "--target",    target, "--delay",
                                 "40", "--jitter",       "80", "--loss",      "5",    "--reorder",
                                 "5",  "--reorder-time", "40", "--duplicate", "2",    NULL };
    snprintf(path, sizeof path, "%s", build_path("sim/starbase-relay"));
    sb_endpoint_text(l->address, target);
    process_start(&l->relay, argv, NULL);
    process_read_line(&l->relay, line, sizeof line);
    CHECK_EQ(sscanf(line, "127.0.0.1:%u to ", &port), 1);
    snprintf(place, SB_ENDPOINT_TEXT, "127.0.0.1:%u", port);
}

static void start_bots(live *l, const char *place)
{
    const char *const argv[] = { program_path(), "bot",    "--json", "-n",  "8", "--skill",
                                 "hard",         "--name", "Bot",    place, NULL };
    process_start_logged(&l->bots, argv);
}

/* To the end of a long match; a short one needs so many seconds, and a few deaths. */
static void fight(live *l, seat *witness, unsigned seconds)
{
    sb_time  start = live_now(), lasted = 0;
    unsigned limit = seconds < LONG ? 5 * seconds : seconds + 30;
    while (!told.over && lasted < limit * SB_SECOND) {
        if (seconds < LONG && lasted >= seconds * SB_SECOND && told.deaths >= DEATHS) break;
        live_step(l);
        take_news(witness);
        lasted = live_now() - start;
    }
    CHECK(told.deaths >= DEATHS);
    CHECK_EQ(told.over, seconds >= LONG);
    printf("%.0f s of fight, %u deaths\n", (double)lasted / 1e6, told.deaths);
}

static void expect_all_still_there(live *l)
{
    const char *log = process_log(&l->server);
    CHECK_EQ(process_status(&l->bots), -1);
    if (strstr(log, "\"event\":\"left\"")) FAIL("somebody left:\n%s", log);
    CHECK_EQ(count_texts(log, "\"event\":\"joined\""), BOTS + 1);
}

/* No player was removed, and all left with a goodbye. An overflow of a queue would end a connection
 * with `stalled`; memory does not grow, and all queues are part of it. */
static void expect_orderly_queues(live *l, long resident_before)
{
    long        growth = live_resident_kib(l) - resident_before;
    const char *log = process_log(&l->server);
    if (growth > GROWTH_MAX_KIB) FAIL("the server grew by %ld KiB", growth);
    CHECK_EQ(count_texts(log, "\"event\":\"left\""), BOTS);
    CHECK_EQ(count_texts(log, "\"reason\":\"quit\""), BOTS);
    const char *status = last_line(log, "\"subsystem\":\"status\"", "\"not_sent\":");
    CHECK(status != NULL);
    CHECK_EQ(number_of(status, "not_sent"), 0);
}

static void expect_score(live *l, unsigned bot, sb_time since)
{
    char name[32], peer[32];
    snprintf(name, sizeof name, "\"bot\":\"Bot %u\"", bot);
    const char *summary = last_line(process_log(&l->bots), "\"event\":\"summary\"", name);
    if (!summary) FAIL("no summary of %s:\n%s", name, process_log(&l->bots));
    if (!strstr(summary, "\"joined\":true,\"lost\":false")) FAIL("%.300s", summary);
    CHECK(number_of(summary, "round_trip_ms") > 80); /* it was a bad network */
    row seen = { 0, (int32_t)number_of(summary, "kills"), (int32_t)number_of(summary, "deaths"),
                 (int32_t)number_of(summary, "score") };
    snprintf(name, sizeof name, "\"player\":\"Bot %u\"", bot);
    const char *joined = last_line(process_log(&l->server), "\"event\":\"joined\"", name);
    CHECK(joined != NULL);
    int32_t id = (int32_t)number_of(joined, "peer");
    if (!was_true(id, &seen, since))
        FAIL("Bot %u says %d kills, %d deaths, %d points; the server %d, %d, %d", bot, seen.kills,
             seen.deaths, seen.score, latest(id).kills, latest(id).deaths, latest(id).score);
    snprintf(peer, sizeof peer, "\"peer\":%d,", id);
    const char *logged = last_line(process_log(&l->server), "\"event\":\"score\"", peer);
    CHECK_EQ(logged ? number_of(logged, "kills") : 0, latest(id).kills);
    CHECK_EQ(logged ? number_of(logged, "deaths") : 0, latest(id).deaths);
}

TEST(eight_bots_on_a_bad_network_agree_on_the_score_at_the_end)
{
    unsigned seconds = wanted_seconds();
    char     place[SB_ENDPOINT_TEXT];
    live    *l = seconds < LONG ? open_with_weak_ships() : open_with_limit(seconds / 60);
    test_allow_seconds(seconds);
    told = (truth){ .over = false };
    seat *witness = live_join(l, "Witness");
    start_relay(l, place);
    start_bots(l, place);
    UNTIL(l, count_texts(process_log(&l->server), "\"event\":\"spawned\"") >= BOTS);
    take_news(witness);
    long before = live_resident_kib(l);

    fight(l, witness, seconds);
    if (told.over) live_wait(l, (IN_FLIGHT_S + 5) * SB_SECOND);
    live_settle(l, witness);
    take_news(witness);
    expect_all_still_there(l);
    sb_time since = live_now() - IN_FLIGHT_S * SB_SECOND;
    CHECK_EQ(live_stop_process(l, &l->bots), 0);
    CHECK_EQ(kill(l->server.pid, SIGUSR1), 0);
    UNTIL(l, strstr(process_log(&l->server), "\"subsystem\":\"status\"") != NULL);
    UNTIL(l, witness->gone_count == BOTS);
    take_news(witness); /* a bot that leaves under fire is a kill (spec 07 §2.6) */

    expect_orderly_queues(l, before);
    for (unsigned i = 1; i <= BOTS; i++) expect_score(l, i, since);
    CHECK_EQ(live_stop(l, NULL), 0);
}
