/* sim/relay_main.c -- the program starbase-relay: a bad network on one port of this machine.
 *
 * For:      trying a server or a client on a lossy path: loss, delay, duplicates, damage.
 * Exits:    0 after --time or a signal, with a summary; 2 when it cannot start.
 */
#include "sim/relay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { EXIT_CANNOT_START = 2, ADDRESS_TEXT_MAX = 32 };

static const sb_time DELAY_MAX_US = 60 * SB_SECOND;
static const double  TIME_MAX_S = 1e7;

static const char help[] =
    "Usage: starbase-relay --listen PORT --target HOST:PORT [options]\n"
    "\n"
    "Forwards UDP between clients, which send to PORT on 127.0.0.1, and a server at HOST:PORT, "
    "and\n"
    "impairs the datagrams like a bad network. With the same seed, the n-th datagram of a client\n"
    "is impaired in the same way.\n"
    "\n"
    "  --listen PORT        where clients send to; 0: any free port, which is printed\n"
    "  --target HOST:PORT   the server\n"
    "\n"
    "Conditions, for both directions unless they follow --to-target or --to-client:\n"
    "  --delay MS           delay of every datagram (0)\n"
    "  --jitter MS          random extra delay of 0 to MS (0)\n"
    "  --loss PERCENT       chance of a loss (0)\n"
    "  --burst B,E,L        chances per datagram that a burst of losses begins (B) and ends (E),\n"
    "                       and the loss during a burst (L), in percent\n"
    "  --duplicate PERCENT  chance of a second copy (0)\n"
    "  --reorder PERCENT    chance of an extra delay of up to --reorder-time (0)\n"
    "  --reorder-time MS    (20)\n"
    "  --corrupt PERCENT    chance of one to four flipped bits (0)\n"
    "  --truncate PERCENT   chance of being cut short (0)\n"
    "  --to-target          the next conditions apply to datagrams to the server\n"
    "  --to-client          the next conditions apply to datagrams to the clients\n"
    "  --both               the next conditions apply to both directions\n"
    "\n"
    "  --clients N          clients at a time, 1 to 64 (64)\n"
    "  --seed N             (1)\n"
    "  --time SECONDS       stop after this time (until Ctrl-C)\n"
    "  --help               show this\n";

typedef struct settings {
    sim_relay_config config;
    bool             to_target, to_client; /* directions that the next condition applies to */
    bool             has_listen, has_target;
    sb_time          time_us; /* SB_TIME_NEVER: until a signal */
} settings;

/* Prints an error on one line and returns false. */
__attribute__((format(printf, 1, 2))) static bool complain(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "starbase-relay: ");
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n");
    va_end(list);
    return false;
}

/* ---- Values ------------------------------------------------------------------------------- */

static bool read_number(const char *text, double max, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*out) && *out >= 0 && *out <= max;
}

static bool read_whole(const char *text, uint64_t max, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 0);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *out <= max;
}

static bool read_percent(const char *name, const char *text, uint32_t *per_million)
{
    double percent;
    if (!read_number(text, 100, &percent))
        return complain("--%s wants a percentage from 0 to 100, not `%s`", name, text);
    *per_million = (uint32_t)lround(percent * 10000);
    return true;
}

static bool read_milliseconds(const char *name, const char *text, sb_time *us)
{
    double ms;
    if (!read_number(text, (double)DELAY_MAX_US / 1000, &ms))
        return complain("--%s wants milliseconds from 0 to 60000, not `%s`", name, text);
    *us = (sb_time)llround(ms * 1000);
    return true;
}

static bool read_burst(const char *text, sim_conditions *c)
{
    char   buffer[64], *rest = buffer;
    char  *part[3];
    size_t size = strlen(text) + 1;
    if (size > sizeof buffer) return complain("--burst wants three percentages as in 1,25,80");
    memcpy(buffer, text, size);
    for (int i = 0; i < 3; i++)
        if (!(part[i] = strsep(&rest, ",")))
            return complain("--burst wants three percentages as in 1,25,80, not `%s`", text);
    if (rest) return complain("--burst wants three percentages as in 1,25,80, not `%s`", text);
    return read_percent("burst", part[0], &c->burst_begin) &&
           read_percent("burst", part[1], &c->burst_end) &&
           read_percent("burst", part[2], &c->burst_loss);
}

