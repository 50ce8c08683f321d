/* sim/main.c -- starbase-sim: runs seeds, counts results, and shrinks the plans that fail.
 *
 * Exit status: 0 all passed, 1 some failed, 2 the arguments are wrong.
 */
#include "sim/shrink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPEAT_EVERY = 64, JOBS_MAX = 64, FAILURES_SHOWN = 5, ATTACKED_ENOUGH = 20 };

static const char usage[] =
    "usage: starbase-sim [options]\n"
    "Runs the transport's host and clients over simulated bad networks, one plan per seed, and\n"
    "checks that every reliable message arrives once, unaltered and in order.\n"
    "\n"
    "  --seeds N          how many seeds (default 100)\n"
    "  --first SEED       the first seed (default 1)\n"
    "  --seed SEED        runs this seed only, twice; prints its hash\n"
    "  --trace            prints the plan and every event (only with --seed)\n"
    "  --attacker         an off-path attacker in every seed; else in every fourth seed\n"
    "  --without A,B,...  leaves features or forgeries out of the plans; --features lists them\n"
    "  --clients N        limits the number of clients\n"
    "  --length SECONDS   ends the active part of each plan earlier\n"
    "  --jobs N           number of parallel processes (default 1)\n"
    "  --features         lists the features of plans\n"
    "  --help             this text\n"
    "\n"
    "The last line is \"N passed, N failed\". Any seed replays exactly.\n";

typedef struct options {
    sim_request request;
    uint64_t    first, count;
    uint32_t    jobs;
    bool        single, trace;
} options;

/* Sums over all runs. Only numbers, because a job sends them through a pipe. */
typedef struct totals {
    uint64_t passed, failed;
    uint64_t simulated_us, datagrams, bytes, reliable, unreliable, sessions, resent, rebound,
        vanished, attacked, seats, lost, late, misled, misled_cut_off, taken_in, unheard;
    uint64_t exempt[SIM_EXEMPTION_COUNT];
    uint64_t injected[SIM_DELIVERIES];
    uint64_t lies[SIM_LIE_COUNT];
    uint64_t forged[SIM_FORGERY_COUNT], reached[SIM_FORGERY_COUNT];
    uint64_t ended[SB_LEFT_REASON_COUNT], host_ended[SB_LEFT_REASON_COUNT];
} totals;

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- Arguments ------------------------------------------------------------------------------ */

static _Noreturn void refuse(const char *what, const char *value)
{
    fprintf(stderr, "starbase-sim: %s: %s\n%s", what, value, usage);
    exit(2);
}

static uint64_t read_number(const char *option, const char *text)
{
    char *end;
    errno = 0;
    unsigned long long value = text ? strtoull(text, &end, 10) : 0;
    if (!text || *text < '0' || *text > '9' || *end || errno) refuse(option, "a number is needed");
    return value;
}

static sb_time read_seconds(const char *text)
{
    char  *end;
    double value = text ? strtod(text, &end) : 0;
    if (!text || end == text || *end || !(value > 0) || value > 1e6)
        refuse("--length", "seconds are needed");
    return (sb_time)(value * 1e6 + 0.5);
}

static bool names_it(const char *known, const char *name, size_t length)
{
    return strlen(known) == length && memcmp(known, name, length) == 0;
}

static void leave_out(sim_request *request, const char *name, size_t length)
{
    for (uint32_t i = 0; i < SIM_FEATURE_COUNT; i++)
        if (names_it(sim_feature_name((sim_feature)i), name, length)) {
            request->without |= (uint64_t)1 << i;
            return;
        }
    for (uint32_t i = 0; i < SIM_FORGERY_COUNT; i++)
        if (names_it(sim_forgery_name((sim_forgery)i), name, length)) {
            request->spared |= (uint64_t)1 << i;
            return;
        }
    refuse("--without", name);
}

static void read_features(sim_request *request, const char *list)
{
    if (!list) refuse("--without", "names of features are needed");
    while (*list) {
        size_t length = strcspn(list, ",");
        leave_out(request, list, length);
        list += length;
        if (*list == ',') list++;
    }
}

