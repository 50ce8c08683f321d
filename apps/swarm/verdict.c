/* apps/swarm/verdict.c -- checks the result of a swarm and prints it as a table or as JSON.
 *
 * Tests:    tests/apps/swarm_test.py
 */
#include "swarm/swarm.h"

#include "common/clean_text.h"
#include "platform/udp.h"

#include <stdarg.h>

enum { LABEL_COLUMNS = 16, VALUE_COLUMNS = 60 };

/* ---- the rules ---- */

static bool all_joined(const swarm_result *r)
{
    return r->joined == r->rooms * r->players;
}

/* After an interruption some lines are still on their way. */
static bool all_heard(const swarm_result *r)
{
    const sb_tally_sums *t = &r->sums;
    if (r->cut_short) return t->lines_heard > 0 || t->lines_expected == 0;
    return t->lines_heard == t->lines_expected && (r->players == 1 || t->lines_heard > 0);
}

static bool is_quick(const swarm_result *r)
{
    return r->p99_limit_us == 0 || sb_latency_percentile(&r->sums.chat, 99) <= r->p99_limit_us;
}

static bool ended_well(const swarm_result *r)
{
    return !r->served || (!r->died && r->exit_status == 0);
}

bool swarm_is_fine(const swarm_result *r)
{
    return all_joined(r) && r->lost == 0 && all_heard(r) && is_quick(r) && ended_well(r);
}

/* ---- for people ---- */

typedef enum outcome { NO_OUTCOME, OUTCOME_OK, OUTCOME_FAILED } outcome;

static outcome pass_or_fail(bool good)
{
    return good ? OUTCOME_OK : OUTCOME_FAILED;
}

