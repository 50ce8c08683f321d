/* tools/make-sample.c -- writes samples/skirmish.pcap: a short session of two players.
 *
 * For:      a demonstration of `starbase decode`; samples/README.md describes the session.
 * Usage:    make-sample docs/facts/checksum_manifest_vanilla_1_1.csv samples/skirmish.pcap
 *
 * The session is constructed, not captured. If the spec has captured bytes of a message, these
 * bytes are used; the library encodes the other messages. The output is always the same.
 */
#include <starbase/hash.h>
#include <starbase/ship.h>

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/text.h"
#include "sample_flight.h"
#include "sample_manifest.h"
#include "sample_wire.h"

enum { PLAYERS = 2, TICK_US = 100 * 1000, PAYLOAD_MAX = 4096, IDLE_US = 5 * 1000 * 1000 };

typedef struct player {
    link        link;
    ship        ship;
    const char *name;
    uint8_t     slot;
    bool        connected, in_game;
} player;

typedef struct session {
    wire    wire;
    player  players[PLAYERS];
    int64_t next_tick_us;
    uint8_t payload[PAYLOAD_MAX]; /* the next message of the script */
    uint8_t state[PAYLOAD_MAX];   /* the next StateUpdate */
} session;

/* Parses hex digits; the bytes are lent until the next call. */
static sb_span hex(const char *text)
{
    static uint8_t bytes[512];
    size_t         size = 0;
    for (; *text; text++) {
        if (*text == ' ') continue;
        char pair[3] = { text[0], text[1], 0 };
        SB_ASSERT(size < sizeof bytes);
        bytes[size++] = (uint8_t)strtoul(pair, NULL, 16);
        text++;
    }
    return (sb_span){ bytes, size };
}

static size_t encode(const sb_message *m, uint8_t *out, size_t capacity)
{
    size_t    size;
    sb_result result = sb_encode_message(m, NULL, out, capacity, &size);
    SB_ASSERT(result == SB_OK);
    return size;
}

/* ---- time ---- */

static float game_time(const session *s)
{
    int64_t passed_ms = (s->wire.now_us - s->wire.start_us) / 1000;
    return 20.0f + (float)passed_ms / 1000.0f;
}

/* Each client sends the state of its ship to the host. */
static void send_reports(session *s)
{
    for (size_t i = 0; i < PLAYERS; i++) {
        player *p = &s->players[i];
        if (!p->connected || !p->ship.flying) continue;
        ship_move(&p->ship);
        size_t size = ship_report(&p->ship, s->wire.now_us, game_time(s), s->state, PAYLOAD_MAX);
        wire_start(&s->wire, &p->link, false);
        wire_unreliable(&s->wire, (sb_span){ s->state, size });
        wire_send(&s->wire);
        s->wire.now_us += 1300;
    }
}

static bool is_any_ship_flying(const session *s)
{
    for (size_t i = 0; i < PLAYERS; i++)
        if (s->players[i].ship.flying) return true;
    return false;
}

/* The host sends the state of all ships to each player. */
static void send_announcements(session *s)
{
    for (size_t i = 0; i < PLAYERS && is_any_ship_flying(s); i++) {
        player *p = &s->players[i];
        if (!p->connected || !p->in_game) continue;
        wire_start(&s->wire, &p->link, true);
        for (size_t j = 0; j < PLAYERS; j++) {
            ship *about = &s->players[j].ship;
            if (!about->flying) continue;
            size_t size = ship_announce(about, i, i == j, s->wire.now_us, game_time(s), s->state,
                                        PAYLOAD_MAX);
            wire_unreliable(&s->wire, (sb_span){ s->state, size });
        }
        wire_send(&s->wire);
        s->wire.now_us += 400;
    }
}

/* Sends Acks that no other datagram carried, and a NoOp after five seconds of silence (spec 01
 * §8.2). */
