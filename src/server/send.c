/* src/server/send.c -- messages from a room to its players.
 *
 * For:      every file of this folder but lanes.c, which sends StateUpdates itself.
 * Never:    waits. A receiver whose queue is nearly full misses relayed messages; a receiver whose
 *           queue has no space for a message of the room itself is removed.
 * Tests:    tests/server/crowd_test.c, relay_test.c
 */
#include "server/server_internal.h"

#include <starbase/message.h>

/* The result is ignored: the transport removes a peer whose queue cannot take a reliable message,
 * and reports its departure as an event. */
static void send_bytes(sb_server *s, const sb_player *p, sb_delivery delivery, sb_span bytes)
{
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

/* Skips a receiver whose queue is nearly full, because a reliable message that does not fit would
 * remove the receiver. A client that missed a ship's creation requests the ship later. */
void sb_server_relay_to(sb_server *s, const sb_player *p, sb_span bytes, sb_delivery delivery)
{
    if (delivery == SB_RELIABLE && !sb_server_can_queue(s, p, bytes.size, RELAY_QUEUE_RESERVE)) {
        SB_COUNT(s->counters, SB_SERVER_COUNT_RELAY_SKIPPED);
        return;
    }
    send_bytes(s, p, delivery, bytes);
    SB_COUNT(s->counters, SB_SERVER_COUNT_RELAYED);
}

void sb_server_relay(sb_server *s, sb_span bytes, sb_delivery delivery, const sb_player *except)
{
    for (size_t i = 0; i < SB_SERVER_PLAYERS_MAX; i++)
        if (&s->players[i] != except && sb_player_is_in_game(&s->players[i]))
            sb_server_relay_to(s, &s->players[i], bytes, delivery);
}

/* Encodes into s->bytes. Size 0: the message cannot be encoded. */
static sb_span encode(sb_server *s, const sb_message *message)
{
    sb_message_context context = { .ships = s->config.ships };
    size_t             size = 0;
    if (sb_encode_message(message, &context, s->bytes, sizeof s->bytes, &size) != SB_OK) size = 0;
    return (sb_span){ s->bytes, size };
}

void sb_server_send(sb_server *s, const sb_player *p, const sb_message *message)
{
    sb_span bytes = encode(s, message);
    if (bytes.size) sb_server_send_bytes(s, p, bytes);
}

void sb_server_send_in_game(sb_server *s, const sb_message *message)
{
    sb_span bytes = encode(s, message);
    for (size_t i = 0; bytes.size && i < SB_SERVER_PLAYERS_MAX; i++)
        if (sb_player_is_in_game(&s->players[i])) sb_server_send_bytes(s, &s->players[i], bytes);
}

void sb_server_send_if_fits(sb_server *s, const sb_message *message, size_t reserve)
{
    sb_span bytes = encode(s, message);
    for (size_t i = 0; bytes.size && i < SB_SERVER_PLAYERS_MAX; i++) {
        const sb_player *p = &s->players[i];
        if (!sb_player_is_in_game(p)) continue;
        if (sb_server_can_queue(s, p, bytes.size, reserve)) sb_server_send_bytes(s, p, bytes);
        else SB_COUNT(s->counters, SB_SERVER_COUNT_RELAY_SKIPPED);
    }
}

void sb_server_send_connected(sb_server *s, const sb_message *message)
{
    sb_span bytes = encode(s, message);
    for (size_t i = 0; bytes.size && i < SB_SERVER_PLAYERS_MAX; i++)
        if (s->players[i].phase != SB_PLAYER_FREE) sb_server_send_bytes(s, &s->players[i], bytes);
}
