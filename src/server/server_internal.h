/* src/server/server_internal.h -- the parts of a room, for the files of this folder.
 *
 * server.c         init, datagrams and time in, datagrams out
 * dispatch.c       decodes a message; decides whether the sender may send it
 * opcodes.c        the table of message handlers
 * joining.c        from Connect to NewPlayerInGame
 * files.c          files for clients whose files differ
 * file_memory.c    which player has which files; the budget of each address
 * leaving.c        departures and kicks
 * objects.c        creations, object requests
 * replacing.c      a player's next ship, and what becomes of the last one
 * mod_ships.c      ships without a model
 * scenery.c        objects that are no player's ship
 * warp.c           changes of set: stages of a warp, messages about them
 * relay.c          events, shots and StateUpdates of players
 * integrity.c      integrity hashes in StateUpdates, and their consequences
 * lanes.c          StateUpdates to players
 * scripts.c        chat, teams, restarts by players, messages of mods
 * combat_events.c  hits, deaths and repairs that combat reports
 * match.c          start and end of a match, scores for newcomers
 * players.c        the table of players
 * send.c           messages to players
 * backlog.c        relayed messages that wait for space in receivers' queues
 * report.c         events to the program that runs the room
 * reconfigure.c    changes of a running room's configuration
 * options.c        words of options
 * view.c           status answers, displays
 * check.c          invariants, for tests
 */
#ifndef SB_SERVER_INTERNAL_H
#define SB_SERVER_INTERNAL_H

#include <starbase/server.h>

#include "base/counters.h"
#include "base/text.h"
#include "replica/pace.h"
#include "replica/sender_clock.h"
#include "server/limits.h"
#include "transport/budget.h"

/* starbase/message.h: only files that read or build messages include it. */
typedef struct sb_event   sb_event;
typedef struct sb_message sb_message;

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

/* The rate limit of one weapon, by its id (spec 08 §17). */
typedef struct sb_fire_record {
    uint32_t  weapon;
    sb_budget budget;
} sb_fire_record;

/* The last request of one object by one player. */
typedef struct sb_request_record {
    uint32_t object_id;
    uint32_t requested_ms; /* low bits of the clock: enough to compare within a second */
} sb_request_record;

/* Implausible messages of one kind from one player. */
typedef struct sb_implausible_record {
    sb_time  since;       /* start of the counting window */
    uint32_t count;       /* in this window */
    sb_time  quiet_until; /* no further event before this time */
} sb_implausible_record;

/* A player who left with a living ship or a wreck (spec 07 §2.6). */
typedef struct sb_loss_record {
    uint32_t address;
    sb_time  armed_at; /* of a ship of the next player from this address; 0: the record is free */
} sb_loss_record;

/* A set of files: one bit per row of sb_server_config.files. */
typedef struct sb_file_set {
    uint8_t bits[SB_CLIENT_FILES_MAX / 8];
} sb_file_set;

static inline bool sb_file_set_has(const sb_file_set *set, size_t file)
{
    return set->bits[file / 8] >> file % 8 & 1;
}

static inline void sb_file_set_add(sb_file_set *set, size_t file)
{
    set->bits[file / 8] |= (uint8_t)(1 << file % 8);
}

static inline void sb_file_set_remove(sb_file_set *set, size_t file)
{
    set->bits[file / 8] &= (uint8_t) ~(1 << file % 8);
}

/* The files that one player gets. */
typedef struct sb_file_progress {
    sb_file_set wanted;      /* not acknowledged yet */
    uint16_t    index;       /* UPDATING: the current file, in `wanted` */
    uint16_t    done, total; /* files */
    size_t      at;          /* bytes of the current message that the transport has */
    uint64_t    bytes;       /* sent so far, of all files */
    sb_budget   budget;      /* in bytes */
    sb_time     retry_at;    /* the queue was full: not before this time */
    sb_time     reported_at;
} sb_file_progress;

/* Files that a player has acknowledged; the player is recognised by address and name. */
typedef struct sb_file_record {
    sb_time     used_at; /* 0: the record is free */
    uint32_t    address;
    uint8_t     name_size;
    uint8_t     name[2 * SB_NAME_UNITS];
    sb_file_set acknowledged;
} sb_file_record;

/* Bytes of files that one address has got since `since`. */
typedef struct sb_file_source {
    sb_time  since; /* 0: the record is free */
    uint32_t address;
    uint64_t bytes;
} sb_file_source;

