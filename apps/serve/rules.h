/* apps/serve/rules.h -- what `starbase serve` does with players: bans, votes, rotation, greetings,
 * idle players.
 *
 * For:      serve.c and notices.c, which call it on the main thread; the command table, whose effects
 *           it provides. The decisions are in src/admin; the files here carry them out:
 *
 *           rules.c         calls the others when a notice or a deadline comes
 *           bans.c          the list, the map that rooms search, the store
 *           ban_commands.c  the commands ban, unban, bans
 *           votes.c         the commands vote, yes, no
 *           rotation.c      the commands map, mission, next; the end of a match
 *           greeting.c      motd; the commands rules, time, stats, top
 *           idle.c          warns and removes players who do nothing
 */
#ifndef SB_APPS_SERVE_RULES_H
#define SB_APPS_SERVE_RULES_H

#include "admin/ban_map.h"
#include "admin/effects.h"
#include "admin/idle.h"
#include "admin/rotation.h"
#include "admin/votes.h"
#include "serve/serve.h"

enum {
    SERVE_GREETINGS_MAX = 256,   /* players who have just joined, in all rooms; others get none */
    SERVE_MAPS_RETIRED_MAX = 16, /* maps of bans that a loop may still search */
};

/* A map that was replaced: freed when every loop has left the turn in which it may have used it. */
typedef struct serve_retired_map {
    sb_ban_map  *map;    /* NULL: free */
    atomic_bool *passed; /* by loop */
} serve_retired_map;

typedef struct serve_bans {
    sb_bans              *list;      /* of the main thread */
    _Atomic(sb_ban_map *) published; /* searched by the threads of rooms; NULL: nobody is banned */
    serve_retired_map     retired[SERVE_MAPS_RETIRED_MAX];
    sb_time               expires_at; /* SB_TIME_NEVER: nothing expires */
} serve_bans;

typedef struct serve_greeting {
    sb_time at; /* 0: free */
    size_t  room;
    uint8_t peer_id;
    char    name[SB_NOTICE_NAME_MAX];
} serve_greeting;

/* A room, as the main thread sees it. */
typedef struct serve_rules_room {
    sb_votes    votes;
    sb_rotation rotation;
    sb_idle     idle;
    unsigned    people;    /* in the game, by notices; corrected by snapshots */
    sb_time     idle_at;   /* next look at players who do nothing; SB_TIME_NEVER: none */
    bool        over;      /* the match is over */
    uint32_t    held_bots; /* that fill the room again when it has changed */
} serve_rules_room;

typedef struct serve_rules {
    serve_bans        bans;
    serve_rules_room *rooms;
    serve_greeting    greetings[SERVE_GREETINGS_MAX];
    sb_time           due_at; /* when the main thread looks again; SB_TIME_NEVER: not */
} serve_rules;

/* ---- rules.c ---- */

/* Before rooms start: reads the bans of the store. False: no memory. */
bool serve_rules_open(serve *s);
void serve_rules_close(serve *s);
/* Sets the effects of the commands that these files have; their context is the serve. */
void serve_rules_set_effects(sb_effects *effects);
/* For serve_on_notice. */
void serve_rules_notice(serve *s, const sb_notice *notice);
/* Something is due at that time, or earlier than was known. */
void serve_rules_wake(serve *s, sb_time at);
/* The configuration was read again: takes its tables, before and after the rooms have taken it. */
void serve_rules_reload(serve *s, const sb_process_config *next);
void serve_rules_reloaded(serve *s);

