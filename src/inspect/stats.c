/* src/inspect/stats.c -- counts records. stats_print.c and json/stats.c print the counts. */
#include "inspect/stats.h"

#include <starbase/message.h>

#include "base/assert.h"
#include "base/compiler.h"
#include "inspect/undecoded.h"

void sb_stats_init(sb_stats *stats)
{
    memset(stats, 0, sizeof *stats);
}

bool sb_stats_all_decoded(const sb_stats *stats)
{
    uint64_t all = 0;
    for (size_t i = 0; i < SB_UNDECODED_KINDS; i++) all += stats->undecoded_records[i];
    return all == 0;
}

void sb_stats_add_skipped(sb_stats *stats, const char *reason, uint64_t count)
{
    size_t i = 0;
    while (i < stats->skip_count && strcmp(stats->skipped[i].reason, reason) != 0) i++;
    if (count == 0 || i == SB_STATS_SKIPS_MAX) return;
    if (i == stats->skip_count) stats->skip_count++;
    stats->skipped[i].reason = reason;
    stats->skipped[i].count += count;
}

/* ---- sizes ---- */

/* The buckets are 0, 1, 2-3, 4-7, ..., 16384 and more. */
static size_t bucket_of(size_t size)
{
    size_t bucket = 0;
    for (; size > 0 && bucket < SB_STATS_SIZES - 1; size >>= 1) bucket++;
    return bucket;
}

sb_stats_bucket sb_stats_size_bucket(size_t index)
{
    SB_ASSERT(index < SB_STATS_SIZES);
    if (index == 0) return (sb_stats_bucket){ 0, 0 };
    uint32_t from = 1u << (index - 1);
    return (sb_stats_bucket){ from, index == SB_STATS_SIZES - 1 ? UINT32_MAX : from * 2 - 1 };
}

const char *sb_undecoded_kind_text(sb_undecoded_kind kind)
{
    static const char *const texts[SB_UNDECODED_KINDS] = { "refused", "opaque", "trailing" };
    SB_ASSERT((unsigned)kind < SB_UNDECODED_KINDS);
    return texts[kind];
}

const char *sb_side_text(sb_side side)
{
    return side == SB_SIDE_CLIENT ? "client" : side == SB_SIDE_HOST ? "host" : "unknown";
}

double sb_stats_seconds(int64_t first_us, int64_t last_us)
{
    return last_us > first_us ? (double)(last_us - first_us) / 1e6 : 1e-6;
}

/* ---- counting ---- */

static void count_unit(sb_stats_count *c, const sb_record *r)
{
    size_t size = r->bytes.size;
    SB_ASSERT((unsigned)r->from < SB_STATS_SIDES);
    if (c->count == 0) {
        c->first_number = r->number;
        c->first_us = r->time_us;
        c->smallest = size;
    }
    if (size < c->smallest) c->smallest = size;
    if (size > c->largest) c->largest = size;
    c->count++;
    c->bytes += size;
    c->copies += r->retransmission || r->repeated;
    c->refused += r->result != SB_OK;
    c->last_number = r->number;
    c->last_us = r->time_us;
    c->by_side[r->from]++;
}

static size_t find_peer(sb_stats *stats, sb_endpoint endpoint)
{
    for (size_t i = 0; i < stats->peer_count; i++)
        if (sb_endpoints_equal(stats->peers[i].endpoint, endpoint)) return i;
    if (stats->peer_count == SB_STATS_PEERS_MAX) return SB_STATS_PEERS_MAX;
    size_t         index = stats->peer_count++;
    sb_stats_peer *peer = &stats->peers[index];
    peer->endpoint = endpoint;
    peer->peer_id = SB_PEER_NONE;
    return index;
}

static void count_datagram_of_peer(sb_stats *stats, const sb_record *r, size_t size)
{
    stats->peer_index = r->has_endpoints ? find_peer(stats, r->source) : SB_STATS_PEERS_MAX;
    sb_stats_peer *peer = &stats->peers[stats->peer_index];
    if (peer->datagrams++ == 0) peer->first_us = r->time_us;
    peer->datagram_bytes += size;
    peer->last_us = r->time_us;
    if (r->from != SB_SIDE_UNKNOWN) peer->side = r->from;
    if (r->has_peer_id) peer->peer_id = r->peer_id;
}

static void start_datagram(sb_stats *stats, const sb_record *r)
{
    size_t size = r->plain.size > 0 ? r->plain.size : r->bytes.size;
    stats->current_datagram = r->datagram;
    stats->current_messages = 0;
    stats->datagrams++;
    stats->datagram_bytes += size;
    stats->datagram_sizes[bucket_of(size)]++;
    if (size > stats->largest_datagram) stats->largest_datagram = size;
    if (r->layer != SB_LAYER_GAMESPY) {
        stats->game_datagrams++;
        stats->messages_per_datagram[0]++;
    }
    count_datagram_of_peer(stats, r, size);
}

static void count_time(sb_stats *stats, const sb_record *r)
{
    if (!r->has_time) return;
    if (!stats->has_time) stats->first_us = stats->last_us = r->time_us;
    stats->has_time = true;
    if (r->time_us < stats->first_us) stats->first_us = r->time_us;
    if (r->time_us > stats->last_us) stats->last_us = r->time_us;
}