static _Noreturn void print_features(void)
{
    for (uint32_t i = 0; i < SIM_FEATURE_COUNT; i++)
        printf("%-15s %s\n", sim_feature_name((sim_feature)i), sim_feature_text((sim_feature)i));
    printf("\nforgeries of the attacker:\n");
    for (uint32_t i = 0; i < SIM_FORGERY_COUNT; i++)
        printf("%-15s %s\n", sim_forgery_name((sim_forgery)i), sim_forgery_text((sim_forgery)i));
    exit(0);
}

static void read_flag(options *o, const char *name)
{
    if (strcmp(name, "--trace") == 0) {
        o->trace = true;
    } else if (strcmp(name, "--attacker") == 0) {
        o->request.attacker = true;
    } else if (strcmp(name, "--features") == 0) {
        print_features();
    } else if (strcmp(name, "--help") == 0) {
        fputs(usage, stdout);
        exit(0);
    } else {
        refuse("unknown argument", name);
    }
}

/* True: the option takes a value, which was read. */
static bool read_option(options *o, const char *name, const char *value)
{
    if (strcmp(name, "--seeds") == 0) {
        o->count = read_number(name, value);
    } else if (strcmp(name, "--first") == 0) {
        o->first = read_number(name, value);
    } else if (strcmp(name, "--seed") == 0) {
        o->first = read_number(name, value);
        o->single = true;
    } else if (strcmp(name, "--without") == 0) {
        read_features(&o->request, value);
    } else if (strcmp(name, "--clients") == 0) {
        o->request.max_clients = (uint32_t)read_number(name, value);
    } else if (strcmp(name, "--length") == 0) {
        o->request.max_length = read_seconds(value);
    } else if (strcmp(name, "--jobs") == 0) {
        o->jobs = (uint32_t)read_number(name, value);
        if (o->jobs < 1 || o->jobs > JOBS_MAX) refuse(name, "1 to 64");
    } else {
        return false;
    }
    return true;
}

static options read_options(int argc, char **argv)
{
    options o = { .first = 1, .count = 100, .jobs = 1 };
    for (int i = 1; i < argc; i++) {
        if (read_option(&o, argv[i], i + 1 < argc ? argv[i + 1] : NULL)) i++;
        else read_flag(&o, argv[i]);
    }
    if (o.trace && !o.single) refuse("--trace", "needs --seed");
    return o;
}

/* ---- Runs ----------------------------------------------------------------------------------- */

static void run(const sim_request *request, bool lines, FILE *out, sim_outcome *outcome,
                sim_trace *trace)
{
    sim_trace_init(trace, lines, out);
    sim_run_request(request, trace, outcome);
}

/* Runs a request a second time: a different hash is a failure. */
static void check_repeats(const sim_request *request, sim_outcome *outcome, sim_trace *trace)
{
    sim_outcome      second;
    static sim_trace again;
    run(request, false, NULL, &second, &again);
    if (outcome->failed || again.hash == trace->hash) return;
    outcome->failed = true;
    outcome->invariant = "runs repeat";
    snprintf(outcome->detail, sizeof outcome->detail, "hash %016llX, then %016llX",
             (unsigned long long)trace->hash, (unsigned long long)again.hash);
}

static void print_command(const sim_request *request)
{
    printf("  replay: starbase-sim --seed %llu", (unsigned long long)request->seed);
    sim_request_print(request, stdout);
    printf(" --trace\n");
}

static void print_broken(const sim_outcome *outcome)
{
    printf("  %s: %s, at %.6f s\n", outcome->invariant, outcome->detail,
           (double)outcome->failed_at / 1e6);
}

static void print_failure(const sim_request *request, const sim_outcome *outcome, bool shrinks)
{
    static sim_trace trace;
    static sim_plan  plan;
    sim_outcome      smallest;
    printf("\nseed %llu FAILED\n", (unsigned long long)request->seed);
    print_broken(outcome);
    if (shrinks) {
        sim_request small = sim_shrink(request, outcome->invariant);
        run(&small, true, NULL, &smallest, &trace);
        sim_plan_make(&plan, &small);
        printf("the smallest plan that breaks the same invariant:\n");
        sim_plan_print(&plan, stdout);
        printf("its last events:\n");
        sim_trace_print(&trace, stdout);
        if (smallest.failed) print_broken(&smallest);
        print_command(&small);
    } else {
        print_command(request);
    }
    fflush(stdout);
}

