/* src/discovery/answer.h -- the packets that answer a query.
 *
 * For:      responder.c. All packets are built at once, because the status is only borrowed during
 *           the call; the responder then sends them one by one.
 * Spec:     05 §3.
 */
#ifndef SB_DISCOVERY_ANSWER_H
#define SB_DISCOVERY_ANSWER_H

#include "discovery/question.h"

#include <starbase/discovery.h>

enum {
    /* Longest player name; longer ones are cut (the game allows 31 characters). With every other
     * value at its longest an answer then has at most 3767 bytes: four packets, or six if each
     * group has a packet of its own. A receiver accepts eight (sb_found). */
    SB_ANSWER_NAME_MAX = 64,
    SB_ANSWER_PACKETS_MAX = 6,
};

typedef struct sb_answer {
    uint32_t count;
    uint16_t sizes[SB_ANSWER_PACKETS_MAX];
    uint8_t  packets[SB_ANSWER_PACKETS_MAX][SB_ANSWER_MAX];
} sb_answer;

/* `number` is the N of queryid. Control characters and backslashes in texts of the status are
 * removed. */
void sb_answer_build(sb_answer *out, const sb_question *question, const sb_server_status *status,
                     uint32_t number);

#endif
