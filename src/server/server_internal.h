/* src/server/server_internal.h -- what a room is made of, for the files of this folder.
 *
 * server.c    the crank               joining.c  from Connect to 0x2A
 * dispatch.c  who may say what        objects.c  0x02, 0x03, 0x1D to 0x1F
 * relay.c     events, shots, motion   scripts.c  chat, teams, mods
 * combat_events.c  combat's decisions  leaving.c  departures, kicks
 * report.c    messages and events     view.c     status, displays
 */
#ifndef SB_SERVER_INTERNAL_H
#define SB_SERVER_INTERNAL_H

#include <starbase/server.h>

#include "base/counters.h"
#include "transport/budget.h"

enum {
    OBJECTS_MAX = 40,         /* ships and wrecks of 16 players, and what else clients announce */
    CREATION_BYTES_MAX = 512, /* of a creation message that is kept for late joiners */
    SET_NAME_MAX = 32,        /* spec 07 §2.6 ... */
    ENTER_SET_MAX = 64,       /* ... and §7 */
    FIRE_RECORDS_MAX = 16,    /* weapons of one player whose rate is watched */
    SHOTS_PER_SECOND = 20,    /* shots of one weapon (spec 08 §17) ... */
    SHOTS_BURST = 8,          /* ... and at once */
    REQUESTS_PER_SECOND = 20, /* spec 07 §6 */
    REQUEST_RECORDS_MAX = 20, /* objects one player asked for of late: all of a second */
    CHAT_BURST = 5,           /* lines at once, then one a second (spec 09 §4) */
    TEAM_BURST = 4,           /* choices of a team at once, then one a second */
    ROUNDS_WRONG_MAX = 3,     /* unexpected checksum answers before a Boot (spec 06 §9) */
    CREATIONS_WRONG_MAX = 3,  /* bad creations in a row before a Boot (spec 07 §2.6) */
    RELAY_CELLS_PER_SECOND =
        100,                 /* cells (SB_CELL_BYTES) one player may have passed on a second ... */
    RELAY_BURST_CELLS = 120, /* ... and at once: less than each receiver has for itself */
    RELAY_BURST_CELLS_MIN = 24, /* ... of which players have less, the more there are */
    RELAY_QUEUE_RESERVE =
        6144, /* bytes of a receiver's queue that are not for what others do, ... */
    CHAT_QUEUE_RESERVE = 4096,   /* ... nor for what they say, ... */
    REPAIR_QUEUE_RESERVE = 3072, /* ... nor for repairs: ships, deaths and scores come first */
    COLLISIONS_PER_SECOND = 120, /* honest clients send 43: a graze must not shield from a ram */
    COLLISIONS_BURST = 240,
    RESTART_INTERVAL_SECONDS = 10, /* by players */
    LOSSY_LINK_SECONDS = 30, /* so long a link counts as bad after a message had to be sent again */
    CLOCK_RESTART_SECONDS =
        3600, /* a game clock that starts again with the next player of an empty room */
    VOLUME_QUEUE_RESERVE = 8192, /* bytes of a queue that damage volumes leave to other messages */
    UPDATE_INTERVAL_MIN_US = 10000, /* between two updates of a ship to a player */
    ENCODED_MESSAGE_MAX = 2048,     /* the longest message a room writes itself */
};

/* One networked object (spec 07 §11). */
typedef struct sb_object {
    uint32_t    object_id; /* 0: free */
    uint8_t     owner;     /* peer id */
    uint8_t     opcode;    /* 0x03: a player's ship; 0x02: anything else */
    bool        exploding, gone;
    bool        tracked; /* has lanes and, with a model, takes part in combat */
    uint32_t    order;   /* of creation: late joiners get them in this order */
    sb_ship     ship;
    sb_receiver receiver;
    uint8_t     name_size, set_size;
    uint16_t    name_offset; /* the name in `creation` */
    uint8_t     set_name[ENTER_SET_MAX];
    uint16_t    creation_size;
    uint8_t     creation[CREATION_BYTES_MAX]; /* as it came */
} sb_object;

/* When one weapon fired, by its id (spec 08 §17). */
typedef struct sb_fire_record {
    uint32_t  weapon;
    sb_budget budget;
} sb_fire_record;

typedef struct sb_request_record {
    uint32_t object_id;
    uint32_t requested_ms; /* of the clock, whose higher bits do not matter for a second */
} sb_request_record;

