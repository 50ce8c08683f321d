/* src/admin/idle.c -- compares the time since a player's last action with the rule.
 *
 * For:      idle.h.
 */
#include "admin/idle.h"

bool sb_idle_is_on(const sb_idle_rule *rule)
{
    return rule->warn > 0 || rule->limit > 0;
}

/* A player in the lobby has no ship to lose, and stays. */
static sb_idle_step act(sb_idle_player *p, const sb_idle_rule *rule, bool flying)
{
    if (!rule->to_lobby) return SB_IDLE_REMOVES;
    if (!flying || p->dismissed) return SB_IDLE_NOTHING;
    p->dismissed = true;
    return SB_IDLE_DISMISSES;
}

sb_idle_step sb_idle_look(sb_idle *idle, const sb_idle_rule *rule, uint8_t slot, sb_time active_at,
                          bool flying, sb_time now)
{
    if (slot >= SB_IDLE_PLAYERS_MAX) return SB_IDLE_NOTHING;
    sb_idle_player *p = &idle->players[slot];
    sb_time         idle_for = now - active_at;
    if (p->active_at != active_at) *p = (sb_idle_player){ .active_at = active_at };
    if (rule->limit > 0 && idle_for >= rule->limit) return act(p, rule, flying);
    bool warns = rule->warn > 0 && idle_for >= rule->warn && !p->warned;
    if (!warns || (rule->to_lobby && !flying)) return SB_IDLE_NOTHING;
    p->warned = true;
    return SB_IDLE_WARNS;
}
