/* starbase/message_script.h -- contents of the messages that mission scripts exchange: chat,
 * mission, scores, teams, end of the match.
 *
 * For:      code that needs these structs but no codec. starbase/message.h includes them.
 * Spec:     09.
 */
#ifndef STARBASE_MESSAGE_SCRIPT_H
#define STARBASE_MESSAGE_SCRIPT_H

#include <starbase/base.h>
#include <starbase/protocol.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sb_chat { /* 0x2C, 0x2D */
    int32_t sender;
    sb_span text;
} sb_chat;

typedef struct sb_mission_init {                          /* 0x35 */
    uint8_t player_limit, system, time_limit, frag_limit; /* limits: 0xFF: none */
    int32_t end_time;                                     /* valid only if time_limit is not 0xFF */
} sb_mission_init;

typedef struct sb_score_entry {
    int32_t player, score;
} sb_score_entry;

typedef struct sb_score_change {         /* 0x36 */
    int32_t        killer, kills, score; /* kills and score are valid only if killer is not 0 */
    int32_t        victim, deaths;
    uint8_t        entry_count;
    sb_score_entry entries[SB_SCORES_MAX];
    /* A stock host can leave ids out. Which entries lack theirs is not on the wire, so all entries
     * stay numbers (i32): then `announced` is their number and entry_count is 0. */
    uint8_t announced;
    sb_span numbers;
} sb_score_change;

typedef struct sb_score { /* 0x37, 0x3F */
    int32_t player, kills, deaths, score;
    uint8_t team; /* 0x3F only; 255: none yet */
} sb_score;

typedef struct sb_team_score { /* 0x40 */
    uint8_t team;
    int32_t kills, score;
} sb_team_score;

typedef struct sb_team { /* 0x41 */
    int32_t player;
    uint8_t team;
} sb_team;

typedef struct sb_end_game { /* 0x38 */
    int32_t reason;
} sb_end_game;

typedef struct sb_mod_message { /* opcodes that the stock game does not use (spec 09 §9.1) */
    sb_span content;
} sb_mod_message;

#ifdef __cplusplus
}
#endif
#endif
