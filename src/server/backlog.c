/* src/server/backlog.c -- relayed messages that wait until their receivers' queues have space.
 *
 * After a stall of the network a bunch of messages arrives at once. A copy for every receiver would
 * need more memory than the queues have, so a message that does not fit is stored here once, with
 * one bit for each receiver that still needs it.
 *
 * For:      send.c, which adds messages; server.c, which passes them on as Acks free memory.
 * Never:    changes the order of the messages relayed to one receiver. A full backlog drops its
 *           oldest message, whose receivers are those that have not read for longest.
 * Spec:     08 §17; docs/decisions/room-fairness.md.
 * Tests:    tests/server/backlog_test.c, stall_test.c
 */
#include "server/server_internal.h"

#include "base/assert.h"
#include "base/bytes.h"

#include <string.h>

/* Before each message in the ring; the next entry starts at a multiple of 4. A message never wraps:
 * an entry without receivers fills the end of the ring. */
typedef struct waiting_message {
    uint16_t receivers; /* a bit for each slot */
    uint16_t size;
} waiting_message;

enum { HEADER = sizeof(waiting_message) };

static uint32_t entry_bytes(size_t size)
{
    return HEADER + (uint32_t)((size + 3) / 4 * 4);
}

static waiting_message load(const sb_backlog *b, uint32_t at)
{
    waiting_message m;
    memcpy(&m, b->bytes + at, sizeof m);
    return m;
}

static void store(sb_backlog *b, uint32_t at, waiting_message m)
{
    memcpy(b->bytes + at, &m, sizeof m);
}

static uint32_t next_entry(const sb_backlog *b, uint32_t at)
{
    return (at + entry_bytes(load(b, at).size)) % b->capacity;
}

void sb_backlog_init(sb_backlog *b, uint8_t *bytes, uint32_t capacity)
{
    SB_ASSERT(capacity % 4 == 0 && capacity > HEADER);
    *b = (sb_backlog){ .bytes = bytes, .capacity = capacity };
}

static void count_receivers(sb_backlog *b, uint16_t receivers, bool added)
{
    for (size_t i = 0; i < SB_SERVER_PLAYERS_MAX; i++)
        if (receivers >> i & 1) b->waiting[i] += added ? 1 : (uint32_t)-1;
}

/* Removes the oldest entry and returns the receivers that have not got it. */
static uint16_t remove_oldest(sb_backlog *b)
{
    SB_ASSERT(b->used > 0);
    waiting_message m = load(b, b->first);
    b->first = next_entry(b, b->first);
    b->used -= entry_bytes(m.size);
    count_receivers(b, m.receivers, false);
    return m.receivers;
}

static unsigned count_bits(uint16_t bits)
{
    unsigned count = 0;
    for (; bits; bits &= (uint16_t)(bits - 1)) count++;
    return count;
}

/* Appends an entry; the caller has made space for it. */
static void append(sb_backlog *b, uint16_t receivers, sb_span bytes)
{
    uint32_t at = (b->first + b->used) % b->capacity;
    store(b, at, (waiting_message){ receivers, (uint16_t)bytes.size });
    if (bytes.data) memcpy(b->bytes + at + HEADER, bytes.data, bytes.size);
    b->used += entry_bytes(bytes.size);
    count_receivers(b, receivers, true);
}

/* Bytes from the end of the newest entry to the end of the ring. */
static uint32_t bytes_to_end(const sb_backlog *b)
{
    return b->capacity - (b->first + b->used) % b->capacity;
}

unsigned sb_backlog_add(sb_backlog *b, uint16_t receivers, sb_span bytes)
{
    unsigned dropped = 0;
    if (bytes.size > BACKLOG_MESSAGE_MAX || entry_bytes(bytes.size) > b->capacity)
        return count_bits(receivers);
    uint32_t needed = entry_bytes(bytes.size), end = bytes_to_end(b);
    uint32_t filler = end < needed ? end : 0;
    while (b->used > 0 && b->used + filler + needed > b->capacity)
        dropped += count_bits(remove_oldest(b));
    if (b->used == 0) b->first = filler = 0;
    if (filler) append(b, 0, (sb_span){ NULL, filler - HEADER });
    append(b, receivers, bytes);
    return dropped;
}

