/* src/server/send.c -- messages from a room to its players.
 *
 * For:      every file of this folder but lanes.c, which sends StateUpdates itself.
 * Never:    waits. Relayed messages for a receiver whose queue is nearly full go to the backlog; a
 *           receiver whose queue has no space for a message of the room itself is removed.
 * Tests:    tests/server/send_test.c, crowd_test.c, relay_test.c, stall_test.c
 */
#include "server/server_internal.h"

#include <starbase/message.h>

#include "base/assert.h"

/* The result is ignored: the transport removes a peer whose queue cannot take a reliable message,
 * and reports its departure as an event. */
static void send_bytes(sb_server *s, const sb_player *p, sb_delivery delivery, sb_span bytes)
{
    SB_ASSERT(delivery != SB_EITHER_DELIVERY);
    (void)!sb_transport_host_send(s->transport, p->peer_id, delivery, bytes);
}

void sb_server_send_bytes(sb_server *s, const sb_player *p, sb_span bytes)
{
    send_bytes(s, p, SB_RELIABLE, bytes);
}

bool sb_server_can_queue(const sb_server *s, const sb_player *p, size_t size, size_t reserve)
{
    return sb_transport_host_free_bytes(s->transport, p->peer_id) >= reserve + size;
}

/* Queues a copy for one receiver; false: it must wait. A reliable message that does not fit would
 * remove the receiver, and a message must not overtake those that wait already. */
static bool relay_now(sb_server *s, size_t slot, sb_span bytes, sb_delivery delivery)
{
    const sb_player *p = &s->players[slot];
    if (delivery == SB_RELIABLE && (s->backlog.waiting[slot] > 0 ||
                                    !sb_server_can_queue(s, p, bytes.size, RELAY_QUEUE_RESERVE)))
        return false;
    send_bytes(s, p, delivery, bytes);
    SB_COUNT(s->counters, SB_SERVER_COUNT_RELAYED);
    return true;
}

void sb_server_relay_to(sb_server *s, uint16_t slots, sb_span bytes, sb_delivery delivery)
{
    uint16_t waiting = 0;
    SB_ASSERT(bytes.size > 0);
    for (size_t i = 0; i < s->capacity; i++) {
        if (!(slots >> i & 1) || relay_now(s, i, bytes, delivery)) continue;
        waiting |= (uint16_t)(1u << i);
        SB_COUNT(s->counters, SB_SERVER_COUNT_RELAY_DELAYED);
    }
    if (waiting)
        s->counters[SB_SERVER_COUNT_RELAY_SKIPPED] += sb_backlog_add(&s->backlog, waiting, bytes);
}

void sb_server_relay(sb_server *s, sb_span bytes, sb_delivery delivery, const sb_player *except)
{
    uint16_t slots = 0;
    for (size_t i = 0; i < s->capacity; i++)
        if (&s->players[i] != except && sb_player_is_in_game(&s->players[i]))
            slots |= (uint16_t)(1u << i);
    sb_server_relay_to(s, slots, bytes, delivery);
}

sb_span sb_server_encode(sb_server *s, const sb_message *message)
{
    sb_message_context context = { .ships = s->config.ships };
    size_t             size = 0;
    if (sb_encode_message(message, &context, s->bytes, sizeof s->bytes, &size) != SB_OK) size = 0;
    return (sb_span){ s->bytes, size };
}

void sb_server_send(sb_server *s, const sb_player *p, const sb_message *message)
{
    sb_span bytes = sb_server_encode(s, message);
    if (bytes.size) sb_server_send_bytes(s, p, bytes);
}

void sb_server_send_in_game(sb_server *s, const sb_message *message)
{
    sb_span bytes = sb_server_encode(s, message);
    for (size_t i = 0; bytes.size && i < s->capacity; i++)
        if (sb_player_is_in_game(&s->players[i])) sb_server_send_bytes(s, &s->players[i], bytes);
}

void sb_server_send_if_fits(sb_server *s, const sb_message *message, size_t reserve)
{
    sb_span bytes = sb_server_encode(s, message);
    for (size_t i = 0; bytes.size && i < s->capacity; i++) {
        const sb_player *p = &s->players[i];
        if (!sb_player_is_in_game(p)) continue;
        if (sb_server_can_queue(s, p, bytes.size, reserve)) sb_server_send_bytes(s, p, bytes);
        else SB_COUNT(s->counters, SB_SERVER_COUNT_RELAY_SKIPPED);
    }
}

void sb_server_send_connected(sb_server *s, const sb_message *message)
{
    sb_span bytes = sb_server_encode(s, message);
    for (size_t i = 0; bytes.size && i < s->capacity; i++)
        if (s->players[i].phase != SB_PLAYER_FREE) sb_server_send_bytes(s, &s->players[i], bytes);
}