/* What one player did that is implausible in one way. */
typedef struct sb_implausible_record {
    sb_time  since;       /* a while in which it is counted ... */
    uint32_t count;       /* ... and how often it happened */
    sb_time  quiet_until; /* told just now: not again */
} sb_implausible_record;

/* One connected peer. Its index in the table is its slot (spec 06 §1). */
typedef struct sb_player {
    sb_player_phase       phase;
    uint8_t               peer_id;
    uint8_t               round; /* position of the pending checksum round */
    uint8_t               rounds_wrong, creations_wrong;
    uint8_t               boot_reason; /* REFUSED: what the Boot will say */
    bool                  was_in_game, booted;
    bool                  lossy; /* its datagrams get lost: spec 03 §17 */
    sb_time               lossy_until;
    uint64_t              retransmitted; /* to it, as last seen */
    uint8_t               name_size;
    uint8_t               name[2 * SB_NAME_UNITS]; /* UTF-16LE */
    sb_endpoint           address;
    sb_time               connected_at;
    sb_time               phase_ends; /* SB_TIME_NEVER: no limit */
    uint32_t              manifests;  /* bits: those that accepted every round so far */
    sb_object            *ship;       /* current one, or its wreck; NULL: none */
    uint32_t              highest_id; /* of its objects */
    sb_budget             chat, teams, mods, requests, relay, collisions;
    sb_fire_record        fire[FIRE_RECORDS_MAX];
    sb_request_record     requested[REQUEST_RECORDS_MAX];
    uint8_t               next_fire_index, next_request_index;
    sb_implausible_record implausible[SB_IMPLAUSIBLE_COUNT];
} sb_player;

/* The room's own copies of the texts that a configuration borrows, without characters that would
 * break a status answer. */
typedef struct sb_server_texts {
    char name[SB_SERVER_NAME_MAX + 1];
    char system_name[SET_NAME_MAX + 1];
} sb_server_texts;

struct sb_server {
    sb_server_config config; /* its name and system_name are in `texts` */
    sb_server_texts  texts;
    bool             has_password, stopping, stopped_reported;
    sb_time          started_at; /* of the game clock */
    sb_time          restart_at; /* SB_TIME_NEVER */
    sb_time          restarted_at;
    sb_time          losses_checked_next; /* when to look at them again */
    uint64_t         refusals_reported;
    bool             has_next; /* `next` replaces `config` as soon as the room is empty */
    sb_server_config next;     /* its name and system_name are in `next_texts` */
    sb_server_texts  next_texts;
    uint32_t         last_object_order;
    bool             has_gone_objects; /* some object is gone: forget it before the next message */

    sb_transport_host *transport;
    sb_responder      *responder;
    sb_replica        *replica;
    sb_combat         *combat;
    sb_match           match;
    sb_player          players[SB_SERVER_PLAYERS_MAX];
    sb_object          objects[OBJECTS_MAX];
    uint64_t           counters[SB_SERVER_COUNTER_COUNT];
    uint64_t           implausible[SB_IMPLAUSIBLE_COUNT];

    sb_time    now; /* of the call that is running */
    sb_message in;  /* the message that is handled */
    sb_message out; /* the one that is made; combat_events.c's own, since it may interrupt others */
    sb_message combat_out;
    uint8_t    bytes[ENCODED_MESSAGE_MAX];
    uint8_t    status_names[SB_SERVER_PLAYERS_MAX][SB_NAME_UNITS];
};

/* A clock that goes back counts as standing still (starbase/transport.h). */
static inline void sb_server_set_time(sb_server *s, sb_time now)
{
    if (now > s->now) s->now = now;
}

/* ---- report.c ---- */

/* Counts and tells a message that has no effect. */
void sb_server_refuse(sb_server *s, const sb_player *p, sb_server_counter why, sb_span bytes);
/* Counts what is implausible, and tells it of the player (NULL: gone), unless lag can be the reason
 * or it was told just now. */
void sb_server_report_implausible(sb_server *s, sb_player *p, sb_implausible what);
/* An event about a player (NULL: nobody), to be filled further and told. */
sb_server_event sb_server_event_about(const sb_server *s, sb_server_event_type type,
                                      const sb_player *p);
void sb_server_report(const sb_server *s, const sb_server_event *event, const sb_player *p);
void sb_server_report_text(const sb_server *s, sb_server_event_type type, const sb_player *p,
                           const char *text);

bool sb_player_is_in_game(const sb_player *p);
/* Whether the queue of a player has room for so much and still the reserve. A reliable message that
 * does not fit ends his conversation (starbase/transport.h). */
