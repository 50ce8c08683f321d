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
 *
 * objects.h and players.h have the types of objects and players, and what the files about them
 * declare; the rest is here.
 */
#ifndef SB_SERVER_INTERNAL_H
#define SB_SERVER_INTERNAL_H

#include <starbase/server.h>

#include "base/counters.h"
#include "base/text.h"
#include "server/limits.h"
#include "server/objects.h"
#include "server/players.h"
#include "transport/budget.h"

/* starbase/message.h: only files that read or build messages include it. */
typedef struct sb_event   sb_event;
typedef struct sb_message sb_message;

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
    sb_server_load   load;
    sb_time          started_at;          /* zero of the game clock */
    sb_time          restart_at;          /* after the end of a match; else SB_TIME_NEVER */
    sb_time          restarted_at;        /* last restart of the match */
    sb_time          warp_next;           /* earliest end of a stage of a warp; SB_TIME_NEVER */
    sb_time          second_ship_next;    /* earliest end of such a wait; SB_TIME_NEVER */
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
    sb_loss_record     losses[SB_SERVER_PLAYERS_MAX];
    uint32_t           object_top; /* rows of `objects` that were ever used */
    uint64_t           counters[SB_SERVER_COUNTER_COUNT];
    uint64_t           implausible[SB_IMPLAUSIBLE_COUNT];

    sb_time     now;        /* of the call that is running */
    sb_message *in;         /* the message that is being handled */
    sb_message *out;        /* the message that is being built */
    sb_message *combat_out; /* the same for combat_events.c, which may run while `out` is in use */
    uint8_t     bytes[ENCODED_MESSAGE_MAX];
    uint8_t     status_names[SB_SERVER_PLAYERS_MAX][SB_NAME_UNITS]; /* lent to status answers */
    /* Last, so that memory that a room does not use is never touched: `capacity` rows exist, and
     * most rooms never have that many objects. */
    sb_player players[SB_SERVER_PLAYERS_MAX];
    sb_object objects[OBJECTS_MAX];
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

/* A wreck is none. */
static inline bool sb_player_has_living_ship(const sb_player *p)
{
    return p->ship && !p->ship->exploding;
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

/* ---- view.c ---- */

/* The star system of the match; NULL: not in the list of systems. */
const sb_system *sb_server_find_system(const sb_server *s);
float            sb_server_clock(const sb_server *s); /* game time at s->now, in seconds */

#endif
