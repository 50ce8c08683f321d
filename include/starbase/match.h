/* starbase/match.h -- the rules of a match: modes, teams, scores, limits, end and restart.
 *
 * For:      the server. Players are peer ids; the caller decides hits and deaths and reports them.
 * Never:    sends. It fills the structs of the messages, which the caller sends.
 * Spec:     09 §7 to §11.
 * Promise:  none; may change with any version.
 */
#ifndef STARBASE_MATCH_H
#define STARBASE_MATCH_H

#include <starbase/base.h>
#include <starbase/protocol.h>

#ifdef __cplusplus
extern "C" {
#endif

/* starbase/message.h */
typedef struct sb_score_change sb_score_change;
typedef struct sb_score        sb_score;
typedef struct sb_team_score   sb_team_score;

typedef struct sb_mode {
    sb_mission  mission;
    const char *key;        /* "ffa", "team", "faction", "assault": the word in options */
    const char *script;     /* mission script path */
    const char *short_name; /* mapname of a status answer */
    const char *label;      /* for people */
    bool        teams;
    const char *team_names[2];
} sb_mode;

/* All modes (spec 09 §10). */
SB_API const sb_mode *sb_modes(size_t *count);
/* The mode with this key or script; NULL: none. */
SB_API const sb_mode *sb_find_mode(const char *key_or_script);

enum {
    SB_MATCH_PLAYERS = 32,   /* rows of the table: present players and those who may return */
    SB_MATCH_ATTACKERS = 16, /* shares in one ledger; a share is the damage by one attacker */
    SB_MATCH_SHIPS = 32,     /* ledgers */
    SB_NO_TEAM = 255,
};

typedef struct sb_match_config {
    const sb_mode *mode;
    uint32_t       time_limit_min; /* 0: none */
    uint32_t       frag_limit;     /* 0: none */
    bool           score_limit;    /* frag_limit counts steps of 10,000 points (spec 09 §10.1) */
    bool           kills_as_kills; /* the kill limit ends with SB_END_KILLS; stock, and the default,
                                    * end with SB_END_SCORE */
    float modifiers[3][3];         /* by class of attacker and target (spec 09 §11) */
    float score_divisor;           /* damage points per point of score: 10 */
} sb_match_config;

typedef struct sb_match_row {
    bool     used, present;
    uint8_t  peer_id; /* of an absent player: the last id */
    uint8_t  team;    /* 0, 1 or SB_NO_TEAM */
    int32_t  kills, deaths, score;
    uint8_t  name[62];  /* UTF-16LE; name and address identify a returning player */
    uint8_t  name_size; /* bytes */
    uint32_t address;
    uint32_t left_at; /* leave_count when the player left; the lowest left_at is reused first */
} sb_match_row;

/* The damage that one ship took, by attacker. */
typedef struct sb_match_ledger {
    uint32_t ship_id; /* 0: free */
    struct {
        uint8_t peer_id;
        float   shield, hull; /* below 0: damage to the attacker's own team */
    } attackers[SB_MATCH_ATTACKERS];
    uint8_t count;
} sb_match_ledger;

typedef struct sb_match {
    sb_match_config config;
    bool            over;
    sb_end_reason   end_reason;
    sb_time         ends_at; /* SB_TIME_NEVER: no time limit */
    sb_match_row    rows[SB_MATCH_PLAYERS];
    struct {
        int32_t kills, score;
    } teams[2];
    sb_match_ledger ledgers[SB_MATCH_SHIPS];
    uint32_t        leave_count;
} sb_match;

SB_API void sb_match_defaults(sb_match_config *config); /* free for all, no limits */
SB_API void sb_match_init(sb_match *match, const sb_match_config *config, sb_time now);

/* Adds a player. A returning player, known by name and address, gets the old row back under the new
 * id; anybody else starts from zero, even under the id of a player who left (spec 09 §11). NULL: id
 * 0, or present players hold all rows. */
SB_API sb_match_row *sb_match_join(sb_match *match, uint8_t peer_id, sb_span name,
                                   uint32_t address);
SB_API void          sb_match_leave(sb_match *match, uint8_t peer_id);
/* Adds the numbers and the shares in living ships of the present player `from` to those of the
 * present player `to`; `from` loses its row. NULL: one of them is missing. */
SB_API const sb_match_row *sb_match_inherit(sb_match *match, uint8_t from, uint8_t to);
SB_API void                sb_match_rename(sb_match *match, uint8_t peer_id, sb_span name);
/* The present player; NULL: none. */
SB_API const sb_match_row *sb_match_find(const sb_match *match, uint8_t peer_id);
/* False: the mode has no teams, or there is no such player or team. */
SB_API bool sb_match_set_team(sb_match *match, uint8_t peer_id, uint8_t team);
/* True: both players have a team, and the same one. */
SB_API bool sb_match_same_team(const sb_match *match, uint8_t a, uint8_t b);

/* Enters a weapon hit on a player's ship into the ship's ledger (spec 09 §11 steps 1 to 4). */
SB_API void sb_match_hit(sb_match *match, uint8_t attacker, uint8_t attacker_class, uint8_t victim,
                         uint32_t victim_ship, uint8_t victim_class, float damage, bool shields);
/* Scores the death of a player's ship; `killer` 0: none. Fills the SCORE_CHANGE to send. False: the
 * match is over or the victim is no player; send nothing. In team modes the caller also sends both
 * teams' TEAM_SCORE. */
SB_API bool sb_match_death(sb_match *match, uint8_t victim, uint32_t victim_ship, uint8_t killer,
                           sb_score_change *out);
/* Frees the ledger of a ship that is gone without having died (its owner left). */
SB_API void sb_match_forget_ship(sb_match *match, uint32_t ship_id);

/* Ends the match if a limit of kills, score or time is reached. Returns the reason for the END_GAME
 * message, once; SB_END_NONE: the match goes on or was over before. */
SB_API sb_end_reason sb_match_end_if_due(sb_match *match, sb_time now);
/* Ends the match for another reason: the operator's order, or the dead starbase of Mission5. */
SB_API void sb_match_end(sb_match *match, sb_end_reason reason);
/* Sets all scores to zero, drops absent players and ledgers, restarts the time (spec 09 §8). The
 * rows of present players stay, and so do their teams. */
SB_API void sb_match_restart(sb_match *match, sb_time now);
/* A match without players does not run out: stops the time, and starts it from the full limit. */
SB_API void    sb_match_stop_clock(sb_match *match);
SB_API void    sb_match_start_clock(sb_match *match, sb_time now);
SB_API int32_t sb_match_seconds_left(const sb_match *match, sb_time now); /* -1: no limit */

/* The players of the match, the best first: by kills (with score_limit by score), then by the other
 * of the two, then by fewer deaths. Players who left are among them. Returns their number; the rows
 * are lent until the match changes. */
SB_API size_t sb_match_standings(const sb_match *match, const sb_match_row *out[SB_MATCH_PLAYERS]);
/* The player or, in team modes, the team that is ahead; NULL and SB_NO_TEAM: a draw. */
SB_API void sb_match_winner(const sb_match *match, const sb_match_row **player, uint8_t *team);

/* Fill the score messages of spec 09 §7. */
SB_API void sb_match_score(const sb_match_row *row, sb_score *out);
SB_API void sb_match_team_score(const sb_match *match, uint8_t team, sb_team_score *out);

#ifdef __cplusplus
}
#endif
#endif
