/* src/inspect/json/stats.c -- prints the counts as one JSON object. All texts are our own and need
 * no escapes: ASCII without quotes.
 *
 * Tests:    tests/inspect/stats_test.c
 */
#include <inttypes.h>

#include "inspect/render.h"
#include "inspect/stats.h"
#include "inspect/text.h"
#include "message/names.h"

/* Prints a comma before every item but the first. */
static void separate(sb_output *out, bool *any)
{
    if (*any) sb_output_char(out, ',');
    *any = true;
}

static void print_count(const sb_stats *s, const sb_stats_count *c, sb_output *out)
{
    sb_output_print(
        out,
        "\"count\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"client\":%" PRIu64 ",\"host\":%" PRIu64
        ",\"copies\":%" PRIu64 ",\"refused\":%" PRIu64 ",\"smallest\":%zu,\"largest\":%zu"
        ",\"first_record\":%" PRIu64 ",\"last_record\":%" PRIu64,
        c->count, c->bytes, c->by_side[SB_SIDE_CLIENT], c->by_side[SB_SIDE_HOST], c->copies,
        c->refused, c->smallest, c->largest, c->first_number, c->last_number);
    if (s->has_time)
        sb_output_print(out, ",\"first_s\":%.6f,\"last_s\":%.6f",
                        (double)(c->first_us - s->first_us) / 1e6,
                        (double)(c->last_us - s->first_us) / 1e6);
}

static void print_opcodes(const sb_stats *s, sb_output *out)
{
    bool any = false;
    sb_output_print(out, ",\"opcodes\":[");
    for (unsigned i = 0; i < 256; i++) {
        if (s->opcodes[i].count == 0) continue;
        separate(out, &any);
        sb_output_print(out, "{\"opcode\":%u,\"name\":\"%s\",\"share\":%.6f,", i,
                        sb_find_defined_type(s->definitions, (uint8_t)i)->name,
                        (double)s->opcodes[i].count / (double)s->messages);
        print_count(s, &s->opcodes[i], out);
        sb_output_char(out, '}');
    }
    sb_output_print(out, "]");
}

static void print_transport(const sb_stats *s, sb_output *out)
{
    bool any = false;
    sb_output_print(out, ",\"transport\":[");
    for (unsigned i = 0; i < 256; i++) {
        if (s->transport[i].count == 0) continue;
        const char *name = sb_find_name(sb_transport_type_names(), i);
        separate(out, &any);
        sb_output_print(out, "{\"type\":%u,\"name\":\"%s\",", i, name ? name : "");
        print_count(s, &s->transport[i], out);
        sb_output_char(out, '}');
    }
    sb_output_print(out, "],\"gamespy\":{");
    print_count(s, &s->gamespy, out);
    sb_output_print(out, "}");
}

static void print_shields(const sb_stats_peer *p, sb_output *out)
{
    const uint64_t *fits = p->shield_fits;
    sb_output_print(
        out,
        ",\"shields\":{\"layout\":\"%s\",\"fit_stock\":%" PRIu64 ",\"fit_documented\":%" PRIu64
        ",\"fit_both\":%" PRIu64 ",\"fit_neither\":%" PRIu64 ",\"read_documented\":%" PRIu64 "}",
        sb_layout_verdict_text(p->shield_verdict), fits[SB_FIT_STOCK], fits[SB_FIT_DOCUMENTED],
        fits[SB_FIT_BOTH], fits[SB_FIT_NEITHER], p->shields_documented);
}

static void print_peer(const sb_stats_peer *p, sb_output *out)
{
    double seconds = sb_stats_seconds(p->first_us, p->last_us);
    double rate = p->last_us > p->first_us ? 1 / seconds : 0;
    sb_output_print(out, "\"side\":\"%s\",\"peer_id\":%u", sb_side_text(p->side), p->peer_id);
    sb_output_print(out,
                    ",\"datagrams\":%" PRIu64 ",\"datagram_bytes\":%" PRIu64
                    ",\"messages\":%" PRIu64 ",\"message_bytes\":%" PRIu64 ",\"acks\":%" PRIu64
                    ",\"repeated_acks\":%" PRIu64 ",\"retransmissions\":%" PRIu64
                    ",\"missing\":%" PRIu64 ",\"late\":%" PRIu64 ",\"refused\":%" PRIu64,
                    p->datagrams, p->datagram_bytes, p->messages, p->message_bytes, p->acks,
                    p->repeated_acks, p->retransmissions, p->missing, p->late, p->refused);
    sb_output_print(out, ",\"datagrams_per_s\":%.3f,\"messages_per_s\":%.3f,\"bytes_per_s\":%.3f",
                    (double)p->datagrams * rate, (double)p->messages * rate,
                    (double)p->datagram_bytes * rate);
    if (sb_stats_blocks(p) > 0) print_shields(p, out);
}

