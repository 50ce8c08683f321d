/* src/server/players.h -- connected peers: what the room knows of one, from Connect to departure.
 *
 * For:      the files of this folder, through server_internal.h.
 * Spec:     06, 07 §2.6 (the next ship), §9 (departures).
 */
#ifndef SB_SERVER_PLAYERS_H
#define SB_SERVER_PLAYERS_H

#include <starbase/protocol.h>
#include <starbase/server.h>

#include "replica/sender_clock.h"
#include "server/limits.h"
#include "transport/budget.h"

typedef struct sb_object sb_object; /* objects.h */

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

/* A PlayerObjectCreate that waits because the player's ship lives (spec 07 §2.6). */
typedef struct sb_second_ship {
    uint32_t object_id; /* 0: none waits */
    uint16_t size;
    sb_time  since; /* arrival of the first one that waited; later ones replace it */
    uint8_t  bytes[SB_EVENT_MAX];
} sb_second_ship;

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
    bool                  trusted;       /* lines that begin with `!` are not passed on */
    sb_time               muted_until;   /* 0: not muted */
    bool                  lossy;         /* gets full updates more often (spec 03 §17) */
    bool                  target_seen;   /* the current ship has sent a TargetChanged */
    bool                  target_is_new; /* TargetChanged names the new target (spec 08 §6) */
    sb_time               lossy_until;
    uint64_t              retransmitted; /* messages to this peer, when last checked */
    uint8_t               name_size;
    uint8_t               name[2 * SB_NAME_UNITS]; /* UTF-16LE */
    sb_endpoint           address;
    sb_time               connected_at;
    sb_time               active_at;   /* the player last did something */
    sb_time               reliable_at; /* arrival of the last reliable message */
    sb_sender_clock       clock;       /* from the Settings on */
    sb_time               timeout_us;  /* of the session: a reload changes that of newcomers only */
    sb_time               phase_ends;  /* SB_TIME_NEVER: no limit */
    uint8_t               more_seconds; /* that this phase got because of an attack */
    uint32_t              manifests;    /* one bit per manifest that accepted every round so far */
    sb_object            *ship;         /* the current ship or its wreck; NULL: none */
    sb_time               armed_at;     /* when a ship that replaces the last one may fire */
    uint32_t              highest_id;   /* of all objects this player created */
    sb_budget             chat, teams, mods, requests, asks, relay, effects, stops, collisions;
    sb_budget             chat_attacked; /* while somebody forges messages of the player */
    sb_fire_record        fire[FIRE_RECORDS_MAX];
    sb_request_record     requested[REQUEST_RECORDS_MAX];
    uint8_t               next_fire_index, next_request_index; /* oldest records */
    sb_implausible_record implausible[SB_IMPLAUSIBLE_COUNT];
    sb_time               hash_quiet_until;     /* no event about a changed hash before this time */
    uint32_t              hash_changes_skipped; /* changes without an event since the last one */
    sb_file_progress      files;
    sb_second_ship        second;
} sb_player;

/* ---- players.c ---- */

/* In the lobby or flying: gets relayed messages. */
static inline bool sb_player_is_in_game(const sb_player *p)
{
    return p->phase == SB_PLAYER_LOBBY || p->phase == SB_PLAYER_FLYING;
}

/* A player of the program itself: files, votes and statistics do not matter to it. */
bool sb_server_is_house(const sb_server *s, const sb_player *p);
/* NULL: no player has this id. */
sb_player *sb_server_find_player(const sb_server *s, uint8_t peer_id);
/* True if a player is in the game, or is being removed from it. */
bool sb_server_has_players(const sb_server *s);
/* `ends`: when the join fails or the Boot is sent; SB_TIME_NEVER: no limit. */
void sb_player_set_phase(sb_player *p, sb_player_phase phase, sb_time ends);

/* ---- joining.c ---- */

void sb_server_on_connect(sb_server *s, uint8_t peer_id, sb_endpoint address);
void sb_server_handle_checksums(sb_server *s, sb_player *p, sb_span bytes);
void sb_server_handle_new_player(sb_server *s, sb_player *p, sb_span bytes);
/* Ends the checksum rounds with the bundle of spec 06 §4.4; the client then loads the mission. */
void sb_server_send_bundle(sb_server *s, sb_player *p);
/* Has somebody used sequence numbers of the player? */
bool sb_server_is_attacked(const sb_server *s, const sb_player *p);
/* Handles timeouts of joins, the end of WAITING, and pending Boots. */
void    sb_server_advance_joins(sb_server *s);
sb_time sb_server_joins_deadline(const sb_server *s);
/* From when on a newcomer may have the seat of a client that has not finished its join (spec 06
 * §9); `context` is the server. SB_TIME_NEVER: the player keeps it. Of a house player: when its
 * ship last hit another or was hit. */
sb_time sb_server_gives_way_at(void *context, uint8_t peer_id);
/* Reports why the join fails, and tells the player. The Boot follows when all queued messages are
 * acknowledged, or after REASON_SECONDS_JOINING at the latest. */
void sb_server_refuse_join(sb_server *s, sb_player *p, const char *why);
/* Removes the player if the operator refuses the new name. */
void sb_server_check_name(sb_server *s, sb_player *p);

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

/* ---- replacing.c ---- */

/* Keeps the creation in s->in until it is known whether the player has given up the living ship.
 */
void sb_server_delay_second_ship(sb_server *s, sb_player *p, sb_span bytes);
/* An update of the player's ship has arrived while a creation waits: the creation was forged,
 * unless it has just overtaken that update. */
void sb_server_doubt_second_ship(sb_server *s, sb_player *p);
/* Counts and forgets the creation that waits, if there is one. */
void sb_server_drop_second_ship(sb_server *s, sb_player *p);
/* Accepts the creations whose players have said nothing more of their last ships. */
void sb_server_advance_second_ships(sb_server *s);
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

/* ---- leaving.c ---- */

void sb_server_on_leave(sb_server *s, const sb_transport_event *event);

#endif
