/* src/client/client_internal.h -- what the files of the client share: its state, and who does what.
 *
 * For:      client.c turns the crank, join.c climbs the ladder, world.c keeps ships, players.c
 *           players, scores and words, act.c does what the caller wants.
 * Never:    believes the server: every id, index, length and number is checked before it is used,
 *           and what makes no sense is told and forgotten.
 * Spec:     06 §10, 07, 08, 09.
 */
#ifndef SB_CLIENT_INTERNAL_H
#define SB_CLIENT_INTERNAL_H

#include <starbase/client.h>

#include "transport/player_name.h"

enum {
    SB_CLIENT_MAP_MAX = 255,  /* bytes of a mission script path; stock has 37 */
    SB_CLIENT_ASKED_MAX = 16, /* ids asked for within a second (spec 07 §6 allows 20) */
    SB_CLIENT_TEAMS = 2,
    SB_UNKNOWN_ID_COUNT = 64, /* ids kept free for a ship whose parts nobody knows */
};

/* An id that the server named and we did not know. */
typedef struct sb_asked {
    uint32_t object_id; /* 0: free */
    sb_time  at;
} sb_asked;

struct sb_client {
    sb_client_config     config;
    const sb_ship_set   *ships;
    sb_transport_client *transport;
    sb_time              now;
    uint8_t              phase; /* sb_client_phase */
    bool                 leaving;
    unsigned             telling; /* the caller is being told something */
    uint8_t              id;
    sb_player_name       name; /* ours, as the transport cleans it */

    /* The join. */
    bool            has_settings, has_game_init, has_mission, game_over;
    sb_time         ready_at; /* when 0x2A is due; SB_TIME_NEVER: it is not */
    sb_time         settings_at;
    sb_settings     settings;
    uint8_t         map[SB_CLIENT_MAP_MAX];
    sb_mission_init mission;

    /* What is seen. */
    sb_seen_ship       rows[SB_CLIENT_SHIPS];
    uint32_t           row_order[SB_CLIENT_SHIPS]; /* of creation: the oldest is evicted first */
    uint32_t           created;                    /* rows ever made */
    sb_seen_player     players[SB_CLIENT_PLAYERS];
    sb_layout_evidence evidence; /* about the host, as a sender of SUBSYS blocks */
    sb_asked           asked[SB_CLIENT_ASKED_MAX];
    struct {
        int32_t kills, score;
    } teams[SB_CLIENT_TEAMS];
    uint64_t received[256];

    /* Our own ship. */
    int           own; /* its row; -1: none */
    uint32_t      next_id;
    sb_ship_frame frame;
    sb_lane       lane;
    sb_time       update_at;   /* the next StateUpdate; SB_TIME_NEVER without a ship */
    sb_time       answered_at; /* the last 0x1E */
    bool          answered;
};

/* What is done with one message; `message` is decoded, `bytes` is all of it. Anything but SB_OK: it
 * made no sense, and nothing has changed. */
typedef sb_result (*sb_client_handler)(sb_client *c, const sb_message *message, sb_span bytes);

/* ---- client.c ---- */

/* Time, and nothing else, is filled in. */
sb_client_event sb_client_new_event(const sb_client *c, sb_client_event_type type);
void            sb_client_report(sb_client *c, const sb_client_event *event);
void            sb_client_set_phase(sb_client *c, sb_client_phase phase);
/* 0x35 came and 0x2A went: chat, teams and ships are allowed. */
bool sb_client_is_in_game(const sb_client *c);
/* Queues one message unless there is no room: SB_FULL, and nothing has changed. */
sb_result sb_client_queue(sb_client *c, sb_delivery delivery, sb_span message);
/* Encodes and queues, reliably. */
sb_result sb_client_queue_message(sb_client *c, const sb_message *message);
void      sb_client_part(sb_client *c);

/* ---- join.c ---- */

sb_result sb_client_on_checksum_request(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_refused_files(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_file_transfer(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_settings(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_game_init(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_collision_setting(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_mission(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_end_game(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_restart(sb_client *c, const sb_message *m, sb_span bytes);
/* Sends 0x2A when its time has come. */
void sb_client_advance_join(sb_client *c);

/* ---- world.c ---- */

sb_seen_ship *sb_client_row_of(sb_client *c, uint32_t object_id);
/* A free row, or that of the object that is missed least; `for_own` never fails. */
sb_seen_ship *sb_client_allocate_row(sb_client *c, bool for_own);
void          sb_client_remove_row(sb_client *c, sb_seen_ship *row);
void          sb_client_remove_all_rows(sb_client *c);
void          sb_client_remove_ships_of(sb_client *c, uint8_t peer_id);
/* The id of a subsystem by spec 08 §2.1, or, where nobody knows it, as if children stood directly
 * behind their system: a server that learns ids from traffic understands that. 0: no such part. */
uint32_t sb_client_part_id(const sb_ship_class *model, uint32_t ship_id, unsigned index, int child);
uint32_t sb_client_id_count(const sb_ship_class *model);
void     sb_client_advance_world(sb_client *c);
sb_time  sb_client_world_deadline(const sb_client *c);

sb_result sb_client_on_object_create(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_destroy(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_not_found(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_request_object(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_enter_set(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_python_event(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_start_firing(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_stop_firing(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_status(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_cloaking(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_setting(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_torpedo(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_pulse(sb_client *c, const sb_message *m, sb_span bytes);
/* The receiver decodes it: `m` is NULL. */
sb_result sb_client_on_state_update(sb_client *c, const sb_message *m, sb_span bytes);

/* ---- players.c ---- */

bool sb_client_is_player_id(int32_t id);
/* The row of a player, a new one if needed; NULL: the table is full. */
sb_seen_player *sb_client_player_row(sb_client *c, uint8_t peer_id);
void            sb_client_name_player(sb_client *c, uint8_t peer_id, sb_span name);
void            sb_client_player_left(sb_client *c, uint8_t peer_id);
void            sb_client_clear_scores(sb_client *c);

sb_result sb_client_on_player_list(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_left_text(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_chat(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_score_change(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_score(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_team_score(sb_client *c, const sb_message *m, sb_span bytes);
sb_result sb_client_on_team(sb_client *c, const sb_message *m, sb_span bytes);

/* ---- act.c ---- */

/* Our 0x03, as the ship is now. */
sb_result sb_client_queue_creation(sb_client *c);
/* Sends our StateUpdate when it is due. */
void sb_client_advance_own(sb_client *c);

#endif
