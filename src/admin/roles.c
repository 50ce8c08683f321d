/* src/admin/roles.c -- players with roles: codes of six digits, and the conversations that hold
 * one.
 *
 * Tests:    tests/admin/roles_test.c
 */
#include "admin/roles.h"

#include <stdio.h>
#include <string.h>

#include "admin/words.h"
#include "base/assert.h"

enum { CODES = 1000000 };

void sb_roles_init(sb_roles *roles)
{
    *roles = (sb_roles){ 0 };
}

/* The port is not compared: a router may change it during a conversation (spec 01 §10.5). */
static bool is_same(const sb_conversation *a, const sb_conversation *b)
{
    return a->room == b->room && a->peer_id == b->peer_id &&
           a->address.address == b->address.address && a->connected_at == b->connected_at;
}

/* ---- codes ---- */

static sb_role_code *find_code(sb_roles *r, const sb_conversation *player)
{
    for (size_t i = 0; i < SB_ROLE_CODES_MAX; i++)
        if (r->codes[i].role != SB_ROLE_PLAYER && is_same(&r->codes[i].player, player))
            return &r->codes[i];
    return NULL;
}

/* A free entry, or else the one that ends first. */
static sb_role_code *free_code(sb_roles *r, sb_time now)
{
    sb_role_code *best = &r->codes[0];
    for (size_t i = 0; i < SB_ROLE_CODES_MAX; i++) {
        sb_role_code *c = &r->codes[i];
        if (c->role == SB_ROLE_PLAYER || c->until <= now) return c;
        if (c->until < best->until) best = c;
    }
    return best;
}

uint32_t sb_roles_invite(sb_roles *r, const sb_conversation *player, sb_role role, uint64_t random,
                         sb_time now)
{
    SB_ASSERT(role > SB_ROLE_PLAYER && role < SB_ROLE_OPERATOR);
    sb_role_code *c = find_code(r, player);
    if (!c) c = free_code(r, now);
    *c = (sb_role_code){ *player, role, (uint32_t)(random % CODES),
                         now + SB_ROLE_CODE_SECONDS * SB_SECOND };
    return c->code;
}

/* ---- attempts ---- */

/* The entry of the address: an address without attempts takes a free or outdated entry, and with a
 * full table the one whose attempts are forgotten first. */
static sb_role_source *find_source(sb_roles *r, uint32_t address, sb_time now)
{
    sb_role_source *best = &r->sources[0];
    for (size_t i = 0; i < SB_ROLE_SOURCES_MAX; i++) {
        sb_role_source *s = &r->sources[i];
        if (s->tries > 0 && s->until <= now) *s = (sb_role_source){ 0 };
        if (s->tries > 0 && s->address == address) return s;
        if (best->tries > 0 && (s->tries == 0 || s->until < best->until)) best = s;
    }
    *best = (sb_role_source){ .address = address };
    return best;
}

/* Attempts of a conversation are counted in an entry of their own, under a key that no address of a
 * player has: the first octet of 0.x.x.x. */
static uint32_t conversation_key(const sb_conversation *p)
{
    return (p->room * 256u + p->peer_id) & 0x00FFFFFFu;
}

static bool spend_try(sb_roles *r, uint32_t key, unsigned max, sb_time now)
{
    sb_role_source *s = find_source(r, key, now);
    if (s->tries == 0) s->until = now + SB_ROLE_TRY_SECONDS * SB_SECOND;
    if (s->tries >= max) return false;
    s->tries++;
    return true;
}

/* ---- holders ---- */

static sb_role_holder *find_holder(sb_roles *r, const sb_conversation *player)
{
    for (size_t i = 0; i < SB_ROLE_HOLDERS_MAX; i++)
        if (r->holders[i].role != SB_ROLE_PLAYER && is_same(&r->holders[i].player, player))
            return &r->holders[i];
    return NULL;
}

/* Keeps the latest SB_ROLE_KNOWN_MAX addresses. */
static void remember(sb_roles *r, uint32_t address)
{
    if (sb_roles_knows(r, address)) return;
    r->known[r->known_count++ % SB_ROLE_KNOWN_MAX] = address;
}

static bool give(sb_roles *r, const sb_conversation *player, const char *name, sb_role role)
{
    sb_role_holder *h = find_holder(r, player);
    for (size_t i = 0; !h && i < SB_ROLE_HOLDERS_MAX; i++)
        if (r->holders[i].role == SB_ROLE_PLAYER) h = &r->holders[i];
    if (!h) return false;
    *h = (sb_role_holder){ .player = *player, .role = role };
    snprintf(h->name, sizeof h->name, "%s", name);
    remember(r, player->address.address);
    return true;
}

/* ---- the interface ---- */

sb_redeem sb_roles_redeem(sb_roles *r, const sb_conversation *player, const char *name,
                          const char *code, sb_time now, sb_role *out)
{
    uint32_t number;
    bool     own = spend_try(r, conversation_key(player), SB_ROLE_TRIES, now);
    bool     fair = own && spend_try(r, player->address.address, SB_ROLE_ADDRESS_TRIES, now);
    /* Joins that a stranger forges in the name of the address must not lock out who was invited. */
    sb_role_code *c = find_code(r, player);
    bool          invited = c && now < c->until;
    if (!own || (!fair && !invited)) return SB_REDEEM_LIMITED;
    bool right = invited && strlen(code) == 6 &&
                 sb_words_parse_number(code, 0, CODES - 1, &number) && number == c->code;
    if (!right) return SB_REDEEM_WRONG;
    *out = c->role;
    c->role = SB_ROLE_PLAYER;
    return give(r, player, name, *out) ? SB_REDEEM_GIVEN : SB_REDEEM_LIMITED;
}

sb_role sb_roles_of(const sb_roles *roles, const sb_conversation *player)
{
    for (size_t i = 0; i < SB_ROLE_HOLDERS_MAX; i++) {
        const sb_role_holder *h = &roles->holders[i];
        if (h->role != SB_ROLE_PLAYER && is_same(&h->player, player)) return h->role;
    }
    return SB_ROLE_PLAYER;
}

bool sb_roles_revoke(sb_roles *r, const sb_conversation *player)
{
    sb_role_code   *c = find_code(r, player);
    sb_role_holder *h = find_holder(r, player);
    if (c) c->role = SB_ROLE_PLAYER;
    if (h) h->role = SB_ROLE_PLAYER;
    return c || h;
}

void sb_roles_leave(sb_roles *r, uint32_t room, uint8_t peer_id)
{
    for (size_t i = 0; i < SB_ROLE_CODES_MAX; i++)
        if (r->codes[i].player.room == room && r->codes[i].player.peer_id == peer_id)
            r->codes[i].role = SB_ROLE_PLAYER;
    for (size_t i = 0; i < SB_ROLE_HOLDERS_MAX; i++)
        if (r->holders[i].player.room == room && r->holders[i].player.peer_id == peer_id)
            r->holders[i].role = SB_ROLE_PLAYER;
}

bool sb_roles_knows(const sb_roles *r, uint32_t address)
{
    size_t count = r->known_count < SB_ROLE_KNOWN_MAX ? r->known_count : SB_ROLE_KNOWN_MAX;
    for (size_t i = 0; i < count; i++)
        if (r->known[i] == address) return true;
    return false;
}
