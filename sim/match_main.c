/* sim/match_main.c -- starbase-match-sim: plays whole matches from seeds and checks their results.
 */
#include "sim/match.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct options {
    uint64_t first, seeds;
    unsigned players;
    double   seconds;
    bool     good_link, extreme_clocks, once, verbose;
    uint8_t  level; /* sb_fidelity */
} options;

static const char usage[] =
    "usage: starbase-match-sim [--seeds N] [--first S] [--players N] "
    "[--time SECONDS] [--good-link]\n"
    "                          [--extreme-clocks] [--once] [--level 0..3] [--enforce] [--verbose]\n"
    "Plays whole matches, server and bots, over a simulated network: 5 % "
    "loss, 80 +- 40 ms, duplicates,\n"
    "reordering. Clocks are wrong by up to 300 ppm, machines stall, links "
    "lag. Every match is played twice\n"
    "(or --once) and must be the same both times; no player may leave, and "
    "all must agree on the score;\n"
    "none may be suspected of cheating, no update may be refused by its time, and "
    "the server must know every\n"
    "clock within a second.\n"
    "--level: the fidelity (spec 10 §15; default 2); --enforce: 3, implausible "
    "actions have no effect.\n"
    "--extreme-clocks: every clock is wrong by 300 ppm, one fast, one slow, and "
    "so on.\n"
    "--good-link: perfect links, clocks and machines.\n";

typedef struct outcome {
    uint64_t hash, joined, left, killed, spawned, refused, suspected, ahead;
    sb_time  fastest_us, slowest_us; /* errors of the clocks at the end ... */
    sb_time  misjudged_us;           /* ... and of the server's estimate of them */
    uint32_t longest_queue;
    bool     agree;
} outcome;

static void print_event(void *context, const sb_server_event *e)
{
    (void)context;
    if (e->type == SB_SERVER_REFUSED || e->type == SB_SERVER_CHECKED) return;
    printf("%10.3f %-13s %3u %-10.*s %3u %8lld %.*s\n", (double)e->now / 1e6,
           sb_server_event_name(e->type), e->peer_id, (int)e->name.size, (const char *)e->name.data,
           e->other, (long long)e->value, (int)e->text.size, (const char *)e->text.data);
}

static void print_suspicion(void *context, const sb_server_event *e)
{
    (void)context;
    if (e->type != SB_SERVER_SUSPICIOUS) return;
    sb_implausible what = (sb_implausible)e->value;
    printf("%10.3f suspected: %.*s: %s: %g %s, possible %g\n", (double)e->now / 1e6,
           (int)e->name.size, (const char *)e->name.data, sb_implausible_name(what), e->claimed,
           sb_implausible_unit(what), e->possible);
}

static outcome play(const options *o, uint64_t seed, bool print)
{
    sim_match_config config;
    sim_match_defaults(&config, seed);
    if (!o->good_link) sim_match_at_home(&config);
    config.extreme_clocks = o->extreme_clocks;
    config.on_event = print ? print_event : print_suspicion;
    config.server.combat.fidelity = o->level;
    config.server.max_players = o->players > 16 ? 16 : o->players;
    sim_match *m = sim_match_create(&config);
    for (unsigned i = 0; i < config.server.max_players; i++) {
        sb_pilot_config pilot;
        char            name[16];
        sb_pilot_defaults(&pilot);
        pilot.skill = (uint8_t)(i % SB_SKILL_COUNT);
        pilot.talkative = true;
        snprintf(name, sizeof name, "Bot %u", i + 1);
        sim_match_join(m, name, &pilot, NULL);
    }
    sim_match_run(m, (sb_time)(o->seconds * 1e6));
    outcome out = { .hash = sim_match_log_hash(m),
                    .joined = sim_match_told(m, SB_SERVER_JOINED),
                    .left = sim_match_told(m, SB_SERVER_LEFT),
                    .killed = sim_match_told(m, SB_SERVER_KILLED),
                    .spawned = sim_match_told(m, SB_SERVER_SPAWNED),
                    .refused = sim_match_told(m, SB_SERVER_REFUSED),
                    .suspected = sim_match_told(m, SB_SERVER_SUSPICIOUS),
                    .ahead = sb_server_count(sim_match_server(m), SB_SERVER_COUNT_STATE_AHEAD),
                    .misjudged_us = sim_match_misjudged_clock(m),
                    .longest_queue = sim_match_longest_queue(m) };
    for (unsigned i = 0; i < config.server.max_players; i++) {
        sb_time error = sim_match_client_now(m, i) - sim_match_now(m);
        if (error > out.fastest_us) out.fastest_us = error;
        if (error < out.slowest_us) out.slowest_us = error;
    }
    /* A score change may still be in transit, so the scores are compared again every 100 ms, for up
     * to 30 s. */
    out.agree = sim_match_scores_agree(m);
    for (unsigned i = 0; !out.agree && i < 300; i++) {
        sim_match_run(m, 100000);
        out.agree = sim_match_scores_agree(m);
    }
    if (print)
        for (size_t i = 0; i < SB_SERVER_COUNTER_COUNT; i++)
            if (sb_server_count(sim_match_server(m), (sb_server_counter)i))
                printf(
                    "%12llu %s\n",
                    (unsigned long long)sb_server_count(sim_match_server(m), (sb_server_counter)i),
                    sb_server_counter_text((sb_server_counter)i));
    sim_match_destroy(m);
    return out;
}