static void send_acks_and_noops(session *s)
{
    for (size_t i = 0; i < PLAYERS; i++) {
        player *p = &s->players[i];
        for (int host = 0; host < 2 && p->connected; host++) {
            const direction *l = host ? &p->link.down : &p->link.up;
            bool             idle = s->wire.now_us - l->last_sent_us >= IDLE_US;
            if (!idle && !wire_has_acks(&s->wire, l)) continue;
            wire_start(&s->wire, &p->link, host);
            if (idle) wire_noop(&s->wire);
            wire_send(&s->wire);
            s->wire.now_us += 900;
        }
    }
}

/* Advances the time and sends the periodic messages of each tick. */
static void wait_us(session *s, int64_t us)
{
    int64_t end = s->wire.now_us + us;
    for (; s->next_tick_us < end; s->next_tick_us += TICK_US) {
        if (s->next_tick_us > s->wire.now_us) s->wire.now_us = s->next_tick_us;
        send_reports(s);
        send_announcements(s);
        send_acks_and_noops(s);
    }
    if (end > s->wire.now_us) s->wire.now_us = end;
}

/* Lets the ships fly until `at_ms` after the start. */
static void fly_until(session *s, int64_t at_ms)
{
    wait_us(s, s->wire.start_us + at_ms * 1000 - s->wire.now_us);
}

/* ---- one message per datagram ---- */

static uint16_t send_message(session *s, player *p, bool from_host, sb_span payload)
{
    wire_start(&s->wire, &p->link, from_host);
    uint16_t seq = wire_reliable(&s->wire, payload);
    wire_send(&s->wire);
    wait_us(s, 2200);
    return seq;
}

static void send_to_all(session *s, sb_span payload, const player *but)
{
    for (size_t i = 0; i < PLAYERS; i++)
        if (s->players[i].in_game && &s->players[i] != but)
            send_message(s, &s->players[i], true, payload);
}

/* The client sends the message, the host relays the same bytes (spec 08 §1.2). */
static void send_and_relay(session *s, player *p, sb_span payload)
{
    send_message(s, p, false, payload);
    send_to_all(s, payload, p);
}

static void encode_and_send_to_all(session *s, const sb_message *m)
{
    uint8_t bytes[512];
    size_t  size = encode(m, bytes, sizeof bytes);
    send_to_all(s, (sb_span){ bytes, size }, NULL);
}

/* ---- joining: spec 06 §3, §4 ---- */

typedef struct checksum_round {
    uint8_t     index;
    const char *directory, *filter;
    bool        recursive;
} checksum_round;

static const checksum_round rounds[] = {
    { 0x00, "scripts/", "App.pyc", false },         { 0x01, "scripts/", "Autoexec.pyc", false },
    { 0x02, "scripts/ships", "*.pyc", true },       { 0x03, "scripts/mainmenu", "*.pyc", false },
    { 0xFF, "Scripts/Multiplayer", "*.pyc", true },
};

static size_t write_request(const checksum_round *round, uint8_t *out)
{
    sb_message m = { .opcode = SB_OP_CHECKSUM_REQUEST };
    m.as.checksum_request.index = round->index;
    m.as.checksum_request.directory = sb_text_span(round->directory);
    m.as.checksum_request.filter = sb_text_span(round->filter);
    m.as.checksum_request.recursive = round->recursive;
    return encode(&m, out, PAYLOAD_MAX);
}

static size_t write_response(const manifest *m, const checksum_round *round, uint8_t *out)
{
    size_t  at = 2, length = strlen(round->directory);
    sb_span directory = sb_text_span(round->directory);
    if (round->directory[length - 1] == '/') directory.size--;
    out[0] = SB_OP_CHECKSUM_RESPONSE;
    out[1] = round->index;
    if (round->index == 0) {
        sb_store_u32(out + at, sb_hash_string(sb_text_span("60")));
        at += 4;
    }
    sb_store_u32(out + at, sb_hash_string(directory));
    at += 4;
    return at + manifest_write_tree(m, round->index, "", out + at);
}

/* The first fragment has 405 bytes, the others have 406 (spec 01 §7.1). The first is alone in its
 * datagram, the others share one. */
