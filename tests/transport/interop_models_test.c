/* tests/transport/interop_models_test.c -- the models of stock peers, checked against captures.
 *
 * For:      trust in interop_test.c: a pair of models does what a stock pair was seen to do (spec 01,
 *           facts marked T). Of our code only framing and cipher take part.
 */
#include "transport/interop_rig.h"

#include <string.h>

static interop *open_pair(size_t weather, uint64_t seed, const sim_stock_host_config *host_config,
                          const sim_stock_client_config *client_config)
{
    interop *w = interop_open(weather, seed);
    interop_add_stock_host(w, host_config);
    (void)interop_add_stock_client(w, client_config);
    return w;
}

TEST(stock_models_deliver_streams_on_every_kind_of_path)
{
    for (size_t weather = 0; weather < INTEROP_WEATHERS; weather++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            interop *w = open_pair(weather, seed, NULL, NULL);
            (void)interop_add_stock_client(w, NULL);
            interop_run_until_joined(w, 40 * SB_SECOND);
            interop_stream(w, 150, 40000);
            HOLDS(w, interop_run_until_quiet(w, 60 * SB_SECOND));
            interop_check_streams(w);
            interop_check_all_there(w);
        }
    }
}

/* Sizes and first messages of the datagrams of an idle client. */
typedef struct idle_record {
    sb_endpoint from;
    size_t      sizes[64];
    sb_time     times[64];
    uint8_t     first_type[64];
    size_t      count;
} idle_record;

static void record_idle(void *context, const interop_sight *sight)
{
    idle_record         *record = context;
    sb_transport_message first = { 0 };
    size_t               at = 0;
    if (sight->from.address != record->from.address || record->count == 64) return;
    CHECK(sb_datagram_next(sight->datagram, &at, &first));
    record->first_type[record->count] = first.type;
    record->times[record->count] = sight->at;
    record->sizes[record->count++] = sight->size;
}

/* Spec 01 §6.7 D2, §8.2: three old Acks leave with six NoOps, then the datagram shrinks. */
TEST(idle_stock_datagrams_shrink_to_3_bytes_after_six_noops)
{
    static const uint8_t  first[] = { 0x20, 0x00 };
    sim_stock_host_config config;
    sim_stock_host_defaults(&config);
    config.first_message = (sb_span){ first, sizeof first };
    interop    *w = open_pair(INTEROP_CLEAN, 1, &config, NULL);
    idle_record record = { .from = w->clients[0].address };
    interop_run(w, 3 * SB_SECOND); /* the three early sends of every Ack */
    w->watch = record_idle;
    w->watch_context = &record;
    interop_run(w, 60 * SB_SECOND);
    HOLDS(w, record.count >= 8);
    for (size_t i = 0; i < record.count; i++) {
        EQUALS(w, record.first_type[i], SB_TRANSPORT_NOOP);
        EQUALS(w, record.sizes[i], i < 6 ? 15 : 3);
        sb_time gap = i > 0 ? record.times[i] - record.times[i - 1] : 5 * SB_SECOND;
        HOLDS(w, gap >= 5 * SB_SECOND && gap <= 5 * SB_SECOND + 16000);
    }
}

typedef struct leave_record {
    const interop *w;
    uint16_t       disconnect_seq;
    sb_time        disconnect_at, acks_at[16];
    size_t         disconnects, acks, disconnect_bytes, disconnect_messages;
} leave_record;

static void record_leave(void *context, const interop_sight *sight)
{
    leave_record        *record = context;
    sb_transport_message m;
    for (size_t at = 0; sb_datagram_next(sight->datagram, &at, &m);) {
        if (m.type == SB_TRANSPORT_DISCONNECT) {
            record->disconnects++;
            record->disconnect_at = sight->at;
            record->disconnect_seq = m.seq;
            record->disconnect_bytes = sight->size;
            record->disconnect_messages = sight->datagram->message_count;
        } else if (m.type == SB_TRANSPORT_ACK &&
                   sight->from.address == record->w->host_address.address &&
                   record->disconnects > 0 && m.ack_flags == SB_ACK_LOW_CHANNEL &&
                   m.seq == record->disconnect_seq && record->acks < 16) {
            record->acks_at[record->acks++] = sight->at;
        }
    }
}

