/* starbase/pilot.h -- a player that plays: flies, fights, runs, dies, comes back. Sits on
 * starbase/client.h.
 *
 * For:      bots and load generators.
 * Never:    knows more than a player on the same server would: it acts on what the client sees.
 *           Flies within the limits of its engines (spec 10 §11.3), so that no check complains.
 */
#ifndef STARBASE_PILOT_H
#define STARBASE_PILOT_H

#include <starbase/client.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sb_skill { SB_SKILL_EASY, SB_SKILL_NORMAL, SB_SKILL_HARD, SB_SKILL_COUNT } sb_skill;

SB_API const char *sb_skill_text(sb_skill skill); /* "easy", "normal", "hard" */
SB_API bool        sb_find_skill(const char *text, sb_skill *out);

typedef struct sb_pilot_config {
    uint64_t seed;
    uint8_t  skill;         /* sb_skill */
    uint8_t  species;       /* 0: any selectable ship, by the seed, a new one each time */
    uint8_t  team;          /* SB_NO_TEAM: the smaller one */
    bool     peaceful;      /* flies and chats, does not shoot */
    bool     talkative;     /* says a word now and then: a chat line is a message, too */
    bool     latency_marks; /* a chat line of the form "@<16 hex>" once a second: for swarm */
    float    arena;         /* radius in which it spawns and stays: 60 */
    sb_time  respawn_us;    /* after the wreck: 3 s */
} sb_pilot_config;

typedef enum sb_pilot_mood {
    SB_PILOT_WAITING,
    SB_PILOT_CRUISING,
    SB_PILOT_ATTACKING,  /* pursue, keep range, bring weapons to bear */
    SB_PILOT_EVADING,    /* a collision or a torpedo is near */
    SB_PILOT_RETREATING, /* hull or shields low: away, weakest facing averted, repair */
    SB_PILOT_DEAD,
} sb_pilot_mood;

SB_API const char *sb_pilot_mood_text(sb_pilot_mood mood);

typedef struct sb_pilot {
    sb_pilot_config config;
    uint64_t        random;
    uint8_t         mood; /* sb_pilot_mood */
    uint32_t        target;
    sb_time think_at, stepped_at; /* decisions at 5 to 10 Hz by skill, motion at every step */
    sb_time spawn_at, chat_at, mark_at;
    /* Motion of our own ship. */
    sb_vec3 position, forward, up, goal;
    float   speed, speed_wanted, turn_rate;
    /* Weapons: what fires, and when each tube and cannon is ready again. */
    bool     beams_on[SB_SUBSYSTEMS_MAX];
    sb_time  ready_at[SB_SHIP_CHILDREN_MAX];
    sb_time  collided_at;
    uint32_t shots, kills, deaths, spawns;
    uint8_t  team_sent;
    /* What it has in mind, and what it believes of its weapons. */
    uint32_t ship_id;       /* the ship all of this is about; 0: none */
    sb_vec3  axis, heading; /* the ship-local direction that is to point in a world direction */
    sb_vec3  spin;          /* world axes, radians per second; turn_rate is its length */
    float    charge[SB_SHIP_CHILDREN_MAX]; /* of banks and cannons; loaded places of tubes */
    bool     hot[SB_SHIP_CHILDREN_MAX];    /* banks that fire */
    uint32_t attacker;                     /* who probably shot at us last, and when */
    sb_time  attacked_at;
    float    felt[SB_FACINGS], felt_hull; /* facings and hull at the last look */
    sb_time  goal_at, armed_at, volley_at, cloak_at, retreat_until, brave_until, extend_until;
    uint8_t  attitude, stance;
} sb_pilot;

SB_API void sb_pilot_defaults(sb_pilot_config *config);
SB_API void sb_pilot_init(sb_pilot *pilot, const sb_pilot_config *config, sb_time now);
/* Does whatever is to be done at `now`; call after sb_client_advance. */
SB_API void    sb_pilot_step(sb_pilot *pilot, sb_client *client, sb_time now);
SB_API sb_time sb_pilot_next_deadline(const sb_pilot *pilot);

#ifdef __cplusplus
}
#endif
#endif
