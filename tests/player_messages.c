/* tests/player_messages.c -- messages that a test player sends. */
#include "player_messages.h"

#include <starbase/message.h>
#include <starbase/replica.h>

#include "base/bytes.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

size_t player_hex(const char *hex, uint32_t peer_id, uint32_t ship_id, uint8_t *out,
                  size_t capacity)
{
    char   text[4096];
    size_t at = 0;
    for (const char *c = hex; *c && at + 16 < sizeof text; c++) {
        uint8_t number[4];
        if (*c != '{') {
            text[at++] = *c;
            continue;
        }
        sb_store_u32(number, c[1] == 'i' ? peer_id : ship_id);
        for (size_t i = 0; i < 4; i++) at += (size_t)snprintf(text + at, 4, "%02X ", number[i]);
        while (*c != '}') c++;
    }
    text[at] = 0;
    return test_hex(text, out, capacity);
}

size_t player_creation(uint8_t species, uint32_t object_id, uint8_t peer_id, sb_vec3 position,
                       const char *set, uint8_t *out, size_t capacity)
{
    sb_ship    ship;
    size_t     size;
    sb_message m = { .opcode = SB_OP_PLAYER_OBJECT_CREATE };
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), species), species, object_id);
    ship.motion.position = position;
    sb_ship_write_creation(&ship, &m.as.object_create);
    m.as.object_create.owner_slot = (int8_t)sb_slot_of_id(object_id);
    m.as.object_create.peer_id = peer_id;
    m.as.object_create.name = (sb_span){ (const uint8_t *)"Cady2", 5 };
    m.as.object_create.set_name = (sb_span){ (const uint8_t *)set, strlen(set) };
    CHECK_EQ(sb_encode_message(&m, NULL, out, capacity, &size), SB_OK);
    return size;
}

sb_span player_checksum_answer(sb_span request, const sb_manifest *manifest)
{
    static uint8_t answer[SB_CHECKSUM_RESPONSE_MAX];
    sb_message     message;
    size_t         size;
    CHECK(request.size > 0);
    CHECK_EQ(sb_decode_message(request, NULL, &message, NULL), SB_OK);
    CHECK_EQ(
        sb_manifest_answer(manifest, &message.as.checksum_request, answer, sizeof answer, &size),
        SB_OK);
    return (sb_span){ answer, size };
}
