/* src/server/report.c -- what leaves a room: messages to players, events to whoever runs it. */
#include "server/server_internal.h"

#include "base/utf8.h"
#include "base/windows1252.h"

#include <string.h>

static const char *const event_names[SB_SERVER_EVENT_TYPES] = {
    [SB_SERVER_CONNECTED] = "connected",
    [SB_SERVER_NAMED] = "named",
    [SB_SERVER_FILES_DIFFER] = "files-differ",
    [SB_SERVER_CHECKED] = "checked",
    [SB_SERVER_JOIN_FAILED] = "join-failed",
    [SB_SERVER_CONNECT_REFUSED] = "connect-refused",
    [SB_SERVER_KICKED] = "kicked",
    [SB_SERVER_JOINED] = "joined",
    [SB_SERVER_LEFT] = "left",
    [SB_SERVER_CHAT] = "chat",
    [SB_SERVER_TEAM] = "team",
    [SB_SERVER_SPAWNED] = "spawned",
    [SB_SERVER_KILLED] = "killed",
    [SB_SERVER_SCORE] = "score",
    [SB_SERVER_MATCH_OVER] = "match-over",
    [SB_SERVER_MATCH_STARTED] = "match-started",
    [SB_SERVER_SUSPICIOUS] = "suspicious",
    [SB_SERVER_REFUSED] = "refused",
    [SB_SERVER_COMBAT] = "combat",
    [SB_SERVER_STOPPED] = "stopped",
};

static const char *const phase_texts[SB_PLAYER_PHASES] = {
    [SB_PLAYER_FREE] = "free",
    [SB_PLAYER_WAITING] = "waiting",
    [SB_PLAYER_CHECKING] = "checking files",
    [SB_PLAYER_SYNCING] = "checking mission",
    [SB_PLAYER_LOADING] = "loading",
    [SB_PLAYER_LOBBY] = "choosing a ship",
    [SB_PLAYER_FLYING] = "flying",
    [SB_PLAYER_REFUSED] = "leaving",
};

static const sb_counter_text counters[] = { SB_SERVER_COUNTERS(SB_COUNTER_ROW) };

const char *sb_server_event_name(sb_server_event_type type)
{
    return type < SB_SERVER_EVENT_TYPES ? event_names[type] : "unknown";
}

const char *sb_player_phase_text(sb_player_phase phase)
{
    return phase < SB_PLAYER_PHASES ? phase_texts[phase] : "unknown";
}

const char *sb_server_counter_name(sb_server_counter counter)
{
    return counter < SB_SERVER_COUNTER_COUNT ? counters[counter].name : "unknown";
}

const char *sb_server_counter_text(sb_server_counter counter)
{
    return counter < SB_SERVER_COUNTER_COUNT ? counters[counter].text : "unknown counter";
}

/* ---- texts ---- */

/* Appends one code point if it fits, and leaves out what could confuse a terminal or a log. */
static size_t put_code_point(uint32_t c, char *out, size_t at, size_t capacity)
{
    if (c < 0x20 || (c >= 0x7F && c < 0xA0)) c = ' ';
    if (c >= 0xD800 && c < 0xE000) c = 0xFFFD;
    char   utf8[4];
    size_t size = sb_utf8_write(utf8, c);
    if (at + size >= capacity) return at;
    memcpy(out + at, utf8, size);
    return at + size;
}

/* Reads one code point; lone surrogates come out as they are. */
static uint32_t next_utf16(sb_span text, size_t *at)
{
    uint32_t unit = (uint32_t)(text.data[*at] | text.data[*at + 1] << 8);
    *at += 2;
    if (unit < 0xD800 || unit >= 0xDC00 || *at + 2 > text.size) return unit;
    uint32_t low = (uint32_t)(text.data[*at] | text.data[*at + 1] << 8);
    if (low < 0xDC00 || low >= 0xE000) return unit;
    *at += 2;
    return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
}

