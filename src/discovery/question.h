/* src/discovery/question.h -- the parsed form of a query.
 *
 * For:      responder.c, which parses queries and queues them, and answer.c.
 * Spec:     05 §3.
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

    SB_ECHO_MAX = 32, /* bytes of an echo argument that we send back (spec 05 §8) */
};

typedef struct sb_question {
    uint8_t asks;           /* SB_ASKS_... */
    uint8_t echo_size;      /* above SB_ECHO_MAX: too long, `echo` was not copied */
    uint8_t challenge_size; /* 0: no challenge, or one of a size that we cannot answer */
    uint8_t echo[SB_ECHO_MAX];
    uint8_t challenge[SB_GAMESPY_CHALLENGE_MAX];
} sb_question;

/* True: the text is an answer or a heartbeat. Two servers that answered those would answer each
 * other without end (spec 05 §8). */
bool sb_question_is_answer(const sb_gamespy_text *text);
/* Sets `asks` to 0 if no key is a query. */
void sb_question_parse(sb_question *out, const sb_gamespy_text *text);

#endif
