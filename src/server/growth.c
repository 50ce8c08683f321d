/* src/server/growth.c -- a room gets more places than its memory has.
 *
 * For:      the operator, who raises max_players above its value at the start.
 * Never:    allocates: the caller provides larger memory. Never moves a room with players.
 * Tests:    tests/server/reconfigure_test.c
 */
#include "server/server_internal.h"

#include "base/assert.h"

#include <string.h>

static sb_server_config larger_config(const sb_server *s)
{
    sb_server_config c = s->config;
    c.max_players = s->wanted_players;
    return c;
}

size_t sb_server_wanted_bytes(const sb_server *s)
{
    sb_server_config c = larger_config(s);
    return s->wanted_players > s->capacity ? sb_server_bytes(&c) : 0;
}

/* Sessions that are leaving count: a kicked player still gets its Boot. */
static bool may_move(const sb_server *s)
{
    for (size_t i = 0; i < s->capacity; i++)
        if (s->players[i].phase != SB_PLAYER_FREE) return false;
    return s->wanted_players > s->capacity && !s->stopping && !s->has_next &&
           sb_transport_host_is_idle(s->transport);
}

sb_server *sb_server_move(sb_server *s, void *memory, sb_time now)
{
    if (!may_move(s)) return NULL;
    sb_server_set_time(s, now);
    sb_server_config c = larger_config(s);
    sb_server       *next = sb_server_init(memory, &c, s->now);
    SB_ASSERT(next != NULL);
    memcpy(next->counters, s->counters, sizeof next->counters);
    memcpy(next->implausible, s->implausible, sizeof next->implausible);
    memcpy(next->file_records, s->file_records, sizeof next->file_records);
    memcpy(next->file_sources, s->file_sources, sizeof next->file_sources);
    next->refusals_reported = s->refusals_reported;
    sb_transport_host_succeed(next->transport, s->transport);
    sb_responder_succeed(next->responder, s->responder);
    sb_responder_state_changed(next->responder, next->now);
    return next;
}