static void send_in_fragments(session *s, player *p, sb_span payload)
{
    size_t   rest = payload.size - 405;
    uint8_t  total = (uint8_t)(1 + (rest + 405) / 406);
    uint16_t seq = 0;
    for (uint8_t i = 0; i < total; i++) {
        size_t at = i == 0 ? 0 : 405 + (size_t)(i - 1) * 406;
        size_t size = i == 0 ? 405 : payload.size - at < 406 ? payload.size - at : 406;
        if (i < 2) wire_start(&s->wire, &p->link, false);
        if (i == 0) seq = wire_next_number(&s->wire);
        wire_fragment(&s->wire, seq, i, total, (sb_span){ payload.data + at, size });
        if (i == 0 || i + 1 == total) {
            wire_send(&s->wire);
            wait_us(s, 700);
        }
    }
}

static void write_name(const player *p, uint8_t *out, size_t *size)
{
    sb_control c = { .name = { .peer_id = p->link.peer_id, .address = p->link.client.address } };
    uint8_t    wide[64] = { 0 };
    size_t     length = strlen(p->name);
    for (size_t i = 0; i < length; i++) wide[2 * i] = (uint8_t)p->name[i];
    c.name.name = (sb_span){ wide, 2 * length + 2 };
    sb_result result = sb_encode_control(SB_TRANSPORT_NAME, SB_SIDE_CLIENT, &c, out, 128, size);
    SB_ASSERT(result == SB_OK);
}

/* The host sends the newcomer's name to all connected players, including the newcomer; other names
 * go to the newcomer only (spec 06 §4.2). */
static void send_name_to_all(session *s, const player *about, player *newcomer)
{
    uint8_t name[128];
    size_t  size;
    write_name(about, name, &size);
    for (size_t i = 0; i < PLAYERS; i++) {
        if (!s->players[i].connected) continue;
        if (about != newcomer && &s->players[i] != newcomer) continue;
        wire_start(&s->wire, &s->players[i].link, true);
        wire_control(&s->wire, SB_TRANSPORT_NAME, (sb_span){ name, size });
        wire_send(&s->wire);
        wait_us(s, 800);
    }
}

static void connect_player(session *s, player *p, uint8_t peer_id, const char *connect)
{
    uint8_t request[64], name[128];
    size_t  size = write_request(&rounds[0], request), name_size;
    wire_start(&s->wire, &p->link, false);
    wire_control(&s->wire, SB_TRANSPORT_CONNECT, hex(connect));
    wire_send(&s->wire);
    wait_us(s, 2400);
    wire_start(&s->wire, &p->link, true);
    wire_control(&s->wire, SB_TRANSPORT_CONNECT, (sb_span){ &peer_id, 1 });
    wire_reliable(&s->wire, (sb_span){ request, size });
    wire_send(&s->wire);
    p->link.peer_id = peer_id;
    p->connected = true;
    wait_us(s, 7100);
    wire_start(&s->wire, &p->link, false);
    write_name(p, name, &name_size);
    wire_control(&s->wire, SB_TRANSPORT_NAME, (sb_span){ name, name_size });
    wire_send(&s->wire);
    wait_us(s, 1100);
    for (size_t i = 0; i < PLAYERS; i++)
        if (s->players[i].connected && &s->players[i] != p) send_name_to_all(s, &s->players[i], p);
    send_name_to_all(s, p, p);
}

static void check_files(session *s, player *p, const manifest *m)
{
    static uint8_t response[PAYLOAD_MAX];
    uint8_t        request[64];
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        size_t size;
        if (i > 0) {
            size = write_request(&rounds[i], request);
            send_message(s, p, true, (sb_span){ request, size });
        }
        wait_us(s, i == 2 ? 705000 : 1500);
        size = write_response(m, &rounds[i], response);
        if (size > SB_MESSAGE_MAX - 5) send_in_fragments(s, p, (sb_span){ response, size });
        else send_message(s, p, false, (sb_span){ response, size });
    }
}

