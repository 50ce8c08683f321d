/* src/inspect/sequence.h -- the sequence numbers seen on one channel.
 *
 * For:      the dissector, which marks copies, gaps and late messages. A receiver's window, which
 *           decides what to store and acknowledge, is a different thing (spec 01 §6.3).
 * Spec:     01 §6.1: u16, from 0, by 1, wraps from 65535 to 0.
 * Tests:    tests/inspect/dissector_test.c
 */
#ifndef SB_INSPECT_SEQUENCE_H
#define SB_INSPECT_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    SB_SEQUENCE_WINDOW = 1024,    /* numbers that `seen` covers; divides 65536 */
    SB_SEQUENCE_FORWARD = 0x3FFF, /* a larger jump is no gap but a new session */
};

typedef struct sb_sequence {
    bool     started;
    uint16_t newest;
    uint16_t known; /* distance of the newest from the first, at most the window - 1 */
    uint64_t seen[SB_SEQUENCE_WINDOW / 64];
} sb_sequence;

typedef struct sb_sighting {
    bool     copy; /* the number was seen before */
    bool     late; /* the number is new but older than the newest: it fills a gap */
    unsigned gap;  /* numbers missing right before this one */
} sb_sighting;

/* The first number added starts the sequence. */
static inline void sb_sequence_init(sb_sequence *s)
{
    s->started = false;
}

/* Expects number 0 first, because the session is seen from its start. */
static inline void sb_sequence_start(sb_sequence *s)
{
    s->started = true;
    s->newest = 0xFFFF;
    s->known = 0;
    memset(s->seen, 0, sizeof s->seen);
}

static inline uint64_t *sb_sequence_word(sb_sequence *s, uint16_t seq)
{
    return &s->seen[seq % SB_SEQUENCE_WINDOW / 64];
}

static inline void sb_sequence_advance(sb_sequence *s, unsigned steps)
{
    if (steps >= SB_SEQUENCE_WINDOW) {
        memset(s->seen, 0, sizeof s->seen);
        s->newest = (uint16_t)(s->newest + steps);
    } else {
        for (unsigned i = 0; i < steps; i++) {
            s->newest++;
            *sb_sequence_word(s, s->newest) &= ~(UINT64_C(1) << s->newest % 64);
        }
    }
    steps += s->known;
    s->known = (uint16_t)(steps < SB_SEQUENCE_WINDOW - 1 ? steps : SB_SEQUENCE_WINDOW - 1);
}

static inline sb_sighting sb_sequence_add(sb_sequence *s, uint16_t seq)
{
    sb_sighting result = { false, false, 0 };
    unsigned    ahead = (uint16_t)(seq - s->newest), behind = (uint16_t)(s->newest - seq);
    if (!s->started || (ahead > SB_SEQUENCE_FORWARD && behind > SB_SEQUENCE_FORWARD)) {
        sb_sequence_start(s);
        s->newest = seq;
    } else if (ahead != 0 && ahead <= SB_SEQUENCE_FORWARD) {
        sb_sequence_advance(s, ahead);
        result.gap = ahead - 1;
    } else if (behind >= SB_SEQUENCE_WINDOW) {
        result.copy = s->known == SB_SEQUENCE_WINDOW - 1; /* if watched that long */
        return result;
    } else {
        result.copy = *sb_sequence_word(s, seq) >> seq % 64 & 1;
        result.late = !result.copy && behind <= s->known;
    }
    *sb_sequence_word(s, seq) |= UINT64_C(1) << seq % 64;
    return result;
}

#endif
