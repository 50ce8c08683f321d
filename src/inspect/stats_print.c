/* src/inspect/stats_print.c -- prints the counts as tables for people.
 *
 * Tests:    tests/inspect/stats_test.c
 */
#include "inspect/stats.h"

#include <stdio.h>

#include "inspect/text.h"
#include "message/names.h"

enum { BAR_MAX = 40 };

static void print_heading(sb_output *out, const char *text)
{
    sb_output_print(out, out->colour ? "\n\033[1m%s\033[0m\n" : "\n%s\n", text);
}

static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

/* Sorts the indices of non-zero counts, largest count first, equal counts by index. Returns how
 * many there are. */
static size_t sort_counts(const sb_stats_count *counts, uint8_t order[256])
{
    size_t used = 0;
    for (unsigned i = 0; i < 256; i++) {
        if (counts[i].count == 0) continue;
        size_t at = used++;
        for (; at > 0 && counts[order[at - 1]].count < counts[i].count; at--)
            order[at] = order[at - 1];
        order[at] = (uint8_t)i;
    }
    return used;
}

/* ---- sections ---- */

/* Prints "1 record" or "2 records" after `before`. */
static void print_plural(sb_output *out, const char *before, uint64_t count, const char *noun)
{
    sb_output_print(out, "%s%llu %s%s", before, (unsigned long long)count, noun,
                    count == 1 ? "" : "s");
}

static void print_skipped(const sb_stats *s, sb_output *out)
{
    if (s->packets == 0) return;
    print_plural(out, "", s->packets, "packet");
    for (size_t i = 0; i < s->skip_count; i++)
        sb_output_print(out, "%s%llu %s", i == 0 ? ", skipped: " : ", ",
                        (unsigned long long)s->skipped[i].count, s->skipped[i].reason);
    sb_output_print(out, s->skip_count == 0 ? ", none skipped\n" : "\n");
}

static void print_summary(const sb_stats *s, sb_output *out)
{
    double seconds = sb_stats_seconds(s->first_us, s->last_us);
    print_skipped(s, out);
    print_plural(out, "", s->records, "record");
    print_plural(out, ": ", s->datagrams, "datagram");
    print_plural(out, " with ", s->datagram_bytes, "byte");
    print_plural(out, ", ", s->messages, "game message");
    print_plural(out, " with ", s->message_bytes, "byte");
    sb_output_print(out, "\n");
    if (s->has_time && s->last_us > s->first_us)
        sb_output_print(out, "%.3f s: %.1f datagrams/s, %.1f messages/s, %.0f bytes/s\n", seconds,
                        (double)s->datagrams / seconds, (double)s->messages / seconds,
                        (double)s->datagram_bytes / seconds);
    print_plural(out, "", s->retransmissions, "retransmission");
    print_plural(out, ", ", s->missing, "number");
    sb_output_print(out, " missing, %llu of them late\n", (unsigned long long)s->late);
    print_plural(out, "", s->acks, "ack");
    sb_output_print(out, ", %llu of them repeated", (unsigned long long)s->repeated_acks);
    print_plural(out, ", ", s->reassembled, "message");
    print_plural(out, " from ", s->fragments, "fragment");
    sb_output_print(out, "\n");
}

static void print_count_header(sb_output *out)
{
    sb_output_print(out, "  %-28s %10s %6s %12s %6s %9s %9s %7s %7s %11s %10s %10s\n", "", "count",
                    "%", "bytes", "%", "client", "host", "copies", "refused", "size", "first s",
                    "last s");
}

static void print_count(const sb_stats *s, const sb_stats_count *c, const char *name, uint64_t all,
                        uint64_t all_bytes, sb_output *out)
{
    char size[32];
    snprintf(size, sizeof size, c->smallest == c->largest ? "%zu" : "%zu-%zu", c->smallest,
             c->largest);
    sb_output_print(out, "  %-28s %10llu %6.2f %12llu %6.2f %9llu %9llu %7llu %7llu %11s", name,
                    (unsigned long long)c->count, share(c->count, all),
                    (unsigned long long)c->bytes, share(c->bytes, all_bytes),
                    (unsigned long long)c->by_side[SB_SIDE_CLIENT],
                    (unsigned long long)c->by_side[SB_SIDE_HOST], (unsigned long long)c->copies,
                    (unsigned long long)c->refused, size);
    if (s->has_time)
        sb_output_print(out, " %10.3f %10.3f\n", (double)(c->first_us - s->first_us) / 1e6,
                        (double)(c->last_us - s->first_us) / 1e6);
    else sb_output_print(out, " %10s %10s\n", "-", "-");
}