/* One connected peer. Its index in the table is its slot (spec 06 §1). */
typedef struct sb_player {
    sb_player_phase       phase;
    uint8_t               peer_id;
    uint8_t               round;         /* position of the pending checksum round */
    uint8_t               boot_reason;   /* REFUSED: the reason the Boot will carry */
    bool                  was_in_game;   /* was in LOBBY at least once */
    bool                  chat_refused;  /* the player was told that a line was not sent */
    bool                  lossy;         /* gets full updates more often (spec 03 §17) */
    bool                  target_seen;   /* the current ship has sent a TargetChanged */
    bool                  target_is_new; /* TargetChanged names the new target (spec 08 §6) */
    sb_time               lossy_until;
    uint64_t              retransmitted; /* messages to this peer, when last checked */
    uint8_t               name_size;
    uint8_t               name[2 * SB_NAME_UNITS]; /* UTF-16LE */
    sb_endpoint           address;
    sb_time               connected_at;
    sb_time               reliable_at; /* arrival of the last reliable message */
    sb_sender_clock       clock;       /* from the Settings on */
    sb_time               timeout_us;  /* of the session: a reload changes that of newcomers only */
    sb_time               phase_ends;  /* SB_TIME_NEVER: no limit */
    uint32_t              manifests;   /* one bit per manifest that accepted every round so far */
    sb_object            *ship;        /* the current ship or its wreck; NULL: none */
    sb_time               armed_at;    /* when a ship that replaces the last one may fire */
    uint32_t              highest_id;  /* of all objects this player created */
    sb_budget             chat, teams, mods, requests, asks, relay, effects, stops, collisions;
    sb_fire_record        fire[FIRE_RECORDS_MAX];
    sb_request_record     requested[REQUEST_RECORDS_MAX];
    uint8_t               next_fire_index, next_request_index; /* oldest records */
    sb_implausible_record implausible[SB_IMPLAUSIBLE_COUNT];
    sb_time               hash_quiet_until;     /* no event about a changed hash before this time */
    uint32_t              hash_changes_skipped; /* changes without an event since the last one */
    sb_file_progress      files;
} sb_player;

/* The room's own copies of the texts that a configuration borrows, without characters that would
 * break a status answer. */
typedef struct sb_server_texts {
    char name[SB_SERVER_NAME_MAX + 1];
    char system_name[SET_NAME_MAX + 1];
} sb_server_texts;

/* A ring of messages; each is stored once for all its receivers. */
typedef struct sb_backlog {
    uint8_t *bytes;
    uint32_t capacity, first, used;          /* bytes; `first`: offset of the oldest message */
    uint32_t waiting[SB_SERVER_PLAYERS_MAX]; /* messages that wait for the player in this slot */
} sb_backlog;

struct sb_server {
    sb_server_config config; /* its name and system_name point into `texts` */
    sb_server_texts  texts;
    uint32_t         capacity;       /* players for whom the memory has places */
    uint32_t         wanted_players; /* max_players as configured; above `capacity`: growth.c */
    bool             stopping, stopped_reported;
    sb_time          started_at;          /* zero of the game clock */
    sb_time          restart_at;          /* after the end of a match; else SB_TIME_NEVER */
    sb_time          restarted_at;        /* last restart of the match */
    sb_time          warp_next;           /* earliest end of a stage of a warp; SB_TIME_NEVER */
    sb_time          losses_checked_next; /* when lanes.c looks for lossy links again */
    bool             lanes_paced;         /* lanes.c has set paces by distance */
    uint64_t         refusals_reported;   /* refused Connects */
    bool             has_next;            /* `next` replaces `config` when the room is empty */
    sb_server_config next;                /* its name and system_name point into `next_texts` */
    sb_server_texts  next_texts;
    uint32_t         last_object_order;
    bool             has_gone_objects; /* at least one object is `gone` */
    sb_budget        file_budget;      /* bytes of files to all players */
    uint8_t          file_turn;        /* the slot that sends the next fragment first */
    sb_file_record   file_records[FILE_RECORDS_MAX];
    sb_file_source   file_sources[FILE_SOURCES_MAX];

