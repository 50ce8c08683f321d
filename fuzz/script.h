/* fuzz/script.h -- the input of a harness, read as a script: bytes from the front until none is
 * left.
 *
 * For:      harnesses whose inputs are steps. Behind its end a script is all zeros.
 */
#ifndef SB_FUZZ_SCRIPT_H
#define SB_FUZZ_SCRIPT_H

#include <starbase/base.h>

typedef struct script {
    const uint8_t *at;
    size_t         left;
} script;

static inline uint8_t take(script *s)
{
    if (s->left == 0) return 0;
    s->left--;
    return *s->at++;
}

/* Fewer than `count` if fewer are left. */
static inline sb_span take_bytes(script *s, size_t count)
{
    sb_span bytes = { s->at, count < s->left ? count : s->left };
    s->at += bytes.size;
    s->left -= bytes.size;
    return bytes;
}

#endif
