/* starbase/message.h -- every game message: bytes to structs and back.
 *
 * For:      code that has the payload of a Data message; byte 0 is the opcode.
 * Never:    deals with delivery: starbase/transport.h does.
 * Spec:     03 (StateUpdate), 06 (join), 07 (objects), 08 (events), 09 (script messages).
 *
 * Lossy fields keep their wire code (`speed_code`); starbase/compressed.h converts them. A decoded
 * message encodes to the same bytes. Spans point into the decoded payload.
 */
#ifndef STARBASE_MESSAGE_H
#define STARBASE_MESSAGE_H

#include <starbase/base.h>
#include <starbase/compressed.h>
#include <starbase/field.h>
#include <starbase/message_join.h>
#include <starbase/message_object.h>
#include <starbase/message_script.h>
#include <starbase/protocol.h>
#include <starbase/ship.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 08 events and fire records ---- */

/* The content of every event message. event_class decides which members after `destination` are
 * valid; their comments name the class. */
typedef struct sb_event {
    uint32_t event_class, event_code;
    uint32_t source;        /* 0: none; never -1, which only the destination can be (spec 08 §2) */
    uint32_t destination;   /* its handlers run; a receiver of 0x17 puts in its own (spec 07 §8) */
    uint8_t  value;         /* BOOL, CHAR */
    uint32_t third;         /* OBJECT_POINTER */
    uint8_t  peer_id;       /* PLAYER */
    uint32_t target;        /* START_FIRING */
    sb_cv4b  offset;        /* START_FIRING */
    int32_t  killer;        /* OBJECT_EXPLODING: peer id */
    float    lifetime;      /* OBJECT_EXPLODING */
    sb_span  set_name;      /* START_WARP */
    sb_vec3  warp_to;       /* START_WARP */
    float    warp_speed;    /* START_WARP */
    uint8_t  contact_count; /* COLLISION */
    sb_cv4b  contacts[SB_CONTACTS_MAX];
    float    force;     /* COLLISION */
    sb_span  extension; /* bytes: any other class, COLLISION with too many contacts */
} sb_event;

typedef struct sb_torpedo_fire { /* 0x19 */
    uint32_t tube;
    uint8_t  projectile_type, flags;
    sb_cv3   direction;
    uint32_t target; /* 0: none */
    sb_cv4b  aim;
    bool     documented;   /* the form of 19 bytes, which no stock client sends */
    sb_cv4   aim_distance; /* documented: instead of `aim` */
} sb_torpedo_fire;

typedef struct sb_pulse_fire { /* 0x1A */
    uint32_t weapon;
    uint8_t  projectile_type;
    sb_cv3   direction;
    uint8_t  flags;
    uint32_t target;
} sb_pulse_fire;

typedef struct sb_damage_volume { /* 0x29 */
    uint32_t object_id;
    sb_cv4   centre;
    uint16_t radius_code, strength_code;
} sb_damage_volume;

/* ---- one message ---- */

typedef struct sb_message {
    uint8_t opcode;
    /* The received group bytes, if the sender did not group its booleans as spec 02 §4.2 says;
     * encoding reproduces them. group_count 0: group as the spec says. */
    uint8_t group_count;
    uint8_t groups[40];
    sb_span trailing; /* bytes after the last field: ignored, but kept (spec 02 §9) */
    union {
        sb_state_update       state_update;
        sb_settings           settings;
        sb_checksum_request   checksum_request;
        sb_checksum_response  checksum_response;
        sb_file_name          file_name;
        sb_file_transfer      file_transfer;
        sb_new_player_in_game new_player_in_game;
        sb_collision_setting  collision_setting;
        sb_object_create      object_create;
        sb_object_ref         object_ref;
        sb_enter_set          enter_set;
        sb_player_left        player_left;
        sb_event              event;
        sb_torpedo_fire       torpedo_fire;
        sb_pulse_fire         pulse_fire;
        sb_damage_volume      damage_volume;
        sb_chat               chat;
        sb_mission_init       mission_init;
        sb_score_change       score_change;
        sb_score              score;
        sb_team_score         team_score;
        sb_team               team;
        sb_end_game           end_game;
        sb_mod_message        mod_message;
    } as;
} sb_message;

/* ---- bytes to struct, struct to bytes ---- */

/* Decodes one payload. `context` and `refusal` may be NULL. Any result but SB_OK: `out` is
 * undefined, and `refusal` holds the position and the reason. */
SB_API SB_MUST_USE sb_result sb_decode_message(sb_span payload, const sb_message_context *context,
                                               sb_message *out, sb_refusal *refusal);

/* Writes the payload. SB_FULL: `capacity` is too small. SB_BAD_VALUE: no reader would accept the
 * message. */
SB_API SB_MUST_USE sb_result sb_encode_message(const sb_message         *message,
                                               const sb_message_context *context, uint8_t *out,
                                               size_t capacity, size_t *size);

/* ---- bytes to a sink, a source to bytes (starbase/field.h) ---- */

SB_API SB_MUST_USE sb_result sb_show_message(sb_span payload, const sb_message_context *context,
                                             const sb_sink *sink, sb_refusal *refusal);

SB_API SB_MUST_USE sb_result sb_build_message(uint8_t opcode, const sb_message_context *context,
                                              const sb_source *source, uint8_t *out,
                                              size_t capacity, size_t *size, sb_refusal *refusal);

#ifdef __cplusplus
}
#endif
#endif
