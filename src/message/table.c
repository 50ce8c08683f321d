/* src/message/table.c -- the opcode table of starbase/protocol.h with its codecs, for all 256
 * opcodes.
 *
 * For:      message.c, which finds the row of an opcode by index; names of senders and deliveries.
 * Spec:     each row names its section.
 */
#include "message/table.h"

#include "message/describe.h"

#include <strings.h>

/* Opcodes below 0x2B without a row are unused; those from 0x2B up belong to mods (spec 09 §9.1). */
#define ROW(opcode_, id, name_, published_, description, direction_, delivery_, relay_, spec_,     \
            class_, code_)                                                                         \
    [opcode_] = { { opcode_, name_, published_, direction_, delivery_, relay_, spec_ },            \
                  sb_decode_##description,                                                         \
                  sb_encode_##description,                                                         \
                  sb_walk_##description,                                                           \
                  class_,                                                                          \
                  code_ },

#define MOD(opcode_)                                                                               \
    {                                                                                              \
        { opcode_,  "ModMessage", NULL, SB_FROM_EITHER, SB_EITHER_DELIVERY, SB_RELAY_CONFIGURABLE, \
          "09 §9.1" },                                                                             \
            sb_decode_mod_message, sb_encode_mod_message, sb_walk_mod_message, 0, 0                \
    }
#define UNUSED(opcode_, spec_)                                                                     \
    {                                                                                              \
        { opcode_, "(unused)", NULL, SB_FROM_NOBODY, SB_RELIABLE, SB_RELAY_IGNORE, spec_ }, NULL,  \
            NULL, NULL, 0, 0                                                                       \
    }
#define DEAD(opcode_)                      UNUSED(opcode_, "08 §18")
#define UNUSED_ROW(opcode_, spec_, remark) [opcode_] = UNUSED(opcode_, spec_),

#define EIGHT(M, from)                                                                             \
    M(from), M((from) + 1), M((from) + 2), M((from) + 3), M((from) + 4), M((from) + 5),            \
        M((from) + 6), M((from) + 7)
#define SIXTEEN(M, from) EIGHT(M, from), EIGHT(M, (from) + 8)

/* Every opcode first gets a default row; the rows of the table then override it. */
#pragma GCC diagnostic push
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#else
#pragma GCC diagnostic ignored "-Woverride-init"
#endif
const sb_message_row sb_message_rows[256] = {
    /* clang-format off */
    SIXTEEN(DEAD, 0x00), SIXTEEN(DEAD, 0x10), EIGHT(DEAD, 0x20), DEAD(0x28), DEAD(0x29), DEAD(0x2A),
    MOD(0x2B), MOD(0x2C), MOD(0x2D), MOD(0x2E), MOD(0x2F),
    SIXTEEN(MOD, 0x30), SIXTEEN(MOD, 0x40), SIXTEEN(MOD, 0x50), SIXTEEN(MOD, 0x60),
    SIXTEEN(MOD, 0x70), SIXTEEN(MOD, 0x80), SIXTEEN(MOD, 0x90), SIXTEEN(MOD, 0xA0),
    SIXTEEN(MOD, 0xB0), SIXTEEN(MOD, 0xC0), SIXTEEN(MOD, 0xD0), SIXTEEN(MOD, 0xE0),
    SIXTEEN(MOD, 0xF0),
    SB_UNUSED_OPCODES(UNUSED_ROW) SB_MESSAGE_TABLE(ROW)
    /* clang-format on */
};
#pragma GCC diagnostic pop

const sb_message_type *sb_find_message_type(uint8_t opcode)
{
    return &sb_find_row(opcode)->type;
}

const sb_message_type *sb_find_message_type_by_name(const char *name)
{
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const sb_message_row *row = sb_find_row((uint8_t)opcode);
        if (!row->decode || row->type.relay == SB_RELAY_CONFIGURABLE) continue;
        if (strcasecmp(row->type.name, name) == 0) return &row->type;
        if (row->type.published && strcasecmp(row->type.published, name) == 0) return &row->type;
    }
    return NULL;
}

const char *sb_direction_text(sb_direction direction)
{
    static const char *const texts[] = { "-", "S->C", "C->S", "both" };
    return (size_t)direction < sizeof texts / sizeof *texts ? texts[direction] : "?";
}

const char *sb_delivery_text(sb_delivery delivery)
{
    static const char *const texts[] = { "unreliable", "reliable", "either" };
    return (size_t)delivery < sizeof texts / sizeof *texts ? texts[delivery] : "?";
}

const char *sb_relay_text(sb_relay relay)
{
    static const char *const texts[SB_RELAY_COUNT] = { "server",      "others",       "absorb",
                                                       "state",       "all",          "team",
                                                       "acting host", "configurable", "ignore" };
    return (size_t)relay < sizeof texts / sizeof *texts ? texts[relay] : "?";
}

const char *sb_find_opcode_remark(uint8_t opcode)
{
#define REMARK(opcode_, spec_, remark_) [opcode_] = remark_,
    static const char *const remarks[256] = {
        [SB_OP_SCRIPT_FIRST] =
            ("the boundary (MAX_MESSAGE_TYPES, 43): the engine passes opcodes from here on to "
             "scripts; 0x2B itself is the first number free for mods (09 §3)"),
        [SB_OP_RESTART_GAME] =
            ("stock clients never send it; with the key player_restart a server obeys the acting "
             "host, the client in the game with the lowest peer id, and drops it from any other "
             "client (09 §8)"),
        SB_UNUSED_OPCODES(REMARK)
    };
    if (remarks[opcode]) return remarks[opcode];
    if (sb_find_row(opcode)->type.relay != SB_RELAY_CONFIGURABLE) return NULL;
    return "a message of a mod: the stock game does not use the opcode; its bytes are kept as they "
           "are and relayed as the server's mod_policy says (09 §9.1); --define FILE gives it "
           "fields";
}
