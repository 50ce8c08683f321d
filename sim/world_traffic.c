/* sim/world_traffic.c -- test messages: generates them, and checks those that arrive.
 *
 * For:      sim/world.c.
 *
 * The bytes of a message follow from session, direction, delivery and number. The receiver
 * computes the same bytes again to check a message, so no message needs to be stored. The number is
 * first in the message, so that even messages of one byte differ from their neighbours.
 */
#include "sim/world_internal.h"

#include "transport/testing.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER_BYTES = 8, SEARCH_RANGE = 600 };

static void write_content(uint8_t *out, const sim_session *session, int way, bool reliable,
                          uint32_t number, size_t size)
{
    sb_random random;
    uint32_t  seat = way == SIM_DOWN ? session->seats : 0;
    uint8_t   kind = (uint8_t)(seat << 2 | (uint32_t)(way << 1 | (int)reliable));
    uint8_t   header[HEADER_BYTES] = { (uint8_t)number,         (uint8_t)(number >> 8),
                                       (uint8_t)session->index, kind,
                                       (uint8_t)size,           (uint8_t)(size >> 8),
                                       (uint8_t)(size >> 16),   0x77 };
    sb_random_init(&random, (uint64_t)number << 32 | session->index << 2 |
                                (uint32_t)(way << 1 | (int)reliable));
    for (size_t at = HEADER_BYTES; at < size; at += 8) {
        uint64_t word = sb_random_next(&random);
        memcpy(out + at, &word, size - at < 8 ? size - at : 8);
    }
    memcpy(out, header, size < HEADER_BYTES ? size : HEADER_BYTES);
}

static bool match_content(sim_world *world, const sim_session *session, int way, bool reliable,
                          uint32_t number, size_t size, sb_span bytes)
{
    if (bytes.size != size) return false;
    write_content(world->scratch, session, way, reliable, number, size);
    return size == 0 || memcmp(world->scratch, bytes.data, size) == 0;
}

/* Grows the array when `count` entries fill it: at 0, 16 and each power of two after that. */
static void *grow(void *array, uint32_t count, size_t bytes)
{
    if (count != 0 && (count < 16 || (count & (count - 1)) != 0)) return array;
    array = realloc(array, (count == 0 ? 16 : (size_t)count * 2) * bytes);
    if (!array) abort();
    return array;
}

/* ---- Sending -------------------------------------------------------------------------------- */

static bool becomes_reliable(sb_delivery delivery, size_t size)
{
    return delivery == SB_RELIABLE || size > SB_MESSAGE_MAX - 5; /* spec 01 §7.1 */
}

static uint64_t fragments_of(size_t size)
{
    if (size <= SB_MESSAGE_MAX - 5) return 1;
    return 1 + (size - (SB_MESSAGE_MAX - 7) + SB_MESSAGE_MAX - 7) / (SB_MESSAGE_MAX - 6);
}

static void record_reliable(sim_ledger *ledger, sb_time now, size_t size)
{
    uint16_t seq = ledger->next_seq++;
    ledger->fragments += fragments_of(size);
    if (size == 0) return; /* has a sequence number, but is not delivered (spec 01 §4.11) */
    ledger->messages = grow(ledger->messages, ledger->sent, sizeof *ledger->messages);
    ledger->messages[ledger->sent++] =
        (sim_sent){ .size = (uint32_t)size, .seq = seq, .time = now };
}

static void record_unreliable(sim_ledger *ledger, size_t size)
{
    if (size == 0) {
        ledger->unreliable_empty++;
        return;
    }
    uint32_t count = ledger->unreliable_sent;
    ledger->unreliable_sizes =
        grow(ledger->unreliable_sizes, count, sizeof *ledger->unreliable_sizes);
    ledger->unreliable_seen = grow(ledger->unreliable_seen, count, sizeof *ledger->unreliable_seen);
    ledger->unreliable_sizes[count] = (uint32_t)size;
    ledger->unreliable_seen[count] = 0;
    ledger->unreliable_sent++;
}

static void forget_forged_numbers(sim_session *session, int way)
{
    session->ledger[way].usurped = false;
    memset(session->usurped[way], 0, sizeof session->usurped[way]);
    memset(session->questions[way], 0, sizeof session->questions[way]);
}

