/* sim/attacker_game.c -- game messages that an off-path attacker forges.
 *
 * For:      sim/attacker_game.h.
 */
#include "sim/attacker_game.h"

#include <starbase/message.h>
#include <starbase/replica.h>

#include "base/assert.h"
#include "base/bytes.h"

#include <string.h>

/* Players usually have slot = id - 2, and ships are numbered from 0 (spec 07 §1). */
static uint32_t guess_ship(sb_random *random, uint8_t peer_id)
{
    uint32_t slot = peer_id >= 2 && peer_id < 18 ? peer_id - 2u : 0;
    return 0x3FFFFFFFu + (slot << 18) + sb_random_below(random, 4);
}

static size_t write_bad_creation(uint8_t *out)
{
    out[0] = SB_OP_PLAYER_OBJECT_CREATE;
    out[1] = 0;
    return 2;
}

static size_t write_creation(sb_random *random, uint8_t peer_id, uint8_t *out)
{
    sb_ship    ship;
    size_t     size;
    sb_message m = { .opcode = SB_OP_PLAYER_OBJECT_CREATE };
    uint32_t   id = guess_ship(random, peer_id);
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), 5), 5, id);
    sb_ship_write_creation(&ship, &m.as.object_create);
    m.as.object_create.owner_slot = (int8_t)(peer_id - 2);
    m.as.object_create.peer_id = peer_id;
    m.as.object_create.name = (sb_span){ (const uint8_t *)"Forged", 6 };
    m.as.object_create.set_name = (sb_span){ (const uint8_t *)"Multi1", 6 };
    return sb_encode_message(&m, NULL, out, SIM_FORGED_PAYLOAD, &size) == SB_OK ? size : 0;
}

static void store_float(uint8_t *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    sb_store_u32(out, bits);
}

/* A position far away, at a time that is usually far ahead. */
static size_t write_update(sb_random *random, uint8_t peer_id, uint8_t *out)
{
    float time = (float)sb_random_below(random, 4000000) / 1000;
    float x = (float)sb_random_below(random, 100000);
    out[0] = SB_OP_STATE_UPDATE;
    sb_store_u32(out + 1, guess_ship(random, peer_id));
    store_float(out + 5, time);
    out[9] = SB_STATE_POS;
    store_float(out + 10, x);
    memset(out + 14, 0, 9); /* y, z, no hash */
    return 23;
}

static size_t write_chat(uint8_t peer_id, uint8_t *out)
{
    size_t length = sizeof SIM_FORGED_CHAT - 1;
    out[0] = SB_OP_CHAT;
    sb_store_u32(out + 1, peer_id);
    sb_store_u16(out + 5, (uint16_t)length);
    memcpy(out + 7, SIM_FORGED_CHAT, length);
    return 7 + length;
}

/* StopFiring of a guessed ship (spec 08 §7.2). */
static size_t write_event(sb_random *random, uint8_t peer_id, uint8_t *out)
{
    static const uint8_t event[17] = { SB_OP_STOP_FIRING, 1, 1, 0, 0, 0xDA, 0, 0x80, 0 };
    memcpy(out, event, sizeof event);
    sb_store_u32(out + 13, guess_ship(random, peer_id));
    return sizeof event;
}

size_t sim_forge_game_message(void *context, sb_random *random, uint8_t peer_id, uint8_t *out)
{
    (void)context;
    switch (sb_random_below(random, 6)) {
    case 0: return write_bad_creation(out);
    case 1: return write_creation(random, peer_id, out);
    case 2: return write_update(random, peer_id, out);
    case 3: return write_chat(peer_id, out);
    case 4: return write_event(random, peer_id, out);
    default: out[0] = SB_OP_RESTART_GAME; return 1;
    }
}
