/* src/server/view.c -- the state of a room for status queries, displays and tests.
 *
 * For:      the responder to queries; programs that show rooms and players.
 * Never:    changes the room. Names of players are converted into buffers of the room, which the
 *           status answer borrows.
 * Spec:     05 §3.
 * Tests:    tests/server/view_test.c, abuse_test.c, spec_test.c
 */
#include "server/server_internal.h"

#include <string.h>

float sb_server_game_time(const sb_server *s, sb_time now)
{
    return (float)((double)(now - s->started_at) / (double)SB_SECOND);
}

float sb_server_clock(const sb_server *s)
{
    return sb_server_game_time(s, s->now);
}

const sb_system *sb_server_find_system(const sb_server *s)
{
    return sb_find_system(s->config.systems ? s->config.systems : sb_stock_systems(),
                          s->config.system);
}

/* ---- status answers ---- */

sb_span sb_server_system_name(const sb_server_config *c)
{
    const sb_system *system =
        sb_find_system(c->systems ? c->systems : sb_stock_systems(), c->system);
    if (c->system_name.size > 0) return c->system_name;
    return sb_text_span(system ? system->start_set : "Unknown");
}

void sb_server_status_of(const sb_server *s, sb_server_status *out)
{
    static const char      host_player[] = "Dedicated Server"; /* the name a stock host lists */
    const sb_match_config *match = &s->match.config;
    *out = (sb_server_status){
        .host_name = s->config.name,
        .mission_script = sb_text_span(match->mode->script),
        .mode_name = sb_text_span(match->mode->short_name),
        .system = sb_server_system_name(&s->config),
        .player_limit = s->config.max_players,
        .time_limit = match->time_limit_min ? (int32_t)match->time_limit_min : -1,
        .frag_limit = match->frag_limit ? (int32_t)match->frag_limit : -2,
        .location = 1,
        .password = s->config.password.size > 0,
        .open = !s->match.over && !s->stopping,
    };
    for (size_t i = 0; i < s->capacity; i++) {
        const sb_player *p = &s->players[i];
        if (!sb_player_is_in_game(p)) continue;
        if (!s->config.list_house && sb_server_is_house(s, p)) continue;
        uint8_t *name = ((sb_server *)s)->status_names[i]; /* a buffer, lent to the caller */
        size_t   size =
            sb_windows1252_from_utf16((sb_span){ p->name, p->name_size }, name, SB_NAME_UNITS);
        out->names[out->name_count++] = (sb_span){ name, size };
    }
    out->player_count = (uint32_t)out->name_count;
    /* Last: browsers show the first numplayers names, and the host does not count as one. */
    if (s->config.list_host_as_player) out->names[out->name_count++] = sb_text_span(host_player);
}

/* ---- displays ---- */

static const sb_player *nth_player(const sb_server *s, unsigned index)
{
    for (size_t i = 0; i < s->capacity; i++)
        if (s->players[i].phase != SB_PLAYER_FREE && index-- == 0) return &s->players[i];
    return NULL;
}

bool sb_server_player(const sb_server *s, unsigned index, sb_time now, sb_player_view *out)
{
    const sb_player *p = nth_player(s, index);
    if (!p) return false;
    *out = (sb_player_view){ .peer_id = p->peer_id,
                             .slot = (uint8_t)(p - s->players),
                             .team = SB_NO_TEAM,
                             .phase = p->phase,
                             .house = sb_server_is_house(s, p),
                             .address = p->address,
                             .connected_at = p->connected_at,
                             .active_at = p->active_at };
    sb_utf8_from_utf16((sb_span){ p->name, p->name_size }, out->name, sizeof out->name);
    out->muted = p->muted_until > now;
    const sb_match_row *row = sb_match_find(&s->match, p->peer_id);
    if (row) {
        out->team = row->team;
        out->kills = row->kills;
        out->deaths = row->deaths;
        out->score = row->score;
    }
    if (p->ship) {
        out->ship = &p->ship->ship;
        out->exploding = p->ship->exploding;
        out->mod_ship = p->ship->mod_ship;
        out->position = sb_receiver_estimate(&p->ship->receiver, &p->ship->ship, now);
    }
    (void)sb_transport_host_peer(s->transport, p->peer_id, &out->peer);
    return true;
}

/* A join that a stranger forged reaches no second checksum round without much more effort than a
 * Connect, so it drives no house player away. */
static bool counts_as_person(const sb_player *p)
{
    bool refused = p->phase == SB_PLAYER_REFUSED || p->phase == SB_PLAYER_WAITING;
    if (refused) return p->was_in_game;
    return p->phase != SB_PLAYER_CHECKING || p->round > 0;
}

static bool are_same_modifiers(const sb_match_config *a, const sb_match_config *b)
{
    const float *x = &a->modifiers[0][0], *y = &b->modifiers[0][0];
    for (size_t i = 0; i < sizeof a->modifiers / sizeof *x; i++)
        if (x[i] != y[i]) return false;
    return true;
}

static bool is_same_match(const sb_match_config *a, const sb_match_config *b)
{
    return a->mode == b->mode && a->time_limit_min == b->time_limit_min &&
           a->frag_limit == b->frag_limit && a->score_limit == b->score_limit &&
           a->kills_as_kills == b->kills_as_kills && are_same_modifiers(a, b);
}

/* A reload defers these fields even if it does not change them. */
static bool has_other_next(const sb_server *s)
{
    const sb_server_config *a = &s->config, *b = &s->next;
    return s->has_next && (a->system != b->system || !is_same_match(&a->match, &b->match) ||
                           strcmp(s->texts.system_name, s->next_texts.system_name) != 0);
}

void sb_server_seats_of(const sb_server *s, sb_server_seats *out)
{
    *out = (sb_server_seats){ .limit = s->config.max_players };
    for (size_t i = 0; i < s->capacity; i++) {
        const sb_player *p = &s->players[i];
        if (p->phase == SB_PLAYER_FREE) continue;
        bool house = sb_server_is_house(s, p);
        if (house) out->house_peers[out->house++] = p->address;
        out->others += !house;
        out->people += !house && counts_as_person(p);
    }
    out->wants_empty = has_other_next(s) || sb_server_wanted_bytes(s) > 0;
}

const sb_match *sb_server_match(const sb_server *s)
{
    return &s->match;
}

uint64_t sb_server_count(const sb_server *s, sb_server_counter counter)
{
    return counter < SB_SERVER_COUNTER_COUNT ? s->counters[counter] : 0;
}

uint64_t sb_server_transport_count(const sb_server *s, sb_transport_counter counter)
{
    return sb_transport_host_counter(s->transport, counter);
}

uint64_t sb_server_query_count(const sb_server *s, sb_responder_counter counter)
{
    return sb_responder_counter_value(s->responder, counter);
}

uint32_t sb_server_backlog_bytes(const sb_server *s)
{
    return s->backlog.used;
}

uint64_t sb_server_implausible(const sb_server *s, sb_implausible what)
{
    return (unsigned)what < SB_IMPLAUSIBLE_COUNT ? s->implausible[what] : 0;
}