/* Sends ChecksumComplete, Settings and GameInit in one datagram (spec 06 §4.4). */
static void send_bundle(session *s, player *p)
{
    sb_message m = { .opcode = SB_OP_SETTINGS };
    m.as.settings.game_time = game_time(s);
    m.as.settings.collision_damage = true;
    m.as.settings.slot = p->slot;
    m.as.settings.map = sb_text_span("Multiplayer.Episode.Mission1.Mission1");
    size_t size = encode(&m, s->payload, PAYLOAD_MAX);
    wire_start(&s->wire, &p->link, true);
    wire_reliable(&s->wire, hex("28"));
    wire_reliable(&s->wire, (sb_span){ s->payload, size });
    wire_reliable(&s->wire, hex("01"));
    wire_send(&s->wire);
}

static void enter_game(session *s, player *p)
{
    sb_message joined = { .opcode = SB_OP_PLAYER_LIST };
    joined.as.event = (sb_event){ .event_class = SB_EVENT_PLAYER,
                                  .event_code = SB_CODE_NEW_PLAYER_IN_GAME,
                                  .destination = 0x064F,
                                  .peer_id = p->link.peer_id };
    wait_us(s, 48000);
    send_message(s, p, false, hex("2A 20"));
    wire_start(&s->wire, &p->link, true);
    wire_reliable(&s->wire, hex("35 08 01 FF FF"));
    if (p->link.peer_id > 2)
        wire_reliable(&s->wire, hex("37 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"));
    wire_send(&s->wire);
    wait_us(s, 500);
    p->in_game = true;
    encode_and_send_to_all(s, &joined);
}

/* ---- spawning ---- */

static void send_ship_notice(session *s, uint32_t object_id)
{
    uint8_t notice[5] = { SB_OP_OBJECT_NOT_FOUND };
    sb_store_u32(notice + 1, object_id);
    send_to_all(s, (sb_span){ notice, sizeof notice }, NULL);
}

static void spawn(session *s, player *p, unsigned species, uint32_t object_id, sb_vec3 at,
                  sb_vec3 forward, sb_span creation)
{
    ship_launch(&p->ship, sb_find_ship(sb_stock_ships(), (uint8_t)species), object_id, at, forward);
    if (creation.size == 0) {
        size_t size =
            ship_creation(&p->ship, (int8_t)p->slot, p->link.peer_id, sb_text_span(p->name),
                          sb_text_span("Multi1"), s->payload, PAYLOAD_MAX);
        creation = (sb_span){ s->payload, size };
    }
    send_and_relay(s, p, creation);
    send_ship_notice(s, object_id);
}

/* Captured: spec 07 §2.5. */
#define SOVEREIGN                                                                                  \
    "03 00 02 08 80 00 00 FF FF FF 3F 05 00 00 18 42 00 00 44 C2 00 00 0C C2 52 93 45 3F "         \
    "BB C9 22 BF E2 58 10 B3 25 8D 6C B2 00 00 00 00 00 00 00 05 43 61 64 79 32 06 4D 75 6C "      \
    "74 69 31 FF FF 64 FF FF FF FF FF FF FF 64 FF FF FF FF FF FF 64 FF FF FF FF FF FF FF 64 "      \
    "60 00 FF 64 FF FF FF FF FF FF FF FF FF 64 01 FF FF FF FF FF 64 01 FF FF FF 64 FF"

/* ---- the story ---- */

static void browse(session *s)
{
    sb_endpoint browser = { 0x0A0A0AEFu, 50000 }, all = { 0xFFFFFFFFu, 22101 };
    wire_text(&s->wire, browser, all, "\\status\\");
    wait_us(s, 700);
    wire_text(&s->wire, s->players[0].link.host, browser,
              "\\gamename\\bcommander\\gamever\\60\\location\\1\\hostname\\My Game23\\missionscript"
              "\\Multiplayer.Episode.Mission1.Mission1\\mapname\\DM\\numplayers\\0\\maxplayers\\8"
              "\\gamemode\\openplaying\\timelimit\\-1\\fraglimit\\-2\\system\\Multi1\\password\\0"
              "\\player_0\\Dedicated Server\\final\\\\queryid\\2.1");
}