static bool read_target(const char *text, sb_endpoint *out)
{
    char            host[256];
    uint64_t        port;
    const char     *colon = strrchr(text, ':');
    size_t          size = colon ? (size_t)(colon - text) : 0;
    struct addrinfo wanted = { .ai_family = AF_INET, .ai_socktype = SOCK_DGRAM }, *found = NULL;
    if (size == 0 || size >= sizeof host || !read_whole(colon + 1, 65535, &port) || port == 0)
        return complain("--target wants HOST:PORT, not `%s`", text);
    memcpy(host, text, size);
    host[size] = '\0';
    int why = getaddrinfo(host, NULL, &wanted, &found);
    if (why != 0) return complain("cannot find the target `%s`: %s", host, gai_strerror(why));
    struct sockaddr_in a;
    memcpy(&a, found->ai_addr, sizeof a);
    freeaddrinfo(found);
    *out = (sb_endpoint){ ntohl(a.sin_addr.s_addr), (uint16_t)port };
    return true;
}

/* ---- Options ------------------------------------------------------------------------------ */

enum {
    KEY_LISTEN = 256,
    KEY_TARGET,
    KEY_DELAY,
    KEY_JITTER,
    KEY_LOSS,
    KEY_BURST,
    KEY_DUPLICATE,
    KEY_REORDER,
    KEY_REORDER_TIME,
    KEY_CORRUPT,
    KEY_TRUNCATE,
    KEY_TO_TARGET,
    KEY_TO_CLIENT,
    KEY_BOTH,
    KEY_CLIENTS,
    KEY_SEED,
    KEY_TIME,
    KEY_HELP,
};

static const struct option options[] = {
    { "listen", required_argument, NULL, KEY_LISTEN },
    { "target", required_argument, NULL, KEY_TARGET },
    { "delay", required_argument, NULL, KEY_DELAY },
    { "jitter", required_argument, NULL, KEY_JITTER },
    { "loss", required_argument, NULL, KEY_LOSS },
    { "burst", required_argument, NULL, KEY_BURST },
    { "duplicate", required_argument, NULL, KEY_DUPLICATE },
    { "reorder", required_argument, NULL, KEY_REORDER },
    { "reorder-time", required_argument, NULL, KEY_REORDER_TIME },
    { "corrupt", required_argument, NULL, KEY_CORRUPT },
    { "truncate", required_argument, NULL, KEY_TRUNCATE },
    { "to-target", no_argument, NULL, KEY_TO_TARGET },
    { "to-client", no_argument, NULL, KEY_TO_CLIENT },
    { "both", no_argument, NULL, KEY_BOTH },
    { "clients", required_argument, NULL, KEY_CLIENTS },
    { "seed", required_argument, NULL, KEY_SEED },
    { "time", required_argument, NULL, KEY_TIME },
    { "help", no_argument, NULL, KEY_HELP },
    { NULL, 0, NULL, 0 },
};

static bool set_condition(sim_conditions *c, int key, const char *name, const char *text)
{
    switch (key) {
    case KEY_DELAY: return read_milliseconds(name, text, &c->delay_us);
    case KEY_JITTER: return read_milliseconds(name, text, &c->jitter_us);
    case KEY_REORDER_TIME: return read_milliseconds(name, text, &c->reorder_us);
    case KEY_LOSS: return read_percent(name, text, &c->loss);
    case KEY_DUPLICATE: return read_percent(name, text, &c->duplicate);
    case KEY_REORDER: return read_percent(name, text, &c->reorder);
    case KEY_CORRUPT: return read_percent(name, text, &c->corrupt);
    case KEY_TRUNCATE: return read_percent(name, text, &c->truncate);
    default: return read_burst(text, c);
    }
}

static bool set_conditions(settings *s, int key, const char *name, const char *text)
{
    if (s->to_target && !set_condition(&s->config.to_target, key, name, text)) return false;
    return !s->to_client || set_condition(&s->config.to_client, key, name, text);
}

static bool set_listen(settings *s, const char *text)
{
    uint64_t port;
    if (!read_whole(text, 65535, &port)) return complain("--listen wants a port, not `%s`", text);
    s->config.listen_port = (uint16_t)port;
    s->has_listen = true;
    return true;
}

static bool set_clients(settings *s, const char *text)
{
    uint64_t count;
    if (!read_whole(text, SIM_RELAY_CLIENTS_LIMIT, &count) || count == 0)
        return complain("--clients wants a number from 1 to %d, not `%s`", SIM_RELAY_CLIENTS_LIMIT,
                        text);
    s->config.max_clients = (uint32_t)count;
    return true;
}