/* Removes those of `receivers` that wait for the message. */
static void remove_receivers(sb_backlog *b, uint32_t at, uint16_t receivers)
{
    waiting_message m = load(b, at);
    count_receivers(b, m.receivers & receivers, false);
    m.receivers &= (uint16_t)~receivers;
    store(b, at, m);
}

void sb_backlog_forget(sb_backlog *b, size_t slot)
{
    for (uint32_t at = b->first; b->waiting[slot] > 0; at = next_entry(b, at))
        remove_receivers(b, at, (uint16_t)(1u << slot));
}

/* The object id of a creation: after opcode, slot, class and, in 0x03, the peer id (spec 07 §2). 0:
 * another message. */
static uint32_t created_object(const sb_backlog *b, uint32_t at)
{
    const uint8_t *bytes = b->bytes + at + HEADER;
    bool           player_ship = bytes[0] == SB_OP_PLAYER_OBJECT_CREATE;
    size_t         offset = player_ship ? 7 : 6;
    if (!player_ship && bytes[0] != SB_OP_OBJECT_CREATE) return 0;
    return load(b, at).size >= offset + 4 ? sb_load_u32(bytes + offset) : 0;
}

void sb_backlog_forget_object(sb_backlog *b, uint32_t object_id)
{
    uint32_t at = b->first;
    for (uint32_t past = 0; past < b->used; at = next_entry(b, at)) {
        waiting_message m = load(b, at);
        past += entry_bytes(m.size);
        if (m.receivers && created_object(b, at) == object_id) remove_receivers(b, at, m.receivers);
    }
}

/* Receivers that could take a short message now. */
static uint16_t find_ready(const sb_server *s)
{
    uint16_t ready = 0;
    for (size_t i = 0; i < s->capacity; i++)
        if (s->backlog.waiting[i] > 0 && sb_player_is_in_game(&s->players[i]) &&
            sb_server_can_queue(s, &s->players[i], 1, RELAY_QUEUE_RESERVE))
            ready |= (uint16_t)(1u << i);
    return ready;
}

/* Passes one entry on; returns the receivers whose queues had no space for it. */
static uint16_t pass_on(sb_server *s, uint32_t at, uint16_t ready)
{
    sb_backlog     *b = &s->backlog;
    waiting_message m = load(b, at);
    sb_span         bytes = { b->bytes + at + HEADER, m.size };
    uint16_t        refused = 0, sent = 0;
    for (size_t i = 0; i < s->capacity; i++) {
        uint16_t bit = (uint16_t)(1u << i);
        if (!(m.receivers & ready & bit)) continue;
        if (sb_server_can_queue(s, &s->players[i], m.size, RELAY_QUEUE_RESERVE)) {
            sb_server_send_bytes(s, &s->players[i], bytes);
            SB_COUNT(s->counters, SB_SERVER_COUNT_RELAYED);
            sent |= bit;
        } else {
            refused |= bit;
        }
    }
    remove_receivers(b, at, sent);
    return refused;
}

void sb_server_advance_backlog(sb_server *s)
{
    sb_backlog *b = &s->backlog;
    uint16_t    ready = find_ready(s);
    uint32_t    at = b->first;
    for (uint32_t past = 0; ready && past < b->used; at = next_entry(b, at)) {
        past += entry_bytes(load(b, at).size);
        ready &= (uint16_t)~pass_on(s, at, ready);
    }
    while (b->used > 0 && load(b, b->first).receivers == 0) (void)remove_oldest(b);
}

void sb_backlog_check(const sb_backlog *b)
{
    uint32_t waiting[SB_SERVER_PLAYERS_MAX] = { 0 }, past = 0;
    SB_ASSERT(b->used <= b->capacity);
    SB_ASSERT(b->first < b->capacity && b->first % 4 == 0);
    for (uint32_t at = b->first; past < b->used; at = next_entry(b, at)) {
        waiting_message m = load(b, at);
        SB_ASSERT(at + entry_bytes(m.size) <= b->capacity);
        past += entry_bytes(m.size);
        for (size_t i = 0; i < SB_SERVER_PLAYERS_MAX; i++) waiting[i] += m.receivers >> i & 1;
    }
    SB_ASSERT(past == b->used);
    for (size_t i = 0; i < SB_SERVER_PLAYERS_MAX; i++) SB_ASSERT(waiting[i] == b->waiting[i]);
}