    sb_transport_host *transport;
    sb_responder      *responder;
    sb_replica        *replica;
    sb_combat         *combat;
    sb_match           match;
    sb_backlog         backlog;
    sb_player          players[SB_SERVER_PLAYERS_MAX];
    sb_loss_record     losses[SB_SERVER_PLAYERS_MAX];
    sb_object          objects[OBJECTS_MAX];
    uint64_t           counters[SB_SERVER_COUNTER_COUNT];
    uint64_t           implausible[SB_IMPLAUSIBLE_COUNT];

    sb_time     now;        /* of the call that is running */
    sb_message *in;         /* the message that is being handled */
    sb_message *out;        /* the message that is being built */
    sb_message *combat_out; /* the same for combat_events.c, which may run while `out` is in use */
    uint8_t     bytes[ENCODED_MESSAGE_MAX];
    uint8_t     status_names[SB_SERVER_PLAYERS_MAX][SB_NAME_UNITS]; /* lent to status answers */
};

/* A clock that goes back counts as standing still (starbase/transport.h). */
static inline void sb_server_set_time(sb_server *s, sb_time now)
{
    if (now > s->now) s->now = now;
}

/* Refills the budget and spends one token; false: it is exhausted, and nothing was spent. */
static inline bool sb_server_spend_token(const sb_server *s, sb_budget *budget, uint32_t per_second,
                                         uint32_t burst)
{
    sb_budget_refill(budget, s->now, per_second, burst);
    if (!sb_budget_has(budget, 1)) return false;
    sb_budget_spend(budget, 1);
    return true;
}

/* No control characters. */
static inline bool sb_server_is_printable(sb_span text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < 0x20 || text.data[i] == 0x7F) return false;
    return true;
}

/* ---- report.c ---- */

/* Counts a message that has no effect, and reports it. */
void sb_server_refuse(sb_server *s, const sb_player *p, sb_server_counter why, sb_span bytes);
/* Counts an implausible message; reports the player at most once a second, and not if lag explains
 * it. `p` NULL: the player has left, so it is only counted. `claimed` and `possible` are the
 * evidence, in the unit of the row. */
void sb_server_report_implausible(sb_server *s, sb_player *p, sb_implausible what, double claimed,
                                  double possible);
/* An event about a player (NULL: about no player), for the caller to complete and report. */
sb_server_event sb_server_event_about(const sb_server *s, sb_server_event_type type,
                                      const sb_player *p);
/* Calls on_event with `event` and the player's name. */
void sb_server_report(const sb_server *s, const sb_server_event *event, const sb_player *p);
void sb_server_report_text(const sb_server *s, sb_server_event_type type, const sb_player *p,
                           const char *text);

/* ---- players.c ---- */

/* In the lobby or flying: gets relayed messages. */
static inline bool sb_player_is_in_game(const sb_player *p)
{
    return p->phase == SB_PLAYER_LOBBY || p->phase == SB_PLAYER_FLYING;
}

/* NULL: no player has this id. */
sb_player *sb_server_find_player(const sb_server *s, uint8_t peer_id);
/* True if a player is in the game, or is being removed from it. */
bool sb_server_has_players(const sb_server *s);
/* `ends`: when the join fails or the Boot is sent; SB_TIME_NEVER: no limit. */
void sb_player_set_phase(sb_player *p, sb_player_phase phase, sb_time ends);

/* ---- send.c ---- */

/* True if the player's queue has `size` and `reserve` bytes free. A reliable message that does not
 * fit ends the session of its receiver (starbase/transport.h). */
bool sb_server_can_queue(const sb_server *s, const sb_player *p, size_t size, size_t reserve);
/* Encodes a message; the bytes are lent until the next call. Size 0: it cannot be encoded. */
sb_span sb_server_encode(sb_server *s, const sb_message *message);
/* Relay a player's bytes to all in the game but `except` (may be NULL), or to the slots of a bit
 * mask. A reliable message waits for receivers whose queue is nearly full (backlog.c). */
void sb_server_relay(sb_server *s, sb_span bytes, sb_delivery delivery, const sb_player *except);
void sb_server_relay_to(sb_server *s, uint16_t slots, sb_span bytes, sb_delivery delivery);
/* Encode a message and send it reliably: to one player, to all in the game, to all in the game
 * whose queues keep `reserve` bytes free, to all who are connected. */
