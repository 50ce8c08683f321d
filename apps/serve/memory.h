/* apps/serve/memory.h -- what the main thread knows about a running match, for the store.
 *
 * For:      memory.c. Only the main thread uses it.
 */
#ifndef SB_APPS_SERVE_MEMORY_H
#define SB_APPS_SERVE_MEMORY_H

#include "serve/serve.h"

#include "store/store.h"

enum { MEMORY_ROWS = 64 };

/* A peer, from its Connect to its end. */
typedef struct memory_seat {
    bool    in_game, is_bot;
    uint8_t team, species; /* SB_NO_TEAM; 0: no ship yet */
    char    name[SB_STORE_ENTRY_NAME_MAX];
    char    address[SB_STORE_ENTRY_KEY_MAX];
} memory_seat;

/* A player's row in the match. A player who returns under the same name and address gets the same
 * row, as in the match itself (spec 09 §11). */
typedef struct memory_row {
    int64_t number;  /* in the match, from 1; 0: free */
    uint8_t peer_id; /* 0: has left */
    bool    is_bot;
    uint8_t team, species;
    int32_t kills, deaths, score, bot_kills, bot_deaths;
    int64_t place, revision;
    int64_t joined_ms, entered_ms; /* the first visit, this visit */
    int64_t left_ms, seconds;      /* of earlier visits */
    char    name[SB_STORE_ENTRY_NAME_MAX];
    char    address[SB_STORE_ENTRY_KEY_MAX];
} memory_row;

typedef struct memory_room {
    bool         is_running, is_over; /* over: no match until the next one starts */
    sb_match_key key;
    char         mission[SB_STORE_ENTRY_WORD_MAX], system[SB_STORE_ENTRY_WORD_MAX];
    int64_t      revision, rows_made, kills;
    memory_row   rows[MEMORY_ROWS];
    memory_seat  seats[SERVE_PEERS];
} memory_room;

struct serve_memory {
    sb_store     *store;
    bool          keeps_chat;
    int64_t       matches; /* begun in this session */
    memory_room **rooms;   /* NULL: nobody has connected yet */
};

#endif
