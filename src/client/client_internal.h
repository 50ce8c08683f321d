/* src/client/client_internal.h -- the state of a headless player and what its files share.
 *
 * For:      client.c (loop, dispatch, queries), join.c (handshake), world.c (table of ships),
 *           ship_events.c (messages about single ships),
 *           players.c (players, scores, chat), act.c (actions of the caller), check.c (invariants).
 * Never:    trusts the server: every id, index, length and number is checked before it is used. A
 *           message that fails a check is reported (SB_CLIENT_BAD_MESSAGE) and dropped.
 * Spec:     06 §10, 07, 08, 09.
 */
#ifndef SB_CLIENT_INTERNAL_H
#define SB_CLIENT_INTERNAL_H

#include <starbase/client.h>
#include <starbase/message_join.h>
#include <starbase/message_script.h>

#include "transport/player_name.h"

typedef struct sb_event   sb_event; /* starbase/message.h */
typedef struct sb_message sb_message;

enum {
    SB_CLIENT_MAP_MAX = 255,     /* bytes of a mission script path; stock has 37 */
    SB_CLIENT_REQUESTS_MAX = 16, /* objects requested within a second (spec 07 §6 allows 20) */
    SB_CLIENT_TEAMS = 2,
    SB_UNKNOWN_ID_COUNT = 64, /* ids reserved for a ship whose subsystem list is unknown */
};

/* The last request for an object that the server mentioned and the client does not have. */
typedef struct sb_object_request {
    uint32_t object_id; /* 0: unused entry */
    sb_time  at;
} sb_object_request;

struct sb_client {
    sb_client_config     config;
    const sb_ship_set   *ships;
    sb_transport_client *transport;
    sb_time              now;
    uint8_t              phase;     /* sb_client_phase */
    bool                 leaving;   /* no message is handled or queued any more */
    unsigned             reporting; /* depth of calls of on_event under way */
    uint8_t              id;        /* own peer id; SB_PEER_NONE before it is known */
    sb_player_name       name;      /* own name, as the transport cleans it */

    /* Joining. */
    bool            has_settings, has_game_init, has_mission, game_over;
    sb_time         ready_at; /* when NewPlayerInGame is due; SB_TIME_NEVER: not due */
    sb_time         settings_at;
    sb_settings     settings;
    uint8_t         map[SB_CLIENT_MAP_MAX];
    sb_mission_init mission;

    /* Ships, players and scores, as the server reported them. */
    sb_seen_ship       rows[SB_CLIENT_SHIPS];
    uint32_t           row_order[SB_CLIENT_SHIPS]; /* order of creation, for eviction */
    uint32_t           created_count;              /* rows ever allocated */
    sb_seen_player     players[SB_CLIENT_PLAYERS];
    sb_layout_evidence evidence; /* which shield layout the host sends in SUBSYS blocks */
    sb_object_request  requests[SB_CLIENT_REQUESTS_MAX];
    struct {
        int32_t kills, score;
    } teams[SB_CLIENT_TEAMS];
    uint32_t received[256]; /* messages by opcode; stops at its maximum, after months */

    /* The own ship. */
    int           own_index; /* its row; -1: none */
    uint32_t      next_id;   /* next object id of the own slot's block */
    sb_ship_frame frame;
    sb_lane       lane;
    sb_time       update_at;   /* when the next StateUpdate is due; SB_TIME_NEVER without a ship */
    sb_time       answered_at; /* last answer to a RequestObject, if `answered` */
    bool          answered;
};

/* Handles one message: `m` is decoded, `bytes` is the whole message. Any result but SB_OK: the
 * message makes no sense and has changed nothing. */
typedef sb_result (*sb_client_handler)(sb_client *c, const sb_message *m, sb_span bytes);

/* ---- client.c ---- */

/* An event of this type at the present time; all other fields are zero. */
sb_client_event sb_client_new_event(const sb_client *c, sb_client_event_type type);
/* Calls the caller's on_event. */
void sb_client_report(sb_client *c, const sb_client_event *event);
/* Changes the phase and reports the change. */
void sb_client_set_phase(sb_client *c, sb_client_phase phase);
/* MissionInit came and NewPlayerInGame was sent: the client may chat, choose a team and spawn. */
bool sb_client_is_in_game(const sb_client *c);
/* Queues one message. SB_FULL: the send queue lacks the capacity, nothing has changed. */
sb_result sb_client_queue(sb_client *c, sb_delivery delivery, sb_span message);
/* Encodes and queues a message, reliably. */
sb_result sb_client_queue_message(sb_client *c, const sb_message *message);
/* Starts to disconnect: from now on no message is handled or queued. */
void sb_client_start_leaving(sb_client *c);