static void join(session *s, player *p, uint8_t peer_id, const char *connect, const manifest *m)
{
    connect_player(s, p, peer_id, connect);
    check_files(s, p, m);
    send_bundle(s, p);
    enter_game(s, p);
}

/* The host sends a line of chat to all players, including its sender (spec 09 §4). */
static void chat(session *s, player *p, const char *text)
{
    sb_message m = { .opcode = SB_OP_CHAT };
    m.as.chat.sender = p->link.peer_id;
    m.as.chat.text = sb_text_span(text);
    size_t size = encode(&m, s->payload, PAYLOAD_MAX);
    send_message(s, p, false, (sb_span){ s->payload, size });
    send_to_all(s, (sb_span){ s->payload, size }, NULL);
}

/* A stock client sends StartFiring once per bank. Captured: spec 08 §7.1, §7.2. */
static void fire_phasers(session *s, player *p)
{
    send_and_relay(s, p,
                   hex("07 28 81 00 00 D8 00 80 00 00 00 00 00 05 00 00 40 "
                       "00 00 00 00 00 00 00 00"));
    send_and_relay(s, p,
                   hex("07 28 81 00 00 D8 00 80 00 00 00 00 00 07 00 00 40 "
                       "00 00 00 00 00 00 00 00"));
}

static void stop_phasers(session *s, player *p)
{
    send_and_relay(s, p, hex("08 01 01 00 00 DA 00 80 00 00 00 00 00 05 00 00 40"));
    send_and_relay(s, p, hex("08 01 01 00 00 DA 00 80 00 00 00 00 00 07 00 00 40"));
}

/* A message of the client is lost before the capture point: the next message shows a gap, which the
 * retransmission fills. */
static void lose_and_repeat(session *s, player *p, int64_t until_ms)
{
    const char *lost = "12 05 01 00 00 E0 00 80 00 00 00 00 00 19 00 00 40 02";
    wire_start(&s->wire, &p->link, false);
    uint16_t seq = wire_reliable(&s->wire, hex(lost));
    wire_lose(&s->wire);
    wait_us(s, 40000);
    send_message(s, p, false,
                 hex("0D 0C 01 00 00 58 00 80 00 00 00 00 00 FF FF FF 3F FF FF 03 40"));
    fly_until(s, until_ms);
    wire_start(&s->wire, &p->link, false);
    wire_retransmit(&s->wire, hex(lost), seq);
    wire_send(&s->wire);
    wait_us(s, 2000);
    send_to_all(s, hex(lost), p);
}

/* A message of the host is lost after the capture point, so the capture has it twice. */
static void repeat_unacknowledged(session *s, player *p, int64_t until_ms)
{
    const char *text = "06 01 01 00 00 DF 00 80 00 02 00 00 40 18 00 00 40";
    uint16_t    seq = send_message(s, p, true, hex(text));
    p->link.up.ack_count--; /* the client did not receive it */
    fly_until(s, until_ms);
    wire_start(&s->wire, &p->link, true);
    wire_retransmit(&s->wire, hex(text), seq);
    wire_send(&s->wire);
    wait_us(s, 2000);
}

/* Sends two datagrams in the wrong order. */
static void swap_two(session *s, player *p)
{
    wire_start(&s->wire, &p->link, false);
    uint16_t first = wire_next_number(&s->wire);
    wire_reliable(&s->wire, hex("0A 04 01 00 00 DD 00 80 00 00 00 00 00 01 00 04 40 01"));
    wire_send(&s->wire);
    wait_us(s, 600);
    wire_start(&s->wire, &p->link, false);
    wire_retransmit(&s->wire, hex("0A 04 01 00 00 DD 00 80 00 00 00 00 00 01 00 04 40 00"), first);
    wire_send(&s->wire);
    wait_us(s, 2000);
    send_to_all(s, hex("0A 04 01 00 00 DD 00 80 00 00 00 00 00 01 00 04 40 00"), p);
    send_to_all(s, hex("0A 04 01 00 00 DD 00 80 00 00 00 00 00 01 00 04 40 01"), p);
}

