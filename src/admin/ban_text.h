/* src/admin/ban_text.h -- a list of bans as text, one per line: for editors, or as JSON lines.
 *
 * For:      the commands `bans export FILE` and `bans import FILE`.
 * May use:  jansson for lines that begin with `{`.
 * Never:    accepts a line in part: a line is a ban, is empty, or is refused with a reason.
 * Tests:    tests/admin/ban_text_test.c, fuzz/bans_fuzz.c
 *
 * A line for editors. Order matters; only the target is needed. `#` starts a comment.
 *
 *     ban 203.0.113.7 until 2026-12-01T18:00:00Z since 2026-11-19T03:00:00Z by "anna" reason spam
 *     ban 203.0.113.0/24
 *     ban name "Grief*" reason team kills
 *     ban 198.51.100.0/24 name "Kirk"
 *     kick 192.0.2.4 until 2026-11-19T03:05:00Z
 *     except 203.0.113.99 reason lives there
 *     203.0.113.8           # as `ban 203.0.113.8`: lists of other programs
 *
 * The same as JSON; all keys but `range` or `name` may be missing, and other keys are ignored:
 *
 *     {"kind":"ban","range":"203.0.113.0/24","name":"","created":"...","expires":null,
 *      "reason":"spam","by":"ctl:anna"}                                          (on one line)
 */
#ifndef SB_ADMIN_BAN_TEXT_H
#define SB_ADMIN_BAN_TEXT_H

#include "admin/bans.h"

enum {
    SB_BAN_LINE_MAX = 1024,  /* bytes of a line that is read, with its NUL */
    SB_BAN_LINE_TEXT = 3072, /* capacity for a line that is written: escapes make JSON longer */
    SB_BAN_TIME_TEXT = 21,   /* "2026-12-01T18:00:00Z" and its NUL */
};

typedef enum sb_ban_line {
    SB_BAN_LINE_EMPTY,
    SB_BAN_LINE_BAN,
    SB_BAN_LINE_WRONG,
} sb_ban_line;

/* Texts of a parsed line. */
typedef struct sb_ban_texts {
    char name[SB_BAN_NAME_MAX + 1], reason[SB_BAN_REASON_MAX + 1], by[SB_BAN_BY_MAX + 1];
} sb_ban_texts;

/* Parses a line without its line end. The texts of *ban are in *texts. WRONG: *why says what is
 * wrong. `created_ms` of a line without a time is `now_ms`. */
sb_ban_line sb_ban_parse_line(const char *line, int64_t now_ms, sb_ban *ban, sb_ban_texts *texts,
                              const char **why);
/* Writes a line, with its line end; returns its size. */
size_t sb_ban_print_line(const sb_ban *ban, char out[SB_BAN_LINE_TEXT]);
size_t sb_ban_print_json(const sb_ban *ban, char out[SB_BAN_LINE_TEXT]);

/* "2026-12-01T18:00:00Z", "2026-12-01T18:00Z" or "2026-12-01". False: no time after the start of
 * 1970, which is 0 and stands for no time at all. */
bool sb_ban_parse_time(const char *text, int64_t *ms);
void sb_ban_print_time(int64_t ms, char out[SB_BAN_TIME_TEXT]);

/* ---- importing ---- */

typedef struct sb_ban_import {
    size_t      added, known, expired, wrong;
    size_t      line; /* of the first wrong one, from 1; 0: none */
    const char *why;  /* it is refused */
    bool        full; /* the list had no room for the rest */
    size_t      wide; /* of those added: bans and exceptions of more addresses than a /8 */
} sb_ban_import;

/* Called before a ban is added; false: the ban is not added (counted as wrong). It may set the id.
 */
typedef bool (*sb_ban_import_fn)(void *context, sb_ban *ban);

/* Adds every line of `text` that is not expired and whose target is not in the list yet. `before`
 * may be NULL. */
void sb_bans_import(sb_bans *bans, sb_span text, int64_t now_ms, sb_ban_import_fn before,
                    void *context, sb_ban_import *result);

#endif
