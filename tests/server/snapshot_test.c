/* tests/server/snapshot_test.c -- a room is plain memory: its bytes, copied back into place, are
 * the room as it was. fuzz/room_world.c restores rooms in this way.
 */
#include "base/text.h"
#include "rig.h"
#include "server/testing.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 300 };

static uint64_t add(uint64_t digest, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ ((const uint8_t *)bytes)[i]) * 0x100000001B3u; /* FNV-1a */
    return digest;
}

/* Ten seconds in which no player answers; a stranger sends queries. Returns a digest of all that
 * the room sends. */
static uint64_t run_alone(sb_server *server, sb_time now)
{
    uint8_t     out[SB_SERVER_DATAGRAM_MAX];
    sb_endpoint to;
    size_t      size;
    uint64_t    digest = 0xCBF29CE484222325u;
    for (int i = 0; i < STEPS; i++, now += SB_SECOND / 30) {
        if (i % 30 == 0)
            (void)!sb_server_receive(server, now, room_stranger(1), sb_text_span("\\status\\"));
        sb_server_advance(server, now);
        while ((size = sb_server_write(server, now, &to, out)) > 0) {
            digest = add(digest, &to.port, sizeof to.port);
            digest = add(digest, out, size);
        }
        sb_server_check(server);
    }
    return digest;
}

TEST(a_room_copied_back_into_place_goes_on_as_it_did_before)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.transport.peers_per_ip = 0;
    size_t   bytes = sb_server_bytes(&c);
    uint8_t *saved = malloc(bytes);
    CHECK(saved != NULL);
    room    *r = room_open(&c);
    seat    *a = room_join(r, "a"), *b = room_join(r, "b");
    uint32_t target = seat_spawn(r, b, 3, (sb_vec3){ 0, 40, 0 });
    uint32_t ship = seat_spawn(r, a, 5, (sb_vec3){ 0, 0, 0 });
    seat_open_fire(r, a, ship, target);
    room_wait(r, SB_SECOND);

    memcpy(saved, r->server, bytes);
    uint64_t first = run_alone(r->server, r->now);
    uint64_t later = run_alone(r->server, r->now + 10 * SB_SECOND);
    memcpy(r->server, saved, bytes);
    sb_server_check(r->server);
    uint64_t again = run_alone(r->server, r->now);
    CHECK(first == again);
    CHECK(first != later);
    free(saved);
}
