/* starbase/pilot.h -- the behaviour of a bot: spawns, flies, fights, retreats, respawns. It acts
 * through starbase/client.h.
 *
 * For:      bots and load generators.
 * Never:    uses more knowledge than a player on the same server has: it reads only the client's
 *           tables. Never flies beyond the limits of its engines (spec 10 §11.3), so that no server
 *           finds it implausible.
 */
#ifndef STARBASE_PILOT_H
#define STARBASE_PILOT_H

#include <starbase/client.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sb_skill { SB_SKILL_EASY, SB_SKILL_NORMAL, SB_SKILL_HARD, SB_SKILL_COUNT } sb_skill;

SB_API const char *sb_skill_text(sb_skill skill); /* "easy", "normal", "hard" */
/* False: no skill has this name. */
SB_API bool sb_find_skill(const char *text, sb_skill *out);

typedef struct sb_pilot_config {
    uint64_t seed;
    uint8_t  skill;         /* sb_skill */
    uint8_t  species;       /* 0: a random selectable ship for each life */
    uint8_t  team;          /* SB_NO_TEAM: the smaller team */
    bool     peaceful;      /* flies and chats, but does not shoot */
    bool     talkative;     /* sends a chat line every 20 to 60 s */
    bool     latency_marks; /* sends a chat line "@<16 hex digits of the time>" every second */
    float    arena;         /* radius in which it spawns and stays; 60 */
    sb_time  respawn_us;    /* pause between the end of the wreck and the next ship; 3 s */
} sb_pilot_config;

typedef enum sb_pilot_mood {
    SB_PILOT_WAITING,    /* no ship, or the match is over */
    SB_PILOT_CRUISING,   /* no target */
    SB_PILOT_ATTACKING,  /* pursues, keeps its range, brings weapons to bear */
    SB_PILOT_EVADING,    /* avoids a collision */
    SB_PILOT_RETREATING, /* hull or shields are low: flies away, strong facing towards the threat */
    SB_PILOT_DEAD,       /* its ship is a wreck */
} sb_pilot_mood;

SB_API const char *sb_pilot_mood_text(sb_pilot_mood mood);

/* The state of a pilot. Callers may read mood, target, shots, kills, deaths and spawns; the other
 * fields are internal. */
typedef struct sb_pilot {
    sb_pilot_config config;
    uint64_t        random;
    uint8_t         mood;       /* sb_pilot_mood */
    uint32_t        target;     /* object id; 0: none */
    sb_time         think_at;   /* next decision: 5 to 10 per second, by skill */
    sb_time         stepped_at; /* the time up to which the motion is integrated */
    sb_time         spawn_at, chat_at, mark_at;

    /* Motion of the own ship, in world axes. */
    sb_vec3 position, forward, up, goal;
    float   speed, speed_wanted, turn_rate;

    bool     beams_on[SB_SUBSYSTEMS_MAX];    /* beam systems that fire, by entry */
    sb_time  ready_at[SB_SHIP_CHILDREN_MAX]; /* when each tube or cannon may fire again */
    sb_time  collided_at;
    uint32_t shots, kills, deaths, spawns;
    uint8_t  team_sent; /* the team requested; SB_NO_TEAM: none yet */

    uint32_t ship_id;       /* the ship that the state below belongs to; 0: none */
    sb_vec3  axis, heading; /* steering turns ship-local `axis` to world direction `heading` */
    sb_vec3  spin;          /* radians per second about world axes; turn_rate is its length */
    float    charge[SB_SHIP_CHILDREN_MAX];  /* of banks and cannons; torpedoes loaded in tubes */
    bool     hot[SB_SHIP_CHILDREN_MAX];     /* beam banks that fire */
    uint8_t  next_bank[SB_SUBSYSTEMS_MAX];  /* of a single-fire system: the child that is next */
    sb_time  bolt_at[SB_SHIP_CHILDREN_MAX]; /* the last bolt of each cannon */
    sb_time  beam_at;                       /* when the last beam started */
    uint32_t attacker;                      /* the ship that probably hit us last, at attacked_at */
    sb_time  attacked_at;
    float    felt[SB_FACINGS], felt_hull;            /* shields and hull at the last decision */
    sb_time  goal_at, armed_at, volley_at, cloak_at; /* when each may change or happen next */
    sb_time  retreat_until, brave_until, extend_until;
    uint8_t  attitude, stance; /* indices into the tables of pilot_fight.c */
} sb_pilot;

SB_API void sb_pilot_defaults(sb_pilot_config *config);
SB_API void sb_pilot_init(sb_pilot *pilot, const sb_pilot_config *config, sb_time now);
/* Decides, moves the ship and acts through `client`. Call it after sb_client_advance. */
SB_API void sb_pilot_step(sb_pilot *pilot, sb_client *client, sb_time now);
/* When to call sb_pilot_step again. */
SB_API sb_time sb_pilot_next_deadline(const sb_pilot *pilot);

#ifdef __cplusplus
}
#endif
#endif