static void print_peers(const sb_stats *s, sb_output *out)
{
    bool any = false;
    sb_output_print(out, ",\"senders\":[");
    for (size_t i = 0; i < s->peer_count; i++) {
        uint32_t a = s->peers[i].endpoint.address;
        separate(out, &any);
        sb_output_print(out, "{\"address\":\"%u.%u.%u.%u\",\"port\":%u,", a >> 24, a >> 16 & 0xFF,
                        a >> 8 & 0xFF, a & 0xFF, s->peers[i].endpoint.port);
        print_peer(&s->peers[i], out);
        sb_output_char(out, '}');
    }
    sb_output_print(out, "],\"other_senders\":{");
    print_peer(&s->peers[SB_STATS_PEERS_MAX], out);
    sb_output_print(out, "}");
}

static void print_state_flags(const sb_stats *s, sb_output *out)
{
    static const sb_side sides[] = { SB_SIDE_HOST, SB_SIDE_CLIENT, SB_SIDE_UNKNOWN };
    sb_output_print(out, ",\"state_flags\":{");
    for (size_t side = 0; side < SB_STATS_SIDES; side++) {
        bool any = false;
        sb_output_print(out, "%s\"%s\":[", side > 0 ? "," : "", sb_side_text(sides[side]));
        for (unsigned i = 0; i < 256; i++) {
            if (s->state_flags[sides[side]][i] == 0) continue;
            separate(out, &any);
            sb_output_print(out, "{\"flags\":%u,\"count\":%" PRIu64 "}", i,
                            s->state_flags[sides[side]][i]);
        }
        sb_output_print(out, "]");
    }
    sb_output_print(out, "}");
}

static void print_sizes(const char *name, const uint64_t sizes[SB_STATS_SIZES], sb_output *out)
{
    bool any = false;
    sb_output_print(out, ",\"%s\":[", name);
    for (size_t i = 0; i < SB_STATS_SIZES; i++) {
        sb_stats_bucket b = sb_stats_size_bucket(i);
        if (sizes[i] == 0) continue;
        separate(out, &any);
        sb_output_print(out, "{\"from\":%u,", b.from);
        if (b.to != UINT32_MAX) sb_output_print(out, "\"to\":%u,", b.to);
        sb_output_print(out, "\"count\":%" PRIu64 "}", sizes[i]);
    }
    sb_output_print(out, "]");
}

static void print_messages_per_datagram(const sb_stats *s, sb_output *out)
{
    bool any = false;
    sb_output_print(out, ",\"messages_per_datagram\":[");
    for (unsigned i = 0; i < 256; i++) {
        if (s->messages_per_datagram[i] == 0) continue;
        separate(out, &any);
        sb_output_print(out, "{\"messages\":%u,\"count\":%" PRIu64 "}", i,
                        s->messages_per_datagram[i]);
    }
    sb_output_print(out, "]");
}

static void print_place(const sb_stats_undecoded *u, sb_output *out)
{
    sb_output_print(out,
                    "{\"record\":%" PRIu64 ",\"datagram\":%" PRIu64
                    ",\"layer\":\"%s\",\"kind\":\"%s\""
                    ",\"first_byte\":%u,\"offset\":%zu,\"size\":%zu,\"bytes\":\"",
                    u->number, u->datagram, sb_layer_name(u->layer),
                    sb_undecoded_kind_text(u->kind), u->first_byte, u->offset, u->size);
    for (size_t i = 0; i < u->size && i < sizeof u->bytes; i++)
        sb_output_print(out, "%02X", u->bytes[i]);
    sb_output_print(out, "\"");
    if (u->kind == SB_UNDECODED_REFUSED)
        sb_output_print(out, ",\"error\":\"%s\"", sb_result_name(u->result));
    if (u->field) sb_output_print(out, ",\"field\":\"%s\"", u->field);
    sb_output_print(out, "}");
}