/* The Sovereign explodes: explosion, score and repair list (spec 08 §16). The wreck flies on. */
static void destroy_sovereign(session *s, player *victim)
{
    sb_message score = { .opcode = SB_OP_SCORE_CHANGE };
    score.as.score_change.killer = 3;
    score.as.score_change.kills = 1;
    score.as.score_change.score = 1180;
    score.as.score_change.victim = 2;
    score.as.score_change.deaths = 1;
    memset(victim->ship.condition, 0, sizeof victim->ship.condition);
    memset(victim->ship.facings, 0, sizeof victim->ship.facings);
    send_to_all(
        s, hex("06 29 81 00 00 4E 00 80 00 FF FF 03 40 FF FF FF 3F 03 00 00 00 00 00 18 41"), NULL);
    encode_and_send_to_all(s, &score);
    send_to_all(s, hex("06 01 01 00 00 DF 00 80 00 02 00 00 40 18 00 00 40"), NULL);
    send_to_all(s, hex("06 0C 01 00 00 75 00 80 00 18 00 00 40 FF FF FF 3F 1C 00 00 40"), NULL);
}

/* A Bird of Prey fires both cannons. */
static void fire_cannons(session *s, player *p)
{
    sb_message m = { .opcode = SB_OP_PULSE_FIRE };
    for (uint32_t i = 0; i < 2; i++) {
        m.as.pulse_fire = (sb_pulse_fire){ .weapon = p->ship.object_id + 1 + 4 + i,
                                           .projectile_type = 2,
                                           .direction = sb_encode_cv3(p->ship.forward),
                                           .flags = 0x01 | SB_PULSE_HAS_TARGET,
                                           .target = 0x4003FFFF };
        size_t size = encode(&m, s->payload, PAYLOAD_MAX);
        send_and_relay(s, p, (sb_span){ s->payload, size });
    }
}

static void leave(session *s, player *p, player *other)
{
    uint8_t    payload[8];
    size_t     size;
    sb_message text = { .opcode = SB_OP_PLAYER_LEFT_TEXT };
    sb_control c = { .disconnect = { p->link.peer_id, p->link.client.address } };
    sb_result  result = sb_encode_control(SB_TRANSPORT_DISCONNECT, SB_SIDE_CLIENT, &c, payload,
                                          sizeof payload, &size);
    SB_ASSERT(result == SB_OK);
    wire_start(&s->wire, &p->link, false);
    wire_control(&s->wire, SB_TRANSPORT_DISCONNECT, (sb_span){ payload, size });
    wire_send(&s->wire);
    p->ship.flying = p->in_game = false;
    wait_us(s, 2800);
    wire_start(&s->wire, &p->link, true);
    wire_send(&s->wire);
    p->connected = false;
    if (!other->connected) return;
    wire_start(&s->wire, &other->link, true);
    wire_control(&s->wire, SB_TRANSPORT_DISCONNECT, (sb_span){ payload, size });
    wire_send(&s->wire);
    text.as.player_left.name = sb_text_span(p->name);
    encode_and_send_to_all(s, &text);
}

