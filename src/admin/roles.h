/* src/admin/roles.h -- players with roles: codes of six digits, and the conversations that hold
 * one.
 *
 * For:      the commands `role` and `!admin CODE`; doors that ask for the role of a player.
 * May use:  nothing but base: time and randomness are arguments.
 * Never:    gives a role to a name or to an address. A code is for one player who is in the game,
 *           good once and for 60 s; a role ends with the conversation.
 * Tests:    tests/admin/roles_test.c
 */
#ifndef SB_ADMIN_ROLES_H
#define SB_ADMIN_ROLES_H

#include "admin/actor.h"

enum {
    SB_ROLE_CODES_MAX = 16,     /* codes that wait for their player */
    SB_ROLE_HOLDERS_MAX = 256,  /* conversations with a role */
    SB_ROLE_SOURCES_MAX = 1024, /* addresses with attempts in the last minutes */
    SB_ROLE_KNOWN_MAX = 256,    /* addresses that held a role in this run */
    SB_ROLE_CODE_SECONDS = 60,
    SB_ROLE_TRIES = 3,         /* wrong codes of one conversation in SB_ROLE_TRY_SECONDS ... */
    SB_ROLE_ADDRESS_TRIES = 6, /* ... and of one address */
    SB_ROLE_TRY_SECONDS = 60,
};

/* Identifies a conversation: a later one of the same player differs in connected_at. */
typedef struct sb_conversation {
    uint32_t    room; /* number from 1 */
    uint8_t     peer_id;
    sb_endpoint address;
    sb_time     connected_at;
} sb_conversation;

typedef struct sb_role_code {
    sb_conversation player;
    sb_role         role; /* SB_ROLE_PLAYER: free */
    uint32_t        code;
    sb_time         until;
} sb_role_code;

typedef struct sb_role_holder {
    sb_conversation player;
    sb_role         role; /* SB_ROLE_PLAYER: free */
    char            name[96];
} sb_role_holder;

typedef struct sb_role_source {
    uint32_t address; /* 0: free */
    unsigned tries;
    sb_time  until; /* the tries are forgotten */
} sb_role_source;

typedef struct sb_roles {
    sb_role_code   codes[SB_ROLE_CODES_MAX];
    sb_role_holder holders[SB_ROLE_HOLDERS_MAX];
    sb_role_source sources[SB_ROLE_SOURCES_MAX];
    uint32_t       known[SB_ROLE_KNOWN_MAX];
    size_t         known_count;
} sb_roles;

typedef enum sb_redeem {
    SB_REDEEM_GIVEN,
    SB_REDEEM_WRONG,   /* no such code for this player, or it is too old */
    SB_REDEEM_LIMITED, /* too many attempts: the code was not looked at */
} sb_redeem;

void sb_roles_init(sb_roles *roles);
/* Makes a code for the conversation from `random`; an older one of it is void. */
uint32_t  sb_roles_invite(sb_roles *roles, const sb_conversation *player, sb_role role,
                          uint64_t random, sb_time now);
sb_redeem sb_roles_redeem(sb_roles *roles, const sb_conversation *player, const char *name,
                          const char *code, sb_time now, sb_role *out);
sb_role   sb_roles_of(const sb_roles *roles, const sb_conversation *player);
/* Takes role and code of a conversation away. False: it had none. */
bool sb_roles_revoke(sb_roles *roles, const sb_conversation *player);
/* The player of this id has left: role and code are void. */
void sb_roles_leave(sb_roles *roles, uint32_t room, uint8_t peer_id);
/* True if a conversation of the address held a role in this run. */
bool sb_roles_knows(const sb_roles *roles, uint32_t address);

#endif