static void print_undecoded(const sb_stats *s, sb_output *out)
{
    bool any = false;
    sb_output_print(out, ",\"refusals\":{");
    for (size_t i = 1; i < SB_RESULT_COUNT; i++) {
        if (s->refused[i] == 0) continue;
        separate(out, &any);
        sb_output_print(out, "\"%s\":%" PRIu64, sb_result_name((sb_result)i), s->refused[i]);
    }
    sb_output_print(out, "}");
    for (size_t i = 0; i < SB_UNDECODED_KINDS; i++)
        sb_output_print(out, ",\"%s\":{\"records\":%" PRIu64 ",\"bytes\":%" PRIu64 "}",
                        sb_undecoded_kind_text((sb_undecoded_kind)i), s->undecoded_records[i],
                        s->undecoded_bytes[i]);
    any = false;
    sb_output_print(out, ",\"undecoded\":[");
    for (size_t i = 0; i < s->undecoded_count; i++) {
        separate(out, &any);
        print_place(&s->undecoded[i], out);
    }
    sb_output_print(out, "]");
}

static void print_skipped(const sb_stats *s, sb_output *out)
{
    bool any = false;
    sb_output_print(out, ",\"packets\":%" PRIu64 ",\"skipped\":{", s->packets);
    for (size_t i = 0; i < s->skip_count; i++) {
        separate(out, &any);
        sb_output_print(out, "\"%s\":%" PRIu64, s->skipped[i].reason, s->skipped[i].count);
    }
    sb_output_print(out, "}");
}

static void print_totals(const sb_stats *s, sb_output *out)
{
    sb_output_print(out,
                    "\"records\":%" PRIu64 ",\"datagrams\":%" PRIu64 ",\"datagram_bytes\":%" PRIu64
                    ",\"game_datagrams\":%" PRIu64 ",\"messages\":%" PRIu64
                    ",\"message_bytes\":%" PRIu64 ",\"largest_datagram\":%" PRIu64
                    ",\"acks\":%" PRIu64 ",\"repeated_acks\":%" PRIu64
                    ",\"retransmissions\":%" PRIu64 ",\"missing\":%" PRIu64 ",\"late\":%" PRIu64
                    ",\"fragments\":%" PRIu64 ",\"reassembled\":%" PRIu64,
                    s->records, s->datagrams, s->datagram_bytes, s->game_datagrams, s->messages,
                    s->message_bytes, s->largest_datagram, s->acks, s->repeated_acks,
                    s->retransmissions, s->missing, s->late, s->fragments, s->reassembled);
    if (s->packets > 0) print_skipped(s, out);
    if (!s->has_time) return;
    double seconds = sb_stats_seconds(s->first_us, s->last_us);
    double rate = s->last_us > s->first_us ? 1 / seconds : 0;
    sb_output_print(out,
                    ",\"seconds\":%.6f,\"datagrams_per_s\":%.3f,\"messages_per_s\":%.3f"
                    ",\"bytes_per_s\":%.3f",
                    (double)(s->last_us - s->first_us) / 1e6, (double)s->datagrams * rate,
                    (double)s->messages * rate, (double)s->datagram_bytes * rate);
}

void sb_stats_print_json(const sb_stats *stats, sb_output *out)
{
    sb_output_print(out, "{\"schema\":\"" SB_JSON_STATS_SCHEMA "\",");
    print_totals(stats, out);
    print_opcodes(stats, out);
    print_transport(stats, out);
    print_peers(stats, out);
    print_state_flags(stats, out);
    print_sizes("datagram_sizes", stats->datagram_sizes, out);
    print_sizes("payload_sizes", stats->payload_sizes, out);
    print_messages_per_datagram(stats, out);
    print_undecoded(stats, out);
    sb_output_print(out, "}\n");
}
