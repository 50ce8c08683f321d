/* src/server/joining.c -- the join: checksum rounds, settings, and the messages that put a peer
 * into the game.
 *
 * For:      server.c, on Connect, on messages of a joining peer and on timeouts.
 * Never:    decides which files are right: src/game/manifest_compare.c does.
 * Spec:     06.
 * Tests:    tests/server/joining_test.c, fairness_test.c (timeouts and reports), spec_test.c
 */
#include "server/server_internal.h"

#include <starbase/message.h>

#include "base/assert.h"
#include "base/time.h"
#include "server/sentence.h"

#include <string.h>

static void start_removal(sb_server *s, sb_player *p, uint8_t boot_reason, const char *why,
                          sb_time limit)
{
    SB_ASSERT(!p->was_in_game); /* no message of a player in the game removes its sender */
    SB_COUNT(s->counters, SB_SERVER_COUNT_FAILED_JOINS);
    sb_server_report_stopped_files(s, p);
    sb_server_report_text(s, SB_SERVER_JOIN_FAILED, p, why);
    p->boot_reason = boot_reason;
    sb_player_set_phase(p, SB_PLAYER_REFUSED, s->now + limit);
}

void sb_server_refuse_join(sb_server *s, sb_player *p, const char *why)
{
    sb_sentence line = { .size = 0 };
    sb_sentence_add(&line, "You are removed: ");
    sb_sentence_add(&line, why);
    sb_server_tell(s, p, line.text);
    start_removal(s, p, SB_BOOT_KICKED, why, REASON_SECONDS_JOINING * SB_SECOND);
}

/* A name that comes to a player in the game may be forged if somebody forges messages of the
 * player: then it is no reason to remove anybody. */
void sb_server_check_name(sb_server *s, sb_player *p)
{
    const sb_server_config *c = &s->config;
    char                    name[96], reason[SB_NAME_REASON_MAX] = "", line[SB_CHAT_MAX];
    if (!c->refuse_name || p->phase == SB_PLAYER_REFUSED || sb_server_is_attacked(s, p)) return;
    sb_utf8_from_utf16((sb_span){ p->name, p->name_size }, name, sizeof name);
    if (!c->refuse_name(c->name_context, p->address, name, reason)) return;
    size_t size = sb_windows1252_from_utf8(reason, (uint8_t *)line, sizeof line);
    (void)sb_server_kick(s, s->now, p->peer_id, (sb_span){ (const uint8_t *)line, size });
    p->boot_reason = SB_BOOT_BANNED;
}

/* A player gets the first free slot (spec 06 §1). NULL: there is none. */
static sb_player *find_free_slot(sb_server *s)
{
    for (size_t i = 0; i < s->capacity; i++)
        if (s->players[i].phase == SB_PLAYER_FREE) return &s->players[i];
    return NULL;
}

static void send_round(sb_server *s, sb_player *p, uint8_t position)
{
    SB_ASSERT(position < SB_CHECKSUM_ROUNDS);
    const sb_checksum_round *round = &sb_checksum_rounds()[position];
    *s->out = (sb_message){ .opcode = SB_OP_CHECKSUM_REQUEST };
    s->out->as.checksum_request = (sb_checksum_request){
        .index = round->index,
        .directory = sb_text_span(round->directory),
        .filter = sb_text_span(round->filter),
        .recursive = round->recursive,
    };
    sb_server_send(s, p, s->out);
    p->round = position;
    sb_player_set_phase(p, position == SB_CHECKSUM_FF ? SB_PLAYER_SYNCING : SB_PLAYER_CHECKING,
                        s->now + s->config.checksum_limit_us);
}

/* One bit per configured manifest. */
static uint32_t all_manifests(const sb_server *s)
{
    return (uint32_t)(((uint64_t)1 << s->config.manifest_count) - 1);
}

