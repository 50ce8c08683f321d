/* src/transport/marks.h -- how a peer that is attacked shows which datagrams are its own.
 *
 * For:      link. If a datagram from its address has another id, or a number comes with two
 *           different messages, somebody forges datagrams of the peer. For half a minute, Acks, and
 *           in the second case reliable messages, then count only in datagrams that the peer is
 *           known to have sent. To show this, the peer needs to know nothing: it gets a set of
 *           marks, copies of old messages of ours, and acknowledges them, as every peer does with
 *           duplicates. Only the peer hears their numbers. Every question has a new set: a stock
 *           peer acknowledges a new copy at once, but a known one only with the timer of its first
 *           Ack (spec 01 §6.7).
 * Never:    asks a peer without a cause: evidence of forgeries, or a message that needs proof.
 * Tests:    tests/transport/marks_test.c, marks_alone_test.c
 * Spec:     01 §10.8; docs/decisions/forged-datagrams.md.
 */
#ifndef SB_TRANSPORT_MARKS_H
#define SB_TRANSPORT_MARKS_H

#include <starbase/transport.h>

enum {
    SB_MARKS_COUNT = 5,                       /* of a set */
    SB_MARKS_BYTES = SB_MARKS_COUNT * 5,      /* of their messages, which have no payload */
    SB_MARKS_ALL = (1 << SB_MARKS_COUNT) - 1, /* a bit per mark */
    SB_MARKS_SETS = 64,                       /* the latest sets count: more than 2 s of them */
    /* Distance of the marks behind our oldest number in flight: beyond the numbers that the peer
     * still acknowledges or remembers. */
    SB_MARKS_NEAREST = 1280,
    SB_MARKS_RANGE = 2400, /* numbers that a mark is drawn from; each mark of a set has its own */
    SB_MARKS_PATIENCE_US = 3000000,
    SB_MARKS_MEMORY_US = 12000000, /* a stock peer repeats a message after 1, 3, 6 and 10 s */
    /* Sets of marks and questions (spec 01 §5.4) of the other end that are answered: the latest,
     * and some of those before it. Their Acks fit into a datagram beside the longest message. */
    SB_MARK_ANSWERS = 4,
    SB_MARK_ANSWER_SIZE = 6,
};

/* Signs in a datagram that its peer sent it, or that somebody else did. */
typedef struct sb_signs {
    bool     marked;        /* it acknowledges all marks of a set */
    uint8_t  mark_acks;     /* marks of all sets that it acknowledges */
    bool     ack_ahead;     /* an Ack of a number that we have not used yet */
    bool     conflict;      /* another message came with the number of one of its messages */
    uint8_t  conflict_type; /* type and number of the first such message */
    uint16_t conflict_seq;
} sb_signs;

/* Marks that a datagram acknowledges: bits for each set. */
typedef struct sb_marks_found {
    uint8_t bits[SB_MARKS_SETS];
} sb_marks_found;

typedef struct sb_marks {
    uint64_t seed;               /* of the marks; nobody can guess it */
    sb_time  until;              /* the peer counts as attacked before this time */
    sb_time  chosen_until;       /* answers to the marks are recognised before this time */
    sb_time  began_at;           /* when the attack was noticed */
    sb_time  answered_at;        /* the last answer came, or the attack was noticed */
    sb_time  asks_until, ask_at; /* when the marks are sent, and when next */
    sb_time  waits_until;        /* copies of disputed Data are awaited before this time */
    sb_time  awaits_from;        /* copies of stored Data are awaited from this time on */
    sb_time  drawn_at;           /* when the latest set was drawn */
    sb_time  messages_at;        /* a reliable message came in a datagram with a set */
    uint16_t disputed;           /* batch of the inbox: these Data came, then others */
    uint16_t base;               /* our oldest number in flight when the first set was drawn */
    uint8_t  latest, count;      /* of the ring `sets` */
    uint16_t sets[SB_MARKS_SETS][SB_MARKS_COUNT]; /* old numbers that only the peer learns */
    bool     answered;      /* the peer has acknowledged a set in this attack */
    bool     ever_answered; /* ... and at any time */
} sb_marks;

/* Answers to the marks of the other end: their Acks go first into every datagram for a while, so
 * that the other end knows all our datagrams. */
typedef struct sb_mark_answers {
    sb_time  until;         /* answers are sent before this time */
    sb_time  due_at;        /* of marks without an answer; SB_TIME_NEVER: none */
    sb_time  own_until;     /* the bits in `own` count before this time */
    uint16_t batch;         /* of the inbox: the datagram with the set `latest` */
    uint8_t  latest, count; /* of `sets` */
    uint8_t  written;       /* bits of sets that were answered */
    uint8_t  own;           /* bits of sets that the other end is known to have sent */
    bool     is_flooded;    /* a set gave way before it was answered */
    uint8_t  sizes[SB_MARK_ANSWERS];
    bool     is_question[SB_MARK_ANSWERS]; /* answered once: a host asks again if it must */
    uint16_t sets[SB_MARK_ANSWERS][SB_MARK_ANSWER_SIZE];
} sb_mark_answers;

