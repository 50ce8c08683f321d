/* src/run/house.h -- the house: players of the server itself, which fill its rooms.
 *
 * For:      `starbase serve` (key `bots`). One thread plays the bots of all rooms with the client
 *           library. Their datagrams are those of any player, but travel through memory
 *           (house_link.h), so a room treats a bot as it treats everybody, except for its seat:
 *           transport.h, "House peers".
 * May use:  a thread, started with the first bot; malloc in configure.
 * Never:    blocks a room's loop. Never lets a bot chat, and never keeps a seat from a person.
 * Tests:    tests/run/house_test.c, tests/apps/house_bots_test.py
 */
#ifndef SB_RUN_HOUSE_H
#define SB_RUN_HOUSE_H

#include <starbase/pilot.h>

#include "run/room_loop.h"

enum {
    SB_HOUSE_NAMES_MAX = 32,
    SB_HOUSE_NAME_UNITS = SB_NAME_UNITS - 3, /* " 16" may follow */
    SB_HOUSE_NAME_MAX = SB_HOUSE_NAME_UNITS * 3 + 1,
};

/* The bots of a room, as its operator wants them. */
typedef struct sb_house_settings {
    uint32_t fill;       /* people and bots together, at most max_players; 0: no bots */
    uint8_t  skill;      /* sb_skill */
    bool     always;     /* false: bots are there only while people are */
    uint32_t name_count; /* 0: names that the house has */
    char     names[SB_HOUSE_NAMES_MAX][SB_HOUSE_NAME_MAX]; /* UTF-8, distinct */
} sb_house_settings;

/* A room, and where it runs; borrowed until the house is destroyed. */
typedef struct sb_house_place {
    sb_room           *room;
    sb_room_loop      *loop;
    size_t             index; /* of the room in its loop */
    uint32_t           limit; /* max_players of the room */
    const sb_ship_set *ships; /* NULL: stock */
} sb_house_place;

/* The bots of a room, as they are. */
typedef struct sb_house_view {
    uint32_t fill;                        /* 0: no bots are wanted */
    uint32_t present;                     /* bots that are connected */
    uint64_t datagrams_in, datagrams_out; /* of the bots, as the room sees it */
    uint64_t dropped;                     /* in both directions: a ring was full */
} sb_house_view;

typedef struct sb_house sb_house;

/* Given; copies the places. NULL: no memory. All following functions belong to one thread. */
sb_house *sb_house_create(const sb_house_place *places, size_t count);
/* Call it when the loops have ended: their rooms still use what the house owns. Also NULL. */
void sb_house_destroy(sb_house *house);
/* Bots join and leave until the room is as `settings` say, which are copied. SB_OS_ERROR: no
 * memory, descriptor or thread; nothing has changed. */
SB_MUST_USE sb_result sb_house_configure(sb_house *house, size_t room,
                                         const sb_house_settings *settings);
void                  sb_house_view_room(sb_house *house, size_t room, sb_house_view *out);
/* No bot joins any more; those who are there hear the goodbye of their room. */
void sb_house_close(sb_house *house);
/* The defaults: no bots. */
void sb_house_defaults(sb_house_settings *settings);

#endif