void sb_server_on_connect(sb_server *s, uint8_t peer_id, sb_endpoint address)
{
    SB_ASSERT(!sb_server_find_player(s, peer_id));
    bool       empty = sb_transport_host_peer_count(s->transport) <= 1;
    sb_player *p = find_free_slot(s);
    if (empty && sb_server_clock(s) > CLOCK_RESTART_SECONDS) sb_server_restart_clock(s);
    if (!p) { /* the transport's own limit of peers should make this impossible */
        sb_transport_host_boot(s->transport, s->now, peer_id, SB_BOOT_FULL);
        return;
    }
    *p = (sb_player){ .peer_id = peer_id, .address = address, .connected_at = s->now };
    p->active_at = s->now;
    p->timeout_us = s->config.transport.timeout_us;
    p->manifests = all_manifests(s);
    sb_budget_init(&p->chat, s->now, CHAT_BURST);
    sb_budget_init(&p->chat_attacked, s->now, CHAT_ATTACKED_BURST);
    sb_budget_init(&p->teams, s->now, TEAM_BURST);
    sb_budget_init(&p->mods, s->now, MOD_BURST_SECONDS * s->config.mod_per_s);
    sb_budget_init(&p->requests, s->now, REQUESTS_PER_SECOND);
    sb_budget_init(&p->asks, s->now, ASKS_PER_SECOND);
    sb_budget_init(&p->relay, s->now, RELAY_BURST_CELLS);
    sb_budget_init(&p->effects, s->now, EFFECT_BURST_CELLS);
    sb_budget_init(&p->stops, s->now, STOPS_BURST);
    sb_budget_init(&p->collisions, s->now, COLLISIONS_BURST);
    sb_server_event event = sb_server_event_about(s, SB_SERVER_CONNECTED, p);
    sb_server_report(s, &event, p);
    if (s->match.over) {
        sb_player_set_phase(p, SB_PLAYER_WAITING, SB_TIME_NEVER);
        sb_server_tell_pause(s, p);
    } else {
        send_round(s, p, 0);
    }
}

/* ---- checksum answers ---- */

static const sb_manifest *manifest_at(const sb_server *s, size_t index)
{
    SB_ASSERT(index == 0 || index < s->config.manifest_count);
    return s->config.manifest_count ? s->config.manifests[index] : sb_vanilla_manifest();
}

/* The context of report_difference. */
typedef struct comparison {
    const sb_server   *server;
    sb_player         *player;
    const sb_manifest *manifest;
    size_t             manifest_index;
    bool               allow_extra;
    bool               has_first;
    sb_difference      first; /* the first one that is not allowed: the refusal names its file */
} comparison;

static bool is_extra(sb_difference_kind kind)
{
    return kind == SB_FILE_EXTRA || kind == SB_DIRECTORY_EXTRA;
}

static void report_difference(void *context, const sb_difference *difference)
{
    comparison     *t = context;
    sb_server_event event = sb_server_event_about(t->server, SB_SERVER_FILES_DIFFER, t->player);
    event.difference = difference;
    event.text = sb_text_span(t->manifest->name);
    sb_server_report(t->server, &event, t->player);
    sb_server_want_files(t->server, t->player, t->manifest_index, difference);
    if (t->has_first || (t->allow_extra && is_extra(difference->kind))) return;
    t->first = *difference;
    t->has_first = true;
}

/* Compares a checksum answer with the manifests that accepted all answers before, and reports the
 * differences from the closest manifest (spec 06 §7). Returns the number of these differences,
 * which is 0 if a manifest accepts the answer. Only manifests that accept the answer stay in
 * p->manifests. */
static uint32_t compare_files(sb_server *s, sb_player *p, const sb_checksum_response *response,
                              comparison *result)
{
    uint32_t left = p->manifests & all_manifests(s), accepted = 0, fewest = UINT32_MAX;
    size_t   closest = 0;
    /* None is configured, all have refused an answer, or the list was replaced: use the first. */
    if (!left) left = 1;
    for (size_t i = 0; left; i++, left >>= 1) {
        if (!(left & 1)) continue;
        uint32_t differences =
            sb_manifest_compare(manifest_at(s, i), response, s->config.allow_extra, NULL, NULL);
        if (differences == 0) accepted |= (uint32_t)1 << i;
        if (differences < fewest) {
            fewest = differences;
            closest = i;
        }
    }
    *result = (comparison){ .server = s, .player = p, .manifest = manifest_at(s, closest) };
    result->manifest_index = closest;
    result->allow_extra = s->config.allow_extra;
    if (s->config.checksums != SB_CHECKSUM_OFF)
        (void)sb_manifest_compare(result->manifest, response, s->config.allow_extra,
                                  report_difference, result);
    p->manifests = p->manifests & accepted;
    return fewest;
}