static void forget_true_numbers(sim_session *session, int way, uint16_t next_seq)
{
    session->ledger[way].next_seq = next_seq;
    memset(session->arrived[way], 0, sizeof session->arrived[way]);
    memset(session->lost[way], 0, sizeof session->lost[way]);
    memset(session->skipped[way], 0, sizeof session->skipped[way]);
}

/* The numbers of this direction now belong to other messages, the next one has `next_seq`: forgets
 * all records about them. */
static void forget_numbers(sim_session *session, int way, uint16_t next_seq)
{
    forget_true_numbers(session, way, next_seq);
    forget_forged_numbers(session, way);
}

/* Sets the sequence numbers of both ends at the same moment, while neither has stored messages
 * (transport/testing.h). */
static void set_numbers(sim_world *world, sim_session *session)
{
    const uint16_t *first = world->plan->clients[session->slot].first_number;
    sb_peer_info    here, there;
    /* The host may still have a forged seat at the address of the client. */
    if (session->host_id != sb_transport_client_id(session->client)) return;
    if (!sb_transport_client_peer(session->client, &here) || here.stored > 0) return;
    if (!sb_transport_host_peer(world->host, session->host_id, &there) || there.stored > 0) return;
    session->numbers_pending = false;
    for (int way = 0; way < SIM_DIRECTIONS; way++) {
        forget_numbers(session, way, first[way]);
        sim_forget_forged(world, session, way);
    }
    sb_transport_client_set_numbers(session->client, first[SIM_UP], first[SIM_DOWN]);
    sb_transport_host_set_numbers(world->host, session->host_id, first[SIM_DOWN], first[SIM_UP]);
}

/* Sets the first numbers of the session if that is due; false: the session cannot send now. */
static bool prepare_to_send(sim_world *world, sim_session *session, int way)
{
    if (session->numbers_pending) {
        if (!sim_session_is_live(session) || session->leaving || session->exempt) return false;
        set_numbers(world, session);
        if (session->numbers_pending) return false;
    }
    if (way == SIM_DOWN) return session->host_present && !session->booted && !world->host_stopping;
    return session->running && session->joined && !session->left && !session->leaving;
}

static size_t free_bytes_of(const sim_world *world, const sim_session *session, int way)
{
    return way == SIM_UP ? sb_transport_client_free_bytes(session->client)
                         : sb_transport_host_free_bytes(world->host, session->host_id);
}

/* No free bytes: not even an empty message fits, because it needs a cell, too. */
static bool has_capacity(const sim_world *world, const sim_session *session, int way, size_t size)
{
    size_t free_bytes = free_bytes_of(world, session, way);
    return free_bytes > 0 && free_bytes >= size;
}

static void check_sent(sim_world *world, sim_session *session, int way, sb_result result,
                       bool reliable, bool fits)
{
    if (result == SB_OK) return;
    if (result == SB_FULL && !reliable) return;
    if (result == SB_FULL && !fits) {
        session->ledger[way].overfull = true;
        return;
    }
    sim_violation(world, "messages that fit are accepted", "session %u %s: %s", session->index,
                  way == SIM_UP ? "up" : "down", sb_result_name(result));
}

static void drain_events(sim_world *world, sim_session *session, int way)
{
    if (way == SIM_UP) sim_session_drain_events(world, session);
    else sim_host_drain_events(world);
}

void sim_traffic_send(sim_world *world, sim_session *session, int way, sb_delivery delivery,
                      size_t size)
{
    drain_events(world, session, way); /* a timer may have ended the session just now */
    if (world->outcome->failed || !prepare_to_send(world, session, way)) return;
    sim_ledger *ledger = &session->ledger[way];
    bool        reliable = becomes_reliable(delivery, size);
    bool        fits = !reliable || has_capacity(world, session, way, size);
    if (!fits && !sim_plan_has(world->plan, SIM_HAS_RECKLESS)) return;
    write_content(world->scratch, session, way, reliable,
                  reliable ? ledger->sent : ledger->unreliable_sent, size);
    sb_span   message = { world->scratch, size };
    sb_result result =
        way == SIM_UP ? sb_transport_client_send(session->client, delivery, message)
                      : sb_transport_host_send(world->host, session->host_id, delivery, message);
    sim_trace_line(world->trace, world->now, "session %u %s: sends %s, %zu bytes: %s",
                   session->index, way == SIM_UP ? "up" : "down",
                   reliable ? "reliable" : "unreliable", size, sb_result_name(result));
    check_sent(world, session, way, result, reliable, fits);
    if (result == SB_OK && reliable) record_reliable(ledger, world->now, size);
    if (result == SB_OK && !reliable) record_unreliable(ledger, size);
    drain_events(world, session, way); /* LEFT, if the message did not fit */
    sim_wake(world, way == SIM_UP ? &session->party : &world->host_party);
}

