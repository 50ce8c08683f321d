/* fuzz/script.h -- reads a fuzzer's input as a script of steps.
 *
 * For:      harnesses whose input is a sequence of steps. After its last byte a script reads as
 *           zeros.
 */
#ifndef SB_FUZZ_SCRIPT_H
#define SB_FUZZ_SCRIPT_H

#include <starbase/base.h>

typedef struct script {
    const uint8_t *at;
    size_t         left;
} script;

static inline uint8_t next_byte(script *s)
{
    if (s->left == 0) return 0;
    s->left--;
    return *s->at++;
}

/* Returns fewer than `count` bytes if the script has fewer left. */
static inline sb_span next_bytes(script *s, size_t count)
{
    sb_span bytes = { s->at, count < s->left ? count : s->left };
    s->at += bytes.size;
    s->left -= bytes.size;
    return bytes;
}

#endif