/* Sends VersionMismatch if the version differs, or SystemChecksumFail if a file differs (spec 06
 * §5.3); the Boot follows. */
static void refuse_files(sb_server *s, sb_player *p, const sb_difference *difference)
{
    char name[128];
    sb_difference_name(difference, name, sizeof name);
    *s->out =
        (sb_message){ .opcode = difference->kind == SB_DIFFERENT_VERSION ? SB_OP_VERSION_MISMATCH
                                                                         : SB_OP_CHECKSUM_FAIL };
    s->out->as.file_name.name = sb_text_span(name);
    sb_server_send(s, p, s->out);
    start_removal(s, p, SB_BOOT_KICKED, "files differ, and checksums are strict", 3 * SB_SECOND);
}

void sb_server_send_bundle(sb_server *s, sb_player *p)
{
    sb_transport_host_trust(s->transport, p->peer_id);
    *s->out = (sb_message){ .opcode = SB_OP_CHECKSUM_COMPLETE };
    sb_server_send(s, p, s->out);
    *s->out = (sb_message){ .opcode = SB_OP_SETTINGS };
    s->out->as.settings = (sb_settings){
        .game_time = sb_server_clock(s),
        .collision_damage = s->config.collision_damage,
        .throttle_bit = s->config.throttle_bit,
        .slot = (uint8_t)(p - s->players),
        .map = sb_text_span(s->match.config.mode->script),
    };
    sb_server_send(s, p, s->out);
    sb_sender_clock_init(&p->clock, s->now);
    *s->out = (sb_message){ .opcode = SB_OP_GAME_INIT };
    sb_server_send(s, p, s->out);
    sb_player_set_phase(p, SB_PLAYER_LOADING, s->now + s->config.loading_limit_us);
}

/* ---- why a join fails ---- */

/* "<start> checksum round 00 (scripts/App.pyc)<end>" */
static sb_sentence sentence_about_round(const sb_player *p, const char *start, const char *end)
{
    static const char digits[] = "0123456789ABCDEF";
    SB_ASSERT(p->round < SB_CHECKSUM_ROUNDS);
    const sb_checksum_round *round = &sb_checksum_rounds()[p->round];
    sb_sentence              s = { .size = 0 };
    sb_sentence_add(&s, start);
    sb_sentence_add(&s, " checksum round ");
    sb_sentence_add(&s, (const char[]){ digits[round->index >> 4], digits[round->index & 15], 0 });
    sb_sentence_add(&s, " (");
    sb_sentence_add(&s, round->directory);
    if (s.text[s.size - 1] != '/') sb_sentence_add(&s, "/");
    sb_sentence_add(&s, round->filter);
    sb_sentence_add(&s, ")");
    sb_sentence_add(&s, end);
    return s;
}

static void finish_round(sb_server *s, sb_player *p)
{
    if (p->round == SB_CHECKSUM_FF) sb_server_send_bundle(s, p);
    else send_round(s, p, (uint8_t)(p->round + 1));
}

static void handle_round(sb_server *s, sb_player *p, const sb_checksum_response *response,
                         sb_span bytes)
{
    comparison result;
    if (sb_server_is_house(s, p)) { /* its files are those of the program: nothing to compare */
        finish_round(s, p);
        return;
    }
    uint32_t        differences = compare_files(s, p, response, &result);
    sb_server_event event = sb_server_event_about(s, SB_SERVER_CHECKED, p);
    event.value = differences;
    event.bytes = bytes;
    sb_server_report(s, &event, p);
    /* Differences in round FF never refuse a player: a stock host sends the files instead (spec 06
     * §5.4, §7). */
    bool strict = s->config.checksums == SB_CHECKSUM_STRICT && p->round != SB_CHECKSUM_FF;
    if (strict && result.has_first) refuse_files(s, p, &result.first);
    else if (!sb_server_start_files(s, p)) finish_round(s, p);
}