void sb_server_send(sb_server *s, const sb_player *p, const sb_message *message);
void sb_server_send_in_game(sb_server *s, const sb_message *message);
void sb_server_send_if_fits(sb_server *s, const sb_message *message, size_t reserve);
void sb_server_send_connected(sb_server *s, const sb_message *message);
/* Sends an encoded message reliably. */
void sb_server_send_bytes(sb_server *s, const sb_player *p, sb_span bytes);

/* ---- backlog.c ---- */

/* `bytes` has `capacity` bytes, a multiple of 4, borrowed for the life of the backlog. */
void sb_backlog_init(sb_backlog *b, uint8_t *bytes, uint32_t capacity);
/* Stores a copy of a message for the slots of a bit mask. Returns how many copies are lost: of the
 * oldest messages, which made way, or of this one, if it is too long. */
unsigned sb_backlog_add(sb_backlog *b, uint16_t receivers, sb_span bytes);
/* The player in this slot is gone. */
void sb_backlog_forget(sb_backlog *b, size_t slot);
/* Removes the creations of an object that has died or is gone: the room's own messages about that
 * do not wait, and an object that is created after them would never go. */
void sb_backlog_forget_object(sb_backlog *b, uint32_t object_id);
/* Queues the messages whose receivers have space again. */
void sb_server_advance_backlog(sb_server *s);
/* Asserts every invariant. */
void sb_backlog_check(const sb_backlog *b);

/* ---- joining.c ---- */

void sb_server_on_connect(sb_server *s, uint8_t peer_id, sb_endpoint address);
void sb_server_handle_checksums(sb_server *s, sb_player *p, sb_span bytes);
void sb_server_handle_new_player(sb_server *s, sb_player *p, sb_span bytes);
/* Ends the checksum rounds with the bundle of spec 06 §4.4; the client then loads the mission. */
void sb_server_send_bundle(sb_server *s, sb_player *p);
/* Handles timeouts of joins, the end of WAITING, and pending Boots. */
void    sb_server_advance_joins(sb_server *s);
sb_time sb_server_joins_deadline(const sb_server *s);
/* From when on a newcomer may have the seat of a client that does not answer (spec 06 §9);
 * `context` is the server. SB_TIME_NEVER: the player keeps it. */
sb_time sb_server_gives_way_at(void *context, uint8_t peer_id);
/* Reports why the join fails, and tells the player. The Boot follows when all queued messages are
 * acknowledged, or after REASON_SECONDS_JOINING at the latest. */
void sb_server_refuse_join(sb_server *s, sb_player *p, const char *why);

/* ---- files.c ---- */

/* False: there are too many files, or a message is no FileTransfer that the transport can send. */
bool sb_server_are_files_valid(const sb_server_config *config);
/* Adds the files of `difference` to those that the player will get. `manifest` is the number of the
 * manifest that the client's files were compared with. */
void sb_server_want_files(const sb_server *s, sb_player *p, size_t manifest,
                          const sb_difference *difference);
/* Starts to send the wanted files; false: there are none, or they are withheld. */
bool sb_server_start_files(sb_server *s, sb_player *p);
void sb_server_handle_file_ack(sb_server *s, sb_player *p, sb_span bytes);
/* Sends fragments that budgets and windows allow. */
void    sb_server_advance_files(sb_server *s);
sb_time sb_server_files_deadline(const sb_server *s);
/* Reports that a player who is getting files leaves; others are not reported. */
void sb_server_report_stopped_files(const sb_server *s, const sb_player *p);
/* Call it after a change of the list; `before` and its messages are still valid. */
void sb_server_replace_files(sb_server *s, const sb_client_file *before, size_t count);

/* ---- file_memory.c ---- */

/* The files that this player has acknowledged; NULL: none that is remembered. */
const sb_file_set *sb_server_recall_files(const sb_server *s, const sb_player *p);
void               sb_server_remember_file(sb_server *s, const sb_player *p, size_t file);
/* True if the player's address may get `bytes` more. */
bool sb_server_may_send_bytes(const sb_server *s, const sb_player *p, uint64_t bytes);
void sb_server_count_file_bytes(sb_server *s, const sb_player *p, uint64_t bytes);

/* ---- objects.c ---- */

/* NULL: there is no such object. */
sb_object *sb_server_find_object(const sb_server *s, uint32_t object_id);
void       sb_server_handle_creation(sb_server *s, sb_player *p, sb_span bytes);
void       sb_server_handle_object_request(sb_server *s, sb_player *p, sb_span bytes);
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