bool sb_server_can_queue(const sb_server *s, const sb_player *p, size_t size, size_t reserve);
/* Everybody in the game but `except`, which may be NULL. */
void sb_server_relay(sb_server *s, sb_span bytes, sb_delivery delivery, const sb_player *except);
void sb_server_relay_to(sb_server *s, const sb_player *p, sb_span bytes, sb_delivery delivery);
/* Encode and send, reliably: to one, to all in the game, to all who are connected. */
void sb_server_send(sb_server *s, const sb_player *p, const sb_message *message);
void sb_server_send_in_game(sb_server *s, const sb_message *message);
/* ... whose queues have room for it and `reserve` bytes more. */
void       sb_server_send_if_fits(sb_server *s, const sb_message *message, size_t reserve);
void       sb_server_send_connected(sb_server *s, const sb_message *message);
void       sb_server_send_bytes(sb_server *s, const sb_player *p, sb_span bytes);
sb_player *sb_server_find_player(const sb_server *s, uint8_t peer_id);

/* UTF-8 of a UTF-16LE or Windows-1252 text without control characters; NUL-terminated. */
size_t sb_utf8_from_utf16(sb_span text, char *out, size_t capacity);
size_t sb_utf8_from_windows1252(sb_span text, char *out, size_t capacity);
/* Windows-1252 of UTF-16LE; what it does not have becomes '?'. */
size_t sb_windows1252_from_utf16(sb_span text, uint8_t *out, size_t capacity);

static inline sb_span sb_text_span(const char *text)
{
    size_t size = 0;
    while (text[size]) size++;
    return (sb_span){ (const uint8_t *)text, size };
}

/* ---- joining.c ---- */

void sb_server_on_connect(sb_server *s, uint8_t peer_id, sb_endpoint address);
void sb_server_handle_checksums(sb_server *s, sb_player *p, sb_span bytes);  /* 0x21 */
void sb_server_handle_new_player(sb_server *s, sb_player *p, sb_span bytes); /* 0x2A */
/* Timers of joins, waiting lists and pending Boots. */
void    sb_server_advance_joins(sb_server *s);
sb_time sb_server_joins_deadline(const sb_server *s);
void    sb_player_set_phase(sb_player *p, sb_player_phase phase, sb_time ends);
/* Says why, in the log; a Boot follows as soon as what was queued is acknowledged, or later. */
void sb_server_refuse_player(sb_server *s, sb_player *p, uint8_t boot_reason, const char *why,
                             sb_time limit);

/* ---- objects.c ---- */

sb_object *sb_server_find_object(const sb_server *s, uint32_t object_id);
void       sb_server_handle_creation(sb_server *s, sb_player *p, sb_span bytes); /* 0x02, 0x03 */
/* One that cannot be read, or of a class that crashes the game. */
void sb_server_handle_bad_creation(sb_server *s, sb_player *p, sb_span bytes);
void sb_server_handle_object_request(sb_server *s, sb_player *p, sb_span bytes); /* 0x1D, 0x1E */
void sb_server_handle_enter_set(sb_server *s, sb_player *p, sb_span bytes);      /* 0x1F */
/* The creation of a living object and its damage volumes (spec 06 §8), to one player. */
void sb_server_send_object(sb_server *s, const sb_player *to, const sb_object *o);
void sb_server_send_all_objects(sb_server *s, const sb_player *to);
/* Forgets it everywhere. Nothing is sent. */
void sb_server_remove_object(sb_server *s, sb_object *o);
void sb_server_remove_all_objects(sb_server *s);
/* Asks the owner for a ship we only know positions of (spec 07 §6). */
void sb_server_request_object(sb_server *s, sb_player *p, uint32_t object_id);

/* ---- relay.c ---- */

void sb_server_handle_event(sb_server *s, sb_player *p, sb_span bytes);
void sb_server_handle_torpedo(sb_server *s, sb_player *p, sb_span bytes);
void sb_server_handle_pulse(sb_server *s, sb_player *p, sb_span bytes);
void sb_server_handle_state(sb_server *s, sb_player *p, sb_span bytes);
void sb_server_handle_collision(sb_server *s, sb_player *p, sb_span bytes);
void sb_server_handle_self_destruct(sb_server *s, sb_player *p, sb_span bytes);
/* Apply an event of the player's ship to combat. */
void sb_server_apply_start_firing(sb_server *s, uint32_t ship, const sb_event *e);
void sb_server_apply_stop_firing(sb_server *s, uint32_t ship, const sb_event *e);
void sb_server_apply_switch(sb_server *s, uint32_t ship, const sb_event *e);
void sb_server_apply_repair_priority(sb_server *s, uint32_t ship, const sb_event *e);
void sb_server_apply_phaser_level(sb_server *s, uint32_t ship, const sb_event *e);
void sb_server_apply_torpedo_type(sb_server *s, uint32_t ship, const sb_event *e);
void sb_server_apply_warp(sb_server *s, uint32_t ship, const sb_event *e);

