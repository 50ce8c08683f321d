/* src/transport/host_limits.c -- changes the limits of a running host, and hands over to a larger
 * host.
 *
 * For:      host. A peer keeps the timeout and the receive budget with which it connected.
 * Tests:    tests/transport/host_limits_test.c
 * Spec:     01 §9, §10.6.
 */
#include "base/assert.h"
#include "transport/host_internal.h"

#include <string.h>

void sb_transport_host_set_closed(sb_transport_host *h, bool closed)
{
    h->closed = closed;
}

void sb_transport_host_set_limits(sb_transport_host *h, const sb_transport_host_config *config)
{
    SB_ASSERT(config->max_peers >= 1 && config->max_peers <= h->capacity);
    SB_ASSERT(config->timeout_us > 0);
    h->config.max_peers = config->max_peers;
    h->config.peers_per_ip = config->peers_per_ip;
    h->config.timeout_us = config->timeout_us;
    h->config.datagrams_per_s = config->datagrams_per_s;
    h->config.messages_per_s = config->messages_per_s;
    h->config.bytes_per_s = config->bytes_per_s;
}

void sb_transport_host_set_password(sb_transport_host *h, sb_span password)
{
    SB_ASSERT(password.size <= sizeof h->password);
    /* The new password may be the span of sb_transport_host_password. */
    if (password.size > 0) memmove(h->password, password.data, password.size);
    h->password_size = (uint32_t)password.size;
}

sb_span sb_transport_host_password(const sb_transport_host *h)
{
    return (sb_span){ h->password, h->password_size };
}

bool sb_transport_host_is_idle(const sb_transport_host *h)
{
    for (uint32_t i = 0; i < h->peer_top; i++)
        if (h->peers[i].state != SB_PEER_FREE) return false;
    return h->event_queue.count == 0;
}

void sb_transport_host_succeed(sb_transport_host *h, const sb_transport_host *old)
{
    SB_ASSERT(sb_transport_host_is_idle(old) && sb_transport_host_is_idle(h));
    h->counters = old->counters;
    if (!h->config.newcomers && !old->config.newcomers)
        memcpy(h->newcomers, old->newcomers, sb_newcomers_bytes_of(SB_NEWCOMER_SETS_OWN));
    h->refusals = old->refusals;
    h->closed = old->closed;
    h->last_refusal = old->last_refusal;
    memcpy(h->id_lingers_until, old->id_lingers_until, sizeof h->id_lingers_until);
    memcpy(h->id_quarantined_until, old->id_quarantined_until, sizeof h->id_quarantined_until);
    memcpy(h->id_told_at, old->id_told_at, sizeof h->id_told_at);
}
