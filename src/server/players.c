/* src/server/players.c -- the table of players and the phases of a player.
 *
 * For:      every file of this folder.
 * Spec:     06 §1, §9.
 * Tests:    tests/server/players_test.c, joining_test.c, leaving_test.c
 */
#include "server/server_internal.h"

#include "base/assert.h"

static const char *const phase_texts[SB_PLAYER_PHASES] = {
    [SB_PLAYER_FREE] = "free",
    [SB_PLAYER_WAITING] = "waiting",
    [SB_PLAYER_CHECKING] = "checking files",
    [SB_PLAYER_SYNCING] = "checking mission",
    [SB_PLAYER_UPDATING] = "getting files",
    [SB_PLAYER_LOADING] = "loading",
    [SB_PLAYER_LOBBY] = "choosing a ship",
    [SB_PLAYER_FLYING] = "flying",
    [SB_PLAYER_REFUSED] = "leaving",
};

const char *sb_player_phase_text(sb_player_phase phase)
{
    return phase < SB_PLAYER_PHASES ? phase_texts[phase] : "unknown";
}

sb_player *sb_server_find_player(const sb_server *s, uint8_t peer_id)
{
    for (size_t i = 0; i < s->capacity; i++)
        if (s->players[i].phase != SB_PLAYER_FREE && s->players[i].peer_id == peer_id)
            return (sb_player *)&s->players[i];
    return NULL;
}

/* The phases that can follow a phase, one bit each. A wreck that is replaced passes through LOBBY;
 * only leaving.c makes a row FREE again. */
#define BIT(phase) (1u << (phase))
static const uint16_t next_phases[SB_PLAYER_PHASES] = {
    [SB_PLAYER_FREE] = BIT(SB_PLAYER_WAITING) | BIT(SB_PLAYER_CHECKING),
    [SB_PLAYER_WAITING] = BIT(SB_PLAYER_CHECKING) | BIT(SB_PLAYER_REFUSED),
    [SB_PLAYER_CHECKING] =
        BIT(SB_PLAYER_CHECKING) | BIT(SB_PLAYER_SYNCING) | BIT(SB_PLAYER_REFUSED),
    [SB_PLAYER_SYNCING] = BIT(SB_PLAYER_UPDATING) | BIT(SB_PLAYER_LOADING) | BIT(SB_PLAYER_REFUSED),
    [SB_PLAYER_UPDATING] =
        BIT(SB_PLAYER_UPDATING) | BIT(SB_PLAYER_LOADING) | BIT(SB_PLAYER_REFUSED),
    [SB_PLAYER_LOADING] = BIT(SB_PLAYER_LOBBY) | BIT(SB_PLAYER_REFUSED),
    [SB_PLAYER_LOBBY] = BIT(SB_PLAYER_FLYING) | BIT(SB_PLAYER_REFUSED),
    [SB_PLAYER_FLYING] = BIT(SB_PLAYER_LOBBY) | BIT(SB_PLAYER_REFUSED),
    [SB_PLAYER_REFUSED] = BIT(SB_PLAYER_REFUSED),
};
#undef BIT

void sb_player_set_phase(sb_player *p, sb_player_phase phase, sb_time ends)
{
    SB_ASSERT(p->phase < SB_PLAYER_PHASES);
    SB_ASSERT(next_phases[p->phase] >> phase & 1);
    p->phase = phase;
    p->phase_ends = ends;
    p->more_seconds = 0;
}

bool sb_server_is_house(const sb_server *s, const sb_player *p)
{
    return s->config.transport.house && sb_endpoint_is_house(p->address);
}

bool sb_server_is_attacked(const sb_server *s, const sb_player *p)
{
    sb_peer_info info;
    return sb_transport_host_peer(s->transport, p->peer_id, &info) && info.attacked;
}

bool sb_server_ask_proof(sb_server *s, sb_time now, uint8_t peer_id)
{
    sb_server_set_time(s, now);
    return sb_server_find_player(s, peer_id) && sb_transport_host_ask(s->transport, peer_id);
}

bool sb_server_has_players(const sb_server *s)
{
    for (size_t i = 0; i < s->capacity; i++)
        if (s->players[i].was_in_game) return true;
    return false;
}

uint32_t sb_server_player_count(const sb_server *s)
{
    uint32_t count = 0;
    for (size_t i = 0; i < s->capacity; i++) count += sb_player_is_in_game(&s->players[i]);
    return count;
}
