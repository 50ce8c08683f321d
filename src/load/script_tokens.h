/* src/load/script_tokens.h -- splits a Python script into logical lines of tokens.
 *
 * For:      hardpoint_script.c, which reads the scripts of mods as text.
 * May use:  the caller's text, read-only.
 * Never:    runs anything, allocates, or knows what a name means.
 */
#ifndef SB_LOAD_SCRIPT_TOKENS_H
#define SB_LOAD_SCRIPT_TOKENS_H

#include <starbase/base.h>

enum { SB_SCRIPT_TOKENS_MAX = 512 }; /* of one logical line; the longest seen has 30 */

typedef enum sb_token_kind {
    SB_TOKEN_END,    /* behind the last token of a line */
    SB_TOKEN_NAME,   /* also keywords */
    SB_TOKEN_NUMBER, /* `number`; `is_whole`: written without point and exponent */
    SB_TOKEN_TEXT,   /* `text` is what stands between the quotes, with its escapes */
    SB_TOKEN_SIGN,   /* `sign`; comparisons are one token: SB_SIGN_COMPARE */
} sb_token_kind;

enum { SB_SIGN_COMPARE = '?' }; /* == != <= >= */

typedef struct sb_token {
    sb_span  text; /* borrowed from the script */
    double   number;
    uint32_t line;
    uint8_t  kind; /* sb_token_kind */
    char     sign;
    bool     is_whole;
} sb_token;

/* One statement or the head of a block, joined over line ends inside brackets and behind `\`. */
typedef struct sb_script_line {
    sb_token tokens[SB_SCRIPT_TOKENS_MAX + 1]; /* a token of the kind SB_TOKEN_END comes last */
    size_t   count;                            /* without that token */
    uint32_t number;                           /* of its first line, from 1 */
    unsigned indent;                           /* columns; a tab ends at a multiple of 8 */
    bool     is_too_long;                      /* the tokens behind the first 512 are missing */
} sb_script_line;

typedef struct sb_script_reader {
    const char *text; /* borrowed */
    size_t      size, at;
    uint32_t    line;
    const char *error; /* NULL, or why the script is no Python; then error_line says where */
    uint32_t    error_line;
} sb_script_reader;

void sb_script_reader_init(sb_script_reader *r, const char *text, size_t size);
/* Reads the next line that holds a token. False: there is none, or r->error is set. */
bool sb_script_next_line(sb_script_reader *r, sb_script_line *out);

#endif