static void count_transport(sb_stats *stats, sb_stats_peer *peer, const sb_record *r)
{
    if (stats->current_messages < 255) {
        stats->messages_per_datagram[stats->current_messages++]--;
        stats->messages_per_datagram[stats->current_messages]++;
    }
    if (r->transport.type == SB_TRANSPORT_ACK) {
        stats->acks++;
        peer->acks++;
        stats->repeated_acks += r->repeated;
        peer->repeated_acks += r->repeated;
        return;
    }
    stats->fragments += r->transport.fragment;
    stats->retransmissions += r->retransmission;
    stats->missing += r->gap;
    stats->late += r->late;
    peer->retransmissions += r->retransmission;
    peer->missing += r->gap;
    peer->late += r->late;
}

/* ---- undecoded bytes ---- */

static SB_COLD void add_undecoded(sb_stats *stats, const sb_record *r, sb_undecoded_kind kind,
                                  size_t offset, size_t size)
{
    SB_ASSERT(offset + size <= r->bytes.size);
    stats->undecoded_records[kind]++;
    stats->undecoded_bytes[kind] += size;
    if (stats->undecoded_count == SB_STATS_UNDECODED_MAX) return;
    sb_stats_undecoded *u = &stats->undecoded[stats->undecoded_count++];
    *u = (sb_stats_undecoded){ .number = r->number,
                               .datagram = r->datagram,
                               .layer = r->layer,
                               .kind = kind,
                               .result = r->result,
                               .offset = offset,
                               .size = size };
    if (kind == SB_UNDECODED_REFUSED) u->field = r->refusal.field;
    if (r->bytes.size > 0) u->first_byte = r->bytes.data[0];
    if (size > 0)
        memcpy(u->bytes, r->bytes.data + offset, size < sizeof u->bytes ? size : sizeof u->bytes);
}

static SB_COLD void count_refusal(sb_stats *stats, const sb_record *r)
{
    size_t offset = r->refusal.offset < r->bytes.size ? r->refusal.offset : r->bytes.size;
    SB_ASSERT((unsigned)r->result < SB_RESULT_COUNT);
    stats->refused[r->result]++;
    stats->peers[stats->peer_index].refused++;
    add_undecoded(stats, r, SB_UNDECODED_REFUSED, offset, r->bytes.size - offset);
}

/* `part` is inside the bytes of the record. */
static SB_COLD void add_undecoded_part(sb_stats *stats, const sb_record *r, sb_undecoded_kind kind,
                                       sb_span part)
{
    add_undecoded(stats, r, kind, (size_t)(part.data - r->bytes.data), part.size);
}

uint64_t sb_stats_blocks(const sb_stats_peer *peer)
{
    uint64_t all = 0;
    for (size_t i = 0; i < SB_LAYOUT_FITS; i++) all += peer->shield_fits[i];
    return all;
}

static void count_block(sb_stats_peer *peer, const sb_record *r)
{
    SB_ASSERT((unsigned)r->shield_fit < SB_LAYOUT_FITS);
    peer->shield_fits[r->shield_fit]++;
    peer->shields_documented += r->context.layout == SB_SHIELD_DOCUMENTED;
    if (r->shield_verdict != SB_LAYOUT_UNKNOWN) peer->shield_verdict = r->shield_verdict;
}

static void count_message(sb_stats *stats, sb_stats_peer *peer, const sb_record *r)
{
    stats->messages++;
    stats->message_bytes += r->bytes.size;
    stats->payload_sizes[bucket_of(r->bytes.size)]++;
    peer->messages++;
    peer->message_bytes += r->bytes.size;
    if (r->fragment_count > 0) stats->reassembled++;
    if (r->shield_fit != SB_FIT_NO_BLOCK) count_block(peer, r);
    if (r->bytes.size == 0) return; /* has no opcode, and is counted as refused */
    count_unit(&stats->opcodes[r->bytes.data[0]], r);
    if (!r->message) return;
    if (r->message->opcode == SB_OP_STATE_UPDATE)
        stats->state_flags[r->from][r->message->as.state_update.flags]++;
    sb_span opaque = sb_message_opaque_bytes(r->message);
    if (SB_UNLIKELY(opaque.size > 0)) add_undecoded_part(stats, r, SB_UNDECODED_OPAQUE, opaque);
    if (SB_UNLIKELY(r->message->trailing.size > 0))
        add_undecoded_part(stats, r, SB_UNDECODED_TRAILING, r->message->trailing);
}

void sb_stats_add(sb_stats *stats, const sb_record *r)
{
    stats->records++;
    if (r->datagram != stats->current_datagram) {
        count_time(stats, r);
        start_datagram(stats, r);
    }
    sb_stats_peer *peer = &stats->peers[stats->peer_index];
    if (r->has_transport) count_transport(stats, peer, r);
    if (r->layer == SB_LAYER_MESSAGE) count_message(stats, peer, r);
    else if (r->layer == SB_LAYER_TRANSPORT && r->has_transport)
        count_unit(&stats->transport[r->transport.type], r);
    else if (r->layer == SB_LAYER_GAMESPY) count_unit(&stats->gamespy, r);
    if (SB_UNLIKELY(r->result != SB_OK)) count_refusal(stats, r);
}
