/* sim/fight_main.c -- starbase-fight-sim: runs fights from seeds and prints the results.
 *
 *     starbase-fight-sim [--seed N] [--seeds N] [--seconds S] [--session]
 *
 * Exit status: 0 all invariants held, 1 one was broken (the seed is printed), 2 wrong arguments.
 */
#include "sim/fight.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: starbase-fight-sim [options]\n"
    "Eight ships fight for five minutes over lossy links; at every step, the view of each player\n"
    "is compared with the true state. The tables are Markdown.\n"
    "\n"
    "  --seed N      the first seed (default 1)\n"
    "  --seeds N     number of seeds; the tables are sums over all of them (default 1)\n"
    "  --seconds S   simulated time (default: 300; a session 528)\n"
    "  --session     two players with stock lanes, flying as people did in trace B (spec 03 §7)\n"
    "  --help        this text\n";

typedef struct options {
    uint64_t seed, seeds, seconds;
    bool     session;
} options;

static _Noreturn void refuse(const char *what)
{
    fprintf(stderr, "starbase-fight-sim: %s\n%s", what, usage);
    exit(2);
}

static uint64_t read_number(const char *text)
{
    char *end;
    if (!text || *text < '0' || *text > '9') refuse("a number is needed");
    unsigned long long value = strtoull(text, &end, 10);
    if (*end) refuse("a number is needed");
    return value;
}

/* The number that the option `name` sets; NULL: it sets none. */
static uint64_t *find_number(options *o, const char *name)
{
    if (strcmp(name, "--seed") == 0) return &o->seed;
    if (strcmp(name, "--seeds") == 0) return &o->seeds;
    if (strcmp(name, "--seconds") == 0) return &o->seconds;
    return NULL;
}

static options read_options(int argc, char **argv)
{
    options o = { .seed = 1, .seeds = 1 };
    for (int i = 1; i < argc; i++) {
        uint64_t *number = find_number(&o, argv[i]);
        if (number) {
            i++;
            *number = read_number(i < argc ? argv[i] : NULL);
        } else if (strcmp(argv[i], "--session") == 0) {
            o.session = true;
        } else if (strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            exit(0);
        } else {
            refuse("unknown argument");
        }
    }
    return o;
}

/* ---- tables ---- */

static void print_spread(const char *name, const fight_spread *s)
{
    if (s->count == 0) return;
    printf("| %s | %.3f | %.2f | %.2f | %.3f |\n", name, fight_spread_mean(s),
           fight_spread_below(s, 0.5), fight_spread_below(s, 0.99), s->max);
}

static void print_spreads(const fight_report *r)
{
    char name[32];
    printf("| seen by | mean | median | 99 %% | most |\n| --- | ---: | ---: | ---: | ---: |\n");
    print_spread("host: position error, units", &r->host_error);
    for (unsigned i = 0; i < FIGHT_SHIPS_MAX; i++) {
        (void)snprintf(name, sizeof name, "player %u: position error", i);
        print_spread(name, &r->client_error[i]);
    }
    print_spread("owners: a change seen after, s", &r->change_delay[0]);
    print_spread("others: a change seen after, s", &r->change_delay[1]);
    print_spread("all: age of an entry, s", &r->age);
}

/* Flags in order of their counts. */
static void print_flags(const char *title, const fight_traffic *t)
{
    bool done[256] = { false };
    printf("\n| %s | messages | share | bytes | mean |\n| --- | ---: | ---: | ---: | ---: |\n",
           title);
    for (;;) {
        unsigned best = 256;
        for (unsigned i = 0; i < 256; i++)
            if (!done[i] && t->by_flags[i] > 0 &&
                (best == 256 || t->by_flags[i] > t->by_flags[best]))
                best = i;
        if (best == 256) break;
        done[best] = true;
        printf("| 0x%02X | %llu | %.1f %% | %u..%u | %.1f |\n", best,
               (unsigned long long)t->by_flags[best],
               100.0 * (double)t->by_flags[best] / (double)t->count, t->min[best], t->max[best],
               (double)t->bytes_by_flags[best] / (double)t->by_flags[best]);
    }
    printf("| all | %llu | | | %.1f |\n", (unsigned long long)t->count,
           (double)t->bytes / (double)t->count);
}

static void print_sizes(const char *title, const fight_traffic *t)
{
    printf("\n| %s, bytes | messages | share |\n| ---: | ---: | ---: |\n", title);
    for (unsigned i = 0; i < FIGHT_SIZES; i++)
        if (t->by_size[i] > 0)
            printf("| %u | %llu | %.1f %% |\n", i, (unsigned long long)t->by_size[i],
                   100.0 * (double)t->by_size[i] / (double)t->count);
}

static void print_report(const fight_report *r)
{
    print_spreads(r);
    printf("\nDatagrams lost %llu, duplicated %llu; updates too late %llu; ships lost %llu;\n"
           "settings that never reached the host %llu; the largest error was %.0f %% of its "
           "bound.\n",
           (unsigned long long)r->lost, (unsigned long long)r->duplicated,
           (unsigned long long)r->late, (unsigned long long)r->deaths,
           (unsigned long long)r->settings_lost, 100 * r->largest_error_ratio);
    print_flags("client to host", &r->up);
    print_flags("host to clients", &r->down);
    print_sizes("client to host", &r->up);
    print_sizes("host to clients", &r->down);
}

static bool run_one(const options *o, uint64_t seed, fight_report *total)
{
    static fight_report report;
    fight_config        config;
    if (o->session) fight_config_session(&config, seed);
    else fight_config_battle(&config, seed);
    if (o->seconds > 0) config.length = (sb_time)o->seconds * SB_SECOND;
    bool held = fight_run(&config, &report);
    fight_report_add(total, &report);
    if (!held)
        printf("seed %llu FAILED at %.2f s: %s\n", (unsigned long long)seed,
               (double)report.failed_at / 1e6, report.reason);
    return held;
}

int main(int argc, char **argv)
{
    static fight_report total;
    options             o = read_options(argc, argv);
    for (uint64_t i = 0; i < o.seeds; i++)
        if (!run_one(&o, o.seed + i, &total)) return 1;
    print_report(&total);
    printf("\n%llu fights, all invariants held\n", (unsigned long long)o.seeds);
    return 0;
}
