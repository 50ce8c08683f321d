/* src/run/house_room.c -- the bots of one room: sessions, names, who joins and who leaves.
 *
 * In this order: names, sessions, the step of a bot, who is needed.
 *
 * Tests:    tests/run/house_test.c
 */
#include "run/house_room.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/assert.h"
#include "base/random.h"
#include "base/text.h"
#include "platform/clock.h"

enum {
    CHECK_US = 100000, /* between two looks at seats, names and fights */
    JOIN_INTERVAL_US = 150000,
    RETURN_US = 3000000, /* a seat stays free this long before a bot takes it again */
    RETRY_US = 5000000,  /* after a join that failed */
    RECEIVED_MAX = 512,  /* datagrams of one room in one turn */
    FIRST_PORT = 1024,
    CLAIMED_ADDRESS = 0x0A4D0000, /* 10.77.0.x: what players are told (spec 01 §4.6) */
};

/* The address of every bot's host: clients only compare it. */
static const sb_endpoint host_endpoint = { 0x7F000001, 22101 };

/* ---- names ---- */

static const char *const house_names[] = {
    "Bot Altair", "Bot Antares", "Bot Arcturus", "Bot Bellatrix", "Bot Canopus", "Bot Capella",
    "Bot Castor", "Bot Deneb",   "Bot Mira",     "Bot Pollux",    "Bot Procyon", "Bot Regulus",
    "Bot Rigel",  "Bot Sirius",  "Bot Spica",    "Bot Vega",
};
enum { HOUSE_NAMES = sizeof house_names / sizeof *house_names };

/* The names of the list, then the same with a number, and so on. */
static void write_name(const sb_house_settings *s, uint32_t nth, char *out, size_t capacity)
{
    uint32_t    count = s->name_count ? s->name_count : HOUSE_NAMES, turn = nth / count;
    const char *name = s->name_count ? s->names[nth % count] : house_names[nth % count];
    if (turn == 0) snprintf(out, capacity, "%s", name);
    else snprintf(out, capacity, "%.*s %u", SB_HOUSE_NAME_MAX - 1, name, turn + 1);
}

/* Does a player have this name whom the bot sees? */
static bool sees_name(const sb_house_bot *bot, const char *name)
{
    for (unsigned i = 0; i < SB_CLIENT_PLAYERS; i++) {
        const sb_seen_player *p = sb_client_player(bot->client, i);
        if (p && p->used && p->peer_id != sb_client_id(bot->client) &&
            strcasecmp(p->name, name) == 0)
            return true;
    }
    return false;
}

static bool is_name_taken(const sb_house_room *r, const char *name)
{
    for (uint32_t i = 0; i < r->bot_count; i++) {
        const sb_house_bot *bot = &r->bots[i];
        if (!bot->client || bot->is_removed) continue;
        if (strcasecmp(bot->name, name) == 0 || sees_name(bot, name)) return true;
    }
    return false;
}

/* Each bot has a name of its own that it keeps, unless somebody else has it. */
static void choose_name(const sb_house_room *r, sb_house_bot *bot)
{
    enum { TRIES = 4 * SB_HOUSE_NAMES_MAX };
    uint32_t own = (uint32_t)(bot - r->bots);
    for (uint32_t i = 0; i < TRIES; i++) {
        write_name(&r->settings, own + i, bot->name, sizeof bot->name);
        if (!is_name_taken(r, bot->name)) return;
    }
}

/* ---- sessions ---- */

static void client_config(const sb_ship_set *ships, sb_client_config *out)
{
    sb_client_defaults(out);
    out->ships = ships;
}

size_t sb_house_room_client_bytes(const sb_ship_set *ships)
{
    sb_client_config config;
    client_config(ships, &config);
    return sb_client_bytes(&config);
}

/* A ship of the room's own set; 0: a stock ship, another one for each life. */
static uint8_t choose_species(const sb_ship_set *set, uint64_t draw)
{
    size_t selectable = 0;
    for (size_t i = 0; set && i < set->count; i++) selectable += set->ships[i].selectable;
    if (selectable == 0 || set == sb_stock_ships()) return 0;
    uint64_t nth = draw % selectable;
    for (size_t i = 0; i < set->count; i++)
        if (set->ships[i].selectable && nth-- == 0) return set->ships[i].species;
    return 0;
}