static void fight(session *s, player *a, player *b)
{
    chat(s, a, "hello");
    fly_until(s, 11500);
    a->ship.turn = 0.05f;
    fire_phasers(s, a);
    fly_until(s, 12200);
    stop_phasers(s, a);
    b->ship.facings[0] = 0xB0;
    send_and_relay(s, a, hex("19 07 00 00 40 03 01 00 7F 00 FF FF 03 40 00 85 1E 83"));
    fly_until(s, 12600);
    b->ship.facings[0] = 0x42;
    b->ship.turn = -0.08f;
    lose_and_repeat(s, a, 13640);
    swap_two(s, b);
    fly_until(s, 14000);
    repeat_unacknowledged(s, a, 15010);
    send_message(s, a, false,
                 hex("15 24 81 00 00 50 00 80 00 00 00 00 00 FF FF FF 3F 01 0D 7E 00 D9 "
                     "BB 20 A0 44"));
    a->ship.condition[0] = 0x91;
    send_to_all(s, hex("06 0C 01 00 00 74 00 80 00 18 00 00 40 FF FF FF 3F 0D 00 00 40"), NULL);
    fly_until(s, 15800);
    send_and_relay(s, b, hex("1B 05 01 00 00 FE 00 80 00 00 00 00 00 05 00 04 40 01"));
    destroy_sovereign(s, a);
    fly_until(s, 17500);
}

static void second_life(session *s, player *a, player *b)
{
    a->ship.flying = false;
    fly_until(s, 18200);
    spawn(s, a, 6, 0x40000024, (sb_vec3){ -20, 35, 12 }, (sb_vec3){ 0, 1, 0 }, (sb_span){ 0 });
    a->ship.hash = 0xB0B0;
    a->ship.speed = 5.5f;
    fly_until(s, 18850);
    a->ship.cloak = true;
    fly_until(s, 19550);
    a->ship.cloak = false;
    fly_until(s, 20050);
    fire_cannons(s, a);
    fly_until(s, 20600);
    leave(s, b, a);
    fly_until(s, 21500);
    leave(s, a, b);
    for (int i = 0; i < 6; i++) { /* the host sends its last Ack seven times (spec 01 §8.4) */
        wait_us(s, 667000);
        wire_start(&s->wire, &a->link, true);
        wire_send(&s->wire);
    }
}

static void init_session(session *s)
{
    static const sb_endpoint host = { 0x0A0A0A01u, 22101 };
    s->players[0] = (player){ .name = "Cady2", .slot = 0 };
    s->players[1] = (player){ .name = "Kira", .slot = 1 };
    s->players[0].link = (link){ host, { 0x0A0A0AEFu, 50001 }, SB_PEER_NONE };
    s->players[1].link = (link){ host, { 0x0A0A0AC4u, 50002 }, SB_PEER_NONE };
    s->next_tick_us = s->wire.start_us;
}

int main(int argc, char **argv)
{
    static session  s;
    static manifest m;
    if (argc != 3) {
        fprintf(stderr, "usage: make-sample MANIFEST.csv OUTPUT.pcap\n");
        return 2;
    }
    manifest_load(&m, argv[1]);
    wire_open(&s.wire, argv[2], INT64_C(1014940800000000)); /* 1 March 2002 */
    init_session(&s);
    player *a = &s.players[0], *b = &s.players[1];
    browse(&s);
    fly_until(&s, 500);
    join(&s, a, 2, "0A 0A 0A EF F9 78 00 00 00 00", &m);
    fly_until(&s, 8000); /* the player chooses a ship: only NoOps and repeated Acks */
    spawn(&s, a, 5, 0x3FFFFFFF, (sb_vec3){ 38, -49, -35 }, (sb_vec3){ 0, 1, 0 }, hex(SOVEREIGN));
    a->ship.hash = 0x1701;
    a->ship.speed = 3;
    fly_until(&s, 9000);
    join(&s, b, 3, "0A 0A 0A C4 5F 0A 00 00 00 00", &m);
    send_message(&s, b, true, hex(SOVEREIGN));
    fly_until(&s, 10500);
    spawn(&s, b, 1, 0x4003FFFF, (sb_vec3){ 88, -66, -73 }, (sb_vec3){ 0.6f, 0.8f, 0 },
          (sb_span){ 0 });
    b->ship.hash = 0xFB37;
    b->ship.speed = 4;
    fly_until(&s, 11000);
    fight(&s, a, b);
    second_life(&s, a, b);
    wire_close(&s.wire);
    printf("%s: %zu datagrams, %zu bytes\n", argv[2], s.wire.datagrams, s.wire.bytes);
    return 0;
}