/* ---- join.c ---- */

sb_result sb_client_handle_checksum_request(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_refused_files(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_file_transfer(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_settings(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_game_init(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_collision_setting(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_mission(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_end_game(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_restart(sb_client *c, const sb_message *m, sb_span bytes);
/* Sends NewPlayerInGame when it is due. */
void sb_client_advance_join(sb_client *c);

/* ---- world.c ---- */

sb_seen_ship *sb_client_find_row(sb_client *c, uint32_t object_id);
/* A free row. In a full table it evicts the oldest object that belongs to no player; `for_own`: or
 * else the oldest ship of another player, so that the result is never NULL. */
sb_seen_ship *sb_client_allocate_row(sb_client *c, bool for_own);
void          sb_client_remove_row(sb_client *c, sb_seen_ship *row);
void          sb_client_remove_all_rows(sb_client *c);
void          sb_client_remove_ships_of(sb_client *c, uint8_t peer_id);
/* The object id of a subsystem by spec 08 §2.1; `child` -1: the top-level entry itself. If the
 * ship data lack the id, ids are assumed to be consecutive, children directly after their system: a
 * server that learns ids from traffic accepts that. 0: no such subsystem. */
uint32_t sb_client_part_id(const sb_ship_class *model, uint32_t ship_id, unsigned index, int child);
/* How many object ids a ship occupies. */
uint32_t sb_client_id_count(const sb_ship_class *model);
/* Removes wrecks whose explosion is over. */
void    sb_client_advance_world(sb_client *c);
sb_time sb_client_world_deadline(const sb_client *c);

sb_result sb_client_handle_object_create(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_destroy(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_not_found(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_request_object(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_enter_set(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_python_event(sb_client *c, const sb_message *m, sb_span bytes);
/* `m` is NULL, because the receiver decodes the message. */
sb_result sb_client_handle_state_update(sb_client *c, const sb_message *m, sb_span bytes);
/* Copies Windows-1252 with control characters replaced, cut at `capacity`; NUL-terminated. */
void sb_client_copy_text(char *out, size_t capacity, sb_span text);

/* ---- ship_events.c ---- */

/* Applies an event about a repair queue; any other event changes nothing. */
void sb_client_apply_repair_event(sb_client *c, const sb_event *e);

sb_result sb_client_handle_warp(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_repair_list(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_repair_priority(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_volume(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_start_firing(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_stop_firing(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_status(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_cloaking(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_setting(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_torpedo(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_pulse(sb_client *c, const sb_message *m, sb_span bytes);

/* ---- players.c ---- */

bool sb_client_is_player_id(int32_t id);
/* The row of a player, added if there is none; NULL: the table is full. */
sb_seen_player *sb_client_find_or_add_player(sb_client *c, uint8_t peer_id);
void            sb_client_name_player(sb_client *c, uint8_t peer_id, sb_span name);
/* Reports that the player left and removes their row and ships. */
void sb_client_remove_player(sb_client *c, uint8_t peer_id);
void sb_client_clear_scores(sb_client *c);

sb_result sb_client_handle_player_list(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_left_text(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_chat(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_score_change(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_score(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_team_score(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_handle_team(sb_client *c, const sb_message *m, sb_span bytes);

/* ---- own_ship.c ---- */

/* Advances the clock to `now` and returns our ship, wreck or not; NULL: none, or the session is
 * ending. */
sb_seen_ship *sb_client_advance_to_own_row(sb_client *c, sb_time now);
/* Each shot uses up one id of the same block (spec 07 §1.1). */
void sb_client_skip_shot_id(sb_client *c);
/* Queues the PlayerObjectCreate of the own ship in its present state. */
sb_result sb_client_queue_creation(sb_client *c);
/* Sends the StateUpdate of the own ship when it is due. */
void sb_client_advance_own_ship(sb_client *c);

#endif