/* Only a strict server refuses a player for a malformed answer (spec 12 #9). */
static void handle_unreadable_round(sb_server *s, sb_player *p, sb_span bytes, size_t offset)
{
    sb_sentence what = sentence_about_round(p, "the answer to", " cannot be read at byte ");
    sb_sentence_add_number(&what, offset);
    s->counters[SB_SERVER_COUNT_MALFORMED]++;
    sb_server_event event = sb_server_event_about(s, SB_SERVER_REFUSED, p);
    event.value = SB_SERVER_COUNT_MALFORMED;
    event.bytes = bytes;
    event.text = sb_text_span(what.text);
    sb_server_report(s, &event, p);
    if (s->config.checksums != SB_CHECKSUM_STRICT) finish_round(s, p);
    else sb_server_refuse_join(s, p, what.text);
}

void sb_server_handle_checksums(sb_server *s, sb_player *p, sb_span bytes)
{
    bool checking = p->phase == SB_PLAYER_CHECKING || p->phase == SB_PLAYER_SYNCING;
    int  position = bytes.size > 1 ? sb_checksum_position(bytes.data[1]) : -1;
    if (!checking || position != p->round) {
        sb_server_refuse(s, p, SB_SERVER_COUNT_UNEXPECTED_ROUND, bytes);
        return;
    }
    sb_message_context context = { .ships = s->config.ships };
    sb_refusal         refusal = { .offset = bytes.size };
    if (sb_decode_message(bytes, &context, s->in, &refusal) != SB_OK)
        handle_unreadable_round(s, p, bytes, refusal.offset);
    else handle_round(s, p, &s->in->as.checksum_response, bytes);
}

/* ---- NewPlayerInGame ---- */

/* Announces `announced` to one player; `to` NULL: to all in the game (spec 07 §8). */
static void send_new_player(sb_server *s, const sb_player *announced, const sb_player *to)
{
    *s->out = (sb_message){ .opcode = SB_OP_PLAYER_LIST };
    s->out->as.event = (sb_event){ .event_class = SB_EVENT_PLAYER,
                                   .event_code = SB_CODE_NEW_PLAYER_IN_GAME,
                                   .destination = s->config.list_object,
                                   .peer_id = announced->peer_id };
    if (to) sb_server_send(s, to, s->out);
    else sb_server_send_in_game(s, s->out);
}

static void send_older_players(sb_server *s, const sb_player *to)
{
    for (size_t i = 0; i < s->capacity; i++)
        if (&s->players[i] != to && sb_player_is_in_game(&s->players[i]))
            send_new_player(s, &s->players[i], to);
}

/* Sends in the order of spec 06 §4.6. Relayed messages cannot come in between: the player is not in
 * the game before all objects are queued. */
void sb_server_handle_new_player(sb_server *s, sb_player *p, sb_span bytes)
{
    (void)bytes; /* the second byte is optional, and its meaning unknown (06 §12) */
    if (p->phase != SB_PLAYER_LOADING) return; /* once per join; repeats are ignored */
    if (!sb_server_has_players(s)) sb_match_start_clock(&s->match, s->now);
    sb_server_build_mission_init(s, s->out);
    sb_server_send(s, p, s->out);
    sb_server_send_scores(s, p);
    sb_server_send_all_objects(s, p);
    sb_player_set_phase(p, SB_PLAYER_LOBBY, SB_TIME_NEVER);
    p->was_in_game = true;
    p->active_at = s->now;
    sb_replica_add_peer(s->replica, p->peer_id);
    if (s->config.list_older_players) send_older_players(s, p);
    send_new_player(s, p, NULL);
    sb_combat_disown(s->combat, p->peer_id); /* shots of an earlier player with this id */
    const sb_match_row *row = sb_match_join(&s->match, p->peer_id,
                                            (sb_span){ p->name, p->name_size }, p->address.address);
    if (row && s->config.score_self_on_join) sb_server_send_score(s, row);
    sb_responder_state_changed(s->responder, s->now);
    SB_COUNT(s->counters, SB_SERVER_COUNT_JOINS);
    sb_server_event event = sb_server_event_about(s, SB_SERVER_JOINED, p);
    event.value = (s->now - p->connected_at) / 1000;
    sb_server_report(s, &event, p);
    if (s->match.over) sb_server_tell_pause(s, p); /* it ended while the client was loading */
}

