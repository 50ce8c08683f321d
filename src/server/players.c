/* src/server/players.c -- the table of players: who is there, and in which phase.
 *
 * For:      every file of this folder.
 * Spec:     06 §1.
 */
#include "server/server_internal.h"

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

const char *sb_player_phase_text(sb_player_phase phase)
{
    return phase < SB_PLAYER_PHASES ? phase_texts[phase] : "unknown";
}

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

void sb_player_set_phase(sb_player *p, sb_player_phase phase, sb_time ends)
{
    p->phase = phase;
    p->phase_ends = ends;
}

uint32_t sb_server_player_count(const sb_server *s)
{
    uint32_t count = 0;
    for (size_t i = 0; i < SB_SERVER_PLAYERS_MAX; i++)
        count += sb_player_is_in_game(&s->players[i]);
    return count;
}