size_t sb_utf8_from_utf16(sb_span text, char *out, size_t capacity)
{
    size_t size = 0;
    for (size_t at = 0; at + 2 <= text.size;)
        size = put_code_point(next_utf16(text, &at), out, size, capacity);
    out[size] = 0;
    return size;
}

size_t sb_utf8_from_windows1252(sb_span text, char *out, size_t capacity)
{
    size_t size = 0;
    for (size_t i = 0; i < text.size; i++)
        size = put_code_point(sb_windows1252_code_point(text.data[i]), out, size, capacity);
    out[size] = 0;
    return size;
}

size_t sb_windows1252_from_utf16(sb_span text, uint8_t *out, size_t capacity)
{
    size_t size = 0;
    for (size_t at = 0; at + 2 <= text.size && size < capacity; size++)
        if (!sb_windows1252_byte(next_utf16(text, &at), &out[size])) out[size] = '?';
    return size;
}

/* ---- events ---- */

sb_server_event sb_server_event_about(const sb_server *s, sb_server_event_type type,
                                      const sb_player *p)
{
    sb_server_event event = { .type = type, .now = s->now };
    if (p) {
        event.peer_id = p->peer_id;
        event.slot = (uint8_t)(p - s->players);
        event.address = p->address;
    }
    return event;
}

void sb_server_report(const sb_server *s, const sb_server_event *event, const sb_player *p)
{
    if (!s->config.on_event) return;
    sb_server_event told = *event;
    char            name[96] = "";
    if (p) sb_utf8_from_utf16((sb_span){ p->name, p->name_size }, name, sizeof name);
    told.name = sb_text_span(name);
    s->config.on_event(s->config.event_context, &told);
}

void sb_server_report_text(const sb_server *s, sb_server_event_type type, const sb_player *p,
                           const char *text)
{
    sb_server_event event = sb_server_event_about(s, type, p);
    event.text = sb_text_span(text);
    sb_server_report(s, &event, p);
}

void sb_server_refuse(sb_server *s, const sb_player *p, sb_server_counter why, sb_span bytes)
{
    s->counters[why]++;
    sb_server_event event = sb_server_event_about(s, SB_SERVER_REFUSED, p);
    event.value = why;
    event.bytes = bytes;
    event.text = sb_text_span(sb_server_counter_text(why));
    sb_server_report(s, &event, p);
}

/* How often within 10 s a bad link can make it look so: what was lost comes later, and together
 * with what was said meanwhile. */
static const uint8_t patience[SB_IMPLAUSIBLE_COUNT] = {
    [SB_IMPLAUSIBLE_COLLISION_RATE] = 4,
    [SB_IMPLAUSIBLE_TORPEDO_RATE] = 4,
    [SB_IMPLAUSIBLE_PULSE_RATE] = 8,
    [SB_IMPLAUSIBLE_WEAPON_GATE] = 4,
    [SB_IMPLAUSIBLE_ARC] = 4,
    [SB_IMPLAUSIBLE_RANGE] = 4,
};

static bool is_bad_luck(sb_doubt *doubt, sb_time now, unsigned most)
{
    if (doubt->count == 0 || now - doubt->since >= 10 * SB_SECOND)
        *doubt = (sb_doubt){ .since = now, .quiet_until = doubt->quiet_until };
    return ++doubt->count <= most;
}

void sb_server_report_implausible(sb_server *s, sb_player *p, sb_implausible what)
{
    sb_doubt *doubt = p ? &p->doubts[what] : NULL;
    s->implausible[what]++;
    if (!doubt || is_bad_luck(doubt, s->now, patience[what]) || s->now < doubt->quiet_until) return;
    doubt->quiet_until = s->now + SB_SECOND;
    sb_server_event event = sb_server_event_about(s, SB_SERVER_SUSPICIOUS, p);
    event.object_id = p->ship ? p->ship->object_id : 0;
    event.value = what;
    event.text = sb_text_span(sb_implausible_text(what));
    sb_server_report(s, &event, p);
}

/* ---- messages ---- */