void sim_traffic_send_large(sim_world *world, sim_session *session, int way, size_t size)
{
    size_t free_bytes = free_bytes_of(world, session, way);
    if (free_bytes < size && !sim_plan_has(world->plan, SIM_HAS_RECKLESS)) size = free_bytes;
    sim_traffic_send(world, session, way, SB_RELIABLE, size);
}

/* ---- Flows ---------------------------------------------------------------------------------- */

static size_t draw_size(const sim_world *world, sim_session *session, bool reliable)
{
    static const size_t edges[] = { 405, 406, 407, 408, 409, 810, 811, 812, 813, 1217, 1218 };
    sb_random          *random = &session->random;
    uint32_t            draw = sb_random_below(random, 100);
    size_t              size = sb_random_below(random, 51);
    uint32_t            more = sb_random_below(random, 408 - 51);
    uint32_t            edge = sb_random_below(random, sizeof edges / sizeof *edges);
    if (sim_plan_has(world->plan, SIM_HAS_MEDIUM)) {
        if (draw < 15) size = 51 + more;
        if (draw >= 15 && draw < 18) size = edges[edge];
    }
    if (reliable) return size;
    /* An unreliable message needs its whole header, because it is recognised in any order. 408 and
     * 409 bytes are avoided: they fit into one message if it is unreliable, but not if reliable, so
     * the endpoint may send them either way. */
    if (size > 0 && size < HEADER_BYTES) size += HEADER_BYTES;
    return size == 408 || size == 409 ? 410 : size;
}

static sb_time draw_gap(sb_random *random, sb_time mean)
{
    uint64_t draw = sb_random_next(random);
    if (mean <= 0) return SB_TIME_NEVER;
    return 1 + (sb_time)(draw % (uint64_t)(2 * mean));
}

static sb_time later(sb_time now, sb_time gap)
{
    return gap == SB_TIME_NEVER ? SB_TIME_NEVER : now + gap;
}

void sim_traffic_start(sim_world *world, sim_session *session)
{
    const sim_client_plan *plan = &world->plan->clients[session->slot];
    for (int way = 0; way < SIM_DIRECTIONS; way++) {
        const sim_flow *flow = &plan->flow[way];
        session->next_reliable[way] =
            later(world->now, draw_gap(&session->random, flow->reliable_gap_us));
        session->next_unreliable[way] =
            later(world->now, draw_gap(&session->random, flow->unreliable_gap_us));
    }
}

sb_time sim_traffic_next(const sim_session *session)
{
    sb_time next = SB_TIME_NEVER;
    for (int way = 0; way < SIM_DIRECTIONS; way++) {
        if (session->next_reliable[way] < next) next = session->next_reliable[way];
        if (session->next_unreliable[way] < next) next = session->next_unreliable[way];
    }
    return next;
}

void sim_traffic_advance(sim_world *world, sim_session *session)
{
    for (int way = 0; way < SIM_DIRECTIONS; way++) {
        const sim_flow *flow = &world->plan->clients[session->slot].flow[way];
        if (session->next_reliable[way] <= world->now) {
            sim_traffic_send(world, session, way, SB_RELIABLE, draw_size(world, session, true));
            session->next_reliable[way] =
                later(world->now, draw_gap(&session->random, flow->reliable_gap_us));
        }
        if (session->next_unreliable[way] <= world->now) {
            sim_traffic_send(world, session, way, SB_UNRELIABLE, draw_size(world, session, false));
            session->next_unreliable[way] =
                later(world->now, draw_gap(&session->random, flow->unreliable_gap_us));
        }
    }
}

void sim_traffic_bulk(sim_world *world, sim_session *session, int way, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        bool reliable = sb_random_below(&session->random, 10) > 0;
        sim_traffic_send(world, session, way, reliable ? SB_RELIABLE : SB_UNRELIABLE,
                         draw_size(world, session, reliable));
    }
}

