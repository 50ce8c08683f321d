/* src/transport/marks.h -- how a peer that is attacked shows which datagrams are its own.
 *
 * For:      link. If a number comes with two different messages, or a datagram from its address
 *           has another id, somebody forges datagrams of the peer. For half a minute, reliable
 * messages and Acks then count only in datagrams that the peer is known to have sent. To show this,
 * the peer needs to know nothing: it gets copies of four old messages of ours, and acknowledges
 * them, as every peer does with duplicates. Only the peer hears which four numbers these are.
 * Never:    asks anything of a peer that is not attacked.
 * Tests:    tests/transport/marks_test.c
 * Spec:     01 §10.8; docs/decisions/forged-datagrams.md.
 */
#ifndef SB_TRANSPORT_MARKS_H
#define SB_TRANSPORT_MARKS_H

#include <starbase/transport.h>

enum {
    SB_MARKS_COUNT = 4,
    SB_MARKS_ALL =
        (1 << SB_MARKS_COUNT) - 1, /* the bits of all marks; above them, of earlier ones */
    /* Distance of the marks behind our oldest number in flight: beyond the numbers that the peer
     * still acknowledges or remembers. */
    SB_MARKS_NEAREST = 1280,
    SB_MARKS_PATIENCE_US = 3000000,
    SB_MARK_ANSWERS = 2 * SB_MARKS_COUNT, /* the latest marks of the other end, and of a forger */
};

/* Signs in a datagram that its peer sent it, or that somebody else did. */
typedef struct sb_signs {
    unsigned marks;         /* bits of the marks that it acknowledges */
    bool     ack_ahead;     /* an Ack of a number that we have not used yet */
    bool     conflict;      /* another message came with the number of one of its messages */
    uint8_t  conflict_type; /* type and number of the first such message */
    uint16_t conflict_seq;
} sb_signs;

typedef struct sb_marks {
    uint64_t seed;                    /* of the marks; nobody can guess it */
    sb_time  until;                   /* the peer counts as attacked before this time */
    sb_time  chosen_until;            /* answers to the marks are recognised before this time */
    sb_time  requested_at;            /* the first request */
    sb_time  began_at;                /* when the attack was noticed */
    sb_time  answered_at;             /* the last answer came, or the attack was noticed */
    sb_time  asks_until, ask_at;      /* when the marks are sent, and when next */
    sb_time  waits_until;             /* copies of disputed Data are awaited before this time */
    uint16_t disputed;                /* batch of the inbox: these Data came, then others */
    uint16_t base;                    /* our oldest number in flight when the marks were chosen */
    uint16_t marks[SB_MARKS_COUNT];   /* old numbers of ours that only the peer learns */
    uint16_t earlier[SB_MARKS_COUNT]; /* the marks before these: they may still be answered */
    bool     was_renewed;             /* `earlier` are of this attack: their Acks are proof, too */
    bool     answered;                /* the peer has acknowledged all marks in this attack */
    bool     ever_answered;           /* ... and at any time */
} sb_marks;

/* Answers to the marks of the other end: their Acks go first into every datagram for a while, so
 * that the other end knows all our datagrams. */
typedef struct sb_mark_answers {
    sb_time  until;                 /* answers are sent before this time */
    sb_time  due_at;                /* of marks without an answer; SB_TIME_NEVER: none */
    uint16_t seqs[SB_MARK_ANSWERS]; /* a ring of `count` numbers */
    uint8_t  count, next;
} sb_mark_answers;

void               sb_marks_init(sb_marks *marks, uint64_t seed, sb_time now);
static inline bool sb_marks_is_on(const sb_marks *g, sb_time now)
{
    return now < g->until;
}
/* Were marks chosen that the peer may answer: because it is attacked, or because a message needs
 * proof (sb_marks_request)? */
static inline bool sb_marks_are_chosen(const sb_marks *g, sb_time now)
{
    return now < g->chosen_until;
}
/* Draws marks from a secret: numbers behind `oldest`, our earliest Data number without an Ack. */
void sb_marks_draw(uint64_t secret, uint16_t oldest, uint16_t marks[SB_MARKS_COUNT]);
/* The peer has answered marks that were drawn before its session began. */
void sb_marks_adopt(sb_marks *marks, sb_time now, const uint16_t numbers[SB_MARKS_COUNT]);
/* The peer is attacked. `oldest`: our earliest Data number without an Ack. */
void sb_marks_raise(sb_marks *marks, sb_time now, uint16_t oldest);
/* A message needs proof that the peer has sent it, although there is no evidence of an attack. */
void sb_marks_request(sb_marks *marks, sb_time now, uint16_t oldest);
/* Was a request not answered for so long that the peer will never answer? */
static inline bool sb_marks_are_ignored(const sb_marks *g, sb_time now)
{
    return !g->ever_answered && now - g->requested_at >= SB_MARKS_PATIENCE_US;
}
/* Data came with a number that has another message, of the batch `disputed`: if the peer was not
 * attacked before, other Data waits until a copy of one of that batch shows which are forged. */
void sb_marks_dispute(sb_marks *marks, sb_time now, uint16_t disputed);
/* Bit of the mark that the Ack names, or of the earlier one; 0: none. */
unsigned sb_marks_find_mark(const sb_marks *marks, const sb_transport_message *ack);
/* Is it an Ack of a mark, or of an earlier one? */
bool sb_marks_has_sent(const sb_marks *marks, const sb_transport_message *ack);
/* Is the message a mark of the other end? `ahead`: distance of its number from the expected one. */
static inline bool sb_marks_is_mark(const sb_transport_message *m, int ahead)
{
    return m->type == SB_TRANSPORT_DATA && m->reliable && !m->fragment && m->payload.size == 0 &&
           ahead <= -SB_MARKS_NEAREST;
}
/* Do the bits of a datagram show that the peer has sent it? */
static inline bool sb_marks_are_all(unsigned bits)
{
    return (bits & SB_MARKS_ALL) == SB_MARKS_ALL || bits >> SB_MARKS_COUNT == SB_MARKS_ALL;
}
/* Handles the bits of a datagram; true: the peer is known to have sent it. */
bool sb_marks_accept(sb_marks *marks, sb_time now, unsigned bits);
/* Do only datagrams with all marks count? They do as soon as the peer has answered. */
static inline bool sb_marks_are_needed(const sb_marks *m, sb_time now)
{
    return m->answered && now < m->until;
}
/* Is the first answer awaited? A peer that has not answered for 3 s will not. */
static inline bool sb_marks_are_awaited(const sb_marks *m, sb_time now)
{
    return now < m->until && !m->answered && now - m->began_at < SB_MARKS_PATIENCE_US;
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
/* Chooses new marks when our numbers have moved on so far that the peer would soon take the old
 * ones for new messages. */
void sb_marks_follow(sb_marks *marks, sb_time now, uint16_t oldest);
/* Writes copies of the old messages, if they fit, and returns their number. */
uint32_t sb_marks_write(sb_marks *marks, sb_time now, sb_datagram_writer *w);

void sb_mark_answers_init(sb_mark_answers *answers);
/* A mark of the other end has arrived; its answer is due at `due_at`. */
void sb_mark_answers_note(sb_mark_answers *answers, sb_time now, uint16_t seq, sb_time due_at);
/* Writes all answers and returns their number. */
uint32_t sb_mark_answers_write(sb_mark_answers *answers, sb_time now, sb_datagram_writer *w);

#endif
