/* src/server/objects.h -- networked objects: the row of one, and what happens to it.
 *
 * For:      the files of this folder, through server_internal.h.
 * Spec:     07, 04 (integrity hashes), 10 §11.4 (warps).
 */
#ifndef SB_SERVER_OBJECTS_H
#define SB_SERVER_OBJECTS_H

#include <starbase/server.h>

#include "replica/pace.h"
#include "server/limits.h"

typedef struct sb_event  sb_event; /* starbase/message.h */
typedef struct sb_player sb_player;

/* The stages of a warp on the host (spec 10 §11.4). */
typedef enum sb_warp_stage {
    SB_WARP_NONE,
    SB_WARP_LEAVING,  /* entry and flight, in the old set */
    SB_WARP_STAYING,  /* in the set called `warp` */
    SB_WARP_ARRIVING, /* in the new set */
} sb_warp_stage;

/* One networked object (spec 07 §11). */
/* A turn or a change of speed that a collision may still excuse. */
typedef struct sb_excuse {
    sb_time     until; /* 0: there is none */
    sb_evidence evidence;
    uint32_t    counted; /* as far as was looked at */
} sb_excuse;

typedef struct sb_object {
    uint32_t    object_id;   /* 0: the row is free */
    uint8_t     owner;       /* peer id */
    uint8_t     opcode;      /* of its creation: SB_OP_PLAYER_OBJECT_CREATE for players' ships */
    bool        exploding;   /* combat has reported its death */
    sb_time     died_at;     /* exploding: when */
    bool        gone;        /* its explosion is over: sb_server_after_combat removes it */
    bool        tracked;     /* replica borrows `ship`; of players' ships combat, too */
    bool        any_slot;    /* created with trust_clients: its id may be of another slot */
    uint16_t    wanted_by;   /* slots that get its creation as soon as the owner answers */
    bool        set_changed; /* entered a set since its creation */
    bool        mod_ship;    /* a known species with other subsystems (spec 07 §2.6) */
    uint8_t     hit_by;      /* peer id of the other player who hit it last; 0: nobody */
    uint32_t    hit_by_ship; /* object id */
    sb_time     hit_at;
    uint32_t    order;     /* of creation: late joiners get objects in this order */
    uint8_t     warp;      /* sb_warp_stage */
    sb_time     warp_next; /* end of the stage */
    sb_time     warp_stay; /* length of SB_WARP_STAYING */
    uint8_t     warp_set_size;
    uint8_t     warp_set[ENTER_SET_MAX]; /* the new set */
    bool        hash_is_predicted;       /* the next two are set ... */
    bool        hash_is_confirmed;       /* ... a capture has confirmed the hash of the class ... */
    uint16_t    predicted_hash;          /* ... the integrity hash of the class (spec 04) */
    bool        hash_difference_told; /* the ship's hash was reported as different from that one */
    sb_time     run_since;            /* the start of a run of wrong hashes ... */
    sb_time     run_confirmed_at; /* ... and a reliable message in it; SB_TIME_NEVER: none yet */
    sb_ship     ship;
    sb_receiver receiver;
    sb_pace     pace;
    sb_excuse   turn, acceleration;
    uint8_t     name_size, set_size;
    uint16_t    name_offset; /* of the ship's name in `creation` */
    uint8_t     set_name[ENTER_SET_MAX];
    uint16_t    creation_size; /* 0: it was too long, and `creation` has only the name */
    uint8_t     creation[CREATION_BYTES_MAX]; /* as received */
} sb_object;

/* ---- objects.c ---- */

