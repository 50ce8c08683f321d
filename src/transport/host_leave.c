/* src/transport/host_leave.c -- the ways to leave a host, and the notices to other peers.
 *
 * For:      host.
 * Spec:     01 §5.1, §8.3, §8.4.
 */
#include "base/assert.h"
#include "transport/host_internal.h"

static const sb_time linger_time = 5 * SB_SECOND;
static const sb_time stop_linger_time = SB_SECOND; /* when the whole host stops */
/* Stock forgets a departed peer, and so its id, after this time (spec 01 §9). */
static const sb_time id_reuse_time = 15 * SB_SECOND;

static void send_control_to_others(sb_transport_host *h, const sb_peer *gone, uint8_t type,
                                   const sb_control *control)
{
    for (uint32_t i = 0; i < h->peer_top; i++)
        if (h->peers[i].state == SB_PEER_ESTABLISHED && &h->peers[i] != gone)
            sb_transport_host_send_control(h, &h->peers[i], type, control);
}

/* Sends the other peers a Disconnect for a peer that quit, otherwise a Boot (spec 01 §8.3). To
 * others a house peer that makes room has quit. */
static void announce_departure(sb_transport_host *h, const sb_peer *gone)
{
    if (!h->config.leave_notice || gone->reason == SB_LEFT_HOST_CLOSED) return;
    if (gone->reason == SB_LEFT_QUIT || gone->reason == SB_LEFT_MADE_ROOM) {
        uint32_t   address = h->config.hide_addresses ? 0 : gone->own_address;
        sb_control left = { .disconnect = { gone->id, address } };
        send_control_to_others(h, gone, SB_TRANSPORT_DISCONNECT, &left);
    } else {
        sb_control boot = { .boot = { gone->boot_reason, gone->id } };
        send_control_to_others(h, gone, SB_TRANSPORT_BOOT, &boot);
    }
}

/* Queues the last control message for the leaving peer itself; a peer that quit gets none.
 * Unacknowledged control messages stay in flight: the peer reads its low channel in order. */
static void queue_last_message(sb_transport_host *h, sb_peer *peer)
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

/* Drops queued and stored Data, so that a leaving peer holds few cells while it gets its last
 * control messages. */
static void keep_only_control_messages(sb_transport_host *h, sb_peer *peer)
{
    sb_link *link = &peer->link;
    sb_outbox_clear_data(&link->outbox);
    sb_inbox_clear(&link->inbox);
    link->only_control = true;
    link->keeps_alive = false;
    link->outbox.pace = SB_PACE_LEAVING;
    queue_last_message(h, peer);
    uint32_t linger_cells = sb_transport_host_linger_cells(h->capacity);
    if (link->outbox.account.used > linger_cells)
        sb_outbox_clear(&link->outbox); /* the peer acknowledged nothing for long: give up */
    sb_cells_set_guarantee(&h->cells, &link->outbox.account, linger_cells);
    sb_cells_set_guarantee(&h->cells, &link->inbox.account, 0);
}

/* Frees the address for a new session: the old session sends nothing any more. */
void sb_transport_host_unmap_address(sb_transport_host *h, sb_peer *peer)
{
    sb_link_clear(&peer->link);
    sb_addresses_remove(&h->addresses, peer->address);
    peer->in_address_table = false;
}

/* Avoids reuse of the id of a peer that left. A peer that did not quit by itself may have missed
 * its Boot: until it must have timed out it still sends under the id, and could be taken for the
 * next owner (spec 01 §5.1, §10.5). */
static void quarantine_id(sb_transport_host *h, const sb_peer *peer)
{
    sb_time time_out = peer->limits.timeout_us + linger_time;
    bool    longer = peer->reason != SB_LEFT_QUIT && time_out > id_reuse_time;
    h->id_quarantined_until[peer->id] = h->now + (longer ? time_out : id_reuse_time);
}

void sb_transport_host_remove(sb_transport_host *h, sb_peer *peer, sb_leave_reason reason,
                              uint8_t boot_reason)
{
    SB_ASSERT(peer->state == SB_PEER_ESTABLISHED);
    SB_ASSERT(h->established > 0 &&
              h->peer_by_id[peer->id] == sb_transport_host_peer_index(h, peer));
    peer->state = SB_PEER_LINGERING;
    peer->quiet_until = h->now; /* the Boot comes at once */
    peer->reason = reason;
    peer->boot_reason = boot_reason;
    peer->linger_until = h->now + (reason == SB_LEFT_HOST_CLOSED ? stop_linger_time : linger_time);
    h->established--;
    h->unproven -= !peer->is_proven;
    h->peer_by_id[peer->id] = SB_NO_PLACE;
    h->id_lingers_until[peer->id] = peer->linger_until;
    quarantine_id(h, peer);
    peer->left_pending = true;
    sb_transport_host_queue_event(h, peer);
    announce_departure(h, peer);
    keep_only_control_messages(h, peer);
    sb_deadlines_set(&h->deadlines, sb_transport_host_peer_index(h, peer), peer->linger_until);
    sb_transport_host_queue_ready(h, peer);
}

void sb_transport_host_free_peer(sb_transport_host *h, sb_peer *peer)
{
    SB_ASSERT(peer->state != SB_PEER_FREE);
    uint16_t index = sb_transport_host_peer_index(h, peer);
    sb_link_clear(&peer->link);
    if (peer->in_address_table) sb_addresses_remove(&h->addresses, peer->address);
    peer->in_address_table = false;
    if (h->reading_index == index) h->reading_index = -1;
    sb_deadlines_set(&h->deadlines, index, SB_TIME_NEVER);
    peer->state = SB_PEER_FREE;
}
