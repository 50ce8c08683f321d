/* src/run/tally.c -- counts chat lines and changes of speed between the players of rooms.
 *
 * For:      tally.h. In this order: creation, messages, lines, changes.
 * Spec:     03 §2 (StateUpdate), 09 §4 (chat).
 * Tests:    tests/run/tally_test.c
 */
#include "run/tally.h"

#include <starbase/message.h>
#include <starbase/ship_state.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "wire/reader.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINES_KEPT = 64,    /* lines of a player whose arrivals still count: a minute */
    CHANGES_KEPT = 128, /* changes of a player: 12 s and more */
    CV3_BYTES = 3,
    CV4_BYTES = 5,
};

typedef struct line {
    sb_time sent;
    uint16_t
        missing; /* a bit for each player of the room who is expected to hear it, and has not */
} line;

typedef struct change {
    sb_time  sent;
    uint16_t code;
} change;

typedef struct player {
    bool     in_game;
    uint8_t  peer_id;
    uint32_t lines, changes; /* how many of each were sent */
    uint16_t code;           /* speed code in the last update of the player's ship */
    line     line[LINES_KEPT];
    change   change[CHANGES_KEPT];
    /* For each player of the room: how many changes of that player had been sent up to the last
     * one that this player saw. */
    uint32_t seen[SB_TALLY_PLAYERS_MAX];
} player;

struct sb_tally {
    bool    open;
    size_t  players, count; /* of a room, of all rooms */
    player *player;
    /* The object id of each player's ship; 0: none yet. Apart from the players, because it is read
     * for every received update: the ids of a room are in one line of the cache. */
    uint32_t     *ship;
    sb_tally_sums sums;
};

/* ---- creation ---- */

sb_tally *sb_tally_create(size_t rooms, size_t players)
{
    SB_ASSERT(players > 0 && players <= SB_TALLY_PLAYERS_MAX);
    sb_tally *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->players = players;
    t->count = rooms * players;
    t->player = calloc(t->count, sizeof *t->player);
    t->ship = calloc(t->count, sizeof *t->ship);
    if (t->player && t->ship) return t;
    sb_tally_destroy(t);
    return NULL;
}

void sb_tally_destroy(sb_tally *t)
{
    if (!t) return;
    free(t->player);
    free(t->ship);
    free(t);
}

void sb_tally_set_open(sb_tally *t, bool open)
{
    t->open = open;
}

const sb_tally_sums *sb_tally_sums_of(const sb_tally *t)
{
    return &t->sums;
}

void sb_tally_add(sb_tally_sums *sums, const sb_tally_sums *more)
{
    sums->lines_sent += more->lines_sent;
    sums->lines_expected += more->lines_expected;
    sums->lines_heard += more->lines_heard;
    sums->changes_sent += more->changes_sent;
    sums->changes_expected += more->changes_expected;
    sb_latency_merge(&sums->chat, &more->chat);
    sb_latency_merge(&sums->state, &more->state);
}

/* ---- players of a room ---- */

/* The first player of the room of player `index`. */
static player *room_of(sb_tally *t, size_t index)
{
    SB_ASSERT(index < t->count);
    return &t->player[index / t->players * t->players];
}

/* The players of the room who are in the game, except number `self`. */
static uint16_t listeners(const sb_tally *t, const player *room, size_t self)
{
    unsigned bits = 0;
    for (size_t i = 0; i < t->players; i++)
        if (room[i].in_game && i != self) bits |= 1u << i;
    return (uint16_t)bits;
}

static unsigned count_bits(uint16_t bits)
{
    return (unsigned)__builtin_popcount(bits);
}

void sb_tally_enter(sb_tally *t, size_t index, uint8_t peer_id)
{
    player *p = &room_of(t, index)[index % t->players];
    p->in_game = true;
    p->peer_id = peer_id;
}

/* ---- messages ---- */

/* False: no mark. */
static bool read_mark(sb_span message, int32_t *sender, sb_time *sent)
{
    sb_message m;
    uint64_t   value = 0;
    if (sb_decode_message(message, NULL, &m, NULL) != SB_OK) return false;
    sb_span text = m.as.chat.text;
    if (text.size != SB_TALLY_MARK_BYTES || text.data[0] != '@') return false;
    for (size_t i = 1; i < SB_TALLY_MARK_BYTES; i++) {
        uint8_t c = text.data[i];
        bool    digit = c >= '0' && c <= '9', letter = c >= 'a' && c <= 'f';
        if (!digit && !letter) return false;
        value = value << 4 | (uint64_t)(digit ? c - '0' : c - 'a' + 10);
    }
    *sender = m.as.chat.sender;
    *sent = (sb_time)value;
    return true;
}

/* Reads only what leads to the speed: most of the traffic are these messages. False: the update has
 * no speed. */
static bool read_speed(sb_span message, uint32_t *ship, uint16_t *code)
{
    uint8_t   groups[SB_GROUPS_MAX];
    sb_reader r;
    sb_reader_init(&r, message, groups);
    (void)sb_reader_read_u8(&r);
    *ship = sb_reader_read_u32(&r);
    (void)sb_reader_read_u32(&r);
    uint8_t flags = sb_reader_read_u8(&r);
    if (!(flags & SB_STATE_SPEED)) return false;
    if (flags & SB_STATE_POS) {
        for (unsigned i = 0; i < 3; i++) (void)sb_reader_read_u32(&r);
        if (sb_reader_read_bit(&r)) (void)sb_reader_read_u16(&r);
    }
    unsigned skipped = (flags & SB_STATE_DELTA ? CV4_BYTES : 0u) +
                       (flags & SB_STATE_FWD ? CV3_BYTES : 0u) +
                       (flags & SB_STATE_UP ? CV3_BYTES : 0u);
    while (skipped-- > 0) (void)sb_reader_read_u8(&r);
    *code = sb_reader_read_u16(&r);
    return r.status == SB_OK;
}