/* The client has taken all of these for messages of its new seat. */
static void record_taken_numbers(sim_session *session, int way)
{
    const sim_ledger *ledger = &session->ledger[way];
    for (uint32_t i = 0; i < ledger->received; i++)
        sim_record_usurped(session, way, ledger->messages[i].seq);
}

static void note_short(sim_session *session, const sim_ledger *ledger)
{
    for (uint32_t i = 0; i < ledger->sent; i++) {
        uint32_t size = ledger->messages[i].size;
        if (size <= SIM_SHORT_BYTES)
            session->short_before[size - 1][i % 256 / 8] |= (uint8_t)(1u << i % 8);
    }
}

/* The client's own messages are all for this seat: it sends none before it knows its id. A client
 * that learned the id before the host gave it the seat may have accepted forged messages, and late
 * ones of its earlier seat: those used up numbers of this seat. */
void sim_traffic_start_anew(sim_session *session, uint8_t id)
{
    sim_ledger *down = &session->ledger[SIM_DOWN];
    note_short(session, down);
    if (session->joined && sb_transport_client_id(session->client) == id)
        record_taken_numbers(session, SIM_DOWN);
    else forget_forged_numbers(session, SIM_DOWN);
    session->seats++;
    down->sent = down->received = 0;
    down->unreliable_sent = down->unreliable_next = 0;
    down->seen_at = 0;
    forget_true_numbers(session, SIM_DOWN, 0);
}

/* ---- Receiving ------------------------------------------------------------------------------ */

/* Reports a message that was not expected: it was delivered before, comes too early, or was never
 * sent. */
static void report_wrong(sim_world *world, sim_session *session, int way, sb_span bytes)
{
    const sim_ledger *ledger = &session->ledger[way];
    uint32_t          next = ledger->received;
    uint32_t          first = next > SEARCH_RANGE ? next - SEARCH_RANGE : 0;
    const char       *direction = way == SIM_UP ? "up" : "down";
    for (uint32_t i = first; i < ledger->sent && i < next + SEARCH_RANGE; i++) {
        if (!match_content(world, session, way, true, i, ledger->messages[i].size, bytes)) continue;
        sim_violation(
            world, i < next ? "reliable messages come once" : "reliable messages keep order",
            "session %u %s: message %u came when %u was due", session->index, direction, i, next);
        return;
    }
    sim_violation(world, "reliable messages stay intact",
                  "session %u %s: message %u of %u, %u bytes, came as %zu other bytes",
                  session->index, direction, next, ledger->sent,
                  next < ledger->sent ? ledger->messages[next].size : 0, bytes.size);
}

/* True: the receiver may deliver later messages before this one, or without it: it was lost to an
 * Ack, or a forged message used up its number. */
static bool may_be_skipped(const sim_session *session, int way, uint32_t message)
{
    return sim_may_be_lost(session, way, message) || sim_may_be_late(session, way, message);
}

/* True: the message is a later one, and all before it may be skipped. They count as lost until they
 * come; that is bounded over all seeds (main.c). */
static bool skip_missing(sim_world *world, sim_session *session, int way, sb_span bytes)
{
    sim_ledger *ledger = &session->ledger[way];
    uint32_t    next = ledger->received;
    while (next + 1 < ledger->sent && may_be_skipped(session, way, next)) {
        next++;
        if (!match_content(world, session, way, true, next, ledger->messages[next].size, bytes))
            continue;
        for (; ledger->received < next; ledger->received++) {
            sim_trace_line(world->trace, world->now, "session %u %s: number %u is missing",
                           session->index, way == SIM_UP ? "up" : "down",
                           ledger->messages[ledger->received].seq);
            sim_record_skipped(session, way, ledger->received);
            world->outcome->lost++;
        }
        ledger->received++;
        return true;
    }
    return false;
}

/* True: the message was skipped, and comes now. */
static bool take_late(sim_world *world, sim_session *session, int way, sb_span bytes)
{
    const sim_ledger *ledger = &session->ledger[way];
    uint32_t          next = ledger->received;
    for (uint32_t i = next > SEARCH_RANGE ? next - SEARCH_RANGE : 0; i < next; i++) {
        if (!match_content(world, session, way, true, i, ledger->messages[i].size, bytes)) continue;
        if (!sim_take_skipped(session, way, i)) continue;
        world->outcome->lost--; /* as skip_missing counted it */
        world->outcome->late++;
        return true;
    }
    return false;
}