/* ---- timeouts ---- */

/* True if the peer has acknowledged everything, or is gone. */
static bool has_nothing_queued(const sb_server *s, const sb_player *p)
{
    sb_peer_info info;
    return !sb_transport_host_peer(s->transport, p->peer_id, &info) ||
           (info.unacknowledged == 0 && info.queued == 0);
}

static void refuse_timed_out(sb_server *s, sb_player *p)
{
    sb_sentence round = sentence_about_round(p, "no answer to", " in time");
    const char *why = round.text;
    if (p->phase == SB_PLAYER_UPDATING) why = "the client did not acknowledge a file in time";
    if (p->phase == SB_PLAYER_LOADING) why = "the client did not finish loading in time";
    start_removal(s, p, SB_BOOT_TIMED_OUT, why, 0); /* the Boot itself names the reason */
}

/* Messages of an attacked player come late (spec 01 §10.8): each step of its join gets more time, a
 * second at a time. */
static bool prolong_attacked(const sb_server *s, sb_player *p)
{
    if (p->more_seconds >= ATTACKED_JOIN_SECONDS || !sb_server_is_attacked(s, p)) return false;
    p->more_seconds++;
    p->phase_ends = s->now + SB_SECOND;
    return true;
}

/* Starts the join of a player who waited for a new match, refuses a player whose time is up, and
 * sends the Boot of a refused player. No effect on a free row. */
static void advance_join(sb_server *s, sb_player *p)
{
    if (p->phase == SB_PLAYER_WAITING && !s->match.over) send_round(s, p, 0);
    if (p->phase != SB_PLAYER_REFUSED && s->now >= p->phase_ends && !prolong_attacked(s, p))
        refuse_timed_out(s, p);
    if (p->phase != SB_PLAYER_REFUSED || (s->now < p->phase_ends && !has_nothing_queued(s, p)))
        return;
    /* The transport reports the departure, and sb_server_advance drains its events next. */
    sb_transport_host_boot(s->transport, s->now, p->peer_id, p->boot_reason);
}

void sb_server_advance_joins(sb_server *s)
{
    for (size_t i = 0; i < s->capacity; i++) advance_join(s, &s->players[i]);
}

/* Longer than any pause. A client that waits for the next match has nothing to answer, so its time
 * is never up; but several joins of one address count as unfinished (spec 01 §5.4). */
static const sb_time waiting_us = (sb_time)1000 * 365 * 24 * 3600 * SB_SECOND;

/* The last time that the player's ship was hit, or a ship that the player was the last to hit. */
static sb_time last_fight_of(const sb_server *s, const sb_player *p)
{
    sb_time last = INT64_MIN;
    for (size_t i = 0; i < s->object_top; i++) {
        const sb_object *o = &s->objects[i];
        if (o->object_id == 0 || o->hit_by == 0 || o->hit_at <= last) continue;
        if (o->owner == p->peer_id || o->hit_by == p->peer_id) last = o->hit_at;
    }
    return last;
}

sb_time sb_server_gives_way_at(void *context, uint8_t peer_id)
{
    sb_server       *s = context;
    const sb_player *p = sb_server_find_player(s, peer_id);
    if (!p) return SB_TIME_NEVER;
    if (sb_server_is_house(s, p)) return last_fight_of(s, p);
    switch (p->phase) {
    case SB_PLAYER_CHECKING:
    case SB_PLAYER_SYNCING:
        return p->phase_ends - s->config.checksum_limit_us + ROUND_ANSWER_SECONDS * SB_SECOND;
    case SB_PLAYER_UPDATING:
    case SB_PLAYER_LOADING:
        return p->phase_ends - s->config.loading_limit_us + LOADING_SECONDS * SB_SECOND;
    case SB_PLAYER_WAITING: return p->connected_at + waiting_us;
    default: return SB_TIME_NEVER; /* in the game, or is removed anyway */
    }
}

sb_time sb_server_joins_deadline(const sb_server *s)
{
    sb_time earliest = SB_TIME_NEVER;
    for (size_t i = 0; i < s->capacity; i++)
        earliest = sb_time_earlier(earliest, s->players[i].phase_ends);
    return earliest;
}