/* ---- lanes.c ---- */

/* Sends the StateUpdates that are due at s->now. */
void sb_server_advance_lanes(sb_server *s);

/* ---- scripts.c ---- */

/* The same bytes to the sender's team; without teams that is the sender alone. */
void sb_server_relay_to_team(sb_server *s, const sb_player *p, sb_span bytes, sb_delivery delivery,
                             const sb_player *except);
void sb_server_handle_chat(sb_server *s, sb_player *p, sb_span bytes);
void sb_server_handle_team(sb_server *s, sb_player *p, sb_span bytes);
void sb_server_handle_restart(sb_server *s, sb_player *p, sb_span bytes);
void sb_server_handle_mod(sb_server *s, sb_player *p, sb_delivery delivery, sb_span bytes);

/* ---- opcodes.c ---- */

typedef void sb_message_handler(sb_server *s, sb_player *p, sb_span bytes);

/* Which rate limit a message counts against. */
typedef enum sb_message_budget {
    SB_BUDGET_RELAY, /* the sender's relay budget: other players hear of it */
    SB_BUDGET_OWN,   /* one of its handler's, or none: no other player hears of it */
} sb_message_budget;

/* What an event needs besides an owner (spec 08 §7, §17). */
typedef struct sb_event_rule {
    void (*apply)(sb_server *s, uint32_t ship, const sb_event *e); /* NULL: it is only relayed */
    uint8_t max_value;  /* of a BOOL or CHAR extension; 0: any */
    bool    needs_ship; /* refused without a living ship */
} sb_event_rule;

/* What a room does with one opcode of a client. All zero: relay it by the opcode table. */
typedef struct sb_server_opcode {
    sb_message_handler *handle;
    uint8_t             relay_cost; /* cells that others hear besides the message; 0 means 1 */
    uint8_t             budget;     /* sb_message_budget */
    bool                joins;      /* part of the join: handled in every phase, undecoded */
    sb_event_rule       event;
} sb_server_opcode;

extern const sb_server_opcode sb_server_opcodes[256];

/* ---- dispatch.c ---- */

/* Charges the player's relay budget; false if it is exhausted. One player's flood must not fill the
 * queues of the others: a receiver that cannot take a reliable message is removed
 * (starbase/transport.h). */
bool sb_server_charge_relay(sb_server *s, sb_player *p, sb_span bytes);
/* Decodes one message of a player, then handles or relays it. */
void sb_server_dispatch(sb_server *s, sb_player *p, sb_delivery delivery, sb_span bytes);

/* ---- combat_events.c ---- */

void sb_server_on_combat(void *server, const sb_combat_event *event);
/* After calls into combat: forget what is gone, end the match if a limit is reached. */
void sb_server_after_combat(sb_server *s);
void sb_server_finish_match(sb_server *s, sb_end_reason reason);
void sb_server_start_match(sb_server *s);
/* 0x35 for a newcomer. */
void sb_server_build_mission_init(const sb_server *s, sb_message *out);
void sb_server_send_scores(sb_server *s, const sb_player *to);

/* ---- server.c ---- */

/* The configuration of a match, with the constants that sb_server_config has elsewhere. */
sb_match_config sb_server_match_config(const sb_server_config *config);

/* ---- reconfigure.c ---- */

/* Copies the texts that `config` borrows, and lets `config` point at the copies. */
void sb_server_own_texts(sb_server_config *config, sb_server_texts *texts);
/* The last player left: starts the game clock again and applies deferred changes. */
void sb_server_on_empty(sb_server *s);

/* ---- leaving.c ---- */

void sb_server_on_leave(sb_server *s, const sb_transport_event *event);

/* ---- view.c ---- */

float sb_server_clock(const sb_server *s); /* game time at s->now */
/* Starts the clock again while nobody is there: floats grow coarse (spec 10 §2). */
void sb_server_restart_clock(sb_server *s);

#endif
