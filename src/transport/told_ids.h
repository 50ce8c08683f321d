/* src/transport/told_ids.h -- which of the ids that a connecting client was told is its own.
 *
 * For:      client. Anybody who knows the address and port of a client can answer its Connect with
 *           some id. The host hears the client only under the right one: marks that the client
 *           sends under each id are acknowledged under that one, and nobody else can know them.
 * Never:    sends messages with an effect under an id that is not proven: on a stock host, it may
 *           be the id of another player.
 * Tests:    tests/transport/told_ids_test.c, client_confirm_test.c
 * Spec:     01 §10.8 rule 6.
 */
#ifndef SB_TRANSPORT_TOLD_IDS_H
#define SB_TRANSPORT_TOLD_IDS_H

#include "transport/marks.h"

enum {
    SB_QUESTION_NUMBERS = 6, /* of a question whether we hear the host (spec 01 §5.4) */
    SB_QUESTIONS_KEPT = 8,   /* the latest: some may be of a forger */
};

typedef struct sb_told_ids {
    uint64_t seed;
    uint32_t told[4]; /* a bit per id */
    uint8_t  count;   /* of these bits */
    uint8_t  first;   /* the id that was told first; 0: none */
    uint8_t  last;    /* the id whose marks were sent last */
    sb_time  ask_at;  /* when marks are sent next; SB_TIME_NEVER: none */
    uint16_t questions[SB_QUESTIONS_KEPT][SB_QUESTION_NUMBERS];
    uint8_t  question_count, next_question;
} sb_told_ids;

/* `seed`: of the marks; nobody can guess it. */
void sb_told_ids_init(sb_told_ids *ids, uint64_t seed);
/* The client was told `id`, 2..127; true: for the first time. */
bool sb_told_ids_add(sb_told_ids *ids, sb_time now, uint8_t id);
/* Remembers the question in the datagram, if it has one: it is answered soon. */
void sb_told_ids_note_question(sb_told_ids *ids, sb_time now, const sb_datagram *datagram);
/* The numbers of the latest question but `age`; NULL: there were not so many. */
const uint16_t *sb_told_ids_question(const sb_told_ids *ids, unsigned age);
/* The id whose marks the datagram acknowledges; 0: none. */
uint8_t sb_told_ids_find_proven(const sb_told_ids *ids, const sb_datagram *datagram);
/* The marks that are sent under this id. */
void sb_told_ids_marks(const sb_told_ids *ids, uint8_t id, uint16_t marks[SB_MARKS_COUNT]);
/* Writes the next datagram: marks of the next id, and Acks of all questions. */
void sb_told_ids_write(sb_told_ids *ids, sb_time now, sb_datagram_writer *w, uint8_t *out);

#endif
