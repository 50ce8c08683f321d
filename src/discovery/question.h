/* src/discovery/question.h -- what a query asks for. Spec 05 §3.
 *
 * For:      responder, which reads questions and keeps them until they are answered; answer.
 */
#ifndef SB_DISCOVERY_QUESTION_H
#define SB_DISCOVERY_QUESTION_H

#include <starbase/gamespy.h>

enum {
    SB_ASKS_BASIC = 1 << 0,
    SB_ASKS_INFO = 1 << 1,
    SB_ASKS_RULES = 1 << 2,
    SB_ASKS_PLAYERS = 1 << 3,
    SB_ASKS_GROUPS = SB_ASKS_BASIC | SB_ASKS_INFO | SB_ASKS_RULES | SB_ASKS_PLAYERS,
    SB_ASKS_ECHO = 1 << 4,
    SB_ASKS_SECURE = 1 << 5,
    SB_ASKS_PACKETS = 1 << 6, /* all groups, each in a packet of its own */

    SB_ECHO_MAX = 32, /* bytes of an argument that is sent back (spec 05 §8) */
};

typedef struct sb_question {
    uint8_t asks;           /* SB_ASKS_... */
    uint8_t echo_size;      /* above SB_ECHO_MAX: too long, and not copied */
    uint8_t challenge_size; /* 0: none that can be answered */
    uint8_t echo[SB_ECHO_MAX];
    uint8_t challenge[SB_GAMESPY_CHALLENGE_MAX];
} sb_question;

/* An answer, or somebody's heartbeat: to answer it would be the beginning of an endless
 * conversation between two servers (spec 05 §8). */
bool sb_question_is_answer(const sb_gamespy_text *text);
/* `asks` is 0 if no key is a query. */
void sb_question_parse(sb_question *out, const sb_gamespy_text *text);

#endif
