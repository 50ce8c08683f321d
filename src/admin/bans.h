/* src/admin/bans.h -- the list of bans, kicks that hold, and exceptions.
 *
 * For:      apps/serve: the main thread keeps the list; ban_map.h makes of it what the threads of
 *           rooms search; ban_text.h reads and writes it as text.
 * May use:  malloc.
 * Never:    reads a clock: times are arguments, in milliseconds since 1970 (UTC), so that they mean
 *           the same after a restart. Knows a player: a ban is of addresses and names.
 * Tests:    tests/admin/bans_test.c
 */
#ifndef SB_ADMIN_BANS_H
#define SB_ADMIN_BANS_H

#include <starbase/base.h>

enum {
    SB_BANS_MAX = 250000,
    SB_BAN_PATTERNS_MAX = 256, /* names with a `*`: a room's thread compares each of them */
    SB_BAN_NAME_MAX = 95,      /* bytes of UTF-8, without the NUL */
    SB_BAN_REASON_MAX = 200,
    SB_BAN_BY_MAX = 95,
    SB_BAN_TARGET_TEXT = SB_BAN_NAME_MAX + 40,
};

typedef enum sb_ban_kind {
    SB_BAN_BAN,
    SB_BAN_KICK,      /* a kick that holds for a while */
    SB_BAN_EXCEPTION, /* these are not refused by any ban or kick */
    SB_BAN_KINDS
} sb_ban_kind;

/* "ban", "kick", "except"; ends with NULL. */
extern const char *const sb_ban_kind_words[SB_BAN_KINDS + 1];

/* The IPv4 addresses that share the first `bits` bits; the protocol has no other addresses. */
typedef struct sb_ban_range {
    uint32_t address; /* the bits after the first ones are 0 */
    uint8_t  bits;    /* 0 to 32 */
} sb_ban_range;

/* A ban has a range, a name, or both: then it is of players with such a name from that range. */
typedef struct sb_ban {
    int64_t      id;                     /* from 1; 0: not in a list yet */
    int64_t      created_ms, expires_ms; /* expires_ms 0: never */
    sb_ban_kind  kind;
    bool         has_range;
    sb_ban_range range;
    const char  *name;   /* UTF-8; `*` stands for any text; upper case is lower case; "": any */
    const char  *reason; /* "": none */
    const char  *by;     /* "ctl:USER", "vote" ... */
} sb_ban;

/* Parses "203.0.113.7" or "203.0.113.0/24"; bits after the prefix are cleared. */
bool sb_ban_parse_range(const char *text, sb_ban_range *out);
/* "203.0.113.7", "203.0.113.0/24", "name Grief*", "203.0.113.0/24 name Grief*" */
void sb_ban_target_text(const sb_ban *ban, char out[SB_BAN_TARGET_TEXT]);
/* NULL, or what is wrong with the ban: no target, a pattern that fits every name, a text that is
 * too long or has control characters. */
const char *sb_ban_fault(const sb_ban *ban);
/* True if the ban still holds. */
bool sb_ban_is_in_force(const sb_ban *ban, int64_t now_ms);
bool sb_ban_is_in_range(const sb_ban_range *range, uint32_t address);
/* True if both are of the same kind, range and name. */
bool sb_ban_has_same_target(const sb_ban *a, const sb_ban *b);

/* Folds the case of a name in UTF-8, in place: ASCII and the letters of Windows-1252. */
void sb_ban_fold(char *name);
/* True if the folded name fits the folded pattern. */
bool sb_ban_name_fits(const char *pattern, const char *name);

/* ---- the list ---- */

typedef struct sb_bans sb_bans;

sb_bans *sb_bans_create(void);           /* given; NULL: no memory */
void     sb_bans_destroy(sb_bans *bans); /* also NULL */
/* Copies the ban. id 0: it gets the next one, which *id receives (may be NULL). SB_FULL: no room
 * for it; SB_BAD_VALUE: sb_ban_fault; SB_NOT_ALLOWED: the id is in use. */
SB_MUST_USE sb_result sb_bans_add(sb_bans *bans, const sb_ban *ban, int64_t *id);
bool                  sb_bans_remove(sb_bans *bans, int64_t id); /* false: there is none */
/* Removes what has expired; returns how many. */
size_t sb_bans_expire(sb_bans *bans, int64_t now_ms);
/* When the next one expires; 0: none does. */
int64_t sb_bans_next_expiry(const sb_bans *bans);
size_t  sb_bans_count(const sb_bans *bans);
/* In the order of ids; lent until the list changes. */
const sb_ban *sb_bans_at(const sb_bans *bans, size_t index);
const sb_ban *sb_bans_find(const sb_bans *bans, int64_t id); /* NULL: none */
/* The first one with the same target; NULL: none. Looks at all. */
const sb_ban *sb_bans_find_same(const sb_bans *bans, const sb_ban *ban);

#endif
