/* src/discovery/answer.h -- the packets that answer a question. Spec 05 §3.
 *
 * For:      responder. An answer is made as a whole, since the status is only borrowed, and is then
 *           handed out packet by packet.
 */
#ifndef SB_DISCOVERY_ANSWER_H
#define SB_DISCOVERY_ANSWER_H

#include "discovery/question.h"

#include <starbase/discovery.h>

enum {
    /* Names of players are cut here; the game's have at most 31 characters. With all other values
     * at their longest a whole answer then has at most 3767 bytes: four packets, or six when the
     * groups stay apart; a receiver keeps eight (sb_found). */
    SB_ANSWER_NAME_MAX = 64,
    SB_ANSWER_PACKETS_MAX = 6,
};

typedef struct sb_answer {
    uint32_t count;
    uint16_t sizes[SB_ANSWER_PACKETS_MAX];
    uint8_t  packets[SB_ANSWER_PACKETS_MAX][SB_ANSWER_MAX];
} sb_answer;

/* `number` is the N of queryid. Texts of the status are cleaned here. */
void sb_answer_build(sb_answer *out, const sb_question *question, const sb_server_status *status,
                     uint32_t number);

#endif
