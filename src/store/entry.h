/* src/store/entry.h -- what a server tells its store, and the one description of it.
 *
 * For:      callers of sb_store_post; the queue and the spool file, which hold entries as lines; the
 *           database, which binds the fields to the parameters of a statement.
 * Never:    allocates or calls the system.
 * Tests:    tests/store/entry_test.c, fuzz/spool_fuzz.c
 *
 * An entry is idempotent: it says how things are, and does not add to what is stored. It finds its
 * row by keys that the server has chosen, not by numbers of the database, so that it can be made
 * while the database is away.
 */
#ifndef SB_STORE_ENTRY_H
#define SB_STORE_ENTRY_H

#include <starbase/base.h>

enum {
    SB_STORE_ENTRY_KEY_MAX = 48,   /* bytes with the NUL */
    SB_STORE_ENTRY_NAME_MAX = 96,  /* of players, servers */
    SB_STORE_ENTRY_WORD_MAX = 48,  /* missions, systems, states, causes */
    SB_STORE_ENTRY_TEXT_MAX = 768, /* chat lines, commands, answers */
    SB_STORE_ENTRY_FIELDS_MAX = 20,
    SB_STORE_ENTRY_LINE_MAX = 4096, /* bytes of a line in the spool, with its newline and a NUL */
};

/*     name of the type, name in the spool, member of the union */
#define SB_STORE_ENTRIES(X)                                                                        \
    X(SB_STORE_ENTRY_MATCH, "match", match)                                                        \
    X(SB_STORE_ENTRY_PLAYER, "player", player)                                                     \
    X(SB_STORE_ENTRY_KILL, "kill", kill)                                                           \
    X(SB_STORE_ENTRY_CHAT, "chat", chat)                                                           \
    X(SB_STORE_ENTRY_BAN, "ban", ban)                                                              \
    X(SB_STORE_ENTRY_UNBAN, "unban", unban)                                                        \
    X(SB_STORE_ENTRY_NAME, "name", seen)                                                           \
    X(SB_STORE_ENTRY_AUDIT, "audit", audit)

typedef enum sb_store_entry_type {
#define SB_STORE_ENTRY_ID(id, name, member) id,
    SB_STORE_ENTRIES(SB_STORE_ENTRY_ID)
#undef SB_STORE_ENTRY_ID
        SB_STORE_ENTRY_TYPES
} sb_store_entry_type;

/* Which match: each entry about a match starts with it, so that no entry needs another one. */
typedef struct sb_match_key {
    char    uid[SB_STORE_ENTRY_KEY_MAX]; /* unique in all servers and for ever */
    int64_t room, started_ms;
} sb_match_key;

/* A match as it is now. */
typedef struct sb_match_entry {
    sb_match_key key;
    char         session[SB_STORE_ENTRY_KEY_MAX]; /* the process; filled by sb_store_post */
    char         server[SB_STORE_ENTRY_NAME_MAX]; /* the name of the room */
    char         mission[SB_STORE_ENTRY_WORD_MAX], system[SB_STORE_ENTRY_WORD_MAX];
    char         state[SB_STORE_ENTRY_WORD_MAX];  /* "running", "over", "abandoned", "stopped" */
    char         reason[SB_STORE_ENTRY_WORD_MAX]; /* why it is over; "" while it runs */
    int64_t      revision;                        /* higher in each later entry of this match */
    int64_t      updated_ms, ended_ms;            /* ended_ms 0: it runs */
} sb_match_entry;

/* A player's row in a match as it is now. */
typedef struct sb_player_entry {
    sb_match_key key;
    int64_t      player; /* number of the row in the match, from 1 */
    char         name[SB_STORE_ENTRY_NAME_MAX];
    int64_t      is_bot; /* 1: a bot of the server itself, not counted among people */
    int64_t      team, place, kills, deaths, score;
    int64_t      joined_ms, left_ms; /* left_ms 0: still present */
    int64_t      seconds;            /* in the match, of all visits */
    int64_t      bot_kills;          /* of `kills`: victims that were bots of the server itself */
    int64_t      bot_deaths;         /* of `deaths`: by bots of the server itself */
    int64_t      revision;           /* higher in each later entry of this row */
    int64_t      updated_ms;
    char         address[SB_STORE_ENTRY_KEY_MAX]; /* without the port; "": none */
} sb_player_entry;

