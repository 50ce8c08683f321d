/* bench/enet/side_enet.c -- ENet on a real UDP socket with default settings: one channel, no
 * bandwidth limits, no compression.
 */
#include "side.h"

#include <enet/enet.h>

#include <arpa/inet.h>
#include <stdlib.h>

typedef struct enet_side {
    ENetHost *host;
    ENetPeer *peer; /* NULL at the sender until the receiver has connected */
} enet_side;

static void close_enet(void *side)
{
    enet_side *e = side;
    if (e->host) enet_host_destroy(e->host);
    free(e);
}

/* `local` NULL: any port. */
static enet_side *open_enet(const ENetAddress *local)
{
    enet_side *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    if (enet_initialize() == 0) e->host = enet_host_create(local, 1, 1, 0, 0);
    if (e->host) return e;
    close_enet(e);
    return NULL;
}

static void *open_sender(uint16_t *port)
{
    ENetAddress local = { .host = htonl(INADDR_LOOPBACK), .port = ENET_PORT_ANY };
    enet_side  *e = open_enet(&local);
    if (e) *port = e->host->address.port;
    return e;
}

static void *open_receiver(uint16_t port)
{
    ENetAddress server = { .host = htonl(INADDR_LOOPBACK), .port = port };
    enet_side  *e = open_enet(NULL);
    if (!e) return NULL;
    e->peer = enet_host_connect(e->host, &server, 1, 0);
    if (e->peer) return e;
    close_enet(e);
    return NULL;
}

static int socket_of(const void *side)
{
    return ((const enet_side *)side)->host->socket;
}

static void step(void *side, side_progress *progress)
{
    enet_side *e = side;
    ENetEvent  event;
    while (enet_host_service(e->host, &event, 0) > 0) {
        if (event.type == ENET_EVENT_TYPE_CONNECT) {
            e->peer = event.peer;
            progress->established = true;
        } else if (event.type == ENET_EVENT_TYPE_RECEIVE) {
            side_receive_message(progress,
                                 (sb_span){ event.packet->data, event.packet->dataLength });
            enet_packet_destroy(event.packet);
        } else if (event.type == ENET_EVENT_TYPE_DISCONNECT) {
            progress->failed = true;
        }
    }
}

static void queue_messages(void *side, side_progress *progress)
{
    enet_side *e = side;
    uint8_t    bytes[MESSAGE_BYTES];
    for (unsigned n = 0; n < MESSAGE_COUNT; n++) {
        side_make_message(n, bytes);
        ENetPacket *packet = enet_packet_create(bytes, sizeof bytes, ENET_PACKET_FLAG_RELIABLE);
        if (!packet || enet_peer_send(e->peer, 0, packet) != 0) progress->failed = true;
    }
}

const side_kind side_enet = { "ENet", open_sender,    open_receiver, socket_of,
                              step,   queue_messages, close_enet };
