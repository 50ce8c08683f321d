/* src/web/connections.c -- see connections.h. */
#include "web/connections.h"

#include <string.h>

#include "base/assert.h"

/* The oldest connection whose request is not complete; `any`: of all addresses. NULL: none. */
static void *oldest_waiting(const sb_web_connections *c, bool any, uint32_t address)
{
    for (size_t i = 0; i < c->count; i++) {
        const sb_web_connection *e = &c->entries[i];
        if (!e->has_asked && (any || e->address == address)) return e->key;
    }
    return NULL;
}

sb_web_admission sb_web_connections_admit(const sb_web_connections *c, uint32_t address,
                                          void **victim)
{
    size_t of_address = 0;
    for (size_t i = 0; i < c->count; i++) of_address += c->entries[i].address == address;
    bool full = c->count == SB_WEB_CONNECTIONS_MAX;
    *victim = NULL;
    if (of_address < SB_WEB_CONNECTIONS_PER_ADDRESS && !full) return SB_WEB_ADMIT;
    *victim = oldest_waiting(c, of_address < SB_WEB_CONNECTIONS_PER_ADDRESS, address);
    return *victim ? SB_WEB_DISPLACE : SB_WEB_REFUSE;
}

void sb_web_connections_add(sb_web_connections *c, void *key, uint32_t address, sb_time now)
{
    SB_ASSERT(key != NULL);
    SB_ASSERT(c->count < SB_WEB_CONNECTIONS_MAX);
    c->entries[c->count++] = (sb_web_connection){ key, address, now, false };
}

static size_t index_of(const sb_web_connections *c, const void *key)
{
    size_t i = 0;
    while (i < c->count && c->entries[i].key != key) i++;
    return i;
}

bool sb_web_connections_remove(sb_web_connections *c, const void *key)
{
    size_t i = index_of(c, key);
    if (i == c->count) return false;
    bool has_asked = c->entries[i].has_asked;
    c->count--;
    memmove(&c->entries[i], &c->entries[i + 1], (c->count - i) * sizeof c->entries[0]);
    return !has_asked;
}

void sb_web_connections_set_asked(sb_web_connections *c, const void *key)
{
    size_t i = index_of(c, key);
    if (i < c->count) c->entries[i].has_asked = true;
}

void *sb_web_connections_expired(const sb_web_connections *c, sb_time now)
{
    if (c->count == 0 || now - c->entries[0].opened_at < SB_WEB_CONNECTION_US) return NULL;
    return c->entries[0].key;
}
