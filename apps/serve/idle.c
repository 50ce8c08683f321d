/* apps/serve/idle.c -- looks at the players of a room every few seconds, and warns or removes those
 * who do nothing.
 *
 * For:      rules.c. admin/idle.h compares times with the keys.
 * Tests:    tests/apps/rules_test.py
 */
#include "serve/rules.h"

#include "platform/clock.h"

_Static_assert((int)SB_IDLE_PLAYERS_MAX >= (int)SB_SERVER_PLAYERS_MAX, "every slot has an entry");

static const sb_time look_us = 2 * SB_SECOND;

static void warn(serve *s, size_t room, uint8_t peer_id, const sb_idle_rule *rule)
{
    if (rule->limit > rule->warn)
        serve_tell(s, room, peer_id, "You do nothing: in %lld s %s.",
                   (long long)((rule->limit - rule->warn) / SB_SECOND),
                   rule->to_lobby ? "your ship is destroyed" : "you are removed");
    else serve_tell(s, room, peer_id, "You do nothing.");
}

static void act(serve *s, size_t room, const sb_player_view *p, const sb_idle_rule *rule,
                sb_time now)
{
    bool flying = p->ship && !p->exploding;
    switch (sb_idle_look(&s->rules->rooms[room].idle, rule, p->slot, p->active_at, flying, now)) {
    case SB_IDLE_NOTHING: break;
    case SB_IDLE_WARNS: warn(s, room, p->peer_id, rule); break;
    case SB_IDLE_REMOVES:
        serve_post_to_room(s, room,
                           (sb_room_command){ .type = SB_ROOM_KICK,
                                              .peer_id = p->peer_id,
                                              .text = "You are removed: you did nothing." });
        break;
    case SB_IDLE_DISMISSES:
        serve_tell(s, room, p->peer_id, "You did nothing: your ship is destroyed.");
        serve_post_to_room(
            s, room, (sb_room_command){ .type = SB_ROOM_DISMISS_SHIP, .peer_id = p->peer_id });
        break;
    }
}

/* An empty room, or one without a rule, is not looked at again before a player joins. */
void serve_idle_advance(serve *s, size_t room, sb_time now)
{
    const sb_room_config *config = s->rooms[room].config;
    serve_rules_room     *r = &s->rules->rooms[room];
    sb_idle_rule          rule = { config->idle_warn, config->idle_limit,
                                   config->idle_action == SB_IDLE_LOBBY };
    r->idle_at = SB_TIME_NEVER;
    if (!sb_idle_is_on(&rule) || r->people == 0) return;
    serve_snapshot_room(s, room);
    r->people = serve_count_people(s);
    for (uint32_t i = 0; i < s->snapshot->player_count; i++) {
        const sb_player_view *p = &s->snapshot->players[i].view;
        bool                  in_game = p->phase == SB_PLAYER_LOBBY || p->phase == SB_PLAYER_FLYING;
        if (in_game && serve_is_person(p)) act(s, room, p, &rule, s->snapshot->now);
    }
    if (r->people > 0) r->idle_at = now + look_us;
}
