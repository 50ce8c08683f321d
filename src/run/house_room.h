/* src/run/house_room.h -- the bots of one room.
 *
 * For:      house.c, on the thread of the house.
 */
#ifndef SB_RUN_HOUSE_ROOM_H
#define SB_RUN_HOUSE_ROOM_H

#include "run/house.h"
#include "run/house_link.h"

enum { SB_HOUSE_BOTS_MAX = SB_SERVER_PLAYERS_MAX };

typedef struct sb_house_bot {
    sb_client  *client; /* NULL: not connected; in `memory` */
    void       *memory;
    sb_pilot    pilot;
    sb_endpoint address;  /* of this session, 0.0.0.1 to 0.0.0.16; the port is new each time */
    sb_time     deadline; /* when it has to run */
    bool        is_due;   /* something has arrived for it */
    bool        has_joined, is_leaving;
    bool        has_seat;   /* at the last turn */
    bool        is_removed; /* it had a seat; its client only acknowledges the end */
    uint32_t    shots;      /* at the last check */
    float       shields;
    sb_time     fought_at; /* when it last fired or was hit, as far as checks saw it */
    char        name[SB_HOUSE_NAME_MAX + 3];
} sb_house_bot;

typedef struct sb_house_room {
    sb_house_link     *link;
    const sb_ship_set *ships; /* NULL: stock */
    sb_house_settings  settings;
    bool               is_closed; /* no bot joins */
    bool               is_fresh;  /* the settings have just changed: nothing waits */
    uint32_t           wanted;    /* bots, at the last check */
    sb_time            check_at, join_at;
    uint16_t           sessions;  /* counts ports */
    uint32_t           bot_count; /* bots that have memory */
    sb_house_bot       bots[SB_HOUSE_BOTS_MAX];
} sb_house_room;

/* The memory of one bot's client. */
size_t sb_house_room_client_bytes(const sb_ship_set *ships);
/* Runs all bots that have something to do, and lets bots join and leave. True: bots are connected.
 */
bool sb_house_room_run(sb_house_room *room, sb_time now);
/* How many bots the room wants. */
uint32_t sb_house_wanted_bots(const sb_house_settings *settings, const sb_server_seats *seats);

#endif