/* A bound over all seeds names none of them. */
static void print_suffered(const sim_request *request, const sim_outcome *outcome)
{
    printf("seed %llu: %llu messages lost, %llu out of order\n", (unsigned long long)request->seed,
           (unsigned long long)outcome->lost, (unsigned long long)outcome->late);
    fflush(stdout);
}

static void add_outcome(totals *sum, const sim_outcome *outcome)
{
    if (outcome->failed) sum->failed++;
    else sum->passed++;
    sum->simulated_us += (uint64_t)outcome->simulated_us;
    sum->datagrams += outcome->datagrams;
    sum->bytes += outcome->bytes;
    sum->reliable += outcome->reliable;
    sum->unreliable += outcome->unreliable;
    sum->sessions += outcome->sessions;
    sum->resent += outcome->resent;
    sum->rebound += outcome->rebound;
    sum->vanished += outcome->vanished;
    sum->seats += outcome->seats;
    sum->lost += outcome->lost;
    sum->late += outcome->late;
    sum->taken_in += outcome->taken_in;
    sum->unheard += outcome->unheard;
    sum->misled += outcome->misled;
    sum->misled_cut_off += outcome->misled_cut_off;
    sum->attacked += outcome->attacked;
    for (int i = 0; i < SIM_DELIVERIES; i++) sum->injected[i] += outcome->injected[i];
    for (int i = 0; i < SIM_EXEMPTION_COUNT; i++) sum->exempt[i] += outcome->exempt[i];
    for (int i = 0; i < SIM_LIE_COUNT; i++) sum->lies[i] += outcome->lies[i];
    for (int i = 0; i < SIM_FORGERY_COUNT; i++) {
        sum->forged[i] += outcome->forged[i];
        sum->reached[i] += outcome->reached[i];
    }
    for (int i = 0; i < SB_LEFT_REASON_COUNT; i++) {
        sum->ended[i] += outcome->ended[i];
        sum->host_ended[i] += outcome->host_ended[i];
    }
}

static void add_totals(totals *sum, const totals *other)
{
    uint64_t       *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)other;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++) to[i] += from[i];
}

/* Prints a few times per second on a terminal, else once per thousand seeds. */
static void show_progress(const options *o, uint64_t done, const totals *sum, double *shown)
{
    bool   terminal = isatty(STDERR_FILENO) == 1;
    double now = now_s();
    if (terminal && now - *shown < 0.3) return;
    if (!terminal && (done == 0 || done % 1000 != 0)) return;
    *shown = now;
    fprintf(stderr,
            terminal ? "\r%llu of %llu seeds, %llu failed " : "%llu of %llu seeds, %llu failed\n",
            (unsigned long long)done, (unsigned long long)o->count,
            (unsigned long long)sum->failed);
}

/* Runs every jobs-th seed, starting with the job's number. */
static void run_share(const options *o, uint32_t job, totals *sum)
{
    static sim_trace trace;
    sim_outcome      outcome;
    double           shown = now_s();
    for (uint64_t i = job; i < o->count; i += o->jobs) {
        sim_request request = o->request;
        request.seed = o->first + i;
        run(&request, false, NULL, &outcome, &trace);
        if (i % REPEAT_EVERY == 0) check_repeats(&request, &outcome, &trace);
        if (outcome.failed) print_failure(&request, &outcome, sum->failed < FAILURES_SHOWN);
        if (outcome.lost + outcome.late > 0) print_suffered(&request, &outcome);
        add_outcome(sum, &outcome);
        if (job == 0) show_progress(o, i, sum, &shown);
    }
    if (job == 0 && isatty(STDERR_FILENO) == 1) fprintf(stderr, "\r%60s\r", "");
}

static void start_job(const options *o, uint32_t job, int *reader)
{
    int ends[2];
    if (pipe(ends) != 0) abort();
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        totals sum = { 0 };
        close(ends[0]);
        run_share(o, job, &sum);
        _exit(write(ends[1], &sum, sizeof sum) == (ssize_t)sizeof sum ? 0 : 1);
    }
    close(ends[1]);
    *reader = ends[0];
}