/* ---- lines ---- */

static void send_line(sb_tally *t, player *room, size_t self, sb_time sent)
{
    player *p = &room[self];
    if (!t->open) return;
    line *l = &p->line[p->lines++ % LINES_KEPT];
    *l = (line){ sent, listeners(t, room, self) };
    t->sums.lines_sent++;
    t->sums.lines_expected += count_bits(l->missing);
}

static player *find_sender(const sb_tally *t, player *room, int32_t peer_id)
{
    for (size_t i = 0; i < t->players; i++)
        if (room[i].in_game && room[i].peer_id == peer_id) return &room[i];
    return NULL;
}

static line *find_line(player *p, sb_time sent)
{
    for (uint32_t i = 0; i < LINES_KEPT && i < p->lines; i++) {
        line *l = &p->line[(p->lines - 1 - i) % LINES_KEPT];
        if (l->sent == sent) return l;
    }
    return NULL;
}

static void receive_line(sb_tally *t, player *room, size_t self, sb_time now, sb_span message)
{
    int32_t sender;
    sb_time sent;
    if (!read_mark(message, &sender, &sent)) return;
    player *p = find_sender(t, room, sender);
    line   *l = p ? find_line(p, sent) : NULL;
    if (!l || !(l->missing & 1u << self)) return;
    l->missing &= (uint16_t) ~(1u << self);
    t->sums.lines_heard++;
    sb_latency_add(&t->sums.chat, now - sent);
}

/* None of `bits` is expected to hear the lines of `p` any more. */
static void withdraw(sb_tally *t, player *p, uint16_t bits)
{
    for (unsigned i = 0; i < LINES_KEPT && i < p->lines; i++) {
        t->sums.lines_expected -= count_bits(p->line[i].missing & bits);
        p->line[i].missing &= (uint16_t)~bits;
    }
}

void sb_tally_leave(sb_tally *t, size_t index)
{
    player *room = room_of(t, index);
    size_t  self = index % t->players;
    if (!room[self].in_game) return;
    for (size_t i = 0; i < t->players; i++)
        withdraw(t, &room[i], i == self ? UINT16_MAX : (uint16_t)(1u << self));
    room[self].in_game = false;
}

/* ---- changes ---- */

/* The first code of a ship is no change. */
static void send_speed(sb_tally *t, player *room, size_t self, sb_time now, sb_span message)
{
    uint32_t  ship;
    uint16_t  code;
    player   *p = &room[self];
    uint32_t *known = &t->ship[p - t->player];
    if (!read_speed(message, &ship, &code)) return;
    bool changed = *known == ship && p->code != code;
    *known = ship;
    p->code = code;
    if (!changed || !t->open) return;
    p->change[p->changes++ % CHANGES_KEPT] = (change){ now, code };
    t->sums.changes_sent++;
    t->sums.changes_expected += count_bits(listeners(t, room, self));
}

/* The ids of a player's ships are those of the player's slot, and no other player has them. */
static player *find_owner(const sb_tally *t, player *room, uint32_t ship)
{
    const uint32_t *ships = &t->ship[room - t->player];
    for (size_t i = 0; i < t->players; i++)
        if (ships[i] == ship) return &room[i];
    return NULL;
}

/* The first change after the last one that was seen. A code that has been seen is still in force
 * until another one comes: it is no later change to the same speed. */
static void receive_speed(sb_tally *t, player *room, size_t self, sb_time now, sb_span message)
{
    uint32_t ship;
    uint16_t code;
    if (!read_speed(message, &ship, &code) || ship == 0) return;
    player *p = find_owner(t, room, ship);
    if (!p || p == &room[self]) return;
    uint32_t *seen = &room[self].seen[p - room];
    uint32_t  kept = p->changes < CHANGES_KEPT ? p->changes : CHANGES_KEPT;
    bool      known = *seen > 0 && p->changes - *seen < kept;
    if (known && p->change[(*seen - 1) % CHANGES_KEPT].code == code) return;
    for (uint32_t at = known ? *seen : p->changes - kept; at < p->changes; at++) {
        if (p->change[at % CHANGES_KEPT].code != code) continue;
        sb_latency_add(&t->sums.state, now - p->change[at % CHANGES_KEPT].sent);
        *seen = at + 1;
        return;
    }
}

/* ---- what comes in ---- */

void sb_tally_sent(sb_tally *t, size_t index, sb_time now, sb_span message)
{
    player *room = room_of(t, index);
    size_t  self = index % t->players;
    int32_t sender;
    sb_time sent;
    if (message.size == 0) return;
    if (message.data[0] == SB_OP_STATE_UPDATE) send_speed(t, room, self, now, message);
    else if (message.data[0] == SB_OP_CHAT && read_mark(message, &sender, &sent))
        send_line(t, room, self, sent);
}

void sb_tally_received(sb_tally *t, size_t index, sb_time now, sb_span message)
{
    player *room = room_of(t, index);
    size_t  self = index % t->players;
    if (message.size == 0) return;
    if (message.data[0] == SB_OP_STATE_UPDATE) receive_speed(t, room, self, now, message);
    else if (message.data[0] == SB_OP_CHAT) receive_line(t, room, self, now, message);
}