void               sb_marks_init(sb_marks *marks, uint64_t seed, sb_time now);
static inline bool sb_marks_is_on(const sb_marks *g, sb_time now)
{
    return now < g->until;
}
/* May the peer answer marks: because it is attacked, or because a message needs proof
 * (sb_marks_request)? */
static inline bool sb_marks_are_chosen(const sb_marks *g, sb_time now)
{
    return now < g->chosen_until;
}
/* Draws a set from a secret; `base`: our earliest Data number without an Ack, or a later one. */
void sb_marks_draw(uint64_t secret, uint16_t base, uint16_t set[SB_MARKS_COUNT]);
/* The peer has answered a set that was drawn for base 0 before its session began. */
void sb_marks_adopt(sb_marks *marks, sb_time now, const uint16_t set[SB_MARKS_COUNT]);
/* The peer is attacked. */
void sb_marks_raise(sb_marks *marks, sb_time now);
/* A message needs proof that the peer has sent it, although there is no evidence of an attack. */
void sb_marks_request(sb_marks *marks, sb_time now);
/* The same; the marks are sent from `at` on, unless they are sent already. */
void sb_marks_request_later(sb_marks *marks, sb_time now, sb_time at);
/* Sends no more marks until they are needed again. Those that were sent still count. */
void sb_marks_stop_asking(sb_marks *marks, sb_time now);
/* Data came with a number that has another message, of the batch `disputed`: if the peer was not
 * attacked before, other Data waits until a copy of one of that batch shows which are forged. */
void sb_marks_dispute(sb_marks *marks, sb_time now, uint16_t disputed);
/* Adds the marks that the Ack names. */
void sb_marks_find(const sb_marks *marks, const sb_transport_message *ack, sb_marks_found *found);
/* Are all marks of a set among those found? */
bool sb_marks_are_found(const sb_marks *marks, const sb_marks_found *found);
/* The number of marks found, of all sets. */
uint8_t sb_marks_count_found(const sb_marks *marks, const sb_marks_found *found);
/* Is the message a mark of the other end? `ahead`: distance of its number from the expected one. */
static inline bool sb_marks_is_mark(const sb_transport_message *m, int ahead)
{
    return m->type == SB_TRANSPORT_DATA && m->reliable && !m->fragment && m->payload.size == 0 &&
           ahead <= -SB_MARKS_NEAREST;
}
/* The peer has sent a datagram with all marks of a set. */
void sb_marks_note_answer(sb_marks *marks, sb_time now);
/* Do only datagrams with a set of marks count? They do as soon as the peer has answered. */
static inline bool sb_marks_are_needed(const sb_marks *m, sb_time now)
{
    return m->answered && now < m->until;
}
/* Has the peer sent a reliable message in such a datagram during this attack? Some peers
 * acknowledge in datagrams of their own: their messages never have marks beside them. */
static inline bool sb_marks_are_beside_messages(const sb_marks *m, sb_time now)
{
    return sb_marks_are_needed(m, now) && m->messages_at >= m->began_at;
}
/* Is the first answer awaited? A peer that has not answered for 3 s will not. */
static inline bool sb_marks_are_awaited(const sb_marks *m, sb_time now)
{
    return now < m->until && !m->answered && now - m->began_at < SB_MARKS_PATIENCE_US;
}
/* Has a peer that answers marks stopped to do so? It does not hear us, or is not there: what comes
 * in its name can wait. */
static inline bool sb_marks_are_unanswered(const sb_marks *m, sb_time now)
{
    return m->ever_answered && now < m->until && now - m->answered_at >= SB_MARKS_PATIENCE_US;
}
/* Something of an unknown sender was dropped: the marks are sent again for a while. */
void sb_marks_ask(sb_marks *marks, sb_time now);
/* The same during an attack, for Data that had been stored before. */
void sb_marks_await(sb_marks *marks, sb_time now, uint16_t disputed);
/* Does new Data have to wait? */
static inline bool sb_marks_disputes(const sb_marks *g, sb_time now)
{
    return now < g->waits_until;
}
/* A copy of a message of this batch has arrived. */
void sb_marks_settle(sb_marks *marks, uint16_t batch);
/* When the marks are to be sent; SB_TIME_NEVER. */
static inline sb_time sb_marks_ask_at(const sb_marks *g)
{
    return g->ask_at < g->asks_until ? g->ask_at : SB_TIME_NEVER;
}
/* Writes a set, if it fits, and returns the number of messages. `oldest`: our earliest Data number
 * without an Ack. */
uint32_t sb_marks_write(sb_marks *marks, sb_time now, uint16_t oldest, sb_datagram_writer *w);

void sb_mark_answers_init(sb_mark_answers *answers);
/* A mark of the other end has arrived, or a message of a question, with the datagram `batch`; its
 * answer is due at `due_at`. `proven`: the other end is known to have sent the datagram. */
void sb_mark_answers_note(sb_mark_answers *answers, sb_time now, uint16_t batch,
                          const sb_transport_message *message, sb_time due_at, bool proven);
/* Writes all answers and returns how many are of marks. */
uint32_t sb_mark_answers_write(sb_mark_answers *answers, sb_time now, sb_datagram_writer *w);

#endif