bool sb_player_is_in_game(const sb_player *p)
{
    return p->phase == SB_PLAYER_LOBBY || p->phase == SB_PLAYER_FLYING;
}

sb_player *sb_server_find_player(const sb_server *s, uint8_t peer_id)
{
    for (size_t i = 0; i < SB_SERVER_PLAYERS_MAX; i++)
        if (s->players[i].phase != SB_PLAYER_FREE && s->players[i].peer_id == peer_id)
            return (sb_player *)&s->players[i];
    return NULL;
}

/* A reliable message that does not fit ends the conversation: the transport tells it as a
 * departure, so there is nothing to do here. */
static void send_bytes(sb_server *s, const sb_player *p, sb_delivery delivery, sb_span bytes)
{
    (void)!sb_transport_host_send(s->transport, p->peer_id, delivery, bytes);
}

void sb_server_send_bytes(sb_server *s, const sb_player *p, sb_span bytes)
{
    send_bytes(s, p, SB_RELIABLE, bytes);
}

bool sb_server_can_queue(const sb_server *s, const sb_player *p, size_t size, size_t reserve)
{
    return sb_transport_host_free_bytes(s->transport, p->peer_id) >= reserve + size;
}

/* What others do is not worth a conversation: who cannot take it misses it, and asks for ships he
 * has not heard of. */
void sb_server_relay_to(sb_server *s, const sb_player *p, sb_span bytes, sb_delivery delivery)
{
    if (delivery == SB_RELIABLE && !sb_server_can_queue(s, p, bytes.size, RELAY_RESERVE)) {
        SB_COUNT(s->counters, SB_SERVER_COUNT_RELAY_SKIPPED);
        return;
    }
    send_bytes(s, p, delivery, bytes);
    SB_COUNT(s->counters, SB_SERVER_COUNT_RELAYED);
}

void sb_server_relay(sb_server *s, sb_span bytes, sb_delivery delivery, const sb_player *except)
{
    for (size_t i = 0; i < SB_SERVER_PLAYERS_MAX; i++)
        if (&s->players[i] != except && sb_player_is_in_game(&s->players[i]))
            sb_server_relay_to(s, &s->players[i], bytes, delivery);
}

static sb_span encode(sb_server *s, const sb_message *message)
{
    sb_message_context context = { .ships = s->config.ships };
    size_t             size = 0;
    if (sb_encode_message(message, &context, s->bytes, sizeof s->bytes, &size) != SB_OK) size = 0;
    return (sb_span){ s->bytes, size };
}

void sb_server_send(sb_server *s, const sb_player *p, const sb_message *message)
{
    sb_span bytes = encode(s, message);
    if (bytes.size) sb_server_send_bytes(s, p, bytes);
}

void sb_server_send_in_game(sb_server *s, const sb_message *message)
{
    sb_span bytes = encode(s, message);
    for (size_t i = 0; bytes.size && i < SB_SERVER_PLAYERS_MAX; i++)
        if (sb_player_is_in_game(&s->players[i])) sb_server_send_bytes(s, &s->players[i], bytes);
}

void sb_server_send_if_fits(sb_server *s, const sb_message *message, size_t reserve)
{
    sb_span bytes = encode(s, message);
    for (size_t i = 0; bytes.size && i < SB_SERVER_PLAYERS_MAX; i++) {
        const sb_player *p = &s->players[i];
        if (!sb_player_is_in_game(p)) continue;
        if (sb_server_can_queue(s, p, bytes.size, reserve)) sb_server_send_bytes(s, p, bytes);
        else SB_COUNT(s->counters, SB_SERVER_COUNT_RELAY_SKIPPED);
    }
}

void sb_server_send_connected(sb_server *s, const sb_message *message)
{
    sb_span bytes = encode(s, message);
    for (size_t i = 0; bytes.size && i < SB_SERVER_PLAYERS_MAX; i++)
        if (s->players[i].phase != SB_PLAYER_FREE) sb_server_send_bytes(s, &s->players[i], bytes);
}