/* A job that sends no totals has crashed in one of its seeds, which counts as one failure. */
static void run_jobs(const options *o, totals *sum)
{
    int readers[JOBS_MAX];
    for (uint32_t i = 0; i < o->jobs; i++) start_job(o, i, &readers[i]);
    for (uint32_t i = 0; i < o->jobs; i++) {
        totals part = { 0 };
        if (read(readers[i], &part, sizeof part) == (ssize_t)sizeof part) add_totals(sum, &part);
        else sum->failed++;
        close(readers[i]);
    }
    while (wait(NULL) > 0) continue;
}

static int run_single(const options *o)
{
    static sim_trace trace;
    static sim_plan  plan;
    sim_outcome      outcome;
    sim_request      request = o->request;
    request.seed = o->first;
    sim_plan_make(&plan, &request);
    if (o->trace) sim_plan_print(&plan, stdout);
    fflush(stdout);
    setvbuf(stdout, NULL, _IOLBF, 0); /* so that all lines are out if an endpoint asserts */
    run(&request, o->trace, o->trace ? stdout : NULL, &outcome, &trace);
    uint64_t hash = trace.hash;
    check_repeats(&request, &outcome, &trace);
    printf("hash %016llX\n", (unsigned long long)hash);
    if (outcome.failed) print_failure(&request, &outcome, !o->trace);
    printf("%d passed, %d failed\n", !outcome.failed, outcome.failed);
    return outcome.failed;
}

/* ---- Summary -------------------------------------------------------------------------------- */

static void print_ends(const char *who, const uint64_t *ended)
{
    printf("%s", who);
    for (int i = 0; i < SB_LEFT_REASON_COUNT; i++)
        if (ended[i] > 0)
            printf(", %s %llu", sb_leave_reason_text((sb_leave_reason)i),
                   (unsigned long long)ended[i]);
    printf("\n");
}

static uint64_t sum_of(const uint64_t *counts, int count)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) sum += counts[i];
    return sum;
}

static void print_exemptions(const totals *sum)
{
    static const char *const names[] = {
#define NAME(id, name) [id] = name,
        SIM_EXEMPTIONS(NAME)
#undef NAME
    };
    printf("exempt           ");
    for (int i = 0; i < SIM_EXEMPTION_COUNT; i++)
        printf("%s%s %llu", i > 0 ? ", " : "", names[i], (unsigned long long)sum->exempt[i]);
    printf("\n");
}

static void print_lies(const totals *sum)
{
    static const char *const names[] = {
#define NAME(id, name) [id] = name,
        SIM_LIES(NAME)
#undef NAME
    };
    printf("lies             ");
    for (int i = 0; i < SIM_LIE_COUNT; i++)
        printf("%s%s %llu", i > 0 ? ", " : "", names[i], (unsigned long long)sum->lies[i]);
    printf("\n");
}

static void print_attacks(const totals *sum)
{
    if (sum->attacked == 0) return;
    printf("attacked         %llu seeds: %llu forged datagrams, %llu reached an endpoint\n",
           (unsigned long long)sum->attacked,
           (unsigned long long)sum_of(sum->forged, SIM_FORGERY_COUNT),
           (unsigned long long)sum_of(sum->reached, SIM_FORGERY_COUNT));
    for (int i = 0; i < SIM_FORGERY_COUNT; i++)
        printf("  %-15s %llu, %llu reached\n", sim_forgery_name((sim_forgery)i),
               (unsigned long long)sum->forged[i], (unsigned long long)sum->reached[i]);
    printf("  delivered       %llu reliable, %llu unreliable forged messages; %llu forged joins\n"
           "  suffered        %llu messages lost, %llu out of order; %llu clients misled in a "
           "silence, %llu when cut off; %llu "
           "careless ones took a forged id or refusal\n"
           "gave way         %llu clients whose answers were all lost\n",
           (unsigned long long)sum->injected[SB_RELIABLE],
           (unsigned long long)sum->injected[SB_UNRELIABLE], (unsigned long long)sum->seats,
           (unsigned long long)sum->lost, (unsigned long long)sum->late,
           (unsigned long long)sum->misled, (unsigned long long)sum->misled_cut_off,
           (unsigned long long)sum->taken_in, (unsigned long long)sum->unheard);
}

