/* src/transport/guard.h -- reliable messages of a peer whose numbers somebody has guessed.
 *
 * For:      link. A forger who does not hear the peer can still guess its sequence numbers. Once
 *           two different messages came with one number, a reliable message counts in a datagram
 *           with marks of the peer (marks.h), or by its copies: the true sender repeats it after a
 *           timeout and stops when it hears an Ack. The guard remembers what came, how often and
 *           when; inbox_candidates.c keeps the messages.
 * Never:    loses a message of the peer: it costs retransmissions while the attack lasts.
 * Tests:    tests/transport/guard_test.c
 * Spec:     01 §10.8.
 */
#ifndef SB_TRANSPORT_GUARD_H
#define SB_TRANSPORT_GUARD_H

#include <starbase/base.h>
#include <starbase/datagram.h>

enum {
    /* Copies that wait for the next one are kept in sets. A forger must not push out the copies of
     * whole messages with fragments or control messages, so each kind has sets of its own. */
    SB_GUARD_WHOLE_SETS = 64, /* twice the numbers that may come during an attack */
    SB_GUARD_FRAGMENT_SETS = 12,
    SB_GUARD_LOW_SETS = 2,
    SB_GUARD_OLD_SETS = 8, /* of Data that is more than SB_GUARD_OLD numbers behind */
    SB_GUARD_SETS =
        SB_GUARD_WHOLE_SETS + SB_GUARD_FRAGMENT_SETS + SB_GUARD_LOW_SETS + SB_GUARD_OLD_SETS,
    SB_GUARD_OLD = 500,
    SB_GUARD_WAYS = 8, /* copies in a set */
    /* Whole messages that came once are remembered apart, too, if there is memory for it: a forger
     * who sends ever new ones under one number fills its set at once. Three seconds of 160 a
     * second. */
    SB_GUARD_FIRSTS_SETS = 8,
    SB_GUARD_FIRSTS_WAYS = 60,
    SB_GUARD_FIRSTS = SB_GUARD_FIRSTS_SETS * SB_GUARD_FIRSTS_WAYS,
    SB_GUARD_AHEAD_MAX = 2048,  /* numbers that no peer is away from the expected one */
    SB_QUESTION_PAYLOAD = 0x04, /* of old messages by which a host asks whether it is heard: an
                                   opcode without a handler (spec 01 §5.4, §4.9) */
};

/* A message that came and may come again. */
typedef struct sb_copy {
    uint16_t digest;
    uint8_t  last;      /* tick of the clock when the last copy came */
    uint8_t  count : 3; /* of copies; 0: none; 4 to 6: delivered, forged, kept */
    uint8_t  first : 5; /* half second in which the first copy came */
} sb_copy;

typedef struct sb_guard {
    sb_time   attacked_until;
    sb_time   lasting_from; /* a message that lasts counts from this time on */
    sb_time   forgot_at;    /* a message of which nobody knows whose it is was forgotten */
    sb_time   used_at;      /* the last copy came */
    sb_time   swept_at;     /* copies that are too old were removed */
    uint32_t *firsts; /* messages that came once: 24 bits of a digest, 8 of the tick; or NULL */
    uint32_t  seed;   /* of the digests */
    uint16_t  turn;   /* chooses the copy that a new one replaces */
    uint16_t  next;   /* the Data number that is expected */
    sb_copy   copies[SB_GUARD_SETS][SB_GUARD_WAYS];
} sb_guard;

typedef enum sb_admission {
    SB_ADMITTED,  /* goes the usual way: new, duplicate or beyond the window */
    SB_WAITS,     /* no Ack, no effect */
    SB_LATE,      /* its number is used up, by a forgery: it is delivered all the same */
    SB_CONTESTED, /* anybody could have sent it: its copies decide */
} sb_admission;