/* ---- replacing.c ---- */

/* Charges the death of a living ship that a new one replaces; false: the budget is exhausted. */
bool sb_server_charge_loss(sb_server *s, sb_player *p);
/* Makes `o` the player's ship and removes the old one (spec 07 §2.6). */
void sb_server_replace_ship(sb_server *s, sb_player *p, sb_object *o);
/* The player's ship was lost just now: a ship that replaces it may not fire yet. */
void sb_server_delay_arms(sb_server *s, sb_player *p);
/* The player leaves: a ship that was just hit counts as destroyed, and a ship of the next player
 * from the same address may not fire yet. */
void sb_server_remember_departure(sb_server *s, sb_player *p);
/* A new match: ships may fire at once. */
void sb_server_forget_losses(sb_server *s);

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

/* ---- relay.c ---- */

/* Handles an event without a handler of its own; its row in opcodes.c says what to apply. */
void sb_server_handle_event(sb_server *s, sb_player *p, sb_span bytes);
void sb_server_handle_torpedo(sb_server *s, sb_player *p, sb_span bytes);
void sb_server_handle_pulse(sb_server *s, sb_player *p, sb_span bytes);
void sb_server_handle_state(sb_server *s, sb_player *p, sb_span bytes);
void sb_server_handle_target(sb_server *s, sb_player *p, sb_span bytes);
void sb_server_handle_collision(sb_server *s, sb_player *p, sb_span bytes);
void sb_server_handle_self_destruct(sb_server *s, sb_player *p, sb_span bytes);
/* Apply an event of the player's ship to combat. */
void sb_server_apply_start_firing(sb_server *s, uint32_t ship, const sb_event *e);
void sb_server_apply_stop_firing(sb_server *s, uint32_t ship, const sb_event *e);
void sb_server_apply_switch(sb_server *s, uint32_t ship, const sb_event *e);
void sb_server_apply_repair_priority(sb_server *s, uint32_t ship, const sb_event *e);
void sb_server_apply_phaser_level(sb_server *s, uint32_t ship, const sb_event *e);
void sb_server_apply_torpedo_type(sb_server *s, uint32_t ship, const sb_event *e);
void sb_server_apply_start_cloaking(sb_server *s, uint32_t ship, const sb_event *e);
void sb_server_apply_stop_cloaking(sb_server *s, uint32_t ship, const sb_event *e);
void sb_server_apply_warp(sb_server *s, uint32_t ship, const sb_event *e);

/* ---- lanes.c ---- */

/* Sends the StateUpdates that are due at s->now. */
void sb_server_advance_lanes(sb_server *s);
/* Time between two StateUpdates of a ship to a player near it, in a room with few players. */
sb_time sb_server_lane_interval(const sb_server_config *config);

/* ---- scripts.c ---- */

/* Relays a player's bytes to the player's team but `except`; without teams, to the player alone. */
void sb_server_relay_to_team(sb_server *s, const sb_player *p, sb_span bytes, sb_delivery delivery,
                             const sb_player *except);
void sb_server_handle_chat(sb_server *s, sb_player *p, sb_span bytes);
/* Sends a chat line of the server to one player, unless the player's queue is nearly full. */
void sb_server_tell(sb_server *s, const sb_player *p, const char *text);
void sb_server_handle_team(sb_server *s, sb_player *p, sb_span bytes);
void sb_server_handle_restart(sb_server *s, sb_player *p, sb_span bytes);
void sb_server_handle_mod(sb_server *s, sb_player *p, sb_delivery delivery, sb_span bytes);

/* ---- opcodes.c ---- */

typedef void sb_message_handler(sb_server *s, sb_player *p, sb_span bytes);

/* The rate limit that a message counts against. */
typedef enum sb_message_budget {
    SB_BUDGET_RELAY, /* the sender's relay budget, because other players receive something */
    SB_BUDGET_STOP,  /* the sender's budget of StopFiring */
    SB_BUDGET_OWN,   /* one that the handler charges, or none */
} sb_message_budget;

/* Checks of an event besides the check of its owner, and the effect of the event (spec 08 §7, §17).
 */
typedef struct sb_event_rule {
    void (*apply)(sb_server *s, uint32_t ship, const sb_event *e); /* NULL: only relayed */
    uint8_t max_value;  /* of an event with a BOOL or CHAR value; 0: any */
    bool    needs_ship; /* refused without a living ship */
} sb_event_rule;

