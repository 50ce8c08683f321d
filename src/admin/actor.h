/* src/admin/actor.h -- who gives a command, and what a role may do.
 *
 * For:      every door (control socket, console, chat) and the commands of passed votes.
 * May use:  nothing but the types of base.
 * Never:    decides by name who a player is: a name is free to choose. A role belongs to one
 *           conversation (roles.h).
 */
#ifndef SB_ADMIN_ACTOR_H
#define SB_ADMIN_ACTOR_H

#include <starbase/base.h>

/* In ascending order: each role may do what those above it in this list may do, and more, unless
 * the configuration lists its commands. */
typedef enum sb_role {
    SB_ROLE_PLAYER, /* everybody in the game */
    SB_ROLE_HELPER,
    SB_ROLE_MODERATOR,
    SB_ROLE_ADMIN,
    SB_ROLE_OPERATOR, /* console and control socket; not for players */
    SB_ROLES
} sb_role;

/* "player", "helper", "moderator", "admin", "operator"; ends with NULL. */
extern const char *const sb_role_words[SB_ROLES + 1];

/* The way by which a command came. */
typedef enum sb_door {
    SB_DOOR_CONSOLE,
    SB_DOOR_CTL,  /* the control socket */
    SB_DOOR_CHAT, /* a chat line that begins with `!` */
    SB_DOOR_VOTE, /* the command of a passed vote, or of a timer such as the rotation */
    SB_DOORS
} sb_door;

enum { SB_ACTOR_NAME_MAX = 112 };

typedef struct sb_actor {
    sb_door door;
    sb_role role;
    char    name[SB_ACTOR_NAME_MAX]; /* "console", "ctl:USER", "chat:NAME", "vote"; UTF-8 */
    size_t  room;                    /* CHAT and VOTE: index of the room, else 0 */
    uint8_t peer_id;                 /* CHAT: the player; else 0 */
} sb_actor;

#endif
