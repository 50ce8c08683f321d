/* tests/sim/jumps_main.c -- starbase-jumps: prints the tables of docs/evidence/jumps.md.
 *
 * Without a directory it plays the sessions with the host of this library; with one it reads the
 * recordings that starbase-record has written there.
 */
#include "tests/sim/jumps.h"

#include <getopt.h>
#include <stdlib.h>

static const char usage[] =
    "usage: starbase-jumps [--outliers] [--beams-at-once] [--host-waits SECONDS] [DIR]\n"
    "Prints how far health blocks move what a model of a stock client has computed.\n"
    "  DIR                   recordings of starbase-record; none: plays the sessions itself\n"
    "  --outliers            lists every quiet value that jumps by a code or more\n"
    "  --beams-at-once       beams of the model start with the order, not 0 to 0.33 s later\n"
    "  --host-waits SECONDS  beams of the host start that much after the order\n";

typedef struct options {
    bool        outliers, beams_at_once;
    const char *dir;
} options;

static float host_wait;

/* A wait before the start delays the first strike and the discharge alike. */
static void let_host_wait(sb_server_config *host)
{
    host->combat.constants.beam_delay += host_wait;
    host->combat.constants.discharge_delay += host_wait;
}

static const struct {
    jumps_class class_;
    jumps_unit  unit;
    const char *text;
} rows[] = {
    { JUMPS_UNROUNDED, JUMPS_UPDATE, "quiet updates, not rounded" },
    { JUMPS_QUIET, JUMPS_UPDATE, "quiet updates" },
    { JUMPS_STRUCK, JUMPS_UPDATE, "updates after a hit" },
    { JUMPS_ALL, JUMPS_UPDATE, "all updates" },
    { JUMPS_HOST_ONLY, JUMPS_VALUE, "values of the host alone" },
};

static bool add(jumps *j, const char *dir, session_kind kind, unsigned link, unsigned n,
                session_config *config)
{
    char      path[512];
    recording r;
    if (!dir) {
        if (host_wait > 0.0f) config->configure = let_host_wait;
        jumps_add_session(j, config);
        return true;
    }
    session_path(dir, kind, link, n, path, sizeof path);
    if (!recording_read(&r, path)) {
        perror(path);
        return false;
    }
    jumps_add_recording(j, &r, config->seed);
    recording_clear(&r);
    return true;
}

static void print_rows(jumps *j, unsigned link)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        jumps_figures f = jumps_figures_of(j, rows[i].unit, rows[i].class_);
        printf("| %u ms | %u %% | %s | %zu | %.2f | %.2f | %.2f | %.1f | %.1f %% | %.2f %% |\n",
               session_links[link].delay_ms, session_links[link].loss_percent, rows[i].text,
               f.count, f.p50, f.p90, f.p99, f.largest, f.one * 100, f.above * 100);
    }
}

static bool print_table(session_kind kind, const options *o)
{
    stock_engine_totals t = { 0 };
    printf("| Link | Loss | What | Count | p50 | p90 | p99 | Largest | One code | More |\n"
           "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (unsigned link = 0; link < SESSION_LINKS; link++) {
        jumps j = { .beams_at_once = o->beams_at_once, .outliers = o->outliers ? stdout : NULL };
        session_config config;
        for (unsigned n = 0; session_of_table(kind, link, n, &config); n++)
            if (!add(&j, o->dir, kind, link, n, &config)) return false;
        print_rows(&j, link);
        t.hits_here += j.totals.hits_here;
        t.hits_at_host += j.totals.hits_at_host;
        t.deaths += j.totals.deaths;
        jumps_clear(&j);
    }
    printf("\nHits: %u computed by the host, %u by the clients; deaths: %u.\n", t.hits_at_host,
           t.hits_here, t.deaths);
    return true;
}

static options read_options(int argc, char **argv)
{
    static const struct option table[] = {
        { "outliers", no_argument, NULL, 'o' },
        { "beams-at-once", no_argument, NULL, 'b' },
        { "host-waits", required_argument, NULL, 'w' },
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
    };
    options o = { 0 };
    for (int c; (c = getopt_long(argc, argv, "h", table, NULL)) != -1;) {
        if (c == 'o') o.outliers = true;
        else if (c == 'b') o.beams_at_once = true;
        else if (c == 'w') host_wait = strtof(optarg, NULL);
        else {
            fputs(usage, c == 'h' ? stdout : stderr);
            exit(c == 'h' ? 0 : 2);
        }
    }
    if (optind < argc) o.dir = argv[optind];
    return o;
}

int main(int argc, char **argv)
{
    options o = read_options(argc, argv);
    printf("Battles\n\n");
    if (!print_table(SESSION_BATTLES, &o)) return 1;
    printf("\nDuels\n\n");
    return print_table(SESSION_MEASURED_DUELS, &o) ? 0 : 1;
}