/* The attacker must be real: over enough seeds, forgeries of every kind reach their target. */
static bool check_attacks(const options *o, const totals *sum)
{
    bool real = true;
    for (int i = 0; i < SIM_FORGERY_COUNT && sum->attacked >= ATTACKED_ENOUGH; i++)
        if (sum->reached[i] == 0 && sim_request_has_forgery(&o->request, (sim_forgery)i)) {
            printf("no forgery of the kind %s reached an endpoint\n",
                   sim_forgery_name((sim_forgery)i));
            real = false;
        }
    return real;
}

static bool check_bound(const char *what, uint64_t count, uint64_t max)
{
    if (count > max)
        printf("%s: %llu, at most %llu are allowed\n", what, (unsigned long long)count,
               (unsigned long long)max);
    return count <= max;
}

/* Bounds over all seeds. Events that need the attacker: eight for each thousand attacked plans and
 * two more; every fourth plan is attacked, or every plan with --attacker. Clients that are not
 * cautious believe more of what a stranger tells them while they connect. A client whose path is
 * dead for a minute cannot ask whether a farewell is true: about one for each ten attacked plans.
 * Events that losses cause: two for each thousand plans and two more. */
static bool check_bounds(const totals *sum)
{
    uint64_t few = 2 + sum->attacked / 125, some = 5 * few;
    uint64_t rare = 2 + (sum->passed + sum->failed) / 500;
    uint64_t cut_max = 5 + sum->attacked / 10;
    bool     lost = check_bound("messages lost", sum->lost, few);
    bool     late = check_bound("messages out of order", sum->late, few);
    bool     misled = check_bound("clients misled in a silence", sum->misled, few);
    bool     cut_off = check_bound("clients misled when cut off", sum->misled_cut_off, cut_max);
    bool     taken_in = check_bound("careless clients taken in", sum->taken_in, some);
    bool     unheard = check_bound("clients that gave way by losses", sum->unheard, rare);
    return lost && late && misled && cut_off && taken_in && unheard;
}

static void print_summary(const totals *sum, double seconds)
{
    printf("seeds            %llu\n", (unsigned long long)(sum->passed + sum->failed));
    printf("simulated time   %.1f h\n", (double)sum->simulated_us / 3.6e9);
    printf("datagrams        %llu, %.1f MB\n", (unsigned long long)sum->datagrams,
           (double)sum->bytes / 1e6);
    printf("messages         %llu reliable, %llu unreliable delivered; %llu retransmitted\n",
           (unsigned long long)sum->reliable, (unsigned long long)sum->unreliable,
           (unsigned long long)sum->resent);
    printf("sessions         %llu, of these %llu exempt from content checks; %llu changed port\n",
           (unsigned long long)sum->sessions,
           (unsigned long long)sum_of(sum->exempt, SIM_EXEMPTION_COUNT),
           (unsigned long long)sum->rebound);
    print_exemptions(sum);
    printf("ended            vanished %llu", (unsigned long long)sum->vanished);
    print_ends("", sum->ended);
    print_ends("as the host says", sum->host_ended);
    print_lies(sum);
    print_attacks(sum);
    printf("wall time        %.1f s\n", seconds);
}

int main(int argc, char **argv)
{
    options o = read_options(argc, argv);
    totals  sum = { 0 };
    double  start = now_s();
    sim_catch_aborts();
    if (o.single) return run_single(&o);
    if (o.jobs > 1) run_jobs(&o, &sum);
    else run_share(&o, 0, &sum);
    print_summary(&sum, now_s() - start);
    if (!check_attacks(&o, &sum)) sum.failed++;
    if (!check_bounds(&sum)) sum.failed++;
    printf("%llu passed, %llu failed\n", (unsigned long long)sum.passed,
           (unsigned long long)sum.failed);
    return sum.failed > 0;
}