/* NULL: there is no such object. */
sb_object *sb_server_find_object(const sb_server *s, uint32_t object_id);
void       sb_server_handle_creation(sb_server *s, sb_player *p, sb_span bytes);
/* Accepts a creation that has waited (replacing.c). */
void sb_server_accept_second_ship(sb_server *s, sb_player *p, sb_span bytes);
void sb_server_handle_object_request(sb_server *s, sb_player *p, sb_span bytes);
/* Sends the creation of a living object and its damage volumes to one player (spec 06 §8). */
void sb_server_send_object(sb_server *s, const sb_player *to, sb_object *o);
void sb_server_send_all_objects(sb_server *s, const sb_player *to);
/* True for an object of which the room has neither data nor the owner's bytes: they were too long.
 */
bool sb_object_is_creation_unknown(const sb_object *o);
/* Removes an object from the room, combat, replica and match. Sends nothing. */
void sb_server_remove_object(sb_server *s, sb_object *o);
void sb_server_remove_all_objects(sb_server *s);
/* Requests a ship from its player: the room has received StateUpdates of the ship, but no creation
 * (spec 07 §6). */
void sb_server_request_object(sb_server *s, sb_player *p, uint32_t object_id);

/* Combat compares sets by number (spec 10 §11.4). */
uint32_t sb_server_hash_of_set(sb_span set);

/* ---- mod_ships.c ---- */

/* True if the room can have no model of the ship in s->in, and mod_ships does not allow it. Tells
 * the player. */
bool sb_server_refuse_mod_ship(sb_server *s, sb_player *p, sb_span bytes);
/* Marks and reports a ship of a known species with other subsystems. */
void sb_server_note_mod_ship(sb_server *s, sb_player *p, sb_object *o, sb_span bytes);

/* ---- scenery.c ---- */

/* Objects that can have lanes in a room with this many places for players. */
uint32_t sb_scenery_lanes(uint32_t places);
/* True for a row with an object that is no player's ship. */
bool sb_object_is_scenery(const sb_object *o);
/* The owner has sent an update of an object that has no lanes: gives it lanes if its owner's share
 * of them allows it. */
void sb_server_track_scenery(sb_server *s, sb_object *o);
/* Takes the lanes from an object; no effect on players' ships. */
void sb_server_untrack_scenery(sb_server *s, sb_object *o);
/* Removes one object and tells all in the game; its row is free now. `creator`: the player whose
 * new object needs the row. All rows must be in use. */
sb_object *sb_server_evict_scenery(sb_server *s, uint8_t creator);
/* Removes all objects of a player but the player's ship, and tells all in the game. */
void sb_server_destroy_scenery_of(sb_server *s, uint8_t owner);

/* ---- warp.c ---- */

/* The owner has started to warp: an event of its ship (spec 08 §7.7). */
void sb_server_start_warp(sb_server *s, sb_object *o, const sb_event *e);
/* Passes the stages that end at s->now. */
void sb_server_advance_warps(sb_server *s);
/* Puts the object into a set. Sends nothing. */
void sb_server_set_set(sb_server *s, sb_object *o, sb_span set);
/* Tells all in the game that the object is in a set without having warped there: the notice
 * ObjectNotFound (spec 07 §5). */
void sb_server_announce_set(sb_server *s, const sb_object *o);
/* True if the ships can see and hit each other; never of a ship in transit and one that is not. */
bool sb_server_is_same_set(const sb_object *a, const sb_object *b);
void sb_server_handle_enter_set(sb_server *s, sb_player *p, sb_span bytes);
/* False: the clients have not loaded this set, and an EnterSet could crash them (spec 07 §7). True
 * in a star system that the room does not know. */
bool sb_server_may_send_set(const sb_server *s, sb_span set);

/* ---- integrity.c ---- */

/* The integrity hashes of an object's updates so far. */
typedef struct sb_hash_state {
    uint32_t seen, changes;
    uint16_t hash;
} sb_hash_state;

sb_hash_state sb_server_hash_state(const sb_object *o);
/* Reports a changed or unexpected hash in the update that was just applied, and removes the player
 * if the configuration says so; `before` is the state before that update. */
void sb_server_judge_hash(sb_server *s, sb_player *p, sb_object *o, sb_hash_state before);

#endif