/* Spec 01 §8.4: one Disconnect with two old Acks, then seven Acks 0.667 s apart; the host forgets
 * the peer between 4.0 and 4.7 s. */
TEST(a_stock_leave_has_the_timeline_of_the_capture)
{
    interop     *w = open_pair(INTEROP_CLEAN, 1, NULL, NULL);
    leave_record record = { .w = w };
    interop_run(w, 4 * SB_SECOND);
    w->watch = record_leave;
    w->watch_context = &record;
    sim_stock_client_leave(w->clients[0].theirs, w->now);
    interop_run(w, 3900000);
    EQUALS(w, w->stock_host->peers[0].used, true);
    interop_run(w, 6 * SB_SECOND);
    EQUALS(w, record.disconnects, 1);
    EQUALS(w, record.disconnect_seq, 2);
    EQUALS(w, record.disconnect_messages, 3);
    EQUALS(w, record.disconnect_bytes, 2 + 10 + 4 + 4);
    EQUALS(w, record.acks, 7);
    for (size_t i = 1; i < record.acks; i++) {
        sb_time gap = record.acks_at[i] - record.acks_at[i - 1];
        HOLDS(w, gap >= 667000 && gap < 667000 + 34000);
    }
    EQUALS(w, w->clients[0].at_host.left, 1);
    EQUALS(w, w->clients[0].theirs->state, SIM_STOCK_OVER);
    EQUALS(w, w->stock_host->peers[0].used, false);
}

/* Spec 01 §7.1: 418 = 2 + 4 + 412 and 441 = 2 + 412 + 27 bytes. */
TEST(stock_model_cuts_832_bytes_into_the_datagrams_of_the_capture)
{
    interop        *w = open_pair(INTEROP_CLEAN, 1, NULL, NULL);
    interop_client *c = &w->clients[0];
    interop_run(w, 40 * SB_SECOND); /* no old Acks left */
    idle_record record = { .from = c->address };
    w->watch = record_idle;
    w->watch_context = &record;
    (void)interop_send_down(w, c, true, 20);
    while (c->down.received == 0) interop_run(w, 1000);
    record.count = 0; /* ignore an earlier NoOp */
    (void)interop_send_up(w, c, true, 832);
    interop_run(w, SB_SECOND / 2);
    EQUALS(w, record.sizes[0], 418);
    EQUALS(w, record.sizes[1], 441);
    HOLDS(w, record.times[1] - record.times[0] == 16000);
    EQUALS(w, c->up.received, 1);
}

/* Spec 01 §6.5: retransmitted about 1, 3, 6, 10, 15, 20 s after the first send. */
TEST(stock_model_resends_at_1_3_6_10_15_and_20_seconds)
{
    interop       *w = open_pair(INTEROP_CLEAN, 1, NULL, NULL);
    sim_conditions down = { .down = true };
    idle_record    record = { .from = w->clients[0].address };
    interop_run(w, 40 * SB_SECOND);
    interop_set_up_link(w, &w->clients[0], &down);
    w->watch = record_idle;
    w->watch_context = &record;
    (void)interop_send_up(w, &w->clients[0], true, 20);
    interop_run(w, 22 * SB_SECOND);
    static const int after[] = { 0, 1, 3, 6, 10, 15, 20 };
    EQUALS(w, record.count, 7);
    for (size_t i = 0; i < 7; i++) {
        sb_time late = record.times[i] - record.times[0] - after[i] * SB_SECOND;
        HOLDS(w, late >= 0 && late < 200000);
    }
}