static void start_pilot(const sb_house_room *r, sb_house_bot *bot, sb_time now)
{
    sb_pilot_config config;
    sb_pilot_defaults(&config);
    config.seed = sb_clock_seed();
    config.skill = r->settings.skill;
    config.species = choose_species(r->ships, config.seed);
    sb_pilot_init(&bot->pilot, &config, now);
}

static void start_bot(sb_house_room *r, sb_house_bot *bot, sb_time now)
{
    uint32_t         number = (uint32_t)(bot - r->bots) + 1;
    uint8_t          name[2 * SB_NAME_UNITS];
    sb_client_config config;
    SB_ASSERT(!bot->client && bot->memory);
    choose_name(r, bot);
    client_config(r->ships, &config);
    bot->address = (sb_endpoint){ number, (uint16_t)(FIRST_PORT + r->sessions++ % 0xF000) };
    config.transport.server = host_endpoint;
    config.transport.local_address = CLAIMED_ADDRESS + number;
    config.transport.local_port = bot->address.port;
    config.transport.seed = sb_clock_seed();
    config.transport.name = (sb_span){ name, sb_utf16_from_utf8(bot->name, name, SB_NAME_UNITS) };
    bot->client = sb_client_init(bot->memory, &config, now);
    start_pilot(r, bot, now);
    bot->is_due = true;
    bot->has_joined = bot->is_leaving = bot->has_seat = bot->is_removed = false;
    bot->shots = 0;
    bot->shields = 0;
    bot->fought_at = now - 3600 * SB_SECOND;
}

static void make_leave(sb_house_bot *bot, sb_time now)
{
    sb_client_leave(bot->client, now);
    bot->is_leaving = bot->is_due = true;
}

/* ---- the step of a bot ---- */

static void receive_datagrams(sb_house_room *r, sb_time now)
{
    sb_endpoint to;
    sb_span     datagram;
    for (int i = 0; i < RECEIVED_MAX; i++) {
        if (!sb_datagram_ring_next(r->link->from_room, &to, &datagram)) return;
        sb_house_bot *bot =
            to.address >= 1 && to.address <= r->bot_count ? &r->bots[to.address - 1] : NULL;
        if (bot && bot->client && bot->address.port == to.port) { /* not of an earlier session */
            (void)!sb_client_receive(bot->client, now, host_endpoint, datagram);
            bot->is_due = true;
        }
        sb_datagram_ring_pop(r->link->from_room);
    }
}

static bool send_datagrams(sb_house_room *r, sb_house_bot *bot, sb_time now)
{
    uint8_t out[SB_DATAGRAM_MAX];
    size_t  size;
    bool    sent = false;
    while ((size = sb_client_write(bot->client, now, out))) {
        (void)sb_datagram_ring_push(r->link->to_room, bot->address, (sb_span){ out, size });
        sent = true;
    }
    return sent;
}

static void end_bot(sb_house_room *r, sb_house_bot *bot, sb_time now)
{
    if (!bot->has_joined && !bot->is_leaving && r->join_at < now + RETRY_US)
        r->join_at = now + RETRY_US;
    bot->client = NULL;
}

/* A client believes a Boot only when its host has fallen silent (spec 01 §10), but the house knows
 * at once who has lost a seat. A closing room waits for the answers to its goodbye. */
static void note_seat(sb_house_room *r, sb_house_bot *bot, sb_time now)
{
    bool has_seat = sb_house_link_is_seated(r->link, bot->address);
    bool lost = bot->has_seat && !has_seat && !r->is_closed;
    if (lost && !bot->is_leaving && r->join_at < now + RETURN_US) r->join_at = now + RETURN_US;
    if (lost) bot->is_removed = bot->is_leaving = true;
    bot->has_seat = has_seat;
}

/* True: the bot has sent something. */
static bool step_bot(sb_house_room *r, sb_house_bot *bot, sb_time now)
{
    if (!bot->is_due && now < bot->deadline) return false;
    bot->is_due = false;
    sb_client_advance(bot->client, now);
    if (!bot->is_leaving) sb_pilot_step(&bot->pilot, bot->client, now);
    bool            sent = send_datagrams(r, bot, now);
    sb_client_phase phase = sb_client_phase_of(bot->client);
    bot->has_joined |= phase == SB_CLIENT_LOBBY || phase == SB_CLIENT_FLYING;
    bot->deadline = sb_client_next_deadline(bot->client);
    sb_time pilot = sb_pilot_next_deadline(&bot->pilot);
    if (!bot->is_leaving && pilot < bot->deadline) bot->deadline = pilot;
    if (sb_client_is_over(bot->client)) end_bot(r, bot, now);
    return sent;
}