/* Kinds of copies of a message. */
typedef enum sb_copy_kind {
    SB_COPY_FIRST,
    SB_COPY_IGNORED, /* comes at once after the last one, or faster than any sender repeats it */
    SB_COPY_SECOND,
    SB_COPY_THIRD, /* or a later one */
    SB_COPY_KEPT,  /* of a message that the inbox keeps (sb_guard_note_kept) */
    SB_COPY_DELIVERED,
    SB_COPY_FORGED,
    SB_COPY_LASTING, /* keeps coming, although it seems to be forged */
} sb_copy_kind;

/* Old messages of this form are no evidence: a host asks with them. */
static inline bool sb_guard_is_question(const sb_transport_message *m)
{
    return m->type == SB_TRANSPORT_DATA && !m->fragment && m->payload.size == 1 &&
           m->payload.data[0] == SB_QUESTION_PAYLOAD;
}

/* `seed`: of the digests, so that nobody can construct equal ones. */
void sb_guard_init(sb_guard *guard, uint64_t seed);
/* The same, but memory of copies is not touched before the first one comes: most peers need none.
 */
void sb_guard_init_blank(sb_guard *guard, uint64_t seed);
/* From now on first copies are remembered after they gave way. `firsts`: SB_GUARD_FIRSTS elements,
 * borrowed for the life of the guard. */
void sb_guard_remember_firsts(sb_guard *guard, uint32_t *firsts);
/* Two different messages came with one number of the peer. */
void               sb_guard_suspect(sb_guard *guard, sb_time now);
static inline bool sb_guard_is_attacked(const sb_guard *guard, sb_time now)
{
    return now < guard->attacked_until;
}
/* Counts a copy of the message. Copies that come at once count as one. */
sb_copy_kind sb_guard_take_copy(sb_guard *guard, sb_time now, const sb_transport_message *message);
/* Has the message come in the last ten seconds? */
bool sb_guard_knows(const sb_guard *guard, sb_time now, const sb_transport_message *message);
/* Does no other message of this number wait for its Ack? One that came in the last seconds does,
 * unless it was kept, delivered or found to be forged. */
bool sb_guard_is_alone(const sb_guard *guard, sb_time now, const sb_transport_message *message);
/* The message was delivered or stored: further copies of it are no news, whatever else was
 * delivered under its number meanwhile. */
void sb_guard_note_delivered(sb_guard *guard, sb_time now, const sb_transport_message *message);
/* Notes a copy of a message that was delivered; false: it was not, or long ago. */
bool sb_guard_refresh_delivered(sb_guard *guard, sb_time now, const sb_transport_message *message);
/* The same for a message that the guard has not judged: its number was not contested. */
void sb_guard_add_delivered(sb_guard *guard, sb_time now, const sb_transport_message *message);
/* Does a message that was delivered come again no sooner than senders repeat it? Notes the copy. */
bool sb_guard_take_repeat(sb_guard *guard, sb_time now, const sb_transport_message *message);
/* The message is kept, or it is not: then an Ack of its number could take it from us. */
void sb_guard_note_kept(sb_guard *guard, sb_time now, const sb_transport_message *message,
                        bool kept);
/* The copies of the message go on although it was acknowledged. */
void sb_guard_note_forged(sb_guard *guard, sb_time now, const sb_transport_message *message);
/* Decides about a reliable message; `ahead`: the distance of its number from the expected one;
 * `rival`: another message was delivered under its number. */
sb_admission sb_guard_judge(sb_guard *guard, sb_time now, const sb_transport_message *message,
                            int ahead, bool rival);
/* The same; new messages of a peer that is not attacked need no more than this. */
static inline sb_admission sb_guard_admit(sb_guard *g, sb_time now, const sb_transport_message *m,
                                          int ahead, bool rival)
{
    bool usual = ahead >= 0 && ahead <= SB_GUARD_AHEAD_MAX && !sb_guard_is_attacked(g, now);
    return usual ? SB_ADMITTED : sb_guard_judge(g, now, m, ahead, rival);
}
#endif