TEST(every_defect_of_the_stock_model_can_be_switched_off)
{
    sim_stock_client_config config;
    sim_stock_client_defaults(&config);
    config.stock.nine_acks = config.stock.endless_fragments = false;
    config.stock.reversed_priority = config.stock.early_acks = false;
    config.stock.believes_anyone = config.stock.stops_at_unknown = false;
    interop          *w = open_pair(INTEROP_CLEAN, 1, NULL, &config);
    interop_client   *c = &w->clients[0];
    sim_stock_totals *totals = &c->theirs->totals;
    interop_run_until_joined(w, 5 * SB_SECOND);
    for (int i = 0; i < 20; i++) (void)interop_send_down(w, c, true, 20);
    (void)interop_send_up(w, c, true, 832);
    interop_run(w, 20 * SB_SECOND);
    EQUALS(w, totals->acks_out, 20 + 2); /* D1: Connect response, Name copy and 20, once each */
    EQUALS(w, sim_stock_peer_waiting(&c->theirs->peer), 0); /* D3 */
    sb_endpoint stranger = { 0xC0000201, 22101 };
    uint64_t    in = totals->datagrams_in;
    interop_forge(w, w->host_address, c->address, "01 02 02 06");             /* D7 */
    interop_forge(w, stranger, c->address, "01 01 02");                       /* D6 */
    interop_forge(w, w->host_address, c->address, "01 01 32 06 80 14 40 00"); /* D5: 20 + 0x4000 */
    interop_run(w, SB_SECOND);
    EQUALS(w, totals->datagrams_in - in, 1); /* only the last of the three is accepted */
    EQUALS(w, totals->acked_and_dropped, 1);
    EQUALS(w, totals->acks_out, 20 + 2);
    sim_stock_client_rename(c->theirs, "one"); /* D4 */
    sim_stock_client_rename(c->theirs, "two");
    EQUALS(w, c->theirs->peer.queue->message.seq, 2);
    EQUALS(w, c->theirs->peer.queue->next->message.seq, 3);
}

TEST(defects_of_the_stock_model_show_one_by_one)
{
    interop          *w = open_pair(INTEROP_CLEAN, 1, NULL, NULL);
    interop_client   *c = &w->clients[0];
    sim_stock_totals *totals = &c->theirs->totals;
    interop_run_until_joined(w, 5 * SB_SECOND);
    (void)interop_send_up(w, c, true, 832);
    interop_run(w, 60 * SB_SECOND);
    EQUALS(w, totals->acks_out, 2 * 9);                     /* D1 */
    EQUALS(w, sim_stock_peer_waiting(&c->theirs->peer), 3); /* D3 */
    HOLDS(w, totals->retransmitted >= 3 * 28);
    EQUALS(w, c->up.received, 1);
    EQUALS(w, c->up.repeated, 0);
    sb_endpoint stranger = { 0xC0000201, 22101 };
    uint64_t    in = totals->datagrams_in;
    interop_forge(w, stranger, c->address, "01 01 02");                       /* D6 */
    interop_forge(w, w->host_address, c->address, "01 03 02 06 02");          /* D7 */
    interop_forge(w, w->host_address, c->address, "01 01 32 06 80 00 40 00"); /* D5 */
    uint64_t noops = totals->noops_in;
    interop_run(w, SB_SECOND);
    HOLDS(w, totals->datagrams_in - in >= 3);
    EQUALS(w, totals->noops_in - noops, 2);
    EQUALS(w, totals->unknown_types, 1);
    EQUALS(w, totals->acked_and_dropped, 1);
    EQUALS(w, totals->acks_out, 2 * 9 + 2);
    sim_stock_client_rename(c->theirs, "one"); /* D4 */
    sim_stock_client_rename(c->theirs, "two");
    EQUALS(w, c->theirs->peer.queue->message.seq, 3);
    EQUALS(w, c->theirs->peer.queue->next->message.seq, 2);
}

TEST(without_ack_delay_all_nine_acks_leave_within_six_seconds)
{
    sim_stock_client_config config;
    sim_stock_client_defaults(&config);
    config.stock.acks_wait = false; /* D2 */
    interop *w = open_pair(INTEROP_CLEAN, 1, NULL, &config);
    interop_run_until_joined(w, 5 * SB_SECOND);
    interop_run(w, 5800000); /* 8 * 0.667 s and some ticks */
    EQUALS(w, w->clients[0].theirs->totals.acks_out, 2 * 9);
    EQUALS(w, w->clients[0].theirs->peer.acks == NULL, true);
}