/* True: the message is too short to name its seat, and none of this seat was due, but the host sent
 * such a one to an earlier seat. */
static bool is_short_of_earlier_seat(const sim_session *session, int way, sb_span bytes)
{
    if (way != SIM_DOWN || bytes.size == 0 || bytes.size > SIM_SHORT_BYTES) return false;
    return session->short_before[bytes.size - 1][bytes.data[0] / 8] >> bytes.data[0] % 8 & 1;
}

/* True: the message consists of fragments that contradicted others. */
static bool is_of_lies(const sim_session *session, int way, sb_span bytes)
{
    return way == SIM_UP && session->has_lied_in_fragments && bytes.size > 0 &&
           bytes.size % SIM_LIE_BYTES == 0;
}

static void receive_reliable(sim_world *world, sim_session *session, int way, sb_span bytes)
{
    sim_ledger *ledger = &session->ledger[way];
    uint32_t    next = ledger->received;
    if (next < ledger->sent &&
        match_content(world, session, way, true, next, ledger->messages[next].size, bytes)) {
        ledger->received++;
        world->outcome->reliable++;
        if (ledger->usurped) ledger->exposed_at = world->now;
        ledger->usurped = false;
        return;
    }
    if (sim_take_question(session, way, bytes)) {
        world->outcome->injected[SB_RELIABLE]++;
        ledger->usurped = true;
        return;
    }
    if (skip_missing(world, session, way, bytes) || take_late(world, session, way, bytes)) return;
    if (is_short_of_earlier_seat(session, way, bytes)) return;
    if (is_of_lies(session, way, bytes)) {
        sim_exempt(world, session, SIM_EXEMPT_RANDOM_LIAR, "its fragments make a whole message");
        return;
    }
    report_wrong(world, session, way, bytes);
}

static bool may_repeat(const sim_plan *plan)
{
    return sim_plan_has(plan, SIM_HAS_DUPLICATES) || sim_plan_has(plan, SIM_HAS_REPLAY);
}

static bool may_overtake(const sim_plan *plan)
{
    return may_repeat(plan) || sim_plan_has(plan, SIM_HAS_JITTER) ||
           sim_plan_has(plan, SIM_HAS_REORDER);
}

static void receive_unreliable(sim_world *world, sim_session *session, int way, sb_span bytes)
{
    sim_ledger *ledger = &session->ledger[way];
    const char *direction = way == SIM_UP ? "up" : "down";
    if (bytes.size == 0 && ledger->unreliable_empty > 0) return;
    uint32_t number = bytes.size >= 2 ? bytes.data[0] | (uint32_t)bytes.data[1] << 8 : UINT32_MAX;
    if (number >= ledger->unreliable_sent ||
        !match_content(world, session, way, false, number, ledger->unreliable_sizes[number],
                       bytes)) {
        sim_violation(world, "unreliable messages stay intact", "session %u %s: %zu bytes",
                      session->index, direction, bytes.size);
        return;
    }
    if (ledger->unreliable_seen[number]++ > 0 && !may_repeat(world->plan))
        sim_violation(world, "unreliable messages are sent once", "session %u %s: number %u",
                      session->index, direction, number);
    if (number < ledger->unreliable_next && !may_overtake(world->plan))
        sim_violation(world, "unreliable messages are sent in order", "session %u %s: number %u",
                      session->index, direction, number);
    ledger->unreliable_next = number + 1;
    world->outcome->unreliable++;
}

bool sim_is_of_earlier_seat(const sim_session *session, sb_span bytes)
{
    return bytes.size > SIM_SHORT_BYTES && bytes.data[2] == (uint8_t)session->index &&
           bytes.data[3] >> 2 < session->seats;
}

void sim_traffic_receive(sim_world *world, sim_session *session, int way,
                         const sb_transport_event *event)
{
    sim_trace_mix_bytes(world->trace, event->bytes);
    if (session->exempt) return;
    if (way == SIM_DOWN && sim_is_of_earlier_seat(session, event->bytes)) return;
    if (event->delivery == SB_RELIABLE) receive_reliable(world, session, way, event->bytes);
    else receive_unreliable(world, session, way, event->bytes);
}