static void print_opcodes(const sb_stats *s, sb_output *out)
{
    uint8_t order[256];
    size_t  used = sort_counts(s->opcodes, order);
    if (used == 0) return;
    print_heading(out, "Game messages");
    print_count_header(out);
    for (size_t i = 0; i < used; i++) {
        char name[48];
        snprintf(name, sizeof name, "0x%02X %s", order[i],
                 sb_find_defined_type(s->definitions, order[i])->name);
        print_count(s, &s->opcodes[order[i]], name, s->messages, s->message_bytes, out);
    }
}

static void print_transport(const sb_stats *s, sb_output *out)
{
    uint8_t  order[256];
    size_t   used = sort_counts(s->transport, order);
    uint64_t all = s->gamespy.count, bytes = s->gamespy.bytes;
    for (size_t i = 0; i < used; i++) {
        all += s->transport[order[i]].count;
        bytes += s->transport[order[i]].bytes;
    }
    if (all == 0) return;
    print_heading(out, "Transport messages and queries");
    print_count_header(out);
    for (size_t i = 0; i < used; i++) {
        char        name[48];
        const char *known = sb_find_name(sb_transport_type_names(), order[i]);
        snprintf(name, sizeof name, "0x%02X %s%s", order[i], known ? known : "?",
                 order[i] == SB_TRANSPORT_DATA ? " (fragments, empty)" : "");
        print_count(s, &s->transport[order[i]], name, all, bytes, out);
    }
    if (s->gamespy.count > 0) print_count(s, &s->gamespy, "query text", all, bytes, out);
}

static void print_peer(const sb_stats_peer *p, const char *name, sb_output *out)
{
    double seconds = sb_stats_seconds(p->first_us, p->last_us);
    bool   rates = p->last_us > p->first_us;
    sb_output_print(
        out,
        "  %-22s %-7s %4u %9llu %8.1f %9llu %8.1f %10llu %9.0f %7llu %7llu %5llu %6llu %7llu\n",
        name, sb_side_text(p->side), p->peer_id, (unsigned long long)p->datagrams,
        rates ? (double)p->datagrams / seconds : 0, (unsigned long long)p->messages,
        rates ? (double)p->messages / seconds : 0, (unsigned long long)p->datagram_bytes,
        rates ? (double)p->datagram_bytes / seconds : 0, (unsigned long long)p->retransmissions,
        (unsigned long long)p->missing, (unsigned long long)p->late, (unsigned long long)p->acks,
        (unsigned long long)p->refused);
}

static void format_peer(const sb_stats_peer *p, char *name, size_t capacity)
{
    sb_endpoint e = p->endpoint;
    snprintf(name, capacity, "%u.%u.%u.%u:%u", e.address >> 24, e.address >> 16 & 0xFF,
             e.address >> 8 & 0xFF, e.address & 0xFF, e.port);
}

static void print_peers(const sb_stats *s, sb_output *out)
{
    if (s->peer_count == 0) return;
    print_heading(out, "Senders");
    sb_output_print(out, "  %-22s %-7s %4s %9s %8s %9s %8s %10s %9s %7s %7s %5s %6s %7s\n", "",
                    "side", "id", "datagrams", "/s", "messages", "/s", "bytes", "/s", "resent",
                    "missing", "late", "acks", "refused");
    for (size_t i = 0; i < s->peer_count; i++) {
        char name[32];
        format_peer(&s->peers[i], name, sizeof name);
        print_peer(&s->peers[i], name, out);
    }
    if (s->peers[SB_STATS_PEERS_MAX].datagrams > 0)
        print_peer(&s->peers[SB_STATS_PEERS_MAX], "all others", out);
}

