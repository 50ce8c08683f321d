/* src/run/notices.h -- what happened in rooms, from the thread of a loop to the main thread.
 *
 * For:      everything that runs beside the rooms: commands of players, votes, the store, doors.
 * Never:    blocks or allocates after create. A full ring drops the notice and counts it, so that
 *           a slow reader costs the rooms nothing. A part of the ring is kept for the notices that
 *           results are made of, so that chat and kills cannot push them out.
 * Tests:    tests/run/notices_test.c
 */
#ifndef SB_RUN_NOTICES_H
#define SB_RUN_NOTICES_H

#include <starbase/server.h>

enum {
    /* Notices of one loop that the main thread has not read yet: of any type, */
    SB_NOTICES_OF_LOOP = 256,
    SB_NOTICES_OF_ROOM = 16,
    /* and in addition, for each room, only those that results are made of: the rows of a match, its
     * end and the start of the next one, and all players of the room leaving. */
    SB_NOTICES_OF_RESULT = SB_MATCH_PLAYERS + 32,
    SB_NOTICE_NAME_MAX = 96,  /* bytes of UTF-8 with a NUL */
    SB_NOTICE_TEXT_MAX = 768, /* a chat line in UTF-8 with a NUL */
};

typedef enum sb_notice_type {
    SB_NOTICE_CONNECTED,     /* a peer has connected */
    SB_NOTICE_NAMED,         /* `name` is new */
    SB_NOTICE_JOINED,        /* in the game */
    SB_NOTICE_LEFT,          /* `text` says how; `value`: seconds connected; `other` 1: was in the
                                game */
    SB_NOTICE_CHAT,          /* `text`; `other` 1: to the team */
    SB_NOTICE_COMMAND,       /* `text`: a chat line that begins with `!`, not passed on */
    SB_NOTICE_TEAM,          /* `value`: the team */
    SB_NOTICE_SPAWNED,       /* `value`: species */
    SB_NOTICE_KILLED,        /* `other`: peer id of the killer or 0; `cause`: sb_damage_cause */
    SB_NOTICE_SCORE,         /* kills, deaths, score after a death */
    SB_NOTICE_MATCH_STARTED, /* a new match */
    SB_NOTICE_STANDING,      /* a row of a match that has just ended; `other` 1: still present;
                                `value`: place, from 1. All rows come before MATCH_OVER */
    SB_NOTICE_MATCH_OVER,    /* `value`: sb_end_reason */
    SB_NOTICE_TYPES
} sb_notice_type;

typedef struct sb_notice {
    uint8_t     type;    /* sb_notice_type */
    uint8_t     peer_id; /* 0: about no player */
    uint8_t     other, cause, team;
    bool        house;       /* the player is one of the server itself: a bot */
    bool        other_house; /* KILLED: the killer is one */
    uint32_t    room;        /* number, from 1 */
    sb_time     now;
    sb_endpoint address;
    int64_t     value;
    int32_t     kills, deaths, score;
    char        name[SB_NOTICE_NAME_MAX]; /* UTF-8, "" unknown */
    char        text[SB_NOTICE_TEXT_MAX]; /* UTF-8; JOINED, MATCH_STARTED: the star system */
    const char *mission; /* JOINED, MATCH_STARTED: the key of the mode, a constant */
} sb_notice;

/* A ring with one writer, the thread of a loop, and one reader. */
typedef struct sb_notices sb_notices;

/* `wake`: an eventfd that is written when the ring stops being empty. `rooms`: of the loop, which
 * may all end at once. Memory that is never needed stays untouched. NULL: no memory. */
sb_notices *sb_notices_create(int wake, size_t rooms);
void        sb_notices_destroy(sb_notices *notices); /* also NULL */
/* The writer: the next free notice, cleared but for its type, or NULL: the ring has no place for
 * this type, and the notice is counted as dropped. Fill it, then publish it. */
sb_notice *sb_notices_begin(sb_notices *notices, sb_notice_type type);
void       sb_notices_publish(sb_notices *notices);
/* The reader: the oldest notice, or NULL. It stays valid until sb_notices_release. */
const sb_notice *sb_notices_next(sb_notices *notices);
void             sb_notices_release(sb_notices *notices);
/* Any thread. */
size_t   sb_notices_waiting(const sb_notices *notices);
uint64_t sb_notices_dropped(const sb_notices *notices);

#endif
