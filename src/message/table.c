/* src/message/table.c -- the opcode table: the single place a message is declared.
 *
 * For:      encode, decode, show, build, random, the fuzz loop, the reference page: all walk it.
 *           A new message is a struct, a description, a row here and a vector.
 * Spec:     facts/opcodes.csv; each row names its section.
 */
#include "message/table.h"

#include "message/describe.h"

#include <strings.h>

/* clang-format off */
/*    opcode  name, published name                            description           who sends       delivery            relay                  spec            event class            event code */
#define SB_MESSAGE_TABLE(X)                                                                                                                                                                               \
    X(0x00, "Settings", NULL,                                 settings,             SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER,       "06 §5.6",      0,                     0)          \
    X(0x01, "GameInit", NULL,                                 empty,                SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER,       "06 §5.7",      0,                     0)          \
    X(0x02, "ObjectCreate", "ObjCreate",                      object_create,        SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS,       "07 §2",        0,                     0)          \
    X(0x03, "PlayerObjectCreate", "ObjCreateTeam",            player_object_create, SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS,       "07 §2",        0,                     0)          \
    X(0x06, "PythonEvent", NULL,                              event,                SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER,       "08 §5",        SB_EVENT_PLAIN,        0x008000DF) \
    X(0x07, "StartFiring", NULL,                              event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS,       "08 §7.1",      SB_EVENT_START_FIRING, 0x008000D8) \
    X(0x08, "StopFiring", NULL,                               event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS,       "08 §7.2",      SB_EVENT_PLAIN,        0x008000DA) \
    X(0x09, "StopFiringAtTarget", NULL,                       event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS,       "08 §7.3",      SB_EVENT_OBJECT_POINTER, 0x008000DC) \
    X(0x0A, "SubsystemStatusChanged", NULL,                   event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS,       "08 §7.4",      SB_EVENT_BOOL,         0x008000DD) \
    X(0x0B, "AddToRepairList", NULL,                          event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS,       "08 §7.5",      SB_EVENT_PLAIN,        0x008000DF) \
    X(0x0C, "ClientEvent", NULL,                              event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS,       "08 §7.5",      SB_EVENT_PLAIN,        0)          \
    X(0x0D, "PythonEvent2", "TargetChanged",                  event,                SB_FROM_CLIENT, SB_RELIABLE,        SB_RELAY_ABSORB,       "08 §6",        SB_EVENT_OBJECT_POINTER, 0x00800058) \
    X(0x0E, "StartCloaking", NULL,                            event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS,       "08 §7.6",      SB_EVENT_PLAIN,        0x008000E2) \
    X(0x0F, "StopCloaking", NULL,                             event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS,       "08 §7.6",      SB_EVENT_PLAIN,        0x008000E4) \
    X(0x10, "StartWarp", NULL,                                event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS,       "08 §7.7",      SB_EVENT_START_WARP,   0x008000EC) \
    X(0x11, "RepairListPriority", NULL,                       event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS,       "08 §7.8",      SB_EVENT_OBJECT_POINTER, 0x00800076) \
    X(0x12, "SetPhaserLevel", NULL,                           event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS,       "08 §7.9",      SB_EVENT_CHAR,         0x008000E0) \
    X(0x13, "HostMsg", "SelfDestruct",                        empty,                SB_FROM_CLIENT, SB_EITHER_DELIVERY, SB_RELAY_ABSORB,       "08 §8",        0,                     0)          \
    X(0x14, "DestroyObject", NULL,                            object_ref,           SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER,       "07 §3; 08 §9", 0,                     0)          \
    X(0x15, "CollisionEffect", NULL,                          collision_effect,     SB_FROM_CLIENT, SB_RELIABLE,        SB_RELAY_ABSORB,       "08 §10",       SB_EVENT_COLLISION,    0x00800050) \
    X(0x16, "UICollisionSetting", NULL,                       collision_setting,    SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER,       "06 §5.8; 08 §11", 0,                  0)          \
    X(0x17, "PlayerListEvent", "DeletePlayerUI",              event,                SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER,       "07 §8; 08 §12", SB_EVENT_PLAYER,      0x008000F1) \
    X(0x18, "PlayerLeftText", "DeletePlayerAnim",             player_left,          SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER,       "07 §9; 08 §13", 0,                    0)          \
    X(0x19, "TorpedoFire", NULL,                              torpedo_fire,         SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS,       "08 §14.1",     0,                     0)          \
    X(0x1A, "PulseFire", "BeamFire",                          pulse_fire,           SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS,       "08 §14.2",     0,                     0)          \
    X(0x1B, "TorpedoTypeChange", NULL,                        event,                SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_OTHERS,       "08 §7.10",     SB_EVENT_CHAR,         0x008000FE) \
    X(0x1C, "StateUpdate", NULL,                              state_update,         SB_FROM_EITHER, SB_UNRELIABLE,      SB_RELAY_STATE,        "03",           0,                     0)          \
    X(0x1D, "ObjectNotFound", "ObjNotFound",                  object_ref,           SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_ABSORB,       "07 §5",        0,                     0)          \
    X(0x1E, "RequestObject", "RequestObj",                    object_ref,           SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_ABSORB,       "07 §6",        0,                     0)          \
    X(0x1F, "EnterSet", NULL,                                 enter_set,            SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_SERVER,       "07 §7",        0,                     0)          \
    X(0x20, "ChecksumRequest", NULL,                          checksum_request,     SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER,       "06 §5.1",      0,                     0)          \
    X(0x21, "ChecksumResponse", NULL,                         checksum_response,    SB_FROM_CLIENT, SB_RELIABLE,        SB_RELAY_ABSORB,       "06 §5.2",      0,                     0)          \
    X(0x22, "VersionMismatch", NULL,                          file_name,            SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER,       "06 §5.3",      0,                     0)          \
    X(0x23, "SystemChecksumFail", NULL,                       file_name,            SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER,       "06 §5.3",      0,                     0)          \
    X(0x25, "FileTransfer", NULL,                             file_transfer,        SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER,       "06 §5.4",      0,                     0)          \
    X(0x27, "FileTransferAck", NULL,                          empty,                SB_FROM_CLIENT, SB_RELIABLE,        SB_RELAY_ABSORB,       "06 §5.4",      0,                     0)          \
    X(0x28, "ChecksumComplete", NULL,                         empty,                SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER,       "06 §5.5",      0,                     0)          \
    X(0x29, "DamageVolume", "Explosion",                      damage_volume,        SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER,       "08 §15",       0,                     0)          \
    X(0x2A, "NewPlayerInGame", NULL,                          new_player_in_game,   SB_FROM_CLIENT, SB_RELIABLE,        SB_RELAY_ABSORB,       "06 §5.9",      0,                     0)          \
    X(0x2C, "CHAT", "CHAT_MESSAGE",                           chat,                 SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_ALL,          "09 §4",        0,                     0)          \
    X(0x2D, "TEAM_CHAT", "TEAM_CHAT_MESSAGE",                 chat,                 SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_TEAM,         "09 §4",        0,                     0)          \
    X(0x35, "MISSION_INIT", "MISSION_INIT_MESSAGE",           mission_init,         SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER,       "09 §5",        0,                     0)          \
    X(0x36, "SCORE_CHANGE", "SCORE_CHANGE_MESSAGE",           score_change,         SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER,       "09 §6",        0,                     0)          \
    X(0x37, "SCORE", "SCORE_MESSAGE",                         score,                SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER,       "09 §7",        0,                     0)          \
    X(0x38, "END_GAME", "END_GAME_MESSAGE",                   end_game,             SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER,       "09 §8",        0,                     0)          \
    X(0x39, "RESTART_GAME", "RESTART_GAME_MESSAGE",           empty,                SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER,       "09 §8",        0,                     0)          \
    X(0x3F, "SCORE_INIT", "SCORE_INIT_MESSAGE",               score_init,           SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER,       "09 §7",        0,                     0)          \
    X(0x40, "TEAM_SCORE", "TEAM_SCORE_MESSAGE",               team_score,           SB_FROM_HOST,   SB_RELIABLE,        SB_RELAY_SERVER,       "09 §7",        0,                     0)          \
    X(0x41, "TEAM", "TEAM_MESSAGE",                           team,                 SB_FROM_EITHER, SB_RELIABLE,        SB_RELAY_ALL,          "09 §7",        0,                     0)
/* clang-format on */

/* Opcodes below 0x2B without a row are dead; those from 0x2B up belong to mods (spec 09 §9.1). */
#define ROW(opcode_, name_, published_, description, direction_, delivery_, relay_, spec_, class_, \
            code_)                                                                                 \
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
#define DEAD(opcode_)                                                                              \
    {                                                                                              \
        { opcode_, "(unused)", NULL, SB_FROM_NOBODY, SB_RELIABLE, SB_RELAY_IGNORE, "08 §18" },     \
            NULL, NULL, NULL, 0, 0                                                                 \
    }

#define EIGHT(M, from)                                                                             \
    M(from), M((from) + 1), M((from) + 2), M((from) + 3), M((from) + 4), M((from) + 5),            \
        M((from) + 6), M((from) + 7)
#define SIXTEEN(M, from) EIGHT(M, from), EIGHT(M, (from) + 8)

/* First what an opcode is without a row, then the rows: the later initialiser counts. */
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
    SB_MESSAGE_TABLE(ROW)
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
    static const char *const texts[SB_RELAY_COUNT] = {
        "server", "others", "absorb", "state", "all", "team", "configurable", "ignore"
    };
    return (size_t)relay < sizeof texts / sizeof *texts ? texts[relay] : "?";
}