static bool check_match(const options *o, uint64_t seed, const outcome *a, const outcome *b)
{
    const char *fault = a->hash != b->hash               ? "two runs of the seed differ"
                        : a->joined < o->players         ? "a player did not join"
                        : a->left > 0                    ? "a player left"
                        : a->suspected > 0               ? "an honest player is suspected"
                        : a->ahead > 0                   ? "an honest update is refused by its time"
                        : a->misjudged_us > SB_SECOND    ? "the server misjudges a clock"
                        : !a->agree                      ? "the scores do not agree"
                        : o->seconds > 60 && !a->spawned ? "no ship spawned"
                                                         : NULL;
    if (fault || o->verbose)
        printf(
            "seed %llu: %s (joined %llu, left %llu, spawned %llu, killed %llu, refused %llu, "
            "by its time %llu, clocks %+.1f and %+.1f s, misjudged by %.2f s, longest queue %u)\n",
            (unsigned long long)seed, fault ? fault : "passed", (unsigned long long)a->joined,
            (unsigned long long)a->left, (unsigned long long)a->spawned,
            (unsigned long long)a->killed, (unsigned long long)a->refused,
            (unsigned long long)a->ahead, (double)a->slowest_us / 1e6, (double)a->fastest_us / 1e6,
            (double)a->misjudged_us / 1e6, a->longest_queue);
    return !fault;
}

static options read_options(int argc, char **argv)
{
    static const struct option table[] = {
        { "seeds", required_argument, NULL, 's' },   { "first", required_argument, NULL, 'f' },
        { "players", required_argument, NULL, 'p' }, { "time", required_argument, NULL, 't' },
        { "good-link", no_argument, NULL, 'g' },     { "extreme-clocks", no_argument, NULL, 'x' },
        { "verbose", no_argument, NULL, 'v' },       { "once", no_argument, NULL, 'o' },
        { "enforce", no_argument, NULL, 'e' },       { "level", required_argument, NULL, 'l' },
        { "help", no_argument, NULL, 'h' },          { NULL, 0, NULL, 0 },
    };
    options o = {
        .first = 1, .seeds = 10, .players = 8, .seconds = 60, .level = SB_FIDELITY_WEAPONS
    };
    for (int c; (c = getopt_long(argc, argv, "hv", table, NULL)) != -1;) {
        if (c == 's') o.seeds = strtoull(optarg, NULL, 0);
        else if (c == 'f') o.first = strtoull(optarg, NULL, 0);
        else if (c == 'p') o.players = (unsigned)strtoul(optarg, NULL, 0);
        else if (c == 't') o.seconds = strtod(optarg, NULL);
        else if (c == 'g') o.good_link = true;
        else if (c == 'x') o.extreme_clocks = true;
        else if (c == 'v') o.verbose = true;
        else if (c == 'o') o.once = true;
        else if (c == 'e') o.level = SB_FIDELITY_ENFORCE;
        else if (c == 'l' && optarg[0] >= '0' && optarg[0] <= '3' && !optarg[1])
            o.level = (uint8_t)(optarg[0] - '0');
        else {
            fputs(usage, c == 'h' ? stdout : stderr);
            exit(c == 'h' ? 0 : 2);
        }
    }
    return o;
}

int main(int argc, char **argv)
{
    options  o = read_options(argc, argv);
    uint64_t passed = 0, failed = 0, killed = 0;
    sb_time  fastest_us = 0, slowest_us = 0;
    for (uint64_t seed = o.first; seed < o.first + o.seeds; seed++) {
        outcome a = play(&o, seed, o.verbose && o.seeds == 1);
        outcome b = o.once ? a : play(&o, seed, false);
        killed += a.killed;
        if (a.fastest_us > fastest_us) fastest_us = a.fastest_us;
        if (a.slowest_us < slowest_us) slowest_us = a.slowest_us;
        if (check_match(&o, seed, &a, &b)) passed++;
        else failed++;
    }
    printf("%llu deaths in all; clocks were wrong by %+.2f to %+.2f s at the end\n",
           (unsigned long long)killed, (double)slowest_us / 1e6, (double)fastest_us / 1e6);
    printf("%llu passed, %llu failed\n", (unsigned long long)passed, (unsigned long long)failed);
    return failed ? 1 : 0;
}