/* A line for one player, for all, in UTF-8; longer ones are cut. printf-like. */
void serve_tell(serve *s, size_t room, uint8_t peer_id, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void serve_say(serve *s, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Posts a command to a room. */
void serve_post_to_room(serve *s, size_t room, sb_room_command command);
/* True for a player who counts: in the game, and no bot of this server. */
bool serve_is_person(const sb_player_view *player);
/* The people in s->snapshot. */
unsigned serve_count_people(const serve *s);

/* ---- bans.c ---- */

bool serve_bans_open(serve *s);
void serve_bans_close(serve *s);
/* On the room's thread: false with a reason if the address may not connect. */
bool serve_bans_admit(const serve_room *r, sb_endpoint from, uint8_t *boot_reason);
bool serve_bans_refuse_name(void *context, sb_endpoint address, const char *name, char *reason);
/* Removes what has expired. */
void serve_bans_advance(serve *s, sb_time now);
/* For sb_effects. */
sb_time serve_keep_out(void *context, const sb_call *call, const sb_player_view *player,
                       sb_time duration, const char *reason);
/* Stores the ban, adds it to the list and sets its id. False: the answer says why not. `stored`:
 * SB_OK on disk, SB_FULL it will be, SB_NOT_ALLOWED the store is off. */
bool serve_bans_add(serve *s, sb_reply *reply, sb_ban *ban, sb_result *stored);
/* A list that is being imported. */
typedef struct serve_ban_import {
    serve *s;
    bool   failed; /* the store cannot be written */
} serve_ban_import;
/* Stores a ban of that list (sb_bans_import); `context` is a serve_ban_import. */
bool serve_bans_store_imported(void *context, sb_ban *ban);
/* Removes the ban from the store, not from the list. */
sb_result serve_bans_unstore(serve *s, int64_t id);
/* Gives the list as it is now to the rooms. False: no memory, and the log says so. */
bool serve_bans_publish(serve *s);
/* How long a change lasts, as the end of a sentence: "" if it is on disk. */
const char *serve_bans_lasting(const serve *s, sb_result stored);
/* Milliseconds since 1970. */
int64_t serve_wall_ms(void);

/* ---- ban_commands.c ---- */

void serve_run_ban(void *context, sb_call *call);
void serve_run_unban(void *context, sb_call *call);
void serve_run_bans(void *context, sb_call *call);

/* ---- votes.c ---- */

/* True if the command of a vote takes this word as its first: `map` a system of the room, `mission`
 * a mission. Else `why` is the reason. */
bool serve_vote_takes(const sb_room_config *room, const sb_vote_row *row, const char *word,
                      char *why, size_t capacity);
void serve_run_vote(void *context, sb_call *call);
void serve_run_yes(void *context, sb_call *call);
void serve_run_no(void *context, sb_call *call);
/* Ends the vote of a room if its time is up or its result is certain. */
void serve_votes_advance(serve *s, size_t room, sb_time now);
void serve_votes_leave(serve *s, size_t room, uint8_t peer_id, sb_time now);

/* ---- rotation.c ---- */

void serve_run_map(void *context, sb_call *call);
void serve_run_mission(void *context, sb_call *call);
void serve_run_next(void *context, sb_call *call);
/* "Multi1, Multi2, ..." */
void serve_list_systems(const sb_room_config *room, char *out, size_t capacity);
void serve_rotation_match_over(serve *s, size_t room, sb_time now);
void serve_rotation_emptied(serve *s, size_t room, sb_time now);
/* A player has left, perhaps before joining, or a bot. */
void serve_rotation_left(serve *s, size_t room);
void serve_rotation_advance(serve *s, size_t room, sb_time now);
/* Removes the fields that a choice sets from those of a reload: a room that has a choice keeps it.
 * Otherwise it would wait for a moment until it is empty, and bots would leave at once. */
void serve_rotation_leave_out(sb_reload_fields *fields);
/* Gives a room its choice again: a reload may have changed what it leaves open. */
void serve_rotation_reloaded(serve *s, size_t room);

/* ---- greeting.c ---- */

void serve_greet_later(serve *s, const sb_notice *joined);
/* Greets those whose time has come. */
void serve_greet(serve *s, sb_time now);
void serve_run_rules(void *context, sb_call *call);
void serve_run_time(void *context, sb_call *call);
void serve_run_stats(void *context, sb_call *call);
void serve_run_top(void *context, sb_call *call);

/* ---- idle.c ---- */

void serve_idle_advance(serve *s, size_t room, sb_time now);

#endif
