/* src/transport/host_leave.c -- the ways to leave a host, and who is told. Spec 01 §8.3, §8.4. */
#include "base/assert.h"
#include "transport/host_internal.h"

static const sb_time linger = 5 * SB_SECOND;
static const sb_time stop_limit = SB_SECOND;

static void tell_others(sb_transport_host *h, const sb_peer *gone, uint8_t type,
                        const sb_control *control)
{
    for (uint32_t i = 0; i < h->peer_count; i++)
        if (h->peers[i].state == SB_PEER_ESTABLISHED && &h->peers[i] != gone)
            sb_transport_host_send_control(h, &h->peers[i], type, control);
}

static void notify(sb_transport_host *h, const sb_peer *gone)
{
    if (!h->config.leave_notice || gone->reason == SB_LEFT_HOST_CLOSED) return;
    if (gone->reason == SB_LEFT_QUIT) {
        uint32_t   address = h->config.hide_addresses ? 0 : gone->own_address;
        sb_control left = { .disconnect = { gone->id, address } };
        tell_others(h, gone, SB_TRANSPORT_DISCONNECT, &left);
    } else {
        sb_control boot = { .boot = { gone->boot_reason, gone->id } };
        tell_others(h, gone, SB_TRANSPORT_BOOT, &boot);
    }
}

/* What the leaving peer itself gets. Control messages that it has not acknowledged stay: without
 * their numbers it would never read the last one. */
static void say_goodbye(sb_transport_host *h, sb_peer *peer)
{
    if (peer->reason == SB_LEFT_QUIT) {
        sb_outbox_clear(&peer->link.outbox);
    } else if (peer->reason == SB_LEFT_HOST_CLOSED) {
        sb_control closed = { .disconnect = { SB_PEER_HOST, h->config.local_address } };
        sb_transport_host_send_control(h, peer, SB_TRANSPORT_DISCONNECT, &closed);
    } else {
        sb_control boot = { .boot = { peer->boot_reason, peer->id } };
        sb_transport_host_send_control(h, peer, SB_TRANSPORT_BOOT, &boot);
    }
}

/* From now on only control messages, in a few cells. */
static void shrink(sb_transport_host *h, sb_peer *peer)
{
    sb_link *link = &peer->link;
    sb_outbox_clear_data(&link->outbox);
    sb_inbox_clear(&link->inbox);
    link->only_control = true;
    link->keeps_alive = false;
    link->outbox.pace = SB_PACE_LEAVING;
    say_goodbye(h, peer);
    uint32_t few = sb_transport_host_linger_cells(&h->config);
    if (link->outbox.account.used > few)
        sb_outbox_clear(&link->outbox); /* it heard nothing for long */
    SB_ASSERT(sb_cells_regrant(&h->cells, &link->outbox.account, few));
    SB_ASSERT(sb_cells_regrant(&h->cells, &link->inbox.account, 0));
}

/* A new Connect stands in for this conversation: nothing more goes to its address. */
static void cut_off(sb_transport_host *h, sb_peer *peer)
{
    sb_link_clear(&peer->link);
    sb_addresses_remove(&h->addresses, peer->address);
    peer->mapped = false;
}

/* Who does not know that he is gone knows it when he has heard nothing for as long as that. */
static void rest_id(sb_transport_host *h, uint8_t id)
{
    h->id_rested_at[id] = h->now + h->config.timeout_us + linger;
}

void sb_transport_host_remove(sb_transport_host *h, sb_peer *peer, sb_leave_reason reason,
                              uint8_t boot_reason)
{
    SB_ASSERT(peer->state == SB_PEER_ESTABLISHED);
    peer->state = SB_PEER_LINGERING;
    peer->reason = reason;
    peer->boot_reason = boot_reason;
    peer->gone_at = h->now + (reason == SB_LEFT_HOST_CLOSED ? stop_limit : linger);
    h->established--;
    h->by_id[peer->id] = SB_NO_PLACE;
    h->id_free_at[peer->id] = peer->gone_at;
    if (reason != SB_LEFT_QUIT) rest_id(h, peer->id);
    peer->tell_left = true;
    sb_transport_host_report(h, peer);
    notify(h, peer);
    shrink(h, peer);
    if (reason == SB_LEFT_RESTARTED) cut_off(h, peer);
    sb_deadlines_set(&h->deadlines, sb_transport_host_peer_index(h, peer), peer->gone_at);
    sb_transport_host_wake(h, peer);
}

void sb_transport_host_free_peer(sb_transport_host *h, sb_peer *peer)
{
    SB_ASSERT(peer->state != SB_PEER_FREE);
    uint16_t index = sb_transport_host_peer_index(h, peer);
    sb_link_clear(&peer->link);
    if (peer->mapped) sb_addresses_remove(&h->addresses, peer->address);
    peer->mapped = false;
    if (h->current == index) h->current = -1;
    sb_deadlines_set(&h->deadlines, index, SB_TIME_NEVER);
    peer->state = SB_PEER_FREE;
}