static void print_blocks(const sb_stats_peer *p, const char *name, sb_output *out)
{
    const uint64_t *fits = p->shield_fits;
    sb_output_print(
        out, "  %-22s %-10s %9llu %10llu %9llu %9llu %18llu\n", name,
        sb_layout_verdict_text(p->shield_verdict), (unsigned long long)fits[SB_FIT_STOCK],
        (unsigned long long)fits[SB_FIT_DOCUMENTED], (unsigned long long)fits[SB_FIT_BOTH],
        (unsigned long long)fits[SB_FIT_NEITHER], (unsigned long long)p->shields_documented);
}

/* Prints the verdict on each sender's shield layout (spec 03 §4.2) and the fits it is based on. */
static void print_shields(const sb_stats *s, sb_output *out)
{
    bool any = false;
    for (size_t i = 0; i <= SB_STATS_PEERS_MAX; i++) {
        const sb_stats_peer *p = &s->peers[i];
        char                 name[32] = "all others";
        if (sb_stats_blocks(p) == 0) continue;
        if (!any) {
            print_heading(out, "Layout of the shield generator, by the SUBSYS blocks that fit it");
            sb_output_print(out, "  %-22s %-10s %9s %10s %9s %9s %18s\n", "", "layout", "stock",
                            "documented", "both", "neither", "read as documented");
        }
        any = true;
        if (i < SB_STATS_PEERS_MAX) format_peer(p, name, sizeof name);
        print_blocks(p, name, out);
    }
}

/* Prints the flags of one direction, the most frequent first, as spec 03 §7 does. */
static void print_state_flags(const sb_stats *s, sb_side side, sb_output *out)
{
    sb_stats_count counts[256] = { 0 };
    uint8_t        order[256];
    uint64_t       all = 0;
    for (size_t i = 0; i < 256; i++) all += counts[i].count = s->state_flags[side][i];
    size_t used = sort_counts(counts, order);
    if (used == 0) return;
    sb_output_print(out, "\nStateUpdate flags from %s (%llu)\n", sb_side_text(side),
                    (unsigned long long)all);
    for (size_t i = 0; i < used; i++) {
        sb_output_print(out, "  0x%02X %10llu %6.2f  ", order[i],
                        (unsigned long long)counts[order[i]].count,
                        share(counts[order[i]].count, all));
        for (const sb_name *n = sb_state_flag_names(); n->name; n++)
            if (order[i] & n->value) sb_output_print(out, " %s", n->name);
        sb_output_print(out, "\n");
    }
}

static void print_bar(sb_output *out, const char *name, uint64_t count, uint64_t all)
{
    size_t length = all > 0 ? (size_t)((double)count * BAR_MAX / (double)all + 0.5) : 0;
    sb_output_print(out, "  %13s %10llu %6.2f  %.*s\n", name, (unsigned long long)count,
                    share(count, all), (int)length, "########################################");
}

static void print_sizes(const uint64_t sizes[SB_STATS_SIZES], uint64_t all, const char *heading,
                        sb_output *out)
{
    if (all == 0) return;
    print_heading(out, heading);
    for (size_t i = 0; i < SB_STATS_SIZES; i++) {
        char            name[32];
        sb_stats_bucket b = sb_stats_size_bucket(i);
        if (sizes[i] == 0) continue;
        if (b.to == UINT32_MAX) snprintf(name, sizeof name, "%u-", b.from);
        else snprintf(name, sizeof name, b.from == b.to ? "%u" : "%u-%u", b.from, b.to);
        print_bar(out, name, sizes[i], all);
    }
}

static void print_messages_per_datagram(const sb_stats *s, sb_output *out)
{
    if (s->game_datagrams == 0) return;
    print_heading(out, "Messages per datagram");
    for (size_t i = 0; i < 256; i++) {
        char name[16];
        if (s->messages_per_datagram[i] == 0) continue;
        snprintf(name, sizeof name, "%zu", i);
        print_bar(out, name, s->messages_per_datagram[i], s->game_datagrams);
    }
}