/* How a room handles one opcode of a client. All zero: relay it as the opcode table says. */
typedef struct sb_server_opcode {
    sb_message_handler *handle;
    uint8_t             effect_cost; /* cells of the room's own messages that follow from it */
    uint8_t             budget;      /* sb_message_budget */
    bool                joins;       /* part of the join: handled in every phase, not yet decoded */
    sb_event_rule       event;
} sb_server_opcode;

extern const sb_server_opcode sb_server_opcodes[256];

/* ---- dispatch.c ---- */

/* Charges the player's relay budget, and the budget of effects if the room will send messages of
 * its own; false if one of them is exhausted. The budget keeps one player's flood
 * from filling the queues of the others: a receiver that cannot take a reliable message is removed
 * (starbase/transport.h). */
bool sb_server_charge_relay(sb_server *s, sb_player *p, sb_span bytes);
/* Charges the budget of effects for further messages of the room; false if it is exhausted. */
bool sb_server_charge_effect(sb_server *s, sb_player *p, uint32_t cells);
/* Decodes one message of a player, then handles or relays it. `bytes` is not empty. */
void sb_server_dispatch(sb_server *s, sb_player *p, sb_delivery delivery, sb_span bytes);

/* ---- combat_events.c ---- */

/* The callback of combat; `server` is the sb_server. */
void sb_server_on_combat(void *server, const sb_combat_event *event);
/* A living ship that its owner gave up, by another creation or by leaving, counts as destroyed by
 * the player who hit it last, if that was a moment ago (spec 07 §2.6). The owner gets no
 * ObjectExploding: its client has forgotten the ship. */
void sb_server_give_up_ship(sb_server *s, sb_object *o);
/* True if another player hit the ship within the last HIT_MEMORY_SECONDS. */
bool sb_server_was_just_hit(const sb_server *s, const sb_object *o);
/* For sb_combat_filter_hits. */
bool sb_server_has_hit_effect(const void *server, uint8_t attacker, uint8_t owner);

/* Reports the numbers of a player. */
void sb_server_report_score(const sb_server *s, uint8_t peer_id);

/* ---- match.c ---- */

/* Call it after calls into combat: removes objects that are gone, and ends the match if
 * a limit is reached. */
void sb_server_after_combat(sb_server *s);
void sb_server_finish_match(sb_server *s, sb_end_reason reason);
void sb_server_start_match(sb_server *s);
/* The last player has left the game: scores and time are those of a new match. */
void sb_server_begin_anew(sb_server *s);
/* Tells and reports to a player who cannot play yet when the next match starts. */
void sb_server_tell_pause(sb_server *s, const sb_player *p);
/* The MissionInit for a newcomer. */
void sb_server_build_mission_init(const sb_server *s, sb_message *out);
/* The score of one row: SCORE_INIT in team modes, else SCORE. */
void sb_server_build_score(const sb_server *s, const sb_match_row *row, sb_message *out);
/* Sends one row to all in the game. */
void sb_server_send_score(sb_server *s, const sb_match_row *row);
/* Sends the whole table of scores to a newcomer. */
void sb_server_send_scores(sb_server *s, const sb_player *to);

/* ---- server.c ---- */

/* Sets the game time to 0. Call it only in an empty room: clients keep using the old time. Game
 * time is a float, which is too coarse for the game after days (spec 10 §2). */
void sb_server_restart_clock(sb_server *s);
/* The configuration of a match, with the constants that sb_server_config has elsewhere. */
sb_match_config          sb_server_match_config(const sb_server_config *config);
sb_transport_host_config sb_server_transport_config(const sb_server_config *config);

/* ---- reconfigure.c ---- */

/* Copies the texts that `config` borrows, and lets `config` point at the copies. */
void sb_server_own_texts(sb_server_config *config, sb_server_texts *texts);
/* The last player left: restarts the game clock and applies deferred changes. */
void sb_server_on_empty(sb_server *s);

/* ---- leaving.c ---- */

void sb_server_on_leave(sb_server *s, const sb_transport_event *event);

/* ---- view.c ---- */

/* The star system of the match; NULL: not in the list of systems. */
const sb_system *sb_server_find_system(const sb_server *s);
float            sb_server_clock(const sb_server *s); /* game time at s->now, in seconds */

#endif