typedef struct sb_kill_entry {
    sb_match_key key;
    int64_t      number; /* in the match, from 1 */
    int64_t      at_ms;
    int64_t      killer, victim; /* numbers of rows; killer 0: nobody */
    char         killer_name[SB_STORE_ENTRY_NAME_MAX], victim_name[SB_STORE_ENTRY_NAME_MAX];
    char         killer_ship[SB_STORE_ENTRY_WORD_MAX], victim_ship[SB_STORE_ENTRY_WORD_MAX];
    char         cause[SB_STORE_ENTRY_WORD_MAX];
} sb_kill_entry;

typedef struct sb_chat_entry {
    char    session[SB_STORE_ENTRY_KEY_MAX]; /* filled by sb_store_post, */
    int64_t number;                          /* as this */
    int64_t at_ms, room, to_team;
    char    match_uid[SB_STORE_ENTRY_KEY_MAX]; /* "": none */
    char    name[SB_STORE_ENTRY_NAME_MAX];
    char    text[SB_STORE_ENTRY_TEXT_MAX];
} sb_chat_entry;

typedef struct sb_ban_entry {
    int64_t id, created_ms, expires_ms, exception;
    char    kind[SB_STORE_ENTRY_KEY_MAX]; /* "ban" or "kick" */
    char    range[64], name[SB_STORE_ENTRY_NAME_MAX], reason[256], by[SB_STORE_ENTRY_NAME_MAX];
} sb_ban_entry;

typedef struct sb_unban_entry {
    int64_t id, removed_ms;
} sb_unban_entry;

/* A name that was in the game, with the address it came from. */
typedef struct sb_seen_entry {
    char    name[SB_STORE_ENTRY_NAME_MAX], address[SB_STORE_ENTRY_KEY_MAX];
    int64_t at_ms;
} sb_seen_entry;

typedef struct sb_audit_entry {
    char    session[SB_STORE_ENTRY_KEY_MAX]; /* filled by sb_store_post, */
    int64_t number;                          /* as this */
    int64_t at_ms;
    char    who[SB_STORE_ENTRY_NAME_MAX], command[SB_STORE_ENTRY_TEXT_MAX],
        result[SB_STORE_ENTRY_TEXT_MAX];
} sb_audit_entry;

typedef struct sb_store_entry {
    sb_store_entry_type type;
    union {
        sb_match_entry  match;
        sb_player_entry player;
        sb_kill_entry   kill;
        sb_chat_entry   chat;
        sb_ban_entry    ban;
        sb_unban_entry  unban;
        sb_seen_entry   seen;
        sb_audit_entry  audit;
    } u;
} sb_store_entry;

/* ---- the description ---- */

/* A field, where it is in the member of the union. */
typedef struct sb_store_entry_field {
    bool     is_text; /* else an int64_t */
    uint16_t offset, capacity;
} sb_store_entry_field;

typedef struct sb_store_entry_shape {
    const char                 *name;
    size_t                      count;
    const sb_store_entry_field *fields;
} sb_store_entry_shape;

const sb_store_entry_shape *sb_store_entry_shape_of(sb_store_entry_type type);

/* ---- lines ---- */

/*  checksum  type   fields in order ...
 *  1a2b3c4d  kill   texts and decimal numbers, each behind a tab          newline
 *
 * The checksum is the CRC-32 of everything behind it, without the newline. In texts, a tab is `\t`,
 * a newline `\n` and a backslash `\\`; other control characters and malformed UTF-8 become '?'. */

/* Writes the line with newline and NUL; returns its size without the NUL. */
size_t sb_store_entry_encode(const sb_store_entry *entry, char out[SB_STORE_ENTRY_LINE_MAX]);
/* Parses a line without its newline. SB_BAD_VALUE: sb_store_entry_encode writes no such line. A
 * line that is parsed encodes to the same bytes. */
SB_MUST_USE sb_result sb_store_entry_decode(const char *line, size_t size, sb_store_entry *out);
/* True if the entry may be left out when space is short, because a later entry of the same row
 * will say more: states of a match that still runs. */
bool sb_store_entry_is_superseded(const sb_store_entry *entry);
/* True if the entry is part of the result of a match: its end, or the row of a player who has left
 * or has a place. */
bool sb_store_entry_is_result(const sb_store_entry *entry);

#endif