static void print_place(const sb_stats_undecoded *u, sb_output *out)
{
    sb_output_print(out, "  %9llu %9llu %-9s %-8s 0x%02X %6zu %6zu ", (unsigned long long)u->number,
                    (unsigned long long)u->datagram, sb_layer_name(u->layer),
                    sb_undecoded_kind_text(u->kind), u->first_byte, u->offset, u->size);
    size_t shown = u->size < sizeof u->bytes ? u->size : sizeof u->bytes;
    for (size_t i = 0; i < shown; i++) sb_output_print(out, " %02X", u->bytes[i]);
    if (u->size > shown) sb_output_print(out, " ..");
    if (u->kind == SB_UNDECODED_REFUSED)
        sb_output_print(out, "  %s%s%s", sb_result_text(u->result), u->field ? ": " : "",
                        u->field ? u->field : "");
    sb_output_print(out, "\n");
}

static void print_undecoded_kind(const sb_stats *s, size_t i, sb_output *out)
{
    char buffer[32];
    snprintf(buffer, sizeof buffer, "  %-8s ", sb_undecoded_kind_text((sb_undecoded_kind)i));
    print_plural(out, buffer, s->undecoded_records[i], "record");
    print_plural(out, ", ", s->undecoded_bytes[i], "byte");
    sb_output_print(out, "\n");
}

static void print_undecoded(const sb_stats *s, sb_output *out)
{
    uint64_t all = 0;
    for (size_t i = 0; i < SB_UNDECODED_KINDS; i++) all += s->undecoded_records[i];
    if (s->records == 0) return;
    print_heading(out, all > 0 ? "Not decoded" : "Everything decoded");
    if (all == 0) return;
    for (size_t i = 0; i < SB_UNDECODED_KINDS; i++)
        if (s->undecoded_records[i] > 0) print_undecoded_kind(s, i, out);
    for (size_t i = 1; i < SB_RESULT_COUNT; i++)
        if (s->refused[i] > 0)
            sb_output_print(out, "  %-14s %4llu: %s\n", sb_result_name((sb_result)i),
                            (unsigned long long)s->refused[i], sb_result_text((sb_result)i));
    sb_output_print(out, "  %9s %9s %-9s %-8s %4s %6s %6s  %s\n", "record", "datagram", "layer", "",
                    "byte", "offset", "bytes", "");
    for (size_t i = 0; i < s->undecoded_count; i++) print_place(&s->undecoded[i], out);
    if (all > s->undecoded_count)
        sb_output_print(out, "  and %llu more\n", (unsigned long long)(all - s->undecoded_count));
}

/* ---- cutting tables at the edge of the terminal: the last columns matter least ---- */

typedef struct edge {
    sb_output *out;
    size_t     width, column;
    bool       table; /* the line starts with a blank, as lines of tables do */
} edge;

static void cut_lines(void *self, const char *text, size_t size)
{
    edge *e = self;
    for (size_t i = 0; i < size; i++) {
        if (e->column == 0) e->table = text[i] == ' ';
        bool newline = text[i] == '\n';
        if (newline || !e->table || e->column < e->width) sb_output_char(e->out, text[i]);
        e->column = newline ? 0 : e->column + 1;
    }
}

static void print_all(const sb_stats *stats, sb_output *out)
{
    print_summary(stats, out);
    print_opcodes(stats, out);
    print_transport(stats, out);
    print_peers(stats, out);
    print_shields(stats, out);
    print_state_flags(stats, SB_SIDE_HOST, out);
    print_state_flags(stats, SB_SIDE_CLIENT, out);
    print_state_flags(stats, SB_SIDE_UNKNOWN, out);
    print_sizes(stats->datagram_sizes, stats->datagrams, "Bytes per datagram", out);
    print_sizes(stats->payload_sizes, stats->messages, "Bytes per game message", out);
    print_messages_per_datagram(stats, out);
    print_undecoded(stats, out);
}

void sb_stats_print(const sb_stats *stats, sb_output *out)
{
    char      buffer[256];
    edge      e = { .out = out, .width = stats->width > 0 ? stats->width : SIZE_MAX };
    sb_output cut = { buffer, sizeof buffer, 0, cut_lines, &e, out->colour };
    print_all(stats, &cut);
    sb_output_flush(&cut);
}
