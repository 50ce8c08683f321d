/* starbase/match.h -- the rules of a match: modes, teams, scores, limits, end and restart. Spec 09
 * §7-§11.
 *
 * For:      the server. Players are peer ids; deaths and hits are told by whoever decides them.
 * Never:    sends: it fills the structs of the messages that must go out.
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
    const char *key;        /* "ffa", "team", "faction", "assault": the word of options */
    const char *script;     /* mission script path */
    const char *short_name; /* mapname of a status answer */
    const char *label;      /* for people */
    bool        teams;
    const char *team_names[2];
} sb_mode;

/* All modes (spec 09 §10), and one by key or script; NULL: none. */
SB_API const sb_mode *sb_modes(size_t *count);
SB_API const sb_mode *sb_find_mode(const char *key_or_script);

enum {
    SB_MATCH_PLAYERS = 32, /* rows of the table: who is there, and who may come back */
    SB_MATCH_ATTACKERS = 16,
    SB_MATCH_SHIPS = 32,
    SB_NO_TEAM = 255,
};

typedef struct sb_match_config {
    const sb_mode *mode;
    uint32_t       time_limit_min;  /* 0: none */
    uint32_t       frag_limit;      /* 0: none */
    bool           score_limit;     /* the limit counts 10,000 points each (spec 09 §10.1) */
    bool           kills_as_kills;  /* reason 2 instead of stock's 3 at the kill limit; false */
    float          modifiers[3][3]; /* by class of attacker and target (spec 09 §11) */
    float          score_divisor;   /* 10: points of damage that are a point of score */
} sb_match_config;

typedef struct sb_match_row {
    bool     used, present;
    uint8_t  peer_id; /* while present; of absent rows the last one */
    uint8_t  team;    /* SB_NO_TEAM */
    int32_t  kills, deaths, score;
    uint8_t  name[62]; /* UTF-16LE: by what a returning player is known */
    uint8_t  name_size;
    uint32_t address;
    uint32_t left_at; /* order of leaving: the oldest absent row is given up first */
} sb_match_row;

typedef struct sb_match_ledger {
    uint32_t ship_id; /* 0: free */
    struct {
        uint8_t peer_id;
        float   shield, hull;
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

/* A player is in the game; a returning one (name and address) gets his numbers back under the new
 * id, anybody else starts from zero, also under the id of somebody who left (spec 09 §11). NULL: id
 * 0, or all rows are taken by players who are here. */
SB_API sb_match_row *sb_match_join(sb_match *match, uint8_t peer_id, sb_span name,
                                   uint32_t address);
SB_API void          sb_match_leave(sb_match *match, uint8_t peer_id);
SB_API void          sb_match_rename(sb_match *match, uint8_t peer_id, sb_span name);
/* The present player; NULL: none. */
SB_API const sb_match_row *sb_match_find(const sb_match *match, uint8_t peer_id);
/* False: no team mode, no such player or team. */
SB_API bool sb_match_set_team(sb_match *match, uint8_t peer_id, uint8_t team);
/* Both have a team and it is the same. */
SB_API bool sb_match_same_team(const sb_match *match, uint8_t a, uint8_t b);

/* A weapon hit of `attacker` on a player's ship: the ledger (spec 09 §11 steps 1 to 4). */
SB_API void sb_match_hit(sb_match *match, uint8_t attacker, uint8_t attacker_class, uint8_t victim,
                         uint32_t victim_ship, uint8_t victim_class, float damage, bool shields);
/* A player's ship dies; `killer` 0: nobody. Fills the 0x36 to send; false: the match is over or the
 * ship is no player's, and nothing is to be sent. Team modes: send both teams' 0x40 as well. */
SB_API bool sb_match_death(sb_match *match, uint8_t victim, uint32_t victim_ship, uint8_t killer,
                           sb_score_change *out);
/* The ship is gone without having died (its owner left): its ledger row is free. */
SB_API void sb_match_forget_ship(sb_match *match, uint32_t ship_id);

/* A limit is reached, by the numbers or by the time; then the match is over and the reason is what
 * 0x38 says, told once. SB_END_NONE: it goes on, or was over before. */
SB_API sb_end_reason sb_match_end_if_due(sb_match *match, sb_time now);
/* Ends it for another reason: the operator's, or the starbase of Mission5. */
SB_API void sb_match_end(sb_match *match, sb_end_reason reason);
/* Everything to zero, the rows stay; absent players are forgotten; the time begins again (spec 09
 * §8). */
SB_API void    sb_match_restart(sb_match *match, sb_time now);
SB_API int32_t sb_match_seconds_left(const sb_match *match, sb_time now); /* -1: no limit */

/* Fill the messages of spec 09 §7 from the table. */
SB_API void sb_match_score(const sb_match_row *row, sb_score *out);
SB_API void sb_match_team_score(const sb_match *match, uint8_t team, sb_team_score *out);

#ifdef __cplusplus
}
#endif
#endif