/* ---- who is needed ---- */

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t sb_house_wanted_bots(const sb_house_settings *settings, const sb_server_seats *seats)
{
    uint32_t fill = smaller(settings->fill, seats->limit);
    uint32_t free = seats->limit > seats->others ? seats->limit - seats->others : 0;
    if (!settings->always && seats->people == 0) return 0;
    /* A change of the operator waits until the room is empty. */
    if (seats->wants_empty && seats->others == 0) return 0;
    return fill > seats->people ? smaller(fill - seats->people, free) : 0;
}

static float shields_of(const sb_house_bot *bot)
{
    const sb_seen_ship *own = sb_client_own_ship(bot->client);
    float               sum = 0;
    for (unsigned i = 0; own && i < SB_FACINGS; i++) sum += own->ship.facing[i];
    return sum;
}

static void note_fight(sb_house_bot *bot, sb_time now)
{
    float shields = shields_of(bot);
    if (bot->pilot.shots != bot->shots || shields < bot->shields) bot->fought_at = now;
    bot->shots = bot->pilot.shots;
    bot->shields = shields;
}

/* The bot whose last fight is longest ago; better one that is not in the game yet. */
static sb_house_bot *choose_leaver(sb_house_room *r)
{
    sb_house_bot *best = NULL;
    for (uint32_t i = 0; i < r->bot_count; i++) {
        sb_house_bot *bot = &r->bots[i];
        if (!bot->client || bot->is_leaving) continue;
        if (!best || (best->has_joined && !bot->has_joined) ||
            (best->has_joined == bot->has_joined && bot->fought_at < best->fought_at))
            best = bot;
    }
    return best;
}

static sb_house_bot *find_free_bot(sb_house_room *r)
{
    for (uint32_t i = 0; i < r->bot_count; i++)
        if (!r->bots[i].client) return &r->bots[i];
    for (uint32_t i = 0; i < r->bot_count; i++)
        if (r->bots[i].is_removed) {
            r->bots[i].client = NULL;
            return &r->bots[i];
        }
    return NULL;
}

/* Looks at all bots; returns how many stay. One leaves whose name somebody else has: it comes back
 * under another. */
static uint32_t check_bots(sb_house_room *r, sb_time now)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->bot_count; i++) {
        sb_house_bot *bot = &r->bots[i];
        if (!bot->client || bot->is_leaving) continue;
        note_fight(bot, now);
        if (bot->has_joined && sees_name(bot, bot->name)) make_leave(bot, now);
        else count++;
    }
    return count;
}

/* A seat that has become free waits for people for a while. */
static void update_wanted(sb_house_room *r, sb_time now)
{
    sb_server_seats seats;
    sb_house_link_seats(r->link, &seats);
    uint32_t wanted = smaller(sb_house_wanted_bots(&r->settings, &seats), r->bot_count);
    if (r->is_fresh) r->join_at = now;
    else if (wanted > r->wanted && r->join_at < now + RETURN_US) r->join_at = now + RETURN_US;
    r->is_fresh = false;
    r->wanted = wanted;
}

static void adjust(sb_house_room *r, sb_time now)
{
    update_wanted(r, now);
    uint32_t present = check_bots(r, now);
    for (; present > r->wanted; present--) make_leave(choose_leaver(r), now);
    if (present >= r->wanted || r->is_closed || now < r->join_at) return;
    sb_house_bot *next = find_free_bot(r);
    if (!next) return;
    start_bot(r, next, now);
    r->join_at = now + JOIN_INTERVAL_US;
}

bool sb_house_room_run(sb_house_room *r, sb_time now)
{
    bool sent = false, present = false;
    receive_datagrams(r, now);
    for (uint32_t i = 0; i < r->bot_count; i++)
        if (r->bots[i].client) note_seat(r, &r->bots[i], now);
    if (r->is_fresh || now >= r->check_at) {
        adjust(r, now);
        r->check_at = now + CHECK_US;
    }
    for (uint32_t i = 0; i < r->bot_count; i++) {
        if (r->bots[i].client) sent |= step_bot(r, &r->bots[i], now);
        present |= r->bots[i].client != NULL;
    }
    if (sent) sb_house_link_wake(r->link);
    return present;
}