static bool set_time(settings *s, const char *text)
{
    double seconds;
    if (!read_number(text, TIME_MAX_S, &seconds) || seconds == 0)
        return complain("--time wants seconds above 0, not `%s`", text);
    s->time_us = (sb_time)llround(seconds * 1e6);
    return true;
}

static bool set_option(settings *s, int key, const char *name, const char *text)
{
    switch (key) {
    case KEY_LISTEN: return set_listen(s, text);
    case KEY_TARGET: return s->has_target = read_target(text, &s->config.target);
    case KEY_TO_TARGET: s->to_target = true; return !(s->to_client = false);
    case KEY_TO_CLIENT: s->to_client = true; return !(s->to_target = false);
    case KEY_BOTH: return s->to_target = s->to_client = true;
    case KEY_CLIENTS: return set_clients(s, text);
    case KEY_TIME: return set_time(s, text);
    case KEY_SEED:
        return read_whole(text, UINT64_MAX, &s->config.seed) ||
               complain("--seed wants a whole number, not `%s`", text);
    default: return set_conditions(s, key, name, text);
    }
}

static void set_defaults(settings *s)
{
    *s = (settings){ .to_target = true, .to_client = true, .time_us = SB_TIME_NEVER };
    sim_relay_defaults(&s->config);
    s->config.to_target.reorder_us = s->config.to_client.reorder_us = 20000;
}

/* False: an error was printed. */
static bool read_arguments(settings *s, int argc, char **argv)
{
    int key, at = 0;
    set_defaults(s);
    while ((key = getopt_long(argc, argv, "", options, &at)) != -1) {
        if (key == '?') return complain("see --help"); /* getopt has printed the error */
        if (key == KEY_HELP) {
            fputs(help, stdout);
            exit(EXIT_SUCCESS);
        }
        if (!set_option(s, key, options[at].name, optarg)) return false;
    }
    if (optind < argc) return complain("unknown argument `%s`; see --help", argv[optind]);
    if (!s->has_listen) return complain("--listen PORT is missing; see --help");
    if (!s->has_target) return complain("--target HOST:PORT is missing; see --help");
    return true;
}

/* ---- Running ------------------------------------------------------------------------------ */

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    interrupted = number;
}

/* The first signal of a kind ends the loop, the second one ends the program. */
static void catch_signals(void)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };
    sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

/* A signal between the check and the wait is noticed after the wait. */
static void run(sim_relay *relay, sb_time time_us)
{
    sb_time start = sim_relay_now();
    while (!interrupted) {
        sb_time left = time_us == SB_TIME_NEVER ? SB_SECOND : start + time_us - sim_relay_now();
        if (left <= 0) return;
        sim_relay_step(relay, left < SB_SECOND / 5 ? left : SB_SECOND / 5);
    }
}

static void print_counts(const char *name, const sim_relay_counts *c)
{
    printf("%s: %" PRIu64 " received (%" PRIu64 " bytes), %" PRIu64 " lost, %" PRIu64
           " duplicated, %" PRIu64 " damaged, %" PRIu64 " dropped, %" PRIu64 " sent\n",
           name, c->received, c->bytes, c->lost, c->duplicated, c->damaged, c->dropped, c->sent);
}

static void print_summary(const sim_relay *relay)
{
    const sim_relay_totals *t = sim_relay_totals_of(relay);
    print_counts("to target", &t->to_target);
    print_counts("to client", &t->to_client);
    printf("%" PRIu64 " clients; %" PRIu64 " datagrams refused, %" PRIu64
           " too long, %zu still in transit\n",
           t->clients, t->refused, t->too_long, sim_relay_pending(relay));
}

static void print_start(const sim_relay *relay, const sim_relay_config *config)
{
    char           text[ADDRESS_TEXT_MAX];
    struct in_addr a = { .s_addr = htonl(config->target.address) };
    printf("127.0.0.1:%u to %s:%u, seed %" PRIu64 "\n", (unsigned)sim_relay_port(relay),
           inet_ntop(AF_INET, &a, text, sizeof text), (unsigned)config->target.port, config->seed);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    settings s;
    if (!read_arguments(&s, argc, argv)) return EXIT_CANNOT_START;
    sim_relay *relay = sim_relay_create(&s.config);
    if (!relay) {
        complain("cannot listen on port %u: %s", (unsigned)s.config.listen_port, strerror(errno));
        return EXIT_CANNOT_START;
    }
    catch_signals();
    print_start(relay, &s.config);
    run(relay, s.time_us);
    print_summary(relay);
    sim_relay_destroy(relay);
    return EXIT_SUCCESS;
}
