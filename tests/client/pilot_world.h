/* tests/client/pilot_world.h -- a small universe behind a fake sb_client. Ships see each other
 * without delay; a host's accounts of charges and reloads count implausible actions.
 *
 * For:      tests of the pilot. It defines the sb_client_* functions that a pilot calls, so it must
 *           not be linked with the real ones.
 */
#ifndef TEST_PILOT_WORLD_H
#define TEST_PILOT_WORLD_H

#include <starbase/message_join.h>
#include <starbase/pilot.h>

enum { WORLD_SHIPS = 10, WORLD_CHAT_BYTES = 64, WORLD_TICK_US = 10000 };

/* Implausible actions that a host would count (spec 10 §6, §8, §11.3). */
typedef enum complaint {
    BAD_SPEED,
    BAD_ACCELERATION,
    BAD_TURN,
    BAD_JUMP,
    BAD_ARC,
    BAD_RANGE,
    BAD_RATE,  /* a tube or cannon that was not ready */
    BAD_GATE,  /* cloaked, disabled, dead target */
    BAD_FORCE, /* collisions */
    BAD_COLLISION_RATE,
    BAD_MATE, /* shot at a member of the own team */
    COMPLAINTS
} complaint;

/* The host's account of a weapon. */
typedef struct book {
    float    charge, age; /* age: seconds that the bank fires */
    bool     firing;
    unsigned strikes; /* of the beam so far */
    int      ready;
    sb_time  loaded_at[4], fired_at;
} book;

struct sb_client {
    struct world   *world;
    unsigned        index; /* of its ship */
    uint8_t         id;
    sb_client_phase phase;
    bool            game_over;
    bool            refuses; /* set by a test: every action, as with a full send queue */
    sb_pilot        pilot;
    bool            flown; /* by `pilot`; else a dummy */
    sb_seen_ship    views[WORLD_SHIPS];
    sb_seen_ship    ship; /* its own */
    book            books[SB_SHIP_CHILDREN_MAX];
    uint32_t        beams_at[SB_SUBSYSTEMS_MAX]; /* targets; 0: not firing */
    sb_time         torpedo_at;                  /* the last torpedo */
    float           cloak_timer;
    sb_pull         pull; /* set by a test: of tractor beams that hold its ship */
    sb_time         placed_at, collided_at;
    unsigned        places, torpedoes, pulses, beams, stops, collisions, chats, teams, cloaks;
    unsigned        powers;                           /* changes of power levels */
    unsigned        target_changes, strikes;          /* strikes: of all its beams */
    float           last_force, damage_done, nearest; /* nearest: gap to another hull, ever */
    struct {
        unsigned index, child;
        uint8_t  type;
        sb_vec3  direction;
        uint32_t target;
    } last_shot; /* torpedo or bolt */
    struct {
        unsigned orders; /* also those that were refused */
        uint8_t  species;
        sb_vec3  position, forward, up;
    } last_spawn;
    struct {
        unsigned orders, index;
        int      child;
    } last_repair;
    uint32_t previous_target; /* as the last change of target said */
    bool     chat_to_team;    /* the last line */
    uint32_t last_other;      /* of the last collision, as is the contact */
    sb_vec3  last_contact;
    char     last_chat[WORLD_CHAT_BYTES];
    sb_time  chat_times[8];
    float    push; /* units/s: what the last collision explains of the next change of speed */
};

typedef struct world {
    sb_time        now;
    unsigned       count;
    unsigned       first_row; /* of the first ship and player in the tables of the clients */
    uint32_t       next_id;
    bool           harmless; /* shots do nothing */
    uint64_t       digest;   /* hash over all calls */
    sb_settings    settings;
    sb_client      clients[WORLD_SHIPS];
    sb_seen_player players[WORLD_SHIPS];
    unsigned       complaints[COMPLAINTS];
    unsigned       deaths;
} world;

void world_init(world *w);
/* The mode of play: the path of a mission script. */
void world_set_map(world *w, const char *script);
/* A player flown by a pilot; in the lobby. */
sb_client *world_add_pilot(world *w, const sb_pilot_config *config);
/* A ship without a pilot that keeps its motion. */
sb_client *world_add_dummy(world *w, uint8_t species, sb_vec3 position, sb_vec3 forward,
                           float speed);
/* Gives a pilot a ship at this position. */
void world_put(sb_client *client, uint8_t species, sb_vec3 position, sb_vec3 forward);
/* Shows a player the ships as they are now. */
void        world_refresh(sb_client *client);
void        world_kill(sb_client *victim, sb_client *killer);
void        world_run(world *w, float seconds);
float       world_distance(const sb_client *a, const sb_client *b);
unsigned    world_complaints(const world *w); /* all */
const char *complaint_name(complaint c);

#endif
