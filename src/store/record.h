/* src/store/record.h -- what a server tells its store, and the one description of it.
 *
 * For:      callers of sb_store_post; the queue and the spool file, which hold records as lines; the
 *           database, which binds the fields to the parameters of a statement.
 * Never:    allocates or calls the system.
 * Tests:    tests/store/record_test.c, fuzz/spool_fuzz.c
 *
 * A record is idempotent: it says how things are, and does not add to what is stored. It finds its
 * row by keys that the server has chosen, not by numbers of the database, so that it can be made
 * while the database is away.
 */
#ifndef SB_STORE_RECORD_H
#define SB_STORE_RECORD_H

#include <starbase/base.h>

enum {
    SB_RECORD_KEY_MAX = 48,   /* bytes with the NUL */
    SB_RECORD_NAME_MAX = 96,  /* of players, servers */
    SB_RECORD_WORD_MAX = 48,  /* missions, systems, states, causes */
    SB_RECORD_TEXT_MAX = 768, /* chat lines, commands, answers */
    SB_RECORD_FIELDS_MAX = 16,
};

/*     name of the type, name in the spool, member of the union */
#define SB_RECORDS(X)                                                                              \
    X(MATCH, "match", match)                                                                       \
    X(PLAYER, "player", player)                                                                    \
    X(KILL, "kill", kill)                                                                          \
    X(CHAT, "chat", chat)                                                                          \
    X(BAN, "ban", ban)                                                                             \
    X(UNBAN, "unban", unban)                                                                       \
    X(NAME, "name", seen)                                                                          \
    X(AUDIT, "audit", audit)

typedef enum sb_record_type {
#define SB_RECORD_ID(id, name, member) SB_RECORD_##id,
    SB_RECORDS(SB_RECORD_ID)
#undef SB_RECORD_ID
        SB_RECORD_TYPES
} sb_record_type;

/* Which match: each record about a match starts with it, so that no record needs another one. */
typedef struct sb_match_key {
    char    uid[SB_RECORD_KEY_MAX]; /* unique in all servers and for ever */
    int64_t room, started_ms;
} sb_match_key;

/* A match as it is now. */
typedef struct sb_match_record {
    sb_match_key key;
    char         session[SB_RECORD_KEY_MAX]; /* the process; filled by sb_store_post */
    char         server[SB_RECORD_NAME_MAX]; /* the name of the room */
    char         mission[SB_RECORD_WORD_MAX], system[SB_RECORD_WORD_MAX];
    char         state[SB_RECORD_WORD_MAX];  /* "running", "over", "abandoned", "stopped" */
    char         reason[SB_RECORD_WORD_MAX]; /* why it is over; "" while it runs */
    int64_t      updated_ms, ended_ms;       /* ended_ms 0: it runs */
} sb_match_record;

/* A player's row in a match as it is now. */
typedef struct sb_player_record {
    sb_match_key key;
    int64_t      player; /* number of the row in the match, from 1 */
    char         name[SB_RECORD_NAME_MAX];
    int64_t      is_bot; /* 1: a bot of the server itself, not counted among people */
    int64_t      team, place, kills, deaths, score;
    int64_t      joined_ms, left_ms; /* left_ms 0: still present */
    int64_t      seconds;            /* in the match, of all visits */
    int64_t      updated_ms;
    char         address[SB_RECORD_KEY_MAX]; /* without the port; "": none */
} sb_player_record;

typedef struct sb_kill_record {
    sb_match_key key;
    int64_t      number; /* in the match, from 1 */
    int64_t      at_ms;
    int64_t      killer, victim; /* numbers of rows; killer 0: nobody */
    char         killer_name[SB_RECORD_NAME_MAX], victim_name[SB_RECORD_NAME_MAX];
    char         killer_ship[SB_RECORD_WORD_MAX], victim_ship[SB_RECORD_WORD_MAX];
    char         cause[SB_RECORD_WORD_MAX];
} sb_kill_record;

typedef struct sb_chat_record {
    char    session[SB_RECORD_KEY_MAX]; /* filled by sb_store_post, */
    int64_t number;                     /* as this */
    int64_t at_ms, room, to_team;
    char    match_uid[SB_RECORD_KEY_MAX]; /* "": none */
    char    name[SB_RECORD_NAME_MAX];
    char    text[SB_RECORD_TEXT_MAX];
} sb_chat_record;

typedef struct sb_ban_record {
    int64_t id, created_ms, expires_ms, exception;
    char    kind[SB_RECORD_KEY_MAX]; /* "ban" or "kick" */
    char    range[64], name[SB_RECORD_NAME_MAX], reason[256], by[SB_RECORD_NAME_MAX];
} sb_ban_record;

typedef struct sb_unban_record {
    int64_t id, removed_ms;
} sb_unban_record;

/* A name that was in the game, with the address it came from. */
typedef struct sb_seen_record {
    char    name[SB_RECORD_NAME_MAX], address[SB_RECORD_KEY_MAX];
    int64_t at_ms;
} sb_seen_record;

typedef struct sb_audit_record {
    char    session[SB_RECORD_KEY_MAX]; /* filled by sb_store_post, */
    int64_t number;                     /* as this */
    int64_t at_ms;
    char    who[SB_RECORD_NAME_MAX], command[SB_RECORD_TEXT_MAX], result[SB_RECORD_TEXT_MAX];
} sb_audit_record;

typedef struct sb_record {
    sb_record_type type;
    union {
        sb_match_record  match;
        sb_player_record player;
        sb_kill_record   kill;
        sb_chat_record   chat;
        sb_ban_record    ban;
        sb_unban_record  unban;
        sb_seen_record   seen;
        sb_audit_record  audit;
    } u;
} sb_record;

#endif