static void print_line(const char *label, outcome m, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void print_line(const char *label, outcome m, const char *format, ...)
{
    char    value[200];
    va_list list;
    va_start(list, format);
    vsnprintf(value, sizeof value, format, list);
    va_end(list);
    printf("  %-*s", LABEL_COLUMNS, label);
    if (m == NO_OUTCOME) printf("%s\n", value);
    else printf("%-*s %s\n", VALUE_COLUMNS, value, m == OUTCOME_OK ? "ok" : "FAILED");
}

static double milliseconds(sb_time us)
{
    return (double)us / 1000;
}

static void print_latency(const char *label, const sb_latency *l, outcome m)
{
    print_line(label, m, "p50 %.3f  p90 %.3f  p99 %.3f  max %.3f ms  (%llu)",
               milliseconds(sb_latency_percentile(l, 50)),
               milliseconds(sb_latency_percentile(l, 90)),
               milliseconds(sb_latency_percentile(l, 99)), milliseconds(l->max_us),
               (unsigned long long)l->count);
}

static void print_latencies(const swarm_result *r)
{
    const sb_latency *chat = &r->sums.chat, *state = &r->sums.state;
    if (state->count > 0) print_latency("state change", state, NO_OUTCOME);
    if (chat->count > 0)
        print_latency("chat line", chat, r->p99_limit_us ? pass_or_fail(is_quick(r)) : NO_OUTCOME);
    if (r->echo.count > 0) print_latency("raw echo", &r->echo, NO_OUTCOME);
}

static void print_traffic(const swarm_result *r)
{
    const swarm_totals *t = &r->totals;
    double              s = r->seconds > 0 ? r->seconds : 1;
    print_line("messages", NO_OUTCOME, "%llu sent (%.0f/s), %llu received (%.0f/s)",
               (unsigned long long)t->messages_out, (double)t->messages_out / s,
               (unsigned long long)t->messages_in, (double)t->messages_in / s);
    print_line("datagrams", NO_OUTCOME, "%llu sent (%.0f/s), %llu received (%.0f/s, %.1f Mbit/s)",
               (unsigned long long)t->datagrams_out, (double)t->datagrams_out / s,
               (unsigned long long)t->datagrams_in, (double)t->datagrams_in / s,
               (double)t->bytes_in * 8 / s / 1e6);
    print_line("retransmitted", NO_OUTCOME, "%llu messages; %llu datagrams refused by the system",
               (unsigned long long)t->retransmitted, (unsigned long long)t->not_sent);
}

static double per_player_second(const swarm_result *r, int64_t cpu_us)
{
    double shares = (double)(r->rooms * r->players) * r->seconds;
    return shares > 0 ? (double)cpu_us / shares : 0;
}

static double cpu_percent(const swarm_result *r, int64_t cpu_us)
{
    return r->seconds > 0 ? (double)cpu_us / (r->seconds * 1e6) * 100 : 0;
}

static void print_server(const swarm_result *r)
{
    int64_t cpu = r->after.cpu_us - r->before.cpu_us;
    double  mib = 1024.0 * 1024.0, rss = (double)r->after.rss_bytes;
    if (!r->has_server) return;
    print_line("server CPU", NO_OUTCOME, "%.1f %% of a processor, %.1f us per player and second",
               cpu_percent(r, cpu), per_player_second(r, cpu));
    print_line("server memory", NO_OUTCOME, "%.1f MiB, %.3f MiB per room, grew by %.0f KiB",
               rss / mib, rss / mib / (double)r->rooms, (rss - (double)r->before.rss_bytes) / 1024);
}

void swarm_print_table(const swarm_result *r)
{
    char address[SB_ENDPOINT_TEXT];
    sb_endpoint_text(r->first, address);
    printf("swarm: %zu rooms of %zu %splayers for %.1f s, from %s on\n", r->rooms, r->players,
           r->cheap ? "cheap " : "", r->seconds, address);
    print_line("joins", pass_or_fail(all_joined(r)), "%zu of %zu in %.1f s", r->joined,
               r->rooms * r->players, r->join_seconds);
    if (r->failure[0]) print_line("", NO_OUTCOME, "%s", r->failure);
    print_line("losses", pass_or_fail(r->lost == 0), "%zu", r->lost);
    if (r->loss[0]) print_line("", NO_OUTCOME, "%s", r->loss);
    print_line("chat lines", pass_or_fail(all_heard(r)),
               "%llu sent, %llu of %llu heard by other players",
               (unsigned long long)r->sums.lines_sent, (unsigned long long)r->sums.lines_heard,
               (unsigned long long)r->sums.lines_expected);
    print_line("state changes", NO_OUTCOME, "%llu sent, %llu of %llu seen by other players",
               (unsigned long long)r->sums.changes_sent, (unsigned long long)r->sums.state.count,
               (unsigned long long)r->sums.changes_expected);
    print_traffic(r);
    print_latencies(r);
    print_server(r);
    if (r->served)
        print_line("server's end", pass_or_fail(ended_well(r)), "%s, exit status %d",
                   r->died ? "before SIGTERM" : "on SIGTERM", r->exit_status);
    print_line("swarm CPU", NO_OUTCOME,
               "%.1f %% of a processor, %.1f us per player and second; threads: %zu",
               cpu_percent(r, r->own_cpu_us), per_player_second(r, r->own_cpu_us), r->threads);
    printf("verdict: %s\n", swarm_is_fine(r) ? "fine" : "FAILED");
}

/* ---- JSON ---- */

static void print_json_latency(const char *key, const sb_latency *l)
{
    printf(",\"%s\":{\"count\":%llu,\"p50_us\":%lld,\"p90_us\":%lld,\"p99_us\":%lld,"
           "\"max_us\":%lld,\"mean_us\":%.1f}",
           key, (unsigned long long)l->count, (long long)sb_latency_percentile(l, 50),
           (long long)sb_latency_percentile(l, 90), (long long)sb_latency_percentile(l, 99),
           (long long)l->max_us, sb_latency_mean(l));
}

static void print_json_totals(const swarm_totals *t)
{
    printf(",\"messages_out\":%llu,\"messages_in\":%llu,\"datagrams_out\":%llu,"
           "\"datagrams_in\":%llu,\"bytes_out\":%llu,\"bytes_in\":%llu,\"retransmitted\":%llu,"
           "\"not_sent\":%llu",
           (unsigned long long)t->messages_out, (unsigned long long)t->messages_in,
           (unsigned long long)t->datagrams_out, (unsigned long long)t->datagrams_in,
           (unsigned long long)t->bytes_out, (unsigned long long)t->bytes_in,
           (unsigned long long)t->retransmitted, (unsigned long long)t->not_sent);
}

static void print_json_server(const swarm_result *r)
{
    int64_t cpu = r->after.cpu_us - r->before.cpu_us;
    if (!r->has_server) return;
    printf(",\"server\":{\"cpu_us\":%lld,\"cpu_us_per_player_second\":%.2f,\"rss_bytes\":%llu,"
           "\"rss_bytes_before\":%llu,\"peak_bytes\":%llu,\"rss_bytes_per_room\":%llu,"
           "\"threads\":%u",
           (long long)cpu, per_player_second(r, cpu), (unsigned long long)r->after.rss_bytes,
           (unsigned long long)r->before.rss_bytes, (unsigned long long)r->after.peak_bytes,
           (unsigned long long)(r->after.rss_bytes / r->rooms), r->after.threads);
    printf("}");
}

static void print_json_tally(const swarm_result *r)
{
    const sb_tally_sums *t = &r->sums;
    printf(",\"marks_sent\":%llu,\"marks_heard\":%llu,\"marks_expected\":%llu",
           (unsigned long long)t->lines_sent, (unsigned long long)t->lines_heard,
           (unsigned long long)t->lines_expected);
    printf(",\"changes_sent\":%llu,\"changes_seen\":%llu,\"changes_expected\":%llu",
           (unsigned long long)t->changes_sent, (unsigned long long)t->state.count,
           (unsigned long long)t->changes_expected);
    print_json_latency("state", &t->state);
    print_json_latency("chat", &t->chat);
    print_json_latency("echo", &r->echo);
}

static void print_json_reason(const char *key, const char *text)
{
    if (text[0] == '\0') return;
    printf(",\"%s\":", key);
    sb_clean_print_json(stdout, text);
}

void swarm_print_json(const swarm_result *r)
{
    char address[SB_ENDPOINT_TEXT];
    sb_endpoint_text(r->first, address);
    printf("{\"fine\":%s,\"rooms\":%zu,\"players_per_room\":%zu,\"cheap\":%s,"
           "\"threads\":%zu,\"address\":\"%s\","
           "\"seconds\":%.3f,\"joined\":%zu,\"failed\":%zu,\"join_seconds\":%.3f,\"lost\":%zu",
           swarm_is_fine(r) ? "true" : "false", r->rooms, r->players, r->cheap ? "true" : "false",
           r->threads, address, r->seconds, r->joined, r->failed, r->join_seconds, r->lost);
    print_json_reason("failure", r->failure);
    print_json_reason("loss", r->loss);
    print_json_totals(&r->totals);
    print_json_tally(r);
    print_json_server(r);
    if (r->served)
        printf(",\"server_died\":%s,\"server_exit_status\":%d", r->died ? "true" : "false",
               r->exit_status);
    printf(",\"swarm_cpu_us\":%lld}\n", (long long)r->own_cpu_us);
}
